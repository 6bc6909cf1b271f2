/* Sorting documents into classes by their labels. */
#include "topic/classes.h"

#include <stdlib.h>
#include <string.h>

typedef struct labelled {
    const char *label;
    size_t document;
} labelled;

static int by_label(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : x->document < y->document ? -1 : x->document > y->document;
}

psdvec_status pv_classes_make(pv_classes *c, const pv_documents *documents)
{
    psdvec_context *ctx = documents->ctx;
    pv_scope scope = {.ctx = ctx, .what = "the labels of the documents"};
    psdvec_status status;
    labelled *list;
    size_t count = 0, capacity = 0;
    *c = (pv_classes){.memory = {.ctx = ctx, .what = "the classes of the documents"},
                      .labels = {.ctx = ctx}};
    PV_TAKE(&scope, list, documents->count);
    PV_TAKE(&c->memory, c->of, documents->count);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&c->memory));
    for (size_t k = 0; k < documents->count; k++) {
        const char *label = pv_documents_detail(documents, k, PV_COLUMN_LABEL);
        c->of[k] = PV_NO_CLASS;
        if (label)
            list[count++] = (labelled){label, k};
    }
    if (count == 0) {
        status =
            pv_fail(ctx, PSDVEC_ERR_EMPTY,
                    "no document has a label, which `by=label` needs; name the column or member "
                    "with `columns` or `label_field`");
        goto done;
    }
    qsort(list, count, sizeof *list, by_label);
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || strcmp(list[k].label, list[k - 1].label) != 0) {
            PV_TRY_DONE(PV_RESERVE(&c->memory, c->offsets, capacity, (size_t)c->count + 2));
            c->offsets[c->count++] = c->labels.length;
            PV_TRY_DONE(pv_buffer_append(&c->labels, list[k].label, strlen(list[k].label) + 1));
        }
        c->of[list[k].document] = c->count - 1;
    }
    c->offsets[c->count] = c->labels.length;
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

void pv_classes_free(pv_classes *c)
{
    pv_buffer_free(&c->labels);
    pv_scope_free(&c->memory);
}

psdvec_status pv_classes_count(pv_classes *c, const pv_documents *documents,
                               const uint32_t *vocabulary)
{
    pv_scope scope = {.ctx = documents->ctx, .what = "the words of a document"};
    pv_document_entry *entries = NULL;
    size_t capacity = 0;
    psdvec_status status;
    PV_TAKE_ZERO(&c->memory, c->lengths, documents->count);
    PV_TAKE_ZERO(&c->memory, c->filled, c->count);
    PV_TRY_DONE(pv_scope_status(&c->memory));
    for (size_t k = 0; k < documents->count; k++) {
        uint64_t count = pv_documents_entries(documents, k, 1);
        PV_TRY_DONE(PV_RESERVE(&scope, entries, capacity, count + 1));
        PV_TRY_DONE(pv_spool_read(documents->entries, documents->begin[k] * sizeof *entries,
                                  entries, count * sizeof *entries));
        for (uint64_t e = 0; e < count; e++)
            if (vocabulary[entries[e].word] != PSDVEC_UNKNOWN_WORD)
                c->lengths[k] += entries[e].count;
        if (c->of[k] != PV_NO_CLASS)
            c->filled[c->of[k]] += c->lengths[k] > 0;
    }
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_classes_pick(const pv_classes *c, const pv_documents *documents, uint32_t i,
                              const char *folder, pv_documents *part)
{
    pv_scope scope = {.ctx = documents->ctx, .what = "the documents of a class"};
    psdvec_status status;
    size_t *numbers, count = 0;
    PV_TAKE(&scope, numbers, c->filled[i]);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t k = 0; k < documents->count; k++)
        if (c->of[k] == i && c->lengths[k] > 0)
            numbers[count++] = k;
    status = pv_documents_pick(part, documents, folder, numbers, count);
done:
    pv_scope_free(&scope);
    return status;
}
