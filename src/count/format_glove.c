/* GloVe's cooccurrence.bin: records of 16 bytes, in any order.
 *
 *     int32 word1    1 + rank in vocab.txt: the earlier word, the context
 *     int32 word2    the later word
 *     double value   a sum of 1/distance, in the byte order of the machine
 *
 * With -symmetric 1, its default, GloVe adds every pair in both directions, so the file contains x
 * + x', and a word near itself counts twice.
 *
 * Like GloVe, the export sorts records by word1 and word2. Run GloVe's `shuffle` before training
 * with it.
 */
#include "count/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct record {
    int32_t word1, word2;
    double value;
} record;

enum { RECORD = sizeof(record), BLOCK = 1 << 16 }; /* bytes; records */

typedef struct glove {
    pv_import *import;
    const char *name; /* for messages */
    uint64_t records; /* processed */
    record *block;
    int fd;                 /* of a plain file, or -1 */
    pv_byte_stream *stream; /* of any other, or NULL */
} glove;

static psdvec_status reject(const glove *g, uint64_t number, const record *r)
{
    const pv_import *m = g->import;
    int32_t word = r->word1 < 1 || (uint32_t)r->word1 > m->vocabulary.count ? r->word1 : r->word2;
    if (word < 1 || (uint32_t)word > m->vocabulary.count)
        return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: record %" PRIu64 ": word number %" PRId32 ", but %s has only the "
                       "words 1 to %" PRIu32 "; check that the two files belong together",
                       g->name, number, word, m->options->vocab_file, m->vocabulary.count);
    if (r->value > 0 && isfinite(r->value))
        return pv_fail(m->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: record %" PRIu64 ": the count %g is too large for a scale of %" PRIu64
                       "; use a smaller one",
                       g->name, number, r->value, m->rounding.scale);
    return pv_fail(m->ctx, PSDVEC_ERR_DAMAGED, "%s: record %" PRIu64 ": the count is %g", g->name,
                   number, r->value);
}

static psdvec_status take_block(glove *g, size_t count)
{
    pv_import *m = g->import;
    uint32_t words = m->vocabulary.count;
    for (size_t k = 0; k < count; k++) {
        const record *r = &g->block[k];
        uint32_t i = (uint32_t)r->word1 - 1, j = (uint32_t)r->word2 - 1;
        uint64_t value;
        if (PV_UNLIKELY(i >= words || j >= words ||
                        !pv_round_double(&m->rounding, r->value, &value)))
            return reject(g, g->records + k + 1, r);
        PV_TRY(pv_import_pair(m, i, j, value));
    }
    g->records += count;
    return PSDVEC_OK;
}

static psdvec_status fail_cut_short(const glove *g, uint64_t records, uint64_t rest)
{
    return pv_fail(g->import->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: ends within a record, %" PRIu64 " bytes after record %" PRIu64 "; GloVe's "
                   "records have %d bytes, so the file is truncated or is another kind of file",
                   g->name, rest, records, RECORD);
}

static bool plausible(const pv_import *m, const record *r)
{
    return r->word1 >= 1 && (uint32_t)r->word1 <= m->vocabulary.count && r->word2 >= 1 &&
           (uint32_t)r->word2 <= m->vocabulary.count && r->value > 0 && r->value < 1e300;
}

/* A word's number can look like the magic number of a compressed file (35615 is that of gzip), so a
 * file that begins with a valid record is read as it is. */
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
            return *size % RECORD ? fail_cut_short(g, *size / RECORD, *size % RECORD) : PSDVEC_OK;
        close(g->fd);
        g->fd = -1;
    }
    bool more;
    PV_TRY(pv_byte_stream_open(m->ctx, m->input, &g->stream));
    PV_TRY(pv_byte_stream_next_member(g->stream, &more));
    g->name = pv_byte_stream_name(g->stream);
    return PSDVEC_OK;
}

static psdvec_status read_records(glove *g, uint64_t size)
{
    pv_import *m = g->import;
    size_t held = 0, got;
    uint64_t consumed = 0;
    pv_progress progress;
    pv_progress_begin(&progress, m->ctx, "reading", "B", size);
    do {
        char *to = (char *)g->block + held;
        PV_TRY(pv_check_cancel(m->ctx));
        if (g->stream) {
            PV_TRY(pv_byte_stream_read(g->stream, to, BLOCK * RECORD - held, &got));
        } else {
            uint64_t left = size - m->bytes;
            got = left < BLOCK * RECORD ? (size_t)left : BLOCK * RECORD;
            PV_TRY(pv_read_all_at(m->ctx, g->fd, g->name, m->bytes, to, got));
        }
        held += got;
        m->bytes += got;
        size_t rest = held % RECORD, whole = held - rest;
        PV_TRY(take_block(g, whole / RECORD));
        memmove(g->block, (char *)g->block + whole, rest);
        held = rest;
        uint64_t now = g->stream ? pv_byte_stream_consumed(g->stream) : m->bytes;
        pv_progress_add(&progress, now - consumed);
        consumed = now;
    } while (got > 0);
    if (held)
        return fail_cut_short(g, g->records, held);
    if (g->stream)
        PV_TRY(pv_text_lines_only_member(m->ctx, g->stream));
    pv_progress_end(&progress);
    return PSDVEC_OK;
}

static psdvec_status import_glove(pv_import *m)
{
    glove g = {.import = m, .name = m->input, .fd = -1};
    pv_scope scope = {.ctx = m->ctx, .what = "reading records"};
    uint64_t size;
    psdvec_status status;
    PV_TAKE(&scope, g.block, BLOCK);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(open_input(&g, &size));
    PV_TRY_DONE(pv_import_begin(m, 0, false, size / RECORD));
    status = read_records(&g, size);
done:
    if (g.fd >= 0)
        close(g.fd);
    pv_byte_stream_close(g.stream);
    pv_scope_free(&scope);
    return status;
}

/* ---- Exporting ------------------------------------------------------------------ */

static psdvec_status begin(pv_export *e, pv_buffer *text)
{
    (void)text;
    if (e->counts->info.words > INT32_MAX)
        return pv_fail(e->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: GloVe numbers words with 31 bits, which is too few for %u words",
                       e->path, e->counts->info.words);
    return pv_output_expect(e->output, e->counts->info.bigrams * sizeof(record));
}

static psdvec_status format(const pv_export *e, pv_rows *rows)
{
    double scale = (double)e->counts->info.scale;
    PV_TRY(pv_buffer_reserve(&rows->packed, rows->used * sizeof(record)));
    record *out = (record *)(void *)rows->packed.data;
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t i = rows->first + r;
        for (size_t end = at + rows->lengths[r]; at < end; at++) {
            uint32_t j = rows->columns[at];
            out[at] = (record){.word1 = (int32_t)i + 1,
                               .word2 = (int32_t)j + 1,
                               .value = (double)rows->values[at] / scale *
                                        pv_export_retention(e->counts, i, j)};
        }
    }
    rows->packed.length = rows->used * sizeof *out;
    return PSDVEC_OK;
}

const pv_counts_format pv_format_glove = {
    .import = import_glove, .begin = begin, .format = format, .not_in_words = " \t\n\v\f\r"};
