/* Gradient steps as published. The gradient is computed in the coordinates of topic_fit.h, in which
 * a vector t has the components scale_i (axis_i' t), so that a step of eta along the gradient in the
 * space of the word vectors is a step of eta scale_i^2 times the gradient there. */
#include "topic/gradient.h"

#include "base/random.h"

#include <math.h>

/* Falls of the bound per word below this are rounding errors. */
#define LEAST_FALL 1e-6

enum { DRAW_TOPICS = 0x70C5 };

void pv_topic_start_at_random(pv_topic_fit *f, uint64_t seed)
{
    const pv_topic_space *s = f->space;
    for (uint32_t k = f->null_topic; k < f->topics; k++) {
        double square = 0;
        for (size_t d = 0; d < s->dim; d++)
            square += pow(pv_random_normal(seed, DRAW_TOPICS, (uint64_t)k * s->dim + d), 2);
        for (size_t i = 0; i < s->dim; i++) {
            double along = 0;
            for (size_t d = 0; d < s->dim; d++)
                along += s->axes[i * s->dim + d] *
                         pv_random_normal(seed, DRAW_TOPICS, (uint64_t)k * s->dim + d);
            f->vectors[i * f->stride + k] = (float)(s->scale[i] * along / sqrt(square));
        }
    }
}

/* The length of a vector in the space of the word vectors, after a step. */
static double length_after(const pv_topic_fit *f, uint32_t k, double step)
{
    const pv_topic_space *s = f->space;
    double square = 0;
    for (size_t d = 0; d < s->dim; d++)
        if (s->scale[d] > 0)
            square += pow((double)f->vectors[d * f->stride + k] / s->scale[d] +
                              step * s->scale[d] * (double)f->towards[d * f->stride + k],
                          2);
    return sqrt(square);
}

/* Moves vector k along the gradient. Returns the square of its change. */
static double move(pv_topic_fit *f, uint32_t k, double rate)
{
    const pv_topic_space *s = f->space;
    double square = 0, change = 0;
    for (size_t d = 0; d < s->dim; d++)
        square += pow(s->scale[d] * (double)f->towards[d * f->stride + k], 2);
    double most = pv_topic_longest_step(pv_topic_length(f, f->vectors, k));
    double step = rate * sqrt(square) > most ? most / sqrt(square) : rate;
    double after = length_after(f, k, step), shrink = after > f->radius ? f->radius / after : 1;
    for (size_t d = 0; d < s->dim; d++) {
        float *t = &f->vectors[d * f->stride + k], old = *t;
        double to = step * s->scale[d] * s->scale[d] * (double)f->towards[d * f->stride + k];
        *t = (float)(shrink * ((double)old + to));
        change += s->scale[d] > 0 ? pow(((double)*t - (double)old) / s->scale[d], 2) : 0;
    }
    return change;
}

psdvec_status pv_gradient_steps(pv_topic_fit *f, const psdvec_topic_options *options,
                                uint64_t taken, double words, double *change)
{
    double threshold = (double)options->rate_words;
    double scale = threshold > 0 && words > threshold ? threshold / words : 1;
    for (uint32_t step = 0; step < options->step_count; step++) {
        double square = 0;
        PV_TRY(pv_topic_fit_gradient(f));
        for (uint32_t k = f->null_topic; k < f->topics; k++)
            square += move(f, k, scale * options->rate / (double)(taken + step + 2));
        *change = sqrt(square);
        PV_TRY(pv_topic_fit_start(f));
    }
    return PSDVEC_OK;
}

void pv_warn_of_falls(psdvec_context *ctx, const psdvec_topic_options *options,
                      const double *history, uint32_t iterations, double words)
{
    uint32_t falls = 0, worst = 0;
    double most = 0;
    for (uint32_t t = 1; t < iterations; t++) {
        double fall = (history[t - 1] - history[t]) / words;
        falls += fall > LEAST_FALL;
        if (fall > most) {
            most = fall;
            worst = t + 1;
        }
    }
    if (!falls)
        return;
    pv_warn(
        ctx, "the bound fell in %u of %u iterations, most in iteration %u, by %.3g per word: %s",
        (unsigned)falls, (unsigned)iterations, (unsigned)worst, most,
        options->steps == PSDVEC_TOPIC_STEPS_GRADIENT
            ? "gradient steps may be too long; lower `rate`, or use `steps=newton`"
            : "vectors at the limit of `radius` are shortened, and sums are in single precision");
}
