/* Declarations shared by the files of the training module. */
#ifndef PV_TRAIN_TRAIN_H
#define PV_TRAIN_TRAIN_H

#include "base/memory.h"
#include "count/count.h"
#include "link/link.h"
#include "model/model_write.h"
#include "sparse/division.h"

/* Fits parameters of the finished model to the text that is held out from the counts; writes
 * nothing to `json`, or a JSON object for the metadata `fit`. */
typedef psdvec_status pv_fit_fn(psdvec_context *ctx, const pv_model_data *model, const char *path,
                                const psdvec_counts *counts, pv_buffer *json);

/* Runs a complete training. The inputs are text if they are to be counted (`counting`), otherwise
 * one counts file. `fit` is implemented above this module (src/document). */
psdvec_status pv_train_run(psdvec_context *ctx, const psdvec_train_options *options,
                           const psdvec_count_options *counting, const char *const *inputs,
                           size_t input_count, const char *output, pv_fit_fn *fit,
                           psdvec_count_report *count_report, psdvec_train_report *report);

/* An input that cannot be read twice, and the file that holds a copy of it. */
typedef struct pv_kept_input {
    const char *input;
    char *copy;
} pv_kept_input;

/* Writes how and from what the counts were made, as a JSON object. The copies in `kept` are
 * recorded under the names of their inputs. */
psdvec_status pv_counts_provenance(psdvec_context *ctx, const psdvec_counts *counts,
                                   const pv_kept_input *kept, size_t kept_count, pv_buffer *json);

/* The same for a text that was read but not counted. */
psdvec_status pv_text_provenance(pv_reading *text, pv_buffer *json);

/* How the model's text was read. Sets *recorded to false, and the defaults, if the model does not
 * record it. Strings of the options live in `strings`. */
psdvec_status pv_model_counting(psdvec_context *ctx, const psdvec_model *model,
                                psdvec_count_options *options, pv_buffer *strings, bool *recorded);

/* mu of the noncore word with this rank (from 0) and frequency. */
double pv_noncore_mu(const psdvec_train_options *options, uint32_t core, uint32_t words,
                     uint32_t rank, double frequency, double last_core_frequency);

/* ---- Resources of a run, known before it starts (plan.c) ------------------------------------ */

/* How the members of a group divide the rows of the core, and those of all words. */
typedef struct pv_shares {
    pv_division *core, *words;
} pv_shares;

/* Fills in everything except `seconds` and `core_in_memory`. `pairs`: number of pairs of core
 * words. With shares, the memory is that of this member of the group, and its temporary files may
 * be smaller. */
void pv_plan_fill(psdvec_context *ctx, const psdvec_train_options *options,
                  const psdvec_counts *counts, uint64_t pairs, const pv_shares *shares,
                  psdvec_train_plan *plan);

/* Whether the counts file and the memory of the run could exceed the budget together, so that the
 * columns go to a temporary file (sparse/transposed.h). It is decided before the pairs are counted,
 * so this assumes as many as there can be. */
bool pv_plan_transposes(psdvec_context *ctx, const psdvec_train_options *options,
                        const psdvec_counts *counts, const pv_shares *shares);

/* Whether the joint probability needs a pass over pairs that the solver does not hold. `noncore`:
 * there are words outside the core. */
bool pv_plan_walks_pairs(const psdvec_train_options *options, bool noncore);

/* Bytes that the budget leaves for the arrays of pairs that may go to a file instead. */
uint64_t pv_plan_pairs_bytes(psdvec_context *ctx, const psdvec_train_options *options,
                             const psdvec_counts *counts, const pv_shares *shares);

/* The largest number of core words below `core`, in round figures, with which a run fits the
 * budget; 0 if there is none. among: the numbers of pairs (pairs.h), which are to be in memory;
 * NULL: they may be in a file. */
uint32_t pv_plan_smaller_core(psdvec_context *ctx, const psdvec_train_options *options,
                              const psdvec_counts *counts, uint32_t core, const uint64_t *among);

/* Returns PSDVEC_ERR_BUDGET if even the minimum does not fit, naming the options that would
 * help. The members of a group need as much as the one that needs the most. */
psdvec_status pv_plan_check(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_counts *counts, const pv_shares *shares,
                            const psdvec_train_plan *plan);

/* The number of words of the core. */
uint32_t pv_core_words(const psdvec_train_options *options, const psdvec_counts *counts);

/* ---- Words outside the core (blocks.c) -------------------------------------------------------
 * They are solved in blocks. The members of a group (base/group.h) solve consecutive words of every
 * block, and the leader collects the results: as many words each in psdvec_extend, which has memory
 * for so many, and words of about the same cost in a training. */
enum { PV_WORDS_A_BLOCK = 20000 };

/* The first of the `count` words of a block that a member solves; those of the next member begin
 * where its own end. */
uint32_t pv_share_begin(const psdvec_context *ctx, uint32_t count, uint32_t rank);
/* The largest number of words of a block that a member solves. */
uint32_t pv_most_solved(const psdvec_context *ctx);
/* The leader gets the rows of the other members, after an agreement (pv_group_meet). rows: those of
 * this member; in the leader those of all words of the block, of which it has the first. */
psdvec_status pv_share_collect(psdvec_context *ctx, uint32_t count, size_t columns, float *rows);
/* Divides a block by cost: member r solves the words edges[r] .. edges[r + 1] - 1. cost: of each
 * word, at least 1. */
void pv_share_by_cost(const psdvec_context *ctx, uint32_t count, const uint64_t *cost,
                      uint32_t *edges);
/* All members get the rows of the others, after an agreement. rows: those of all words of the block. */
psdvec_status pv_share_complete(psdvec_context *ctx, const uint32_t *edges, size_t columns,
                                float *rows);

#endif
