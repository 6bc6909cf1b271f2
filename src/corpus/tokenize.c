/* Tokens alone, exactly as counting sees them: of a text in memory, or of files, folders and
 * archives. */
#include "corpus/tokenize.h"

#include "base/arguments.h"
#include "corpus/corpus.h"
#include "corpus/options.h"
#include "corpus/records.h"
#include "corpus/tokenizer.h"

#include <inttypes.h>
#include <string.h>

static const uint32_t held_pause = UINT32_MAX;

/* Passes tokens on, document by document. The first words of a document are
 * held back until there are enough of them for it to count. */
typedef struct token_feed {
    psdvec_context *ctx;
    pv_corpus *corpus; /* to tell how far in a piece this is; NULL: taking words is not slow */
    const pv_token_sink *sink;
    pv_buffer source; /* name of the file, zero-terminated; the piece's own is gone when a document
                         that ends with the file ends */
    pv_text_rules *rules;
    pv_tokenizer tokenizer;
    pv_buffer held; /* length, bytes, length, bytes, ... */
    uint32_t words; /* of this document, counted no further than needed */
} token_feed;

static psdvec_status hold(token_feed *feed, const char *word, uint32_t length)
{
    PV_TRY(pv_buffer_append(&feed->held, &length, sizeof length));
    return length == held_pause ? PSDVEC_OK : pv_buffer_append(&feed->held, word, length);
}

static psdvec_status release(token_feed *feed)
{
    const pv_token_sink *sink = feed->sink;
    for (size_t at = 0; at < feed->held.length;) {
        uint32_t length;
        memcpy(&length, feed->held.data + at, sizeof length);
        at += sizeof length;
        if (length == held_pause) {
            PV_TRY(sink->pause(sink->user));
        } else {
            PV_TRY(sink->word(sink->user, feed->held.data + at, length));
            at += length;
        }
    }
    feed->held.length = 0;
    return PSDVEC_OK;
}

static psdvec_status end_document(token_feed *feed)
{
    feed->held.length = 0;
    feed->words = 0;
    return feed->sink->end(feed->sink->user, feed->source.data);
}

/* The end of a file, or a record's: of a document only if one has begun. */
static psdvec_status end_text(token_feed *feed)
{
    return feed->words ? end_document(feed) : PSDVEC_OK;
}

static psdvec_status pass_on(token_feed *feed, const pv_token *token)
{
    const pv_token_sink *sink = feed->sink;
    uint32_t least = feed->rules->options.min_document_words;
    const char *word = token->text;
    size_t length = token->length;
    if (token->kind == PV_TOKEN_BREAK)
        return feed->words || feed->rules->options.document == PSDVEC_DOCUMENT_LINE
                   ? end_document(feed)
                   : PSDVEC_OK;
    if (token->kind == PV_TOKEN_PAUSE) {
        if (feed->words > 0 && feed->words < least)
            return hold(feed, NULL, held_pause);
        return feed->words > 0 ? sink->pause(sink->user) : PSDVEC_OK;
    }
    if (token->kind == PV_TOKEN_RAW) {
        PV_TRY(pv_tokenizer_normalize(&feed->tokenizer, token, &word, &length));
        if (length == 0)
            return PSDVEC_OK;
    }
    if (feed->words >= least)
        return sink->word(sink->user, word, length);
    PV_TRY(hold(feed, word, (uint32_t)length));
    return ++feed->words == least ? release(feed) : PSDVEC_OK;
}

/* Tells of the part of a piece that is done, `told` bytes of which were told before. */
static void tell_progress(token_feed *feed, const pv_piece *piece, double share, uint64_t *told)
{
    uint64_t done = (uint64_t)(share * (double)piece->consumed);
    if (!feed->corpus || done <= *told)
        return;
    pv_corpus_went_on(feed->corpus, done - *told);
    *told = done;
}

/* One piece; its text is changed. */
static psdvec_status feed_piece(token_feed *feed, pv_piece *piece, pv_buffer *decoded)
{
    pv_token tokens[256];
    pv_buffer *text = &piece->text;
    const psdvec_text_options *options = &feed->rules->options;
    bool records = piece->kind != PV_PIECE_TEXT;
    uint64_t told = 0;
    if (records) {
        uint64_t bad;
        PV_TRY(pv_records_to_lines(feed->ctx, options, piece, decoded, &bad));
        if (bad)
            pv_warn(feed->ctx, "%s: %" PRIu64 " lines without a text in the field \"%s\"",
                    piece->name.data, bad, options->json_field);
        text = decoded;
    }
    if (!piece->continues)
        PV_TRY(end_text(feed));
    feed->source.length = 0;
    PV_TRY(pv_buffer_append(&feed->source, piece->name.data, strlen(piece->name.data) + 1));
    PV_TRY(pv_buffer_reserve(text, 1)); /* so that the padding exists */
    pv_tokenizer_start(&feed->tokenizer, text->data, text->length,
                       (records ? PV_TEXT_RECORDS : 0) | (piece->mid_line ? PV_TEXT_MID_LINE : 0));
    for (size_t n; (n = pv_tokenizer_next(&feed->tokenizer, tokens, 256)) > 0;) {
        for (size_t i = 0; i < n; i++)
            PV_TRY(pass_on(feed, &tokens[i]));
        PV_TRY(pv_check_cancel(feed->ctx));
        tell_progress(feed, piece,
                      (double)((char *)feed->tokenizer.block - text->data) / (double)text->length,
                      &told);
    }
    tell_progress(feed, piece, 1, &told);
    if (feed->tokenizer.bad_bytes == 0)
        return PSDVEC_OK;
    uint64_t offset = piece->offset + (records ? 0 : feed->tokenizer.first_bad);
    if (options->strict)
        return pv_fail(feed->ctx, PSDVEC_ERR_UTF8,
                       "%s: byte %" PRIu64 " is not valid UTF-8; convert the text with "
                       "iconv -f ITS-ENCODING -t utf-8",
                       piece->name.data, offset);
    pv_warn(feed->ctx, "%s: byte %" PRIu64 " is not valid UTF-8", piece->name.data, offset);
    return PSDVEC_OK;
}

static psdvec_status feed_init(token_feed *feed, psdvec_context *ctx,
                               const psdvec_text_options *options, const pv_token_sink *sink)
{
    psdvec_text_options own;
    *feed = (token_feed){.ctx = ctx, .sink = sink};
    pv_buffer_init(&feed->held, ctx);
    pv_buffer_init(&feed->source, ctx);
    PV_TRY(pv_options_adopt(ctx, &pv_text_table, options, &own));
    feed->rules = pv_alloc(ctx, 1, sizeof *feed->rules, "the tokeniser");
    if (!feed->rules)
        return pv_failure(ctx);
    pv_text_rules_init(feed->rules, &own);
    return pv_tokenizer_init(&feed->tokenizer, ctx, feed->rules);
}

static void feed_free(token_feed *feed)
{
    pv_tokenizer_free(&feed->tokenizer);
    pv_buffer_free(&feed->held);
    pv_buffer_free(&feed->source);
    pv_free(feed->ctx, feed->rules);
}

psdvec_status pv_tokenize(psdvec_context *ctx, const psdvec_text_options *options, const char *text,
                          size_t length, const pv_token_sink *sink)
{
    token_feed feed;
    pv_piece piece;
    pv_buffer decoded;
    psdvec_status status;
    pv_piece_init(&piece, ctx);
    pv_buffer_init(&decoded, ctx);
    PV_TRY_DONE(feed_init(&feed, ctx, options, sink));
    piece.line = 1;
    piece.kind = feed.rules->options.json_field ? PV_PIECE_JSON_LINES : PV_PIECE_TEXT;
    PV_TRY_DONE(pv_buffer_append(&piece.name, "the text", sizeof "the text"));
    PV_TRY_DONE(pv_buffer_append(&piece.text, text, length));
    PV_TRY_DONE(feed_piece(&feed, &piece, &decoded));
    status = end_text(&feed);
done:
    feed_free(&feed);
    pv_piece_free(&piece);
    pv_buffer_free(&decoded);
    return status;
}

psdvec_status pv_tokenize_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                 const char *const *inputs, size_t input_count,
                                 const pv_token_sink *sink)
{
    token_feed feed;
    pv_inputs files = {0};
    pv_corpus *corpus = NULL;
    pv_piece piece;
    pv_buffer decoded;
    psdvec_status status;
    size_t place = SIZE_MAX;
    uint32_t last_input = UINT32_MAX;
    pv_piece_init(&piece, ctx);
    pv_buffer_init(&decoded, ctx);
    PV_TRY_DONE(feed_init(&feed, ctx, options, sink));
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_corpus_new(ctx, &files, &feed.rules->options, &corpus));
    if (sink->stage) {
        pv_corpus_slow(corpus, sink->stage);
        feed.corpus = corpus;
    }
    for (bool more;;) {
        PV_TRY_DONE(pv_corpus_next(corpus, &place, &piece, &more));
        if (!more || (sink->enough && sink->enough(sink->user)))
            break;
        if (files.files[piece.file].input != last_input)
            piece.continues = false; /* the file it would go on from had no text */
        last_input = files.files[piece.file].input;
        PV_TRY_DONE(feed_piece(&feed, &piece, &decoded));
    }
    status = end_text(&feed);
done:
    feed_free(&feed);
    pv_corpus_free(corpus);
    pv_inputs_free(&files);
    pv_piece_free(&piece);
    pv_buffer_free(&decoded);
    return status;
}

/* ---- The public calls: one callback, one mark for every end ---------------------------- */

typedef struct one_callback {
    psdvec_token_fn *on_token;
    void *user;
    bool any; /* words since the last end */
} one_callback;

static psdvec_status tell_word(void *arg, const char *word, size_t length)
{
    one_callback *c = arg;
    c->any = true;
    c->on_token(c->user, word, length);
    return PSDVEC_OK;
}

static psdvec_status tell_pause(void *arg)
{
    one_callback *c = arg;
    c->on_token(c->user, NULL, 0);
    return PSDVEC_OK;
}

static psdvec_status tell_end(void *arg, const char *source)
{
    one_callback *c = arg;
    (void)source;
    if (c->any)
        c->on_token(c->user, NULL, 0);
    c->any = false;
    return PSDVEC_OK;
}

psdvec_status psdvec_tokenize(psdvec_context *ctx, const psdvec_text_options *options,
                              const char *text, size_t length, psdvec_token_fn *on_token,
                              void *user)
{
    PV_BEGIN(ctx);
    PV_NEED_ARRAY(ctx, text, length);
    PV_NEED(ctx, on_token);
    one_callback callback = {.on_token = on_token, .user = user};
    pv_token_sink sink = {tell_word, tell_pause, tell_end, &callback, NULL, NULL};
    return pv_tokenize(ctx, options, text, length, &sink);
}

psdvec_status psdvec_tokenize_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                     const char *const *inputs, size_t input_count,
                                     psdvec_token_fn *on_token, void *user)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, on_token);
    one_callback callback = {.on_token = on_token, .user = user};
    pv_token_sink sink = {tell_word, tell_pause, tell_end, &callback, NULL, NULL};
    return pv_tokenize_inputs(ctx, options, inputs, input_count, &sink);
}
