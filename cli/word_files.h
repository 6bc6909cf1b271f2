/* Opening models and counts files, and finding words in them. */
#ifndef CLI_WORD_FILES_H
#define CLI_WORD_FILES_H

#include "rows.h"
#include "run.h"

/* ---- Models ------------------------------------------------------------------------------- */

/* Creates the library's context and opens the model, or third-party vectors. Returns EXIT_FINE and
 * *model, which lasts; or another exit status after the error was reported. Files of
 * run->open are not opened again. */
int model_file_open(struct run *run, const char *path, psdvec_model **model);

/* The same with another weight of spelling (psdvec_model_with_spelling). */
int model_file_open_weighted(struct run *run, const char *path, double weight,
                             psdvec_model **model);

/* Returns EXIT_FINE if this many vectors, including all their zeros, fit the memory budget. A small
 * sparse model may declare any number of dimensions. */
int model_file_fits(struct run *run, const psdvec_model *model, size_t vectors);

/* Finds the word's index and checks that its vectors are finite; or returns EXIT_USE after a message
 * with similar spellings. A word that is not found is also looked up in the form that the model's
 * tokeniser produces. */
int model_file_find(struct run *run, const psdvec_model *model, const char *word, uint32_t *index);

/* The same in three steps. Returns false if it is not found; `token` then has the form that the
 * model's tokeniser produces, or the word itself if that is not a single word. */
bool model_file_find_word(struct run *run, const psdvec_model *model, const char *word,
                          uint32_t *index, struct buffer *token);
/* Checks that the vectors of a word are finite. */
int model_file_check(struct run *run, const psdvec_model *model, uint32_t index);
/* Reports the error and returns EXIT_USE. */
int model_file_unknown(struct run *run, const psdvec_model *model, const char *word);

/* A word of the model as a cell; output for people has its usual spelling. */
struct cell model_word_cell(const psdvec_model *model, uint32_t word);

/* How the model's text was split into words; as in psdvec count if that is not known. Returns an exit
 * status. */
int model_file_text(struct run *run, const psdvec_model *model, psdvec_text_options *text);
/* The training settings that had an effect, as a JSON object: without options that do not apply.
 * NULL if they are not known. */
const char *model_file_settings(const psdvec_model *model);

/* ---- Counts files ------------------------------------------------------------------------- */

/* Creates the library's context and opens the file. Returns EXIT_FINE and *counts, which lasts; or
 * another exit status after the error was reported. */
int counts_file_open(struct run *run, const char *path, psdvec_counts **counts);

/* The same, and verifies its rows: their columns may be used as indices. */
int counts_file_open_rows(struct run *run, const char *path, psdvec_counts **counts);

/* Finds the word's index; or returns EXIT_USE after a message with similar spellings. */
int counts_file_find(struct run *run, const psdvec_counts *counts, const char *word,
                     uint32_t *index);

/* Whether the file looks like a counts file, by its first bytes; text never does. Standard input,
 * folders and pipes are not read. */
bool counts_file_likely(const char *path);

/* Finds the counts file among the operands, which must then be the only operand; NULL: they are
 * text. Returns an exit status. */
int counts_file_among(struct run *run, const char **counts);

/* ---- Text --------------------------------------------------------------------------------- */

/* Finds the first test set among the text files and folders from operand `first` on, by its form;
 * NULL if there is none. *kind: a description of its type. */
const char *test_file_among(struct run *run, size_t first, const char **kind);

/* Warns, before text is read for training, if it contains a test set. */
void test_file_warn(struct run *run, size_t first);

#endif
