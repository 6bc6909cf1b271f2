/* The icu tokenizer: ICU's word break iterator applied directly to UTF-8.
 *
 * To split text without spaces, ICU takes some 30 bytes per character of a run of such text. These
 * are not allocated by us, so a span is passed to ICU in pieces, which bounds them. A piece ends
 * after a space or an ideographic comma or full stop, where words end whatever else the text is. If
 * it has none, the next piece begins where a word ends some distance before the end of the piece:
 *
 *     span    |==========================================|
 *     piece   |---------- words used -------------|margin|
 *     next                                       |---------- ...
 *
 * ICU's rules start anew at each boundary; and its dictionaries choose the cheapest division of a
 * run into words, to which the text after the margin makes a difference only if it is no language.
 *
 * ICU 72 can crash, or never return, where it finds no memory. Therefore what a piece can need is
 * asked from the system before ICU gets the piece.
 */
#include "corpus/icu_words.h"

#ifdef PV_HAVE_ICU

#include "corpus/language.h"
#include "util/utf8.h"

#include <errno.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <utf8proc.h>

enum { PIECE_BYTES = 64 << 10, MARGIN_BYTES = 2 << 10 };
/* What ICU may need: for a break iterator, per byte of a piece, and to load a dictionary. */
enum { ITERATOR_MEMORY = 1 << 20, MEMORY_PER_BYTE = 16, DICTIONARY_MEMORY = 512 << 10 };

struct pv_icu_breaker {
    psdvec_context *ctx;
    UBreakIterator *iterator;
    UText text;
    const char *begin; /* of the piece */
    const char *end;   /* of the span */
    size_t length;     /* of the piece */
    bool whole;        /* the piece ends where a word ends for certain */
    int64_t position;  /* of the last boundary in the piece */
    int64_t rest;      /* end of the text after an elided word at `position`; 0: none */
    bool open;
};

bool pv_icu_available(void)
{
    return true;
}

psdvec_status pv_icu_new(psdvec_context *ctx, pv_icu_breaker **out)
{
    pv_icu_breaker *breaker = pv_alloc_zero(ctx, 1, sizeof *breaker, "the icu tokenizer");
    *out = breaker;
    if (!breaker)
        return pv_failure(ctx);
    breaker->ctx = ctx;
    breaker->text = (UText)UTEXT_INITIALIZER;
    UErrorCode error = U_ZERO_ERROR;
    PV_TRY(pv_memory_probe(ctx, ITERATOR_MEMORY, "the icu tokenizer"));
    breaker->iterator = ubrk_open(UBRK_WORD, "", NULL, 0, &error);
    if (U_FAILURE(error))
        return pv_fail(ctx,
                       error == U_MEMORY_ALLOCATION_ERROR ? PSDVEC_ERR_MEMORY : PSDVEC_ERR_INTERNAL,
                       "ICU's word boundaries cannot be loaded: %s", u_errorName(error));
    return PSDVEC_OK;
}

void pv_icu_free(pv_icu_breaker *breaker)
{
    if (!breaker)
        return;
    ubrk_close(breaker->iterator);
    utext_close(&breaker->text);
    pv_free(breaker->ctx, breaker);
}

/* Whether the space, comma or full stop that ends before `at` is not joined with what follows, as it
 * is with combining characters. */
static bool is_end(const char *begin, const char *at, const char *end)
{
    const unsigned char *after = (const unsigned char *)at;
    uint32_t cp = 0;
    bool space = at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t';
    bool mark = at - begin >= 3 &&
                (memcmp(at - 3, "\xe3\x80\x81", 3) == 0 || memcmp(at - 3, "\xe3\x80\x82", 3) == 0 ||
                 memcmp(at - 3, "\xef\xbc\x8c", 3) == 0);
    if ((!space && !mark) || pv_utf8_decode(after, (const unsigned char *)end, &cp) <= 0)
        return false;
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)cp);
    return category == UTF8PROC_CATEGORY_LO || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_ND;
}

static void fail(pv_icu_breaker *breaker, const char *cause)
{
    breaker->open = false;
    pv_fail(breaker->ctx, PSDVEC_ERR_MEMORY,
            "ICU cannot split the text into words: %s; close other programs and try again", cause);
}

/* Returns the next boundary. Without memory for its dictionaries ICU reports nothing and finds other
 * words; errno shows it. */
static int64_t icu_next(pv_icu_breaker *breaker)
{
    errno = 0;
    int64_t next = ubrk_next(breaker->iterator);
    if (errno == ENOMEM) {
        fail(breaker, "out of memory");
        next = UBRK_DONE;
    }
    return next;
}

/* Starts with a piece of at most `length` bytes of the span. */
static void start_piece(pv_icu_breaker *breaker, const char *text, size_t length)
{
    UErrorCode error = U_ZERO_ERROR;
    size_t left = (size_t)(breaker->end - text);
    if (length >= left) { /* also of an empty span */
        breaker->whole = true;
        length = left;
    } else {
        const char *cut = text + length;
        while (cut > text && !is_end(text, cut, breaker->end))
            cut--;
        breaker->whole = cut > text;
        if (breaker->whole)
            length = (size_t)(cut - text);
    }
    for (int k = 0; k < 3 && length < left && ((unsigned char)text[length] & 0xC0) == 0x80; k++)
        length--; /* to the beginning of a character */
    breaker->begin = text;
    breaker->length = length;
    breaker->rest = breaker->position = 0;
    breaker->open = pv_memory_probe(breaker->ctx, DICTIONARY_MEMORY + MEMORY_PER_BYTE * length,
                                    "the icu tokenizer") == PSDVEC_OK;
    if (!breaker->open)
        return;
    utext_openUTF8(&breaker->text, text, (int64_t)length, &error);
    ubrk_setUText(breaker->iterator, &breaker->text, &error);
    if (U_FAILURE(error))
        fail(breaker, u_errorName(error));
    else
        breaker->position = ubrk_first(breaker->iterator);
}

void pv_icu_start(pv_icu_breaker *breaker, const char *text, size_t length)
{
    breaker->end = text + length;
    start_piece(breaker, text, PIECE_BYTES);
}

/* Finds the next boundary in the span. Returns false at its end, and after a failure. */
static bool next_boundary(pv_icu_breaker *breaker, int64_t *next)
{
    while (breaker->open) {
        *next = icu_next(breaker);
        if (!breaker->open)
            return false;
        if (*next != UBRK_DONE &&
            (breaker->whole || *next + MARGIN_BYTES <= (int64_t)breaker->length))
            return true;
        if (breaker->begin + breaker->length == breaker->end)
            breaker->open = false;
        else if (breaker->position > 0)
            start_piece(breaker, breaker->begin + breaker->position, PIECE_BYTES);
        else /* a word that is as long as the piece */
            start_piece(breaker, breaker->begin, 2 * breaker->length);
    }
    return false;
}

/* Counts invalid bytes between two boundaries, words or not. */
static void validate(pv_tokenizer *t, const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        uint32_t cp;
        int length = *p < 0x80 ? 1 : pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            length = -length;
            pv_tokenizer_count_bad(t, p, length);
        }
        p += length;
    }
}

/* Bytes of the elided word at the beginning of a word, with its apostrophe; 0 if there is none. */
static size_t elided_length(const pv_text_rules *rules, const char *word, size_t length)
{
    const unsigned char *p = (const unsigned char *)word, *end = p + length;
    uint32_t cp;
    if (!pv_language_elides(rules->options.language))
        return 0;
    while (p < end && ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z'))
        p++;
    int bytes = p < end ? pv_utf8_decode(p, end, &cp) : 0;
    size_t letters = (size_t)(p - (const unsigned char *)word);
    if (bytes <= 0 || p + bytes == end || pv_char_classify(rules, cp) != PV_CHAR_APOSTROPHE ||
        !pv_language_elided(rules->options.language, word, letters))
        return 0;
    return letters + (size_t)bytes;
}

static pv_token raw_token(const char *text, size_t length)
{
    return (pv_token){.text = text, .length = (uint32_t)length, .kind = PV_TOKEN_RAW};
}

bool pv_icu_tokens(pv_tokenizer *t, pv_token *tokens, size_t capacity, size_t *count)
{
    pv_icu_breaker *breaker = t->icu;
    int64_t next;
    while (breaker->open && *count < capacity) {
        if (breaker->rest) {
            tokens[(*count)++] = raw_token(breaker->begin + breaker->position,
                                           (size_t)(breaker->rest - breaker->position));
            breaker->position = breaker->rest;
            breaker->rest = 0;
            continue;
        }
        if (!next_boundary(breaker, &next))
            break;
        const char *word = breaker->begin + breaker->position;
        size_t length = (size_t)(next - breaker->position);
        int64_t begin = breaker->position;
        breaker->position = next;
        validate(t, (const unsigned char *)word, (const unsigned char *)word + length);
        int32_t kind = ubrk_getRuleStatus(breaker->iterator);
        bool number = kind >= UBRK_WORD_NUMBER && kind < UBRK_WORD_NUMBER_LIMIT;
        bool letters = kind >= UBRK_WORD_LETTER;
        psdvec_digits digits = t->rules->options.digits;
        bool numbers = digits == PSDVEC_DIGITS_KEEP || digits == PSDVEC_DIGITS_ZERO;
        if (!letters && !(number && numbers))
            continue;
        size_t elided = elided_length(t->rules, word, length);
        if (elided) {
            breaker->position = begin + (int64_t)elided;
            breaker->rest = next;
            length = elided;
        }
        tokens[(*count)++] = raw_token(word, length);
    }
    return !breaker->open;
}

#else

bool pv_icu_available(void)
{
    return false;
}

psdvec_status pv_icu_new(psdvec_context *ctx, pv_icu_breaker **breaker)
{
    *breaker = NULL;
    return pv_fail(ctx, PSDVEC_ERR_OPTION, "this build of psdvec does not include ICU");
}

void pv_icu_free(pv_icu_breaker *breaker)
{
    (void)breaker;
}

void pv_icu_start(pv_icu_breaker *breaker, const char *text, size_t length)
{
    (void)breaker, (void)text, (void)length;
}

bool pv_icu_tokens(pv_tokenizer *tokenizer, pv_token *tokens, size_t capacity, size_t *count)
{
    (void)tokenizer, (void)tokens, (void)capacity, (void)count;
    return true;
}

#endif
