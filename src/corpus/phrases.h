/* A set of phrases, and joining them in a stream of tokens.
 *
 *     words     the distinct words of all phrases, with a hash index: word -> number
 *     trie      node 0 is the root; (node, word) -> node; a node at the end of a phrase names it
 *     list      the phrases as text, words separated by blanks, one per line, in byte order
 *     joined    the same bytes with _ for blanks: the tokens that phrases become
 *
 * At each word, the longest phrase that starts there is joined, and the search continues after it.
 * Phrases do not cross sentence or document ends. Cost: one or two lookups per word.
 */
#ifndef PV_CORPUS_PHRASES_H
#define PV_CORPUS_PHRASES_H

#include "base/word_index.h"
#include "corpus/tokenizer.h"

#include <psdvec/psdvec.h>

#include <string.h>

typedef struct pv_phrases {
    psdvec_context *ctx;
    pv_scope memory;
    uint32_t count; /* of phrases */
    pv_buffer list, joined;
    uint64_t *line; /* count + 1: where the line of each begins */

    char *bytes; /* of the words */
    uint64_t *offsets;
    pv_word_index words;
    uint32_t *first;     /* per word: the node of phrases that begin with it, or 0 */
    uint64_t *edge;      /* open addressing: node << 32 | word, or 0 */
    uint32_t *edge_node; /* where it leads */
    size_t edge_mask;
    uint32_t *phrase; /* per node: the phrase that ends there + 1, or 0 */
    bool *inner;      /* per node: it has children */
} pv_phrases;

/* Copies lines of words separated by single blanks; lines of one word and duplicates are left out.
 * `lines` may be empty. */
psdvec_status pv_phrases_make(pv_phrases *phrases, psdvec_context *ctx, const char *lines,
                              size_t length);
/* Reads phrases from a file: a list, of which the text before the first tab of each line is used,
 * or a counts file or model with phrases, which are used as they are. The words of a list are
 * normalised according to `options`; a line without blanks is split at underscores. */
psdvec_status pv_phrases_read(pv_phrases *phrases, psdvec_context *ctx,
                              const psdvec_text_options *options, const char *path);
void pv_phrases_free(pv_phrases *phrases);

/* True for the value `auto` of the option: phrases are detected in the text that is counted
 * (count/phrase_find.h). */
static inline bool pv_phrases_auto(const psdvec_text_options *options)
{
    return options->phrases && strcmp(options->phrases, "auto") == 0;
}

/* A list as counts files and models store it, like `list` of a set: lines of two or more words
 * separated by single blanks, in ascending order. Length 0: there are no phrases. */
typedef struct pv_phrase_list {
    const char *lines;
    size_t length;
} pv_phrase_list;

/* The name of its tensor, which is U8. */
#define PV_PHRASES_TENSOR "phrases"

static inline pv_phrase_list pv_phrases_list(const pv_phrases *phrases)
{
    return (pv_phrase_list){phrases->list.data, phrases->list.length};
}

/* Whether a list has that form. *count: of phrases. */
bool pv_phrase_list_check(pv_phrase_list list, uint64_t *count);

static inline bool pv_phrase_lists_same(pv_phrase_list a, pv_phrase_list b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.lines, b.lines, a.length) == 0);
}

/* The number of the phrase with these words, separated by blanks, or false. */
bool pv_phrases_find_words(const pv_phrases *phrases, const char *words, size_t length,
                           uint32_t *i);
/* The number of the phrase that is joined as `text`, or false; fails if a word contains underscores
 * itself. */
bool pv_phrases_find_joined(const pv_phrases *phrases, pv_buffer *scratch, const char *text,
                            size_t length, uint32_t *i);
/* The words of phrase i, separated by blanks. */
static inline const char *pv_phrases_words(const pv_phrases *p, uint32_t i, size_t *length)
{
    *length = (size_t)(p->line[i + 1] - p->line[i] - 1);
    return p->list.data + p->line[i];
}

/* The words, separated by blanks, of a phrase that pv_phrases_join joined; their length is that of
 * the token. NULL: not a phrase. */
static inline const char *pv_phrases_joined_words(const pv_phrases *p, const pv_token *token)
{
    const char *joined = p->joined.data;
    bool inside = joined && token->text >= joined && token->text < joined + p->joined.length;
    return inside ? p->list.data + (token->text - joined) : NULL;
}

/* Joins phrases in `count` tokens, and writes at most as many to `out`. The text of a RAW token is
 * an offset in `normal`. Returns the number of tokens written, for which *used tokens of `in` were
 * consumed. The others may be the start of a phrase and must be passed again, followed by new
 * tokens; with `last`, nothing follows. */
size_t pv_phrases_join(const pv_phrases *phrases, const pv_token *in, size_t count,
                       const char *normal, bool last, pv_token *out, size_t *used);

#endif
