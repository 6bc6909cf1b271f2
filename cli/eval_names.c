/* Names for the reader of a report: short, and no two the same. */
#include "eval_names.h"

#include "cell.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

char *name_of_file(const char *path)
{
    static const char *const endings[] = {".safetensors", ".vec",   ".txt", ".w2v",
                                          ".bin",         ".glove", ".npy"};
    const char *slash = strrchr(path, '/');
    char *name = must_copy(slash && slash[1] ? slash + 1 : path);
    size_t length = strlen(name);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t end = strlen(endings[k]);
        if (length > end && !strcmp(name + length - end, endings[k])) {
            name[length - end] = 0;
            break;
        }
    }
    return name;
}

static bool stands_before(char *const *names, size_t k)
{
    for (size_t l = 0; l < k; l++)
        if (!strcmp(names[l], names[k]))
            return true;
    return false;
}

static bool differ(char *const *names, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (stands_before(names, k))
            return false;
    return true;
}

void names_differ(char **names, const char *const *paths, size_t count)
{
    bool *twice = must_alloc(count, sizeof *twice);
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < count; l++)
            twice[k] |= l != k && !strcmp(names[l], names[k]);
    for (size_t k = 0; k < count; k++)
        if (twice[k] && paths[k]) {
            free(names[k]);
            names[k] = must_copy(paths[k]);
        }
    free(twice);
    for (size_t k = 1; k < count; k++) {
        char *plain = must_copy(names[k]);
        for (size_t number = 2; stands_before(names, k); number++) {
            free(names[k]);
            names[k] = must_format("%s (%zu)", plain, number);
        }
        free(plain);
    }
}

/* A, B, ..., Z, AA, AB, ... */
static char *letters(size_t k)
{
    struct buffer backwards = {0};
    for (k++; k > 0; k = (k - 1) / 26)
        buffer_char(&backwards, (char)('A' + (k - 1) % 26));
    for (size_t a = 0, b = backwards.length - 1; a < b; a++, b--) {
        char c = backwards.text[a];
        backwards.text[a] = backwards.text[b];
        backwards.text[b] = c;
    }
    return backwards.text;
}

char **names_short(char *const *names, size_t count, size_t columns, bool *same)
{
    char **result = must_alloc(count, sizeof *result);
    *same = true;
    for (size_t k = 0; k < count; k++) {
        struct buffer name = {0};
        shorten(&name, names[k], columns);
        result[k] = must_copy(buffer_get(&name));
        *same &= !strcmp(result[k], names[k]);
        buffer_free(&name);
    }
    if (!*same && !differ(result, count))
        for (size_t k = 0; k < count; k++) {
            free(result[k]);
            result[k] = letters(k);
        }
    return result;
}

void names_free(char **names, size_t count)
{
    for (size_t k = 0; names && k < count; k++)
        free(names[k]);
    free(names);
}
