/* psdvec_count: from text to a counts file.
 *
 *     read        text -> provisional tokens (token_store)
 *     vocabulary  provisional words -> final ids
 *     count       chunks of tokens -> rows; straight into the file if one
 *                 chunk holds everything, otherwise by way of sorted runs
 */
#include "count/count.h"

#include "base/arguments.h"
#include "base/file.h"
#include "corpus/tokenizer.h"
#include "count/chunk.h"
#include "count/counts_read.h"
#include "count/counts_write.h"
#include "count/options.h"
#include "count/reading.h"
#include "count/resume.h"
#include "count/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CHUNK = 1 << 16, MOST_GROUPS = 1 << 16 };

psdvec_status psdvec_count_options_check(psdvec_context *ctx, const psdvec_count_options *options)
{
    psdvec_count_options own;
    PV_BEGIN(ctx);
    return pv_options_adopt(ctx, &pv_count_table, options, &own);
}

/* ---- Counting what has been read --------------------------------------------- */

typedef struct counting {
    psdvec_context *ctx;
    const psdvec_count_options *options;
    const char *folder; /* for temporary files */
    pv_reading text;
    pv_window window;
    pv_row_groups groups;
    pv_progress progress;
    psdvec_count_report report;
} counting;

static uint64_t part_room(const pv_token_part *part)
{
    return (uint64_t)part->tokens + 1; /* and a border */
}

/* Entries of finished rows that a worker may hold, from its share of memory:
 * many enough to be worth writing, few enough to stay in cache. */
static uint64_t group_entries(const counting *c)
{
    uint64_t share = c->ctx->options.memory / (uint64_t)c->ctx->options.threads / 1024;
    return share < (1 << 14) ? 1 << 14 : share > (1 << 17) ? 1 << 17 : share;
}

/* Groups of rows with about that many entries each. A row cannot have more
 * entries than there are words, nor more than its word has neighbours. */
static psdvec_status plan_groups(counting *c)
{
    const pv_vocabulary *v = &c->text.vocabulary;
    uint64_t total = 0;
    uint64_t *entries = pv_alloc(c->ctx, v->count, sizeof *entries, "dividing the work");
    if (!entries)
        return pv_failure(c->ctx);
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t neighbours = v->frequency[i] * c->options->window;
        entries[i] = neighbours < v->count ? neighbours : v->count;
        total += entries[i];
    }
    uint64_t wanted = total / group_entries(c) + 64;
    psdvec_status status = pv_row_groups_init(&c->groups, c->ctx, entries, v->count,
                                              wanted < MOST_GROUPS ? (size_t)wanted : MOST_GROUPS);
    pv_free(c->ctx, entries);
    return status;
}

/* Tokens that a chunk may have within the memory that is left. */
static psdvec_status plan_chunks(const counting *c, uint64_t all, uint64_t *chunk_tokens)
{
    uint64_t words = c->text.vocabulary.count;
    uint64_t largest = group_entries(c) + words; /* entries of the largest group */
    uint64_t fixed =
        pv_chunk_fixed_bytes(c->ctx, c->text.vocabulary.count, pv_window_reach(&c->window)) +
        (uint64_t)c->ctx->options.threads * pv_rows_bytes(largest) + (2 << 20);
    uint64_t left = pv_memory_left(c->ctx);
    *chunk_tokens = left > fixed ? (left - fixed) / pv_chunk_bytes(1) : 0;
    if (*chunk_tokens > UINT32_MAX / 2)
        *chunk_tokens = UINT32_MAX / 2;
    if (*chunk_tokens < SMALLEST_CHUNK && *chunk_tokens < all)
        return pv_fail(c->ctx, PSDVEC_ERR_BUDGET,
                       "counting %u words needs about %.0f MiB of memory, and %.0f MiB of the "
                       "budget of %.0f MiB are left; allow more memory, use fewer threads or "
                       "raise the minimum count",
                       c->text.vocabulary.count,
                       (double)(fixed + pv_chunk_bytes(SMALLEST_CHUNK)) / 1048576.0,
                       (double)left / 1048576.0, (double)c->ctx->options.memory / 1048576.0);
    return PSDVEC_OK;
}

/* Fails early if the temporary files will not fit, going by the first run. */
static psdvec_status check_disk(const counting *c, uint64_t first_run, uint64_t chunks_left)
{
    uint64_t needed = first_run * chunks_left;
    const char *folder = c->ctx->tempdir ? c->ctx->tempdir : c->folder;
    uint64_t space = pv_free_space(folder);
    pv_note(c->ctx, "about %.1f MiB of temporary files in %s, %.1f MiB free",
            (double)(needed + first_run) / 1048576.0, folder, (double)space / 1048576.0);
    if (needed > space)
        return pv_fail(c->ctx, PSDVEC_ERR_DISK_FULL,
                       "%s: about %.1f MiB more are needed there for temporary files, but only "
                       "%.1f MiB are free; choose another folder for them or allow more memory",
                       folder, (double)needed / 1048576.0, (double)space / 1048576.0);
    return PSDVEC_OK;
}

static psdvec_status count_by_runs(counting *c, const pv_chunk_job *job, uint64_t chunk_tokens,
                                   uint64_t all, const pv_row_sink *sink)
{
    pv_runs runs;
    psdvec_status status = PSDVEC_OK;
    size_t parts = c->text.store->part_count;
    pv_runs_init(&runs, c->ctx, c->folder, &c->groups, c->text.vocabulary.count);
    for (size_t first = 0; first < parts;) {
        size_t last = first;
        uint64_t tokens = 0;
        do
            tokens += part_room(&c->text.store->parts[last++]);
        while (last < parts && tokens + part_room(&c->text.store->parts[last]) <= chunk_tokens);
        pv_row_sink run;
        PV_TRY_DONE(pv_runs_begin(&runs, &run));
        PV_TRY_DONE(pv_chunk_count(job, first, last, &run));
        pv_runs_end(&runs);
        if (first == 0)
            PV_TRY_DONE(check_disk(c, runs.spilled, all / tokens));
        first = last;
    }
    c->report.runs = runs.made;
    c->report.spilled_bytes += runs.spilled;
    pv_progress merging;
    pv_progress_begin(&merging, c->ctx, "merging", "groups", c->groups.count);
    PV_TRY_DONE(pv_runs_merge(&runs, sink, &merging));
    pv_progress_end(&merging);
done:
    pv_runs_free(&runs);
    return status;
}

/* Counts the store's tokens into the sink. */
static psdvec_status count_tokens(counting *c, const pv_row_sink *sink)
{
    uint64_t all = 0, chunk_tokens;
    for (size_t i = 0; i < c->text.store->part_count; i++)
        all += part_room(&c->text.store->parts[i]);
    PV_TRY(plan_groups(c));
    PV_TRY(plan_chunks(c, all, &chunk_tokens));
    bool one = all <= chunk_tokens;
    pv_chunk_job job = {.ctx = c->ctx,
                        .store = c->text.store,
                        .vocabulary = &c->text.vocabulary,
                        .window = &c->window,
                        .oov = c->options->oov,
                        .groups = &c->groups,
                        .progress = &c->progress};
    pv_progress_begin(&c->progress, c->ctx, "counting", "words", c->text.vocabulary.known_tokens);
    if (!one)
        PV_TRY(count_by_runs(c, &job, chunk_tokens, all, sink));
    else
        PV_TRY(pv_chunk_count(&job, 0, c->text.store->part_count, sink));
    pv_progress_end(&c->progress);
    return PSDVEC_OK;
}

/* ---- The whole ------------------------------------------------------------------- */

psdvec_status pv_refuse_same_file(psdvec_context *ctx, const char *const *inputs, size_t count,
                                  const char *output)
{
    for (size_t i = 0; i < count; i++)
        if (pv_same_file(inputs[i], output))
            return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                           "%s: is an input as well as the output; choose another output", output);
    return PSDVEC_OK;
}

/* An output that is an input or the list of words is refused. Only a counts
 * file found in a folder is what an earlier run left there, and passed over. */
psdvec_status pv_keep_output_apart(psdvec_context *ctx, const psdvec_count_options *options,
                                   pv_inputs *inputs, const char *output)
{
    size_t used = 0;
    if (options->vocab_file)
        PV_TRY(pv_refuse_same_file(ctx, &options->vocab_file, 1, output));
    for (size_t i = 0; i < inputs->count; i++) {
        pv_input_file *file = &inputs->files[i];
        const char *path = file->path;
        if (!file->named && pv_same_file(path, output) && pv_counts_looks_like(path)) {
            pv_note(ctx, "%s: passed over: it is the output", path);
            free(file->path);
            file->path = NULL;
        }
    }
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].path)
            inputs->files[used++] = inputs->files[i];
    inputs->count = used;
    if (used == 0)
        return pv_fail(ctx, PSDVEC_ERR_EMPTY, "%s: is the only file in the folder", output);
    for (size_t i = 0; i < used; i++) {
        const char *path = inputs->files[i].path;
        PV_TRY(pv_refuse_same_file(ctx, &path, 1, output));
    }
    return PSDVEC_OK;
}

psdvec_status pv_count_run(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output_path,
                           pv_count_part part, psdvec_count_report *report)
{
    double began = pv_now();
    psdvec_status status;
    counting c = {.ctx = ctx, .options = options};
    pv_inputs files = {0};
    pv_output *output = NULL;
    pv_counts_writer *writer = NULL;
    char *folder = pv_folder_of(output_path);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory", output_path);
    c.folder = folder;
    c.report.runs = 1;

    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_keep_output_apart(ctx, options, &files, output_path));
    PV_TRY_DONE(pv_output_open(ctx, output_path, &output));
    PV_TRY_DONE(pv_reading_open(&c.text, ctx, options, &files, inputs, input_count, folder,
                                part.may_be_empty));
    PV_TRY_DONE(pv_window_init(&c.window, ctx, options, &c.text.vocabulary));
    c.report.spilled_bytes = pv_spool_on_disk(c.text.store->tokens) +
                             pv_spool_on_disk(c.text.store->words);

    PV_TRY_DONE(pv_counts_writer_new(ctx, output, folder, &c.text.vocabulary, &c.text.provenance,
                                     c.window.retention, &writer));
    pv_row_sink sink = pv_counts_writer_sink(writer);
    if (!part.words_only)
        PV_TRY_DONE(count_tokens(&c, &sink));
    PV_TRY_DONE(pv_counts_writer_finish(writer, &c.report.bigrams));
    PV_TRY_DONE(pv_check_cancel(ctx));
    status = pv_output_commit(output);
    output = NULL;
    if (status == PSDVEC_OK && report) {
        *report = c.report;
        pv_reading_report(&c.text, report);
        report->seconds = pv_now() - began;
    }
done:
    pv_counts_writer_free(writer);
    pv_output_discard(output);
    pv_row_groups_free(&c.groups, ctx);
    pv_window_free(&c.window);
    pv_reading_free(&c.text);
    pv_inputs_free(&files);
    free(folder);
    return status;
}

static psdvec_status count_all(psdvec_context *ctx, const psdvec_count_options *options,
                               const char *const *inputs, size_t input_count, const char *output,
                               psdvec_count_report *report)
{
    if (options->resume_dir)
        return pv_count_resumable(ctx, options, inputs, input_count, output, report);
    return pv_count_run(ctx, options, inputs, input_count, output, (pv_count_part){0}, report);
}

psdvec_status pv_count_on_the_way(pv_partial *partial, psdvec_context *ctx,
                                  const psdvec_count_options *options, const char *const *inputs,
                                  size_t input_count, char **path, psdvec_count_report *report)
{
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_path(partial, "counts", path));
    PV_TRY(pv_partial_load(partial, "counts", &file));
    if (!file)
        return count_all(ctx, options, inputs, input_count, *path, report);
    pv_st_close(file);
    pv_step(ctx, "going on with the counts of an interrupted run");
    return PSDVEC_OK;
}

psdvec_status psdvec_count(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output,
                           psdvec_count_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    psdvec_count_options own;
    if (report)
        *report = (psdvec_count_report){0};
    PV_TRY(pv_options_adopt(ctx, &pv_count_table, options, &own));
    return count_all(ctx, &own, inputs, input_count, output, report);
}
