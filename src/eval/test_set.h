/* A test set in memory, and how one is put together.
 *
 *     bytes, offsets   every word of the set once, as it stands in the file
 *     questions        refer to words by their number
 *     lists            of words: the answers an analogy accepts, the choices of a choice
 *
 * Many questions share a list, as those of a file of word pairs do, of which each is
 * asked about with every other.
 */
#ifndef PV_EVAL_TEST_SET_H
#define PV_EVAL_TEST_SET_H

#include "base/memory.h"

#define PV_NO_SECTION UINT32_MAX
#define PV_MOST_QUESTIONS 20000000u

typedef struct pv_question {
    uint32_t words[3];     /* similarity: 2. Analogy: a, b, c. Else: 1 */
    uint32_t list, listed; /* place in `lists` and length: accepted answers; the choices, of
                              which the first is right */
    uint32_t section;      /* or PV_NO_SECTION */
    uint32_t category;
    float value;   /* similarity: what people said */
    uint64_t hash; /* of its words; says to which half it belongs */
} pv_question;

struct psdvec_test {
    psdvec_context *ctx;
    psdvec_test_info info;
    char *name;
    char *bytes;
    uint64_t *offsets; /* words + 1 */
    uint32_t words;
    pv_question *questions; /* info.questions */
    uint32_t *lists;
    size_t list_length;
    char **sections; /* info.sections */
    uint32_t categories;
};

/* Words as they come, equal ones too, until the end sorts them out. */
typedef struct pv_word_pool {
    pv_buffer bytes;
    pv_buffer offsets; /* uint64_t: where each begins */
    uint32_t count;
} pv_word_pool;

typedef struct pv_test_builder {
    psdvec_context *ctx;
    const char *path;
    psdvec_test *test;
    pv_word_pool words, categories;
    pv_buffer questions; /* pv_question; words are numbers in the pool */
    pv_buffer lists;     /* uint32_t */
    pv_buffer sections;  /* char * */
} pv_test_builder;

psdvec_status pv_builder_init(pv_test_builder *b, psdvec_context *ctx, const char *path);
/* What a failure left; harmless after pv_builder_finish. */
void pv_builder_free(pv_test_builder *b);

psdvec_status pv_builder_word(pv_test_builder *b, const char *word, size_t length,
                              uint32_t *number);
psdvec_status pv_builder_category(pv_test_builder *b, const char *word, size_t length,
                                  uint32_t *number);
/* Adds to the last list; *place is where in the lists. */
psdvec_status pv_builder_list(pv_test_builder *b, uint32_t word, uint32_t *place);
psdvec_status pv_builder_section(pv_test_builder *b, const char *name, size_t length,
                                 uint32_t *number);
psdvec_status pv_builder_question(pv_test_builder *b, const pv_question *question);

/* Sections without questions vanish. */
psdvec_status pv_builder_finish(pv_test_builder *b, psdvec_test_kind kind, const char *name,
                                size_t name_length, bool builtin, psdvec_test **test);

#endif
