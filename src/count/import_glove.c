/* GloVe's cooccurrence.bin: records of 16 bytes, in any order.
 *
 *     int32 word1    1 + rank in vocab.txt: the earlier word, the context
 *     int32 word2    the later word
 *     double value   a sum of 1/distance, in the byte order of the machine
 *
 * With -symmetric 1, its default, GloVe adds every pair in both directions, so
 * x + x' is what stands in the file, and a word near itself counts twice.
 */
#include "count/import.h"

#include "base/file.h"
#include "base/progress.h"
#include "corpus/byte_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD = 16, BLOCK = 1 << 16 }; /* bytes; records */

typedef struct record {
    int32_t word1, word2;
    double value;
} record;

typedef struct glove {
    pv_import *import;
    pv_progress progress;
    uint64_t records; /* done */
    record *block;
    int fd;                 /* of a plain file, or -1 */
    pv_byte_stream *stream; /* of any other, or NULL */
} glove;

static psdvec_status reject(const glove *g, const char *name, uint64_t number, const record *r)
{
    const pv_import *m = g->import;
    int32_t word = r->word1 < 1 || (uint32_t)r->word1 > m->vocabulary.count ? r->word1 : r->word2;
    if (word < 1 || (uint32_t)word > m->vocabulary.count)
        return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: record %" PRIu64 ": word number %" PRId32 ", but %s has the words 1 "
                       "to %" PRIu32 "; do the two files belong together?",
                       name, number, word, m->options->vocab_file, m->vocabulary.count);
    if (r->value > 0 && isfinite(r->value))
        return pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: record %" PRIu64 ": the count %g is too large for a scale of %" PRIu64
                       "; use a smaller one",
                       name, number, r->value, m->rounding.scale);
    return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED, "%s: record %" PRIu64 ": the count is %g", name,
                   number, r->value);
}

static psdvec_status take_block(glove *g, const char *name, size_t count)
{
    pv_import *m = g->import;
    uint32_t words = m->vocabulary.count;
    for (size_t k = 0; k < count; k++) {
        const record *r = &g->block[k];
        uint32_t i = (uint32_t)r->word1 - 1, j = (uint32_t)r->word2 - 1;
        uint64_t value;
        if (PV_UNLIKELY(i >= words || j >= words ||
                        !pv_round_double(&m->rounding, r->value, &value)))
            return reject(g, name, g->records + k + 1, r);
        PV_TRY(pv_import_pair(m, i, j, value));
    }
    g->records += count;
    return PSDVEC_OK;
}

static psdvec_status fail_cut_short(const glove *g, const char *name, uint64_t records,
                                    uint64_t rest)
{
    return pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: ends within a record, %" PRIu64 " bytes after record %" PRIu64
                   "; GloVe's records have %d bytes: it is cut short, or is another kind of file",
                   name, rest, records, RECORD);
}

static bool plausible(const pv_import *m, const record *r)
{
    return r->word1 >= 1 && (uint32_t)r->word1 <= m->vocabulary.count && r->word2 >= 1 &&
           (uint32_t)r->word2 <= m->vocabulary.count && r->value > 0 && r->value < 1e300;
}

/* A word's number can look like the mark of a compressed file (35615 like
 * gzip's), so what begins with a good record is taken as it is. */
static psdvec_status open_input(glove *g, uint64_t *size)
{
    pv_import *m = g->import;
    struct stat info;
    record first = {0};
    *size = 0;
    /* a pipe must not be opened twice */
    if (strcmp(m->input, "-") != 0 && stat(m->input, &info) == 0 && S_ISREG(info.st_mode)) {
        *size = (uint64_t)info.st_size;
        g->fd = open(m->input, O_RDONLY | O_CLOEXEC);
        if (g->fd < 0)
            return pv_fail_errno(m->ctx, PSDVEC_ERR_READ, "cannot open", m->input, errno);
        if (*size >= RECORD)
            PV_TRY(pv_read_all_at(m->ctx, g->fd, m->input, 0, &first, RECORD));
        if (plausible(m, &first))
            return *size % RECORD ? fail_cut_short(g, m->input, *size / RECORD, *size % RECORD)
                                  : PSDVEC_OK;
        close(g->fd);
        g->fd = -1;
    }
    PV_TRY(pv_byte_stream_open(m->ctx, m->input, &g->stream));
    bool more;
    return pv_byte_stream_next_member(g->stream, &more);
}

static psdvec_status read_plain(glove *g, uint64_t size)
{
    pv_import *m = g->import;
    for (uint64_t at = 0; at < size; at += BLOCK * RECORD) {
        size_t length = size - at < BLOCK * RECORD ? (size_t)(size - at) : BLOCK * RECORD;
        PV_TRY(pv_check_cancel(m->ctx));
        PV_TRY(pv_read_all_at(m->ctx, g->fd, m->input, at, g->block, length));
        PV_TRY(take_block(g, m->input, length / RECORD));
        pv_progress_add(&g->progress, length);
    }
    m->bytes = size;
    return PSDVEC_OK;
}

static psdvec_status read_stream(glove *g)
{
    pv_import *m = g->import;
    size_t held = 0, got;
    uint64_t consumed = 0;
    do {
        PV_TRY(pv_check_cancel(m->ctx));
        PV_TRY(
            pv_byte_stream_read(g->stream, (char *)g->block + held, BLOCK * RECORD - held, &got));
        held += got;
        m->bytes += got;
        size_t rest = held % RECORD, whole = held - rest;
        PV_TRY(take_block(g, pv_byte_stream_name(g->stream), whole / RECORD));
        memmove(g->block, (char *)g->block + whole, rest);
        held = rest;
        pv_progress_add(&g->progress, pv_byte_stream_consumed(g->stream) - consumed);
        consumed = pv_byte_stream_consumed(g->stream);
    } while (got > 0);
    if (held)
        return fail_cut_short(g, pv_byte_stream_name(g->stream), g->records, held);
    bool more;
    PV_TRY(pv_byte_stream_next_member(g->stream, &more));
    if (more)
        return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: the archive has more than one file; unpack the one to be imported",
                       pv_byte_stream_name(g->stream));
    return PSDVEC_OK;
}

psdvec_status pv_import_glove(pv_import *m)
{
    glove g = {.import = m, .fd = -1};
    uint64_t size;
    psdvec_status status;
    g.block = pv_alloc(m->ctx, BLOCK, sizeof *g.block, "reading records");
    if (!g.block)
        return pv_failure(m->ctx);
    PV_TRY_DONE(open_input(&g, &size));
    PV_TRY_DONE(pv_import_begin(m, 0, false, size / RECORD));
    pv_progress_begin(&g.progress, m->ctx, "reading", "B", size);
    PV_TRY_DONE(g.stream ? read_stream(&g) : read_plain(&g, size));
    pv_progress_end(&g.progress);
done:
    if (g.fd >= 0)
        close(g.fd);
    pv_byte_stream_close(g.stream);
    pv_free(m->ctx, g.block);
    return status;
}
