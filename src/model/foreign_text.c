/* Text formats of word2vec, fastText and GloVe: a word and its vector on each line. The first two
 * have a header line with the numbers of words and dimensions.
 *
 *     400000 300                       optional
 *     the 0.0466 0.21318 -0.0074 ...
 *     . . . 0.1105 -0.2731 ...         a word may have spaces
 *
 * A line is parsed from its end: the last N fields are the vector, the rest is the word. Without a
 * header line, N is the most common number in the first hundred lines. Fields are separated by
 * spaces or tabs; blank lines, and spaces at the end of a line, which fastText writes, are ignored.
 *
 * The file is mapped and divided into blocks of bytes. The workers first count the lines of the
 * blocks, which determines the row of each line, and then parse them. The first bad line in the
 * file is reported, regardless of the order in which workers find bad lines.
 *
 * Time: two passes over the file. Memory: the vectors, and 16 bytes per word.
 */
#include "model/foreign.h"

#include "base/progress.h"
#include "base/thread.h"
#include "model/float_text.h"
#include "model/model_read.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK = 1 << 20, SAMPLE = 100 };

typedef struct block {
    uint64_t lines, rows; /* in the block; later: before the block */
} block;

typedef struct text_job {
    const pv_source *source;
    const char *start; /* of the first line of vectors */
    uint64_t lines_before;
    uint32_t dim;
    block *blocks;
    size_t block_count;
    pv_foreign *f;
    _Atomic uint64_t first_bad; /* row; UINT64_MAX: none */
    pv_progress progress;
} text_job;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without the white space at both ends. */
static pv_span trim(const char *at, const char *end)
{
    while (end > at && is_blank(end[-1]))
        end--;
    while (at < end && is_blank(*at))
        at++;
    return (pv_span){.at = at, .length = (size_t)(end - at)};
}

/* The next line without its white space. */
static bool next_line(const char **at, const char *end, pv_span *line)
{
    if (!pv_foreign_next_line(at, end, line))
        return false;
    *line = trim(line->at, line->at + line->length);
    return true;
}

/* ---- One line -------------------------------------------------------------------- */

typedef enum line_fault { LINE_FINE = 0, LINE_FIELDS, LINE_NUMBER, LINE_NOT_FINITE } line_fault;

typedef struct line_problem {
    uint64_t fields;
    pv_span field; /* that is not a number */
} line_problem;

static const char *field_end(const char *at, const char *end)
{
    while (at < end && !is_blank(*at))
        at++;
    return at;
}

static const char *next_field(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static uint64_t count_fields(const char *at, const char *end)
{
    uint64_t fields = 0;
    for (at = next_field(at, end); at < end; at = next_field(field_end(at, end), end))
        fields++;
    return fields;
}

/* Reads exactly `dim` numbers. Stores the cause of a failure in *problem. */
static line_fault read_numbers(const char *at, const char *end, uint64_t dim, float *to,
                               line_problem *problem)
{
    for (uint64_t k = 0; k < dim; k++) {
        const char *after;
        float value;
        at = next_field(at, end);
        pv_number number = at < end ? pv_float_read(at, end, &after, &value) : PV_NUMBER_NONE;
        bool whole = number != PV_NUMBER_NONE && (after == end || is_blank(*after));
        if (!whole || number == PV_NUMBER_NOT_FINITE) {
            problem->field = (pv_span){at, (size_t)(field_end(at, end) - at)};
            return at == end ? LINE_FIELDS : whole ? LINE_NOT_FINITE : LINE_NUMBER;
        }
        if (to)
            to[k] = value;
        at = after;
    }
    return next_field(at, end) == end ? LINE_FINE : LINE_FIELDS;
}

/* The position of the `fields`-th field from the end; NULL if there are fewer. */
static const char *from_the_end(const char *at, const char *end, uint64_t fields)
{
    const char *p = end;
    for (; fields > 0; fields--) {
        while (p > at && is_blank(p[-1]))
            p--;
        if (p == at)
            return NULL;
        while (p > at && !is_blank(p[-1]))
            p--;
    }
    return p;
}

static bool is_whole_number(const char *at, const char *end)
{
    const char *after;
    float value;
    return pv_float_read(at, end, &after, &value) == PV_NUMBER_FINE && after == end;
}

/* Parses a line without surrounding white space: the word, and the vector into `to` (may be
 * NULL). */
static line_fault read_line(pv_span line, uint64_t dim, pv_span *word, float *to,
                            line_problem *problem)
{
    const char *at = line.at, *end = line.at + line.length, *split = field_end(at, end);
    *word = (pv_span){at, (size_t)(split - at)};
    line_fault fault = read_numbers(split, end, dim, to, problem);
    if (fault == LINE_FINE)
        return fault;
    /* Not one word and N numbers: the word may contain spaces. */
    problem->fields = count_fields(at, end);
    if (problem->fields <= dim)
        return LINE_FIELDS;
    split = from_the_end(at, end, dim);
    if (!split)
        return LINE_FIELDS;
    *word = trim(at, split);
    const char *last = from_the_end(word->at, word->at + word->length, 1);
    if (problem->fields > dim + 1 && last && is_whole_number(last, word->at + word->length))
        return LINE_FIELDS; /* more likely one number too many */
    return read_numbers(split, end, dim, to, problem);
}

bool pv_foreign_line_fits(const char *at, const char *end, uint64_t dim)
{
    pv_span word, line;
    line_problem problem;
    return next_line(&at, end, &line) && line.length > 0 && dim <= line.length &&
           read_line(line, dim, &word, NULL, &problem) == LINE_FINE;
}

/* ---- How many numbers? ------------------------------------------------------------- */

/* The number of numeric fields at the end of a line, not counting the first field. */
static uint64_t numbers_in(pv_span line)
{
    const char *end = line.at + line.length;
    uint64_t numbers = 0;
    for (const char *at = next_field(field_end(line.at, end), end); at < end;) {
        const char *stop = field_end(at, end);
        numbers = is_whole_number(at, stop) ? numbers + 1 : 0;
        at = next_field(stop, end);
    }
    return numbers;
}

/* The most common number of dimensions in the first lines; of ties the first. 0: no line has
 * any. */
static uint64_t guess_dim(const pv_source *s, const char *start)
{
    uint64_t seen[SAMPLE];
    size_t count = 0, best = 0, best_votes = 0;
    pv_span line;
    while (count < SAMPLE && next_line(&start, s->end, &line))
        if (line.length)
            seen[count++] = numbers_in(line);
    for (size_t k = 0; k < count; k++) {
        size_t votes = 0;
        for (size_t l = 0; l < count; l++)
            votes += seen[l] == seen[k];
        if (votes > best_votes) {
            best_votes = votes;
            best = k;
        }
    }
    return count ? seen[best] : 0;
}

/* ---- Blocks -------------------------------------------------------------------------- */

/* The lines that begin in block `task`: from *at to *stop, which may be after the block. */
static void block_bounds(const text_job *job, size_t task, const char **at, const char **stop)
{
    const char *end = job->source->end;
    size_t size = (size_t)(end - job->start), from = task * (size_t)BLOCK;
    size_t to = size - from < BLOCK ? size : from + BLOCK;
    *at = job->start + from;
    *stop = job->start + to;
    if (task > 0 && (*at)[-1] != '\n') {
        const char *newline = memchr(*at, '\n', (size_t)(*stop - *at));
        *at = newline ? newline + 1 : *stop;
    }
}

static psdvec_status count_lines(void *arg, size_t task, int worker)
{
    (void)worker;
    text_job *job = arg;
    const char *at, *stop;
    pv_span line;
    block here = {0};
    for (block_bounds(job, task, &at, &stop); at < stop; here.lines++) {
        next_line(&at, job->source->end, &line);
        here.rows += line.length > 0;
    }
    job->blocks[task] = here;
    return PSDVEC_OK;
}

static psdvec_status parse_lines(void *arg, size_t task, int worker)
{
    (void)worker;
    text_job *job = arg;
    const char *at, *stop;
    uint64_t row = job->blocks[task].rows;
    block_bounds(job, task, &at, &stop);
    const char *began = at;
    while (at < stop && row < atomic_load_explicit(&job->first_bad, memory_order_relaxed)) {
        pv_span line;
        line_problem problem;
        next_line(&at, job->source->end, &line);
        if (line.length == 0)
            continue;
        float *to = job->f->vectors + (size_t)row * job->dim;
        if (read_line(line, job->dim, &job->f->spans[row], to, &problem) != LINE_FINE) {
            uint64_t first = atomic_load(&job->first_bad);
            while (row < first && !atomic_compare_exchange_weak(&job->first_bad, &first, row)) {
            }
        }
        row++;
    }
    pv_progress_add(&job->progress, at > began ? (uint64_t)(at - began) : 0);
    return PSDVEC_OK;
}

/* Reports the error in the line of a row. */
static psdvec_status report_line(const text_job *job, uint64_t row)
{
    const pv_source *s = job->source;
    size_t k = 0;
    while (k + 1 < job->block_count && job->blocks[k + 1].rows <= row)
        k++;
    const char *at, *stop;
    uint64_t line = job->lines_before + job->blocks[k].lines, now = job->blocks[k].rows;
    pv_span text = {0}, word;
    block_bounds(job, k, &at, &stop);
    do {
        next_line(&at, s->end, &text);
        line++;
    } while (at < stop && (text.length == 0 || now++ != row));
    line_problem problem = {0};
    line_fault fault = read_line(text, job->dim, &word, NULL, &problem);
    const pv_st_shown shown =
        pv_word_shown(problem.field.at ? problem.field.at : "", problem.field.length);
    if (fault == LINE_NUMBER)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": '%s' is not a number",
                       s->path, line, shown.text);
    if (fault == LINE_NOT_FINITE)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line %" PRIu64 ": '%s' is not a finite number of 32 bits; the vectors "
                       "cannot be used",
                       s->path, line, shown.text);
    return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: line %" PRIu64 ": a word and %" PRIu32 " numbers are expected, but the "
                   "line has %" PRIu64 " fields",
                   s->path, line, job->dim, count_fields(text.at, text.at + text.length));
}

/* ---- The file ------------------------------------------------------------------------ */

/* Turns the counts of the blocks into prefix sums; returns the number of rows. */
static uint64_t add_up(text_job *job)
{
    uint64_t lines = 0, rows = 0;
    for (size_t k = 0; k < job->block_count; k++) {
        block here = job->blocks[k];
        job->blocks[k] = (block){.lines = lines, .rows = rows};
        lines += here.lines;
        rows += here.rows;
    }
    return rows;
}

/* The file is too small for that many vectors, so a line is too short. Finds it without allocating
 * the vectors. */
static psdvec_status find_short_line(text_job *job, uint64_t rows)
{
    const pv_source *s = job->source;
    uint64_t row = 0;
    pv_span line;
    for (const char *at = job->start; row < rows && next_line(&at, s->end, &line);)
        if (line.length > 0) {
            if (count_fields(line.at, line.at + line.length) <= job->dim)
                return report_line(job, row);
            row++;
        }
    return pv_fail(s->ctx, PSDVEC_ERR_INTERNAL, "%s: no line is short", s->path);
}

static psdvec_status parse(text_job *job, const pv_header *header)
{
    const pv_source *s = job->source;
    size_t size = (size_t)(s->end - job->start);
    job->block_count = (size + BLOCK - 1) / BLOCK;
    PV_TAKE(&job->f->scope, job->blocks, job->block_count);
    PV_TRY(pv_scope_status(&job->f->scope));
    PV_TRY(pv_parallel_tasks(s->ctx, job->block_count, count_lines, job));
    uint64_t rows = add_up(job);
    if (header->there && header->words != rows)
        return pv_fail(s->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line 1 declares %" PRIu64 " words, but %" PRIu64 " %s; %s", s->path,
                       header->words, rows, rows == 1 ? "follows" : "follow",
                       rows < header->words ? "the file may be truncated; if it is not, correct "
                                              "line 1"
                                            : "correct line 1");
    /* The shortest line: a word, and a separator and a digit per number. */
    uint64_t least;
    if (__builtin_mul_overflow(rows, 2 * (uint64_t)job->dim + 1, &least) || least > size + 1)
        return find_short_line(job, rows);
    PV_TRY(pv_foreign_allocate(s, rows, job->dim, job->f));
    pv_progress_begin(&job->progress, s->ctx, "reading", "B", size);
    PV_TRY(pv_parallel_tasks(s->ctx, job->block_count, parse_lines, job));
    pv_progress_end(&job->progress);
    uint64_t bad = atomic_load(&job->first_bad);
    if (bad != UINT64_MAX)
        return report_line(job, bad);
    pv_scope_drop(&job->f->scope, job->blocks);
    return pv_foreign_take_words(s, job->f);
}

psdvec_status pv_foreign_text(const pv_source *s, const pv_header *header, pv_foreign *f)
{
    uint64_t dim = header->there ? header->dim : guess_dim(s, header->behind);
    if (dim == 0 || dim > UINT32_MAX)
        return pv_fail(s->ctx, PSDVEC_ERR_FORMAT,
                       "%s: has no vectors that psdvec can read: it is not a model, text of "
                       "word2vec, fastText or GloVe, word2vec binary, or npy",
                       s->path);
    text_job job = {.source = s,
                    .start = header->behind,
                    .lines_before = header->there ? 1 : 0,
                    .dim = (uint32_t)dim,
                    .f = f};
    atomic_init(&job.first_bad, UINT64_MAX);
    return parse(&job, header);
}
