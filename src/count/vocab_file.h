/* A fixed vocabulary from a file: a counts file, or text with a word a line
 * and, if one likes, its frequency after white space (as GloVe and word2vec
 * write it).
 */
#ifndef PV_COUNT_VOCAB_FILE_H
#define PV_COUNT_VOCAB_FILE_H

#include "count/vocabulary.h"

psdvec_status pv_vocab_file_read(psdvec_context *ctx, const char *path, pv_vocabulary *vocabulary);

#endif
