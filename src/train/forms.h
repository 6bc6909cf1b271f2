/* The most frequent spelling of each word in a text before case folding, such as "Größe" for
 * "grösse".
 *
 * The first word of a sentence carries little information about capitalisation and is not counted.
 * This costs one more pass over the text, with all threads, and memory for the spellings of the
 * words of the vocabulary. Occurrences are integers, so the result does not depend on the number of
 * threads.
 */
#ifndef PV_TRAIN_FORMS_H
#define PV_TRAIN_FORMS_H

#include "count/counts_read.h"

typedef struct pv_forms {
    pv_buffer bytes;   /* all forms, concatenated */
    uint64_t *offsets; /* words + 1; an empty form is the word itself; NULL: there are none */
} pv_forms;

/* Finds the forms of all words of the counts. `offsets` stays NULL if the options do not change the
 * spelling of words. Freed by pv_forms_free, also after a failure. */
psdvec_status pv_forms_make(psdvec_context *ctx, const psdvec_text_options *options,
                            const char *const *inputs, size_t input_count,
                            const psdvec_counts *counts, pv_forms *forms);
void pv_forms_free(pv_forms *forms);

#endif
