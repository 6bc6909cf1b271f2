/* psdvec counts show: the words around a word, a first look at the counts. */
#include "association.h"
#include "cell.h"
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "human.h"
#include "signals.h"
#include "utf8.h"
#include "wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two halves of 38 columns with 4 between them: a word, a bar, the count, how
 * many times chance. */
#define HALF 38
#define GAP 4
#define WORD_COLUMNS 15
#define BAR_COLUMNS 8
#define COUNT_COLUMNS 6
#define LIFT_COLUMNS 6

enum { BY_ASSOCIATION, BY_COUNT };
static const psdvec_choice orders[] = {{.name = "association"}, {.name = "count"}, {0}};

static const psdvec_option options[] = {
    {.name = "top",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 1,
     .most = 1000000,
     .fallback = "12",
     .group = "What to show",
     .help = "show N words on each side"},
    {.name = "min-count",
     .type = PSDVEC_OPTION_DOUBLE,
     .argument = "C",
     .least = 0,
     .most = 1e18,
     .fallback = "2",
     .help = "leave out pairs counted less than C times"},
    {.name = "by",
     .type = PSDVEC_OPTION_CHOICE,
     .choices = orders,
     .fallback = "association",
     .help = "strongest association first, or largest count first"},
    {0}};

static const char *const description[] = {
    "For each WORD, shows the words that stand before it and after it within the window, "
    "strongest first, with a bar, the count, and how many times as often as chance.",
    "Association is ln(times chance) times ln(1 + count): high for pairs that are both telling "
    "and frequent. The bar shows it, or the count with --by count. Words that stand together less "
    "often than chance would have it are left out, except with --by count.",
    NULL};

static const struct example examples[] = {
    {"psdvec counts show wiki.counts.safetensors music", "What stands around music."},
    {"psdvec counts show wiki.counts.safetensors music art --top 5 --by count",
     "Two words, five lines each, by plain count."},
    {0}};

struct neighbour {
    uint32_t word;
    double count, score, lift;
};

struct list {
    struct neighbour *items;
    size_t count, room;
};

struct show {
    struct run *run;
    const psdvec_counts *counts;
    struct margins margins;
    size_t top;
    double min_count;
    bool by_count;
};

static void list_offer(struct list *list, const struct show *show, uint32_t context, uint32_t focus,
                       uint32_t word, uint64_t value)
{
    double count = margins_count(&show->margins, context, focus, value);
    double stored = (double)value / show->margins.scale;
    if (stored < show->min_count)
        return;
    struct association association = associate(&show->margins, context, focus, count);
    if (!show->by_count && association.score <= 0)
        return;
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->items = must_grow(list->items, list->room, sizeof *list->items);
    }
    list->items[list->count++] =
        (struct neighbour){.word = word,
                           .count = stored,
                           .score = show->by_count ? stored : association.score,
                           .lift = association.lift};
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

/* 7.5, then 1,234, then 12.3K where that would be too wide. With a sign behind
 * it, small numbers always have a decimal, so that the points align. */
static void add_number(struct buffer *to, double number, size_t columns, const char *sign)
{
    struct buffer text = {0};
    if (number < 9.95 && (sign || number != floor(number)))
        buffer_format(&text, "%.1f", number);
    else if (number < 1e15)
        human_count(&text, (uint64_t)(number + 0.5));
    if (!text.length || utf8_columns(text.text, text.length) + strlen(sign ? "x" : "") > columns) {
        buffer_clear(&text);
        human_short(&text, number);
    }
    buffer_text(&text, sign ? sign : "");
    cell_add(to, text.text, text.length, columns, true);
    buffer_free(&text);
}

static void add_half(struct buffer *to, const struct show *show, const struct list *list, size_t k,
                     double largest)
{
    const struct palette *palette = &show->run->palette;
    if (k >= list->count) {
        add_spaces(to, HALF);
        return;
    }
    const struct neighbour *item = &list->items[k];
    size_t length;
    const char *word = psdvec_counts_word(show->counts, item->word, &length);
    cell_add(to, word, length, WORD_COLUMNS, false);
    buffer_char(to, ' ');
    buffer_text(to, palette->cyan);
    cell_bar(to, item->score / largest, BAR_COLUMNS, terminal_unicode());
    buffer_text(to, palette->plain);
    buffer_char(to, ' ');
    add_number(to, item->count, COUNT_COLUMNS, NULL);
    buffer_char(to, ' ');
    buffer_text(to, palette->dim);
    add_number(to, item->lift, LIFT_COLUMNS, terminal_unicode() ? "×" : "x");
    buffer_text(to, palette->plain);
}

static void add_title(struct buffer *to, const struct show *show, uint32_t i)
{
    size_t length;
    const char *word = psdvec_counts_word(show->counts, i, &length);
    buffer_text(to, show->run->palette.bold);
    cell_text(to, word, length);
    buffer_text(to, show->run->palette.plain);
    buffer_text(to, "  ");
    human_count(to, psdvec_counts_frequency(show->counts, i));
    buffer_text(to, " times in the text\n");
    struct buffer heads[2] = {{0}, {0}};
    for (int side = 0; side < 2; side++) {
        struct buffer *head = &heads[side];
        buffer_text(head, side ? "after " : "before ");
        cell_text(head, word, length);
        cell_add(to, head->text, head->length, WORD_COLUMNS + 1 + BAR_COLUMNS, false);
        cell_add(to, "count", 5, COUNT_COLUMNS + 1, true);
        cell_add(to, "chance", 6, LIFT_COLUMNS + 1, true);
        add_spaces(to, side ? 0 : GAP);
        buffer_free(head);
    }
    buffer_char(to, '\n');
}

static void show_word(const struct show *show, uint32_t i)
{
    struct list before = {0}, after = {0};
    uint32_t words = psdvec_counts_get_info(show->counts)->words;
    psdvec_row row;
    psdvec_counts_row(show->counts, i, &row);
    for (size_t k = 0; k < row.length; k++)
        list_offer(&after, show, i, row.focus[k], row.focus[k], psdvec_row_value(&row, k));
    for (uint32_t j = 0; j < words && !signals_caught(); j++) {
        uint64_t value = psdvec_counts_get(show->counts, j, i);
        if (value)
            list_offer(&before, show, j, i, j, value);
    }
    list_sort(&before, show->top);
    list_sort(&after, show->top);

    double largest = 1e-300;
    if (before.count && before.items[0].score > largest)
        largest = before.items[0].score;
    if (after.count && after.items[0].score > largest)
        largest = after.items[0].score;
    struct buffer text = {0};
    add_title(&text, show, i);
    size_t lines = before.count > after.count ? before.count : after.count;
    for (size_t k = 0; k < lines; k++) {
        add_half(&text, show, &before, k, largest);
        add_spaces(&text, GAP);
        add_half(&text, show, &after, k, largest);
        drop_spaces(&text);
        buffer_char(&text, '\n');
    }
    if (!lines)
        buffer_text(&text, "no pairs to show; try --min-count 1 or --by count\n");
    output_add(&show->run->out, text.text, text.length);
    buffer_free(&text);
    free(before.items);
    free(after.items);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    psdvec_counts *counts = NULL;
    int code = counts_file_open_rows(run, arguments->operands[0], &counts);
    if (code)
        return code;
    size_t words = arguments->operand_count - 1;
    uint32_t *indices = must_alloc(words, sizeof *indices);
    for (size_t k = 0; k < words && !code; k++)
        code = counts_file_find(run, counts, arguments->operands[k + 1], &indices[k]);
    if (!code) {
        struct show show = {.run = run,
                            .counts = counts,
                            .top = argument_integer(arguments, "top"),
                            .min_count = argument_real(arguments, "min-count"),
                            .by_count = argument_integer(arguments, "by") == BY_COUNT};
        margins_start(&show.margins, counts);
        for (size_t k = 0; k < words && !signals_caught(); k++) {
            if (k)
                output_text(&run->out, "\n");
            show_word(&show, indices[k]);
        }
        margins_end(&show.margins);
        if (signals_caught())
            code = 128 + signals_caught();
    }
    free(indices);
    psdvec_counts_close(counts);
    return code;
}

const struct command cmd_counts_show = {
    .name = "counts show",
    .group = "Counts files",
    .summary = "show which words stand before and after a word",
    .synopsis = "FILE WORD... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 2,
    .most_operands = SIZE_MAX,
    .missing = "say which counts file to look into, and for which words",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
