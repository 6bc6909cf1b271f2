/* Scores for programs: JSON lines and lines with tabs. docs/documents.md says what stands in
 * them. Everything is in natural logarithms. */
#include "cell.h"
#include "score.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- What both have ------------------------------------------------------------------- */

enum { FIT_FIGURES = 9 };
static const char *const fit_names[FIT_FIGURES] = {
    "log_likelihood",     "error",      "perplexity",        "log_paper", "log_unigram",
    "perplexity_unigram", "log_bigram", "perplexity_bigram", "posterior"};

static void fit_figures(const struct score *s, const psdvec_document_score *d, size_t m,
                        double to[FIT_FIGURES])
{
    const psdvec_document_fit *fit = &d->fits[m];
    uint64_t known = d->known;
    double bigram = s->scoring.counts[m] ? score_bigram(fit) : NAN;
    const double figures[FIT_FIGURES] = {fit->conditional,
                                         fit->error,
                                         perplexity(fit->conditional, known),
                                         fit->paper,
                                         fit->unigram,
                                         perplexity(fit->unigram, known),
                                         bigram,
                                         perplexity(bigram, known),
                                         fit->posterior};
    memcpy(to, figures, sizeof figures);
}

/* ---- JSON lines ------------------------------------------------------------------------- */

static void add_string(struct buffer *to, const char *name, const char *text)
{
    buffer_format(to, ", \"%s\": ", name);
    if (text)
        buffer_json(to, text, strlen(text));
    else
        buffer_text(to, "null");
}

/* A posterior says something only among several. */
static void add_fit(struct buffer *to, const struct score *s, const psdvec_document_score *d,
                    size_t m)
{
    double figures[FIT_FIGURES];
    fit_figures(s, d, m, figures);
    for (size_t k = 0; k < FIT_FIGURES - (d->fit_count > 1 ? 0 : 1); k++)
        json_real(to, fit_names[k], figures[k]);
}

static void add_fits(struct buffer *to, const struct score *s, const psdvec_document_score *d,
                     bool total)
{
    if (d->fit_count == 1) {
        add_fit(to, s, d, 0);
        return;
    }
    size_t best = score_best(d);
    add_string(to, "best", best < d->fit_count ? s->names[best] : NULL);
    buffer_text(to, ", \"models\": [");
    for (size_t m = 0; m < d->fit_count; m++) {
        buffer_text(to, m ? ", {\"model\": " : "{\"model\": ");
        buffer_json(to, s->names[m], strlen(s->names[m]));
        add_fit(to, s, d, m);
        if (total)
            buffer_format(to, ", \"won\": %" PRIu64, s->won[m]);
        buffer_char(to, '}');
    }
    buffer_char(to, ']');
}

static void json_word_score(struct buffer *to, struct score *s, const psdvec_word_score *word)
{
    buffer_text(to, s->word_count ? ", {\"word\": " : "{\"per_word\": [{\"word\": ");
    buffer_json(to, word->text, word->length);
    buffer_format(to, ", \"known\": %s", word->known ? "true" : "false");
    if (word->known) {
        json_real(to, "log_probability", word->conditional);
        json_real(to, "log_unigram", word->unigram);
        json_real(to, "log_paper", word->paper);
        buffer_format(to, ", \"surprising\": %s", score_is_surprising(s, word) ? "true" : "false");
    }
    buffer_char(to, '}');
}

static void json_document(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    if (s->per_word)
        buffer_text(to, s->word_count ? "], " : "{\"per_word\": [], ");
    else
        buffer_char(to, '{');
    buffer_format(to, "\"document\": %" PRIu64, d->number);
    add_string(to, "source", d->source);
    add_string(to, "beginning", d->beginning);
    buffer_format(to, ", \"words\": %" PRIu64 ", \"known\": %" PRIu64, d->words, d->known);
    add_fits(to, s, d, false);
    buffer_text(to, "}\n");
}

static void json_total(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    buffer_format(to,
                  "{\"total\": true, \"documents\": %" PRIu64 ", \"words\": %" PRIu64
                  ", \"known\": %" PRIu64,
                  d->number, d->words, d->known);
    json_real(to, "coverage", d->words ? (double)d->known / (double)d->words : NAN);
    if (d->fit_count == 1) {
        json_real(to, "temperature", psdvec_scorer_temperature(s->scoring.scorer, 0));
        json_real(to, "self", psdvec_scorer_self(s->scoring.scorer, 0));
        if (s->scoring.counts[0])
            json_real(to, "bigram_weight", psdvec_scorer_interpolation(s->scoring.scorer, 0));
    }
    add_fits(to, s, d, true);
    buffer_text(to, "}\n");
}

const struct score_form score_jsonl = {
    .words_first = true, .word = json_word_score, .document = json_document, .total = json_total};

/* ---- Lines with tabs -------------------------------------------------------------------- */

static void tsv_head(struct buffer *to, struct score *s)
{
    if (s->per_word) {
        buffer_text(to, "document\tplace\tword\tknown\tlog_probability\tlog_unigram\tlog_paper\t"
                        "surprising\n");
        return;
    }
    buffer_text(to, "document\tsource\tmodel\twords\tknown");
    for (size_t k = 0; k < FIT_FIGURES; k++)
        buffer_format(to, "\t%s", fit_names[k]);
    buffer_text(to, "\tbeginning\n");
}

static void add_field(struct buffer *to, double figure)
{
    buffer_char(to, '\t');
    if (isfinite(figure))
        buffer_format(to, "%.12g", figure);
}

static void tsv_word(struct buffer *to, struct score *s, const psdvec_word_score *word)
{
    buffer_format(to, "%" PRIu64 "\t%" PRIu64 "\t", word->document, word->place);
    cell_text(to, word->text, word->length);
    buffer_format(to, "\t%d", word->known);
    add_field(to, word->known ? word->conditional : NAN);
    add_field(to, word->known ? word->unigram : NAN);
    add_field(to, word->known ? word->paper : NAN);
    buffer_format(to, "\t%d\n", word->known && score_is_surprising(s, word));
}

/* A line for each model. */
static void tsv_fits(struct buffer *to, const struct score *s, const psdvec_document_score *d,
                     const char *name)
{
    for (size_t m = 0; m < d->fit_count; m++) {
        double figures[FIT_FIGURES];
        fit_figures(s, d, m, figures);
        buffer_format(to, "%s\t", name);
        cell_text(to, d->source ? d->source : "", d->source ? strlen(d->source) : 0);
        buffer_char(to, '\t');
        cell_text(to, s->names[m], strlen(s->names[m]));
        buffer_format(to, "\t%" PRIu64 "\t%" PRIu64, d->words, d->known);
        for (size_t k = 0; k < FIT_FIGURES; k++)
            add_field(to, figures[k]);
        buffer_char(to, '\t');
        cell_text(to, d->beginning, strlen(d->beginning));
        buffer_char(to, '\n');
    }
}

static void tsv_document(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    if (s->per_word)
        return;
    char *name = must_format("%" PRIu64, d->number);
    tsv_fits(to, s, d, name);
    free(name);
}

static void tsv_total(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    if (!s->per_word)
        tsv_fits(to, s, d, "total");
}

const struct score_form score_tsv = {
    .head = tsv_head, .word = tsv_word, .document = tsv_document, .total = tsv_total};
