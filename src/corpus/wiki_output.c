/* See wiki_output.h. */
#include "corpus/wiki_output.h"

#include "base/context.h"
#include "corpus/html_entities.h"
#include "util/utf8.h"

#include <string.h>

bool pv_wiki_ends_with(const pv_wiki_output *out, const char *tail, size_t n)
{
    return out->length - out->first >= n && memcmp(out->text + out->length - n, tail, n) == 0;
}

void pv_wiki_take_back(pv_wiki_output *out, size_t n)
{
    out->length -= n;
    while (out->length > out->first) {
        char last = out->text[out->length - 1];
        if (last != ' ' && last != '\n')
            return;
        pv_wiki_widen_gap(out, last == ' ' ? PV_GAP_SPACE : PV_GAP_PARAGRAPH);
        out->length--;
    }
}

/* Where something was dropped just before `p`, the punctuation that led to it
 * goes too: "At {{x}}, a" -> "At, a". Returns how many of the `n` bytes are not
 * to be written either. */
static size_t tidy_up(pv_wiki_output *out, const char *p, size_t n)
{
    size_t i = 0;
    if (pv_wiki_ends_with(out, "(", 1))
        while (i < n && (p[i] == ',' || p[i] == ';' || p[i] == ':' || p[i] == ' '))
            i++;
    if (n - i >= 3 && memcmp(p + i, "\xEF\xBC\x89", 3) == 0 && out->dropped_at == out->length &&
        pv_wiki_ends_with(out, "\xEF\xBC\x88", 3)) { /* full-width brackets */
        pv_wiki_take_back(out, 3);
        i += 3;
        if (i < n && p[i] == ' ') {
            pv_wiki_widen_gap(out, PV_GAP_SPACE);
            i++;
        }
    }
    if (i < n && out->gap == PV_GAP_SPACE &&
        ((out->length > out->first && strchr(",.;:!?)", p[i])) || pv_wiki_ends_with(out, "(", 1)))
        out->gap = PV_GAP_NONE;
    return i;
}

void pv_wiki_put(pv_wiki_output *out, const char *p, size_t n)
{
    if (PV_UNLIKELY(out->dropped)) {
        size_t gone = tidy_up(out, p, n);
        p += gone;
        n -= gone;
        if (n == 0)
            return;
    }
    if (out->gap != PV_GAP_NONE && out->length > out->first)
        out->text[out->length++] = out->gap == PV_GAP_SPACE ? ' ' : '\n';
    out->gap = PV_GAP_NONE;
    out->dropped = false;
    out->line_start = false;
    memcpy(out->text + out->length, p, n);
    out->length += n;
}

void pv_wiki_put_run(pv_wiki_output *out, const char *p, size_t n)
{
    if (*p == ' ') {
        pv_wiki_widen_gap(out, PV_GAP_SPACE);
        p++, n--;
    }
    if (n == 0)
        return;
    bool space_after = p[n - 1] == ' ';
    n -= space_after;
    if (n)
        pv_wiki_put(out, p, n);
    if (space_after)
        pv_wiki_widen_gap(out, PV_GAP_SPACE);
}

void pv_wiki_put_bracket(pv_wiki_output *out, const char *p, char opening_bracket)
{
    size_t i = out->length;
    while (i > out->first && out->length - i < 64 && strchr(" ,;:/", out->text[i - 1]))
        i--;
    if (i > out->first && out->text[i - 1] == opening_bracket && out->dropped_at >= i &&
        out->gap != PV_GAP_PARAGRAPH) {
        out->gap = PV_GAP_NONE;
        pv_wiki_take_back(out, out->length - i + 1);
        pv_wiki_note_drop(out);
        return;
    }
    pv_wiki_put(out, p, 1);
}

/* Spaces of all widths, and control characters. */
static bool is_space(uint32_t code)
{
    return code <= 0x20 || (code >= 0x7F && code <= 0xA0) || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

static bool is_invisible(uint32_t code)
{
    return code == 0xAD || code == 0x200B || code == 0x200E || code == 0x200F || code == 0x2060 ||
           code == 0xFEFF;
}

const char *pv_wiki_put_entity(pv_wiki_output *out, const char *p, const char *end)
{
    uint32_t code;
    size_t taken = pv_html_entity_twice(p, (size_t)(end - p), &code);
    if (taken == 0) {
        pv_wiki_put(out, p, 1);
        return p + 1;
    }
    if (is_space(code)) {
        pv_wiki_widen_gap(out, PV_GAP_SPACE);
    } else if (!is_invisible(code)) {
        char utf8[4];
        pv_wiki_put(out, utf8, (size_t)pv_utf8_encode(code, utf8));
    }
    return p + taken;
}

void pv_wiki_put_literal(pv_wiki_output *out, const char *p, const char *end)
{
    while (p < end) {
        if ((unsigned char)*p <= 0x20) {
            pv_wiki_widen_gap(out, PV_GAP_SPACE);
            p++;
        } else if (*p == '&') {
            p = pv_wiki_put_entity(out, p, end);
        } else {
            const char *q = p;
            while (q < end && (unsigned char)*q > 0x20 && *q != '&')
                q++;
            pv_wiki_put(out, p, (size_t)(q - p));
            p = q;
        }
    }
}
