/* Alias tables. */
#include "baseline/noise.h"

/* Cells with less than an equal share are filled up from those with more. Both kinds are queued in
 * one array, from its two ends. */
void pv_noise_make(pv_noise *noise, const uint32_t *members, uint32_t count, const double *weight,
                   pv_noise_cell *cells, double *share, uint32_t *queue)
{
    static const double one = 4294967296.0; /* an equal share */
    double total = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++)
        if (weight[members[k]] > 0) {
            cells[n] = (pv_noise_cell){UINT32_MAX, members[k], members[k]};
            share[n++] = weight[members[k]];
            total += weight[members[k]];
        }
    *noise = (pv_noise){.cells = cells, .count = n};
    uint32_t small = 0, large = n;
    for (uint32_t k = 0; k < n; k++) {
        share[k] *= one * n / total;
        queue[share[k] < one ? small++ : --large] = k;
    }
    /* Because of rounding, some cells remain; they count as full shares of their words. */
    while (small > 0 && large < n) {
        uint32_t poor = queue[--small], rich = queue[large];
        cells[poor].limit = (uint32_t)share[poor];
        cells[poor].other = cells[rich].own;
        share[rich] -= one - share[poor];
        if (share[rich] < one) {
            large++;
            queue[small++] = rich;
        }
    }
}
