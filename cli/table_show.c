/* The table: systems in rows, test sets in columns; the cost of each step; how to read it. Its data
 * are those of psdvec eval, preceded by how the models were made; docs/how-to/compare-systems.md
 * describes them. */
#include "table.h"

#include "exit_status.h"
#include "page.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* A column of the table: one measure of a set. */
struct table_columns {
    const struct eval_row **rows; /* complete sets only, by set */
    size_t count;
};

static struct table_columns table_columns(const struct table *table)
{
    const struct eval *eval = &table->eval;
    struct table_columns columns = {.rows = lasting_alloc(eval->row_count, sizeof *columns.rows)};
    for (size_t r = 0; r < eval->row_count; r++)
        if (!eval->rows[r].section)
            columns.rows[columns.count++] = &eval->rows[r];
    return columns;
}

static enum eval_mark table_mark(const struct table *table, const struct eval_row *row,
                                 size_t model)
{
    size_t best = eval_best(&table->eval, row);
    if (model == SIZE_MAX || table->eval.apart[model])
        return MARK_NONE;
    if (best != SIZE_MAX && row->scores[model].value == row->scores[best].value)
        return MARK_BEST;
    return eval_is_alike(&table->eval, row, best, model) ? MARK_ALIKE : MARK_NONE;
}

/* .742, as in the paper; - if there is none */
static const char *value_text(double value)
{
    char digits[16];
    if (isnan(value))
        return "-";
    snprintf(digits, sizeof digits, "%.3f", fabs(value));
    bool zero = !strcmp(digits, "0.000");
    return phrase("%s%s", value < 0 && !zero ? "-" : "", digits + (digits[0] == '0'));
}

/* 300; 47.1 of 3,000; NULL for a system that is not done */
static const char *numbers_text(const struct table *table, size_t system)
{
    size_t model = table_model(table, system);
    if (model == SIZE_MAX)
        return NULL;
    const psdvec_model_info *info = psdvec_model_get_info(table->eval.models[model]);
    double each = (double)info->entries / (info->words ? info->words : 1);
    if (!info->sparse)
        return phrase("%" PRIu32, info->dim);
    return phrase("%s of %s",
                  each < 100 ? phrase("%.3g", each) : phrase_count((uint64_t)(each + 0.5)),
                  phrase_count(info->dim));
}

static const char *time_text(const struct table_cost *cost, double seconds)
{
    return phrase("%s%s", cost->more ? "> " : "", phrase_seconds(seconds));
}

/* ---- The inputs ------------------------------------------------------------------------------ */

/* The item for which the text was read; NULL: none of the existing ones. */
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

static const char *provenance_text(const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    const struct table_item *item = reader(table);
    struct buffer text = {0};
    for (size_t k = 0; k < arguments->operand_count && k < 3; k++)
        buffer_format(&text, "%s%s", k ? ", " : "", arguments->operands[k]);
    if (arguments->operand_count > 3)
        buffer_format(&text, " and %zu more", arguments->operand_count - 3);
    if (item)
        buffer_format(&text, ": %s words of text", phrase_count(item->tokens));
    if (table->eval.model_files.count)
        buffer_format(&text, "; vectors of %s words",
                      phrase_count(psdvec_model_get_info(table->eval.models[0])->words));
    return phrase_of(&text);
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

static const char *command_text(const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    const struct option_spec *option;
    struct buffer text = {0};
    buffer_text(&text, "psdvec table");
    for (size_t k = 0; k < arguments->operand_count; k++) {
        buffer_char(&text, ' ');
        buffer_text(&text, phrase_quoted(path_operand(arguments->operands[k])));
    }
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        size_t times = option->row.type == PSDVEC_OPTION_TEXTS ? value->text_count : 1;
        if (!value->given || is_idle(option->name))
            continue;
        for (size_t t = 0; t < times; t++) {
            buffer_format(&text, " --%s", option->name);
            if (option_is_switch(option))
                continue;
            buffer_char(&text, ' ');
            buffer_text(&text,
                        phrase_quoted(option->row.type == PSDVEC_OPTION_TEXTS ? value->texts[t]
                                                                              : value->text));
        }
    }
    buffer_text(&text, " -o ");
    buffer_text(&text, phrase_quoted(table->folder));
    return phrase_of(&text);
}

/* ---- How to read it -------------------------------------------------------------------------- */

static void note_counting(struct buffer *to, const struct table *table)
{
    if (argument_integer(table->run->arguments, "counting") == COUNTING_SAME) {
        buffer_format(to,
                      "All systems count the text in the same way (%s); word2vec uses a window of "
                      "random width up to that size.",
                      table_counts_words(&table->count));
    } else {
        buffer_text(to, "Each system counts as its authors did, except where an option was given.");
    }
    buffer_text(to, " Text, vocabulary and number of dimensions are the same for all; everything "
                    "else is the published default of each system.\n");
}

static void note_measures(struct buffer *to, const struct table *table)
{
    for (const struct eval_measure *measure = eval_measures; measure->word; measure++)
        for (size_t r = 0; r < table->eval.row_count; r++)
            if (&eval_measures[table->eval.rows[r].measure] == measure) {
                buffer_format(to, " %s: %s.", measure->head, measure->meaning);
                break;
            }
}

/* Systems that were kept may have been made with more or fewer threads than the others. */
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

/* Systems made by another version, which may have had other defaults. */
static void note_versions(struct buffer *to, const struct table *table)
{
    bool some = false;
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_item *item = &table->systems[k].item;
        if (!item->made_by)
            continue;
        buffer_format(to, "%s%s by psdvec %s", some ? ", " : "Made by other versions: ", item->name,
                      phrase_safe(item->made_by, strlen(item->made_by)));
        some = true;
    }
    if (some)
        buffer_text(to, "; --restart trains all of them again.\n");
}

/* Notes on how to read the table; each line is a paragraph. */
static void table_notes(struct buffer *to, const struct table *table)
{
    const psdvec_eval_options *o = &table->eval.options;
    buffer_format(to,
                  "%s: best of its column. %s: not significantly worse (p >= %.4g; paired "
                  "bootstrap for correlations, McNemar's exact test for shares).",
                  eval_mark(MARK_BEST), eval_mark(MARK_ALIKE), 1 - o->confidence);
    note_measures(to, table);
    buffer_text(to, " known: questions whose words are all in the vocabulary, the same for all "
                    "systems; others are omitted.");
    for (size_t k = 0; k < table->system_count; k++) {
        size_t model = table_model(table, k);
        if (model != SIZE_MAX && table->eval.apart[model])
            buffer_format(
                to,
                " %s has only %s words. It covers fewer and easier questions and has fewer wrong "
                "answers to choose from, so it is not compared with the others.",
                table->systems[k].item.name,
                phrase_count(psdvec_model_get_info(table->eval.models[model])->words));
    }
    if (o->resamples)
        buffer_format(to, " %" PRIu32 " bootstrap samples, seed %" PRIu64 ".", o->resamples,
                      argument_integer(table->run->arguments, "seed"));
    else
        buffer_text(to, " Without bootstrap samples, correlations are not compared.");
    buffer_char(to, '\n');
    note_counting(to, table);
    buffer_text(to, "Time and memory were measured on this machine with ");
    note_threads(to, table);
    buffer_text(to, "; memory is the peak. The total time of a system is its own time plus that "
                    "of the counts or vectors that it is trained on.");
    for (size_t k = 0; k < table->system_count; k++)
        if (table->systems[k].item.done && table->systems[k].item.cost.more) {
            buffer_text(to, " >: an earlier run of the system was killed, and its time is not "
                            "included.");
            break;
        }
    buffer_char(to, '\n');
    note_versions(to, table);
}

#define SET_COLUMNS 12 /* of a set's name */

/* ---- Machine-readable formats ---------------------------------------------------------------- */

/* The columns common to all items. */
#define ITEM_COLUMNS                                                                               \
    DATA("begins_with"), DATA("file"), DATA("made_from"), DATA("made_by"), DATA("failure"),        \
        COLUMN("seconds", NULL, .exact = 3), COLUMN("cpu_seconds", NULL, .exact = 3),              \
        DATA("memory"), DATA("threads"), DATA("more")

static void add_item(struct rows *rows, const struct table_item *item, const char *begins_with)
{
    const struct table_cost *cost = &item->cost;
    struct cell none = text_cell(NULL);
    rows_more(rows, text_cell(begins_with));
    rows_more(rows, text_cell(item->file));
    rows_more(rows, json_cell(item->settings.text));
    rows_more(rows, !item->done ? no_cell()
                                : text_cell(item->made_by ? item->made_by : psdvec_version()));
    rows_more(rows, text_cell(item->failure));
    rows_more(rows, item->done ? real_cell(cost->seconds) : none);
    rows_more(rows, item->done ? real_cell(cost->cpu) : none);
    rows_more(rows, item->done ? whole_cell(cost->memory) : none);
    rows_more(rows, item->done ? whole_cell((uint64_t)cost->threads) : none);
    rows_more(rows, truth_cell(item->done && cost->more));
}

static void show_counts(struct show *show, const struct table *table)
{
    static const struct column columns[] = {DATA("name"), DATA("tokens"), DATA("documents"),
                                            ITEM_COLUMNS};
    struct rows rows = ROWS("counts", IN_JSON, columns);
    for (size_t k = 0; k < table->counts_count; k++) {
        const struct table_item *item = &table->counts[k].item;
        rows_add(&rows, text_cell(item->name), whole_cell(item->tokens),
                 whole_cell(item->documents));
        add_item(&rows, item, phrase("text; %s", table_counts_words(&table->counts[k].options)));
    }
    show_rows(show, &rows);
}

static void show_systems(struct show *show, const struct table *table)
{
    static const struct column columns[] = {DATA("name"),    DATA("title"),  DATA("follows"),
                                            DATA("method"),  DATA("counts"), DATA("of"),
                                            DATA("numbers"), ITEM_COLUMNS};
    struct rows rows = ROWS("systems", IN_JSON, columns);
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_system *system = &table->systems[k];
        rows_add(
            &rows, text_cell(system->item.name), text_cell(table_title(table, system)),
            text_cell(system->kind->paper), text_cell(psdvec_method_name(system->kind->method)),
            text_cell(system->counts == SIZE_MAX ? NULL : table->counts[system->counts].item.name),
            text_cell(system->source == SIZE_MAX ? NULL : table->systems[system->source].item.name),
            text_cell(numbers_text(table, k)));
        add_item(&rows, &system->item, table_begins_with(table, system));
    }
    show_rows(show, &rows);
}

static void show_columns(struct show *show, const struct table *table,
                         const struct table_columns *of)
{
    static const struct column columns[] = {DATA("set"),  DATA("measure"), DATA("title"),
                                            DATA("head"), DATA("best"),    DATA("alike")};
    struct rows rows = ROWS("columns", IN_JSON, columns);
    for (size_t k = 0; k < of->count; k++) {
        const struct eval_row *row = of->rows[k];
        const struct eval_measure *measure = &eval_measures[row->measure];
        struct buffer marked[] = {[MARK_BEST] = {0}, [MARK_ALIKE] = {0}};
        for (size_t s = 0; s < table->system_count; s++) {
            enum eval_mark mark = table_mark(table, row, table_model(table, s));
            const char *name = table->systems[s].item.name;
            if (mark != MARK_NONE)
                list_add(&marked[mark], name, strlen(name));
        }
        rows_add(&rows, text_cell(table->eval.set_files.names[row->set]), text_cell(measure->word),
                 text_cell(measure->name), text_cell(measure->head),
                 json_cell(list_get(&marked[MARK_BEST])), json_cell(list_get(&marked[MARK_ALIKE])));
        buffer_free(&marked[MARK_BEST]);
        buffer_free(&marked[MARK_ALIKE]);
    }
    show_rows(show, &rows);
}

static void show_table_data(struct show *show, const struct table *table,
                            const struct table_columns *columns, const char *summary,
                            const char *notes)
{
    const struct arguments *arguments = table->run->arguments;
    struct buffer inputs = {0}, paragraphs = {0};
    for (size_t k = 0; k < arguments->operand_count; k++)
        list_add(&inputs, arguments->operands[k], strlen(arguments->operands[k]));
    for (const char *end; *notes; notes = end + 1) {
        end = strchr(notes, '\n');
        list_add(&paragraphs, notes, (size_t)(end - notes));
    }
    show_data(show, "version", text_cell(psdvec_version()));
    show_data(show, "command", text_cell(command_text(table)));
    show_data(show, "summary", text_cell(summary));
    show_json(show, "inputs", NULL, list_get(&inputs));
    show_data(show, "counting",
              text_cell(counting_words[argument_integer(arguments, "counting")].name));
    show_data(show, "dim", whole_cell(argument_integer(arguments, "dim")));
    show_data(show, "threads", whole_cell((uint64_t)psdvec_threads(table->run->ctx)));
    show_counts(show, table);
    show_systems(show, table);
    show_columns(show, table, columns);
    show_json(show, "notes", NULL, list_get(&paragraphs));
    eval_show_data(show, &table->eval);
    buffer_free(&inputs);
    buffer_free(&paragraphs);
}

/* ---- Output for people ----------------------------------------------------------------------- */

static void add_score(struct rows *rows, const struct table *table, const struct eval_row *row,
                      size_t model)
{
    enum eval_mark mark = table_mark(table, row, model);
    const char *value = model == SIZE_MAX ? "failed" : value_text(row->scores[model].value);
    if (mark == MARK_BEST)
        value = phrase(STYLE_BOLD "%s" STYLE_PLAIN STYLE_GREEN, value);
    else if (mark == MARK_ALIKE)
        value = phrase("%s" STYLE_DIM, value);
    rows_more(rows, shown_as(no_cell(), phrase("%s%s", value, eval_mark(mark))));
}

static void add_known(struct rows *rows, const struct table_columns *of, const char *label,
                      size_t model)
{
    rows_add(rows, styled_as(text_cell(label), DIM));
    for (size_t k = 0; k < of->count; k++) {
        bool first = !k || of->rows[k]->set != of->rows[k - 1]->set;
        const char *percent = first ? eval_percent(&of->rows[k]->scores[model]) : "";
        rows_more(rows, styled_as(shown_as(no_cell(), phrase("%s ", percent)), DIM));
    }
}

static void show_scores(struct show *show, const struct table *table,
                        const struct table_columns *of)
{
    struct column *columns = lasting_alloc(of->count + 1, sizeof *columns);
    struct rows rows = {.where = FOR_PEOPLE,
                        .columns = columns,
                        .column_count = of->count + 1,
                        .heading = DIM,
                        .keys = 1,
                        .group_most = SET_COLUMNS};
    columns[0] = (struct column)COLUMN(NULL, "", .group = "system");
    for (size_t k = 0; k < of->count; k++)
        columns[k + 1] = (struct column)COLUMN(
            NULL, eval_measures[of->rows[k]->measure].head,
            .group = table->eval.set_files.names[of->rows[k]->set], .gap = 2, .right = true);
    for (size_t s = 0; s < table->system_count; s++) {
        rows_add(&rows, text_cell(table->systems[s].item.name));
        for (size_t k = 0; k < of->count; k++)
            add_score(&rows, table, of->rows[k], table_model(table, s));
    }
    add_known(&rows, of, "known", 0);
    for (size_t s = 0; s < table->system_count; s++)
        if (table_model(table, s) != SIZE_MAX && table->eval.apart[table_model(table, s)])
            add_known(&rows, of, phrase("by %s", table->systems[s].item.name),
                      table_model(table, s));
    show_rows(show, &rows);
}

static void add_cost(struct rows *rows, const struct table_item *item, enum style style,
                     const char *name, const char *numbers, const char *from)
{
    const struct table_cost *cost = &item->cost;
    bool done = item->done;
    rows_add(rows, styled_as(text_cell(name), style),
             text_cell(done ? time_text(cost, cost->seconds) : "failed"),
             text_cell(done ? time_text(cost, cost->cpu) : NULL),
             text_cell(done ? phrase_bytes((double)cost->memory) : NULL), text_cell(numbers),
             text_cell(from));
}

static void show_costs(struct show *show, const struct table *table)
{
    static const struct column columns[] = {
        COLUMN(NULL, "", .gap = 0),
        COLUMN(NULL, "time", .gap = 2, .right = true),
        COLUMN(NULL, "CPU", .gap = 2, .right = true),
        COLUMN(NULL, "memory", .gap = 2, .right = true),
        COLUMN(NULL, "dimensions", .gap = 2, .right = true),
        COLUMN(NULL, "from", .gap = 2, .style = DIM, .rest = true)};
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    rows.heading = DIM;
    for (size_t k = 0; k < table->counts_count; k++)
        add_cost(&rows, &table->counts[k].item, DIM, "counting", NULL,
                 phrase("text, %s", table->counts[k].item.name));
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_system *system = &table->systems[k];
        add_cost(&rows, &system->item, PLAIN, system->item.name, numbers_text(table, k),
                 table_begins_with(table, system));
    }
    show_rows(show, &rows);
}

static void show_failure(struct show *show, const struct table_item *item, const char *what)
{
    if (item->failure)
        show_note(show,
                  phrase("%s failed: %s", what, phrase_safe(item->failure, strlen(item->failure))));
}

static void table_show(struct show *show, const struct table *table)
{
    struct table_columns columns = table_columns(table);
    const char *summary = provenance_text(table);
    struct buffer notes = {0};
    table_notes(&notes, table);
    show_open(show);
    show_table_data(show, table, &columns, summary, notes.text);
    show_title(show, phrase_safe(summary, strlen(summary)));
    show_gap(show);
    show_scores(show, table, &columns);
    show_gap(show);
    show_costs(show, table);
    show_gap(show);
    for (size_t k = 0; k < table->counts_count; k++)
        show_failure(show, &table->counts[k].item, "counting");
    for (size_t k = 0; k < table->system_count; k++)
        show_failure(show, &table->systems[k].item, table->systems[k].item.name);
    show_note(show, notes.text);
    if (show->form == &show_markdown) { /* which may be read without the command */
        const char *command = command_text(table);
        show_title(show, phrase("Made by psdvec %s:", psdvec_version()));
        show_chart(show, phrase("%s\n", phrase_safe(command, strlen(command))));
    }
    show_close(show);
    buffer_free(&notes);
}

int table_write_all(struct table *table)
{
    static const struct {
        const char *name;
        enum format format;
    } files[] = {{"table.md", FORMAT_MARKDOWN}, {"table.json", FORMAT_JSON}};
    enum { FILES = sizeof files / sizeof *files };
    struct show shows[FILES], printed;
    struct buffer page = {0};
    int code = EXIT_FINE;
    for (size_t k = 0; k < FILES; k++) {
        show_start_as(&shows[k], table->run, false, files[k].format);
        table_show(&shows[k], table);
        int wrote = table_write(table, files[k].name, &shows[k].text);
        code = code ? code : wrote;
    }
    page_add(&page, page_table, &shows[1].text, &shows[0].text);
    int wrote = table_write(table, "table.html", &page);
    for (size_t k = 0; k < FILES; k++)
        buffer_clear(&shows[k].text);
    for (size_t k = 0; k < FILES; k++)
        show_end(&shows[k]);
    buffer_free(&page);
    show_start(&printed, table->run, false);
    table_show(&printed, table);
    show_end(&printed);
    return code ? code : wrote;
}
