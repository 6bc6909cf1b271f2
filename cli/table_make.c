/* Making the items of a table: counts first, then one system after the other, each in a separate
 * context so that its memory can be measured. Failures are reported, and the system is left out;
 * only a request to stop, and text that cannot be counted, stop everything. */
#include "table.h"

#include "exit_status.h"
#include "system.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
           (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}

/* Rounded as in the record, so that the next run shows the same. */
static double round_to_ms(double seconds)
{
    return round(seconds * 1000) / 1000;
}

static void fail(struct table_item *item, psdvec_status status, const char *sentence)
{
    item->status = status;
    item->failure = phrase("%s", sentence);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static const char *cost_text(const struct table_cost *cost)
{
    return phrase("%s%s, %s", cost->more ? "more than " : "", phrase_seconds(cost->seconds),
                  phrase_bytes((double)cost->memory));
}

/* The time that all remaining items took in an earlier run, if known for all; otherwise 0. */
static double rest(const struct table *table)
{
    double seconds = 0;
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_item *item = &table->systems[k].item;
        if (item->done || item->failure)
            continue;
        if (item->guess <= 0)
            return 0;
        seconds += item->guess;
    }
    return seconds;
}

static void print_header(struct table *table, const struct table_system *system, size_t number)
{
    const struct palette *palette = &table->run->talk.palette;
    const struct table_item *item = &system->item;
    const char *state = "", *left = "";
    if (item->done)
        state = phrase("        from an earlier run%s%s: %s\n",
                       item->made_by ? ", made by psdvec " : "",
                       item->made_by ? phrase_safe(item->made_by, strlen(item->made_by)) : "",
                       cost_text(&item->cost));
    else if (item->begun)
        state = "        resumed\n";
    else if (item->changed)
        state = "        trained again: settings or text have changed\n";
    if (!item->done && rest(table) > 0)
        left =
            phrase("        about %s left, as in the earlier run\n", phrase_seconds(rest(table)));
    talk_say(&table->run->talk,
             phrase("%s%zu of %zu  %s%s  %s\n%s%s", palette->bold, number, table->system_count,
                    item->name, palette->plain, table_title(table, system), state, left));
}

/* `what`: the system, or "counting". */
static void report_item(struct table *table, const struct table_item *item, const char *what)
{
    if (item->failure) {
        run_failed_because(table->run, item->status, phrase("%s failed: %s", what, item->failure));
        return;
    }
    talk_say(&table->run->talk, phrase("        %s\n", cost_text(&item->cost)));
    struct log_line line;
    pv_json_writer *to = log_begin(&line, &table->run->log, "item");
    pv_json_put_string(to, "item", item->name);
    pv_json_put_fixed(to, "seconds", item->cost.seconds, 3);
    pv_json_put_fixed(to, "cpu_seconds", item->cost.cpu, 3);
    pv_json_put_u64(to, "memory", item->cost.memory);
    log_end(&line);
}

/* ---- Work ------------------------------------------------------------------------------------ */

typedef psdvec_status work_fn(struct table *table, void *what);

static const char *no_record(const struct table *table, int error)
{
    return phrase("cannot write into %s: %s%s", table->records, system_error(error),
                  error == ENOSPC ? "; free some space and run it again" : "");
}

/* Does the work in a separate context, and writes the record. */
static int work(struct table *table, struct table_item *item, work_fn *fn, void *what)
{
    struct run *run = table->run;
    psdvec_context *outer = run->ctx;
    int error = table_record(table, item, false);
    if (error) {
        fail(item,
             error == ENOSPC   ? PSDVEC_ERR_DISK_FULL
             : error == ENOMEM ? PSDVEC_ERR_MEMORY
                               : PSDVEC_ERR_WRITE,
             no_record(table, error));
        return EXIT_FINE;
    }
    run->ctx = NULL;
    int code = run_library(run);
    if (code) {
        run->ctx = outer;
        return code;
    }
    double seconds = pv_now(), cpu = cpu_seconds();
    psdvec_status status = fn(table, what);
    uint64_t memory = psdvec_peak_memory(run->ctx);
    item->cost.seconds = round_to_ms(item->cost.seconds + pv_now() - seconds);
    item->cost.cpu = round_to_ms(item->cost.cpu + cpu_seconds() - cpu);
    item->cost.memory = memory > item->cost.memory ? memory : item->cost.memory;
    item->cost.threads = psdvec_threads(run->ctx);
    item->done = item->there = status == PSDVEC_OK;
    if (status != PSDVEC_OK)
        fail(item, status, psdvec_error_message(run->ctx));
    psdvec_context_free(run->ctx);
    run->ctx = outer;
    talk_erase(&run->talk);
    error = table_record(table, item, true);
    if (error && item->done) /* it exists, but the next run will make it again */
        talk_warning(&run->talk, no_record(table, error));
    return EXIT_FINE;
}

static psdvec_status count(struct table *table, void *what)
{
    struct table_counts *counts = what;
    const struct arguments *arguments = table->run->arguments;
    psdvec_count_report report = {0};
    psdvec_status status = psdvec_count(table->run->ctx, &counts->options, arguments->operands,
                                        arguments->operand_count, counts->item.file, &report);
    counts->item.tokens = report.tokens;
    counts->item.documents = report.documents;
    return status;
}

static psdvec_status train(struct table *table, void *what)
{
    struct table_system *system = what;
    const struct arguments *arguments = table->run->arguments;
    psdvec_count_report report = {0};
    const char *source = system->source != SIZE_MAX   ? table->systems[system->source].item.file
                         : system->counts != SIZE_MAX ? table->counts[system->counts].item.file
                                                      : NULL;
    psdvec_status status = psdvec_system_train(
        table->run->ctx, system->kind, (uint32_t)argument_integer(arguments, "dim"),
        argument_flag(arguments, "restart"), source, &system->reading, arguments->operands,
        arguments->operand_count, system->item.file, &report);
    system->item.tokens = report.tokens;
    system->item.documents = report.documents;
    return status;
}

/* ---- In order -------------------------------------------------------------------------------- */

int table_stopped(struct table *table)
{
    size_t done = 0;
    for (size_t k = 0; k < table->system_count; k++)
        done += table->systems[k].item.done;
    return run_failed_because(
        table->run, PSDVEC_ERR_CANCELLED,
        phrase("stopped; %zu of %zu systems are done and kept in %s, and the same command%s "
               "resumes from there",
               done, table->system_count, table->folder,
               argument_flag(table->run->arguments, "restart") ? " without --restart" : ""));
}

static int make_counts(struct table *table, struct table_counts *counts)
{
    struct table_item *item = &counts->item;
    if (item->there || item->failure)
        return EXIT_FINE;
    const struct palette *palette = &table->run->talk.palette;
    talk_say(&table->run->talk, phrase("%scounting%s  %s\n", palette->bold, palette->plain,
                                       table_counts_words(&counts->options)));
    item->done = item->kept = false;
    item->made_by = NULL;
    item->cost = (struct table_cost){0};
    int code = work(table, item, count, counts);
    if (code)
        return code;
    if (item->status == PSDVEC_ERR_CANCELLED)
        return table_stopped(table);
    if (exit_for(item->status) == EXIT_INPUT)
        return run_failed_because(table->run, item->status, item->failure);
    report_item(table, item, "counting");
    return EXIT_FINE;
}

/* Returns false if what it starts from could not be made. */
static bool has_source(struct table *table, struct table_system *system)
{
    const struct table_item *source = NULL;
    if (system->counts != SIZE_MAX)
        source = &table->counts[system->counts].item;
    else if (system->source != SIZE_MAX)
        source = &table->systems[system->source].item;
    if (!source || !source->failure)
        return true;
    fail(&system->item, source->status,
         phrase("it depends on %s, which failed",
                system->counts != SIZE_MAX ? "counts" : source->name));
    return false;
}

static int make_system(struct table *table, size_t k, size_t *number)
{
    struct table_system *system = &table->systems[k];
    struct table_item *item = &system->item;
    struct table_counts *counts = system->counts == SIZE_MAX ? NULL
                                                             : &table->counts[system->counts];
    int code = EXIT_FINE;
    if (!item->done && counts)
        code = make_counts(table, counts);
    if (code)
        return code;
    print_header(table, system, ++*number);
    if (item->done)
        return EXIT_FINE;
    if (has_source(table, system))
        code = work(table, item, train, system);
    if (code)
        return code;
    if (item->status == PSDVEC_ERR_CANCELLED)
        return table_stopped(table);
    report_item(table, item, item->name);
    return EXIT_FINE;
}

int table_make(struct table *table)
{
    size_t number = 0;
    int code = EXIT_FINE;
    /* A source comes before what is made from it. */
    for (size_t k = 0; k < table->system_count && !code; k++)
        code = make_system(table, k, &number);
    return code;
}
