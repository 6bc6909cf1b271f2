/* Options as members of a JSON object in a file.
 *
 * Files outlive versions. A row that a file lacks takes the value that its table gives for such
 * files; a key that no row has comes from a newer version and is told; only a value that cannot be
 * used is an error.
 */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

/* ---- Writing ------------------------------------------------------------------------------- */

static void put_value(pv_json_writer *w, const psdvec_option *row, const char *at)
{
    bool flag;
    int whole;
    uint32_t narrow;
    uint64_t wide;
    double real;
    const char *text;
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        memcpy(&flag, at, sizeof flag);
        pv_json_put_bool(w, row->name, flag);
        break;
    case PSDVEC_OPTION_INT:
        memcpy(&whole, at, sizeof whole);
        pv_json_put_i64(w, row->name, whole);
        break;
    case PSDVEC_OPTION_UINT32:
        memcpy(&narrow, at, sizeof narrow);
        pv_json_put_u64(w, row->name, narrow);
        break;
    case PSDVEC_OPTION_UINT64:
        memcpy(&wide, at, sizeof wide);
        pv_json_put_u64(w, row->name, wide);
        break;
    case PSDVEC_OPTION_DOUBLE:
        memcpy(&real, at, sizeof real);
        pv_json_put_double(w, row->name, real);
        break;
    case PSDVEC_OPTION_TEXT:
        memcpy(&text, at, sizeof text);
        pv_json_put_string(w, row->name, text);
        break;
    default:
        break;
    }
}

static void put_list(pv_json_writer *w, const psdvec_option *row, const char *at)
{
    const void *values;
    size_t count;
    memcpy(&values, at, sizeof values);
    memcpy(&count, at + sizeof values, sizeof count);
    if (!values) {
        pv_json_put_null(w, row->name);
        return;
    }
    pv_json_open_array(w, row->name);
    for (size_t k = 0; k < count; k++)
        if (row->type == PSDVEC_OPTION_TEXTS)
            pv_json_put_string(w, NULL, ((const char *const *)values)[k]);
        else if (row->type == PSDVEC_OPTION_DOUBLES)
            pv_json_put_double(w, NULL, ((const double *)values)[k]);
        else
            pv_json_put_u64(w, NULL, ((const uint32_t *)values)[k]);
    pv_json_close(w);
}

/* Whether the value is what a file without the row means. Then it is left out, so that files and
 * interrupted runs of earlier versions stay what they were. */
static bool is_absent(const psdvec_option *row, const void *options)
{
    char other[PV_OPTIONS_MOST_BYTES];
    const char *at = (const char *)options + row->offset;
    return row->absent && row->type < PSDVEC_OPTION_TEXT &&
           pv_option_store(row, row->absent, other) &&
           !memcmp(other + row->offset, at, pv_option_bytes(row));
}

void pv_options_put_json(pv_json_writer *w, const pv_options_table *table, const void *options)
{
    for (const psdvec_option *row = table->rows; row->name; row++) {
        const char *at = (const char *)options + row->offset, *text;
        if (!row->stored || (table->used_only && !pv_options_hold(table, options, row->needs)))
            continue;
        if (row->added && is_absent(row, options))
            continue;
        if (row->type == PSDVEC_OPTION_TEXT) { /* a text that is not there has no member */
            memcpy(&text, at, sizeof text);
            if (!text)
                continue;
        }
        if (row->type == PSDVEC_OPTION_CHOICE)
            pv_json_put_string(w, row->name, pv_option_choice(row, options));
        else if (row->type >= PSDVEC_OPTION_TEXTS)
            put_list(w, row, at);
        else
            put_value(w, row, at);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Where a text or list of a row lies in the memory. It may move while more is read, so pointers are
 * made at the end. */
typedef struct span {
    const psdvec_option *row;
    size_t at, count;
} span;

enum { MOST_ROWS = 64, MOST_SPANS = 16 };

typedef struct reader {
    psdvec_context *ctx;
    const pv_options_table *table;
    const char *path, *what;
    const char *const *also;
    void *options;
    pv_buffer *memory;
    bool seen[MOST_ROWS];
    span spans[MOST_SPANS];
    size_t span_count;
} reader;

/* The sentence about memory is recorded already, and the first one stays. */
static bool keep(pv_json *j, psdvec_status status)
{
    return status == PSDVEC_OK || pv_json_reject(j, "memory is short");
}

static bool align_memory(pv_json *j, reader *r)
{
    while (r->memory->length % sizeof(double))
        if (!keep(j, pv_buffer_byte(r->memory, 0)))
            return false;
    return true;
}

/* -0 is 0, as in text: equal options have equal bytes. */
static bool read_real(pv_json *j, double *real)
{
    if (!pv_json_read_double(j, real))
        return false;
    if (*real == 0)
        *real = 0;
    return true;
}

static bool read_element(pv_json *j, const psdvec_option *row, reader *r)
{
    double real;
    uint64_t wide;
    if (row->type == PSDVEC_OPTION_DOUBLES)
        return read_real(j, &real) && keep(j, pv_buffer_append(r->memory, &real, sizeof real));
    if (!pv_json_read_u64(j, &wide))
        return false;
    if (wide > UINT32_MAX)
        return pv_json_reject(j, "a setting is out of range");
    uint32_t narrow = (uint32_t)wide;
    return keep(j, pv_buffer_append(r->memory, &narrow, sizeof narrow));
}

static bool read_list(pv_json *j, const psdvec_option *row, reader *r, span *s)
{
    if (pv_json_peek(j) == PV_JSON_NULL) {
        s->row = NULL;
        return pv_json_read_null(j);
    }
    if (!pv_json_enter_array(j))
        return false;
    while (pv_json_next_element(j)) {
        if (!read_element(j, row, r))
            return false;
        s->count++;
    }
    return j->cause == NULL;
}

static bool read_span(pv_json *j, const psdvec_option *row, reader *r)
{
    if (r->span_count == MOST_SPANS || row->type == PSDVEC_OPTION_TEXTS)
        return pv_json_reject(j, "a setting has a value that this version does not know");
    if (!align_memory(j, r))
        return false;
    span *s = &r->spans[r->span_count++];
    *s = (span){.row = row, .at = r->memory->length};
    if (row->type == PSDVEC_OPTION_TEXT)
        return pv_json_read_string(j, r->memory) && keep(j, pv_buffer_byte(r->memory, 0));
    return read_list(j, row, r, s);
}

static bool read_choice(pv_json *j, const psdvec_option *row, char *at)
{
    /* Names are short and of our own making: a longer text is none of them. */
    const char *text;
    size_t length;
    if (pv_json_peek(j) != PV_JSON_STRING)
        return pv_json_reject(j, "a word is expected here");
    if (!pv_json_skip(j, &text, &length))
        return false;
    for (unsigned k = 0; row->choices[k].name; k++)
        if (strlen(row->choices[k].name) + 2 == length &&
            !memcmp(row->choices[k].name, text + 1, length - 2)) {
            memcpy(at, &k, sizeof k);
            return true;
        }
    return pv_json_reject(j, "a setting has a value that this version does not know");
}

static bool read_whole(pv_json *j, const psdvec_option *row, char *at)
{
    uint64_t wide;
    if (!pv_json_read_u64(j, &wide))
        return false;
    uint64_t widest = row->type == PSDVEC_OPTION_UINT64 ? UINT64_MAX
                      : row->type == PSDVEC_OPTION_INT  ? INT32_MAX
                                                        : UINT32_MAX;
    if (wide > widest)
        return pv_json_reject(j, "a setting is out of range");
    uint32_t narrow = (uint32_t)wide;
    if (row->type == PSDVEC_OPTION_UINT64)
        memcpy(at, &wide, sizeof wide);
    else
        memcpy(at, &narrow, sizeof narrow);
    return true;
}

static bool read_row(pv_json *j, const psdvec_option *row, reader *r)
{
    char *at = (char *)r->options + row->offset;
    bool flag;
    double real;
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        if (!pv_json_read_bool(j, &flag))
            return false;
        memcpy(at, &flag, sizeof flag);
        return true;
    case PSDVEC_OPTION_DOUBLE:
        if (!read_real(j, &real))
            return false;
        memcpy(at, &real, sizeof real);
        return true;
    case PSDVEC_OPTION_CHOICE:
        return read_choice(j, row, at);
    case PSDVEC_OPTION_INT:
    case PSDVEC_OPTION_UINT32:
    case PSDVEC_OPTION_UINT64:
        return read_whole(j, row, at);
    default:
        return read_span(j, row, r);
    }
}

static bool is_known(const reader *r, const pv_buffer *key)
{
    for (const char *const *name = r->also; name && *name; name++)
        if (pv_json_text_is(key, *name))
            return true;
    return false;
}

static bool read_members(pv_json *j, reader *r, pv_buffer *key)
{
    if (!pv_json_enter_object(j))
        return false;
    for (key->length = 0; pv_json_next_key(j, key); key->length = 0) {
        const psdvec_option *row = r->table->rows;
        while (row->name && !(row->stored && pv_json_text_is(key, row->name)))
            row++;
        size_t k = (size_t)(row - r->table->rows);
        if (row->name && k < MOST_ROWS && !r->seen[k]) {
            r->seen[k] = true;
            if (!read_row(j, row, r))
                return false;
            continue;
        }
        if (!row->name && r->what && !is_known(r, key))
            pv_warn(r->ctx,
                    "%s: has the %s setting \"%.*s\", which this version of psdvec does not know; "
                    "it is ignored",
                    r->path, r->what, key->length > 60 ? 60 : (int)key->length, key->data);
        if (!pv_json_skip(j, NULL, NULL))
            return false;
    }
    return pv_json_finish(j);
}

static void make_pointers(reader *r)
{
    for (size_t k = 0; k < r->span_count; k++) {
        const span *s = &r->spans[k];
        if (!s->row)
            continue;
        char *at = (char *)r->options + s->row->offset;
        const char *data = r->memory->data + s->at;
        memcpy(at, &data, sizeof data);
        if (s->row->type != PSDVEC_OPTION_TEXT)
            memcpy(at + sizeof data, &s->count, sizeof s->count);
    }
}

/* Defaults of the file's own preset, where it names one, and what files without a row mean. Scalars
 * only: what lists and texts mean where they are missing is what pv_options_fill says. */
static psdvec_status fill_missing(reader *r)
{
    const char *preset = NULL;
    for (size_t k = 0; r->table->rows[k].name; k++)
        if (r->table->rows[k].selects_preset && r->seen[k])
            preset = pv_option_choice(&r->table->rows[k], r->options);
    char *filled = pv_alloc(r->ctx, r->table->size, 1, "the options of a file");
    if (!filled)
        return pv_failure(r->ctx);
    pv_options_fill(r->table, filled, preset);
    for (size_t k = 0; r->table->rows[k].name; k++) {
        const psdvec_option *row = &r->table->rows[k];
        if (r->seen[k])
            continue;
        if (row->type > PSDVEC_OPTION_TEXT && row->stored) /* lists fit each other, or all go */
            r->span_count = 0;
        if (row->stored && row->absent)
            pv_option_store(row, row->absent, filled);
        memcpy((char *)r->options + row->offset, filled + row->offset, pv_option_bytes(row));
    }
    pv_free(r->ctx, filled);
    return PSDVEC_OK;
}

static psdvec_status fail(reader *r, const char *why)
{
    return pv_fail(r->ctx, PSDVEC_ERR_CORRUPT, "%s: its %s settings cannot be used: %s", r->path,
                   r->what ? r->what : "own", why);
}

psdvec_status pv_options_read_json(psdvec_context *ctx, const pv_options_table *table,
                                   const char *path, const char *what, const char *json,
                                   const char *const *also, void *options, pv_buffer *memory)
{
    psdvec_status status = PSDVEC_OK;
    reader r = {.ctx = ctx,
                .table = table,
                .path = path,
                .what = what,
                .also = also,
                .options = options,
                .memory = memory};
    pv_json j;
    pv_buffer key;
    char why[400];
    pv_buffer_init(&key, ctx);
    memory->length = 0;
    pv_options_fill(table, options, NULL);
    pv_json_init(&j, json, strlen(json), 0);
    if (!read_members(&j, &r, &key)) {
        int length = key.length > 60 ? 60 : (int)key.length;
        snprintf(why, sizeof why, "%.*s%s%s", length, key.length ? key.data : "",
                 key.length ? ": " : "", j.cause);
        status = fail(&r, why);
        goto done;
    }
    PV_TRY_DONE(fill_missing(&r));
    make_pointers(&r);
    if (!pv_options_fit(table, options, why, sizeof why))
        status = fail(&r, why);
done:
    pv_buffer_free(&key);
    return status;
}
