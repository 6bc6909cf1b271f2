/* Running one of the other systems. */
#include "baseline.h"

#include "counts_file.h"
#include "exit_status.h"
#include "interrupted.h"
#include "options.h"
#include "summary.h"

#include <string.h>

/* Everything the library wants to know. */
struct baseline_setup {
    const psdvec_baseline_options *options;
    const psdvec_count_options *count;
};

psdvec_method baseline_method(const struct arguments *arguments)
{
    psdvec_method method = PSDVEC_METHOD_PSD;
    psdvec_method_find(arguments->command->presets[arguments->preset], &method);
    return method;
}

/* Which of the two calls it is. */
static psdvec_status train(struct run *run, const struct baseline_setup *setup, const char *input,
                           psdvec_count_report *count, psdvec_baseline_report *report)
{
    const struct arguments *arguments = run->arguments;
    const char *output = argument_text(arguments, "output");
    if (input)
        return psdvec_baseline(run->ctx, setup->options, input, output, report);
    run_tell_of_terminal(run);
    return psdvec_baseline_text(run->ctx, setup->options, setup->count, arguments->operands,
                                arguments->operand_count, output, count, report);
}

static int gather(struct run *run, struct baseline_setup *setup, const char **input)
{
    const struct arguments *arguments = run->arguments;
    psdvec_method method = baseline_method(arguments);
    setup->options = options_take(run, PSDVEC_OPTIONS_BASELINE);
    if (!setup->options)
        return run->refusal;
    if (method == PSDVEC_METHOD_SPARSE) {
        *input = arguments->operands[0];
        return EXIT_FINE;
    }
    setup->count = options_take_count(run);
    if (!setup->count)
        return run->refusal;
    int code = counts_file_among(run, input);
    if (code || !*input)
        return code;
    if (method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW)
        return run_use_error(run,
                             "%s is a file of counts or vectors, and %s learns from the text "
                             "itself; give the text",
                             *input, psdvec_method_name(method));
    return options_refuse_text(run, *input);
}

int baseline_act(struct run *run)
{
    struct baseline_setup setup = {0};
    const char *input = NULL;
    int code = gather(run, &setup, &input);
    if (!code)
        code = run_library(run);
    if (!code) {
        psdvec_count_report count = {0};
        psdvec_baseline_report report = {0};
        psdvec_status status = train(run, &setup, input, &count, &report);
        if (status == PSDVEC_OK)
            summary_baseline(run, input ? NULL : &count, &report);
        else
            code = interrupted_failed(run, status);
    }
    return code;
}
