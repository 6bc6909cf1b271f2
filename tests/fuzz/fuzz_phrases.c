/* Fuzzes the reader of phrases: a list, or the tensor of a counts file or model.
 *
 * The input is the complete file; its length selects the options of the text. The list that results
 * must have the form that files store, every phrase must be found again, and in a text the phrases
 * are joined without losing or reordering a byte. */
#include "corpus/phrases.h"
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

TENSOR_MUTATOR

static void check(psdvec_context *ctx, const pv_phrases *phrases)
{
    pv_phrase_list list = pv_phrases_list(phrases);
    pv_buffer scratch = {.ctx = ctx};
    uint64_t count;
    uint32_t found;
    size_t length;
    require(pv_phrase_list_check(list, &count) && count == phrases->count);
    for (uint32_t i = 0; i < phrases->count; i++) {
        const char *words = pv_phrases_words(phrases, i, &length);
        require(memchr(words, ' ', length) != NULL);
        require(pv_phrases_find_words(phrases, words, length, &found) && found == i);
        (void)pv_phrases_find_joined(phrases, &scratch, words, length, &found);
    }
    pv_buffer_free(&scratch);
}

typedef struct sink {
    pv_buffer text; /* all words, with blanks between them and between those of phrases */
    bool joined;
} sink;

static void take(void *user, const char *word, size_t length)
{
    sink *s = user;
    if (!word)
        return;
    require(length > 0);
    for (size_t k = 0; k < length; k++)
        require(pv_buffer_byte(&s->text, (char)(word[k] == '_' ? ' ' : word[k])) == PSDVEC_OK);
    require(pv_buffer_byte(&s->text, ' ') == PSDVEC_OK);
}

/* The list as a text: the same words with and without phrases. */
static void join(psdvec_context *ctx, const psdvec_text_options *options, const char *path,
                 const char *text, size_t length)
{
    psdvec_text_options with = *options;
    sink plain = {.text = {.ctx = ctx}}, joined = {.text = {.ctx = ctx}};
    with.phrases = path;
    require(psdvec_tokenize(ctx, options, text, length, take, &plain) == PSDVEC_OK);
    require(psdvec_tokenize(ctx, &with, text, length, take, &joined) == PSDVEC_OK);
    require(plain.text.length == joined.text.length &&
            (plain.text.length == 0 ||
             memcmp(plain.text.data, joined.text.data, plain.text.length) == 0));
    pv_buffer_free(&plain.text);
    pv_buffer_free(&joined.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    static fuzz_file file;
    psdvec_text_options options;
    pv_phrases phrases;
    if (!ctx)
        ctx = fuzz_context(64);
    fuzz_file_set(&file, data, size);
    psdvec_text_options_default(&options);
    options.tokenizer = size % 2 ? PSDVEC_TOKENIZER_WHITESPACE : PSDVEC_TOKENIZER_WORDS;
    if (size / 2 % 2)
        options.letter_case = PSDVEC_CASE_KEEP;
    pv_begin(ctx);
    psdvec_status status = pv_phrases_read(&phrases, ctx, &options, file.path);
    if (status == PSDVEC_OK) {
        check(ctx, &phrases);
        join(ctx, &options, file.path, phrases.list.data ? phrases.list.data : "",
             phrases.list.length);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    }
    pv_phrases_free(&phrases);
    require(atomic_load(&ctx->memory_used) == 0);
    return 0;
}
