/* The tokeniser's loop over segments, blocks of 64 bytes, and runs. */
#include "corpus/tokenizer.h"

#include "corpus/icu_words.h"
#include "corpus/segment.h"
#include "corpus/word_split.h"

#include <string.h>

uint32_t pv_default_max_length(psdvec_tokenizer tokenizer)
{
    return tokenizer == PSDVEC_TOKENIZER_ORIGINAL ? 15 : PV_DEFAULT_MAX_LENGTH;
}

void pv_text_rules_init(pv_text_rules *rules, const psdvec_text_options *options)
{
    rules->options = *options;
    psdvec_text_options *o = &rules->options;
    bool words = o->tokenizer == PSDVEC_TOKENIZER_WORDS;
    bool original = o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL;
    if (o->letter_case == PSDVEC_CASE_AUTO)
        o->letter_case = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE ? PSDVEC_CASE_KEEP
                                                                     : PSDVEC_CASE_FOLD;
    if (original) { /* its rules leave no choice here */
        if (o->min_length <= 1)
            o->min_length = 2;
        o->digits = PSDVEC_DIGITS_DROP;
    }
    if (o->max_length == 0)
        o->max_length = pv_default_max_length(o->tokenizer);
    if (o->min_length == 0)
        o->min_length = 1;
    if (o->min_document_words == 0)
        o->min_document_words = 1;
    rules->scan = (pv_scan_rules){
        .whitespace = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE,
        .fold = o->letter_case == PSDVEC_CASE_FOLD,
        .digits = words && o->digits == PSDVEC_DIGITS_KEEP,
        .odd_digits = words && o->digits == PSDVEC_DIGITS_ZERO,
        .apostrophe = original || (words && o->apostrophes == PSDVEC_INNER_JOIN),
        .hyphen = words && o->hyphens == PSDVEC_INNER_JOIN,
        .underscore = original,
    };
    pv_scan_rules_finish(&rules->scan);
    pv_char_table_fill(&rules->chars);
}

psdvec_status pv_tokenizer_init(pv_tokenizer *t, psdvec_context *ctx, const pv_text_rules *rules)
{
    *t = (pv_tokenizer){.ctx = ctx, .rules = rules};
    pv_buffer_init(&t->scratch, ctx);
    pv_buffer_init(&t->normal, ctx);
    if (rules->options.tokenizer == PSDVEC_TOKENIZER_ICU)
        return pv_icu_new(ctx, &t->icu);
    return PSDVEC_OK;
}

void pv_tokenizer_free(pv_tokenizer *t)
{
    pv_buffer_free(&t->scratch);
    pv_buffer_free(&t->normal);
    pv_icu_free(t->icu);
    t->icu = NULL;
}

void pv_tokenizer_start(pv_tokenizer *t, char *text, size_t length, unsigned flags)
{
    t->document = t->rules->options.document;
    if ((flags & PV_TEXT_RECORDS) && t->document == PSDVEC_DOCUMENT_BLANK_LINE)
        t->document = PSDVEC_DOCUMENT_LINE;
    t->text = (unsigned char *)text;
    t->end = t->text + length;
    t->rest = t->text;
    t->mid_line = (flags & PV_TEXT_MID_LINE) != 0;
    t->in_document = false;
    t->in_segment = false;
    t->split = NULL;
    t->bad_bytes = 0;
    t->first_bad = UINT64_MAX;
}

static uint64_t low_bits(size_t n)
{
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* Looks at the 64 bytes at t->block. */
static void load_block(pv_tokenizer *t)
{
    uint64_t run;
    pv_scan_block(&t->rules->scan, t->block, &run, &t->odd);
    run &= low_bits((size_t)(t->segment_end - t->block));
    t->edges = run ^ (run << 1 | (uint64_t)t->in_run);
    t->from_bit = 0;
}

/* A segment is a document, or what is left of it up to the end of a sentence. */
static void open_segment(pv_tokenizer *t)
{
    const psdvec_text_options *o = &t->rules->options;
    if (!t->in_document) {
        unsigned char *stop =
            pv_document_end(t->document, t->mid_line, t->rest, t->end, &t->document_next);
        t->document_end = stop ? stop : t->end;
        t->document_ends_with = stop ? PV_TOKEN_BREAK : PV_TOKEN_READY;
        t->mid_line = false;
    }
    t->block = t->rest;
    t->segment_end = t->document_end;
    t->segment_ends_with = t->document_ends_with;
    t->in_document = false;
    unsigned char *sentence = NULL;
    if (o->sentences)
        sentence =
            pv_sentence_end(o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE, t->rest, t->document_end);
    if (sentence && (sentence < t->document_end || t->document_ends_with == PV_TOKEN_READY)) {
        t->segment_end = sentence;
        t->segment_ends_with = PV_TOKEN_PAUSE;
        t->in_document = true;
    }
    t->rest = t->in_document ? t->segment_end : t->document_next;
    t->in_segment = true;
    t->in_run = false;
    t->run_odd = false;
    t->edges = 0;
    if (t->icu)
        pv_icu_start(t->icu, (const char *)t->block, (size_t)(t->segment_end - t->block));
    else if (t->block < t->segment_end)
        load_block(t);
}

/* A run ended before `end`: one READY token, or work for the splitter. */
static size_t finish_run(pv_tokenizer *t, unsigned char *end, pv_token *token)
{
    size_t length = (size_t)(end - t->run_start);
    if (t->run_odd) {
        t->split = t->run_start;
        t->split_end = end;
        return 0;
    }
    if (!pv_word_fits(t->rules, length))
        return 0;
    *token = (pv_token){.text = (const char *)t->run_start, .length = (uint32_t)length};
    return 1;
}

/* Tokens of the present segment until it ends, the array is full, or an odd
 * run waits in t->split. True if the segment is used up. */
static bool scan_segment(pv_tokenizer *t, pv_token *tokens, size_t capacity, size_t *count)
{
    size_t n = *count;
    for (;;) {
        while (t->edges) {
            if (n == capacity) {
                *count = n;
                return false;
            }
            unsigned bit = (unsigned)__builtin_ctzll(t->edges);
            t->edges &= t->edges - 1;
            if (!t->in_run) {
                t->in_run = true;
                t->run_odd = false;
                t->run_start = t->block + bit;
                t->from_bit = bit;
                continue;
            }
            t->in_run = false;
            t->run_odd |= (t->odd & low_bits(bit) & ~low_bits(t->from_bit)) != 0;
            n += finish_run(t, t->block + bit, &tokens[n]);
            if (t->split) {
                *count = n;
                return false;
            }
        }
        if (t->in_run)
            t->run_odd |= (t->odd & low_bits((size_t)(t->segment_end - t->block)) &
                           ~low_bits(t->from_bit)) != 0;
        if (t->segment_end - t->block <= 64)
            break;
        t->block += 64;
        load_block(t);
    }
    t->block = t->segment_end;
    *count = n;
    if (t->in_run) {
        if (n == capacity) {
            t->edges = 0; /* come back for this run only */
            return false;
        }
        t->in_run = false;
        *count = n + finish_run(t, t->segment_end, &tokens[n]);
        return t->split == NULL;
    }
    return true;
}

size_t pv_tokenizer_next(pv_tokenizer *t, pv_token *tokens, size_t capacity)
{
    size_t n = 0;
    while (n < capacity) {
        if (t->split) {
            n += pv_word_split_next(t, &tokens[n]);
            continue;
        }
        if (!t->in_segment) {
            if (t->rest >= t->end)
                break;
            open_segment(t);
        }
        bool used_up = t->icu ? pv_icu_tokens(t, tokens, capacity, &n)
                       : t->block >= t->segment_end && !t->in_run
                           ? true
                           : scan_segment(t, tokens, capacity, &n);
        if (used_up && n < capacity) {
            t->in_segment = false;
            if (t->segment_ends_with != PV_TOKEN_READY)
                tokens[n++] = (pv_token){.kind = t->segment_ends_with};
        } else if (!t->split && n == capacity) {
            break;
        }
    }
    return n;
}
