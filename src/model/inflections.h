/* Inflected forms of a word, such as king's and kings of king, found by spelling only.
 *
 * Two words are forms of each other if they differ only in a productive pair of endings
 * (spelling/endings.h); or only in two endings each of which is productive with the empty one, and
 * the stem is a word itself; or only in an apostrophe with at most two characters before or after
 * it.
 *
 * Time: some 30 ms once per model, then some hundred lookups per word.
 */
#ifndef PV_MODEL_INFLECTIONS_H
#define PV_MODEL_INFLECTIONS_H

#include "base/memory.h"

typedef struct pv_inflections pv_inflections; /* what is learnt once per model */

void pv_inflections_free(psdvec_context *ctx, pv_inflections *inflections); /* may be NULL */

#endif
