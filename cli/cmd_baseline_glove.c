/* psdvec baseline glove: GloVe's vectors from text, or from counts. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

const struct command cmd_baseline_glove = {
    .name = "baseline glove",
    .group = "Other systems",
    .summary = "GloVe: weighted regression on log counts",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Trains vectors as GloVe does (Pennington, Socher and Manning, 2014): the product of two "
        "vectors, plus a bias per word, approximates the logarithm of the words' co-occurrence "
        "count, by weighted least squares with AdaGrad. Defaults are those of the authors' "
        "program, with 300 dimensions as in their paper.",
        "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "
        "text options are not accepted. Results are bit-for-bit reproducible for any number of "
        "threads."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"glove"},
    .examples =
        EXAMPLES({"psdvec baseline glove wiki.txt -o glove.safetensors", "Text in, model out."},
                 {"psdvec baseline glove wiki.counts.safetensors --dim 10 --x-max 10 --epochs 15 "
                  "-o glove.safetensors",
                  "From a counts file, with settings for a small text."}),
    .notes = PARAGRAPHS(
        "After Ctrl-C, a crash or kill -9, run the same command again to resume. The state after "
        "each epoch is kept in the folder FILE.partial beside the output, which is deleted at the "
        "end. A resumed run gives the same bits as an uninterrupted one."),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "glove.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
