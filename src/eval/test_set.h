/* A test set in memory, and the functions that build it.
 *
 *     bytes, offsets   every word of the set once, as written in the file
 *     questions        refer to words by their number
 *     lists            of words: the answers an analogy accepts, the choices of a choice
 *
 * Many questions share a list, for example in files of word pairs, where each pair is combined with
 * every other.
 */
#ifndef PV_EVAL_TEST_SET_H
#define PV_EVAL_TEST_SET_H

#include "base/memory.h"
#include "eval/test_table.h"

#define PV_NO_SECTION UINT32_MAX
#define PV_MOST_QUESTIONS 20000000u

typedef struct pv_question {
    uint32_t words[3];     /* similarity: 2. Analogy: a, b, c. Else: 1 */
    uint32_t list, listed; /* place in `lists` and length: accepted answers; the choices, of
                              which the first is right */
    uint32_t section;      /* or PV_NO_SECTION */
    uint32_t category;
    float value;   /* similarity: the human rating */
    uint64_t hash; /* of its words; determines its half */
} pv_question;

/* How many of `words` a question of this kind has. */
static inline uint32_t pv_question_words(psdvec_test_kind kind)
{
    return kind == PSDVEC_TEST_SIMILARITY ? 2 : kind == PSDVEC_TEST_ANALOGY ? 3 : 1;
}

/* Words in order of arrival, including duplicates, which are removed at the end. */
typedef struct pv_word_pool {
    pv_buffer bytes;
    pv_buffer offsets; /* uint64_t: where each begins */
    uint32_t count;
} pv_word_pool;

struct psdvec_test {
    pv_scope scope; /* of names */
    psdvec_test_info info;
    char *bytes;
    uint64_t *offsets; /* words + 1 */
    uint32_t words;
    pv_question *questions; /* info.questions */
    uint32_t *lists;
    char **sections; /* info.sections */
    uint32_t categories;
    /* Storage of the arrays above, which grow while the set is built. Until pv_test_finish, words
     * and categories are indices into the pools. */
    pv_word_pool word_pool, category_pool;
    pv_buffer question_bytes, list_bytes, section_bytes;
    const char *path; /* of what is being read, for messages */
};

/* An empty set; psdvec_test_close frees it. */
psdvec_status pv_test_new(psdvec_context *ctx, const char *path, psdvec_test **test);

psdvec_status pv_test_add_word(psdvec_test *t, pv_word_pool *pool, const char *word, size_t length,
                               uint32_t *number);
/* Appends to the last list; *place is the position in the lists. */
psdvec_status pv_test_add_listed(psdvec_test *t, uint32_t word, uint32_t *place);
psdvec_status pv_test_add_section(psdvec_test *t, const char *name, size_t length,
                                  uint32_t *number);
psdvec_status pv_test_add_question(psdvec_test *t, const pv_question *question);

/* Finishes the set. Sections without questions are removed. */
psdvec_status pv_test_finish(psdvec_test *t, psdvec_test_kind kind, const char *name, size_t length,
                             bool builtin);

/* The source of a set: one file, or files of word pairs, each of which becomes a section. */
typedef struct pv_test_source {
    const char *path; /* of the file or folder, for messages */
    const char *name;
    size_t name_length;
    pv_table *tables;
    pv_layout *layouts;
    size_t count;
    bool builtin;
} pv_test_source;

psdvec_status pv_test_make(psdvec_context *ctx, const pv_test_source *source, psdvec_test **test);

/* The last part of a path, and its length without an extension such as ".txt". */
const char *pv_test_name(const char *path, size_t *length);

#endif
