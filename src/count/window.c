/* Window weights. */
#include "count/window.h"

#include <math.h>

enum { EXACT_HARMONIC = 16 };
static const uint64_t rounded_harmonic = 1 << 20;
static const uint64_t rounded_running = 1 << 16;

static uint64_t lcm_up_to(uint32_t n)
{
    uint64_t lcm = 1;
    for (uint32_t k = 2; k <= n; k++) {
        uint64_t a = lcm, b = k;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        lcm = lcm / a * k;
    }
    return lcm;
}

uint64_t pv_window_scale(uint32_t span, psdvec_distance distance, bool subsampled)
{
    switch (distance) {
    case PSDVEC_DISTANCE_LINEAR:
        return (uint64_t)span * (subsampled ? PV_STEP_ONE : 1);
    case PSDVEC_DISTANCE_HARMONIC:
        if (subsampled)
            return rounded_running;
        return span <= EXACT_HARMONIC ? lcm_up_to(span) : rounded_harmonic;
    default:
        return 1;
    }
}

static uint32_t weight_at(const pv_window *window, psdvec_distance distance, uint64_t d,
                          uint64_t one)
{
    switch (distance) {
    case PSDVEC_DISTANCE_LINEAR:
        return (uint32_t)((window->span + 1) * one - d);
    case PSDVEC_DISTANCE_HARMONIC:
        return (uint32_t)((window->scale * one + d / 2) / d);
    default:
        return 1;
    }
}

/* retention(w) = min(1, sqrt(t/f) + t/f), f the word's share of the known words. */
static psdvec_status fill_retention(pv_window *window, double threshold, const pv_vocabulary *v)
{
    const uint64_t *frequency = v->list_frequency ? v->list_frequency : v->frequency;
    double total = 0;
    for (uint32_t i = 0; i < v->count; i++)
        total += (double)frequency[i]; /* exact below 2^53 */
    PV_TAKE(&window->memory, window->retention, v->count);
    PV_TAKE(&window->memory, window->steps, (size_t)v->count + 1);
    PV_TRY(pv_scope_status(&window->memory));
    for (uint32_t i = 0; i < v->count; i++) {
        double retention = 1;
        if (frequency[i] > 0) {
            double ratio = threshold * total / (double)frequency[i];
            retention = fmin(1, sqrt(ratio) + ratio);
        }
        double step = floor(retention * PV_STEP_ONE + 0.5);
        window->retention[i] = retention;
        window->steps[i] = (uint16_t)fmax(1, step);
    }
    window->steps[v->count] = PV_STEP_ONE;
    return PSDVEC_OK;
}

psdvec_status pv_window_init(pv_window *window, psdvec_context *ctx,
                             const psdvec_count_options *options, const pv_vocabulary *vocabulary)
{
    bool subsampled = options->subsample > 0;
    *window = (pv_window){
        .memory = {.ctx = ctx, .what = "the window"},
        .span = options->window,
        .scale = pv_window_scale(options->window, options->distance, subsampled),
    };
    uint64_t one = subsampled ? PV_STEP_ONE : 1;
    window->limit = (uint32_t)((options->window + 1) * one);
    PV_TAKE_ZERO(&window->memory, window->weights, window->limit);
    PV_TRY(pv_scope_status(&window->memory));
    for (uint32_t d = (uint32_t)one; d < window->limit; d++)
        window->weights[d] = weight_at(window, options->distance, d, one);
    return subsampled ? fill_retention(window, options->subsample, vocabulary) : PSDVEC_OK;
}

void pv_window_free(pv_window *window)
{
    pv_scope_free(&window->memory);
    *window = (pv_window){0};
}

uint64_t pv_window_reach(const pv_window *window)
{
    return window->steps ? window->limit : window->span;
}
