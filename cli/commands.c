/* The list of commands, in the order of the help screen. */
#include "commands.h"

const struct family families[] = {
    {"counts", "Counting", "look into counts files, add them up, export and import them"}, {0}};

const struct command *const commands[] = {&cmd_train,
                                          &cmd_extend,
                                          &cmd_info,
                                          &cmd_eval,
                                          &cmd_convert,
                                          &cmd_fit_temperature,
                                          &cmd_similar,
                                          &cmd_analogy,
                                          &cmd_odd_one_out,
                                          &cmd_compare,
                                          &cmd_vector,
                                          &cmd_score,
                                          &cmd_next,
                                          &cmd_explain,
                                          &cmd_generate,
                                          &cmd_residuals,
                                          &cmd_simulate,
                                          &cmd_interaction,
                                          &cmd_count,
                                          &cmd_tokenize,
                                          &cmd_counts_info,
                                          &cmd_counts_show,
                                          &cmd_counts_dump,
                                          &cmd_counts_merge,
                                          &cmd_counts_export,
                                          &cmd_counts_import,
                                          &cmd_help,
                                          &cmd_internal_man,
                                          &cmd_internal_completion,
                                          &cmd_internal_examples,
                                          &cmd_check_defaults,
                                          NULL};
