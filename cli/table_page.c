/* The table as a page: scores with intervals, a chart for each set, what each system took, its
 * settings, and how all of it was made. No script; everything a chart shows stands in a table, too. */
#include "table.h"

#include "eval_print.h"
#include "human.h"
#include "json.h"
#include "page.h"
#include "page_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body { max-width: 72rem; }\n"
    "h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }\n"
    "table.wide { width: 100%; }\n"
    "th, td { padding: .3rem .75rem .3rem 0; }\n"
    "tbody th, .costs td { white-space: nowrap; }\n"
    "tbody tr, tfoot tr { border-bottom: 1px solid var(--line); }\n"
    "thead th { text-align: right; vertical-align: bottom; white-space: nowrap; }\n"
    "thead th[scope=colgroup] { color: var(--ink); border-bottom: 0; }\n"
    "thead th.several { text-align: center; }\n"
    "thead tr + tr th:first-child { text-align: right; }\n"
    ".scores tbody th, .scores tfoot th, .scores thead tr:first-child th:first-child { position:"
    " sticky; left: 0; background: var(--paper); }\n"
    "td.words, th.words { text-align: left; }\n"
    "td small { display: block; color: var(--soft); font-size: .75rem; white-space: nowrap; }\n"
    ".scores th, .scores td { padding-right: 1.2rem; }\n"
    ".mark { display: inline-block; width: 1.1em; margin-right: -1.1em; text-align: left; }\n"
    "td.best { font-weight: 700; color: var(--plus); } td.best small { font-weight: normal; }\n"
    "td.failed { color: var(--minus); text-align: left; }\n"
    "tfoot th, tfoot td { color: var(--soft); }\n"
    ".set { display: inline-block; margin-right: .9rem; white-space: nowrap; }\n"
    ".set b { font-weight: normal; color: var(--soft); }\n"
    "pre { background: var(--panel); padding: .75rem 1rem; border-radius: .5rem; white-space:"
    " pre-wrap; overflow-wrap: anywhere; }\n"
    "dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }\n"
    "dl.systems { grid-template-columns: minmax(10rem, 1fr) 3fr; gap: .75rem 1.5rem; }\n"
    "dl.systems dt { color: var(--ink); } dt small { display: block; color: var(--soft); }\n"
    "dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }\n"
    "@media (max-width: 40rem) { dl, dl.systems { grid-template-columns: 1fr; gap: 0; }"
    " dd { margin: 0 0 .5rem; } }\n"
    "@media print { html { font-size: 68%; } body { max-width: none; } .scroll { overflow: visible; }"
    " .scores th { position: static !important; } h2 { break-after: avoid; } }\n";

static const char best_sign[] = "\xe2\x96\xb2", alike_sign[] = "\xe2\x89\x88";

static const char *sign_of(enum table_mark mark)
{
    return mark == MARK_BEST ? best_sign : mark == MARK_ALIKE ? alike_sign : "";
}

/* ---- Scores --------------------------------------------------------------------------------- */

static void add_heads(struct buffer *to, const struct table *table,
                      const struct table_columns *columns)
{
    buffer_text(to, "<thead>\n<tr><th scope=\"col\" rowspan=\"2\">system</th>");
    for (size_t k = 0, span; k < columns->count; k += span) {
        span = table_span(columns, k);
        buffer_format(to, "<th scope=\"colgroup\" colspan=\"%zu\"%s>", span,
                      span > 1 ? " class=\"several\"" : "");
        page_text(to, table->eval.set_files.names[columns->rows[k]->set]);
        buffer_text(to, "</th>");
    }
    buffer_text(to, "</tr>\n<tr>");
    for (size_t k = 0; k < columns->count; k++)
        buffer_format(to, "<th scope=\"col\">%s</th>", measure_heads[columns->rows[k]->measure]);
    buffer_text(to, "</tr>\n</thead>\n");
}

static void add_interval(struct buffer *to, const psdvec_score *score)
{
    if (isnan(score->low) || isnan(score->high))
        return;
    buffer_text(to, "<small>");
    table_value(to, score->low);
    buffer_text(to, "\xe2\x80\x93");
    table_value(to, score->high);
    buffer_text(to, "</small>");
}

static void add_row(struct buffer *to, const struct table *table,
                    const struct table_columns *columns, size_t system)
{
    const struct table_item *item = &table->systems[system].item;
    size_t model = table_model(table, system);
    buffer_text(to, "<tr><th scope=\"row\">");
    page_text(to, item->name);
    buffer_text(to, "</th>");
    if (model == SIZE_MAX) {
        buffer_format(to, "<td class=\"failed\" colspan=\"%zu\">failed: ", columns->count);
        page_text(to, item->failure ? item->failure : "");
        buffer_text(to, "</td></tr>\n");
        return;
    }
    for (size_t k = 0; k < columns->count; k++) {
        const psdvec_score *score = &columns->rows[k]->scores[model];
        enum table_mark mark = table_mark(table, columns->rows[k], model);
        buffer_format(to, "<td%s>", mark == MARK_BEST ? " class=\"best\"" : "");
        table_value(to, score->value);
        buffer_format(to, "<span class=\"mark\">%s</span>", sign_of(mark));
        add_interval(to, score);
        buffer_text(to, "</td>");
    }
    buffer_text(to, "</tr>\n");
}

static void add_scores(struct buffer *to, const struct table *table,
                       const struct table_columns *columns)
{
    buffer_text(to, "<h2>Scores</h2>\n<div class=\"scroll\"><table class=\"wide scores\">\n");
    add_heads(to, table, columns);
    buffer_text(to, "<tbody>\n");
    for (size_t k = 0; k < table->system_count; k++)
        add_row(to, table, columns, k);
    buffer_text(to, "</tbody>\n<tfoot>\n<tr><th scope=\"row\">known</th>");
    for (size_t k = 0, span; k < columns->count; k += span) {
        const psdvec_score *score = columns->rows[k]->scores;
        struct buffer percent = {0};
        span = table_span(columns, k);
        eval_percent(&percent, score);
        buffer_format(to, "<td colspan=\"%zu\">", span);
        page_text(to, percent.text);
        buffer_format(to, "<small>%" PRIu32 "/%" PRIu32 "</small></td>", score->known,
                      score->total);
        buffer_free(&percent);
    }
    buffer_text(to, "</tr>\n</tfoot>\n</table></div>\n");
}

/* ---- Charts ----------------------------------------------------------------------------------- */

static struct chart_bar score_bar(const struct table *table, const struct eval_row *row,
                                  size_t model)
{
    static const char *const kinds[] = {
        [MARK_NONE] = "other", [MARK_BEST] = "best", [MARK_ALIKE] = "alike"};
    const psdvec_score *score = &row->scores[model];
    enum table_mark mark = table_mark(table, row, model);
    struct buffer text = {0};
    table_value(&text, score->value);
    buffer_text(&text, sign_of(mark));
    return (struct chart_bar){.value = score->value,
                              .low = score->low,
                              .high = score->high,
                              .kind = kinds[mark],
                              .text = text.text};
}

static struct chart_bar no_bar(const char *text)
{
    return (struct chart_bar){
        .value = NAN, .low = NAN, .high = NAN, .kind = "other", .text = must_copy(text)};
}

static void describe(struct buffer *to, const char *name, const struct eval_row *row, size_t model)
{
    const psdvec_score *score = &row->scores[model];
    buffer_format(to, "%s%s %s ", to->length ? "; " : "", name, measure_names[row->measure]);
    table_value(to, score->value);
    if (!isnan(score->low)) {
        buffer_text(to, ", from ");
        table_value(to, score->low);
        buffer_text(to, " to ");
        table_value(to, score->high);
    }
}

/* One set: a row for each system. */
static void add_set_chart(struct buffer *to, const struct table *table,
                          const struct table_columns *columns, size_t first, size_t id)
{
    size_t span = table_span(columns, first), count = table->system_count;
    const char *set = table->eval.set_files.names[columns->rows[first]->set];
    struct chart_row *rows = must_alloc(count, sizeof *rows);
    struct buffer description = {0};
    span = span < CHART_BARS ? span : CHART_BARS;
    for (size_t s = 0; s < count; s++) {
        size_t model = table_model(table, s);
        rows[s].label = table->systems[s].item.name;
        rows[s].count = span;
        for (size_t b = 0; b < span; b++) {
            const struct eval_row *row = columns->rows[first + b];
            rows[s].bars[b] = model == SIZE_MAX ? no_bar("-") : score_bar(table, row, model);
            if (model != SIZE_MAX)
                describe(&description, rows[s].label, row, model);
        }
    }
    buffer_text(to, "<figure><figcaption>");
    page_text(to, set);
    buffer_format(to, " <span>%s%s</span></figcaption>\n",
                  measure_names[columns->rows[first]->measure],
                  span > 1 ? " above, 3CosMul below" : "");
    chart_add(to, id, set, buffer_get(&description), rows, count, true);
    buffer_text(to, "</figure>\n");
    buffer_free(&description);
    chart_free(rows, count);
}

/* What it took before it could begin. */
static struct table_cost cost_before(const struct table *table, const struct table_system *system)
{
    if (system->counts != SIZE_MAX)
        return table->counts[system->counts].item.cost;
    if (system->source == SIZE_MAX)
        return (struct table_cost){0};
    const struct table_system *source = &table->systems[system->source];
    struct table_cost cost = cost_before(table, source);
    cost.seconds += source->item.cost.seconds;
    cost.more |= source->item.cost.more;
    return cost;
}

static void add_cost_chart(struct buffer *to, const struct table *table, bool memory, size_t id)
{
    static const char *const titles[] = {"Time", "Memory"};
    static const char *const captions[] = {"from text to vectors; lighter: what it begins with",
                                           "the most that was held at once, counting apart"};
    size_t count = table->system_count;
    struct chart_row *rows = must_alloc(count, sizeof *rows);
    struct buffer description = {0};
    for (size_t k = 0; k < count; k++) {
        const struct table_system *system = &table->systems[k];
        const struct table_cost *cost = &system->item.cost;
        struct buffer text = {0};
        rows[k] = (struct chart_row){.label = system->item.name, .count = 1};
        rows[k].bars[0] = no_bar("-");
        if (!system->item.done)
            continue;
        struct table_cost before = cost_before(table, system);
        before.more |= cost->more;
        if (memory)
            human_bytes(&text, (double)cost->memory);
        else
            table_time(&text, &before, before.seconds + cost->seconds);
        free(rows[k].bars[0].text);
        rows[k].bars[0] = (struct chart_bar){.before = memory ? 0 : before.seconds,
                                             .value = memory ? (double)cost->memory : cost->seconds,
                                             .low = NAN,
                                             .high = NAN,
                                             .kind = "alike",
                                             .text = text.text};
        buffer_format(&description, "%s%s %s", description.length ? "; " : "", rows[k].label,
                      text.text);
    }
    buffer_format(to, "<figure><figcaption>%s <span>%s</span></figcaption>\n", titles[memory],
                  captions[memory]);
    chart_add(to, id, titles[memory], buffer_get(&description), rows, count, false);
    buffer_text(to, "</figure>\n");
    buffer_free(&description);
    chart_free(rows, count);
}

static size_t add_charts(struct buffer *to, const struct table *table,
                         const struct table_columns *columns)
{
    size_t id = 0;
    buffer_format(to,
                  "<h2>Set by set</h2>\n<p>Blue: the best, %s, and, paler, those not worse than it "
                  "by more than chance, %s.",
                  best_sign, alike_sign);
    if (table->eval.options.resamples)
        buffer_format(to, " Whiskers: %g\xc2\xa0%% intervals.",
                      100 * table->eval.options.confidence);
    buffer_text(to, "</p>\n<div class=\"charts\">\n");
    for (size_t k = 0; k < columns->count; k += table_span(columns, k))
        add_set_chart(to, table, columns, k, ++id);
    buffer_text(to, "</div>\n");
    return id;
}

/* ---- Costs and settings -------------------------------------------------------------------------- */

static void add_time(struct buffer *to, const struct table_cost *cost, double seconds)
{
    struct buffer text = {0};
    table_time(&text, cost, seconds);
    buffer_text(to, "<td>");
    page_text(to, text.text);
    buffer_text(to, "</td>");
    buffer_free(&text);
}

static void add_cost_row(struct buffer *to, const struct table_item *item, const char *name)
{
    buffer_text(to, "<tr><th scope=\"row\">");
    page_text(to, name);
    buffer_text(to, "</th>");
    if (!item->done) {
        buffer_text(to, "<td>failed</td><td></td><td></td>");
        return;
    }
    add_time(to, &item->cost, item->cost.seconds);
    add_time(to, &item->cost, item->cost.cpu);
    buffer_text(to, "<td>");
    human_bytes(to, (double)item->cost.memory);
    buffer_text(to, "</td>");
}

static void add_costs(struct buffer *to, const struct table *table, size_t id)
{
    struct buffer text = {0};
    buffer_text(to, "<h2>Time and memory</h2>\n<div class=\"charts\">\n");
    add_cost_chart(to, table, false, id + 1);
    add_cost_chart(to, table, true, id + 2);
    buffer_text(
        to,
        "</div>\n<div class=\"scroll\" style=\"margin-top: 1rem\"><table class=\"costs\">\n<thead>"
        "<tr><th scope=\"col\">step</th><th scope=\"col\">time</th><th "
        "scope=\"col\">CPU</th><th scope=\"col\">memory</th><th scope=\"col\">numbers "
        "a word</th><th scope=\"col\" class=\"words\">begins with</th></tr></thead>\n"
        "<tbody>\n");
    for (size_t k = 0; k < table->counts_count; k++) {
        add_cost_row(to, &table->counts[k].item, "counting");
        table_counts_words(&text, &table->counts[k].options);
        buffer_text(to, "<td></td><td class=\"words\">text; ");
        page_text(to, text.text);
        if (table->counts[k].item.failure) {
            buffer_text(to, ". Failed: ");
            page_text(to, table->counts[k].item.failure);
        }
        buffer_text(to, "</td></tr>\n");
        buffer_clear(&text);
    }
    for (size_t k = 0; k < table->system_count; k++) {
        size_t model = table_model(table, k);
        add_cost_row(to, &table->systems[k].item, table->systems[k].item.name);
        buffer_text(to, "<td>");
        if (model != SIZE_MAX)
            table_numbers(to, table->eval.models[model]);
        buffer_text(to, "</td><td class=\"words\">");
        table_begins_with(&text, table, &table->systems[k]);
        page_text(to, text.text);
        buffer_text(to, "</td></tr>\n");
        buffer_clear(&text);
    }
    buffer_text(to, "</tbody>\n</table></div>\n");
    buffer_free(&text);
}

/* The members of an object as names and values. */
static void add_members(struct buffer *to, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    bool more = json && json_enter(&walk, json, '{');
    while (more && json_next(&walk, &key, &text, &length)) {
        if (*text == '{') /* what training found, not what it was told */
            continue;
        buffer_clear(&value);
        json_plain(&value, text, length);
        buffer_text(to, "<span class=\"set\"><b>");
        page_text(to, buffer_get(&key));
        buffer_text(to, "</b> ");
        page_text(to, buffer_get(&value));
        buffer_text(to, "</span> ");
    }
    buffer_free(&key);
    buffer_free(&value);
}

static void add_settings(struct buffer *to, const struct table *table)
{
    struct buffer title = {0};
    buffer_text(to, "<h2>Systems and their settings</h2>\n<dl class=\"systems\">\n");
    for (size_t k = 0; k < table->system_count; k++) {
        const struct table_system *system = &table->systems[k];
        size_t model = table_model(table, k);
        buffer_clear(&title);
        table_title(&title, table, system);
        buffer_text(to, "<dt>");
        page_text(to, system->item.name);
        buffer_text(to, "<small>");
        page_text(to, title.text);
        buffer_text(to, "</small><small>");
        page_text(to, system->kind->paper);
        buffer_text(to, "</small></dt><dd>");
        if (model != SIZE_MAX)
            add_members(to, psdvec_model_get_info(table->eval.models[model])->settings_json);
        else
            buffer_text(to, "failed");
        buffer_text(to, "</dd>\n");
    }
    buffer_text(to, "</dl>\n");
    buffer_free(&title);
}

/* ---- The page --------------------------------------------------------------------------------------- */

static void add_making(struct buffer *to, const struct table *table)
{
    struct buffer text = {0};
    table_command(&text, table);
    buffer_text(to, "<h2>How it was made</h2>\n<pre><code>");
    page_text(to, text.text);
    buffer_format(to, "</code></pre>\n<dl><dt>program</dt><dd>psdvec %s</dd>", psdvec_version());
    buffer_clear(&text);
    table_story(&text, table);
    buffer_text(to, "<dt>text</dt><dd>");
    page_text(to, text.text);
    buffer_text(to, "</dd><dt>sets</dt><dd>");
    for (size_t k = 0; k < table->eval.set_files.count; k++) {
        const psdvec_test_info *info = psdvec_test_get_info(table->eval.sets[k]);
        buffer_text(to, k ? "; " : "");
        page_text(to, table->eval.set_files.names[k]);
        buffer_text(to, ": ");
        human_count(to, info->questions);
        buffer_format(to, " questions, %s%s", kind_words[info->kind],
                      info->builtin ? ", built in" : "");
    }
    buffer_text(to, "</dd></dl>\n");
    buffer_free(&text);
}

static void add_notes(struct buffer *to, const struct table *table)
{
    struct buffer notes = {0};
    table_notes(&notes, table, best_sign, alike_sign);
    buffer_text(to, "<h2>How to read it</h2>\n");
    for (const char *line = notes.text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        buffer_text(to, "<p>");
        page_escape(to, line, (size_t)(end - line));
        buffer_text(to, "</p>\n");
    }
    if (table->eval.options.resamples)
        buffer_format(
            to,
            "<p>An interval holds the scores of the middle %g\xc2\xa0%% of resamples: "
            "sets of questions drawn from the known ones, with repetition. Intervals of "
            "two systems may overlap and one still be better by more than chance, because "
            "both answer the same questions; the signs tell.</p>\n",
            100 * table->eval.options.confidence);
    buffer_free(&notes);
}

void table_page(struct buffer *to, const struct table *table)
{
    struct table_columns columns = table_columns(table);
    struct buffer text = {0};
    buffer_format(&text, "%s%s", style, chart_style);
    page_head(to, "psdvec table", text.text);
    buffer_clear(&text);
    table_story(&text, table);
    buffer_text(to, "<h1>Systems of word vectors, compared</h1>\n<p>");
    page_text(to, text.text);
    buffer_text(to, ".</p>\n");
    add_scores(to, table, &columns);
    size_t id = add_charts(to, table, &columns);
    add_costs(to, table, id);
    add_settings(to, table);
    add_making(to, table);
    add_notes(to, table);
    page_tail(to, NULL);
    buffer_free(&text);
    free(columns.rows);
}
