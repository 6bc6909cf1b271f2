/* What an item depends on, as one line of JSON: the text (names, sizes and times of its files, not
 * their contents), how it is read, the words, and the settings of the item. Paths are not included:
 * a table can be resumed after it was moved, and from any folder. Nor is the version: results that
 * took days are kept, and the table shows which version made them.
 *
 * Records of older versions must agree with current settings. So members keep their names and their
 * values, and an option that is added later is recorded only if it was given. */
#include "table.h"

#include "cell.h"
#include "exit_status.h"
#include "options.h"
#include "system.h"
#include "util/walk.h"
#include "word_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- The text ------------------------------------------------------------------------------ */

struct identity {
    uint64_t files, bytes, hash;
    uint64_t vocabulary; /* of the word list, if there is one */
    uint64_t phrases;    /* of the phrase list, if there is one */
    const char *odd;     /* a file that cannot be read twice; NULL: none */
};

/* FNV-1a */
static void hash_file(uint64_t *hash, const char *name, const struct stat *status)
{
    const char *line = phrase("%s\n%jd %jd %ld\n", name, (intmax_t)status->st_size,
                              (intmax_t)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
    for (; *line; line++)
        *hash = (*hash ^ (unsigned char)*line) * UINT64_C(1099511628211);
}

/* Files in a folder that cannot be read are reported when they are counted. */
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
        "%s can be read only once, but several systems read the text; save it to a file first",
        !strcmp(path, "-") ? "standard input" : path);
}

static int identify_text(struct table *table, struct identity *identity)
{
    const struct arguments *arguments = table->run->arguments;
    *identity = (struct identity){.hash = UINT64_C(14695981039346656037)};
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        if (!strcmp(path, "-"))
            return refuse_twice(table, path);
        if (counts_file_likely(path))
            return run_error(table->run, EXIT_INPUT,
                             "%s is a psdvec file, not text; psdvec table needs text, because "
                             "word2vec cannot train on counts",
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

/* ---- How it is read -------------------------------------------------------------------------- */

/* Text options that records have had since the first version. */
static const char *const first_options[] = {
    "tokenizer",  "case",       "accents",  "digits",    "apostrophes", "hyphens",
    "min-length", "max-length", "document", "sentences", "strict",      "min-document-words",
    "json-field", NULL};

/* The options with these names, given or default; with `group` also others under this heading that
 * were given. */
static void put_options(pv_json_writer *to, const struct arguments *arguments,
                        const char *const *names, const char *group)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        bool named = group && value->given && !strcmp(option_group(arguments->command, k), group);
        for (const char *const *name = names; *name; name++)
            named |= !strcmp(*name, option->name);
        if (named && value->known)
            option_put(to, option, value);
    }
}

static void put_hash(pv_json_writer *to, const char *name, uint64_t hash)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    pv_json_put_string(to, name, digits);
}

/* How the text is read and counted, and which text it is. */
static void put_counting(pv_json_writer *to, const char *name, const struct table *table,
                         const struct identity *text, const psdvec_count_options *o)
{
    static const char *const names[] = {"min-count", "max-vocab", NULL};
    const psdvec_count_options *all = &table->count;
    pv_json_open_object(to, name);
    pv_json_put_u64(to, "window", o->window);
    pv_json_put_string(to, "distance", option_word(PSDVEC_OPTIONS_COUNT, "distance", o->distance));
    pv_json_put_string(to, "oov", option_word(PSDVEC_OPTIONS_COUNT, "oov", o->oov));
    pv_json_put_digits(to, "subsample", o->subsample, 17);
    put_options(to, table->run->arguments, first_options, "Text");
    put_options(to, table->run->arguments, names, NULL);
    if (all->vocab_file)
        put_hash(to, "vocab", text->vocabulary);
    if (text->phrases)
        put_hash(to, "phrases_list", text->phrases);
    if (all->keep_words_count) {
        pv_json_open_array(to, "keep");
        for (size_t k = 0; k < all->keep_words_count; k++)
            pv_json_put_string(to, NULL, all->keep_words[k]);
        pv_json_close(to);
    }
    pv_json_put_u64(to, "files", text->files);
    pv_json_put_u64(to, "bytes", text->bytes);
    put_hash(to, "digest", text->hash);
    pv_json_put_string(to, "version", psdvec_version());
    pv_json_close(to);
}

/* A source comes before what is made from it. */
static void put_system(pv_json_writer *to, struct table *table, const struct table_system *system,
                       const struct identity *text)
{
    pv_json_open_object(to, NULL);
    pv_json_put_string(to, "method", psdvec_method_name(system->kind->method));
    pv_json_put_i64(to, "preset", (int)system->kind->preset);
    if (system->kind->no_prior)
        pv_json_put_i64(to, "mu", 0);
    if (system->kind->words)
        pv_json_put_u64(to, "words", system->kind->words);
    pv_json_put_u64(to, "dim", argument_integer(table->run->arguments, "dim"));
    pv_json_put_u64(to, "seed", argument_integer(table->run->arguments, "seed"));
    if (system->source != SIZE_MAX) {
        const struct buffer *source = &table->systems[system->source].item.settings;
        pv_json_put_raw(to, "of", source->text, source->length);
    } else
        put_counting(to, "counting", table, text,
                     system->counts == SIZE_MAX ? &system->reading
                                                : &table->counts[system->counts].options);
    pv_json_close(to);
}

int table_settings(struct table *table)
{
    const char *list = table->count.vocab_file;
    pv_json_writer json;
    struct stat status;
    struct identity text;
    int code = identify_text(table, &text);
    table->text = text.hash;
    if (code)
        return code;
    if (list && stat(list, &status) != 0)
        return run_error(table->run, EXIT_INPUT, "cannot read the list of words %s: %s", list,
                         system_error(errno));
    if (list)
        hash_file(&text.vocabulary, "", &status);
    /* Errors in the phrase list are reported when it is read; auto is not a file. */
    if (table->count.text.phrases && strcmp(table->count.text.phrases, "auto") != 0 &&
        stat(table->count.text.phrases, &status) == 0)
        hash_file(&text.phrases, "", &status);
    for (size_t k = 0; k < table->counts_count; k++) {
        json_start(&json, &table->counts[k].item.settings);
        put_counting(&json, NULL, table, &text, &table->counts[k].options);
        json_end(&json);
    }
    for (size_t k = 0; k < table->system_count; k++) {
        json_start(&json, &table->systems[k].item.settings);
        put_system(&json, table, &table->systems[k], &text);
        json_end(&json);
    }
    return EXIT_FINE;
}

int table_text_same(struct table *table)
{
    struct identity text;
    int code = identify_text(table, &text);
    if (!code && text.hash != table->text)
        code = run_error(table->run, EXIT_INPUT,
                         "the text changed during the run, so not all systems read the same text; "
                         "run the command again to train them again");
    return code;
}

/* ---- Comparing records ----------------------------------------------------------------------- */

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

/* The name may come from anywhere, and is printed. */
static void add_name(struct buffer *to, const char *name)
{
    buffer_text(to, to->length ? ", " : "");
    cell_text(to, name, strlen(name));
}

void table_settings_compare(const char *recorded, const char *asked, struct buffer *differ,
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
            table_settings_compare(other, value, differ, version);
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
