/* Opening a model, and finding words in it. */
#include "model_file.h"

#include "exit_status.h"
#include "json.h"
#include "near_words.h"
#include "text_options.h"

#include <stdlib.h>
#include <string.h>

const char *const vectors_formats[] = {[PSDVEC_VECTORS_MODEL] = "model",
                                       [PSDVEC_VECTORS_WORD2VEC] = "word2vec",
                                       [PSDVEC_VECTORS_WORD2VEC_BINARY] = "word2vec-binary",
                                       [PSDVEC_VECTORS_GLOVE] = "glove",
                                       [PSDVEC_VECTORS_NPY] = "npy",
                                       NULL};

int model_file_open(struct run *run, const char *path, psdvec_model **model)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_model_open(run->ctx, path, model);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
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

/* As the model's text was tokenised; by default as psdvec count would. */
static bool find_token(struct run *run, const psdvec_model *model, const char *word,
                       uint32_t *index)
{
    psdvec_text_options options;
    struct single single = {0};
    text_options_of_settings(psdvec_model_get_info(model)->counts_json, &options);
    bool found =
        psdvec_tokenize(run->ctx, &options, word, strlen(word), on_token, &single) == PSDVEC_OK &&
        single.count == 1 && psdvec_model_find(model, single.word.text, single.word.length, index);
    buffer_free(&single.word);
    return found;
}

int model_file_find(struct run *run, const psdvec_model *model, const char *word, uint32_t *index)
{
    if (psdvec_model_find(model, word, strlen(word), index) || find_token(run, model, word, index))
        return EXIT_FINE;
    struct buffer near = {0};
    near_words_ask(&near, word, psdvec_model_get_info(model)->words, get_word, model);
    int code =
        run_error(run, EXIT_USE, "the word '%s' is not in the model%s", word, buffer_get(&near));
    buffer_free(&near);
    return code;
}
