/* The scans of wiki_parts.h: SSE2, which every x86-64 has, and plain C. */
#include "corpus/wiki_parts.h"

#include "base/platform.h"

#if PV_SSE2
#include <emmintrin.h>
#endif

static bool is_prose_special(char c, char next)
{
    return (unsigned char)c < 0x20 || (c == ' ' && (unsigned char)next <= 0x20) || c == '&' ||
           c == '\'' || c == ')' || c == ':' || c == ']' || c == '_' || c == '|' || c == '}' ||
           c == '~' || c == 0x7F;
}

size_t pv_wiki_structural_span_plain(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] != '<' && p[i] != '[' && p[i] != ']' && p[i] != '{' && p[i] != '}')
        i++;
    return i;
}

size_t pv_wiki_prose_span_plain(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && !is_prose_special(p[i], i + 1 < n ? p[i + 1] : 'x'))
        i++;
    return i;
}

size_t pv_wiki_structural_span(const char *p, size_t n)
{
    size_t i = 0;
#if PV_SSE2
    const __m128i bit = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                  angle = _mm_set1_epi8('<');
    for (; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i folded = _mm_or_si128(v, bit); /* '[' and ']' become '{' and '}' */
        __m128i hit =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)),
                         _mm_cmpeq_epi8(v, angle));
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return i + (size_t)__builtin_ctz((unsigned)mask);
    }
#endif
    return i + pv_wiki_structural_span_plain(p + i, n - i);
}

size_t pv_wiki_prose_span(const char *p, size_t n)
{
    size_t i = 0;
#if PV_SSE2
    const __m128i one = _mm_set1_epi8(1), two = _mm_set1_epi8(2), three = _mm_set1_epi8(3),
                  control = _mm_set1_epi8(0x1F), space = _mm_set1_epi8(0x20),
                  quote = _mm_set1_epi8('\''), bracket = _mm_set1_epi8(')'),
                  colon = _mm_set1_epi8(':'), under = _mm_set1_epi8('_'), del = _mm_set1_epi8(0x7F);
    for (; i + 17 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 1));
        __m128i hit = _mm_cmpeq_epi8(_mm_min_epu8(v, control), v);
        __m128i blank_next = _mm_cmpeq_epi8(_mm_min_epu8(next, space), next);
        hit = _mm_or_si128(hit, _mm_and_si128(_mm_cmpeq_epi8(v, space), blank_next));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, one), quote)); /* & ' */
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, bracket));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, colon));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, two), under)); /* ] _ */
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, three), del)); /* | } ~ DEL */
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return i + (size_t)__builtin_ctz((unsigned)mask);
    }
#endif
    return i + pv_wiki_prose_span_plain(p + i, n - i);
}

size_t pv_wiki_url_span(const char *p, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        unsigned char c = (unsigned char)p[i], d = i + 1 < n ? (unsigned char)p[i + 1] : 0;
        if (c <= 0x20 || c == '<' || c == '>' || c == '[' || c == ']' || c == '{' || c == '}' ||
            c == '|' || c == '"' || (c == '\'' && d == '\''))
            break;
        /* Ideographic punctuation and full-width forms. */
        if ((c == 0xE3 && d == 0x80) || (c == 0xEF && d == 0xBC))
            break;
    }
    return i;
}
