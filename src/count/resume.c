/* --resume: the inputs are counted in units, each of which leaves complete
 * files in the folder; a run that finds them there goes on behind them.
 *
 *     1. words    unit -> all its words with frequencies    (unit-*.words)
 *     2. list     all units' words -> the vocabulary        (vocabulary-*)
 *     3. counts   unit + vocabulary -> its counts           (unit-*.counts)
 *     4. merge    all units' counts -> the output
 *
 * A unit is a file, or several small ones in a row; with documents that run
 * across the files of an input it is the whole input. File names contain a
 * fingerprint of everything the content depends on (settings, paths, sizes
 * and times of the inputs, the vocabulary), so that nothing stale is ever
 * taken. The output has the same bits as without --resume.
 */
#include "base/file.h"
#include "corpus/inputs.h"
#include "count/count.h"
#include "count/counts_read.h"
#include "count/vocabulary.h"
#include "util/c_locale.h"

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
    const char **paths; /* what is counted: files, or one whole input */
    size_t count;
    uint32_t input; /* of the user */
    uint64_t fingerprint;
    char *words, *counts; /* paths of its results */
} unit;

typedef struct resumable {
    psdvec_context *ctx;
    const psdvec_count_options *options;
    const char *const *inputs;
    size_t input_count;
    pv_inputs files;
    unit *units;
    size_t unit_count;
    char *list; /* path of the vocabulary */
    pv_provenance provenance;
    uint64_t distinct;
} resumable;

static psdvec_status fail_memory(psdvec_context *ctx)
{
    return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for `resume`");
}

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

/* The oldest version whose units can be used. Set it to the current version with any change that
 * alters the words or the counts that a text gives. */
static const char units_since[] = "0.1.0";

/* What the words of a unit depend on, inputs apart. */
static uint64_t hash_text_settings(const resumable *r)
{
    /* The provenance's settings hold the text options among others. */
    const char *settings = r->provenance.settings;
    return hash_more(hash_more(1, units_since, strlen(units_since)), settings, strlen(settings));
}

static psdvec_status close_unit(resumable *r, unit *u, size_t first, size_t last)
{
    bool whole = pv_document_spans_members(&r->options->text);
    u->fingerprint = hash_text_settings(r);
    for (size_t i = first; i < last; i++)
        u->fingerprint = hash_file(u->fingerprint, &r->files.files[i]);
    u->input = r->files.files[first].input;
    u->count = whole ? 1 : last - first;
    u->paths = calloc(u->count, sizeof *u->paths);
    if (!u->paths)
        return fail_memory(r->ctx);
    for (size_t i = 0; i < u->count; i++)
        u->paths[i] = whole ? r->inputs[u->input] : r->files.files[first + i].path;
    if (pv_asprintf(&u->words, "%s/unit-%016" PRIx64 ".words.safetensors", r->options->resume_dir,
                    u->fingerprint) < 0) {
        u->words = NULL;
        return fail_memory(r->ctx);
    }
    return PSDVEC_OK;
}

static psdvec_status make_units(resumable *r)
{
    const pv_inputs *files = &r->files;
    bool whole = pv_document_spans_members(&r->options->text);
    r->units = calloc(files->count, sizeof *r->units);
    if (!r->units)
        return fail_memory(r->ctx);
    for (size_t first = 0; first < files->count;) {
        size_t last = first;
        uint64_t size = 0;
        do
            size += files->files[last++].size;
        while (last < files->count && files->files[last].input == files->files[first].input &&
               (whole || size + files->files[last].size <= unit_size));
        PV_TRY(close_unit(r, &r->units[r->unit_count++], first, last));
        first = last;
    }
    return PSDVEC_OK;
}

static void free_units(resumable *r)
{
    for (size_t i = 0; i < r->unit_count; i++) {
        free(r->units[i].paths);
        free(r->units[i].words);
        free(r->units[i].counts);
    }
    free(r->units);
}

/* ---- Results of an earlier run ------------------------------------------------------ */

/* True if the file is there and whole. A damaged one is mentioned and made
 * again; failures of this look are not failures of the run. */
static bool is_whole(resumable *r, const char *path)
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
    psdvec_counts *counts;
    bool whole = psdvec_counts_open(probe, path, &counts) == PSDVEC_OK;
    if (whole) {
        whole = psdvec_counts_verify(probe, counts) == PSDVEC_OK;
        psdvec_counts_close(counts);
    }
    if (!whole && !pv_stopping(r->ctx))
        pv_warn(r->ctx, "%s: made again, since: %s", path, psdvec_error_message(probe));
    psdvec_context_free(probe);
    return whole;
}

static psdvec_status count_unit(resumable *r, const psdvec_count_options *options, const unit *u,
                                const char *output, pv_count_part part, size_t *reused)
{
    PV_TRY(pv_check_cancel(r->ctx));
    if (is_whole(r, output)) {
        ++*reused;
        return PSDVEC_OK;
    }
    return pv_count_run(r->ctx, options, u->paths, u->count, output, part, NULL);
}

/* ---- The stages ----------------------------------------------------------------------- */

static psdvec_status count_words(resumable *r)
{
    psdvec_count_options options = *r->options;
    options.resume_dir = NULL;
    options.min_count = 1;
    options.max_vocab = 0;
    options.vocab_file = NULL;
    options.keep_words_count = 0;
    options.subsample = 0;
    size_t reused = 0;
    for (size_t i = 0; i < r->unit_count; i++)
        PV_TRY(count_unit(r, &options, &r->units[i], r->units[i].words,
                          (pv_count_part){.words_only = true, .may_be_empty = true}, &reused));
    pv_note(r->ctx, "words of %zu of %zu units were there already", reused, r->unit_count);
    return PSDVEC_OK;
}

typedef struct chosen_words {
    psdvec_context *ctx;
    pv_buffer text; /* word TAB frequency, a line each */
    uint64_t count;
} chosen_words;

static psdvec_status choose(chosen_words *chosen, const char *word, size_t length,
                            uint64_t frequency)
{
    chosen->count++;
    PV_TRY(pv_buffer_append(&chosen->text, word, length));
    return pv_buffer_printf(&chosen->text, "\t%" PRIu64 "\n", frequency);
}

static bool is_kept(const psdvec_count_options *options, const char *word, size_t length)
{
    for (size_t i = 0; i < options->keep_words_count; i++)
        if (strlen(options->keep_words[i]) == length &&
            memcmp(options->keep_words[i], word, length) == 0)
            return true;
    return false;
}

/* The words that the thresholds let in; `all` is sorted by frequency. */
static psdvec_status choose_by_frequency(const resumable *r, const psdvec_counts *all,
                                         chosen_words *chosen)
{
    const psdvec_count_options *o = r->options;
    uint64_t kept = 0, others = UINT64_MAX;
    for (uint32_t i = 0; i < all->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(all, i, &length);
        kept += is_kept(o, word, length);
    }
    if (o->max_vocab)
        others = kept < o->max_vocab ? o->max_vocab - kept : 0;
    for (uint32_t i = 0; i < all->info.words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(all, i, &length);
        bool kept_words = is_kept(o, word, length);
        if (kept_words || (all->frequency[i] >= o->min_count && others > 0)) {
            others -= !kept_words;
            PV_TRY(choose(chosen, word, length, all->frequency[i]));
        }
    }
    return PSDVEC_OK;
}

/* The words of the user's list, with their frequencies in the text. */
static psdvec_status choose_by_list(const resumable *r, const psdvec_counts *all,
                                    const pv_vocabulary *list, chosen_words *chosen)
{
    (void)r;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t length;
        uint32_t found;
        const char *word = pv_vocabulary_word(list, i, &length);
        bool seen = psdvec_counts_find(all, word, length, &found);
        PV_TRY(choose(chosen, word, length, seen ? all->frequency[found] : 0));
    }
    return PSDVEC_OK;
}

static psdvec_status write_list(resumable *r, const chosen_words *chosen)
{
    pv_output *output;
    uint64_t print = XXH3_64bits(chosen->text.data, chosen->text.length);
    if (pv_asprintf(&r->list, "%s/vocabulary-%016" PRIx64 ".txt", r->options->resume_dir, print) <
        0) {
        r->list = NULL;
        return fail_memory(r->ctx);
    }
    PV_TRY(pv_output_open(r->ctx, r->list, &output));
    psdvec_status status = pv_output_write_at(output, 0, chosen->text.data, chosen->text.length);
    if (status != PSDVEC_OK) {
        pv_output_discard(output);
        return status;
    }
    return pv_output_commit(output);
}

/* Stages 1 and 2. `list` is the user's, or empty. */
static psdvec_status make_list(resumable *r, const pv_vocabulary *list)
{
    psdvec_context *ctx = r->ctx;
    PV_TRY(count_words(r));
    psdvec_status status = PSDVEC_OK;
    psdvec_counts *all = NULL;
    char *path = NULL;
    chosen_words chosen = {.ctx = ctx};
    pv_buffer_init(&chosen.text, ctx);
    const char **parts = calloc(r->unit_count, sizeof *parts);
    if (!parts || pv_asprintf(&path, "%s/all-words-%ld.safetensors", r->options->resume_dir,
                              (long)getpid()) < 0) {
        free(parts);
        return fail_memory(ctx);
    }
    for (size_t i = 0; i < r->unit_count; i++)
        parts[i] = r->units[i].words;
    PV_TRY_DONE(pv_counts_merge(ctx, parts, r->unit_count, path, NULL, NULL));
    PV_TRY_DONE(pv_counts_open(ctx, path, &all));
    r->distinct = all->info.words;
    PV_TRY_DONE(r->options->vocab_file ? choose_by_list(r, all, list, &chosen)
                                       : choose_by_frequency(r, all, &chosen));
    if (chosen.count == 0) {
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "%s: none of %u distinct words is seen %" PRIu64
                         " times; lower the minimum count",
                         r->inputs[0], all->info.words, r->options->min_count);
        goto done;
    }
    status = write_list(r, &chosen);
done:
    psdvec_counts_close(all);
    unlink(path);
    free(path);
    free(parts);
    pv_buffer_free(&chosen.text);
    return status;
}

static psdvec_status hash_whole_file(psdvec_context *ctx, const char *path, uint64_t *hash)
{
    pv_map map;
    PV_TRY(pv_map_open(ctx, path, false, &map));
    *hash = map.size ? XXH3_64bits(map.data, map.size) : 0;
    pv_map_close(ctx, &map);
    return PSDVEC_OK;
}

static psdvec_status count_units(resumable *r)
{
    psdvec_count_options options = *r->options;
    uint64_t list_print;
    size_t reused = 0;
    options.resume_dir = NULL;
    options.vocab_file = r->list ? r->list : r->options->vocab_file;
    options.keep_words_count = 0;
    PV_TRY(hash_whole_file(r->ctx, options.vocab_file, &list_print));
    for (size_t i = 0; i < r->unit_count; i++) {
        unit *u = &r->units[i];
        uint64_t print = hash_more(u->fingerprint, &list_print, sizeof list_print);
        if (pv_asprintf(&u->counts, "%s/unit-%016" PRIx64 ".counts.safetensors",
                        r->options->resume_dir, print) < 0) {
            u->counts = NULL;
            return fail_memory(r->ctx);
        }
        PV_TRY(
            count_unit(r, &options, u, u->counts, (pv_count_part){.may_be_empty = true}, &reused));
    }
    pv_note(r->ctx, "counts of %zu of %zu units were there already", reused, r->unit_count);
    return PSDVEC_OK;
}

/* What the result says of its inputs: the units of each added up. */
static psdvec_status add_up_inputs(resumable *r)
{
    pv_input_note *notes = calloc(r->input_count, sizeof *notes);
    if (!notes)
        return fail_memory(r->ctx);
    psdvec_status status = PSDVEC_OK;
    for (size_t i = 0; i < r->unit_count && status == PSDVEC_OK; i++) {
        psdvec_counts *counts;
        pv_provenance parts;
        pv_input_note *note = &notes[r->units[i].input];
        pv_provenance_init(&parts, r->ctx);
        status = pv_counts_open(r->ctx, r->units[i].counts, &counts);
        if (status == PSDVEC_OK)
            status =
                pv_provenance_add_inputs_json(&parts, r->units[i].counts, counts->info.inputs_json);
        for (size_t k = 0; k < parts.input_count; k++) {
            note->files += parts.inputs[k].files;
            note->bytes += parts.inputs[k].bytes;
            note->documents += parts.inputs[k].documents;
            note->tokens += parts.inputs[k].tokens;
        }
        pv_provenance_free(&parts);
        psdvec_counts_close(counts);
    }
    for (size_t i = 0; i < r->input_count && status == PSDVEC_OK; i++) {
        notes[i].name = (char *)r->inputs[i];
        r->provenance.tokens += notes[i].tokens;
        r->provenance.documents += notes[i].documents;
        status = pv_provenance_add_input(&r->provenance, &notes[i]);
    }
    free(notes);
    return status;
}

/* ---- The whole --------------------------------------------------------------------------- */

static psdvec_status check_inputs(const resumable *r)
{
    for (size_t i = 0; i < r->files.count; i++)
        if (strcmp(r->files.files[i].path, "-") == 0)
            return pv_fail(r->ctx, PSDVEC_ERR_OPTION,
                           "standard input cannot be read again, so it cannot be counted with "
                           "`resume`; save it to a file first");
    return PSDVEC_OK;
}

static psdvec_status make_folder(psdvec_context *ctx, const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return PSDVEC_OK;
    int error = errno;
    if (error == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return PSDVEC_OK;
    return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot be the folder of `resume`", path, error);
}

psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options,
                                 const char *const *inputs, size_t input_count, const char *output,
                                 psdvec_count_report *report)
{
    double began = pv_now();
    psdvec_status status;
    pv_vocabulary list;
    resumable r = {.ctx = ctx, .options = options, .inputs = inputs, .input_count = input_count};
    const char **parts = NULL;
    pv_vocabulary_init(&list, ctx);
    pv_provenance_init(&r.provenance, ctx);
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &r.files));
    PV_TRY_DONE(check_inputs(&r));
    PV_TRY_DONE(pv_keep_output_apart(ctx, options, &r.files, output));
    PV_TRY_DONE(pv_output_try(ctx, output));
    PV_TRY_DONE(make_folder(ctx, options->resume_dir));
    PV_TRY_DONE(pv_provenance_set(&r.provenance, options));
    PV_TRY_DONE(make_units(&r));
    if (options->vocab_file)
        PV_TRY_DONE(pv_vocabulary_read(&list, options->vocab_file));
    if (!options->vocab_file || (options->subsample > 0 && !list.list_frequency))
        PV_TRY_DONE(make_list(&r, &list));
    PV_TRY_DONE(count_units(&r));
    PV_TRY_DONE(add_up_inputs(&r));
    parts = calloc(r.unit_count, sizeof *parts);
    if (!parts) {
        status = fail_memory(ctx);
        goto done;
    }
    for (size_t i = 0; i < r.unit_count; i++)
        parts[i] = r.units[i].counts;
    PV_TRY_DONE(pv_counts_merge(ctx, parts, r.unit_count, output, &r.provenance, report));
    if (report) {
        report->tokens = r.provenance.tokens;
        report->documents = r.provenance.documents;
        report->distinct_words = r.distinct; /* 0 if the user's list made it needless to know */
        report->seconds = pv_now() - began;
    }
done:
    free(parts);
    free_units(&r);
    free(r.list);
    pv_vocabulary_free(&list);
    pv_provenance_free(&r.provenance);
    pv_inputs_free(&r.files);
    return status;
}
