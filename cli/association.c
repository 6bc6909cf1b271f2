/* Association of a pair (context i, focus j) with count x, margins R_i and C_j,
 * and N in all:
 *
 *   lift  = x N / (R_i C_j)          times as often as chance would have it
 *   score = ln(lift) ln(1 + x)       the logarithm of the count keeps pairs seen
 *                                    once or twice from the top
 *
 * Chosen by eye, not by a measured comparison: six scores were read side by side
 * for four words (music, bank, the, musik) on 16M words of Wikipedia. The
 * log-likelihood ratio put "and", "the" and "of" high in the lists of music and
 * bank; its root times ln(lift) mixed in words that avoid each other; Dice's
 * coefficient gave only function words for "the"; a lower bound of the lift
 * preferred rare words. This score, and the same with a lower bound of the lift,
 * read best and hardly differed; this is the simpler one.
 * It is negative for words that avoid each other.
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
            double count = margins_count(margins, i, row.focus[k], psdvec_row_value(&row, k));
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

struct association associate(const struct margins *margins, uint32_t context, uint32_t focus,
                             double count)
{
    double r = margins->context[context], c = margins->focus[focus], n = margins->total;
    struct association result = {0};
    if (!(r > 0 && c > 0 && n > 0 && count > 0))
        return result;
    result.lift = count * n / (r * c);
    result.score = log(result.lift) * log1p(count);
    return result;
}
