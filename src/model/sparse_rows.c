/* Sparse rows: products and lengths. */
#include "model/sparse_rows.h"

#include <math.h>
#include <string.h>

double pv_sparse_product(pv_csr_row a, pv_csr_row b)
{
    double sum = 0;
    size_t i = 0, j = 0;
    while (i < a.count && j < b.count) {
        uint32_t left = a.column[i], right = b.column[j];
        if (left == right)
            sum += (double)a.value[i] * (double)b.value[j];
        i += left <= right;
        j += right <= left;
    }
    return sum;
}

double pv_sparse_length(pv_csr_row a)
{
    double sum = 0;
    for (size_t k = 0; k < a.count; k++)
        sum += (double)a.value[k] * (double)a.value[k];
    return sqrt(sum);
}

double pv_sparse_cosine(pv_csr_row a, pv_csr_row b)
{
    double xx = pv_sparse_product(a, a), yy = pv_sparse_product(b, b);
    bool fine = xx > 0 && yy > 0 && isfinite(xx) && isfinite(yy);
    return fine ? pv_sparse_product(a, b) / sqrt(xx * yy) : 0;
}

void pv_sparse_spread_out(pv_csr_row a, uint32_t dim, float *to)
{
    memset(to, 0, dim * sizeof *to);
    for (size_t k = 0; k < a.count && a.column[k] < dim; k++)
        to[a.column[k]] = a.value[k];
}
