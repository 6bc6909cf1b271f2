/* One run of psdvec eval: what is compared, and what came out. */
#ifndef CLI_EVAL_H
#define CLI_EVAL_H

#include "show.h"

/* Files of one kind. `names` are short and differ. */
struct eval_files {
    const char **paths; /* NULL: built in */
    const char **names;
    size_t count;
};

/* A line of the report: one measure of a set, or of a part of it, for all models. */
struct eval_row {
    uint32_t set;
    const char *section; /* NULL: the whole set */
    bool part;           /* `section` is a group of sections: semantic or syntactic */
    psdvec_measure measure;
    const psdvec_score *scores; /* one a model */
};

struct eval {
    struct run *run;
    psdvec_eval_options options;
    double spelling; /* its weight in the vectors; 1: as trained */
    struct eval_files model_files, set_files;
    psdvec_model **models;    /* model_files.count */
    bool *apart;              /* model_files.count: not compared with the others; NULL: all are */
    const psdvec_test **sets; /* set_files.count */
    psdvec_report *report;
    struct eval_row *rows;
    size_t row_count;
};

extern const char *const kind_words[]; /* in the order of psdvec_test_kind */
struct eval_measure {
    const char *word;    /* for programs */
    const char *name;    /* for people */
    const char *head;    /* short */
    const char *meaning; /* a phrase */
};
extern const struct eval_measure eval_measures[]; /* by psdvec_measure; ends with an empty one */

/* How a model does in a row: the sign of it. */
enum eval_mark { MARK_NONE, MARK_BEST, MARK_WORSE, MARK_ALIKE };
const char *eval_mark(enum eval_mark mark);

/* Whether a file looks like vectors. */
bool eval_file_is_model(const char *path);

/* Tells the operands apart, opens everything and names it. EXIT_FINE, or another exit status
 * after the error was told; free the rest with eval_close() in either case. */
int eval_open(struct eval *eval);
/* Its parts: a file for one of the lists; all sets of files and folders, of which the first
 * `doubtful` may be something else, and the built-in ones if asked for or if there are no others;
 * all models. */
void eval_add_file(struct eval_files *files, const char *path);
int eval_open_sets(struct eval *eval, const char *const *paths, size_t count, size_t doubtful,
                   bool builtin);
int eval_open_models(struct eval *eval);
void eval_close(struct eval *eval);

/* Makes the rows from the report. */
void eval_make_rows(struct eval *eval);
/* The model with the highest score of a row; SIZE_MAX if none is higher than another. */
size_t eval_best(const struct eval *eval, const struct eval_row *row);
/* True if it was compared with the best one and is not worse by more than chance. */
bool eval_is_alike(const struct eval *eval, const struct eval_row *row, size_t best, size_t model);

/* Shows the whole report; or what programs get of it, in another document. */
void eval_show(struct show *show, const struct eval *eval);
void eval_show_data(struct show *show, const struct eval *eval);
const char *eval_percent(const psdvec_score *score); /* 98%: of known questions */

#endif
