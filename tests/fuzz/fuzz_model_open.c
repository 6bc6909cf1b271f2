/* Fuzzes the reader of model files.
 *
 * The first byte selects whether the remaining bytes are a complete file, or a list of changes to a
 * file that the library itself wrote, in one of the precisions, with a read-out and n-grams or
 * without, or sparse: three bytes of offset, one of value. If the file opens, every query is run on
 * it, without verification. A file that passes verification must be consistent.
 */
#include "model/model_read.h"
#include "model/model_write.h"
#include "model/sparse_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 5, DIM = 3, PRECISIONS = 3, SPARSE = 2 * PRECISIONS, KINDS = SPARSE + 2 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static unsigned char *goods[KINDS];
static size_t good_sizes[KINDS];

static psdvec_status write_sparse(psdvec_context *ctx, bool ones, const char *path)
{
    static const uint64_t offsets[] = {0, 3, 5, 8, 10, 12}, counts[] = {9, 7, 5, 3, 1};
    static const uint64_t begin[] = {0, 2, 5, 5, 6, 8};
    static const uint32_t column[] = {0, 2, 0, 1, 2, 1, 0, 1};
    static const float value[] = {1, 2, -3, 4, 0.5F, 6, 7, 8};
    const pv_sparse_model_data model = {
        .rows = pv_csr_of(WORDS, DIM, begin, column, ones ? NULL : value),
        .bytes = "theofandtoin",
        .offsets = offsets,
        .counts = counts,
        .directions_are_words = ones,
        .method = "ppmi",
        .settings_json = "{\"shift\": 1}"};
    return pv_sparse_model_write(ctx, &model, path);
}

static void make_good(psdvec_context *ctx, int kind)
{
    psdvec_precision precision = (psdvec_precision)(kind % PRECISIONS);
    bool more = kind >= PRECISIONS;
    static const uint32_t ends[] = {0, 2, 5, 8}, members[] = {1, 2, 1};
    static const int8_t rows[] = {1, 2, 3, -4, -5, -127, 0, 0, 9};
    static const float scales[] = {0.5F, 0, 2}, map[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float readout[WORDS * DIM] = {0, 1, 0, 1, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, -1};
    static const pv_spelling_table table = {.ngrams = 3,
                                            .dim = DIM,
                                            .shortest = 2,
                                            .longest = 3,
                                            .text = 8,
                                            .bytes = "anndtthe",
                                            .offsets = ends,
                                            .members = members,
                                            .rows = rows,
                                            .row_scale = scales};
    static const uint64_t offsets[] = {0, 3, 5, 8, 10, 12}, counts[] = {9, 7, 5, 3, 1};
    static const float vectors[WORDS * DIM] = {1, 2, 3, 4, 5, 6, 0, 0, 0, -1, -2, -3, 0.5F, 0, 1};
    static const float small[] = {3, -2, 1, 0, 0.5F};
    static const double unigram[] = {0.3, 0.2, 0.2, 0.2, 0.1};
    static const psdvec_iteration steps[] = {{1, 3, 2, 10.5, 1, 0.5, 1e-3},
                                             {2, 3, 2, 9, 1, 0.5, 0}};
    const pv_model_data model = {.words = WORDS,
                                 .dim = DIM,
                                 .core_words = 3,
                                 .bytes = "theofandtoin",
                                 .offsets = offsets,
                                 .vectors = vectors,
                                 .counts = counts,
                                 .unigram = unigram,
                                 .spread = small,
                                 .eigenvalues = small,
                                 .iterations = steps,
                                 .iteration_count = 2,
                                 .settings_json = "{\"dim\": 3}",
                                 .counts_json = "{\"settings\": {\"window\": 5}}",
                                 .extensions_json = "[]",
                                 .readout = more ? readout : NULL,
                                 .readout_mean = more ? small : NULL,
                                 .readout_map = more ? map : NULL,
                                 .spelling = more ? &table : NULL,
                                 .precision = precision};
    char path[] = "/tmp/psdvec-fuzz-XXXXXX";
    int fd = mkstemp(path);
    require(fd >= 0);
    psdvec_status status = kind >= SPARSE ? write_sparse(ctx, kind > SPARSE, path)
                                          : pv_model_write(ctx, &model, path);
    require(status == PSDVEC_OK);
    FILE *file = fopen(path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0);
    size_t size = good_sizes[kind] = (size_t)ftell(file);
    rewind(file);
    goods[kind] = malloc(size);
    require(goods[kind] && fread(goods[kind], 1, size, file) == size);
    fclose(file);
    close(fd);
    unlink(path);
}

/* The stored options must be valid. */
static void ask_settings(psdvec_context *ctx, const psdvec_model *model)
{
    static const psdvec_options_kind kinds[] = {PSDVEC_OPTIONS_COUNT, PSDVEC_OPTIONS_TRAIN,
                                                PSDVEC_OPTIONS_BASELINE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        psdvec_settings *settings = NULL;
        psdvec_status status = psdvec_model_settings(ctx, model, kinds[k], &settings);
        require((status == PSDVEC_OK) == (settings != NULL));
        require(settings ? psdvec_settings_finish(settings) == PSDVEC_OK
                         : psdvec_error_message(ctx)[0] != '\0');
        psdvec_settings_free(settings);
    }
}

static void walk(psdvec_context *ctx, const psdvec_model *model, bool verified)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    psdvec_neighbour near[4];
    volatile double sum = 0;
    size_t found;
    uint32_t a_word;
    if (info->dim > 1U << 20) /* possible in a sparse model; it would need much memory */
        return;
    float *spelled = malloc(info->dim * sizeof *spelled);
    float *copy = malloc(info->dim * sizeof *copy);
    const float *readout;
    require(spelled && copy);
    ask_settings(ctx, model);
    require(psdvec_model_find_normalized(ctx, model, " Of", 3, &a_word) == PSDVEC_OK);
    psdvec_status got = psdvec_model_readout(ctx, model, &readout);
    require(got == (info->sparse ? PSDVEC_ERR_OPTION : PSDVEC_OK));
    require(info->has_readout || readout == psdvec_model_vector(model, 0));
    require(info->has_spelling == (info->ngrams > 0));
    for (size_t k = 0; k < info->iteration_count; k++)
        sum += info->iterations[k].objective;
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        uint32_t index;
        const char *word = psdvec_model_word(model, i, &length);
        require(length > 0);
        require(psdvec_model_find(model, word, length, &index) && index <= i);
        require(!verified || index == i);
        sum += psdvec_model_unigram(model, i) + psdvec_model_spread(model, i) +
               (double)psdvec_model_frequency(model, i) + psdvec_model_product(model, 0, i) +
               psdvec_model_cosine(model, i, 0);
        const uint32_t *columns;
        const float *values;
        size_t count;
        psdvec_model_sparse_row(model, i, &columns, &values, &count);
        require(info->sparse ? count <= info->dim : count == 0);
        psdvec_model_copy(model, i, copy);
        for (uint32_t k = 0; k < info->dim; k++) {
            require(!verified || isfinite(copy[k]));
            require(info->sparse || !verified || isfinite(psdvec_model_vector(model, i)[k]));
        }
        bool some = psdvec_model_spell(model, word, length, spelled);
        require(info->has_spelling || !some);
        for (uint32_t k = 0; k < info->dim; k++)
            require(some ? isfinite(spelled[k]) : spelled[k] == 0);
    }
    psdvec_model_spell(model, "an endless tthe", 15, spelled);
    for (uint32_t k = 0; k < info->dim; k++) {
        require(isfinite(spelled[k]));
        sum += spelled[k];
    }
    psdvec_model_copy(model, 0, copy);
    psdvec_status status = psdvec_model_similar(ctx, model, copy, NULL, 4, near, &found);
    free(spelled);
    free(copy);
    require(status == PSDVEC_OK || (!verified && status == PSDVEC_ERR_NUMERIC));
    for (size_t k = 0; k < found; k++)
        require(near[k].word < info->words && near[k].cosine >= -1 && near[k].cosine <= 1);
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx) {
        psdvec_context_options o;
        psdvec_context_options_default(&o);
        o.threads = 1;
        require(psdvec_context_new(&o, &ctx) == PSDVEC_OK);
        for (int kind = 0; kind < KINDS; kind++)
            make_good(ctx, kind);
    }
    if (size == 0)
        return 0;
    const unsigned char *good = goods[data[0] / 8 % KINDS];
    size_t good_size = good_sizes[data[0] / 8 % KINDS];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char path[40];
    require(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (data[0] % 8 == 0) {
        require(write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    } else {
        require(write(fd, good, good_size) == (ssize_t)good_size);
        for (size_t i = 1; i + 4 <= size; i += 4) {
            size_t place = (data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16);
            require(pwrite(fd, &data[i + 3], 1, (off_t)(place % good_size)) == 1);
        }
        if (data[0] % 8 == 1 && size > 2)
            require(ftruncate(fd, (off_t)((data[1] | (size_t)data[2] << 8) % good_size)) == 0);
    }
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_model *model = NULL;
    psdvec_status status = psdvec_model_open(ctx, path, &model);
    require((status == PSDVEC_OK) == (model != NULL));
    if (model) {
        walk(ctx, model, false);
        if (psdvec_model_verify(ctx, model) == PSDVEC_OK)
            walk(ctx, model, true);
        else
            require(psdvec_error_message(ctx)[0] != '\0');
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    psdvec_model_close(model);
    close(fd);
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
