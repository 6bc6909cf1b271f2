/* Shared by the commands that query a model: the model, the words of the query, and the printing of
 * answers.
 *
 * Queries use read-out vectors, not word numbers, so that a word that is not in the model can be
 * queried by its spelling if the model has spelling vectors. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "show.h"
#include "word_files.h"

/* --top and --forms; --spelling, which applies to all queries; and the query options that commands
 * have. */
extern const psdvec_option top_options[], spelling_options[];
#define QUERY_OPTIONS                                                                              \
    LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_QUERY, .only = " restrict min_score min_frequency ")

/* One of several words. */
struct part {
    const char *text; /* as the model spells it */
    bool known;       /* in the model; otherwise it has a vector from its spelling, or */
    bool missing;     /* it is left out */
    uint32_t word;    /* if known */
};

/* The subject of a query: a word, or several that are not one word of the model (New York), whose
 * vectors are combined. */
struct asked {
    const char *text;   /* as the model spells it; for several words, as the user does */
    bool known;         /* a word of the model */
    bool spelled;       /* vector from its spelling; otherwise it is combined from parts */
    uint32_t word;      /* if known */
    struct part *parts; /* if combined */
    size_t part_count;
    float *vector;       /* dim: its read-out */
    const char *similar; /* words with a similar spelling: "a, b", or NULL */
    const char *remark;  /* another remark, or NULL */
    bool unknown;        /* in a lenient query: there is no vector */
};

/* The words of the model in it, which are excluded from the answers; returns how many. `words` may
 * be NULL. */
size_t asked_words(const struct asked *asked, uint32_t *words);

struct question {
    struct run *run;
    psdvec_model *model;
    const psdvec_model_info *info;
    struct asked *words;
    size_t count;
    bool lenient;    /* unknown words are reported and marked, and the others are answered */
    uint32_t *known; /* those of the words that are in the model: excluded from the answers */
    size_t known_count;
};

/* Opens a model and finds the words, which last. Returns EXIT_FINE, or another exit status after
 * the error was reported. `lenient`: the status of the last unknown word, if there is one. */
int question_open(struct question *question, struct run *run, const char *path,
                  const char *const *texts, size_t count, bool lenient);

/* Opens the query given by the operands, and answers it. */
int question_run(struct run *run, int (*answer)(struct question *question));

/* --top, but at most the number of words. */
size_t question_top(const struct question *question);

/* The value of --restrict, and the words excluded from the answers. */
psdvec_query_options question_options(const struct question *question, const uint32_t *except,
                                      size_t except_count);

/* ---- Inflected forms of the query words -------------------------------------------------- */

/* Words that are excluded from the answers because they are forms of the query words
 * (psdvec_model_inflections). */
struct forms {
    uint32_t *words; /* ascending */
    size_t count, capacity;
    uint32_t *left_out; /* those that would be answers, best first: at most `count` */
    size_t left_out_count;
};

/* The forms of some words; signs: '-' where a word is subtracted, or NULL. There are none with
 * --forms, nor if an added word is spelled like a subtracted one: walked - walk + talk is a query
 * for a form. */
int question_forms(const struct question *question, const struct asked *words, const char *signs,
                   size_t count, struct forms *forms);
/* Removes them from `found` answers; returns how many are left, at most `top`. */
size_t question_leave_out(struct forms *forms, psdvec_neighbour *answers, size_t found, size_t top);

double question_cosine(const struct question *question, size_t i, size_t j);

/* ---- Showing ------------------------------------------------------------------------- */

/* Columns of answers: the query (TSV), the word, a bar and the score. */
#define QUESTION_COLUMNS(figure)                                                                   \
    COLUMN("question", NULL, .where = IN_TSV), COLUMN("word", "word", .gap = 2, .width = 26),      \
        BARS(.gap = 1, .width = 24), NUMBERS(figure, figure, 4, 6, .gap = 1, .width = 7)

/* In output for people: says that there is no answer, because of --restrict or for another
 * reason. */
void question_nothing(struct show *show, const struct question *question, const char *otherwise);

/* The frequency of the word, if the model has frequencies. */
struct cell answer_count(const struct question *question, uint32_t word);

/* Warns of the same on standard error, in formats that have only rows. */
void question_warn(const struct question *question, const struct asked *asked);

/* Shows which words are not in the model; and the same for JSON, as a member. */
void question_remark(struct show *show, const struct asked *words, size_t count);
void question_spelled(struct show *show, const struct asked *words, size_t count);

/* Shows which forms were left out. `model`: its name, if there are several; then only in output for
 * people. */
void question_left_out(struct show *show, const struct question *question,
                       const struct forms *forms, const char *model);

#endif
