/* Dividing the inputs into segments. */
#include "corpus/corpus.h"

#include "base/group.h"
#include "corpus/file_kind.h"
#include "corpus/records.h"
#include "corpus/text_shape.h"
#include "corpus/text_source.h"
#include "corpus/tokens.h"
#include "corpus/wiki_dump.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SEGMENT = 512 << 10, LONGEST_RECORD = 256 << 20, READ_SIZE = 256 << 10 };

typedef struct corpus_file {
    pthread_mutex_t lock;
    bool opened;
    atomic_bool finished;
    uint32_t first_member, members; /* of the group: those that share its segments */
    pv_byte_stream *stream;
    pv_text_source source; /* of the member */
    uint64_t member;       /* its number */
    bool in_member;
    pv_segment_kind kind;
    pv_buffer carry;   /* read, but not yet part of a segment */
    bool member_ended; /* the stream has no more for this member */
    uint64_t offset;   /* of the carry within the member */
    uint64_t line;     /* number of the line at the carry */
    uint64_t sequence; /* of the next segment */
    bool open;         /* the next segment begins inside a document */
    bool input_ended;  /* reported in a separate segment */
    uint64_t consumed; /* reported as progress */
    pv_wiki_dump *dump;
    pv_buffer pages;
} corpus_file;

/* Number of members with a condition to report, and the first of them in input order. */
typedef struct notice {
    uint64_t count;
    size_t file;
    uint64_t member;
    pv_buffer name;
} notice;

struct pv_corpus {
    psdvec_context *ctx;
    pv_scope scope; /* of the files */
    const pv_inputs *inputs;
    const psdvec_text_options *options;
    corpus_file *files;
    _Atomic size_t next_unopened;
    _Atomic uint64_t bytes;
    pv_progress progress;
    bool slow;    /* the caller reports progress */
    bool divided; /* among the members of a group */

    pthread_mutex_t lock; /* guards the members below */
    notice passed_over, guessed, bad, wrapped;
    unsigned width;  /* of the first wrapped member */
    uint64_t *kinds; /* of skipped files, see file_kind.h */
    uint64_t bad_sequences;
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

/* Divides the files among the members of a group, in order and by size: each member has consecutive
 * segments of the text. A file is read by those members only that have a part of it. */
void pv_corpus_divide(pv_corpus *corpus)
{
    const pv_inputs *inputs = corpus->inputs;
    uint64_t members = pv_group_members(corpus->ctx), rank = pv_group_rank(corpus->ctx), total = 0;
    double before = 0;
    for (size_t i = 0; i < inputs->count; i++)
        total += pv_larger(inputs->files[i].size, 1);
    for (size_t i = 0; i < inputs->count; i++) {
        corpus_file *file = &corpus->files[i];
        double per_byte = (double)members / (double)total, first = floor(before * per_byte);
        before += (double)pv_larger(inputs->files[i].size, 1);
        double last = ceil(before * per_byte) - 1;
        file->first_member = (uint32_t)fmin(first, (double)(members - 1));
        last = fmax((double)file->first_member, fmin(last, (double)(members - 1)));
        file->members = (uint32_t)last - file->first_member + 1;
        file->finished = rank < file->first_member || rank > (uint64_t)last;
    }
    corpus->progress.total /= members;
    corpus->divided = true;
}

/* Whether this member of the group has the segment that begins where the file has been read up to
 * now. Members decide by how much of the file, possibly compressed, has been consumed, which is the
 * same for all of them. */
static bool is_mine(const pv_corpus *corpus, const corpus_file *file, size_t index)
{
    if (!corpus->divided)
        return true;
    uint64_t size = pv_larger(corpus->inputs->files[index].size, 1);
    double place = (double)file->consumed / (double)size * file->members;
    uint32_t member = place < file->members ? (uint32_t)place : file->members - 1;
    return file->first_member + member == pv_group_rank(corpus->ctx);
}

psdvec_status pv_corpus_new(psdvec_context *ctx, const pv_inputs *inputs,
                            const psdvec_text_options *options, const char *stage, pv_corpus **out)
{
    *out = NULL;
    pv_scope scope = {.ctx = ctx, .what = "the corpus"};
    pv_corpus *corpus;
    corpus_file *files;
    uint64_t *kinds;
    PV_TAKE(&scope, corpus, 1);
    PV_TAKE_ZERO(&scope, files, inputs->count);
    PV_TAKE_ZERO(&scope, kinds, pv_file_kinds());
    if (scope.failed) {
        pv_scope_free(&scope);
        return pv_failure(ctx);
    }
    *corpus = (pv_corpus){.ctx = ctx,
                          .scope = scope,
                          .inputs = inputs,
                          .options = options,
                          .files = files,
                          .slow = stage != NULL,
                          .passed_over.name.ctx = ctx,
                          .guessed.name.ctx = ctx,
                          .bad.name.ctx = ctx,
                          .wrapped.name.ctx = ctx,
                          .kinds = kinds};
    pthread_mutex_init(&corpus->lock, NULL);
    for (size_t i = 0; i < inputs->count; i++) {
        pthread_mutex_init(&files[i].lock, NULL);
        files[i].carry.ctx = files[i].pages.ctx = ctx;
        pv_text_source_init(&files[i].source, ctx, options);
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
    pv_text_source_free(&file->source);
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
    pv_buffer_free(&corpus->passed_over.name);
    pv_buffer_free(&corpus->guessed.name);
    pv_buffer_free(&corpus->bad.name);
    pv_buffer_free(&corpus->wrapped.name);
    pthread_mutex_destroy(&corpus->lock);
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

/* ---- Notices --------------------------------------------------------- */

/* The corpus's lock must be held. */
static psdvec_status notice_member(pv_corpus *corpus, notice *n, const corpus_file *file,
                                   size_t index)
{
    if (corpus->divided && file->first_member != pv_group_rank(corpus->ctx))
        return PSDVEC_OK; /* another member that reads the file reports it */
    bool first = n->count++ == 0 || index < n->file ||
                 (index == n->file && file->member < n->member);
    if (!first)
        return PSDVEC_OK;
    n->file = index;
    n->member = file->member;
    n->name.length = 0;
    PV_TRY(pv_buffer_text(&n->name, pv_byte_stream_name(file->stream)));
    return pv_buffer_byte(&n->name, '\0');
}

static const char binary_advice[] = "does not look like text; if it is text, set its `encoding`";

/* A file that the user named must be text; other files that are not text are skipped and
 * counted. */
static psdvec_status pass_over(pv_corpus *corpus, const corpus_file *file, size_t index,
                               size_t number)
{
    const char *name = pv_byte_stream_name(file->stream);
    const pv_file_kind *kind = pv_file_kind_of(number);
    const char *remedy = kind->remedy ? kind->remedy : "give files that contain text";
    if (corpus->inputs->files[index].named && !pv_byte_stream_in_archive(file->stream))
        return number == PV_KIND_BINARY
                   ? pv_fail(corpus->ctx, PSDVEC_ERR_NOT_TEXT, "%s: %s", name, binary_advice)
                   : pv_fail(corpus->ctx, PSDVEC_ERR_NOT_TEXT, "%s: is not text (%s); %s", name,
                             kind->name, remedy);
    pv_note(corpus->ctx, "%s: skipped: %s", name, kind->name);
    pthread_mutex_lock(&corpus->lock);
    corpus->kinds[number]++;
    psdvec_status status = notice_member(corpus, &corpus->passed_over, file, index);
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

/* Called when the member has been read. */
static psdvec_status notice_conversion(pv_corpus *corpus, const corpus_file *file, size_t index)
{
    const pv_text_source *source = &file->source;
    psdvec_status status = PSDVEC_OK;
    if (!source->guessed && source->bad == 0)
        return PSDVEC_OK;
    if (source->bad && corpus->options->strict)
        return pv_fail(corpus->ctx, PSDVEC_ERR_UTF8,
                       "%s: contains bytes that are not valid in its encoding; set another "
                       "`encoding`, or read it without `strict`",
                       pv_byte_stream_name(file->stream));
    pthread_mutex_lock(&corpus->lock);
    corpus->bad_sequences += source->bad;
    if (source->guessed)
        status = notice_member(corpus, &corpus->guessed, file, index);
    if (source->bad && status == PSDVEC_OK)
        status = notice_member(corpus, &corpus->bad, file, index);
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

/* "a.txt and 2 other files" */
static psdvec_status name_files(const notice *n, pv_buffer *text)
{
    PV_TRY(pv_buffer_text(text, n->name.data));
    if (n->count > 1)
        PV_TRY(pv_buffer_printf(text, " and %" PRIu64 " other file%s", n->count - 1,
                                n->count > 2 ? "s" : ""));
    return PSDVEC_OK;
}

/* "2 PDF, 1 JPEG; convert PDF with pdftotext" */
static psdvec_status name_kinds(const pv_corpus *corpus, pv_buffer *text)
{
    const char *between = ": ";
    for (uint64_t most = UINT64_MAX; most > 0;) {
        uint64_t next = 0; /* the most frequent kinds first */
        for (size_t k = 0; k < pv_file_kinds(); k++)
            if (corpus->kinds[k] < most && corpus->kinds[k] > next)
                next = corpus->kinds[k];
        for (size_t k = 0; k < pv_file_kinds() && next > 0; k++)
            if (corpus->kinds[k] == next) {
                PV_TRY(pv_buffer_printf(text, "%s%" PRIu64 " %s", between, next,
                                        pv_file_kind_of(k)->name));
                between = ", ";
            }
        most = next;
    }
    const char *last = NULL;
    for (size_t k = 0; k < pv_file_kinds(); k++) {
        const char *remedy = pv_file_kind_of(k)->remedy;
        if (corpus->kinds[k] == 0 || !remedy || (last && strcmp(last, remedy) == 0))
            continue;
        PV_TRY(pv_buffer_printf(text, "; %s", last = remedy));
    }
    return PSDVEC_OK;
}

static psdvec_status describe_passed_over(const pv_corpus *corpus, pv_buffer *text)
{
    const notice *n = &corpus->passed_over;
    if (n->count > 1) {
        PV_TRY(pv_buffer_printf(text, "skipped %" PRIu64 " files that are not text (first: %s)",
                                n->count, n->name.data));
        return name_kinds(corpus, text);
    }
    PV_TRY(pv_buffer_printf(text, "%s: skipped: ", n->name.data));
    if (corpus->kinds[PV_KIND_BINARY])
        return pv_buffer_text(text, binary_advice);
    size_t kind = 0;
    while (corpus->kinds[kind] == 0)
        kind++;
    const pv_file_kind *k = pv_file_kind_of(kind);
    return pv_buffer_printf(text, "not text (%s)%s%s", k->name, k->remedy ? "; " : "",
                            k->remedy ? k->remedy : "");
}

void pv_corpus_report(const pv_corpus *corpus)
{
    psdvec_context *ctx = corpus->ctx;
    pv_buffer text = {.ctx = ctx};
    if (corpus->passed_over.count && describe_passed_over(corpus, &text) == PSDVEC_OK)
        pv_warn(ctx, "%.*s", (int)text.length, text.data);
    text.length = 0;
    if (corpus->guessed.count && name_files(&corpus->guessed, &text) == PSDVEC_OK)
        pv_warn(ctx,
                "%.*s: not valid UTF-8; read as Windows-1252 (Latin-1); if that is wrong, set the "
                "`encoding`",
                (int)text.length, text.data);
    text.length = 0;
    if (corpus->bad.count && name_files(&corpus->bad, &text) == PSDVEC_OK)
        pv_warn(ctx,
                "%.*s: %" PRIu64 " byte sequences are not valid in the encoding and were read as "
                "the replacement character",
                (int)text.length, text.data, corpus->bad_sequences);
    text.length = 0;
    if (corpus->wrapped.count && name_files(&corpus->wrapped, &text) == PSDVEC_OK) {
        bool chosen = corpus->options->document == PSDVEC_DOCUMENT_AUTO;
        pv_message(ctx, chosen ? PSDVEC_STEP : PSDVEC_WARNING,
                   "%.*s: lines are wrapped at about %u columns, %s", (int)text.length, text.data,
                   corpus->width,
                   chosen ? "so documents end at blank lines there"
                          : "and each line is a document; `document=auto` uses paragraphs "
                            "instead, which usually gives better vectors");
    }
    pv_buffer_free(&text);
}

/* ---- Members ------------------------------------------------------------- */

/* Reads until the carry has `wanted` bytes or the member ends. */
static psdvec_status fill(corpus_file *file, pv_buffer *buffer, size_t wanted)
{
    while (!file->member_ended && buffer->length < wanted) {
        /* Never more than wanted: segment boundaries must not depend on how much data a pipe
         * happens to hold. */
        size_t missing = wanted - buffer->length, got;
        PV_TRY(pv_buffer_reserve(buffer, missing));
        PV_TRY(pv_text_source_read(&file->source, buffer->data + buffer->length, missing, &got));
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

/* Detects text that is wrapped at a fixed width. Its documents end at blank lines unless the user
 * chose otherwise; the user is notified in either case. */
static psdvec_status look_for_wrapping(pv_corpus *corpus, corpus_file *file, size_t index)
{
    psdvec_document document = corpus->options->document;
    if (document != PSDVEC_DOCUMENT_AUTO && document != PSDVEC_DOCUMENT_LINE)
        return PSDVEC_OK;
    PV_TRY(fill(file, &file->carry, PV_SHAPE_LENGTH));
    unsigned width = file->carry.data
                         ? pv_wrapped_at(file->carry.data, file->carry.length, file->member_ended)
                         : 0;
    if (width == 0)
        return PSDVEC_OK;
    if (document == PSDVEC_DOCUMENT_AUTO)
        file->kind = PV_SEGMENT_WRAPPED;
    pthread_mutex_lock(&corpus->lock);
    psdvec_status status = notice_member(corpus, &corpus->wrapped, file, index);
    if (corpus->wrapped.file == index && corpus->wrapped.member == file->member)
        corpus->width = width;
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

/* Detects the format of the member from its first bytes. False: skip it. */
static psdvec_status begin_member(pv_corpus *corpus, corpus_file *file, size_t index, bool *use)
{
    psdvec_context *ctx = corpus->ctx;
    const char *name = pv_byte_stream_name(file->stream);
    file->member++;
    file->carry.length = 0;
    file->member_ended = false;
    file->offset = 0;
    file->line = 1;
    size_t kind;
    PV_TRY(pv_text_source_begin(&file->source, file->stream, use, &kind));
    if (!*use)
        return pass_over(corpus, file, index, kind);
    PV_TRY(fill(file, &file->carry, PV_SNIFF_LENGTH));
    const char *start = file->carry.data ? file->carry.data : "";
    size_t length = file->carry.length;
    file->kind = PV_SEGMENT_TEXT;
    if (corpus->options->json_field)
        file->kind = PV_SEGMENT_JSON_LINES;
    else if (corpus->options->columns)
        file->kind = PV_SEGMENT_COLUMNS;
    else if (file->source.markup != PV_MARKUP_NONE)
        file->kind = PV_SEGMENT_TEXT;
    else if (pv_wiki_dump_looks_like(start, length))
        file->kind = PV_SEGMENT_WIKI_PAGES;
    else if (pv_wiki_extractor_looks_like(start, length))
        file->kind = PV_SEGMENT_WIKI_EXTRACTOR;
    if (file->kind == PV_SEGMENT_TEXT && file->source.markup == PV_MARKUP_NONE) {
        PV_TRY(look_for_wrapping(corpus, file, index));
        start = file->carry.data ? file->carry.data : "";
        length = file->carry.length;
    }
    PV_HOLDS(file->carry.data || length == 0);
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
                           "%s: line %" PRIu64 " is longer than %d MiB; check that the file is "
                           "%s",
                           pv_byte_stream_name(file->stream), file->line, LONGEST_RECORD >> 20,
                           file->kind == PV_SEGMENT_COLUMNS ? "tab-separated lines" : "JSON lines");
        wanted = 2 * text->length;
    }
    size_t used = text->data ? (size_t)(cut - text->data) : 0;
    PV_TRY(pv_buffer_append(&file->carry, cut, text->length - used));
    text->length = used;
    file->offset += used;
    if (file->kind == PV_SEGMENT_JSON_LINES || file->kind == PV_SEGMENT_COLUMNS)
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

/* A document that spans files ends after the last file of the input, in an empty segment: it is not
 * known earlier whether that file has any text. */
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
        if (file->member_ended) {
            PV_TRY(notice_conversion(corpus, file, index));
            file->open = pv_document_spans_members(corpus->options);
        }
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
    size_t tried = 0; /* consecutive finished files */
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
        bool mine = is_mine(corpus, file, *place);
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
        if (*more && mine) {
            atomic_fetch_add(&corpus->bytes, segment->text.length);
            return PSDVEC_OK;
        }
    }
}
