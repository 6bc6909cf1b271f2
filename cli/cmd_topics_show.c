/* psdvec topics show: the topics of a topics file, with their words and documents. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "show.h"
#include "topics.h"

#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    WHOLE_OPTION("topic", "K", 1, 10000, .group = "Output",
                 .help = "show only topic K, with its words one per line"),
    WHOLE_OPTION("words", "N", 1, 100000, .fallback = "10", .help = "show N words of each topic"),
    WHOLE_OPTION("documents", "N", 0, 100000, .fallback = "0",
                 .help = "show the N documents with the largest share of each topic"),
    FLAG_OPTION("verify", .help = "first verify the checksums of the file"),
    {0}};

static const struct column overview[] = {NUMBERS("topic", "topic", 0, 0, .width = 5),
                                         NUMBERS("share", "share", 3, -6, .gap = 2, .width = 6),
                                         BARS(.gap = 1, .width = 8),
                                         COLUMN("words", "words", .gap = 2, .wraps = true)};
/* The same for topics that were learnt for each label. */
static const struct column class_overview[] = {
    NUMBERS("topic", "topic", 0, 0, .width = 5),
    NUMBERS("share", "share", 3, -6, .gap = 2, .width = 6), BARS(.gap = 1, .width = 8),
    COLUMN("class", "class", .gap = 2, .most = 24),
    COLUMN("words", "words", .gap = 2, .wraps = true)};
static const struct column word_columns[] = {
    COLUMN("topic", NULL, .where = IN_TSV), COLUMN("word", "word", .gap = 2, .width = 26),
    BARS(.gap = 1, .width = 20),
    NUMBERS("probability", "probability", 5, -6, .gap = 1, .width = 11),
    NUMBERS("lift", "lift", 1, -6, .gap = 2, .width = 8)};

enum { DOCUMENT_COLUMNS = 8 };

/* A table of documents, with the columns that they have. */
struct documents {
    struct column columns[DOCUMENT_COLUMNS];
    struct rows rows;
};

static void documents_init(struct documents *d, const psdvec_topics *topics)
{
    const psdvec_topics_info *info = psdvec_topics_get_info(topics);
    const struct column all[DOCUMENT_COLUMNS] = {
        NUMBERS("topic", NULL, 0, 0),
        NUMBERS("document", "document", 0, 0, .gap = 2, .width = 8),
        NUMBERS("share", "share", 3, -6, .gap = 2, .width = 6),
        COLUMN("source", NULL),
        COLUMN(info->labelled ? "label" : NULL, info->labelled ? "label" : NULL, .gap = 2,
               .most = 24),
        COLUMN(info->dated ? "date" : NULL, info->dated ? "date" : NULL, .gap = 2, .most = 16),
        COLUMN(info->named ? "name" : NULL, info->named ? "name" : NULL, .gap = 2, .most = 24),
        COLUMN("beginning", "beginning", .gap = 2, .rest = true)};
    memcpy(d->columns, all, sizeof all);
    d->rows = (struct rows)ROWS("documents", FOR_PEOPLE | IN_JSON, d->columns);
}

/* The documents with the largest shares of a topic. */
static void add_documents(struct rows *rows, struct run *run, const psdvec_topics *topics,
                          uint32_t topic, size_t most)
{
    uint64_t *documents = must_alloc(most, sizeof *documents);
    size_t found = 0;
    if (psdvec_topics_documents(run->ctx, topics, topic, most, documents, &found) != PSDVEC_OK)
        out_of_memory(); /* there is no other reason */
    for (size_t k = 0; k < found; k++)
        rows_add(rows, whole_cell(topic + 1), whole_cell(documents[k] + 1),
                 real_cell((double)psdvec_topics_mixture(topics, documents[k])[topic]),
                 text_cell(psdvec_topics_source(topics, documents[k])),
                 text_cell(psdvec_topics_label(topics, documents[k])),
                 text_cell(psdvec_topics_date(topics, documents[k])),
                 text_cell(psdvec_topics_name(topics, documents[k])),
                 text_cell(psdvec_topics_beginning(topics, documents[k])));
    free(documents);
}

static void show_one(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most,
                     size_t documents)
{
    struct rows words = ROWS("words", 0, word_columns);
    struct documents best;
    psdvec_topic_word *list = must_alloc(most, sizeof *list);
    size_t found = 0, length;
    struct show show;
    double largest = 0;
    documents_init(&best, topics);
    if (psdvec_topics_words(run->ctx, topics, topic, most, list, &found) != PSDVEC_OK)
        out_of_memory(); /* there is no other reason */
    for (size_t k = 0; k < found; k++)
        largest = list[k].probability > largest ? list[k].probability : largest;
    for (size_t k = 0; k < found; k++) {
        const char *word = psdvec_topics_word(topics, list[k].word, &length);
        rows_add(&words, whole_cell(topic + 1), word_cell(word, length),
                 bar_cell(list[k].probability / largest), real_cell(list[k].probability),
                 real_cell(list[k].lift));
    }
    show_begin(&show, run, false);
    const char *class = psdvec_topics_class(topics, topic);
    struct buffer of = {0};
    if (class) {
        buffer_text(&of, ", class ");
        cell_text(&of, class, strlen(class));
    }
    show_title(&show, phrase(STYLE_BOLD "Topic %u" STYLE_PLAIN "%s, %.1f%% of the text",
                             (unsigned)topic + 1, class ? of.text : "",
                             100 * psdvec_topics_share(topics, topic)));
    buffer_free(&of);
    show_data(&show, "topic", whole_cell(topic + 1));
    show_data(&show, "share", real_cell(psdvec_topics_share(topics, topic)));
    if (class)
        show_data(&show, "class", text_cell(class));
    show_rows(&show, &words);
    if (documents) {
        add_documents(&best.rows, run, topics, topic, documents);
        show_gap(&show);
        show_rows(&show, &best.rows);
    }
    show_finish(&show);
    free(list);
}

static void show_all(struct run *run, const psdvec_topics *topics, size_t most, size_t documents)
{
    const psdvec_topics_info *info = psdvec_topics_get_info(topics);
    struct rows rows = ROWS("topics", 0, overview);
    struct rows of_classes = ROWS("topics", 0, class_overview);
    struct documents best;
    struct show show;
    double largest = 0;
    documents_init(&best, topics);
    if (info->classes)
        rows = of_classes;
    for (uint32_t k = 0; k < info->topics; k++)
        largest = psdvec_topics_share(topics, k) > largest ? psdvec_topics_share(topics, k)
                                                           : largest;
    for (uint32_t k = 0; k < info->topics; k++) {
        double share = psdvec_topics_share(topics, k);
        rows_add(&rows, whole_cell(k + 1), real_cell(share),
                 bar_cell(largest > 0 ? share / largest : 0));
        if (info->classes)
            rows_more(&rows, text_cell(psdvec_topics_class(topics, k)));
        rows_more(&rows, text_cell(topics_words(run, topics, k, most)));
        if (documents)
            add_documents(&best.rows, run, topics, k, documents);
    }
    show_begin(&show, run, false);
    show_title(&show,
               phrase(STYLE_BOLD "%s" STYLE_PLAIN " of %s%s%s, %s words of vocabulary",
                      phrase_counted(info->topics, "topic"),
                      phrase_counted(info->documents, "document"), info->classes ? " with " : "",
                      info->classes ? phrase_counted(info->classes, "label") : "",
                      phrase_count(info->words)));
    show_data(&show, "documents_count", whole_cell(info->documents));
    show_data(&show, "known_tokens", whole_cell(info->known_tokens));
    show_data(&show, "iterations", whole_cell(info->iterations));
    show_data(&show, "bound", real_cell(info->bound));
    show_json(&show, "settings", NULL, info->settings_json);
    show_json(&show, "model", NULL, info->model_json);
    if (info->trials_json)
        show_json(&show, "trials", NULL, info->trials_json);
    show_rows(&show, &rows);
    if (documents) {
        show_gap(&show);
        show_rows(&show, &best.rows);
    }
    show_finish(&show);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    size_t words = (size_t)argument_integer(arguments, "words");
    size_t documents = (size_t)argument_integer(arguments, "documents");
    uint64_t topic = argument_integer(arguments, "topic");
    psdvec_topics *topics;
    int code = topics_open(run, arguments->operands[0], &topics);
    if (code)
        return code;
    uint32_t count = psdvec_topics_get_info(topics)->topics;
    if (argument_flag(arguments, "verify")) {
        psdvec_status status = psdvec_topics_verify(run->ctx, topics);
        code = status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
    }
    if (!code && topic > count)
        code = run_use_error(run, "--topic is %u, but the file has %s", (unsigned)topic,
                             phrase_counted(count, "topic"));
    if (!code && topic)
        show_one(run, topics, (uint32_t)topic - 1, words, documents);
    else if (!code)
        show_all(run, topics, words, documents);
    psdvec_topics_close(topics);
    return code;
}

const struct command cmd_topics_show = {
    .name = "topics show",
    .group = "Topics",
    .summary = "show the topics of a topics file",
    .synopsis = "FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Shows the topics of a file that psdvec topics learn has written, the largest first: the "
        "share of the text that each explains, and the words that describe it. These are words "
        "that are both frequent in the topic and more frequent than in all documents.",
        "The lift of a word is its probability in the topic divided by its frequency in all "
        "documents."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec topics show topics.safetensors", "All topics."},
                 {"psdvec topics show topics.safetensors --topic 3 --words 20 --documents 5",
                  "One topic in detail, with the documents that have most of it."},
                 {"psdvec topics show topics.safetensors --documents 3 --format json",
                  "All topics with documents, for scripts."}),
    .operands = {1, 1},
    .missing = "give a topics file",
    .act = act};
