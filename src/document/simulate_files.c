/* The folder of a simulation and the files that tell the truth: a model, residuals, and how all
 * of it was drawn. */
#include "document/simulate.h"

#include "base/file.h"
#include "base/json.h"
#include "count/provenance.h"
#include "document/residual_file.h"
#include "link/weights.h"
#include "model/model_write.h"
#include "train/options.h"
#include "train/train.h"
#include "util/c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What truth.json begins with, and by which a folder of ours is known. */
static const char mark[] = "{\"format\":\"psdvec.simulation\"";

/* ---- The folder ------------------------------------------------------------------------ */

static bool is_ours(const char *story)
{
    char head[sizeof mark] = {0};
    int fd = open(story, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof mark - 1) : -1;
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof mark - 1 && !memcmp(head, mark, sizeof mark - 1);
}

/* Nobody's file is replaced but a simulation's. */
static psdvec_status look_in(pv_simulation_folder *f)
{
    const char *names[] = {f->text, f->model, f->residuals, f->story};
    struct stat found;
    if (is_ours(f->story)) {
        f->replaces = true;
        return PSDVEC_OK;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (lstat(names[k], &found) == 0)
            return pv_fail(f->ctx, PSDVEC_ERR_WRITE,
                           "%s: is there already, and no whole simulation that it belongs to; "
                           "move it away or choose another folder",
                           names[k]);
    return PSDVEC_OK;
}

static char *name_in(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *path = NULL;
    return pv_asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0 ? NULL : path;
}

psdvec_status pv_simulation_folder_open(psdvec_context *ctx, const char *path,
                                        pv_simulation_folder *f)
{
    *f = (pv_simulation_folder){.ctx = ctx,
                                .folder = strdup(path),
                                .text = name_in(path, "text.txt"),
                                .model = name_in(path, "truth.safetensors"),
                                .residuals = name_in(path, "truth-residuals.safetensors"),
                                .story = name_in(path, "truth.json")};
    if (!f->folder || !f->text || !f->model || !f->residuals || !f->story)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
    struct stat found;
    if (mkdir(path, 0777) == 0) {
        f->made = f->opened = true;
        return PSDVEC_OK;
    }
    if (errno != EEXIST)
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot make the folder", path, errno);
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        return pv_fail(ctx, PSDVEC_ERR_WRITE,
                       "%s: is no folder, and a simulation is several files; choose another name",
                       path);
    PV_TRY(look_in(f));
    f->opened = true;
    return PSDVEC_OK;
}

void pv_simulation_folder_close(pv_simulation_folder *f, bool whole)
{
    /* Of half a simulation nothing stays; one that was there before stays as it is. */
    if (f->opened && !f->replaces && !whole) {
        unlink(f->residuals);
        unlink(f->model);
        unlink(f->text);
    }
    if (f->made && !whole) /* fails, and rightly, if there is anything else in it */
        rmdir(f->folder);
    free(f->folder);
    free(f->text);
    free(f->model);
    free(f->residuals);
    free(f->story);
    *f = (pv_simulation_folder){0};
}

/* ---- Words ------------------------------------------------------------------------------- */

typedef struct name_list {
    char *bytes;
    uint64_t *offsets; /* words + 1 */
} name_list;

static psdvec_status names_make(const pv_truth *t, name_list *names)
{
    size_t length = pv_name_length(t->words);
    names->bytes = pv_alloc(t->ctx, t->words, length, "names of words");
    names->offsets = pv_alloc(t->ctx, (size_t)t->words + 1, sizeof *names->offsets, "words");
    if (!names->bytes || !names->offsets)
        return pv_failure(t->ctx);
    for (uint32_t i = 0; i <= t->words; i++)
        names->offsets[i] = (uint64_t)i * length;
    for (uint32_t i = 0; i < t->words; i++)
        pv_name_write(i, length, names->bytes + names->offsets[i]);
    return PSDVEC_OK;
}

static void names_free(const pv_truth *t, name_list *names)
{
    pv_free(t->ctx, names->bytes);
    pv_free(t->ctx, names->offsets);
}

/* ---- Residuals ----------------------------------------------------------------------------- */

psdvec_status pv_write_truth_residuals(const pv_truth *t, const char *path)
{
    psdvec_status status;
    psdvec_context *ctx = t->ctx;
    size_t n = t->words, columns = t->residuals ? n : 0; /* without any, the rows are empty */
    name_list names = {0};
    uint64_t *begin = pv_alloc(ctx, n + 1, sizeof *begin, "residuals");
    uint32_t *focus = pv_alloc(ctx, n * columns, sizeof *focus, "residuals of all pairs");
    float *value = pv_alloc(ctx, n * columns, sizeof *value, "residuals of all pairs");
    if (!begin || !focus || !value) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(names_make(t, &names));
    for (size_t i = 0; i <= n; i++)
        begin[i] = i * columns;
    for (size_t i = 0; i < n && columns; i++) {
        for (size_t j = 0; j < n; j++)
            focus[i * n + j] = (uint32_t)j;
        pv_truth_residuals(t, (uint32_t)i, value + i * n);
        PV_TRY_DONE(pv_check_cancel(ctx));
    }
    pv_residual_data data = {.rows = pv_csr_of(t->words, t->words, begin, focus, value),
                             .bytes = names.bytes,
                             .offsets = names.offsets,
                             .target = pv_target_choices[PSDVEC_TARGET_PMI].name,
                             .unseen = NAN};
    status = pv_residual_file_write(ctx, &data, path);
done:
    names_free(t, &names);
    pv_free(ctx, begin);
    pv_free(ctx, focus);
    pv_free(ctx, value);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* Pairs of places in the text that are within the window. */
static double pairs_of(const pv_truth *t, const pv_drawn *drawn)
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

/* As training would have to be told to get there: the target of which the truth is the limit, and
 * weights that follow the counts. */
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
    return pv_model_settings(t->ctx, &o, &constants, json);
}

static psdvec_status write_counts_story(const pv_truth *t, const pv_drawn *drawn, pv_buffer *json)
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

psdvec_status pv_write_truth_model(const pv_truth *t, const pv_drawn *drawn, const char *path)
{
    psdvec_status status;
    name_list names = {0};
    pv_buffer settings, counts;
    pv_buffer_init(&settings, t->ctx);
    pv_buffer_init(&counts, t->ctx);
    PV_TRY_DONE(names_make(t, &names));
    PV_TRY_DONE(write_settings(t, pairs_of(t, drawn), &settings));
    PV_TRY_DONE(write_counts_story(t, drawn, &counts));
    pv_model_data data = {.words = t->words,
                          .dim = t->dim,
                          .core_words = t->words,
                          .bytes = names.bytes,
                          .offsets = names.offsets,
                          .vectors = t->vectors,
                          .counts = drawn->counts,
                          .unigram = t->unigram,
                          .eigenvalues = t->eigenvalues,
                          .method = psdvec_method_name(PSDVEC_METHOD_PSD),
                          .settings_json = settings.data,
                          .counts_json = counts.data};
    status = pv_model_write(t->ctx, &data, path);
done:
    names_free(t, &names);
    pv_buffer_free(&settings);
    pv_buffer_free(&counts);
    return status;
}

/* ---- The story ----------------------------------------------------------------------------- */

psdvec_status pv_write_truth_story(const pv_truth *t, const pv_drawn *drawn, const char *path)
{
    psdvec_status status;
    const psdvec_simulate_options *o = &t->options;
    pv_output *output = NULL;
    pv_buffer json;
    pv_json_writer w;
    pv_buffer_init(&json, t->ctx);
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
    PV_TRY_DONE(pv_output_open(t->ctx, path, &output));
    PV_TRY_DONE(pv_output_write_at(output, 0, json.data, json.length));
    status = pv_output_commit(output);
    output = NULL;
done:
    pv_output_discard(output);
    pv_buffer_free(&json);
    return status;
}
