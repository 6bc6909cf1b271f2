/* One run of psdvec eval: its inputs and results. */
#ifndef CLI_EVAL_H
#define CLI_EVAL_H

#include "show.h"

/* Files of one kind. `names` are short and distinct. */
struct eval_files {
    const char **paths; /* NULL: built in */
    const char **names;
    size_t count;
};

/* A line of the report: one measure of a set, or of a section of it, for all models. */
struct eval_row {
    uint32_t set;
    const char *section; /* NULL: the complete set */
    bool part;           /* `section` is a group of sections: semantic or syntactic */
    psdvec_measure measure;
    const psdvec_score *scores; /* one per model */
};

struct eval {
    struct run *run;
    psdvec_eval_options options;
    double spelling; /* weight of spelling in the vectors; 1: as trained */
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
    const char *word;    /* in machine-readable formats */
    const char *name;    /* in output for people */
    const char *head;    /* short */
    const char *meaning; /* a phrase */
};
extern const struct eval_measure eval_measures[]; /* by psdvec_measure; ends with an empty one */

/* The mark of a model in a row. */
enum eval_mark { MARK_NONE, MARK_BEST, MARK_WORSE, MARK_ALIKE };
const char *eval_mark(enum eval_mark mark);

/* Whether a file looks like vectors. */
bool eval_file_is_model(const char *path);

/* Classifies the operands, opens all files and names them. Returns EXIT_FINE, or another exit
 * status after the error was reported; free everything with eval_close() in either case. */
int eval_open(struct eval *eval);
/* The steps of this: adding a file to one of the lists; opening all sets of files and folders, of
 * which the first `doubtful` may be something else, and the built-in ones if requested or if there
 * are no others; opening all models. */
void eval_add_file(struct eval_files *files, const char *path);
int eval_open_sets(struct eval *eval, const char *const *paths, size_t count, size_t doubtful,
                   bool builtin);
int eval_open_models(struct eval *eval);
void eval_close(struct eval *eval);

/* Makes the rows from the report. */
void eval_make_rows(struct eval *eval);
/* The model with the highest score of a row; SIZE_MAX if there is no single one. */
size_t eval_best(const struct eval *eval, const struct eval_row *row);
/* True if it was compared with the best one and is not significantly worse. */
bool eval_is_alike(const struct eval *eval, const struct eval_row *row, size_t best, size_t model);

/* Shows the complete report; or its machine-readable part, in another document. */
void eval_show(struct show *show, const struct eval *eval);
void eval_show_data(struct show *show, const struct eval *eval);
const char *eval_percent(const psdvec_score *score); /* 98%: share of known questions */

#endif
