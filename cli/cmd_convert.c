/* psdvec convert: vectors from one format into another. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"

static const psdvec_option own_options[] = {
    FLAG_OPTION("float16", .group = "Result", .help = "the same as --precision float16"),
    FLAG_OPTION("int8", .help = "the same as --precision int8"),
    {0}};

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *output = run_output(run);
    psdvec_convert_options convert;
    psdvec_convert_options_default(&convert);
    int code = options_apply(run, PSDVEC_OPTIONS_CONVERT, &convert);
    if (code)
        return code;
    if (!argument(arguments, "to")->given && !psdvec_vectors_format_of(output, &convert.format)) {
        char formats[200];
        psdvec_option_range(psdvec_options_find(PSDVEC_OPTIONS_CONVERT, "format"), formats,
                            sizeof formats);
        return run_use_error(run,
                             "the name %s does not determine the format; give it with --to: %s",
                             output, formats);
    }
    bool half = argument_flag(arguments, "float16"), bytes = argument_flag(arguments, "int8");
    if (half + bytes + argument(arguments, "precision")->given > 1)
        return run_use_error(run, "--precision, --float16 and --int8 cannot be combined");
    if (half || bytes)
        convert.precision = half ? PSDVEC_FLOAT16 : PSDVEC_INT8;
    code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_convert(run->ctx, &convert, arguments->operands[0], output);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary_written(run, output);
    return EXIT_FINE;
}

const struct command cmd_convert = {
    .name = "convert",
    .group = "Vectors",
    .summary = "convert vectors from one format to another",
    .synopsis = "FILE OUTPUT [OPTION]...",
    .description = PARAGRAPHS(
        "Reads a model, or vectors of another program, and writes them in another format. The "
        "format of FILE is detected from its content: a model, text of word2vec, fastText or "
        "GloVe, word2vec binary, or NumPy npy with the words in a file beside it.",
        "The format of OUTPUT is determined by its suffix unless --to is given.",
        "Formats of other programs receive the read-out, the vectors for comparing words; with "
        "--raw, they receive the generative vectors, whose products are the model's PMI. A model "
        "file contains both."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_CONVERT), OWN_OPTIONS(own_options),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec convert vectors.vec model.safetensors", "From word2vec or fastText."},
        {"psdvec convert vectors.txt glove.safetensors", "From GloVe."},
        {"psdvec convert model.safetensors model.bin", "For programs that read word2vec binary."},
        {"psdvec convert model.safetensors model.npy",
         "For NumPy; the words go to model.words.txt."},
        {"psdvec convert model.safetensors --dim 100 --words 50000 -o small.safetensors",
         "A smaller model."},
        {"psdvec convert model.safetensors --int8 tiny.safetensors",
         "A quarter of the size; cosines change by about 0.001."},
        {"psdvec convert model.safetensors --only-readout --no-spelling --int8 --dim 100 --words 30000 "
         "search.safetensors",
         "A small file for search: read-out only."},
        {"psdvec convert model.safetensors --to glove --digits 4 -o model.txt",
         "Smaller text with less precision."}),
    .notes = PARAGRAPHS(
        "If a word occurs more than once, the first vector is kept, and bytes that are not UTF-8 "
        "become U+FFFD, both with a warning. Any other error in FILE stops the conversion with a "
        "message that names the line. An existing output is replaced only when the new file is "
        "complete."),
    .operands = {1, 2},
    .missing = "give the vectors to convert",
    .output_example = "model.safetensors",
    .output_operand = true,
    .act = act};
