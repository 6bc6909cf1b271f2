/* What seen pairs give to the joint probability: a walk over them (seen_pairs.h). */
#include "train/joint_sums.h"

#include "train/model_link.h"
#include "train/seen_pairs.h"

typedef struct pairs_job {
    const pv_joint_of *of;
    pv_joint_sums *rows; /* words of the model */
    double *shift;       /* words of the counts: t; NULL: all 0 */
} pairs_job;

/* ---- One pair --------------------------------------------------------------------------- */
static void add_weight(pv_joint_sums *sums, pv_log_sum *logs, double x, double f)
{
    if (f > 0) {
        sums->weighed++;
        pv_log_add(logs, f);
    } else if (x > 0)
        sums->free++;
}

/* Different words, both directions; X is their product. */
static void add_pair(const pv_link *link, uint32_t i, uint32_t j, double xij, double xji, double X,
                     pv_joint_sums *sums, pv_log_sum *logs)
{
    double sum = xij + xji;
    double aij = link->target(link, i, j, xij, sum) - X;
    double aji = !link->directed ? aij : link->target(link, j, i, xji, sum) - X;
    double fij = link->weight(link, i, j, xij, sum);
    double fji = link->factored ? fij : link->weight(link, j, i, xji, sum);
    sums->products += sum * X;
    sums->residuals += xij * aij + xji * aji;
    sums->prior += fij * aij * aij + fji * aji * aji;
    sums->pairs += (xij > 0) + (xji > 0);
    add_weight(sums, logs, xij, fij);
    add_weight(sums, logs, xji, fji);
    if (!link->background_only_unseen)
        return;
    /* The closed form over all pairs has this one as if it were unseen. */
    double b = pv_link_background(link, i, j), off = link->background_target - X;
    sums->prior -= 2 * b * off * off;
    if (b > 0) {
        sums->weighed -= 2;
        if (b < 1) {
            pv_log_add(logs, 1 / b);
            pv_log_add(logs, 1 / b);
        }
    }
}

void pv_joint_own(const pv_link *link, uint32_t i, double x, double X, pv_joint_sums *sums)
{
    sums->products += x * X;
    sums->residuals += x * (link->target(link, i, i, x, 2 * x) - X);
    sums->pairs++;
    sums->free++;
}

double pv_joint_product(const pv_joint_of *of, uint32_t i, uint32_t j)
{
    const float *a = of->vectors + (size_t)i * of->dim, *b = of->vectors + (size_t)j * of->dim;
    double sum = 0;
    for (size_t k = 0; k < of->dim; k++) {
        double term = (double)a[k] * b[k];
        sum += of->eigenvalues && of->eigenvalues[k] < 0 ? -term : term;
    }
    return sum;
}

static psdvec_status take_row(void *arg, const pv_seen_row *row, int worker)
{
    const pairs_job *job = arg;
    const pv_link *link = job->of->link;
    pv_joint_sums sums = {0};
    pv_log_sum logs = {1, 0};
    (void)worker;
    for (size_t k = 0; k < row->count; k++) {
        const pv_seen_pair *pair = &row->pairs[k];
        bool own = pair->word == row->word;
        double X = (double)pair->product;
        if (own)
            pv_joint_own(link, row->counted, pair->xij, X, &sums);
        else
            add_pair(link, row->counted, pair->counted, pair->xij, pair->xji, X, &sums, &logs);
        if (job->shift)
            sums.shifts += (pair->xij + (own ? 0 : pair->xji)) *
                           (job->shift[row->counted] + job->shift[pair->counted]);
    }
    sums.log_weights = logs.sum + log(logs.product);
    job->rows[row->word] = sums;
    return PSDVEC_OK;
}

/* ---- All of them ------------------------------------------------------------------------ */
psdvec_status pv_joint_shifts(const pv_link *link, double **shift)
{
    *shift = NULL;
    if (link->directed || link->options.context_power == 1)
        return PSDVEC_OK;
    *shift = pv_alloc_zero(link->ctx, link->words, sizeof **shift, "the joint probability");
    if (!*shift)
        return pv_failure(link->ctx);
    for (uint32_t i = 0; i < link->words; i++) {
        double r = link->context[i] + link->focus[i];
        if (r > 0)
            (*shift)[i] = 0.5 * log(link->margin_total) + link->shift[i] - log(r);
    }
    return PSDVEC_OK;
}

void pv_joint_add_rows(const pv_joint_sums *rows, uint32_t count, psdvec_joint *joint)
{
    double log_weights = 0;
    int64_t weighed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const pv_joint_sums *row = &rows[i];
        joint->products += row->products;
        joint->residuals += row->residuals;
        joint->shifts += row->shifts;
        joint->residual_prior -= row->prior;
        joint->pairs += (uint64_t)row->pairs;
        joint->free_residuals += (uint64_t)row->free;
        log_weights += row->log_weights;
        weighed += row->weighed;
    }
    joint->weighed += (uint64_t)weighed; /* perhaps negative until the closed form is added */
    joint->residual_normaliser += 0.5 * (log_weights - (double)weighed * log(M_PI));
}

psdvec_status pv_joint_pairs(const pv_joint_of *of, uint32_t beyond, psdvec_joint *joint)
{
    psdvec_context *ctx = of->link->ctx;
    pairs_job job = {.of = of};
    psdvec_status status = PSDVEC_OK;
    pv_seen_walk walk = {.link = of->link,
                         .word = of->word,
                         .words = of->words,
                         .dim = of->dim,
                         .vectors = of->vectors,
                         .eigenvalues = of->eigenvalues,
                         .either = true,
                         .above = true,
                         .beyond = beyond,
                         .stage = "joint probability"};
    job.rows = pv_alloc_zero(ctx, of->words, sizeof *job.rows, "the joint probability");
    if (!job.rows) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(pv_joint_shifts(of->link, &job.shift));
    PV_TRY_DONE(pv_seen_pairs(&walk, take_row, &job));
    pv_joint_add_rows(job.rows, of->words, joint);
done:
    pv_free(ctx, job.shift);
    pv_free(ctx, job.rows);
    return status;
}

uint64_t pv_joint_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads)
{
    return words * (sizeof(pv_joint_sums) + sizeof(double) + sizeof(uint32_t)) +
           pv_seen_pairs_bytes(words, bigrams, dim, threads);
}
