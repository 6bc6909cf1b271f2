/* Options tables: the code shared by all option structs.
 *
 * A module that has options includes their rows (psdvec/options/NAME.def) into an array of
 * psdvec_option and describes it by a pv_options_table. Everything else is implemented here once:
 *
 *     #define PV_OPTIONS_STRUCT psdvec_extend_options
 *     static const psdvec_option rows[] = {
 *     #include <psdvec/options/extend.def>
 *         {0}};
 *     const pv_options_table pv_extend_table = {.name = "extend", .rows = rows,
 *                                               .size = sizeof(psdvec_extend_options)};
 *
 * Messages write an option as `name`, with backquotes, and a value as `name=value`. The command
 * line replaces these by its own syntax (--name value).
 */
#ifndef PV_BASE_OPTIONS_H
#define PV_BASE_OPTIONS_H

#include "base/json.h"

#define PV_OPTION_ROW(KIND, structure, place, key, ...)                                            \
    {.name = (key),                                                                                \
     .type = PSDVEC_OPTION_##KIND,                                                                 \
     .offset = offsetof(structure, place),                                                         \
     .member = #place,                                                                             \
     __VA_ARGS__},
#undef PSDVEC_OPTION
#define PSDVEC_OPTION(KIND, type, member, key, ...)                                                \
    PV_OPTION_ROW(KIND, PV_OPTIONS_STRUCT, member, key, __VA_ARGS__)

/* The default of a list, which needs static memory. */
typedef struct pv_option_list {
    const char *text; /* as the table has it; NULL ends an array */
    const void *values;
    size_t count;
} pv_option_list;

/* Returns true if the options are compatible; each is already within its range. Otherwise writes a
 * message to `why`. */
typedef bool pv_options_rule(const void *options, char *why, size_t size);

typedef struct pv_options_table {
    const char *name;
    const psdvec_option *rows; /* ends with a row without a name */
    size_t size;               /* of the struct, whose first member is its size (size_t) */
    /* A nested options struct, which has its own size. 0 bytes: none. */
    size_t inner_offset, inner_size;
    pv_options_rule *rule; /* may be NULL */
    const pv_option_list *lists;
    /* Rows whose `needs` do not hold are neither checked nor written to files. */
    bool used_only;
} pv_options_table;

extern const pv_options_table pv_context_table;

/* Upper bound on the size of an options struct. */
#define PV_OPTIONS_MOST_BYTES 1024

const psdvec_option *pv_options_find(const pv_options_table *table, const char *name);

/* Fills a struct of the library's own size with the defaults of a preset (NULL: none). */
void pv_options_fill(const pv_options_table *table, void *options, const char *preset);
/* The same for a host's struct, whose size may differ. */
void pv_options_init(const pv_options_table *table, void *options, size_t size, size_t inner_size,
                     const char *preset);

/* Copies a host's options (NULL: the defaults), of any size, into a struct of the library's own
 * size and checks them. Called at the start of public functions. */
psdvec_status pv_options_adopt(psdvec_context *ctx, const pv_options_table *table,
                               const void *given, void *options);

/* True if each option is within its range and all are compatible. */
bool pv_options_fit(const pv_options_table *table, const void *options, char *why, size_t size);
psdvec_status pv_options_check(psdvec_context *ctx, const pv_options_table *table,
                               const void *options);

/* Writes a condition in readable form: "`weights=factored` and `rho` above 0". */
void pv_condition_text(const pv_options_table *table, const char *condition, char *to, size_t size);
/* Whether a condition such as "weights=raw|smoothed rho>0" holds. NULL holds. */
bool pv_options_hold(const pv_options_table *table, const void *options, const char *condition);

/* A member of an options struct, by the type of its row. */
typedef union pv_option_member {
    bool flag;
    int whole;
    uint32_t narrow; /* also of choices: the index */
    uint64_t wide;
    double real;
    const char *text;
    struct {
        const void *values;
        size_t count;
    } list;
} pv_option_member;
pv_option_member pv_option_get(const psdvec_option *row, const void *options);
void pv_option_set(const psdvec_option *row, pv_option_member member, void *options);
/* The member as a number; for texts whether it is set, for lists the number of elements. */
double pv_option_number(const psdvec_option *row, const void *options);
/* An element of a list of numbers. */
double pv_option_element(const psdvec_option *row, const void *values, size_t k);
/* NULL if the member's value is not one of the row's choices. */
const psdvec_choice *pv_option_choice(const psdvec_option *row, const void *options);
/* The largest integer that the type of a row can hold. */
static inline uint64_t pv_option_widest(const psdvec_option *row)
{
    return row->type == PSDVEC_OPTION_UINT64 ? UINT64_MAX
           : row->type == PSDVEC_OPTION_INT  ? INT32_MAX
                                             : UINT32_MAX;
}

/* Bytes of the member, with a list's number of elements. */
size_t pv_option_bytes(const psdvec_option *row);

/* Whether a number is within the limits of a row. */
bool pv_option_within(const psdvec_option *row, double value);

/* Parses `text` into the member; not for lists and texts. Returns false if the text is invalid. */
bool pv_option_store(const psdvec_option *row, const char *text, void *options);
/* The member as text, on the heap; NULL if it has no value or memory is exhausted. */
char *pv_option_text(const psdvec_option *row, const void *options);

/* ---- In files -------------------------------------------------------------------------- */
/* Writes the options that files store as members of the open object. */
void pv_options_put_json(pv_json_writer *writer, const pv_options_table *table,
                         const void *options);

/* Reads such an object. A missing option gets the value that the table gives for it; an unknown key
 * is named in a warning; `also` (may be NULL) lists known keys that are not options, and ends with
 * NULL; if `what` is NULL, there are no warnings. Ranges and rules are checked. `path` and `what`
 * ("training") are for messages. Texts and lists live in `memory`, which the caller has initialised
 * and frees when the options are no longer used. */
psdvec_status pv_options_read_json(psdvec_context *ctx, const pv_options_table *table,
                                   const char *path, const char *what, const char *json,
                                   const char *const *also, void *options, pv_buffer *memory);

#endif
