/* Tokens of inputs, one after the other, with the ends of documents and sentences told apart. */
#ifndef PV_CORPUS_TOKENIZE_H
#define PV_CORPUS_TOKENIZE_H

#include "base/context.h"

typedef struct pv_token_sink {
    psdvec_status (*word)(void *user, const char *word, size_t length);
    psdvec_status (*pause)(void *user); /* a sentence ends; only where asked for */
    /* A document ends, also one without words if it is a line; `source` names the file. */
    psdvec_status (*end)(void *user, const char *source);
    void *user;
    bool (*enough)(void *user); /* true: read no further. May be NULL */
    const char *stage; /* what progress calls it, if taking words is slow; NULL: it is reading */
} pv_token_sink;

/* Documents with fewer words than min_document_words end without having begun. `options` may be
 * NULL for the defaults. */
psdvec_status pv_tokenize(psdvec_context *ctx, const psdvec_text_options *options, const char *text,
                          size_t length, const pv_token_sink *sink);
psdvec_status pv_tokenize_inputs(psdvec_context *ctx, const psdvec_text_options *options,
                                 const char *const *inputs, size_t input_count,
                                 const pv_token_sink *sink);

#endif
