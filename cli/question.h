/* What the commands that ask a model share: the model, the words of the question, and how
 * answers are printed.
 *
 * Questions are about read-out vectors, not about numbers of words, so that a word
 * that is not in the model can be asked about by its spelling where the model knows
 * how words are spelt. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "run.h"

enum form { FOR_PEOPLE, FOR_TABLES, FOR_PROGRAMS };

/* --top; and the options of queries that commands have. */
extern const psdvec_option top_options[];
#define QUERY_OPTIONS LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_QUERY, .only = " restrict min_score ")
/* --tsv and --json. */
extern const psdvec_option form_options[];

/* A word that is asked about. */
struct asked {
    char *text;    /* as the model writes it */
    bool known;    /* in the model; otherwise it is spelt */
    uint32_t word; /* if known */
    float *vector; /* dim: its read-out */
};

struct question {
    struct run *run;
    psdvec_model *model;
    const psdvec_model_info *info;
    enum form form;
    struct asked *words;
    size_t count;
    uint32_t *known; /* of the words those in the model: no answers to the question */
    size_t known_count;
};

/* Opens the model of the first operand and finds the words. EXIT_FINE, or another exit
 * status after the error was told. Close it in any case. */
int question_open(struct question *question, struct run *run, const char *const *texts,
                  size_t count);
void question_close(struct question *question);

/* Opens the question that the operands are, has it answered, and closes it. */
int question_ask(struct run *run, int (*answer)(struct question *question));

/* --top, but not more than there are words. */
size_t question_top(const struct question *question);

/* What --restrict says, and words that are no answers. */
psdvec_query_options question_options(const struct question *question, const uint32_t *except,
                                      size_t except_count);

/* For people: there is no answer, because of --restrict or for another reason. */
void question_nothing(struct buffer *to, const struct question *question, const char *otherwise);

double question_cosine(const struct question *question, size_t i, size_t j);

/* ---- Printing ------------------------------------------------------------------------ */

/* A word in `word_columns` columns, a bar filled to `share`, and the figure. */
void add_figure(struct buffer *to, const struct question *question, const char *word, size_t length,
                double figure, double share, size_t word_columns, size_t bar_columns);

/* The same of an answer. */
void add_answer(struct buffer *to, const struct question *question, const psdvec_neighbour *answer,
                double share, size_t word_columns, size_t bar_columns);

/* Word, figure and, if known, count with tabs between them, and the end of the line. */
void add_answer_tsv(struct buffer *to, const struct question *question,
                    const psdvec_neighbour *answer);

/* An array of objects, the figure being a member `name`. */
void add_answers_json(struct buffer *to, const struct question *question,
                      const psdvec_neighbour *answers, size_t count, const char *name);

/* For people: a line about each word that is not in the model. */
void add_spelled(struct buffer *to, const struct asked *words, size_t count);
/* For programs: such words as a member "spelled". */
void add_spelled_json(struct buffer *to, const struct asked *words, size_t count);

/* On stderr, where lines of the output have no room for it. */
void question_warn_spelled(struct question *question, const struct asked *asked);

/* Prints and empties the text. */
void question_print(struct question *question, struct buffer *text);

#endif
