/* The declaration of a command, from which parsing, --help, the manual pages, shell completion and
 * the tested examples are derived.
 *
 * A new command is a new file cli/cmd_NAME.c with a `const struct command`, and its name in
 * commands.h. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <psdvec/psdvec.h>

struct run;

/* An option of a command. A row belongs to the library (psdvec/options.h) or to the program; the
 * names of the latter are spelled as on the command line. */
struct option_spec {
    psdvec_option row; /* with its heading in `group`: NULL if it is that of the previous option */
    const char *name;  /* "min-count" of --min-count */
    bool library;      /* the row belongs to the library, in this table: */
    psdvec_options_kind kind;
};

/* A source of options. */
struct option_source {
    const psdvec_option *rows; /* rows of the program; ends with a row without a name */
    bool library;              /* or a table of the library: */
    psdvec_options_kind kind;
    const char *only, *except; /* names between blanks: " dim form "; NULL: all, none */
};
#define OWN_OPTIONS(table)                                                                         \
    {                                                                                              \
        .rows = (table)                                                                            \
    }
#define LIBRARY_OPTIONS(...)                                                                       \
    {                                                                                              \
        .library = true, __VA_ARGS__                                                               \
    }

/* Text options for commands that have a use for labels, dates and names of documents. */
#define DETAIL_OPTIONS " label_field date_field name_field "

/* Rows of the program, by the type of their value. */
#define FLAG_OPTION(name_, ...)                                                                    \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_FLAG, __VA_ARGS__                                   \
    }
#define WHOLE_OPTION(name_, argument_, least_, most_, ...)                                         \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_UINT64, .argument = (argument_), .least = (least_), \
        .most = (most_), __VA_ARGS__                                                               \
    }
#define REAL_OPTION(name_, argument_, least_, most_, ...)                                          \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_DOUBLE, .argument = (argument_), .least = (least_), \
        .most = (most_), __VA_ARGS__                                                               \
    }
#define CHOICE_OPTION(name_, choices_, ...)                                                        \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_CHOICE, .choices = (choices_), __VA_ARGS__          \
    }
#define TEXT_OPTION(name_, argument_, ...)                                                         \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_TEXT, .argument = (argument_), __VA_ARGS__          \
    }
#define FILE_OPTION(name_, ...) TEXT_OPTION(name_, "FILE", .path = PSDVEC_PATH_FILE, __VA_ARGS__)
#define NEW_FILE_OPTION(name_, ...)                                                                \
    TEXT_OPTION(name_, "FILE", .path = PSDVEC_PATH_NEW_FILE, __VA_ARGS__)
#define FILES_OPTION(name_, ...)                                                                   \
    {                                                                                              \
        .name = (name_), .type = PSDVEC_OPTION_TEXTS, .argument = "FILE",                          \
        .path = PSDVEC_PATH_FILE, __VA_ARGS__                                                      \
    }

struct example {
    const char *line, *meaning; /* NULL ends the list */
};

/* Lists in a declaration, with their terminators. */
#define PARAGRAPHS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define EXAMPLES(...) ((const struct example[]){__VA_ARGS__, {0}})

#define COMMAND_SOURCES 7
#define COMMAND_PRESETS 3

/* Commands of two words with the same first word, which the main help screen lists once for all. */
struct family {
    const char *word, *summary; /* NULL ends the list */
};

/* What the library writes to the file of -o, always in safetensors format; OTHER: anything else, or
 * in a format that the command chooses. */
enum output_kind { OUTPUT_OTHER, OUTPUT_MODEL, OUTPUT_COUNTS };

struct command {
    const char *name;               /* "count", "counts info" */
    const char *group;              /* heading on the main help screen; NULL: hidden */
    const char *summary;            /* one line, no full stop */
    const char *synopsis;           /* what follows the name */
    const char *const *description; /* paragraphs; ends with NULL */
    struct option_source sources[COMMAND_SOURCES]; /* the unused ones are empty */
    /* Presets of the library's tables: the first, or the defaults without a preset if it is NULL,
     * is active unless the option `preset_option` selects another, by the order of its choices or
     * as a switch. */
    const char *presets[COMMAND_PRESETS];
    const char *preset_option;
    const char *alone; /* a switch with which neither operands nor an output are needed */
    /* Names of options, ends with NULL: their default is taken from `inherited_from`. */
    const char *const *inherited; /* may be NULL */
    const char *inherited_from;
    const struct example *examples; /* may be NULL */
    const char *const *notes;       /* paragraphs; may be NULL */
    struct {
        size_t least, most; /* SIZE_MAX: no limit */
    } operands;
    bool no_files;       /* operands are not file names, which shells complete */
    const char *missing; /* the error message if there are too few operands */
    /* Not NULL: the library writes the result to the file of -o, which is then required; an example
     * of a file name. NULL: results go to standard output. */
    const char *output_example;
    enum output_kind output_kind;
    bool output_optional; /* -o is not required: without it the command prints a result */
    bool output_operand;  /* the last operand may name that file instead of -o */
    bool output_input;    /* that file may be the first operand, which is then replaced */
    /* After the first operand, -word and +word are operands too; see argument_sign(). */
    bool signed_operands;
    bool stores_lines; /* it writes the file of line_history.h */
    bool temporary;    /* may create temporary files in /tmp */
    bool sorts_large;  /* without -o, it may create temporary files beside the first operand */
    bool listens;      /* it opens a socket, and then calls sandbox_listening() */
    int (*prepare)(struct run *run); /* called before the sandbox; may be NULL */
    int (*act)(struct run *run);     /* returns the exit status */
};

/* All commands, in the order of the help screen; ends with NULL. */
extern const struct command *const commands[];
extern const struct family families[];

/* The family with this first word, `length` bytes long; NULL if there is none. */
const struct family *family_find(const char *word, size_t length);

/* Options that every command has. */
extern const psdvec_option common_options[];
#define COMMON_OPTIONS OWN_OPTIONS(common_options), LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_CONTEXT)

/* --format of commands that show results (show.h). */
enum format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON, FORMAT_MARKDOWN };
extern const psdvec_option format_options[], format_options_tsv[];
#define FORMAT_OPTIONS OWN_OPTIONS(format_options)         /* a table by default */
#define FORMAT_OPTIONS_TSV OWN_OPTIONS(format_options_tsv) /* TSV by default */
/* Whether it is that option rather than another one with this name. */
bool option_is_format(const struct option_spec *option);

/* The k-th option of a command over all of its sources, grouped by heading; NULL after the last. */
const struct option_spec *command_option(const struct command *command, size_t k);
size_t command_option_count(const struct command *command);

/* The name of the manual page: "psdvec-counts-info". */
const char *command_page(const struct command *command);

/* The heading of the k-th option. */
const char *option_group(const struct command *command, size_t k);
/* True if it takes no value. */
bool option_is_switch(const struct option_spec *option);
/* The argument as help shows it: "N", "words|whitespace"; NULL for switches. */
const char *option_argument(const struct option_spec *option);

/* The library writes options as `min_count`, and values as `window=3`. Returns the text with these
 * spelled as on the command line, --min-count and --window 3; on the heap. */
char *command_spell(const struct command *command, const char *text);

/* The default, in the form of an argument, with this preset of the command (0 for a command without
 * presets); NULL if there is none. `command` is NULL for the common options. */
const char *option_fallback(const struct command *command, const struct option_spec *option,
                            size_t preset);

/* The default as help shows it, "300; paper: 500"; NULL if there is none. */
const char *option_default(const struct command *command, const struct option_spec *option);

#endif
