/* Names for the reader of a report: short, and no two the same. */
#include "eval_names.h"

#include "cell.h"
#include "phrase.h"

#include <string.h>

const char *name_of_file(const char *path)
{
    static const char *const endings[] = {".safetensors", ".vec",   ".txt", ".w2v",
                                          ".bin",         ".glove", ".npy"};
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t end = strlen(endings[k]);
        if (length > end && !strcmp(name + length - end, endings[k]))
            return phrase("%.*s", (int)(length - end), name);
    }
    return name;
}

static bool stands_before(const char *const *names, size_t k)
{
    for (size_t l = 0; l < k; l++)
        if (!strcmp(names[l], names[k]))
            return true;
    return false;
}

static bool differ(const char *const *names, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (stands_before(names, k))
            return false;
    return true;
}

void names_differ(const char **names, const char *const *paths, size_t count)
{
    bool *twice = lasting_alloc(count, sizeof *twice);
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < count; l++)
            twice[k] |= l != k && !strcmp(names[l], names[k]);
    for (size_t k = 0; k < count; k++)
        if (twice[k] && paths[k])
            names[k] = paths[k];
    for (size_t k = 1; k < count; k++) {
        const char *plain = names[k];
        for (size_t number = 2; stands_before(names, k); number++)
            names[k] = phrase("%s (%zu)", plain, number);
    }
}

/* A, B, ..., Z, AA, AB, ... */
static const char *letters(size_t k)
{
    const char *text = "";
    for (k++; k > 0; k = (k - 1) / 26)
        text = phrase("%c%s", (int)('A' + (k - 1) % 26), text);
    return text;
}

const char **names_short(const char *const *names, size_t count, size_t columns, bool *same)
{
    const char **result = must_alloc(count, sizeof *result);
    *same = true;
    for (size_t k = 0; k < count; k++) {
        struct buffer name = {0};
        shorten(&name, names[k], columns);
        result[k] = phrase_of(&name);
        *same &= !strcmp(result[k], names[k]);
    }
    if (!*same && !differ(result, count))
        for (size_t k = 0; k < count; k++)
            result[k] = letters(k);
    return result;
}
