/* Options as members of a JSON object in a file.
 *
 * Files outlive versions. An option that is missing from a file gets the value that its table gives
 * for such files; an unknown key comes from a newer version and is reported as a warning; only an
 * unusable value is an error.
 */
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Writing ------------------------------------------------------------------------------- */

static void put_list(pv_json_writer *w, const psdvec_option *row, const void *values, size_t count)
{
    if (!values) {
        pv_json_put_null(w, row->name);
        return;
    }
    pv_json_open_array(w, row->name);
    for (size_t k = 0; k < count; k++)
        if (row->type == PSDVEC_OPTION_TEXTS)
            pv_json_put_string(w, NULL, ((const char *const *)values)[k]);
        else
            pv_json_put_double(w, NULL, pv_option_element(row, values, k));
    pv_json_close(w);
}

static void put_value(pv_json_writer *w, const psdvec_option *row, const void *options)
{
    pv_option_member m = pv_option_get(row, options);
    const psdvec_choice *choice;
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        pv_json_put_bool(w, row->name, m.flag);
        break;
    case PSDVEC_OPTION_INT:
        pv_json_put_i64(w, row->name, m.whole);
        break;
    case PSDVEC_OPTION_UINT32:
        pv_json_put_u64(w, row->name, m.narrow);
        break;
    case PSDVEC_OPTION_UINT64:
        pv_json_put_u64(w, row->name, m.wide);
        break;
    case PSDVEC_OPTION_DOUBLE:
        pv_json_put_double(w, row->name, m.real);
        break;
    case PSDVEC_OPTION_CHOICE:
        choice = pv_option_choice(row, options);
        pv_json_put_string(w, row->name, choice ? choice->name : NULL);
        break;
    case PSDVEC_OPTION_TEXT: /* a missing text has no member */
        if (m.text)
            pv_json_put_string(w, row->name, m.text);
        break;
    default:
        put_list(w, row, m.list.values, m.list.count);
    }
}

/* Whether the value is the one that a file without the option implies. Then it is left out, so that
 * files and interrupted runs of earlier versions stay valid. */
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
    for (const psdvec_option *row = table->rows; row->name; row++)
        if (row->stored && (!table->used_only || pv_options_hold(table, options, row->needs)) &&
            !(row->added && is_absent(row, options)))
            put_value(w, row, options);
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum { MOST_ROWS = 64 };

typedef struct reader {
    psdvec_context *ctx;
    const pv_options_table *table;
    const char *path, *what;
    const char *const *also;
    pv_buffer *memory; /* for texts and lists; large enough never to move */
    bool seen[MOST_ROWS];
    _Alignas(max_align_t) char found[PV_OPTIONS_MOST_BYTES]; /* the rows that were seen */
} reader;

/* Turns -0 into 0, as for text, so that equal options have equal bytes. */
static bool read_real(pv_json *j, double *real)
{
    if (!pv_json_read_double(j, real))
        return false;
    if (*real == 0)
        *real = 0;
    return true;
}

static bool read_integer(pv_json *j, const psdvec_option *row, pv_option_member *m)
{
    uint64_t wide;
    if (!pv_json_read_u64(j, &wide))
        return false;
    if (wide > pv_option_widest(row))
        return pv_json_reject(j, "a setting is out of range");
    if (row->type == PSDVEC_OPTION_UINT64)
        m->wide = wide;
    else
        m->narrow = (uint32_t)wide;
    return true;
}

static bool read_choice(pv_json *j, const psdvec_option *row, pv_option_member *m)
{
    /* Our names are short, so a longer text cannot match. */
    const char *text;
    size_t length;
    if (pv_json_peek(j) != PV_JSON_STRING)
        return pv_json_reject(j, "a word is expected here");
    if (!pv_json_skip(j, &text, &length))
        return false;
    for (uint32_t k = 0; row->choices[k].name; k++)
        if (strlen(row->choices[k].name) + 2 == length &&
            !memcmp(row->choices[k].name, text + 1, length - 2)) {
            m->narrow = k;
            return true;
        }
    return pv_json_reject(j, "a setting has a value that this version does not support");
}

static bool read_list(pv_json *j, const psdvec_option *row, pv_buffer *memory, pv_option_member *m)
{
    pv_option_member element;
    bool real = row->type == PSDVEC_OPTION_DOUBLES;
    size_t size = real ? sizeof(double) : sizeof(uint32_t);
    if (row->type == PSDVEC_OPTION_TEXTS)
        return pv_json_reject(j, "a setting has a value that this version does not support");
    if (pv_json_peek(j) == PV_JSON_NULL) /* keep the default */
        return pv_json_read_null(j);
    memory->length = (memory->length + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    m->list.values = memory->data + memory->length;
    m->list.count = 0;
    if (!pv_json_enter_array(j))
        return false;
    for (; pv_json_next_element(j); m->list.count++) {
        if (!(real ? read_real(j, &element.real) : read_integer(j, row, &element)))
            return false;
        memcpy(memory->data + memory->length, &element, size);
        memory->length += size;
    }
    return j->cause == NULL;
}

static bool read_row(pv_json *j, const psdvec_option *row, reader *r)
{
    pv_option_member m = pv_option_get(row, r->found);
    bool good;
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        good = pv_json_read_bool(j, &m.flag);
        break;
    case PSDVEC_OPTION_DOUBLE:
        if (row->word && !isfinite(row->word_value) && pv_json_peek(j) == PV_JSON_NULL) {
            good = pv_json_read_null(j); /* JSON has no number for it */
            m.real = row->word_value;
        } else
            good = read_real(j, &m.real);
        break;
    case PSDVEC_OPTION_CHOICE:
        good = read_choice(j, row, &m);
        break;
    case PSDVEC_OPTION_INT:
    case PSDVEC_OPTION_UINT32:
    case PSDVEC_OPTION_UINT64:
        good = read_integer(j, row, &m);
        break;
    case PSDVEC_OPTION_TEXT:
        m.text = r->memory->data + r->memory->length;
        good = pv_json_read_string(j, r->memory) && pv_buffer_byte(r->memory, 0) == PSDVEC_OK;
        break;
    default:
        good = read_list(j, row, r->memory, &m);
    }
    if (good)
        pv_option_set(row, m, r->found);
    return good;
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
                    "%s: has the %s setting \"%.*s\", which this version of psdvec does not "
                    "support; it is ignored",
                    r->path, r->what, key->length > 60 ? 60 : (int)key->length, key->data);
        if (!pv_json_skip(j, NULL, NULL))
            return false;
    }
    return pv_json_finish(j);
}

/* Combines the values in the file with, for missing options, the defaults of the preset that the
 * file names, or the values that a missing option implies. */
static void merge_options(reader *r, void *options)
{
    _Alignas(max_align_t) char missing[PV_OPTIONS_MOST_BYTES];
    const psdvec_option *rows = r->table->rows;
    const char *preset = NULL;
    bool lists = true; /* lists depend on each other: keep all or none */
    for (size_t k = 0; rows[k].name; k++) {
        if (rows[k].selects_preset && r->seen[k])
            preset = pv_option_choice(&rows[k], r->found)->name;
        if (rows[k].type > PSDVEC_OPTION_TEXT && rows[k].stored && !r->seen[k])
            lists = false;
    }
    pv_options_fill(r->table, missing, preset);
    for (size_t k = 0; rows[k].name; k++) {
        if (!r->seen[k] && rows[k].stored && rows[k].absent)
            pv_option_store(&rows[k], rows[k].absent, missing);
        bool taken = r->seen[k] && (lists || rows[k].type <= PSDVEC_OPTION_TEXT);
        pv_option_set(&rows[k], pv_option_get(&rows[k], taken ? r->found : missing), options);
    }
}

static psdvec_status fail(reader *r, const char *why)
{
    return pv_fail(r->ctx, PSDVEC_ERR_CORRUPT, "%s: the %s settings in the file are invalid: %s",
                   r->path, r->what ? r->what : "own", why);
}

psdvec_status pv_options_read_json(psdvec_context *ctx, const pv_options_table *table,
                                   const char *path, const char *what, const char *json,
                                   const char *const *also, void *options, pv_buffer *memory)
{
    psdvec_status status;
    reader r = {
        .ctx = ctx, .table = table, .path = path, .what = what, .also = also, .memory = memory};
    size_t length = strlen(json);
    pv_json j;
    pv_buffer key = {.ctx = ctx};
    char why[400];
    memory->length = 0;
    pv_options_fill(table, options, NULL);
    /* A text loses two quotes and gains a zero byte; a list element takes at most 8 bytes. */
    PV_TRY_DONE(pv_buffer_reserve(memory, 4 * length + MOST_ROWS * sizeof(double)));
    pv_options_fill(table, r.found, NULL);
    pv_json_init(&j, json, length, 0);
    if (!read_members(&j, &r, &key)) {
        int shown = key.length > 60 ? 60 : (int)key.length;
        snprintf(why, sizeof why, "%.*s%s%s", shown, key.length ? key.data : "",
                 key.length ? ": " : "", j.cause);
        status = fail(&r, why);
        goto done;
    }
    merge_options(&r, options);
    if (!pv_options_fit(table, options, why, sizeof why))
        status = fail(&r, why);
done:
    pv_buffer_free(&key);
    return status;
}
