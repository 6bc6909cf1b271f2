/* Members of a group that exchange messages through memory. */
#include "support/members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct hub {
    pthread_barrier_t all;
    uint32_t members;
    const void *const *out[MOST_MEMBERS];
    const size_t *out_bytes[MOST_MEMBERS];
} hub;

typedef struct member {
    hub *hub;
    uint32_t rank;
    const psdvec_context_options *options;
    member_fn *fn;
    void *arg;
    uint64_t memory_left;
} member;

static int exchange(void *self, const void *const *out, const size_t *out_bytes, void *const *in,
                    const size_t *in_bytes)
{
    member *m = self;
    hub *h = m->hub;
    int wrong = 0;
    h->out[m->rank] = out;
    h->out_bytes[m->rank] = out_bytes;
    pthread_barrier_wait(&h->all);
    for (uint32_t r = 0; r < h->members; r++) {
        if (r == m->rank)
            continue;
        size_t bytes = h->out_bytes[r][m->rank];
        wrong |= bytes != in_bytes[r];
        if (bytes == in_bytes[r] && bytes > 0)
            memcpy(in[r], h->out[r][m->rank], bytes);
    }
    pthread_barrier_wait(&h->all);
    return wrong;
}

/* The others would wait for ever for a member that cannot begin. */
static void must(psdvec_status status)
{
    if (status != PSDVEC_OK)
        abort();
}

static void *run_member(void *arg)
{
    member *m = arg;
    psdvec_context *ctx;
    must(psdvec_context_new(m->options, &ctx));
    psdvec_group group = {.size = sizeof group,
                          .rank = m->rank,
                          .members = m->hub->members,
                          .name = "here",
                          .exchange = exchange,
                          .self = m};
    must(psdvec_context_join(ctx, &group));
    m->fn(m->arg, m->rank, ctx);
    m->memory_left = atomic_load(&ctx->memory_used);
    psdvec_context_free(ctx);
    return NULL;
}

void run_members(uint32_t members, const psdvec_context_options *options, member_fn *fn, void *arg)
{
    hub h = {.members = members};
    member list[MOST_MEMBERS];
    pthread_t threads[MOST_MEMBERS];
    assert_in_range(members, 1, MOST_MEMBERS);
    pthread_barrier_init(&h.all, NULL, members);
    for (uint32_t r = 0; r < members; r++) {
        list[r] = (member){.hub = &h, .rank = r, .options = &options[r], .fn = fn, .arg = arg};
        assert_int_equal(pthread_create(&threads[r], NULL, run_member, &list[r]), 0);
    }
    for (uint32_t r = 0; r < members; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&h.all);
    for (uint32_t r = 0; r < members; r++)
        assert_int_equal(list[r].memory_left, 0);
}
