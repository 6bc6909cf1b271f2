/* One run of psdvec table: several systems from the same text, and their scores.
 *
 *     OUT/NAME.safetensors          a system's model
 *     OUT/HOW.counts.safetensors    counts, with HOW they were made; systems share them
 *     OUT/table.md, .json, .html    the result
 *     OUT/records/                  what is done, so that a killed run can be resumed
 *
 * Counts and models are items: each has a file, a record of the settings that it was made with, and
 * its cost. An item whose record and file agree with the requested settings is kept, regardless of
 * the version that made it. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "eval.h"
#include "phrase.h"

struct table_cost {
    double seconds, cpu;
    uint64_t memory; /* peak of the memory that the library allocated */
    int threads;
    bool more; /* excludes some time of a previous interrupted run */
};

struct table_item {
    const char *name;
    const char *file;           /* including the folder */
    struct buffer settings;     /* everything that it depends on, as JSON */
    uint64_t tokens, documents; /* of the text, if it was read for this item; otherwise 0 */
    struct table_cost cost;
    bool done; /* it was made with these settings, now or earlier */
    /* And the file exists and is complete; counts may be deleted when they are no longer needed. */
    bool there;
    bool kept;           /* it was made earlier */
    bool changed;        /* what was made earlier has other settings */
    const char *made_by; /* the other version that made it earlier; otherwise NULL */
    bool begun;   /* an earlier run with the same settings started it; `cost` is what it took */
    double guess; /* estimated seconds, from an earlier run; 0: not known */
    psdvec_status status; /* of an error, and ... */
    const char *failure;  /* ... its message; NULL: none */
};

struct table_counts {
    struct table_item item;
    psdvec_count_options options;
};

struct table_system {
    struct table_item item;
    const psdvec_system *kind; /* as named by --methods */
    bool named;                /* named by the user, not only needed as the source of codes */
    size_t source;             /* the system whose vectors it is made from; SIZE_MAX: none */
    size_t counts; /* the counts it starts from; SIZE_MAX: it starts from text, or from vectors */
    psdvec_count_options reading; /* if it starts from text */
};

struct table {
    struct run *run;
    const char *folder;
    const char *records; /* OUT/records */
    int lock;
    psdvec_count_options count;   /* from the command line; other values are those of psd */
    struct table_system *systems; /* in the order of the table */
    size_t system_count;
    struct table_counts *counts;
    size_t counts_count;
    uint64_t text; /* identifies its files, as of table_settings() */
    double began;
    struct eval eval; /* models are those of the finished systems, in their order */
};

/* ---- Systems: the value of --methods ------------------------------------------------------ */

/* Collects all systems. Returns EXIT_FINE, or another exit status after the error was reported. */
int table_gather(struct table *table);
/* "PSD, default preset"; "sparse codes of glove". */
const char *table_title(const struct table *table, const struct table_system *system);
/* How counts are made, in words. */
const char *table_counts_words(const psdvec_count_options *options);
/* A description of what a system starts from. */
const char *table_begins_with(const struct table *table, const struct table_system *system);
/* Indices of its models among those of table->eval; SIZE_MAX: it is not done. */
size_t table_model(const struct table *table, size_t system);

/* ---- Settings: everything that an item of a table depends on -------------------------------- */

enum { COUNTING_SAME, COUNTING_OWN };
extern const psdvec_choice counting_words[]; /* of --counting */

/* Fills in the settings of all items. Returns an error if an input cannot be read twice. */
int table_settings(struct table *table);
/* At the end: returns an error if the text has changed, because then systems have read different
 * texts. */
int table_text_same(struct table *table);

/* Compares settings from a record, possibly by another version, with the requested ones. `differ`
 * receives the names of those that differ, regardless of their order. `version`, initially empty:
 * that of the record, if it is not the current one. */
void table_settings_compare(const char *recorded, const char *asked, struct buffer *differ,
                            struct buffer *version);

/* ---- The folder --------------------------------------------------------------------------- */

/* Creates or finds it, locks it against other processes, and finds out what is done. Returns
 * EXIT_FINE, or another exit status after the error was reported. */
int table_folder_open(struct table *table);
void table_folder_close(struct table *table);
/* Called before the file is written, and with `ended` when it is complete or the work was stopped.
 * Returns 0, or errno. */
int table_record(struct table *table, const struct table_item *item, bool ended);
/* Replaces a file of the result atomically. Returns an exit status. */
int table_write(struct table *table, const char *name, const struct buffer *text);

/* ---- Work ---------------------------------------------------------------------------------- */

/* Makes everything that is missing. Returns EXIT_FINE even if some items failed, and another status
 * for errors that stop everything. */
int table_make(struct table *table);
/* After a request to stop: reports what is kept. Returns the exit status. */
int table_stopped(struct table *table);

/* ---- Results -------------------------------------------------------------------------------- */

/* Writes the files of the result, and prints it. Returns an exit status. */
int table_write_all(struct table *table);

#endif
