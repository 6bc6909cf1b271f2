/* Inflected forms of a word, such as king's and kings of king, found by spelling only.
 *
 * The method is independent of the language. A pair of endings (x, y), one of which may be empty,
 * is productive if many words of the model differ only in it:
 *
 *     c(x, y)   stems p for which p x and p y are both words
 *     n(x)      words that end with x
 *     productive: c >= max(5, 0.7 % of the words) and c >= 12 % of the smaller of n(x) and n(y)
 *
 * English words give (-, s), (ed, ing), (-, 's), (e, ing), (ies, y) and a dozen others; endings
 * that derive a word of another meaning, such as -dom and -ism, are too rare for it. Stems have at
 * least three characters, endings at most four. Only the most frequent 30,000 words are used.
 *
 * Two words are forms of each other if they differ only in a productive pair of endings; or only in
 * two endings each of which is productive with the empty one, and the stem is a word itself; or
 * only in an apostrophe with at most two characters before or after it.
 *
 * Time: some 30 ms once per model, then some hundred lookups per word.
 */
#ifndef PV_MODEL_INFLECTIONS_H
#define PV_MODEL_INFLECTIONS_H

#include "base/memory.h"

typedef struct pv_endings pv_endings; /* the productive ones of a model */

void pv_endings_free(psdvec_context *ctx, pv_endings *endings); /* may be NULL */

#endif
