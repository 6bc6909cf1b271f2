/* Parallel merge sort: workers sort groups, which are then merged in pairs, level by level. */
#include "base/sort.h"

#include "base/memory.h"
#include "base/platform.h"
#include "base/thread.h"

#include <string.h>

enum { GROUP = 1 << 14, POLL = 1 << 14 };

typedef struct sorting {
    psdvec_context *ctx;
    char *from, *to;
    size_t count, size;
    size_t sorted; /* length of the sorted runs in `from` */
    int (*compare)(const void *, const void *, void *);
    void *arg;
} sorting;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static psdvec_status sort_group(void *opaque, size_t group, int worker)
{
    (void)worker;
    sorting *s = opaque;
    size_t begin = group * GROUP;
    pv_sort_small(s->from + begin * s->size, least(GROUP, s->count - begin), s->size, s->compare,
                  s->arg);
    return PSDVEC_OK;
}

static psdvec_status merge_pair(void *opaque, size_t pair, int worker)
{
    (void)worker;
    sorting *s = opaque;
    size_t size = s->size, begin = 2 * pair * s->sorted;
    size_t middle = least(begin + s->sorted, s->count), end = least(middle + s->sorted, s->count);
    const char *a = s->from + begin * size, *a_end = s->from + middle * size;
    const char *b = a_end, *b_end = s->from + end * size;
    char *out = s->to + begin * size;
    for (size_t steps = 0; a < a_end && b < b_end; out += size) {
        const char **smaller = s->compare(a, b, s->arg) <= 0 ? &a : &b;
        memcpy(out, *smaller, size);
        *smaller += size;
        if (++steps % POLL == 0)
            PV_TRY(pv_check_cancel(s->ctx));
    }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
    return PSDVEC_OK;
}

psdvec_status pv_sort(psdvec_context *ctx, void *array, size_t count, size_t size,
                      int (*compare)(const void *, const void *, void *), void *arg)
{
    if (count < 2)
        return PSDVEC_OK;
    sorting s = {.ctx = ctx,
                 .from = array,
                 .count = count,
                 .size = size,
                 .sorted = GROUP,
                 .compare = compare,
                 .arg = arg};
    PV_TRY(pv_parallel_tasks(ctx, (count + GROUP - 1) / GROUP, sort_group, &s));
    if (count <= GROUP)
        return PSDVEC_OK;
    char *other = pv_alloc(ctx, count, size, "sorting");
    if (!other)
        return pv_failure(ctx);
    psdvec_status status = PSDVEC_OK;
    s.to = other;
    while (s.sorted < count && status == PSDVEC_OK) {
        status =
            pv_parallel_tasks(ctx, (count + 2 * s.sorted - 1) / (2 * s.sorted), merge_pair, &s);
        char *merged = s.to;
        s.to = s.from;
        s.from = merged;
        s.sorted *= 2;
    }
    if (status == PSDVEC_OK && s.from != array)
        memcpy(array, s.from, count * size);
    pv_free(ctx, other);
    return status;
}
