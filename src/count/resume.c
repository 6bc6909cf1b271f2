/* --resume: the inputs are counted in units, each of which leaves complete files in the folder; a
 * run that finds them there continues after them.
 *
 *     0. phrases  all units -> the phrases, if they are to be found (phrases-*)
 *     1. words    unit -> all its words with frequencies    (unit-*.words)
 *     2. list     all units' words -> their sum             (all-words-*)
 *                 and the vocabulary                        (vocabulary-*)
 *     3. counts   unit + vocabulary -> its counts           (unit-*.counts)
 *     4. merge    all units' counts -> the output
 *
 * A unit is a file, or several consecutive small files; if documents span the files of an input, it
 * is the complete input. File names contain a fingerprint of everything that the content depends on
 * (settings, paths, sizes and times of the inputs, the vocabulary), so that stale files are never
 * used. The output has the same bits as without --resume.
 *
 * In a group of processes, all members share the counting of each unit. The leader decides which
 * files are used and writes them; the others read what they need from the folder.
 */
#include "base/file.h"
#include "base/group.h"
#include "base/safetensors_write.h"
#include "count/count.h"
#include "count/counts_read.h"
#include "count/phrase_find.h"
#include "count/vocabulary.h"
#include "util/c_locale.h"
#include "util/new_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const uint64_t unit_size = UINT64_C(64) << 20;

typedef struct unit {
    const char *const *paths; /* what is counted: files, or one complete input */
    size_t count;
    uint32_t input; /* index of the user's input */
    uint64_t fingerprint;
} unit;

typedef struct resumable {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_count_options *options;
    const char *const *inputs;
    size_t input_count;
    pv_inputs files;
    unit *units;
    size_t unit_count;
    char **words, **counts; /* paths of the units' results; heap */
    char *list;             /* path of the vocabulary; heap */
    pv_provenance provenance;
    uint64_t distinct;
    pv_phrases found;   /* detected by `phrases` auto */
    pv_joining joining; /* with phrases: overrides those of the options */
} resumable;

/* ---- Units ----------------------------------------------------------------------- */

static uint64_t hash_more(uint64_t hash, const void *data, size_t length)
{
    return XXH3_64bits_withSeed(data, length, hash);
}

static uint64_t hash_file(uint64_t hash, const pv_input_file *file)
{
    hash = hash_more(hash, file->path, strlen(file->path) + 1);
    hash = hash_more(hash, &file->size, sizeof file->size);
    return hash_more(hash, &file->modified, sizeof file->modified);
}

/* FOLDER/NAME-FINGERPRINT.SUFFIX */
static psdvec_status make_path(const resumable *r, const char *name, uint64_t fingerprint,
                               const char *suffix, char **path)
{
    if (pv_asprintf(path, "%s/%s-%016" PRIx64 ".%s", r->options->resume_dir, name, fingerprint,
                    suffix) >= 0)
        return PSDVEC_OK;
    *path = NULL;
    return pv_fail(r->ctx, PSDVEC_ERR_MEMORY, "out of memory while preparing `resume`");
}

/* The oldest version whose units can be used. Set it to the current version with any change that
 * alters the words or the counts of some text. */
static const char units_since[] = "0.2.0";

/* True if the file exists and is undamaged. A damaged file is reported and recreated; failures of
 * this check do not fail the run. */
static bool is_undamaged(resumable *r, const char *path, bool counts)
{
    if (access(path, F_OK) != 0)
        return false;
    psdvec_context *probe;
    psdvec_context_options options = r->ctx->options;
    options.on_message = NULL;
    options.on_progress = NULL;
    options.threads = 1;
    if (psdvec_context_new(&options, &probe) != PSDVEC_OK)
        return false;
    psdvec_counts *opened = NULL;
    pv_st_file *file = NULL;
    bool whole = counts ? psdvec_counts_open(probe, path, &opened) == PSDVEC_OK &&
                              psdvec_counts_verify(probe, opened) == PSDVEC_OK
                        : pv_st_open(probe, path, &file) == PSDVEC_OK &&
                              pv_st_verify(probe, file) == PSDVEC_OK;
    psdvec_counts_close(opened);
    pv_st_close(file);
    if (!whole && !pv_stopping(r->ctx))
        pv_warn(r->ctx, "%s: counted again: %s", path, psdvec_error_message(probe));
    psdvec_context_free(probe);
    return whole;
}

/* Whether a result is in the folder. */
static psdvec_status find_result(resumable *r, const char *path, bool counts, bool *there)
{
    uint64_t answer = pv_group_leads(r->ctx) && is_undamaged(r, path, counts);
    psdvec_status status = pv_group_agree(r->ctx, &answer);
    *there = answer;
    return status;
}

/* Waits until the leader has written a file. */
static psdvec_status await_leader(psdvec_context *ctx)
{
    uint64_t nothing = 0;
    return pv_group_agree(ctx, &nothing);
}

/* Merges counts in the leader. */
static psdvec_status merge(psdvec_context *ctx, char *const *paths, size_t count,
                           const char *output, pv_provenance *provenance,
                           psdvec_count_report *report)
{
    if (pv_group_leads(ctx))
        PV_TRY(pv_counts_merge(ctx, (const char *const *)paths, count, false, output, provenance,
                               report));
    return await_leader(ctx);
}

/* Gets the phrases of `phrases` auto from the folder, or from the text: they depend on all
 * files. */
static psdvec_status find_phrases(resumable *r, uint64_t settings, const char *output)
{
    psdvec_context *ctx = r->ctx;
    psdvec_status status;
    char *path = NULL;
    for (size_t i = 0; i < r->files.count; i++)
        settings = hash_file(settings, &r->files.files[i]);
    PV_TRY_DONE(make_path(r, "phrases", settings, "safetensors", &path));
    bool there;
    PV_TRY_DONE(find_result(r, path, false, &there));
    if (there) {
        PV_TRY_DONE(pv_phrases_read(&r->found, ctx, &r->options->text, path));
        pv_note(ctx, "the phrases were there already: %u", r->found.count);
    } else {
        PV_TRY_DONE(pv_phrases_find_auto(ctx, &r->options->text, r->inputs, r->input_count, output,
                                         r->options->resume_dir, &r->found));
        pv_tensor list = pv_tensor_of(PV_PHRASES_TENSOR, PV_DTYPE_U8, r->found.list.length, 0,
                                      r->found.list.data);
        if (pv_group_leads(ctx))
            status = pv_st_file_write(ctx, path, &list, 1, NULL, 0, true);
    }
    r->joining.phrases = &r->found;
done:
    free(path);
    return status;
}

/* Adds the phrases to the fingerprint of the words. */
static psdvec_status add_phrases(resumable *r, uint64_t *settings, const char *output)
{
    if (!r->joining.phrases && pv_phrases_auto(&r->options->text))
        PV_TRY(find_phrases(r, *settings, output));
    if (!r->joining.phrases && r->options->text.phrases) {
        PV_TRY(pv_phrases_read(&r->found, r->ctx, &r->options->text, r->options->text.phrases));
        r->joining.phrases = &r->found;
    }
    if (r->joining.phrases && r->joining.phrases->count) {
        pv_phrase_list list = pv_phrases_list(r->joining.phrases);
        *settings = hash_more(*settings, list.lines, list.length);
    }
    return PSDVEC_OK;
}

static psdvec_status make_units(resumable *r, const char *output)
{
    const pv_input_file *files = r->files.files;
    size_t count = r->files.count;
    bool whole = pv_document_spans_members(&r->options->text);
    const char **paths;
    PV_TAKE_ZERO(&r->memory, r->units, count);
    PV_TAKE_ZERO(&r->memory, r->words, count);
    PV_TAKE_ZERO(&r->memory, r->counts, count);
    PV_TAKE(&r->memory, paths, count);
    PV_TRY(pv_scope_status(&r->memory));
    /* Everything that the words of a unit depend on except the inputs: the settings include the
     * text options. */
    uint64_t settings = hash_more(hash_more(1, units_since, strlen(units_since)),
                                  r->provenance.settings, strlen(r->provenance.settings));
    if (r->options->text.encoding) /* not in the settings: it describes the inputs, not the words */
        settings =
            hash_more(settings, r->options->text.encoding, strlen(r->options->text.encoding));
    if (r->options->text.strict) /* a unit that was read without it may contain damaged text */
        settings = hash_more(settings, "strict", strlen("strict"));
    PV_TRY(add_phrases(r, &settings, output));
    for (size_t first = 0, last = 0; first < count; first = last) {
        unit *u = &r->units[r->unit_count];
        uint64_t size = 0;
        *u = (unit){.input = files[first].input, .fingerprint = settings};
        do {
            paths[last] = files[last].path;
            size += files[last].size;
            u->fingerprint = hash_file(u->fingerprint, &files[last++]);
        } while (last < count && files[last].input == u->input &&
                 (whole || size + files[last].size <= unit_size));
        u->paths = whole ? r->inputs + u->input : paths + first;
        u->count = whole ? 1 : last - first;
        PV_TRY(
            make_path(r, "unit", u->fingerprint, "words.safetensors", &r->words[r->unit_count++]));
    }
    return PSDVEC_OK;
}

/* Runs one stage: computes the missing results of all units. */
static psdvec_status count_units(resumable *r, const psdvec_count_options *options,
                                 char *const *outputs, pv_count_part part, const char *what)
{
    size_t reused = 0;
    for (size_t i = 0; i < r->unit_count; i++) {
        PV_TRY(pv_check_cancel(r->ctx));
        part.silent = i > 0 || !part.words_only;
        part.joining = r->joining.phrases ? &r->joining : NULL;
        bool there;
        PV_TRY(find_result(r, outputs[i], true, &there));
        if (there)
            reused++;
        else
            PV_TRY(pv_count_run(r->ctx, options, r->units[i].paths, r->units[i].count, outputs[i],
                                part, NULL));
    }
    pv_note(r->ctx, "%s: %zu of %zu units were already finished", what, reused, r->unit_count);
    return PSDVEC_OK;
}

/* ---- The stages ----------------------------------------------------------------------- */

static psdvec_status choose(pv_buffer *chosen, const char *word, size_t length, uint64_t frequency)
{
    PV_TRY(pv_buffer_append(chosen, word, length));
    return pv_buffer_printf(chosen, "\t%" PRIu64 "\n", frequency);
}

static bool is_kept(const psdvec_count_options *options, const char *word, size_t length)
{
    for (size_t i = 0; i < options->keep_words_count; i++)
        if (strlen(options->keep_words[i]) == length &&
            memcmp(options->keep_words[i], word, length) == 0)
            return true;
    return false;
}

/* Chooses the words that pass the thresholds; `all` is sorted by frequency. */
static psdvec_status choose_by_frequency(const psdvec_count_options *o, const psdvec_counts *all,
                                         pv_buffer *chosen)
{
    uint64_t kept = 0, others = UINT64_MAX;
    size_t length;
    for (uint32_t i = 0; i < all->info.words; i++) {
        const char *word = psdvec_counts_word(all, i, &length);
        kept += is_kept(o, word, length);
    }
    if (o->max_vocab)
        others = kept < o->max_vocab ? o->max_vocab - kept : 0;
    for (uint32_t i = 0; i < all->info.words; i++) {
        const char *word = psdvec_counts_word(all, i, &length);
        bool stays = is_kept(o, word, length);
        if (stays || (all->frequency[i] >= o->min_count && others > 0)) {
            others -= !stays;
            PV_TRY(choose(chosen, word, length, all->frequency[i]));
        }
    }
    return PSDVEC_OK;
}

/* Chooses the words of the user's list, with their frequencies in the text. */
static psdvec_status choose_by_list(const pv_vocabulary *list, const psdvec_counts *all,
                                    pv_buffer *chosen)
{
    for (uint32_t i = 0; i < list->count; i++) {
        size_t length;
        uint32_t found;
        const char *word = pv_vocabulary_word(list, i, &length);
        bool seen = psdvec_counts_find(all, word, length, &found);
        PV_TRY(choose(chosen, word, length, seen ? all->frequency[found] : 0));
    }
    return PSDVEC_OK;
}

/* Stages 1 and 2. `list` is the user's, or empty. */
static psdvec_status make_list(resumable *r, const pv_vocabulary *list)
{
    psdvec_context *ctx = r->ctx;
    psdvec_count_options options = *r->options;
    options.resume_dir = NULL;
    options.min_count = 1;
    options.max_vocab = 0;
    options.vocab_file = NULL;
    options.keep_words_count = 0;
    options.subsample = 0;
    PV_TRY(count_units(r, &options, r->words,
                       (pv_count_part){.words_only = true, .may_be_empty = true}, "words"));
    psdvec_status status;
    psdvec_counts *all = NULL;
    char *path;
    pv_buffer chosen = {.ctx = ctx};
    uint64_t units = 0;
    for (size_t i = 0; i < r->unit_count; i++)
        units = hash_more(units, &r->units[i].fingerprint, sizeof r->units[i].fingerprint);
    PV_TRY(make_path(r, "all-words", units, "safetensors", &path));
    bool there;
    PV_TRY_DONE(find_result(r, path, true, &there));
    if (!there)
        PV_TRY_DONE(merge(ctx, r->words, r->unit_count, path, NULL, NULL));
    PV_TRY_DONE(pv_counts_open(ctx, path, &all));
    r->distinct = all->info.words;
    PV_TRY_DONE(r->options->vocab_file ? choose_by_list(list, all, &chosen)
                                       : choose_by_frequency(r->options, all, &chosen));
    if (chosen.length == 0)
        PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_EMPTY,
                            "%s: none of %u distinct words occurs %" PRIu64 " times; lower "
                            "`min_count`",
                            r->inputs[0], all->info.words, r->options->min_count));
    PV_TRY_DONE(
        make_path(r, "vocabulary", XXH3_64bits(chosen.data, chosen.length), "txt", &r->list));
    if (pv_group_leads(ctx))
        PV_TRY_DONE(pv_write_file(ctx, r->list, chosen.data, chosen.length, true));
    status = await_leader(ctx);
done:
    psdvec_counts_close(all);
    free(path);
    pv_buffer_free(&chosen);
    return status;
}

/* Stage 3. */
static psdvec_status make_counts(resumable *r)
{
    psdvec_count_options options = *r->options;
    pv_map list;
    options.resume_dir = NULL;
    options.vocab_file = r->list ? r->list : r->options->vocab_file;
    options.keep_words_count = 0;
    PV_TRY(pv_map_open(r->ctx, options.vocab_file, false, &list));
    uint64_t print = list.size ? XXH3_64bits(list.data, list.size) : 0;
    pv_map_close(r->ctx, &list);
    for (size_t i = 0; i < r->unit_count; i++)
        PV_TRY(make_path(r, "unit", hash_more(r->units[i].fingerprint, &print, sizeof print),
                         "counts.safetensors", &r->counts[i]));
    return count_units(r, &options, r->counts, (pv_count_part){.may_be_empty = true}, "counts");
}

/* The input statistics of the result: the sums over the units of each input. */
static psdvec_status add_up_inputs(resumable *r)
{
    pv_input_note *notes;
    PV_TAKE_ZERO(&r->memory, notes, r->input_count);
    PV_TRY(pv_scope_status(&r->memory));
    for (size_t i = 0; i < r->unit_count; i++) {
        psdvec_counts *counts;
        pv_provenance parts;
        pv_provenance_init(&parts, r->ctx);
        PV_TRY(pv_counts_open(r->ctx, r->counts[i], &counts));
        psdvec_status status =
            pv_provenance_add_inputs_json(&parts, r->counts[i], counts->info.inputs_json);
        for (size_t k = 0; k < parts.input_count; k++)
            pv_input_note_add(&notes[r->units[i].input], &parts.inputs[k]);
        pv_provenance_free(&parts);
        psdvec_counts_close(counts);
        PV_TRY(status);
    }
    for (size_t i = 0; i < r->input_count; i++) {
        notes[i].name = r->inputs[i];
        r->provenance.tokens += notes[i].tokens;
        r->provenance.documents += notes[i].documents;
        PV_TRY(pv_provenance_add_input(&r->provenance, &notes[i]));
    }
    return PSDVEC_OK;
}

static psdvec_status make_folder(psdvec_context *ctx, const char *path)
{
    struct stat info;
    int error = pv_new_folder(path);
    if (error == 0 || (error == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return PSDVEC_OK;
    return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot be the folder of `resume`", path, error);
}

psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options,
                                 const char *const *inputs, size_t input_count, const char *output,
                                 const pv_phrases *phrases, psdvec_count_report *report)
{
    double began = pv_now();
    psdvec_status status;
    pv_vocabulary list;
    psdvec_count_options own = *options;
    own.hold_out = 0; /* held-out text is chosen from the complete text */
    options = &own;
    resumable r = {.ctx = ctx,
                   .memory = {.ctx = ctx, .what = "the list of units"},
                   .options = options,
                   .inputs = inputs,
                   .input_count = input_count,
                   .joining = {.phrases = phrases}};
    pv_vocabulary_init(&list, ctx);
    pv_provenance_init(&r.provenance, ctx);
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &r.files));
    PV_TRY_DONE(pv_inputs_refuse_once(ctx, inputs, input_count,
                                      "so it cannot be counted with `resume`; save it to a file "
                                      "first"));
    PV_TRY_DONE(pv_refuse_input_as_output(ctx, options, &r.files, output));
    if (pv_group_leads(ctx)) {
        PV_TRY_DONE(pv_output_try(ctx, output));
        PV_TRY_DONE(make_folder(ctx, options->resume_dir));
    }
    PV_TRY_DONE(await_leader(ctx));
    PV_TRY_DONE(pv_provenance_set(&r.provenance, options));
    PV_TRY_DONE(make_units(&r, output));
    if (options->vocab_file)
        PV_TRY_DONE(pv_vocabulary_read(&list, options->vocab_file));
    if (!options->vocab_file || (options->subsample > 0 && !list.list_frequency))
        PV_TRY_DONE(make_list(&r, &list));
    PV_TRY_DONE(make_counts(&r));
    PV_TRY_DONE(add_up_inputs(&r));
    PV_TRY_DONE(merge(ctx, r.counts, r.unit_count, output, &r.provenance, report));
    if (report) {
        report->tokens = r.provenance.tokens;
        report->documents = r.provenance.documents;
        report->distinct_words = r.distinct; /* 0 if not computed because of the user's list */
        report->seconds = pv_now() - began;
    }
done:
    for (size_t i = 0; i < r.unit_count; i++) {
        free(r.words[i]);
        free(r.counts[i]);
    }
    pv_scope_free(&r.memory);
    pv_phrases_free(&r.found);
    free(r.list);
    pv_vocabulary_free(&list);
    pv_provenance_free(&r.provenance);
    pv_inputs_free(&r.files);
    return status;
}
