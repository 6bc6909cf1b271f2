/* Numbers as people read them. */
#include "human.h"

#include "decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void human_count(struct buffer *buffer, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0)
            buffer_char(buffer, ',');
        buffer_char(buffer, digits[k]);
    }
}

/* Three significant digits. */
static void three(struct buffer *buffer, double number)
{
    buffer_format(buffer, "%.*f", number < 9.995 ? 2 : number < 99.95 ? 1 : 0, number);
}

void human_short(struct buffer *buffer, double number)
{
    static const char units[] = " KMGTPE";
    size_t unit = 0;
    while (number >= 999.5 && unit + 2 < sizeof units) {
        number /= 1000;
        unit++;
    }
    if (unit == 0 && (number == floor(number) || number >= 99.95))
        buffer_format(buffer, "%.0f", number);
    else
        three(buffer, number);
    if (unit)
        buffer_char(buffer, units[unit]);
}

void human_bytes(struct buffer *buffer, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    if (unit == 0)
        buffer_format(buffer, "%.0f", bytes);
    else
        three(buffer, bytes);
    buffer_format(buffer, " %s", units[unit]);
}

void human_seconds(struct buffer *buffer, double seconds)
{
    if (seconds < 0.0995) {
        buffer_format(buffer, "%.0f ms", seconds * 1000);
    } else if (seconds < 99.95) {
        buffer_format(buffer, "%.*f s", seconds < 9.95 ? 2 : 1, seconds);
    } else {
        uint64_t whole = (uint64_t)(seconds + 0.5);
        if (whole >= 3600)
            buffer_format(buffer, "%" PRIu64 " h ", whole / 3600);
        buffer_format(buffer, "%" PRIu64 " min %02" PRIu64 " s", whole / 60 % 60, whole % 60);
    }
}

void human_clock(struct buffer *buffer, double seconds)
{
    uint64_t whole = seconds < 0 ? 0 : seconds > 1e9 ? 1000000000 : (uint64_t)(seconds + 0.5);
    if (whole >= 3600)
        buffer_format(buffer, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60,
                      whole % 60);
    else
        buffer_format(buffer, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
}

void human_ratio(struct buffer *buffer, uint64_t v, uint64_t scale)
{
    char digits[DECIMAL_ROOM];
    buffer_add(buffer, digits, decimal_ratio(digits, v, scale));
}
