/* Reads inputs into the text of triples, and counts triples. */
#include "document/triples.h"

#include "base/thread.h"
#include "model/model_read.h"
#include "train/train.h"

static const char what[] = "counting triples";

enum {
    GROUPS = 4096,        /* of words */
    CHECK_EVERY = 1 << 12 /* positions between checks for cancellation */
};

/* The known words after token `t` within the window, in order, and their distances. Both arrays
 * have window + 1 elements. */
static inline uint32_t words_after(const pv_triple_text *x, size_t t, uint32_t *words,
                                   uint16_t *distances)
{
    const uint32_t *id = x->text.ids + t;
    uint32_t known = 0;
    for (uint32_t d = 1; d <= x->window && id[d] != PV_BORDER; d++) {
        words[known] = id[d];
        distances[known] = (uint16_t)d;
        known += id[d] < x->text.words;
    }
    return known;
}

/* before[r]: the number of the r tokens before `t` that are known words of its document, r <=
 * window. */
static inline void words_before(const pv_triple_text *x, size_t t, uint32_t *before)
{
    const uint32_t *id = x->text.ids + t;
    uint32_t known = 0, d = 1;
    before[0] = 0;
    for (; d <= x->window && id[-(ptrdiff_t)d] != PV_BORDER; d++)
        before[d] = known += id[-(ptrdiff_t)d] < x->text.words;
    for (; d <= x->window; d++)
        before[d] = known;
}

void pv_triple_text_free(pv_triple_text *x)
{
    if (!x->ctx)
        return;
    pv_sequence_free(&x->text);
    pv_scope_free(&x->memory);
    pv_row_groups_free(&x->groups, x->ctx);
    *x = (pv_triple_text){.ctx = x->ctx};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Uses the words of the model as a fixed vocabulary. */
static psdvec_status take_words(const psdvec_model *model, pv_vocabulary *v)
{
    uint32_t words = model->info.words;
    uint64_t bytes = model->offsets[words];
    PV_TRY(pv_vocabulary_reserve(v, words, bytes));
    v->fixed = true;
    memcpy(v->bytes, model->bytes, bytes);
    memcpy(v->offsets, model->offsets, ((size_t)words + 1) * sizeof *v->offsets);
    return PSDVEC_OK;
}

static psdvec_status check_text(const pv_triple_text *x, const pv_token_store *store,
                                const psdvec_model *model, const char *first, size_t inputs)
{
    const char *others = inputs > 1 ? " and the other inputs" : "";
    if (strcmp(first, "-") == 0)
        first = "standard input";
    if (x->tokens == 0)
        return pv_fail(x->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: no words in %llu bytes; check that it is text like that of %s", first,
                       others, (unsigned long long)store->total.bytes, model->path);
    if (x->known == 0)
        return pv_fail(x->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of its words is in %s; check that both have the same language",
                       first, others, model->path);
    return PSDVEC_OK;
}

/* In memory if that leaves as much again, else in temporary files. */
static psdvec_status lay_out(pv_triple_text *x, pv_token_store *store, psdvec_oov oov,
                             const char *folder)
{
    uint64_t tokens = pv_sequence_tokens(store, 0, store->part_count);
    bool fits = pv_sequence_bytes(tokens) <= pv_memory_left(x->ctx) / 2;
    return pv_sequence_read(&x->text, store, oov, 0, store->part_count, 0, fits ? NULL : folder);
}

static psdvec_status read_text(pv_triple_text *x, const psdvec_model *model,
                               const char *const *inputs, size_t input_count,
                               const psdvec_count_options *options, const char *folder)
{
    psdvec_context *ctx = x->ctx;
    psdvec_status status;
    pv_inputs files = {0};
    pv_token_store *store = NULL;
    pv_vocabulary words;
    pv_vocabulary_init(&words, ctx);
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_token_store_read(ctx, &files, input_count, &options->text, 0,
                                    &(pv_joining){.phrases = model->phrases}, folder, &store));
    PV_TRY_DONE(take_words(model, &words));
    PV_TRY_DONE(pv_vocabulary_build(&words, store, options));
    x->tokens = store->total.tokens;
    x->known = words.known_tokens;
    PV_TRY_DONE(check_text(x, store, model, inputs[0], input_count));
    pv_sequence_init(&x->text, ctx, words.count);
    PV_TRY_DONE(lay_out(x, store, options->oov, folder));
    status = pv_row_groups_init(&x->groups, ctx, words.frequency, words.count, GROUPS);
done:
    pv_vocabulary_free(&words);
    pv_token_store_free(store);
    pv_inputs_free(&files);
    return status;
}

/* ---- Margins --------------------------------------------------------------------------------- */

/* The number of triples with token t as the second word. */
static uint64_t places_around(const pv_triple_text *x, size_t t, const uint32_t *before)
{
    const uint32_t *id = x->text.ids + t;
    uint64_t places = 0;
    for (uint32_t d = 1; d < x->window && id[d] != PV_BORDER; d++)
        places += id[d] < x->text.words ? before[x->window - d] : 0;
    return places;
}

static psdvec_status sum_margins(void *opaque, size_t group, int worker)
{
    (void)worker;
    pv_triple_text *x = opaque;
    const pv_sequence *s = &x->text;
    uint32_t before[PV_MAX_WINDOW + 1], after[PV_MAX_WINDOW + 1];
    uint16_t distances[PV_MAX_WINDOW + 1];
    for (uint32_t i = x->groups.start[group]; i < x->groups.start[group + 1]; i++) {
        uint64_t first = 0, second = 0, third = 0;
        for (size_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            __builtin_prefetch(s->ids + s->places[k + PV_PLACES_AHEAD]);
            uint64_t right = words_after(x, s->places[k], after, distances);
            words_before(x, s->places[k], before);
            uint64_t left = before[x->window];
            first += right * (right - (right > 0)) / 2;
            second += places_around(x, s->places[k], before);
            third += left * (left - (left > 0)) / 2;
        }
        x->margins[0][i] = first;
        x->margins[1][i] = second;
        x->margins[2][i] = third;
    }
    return PSDVEC_OK;
}

psdvec_status pv_triple_text_open(pv_triple_text *x, psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const char *folder)
{
    psdvec_status status;
    psdvec_count_options options;
    pv_buffer strings = {.ctx = ctx};
    bool recorded;
    *x = (pv_triple_text){.ctx = ctx, .memory = {.ctx = ctx, .what = "the words' margins"}};
    PV_TRY_DONE(pv_model_counting(ctx, model, &options, &strings, &recorded));
    x->window = window ? window : options.window;
    if (x->window < 2 || x->window > PV_MAX_WINDOW)
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_OPTION,
                            "the window is %u %s; for three words, it must be from 2 to %d",
                            x->window, x->window == 1 ? "word" : "words", PV_MAX_WINDOW));
    PV_TRY_DONE(read_text(x, model, inputs, input_count, &options, folder));
    PV_TRY_DONE(pv_sequence_sort(&x->text, x->text.ids_memory.mapped ? folder : NULL));
    for (int k = 0; k < 3; k++)
        PV_TAKE(&x->memory, x->margins[k], x->text.words);
    PV_TRY_DONE(pv_scope_status(&x->memory));
    PV_TRY_DONE(pv_parallel_tasks(ctx, x->groups.count, sum_margins, x));
    for (uint32_t i = 0; i < x->text.words; i++)
        x->places += x->margins[0][i];
done:
    pv_buffer_free(&strings);
    return status;
}

/* ---- Requested triples ----------------------------------------------------------------------- */

typedef struct measuring {
    const pv_triple_text *text;
    pv_triple *triples;
} measuring;

static psdvec_status measure(void *opaque, size_t task, int worker)
{
    (void)worker;
    const measuring *m = opaque;
    const pv_triple_text *x = m->text;
    const pv_sequence *s = &x->text;
    pv_triple *triple = &m->triples[task];
    uint32_t a = triple->words[0], b = triple->words[1], c = triple->words[2];
    uint32_t after[PV_MAX_WINDOW + 1], before[PV_MAX_WINDOW + 1];
    uint16_t distances[PV_MAX_WINDOW + 1];
    triple->count = triple->pairs[0] = triple->pairs[1] = triple->pairs[2] = 0;
    for (size_t at = s->row_start[a]; at < s->row_start[a + 1]; at++) {
        uint32_t known = words_after(x, s->places[at], after, distances), seen = 0;
        for (uint32_t k = 0; k < known; k++) {
            if (after[k] == c) {
                triple->pairs[1] += k;
                triple->count += seen;
            }
            if (after[k] == b) {
                triple->pairs[0] += known - 1 - k;
                seen++;
            }
        }
    }
    for (size_t at = s->row_start[b]; at < s->row_start[b + 1]; at++) {
        const uint32_t *id = s->ids + s->places[at];
        words_before(x, s->places[at], before);
        for (uint32_t d = 1; d < x->window && id[d] != PV_BORDER; d++)
            triple->pairs[2] += id[d] == c ? before[x->window - d] : 0;
    }
    return PSDVEC_OK;
}

psdvec_status pv_triple_measure(const pv_triple_text *text, pv_triple *triples, size_t count)
{
    measuring m = {.text = text, .triples = triples};
    return pv_parallel_tasks(text->ctx, count, measure, &m);
}

/* ---- All triples ----------------------------------------------------------------------------- */

/* The workspace of one worker. Arrays have `words` elements unless stated otherwise. */
typedef struct counter {
    pv_scope memory;
    pv_row_sum ab, seconds;   /* by second word: positions, and tokens that begin some */
    pv_row_sum ac;            /* by third word */
    pv_row_sum abc;           /* the same, for one second word */
    uint32_t *second;         /* frequent second words of a, ascending */
    uint64_t *pairs, *tokens; /* N(a, b) of each, and the number of its tokens */
    uint32_t *slot;           /* by word: 1 + its index among the second words in the list; or 0 */
    uint64_t *list;  /* `capacity` tokens by second word: position << 16 | number of words to
                      * read */
    uint32_t *third; /* of one row */
    uint64_t *thirds;
    uint32_t *after; /* window + 1: results of words_after for one token */
    uint16_t *distances;
    pv_triple *found; /* of the current task */
    size_t found_count, found_capacity;
} counter;

/* The triples of a task. */
typedef struct batch {
    pv_triple *triples;
    size_t count;
} batch;

typedef struct counting {
    psdvec_context *ctx;
    const pv_triple_text *text;
    uint64_t least;
    counter *counters; /* one per worker */
    int workers;
    size_t capacity; /* of each list */
    batch *batches;  /* one per group of words */
    size_t first;    /* group of the first task */
    pv_triple **by_second;
    size_t *second_start; /* words + 1, in by_second */
    pv_progress progress;
} counting;

static void free_counter(counter *w)
{
    pv_row_sum *const sums[] = {&w->ab, &w->seconds, &w->ac, &w->abc};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        pv_row_sum_free(sums[k]);
    pv_scope_free(&w->memory);
}

static psdvec_status make_counter(const counting *c, counter *w)
{
    psdvec_context *ctx = c->ctx;
    uint32_t words = c->text->text.words;
    PV_TRY(pv_row_sum_init(&w->ab, ctx, words));
    PV_TRY(pv_row_sum_init(&w->seconds, ctx, words));
    PV_TRY(pv_row_sum_init(&w->ac, ctx, words));
    PV_TRY(pv_row_sum_init(&w->abc, ctx, words));
    w->memory = (pv_scope){.ctx = ctx, .what = what};
    PV_TAKE(&w->memory, w->second, words);
    PV_TAKE(&w->memory, w->pairs, words);
    PV_TAKE(&w->memory, w->tokens, words);
    PV_TAKE_ZERO(&w->memory, w->slot, (size_t)words + 1);
    PV_TAKE(&w->memory, w->list, c->capacity);
    PV_TAKE(&w->memory, w->third, words);
    PV_TAKE(&w->memory, w->thirds, words);
    PV_TAKE(&w->memory, w->after, (size_t)c->text->window + 1);
    PV_TAKE(&w->memory, w->distances, (size_t)c->text->window + 1);
    return pv_scope_status(&w->memory);
}

/* Takes the row of third words and keeps those that are frequent enough. */
static psdvec_status emit_row(const counting *c, counter *w, uint32_t a, uint32_t b, uint64_t pair)
{
    size_t count = pv_row_sum_take(&w->abc, w->third, w->thirds);
    if (w->found_count + count > w->found_capacity) {
        w->found_capacity = 2 * (w->found_count + count);
        PV_GROW(&w->memory, w->found, w->found_capacity);
        PV_TRY(pv_scope_status(&w->memory));
    }
    for (size_t k = 0; k < count; k++)
        if (w->thirds[k] >= c->least)
            w->found[w->found_count++] = (pv_triple){.words = {a, b, w->third[k]},
                                                     .count = w->thirds[k],
                                                     .pairs = {pair, w->ac.sum[w->third[k]], 0}};
    return PSDVEC_OK;
}

/* Adds the third words after one position of the second word. */
static inline void add_thirds(pv_row_sum *abc, const uint32_t *id, uint32_t reach)
{
    for (uint32_t d = 1; d <= reach && id[d] != PV_BORDER; d++)
        pv_row_sum_add(abc, id[d], 1);
}

/* Counts a second word that has more tokens after `a` than the list can hold. */
static psdvec_status count_long(const counting *c, counter *w, uint32_t a, size_t k)
{
    const pv_triple_text *x = c->text;
    const pv_sequence *s = &x->text;
    uint32_t *after = w->after;
    uint16_t *distances = w->distances;
    for (size_t at = s->row_start[a]; at < s->row_start[a + 1]; at++) {
        uint32_t known = words_after(x, s->places[at], after, distances);
        if (at % CHECK_EVERY == 0)
            PV_TRY(pv_check_cancel(c->ctx));
        for (uint32_t i = 0; i + 1 < known; i++)
            if (after[i] == w->second[k])
                add_thirds(&w->abc, s->ids + s->places[at] + distances[i],
                           x->window - distances[i]);
    }
    return emit_row(c, w, a, w->second[k], w->pairs[k]);
}

/* Counts the second words [first, last), whose tokens fit into the list. */
static psdvec_status count_listed(const counting *c, counter *w, uint32_t a, size_t first,
                                  size_t last)
{
    const pv_triple_text *x = c->text;
    const pv_sequence *s = &x->text;
    uint32_t *after = w->after;
    uint16_t *distances = w->distances;
    uint64_t *end = w->tokens; /* of each word's part of the list, which is filled from its start */
    uint64_t used = 0;
    for (size_t k = first; k < last; k++) {
        uint64_t tokens = end[k];
        end[k] = used;
        used += tokens;
        w->slot[w->second[k]] = (uint32_t)(k + 1);
    }
    for (size_t at = s->row_start[a]; at < s->row_start[a + 1]; at++) {
        __builtin_prefetch(s->ids + s->places[at + PV_PLACES_AHEAD]);
        uint64_t place = s->places[at];
        uint32_t known = words_after(x, place, after, distances);
        for (uint32_t i = 0; i + 1 < known; i++) {
            uint32_t slot = w->slot[after[i]];
            if (slot)
                w->list[end[slot - 1]++] = (place + distances[i]) << 16 |
                                           (x->window - distances[i]);
        }
    }
    for (size_t k = first, at = 0; k < last; k++) {
        w->slot[w->second[k]] = 0;
        for (; at < end[k]; at++) {
            add_thirds(&w->abc, s->ids + (w->list[at] >> 16), w->list[at] & 0xFFFF);
            if (at % CHECK_EVERY == 0)
                PV_TRY(pv_check_cancel(c->ctx));
        }
        PV_TRY(emit_row(c, w, a, w->second[k], w->pairs[k]));
    }
    return PSDVEC_OK;
}

/* The first pass: counts pairs with first word `a`. Returns the number of frequent second words. */
static size_t count_pairs(const counting *c, counter *w, uint32_t a)
{
    const pv_triple_text *x = c->text;
    const pv_sequence *s = &x->text;
    uint32_t *after = w->after;
    uint16_t *distances = w->distances;
    for (size_t at = s->row_start[a]; at < s->row_start[a + 1]; at++) {
        __builtin_prefetch(s->ids + s->places[at + PV_PLACES_AHEAD]);
        uint32_t known = words_after(x, s->places[at], after, distances);
        for (uint32_t k = 0; k + 1 < known; k++) {
            pv_row_sum_add(&w->ab, after[k], known - 1 - k);
            pv_row_sum_add(&w->seconds, after[k], 1);
            pv_row_sum_add(&w->ac, after[k + 1], k + 1);
        }
    }
    size_t count = pv_row_sum_take(&w->ab, w->second, w->pairs), kept = 0;
    pv_row_sum_take(&w->seconds, w->second, w->tokens);
    for (size_t k = 0; k < count; k++) {
        if (w->pairs[k] < c->least)
            continue;
        w->second[kept] = w->second[k];
        w->pairs[kept] = w->pairs[k];
        w->tokens[kept++] = w->tokens[k];
    }
    return kept;
}

static psdvec_status count_word(const counting *c, counter *w, uint32_t a)
{
    if (c->text->margins[0][a] < c->least)
        return PSDVEC_OK;
    size_t count = count_pairs(c, w, a);
    for (size_t first = 0, last; first < count; first = last) {
        uint64_t tokens = 0;
        for (last = first; last < count && tokens + w->tokens[last] <= c->capacity; last++)
            tokens += w->tokens[last];
        if (last > first)
            PV_TRY(count_listed(c, w, a, first, last));
        else
            PV_TRY(count_long(c, w, a, last++));
        PV_TRY(pv_check_cancel(c->ctx));
    }
    pv_row_sum_clear(&w->ac);
    return PSDVEC_OK;
}

static psdvec_status count_group(void *opaque, size_t task, int worker)
{
    counting *c = opaque;
    counter *w = &c->counters[worker];
    const uint32_t *start = c->text->groups.start + c->first + task;
    batch *out = &c->batches[c->first + task];
    w->found_count = 0;
    for (uint32_t a = start[0]; a < start[1]; a++)
        PV_TRY(count_word(c, w, a));
    out->triples = pv_alloc(c->ctx, w->found_count, sizeof *out->triples, what);
    if (!out->triples)
        return pv_failure(c->ctx);
    if (w->found_count)
        memcpy(out->triples, w->found, w->found_count * sizeof *out->triples);
    out->count = w->found_count;
    pv_progress_add(&c->progress,
                    c->text->text.row_start[start[1]] - c->text->text.row_start[start[0]]);
    return PSDVEC_OK;
}

/* ---- Pairs of second and third words --------------------------------------------------------- */

static psdvec_status pair_group(void *opaque, size_t group, int worker)
{
    counting *c = opaque;
    const pv_triple_text *x = c->text;
    const pv_sequence *s = &x->text;
    pv_row_sum *bc = &c->counters[worker].abc;
    uint32_t before[PV_MAX_WINDOW + 1];
    for (uint32_t b = x->groups.start[group]; b < x->groups.start[group + 1]; b++) {
        if (c->second_start[b] == c->second_start[b + 1])
            continue;
        for (size_t at = s->row_start[b]; at < s->row_start[b + 1]; at++) {
            __builtin_prefetch(s->ids + s->places[at + PV_PLACES_AHEAD]);
            const uint32_t *id = s->ids + s->places[at];
            words_before(x, s->places[at], before);
            for (uint32_t d = 1; d < x->window && id[d] != PV_BORDER; d++)
                if (before[x->window - d])
                    pv_row_sum_add(bc, id[d], before[x->window - d]);
        }
        for (size_t k = c->second_start[b]; k < c->second_start[b + 1]; k++)
            c->by_second[k]->pairs[2] = bc->sum[c->by_second[k]->words[2]];
        pv_row_sum_clear(bc);
    }
    return pv_check_cancel(c->ctx);
}

/* Completes the triples of groups [first, last) and passes them to the sink. */
static psdvec_status emit_groups(counting *c, size_t first, size_t last, pv_triple_sink *sink,
                                 void *user)
{
    psdvec_status status = PSDVEC_OK;
    uint32_t words = c->text->text.words;
    size_t total = 0, *start = c->second_start;
    memset(start, 0, ((size_t)words + 1) * sizeof *start);
    for (size_t g = first; g < last; g++)
        for (size_t k = 0; k < c->batches[g].count; k++, total++)
            start[c->batches[g].triples[k].words[1]]++;
    c->by_second = pv_alloc(c->ctx, total, sizeof(pv_triple *), what);
    if (!c->by_second)
        return pv_failure(c->ctx);
    for (uint32_t b = 1; b <= words; b++)
        start[b] += start[b - 1]; /* ends of the parts, which are filled backwards */
    for (size_t g = last; g-- > first;)
        for (size_t k = c->batches[g].count; k-- > 0;) {
            pv_triple *triple = &c->batches[g].triples[k];
            c->by_second[--start[triple->words[1]]] = triple;
        }
    PV_TRY_DONE(pv_parallel_tasks(c->ctx, c->text->groups.count, pair_group, c));
    for (size_t g = first; g < last; g++) {
        PV_TRY_DONE(sink(user, c->batches[g].triples, c->batches[g].count));
        pv_free(c->ctx, c->batches[g].triples);
        c->batches[g] = (batch){0};
    }
done:
    pv_free(c->ctx, c->by_second);
    c->by_second = NULL;
    return status;
}

/* ---- Counting in groups ---------------------------------------------------------------------- */

static psdvec_status count_all(counting *c, pv_triple_sink *sink, void *user)
{
    size_t groups = c->text->groups.count, begin = 0; /* of the groups in memory */
    const uint32_t *start = c->text->groups.start;
    uint64_t share = pv_memory_left(c->ctx) / 4, held = 0;
    const size_t size = sizeof(pv_triple) + sizeof(pv_triple *);
    for (size_t last; c->first < groups; c->first = last) {
        uint64_t bound = 0;
        for (last = c->first; last < groups; last++) {
            uint64_t more = 0; /* upper bound of the bytes of its triples, with a pointer to each */
            for (uint32_t a = start[last]; a < start[last + 1]; a++)
                more += c->text->margins[0][a] / c->least * size;
            if (last > c->first && held + bound + more > share)
                break;
            bound += more;
        }
        PV_TRY(pv_parallel_tasks(c->ctx, last - c->first, count_group, c));
        for (size_t g = c->first; g < last; g++)
            held += c->batches[g].count * size;
        if (last < groups && held < share / 2)
            continue;
        PV_TRY(emit_groups(c, begin, last, sink, user));
        begin = last;
        held = 0;
    }
    return PSDVEC_OK;
}

psdvec_status pv_triple_count(const pv_triple_text *text, uint64_t least, pv_triple_sink *sink,
                              void *user)
{
    psdvec_context *ctx = text->ctx;
    psdvec_status status = PSDVEC_OK;
    counting c = {.ctx = ctx, .text = text, .least = least, .workers = ctx->options.threads};
    uint64_t fits = pv_memory_left(ctx) / 16 / (uint64_t)c.workers / sizeof(uint64_t);
    c.capacity = fits < 1024 ? 1024 : fits > (1 << 23) ? 1 << 23 : (size_t)fits;
    pv_scope scope = {.ctx = ctx, .what = what};
    PV_TAKE_ZERO(&scope, c.counters, (size_t)c.workers);
    PV_TAKE_ZERO(&scope, c.batches, text->groups.count);
    PV_TAKE(&scope, c.second_start, (size_t)text->text.words + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (int k = 0; k < c.workers; k++)
        PV_TRY_DONE(make_counter(&c, &c.counters[k]));
    pv_progress_begin(&c.progress, ctx, "triples", "words", text->text.row_start[text->text.words]);
    PV_TRY_DONE(count_all(&c, sink, user));
    pv_progress_end(&c.progress);
done:
    for (int k = 0; c.counters && k < c.workers; k++)
        free_counter(&c.counters[k]);
    for (size_t g = 0; c.batches && g < text->groups.count; g++)
        pv_free(ctx, c.batches[g].triples);
    pv_scope_free(&scope);
    return status;
}
