/* Fuzzes the safetensors reader, and the writer through it.
 *
 * The first byte selects whether the remaining bytes are a complete file; or only a header, which
 * is completed with as many bytes of data as its largest offset requires, so that the fuzzer gets
 * past the lengths; or a description of a file for the writer, which must then be read and
 * verified.
 */
#include "base/safetensors_read.h"
#include "base/safetensors_write.h"
#include "fuzz/fuzz.h"
#include "support/tensor_mutator.h"

/* A complete file is kept consistent; the rest is bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size < 2 || data[0] % 4 != 0)
        return LLVMFuzzerMutate(data, size, max_size);
    return 1 + tensor_mutate(data + 1, size - 1, max_size - 1, seed, LLVMFuzzerMutate);
}

/* Opens the file, reads every byte of it, and verifies it. */
static psdvec_status try_file(psdvec_context *ctx, const unsigned char *data, size_t length)
{
    pv_st_file *file = NULL;
    uint64_t before = atomic_load(&ctx->memory_used);
    psdvec_status status = pv_st_open_memory(ctx, "fuzz", data, length, &file);
    require((status == PSDVEC_OK) == (file != NULL));
    if (file) {
        volatile unsigned char sum = 0;
        for (size_t i = 0; i < pv_st_count(file); i++) {
            const pv_tensor *t = pv_st_at(file, i);
            require(pv_st_tensor(file, t->name) == t);
            require((uintptr_t)t->data % pv_dtype_size(t->dtype) == 0);
            for (size_t k = 0; k < (size_t)t->bytes; k++)
                sum = (unsigned char)(sum + ((const unsigned char *)t->data)[k]);
            const pv_tensor *again = NULL;
            int64_t any[PV_ST_RANK_MAX] = {-1, -1, -1, -1, -1, -1, -1, -1};
            require(pv_st_require(ctx, file, t->name, t->dtype, t->rank, any, &again) == PSDVEC_OK);
        }
        for (size_t i = 0; i < pv_st_meta_count(file); i++)
            require(pv_st_meta(file, pv_st_meta_at(file, i).key) == pv_st_meta_at(file, i).value);
        const pv_tensor *wanted;
        status = pv_st_verify(ctx, file);
        if (status == PSDVEC_OK)
            (void)pv_st_require(ctx, file, "a", PV_DTYPE_F32, 2, NULL, &wanted);
    } else {
        require(psdvec_error_message(ctx)[0] != 0);
    }
    pv_st_close(file);
    require(atomic_load(&ctx->memory_used) == before);
    return status;
}

static void whole_file(psdvec_context *ctx, const uint8_t *data, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    require(exact != NULL);
    if (size)
        memcpy(exact, data, size);
    try_file(ctx, exact, size);
    free(exact);
}

static void header_alone(psdvec_context *ctx, const uint8_t *data, size_t size)
{
    uint64_t largest = 0, number = 0;
    for (size_t i = 0; i < size; i++) {
        number = data[i] >= '0' && data[i] <= '9' ? number * 10 + (data[i] - '0') : 0;
        if (number <= 4096 && number > largest)
            largest = number;
    }
    size_t total = 8 + size + (size_t)largest;
    unsigned char *exact = calloc(1, total);
    require(exact != NULL);
    for (size_t i = 0; i < 8; i++)
        exact[i] = (unsigned char)((uint64_t)size >> (8 * i));
    if (size)
        memcpy(exact + 8, data, size);
    try_file(ctx, exact, total);
    free(exact);
}

static psdvec_status write_buffer(void *self, uint64_t offset, const void *data, size_t length)
{
    pv_buffer *out = self;
    if (offset + length > out->length) {
        PV_TRY(pv_buffer_reserve(out, (size_t)offset + length - out->length));
        out->length = (size_t)offset + length;
    }
    memcpy(out->data + offset, data, length);
    return PSDVEC_OK;
}

static void recipe(psdvec_context *ctx, const uint8_t *data, size_t size)
{
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    pv_st_writer *w = NULL;
    pv_st_sink sink = {write_buffer, &out};
    require(pv_st_writer_begin(ctx, sink, 16, NULL, 0, 512, &w) == PSDVEC_OK);
    for (size_t i = 0; i < 16 && size >= 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%zu", i);
        pv_dtype dtype = (pv_dtype)(data[0] % PV_DTYPE_COUNT);
        size_t width = pv_dtype_size(dtype), pieces = data[1] % 4u + 1, piece = data[2] * width;
        data += 3;
        size -= 3;
        require(pv_st_writer_start(w, name, dtype) == PSDVEC_OK);
        uint64_t shape[2] = {0, piece / width};
        for (size_t k = 0; k < pieces && piece <= size; k++, shape[0]++) {
            require(pv_st_writer_append(w, data, piece) == PSDVEC_OK);
            data += piece;
            size -= piece;
        }
        require(pv_st_writer_stop(w, 2, shape) == PSDVEC_OK);
    }
    char value[33] = {0};
    memcpy(value, data, size < 32 ? size : 32);
    for (size_t i = 0; i < 32; i++)
        value[i] = (char)(value[i] & 0x7f);
    require(pv_st_writer_meta(w, "text", value) == PSDVEC_OK);
    uint64_t bytes = 0;
    require(pv_st_writer_end(w, &bytes) == PSDVEC_OK);
    require(bytes == out.length);
    pv_st_writer_free(w);
    require(try_file(ctx, (unsigned char *)out.data, out.length) == PSDVEC_OK);
    pv_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    pv_begin(ctx);
    if (size == 0)
        return 0;
    if (data[0] % 4 == 0)
        whole_file(ctx, data + 1, size - 1);
    else if (data[0] % 4 == 1)
        recipe(ctx, data + 1, size - 1);
    else
        header_alone(ctx, data + 1, size - 1);
    return 0;
}
