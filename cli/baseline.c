/* Running one of the other systems. */
#include "baseline.h"

#include "count_options.h"
#include "counts_file.h"
#include "exit_status.h"
#include "interrupted.h"
#include "summary.h"

#include <stddef.h>
#include <string.h>

/* From options to fields; a command has those that its system uses. */
static const struct {
    const char *name;
    enum { WHOLE, REAL, SWITCH } kind;
    size_t offset;
} fields[] = {{"dim", WHOLE, offsetof(psdvec_baseline_options, dim)},
              {"context-power", REAL, offsetof(psdvec_baseline_options, context_power)},
              {"shift", REAL, offsetof(psdvec_baseline_options, shift)},
              {"count-power", REAL, offsetof(psdvec_baseline_options, count_power)},
              {"eigenvalue-power", REAL, offsetof(psdvec_baseline_options, eigenvalue_power)},
              {"eigen-tolerance", REAL, offsetof(psdvec_baseline_options, eigen_tolerance)},
              {"add-contexts", SWITCH, offsetof(psdvec_baseline_options, add_contexts)},
              {"epochs", WHOLE, offsetof(psdvec_baseline_options, epochs)},
              {"rate", REAL, offsetof(psdvec_baseline_options, rate)},
              {"negative", WHOLE, offsetof(psdvec_baseline_options, negative)},
              {"noise-power", REAL, offsetof(psdvec_baseline_options, noise_power)},
              {"x-max", REAL, offsetof(psdvec_baseline_options, glove_max)},
              {"alpha", REAL, offsetof(psdvec_baseline_options, glove_power)},
              {"factor", REAL, offsetof(psdvec_baseline_options, factor)},
              {"l1", REAL, offsetof(psdvec_baseline_options, l1)},
              {"l2", REAL, offsetof(psdvec_baseline_options, l2)},
              {"ridge", REAL, offsetof(psdvec_baseline_options, ridge)},
              {"nonnegative", SWITCH, offsetof(psdvec_baseline_options, nonnegative)},
              {"binary", SWITCH, offsetof(psdvec_baseline_options, binary)},
              {"restart", SWITCH, offsetof(psdvec_baseline_options, restart)}};

void baseline_options_read(const struct arguments *arguments, bool defaults,
                           psdvec_baseline_options *to)
{
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        if (!arguments_have(arguments, fields[k].name))
            continue;
        const struct option_value *value = argument(arguments, fields[k].name);
        if (!value->given && !(defaults && value->known))
            continue;
        char *field = (char *)to + fields[k].offset;
        uint32_t whole = (uint32_t)value->integer;
        bool on = value->integer != 0;
        if (fields[k].kind == WHOLE)
            memcpy(field, &whole, sizeof whole);
        else if (fields[k].kind == REAL)
            memcpy(field, &value->real, sizeof value->real);
        else
            memcpy(field, &on, sizeof on);
    }
}

psdvec_method baseline_method(const struct arguments *arguments)
{
    psdvec_method method = PSDVEC_METHOD_PSD;
    psdvec_method_find(strchr(arguments->command->name, ' ') + 1, &method);
    if (arguments_have(arguments, "cbow") && argument_flag(arguments, "cbow"))
        method = PSDVEC_METHOD_CBOW;
    return method;
}

/* Which of the two calls it is. */
static psdvec_status train(struct run *run, const struct baseline_setup *setup, const char *input,
                           psdvec_count_report *count, psdvec_baseline_report *report)
{
    const struct arguments *arguments = run->arguments;
    const char *output = argument_text(arguments, "output");
    if (input)
        return psdvec_baseline(run->ctx, &setup->options, input, output, report);
    run_tell_of_terminal(run);
    return psdvec_baseline_text(run->ctx, &setup->options, &setup->count, arguments->operands,
                                arguments->operand_count, output, count, report);
}

static int gather(struct run *run, struct baseline_setup *setup, const char **input)
{
    const struct arguments *arguments = run->arguments;
    psdvec_method method = baseline_method(arguments);
    psdvec_count_options_default(&setup->count);
    psdvec_baseline_options_default(&setup->options, method, &setup->count);
    baseline_options_read(arguments, false, &setup->options);
    if (method == PSDVEC_METHOD_SPARSE) {
        *input = arguments->operands[0];
        return EXIT_FINE;
    }
    int code = count_options_gather(run, &setup->count, &setup->keep);
    if (!code)
        code = counts_file_among(run, input);
    if (code || !*input)
        return code;
    if (method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW)
        return run_use_error(run,
                             "%s is a file of counts or vectors, and %s learns from the text "
                             "itself; give the text",
                             *input, psdvec_method_name(method));
    return count_options_refuse(run, *input);
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
    word_list_free(&setup.keep);
    return code;
}
