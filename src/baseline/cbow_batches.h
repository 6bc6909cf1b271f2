/* A chunk of text in batches for CBOW: whose rows are read, and who adds what to which row.
 *
 *     centres     words with words around them, from the whole chunk: batch b has every so-manieth
 *     groups      eight centres of a batch, which share their noise words
 *     additions   what the rows gain from a batch, sorted by the row's owner, in the order of the text
 *
 * The centres of a batch come from all over the chunk, because neighbours have nearly the same words
 * around: they should see each other's steps, and see different noise. The wider the window, the more
 * steps a batch adds to the row of a frequent word, none of which sees the others; so batches of very
 * wide windows have fewer centres, or the steps would lead away. Who owns a row depends on its number
 * alone.
 */
#ifndef PV_BASELINE_CBOW_BATCHES_H
#define PV_BASELINE_CBOW_BATCHES_H

#include "baseline/noise.h"
#include "baseline/word2vec.h"

enum {
    PV_CBOW_BATCH = 256, /* centres, at most */
    PV_CBOW_WIDE = 100,  /* windows from which on there are fewer */
    PV_CBOW_GROUPS = PV_CBOW_BATCH / PV_SGNS_GROUP,
    PV_CBOW_OWNERS = 32
};

/* What is added to a row. */
typedef enum pv_cbow_kind {
    PV_CBOW_AROUND, /* to a word around a centre, as input */
    PV_CBOW_CENTRE, /* to a centre, as output */
    PV_CBOW_DRAWN,  /* to a noise word, as output */
    PV_CBOW_KINDS
} pv_cbow_kind;

enum { PV_CBOW_BUCKETS = PV_CBOW_OWNERS * PV_CBOW_KINDS };

typedef struct pv_cbow_addition {
    uint32_t row;
    uint32_t from; /* AROUND, CENTRE: the centre in its batch; DRAWN: group * width + slot */
} pv_cbow_addition;

typedef struct pv_cbow_centre {
    uint32_t place;  /* in the kept words of the chunk */
    uint32_t around; /* words */
} pv_cbow_centre;

typedef struct pv_cbow_batches {
    pv_scope memory;
    pv_noise noise;
    pv_noise_cell *cells; /* words */
    size_t batch;         /* centres of one, at most */
    size_t *counts;       /* chunk_pieces x 2: centres and words around, and where they begin */
    /* Of the chunk; grown as needed */
    pv_scope chunk;
    size_t centre_count, count; /* of batches */
    size_t centre_room, addition_room;
    pv_cbow_centre *centres;
    uint32_t *slots;             /* count x PV_CBOW_GROUPS x width: noise words, as in a group */
    pv_cbow_addition *additions; /* batch by batch, in each by owner, in each by kind */
    uint32_t *begin;             /* count: the first addition of a batch */
    uint32_t *buckets;           /* count x (PV_CBOW_BUCKETS + 1): from there on */
} pv_cbow_batches;

psdvec_status pv_cbow_batches_open(pv_cbow_batches *b, pv_word2vec *w);
void pv_cbow_batches_close(pv_cbow_batches *b);

/* Draws a chunk. */
psdvec_status pv_cbow_batches_make(pv_cbow_batches *b, pv_word2vec *w, uint32_t epoch, size_t chunk,
                                   uint64_t step);

static inline size_t pv_cbow_centres(const pv_cbow_batches *b, size_t batch)
{
    return (b->centre_count - batch + b->count - 1) / b->count;
}

static inline size_t pv_cbow_groups(const pv_cbow_batches *b, size_t batch)
{
    return (pv_cbow_centres(b, batch) + PV_SGNS_GROUP - 1) / PV_SGNS_GROUP;
}

static inline const pv_cbow_centre *pv_cbow_centre_of(const pv_cbow_batches *b, size_t batch,
                                                      size_t i)
{
    return &b->centres[i * b->count + batch];
}

#endif
