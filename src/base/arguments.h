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
 * A NULL is rejected with PSDVEC_ERR_OPTION and a message that names the argument, so definitions
 * must use the parameter names of the header. Every macro except PV_CLEAR may return from the
 * function: use them before anything is allocated. Getters, which return no status, do their own
 * checks and return NULL, 0, false or NAN. tests/unit/test_arguments.c calls every public function
 * with NULL for each argument.
 */
#ifndef PV_BASE_ARGUMENTS_H
#define PV_BASE_ARGUMENTS_H

#include "base/context.h"

/* Clears the last failure, as pv_begin does. Without a context there is nowhere to store a
 * message. */
#define PV_BEGIN(ctx)                                                                              \
    do {                                                                                           \
        if (PV_UNLIKELY(!(ctx)))                                                                   \
            return PSDVEC_ERR_OPTION;                                                              \
        pv_begin(ctx);                                                                             \
    } while (0)

/* The same for calls that take an object, such as a scorer, that holds a context. */
#define PV_BEGIN_OF(object) PV_BEGIN((object) ? (object)->ctx : NULL)

/* Goes first in calls that create an object: the caller's pointer is NULL after any failure. */
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

/* An array of `count` elements; may be NULL if the count is 0. */
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
