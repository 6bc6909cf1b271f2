/* Tokens as 16-bit units. Provisional ids are given in order of arrival, so
 * frequent words have small ones: nearly every token takes one unit, and the
 * branch that asks is nearly always predicted.
 *
 *     token < 0xC000     one unit
 *     otherwise          0xC000 + (token >> 16), then the lower 16 bits
 *
 * The first two tokens are marks; words begin at PV_TOKEN_FIRST_WORD.
 */
#ifndef PV_COUNT_TOKEN_CODE_H
#define PV_COUNT_TOKEN_CODE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PV_TOKEN_MARK_DOCUMENT = 0, /* a document ends */
    PV_TOKEN_MARK_SENTENCE = 1, /* a sentence ends: a border for windows, too */
    PV_TOKEN_FIRST_WORD = 2
};

static inline size_t pv_token_encode(uint32_t token, uint16_t *units)
{
    if (token < 0xC000) {
        units[0] = (uint16_t)token;
        return 1;
    }
    units[0] = (uint16_t)(0xC000 + (token >> 16));
    units[1] = (uint16_t)token;
    return 2;
}

static inline size_t pv_token_decode(const uint16_t *units, uint32_t *token)
{
    if (units[0] < 0xC000) {
        *token = units[0];
        return 1;
    }
    *token = (uint32_t)(units[0] - 0xC000) << 16 | units[1];
    return 2;
}

#endif
