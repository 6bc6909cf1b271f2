/* Suggestions after a training: three commands with words of its text.
 *
 * The words are frequent and have content. The most frequent words, which make up half of the text,
 * are mostly grammar; of the others, those with the largest f (v . v)^2 are taken, where f is the
 * frequency and v . v, the product of a word's vector with itself, is how strongly the word
 * attracts certain contexts. Short words are skipped. The choice depends only on the model. */
#include "summary.h"

#include "phrase.h"

#include <string.h>

enum { WORDS = 3, LEAST_BYTES = 4, LOOKED_AT = 5000 };

static uint32_t grammar(const psdvec_model *model, uint32_t words)
{
    uint64_t all = 0, sum = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < words; i++)
        all += psdvec_model_frequency(model, i);
    while (first < words && 2 * sum < all)
        sum += psdvec_model_frequency(model, first++);
    return words - first >= WORDS ? first : 0; /* of a tiny text, all words are candidates */
}

/* Letters only, so that neither numbers nor characters with a meaning in a shell are chosen. */
static bool is_plain(const char *word, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if ((word[k] < 'a' || word[k] > 'z') && (word[k] < 'A' || word[k] > 'Z') &&
            !((unsigned char)word[k] & 0x80))
            return false;
    return length >= LEAST_BYTES;
}

/* The best words, at most WORDS; returns how many there are. */
static size_t choose(const psdvec_model *model, const char **chosen)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    float *vector = lasting_alloc(info->dim, sizeof *vector);
    double best[WORDS] = {0};
    size_t found = 0, length;
    uint32_t first = grammar(model, info->words);
    for (uint32_t i = first; i < info->words && i - first < LOOKED_AT; i++) {
        const char *word = psdvec_model_word(model, i, &length);
        double square = 0;
        if (!is_plain(word, length))
            continue;
        psdvec_model_vector_copy(model, i, vector);
        for (uint32_t k = 0; k < info->dim; k++)
            square += (double)vector[k] * (double)vector[k];
        double score = (double)psdvec_model_frequency(model, i) * square * square;
        size_t at = found;
        while (at > 0 && best[at - 1] < score)
            at--;
        if (at == WORDS)
            continue;
        found += found < WORDS;
        for (size_t k = found - 1; k > at; k--) {
            best[k] = best[k - 1];
            chosen[k] = chosen[k - 1];
        }
        best[at] = score;
        chosen[at] = phrase("%.*s", (int)length, word);
    }
    return found;
}

void next_steps(struct run *run, const char *path)
{
    psdvec_model *model;
    const char *words[WORDS] = {0}, *file = phrase_quoted(path_operand(path));
    if (run->talk.quiet || psdvec_model_open(run->ctx, path, &model) != PSDVEC_OK)
        return;
    size_t found = choose(model, words);
    psdvec_model_close(model);
    struct buffer text = {0};
    buffer_text(&text, "Try next:\n");
    if (found > 0)
        buffer_format(&text, "  psdvec similar %s %s\n", file, words[0]);
    if (found > 2)
        buffer_format(&text, "  psdvec compare %s %s %s\n", file, words[1], words[2]);
    buffer_format(&text, "  psdvec eval %s\n", file);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
}
