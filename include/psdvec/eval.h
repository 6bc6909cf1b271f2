/* Part of psdvec.h: scores on test sets. */
#ifndef PSDVEC_EVAL_H
#define PSDVEC_EVAL_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluation ----------------------------------------------------------- */
typedef enum psdvec_test_kind {
    PSDVEC_TEST_SIMILARITY = 0, /* two words and how alike people find them */
    PSDVEC_TEST_ANALOGY,        /* a is to b as c is to what? */
    PSDVEC_TEST_CHOICE,         /* a word, and which of several others means the same */
    PSDVEC_TEST_CATEGORIES      /* words and the group each belongs to */
} psdvec_test_kind;

typedef struct psdvec_test psdvec_test; /* a test set in memory */

/* Reads a test set; its form is recognised (docs/evaluation.md). A folder is one set with
 * a section for each file in it. */
PSDVEC_API psdvec_status psdvec_test_open(psdvec_context *ctx, const char *path,
                                          psdvec_test **test);
/* The sets that come with the library, 0 <= i < psdvec_test_builtin_count(). */
PSDVEC_API size_t psdvec_test_builtin_count(void);
PSDVEC_API psdvec_status psdvec_test_builtin(psdvec_context *ctx, size_t i, psdvec_test **test);
PSDVEC_API void psdvec_test_close(psdvec_test *test);

typedef struct psdvec_test_info {
    const char *name; /* of the file, without folder and ending */
    psdvec_test_kind kind;
    uint32_t questions; /* pairs, analogies, choices, or words to be grouped */
    uint32_t sections;  /* 0: the set is not divided */
    bool builtin;
} psdvec_test_info;

PSDVEC_API const psdvec_test_info *psdvec_test_get_info(const psdvec_test *test);
/* Valid until the close; NULL if there is no section s. */
PSDVEC_API const char *psdvec_test_section(const psdvec_test *test, uint32_t s);

typedef enum psdvec_unknown {
    PSDVEC_UNKNOWN_DROP = 0, /* questions with an unknown word do not count */
    PSDVEC_UNKNOWN_ZERO,     /* similarity 0; an analogy or a choice is answered wrongly */
    PSDVEC_UNKNOWN_MEAN,     /* the mean of all vectors stands in for the word; it is never an
                                answer, and a choice about such a word is never right */
    PSDVEC_UNKNOWN_SPELLING  /* what psdvec_model_spell says; dropped where it is silent */
} psdvec_unknown;

typedef enum psdvec_half {
    PSDVEC_HALF_BOTH = 0,
    PSDVEC_HALF_FIRST, /* questions whose hash is even: choose settings on these ... */
    PSDVEC_HALF_SECOND /* ... and report these */
} psdvec_half;

typedef struct psdvec_eval_options {
    size_t size; /* filled in by psdvec_eval_options_default */
#include <psdvec/options/eval.def>
} psdvec_eval_options;

static inline void psdvec_eval_options_default(psdvec_eval_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_EVAL, options, sizeof *options, 0, NULL);
}

typedef enum psdvec_measure {
    PSDVEC_MEASURE_SPEARMAN = 0,
    PSDVEC_MEASURE_ADD,   /* 3CosAdd: share of analogies answered rightly */
    PSDVEC_MEASURE_MUL,   /* 3CosMul */
    PSDVEC_MEASURE_RIGHT, /* share of choices answered rightly */
    PSDVEC_MEASURE_PURITY /* of the clusters k-means finds */
} psdvec_measure;

/* What a score is of, if it is not of one section. The parts are those of Google's analogies:
 * sections whose names begin with "gram" are syntactic, the others semantic; a set has them if
 * it has sections of both sorts. */
enum { PSDVEC_SECTION_WHOLE = -1, PSDVEC_SECTION_SEMANTIC = -2, PSDVEC_SECTION_SYNTACTIC = -3 };

typedef struct psdvec_score {
    uint32_t test, model; /* numbers in the arrays that were given */
    int32_t section;      /* of the set, or one of the negative numbers above */
    psdvec_measure measure;
    double value;          /* NAN: too few known questions */
    double low, high;      /* the interval; NAN: not asked for */
    uint32_t known, total; /* questions; those known include what spelling makes known. The value
                              is over the known ones, by the rules zero and mean over all */
} psdvec_score;

/* Of two models on one whole set: is the difference more than chance? Over the questions
 * that both know. */
typedef struct psdvec_difference {
    uint32_t test, first, second; /* models first < second */
    psdvec_measure measure;
    double difference; /* value of the first less that of the second, on the common questions */
    double p;          /* paired bootstrap for correlations, McNemar's exact test for shares and
                          purity; NAN: cannot be told */
    bool significant;  /* p < 1 - confidence */
    uint32_t questions;
} psdvec_difference;

typedef struct psdvec_report psdvec_report;

/* Every model on every test. Deterministic: the bootstrap draws from the context's seed. */
PSDVEC_API psdvec_status psdvec_eval(psdvec_context *ctx, const psdvec_eval_options *options,
                                     const psdvec_model *const *models, size_t model_count,
                                     const psdvec_test *const *tests, size_t test_count,
                                     psdvec_report **report);
PSDVEC_API void psdvec_report_free(psdvec_report *report);
/* By test, then section (the whole set first, then its parts), then measure, then model. */
PSDVEC_API const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count);
PSDVEC_API const psdvec_difference *psdvec_report_differences(const psdvec_report *report,
                                                              size_t *count);

/* a is to b as c is to what: the `most` best answers by 3CosAdd (PSDVEC_MEASURE_ADD) or 3CosMul
 * (PSDVEC_MEASURE_MUL) with their scores in `cosine`. a, b and c are vectors of dim numbers as the
 * read-out has them. The options usually leave out the three words themselves; min_score is
 * compared with the score of the method. */
PSDVEC_API psdvec_status psdvec_model_analogy(psdvec_context *ctx, const psdvec_model *model,
                                              psdvec_measure method, const float *a, const float *b,
                                              const float *c, const psdvec_query_options *options,
                                              size_t most, psdvec_neighbour *answers,
                                              size_t *found);

#ifdef __cplusplus
}
#endif
#endif
