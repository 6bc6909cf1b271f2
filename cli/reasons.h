/* Why a model finds two words alike: the words that stand near both, and the directions in
 * which both point. Only frequent words serve as reasons; rare ones say little to a reader. */
#ifndef CLI_REASONS_H
#define CLI_REASONS_H

#include <psdvec/psdvec.h>

#define REASON_WORDS 4

/* A word that the model expects near both, or in whose direction both vectors have a number. */
struct context {
    uint32_t word;
    double with[2]; /* v'Jv with each; or the number of each */
    double seen[2]; /* how often with each, on either side; 0 without counts */
    double part;    /* by which they are ordered; or of the cosine */
};

/* A direction of the read-out. */
struct direction {
    uint32_t number;
    double part;                 /* of the cosine; all parts add up to it */
    uint32_t ends[REASON_WORDS]; /* words that point there most, where the first word points */
    uint32_t count;
};

/* At most `most`, the largest contributions first: the product of what the model says of both
 * pairs, times the frequency of the word to the power of 0.3, as the weights of the default preset
 * have it. With counts (or NULL), words that were seen with both. */
size_t reasons_contexts(const psdvec_model *model, const psdvec_counts *counts,
                        const uint32_t pair[2], struct context *contexts, size_t most);

/* Of a sparse model whose directions are words: at most `most` words in whose direction both have a
 * number, the largest parts of the cosine first. */
size_t reasons_shared(const psdvec_model *model, const uint32_t pair[2], struct context *contexts,
                      size_t most);

/* At most `most`, the largest parts first, of either sign. */
size_t reasons_directions(const psdvec_model *model, const uint32_t pair[2],
                          struct direction *directions, size_t most);

#endif
