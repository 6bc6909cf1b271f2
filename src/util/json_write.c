/* The writer of json.h.
 *
 * The state is two bit sets indexed by depth. With it, calls in the wrong order (a value without
 * its key, a key in an array) are reported as bugs and never reach a file.
 */
#include "util/c_locale.h"
#include "util/json.h"
#include "util/number.h"

#include <math.h>
#include <string.h>

void pv_json_writer_start(pv_json_writer *writer, pv_append *append, void *to)
{
    *writer = (pv_json_writer){.append = append, .to = to};
}

static bool is_good(const pv_json_writer *w)
{
    return !w->refused && !w->misused;
}

static void add(pv_json_writer *w, const char *bytes, size_t length)
{
    if (is_good(w))
        w->refused = !w->append(w->to, bytes, length);
}

static uint64_t top(const pv_json_writer *w)
{
    return w->depth ? UINT64_C(1) << (w->depth - 1) : 0;
}

static bool in_object(const pv_json_writer *w)
{
    return (w->objects & top(w)) != 0;
}

/* The comma before a member, if it is not the first. */
static void separate(pv_json_writer *w)
{
    uint64_t bit = top(w);
    if (w->filled & bit)
        add(w, ", ", w->spaced ? 2 : 1);
    w->filled |= bit;
}

void pv_json_key(pv_json_writer *writer, const char *key, size_t length)
{
    writer->misused |= writer->keyed || !in_object(writer);
    if (!is_good(writer))
        return;
    separate(writer);
    writer->refused |= !pv_json_quote(writer->append, writer->to, key, length);
    add(writer, ": ", writer->spaced ? 2 : 1);
    writer->keyed = true;
}

/* Called before every value. False after a failure. */
static bool before_value(pv_json_writer *w, const char *key)
{
    if (key)
        pv_json_key(w, key, strlen(key));
    w->misused |= in_object(w) != w->keyed;
    if (is_good(w) && !w->keyed)
        separate(w);
    w->keyed = false;
    return is_good(w);
}

static void open_container(pv_json_writer *w, const char *key, bool object)
{
    if (!before_value(w, key))
        return;
    if (w->depth == 64) {
        w->misused = true;
        return;
    }
    uint64_t bit = UINT64_C(1) << w->depth++;
    w->objects = object ? w->objects | bit : w->objects & ~bit;
    w->filled &= ~bit;
    add(w, object ? "{" : "[", 1);
}

void pv_json_open_object(pv_json_writer *writer, const char *key)
{
    open_container(writer, key, true);
}

void pv_json_open_array(pv_json_writer *writer, const char *key)
{
    open_container(writer, key, false);
}

void pv_json_close(pv_json_writer *writer)
{
    writer->misused |= writer->depth == 0 || writer->keyed;
    if (!is_good(writer))
        return;
    bool object = in_object(writer);
    writer->depth--;
    add(writer, object ? "}" : "]", 1);
}

void pv_json_put_string_n(pv_json_writer *writer, const char *key, const char *text, size_t length)
{
    if (before_value(writer, key))
        writer->refused = !pv_json_quote(writer->append, writer->to, text, length);
}

void pv_json_put_string(pv_json_writer *writer, const char *key, const char *text)
{
    if (text)
        pv_json_put_string_n(writer, key, text, strlen(text));
    else
        pv_json_put_null(writer, key);
}

void pv_json_put_raw(pv_json_writer *writer, const char *key, const char *json, size_t length)
{
    if (before_value(writer, key))
        add(writer, json, length);
}

static void put_magnitude(pv_json_writer *w, const char *key, bool negative, uint64_t magnitude)
{
    char digits[21] = "-";
    char *end = pv_digits_write(digits + negative, magnitude);
    pv_json_put_raw(w, key, digits, (size_t)(end - digits));
}

void pv_json_put_u64(pv_json_writer *writer, const char *key, uint64_t value)
{
    put_magnitude(writer, key, false, value);
}

void pv_json_put_i64(pv_json_writer *writer, const char *key, int64_t value)
{
    put_magnitude(writer, key, value < 0, value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value);
}

void pv_json_put_double(pv_json_writer *writer, const char *key, double value)
{
    char text[PV_DOUBLE_SIZE];
    if (!isfinite(value))
        pv_json_put_null(writer, key);
    else if (value == 0 && signbit(value))
        pv_json_put_raw(writer, key, "-0.0", 4);
    else if (fabs(value) < 1e15 && value == trunc(value))
        pv_json_put_i64(writer, key, (int64_t)value);
    else if (pv_double_to_text(value, text))
        pv_json_put_raw(writer, key, text, strlen(text));
    else
        writer->refused = true;
}

static void put_formatted(pv_json_writer *w, const char *key, double value, bool fixed, int digits)
{
    char text[512]; /* 309 digits before the point, and enough for any number of decimals in use */
    if (!isfinite(value)) {
        pv_json_put_null(w, key);
        return;
    }
    int length = fixed ? pv_snprintf(text, sizeof text, "%.*f", digits, value)
                       : pv_snprintf(text, sizeof text, "%.*g", digits, value);
    w->refused |= length < 0;
    w->misused |= length >= (int)sizeof text;
    if (is_good(w))
        pv_json_put_raw(w, key, text, (size_t)length);
}

void pv_json_put_fixed(pv_json_writer *writer, const char *key, double value, int decimals)
{
    put_formatted(writer, key, value, true, decimals);
}

void pv_json_put_digits(pv_json_writer *writer, const char *key, double value, int digits)
{
    put_formatted(writer, key, value, false, digits);
}

void pv_json_put_bool(pv_json_writer *writer, const char *key, bool value)
{
    pv_json_put_raw(writer, key, value ? "true" : "false", value ? 4 : 5);
}

void pv_json_put_null(pv_json_writer *writer, const char *key)
{
    pv_json_put_raw(writer, key, "null", 4);
}

bool pv_json_writer_end(pv_json_writer *writer)
{
    writer->misused |= writer->depth || writer->keyed;
    return is_good(writer);
}

void pv_json_put_fields(pv_json_writer *writer, const pv_json_field *fields, const void *record,
                        bool known)
{
    for (; fields->name; fields++) {
        const void *member = (const char *)record + fields->offset;
        uint32_t narrow;
        uint64_t wide;
        double real;
        if (fields->kind == PV_JSON_REAL) {
            memcpy(&real, member, sizeof real);
            if (!known || isfinite(real))
                pv_json_put_double(writer, fields->name, real);
            continue;
        }
        memcpy(&narrow, member, sizeof narrow);
        wide = narrow;
        if (fields->kind == PV_JSON_U64)
            memcpy(&wide, member, sizeof wide);
        pv_json_put_u64(writer, fields->name, wide);
    }
}
