/* Third-party vectors, read into memory.
 *
 * The format is detected from the first bytes, never from the file name. Each reader finds the
 * words and fills the vectors; the shared part is here: words become valid UTF-8, and of equal
 * words the first is kept. Unusable data, including numbers that are not finite, is an error that
 * names the line or the number of the word.
 */
#ifndef PV_MODEL_FOREIGN_H
#define PV_MODEL_FOREIGN_H

#include "base/file.h"
#include "base/memory.h"

typedef struct pv_span {
    const char *at;
    size_t length;
} pv_span;

typedef struct pv_foreign {
    pv_scope scope;
    uint32_t words, dim;
    char *bytes;       /* all words */
    uint64_t *offsets; /* words + 1 */
    float *vectors;    /* words x dim, row-major */
    pv_span *spans;    /* words, while the file is read: where they are */
    uint64_t file_bytes;
    bool npy;
    psdvec_precision precision; /* of npy; float32 for other formats */
} pv_foreign;

/* Whether the file is in safetensors format, written by psdvec or not. */
psdvec_status pv_foreign_is_safetensors(psdvec_context *ctx, const char *path, bool *is);

/* `words_file`: the words of an npy file; NULL: pv_foreign_words_path. Everything is allocated in
 * f->scope. */
psdvec_status pv_foreign_read(psdvec_context *ctx, const char *path, const char *words_file,
                              pv_foreign *f);

/* The default path of the words of an npy file: the name with ".words.txt" instead of ".npy". On
 * the heap; NULL if out of memory. */
char *pv_foreign_words_path(const char *npy);

/* ---- For the readers: foreign_text, foreign_npy ------------------------------- */

/* A file being read. */
typedef struct pv_source {
    psdvec_context *ctx;
    const char *path;
    const char *data, *end;
} pv_source;

/* The header line of word2vec's formats. */
typedef struct pv_header {
    bool there;
    uint64_t words, dim;
    const char *behind; /* the byte after it */
} pv_header;

psdvec_status pv_foreign_text(const pv_source *source, const pv_header *header, pv_foreign *f);
psdvec_status pv_foreign_npy(const pv_source *source, const char *words_file, pv_foreign *f);

/* True if the line at `at` consists of a word and `dim` numbers. */
bool pv_foreign_line_fits(const char *at, const char *end, uint64_t dim);

/* Gets the line at *at and advances *at to the next one. False at the end. */
bool pv_foreign_next_line(const char **at, const char *end, pv_span *line);
/* The same for a decimal integer; false if there is none or it is too large. */
bool pv_foreign_digits(const char **at, const char *end, uint64_t *value);

/* Allocates f->vectors and f->spans for `words` words, all sizes checked. */
psdvec_status pv_foreign_allocate(const pv_source *source, uint64_t words, uint64_t dim,
                                  pv_foreign *f);

/* Copies the words in f->spans, one per vector: fills bytes and offsets, and removes duplicates. No
 * word is empty. */
psdvec_status pv_foreign_take_words(const pv_source *source, pv_foreign *f);

#endif
