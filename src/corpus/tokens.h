/* The token driver: text becomes words, ends of sentences and ends of documents.
 *
 *     inputs ─► files ─► members ─► segments ─► spans ─► candidates ─► tokens ─► sink
 *
 *     input     what the user names: a file, a folder, an archive, standard input
 *     member    a file, or a file inside an archive
 *     segment   about half a megabyte of a member, the work of one thread (corpus.h)
 *     record    a JSON object or wiki page, which becomes one line of text (records.h)
 *     span      a document or sentence, or the part of it that is in a segment
 *     block     64 bytes whose classes are looked up together (byte_scan.h)
 *     candidate consecutive bytes that may belong to a word
 *     token     a word, or the end of a sentence or document
 *
 * Everything that reads tokens is a sink, which receives them in batches. Document boundaries are
 * determined only in tokens.c: where segments are split, what ends a document inside a segment, and
 * which documents are too short. A document with fewer words than min_document_words yields no
 * words, except if it is split between segments: segments are processed in any order, so none may
 * depend on another. For the same reason phrases are not joined across the end of a segment.
 */
#ifndef PV_CORPUS_TOKENS_H
#define PV_CORPUS_TOKENS_H

#include "corpus/corpus.h"
#include "corpus/text_shape.h"
#include "corpus/word_form.h"

struct pv_phrases;

enum { PV_TOKEN_BATCH = 256 };

typedef struct pv_token_sink {
    /* At most PV_TOKEN_BATCH tokens, valid during the call. A document without words ends only if
     * documents are lines. */
    psdvec_status (*take)(void *user, const pv_token *tokens, size_t count);
    void *user;
    bool done;         /* set by the sink: read no further */
    const char *stage; /* the progress stage, if the sink is slow; NULL: reading */
    bool details;      /* the text of the end of a document is its details (columns.h) */

    /* A sink with `is_word`, which determines whether a RAW token is a word, accepts segments in
     * any order, RAW tokens (unless phrases are joined), and ends of empty documents or repeated
     * ends. Other sinks receive the segments in order, and normalised words. */
    psdvec_status (*is_word)(void *user, const pv_token *raw, bool *is);
    /* Called before and after the tokens of a segment; may be NULL. */
    psdvec_status (*begin)(void *user, const pv_segment *segment);
    psdvec_status (*end)(void *user);
} pv_token_sink;

/* Problems found in the text. */
typedef struct pv_text_faults {
    pthread_mutex_t lock;
    uint64_t bad_bytes;
    uint64_t bad_records; /* JSON lines without the text, lines without the columns */
    uint32_t file;        /* position of the first bad byte: segment and byte */
    uint64_t sequence, offset;
    pv_buffer name;
    /* Underscores between letters at the beginning of the files, and the bytes examined. */
    uint64_t underscores, looked_at;
    pv_script_counts scripts;
} pv_text_faults;

void pv_text_faults_init(pv_text_faults *faults, psdvec_context *ctx);
void pv_text_faults_free(pv_text_faults *faults);
/* Warns about them. */
void pv_text_faults_report(const pv_text_faults *faults, const psdvec_text_options *options);
/* Warns if the text seems to have phrases joined by underscores that the options split, or no
 * spaces between words. */
void pv_text_faults_advise(const pv_text_faults *faults, const psdvec_text_options *options);

/* Reads one worker's share of a corpus; all of it if there is only one worker. */
psdvec_status pv_tokens_of_corpus(psdvec_context *ctx, const pv_text_rules *rules,
                                  pv_corpus *corpus, pv_text_faults *faults, pv_token_sink *sink);
/* Files, folders and archives, in order. `options` may be NULL for the defaults. `phrases`, unless
 * NULL, are joined instead of those that the options name. */
psdvec_status pv_tokens_of_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                  const struct pv_phrases *phrases, const char *const *inputs,
                                  size_t input_count, pv_token_sink *sink);
/* A text in memory, which is copied. */
psdvec_status pv_tokens_of_text(psdvec_context *ctx, const psdvec_text_options *options,
                                const struct pv_phrases *phrases, const char *text, size_t length,
                                pv_token_sink *sink);
/* The same with existing rules. `batch` tokens are read at a time. If `faults` is NULL, problems in
 * the text are ignored. */
psdvec_status pv_tokens_by_rules(psdvec_context *ctx, const pv_text_rules *rules, const char *text,
                                 size_t length, size_t batch, pv_text_faults *faults,
                                 pv_token_sink *sink);

/* For sinks that pass tokens on to a host: `take` with this as `user`. Sentence and document ends
 * become the same mark. */
typedef struct pv_host_tokens {
    psdvec_token_fn *on_token;
    void *user;
    bool any; /* words since the last end */
} pv_host_tokens;

psdvec_status pv_host_tokens_take(void *user, const pv_token *tokens, size_t count);

/* ---- Boundaries, for dividing the text ------------------------------------------------------- */

/* True if a document may continue after the end of a record, or of a member of the same input. */
bool pv_document_spans_records(const psdvec_text_options *options);
bool pv_document_spans_members(const psdvec_text_options *options);

/* Finds the end of a segment in text of more than `length` bytes; NULL: read more first. *open:
 * whether a document is split. */
char *pv_document_cut(const psdvec_text_options *options, pv_segment_kind kind, char *text,
                      size_t length, bool *open);

#endif
