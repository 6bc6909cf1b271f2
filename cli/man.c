/* Manual pages with the man(7) macros, which all versions of troff and mandoc read.
 *
 * The date is that of SOURCE_DATE_EPOCH; without it, pages have no date, so that builds are
 * reproducible. */
#include "help.h"

#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "system.h"

#include <psdvec/psdvec.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Escapes text for use within a line of roff. */
static void roff(struct buffer *to, const char *text)
{
    static const char from[] = "\\-'^~\"";
    static const char *const into[] = {"\\e", "\\-", "\\(aq", "\\(ha", "\\(ti", "\\(dq"};
    for (; *text; text++) {
        const char *special = strchr(from, *text);
        if (special)
            buffer_text(to, into[special - from]);
        else
            buffer_char(to, *text);
    }
}

/* A paragraph on separate lines, wrapped so that the source is readable. A line that would start
 * with a control character is escaped. */
static void roff_lines(struct buffer *to, const char *text)
{
    struct buffer safe = {0}, lines = {0};
    roff(&safe, text);
    wrap(&lines, buffer_get(&safe), 0, 0, 75);
    for (const char *line = lines.text; *line; line = strchr(line, '\n') + 1)
        buffer_format(to, "%s%.*s\n", *line == '.' ? "\\&" : "", (int)strcspn(line, "\n"), line);
    buffer_free(&safe);
    buffer_free(&lines);
}

/* Turns a phrase of the help into a sentence. */
static void roff_sentence(struct buffer *to, const char *help)
{
    roff_lines(to, phrase("%c%s.", toupper((unsigned char)*help), help + 1));
}

static void head(struct buffer *to, const char *page)
{
    const char *epoch = system_variable("SOURCE_DATE_EPOCH");
    char *end = NULL, date[32] = "\"\"";
    unsigned long long seconds = epoch ? strtoull(epoch, &end, 10) : 0;
    if (epoch && *epoch && !*end) {
        time_t when = (time_t)seconds;
        struct tm parts;
        gmtime_r(&when, &parts);
        strftime(date, sizeof date, "%Y-%m-%d", &parts);
    }
    buffer_text(to, ".TH ");
    for (const char *c = page; *c; c++)
        buffer_char(to, (char)toupper((unsigned char)*c));
    buffer_format(to, " 1 %s \"psdvec %s\" \"psdvec manual\"\n", date, PSDVEC_VERSION);
}

static void exit_section(struct buffer *to)
{
    buffer_text(to, ".SH EXIT STATUS\n");
    for (const struct exit_line *line = exit_lines; line->status; line++) {
        buffer_format(to, ".TP\n.B %s\n", line->status);
        roff_lines(to, line->meaning);
    }
}

static void examples_section(struct buffer *to, const struct example *example)
{
    if (!example)
        return;
    buffer_text(to, ".SH EXAMPLES\n");
    for (bool first = true; example->line; example++, first = false) {
        if (!first)
            buffer_text(to, ".PP\n");
        roff_lines(to, example->meaning);
        buffer_text(to, ".PP\n.RS 4\n.nf\n");
        struct buffer lines = {0};
        wrap_command(&lines, example->line, 0, 70);
        roff(to, lines.text);
        buffer_free(&lines);
        buffer_text(to, ".fi\n.RE\n");
    }
}

static void paragraphs(struct buffer *to, const char *const *paragraph)
{
    for (bool first = true; paragraph && *paragraph; paragraph++, first = false) {
        if (!first)
            buffer_text(to, ".PP\n");
        roff_lines(to, *paragraph);
    }
}

static void one_option(struct buffer *to, const struct command *command,
                       const struct option_spec *option)
{
    const char *value = option_argument(option), *otherwise = option_default(command, option);
    buffer_text(to, ".TP\n\\fB");
    if (option->row.letter)
        buffer_format(to, "\\-%c\\fR, \\fB", option->row.letter);
    buffer_text(to, "\\-\\-");
    roff(to, option->name);
    buffer_text(to, "\\fR");
    if (value) {
        buffer_text(to, option->row.argument ? " \\fI" : " \\fB");
        roff(to, value);
        buffer_text(to, "\\fR");
    }
    buffer_char(to, '\n');
    roff_sentence(to, option->row.help);
    if (option->row.type == PSDVEC_OPTION_TEXTS)
        roff_sentence(to, "may be repeated");
    if (option->row.type >= PSDVEC_OPTION_INT && option->row.type <= PSDVEC_OPTION_UINT64 &&
        option->row.most > option->row.least && isfinite(option->row.most))
        roff_sentence(to, phrase("from %.17g to %.17g", option->row.least, option->row.most));
    if (otherwise)
        roff_sentence(to, phrase("default: %s", otherwise));
}

static void see_also(struct buffer *to, const struct command *without)
{
    buffer_text(to, ".SH SEE ALSO\n");
    if (without)
        buffer_text(to, ".BR psdvec (1)");
    bool first = !without;
    for (size_t k = 0; commands[k]; k++) {
        if (!commands[k]->group || (without && commands[k] == without))
            continue;
        buffer_text(to, first ? ".BR " : ",\n.BR ");
        roff(to, command_page(commands[k]));
        buffer_text(to, " (1)");
        first = false;
    }
    buffer_char(to, '\n');
}

void man_command(struct buffer *to, const struct command *command)
{
    const char *page = command_page(command);
    head(to, page);
    buffer_text(to, ".SH NAME\n");
    roff(to, page);
    buffer_text(to, " \\- ");
    roff(to, command->summary);
    buffer_format(to, "\n.SH SYNOPSIS\n.B psdvec %s\n", command->name);
    roff_lines(to, command->synopsis);
    buffer_text(to, ".SH DESCRIPTION\n");
    paragraphs(to, command->description);
    buffer_text(to, ".SH OPTIONS\n");
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        if (option->row.group)
            buffer_format(to, ".SS %s\n", option->row.group);
        one_option(to, command, option);
    }
    exit_section(to);
    examples_section(to, command->examples);
    if (command->notes) {
        buffer_text(to, ".SH NOTES\n");
        paragraphs(to, command->notes);
    }
    see_also(to, command);
}

void man_main(struct buffer *to)
{
    head(to, "psdvec");
    buffer_text(to, ".SH NAME\npsdvec \\- " HELP_SUMMARY "\n"
                    ".SH SYNOPSIS\n"
                    ".B psdvec\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
                    ".br\n.B psdvec \\-\\-help\n.br\n.B psdvec \\-\\-version\n"
                    ".SH DESCRIPTION\n");
    roff_lines(to, "psdvec counts word pairs in text and trains word vectors from the counts. "
                   "Results go to standard output or to the file given with --output. Messages "
                   "and progress go to standard error; progress is shown only on a terminal.");
    buffer_text(to, ".SH COMMANDS\n");
    const char *group = "";
    for (size_t k = 0; commands[k]; k++) {
        if (!commands[k]->group)
            continue;
        if (strcmp(group, commands[k]->group) != 0) {
            group = commands[k]->group;
            buffer_format(to, ".SS %s\n", group);
        }
        buffer_format(to, ".TP\n.B %s\n", commands[k]->name);
        roff_sentence(to, commands[k]->summary);
    }
    buffer_text(to, ".SH OPTIONS\nAll commands accept these options.\n");
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(&cmd_help, k)); k++)
        one_option(to, NULL, option);
    exit_section(to);
    buffer_text(to, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n");
    roff_lines(to, "If set and not empty, output has no colour, unless --color always is given.");
    buffer_text(to, ".TP\n.B TERM\n");
    roff_lines(to, "If it is dumb, there is no colour and no progress line.");
    buffer_text(to, ".TP\n.B COLUMNS\n");
    roff_lines(to, "The width of the help if the width of the terminal is unknown.");
    buffer_text(to, ".TP\n.B PSDVEC_SANDBOX\n");
    roff_lines(to, "If it is off, the program does not restrict itself. Otherwise, where Linux "
                   "supports it, it can write files only in the folders of its outputs, and can "
                   "neither start programs nor use the network.");
    buffer_text(to, ".SH SIGNALS\n");
    roff_lines(
        to,
        "On SIGINT (Ctrl-C), SIGTERM or SIGHUP, the program stops, removes its "
        "temporary files and leaves existing results unchanged. A second SIGINT or "
        "SIGTERM ends the program at once. If the reader of standard output exits, the program ends "
        "silently with status 0.");
    examples_section(to, main_examples);
    see_also(to, NULL);
}
