/* What an item depends on, as one line of JSON: the text (names, sizes and times of its files, not
 * what is in them), how it is read, the words, and what is the item's own. Paths do not count: a table
 * goes on wherever it was moved, and from any folder. Nor does the version: what took days to make
 * stays, and the table says who made it.
 *
 * Records of older versions must agree with what is asked for now. So members keep their names and
 * their values, and an option that comes later is entered only if it was given. */
#include "table.h"

#include "cell.h"
#include "counts_file.h"
#include "exit_status.h"
#include "json.h"
#include "options.h"
#include "system.h"
#include "util/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- The text ------------------------------------------------------------------------------ */

struct identity {
    uint64_t files, bytes, hash;
    const char *odd; /* a file that cannot be read twice; NULL: none */
};

/* FNV-1a */
static void hash_bytes(uint64_t *hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < length; k++)
        *hash = (*hash ^ at[k]) * UINT64_C(1099511628211);
}

static void hash_file(uint64_t *hash, const char *name, const struct stat *status)
{
    const char *line = phrase("%s\n%jd %jd %ld\n", name, (intmax_t)status->st_size,
                              (intmax_t)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
    hash_bytes(hash, line, strlen(line));
}

/* What cannot be read inside a folder shows when it is counted. */
static int add_file(void *user, const pv_walk_entry *entry)
{
    struct identity *identity = user;
    const char *path = entry->path, *slash = strrchr(path, '/');
    if (entry->error || S_ISDIR(entry->info->st_mode))
        return *entry->inner ? 0 : entry->error;
    if (!S_ISREG(entry->info->st_mode) && !identity->odd)
        identity->odd = phrase("%s", path);
    hash_file(&identity->hash,
              *entry->inner ? entry->inner
              : slash       ? slash + 1
                            : path,
              entry->info);
    identity->files++;
    identity->bytes += (uint64_t)entry->info->st_size;
    return 0;
}

static int refuse_twice(struct table *table, const char *path)
{
    return run_use_error(
        table->run,
        "%s can be read only once, and several systems read the text; save it to a "
        "file first",
        !strcmp(path, "-") ? "standard input" : path);
}

static int look_at_text(struct table *table, struct identity *identity)
{
    const struct arguments *arguments = table->run->arguments;
    *identity = (struct identity){.hash = UINT64_C(14695981039346656037)};
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        if (!strcmp(path, "-"))
            return refuse_twice(table, path);
        if (counts_file_likely(path))
            return run_error(table->run, EXIT_INPUT,
                             "%s is not text but a file of psdvec's; a table begins with text, as "
                             "word2vec cannot begin with counts",
                             path);
        int error = pv_walk(path, add_file, identity);
        if (error)
            return run_error(table->run, EXIT_INPUT, "cannot read %s: %s", path,
                             system_error(error));
        if (identity->odd)
            return refuse_twice(table, identity->odd);
    }
    return EXIT_FINE;
}

/* ---- How it is read ---------------------------------------------------------------------------- */

/* Options of the text that records have had from the first version on. */
static const char *const first_options[] = {
    "tokenizer",  "case",       "accents",  "digits",    "apostrophes", "hyphens",
    "min-length", "max-length", "document", "sentences", "strict",      "min-document-words",
    "json-field", NULL};

/* Those with these names, whether given or by default; with `group` also others under this heading
 * that were given. */
static void add_options(struct buffer *to, const struct arguments *arguments,
                        const char *const *names, const char *group)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        bool named = group && value->given && !strcmp(option_group(arguments->command, k), group);
        for (const char *const *name = names; *name; name++)
            named |= !strcmp(*name, option->name);
        if (!named || !value->known)
            continue;
        buffer_format(to, ", \"%s\": ", option->name);
        option_json(to, option, value);
    }
}

static int add_vocabulary(struct buffer *to, struct table *table)
{
    static const char *const names[] = {"min-count", "max-vocab", NULL};
    const char *list = table->count.vocab_file;
    struct stat status;
    add_options(to, table->run->arguments, names, NULL);
    if (list && stat(list, &status) != 0)
        return run_error(table->run, EXIT_INPUT, "cannot read the list of words %s: %s", list,
                         system_error(errno));
    if (list) {
        uint64_t hash = 0;
        hash_file(&hash, "", &status);
        buffer_format(to, ", \"vocab\": \"%016" PRIx64 "\"", hash);
    }
    for (size_t k = 0; k < table->count.keep_words_count; k++) {
        const char *word = table->count.keep_words[k];
        buffer_text(to, k ? ", " : ", \"keep\": [");
        buffer_json(to, word, strlen(word));
    }
    if (table->count.keep_words_count)
        buffer_char(to, ']');
    return EXIT_FINE;
}

static void add_counting(struct buffer *to, const struct buffer *common,
                         const psdvec_count_options *o)
{
    buffer_format(
        to,
        "{\"window\": %" PRIu32 ", \"distance\": \"%s\", \"oov\": \"%s\", \"subsample\": %.17g%s}",
        o->window, option_word(PSDVEC_OPTIONS_COUNT, "distance", o->distance),
        option_word(PSDVEC_OPTIONS_COUNT, "oov", o->oov), o->subsample, buffer_get(common));
}

static void add_system(struct table *table, struct table_system *system,
                       const struct buffer *common)
{
    struct buffer *to = &system->item.settings;
    if (to->length)
        return;
    buffer_format(to, "{\"method\": \"%s\", \"preset\": %d, ",
                  psdvec_method_name(system->kind->method), (int)system->kind->preset);
    buffer_format(to, "\"dim\": %" PRIu64 ", \"seed\": %" PRIu64,
                  argument_integer(table->run->arguments, "dim"),
                  argument_integer(table->run->arguments, "seed"));
    if (system->source != SIZE_MAX) {
        struct table_system *source = &table->systems[system->source];
        add_system(table, source, common);
        buffer_format(to, ", \"of\": %s", source->item.settings.text);
    } else {
        buffer_text(to, ", \"counting\": ");
        add_counting(to, common,
                     system->counts == SIZE_MAX ? &system->reading
                                                : &table->counts[system->counts].options);
    }
    buffer_char(to, '}');
}

int table_settings(struct table *table)
{
    struct buffer common = {0};
    struct identity text;
    int code = look_at_text(table, &text);
    table->text = text.hash;
    if (!code) {
        add_options(&common, table->run->arguments, first_options, "Text");
        code = add_vocabulary(&common, table);
    }
    if (!code)
        buffer_format(&common,
                      ", \"files\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"digest\": \"%016" PRIx64
                      "\", \"version\": \"%s\"",
                      text.files, text.bytes, text.hash, psdvec_version());
    for (size_t k = 0; k < table->counts_count && !code; k++)
        add_counting(&table->counts[k].item.settings, &common, &table->counts[k].options);
    for (size_t k = 0; k < table->system_count && !code; k++)
        add_system(table, &table->systems[k], &common);
    buffer_free(&common);
    return code;
}

int table_text_same(struct table *table)
{
    struct identity text;
    int code = look_at_text(table, &text);
    if (!code && text.hash != table->text)
        code =
            run_error(table->run, EXIT_INPUT,
                      "the text was changed during the run, so that not all systems have read the "
                      "same; run it again, and they are made anew");
    return code;
}

/* ---- Then and now ------------------------------------------------------------------------------ */

/* The value of a member of an object; NULL if there is none. */
static const char *find_member(const char *object, const char *name, size_t *length)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *value, *found = NULL;
    bool more = json_enter(&walk, object, '{');
    while (more && !found && json_next(&walk, &key, &value, length))
        if (!strcmp(buffer_get(&key), name))
            found = value;
    buffer_free(&key);
    return found;
}

/* It may be anybody's, and is printed. */
static void add_name(struct buffer *to, const char *name)
{
    buffer_text(to, to->length ? ", " : "");
    cell_text(to, name, strlen(name));
}

static void compare_members(const char *recorded, const char *asked, struct buffer *differ,
                            struct buffer *version)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *value, *other;
    size_t length, other_length;
    bool more = json_enter(&walk, asked, '{');
    while (more && json_next(&walk, &key, &value, &length)) {
        const char *name = buffer_get(&key);
        other = find_member(recorded, name, &other_length);
        if (other && *value == '{' && *other == '{') {
            compare_members(other, value, differ, version);
        } else if (!other || length != other_length || memcmp(value, other, length) != 0) {
            if (other && !strcmp(name, "version")) {
                buffer_clear(version);
                json_plain(version, other, other_length);
            } else {
                add_name(differ, name);
            }
        }
    }
    more = json_enter(&walk, recorded, '{');
    while (more && json_next(&walk, &key, &value, &length))
        if (!find_member(asked, buffer_get(&key), &other_length))
            add_name(differ, buffer_get(&key));
    buffer_free(&key);
}

bool table_settings_agree(const char *recorded, const char *asked, struct buffer *differ,
                          struct buffer *version)
{
    compare_members(recorded, asked, differ, version);
    return differ->length == 0;
}
