/* Fuzzes the JSON reader and writer against each other.
 *
 * A text is parsed twice, once skipping and once reading every value; both must agree on whether it
 * is JSON. The values are written again, and that text must be accepted and must not change when it
 * is read and written once more.
 */
#include "base/json.h"
#include "fuzz/fuzz.h"

/* Reads the next value and writes it. Returns false after a failure, or if a valid number cannot be
 * represented. */
static bool copy_value(pv_json *in, pv_json_writer *out, pv_buffer *text)
{
    uint64_t natural;
    double real;
    bool truth;
    text->length = 0;
    switch (pv_json_peek(in)) {
    case PV_JSON_OBJECT:
        pv_json_open_object(out, NULL);
        require(pv_json_enter_object(in) || in->depth == PV_JSON_DEPTH);
        while (text->length = 0, pv_json_next_key(in, text)) {
            pv_json_key(out, text->data ? text->data : "", text->length);
            if (!copy_value(in, out, text))
                return false;
        }
        pv_json_close(out);
        return !in->cause;
    case PV_JSON_ARRAY:
        pv_json_open_array(out, NULL);
        require(pv_json_enter_array(in) || in->depth == PV_JSON_DEPTH);
        while (pv_json_next_element(in))
            if (!copy_value(in, out, text))
                return false;
        pv_json_close(out);
        return !in->cause;
    case PV_JSON_STRING:
        if (!pv_json_read_string(in, text))
            return false;
        pv_json_put_string_n(out, NULL, text->data ? text->data : "", text->length);
        return true;
    case PV_JSON_NUMBER: {
        pv_json before = *in;
        if (pv_json_read_u64(in, &natural)) {
            pv_json_put_u64(out, NULL, natural);
            return true;
        }
        *in = before;
        if (!pv_json_read_double(in, &real))
            return false;
        pv_json_put_double(out, NULL, real);
        return true;
    }
    case PV_JSON_BOOL:
        if (!pv_json_read_bool(in, &truth))
            return false;
        pv_json_put_bool(out, NULL, truth);
        return true;
    case PV_JSON_NULL:
        if (!pv_json_read_null(in))
            return false;
        pv_json_put_null(out, NULL);
        return true;
    case PV_JSON_NONE:
        break;
    }
    return false;
}

static bool copy_text(const char *data, size_t size, unsigned flags, pv_json *in, pv_buffer *copy,
                      pv_buffer *text)
{
    pv_json_writer out;
    pv_json_init(in, data, size, flags);
    copy->length = 0;
    pv_json_writer_init(&out, copy);
    bool good = copy_value(in, &out, text) && pv_json_finish(in);
    require(!good || pv_json_writer_status(&out) == PSDVEC_OK);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    pv_begin(ctx);
    unsigned flags = size ? data[0] & 3 : 0;
    size_t length = size ? size - 1 : 0;
    char *exact = malloc(length ? length : 1); /* so that the sanitizer detects a read beyond the
                                                * end */
    if (!exact)
        abort();
    if (length)
        memcpy(exact, data + 1, length);

    for (int ascii = 0; ascii < 2; ascii++)
        require(pv_json_plain(exact, length, ascii) ==
                pv_json_plain_reference(exact, length, ascii));

    pv_json skipping, reading;
    pv_json_init(&skipping, exact, length, flags);
    bool valid = pv_json_finish(&skipping);
    require(valid == !skipping.cause && skipping.offset <= length);

    pv_buffer first, second, text;
    pv_buffer_init(&first, ctx);
    pv_buffer_init(&second, ctx);
    pv_buffer_init(&text, ctx);
    bool read = copy_text(exact, length, flags, &reading, &first, &text);
    require(reading.offset <= length);
    if (read) {
        require(valid);
        require(copy_text(first.data, first.length, 0, &reading, &second, &text));
        require(first.length == second.length &&
                memcmp(first.data, second.data, first.length) == 0);
    } else if (valid) {
        require(strstr(reading.cause, "a number") != NULL); /* too large or too long */
    }
    pv_buffer_free(&first);
    pv_buffer_free(&second);
    pv_buffer_free(&text);
    free(exact);
    return 0;
}
