/* All commands, each declared at the end of its own file. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

extern const struct command cmd_train, cmd_extend;
extern const struct command cmd_baseline_ppmi, cmd_baseline_svd, cmd_baseline_sgns,
    cmd_baseline_glove, cmd_baseline_cca, cmd_baseline_sparse;
extern const struct command cmd_count, cmd_tokenize;
extern const struct command cmd_counts_info, cmd_counts_show, cmd_counts_dump, cmd_counts_merge,
    cmd_counts_export, cmd_counts_import;
extern const struct command cmd_info, cmd_eval, cmd_table, cmd_convert;
extern const struct command cmd_similar, cmd_analogy, cmd_odd_one_out, cmd_compare, cmd_vector;
extern const struct command cmd_score, cmd_next, cmd_explain, cmd_generate, cmd_fit_temperature;
extern const struct command cmd_residuals, cmd_simulate, cmd_interaction;
extern const struct command cmd_help;
extern const struct command cmd_internal_man, cmd_internal_completion, cmd_internal_examples,
    cmd_internal_options;

#endif
