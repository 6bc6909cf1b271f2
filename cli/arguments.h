/* The parsed command line, using the option tables of a command. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "command.h"

struct option_value {
    bool given;       /* on the command line, rather than by default */
    bool known;       /* given, or there is a default */
    uint64_t integer; /* integers and sizes; the index of a choice; 1 for a flag */
    double real;
    const char *text;
    const char **texts;
    size_t text_count;
};

struct arguments {
    const struct command *command;
    struct option_value *values; /* in the order of command_option() */
    const char **operands;
    size_t unsigned_from; /* operands from here on followed -- and have no sign */
    size_t operand_count;
    size_t preset; /* index of the active preset of the command */
    bool help;     /* -h or --help was found; nothing after it was read */
};

/* Returns false with a message in *error if the command line is invalid. `argv` has `argc` words
 * after the name of the command and must outlive the result. Free the result in either case. */
bool arguments_parse(struct arguments *arguments, const struct command *command, int argc,
                     char **argv, const char **error);
void arguments_free(struct arguments *arguments);

/* The value of --name, which must be in the command's tables. */
const struct option_value *argument(const struct arguments *arguments, const char *name);
/* Whether the command has that option. */
bool arguments_have(const struct arguments *arguments, const char *name);
/* '-' or '+' if operand k has a sign, with the word after it; otherwise 0, with the operand
 * itself. */
char argument_sign(const struct arguments *arguments, size_t k, const char **word);
bool argument_flag(const struct arguments *arguments, const char *name);
/* True if an option was given that makes operands and output unnecessary. */
bool arguments_alone(const struct arguments *arguments);
uint64_t argument_integer(const struct arguments *arguments, const char *name);
double argument_real(const struct arguments *arguments, const char *name);
/* The file of -o, or the last operand where the command accepts that instead; NULL: none. */
const char *arguments_output(const struct arguments *arguments);
/* NULL if neither given nor set by default. */
const char *argument_text(const struct arguments *arguments, const char *name);

#endif
