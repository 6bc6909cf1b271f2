/* Reading documents, and dividing them into batches. */
#include "topic/documents.h"

#include "corpus/options.h"
#include "corpus/tokens.h"

#include <inttypes.h>
#include <string.h>

/* A batch has at most this many documents, and no more after it has this many entries. */
enum { BATCH_DOCUMENTS = 8192, BATCH_ENTRIES = 1 << 20, BEGINNING = 100 };

/* ---- Reading --------------------------------------------------------------------------------- */

static psdvec_status init(pv_documents *d, psdvec_context *ctx, const char *folder)
{
    *d = (pv_documents){.ctx = ctx, .memory = {.ctx = ctx, .what = "the documents"}};
    pv_buffer_init(&d->text, ctx);
    pv_buffer_init(&d->beginning, ctx);
    pv_buffer_init(&d->details, ctx);
    pv_buffer_init(&d->bad_date, ctx);
    PV_TRY(PV_RESERVE(&d->memory, d->begin, d->begin_capacity, 1));
    d->begin[0] = 0;
    return pv_spool_new(ctx, folder, "the words of the documents", pv_memory_left(ctx) / 4,
                        &d->entries);
}

psdvec_status pv_documents_init(pv_documents *d, psdvec_context *ctx, const char *folder,
                                uint32_t words, pv_find_word_fn *find, const void *user)
{
    PV_TRY(init(d, ctx, folder));
    d->find = find;
    d->user = user;
    PV_TAKE_ZERO(&d->memory, d->place, (size_t)words);
    return pv_scope_status(&d->memory);
}

void pv_documents_free(pv_documents *d)
{
    pv_spool_free(d->entries);
    pv_buffer_free(&d->text);
    pv_buffer_free(&d->beginning);
    pv_buffer_free(&d->details);
    pv_buffer_free(&d->bad_date);
    pv_scope_free(&d->memory);
}

static psdvec_status add_word(pv_documents *d, const char *word, size_t length)
{
    d->current_tokens++;
    if (d->beginning.length < BEGINNING) {
        if (d->beginning.length > 0)
            PV_TRY(pv_buffer_byte(&d->beginning, ' '));
        PV_TRY(pv_buffer_append(&d->beginning, word, length));
    }
    uint32_t i = d->find(d->user, word, length);
    if (i == PSDVEC_UNKNOWN_WORD)
        return PSDVEC_OK;
    if (d->place[i] == 0) {
        PV_TRY(PV_RESERVE(&d->memory, d->current, d->current_capacity, d->current_count + 1));
        d->current[d->current_count++] = (pv_document_entry){.word = i};
        d->place[i] = (uint32_t)d->current_count;
    }
    pv_document_entry *entry = &d->current[d->place[i] - 1];
    entry->count += entry->count < UINT32_MAX;
    return PSDVEC_OK;
}

/* Dates that cannot be understood are dropped, with a warning at the end. */
static psdvec_status check_date(pv_documents *d, const char *date)
{
    if (*date == '\0' || pv_is_date(date))
        return PSDVEC_OK;
    if (d->strict)
        return pv_fail(
            d->ctx, PSDVEC_ERR_DAMAGED,
            "document %zu: \"%.40s\" is not a date; give YYYY, YYYY-MM or YYYY-MM-DD, or "
            "read the text without `strict`",
            d->count + 1, date);
    if (d->bad_dates++ == 0) {
        d->first_bad_date = d->count + 1;
        d->bad_date.length = 0;
        return pv_buffer_append(&d->bad_date, date, strlen(date) + 1);
    }
    return PSDVEC_OK;
}

/* Stores label, date and name, which follow the source. */
static psdvec_status add_details(pv_documents *d, const char *source)
{
    uint64_t *marks;
    PV_TRY(PV_RESERVE(&d->memory, d->marks, d->marks_capacity, PV_DETAILS * (d->count + 1) + 1));
    marks = d->marks + PV_DETAILS * d->count;
    for (unsigned k = 0; k < PV_DETAILS; k++) {
        source = source ? source + strlen(source) + 1 : NULL;
        const char *text = source ? source : "";
        if (k == PV_COLUMN_DATE) {
            uint64_t before = d->bad_dates;
            PV_TRY(check_date(d, text));
            text = d->bad_dates > before ? "" : text;
        }
        marks[k] = d->details.length;
        PV_TRY(pv_buffer_append(&d->details, text, strlen(text) + 1));
    }
    marks[PV_DETAILS] = d->details.length;
    return PSDVEC_OK;
}

static psdvec_status end_document(pv_documents *d, const char *source)
{
    size_t n = d->count;
    PV_TRY(PV_RESERVE(&d->memory, d->begin, d->begin_capacity, n + 2));
    PV_TRY(PV_RESERVE(&d->memory, d->known, d->known_capacity, n + 1));
    PV_TRY(PV_RESERVE(&d->memory, d->all, d->all_capacity, n + 1));
    PV_TRY(PV_RESERVE(&d->memory, d->names, d->names_capacity, 2 * n + 3));
    d->names[2 * n] = d->text.length;
    PV_TRY(pv_buffer_append(&d->text, source ? source : "", (source ? strlen(source) : 0) + 1));
    d->names[2 * n + 1] = d->text.length;
    PV_TRY(pv_buffer_append(&d->text, d->beginning.data, d->beginning.length));
    PV_TRY(pv_buffer_byte(&d->text, '\0'));
    d->names[2 * n + 2] = d->text.length;
    if (d->described)
        PV_TRY(add_details(d, source));
    d->known[n] = 0;
    for (size_t k = 0; k < d->current_count; k++) {
        d->known[n] += d->current[k].count;
        d->place[d->current[k].word] = 0;
    }
    d->all[n] = d->current_tokens;
    d->tokens += d->current_tokens;
    d->begin[n + 1] = d->begin[n] + d->current_count;
    PV_TRY(pv_spool_append(d->entries, d->current, d->current_count * sizeof *d->current, NULL));
    d->count++;
    d->current_count = 0;
    d->current_tokens = 0;
    d->beginning.length = 0;
    return PSDVEC_OK;
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    pv_documents *d = user;
    for (const pv_token *t = tokens; t < tokens + count; t++)
        PV_TRY(t->kind == PV_TOKEN_DOCUMENT_END   ? end_document(d, t->text)
               : t->kind == PV_TOKEN_SENTENCE_END ? PSDVEC_OK
                                                  : add_word(d, t->text, t->length));
    return PSDVEC_OK;
}

psdvec_status pv_documents_read(pv_documents *d, const psdvec_text_options *text,
                                const struct pv_phrases *phrases, const char *const *inputs,
                                size_t input_count)
{
    d->described = pv_text_has_details(text);
    d->strict = text->strict;
    if (d->described && pv_document_spans_records(text))
        return pv_fail(
            d->ctx, PSDVEC_ERR_OPTION,
            "each line or record has a label, date or name, but `document=%s` joins them "
            "to longer documents; use `document=line`",
            pv_document_choices[text->document].name);
    pv_token_sink sink = {.take = take, .user = d, .details = d->described};
    PV_TRY(pv_tokens_of_inputs(d->ctx, text, phrases, inputs, input_count, &sink));
    if (d->bad_dates)
        pv_warn(d->ctx,
                "%" PRIu64 " date%s ignored (first: document %" PRIu64 ", \"%.40s\"); dates are "
                "YYYY, YYYY-MM or YYYY-MM-DD, with or without a time",
                d->bad_dates, d->bad_dates == 1 ? " was" : "s were", d->first_bad_date,
                d->bad_date.data);
    return d->current_tokens > 0 ? end_document(d, NULL) : PSDVEC_OK;
}

psdvec_status pv_documents_read_text(pv_documents *d, const psdvec_text_options *options,
                                     const struct pv_phrases *phrases, const char *text,
                                     size_t length)
{
    psdvec_text_options own = *options;
    pv_token_sink sink = {.take = take, .user = d};
    own.document = PSDVEC_DOCUMENT_NONE;
    own.min_document_words = 1;
    pv_text_options_plain(&own);
    PV_TRY(pv_tokens_of_text(d->ctx, &own, phrases, text, length, &sink));
    /* A text without words is still a document. */
    return d->current_tokens > 0 || d->count == 0 ? end_document(d, NULL) : PSDVEC_OK;
}

psdvec_status pv_documents_pick(pv_documents *d, const pv_documents *from, const char *folder,
                                const size_t *numbers, size_t count)
{
    PV_TRY(init(d, from->ctx, folder));
    PV_TRY(PV_RESERVE(&d->memory, d->begin, d->begin_capacity, count + 1));
    PV_TRY(PV_RESERVE(&d->memory, d->known, d->known_capacity, count));
    PV_TRY(PV_RESERVE(&d->memory, d->all, d->all_capacity, count));
    for (; d->count < count; d->count++) {
        size_t number = numbers[d->count];
        uint64_t entries = pv_documents_entries(from, number, 1);
        PV_TRY(PV_RESERVE(&d->memory, d->current, d->current_capacity, entries));
        PV_TRY(pv_spool_read(from->entries, from->begin[number] * sizeof *d->current, d->current,
                             entries * sizeof *d->current));
        PV_TRY(pv_spool_append(d->entries, d->current, entries * sizeof *d->current, NULL));
        d->begin[d->count + 1] = d->begin[d->count] + entries;
        d->known[d->count] = from->known[number];
        d->all[d->count] = from->all[number];
        d->tokens += from->all[number];
    }
    return PSDVEC_OK;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static void take_arrays(pv_scope *scope, pv_batch *batch, size_t documents, uint64_t entries,
                        uint32_t words)
{
    PV_TAKE(scope, batch->begin, documents + 1);
    PV_TAKE(scope, batch->word, entries);
    PV_TAKE(scope, batch->frequency, entries);
    PV_TAKE(scope, batch->turned, (size_t)words + 2);
    PV_TAKE(scope, batch->document, entries);
    PV_TAKE(scope, batch->times, entries);
}

/* The end of the batch that begins with document `first`. */
static size_t batch_end(const pv_documents *d, size_t first)
{
    size_t end = first;
    while (end < d->count && end - first < BATCH_DOCUMENTS &&
           (end == first || pv_documents_entries(d, first, end - first) < BATCH_ENTRIES))
        end++;
    return end;
}

static void turn(pv_batch *batch, uint32_t words)
{
    uint64_t *at = batch->turned + 1; /* becomes the ends, and so the beginnings */
    memset(batch->turned, 0, ((size_t)words + 2) * sizeof *batch->turned);
    for (uint64_t e = 0; e < batch->begin[batch->count]; e++)
        at[batch->word[e] + 1]++;
    for (uint32_t w = 0; w < words; w++)
        at[w + 1] += at[w];
    for (size_t d = 0; d < batch->count; d++)
        for (uint64_t e = batch->begin[d]; e < batch->begin[d + 1]; e++) {
            uint64_t to = at[batch->word[e]]++;
            batch->document[to] = (uint32_t)d;
            batch->times[to] = batch->frequency[e];
        }
}

static psdvec_status load(pv_batches *b, size_t i)
{
    pv_batch *batch = &b->batches[i];
    const pv_documents *d = b->documents;
    b->current = i;
    PV_TRY(pv_check_cancel(d->ctx));
    PV_TRY(pv_spool_read(d->entries, d->begin[batch->first] * sizeof *b->raw, b->raw,
                         pv_documents_entries(d, batch->first, batch->count) * sizeof *b->raw));
    const pv_document_entry *from = b->raw;
    uint64_t to = 0;
    for (size_t k = 0; k < batch->count; k++) {
        batch->begin[k] = to;
        for (uint64_t n = pv_documents_entries(d, batch->first + k, 1); n > 0; n--, from++) {
            uint32_t word = b->vocabulary ? b->vocabulary[from->word] : from->word;
            if (word == PSDVEC_UNKNOWN_WORD)
                continue;
            batch->word[to] = word;
            batch->frequency[to++] = (float)from->count;
        }
    }
    batch->begin[batch->count] = to;
    turn(batch, b->words);
    return PSDVEC_OK;
}

psdvec_status pv_batches_init(pv_batches *b, const pv_documents *documents,
                              const uint32_t *vocabulary, uint32_t words)
{
    psdvec_context *ctx = documents->ctx;
    uint64_t most_entries = 0, bytes = 0;
    *b = (pv_batches){.memory = {.ctx = ctx, .what = "the documents"},
                      .documents = documents,
                      .vocabulary = vocabulary,
                      .words = words,
                      .current = SIZE_MAX};
    for (size_t first = 0, end; first < documents->count; first = end, b->count++) {
        end = batch_end(documents, first);
        uint64_t entries = pv_documents_entries(documents, first, end - first);
        most_entries = pv_larger(most_entries, entries);
        b->most = end - first > b->most ? end - first : b->most;
        bytes += 16 * entries + 8 * (end - first + words + 4);
    }
    b->together = b->count <= 1 || bytes <= pv_memory_left(ctx) / 3;
    PV_TAKE(&b->memory, b->batches, b->count);
    PV_TAKE(&b->memory, b->raw, most_entries);
    PV_TRY(pv_scope_status(&b->memory));
    for (size_t k = 0, first = 0; k < b->count; k++) {
        size_t end = batch_end(documents, first);
        b->batches[k] = (pv_batch){.first = first, .count = end - first};
        if (b->together)
            take_arrays(&b->memory, &b->batches[k], end - first,
                        pv_documents_entries(documents, first, end - first), words);
        else if (k == 0)
            take_arrays(&b->memory, &b->batches[0], b->most, most_entries, words);
        else { /* all share the arrays of the first */
            pv_batch own = b->batches[k];
            b->batches[k] = b->batches[0];
            b->batches[k].first = own.first;
            b->batches[k].count = own.count;
        }
        first = end;
    }
    PV_TRY(pv_scope_status(&b->memory));
    for (size_t k = 0; b->together && k < b->count; k++)
        PV_TRY(load(b, k));
    return PSDVEC_OK;
}

void pv_batches_free(pv_batches *b)
{
    pv_scope_free(&b->memory);
}

psdvec_status pv_batches_get(pv_batches *b, size_t i, const pv_batch **batch)
{
    *batch = &b->batches[i];
    return b->together || b->current == i ? PSDVEC_OK : load(b, i);
}
