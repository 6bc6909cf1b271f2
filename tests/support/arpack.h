/* Eigenpairs of a symmetric operator by ARPACK, as a reference. Available only if the tests were
 * built with it (PV_HAVE_ARPACK). */
#ifndef TESTS_ARPACK_H
#define TESTS_ARPACK_H

#include <stdbool.h>
#include <stddef.h>

/* y = A x; n numbers each. */
typedef void arpack_apply_fn(void *user, size_t n, const double *x, double *y);

typedef enum arpack_which {
    ARPACK_LARGEST,          /* algebraic */
    ARPACK_LARGEST_MAGNITUDE /* absolute value */
} arpack_which;

/* `count` < n eigenpairs, by value descending (LARGEST) or by magnitude descending. values: count;
 * vectors: count x n, one unit eigenvector per row. `tolerance` 0: machine precision. False if it
 * did not converge, or there is no ARPACK. */
bool arpack_eigen(size_t n, size_t count, arpack_which which, double tolerance,
                  arpack_apply_fn *apply, void *user, double *values, double *vectors);

#endif
