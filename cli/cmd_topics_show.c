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
    WHOLE_OPTION("groups", "N", 1, 10000,
                 .help = "put similar topics together in N groups, each with its words"),
    TOPICS_MODEL_OPTION,
    FLAG_OPTION("verify", .help = "first verify the checksums of the file"),
    {0}};

static const struct column group_columns[] = {NUMBERS("group", NULL, 0, 0),
                                              NUMBERS("share", NULL, 3, -6), DATA("topics"),
                                              COLUMN("words", NULL)};
static const struct column word_columns[] = {
    COLUMN("topic", NULL, .where = IN_TSV), COLUMN("word", "word", .gap = 2, .width = 26),
    BARS(.gap = 1, .width = 20),
    NUMBERS("probability", "probability", 5, -6, .gap = 1, .width = 11),
    NUMBERS("lift", "lift", 1, -6, .gap = 2, .width = 8)};
static const struct column nearest_columns[] = {
    NUMBERS("topic", NULL, 0, 0), COLUMN("word", "nearest word", .gap = 2, .width = 26),
    BARS(.gap = 1, .width = 20), NUMBERS("similarity", "cosine", 3, -6, .gap = 1, .width = 11)};

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

static void add_nearest(struct rows *rows, const psdvec_topics *topics,
                        const struct topics_nearest *nearest, uint32_t topic)
{
    const psdvec_topic_neighbour *list = nearest->neighbours + topic * nearest->most;
    for (size_t k = 0; k < nearest->found[topic]; k++) {
        size_t length;
        const char *word = psdvec_topics_word(topics, list[k].word, &length);
        rows_add(rows, whole_cell(topic + 1), word_cell(word, length),
                 bar_cell(list[k].similarity / list[0].similarity), real_cell(list[k].similarity));
    }
}

static void show_one(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most,
                     size_t documents, const struct topics_nearest *nearest)
{
    struct rows words = ROWS("words", 0, word_columns);
    struct documents best;
    struct rows near = ROWS("nearest", FOR_PEOPLE | IN_JSON, nearest_columns);
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
    if (nearest->model) {
        add_nearest(&near, topics, nearest, topic);
        show_gap(&show);
        show_rows(&show, &near);
    }
    if (documents) {
        add_documents(&best.rows, run, topics, topic, documents);
        show_gap(&show);
        show_rows(&show, &best.rows);
    }
    show_finish(&show);
    free(list);
}

/* The topics of the file in groups; `count` 0: not in groups. Everything lasts. */
struct groups {
    uint32_t count;
    uint32_t *group;   /* topics: the number of the group */
    uint32_t *members; /* topics: those of group 0 first */
    uint32_t *first;   /* count + 1: where each group begins in `members` */
};

static int find_groups(struct run *run, const psdvec_topics *topics, struct groups *g)
{
    uint64_t count = argument_integer(run->arguments, "groups");
    uint32_t all = psdvec_topics_get_info(topics)->topics;
    *g = (struct groups){0};
    if (count > all)
        return run_use_error(run, "--groups is %u, but the file has %s", (unsigned)count,
                             phrase_counted(all, "topic"));
    if (!count)
        return EXIT_FINE;
    psdvec_topic_merge *merges = lasting_alloc(all, sizeof *merges);
    g->count = (uint32_t)count;
    g->group = lasting_alloc(all, sizeof *g->group);
    g->members = lasting_alloc(all, sizeof *g->members);
    g->first = lasting_alloc(count + 1, sizeof *g->first);
    psdvec_status status = psdvec_topics_tree(run->ctx, topics, merges);
    if (status == PSDVEC_OK)
        status = psdvec_topics_groups(run->ctx, topics, merges, g->count, g->group);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->first[i] = at;
        for (uint32_t k = 0; k < all; k++)
            if (g->group[k] == i)
                g->members[at++] = k;
    }
    g->first[g->count] = at;
    return EXIT_FINE;
}

/* Adds the heading of a group to the table of topics, and a row to that of groups. */
static void add_group(struct rows *rows, struct rows *groups, struct run *run,
                      const psdvec_topics *topics, const struct groups *g, uint32_t group,
                      size_t most)
{
    const uint32_t *members = g->members + g->first[group];
    uint32_t count = g->first[group + 1] - g->first[group];
    struct buffer list = {0};
    double share = 0;
    for (uint32_t k = 0; k < count; k++) {
        share += psdvec_topics_share(topics, members[k]);
        buffer_format(&list, "%s%u", k ? ", " : "[", (unsigned)members[k] + 1);
    }
    buffer_text(&list, "]");
    const char *words = topics_group_words(run, topics, members, count, most);
    rows_add(groups, whole_cell(group + 1), real_cell(share), json_cell(phrase_of(&list)),
             text_cell(words));
    rows_line(rows, 2,
              phrase("%s" STYLE_BOLD "Group %u" STYLE_PLAIN ", %.1f%% of the text: %s",
                     group ? "\n" : "", (unsigned)group + 1, 100 * share, words));
}

static void show_all(struct run *run, const psdvec_topics *topics, size_t most, size_t documents,
                     const struct topics_nearest *nearest, const struct groups *g)
{
    const psdvec_topics_info *info = psdvec_topics_get_info(topics);
    struct rows rows = topics_rows(topics, nearest->model, g->count);
    struct rows groups = ROWS("groups", IN_JSON, group_columns);
    struct documents best;
    struct show show;
    documents_init(&best, topics);
    for (uint32_t i = 0, group = 0; i < info->topics; i++) {
        uint32_t k = g->count ? g->members[i] : i;
        if (group < g->count && g->first[group] == i)
            add_group(&rows, &groups, run, topics, g, group++, most);
        topics_add_row(&rows, run, topics, k, most, nearest, g->group);
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
    if (g->count)
        show_rows(&show, &groups);
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
    struct topics_nearest nearest;
    struct groups groups;
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
    if (!code && topic && argument_integer(arguments, "groups"))
        code = run_use_error(run, "--topic shows one topic and --groups all of them; give one");
    if (!code)
        code = topics_nearest(run, topics, words, &nearest);
    if (!code)
        code = find_groups(run, topics, &groups);
    if (!code && topic)
        show_one(run, topics, (uint32_t)topic - 1, words, documents, &nearest);
    else if (!code)
        show_all(run, topics, words, documents, &nearest, &groups);
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
        "documents.",
        "With --model, the words whose vectors are nearest to the vector of the topic follow, which "
        "often name the subject although they are rare in the documents. With --groups, similar "
        "topics are together: the hierarchy of topics, which merges those that differ least, is "
        "cut into N groups. psdvec topics page shows all of this as an HTML page."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec topics show topics.safetensors", "All topics."},
                 {"psdvec topics show topics.safetensors --topic 3 --words 20 --documents 5",
                  "One topic in detail, with the documents that have most of it."},
                 {"psdvec topics show topics.safetensors --groups 2 --model wiki.safetensors",
                  "Similar topics together, with the words nearest to each."},
                 {"psdvec topics show topics.safetensors --documents 3 --format json",
                  "All topics with documents, for scripts."}),
    .operands = {1, 1},
    .missing = "give a topics file",
    .act = act};
