/* psdvec topics apply: the mixtures of documents. */
#include "commands.h"
#include "exit_status.h"
#include "memory.h"
#include "options.h"
#include "phrase.h"
#include "show.h"
#include "topics.h"

#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 1, 10000, .fallback = "3", .group = "Output",
                 .help = "in output for people, show the N largest topics of each document"),
    FLAG_OPTION("counts",
                .help = "with --format tsv or json, print how many words of a document each topic "
                        "is expected to have, instead of shares"),
    FLAG_OPTION("evidence",
                .help = "with --format tsv or json, print the same counts without the influence of "
                        "the other words of the document, as features for classifiers"),
    {0}};

/* What the text may say about a document. */
enum { LABEL, DATE, NAME, DETAILS };
static const char *const detail_names[DETAILS] = {"label", "date", "name"};

enum { COLUMNS = 5 + DETAILS };

struct applied {
    struct run *run;
    struct show show;
    struct rows rows;
    struct buffer line;
    uint32_t topics;
    size_t top;
    const char *numbers; /* which are printed: the name of a member of the mixture */
    uint64_t documents, empty;
    bool has[DETAILS]; /* which details the text has */
    struct column columns[COLUMNS];
};

static const char *detail(const psdvec_topic_mixture *m, unsigned which)
{
    return which == LABEL ? m->label : which == DATE ? m->date : m->name;
}

/* Finds out which details the text has, and makes columns for them. */
static void prepare(struct applied *a, const psdvec_text_options *text)
{
    const char *const fields[DETAILS] = {text->label_field, text->date_field, text->name_field};
    for (unsigned k = 0; k < DETAILS; k++)
        a->has[k] = fields[k] || (text->columns && strstr(text->columns, detail_names[k]));
    bool described = a->has[LABEL] || a->has[DATE] || a->has[NAME];
    const struct column all[COLUMNS] = {
        NUMBERS(NULL, "document", 0, 0, .width = 8),
        NUMBERS(NULL, "words", 0, 0, .gap = 2, .width = 7),
        NUMBERS(NULL, "known", 0, 0, .gap = 2, .width = 7),
        COLUMN(NULL, a->has[LABEL] ? "label" : NULL, .gap = 2, .width = 12),
        COLUMN(NULL, a->has[DATE] ? "date" : NULL, .gap = 2, .width = 10),
        COLUMN(NULL, a->has[NAME] ? "name" : NULL, .gap = 2, .width = 12),
        COLUMN(NULL, "topics", .gap = 2, .width = described ? 18 : 30),
        COLUMN(NULL, "beginning", .gap = 2, .rest = true)};
    memcpy(a->columns, all, sizeof all);
    a->rows = (struct rows)ROWS(NULL, FOR_PEOPLE, a->columns);
}

/* "7 (52%), 3 (21%)": the largest topics, without those of 0%. */
static const char *largest(const struct applied *a, const psdvec_topic_mixture *m)
{
    struct buffer text = {0};
    float *shares = must_alloc(a->topics, sizeof *shares);
    memcpy(shares, m->shares, a->topics * sizeof *shares);
    buffer_text(&text, m->known ? "" : "-");
    for (size_t k = 0; m->known && k < a->top && k < a->topics; k++) {
        uint32_t best = 0;
        for (uint32_t t = 1; t < a->topics; t++)
            best = shares[t] > shares[best] ? t : best;
        if (k > 0 && shares[best] < 0.005f)
            break;
        buffer_format(&text, "%s%u (%.0f%%)", k ? ", " : "", (unsigned)best + 1,
                      100 * (double)shares[best]);
        shares[best] = -1;
    }
    free(shares);
    return phrase_of(&text);
}

static void add_line(struct applied *a, const psdvec_topic_mixture *m)
{
    struct buffer *line = &a->line;
    const float *numbers = strcmp(a->numbers, "counts") == 0     ? m->counts
                           : strcmp(a->numbers, "evidence") == 0 ? m->evidence
                                                                 : m->shares;
    buffer_clear(line);
    if (a->run->format == FORMAT_TSV) {
        buffer_format(line, "%llu\t", (unsigned long long)m->number);
        escape_tsv(line, m->source, strlen(m->source));
        for (unsigned k = 0; k < DETAILS; k++)
            if (a->has[k]) {
                const char *value = detail(m, k);
                buffer_char(line, '\t');
                escape_tsv(line, value ? value : "", value ? strlen(value) : 0);
            }
        buffer_format(line, "\t%llu\t%llu\t%.8g", (unsigned long long)m->words,
                      (unsigned long long)m->known, m->bound);
        for (uint32_t k = 0; k < a->topics; k++)
            buffer_format(line, "\t%.6g", (double)numbers[k]);
    } else {
        buffer_format(line, "{\"document\": %llu, \"source\": ", (unsigned long long)m->number);
        buffer_json(line, m->source, strlen(m->source));
        buffer_text(line, ", \"beginning\": ");
        buffer_json(line, m->beginning, strlen(m->beginning));
        for (unsigned k = 0; k < DETAILS; k++)
            if (detail(m, k)) {
                buffer_format(line, ", \"%s\": ", detail_names[k]);
                buffer_json(line, detail(m, k), strlen(detail(m, k)));
            }
        buffer_format(line, ", \"words\": %llu, \"known\": %llu, \"bound\": %.8g, \"%s\": [",
                      (unsigned long long)m->words, (unsigned long long)m->known, m->bound,
                      a->numbers);
        for (uint32_t k = 0; k < a->topics; k++)
            buffer_format(line, "%s%.6g", k ? ", " : "", (double)numbers[k]);
        buffer_text(line, "]}");
    }
    buffer_char(line, '\n');
    output_text(&a->run->out, line->text);
}

static void take(void *user, const psdvec_topic_mixture *m)
{
    struct applied *a = user;
    a->documents++;
    a->empty += m->known == 0;
    if (a->run->format == FORMAT_TSV || a->run->format == FORMAT_JSON) {
        add_line(a, m);
    } else {
        rows_add(&a->rows, whole_cell(m->number), whole_cell(m->words), whole_cell(m->known),
                 text_cell(m->label), text_cell(m->date), text_cell(m->name),
                 text_cell(largest(a, m)), text_cell(m->beginning));
        show_rows_so_far(&a->show, &a->rows);
        show_flush(&a->show);
    }
    run_flush(a->run);
}

static void start(struct applied *a)
{
    struct buffer *head = &a->line;
    if (a->run->format != FORMAT_TSV)
        return;
    buffer_text(head, "document\tsource");
    for (unsigned k = 0; k < DETAILS; k++)
        if (a->has[k])
            buffer_format(head, "\t%s", detail_names[k]);
    buffer_text(head, "\twords\tknown\tbound");
    for (uint32_t k = 0; k < a->topics; k++)
        buffer_format(head, "\ttopic_%u", (unsigned)k + 1);
    buffer_char(head, '\n');
    output_text(&a->run->out, head->text);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_topics *topics;
    struct applied a = {.run = run,
                        .top = (size_t)argument_integer(arguments, "top"),
                        .numbers = argument_flag(arguments, "evidence") ? "evidence"
                                   : argument_flag(arguments, "counts") ? "counts"
                                                                        : "shares"};
    int code = topics_open(run, arguments->operands[0], &topics);
    if (code)
        return code;
    psdvec_text_options text = *psdvec_topics_text_options(topics);
    options_plain(&text);
    code = options_apply(run, PSDVEC_OPTIONS_TEXT, &text);
    a.topics = psdvec_topics_get_info(topics)->topics;
    prepare(&a, &text);
    show_start(&a.show, run, false);
    if (!code) {
        start(&a);
        if (!run->text)
            run_announce_terminal(run);
        psdvec_status status =
            run->text
                ? psdvec_topics_apply_text(run->ctx, topics, run->text, run->text_length, take, &a)
                : psdvec_topics_apply(run->ctx, topics, &text, arguments->operands + 1,
                                      arguments->operand_count - 1, take, &a);
        if (status != PSDVEC_OK)
            code = run_failed(run, status);
    }
    show_end(&a.show);
    rows_free(&a.rows);
    buffer_free(&a.line);
    return code;
}

const struct command cmd_topics_apply = {
    .name = "topics apply",
    .group = "Topics",
    .summary = "find the topics of other documents",
    .synopsis = "FILE INPUT... [OPTION]...",
    .description = PARAGRAPHS(
        "Finds the mixture of topics of each document, with the topics of a file that psdvec topics "
        "learn has written. The shares of a document sum to 1. Words that are not in the vocabulary "
        "of the topics are ignored; a document without known words has the same share of every "
        "topic.",
        "With --format tsv or json, all shares are printed, one document per line, with a lower "
        "bound of the log-likelihood of its known words. By default, text is tokenised as the "
        "documents were from which the topics were learnt. Labels, dates and names that the text "
        "gives (--columns, --label-field, ...) are printed with each document."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT),
                COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "those of the topics file",
    .examples =
        EXAMPLES({"psdvec topics apply topics.safetensors wiki.txt",
                  "The largest topics of each line of a text."},
                 {"psdvec topics apply topics.safetensors wiki.txt --format tsv -o mixtures.tsv",
                  "All shares, for other programs."}),
    .operands = {2, SIZE_MAX},
    .missing = "give a topics file and documents: files, folders, or - for standard input",
    .temporary = true,
    .act = act};
