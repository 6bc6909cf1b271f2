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

static const char of_paper[] = "Li, Zhu and Miao 2015";
/* The three PSD rows of the paper, PSD-Reg-180K, PSD-Unreg-180K and PSD-25K; the command line
 * determines the number of words of the first two. */
static const struct table_kind kinds[] = {
    {"psd", "PSD, psdvec\xe2\x80\x99s default", "Li, Zhu and Miao 2015, with psdvec's additions",
     PSDVEC_METHOD_PSD, .usual = USUAL},
    {"psd-paper", "PSD-Reg, the paper\xe2\x80\x99s model", of_paper, PSDVEC_METHOD_PSD,
     .preset = PSDVEC_PRESET_PAPER, .usual = USUAL},
    {"psd-unreg", "PSD-Unreg, the paper\xe2\x80\x99s model with mu 0", of_paper, PSDVEC_METHOD_PSD,
     PSDVEC_PRESET_PAPER, USUAL_WITH_OWN, .no_prior = true},
    {"psd-25k", "PSD-25K, the 25,000 core words of psd-paper", of_paper, PSDVEC_METHOD_PSD,
     PSDVEC_PRESET_PAPER, USUAL_WITH_OWN, .of = "psd-paper", .words = 25000},
    {"ppmi", "PPMI", "Levy, Goldberg and Dagan 2015", PSDVEC_METHOD_PPMI, .usual = USUAL},
    {"svd", "SVD of PPMI", "Levy, Goldberg and Dagan 2015", PSDVEC_METHOD_SVD, .usual = USUAL},
    {"sgns", "word2vec, skip-gram", "Mikolov et al. 2013", PSDVEC_METHOD_SGNS, .usual = USUAL},
    {"cbow", "word2vec, CBOW", "Mikolov et al. 2013", PSDVEC_METHOD_CBOW, .usual = ON_REQUEST},
    {"glove", "GloVe", "Pennington, Socher and Manning 2014", PSDVEC_METHOD_GLOVE, .usual = USUAL},
    {"cca", "Singular (CCA)", "Stratos, Collins and Hsu 2015", PSDVEC_METHOD_CCA, .usual = USUAL},
    {"sparse", "Sparse", "Faruqui et al. 2015", PSDVEC_METHOD_SPARSE, .usual = USUAL}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char sparse_of[] = "sparse-";

static const struct table_kind *find_kind(const char *name)
{
    for (size_t k = 0; k < KINDS; k++)
        if (!strcmp(kinds[k].name, name))
            return &kinds[k];
    return NULL;
}

/* ---- Names ------------------------------------------------------------------------------- */

/* Whether this is the paper's model, but trained on counts that differ from those of the paper. */
static bool counts_differ(const struct table *table, const struct table_system *system)
{
    psdvec_train_options train;
    psdvec_count_options own = table->count;
    if (system->kind->method != PSDVEC_METHOD_PSD || system->kind->preset != PSDVEC_PRESET_PAPER)
        return false;
    if (system->source != SIZE_MAX)
        return counts_differ(table, &table->systems[system->source]);
    const psdvec_count_options *used = &table->counts[system->counts].options;
    psdvec_train_options_preset(&train, PSDVEC_PRESET_PAPER, &own);
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

static size_t add_system(struct table *table, const struct table_kind *kind, const char *name)
{
    table->systems = must_grow(table->systems, table->system_count + 1, sizeof *table->systems);
    table->systems[table->system_count] = (struct table_system){
        .item = {.name = name}, .kind = kind, .source = SIZE_MAX, .counts = SIZE_MAX};
    return table->system_count++;
}

static int no_method(struct table *table, const char *name)
{
    const char *names[KINDS + 1] = {0};
    struct buffer all = {0};
    for (size_t k = 0; k < KINDS; k++) {
        names[k] = kinds[k].name;
        buffer_format(&all, "%s%s", k == 0 ? "" : k + 1 < KINDS ? ", " : " and ", kinds[k].name);
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
static size_t add_dense(struct table *table, const struct table_kind *kind)
{
    size_t k = find_system(table, kind->name), source = SIZE_MAX;
    if (k != SIZE_MAX)
        return k;
    const struct table_kind *of = kind->of ? find_kind(kind->of) : NULL;
    if (of)
        source = add_dense(table, of);
    k = add_system(table, kind, kind->name);
    table->systems[k].source = source;
    return k;
}

/* Adds codes of the vectors of `of`, which is a system, too. */
static int add_sparse(struct table *table, const char *of)
{
    const struct table_kind *dense = find_kind(of);
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
    size_t source = add_dense(table, dense), k = add_system(table, find_kind("sparse"), name);
    table->systems[k].source = source;
    return EXIT_FINE;
}

static int add_method(struct table *table, const char *name)
{
    const struct table_kind *kind = find_kind(name);
    if (kind && kind->method == PSDVEC_METHOD_SPARSE)
        return add_sparse(table, "psd");
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
        for (size_t k = 0; k < KINDS && !code; k++)
            if (kinds[k].usual == USUAL || (own && kinds[k].usual == USUAL_WITH_OWN))
                code = add_method(table, kinds[k].name);
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
static void use_authors_counting(const struct table *table, const struct table_kind *kind,
                                 psdvec_count_options *to)
{
    const struct arguments *arguments = table->run->arguments;
    psdvec_count_options own = table->count;
    psdvec_train_options train;
    psdvec_baseline_options baseline;
    if (kind->method == PSDVEC_METHOD_PSD)
        psdvec_train_options_preset(&train, kind->preset, &own);
    else
        psdvec_baseline_options_default(&baseline, kind->method, &own);
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
    psdvec_method method = system->kind->method;
    psdvec_count_options count = table->count;
    if (system->source != SIZE_MAX)
        return;
    if (argument_integer(table->run->arguments, "counting") == COUNTING_OWN)
        use_authors_counting(table, system->kind, &count);
    if (method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW)
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
