/* Counts of other programs, for tests. */
#include "support/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool should_cancel(void *user)
{
    exchange *b = user;
    return atomic_load(&b->polls_left) >= 0 && atomic_fetch_sub(&b->polls_left, 1) == 0;
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    exchange *b = user;
    if (level == PSDVEC_WARNING) {
        size_t used = strlen(b->warnings);
        snprintf(b->warnings + used, sizeof b->warnings - used, "%s\n", text);
    }
}

void exchange_context(exchange *b, uint64_t memory, int threads)
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = memory;
    options.should_cancel = should_cancel;
    options.on_message = on_message;
    options.user = b;
    if (b->ctx) {
        assert_int_equal(atomic_load(&b->ctx->memory_used), 0);
        psdvec_context_free(b->ctx);
    }
    assert_int_equal(psdvec_context_new(&options, &b->ctx), PSDVEC_OK);
}

int exchange_open(void **state)
{
    exchange *b = calloc(1, sizeof *b);
    if (!b)
        return -1;
    *state = b;
    b->polls_left = -1;
    strcpy(b->folder, "/tmp/psdvec-import-XXXXXX");
    if (!mkdtemp(b->folder))
        return -1;
    snprintf(b->in, sizeof b->in, "%s/in", b->folder);
    snprintf(b->vocab, sizeof b->vocab, "%s/vocab", b->folder);
    snprintf(b->out, sizeof b->out, "%s/out", b->folder);
    snprintf(b->other, sizeof b->other, "%s/other", b->folder);
    snprintf(b->words, sizeof b->words, "%s/words", b->folder);
    exchange_context(b, (uint64_t)64 << 20, 2);
    return 0;
}

int exchange_close(void **state)
{
    exchange *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    const char *files[] = {b->in, b->vocab, b->out, b->other, b->words};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    int clean = rmdir(b->folder);
    free(b);
    return used == 0 && clean == 0 ? 0 : -1;
}

void put_file(const char *path, const void *data, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

char *get_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 0, (1 << 20) - 2);
    fclose(file);
    return text;
}

char *dump_counts(exchange *b, const char *path)
{
    psdvec_counts *c;
    assert_int_equal(psdvec_counts_open(b->ctx, path, &c), PSDVEC_OK);
    assert_int_equal(psdvec_counts_verify(b->ctx, c), PSDVEC_OK);
    const psdvec_counts_info *info = psdvec_counts_get_info(c);
    char *text = calloc(1, 1 << 16), *out = text;
    assert_non_null(text);
    for (uint32_t i = 0; i < info->words; i++) {
        psdvec_row row;
        psdvec_counts_row(c, i, &row);
        for (size_t k = 0; k < row.length; k++) {
            size_t n, m;
            const char *w = psdvec_counts_word(c, i, &n);
            const char *v = psdvec_counts_word(c, row.focus[k], &m);
            out += sprintf(out, "%.*s %.*s %llu/%llu; ", (int)n, w, (int)m, v,
                           (unsigned long long)psdvec_row_value(&row, k),
                           (unsigned long long)info->scale);
            assert_true(out - text < (1 << 16) - 200);
        }
    }
    psdvec_counts_close(c);
    return text;
}

void assert_dump(exchange *b, const char *path, const char *expected)
{
    char *text = dump_counts(b, path);
    assert_string_equal(text, expected);
    free(text);
}

psdvec_status import_counts(exchange *b, psdvec_import_options options)
{
    if (options.format != PSDVEC_FORMAT_TOP2GRAMS && !options.vocab_file)
        options.vocab_file = b->vocab;
    b->warnings[0] = '\0';
    return psdvec_counts_import(b->ctx, &options, b->in, b->out, NULL);
}

void assert_import_refused(exchange *b, psdvec_import_options options, psdvec_status status,
                           const char *sentence)
{
    psdvec_status got = import_counts(b, options);
    const char *message = psdvec_error_message(b->ctx);
    if (got != status || !strstr(message, sentence))
        fail_msg("wanted %s and \"%s\", got %s and \"%s\"", psdvec_status_name(status), sentence,
                 psdvec_status_name(got), message);
    assert_int_not_equal(access(b->out, F_OK), 0);
}

void assert_warned(const exchange *b, const char *sentence)
{
    if (!strstr(b->warnings, sentence))
        fail_msg("no warning \"%s\" in \"%s\"", sentence, b->warnings);
}

psdvec_status export_counts(exchange *b, psdvec_counts_format format, bool symmetric)
{
    psdvec_counts *c;
    b->warnings[0] = '\0';
    assert_int_equal(psdvec_counts_open(b->ctx, b->out, &c), PSDVEC_OK);
    psdvec_status status =
        psdvec_counts_export(b->ctx, c, format, symmetric, b->other,
                             format == PSDVEC_FORMAT_TOP2GRAMS ? NULL : b->words);
    psdvec_counts_close(c);
    return status;
}

static const char glove_vocab[] = "the 5\ncat 3\nsat 2\n";

const record glove_records[GLOVE_RECORDS] = {
    {2, 3, 1.5}, {1, 2, 2}, {1, 1, 1.0 / 3}, {3, 1, 0.5}, {1, 2, 1.0 / 3 + 0.25}};

void put_glove(exchange *b)
{
    put_text(b->vocab, glove_vocab);
    put_file(b->in, glove_records, sizeof glove_records);
}
