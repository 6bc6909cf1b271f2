/* A list of all that lasts, of which the last ones can be ended. */
#include "lasting.h"

#include "memory.h"

#include <stdlib.h>

static struct {
    struct {
        void *what;
        void (*end)(void *what);
    } * items;
    size_t count, capacity;
} all;

void *lasting(void *what, void (*end)(void *what))
{
    if (all.count == all.capacity) {
        all.capacity = 2 * all.capacity + 64;
        all.items = must_grow(all.items, all.capacity, sizeof *all.items);
    }
    all.items[all.count].what = what;
    all.items[all.count++].end = end;
    return what;
}

void *lasting_alloc(size_t count, size_t size)
{
    return lasting(must_alloc(count, size), free);
}

size_t lasting_count(void)
{
    return all.count;
}

void lasting_end(size_t count)
{
    while (all.count > count) {
        all.count--;
        all.items[all.count].end(all.items[all.count].what);
    }
    if (!all.count) {
        free(all.items);
        all.items = NULL;
        all.capacity = 0;
    }
}
