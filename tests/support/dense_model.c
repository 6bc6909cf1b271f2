/* The dense reference: the formulas of docs/explanation/model.md, implemented directly. */
#include "support/dense_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK. The last arguments are the lengths of the strings, which Fortran passes implicitly. */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, int *info, size_t uplo_length);
/* OpenBLAS. For matrices this small, synchronising threads takes longer than the work. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static void need(bool truth)
{
    if (!truth)
        abort();
}

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    need(memory != NULL);
    return memory;
}

static double *numbers(size_t count)
{
    return zeros(count, sizeof(double));
}

static double *copy_of(size_t count, const double *a)
{
    double *copy = numbers(count);
    memcpy(copy, a, count * sizeof *a);
    return copy;
}

/* ---- Linear algebra -------------------------------------------------------------------------- */

void dense_eigen(size_t n, const double *A, double *values, double *Q)
{
    if (n == 0)
        return;
    /* LAPACK's matrices are column-major: its eigenvectors, columns, are our rows. */
    memcpy(Q, A, n * n * sizeof *A);
    int order = (int)n, length = -1, info = 0;
    double best = 0;
    int threads = openblas_get_num_threads();
    openblas_set_num_threads(1);
    dsyev_("V", "U", &order, Q, &order, values, &best, &length, &info, 1, 1);
    need(info == 0);
    length = (int)best;
    double *work = numbers((size_t)length);
    dsyev_("V", "U", &order, Q, &order, values, work, &length, &info, 1, 1);
    need(info == 0);
    openblas_set_num_threads(threads);
    free(work);
}

double *dense_products(size_t n, size_t rank, const double *V, const double *sign)
{
    double *X = numbers(n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rank; k++)
                X[i * n + j] += V[i * rank + k] * sign[k] * V[j * rank + k];
    return X;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

dense_counts dense_counts_new(size_t words)
{
    return (dense_counts){words, numbers(words * words), numbers(words)};
}

dense_counts dense_counts_read(const psdvec_counts *counts)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    dense_counts c = dense_counts_new(info->words);
    for (uint32_t i = 0; i < info->words; i++) {
        c.frequency[i] = (double)psdvec_counts_frequency(counts, i);
        for (uint32_t j = 0; j < info->words; j++)
            c.x[i * c.words + j] = (double)psdvec_counts_get(counts, i, j) / (double)info->scale *
                                   psdvec_counts_retention(counts, i) *
                                   psdvec_counts_retention(counts, j);
    }
    return c;
}

void dense_counts_free(dense_counts *c)
{
    free(c->x);
    free(c->frequency);
    *c = (dense_counts){0};
}

/* ---- Link ------------------------------------------------------------------------------------ */

dense_link dense_link_blank(size_t words, size_t core)
{
    dense_link l = {.words = words, .core = core};
    l.X = numbers(words);
    l.Y = numbers(words);
    l.u = numbers(words);
    l.G = numbers(words * words);
    l.f = numbers(words * words);
    l.b = numbers(words * words);
    l.seen = zeros(words * words, sizeof *l.seen);
    l.m = numbers(words);
    l.mu = numbers(words);
    for (size_t i = 0; i < words; i++)
        l.m[i] = 1;
    return l;
}

void dense_link_free(dense_link *l)
{
    free(l->X);
    free(l->Y);
    free(l->u);
    free(l->G);
    free(l->f);
    free(l->b);
    free(l->seen);
    free(l->m);
    free(l->mu);
    *l = (dense_link){0};
}

/* G of the paper: the log of the smoothed P(j | i) divided by P(j). */
static double smoothed_target(const dense_link *l, double kappa, size_t i, size_t j, double x)
{
    if (x == 0 || l->u[j] == 0)
        return log(kappa);
    double smoothed = (1 - kappa) * x / l->X[i] + kappa * l->u[j];
    return log(smoothed) - log(l->u[j]);
}

/* Descending. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* C: the square root of the k-th largest h_ij of seen ordered core pairs, where k is the share
 * `cut` of all n^2 pairs, at least one; the smallest of them if there are fewer. 0: none. */
static double find_cut(const dense_counts *c, size_t core, const double *h, double cut)
{
    size_t count = 0;
    double *list = numbers(core * core);
    for (size_t i = 0; i < core; i++)
        for (size_t j = 0; j < core; j++)
            if (i != j && c->x[i * c->words + j] > 0)
                list[count++] = h[i * c->words + j];
    qsort(list, count, sizeof *list, by_size);
    double k = ceil(cut * ((double)core * (double)core));
    size_t place = k < 1 ? 1 : k > (double)count ? count : (size_t)k;
    double found = count ? sqrt(list[place - 1]) : 0;
    free(list);
    return found;
}

/* min(1, sqrt(h) / C) */
static double capped_root(double h, double C)
{
    return h == 0 || C == 0 ? 0 : fmin(1, sqrt(h) / C);
}

static void set_targets(dense_link *l, const dense_counts *c, const psdvec_train_options *o)
{
    size_t n = l->words;
    double powers = 0; /* sum of r^p */
    for (size_t i = 0; i < n; i++)
        powers += pow(l->X[i] + l->Y[i], o->context_power);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double x = c->x[i * n + j], s = x + c->x[j * n + i];
            double ri = l->X[i] + l->Y[i], rj = l->X[j] + l->Y[j];
            double *G = &l->G[i * n + j];
            if (o->target == PSDVEC_TARGET_SMOOTHED) {
                *G = smoothed_target(l, o->kappa, i, j, x);
            } else if (s > 0) {
                double pci = pow(ri, o->context_power) / powers;
                double pcj = pow(rj, o->context_power) / powers;
                *G = (log(s / (ri * pcj)) + log(s / (rj * pci))) / 2;
            }
        }
    }
}

static void set_square_root_weights(dense_link *l, const dense_counts *c,
                                    const psdvec_train_options *o)
{
    size_t n = l->words;
    double *h = copy_of(n * n, c->x);
    if (o->weights == PSDVEC_WEIGHTS_SMOOTHED)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                h[i * n + j] = (1 - o->kappa) * c->x[i * n + j] / l->total +
                               o->kappa * l->u[i] * l->u[j];
    l->cut = find_cut(c, l->core, h, o->cut);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                l->f[i * n + j] = capped_root(h[i * n + j], l->cut);
    free(h);
}

static void set_glove_weights(dense_link *l, const dense_counts *c, const psdvec_train_options *o)
{
    size_t n = l->words;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double s = c->x[i * n + j] + c->x[j * n + i];
            if (i != j && s > 0)
                l->f[i * n + j] = fmin(1, pow(s / o->glove_max, o->glove_power));
        }
}

static double faded(double r, const psdvec_train_options *o)
{
    return o->rho_pairs > 0 ? fmin(1, pow(r / o->rho_pairs, o->factor_power)) : 1;
}

/* f = a_i a_j sigma(pmi), the background rho z_i z_j, the majoriser a_i a_j. */
static void set_factored_weights(dense_link *l, const dense_counts *c,
                                 const psdvec_train_options *o)
{
    size_t n = l->words;
    double mean = 0;
    for (size_t i = 0; i < l->core; i++)
        mean += pow(l->X[i] + l->Y[i], o->factor_power) / (double)l->core;
    double *a = l->m;
    for (size_t i = 0; i < n; i++)
        a[i] = mean > 0 ? pow(l->X[i] + l->Y[i], o->factor_power) / mean : 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (i == j)
                continue;
            double s = c->x[i * n + j] + c->x[j * n + i];
            double ri = l->X[i] + l->Y[i], rj = l->X[j] + l->Y[j];
            if (s > 0) {
                double pmi = log(s * 2 * l->total / (ri * rj));
                l->f[i * n + j] = a[i] * a[j] / (1 + exp(-pmi));
            }
            l->b[i * n + j] = o->rho * a[i] * faded(ri, o) * a[j] * faded(rj, o);
        }
    }
    l->background = o->rho_target;
}

static void set_priors(dense_link *l, const dense_counts *c, const psdvec_train_options *o)
{
    for (size_t i = 0; i < l->words; i++) {
        double size = o->core_mu;
        if (i >= l->core) {
            size_t band = 0, place = i - l->core, others = l->words - l->core;
            if (o->bands)
                while (band + 1 < o->mu_count && i >= o->bands[band])
                    band++;
            else
                band = place * o->mu_count / others;
            size = o->mu_count ? o->mu[band] : 0;
        }
        double ratio = 1;
        if (c->frequency)
            ratio = fmax(1, c->frequency[l->core - 1]) / fmax(1, c->frequency[i]);
        l->mu[i] = size * pow(ratio, o->mu_power);
    }
}

dense_link dense_link_make(const dense_counts *c, const psdvec_train_options *o)
{
    size_t n = c->words;
    dense_link l = dense_link_blank(n, o->core && o->core < n ? o->core : n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            l.X[i] += c->x[i * n + j];
            l.Y[j] += c->x[i * n + j];
            l.total += c->x[i * n + j];
            l.seen[i * n + j] = c->x[i * n + j] + c->x[j * n + i] > 0;
        }
    for (size_t j = 0; j < n; j++)
        l.u[j] = l.total > 0 ? l.Y[j] / l.total : 0;
    set_targets(&l, c, o);
    switch (o->weights) {
    case PSDVEC_WEIGHTS_RAW:
    case PSDVEC_WEIGHTS_SMOOTHED:
        set_square_root_weights(&l, c, o);
        break;
    case PSDVEC_WEIGHTS_GLOVE:
        set_glove_weights(&l, c, o);
        break;
    case PSDVEC_WEIGHTS_FACTORED:
        set_factored_weights(&l, c, o);
        break;
    }
    if (l.core > 0)
        set_priors(&l, c, o);
    return l;
}

/* ---- The objective --------------------------------------------------------------------------- */

double dense_objective(const dense_link *l, size_t rank, const double *V, const double *sign)
{
    double L = 0;
    double *X = dense_products(l->core, rank, V, sign);
    for (size_t i = 0; i < l->core; i++) {
        for (size_t j = 0; j < l->core; j++) {
            size_t ij = i * l->words + j;
            double product = X[i * l->core + j];
            L += l->f[ij] * (l->G[ij] - product) * (l->G[ij] - product);
            L += l->b[ij] * (l->background - product) * (l->background - product);
        }
        for (size_t k = 0; k < rank; k++)
            L += l->mu[i] * V[i * rank + k] * V[i * rank + k];
    }
    free(X);
    return L;
}

/* ---- Algorithm 1 ----------------------------------------------------------------------------- */

/* A matrix as U J U', in the coordinates of the majoriser: Y = D^1/2 X D^1/2. */
typedef struct factors {
    size_t rank;
    double *value; /* rank, with signs, by magnitude descending */
    double *Q;     /* rank x n: unit eigenvectors as rows */
} factors;

static void factors_free(factors *f)
{
    free(f->value);
    free(f->Q);
    *f = (factors){0};
}

static void add_factor(factors *f, size_t n, double value, const double *q)
{
    size_t place = f->rank++;
    for (; place > 0 && fabs(value) > fabs(f->value[place - 1]); place--) {
        f->value[place] = f->value[place - 1];
        memcpy(&f->Q[place * n], &f->Q[(place - 1) * n], n * sizeof *q);
    }
    f->value[place] = value;
    memcpy(&f->Q[place * n], q, n * sizeof *q);
}

/* The nearest matrix to A of rank at most `most`, semidefinite or only symmetric. */
static factors nearest(size_t n, const double *A, size_t most, psdvec_form form)
{
    factors f = {0, numbers(n), numbers(n * n)};
    double *value = numbers(n), *Q = numbers(n * n);
    dense_eigen(n, A, value, Q);
    /* Ascending: the largest in magnitude is at one of the two ends. */
    for (size_t low = 0, high = n; low < high && f.rank < most;) {
        bool top = form == PSDVEC_FORM_PSD || fabs(value[high - 1]) >= fabs(value[low]);
        size_t k = top ? --high : low++;
        if (form == PSDVEC_FORM_PSD && value[k] <= 0)
            break;
        add_factor(&f, n, value[k], &Q[k * n]);
    }
    free(value);
    free(Q);
    return f;
}

typedef struct training {
    const dense_link *link;
    const psdvec_train_options *options;
    size_t n;
    double *X;        /* n x n; before the first step it need not be symmetric */
    factors kept;     /* the factors of X */
    double *V, *sign; /* n x rank, rank */
    double *basis;    /* bases x n: the eigenvectors of the last accepted step */
    size_t bases;
    double trace, sum; /* of the last step */
    bool refined;
} training;

/* D^1/2 and its inverse. A word without weight has the vector 0. */
static double root(const training *s, size_t i)
{
    return sqrt(s->link->m[i]);
}

static double inverse_root(const training *s, size_t i)
{
    return s->link->m[i] > 0 ? 1 / sqrt(s->link->m[i]) : 0;
}

/* A = D^1/2 X D^1/2 + omega D^-1/2 R D^-1/2, symmetrised. With m = 1, omega = 1 and no background
 * this is the symmetric part of W o G + (1 - W) o X. */
static double *step_matrix(const training *s, const double *X, double omega)
{
    size_t n = s->n;
    const dense_link *l = s->link;
    double *B = numbers(n * n), *A = numbers(n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t ij = i * l->words + j;
            double x = X[i * n + j];
            double R = l->f[ij] * (l->G[ij] - x) + l->b[ij] * (l->background - x);
            B[i * n + j] = root(s, i) * x * root(s, j) +
                           omega * inverse_root(s, i) * R * inverse_root(s, j);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = (B[i * n + j] + B[j * n + i]) / 2;
    free(B);
    return A;
}

/* The prior in the coordinates of the majoriser, scaled by omega for a step of length omega: omega
 * mu_i / (2 m_i) off the diagonal. */
static void subtract_priors(const training *s, double omega, double *A)
{
    for (size_t i = 0; i < s->n; i++)
        A[i * s->n + i] -= omega * s->link->mu[i] * inverse_root(s, i) * inverse_root(s, i) / 2;
}

/* A Q (Q'AQ)^-1 Q'A, with the eigenvectors of the previous step, as an approximation of A; or A
 * itself if the product of A with an eigenvector of Q'AQ is longer than twice its eigenvalue. */
static double *approximated(const training *s, double *A, bool *refined)
{
    size_t n = s->n, m = s->bases;
    double *Y = numbers(m * n), *H = numbers(m * m), *Z = numbers(m * m), *theta = numbers(m);
    double *y = numbers(n), *out = numbers(n * n);
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                Y[k * n + i] += A[i * n + j] * s->basis[k * n + j];
    for (size_t k = 0; k < m; k++)
        for (size_t q = 0; q < m; q++)
            for (size_t i = 0; i < n; i++)
                H[k * m + q] += s->basis[k * n + i] * Y[q * n + i];
    dense_eigen(m, H, theta, Z);
    *refined = true;
    for (size_t k = 0; k < m; k++) {
        double square = 0;
        memset(y, 0, n * sizeof *y);
        for (size_t q = 0; q < m; q++)
            for (size_t i = 0; i < n; i++)
                y[i] += Z[k * m + q] * Y[q * n + i];
        for (size_t i = 0; i < n; i++) {
            square += y[i] * y[i];
            for (size_t j = 0; j < n; j++)
                out[i * n + j] += y[i] * y[j] / theta[k];
        }
        *refined = *refined && sqrt(square) <= 2 * fabs(theta[k]);
    }
    free(*refined ? A : out);
    free(Y);
    free(H);
    free(Z);
    free(theta);
    free(y);
    return *refined ? out : A;
}

/* Takes one step of length omega from X; the results are V, sign and kept, X does not change. */
static void take_step(training *s, double omega, size_t rank, bool exact)
{
    size_t n = s->n;
    factors_free(&s->kept);
    free(s->V);
    free(s->sign);

    double *A = step_matrix(s, s->X, omega);
    subtract_priors(s, omega, A);
    s->refined = false;
    if (!exact && s->bases >= rank)
        A = approximated(s, A, &s->refined);
    s->kept = nearest(n, A, rank, s->options->form);
    s->trace = s->sum = 0;
    for (size_t i = 0; i < n; i++)
        s->trace += A[i * n + i];
    free(A);

    /* V = D^-1/2 Q |value|^1/2 */
    rank = s->kept.rank;
    s->V = numbers(n * rank);
    s->sign = numbers(rank);
    for (size_t k = 0; k < rank; k++) {
        s->sum += s->kept.value[k];
        s->sign[k] = s->kept.value[k] < 0 ? -1 : 1;
        for (size_t i = 0; i < n; i++)
            s->V[i * rank + k] = inverse_root(s, i) * s->kept.Q[k * n + i] *
                                 sqrt(fabs(s->kept.value[k]));
    }
}

/* Computes X from the kept factors. */
static void accept_step(training *s)
{
    free(s->X);
    s->X = dense_products(s->n, s->kept.rank, s->V, s->sign);
    free(s->basis);
    s->bases = s->kept.rank;
    s->basis = copy_of(s->bases * s->n, s->kept.Q ? s->kept.Q : s->X);
}

static void start(training *s)
{
    size_t n = s->n;
    s->X = numbers(n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            s->X[i * n + j] = s->options->start * s->link->G[i * s->link->words + j];
}

static void solve_core(const dense_link *l, const psdvec_train_options *o, dense_model *m)
{
    training s = {.link = l, .options = o, .n = l->core};
    start(&s);
    m->iterations = zeros(o->iterations, sizeof *m->iterations);
    /* G/2 is not a feasible point, because its rank is too high: there is nothing to compare
     * with. */
    double before = o->start == 0 ? dense_objective(l, 0, NULL, NULL) : INFINITY;
    /* Shorter steps to repeat a step that raised the objective. With a background, weights reach (1
     * + rho) m_i m_j, and even 1 may be too long. */
    double shorter[2] = {1, o->weights == PSDVEC_WEIGHTS_FACTORED ? 1 / (1 + o->rho) : 1};
    for (uint32_t t = 1; t <= o->iterations; t++) {
        size_t rank = o->dim + (size_t)o->rank_extra * (o->iterations - t);
        if (rank > l->core)
            rank = l->core;
        double omega = o->relaxation;
        bool exact = o->exact_iterations == 0 || o->tolerance > 0 ||
                     (t - 1) % (o->exact_iterations + 3) < o->exact_iterations;
        take_step(&s, omega, rank, exact);
        double L = dense_objective(l, s.kept.rank, s.V, s.sign);
        for (int k = 0; k < 2 && L > before; k++) {
            if (omega <= shorter[k])
                continue;
            omega = shorter[k];
            take_step(&s, omega, rank, exact);
            L = dense_objective(l, s.kept.rank, s.V, s.sign);
        }
        if (s.refined && L > before && rank >= s.bases) {
            take_step(&s, omega, rank, true);
            L = dense_objective(l, s.kept.rank, s.V, s.sign);
        }
        accept_step(&s);

        dense_iteration *report = &m->iterations[m->iteration_count++];
        report->rank = (uint32_t)s.kept.rank;
        for (size_t k = 0; k < s.kept.rank; k++)
            report->positive += s.kept.value[k] > 0;
        report->objective = L;
        report->relaxation = omega;
        report->trace = s.trace;
        report->kept = s.sum;
        report->smallest = s.kept.rank ? s.kept.value[s.kept.rank - 1] : 0;

        bool last_rank = o->rank_extra == 0 || t == o->iterations;
        if (o->tolerance > 0 && last_rank && before - L < o->tolerance * before)
            break;
        before = L;
    }
    m->rank = s.kept.rank;
    m->V = numbers(l->words * m->rank);
    if (s.V)
        memcpy(m->V, s.V, l->core * m->rank * sizeof *m->V);
    m->sign = copy_of(m->rank, s.sign ? s.sign : m->V);
    m->eigenvalue = copy_of(m->rank, s.kept.value ? s.kept.value : m->V);
    factors_free(&s.kept);
    free(s.V);
    free(s.sign);
    free(s.X);
    free(s.basis);
}

/* ---- Regression ------------------------------------------------------------------------------ */

/* The shortest x that minimises |H x - g|. Returns log det H, -INFINITY if H is singular. */
static double solve_normal(size_t n, const double *H, const double *g, double *x)
{
    double *value = numbers(n), *Q = numbers(n * n), log_det = 0;
    dense_eigen(n, H, value, Q);
    memset(x, 0, n * sizeof *x);
    double smallest = n ? value[n - 1] * 1e-12 : 0;
    for (size_t k = 0; k < n; k++)
        log_det += value[k] > smallest ? log(value[k]) : -INFINITY;
    if (isfinite(log_det)) {
        double *L = copy_of(n * n, H);
        memcpy(x, g, n * sizeof *x);
        int order = (int)n, one = 1, info = 0;
        if (n > 0)
            dposv_("U", &order, &one, L, &order, x, &order, &info, 1);
        need(info == 0);
        free(L);
    } else {
        for (size_t k = 0; k < n; k++) {
            double c = 0;
            for (size_t i = 0; i < n; i++)
                c += Q[k * n + i] * g[i];
            for (size_t i = 0; value[k] > smallest && i < n; i++)
                x[i] += c / value[k] * Q[k * n + i];
        }
    }
    free(value);
    free(Q);
    return log_det;
}

/* One term weight * (target - v'z)^2. */
static void add_term(size_t rank, double weight, double target, const double *z, double *H,
                     double *g)
{
    for (size_t k = 0; k < rank; k++) {
        g[k] += weight * target * z[k];
        for (size_t q = 0; q < rank; q++)
            H[k * rank + q] += weight * z[k] * z[q];
    }
}

double dense_regress(const dense_link *l, const psdvec_train_options *o, const dense_model *m,
                     size_t w, double *v)
{
    size_t n = l->words, rank = m->rank;
    double *H = numbers(rank * rank), *g = numbers(rank), *z = numbers(rank);
    for (size_t k = 0; k < rank; k++)
        H[k * rank + k] = l->mu[w];
    for (size_t j = 0; j < l->core; j++) {
        if (j == w)
            continue;
        for (size_t k = 0; k < rank; k++)
            z[k] = m->sign[k] * m->V[j * rank + k]; /* J v_j */
        size_t wj = w * n + j, jw = j * n + w;
        add_term(rank, l->f[wj], l->G[wj], z, H, g);
        add_term(rank, l->f[jw], l->G[jw], z, H, g);
        add_term(rank, l->b[wj] + l->b[jw], l->background, z, H, g);
        if (w >= l->core && !l->seen[wj])
            add_term(rank, o->unseen_weight, 0, z, H, g);
    }
    double log_det = solve_normal(rank, H, g, v);
    free(H);
    free(g);
    free(z);
    return rank ? sqrt(0.5) * exp(-log_det / (2 * (double)rank)) : INFINITY;
}

/* ---- Training -------------------------------------------------------------------------------- */

dense_model dense_train(const dense_link *l, const psdvec_train_options *o)
{
    dense_model m = {.words = l->words, .core = l->core, .spread = numbers(l->words)};
    solve_core(l, o, &m);
    double *v = numbers(m.rank);
    for (size_t w = 0; w < l->words; w++) {
        m.spread[w] = dense_regress(l, o, &m, w, v);
        if (w >= l->core)
            memcpy(&m.V[w * m.rank], v, m.rank * sizeof *v);
    }
    free(v);
    return m;
}

void dense_model_free(dense_model *m)
{
    free(m->V);
    free(m->sign);
    free(m->eigenvalue);
    free(m->spread);
    free(m->iterations);
    *m = (dense_model){0};
}
