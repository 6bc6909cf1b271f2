/* Fuzzes files of the program: the records of psdvec table, lists of words (@FILE), and the history
 * of psdvec ask.
 *
 * The first byte selects which; of a record, the remaining bytes are the settings, compared with
 * settings of this version. */
#include "fuzz/fuzz.h"
#include "line_history.h"
#include "memory.h"
#include "table.h"
#include "word_list.h"

static void record(const char *text)
{
    static const char asked[] = "{\"version\": \"0.2.0\", \"text\": {\"files\": 2, \"bytes\": "
                                "100}, \"options\": {\"dim\": 10, \"list\": [1, 2]}}";
    struct buffer differ = {0}, version = {0};
    table_settings_compare(text, asked, &differ, &version);
    require(!differ.length || strlen(buffer_get(&differ)) == differ.length);
    buffer_clear(&differ);
    table_settings_compare(asked, text, &differ, &version);
    buffer_free(&differ);
    buffer_free(&version);
    struct buffer plain = {0};
    json_plain(&plain, text, strlen(text));
    buffer_free(&plain);
}

static void word_list(const char *path, bool lines)
{
    struct word_list list = {0};
    size_t length;
    char *text = read_whole(path, SIZE_MAX, &length);
    require(text);
    word_list_add(&list, text, lines);
    for (size_t k = 0; k < list.count; k++)
        require(*list.words[k] && !strpbrk(list.words[k], lines ? "\r\n" : ","));
    word_list_free(&list);
}

static void take_line(void *host, const char *line)
{
    size_t *lines = host;
    require(*line && !strchr(line, '\n') && ++*lines <= HISTORY_LINES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_file file;
    size_t lines = 0;
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    fuzz_file_set(&file, data + 1, size - 1);
    if (data[0] % 3 == 0)
        record(text);
    else if (data[0] % 3 == 1)
        word_list(file.path, data[0] & 4);
    else
        line_history_load(file.path, take_line, &lines);
    lasting_end(0);
    free(text);
    return 0;
}
