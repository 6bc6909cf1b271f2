/* Part of psdvec.h: the tables of all options, and options by name.
 *
 * The options of each call are a plain struct. Each struct is defined by one table with a row per
 * option, psdvec/options/NAME.def. The members of the struct, defaults and presets, checks and
 * error messages, metadata in files, the command line, its help and manual pages, and
 * docs/reference/options.md are all generated from that table.
 *
 * From C, use the structs: call ..._default(), change members, and pass the struct to the call.
 * NULL means the defaults in every call that takes options.
 *
 * From another language, use psdvec_settings: set options by name, with values as text, and pass
 * psdvec_settings_struct() where the struct is expected. No struct has to be declared.
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
/* One kind per options struct. The values are part of the interface; new ones are added at the
 * end. */
typedef enum psdvec_options_kind {
    PSDVEC_OPTIONS_CONTEXT = 0,
    PSDVEC_OPTIONS_TEXT,
    PSDVEC_OPTIONS_COUNT, /* includes the options of TEXT */
    PSDVEC_OPTIONS_IMPORT,
    PSDVEC_OPTIONS_TRAIN,
    PSDVEC_OPTIONS_EXTEND,
    PSDVEC_OPTIONS_CONVERT,
    PSDVEC_OPTIONS_EVAL,
    PSDVEC_OPTIONS_SCORER,
    PSDVEC_OPTIONS_GENERATE,
    PSDVEC_OPTIONS_SIMULATE,
    PSDVEC_OPTIONS_BASELINE,
    PSDVEC_OPTIONS_QUERY,
    PSDVEC_OPTIONS_PHRASES,
    PSDVEC_OPTIONS_TOPIC,
    PSDVEC_OPTIONS_MAP,
    PSDVEC_OPTIONS_DRAWING,
    PSDVEC_OPTIONS_DESCRIBE
} psdvec_options_kind;
#define PSDVEC_OPTIONS_KINDS 18

typedef enum psdvec_option_type {
    PSDVEC_OPTION_FLAG = 0, /* bool */
    PSDVEC_OPTION_INT,      /* int */
    PSDVEC_OPTION_UINT32,   /* uint32_t */
    PSDVEC_OPTION_UINT64,   /* uint64_t */
    PSDVEC_OPTION_DOUBLE,   /* double */
    PSDVEC_OPTION_CHOICE,   /* an enumeration; its value is the index of the choice */
    PSDVEC_OPTION_TEXT,     /* const char *; NULL if not set */
    /* Lists: a pointer, followed by a size_t with the number of elements */
    PSDVEC_OPTION_TEXTS,   /* const char *const * */
    PSDVEC_OPTION_DOUBLES, /* const double * */
    PSDVEC_OPTION_UINT32S  /* const uint32_t * */
} psdvec_option_type;

/* Units in which a number may be given. */
typedef enum psdvec_unit {
    PSDVEC_UNIT_NONE = 0,
    PSDVEC_UNIT_COUNT, /* 200k, 5M: powers of 1,000 */
    PSDVEC_UNIT_BYTES  /* 512M, 4G: powers of 1,024; 50%: share of the machine's memory */
} psdvec_unit;

/* What the value of a text option names. */
typedef enum psdvec_path {
    PSDVEC_PATH_NONE = 0,
    PSDVEC_PATH_FILE,
    PSDVEC_PATH_FOLDER,
    PSDVEC_PATH_NEW_FILE /* a file that may be written */
} psdvec_path;

typedef struct psdvec_choice {
    const char *name; /* NULL at the end of a list */
    const char *help; /* a phrase; may be NULL */
    const char *uses; /* names of options that have an effect with this choice; see `needs` */
} psdvec_choice;

typedef struct psdvec_preset_value {
    const char *preset, *value; /* NULL at the end of a list */
} psdvec_preset_value;

/* A row of a table. Later versions may add members at the end. */
typedef struct psdvec_option {
    const char *name; /* "min_count"; NULL at the end of a table */
    psdvec_option_type type;
    size_t offset;                /* of the member in its struct */
    double least, most;           /* range of a number; no limits if both are 0 */
    bool above, below;            /* `least` or `most` itself is excluded */
    const psdvec_choice *choices; /* CHOICE: the names of the values */
    psdvec_unit unit;             /* of a number */
    const char *word;             /* keyword accepted instead of a number, such as "all"; or NULL */
    double word_value;            /* value of the keyword */
    const char *second_word;      /* another keyword, or NULL */
    double second_value;
    const char *fallback;               /* the default, as text; NULL if there is none */
    const psdvec_preset_value *presets; /* presets with another default; may be NULL */
    bool selects_preset;                /* CHOICE: its value selects the preset */
    /* If the option is not set, it has its default under this condition (written like `needs`) and
     * default_else otherwise. NULL: the default applies always. */
    const char *default_if, *default_else;
    const char *absent; /* value for files that lack the option; NULL: the default */
    bool added;         /* added after 0.1.0: not stored in files if it equals `absent` */
    /* The option has an effect only if other options have these values: "weights=factored rho>0";
     * "weights:cut" means the choices of `weights` that use `cut`. NULL: always. */
    const char *needs;
    bool stored;           /* the option is stored in files */
    const char *flag;      /* name on the command line; NULL: `name` with dashes */
    char letter;           /* short form on the command line, or 0 */
    const char *argument;  /* placeholder for the value in help, such as "N"; NULL: by type */
    bool yes_no;           /* FLAG: takes yes or no on the command line; the default may be yes */
    const char *otherwise; /* description of the default in help, instead of `fallback` */
    psdvec_path path;      /* TEXT, TEXTS: the value is a file or folder */
    const char *group;     /* heading in help */
    /* One sentence without a full stop. After a colon at its end, the choices' help follows. */
    const char *help;
    const char *why;    /* why the presets have their values; may be NULL */
    const char *member; /* of the struct: "letter_case" for "case" */
} psdvec_option;
#define PSDVEC_PRESETS(...) ((const psdvec_preset_value[]){__VA_ARGS__, {NULL, NULL}})

/* These macros turn the rows of a table into members of a struct. The library redefines
 * PSDVEC_OPTION to turn them into psdvec_option rows. */
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

/* Returns the name of a kind, "train", "count", ...; NULL if there is no such kind. All strings and
 * rows of the tables are static. */
PSDVEC_API const char *psdvec_options_name(psdvec_options_kind kind);
/* Returns the size of the struct in bytes; 0 if there is no such kind. */
PSDVEC_API size_t psdvec_options_size(psdvec_options_kind kind);
/* Returns row i of a table, from 0; NULL after the last row. */
PSDVEC_API const psdvec_option *psdvec_options_at(psdvec_options_kind kind, size_t i);
/* Returns the row of the option with this name, or NULL. */
PSDVEC_API const psdvec_option *psdvec_options_find(psdvec_options_kind kind, const char *name);
/* Returns the default of an option in a preset, as text; NULL if it has none. `preset` may be
 * NULL. */
PSDVEC_API const char *psdvec_option_default(const psdvec_option *option, const char *preset);

/* Returns whether a condition, the `needs` or `default_if` of a row, holds for a struct. The struct
 * must have the library's size (psdvec_options_size). */
PSDVEC_API bool psdvec_options_hold(psdvec_options_kind kind, const void *options,
                                    const char *condition);

/* Writes a condition in words: "`weights=factored` and `rho` above 0". The text is cut off at
 * `size` bytes, including the zero at its end. */
PSDVEC_API void psdvec_condition_text(psdvec_options_kind kind, const char *condition, char *text,
                                      size_t size);

/* Sets the members of a struct of `size` bytes to the defaults of a preset, which may be NULL;
 * called by the ..._default() functions. `text_size` is the size of the member `text` for COUNT,
 * and 0 otherwise. The struct of a program compiled with an older version may be smaller than the
 * library's; the members it lacks have their defaults. */
PSDVEC_API void psdvec_options_init(psdvec_options_kind kind, void *options, size_t size,
                                    size_t text_size, const char *preset);

/* ---- Values as text ----------------------------------------------------------------- */
typedef struct psdvec_option_value {
    uint64_t integer; /* FLAG, INT, UINT32, UINT64; the index of a CHOICE */
    double real;      /* DOUBLE; also set for integers */
} psdvec_option_value;

/* Parses and checks a value; lists are only checked. Returns true and stores the value, or returns
 * false and writes a message of at most `room` bytes to `why` (may be NULL). `shown` is the name of
 * the option in the message; NULL for its own name in backquotes. */
PSDVEC_API bool psdvec_option_parse(const psdvec_option *option, const char *shown,
                                    const char *text, psdvec_option_value *value, char *why,
                                    size_t room);

/* The values that an option may have, for messages and documentation: "a whole number from 1 to
 * 1000", "join or split". Cut off at `room`. */
PSDVEC_API void psdvec_option_range(const psdvec_option *option, char *text, size_t room);

/* Finds a likely intended spelling, for "did you mean" messages. Returns the element of
 * `candidates`, a NULL-terminated list, that begins with `word` or differs from it by a typing
 * error; NULL if there is none. */
PSDVEC_API const char *psdvec_suggest(const char *word, const char *const *candidates);
/* Returns the edit distance from a to b in bytes: insertions, deletions, replacements and swaps of
 * adjacent bytes. Returns limit + 1 if it exceeds `limit`. */
PSDVEC_API size_t psdvec_edit_distance(const char *a, size_t a_length, const char *b,
                                       size_t b_length, size_t limit);
/* Returns the edit distance up to which psdvec_suggest assumes a typing error, for a word of this
 * length. */
PSDVEC_API size_t psdvec_edit_limit(size_t length);

/* ---- Options by name ------------------------------------------------------------------ */
/* An options struct together with the memory of its strings and lists. Must not be used by other
 * threads while it is changed. */
typedef struct psdvec_settings psdvec_settings;

/* Creates settings with the defaults of a preset, which may be NULL. Free them with
 * psdvec_settings_free. Returns NULL if memory is short or there is no such kind or preset
 * (they are the choices of the option that `selects_preset`). */
PSDVEC_API psdvec_settings *psdvec_settings_new(psdvec_options_kind kind, const char *preset);

/* Frees settings, including the struct and everything it points to. `settings` may be NULL. */
PSDVEC_API void psdvec_settings_free(psdvec_settings *settings);

/* Sets an option. Elements of a list are separated by commas; an empty `text` unsets a string or
 * list. On failure, returns PSDVEC_ERR_OPTION with a message (psdvec_settings_message) and changes
 * nothing. */
PSDVEC_API psdvec_status psdvec_settings_set(psdvec_settings *settings, const char *name,
                                             const char *text);

/* Returns the value of an option as text, in the form that psdvec_settings_set accepts; NULL if
 * there is no such option or it has no value, or, with the errno value ENOMEM, if memory is short.
 * Valid until the next call with `settings`. */
PSDVEC_API const char *psdvec_settings_get(psdvec_settings *settings, const char *name);

/* Copies the options that were set to another struct of the same kind and leaves its other members
 * alone. The copied strings and lists are valid until `settings` is freed. */
PSDVEC_API void psdvec_settings_apply(const psdvec_settings *settings, void *options);

/* Completes the settings when all options are set: resolves defaults that depend on other options,
 * rejects options that were set but have no effect, and checks all values. Returns PSDVEC_OK, or
 * PSDVEC_ERR_OPTION with a message. */
PSDVEC_API psdvec_status psdvec_settings_finish(psdvec_settings *settings);

/* Returns a message that explains why the last call failed; empty if it succeeded. Valid until the
 * next call with `settings`. */
PSDVEC_API const char *psdvec_settings_message(const psdvec_settings *settings);

/* Returns the struct: a psdvec_train_options for PSDVEC_OPTIONS_TRAIN, and so on. Valid until
 * `settings` is freed. */
PSDVEC_API void *psdvec_settings_struct(psdvec_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
