/* psdvec_count: from text to a counts file.
 *
 *     read        text -> provisional tokens (token_store)
 *     vocabulary  provisional words -> final ids
 *     count       chunks of tokens -> rows; directly into the file if one
 *                 chunk holds everything, otherwise through spills
 *
 * A chunk has as many tokens as fit in memory (sequence.h). For each word in turn, the words after
 * each of its positions are added to one row of sums that stays in cache. No pair is stored before
 * it is summed, only the positions are sorted (by counting sort), and rows are produced complete,
 * in order, with ascending columns. Each row is computed by one worker.
 *
 * Cost: 8 bytes of memory per token; about a nanosecond per pair.
 */
#include "count/count.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/group.h"
#include "count/counts_read.h"
#include "count/counts_write.h"
#include "count/options.h"
#include "count/phrase_find.h"
#include "count/row_exchange.h"
#include "count/sequence.h"
#include "count/spills.h"
#include "count/window.h"

#include <stdlib.h>
#include <xxhash.h>

enum { SMALLEST_CHUNK = 1 << 16 };

psdvec_status psdvec_count_options_check(psdvec_context *ctx, const psdvec_count_options *options)
{
    psdvec_count_options own;
    PV_BEGIN(ctx);
    return pv_options_adopt(ctx, &pv_count_table, options, &own);
}

/* ---- The text -------------------------------------------------------------------- */

static psdvec_status check_not_empty(const pv_reading *r, const psdvec_count_options *options,
                                     const char *first_input, size_t inputs)
{
    const char *others = inputs > 1 ? " and the other inputs" : "";
    if (strcmp(first_input, "-") == 0)
        first_input = "standard input";
    if (r->store->total.bytes == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: the input is empty; give a file that "
                       "contains text",
                       first_input, others);
    if (r->store->total.tokens == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: no words in %llu bytes; check that it is text and that the "
                       "tokenizer suits it",
                       first_input, others, (unsigned long long)r->store->total.bytes);
    if (r->vocabulary.count == 0)
        return pv_fail(r->ctx, PSDVEC_ERR_EMPTY,
                       "%s%s: none of %llu distinct words occurs %llu times; lower `min_count`",
                       first_input, others, (unsigned long long)r->vocabulary.distinct,
                       (unsigned long long)options->min_count);
    if (options->vocab_file && r->vocabulary.known_tokens == 0 && pv_group_leads(r->ctx))
        pv_warn(r->ctx,
                "%s: none of its %u words occurs in the text; check that both have the "
                "same case and tokenizer",
                options->vocab_file, r->vocabulary.count);
    return PSDVEC_OK;
}

/* Fails unless all members of a group have the same program, options and inputs. */
static psdvec_status check_alike(psdvec_context *ctx, const pv_provenance *provenance,
                                 const pv_inputs *files)
{
    uint64_t text = 0;
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    for (size_t i = 0; i < files->count; i++) {
        const pv_input_file *file = &files->files[i];
        if (file->once)
            return pv_input_refuse_shared(ctx, file->path);
        text = XXH3_64bits_withSeed(file->path, strlen(file->path), text);
        text = XXH3_64bits_withSeed(&file->size, sizeof file->size, text);
    }
    uint64_t chosen = XXH3_64bits(provenance->settings, strlen(provenance->settings));
    chosen = XXH3_64bits_withSeed(provenance->vocabulary, strlen(provenance->vocabulary), chosen);
    PV_TRY(pv_group_compare(ctx, XXH3_64bits(PSDVEC_VERSION, strlen(PSDVEC_VERSION)),
                            "the versions of the program"));
    PV_TRY(pv_group_compare(ctx, chosen, "the options"));
    return pv_group_compare(ctx, text, "the names or sizes of the inputs");
}

psdvec_status pv_reading_open(pv_reading *r, psdvec_context *ctx,
                              const psdvec_count_options *options, const pv_inputs *files,
                              const char *const *inputs, size_t input_count, const char *folder,
                              pv_count_part part)
{
    *r = (pv_reading){.ctx = ctx};
    pv_vocabulary_init(&r->vocabulary, ctx);
    pv_provenance_init(&r->provenance, ctx);
    pv_buffer_init(&r->held_out, ctx);
    PV_TRY(pv_provenance_set(&r->provenance, options));
    PV_TRY(check_alike(ctx, &r->provenance, files));
    if (options->vocab_file)
        PV_TRY(pv_vocabulary_read(&r->vocabulary, options->vocab_file));
    PV_TRY(pv_token_store_read(ctx, files, input_count, &options->text, options->hold_out,
                               part.joining, folder, &r->store));
    if (!part.silent && pv_group_leads(ctx))
        pv_text_faults_advise(&r->store->faults, &options->text);
    PV_TRY(pv_vocabulary_build(&r->vocabulary, r->store, options));
    PV_TRY(pv_held_words(r->store, &r->held_out));
    if (!part.may_be_empty)
        PV_TRY(check_not_empty(r, options, inputs[0], input_count));
    if (!part.joining || part.joining->phrases)
        PV_TRY(pv_provenance_set_phrases(
            &r->provenance,
            pv_phrases_list(part.joining ? part.joining->phrases : &r->store->phrases)));
    r->provenance.tokens = r->store->total.tokens;
    r->provenance.documents = r->store->total.documents;
    for (size_t i = 0; i < input_count; i++) {
        r->store->inputs[i].name = inputs[i];
        PV_TRY(pv_provenance_add_input(&r->provenance, &r->store->inputs[i]));
    }
    return PSDVEC_OK;
}

void pv_reading_free(pv_reading *r)
{
    pv_provenance_free(&r->provenance);
    pv_vocabulary_free(&r->vocabulary);
    pv_token_store_free(r->store);
    pv_buffer_free(&r->held_out);
    *r = (pv_reading){0};
}

void pv_reading_report(const pv_reading *r, psdvec_count_report *report)
{
    report->bytes = r->store->total.bytes;
    report->documents = r->store->total.documents;
    report->tokens = r->store->total.tokens;
    report->known_tokens = r->vocabulary.known_tokens;
    report->distinct_words = r->vocabulary.distinct;
    report->words = r->vocabulary.count;
    report->bad_bytes = r->store->faults.bad_bytes;
}

/* ---- One chunk ------------------------------------------------------------------ */

typedef struct counting {
    psdvec_context *ctx;
    const psdvec_count_options *options;
    const char *folder; /* for temporary files */
    pv_reading text;
    pv_sequence chunk;
    pv_window window;
    pv_row_groups groups;
    pv_progress progress; /* in words */
    psdvec_count_report report;
} counting;

/* Both loops work on a copy of the accumulator's fields: through a pointer they would be loaded and
 * stored for every pair. */

static void add_row_plain(const counting *c, pv_row_sum *row, const uint32_t *place,
                          const uint32_t *end)
{
    pv_row_sum sum = *row;
    const uint32_t *sequence = c->chunk.ids;
    const uint32_t *weights = c->window.weights;
    const uint32_t span = c->window.span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD]);
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = 1; d <= span; d++) {
            uint32_t id = word[d];
            if (id == PV_BORDER)
                break;
            pv_row_sum_add(&sum, id, weights[d]);
        }
    }
    row->touched_count = sum.touched_count;
}

static void add_row_running(const counting *c, pv_row_sum *row, const uint32_t *place,
                            const uint32_t *end)
{
    pv_row_sum sum = *row;
    const uint32_t *sequence = c->chunk.ids;
    const uint32_t *weights = c->window.weights;
    const uint16_t *steps = c->window.steps;
    const uint32_t limit = c->window.limit, span = c->window.span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD]);
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = PV_STEP_ONE; d < limit;) {
            uint32_t id = *++word;
            if (id == PV_BORDER)
                break;
            pv_row_sum_add(&sum, id, weights[d]);
            d += steps[id];
        }
    }
    row->touched_count = sum.touched_count;
}

static psdvec_status count_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                 pv_rows *rows)
{
    (void)group, (void)worker;
    counting *c = opaque;
    uint32_t end = rows->first + rows->count;
    for (uint32_t id = rows->first; id < end; id++) {
        const uint32_t *first = c->chunk.places + c->chunk.row_start[id];
        const uint32_t *last = c->chunk.places + c->chunk.row_start[id + 1];
        if (c->window.steps)
            add_row_running(c, sum, first, last);
        else
            add_row_plain(c, sum, first, last);
        PV_TRY(pv_rows_add(rows, id, sum));
    }
    pv_progress_add(&c->progress, c->chunk.row_start[end] - c->chunk.row_start[rows->first]);
    return PSDVEC_OK;
}

/* Counts the pairs whose context word is in parts [first, last). */
static psdvec_status count_chunk(counting *c, size_t first, size_t last, const pv_row_sink *sink)
{
    psdvec_status status;
    pv_sequence_init(&c->chunk, c->ctx, c->text.vocabulary.count);
    PV_TRY_DONE(pv_sequence_read(&c->chunk, c->text.store, c->options->oov, first, last,
                                 pv_window_reach(&c->window), NULL));
    PV_TRY_DONE(pv_sequence_sort(&c->chunk, NULL));
    status = pv_rows_make(c->ctx, c->chunk.words, &c->groups, count_group, c, sink, NULL);
done:
    pv_sequence_free(&c->chunk);
    return status;
}

/* ---- All chunks ----------------------------------------------------------------- */

/* Number of tokens of a part in a chunk, plus a border. */
static uint64_t part_tokens(const counting *c, size_t part)
{
    return (uint64_t)c->text.store->parts[part].tokens + 1;
}

/* Number of entries of finished rows that a worker may hold, from its share of memory: enough for
 * efficient writing, few enough to stay in cache. */
static uint64_t group_entries(const counting *c)
{
    uint64_t share = c->ctx->options.memory / (uint64_t)c->ctx->options.threads / 1024;
    return share < (1 << 14) ? 1 << 14 : share > (1 << 17) ? 1 << 17 : share;
}

/* Makes groups of rows with about that many entries each. A row cannot have more entries than there
 * are words, nor more than its word has neighbours. */
static psdvec_status plan_groups(counting *c)
{
    const pv_vocabulary *v = &c->text.vocabulary;
    uint64_t total = 0, *entries;
    pv_scope scope = {.ctx = c->ctx, .what = "dividing the work"};
    PV_TAKE(&scope, entries, v->count);
    PV_TRY(pv_scope_status(&scope));
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t neighbours = v->frequency[i] * c->options->window;
        entries[i] = neighbours < v->count ? neighbours : v->count;
        total += entries[i];
    }
    uint64_t wanted = total / group_entries(c) + 64;
    psdvec_status status = pv_group_agree(c->ctx, &wanted);
    if (status == PSDVEC_OK)
        status = pv_row_groups_init(&c->groups, c->ctx, entries, v->count, wanted);
    pv_scope_free(&scope);
    return status;
}

/* Number of tokens per chunk that fits the remaining memory. */
static psdvec_status plan_chunks(const counting *c, uint64_t all, uint64_t *chunk_tokens)
{
    uint64_t words = c->text.vocabulary.count, threads = (uint64_t)c->ctx->options.threads;
    uint64_t largest = group_entries(c) + words; /* entries of the largest group */
    uint64_t fixed = threads * (pv_row_sum_bytes((uint32_t)words) + 4 * words + (2 << 20) +
                                pv_rows_bytes(largest)) +
                     8 * words + 4 * pv_window_reach(&c->window) + (3 << 20);
    uint64_t left = pv_memory_left(c->ctx);
    *chunk_tokens = left > fixed ? (left - fixed) / pv_sequence_bytes(1) : 0;
    if (*chunk_tokens > UINT32_MAX / 2)
        *chunk_tokens = UINT32_MAX / 2;
    if (*chunk_tokens < SMALLEST_CHUNK && *chunk_tokens < all)
        return pv_fail(c->ctx, PSDVEC_ERR_BUDGET,
                       "counting %u words needs about %.0f MiB of memory, and %.0f MiB of the "
                       "limit of %.0f MiB are left; raise the limit (`memory`), use fewer threads "
                       "or raise `min_count`",
                       c->text.vocabulary.count,
                       (double)(fixed + pv_sequence_bytes(SMALLEST_CHUNK)) / 1048576.0,
                       (double)left / 1048576.0, (double)c->ctx->options.memory / 1048576.0);
    return PSDVEC_OK;
}

/* Fails early if the temporary files will not fit, extrapolating from the first spill. */
static psdvec_status check_disk(const counting *c, uint64_t first_spill, uint64_t chunks_left)
{
    uint64_t needed = first_spill * chunks_left;
    const char *folder = c->ctx->tempdir ? c->ctx->tempdir : c->folder;
    uint64_t space = pv_free_space(folder);
    pv_note(c->ctx, "about %.1f MiB of temporary files in %s, %.1f MiB free",
            (double)(needed + first_spill) / 1048576.0, folder, (double)space / 1048576.0);
    if (needed > space)
        return pv_fail(c->ctx, PSDVEC_ERR_DISK_FULL,
                       "%s: temporary files need about %.1f MiB more there, but only %.1f MiB are "
                       "free; choose another folder for them or raise the limit (`memory`)",
                       folder, (double)needed / 1048576.0, (double)space / 1048576.0);
    return PSDVEC_OK;
}

static psdvec_status count_by_spills(counting *c, uint64_t chunk_tokens, uint64_t all,
                                     const pv_row_sink *sink)
{
    pv_spills spills;
    psdvec_status status = PSDVEC_OK;
    size_t parts = c->text.store->part_count;
    pv_spills_init(&spills, c->ctx, c->folder, &c->groups, c->text.vocabulary.count);
    for (size_t first = 0; first < parts;) {
        size_t last = first;
        uint64_t tokens = 0;
        do
            tokens += part_tokens(c, last++);
        while (last < parts && tokens + part_tokens(c, last) <= chunk_tokens);
        PV_HOLDS(tokens > 0); /* every part has a border */
        pv_row_sink spill;
        PV_TRY_DONE(pv_spills_begin(&spills, &spill));
        PV_TRY_DONE(count_chunk(c, first, last, &spill));
        pv_spills_end(&spills);
        if (first == 0)
            PV_TRY_DONE(check_disk(c, spills.written, all / tokens));
        first = last;
    }
    c->report.runs = spills.made;
    c->report.spilled_bytes += spills.written;
    status = pv_spills_merge(&spills, sink, "merging");
done:
    pv_spills_free(&spills);
    return status;
}

/* Counts the store's tokens into the sink. In a group, the sink of the leader, or of all members
 * if `everywhere`, receives the sums over all members. */
static psdvec_status count_tokens(counting *c, const pv_row_sink *sink, bool everywhere)
{
    psdvec_context *ctx = c->ctx;
    uint64_t all = 0, chunk_tokens;
    size_t parts = c->text.store->part_count;
    pv_row_exchange exchange = {0};
    pv_row_sink shared;
    psdvec_status status;
    for (size_t i = 0; i < parts; i++)
        all += part_tokens(c, i);
    PV_TRY(plan_groups(c));
    if (pv_group_shares(ctx)) {
        PV_TRY(pv_sequence_share(ctx, c->text.store, c->text.vocabulary.count, c->options->oov,
                                 pv_window_reach(&c->window)));
        PV_TRY_DONE(pv_row_exchange_open(&exchange, ctx, &c->groups, c->text.vocabulary.count, sink,
                                         everywhere, &shared));
        sink = &shared;
    }
    PV_TRY_DONE(plan_chunks(c, all, &chunk_tokens));
    pv_progress_begin(&c->progress, ctx, "counting", "words",
                      c->text.vocabulary.known_tokens / pv_group_members(ctx));
    PV_TRY_DONE(all <= chunk_tokens ? count_chunk(c, 0, parts, sink)
                                    : count_by_spills(c, chunk_tokens, all, sink));
    pv_progress_end(&c->progress);
done:
    pv_row_exchange_close(&exchange);
    return status;
}

/* ---- Complete runs ------------------------------------------------------------------- */

psdvec_status pv_refuse_same_file(psdvec_context *ctx, const char *const *inputs, size_t count,
                                  const char *output)
{
    for (size_t i = 0; i < count; i++)
        if (pv_same_file(inputs[i], output))
            return pv_fail(ctx, PSDVEC_ERR_SAME_FILE,
                           "%s: is both input and output; choose another output", output);
    return PSDVEC_OK;
}

/* Rejects an output that is also an input or the list of words. Exception: a counts file found in
 * an input folder is the output of an earlier run, and is skipped. */
psdvec_status pv_refuse_input_as_output(psdvec_context *ctx, const psdvec_count_options *options,
                                        pv_inputs *inputs, const char *output)
{
    size_t used = 0;
    if (options->vocab_file)
        PV_TRY(pv_refuse_same_file(ctx, &options->vocab_file, 1, output));
    for (size_t i = 0; i < inputs->count; i++) {
        const char *path = inputs->files[i].path;
        if (pv_same_file(path, output) && (inputs->files[i].named || !pv_counts_looks_like(path)))
            return pv_refuse_same_file(ctx, &path, 1, output);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        char *path = inputs->files[i].path;
        if (pv_same_file(path, output)) {
            pv_note(ctx, "%s: skipped: it is the output", path);
            free(path);
        } else {
            inputs->files[used++] = inputs->files[i];
        }
    }
    inputs->count = used;
    if (used == 0)
        return pv_fail(ctx, PSDVEC_ERR_EMPTY,
                       "%s: is the only file in the input folder, and it "
                       "is the output; give a folder with text",
                       output);
    return PSDVEC_OK;
}

psdvec_status pv_count_run(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output,
                           pv_count_part part, psdvec_count_report *report)
{
    double began = pv_now();
    psdvec_status status;
    counting c = {.ctx = ctx, .options = options, .report = {.runs = 1}};
    pv_inputs files = {0};
    pv_counts_writer *writer = NULL;
    pv_row_sink sink = {0};
    char *folder = NULL;
    pv_phrases found = {0};
    pv_joining joining = {.phrases = &found};

    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_refuse_input_as_output(ctx, options, &files, output));
    if (pv_group_leads(ctx))
        PV_TRY_DONE(pv_counts_writer_open(ctx, output, &writer));
    c.folder = folder = pv_folder_of(output);
    if (!folder)
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path"));
    if (!part.joining && pv_phrases_auto(&options->text)) {
        PV_TRY_DONE(pv_phrases_find_auto(ctx, &options->text, inputs, input_count, output, c.folder,
                                         &found));
        part.joining = &joining;
        part.silent = true; /* the phrase search has already given advice */
    }
    PV_TRY_DONE(
        pv_reading_open(&c.text, ctx, options, &files, inputs, input_count, c.folder, part));
    PV_TRY_DONE(pv_window_init(&c.window, ctx, options, &c.text.vocabulary));
    c.report.spilled_bytes = pv_spool_on_disk(c.text.store->tokens) +
                             pv_spool_on_disk(c.text.store->words);
    if (writer)
        PV_TRY_DONE(pv_counts_writer_begin(writer, &c.text.vocabulary, &c.text.provenance,
                                           c.window.retention, 1, &sink));
    if (!part.words_only)
        PV_TRY_DONE(count_tokens(&c, &sink, false));
    if (writer) {
        pv_counts_writer_hold_out(writer, &c.text.held_out);
        PV_TRY_DONE(pv_counts_writer_finish(writer, &c.report.bigrams));
    }
    PV_TRY_DONE(pv_group_agree(ctx, &c.report.bigrams));
    if (report) {
        *report = c.report;
        pv_reading_report(&c.text, report);
        report->seconds = pv_now() - began;
    }
done:
    pv_counts_writer_free(writer);
    free(folder);
    pv_row_groups_free(&c.groups, ctx);
    pv_window_free(&c.window);
    pv_reading_free(&c.text);
    pv_phrases_free(&found);
    pv_inputs_free(&files);
    return status;
}

psdvec_status pv_count_rows(psdvec_context *ctx, const psdvec_count_options *options,
                            const char *const *inputs, size_t input_count, const char *folder,
                            pv_count_part part, pv_begin_rows *begin, void *self, pv_reading *text)
{
    psdvec_status status;
    counting c = {.ctx = ctx, .options = options, .folder = folder};
    pv_inputs files = {0};
    pv_row_sink sink;
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    if (part.output)
        PV_TRY_DONE(pv_refuse_input_as_output(ctx, options, &files, part.output));
    PV_TRY_DONE(pv_reading_open(&c.text, ctx, options, &files, inputs, input_count, folder, part));
    PV_TRY_DONE(pv_window_init(&c.window, ctx, options, &c.text.vocabulary));
    PV_TRY_DONE(begin(self, &c.text, &sink));
    status = count_tokens(&c, &sink, true);
done:
    pv_row_groups_free(&c.groups, ctx);
    pv_window_free(&c.window);
    pv_inputs_free(&files);
    *text = c.text;
    return status;
}

static psdvec_status count_all(psdvec_context *ctx, const psdvec_count_options *options,
                               const char *const *inputs, size_t input_count, const char *output,
                               const pv_phrases *phrases, psdvec_count_report *report)
{
    pv_joining joining = {.phrases = phrases};
    if (options->resume_dir)
        return pv_count_resumable(ctx, options, inputs, input_count, output, phrases, report);
    return pv_count_run(ctx, options, inputs, input_count, output,
                        (pv_count_part){.joining = phrases ? &joining : NULL}, report);
}

psdvec_status pv_count_for_training(pv_partial *partial, psdvec_context *ctx,
                                    const psdvec_count_options *options, const char *const *inputs,
                                    size_t input_count, char **path, psdvec_count_report *report)
{
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_path(partial, "counts", path));
    PV_TRY(pv_partial_load(partial, "counts", &file));
    if (!file) {
        pv_phrases phrases;
        psdvec_status status = pv_phrases_on_the_way(partial, ctx, &options->text, inputs,
                                                     input_count, *path, &phrases);
        if (status == PSDVEC_OK)
            status = count_all(ctx, options, inputs, input_count, *path,
                               phrases.ctx ? &phrases : NULL, report);
        pv_phrases_free(&phrases);
        return status;
    }
    pv_st_close(file);
    pv_step(ctx, "using the counts of an interrupted run");
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
    pv_group_begin(ctx);
    psdvec_status status = pv_options_adopt(ctx, &pv_count_table, options, &own);
    if (status == PSDVEC_OK)
        status = count_all(ctx, &own, inputs, input_count, output, NULL, report);
    return pv_group_end(ctx, status);
}
