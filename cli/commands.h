/* All commands in the order of the help screen, each declared at the end of its file. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

#define ALL_COMMANDS(each)                                                                         \
    each(train), each(extend), each(info), each(report), each(table), each(eval), each(convert),   \
        each(fit_temperature), each(baseline_ppmi), each(baseline_svd), each(baseline_sgns),       \
        each(baseline_glove), each(baseline_cca), each(baseline_sparse), each(similar),            \
        each(analogy), each(odd_one_out), each(compare), each(vector), each(map), each(ask),       \
        each(explore), each(score), each(next), each(explain), each(generate), each(residuals),    \
        each(simulate), each(interaction), each(topics_learn), each(topics_show),                  \
        each(topics_apply), each(topics_compare), each(topics_page), each(count), each(tokenize),  \
        each(phrases), each(counts_info), each(counts_show), each(counts_dump),                    \
        each(counts_merge), each(counts_export), each(counts_import), each(help),                  \
        each(internal_man), each(internal_completion), each(internal_examples),                    \
        each(internal_options), each(internal_openapi)

#define COMMAND_NAME(name) cmd_##name
extern const struct command ALL_COMMANDS(COMMAND_NAME);

#endif
