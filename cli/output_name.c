/* The commands that make models and counts write safetensors regardless of the file name, because
 * other formats cannot hold what extend, score and others need. A name such as x.vec would make
 * other programs fail on the file, long after the training; so it is rejected before any work, and
 * the message shows the two commands to use instead. Unknown file name extensions are accepted. */
#include "output_name.h"

#include "phrase.h"

#include <string.h>

/* Extensions of compressed files, and the programs that make them. */
static const struct {
    const char *suffix, *program;
} packed[] = {{".gz", "gzip"},  {".bz2", "bzip2"}, {".xz", "xz"},
              {".zst", "zstd"}, {".lz4", "lz4"},   {".zip", "zip"}};

/* Extensions of formats that psdvec does not write. */
static const char *const others[] = {".csv", ".tsv",  ".json", ".jsonl",   ".npz", ".pkl", ".pt",
                                     ".h5",  ".hdf5", ".kv",   ".parquet", ".mtx", NULL};

static bool ends_with(const char *text, size_t length, const char *suffix)
{
    size_t end = strlen(suffix);
    return length > end && !strncmp(text + length - end, suffix, end);
}

/* The length without the file name extension. */
static size_t stem(const char *path, size_t length)
{
    size_t at = length;
    while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/')
        at--;
    return at > 1 && path[at - 1] == '.' && path[at - 2] != '/' ? at - 1 : length;
}

static const char *model_error(const char *path, size_t length, const char *program)
{
    const char *plain = phrase("%.*s", (int)length, path); /* without .gz */
    psdvec_vectors_format format;
    bool foreign = psdvec_vectors_format_of(plain, &format) && format != PSDVEC_VECTORS_MODEL;
    const char *name = format == PSDVEC_VECTORS_GLOVE && ends_with(path, length, ".glove.txt")
                           ? phrase("%.*s", (int)(length - strlen(".glove.txt")), path)
                           : phrase("%.*s", (int)stem(path, length), path);
    if (foreign)
        return phrase("write -o %s.safetensors, and then run: psdvec convert %s.safetensors %s%s",
                      name, name, plain, program ? phrase(" && %s %s", program, plain) : "");
    return phrase("write -o %s.safetensors; psdvec convert converts it to other formats: .vec, "
                  ".txt, .glove.txt, .bin and .npy",
                  name);
}

static const char *counts_error(const char *path, size_t length)
{
    return phrase(
        "write -o %.*s.counts.safetensors; psdvec counts export converts it to other formats",
        (int)stem(path, length), path);
}

const char *output_name_error(const struct command *command, const char *path)
{
    static const char *const written[] = {
        [OUTPUT_MODEL] = "a model", [OUTPUT_COUNTS] = "a counts file"};
    size_t length = path ? strlen(path) : 0;
    const char *program = NULL;
    psdvec_vectors_format format;
    if (command->output_kind == OUTPUT_OTHER || !path)
        return NULL;
    for (size_t k = 0; k < sizeof packed / sizeof *packed && !program; k++)
        if (ends_with(path, length, packed[k].suffix)) {
            program = packed[k].program;
            length -= strlen(packed[k].suffix);
        }
    bool other = psdvec_vectors_format_of(path, &format) && format != PSDVEC_VECTORS_MODEL;
    for (const char *const *suffix = others; *suffix; suffix++)
        other |= ends_with(path, length, *suffix);
    if (!program && !other)
        return NULL;
    return phrase("the result is %s in safetensors format, which does not match the name %s; %s",
                  written[command->output_kind], path,
                  command->output_kind == OUTPUT_MODEL ? model_error(path, length, program)
                                                       : counts_error(path, length));
}
