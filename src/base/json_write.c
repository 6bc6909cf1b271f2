/* The writer of json_write.h.
 *
 * The state is two bit sets indexed by depth, as in the reader, so that a
 * wrong order of calls (a value without its key, a key in an array) is caught
 * here as a defect instead of reaching a file.
 */
#include "base/json_write.h"

#include "base/json_read.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

void pv_json_writer_init(pv_json_writer *writer, pv_buffer *out)
{
    *writer = (pv_json_writer){.out = out, .status = PSDVEC_OK};
}

static void keep(pv_json_writer *w, psdvec_status status)
{
    if (w->status == PSDVEC_OK)
        w->status = status;
}

static void misuse(pv_json_writer *w)
{
    if (w->status == PSDVEC_OK)
        w->status = pv_fail(w->out->ctx, PSDVEC_ERR_INTERNAL,
                            "JSON was written in an impossible order; please report this defect");
}

static uint64_t top(const pv_json_writer *w)
{
    return w->depth ? UINT64_C(1) << (w->depth - 1) : 0;
}

/* The comma before a member, if it is not the first. */
static void separate(pv_json_writer *w)
{
    uint64_t bit = top(w);
    if (w->filled & bit)
        keep(w, pv_buffer_byte(w->out, ','));
    w->filled |= bit;
}

/* Called before every value. False after a failure. */
static bool before_value(pv_json_writer *w)
{
    if (w->status != PSDVEC_OK)
        return false;
    bool in_object = (w->objects & top(w)) != 0;
    if (in_object != w->keyed) {
        misuse(w);
        return false;
    }
    if (!w->keyed)
        separate(w);
    w->keyed = false;
    return w->status == PSDVEC_OK;
}

static void open_container(pv_json_writer *w, bool object)
{
    if (!before_value(w))
        return;
    if (w->depth == 64) {
        misuse(w);
        return;
    }
    uint64_t bit = UINT64_C(1) << w->depth++;
    w->objects = object ? w->objects | bit : w->objects & ~bit;
    w->filled &= ~bit;
    keep(w, pv_buffer_byte(w->out, object ? '{' : '['));
}

void pv_json_open_object(pv_json_writer *writer)
{
    open_container(writer, true);
}

void pv_json_open_array(pv_json_writer *writer)
{
    open_container(writer, false);
}

void pv_json_close(pv_json_writer *writer)
{
    if (writer->status != PSDVEC_OK)
        return;
    if (writer->depth == 0 || writer->keyed) {
        misuse(writer);
        return;
    }
    bool object = (writer->objects & top(writer)) != 0;
    writer->depth--;
    keep(writer, pv_buffer_byte(writer->out, object ? '}' : ']'));
}

void pv_json_key_n(pv_json_writer *writer, const char *key, size_t length)
{
    if (writer->status != PSDVEC_OK)
        return;
    if (writer->keyed || !(writer->objects & top(writer))) {
        misuse(writer);
        return;
    }
    separate(writer);
    keep(writer, pv_json_append_string(writer->out, key, length));
    keep(writer, pv_buffer_byte(writer->out, ':'));
    writer->keyed = true;
}

void pv_json_key(pv_json_writer *writer, const char *key)
{
    pv_json_key_n(writer, key, strlen(key));
}

psdvec_status pv_json_append_string(pv_buffer *out, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    PV_TRY(pv_buffer_byte(out, '"'));
    for (size_t i = 0; i < length;) {
        size_t plain = pv_json_plain(text + i, length - i, true);
        PV_TRY(pv_buffer_append(out, text + i, plain));
        i += plain;
        if (i == length)
            break;
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            size_t sequence = pv_utf8_sequence(text + i, length - i);
            PV_TRY(sequence ? pv_buffer_append(out, text + i, sequence)
                            : pv_buffer_append(out, "\xef\xbf\xbd", 3));
            i += sequence ? sequence : 1;
            continue;
        }
        char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        size_t escape_length = 2;
        switch (c) {
        case '"':
        case '\\':
            escape[1] = (char)c;
            break;
        case '\b':
            escape[1] = 'b';
            break;
        case '\f':
            escape[1] = 'f';
            break;
        case '\n':
            escape[1] = 'n';
            break;
        case '\r':
            escape[1] = 'r';
            break;
        case '\t':
            escape[1] = 't';
            break;
        default:
            escape_length = 6;
        }
        PV_TRY(pv_buffer_append(out, escape, escape_length));
        i++;
    }
    return pv_buffer_byte(out, '"');
}

void pv_json_put_string_n(pv_json_writer *writer, const char *text, size_t length)
{
    if (before_value(writer))
        keep(writer, pv_json_append_string(writer->out, text, length));
}

void pv_json_put_string(pv_json_writer *writer, const char *text)
{
    if (text)
        pv_json_put_string_n(writer, text, strlen(text));
    else
        pv_json_put_null(writer);
}

void pv_json_put_raw(pv_json_writer *writer, const char *json, size_t length)
{
    if (before_value(writer))
        keep(writer, pv_buffer_append(writer->out, json, length));
}

static void put_magnitude(pv_json_writer *w, bool negative, uint64_t magnitude)
{
    char digits[21];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (negative)
        digits[--at] = '-';
    pv_json_put_raw(w, digits + at, sizeof digits - at);
}

void pv_json_put_u64(pv_json_writer *writer, uint64_t value)
{
    put_magnitude(writer, false, value);
}

void pv_json_put_i64(pv_json_writer *writer, int64_t value)
{
    put_magnitude(writer, value < 0, value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value);
}

void pv_json_put_double(pv_json_writer *writer, double value)
{
    if (!isfinite(value)) {
        pv_json_put_null(writer);
        return;
    }
    if (fabs(value) < 1e15 && value == trunc(value) && !(value == 0 && signbit(value))) {
        pv_json_put_i64(writer, (int64_t)value);
        return;
    }
    if (value == 0) {
        pv_json_put_raw(writer, "-0.0", 4);
        return;
    }
    char text[PV_DOUBLE_ROOM];
    if (!pv_double_to_text(value, text)) {
        keep(writer, pv_fail(writer->out->ctx, PSDVEC_ERR_MEMORY,
                             "the system refused memory for writing a number"));
        return;
    }
    pv_json_put_raw(writer, text, strlen(text));
}

void pv_json_put_bool(pv_json_writer *writer, bool value)
{
    pv_json_put_raw(writer, value ? "true" : "false", value ? 4 : 5);
}

void pv_json_put_null(pv_json_writer *writer)
{
    pv_json_put_raw(writer, "null", 4);
}

psdvec_status pv_json_writer_status(pv_json_writer *writer)
{
    if (writer->depth || writer->keyed)
        misuse(writer);
    return writer->status;
}
