/* Members of a group that exchange messages through memory. */
#include "support/members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct hub {
    pthread_barrier_t all;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t started[MOST_MEMBERS]; /* exchanges */
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
    /* The exchange that was started. */
    void *const *in;
    const size_t *in_bytes;
    bool taken[MOST_MEMBERS];
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

static int start(void *self, const void *const *out, const size_t *out_bytes, void *const *in,
                 const size_t *in_bytes)
{
    member *m = self;
    hub *h = m->hub;
    m->in = in;
    m->in_bytes = in_bytes;
    memset(m->taken, 0, sizeof m->taken);
    pthread_mutex_lock(&h->lock);
    h->out[m->rank] = out;
    h->out_bytes[m->rank] = out_bytes;
    h->started[m->rank]++;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    return 0;
}

static int take_from(member *m, uint32_t r)
{
    hub *h = m->hub;
    if (m->taken[r] || r == m->rank)
        return 0;
    m->taken[r] = true;
    pthread_mutex_lock(&h->lock);
    while (h->started[r] < h->started[m->rank])
        pthread_cond_wait(&h->changed, &h->lock);
    size_t bytes = h->out_bytes[r][m->rank];
    const void *from = bytes ? h->out[r][m->rank] : NULL;
    pthread_mutex_unlock(&h->lock);
    if (bytes == m->in_bytes[r] && bytes > 0)
        memcpy(m->in[r], from, bytes);
    return bytes != m->in_bytes[r];
}

static int wait_for(void *self, uint32_t r)
{
    member *m = self;
    if (r != m->rank)
        return take_from(m, r);
    int wrong = 0;
    for (uint32_t other = 0; other < m->hub->members; other++)
        wrong |= take_from(m, other);
    pthread_barrier_wait(&m->hub->all); /* all have taken what this one sends */
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
                          .self = m,
                          .start = start,
                          .wait = wait_for};
    /* Groups of even size are those of a program that does not know the last members. */
    if (m->hub->members % 2 == 0) {
        group.size = offsetof(psdvec_group, start);
        memset((char *)&group + group.size, 0xff, sizeof group - group.size);
    }
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
    pthread_mutex_init(&h.lock, NULL);
    pthread_cond_init(&h.changed, NULL);
    for (uint32_t r = 0; r < members; r++) {
        list[r] = (member){.hub = &h, .rank = r, .options = &options[r], .fn = fn, .arg = arg};
        assert_int_equal(pthread_create(&threads[r], NULL, run_member, &list[r]), 0);
    }
    for (uint32_t r = 0; r < members; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&h.all);
    pthread_mutex_destroy(&h.lock);
    pthread_cond_destroy(&h.changed);
    for (uint32_t r = 0; r < members; r++)
        assert_int_equal(list[r].memory_left, 0);
}
