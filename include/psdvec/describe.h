/* Part of psdvec.h: a description of a model, the data of `psdvec report`.
 *
 * A description collects what there is to know about a model: how it was made, statistics of its
 * text, the course of training, its spectrum, the lengths of its vectors, a map, scores on test sets
 * and the neighbours of sample words; as JSON, and as text for people.
 *
 *     psdvec_description *description;
 *     if (psdvec_model_describe(ctx, NULL, model, NULL, 0, NULL, 0, &description) == PSDVEC_OK)
 *         puts(psdvec_description_text(description, NULL));
 *     psdvec_description_free(description);
 */
#ifndef PSDVEC_DESCRIBE_H
#define PSDVEC_DESCRIBE_H

#include <psdvec/eval.h>
#include <psdvec/map.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psdvec_describe_options {
    size_t size; /* set by psdvec_describe_options_default */
#include <psdvec/options/describe.def>
} psdvec_describe_options;

/* Sets all members to their defaults. */
static inline void psdvec_describe_options_default(psdvec_describe_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_DESCRIBE, options, sizeof *options, 0, NULL);
}

typedef struct psdvec_description psdvec_description;

/* Describes a model, or vectors of another program, of which less is known. `tests`: test_count test
 * sets besides the built-in ones. `words`: word_count indices of sample words; none: `samples` of
 * them are selected. `options` may be NULL. Free the description with psdvec_description_free; it
 * does not depend on the model. The result is the same for any number of threads. */
PSDVEC_API psdvec_status psdvec_model_describe(psdvec_context *ctx,
                                               const psdvec_describe_options *options,
                                               const psdvec_model *model,
                                               const psdvec_test *const *tests, size_t test_count,
                                               const uint32_t *words, size_t word_count,
                                               psdvec_description **description);

/* Frees a description. `description` may be NULL. */
PSDVEC_API void psdvec_description_free(psdvec_description *description);

/* Return the description as a JSON object, whose members docs/reference/report.md lists, and as text
 * of at most 100 columns. Both are UTF-8, null-terminated, and valid until the description is freed.
 * `length` (may be NULL) receives the length in bytes. */
PSDVEC_API const char *psdvec_description_json(const psdvec_description *description,
                                               size_t *length);
PSDVEC_API const char *psdvec_description_text(const psdvec_description *description,
                                               size_t *length);

#ifdef __cplusplus
}
#endif
#endif
