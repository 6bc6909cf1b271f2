/* Part of psdvec.h: phrases, words that are counted as one: new_york.
 *
 * psdvec_phrases_find looks for words that occur next to each other more often than chance, and
 * writes a list of them, the text with them joined, or both:
 *
 *     const char *inputs[] = {"wiki.txt.zst"};
 *     psdvec_phrases_find(ctx, NULL, NULL, inputs, 1, "phrases.tsv", "joined.txt", NULL);
 *
 * A list has one phrase per line: its words, separated by blanks, and after tabs its count and its
 * score, which may be missing. Every call that reads text joins the phrases that the text option
 * `phrases` names: those of a list, or of a counts file or model that has phrases. For calls that
 * count (psdvec_count, psdvec_train_text, psdvec_baseline_text), the value "auto" first finds
 * phrases in the text itself, with the default options of psdvec_phrases_find.
 *
 * Counts files and models store their phrases, and psdvec_counts_info and psdvec_model_info have the
 * number. Calls that read text for a model that has phrases join these; a text option `phrases` that
 * names others is PSDVEC_ERR_MISMATCH. psdvec_model_tokenize shows the result.
 *
 * Phrases are joined from left to right, the longest one that matches first. They never cross the
 * end of a document or, with the text option `sentences`, of a sentence.
 */
#ifndef PSDVEC_PHRASES_H
#define PSDVEC_PHRASES_H

#include <psdvec/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The score of a pair of words. n(a b) is how often b follows a, n(a) how often a occurs, and N the
 * number of words in the text. */
typedef enum psdvec_phrase_score {
    PSDVEC_PHRASE_WORD2PHRASE = 0, /* (n(a b) - min_count) N / (n(a) n(b)) */
    PSDVEC_PHRASE_NPMI             /* ln(n(a b) N / (n(a) n(b))) / -ln(n(a b) / N), -1 to 1 */
} psdvec_phrase_score;

typedef struct psdvec_phrases_options {
    size_t size; /* set by psdvec_phrases_options_default */
#include <psdvec/options/phrases.def>
} psdvec_phrases_options;

/* Sets all members to their defaults. */
static inline void psdvec_phrases_options_default(psdvec_phrases_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_PHRASES, options, sizeof *options, 0, NULL);
}

typedef struct psdvec_phrases_report {
    uint64_t phrases;   /* in the list */
    uint64_t bytes;     /* of text, after decompression */
    uint64_t documents; /* that have words */
    uint64_t tokens;    /* words of the text, before phrases are joined */
    uint64_t joined;    /* phrases joined in the output; 0 without one */
    double seconds;
} psdvec_phrases_report;

/* Finds phrases. `list` receives the list, most frequent first, and `joined` the text with the
 * phrases joined: its words, separated by blanks, a document or sentence per line. Either may be
 * NULL. The text is read once per pass, and once more for `joined`, so an input may be "-" only for
 * a single pass. `options`, `text` and `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_phrases_find(psdvec_context *ctx,
                                             const psdvec_phrases_options *options,
                                             const psdvec_text_options *text,
                                             const char *const *inputs, size_t input_count,
                                             const char *list, const char *joined,
                                             psdvec_phrases_report *report);

/* Writes the text of the inputs with the phrases of a list joined; text->phrases names the list.
 * `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_phrases_join(psdvec_context *ctx, const psdvec_text_options *text,
                                             const char *const *inputs, size_t input_count,
                                             const char *output, psdvec_phrases_report *report);

#ifdef __cplusplus
}
#endif
#endif
