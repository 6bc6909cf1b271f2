/* Finding the links between forms, and pooling the vectors of linked words.
 *
 * A link is directed: what the word `form` predicts for `word`. Links are sorted by word while they
 * are selected, and then grouped by their two endings, because all links of a group share the
 * examples of the difference between these endings.
 */
#include "spelling/pooling.h"

#include "base/blas.h"
#include "base/thread.h"
#include "base/word_index.h"
#include "spelling/endings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_LINKS = 3,      /* of a word that changes */
    MOST_EXAMPLES = 256,  /* of the difference between two endings */
    LINKS_PER_WORD = 8,   /* on average, at most; bounds the memory: English has 0.5 */
    TARGETS = 64          /* links of a task */
};
static const double least_cosine = 0.2, frequency_power = 0.25;

typedef struct form_link {
    uint32_t word, form;
    uint16_t ending, form_ending; /* of `word`, of `form` */
} form_link;

typedef struct worker_space {
    float *forms;       /* TARGETS x dim */
    float *similarity;  /* TARGETS x MOST_EXAMPLES */
    float *predictions; /* TARGETS x dim */
} worker_space;

typedef struct pooling {
    psdvec_context *ctx;
    pv_scope scope;
    const pv_spelling_words *words;
    const uint64_t *frequency;
    uint32_t dim;
    float *r;
    pv_endings endings;
    form_link *links; /* by word, then by form; later by endings */
    size_t count, most;
    size_t *begin;    /* words + 1: the links of each word */
    uint32_t *number; /* words: the row of `forms`, or UINT32_MAX for a word that does not change */
    uint32_t changing;
    float *forms;       /* changing x dim: weighted sums of the linked forms */
    float *differences; /* changing x dim: weighted sums of the predicted differences from them */
    double *weights;    /* changing */
    worker_space *spaces;
    /* The group that is being computed. */
    form_link *group;
    size_t group_count, examples;
    float *from; /* examples x dim: vectors of the forms */
    float *step; /* examples x dim: vectors of the words less those of the forms */
} pooling;

static const char *text_of(const pooling *p, uint32_t word, size_t *length)
{
    *length = (size_t)(p->words->offsets[word + 1] - p->words->offsets[word]);
    return p->words->bytes + p->words->offsets[word];
}

/* ---- Links ------------------------------------------------------------------------------------ */

static bool has_apostrophe(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] == '\'' || (length - k >= 3 && memcmp(text + k, "\xE2\x80\x99", 3) == 0))
            return true;
    return false;
}

static double cosine(const pooling *p, uint32_t a, uint32_t b)
{
    const float *x = p->r + (size_t)a * p->dim, *y = p->r + (size_t)b * p->dim;
    double sum = 0;
    for (size_t k = 0; k < p->dim; k++)
        sum += (double)x[k] * (double)y[k];
    return sum;
}

static void add_link(pooling *p, uint32_t word, uint16_t ending, uint32_t form,
                     uint16_t form_ending)
{
    if (p->most - p->count < 2)
        return;
    p->links[p->count++] = (form_link){word, form, ending, form_ending};
    p->links[p->count++] = (form_link){form, word, form_ending, ending};
}

/* The words that have another ending where `word` has its last `characters`. Each pair is found
 * once, from the word whose ending is first by bytes: productive endings differ in their first
 * character, so two words differ in one pair of endings only. */
static psdvec_status link_ending(pooling *p, const pv_word_index *index, uint32_t word,
                                 size_t characters, pv_buffer *text)
{
    const pv_endings *e = &p->endings;
    size_t length;
    const char *bytes = text_of(p, word, &length);
    size_t tail = pv_tail_bytes(bytes, length, (uint32_t)characters);
    uint16_t x = pv_endings_find(e, bytes + length - tail, tail);
    if (x == PV_NO_ENDING)
        return PSDVEC_OK;
    for (uint32_t y = x + 1U; y < e->count; y++) {
        uint32_t form;
        if (!e->productive[(size_t)x * e->count + y] ||
            has_apostrophe(e->list[y].text, e->list[y].length))
            continue;
        text->length = 0;
        PV_TRY(pv_buffer_append(text, bytes, length - tail));
        PV_TRY(pv_buffer_append(text, e->list[y].text, e->list[y].length));
        if (pv_word_index_find(index, text->data, text->length, &form) &&
            cosine(p, word, form) > least_cosine)
            add_link(p, word, x, form, (uint16_t)y);
    }
    return PSDVEC_OK;
}

static psdvec_status find_links(pooling *p)
{
    psdvec_status status;
    pv_word_index index = {0};
    pv_buffer text = {.ctx = p->ctx};
    uint32_t words = p->words->words;
    p->most = (size_t)words * LINKS_PER_WORD;
    PV_TAKE(&p->scope, p->links, p->most);
    PV_TRY_DONE(pv_scope_status(&p->scope));
    PV_TRY_DONE(pv_word_index_init(&index, p->ctx, words, p->words->bytes, p->words->offsets,
                                   p->scope.what));
    pv_word_index_add_all(&index, words);
    for (uint32_t i = 0; i < words && p->count < p->most; i++) {
        size_t length;
        const char *bytes = text_of(p, i, &length);
        if (has_apostrophe(bytes, length))
            continue;
        uint32_t characters = pv_characters(bytes, length);
        for (uint32_t k = 0; k <= PV_ENDING_MOST && characters >= PV_ENDING_STEM + k; k++)
            PV_TRY_DONE(link_ending(p, &index, i, k, &text));
    }
    status = pv_check_cancel(p->ctx);
done:
    pv_buffer_free(&text);
    pv_word_index_free(&index);
    return status;
}

static int by_word(const void *a, const void *b)
{
    const form_link *x = a, *y = b;
    if (x->word != y->word)
        return x->word < y->word ? -1 : 1;
    return (x->form > y->form) - (x->form < y->form);
}

static int by_endings(const void *a, const void *b)
{
    const form_link *x = a, *y = b;
    if (x->form_ending != y->form_ending)
        return x->form_ending < y->form_ending ? -1 : 1;
    if (x->ending != y->ending)
        return x->ending < y->ending ? -1 : 1;
    return by_word(a, b);
}

static void find_rows(pooling *p)
{
    size_t at = 0;
    for (uint32_t i = 0; i <= p->words->words; i++) {
        while (at < p->count && p->links[at].word < i)
            at++;
        p->begin[i] = at;
    }
}

static bool in_triangle(const pooling *p, const form_link *l)
{
    size_t a = p->begin[l->word], b = p->begin[l->form];
    while (a < p->begin[l->word + 1] && b < p->begin[l->form + 1]) {
        uint32_t x = p->links[a].form, y = p->links[b].form;
        if (x == y)
            return true;
        a += x < y;
        b += y < x;
    }
    return false;
}

/* Removes links outside triangles. */
static psdvec_status select_links(pooling *p)
{
    uint8_t *keep;
    size_t kept = 0;
    if (p->count)
        qsort(p->links, p->count, sizeof *p->links, by_word);
    PV_TAKE(&p->scope, p->begin, (size_t)p->words->words + 1);
    PV_TAKE(&p->scope, keep, p->count);
    PV_TRY(pv_scope_status(&p->scope));
    find_rows(p);
    for (size_t l = 0; l < p->count; l++)
        keep[l] = in_triangle(p, &p->links[l]);
    for (size_t l = 0; l < p->count; l++)
        if (keep[l])
            p->links[kept++] = p->links[l];
    p->count = kept;
    pv_scope_drop(&p->scope, keep);
    find_rows(p);
    return PSDVEC_OK;
}

/* ---- Predictions ------------------------------------------------------------------------------ */

static double weight_of(const pooling *p, uint32_t word)
{
    return pow((double)p->frequency[word], frequency_power);
}

/* Predicts words of the group from its links first to end - 1. A word occurs once in a group, so no
 * two tasks add to the same row. */
static psdvec_status predict(void *arg, size_t task, int worker)
{
    const pooling *p = arg;
    const worker_space *space = &p->spaces[worker];
    size_t dim = p->dim, examples = p->examples, rows = 0, source[TARGETS];
    size_t end = (task + 1) * TARGETS < p->group_count ? (task + 1) * TARGETS : p->group_count;
    for (size_t l = task * TARGETS; l < end; l++) {
        if (p->number[p->group[l].word] == UINT32_MAX)
            continue;
        memcpy(space->forms + rows * dim, p->r + (size_t)p->group[l].form * dim,
               dim * sizeof *p->r);
        source[rows++] = l;
    }
    if (rows == 0)
        return PSDVEC_OK;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)examples, (int)dim, 1,
                space->forms, (int)dim, p->from, (int)dim, 0, space->similarity, (int)examples);
    for (size_t t = 0; t < rows; t++) {
        float *similarity = space->similarity + t * examples;
        double total = 0;
        if (source[t] < examples)
            similarity[source[t]] = 0; /* the pair itself is not an example */
        for (size_t k = 0; k < examples; k++) {
            float c = similarity[k] > 0 ? similarity[k] * similarity[k] : 0;
            similarity[k] = c * c;
            total += (double)similarity[k];
        }
        for (size_t k = 0; k < examples && total > 0; k++)
            similarity[k] = (float)((double)similarity[k] / total);
        if (total == 0)
            source[t] = SIZE_MAX; /* predicts nothing */
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)dim, (int)examples, 1,
                space->similarity, (int)examples, p->step, (int)dim, 0, space->predictions,
                (int)dim);
    for (size_t t = 0; t < rows; t++) {
        if (source[t] == SIZE_MAX)
            continue;
        const form_link *l = &p->group[source[t]];
        uint32_t row = p->number[l->word];
        double weight = weight_of(p, l->form);
        float *forms = p->forms + (size_t)row * dim;
        float *differences = p->differences + (size_t)row * dim;
        for (size_t k = 0; k < dim; k++) {
            forms[k] += (float)weight * space->forms[t * dim + k];
            differences[k] += (float)weight * space->predictions[t * dim + k];
        }
        p->weights[row] += weight;
    }
    return PSDVEC_OK;
}

/* All links with the same endings. Its first links, whose words are the most frequent, are the
 * examples. */
static psdvec_status predict_group(pooling *p)
{
    size_t dim = p->dim;
    p->examples = p->group_count < MOST_EXAMPLES ? p->group_count : MOST_EXAMPLES;
    for (size_t k = 0; k < p->examples; k++) {
        const float *form = p->r + (size_t)p->group[k].form * dim;
        const float *word = p->r + (size_t)p->group[k].word * dim;
        for (size_t c = 0; c < dim; c++) {
            p->from[k * dim + c] = form[c];
            p->step[k * dim + c] = word[c] - form[c];
        }
    }
    return pv_parallel_tasks(p->ctx, (p->group_count + TARGETS - 1) / TARGETS, predict, p);
}

static void mix(const pooling *p, double share)
{
    size_t dim = p->dim;
    for (uint32_t i = 0; i < p->words->words; i++) {
        uint32_t row = p->number[i];
        if (row == UINT32_MAX || p->weights[row] == 0)
            continue;
        float *r = p->r + (size_t)i * dim, *mean = p->forms + (size_t)row * dim;
        float *difference = p->differences + (size_t)row * dim;
        double own = weight_of(p, i), total = p->weights[row] + own;
        double old = 0, mixed = 0, square = 0;
        for (size_t k = 0; k < dim; k++) {
            mean[k] = (float)(((double)mean[k] + own * (double)r[k]) / total);
            double is = (double)r[k] - (double)mean[k];
            difference[k] = (float)((1 - share) * is + share * (double)difference[k] / total);
            old += is * is;
            mixed += (double)difference[k] * (double)difference[k];
        }
        if (mixed == 0)
            continue;
        double scale = sqrt(old / mixed);
        for (size_t k = 0; k < dim; k++) {
            r[k] = (float)((double)mean[k] + scale * (double)difference[k]);
            square += (double)r[k] * (double)r[k];
        }
        for (size_t k = 0; k < dim && square > 0; k++)
            r[k] = (float)((double)r[k] / sqrt(square));
    }
}

/* A word occurs once in a group. */
static size_t most_examples(uint64_t words)
{
    return words < MOST_EXAMPLES ? (size_t)words : MOST_EXAMPLES;
}

static psdvec_status pool_links(pooling *p, double share)
{
    uint32_t words = p->words->words;
    size_t examples = most_examples(words);
    int threads = psdvec_threads(p->ctx);
    PV_TAKE(&p->scope, p->number, words);
    PV_TRY(pv_scope_status(&p->scope));
    for (uint32_t i = 0; i < words; i++)
        p->number[i] = p->begin[i + 1] - p->begin[i] >= LEAST_LINKS ? p->changing++ : UINT32_MAX;
    if (p->changing == 0)
        return PSDVEC_OK;
    PV_TAKE_ZERO(&p->scope, p->forms, (size_t)p->changing * p->dim);
    PV_TAKE_ZERO(&p->scope, p->differences, (size_t)p->changing * p->dim);
    PV_TAKE_ZERO(&p->scope, p->weights, p->changing);
    PV_TAKE(&p->scope, p->from, examples * p->dim);
    PV_TAKE(&p->scope, p->step, examples * p->dim);
    PV_TAKE(&p->scope, p->spaces, (size_t)threads);
    for (int w = 0; w < threads && !p->scope.failed; w++) {
        PV_TAKE(&p->scope, p->spaces[w].forms, (size_t)TARGETS * p->dim);
        PV_TAKE(&p->scope, p->spaces[w].similarity, TARGETS * examples);
        PV_TAKE(&p->scope, p->spaces[w].predictions, (size_t)TARGETS * p->dim);
    }
    PV_TRY(pv_scope_status(&p->scope));
    PV_TRY(pv_blas_ready(p->ctx));
    qsort(p->links, p->count, sizeof *p->links, by_endings);
    for (size_t l = 0; l < p->count; l += p->group_count) {
        p->group = p->links + l;
        p->group_count = 1;
        while (l + p->group_count < p->count &&
               p->group[p->group_count].ending == p->group->ending &&
               p->group[p->group_count].form_ending == p->group->form_ending)
            p->group_count++;
        PV_TRY(predict_group(p));
    }
    mix(p, share);
    return PSDVEC_OK;
}

psdvec_status pv_pool_forms(psdvec_context *ctx, double share, const pv_spelling_words *words,
                            const uint64_t *frequency, uint32_t dim, float *r)
{
    psdvec_status status;
    pooling p = {.ctx = ctx,
                 .scope = {.ctx = ctx, .what = "the forms of words"},
                 .words = words,
                 .frequency = frequency,
                 .dim = dim,
                 .r = r,
                 .endings.scope = {.ctx = ctx, .what = "the forms of words"}};
    PV_TRY_DONE(pv_endings_learn(ctx, words, &p.endings));
    PV_TRY_DONE(find_links(&p));
    PV_TRY_DONE(select_links(&p));
    PV_TRY_DONE(pool_links(&p, share));
done:
    pv_scope_free(&p.endings.scope);
    pv_scope_free(&p.scope);
    return status;
}

uint64_t pv_pool_forms_bytes(uint64_t words, uint64_t dim, int threads)
{
    uint64_t links = LINKS_PER_WORD * (sizeof(form_link) + 1);
    uint64_t index = 4 * sizeof(uint64_t), row = 2 * dim * sizeof(float) + sizeof(double);
    uint64_t examples = most_examples(words);
    uint64_t space = TARGETS * (2 * dim + examples) * sizeof(float);
    return words * (links + sizeof(size_t) + sizeof(uint32_t) + pv_larger(index, row)) +
           2 * examples * dim * sizeof(float) + (uint64_t)threads * space + pv_endings_bytes(words);
}
