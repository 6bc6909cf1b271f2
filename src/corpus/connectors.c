/* Pairs of words with connectors between them. */
#include "corpus/connectors.h"

#include <string.h>

psdvec_status pv_connectors_make(pv_connectors *c, psdvec_context *ctx, const char *const *words,
                                 size_t count, uint32_t most)
{
    memset(c, 0, sizeof *c);
    c->memory = (pv_scope){.ctx = ctx, .what = "the connectors"};
    c->bytes.ctx = ctx;
    c->most = most;
    PV_TAKE_ZERO(&c->memory, c->offsets, count + 1);
    PV_TRY(pv_scope_status(&c->memory));
    for (size_t k = 0; k < count; k++) {
        PV_TRY(pv_buffer_text(&c->bytes, words[k]));
        c->offsets[k + 1] = c->bytes.length;
    }
    PV_TRY(pv_word_index_init(&c->index, ctx, (uint32_t)count, c->bytes.data, c->offsets,
                              "the connectors"));
    pv_word_index_add_all(&c->index, (uint32_t)count);
    return PSDVEC_OK;
}

void pv_connectors_free(pv_connectors *c)
{
    if (!c->memory.ctx)
        return;
    pv_word_index_free(&c->index);
    pv_buffer_free(&c->bytes);
    pv_scope_free(&c->memory);
}

static psdvec_status take_connector(const pv_connectors *c, pv_connecting *s, const pv_token *token,
                                    pv_token *out, size_t *n)
{
    if (s->open && s->in_a_row++ == c->most) { /* too many: the next word is not a neighbour */
        out[(*n)++] = (pv_token){.kind = PV_TOKEN_SENTENCE_END};
        s->open = false;
    }
    if (!s->open)
        return PSDVEC_OK;
    PV_TRY(pv_buffer_byte(&s->last, ' '));
    return pv_buffer_append(&s->last, token->text, token->length);
}

psdvec_status pv_connectors_mark(pv_connectors *c, pv_connecting *s, const pv_token *in,
                                 size_t count, pv_token *out, size_t *out_count)
{
    size_t n = 0;
    uint64_t skipped = 0, added = 0;
    uint32_t which;
    s->texts.length = 0;
    for (const pv_token *token = in; token < in + count; token++) {
        if (token->kind > PV_TOKEN_RAW) {
            s->open = false;
            out[n++] = *token;
            continue;
        }
        if (pv_word_index_find(&c->index, token->text, token->length, &which)) {
            skipped++;
            PV_TRY(take_connector(c, s, token, out, &n));
            continue;
        }
        if (s->open && s->in_a_row) {
            added++;
            out[n++] = (pv_token){.kind = PV_TOKEN_SENTENCE_END};
            out[n++] = (pv_token){.kind = PV_TOKEN_RAW, /* READY when its text is fixed */
                                  .text = (const char *)(uintptr_t)s->texts.length,
                                  .length = (uint32_t)s->last.length};
            PV_TRY(pv_buffer_append(&s->texts, s->last.data, s->last.length));
        }
        out[n++] = *token;
        s->open = true;
        s->in_a_row = 0;
        s->last.length = 0;
        PV_TRY(pv_buffer_append(&s->last, token->text, token->length));
    }
    for (pv_token *token = out; token < out + n; token++)
        if (token->kind == PV_TOKEN_RAW) {
            token->kind = PV_TOKEN_READY;
            token->text = s->texts.data + (uintptr_t)token->text;
        }
    atomic_fetch_add(&c->skipped, skipped);
    atomic_fetch_add(&c->added, added);
    *out_count = n;
    return PSDVEC_OK;
}
