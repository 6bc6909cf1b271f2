/* Fuzzes the tokeniser. The first six bytes are the options, the remaining bytes are text.
 *
 * For any text, tokens are valid UTF-8, never empty, within the limits of length, and the same for
 * batches of any size.
 */
#include "base/context.h"
#include "corpus/icu_words.h"
#include "corpus/options.h"
#include "corpus/tokens.h"
#include "fuzz/fuzz.h"
#include "util/utf8.h"

typedef struct digest {
    uint64_t hash, words, borders;
    bool after_word;
    const psdvec_text_options *options; /* as the rules resolve them */
} digest;

static void take(void *user, const char *word, size_t length)
{
    digest *d = user;
    bool border = !word && d->after_word; /* consecutive borders count once */
    d->after_word = word != NULL;
    if (border) {
        d->hash = d->hash * 31 + 1;
        d->borders++;
    }
    if (!word)
        return;
    require(length > 0);
    const unsigned char *p = (const unsigned char *)word, *end = p + length;
    size_t characters = 0;
    while (p < end) {
        uint32_t cp;
        int used = pv_utf8_decode(p, end, &cp);
        require(used > 0);
        p += used;
        characters++;
    }
    require(characters >= d->options->min_length && characters <= d->options->max_length);
    for (size_t i = 0; i < length; i++)
        d->hash = (d->hash ^ (unsigned char)word[i]) * 1099511628211u;
    d->hash = d->hash * 31 + 2;
    d->words++;
}

static psdvec_status take_tokens(void *user, const pv_token *tokens, size_t count)
{
    require(count > 0 && count <= PV_TOKEN_BATCH);
    for (size_t i = 0; i < count; i++) {
        require(tokens[i].kind != PV_TOKEN_RAW);
        take(user, tokens[i].kind == PV_TOKEN_READY ? tokens[i].text : NULL, tokens[i].length);
    }
    return PSDVEC_OK;
}

static digest tokenize(psdvec_context *ctx, const pv_text_rules *rules, const uint8_t *text,
                       size_t length, size_t batch)
{
    digest d = {.options = &rules->options};
    pv_token_sink sink = {.take = take_tokens, .user = &d};
    require(pv_tokens_by_rules(ctx, rules, (const char *)text, length, batch, NULL, &sink) ==
            PSDVEC_OK);
    return d;
}

/* The words of the text as one span, in memory in which the tokeniser may access every byte. */
static void words_are_in_the_text(psdvec_context *ctx, const pv_text_rules *rules,
                                  const uint8_t *text, size_t length)
{
    pv_tokenizer tokenizer;
    pv_token batch[64];
    bool used_up = false;
    char *copy = malloc(length + 64);
    require(copy != NULL);
    if (length)
        memcpy(copy, text, length);
    memset(copy + length, 0, 64);
    require(pv_tokenizer_init(&tokenizer, ctx, rules) == PSDVEC_OK);
    pv_tokenizer_start(&tokenizer, copy);
    pv_tokenizer_open(&tokenizer, (unsigned char *)copy, (unsigned char *)copy + length);
    while (!used_up) {
        size_t n = 0;
        used_up = pv_tokenizer_next(&tokenizer, batch, 64, &n);
        require(n <= 64 && (used_up || n == 64));
        for (size_t i = 0; i < n; i++)
            require(batch[i].kind <= PV_TOKEN_RAW && batch[i].text >= copy &&
                    batch[i].text + batch[i].length <= copy + length);
    }
    require(tokenizer.bad_bytes <= length);
    require((tokenizer.bad_bytes == 0) == (tokenizer.first_bad == UINT64_MAX));
    require(tokenizer.bad_bytes == 0 || tokenizer.first_bad < length);
    pv_tokenizer_free(&tokenizer);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    if (size < 6)
        return 0;
    psdvec_text_options o;
    psdvec_text_options_default(&o);
    o.tokenizer = (psdvec_tokenizer)(data[0] % (pv_icu_available() ? 4 : 3));
    o.letter_case = (psdvec_case)(data[1] % 3);
    o.accents = (psdvec_accents)(data[1] / 3 % 2);
    o.digits = (psdvec_digits)(data[1] / 6 % 3);
    o.apostrophes = (psdvec_inner)(data[2] & 1);
    o.hyphens = (psdvec_inner)(data[2] >> 1 & 1);
    o.sentences = data[2] & 4;
    o.document = (psdvec_document)(data[2] >> 3 & 3);
    o.min_length = data[3] % 4;
    o.min_document_words = 1 + data[3] / 4 % 4;
    o.max_length = data[4] % 3 ? 0 : o.min_length + data[4] % 40;
    pv_begin(ctx);
    if (pv_options_check(ctx, &pv_text_table, &o) != PSDVEC_OK)
        return 0;
    pv_text_rules rules;
    pv_text_rules_init(&rules, &o);
    uint64_t before = atomic_load(&ctx->memory_used);
    digest a = tokenize(ctx, &rules, data + 6, size - 6, 512);
    digest b = tokenize(ctx, &rules, data + 6, size - 6, 1 + data[5] % 64);
    require(a.hash == b.hash && a.words == b.words && a.borders == b.borders);
    words_are_in_the_text(ctx, &rules, data + 6, size - 6);
    if (data[5] % 64 == 0) { /* also the public functions, which are slower */
        digest c = {.options = &rules.options};
        require(psdvec_tokenize(ctx, &o, (const char *)data + 6, size - 6, take, &c) == PSDVEC_OK);
        require(a.hash == c.hash && a.words == c.words && a.borders == c.borders);
    }
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
