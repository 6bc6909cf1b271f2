/* Reading text, counting and merging, for use inside other calls: without pv_begin. */
#ifndef PV_COUNT_COUNT_H
#define PV_COUNT_COUNT_H

#include "base/partial.h"
#include "corpus/inputs.h"
#include "count/provenance.h"
#include "count/rows.h"
#include "count/vocabulary.h"

/* A text, read: its tokens, its words, and where it came from. What counting begins with, and what
 * systems that learn from the text itself begin with, too. */
typedef struct pv_reading {
    psdvec_context *ctx;
    pv_token_store *store; /* its words have final ids */
    pv_vocabulary vocabulary;
    pv_provenance provenance;
    pv_buffer held_out; /* uint32_t (held_out.h): words that are not counted */
} pv_reading;

/* What reading and counting an input may need besides the options. */
typedef struct pv_count_part {
    bool words_only;           /* a file with all words and their frequencies, no bigrams */
    bool may_be_empty;         /* no known word gives an empty file, not an error */
    bool silent;               /* another part has given advice on the options */
    const pv_joining *joining; /* instead of the phrases of the options; may be NULL */
    const char *output;        /* of pv_count_rows: passed over if it lies in a folder of the
                                  inputs and is what an earlier run left there; may be NULL */
} pv_count_part;

/* Reads `files`, which are `inputs` expanded; `folder` takes temporary files. PSDVEC_ERR_EMPTY if
 * there is no word that is known, unless it may be empty. */
psdvec_status pv_reading_open(pv_reading *reading, psdvec_context *ctx,
                              const psdvec_count_options *options, const pv_inputs *files,
                              const char *const *inputs, size_t input_count, const char *folder,
                              pv_count_part part);
void pv_reading_free(pv_reading *reading);

/* What it says of the text; the rest of the report is left alone. */
void pv_reading_report(const pv_reading *reading, psdvec_count_report *report);

/* Counts pairs into a sink, which `begin` makes when the words are known: the rows come in order.
 * `text` is the caller's to free, even after a failure. */
typedef psdvec_status pv_begin_rows(void *self, const pv_reading *text, pv_row_sink *sink);
psdvec_status pv_count_rows(psdvec_context *ctx, const psdvec_count_options *options,
                            const char *const *inputs, size_t input_count, const char *folder,
                            pv_count_part part, pv_begin_rows *begin, void *self, pv_reading *text);

/* psdvec_count without `resume_dir`. */
psdvec_status pv_count_run(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output,
                           pv_count_part part, psdvec_count_report *report);

/* The same with `resume_dir`: can be killed and goes on where it was. `phrases`, unless NULL, are
 * joined instead of those of the options. */
psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options,
                                 const char *const *inputs, size_t input_count, const char *output,
                                 const pv_phrases *phrases, psdvec_count_report *report);

/* psdvec_counts_merge. `verify`: look for damage in the files, and for what this version does not know.
 * `provenance`, if not NULL, is what the result says of itself instead of what the files say. */
psdvec_status pv_counts_merge(psdvec_context *ctx, const char *const *paths, size_t path_count,
                              bool verify, const char *output, pv_provenance *provenance,
                              psdvec_count_report *report);

/* Counts that are only on the way to something else: kept in `partial`, where an interrupted run may
 * have left them. With `phrases` auto the phrases are kept there, too. *path is on the heap. */
psdvec_status pv_count_on_the_way(pv_partial *partial, psdvec_context *ctx,
                                  const psdvec_count_options *options, const char *const *inputs,
                                  size_t input_count, char **path, psdvec_count_report *report);

psdvec_status pv_keep_output_apart(psdvec_context *ctx, const psdvec_count_options *options,
                                   pv_inputs *inputs, const char *output);

/* PSDVEC_ERR_SAME_FILE if the output is one of the inputs. */
psdvec_status pv_refuse_same_file(psdvec_context *ctx, const char *const *inputs, size_t count,
                                  const char *output);

#endif
