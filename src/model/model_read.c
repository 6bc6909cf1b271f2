/* Opening models, and queries about single words.
 *
 * Everything a later access relies on is checked when the file is opened: the time is linear in the
 * number of words, and the vectors are not read. Checks that read all vectors are left to
 * psdvec_model_verify.
 */
#include "model/model_read.h"

#include "base/arguments.h"
#include "base/json.h"
#include "model/compact.h"
#include "model/inflections.h"
#include "model/model_write.h"
#include "model/sparse_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

psdvec_status pv_model_damaged(const psdvec_model *m, const char *cause)
{
    return pv_fail(m->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the model is damaged: %s; create the file "
                   "again",
                   m->path, cause);
}

/* ---- Opening a model file ---------------------------------------------------- */

static bool is_number(const char *text, uint64_t *value)
{
    char *end = NULL;
    if (text && *text >= '0' && *text <= '9' && strlen(text) < 20)
        *value = strtoull(text, &end, 10);
    return end && *end == '\0';
}

static psdvec_status check_kind(const psdvec_model *m, bool *sparse, bool *compact)
{
    const char *format = pv_st_meta(m->file, "format");
    uint64_t version;
    *sparse = format && strcmp(format, PV_SPARSE_FORMAT) == 0;
    uint64_t known = *sparse ? PV_SPARSE_VERSION : PV_MODEL_VERSION_COMPACT;
    if (format && strcmp(format, "psdvec.counts") == 0)
        return pv_fail(m->ctx, PSDVEC_ERR_FORMAT,
                       "%s: contains counts, not vectors; inspect it with psdvec counts info",
                       m->path);
    if (!*sparse && (!format || strcmp(format, PV_MODEL_FORMAT) != 0))
        return pv_fail(m->ctx, PSDVEC_ERR_FORMAT,
                       "%s: is a safetensors file, but not a psdvec model%s%s%s; save its vectors "
                       "as npy and its words as text, and convert these",
                       m->path, format ? " (its format is \"" : "",
                       format ? pv_st_show(format).text : "", format ? "\")" : "");
    if (!is_number(pv_st_meta(m->file, "version"), &version) || version < 1)
        return pv_model_damaged(m, "its version is not a number");
    if (version > known)
        return pv_fail(m->ctx, PSDVEC_ERR_VERSION,
                       "%s: was written in version %" PRIu64 " of the %smodel format, but this "
                       "program supports version %" PRIu64 "; use a newer psdvec",
                       m->path, version, *sparse ? "sparse " : "", known);
    *compact = !*sparse && version == PV_MODEL_VERSION_COMPACT;
    return PSDVEC_OK;
}

static psdvec_status take_words(psdvec_model *m)
{
    const pv_tensor *t;
    PV_TRY(pv_st_require(m->ctx, m->file, "offsets", PV_DTYPE_U64, 1, (int64_t[]){-1}, &t));
    if (t->count < 2 || t->count - 1 > PV_MODEL_MOST_WORDS)
        return pv_model_damaged(m, "it has no words, or too many");
    m->info.words = (uint32_t)(t->count - 1);
    m->offsets = t->data;
    PV_TRY(pv_st_require(m->ctx, m->file, "words", PV_DTYPE_U8, 1, (int64_t[]){-1}, &t));
    m->bytes = t->data;
    bool ascends = pv_offsets_ascend(m->offsets, m->info.words, t->bytes, 0);
    return ascends ? PSDVEC_OK
                   : pv_model_damaged(m, "the offsets of the words are not in "
                                         "ascending order");
}

/* A tensor that may be missing: *data stays NULL. */
static psdvec_status take_optional(psdvec_model *m, const char *name, pv_dtype dtype,
                                   uint32_t count, const void **data)
{
    const pv_tensor *t;
    int64_t shape = count;
    *data = NULL;
    if (!pv_st_tensor(m->file, name))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(m->ctx, m->file, name, dtype, 1, &shape, &t));
    *data = t->data;
    return PSDVEC_OK;
}

/* Reads the written forms of words, if the file has them. */
static psdvec_status take_forms(psdvec_model *m)
{
    const pv_tensor *t;
    int64_t entries = (int64_t)m->info.words + 1;
    if (!pv_st_tensor(m->file, "forms.offsets"))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(m->ctx, m->file, "forms.offsets", PV_DTYPE_U64, 1, &entries, &t));
    const uint64_t *offsets = t->data;
    PV_TRY(pv_st_require(m->ctx, m->file, "forms", PV_DTYPE_U8, 1, (int64_t[]){-1}, &t));
    if (!pv_offsets_ascend(offsets, m->info.words, t->bytes, 0))
        return pv_model_damaged(m, "the offsets of the word forms are not in ascending order");
    m->forms = t->data;
    m->form_offsets = offsets;
    return PSDVEC_OK;
}

/* Reads the phrases of the text. They are prepared at once, because nearly all code that reads text
 * or words for the model needs them, from many threads. */
static psdvec_status take_phrases(psdvec_model *m)
{
    const pv_tensor *t;
    if (!pv_st_tensor(m->file, PV_PHRASES_TENSOR))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(m->ctx, m->file, PV_PHRASES_TENSOR, PV_DTYPE_U8, 1, (int64_t[]){-1}, &t));
    if (!pv_phrase_list_check((pv_phrase_list){t->data, t->bytes}, &m->info.phrases))
        return pv_model_damaged(m, "the list of phrases is not as it was written");
    if (m->info.phrases == 0)
        return PSDVEC_OK;
    m->phrases = pv_alloc_zero(m->ctx, 1, sizeof *m->phrases, "the phrases");
    if (!m->phrases)
        return pv_failure(m->ctx);
    return pv_phrases_make(m->phrases, m->ctx, t->data, t->bytes);
}

psdvec_status pv_model_own_phrases(psdvec_context *ctx, const psdvec_model *model,
                                   psdvec_text_options *options)
{
    pv_phrases named = {0};
    psdvec_status status = PSDVEC_OK;
    if (!model->phrases)
        return PSDVEC_OK;
    if (options->phrases) {
        PV_TRY_DONE(pv_phrases_read(&named, ctx, options, options->phrases));
        if (!pv_phrase_lists_same(pv_phrases_list(&named), pv_model_phrases(model)))
            PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                                "%s: the model has %u phrases of its own, which differ from those "
                                "of %s; leave out `phrases`, and the model's are joined",
                                model->path, model->phrases->count, options->phrases));
    }
    options->phrases = NULL;
done:
    pv_phrases_free(&named);
    return status;
}

/* A set of vectors, words x dim, if the file has it. */
static psdvec_status take_vectors(psdvec_model *m, const char *name, const char *scale_name,
                                  pv_vector_set *set)
{
    psdvec_model_info *info = &m->info;
    const pv_tensor *t;
    const void *scale = NULL;
    PV_TRY(pv_st_require(m->ctx, m->file, name, pv_precision_dtype(info->precision), 2,
                         (int64_t[]){(int64_t)info->words, info->dim ? (int64_t)info->dim : -1},
                         &t));
    if (t->shape[1] == 0 || t->shape[1] > UINT32_MAX)
        return pv_model_damaged(m, "its vectors have no dimensions, or too many");
    info->dim = (uint32_t)t->shape[1];
    if (info->precision == PSDVEC_INT8) {
        PV_TRY(take_optional(m, scale_name, PV_DTYPE_F32, info->words, &scale));
        if (!scale)
            return pv_model_damaged(m, "its vectors are int8, but have no scale");
    }
    *set = pv_vector_set_of(info->precision, info->words, info->dim, t->data, scale);
    return PSDVEC_OK;
}

/* "4-6" */
static bool read_lengths(const char *text, uint32_t *shortest, uint32_t *longest)
{
    static const char digits[] = "0123456789";
    size_t first = text ? strspn(text, digits) : 0;
    if (first < 1 || first > 3 || text[first] != '-')
        return false;
    const char *second = text + first + 1;
    size_t length = strspn(second, digits);
    *shortest = (uint32_t)strtoul(text, NULL, 10);
    *longest = (uint32_t)strtoul(second, NULL, 10);
    return length >= 1 && length <= 3 && second[length] == '\0';
}

/* The spelling tensors must all be present or all be missing; otherwise the file is damaged. */
static psdvec_status take_spelling(psdvec_model *m)
{
    enum { NGRAMS, OFFSETS, MEMBERS, SCALE, ROWS, TENSORS };
    static const struct {
        const char *name;
        pv_dtype dtype;
        unsigned rank;
    } tensors[TENSORS] = {{"spelling.ngrams", PV_DTYPE_U8, 1},
                          {"spelling.offsets", PV_DTYPE_U32, 1},
                          {"spelling.members", PV_DTYPE_U32, 1},
                          {"spelling.scale", PV_DTYPE_F32, 1},
                          {"spelling.rows", PV_DTYPE_I8, 2}};
    bool some = false;
    for (size_t k = 0; k < TENSORS; k++)
        some |= pv_st_tensor(m->file, tensors[k].name) != NULL;
    if (!some)
        return PSDVEC_OK;
    pv_spelling_table table = {.dim = m->info.dim};
    if (!read_lengths(pv_st_meta(m->file, "spelling"), &table.shortest, &table.longest))
        return pv_model_damaged(m, "the length of its character n-grams is missing");
    const pv_tensor *t[TENSORS];
    int64_t shape[2] = {-1, m->info.dim};
    for (size_t k = 0; k < TENSORS; k++) {
        PV_TRY(pv_st_require(m->ctx, m->file, tensors[k].name, tensors[k].dtype, tensors[k].rank,
                             shape, &t[k]));
        if (k != OFFSETS)
            continue;
        if (t[k]->count < 1 || t[k]->count - 1 > UINT32_MAX)
            return pv_model_damaged(m, "its character n-grams have no offsets");
        shape[0] = (int64_t)t[k]->count - 1;
        if (shape[0] == 0) /* no n-grams */
            return PSDVEC_OK;
    }
    table.ngrams = (uint32_t)shape[0];
    table.bytes = t[NGRAMS]->data;
    table.text = t[NGRAMS]->bytes;
    table.offsets = t[OFFSETS]->data;
    table.members = t[MEMBERS]->data;
    table.row_scale = t[SCALE]->data;
    table.rows = t[ROWS]->data;
    PV_TRY(pv_spelling_open(m->ctx, &table, m->path, &m->spelling));
    m->info.has_spelling = true;
    m->info.ngrams = table.ngrams;
    m->info.spelling_bytes = pv_spelling_bytes(&table);
    return PSDVEC_OK;
}

static psdvec_status take_readout(psdvec_model *m)
{
    const void *data;
    const pv_tensor *t;
    int64_t dim = m->info.dim;
    m->readout = m->vectors;
    PV_TRY(take_spelling(m));
    if (!pv_st_tensor(m->file, "readout"))
        return PSDVEC_OK;
    m->info.has_readout = true;
    PV_TRY(take_vectors(m, "readout", "readout.scale", &m->readout));
    PV_TRY(take_optional(m, "readout.mean", PV_DTYPE_F32, m->info.dim, &data));
    m->readout_mean = data;
    if (m->readout_mean && !pv_are_finite(m->readout_mean, m->info.dim))
        return pv_model_damaged(m, "the mean of its read-out has a component that is not finite");
    if (!pv_st_tensor(m->file, "readout.map"))
        return PSDVEC_OK;
    PV_TRY(
        pv_st_require(m->ctx, m->file, "readout.map", PV_DTYPE_F32, 2, (int64_t[]){dim, dim}, &t));
    m->readout_map = t->data;
    if (!pv_are_finite(m->readout_map, t->count))
        return pv_model_damaged(m, "the map of its read-out has a component that is not finite");
    return PSDVEC_OK;
}

static psdvec_status take_tensors(psdvec_model *m, bool sparse, bool compact)
{
    psdvec_model_info *info = &m->info;
    const void *data;
    if (compact) {
        PV_TRY(pv_compact_take(m));
    } else {
        PV_TRY(take_words(m));
        PV_TRY(take_forms(m));
        PV_TRY(take_optional(m, "counts", PV_DTYPE_U64, info->words, &data));
        m->counts = data;
    }
    PV_TRY(take_phrases(m));
    info->has_counts = m->counts != NULL;
    if (sparse)
        return pv_sparse_take(m);
    const pv_tensor *t = pv_st_tensor(m->file, "vectors");
    info->precision = t ? pv_precision_of(t->dtype) : PSDVEC_FLOAT32;
    PV_TRY(take_vectors(m, "vectors", "scale", &m->vectors));
    info->positive = info->dim;
    PV_TRY(take_readout(m));
    PV_TRY(take_optional(m, "unigram", PV_DTYPE_F64, info->words, &data));
    m->unigram = data;
    PV_TRY(take_optional(m, "spread", PV_DTYPE_F32, info->words, &data));
    m->spread = data;
    PV_TRY(take_optional(m, "eigenvalues", PV_DTYPE_F32, info->dim, &data));
    info->eigenvalues = data;
    for (uint32_t k = 0; info->eigenvalues && k < info->dim; k++) {
        if (!isfinite(info->eigenvalues[k]))
            return pv_model_damaged(m, "an eigenvalue is not finite");
        info->positive -= info->eigenvalues[k] < 0;
    }
    info->has_spread = m->spread != NULL;
    return PSDVEC_OK;
}

/* Words are distinct and not empty. The index that finds them stays, for the first search. */
static psdvec_status check_words(psdvec_model *m)
{
    PV_TRY(pv_word_index_init(&m->index, m->ctx, m->info.words, m->bytes, m->offsets,
                              "the index of words"));
    PV_TRY(pv_word_index_fill(&m->index, m->ctx, m->info.words, m->path, "the model is"));
    m->indexed = true;
    return PSDVEC_OK;
}

/* A failure at word i, in the form of pv_model_damaged. */
static psdvec_status word_damaged(psdvec_context *ctx, const psdvec_model *m, uint32_t i,
                                  const char *cause)
{
    return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the model is damaged: %s (word %" PRIu32 ", '%s'); create the file again",
                   m->path, cause, i + 1,
                   pv_word_shown(m->bytes + m->offsets[i], m->offsets[i + 1] - m->offsets[i]).text);
}

static bool are_scaled(const pv_vector_set *set, uint32_t i)
{
    return set->precision != PSDVEC_INT8 || isfinite(set->scale[i]);
}

/* The numbers of each word except its vectors. */
static psdvec_status check_numbers(const psdvec_model *m)
{
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < m->info.words; i++) {
        if (m->counts && __builtin_add_overflow(tokens, m->counts[i], &tokens))
            return word_damaged(m->ctx, m, i, "the frequencies do not fit into 64 bits");
        if (m->unigram && !(m->unigram[i] >= 0 && m->unigram[i] <= 1))
            return word_damaged(m->ctx, m, i, "a probability is not between 0 and 1");
        if (m->spread && !(m->spread[i] >= 0 && isfinite(m->spread[i])))
            return word_damaged(m->ctx, m, i, "a spread is negative or not finite");
        if (!m->info.sparse && !(are_scaled(&m->vectors, i) && are_scaled(&m->readout, i)))
            return word_damaged(m->ctx, m, i, "the scale of a vector is not finite");
    }
    return PSDVEC_OK;
}

/* JSON in the metadata; NULL if there is none. Callers print it verbatim, so it must be valid. */
static psdvec_status take_json(psdvec_model *m, const char *key, pv_json_type type,
                               const char **text)
{
    *text = pv_st_meta(m->file, key);
    if (!*text || pv_json_is(*text, type))
        return PSDVEC_OK;
    return pv_fail(m->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the model is damaged: its \"%s\" cannot be read; create the file again",
                   m->path, key);
}

/* NaN: it was not fitted. */
static bool is_within(double number, double least, double most)
{
    return isnan(number) || (number >= least && number <= most);
}

/* Reads the training history. */
static psdvec_status take_history(psdvec_model *m)
{
    const char *text = pv_st_meta(m->file, "history");
    if (!text)
        return PSDVEC_OK;
    pv_json j;
    pv_buffer list = {.ctx = m->ctx};
    psdvec_status status = PSDVEC_OK;
    pv_json_init(&j, text, strlen(text), 0);
    bool ok = pv_json_enter_array(&j);
    while (ok && status == PSDVEC_OK && pv_json_next_element(&j)) {
        psdvec_iteration it = {
            .objective = NAN, .relaxation = NAN, .smallest = NAN, .residual = NAN};
        ok = pv_json_read_record(&j, pv_iteration_fields, &it);
        status = ok ? pv_buffer_append(&list, &it, sizeof it) : PSDVEC_OK;
    }
    m->iterations = (psdvec_iteration *)(void *)list.data; /* its owner */
    m->info.iterations = m->iterations;
    m->info.iteration_count = list.length / sizeof *m->iterations;
    if (status == PSDVEC_OK && (!ok || !pv_json_finish(&j)))
        status = pv_fail(m->ctx, PSDVEC_ERR_CORRUPT,
                         "%s: the model is damaged: its history cannot be read: %s; create the "
                         "file again",
                         m->path, j.cause ? j.cause : "not as expected");
    return status;
}

/* Reads the parameters that were fitted to text after training. */
static psdvec_status take_fit(psdvec_model *m)
{
    psdvec_model_info *info = &m->info;
    static const pv_json_field fields[] = {PV_JSON_FIELD(psdvec_model_info, temperature),
                                           PV_JSON_FIELD(psdvec_model_info, self),
                                           PV_JSON_FIELD(psdvec_model_info, temperature_counts),
                                           PV_JSON_FIELD(psdvec_model_info, interpolation),
                                           PV_JSON_FIELD(psdvec_model_info, discount_once),
                                           PV_JSON_FIELD(psdvec_model_info, discount_twice),
                                           PV_JSON_FIELD(psdvec_model_info, discount_more),
                                           {0}};
    pv_json j;
    pv_json_init(&j, info->fit_json, strlen(info->fit_json), 0);
    if (pv_json_read_record(&j, fields, info) &&
        is_within(info->temperature, 0, PV_MOST_TEMPERATURE) &&
        is_within(info->self, -PV_MOST_SELF, PV_MOST_SELF) &&
        is_within(info->temperature_counts, 0, PV_MOST_TEMPERATURE) &&
        is_within(info->interpolation, 0, 1) && is_within(info->discount_once, 0, 1) &&
        is_within(info->discount_twice, 0, 2) && is_within(info->discount_more, 0, 3))
        return PSDVEC_OK;
    return pv_model_damaged(m, "a fitted value is not a number or is out of range");
}

/* Reads the training method, a short name that is printed verbatim. */
static psdvec_status take_method(psdvec_model *m)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    psdvec_model_info *info = &m->info;
    info->method = pv_st_meta(m->file, "method");
    if (!info->method && info->settings_json && !info->sparse) /* older files had only one method */
        info->method = psdvec_method_name(PSDVEC_METHOD_PSD);
    size_t length = info->method ? strspn(info->method, letters) : 1;
    if (length < 1 || length > 32 || (info->method && info->method[length] != '\0'))
        return pv_model_damaged(m, "its method is not a valid name");
    return PSDVEC_OK;
}

static psdvec_status take_metadata(psdvec_model *m)
{
    psdvec_model_info *info = &m->info;
    const char *core = pv_st_meta(m->file, "core_words");
    uint64_t core_words = 0;
    if (core && (!is_number(core, &core_words) || core_words > info->words))
        return pv_model_damaged(m, "\"core_words\" is not a number of words");
    info->core_words = (uint32_t)core_words;
    PV_TRY(take_json(m, "settings", PV_JSON_OBJECT, &info->settings_json));
    PV_TRY(take_method(m));
    PV_TRY(take_json(m, "counts", PV_JSON_OBJECT, &info->counts_json));
    PV_TRY(take_json(m, "extensions", PV_JSON_ARRAY, &info->extensions_json));
    PV_TRY(take_json(m, "joint", PV_JSON_OBJECT, &info->joint_json));
    info->self = (double)NAN;
    PV_TRY(take_json(m, "fit", PV_JSON_OBJECT, &info->fit_json));
    if (info->fit_json)
        PV_TRY(take_fit(m));
    PV_TRY(take_history(m));
    const char *without = pv_st_meta(m->file, "without");
    info->only_readout = without && strstr(without, "generative");
    info->no_spelling = without && strstr(without, "spelling");
    info->written_by = pv_st_meta(m->file, "written_by");
    info->file_bytes = pv_st_bytes(m->file);
    info->native = true;
    return PSDVEC_OK;
}

static psdvec_status open_native(psdvec_model *m)
{
    bool sparse, compact = false;
    PV_TRY(pv_st_open(m->ctx, m->path, &m->file));
    PV_TRY(check_kind(m, &sparse, &compact));
    PV_TRY(take_tensors(m, sparse, compact));
    PV_TRY(check_words(m));
    PV_TRY(check_numbers(m));
    return take_metadata(m);
}

static psdvec_status open_foreign(psdvec_model *m, const char *words_file)
{
    const pv_foreign *f = &m->foreign;
    PV_TRY(pv_foreign_read(m->ctx, m->path, words_file, &m->foreign));
    m->info.words = f->words;
    m->info.dim = m->info.positive = f->dim;
    m->info.file_bytes = f->file_bytes;
    m->info.precision = f->precision;
    m->bytes = f->bytes;
    m->offsets = f->offsets;
    m->vectors = m->readout = pv_vector_set_floats(f->words, f->dim, f->vectors);
    return PSDVEC_OK;
}

/* Creates an empty model; *out is NULL after a failure. */
static psdvec_status new_model(psdvec_context *ctx, const char *path, psdvec_model **out)
{
    *out = NULL;
    psdvec_model *m = pv_alloc_zero(ctx, 1, sizeof *m, "the model");
    if (!m)
        return pv_failure(ctx);
    m->ctx = pv_context_hold(ctx);
    m->own = (pv_scope){.ctx = m->ctx, .what = "the words"};
    atomic_init(&m->holders, 1);
    pthread_mutex_init(&m->lock, NULL);
    m->path = strdup(path);
    if (!m->path) {
        psdvec_model_close(m);
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
    }
    *out = m;
    return PSDVEC_OK;
}

psdvec_status pv_model_open(psdvec_context *ctx, const char *path, const char *words_file,
                            psdvec_model **out)
{
    bool native = false;
    psdvec_model *m;
    PV_TRY(new_model(ctx, path, out));
    m = *out;
    psdvec_status status = pv_foreign_is_safetensors(ctx, path, &native);
    if (status == PSDVEC_OK)
        status = native ? open_native(m) : open_foreign(m, words_file);
    if (status != PSDVEC_OK) {
        psdvec_model_close(m);
        *out = NULL;
    }
    return status;
}

psdvec_status pv_model_of_data(psdvec_context *ctx, const pv_model_data *data, const char *path,
                               psdvec_model **out)
{
    psdvec_model *m;
    PV_TRY(new_model(ctx, path, out));
    m = *out;
    m->bytes = data->bytes;
    m->offsets = data->offsets;
    m->vectors = m->readout = pv_vector_set_floats(data->words, data->dim, data->vectors);
    m->counts = data->counts;
    m->unigram = data->unigram;
    psdvec_model_info *info = &m->info;
    *info = (psdvec_model_info){.words = data->words,
                                .core_words = data->core_words,
                                .dim = data->dim,
                                .positive = data->dim,
                                .method = data->method,
                                .has_counts = data->counts != NULL,
                                .eigenvalues = data->eigenvalues,
                                .settings_json = data->settings_json,
                                .counts_json = data->counts_json,
                                .self = (double)NAN};
    return PSDVEC_OK;
}

psdvec_status psdvec_model_open(psdvec_context *ctx, const char *path, psdvec_model **model)
{
    PV_CLEAR(model);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, path);
    return pv_model_open(ctx, path, NULL, model);
}

const psdvec_model *pv_model_hold(const psdvec_model *model)
{
    atomic_fetch_add(&((psdvec_model *)model)->holders, 1);
    return model;
}

void psdvec_model_close(psdvec_model *model)
{
    if (!model || atomic_fetch_sub(&model->holders, 1) > 1)
        return;
    psdvec_context *ctx = model->ctx;
    pv_word_index_free(&model->index);
    pv_free(ctx, model->floats[0]);
    pv_free(ctx, model->floats[1]);
    pv_free(ctx, model->squares);
    pv_free(ctx, model->rules);
    pv_inflections_free(ctx, model->inflections);
    pthread_mutex_destroy(&model->lock);
    if (model->base) {
        psdvec_model_close((psdvec_model *)model->base);
    } else {
        if (model->phrases)
            pv_phrases_free(model->phrases);
        pv_free(ctx, model->phrases);
        pv_free(ctx, model->ones);
        pv_spelling_free(model->spelling);
        pv_free(ctx, model->iterations);
        pv_scope_free(&model->foreign.scope);
        pv_scope_free(&model->own);
        pv_st_close(model->file);
        free(model->path);
    }
    pv_free(ctx, model);
    pv_context_release(ctx);
}

/* ---- Complete models ------------------------------------------------------------------ */

static const char not_finite[] = "a vector has a component that is not finite";

psdvec_status pv_model_check_word(psdvec_context *ctx, const psdvec_model *m, uint32_t i)
{
    bool finite;
    if (m->info.sparse) {
        pv_csr_row row = pv_csr_row_of(&m->sparse, i);
        finite = pv_are_finite(row.value, row.count);
    } else {
        finite = pv_vector_set_is_finite(&m->vectors, i, m->info.dim) &&
                 pv_vector_set_is_finite(&m->readout, i, m->info.dim);
    }
    return finite ? PSDVEC_OK : word_damaged(ctx, m, i, not_finite);
}

psdvec_status pv_model_check_set(psdvec_context *ctx, const psdvec_model *m,
                                 const pv_vector_set *set, uint32_t words, uint32_t dim)
{
    uint32_t i;
    PV_TRY(pv_vector_set_find_bad(ctx, set, words, dim, &i));
    return i == words ? PSDVEC_OK : word_damaged(ctx, m, i, not_finite);
}

psdvec_status pv_model_check_vectors(psdvec_context *ctx, const psdvec_model *m)
{
    uint32_t bad;
    if (!m->file) /* checked when they were read or computed */
        return PSDVEC_OK;
    if (m->info.sparse) {
        PV_TRY(pv_sparse_find_bad(ctx, &m->sparse, &bad));
        return bad == m->info.words ? PSDVEC_OK : word_damaged(ctx, m, bad, not_finite);
    }
    PV_TRY(pv_model_check_set(ctx, m, &m->vectors, m->info.words, m->info.dim));
    if (!m->info.has_readout)
        return PSDVEC_OK;
    return pv_model_check_set(ctx, m, &m->readout, m->info.words, m->info.dim);
}

psdvec_status psdvec_model_verify(psdvec_context *ctx, const psdvec_model *model)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    if (model->file)
        PV_TRY(pv_st_verify(ctx, model->file));
    return pv_model_check_vectors(ctx, model);
}

psdvec_status psdvec_model_check_word(psdvec_context *ctx, const psdvec_model *model, uint32_t i)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_INDEX(ctx, i, model->info.words);
    return pv_model_check_word(ctx, model, i);
}

/* ---- Single words ---------------------------------------------------------------- */

psdvec_status pv_model_require_psd(psdvec_context *ctx, const psdvec_model *m, const char *only)
{
    const char *method = m->info.method;
    if (m->info.only_readout)
        return pv_fail(
            ctx, PSDVEC_ERR_FORMAT,
            "%s: has no generative vectors, because convert --only-readout omitted them; use the "
            "model that it was made from",
            m->path);
    if (!m->info.sparse && (!method || strcmp(method, psdvec_method_name(PSDVEC_METHOD_PSD)) == 0))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_FORMAT, "%s: its vectors were trained by %s; %s", m->path,
                   method ? method : "another method", only);
}

const psdvec_model_info *psdvec_model_get_info(const psdvec_model *model)
{
    return model ? &model->info : NULL;
}

const char *psdvec_model_word(const psdvec_model *model, uint32_t i, size_t *length)
{
    bool there = pv_model_has(model, i);
    if (length)
        *length = there ? (size_t)(model->offsets[i + 1] - model->offsets[i]) : 0;
    return there ? model->bytes + model->offsets[i] : NULL;
}

const char *psdvec_model_form(const psdvec_model *model, uint32_t i, size_t *length)
{
    if (!pv_model_has(model, i) || !model->form_offsets ||
        model->form_offsets[i] == model->form_offsets[i + 1])
        return psdvec_model_word(model, i, length);
    if (length)
        *length = (size_t)(model->form_offsets[i + 1] - model->form_offsets[i]);
    return model->forms + model->form_offsets[i];
}

psdvec_status pv_model_floats(psdvec_context *ctx, const psdvec_model *model,
                              const pv_vector_set *set, const float **floats)
{
    psdvec_model *m = (psdvec_model *)model; /* the copy is a cache */
    *floats = set->data;
    if (set->precision == PSDVEC_FLOAT32)
        return PSDVEC_OK;
    float **copy = &m->floats[set == &m->readout && m->info.has_readout];
    pthread_mutex_lock(&m->lock);
    if (!*copy) {
        *copy = pv_alloc(m->ctx, (size_t)set->words * set->dim, sizeof **copy, NULL);
        if (*copy)
            pv_vector_set_copy(set, 0, set->words, *copy);
    }
    *floats = *copy;
    pthread_mutex_unlock(&m->lock);
    if (*floats)
        return PSDVEC_OK;
    return !ctx ? PSDVEC_ERR_BUDGET
                : pv_fail(ctx, PSDVEC_ERR_BUDGET,
                          "%s: its vectors need %.0f MiB of memory as float32, more than is left "
                          "of the limit; raise the limit (`memory`), or read them one by one with "
                          "psdvec_model_copy",
                          m->path, (double)set->words * set->dim * sizeof(float) / 1048576);
}

const float *psdvec_model_vector(const psdvec_model *model, uint32_t i)
{
    const float *floats;
    if (!pv_model_has(model, i) || model->info.sparse ||
        pv_model_floats(NULL, model, &model->vectors, &floats) != PSDVEC_OK)
        return NULL;
    return floats + (size_t)i * model->info.dim;
}

uint64_t psdvec_model_frequency(const psdvec_model *model, uint32_t i)
{
    return pv_model_has(model, i) && model->counts ? model->counts[i] : 0;
}

double psdvec_model_spread(const psdvec_model *model, uint32_t i)
{
    if (!pv_model_has(model, i))
        return (double)NAN;
    return model->spread ? (double)model->spread[i] : 0;
}

double psdvec_model_unigram(const psdvec_model *model, uint32_t i)
{
    if (!pv_model_has(model, i))
        return (double)NAN;
    return model->unigram ? model->unigram[i] : 0;
}

double psdvec_model_product(const psdvec_model *model, uint32_t i, uint32_t j)
{
    if (!pv_model_has(model, i) || !pv_model_has(model, j) || model->info.only_readout)
        return (double)NAN;
    if (model->info.sparse)
        return pv_sparse_product(pv_csr_row_of(&model->sparse, i),
                                 pv_csr_row_of(&model->sparse, j));
    return pv_vector_set_product(&model->vectors, i, &model->vectors, j, model->info.eigenvalues);
}

psdvec_status pv_model_data_of(psdvec_context *ctx, const psdvec_model *m, pv_model_data *data)
{
    const psdvec_model_info *info = &m->info;
    const float *vectors, *readout = NULL;
    PV_TRY(pv_model_floats(ctx, m, &m->vectors, &vectors));
    if (info->has_readout)
        PV_TRY(pv_model_floats(ctx, m, &m->readout, &readout));
    *data = (pv_model_data){.words = info->words,
                            .dim = info->dim,
                            .core_words = info->core_words,
                            .bytes = m->bytes,
                            .offsets = m->offsets,
                            .forms = m->forms,
                            .form_offsets = m->form_offsets,
                            .vectors = vectors,
                            .counts = m->counts,
                            .unigram = m->unigram,
                            .spread = m->spread,
                            .eigenvalues = info->eigenvalues,
                            .iterations = info->iterations,
                            .iteration_count = info->iteration_count,
                            .method = m->file ? pv_st_meta(m->file, "method") : NULL,
                            .settings_json = info->settings_json,
                            .counts_json = info->counts_json,
                            .extensions_json = info->extensions_json,
                            .fit_json = info->fit_json,
                            .joint_json = info->joint_json,
                            .readout = readout,
                            .readout_mean = m->readout_mean,
                            .readout_map = m->readout_map,
                            .spelling = m->spelling ? pv_spelling_get(m->spelling) : NULL,
                            .phrases = pv_model_phrases(m),
                            .only_readout = info->only_readout,
                            .no_spelling = info->no_spelling,
                            .precision = info->precision};
    return PSDVEC_OK;
}
