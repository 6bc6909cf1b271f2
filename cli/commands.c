/* The list of commands, in the order of the help screen. */
#include "commands.h"

const struct command *const commands[] = {&cmd_count,
                                          &cmd_tokenize,
                                          &cmd_counts_info,
                                          &cmd_counts_show,
                                          &cmd_counts_dump,
                                          &cmd_counts_merge,
                                          &cmd_counts_export,
                                          &cmd_counts_import,
                                          &cmd_info,
                                          &cmd_similar,
                                          &cmd_convert,
                                          &cmd_help,
                                          &cmd_generate_man,
                                          &cmd_generate_completion,
                                          &cmd_generate_examples,
                                          &cmd_check_defaults,
                                          NULL};
