/* What the commands `psdvec baseline NAME` share. */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include "run.h"
#include "word_list.h"

/* --dim, and --restart, for tables of their own. */
#define BASELINE_DIM                                                                               \
    {                                                                                              \
        .name = "dim", .kind = OPTION_INTEGER, .argument = "N", .least = 1, .most = 10000,         \
        .fallback = "300", .group = "Model", .help = "numbers in a vector"                         \
    }
#define BASELINE_RESTART                                                                           \
    {                                                                                              \
        .name = "restart", .kind = OPTION_FLAG, .group = "Long runs",                              \
        .help = "begin anew, even if an interrupted run with the same options left something"      \
    }

/* --eigen-tolerance, of systems that decompose a matrix. */
#define BASELINE_CONTEXT_POWER(heading)                                                            \
    {                                                                                              \
        .name = "context-power", .kind = OPTION_REAL, .argument = "P", .real_least = 0,            \
        .real_most = 1, .fallback = "0.75", .group = heading,                                      \
        .help = "raise the counts of contexts to P, which lowers the numbers of rare ones; 1 is "  \
                "off"                                                                              \
    }
#define BASELINE_SHIFT                                                                             \
    {                                                                                              \
        .name = "shift", .kind = OPTION_REAL, .argument = "K", .real_least = 0, .real_most = 1e6,  \
        .fallback = "1",                                                                           \
        .help = "take off log K, as word2vec with K noise words does; larger ones leave fewer "    \
                "numbers that are not 0"                                                           \
    }
#define BASELINE_EIGENVALUE_POWER(usual)                                                           \
    {                                                                                              \
        .name = "eigenvalue-power", .kind = OPTION_REAL, .argument = "P", .real_least = 0,         \
        .real_most = 1, .fallback = usual,                                                         \
        .help = "raise the singular values to P: 1 is the matrix as it is, 0 makes all "           \
                "directions alike"                                                                 \
    }
#define BASELINE_TOLERANCE                                                                         \
    {                                                                                              \
        .name = "eigen-tolerance", .kind = OPTION_REAL, .argument = "T", .real_least = 0,          \
        .real_most = 1, .fallback = "0.01",                                                        \
        .help = "residual of the eigenvectors, relative to the smallest eigenvalue kept"           \
    }

/* Everything the library wants to know. Start from {0} and free it, also after a failure. */
struct baseline_setup {
    psdvec_baseline_options options;
    psdvec_count_options count;
    struct word_list keep;
};

/* Takes what the command line says into options that hold the library's defaults; with `defaults`,
 * also the defaults that the help shows. Options that the command does not have are left alone. */
void baseline_options_read(const struct arguments *arguments, bool defaults,
                           psdvec_baseline_options *to);

/* The method of a command, by its name and --cbow. */
psdvec_method baseline_method(const struct arguments *arguments);

/* Gathers the options, recognises text, a counts file or (sparse) vectors, makes the model and says
 * what came of it. Returns an exit status. */
int baseline_act(struct run *run);

#endif
