/* psdvec_model_describe: collects a description of a model.
 *
 * The time is mostly that of the map and of the scores; the memory that of the map.
 */
#include "report/report.h"

#include "base/arguments.h"
#include "map/drawing.h"
#include "map/options.h"
#include "report/options.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_RANK = 100,  /* of sample words; more frequent ones are mostly function words ... */
    FIRST_SHARE = 10,  /* ... but at most 1 / FIRST_SHARE of the words are skipped */
    LEAST_LETTERS = 4, /* of a sample word */
    LABELS = 140       /* on the picture of the map */
};

struct psdvec_description {
    psdvec_context *ctx;
    pv_buffer json, text; /* with a zero byte at the end */
};

/* ---- What to cite --------------------------------------------------------------------------------- */

const char *pv_report_reference(const pv_report *report, size_t k)
{
    static const struct {
        const char *method, *reference;
    } methods[] = {
        {"psd",
         "Shaohua Li, Jun Zhu, Chunyan Miao: A Generative Word Embedding Model and its Low Rank "
         "Positive Semidefinite Solution. EMNLP 2015. (the model)"},
        {"ppmi",
         "Omer Levy, Yoav Goldberg: Neural Word Embedding as Implicit Matrix Factorization. "
         "NIPS 2014. (positive PMI)"},
        {"svd",
         "Omer Levy, Yoav Goldberg, Ido Dagan: Improving Distributional Similarity with Lessons "
         "Learned from Word Embeddings. TACL 3, 2015. (the model)"},
        {"sgns", "Tomas Mikolov, Ilya Sutskever, Kai Chen, Greg Corrado, Jeffrey Dean: Distributed "
                 "Representations of Words and Phrases and their Compositionality. NIPS 2013. (the "
                 "model)"},
        {"cbow",
         "Tomas Mikolov, Kai Chen, Greg Corrado, Jeffrey Dean: Efficient Estimation of Word "
         "Representations in Vector Space. 2013. (the model)"},
        {"glove",
         "Jeffrey Pennington, Richard Socher, Christopher Manning: GloVe: Global Vectors for "
         "Word Representation. EMNLP 2014. (the model)"},
        {"cca", "Karl Stratos, Michael Collins, Daniel Hsu: Model-based Word Embeddings from "
                "Decompositions of Count Matrices. ACL 2015. (the model)"},
        {"sparse", "Manaal Faruqui, Yulia Tsvetkov, Dani Yogatama, Chris Dyer, Noah Smith: Sparse "
                   "Overcomplete Word Vector Representations. ACL 2015. (the model)"}};
    const psdvec_model_info *info = report->info;
    const char *method = info->method ? info->method : "psd";
    size_t m = 0, count = sizeof methods / sizeof *methods;
    while (m < count && strcmp(methods[m].method, method) != 0)
        m++;
    if (info->native && m < count && k-- == 0)
        return methods[m].reference;
    if (!info->native && k-- == 0)
        return "The vectors were made by another program: cite it, and the text that they were made "
               "from.";
    if (k-- == 0)
        return "The psdvec authors: psdvec " PSDVEC_VERSION
               ", word embeddings from a generative model. (the program)";
    if (report->map && k-- == 0)
        return "Yingfan Wang, Haiyang Huang, Cynthia Rudin, Yaron Shaposhnik: Understanding How "
               "Dimension Reduction Tools Work. JMLR 22, 2021. (PaCMAP, the method of the map)";
    return NULL;
}

const char *pv_report_measure(psdvec_measure measure)
{
    static const char *const words[] = {[PSDVEC_MEASURE_SPEARMAN] = "Spearman",
                                        [PSDVEC_MEASURE_ADD] = "3CosAdd",
                                        [PSDVEC_MEASURE_MUL] = "3CosMul",
                                        [PSDVEC_MEASURE_RIGHT] = "accuracy",
                                        [PSDVEC_MEASURE_PURITY] = "purity"};
    return words[measure];
}

const char *pv_report_vectors(const pv_report *report)
{
    const psdvec_model_info *info = report->info;
    return info->only_readout                  ? "read-out vectors"
           : info->native && info->has_readout ? "generative vectors"
                                               : "vectors";
}

/* ---- The map ---------------------------------------------------------------------------------------- */

static psdvec_status make_map(pv_report *r)
{
    psdvec_map_options options;
    psdvec_drawing_options drawing;
    pv_drawing picture = {0};
    psdvec_status status;
    if (r->options.map == 0 || (r->info->sparse && r->info->dim > PV_MAP_SPARSE_DIM))
        return PSDVEC_OK;
    psdvec_map_options_default(&options);
    psdvec_drawing_options_default(&drawing);
    options.restrict_words = r->options.map;
    drawing.labels = LABELS;
    drawing.width = 1200;
    drawing.height = 800;
    PV_TRY_DONE(psdvec_map_make(r->ctx, &options, r->model, NULL, 0, &r->map));
    PV_TRY_DONE(pv_drawing_make(r->ctx, r->map, &drawing, pv_map_svg_width, &picture));
    status = pv_map_svg(r->ctx, &picture, &r->picture);
done:
    pv_drawing_free(&picture);
    return status;
}

/* ---- Scores ----------------------------------------------------------------------------------------- */

static psdvec_status score(pv_report *r, const psdvec_test *const *tests, size_t count)
{
    size_t builtin = r->options.builtin ? psdvec_test_builtin_count() : 0;
    psdvec_eval_options options;
    psdvec_eval_options_default(&options);
    r->confidence = options.confidence;
    PV_TAKE_ZERO(&r->scope, r->tests, builtin + count);
    PV_TRY(pv_scope_status(&r->scope));
    for (size_t k = 0; k < builtin; k++) {
        psdvec_test *test;
        PV_TRY(psdvec_test_builtin(r->ctx, k, &test));
        r->tests[r->test_count++] = test;
    }
    for (size_t k = 0; k < count; k++)
        r->tests[r->test_count++] = tests[k];
    return r->test_count
               ? psdvec_eval(r->ctx, &options, &r->model, 1, r->tests, r->test_count, &r->scores)
               : PSDVEC_OK;
}

/* ---- Neighbours --------------------------------------------------------------------------------------- */

/* At least LEAST_LETTERS characters, none of which is ASCII other than a letter. */
static bool is_plain(const char *word, size_t length)
{
    size_t letters = 0;
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)word[k];
        if (c < 0x80 && !((c | 32) >= 'a' && (c | 32) <= 'z'))
            return false;
        letters += (c & 0xC0) != 0x80;
    }
    return letters >= LEAST_LETTERS;
}

static psdvec_status choose_samples(pv_report *r)
{
    uint32_t n = r->info->words, wanted = r->options.samples < n ? r->options.samples : n, next = 0;
    uint32_t rank = 1 + n / FIRST_SHARE;
    double first = rank < FIRST_RANK ? rank : FIRST_RANK;
    PV_TAKE(&r->scope, r->samples, wanted);
    PV_TRY(pv_scope_status(&r->scope));
    for (uint32_t k = 0; k < wanted; k++) {
        double share = wanted > 1 ? k / (wanted - 1.0) * 0.98
                                  : 0; /* the end of the list is noise */
        uint32_t word = (uint32_t)(first * exp(share * log(n / first))) - 1;
        word = word < next ? next : word;
        size_t length;
        for (; word < n; word++) {
            const char *text = psdvec_model_word(r->model, word, &length);
            if (is_plain(text, length))
                break;
        }
        if (word >= n)
            return PSDVEC_OK;
        next = word + 1;
        r->samples[r->sample_count++] = (pv_report_sample){.word = word};
    }
    return PSDVEC_OK;
}

static psdvec_status find_neighbours(pv_report *r)
{
    size_t most = r->options.top, dim = r->info->dim;
    pv_scope temp = {.ctx = r->ctx, .what = "the neighbours of sample words"};
    float *vector;
    psdvec_neighbour *near;
    psdvec_query_options query;
    psdvec_status status;
    PV_TAKE(&temp, vector, dim);
    PV_TAKE(&r->scope, near, r->sample_count * most);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&r->scope));
    for (size_t s = 0; s < r->sample_count; s++) {
        pv_report_sample *sample = &r->samples[s];
        sample->near = near + s * most;
        psdvec_query_options_default(&query);
        query.except = &sample->word;
        query.except_count = 1;
        psdvec_model_copy(r->model, sample->word, vector);
        PV_TRY_DONE(psdvec_model_similar(r->ctx, r->model, vector, &query, most, sample->near,
                                         &sample->found));
    }
done:
    pv_scope_free(&temp);
    return status;
}

static psdvec_status take_samples(pv_report *r, const uint32_t *words, size_t count)
{
    r->chosen = count == 0;
    if (r->chosen)
        return choose_samples(r);
    PV_TAKE(&r->scope, r->samples, count);
    PV_TRY(pv_scope_status(&r->scope));
    for (size_t k = 0; k < count; k++) {
        if (words[k] >= r->info->words)
            return pv_fail(r->ctx, PSDVEC_ERR_OPTION,
                           "`words[%zu]` is %u, which is not the index of a word", k, words[k]);
        r->samples[r->sample_count++] = (pv_report_sample){.word = words[k]};
    }
    return PSDVEC_OK;
}

/* ---- All ------------------------------------------------------------------------------------------------ */

static void free_report(pv_report *r)
{
    for (size_t k = 0; k < r->test_count; k++)
        if (r->options.builtin && k < psdvec_test_builtin_count())
            psdvec_test_close((psdvec_test *)r->tests[k]);
    psdvec_report_free(r->scores);
    psdvec_map_free(r->map);
    psdvec_origin_free(r->origin);
    pv_buffer_free(&r->picture);
    pv_buffer_free(&r->story);
    pv_scope_free(&r->scope);
}

psdvec_status psdvec_model_describe(psdvec_context *ctx, const psdvec_describe_options *options,
                                    const psdvec_model *model, const psdvec_test *const *tests,
                                    size_t test_count, const uint32_t *words, size_t word_count,
                                    psdvec_description **description)
{
    psdvec_status status;
    PV_CLEAR(description);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, tests, test_count);
    PV_NEED_ARRAY(ctx, words, word_count);
    PV_NEED(ctx, description);
    pv_report r = {.ctx = ctx,
                   .scope = {.ctx = ctx, .what = "the description"},
                   .model = model,
                   .info = psdvec_model_get_info(model),
                   .story = {.ctx = ctx},
                   .picture = {.ctx = ctx}};
    psdvec_description *made = NULL;
    PV_TRY_DONE(pv_options_adopt(ctx, &pv_describe_table, options, &r.options));
    PV_TRY_DONE(take_samples(&r, words, word_count));
    PV_TRY_DONE(pv_report_settings(&r));
    PV_TRY_DONE(pv_report_curves(&r));
    PV_TRY_DONE(find_neighbours(&r));
    PV_TRY_DONE(score(&r, tests, test_count));
    PV_TRY_DONE(make_map(&r));
    made = pv_alloc_zero(ctx, 1, sizeof *made, "the description");
    if (!made)
        PV_TRY_DONE(pv_failure(ctx));
    made->ctx = made->json.ctx = made->text.ctx = pv_context_hold(ctx);
    PV_TRY_DONE(pv_report_json(&r, &made->json));
    PV_TRY_DONE(pv_report_text(&r, &made->text));
    *description = made;
    made = NULL;
done:
    psdvec_description_free(made);
    free_report(&r);
    return status;
}

void psdvec_description_free(psdvec_description *description)
{
    if (!description)
        return;
    pv_buffer_free(&description->json);
    pv_buffer_free(&description->text);
    psdvec_context *ctx = description->ctx;
    pv_free(ctx, description);
    pv_context_release(ctx);
}

static const char *text_of(const pv_buffer *buffer, size_t *length)
{
    if (length)
        *length = buffer->length - 1;
    return buffer->data;
}

const char *psdvec_description_json(const psdvec_description *description, size_t *length)
{
    return description ? text_of(&description->json, length) : NULL;
}

const char *psdvec_description_text(const psdvec_description *description, size_t *length)
{
    return description ? text_of(&description->text, length) : NULL;
}
