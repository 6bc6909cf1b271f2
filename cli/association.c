/* Association of a pair, from its 2 x 2 table:
 *
 *                 focus j        other focus
 *   context i     a              R_i - a
 *   other         C_j - a        N - R_i - C_j + a
 *
 * Dunning's log-likelihood ratio G2 = 2 sum k ln(k / expected) asks how sure we
 * are that the words attract each other (or avoid each other: then with a
 * minus sign), and stays sane for rare words, where the plain ratio to chance
 * ("lift") prefers whatever was seen once.
 *
 * With subsampling the counts are expected counts x_ij keep_i keep_j, and so
 * are the margins: one pass over the file. Without it the margins stand in
 * the file. */
#include "association.h"

#include "counts_file.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>

void margins_start(struct margins *margins, const psdvec_counts *counts)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    *margins = (struct margins){.scale = (double)info->scale, .keeps = counts_file_keeps(counts)};
    margins->context = must_alloc(info->words, sizeof *margins->context);
    margins->focus = must_alloc(info->words, sizeof *margins->focus);
    for (uint32_t i = 0; i < info->words; i++) {
        if (!margins->keeps) {
            margins->context[i] = (double)psdvec_counts_context_total(counts, i) / margins->scale;
            margins->focus[i] = (double)psdvec_counts_focus_total(counts, i) / margins->scale;
            margins->total += margins->context[i];
            continue;
        }
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        double sum = 0;
        for (size_t k = 0; k < row.length; k++) {
            double count =
                margins_count(margins, i, row.focus[k], psdvec_row_value(&row, k));
            margins->focus[row.focus[k]] += count;
            sum += count;
        }
        margins->context[i] = sum;
        margins->total += sum;
    }
}

void margins_end(struct margins *margins)
{
    free(margins->context);
    free(margins->focus);
    free(margins->keeps);
}

double margins_count(const struct margins *margins, uint32_t context, uint32_t focus,
                     uint64_t value)
{
    double count = (double)value / margins->scale;
    return margins->keeps ? count * margins->keeps[context] * margins->keeps[focus] : count;
}

/* k ln(k / expected), with its limit at 0. Rounding may leave k just below. */
static double term(double k, double expected)
{
    return k > 0 && expected > 0 ? k * log(k / expected) : 0;
}

struct association associate(const struct margins *margins, uint32_t context, uint32_t focus,
                             double count)
{
    double r = margins->context[context], c = margins->focus[focus], n = margins->total;
    struct association result = {0};
    if (!(r > 0 && c > 0 && n > 0))
        return result;
    double expected = r * c / n;
    result.lift = count / expected;
    double g = 2 * (term(count, expected) + term(r - count, r * (n - c) / n) +
                    term(c - count, (n - r) * c / n) +
                    term(n - r - c + count, (n - r) * (n - c) / n));
    result.signed_g = copysign(sqrt(g > 0 ? g : 0), count - expected);
    return result;
}
