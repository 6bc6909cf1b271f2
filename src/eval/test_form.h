/* Which form of test set a table is: recognised by what stands in most of its rows. */
#ifndef PV_EVAL_TEST_FORM_H
#define PV_EVAL_TEST_FORM_H

#include "eval/test_table.h"

typedef enum pv_form {
    PV_FORM_SIMILARITY = 0, /* two words and a number somewhere behind them */
    PV_FORM_ANALOGY,        /* a b c d, perhaps with a tag */
    PV_FORM_PAIRS,          /* word, answer/answer/...: any two rows are an analogy */
    PV_FORM_CHOICE,         /* a word, the right choice, other choices */
    PV_FORM_CATEGORIES      /* word, group */
} pv_form;

#define PV_NO_COLUMN UINT32_MAX

typedef struct pv_layout {
    pv_form form;
    bool header;           /* the first row names the columns */
    uint32_t word1, word2; /* columns */
    uint32_t value;
    uint32_t tag; /* of an analogy, or PV_NO_COLUMN */
    bool speech;  /* each word of a pair ends in -n, -v, ...: a part of speech */
} pv_layout;

psdvec_status pv_form_recognise(const pv_table *table, pv_layout *layout);

/* The number that is the whole of a field. */
bool pv_field_number(const pv_field *field, float *value);

#endif
