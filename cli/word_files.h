/* Opening models and counts files, and finding words in them. */
#ifndef CLI_WORD_FILES_H
#define CLI_WORD_FILES_H

#include "rows.h"
#include "run.h"

/* ---- Models ------------------------------------------------------------------------------- */

/* Makes the library's context and opens the model, or another program's vectors.
 * EXIT_FINE and *model, which lasts; or another exit status after the error was told. The model of
 * run->open_path is not opened again. */
int model_file_open(struct run *run, const char *path, psdvec_model **model);

/* The same with another weight of spelling (psdvec_model_with_spelling). */
int model_file_open_weighted(struct run *run, const char *path, double weight,
                             psdvec_model **model);

/* EXIT_FINE if so many vectors, with all their zeros, are within the memory budget. A sparse model of
 * a few bytes may say that they are of any length. */
int model_file_fits(struct run *run, const psdvec_model *model, size_t vectors);

/* The word's index; or EXIT_USE after a sentence with near spellings. A word that is
 * not there as it stands is looked for as the model's own tokeniser would write it. */
int model_file_find(struct run *run, const psdvec_model *model, const char *word, uint32_t *index);

/* The same in two steps. False: it is not there, and `token` has how the model's own
 * tokeniser would write it, or the word as it stands if that is no single word. */
bool model_file_look(struct run *run, const psdvec_model *model, const char *word, uint32_t *index,
                     struct buffer *token);
/* EXIT_USE after the sentence. */
int model_file_unknown(struct run *run, const psdvec_model *model, const char *word);

/* A word of the model as a cell, shown to people as it is usually written. */
struct cell model_word_cell(const psdvec_model *model, uint32_t word);

/* How the model's text was split into words; by default as psdvec count would. */
void model_file_text(struct run *run, const psdvec_model *model, psdvec_text_options *text);
/* The settings of the training that had an effect, as a JSON object: all of its members but those
 * of options that do not apply. NULL if they are not known. */
const char *model_file_settings(const psdvec_model *model);

/* ---- Counts files ------------------------------------------------------------------------- */

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

/* ---- Text --------------------------------------------------------------------------------- */

/* The first test set among the text files and folders of operand `first` and those after it, by
 * its form; NULL if there is none. *kind: which kind, in words. */
const char *test_file_among(struct run *run, size_t first, const char **kind);

/* Before text is read for training: a warning if a test set is among it. */
void test_file_warn(struct run *run, size_t first);

#endif
