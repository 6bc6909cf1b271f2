/* Completion at the prompt of psdvec ask: commands, settings, options and their values, file names,
 * and words of the model, the most frequent first. */
#include "ask.h"
#include "commands.h"
#include "help.h"
#include "vocabulary.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Words of the model --------------------------------------------------------------------- */

/* Offers words with this prefix, or with its lower-case form. */
static void offer_words(struct vocabulary *vocabulary, const char *typed, struct offers *offers)
{
    if (!*typed)
        return; /* the most frequent words of all are of no use */
    uint32_t best[OFFERS_SHOWN];
    size_t first, end;
    vocabulary_sort(vocabulary);
    vocabulary_find_any_case(vocabulary, typed, &first, &end);
    size_t count = vocabulary_best(vocabulary, first, end, best, OFFERS_SHOWN);
    for (size_t k = 0; k < count; k++) {
        size_t bytes;
        const char *text = psdvec_model_word(vocabulary->model, best[k], &bytes);
        offers_show(offers, text, bytes);
    }
    if (first < end) {
        /* A prefix that the first and the last word of a sorted list share is common to all. */
        offers_share(offers, vocabulary->sorted[first].text, vocabulary->sorted[first].length);
        offers_share(offers, vocabulary->sorted[end - 1].text, vocabulary->sorted[end - 1].length);
    }
    offers->total += end - first;
}

/* ---- Names of all kinds --------------------------------------------------------------------- */

static void offer_name(const char *name, const char *typed, struct offers *offers)
{
    if (!strncmp(name, typed, strlen(typed)))
        offers_add(offers, name, strlen(name));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Offers files whose path begins like this, and folders, followed by a slash. Hidden ones are
 * offered only if their dot was typed. */
static void offer_files(const char *typed, bool folders_only, struct offers *offers)
{
    const char *slash = strrchr(typed, '/'), *name = slash ? slash + 1 : typed;
    const char *folder = lasting(must_format("%.*s", (int)(name - typed), typed), free);
    DIR *open = opendir(*folder ? folder : ".");
    char **paths = NULL;
    size_t count = 0;
    if (!open)
        return;
    for (struct dirent *entry; (entry = readdir(open));) { /* NOLINT(concurrency-mt-unsafe) */
        struct stat status;
        if (strncmp(entry->d_name, name, strlen(name)) != 0 ||
            (entry->d_name[0] == '.' && *name != '.') || !strcmp(entry->d_name, ".") ||
            !strcmp(entry->d_name, ".."))
            continue;
        char *path = must_format("%s%s", folder, entry->d_name);
        bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder || !folders_only) {
            paths = must_grow(paths, count + 1, sizeof *paths);
            paths[count++] = lasting(must_format("%s%s", path, is_folder ? "/" : ""), free);
        }
        free(path);
    }
    closedir(open);
    if (count)
        qsort(paths, count, sizeof *paths, by_name);
    for (size_t k = 0; k < count; k++)
        offers_add(offers, paths[k], strlen(paths[k]));
    offers->open = count == 1 && paths[0][strlen(paths[0]) - 1] == '/';
    free(paths);
}

/* Offers the lines of completion_value() or completion_options(). */
static void offer_lines(const struct buffer *lines, const char *typed, struct offers *offers)
{
    const char *equals = !strncmp(typed, "--", 2) ? strchr(typed, '=') : NULL;
    for (const char *line = buffer_get(lines); *line; line += strcspn(line, "\n") + 1) {
        if (*line != ':') {
            offers_add(offers, line, strcspn(line, "\t"));
            continue;
        }
        if (equals)
            offers->replaced = strlen(equals + 1);
        offer_files(equals ? equals + 1 : typed, line[1] == 'd', offers);
    }
}

static void offer_options(const struct command *command, const char *const *words, size_t count,
                          struct offers *offers)
{
    struct buffer lines = {0};
    const struct option_spec *option;
    completion_options(&lines, command, words, count);
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        char *line = must_format("--%s\t", option->name), *at = strstr(buffer_get(&lines), line);
        if (at && ask_is_common(option)) { /* these are not allowed in a line */
            char *end = strchr(at, '\n') + 1;
            memmove(at, end, strlen(end) + 1);
        }
        free(line);
    }
    offer_lines(&lines, words[count - 1], offers);
    buffer_free(&lines);
}

/* set NAME VALUE */
static void offer_settings(const struct ask_words *words, const char *typed, struct offers *offers)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(&cmd_ask, k)); k++) {
        if (!ask_is_setting(option))
            continue;
        if (words->count == 1)
            offer_name(option->name, typed, offers);
        if (words->count != 2 || strcmp(words->list[1], option->name) != 0)
            continue;
        struct buffer lines = {0};
        char *name = must_format("--%s", option->name);
        completion_value(&lines, &cmd_ask, (const char *const[]){name, typed}, 2);
        offer_lines(&lines, typed, offers);
        free(name);
        buffer_free(&lines);
        if (option_is_switch(option)) {
            offer_name("yes", typed, offers);
            offer_name("no", typed, offers);
        }
        offer_name("default", typed, offers);
    }
}

/* ---- The line ------------------------------------------------------------------------------- */

/* The start of the last word of the line; *quote: the quotation mark before it, if it is not
 * closed. */
static const char *last_word(const char *line, char *quote)
{
    const char *at = line;
    *quote = '\0';
    for (;;) {
        at += strspn(at, ASK_BLANKS);
        const char *end = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
        if (!end && (*at == '"' || *at == '\'')) {
            *quote = *at;
            return at + 1;
        }
        size_t length = end ? (size_t)(end + 1 - at) : strcspn(at, ASK_BLANKS);
        if (!at[length])
            return end ? at + length : at;
        at += length;
    }
}

void ask_complete(void *vocabulary, const char *before, struct offers *offers)
{
    const char *typed = last_word(before, &offers->quote);
    size_t front = (size_t)(typed - before) - (offers->quote != '\0');
    struct ask_words words =
        ask_split(lasting(must_format("%.*s", (int)front, before), free), false);
    const struct ask_query *query = ask_queries;
    bool first = words.count == 0;
    offers->replaced = strlen(typed);
    while (query->word && (first || strcmp(query->word, words.list[0]) != 0))
        query++;
    bool sum = words.count > 1 && (!strcmp(words.list[1], "+") || !strcmp(words.list[1], "-"));
    const struct command *command = query->command && !sum ? query->command : &cmd_similar;
    size_t skipped = query->command && !sum;
    /* The arguments of the command, and the partial word. */
    const char **list = lasting_alloc(words.count + 1, sizeof *list);
    size_t count = 0;
    for (size_t k = skipped; k < words.count; k++)
        list[count++] = words.list[k];
    list[count++] = typed;
    struct buffer values = {0};
    if (!first && query->word && !strcmp(query->word, "set") && !sum)
        offer_settings(&words, typed, offers);
    else if (!first && completion_value(&values, command, list, count))
        offer_lines(&values, typed, offers);
    else if (!strncmp(typed, "--", 2) && !offers->quote)
        offer_options(command, list, count, offers);
    else {
        for (query = ask_queries; first && !offers->quote && query->word; query++)
            offer_name(query->word, typed, offers);
        /* Words may follow a sign or the colons of an analogy. */
        const char *colon = strrchr(typed, ':'), *word = colon ? colon + 1 : typed;
        if (!first && word == typed && (*typed == '+' || *typed == '-'))
            word++;
        if (word > typed)
            offers->replaced = strlen(word);
        if (command != &cmd_info)
            offer_words(vocabulary, word, offers);
    }
    buffer_free(&values);
    free(words.list);
}
