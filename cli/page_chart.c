/* Drawing bar charts.
 *
 *     label |=======bar==|--+--| text
 *
 * Lengths are those of the drawing, which grows and shrinks with the page. */
#include "page_chart.h"

#include "page.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320.0
#define LETTER 6.3 /* of the label's letters, about */
#define THICK 11.0 /* of a bar */
#define THIN 9.0   /* of one of two */
#define PITCH 11.5 /* from one of two to the next */
#define BETWEEN 7.0
#define GAP 5.0 /* between bar, label and text */

const char chart_style[] =
    ".charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem),"
    " 1fr)); gap: 1rem; }\n"
    "figure { margin: 0; padding: .75rem .9rem; border: 1px solid var(--line); border-radius:"
    " .5rem; break-inside: avoid; }\n"
    "figcaption { font-weight: 600; margin-bottom: .35rem; }\n"
    "figcaption span { color: var(--soft); font-weight: normal; font-size: .85rem; }\n"
    "svg { display: block; width: 100%; height: auto; overflow: visible; }\n"
    "svg text { fill: var(--ink); font: 11px system-ui, sans-serif; font-variant-numeric:"
    " tabular-nums; }\n"
    "svg .small { font-size: 10px; }\n"
    "svg .tick { fill: var(--soft); font-size: 9px; }\n"
    "svg .grid { stroke: var(--line); stroke-width: 1; }\n"
    "svg .best { fill: var(--plus); } svg .alike { fill: var(--plus); fill-opacity: .5; }\n"
    "svg .other { fill: var(--soft); fill-opacity: .4; }\n"
    "svg .before { fill: var(--soft); fill-opacity: .25; }\n"
    "svg .whisker { stroke: var(--ink); stroke-width: 1.2; fill: none; }\n"
    "@media print { svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }\n";

/* Where things are. */
struct frame {
    double left, right; /* of the bars */
    double top;         /* the value at `right` */
    double height;
};

static double row_height(const struct chart_row *row)
{
    return row->count > 1 ? (double)row->count * PITCH + BETWEEN : THICK + BETWEEN;
}

static struct frame measure(const struct chart_row *rows, size_t count, bool ticks)
{
    struct frame frame = {.top = 0};
    double label = 0, text = 0;
    for (size_t k = 0; k < count; k++) {
        label = fmax(label, (double)utf8_columns(rows[k].label, strlen(rows[k].label)));
        frame.height += row_height(&rows[k]);
        for (size_t b = 0; b < rows[k].count; b++) {
            const struct chart_bar *bar = &rows[k].bars[b];
            text = fmax(text, (double)utf8_columns(bar->text, strlen(bar->text)));
            frame.top = fmax(frame.top, fmax(bar->before + bar->value, bar->high));
        }
    }
    if (ticks)
        frame.top = fmax(0.1, ceil(frame.top * 10 - 1e-9) / 10);
    frame.left = label * LETTER + GAP;
    frame.right = WIDTH - text * LETTER - GAP;
    return frame;
}

static double across(const struct frame *frame, double value)
{
    double share = frame->top > 0 ? value / frame->top : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return frame->left + share * (frame->right - frame->left);
}

static void add_ticks(struct buffer *to, const struct frame *frame)
{
    int step = frame->top > 0.55 ? 2 : 1;
    for (int tenth = 0; tenth <= (int)lround(frame->top * 10); tenth += step) {
        double x = across(frame, tenth / 10.0);
        buffer_format(to, "<path class=\"grid\" d=\"M%.1f 0V%.1f\"/>", x, frame->height);
        buffer_format(to, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", x,
                      frame->height + 11);
        buffer_format(to, tenth == 0 ? "0" : tenth == 10 ? "1" : ".%d", tenth);
        buffer_text(to, "</text>");
    }
    buffer_char(to, '\n');
}

static void add_bar(struct buffer *to, const struct frame *frame, const struct chart_bar *bar,
                    double y, double thickness, bool small)
{
    double middle = y + thickness / 2, from = across(frame, bar->before);
    if (bar->before > 0)
        buffer_format(to,
                      "<rect class=\"before\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\"/>",
                      frame->left, y, from - frame->left, thickness);
    if (!isnan(bar->value)) {
        double width = across(frame, bar->before + bar->value) - from;
        buffer_format(to,
                      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                      bar->kind, from, y, fmax(width, 0.5), thickness);
    }
    if (!isnan(bar->low) && !isnan(bar->high)) {
        double low = across(frame, bar->low), high = across(frame, bar->high);
        buffer_format(
            to, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1fM%.1f %.1fV%.1f\"/>",
            low, middle - 3, middle + 3, low, middle, high, high, middle - 3, middle + 3);
    }
    buffer_format(to, "<text%s x=\"%.1f\" y=\"%.1f\">", small ? " class=\"small\"" : "",
                  frame->right + GAP, middle + (small ? 3.4 : 4));
    page_text(to, bar->text);
    buffer_text(to, "</text>\n");
}

static void add_row(struct buffer *to, const struct frame *frame, const struct chart_row *row,
                    double y)
{
    double inner = row_height(row) - BETWEEN;
    bool several = row->count > 1;
    y += BETWEEN / 2;
    buffer_format(to, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", frame->left - GAP,
                  y + inner / 2 + 4);
    page_text(to, row->label);
    buffer_text(to, "</text>\n");
    for (size_t b = 0; b < row->count; b++)
        add_bar(to, frame, &row->bars[b], y + (several ? 1 + (double)b * PITCH : 0),
                several ? THIN : THICK, several);
}

void chart_add(struct buffer *to, size_t id, const char *title, const char *description,
               const struct chart_row *rows, size_t count, bool ticks)
{
    struct frame frame = measure(rows, count, ticks);
    double y = 0;
    buffer_format(to,
                  "<svg role=\"img\" aria-labelledby=\"c%zu-t c%zu-d\" viewBox=\"0 0 %.0f %.1f\">\n"
                  "<title id=\"c%zu-t\">",
                  id, id, WIDTH, frame.height + (ticks ? 14 : 0), id);
    page_text(to, title);
    buffer_format(to, "</title>\n<desc id=\"c%zu-d\">", id);
    page_text(to, description);
    buffer_text(to, "</desc>\n");
    if (ticks)
        add_ticks(to, &frame);
    for (size_t k = 0; k < count; k++) {
        add_row(to, &frame, &rows[k], y);
        y += row_height(&rows[k]);
    }
    buffer_text(to, "</svg>\n");
}

void chart_free(struct chart_row *rows, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t b = 0; b < rows[k].count; b++)
            free(rows[k].bars[b].text);
    free(rows);
}
