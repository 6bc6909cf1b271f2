/* One run of psdvec table: several systems from the same text, and their scores.
 *
 *     OUT/NAME.safetensors          a system's model
 *     OUT/HOW.counts.safetensors    counts, HOW they were made; systems share them
 *     OUT/table.md, .json, .html    the result
 *     OUT/records/                  what is done, so that a killed run goes on
 *
 * What is made, counts or a model, is an item: it has a file, a record of the settings that it was
 * made with, and what it cost. An item whose record and file agree with what is asked for is kept,
 * whichever version made it. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "eval.h"
#include "phrase.h"

/* A sort of system, as --methods names it. */
struct table_kind {
    const char *name, *title, *paper;
    psdvec_method method;
    psdvec_preset preset; /* of PSD */
    /* In the table unless other methods are named: never, always, or if each counts as its own. */
    enum { ON_REQUEST, USUAL, USUAL_WITH_OWN } usual;
    bool no_prior;  /* PSD: mu is 0 */
    const char *of; /* the first words of this system; NULL: it is trained */
    uint32_t words; /* so many */
};

struct table_cost {
    double seconds, cpu;
    uint64_t memory; /* peak, of what the library held */
    int threads;
    bool more; /* an interrupted run before it took some time, too */
};

struct table_item {
    const char *name;
    const char *file;           /* with the folder */
    struct buffer settings;     /* all that it depends on, as JSON */
    uint64_t tokens, documents; /* of the text, if it was read for this item; else 0 */
    struct table_cost cost;
    bool done;    /* it was made with these settings, now or before */
    bool there;   /* and the file is there, whole; counts may be deleted when nobody needs them */
    bool kept;    /* it was made before */
    bool changed; /* what was made before has other settings */
    const char *made_by; /* it was made before by this version, which is not ours; else NULL */
    bool begun;   /* an earlier run with the same settings began it, and cost is what it took */
    double guess; /* seconds that it may take, from an earlier run; 0: not known */
    psdvec_status status; /* of what went wrong with it, and ... */
    const char *failure;  /* ... the sentence; NULL: nothing did */
};

struct table_counts {
    struct table_item item;
    psdvec_count_options options;
};

struct table_system {
    struct table_item item;
    const struct table_kind *kind;
    bool named;                   /* rather than there for the codes of its vectors */
    size_t source;                /* the system of whose vectors it is made; SIZE_MAX: none */
    size_t counts;                /* what it begins with; SIZE_MAX: with text, or with vectors */
    psdvec_count_options reading; /* of one that begins with text */
};

struct table {
    struct run *run;
    const char *folder;
    const char *records; /* OUT/records */
    int lock;
    psdvec_count_options count;   /* what the command line says; the rest is psd's */
    struct table_system *systems; /* in the order of the table */
    size_t system_count;
    struct table_counts *counts;
    size_t counts_count;
    uint64_t text; /* which files it is, as table_settings() saw them */
    double began;
    struct eval eval; /* models are those of systems that are done, in their order */
};

/* ---- Systems: what --methods says -------------------------------------------------------- */

/* All of them. EXIT_FINE, or another exit status after the error was told. */
int table_gather(struct table *table);
/* "PSD, default preset"; "sparse codes of glove". */
const char *table_title(const struct table *table, const struct table_system *system);
/* How counts are made, in words. */
const char *table_counts_words(const psdvec_count_options *options);
/* What a system begins with, in words. */
const char *table_begins_with(const struct table *table, const struct table_system *system);
/* Numbers of its models among those of table->eval; SIZE_MAX: it is not done. */
size_t table_model(const struct table *table, size_t system);

/* ---- Settings: all that an item of a table depends on --------------------------------------- */

enum { COUNTING_SAME, COUNTING_OWN };
extern const psdvec_choice counting_words[]; /* of --counting */

/* Fills in the settings of all items. An error if an input cannot be read twice. */
int table_settings(struct table *table);
/* When all is made: an error if the text is not what it was, since then systems have read different
 * ones. */
int table_text_same(struct table *table);

/* Settings as a record has them, perhaps by another version, against those that are asked for.
 * `differ` receives the names of those that are not the same, in whatever order they stand.
 * `version`, empty: that of the record, if it is not ours. */
void table_settings_compare(const char *recorded, const char *asked, struct buffer *differ,
                            struct buffer *version);

/* ---- The folder --------------------------------------------------------------------------- */

/* Makes or finds it, holds it against other processes, and looks for what is done in it. EXIT_FINE,
 * or another exit status after the error was told. */
int table_folder_open(struct table *table);
void table_folder_close(struct table *table);
/* Before the file is touched, and with `ended` when it is whole or the work was stopped. 0, or errno. */
int table_record(struct table *table, const struct table_item *item, bool ended);
/* A file of the result, replaced whole. Returns an exit status. */
int table_write(struct table *table, const char *name, const struct buffer *text);

/* ---- Work ---------------------------------------------------------------------------------- */

/* Makes all that is not there. EXIT_FINE also if some failed; what stops everything is another. */
int table_make(struct table *table);
/* After a request to stop: says what is kept. Returns the exit status. */
int table_stopped(struct table *table);

/* ---- Results -------------------------------------------------------------------------------- */

/* Writes the files of the result, and prints it. An exit status. */
int table_write_all(struct table *table);

#endif
