/* The table as JSON: what psdvec eval --format json has, and before it how the models were made.
 * docs/table.md says what stands in it. */
#include "table.h"

#include "eval_print.h"
#include "table_settings.h"

#include <inttypes.h>
#include <string.h>

static void add_text(struct buffer *to, const char *member, const char *text)
{
    buffer_format(to, "\"%s\": ", member);
    if (text)
        buffer_json(to, text, strlen(text));
    else
        buffer_text(to, "null");
}

/* What an item has whichever it is; ends the object. */
static void add_item(struct buffer *to, const struct table_item *item)
{
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
    buffer_text(to, "\"counts\": [");
    for (size_t k = 0; k < table->counts_count; k++) {
        const struct table_item *item = &table->counts[k].item;
        buffer_text(to, k ? ", {" : "{");
        add_text(to, "name", item->name);
        buffer_format(to, ", \"tokens\": %" PRIu64 ", \"documents\": %" PRIu64, item->tokens,
                      item->documents);
        add_item(to, item);
    }
    buffer_char(to, ']');
}

static void add_systems(struct buffer *to, const struct table *table)
{
    buffer_text(to, "\"systems\": [");
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_system *system = &table->systems[k];
        struct buffer title = {0};
        table_title(&title, table, system);
        buffer_text(to, k ? ", {" : "{");
        add_text(to, "name", system->item.name);
        buffer_text(to, ", ");
        add_text(to, "title", title.text);
        buffer_text(to, ", ");
        add_text(to, "follows", system->kind->paper);
        buffer_format(to, ", \"method\": \"%s\", ", psdvec_method_name(system->kind->method));
        add_text(to, "counts",
                 system->counts == SIZE_MAX ? NULL : table->counts[system->counts].item.name);
        buffer_text(to, ", ");
        add_text(to, "of",
                 system->source == SIZE_MAX ? NULL : table->systems[system->source].item.name);
        add_item(to, &system->item);
        buffer_free(&title);
    }
    buffer_char(to, ']');
}

void table_json(struct buffer *to, const struct table *table)
{
    const struct arguments *arguments = table->run->arguments;
    struct buffer command = {0};
    table_command(&command, table);
    buffer_format(to, "{\"version\": \"%s\", ", psdvec_version());
    add_text(to, "command", command.text);
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
    eval_json_members(to, &table->eval);
    buffer_text(to, "}\n");
    buffer_free(&command);
}
