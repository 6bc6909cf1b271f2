/* A counts file in its own folder, with the data that the dense reference reads from it, and
 * options to solve it with. For tests that compare the fast link and solver with the reference. */
#ifndef TESTS_PROBLEM_H
#define TESTS_PROBLEM_H

#include "support/compare.h"

typedef struct problem {
    psdvec_context *ctx;
    char *folder, *path; /* a scratch folder, the counts file in it */
    psdvec_counts *counts;
    dense_counts dense;  /* the contents of the file */
    char messages[8192]; /* of the context, one per line */
} problem;

/* Writes the counts to a file, rounded to 1/scale, and takes ownership of them. Never returns
 * NULL. */
problem *problem_new(dense_counts counts, uint64_t scale, int threads);
/* Counts of a random text, with harmonic distances (so that scale is not 1) and optionally with
 * subsampling. */
problem *problem_of_text(uint64_t seed, size_t words, size_t tokens, bool subsample, int threads);
/* Aborts if the library still holds memory. */
void problem_free(problem *p);

/* Another context, to open the same file with. */
psdvec_context *context_of(int threads);

/* Text of `tokens` words w0, w1, ... by Zipf's law, some of which co-occur often, in short lines.
 * The caller frees it. */
char *random_text(uint64_t seed, size_t words, size_t tokens);

/* The options of the paper for small problems; and factored weights with a background, as in the
 * default preset. Eigenvectors have the accuracy of single precision. */
psdvec_train_options paper_options(uint32_t dim, uint32_t iterations);
psdvec_train_options factored_options(uint32_t dim, uint32_t iterations);

#define ok(call) assert_int_equal((call), PSDVEC_OK)

/* Asserts that a library call succeeds; prints the message if not. */
#define well(ctx, call)                                                                            \
    do {                                                                                           \
        psdvec_status status_ = (call);                                                            \
        if (status_ != PSDVEC_OK)                                                                  \
            fail_msg("%s: %d, %s", #call, (int)status_, psdvec_error_message(ctx));                \
    } while (0)

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double a_ = (a), b_ = (b), tolerance_ = (tolerance);                                       \
        if (!(fabs(a_ - b_) <= tolerance_))                                                        \
            fail_msg("%s is %.17g, and %s is %.17g", #a, a_, #b, b_);                              \
    } while (0)

#define assert_below(a, b)                                                                         \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(a_ < b_))                                                                            \
            fail_msg("%s is %.17g, not below %s, %.17g", #a, a_, #b, b_);                          \
    } while (0)

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        const char *text_ = (text), *part_ = (part);                                               \
        if (!strstr(text_, part_))                                                                 \
            fail_msg("\"%s\" lacks \"%s\"", text_, part_);                                         \
    } while (0)

#endif
