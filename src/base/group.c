/* Agreement and exchange between the members of a group. */
#include "base/group.h"

#include "base/arguments.h"
#include "base/context.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 2048, MOST_MEMBERS = 1 << 20 };

/* What a member tells each other one before an exchange. */
typedef struct notice {
    uint64_t step;   /* exchanges so far; differs only if members make different calls */
    uint64_t number; /* for this member: often of bytes that will be sent */
    uint32_t status; /* of the sender */
    uint32_t unused;
} notice;

struct pv_group {
    psdvec_group host;
    bool together; /* a call shares its work */
    bool started;  /* a move is under way */
    bool settled;  /* a failure is known to all members: nothing more is exchanged */
    uint64_t step;
    notice *sent, *got; /* per member, as are the arrays below */
    uint64_t *numbers;
    const void **out;
    void **in;
    size_t *out_bytes, *in_bytes;
    char message[MESSAGE_BYTES];
    uint64_t traffic[2]; /* bytes and messages that this member has sent during the call */
    char *warnings;      /* those kept, each zero-terminated; heap */
    size_t warning_bytes;
};

psdvec_status psdvec_context_join(psdvec_context *ctx, const psdvec_group *group)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, group);
    psdvec_group own = {0};
    if (group->size != sizeof own && group->size != offsetof(psdvec_group, start))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the size of the group must be %zu, not %zu",
                       sizeof own, group->size);
    memcpy(&own, group, group->size); /* a program compiled earlier passes a smaller struct */
    if (!own.start != !own.wait)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "a group has both functions `start` and `wait`, or neither");
    if (own.members == 0 || own.members > MOST_MEMBERS || own.rank >= own.members ||
        (own.members > 1 && !own.exchange))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "process %" PRIu32 " of %" PRIu32 " cannot join a group: it needs a rank "
                       "below the number of processes, and a function that exchanges messages",
                       own.rank, own.members);
    pv_group *made = calloc(1, sizeof *made);
    if (made) {
        made->host = own;
        made->sent = calloc(own.members, sizeof *made->sent);
        made->got = calloc(own.members, sizeof *made->got);
        made->numbers = calloc(own.members, sizeof *made->numbers);
        made->out = calloc(own.members, sizeof *made->out);
        made->in = calloc(own.members, sizeof *made->in);
        made->out_bytes = calloc(own.members, sizeof *made->out_bytes);
        made->in_bytes = calloc(own.members, sizeof *made->in_bytes);
    }
    if (!made || !made->sent || !made->got || !made->numbers || !made->out || !made->in ||
        !made->out_bytes || !made->in_bytes) {
        pv_group_free(made);
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a group of %" PRIu32 " processes",
                       own.members);
    }
    pv_group_free(ctx->group);
    ctx->group = made;
    return PSDVEC_OK;
}

void pv_group_free(pv_group *group)
{
    if (!group)
        return;
    free(group->sent);
    free(group->got);
    free(group->numbers);
    free(group->out);
    free(group->in);
    free(group->out_bytes);
    free(group->in_bytes);
    free(group->warnings);
    free(group);
}

uint32_t pv_group_members(const psdvec_context *ctx)
{
    return ctx->group && ctx->group->together ? ctx->group->host.members : 1;
}

uint32_t pv_group_rank(const psdvec_context *ctx)
{
    return ctx->group && ctx->group->together ? ctx->group->host.rank : 0;
}

void pv_group_begin(psdvec_context *ctx)
{
    if (!ctx->group)
        return;
    ctx->group->together = true;
    ctx->group->settled = false;
    ctx->group->step = 0;
    memset(ctx->group->traffic, 0, sizeof ctx->group->traffic);
}

/* ---- Agreement ------------------------------------------------------------------------------ */

static psdvec_status outcome_of(psdvec_context *ctx, int failed)
{
    pv_group *g = ctx->group;
    if (!failed)
        return PSDVEC_OK;
    g->settled = true;
    return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                   "process %" PRIu32 " of %" PRIu32 " cannot reach the others", g->host.rank,
                   g->host.members);
}

/* Exchanges what is in the arrays of the group, with the function of the host. */
static psdvec_status transfer_by(psdvec_context *ctx, psdvec_exchange_fn *exchange)
{
    pv_group *g = ctx->group;
    uint32_t own = g->host.rank;
    g->out_bytes[own] = g->in_bytes[own] = 0;
    for (uint32_t r = 0; r < g->host.members; r++) {
        g->traffic[0] += g->out_bytes[r];
        g->traffic[1] += g->out_bytes[r] > 0;
    }
    return outcome_of(ctx, exchange(g->host.self, g->out, g->out_bytes, g->in, g->in_bytes));
}

static psdvec_status transfer(psdvec_context *ctx)
{
    return transfer_by(ctx, ctx->group->host.exchange);
}

/* Distributes the message of the member that failed first, by number. */
static psdvec_status fail_together(psdvec_context *ctx, uint32_t failed, psdvec_status status)
{
    pv_group *g = ctx->group;
    const psdvec_group *host = &g->host;
    bool mine = failed == host->rank;
    g->settled = true;
    if (mine) {
        const char *name = host->name && *host->name ? host->name : NULL;
        snprintf(g->message, sizeof g->message, "%s (process %" PRIu32 " of %" PRIu32 "%s%s)",
                 psdvec_error_message(ctx), failed, host->members, name ? " on " : "",
                 name ? name : "");
    }
    for (uint32_t r = 0; r < host->members; r++) {
        g->out[r] = g->message;
        g->out_bytes[r] = mine ? sizeof g->message : 0;
        g->in[r] = g->message;
        g->in_bytes[r] = r == failed ? sizeof g->message : 0;
    }
    PV_TRY(transfer(ctx));
    g->message[sizeof g->message - 1] = '\0';
    if (status == PSDVEC_ERR_CANCELLED) /* the same on all members; the host knows what to say */
        return pv_fail(ctx, status, "stopped");
    return pv_fail(ctx, status, "%s", g->message);
}

/* Tells the other members this one's status and a number for each (NULL: 0). Afterwards `got` has
 * what they told. Returns a failure of any member. */
static psdvec_status agree(psdvec_context *ctx, psdvec_status status, const uint64_t *numbers)
{
    pv_group *g = ctx->group;
    uint32_t members = g->host.members, failed = members, stray = members;
    g->step++;
    for (uint32_t r = 0; r < members; r++) {
        g->sent[r] = (notice){
            .step = g->step, .number = numbers ? numbers[r] : 0, .status = (uint32_t)status};
        g->out[r] = &g->sent[r];
        g->in[r] = &g->got[r];
        g->out_bytes[r] = g->in_bytes[r] = sizeof(notice);
    }
    PV_TRY(transfer(ctx));
    g->got[g->host.rank] = g->sent[g->host.rank];
    for (uint32_t r = members; r-- > 0;) {
        if (g->got[r].status != PSDVEC_OK)
            failed = r;
        else if (g->got[r].step != g->step)
            stray = r;
    }
    if (failed < members)
        return fail_together(ctx, failed, (psdvec_status)g->got[failed].status);
    if (stray < members) {
        g->settled = true;
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "process %" PRIu32 " and process %" PRIu32 " make different calls; all "
                       "processes of a group must make the same ones",
                       g->host.rank, stray);
    }
    return PSDVEC_OK;
}

/* ---- Exchange -------------------------------------------------------------------------------- */

pv_buffer *pv_group_buffers(psdvec_context *ctx)
{
    uint32_t members = pv_group_members(ctx);
    pv_buffer *buffers = pv_alloc_zero(ctx, members, sizeof *buffers, "messages");
    for (uint32_t r = 0; buffers && r < members; r++)
        buffers[r].ctx = ctx;
    return buffers;
}

void pv_group_buffers_free(psdvec_context *ctx, pv_buffer *buffers)
{
    for (uint32_t r = 0; buffers && r < pv_group_members(ctx); r++)
        pv_buffer_free(&buffers[r]);
    pv_free(ctx, buffers);
}

/* Exchanges out[r], or `same` for all members. */
static psdvec_status exchange(psdvec_context *ctx, const pv_buffer *out, const void *same,
                              size_t same_bytes, pv_buffer *in)
{
    pv_group *g = ctx->group;
    uint32_t members = pv_group_members(ctx), own = pv_group_rank(ctx);
    psdvec_status status = PSDVEC_OK;
    in[own].length = 0;
    PV_TRY(
        pv_buffer_append(&in[own], out ? out[own].data : same, out ? out[own].length : same_bytes));
    if (members == 1)
        return PSDVEC_OK;
    for (uint32_t r = 0; r < members; r++)
        g->numbers[r] = out ? out[r].length : same_bytes;
    PV_TRY(agree(ctx, PSDVEC_OK, g->numbers));
    for (uint32_t r = 0; r < members && status == PSDVEC_OK; r++) {
        if (r == own)
            continue;
        in[r].length = 0;
        status = pv_buffer_reserve(&in[r], (size_t)g->got[r].number);
        in[r].length = (size_t)g->got[r].number;
    }
    if (status != PSDVEC_OK)
        return status;
    /* Whether all have memory for what comes. */
    PV_TRY(agree(ctx, PSDVEC_OK, NULL));
    for (uint32_t r = 0; r < members; r++) {
        g->out[r] = out ? out[r].data : same;
        g->out_bytes[r] = out ? out[r].length : same_bytes;
        g->in[r] = in[r].data;
        g->in_bytes[r] = in[r].length;
    }
    return transfer(ctx);
}

psdvec_status pv_group_exchange(psdvec_context *ctx, const pv_buffer *out, pv_buffer *in)
{
    return exchange(ctx, out, NULL, 0, in);
}

psdvec_status pv_group_gather(psdvec_context *ctx, const void *data, size_t bytes, pv_buffer *in)
{
    return exchange(ctx, NULL, data, bytes, in);
}

static void clear_parcels(pv_group *g)
{
    memset(g->out_bytes, 0, g->host.members * sizeof *g->out_bytes);
    memset(g->in_bytes, 0, g->host.members * sizeof *g->in_bytes);
}

psdvec_status pv_group_meet(psdvec_context *ctx, uint64_t number, uint64_t *all)
{
    uint32_t members = pv_group_members(ctx);
    if (members == 1) {
        if (all)
            all[0] = number;
        return PSDVEC_OK;
    }
    pv_group *g = ctx->group;
    for (uint32_t r = 0; r < members; r++)
        g->numbers[r] = number;
    PV_TRY(agree(ctx, PSDVEC_OK, g->numbers));
    for (uint32_t r = 0; r < members && all; r++)
        all[r] = g->got[r].number;
    clear_parcels(g);
    return PSDVEC_OK;
}

void pv_group_send(psdvec_context *ctx, uint32_t r, const void *data, size_t bytes)
{
    if (!pv_group_shares(ctx))
        return;
    ctx->group->out[r] = data;
    ctx->group->out_bytes[r] = bytes;
}

void pv_group_receive(psdvec_context *ctx, uint32_t r, void *data, size_t bytes)
{
    if (!pv_group_shares(ctx))
        return;
    ctx->group->in[r] = data;
    ctx->group->in_bytes[r] = bytes;
}

psdvec_status pv_group_move(psdvec_context *ctx)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    psdvec_status status = transfer(ctx);
    clear_parcels(ctx->group);
    return status;
}

psdvec_status pv_group_start(psdvec_context *ctx)
{
    if (!pv_group_shares(ctx) || !ctx->group->host.start)
        return pv_group_move(ctx);
    psdvec_status status = transfer_by(ctx, ctx->group->host.start);
    ctx->group->started = status == PSDVEC_OK;
    return status;
}

psdvec_status pv_group_wait(psdvec_context *ctx, uint32_t r)
{
    if (!pv_group_shares(ctx) || !ctx->group->started || r == pv_group_rank(ctx))
        return PSDVEC_OK;
    return outcome_of(ctx, ctx->group->host.wait(ctx->group->host.self, r));
}

psdvec_status pv_group_finish(psdvec_context *ctx)
{
    if (!pv_group_shares(ctx) || !ctx->group->started)
        return PSDVEC_OK;
    pv_group *g = ctx->group;
    g->started = false;
    psdvec_status status = outcome_of(ctx, g->host.wait(g->host.self, g->host.rank));
    clear_parcels(g);
    return status;
}

psdvec_status pv_group_add(psdvec_context *ctx, uint64_t *numbers, size_t count)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status = pv_group_gather(ctx, numbers, count * sizeof *numbers, in);
    for (uint32_t r = 0; status == PSDVEC_OK && r < pv_group_members(ctx); r++) {
        if (r == pv_group_rank(ctx))
            continue;
        if (in[r].length != count * sizeof *numbers) {
            status = pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                             "process %" PRIu32 " adds %zu numbers instead of %zu", r,
                             in[r].length / sizeof *numbers, count);
            break;
        }
        for (size_t k = 0; k < count; k++) {
            uint64_t number;
            memcpy(&number, in[r].data + k * sizeof number, sizeof number);
            numbers[k] += number;
        }
    }
    pv_group_buffers_free(ctx, in);
    return status;
}

psdvec_status pv_group_agree(psdvec_context *ctx, uint64_t *number)
{
    if (!pv_group_leads(ctx))
        *number = 0;
    return pv_group_add(ctx, number, 1);
}

psdvec_status pv_group_spread(psdvec_context *ctx, void *data, size_t bytes)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status = pv_group_gather(ctx, data, pv_group_leads(ctx) ? bytes : 0, in);
    if (status == PSDVEC_OK && in[0].length != bytes)
        status = pv_fail(ctx, PSDVEC_ERR_MISMATCH, "process 0 sends %zu bytes instead of %zu",
                         in[0].length, bytes);
    if (status == PSDVEC_OK && bytes > 0)
        memcpy(data, in[0].data, bytes);
    pv_group_buffers_free(ctx, in);
    return status;
}

psdvec_status pv_group_compare(psdvec_context *ctx, uint64_t hash, const char *what)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status = pv_group_gather(ctx, &hash, sizeof hash, in);
    for (uint32_t r = 1; status == PSDVEC_OK && r < pv_group_members(ctx); r++)
        if (in[r].length != sizeof hash || memcmp(in[r].data, in[0].data, sizeof hash) != 0)
            status = pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                             "%s of process %" PRIu32 " and of process 0 differ; all processes "
                             "must be given the same",
                             what, r);
    pv_group_buffers_free(ctx, in);
    return status;
}

/* ---- The end ---------------------------------------------------------------------------------- */

void pv_group_keep_warning(psdvec_context *ctx, const char *text)
{
    pv_group *g = ctx->group;
    size_t length = strlen(text) + 1;
    char *more = realloc(g->warnings, g->warning_bytes + length);
    if (!more)
        return; /* as a warning without memory for its text */
    g->warnings = more;
    memcpy(more + g->warning_bytes, text, length);
    g->warning_bytes += length;
}

/* Whether a member before r gave the same warning. */
static bool given_before(const pv_buffer *in, uint32_t r, const char *text)
{
    for (uint32_t earlier = 0; earlier < r; earlier++)
        for (size_t at = 0; at < in[earlier].length; at += strlen(in[earlier].data + at) + 1)
            if (strcmp(in[earlier].data + at, text) == 0)
                return true;
    return false;
}

/* The leader passes on the warnings of all members, each once. */
static psdvec_status pass_on_warnings(psdvec_context *ctx)
{
    pv_group *g = ctx->group;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status = pv_group_gather(ctx, g->warnings, g->warning_bytes, in);
    for (uint32_t r = 1; status == PSDVEC_OK && pv_group_leads(ctx) && r < g->host.members; r++)
        for (size_t at = 0; at < in[r].length; at += strlen(in[r].data + at) + 1)
            if (!given_before(in, r, in[r].data + at))
                pv_warn(ctx, "%s", in[r].data + at);
    pv_group_buffers_free(ctx, in);
    return status;
}

static psdvec_status report_traffic(psdvec_context *ctx)
{
    uint64_t all[2], own[2] = {ctx->group->traffic[0], ctx->group->traffic[1]};
    memcpy(all, own, sizeof all);
    PV_TRY(pv_group_add(ctx, all, 2));
    if (pv_group_leads(ctx))
        pv_note(ctx,
                "%" PRIu32 " processes exchanged %" PRIu64 " bytes in %" PRIu64 " messages; "
                "process 0 sent %" PRIu64 " bytes in %" PRIu64 " messages",
                ctx->group->host.members, all[0], all[1], own[0], own[1]);
    return PSDVEC_OK;
}

psdvec_status pv_group_end(psdvec_context *ctx, psdvec_status status)
{
    pv_group *g = ctx->group;
    if (!g || !g->together)
        return status;
    if (g->host.members > 1 && !g->settled) {
        if (status == PSDVEC_OK)
            status = pass_on_warnings(ctx);
        if (status == PSDVEC_OK)
            status = report_traffic(ctx);
        /* After a failure the steps of members differ; `agree` looks at the failure first. */
        psdvec_status all = g->settled ? PSDVEC_OK : agree(ctx, status, NULL);
        status = status != PSDVEC_OK ? status : all;
    }
    free(g->warnings);
    g->warnings = NULL;
    g->warning_bytes = 0;
    g->together = false;
    return status;
}
