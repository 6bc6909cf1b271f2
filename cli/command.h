/* What a command is: one declaration per command, from which come parsing,
 * --help, the manual pages, shell completion and the tested examples.
 *
 * A new command is a new file cli/cmd_NAME.c with a `const struct command`,
 * and one line in commands.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

enum option_kind {
    OPTION_FLAG,    /* no argument */
    OPTION_CHOICE,  /* one of `choices` */
    OPTION_INTEGER, /* least .. most */
    OPTION_REAL,    /* real_least .. real_most */
    OPTION_SIZE,    /* 512M, 4G, 50% */
    OPTION_COUNT,   /* 200k, 5M: least .. most */
    OPTION_TEXT,
    OPTION_TEXTS,    /* may be repeated */
    OPTION_INTEGERS, /* 100,200: least .. most each */
    OPTION_REALS     /* 2,4,8: real_least .. real_most each */
};

enum completes { COMPLETES_NOTHING, COMPLETES_FILES, COMPLETES_FOLDERS };

struct option_spec {
    const char *name; /* "window" of --window; NULL ends a table */
    char letter;      /* 'o' of -o; 0: none */
    enum option_kind kind;
    const char *argument;       /* "N"; for choices NULL: the words themselves */
    const char *const *choices; /* ends with NULL */
    uint64_t least, most;
    double real_least, real_most; /* most: INFINITY is no limit */
    const char
        *zero; /* OPTION_INTEGER, _REAL: a word that stands for 0, such as "all"; NULL: none */
    const char *fallback;  /* the default, parsed like an argument; NULL: none */
    const char *otherwise; /* words shown as the default where `fallback` is NULL */
    const char *help;      /* a phrase; no full stop */
    const char *group;     /* heading in the help; NULL: as the option before */
    enum completes completes;
    bool alone; /* OPTION_FLAG: with it the command needs neither operands nor an output */
};

struct example {
    const char *line, *meaning; /* NULL ends the list */
};

#define COMMAND_TABLES 6
#define COMMAND_PRESETS 2

/* An option whose default depends on the option --preset of the command; or, in one without that
 * option, on the command. */
struct preset_default {
    const char *option;                  /* NULL ends the list */
    const char *values[COMMAND_PRESETS]; /* by the choice of --preset; without it, the first */
};

/* Commands of two words with the same first one, which stands on the main help screen for all. */
struct family {
    const char *word, *summary; /* NULL ends the list */
};

struct command {
    const char *name;               /* "count", "counts info" */
    const char *group;              /* heading on the main help screen; NULL: hidden */
    bool brief;                     /* only the name stands on the main help screen */
    const char *summary;            /* one line, no full stop */
    const char *synopsis;           /* what stands behind the name */
    const char *const *description; /* paragraphs; ends with NULL */
    const struct option_spec *tables[COMMAND_TABLES]; /* the unused ones are NULL */
    const struct preset_default *presets;             /* may be NULL */
    /* Names of options, ends with NULL: their default is not their own but `inherited_from`. */
    const char *const *inherited; /* may be NULL */
    const char *inherited_from;
    const struct example *examples;       /* may be NULL */
    const char *const *notes;             /* paragraphs; may be NULL */
    size_t least_operands, most_operands; /* most: SIZE_MAX is no limit */
    const char *missing;                  /* the sentence if there are too few operands */
    /* Not NULL: the library writes the result to the file of -o, which is then
     * required; an example of a name. NULL: results go to standard output. */
    const char *output_example;
    bool output_optional; /* not required after all: there is something to see without it */
    bool output_operand;  /* the last operand may name that file instead of -o */
    /* Behind the first operand, -word and +word are operands too; argument_sign() tells. */
    bool signed_operands;
    enum completes completes;
    int (*act)(struct run *run); /* returns the exit status */
};

/* All commands, in the order of the help screen; ends with NULL. */
extern const struct command *const commands[];
extern const struct family families[];

/* The family with this first word, `length` bytes long; NULL if there is none. */
const struct family *family_find(const char *word, size_t length);

/* Options that every command has. */
extern const struct option_spec common_options[];

/* The k-th option of a command over all of its tables; NULL after the last. */
const struct option_spec *command_option(const struct command *command, size_t k);
size_t command_option_count(const struct command *command);

/* "counts-info" for "counts info": the name of the manual page, on the heap. */
char *command_dashed(const struct command *command);

/* How the argument is written in help: "N", "words|whitespace"; on the heap;
 * NULL for flags. */
char *option_argument(const struct option_spec *option);

/* The default, parsed like an argument, where --preset has the choice `preset` (0 in a command
 * without presets); NULL if there is none. `command` is NULL for the options that all have. */
const char *option_fallback(const struct command *command, const struct option_spec *option,
                            size_t preset);

/* The default as help shows it, "300; paper: 500", on the heap; NULL if there is none. */
char *option_default(const struct command *command, const struct option_spec *option);

#endif
