/* What the commands on models share. */
#ifndef CLI_MODEL_FILE_H
#define CLI_MODEL_FILE_H

#include "rows.h"
#include "run.h"

/* Makes the library's context and opens the model, or another program's vectors.
 * EXIT_FINE and *model, which lasts; or another exit status after the error was told. */
int model_file_open(struct run *run, const char *path, psdvec_model **model);

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

/* A word of the model as a cell. */
struct cell model_word_cell(const psdvec_model *model, uint32_t word);

/* How the model's text was split into words; by default as psdvec count would. */
void model_file_text(struct run *run, const psdvec_model *model, psdvec_text_options *text);

#endif
