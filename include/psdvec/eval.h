/* Part of psdvec.h: scoring models on test sets, and analogies.
 *
 * psdvec_eval scores models on test sets of word similarity, analogies, synonyms and categories,
 * with confidence intervals, coverage and the significance of differences between models.
 *
 *     psdvec_test *test;
 *     psdvec_report *report;
 *     size_t count;
 *     if (psdvec_test_open(ctx, "wordsim353.tsv", &test) == PSDVEC_OK) {
 *         const psdvec_test *tests[] = {test};
 *         const psdvec_model *models[] = {model};
 *         if (psdvec_eval(ctx, NULL, models, 1, tests, 1, &report) == PSDVEC_OK) {
 *             const psdvec_score *scores = psdvec_report_scores(report, &count);
 *             for (size_t k = 0; k < count; k++)
 *                 printf("%.3f (%u of %u)\n", scores[k].value, scores[k].known, scores[k].total);
 *             psdvec_report_free(report);
 *         }
 *         psdvec_test_close(test);
 *     }
 */
#ifndef PSDVEC_EVAL_H
#define PSDVEC_EVAL_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Test sets ------------------------------------------------------------ */
typedef enum psdvec_test_kind {
    PSDVEC_TEST_SIMILARITY = 0, /* pairs of words with human similarity ratings */
    PSDVEC_TEST_ANALOGY,        /* a is to b as c is to what? */
    PSDVEC_TEST_CHOICE,         /* multiple choice: which of several words is a synonym? */
    PSDVEC_TEST_CATEGORIES      /* words and the category of each */
} psdvec_test_kind;

typedef struct psdvec_test psdvec_test; /* a test set in memory */

/* Reads a test set; close it with psdvec_test_close. The format is detected (docs/how-to/evaluate.md). A
 * folder must contain exactly one test set; psdvec_test_list_open reads folders of several. */
PSDVEC_API psdvec_status psdvec_test_open(psdvec_context *ctx, const char *path,
                                          psdvec_test **test);

/* Returns the number of test sets built into the library. */
PSDVEC_API size_t psdvec_test_builtin_count(void);

/* Opens built-in test set i, i < psdvec_test_builtin_count(); close it with psdvec_test_close. */
PSDVEC_API psdvec_status psdvec_test_builtin(psdvec_context *ctx, size_t i, psdvec_test **test);

/* Closes a test set. `test` may be NULL. */
PSDVEC_API void psdvec_test_close(psdvec_test *test);

typedef struct psdvec_test_info {
    const char *name; /* of the file, without folder and suffix */
    psdvec_test_kind kind;
    uint32_t questions; /* word pairs, analogies, choices, or words to be clustered */
    uint32_t sections;  /* 0 if the set has no sections */
    bool builtin;
} psdvec_test_info;

/* Returns the metadata of a test set, valid until it is closed. */
PSDVEC_API const psdvec_test_info *psdvec_test_get_info(const psdvec_test *test);

/* Returns the name of section s, valid until the test set is closed; NULL if s is out of range. */
PSDVEC_API const char *psdvec_test_section(const psdvec_test *test, uint32_t s);

/* All test sets of a file or folder, in the order of their paths. */
typedef struct psdvec_test_list psdvec_test_list;

/* Reads a file, which is one test set, or all files in a folder and its subfolders, each of which is
 * a test set; close the list with psdvec_test_list_close. A folder of nothing but word pairs is one
 * test set with one section per file, as BATS has it. Hidden files, READMEs and licenses are
 * ignored; other files that are not test sets are ignored with a warning. */
PSDVEC_API psdvec_status psdvec_test_list_open(psdvec_context *ctx, const char *path,
                                               psdvec_test_list **list);

/* Closes the list and its test sets. `list` may be NULL. */
PSDVEC_API void psdvec_test_list_close(psdvec_test_list *list);

/* Returns the *count test sets, as psdvec_eval takes them; valid until the list is closed. `count`
 * may be NULL. */
PSDVEC_API const psdvec_test *const *psdvec_test_list_get(const psdvec_test_list *list,
                                                          size_t *count);

/* Returns the path of test set i, a file or a folder, valid until the list is closed; NULL if i is
 * out of range. */
PSDVEC_API const char *psdvec_test_list_path(const psdvec_test_list *list, size_t i);

/* Sets *found if a file looks like a test set and not like running text, and then its *kind: for
 * instance to keep test sets out of training text. Looks at the first 64 KiB of a regular file;
 * anything else is not found. Word pairs and categories are found only with sections (": name"),
 * because text can have lines of two words. */
PSDVEC_API psdvec_status psdvec_test_detect(psdvec_context *ctx, const char *path, bool *found,
                                            psdvec_test_kind *kind);

/* ---- Evaluation ----------------------------------------------------------- */
/* How questions with words that are not in the model are scored. */
typedef enum psdvec_unknown {
    PSDVEC_UNKNOWN_DROP = 0, /* the question is left out */
    PSDVEC_UNKNOWN_ZERO,     /* similarity 0; analogies and choices count as wrong */
    PSDVEC_UNKNOWN_MEAN,     /* the word gets the mean of all vectors; it is never an answer to an
                                analogy, and a choice about it always counts as wrong */
    PSDVEC_UNKNOWN_SPELLING  /* the word gets the vector of psdvec_model_spell; the question is left
                                out if there is none */
} psdvec_unknown;

/* Test sets can be split by a hash of the question, to choose settings on one half and report the
 * scores of the other. */
typedef enum psdvec_half {
    PSDVEC_HALF_BOTH = 0,
    PSDVEC_HALF_FIRST, /* questions with an even hash, to choose settings on */
    PSDVEC_HALF_SECOND /* the others, to report */
} psdvec_half;

typedef struct psdvec_eval_options {
    size_t size; /* set by psdvec_eval_options_default */
#include <psdvec/options/eval.def>
} psdvec_eval_options;

/* Sets all members to their defaults. */
static inline void psdvec_eval_options_default(psdvec_eval_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_EVAL, options, sizeof *options, 0, NULL);
}

typedef enum psdvec_measure {
    PSDVEC_MEASURE_SPEARMAN = 0, /* Spearman correlation with human ratings */
    PSDVEC_MEASURE_ADD,          /* 3CosAdd: share of analogies answered correctly */
    PSDVEC_MEASURE_MUL,          /* 3CosMul: the same */
    PSDVEC_MEASURE_RIGHT,        /* share of choices answered correctly */
    PSDVEC_MEASURE_PURITY        /* purity of k-means clusters */
} psdvec_measure;

/* Values of psdvec_score.section that are not a single section. SEMANTIC and SYNTACTIC are those of
 * Google's analogies: sections whose names begin with "gram" are syntactic, the others semantic.
 * Only sets that have sections of both kinds have these scores. */
enum { PSDVEC_SECTION_WHOLE = -1, PSDVEC_SECTION_SEMANTIC = -2, PSDVEC_SECTION_SYNTACTIC = -3 };

/* The score of one model on a test set or a part of it. */
typedef struct psdvec_score {
    uint32_t test, model; /* indices in the arrays given to psdvec_eval */
    int32_t section;      /* index of the section, or one of the negative values above */
    psdvec_measure measure;
    double value;          /* NAN if too few questions are known */
    double low, high;      /* confidence interval; NAN without resampling */
    uint32_t known, total; /* coverage: questions whose words the model has, or can spell with
                              UNKNOWN_SPELLING, and all questions. `value` is over the known ones;
                              with UNKNOWN_ZERO and UNKNOWN_MEAN over all */
} psdvec_score;

/* The difference of two models on a whole test set, over the questions that both cover. */
typedef struct psdvec_difference {
    uint32_t test, first, second; /* indices of the test set and the models, first < second */
    psdvec_measure measure;
    double difference; /* score of the first model minus that of the second */
    double p;          /* p-value by paired bootstrap for correlations, by McNemar's exact test for
                          shares and purity; NAN if it cannot be computed */
    bool significant;  /* p < 1 - confidence */
    uint32_t questions;
} psdvec_difference;

/* A question that a model fails. */
typedef struct psdvec_mistake {
    uint32_t test, model; /* indices in the arrays given to psdvec_eval */
    int32_t section;      /* index of its section, or PSDVEC_SECTION_WHOLE */
    const char *question; /* its words, with a space between them; null-terminated, as the others */
    /* The right answer: the accepted words of an analogy, the right choice, the category; NULL for
     * similarities. */
    const char *expected;
    /* The answer of the model: by 3CosAdd for analogies; for categories the most frequent one of the
     * cluster. NULL for similarities, or if there is none. */
    const char *answer;
    /* Similarities only, otherwise NAN: the rank of the human rating among the known questions, from
     * 1, the most similar first; and the rank of the cosine. */
    double expected_rank;
    double answer_rank;
    /* How wrong it is: the difference of the ranks, as a share of all ranks; by how much the answer
     * scores higher than the right one; or the share of other categories in the cluster. */
    double loss;
} psdvec_mistake;

typedef struct psdvec_report psdvec_report;

/* Scores every model on every test set. Free the report with psdvec_report_free. The result is
 * deterministic: the bootstrap uses the seed of the context. `options` may be NULL. */
PSDVEC_API psdvec_status psdvec_eval(psdvec_context *ctx, const psdvec_eval_options *options,
                                     const psdvec_model *const *models, size_t model_count,
                                     const psdvec_test *const *tests, size_t test_count,
                                     psdvec_report **report);

/* Frees a report. `report` may be NULL. */
PSDVEC_API void psdvec_report_free(psdvec_report *report);

/* Returns the *count scores of a report, sorted by test set, section (the whole set first, then its
 * parts), measure and model. Valid until the report is freed. `count` may be NULL. */
PSDVEC_API const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count);

/* Returns the *count differences between models. Valid until the report is freed. `count` may be
 * NULL. */
PSDVEC_API const psdvec_difference *psdvec_report_differences(const psdvec_report *report,
                                                              size_t *count);

/* Returns the *count questions that the models fail, if the option `mistakes` is set: sorted by test
 * set, model and loss, the largest first, at most `mistakes` per model and set. Only questions whose
 * words the model has are considered. Valid until the report is freed. `count` may be NULL. */
PSDVEC_API const psdvec_mistake *psdvec_report_mistakes(const psdvec_report *report, size_t *count);

/* ---- Analogies ------------------------------------------------------------ */
/* Answers "a is to b as c is to what?" by 3CosAdd (PSDVEC_MEASURE_ADD) or 3CosMul
 * (PSDVEC_MEASURE_MUL). a, b and c are read-out vectors of dim components. `answers` receives the
 * *found best words, at most `most`, with their scores in `cosine`. The three words themselves are
 * usually excluded with `except`; `min_score` applies to the score of the method. `options` may be
 * NULL. */
PSDVEC_API psdvec_status psdvec_model_analogy(psdvec_context *ctx, const psdvec_model *model,
                                              psdvec_measure method, const float *a, const float *b,
                                              const float *c, const psdvec_query_options *options,
                                              size_t most, psdvec_neighbour *answers,
                                              size_t *found);

#ifdef __cplusplus
}
#endif
#endif
