/* Phrases: lasting formatted strings. */
#include "phrase.h"

#include "cell.h"
#include "util/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *phrase_of(struct buffer *text)
{
    char *taken = text->text ? text->text : must_copy("");
    *text = (struct buffer){0};
    return lasting(taken, free);
}

const char *phrase(const char *format, ...)
{
    struct buffer text = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&text, format, list);
    va_end(list);
    return phrase_of(&text);
}

const char *phrase_count(uint64_t number)
{
    return phrase("%s", human_count(number).text);
}

const char *phrase_counted(uint64_t number, const char *thing)
{
    return phrase("%s %s%s", phrase_count(number), thing, number == 1 ? "" : "s");
}

const char *phrase_short(double number)
{
    return phrase("%s", human_short(number).text);
}

const char *phrase_bytes(double bytes)
{
    return phrase("%s", human_bytes(bytes).text);
}

const char *phrase_seconds(double seconds)
{
    if (seconds < 0.0995)
        return phrase("%.0f ms", seconds * 1000);
    if (seconds < 99.95)
        return phrase("%.*f s", seconds < 9.95 ? 2 : 1, seconds);
    uint64_t whole = (uint64_t)(seconds + 0.5);
    if (whole < 3600)
        return phrase("%" PRIu64 " min %02" PRIu64 " s", whole / 60, whole % 60);
    return phrase("%" PRIu64 " h %" PRIu64 " min %02" PRIu64 " s", whole / 3600, whole / 60 % 60,
                  whole % 60);
}

const char *phrase_safe(const char *string, size_t length)
{
    struct buffer text = {0};
    cell_text(&text, string, length);
    return phrase_of(&text);
}

const char *phrase_quoted(const char *text)
{
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
    struct buffer to = {0};
    if (*text && !text[strspn(text, safe)])
        return phrase("%s", text);
    buffer_char(&to, '\'');
    for (; *text; text++)
        if (*text == '\'')
            buffer_text(&to, "'\\''");
        else
            buffer_char(&to, *text);
    buffer_char(&to, '\'');
    return phrase_of(&to);
}

const char *path_operand(const char *path)
{
    return *path == '-' ? phrase("./%s", path) : path;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

PV_PRINTF(1, 2) static struct human print(const char *format, ...)
{
    struct human human;
    va_list list;
    va_start(list, format);
    vsnprintf(human.text, sizeof human.text, format, list);
    va_end(list);
    return human;
}

struct human human_count(uint64_t number)
{
    struct human digits = print("%" PRIu64, number), grouped;
    size_t length = strlen(digits.text), to = 0;
    for (size_t k = 0; k <= length; k++) { /* with the final zero */
        if (k && k < length && (length - k) % 3 == 0)
            grouped.text[to++] = ',';
        grouped.text[to++] = digits.text[k];
    }
    return grouped;
}

/* For three significant digits. */
static int decimals(double number)
{
    return number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
}

struct human human_short(double number)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1000;
    bool whole = unit == 0 && (number == floor(number) || number >= 99.95);
    return print("%.*f%s", whole ? 0 : decimals(number), number, units[unit]);
}

struct human human_bytes(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    return print("%.*f %s", unit ? decimals(bytes) : 0, bytes, units[unit]);
}

struct human human_clock(double seconds)
{
    uint64_t whole = seconds < 0 ? 0 : seconds > 1e9 ? 1000000000 : (uint64_t)(seconds + 0.5);
    if (whole < 3600)
        return print("%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
    return print("%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60, whole % 60);
}

struct human human_ratio(uint64_t v, uint64_t scale)
{
    struct human human;
    human.text[decimal_ratio(human.text, v, scale)] = '\0';
    return human;
}

/* Uses exact integer arithmetic (128 bits), so that no rounding of doubles is visible. */
size_t decimal_ratio(char *to, uint64_t v, uint64_t scale)
{
    uint64_t part = v % scale;
    size_t length = (size_t)(pv_digits_write(to, v / scale) - to);
    if (!part)
        return length;
    /* The fewest digits k for which r / 10^k, r = round(part * 10^k / scale),
     * lies within half a step of part / scale. 19 digits always suffice for
     * a 63-bit scale. */
    unsigned __int128 power = 1;
    uint64_t r = 0;
    size_t k = 0;
    for (;;) {
        k++;
        power *= 10;
        unsigned __int128 shifted = power * part;
        r = (uint64_t)((shifted + scale / 2) / scale);
        unsigned __int128 back = (unsigned __int128)r * scale;
        unsigned __int128 off = back > shifted ? back - shifted : shifted - back;
        if (2 * off < power || k == 19)
            break;
    }
    to[length++] = '.';
    for (size_t d = k; d-- > 0; r /= 10)
        to[length + d] = (char)('0' + r % 10);
    return length + k;
}
