/* Weight functions and targets.
 *
 * To add one: write the function, add a row to the table at the end, and a value to the
 * enumeration in psdvec/train.h. `x` is the count of i before j, `sum` that of both
 * directions. A function whose row has a measure uses the option `cut`: link->constants.cut is C,
 * the square root of the measure from which pairs have the full weight. A function that returns
 * more than m_i m_j (pv_link_majoriser) would make Algorithm 1 diverge.
 */
#include "link/weights.h"

#include <math.h>

static double at_most_one(double weight)
{
    return weight < 1 ? weight : 1;
}

/* The original program: f of section 3.1.2, after eq. 5, but of the count itself, unsmoothed. */
static double measure_raw(const pv_link *link, uint32_t i, uint32_t j, double x)
{
    (void)link, (void)i, (void)j;
    return x;
}

static double weight_raw(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)i, (void)j, (void)sum;
    return at_most_one(sqrt(x) / link->constants.cut);
}

/* The paper's text: f of section 3.1.2, the square root of the smoothed probability of the pair,
 * eq. 7: h_ij = (1 - kappa) P(s_i, s_j) + kappa P(s_i) P(s_j). */
static double measure_smoothed(const pv_link *link, uint32_t i, uint32_t j, double x)
{
    double kappa = link->options.kappa;
    return (1 - kappa) * x / link->total + kappa * link->unigram[i] * link->unigram[j];
}

static double weight_smoothed(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)sum;
    return at_most_one(sqrt(measure_smoothed(link, i, j, x)) / link->constants.cut);
}

/* Pennington, Socher and Manning 2014, on the counts of both directions. */
static double weight_glove(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)i, (void)j, (void)x;
    return at_most_one(pow(sum / link->options.glove_max, link->options.glove_power));
}

/* r_i^g r_j^g times the logistic function of the PMI. */
static double weight_factored(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)x;
    double ratio = pv_pmi_ratio(link, i, j, sum);
    return link->factor[i] * link->factor[j] * (ratio / (1 + ratio));
}

double pv_pmi_ratio(const pv_link *link, uint32_t i, uint32_t j, double sum)
{
    double ri = link->context[i] + link->focus[i], rj = link->context[j] + link->focus[j];
    return sum * link->margin_total / (ri * rj);
}

/* The PMI of eq. 3 without smoothing, the mean of both directions:
 * ½ [log(s / (r_i pc_j)) + log(s / (r_j pc_i))], pc_j = r_j^p / sum of r^p. */
static double target_pmi(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)x;
    return log(sum) - link->shift[i] - link->shift[j];
}

/* eq. 11 and, for all pairs, eq. 12: G* = log(P_smoothed(j|i) / P(j)), where Jelinek-Mercer
 * smoothing, eq. 6, has P_smoothed(j|i) = (1 - kappa) P(j|i) + kappa P(j). So log kappa for x =
 * 0. */
static double target_smoothed(const pv_link *link, uint32_t i, uint32_t j, double x, double sum)
{
    (void)sum;
    if (x <= 0)
        return link->unseen_target;
    double kappa = link->options.kappa;
    return log((1 - kappa) * x / (link->context[i] * link->unigram[j]) + kappa);
}

/* ---- The tables: a row per function -------------------------------------------------------- */

#define WEIGHTS(ROW)                                                                               \
    ROW(FACTORED, "factored",                                                                      \
        "powers of the word frequencies times the logistic function of the PMI", NULL,             \
        {weight_factored, NULL, true, false})                                                      \
    ROW(RAW, "raw", "square root of the count, with a maximum, as in the original program", "cut", \
        {weight_raw, measure_raw, false, false})                                                   \
    ROW(SMOOTHED, "smoothed",                                                                      \
        "square root of the smoothed probability, with a maximum, as in the paper", "cut",         \
        {weight_smoothed, measure_smoothed, false, true})                                          \
    ROW(GLOVE, "glove", "(count / `glove_max`)^`glove_power`, at most 1, as in GloVe", NULL,       \
        {weight_glove, NULL, false, false})

#define TARGETS(ROW)                                                                               \
    ROW(PMI, "pmi", "PMI of the sum of both directions, margins raised to a power",                \
        {target_pmi, false})                                                                       \
    ROW(SMOOTHED, "smoothed",                                                                      \
        "as in the paper: log(P_smoothed(j|i) / P(j)), Jelinek-Mercer with kappa",                 \
        {target_smoothed, true})

#define WEIGHT_CHOICE(ID, name, help, uses, ...) [PSDVEC_WEIGHTS_##ID] = {name, help, uses},
#define WEIGHT_RULE(ID, name, help, uses, ...) [PSDVEC_WEIGHTS_##ID] = __VA_ARGS__,
#define TARGET_CHOICE(ID, name, help, ...) [PSDVEC_TARGET_##ID] = {name, help, NULL},
#define TARGET_RULE(ID, name, help, ...) [PSDVEC_TARGET_##ID] = __VA_ARGS__,

const psdvec_choice pv_weights_choices[] = {WEIGHTS(WEIGHT_CHOICE){0}};
const pv_weight_rule pv_weight_rules[] = {WEIGHTS(WEIGHT_RULE)};
const psdvec_choice pv_target_choices[] = {TARGETS(TARGET_CHOICE){0}};
const pv_target_rule pv_target_rules[] = {TARGETS(TARGET_RULE)};
