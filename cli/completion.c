/* Completion scripts: commands, second words, options, choices, files.
 *
 * All three are plain tables written out from the declarations, so that they
 * never start psdvec to ask it something. */
#include "completion.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

static bool takes_files(const struct command *command)
{
    return command->operands.most > 0 && !command->no_files;
}

/* The n-th distinct first word of the visible commands; NULL at the end. The
 * word's length in *length. */
static const char *first_word(size_t n, size_t *length)
{
    for (size_t k = 0; commands[k]; k++) {
        const char *name = commands[k]->name;
        *length = strcspn(name, " ");
        bool again = !commands[k]->group;
        for (size_t j = 0; j < k && !again; j++)
            again = strcspn(commands[j]->name, " ") == *length &&
                    !strncmp(commands[j]->name, name, *length);
        if (!again && n-- == 0)
            return name;
    }
    return NULL;
}

/* What to say of a first word: the command's summary, or that of a family. */
static const char *first_summary(const char *word, size_t length)
{
    for (size_t k = 0; commands[k]; k++)
        if (commands[k]->name == word)
            return word[length] ? family_find(word, length)->summary : commands[k]->summary;
    return "";
}

static void add_first_words(struct buffer *to)
{
    const char *word;
    size_t length;
    for (size_t n = 0; (word = first_word(n, &length)); n++)
        buffer_format(to, "%s%.*s", n ? " " : "", (int)length, word);
}

static bool in_family(const struct command *command, const char *word, size_t length)
{
    return command->group && !strncmp(command->name, word, length) && command->name[length] == ' ';
}

/* The second words behind a first word; nothing if it has none. */
static void add_second_words(struct buffer *to, const char *word, size_t length)
{
    bool first = true;
    for (size_t k = 0; commands[k]; k++)
        if (in_family(commands[k], word, length)) {
            buffer_format(to, "%s%s", first ? "" : " ", commands[k]->name + length + 1);
            first = false;
        }
}

/* The words of a choice; false if it is none. */
static bool add_choices(struct buffer *to, const struct option_spec *option, const char *before,
                        const char *after)
{
    char *words = option_words(option);
    if (!words)
        return false;
    buffer_format(to, "%s%s%s", before, words, after);
    free(words);
    return true;
}

/* ---- bash ---------------------------------------------------------------- */

static void bash_patterns(struct buffer *to, const struct option_spec *option)
{
    buffer_format(to, "        --%s", option->name);
    if (option->row.letter)
        buffer_format(to, " | -%c", option->row.letter);
    buffer_text(to, ") ");
}

static void bash_command(struct buffer *to, const struct command *command)
{
    const struct option_spec *option;
    buffer_format(to, "    '%s')\n        case \"$prev\" in\n", command->name);
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        if (option_is_switch(option))
            continue;
        bash_patterns(to, option);
        if (add_choices(to, option, "mapfile -t COMPREPLY < <(compgen -W '",
                        "' -- \"$cur\"); return ;;\n")) {
            continue;
        }
        if (option->row.path == PSDVEC_PATH_FILE) {
            buffer_text(to, "_psdvec_files -f; return ;;\n");
        } else if (option->row.path == PSDVEC_PATH_FOLDER) {
            buffer_text(to, "_psdvec_files -d; return ;;\n");
        } else {
            buffer_text(to, "return ;;\n");
        }
    }
    buffer_text(to, "        esac\n        options='");
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        buffer_format(to, "%s--%s", k ? " " : "", option->name);
        if (option->row.letter)
            buffer_format(to, " -%c", option->row.letter);
    }
    buffer_format(to, "'\n        files=%s\n        ;;\n", takes_files(command) ? "yes" : "");
}

void completion_bash(struct buffer *to)
{
    buffer_text(to, "# bash completion for psdvec; written by psdvec internal-completion bash\n"
                    "\n"
                    "_psdvec_files() {\n"
                    "    compopt -o filenames 2>/dev/null\n"
                    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
                    "}\n"
                    "\n"
                    "_psdvec() {\n"
                    "    local cur prev first second command options='' files=''\n"
                    "    COMPREPLY=()\n"
                    "    cur=${COMP_WORDS[COMP_CWORD]}\n"
                    "    prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    # bash splits --color=auto at the equals sign.\n"
                    "    if [[ $cur == = ]]; then\n"
                    "        cur=''\n"
                    "    elif [[ $prev == = ]]; then\n"
                    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                    "    fi\n"
                    "    first=${COMP_WORDS[1]}\n"
                    "    second=${COMP_WORDS[2]}\n"
                    "    if ((COMP_CWORD == 1)); then\n"
                    "        mapfile -t COMPREPLY < <(compgen -W '");
    add_first_words(to);
    buffer_text(to, " --help --version' -- \"$cur\")\n"
                    "        return\n"
                    "    fi\n"
                    "    command=$first\n"
                    "    case \"$first\" in\n");
    const char *word;
    size_t length;
    for (size_t n = 0; (word = first_word(n, &length)); n++) {
        struct buffer seconds = {0};
        add_second_words(&seconds, word, length);
        if (!strncmp(word, "help", length))
            add_first_words(&seconds);
        if (seconds.length) {
            buffer_format(to, "    %.*s)\n", (int)length, word);
            buffer_format(to,
                          "        if ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then\n"
                          "            mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n"
                          "            return\n"
                          "        fi\n",
                          seconds.text);
            if (strncmp(word, "help", length) != 0)
                buffer_text(to, "        command=\"$first $second\"\n");
            buffer_text(to, "        ;;\n");
        }
        buffer_free(&seconds);
    }
    buffer_text(to, "    esac\n    case \"$command\" in\n");
    for (size_t k = 0; commands[k]; k++)
        if (commands[k]->group)
            bash_command(to, commands[k]);
    buffer_text(to, "    esac\n"
                    "    if [[ $cur == -* ]]; then\n"
                    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
                    "    elif [[ $files ]]; then\n"
                    "        _psdvec_files -f\n"
                    "    fi\n"
                    "}\n"
                    "\n"
                    "complete -F _psdvec psdvec\n");
}

/* ---- zsh ----------------------------------------------------------------- */

/* Help inside '...' and [...]: quotes, brackets, backslashes and colons. */
static void zsh_text(struct buffer *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            buffer_text(to, "'\\''");
        else if (strchr("[]:\\", *text))
            buffer_format(to, "\\%c", *text);
        else
            buffer_char(to, *text);
    }
}

static void zsh_option(struct buffer *to, const struct option_spec *option)
{
    bool flag = option_is_switch(option);
    const char *repeat = option->row.type == PSDVEC_OPTION_TEXTS ? "*" : "";
    buffer_text(to, "            ");
    if (option->row.letter)
        buffer_format(to, "'(-%c --%s)'{-%c%s,--%s%s}'", option->row.letter, option->name,
                      option->row.letter, flag ? "" : "+", option->name, flag ? "" : "=");
    else
        buffer_format(to, "'%s--%s%s", repeat, option->name, flag ? "" : "=");
    buffer_char(to, '[');
    zsh_text(to, option->row.help);
    buffer_char(to, ']');
    if (!flag) {
        char *value = option->row.argument ? must_copy(option->row.argument) : NULL;
        buffer_char(to, ':');
        zsh_text(to, value ? value : option->name);
        buffer_char(to, ':');
        free(value);
        if (add_choices(to, option, "(", ")")) {
        } else if (option->row.path == PSDVEC_PATH_FILE) {
            buffer_text(to, "_files");
        } else if (option->row.path == PSDVEC_PATH_FOLDER) {
            buffer_text(to, "_files -/");
        }
    }
    buffer_text(to, "' \\\n");
}

static void zsh_command(struct buffer *to, const struct command *command)
{
    const struct option_spec *option;
    buffer_format(to, "    '%s')\n        _arguments -s -S \\\n", command->name);
    for (size_t k = 0; (option = command_option(command, k)); k++)
        zsh_option(to, option);
    if (!strcmp(command->name, "help"))
        buffer_text(to, "            '*:command:_psdvec_commands'\n");
    else
        buffer_text(to, takes_files(command) ? "            '*:file:_files'\n"
                                             : "            && return 0\n");
    buffer_text(to, "        ;;\n");
}

static void zsh_described(struct buffer *to, const char *name, const char *summary)
{
    buffer_format(to, "        '%s:", name);
    zsh_text(to, summary);
    buffer_text(to, "'\n");
}

void completion_zsh(struct buffer *to)
{
    const char *word;
    size_t length;
    buffer_text(to, "#compdef psdvec\n"
                    "# zsh completion for psdvec; written by psdvec internal-completion zsh\n"
                    "\n"
                    "_psdvec_commands() {\n"
                    "    local -a described\n"
                    "    described=(\n");
    for (size_t n = 0; (word = first_word(n, &length)); n++) {
        char *name = must_format("%.*s", (int)length, word);
        zsh_described(to, name, first_summary(word, length));
        free(name);
    }
    buffer_text(to, "    )\n    _describe command described\n}\n\n_psdvec() {\n"
                    "    local context state line name\n"
                    "    local -a described\n"
                    "    if (( CURRENT == 2 )); then\n"
                    "        _psdvec_commands\n"
                    "        compadd -- --help --version\n"
                    "        return\n"
                    "    fi\n"
                    "    name=$words[2]\n"
                    "    case $name in\n");
    for (size_t n = 0; (word = first_word(n, &length)); n++) {
        if (!word[length])
            continue;
        buffer_format(to, "    %.*s)\n        if (( CURRENT == 3 )); then\n        described=(\n",
                      (int)length, word);
        for (size_t k = 0; commands[k]; k++)
            if (in_family(commands[k], word, length))
                zsh_described(to, commands[k]->name + length + 1, commands[k]->summary);
        buffer_text(to, "        )\n"
                        "        _describe command described\n"
                        "        return\n"
                        "        fi\n"
                        "        name=\"$words[2] $words[3]\"\n"
                        "        shift words\n"
                        "        (( CURRENT-- ))\n"
                        "        ;;\n");
    }
    buffer_text(to, "    esac\n"
                    "    shift words\n"
                    "    (( CURRENT-- ))\n"
                    "    case $name in\n");
    for (size_t k = 0; commands[k]; k++)
        if (commands[k]->group)
            zsh_command(to, commands[k]);
    buffer_text(to, "    esac\n"
                    "}\n"
                    "\n"
                    "if [[ $funcstack[1] == _psdvec ]]; then\n"
                    "    _psdvec \"$@\"\n"
                    "else\n"
                    "    (( $+functions[compdef] )) && compdef _psdvec psdvec\n"
                    "fi\n");
}

/* ---- fish ---------------------------------------------------------------- */

static void fish_text(struct buffer *to, const char *text)
{
    buffer_char(to, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            buffer_char(to, '\\');
        buffer_char(to, *text);
    }
    buffer_char(to, '\'');
}

static void fish_option(struct buffer *to, const char *condition, const struct option_spec *option)
{
    buffer_format(to, "complete -c psdvec -n '%s' -l %s", condition, option->name);
    if (option->row.letter)
        buffer_format(to, " -s %c", option->row.letter);
    if (add_choices(to, option, " -x -a '", "'")) {
    } else if (option->row.path == PSDVEC_PATH_FILE) {
        buffer_text(to, " -r -F");
    } else if (option->row.path == PSDVEC_PATH_FOLDER) {
        buffer_text(to, " -x -a '(__fish_complete_directories)'");
    } else if (!option_is_switch(option)) {
        buffer_text(to, " -x");
    }
    buffer_text(to, " -d ");
    fish_text(to, option->row.help);
    buffer_char(to, '\n');
}

void completion_fish(struct buffer *to)
{
    const char *word;
    size_t length;
    buffer_text(to, "# fish completion for psdvec; written by psdvec internal-completion fish\n"
                    "\n"
                    "# True if the words behind psdvec start with the arguments.\n"
                    "function __psdvec_is\n"
                    "    set -l words (commandline -opc)\n"
                    "    set -e words[1]\n"
                    "    test (count $words) -ge (count $argv); or return 1\n"
                    "    test \"$words[1..\"(count $argv)\"]\" = \"$argv\"\n"
                    "end\n"
                    "# True if they are exactly the arguments.\n"
                    "function __psdvec_just\n"
                    "    set -l words (commandline -opc)\n"
                    "    set -e words[1]\n"
                    "    test \"$words\" = \"$argv\"\n"
                    "end\n"
                    "\n"
                    "complete -c psdvec -f\n"
                    "complete -c psdvec -n '__psdvec_just' -l help -d 'show help'\n"
                    "complete -c psdvec -n '__psdvec_just' -l version -d 'show the version'\n");
    for (size_t n = 0; (word = first_word(n, &length)); n++) {
        buffer_format(to, "complete -c psdvec -n '__psdvec_just' -a %.*s", (int)length, word);
        buffer_text(to, " -d ");
        fish_text(to, first_summary(word, length));
        buffer_char(to, '\n');
        buffer_format(to, "complete -c psdvec -n '__psdvec_just help' -a %.*s\n", (int)length,
                      word);
    }
    for (size_t k = 0; commands[k]; k++) {
        const struct command *command = commands[k];
        if (!command->group)
            continue;
        const char *space = strchr(command->name, ' ');
        if (space) {
            buffer_format(to, "complete -c psdvec -n '__psdvec_just %.*s' -a %s -d ",
                          (int)(space - command->name), command->name, space + 1);
            fish_text(to, command->summary);
            buffer_char(to, '\n');
        }
        char *condition = must_format("__psdvec_is %s", command->name);
        if (takes_files(command))
            buffer_format(to, "complete -c psdvec -n '%s' -F\n", condition);
        const struct option_spec *option;
        for (size_t o = 0; (option = command_option(command, o)); o++)
            fish_option(to, condition, option);
        free(condition);
    }
}
