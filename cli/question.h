/* What the commands that ask a model share: the model, the words of the question, and how
 * answers are printed.
 *
 * Questions are about read-out vectors, not about numbers of words, so that a word
 * that is not in the model can be asked about by its spelling where the model knows
 * how words are spelt. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "show.h"
#include "word_files.h"

/* --top and --forms; --spelling, which is that of every question to a model; and the options of
 * queries that commands have. */
extern const psdvec_option top_options[], spelling_options[];
#define QUERY_OPTIONS                                                                              \
    LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_QUERY, .only = " restrict min_score min_frequency ")

/* One of several words. */
struct part {
    const char *text; /* as the model writes it */
    bool known;       /* in the model; otherwise it is spelt, or */
    bool missing;     /* it is left out */
    uint32_t word;    /* if known */
};

/* What is asked about: a word, or several that the model has no single word for (New York), whose
 * vectors are combined. */
struct asked {
    const char *text;   /* as the model writes it; of several words, as the user does */
    bool known;         /* a word of the model */
    bool spelled;       /* from its spelling; otherwise it is combined from parts */
    uint32_t word;      /* if known */
    struct part *parts; /* if combined */
    size_t part_count;
    float *vector;       /* dim: its read-out */
    const char *similar; /* words that are spelled almost like it: "a, b", or NULL */
    const char *remark;  /* another thing to say, or NULL */
    bool unknown;        /* of a lenient question: there is no vector */
};

/* The words of the model in it, which are no answers; returns how many. `words` may be NULL. */
size_t asked_words(const struct asked *asked, uint32_t *words);

struct question {
    struct run *run;
    psdvec_model *model;
    const psdvec_model_info *info;
    struct asked *words;
    size_t count;
    bool lenient;    /* what is unknown is told and marked, and the rest goes on */
    uint32_t *known; /* of the words those in the model: no answers to the question */
    size_t known_count;
};

/* Opens a model and finds the words, which last. EXIT_FINE, or another exit status after the error
 * was told. `lenient`: the status of the last unknown word, if there is one. */
int question_open(struct question *question, struct run *run, const char *path,
                  const char *const *texts, size_t count, bool lenient);

/* Opens the question that the operands are, and has it answered. */
int question_ask(struct run *run, int (*answer)(struct question *question));

/* --top, but not more than there are words. */
size_t question_top(const struct question *question);

/* What --restrict says, and words that are no answers. */
psdvec_query_options question_options(const struct question *question, const uint32_t *except,
                                      size_t except_count);

/* ---- Forms of the words asked about ---------------------------------------------------- */

/* Words that are no answers, because they are forms of those asked about (psdvec_model_inflections). */
struct forms {
    uint32_t *words; /* ascending */
    size_t count;
    uint32_t *left_out; /* those that would be answers, best first: `count` at most */
    size_t left_out_count;
};

/* Those of some words; signs: '-' where a word is subtracted, or NULL. None with --forms, nor if a
 * word that is added is spelt like one that is subtracted: walked - walk + talk asks for a form. */
int question_forms(const struct question *question, const struct asked *words, const char *signs,
                   size_t count, struct forms *forms);
/* Takes them out of `found` answers; returns how many are left, `top` at most. */
size_t question_leave_out(struct forms *forms, psdvec_neighbour *answers, size_t found, size_t top);

double question_cosine(const struct question *question, size_t i, size_t j);

/* ---- Showing ------------------------------------------------------------------------- */

/* Columns of answers: what was asked (TSV), the word, a bar and the figure. */
#define QUESTION_COLUMNS(figure)                                                                   \
    COLUMN("question", NULL, .where = IN_TSV), COLUMN("word", "word", .gap = 2, .width = 26),      \
        BARS(.gap = 1, .width = 24), NUMBERS(figure, figure, 4, 6, .gap = 1, .width = 7)

/* For people: there is no answer, because of --restrict or for another reason. */
void question_nothing(struct show *show, const struct question *question, const char *otherwise);

/* The frequency of the word, if the model knows it. */
struct cell answer_count(const struct question *question, uint32_t word);

/* Warns of the same on standard error, where rows are all that is shown. */
void question_warn(const struct question *question, const struct asked *asked);

/* Says which words are not in the model; and the same for JSON, as a member. */
void question_remark(struct show *show, const struct asked *words, size_t count);
void question_spelled(struct show *show, const struct asked *words, size_t count);

/* Says which forms were left out. `model`: its name, if there are several; then only people are
 * told. */
void question_left_out(struct show *show, const struct question *question,
                       const struct forms *forms, const char *model);

#endif
