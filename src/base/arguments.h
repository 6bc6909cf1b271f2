/* Checks of the arguments of public calls.
 *
 * Calls that return a psdvec_status begin with PV_BEGIN and then name their required pointers:
 *
 *     psdvec_status psdvec_something(psdvec_context *ctx, const psdvec_model *model,
 *                                    const char *const *inputs, size_t input_count)
 *     {
 *         PV_BEGIN(ctx);
 *         PV_NEED(ctx, model);
 *         PV_NEED_EACH(ctx, inputs, input_count);
 *
 * A NULL is refused with PSDVEC_ERR_OPTION and a sentence that names the argument, so a
 * definition uses the parameter names of the header. Each macro but PV_CLEAR returns from the
 * function: use them before anything is allocated. Getters, which return no status, check by
 * themselves and answer NULL, 0, false or NAN. tests/unit/test_arguments.c calls every public
 * function with NULL in each place.
 */
#ifndef PV_BASE_ARGUMENTS_H
#define PV_BASE_ARGUMENTS_H

#include "base/context.h"

/* Forgets the last failure, as pv_begin. Without a context there is no place for a sentence. */
#define PV_BEGIN(ctx)                                                                              \
    do {                                                                                           \
        if (PV_UNLIKELY(!(ctx)))                                                                   \
            return PSDVEC_ERR_OPTION;                                                              \
        pv_begin(ctx);                                                                             \
    } while (0)

/* The same for calls that take a scorer, and with it a context. */
#define PV_BEGIN_OF(object) PV_BEGIN((object) ? (object)->ctx : NULL)

/* First of all in calls that make an object: whatever goes wrong, the caller's pointer is NULL. */
#define PV_CLEAR(out)                                                                              \
    do {                                                                                           \
        if (out)                                                                                   \
            *(out) = NULL;                                                                         \
    } while (0)

#define PV_NEED(ctx, pointer)                                                                      \
    do {                                                                                           \
        if (PV_UNLIKELY(!(pointer)))                                                               \
            return pv_fail(ctx, PSDVEC_ERR_OPTION,                                                 \
                           "NULL was given for `" #pointer "`, which is required");                \
    } while (0)

/* An array of `count` elements; NULL is right if there are none. */
#define PV_NEED_ARRAY(ctx, array, count)                                                           \
    do {                                                                                           \
        if (PV_UNLIKELY(!(array) && (count) > 0))                                                  \
            return pv_fail(ctx, PSDVEC_ERR_OPTION,                                                 \
                           "NULL was given for `" #array "`, but its number of elements is %zu",   \
                           (size_t)(count));                                                       \
    } while (0)

/* An array of `count` pointers, none of which may be NULL. */
#define PV_NEED_EACH(ctx, array, count)                                                            \
    do {                                                                                           \
        PV_NEED_ARRAY(ctx, array, count);                                                          \
        for (size_t pv_need_k_ = 0; pv_need_k_ < (count); pv_need_k_++)                            \
            if (PV_UNLIKELY(!(array)[pv_need_k_]))                                                 \
                return pv_fail(ctx, PSDVEC_ERR_OPTION, "NULL was given for `" #array "[%zu]`",     \
                               pv_need_k_);                                                        \
    } while (0)

/* An index below `count`. */
#define PV_NEED_INDEX(ctx, index, count)                                                           \
    do {                                                                                           \
        if (PV_UNLIKELY((uint64_t)(index) >= (uint64_t)(count)))                                   \
            return pv_fail(ctx, PSDVEC_ERR_OPTION,                                                 \
                           "`" #index "` is %llu, but must be less than %llu",                     \
                           (unsigned long long)(index), (unsigned long long)(count));              \
    } while (0)

#endif
