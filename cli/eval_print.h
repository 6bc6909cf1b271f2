/* The forms of a report. */
#ifndef CLI_EVAL_PRINT_H
#define CLI_EVAL_PRINT_H

#include "eval.h"

/* For people. `sections`: those of sets that are divided, too. */
void eval_table(struct buffer *to, const struct eval *eval, bool sections);
void eval_markdown(struct buffer *to, const struct eval *eval, bool sections);
/* For programs. */
void eval_json(struct buffer *to, const struct eval *eval);
void eval_tsv(struct buffer *to, const struct eval *eval);
/* The JSON without its braces and without the version. */
void eval_json_members(struct buffer *to, const struct eval *eval);

/* ---- What the tables share -------------------------------------------------------- */

bool eval_shown(const struct eval_row *row, bool sections);
void eval_value(struct buffer *to, double value);                /* 0.742; - if there is none */
void eval_percent(struct buffer *to, const psdvec_score *score); /* 98%: of known questions */
void eval_facts(struct buffer *to, const psdvec_model *model);   /* words, and numbers each */

struct eval_marks {
    const char *best, *worse;
};
struct eval_marks eval_marks(void);

/* Text in which nothing is markup. */
void markdown_text(struct buffer *to, const char *text);
/* Lines wrapped, and dim. */
void eval_wrapped(struct buffer *to, const struct eval *eval, const char *text);
/* What one must know to read the scores; each line is a paragraph. */
void eval_notes(struct buffer *to, const struct eval *eval, bool markdown);

#endif
