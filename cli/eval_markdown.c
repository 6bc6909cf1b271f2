/* A report for a page in Markdown: nothing is cut, and what is best is bold. */
#include "cell.h"
#include "eval_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void markdown_text(struct buffer *to, const char *text)
{
    struct buffer safe = {0};
    cell_text(&safe, text, strlen(text));
    for (const char *c = buffer_get(&safe); *c; c++) {
        if (strchr("|*_`\\<[", *c))
            buffer_char(to, '\\');
        buffer_char(to, *c);
    }
    buffer_free(&safe);
}

static void add_markdown_row(struct buffer *to, const struct eval *eval, const struct eval_row *row)
{
    size_t models = eval->model_files.count, best = eval_best(eval, row);
    buffer_text(to, "| ");
    markdown_text(to, eval->set_files.names[row->set]);
    if (row->section) {
        buffer_text(to, ": ");
        markdown_text(to, row->section);
    }
    buffer_format(to, " | %s |", measure_names[row->measure]);
    for (size_t m = 0; m < models; m++) {
        const psdvec_score *score = &row->scores[m];
        bool is_best = models > 1 && best != SIZE_MAX && score->value == row->scores[best].value;
        buffer_text(to, is_best ? " **" : " ");
        eval_value(to, score->value);
        buffer_text(to, is_best ? "**" : "");
        if (!is_best && eval_is_worse(eval, row, best, m))
            buffer_text(to, "▼");
        if (models == 1) {
            buffer_text(to, " | ");
            if (!isnan(score->low)) {
                eval_value(to, score->low);
                buffer_text(to, " – ");
                eval_value(to, score->high);
            }
            buffer_format(to, " | %" PRIu32 "/%" PRIu32 " ", score->known, score->total);
        } else {
            buffer_char(to, ' ');
        }
        buffer_text(to, "(");
        eval_percent(to, score);
        buffer_text(to, ") |");
    }
    buffer_char(to, '\n');
}

void eval_markdown(struct buffer *to, const struct eval *eval, bool sections)
{
    size_t models = eval->model_files.count;
    buffer_text(to, "| set | measure |");
    if (models == 1)
        buffer_format(to, " score | %g%% interval | known |", 100 * eval->options.confidence);
    for (size_t m = 0; m < models && models > 1; m++) {
        buffer_char(to, ' ');
        markdown_text(to, eval->model_files.names[m]);
        buffer_text(to, " |");
    }
    buffer_text(to, "\n|---|---|");
    for (size_t m = 0; m < (models > 1 ? models : 3); m++)
        buffer_text(to, "--:|");
    buffer_char(to, '\n');
    for (size_t r = 0; r < eval->row_count; r++)
        if (eval_shown(&eval->rows[r], sections))
            add_markdown_row(to, eval, &eval->rows[r]);
    buffer_char(to, '\n');
    for (size_t m = 0; m < models; m++) {
        buffer_text(to, "- ");
        markdown_text(to, eval->model_files.names[m]);
        buffer_text(to, ": ");
        markdown_text(to, eval->model_files.paths[m]);
        buffer_text(to, ", ");
        eval_facts(to, eval->models[m]);
        buffer_char(to, '\n');
    }
    buffer_char(to, '\n');
    struct buffer paragraphs = {0};
    eval_notes(&paragraphs, eval, true);
    for (const char *c = paragraphs.text; *c; c++)
        buffer_format(to, *c == '\n' && c[1] ? "%c\n" : "%c", *c);
    buffer_free(&paragraphs);
}
