/* Fuzzes the tokeniser. The first six bytes are the options, the rest is text.
 *
 * Whatever the text: tokens are valid UTF-8, never empty, within the limits of
 * length, and the same for batches of any size.
 */
#include "base/context.h"
#include "corpus/icu_words.h"
#include "corpus/options.h"
#include "corpus/tokenizer.h"
#include "util/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth)
{
    if (!truth)
        abort();
}

typedef struct digest {
    uint64_t hash, words, borders;
    const psdvec_text_options *options; /* as the rules resolved them */
} digest;

static void take(void *user, const char *word, size_t length)
{
    digest *d = user;
    if (!word) {
        d->hash = d->hash * 31 + 1;
        d->borders++;
        return;
    }
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

static digest tokenize(psdvec_context *ctx, const pv_text_rules *rules, const uint8_t *text,
                       size_t length, size_t capacity)
{
    digest d = {.options = &rules->options};
    pv_tokenizer tokenizer;
    pv_token batch[512];
    char *copy = malloc(length + 64); /* exactly what the tokeniser may touch */
    require(copy != NULL);
    if (length)
        memcpy(copy, text, length);
    memset(copy + length, 0, 64);
    require(pv_tokenizer_init(&tokenizer, ctx, rules) == PSDVEC_OK);
    pv_tokenizer_start(&tokenizer, copy, length, length % 2);
    for (size_t n; (n = pv_tokenizer_next(&tokenizer, batch, capacity)) > 0;) {
        require(n <= capacity);
        for (size_t i = 0; i < n; i++) {
            const char *word = batch[i].text;
            size_t word_length = batch[i].length;
            require(batch[i].kind >= PV_TOKEN_BREAK ||
                    (word >= copy && word + word_length <= copy + length));
            if (batch[i].kind == PV_TOKEN_RAW) {
                require(pv_tokenizer_normalize(&tokenizer, &batch[i], &word, &word_length) ==
                        PSDVEC_OK);
                if (word_length == 0)
                    continue;
            }
            take(&d, batch[i].kind >= PV_TOKEN_BREAK ? NULL : word, word_length);
        }
    }
    require(tokenizer.bad_bytes <= length);
    require((tokenizer.bad_bytes == 0) == (tokenizer.first_bad == UINT64_MAX));
    require(tokenizer.bad_bytes == 0 || tokenizer.first_bad < length);
    pv_tokenizer_free(&tokenizer);
    free(copy);
    return d;
}

/* Filling in the rules takes a thousand times as long as tokenising a line, so
 * those of recent options are kept. */
static const pv_text_rules *rules_for(const psdvec_text_options *options, const uint8_t *bytes)
{
    static struct {
        pv_text_rules rules;
        uint8_t bytes[5];
        bool used;
    } cache[256];
    unsigned slot = 0;
    for (int i = 0; i < 5; i++)
        slot = slot * 31 + bytes[i];
    slot %= 256;
    if (!cache[slot].used || memcmp(cache[slot].bytes, bytes, 5) != 0) {
        pv_text_rules_init(&cache[slot].rules, options);
        memcpy(cache[slot].bytes, bytes, 5);
        cache[slot].used = true;
    }
    return &cache[slot].rules;
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
    o.max_length = data[4] % 3 ? 0 : o.min_length + data[4] % 40;
    pv_begin(ctx);
    if (pv_options_check(ctx, &pv_text_table, &o) != PSDVEC_OK)
        return 0;
    const pv_text_rules *rules = rules_for(&o, data);
    uint64_t before = atomic_load(&ctx->memory_used);
    digest a = tokenize(ctx, rules, data + 6, size - 6, 512);
    digest b = tokenize(ctx, rules, data + 6, size - 6, 64 + data[5] % 64);
    require(a.hash == b.hash && a.words == b.words && a.borders == b.borders);
    /* And the public way, which is slower and knows no records. */
    if (size % 2 == 0 && data[5] % 16 == 0) {
        digest c = {.options = &rules->options};
        require(psdvec_tokenize(ctx, &o, (const char *)data + 6, size - 6, take, &c) == PSDVEC_OK);
        require(a.hash == c.hash && a.words == c.words && a.borders == c.borders);
    }
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
