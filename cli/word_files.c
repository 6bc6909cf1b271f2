/* Opening models and counts files, and finding words in them. */
#include "word_files.h"

#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "util/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Models ------------------------------------------------------------------------------- */

static void close_model(void *model)
{
    psdvec_model_close(model);
}

int model_file_open(struct run *run, const char *path, psdvec_model **model)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    const struct open_file *open = run_find_open(run, OPEN_MODEL, path);
    if (open) {
        *model = open->model;
        return EXIT_FINE;
    }
    if (run->only_open)
        return run_error(run, EXIT_USE, "there is no model %s", path);
    psdvec_status status = psdvec_model_open(run->ctx, path, model);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*model, close_model);
    return EXIT_FINE;
}

int model_file_open_weighted(struct run *run, const char *path, double weight, psdvec_model **model)
{
    psdvec_model *trained = NULL;
    int code = model_file_open(run, path, &trained);
    *model = trained;
    if (code || weight == 1)
        return code;
    psdvec_status status = psdvec_model_with_spelling(run->ctx, trained, weight, model);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*model, close_model);
    return EXIT_FINE;
}

int model_file_fits(struct run *run, const psdvec_model *model, size_t vectors)
{
    uint32_t dim = psdvec_model_get_info(model)->dim;
    double bytes = (double)vectors * dim * sizeof(float);
    if (bytes <= (double)psdvec_memory_budget(run->ctx))
        return EXIT_FINE;
    return run_error(run, EXIT_RESOURCE,
                     "%zu vectors of %u dimensions need %.0f MiB of memory, more than the limit; "
                     "raise --memory, or give fewer words",
                     vectors, (unsigned)dim, bytes / 1048576);
}

static const char *model_word(const void *model, uint32_t i, size_t *length)
{
    return psdvec_model_word(model, i, length);
}

struct cell model_word_cell(const psdvec_model *model, uint32_t word)
{
    size_t length, form_length;
    const char *text = psdvec_model_word(model, word, &length);
    const char *form = psdvec_model_form(model, word, &form_length);
    struct cell cell = word_cell(text, length);
    return form == text ? cell : shown_as(cell, phrase_safe(form, form_length));
}

/* Adds the form of a word that the model's tokeniser produces, or the word itself if that is not a
 * single word. */
static void add_normalized(struct run *run, const psdvec_model *model, const char *word,
                           struct buffer *token)
{
    char small[256], *text = small;
    size_t size = sizeof small, needed;
    psdvec_status status =
        psdvec_model_normalize(run->ctx, model, word, strlen(word), text, size, &needed);
    if (status == PSDVEC_OK && needed > size) {
        text = lasting_alloc(size = needed, 1);
        status = psdvec_model_normalize(run->ctx, model, word, strlen(word), text, size, &needed);
    }
    if (status == PSDVEC_OK && needed > 0)
        buffer_add(token, text, needed);
    else
        buffer_text(token, word);
}

int model_file_text(struct run *run, const psdvec_model *model, psdvec_text_options *text)
{
    psdvec_settings *settings;
    psdvec_text_options_default(text);
    psdvec_status status = psdvec_model_settings(run->ctx, model, PSDVEC_OPTIONS_COUNT, &settings);
    if (status == PSDVEC_ERR_MISMATCH)
        return EXIT_FINE; /* not known */
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    *text = ((const psdvec_count_options *)psdvec_settings_struct(settings))->text;
    options_plain(text); /* strings live in the settings, and apply to files */
    psdvec_settings_free(settings);
    return EXIT_FINE;
}

/* Writes keywords such as "all" instead of the numbers that represent them. */
static void put_setting(pv_json_writer *to, const char *name, const psdvec_option *row,
                        psdvec_settings *settings, const char *value, size_t length)
{
    const char *text = row ? psdvec_settings_get(settings, row->name) : NULL;
    if (row && !text && errno == ENOMEM)
        out_of_memory();
    if (text && ((row->word && !strcmp(text, row->word)) ||
                 (row->second_word && !strcmp(text, row->second_word))))
        pv_json_put_string(to, name, text);
    else
        pv_json_put_raw(to, name, value, length);
}

const char *model_file_settings(const psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    bool psd = !info->method || !strcmp(info->method, psdvec_method_name(PSDVEC_METHOD_PSD));
    psdvec_options_kind kind = psd ? PSDVEC_OPTIONS_TRAIN : PSDVEC_OPTIONS_BASELINE;
    psdvec_settings *settings = NULL;
    struct json_walk walk;
    struct buffer key = {0}, text = {0};
    const char *value;
    size_t length;
    pv_json_writer json;
    /* A context without callbacks: settings that this version does not know are shown as they are,
     * so there is nothing to warn of. */
    psdvec_context *silent = NULL;
    psdvec_status status = info->settings_json ? psdvec_context_new(NULL, &silent) : PSDVEC_OK;
    if (silent)
        status = psdvec_model_settings(silent, model, kind, &settings);
    psdvec_context_free(silent);
    if (status == PSDVEC_ERR_MEMORY)
        out_of_memory();
    if (!settings || status != PSDVEC_OK)
        return info->settings_json;
    json_start(&json, &text);
    pv_json_open_object(&json, NULL);
    for (bool more = json_enter(&walk, info->settings_json, '{');
         more && json_next(&walk, &key, &value, &length);) {
        const psdvec_option *row = psdvec_options_find(kind, buffer_get(&key));
        const char *needs = row ? row->needs : NULL;
        bool found = *value == '{'; /* a result of training, not a setting */
        if (!found &&
            (!needs || psdvec_options_hold(kind, psdvec_settings_struct(settings), needs)))
            put_setting(&json, buffer_get(&key), row, settings, value, length);
    }
    pv_json_close(&json);
    json_end(&json);
    buffer_free(&key);
    psdvec_settings_free(settings);
    return phrase_of(&text);
}

bool model_file_find_word(struct run *run, const psdvec_model *model, const char *word,
                          uint32_t *index, struct buffer *token)
{
    size_t length;
    buffer_clear(token);
    if (psdvec_model_find_normalized(run->ctx, model, word, strlen(word), index) == PSDVEC_OK &&
        *index != PSDVEC_UNKNOWN_WORD) {
        const char *found = psdvec_model_word(model, *index, &length);
        buffer_add(token, found, length);
        return true;
    }
    add_normalized(run, model, word, token);
    return false;
}

int model_file_unknown(struct run *run, const psdvec_model *model, const char *word)
{
    struct buffer near = {0};
    uint32_t words[3];
    size_t found = 0, length = strlen(word);
    psdvec_model_suggest(run->ctx, model, word, length, (uint32_t)psdvec_edit_limit(length), words,
                         3, &found);
    near_words_list(&near, words, found, model_word, model);
    run->unknown_word = true;
    bool dropped = psdvec_model_get_info(model)->no_spelling;
    int code = run_error(run, EXIT_USE, "the word '%s' is not in the model%s%s", word,
                         dropped ? ", which has no spelling vectors because convert --no-spelling "
                                   "omitted them"
                                 : "",
                         buffer_get(&near));
    buffer_free(&near);
    return code;
}

int model_file_find(struct run *run, const psdvec_model *model, const char *word, uint32_t *index)
{
    struct buffer token = {0};
    bool found = model_file_find_word(run, model, word, index, &token);
    buffer_free(&token);
    return found ? model_file_check(run, model, *index) : model_file_unknown(run, model, word);
}

int model_file_check(struct run *run, const psdvec_model *model, uint32_t index)
{
    psdvec_status status = psdvec_model_check_word(run->ctx, model, index);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

/* ---- Counts files ------------------------------------------------------------------------- */

static void close_counts(void *counts)
{
    psdvec_counts_close(counts);
}

int counts_file_open(struct run *run, const char *path, psdvec_counts **counts)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    const struct open_file *open = run_find_open(run, OPEN_COUNTS, path);
    if (open) {
        *counts = open->counts;
        return EXIT_FINE;
    }
    if (run->only_open)
        return run_error(run, EXIT_USE, "there are no counts %s", path);
    psdvec_status status = psdvec_counts_open(run->ctx, path, counts);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*counts, close_counts);
    return EXIT_FINE;
}

int counts_file_open_rows(struct run *run, const char *path, psdvec_counts **counts)
{
    int code = counts_file_open(run, path, counts);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_check_rows(run->ctx, *counts);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

bool counts_file_likely(const char *path)
{
    /* The length of a header below 100 MB, little-endian, and the brace that it starts with. */
    unsigned char first[9];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, first, sizeof first);
    close(fd);
    return got == sizeof first && first[8] == '{' &&
           !(first[4] || first[5] || first[6] || first[7]);
}

static const char *counts_word(const void *counts, uint32_t i, size_t *length)
{
    return psdvec_counts_word(counts, i, length);
}

int counts_file_find(struct run *run, const psdvec_counts *counts, const char *word,
                     uint32_t *index)
{
    if (psdvec_counts_find(counts, word, strlen(word), index))
        return EXIT_FINE;
    struct buffer near = {0};
    run->unknown_word = true;
    near_words_suggest(&near, word, psdvec_counts_get_info(counts)->words, counts_word, counts);
    int code = run_error(run, EXIT_USE, "the word '%s' is not in the vocabulary%s", word,
                         buffer_get(&near));
    buffer_free(&near);
    return code;
}

int counts_file_among(struct run *run, const char **counts)
{
    const struct arguments *arguments = run->arguments;
    *counts = NULL;
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (counts_file_likely(arguments->operands[k]))
            *counts = arguments->operands[k];
    if (*counts && arguments->operand_count > 1)
        return run_use_error(run,
                             "%s is a counts file, and a counts file must be the only input; "
                             "psdvec counts merge adds up several",
                             *counts);
    return EXIT_FINE;
}

/* ---- Text --------------------------------------------------------------------------------- */

/* Maximum number of files of a folder that are examined: a folder of test sets has few. */
enum { LOOKED_AT = 100 };

struct test_search {
    struct run *run;
    size_t looked_at;
    const char *path; /* of the test set that was found */
    psdvec_test_kind kind;
};

static int find_test_set(void *user, const pv_walk_entry *entry)
{
    struct test_search *search = user;
    bool found = false;
    if (entry->error || !S_ISREG(entry->info->st_mode))
        return 0;
    if (psdvec_test_detect(search->run->ctx, entry->path, &found, &search->kind) == PSDVEC_OK &&
        found)
        search->path = phrase("%s", entry->path);
    return search->path || ++search->looked_at == LOOKED_AT;
}

const char *test_file_among(struct run *run, size_t first, const char **kind)
{
    static const char *const kinds[] = {
        [PSDVEC_TEST_SIMILARITY] = "word pairs with ratings",
        [PSDVEC_TEST_ANALOGY] = "analogies",
        [PSDVEC_TEST_CHOICE] = "synonym choices",
        [PSDVEC_TEST_CATEGORIES] = "words with categories",
    };
    struct test_search search = {.run = run};
    for (size_t k = first; k < run->arguments->operand_count && !search.path; k++) {
        search.looked_at = 0;
        pv_walk(run->arguments->operands[k], find_test_set, &search);
    }
    *kind = kinds[search.kind];
    return search.path;
}

void test_file_warn(struct run *run, size_t first)
{
    const char *kind, *path = test_file_among(run, first, &kind);
    if (path)
        talk_warning(&run->talk,
                     phrase("%s looks like a test set (%s), but is read as text; to score a model "
                            "on it, run psdvec eval MODEL %s",
                            path, kind, path));
}
