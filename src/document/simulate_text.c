/* The text of a simulation, word by word.
 *
 * A word is drawn from p_w prod_k exp(G_kw) over the words k before it in the window, normalised;
 * the first word of a document from p. Documents are independent, so workers take them as they
 * come; the number for a word depends on its place alone, and as all words have the same length,
 * so does the place of its bytes in the file.
 *
 * Cost: for a window of 1, whose distributions are known beforehand, a search; otherwise n *
 * window multiplications a word.
 */
#include "document/simulate.h"

#include "base/file.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "document/sample_kernel.h"

#include <math.h>
#include <string.h>

enum { TASK_WORDS = 1 << 14, BUFFER_WORDS = 1 << 12 };

/* ---- Names --------------------------------------------------------------------------- */

static const char consonants[] = "bdfghjklmnprstvz", vowels[] = "aeiou";
enum { CONSONANTS = sizeof consonants - 1, VOWELS = sizeof vowels - 1 };

size_t pv_name_length(uint32_t words)
{
    size_t length = 4;
    for (uint64_t names = (uint64_t)CONSONANTS * VOWELS * CONSONANTS * VOWELS; names < words;
         names *= (uint64_t)CONSONANTS * VOWELS)
        length += 2;
    return length;
}

void pv_name_write(uint32_t word, size_t length, char *to)
{
    for (size_t at = length; at > 0; at -= 2) {
        to[at - 1] = vowels[word % VOWELS];
        word /= VOWELS;
        to[at - 2] = consonants[word % CONSONANTS];
        word /= CONSONANTS;
    }
}

/* ---- Drawing ----------------------------------------------------------------------------- */

/* What one worker needs. */
typedef struct desk {
    uint64_t *counts;   /* n */
    double *ends;       /* tiles */
    double *careful;    /* stride */
    const float **rows; /* window: of the words before, a ring */
    char *buffer;       /* BUFFER_WORDS words */
} desk;

typedef struct draw_job {
    const pv_truth *truth;
    pv_output *output;
    desk *desks;       /* per worker */
    double (*sums)[2]; /* per task: log-likelihood, log p */
    size_t name_length;
    uint64_t task_documents;
    pv_progress progress;
} draw_job;

/* The next word, with `before` words in the window, and its probability. */
static uint32_t draw_word(const pv_truth *t, desk *d, size_t before, double unit,
                          double *probability)
{
    const double *ends = d->ends;
    if (!before)
        ends = t->start;
    else if (t->ends)
        ends = t->ends + (size_t)(d->rows[0] - t->table) / t->stride * t->tiles;
    else
        pv_sample_ends(t->p, d->rows, before, t->tiles, d->ends);
    if (PV_UNLIKELY(!pv_sample_holds(ends, t->tiles)))
        return (uint32_t)pv_sample_careful(t->p, d->rows, before, t->tiles, unit, d->careful,
                                           probability);
    return (uint32_t)pv_sample_find(t->p, d->rows, before, t->tiles, ends, unit, probability);
}

typedef struct span {
    uint64_t begin, end; /* places in the text */
} span;

/* One document, and its bytes to the file. */
static psdvec_status draw_document(draw_job *job, desk *d, span places, double sums[2])
{
    const pv_truth *t = job->truth;
    uint32_t window = t->options.window ? t->options.window : 1; /* options were checked */
    size_t width = job->name_length + 1, held = 0;
    uint64_t flushed = places.begin;
    for (uint64_t place = places.begin; place < places.end; place++) {
        uint64_t before = place - places.begin;
        double probability, unit = pv_random_unit(t->options.seed, PV_DRAW_WORDS, place);
        uint32_t word =
            draw_word(t, d, before < window ? (size_t)before : window, unit, &probability);
        d->rows[before % window] = t->table + (size_t)word * t->stride;
        d->counts[word]++;
        sums[0] += log(probability);
        sums[1] += log(t->unigram[word]);
        pv_name_write(word, job->name_length, d->buffer + held * width);
        d->buffer[++held * width - 1] = place + 1 == places.end ? '\n' : ' ';
        if (held == BUFFER_WORDS || place + 1 == places.end) {
            PV_TRY(pv_output_write_at(job->output, flushed * width, d->buffer, held * width));
            pv_progress_add(&job->progress, held);
            PV_TRY(pv_check_cancel(t->ctx));
            flushed += held;
            held = 0;
        }
    }
    return PSDVEC_OK;
}

static psdvec_status draw_documents(void *arg, size_t task, int worker)
{
    draw_job *job = arg;
    const psdvec_simulate_options *o = &job->truth->options;
    double *sums = job->sums[task];
    uint64_t step = (uint64_t)o->document_words;
    uint64_t begin = task * job->task_documents * step;
    sums[0] = sums[1] = 0;
    for (uint64_t k = 0; k < job->task_documents && begin < o->tokens; k++, begin += step) {
        span places = {begin, o->tokens - begin < step ? o->tokens : begin + step};
        PV_TRY(draw_document(job, &job->desks[worker], places, sums));
    }
    return PSDVEC_OK;
}

/* ---- All documents ------------------------------------------------------------------------ */

static psdvec_status open_desk(const pv_truth *t, size_t name_length, desk *d)
{
    psdvec_context *ctx = t->ctx;
    d->counts = pv_alloc_zero(ctx, t->words, sizeof *d->counts, "frequencies");
    d->ends = pv_alloc(ctx, t->tiles, sizeof *d->ends, "sums of weights");
    d->careful = pv_alloc(ctx, t->stride, sizeof *d->careful, "weights");
    d->rows = pv_alloc(ctx, t->options.window, sizeof *d->rows, "the window");
    d->buffer = pv_alloc(ctx, BUFFER_WORDS, name_length + 1, "text");
    return d->counts && d->ends && d->careful && d->rows && d->buffer ? PSDVEC_OK : pv_failure(ctx);
}

static void close_desk(psdvec_context *ctx, desk *d)
{
    pv_free(ctx, d->counts);
    pv_free(ctx, d->ends);
    pv_free(ctx, d->careful);
    pv_free(ctx, d->rows);
    pv_free(ctx, d->buffer);
}

psdvec_status pv_draw_text(const pv_truth *t, struct pv_output *output, pv_drawn *drawn)
{
    psdvec_status status;
    psdvec_context *ctx = t->ctx;
    const psdvec_simulate_options *o = &t->options;
    draw_job job = {.truth = t, .output = output, .name_length = pv_name_length(t->words)};
    drawn->documents = (o->tokens - 1) / o->document_words + 1;
    drawn->bytes = o->tokens * (job.name_length + 1);
    job.task_documents = o->document_words < TASK_WORDS ? TASK_WORDS / o->document_words : 1;
    size_t tasks = (size_t)((drawn->documents - 1) / job.task_documents + 1);
    int workers = psdvec_threads(ctx);
    job.sums = pv_alloc(ctx, tasks, sizeof *job.sums, "log-likelihoods");
    job.desks = pv_alloc_zero(ctx, (size_t)workers, sizeof *job.desks, "workers");
    if (!job.sums || !job.desks) {
        status = pv_failure(ctx);
        goto done;
    }
    for (int w = 0; w < workers; w++)
        PV_TRY_DONE(open_desk(t, job.name_length, &job.desks[w]));
    PV_TRY_DONE(pv_output_expect(output, drawn->bytes));
    pv_progress_begin(&job.progress, ctx, "drawing", "words", o->tokens);
    PV_TRY_DONE(pv_parallel_tasks(ctx, tasks, draw_documents, &job));
    pv_progress_end(&job.progress);
    drawn->log_likelihood = drawn->log_unigram = 0;
    for (size_t k = 0; k < tasks; k++) { /* in order: the same bits for any number of workers */
        drawn->log_likelihood += job.sums[k][0];
        drawn->log_unigram += job.sums[k][1];
    }
    memset(drawn->counts, 0, t->words * sizeof *drawn->counts);
    for (int w = 0; w < workers; w++)
        for (uint32_t i = 0; i < t->words; i++)
            drawn->counts[i] += job.desks[w].counts[i];
done:
    for (int w = 0; job.desks && w < workers; w++)
        close_desk(ctx, &job.desks[w]);
    pv_free(ctx, job.desks);
    pv_free(ctx, job.sums);
    return status;
}
