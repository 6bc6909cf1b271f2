/* psdvec topics page: an HTML page of topics. */
#include "commands.h"
#include "exit_status.h"
#include "page.h"
#include "phrase.h"
#include "show.h"
#include "topics.h"

static const psdvec_option options[] = {
    WHOLE_OPTION("words", "N", 1, 200, .fallback = "20", .group = "Output",
                 .help = "words of each topic"),
    WHOLE_OPTION("documents", "N", 0, 200, .fallback = "10",
                 .help = "documents with the largest share of each topic"),
    TOPICS_MODEL_OPTION,
    {0}};

/* Words of a topic in the text for readers without JavaScript. */
enum { TEXT_WORDS = 10 };

static void take_json(void *user, const char *json, size_t length)
{
    buffer_add(user, json, length);
}

/* The topics as text. */
static void add_text(struct show *show, struct run *run, const psdvec_topics *topics)
{
    struct rows rows = topics_rows(topics, false, false);
    for (uint32_t k = 0; k < psdvec_topics_get_info(topics)->topics; k++)
        topics_add_row(&rows, run, topics, k, TEXT_WORDS, NULL, NULL);
    show_start_as(show, run, false, FORMAT_MARKDOWN);
    show_open(show);
    show_rows(show, &rows);
    show_close(show);
}

static int write_page(struct run *run, const psdvec_topics *topics, const psdvec_model *model)
{
    const struct arguments *arguments = run->arguments;
    struct buffer json = {0}, page = {0};
    struct show show;
    psdvec_status status = psdvec_topics_describe(
        run->ctx, topics, model, (uint32_t)argument_integer(arguments, "words"),
        (uint32_t)argument_integer(arguments, "documents"), take_json, &json);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    add_text(&show, run, topics);
    page_add(&page, page_topics, &json, &show.text);
    int code = run_write(run, run_output(run), &page);
    if (!code)
        talk_say(&run->talk, phrase("written: %s (%s); open it in a browser\n", run_output(run),
                                    phrase_bytes((double)page.length)));
    buffer_clear(&show.text);
    show_end(&show);
    buffer_free(&json);
    buffer_free(&page);
    return code;
}

static int act(struct run *run)
{
    struct topics_nearest nearest;
    psdvec_topics *topics;
    int code = topics_open(run, run->arguments->operands[0], &topics);
    if (code)
        return code;
    /* The page has more of them, but a wrong model should be refused before the work. */
    code = topics_nearest(run, topics, 1, &nearest);
    if (!code)
        code = write_page(run, topics, nearest.model);
    return code;
}

const struct command cmd_topics_page = {
    .name = "topics page",
    .group = "Topics",
    .summary = "write an HTML page of topics",
    .synopsis = "FILE -o PAGE [--model MODEL] [OPTION]...",
    .description = PARAGRAPHS(
        "Writes the topics of a file as one HTML page, which works offline: all topics with their "
        "sizes, words and documents, a map and a tree of similar topics, their shares by date and "
        "by label if the documents have them, and a search for the topics of a word.",
        "The size of the page does not depend on the number of documents: it contains only those "
        "with the largest share of each topic, by their first words."),
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec topics page topics.safetensors -o topics.html", "A page of all topics."},
                 {"psdvec topics page topics.safetensors --model wiki.safetensors -o topics.html",
                  "The same, with the words nearest to each topic."}),
    .operands = {1, 1},
    .missing = "give a topics file",
    .output_example = "topics.html",
    .act = act};
