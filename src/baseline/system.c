/* Systems of a comparison: methods with their settings, by name. */
#include "base/arguments.h"

#include <string.h>

static const char of_paper[] = "Li, Zhu and Miao 2015";
/* The three PSD rows of the paper, PSD-Reg-180K, PSD-Unreg-180K and PSD-25K; the counts determine
 * the number of words of the first two. */
static const psdvec_system systems[] = {
    {.name = "psd",
     .title = "PSD, psdvec\xe2\x80\x99s default",
     .paper = "Li, Zhu and Miao 2015, with psdvec's additions",
     .method = PSDVEC_METHOD_PSD,
     .usual = true},
    {.name = "psd-paper",
     .title = "PSD-Reg, the paper\xe2\x80\x99s model",
     .paper = of_paper,
     .method = PSDVEC_METHOD_PSD,
     .preset = PSDVEC_PRESET_PAPER,
     .usual = true},
    {.name = "psd-unreg",
     .title = "PSD-Unreg, the paper\xe2\x80\x99s model with mu 0",
     .paper = of_paper,
     .method = PSDVEC_METHOD_PSD,
     .preset = PSDVEC_PRESET_PAPER,
     .usual_with_own = true,
     .no_prior = true},
    {.name = "psd-25k",
     .title = "PSD-25K, the 25,000 core words of psd-paper",
     .paper = of_paper,
     .method = PSDVEC_METHOD_PSD,
     .preset = PSDVEC_PRESET_PAPER,
     .usual_with_own = true,
     .source = "psd-paper",
     .words = 25000},
    {.name = "ppmi",
     .title = "PPMI",
     .paper = "Levy, Goldberg and Dagan 2015",
     .method = PSDVEC_METHOD_PPMI,
     .usual = true},
    {.name = "svd",
     .title = "SVD of PPMI",
     .paper = "Levy, Goldberg and Dagan 2015",
     .method = PSDVEC_METHOD_SVD,
     .usual = true},
    {.name = "sgns",
     .title = "word2vec, skip-gram",
     .paper = "Mikolov et al. 2013",
     .method = PSDVEC_METHOD_SGNS,
     .reads_text = true,
     .usual = true},
    {.name = "cbow",
     .title = "word2vec, CBOW",
     .paper = "Mikolov et al. 2013",
     .method = PSDVEC_METHOD_CBOW,
     .reads_text = true},
    {.name = "glove",
     .title = "GloVe",
     .paper = "Pennington, Socher and Manning 2014",
     .method = PSDVEC_METHOD_GLOVE,
     .usual = true},
    {.name = "cca",
     .title = "Singular (CCA)",
     .paper = "Stratos, Collins and Hsu 2015",
     .method = PSDVEC_METHOD_CCA,
     .usual = true},
    {.name = "sparse",
     .title = "Sparse",
     .paper = "Faruqui et al. 2015",
     .method = PSDVEC_METHOD_SPARSE,
     .source = "psd",
     .usual = true}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

const psdvec_system *psdvec_system_at(size_t i)
{
    return i < SYSTEMS ? &systems[i] : NULL;
}

const psdvec_system *psdvec_system_find(const char *name)
{
    for (size_t i = 0; i < SYSTEMS && name; i++)
        if (!strcmp(systems[i].name, name))
            return &systems[i];
    return NULL;
}

void psdvec_system_counting(const psdvec_system *system, psdvec_count_options *count)
{
    psdvec_train_options train;
    psdvec_baseline_options baseline;
    psdvec_count_options own;
    if (!system || !count)
        return;
    if (system->method == PSDVEC_METHOD_PSD)
        psdvec_train_options_preset(&train, system->preset, &own);
    else
        psdvec_baseline_options_default(&baseline, system->method, &own);
    count->window = own.window;
    count->distance = own.distance;
    count->oov = own.oov;
    count->subsample = own.subsample;
}

static psdvec_status train_psd(psdvec_context *ctx, const psdvec_system *system, uint32_t dim,
                               bool restart, const char *counts, const char *output)
{
    static const double no_prior[] = {0};
    psdvec_train_options options;
    psdvec_train_options_preset(&options, system->preset, NULL);
    if (system->no_prior) {
        options.mu = no_prior;
        options.mu_count = 1;
    }
    options.dim = dim;
    options.restart = restart;
    return psdvec_train(ctx, &options, counts, output, NULL);
}

psdvec_status psdvec_system_train(psdvec_context *ctx, const psdvec_system *system, uint32_t dim,
                                  bool restart, const char *source,
                                  const psdvec_count_options *count, const char *const *inputs,
                                  size_t input_count, const char *output,
                                  psdvec_count_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, system);
    if (report)
        *report = (psdvec_count_report){0};
    if (system->reads_text)
        PV_NEED_EACH(ctx, inputs, input_count);
    else
        PV_NEED(ctx, source);
    PV_NEED(ctx, output);
    if (system->words) {
        psdvec_convert_options first;
        psdvec_convert_options_default(&first);
        first.words = system->words;
        return psdvec_convert(ctx, &first, source, output);
    }
    if (system->method == PSDVEC_METHOD_PSD)
        return train_psd(ctx, system, dim, restart, source, output);
    psdvec_baseline_options options;
    psdvec_baseline_options_default(&options, system->method, NULL);
    options.dim = dim;
    options.restart = restart;
    if (!system->reads_text)
        return psdvec_baseline(ctx, &options, source, output, NULL);
    return psdvec_baseline_text(ctx, &options, count, inputs, input_count, output, report, NULL);
}
