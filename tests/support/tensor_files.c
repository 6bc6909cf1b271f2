/* Safetensors files in memory, for tests. */
#include "support/tensor_files.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool should_cancel(void *user)
{
    tensor_bench *b = user;
    b->polls++;
    return b->polls_left >= 0 && b->polls > b->polls_left;
}

int tensors_open(void **state)
{
    tensor_bench *b = calloc(1, sizeof *b);
    if (!b)
        return -1;
    b->polls_left = -1;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)64 << 20;
    options.should_cancel = should_cancel;
    options.user = b;
    *state = b;
    return psdvec_context_new(&options, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

int tensors_close(void **state)
{
    tensor_bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    free(b);
    return used == 0 ? 0 : -1;
}

static psdvec_status memory_write(void *self, uint64_t offset, const void *data, size_t length)
{
    memory_file *m = self;
    if (m->writes_left == 0)
        return pv_fail(m->ctx, PSDVEC_ERR_DISK_FULL, "no room");
    if (m->writes_left > 0)
        m->writes_left--;
    if (offset != 0) {
        assert_true(m->next == 0 || m->next == offset); /* in order, without gaps */
        m->next = offset + length;
    }
    size_t end = (size_t)offset + length;
    if (end > m->capacity) {
        m->capacity = end * 2;
        m->data = realloc(m->data, m->capacity);
        assert_non_null(m->data);
    }
    if (end > m->length) {
        if (offset > m->length)
            memset(m->data + m->length, 0xee, (size_t)offset - m->length);
        m->length = end;
    }
    memcpy(m->data + offset, data, length);
    return PSDVEC_OK;
}

pv_st_sink sink_of(memory_file *m)
{
    return (pv_st_sink){memory_write, m};
}

const pv_st_pair tensor_settings[2] = {{"format", "psdvec-test"}, {"settings", "{\"window\":5}"}};

void write_small(psdvec_context *ctx, memory_file *m)
{
    *m = (memory_file){.ctx = ctx, .writes_left = -1};
    pv_st_writer *w = NULL;
    static const uint32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    static const double reals[2] = {0.5, -1};
    uint64_t bytes = 0;
    assert_int_equal(pv_st_writer_begin(ctx, sink_of(m), 2, tensor_settings, 2, 0, &w), PSDVEC_OK);
    assert_int_equal(
        pv_st_writer_tensor(w, "numbers", PV_DTYPE_U32, 2, (uint64_t[]){2, 3}, numbers), PSDVEC_OK);
    assert_int_equal(pv_st_writer_start(w, "reals", PV_DTYPE_F64), PSDVEC_OK);
    assert_int_equal(pv_st_writer_append(w, reals, 8), PSDVEC_OK);
    assert_int_equal(pv_st_writer_append(w, reals + 1, 8), PSDVEC_OK);
    assert_int_equal(pv_st_writer_stop(w, 1, (uint64_t[]){2}), PSDVEC_OK);
    assert_int_equal(pv_st_writer_end(w, &bytes), PSDVEC_OK);
    assert_int_equal(bytes, m->length);
    pv_st_writer_free(w);
}

void make_file(memory_file *m, const char *header, size_t data_bytes)
{
    *m = (memory_file){.writes_left = -1};
    size_t length = strlen(header);
    m->length = 8 + length + data_bytes;
    m->data = malloc(m->length);
    assert_non_null(m->data);
    for (size_t i = 0; i < 8; i++)
        m->data[i] = (unsigned char)(length >> (8 * i));
    memcpy(m->data + 8, header, length);
    for (size_t i = 0; i < data_bytes; i++)
        m->data[8 + length + i] = (unsigned char)i;
}

psdvec_status open_bytes(psdvec_context *ctx, const void *data, size_t length)
{
    pv_st_file *file = NULL;
    pv_begin(ctx);
    psdvec_status status = pv_st_open_memory(ctx, "x.safetensors", data, length, &file);
    assert_true((status == PSDVEC_OK) == (file != NULL));
    pv_st_close(file);
    return status;
}

void assert_header_refused(void **state, const char *header, size_t data_bytes,
                           psdvec_status expected, const char *words)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    make_file(&m, header, data_bytes);
    psdvec_status status = open_bytes(ctx, m.data, m.length);
    free(m.data);
    if (status != expected)
        fail_msg("status %s (%s) for %s", psdvec_status_name(status), psdvec_error_message(ctx),
                 header);
    const char *message = psdvec_error_message(ctx);
    if (!strstr(message, words) || !strstr(message, "x.safetensors: ") || !strstr(message, "; "))
        fail_msg("no \"%s\" in: %s", words, message);
    pv_begin(ctx);
}

void assert_header_accepted(void **state, const char *header, size_t data_bytes)
{
    psdvec_context *ctx = ((tensor_bench *)*state)->ctx;
    memory_file m;
    make_file(&m, header, data_bytes);
    psdvec_status status = open_bytes(ctx, m.data, m.length);
    free(m.data);
    if (status != PSDVEC_OK)
        fail_msg("%s for %s", psdvec_error_message(ctx), header);
}

void temp_path(char path[64])
{
    snprintf(path, 64, "/tmp/psdvec-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

void save_bytes(const char *path, const void *data, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}
