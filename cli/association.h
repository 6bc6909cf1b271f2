/* How strongly two words belong together, from the counts of their pair. */
#ifndef CLI_ASSOCIATION_H
#define CLI_ASSOCIATION_H

#include <psdvec/psdvec.h>

/* The margins of the expected counts x_ij * keep_i * keep_j. */
struct margins {
    double *context; /* words: sum over the focus */
    double *focus;   /* words: sum over the context */
    double total;
    double *keeps; /* NULL: all 1 */
    double scale;
};

void margins_start(struct margins *margins, const psdvec_counts *counts);
void margins_end(struct margins *margins);

/* The expected count of a stored value. */
double margins_count(const struct margins *margins, uint32_t context, uint32_t focus,
                     uint64_t value);

struct association {
    double lift;  /* how many times as often as chance would have it */
    double score; /* how much it is worth telling; negative: they avoid each other */
};

struct association associate(const struct margins *margins, uint32_t context, uint32_t focus,
                             double count);

#endif
