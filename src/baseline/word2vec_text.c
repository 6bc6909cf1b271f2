/* Chunks, subsampling and windows. */
#include "baseline/word2vec_text.h"

#include "base/memory.h"
#include "base/random.h"
#include "baseline/noise.h"

#include <math.h>

enum {
    DRAWING = 0x77327674,  /* purpose of random numbers */
    CHUNK_PAIRS = 1 << 20, /* pairs of a chunk, about */
    LEAST_CHUNKS = 64      /* of all epochs: the rate of learning falls from chunk to chunk */
};

static void fill_keep(pv_w2v_text *text, const uint64_t *frequency, uint32_t words,
                      double subsample)
{
    double total = 0;
    for (uint32_t i = 0; i < words; i++)
        total += (double)frequency[i];
    for (uint32_t i = 0; i < words; i++) {
        double ratio = subsample * total / (double)frequency[i]; /* infinite where it is not used */
        double keep = subsample > 0 ? fmin(1, sqrt(ratio) + ratio) : 1;
        text->keep[i] = (uint32_t)(keep * UINT32_MAX);
    }
}

psdvec_status pv_w2v_text_open(pv_w2v_text *text, psdvec_context *ctx, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words,
                               uint32_t window, double subsample, uint32_t epochs)
{
    *text = (pv_w2v_text){.memory = {.ctx = ctx, .what = "a chunk of the text"},
                          .ids = ids,
                          .length = length,
                          .window = window};
    text->pieces = (length + PV_W2V_PIECE - 1) / PV_W2V_PIECE;
    size_t most = CHUNK_PAIRS / (window + 1) / PV_W2V_PIECE;
    size_t enough = (text->pieces * epochs + LEAST_CHUNKS - 1) / LEAST_CHUNKS;
    text->chunk_pieces = enough < most ? enough : most;
    if (text->chunk_pieces < 1)
        text->chunk_pieces = 1;
    text->chunks = (text->pieces + text->chunk_pieces - 1) / text->chunk_pieces;
    size_t room = text->chunk_pieces * PV_W2V_ROOM;
    PV_TAKE(&text->memory, text->keep, words);
    PV_TAKE(&text->memory, text->kept, room);
    PV_TAKE(&text->memory, text->reach, room);
    PV_TAKE(&text->memory, text->kept_count, text->chunk_pieces);
    PV_TRY(pv_scope_status(&text->memory));
    fill_keep(text, frequency, words, subsample);
    return PSDVEC_OK;
}

void pv_w2v_text_close(pv_w2v_text *text)
{
    pv_scope_free(&text->memory);
    *text = (pv_w2v_text){0};
}

size_t pv_w2v_chunk_size(const pv_w2v_text *text, size_t chunk)
{
    size_t left = text->pieces - chunk * text->chunk_pieces;
    return left < text->chunk_pieces ? left : text->chunk_pieces;
}

uint64_t pv_w2v_chunk_words(const pv_w2v_text *text, size_t chunk)
{
    size_t begin = chunk * text->chunk_pieces * PV_W2V_PIECE, words = 0;
    size_t end = begin + text->chunk_pieces * PV_W2V_PIECE;
    for (size_t i = begin; i < end && i < text->length; i++)
        words += text->ids[i] != PV_BORDER;
    return words;
}

void pv_w2v_draw(pv_w2v_text *text, uint32_t epoch, size_t chunk, size_t k)
{
    size_t piece = chunk * text->chunk_pieces + k;
    size_t begin = piece * PV_W2V_PIECE, end = begin + PV_W2V_PIECE;
    end = end < text->length ? end : text->length;
    pv_random_stream stream = {
        pv_random_u64(text->memory.ctx->options.seed, DRAWING + ((uint64_t)epoch << 32), piece)};
    uint32_t *kept = text->kept + k * PV_W2V_ROOM;
    uint16_t *reach = text->reach + k * PV_W2V_ROOM;
    uint32_t n = 0, sentence = 0;
    kept[n++] = PV_BORDER;
    for (size_t i = begin; i < end; i++) {
        uint32_t id = text->ids[i];
        if (id == PV_BORDER || sentence == PV_W2V_SENTENCE) {
            if (sentence > 0)
                kept[n++] = PV_BORDER;
            sentence = 0;
            if (id == PV_BORDER)
                continue;
        }
        uint64_t bits = pv_random_next(&stream);
        if ((uint32_t)(bits >> 32) > text->keep[id])
            continue;
        reach[n] = (uint16_t)(1 + pv_below((uint32_t)bits, text->window));
        kept[n++] = id;
        sentence++;
    }
    if (sentence > 0)
        kept[n++] = PV_BORDER;
    text->kept_count[k] = n;
}
