/* Part of psdvec.h: options, declared once.
 *
 * The options of each call are a plain struct, and each struct has one table with a row per option:
 * psdvec/options/NAME.def. The members of the struct, its defaults and presets, the checks and their
 * messages, what files keep, the command line, its help and manual pages, and docs/reference/
 * options.md come from that table.
 *
 * From C, use the structs: fill one in with ..._default(), change members, pass it on. NULL stands
 * for the defaults in every call that takes options.
 *
 * From another language, use psdvec_settings: options by name and value as text, and a pointer to
 * pass where the struct is expected. No struct has to be declared.
 *
 *     psdvec_settings *s = psdvec_settings_new(PSDVEC_OPTIONS_TRAIN, "paper");
 *     if (psdvec_settings_set(s, "dim", "200") || psdvec_settings_finish(s))
 *         puts(psdvec_settings_message(s));
 *     else
 *         psdvec_train(ctx, psdvec_settings_struct(s), "a.counts", "a.safetensors", NULL);
 *     psdvec_settings_free(s);
 */
#ifndef PSDVEC_OPTIONS_H
#define PSDVEC_OPTIONS_H

#include <psdvec/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The tables ------------------------------------------------------------------- */
/* The numbers are part of the interface; new ones are added at the end. */
typedef enum psdvec_options_kind {
    PSDVEC_OPTIONS_CONTEXT = 0,
    PSDVEC_OPTIONS_TEXT,
    PSDVEC_OPTIONS_COUNT, /* with those of TEXT */
    PSDVEC_OPTIONS_IMPORT,
    PSDVEC_OPTIONS_TRAIN,
    PSDVEC_OPTIONS_EXTEND,
    PSDVEC_OPTIONS_CONVERT,
    PSDVEC_OPTIONS_EVAL,
    PSDVEC_OPTIONS_SCORER,
    PSDVEC_OPTIONS_GENERATE,
    PSDVEC_OPTIONS_SIMULATE,
    PSDVEC_OPTIONS_BASELINE,
    PSDVEC_OPTIONS_QUERY
} psdvec_options_kind;
#define PSDVEC_OPTIONS_KINDS 13

typedef enum psdvec_option_type {
    PSDVEC_OPTION_FLAG = 0, /* bool */
    PSDVEC_OPTION_INT,      /* int */
    PSDVEC_OPTION_UINT32,   /* uint32_t */
    PSDVEC_OPTION_UINT64,   /* uint64_t */
    PSDVEC_OPTION_DOUBLE,   /* double */
    PSDVEC_OPTION_CHOICE,   /* an enumeration; the value is the place among the choices */
    PSDVEC_OPTION_TEXT,     /* const char *; NULL: none */
    /* Lists: a pointer and, behind it, a size_t with the number of elements */
    PSDVEC_OPTION_TEXTS,   /* const char *const * */
    PSDVEC_OPTION_DOUBLES, /* const double * */
    PSDVEC_OPTION_UINT32S  /* const uint32_t * */
} psdvec_option_type;

/* How a number may be written. */
typedef enum psdvec_unit {
    PSDVEC_UNIT_NONE = 0,
    PSDVEC_UNIT_COUNT, /* 200k, 5M: powers of 1,000 */
    PSDVEC_UNIT_BYTES  /* 512M, 4G: powers of 1,024; 50%: of the machine's memory */
} psdvec_unit;

typedef enum psdvec_path { PSDVEC_PATH_NONE = 0, PSDVEC_PATH_FILE, PSDVEC_PATH_FOLDER } psdvec_path;

typedef struct psdvec_choice {
    const char *name; /* NULL ends a list */
    const char *help; /* may be NULL */
} psdvec_choice;

typedef struct psdvec_preset_value {
    const char *preset, *value; /* NULL ends a list */
} psdvec_preset_value;

/* A row of a table. Later versions may add members at the end. */
typedef struct psdvec_option {
    const char *name; /* "min_count"; NULL ends a table */
    psdvec_option_type type;
    size_t offset;                /* of the member in its struct */
    double least, most;           /* numbers: the range; both 0: no limits */
    bool above, below;            /* `least`, `most` itself is excluded */
    const psdvec_choice *choices; /* CHOICE */
    psdvec_unit unit;             /* numbers */
    const char *word;             /* a word that stands for a number, such as "all"; NULL: none */
    double word_value;            /* the number it stands for */
    const char *second_word;      /* another one */
    double second_value;
    const char *fallback;               /* the default, as text; NULL: none */
    const psdvec_preset_value *presets; /* defaults of presets that differ from it; may be NULL */
    bool selects_preset; /* CHOICE: its value is the preset of the others' defaults */
    /* An option that was not set has its default only under this condition (as `needs`), and
     * otherwise the second value. NULL: always. */
    const char *default_if, *default_else;
    const char *absent; /* what a file means that lacks it; NULL: the default */
    bool added;         /* after 0.1.0: files leave it out while it has the value of `absent` */
    /* It has an effect only if other options have these values: "weights=raw|smoothed rho>0".
     * NULL: always. */
    const char *needs;
    bool stored;           /* files keep it */
    const char *flag;      /* on the command line; NULL: the name, with dashes */
    char letter;           /* short form on the command line; 0: none */
    const char *argument;  /* how help writes the value: "N"; NULL: by the type */
    bool yes_no;           /* FLAG: the command line takes yes or no, as the default may be yes */
    const char *otherwise; /* how help describes the default, if not by `fallback` */
    psdvec_path path;      /* TEXT, TEXTS: it names a file or folder */
    const char *group;     /* heading in help */
    const char *help;      /* one sentence without a full stop */
    const char *why;       /* why the presets have their values; NULL: not explained */
    const char *member;    /* of the struct: "letter_case" for "case" */
} psdvec_option;
#define PSDVEC_PRESETS(...) ((const psdvec_preset_value[]){__VA_ARGS__, {NULL, NULL}})

/* The rows of a table as members of a struct; inside the library also as rows. */
#define PSDVEC_MEMBER_FLAG(type, member) type member;
#define PSDVEC_MEMBER_INT(type, member) type member;
#define PSDVEC_MEMBER_UINT32(type, member) type member;
#define PSDVEC_MEMBER_UINT64(type, member) type member;
#define PSDVEC_MEMBER_DOUBLE(type, member) type member;
#define PSDVEC_MEMBER_CHOICE(type, member) type member;
#define PSDVEC_MEMBER_TEXT(type, member) type member;
#define PSDVEC_MEMBER_TEXTS(type, member)                                                          \
    type member;                                                                                   \
    size_t member##_count;
#define PSDVEC_MEMBER_DOUBLES(type, member) PSDVEC_MEMBER_TEXTS(type, member)
#define PSDVEC_MEMBER_UINT32S(type, member) PSDVEC_MEMBER_TEXTS(type, member)
#define PSDVEC_OPTION(KIND, type, member, ...) PSDVEC_MEMBER_##KIND(type, member)

/* "train", "count", ...; NULL if there is no such kind. */
PSDVEC_API const char *psdvec_options_name(psdvec_options_kind kind);
/* Of the struct, in bytes. */
PSDVEC_API size_t psdvec_options_size(psdvec_options_kind kind);
/* Row i, from 0; NULL behind the last. */
PSDVEC_API const psdvec_option *psdvec_options_at(psdvec_options_kind kind, size_t i);
PSDVEC_API const psdvec_option *psdvec_options_find(psdvec_options_kind kind, const char *name);
/* The default of an option, as text, in a preset (NULL: none); NULL if it has none. */
PSDVEC_API const char *psdvec_option_default(const psdvec_option *option, const char *preset);

/* Whether a condition of a row, `needs` or `default_if`, holds for a struct of the library's size. */
PSDVEC_API bool psdvec_options_hold(psdvec_options_kind kind, const void *options,
                                    const char *condition);

/* Fills a struct of `size` bytes with the defaults of a preset (NULL: none); the typed functions
 * ..._default() call it. `text_size`: of COUNT the size of its member `text`, else 0. A struct
 * compiled against an older version may be smaller than the library's: new members have their
 * defaults. */
PSDVEC_API void psdvec_options_init(psdvec_options_kind kind, void *options, size_t size,
                                    size_t text_size, const char *preset);

/* ---- Values as text ----------------------------------------------------------------- */
typedef struct psdvec_option_value {
    uint64_t integer; /* FLAG, INT, UINT32, UINT64; of a CHOICE its place */
    double real;      /* DOUBLE, and the integers too */
} psdvec_option_value;

/* Reads a value; of a list, checks it only. False, and a sentence in `why` (may be NULL), if the
 * option cannot have it. `shown`: how the sentence names the option; NULL: by its name. */
PSDVEC_API bool psdvec_option_parse(const psdvec_option *option, const char *shown,
                                    const char *text, psdvec_option_value *value, char *why,
                                    size_t room);

/* The values that an option may have, for messages and documentation: "a whole number from 1 to
 * 1000", "join or split". Cut off at `room`. */
PSDVEC_API void psdvec_option_range(const psdvec_option *option, char *text, size_t room);

/* Near spellings, for messages: the candidate (of a list that ends with NULL) that `word` is a start
 * of, or a slip away from; NULL if none is near. */
PSDVEC_API const char *psdvec_suggest(const char *word, const char *const *candidates);
/* Edits (insert, delete, replace, swap of neighbours) from a to b, in bytes; limit + 1 as soon as
 * more than `limit` are needed. */
PSDVEC_API size_t psdvec_edit_distance(const char *a, size_t a_length, const char *b,
                                       size_t b_length, size_t limit);
/* How many edits still count as a slip in a word of this length. */
PSDVEC_API size_t psdvec_edit_limit(size_t length);

/* ---- Options by name ------------------------------------------------------------------ */
/* A struct of options, with the memory of its texts and lists. Not to be shared between threads
 * while it is changed. */
typedef struct psdvec_settings psdvec_settings;

/* NULL if memory is short or there is no such kind or preset. */
PSDVEC_API psdvec_settings *psdvec_settings_new(psdvec_options_kind kind, const char *preset);
PSDVEC_API void psdvec_settings_free(psdvec_settings *settings);
/* PSDVEC_OK, or PSDVEC_ERR_OPTION with a message; then nothing was changed. Elements of a list are
 * separated by commas. An empty text unsets texts and lists. */
PSDVEC_API psdvec_status psdvec_settings_set(psdvec_settings *settings, const char *name,
                                             const char *text);
/* The value as text that psdvec_settings_set would read; NULL if there is no such option or it has
 * no value. Valid until the next call with `settings`. */
PSDVEC_API const char *psdvec_settings_get(psdvec_settings *settings, const char *name);
/* Copies the options that were set into another struct of the same kind, whose other members stay.
 * Its texts and lists live as long as `settings`. */
PSDVEC_API void psdvec_settings_apply(const psdvec_settings *settings, void *options);
/* When all are set: resolves defaults that depend on other options, refuses options that were set
 * and would have no effect, and checks everything. */
PSDVEC_API psdvec_status psdvec_settings_finish(psdvec_settings *settings);
/* Why the last call failed; empty if it did not. */
PSDVEC_API const char *psdvec_settings_message(const psdvec_settings *settings);
/* The struct, a psdvec_train_options for PSDVEC_OPTIONS_TRAIN and so on. Valid until the free. */
PSDVEC_API void *psdvec_settings_struct(psdvec_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
