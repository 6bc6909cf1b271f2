/* The folder of a table: its contents, its ownership, and what is done.
 *
 *     records/psdvec-table   identifies the folder; locked by the running process
 *     records/NAME.json      what NAME.safetensors was made with, and what it cost
 *
 * A record is written before its file is started, so a file without one does not belong to the
 * table and is never changed. Nor is a file that the user replaced by another complete one. */
#include "table.h"

#include "exit_status.h"
#include "system.h"
#include "util/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".safetensors";
static const char mark[] = "psdvec-table";
static const char *const results[] = {"table.md", "table.json", "table.html"};
enum { RESULTS = sizeof results / sizeof *results, RECORD_MOST = 16 << 20 };

static const char *path_in(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    return phrase("%.*s/%s", (int)length, folder, name);
}

/* ---- Records ------------------------------------------------------------------------------- */

static const char *record_path(const struct table *table, const struct table_item *item)
{
    const char *name = strrchr(item->file, '/') + 1;
    return phrase("%s/%.*s.json", table->records, (int)(strlen(name) - strlen(ending)), name);
}

static int write_file(const char *path, const struct buffer *text)
{
    struct output out;
    bool open = output_open(&out, path);
    if (open)
        output_add(&out, text->text, text->length);
    return output_close(&out, open) ? 0 : out.error;
}

int table_record(struct table *table, const struct table_item *item, bool ended)
{
    bool finished = ended && item->done;
    pv_json_writer json;
    struct buffer text = {0};
    struct stat status = {0};
    if (finished && stat(item->file, &status) != 0)
        return errno;
    json_start(&json, &text);
    pv_json_open_object(&json, NULL);
    pv_json_put_bool(&json, "finished", finished);
    pv_json_put_raw(&json, "settings", item->settings.text, item->settings.length);
    pv_json_put_i64(&json, "file_bytes", status.st_size);
    pv_json_put_u64(&json, "tokens", item->tokens);
    pv_json_put_u64(&json, "documents", item->documents);
    pv_json_put_fixed(&json, "seconds", item->cost.seconds, 3);
    pv_json_put_fixed(&json, "cpu_seconds", item->cost.cpu, 3);
    pv_json_put_u64(&json, "memory", item->cost.memory);
    pv_json_put_i64(&json, "threads", item->cost.threads);
    pv_json_put_bool(&json, "more", !ended || item->cost.more); /* it may be killed meanwhile */
    pv_json_close(&json);
    json_end(&json);
    buffer_char(&text, '\n');
    int error = write_file(record_path(table, item), &text);
    buffer_free(&text);
    return error;
}

struct record {
    bool finished, same;   /* the settings are those of the item */
    struct buffer differ;  /* or which of them are not */
    struct buffer version; /* the version that wrote it, if it is not the current one */
    uint64_t bytes, tokens, documents, threads;
    struct table_cost cost;
};

/* Returns false if there is none. An unreadable record only shows that the file belongs to the
 * table, and members of a later version are ignored. The caller frees the record in either case. */
static bool read_record(const struct table *table, const struct table_item *item,
                        struct record *record)
{
#define FIELD(name, member) PV_JSON_NAMED(name, struct record, member)
    static const pv_json_field fields[] = {
        FIELD("file_bytes", bytes),     FIELD("tokens", tokens),
        FIELD("documents", documents),  FIELD("seconds", cost.seconds),
        FIELD("cpu_seconds", cost.cpu), FIELD("memory", cost.memory),
        FIELD("threads", threads),      {0}};
#undef FIELD
    pv_json json;
    struct buffer key = {0}, settings = {0};
    const char *value;
    size_t length;
    char *text = read_whole(record_path(table, item), RECORD_MOST, &length);
    *record = (struct record){0};
    if (!text)
        return false;
    pv_json_start(&json, text, length, PV_JSON_REPLACE_SURROGATES | PV_JSON_ANY_BYTES,
                  buffer_append);
    for (bool more = pv_json_enter_object(&json); more && pv_json_next_key(&json, &key);
         buffer_clear(&key)) {
        const char *name = buffer_get(&key);
        if (!strcmp(name, "finished"))
            pv_json_read_bool(&json, &record->finished);
        else if (!strcmp(name, "more"))
            pv_json_read_bool(&json, &record->cost.more);
        else if (strcmp(name, "settings") != 0)
            pv_json_read_field(&json, name, key.length, fields, record);
        else if (pv_json_skip(&json, &value, &length)) {
            buffer_add(&settings, value, length);
            table_settings_compare(settings.text, item->settings.text, &record->differ,
                                   &record->version);
            record->same = record->differ.length == 0;
        }
    }
    record->cost.threads = (int)record->threads;
    buffer_free(&key);
    buffer_free(&settings);
    free(text);
    return true;
}

/* ---- What is done ---------------------------------------------------------------------------- */

/* Opens the file and verifies its checksums. */
static psdvec_status check_file(struct table *table, const char *path, bool counts)
{
    psdvec_context *ctx = table->run->ctx;
    psdvec_status status;
    if (counts) {
        psdvec_counts *file = NULL;
        status = psdvec_counts_open(ctx, path, &file);
        if (status == PSDVEC_OK)
            status = psdvec_counts_verify(ctx, file);
        psdvec_counts_close(file);
    } else {
        psdvec_model *file = NULL;
        status = psdvec_model_open(ctx, path, &file);
        if (status == PSDVEC_OK)
            status = psdvec_model_verify(ctx, file);
        psdvec_model_close(file);
    }
    return status;
}

static int refuse_other_file(struct table *table, const char *path, const char *why)
{
    return run_error(table->run, EXIT_OUTPUT, "%s %s; move it, or choose another folder with -o",
                     path, why);
}

static void note_remake(struct table *table, const struct table_item *item, const char *why)
{
    talk_note(&table->run->talk, phrase("%s is made again because %s", item->file, why));
}

/* Called if the record of a file has these settings and is complete: checks whether the file still
 * exists. */
static int check_item_file(struct table *table, struct table_item *item,
                           const struct record *record, bool counts)
{
    struct stat status;
    bool there = stat(item->file, &status) == 0;
    psdvec_status found = there ? check_file(table, item->file, counts) : PSDVEC_OK;
    if (found == PSDVEC_ERR_CANCELLED)
        return run_failed_because(table->run, found, "stopped; the folder is unchanged");
    if (found != PSDVEC_OK)
        note_remake(table, item, psdvec_error_message(table->run->ctx));
    else if (there && (uint64_t)status.st_size != record->bytes)
        return refuse_other_file(table, item->file, "is not the file that this table wrote");
    item->there = there && found == PSDVEC_OK;
    if (!item->there && !counts)
        return EXIT_FINE;
    /* The cost of counting is known even without the file. */
    item->done = item->kept = true;
    item->tokens = record->tokens;
    item->documents = record->documents;
    item->cost = record->cost;
    return EXIT_FINE;
}

static int check_record(struct table *table, struct table_item *item, struct record *record,
                        bool counts)
{
    item->guess = record->finished ? record->cost.seconds : 0;
    if (argument_flag(table->run->arguments, "restart"))
        return EXIT_FINE;
    item->changed = record->finished && !record->same;
    if (item->changed)
        note_remake(table, item,
                    phrase("settings or text have changed%s%s", record->differ.length ? ": " : "",
                           buffer_get(&record->differ)));
    if (!record->same)
        return EXIT_FINE;
    if (record->finished) {
        int code = check_item_file(table, item, record, counts);
        if (item->kept && record->version.length)
            item->made_by = phrase_of(&record->version);
        return code;
    }
    struct stat status;
    item->begun = stat(phrase("%s.partial", item->file), &status) == 0;
    if (item->begun)
        item->cost = record->cost;
    return EXIT_FINE;
}

static int look(struct table *table, struct table_item *item, bool counts)
{
    struct stat status;
    struct record record;
    int code = EXIT_FINE;
    if (read_record(table, item, &record))
        code = check_record(table, item, &record, counts);
    else if (lstat(item->file, &status) == 0)
        code =
            refuse_other_file(table, item->file, "already exists, and this table did not write it");
    buffer_free(&record.differ);
    buffer_free(&record.version);
    return code;
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* The number of files in a folder; -1 with errno set if it cannot be read. */
static int count_files(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, NULL);
    for (int k = 0; k < count; k++)
        free(entries[k]);
    if (count < 0)
        return -1;
    free(entries);
    return count - 2;
}

/* The folder would be read as text. */
static int refuse_inside(struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    char *folder = realpath(table->folder, NULL);
    int code = EXIT_FINE;
    for (size_t k = 0; k < arguments->operand_count && folder && !code; k++) {
        char *input = realpath(arguments->operands[k], NULL);
        size_t length = input ? strlen(input) : 0;
        if (input && !strncmp(folder, input, length) && (folder[length] == '/' || !folder[length]))
            code = run_error(table->run, EXIT_OUTPUT,
                             "%s is inside the input %s and would be read as text; choose another "
                             "folder with -o",
                             table->folder, arguments->operands[k]);
        free(input);
    }
    free(folder);
    return code;
}

static int cannot(struct table *table, const char *what, const char *path)
{
    int error = errno;
    return run_error(table->run, exit_for_output(error), "cannot %s %s: %s%s", what, path,
                     system_error(error), system_remedy(error));
}

/* Initialises a folder that has no table. */
static int make_records(struct table *table)
{
    struct stat status;
    for (size_t k = 0; k < RESULTS; k++) {
        const char *path = path_in(table->folder, results[k]);
        if (lstat(path, &status) == 0)
            return refuse_other_file(table, path,
                                     "already exists, and psdvec table did not write it");
    }
    errno = pv_new_folder(table->records);
    if (errno != 0 && errno != EEXIST)
        return cannot(table, "create the folder", table->records);
    int files = count_files(table->records);
    if (files < 0)
        return cannot(table, "read the folder", table->records);
    if (files > 0)
        return refuse_other_file(table, table->records,
                                 "already exists, and psdvec table did not write it");
    return EXIT_FINE;
}

static int hold(struct table *table)
{
    struct stat status;
    const char *path = path_in(table->records, mark);
    int code = stat(path, &status) == 0 ? EXIT_FINE : make_records(table);
    if (code)
        return code;
    table->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (table->lock < 0)
        return cannot(table, "write", path);
    if (flock(table->lock, LOCK_EX | LOCK_NB) == 0)
        return EXIT_FINE;
    return run_error(table->run, EXIT_OUTPUT,
                     "another psdvec table is running in %s; wait for it, or choose another "
                     "folder with -o",
                     table->folder);
}

static void name_file(struct table *table, struct table_item *item, const char *middle)
{
    item->file = path_in(table->folder, phrase("%s%s%s", item->name, middle, ending));
}

int table_folder_open(struct table *table)
{
    struct stat status;
    errno = pv_new_folder(table->folder);
    bool made = errno == 0;
    if (!made && errno != EEXIST)
        return cannot(table, "create the folder", table->folder);
    if (stat(table->folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return refuse_other_file(table, table->folder,
                                 "is not a folder, and a table consists of several "
                                 "files");
    table->records = path_in(table->folder, "records");
    int code = refuse_inside(table);
    if (code && made)
        rmdir(table->folder);
    if (!code)
        code = hold(table);
    for (size_t k = 0; k < table->counts_count; k++)
        name_file(table, &table->counts[k].item, ".counts");
    for (size_t k = 0; k < table->system_count; k++)
        name_file(table, &table->systems[k].item, "");
    for (size_t k = 0; k < table->counts_count && !code; k++)
        code = look(table, &table->counts[k].item, true);
    for (size_t k = 0; k < table->system_count && !code; k++)
        code = look(table, &table->systems[k].item, false);
    return code;
}

void table_folder_close(struct table *table)
{
    if (table->lock >= 0)
        close(table->lock);
}

int table_write(struct table *table, const char *name, const struct buffer *text)
{
    const char *path = path_in(table->folder, name);
    errno = write_file(path, text);
    return errno ? cannot(table, "write", path) : EXIT_FINE;
}
