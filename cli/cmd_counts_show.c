/* psdvec counts show: the words that co-occur with a word. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "word_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two halves of 38 columns with 4 between them: a word, a bar, the count, the ratio to chance. */
#define GAP 4
#define NUMBER_COLUMNS 6

static const psdvec_choice orders[] = {[PSDVEC_ASSOCIATION_SCORE] = {.name = "association"},
                                       [PSDVEC_ASSOCIATION_COUNT] = {.name = "count"},
                                       {0}};

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 1, 1000000, .fallback = "12", .group = "Output",
                 .help = "show N words on each side"),
    REAL_OPTION("min-count", "C", 0, 1e18, .fallback = "2",
                .help = "omit pairs with a count below C"),
    CHOICE_OPTION("by", orders, .fallback = "association",
                  .help = "strongest association first, or largest count first"),
    {0}};

struct inquiry {
    const psdvec_counts *counts;
    bool by_count;
    struct show show;
};

/* The words before or after a word. */
struct list {
    const psdvec_association *items;
    size_t count;
};

/* What the list is sorted by. */
static double strength(const struct inquiry *q, const psdvec_association *item)
{
    return q->by_count ? item->count : item->score;
}

/* 7.5, then 1,234, then 12.3K where that would be too wide. With `sign` after it, small numbers
 * always have one decimal, so that the decimal points align. */
static const char *number_text(double number, const char *sign)
{
    const char *text = number < 9.95 && (*sign || number != floor(number)) ? phrase("%.1f", number)
                       : number < 1e15 ? phrase_count((uint64_t)(number + 0.5))
                                       : NULL;
    if (!text || strlen(text) + (*sign ? 1 : 0) > NUMBER_COLUMNS)
        text = phrase_short(number);
    return phrase("%s%s", text, sign);
}

#define COLUMNS(heading_)                                                                          \
    {                                                                                              \
        COLUMN("question", NULL, .where = IN_TSV), COLUMN("side", NULL, .where = IN_TSV),          \
            COLUMN("word", heading_, .width = 15), BARS(.gap = 1, .width = 8),                     \
            NUMBERS("count", "count", 0, -9, .gap = 1, .width = NUMBER_COLUMNS),                   \
            NUMBERS("lift", "chance", 0, -9, .gap = 1, .width = NUMBER_COLUMNS, .style = DIM),     \
            NUMBERS("score", NULL, 0, -9, .gap = 0)                                                \
    }

static void fill(struct rows *rows, const struct inquiry *q, const char *asked,
                 const struct list *list, double largest)
{
    for (size_t k = 0; k < list->count; k++) {
        const psdvec_association *item = &list->items[k];
        size_t length;
        const char *word = psdvec_counts_word(q->counts, item->word, &length);
        const char *sign = terminal_unicode() ? "×" : "x";
        rows_add(rows, text_cell(asked), text_cell(rows->name), word_cell(word, length),
                 bar_cell(strength(q, item) / largest),
                 shown_as(real_cell(item->count), number_text(item->count, "")),
                 shown_as(real_cell(item->lift), number_text(item->lift, sign)),
                 real_cell(strength(q, item)));
    }
}

static void print(void *user, uint32_t i, const psdvec_association *before, size_t before_count,
                  const psdvec_association *after, size_t after_count)
{
    struct inquiry *q = user;
    struct show *show = &q->show;
    const struct list sides[2] = {{before, before_count}, {after, after_count}};
    size_t mark = lasting_count();
    size_t length;
    const char *word = psdvec_counts_word(q->counts, i, &length);
    const char *safe = phrase_safe(word, length);
    uint64_t frequency = psdvec_counts_frequency(q->counts, i);
    const struct column columns[2][7] = {COLUMNS(phrase("before %s", safe)),
                                         COLUMNS(phrase("after %s", safe))};
    struct rows rows[2] = {{.name = "before", .columns = columns[0], .column_count = 7},
                           {.name = "after", .columns = columns[1], .column_count = 7}};
    const char *asked = phrase("%.*s", (int)length, word);
    double largest = 1e-300;
    for (int side = 0; side < 2; side++)
        if (sides[side].count && strength(q, sides[side].items) > largest)
            largest = strength(q, sides[side].items);
    for (int side = 0; side < 2; side++)
        fill(&rows[side], q, asked, &sides[side], largest);
    show_open(show);
    show_title(show, phrase(STYLE_BOLD "%s" STYLE_PLAIN "  %s occurrences", safe,
                            phrase_count(frequency)));
    show_data(show, "word", word_cell(word, length));
    show_data(show, "count", whole_cell(frequency));
    if (!sides[0].count && !sides[1].count)
        show_title(show, "no pairs to show; try --min-count 1 or --by count");
    show_pair(show, &rows[0], &rows[1], GAP);
    show_close(show);
    show_flush(show);
    lasting_end(mark);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_counts *counts = NULL;
    size_t words = arguments->operand_count - 1;
    uint32_t *indices = lasting_alloc(words, sizeof *indices);
    int code = counts_file_open(run, arguments->operands[0], &counts);
    for (size_t k = 0; k < words && !code; k++)
        code = counts_file_find(run, counts, arguments->operands[k + 1], &indices[k]);
    if (code)
        return code;
    psdvec_association_order order = (psdvec_association_order)argument_integer(arguments, "by");
    struct inquiry q = {.counts = counts, .by_count = order == PSDVEC_ASSOCIATION_COUNT};
    show_start(&q.show, run, false);
    psdvec_status status = psdvec_counts_associations(
        run->ctx, counts, indices, words, order, argument_real(arguments, "min-count"),
        argument_integer(arguments, "top"), print, &q);
    show_end(&q.show);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

const struct command cmd_counts_show = {
    .name = "counts show",
    .group = "Counts files",
    .summary = "show the words that occur before and after a word",
    .synopsis = "FILE WORD... [OPTION]...",
    .description = PARAGRAPHS(
        "For each WORD, shows the words that occur before it and after it within the window, "
        "strongest association first, with a bar, the count, and the ratio of the count to the "
        "count expected by chance.",
        "Association is ln(ratio) times ln(1 + count): it is high for pairs that are both "
        "specific and frequent. The bar shows it, or the count with --by count. Words that "
        "co-occur less often than expected by chance are omitted, except with --by count."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec counts show wiki.counts.safetensors music", "Show the words around "
                                                                      "music."},
                 {"psdvec counts show wiki.counts.safetensors music art --top 5 --by count",
                  "Two words, five lines each, sorted by count."}),
    .operands = {2, SIZE_MAX},
    .missing = "give a counts file and one or more words",
    .act = act};
