/* From the library's scores to the lines of a report.
 *
 * Scores come by set, section, measure and model, so a line is as many of them as there are
 * models. Google's analogies have two parts by which they are always told, semantic and
 * syntactic; the names of the syntactic sections begin with "gram". A part is made from its
 * sections: what was answered rightly is added up. */
#include "eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const unknown_words[] = {[PSDVEC_UNKNOWN_DROP] = "drop",
                                     [PSDVEC_UNKNOWN_ZERO] = "zero",
                                     [PSDVEC_UNKNOWN_MEAN] = "mean",
                                     [PSDVEC_UNKNOWN_SPELLING] = "spelling",
                                     NULL};
const char *const half_words[] = {[PSDVEC_HALF_BOTH] = "both",
                                  [PSDVEC_HALF_FIRST] = "first",
                                  [PSDVEC_HALF_SECOND] = "second",
                                  NULL};
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

static struct eval_row *add_row(struct eval *eval, const psdvec_score *scores)
{
    size_t models = eval->model_files.count;
    eval->rows = must_grow(eval->rows, eval->row_count + 1, sizeof *eval->rows);
    struct eval_row *row = &eval->rows[eval->row_count++];
    *row = (struct eval_row){.set = scores->test, .measure = scores->measure};
    if (scores->section >= 0)
        row->section = psdvec_test_section(eval->sets[scores->test], (uint32_t)scores->section);
    row->scores = must_alloc(models, sizeof *row->scores);
    memcpy(row->scores, scores, models * sizeof *scores);
    return row;
}

/* ---- Semantic and syntactic ------------------------------------------------------- */

static bool is_syntactic(const psdvec_test *set, uint32_t section)
{
    const char *name = psdvec_test_section(set, section), *file = strstr(name, ": ");
    return !strncmp(file ? file + 2 : name, "gram", 4); /* a folder's have the file before them */
}

static bool has_parts(const psdvec_test *set)
{
    const psdvec_test_info *info = psdvec_test_get_info(set);
    uint32_t syntactic = 0;
    for (uint32_t s = 0; s < info->sections; s++)
        syntactic += is_syntactic(set, s);
    return info->kind == PSDVEC_TEST_ANALOGY && syntactic && syntactic < info->sections;
}

/* How many questions a share is of. */
static double counted(const struct eval *eval, const psdvec_score *score)
{
    bool all = eval->options.unknown == PSDVEC_UNKNOWN_ZERO ||
               eval->options.unknown == PSDVEC_UNKNOWN_MEAN;
    return all ? score->total : score->known;
}

/* The sections of one part added up, from the scores of one set. */
static void add_part(struct eval *eval, const psdvec_score *scores, size_t count, bool syntactic,
                     psdvec_measure measure)
{
    size_t models = eval->model_files.count;
    psdvec_score *sums = must_alloc(models, sizeof *sums);
    const psdvec_test *set = eval->sets[scores->test];
    for (size_t m = 0; m < models; m++) {
        double right = 0, of = 0;
        sums[m] = (psdvec_score){.test = scores->test,
                                 .model = (uint32_t)m,
                                 .section = -1,
                                 .measure = measure,
                                 .low = NAN,
                                 .high = NAN};
        for (size_t k = 0; k < count; k++) {
            const psdvec_score *s = &scores[k];
            if (s->section < 0 || s->model != m || s->measure != measure ||
                is_syntactic(set, (uint32_t)s->section) != syntactic)
                continue;
            sums[m].known += s->known;
            sums[m].total += s->total;
            of += counted(eval, s);
            right += isnan(s->value) ? 0 : round(s->value * counted(eval, s));
        }
        sums[m].value = of > 0 ? right / of : NAN;
    }
    struct eval_row *row = add_row(eval, sums);
    row->part = true;
    row->section = syntactic ? "syntactic" : "semantic";
    free(sums);
}

void eval_make_rows(struct eval *eval)
{
    size_t count, models = eval->model_files.count;
    const psdvec_score *scores = psdvec_report_scores(eval->report, &count);
    for (size_t k = 0; k < count;) {
        size_t set = scores[k].test, next = k;
        while (next < count && scores[next].test == set)
            next++;
        size_t whole = k;
        for (; whole < next && scores[whole].section < 0; whole += models)
            add_row(eval, &scores[whole]);
        if (has_parts(eval->sets[set]))
            for (int part = 0; part < 2; part++) {
                add_part(eval, &scores[k], next - k, part == 1, PSDVEC_MEASURE_ADD);
                add_part(eval, &scores[k], next - k, part == 1, PSDVEC_MEASURE_MUL);
            }
        for (; whole < next; whole += models)
            add_row(eval, &scores[whole]);
        k = next;
    }
}

/* ---- Which is best ------------------------------------------------------------------ */

size_t eval_best(const struct eval *eval, const struct eval_row *row)
{
    size_t best = SIZE_MAX;
    for (size_t m = 0; m < eval->model_files.count; m++)
        if (!isnan(row->scores[m].value) &&
            (best == SIZE_MAX || row->scores[m].value > row->scores[best].value))
            best = m;
    return best;
}

bool eval_is_worse(const struct eval *eval, const struct eval_row *row, size_t best, size_t model)
{
    size_t count;
    const psdvec_difference *d = psdvec_report_differences(eval->report, &count);
    if (row->section || best == SIZE_MAX || isnan(row->scores[model].value))
        return false;
    for (size_t k = 0; k < count; k++, d++)
        if (d->test == row->set && d->measure == row->measure) {
            if (d->first == best && d->second == model)
                return d->significant && d->difference > 0;
            if (d->first == model && d->second == best)
                return d->significant && d->difference < 0;
        }
    return false;
}
