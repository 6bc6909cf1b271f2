/* Tiles of weights, their sums, and the word that a random number selects. */
#include "document/simulate.h"

#include <math.h>

enum { LANES = 16 };

static void tile_weights(const float *p, const float *const *rows, size_t count, size_t begin,
                         float weights[PV_SAMPLE_TILE])
{
    for (size_t j = 0; j < PV_SAMPLE_TILE; j++)
        weights[j] = p[begin + j];
    for (size_t k = 0; k < count; k++) {
        const float *row = rows[k] + begin;
        for (size_t j = 0; j < PV_SAMPLE_TILE; j++)
            weights[j] *= row[j];
    }
}

/* Sums each lane, then the lanes: an order that vector units can follow. */
static double tile_sum(const float weights[PV_SAMPLE_TILE])
{
    float lane[LANES] = {0};
    for (size_t j = 0; j < PV_SAMPLE_TILE; j += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += weights[j + l];
    double sum = 0;
    for (size_t l = 0; l < LANES; l++)
        sum += (double)lane[l];
    return sum;
}

void pv_sample_ends(const float *p, const float *const *rows, size_t count, size_t tiles,
                    double *ends)
{
    float weights[PV_SAMPLE_TILE];
    double sum = 0;
    for (size_t t = 0; t < tiles; t++) {
        tile_weights(p, rows, count, t * PV_SAMPLE_TILE, weights);
        sum += tile_sum(weights);
        ends[t] = sum;
    }
}

size_t pv_sample_find(const float *p, const float *const *rows, size_t count, size_t tiles,
                      const double *ends, double unit, double *probability)
{
    double mark = unit * ends[tiles - 1];
    size_t low = 0, high = tiles - 1; /* the first tile that ends after the mark */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ends[middle] > mark)
            high = middle;
        else
            low = middle + 1;
    }
    float weights[PV_SAMPLE_TILE];
    tile_weights(p, rows, count, low * PV_SAMPLE_TILE, weights);
    double sum = low ? ends[low - 1] : 0;
    /* By rounding, the mark can be after the last weight; then the last word with a weight is
     * taken. */
    size_t last = 0;
    for (size_t j = 0; j < PV_SAMPLE_TILE; j++) {
        sum += (double)weights[j];
        if (!(weights[j] > 0))
            continue;
        last = j;
        if (sum > mark)
            break;
    }
    *probability = (double)weights[last] / ends[tiles - 1];
    return low * PV_SAMPLE_TILE + last;
}

size_t pv_sample_careful(const float *p, const float *const *rows, size_t count, size_t tiles,
                         double unit, double *scratch, double *probability)
{
    size_t n = tiles * PV_SAMPLE_TILE, last = 0;
    double most = -INFINITY, all = 0, sum = 0;
    for (size_t j = 0; j < n; j++) {
        scratch[j] = log((double)p[j]);
        for (size_t k = 0; k < count; k++)
            scratch[j] += log((double)rows[k][j]);
        most = fmax(most, scratch[j]);
    }
    if (most == -INFINITY) /* these words exclude each other, and no word has a positive weight */
        return pv_sample_careful(p, rows, 0, tiles, unit, scratch, probability);
    for (size_t j = 0; j < n; j++)
        all += scratch[j] = exp(scratch[j] - most);
    for (size_t j = 0; j < n; j++) {
        sum += scratch[j];
        if (!(scratch[j] > 0))
            continue;
        last = j;
        if (sum > unit * all)
            break;
    }
    *probability = scratch[last] / all;
    return last;
}
