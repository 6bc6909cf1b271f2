/* The careful splitter: one run of bytes with something odd in it, taken apart
 * code point by code point.
 */
#ifndef PV_CORPUS_WORD_SPLIT_H
#define PV_CORPUS_WORD_SPLIT_H

#include "corpus/tokenizer.h"

/* Takes the next token from [tokenizer->split, tokenizer->split_end) and moves
 * `split` on; false when the run is used up. Invalid bytes are counted. */
bool pv_word_split_next(pv_tokenizer *tokenizer, pv_token *token);

#endif
