/* From the library's scores to the lines of a report.
 *
 * Scores come by set, section, measure and model, so a line is as many of them as there are
 * models. */
#include "eval.h"

#include <math.h>

const char *const kind_words[] = {[PSDVEC_TEST_SIMILARITY] = "similarity",
                                  [PSDVEC_TEST_ANALOGY] = "analogy",
                                  [PSDVEC_TEST_CHOICE] = "choice",
                                  [PSDVEC_TEST_CATEGORIES] = "categories"};
const char *const measure_words[] = {[PSDVEC_MEASURE_SPEARMAN] = "spearman",
                                     [PSDVEC_MEASURE_ADD] = "3cosadd",
                                     [PSDVEC_MEASURE_MUL] = "3cosmul",
                                     [PSDVEC_MEASURE_RIGHT] = "accuracy",
                                     [PSDVEC_MEASURE_PURITY] = "purity"};
const char *const measure_names[] = {[PSDVEC_MEASURE_SPEARMAN] = "Spearman",
                                     [PSDVEC_MEASURE_ADD] = "3CosAdd",
                                     [PSDVEC_MEASURE_MUL] = "3CosMul",
                                     [PSDVEC_MEASURE_RIGHT] = "accuracy",
                                     [PSDVEC_MEASURE_PURITY] = "purity"};

static const char *section_name(const struct eval *eval, const psdvec_score *score)
{
    switch (score->section) {
    case PSDVEC_SECTION_WHOLE:
        return NULL;
    case PSDVEC_SECTION_SEMANTIC:
        return "semantic";
    case PSDVEC_SECTION_SYNTACTIC:
        return "syntactic";
    default:
        return psdvec_test_section(eval->sets[score->test], (uint32_t)score->section);
    }
}

void eval_make_rows(struct eval *eval)
{
    size_t count, models = eval->model_files.count;
    const psdvec_score *scores = psdvec_report_scores(eval->report, &count);
    eval->row_count = count / models;
    eval->rows = must_alloc(eval->row_count, sizeof *eval->rows);
    for (size_t r = 0; r < eval->row_count; r++) {
        const psdvec_score *first = &scores[r * models];
        eval->rows[r] = (struct eval_row){.set = first->test,
                                          .section = section_name(eval, first),
                                          .part = first->section < PSDVEC_SECTION_WHOLE,
                                          .measure = first->measure,
                                          .scores = first};
    }
}

size_t eval_best(const struct eval *eval, const struct eval_row *row)
{
    size_t best = SIZE_MAX;
    bool differ = false;
    for (size_t m = 0; m < eval->model_files.count; m++) {
        double value = row->scores[m].value;
        if (isnan(value))
            continue;
        differ |= best != SIZE_MAX && value != row->scores[best].value;
        if (best == SIZE_MAX || value > row->scores[best].value)
            best = m;
    }
    return differ ? best : SIZE_MAX;
}

/* Of the best and another model; NULL if there is none. */
static const psdvec_difference *find_difference(const struct eval *eval, const struct eval_row *row,
                                                size_t best, size_t model)
{
    size_t count;
    const psdvec_difference *d = psdvec_report_differences(eval->report, &count);
    if (row->section || best == SIZE_MAX || isnan(row->scores[model].value))
        return NULL;
    for (size_t k = 0; k < count; k++, d++)
        if (d->test == row->set && d->measure == row->measure &&
            ((d->first == best && d->second == model) || (d->first == model && d->second == best)))
            return d;
    return NULL;
}

bool eval_is_worse(const struct eval *eval, const struct eval_row *row, size_t best, size_t model)
{
    const psdvec_difference *d = find_difference(eval, row, best, model);
    return d && d->significant && (d->first == best ? d->difference > 0 : d->difference < 0);
}

bool eval_is_alike(const struct eval *eval, const struct eval_row *row, size_t best, size_t model)
{
    const psdvec_difference *d = find_difference(eval, row, best, model);
    return d && !isnan(d->p) && !eval_is_worse(eval, row, best, model);
}
