/* Fuzzes the conversion of records to lines: JSON lines, tab-separated lines, wiki pages,
 * WikiExtractor's output.
 *
 * The first byte selects the kind, the field, whether invalid lines are an error, and whether
 * documents have details. Every record becomes at most one line, and only invalid lines are counted
 * as such. With details, every line has four strings, and dates are parsed. */
#include "corpus/columns.h"
#include "corpus/records.h"
#include "fuzz/fuzz.h"

static size_t count_bytes(const char *text, size_t length, char byte)
{
    size_t count = 0;
    for (size_t k = 0; k < length; k++)
        count += text[k] == byte;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pv_segment_kind kinds[] = {PV_SEGMENT_JSON_LINES, PV_SEGMENT_WIKI_PAGES,
                                            PV_SEGMENT_WIKI_EXTRACTOR};
    static const char *const fields[] = {"text", "a", "", "a.b"};
    static psdvec_context *ctx;
    psdvec_text_options options;
    if (!ctx)
        ctx = fuzz_context(64);
    if (size == 0)
        return 0;
    pv_segment_kind kind = kinds[data[0] % 3];
    psdvec_text_options_default(&options);
    options.json_field = fields[data[0] / 3 % 4];
    options.strict = data[0] / 12 % 2;
    unsigned more = data[0] / 24 % 4;
    bool describe = more % 2 && kind == PV_SEGMENT_JSON_LINES;
    if (more >= 2) {
        kind = PV_SEGMENT_COLUMNS;
        options.json_field = NULL;
        options.columns = more == 2 ? "label,text" : "date,text,-,name";
        describe = true;
    } else if (describe) {
        options.label_field = "a";
        options.date_field = "date";
        options.name_field = "text";
    }
    size--;
    char *text = fuzz_exact(data + 1, size);
    pv_segment segment = {.text = {.ctx = ctx, .data = text, .length = size},
                          .name = {.ctx = ctx, .data = "fuzz", .length = 5},
                          .kind = kind,
                          .line = 1};
    pv_buffer lines = {.ctx = ctx}, details = {.ctx = ctx};
    uint64_t bad = 0;
    pv_begin(ctx);
    psdvec_status status =
        pv_records_to_lines(ctx, &options, &segment, &lines, describe ? &details : NULL, &bad);
    size_t made = count_bytes(lines.data, lines.length, '\n');
    if (describe && status == PSDVEC_OK)
        require(count_bytes(details.data, details.length, '\0') == (1 + PV_DETAILS) * made);
    for (size_t at = 0; at < details.length; at += strlen(details.data + at) + 1)
        require(!pv_is_date(details.data + at) || strlen(details.data + at) >= 4);
    if (kind == PV_SEGMENT_JSON_LINES || kind == PV_SEGMENT_COLUMNS) {
        size_t given = count_bytes(text, size, '\n') + 1;
        require(made + bad <= given);
        require(status == PSDVEC_OK || (options.strict && psdvec_error_message(ctx)[0]));
        require(status != PSDVEC_OK || !options.strict || bad == 0);
    } else {
        require(status == PSDVEC_OK && bad == 0);
        /* A page that the next segment continues has no end here. */
        if (kind == PV_SEGMENT_WIKI_PAGES)
            require(made <= count_bytes(text, size, '\0') + 1);
    }
    pv_buffer_free(&lines);
    pv_buffer_free(&details);
    free(text);
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
