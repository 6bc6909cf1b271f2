/* psdvec: word embeddings from a generative model, as a C library.
 *
 * psdvec reads text, counts which words occur together, and trains word vectors that approximate
 * the pointwise mutual information of words. It adds new words to a model without retraining,
 * derives vectors of unseen words from their spelling, finds neighbours, scores models on test
 * sets, and assigns probabilities to documents. Counts and models are safetensors files.
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
 *     status.h        status codes
 *     options.h       every option with its type, range, default and help; setting options by name
 *     context.h       the context: threads, memory, progress, messages, cancellation
 *     text.h          how text becomes tokens
 *     phrases.h       finding and joining phrases
 *     counts.h        counting word pairs; counts files; import, export, merge
 *     train.h         training a model; adding words to it
 *     model.h         models, queries, conversion of vectors
 *     eval.h          scores on test sets, analogies
 *     document.h      the probability of documents, and text drawn from a model
 *     topic.h         topics of documents
 *     map.h           a map of the words of a model, its clusters, labels and pictures
 *     describe.h      a description of a model: how it was made, curves, map, scores, examples
 *     group.h         several processes that share the work of a call
 *     origin.h        how a counts file or a model was made
 *     baseline.h      word2vec, GloVe, SVD and other systems, to compare with
 *     experimental.h  calls that may still change; only if PSDVEC_EXPERIMENTAL is defined
 *
 * RULES
 *
 * Errors. A call that can fail returns a psdvec_status; PSDVEC_OK is zero. After a failure,
 *   psdvec_error_message(ctx) names the file, the location, the cause and the remedy. Options are
 *   named in backquotes, `min_count`.
 * Arguments. NULL options mean the defaults, in every call. Other pointers are required unless
 *   the call says that they may be NULL; NULL for one of them is refused with PSDVEC_ERR_OPTION.
 *   Getters return NULL, 0, false or NAN for an index that is out of range.
 * Options. Fill in a struct with ..._default() and change members. Each call checks all of them
 *   before it does anything. Structs begin with their size, which ..._default() fills in, so that a
 *   program compiled with this header also runs with later libraries of the same soname.
 * Ownership. Whoever opens an object closes it; ..._free() and ..._close() accept NULL. After a
 *   failed call there is nothing to free, and the pointer that was to receive an object is NULL.
 *   Objects may be closed in any order, also after the context they were opened with. Pointers that
 *   a getter returns are valid until the object is closed.
 * Threads. A context serves one thread at a time; use one context per thread. A model, a counts
 *   file or a test set may be shared by any number of threads, each with its own context.
 * The host. The library never prints and never exits. It keeps no state outside its objects, except
 *   what no result depends on: a constant table of character classes, which is filled once, and the
 *   bookkeeping of BLAS. It leaves signal handlers, locale, environment, working directory and the
 *   host's BLAS alone. Progress, warnings and cancellation are callbacks.
 * Results. Results are bit-for-bit reproducible for any number of threads and any memory budget;
 *   counts also for any order of the inputs. Outputs are replaced only when complete.
 */
#ifndef PSDVEC_H
#define PSDVEC_H

#define PSDVEC_VERSION_MAJOR 0
#define PSDVEC_VERSION_MINOR 2
#define PSDVEC_VERSION_PATCH 0
#define PSDVEC_VERSION "0.2.0"

#include <psdvec/baseline.h>
#include <psdvec/context.h>
#include <psdvec/counts.h>
#include <psdvec/describe.h>
#include <psdvec/document.h>
#include <psdvec/eval.h>
#include <psdvec/group.h>
#include <psdvec/map.h>
#include <psdvec/model.h>
#include <psdvec/options.h>
#include <psdvec/origin.h>
#include <psdvec/phrases.h>
#include <psdvec/status.h>
#include <psdvec/text.h>
#include <psdvec/topic.h>
#include <psdvec/train.h>

#ifdef PSDVEC_EXPERIMENTAL
#include <psdvec/experimental.h>
#endif

#endif
