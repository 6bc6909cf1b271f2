/* The curves of a description: words by frequency, and lengths of vectors by frequency.
 *
 * Curves have a limited number of points, at ranks that are evenly spaced on a logarithmic scale, so
 * the size of a description does not depend on the number of words. The lengths of at most MEASURED
 * words are computed, at evenly spaced ranks. Time: words + MEASURED x dim.
 */
#include "report/report.h"

#include "base/sort.h"

#include <math.h>

enum { RANKS = 160, POINTS = 1200, MEASURED = 100000, BANDS = 65, LEAST_BAND = 10 };

/* ---- Words by frequency --------------------------------------------------------------------- */

/* The k-th of `count` indices below n, evenly spaced on a logarithmic scale from 0 to n - 1. */
static uint32_t spaced(size_t k, size_t count, uint32_t n)
{
    double at = count > 1 ? exp(log(n) * (double)k / (double)(count - 1)) : 1;
    return at >= n ? n - 1 : (uint32_t)(at + 0.5) - 1;
}

/* The slope of log frequency over log rank, by least squares over the points of the curve, which
 * are evenly spaced; words that occur once or twice are left out, because ties bend their end. */
static double fit_exponent(const pv_report *r)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < r->rank_count; k++) {
        if (r->ranks[k].rank < 10 || r->ranks[k].frequency < 3)
            continue;
        double a = log(r->ranks[k].rank), b = log((double)r->ranks[k].frequency);
        n++;
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    double spread = xx - x * x / n;
    return n >= 5 && spread > 0 ? -(xy - x * y / n) / spread : (double)NAN;
}

static int by_frequency(const void *a, const void *b, void *arg)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)arg;
    return x > y ? -1 : x < y;
}

/* Words are sorted by frequency in models that were trained, but not in extended ones. */
static psdvec_status rank_words(pv_report *r)
{
    uint32_t n = r->info->words;
    pv_scope temp = {.ctx = r->ctx, .what = "the frequencies of words"};
    uint64_t *sorted, sum = 0;
    psdvec_status status;
    PV_TAKE(&temp, sorted, n);
    PV_TAKE(&r->scope, r->ranks, RANKS);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&r->scope));
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = r->model->counts[i];
        r->occurrences += sorted[i];
    }
    PV_TRY_DONE(pv_sort(r->ctx, sorted, n, sizeof *sorted, by_frequency, NULL));
    for (uint32_t i = 0; i < n; i++) {
        sum += sorted[i];
        if (!r->half && sum >= r->occurrences - r->occurrences / 2)
            r->half = i + 1;
        if (!r->nine_tenths && sum >= r->occurrences - r->occurrences / 10)
            r->nine_tenths = i + 1;
    }
    for (size_t k = 0; k < RANKS; k++) {
        uint32_t at = spaced(k, RANKS, n);
        if (r->rank_count == 0 || r->ranks[r->rank_count - 1].rank < at + 1)
            r->ranks[r->rank_count++] = (pv_report_rank){at + 1, sorted[at]};
    }
    r->exponent = fit_exponent(r);
done:
    pv_scope_free(&temp);
    return status;
}

/* ---- Lengths --------------------------------------------------------------------------------- */

static psdvec_status length_of(const pv_report *r, uint32_t word, float *vector, double *length)
{
    double square = 0;
    const float *values = vector;
    size_t count = r->info->dim;
    if (r->info->sparse)
        psdvec_model_sparse_row(r->model, word, NULL, &values, &count);
    else
        psdvec_model_vector_copy(r->model, word, vector);
    for (size_t k = 0; k < count; k++)
        square += (double)values[k] * (double)values[k];
    *length = sqrt(square);
    return isfinite(square) ? PSDVEC_OK : pv_model_check_word(r->ctx, r->model, word);
}

/* What the bands divide: the frequency of a word, or its rank. */
static double key_of(const pv_report *r, uint32_t word)
{
    return r->model->counts ? (double)r->model->counts[word] : word + 1.0;
}

static size_t band_of(double key)
{
    return key < 1 ? 0 : (size_t)floor(log2(key));
}

static int by_length(const void *a, const void *b, void *arg)
{
    double x = *(const double *)a, y = *(const double *)b;
    (void)arg;
    return x < y ? -1 : x > y;
}

static double percentile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

/* The lengths of band b are those from begin[b] on. */
static psdvec_status describe_bands(pv_report *r, double *lengths, const size_t *begin,
                                    const double (*ends)[2])
{
    PV_TAKE(&r->scope, r->bands, BANDS);
    PV_TRY(pv_scope_status(&r->scope));
    for (size_t b = 0; b < BANDS; b++) {
        double *sorted = lengths + begin[b];
        size_t count = begin[b + 1] - begin[b];
        if (count < LEAST_BAND)
            continue;
        PV_TRY(pv_sort(r->ctx, sorted, count, sizeof *sorted, by_length, NULL));
        r->bands[r->band_count++] = (pv_report_band){
            ends[b][0],
            ends[b][1],
            (uint32_t)count,
            percentile(sorted, count, 0.1),
            percentile(sorted, count, 0.5),
            percentile(sorted, count, 0.9),
        };
    }
    return PSDVEC_OK;
}

static psdvec_status measure_lengths(pv_report *r)
{
    uint32_t n = r->info->words, step = (n + MEASURED - 1) / MEASURED;
    size_t count = (n + step - 1) / step, begin[BANDS + 2] = {0};
    double ends[BANDS][2];
    pv_scope temp = {.ctx = r->ctx, .what = "the lengths of vectors"};
    double *lengths, *grouped;
    float *vector;
    psdvec_status status;
    PV_TAKE(&temp, lengths, count);
    PV_TAKE(&temp, grouped, count);
    PV_TAKE(&temp, vector, r->info->sparse ? 1 : r->info->dim);
    PV_TAKE(&r->scope, r->lengths, POINTS);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&r->scope));
    for (size_t b = 0; b < BANDS; b++) {
        ends[b][0] = INFINITY;
        ends[b][1] = 0;
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t word = (uint32_t)k * step;
        PV_TRY_DONE(length_of(r, word, vector, &lengths[k]));
        r->zero += lengths[k] == 0;
        double key = key_of(r, word);
        size_t b = band_of(key);
        begin[b + 2]++;
        ends[b][0] = fmin(ends[b][0], key);
        ends[b][1] = fmax(ends[b][1], key);
        if (k % 4096 == 0)
            PV_TRY_DONE(pv_check_cancel(r->ctx));
    }
    r->measured = (uint32_t)count;
    for (size_t b = 0; b < BANDS; b++)
        begin[b + 2] += begin[b + 1];
    for (size_t k = 0; k < count; k++)
        grouped[begin[band_of(key_of(r, (uint32_t)k * step)) + 1]++] = lengths[k];
    PV_TRY_DONE(describe_bands(r, grouped, begin, (const double(*)[2])ends));
    /* Points: half of them evenly spaced by rank, half on a logarithmic scale. */
    uint32_t last = UINT32_MAX, points = n < POINTS ? n : POINTS;
    for (uint32_t k = 0; k < points; k++) {
        uint32_t even = (uint32_t)((uint64_t)k * n / points);
        uint32_t word = n <= POINTS || k % 2 ? even : spaced(k, points, n);
        if (word == last)
            continue;
        last = word;
        pv_report_length *to = &r->lengths[r->length_count++];
        to->word = word;
        PV_TRY_DONE(length_of(r, word, vector, &to->length));
    }
done:
    pv_scope_free(&temp);
    return status;
}

psdvec_status pv_report_curves(pv_report *report)
{
    report->exponent = (double)NAN;
    if (report->model->counts)
        PV_TRY(rank_words(report));
    return measure_lengths(report);
}
