/* The systems of the table, what each starts from, and their names.
 *
 * All have the same text, vocabulary and number of dimensions. Those that start from counts share
 * them if their settings agree: with --counting same this is all of them, with the options of the
 * command, and those of psd where none is given; with --counting own each counts like its authors,
 * except for options that are given. */
#include "table.h"

#include "exit_status.h"
#include "options.h"

#include <inttypes.h>
#include <string.h>

static const char sparse_of[] = "sparse-";

/* ---- Names ------------------------------------------------------------------------------- */

/* Whether this is the paper's model, but trained on counts that differ from those of the paper. */
static bool counts_differ(const struct table *table, const struct table_system *system)
{
    psdvec_count_options own = table->count;
    if (system->kind->method != PSDVEC_METHOD_PSD || system->kind->preset != PSDVEC_PRESET_PAPER)
        return false;
    if (system->source != SIZE_MAX)
        return counts_differ(table, &table->systems[system->source]);
    const psdvec_count_options *used = &table->counts[system->counts].options;
    psdvec_system_counting(system->kind, &own);
    return used->window != own.window || used->distance != own.distance || used->oov != own.oov ||
           used->subsample != own.subsample;
}

const char *table_title(const struct table *table, const struct table_system *system)
{
    if (system->kind->method == PSDVEC_METHOD_SPARSE)
        return phrase("%s codes of %s", system->kind->title,
                      table->systems[system->source].item.name);
    return phrase("%s%s", system->kind->title,
                  counts_differ(table, system) ? ", on other counts than the paper\xe2\x80\x99s"
                                               : "");
}

const char *table_counts_words(const psdvec_count_options *o)
{
    return phrase("window %" PRIu32 ", %s, unknown words %s, %s", o->window,
                  option_word(PSDVEC_OPTIONS_COUNT, "distance", o->distance),
                  o->oov == PSDVEC_OOV_DROP ? "dropped" : "kept",
                  o->subsample > 0 ? phrase("subsample %g", o->subsample) : "no subsampling");
}

const char *table_begins_with(const struct table *table, const struct table_system *system)
{
    if (system->source != SIZE_MAX)
        return phrase("vectors of %s", table->systems[system->source].item.name);
    if (system->counts != SIZE_MAX)
        return phrase("counts %s", table->counts[system->counts].item.name);
    return phrase("text, window %" PRIu32 ", subsample %g", system->reading.window,
                  system->reading.subsample);
}

/* ---- --methods ----------------------------------------------------------------------------- */

static size_t find_system(const struct table *table, const char *name)
{
    for (size_t k = 0; k < table->system_count; k++)
        if (!strcmp(table->systems[k].item.name, name))
            return k;
    return SIZE_MAX;
}

static size_t add_system(struct table *table, const psdvec_system *kind, const char *name)
{
    table->systems = must_grow(table->systems, table->system_count + 1, sizeof *table->systems);
    table->systems[table->system_count] = (struct table_system){
        .item = {.name = name}, .kind = kind, .source = SIZE_MAX, .counts = SIZE_MAX};
    return table->system_count++;
}

static int no_method(struct table *table, const char *name)
{
    size_t count = 0;
    struct buffer all = {0};
    while (psdvec_system_at(count))
        count++;
    const char **names = lasting_alloc(count + 1, sizeof *names); /* ends with NULL */
    for (size_t k = 0; k < count; k++) {
        names[k] = psdvec_system_at(k)->name;
        buffer_format(&all, "%s%s", k == 0 ? "" : k + 1 < count ? ", " : " and ", names[k]);
    }
    const char *list = phrase_of(&all), *near = *name ? psdvec_suggest(name, names) : NULL;
    if (near)
        return run_use_error(table->run, "--methods: there is no method '%s'; did you mean '%s'?",
                             name, near);
    return run_use_error(table->run,
                         "--methods: there is no method '%s'; the methods are %s, and sparse-NAME "
                         "for sparse codes of the vectors of NAME",
                         name, list);
}

/* Also adds the system that it is made from, unless that exists. */
static size_t add_dense(struct table *table, const psdvec_system *kind)
{
    size_t k = find_system(table, kind->name), source = SIZE_MAX;
    if (k != SIZE_MAX)
        return k;
    const psdvec_system *of = kind->source ? psdvec_system_find(kind->source) : NULL;
    if (of)
        source = add_dense(table, of);
    k = add_system(table, kind, kind->name);
    table->systems[k].source = source;
    return k;
}

/* Adds codes of the vectors of `of`, which is a system, too. */
static int add_sparse(struct table *table, const char *of)
{
    const psdvec_system *dense = psdvec_system_find(of);
    if (!dense)
        return no_method(table, of);
    if (dense->method == PSDVEC_METHOD_SPARSE || dense->method == PSDVEC_METHOD_PPMI)
        return run_use_error(table->run,
                             "--methods: %s%s would be sparse codes of vectors that are already "
                             "sparse; omit it",
                             sparse_of, of);
    const char *name = phrase("%s%s", sparse_of, of);
    if (find_system(table, name) != SIZE_MAX)
        return run_use_error(table->run, "--methods: %s is given twice", name);
    size_t source = add_dense(table, dense),
           k = add_system(table, psdvec_system_find("sparse"), name);
    table->systems[k].source = source;
    return EXIT_FINE;
}

static int add_method(struct table *table, const char *name)
{
    const psdvec_system *kind = psdvec_system_find(name);
    if (kind && kind->method == PSDVEC_METHOD_SPARSE)
        return add_sparse(table, kind->source);
    if (!kind && !strncmp(name, sparse_of, strlen(sparse_of)))
        return add_sparse(table, name + strlen(sparse_of));
    if (!kind)
        return no_method(table, name);
    size_t k = add_dense(table, kind);
    if (table->systems[k].named)
        return run_use_error(table->run, "--methods: %s is given twice", name);
    table->systems[k].named = true;
    return EXIT_FINE;
}

static int read_methods(struct table *table)
{
    const char *text = argument_text(table->run->arguments, "methods");
    bool own = argument_integer(table->run->arguments, "counting") == COUNTING_OWN;
    int code = EXIT_FINE;
    if (!text) {
        const psdvec_system *kind;
        for (size_t k = 0; !code && (kind = psdvec_system_at(k)); k++)
            if (kind->usual || (own && kind->usual_with_own))
                code = add_method(table, kind->name);
        return code;
    }
    for (const char *at = text, *end; !code; at = end + 1) {
        end = at + strcspn(at, ",");
        code = add_method(table, phrase("%.*s", (int)(end - at), at));
        if (!*end)
            break;
    }
    return code;
}

/* ---- What each starts from ------------------------------------------------------------------ */

static size_t find_counts(struct table *table, const psdvec_count_options *options)
{
    /* "w10-harmonic-drop-0.001" */
    const char *name = phrase("w%" PRIu32 "-%s-%s-%g", options->window,
                              option_word(PSDVEC_OPTIONS_COUNT, "distance", options->distance),
                              option_word(PSDVEC_OPTIONS_COUNT, "oov", options->oov),
                              options->subsample);
    size_t k = 0;
    while (k < table->counts_count && strcmp(table->counts[k].item.name, name) != 0)
        k++;
    if (k == table->counts_count) {
        table->counts = must_grow(table->counts, k + 1, sizeof *table->counts);
        table->counts[k] = (struct table_counts){.item = {.name = name}, .options = *options};
        table->counts_count++;
    }
    return k;
}

/* Counts like its authors, except for options that were given. */
static void use_authors_counting(const struct table *table, const psdvec_system *kind,
                                 psdvec_count_options *to)
{
    const struct arguments *arguments = table->run->arguments;
    psdvec_count_options own = table->count;
    psdvec_system_counting(kind, &own);
    if (!argument(arguments, "window")->given)
        to->window = own.window;
    if (!argument(arguments, "distance")->given)
        to->distance = own.distance;
    if (!argument(arguments, "oov")->given)
        to->oov = own.oov;
    if (!argument(arguments, "subsample")->given)
        to->subsample = own.subsample;
}

static void assign_counts(struct table *table, struct table_system *system)
{
    psdvec_count_options count = table->count;
    if (system->source != SIZE_MAX)
        return;
    if (argument_integer(table->run->arguments, "counting") == COUNTING_OWN)
        use_authors_counting(table, system->kind, &count);
    if (system->kind->reads_text)
        system->reading = count;
    else
        system->counts = find_counts(table, &count);
}

int table_gather(struct table *table)
{
    const psdvec_count_options *count = options_take_count(table->run);
    if (!count)
        return table->run->refusal;
    table->count = *count;
    table->count.hold_out = 0; /* the same counts for all systems, of the complete text */
    int code = read_methods(table);
    for (size_t k = 0; k < table->system_count && !code; k++)
        assign_counts(table, &table->systems[k]);
    return code ? code : table_settings(table);
}

size_t table_model(const struct table *table, size_t system)
{
    size_t model = 0;
    for (size_t k = 0; k < system; k++)
        model += table->systems[k].item.done;
    return table->systems[system].item.done ? model : SIZE_MAX;
}
