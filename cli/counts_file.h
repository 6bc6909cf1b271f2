/* What the commands on counts files share. */
#ifndef CLI_COUNTS_FILE_H
#define CLI_COUNTS_FILE_H

#include "run.h"

/* Makes the library's context and opens the file. EXIT_FINE and *counts,
 * which lasts; or another exit status after the error was told. */
int counts_file_open(struct run *run, const char *path, psdvec_counts **counts);

/* The same, and its rows are sound: their columns may be used as indices. */
int counts_file_open_rows(struct run *run, const char *path, psdvec_counts **counts);

/* The word's index; or EXIT_USE after a sentence with near spellings. */
int counts_file_find(struct run *run, const psdvec_counts *counts, const char *word,
                     uint32_t *index);

/* Whether the file looks like one in the format of counts files, by its first bytes; text never
 * does. Standard input, folders and pipes are not touched. */
bool counts_file_likely(const char *path);

/* The counts file among the operands, which must then be the only one; NULL: they are text. An exit
 * status. */
int counts_file_among(struct run *run, const char **counts);

#endif
