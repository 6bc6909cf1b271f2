/* The table comes from the declarations of the options, so that it cannot differ from what a run
 * does; the reasons are sentences. */
#include "preset_story.h"

#include "exit_status.h"
#include "help.h"
#include "train_options.h"
#include "wrap.h"

#include <string.h>

static const struct {
    const char *option, *why;
    bool default_only; /* the paper's targets and weights do not have it */
} reasons[] = {
    {.option = "window",
     .why = "how far pairs reach, and what they count by their distance: far words tell the "
            "topic, near ones the kind of word"},
    {.option = "distance", .why = "1/d lets near words matter most"},
    {.option = "subsample", .why = "frequent words take less room in the window"},
    {.option = "oov", .why = "unknown words are taken out before windows are laid"},
    {.option = "min-count", .why = "the paper had 2,040 million words to choose from"},
    {.option = "dim", .why = "numbers in a vector"},
    {.option = "form",
     .why = "negative eigenvalues say which words avoid each other because they fill the same "
            "place"},
    {.option = "core",
     .why = "all words are solved for together; the paper's way was a core, and regression"},
    {.option = "target",
     .why = "mutual information of both directions, or from smoothed probabilities"},
    {.option = "context-power", .why = "rare contexts count a little less", .default_only = true},
    {.option = "weights",
     .why = "a product of the words' own factors, times how sure the pair is, or the root of "
            "its count"},
    {.option = "factor-power", .why = "how much more frequent words weigh", .default_only = true},
    {.option = "rho", .why = "all pairs, seen or not, are pulled a little towards being rare"},
    {.option = "iterations", .why = "the objective falls for ever, the vectors do not get better"},
    {.option = "relaxation", .why = "longer steps, fewer iterations"},
    {.option = "start", .why = "X(0) of Algorithm 1"},
    {.option = "rank-extra", .why = "ranks kept before the last iteration"},
    {.option = "mu", .why = "priors of the words behind the core"},
    {.option = "centre", .why = "read-out: what all vectors share says nothing of a word"},
    {.option = "order",
     .why = "read-out, an addition: what stands before a word and what behind it"},
    {.option = "spelling",
     .why = "read-out, an addition: the prior of a vector has a mean, from its letters"},
};

static const struct option_spec *find_option(const struct command *command, const char *name)
{
    for (size_t k = 0; k < command_option_count(command); k++)
        if (!strcmp(command_option(command, k)->name, name))
            return command_option(command, k);
    return NULL;
}

static void add_row(struct buffer *to, const struct palette *palette, const char *name,
                    const char *first, const char *second, const char *why)
{
    buffer_format(to, "  %s%-14s%s %-11s %-9s ", palette->bold, name, palette->plain, first,
                  second);
    size_t used = 39, width = help_width();
    wrap(to, why, used, used, width);
}

int preset_story_print(struct run *run)
{
    const struct command *command = run->arguments->command;
    struct buffer text = {0};
    buffer_format(&text, "  %-14s %-11s %-9s\n", "", "default", "paper");
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
        const struct option_spec *option = find_option(command, reasons[k].option);
        const char *first = option_fallback(command, option, PSDVEC_PRESET_DEFAULT);
        const char *second = option_fallback(command, option, PSDVEC_PRESET_PAPER);
        add_row(&text, &run->palette, reasons[k].option, first ? first : "-",
                reasons[k].default_only || !second ? "-" : second, reasons[k].why);
    }
    buffer_text(&text, "\n");
    wrap(&text,
         "paper is the model of Li, Zhu and Miao (2015). default was chosen on seven test sets, by "
         "what gains on both halves of their questions; docs/quality.md has what each choice is "
         "worth, and docs/model.md the formulas.",
         0, 0, help_width());
    output_add(&run->out, buffer_get(&text), text.length);
    buffer_free(&text);
    return EXIT_FINE;
}
