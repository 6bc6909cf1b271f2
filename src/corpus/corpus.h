/* A corpus: all inputs as pieces of text, handed to any number of workers.
 *
 *     inputs ─► files ─► streams ─► members ─► pieces (about half a megabyte)
 *
 * There is no reader thread: whoever needs a piece takes the lock of a file,
 * reads or unpacks the next piece, releases the lock and tokenises. While one
 * worker unpacks, the others tokenise; with one thread nothing waits for
 * anything. A worker prefers a file nobody has opened yet, and joins others
 * when there is none left, so many small files and one large file both keep
 * all workers busy.
 *
 * How pieces are cut depends on the text alone, never on threads or memory.
 * (file, sequence) puts them back into order.
 */
#ifndef PV_CORPUS_CORPUS_H
#define PV_CORPUS_CORPUS_H

#include "base/memory.h"
#include "base/progress.h"
#include "corpus/inputs.h"

typedef enum pv_piece_kind {
    PV_PIECE_TEXT = 0,
    PV_PIECE_JSON_LINES,
    PV_PIECE_WIKI_PAGES,    /* raw markup of pages, each ended by a NUL byte */
    PV_PIECE_WIKI_EXTRACTOR /* lines with <doc ...> and </doc> */
} pv_piece_kind;

typedef struct pv_piece {
    pv_buffer text; /* writable, padded */
    pv_buffer name; /* of the file or archive member, zero-terminated */
    pv_piece_kind kind;
    uint32_t file;     /* index into the list of inputs */
    uint64_t sequence; /* within the file */
    uint64_t offset;   /* of the text within the member */
    uint64_t consumed; /* bytes of the file, packed perhaps, that were read for it */
    uint64_t line;     /* number of the first line, for JSON lines; from 1 */
    bool mid_line;     /* begins inside a line */
    bool continues;    /* goes on with the document of the piece before it */
    bool open_end;     /* the piece after it goes on with its last document */
} pv_piece;

void pv_piece_init(pv_piece *piece, psdvec_context *ctx);
void pv_piece_free(pv_piece *piece);

typedef struct pv_corpus pv_corpus;

/* `inputs` and `options` must outlive the corpus. */
psdvec_status pv_corpus_new(psdvec_context *ctx, const pv_inputs *inputs,
                            const psdvec_text_options *options, pv_corpus **corpus);
void pv_corpus_free(pv_corpus *corpus);

/* The next piece for this worker; *more is false when all is read. `*place`
 * starts as SIZE_MAX and remembers which file the worker was reading. */
psdvec_status pv_corpus_next(pv_corpus *corpus, size_t *place, pv_piece *piece, bool *more);

/* Bytes of text handed out, after unpacking. */
uint64_t pv_corpus_bytes(const pv_corpus *corpus);
/* Files in folders and archives that were passed over because they are not text. */
uint64_t pv_corpus_skipped(const pv_corpus *corpus);
/* Where going through the text takes longer than reading it, the caller tells of progress: `stage`
 * is what it does, and of every piece it tells piece->consumed bytes bit by bit. */
void pv_corpus_slow(pv_corpus *corpus, const char *stage);
void pv_corpus_went_on(pv_corpus *corpus, uint64_t bytes);
/* Reports the end of reading. */
void pv_corpus_finish(pv_corpus *corpus);

#endif
