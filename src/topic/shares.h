/* Shares of topics over time and by label, as JSON. */
#ifndef PV_TOPIC_SHARES_H
#define PV_TOPIC_SHARES_H

#include "base/json.h"
#include "topic/topic_file.h"

#include <string.h>

/* A text of a document, such as psdvec_topics_date; NULL: it has none. */
typedef const char *pv_document_text_fn(const psdvec_topics *topics, uint64_t document);

/* Puts a member "times": periods of equal length with the words and shares of their documents; null
 * if fewer than two periods have documents. Dates are YYYY, YYYY-MM or begin with YYYY-MM-DD; others
 * are ignored. */
psdvec_status pv_topics_put_times(psdvec_context *ctx, const psdvec_topics *topics,
                                  pv_document_text_fn *date, pv_json_writer *json);
/* Puts a member "labels": those with the most words; null if no document has a label. */
psdvec_status pv_topics_put_labels(psdvec_context *ctx, const psdvec_topics *topics,
                                   pv_document_text_fn *label, pv_json_writer *json);

/* The length of a text, at most `most` bytes and not in the middle of a character. */
static inline size_t pv_text_fit(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length > most)
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    return length;
}

#endif
