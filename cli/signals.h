/* Ctrl-C and its relatives: the first asks the work to stop, the second
 * Ctrl-C ends the program at once. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

void signals_start(void);
/* The number of the first stopping signal, or 0. */
int signals_caught(void);

#endif
