/* Cutting the inputs into segments. */
#include "corpus/corpus.h"

#include "corpus/byte_stream.h"
#include "corpus/records.h"
#include "corpus/tokens.h"
#include "corpus/wiki_dump.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <string.h>

enum { SEGMENT = 512 << 10, LONGEST_RECORD = 256 << 20, READ_SIZE = 256 << 10 };

typedef struct corpus_file {
    pthread_mutex_t lock;
    bool opened;
    atomic_bool finished;
    pv_byte_stream *stream;
    bool in_member;
    pv_segment_kind kind;
    pv_buffer carry;   /* read, but not yet part of a segment */
    bool member_ended; /* the stream has no more for this member */
    uint64_t offset;   /* of the carry within the member */
    uint64_t line;     /* number of the line at the carry */
    uint64_t sequence; /* of the next segment */
    bool open;         /* the next segment begins inside a document */
    bool input_ended;  /* said in a segment of its own */
    uint64_t consumed; /* told to the progress line */
    pv_wiki_dump *dump;
    pv_buffer pages;
} corpus_file;

struct pv_corpus {
    psdvec_context *ctx;
    pv_scope scope; /* of the files */
    const pv_inputs *inputs;
    const psdvec_text_options *options;
    corpus_file *files;
    _Atomic size_t next_unopened;
    _Atomic uint64_t bytes;
    pv_progress progress;
    bool slow; /* the caller tells of it */
};

void pv_segment_init(pv_segment *segment, psdvec_context *ctx)
{
    *segment = (pv_segment){.text = {.ctx = ctx}, .name = {.ctx = ctx}};
}

void pv_segment_free(pv_segment *segment)
{
    pv_buffer_free(&segment->text);
    pv_buffer_free(&segment->name);
}

psdvec_status pv_corpus_new(psdvec_context *ctx, const pv_inputs *inputs,
                            const psdvec_text_options *options, const char *stage, pv_corpus **out)
{
    *out = NULL;
    pv_scope scope = {.ctx = ctx, .what = "the corpus"};
    pv_corpus *corpus;
    corpus_file *files;
    PV_TAKE(&scope, corpus, 1);
    PV_TAKE_ZERO(&scope, files, inputs->count);
    if (scope.failed) {
        pv_scope_free(&scope);
        return pv_failure(ctx);
    }
    *corpus = (pv_corpus){.ctx = ctx,
                          .scope = scope,
                          .inputs = inputs,
                          .options = options,
                          .files = files,
                          .slow = stage != NULL};
    for (size_t i = 0; i < inputs->count; i++) {
        pthread_mutex_init(&files[i].lock, NULL);
        files[i].carry.ctx = files[i].pages.ctx = ctx;
    }
    pv_progress_begin(&corpus->progress, ctx, stage ? stage : "reading", "B", inputs->total_size);
    *out = corpus;
    return PSDVEC_OK;
}

static void close_file(corpus_file *file)
{
    pv_byte_stream_close(file->stream);
    file->stream = NULL;
    pv_wiki_dump_free(file->dump);
    file->dump = NULL;
    pv_buffer_free(&file->carry);
    pv_buffer_free(&file->pages);
}

void pv_corpus_free(pv_corpus *corpus)
{
    if (!corpus)
        return;
    for (size_t i = 0; i < corpus->inputs->count; i++) {
        close_file(&corpus->files[i]);
        pthread_mutex_destroy(&corpus->files[i].lock);
    }
    pv_scope scope = corpus->scope;
    pv_scope_free(&scope);
}

uint64_t pv_corpus_bytes(const pv_corpus *corpus)
{
    return atomic_load(&corpus->bytes);
}

pv_progress *pv_corpus_progress(pv_corpus *corpus)
{
    return &corpus->progress;
}

/* ---- Is it text? ---------------------------------------------------------------- */

/* A file is taken for binary if more than three in ten of its first bytes are control characters or
 * invalid UTF-8. Text in an old 8-bit encoding stays below that in most languages and is read with
 * its bad bytes reported. */
const char *pv_not_text(const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    if (length > PV_SNIFF_LENGTH)
        end = p + PV_SNIFF_LENGTH;
    if (length >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0))
        return "is text in UTF-16, not UTF-8; convert it with iconv -f utf-16 -t utf-8";
    size_t strange = 0, looked_at = (size_t)(end - p);
    while (p < end) {
        uint32_t cp;
        int used = pv_utf8_decode(p, end, &cp);
        if (used < 0) {
            if (end - p >= 4) /* not merely cut off where we stopped looking */
                strange += (size_t)-used;
            p -= used;
        } else {
            strange += *p < 0x20 && !(*p >= '\t' && *p <= '\r') && *p != 0x1B;
            p += used;
        }
    }
    if (strange * 10 > looked_at * 3)
        return "does not look like text (binary data, or an encoding other than UTF-8; the latter "
               "can be converted with iconv -f ITS-ENCODING -t utf-8)";
    return NULL;
}

/* ---- Members ------------------------------------------------------------- */

/* Reads until the carry has `wanted` bytes or the member ends. */
static psdvec_status fill(corpus_file *file, pv_buffer *buffer, size_t wanted)
{
    while (!file->member_ended && buffer->length < wanted) {
        /* Never more than wanted: where segments are cut must not depend on how
         * much a pipe happens to hold. */
        size_t missing = wanted - buffer->length, got;
        PV_TRY(pv_buffer_reserve(buffer, missing));
        PV_TRY(pv_byte_stream_read(file->stream, buffer->data + buffer->length, missing, &got));
        buffer->length += got;
        file->member_ended = got == 0;
    }
    return PSDVEC_OK;
}

static psdvec_status take_page(void *opaque, const char *title, size_t title_length,
                               const char *text, size_t length)
{
    (void)title, (void)title_length;
    corpus_file *file = opaque;
    PV_TRY(pv_buffer_append(&file->pages, text, length));
    return pv_buffer_byte(&file->pages, '\0');
}

/* Decides from its beginning what the member is. False: pass over it. */
static psdvec_status begin_member(pv_corpus *corpus, corpus_file *file, size_t index, bool *use)
{
    psdvec_context *ctx = corpus->ctx;
    const char *name = pv_byte_stream_name(file->stream);
    *use = true;
    file->carry.length = 0;
    file->member_ended = false;
    file->offset = 0;
    file->line = 1;
    PV_TRY(fill(file, &file->carry, PV_SNIFF_LENGTH));
    const char *start = file->carry.data ? file->carry.data : "";
    size_t length = file->carry.length;

    const char *not_text = pv_not_text(start, length);
    if (not_text) {
        bool named = corpus->inputs->files[index].named && !pv_byte_stream_in_archive(file->stream);
        if (named)
            return pv_fail(ctx, PSDVEC_ERR_NOT_TEXT, "%s: %s", name, not_text);
        pv_warn(ctx, "%s: passed over: %s", name, not_text);
        *use = false;
        return PSDVEC_OK;
    }
    file->kind = PV_SEGMENT_TEXT;
    if (corpus->options->json_field)
        file->kind = PV_SEGMENT_JSON_LINES;
    else if (pv_wiki_dump_looks_like(start, length))
        file->kind = PV_SEGMENT_WIKI_PAGES;
    else if (pv_wiki_extractor_looks_like(start, length))
        file->kind = PV_SEGMENT_WIKI_EXTRACTOR;
    if (length >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0) {
        memmove(file->carry.data, start + 3, length - 3); /* the byte order mark */
        file->carry.length -= 3;
        file->offset = 3;
    }
    if (file->kind == PV_SEGMENT_WIKI_PAGES) {
        pv_wiki_dump_free(file->dump);
        file->dump = pv_wiki_dump_new(ctx, name, take_page, file);
        if (!file->dump)
            return pv_failure(ctx);
    }
    file->open = pv_document_spans_members(corpus->options);
    return PSDVEC_OK;
}

/* ---- Segments ------------------------------------------------------------------ */

static psdvec_status next_lines(pv_corpus *corpus, corpus_file *file, pv_segment *segment)
{
    pv_buffer *text = &segment->text;
    text->length = 0;
    segment->offset = file->offset;
    segment->line = file->line;
    PV_TRY(pv_buffer_append(text, file->carry.data, file->carry.length));
    file->carry.length = 0;
    size_t wanted = SEGMENT;
    char *cut;
    for (;;) {
        PV_TRY(fill(file, text, wanted));
        cut = file->member_ended ? text->data + text->length
                                 : pv_document_cut(corpus->options, file->kind, text->data,
                                                   text->length, &file->open);
        if (cut || file->member_ended)
            break;
        if (text->length > LONGEST_RECORD)
            return pv_fail(corpus->ctx, PSDVEC_ERR_DAMAGED,
                           "%s: line %" PRIu64 " is longer than %d MiB; is this really JSON lines?",
                           pv_byte_stream_name(file->stream), file->line, LONGEST_RECORD >> 20);
        wanted = 2 * text->length;
    }
    size_t used = text->data ? (size_t)(cut - text->data) : 0;
    PV_TRY(pv_buffer_append(&file->carry, cut, text->length - used));
    text->length = used;
    file->offset += used;
    if (file->kind == PV_SEGMENT_JSON_LINES)
        for (const char *p = text->data, *end = p + used;
             p && (p = memchr(p, '\n', (size_t)(end - p))); p++)
            file->line++;
    return PSDVEC_OK;
}

static psdvec_status next_pages(pv_corpus *corpus, corpus_file *file, pv_segment *segment)
{
    segment->text.length = 0;
    segment->offset = file->offset;
    segment->line = 1;
    file->pages.length = 0;
    do {
        if (file->carry.length == 0)
            PV_TRY(fill(file, &file->carry, READ_SIZE));
        PV_TRY(pv_wiki_dump_feed(file->dump, file->carry.data, file->carry.length,
                                 file->member_ended));
        file->offset += file->carry.length;
        file->carry.length = 0;
    } while (!file->member_ended && file->pages.length < SEGMENT);
    pv_buffer text = segment->text;
    segment->text = file->pages;
    file->pages = text;
    file->open = pv_document_spans_records(corpus->options);
    return PSDVEC_OK;
}

/* A document that files have in common ends after the last file of the input, in an empty segment:
 * nobody knows before whether that file has any text. */
static bool end_input(pv_corpus *corpus, size_t index, pv_segment *segment)
{
    const pv_input_file *this = &corpus->inputs->files[index];
    if (corpus->files[index].input_ended || !pv_document_spans_members(corpus->options) ||
        (index + 1 < corpus->inputs->count && this[1].input == this->input))
        return false;
    corpus->files[index].input_ended = true;
    segment->kind = PV_SEGMENT_TEXT;
    segment->text.length = 0;
    segment->continues = true;
    segment->open = false;
    return true;
}

static psdvec_status next_of_file(pv_corpus *corpus, size_t index, pv_segment *segment, bool *more)
{
    corpus_file *file = &corpus->files[index];
    segment->file = (uint32_t)index;
    segment->sequence = file->sequence++;
    *more = true;
    for (;;) {
        if (!file->in_member) {
            if (!file->input_ended)
                PV_TRY(pv_byte_stream_next_member(file->stream, more));
            if (!*more || file->input_ended) {
                *more = end_input(corpus, index, segment);
                return PSDVEC_OK;
            }
            bool use;
            PV_TRY(begin_member(corpus, file, index, &use));
            if (!use)
                continue;
            file->in_member = true;
        }
        segment->kind = file->kind;
        segment->continues = file->open;
        PV_TRY(file->kind == PV_SEGMENT_WIKI_PAGES ? next_pages(corpus, file, segment)
                                                   : next_lines(corpus, file, segment));
        file->in_member = !file->member_ended;
        if (file->member_ended)
            file->open = pv_document_spans_members(corpus->options);
        segment->open = file->open;
        if (segment->text.length > 0 || (segment->continues && !segment->open)) {
            const char *name = pv_byte_stream_name(file->stream);
            segment->name.length = 0;
            return pv_buffer_append(&segment->name, name, strlen(name) + 1);
        }
    }
}

psdvec_status pv_corpus_next(pv_corpus *corpus, size_t *place, pv_segment *segment, bool *more)
{
    size_t count = corpus->inputs->count;
    size_t tried = 0; /* files of others found finished in a row */
    for (;;) {
        PV_TRY(pv_check_cancel(corpus->ctx));
        if (*place == SIZE_MAX || corpus->files[*place].finished) {
            size_t unopened = atomic_fetch_add(&corpus->next_unopened, 1);
            if (unopened < count) {
                *place = unopened;
            } else {
                atomic_store(&corpus->next_unopened, count);
                if (tried++ >= count) {
                    *more = false;
                    return PSDVEC_OK;
                }
                *place = *place == SIZE_MAX ? 0 : (*place + 1) % count;
            }
        }
        corpus_file *file = &corpus->files[*place];
        pthread_mutex_lock(&file->lock);
        psdvec_status status = PSDVEC_OK;
        *more = !file->finished;
        if (*more && !file->opened) {
            file->opened = true;
            status =
                pv_byte_stream_open(corpus->ctx, corpus->inputs->files[*place].path, &file->stream);
        }
        if (*more && status == PSDVEC_OK)
            status = next_of_file(corpus, *place, segment, more);
        if (status != PSDVEC_OK)
            *more = false;
        uint64_t consumed = file->stream ? pv_byte_stream_consumed(file->stream) : file->consumed;
        uint64_t progress = consumed - file->consumed;
        file->consumed = consumed;
        if (!*more && !file->finished) {
            file->finished = true;
            close_file(file);
        }
        pthread_mutex_unlock(&file->lock);
        segment->consumed = progress;
        if (!corpus->slow || !*more)
            pv_progress_add(&corpus->progress, progress);
        PV_TRY(status);
        if (*more) {
            atomic_fetch_add(&corpus->bytes, segment->text.length);
            return PSDVEC_OK;
        }
    }
}
