/* The test sets that come with the library. */
#include "eval/builtin.h"

#include "eval/builtin_data.h"

size_t pv_builtin_count(void)
{
    return pv_builtin_sets_count;
}

const char *pv_builtin_text(size_t i, const char **name, size_t *length)
{
    *name = pv_builtin_sets[i].name;
    *length = pv_builtin_sets[i].length;
    return pv_builtin_sets[i].text;
}
