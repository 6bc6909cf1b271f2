/* The maps that psdvec explore shows: read from tables (--map) or computed in the background, and
 * the form in which they are sent. */
#ifndef CLI_EXPLORE_MAP_H
#define CLI_EXPLORE_MAP_H

#include "memory.h"

#include <psdvec/psdvec.h>

#include <pthread.h>
#include <stdatomic.h>

struct run;

enum explore_map_state {
    EXPLORE_MAP_NONE, /* --map-words 0 */
    EXPLORE_MAP_WAITING,
    EXPLORE_MAP_MAKING,
    EXPLORE_MAP_READY,
    EXPLORE_MAP_FAILED
};

/* The map of one model. */
struct explore_map {
    const char *path; /* of its table; NULL: computed */
    psdvec_model *model;
    enum explore_map_state state; /* this and all that follows: under the lock */
    char stage[40];               /* of the computation */
    uint64_t done, total;
    char *error;
    psdvec_map_info info;
    struct buffer bytes, packed; /* of explore_map_write(); the second with gzip */
};

/* All of them; starts as {0}. */
struct explore_maps {
    struct run *run;
    struct explore_map *list; /* per model */
    size_t count;
    psdvec_context_options options; /* of the computation */
    pthread_t thread;
    bool started, locked;
    atomic_bool stop;
    pthread_mutex_t lock;
};

/* Reads --map and --map-words for `count` models. Returns an exit status. */
int explore_maps_open(struct explore_maps *maps, struct run *run, size_t count, uint64_t memory);
/* Makes all maps in a thread: first those that are read. Returns false if there is none. */
bool explore_maps_start(struct explore_maps *maps);
/* Makes one now, in this thread, unless a thread does. */
void explore_maps_need(struct explore_maps *maps, size_t model);
void explore_maps_close(struct explore_maps *maps);

/* Adds a number, little-endian. */
void explore_put_u32(struct buffer *to, uint32_t value);

/* docs/reference/http-api.md describes the bytes. */
void explore_map_write(const psdvec_map *map, const psdvec_model *model, struct buffer *to);

#endif
