/* A corpus: all inputs as segments of text, handed to any number of workers.
 *
 *     inputs ─► files ─► streams ─► members ─► segments (about half a megabyte)
 *
 * There is no reader thread: a worker that needs a segment takes the lock of a file, reads or
 * decompresses the next segment, releases the lock and tokenises. While one worker decompresses,
 * the others tokenise; with one thread nothing ever waits. A worker prefers a file that is not open
 * yet, and shares an open one when there is none left, so many small files and one large file both
 * keep all workers busy.
 *
 * Segment boundaries depend only on the text, never on threads or memory; tokens.h defines them.
 * (file, sequence) restores the order.
 */
#ifndef PV_CORPUS_CORPUS_H
#define PV_CORPUS_CORPUS_H

#include "base/memory.h"
#include "base/progress.h"
#include "corpus/inputs.h"

typedef enum pv_segment_kind {
    PV_SEGMENT_TEXT = 0,
    PV_SEGMENT_JSON_LINES,
    PV_SEGMENT_COLUMNS,        /* tab-separated lines */
    PV_SEGMENT_WIKI_PAGES,     /* raw markup of pages, each ended by a NUL byte */
    PV_SEGMENT_WIKI_EXTRACTOR, /* lines with <doc ...> and </doc> */
    PV_SEGMENT_WRAPPED         /* wrapped text: blank lines, not line ends, end documents */
} pv_segment_kind;

typedef struct pv_segment {
    pv_buffer text; /* writable, padded; may be empty if it merely ends a document */
    pv_buffer name; /* of the file or archive member, zero-terminated */
    pv_segment_kind kind;
    uint32_t file;     /* index into the list of inputs */
    uint64_t sequence; /* within the file */
    uint64_t offset;   /* of the text within the member */
    uint64_t consumed; /* bytes of the file, possibly compressed, read for it */
    uint64_t line;     /* number of the first line, for JSON lines and columns; from 1 */
    bool continues;    /* begins inside a document */
    bool open;         /* ends inside a document, which the next segment continues */
} pv_segment;

void pv_segment_init(pv_segment *segment, psdvec_context *ctx);
void pv_segment_free(pv_segment *segment);

typedef struct pv_corpus pv_corpus;

/* `inputs` and `options` must outlive the corpus. `stage`: the name of the progress stage if
 * processing the text takes longer than reading it; the caller then reports segment->consumed bytes
 * of every segment to pv_corpus_progress. NULL: reading itself is reported. */
psdvec_status pv_corpus_new(psdvec_context *ctx, const pv_inputs *inputs,
                            const psdvec_text_options *options, const char *stage,
                            pv_corpus **corpus);
/* Divides the corpus among the members of a group (base/group.h): each gets consecutive segments.
 * Call it before the first segment; without it, every member that reads the corpus gets all. */
void pv_corpus_divide(pv_corpus *corpus);
void pv_corpus_free(pv_corpus *corpus);

/* Gets the next segment for this worker; *more is false after the last. `*place` starts as SIZE_MAX
 * and remembers which file the worker was reading. */
psdvec_status pv_corpus_next(pv_corpus *corpus, size_t *place, pv_segment *segment, bool *more);

/* Bytes of text in all segments so far, after decompression. */
uint64_t pv_corpus_bytes(const pv_corpus *corpus);
/* Progress of the stage, in bytes of the files. */
pv_progress *pv_corpus_progress(pv_corpus *corpus);

/* Warns about skipped files and guessed encodings. */
void pv_corpus_report(const pv_corpus *corpus);

#endif
