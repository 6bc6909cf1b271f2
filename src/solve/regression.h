/* Vectors for words outside the core (section 5.3, step 4), by weighted ridge regression on the
 * core, whose vectors do not change. Without a background it is the formula of the paper,
 *     v = (V_1 diag(f) V_1' + mu I)^-1 V_1 diag(f) g.
 *
 * For a word w the vector minimises, over the core words j,
 *     sum f_j (g_j - v' J v_j)^2 + sum b_j (g_0 - v' J v_j)^2 + mu |v|^2
 * where the first sum is over the seen pairs and the second, if there is a background, over all
 * pairs, with b_j = c_w z_j. So the matrix of the normal equations is
 *     H = A'A + c_w C + mu I,   A: a row sqrt(f_j) J v_j for each pair seen,
 *     C = sum z_j (J v_j)(J v_j)': the same for all words, computed once.
 * All computations use the basis in which C is diagonal. Then c_w C + mu I is diagonal too, and a
 * word with fewer pairs m than dimensions N is solved in the dual form with a matrix of m rows
 * (Woodbury), at m^2 N + m^3 / 3 flops instead of m N^2 + N^3 / 3.
 *
 * The matrix is scaled to I + B'B, B = A (c_w C + mu)^-½, and factored with small integers (kernels
 * in regression_kernels.h) or in single precision; the solution is refined. Where the prior is too
 * weak for that, or 0, H is solved in double precision, if necessary by its eigendecomposition,
 * which gives the minimum-norm solution. docs/explanation/solver.md lists the limits.
 *
 * The posterior covariance of the vector is ½ H^-1; its spread, sqrt(½) det(H)^(-1/2N), the
 * geometric mean of the standard deviations, follows from the Cholesky factor.
 */
#ifndef PV_SOLVE_REGRESSION_H
#define PV_SOLVE_REGRESSION_H

#include "base/progress.h"
#include "link/link.h"

typedef struct pv_regression pv_regression;

/* vectors: core_count x dim, row-major; sign: dim (+1, -1). row_of[word of the counts]: its row in
 * `vectors`, or UINT32_MAX. The arrays must outlive the regression. */
psdvec_status pv_regression_open(const pv_link *link, const float *vectors, size_t core_count,
                                 size_t dim, const float *sign, const uint32_t *row_of,
                                 pv_regression **regression);
void pv_regression_close(pv_regression *regression);
/* Upper bound of the bytes that it allocates, from opening to closing, for counts with this many
 * words and bigrams. */
uint64_t pv_regression_bytes(uint64_t core_count, uint64_t dim, uint64_t words, uint64_t bigrams,
                             int threads);

/* Solved words are added to `progress`, of a stage of several calls. Otherwise each call is a
 * stage. */
void pv_regression_report_to(pv_regression *regression, pv_progress *progress);

/* words[0 .. count): ascending word numbers of the counts; mu: their priors. out: count x dim;
 * spread: count (may be NULL). */
psdvec_status pv_regression_solve(pv_regression *regression, const uint32_t *words, size_t count,
                                  const double *mu, float *out, float *spread);

#endif
