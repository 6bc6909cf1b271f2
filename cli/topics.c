/* Topics files, for the commands about topics. */
#include "topics.h"

#include "cell.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "word_files.h"

#include <stdlib.h>

static void close_topics(void *topics)
{
    psdvec_topics_close(topics);
}

int topics_open(struct run *run, const char *path, psdvec_topics **topics)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    const struct open_file *open = run_find_open(run, OPEN_TOPICS, path);
    if (open) {
        *topics = open->topics;
        return EXIT_FINE;
    }
    if (run->only_open)
        return run_error(run, EXIT_USE, "there is no topics file %s", path);
    psdvec_status status = psdvec_topics_open(run->ctx, path, topics);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*topics, close_topics);
    return EXIT_FINE;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void add_word(struct buffer *text, const psdvec_topics *topics, uint32_t word)
{
    size_t length;
    const char *bytes = psdvec_topics_word(topics, word, &length);
    buffer_text(text, text->length ? " " : "");
    cell_text(text, bytes, length);
}

const char *topics_group_words(struct run *run, const psdvec_topics *topics,
                               const uint32_t *members, size_t count, size_t most)
{
    psdvec_topic_word *words = must_alloc(most, sizeof *words);
    struct buffer text = {0};
    size_t found = 0;
    buffer_text(&text, "");
    psdvec_status status =
        count == 1
            ? psdvec_topics_words(run->ctx, topics, members[0], most, words, &found)
            : psdvec_topics_group_words(run->ctx, topics, members, count, most, words, &found);
    if (status != PSDVEC_OK)
        out_of_memory(); /* there is no other reason */
    for (size_t k = 0; k < found; k++)
        add_word(&text, topics, words[k].word);
    free(words);
    return phrase_of(&text);
}

const char *topics_words(struct run *run, const psdvec_topics *topics, uint32_t topic, size_t most)
{
    return topics_group_words(run, topics, &topic, 1, most);
}

int topics_nearest(struct run *run, const psdvec_topics *topics, size_t most,
                   struct topics_nearest *nearest)
{
    const char *path = argument_text(run->arguments, "model");
    size_t count = psdvec_topics_get_info(topics)->topics;
    *nearest = (struct topics_nearest){0};
    if (!path)
        return EXIT_FINE;
    int code = model_file_open(run, path, &nearest->model);
    if (code)
        return code;
    nearest->most = most;
    nearest->neighbours = lasting_alloc(count * most, sizeof *nearest->neighbours);
    nearest->found = lasting_alloc(count, sizeof *nearest->found);
    psdvec_status status = psdvec_topics_nearest(run->ctx, topics, nearest->model, most,
                                                 nearest->neighbours, nearest->found);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

const char *topics_nearest_words(const psdvec_topics *topics, const struct topics_nearest *nearest,
                                 uint32_t topic)
{
    struct buffer text = {0};
    buffer_text(&text, "");
    for (size_t k = 0; k < nearest->found[topic]; k++)
        add_word(&text, topics, nearest->neighbours[topic * nearest->most + k].word);
    return phrase_of(&text);
}

/* ---- The table of topics --------------------------------------------------------------------- */

struct rows topics_rows(const psdvec_topics *topics, bool nearest, bool groups)
{
    /* On a terminal, the nearest words are a second line. */
    const char *words = nearest ? "words, and those nearest to the topic" : "words";
    const struct column all[] = {NUMBERS("topic", "topic", 0, 0, .width = 5),
                                 NUMBERS("share", "share", 3, -6, .gap = 2, .width = 6),
                                 BARS(.gap = 1, .width = 8),
                                 COLUMN("class", "class", .gap = 2, .most = 24),
                                 COLUMN("words", words, .gap = 2, .wraps = true),
                                 COLUMN("nearest", "nearest", .where = IN_MARKDOWN | FOR_PROGRAMS),
                                 NUMBERS("group", NULL, 0, 0)};
    const bool used[] = {true, true,    true,  psdvec_topics_get_info(topics)->classes > 0,
                         true, nearest, groups};
    struct column *columns = lasting_alloc(sizeof all / sizeof *all, sizeof *columns);
    struct rows rows = {.name = "topics", .columns = columns};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (used[k])
            columns[rows.column_count++] = all[k];
    return rows;
}

void topics_add_row(struct rows *rows, struct run *run, const psdvec_topics *topics, uint32_t topic,
                    size_t most, const struct topics_nearest *nearest, const uint32_t *group)
{
    /* Topics are in descending order, but for a null topic in the first place. */
    bool null_topic = psdvec_topics_get_info(topics)->null_topic;
    double first = psdvec_topics_share(topics, 0);
    double second = null_topic ? psdvec_topics_share(topics, 1) : 0;
    double largest = second > first ? second : first, share = psdvec_topics_share(topics, topic);
    bool classes = psdvec_topics_get_info(topics)->classes > 0;
    rows_add(rows, whole_cell(topic + 1), real_cell(share),
             bar_cell(largest > 0 ? share / largest : 0));
    if (classes)
        rows_more(rows, text_cell(psdvec_topics_class(topics, topic)));
    rows_more(rows, text_cell(topics_words(run, topics, topic, most)));
    bool has_nearest = nearest && nearest->model;
    const char *near = has_nearest ? topics_nearest_words(topics, nearest, topic) : NULL;
    if (has_nearest)
        rows_more(rows, text_cell(near));
    if (group)
        rows_more(rows, whole_cell(group[topic] + 1));
    if (!has_nearest)
        return;
    struct cell blank = shown_as(no_cell(), "");
    rows_add(rows, blank, blank, blank);
    if (classes)
        rows_more(rows, blank);
    rows_more(rows, shown_as(no_cell(), phrase(STYLE_DIM "%s", near)));
    rows_only(rows, IN_TABLE);
}
