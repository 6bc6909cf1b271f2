/* Fuzzes options as text and as JSON, for every table.
 *
 * The first byte selects the table, the second the type of the remaining bytes:
 *
 *     lines to set options by, "name=value"; without "=", the first byte of a line is the number
 *     of the option; then they are finished
 *     a JSON object, as files have it
 *     a condition, as tables have it
 *     the sizes of a struct, and of the one in it, in a program of another version
 *
 * Rejected input changes nothing and has an error message. Accepted input can be written and read
 * again without a change, and passes the checks of every call.
 */
#include "api/settings.h"
#include "base/memory.h"
#include "fuzz/fuzz.h"

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool same_texts(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_lists(const psdvec_option *row, const char *a, const char *b)
{
    const void *x, *y;
    size_t m, n;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    memcpy(&m, a + sizeof x, sizeof m);
    memcpy(&n, b + sizeof y, sizeof n);
    if (m != n || !x != !y)
        return false;
    if (row->type == PSDVEC_OPTION_DOUBLES)
        return m == 0 || !memcmp(x, y, m * sizeof(double));
    if (row->type == PSDVEC_OPTION_UINT32S)
        return m == 0 || !memcmp(x, y, m * sizeof(uint32_t));
    for (size_t k = 0; k < m; k++)
        if (!same_texts(((const char *const *)x)[k], ((const char *const *)y)[k]))
            return false;
    return true;
}

/* Compares a member of two structs: the bytes, or the contents of texts and lists. */
static bool same(const psdvec_option *row, const void *first, const void *second)
{
    const char *a = (const char *)first + row->offset, *b = (const char *)second + row->offset;
    const char *x, *y;
    if (row->type < PSDVEC_OPTION_TEXT)
        return !memcmp(a, b, pv_option_bytes(row));
    if (row->type > PSDVEC_OPTION_TEXT)
        return same_lists(row, a, b);
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return same_texts(x, y);
}

/* ---- By name --------------------------------------------------------------------------------- */

/* All values, read as text and set in other settings, give the same struct. */
static void check_text(psdvec_options_kind kind, psdvec_settings *settings)
{
    const pv_options_table *table = pv_options_of(kind);
    psdvec_settings *again = psdvec_settings_new(kind, NULL);
    require(again != NULL);
    for (const psdvec_option *row = table->rows; row->name; row++) {
        const char *text = psdvec_settings_get(settings, row->name);
        if (!text && row->type >= PSDVEC_OPTION_TEXT)
            text = "";
        require(text != NULL);
        require(psdvec_settings_set(again, row->name, text) == PSDVEC_OK);
        require(same(row, psdvec_settings_struct(settings), psdvec_settings_struct(again)));
        require(same_texts(*text ? text : NULL, psdvec_settings_get(again, row->name)));
    }
    psdvec_settings_free(again);
}

/* The checks that every call makes of a struct. */
static void check_fit(psdvec_context *ctx, const pv_options_table *table, const void *options)
{
    char own[PV_OPTIONS_MOST_BYTES], why[400];
    require(pv_options_fit(table, options, why, sizeof why));
    pv_begin(ctx);
    require(pv_options_adopt(ctx, table, options, own) == PSDVEC_OK);
    for (const psdvec_option *row = table->rows; row->name; row++)
        require(same(row, options, own));
}

static void set_one(const pv_options_table *table, psdvec_settings *settings, char *line)
{
    char before[PV_OPTIONS_MOST_BYTES];
    char *equals = strchr(line, '='), *text = line + (*line != 0);
    const char *name;
    size_t rows = 0;
    while (table->rows[rows].name)
        rows++;
    if (equals) {
        *equals = 0;
        name = line;
        text = equals + 1;
    } else {
        name = table->rows[(unsigned char)*line % rows].name;
    }
    memcpy(before, psdvec_settings_struct(settings), table->size);
    const psdvec_option *row = pv_options_find(table, name);
    psdvec_option_value value;
    bool fine = row && ((!*text && row->type >= PSDVEC_OPTION_TEXT) ||
                        psdvec_option_parse(row, NULL, text, &value, NULL, 0));
    psdvec_status status = psdvec_settings_set(settings, name, text);
    require(status == (fine ? PSDVEC_OK : PSDVEC_ERR_OPTION));
    require(!*psdvec_settings_message(settings) == fine);
    if (!fine)
        require(!memcmp(before, psdvec_settings_struct(settings), table->size));
}

static void by_name(psdvec_context *ctx, psdvec_options_kind kind, char *lines)
{
    const pv_options_table *table = pv_options_of(kind);
    psdvec_settings *settings = psdvec_settings_new(kind, NULL);
    require(settings != NULL);
    for (char *line = lines, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        set_one(table, settings, line);
    }
    check_text(kind, settings);
    psdvec_status status = psdvec_settings_finish(settings);
    require(!*psdvec_settings_message(settings) == (status == PSDVEC_OK));
    check_text(kind, settings);
    if (status == PSDVEC_OK) {
        char before[PV_OPTIONS_MOST_BYTES], other[PV_OPTIONS_MOST_BYTES];
        void *options = psdvec_settings_struct(settings);
        check_fit(ctx, table, options);
        memcpy(before, options, table->size);
        require(psdvec_settings_finish(settings) == PSDVEC_OK);
        require(!memcmp(before, options, table->size));
        pv_options_fill(table, other, NULL);
        psdvec_settings_apply(settings, other);
        for (const psdvec_option *row = table->rows; row->name; row++)
            require(same(row, other, options) || !row->selects_preset);
    }
    psdvec_settings_free(settings);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_json(const pv_options_table *table, const void *options, pv_buffer *json)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_options_put_json(&w, table, options);
    pv_json_close(&w);
    require(pv_json_writer_status(&w) == PSDVEC_OK);
    require(pv_buffer_byte(json, 0) == PSDVEC_OK);
}

/* The options of a file are set through text, except those without effect. */
static void check_settings(psdvec_options_kind kind, const void *options)
{
    const pv_options_table *table = pv_options_of(kind);
    psdvec_settings *settings = psdvec_settings_new(kind, NULL);
    require(settings != NULL);
    for (const psdvec_option *row = table->rows; row->name; row++) {
        char *text = pv_option_text(row, options);
        if (text && pv_options_hold(table, options, row->needs)) {
            require(psdvec_settings_set(settings, row->name, text) == PSDVEC_OK);
            require(same(row, options, psdvec_settings_struct(settings)));
        }
        free(text);
    }
    psdvec_settings_free(settings);
}

static void from_json(psdvec_context *ctx, psdvec_options_kind kind, const char *json)
{
    const pv_options_table *table = pv_options_of(kind);
    char options[PV_OPTIONS_MOST_BYTES], again[PV_OPTIONS_MOST_BYTES];
    pv_buffer memory, more_memory, text, same_text;
    pv_buffer_init(&memory, ctx);
    pv_buffer_init(&more_memory, ctx);
    pv_buffer_init(&text, ctx);
    pv_buffer_init(&same_text, ctx);
    pv_begin(ctx);
    if (pv_options_read_json(ctx, table, "fuzz", "fuzzing", json, NULL, options, &memory) ==
        PSDVEC_OK) {
        check_fit(ctx, table, options);
        write_json(table, options, &text);
        require(pv_options_read_json(ctx, table, "fuzz", "fuzzing", text.data, NULL, again,
                                     &more_memory) == PSDVEC_OK);
        write_json(table, again, &same_text);
        require(!strcmp(text.data, same_text.data));
        for (const psdvec_option *row = table->rows; row->name; row++)
            require(table->used_only || same(row, options, again));
        check_settings(kind, options);
    } else {
        require(*psdvec_error_message(ctx) != 0);
    }
    pv_buffer_free(&memory);
    pv_buffer_free(&more_memory);
    pv_buffer_free(&text);
    pv_buffer_free(&same_text);
}

/* ---- Other versions -------------------------------------------------------------------------- */

/* Nothing outside the struct is modified, and missing members have their defaults. */
static void of_size(psdvec_context *ctx, psdvec_options_kind kind, const char *bytes)
{
    const pv_options_table *table = pv_options_of(kind);
    char own[PV_OPTIONS_MOST_BYTES], defaults[PV_OPTIONS_MOST_BYTES];
    size_t sizes[2] = {0, 0};
    for (int k = 0; k < 4 && bytes[k]; k++)
        sizes[k / 2] = sizes[k / 2] * 64 + (unsigned char)bytes[k];
    char *options = malloc(sizes[0] ? sizes[0] : 1);
    require(options != NULL);
    memset(options, 0, sizes[0]);
    psdvec_options_init(kind, options, sizes[0], sizes[1], NULL);
    size_t filled = 0;
    if (sizes[0] >= sizeof filled)
        memcpy(&filled, options, sizeof filled);
    if (filled) {
        pv_begin(ctx);
        psdvec_status status = pv_options_adopt(ctx, table, options, own);
        require(status == PSDVEC_OK || status == PSDVEC_ERR_VERSION ||
                kind == PSDVEC_OPTIONS_IMPORT); /* whose defaults lack a list of words */
        pv_options_fill(table, defaults, NULL);
        for (const psdvec_option *row = table->rows; row->name && status == PSDVEC_OK; row++)
            require(same(row, own, defaults));
    }
    free(options);
}

/* ---- Entry point ----------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = 16 << 20;
    if (!ctx)
        require(psdvec_context_new(&options, &ctx) == PSDVEC_OK);
    if (size < 2)
        return 0;
    psdvec_options_kind kind = (psdvec_options_kind)(data[0] % PSDVEC_OPTIONS_KINDS);
    char *text = malloc(size - 1), filled[PV_OPTIONS_MOST_BYTES];
    require(text != NULL);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = 0;
    if (data[1] % 4 == 0) {
        by_name(ctx, kind, text);
    } else if (data[1] % 4 == 1) {
        from_json(ctx, kind, text);
    } else if (data[1] % 4 == 3) {
        of_size(ctx, kind, text);
    } else {
        pv_options_fill(pv_options_of(kind), filled, NULL);
        psdvec_options_hold(kind, filled, text);
    }
    require(atomic_load(&ctx->memory_used) == 0);
    free(text);
    return 0;
}
