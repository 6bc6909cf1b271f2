/* Document and sentence boundaries, and delivery of tokens to sinks. */
#include "corpus/tokens.h"

#include "base/arguments.h"
#include "base/platform.h"
#include "corpus/columns.h"
#include "corpus/connectors.h"
#include "corpus/options.h"
#include "corpus/phrases.h"
#include "corpus/records.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <string.h>

/* ---- Documents --------------------------------------------------------------------------- */

#define DOCUMENT_CHOICES                                                                           \
    [PSDVEC_DOCUMENT_LINE] = {.name = "line", .help = "every line or record"},                     \
    [PSDVEC_DOCUMENT_FILE] = {.name = "file", .help = "every file or archive member"},             \
    [PSDVEC_DOCUMENT_BLANK_LINE] = {.name = "blank-line",                                          \
                                    .help = "blank lines separate documents"},                     \
    [PSDVEC_DOCUMENT_NONE] = {.name = "none", .help = "each input, folder or archive as a whole"}, \
    [PSDVEC_DOCUMENT_AUTO] = {.name = "auto",                                                      \
                              .help = "blank-line in files with wrapped lines, line in others"}

const psdvec_choice pv_document_choices[] = {DOCUMENT_CHOICES, {0}};
const psdvec_choice pv_new_document_choices[] = {
    DOCUMENT_CHOICES,
    [PSDVEC_DOCUMENT_MODEL] = {.name = "model", .help = "as in the text of the model"},
    {0}};

/* Words longer than this are split, so that a segment can always end. */
enum { LONGEST_WORD = 16 << 20 };

/* The rule that ends documents in a segment. A record is one line, so blank lines cannot separate
 * documents there. */
static psdvec_document rule_in_segment(const psdvec_text_options *options, pv_segment_kind kind)
{
    if (options->document == PSDVEC_DOCUMENT_AUTO)
        return kind == PV_SEGMENT_WRAPPED ? PSDVEC_DOCUMENT_BLANK_LINE : PSDVEC_DOCUMENT_LINE;
    return options->document == PSDVEC_DOCUMENT_BLANK_LINE && kind != PV_SEGMENT_TEXT
               ? PSDVEC_DOCUMENT_LINE
               : options->document;
}

bool pv_document_spans_records(const psdvec_text_options *options)
{
    return rule_in_segment(options, PV_SEGMENT_WIKI_PAGES) != PSDVEC_DOCUMENT_LINE;
}

bool pv_document_spans_members(const psdvec_text_options *options)
{
    return options->document == PSDVEC_DOCUMENT_NONE;
}

/* If the line is blank (spaces, tabs, carriage returns), the start of the line after it; otherwise
 * NULL. */
static char *after_blank_line(char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line < end && *line == '\n' ? line + 1 : NULL;
}

/* The end of the document that `begin` is in, and where the next one begins; NULL if none ends
 * before `end`. With `inside_line`, `begin` is not the start of a line. */
static char *document_end(psdvec_document rule, bool inside_line, char *begin, char *end,
                          char **next)
{
    *next = end;
    if (rule != PSDVEC_DOCUMENT_LINE && rule != PSDVEC_DOCUMENT_BLANK_LINE)
        return NULL;
    for (char *line = begin; line < end; line = *next, inside_line = false) {
        char *after = NULL;
        if (rule == PSDVEC_DOCUMENT_BLANK_LINE && !inside_line)
            after = after_blank_line(line, end);
        char *newline = after ? line : memchr(line, '\n', (size_t)(end - line));
        *next = after ? after : newline ? newline + 1 : end;
        if (after || (newline && rule == PSDVEC_DOCUMENT_LINE))
            return newline;
    }
    return NULL;
}

static char *after_last_blank_line(char *text, size_t length)
{
    for (char *newline = pv_find_last(text, '\n', length); newline;
         newline = pv_find_last(text, '\n', (size_t)(newline - text))) {
        char *after = after_blank_line(newline + 1, text + length);
        if (after)
            return after;
    }
    return NULL;
}

static char *after_last_article(char *text, size_t length)
{
    for (char *newline = pv_find_last(text, '\n', length); newline && newline - text >= 6;
         newline = pv_find_last(text, '\n', (size_t)(newline - text)))
        if (memcmp(newline - 6, "</doc>", 6) == 0)
            return newline + 1;
    return NULL;
}

char *pv_document_cut(const psdvec_text_options *options, pv_segment_kind kind, char *text,
                      size_t length, bool *open)
{
    psdvec_document rule = rule_in_segment(options, kind);
    bool by_blank_lines = rule == PSDVEC_DOCUMENT_BLANK_LINE;
    char *cut = NULL;
    *open = pv_document_spans_records(options);
    if (kind == PV_SEGMENT_WIKI_EXTRACTOR)
        cut = after_last_article(text, length);
    else if (by_blank_lines)
        cut = after_last_blank_line(text, length);
    if (cut)
        return cut;
    *open = rule != PSDVEC_DOCUMENT_LINE || kind == PV_SEGMENT_WIKI_EXTRACTOR;
    /* Before the line end where blank lines matter: then segments that continue a document always
     * begin inside a line. */
    if ((cut = pv_find_last(text, '\n', length)) && (cut > text || !by_blank_lines))
        return by_blank_lines ? cut : cut + 1;
    if (kind == PV_SEGMENT_JSON_LINES || kind == PV_SEGMENT_COLUMNS)
        return NULL;
    *open = true;
    for (size_t i = length; i-- > 0;)
        if ((unsigned char)text[i] <= ' ')
            return text + i + 1;
    if (length < LONGEST_WORD)
        return NULL;
    size_t end = length; /* one enormous word: split between two characters */
    while (end > length - 4 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
        end--;
    if (end > length - 4 && ((unsigned char)text[end - 1] & 0x80))
        end--;
    return text + end;
}

/* ---- Sentences ----------------------------------------------------------------------------
 *
 * A sentence ends at . ! ? or U+2026 if white space or the line end follows, ignoring closing
 * quotes and brackets; at the full stops of Chinese and Japanese and the danda of Hindi; and at a
 * paragraph separator (U+2029), which records contain. */

static bool closes(uint32_t cp)
{
    return cp == '"' || cp == '\'' || cp == ')' || cp == ']' || cp == 0x2019 || cp == 0x201D ||
           cp == 0xBB;
}

static bool ends_anywhere(uint32_t cp)
{
    return cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F || cp == 0xFF61 || cp == 0x0964 ||
           cp == 0x0965 || cp == 0x2029;
}

/* The end of the first sentence, or NULL if none ends. With `only_at_space`, sentences end only at
 * white space and at `end`. */
static char *sentence_end(bool only_at_space, char *begin, char *end)
{
    bool stop_seen = false;
    const unsigned char *last = (const unsigned char *)end;
    for (char *p = begin; p < end;) {
        uint32_t cp = 0;
        int length = pv_utf8_decode((const unsigned char *)p, last, &cp);
        if (length < 0) {
            stop_seen = false;
            p -= length;
            continue;
        }
        if (stop_seen && cp <= ' ')
            return p;
        p += length;
        if (ends_anywhere(cp)) {
            if (!only_at_space)
                return p;
            stop_seen = true;
        } else if (cp == '.' || cp == '!' || cp == '?' || cp == 0x2026) {
            stop_seen = true;
        } else if (!closes(cp)) {
            stop_seen = false;
        }
    }
    return stop_seen ? end : NULL;
}

/* ---- The driver --------------------------------------------------------------------------- */

typedef struct driver {
    psdvec_context *ctx;
    const pv_text_rules *rules;
    pv_corpus *corpus; /* NULL: the text is in memory */
    pv_text_faults *faults;
    pv_token_sink *sink;
    pv_tokenizer tokenizer;
    pv_word_form form;
    pv_buffer decoded; /* records as lines */
    pv_buffer details; /* of the documents in them (columns.h), if the sink needs them */
    size_t details_used;

    psdvec_document rule;           /* in this segment */
    const char *name;               /* of its file */
    char *rest, *end;               /* text not yet in a span */
    bool inside_line;               /* `rest` is not the start of a line */
    char *document, *next_document; /* the end of the document at `rest`, and the next one; NULL:
                                       not looked for */
    bool document_ends;             /* a document ends at `document`; otherwise the segment does */
    bool in_span;
    pv_token_kind span_end; /* READY: with no event */

    pv_scope scope; /* of `tokens` */
    pv_token *tokens;
    size_t batch, capacity;
    size_t held;      /* tokens of a document that may still be too short */
    uint32_t words;   /* of the document, counted up to min_document_words */
    bool whole;       /* no earlier segment contains a part of it */
    bool finish;      /* the sink needs normalised words */
    pv_buffer normal; /* normalised RAW tokens; their `text` is an offset in it */

    pv_token *joined, *marked; /* tokens with phrases joined; with connectors marked */
    size_t joined_capacity;
    pv_connecting connecting;
} driver;

static psdvec_status driver_init(driver *d, size_t batch)
{
    d->batch = batch;
    d->capacity = 2 * batch + 1;
    d->decoded.ctx = d->details.ctx = d->normal.ctx = d->ctx;
    d->connecting.last.ctx = d->connecting.texts.ctx = d->ctx;
    d->finish = !d->sink->is_word || d->rules->joining.phrases;
    d->scope = (pv_scope){.ctx = d->ctx, .what = "the tokenizer"};
    pv_word_form_init(&d->form, d->ctx, d->rules);
    PV_TAKE(&d->scope, d->tokens, d->capacity);
    PV_TRY(pv_scope_status(&d->scope));
    return pv_tokenizer_init(&d->tokenizer, d->ctx, d->rules);
}

static void driver_free(driver *d)
{
    pv_tokenizer_free(&d->tokenizer);
    pv_word_form_free(&d->form);
    pv_buffer_free(&d->decoded);
    pv_buffer_free(&d->details);
    pv_buffer_free(&d->normal);
    pv_buffer_free(&d->connecting.last);
    pv_buffer_free(&d->connecting.texts);
    pv_scope_free(&d->scope);
}

static void open_span(driver *d)
{
    const psdvec_text_options *o = &d->rules->options;
    if (!d->document) {
        char *stop = document_end(d->rule, d->inside_line, d->rest, d->end, &d->next_document);
        d->document = stop ? stop : d->end;
        d->document_ends = stop != NULL;
        d->inside_line = false;
    }
    char *begin = d->rest, *end = NULL;
    if (o->sentences)
        end = sentence_end(o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE, begin, d->document);
    if (end && (end < d->document || !d->document_ends)) {
        d->span_end = PV_TOKEN_SENTENCE_END;
        d->rest = end;
    } else {
        d->span_end = d->document_ends ? PV_TOKEN_DOCUMENT_END : PV_TOKEN_READY;
        end = d->document;
        d->rest = d->next_document;
        d->document = NULL;
    }
    d->in_span = true;
    pv_tokenizer_open(&d->tokenizer, (unsigned char *)begin, (unsigned char *)end);
}

/* The details at `details_used`, which moves to the next ones; the last are repeated. */
static const char *next_details(driver *d)
{
    const char *text = d->details.data + d->details_used, *end = text;
    for (unsigned k = 0; k < 1 + PV_DETAILS; k++)
        end += strlen(end) + 1;
    if ((size_t)(end - d->details.data) < d->details.length)
        d->details_used = (size_t)(end - d->details.data);
    return text;
}

/* Adds tokens to those held; returns the total. */
static size_t fill(driver *d)
{
    size_t n = d->held, most = n + d->batch;
    while (n < most) {
        if (!d->in_span) {
            if (d->rest >= d->end)
                break;
            open_span(d);
        }
        if (!pv_tokenizer_next(&d->tokenizer, d->tokens, most, &n))
            break;
        d->in_span = false;
        if (d->span_end != PV_TOKEN_READY) {
            bool described = d->details.length && d->span_end == PV_TOKEN_DOCUMENT_END;
            d->tokens[n++] =
                (pv_token){.kind = d->span_end, .text = described ? next_details(d) : d->name};
        }
    }
    return n;
}

static psdvec_status give(driver *d, const pv_token *tokens, size_t count)
{
    pv_token_sink *sink = d->sink;
    for (size_t at = 0; at < count && !sink->done; at += PV_TOKEN_BATCH)
        PV_TRY(sink->take(sink->user, tokens + at,
                          count - at < PV_TOKEN_BATCH ? count - at : PV_TOKEN_BATCH));
    return PSDVEC_OK;
}

/* Joins phrases in the first *ready tokens and passes them on. *ready becomes the number passed on:
 * the last tokens may be the start of a phrase. With `last`, nothing follows. */
static psdvec_status pass_on_joined(driver *d, size_t *ready, bool last)
{
    const pv_joining *joining = &d->rules->joining;
    size_t count;
    if (*ready > d->joined_capacity) {
        d->joined_capacity = d->capacity;
        PV_GROW(&d->scope, d->joined, d->joined_capacity);
        if (joining->connectors)
            PV_GROW(&d->scope, d->marked, 3 * d->joined_capacity);
        PV_TRY(pv_scope_status(&d->scope));
    }
    count = pv_phrases_join(joining->phrases, d->tokens, *ready, d->normal.data, last, d->joined,
                            ready);
    if (!joining->connectors)
        return give(d, d->joined, count);
    PV_TRY(pv_connectors_mark(joining->connectors, &d->connecting, d->joined, count, d->marked,
                              &count));
    return give(d, d->marked, count);
}

/* Passes on the first `ready` of `count` tokens and holds the others. */
static psdvec_status pass_on(driver *d, size_t ready, size_t count, bool last)
{
    if (d->rules->joining.phrases) {
        PV_TRY(pass_on_joined(d, &ready, last));
    } else {
        for (pv_token *token = d->tokens; d->finish && token < d->tokens + ready; token++)
            if (token->kind == PV_TOKEN_RAW) {
                token->kind = PV_TOKEN_READY;
                token->text = d->normal.data + (uintptr_t)token->text;
            }
        PV_TRY(give(d, d->tokens, ready));
    }
    d->held = count - ready;
    memmove(d->tokens, d->tokens + ready, d->held * sizeof *d->tokens);
    if (d->held == 0)
        d->normal.length = 0;
    if (d->capacity <= d->held + d->batch)
        PV_GROW(&d->scope, d->tokens, d->capacity *= 2);
    PV_TRY(pv_scope_status(&d->scope));
    return pv_check_cancel(d->ctx);
}

/* Resolves a RAW token, and normalises it if the sink needs that. Its length becomes 0 if it is not
 * a word. */
static psdvec_status resolve(driver *d, pv_token *token)
{
    bool is = true;
    const char *word;
    size_t length;
    if (!d->finish) {
        PV_HOLDS(d->sink->is_word); /* otherwise driver_init sets `finish` */
        if (!pv_word_form_remains(d->rules, token))
            PV_TRY(d->sink->is_word(d->sink->user, token, &is));
        token->length = is ? token->length : 0;
        return PSDVEC_OK;
    }
    PV_TRY(pv_word_form_of(&d->form, token, &word, &length));
    token->text = (const char *)(uintptr_t)d->normal.length;
    token->length = (uint32_t)length;
    return pv_buffer_append(&d->normal, word, length);
}

/* Removes tokens that are not words, and documents that are too short, from the newly added
 * tokens. */
static psdvec_status sift(driver *d, size_t count)
{
    uint32_t least = d->rules->options.min_document_words;
    bool all_ends = d->sink->is_word != NULL; /* document ends need not be exact */
    if (least == 1 && all_ends && !d->finish)
        return pass_on(d, count, count, false);
    size_t begin = 0, n = d->held; /* of the document */
    for (size_t i = n; i < count;) {
        size_t from = i;
        if (!d->finish && d->words >= least) { /* nothing to decide before the document ends */
            while (i < count && d->tokens[i].kind != PV_TOKEN_DOCUMENT_END)
                i++;
            memmove(d->tokens + n, d->tokens + from, n < from ? (i - from) * sizeof *d->tokens : 0);
            n += i - from;
            if (i == count)
                break;
        }
        pv_token token = d->tokens[i++];
        if (token.kind == PV_TOKEN_DOCUMENT_END) {
            bool counts = all_ends || d->words > 0 ||
                          d->rules->options.document == PSDVEC_DOCUMENT_LINE ||
                          (d->rules->options.document == PSDVEC_DOCUMENT_AUTO &&
                           d->rule == PSDVEC_DOCUMENT_LINE);
            if (d->whole && d->words > 0 && d->words < least)
                n = begin;
            d->words = 0;
            d->whole = true;
            begin = n + counts;
            if (!counts)
                continue;
        } else if (token.kind == PV_TOKEN_SENTENCE_END) {
            if (d->words == 0 && !all_ends)
                continue;
        } else {
            if (token.kind == PV_TOKEN_RAW)
                PV_TRY(resolve(d, &token));
            if (token.length == 0)
                continue;
            d->words += d->words < least;
        }
        d->tokens[n++] = token;
    }
    return pass_on(d, d->whole && d->words < least ? begin : n, n, false);
}

static psdvec_status note_faults(driver *d, const pv_segment *segment, uint64_t bad_records)
{
    pv_text_faults *f = d->faults;
    const pv_tokenizer *t = &d->tokenizer;
    psdvec_status status = PSDVEC_OK;
    if (!f || t->bad_bytes + bad_records == 0)
        return PSDVEC_OK;
    uint64_t offset = segment->offset;
    if (segment->kind == PV_SEGMENT_TEXT ||
        segment->kind == PV_SEGMENT_WRAPPED) /* others: only the record is known */
        offset += t->first_bad;
    if (t->bad_bytes && d->rules->options.strict)
        return pv_fail(d->ctx, PSDVEC_ERR_UTF8,
                       "%s: byte %" PRIu64 " is not valid UTF-8; set the `encoding` of the text, "
                       "or read it without `strict`",
                       segment->name.data, offset);
    pthread_mutex_lock(&f->lock);
    bool first = f->bad_bytes == 0 || segment->file < f->file ||
                 (segment->file == f->file && segment->sequence < f->sequence);
    f->bad_records += bad_records;
    f->bad_bytes += t->bad_bytes;
    if (t->bad_bytes && first) {
        f->file = segment->file;
        f->sequence = segment->sequence;
        f->offset = offset;
        f->name.length = 0;
        status = pv_buffer_append(&f->name, segment->name.data, segment->name.length);
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

/* ---- Advice: underscores, scripts ---------------------------------------------------------------
 *
 * Text in which another program joined phrases, such as new_york, loses them if underscores
 * separate words. This is detected from the first segments of the first files, so it does not
 * depend on the number of threads. */

enum {
    LOOK_AT_FILES = 8,
    LOOK_AT_SEGMENTS = 4,
    BYTES_PER_UNDERSCORE = 1000,
    LEAST_UNDERSCORES = 5
};

static bool underscores_split(const psdvec_text_options *o)
{
    return o->tokenizer == PSDVEC_TOKENIZER_WORDS && o->underscores == PSDVEC_INNER_SPLIT;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Detects text without spaces from the first bytes of the first files. */
static void note_scripts(driver *d, const pv_segment *segment, const pv_buffer *text)
{
    pv_text_faults *f = d->faults;
    psdvec_tokenizer tokenizer = d->rules->options.tokenizer;
    pv_script_counts found = {0};
    if (!f || segment->sequence > 0 || segment->file >= LOOK_AT_FILES ||
        (tokenizer != PSDVEC_TOKENIZER_WORDS && tokenizer != PSDVEC_TOKENIZER_ORIGINAL))
        return;
    pv_count_scripts(text->data, text->length < PV_SHAPE_LENGTH ? text->length : PV_SHAPE_LENGTH,
                     &found);
    pthread_mutex_lock(&f->lock);
    f->scripts.letters += found.letters;
    f->scripts.spaceless += found.spaceless;
    f->scripts.runs += found.runs;
    pthread_mutex_unlock(&f->lock);
}

static void note_underscores(driver *d, const pv_segment *segment, const pv_buffer *text)
{
    pv_text_faults *f = d->faults;
    if (!f || !underscores_split(&d->rules->options) || segment->file >= LOOK_AT_FILES ||
        segment->sequence >= LOOK_AT_SEGMENTS || text->length < 3)
        return;
    uint64_t found = 0;
    const char *end = text->data + text->length - 1; /* one more byte follows */
    for (const char *p = text->data + 1; (p = memchr(p, '_', (size_t)(end - p))); p++)
        found += in_word(p[-1]) && in_word(p[1]);
    pthread_mutex_lock(&f->lock);
    f->underscores += found;
    f->looked_at += text->length;
    pthread_mutex_unlock(&f->lock);
}

void pv_text_faults_advise(const pv_text_faults *f, const psdvec_text_options *options)
{
    if (underscores_split(options) && f->underscores >= LEAST_UNDERSCORES &&
        f->underscores * BYTES_PER_UNDERSCORE >= f->looked_at)
        pv_warn(f->name.ctx,
                "the text has many words with underscores (%" PRIu64 " in the first %" PRIu64
                " KiB), which are split; to keep new_york one word, use `underscores=join`",
                f->underscores, (f->looked_at + 1023) / 1024);
    if (pv_is_spaceless(&f->scripts))
        pv_warn(
            f->name.ctx,
            "the text is written without spaces between words, so whole clauses are read as "
            "words; `tokenizer=icu` splits Chinese, Japanese, Thai, Lao, Khmer and Burmese into "
            "words");
}

/* Reports progress within a segment, of which `reported` bytes were reported before. */
static void report_progress(const driver *d, const pv_segment *segment, double share,
                            uint64_t *reported)
{
    uint64_t done = (uint64_t)(share * (double)segment->consumed);
    if (!d->corpus || !d->sink->stage || done <= *reported)
        return;
    pv_progress_add(pv_corpus_progress(d->corpus), done - *reported);
    *reported = done;
}

/* Tokenises one segment, whose text is modified. */
static psdvec_status drive(driver *d, pv_segment *segment)
{
    pv_token_sink *sink = d->sink;
    pv_buffer *text = &segment->text;
    uint64_t bad_records = 0, reported = 0;
    if (sink->details)
        PV_TRY(pv_details_begin(&d->details, segment->name.data));
    if (segment->kind != PV_SEGMENT_TEXT && segment->kind != PV_SEGMENT_WRAPPED) {
        text = &d->decoded;
        PV_TRY(pv_records_to_lines(d->ctx, &d->rules->options, segment, text,
                                   sink->details ? &d->details : NULL, &bad_records));
    }
    PV_TRY(pv_buffer_reserve(text, 1)); /* so that the padding exists */
    note_underscores(d, segment, text);
    note_scripts(d, segment, text);
    d->rule = rule_in_segment(&d->rules->options, segment->kind);
    d->name = segment->name.data;
    d->details_used = 0;
    if (sink->details) /* those of an unknown document come first */
        d->name = next_details(d);
    d->rest = text->data;
    d->end = d->rest + text->length;
    d->document = NULL;
    d->in_span = false;
    d->inside_line = segment->continues;
    d->connecting.open = false;
    d->whole = !segment->continues;
    if (d->whole)
        d->words = 0;
    if (sink->begin)
        PV_TRY(sink->begin(sink->user, segment));
    pv_tokenizer_start(&d->tokenizer, text->data);
    for (size_t count; !sink->done && (count = fill(d)) > d->held;) {
        PV_TRY(sift(d, count));
        report_progress(d, segment,
                        (double)((char *)d->tokenizer.block - text->data) / (double)text->length,
                        &reported);
    }
    if (atomic_load(&d->ctx->status) != PSDVEC_OK) /* ICU's, which the tokenizer cannot return */
        return pv_failure(d->ctx);
    if (segment->open) {
        PV_TRY(pass_on(d, d->held, d->held, true));
    } else if (d->words > 0 || sink->is_word) {
        d->tokens[d->held] = (pv_token){.kind = PV_TOKEN_DOCUMENT_END, .text = d->name};
        PV_TRY(sift(d, d->held + 1));
    }
    report_progress(d, segment, 1, &reported);
    PV_TRY(note_faults(d, segment, bad_records));
    return sink->end ? sink->end(sink->user) : PSDVEC_OK;
}

/* ---- Faults ------------------------------------------------------------------------------- */

void pv_text_faults_init(pv_text_faults *f, psdvec_context *ctx)
{
    *f = (pv_text_faults){.name = {.ctx = ctx}};
    pthread_mutex_init(&f->lock, NULL);
}

void pv_text_faults_free(pv_text_faults *f)
{
    pthread_mutex_destroy(&f->lock);
    pv_buffer_free(&f->name);
}

void pv_text_faults_report(const pv_text_faults *f, const psdvec_text_options *options)
{
    if (f->bad_bytes)
        pv_warn(f->name.ctx,
                "%s: byte %" PRIu64 " is not valid UTF-8 (%" PRIu64 " such bytes in total, read "
                "as the replacement character); if the text has another encoding, set `encoding`",
                f->name.data, f->offset, f->bad_bytes);
    if (f->bad_records)
        pv_warn(f->name.ctx, "%" PRIu64 " line%s skipped: %s \"%s\"%s", f->bad_records,
                f->bad_records == 1 ? " was" : "s were",
                options->columns ? "without the tab-separated columns"
                                 : "not a JSON object with a string in the field",
                options->columns      ? options->columns
                : options->json_field ? options->json_field
                                      : "",
                pv_text_has_details(options) && !options->columns
                    ? ", or with a label, date or name that is not a string or number"
                    : "");
}

/* ---- Texts --------------------------------------------------------------------------------- */

psdvec_status pv_tokens_of_corpus(psdvec_context *ctx, const pv_text_rules *rules,
                                  pv_corpus *corpus, pv_text_faults *faults, pv_token_sink *sink)
{
    driver d = {.ctx = ctx, .rules = rules, .corpus = corpus, .faults = faults, .sink = sink};
    pv_segment segment;
    psdvec_status status;
    size_t place = SIZE_MAX;
    pv_segment_init(&segment, ctx);
    PV_TRY_DONE(driver_init(&d, PV_TOKEN_BATCH));
    while (!sink->done) {
        bool more;
        PV_TRY_DONE(pv_corpus_next(corpus, &place, &segment, &more));
        if (!more)
            break;
        PV_TRY_DONE(drive(&d, &segment));
    }
done:
    driver_free(&d);
    pv_segment_free(&segment);
    return status;
}

psdvec_status pv_tokens_by_rules(psdvec_context *ctx, const pv_text_rules *rules, const char *text,
                                 size_t length, size_t batch, pv_text_faults *faults,
                                 pv_token_sink *sink)
{
    driver d = {.ctx = ctx, .rules = rules, .faults = faults, .sink = sink};
    pv_segment segment;
    psdvec_status status;
    pv_segment_init(&segment, ctx);
    segment.line = 1;
    segment.kind = rules->options.json_field ? PV_SEGMENT_JSON_LINES
                   : rules->options.columns  ? PV_SEGMENT_COLUMNS
                                             : PV_SEGMENT_TEXT;
    if (segment.kind == PV_SEGMENT_TEXT && rules->options.document == PSDVEC_DOCUMENT_AUTO &&
        pv_wrapped_at(text, length, true))
        segment.kind = PV_SEGMENT_WRAPPED;
    PV_TRY_DONE(driver_init(&d, batch));
    PV_TRY_DONE(pv_buffer_append(&segment.name, "the text", sizeof "the text"));
    PV_TRY_DONE(pv_buffer_append(&segment.text, text, length));
    status = drive(&d, &segment);
done:
    driver_free(&d);
    pv_segment_free(&segment);
    return status;
}

/* Reads inputs or, if `inputs` is NULL, a text. */
static psdvec_status tokens_of(psdvec_context *ctx, const psdvec_text_options *options,
                               const pv_phrases *given, const char *const *inputs,
                               size_t input_count, const char *text, size_t length,
                               pv_token_sink *sink)
{
    psdvec_text_options own;
    pv_text_faults faults;
    pv_inputs files = {0};
    pv_corpus *corpus = NULL;
    pv_phrases phrases = {0};
    psdvec_status status;
    PV_TRY(pv_options_adopt(ctx, &pv_text_table, options, &own));
    pv_text_rules *rules = pv_alloc(ctx, 1, sizeof *rules, "the tokenizer");
    if (!rules)
        return pv_failure(ctx);
    pv_text_rules_init(rules, &own);
    pv_text_faults_init(&faults, ctx);
    rules->joining.phrases = given;
    if (own.phrases && !given) {
        PV_TRY_DONE(pv_phrases_read(&phrases, ctx, &own, own.phrases));
        rules->joining.phrases = &phrases;
    }
    if (inputs) {
        PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
        PV_TRY_DONE(pv_corpus_new(ctx, &files, &rules->options, sink->stage, &corpus));
        PV_TRY_DONE(pv_tokens_of_corpus(ctx, rules, corpus, &faults, sink));
        pv_corpus_report(corpus);
    } else {
        PV_TRY_DONE(pv_tokens_by_rules(ctx, rules, text, length, PV_TOKEN_BATCH, &faults, sink));
    }
    pv_text_faults_report(&faults, &own);
done:
    pv_corpus_free(corpus);
    pv_inputs_free(&files);
    pv_text_faults_free(&faults);
    pv_phrases_free(&phrases);
    pv_free(ctx, rules);
    return status;
}

psdvec_status pv_tokens_of_text(psdvec_context *ctx, const psdvec_text_options *options,
                                const pv_phrases *phrases, const char *text, size_t length,
                                pv_token_sink *sink)
{
    return tokens_of(ctx, options, phrases, NULL, 0, text, length, sink);
}

psdvec_status pv_tokens_of_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_phrases *phrases, const char *const *inputs,
                                  size_t input_count, pv_token_sink *sink)
{
    static const char *const none[] = {NULL}; /* an empty list of inputs is an error, not a text */
    return tokens_of(ctx, options, phrases, inputs ? inputs : none, input_count, NULL, 0, sink);
}

/* ---- The public calls: one callback, one mark for every end ---------------------------- */

psdvec_status pv_host_tokens_take(void *user, const pv_token *tokens, size_t count)
{
    pv_host_tokens *c = user;
    for (size_t i = 0; i < count; i++) {
        bool word = tokens[i].kind == PV_TOKEN_READY;
        if (word || c->any)
            c->on_token(c->user, word ? tokens[i].text : NULL, tokens[i].length);
        c->any = word || (c->any && tokens[i].kind == PV_TOKEN_SENTENCE_END);
    }
    return PSDVEC_OK;
}

psdvec_status psdvec_tokenize(psdvec_context *ctx, const psdvec_text_options *options,
                              const char *text, size_t length, psdvec_token_fn *on_token,
                              void *user)
{
    PV_BEGIN(ctx);
    PV_NEED_ARRAY(ctx, text, length);
    PV_NEED(ctx, on_token);
    pv_host_tokens callback = {.on_token = on_token, .user = user};
    return pv_tokens_of_text(ctx, options, NULL, text, length,
                             &(pv_token_sink){.take = pv_host_tokens_take, .user = &callback});
}

psdvec_status psdvec_tokenize_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                     const char *const *inputs, size_t input_count,
                                     psdvec_token_fn *on_token, void *user)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, on_token);
    pv_host_tokens callback = {.on_token = on_token, .user = user};
    return pv_tokens_of_inputs(ctx, options, NULL, inputs, input_count,
                               &(pv_token_sink){.take = pv_host_tokens_take, .user = &callback});
}
