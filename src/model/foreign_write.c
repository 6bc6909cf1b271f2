/* Writing word2vec's, GloVe's and numpy's formats.
 *
 * Workers format one block of rows each, and the blocks are written in order. So the memory is a
 * few blocks for any file size, and the bytes are the same for any number of threads.
 *
 * The characters that words may contain differ: only our format allows line breaks in words, and
 * readers of word2vec files treat a space as the end of the word. Such characters become '_', with
 * a warning. GloVe's own files do contain words with spaces.
 */
#include "model/foreign_write.h"

#include "base/progress.h"
#include "base/thread.h"
#include "model/float_text.h"
#include "model/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_NUMBERS = 1 << 16, BLOCKS_A_THREAD = 4, WORDS_A_BLOCK = 1 << 14 };

double pv_copy_row(const pv_rows_out *rows, const pv_vector_set *from, uint32_t i, float *to)
{
    pv_vector_set_copy_start(from, i, rows->dim, to);
    double length = rows->normalize ? pv_length(to, rows->dim) : 1;
    if (!rows->normalize || !(length > 0))
        return 1;
    for (uint32_t k = 0; k < rows->dim; k++)
        to[k] = (float)((double)to[k] / length);
    return length;
}

struct pv_rows_writer {
    psdvec_context *ctx;
    const pv_rows_out *rows;
    const pv_vectors_format *format;
    const char *path;    /* for messages */
    uint32_t block_rows; /* rows in a block */
    size_t first;        /* first block of this round */
    pv_buffer *blocks;   /* one for each task of a round */
    bool words_only;     /* the word list of an npy file */
    _Atomic uint64_t changed;
};
typedef struct pv_rows_writer writer;

static psdvec_status put_word(writer *w, pv_buffer *to, uint32_t i)
{
    size_t length;
    bool changed = false;
    const char *word = psdvec_model_word(w->rows->model, i, &length);
    PV_TRY(pv_buffer_append(to, word, length));
    const char *bad = w->format->spaces_in_words ? "\n\r" : "\n\r \t";
    for (char *c = to->data + to->length - length; c < to->data + to->length; c++)
        if (*c && strchr(bad, *c)) {
            *c = '_';
            changed = true;
        }
    if (changed)
        atomic_fetch_add(&w->changed, 1);
    return PSDVEC_OK;
}

/* ---- Headers and rows of the formats -------------------------- */

static psdvec_status put_word2vec_header(const pv_rows_out *rows, pv_buffer *to)
{
    return pv_buffer_printf(to, "%" PRIu32 " %" PRIu32 "\n", rows->words, rows->dim);
}

static psdvec_status put_text(writer *w, uint32_t i, const float *row, pv_buffer *to)
{
    const pv_rows_out *rows = w->rows;
    PV_TRY(put_word(w, to, i));
    PV_TRY(pv_buffer_reserve(to, (size_t)rows->dim * (PV_FLOAT_CAPACITY + 1) + 1));
    char *at = to->data + to->length;
    for (uint32_t k = 0; k < rows->dim; k++) {
        *at++ = ' ';
        at += pv_float_write(at, row[k], rows->digits);
    }
    *at++ = '\n';
    to->length = (size_t)(at - to->data);
    return PSDVEC_OK;
}

static psdvec_status put_binary(writer *w, uint32_t i, const float *row, pv_buffer *to)
{
    PV_TRY(put_word(w, to, i));
    PV_TRY(pv_buffer_byte(to, ' '));
    PV_TRY(pv_buffer_append(to, row, w->rows->dim * sizeof *row));
    return pv_buffer_byte(to, '\n');
}

static psdvec_status put_npy_header(const pv_rows_out *rows, pv_buffer *to)
{
    /* Version 1; data starts at a multiple of 64 bytes. The two bytes of the header length are at
     * offset 8. */
    PV_TRY(pv_buffer_append(to, "\x93NUMPY\1\0\0\0", 10));
    PV_TRY(pv_buffer_printf(
        to, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%" PRIu32 ", %" PRIu32 "), }",
        rows->precision == PSDVEC_FLOAT16 ? 2 : 4, rows->words, rows->dim));
    while (to->length % 64 != 63)
        PV_TRY(pv_buffer_byte(to, ' '));
    PV_TRY(pv_buffer_byte(to, '\n'));
    to->data[8] = (char)(to->length - 10);
    return PSDVEC_OK;
}

static psdvec_status put_packed(writer *w, uint32_t i, const float *row, pv_buffer *to)
{
    const pv_rows_out *rows = w->rows;
    pv_packing packing = {
        w->ctx, w->path, rows->precision, rows->dim, rows->model->bytes, rows->model->offsets};
    size_t bytes = rows->dim * pv_dtype_size(pv_precision_dtype(rows->precision));
    PV_TRY(pv_buffer_reserve(to, bytes));
    PV_TRY(pv_pack_row(&packing, i, row, to->data + to->length, NULL));
    to->length += bytes;
    return PSDVEC_OK;
}

/* To add a format, add a value to psdvec_vectors_format (psdvec/model.h), a row here, and the
 * functions that the row names. Model files are written elsewhere (model_write.h). If several
 * suffixes match, the first row is used. */
#define FORMATS(ROW)                                                                               \
    ROW(MODEL, "model", "a psdvec model (.safetensors)",                                           \
        {.suffixes = {".safetensors"}, .holds = {true, true, true}})                               \
    ROW(GLOVE, "glove", "text without a header line (.glove, .glove.txt)",                         \
        {.suffixes = {".glove", ".glove.txt"},                                                     \
         .holds = {true},                                                                          \
         .spaces_in_words = true,                                                                  \
         .put_row = put_text})                                                                     \
    ROW(WORD2VEC, "word2vec", "text with a header line (.vec, .txt, .w2v)",                        \
        {.suffixes = {".vec", ".txt", ".w2v"},                                                     \
         .holds = {true},                                                                          \
         .put_header = put_word2vec_header,                                                        \
         .put_row = put_text})                                                                     \
    ROW(WORD2VEC_BINARY, "word2vec-binary", "binary vectors (.bin)",                               \
        {.suffixes = {".bin"},                                                                     \
         .holds = {true},                                                                          \
         .put_header = put_word2vec_header,                                                        \
         .put_row = put_binary})                                                                   \
    ROW(NPY, "npy", "a NumPy matrix, and a file with one word per line (.npy)",                    \
        {.suffixes = {".npy"},                                                                     \
         .holds = {true, true},                                                                    \
         .spaces_in_words = true,                                                                  \
         .words_beside = true,                                                                     \
         .put_header = put_npy_header,                                                             \
         .put_row = put_packed})

#define CHOICE(ID, name, help, ...) [PSDVEC_VECTORS_##ID] = {name, help, NULL},
#define FORMAT(ID, name, help, ...) [PSDVEC_VECTORS_##ID] = __VA_ARGS__,
const psdvec_choice pv_vectors_format_choices[] = {FORMATS(CHOICE){0}};
const pv_vectors_format pv_vectors_formats[] = {FORMATS(FORMAT)};

#define SUFFIXES(ID, name, help, ...) PSDVEC_VECTORS_##ID,
static const psdvec_vectors_format by_suffix[] = {FORMATS(SUFFIXES)};

bool psdvec_vectors_format_of(const char *path, psdvec_vectors_format *format)
{
    if (!path || !format)
        return false;
    size_t length = strlen(path);
    for (size_t f = 0; f < sizeof by_suffix / sizeof *by_suffix; f++) {
        const char *const *suffixes = pv_vectors_formats[by_suffix[f]].suffixes;
        for (size_t k = 0; suffixes[k]; k++) {
            size_t end = strlen(suffixes[k]);
            if (length > end && !strcmp(path + length - end, suffixes[k])) {
                *format = by_suffix[f];
                return true;
            }
        }
    }
    return false;
}

/* Expands a sparse row, including zeros. */
static void fill_row(const pv_rows_out *rows, uint32_t i, float *row)
{
    pv_csr_row entries = pv_csr_row_of(&rows->model->sparse, i);
    pv_sparse_spread_out(entries, rows->dim, row);
    entries.count = pv_lower_bound(entries.column, entries.count, rows->dim);
    double length = rows->normalize ? pv_sparse_length(entries) : 0;
    for (size_t k = 0; length > 0 && k < entries.count; k++)
        row[entries.column[k]] = (float)((double)entries.value[k] / length);
}

static psdvec_status format_block(void *arg, size_t task, int worker)
{
    (void)worker;
    writer *w = arg;
    const pv_rows_out *rows = w->rows;
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = w->ctx, .what = "a vector"};
    uint64_t begin = (w->first + task) * (uint64_t)w->block_rows, end = begin + w->block_rows;
    pv_buffer *to = &w->blocks[task];
    float *row;
    PV_TAKE(&scope, row, rows->dim);
    PV_TRY(pv_scope_status(&scope));
    to->length = 0;
    for (uint64_t k = begin; k < end && k < rows->words; k++) {
        uint32_t i = (uint32_t)k;
        if (w->words_only) {
            PV_TRY_DONE(put_word(w, to, i));
            PV_TRY_DONE(pv_buffer_byte(to, '\n'));
            continue;
        }
        if (rows->model->info.sparse)
            fill_row(rows, i, row);
        else
            pv_copy_row(rows, rows->vectors, i, row);
        PV_TRY_DONE(w->format->put_row(w, i, row, to));
    }
done:
    pv_scope_free(&scope);
    return status;
}

/* Writes all rows to the output, from byte `offset` on. */
static psdvec_status write_rows(writer *w, pv_output *output, uint64_t offset)
{
    psdvec_context *ctx = w->ctx;
    psdvec_status status = PSDVEC_OK;
    uint32_t dim = w->rows->dim;
    w->block_rows = w->words_only ? WORDS_A_BLOCK : dim < BLOCK_NUMBERS ? BLOCK_NUMBERS / dim : 1;
    size_t blocks = ((size_t)w->rows->words + w->block_rows - 1) / w->block_rows;
    size_t turn = (size_t)psdvec_threads(ctx) * BLOCKS_A_THREAD;
    w->blocks = pv_alloc_zero(ctx, turn, sizeof *w->blocks, "writing vectors");
    if (!w->blocks)
        return pv_failure(ctx);
    for (size_t k = 0; k < turn; k++)
        pv_buffer_init(&w->blocks[k], ctx);
    pv_progress progress;
    pv_progress_begin(&progress, ctx, "writing", "words", w->rows->words);
    for (w->first = 0; w->first < blocks; w->first += turn) {
        size_t tasks = blocks - w->first < turn ? blocks - w->first : turn;
        PV_TRY_DONE(pv_parallel_tasks(ctx, tasks, format_block, w));
        for (size_t k = 0; k < tasks; k++) {
            PV_TRY_DONE(pv_output_write_at(output, offset, w->blocks[k].data, w->blocks[k].length));
            offset += w->blocks[k].length;
            size_t first = (w->first + k) * w->block_rows, left = w->rows->words - first;
            pv_progress_add(&progress, left < w->block_rows ? left : w->block_rows);
        }
    }
    pv_progress_end(&progress);
done:
    for (size_t k = 0; k < turn; k++)
        pv_buffer_free(&w->blocks[k]);
    pv_free(ctx, w->blocks);
    return status;
}

/* Formats everything into a file that only needs to be renamed. */
static psdvec_status prepare(writer *w, const char *path, pv_output **output)
{
    psdvec_status status;
    pv_buffer header = {.ctx = w->ctx};
    PV_TRY_DONE(pv_output_open(w->ctx, path, output));
    if (!w->words_only && w->format->put_header)
        PV_TRY_DONE(w->format->put_header(w->rows, &header));
    PV_TRY_DONE(pv_output_write_at(*output, 0, header.data, header.length));
    status = write_rows(w, *output, header.length);
done:
    pv_buffer_free(&header);
    return status;
}

psdvec_status pv_foreign_write(psdvec_context *ctx, const pv_rows_out *rows, const char *path,
                               const char *words_path)
{
    psdvec_status status;
    pv_output *vectors = NULL, *words = NULL;
    writer w = {
        .ctx = ctx, .rows = rows, .format = &pv_vectors_formats[rows->format], .path = path};
    PV_TRY_DONE(prepare(&w, path, &vectors));
    if (w.format->words_beside) {
        w.words_only = true;
        PV_TRY_DONE(prepare(&w, words_path, &words));
    }
    status = pv_output_commit_set((pv_output *[]){vectors, words}, words ? 2 : 1);
    vectors = words = NULL;
    uint64_t changed = atomic_load(&w.changed);
    if (status == PSDVEC_OK && changed)
        pv_warn(ctx,
                "%s: %" PRIu64 " %s white space, which the format does not allow; it was "
                "replaced by '_'",
                path, changed, changed == 1 ? "word has" : "words have");
done:
    pv_output_discard(vectors);
    pv_output_discard(words);
    return status;
}
