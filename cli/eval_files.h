/* Which of the files of psdvec eval are models, and which are test sets. */
#ifndef CLI_EVAL_FILES_H
#define CLI_EVAL_FILES_H

#include "eval.h"

/* Tells the operands apart, opens everything and names it. EXIT_FINE, or another exit status
 * after the error was told; free the rest with eval_close() in either case. */
int eval_open(struct eval *eval);
void eval_close(struct eval *eval);

#endif
