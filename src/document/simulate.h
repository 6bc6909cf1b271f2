/* Drawing from the model (section 4 of the paper, docs/simulation.md), as the files of it share it.
 *
 *     simulate_truth   V and A are drawn and adjusted; the table exp(G)
 *     simulate_margins how much they are adjusted
 *     simulate_axes    V as training would leave it
 *     simulate_text    documents, word by word, from the table
 *     simulate_files   the folder and what goes into it
 *     simulate         options, and all of it one after the other
 */
#ifndef PV_DOCUMENT_SIMULATE_H
#define PV_DOCUMENT_SIMULATE_H

#include "base/memory.h"

/* What numbers are drawn for. */
enum { PV_DRAW_VECTORS = 0x73696d01, PV_DRAW_RESIDUALS = 0x73696d02, PV_DRAW_WORDS = 0x73696d03 };

typedef struct pv_truth {
    psdvec_context *ctx;
    psdvec_simulate_options options;
    uint32_t words, dim;  /* n, N */
    size_t tiles, stride; /* of the words in the table; stride = tiles * PV_SAMPLE_TILE */
    double mu;
    double *unigram;        /* n: p, falling */
    float *p;               /* stride: the same; 0 beyond the words */
    float *vectors;         /* n x N, row-major */
    float *eigenvalues;     /* N: by magnitude, with the signs of J */
    bool residuals;         /* there are any */
    double *before, *after; /* n: a_ij = residual * normal + before_i + after_j */
    float *table;           /* n x stride: exp(v_i' J v_j + a_ij); NULL once it is given back */
    double *ends;           /* n x tiles: sums of tiles behind each word; NULL if the window > 1 */
    double *start;          /* tiles: the same of p alone */
    double entropy, entropy_rate;
    uint32_t rounds;
} pv_truth;

/* Draws and adjusts everything, and makes the table. Free it in either case. */
psdvec_status pv_truth_make(psdvec_context *ctx, const psdvec_simulate_options *options,
                            pv_truth *truth);
void pv_truth_free(pv_truth *truth);
/* c (rows) and d (columns), n each and with the same mean over p, that give the pairs of the
 * table the margins p. */
psdvec_status pv_truth_scale(pv_truth *truth, double *c, double *d);
/* V with V J V' = B diag(signs) B' and orthogonal columns, the longest first. B, V: n x N,
 * row-major; eigenvalues: N, with the signs of J. */
psdvec_status pv_turn_to_axes(psdvec_context *ctx, const double *B, const float *signs, size_t n,
                              size_t N, float *vectors, float *eigenvalues);
/* The table is no longer needed. */
void pv_truth_drop_table(pv_truth *truth);
/* Row i of the residuals: n numbers. */
void pv_truth_residuals(const pv_truth *truth, uint32_t i, float *row);

/* Names of words: letters only, all of the same length, so that the place of every word in the
 * text is known beforehand. */
size_t pv_name_length(uint32_t words);
void pv_name_write(uint32_t word, size_t length, char *to);

typedef struct pv_drawn {
    uint64_t *counts; /* n: how often each word was drawn */
    double log_likelihood, log_unigram;
    uint64_t documents, bytes;
} pv_drawn;

struct pv_output;
/* Draws the text into `output`, from its beginning. `counts` is the caller's. */
psdvec_status pv_draw_text(const pv_truth *truth, struct pv_output *output, pv_drawn *drawn);

typedef struct pv_simulation_folder {
    psdvec_context *ctx;
    char *text, *model, *residuals, *story; /* names of the files */
    char *folder;
    bool made;     /* by us, and to be taken away again after a failure */
    bool opened;   /* it may be written to */
    bool replaces; /* an earlier simulation */
} pv_simulation_folder;

/* Makes the folder, or sees that nothing in it would be lost. Free it in either case. */
psdvec_status pv_simulation_folder_open(psdvec_context *ctx, const char *path,
                                        pv_simulation_folder *folder);
/* `whole`: everything was written. */
void pv_simulation_folder_close(pv_simulation_folder *folder, bool whole);

/* The three files beside the text. */
psdvec_status pv_write_truth_residuals(const pv_truth *truth, const char *path);
psdvec_status pv_write_truth_model(const pv_truth *truth, const pv_drawn *drawn, const char *path);
psdvec_status pv_write_truth_story(const pv_truth *truth, const pv_drawn *drawn, const char *path);

#endif
