/* Completion: commands, second words, options, choices, files.
 *
 * The shell scripts contain no commands. At each Tab they run
 *
 *     psdvec internal-completion +WORD...
 *
 * with the words after "psdvec" up to the cursor, each prefixed with a plus, so that none is empty
 * or an option. The output is one line per possible word, with a tab and its meaning, or one of the
 * lines ":f" for files and ":d" for folders. */
#include "help.h"

#include <stdlib.h>
#include <string.h>

static const char bash[] =
    "# bash completion for psdvec; written by psdvec internal-completion bash\n"
    "_psdvec() {\n"
    "    local line cur=${COMP_WORDS[COMP_CWORD]} asked=(\"${COMP_WORDS[@]:1:COMP_CWORD}\")\n"
    "    [[ $cur == = ]] && cur='' # bash splits --log=file at the equals sign\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :f | :d)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t COMPREPLY < <(compgen \"-${line#:}\" -- \"$cur\")\n"
    "            ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" internal-completion \"${asked[@]/#/+}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _psdvec psdvec\n";

static const char zsh[] =
    "#compdef psdvec\n"
    "# zsh completion for psdvec; written by psdvec internal-completion zsh\n"
    "_psdvec() {\n"
    "    local line\n"
    "    local -a described\n"
    "    for line in ${(f)\"$(${~words[1]} internal-completion \"${(@)words[2,CURRENT]/#/+}\" "
    "2>/dev/null)\"}; do\n"
    "        case $line in\n"
    "        :f) compset -P '--*='; _files ;;\n"
    "        :d) compset -P '--*='; _files -/ ;;\n"
    "        *) described+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ! $#described )) || _describe psdvec described\n"
    "}\n"
    "if [[ $funcstack[1] == _psdvec ]]; then\n"
    "    _psdvec \"$@\"\n"
    "else\n"
    "    (( $+functions[compdef] )) && compdef _psdvec psdvec\n"
    "fi\n";

static const char fish[] =
    "# fish completion for psdvec; written by psdvec internal-completion fish\n"
    "function __psdvec_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l token (commandline -ct)\n"
    "    test (count $token) -gt 0; or set token ''\n"
    "    set -l front (string match -r -- '^--[^=]*=' $token; or echo '')\n"
    "    set -l path (string replace -- \"$front\" '' $token)\n"
    "    for line in ($words[1] internal-completion +$words[2..-1] +$token 2>/dev/null)\n"
    "        switch $line\n"
    "            case :f\n"
    "                printf '%s\\n' $front(__fish_complete_path $path)\n"
    "            case :d\n"
    "                printf '%s\\n' $front(__fish_complete_directories $path)\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c psdvec -f -a '(__psdvec_complete)'\n";

const char *completion_script(const char *shell)
{
    return !strcmp(shell, "bash")   ? bash
           : !strcmp(shell, "zsh")  ? zsh
           : !strcmp(shell, "fish") ? fish
                                    : NULL;
}

/* Offers a word that starts with `typed`; `front` is the text before it: "--color=". */
static void offer(struct buffer *to, const char *typed, const char *front, const char *word,
                  const char *meaning)
{
    char *whole = must_format("%s%s", front, word);
    if (!strncmp(whole, typed, strlen(typed)))
        buffer_format(to, "%s\t%s\n", whole, meaning ? meaning : "");
    free(whole);
}

/* Offers first words, or second words of a family. */
static void offer_commands(struct buffer *to, const char *typed, const struct family *of)
{
    const struct family *last = NULL;
    for (size_t k = 0; commands[k]; k++) {
        const char *name = commands[k]->name;
        const struct family *family = family_find(name, strcspn(name, " "));
        if (!commands[k]->group || (of ? family != of : family && family == last))
            continue;
        if (of)
            offer(to, typed, "", strchr(name, ' ') + 1, commands[k]->summary);
        else if (family)
            offer(to, typed, "", family->word, family->summary);
        else
            offer(to, typed, "", name, commands[k]->summary);
        last = family;
    }
}

/* True if the word is the option: --name, -n, or a word that starts with --name=. */
static bool is_option(const char *word, const struct option_spec *option)
{
    size_t length = strlen(option->name);
    if (word[0] == '-' && word[1] == '-')
        return !strncmp(word + 2, option->name, length) &&
               (!word[2 + length] || word[2 + length] == '=');
    return word[0] == '-' && word[1] && word[1] == option->row.letter && !word[2];
}

void completion_options(struct buffer *to, const struct command *command, const char *const *words,
                        size_t count)
{
    const char *typed = words[count - 1];
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        bool given = false;
        for (size_t w = 0; w + 1 < count && option->row.type != PSDVEC_OPTION_TEXTS; w++)
            given |= is_option(words[w], option);
        if (given)
            continue;
        offer(to, typed, "--", option->name, option->row.help);
        if (option->row.letter)
            offer(to, typed, "-", (const char[]){option->row.letter, '\0'}, option->row.help);
    }
}

bool completion_value(struct buffer *to, const struct command *command, const char *const *words,
                      size_t count)
{
    const char *typed = words[count - 1], *before = count > 1 ? words[count - 2] : "";
    /* bash splits --color=auto at the equals sign. */
    if (!strcmp(typed, "="))
        typed = "";
    else if (count > 2 && !strcmp(before, "="))
        before = words[count - 3];
    const char *equals = strchr(typed, '=');
    char *front = must_format("%.*s", equals ? (int)(equals + 1 - typed) : 0, typed);
    const struct option_spec *option;
    size_t k = 0;
    while ((option = command_option(command, k)) &&
           (option_is_switch(option) || !is_option(*front ? front : before, option)))
        k++;
    if (option) {
        static const psdvec_choice yes_no[] = {{.name = "no"}, {.name = "yes"}, {0}};
        const psdvec_choice *choice = option->row.choices;
        if (option->row.type == PSDVEC_OPTION_FLAG)
            choice = yes_no;
        for (; choice && choice->name; choice++)
            offer(to, typed, front, choice->name, choice->help);
        if (option->row.path)
            buffer_text(to, option->row.path == PSDVEC_PATH_FOLDER ? ":d\n" : ":f\n");
    }
    free(front);
    return option != NULL;
}

void completion_offer(struct buffer *to, const char *const *words, size_t count)
{
    const char *typed = words[count - 1];
    bool help = count > 1 && !strcmp(words[0], "help") && *typed != '-';
    words += help;
    count -= help;
    const struct family *family = count > 1 ? family_find(words[0], strlen(words[0])) : NULL;
    if (count == 1 || (count == 2 && family && *typed != '-'))
        offer_commands(to, typed, family);
    if (count == 1 && !help) {
        offer(to, typed, "", "--help", "show help");
        offer(to, typed, "", "--version", "show the version");
    }
    char *name = family && count > 2 ? must_format("%s %s", words[0], words[1])
                                     : must_copy(words[0]);
    const struct command *command = count > 1 + (family != NULL) && !help ? command_find(name)
                                                                          : NULL;
    free(name);
    if (!command || !command->group)
        return;
    if (completion_value(to, command, words, count))
        return;
    if (*typed == '-')
        completion_options(to, command, words, count);
    else if (command->operands.most > 0 && !command->no_files)
        buffer_text(to, ":f\n");
}
