/* Which of the files of psdvec eval are models, and which are test sets. */
#ifndef CLI_EVAL_FILES_H
#define CLI_EVAL_FILES_H

#include "eval.h"

/* Tells the operands apart, opens everything and names it. EXIT_FINE, or another exit status
 * after the error was told; free the rest with eval_close() in either case. */
int eval_open(struct eval *eval);
/* Its parts: a file for one of the lists; all sets, the built-in ones too if asked for or if there
 * are no others, of which the first `doubtful` may be something else; all models. */
void eval_add_file(struct eval_files *files, const char *path);
int eval_open_sets(struct eval *eval, bool builtin, size_t doubtful);
int eval_open_models(struct eval *eval);
void eval_close(struct eval *eval);

#endif
