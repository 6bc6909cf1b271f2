/* Internal entry points for reading text, counting and merging (without pv_begin). */
#ifndef PV_COUNT_COUNT_H
#define PV_COUNT_COUNT_H

#include "base/partial.h"
#include "corpus/inputs.h"
#include "count/provenance.h"
#include "count/rows.h"
#include "count/vocabulary.h"

/* A text after reading: its tokens, words and provenance. The input of counting and of the
 * baselines that learn from the text itself. */
typedef struct pv_reading {
    psdvec_context *ctx;
    pv_token_store *store; /* its words have final ids */
    pv_vocabulary vocabulary;
    pv_provenance provenance;
    pv_buffer held_out; /* uint32_t (held_out.h): words that are not counted */
} pv_reading;

/* Additional parameters of reading and counting. */
typedef struct pv_count_part {
    bool words_only;           /* a file with all words and their frequencies, no bigrams */
    bool may_be_empty;         /* text without known words gives an empty file, not an error */
    bool silent;               /* another part has given advice on the options */
    const pv_joining *joining; /* overrides the phrases of the options; may be NULL */
    const char *output;        /* of pv_count_rows: skipped if it is in an input folder and is
                                * the output of an earlier run; may be NULL */
} pv_count_part;

/* Reads `files`, which are `inputs` expanded; `folder` is for temporary files. PSDVEC_ERR_EMPTY if
 * there is no known word, unless may_be_empty. */
psdvec_status pv_reading_open(pv_reading *reading, psdvec_context *ctx,
                              const psdvec_count_options *options, const pv_inputs *files,
                              const char *const *inputs, size_t input_count, const char *folder,
                              pv_count_part part);
void pv_reading_free(pv_reading *reading);

/* Fills in the members of the report about the text; the others are unchanged. */
void pv_reading_report(const pv_reading *reading, psdvec_count_report *report);

/* Counts pairs into a sink, which `begin` creates when the words are known. Rows arrive in order.
 * The caller frees `text`, even after a failure. */
typedef psdvec_status pv_begin_rows(void *self, const pv_reading *text, pv_row_sink *sink);
psdvec_status pv_count_rows(psdvec_context *ctx, const psdvec_count_options *options,
                            const char *const *inputs, size_t input_count, const char *folder,
                            pv_count_part part, pv_begin_rows *begin, void *self, pv_reading *text);

/* psdvec_count without `resume_dir`. */
psdvec_status pv_count_run(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output,
                           pv_count_part part, psdvec_count_report *report);

/* The same with `resume_dir`: an interrupted run can be resumed. `phrases`, unless NULL, override
 * those of the options. */
psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options,
                                 const char *const *inputs, size_t input_count, const char *output,
                                 const pv_phrases *phrases, psdvec_count_report *report);

/* psdvec_counts_merge. `verify`: check the files for damage and for data unknown to this version.
 * `provenance`, if not NULL, is stored in the result instead of that of the files. */
psdvec_status pv_counts_merge(psdvec_context *ctx, const char *const *paths, size_t path_count,
                              bool verify, const char *output, pv_provenance *provenance,
                              psdvec_count_report *report);

/* Makes intermediate counts in `partial`, where an interrupted run may have left them. With
 * `phrases` auto, the phrases are stored there too. *path is on the heap. */
psdvec_status pv_count_for_training(pv_partial *partial, psdvec_context *ctx,
                                    const psdvec_count_options *options, const char *const *inputs,
                                    size_t input_count, char **path, psdvec_count_report *report);

psdvec_status pv_refuse_input_as_output(psdvec_context *ctx, const psdvec_count_options *options,
                                        pv_inputs *inputs, const char *output);

/* PSDVEC_ERR_SAME_FILE if the output is one of the inputs. */
psdvec_status pv_refuse_same_file(psdvec_context *ctx, const char *const *inputs, size_t count,
                                  const char *output);

#endif
