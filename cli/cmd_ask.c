/* psdvec ask: a session of queries to one model.
 *
 * A line is parsed as the arguments of a command, whose function answers it; during that,
 * `run->arguments` has the arguments of the query. The model stays open between the lines
 * (word_files.h). */
#include "ask.h"
#include "commands.h"
#include "exit_status.h"
#include "help.h"
#include "phrase.h"
#include "question.h"
#include "system.h"
#include "vocabulary.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "psdvec> "

enum { LINE_MOST = 1 << 20 }; /* bytes */

struct session {
    struct run *run;
    const struct arguments *own; /* those of psdvec ask */
    char **set;                  /* value of each option of psdvec ask; NULL: the default */
    struct line_editor *editor;  /* NULL: lines are read without editing */
    bool typed;                  /* the lines are typed at a terminal */
    bool prompts;
    bool answered; /* an answer was printed; in output for people, a blank line separates answers */
    bool over;
};

static void add_word(struct ask_words *words, const char *text, size_t length)
{
    words->list = must_grow(words->list, words->count + 1, sizeof *words->list);
    words->list[words->count++] = lasting(must_format("%.*s", (int)length, text), free);
}

struct ask_words ask_split(const char *line, bool colons)
{
    static const char blanks[] = ASK_BLANKS;
    struct ask_words words = {0};
    for (const char *at = line + strspn(line, blanks); *at; at += strspn(at, blanks)) {
        const char *end = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
        if (end && (!end[1] || strchr(blanks, end[1]) || (colons && end[1] == ':'))) {
            add_word(&words, at + 1, (size_t)(end - at - 1));
            at = end + 1;
            continue;
        }
        size_t length = colons && *at == ':' ? strspn(at, ":") : strcspn(at, blanks);
        if (colons && *at != ':' && strcspn(at, ":") < length)
            length = strcspn(at, ":");
        add_word(&words, at, length);
        at += length;
    }
    return words;
}

static bool is(const struct ask_words *words, size_t k, const char *text)
{
    return k < words->count && !strcmp(words->list[k], text);
}

/* Whether the line is A : B :: C, possibly followed by options. */
static bool is_analogy(const struct ask_words *words)
{
    if (words->count < 5 || !is(words, 1, ":") || !is(words, 3, "::"))
        return false;
    return words->count == 5 || words->list[5][0] == '-';
}

/* ---- Settings -------------------------------------------------------------------------------- */

bool ask_is_common(const struct option_spec *option)
{
    for (const psdvec_option *row = common_options; row->name; row++)
        if (!option->library && !strcmp(row->name, option->name))
            return strcmp(row->name, "help") != 0;
    return option->library && option->kind == PSDVEC_OPTIONS_CONTEXT;
}

bool ask_is_setting(const struct option_spec *option)
{
    return !ask_is_common(option) && strcmp(option->name, "help") != 0;
}

static void take_settings(struct session *session)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(session->own->command, k)); k++)
        if (ask_is_setting(option) && session->own->values[k].given)
            session->set[k] = must_copy(session->own->values[k].text);
}

/* The setting as an argument, "--top=20"; NULL if it is the default. */
static const char *setting_argument(const struct session *session, size_t k)
{
    const struct option_spec *option = command_option(session->own->command, k);
    if (!session->set[k])
        return NULL;
    if (!option_is_switch(option))
        return phrase("--%s=%s", option->name, session->set[k]);
    return strcmp(session->set[k], "yes") == 0 ? phrase("--%s", option->name) : NULL;
}

static void show_settings(struct session *session)
{
    const struct command *command = session->own->command;
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        const char *value = session->set[k] ? session->set[k] : option_default(command, option);
        if (ask_is_setting(option))
            output_format(&session->run->out, "%-15s %s\n", option->name,
                          value                      ? value
                          : option_is_switch(option) ? "no"
                                                     : "default");
    }
}

static void unknown_setting(struct session *session, const char *name)
{
    const struct option_spec *option;
    const char *names = "";
    for (size_t k = 0; (option = command_option(session->own->command, k)); k++)
        if (ask_is_setting(option))
            names = phrase("%s%s%s", names, *names ? ", " : "", option->name);
    run_error(session->run, EXIT_USE, "there is no setting '%s'; the settings are: %s",
              phrase_safe(name, strlen(name)), names);
}

/* set NAME VALUE */
static void set(struct session *session, const struct ask_words *words)
{
    const struct option_spec *option;
    size_t k = 0;
    if (words->count == 1) {
        show_settings(session);
        return;
    }
    const char *name = words->list[1] + (strncmp(words->list[1], "--", 2) ? 0 : 2);
    while ((option = command_option(session->own->command, k)) &&
           (!ask_is_setting(option) || strcmp(option->name, name) != 0))
        k++;
    if (!option) {
        unknown_setting(session, name);
        return;
    }
    if (words->count != 3) {
        run_error(session->run, EXIT_USE, "write: set %s %s, or: set %s default", option->name,
                  option_is_switch(option) ? "yes|no" : option_argument(option), option->name);
        return;
    }
    const char *text = words->list[2];
    bool back = !strcmp(text, "default");
    char why[500];
    psdvec_option_value parsed;
    if (!back && option_is_switch(option) && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0) {
        run_error(session->run, EXIT_USE, "%s is yes or no, not '%s'", option->name,
                  phrase_safe(text, strlen(text)));
        return;
    }
    if (!back && !psdvec_option_parse(&option->row, option->name, text, &parsed, why, sizeof why)) {
        run_error(session->run, EXIT_USE, "%s", why);
        return;
    }
    free(session->set[k]);
    session->set[k] = back ? NULL : must_copy(text);
}

/* ---- Queries --------------------------------------------------------------------------------- */

const struct ask_query ask_queries[] = {{"similar", &cmd_similar},
                                        {"analogy", &cmd_analogy},
                                        {"compare", &cmd_compare},
                                        {"odd", &cmd_odd_one_out},
                                        {"odd-one-out", &cmd_odd_one_out},
                                        {"vector", &cmd_vector},
                                        {"info", &cmd_info},
                                        {"set", NULL},
                                        {"help", NULL},
                                        {"quit", NULL},
                                        {"exit", NULL},
                                        {0}};

/* Finds options that are not allowed in a line. */
static const char *misplaced(const struct arguments *arguments)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        if (value->given && ask_is_common(option))
            return phrase("--%s applies to the whole session; give it when you start psdvec ask",
                          option->name);
        if (value->given && option->row.path && value->text && !strcmp(value->text, "-"))
            return phrase("--%s cannot read standard input, where the lines come from",
                          option->name);
    }
    return NULL;
}

/* Combines the model, the settings that the line does not override, and the words of the line. */
static bool parse(struct session *session, const struct command *command,
                  const struct ask_words *words, size_t first, struct arguments *arguments,
                  const char **error)
{
    size_t options = command_option_count(session->own->command), count = 0;
    char **list = lasting_alloc(1 + options + words->count, sizeof *list);
    list[count++] = (char *)session->own->operands[0];
    memcpy(list + count, words->list + first, (words->count - first) * sizeof *list);
    if (!arguments_parse(arguments, command, (int)(count + words->count - first), list, error))
        return false;
    for (size_t k = 0; k < options && !arguments->help; k++) {
        const char *name = command_option(session->own->command, k)->name;
        const char *text = setting_argument(session, k);
        if (text && arguments_have(arguments, name) && !argument(arguments, name)->given)
            list[count++] = (char *)text;
    }
    memcpy(list + count, words->list + first, (words->count - first) * sizeof *list);
    arguments_free(arguments);
    return arguments_parse(arguments, command, (int)(count + words->count - first), list, error);
}

static void answer(struct session *session, const struct command *command,
                   const struct ask_words *words, size_t first)
{
    struct run *run = session->run;
    struct arguments arguments;
    const char *error;
    size_t settings = run->settings_count;
    enum format format = run->format;
    if (!parse(session, command, words, first, &arguments, &error) ||
        (!arguments.help && (error = misplaced(&arguments)))) {
        bool short_of = first && error == command->missing;
        run_error(
            run, EXIT_USE, "%s",
            short_of ? phrase("'%s' needs more words; help lists what can be asked", words->list[0])
                     : error);
    } else if (arguments.help) {
        struct buffer screen = {0};
        help_command(&screen, command, help_width());
        output_add(&run->out, buffer_get(&screen), screen.length);
        buffer_free(&screen);
    } else {
        for (size_t k = 0; k < command_option_count(command); k++)
            if (option_is_format(command_option(command, k)))
                run->format = (enum format)arguments.values[k].integer;
        bool people = run->format == FORMAT_TABLE || run->format == FORMAT_MARKDOWN;
        if (session->answered && people && !session->prompts)
            output_text(&run->out, "\n");
        run->arguments = &arguments;
        session->answered = command->act(run) == EXIT_FINE && people;
        run->arguments = session->own;
        run->format = format;
    }
    while (run->settings_count > settings)
        psdvec_settings_free(run->settings[--run->settings_count]);
    arguments_free(&arguments);
}

static const char session_help[] =
    "WORD                  its nearest neighbours; several words: those of each\nking - man + "
    "woman    neighbours of a sum of words\nman : king :: woman   man is to king as woman is to "
    "what?\ncompare A B           how similar two words are, and why\nodd A B C...          the "
    "word that does not fit the others\nvector WORD...        the vectors of "
    "words\ninfo                  what the model contains\nset NAME VALUE        change a "
    "setting, as in: set top 20; set alone lists them\nhelp, quit            show this text; end "
    "the session\n\nOptions may follow, as on the command line: music --top 3. Quotation marks "
    "hold\nwords together: \"New York\". For a word that is a command, write: similar help.\n";

static const char editor_help[] =
    "\n"
    "Tab completes commands, words of the model, options and file names. The up arrow\n"
    "brings back earlier lines, Ctrl-R searches them.\n";

/* Handles one line. An error has been reported and does not end the session. */
static void obey(struct session *session, const char *line)
{
    struct ask_words words = ask_split(line, strstr(line, "::") != NULL);
    if (is_analogy(&words)) {
        words.list[1] = words.list[2];
        words.list[2] = words.list[4];
        memmove(words.list + 3, words.list + 5, (words.count - 5) * sizeof *words.list);
        words.count -= 2;
        answer(session, &cmd_analogy, &words, 0);
        free(words.list);
        return;
    }
    free(words.list);
    words = ask_split(line, false);
    const struct command *command = &cmd_similar;
    bool sum = is(&words, 1, "+") || is(&words, 1, "-"), colon = false;
    size_t first = 0;
    for (size_t k = 0; k < words.count; k++)
        colon |= is(&words, k, ":") || is(&words, k, "::");
    for (const struct ask_query *query = ask_queries; query->word && !sum && !first; query++)
        if (query->command && is(&words, 0, query->word)) {
            command = query->command;
            first = 1;
        }
    if (words.count == 0)
        ;
    else if (words.count == 1 && (is(&words, 0, "quit") || is(&words, 0, "exit")))
        session->over = true;
    else if (words.count == 1 && is(&words, 0, "help"))
        output_format(&session->run->out, "%s%s", session_help, session->editor ? editor_help : "");
    else if (is(&words, 0, "set") && !sum)
        set(session, &words);
    else if (colon && !first)
        run_error(session->run, EXIT_USE,
                  "an analogy is written with three words: man : king :: woman");
    else if (first && words.count == 1 && command != &cmd_info)
        run_error(session->run, EXIT_USE,
                  "'%s' needs words; to ask about the word itself, write: similar %s",
                  words.list[0], words.list[0]);
    else
        answer(session, command, &words, first);
    free(words.list);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* At a terminal, Ctrl-C interrupts the current query, not the session. Returns true if that was the
 * case. */
static bool resume(const struct session *session)
{
    if (!session->typed || signals_caught() != SIGINT)
        return false;
    signals_clear();
    if (session->run->out.error == EINTR)
        session->run->out.error = 0;
    return true;
}

/* Like getline(), from the editor. */
static ssize_t edited_line(struct session *session, char **line, size_t *capacity)
{
    const char *typed = line_editor_read(session->editor);
    if (!typed)
        return -1;
    size_t length = strlen(typed);
    if (length >= *capacity) {
        *capacity = length + 1;
        *line = must_grow(*line, *capacity, 1);
    }
    memcpy(*line, typed, length + 1);
    return (ssize_t)length;
}

/* Like getline() for standard input, but a line longer than LINE_MOST is an error, EFBIG. */
static ssize_t piped_line(char **line, size_t *capacity)
{
    size_t length = 0;
    int c = 0;
    while (c != '\n' && (c = getc(stdin)) != EOF) {
        if (length == LINE_MOST) {
            errno = EFBIG;
            return -1;
        }
        if (length + 2 > *capacity) {
            *capacity = 2 * *capacity + 128;
            *line = must_grow(*line, *capacity, 1);
        }
        (*line)[length++] = (char)c;
    }
    if (length == 0 || ferror(stdin))
        return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}

/* Returns false at the end of the input, or after an error, with errno set. */
static bool read_line(struct session *session, char **line, size_t *capacity, size_t *length)
{
    struct output *out = &session->run->out;
    for (;;) {
        if (session->prompts && !session->editor)
            output_text(out, PROMPT);
        output_flush(out);
        errno = 0;
        ssize_t got = -1;
        if (output_broken(out))
            ; /* the reader of the answers has gone */
        else if (session->editor)
            got = edited_line(session, line, capacity);
        else if (!session->typed || signals_wait(STDIN_FILENO))
            got = piped_line(line, capacity);
        int error = errno;
        *length = got < 0 ? 0 : (size_t)got;
        if (got >= 0)
            return true;
        if (session->prompts)
            output_text(out, "\n"); /* after the prompt */
        errno = error;
        if (error != EINTR || !resume(session))
            return false;
        clearerr(stdin);
    }
}

static int converse(struct session *session)
{
    struct run *run = session->run;
    const char *who = run->talk.who;
    char *line = NULL;
    size_t capacity = 0, length, number = 0;
    while (!session->over && read_line(session, &line, &capacity, &length)) {
        size_t mark = lasting_count();
        number++;
        if (!session->typed)
            run->talk.who = phrase("%s: line %zu", who, number);
        if (strlen(line) < length)
            run_error(run, EXIT_USE, "the line contains a zero byte");
        else
            obey(session, line);
        talk_erase(&run->talk);
        run->talk.who = who;
        lasting_end(mark);
        if (signals_caught() && !resume(session))
            session->over = true;
    }
    int error = errno;
    free(line);
    if (signals_caught())
        return exit_for(PSDVEC_ERR_CANCELLED);
    if (!session->over && error == EFBIG)
        return run_error(run, EXIT_INPUT, "line %zu of standard input is longer than %d bytes",
                         number + 1, LINE_MOST);
    if (!session->over && (session->editor || !feof(stdin)) && error)
        return run_error(run, EXIT_INPUT, "cannot read standard input: %s", system_error(error));
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const char *path = run->arguments->operands[0];
    struct session session = {.run = run,
                              .own = run->arguments,
                              .typed = isatty(STDIN_FILENO) != 0,
                              .prompts = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
                                         !argument_text(run->arguments, "output")};
    psdvec_model *model;
    int code = model_file_open(run, path, &model);
    if (code)
        return code;
    const struct open_file open = {.name = path, .model = model};
    run->open = &open; /* cppcheck-suppress autoVariables ; until the end of this function */
    run->open_count = 1;
    size_t options = command_option_count(run->arguments->command);
    session.set = must_alloc(options, sizeof *session.set);
    take_settings(&session);
    if (session.prompts && !run->talk.quiet)
        output_format(&run->out, "%s: %s. Type a word, help or quit.\n",
                      phrase_safe(path, strlen(path)),
                      phrase_counted(psdvec_model_get_info(model)->words, "word"));
    struct vocabulary vocabulary = {.model = model};
    if (session.prompts)
        session.editor = line_editor_open(PROMPT, ask_complete, &vocabulary);
    code = converse(&session);
    line_editor_close(session.editor);
    vocabulary_free(&vocabulary);
    for (size_t k = 0; k < options; k++)
        free(session.set[k]);
    free(session.set);
    run->open = NULL;
    run->open_count = 0;
    return code;
}

const struct command cmd_ask = {
    .name = "ask",
    .group = "Queries",
    .summary = "answer queries line by line in a session",
    .synopsis = "MODEL [OPTION]...",
    .description = PARAGRAPHS(
        "Opens MODEL once and answers queries from standard input, one per line, until quit or the "
        "end of the input. The lines may be typed or come from a file or a program.",
        "A word, several words, or a sum such as king - man + woman lists nearest neighbours, as "
        "psdvec similar does. man : king :: woman asks an analogy. compare A B, odd A B C..., "
        "vector WORD... and info are the commands of these names (odd: odd-one-out) without "
        "MODEL, and similar and analogy may be written too. Options of these commands may follow: "
        "music --top 3. Quotation marks hold words together: \"New York\". To ask about a word that "
        "is itself a command, write similar before it: similar help.",
        "set NAME VALUE sets an option for the lines that follow, as in set top 20 or set format "
        "json, and set NAME default restores the default; set alone lists the settings. Options "
        "of psdvec ask are the settings at the start. help lists what can be asked.",
        "An error in a line is reported, with the number of the line if the lines are not typed, "
        "and the session continues; the exit status at the end is 0. While lines are typed, Ctrl-C "
        "stops the query or discards the line; otherwise it ends the program.",
        "At a terminal, lines can be edited if psdvec was built with libedit: Tab completes "
        "commands, words of the model (the most frequent first), options and file names, the up "
        "arrow brings back earlier lines, and Ctrl-R searches them. The last 1,000 lines are kept "
        "in psdvec/history in the folder $XDG_STATE_HOME, by default ~/.local/state. Keys can be "
        "bound in ~/.editrc."),
    .sources = {OWN_OPTIONS(top_options), OWN_OPTIONS(spelling_options), QUERY_OPTIONS,
                FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec ask model.safetensors", "A session in the terminal."},
        {"printf 'music\\nman : king :: woman\\n' | psdvec ask model.safetensors --top 3",
         "Two queries from a program."},
        {"psdvec ask model.safetensors --json <words.txt", "A query per line of a file, as JSON."}),
    .operands = {1, 1},
    .missing = "give a model",
    .stores_lines = true,
    .act = act};
