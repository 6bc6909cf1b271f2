/* Plans. From counts the library makes one. From text there is only an estimate, from the size of
 * the inputs and from approximate laws for large texts: for t tokens, the number of words that
 * occur at least m times depends only on t / m, and the number of pairs grows as powers of the
 * words, the text and the window. The constants below were measured on parts of the English
 * Wikipedia from 250,000 to 64 million tokens, where the estimate is off by a tenth for the words
 * and by half for the pairs. */
#include "train_plan.h"

#include "exit_status.h"
#include "phrase.h"
#include "summary.h"
#include "system.h"
#include "util/walk.h"
#include "word_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Shared ---------------------------------------------------------------------------- */

static void add_state(struct buffer *to, const struct run *run)
{
    const char *state = interrupted_state(argument_text(run->arguments, "output"));
    if (!state)
        summary_line(to, "interrupted", "none; the run starts from the beginning");
    else if (argument_flag(run->arguments, "restart"))
        summary_line(to, "interrupted", "%s, which is discarded", state);
    else
        summary_line(to, "interrupted",
                     "%s; with the same options and input, the run resumes from it", state);
}

/* Two digits: more would suggest too much accuracy. */
static double rough(double number)
{
    if (number <= 0)
        return 0;
    double unit = pow(10, floor(log10(number)) - 1);
    return round(number / unit) * unit;
}

static void add_time(struct buffer *to, double seconds)
{
    summary_line(to, "time", "%s",
                 seconds < 1 ? "less than a second"
                             : phrase("about %s", phrase_seconds(rough(seconds))));
}

static void add_words(struct buffer *to, double words, double core)
{
    summary_line(to, "words", "%s, %s", phrase_count((uint64_t)words),
                 core >= words ? "all solved together"
                               : phrase("%s solved together, the others by regression",
                                        phrase_count((uint64_t)core)));
}

/* ---- From counts ------------------------------------------------------------------------ */

static void log_plan(struct run *run, const psdvec_train_plan *plan)
{
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "plan");
    pv_json_put_u64(to, "words", plan->words);
    pv_json_put_u64(to, "core_words", plan->core_words);
    pv_json_put_u64(to, "dim", plan->dim);
    pv_json_put_u64(to, "pairs", plan->pairs);
    pv_json_put_u64(to, "memory", plan->memory);
    pv_json_put_u64(to, "memory_least", plan->memory_least);
    pv_json_put_u64(to, "memory_budget", plan->memory_budget);
    pv_json_put_bool(to, "streamed", plan->streamed);
    pv_json_put_u64(to, "core_in_memory", plan->core_in_memory);
    pv_json_put_u64(to, "temporary_bytes", plan->temporary_bytes);
    pv_json_put_u64(to, "output_bytes", plan->output_bytes);
    pv_json_put_fixed(to, "seconds", plan->seconds, 3);
    log_end(&line);
}

int train_plan_counts(struct run *run, const struct train_setup *setup, const char *counts)
{
    psdvec_train_plan plan;
    psdvec_status status = psdvec_train_plan_make(run->ctx, setup->train, counts, &plan);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    log_plan(run, &plan);
    struct buffer text = {0};
    buffer_format(&text, "Plan for %s from %s\n", argument_text(run->arguments, "output"), counts);
    add_words(&text, plan.words, plan.core_words);
    summary_line(&text, "dimensions", "%" PRIu32, plan.dim);
    summary_line(&text, "pairs", "%s of core words at most", phrase_count(plan.pairs));
    summary_line(&text, "memory", "%s with everything in memory, %s with the pairs on disk",
                 phrase_bytes((double)plan.memory), phrase_bytes((double)plan.memory_least));
    summary_line(&text, "allowed", "%s%s%s", phrase_bytes((double)plan.memory_budget),
                 plan.memory_least > plan.memory_budget
                     ? " is too little: raise --memory, or lower --core or --dim"
                 : plan.streamed ? ", so the pairs are kept in a temporary file"
                                 : ", so everything stays in memory",
                 plan.core_in_memory
                     ? phrase("; with --core %" PRIu32 " everything would stay in memory",
                              plan.core_in_memory)
                     : "");
    summary_line(&text, "disk", "%s for the model%s", phrase_bytes((double)plan.output_bytes),
                 plan.temporary_bytes ? phrase(", %s for temporary files",
                                               phrase_bytes((double)plan.temporary_bytes))
                                      : "");
    add_time(&text, plan.seconds);
    add_state(&text, run);
    output_text(&run->out, phrase_of(&text));
    return EXIT_FINE;
}

/* ---- From text: sizes ------------------------------------------------------------------- */

static bool is_packed(const char *path)
{
    static const char *const ends[] = {".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".tgz"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        size_t end = strlen(ends[k]);
        if (length > end && !strcmp(path + length - end, ends[k]))
            return true;
    }
    return false;
}

/* Adds the bytes of text in a file. */
static int add_size(void *bytes, const pv_walk_entry *entry)
{
    static const double unpacked = 3; /* approximate bytes of text per byte of a compressed file */
    if (entry->error || S_ISDIR(entry->info->st_mode))
        return *entry->inner ? 0 : entry->error;
    *(double *)bytes += (double)entry->info->st_size * (is_packed(entry->path) ? unpacked : 1);
    return 0;
}

static int text_size(struct run *run, double *bytes)
{
    const struct arguments *arguments = run->arguments;
    *bytes = 0;
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        if (!strcmp(path, "-"))
            return run_use_error(run, "--dry-run cannot estimate the size of standard input; save "
                                      "the text to a file first");
        int error = pv_walk(path, add_size, bytes);
        if (error)
            return run_error(run, EXIT_INPUT, "cannot read %s: %s", path, system_error(error));
    }
    return EXIT_FINE;
}

/* ---- From text: laws -------------------------------------------------------------------- */

struct estimate {
    double bytes, tokens, words, core, pairs, memory, output, counts, seconds;
};

/* The number of words that occur at least m times in a text of t tokens, as a function of t / m:
 * linear interpolation and extrapolation on logarithmic scales. */
static double words_seen(double share)
{
    static const struct {
        double share, words;
    } points[] = {{2475, 246},     {9947, 1222},     {49512, 5500},     {200282, 14200},
                  {800532, 32900}, {3202130, 70300}, {12820451, 155586}};
    enum { POINTS = sizeof points / sizeof *points };
    if (share <= 1)
        return 1;
    size_t k = 0;
    while (k + 2 < POINTS && share > points[k + 1].share)
        k++;
    double slope = log(points[k + 1].words / points[k].words) /
                   log(points[k + 1].share / points[k].share);
    double words = points[k].words * pow(share / points[k].share, slope);
    return words < 1 ? 1 : words;
}

/* The number of words in a list; 0 if it is not known. */
static double words_listed(struct run *run, const char *path)
{
    double words = 0;
    if (counts_file_likely(path)) {
        psdvec_counts *counts;
        if (psdvec_counts_open(run->ctx, path, &counts) != PSDVEC_OK)
            return 0;
        words = psdvec_counts_get_info(counts)->words;
        psdvec_counts_close(counts);
        return words;
    }
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    FILE *file = fopen(path, "re");
    char part[1 << 14];
    for (size_t got; file && (got = fread(part, 1, sizeof part, file)) > 0;)
        for (size_t k = 0; k < got; k++)
            words += part[k] == '\n';
    if (file)
        (void)fclose(file);
    return words;
}

/* A second set of vectors, and n-grams of half its size. They are computed with four arrays of the
 * size of the vectors, or two to three thousand bytes per word for its letters. */
static void add_readout(const psdvec_train_options *train, struct estimate *e)
{
    double vectors = 4 * e->words * train->dim;
    if (!train->centre && train->order <= 0 && train->spelling <= 0)
        return;
    e->output += vectors + (train->spelling > 0 ? vectors / 2 : 0);
    e->memory = fmax(e->memory, (train->order > 0 ? 4 : 2) * vectors);
    if (train->spelling > 0)
        e->memory = fmax(e->memory, 3 * vectors + 2500 * e->words);
}

static void make_estimate(struct run *run, const struct train_setup *setup, struct estimate *e)
{
    static const double bytes_a_word = 6.3, count_rate = 5e6; /* words per second and thread */
    static const double least_memory = 5 << 20;               /* input buffers */
    /* Seconds per pair, dimension and iteration on one thread. */
    static const double solve_cost = 1.7e-9;
    const psdvec_train_options *train = setup->train;
    const psdvec_count_options *count = setup->count;
    double threads = psdvec_threads(run->ctx), dim = train->dim;
    e->tokens = e->bytes / bytes_a_word;
    e->words = words_seen(e->tokens / (double)count->min_count);
    if (count->max_vocab)
        e->words = fmin(e->words, count->max_vocab);
    double listed = count->vocab_file ? words_listed(run, count->vocab_file) : 0;
    if (listed > 0)
        e->words = listed;
    e->core = train->core && train->core < e->words ? train->core : e->words;
    e->pairs = 1.05 * pow(e->words, 0.414) * pow(e->tokens, 0.656) * pow(count->window, 0.767);
    e->pairs = fmin(e->pairs, e->words * e->words);
    e->counts = 8 * e->pairs + 48 * e->words;
    /* A bound on the peak: arrays of pairs, some matrices of the size of the vectors, and five
     * square ones of the eigensolver's basis. Measured from 16,000 to 4 million words, 50 to 500
     * dimensions. */
    double basis = fmin(2.5 * dim, e->core);
    e->memory = 36 * e->pairs + 4 * dim * (5 * e->core + e->words) + 5 * 8 * basis * basis +
                least_memory;
    e->output = e->words * (4 * dim + 40);
    add_readout(train, e);
    /* Finding phrases reads and counts the text once per pass. */
    psdvec_phrases_options find;
    psdvec_phrases_options_default(&find);
    bool finds = count->text.phrases && !strcmp(count->text.phrases, "auto");
    double readings = 1 + (finds ? find.passes : 0);
    e->seconds = readings * e->tokens / count_rate / threads +
                 solve_cost * e->pairs * dim * train->iterations / threads;
}

int train_plan_text(struct run *run, const struct train_setup *setup)
{
    struct estimate e = {0};
    int code = text_size(run, &e.bytes);
    if (code)
        return code;
    make_estimate(run, setup, &e);
    const struct {
        const char *name;
        double value;
    } members[] = {{"bytes", e.bytes},
                   {"tokens", e.tokens},
                   {"words", e.words},
                   {"core_words", e.core},
                   {"pairs", e.pairs},
                   {"memory", e.memory},
                   {"temporary_bytes", e.counts},
                   {"output_bytes", e.output}};
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &run->log, "plan");
    pv_json_put_bool(to, "estimate", true);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        pv_json_put_fixed(to, members[k].name, members[k].value, 0);
    pv_json_put_fixed(to, "seconds", e.seconds, 3);
    log_end(&line);
    struct buffer text = {0};
    buffer_format(&text, "Estimate for %s, from the size of the text alone\n",
                  argument_text(run->arguments, "output"));
    summary_line(&text, "text", "%s, about %s words", phrase_bytes(rough(e.bytes)),
                 phrase_count((uint64_t)rough(e.tokens)));
    if (setup->count->text.phrases)
        summary_line(&text, "phrases", "%s",
                     strcmp(setup->count->text.phrases, "auto")
                         ? phrase("those of %s", setup->count->text.phrases)
                         : "found in the text first; their number is not estimated");
    add_words(&text, rough(e.words), rough(e.core));
    summary_line(&text, "dimensions", "%" PRIu32, setup->train->dim);
    summary_line(&text, "pairs", "%s", phrase_count((uint64_t)rough(e.pairs)));
    summary_line(&text, "memory", "%s with everything in memory; the limit is %s",
                 phrase_bytes(rough(e.memory)),
                 phrase_bytes((double)psdvec_memory_budget(run->ctx)));
    summary_line(&text, "disk", "%s for the model, %s for temporary counts",
                 phrase_bytes(rough(e.output)), phrase_bytes(rough(e.counts)));
    add_time(&text, e.seconds);
    add_state(&text, run);
    buffer_text(&text, "For a better estimate, count the text first and run psdvec train COUNTS "
                       "--dry-run.\n");
    output_text(&run->out, phrase_of(&text));
    return EXIT_FINE;
}
