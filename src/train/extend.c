/* psdvec_extend: vectors for words from additional text.
 *
 * The new text is counted with the settings of the model's counts and with the model's words, which
 * are included regardless of their frequency; other words need min_count occurrences. Each word
 * that the model lacks is regressed on the core, like noncore words in training, with the constants
 * of the model's link function. Word probabilities are computed from old and new text together,
 * also for the subsampling of frequent words, because in a few sentences every word would appear
 * frequent. Everything that the model already had keeps its bits.
 *
 * In a group of processes (base/group.h), the members count the text together, each solves a part
 * of every block of new words and computes its read-out, and the leader writes the result.
 */
#include "train/train.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/group.h"
#include "base/json.h"
#include "base/partial.h"
#include "base/progress.h"
#include "base/thread.h"
#include "corpus/inputs.h"
#include "count/provenance.h"
#include "model/model_read.h"
#include "model/model_write.h"
#include "solve/regression.h"
#include "train/forms.h"
#include "train/options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

typedef struct extension {
    psdvec_context *ctx;
    const psdvec_extend_options *options;
    const char *model_path;
    psdvec_model *model;
    psdvec_train_options training; /* the model's */
    pv_buffer lists;               /* of `training` */
    pv_link_past past;
    psdvec_counts *counts;
    pv_link *link;
    pv_scope memory;     /* of the arrays below */
    pv_forms forms;      /* of the words of the counts; none if the model has none */
    pv_kept_input *kept; /* copies of inputs that cannot be read twice */
    size_t kept_count;
    uint32_t first_extended; /* words from here on were added by extensions */
    uint32_t *row_of;        /* words of the counts: row of the core, or UINT32_MAX */
    uint32_t *fresh;         /* words of the counts that get a vector, ascending */
    uint32_t *place;         /* positions of their vectors in the result */
    uint32_t fresh_count, replaced, added;
    psdvec_extend_report report;
} extension;

/* ---- The model ----------------------------------------------------------------- */
/* Finds the rank of the first word that was added by an extension. */
static psdvec_status find_first_extended(extension *e)
{
    const psdvec_model_info *info = &e->model->info;
    e->first_extended = info->words;
    if (!info->extensions_json)
        return PSDVEC_OK;
    pv_json j;
    pv_json_init(&j, info->extensions_json, strlen(info->extensions_json), 0);
    pv_json_enter_array(&j);
    while (pv_json_next_element(&j)) {
        psdvec_extension_info one = {.first = UINT32_MAX};
        if (pv_json_read_record(&j, pv_extension_fields, &one) && one.first < e->first_extended)
            e->first_extended = one.first;
    }
    return pv_json_finish(&j) ? PSDVEC_OK
                              : pv_fail(e->ctx, PSDVEC_ERR_CORRUPT,
                                        "%s: its list of extensions cannot be read", e->model_path);
}

static psdvec_status open_model(extension *e)
{
    PV_TRY(pv_model_open(e->ctx, e->model_path, NULL, &e->model));
    const psdvec_model_info *info = &e->model->info;
    PV_TRY(pv_model_require_psd(e->ctx, e->model,
                                "only models made by psdvec train can be "
                                "extended"));
    PV_TRY(pv_model_check_vectors(e->ctx, e->model));
    if (info->native && info->settings_json && info->core_words == 0)
        return pv_fail(e->ctx, PSDVEC_ERR_FORMAT,
                       "%s: its vectors were normalised to length 1, so new words cannot be "
                       "regressed on them; extend the model that was converted",
                       e->model_path);
    if (!info->native || !info->settings_json)
        return pv_fail(e->ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not record how it was trained, so it cannot be extended; only "
                       "models made by psdvec train can",
                       e->model_path);
    /* The checksums of the new file must not cover up damage in the old one. */
    PV_TRY(pv_st_verify_if_any(e->ctx, e->model->file));
    PV_TRY(pv_st_warn_unknown(e->ctx, e->model->file, pv_model_names));
    PV_TRY(pv_settings_read(e->ctx, e->model_path, info->settings_json, &e->training, &e->lists));
    PV_TRY(pv_settings_constants(e->ctx, e->model_path, info->settings_json, &e->training,
                                 &e->past.constants));
    return find_first_extended(e);
}

/* ---- The new text ---------------------------------------------------------------- */
static psdvec_status add_line(pv_buffer *list, const char *word, size_t length, uint64_t times)
{
    PV_TRY(pv_buffer_append(list, word, length));
    return pv_buffer_printf(list, " %llu\n", (unsigned long long)times);
}

/* Writes a word list for counting: the model's words and the new ones with their frequencies in
 * both texts together. `seen` has the words of the new text that reach min_count. */
static psdvec_status write_list(extension *e, const char *seen_path, const char *path)
{
    const psdvec_model *model = e->model;
    psdvec_context *ctx = e->ctx;
    psdvec_counts *seen = NULL;
    pv_buffer list = {.ctx = ctx};
    psdvec_status status;
    size_t length;
    uint32_t at;
    PV_TRY_DONE(pv_counts_open(ctx, seen_path, &seen));
    for (uint32_t i = 0; i < model->info.words; i++) {
        const char *word = psdvec_model_word(model, i, &length);
        uint64_t times = model->counts ? model->counts[i] : 1;
        if (psdvec_counts_find(seen, word, length, &at))
            times += psdvec_counts_frequency(seen, at);
        PV_TRY_DONE(add_line(&list, word, length, times));
    }
    for (uint32_t w = 0; w < seen->info.words; w++) {
        const char *word = psdvec_counts_word(seen, w, &length);
        if (!psdvec_model_find(model, word, length, &at))
            PV_TRY_DONE(add_line(&list, word, length, psdvec_counts_frequency(seen, w)));
    }
    status = pv_write_file(ctx, path, list.data, list.length, false);
done:
    pv_buffer_free(&list);
    psdvec_counts_close(seen);
    return status;
}

/* Copies everything that `fd`, which is `name`, yields. */
static psdvec_status copy_stream(psdvec_context *ctx, int fd, const char *name, pv_output *output)
{
    enum { block_bytes = 1 << 20 };
    char *block = pv_alloc(ctx, block_bytes, 1, "a block of text");
    psdvec_status status = block ? PSDVEC_OK : pv_failure(ctx);
    uint64_t at = 0;
    while (status == PSDVEC_OK) {
        ssize_t got = read(fd, block, block_bytes);
        if (got < 0 && errno == EINTR) {
            status = pv_check_cancel(ctx);
            continue;
        }
        if (got < 0)
            status = pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot read", name, errno);
        if (got <= 0)
            break;
        status = pv_output_write_at(output, at, block, (size_t)got);
        at += (uint64_t)got;
    }
    pv_free(ctx, block);
    return status;
}

/* Copies an input that can be read only once, because the text is needed several times. */
static psdvec_status keep_input(psdvec_context *ctx, const char *input, const char *copy)
{
    bool standard = strcmp(input, "-") == 0;
    pv_output *output = NULL;
    PV_TRY(pv_output_open(ctx, copy, &output));
    int fd = standard ? STDIN_FILENO : open(input, O_RDONLY | O_CLOEXEC);
    psdvec_status status = fd < 0
                               ? pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot open", input, errno)
                               : copy_stream(ctx, fd, standard ? "standard input" : input, output);
    if (fd >= 0 && !standard)
        close(fd);
    if (status == PSDVEC_OK)
        return pv_output_commit_unsynced(output);
    pv_output_discard(output);
    return status;
}

/* Sets `texts` to files that can be read several times: the inputs, or copies of them. */
static psdvec_status keep_inputs(extension *e, pv_partial *partial, const char *const *inputs,
                                 size_t count, const char **texts)
{
    PV_TAKE_ZERO(&e->memory, e->kept, count);
    PV_TRY(pv_scope_status(&e->memory));
    for (size_t k = 0; k < count; k++) {
        texts[k] = inputs[k];
        if (!pv_input_is_once(inputs[k]))
            continue;
        char name[32];
        snprintf(name, sizeof name, "input-%zu", k + 1);
        pv_kept_input *kept = &e->kept[e->kept_count];
        kept->input = inputs[k];
        PV_TRY(pv_partial_path(partial, name, &kept->copy));
        e->kept_count++;
        PV_TRY(keep_input(e->ctx, inputs[k], kept->copy));
        texts[k] = kept->copy;
    }
    return PSDVEC_OK;
}

typedef struct text_files {
    char *seen, *list, *counts;
} text_files;

static psdvec_status count_twice(extension *e, pv_partial *partial, text_files *files,
                                 const char *const *inputs, size_t input_count,
                                 psdvec_count_options *count)
{
    psdvec_context *ctx = e->ctx;
    PV_TRY(pv_partial_path(partial, "seen", &files->seen));
    PV_TRY(pv_partial_path(partial, "list", &files->list));
    PV_TRY(pv_partial_path(partial, "counts", &files->counts));
    const char **texts;
    PV_TAKE(&e->memory, texts, input_count);
    PV_TRY(pv_scope_status(&e->memory));
    PV_TRY(keep_inputs(e, partial, inputs, input_count, texts));
    pv_joining joining = {.phrases = e->model->phrases};
    count->min_count = e->options->min_count;
    PV_TRY(pv_count_run(
        ctx, count, texts, input_count, files->seen,
        (pv_count_part){.words_only = true, .may_be_empty = true, .joining = &joining}, NULL));
    if (pv_group_leads(ctx))
        PV_TRY(write_list(e, files->seen, files->list));
    uint64_t written = 0;
    PV_TRY(pv_group_agree(ctx, &written));
    count->vocab_file = files->list;
    PV_TRY(pv_count_run(ctx, count, texts, input_count, files->counts,
                        (pv_count_part){.joining = &joining}, NULL));
    if (!e->model->form_offsets || !pv_group_leads(ctx))
        return PSDVEC_OK;
    psdvec_counts *counts;
    PV_TRY(pv_counts_open(ctx, files->counts, &counts));
    psdvec_status status = pv_forms_make(ctx, &count->text, texts, input_count, counts, &e->forms);
    psdvec_counts_close(counts);
    return status;
}

static psdvec_status refuse_text_options(const extension *e, const char *counts)
{
    const psdvec_extend_options *o = e->options;
    const char *name = o->document != PSDVEC_DOCUMENT_MODEL ? "document"
                       : o->json_field                      ? "json_field"
                       : o->columns                         ? "columns"
                       : o->plain_text                      ? "plain_text"
                       : o->encoding                        ? "encoding"
                       : o->tokenized                       ? "tokenized"
                                                            : NULL;
    return name ? pv_fail(e->ctx, PSDVEC_ERR_OPTION,
                          "%s is a counts file, so `%s` has no effect; set it when counting the "
                          "text, with psdvec count",
                          counts, name)
                : PSDVEC_OK;
}

static psdvec_status count_text(extension *e, pv_partial *partial, text_files *files,
                                const char *const *inputs, size_t input_count)
{
    psdvec_context *ctx = e->ctx;
    psdvec_count_options count;
    psdvec_status status;
    pv_buffer strings = {.ctx = ctx};
    bool recorded;
    PV_TRY_DONE(pv_model_counting(ctx, e->model, &count, &strings, &recorded));
    if (!recorded)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_FORMAT,
                    "%s: does not record how its text was tokenised; count the new text with "
                    "psdvec count and give the counts file",
                    e->model_path));
    const psdvec_extend_options *given = e->options;
    if (given->document != PSDVEC_DOCUMENT_MODEL)
        count.text.document = given->document;
    if (given->json_field || given->columns || given->plain_text) {
        count.text.json_field = given->json_field;
        count.text.columns = given->columns;
    }
    count.text.encoding = given->encoding;
    if (given->tokenized)
        count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    status = count_twice(e, partial, files, inputs, input_count, &count);
done:
    pv_buffer_free(&strings);
    return status;
}

/* Counts made with other settings than those of the model have other margins and targets. */
static psdvec_status warn_of_other_settings(const extension *e, const char *path)
{
    psdvec_context *ctx = e->ctx;
    psdvec_status status;
    pv_buffer model = {.ctx = ctx}, differ = {.ctx = ctx};
    PV_TRY_DONE(pv_json_member(e->model->info.counts_json, "settings", &model));
    if (model.length)
        PV_TRY_DONE(
            pv_settings_compare(ctx, e->counts->info.settings_json, model.data, true, &differ));
    if (!pv_phrase_lists_same(e->counts->phrases, pv_model_phrases(e->model)))
        PV_TRY_DONE(pv_buffer_printf(&differ, "%sphrases (%" PRIu64 ", not %" PRIu64 ")",
                                     differ.length ? "; " : "", e->counts->info.phrases,
                                     e->model->info.phrases));
    if (differ.length) {
        PV_TRY_DONE(pv_buffer_byte(&differ, 0));
        pv_warn(
            ctx,
            "%s: was counted in another way than the text of %s: %s; the new vectors may not be "
            "comparable with the old ones",
            path, e->model_path, differ.data);
    }
done:
    pv_buffer_free(&model);
    pv_buffer_free(&differ);
    return status;
}

/* Bytes of the result for each word. */
static uint64_t word_bytes(const extension *e)
{
    const psdvec_model_info *info = &e->model->info;
    return (info->has_readout ? 2 : 1) * (uint64_t)info->dim * sizeof(float) + sizeof(float) +
           3 * sizeof(uint64_t);
}

/* The leader makes the result in memory, with all words of the model. If that cannot fit, nothing
 * needs to be counted. */
static psdvec_status check_memory(const extension *e)
{
    if (!pv_group_leads(e->ctx))
        return PSDVEC_OK;
    const psdvec_model_info *info = &e->model->info;
    double needed = (double)word_bytes(e) * info->words;
    double budget = (double)psdvec_memory_budget(e->ctx);
    if (needed <= budget)
        return PSDVEC_OK;
    return pv_fail(e->ctx, PSDVEC_ERR_BUDGET,
                   "extending %s, which has %" PRIu32 " words, needs more than %.0f MiB of memory, "
                   "and the limit is %.0f MiB; set a larger `memory`",
                   e->model_path, info->words, ceil(needed / (1 << 20)), floor(budget / (1 << 20)));
}

/* ---- Which words ------------------------------------------------------------------ */
static psdvec_status sort_words(extension *e)
{
    psdvec_context *ctx = e->ctx;
    const psdvec_model_info *info = &e->model->info;
    uint32_t words = e->counts->info.words;
    PV_TAKE(&e->memory, e->row_of, words);
    PV_TAKE(&e->memory, e->fresh, words);
    PV_TAKE(&e->memory, e->place, words);
    PV_TRY(pv_scope_status(&e->memory));
    for (uint32_t w = 0; w < words; w++) {
        size_t length;
        const char *text = psdvec_counts_word(e->counts, w, &length);
        uint32_t known;
        bool found = psdvec_model_find(e->model, text, length, &known);
        e->row_of[w] = found && known < info->core_words ? known : UINT32_MAX;
        uint64_t times = psdvec_counts_frequency(e->counts, w);
        if (e->row_of[w] != UINT32_MAX && times > 0)
            e->report.core_words_seen++;
        if (times < e->options->min_count || times == 0)
            continue;
        if (found && known >= e->first_extended && !e->options->replace)
            return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                           "%s: already has the word \"%.*s\" from an extension; set `replace` to "
                           "replace its vector",
                           e->model_path, (int)length, text);
        if (found && known < e->first_extended)
            continue;
        e->place[e->fresh_count] = found ? known : info->words + e->added;
        e->fresh[e->fresh_count++] = w;
        if (found)
            e->replaced++;
        else
            e->added++;
    }
    if (e->report.core_words_seen == 0)
        return pv_fail(
            ctx, PSDVEC_ERR_MISMATCH,
            "the new text has none of the %u core words of %s; check that both have the same "
            "language and case",
            info->core_words, e->model_path);
    if (e->added > UINT32_MAX - 2 - info->words)
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "a model cannot have more than %u words",
                       UINT32_MAX - 2);
    if (e->fresh_count == 0)
        pv_warn(ctx, "the new text has no word that occurs %llu times or more and is not yet in %s",
                (unsigned long long)e->options->min_count, e->model_path);
    return PSDVEC_OK;
}

/* ---- The result ----------------------------------------------------------------------- */
typedef struct result {
    pv_buffer bytes, forms;
    uint64_t *offsets, *form_offsets;
    float *vectors, *readout, *spread;
    uint64_t *counts;
    double *unigram;
} result;

const pv_json_field pv_extension_fields[] = {
    PV_JSON_FIELD(psdvec_extension_info, first),    PV_JSON_FIELD(psdvec_extension_info, words),
    PV_JSON_FIELD(psdvec_extension_info, replaced), PV_JSON_FIELD(psdvec_extension_info, min_count),
    PV_JSON_FIELD(psdvec_extension_info, mu),       {0}};

static psdvec_status write_provenance(extension *e, double mu, pv_buffer *json)
{
    psdvec_extension_info own = {.first = e->model->info.words,
                                 .words = e->added,
                                 .replaced = e->replaced,
                                 .min_count = e->options->min_count,
                                 .mu = mu};
    pv_buffer provenance = {.ctx = e->ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_counts_provenance(e->ctx, e->counts, e->kept, e->kept_count, &provenance));
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    const char *before = e->model->info.extensions_json ? e->model->info.extensions_json : "[]";
    pv_json j;
    pv_json_init(&j, before, strlen(before), 0);
    pv_json_enter_array(&j);
    while (pv_json_next_element(&j)) { /* also if another program reformatted it with spaces */
        const char *element;
        size_t length;
        if (pv_json_skip(&j, &element, &length))
            pv_json_put_raw(&w, NULL, element, length);
    }
    pv_json_open_object(&w, NULL);
    pv_json_put_fields(&w, pv_extension_fields, &own, false);
    pv_json_put_raw(&w, "counts", provenance.data, strlen(provenance.data));
    pv_json_close(&w);
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    status = pv_buffer_byte(json, 0);
done:
    pv_buffer_free(&provenance);
    return status;
}

static psdvec_status copy_old(extension *e, result *out, uint32_t total)
{
    const psdvec_model *model = e->model;
    size_t old = model->info.words, dim = model->info.dim;
    PV_TAKE_ZERO(&e->memory, out->offsets, (size_t)total + 1);
    PV_TAKE(&e->memory, out->vectors, (size_t)total * dim);
    PV_TAKE_ZERO(&e->memory, out->spread, total);
    PV_TAKE_ZERO(&e->memory, out->counts, total);
    PV_TAKE_ZERO(&e->memory, out->unigram, total);
    if (model->info.has_readout)
        PV_TAKE(&e->memory, out->readout, (size_t)total * dim);
    if (model->form_offsets)
        PV_TAKE_ZERO(&e->memory, out->form_offsets, (size_t)total + 1);
    PV_TRY(pv_scope_status(&e->memory));
    if (out->form_offsets) {
        PV_TRY(pv_buffer_append(&out->forms, model->forms, (size_t)model->form_offsets[old]));
        memcpy(out->form_offsets, model->form_offsets, (old + 1) * sizeof *out->form_offsets);
    }
    PV_TRY(pv_buffer_append(&out->bytes, model->bytes, (size_t)model->offsets[old]));
    memcpy(out->offsets, model->offsets, (old + 1) * sizeof *out->offsets);
    pv_vector_set_copy(&model->vectors, 0, old, out->vectors);
    if (out->readout)
        pv_vector_set_copy(&model->readout, 0, old, out->readout);
    if (model->spread)
        memcpy(out->spread, model->spread, old * sizeof *out->spread);
    if (model->counts)
        memcpy(out->counts, model->counts, old * sizeof *out->counts);
    if (model->unigram)
        memcpy(out->unigram, model->unigram, old * sizeof *out->unigram);
    return PSDVEC_OK;
}

/* Adds the words from `first` on, with a row of each array per word. readout: NULL if the model has
 * none. */
static psdvec_status add_new(const extension *e, result *out, uint32_t first, uint32_t count,
                             const float *vectors, const float *spread, const float *readout)
{
    size_t dim = e->model->info.dim;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = e->place[first + k], w = e->fresh[first + k];
        size_t length;
        const char *text = psdvec_counts_word(e->counts, w, &length);
        PV_HOLDS(out->vectors && vectors && (!out->readout || readout));
        memcpy(out->vectors + at * dim, vectors + k * dim, dim * sizeof *vectors);
        if (out->readout)
            memcpy(out->readout + at * dim, readout + k * dim, dim * sizeof *readout);
        out->spread[at] = spread[k];
        out->counts[at] = psdvec_counts_frequency(e->counts, w);
        out->unigram[at] = e->link->unigram[w];
        if (at < e->model->info.words)
            continue;
        PV_TRY(pv_buffer_append(&out->bytes, text, length));
        out->offsets[at + 1] = out->bytes.length;
        if (out->form_offsets && e->forms.offsets) {
            const uint64_t *form = e->forms.offsets + w;
            PV_TRY(pv_buffer_append(&out->forms, e->forms.bytes.data + form[0],
                                    (size_t)(form[1] - form[0])));
        }
        if (out->form_offsets)
            out->form_offsets[at + 1] = out->forms.length;
    }
    return PSDVEC_OK;
}

/* mu of a word as frequent as the rarest words of the training, unless it is given. */
static double prior_of(const extension *e, double frequency)
{
    if (!isnan(e->options->mu))
        return e->options->mu;
    const psdvec_model *model = e->model;
    uint32_t core = model->info.core_words, words = e->first_extended;
    double last = model->counts && model->counts[core - 1] ? (double)model->counts[core - 1] : 1;
    return pv_noncore_mu(&e->training, core, words > core ? words : core + 1,
                         words > core ? words - 1 : core, frequency, last);
}

/* ---- The new words ----------------------------------------------------------------------- */
enum { words_a_task = 16 };

/* The read-out of consecutive words. */
typedef struct readout_job {
    const extension *e;
    const uint32_t *words;
    uint32_t count;
    const float *vectors; /* count x dim, as `readout` */
    float *readout;
    float *scratch; /* dim per worker */
} readout_job;

static psdvec_status read_out(void *arg, size_t task, int worker)
{
    const readout_job *job = arg;
    const extension *e = job->e;
    size_t dim = e->model->info.dim, first = task * words_a_task;
    for (size_t k = first; k < job->count && k < first + words_a_task; k++) {
        size_t length;
        const char *text = psdvec_counts_word(e->counts, job->words[k], &length);
        pv_model_readout_later(e->model, job->vectors + k * dim, text, length, e->training.spelling,
                               job->scratch + (size_t)worker * dim, job->readout + k * dim);
    }
    return pv_check_cancel(e->ctx);
}

/* The new words of a block that this member solves: words[0] .. words[return value - 1]. */
static uint32_t own_of_block(const extension *e, uint32_t first, uint32_t count,
                             const uint32_t **words)
{
    uint32_t begin = pv_share_begin(e->ctx, count, pv_group_rank(e->ctx));
    *words = e->fresh + first + begin;
    return pv_share_begin(e->ctx, count, pv_group_rank(e->ctx) + 1) - begin;
}

static uint32_t block_length(const extension *e, uint32_t first)
{
    uint32_t left = e->fresh_count - first;
    return left < PV_WORDS_A_BLOCK ? left : PV_WORDS_A_BLOCK;
}

/* Solves the new words, of which every member solves a part of each block, and adds them to the
 * result of the leader. */
static psdvec_status solve_new(extension *e, pv_regression *regression, result *out)
{
    psdvec_context *ctx = e->ctx;
    size_t dim = e->model->info.dim;
    uint32_t most = pv_group_leads(ctx) ? PV_WORDS_A_BLOCK : pv_most_solved(ctx);
    size_t rows = e->fresh_count < most ? e->fresh_count : most;
    bool read = e->model->info.has_readout;
    float *vectors, *spread, *readout = NULL, *scratch = NULL;
    double *mu;
    pv_progress progress;
    if (e->fresh_count == 0)
        return PSDVEC_OK;
    PV_TAKE(&e->memory, vectors, rows * dim);
    PV_TAKE(&e->memory, spread, rows);
    PV_TAKE(&e->memory, mu, PV_WORDS_A_BLOCK);
    if (read) {
        PV_TAKE(&e->memory, readout, rows * dim);
        PV_TAKE(&e->memory, scratch, (size_t)psdvec_threads(ctx) * dim);
    }
    PV_TRY(pv_scope_status(&e->memory));
    pv_progress_begin(&progress, ctx, "regressing", "words", e->fresh_count);
    pv_regression_report_to(regression, &progress);
    for (uint32_t first = 0, count; first < e->fresh_count; first += count) {
        const uint32_t *words;
        count = block_length(e, first);
        uint32_t own = own_of_block(e, first, count, &words);
        for (uint32_t k = 0; k < own; k++)
            mu[k] = prior_of(e, (double)psdvec_counts_frequency(e->counts, words[k]));
        PV_TRY(pv_regression_solve(regression, words, own, mu, vectors, spread));
        readout_job job = {e, words, own, vectors, readout, scratch};
        if (read)
            PV_TRY(pv_parallel_tasks(ctx, (own + words_a_task - 1) / words_a_task, read_out, &job));
        PV_TRY(pv_group_meet(ctx, 0, NULL));
        PV_TRY(pv_share_collect(ctx, count, dim, vectors));
        PV_TRY(pv_share_collect(ctx, count, 1, spread));
        if (read)
            PV_TRY(pv_share_collect(ctx, count, dim, readout));
        pv_progress_add(&progress, count - own); /* those of other members */
        if (pv_group_leads(ctx))
            PV_TRY(add_new(e, out, first, count, vectors, spread, readout));
    }
    pv_progress_end(&progress);
    return PSDVEC_OK;
}

static psdvec_status solve_and_write(extension *e, const char *output)
{
    psdvec_context *ctx = e->ctx;
    const psdvec_model *model = e->model;
    size_t dim = model->info.dim;
    psdvec_status status;
    pv_regression *regression = NULL;
    result out = {.bytes = {.ctx = ctx}, .forms = {.ctx = ctx}};
    pv_buffer extensions = {.ctx = ctx};
    uint32_t total = model->info.words + e->added;
    float *sign;
    PV_TAKE(&e->memory, sign, dim);
    PV_TRY_DONE(pv_scope_status(&e->memory));
    for (size_t k = 0; k < dim; k++)
        sign[k] = model->info.eigenvalues && model->info.eigenvalues[k] < 0 ? -1 : 1;
    const float *known;
    PV_TRY_DONE(pv_model_floats(ctx, model, &model->vectors, &known));
    PV_TRY_DONE(pv_regression_open(e->link, known, model->info.core_words, dim, sign, e->row_of,
                                   &regression));
    if (pv_group_leads(ctx))
        PV_TRY_DONE(copy_old(e, &out, total));
    PV_TRY_DONE(solve_new(e, regression, &out));
    if (!pv_group_leads(ctx))
        goto done;
    uint64_t first = e->fresh_count > 0 ? psdvec_counts_frequency(e->counts, e->fresh[0]) : 1;
    PV_TRY_DONE(write_provenance(e, prior_of(e, (double)first), &extensions));
    pv_model_data data = {.words = total,
                          .dim = (uint32_t)dim,
                          .core_words = model->info.core_words,
                          .bytes = out.bytes.data,
                          .offsets = out.offsets,
                          .forms = out.forms.data,
                          .form_offsets = out.form_offsets,
                          .vectors = out.vectors,
                          .counts = out.counts,
                          .unigram = out.unigram,
                          .spread = out.spread,
                          .eigenvalues = model->info.eigenvalues,
                          .iterations = model->info.iterations,
                          .iteration_count = model->info.iteration_count,
                          .method = model->info.method,
                          .settings_json = model->info.settings_json,
                          .counts_json = model->info.counts_json,
                          .fit_json = model->info.fit_json,
                          .joint_json = model->info.joint_json, /* for the words of the training */
                          .extensions_json = extensions.data,
                          .readout = out.readout,
                          .readout_mean = model->readout_mean,
                          .readout_map = model->readout_map,
                          .spelling = model->spelling ? pv_spelling_get(model->spelling) : NULL,
                          .phrases = pv_model_phrases(model)};
    status = pv_model_write(ctx, &data, output);
done:
    pv_regression_close(regression);
    pv_buffer_free(&out.bytes);
    pv_buffer_free(&out.forms);
    pv_buffer_free(&extensions);
    return status;
}

/* Sets the frequencies of the words of the new counts in the model's text. */
static psdvec_status set_past(extension *e)
{
    const psdvec_model *model = e->model;
    uint32_t words = e->counts->info.words;
    if (!model->unigram || !(e->past.constants.total > 0))
        return PSDVEC_OK;
    double *focus;
    PV_TAKE_ZERO(&e->memory, focus, words);
    PV_TRY(pv_scope_status(&e->memory));
    double power = e->training.context_power, total = e->past.constants.total;
    for (uint32_t i = 0; i < e->first_extended; i++)
        if (model->unigram[i] > 0)
            e->past.absent += pow(2 * model->unigram[i] * total, power);
    for (uint32_t w = 0; w < words; w++) {
        size_t length;
        const char *word = psdvec_counts_word(e->counts, w, &length);
        uint32_t known;
        if (!psdvec_model_find(model, word, length, &known) || known >= e->first_extended)
            continue;
        focus[w] = model->unigram[known] * total;
        if (model->unigram[known] > 0)
            e->past.absent -= pow(2 * focus[w], power);
    }
    if (e->past.absent < 0) /* rounding */
        e->past.absent = 0;
    e->past.focus = focus;
    return PSDVEC_OK;
}

/* As in training: if the counts could not fit beside everything else, puts the columns that this
 * process reads into a file. */
static psdvec_status transpose_counts(extension *e, const char *output)
{
    const psdvec_model_info *info = &e->model->info;
    const psdvec_counts_info *counts = &e->counts->info;
    int threads = psdvec_threads(e->ctx);
    uint64_t memory =
        word_bytes(e) * ((uint64_t)info->words + counts->words) + pv_link_bytes(e->counts) +
        pv_regression_bytes(info->core_words, info->dim, counts->words, counts->bigrams, threads) +
        pv_transposed_bytes(counts->words, counts->total, threads);
    if (memory + info->file_bytes + counts->file_bytes <= pv_memory_left(e->ctx))
        return PSDVEC_OK;
    PV_TRY(pv_counts_measure_columns(e->ctx, e->counts));
    for (uint32_t first = 0, count; first < e->fresh_count; first += count) {
        const uint32_t *words;
        count = block_length(e, first);
        uint32_t own = own_of_block(e, first, count, &words);
        if (own > 0) /* the regression gathers the columns between these words, too */
            pv_transposed_select(e->counts->columns, words[0], words[own - 1] + 1);
    }
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(e->ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status = pv_counts_transpose(e->counts, folder);
    free(folder);
    return status;
}

static psdvec_status extend_with_counts(extension *e, const char *output)
{
    psdvec_train_options options = e->training;
    options.core = 0;
    PV_TRY(sort_words(e));
    PV_TRY(transpose_counts(e, output));
    PV_TRY(set_past(e));
    PV_TRY(pv_link_open(e->ctx, e->counts, &options, &e->past, &e->link));
    return solve_and_write(e, output);
}

/* Fails unless all members of the group have the same program, options, model and inputs. The
 * inputs of text are also compared when they are counted. */
static psdvec_status check_alike(const extension *e, const char *const *inputs, size_t input_count,
                                 bool counted)
{
    psdvec_context *ctx = e->ctx;
    psdvec_status status;
    pv_buffer key = {.ctx = ctx};
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    for (const psdvec_option *row = pv_extend_table.rows; row->name; row++) {
        char *value = pv_option_text(row, e->options);
        status = pv_buffer_printf(&key, "%s %s\n", row->name, value ? value : "");
        free(value);
        PV_TRY_DONE(status);
    }
    const char *digest = pv_st_meta(e->model->file, "xxh3.metadata");
    PV_TRY_DONE(pv_buffer_printf(&key, "model %s %s\n", e->model_path, digest ? digest : ""));
    for (size_t k = 0; k < input_count; k++) {
        if (pv_input_is_once(inputs[k]))
            PV_TRY_DONE(pv_input_refuse_shared(ctx, inputs[k]));
        PV_TRY_DONE(pv_buffer_printf(&key, "%s\n", inputs[k]));
    }
    if (counted)
        PV_TRY_DONE(pv_key_add_counts(&key, inputs[0]));
    PV_TRY_DONE(pv_group_compare(ctx, XXH3_64bits(PSDVEC_VERSION, strlen(PSDVEC_VERSION)),
                                 "the versions of the program"));
    status = pv_group_compare(ctx, XXH3_64bits(key.data, key.length),
                              "the options, the model or the inputs");
done:
    pv_buffer_free(&key);
    return status;
}

psdvec_status psdvec_extend(psdvec_context *ctx, const psdvec_extend_options *options,
                            const char *model, const char *const *inputs, size_t input_count,
                            const char *output, psdvec_extend_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    double began = pv_now();
    pv_group_begin(ctx);
    psdvec_extend_options own;
    extension e = {.ctx = ctx,
                   .options = &own,
                   .model_path = model,
                   .lists = {.ctx = ctx},
                   .memory = {.ctx = ctx, .what = "the words and their vectors"}};
    pv_partial *partial = NULL;
    text_files files = {0};
    psdvec_status status;
    PV_TRY_DONE(pv_options_adopt(ctx, &pv_extend_table, options, &own));
    PV_TRY_DONE(pv_refuse_same_file(ctx, inputs, input_count, output));
    PV_TRY_DONE(pv_refuse_same_file(ctx, &model, 1, output));
    PV_TRY_DONE(open_model(&e));
    PV_TRY_DONE(check_memory(&e));
    bool counted = input_count == 1 && !pv_input_is_once(inputs[0]) &&
                   pv_counts_looks_like(inputs[0]);
    PV_TRY_DONE(check_alike(&e, inputs, input_count, counted));
    if (counted) {
        PV_TRY_DONE(refuse_text_options(&e, inputs[0]));
        PV_TRY_DONE(pv_counts_open_sound(ctx, inputs[0], &e.counts));
        PV_TRY_DONE(warn_of_other_settings(&e, inputs[0]));
    } else {
        /* Only used as a temporary folder that is removed with its contents: counting again is
         * fast. */
        PV_TRY_DONE(pv_partial_open(ctx, output, "extend", true, &partial));
        PV_TRY_DONE(count_text(&e, partial, &files, inputs, input_count));
        PV_TRY_DONE(pv_counts_open_sound(ctx, files.counts, &e.counts));
        /* The leader removes the folder when it is done. */
        PV_TRY_DONE(pv_group_meet(ctx, 0, NULL));
    }
    status = extend_with_counts(&e, output);
    if (status == PSDVEC_OK && report) {
        *report = e.report;
        report->old_words = e.model->info.words;
        report->new_words = e.added;
        report->replaced_words = e.replaced;
        report->seconds = pv_now() - began;
    }
done:
    for (size_t k = 0; k < e.kept_count; k++)
        free(e.kept[k].copy);
    pv_scope_free(&e.memory);
    pv_forms_free(&e.forms);
    pv_link_close(e.link);
    psdvec_counts_close(e.counts);
    psdvec_model_close(e.model);
    pv_buffer_free(&e.lists);
    pv_partial_close(partial, true);
    free(files.seen);
    free(files.list);
    free(files.counts);
    return pv_group_end(ctx, status);
}
