/* Listing the inflected forms of a word. */
#include "model/inflections.h"

#include "base/arguments.h"
#include "model/model_read.h"
#include "spelling/endings.h"

#include <stdlib.h>
#include <string.h>

/* A word with a clitic: king's. */
typedef struct clitic_form {
    const char *stem; /* king, in the word */
    uint32_t length, word;
} clitic_form;

struct pv_inflections {
    pv_endings endings;
    clitic_form *apostrophes; /* words with a clitic, in the order of their stems */
    uint32_t apostrophe_count;
};

void pv_inflections_free(psdvec_context *ctx, pv_inflections *inflections)
{
    if (!inflections)
        return;
    pv_scope_free(&inflections->endings.scope);
    pv_free(ctx, inflections);
}

/* ---- Apostrophes -------------------------------------------------------------------------- */

static const char curly[] = "\xE2\x80\x99";

/* The next apostrophe from `at` on, and its bytes; NULL: none. */
static const char *apostrophe(const char *at, const char *end, size_t *length)
{
    for (; at < end; at++) {
        if (*at == '\'') {
            *length = 1;
            return at;
        }
        if (end - at >= 3 && memcmp(at, curly, 3) == 0) {
            *length = 3;
            return at;
        }
    }
    return NULL;
}

/* king for king's, homme for l'homme; the word itself if it has no clitic. */
static const char *without_clitic(const char *word, size_t *length)
{
    const char *end = word + *length;
    size_t bytes;
    for (const char *at = word; (at = apostrophe(at, end, &bytes)); at += bytes) {
        size_t before = (size_t)(at - word), after = (size_t)(end - at) - bytes;
        uint32_t in_front = pv_characters(word, before), behind = pv_characters(at + bytes, after);
        if (behind <= 2 && in_front >= 2) {
            *length = before;
            return word;
        }
        if (in_front <= 2 && behind >= 2) {
            *length = after;
            return at + bytes;
        }
    }
    return word;
}

static int by_stem(const void *a, const void *b)
{
    const clitic_form *x = a, *y = b;
    int order = pv_compare_texts(x->stem, x->length, y->stem, y->length);
    return order ? order : (x->word > y->word) - (x->word < y->word);
}

static psdvec_status list_apostrophes(const psdvec_model *m, pv_inflections *e)
{
    size_t capacity = 0;
    for (uint32_t i = 0; i < m->info.words; i++) {
        size_t length, whole;
        const char *word = psdvec_model_word(m, i, &length);
        whole = length;
        const char *stem = without_clitic(word, &length);
        if (length == whole)
            continue;
        PV_TRY(PV_RESERVE(&e->endings.scope, e->apostrophes, capacity,
                          (size_t)e->apostrophe_count + 1));
        e->apostrophes[e->apostrophe_count++] =
            (clitic_form){.stem = stem, .length = (uint32_t)length, .word = i};
    }
    if (e->apostrophe_count)
        qsort(e->apostrophes, e->apostrophe_count, sizeof *e->apostrophes, by_stem);
    return PSDVEC_OK;
}

/* ---- Forms of a word ------------------------------------------------------------------------ */

static psdvec_status learn(psdvec_context *ctx, const psdvec_model *m, pv_inflections *forms)
{
    const pv_spelling_words words = {m->info.words, m->bytes, m->offsets};
    PV_TRY(pv_endings_learn(ctx, &words, &forms->endings));
    return list_apostrophes(m, forms);
}

static psdvec_status ensure_inflections(psdvec_context *ctx, psdvec_model *m)
{
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&m->lock);
    if (!m->inflections) {
        pv_inflections *forms = pv_alloc_zero(m->ctx, 1, sizeof *forms, NULL);
        if (forms)
            forms->endings.scope = (pv_scope){.ctx = m->ctx};
        if (forms && learn(ctx, m, forms) == PSDVEC_OK) {
            m->inflections = forms;
        } else {
            status = pv_fail(ctx, PSDVEC_ERR_BUDGET,
                             "%s: not enough memory to find the forms of words; raise the limit "
                             "(`memory`)",
                             m->path);
            pv_inflections_free(m->ctx, forms);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

typedef struct form_list {
    const psdvec_model *model;
    const pv_inflections *inflections;
    pv_buffer word;  /* being looked up */
    pv_buffer found; /* uint32_t */
} form_list;

static psdvec_status add(form_list *list, uint32_t word)
{
    return pv_buffer_append(&list->found, &word, sizeof word);
}

/* Adds the words that consist of the stem and an ending that is productive with ending x. */
static psdvec_status add_endings(form_list *list, const char *stem, size_t length, uint16_t x)
{
    const pv_endings *e = &list->inflections->endings;
    uint32_t i;
    for (uint32_t y = 0; y < e->count; y++) {
        if (!e->productive[(size_t)x * e->count + y])
            continue;
        list->word.length = 0;
        PV_TRY(pv_buffer_append(&list->word, stem, length));
        PV_TRY(pv_buffer_append(&list->word, e->list[y].text, e->list[y].length));
        if (psdvec_model_find(list->model, list->word.data, list->word.length, &i))
            PV_TRY(add(list, i));
    }
    return PSDVEC_OK;
}

static psdvec_status add_by_endings(form_list *list, const char *word, size_t length)
{
    const pv_endings *e = &list->inflections->endings;
    uint32_t count = pv_characters(word, length), i;
    for (uint32_t k = 0; k <= PV_ENDING_MOST && count >= PV_ENDING_STEM + k; k++) {
        size_t bytes = pv_tail_bytes(word, length, k);
        uint16_t x = pv_endings_find(e, word + length - bytes, bytes);
        if (x == PV_NO_ENDING)
            continue;
        PV_TRY(add_endings(list, word, length - bytes, x));
        /* The empty ending is the first. */
        if (k > 0 && e->productive[x] && psdvec_model_find(list->model, word, length - bytes, &i))
            PV_TRY(add_endings(list, word, length - bytes, 0));
    }
    return PSDVEC_OK;
}

static psdvec_status add_by_apostrophes(form_list *list, const char *word, size_t length)
{
    const clitic_form *forms = list->inflections->apostrophes;
    size_t stem_length = length, low = 0, high = list->inflections->apostrophe_count;
    const char *stem = without_clitic(word, &stem_length);
    uint32_t i;
    if (stem_length < length && psdvec_model_find(list->model, stem, stem_length, &i))
        PV_TRY(add(list, i));
    while (low < high) { /* the first form that does not sort before the stem */
        size_t middle = low + (high - low) / 2;
        if (pv_compare_texts(forms[middle].stem, forms[middle].length, stem, stem_length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < list->inflections->apostrophe_count &&
           pv_compare_texts(forms[low].stem, forms[low].length, stem, stem_length) == 0;
         low++)
        PV_TRY(add(list, forms[low].word));
    return PSDVEC_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the words, and removes duplicates and the word itself. */
static size_t sort_unique(uint32_t *words, size_t count, uint32_t itself)
{
    size_t kept = 0;
    if (count)
        qsort(words, count, sizeof *words, by_number);
    for (size_t k = 0; k < count; k++)
        if (words[k] != itself && (kept == 0 || words[k] != words[kept - 1]))
            words[kept++] = words[k];
    return kept;
}

psdvec_status psdvec_model_inflections(psdvec_context *ctx, const psdvec_model *model,
                                       const char *word, size_t length, uint32_t *forms,
                                       size_t room, size_t *count)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, count);
    *count = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, word);
    PV_NEED_ARRAY(ctx, forms, room);
    psdvec_model *m = pv_model_words(model);
    PV_TRY(pv_check_cancel(ctx));
    PV_TRY(ensure_inflections(ctx, m)); /* a cache */
    psdvec_status status;
    form_list list = {
        .model = m, .inflections = m->inflections, .word = {.ctx = ctx}, .found = {.ctx = ctx}};
    PV_TRY_DONE(add_by_endings(&list, word, length));
    PV_TRY_DONE(add_by_apostrophes(&list, word, length));
    uint32_t itself = PSDVEC_UNKNOWN_WORD, *found = (uint32_t *)(void *)list.found.data;
    psdvec_model_find(m, word, length, &itself);
    *count = sort_unique(found, list.found.length / sizeof *found, itself);
    if (room && found)
        memcpy(forms, found, (*count < room ? *count : room) * sizeof *forms);
    status = PSDVEC_OK;
done:
    pv_buffer_free(&list.word);
    pv_buffer_free(&list.found);
    return status;
}
