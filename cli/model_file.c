/* Opening a model, and finding words in it. */
#include "model_file.h"

#include "exit_status.h"
#include "lasting.h"
#include "word_list.h"

#include <string.h>

static void close_model(void *model)
{
    psdvec_model_close(model);
}

int model_file_open(struct run *run, const char *path, psdvec_model **model)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_model_open(run->ctx, path, model);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*model, close_model);
    return EXIT_FINE;
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

struct cell model_word_cell(const psdvec_model *model, uint32_t word)
{
    size_t length;
    const char *text = psdvec_model_word(model, word, &length);
    return word_cell(text, length);
}

/* How the model's tokeniser writes a word, or the word as it is if that is no single word. */
static void add_normalized(struct run *run, const psdvec_model *model, const char *word,
                           struct buffer *token)
{
    char small[256], *text = small;
    size_t size = sizeof small, needed;
    psdvec_status status =
        psdvec_model_normalize(run->ctx, model, word, strlen(word), text, size, &needed);
    if (status == PSDVEC_OK && needed > size) {
        text = lasting_alloc(size = needed, 1);
        status = psdvec_model_normalize(run->ctx, model, word, strlen(word), text, size, &needed);
    }
    if (status == PSDVEC_OK && needed > 0)
        buffer_add(token, text, needed);
    else
        buffer_text(token, word);
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
    size_t length;
    buffer_clear(token);
    if (psdvec_model_find_normalized(run->ctx, model, word, strlen(word), index) == PSDVEC_OK &&
        *index != PSDVEC_UNKNOWN_WORD) {
        const char *found = psdvec_model_word(model, *index, &length);
        buffer_add(token, found, length);
        return true;
    }
    add_normalized(run, model, word, token);
    return false;
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
