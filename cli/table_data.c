/* The table as JSON, and as a page that shows this JSON. It has what psdvec eval --format json has,
 * and before it how the models were made. docs/table.md describes its members. */
#include "table.h"

#include "eval_print.h"
#include "page.h"
#include "table_settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct buffer *to, const char *member, const char *text)
{
    buffer_format(to, "\"%s\": ", member);
    if (text)
        buffer_json(to, text, strlen(text));
    else
        buffer_text(to, "null");
}

/* What an item has whichever it is; ends the object. `begins_with` is emptied. */
static void add_item(struct buffer *to, const struct table_item *item, struct buffer *begins_with)
{
    buffer_text(to, ", ");
    add_text(to, "begins_with", begins_with->text);
    buffer_clear(begins_with);
    buffer_text(to, ", ");
    add_text(to, "file", item->file);
    buffer_format(to, ", \"made_from\": %s, ", item->settings.text);
    if (item->done) {
        add_text(to, "made_by", item->made_by ? item->made_by : psdvec_version());
        buffer_text(to, ", ");
    }
    add_text(to, "failure", item->failure);
    if (item->done)
        buffer_format(to,
                      ", \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"memory\": %" PRIu64
                      ", \"threads\": %d, \"more\": %s}",
                      item->cost.seconds, item->cost.cpu, item->cost.memory, item->cost.threads,
                      item->cost.more ? "true" : "false");
    else
        buffer_text(to, ", \"seconds\": null, \"cpu_seconds\": null, \"memory\": null, "
                        "\"threads\": null, \"more\": false}");
}

static void add_counts(struct buffer *to, const struct table *table)
{
    struct buffer text = {0};
    buffer_text(to, "\"counts\": [");
    for (size_t k = 0; k < table->counts_count; k++) {
        const struct table_item *item = &table->counts[k].item;
        buffer_text(to, k ? ", {" : "{");
        add_text(to, "name", item->name);
        buffer_format(to, ", \"tokens\": %" PRIu64 ", \"documents\": %" PRIu64, item->tokens,
                      item->documents);
        buffer_text(&text, "text; ");
        table_counts_words(&text, &table->counts[k].options);
        add_item(to, item, &text);
    }
    buffer_char(to, ']');
    buffer_free(&text);
}

static void add_systems(struct buffer *to, const struct table *table)
{
    struct buffer text = {0};
    buffer_text(to, "\"systems\": [");
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_system *system = &table->systems[k];
        size_t model = table_model(table, k);
        table_title(&text, table, system);
        buffer_text(to, k ? ", {" : "{");
        add_text(to, "name", system->item.name);
        buffer_text(to, ", ");
        add_text(to, "title", text.text);
        buffer_clear(&text);
        buffer_text(to, ", ");
        add_text(to, "follows", system->kind->paper);
        buffer_format(to, ", \"method\": \"%s\", ", psdvec_method_name(system->kind->method));
        add_text(to, "counts",
                 system->counts == SIZE_MAX ? NULL : table->counts[system->counts].item.name);
        buffer_text(to, ", ");
        add_text(to, "of",
                 system->source == SIZE_MAX ? NULL : table->systems[system->source].item.name);
        if (model != SIZE_MAX)
            table_numbers(&text, table->eval.models[model]);
        buffer_text(to, ", ");
        add_text(to, "numbers", model == SIZE_MAX ? NULL : text.text);
        buffer_clear(&text);
        table_begins_with(&text, table, system);
        add_item(to, &system->item, &text);
    }
    buffer_char(to, ']');
    buffer_free(&text);
}

/* The names of the systems with this mark. */
static void add_marked(struct buffer *to, const struct table *table, const struct eval_row *row,
                       enum table_mark mark, const char *member)
{
    bool some = false;
    buffer_format(to, ", \"%s\": [", member);
    for (size_t k = 0; k < table->system_count; k++) {
        size_t model = table_model(table, k);
        if (model == SIZE_MAX || table_mark(table, row, model) != mark)
            continue;
        buffer_format(to, "%s\"%s\"", some ? ", " : "", table->systems[k].item.name);
        some = true;
    }
    buffer_char(to, ']');
}

static void add_columns(struct buffer *to, const struct table *table)
{
    struct table_columns columns = table_columns(table);
    buffer_text(to, "\"columns\": [");
    for (size_t k = 0; k < columns.count; k++) {
        const struct eval_row *row = columns.rows[k];
        buffer_text(to, k ? ", {" : "{");
        add_text(to, "set", table->eval.set_files.names[row->set]);
        buffer_format(to, ", \"measure\": \"%s\", \"title\": \"%s\", \"head\": \"%s\"",
                      measure_words[row->measure], measure_names[row->measure],
                      measure_heads[row->measure]);
        add_marked(to, table, row, MARK_BEST, "best");
        add_marked(to, table, row, MARK_ALIKE, "alike");
        buffer_char(to, '}');
    }
    buffer_char(to, ']');
    free(columns.rows);
}

/* How to read it, a paragraph each. */
static void add_notes(struct buffer *to, const struct table *table)
{
    struct buffer notes = {0};
    table_notes(&notes, table, "\xe2\x96\xb2", "\xe2\x89\x88");
    buffer_text(to, "\"notes\": [");
    for (const char *line = notes.text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        buffer_text(to, line > notes.text ? ", " : "");
        buffer_json(to, line, (size_t)(end - line));
    }
    buffer_char(to, ']');
    buffer_free(&notes);
}

void table_json(struct buffer *to, const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    struct buffer text = {0};
    table_command(&text, table);
    buffer_format(to, "{\"version\": \"%s\", ", psdvec_version());
    add_text(to, "command", text.text);
    buffer_clear(&text);
    table_story(&text, table);
    buffer_text(to, ", ");
    add_text(to, "summary", text.text);
    buffer_text(to, ", \"inputs\": [");
    for (size_t k = 0; k < arguments->operand_count; k++) {
        buffer_text(to, k ? ", " : "");
        buffer_json(to, arguments->operands[k], strlen(arguments->operands[k]));
    }
    buffer_format(to, "], \"counting\": \"%s\", \"dim\": %" PRIu64 ", \"threads\": %d, ",
                  counting_words[argument_integer(arguments, "counting")].name,
                  argument_integer(arguments, "dim"), psdvec_threads(table->run->ctx));
    add_counts(to, table);
    buffer_text(to, ", ");
    add_systems(to, table);
    buffer_text(to, ", ");
    add_columns(to, table);
    buffer_text(to, ", ");
    add_notes(to, table);
    buffer_text(to, ", ");
    eval_json_members(to, &table->eval);
    buffer_text(to, "}\n");
    buffer_free(&text);
}

void table_page(struct buffer *to, const struct table *table)
{
    struct buffer json = {0}, text = {0};
    table_json(&json, table);
    table_markdown(&text, table);
    page_add(to, page_table, &json, &text);
    buffer_free(&json);
    buffer_free(&text);
}
