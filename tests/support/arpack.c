/* ARPACK by reverse communication: it requests products until it has the eigenpairs. */
#include "support/arpack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PV_HAVE_ARPACK

/* The last arguments are the lengths of the strings, which Fortran passes implicitly. */
void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t bmat_length, size_t which_length);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t howmny_length, size_t bmat_length, size_t which_length);

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

bool arpack_eigen(size_t n, size_t count, arpack_which which, double tolerance,
                  arpack_apply_fn *apply, void *user, double *values, double *vectors)
{
    const char *name = which == ARPACK_LARGEST ? "LA" : "LM";
    int order = (int)n, wanted = (int)count;
    int basis = 2 * wanted + 20 < order ? 2 * wanted + 20 : order;
    int lworkl = basis * (basis + 8), ido = 0, info = 0;
    int iparam[11] = {1, 0, 3000, 1, 0, 0, 1}, ipntr[11] = {0};
    double *resid = room(n, sizeof *resid), *v = room(n * (size_t)basis, sizeof *v);
    double *workd = room(3 * n, sizeof *workd), *workl = room((size_t)lworkl, sizeof *workl);
    int *select = room((size_t)basis, sizeof *select);
    double *d = room(count, sizeof *d), *z = room(n * count, sizeof *z);

    do {
        dsaupd_(&ido, "I", &order, name, &wanted, &tolerance, resid, &basis, v, &order, iparam,
                ipntr, workd, workl, &lworkl, &info, 1, 2);
        if (ido == 1 || ido == -1)
            apply(user, n, &workd[ipntr[0] - 1], &workd[ipntr[1] - 1]);
    } while (ido == 1 || ido == -1);

    bool converged = info == 0 && iparam[4] >= wanted;
    if (converged) {
        int yes = 1;
        double sigma = 0;
        dseupd_(&yes, "A", select, d, z, &order, &sigma, "I", &order, name, &wanted, &tolerance,
                resid, &basis, v, &order, iparam, ipntr, workd, workl, &lworkl, &info, 1, 1, 2);
        converged = info == 0;
    }
    for (size_t k = 0; converged && k < count; k++) {
        size_t best = 0;
        double largest = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            double size = which == ARPACK_LARGEST ? d[i] : fabs(d[i]);
            if (size > largest) { /* a NAN is also taken */
                largest = size;
                best = i;
            }
        }
        values[k] = d[best];
        memcpy(&vectors[k * n], &z[best * n], n * sizeof *vectors);
        d[best] = NAN;
    }
    free(resid);
    free(v);
    free(workd);
    free(workl);
    free(select);
    free(d);
    free(z);
    return converged;
}

#else

bool arpack_eigen(size_t n, size_t count, arpack_which which, double tolerance,
                  arpack_apply_fn *apply, void *user, double *values, double *vectors)
{
    (void)n, (void)count, (void)which, (void)tolerance, (void)apply, (void)user;
    (void)values, (void)vectors;
    return false;
}

#endif
