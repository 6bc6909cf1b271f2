/* Masks of word bytes: SSE2, which every x86-64 has, and plain C. */
#include "corpus/byte_scan.h"

#include "base/platform.h"

#include <string.h>

void pv_scan_rules_finish(pv_scan_rules *rules)
{
    unsigned char *bits = rules->bits;
    memset(bits, 0, sizeof rules->bits);
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (c >= 0x80 || (c == 'I' && rules->odd_capital_i))
            bits[c] = PV_SCAN_WORD | PV_SCAN_ODD;
        else if (rules->whitespace)
            bits[c] = c > 0x20 ? PV_SCAN_WORD : 0;
        else if (letter || (digit && rules->digits))
            bits[c] = PV_SCAN_WORD;
        else if ((digit && rules->odd_digits) || (c == '\'' && rules->apostrophe) ||
                 (c == '-' && rules->hyphen) || (c == '_' && rules->underscore))
            bits[c] = PV_SCAN_WORD | PV_SCAN_ODD;
    }
}

void pv_scan_block_plain(const pv_scan_rules *rules, unsigned char *text, uint64_t *word,
                         uint64_t *odd)
{
    uint64_t w = 0, o = 0;
    for (int i = 0; i < 64; i++) {
        unsigned char c = text[i];
        w |= (uint64_t)(rules->bits[c] & PV_SCAN_WORD) << i;
        o |= (uint64_t)(rules->bits[c] >> 1 & 1) << i;
        if (rules->fold && c >= 'A' && c <= 'Z' && !(c == 'I' && rules->odd_capital_i))
            text[i] = (unsigned char)(c | 0x20);
    }
    *word = w;
    *odd = o;
}

#if PV_SSE2
#include <emmintrin.h>

/* 0xFF where low <= byte <= low + span, bytes unsigned. */
static inline __m128i in_range(__m128i bytes, char low, char span)
{
    __m128i shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(span)), shifted);
}

static inline uint64_t mask_of(__m128i bytes)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(bytes);
}

static inline __m128i all_if(bool flag)
{
    return _mm_set1_epi8(flag ? -1 : 0);
}

void pv_scan_block(const pv_scan_rules *rules, unsigned char *text, uint64_t *word, uint64_t *odd)
{
    const __m128i case_bit = _mm_set1_epi8(0x20);
    const __m128i fold_bit = _mm_and_si128(all_if(rules->fold), case_bit);
    const __m128i odd_i = all_if(rules->odd_capital_i);
    uint64_t w = 0, o = 0;
    for (int i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i letter = in_range(_mm_or_si128(c, case_bit), 'a', 25);
        __m128i capital_i = _mm_and_si128(odd_i, _mm_cmpeq_epi8(c, _mm_set1_epi8('I')));
        __m128i member, strange;
        if (rules->whitespace) {
            /* unsigned c > 0x20 */
            member = _mm_cmpeq_epi8(_mm_max_epu8(c, _mm_set1_epi8(0x21)), c);
            strange = _mm_or_si128(c, capital_i); /* the sign bits */
        } else {
            __m128i digit = in_range(c, '0', 9);
            strange = _mm_and_si128(all_if(rules->odd_digits), digit);
            strange = _mm_or_si128(strange, _mm_and_si128(all_if(rules->apostrophe),
                                                          _mm_cmpeq_epi8(c, _mm_set1_epi8('\''))));
            strange = _mm_or_si128(strange, _mm_and_si128(all_if(rules->hyphen),
                                                          _mm_cmpeq_epi8(c, _mm_set1_epi8('-'))));
            strange = _mm_or_si128(strange, _mm_and_si128(all_if(rules->underscore),
                                                          _mm_cmpeq_epi8(c, _mm_set1_epi8('_'))));
            strange = _mm_or_si128(strange, _mm_cmplt_epi8(c, _mm_setzero_si128()));
            strange = _mm_or_si128(strange, capital_i);
            member = _mm_or_si128(letter, _mm_and_si128(all_if(rules->digits), digit));
            member = _mm_or_si128(member, strange);
        }
        w |= mask_of(member) << i;
        o |= mask_of(strange) << i;
        __m128i folded = _mm_andnot_si128(capital_i, _mm_and_si128(letter, fold_bit));
        _mm_storeu_si128((__m128i *)(text + i), _mm_or_si128(c, folded));
    }
    *word = w;
    *odd = o;
}
#else
void pv_scan_block(const pv_scan_rules *rules, unsigned char *text, uint64_t *word, uint64_t *odd)
{
    pv_scan_block_plain(rules, text, word, odd);
}
#endif
