/* Distinguishing models from test sets, by their first bytes only.
 *
 *     a folder                                        sets
 *     a pipe, or anything that is not a regular file  set: vectors are mapped
 *     safetensors; npy; binary data                   model
 *     a first line of two integers                    model: word2vec's "words dim"
 *     most of the first lines are a word and          model: GloVe's text
 *       two numbers or more, and nothing else
 *     anything else                                   set
 *
 * No set has lines of one word and two numbers: a judgement is about two words, and a group has one
 * name. A word and *one* number may be a group whose name is a number, so vectors of one dimension
 * need --model. The library validates sets and vectors when it reads them. So a large model is
 * never read as a set. */
#include "eval.h"

#include "cell.h"
#include "exit_status.h"
#include "phrase.h"
#include "system.h"
#include "word_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SNIFFED = 1 << 16, LINES = 100 };

enum file_kind { FILE_IS_SET, FILE_IS_MODEL, FILE_UNREADABLE };

/* ---- Classification ------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static bool is_integer(const char *at, const char *end)
{
    return at < end && skip_digits(at, end) == end;
}

/* -0.25, 1e-5: a form that words do not have; "nan" and "inf" are words. */
static bool is_number(const char *at, const char *end)
{
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *digits = at;
    at = skip_digits(at, end);
    size_t count = (size_t)(at - digits);
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at, end);
        count += (size_t)(at - fraction);
    }
    if (count && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        return is_integer(at, end);
    }
    return count && at == end;
}

struct line {
    size_t fields;
    size_t numbers; /* of them, after the first */
    bool whole;     /* all fields are integers */
};

static struct line read_line(const char *at, const char *end)
{
    struct line line = {.whole = true};
    while (at < end) {
        while (at < end && is_blank(*at))
            at++;
        const char *field = at;
        while (at < end && !is_blank(*at))
            at++;
        if (at == field)
            break;
        line.whole &= is_integer(field, at);
        line.numbers += line.fields > 0 && is_number(field, at);
        line.fields++;
    }
    return line;
}

static bool has_control_bytes(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v')
            return true;
    }
    return false;
}

/* `whole`: the text is the complete file, so its last line is not truncated. */
static bool is_vectors(const char *text, size_t length, bool whole)
{
    const char *end = text + length;
    size_t lines = 0, vectors = 0;
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    for (const char *at = text; at < end && lines < LINES;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop && !whole && lines)
            break;
        stop = stop ? stop : end;
        struct line line = read_line(at, stop);
        if (at == text && line.fields == 2 && line.whole)
            return true;
        lines += line.fields > 0;
        vectors += line.fields > 2 && line.numbers == line.fields - 1;
        at = stop < end ? stop + 1 : end;
    }
    return 2 * vectors > lines;
}

static enum file_kind sniff(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return strcmp(path, "-") != 0 ? FILE_UNREADABLE : FILE_IS_SET;
    if (!S_ISREG(status.st_mode))
        return FILE_IS_SET;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FILE_UNREADABLE;
    char *text = lasting_alloc(SNIFFED, 1);
    size_t length = 0;
    ssize_t got = 1;
    while (length < SNIFFED && got > 0) {
        got = read(fd, text + length, SNIFFED - length);
        if (got < 0 && errno == EINTR && !signals_caught())
            got = 1;
        else if (got > 0)
            length += (size_t)got;
    }
    int error = errno;
    close(fd);
    bool model = got >= 0 && (has_control_bytes(text, length) ||
                              is_vectors(text, length, (uint64_t)status.st_size <= length));
    errno = error;
    return got < 0 ? FILE_UNREADABLE : model ? FILE_IS_MODEL : FILE_IS_SET;
}

bool eval_file_is_model(const char *path)
{
    return sniff(path) == FILE_IS_MODEL;
}

/* ---- All files ------------------------------------------------------------------- */

void eval_add_file(struct eval_files *files, const char *path)
{
    files->paths = must_grow(files->paths, files->count + 1, sizeof *files->paths);
    files->names = must_grow(files->names, files->count + 1, sizeof *files->names);
    files->names[files->count] = NULL;
    files->paths[files->count++] = path;
}

/* Classifies the operands; sets go to `sets`, which has capacity for all operands. */
static int classify_operands(struct eval *eval, const char **sets, size_t *set_count)
{
    const struct arguments *arguments = eval->run->arguments;
    const struct option_value *models = argument(arguments, "model");
    *set_count = 0;
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        enum file_kind kind = sniff(path);
        if (kind == FILE_UNREADABLE)
            return run_error(eval->run, EXIT_INPUT, "cannot read %s: %s", path,
                             system_error(errno));
        if (kind == FILE_IS_MODEL)
            eval_add_file(&eval->model_files, path);
        else
            sets[(*set_count)++] = path;
    }
    for (size_t k = 0; k < models->text_count; k++)
        eval_add_file(&eval->model_files, models->texts[k]);
    if (eval->model_files.count)
        return EXIT_FINE;
    if (*set_count)
        return run_use_error(eval->run,
                             "give a model: %s does not look like vectors; if it is a model, give "
                             "it with --model",
                             sets[0]);
    return run_use_error(eval->run, "give a model");
}

static void close_list(void *list)
{
    psdvec_test_list_close(list);
}

static void close_test(void *test)
{
    psdvec_test_close(test);
}

static void add_set(struct eval *eval, const psdvec_test *set, const char *path)
{
    struct eval_files *files = &eval->set_files;
    eval->sets = must_grow(eval->sets, files->count + 1, sizeof *eval->sets);
    eval->sets[files->count] = set;
    eval_add_file(files, path);
    files->names[files->count - 1] = psdvec_test_get_info(set)->name;
}

/* The sets of one path; `doubtful`: the user did not declare it a set, so it may be neither. */
static int add_sets_of(struct eval *eval, const char *path, bool doubtful)
{
    struct run *run = eval->run;
    psdvec_test_list *list;
    const struct open_file *open = run_find_open(run, OPEN_SETS, path);
    for (size_t k = 0; open && k < open->set_count; k++)
        add_set(eval, open->sets[k], open->name);
    if (open)
        return EXIT_FINE;
    if (run->only_open)
        return run_error(run, EXIT_USE, "there is no test set %s", path);
    psdvec_status status = psdvec_test_list_open(run->ctx, path, &list);
    if (status == PSDVEC_ERR_FORMAT && doubtful)
        return run_failed_because(run, status,
                                  phrase("%s; it does not look like vectors either; if it is a "
                                         "model, give it with --model",
                                         psdvec_error_message(run->ctx)));
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(list, close_list);
    size_t count;
    const psdvec_test *const *sets = psdvec_test_list_get(list, &count);
    for (size_t k = 0; k < count; k++)
        add_set(eval, sets[k], psdvec_test_list_path(list, k));
    return EXIT_FINE;
}

int eval_open_sets(struct eval *eval, const char *const *paths, size_t count, size_t doubtful,
                   bool builtin)
{
    int code = EXIT_FINE;
    for (size_t k = 0; k < count && !code; k++)
        code = add_sets_of(eval, paths[k], k < doubtful);
    if (code)
        return code;
    size_t builtins = builtin || !count ? psdvec_test_builtin_count() : 0;
    for (size_t k = 0; k < builtins; k++) {
        psdvec_test *test;
        psdvec_status status = psdvec_test_builtin(eval->run->ctx, k, &test);
        if (status != PSDVEC_OK)
            return run_failed(eval->run, status);
        lasting(test, close_test);
        add_set(eval, test, NULL);
    }
    names_differ(eval->set_files.names, eval->set_files.paths, eval->set_files.count);
    return EXIT_FINE;
}

int eval_open_models(struct eval *eval)
{
    struct eval_files *files = &eval->model_files;
    eval->models = lasting_alloc(files->count, sizeof *eval->models);
    for (size_t k = 0; k < files->count; k++) {
        int code =
            model_file_open_weighted(eval->run, files->paths[k], eval->spelling, &eval->models[k]);
        if (code)
            return code;
        files->names[k] = name_of_file(files->paths[k]);
    }
    names_differ(files->names, files->paths, files->count);
    return EXIT_FINE;
}

int eval_open(struct eval *eval)
{
    const struct arguments *arguments = eval->run->arguments;
    const struct option_value *named = argument(arguments, "set");
    const char **sets =
        lasting_alloc(arguments->operand_count + named->text_count + 1, sizeof *sets);
    size_t count, doubtful;
    int code = classify_operands(eval, sets, &doubtful);
    if (!code)
        code = run_library(eval->run);
    if (code)
        return code;
    count = doubtful;
    for (size_t k = 0; k < named->text_count; k++)
        sets[count++] = named->texts[k];
    /* Sets first: they are small, and an error in one should not be reported only after the
     * models. */
    code = eval_open_sets(eval, sets, count, doubtful, argument_flag(arguments, "builtin"));
    return code ? code : eval_open_models(eval);
}

void eval_close(struct eval *eval)
{
    psdvec_report_free(eval->report);
    free(eval->sets);
    free(eval->model_files.names);
    free(eval->model_files.paths);
    free(eval->set_files.names);
    free(eval->set_files.paths);
}
