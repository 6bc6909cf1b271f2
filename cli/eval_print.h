/* Showing scores. */
#ifndef CLI_EVAL_PRINT_H
#define CLI_EVAL_PRINT_H

#include "eval.h"
#include "show.h"

/* All of it, as a document; or what programs get of the scores, for another one. */
void eval_show(struct show *show, const struct eval *eval);
void eval_show_data(struct show *show, const struct eval *eval);

/* ---- What tables of scores share -------------------------------------------------- */

/* False: a section, without --sections. */
bool eval_shown(const struct eval *eval, const struct eval_row *row);
void eval_value(struct buffer *to, double value);                /* 0.742; - if there is none */
void eval_percent(struct buffer *to, const psdvec_score *score); /* 98%: of known questions */
void eval_facts(struct buffer *to, const psdvec_model *model);   /* words, and numbers each */

struct eval_marks {
    const char *best, *worse;
};
struct eval_marks eval_marks(void);

/* What one must know to read the scores; each line is a paragraph. */
void eval_notes(struct buffer *to, const struct eval *eval);

#endif
