/* psdvec baseline sparse: sparse codes of other vectors. */
#include "baseline.h"
#include "commands.h"

const struct command cmd_baseline_sparse = {
    .name = "baseline sparse",
    .group = "Other systems",
    .summary = "sparse coding of other vectors",
    .synopsis = "MODEL -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Learns a dictionary with many more directions than the vectors of MODEL have dimensions, "
        "and represents each word as a combination of a few of them (sparse coding), after "
        "Faruqui, Tsvetkov, Yogatama, Dyer and Smith (2015). Such dimensions are easier to "
        "interpret; psdvec vector shows those of a word. MODEL is a model, whose read-out is "
        "used, or vectors of another program. All commands that compare words accept the result.",
        "Vectors are first scaled by one common factor to a mean squared length of 4, so that the "
        "penalties have the same meaning for all models. Results are bit-for-bit reproducible for "
        "any number of threads. If a run is interrupted, the same command resumes it after the "
        "last complete epoch."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), COMMON_OPTIONS},
    .presets = {"sparse"},
    .examples =
        EXAMPLES({"psdvec baseline sparse model.safetensors -o sparse.safetensors",
                  "Ten times as many dimensions, few of them nonzero."},
                 {"psdvec baseline sparse model.safetensors --binary --l1 2 -o binary.safetensors",
                  "Binary codes with fewer ones."}),
    .least_operands = 1,
    .most_operands = 1,
    .missing = "say which model's vectors to code",
    .output_example = "sparse.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
