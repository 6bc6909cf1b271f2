/* Answering analogies, one block of candidates at a time.
 *
 * Memory: for each worker the cosines of at most MOST_WORDS words with a block, the block's vectors
 * normalised to length 1, and the best answer of each question. A set with more words is answered
 * in batches of questions; sorted by a and b, the questions of a batch share many words.
 *
 * Answers do not depend on the number of workers: blocks depend only on the number of candidates,
 * and of two workers' best answers the one with the larger score, or else the earlier word, is
 * taken.
 */
#include "eval/analogy.h"

#include "base/blas.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024, MOST_WORDS = 2048 };
_Static_assert((int)BLOCK <= (int)PV_SPARSE_BLOCK_MOST, "candidates of a block have 16 bits");

typedef struct top {
    float score;
    uint32_t word;
} top;

typedef struct leader {
    top add, mul;
} leader;

typedef struct batch {
    psdvec_context *ctx;
    const pv_analogy_kernels *kernels;
    const pv_analogy_space *space;
    pv_sparse_block *sparse_blocks; /* workers */
    pv_analogy **questions;         /* by a and b */
    size_t count;
    uint32_t *local;   /* from a word to its row in `vectors` and index in `members` */
    float *vectors;    /* words x dim: those of this batch; NULL if sparse */
    uint32_t *members; /* words: their numbers */
    uint32_t words;
    float *workspaces; /* one for each worker */
    size_t workspace_length;
    leader *bests; /* workers x count */
    pv_progress *progress;
    _Atomic size_t done; /* blocks finished */
    size_t blocks;
} batch;

/* ---- A block of candidates ---------------------------------------------------------------- */

typedef struct block {
    uint32_t first, length; /* candidates */
    const float *cosines;   /* words x length */
    float *sum, *ratio;     /* length */
} block;

static void try_range(const batch *job, const block *b, const float *c, size_t from, size_t to,
                      leader *best)
{
    float add = best->add.score, mul = best->mul.score;
    job->kernels->largest(b->sum + from, b->ratio + from, c + from, to - from, job->space->shift,
                          &add, &mul);
    size_t i = from;
    if (add > best->add.score) {
        while (i + 1 < to && pv_analogy_add(b->sum[i], c[i]) != add)
            i++;
        best->add = (top){add, b->first + (uint32_t)i};
    }
    if (mul > best->mul.score) {
        for (i = from; i + 1 < to && pv_analogy_mul(b->ratio[i], c[i], job->space->shift) != mul;)
            i++;
        best->mul = (top){mul, b->first + (uint32_t)i};
    }
}

/* Scores the candidates between the excluded ones. */
static void try_block(const batch *job, const block *b, const pv_analogy *q, leader *best)
{
    const float *c = b->cosines + (size_t)job->local[q->c] * b->length;
    size_t from = 0;
    while (from < b->length) {
        size_t stop = b->length;
        for (int k = 0; k < 3; k++) {
            uint32_t word = q->excluded[k];
            if (word >= b->first + from && word - b->first < stop)
                stop = word - b->first;
        }
        if (stop > from)
            try_range(job, b, c, from, stop, best);
        from = stop + 1;
    }
}

/* cosines: words x b->length. units: workspace for the vectors of the block, if they are dense. */
static void find_cosines(batch *job, const block *b, int worker, float *units, float *cosines)
{
    if (job->space->sparse) {
        pv_sparse_block *turned = &job->sparse_blocks[worker];
        pv_sparse_block_take(turned, job->space->sparse, b->first, b->length);
        for (uint32_t w = 0; w < job->words; w++)
            pv_sparse_block_cosines(turned, &job->space->sparse_units[job->members[w]],
                                    cosines + (size_t)w * b->length);
        return;
    }
    for (uint32_t i = 0; i < b->length; i++) {
        float *unit = units + (size_t)i * job->space->dim;
        pv_unit_vector(pv_vector_set_floats_of(&job->space->rows, (uint64_t)b->first + i, 1, unit),
                       job->space->dim, unit);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)job->words, (int)b->length,
                (int)job->space->dim, 1, job->vectors, (int)job->space->dim, units,
                (int)job->space->dim, 0, cosines, (int)b->length);
}

static size_t unit_numbers(const batch *job)
{
    return job->space->sparse ? 0 : (size_t)BLOCK * job->space->dim;
}

static psdvec_status answer_block(void *arg, size_t task, int worker)
{
    batch *job = arg;
    leader *bests = job->bests + (size_t)worker * job->count;
    uint32_t first = (uint32_t)task * BLOCK, left = job->space->candidates - first;
    block b = {.first = first, .length = left < BLOCK ? left : BLOCK};
    float *units = job->workspaces + (size_t)worker * job->workspace_length;
    float *cosines = units + unit_numbers(job);
    b.cosines = cosines;
    b.sum = cosines + (size_t)BLOCK * job->words;
    b.ratio = b.sum + BLOCK;
    find_cosines(job, &b, worker, units, cosines);
    for (size_t q = 0; q < job->count; q++) {
        const pv_analogy *question = job->questions[q], *last = q ? job->questions[q - 1] : NULL;
        if (!last || last->a != question->a || last->b != question->b)
            job->kernels->prepare(cosines + (size_t)job->local[question->a] * b.length,
                                  cosines + (size_t)job->local[question->b] * b.length, b.length,
                                  job->space->shift, b.sum, b.ratio);
        try_block(job, &b, question, &bests[q]);
    }
    if (job->progress) {
        size_t done = atomic_fetch_add(&job->done, 1);
        pv_progress_add(job->progress,
                        job->count * (done + 1) / job->blocks - job->count * done / job->blocks);
    }
    return PSDVEC_OK;
}

/* ---- A batch of questions ------------------------------------------------------------------- */

static void merge(top *best, const top *other)
{
    if (other->score > best->score || (other->score == best->score && other->word < best->word))
        *best = *other;
}

static psdvec_status answer_batch(batch *job)
{
    psdvec_context *ctx = job->ctx;
    int workers = psdvec_threads(ctx);
    psdvec_status status;
    PV_TRY(pv_blas_ready(ctx));
    pv_scope scope = {.ctx = ctx, .what = "analogies"};
    job->blocks = ((size_t)job->space->candidates + BLOCK - 1) / BLOCK;
    job->done = 0;
    job->workspace_length = unit_numbers(job) + (size_t)BLOCK * ((size_t)job->words + 2);
    PV_TAKE(&scope, job->workspaces, (size_t)workers * job->workspace_length);
    PV_TAKE(&scope, job->bests, (size_t)workers * job->count);
    PV_TAKE(&scope, job->sparse_blocks, (size_t)workers);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (int w = 0; job->space->sparse && w < workers; w++)
        PV_TRY_DONE(pv_sparse_block_init(&job->sparse_blocks[w], &scope, job->space->sparse,
                                         job->space->candidates, BLOCK));
    for (size_t k = 0; k < (size_t)workers * job->count; k++)
        job->bests[k] = (leader){{-INFINITY, UINT32_MAX}, {-INFINITY, UINT32_MAX}};
    PV_TRY_DONE(pv_parallel_tasks(ctx, job->blocks, answer_block, job));
    for (size_t q = 0; q < job->count; q++) {
        leader *all = &job->bests[q];
        for (size_t w = 1; w < (size_t)workers; w++) {
            merge(&all->add, &job->bests[w * job->count + q].add);
            merge(&all->mul, &job->bests[w * job->count + q].mul);
        }
        job->questions[q]->add = all->add.word;
        job->questions[q]->mul = all->mul.word;
    }
done:
    pv_scope_free(&scope);
    return status;
}

/* Takes as many questions from `questions` as have at most MOST_WORDS different words in total, and
 * assigns rows to the words. `local` is UINT32_MAX for words without a row. */
static size_t gather(batch *job, pv_analogy **questions, size_t left)
{
    size_t taken = 0;
    uint32_t *local = job->local;
    job->words = 0;
    for (; taken < left; taken++) {
        const uint32_t words[3] = {questions[taken]->a, questions[taken]->b, questions[taken]->c};
        if (job->words + 3 > MOST_WORDS)
            break;
        for (int k = 0; k < 3; k++)
            if (local[words[k]] == UINT32_MAX) {
                if (job->vectors)
                    memcpy(job->vectors + (size_t)job->words * job->space->dim,
                           job->space->units + (size_t)words[k] * job->space->dim,
                           job->space->dim * sizeof *job->space->units);
                job->members[job->words] = words[k];
                local[words[k]] = job->words++;
            }
    }
    return taken;
}

static int by_words(const void *left, const void *right)
{
    const pv_analogy *x = *(const pv_analogy *const *)left, *y = *(const pv_analogy *const *)right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return x->c < y->c ? -1 : x->c > y->c;
}

psdvec_status pv_analogies_answer(psdvec_context *ctx, const pv_analogy_space *space,
                                  pv_analogy *questions, size_t count, pv_progress *progress)
{
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "analogies"};
    uint32_t most = space->words < MOST_WORDS ? space->words : MOST_WORDS;
    pv_analogy **sorted;
    batch job = {
        .ctx = ctx, .kernels = pv_analogy_kernels_best(), .space = space, .progress = progress};
    PV_TAKE(&scope, sorted, count);
    PV_TAKE(&scope, job.local, space->words);
    PV_TAKE(&scope, job.members, most);
    if (!space->sparse)
        PV_TAKE(&scope, job.vectors, (size_t)most * space->dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t q = 0; q < count; q++)
        sorted[q] = &questions[q];
    qsort(sorted, count, sizeof *sorted, by_words);
    for (size_t at = 0; at < count; at += job.count) {
        memset(job.local, 0xff, space->words * sizeof *job.local);
        job.questions = sorted + at;
        job.count = gather(&job, sorted + at, count - at);
        PV_TRY_DONE(answer_batch(&job));
    }
done:
    pv_scope_free(&scope);
    return status;
}
