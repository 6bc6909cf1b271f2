/* From text to tokens, in batches.
 *
 * The text is cut into segments (documents, or sentences of documents); a
 * segment into runs of bytes that may belong to words (run_scan.h); a run into
 * tokens. Plain ASCII words come out READY, their bytes standing lower-cased
 * in the text itself. Other words come out RAW: the caller usually remembers
 * what became of the same bytes before, and asks pv_tokenizer_normalize only
 * once for each distinct form.
 *
 * The rules are written down for users in docs/tokeniser.md.
 */
#ifndef PV_CORPUS_TOKENIZER_H
#define PV_CORPUS_TOKENIZER_H

#include "base/memory.h"
#include "corpus/char_class.h"
#include "corpus/run_scan.h"

typedef enum pv_token_kind {
    PV_TOKEN_READY = 0, /* the bytes are the word */
    PV_TOKEN_RAW,       /* pv_tokenizer_normalize makes the word */
    PV_TOKEN_BREAK,     /* a document ends here */
    PV_TOKEN_PAUSE      /* a sentence ends here */
} pv_token_kind;

typedef struct pv_token {
    const char *text; /* in the text given to start, until the next start */
    uint32_t length;  /* bytes */
    uint32_t kind;    /* pv_token_kind */
} pv_token;

/* Longer runs are cut: nobody's word has 16 MiB. Documents larger than a piece of the corpus (half a
 * megabyte) are never taken for too short, which is why min_document_words has a limit. */
enum { PV_LONGEST_RUN = 16 << 20, PV_DEFAULT_MAX_LENGTH = 256 };

/* What the options mean once the defaults of the tokenizer are filled in. */
typedef struct pv_text_rules {
    psdvec_text_options options; /* letter_case FOLD or KEEP, max_length set */
    pv_scan_rules scan;
    pv_char_table chars;
} pv_text_rules;

uint32_t pv_default_max_length(psdvec_tokenizer tokenizer);
void pv_text_rules_init(pv_text_rules *rules, const psdvec_text_options *options);

typedef struct pv_icu_breaker pv_icu_breaker;

typedef struct pv_tokenizer {
    psdvec_context *ctx;
    const pv_text_rules *rules; /* shared by all threads */
    psdvec_document document;   /* what ends one in this text */
    unsigned char *text, *end;
    unsigned char *rest; /* where the next segment begins */
    bool mid_line;       /* rest is not the start of a line */
    bool in_document;    /* document_end and what follows are valid */
    unsigned char *document_end, *document_next;
    pv_token_kind document_ends_with; /* BREAK, or READY: with nothing */
    bool in_segment;                  /* segment_end and what follows are valid */
    unsigned char *segment_end;       /* of the present segment */
    pv_token_kind segment_ends_with;  /* READY: with nothing */
    unsigned char *block;             /* 64 bytes being looked at */
    uint64_t edges, odd;              /* their remaining run edges, their odd bytes */
    bool in_run, run_odd;
    unsigned char *run_start;
    unsigned from_bit;                /* where the run begins in this block */
    unsigned char *split, *split_end; /* an odd run being split; NULL: none */
    uint64_t bad_bytes;               /* of invalid UTF-8 in this text */
    uint64_t first_bad;               /* offset in this text; UINT64_MAX: none */
    pv_buffer scratch, normal;        /* for normalisation */
    pv_icu_breaker *icu;
} pv_tokenizer;

psdvec_status pv_tokenizer_init(pv_tokenizer *tokenizer, psdvec_context *ctx,
                                const pv_text_rules *rules);
void pv_tokenizer_free(pv_tokenizer *tokenizer);

enum {
    PV_TEXT_RECORDS = 1, /* each line is a record, and a document if records are */
    PV_TEXT_MID_LINE = 2 /* the text begins inside a line */
};
/* `text` is changed in place and must be followed by 64 writable bytes. */
void pv_tokenizer_start(pv_tokenizer *tokenizer, char *text, size_t length, unsigned flags);

/* The next tokens, at most `capacity`, which must be 64 or more. 0: the end. */
size_t pv_tokenizer_next(pv_tokenizer *tokenizer, pv_token *tokens, size_t capacity);

/* The word of a RAW token, valid until the next call. Length 0: it vanishes,
 * by its length or because nothing is left of it. */
psdvec_status pv_tokenizer_normalize(pv_tokenizer *tokenizer, const pv_token *raw,
                                     const char **word, size_t *length);

#endif
