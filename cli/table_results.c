/* What the forms of a table share: its columns, its marks, what it is of and how to read it. */
#include "table.h"

#include "cell.h"
#include "human.h"
#include "table_settings.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const measure_heads[] = {[PSDVEC_MEASURE_SPEARMAN] = "rho",
                                     [PSDVEC_MEASURE_ADD] = "Add",
                                     [PSDVEC_MEASURE_MUL] = "Mul",
                                     [PSDVEC_MEASURE_RIGHT] = "right",
                                     [PSDVEC_MEASURE_PURITY] = "purity"};

struct table_columns table_columns(const struct table *table)
{
    const struct eval *eval = &table->eval;
    struct table_columns columns = {.rows = must_alloc(eval->row_count, sizeof *columns.rows)};
    for (size_t r = 0; r < eval->row_count; r++)
        if (!eval->rows[r].section)
            columns.rows[columns.count++] = &eval->rows[r];
    return columns;
}

enum table_mark table_mark(const struct table *table, const struct eval_row *row, size_t model)
{
    size_t best = eval_best(&table->eval, row);
    if (best != SIZE_MAX && row->scores[model].value == row->scores[best].value)
        return MARK_BEST;
    return eval_is_alike(&table->eval, row, best, model) ? MARK_ALIKE : MARK_NONE;
}

void table_value(struct buffer *to, double value)
{
    char digits[16];
    if (isnan(value)) {
        buffer_char(to, '-');
        return;
    }
    snprintf(digits, sizeof digits, "%.3f", fabs(value));
    bool zero = !strcmp(digits, "0.000");
    buffer_format(to, "%s%s", value < 0 && !zero ? "-" : "", digits + (digits[0] == '0'));
}

struct table_marks table_marks(void)
{
    return terminal_unicode() ? (struct table_marks){"▲", "≈"} : (struct table_marks){"^", "~"};
}

void table_numbers(struct buffer *to, const psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    if (info->sparse) {
        double each = (double)info->entries / (info->words ? info->words : 1);
        if (each < 100)
            buffer_format(to, "%.3g", each);
        else
            human_count(to, (uint64_t)(each + 0.5));
        buffer_text(to, " of ");
        human_count(to, info->dim);
    } else {
        buffer_format(to, "%" PRIu32, info->dim);
    }
}

void table_time(struct buffer *to, const struct table_cost *cost, double seconds)
{
    buffer_text(to, cost->more ? "> " : "");
    human_seconds(to, seconds);
}

/* ---- What it is of ---------------------------------------------------------------------------- */

/* The item for which the text was read; NULL: none of those that are there. */
static const struct table_item *reader(const struct table *table)
{
    for (size_t k = 0; k < table->counts_count; k++)
        if (table->counts[k].item.tokens)
            return &table->counts[k].item;
    for (size_t k = 0; k < table->system_count; k++)
        if (table->systems[k].item.tokens)
            return &table->systems[k].item;
    return NULL;
}

void table_provenance(struct buffer *to, const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    const struct table_item *item = reader(table);
    for (size_t k = 0; k < arguments->operand_count && k < 3; k++)
        buffer_format(to, "%s%s", k ? ", " : "", arguments->operands[k]);
    if (arguments->operand_count > 3)
        buffer_format(to, " and %zu more", arguments->operand_count - 3);
    if (item) {
        buffer_text(to, ": ");
        human_count(to, item->tokens);
        buffer_text(to, " words of text");
    }
    if (table->eval.model_files.count) {
        buffer_text(to, "; vectors of ");
        human_count(to, psdvec_model_get_info(table->eval.models[0])->words);
        buffer_text(to, " words");
    }
}

static void add_quoted(struct buffer *to, const char *text)
{
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
    if (*text && !text[strspn(text, safe)]) {
        buffer_text(to, text);
        return;
    }
    buffer_char(to, '\'');
    for (; *text; text++)
        if (*text == '\'')
            buffer_text(to, "'\\''");
        else
            buffer_char(to, *text);
    buffer_char(to, '\'');
}

static bool is_idle(const char *name)
{
    static const char *const names[] = {"output", "quiet",   "verbose", "log",
                                        "color",  "restart", "format"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k], name))
            return true;
    return false;
}

void table_command(struct buffer *to, const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    const struct option_spec *option;
    buffer_text(to, "psdvec table");
    for (size_t k = 0; k < arguments->operand_count; k++) {
        char *path = must_format("%s%s", arguments->operands[k][0] == '-' ? "./" : "",
                                 arguments->operands[k]); /* it is no option */
        buffer_char(to, ' ');
        add_quoted(to, path);
        free(path);
    }
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        size_t times = option->row.type == PSDVEC_OPTION_TEXTS ? value->text_count : 1;
        if (!value->given || is_idle(option->name))
            continue;
        for (size_t t = 0; t < times; t++) {
            buffer_format(to, " --%s", option->name);
            if (option_is_switch(option))
                continue;
            buffer_char(to, ' ');
            add_quoted(to, option->row.type == PSDVEC_OPTION_TEXTS ? value->texts[t] : value->text);
        }
    }
    buffer_text(to, " -o ");
    add_quoted(to, table->folder);
}

/* ---- How to read it ------------------------------------------------------------------------------ */

static void note_counting(struct buffer *to, const struct table *table)
{
    if (argument_integer(table->run->arguments, "counting") == COUNTING_SAME) {
        buffer_text(to, "All systems read the text in the same way (");
        table_counts_words(to, &table->count);
        buffer_text(to, "), word2vec with its own window of random width up to that.");
    } else {
        buffer_text(to, "Each system counts as its authors did, unless an option said otherwise.");
    }
    buffer_text(to, " Text, words and numbers in a vector are the same for all; everything else is "
                    "each system's published default.\n");
}

static void note_measures(struct buffer *to, const struct table *table)
{
    static const char *const meanings[] = {
        [PSDVEC_MEASURE_SPEARMAN] = "Spearman's correlation of cosines with what people say",
        [PSDVEC_MEASURE_ADD] = "share of analogies solved by 3CosAdd",
        [PSDVEC_MEASURE_MUL] = "the same by 3CosMul",
        [PSDVEC_MEASURE_RIGHT] = "share of choices that are right",
        [PSDVEC_MEASURE_PURITY] = "that of the clusters that k-means finds"};
    bool used[sizeof meanings / sizeof *meanings] = {false};
    for (size_t r = 0; r < table->eval.row_count; r++)
        used[table->eval.rows[r].measure] = true;
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
        if (used[k])
            buffer_format(to, " %s: %s.", measure_heads[k], meanings[k]);
}

/* Those that were kept may have been made with more or fewer than the rest. */
static void note_threads(struct buffer *to, const struct table *table)
{
    int least = INT_MAX, most = 0;
    for (size_t k = 0; k < table->counts_count + table->system_count; k++) {
        const struct table_item *item = k < table->counts_count
                                            ? &table->counts[k].item
                                            : &table->systems[k - table->counts_count].item;
        if (!item->done)
            continue;
        least = item->cost.threads < least ? item->cost.threads : least;
        most = item->cost.threads > most ? item->cost.threads : most;
    }
    if (least < most)
        buffer_format(to, "%d to ", least);
    buffer_format(to, "%d thread%s", most, most == 1 ? "" : "s");
}

/* Systems of another version, which may have had other defaults. */
static void note_versions(struct buffer *to, const struct table *table)
{
    bool some = false;
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_item *item = &table->systems[k].item;
        if (!item->made_by)
            continue;
        buffer_format(to, "%s%s by psdvec ", some ? ", " : "Made by another version: ", item->name);
        cell_text(to, item->made_by, strlen(item->made_by));
        some = true;
    }
    if (some)
        buffer_text(to, "; --restart makes all anew.\n");
}

void table_notes(struct buffer *to, const struct table *table)
{
    struct table_marks marks = table_marks();
    const psdvec_eval_options *o = &table->eval.options;
    buffer_format(to,
                  "%s: best of its column. %s: not worse than it by more than chance (p >= %.4g; "
                  "paired bootstrap for correlations, McNemar's exact test for shares).",
                  marks.best, marks.alike, 1 - o->confidence);
    note_measures(to, table);
    buffer_text(to, " known: questions all of whose words the vocabulary has, the same for all "
                    "systems; others are left out.");
    if (o->resamples)
        buffer_format(to, " %" PRIu32 " resamples, seed %" PRIu64 ".", o->resamples,
                      argument_integer(table->run->arguments, "seed"));
    else
        buffer_text(to, " Without resamples, correlations are not compared.");
    buffer_char(to, '\n');
    note_counting(to, table);
    buffer_text(to, "Time and memory are those of this machine with ");
    note_threads(to, table);
    buffer_text(to, "; memory is the most that was held at once. A system takes its own time and "
                    "that of what it begins with.");
    for (size_t k = 0; k < table->system_count; k++)
        if (table->systems[k].item.done && table->systems[k].item.cost.more) {
            buffer_text(to, " >: the run was killed on the way, and what it took before is not in "
                            "the time.");
            break;
        }
    buffer_char(to, '\n');
    note_versions(to, table);
}
