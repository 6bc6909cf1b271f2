/* Wrapped lines and scripts without spaces.
 *
 * A program that wraps a paragraph starts a new line when the next word does not fit. So in wrapped
 * text nearly every line is so long that the first word of the next one would exceed the width.
 * Verses, sentences and list entries end anywhere. Further criteria: lines must not end like
 * sentences, most must not begin with a capital, and they must not all have the same length, as
 * records do. The last criterion does not apply to scripts without capitals, whose characters may
 * all have the same width. */
#include "corpus/text_shape.h"

#include "util/utf8.h"

#include <string.h>
#include <utf8proc.h>

enum {
    NARROWEST = 50, /* verses are shorter */
    WIDEST = 120,
    LONGEST_WORD = 20,
    SLACK = 4,        /* paragraphs of a text may be wrapped at different widths */
    LEAST_JOINTS = 20 /* lines followed by a line of the same paragraph */
};

typedef struct line {
    const char *start, *end; /* without surrounding white space */
    unsigned width;          /* characters, including indentation; at most WIDEST + 1 */
} line;

static line next_line(const char **p, const char *end)
{
    const char *newline = memchr(*p, '\n', (size_t)(end - *p));
    line l = {*p, newline ? newline : end, 0};
    *p = newline ? newline + 1 : end;
    while (l.end > l.start && (unsigned char)l.end[-1] <= ' ')
        l.end--;
    for (const char *c = l.start; c < l.end && l.width <= WIDEST; c++)
        l.width += ((unsigned char)*c & 0xC0) != 0x80;
    while (l.start < l.end && (unsigned char)*l.start <= ' ')
        l.start++;
    return l;
}

static unsigned first_word(const line *l)
{
    unsigned width = 0;
    for (const char *p = l->start; p < l->end && (unsigned char)*p > ' '; p++)
        width += ((unsigned char)*p & 0xC0) != 0x80;
    return width;
}

static bool ends_sentence(const line *l)
{
    const char *p = l->end - 1;
    while (p > l->start && strchr("\"')]", *p))
        p--;
    return strchr(".!?:;", *p) != NULL;
}

/* The Unicode category of the first character. */
static utf8proc_category_t first_category(const line *l)
{
    uint32_t cp;
    if (pv_utf8_decode((const unsigned char *)l->start, (const unsigned char *)l->end, &cp) < 0)
        return UTF8PROC_CATEGORY_CN;
    return utf8proc_category((utf8proc_int32_t)cp);
}

/* The width that 19 of 20 lines do not exceed; 0: not plausible for wrapped text. *ragged: most
 * lines do not share one width. */
static unsigned usual_width(const char *text, const char *end, bool *ragged)
{
    uint32_t lines[WIDEST + 2] = {0}, all = 0, most = 0;
    for (const char *p = text; p < end;) {
        line l = next_line(&p, end);
        if (l.start < l.end) {
            lines[l.width]++;
            all++;
        }
    }
    for (unsigned k = 0; k <= WIDEST + 1; k++)
        most = lines[k] > most ? lines[k] : most;
    *ragged = most * 2 < all;
    unsigned width = WIDEST + 1;
    for (uint32_t above = lines[width]; width > 0 && above * 20 <= all;)
        above += lines[--width];
    return width >= NARROWEST && width <= WIDEST ? width : 0;
}

unsigned pv_wrapped_at(const char *text, size_t length, bool whole)
{
    const char *end = text + length;
    if (length > PV_SHAPE_LENGTH) {
        end = text + PV_SHAPE_LENGTH;
        whole = false;
    }
    while (!whole && end > text && end[-1] != '\n') /* the last line may not be complete */
        end--;
    bool ragged = false;
    unsigned width = end > text ? usual_width(text, end, &ragged) : 0;
    if (width == 0)
        return 0;
    size_t joints = 0, full = 0, open = 0, lower = 0, upper = 0, caseless = 0;
    line last = {text, text, 0};
    for (const char *p = text; p < end;) {
        line l = next_line(&p, end);
        if (last.start < last.end && l.start < l.end) {
            unsigned word = first_word(&l);
            utf8proc_category_t begins = first_category(&l);
            joints++;
            full += word <= LONGEST_WORD && last.width + 1 + word + SLACK > width;
            open += !ends_sentence(&last);
            lower += begins == UTF8PROC_CATEGORY_LL;
            upper += begins == UTF8PROC_CATEGORY_LU;
            caseless += begins == UTF8PROC_CATEGORY_LO;
        }
        last = l;
    }
    bool cased = (lower + upper) * 2 >= joints;
    bool wrapped = joints >= LEAST_JOINTS && full * 10 >= joints * (cased ? 6 : 8) &&
                   open * 10 >= joints * 7 && (!cased || lower >= upper) &&
                   (ragged || caseless * 2 >= joints);
    return wrapped ? width : 0;
}

/* ---- Scripts --------------------------------------------------------------------------------- */

static bool is_spaceless(uint32_t cp)
{
    return (cp >= 0x4E00 && cp <= 0x9FFF) || (cp >= 0x3400 && cp <= 0x4DBF) || /* Han */
           (cp >= 0x3041 && cp <= 0x30FF) ||                                   /* kana */
           (cp >= 0x0E00 && cp <= 0x0EFF) ||                                   /* Thai, Lao */
           (cp >= 0x1780 && cp <= 0x17FF) || (cp >= 0x1000 && cp <= 0x109F) || /* Khmer, Burmese */
           (cp >= 0x20000 && cp <= 0x3FFFF);
}

void pv_count_scripts(const char *text, size_t length, pv_script_counts *counts)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    bool before = false;
    while (p < end) {
        bool spaceless = false;
        if (*p < 0x80) {
            unsigned char folded = *p++ | 32;
            counts->letters += folded >= 'a' && folded <= 'z';
        } else {
            uint32_t cp = 0;
            int used = pv_utf8_decode(p, end, &cp);
            p += used < 0 ? -used : used;
            spaceless = used > 0 && is_spaceless(cp);
            counts->letters += used > 0 && cp >= 0xC0 && !(cp >= 0x2000 && cp <= 0x303F) &&
                               !(cp >= 0xFF00 && cp <= 0xFF20);
            counts->spaceless += spaceless;
            counts->runs += spaceless && !before;
        }
        before = spaceless;
    }
}

bool pv_is_spaceless(const pv_script_counts *c)
{
    enum { LEAST = 50, WORD = 4 }; /* words of separated text are shorter */
    return c->spaceless >= LEAST && c->spaceless * 2 > c->letters && c->spaceless > c->runs * WORD;
}
