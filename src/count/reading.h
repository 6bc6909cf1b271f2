/* A text, read: its tokens, its words, and where it came from. What counting begins with, and what
 * systems that learn from the text itself begin with, too. */
#ifndef PV_COUNT_READING_H
#define PV_COUNT_READING_H

#include "corpus/inputs.h"
#include "count/provenance.h"
#include "count/vocabulary.h"

typedef struct pv_reading {
    psdvec_context *ctx;
    pv_token_store *store; /* its words have final ids */
    pv_vocabulary vocabulary;
    pv_provenance provenance;
} pv_reading;

/* Reads `files`, which are `inputs` expanded; `folder` takes temporary files. PSDVEC_ERR_EMPTY if
 * there is no word that is known, unless it may be empty. */
psdvec_status pv_reading_open(pv_reading *reading, psdvec_context *ctx,
                              const psdvec_count_options *options, const pv_inputs *files,
                              const char *const *inputs, size_t input_count, const char *folder,
                              bool may_be_empty);
void pv_reading_free(pv_reading *reading);

/* What it says of the text; the rest of the report is left alone. */
void pv_reading_report(const pv_reading *reading, psdvec_count_report *report);

#endif
