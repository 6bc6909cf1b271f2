/* The table as Markdown. */
#include "table.h"

#include "cell.h"
#include "eval_print.h"
#include "human.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_heads(struct buffer *to, const struct table *table,
                      const struct table_columns *columns)
{
    buffer_text(to, "| system |");
    for (size_t k = 0; k < columns->count; k++) {
        const struct eval_row *row = columns->rows[k];
        buffer_char(to, ' ');
        markdown_text(to, table->eval.set_files.names[row->set]);
        buffer_format(to, " %s |", measure_heads[row->measure]);
    }
    buffer_text(to, "\n|---|");
    for (size_t k = 0; k < columns->count; k++)
        buffer_text(to, "--:|");
    buffer_char(to, '\n');
}

static void add_scores(struct buffer *to, const struct table *table,
                       const struct table_columns *columns)
{
    for (size_t s = 0; s < table->system_count; s++) {
        size_t model = table_model(table, s);
        buffer_format(to, "| %s |", table->systems[s].item.name);
        for (size_t k = 0; k < columns->count; k++) {
            const struct eval_row *row = columns->rows[k];
            enum table_mark mark = model == SIZE_MAX ? MARK_NONE : table_mark(table, row, model);
            buffer_text(to, mark == MARK_BEST ? " **" : " ");
            if (model == SIZE_MAX)
                buffer_text(to, "failed");
            else
                table_value(to, row->scores[model].value);
            buffer_text(to, mark == MARK_BEST ? "** |" : mark == MARK_ALIKE ? "≈ |" : " |");
        }
        buffer_char(to, '\n');
    }
    buffer_text(to, "| known |");
    for (size_t k = 0; k < columns->count; k++) {
        const psdvec_score *score = columns->rows[k]->scores;
        buffer_format(to, " %" PRIu32 "/%" PRIu32 " (", score->known, score->total);
        eval_percent(to, score);
        buffer_text(to, ") |");
    }
    buffer_char(to, '\n');
}

static void add_cost(struct buffer *to, const struct table_item *item)
{
    if (!item->done) {
        buffer_text(to, " failed | | |");
        return;
    }
    buffer_char(to, ' ');
    table_time(to, &item->cost, item->cost.seconds);
    buffer_text(to, " | ");
    table_time(to, &item->cost, item->cost.cpu);
    buffer_text(to, " | ");
    human_bytes(to, (double)item->cost.memory);
    buffer_text(to, " |");
}

static void add_costs(struct buffer *to, const struct table *table)
{
    buffer_text(to, "\n| | time | CPU | memory | numbers | from |\n|---|--:|--:|--:|--:|---|\n");
    for (size_t k = 0; k < table->counts_count; k++) {
        buffer_text(to, "| counting |");
        add_cost(to, &table->counts[k].item);
        buffer_format(to, " | text, %s |\n", table->counts[k].item.name);
    }
    for (size_t k = 0; k < table->system_count; k++) {
        size_t model = table_model(table, k);
        buffer_format(to, "| %s |", table->systems[k].item.name);
        add_cost(to, &table->systems[k].item);
        buffer_char(to, ' ');
        if (model != SIZE_MAX)
            table_numbers(to, table->eval.models[model]);
        buffer_text(to, " | ");
        table_begins_with(to, table, &table->systems[k]);
        buffer_text(to, " |\n");
    }
}

static void add_failure(struct buffer *to, const struct table_item *item, const char *what)
{
    if (!item->failure)
        return;
    buffer_format(to, "\n%s failed: ", what);
    markdown_text(to, item->failure);
    buffer_char(to, '\n');
}

void table_markdown(struct buffer *to, const struct table *table)
{
    struct table_columns columns = table_columns(table);
    struct buffer text = {0};
    table_story(&text, table);
    markdown_text(to, text.text);
    buffer_text(to, "\n\n");
    add_heads(to, table, &columns);
    add_scores(to, table, &columns);
    add_costs(to, table);
    for (size_t k = 0; k < table->counts_count; k++)
        add_failure(to, &table->counts[k].item, "counting");
    for (size_t k = 0; k < table->system_count; k++)
        add_failure(to, &table->systems[k].item, table->systems[k].item.name);
    buffer_clear(&text);
    table_notes(&text, table, "Bold", "≈");
    buffer_char(to, '\n');
    for (const char *c = text.text; *c; c++)
        buffer_format(to, *c == '\n' && c[1] ? "%c\n" : "%c", *c);
    buffer_clear(&text);
    table_command(&text, table);
    buffer_format(to, "\nMade by psdvec %s:\n\n    ", psdvec_version());
    cell_text(to, text.text, text.length);
    buffer_char(to, '\n');
    buffer_free(&text);
    free(columns.rows);
}
