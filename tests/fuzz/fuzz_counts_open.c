/* Fuzzes the reader of counts files.
 *
 * The first byte selects whether the remaining bytes are a complete file, or a list of changes to a
 * file that the library itself wrote: three bytes of offset, one of value. Then the file is opened
 * and everything that a caller can reach is read, without verification: rows must be safe to
 * iterate over, though their columns may be invalid. A file that passes verification must be
 * consistent.
 */
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth)
{
    if (!truth)
        abort();
}

static char folder[] = "/tmp/psdvec-fuzz-XXXXXX";
static char path[64], model_path[64], text_path[64];
static unsigned char *model;
static size_t model_size;

static void write_file(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    require(file && fwrite(bytes, 1, length, file) == length);
    require(fclose(file) == 0);
}

static void remove_files(void)
{
    unlink(path);
    unlink(model_path);
    unlink(text_path);
    rmdir(folder);
}

static void make_model(psdvec_context *ctx)
{
    static const char text[] = "the cat sat on the mat\nthe dog sat\na na\xc3\xafve dog's dinner\n";
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    snprintf(text_path, sizeof text_path, "%s/text", folder);
    atexit(remove_files);
    write_file(text_path, text, sizeof text - 1);
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.min_count = 1;
    o.subsample = 0.1;
    const char *inputs[] = {text_path};
    require(psdvec_count(ctx, &o, inputs, 1, model_path, NULL) == PSDVEC_OK);
    FILE *file = fopen(model_path, "rb");
    require(file && fseek(file, 0, SEEK_END) == 0);
    model_size = (size_t)ftell(file);
    rewind(file);
    model = malloc(model_size);
    require(model && fread(model, 1, model_size, file) == model_size);
    fclose(file);
}

/* The stored options must be valid. */
static void ask_settings(psdvec_context *ctx, const psdvec_counts *counts)
{
    psdvec_settings *settings = NULL;
    psdvec_status status = psdvec_counts_settings(ctx, counts, &settings);
    require((status == PSDVEC_OK) == (settings != NULL));
    require(settings ? psdvec_settings_finish(settings) == PSDVEC_OK
                     : psdvec_error_message(ctx)[0] != '\0');
    psdvec_settings_free(settings);
}

static void walk(const psdvec_counts *counts, bool verified)
{
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    volatile uint64_t sum = strlen(info->settings_json) + strlen(info->inputs_json) +
                            strlen(info->written_by);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        uint32_t found;
        const char *word = psdvec_counts_word(counts, i, &length);
        for (size_t k = 0; k < length; k++)
            sum += (unsigned char)word[k];
        if (psdvec_counts_find(counts, word, length, &found))
            require(found < info->words);
        sum += psdvec_counts_frequency(counts, i) + psdvec_counts_context_total(counts, i) +
               psdvec_counts_focus_total(counts, i) + (psdvec_counts_retention(counts, i) > 0);
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        pairs += row.length;
        for (size_t k = 0; k < row.length; k++) {
            sum += row.focus[k] + psdvec_row_value(&row, k);
            sum += psdvec_counts_get(counts, i, row.focus[k]);
            if (verified)
                require(row.focus[k] < info->words &&
                        psdvec_counts_get(counts, i, row.focus[k]) == psdvec_row_value(&row, k));
        }
    }
    (void)sum;
    require(pairs == info->bigrams);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx) {
        psdvec_context_options o;
        psdvec_context_options_default(&o);
        o.threads = 1;
        require(psdvec_context_new(&o, &ctx) == PSDVEC_OK);
        make_model(ctx);
    }
    if (size == 0)
        return 0;
    if (data[0] % 8 == 0) {
        write_file(path, data + 1, size - 1);
    } else {
        unsigned char *bytes = malloc(model_size);
        require(bytes != NULL);
        memcpy(bytes, model, model_size);
        size_t length = model_size;
        for (size_t i = 1; i + 4 <= size; i += 4) {
            size_t place = (data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16);
            bytes[place % model_size] = data[i + 3];
        }
        if (data[0] % 8 == 1 && size > 2)
            length = (data[1] | (size_t)data[2] << 8) % model_size;
        write_file(path, bytes, length);
        free(bytes);
    }
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_counts *counts = NULL;
    psdvec_status status = psdvec_counts_open(ctx, path, &counts);
    require((status == PSDVEC_OK) == (counts != NULL));
    if (counts) {
        ask_settings(ctx, counts);
        walk(counts, false);
        if (psdvec_counts_verify(ctx, counts) == PSDVEC_OK)
            walk(counts, true);
        else
            require(psdvec_error_message(ctx)[0] != '\0');
        psdvec_counts_close(counts);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0');
    }
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
