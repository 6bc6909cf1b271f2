/* The table comes from the declarations of the options, so that it cannot differ from what a run
 * does; the reasons are sentences. */
#include "preset_explanation.h"

#include "exit_status.h"
#include "help.h"
#include "wrap.h"

#include <string.h>

static void add_row(struct buffer *to, const struct palette *palette, const char *name,
                    const char *first, const char *second, const char *why)
{
    buffer_format(to, "  %s%-14s%s %-11s %-9s ", palette->bold, name, palette->plain, first,
                  second);
    size_t used = 39, width = help_width();
    wrap(to, why, used, used, width);
}

int preset_explanation_print(struct run *run)
{
    const struct command *command = run->arguments->command;
    const struct option_spec *option;
    struct buffer text = {0};
    psdvec_train_options paper;
    psdvec_train_options_preset(&paper, PSDVEC_PRESET_PAPER, NULL);
    buffer_format(&text, "  %-14s %-11s %-9s\n", "", "default", "paper");
    /* What is counted comes before what is solved. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; (option = command_option(command, k)); k++) {
            if (!option->row.why || (option->kind == PSDVEC_OPTIONS_COUNT) != (pass == 0))
                continue;
            const char *first = option_fallback(command, option, PSDVEC_PRESET_DEFAULT);
            const char *second = option_fallback(command, option, PSDVEC_PRESET_PAPER);
            bool used = pass == 0 || psdvec_options_hold(option->kind, &paper, option->row.needs);
            add_row(&text, &run->palette, option->name, first ? first : "-",
                    used && second ? second : "-", option->row.why);
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
