/* Compares the files of a command line before anything is opened: operands, options whose value is
 * a file, lists of words (@FILE), the log, and standard input. Which of them are written follows
 * from the tables of options (PSDVEC_PATH_NEW_FILE).
 *
 * Files are the same if they have the same device and inode, so all kinds of links are recognised.
 * Of two new files, which do not exist yet, folder and name are compared. Devices and pipes may be
 * used twice. */
#include "named_files.h"

#include "memory.h"
#include "phrase.h"
#include "util/new_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct named_file {
    const char *path, *option; /* NULL: an operand */
    bool written, first;       /* first: the first operand */
    bool known;                /* it can be compared: by device and inode of the file, or, if */
    char *name;                /* there is none, of the folder, and this name in it */
    struct stat info;
};

struct named_files {
    const struct arguments *arguments;
    struct named_file *list;
    size_t count;
};

/* Finds the file, or the folder in which it will be created. */
static void identify(struct named_file *file)
{
    if (stat(file->path, &file->info) == 0) {
        file->known = S_ISREG(file->info.st_mode);
        return;
    }
    char *target = file->written ? pv_follow_links(file->path) : NULL;
    char *folder = target ? pv_folder_of(target) : NULL;
    if (folder && stat(folder, &file->info) == 0) {
        const char *slash = strrchr(target, '/');
        file->name = must_copy(slash ? slash + 1 : target);
        file->known = true;
    }
    free(folder);
    free(target);
}

static void add(struct named_files *files, const char *path, const char *option, bool written)
{
    if (!path || !*path || !strcmp(path, "-"))
        return;
    files->list = must_grow(files->list, files->count + 1, sizeof *files->list);
    struct named_file *file = &files->list[files->count++];
    *file = (struct named_file){.path = path, .option = option, .written = written};
    file->first = !option && path == files->arguments->operands[0];
    identify(file);
}

static void add_options(struct named_files *files)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(files->arguments->command, k)); k++) {
        const struct option_value *value = &files->arguments->values[k];
        bool written = option->row.path == PSDVEC_PATH_NEW_FILE;
        bool several = option->row.type == PSDVEC_OPTION_TEXTS;
        if (!value->given || (option->row.type != PSDVEC_OPTION_TEXT && !several))
            continue;
        for (size_t l = 0; l < (several ? value->text_count : 1); l++) {
            const char *text = several ? value->texts[l] : value->text;
            if (option->row.path == PSDVEC_PATH_FILE || written)
                add(files, text, option->name, written);
            else if (text[0] == '@')
                add(files, text + 1, option->name, false);
        }
    }
}

static bool are_same(const struct named_file *a, const struct named_file *b)
{
    return a->known && b->known && a->info.st_dev == b->info.st_dev &&
           a->info.st_ino == b->info.st_ino && !a->name == !b->name &&
           (!a->name || !strcmp(a->name, b->name));
}

static bool is_output(const struct named_file *file)
{
    return file->written && (!file->option || !strcmp(file->option, "output"));
}

static const char *compare(const struct named_file *file, const struct named_file *other)
{
    if (!are_same(file, other))
        return NULL;
    if (other->written)
        return phrase("--%s and %s name the same file, %s; choose two names", file->option,
                      is_output(other) ? "-o" : phrase("--%s", other->option), file->path);
    if (is_output(file))
        return phrase("%s: is both input and output; choose another output", file->path);
    return phrase("--%s %s: is both input and output; choose another name", file->option,
                  file->path);
}

static const char *find_error(const struct named_files *files)
{
    bool may_replace = files->arguments->command->output_input;
    for (size_t k = 0; k < files->count; k++) {
        const struct named_file *file = &files->list[k];
        for (size_t l = 0; file->written && l < files->count; l++) {
            const struct named_file *other = &files->list[l];
            /* Each pair of outputs once, -o second. */
            bool twice = other->written &&
                         (l == k || is_output(file) || (l < k && !is_output(other)));
            bool allowed = may_replace && is_output(file) && other->first;
            const char *error = twice || allowed ? NULL : compare(file, other);
            if (error)
                return error;
        }
    }
    return NULL;
}

const char *named_files_error(const struct arguments *arguments)
{
    struct named_files files = {.arguments = arguments};
    const struct command *command = arguments->command;
    const char *output = arguments_output(arguments);
    for (size_t k = 0; k < arguments->operand_count && !command->no_files; k++)
        add(&files, arguments->operands[k], NULL, arguments->operands[k] == output);
    add_options(&files);
    struct stat input;
    if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode)) {
        add(&files, "/dev/stdin", NULL, false);
        files.list[files.count - 1].info = input;
        files.list[files.count - 1].known = true;
    }
    const char *error = find_error(&files);
    for (size_t k = 0; k < files.count; k++)
        free(files.list[k].name);
    free(files.list);
    return error;
}
