/* psdvec counts dump: counts as text, one pair per line.
 *
 * Meant to be as fast as the programs that read it. The words are escaped once, into one block with
 * a separator after each; a line is then two copies and a number. The fraction of a count is looked
 * up where the scale is small enough for a table of all fractions. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "show.h"
#include "system.h"
#include "util/number.h"
#include "word_files.h"

#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 1, 1000000000, .group = "Output",
                 .help = "print only the N largest counts, largest first"),
    {.name = "word",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "W",
     .help = "print only pairs with this word"},
    FLAG_OPTION("raw", .group = "Output",
                .help = "print the stored integer, which is the count times the scale of the file"),
    {0}};

#define FRACTIONS ((uint64_t)1 << 16)

/* Columns of the table format. */
enum { WORD_COLUMNS = 26, COUNT_COLUMNS = 12 };

struct printer {
    struct output *out;
    const psdvec_counts *counts;
    enum format format;
    uint64_t scale;      /* 1 with --raw */
    struct buffer words; /* all words, escaped, each followed by a separator */
    size_t *starts;      /* words + 1 */
    /* ".25" for each fraction, if scale <= FRACTIONS */
    char (*fractions)[16];
    uint8_t *fraction_lengths;
};

static void printer_start(struct printer *printer)
{
    static const char *const heads[] = {
        [FORMAT_TABLE] = "context                    focus                             count\n",
        [FORMAT_TSV] = "context\tfocus\tcount\n",
        [FORMAT_JSON] = "",
        [FORMAT_MARKDOWN] = "| context | focus | count |\n|---|---|--:|\n"};
    uint32_t words = psdvec_counts_get_info(printer->counts)->words;
    struct buffer *to = &printer->words;
    output_text(printer->out, heads[printer->format]);
    buffer_text(to, "");
    printer->starts = lasting_alloc((size_t)words + 1, sizeof *printer->starts);
    for (uint32_t i = 0; i < words; i++) {
        size_t length;
        const char *word = psdvec_counts_word(printer->counts, i, &length);
        if (printer->format == FORMAT_JSON)
            buffer_json(to, word, length);
        else if (printer->format == FORMAT_TSV) {
            escape_tsv(to, word, length);
            buffer_char(to, '\t');
        } else if (printer->format == FORMAT_MARKDOWN) {
            markdown_text(to, word, length, false);
            buffer_text(to, " | ");
        } else {
            cell_add(to, word, length, WORD_COLUMNS, false);
            buffer_char(to, ' ');
        }
        printer->starts[i + 1] = to->length;
    }
    if (printer->scale > FRACTIONS || printer->scale < 2)
        return;
    printer->fractions = lasting_alloc(printer->scale, sizeof *printer->fractions);
    printer->fraction_lengths = lasting_alloc(printer->scale, 1);
    for (uint64_t part = 1; part < printer->scale; part++) {
        char digits[DECIMAL_MOST];
        size_t length = decimal_ratio(digits, part, printer->scale);
        memcpy(printer->fractions[part], digits + 1, length - 1);
        printer->fraction_lengths[part] = (uint8_t)(length - 1);
    }
}

static char *put(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

static char *put_word(const struct printer *printer, char *at, uint32_t i)
{
    return put(at, printer->words.text + printer->starts[i],
               printer->starts[i + 1] - printer->starts[i]);
}

static char *put_count(const struct printer *printer, char *at, uint64_t v)
{
    if (printer->scale <= 1)
        return pv_digits_write(at, v);
    if (!printer->fractions)
        return at + decimal_ratio(at, v, printer->scale);
    uint64_t whole = v / printer->scale, part = v - whole * printer->scale;
    at = pv_digits_write(at, whole);
    return part ? put(at, printer->fractions[part], printer->fraction_lengths[part]) : at;
}

static char *put_aligned(const struct printer *printer, char *at, uint64_t v)
{
    char digits[DECIMAL_MOST];
    size_t length = (size_t)(put_count(printer, digits, v) - digits);
    for (size_t k = length; k < COUNT_COLUMNS; k++)
        *at++ = ' ';
    return put(at, digits, length);
}

static void print_pair(const struct printer *printer, uint32_t context, uint32_t focus,
                       uint64_t value)
{
    static const char json[3][16] = {"{\"context\": ", ", \"focus\": ", ", \"count\": "};
    const size_t *starts = printer->starts;
    size_t most = starts[context + 1] - starts[context] + starts[focus + 1] - starts[focus] +
                  sizeof json + DECIMAL_MOST + COUNT_COLUMNS;
    char *begin, *at, *large = NULL;
    /* A word of several megabytes does not fit the buffer and is written separately. */
    begin = at = most <= OUTPUT_MOST ? output_reserve(printer->out, most)
                                     : (large = must_alloc(most, 1));
    if (printer->format == FORMAT_JSON) {
        at = put(at, json[0], 12);
        at = put_word(printer, at, context);
        at = put(at, json[1], 11);
        at = put_word(printer, at, focus);
        at = put(at, json[2], 11);
        at = put_count(printer, at, value);
        *at++ = '}';
    } else {
        bool markdown = printer->format == FORMAT_MARKDOWN;
        at = markdown ? put(at, "| ", 2) : at;
        at = put_word(printer, at, context);
        at = put_word(printer, at, focus);
        if (printer->format == FORMAT_TABLE)
            at = put_aligned(printer, at, value);
        else
            at = put_count(printer, at, value);
        at = markdown ? put(at, " |", 2) : at;
    }
    *at++ = '\n';
    if (large)
        output_add(printer->out, begin, (size_t)(at - begin));
    else
        output_advance(printer->out, (size_t)(at - begin));
    free(large);
}

/* The N largest pairs seen so far: a heap whose root is removed first. */
struct pair {
    uint64_t value;
    uint32_t context, focus;
};

struct heap {
    struct pair *pairs;
    size_t count, capacity, limit;
};

/* True if a is printed after b. */
static bool behind(const struct pair *a, const struct pair *b)
{
    if (a->value != b->value)
        return a->value < b->value;
    if (a->context != b->context)
        return a->context > b->context;
    return a->focus > b->focus;
}

static void sift_down(struct heap *heap, size_t at)
{
    struct pair moving = heap->pairs[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && behind(&heap->pairs[child + 1], &heap->pairs[child]))
            child++;
        if (!behind(&heap->pairs[child], &moving))
            break;
        heap->pairs[at] = heap->pairs[child];
        at = child;
    }
    heap->pairs[at] = moving;
}

static void heap_offer(struct heap *heap, struct pair pair)
{
    if (heap->count == heap->limit) {
        if (!behind(&heap->pairs[0], &pair))
            return;
        heap->pairs[0] = pair;
        sift_down(heap, 0);
        return;
    }
    if (heap->count == heap->capacity) {
        heap->capacity = 2 * heap->capacity + 64;
        heap->pairs = must_grow(heap->pairs, heap->capacity, sizeof *heap->pairs);
    }
    size_t at = heap->count++;
    while (at && behind(&pair, &heap->pairs[(at - 1) / 2])) {
        heap->pairs[at] = heap->pairs[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->pairs[at] = pair;
}

static int pair_order(const void *a, const void *b)
{
    return behind(a, b) ? 1 : -1;
}

struct dump {
    struct printer printer;
    struct heap heap;       /* limit 0: print immediately */
    bool all;               /* not restricted to the pairs of some words: */
    const uint32_t *wanted; /* ascending */
    size_t wanted_count;
};

static void emit(struct dump *dump, uint32_t context, uint32_t focus, uint64_t value)
{
    if (dump->heap.limit)
        heap_offer(&dump->heap, (struct pair){value, context, focus});
    else
        print_pair(&dump->printer, context, focus, value);
}

/* The first position in a row with a focus of at least `focus`. */
static size_t lower_bound(const psdvec_row *row, size_t from, uint32_t focus)
{
    size_t low = from, high = row->length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row->focus[middle] < focus)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void dump_row(struct dump *dump, uint32_t i, bool whole)
{
    psdvec_row row;
    psdvec_counts_row(dump->printer.counts, i, &row);
    if (whole) {
        for (size_t k = 0; k < row.length; k++)
            emit(dump, i, row.focus[k], psdvec_row_value(&row, k));
        return;
    }
    size_t at = 0;
    for (size_t w = 0; w < dump->wanted_count && at < row.length; w++) {
        at = lower_bound(&row, at, dump->wanted[w]);
        if (at < row.length && row.focus[at] == dump->wanted[w])
            emit(dump, i, row.focus[at], psdvec_row_value(&row, at));
    }
}

static int dump_all(struct dump *dump)
{
    uint32_t words = psdvec_counts_get_info(dump->printer.counts)->words;
    size_t next = 0;
    for (uint32_t i = 0; i < words; i++) {
        bool whole = dump->all;
        if (next < dump->wanted_count && dump->wanted[next] == i) {
            whole = true;
            next++;
        }
        dump_row(dump, i, whole);
        if (signals_caught())
            return 128 + signals_caught();
        if (output_broken(dump->printer.out))
            return EXIT_FINE; /* reported when the output is closed */
    }
    if (dump->heap.count)
        qsort(dump->heap.pairs, dump->heap.count, sizeof *dump->heap.pairs, pair_order);
    for (size_t k = 0; k < dump->heap.count; k++)
        print_pair(&dump->printer, dump->heap.pairs[k].context, dump->heap.pairs[k].focus,
                   dump->heap.pairs[k].value);
    return EXIT_FINE;
}

static int index_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The indices of the words of --word, ascending, each once. */
static int find_wanted(struct run *run, const psdvec_counts *counts, uint32_t *wanted,
                       size_t *count)
{
    const struct option_value *given = argument(run->arguments, "word");
    for (size_t k = 0; k < given->text_count; k++) {
        int code = counts_file_find(run, counts, given->texts[k], &wanted[k]);
        if (code)
            return code;
    }
    qsort(wanted, given->text_count, sizeof *wanted, index_order);
    *count = 0;
    for (size_t k = 0; k < given->text_count; k++)
        if (k == 0 || wanted[k] != wanted[k - 1])
            wanted[(*count)++] = wanted[k];
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const struct option_value *word = argument(arguments, "word");
    psdvec_counts *counts = NULL;
    uint32_t *wanted = lasting_alloc(word->text_count, sizeof *wanted);
    int code = counts_file_open_rows(run, arguments->operands[0], &counts);
    if (code)
        return code;
    struct dump dump = {.printer = {.out = &run->out,
                                    .counts = counts,
                                    .format = run->format,
                                    .scale = argument_flag(arguments, "raw")
                                                 ? 1
                                                 : psdvec_counts_get_info(counts)->scale},
                        .heap = {.limit = argument_integer(arguments, "top")},
                        .all = !word->given,
                        .wanted = wanted};
    if (!dump.all)
        code = find_wanted(run, counts, wanted, &dump.wanted_count);
    if (code)
        return code;
    printer_start(&dump.printer);
    code = dump_all(&dump);
    buffer_free(&dump.printer.words);
    free(dump.heap.pairs);
    return code;
}

const struct command cmd_counts_dump = {
    .name = "counts dump",
    .group = "Counts files",
    .summary = "print counts as text, one pair per line",
    .synopsis = "FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Prints one pair per line: the first word (context), the word after it (focus), and the "
        "count. Lines are in the order of the file: by context, then by focus. In TSV, a tab in a "
        "word is written \\t, a newline \\n and a backslash \\\\.",
        "Counts made with --subsample are printed as stored, before subsampling: the expected "
        "count is this count times the retentions of both words."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS_TSV, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec counts dump wiki.counts.safetensors --top 20", "The most frequent pairs."},
        {"psdvec counts dump wiki.counts.safetensors --word music --word art",
         "All pairs with either of two words."},
        {"psdvec counts dump wiki.counts.safetensors --format json -o wiki.jsonl",
         "Write all pairs to a file as JSON lines."}),
    .operands = {1, 1},
    .missing = "give a counts file",
    .act = act};
