/* Fuzzes the reader of test sets, and evaluates a small model on the result.
 *
 * The first byte chooses the rule for unknown words and other options, the remaining bytes are the
 * file. A set that is read must be consistent: every index in it is valid, every word is valid
 * UTF-8 and not empty, and no value is out of range.
 */
#include "eval/test_set.h"
#include "fuzz/fuzz.h"
#include "model/model_read.h"
#include "util/utf8.h"

#include <math.h>

static void check(const psdvec_test *t)
{
    static const uint32_t per_question[] = {2, 3, 1, 1};
    require(t->info.questions > 0 && t->info.name[0] != '\0' && t->words > 0);
    for (uint32_t w = 0; w < t->words; w++) {
        size_t length = (size_t)(t->offsets[w + 1] - t->offsets[w]);
        require(t->offsets[w] < t->offsets[w + 1]);
        for (size_t k = 0, step; k < length; k += step)
            require((step = pv_utf8_sequence(t->bytes + t->offsets[w] + k, length - k)) > 0);
    }
    for (uint32_t s = 0; s < t->info.sections; s++)
        require(psdvec_test_section(t, s) != NULL);
    for (uint32_t q = 0; q < t->info.questions; q++) {
        const pv_question *question = &t->questions[q];
        for (uint32_t k = 0; k < per_question[t->info.kind]; k++)
            require(question->words[k] < t->words);
        for (uint32_t k = 0; k < question->listed; k++)
            require(t->lists[question->list + k] < t->words);
        require(question->section == PV_NO_SECTION || question->section < t->info.sections);
        require(isfinite(question->value));
        require(t->info.kind != PSDVEC_TEST_CATEGORIES || question->category < t->categories);
    }
}

static void check_report(psdvec_report *report)
{
    size_t count;
    const psdvec_score *scores = psdvec_report_scores(report, &count);
    for (size_t k = 0; k < count; k++) {
        double least = scores[k].measure == PSDVEC_MEASURE_SPEARMAN ? -1 - 1e-12 : 0;
        require(scores[k].known <= scores[k].total);
        require(isnan(scores[k].value) ||
                (scores[k].value >= least && scores[k].value <= 1 + 1e-12));
        require(!(scores[k].low > scores[k].high));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char words[] = "a 1 0 0\nb 0 1 0\nc 1 1 0\nd 0 0 1\ncat 1 2 3\ndog 1 2 2\n"
                                "cats 3 2 3\ndogs 3 2 2\nnone 0 0 0\n";
    static psdvec_context *ctx;
    static psdvec_model *model;
    static fuzz_file vectors, file;
    if (!ctx) {
        uint32_t none;
        ctx = fuzz_context(256);
        fuzz_file_set(&vectors, words, sizeof words - 1);
        require(psdvec_model_open(ctx, vectors.path, &model) == PSDVEC_OK);
        require(!psdvec_model_find(model, "x", 1, &none));
    }
    if (size == 0)
        return 0;
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_test *test;
    bool found;
    psdvec_test_kind kind;
    fuzz_file_set(&file, data + 1, size - 1);
    require(psdvec_test_detect(ctx, file.path, &found, &kind) == PSDVEC_OK);
    psdvec_status status = psdvec_test_open(ctx, file.path, &test);
    if (status == PSDVEC_OK) {
        check(test);
        const psdvec_model *models[] = {model, model};
        const psdvec_test *tests[] = {test};
        psdvec_eval_options options;
        psdvec_report *report;
        psdvec_eval_options_default(&options);
        options.resamples = data[0] & 4 ? 20 : 0;
        options.unknown = (psdvec_unknown)(data[0] & 3);
        options.keep_case = data[0] & 8;
        options.restrict_words = data[0] & 16 ? 4 : 0;
        options.common = data[0] & 32;
        options.half = (psdvec_half)((data[0] >> 6) % 3);
        if (test->info.questions < 2000) {
            require(psdvec_eval(ctx, &options, models, 2, tests, 1, &report) == PSDVEC_OK);
            check_report(report);
            psdvec_report_free(report);
        }
    } else {
        require(!test && psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    }
    psdvec_test_close(test);
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
