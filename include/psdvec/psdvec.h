/* psdvec: word embeddings from a generative model, as a C library.
 *
 * Text goes in; exact co-occurrence counts and, from them, word vectors come out, in files that
 * any language can read. The library also adds new words to a trained model, finds neighbours,
 * scores models on test sets, assigns probabilities to documents, and trains the systems that the
 * paper compares with.
 *
 * THE SHORTEST USEFUL PROGRAM
 *
 *     psdvec_context *ctx;
 *     if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK) return 1;
 *
 *     psdvec_train_options train;
 *     psdvec_count_options count;
 *     psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &count);
 *     count.min_count = 20;
 *
 *     const char *inputs[] = {"wiki.txt.zst", "books"};
 *     if (psdvec_train_text(ctx, &train, &count, inputs, 2, "wiki.safetensors", NULL, NULL))
 *         fprintf(stderr, "%s\n", psdvec_error_message(ctx));
 *
 *     psdvec_context_free(ctx);
 *
 * THE PARTS (this header includes them all)
 *
 *     status.h     status codes
 *     options.h    every option with its type, range, default and help; setting options by name
 *     context.h    the context: threads, memory, progress, messages, cancellation
 *     text.h       how text becomes tokens
 *     counts.h     counting word pairs; counts files; import, export, merge
 *     train.h      training a model; adding words to it
 *     model.h      models, queries, conversion of vectors
 *     eval.h       scores on test sets
 *     document.h   the probability of documents
 *     origin.h     how a counts file or a model was made
 *     baseline.h   word2vec, GloVe, SVD and other systems, to compare with
 *
 * RULES
 *   - Every call that can fail returns a psdvec_status; PSDVEC_OK is zero. The sentence that
 *     explains a failure is in psdvec_error_message(ctx).
 *   - The library never prints, never exits and has no global state. Progress,
 *     warnings and cancellation are callbacks of the host.
 *   - Options are plain structs. Fill them with ..._default(), change what you
 *     like, and every call validates them before it does anything.
 *   - Same input, same options: same bits, for any number of threads and any
 *     memory budget; of counts also for any order of the inputs.
 *   - ..._free() and ..._close() accept NULL.
 *   - Calls that return a psdvec_status refuse NULL for a required pointer with
 *     PSDVEC_ERR_OPTION and a sentence that names the argument; NULL options are the
 *     defaults. Getters, which return no status, answer NULL, 0, false, or NAN for a
 *     double, if they are given NULL or an index out of range.
 *   - One context serves one caller at a time; use one context per thread. A model, a counts
 *     file and a test set may be shared by any number of threads, each with its own context:
 *     calls that take them as const may run at the same time.
 *   - What was opened with a context is counted in its memory budget, also what is made later
 *     (an index of words, a float32 copy of vectors). Close it, from any thread, when no other
 *     thread uses it, and before that context is freed.
 */
#ifndef PSDVEC_H
#define PSDVEC_H

#define PSDVEC_VERSION_MAJOR 0
#define PSDVEC_VERSION_MINOR 1
#define PSDVEC_VERSION_PATCH 0
#define PSDVEC_VERSION "0.1.0"

#include <psdvec/baseline.h>
#include <psdvec/context.h>
#include <psdvec/counts.h>
#include <psdvec/document.h>
#include <psdvec/eval.h>
#include <psdvec/model.h>
#include <psdvec/options.h>
#include <psdvec/origin.h>
#include <psdvec/status.h>
#include <psdvec/text.h>
#include <psdvec/train.h>

#endif
