/* Cutting the inputs into pieces. */
#include "corpus/corpus.h"

#include "base/platform.h"
#include "corpus/byte_stream.h"
#include "corpus/segment.h"
#include "corpus/text_sniff.h"
#include "corpus/tokenizer.h"
#include "corpus/wiki_dump.h"
#include "corpus/wiki_extractor.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 512 << 10, LONGEST_RECORD = 256 << 20, READ_BLOCK = 256 << 10 };

typedef struct corpus_file {
    pthread_mutex_t lock;
    bool opened;
    atomic_bool finished;
    pv_byte_stream *stream;
    bool in_member;
    pv_piece_kind kind;
    pv_buffer carry;   /* read, but not yet part of a piece */
    bool member_ended; /* the stream has no more for this member */
    uint64_t offset;   /* of the carry within the member */
    uint64_t line;     /* number of the line at the carry */
    uint64_t sequence; /* of the next piece */
    bool continues;    /* the next piece goes on with the last document */
    bool mid_line;     /* the next piece begins inside a line */
    uint64_t consumed; /* told to the progress line */
    pv_wiki_dump *dump;
    pv_buffer pages;
} corpus_file;

struct pv_corpus {
    psdvec_context *ctx;
    const pv_inputs *inputs;
    const psdvec_text_options *options;
    corpus_file *files;
    _Atomic size_t next_unopened;
    _Atomic uint64_t bytes;
    _Atomic uint64_t skipped;
    pv_progress progress;
    bool slow; /* the caller tells of it */
};

void pv_piece_init(pv_piece *piece, psdvec_context *ctx)
{
    *piece = (pv_piece){0};
    pv_buffer_init(&piece->text, ctx);
    pv_buffer_init(&piece->name, ctx);
}

void pv_piece_free(pv_piece *piece)
{
    pv_buffer_free(&piece->text);
    pv_buffer_free(&piece->name);
}

psdvec_status pv_corpus_new(psdvec_context *ctx, const pv_inputs *inputs,
                            const psdvec_text_options *options, pv_corpus **out)
{
    *out = NULL;
    pv_corpus *corpus = pv_alloc_zero(ctx, 1, sizeof *corpus, "the corpus");
    corpus_file *files = pv_alloc_zero(ctx, inputs->count, sizeof *files, "the corpus");
    if (!corpus || !files) {
        pv_free(ctx, corpus);
        pv_free(ctx, files);
        return pv_failure(ctx);
    }
    corpus->ctx = ctx;
    corpus->inputs = inputs;
    corpus->options = options;
    corpus->files = files;
    for (size_t i = 0; i < inputs->count; i++) {
        pthread_mutex_init(&files[i].lock, NULL);
        pv_buffer_init(&files[i].carry, ctx);
        pv_buffer_init(&files[i].pages, ctx);
    }
    pv_progress_begin(&corpus->progress, ctx, "reading", "B", inputs->total_size);
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
    pv_free(corpus->ctx, corpus->files);
    pv_free(corpus->ctx, corpus);
}

uint64_t pv_corpus_bytes(const pv_corpus *corpus)
{
    return atomic_load(&corpus->bytes);
}

uint64_t pv_corpus_skipped(const pv_corpus *corpus)
{
    return atomic_load(&corpus->skipped);
}

void pv_corpus_slow(pv_corpus *corpus, const char *stage)
{
    corpus->slow = true;
    pv_progress_begin(&corpus->progress, corpus->ctx, stage, "B", corpus->inputs->total_size);
}

void pv_corpus_went_on(pv_corpus *corpus, uint64_t bytes)
{
    pv_progress_add(&corpus->progress, bytes);
}

void pv_corpus_finish(pv_corpus *corpus)
{
    pv_progress_end(&corpus->progress);
}

/* ---- Members ------------------------------------------------------------- */

/* Reads until the carry has `wanted` bytes or the member ends. */
static psdvec_status fill(corpus_file *file, pv_buffer *buffer, size_t wanted)
{
    while (!file->member_ended && buffer->length < wanted) {
        /* Never more than wanted: where pieces are cut must not depend on how
         * much a pipe happens to hold. */
        size_t room = wanted - buffer->length, got;
        PV_TRY(pv_buffer_reserve(buffer, room));
        PV_TRY(pv_byte_stream_read(file->stream, buffer->data + buffer->length, room, &got));
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
        atomic_fetch_add(&corpus->skipped, 1);
        *use = false;
        return PSDVEC_OK;
    }
    file->kind = PV_PIECE_TEXT;
    if (corpus->options->json_field)
        file->kind = PV_PIECE_JSON_LINES;
    else if (pv_wiki_dump_looks_like(start, length))
        file->kind = PV_PIECE_WIKI_PAGES;
    else if (pv_wiki_extractor_looks_like(start, length))
        file->kind = PV_PIECE_WIKI_EXTRACTOR;
    if (length >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0) {
        memmove(file->carry.data, start + 3, length - 3); /* the byte order mark */
        file->carry.length -= 3;
        file->offset = 3;
    }
    if (file->kind == PV_PIECE_WIKI_PAGES) {
        pv_wiki_dump_free(file->dump);
        file->dump = NULL;
        file->dump = pv_wiki_dump_new(ctx, take_page, file);
        if (!file->dump)
            return pv_failure(ctx);
        pv_wiki_dump_set_name(file->dump, name);
    }
    /* `none` runs the files and members of one input together. */
    bool runs_on = corpus->options->document == PSDVEC_DOCUMENT_NONE &&
                   (file->sequence > 0 || (index > 0 && corpus->inputs->files[index - 1].input ==
                                                            corpus->inputs->files[index].input));
    file->continues = runs_on;
    file->mid_line = false;
    return PSDVEC_OK;
}

/* ---- Where to cut ---------------------------------------------------------- */

static char *last_newline(char *text, size_t length)
{
    return pv_find_last(text, '\n', length);
}

/* The start of the text after the last blank line, or NULL. */
static char *after_last_blank_line(char *text, size_t length)
{
    char *end = text + length;
    for (char *newline = last_newline(text, length); newline;
         newline = last_newline(text, (size_t)(newline - text))) {
        unsigned char *next = pv_blank_line((unsigned char *)newline + 1, (unsigned char *)end);
        if (next)
            return (char *)next;
    }
    return NULL;
}

static char *after_last_article(char *text, size_t length)
{
    for (size_t end = length; end >= 7;) {
        char *newline = last_newline(text, end);
        if (!newline || newline - text < 6)
            return NULL;
        if (memcmp(newline - 6, "</doc>", 6) == 0)
            return newline + 1;
        end = (size_t)(newline - text);
    }
    return NULL;
}

/* True if a document can be larger than a record or line. */
static bool documents_span_lines(const pv_corpus *corpus)
{
    psdvec_document document = corpus->options->document;
    return document == PSDVEC_DOCUMENT_FILE || document == PSDVEC_DOCUMENT_NONE;
}

/* Where to cut the text, most of which has been read but not all. NULL: not
 * yet, read more. *inside tells whether a document is cut in two. */
static char *find_cut(pv_corpus *corpus, corpus_file *file, pv_buffer *text, bool *inside)
{
    char *data = text->data, *cut;
    size_t length = text->length;
    bool by_blank_lines = corpus->options->document == PSDVEC_DOCUMENT_BLANK_LINE &&
                          file->kind == PV_PIECE_TEXT;
    *inside = documents_span_lines(corpus);
    if (file->kind == PV_PIECE_WIKI_EXTRACTOR && (cut = after_last_article(data, length)))
        return cut;
    if (by_blank_lines && (cut = after_last_blank_line(data, length)))
        return cut;
    if ((cut = last_newline(data, length))) {
        *inside |= by_blank_lines || file->kind == PV_PIECE_WIKI_EXTRACTOR;
        return cut + 1;
    }
    if (file->kind == PV_PIECE_JSON_LINES)
        return NULL;
    *inside = true;
    for (size_t i = length; i-- > 0;)
        if ((unsigned char)data[i] <= ' ')
            return data + i + 1;
    if (length < PV_LONGEST_RUN)
        return NULL;
    size_t end = length; /* one enormous word: between two characters of it */
    while (end > length - 4 && ((unsigned char)data[end - 1] & 0xC0) == 0x80)
        end--;
    if (end > length - 4 && ((unsigned char)data[end - 1] & 0x80))
        end--;
    return data + end;
}

/* ---- Pieces ------------------------------------------------------------------ */

static psdvec_status next_lines(pv_corpus *corpus, corpus_file *file, pv_piece *piece)
{
    pv_buffer *text = &piece->text;
    text->length = 0;
    piece->offset = file->offset;
    piece->line = file->line;
    piece->continues = file->continues;
    piece->mid_line = file->mid_line;
    PV_TRY(pv_buffer_append(text, file->carry.data, file->carry.length));
    file->carry.length = 0;
    size_t wanted = PIECE;
    char *cut;
    bool inside = false;
    for (;;) {
        PV_TRY(fill(file, text, wanted));
        if (file->member_ended) {
            cut = text->data + text->length;
            break;
        }
        cut = find_cut(corpus, file, text, &inside);
        if (cut)
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
    file->continues = inside;
    file->mid_line = used > 0 && text->data[used - 1] != '\n';
    if (file->kind == PV_PIECE_JSON_LINES)
        for (const char *p = text->data, *end = p + used;
             p && (p = memchr(p, '\n', (size_t)(end - p))); p++)
            file->line++;
    return PSDVEC_OK;
}

static psdvec_status next_pages(pv_corpus *corpus, corpus_file *file, pv_piece *piece)
{
    piece->text.length = 0;
    piece->offset = file->offset;
    piece->line = 1;
    piece->continues = file->continues;
    piece->mid_line = false;
    file->pages.length = 0;
    do {
        if (file->carry.length == 0)
            PV_TRY(fill(file, &file->carry, READ_BLOCK));
        PV_TRY(pv_wiki_dump_feed(file->dump, file->carry.data, file->carry.length,
                                 file->member_ended));
        file->offset += file->carry.length;
        file->carry.length = 0;
    } while (!file->member_ended && file->pages.length < PIECE);
    pv_buffer text = piece->text;
    piece->text = file->pages;
    file->pages = text;
    file->continues = documents_span_lines(corpus);
    return PSDVEC_OK;
}

static psdvec_status next_of_file(pv_corpus *corpus, size_t index, pv_piece *piece, bool *more)
{
    corpus_file *file = &corpus->files[index];
    *more = true;
    for (;;) {
        if (!file->in_member) {
            PV_TRY(pv_byte_stream_next_member(file->stream, more));
            if (!*more)
                return PSDVEC_OK;
            bool use;
            PV_TRY(begin_member(corpus, file, index, &use));
            if (!use)
                continue;
            file->in_member = true;
        }
        piece->kind = file->kind;
        piece->file = (uint32_t)index;
        piece->sequence = file->sequence;
        const char *name = pv_byte_stream_name(file->stream);
        piece->name.length = 0;
        PV_TRY(pv_buffer_append(&piece->name, name, strlen(name) + 1));
        PV_TRY(file->kind == PV_PIECE_WIKI_PAGES ? next_pages(corpus, file, piece)
                                                 : next_lines(corpus, file, piece));
        file->in_member = !(file->member_ended && file->carry.length == 0);
        piece->open_end = file->in_member ? file->continues
                                          : corpus->options->document == PSDVEC_DOCUMENT_NONE;
        if (piece->text.length > 0) {
            file->sequence++;
            return PSDVEC_OK;
        }
    }
}

psdvec_status pv_corpus_next(pv_corpus *corpus, size_t *place, pv_piece *piece, bool *more)
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
            status = next_of_file(corpus, *place, piece, more);
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
        piece->consumed = progress;
        if (!corpus->slow || !*more)
            pv_progress_add(&corpus->progress, progress);
        PV_TRY(status);
        if (*more) {
            atomic_fetch_add(&corpus->bytes, piece->text.length);
            return PSDVEC_OK;
        }
    }
}
