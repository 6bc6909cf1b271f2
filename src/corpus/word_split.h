/* The careful splitter: one run of bytes with something odd in it, taken apart
 * code point by code point.
 */
#ifndef PV_CORPUS_WORD_SPLIT_H
#define PV_CORPUS_WORD_SPLIT_H

#include "corpus/tokenizer.h"

/* Takes the next token from [tokenizer->split, tokenizer->split_end) and moves
 * `split` on; false when the run is used up. Invalid bytes are counted. */
bool pv_word_split_next(pv_tokenizer *tokenizer, pv_token *token);

/* True if a READY word's length is within the options. */
static inline bool pv_word_fits(const pv_text_rules *rules, size_t characters)
{
    return characters >= rules->options.min_length && characters <= rules->options.max_length;
}

#endif
