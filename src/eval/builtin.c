/* The test sets that come with the library. */
#include "eval/builtin.h"

#include <string.h>

static const struct {
    const char *name, *text;
} sets[] = {
    {"pairs", "cat dog 8\ncar bus 7\ncat bus 1\ndog tree 2\n"},
    {"analogies", ": gender\nman woman king queen\nman woman boy girl\n"},
};

size_t pv_builtin_count(void)
{
    return sizeof sets / sizeof sets[0];
}

const char *pv_builtin_text(size_t i, const char **name, size_t *length)
{
    *name = sets[i].name;
    *length = strlen(sets[i].text);
    return sets[i].text;
}
