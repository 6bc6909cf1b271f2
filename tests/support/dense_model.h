/* The model of the paper in its simplest form: dense matrices, double precision, every eigenvalue
 * from LAPACK. The fast link and solver must agree with it. docs/explanation/model.md has the
 * formulas, with the same letters.
 *
 * It shares only the struct of options with the library. Options are not checked.
 *
 * Matrices are row-major. x_ij: word j follows word i.
 *
 * Cost: 8 n^2 bytes per matrix, about ten of them, and one to three full eigendecompositions (10
 * n^3 operations each) per iteration. Suitable for n up to a few hundred.
 */
#ifndef TESTS_DENSE_MODEL_H
#define TESTS_DENSE_MODEL_H

#include <psdvec/psdvec.h>

/* ---- Counts ---------------------------------------------------------------------------------- */

typedef struct dense_counts {
    size_t words;
    double *x;         /* words x words; real numbers, not negative */
    double *frequency; /* words: frequency in the text; NULL: all equal */
} dense_counts;

dense_counts dense_counts_new(size_t words); /* all zero, with frequencies */
/* The counts of a counts file: value / scale * keep_i * keep_j. */
dense_counts dense_counts_read(const psdvec_counts *counts);
void dense_counts_free(dense_counts *counts);

/* ---- Link: targets and weights --------------------------------------------------------------- */

/* For all words, so that it serves the core and the regression. A test may also fill one in by hand
 * (dense_link_blank), with any targets and weights. */
typedef struct dense_link {
    size_t words, core;
    double *X, *Y;     /* words: context totals, focus totals */
    double total;      /* sum of all counts */
    double *u;         /* words: unigram probabilities */
    double *G;         /* words x words: directed targets, including the diagonal */
    double *f;         /* words x words: directed weights, 0 on the diagonal */
    double *b;         /* words x words: weights of the background, rho a_i a_j; diagonal 0 */
    double background; /* its target */
    bool *seen;        /* words x words: x_ij + x_ji > 0 */
    double cut;        /* C, RAW and SMOOTHED; 0: nothing was seen */
    double *m;         /* words: the majoriser is m_i m_j */
    double *mu;        /* words: priors */
} dense_link;

dense_link dense_link_make(const dense_counts *counts, const psdvec_train_options *options);
/* G, f, b, mu zero, nothing seen, m one. */
dense_link dense_link_blank(size_t words, size_t core);
void dense_link_free(dense_link *link);

/* ---- Model ----------------------------------------------------------------------------------- */

typedef struct dense_iteration {
    uint32_t rank;     /* eigenvalues kept */
    uint32_t positive; /* number of positive ones */
    double objective;  /* L after the step */
    double relaxation; /* length of the accepted step */
    double trace;      /* of the matrix that was decomposed, G_t in the paper */
    double kept;       /* sum of the kept eigenvalues, with signs */
    double smallest;   /* smallest magnitude of a kept eigenvalue */
} dense_iteration;

typedef struct dense_model {
    size_t words, core;
    size_t rank;        /* columns of V; may be less than N */
    double *V;          /* words x rank: one word per row, columns by |eigenvalue| */
    double *sign;       /* rank: the diagonal of J */
    double *eigenvalue; /* rank, with signs */
    double *spread;     /* words; INFINITY if the seen words leave a direction undetermined */
    dense_iteration *iterations;
    size_t iteration_count;
} dense_model;

/* Algorithm 1 on the core, then the regression of the other words. */
dense_model dense_train(const dense_link *link, const psdvec_train_options *options);
void dense_model_free(dense_model *model);

/* The objective of the core, term by term:
 *     sum_{i != j} f_ij (G_ij - v_i' J v_j)^2 + b_ij (background - v_i' J v_j)^2
 *     + sum_i mu_i |v_i|^2.
 * V: link->core x rank. */
double dense_objective(const dense_link *link, size_t rank, const double *V, const double *sign);

/* The vector of word w that minimises its penalties against the fixed core (without w if it is a
 * core word), by the normal equations. `v`: rank. Returns the spread. `unseen_weight` applies only
 * to words outside the core: the objective of the core does not have it. */
double dense_regress(const dense_link *link, const psdvec_train_options *options,
                     const dense_model *model, size_t w, double *v);

/* ---- Linear algebra, for tests --------------------------------------------------------------- */

/* All eigenvalues of a symmetric matrix, ascending, and the eigenvectors as the rows of Q. A and Q:
 * n x n, not overlapping. */
void dense_eigen(size_t n, const double *A, double *values, double *Q);

/* V J V': n x n. The caller frees it. */
double *dense_products(size_t n, size_t rank, const double *V, const double *sign);

#endif
