/* psdvec convert: vectors from one format into another. */
#include "commands.h"
#include "exit_status.h"
#include "model_file.h"
#include "summary.h"

#include <string.h>

static const struct option_spec options[] = {
    {.name = "to",
     .kind = OPTION_CHOICE,
     .choices = vectors_formats,
     .otherwise = "by the end of the output's name",
     .group = "The result",
     .help = "our own file; word2vec's text, with a first line; its binary; GloVe's text, without "
             "one; a matrix for numpy"},
    {.name = "dim",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .fallback = "0",
     .help = "keep the first N numbers of each vector, in our models the best ones; 0 keeps all"},
    {.name = "words",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .fallback = "0",
     .help = "keep the first N words; 0 keeps all"},
    {.name = "normalize", .kind = OPTION_FLAG, .help = "bring every vector to length 1"},
    {.name = "raw",
     .kind = OPTION_FLAG,
     .help =
         "for other programs: write the generative vectors instead of the read-out; a model has both"},
    {.name = "float16", .kind = OPTION_FLAG, .help = "round numbers to 2 bytes; in a model or npy"},
    {.name = "int8",
     .kind = OPTION_FLAG,
     .help = "round numbers to 1 byte, with a scale for each vector; in a model"},
    {.name = "digits",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = 9,
     .fallback = "0",
     .help = "write N significant digits in text; 0 writes as many as give back the same bits"},
    {.name = "words-file",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .completes = COMPLETES_FILES,
     .otherwise = "X.words.txt for X.npy",
     .help = "the words of an npy file, one a line: where they go, or where they are"},
    {0}};

static const char *const description[] = {
    "Reads a model, or the vectors of another program, and writes them in another format. What "
    "FILE is, its content says: a model, text of word2vec, fastText or GloVe, word2vec's binary, or "
    "numpy's npy with its words in a file beside it.",
    "Names of outputs that say the format: .safetensors is a model; .txt, .vec and .w2v are "
    "word2vec's text, .bin is word2vec-binary, .glove and .glove.txt are glove, .npy is npy.",
    "Other programs get the read-out, the vectors by which words are compared; with --raw the "
    "generative ones, whose products are the model's mutual information. A model file always has "
    "both.",
    NULL};

static const struct example examples[] = {
    {"psdvec convert vectors.vec model.safetensors", "From word2vec or fastText."},
    {"psdvec convert vectors.txt glove.safetensors", "From GloVe."},
    {"psdvec convert model.safetensors model.bin", "For programs that read word2vec's binary."},
    {"psdvec convert model.safetensors model.npy", "For numpy; the words go to model.words.txt."},
    {"psdvec convert model.safetensors --dim 100 --words 50000 -o small.safetensors",
     "A smaller model."},
    {"psdvec convert model.safetensors --int8 tiny.safetensors",
     "A quarter of the size; cosines change by a thousandth or so."},
    {"psdvec convert model.safetensors --to glove --digits 4 -o model.txt",
     "Text that is small rather than exact."},
    {0}};

static const char *const notes[] = {
    "Of equal words the first counts, bytes that are not UTF-8 become U+FFFD, and both are told. "
    "Anything else that is wrong in FILE ends the conversion, with the line. An existing output is "
    "replaced only when the new one is whole.",
    NULL};

static const struct {
    const char *end;
    psdvec_vectors_format format;
} endings[] = {{".safetensors", PSDVEC_VECTORS_MODEL}, {".vec", PSDVEC_VECTORS_WORD2VEC},
               {".glove.txt", PSDVEC_VECTORS_GLOVE},   {".txt", PSDVEC_VECTORS_WORD2VEC},
               {".w2v", PSDVEC_VECTORS_WORD2VEC},      {".bin", PSDVEC_VECTORS_WORD2VEC_BINARY},
               {".glove", PSDVEC_VECTORS_GLOVE},       {".npy", PSDVEC_VECTORS_NPY}};

static bool format_of(const char *path, psdvec_vectors_format *format)
{
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t end = strlen(endings[k].end);
        if (length > end && !strcmp(path + length - end, endings[k].end)) {
            *format = endings[k].format;
            return true;
        }
    }
    return false;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *output = run_output(run);
    psdvec_convert_options convert;
    psdvec_convert_options_default(&convert);
    if (argument(arguments, "to")->given)
        convert.format = (psdvec_vectors_format)argument_integer(arguments, "to");
    else if (!format_of(output, &convert.format))
        return run_use_error(run,
                             "the name %s does not say in which format; say it: --to model, "
                             "word2vec, word2vec-binary, glove or npy",
                             output);
    convert.dim = (uint32_t)argument_integer(arguments, "dim");
    convert.words = (uint32_t)argument_integer(arguments, "words");
    convert.digits = (int)argument_integer(arguments, "digits");
    convert.normalize = argument_flag(arguments, "normalize");
    convert.words_file = argument_text(arguments, "words-file");
    convert.raw = argument_flag(arguments, "raw");
    bool half = argument_flag(arguments, "float16"), bytes = argument_flag(arguments, "int8");
    if (half && bytes)
        return run_use_error(run, "--float16 and --int8 exclude each other");
    convert.precision = half ? PSDVEC_FLOAT16 : bytes ? PSDVEC_INT8 : PSDVEC_FLOAT32;
    int code = run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_convert(run->ctx, &convert, arguments->operands[0], output);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    summary_written(run, output);
    return EXIT_FINE;
}

const struct command cmd_convert = {.name = "convert",
                                    .group = "Vectors",
                                    .brief = true,
                                    .summary = "vectors from one format into another",
                                    .synopsis = "FILE OUTPUT [OPTION]...",
                                    .description = description,
                                    .tables = {options, common_options},
                                    .examples = examples,
                                    .notes = notes,
                                    .least_operands = 1,
                                    .most_operands = 2,
                                    .missing = "say which vectors to convert",
                                    .output_example = "model.safetensors",
                                    .output_operand = true,
                                    .completes = COMPLETES_FILES,
                                    .act = act};
