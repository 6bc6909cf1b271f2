/* Bar charts on pages, as inline SVG: rows with a name, one bar or two, whiskers, and the values as
 * text. Who cannot see it reads the description. */
#ifndef CLI_PAGE_CHART_H
#define CLI_PAGE_CHART_H

#include "memory.h"

#include <stdbool.h>

struct chart_bar {
    double before;    /* a lighter part before the bar; else 0 */
    double value;     /* NAN: there is no bar */
    double low, high; /* whiskers; NAN: none */
    const char *kind; /* a class of style: "best", "alike", "other" */
    char *text;       /* what stands behind it */
};

enum { CHART_BARS = 2 };

struct chart_row {
    const char *label;
    struct chart_bar bars[CHART_BARS];
    size_t count;
};

/* The style that charts need, for page_head(). */
extern const char chart_style[];

/* `id` differs from chart to chart. `ticks`: the axis is marked, in tenths or fifths. */
void chart_add(struct buffer *to, size_t id, const char *title, const char *description,
               const struct chart_row *rows, size_t count, bool ticks);
/* Frees the texts. */
void chart_free(struct chart_row *rows, size_t count);

#endif
