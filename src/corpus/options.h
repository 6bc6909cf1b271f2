/* The table of the text options. */
#ifndef PV_CORPUS_OPTIONS_H
#define PV_CORPUS_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_tokenizer_choices[], pv_case_choices[], pv_accents_choices[],
    pv_digits_choices[], pv_inner_choices[], pv_document_choices[], pv_new_document_choices[],
    pv_language_choices[];
extern const pv_options_table pv_text_table;

/* The rule of pv_text_table, for text options nested in other options. */
bool pv_text_options_go_together(const void *options, char *why, size_t size);
/* For text that is not in records, whatever the options say. */
void pv_text_options_plain(psdvec_text_options *options);

#endif
