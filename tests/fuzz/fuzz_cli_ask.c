/* Fuzzes the lines of psdvec ask, which cover the query language of similar, analogy, compare,
 * odd-one-out and vector: splitting, quotation marks, sums, options and settings.
 *
 * The input is standard input; no line may end the session but quit and exit. The same bytes are
 * then the queries of psdvec similar --from, and are completed as if typed. */
#include "ask.h"
#include "commands.h"
#include "exit_status.h"
#include "fuzz/small_model.h"
#include "memory.h"
#include "run.h"
#include "vocabulary.h"

#include <sys/mman.h>

static fuzz_file model, lines;

static int run(const struct command *command, char **argv)
{
    struct arguments arguments;
    const char *error;
    int argc = 0;
    while (argv[argc])
        argc++;
    require(arguments_parse(&arguments, command, argc, argv, &error));
    int code = run_command(&arguments);
    arguments_free(&arguments);
    return code;
}

/* Completes the line at some places. */
static void complete(const psdvec_model *opened, const uint8_t *data, size_t size)
{
    struct vocabulary vocabulary = {.model = opened};
    for (size_t part = 1; part <= 3; part++) {
        char *before = fuzz_text(data, size * part / 3);
        struct offers offers = {0};
        ask_complete(&vocabulary, before, &offers);
        offers_free(&offers);
        free(before);
    }
    vocabulary_free(&vocabulary);
    lasting_end(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static psdvec_model *opened;
    static int typed; /* standard input, for the C library */
    char *ask[] = {model.path, "--threads=1", "--memory=64M", NULL};
    char *similar[] = {model.path, "--from", lines.path, "--json", "--threads=1", NULL};
    if (!ctx) {
        char bytes[1 << 14];
        ctx = fuzz_context(64);
        fuzz_file_set(&model, bytes,
                      small_model(ctx, SMALL_FULL, PSDVEC_FLOAT32, bytes, sizeof bytes));
        require(psdvec_model_open(ctx, model.path, &opened) == PSDVEC_OK);
        typed = memfd_create("fuzz", MFD_CLOEXEC);
        require(typed >= 0 && dup2(typed, STDIN_FILENO) == STDIN_FILENO);
        /* Each command would add its restrictions to those of the commands before it. */
        require(setenv("PSDVEC_SANDBOX", "off", 1) == 0);
    }
    fuzz_file_set(&lines, data, size);
    require(pwrite(typed, data, size, 0) == (ssize_t)size && ftruncate(typed, (off_t)size) == 0);
    require(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    rewind(stdin);
    require(run(&cmd_ask, ask) == EXIT_FINE);
    int code = run(&cmd_similar, similar);
    require(code == EXIT_FINE || code == EXIT_USE);
    complete(opened, data, size);
    return 0;
}
