/* Topics files, for the commands about topics. */
#include "topics.h"

#include "cell.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "word_files.h"

#include <stdlib.h>

int topics_open(struct run *run, const char *path, psdvec_topics **topics)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_topics_open(run->ctx, path, topics);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
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

#define TOPIC NUMBERS("topic", "topic", 0, 0, .width = 5)
#define SHARE NUMBERS("share", "share", 3, -6, .gap = 2, .width = 6)
#define WORDS(name_, heading_) COLUMN(name_, heading_, .gap = 2, .wraps = true)
#define GROUP NUMBERS("group", NULL, 0, 0)

static const struct column words_only[] = {TOPIC, SHARE, BARS(.gap = 1, .width = 8),
                                           WORDS("words", "words"), GROUP};
/* On a terminal, the nearest words are a second line. */
static const struct column with_nearest[] = {
    TOPIC,
    SHARE,
    BARS(.gap = 1, .width = 8),
    WORDS("words", "words, and those nearest to the topic"),
    COLUMN("nearest", "nearest", .where = IN_MARKDOWN | FOR_PROGRAMS),
    GROUP};

struct rows topics_rows(bool nearest, bool groups)
{
    struct rows plain = ROWS("topics", 0, words_only), more = ROWS("topics", 0, with_nearest);
    struct rows rows = nearest ? more : plain;
    rows.column_count -= !groups;
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
    struct cell number = whole_cell(topic + 1), bar = bar_cell(largest > 0 ? share / largest : 0);
    struct cell words = text_cell(topics_words(run, topics, topic, most));
    struct cell its_group = group ? whole_cell(group[topic] + 1) : no_cell();
    if (!nearest || !nearest->model) {
        rows_add(rows, number, real_cell(share), bar, words, its_group);
        return;
    }
    const char *near = topics_nearest_words(topics, nearest, topic);
    rows_add(rows, number, real_cell(share), bar, words, text_cell(near), its_group);
    struct cell blank = shown_as(no_cell(), "");
    rows_add(rows, blank, blank, blank, shown_as(no_cell(), phrase(STYLE_DIM "%s", near)));
    rows_only(rows, IN_TABLE);
}
