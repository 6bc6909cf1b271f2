/* Hidden: compares the defaults that the help shows with the library's. The
 * help is written by hand from the public header; this keeps it honest. */
#include "cmd_count.h"
#include "commands.h"
#include "exit_status.h"
#include "run.h"

static void compare(struct run *run, const char *name, double shown, double used, int *code)
{
    if (shown == used)
        return;
    run_error(run, EXIT_DEFECT, "--%s is shown with the default %g, the library has %g", name,
              shown, used);
    *code = EXIT_DEFECT;
}

static int act(struct run *run)
{
    struct arguments arguments;
    char *error, *none[] = {"-", NULL};
    psdvec_count_options shown, used;
    int code = EXIT_FINE;
    arguments_parse(&arguments, &cmd_count, 1, none, &error);
    count_options_read(&arguments, true, &shown);
    arguments_free(&arguments);
    psdvec_count_options_default(&used);
#define COMPARE(name, field) compare(run, name, (double)shown.field, (double)used.field, &code)
    COMPARE("window", window);
    COMPARE("distance", distance);
    COMPARE("oov", oov);
    COMPARE("subsample", subsample);
    COMPARE("min-count", min_count);
    COMPARE("max-vocab", max_vocab);
    COMPARE("tokenizer", text.tokenizer);
    COMPARE("case", text.letter_case);
    COMPARE("accents", text.accents);
    COMPARE("digits", text.digits);
    COMPARE("apostrophes", text.apostrophes);
    COMPARE("hyphens", text.hyphens);
    COMPARE("min-length", text.min_length);
    COMPARE("max-length", text.max_length);
    COMPARE("document", text.document);
    COMPARE("sentences", text.sentences);
    COMPARE("min-document-words", text.min_document_words);
    COMPARE("strict", text.strict);
#undef COMPARE
    return code;
}

const struct command cmd_check_defaults = {
    .name = "check-defaults",
    .summary = "compare the defaults shown in the help with the library's",
    .synopsis = "",
    .tables = {common_options},
    .act = act};
