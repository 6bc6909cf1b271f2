/* Eigenvalues as columns above and below a line. */
#include "spectrum.h"

#include "lasting.h"
#include "wrap.h"

#include <math.h>
#include <string.h>

#define ABOVE 6 /* lines for the positive ones; the negative ones have what they need of as many */
#define LABEL 9 /* columns of the scale */

/* The columns: heights from 0 to 1 on each side. */
struct columns {
    double *up, *down;
    size_t count;
};

static void fill(struct columns *columns, const float *values, size_t count, double largest)
{
    for (size_t k = 0; k < count; k++) {
        size_t at = k * columns->count / count;
        double height = sqrt(fabs((double)values[k]) / largest);
        double *side = values[k] < 0 ? columns->down : columns->up;
        if (height > side[at])
            side[at] = height;
    }
}

/* One line of the side above, `line` from the middle on. Something is drawn wherever
 * there is an eigenvalue at all. */
static void add_above(struct buffer *to, double height, size_t line, bool unicode)
{
    static const char *const parts[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    double left = height * ABOVE - (double)line;
    size_t eighths = left >= 1 ? 8 : left > 0 ? (size_t)(left * 8 + 0.5) : 0;
    if (line == 0 && height > 0 && !eighths)
        eighths = 1;
    if (unicode)
        buffer_text(to, eighths == 8 ? "█" : parts[eighths]);
    else
        buffer_text(to, eighths >= 4 || (line == 0 && eighths) ? "+" : " ");
}

/* There are no blocks that hang from above but the half and the whole. */
static void add_below(struct buffer *to, double height, size_t line, bool unicode)
{
    double left = height * ABOVE - (double)line;
    bool some = left >= 0.25 || (line == 0 && height > 0);
    if (unicode)
        buffer_text(to, left >= 0.75 ? "█" : some ? "▀" : " ");
    else
        buffer_text(to, left >= 0.5 || (some && line == 0) ? "-" : " ");
}

static void add_scale(struct buffer *to, double value)
{
    buffer_format(to, "%*.3g ", LABEL, value);
}

static size_t lines_for(const double *heights, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = heights[k] > most ? heights[k] : most;
    return (size_t)ceil(most * ABOVE - 1e-9);
}

void spectrum_draw(struct buffer *to, const float *values, size_t count, size_t width, bool unicode)
{
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fabs((double)values[k]) > largest ? fabs((double)values[k]) : largest;
    size_t most = width > LABEL + 12 ? width - LABEL - 2 : 10;
    if (!count || !(largest > 0))
        return;
    struct columns columns = {.count = count < most ? count : most};
    columns.up = lasting_alloc(columns.count, sizeof *columns.up);
    columns.down = lasting_alloc(columns.count, sizeof *columns.down);
    fill(&columns, values, count, largest);
    size_t above = lines_for(columns.up, columns.count);
    size_t below = lines_for(columns.down, columns.count);
    for (size_t line = above; line-- > 0;) {
        double top = (double)(line + 1) / ABOVE;
        if (line + 1 == above)
            add_scale(to, largest * top * top);
        else
            add_spaces(to, LABEL + 1);
        for (size_t k = 0; k < columns.count; k++)
            add_above(to, columns.up[k], line, unicode);
        drop_spaces(to);
        buffer_char(to, '\n');
    }
    add_scale(to, 0);
    for (size_t k = 0; k < columns.count; k++)
        buffer_text(to, unicode ? "─" : "=");
    buffer_char(to, '\n');
    for (size_t line = 0; line < below; line++) {
        double bottom = (double)(line + 1) / ABOVE;
        if (line + 1 == below)
            add_scale(to, -largest * bottom * bottom);
        else
            add_spaces(to, LABEL + 1);
        for (size_t k = 0; k < columns.count; k++)
            add_below(to, columns.down[k], line, unicode);
        drop_spaces(to);
        buffer_char(to, '\n');
    }
}
