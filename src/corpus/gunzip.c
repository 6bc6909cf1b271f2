/* gzip members one after the other. Zero bytes that pad the end, as tapes
 * leave them, are passed over; anything else after a member is an error. */
#include "corpus/gunzip.h"

#include "base/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { PACKED_SIZE = 256 << 10, WITH_GZIP_HEADER = 16 };

struct pv_gunzip {
    psdvec_context *ctx;
    const char *name;
    pv_gunzip_source *source;
    void *user;
    z_stream z;
    bool open; /* z is initialised */
    bool in_member;
    bool source_ended;
    uint64_t consumed; /* packed bytes */
    char packed[PACKED_SIZE];
};

psdvec_status pv_gunzip_new(psdvec_context *ctx, const char *name, pv_gunzip_source *source,
                            void *user, pv_gunzip **out)
{
    pv_gunzip *g = pv_alloc(ctx, 1, sizeof *g, "unpacking gzip");
    *out = g;
    if (!g)
        return pv_failure(ctx);
    memset(g, 0, offsetof(pv_gunzip, packed));
    g->ctx = ctx;
    g->name = name;
    g->source = source;
    g->user = user;
    g->in_member = true;
    if (inflateInit2(&g->z, MAX_WBITS + WITH_GZIP_HEADER) != Z_OK)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: the system refused memory to unpack it", name);
    g->open = true;
    return PSDVEC_OK;
}

void pv_gunzip_free(pv_gunzip *g)
{
    if (!g)
        return;
    if (g->open)
        inflateEnd(&g->z);
    pv_free(g->ctx, g);
}

static psdvec_status fail_damaged(const pv_gunzip *g, const char *cause)
{
    return pv_fail(g->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: cannot be unpacked after %" PRIu64 " bytes of it: %s; is it complete?",
                   g->name, g->consumed - g->z.avail_in, cause);
}

static psdvec_status refill(pv_gunzip *g)
{
    size_t got;
    PV_TRY(g->source(g->user, g->packed, PACKED_SIZE, &got));
    g->source_ended = got == 0;
    g->consumed += got;
    g->z.next_in = (Bytef *)g->packed;
    g->z.avail_in = (uInt)got;
    return PSDVEC_OK;
}

/* Between members: begins the next one if there is one. */
static psdvec_status next_member(pv_gunzip *g)
{
    for (;;) {
        if (g->z.avail_in == 0)
            PV_TRY(refill(g));
        if (g->source_ended)
            return PSDVEC_OK;
        if (*g->z.next_in != 0)
            break;
        g->z.next_in++;
        g->z.avail_in--;
    }
    inflateReset(&g->z);
    g->in_member = true;
    return PSDVEC_OK;
}

psdvec_status pv_gunzip_read(pv_gunzip *g, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    while (*got == 0) {
        if (!g->in_member)
            PV_TRY(next_member(g));
        if (!g->in_member)
            return PSDVEC_OK;
        if (g->z.avail_in == 0)
            PV_TRY(refill(g));
        if (g->source_ended)
            return fail_damaged(g, "truncated gzip input");
        g->z.next_out = (Bytef *)bytes;
        g->z.avail_out = capacity < INT_MAX ? (uInt)capacity : INT_MAX;
        uInt room = g->z.avail_out;
        int result = inflate(&g->z, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_damaged(g, g->z.msg ? g->z.msg : "damaged gzip data");
        *got = room - g->z.avail_out;
        g->in_member = result != Z_STREAM_END;
    }
    return PSDVEC_OK;
}
