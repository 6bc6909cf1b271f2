/* psdvec counts show: the words that co-occur with a word. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "system.h"
#include "word_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two halves of 38 columns with 4 between them: a word, a bar, the count, the ratio to chance. */
#define GAP 4
#define NUMBER_COLUMNS 6

enum { BY_ASSOCIATION, BY_COUNT };
static const psdvec_choice orders[] = {{.name = "association"}, {.name = "count"}, {0}};

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 1, 1000000, .fallback = "12", .group = "Output",
                 .help = "show N words on each side"),
    REAL_OPTION("min-count", "C", 0, 1e18, .fallback = "2",
                .help = "omit pairs with a count below C"),
    CHOICE_OPTION("by", orders, .fallback = "association",
                  .help = "strongest association first, or largest count first"),
    {0}};

/* ---- Association ----------------------------------------------------------------------------- */

/* Association of a pair (context i, focus j) with count x, margins R_i and C_j, and N in all:
 *
 *   lift  = x N / (R_i C_j)          ratio to the count expected by chance
 *   score = ln(lift) ln(1 + x)       the logarithm of the count keeps pairs seen
 *                                    once or twice from the top
 *
 * Chosen by inspection, not by measurement: six scores were compared for four words (music, bank,
 * the, musik) on 16M words of Wikipedia. The log-likelihood ratio put "and", "the" and "of" high in
 * the lists of music and bank; its root times ln(lift) mixed in words that co-occur less than by
 * chance; Dice's coefficient gave only function words for "the"; a lower bound of the lift
 * preferred rare words. This score, and the same with a lower bound of the lift, gave the best
 * lists and hardly differed; this is the simpler one. It is negative for words that co-occur less
 * than by chance.
 *
 * With subsampling the counts are expected counts x_ij r_i r_j, and so are the margins, which takes
 * one pass over the file. Without it the margins are stored in the file. */

/* The margins of the expected counts x_ij r_i r_j, where r is the retention of a word. */
struct margins {
    double *context; /* words: sum over the focus */
    double *focus;   /* words: sum over the context */
    double total;
    double *retentions; /* NULL: all 1 */
    double scale;
};

/* The expected count of a stored value. */
static double margins_count(const struct margins *margins, uint32_t context, uint32_t focus,
                            uint64_t value)
{
    double count = (double)value / margins->scale;
    return margins->retentions ? count * margins->retentions[context] * margins->retentions[focus]
                               : count;
}

/* The retention of each word; NULL if it is 1 for all. */
static double *retentions_of(const psdvec_counts *counts)
{
    uint32_t words = psdvec_counts_get_info(counts)->words;
    double *retentions = lasting_alloc(words, sizeof *retentions);
    bool all_one = true;
    for (uint32_t i = 0; i < words; i++) {
        retentions[i] = psdvec_counts_retention(counts, i);
        all_one &= retentions[i] == 1;
    }
    return all_one ? NULL : retentions;
}

static void margins_make(struct margins *margins, const psdvec_counts *counts)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    *margins = (struct margins){.scale = (double)info->scale, .retentions = retentions_of(counts)};
    margins->context = lasting_alloc(info->words, sizeof *margins->context);
    margins->focus = lasting_alloc(info->words, sizeof *margins->focus);
    for (uint32_t i = 0; i < info->words; i++) {
        if (!margins->retentions) {
            margins->context[i] = (double)psdvec_counts_context_total(counts, i) / margins->scale;
            margins->focus[i] = (double)psdvec_counts_focus_total(counts, i) / margins->scale;
            margins->total += margins->context[i];
            continue;
        }
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        double sum = 0;
        for (size_t k = 0; k < row.length; k++) {
            double count = margins_count(margins, i, row.focus[k], psdvec_row_value(&row, k));
            margins->focus[row.focus[k]] += count;
            sum += count;
        }
        margins->context[i] = sum;
        margins->total += sum;
    }
}

/* ---- The words around a word ----------------------------------------------------------------- */

struct neighbour {
    uint32_t word;
    double count;
    double score; /* sort key; negative: they co-occur less than by chance */
    double lift;  /* ratio to the count expected by chance */
};

struct list {
    struct neighbour *items;
    size_t count, capacity;
};

struct inquiry {
    const psdvec_counts *counts;
    struct margins margins;
    size_t top;
    double min_count;
    bool by_count;
};

static void list_offer(struct list *list, const struct inquiry *q, uint32_t context, uint32_t focus,
                       uint32_t word, uint64_t value)
{
    double count = margins_count(&q->margins, context, focus, value);
    double stored = (double)value / q->margins.scale;
    if (stored < q->min_count)
        return;
    double r = q->margins.context[context], c = q->margins.focus[focus], n = q->margins.total;
    double lift = r > 0 && c > 0 && n > 0 && count > 0 ? count * n / (r * c) : 0;
    double score = lift > 0 ? log(lift) * log1p(count) : 0;
    if (!q->by_count && score <= 0)
        return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->items = must_grow(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] =
        (struct neighbour){word, stored, q->by_count ? stored : score, lift};
}

static int neighbour_order(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

static void list_sort(struct list *list, size_t top)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, neighbour_order);
    if (list->count > top)
        list->count = top;
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
        const struct neighbour *item = &list->items[k];
        size_t length;
        const char *word = psdvec_counts_word(q->counts, item->word, &length);
        const char *sign = terminal_unicode() ? "×" : "x";
        rows_add(rows, text_cell(asked), text_cell(rows->name), word_cell(word, length),
                 bar_cell(item->score / largest),
                 shown_as(real_cell(item->count), number_text(item->count, "")),
                 shown_as(real_cell(item->lift), number_text(item->lift, sign)),
                 real_cell(item->score));
    }
}

static void print(struct show *show, const struct inquiry *q, uint32_t i,
                  const struct list sides[2])
{
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
        if (sides[side].count && sides[side].items[0].score > largest)
            largest = sides[side].items[0].score;
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
}

static void show_word(struct show *show, const struct inquiry *q, uint32_t i)
{
    struct list sides[2] = {{0}, {0}};
    uint32_t words = psdvec_counts_get_info(q->counts)->words;
    psdvec_row row;
    psdvec_counts_row(q->counts, i, &row);
    for (size_t k = 0; k < row.length; k++)
        list_offer(&sides[1], q, i, row.focus[k], row.focus[k], psdvec_row_value(&row, k));
    for (uint32_t j = 0; j < words && !signals_caught(); j++) {
        uint64_t value = psdvec_counts_get(q->counts, j, i);
        if (value)
            list_offer(&sides[0], q, j, i, j, value);
    }
    list_sort(&sides[0], q->top);
    list_sort(&sides[1], q->top);
    print(show, q, i, sides);
    free(sides[0].items);
    free(sides[1].items);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_counts *counts = NULL;
    struct show show;
    size_t words = arguments->operand_count - 1;
    uint32_t *indices = lasting_alloc(words, sizeof *indices);
    int code = counts_file_open_rows(run, arguments->operands[0], &counts);
    for (size_t k = 0; k < words && !code; k++)
        code = counts_file_find(run, counts, arguments->operands[k + 1], &indices[k]);
    if (code)
        return code;
    struct inquiry q = {.counts = counts,
                        .top = argument_integer(arguments, "top"),
                        .min_count = argument_real(arguments, "min-count"),
                        .by_count = argument_integer(arguments, "by") == BY_COUNT};
    show_start(&show, run, false);
    margins_make(&q.margins, counts);
    for (size_t k = 0; k < words && !signals_caught(); k++)
        show_word(&show, &q, indices[k]);
    show_end(&show);
    return signals_caught() ? 128 + signals_caught() : EXIT_FINE;
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
