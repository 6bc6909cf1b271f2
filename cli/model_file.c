/* Opening a model, and finding words in it. */
#include "model_file.h"

#include "exit_status.h"
#include "json.h"
#include "near_words.h"

#include <stdlib.h>
#include <string.h>

int model_file_open(struct run *run, const char *path, psdvec_model **model)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_model_open(run->ctx, path, model);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

int model_file_fits(struct run *run, const psdvec_model *model, size_t vectors)
{
    uint32_t dim = psdvec_model_get_info(model)->dim;
    double bytes = (double)vectors * dim * sizeof(float);
    if (bytes <= (double)psdvec_memory_budget(run->ctx))
        return EXIT_FINE;
    return run_error(run, EXIT_RESOURCE,
                     "%zu vectors of %u numbers need %.0f MiB of memory, more than the budget has; "
                     "allow more (--memory), or ask for fewer words",
                     vectors, (unsigned)dim, bytes / 1048576);
}

static const char *get_word(const void *model, uint32_t i, size_t *length)
{
    return psdvec_model_word(model, i, length);
}

/* The only token of a text. */
struct single {
    struct buffer word;
    size_t count;
};

static void on_token(void *user, const char *word, size_t length)
{
    struct single *single = user;
    if (!word)
        return;
    single->count++;
    buffer_clear(&single->word);
    buffer_add(&single->word, word, length);
}

void model_file_text(struct run *run, const psdvec_model *model, psdvec_text_options *text)
{
    psdvec_settings *settings;
    psdvec_text_options_default(text);
    if (psdvec_model_settings(run->ctx, model, PSDVEC_OPTIONS_COUNT, &settings) != PSDVEC_OK)
        return;
    *text = ((const psdvec_count_options *)psdvec_settings_struct(settings))->text;
    text->json_field = NULL; /* lives in the settings, and is about files */
    psdvec_settings_free(settings);
}

bool model_file_look(struct run *run, const psdvec_model *model, const char *word, uint32_t *index,
                     struct buffer *token)
{
    psdvec_text_options options;
    struct single single = {0};
    buffer_clear(token);
    if (psdvec_model_find(model, word, strlen(word), index)) {
        buffer_text(token, word);
        return true;
    }
    /* As the model's text was tokenised; by default as psdvec count would. */
    model_file_text(run, model, &options);
    bool one = psdvec_tokenize(run->ctx, &options, word, strlen(word), on_token, &single) ==
                   PSDVEC_OK &&
               single.count == 1;
    buffer_text(token, one ? buffer_get(&single.word) : word);
    buffer_free(&single.word);
    return one && psdvec_model_find(model, token->text, token->length, index);
}

int model_file_unknown(struct run *run, const psdvec_model *model, const char *word)
{
    struct buffer near = {0};
    near_words_ask(&near, word, psdvec_model_get_info(model)->words, get_word, model);
    int code =
        run_error(run, EXIT_USE, "the word '%s' is not in the model%s", word, buffer_get(&near));
    buffer_free(&near);
    return code;
}

int model_file_find(struct run *run, const psdvec_model *model, const char *word, uint32_t *index)
{
    struct buffer token = {0};
    bool found = model_file_look(run, model, word, index, &token);
    buffer_free(&token);
    return found ? EXIT_FINE : model_file_unknown(run, model, word);
}
