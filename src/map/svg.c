/* Maps as vector graphics.
 *
 * The points of a colour are one path with a round dot per point, which is several times smaller
 * than a circle element per point. Text is text, so that it can be selected, searched and edited. No
 * font is embedded: labels have the widths of Helvetica, Arial and Liberation Sans, which are the
 * same, and `textLength` makes other fonts keep to them, so labels do not overlap anywhere. */
#include "map/drawing.h"

#include <string.h>

/* Widths of ASCII characters from the space on, in thousandths of the size, regular and bold. */
static const uint16_t widths[2][95] = {
    {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
     556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
     1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
     667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
     333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
     556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584},
    {278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
     556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
     975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
     667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
     333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
     611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584}};

double pv_map_svg_width(const char *text, size_t length, bool bold)
{
    double sum = 0;
    for (size_t at = 0; at < length;) {
        uint32_t c = pv_drawing_character(text, length, &at);
        bool combining = c >= 0x300 && c < 0x370;
        bool wide = c >= 0x1100 && c != 0xFFFD; /* of East Asia, mostly */
        sum += c >= ' ' && c <= '~' ? widths[bold][c - ' '] : combining ? 0 : wide ? 1000 : 600;
    }
    return sum / 1000;
}

static psdvec_status add_escaped(pv_buffer *to, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t from = at;
        uint32_t c = pv_drawing_character(text, length, &at);
        const char *instead = c == '<'      ? "&lt;"
                              : c == '>'    ? "&gt;"
                              : c == '&'    ? "&amp;"
                              : c == 0xFFFD ? "\xef\xbf\xbd"
                                            : NULL;
        PV_TRY(instead ? pv_buffer_text(to, instead)
                       : pv_buffer_append(to, text + from, at - from));
    }
    return PSDVEC_OK;
}

static psdvec_status add_points(pv_buffer *to, const pv_drawing *d, uint32_t colour)
{
    bool any = false;
    for (size_t i = 0; i < d->count; i++) {
        if (d->colour[i] != colour)
            continue;
        if (!any)
            PV_TRY(pv_buffer_printf(to, "<path stroke=\"#%06x\" d=\"", d->colours[colour]));
        any = true;
        PV_TRY(pv_buffer_printf(to, "M%.1f %.1fh0", (double)d->points[2 * i],
                                (double)d->points[2 * i + 1]));
    }
    return any ? pv_buffer_text(to, "\"/>\n") : PSDVEC_OK;
}

psdvec_status pv_map_svg(psdvec_context *ctx, const pv_drawing *d, pv_buffer *to)
{
    PV_TRY(pv_buffer_printf(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
        "%.0f %.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n"
        "<g fill=\"none\" stroke-linecap=\"round\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\">\n",
        d->width, d->height, d->width, d->height, d->background, d->point_size, d->opacity));
    for (uint32_t colour = 0; colour < d->colour_count; colour++) {
        PV_TRY(add_points(to, d, colour));
        PV_TRY(pv_check_cancel(ctx));
    }
    PV_TRY(pv_buffer_printf(to,
                            "</g>\n<g paint-order=\"stroke\" stroke=\"#%06x\" stroke-width=\"2.5\" "
                            "stroke-linejoin=\"round\">\n",
                            d->background));
    for (size_t k = 0; k < d->label_count; k++) {
        const pv_drawn_label *label = &d->labels[k];
        bool legend = k >= d->label_count - d->legend;
        if (legend)
            PV_TRY(pv_buffer_printf(
                to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\" stroke=\"none\"/>",
                label->x - 0.9 * label->size, label->y - 0.35 * label->size, 0.35 * label->size,
                label->colour));
        PV_TRY(pv_buffer_printf(to,
                                "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\"%s fill=\"#%06x\" "
                                "textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">",
                                label->x, label->y, label->size,
                                label->bold ? " font-weight=\"bold\"" : "",
                                legend ? d->text : label->colour, label->width));
        PV_TRY(add_escaped(to, label->text, label->length));
        PV_TRY(pv_buffer_text(to, "</text>\n"));
    }
    return pv_buffer_text(to, "</g>\n</svg>\n");
}
