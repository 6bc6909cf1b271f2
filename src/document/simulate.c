/* Simulation, section 4 of the paper (docs/explanation/simulation.md): names, text, the output
 * folder and its files.
 *
 * A word is drawn from p_w prod_k exp(G_kw) over the preceding words k in the window, normalised;
 * the first word of a document is drawn from p. Documents are independent, so workers draw them in
 * any order: the random number of a word depends only on its position in the text and, as all words
 * have the same length, so does its byte offset in the file.
 *
 * Cost per word: a binary search for a window of 1, whose distributions are computed in advance;
 * otherwise n * window multiplications.
 */
#include "document/simulate.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "count/provenance.h"
#include "document/options.h"
#include "document/residuals.h"
#include "link/weights.h"
#include "model/model_write.h"
#include "train/options.h"
#include "util/c_locale.h"
#include "util/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TASK_WORDS = 1 << 14, BUFFER_WORDS = 1 << 12 };

typedef struct drawn_text {
    pv_scope memory;
    uint64_t *counts;  /* n: the number of times each word was drawn */
    char *names;       /* all words, concatenated */
    uint64_t *offsets; /* n + 1: where each word begins */
    double log_likelihood, log_unigram;
    uint64_t documents, bytes;
} drawn_text;

/* ---- Names ----------------------------------------------------------------------------------- */

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

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The workspace of one worker. */
typedef struct workspace {
    uint64_t *counts;   /* n */
    double *ends;       /* tiles */
    double *careful;    /* stride */
    const float **rows; /* window: rows of the preceding words, a ring buffer */
    char *buffer;       /* BUFFER_WORDS words */
} workspace;

typedef struct draw_job {
    const pv_truth *truth;
    pv_output *output;
    workspace *workspaces; /* one per worker */
    double (*sums)[2];     /* one per task: log-likelihood, log p */
    size_t name_length;
    uint64_t task_documents;
    pv_progress progress;
} draw_job;

/* Draws the next word, with `before` words in the window, and returns its probability. */
static uint32_t draw_word(const pv_truth *t, workspace *d, size_t before, double unit,
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

/* Draws one document, positions begin .. end - 1 of the text, and writes it to the file. */
static psdvec_status draw_document(draw_job *job, workspace *d, uint64_t begin, uint64_t end,
                                   double sums[2])
{
    const pv_truth *t = job->truth;
    uint32_t window = t->options.window ? t->options.window : 1; /* options were checked */
    size_t width = job->name_length + 1, held = 0;
    uint64_t flushed = begin;
    for (uint64_t place = begin; place < end; place++) {
        uint64_t before = place - begin;
        double probability, unit = pv_random_unit(t->options.seed, PV_DRAW_WORDS, place);
        uint32_t word =
            draw_word(t, d, before < window ? (size_t)before : window, unit, &probability);
        d->rows[before % window] = t->table + (size_t)word * t->stride;
        d->counts[word]++;
        sums[0] += log(probability);
        sums[1] += log(t->unigram[word]);
        pv_name_write(word, job->name_length, d->buffer + held * width);
        d->buffer[++held * width - 1] = place + 1 == end ? '\n' : ' ';
        if (held == BUFFER_WORDS || place + 1 == end) {
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
        uint64_t end = o->tokens - begin < step ? o->tokens : begin + step;
        PV_TRY(draw_document(job, &job->workspaces[worker], begin, end, sums));
    }
    return PSDVEC_OK;
}

/* ---- All documents --------------------------------------------------------------------------- */

/* Draws the text into `output`, from its beginning. The caller frees `drawn->memory`, even after a
 * failure. */
static psdvec_status draw_text(const pv_truth *t, pv_output *output, drawn_text *drawn)
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
    pv_scope scope = {.ctx = ctx, .what = "drawing text"};
    drawn->memory = (pv_scope){.ctx = ctx, .what = "names of words"};
    PV_TAKE_ZERO(&drawn->memory, drawn->counts, t->words);
    PV_TAKE(&drawn->memory, drawn->names, t->words * job.name_length);
    PV_TAKE(&drawn->memory, drawn->offsets, (size_t)t->words + 1);
    PV_TRY_DONE(pv_scope_status(&drawn->memory));
    for (uint32_t i = 0; i <= t->words; i++)
        drawn->offsets[i] = (uint64_t)i * job.name_length;
    for (uint32_t i = 0; i < t->words; i++)
        pv_name_write(i, job.name_length, drawn->names + drawn->offsets[i]);
    PV_TAKE(&scope, job.sums, tasks);
    PV_TAKE_ZERO(&scope, job.workspaces, (size_t)workers);
    for (workspace *d = job.workspaces; d && d < job.workspaces + workers; d++) {
        PV_TAKE_ZERO(&scope, d->counts, t->words);
        PV_TAKE(&scope, d->ends, t->tiles);
        PV_TAKE(&scope, d->careful, t->stride);
        PV_TAKE(&scope, d->rows, o->window);
        PV_TAKE(&scope, d->buffer, BUFFER_WORDS * (job.name_length + 1));
    }
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_output_expect(output, drawn->bytes));
    pv_progress_begin(&job.progress, ctx, "drawing", "words", o->tokens);
    PV_TRY_DONE(pv_parallel_tasks(ctx, tasks, draw_documents, &job));
    pv_progress_end(&job.progress);
    for (size_t k = 0; k < tasks; k++) { /* in order: the same bits for any number of workers */
        drawn->log_likelihood += job.sums[k][0];
        drawn->log_unigram += job.sums[k][1];
    }
    for (int w = 0; w < workers; w++)
        for (uint32_t i = 0; i < t->words; i++)
            drawn->counts[i] += job.workspaces[w].counts[i];
done:
    pv_scope_free(&scope);
    return status;
}

/* The first is the principal file of the set (util/new_file.h). */
enum { TRUTH, TEXT, MODEL, RESIDUALS, FILES };
static const char *const file_names[FILES] = {"truth.json", "text.txt", "truth.safetensors",
                                              "truth-residuals.safetensors"};

typedef struct simulation_folder {
    psdvec_context *ctx;
    const char *folder;
    char *path[FILES];
    bool made; /* by this run, and removed again after a failure */
} simulation_folder;

/* The beginning of truth.json, which identifies the folder of a simulation. */
static const char mark[] = "{\"format\":\"psdvec.simulation\"";

/* ---- The folder ------------------------------------------------------------------------------ */

static bool is_simulation(const char *truth_file)
{
    char head[sizeof mark] = {0};
    int fd = open(truth_file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof mark - 1) : -1;
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof mark - 1 && !memcmp(head, mark, sizeof mark - 1);
}

/* Whether a simulation that was killed while it replaced its files left them without truth.json. */
static bool was_interrupted(const simulation_folder *f)
{
    char *beside = pv_new_file_was_interrupted(f->path[TRUTH]) ? pv_new_file_beside(f->path[TRUTH])
                                                               : NULL;
    bool ours = beside && is_simulation(beside);
    free(beside);
    return ours;
}

/* Only files of a simulation are replaced. */
static psdvec_status check_contents(simulation_folder *f)
{
    struct stat found;
    if (is_simulation(f->path[TRUTH]) || was_interrupted(f))
        return PSDVEC_OK;
    for (size_t k = 0; k < FILES; k++)
        if (lstat(f->path[k], &found) == 0)
            return pv_fail(f->ctx, PSDVEC_ERR_WRITE,
                           "%s: already exists, and does not belong to a complete simulation; "
                           "move it or choose another folder",
                           f->path[k]);
    return PSDVEC_OK;
}

/* Creates the folder, or checks that no other files would be overwritten. Close it in either
 * case. */
static psdvec_status folder_open(psdvec_context *ctx, const char *path, simulation_folder *f)
{
    *f = (simulation_folder){.ctx = ctx, .folder = path};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (size_t k = 0; k < FILES; k++)
        if (pv_asprintf(&f->path[k], "%.*s/%s", (int)length, path, file_names[k]) < 0) {
            f->path[k] = NULL;
            return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
        }
    struct stat found;
    int error = pv_new_folder(path);
    if (error == 0) {
        f->made = true;
        return PSDVEC_OK;
    }
    if (error != EEXIST)
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot create the folder", path, error);
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return pv_fail(ctx, PSDVEC_ERR_WRITE,
                       "%s: is not a folder, and a simulation consists of several files; choose "
                       "another name",
                       path);
    return check_contents(f);
}

/* `whole`: everything was written. */
static void folder_close(simulation_folder *f, bool whole)
{
    for (size_t k = 0; k < FILES; k++)
        free(f->path[k]);
    if (f->made && !whole) /* fails if there is anything else in it, which is intended */
        rmdir(f->folder);
}

/* ---- Residuals ------------------------------------------------------------------------------- */

static psdvec_status write_residuals(const pv_truth *t, const drawn_text *drawn, const char *path,
                                     pv_output **prepared)
{
    psdvec_status status;
    pv_scope scope = {.ctx = t->ctx, .what = "residuals of all pairs"};
    size_t n = t->words, columns = t->residuals ? n : 0; /* without residuals, the rows are empty */
    uint64_t *begin;
    uint32_t *focus;
    float *value;
    PV_TAKE(&scope, begin, n + 1);
    PV_TAKE(&scope, focus, n * columns);
    PV_TAKE(&scope, value, n * columns);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i <= n; i++)
        begin[i] = i * columns;
    for (size_t i = 0; i < n && columns; i++) {
        for (size_t j = 0; j < n; j++)
            focus[i * n + j] = (uint32_t)j;
        pv_truth_residuals(t, (uint32_t)i, value + i * n);
        PV_TRY_DONE(pv_check_cancel(t->ctx));
    }
    pv_residual_data data = {.rows = pv_csr_of(t->words, t->words, begin, focus, value),
                             .bytes = drawn->names,
                             .offsets = drawn->offsets,
                             .target = pv_target_choices[PSDVEC_TARGET_PMI].name,
                             .unseen = NAN};
    status = pv_residual_file_prepare(t->ctx, &data, path, prepared);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The number of pairs of positions in the text that are within the window. */
static double pairs_of(const pv_truth *t, const drawn_text *drawn)
{
    const psdvec_simulate_options *o = &t->options;
    uint64_t last = o->tokens - (drawn->documents - 1) * o->document_words;
    double pairs = 0;
    for (uint64_t d = 1; d <= o->window; d++) {
        if (d < o->document_words)
            pairs += (double)(drawn->documents - 1) * (double)(o->document_words - d);
        if (d < last)
            pairs += (double)(last - d);
    }
    return pairs;
}

/* The training options whose result converges to the truth: its target, and weights proportional to
 * the counts. */
static psdvec_status write_settings(const pv_truth *t, double pairs, pv_buffer *json)
{
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    o.dim = t->dim;
    o.form = t->options.form;
    o.context_power = 1;
    o.factor_power = 1;
    o.rho = 0;
    o.centre = false;
    o.order = o.spelling = 0;
    pv_link_constants constants = {.factor_mean = 2 * pairs / t->words, .total = pairs};
    PV_TRY(pv_settings_write(t->ctx, &o, &constants, json));
    return pv_buffer_byte(json, 0);
}

static psdvec_status write_counts_provenance(const pv_truth *t, const drawn_text *drawn,
                                             pv_buffer *json)
{
    psdvec_status status;
    psdvec_count_options count;
    pv_provenance provenance;
    psdvec_count_options_default(&count);
    count.window = t->options.window;
    count.distance = PSDVEC_DISTANCE_UNIFORM;
    count.oov = PSDVEC_OOV_KEEP;
    count.subsample = 0;
    count.min_count = 1;
    pv_provenance_init(&provenance, t->ctx);
    PV_TRY_DONE(pv_provenance_set(&provenance, &count));
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_json_put_raw(&w, "settings", provenance.settings, strlen(provenance.settings));
    pv_json_put_raw(&w, "vocabulary", provenance.vocabulary, strlen(provenance.vocabulary));
    pv_json_put_bool(&w, "simulated", true);
    pv_json_put_u64(&w, "words", t->words);
    pv_json_put_u64(&w, "tokens", t->options.tokens);
    pv_json_put_u64(&w, "documents", drawn->documents);
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    status = pv_buffer_byte(json, 0);
done:
    pv_provenance_free(&provenance);
    return status;
}

static psdvec_status write_model(const pv_truth *t, const drawn_text *drawn, const char *path,
                                 pv_output **prepared)
{
    psdvec_status status;
    pv_buffer settings = {.ctx = t->ctx}, counts = {.ctx = t->ctx};
    PV_TRY_DONE(write_settings(t, pairs_of(t, drawn), &settings));
    PV_TRY_DONE(write_counts_provenance(t, drawn, &counts));
    pv_model_data data = {.words = t->words,
                          .dim = t->dim,
                          .core_words = t->words,
                          .bytes = drawn->names,
                          .offsets = drawn->offsets,
                          .vectors = t->vectors,
                          .counts = drawn->counts,
                          .unigram = t->unigram,
                          .eigenvalues = t->eigenvalues,
                          .method = psdvec_method_name(PSDVEC_METHOD_PSD),
                          .settings_json = settings.data,
                          .counts_json = counts.data};
    status = pv_model_prepare(t->ctx, &data, path, prepared);
done:
    pv_buffer_free(&settings);
    pv_buffer_free(&counts);
    return status;
}

/* ---- truth.json ------------------------------------------------------------------------------ */

static psdvec_status write_truth_file(const pv_truth *t, const drawn_text *drawn, const char *path,
                                      pv_output **prepared)
{
    psdvec_status status;
    const psdvec_simulate_options *o = &t->options;
    pv_buffer json = {.ctx = t->ctx};
    pv_json_writer w;
    pv_json_writer_init(&w, &json);
    pv_json_open_object(&w, NULL);
    pv_json_put_string(&w, "format", "psdvec.simulation"); /* first: see `mark` */
    pv_json_put_u64(&w, "version", 1);
    pv_json_put_string(&w, "written_by", "psdvec " PSDVEC_VERSION);
    pv_json_put_u64(&w, "vocab", o->vocab);
    pv_json_put_u64(&w, "dim", o->dim);
    pv_json_put_u64(&w, "tokens", o->tokens);
    pv_json_put_u64(&w, "window", o->window);
    pv_json_put_u64(&w, "document_words", o->document_words);
    pv_json_put_double(&w, "zipf", o->zipf);
    pv_json_put_double(&w, "strength", o->strength);
    pv_json_put_double(&w, "residual", o->residual);
    if (o->residual_cut < 1)
        pv_json_put_double(&w, "residual_cut", o->residual_cut);
    if (o->mu_power > 0)
        pv_json_put_double(&w, "mu_power", o->mu_power);
    pv_json_put_string(&w, "form", pv_form_choices[o->form].name);
    pv_json_put_u64(&w, "seed", o->seed);
    pv_json_put_double(&w, "mu", t->mu);
    pv_json_put_u64(&w, "documents", drawn->documents);
    pv_json_put_double(&w, "pairs", pairs_of(t, drawn));
    pv_json_put_double(&w, "log_likelihood", drawn->log_likelihood);
    pv_json_put_double(&w, "log_unigram", drawn->log_unigram);
    pv_json_put_double(&w, "entropy", t->entropy);
    pv_json_put_double(&w, "entropy_rate", t->entropy_rate);
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    PV_TRY_DONE(pv_buffer_byte(&json, '\n'));
    PV_TRY_DONE(pv_output_open(t->ctx, path, prepared));
    status = pv_output_write_at(*prepared, 0, json.data, json.length);
done:
    pv_buffer_free(&json);
    return status;
}

/* ---- Public functions ------------------------------------------------------------------------ */

/* All files are complete before the first of them appears. */
static psdvec_status simulate(pv_truth *truth, const simulation_folder *folder, drawn_text *drawn)
{
    psdvec_status status;
    pv_output *files[FILES] = {0};
    char *const *path = folder->path;
    PV_TRY_DONE(pv_output_open(truth->ctx, path[TEXT], &files[TEXT]));
    PV_TRY_DONE(draw_text(truth, files[TEXT], drawn));
    pv_truth_drop_table(truth);
    PV_TRY_DONE(write_residuals(truth, drawn, path[RESIDUALS], &files[RESIDUALS]));
    PV_TRY_DONE(write_model(truth, drawn, path[MODEL], &files[MODEL]));
    PV_TRY_DONE(write_truth_file(truth, drawn, path[TRUTH], &files[TRUTH]));
    return pv_output_commit_set(files, FILES);
done:
    for (size_t k = 0; k < FILES; k++)
        pv_output_discard(files[k]);
    return status;
}

psdvec_status psdvec_simulate(psdvec_context *ctx, const psdvec_simulate_options *options,
                              const char *folder, psdvec_simulate_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, folder);
    double began = pv_now();
    psdvec_status status;
    pv_truth truth = {0};
    simulation_folder files = {0};
    drawn_text drawn = {0};
    psdvec_simulate_options own;
    PV_TRY(pv_options_adopt(ctx, &pv_simulate_table, options, &own));
    PV_TRY_DONE(folder_open(ctx, folder, &files));
    PV_TRY_DONE(pv_truth_make(ctx, &own, &truth));
    PV_TRY_DONE(simulate(&truth, &files, &drawn));
    if (report)
        *report = (psdvec_simulate_report){.tokens = own.tokens,
                                           .documents = drawn.documents,
                                           .bytes = drawn.bytes,
                                           .mu = truth.mu,
                                           .log_likelihood = drawn.log_likelihood,
                                           .log_unigram = drawn.log_unigram,
                                           .entropy = truth.entropy,
                                           .entropy_rate = truth.entropy_rate,
                                           .rounds = truth.rounds,
                                           .seconds = pv_now() - began};
done:
    pv_truth_free(&truth);
    pv_scope_free(&drawn.memory);
    folder_close(&files, status == PSDVEC_OK);
    return status;
}
