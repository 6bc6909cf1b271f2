/* The complete distribution of the next word: the most probable words, and sampling from it. */
#include "base/arguments.h"
#include "document/options.h"
#include "document/scorer.h"

#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "model/dot.h"
#include "model/model_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE = 4096, DRAWING = 0xd4a3 /* stream number of random numbers */ };

/* The scores of all words of the first model after one context. */
typedef struct distribution {
    pv_scope memory;
    const pv_conditional *c;
    const pv_bigrams *bigrams; /* or NULL */
    pv_trail trail;
    pv_contexts contexts; /* one row */
    uint64_t place;
    float *score; /* words: s without the constant */
    pv_exp_sums *ranges;
    size_t range_count;
    double log_z;
} distribution;

static void distribution_close(distribution *o)
{
    pv_trail_free(&o->trail);
    pv_contexts_free(&o->contexts);
    pv_scope_free(&o->memory);
}

static void distribution_add(distribution *o, uint32_t word)
{
    pv_trail_add(&o->trail, o->c, word, o->place++);
}

static psdvec_status distribution_open(distribution *o, psdvec_scorer *s, const uint32_t *context,
                                       size_t count)
{
    psdvec_context *ctx = s->ctx;
    *o = (distribution){.memory = {.ctx = ctx, .what = "the words' probabilities"},
                        .c = s->models[0].conditional,
                        .bigrams = s->models[0].bigrams};
    o->range_count = (o->c->words + RANGE - 1) / RANGE;
    for (size_t k = 0; k < count; k++)
        if (context[k] >= o->c->words && context[k] != PSDVEC_UNKNOWN_WORD)
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s: has no word with the number %u",
                           o->c->model->path, context[k]);
    PV_TAKE(&o->memory, o->score, o->c->words);
    PV_TAKE(&o->memory, o->ranges, o->range_count);
    PV_TRY(pv_scope_status(&o->memory));
    PV_TRY(pv_trail_init(&o->trail, o->c));
    PV_TRY(pv_contexts_init(&o->contexts, ctx, o->c->dim, 1));
    for (size_t k = 0; k < count; k++)
        distribution_add(o, context[k]);
    return PSDVEC_OK;
}

/* One context is too few for a matrix product: the speed is limited by memory bandwidth, so all
 * workers read vectors. */
static psdvec_status score_range(void *arg, size_t range, int worker)
{
    distribution *o = arg;
    const pv_conditional *c = o->c;
    pv_row_dots_fn *row_dots = pv_row_dots_best();
    const float *h = o->contexts.h;
    size_t first = range * RANGE, end = first + RANGE < c->words ? first + RANGE : c->words;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        o->score[i] = 0;
        if (!c->replaced)
            row_dots(c->vectors + i * c->dim, &h, 1, c->dim, &o->score[i]);
    }
    pv_contexts_adjust(&o->contexts, c, 0, NULL, (uint32_t)first, (uint32_t)end, o->score + first);
    pv_exp_sums_best()(o->score + first, c->log_p + first, c->shift ? c->shift + first : NULL,
                       (float)o->contexts.weight[0], (float)c->temperature, end - first,
                       &o->ranges[range]);
    return PSDVEC_OK;
}

/* Computes the scores and log Z for the word after the trail. */
static psdvec_status compute_distribution(distribution *o)
{
    const pv_conditional *c = o->c;
    pv_exp_sums sums = {.largest = -INFINITY};
    pv_contexts_clear(&o->contexts);
    PV_TRY(pv_contexts_add(&o->contexts, c, &o->trail, o->place));
    PV_TRY(pv_parallel_tasks(c->ctx, o->range_count, score_range, o));
    for (size_t k = 0; k < o->range_count; k++)
        pv_exp_sums_add(&sums, &o->ranges[k]);
    if (c->absent_share > 0) {
        pv_exp_sums absent = {.largest = (float)log(c->absent_share), .sum = 1};
        pv_exp_sums_add(&sums, &absent);
    }
    o->log_z = (double)sums.largest + log(sums.sum);
    return isfinite(o->log_z)
               ? PSDVEC_OK
               : pv_fail(c->ctx, PSDVEC_ERR_NUMERIC,
                         "%s: a sum over the vocabulary is not a number; the vectors may be "
                         "damaged (verify the checksums)",
                         c->model->path);
}

static psdvec_prediction predict(const distribution *o, uint32_t word)
{
    const pv_conditional *c = o->c;
    double log_p = c->log_unigram[word];
    double p = exp(log_p + c->temperature * (double)o->score[word] - o->log_z);
    if (o->bigrams) {
        pv_bigram_parts parts =
            pv_bigrams_parts(o->bigrams, pv_bigrams_before(o->bigrams, &o->trail), word);
        p = parts.seen + parts.rest * p;
    }
    return (psdvec_prediction){.word = word, .probability = p, .unigram = exp(log_p)};
}

static int compare_predictions(const void *a, const void *b)
{
    const psdvec_prediction *x = a, *y = b;
    if (x->probability != y->probability)
        return x->probability > y->probability ? -1 : 1;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* All words, the most probable first; the caller frees the array. */
static psdvec_prediction *ranked(const distribution *o)
{
    psdvec_prediction *all =
        pv_alloc(o->c->ctx, o->c->words, sizeof *all, "the words' probabilities");
    for (uint32_t i = 0; all && i < o->c->words; i++)
        all[i] = predict(o, i);
    if (all)
        qsort(all, o->c->words, sizeof *all, compare_predictions);
    return all;
}

psdvec_status psdvec_scorer_next(psdvec_scorer *scorer, const uint32_t *context,
                                 size_t context_count, size_t most, psdvec_prediction *predictions,
                                 size_t *found)
{
    PV_BEGIN_OF(scorer);
    psdvec_context *ctx = scorer->ctx;
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED_ARRAY(ctx, context, context_count);
    PV_NEED_ARRAY(ctx, predictions, most);
    psdvec_status status;
    psdvec_prediction *all = NULL;
    distribution o;
    PV_TRY_DONE(distribution_open(&o, scorer, context, context_count));
    PV_TRY_DONE(compute_distribution(&o));
    if (!(all = ranked(&o)))
        PV_TRY_DONE(pv_failure(ctx));
    *found = most < o.c->words ? most : o.c->words;
    if (*found)
        memcpy(predictions, all, *found * sizeof *all);
done:
    pv_free(ctx, all);
    distribution_close(&o);
    return status;
}

/* ---- Sampling -------------------------------------------------------------------------------- */

/* Restrictions on the sampled words. */
typedef struct drawing {
    uint32_t top;           /* sample only the most probable words; 0: all */
    const uint32_t *recent; /* words not to be drawn */
    size_t recent_count;
} drawing;

static bool is_recent(const drawing *d, uint32_t word)
{
    for (size_t k = 0; k < d->recent_count; k++)
        if (d->recent[k] == word)
            return true;
    return false;
}

/* The word at the fraction `unit` of the total probability of the allowed words. */
static psdvec_status draw(const distribution *o, const drawing *d, double unit, uint32_t *word)
{
    uint32_t words = o->c->words, most = d->top && d->top < words ? d->top : words;
    psdvec_prediction *all = NULL;
    double sum = 0, goal = INFINITY;
    if (most < words && !(all = ranked(o)))
        return pv_failure(o->c->ctx);
    /* The first pass sums the allowed probabilities, the second stops at the fraction `unit`. */
    for (int pass = 0; pass < 2; pass++) {
        uint32_t taken = 0;
        goal = pass ? unit * sum : (double)INFINITY;
        sum = 0;
        for (uint32_t k = 0; k < words && taken < most && sum <= goal; k++) {
            psdvec_prediction p = all ? all[k] : predict(o, k);
            if (is_recent(d, p.word))
                continue;
            sum += p.probability;
            taken++;
            *word = p.word;
        }
    }
    pv_free(o->c->ctx, all);
    return PSDVEC_OK;
}

psdvec_status psdvec_scorer_generate(psdvec_scorer *scorer, const psdvec_generate_options *options,
                                     const uint32_t *prompt, size_t prompt_count, uint32_t *words,
                                     psdvec_draw_fn *on_draw, void *user)
{
    PV_BEGIN_OF(scorer);
    psdvec_context *ctx = scorer->ctx;
    PV_NEED_ARRAY(ctx, prompt, prompt_count);
    PV_NEED(ctx, words);
    psdvec_status status;
    psdvec_generate_options own;
    distribution o;
    pv_progress progress;
    pv_scope scope = {.ctx = ctx, .what = "the words drawn"};
    uint32_t *recent; /* ring buffer of the last words */
    size_t recent_count = 0;
    PV_TRY(pv_options_adopt(ctx, &pv_generate_table, options, &own));
    pv_progress_begin(&progress, ctx, "drawing", "words", own.length);
    PV_TRY_DONE(distribution_open(&o, scorer, prompt, prompt_count));
    /* At least one word must remain allowed. */
    size_t most = own.no_repeat < o.c->words ? own.no_repeat : o.c->words - 1;
    PV_TAKE(&scope, recent, most + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t k = prompt_count > most ? prompt_count - most : 0; k < prompt_count; k++)
        recent[recent_count++] = prompt[k];
    for (uint32_t k = 0; k < own.length; k++) {
        PV_TRY_DONE(pv_check_cancel(ctx));
        PV_TRY_DONE(compute_distribution(&o));
        drawing d = {.top = own.top, .recent = recent, .recent_count = recent_count};
        PV_TRY_DONE(draw(&o, &d, pv_random_unit(own.seed, DRAWING, k), &words[k]));
        distribution_add(&o, words[k]);
        if (recent_count == most && most)
            memmove(recent, recent + 1, --recent_count * sizeof *recent);
        if (most)
            recent[recent_count++] = words[k];
        if (on_draw)
            on_draw(user, words[k]);
        pv_progress_add(&progress, 1);
    }
done:
    pv_scope_free(&scope);
    distribution_close(&o);
    pv_progress_end(&progress);
    return status;
}
