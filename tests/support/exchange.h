/* Counts of other programs: files in a scratch folder, importing them, and the expected results.
 * For the setup and teardown of cmocka. */
#ifndef TESTS_EXCHANGE_H
#define TESTS_EXCHANGE_H

#include "base/context.h"

typedef struct exchange {
    psdvec_context *ctx;
    char folder[64];
    char in[96], vocab[96], out[96], other[96], words[96];
    char warnings[2000];
    atomic_int polls_left; /* the callback cancels after this many polls; negative: never */
} exchange;

void exchange_context(exchange *b, uint64_t memory, int threads);

int exchange_open(void **state);

/* Every test must free all memory and leave no file but its own. */
int exchange_close(void **state);

void put_file(const char *path, const void *data, size_t length);

void put_text(const char *path, const char *text);

char *get_file(const char *path);

/* "word word value/scale; ..." */
char *dump_counts(exchange *b, const char *path);

void assert_dump(exchange *b, const char *path, const char *expected);

psdvec_status import_counts(exchange *b, psdvec_import_options options);

#define IMPORT(b, kind, ...)                                                                       \
    import_counts(b, (psdvec_import_options){.size = sizeof(psdvec_import_options),                \
                                             .format = PSDVEC_FORMAT_##kind,                       \
                                             __VA_ARGS__})

/* The import fails with this status and a message that contains `sentence`, and leaves no
 * output. */
void assert_import_refused(exchange *b, psdvec_import_options options, psdvec_status status,
                           const char *sentence);

#define REFUSED(b, status, sentence, kind, ...)                                                    \
    assert_import_refused(b,                                                                       \
                          (psdvec_import_options){.size = sizeof(psdvec_import_options),           \
                                                  .format = PSDVEC_FORMAT_##kind,                  \
                                                  __VA_ARGS__},                                    \
                          status, sentence)

void assert_warned(const exchange *b, const char *sentence);

psdvec_status export_counts(exchange *b, psdvec_counts_format format, bool symmetric);

enum { GLOVE_RECORDS = 5 };

typedef struct record {
    int32_t word1, word2;
    double value;
} record;

extern const record glove_records[GLOVE_RECORDS];

/* Writes the records and their vocabulary to `in` and `vocab`. */
void put_glove(exchange *b);

#endif
