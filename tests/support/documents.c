/* A small model, and a recorder of callbacks. */
#include "support/documents.h"

#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void train(trained *t, psdvec_preset preset, int threads)
{
    *t = (trained){.ctx = context_of(threads), .folder = scratch_new()};
    char *words = random_text(7, WORDS, TOKENS);
    t->text = scratch_path(t->folder, "text");
    t->counts_path = scratch_path(t->folder, "counts");
    t->model_path = scratch_path(t->folder, "model");
    scratch_write(t->text, words, strlen(words));
    free(words);
    psdvec_train_options_preset(&t->training, preset, &t->counting);
    t->training.dim = DIM;
    t->training.core = 0;
    t->counting.min_count = 20;
    t->counting.text.digits = PSDVEC_DIGITS_KEEP;
    if (preset == PSDVEC_PRESET_DEFAULT)
        t->counting.subsample = 0.02; /* so that a large part of the small vocabulary is
                                       * subsampled */
}

void finish_training(trained *t)
{
    const char *inputs[] = {t->text};
    well(t->ctx, psdvec_count(t->ctx, &t->counting, inputs, 1, t->counts_path, NULL));
    well(t->ctx, psdvec_train(t->ctx, &t->training, t->counts_path, t->model_path, NULL));
    well(t->ctx, psdvec_counts_open(t->ctx, t->counts_path, &t->counts));
    well(t->ctx, psdvec_model_open(t->ctx, t->model_path, &t->model));
}

void untrain(trained *t)
{
    psdvec_model_close(t->model);
    psdvec_counts_close(t->counts);
    psdvec_context_free(t->ctx);
    scratch_free(t->folder);
    free(t->text);
    free(t->counts_path);
    free(t->model_path);
}

trained *trained_new(psdvec_preset preset, int threads)
{
    trained *t = malloc(sizeof *t);
    train(t, preset, threads);
    finish_training(t);
    return t;
}

void trained_free(trained *t)
{
    untrain(t);
    free(t);
}

static void hear_word(void *user, const psdvec_word_score *w)
{
    heard *h = user;
    heard_word *to = &h->words[h->count++];
    assert_true(h->count < 4000 && w->length < sizeof to->text);
    *to = (heard_word){.document = w->document,
                       .place = w->place,
                       .known = w->known,
                       .word = w->word,
                       .unigram = w->unigram,
                       .paper = w->paper,
                       .conditional = w->conditional,
                       .normaliser = w->normaliser,
                       .influences = w->influence_count};
    memcpy(to->text, w->text, w->length);
    for (size_t k = 0; k < w->influence_count; k++)
        to->added += w->influences[k].added;
}

static void hear_document(void *user, const psdvec_document_score *d)
{
    heard *h = user;
    assert_int_equal(d->number, h->document_count + 1);
    assert_true(h->document_count < 400 && d->fit_count <= 2);
    h->documents[h->document_count].words = d->words;
    h->documents[h->document_count].known = d->known;
    snprintf(h->documents[h->document_count].beginning, 100, "%s", d->beginning);
    for (size_t m = 0; m < d->fit_count; m++)
        h->documents[h->document_count].fits[m] = d->fits[m];
    h->models = d->fit_count;
    h->document_count++;
}

psdvec_scorer_options listening(heard *h)
{
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    memset(h, 0, sizeof *h);
    o.on_document = hear_document;
    o.on_word = hear_word;
    o.influences = true;
    o.user = h;
    return o;
}

psdvec_scorer *scorer_of(const trained *t, bool counts, const psdvec_scorer_options *o)
{
    psdvec_scorer *s;
    psdvec_scored_model m = {t->model, counts ? t->counts : NULL};
    well(t->ctx, psdvec_scorer_open(t->ctx, o, &m, 1, &s));
    return s;
}

char *documents_text(void)
{
    dice d = {11};
    char *text = calloc(1, 40000), *at = text;
    for (int line = 0; line < 120; line++) {
        size_t length = line == 60 ? 2500 : dice_below(&d, 12);
        for (size_t k = 0; k < length; k++)
            at += sprintf(at, "w%zu ", dice_below(&d, WORDS + 5));
        *at++ = '\n';
    }
    return text;
}
