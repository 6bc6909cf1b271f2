/* Third-party vectors: reading, writing, converting, and every error. */
#include "model/model_read.h"
#include "model/options.h"
#include "support/vectors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

/* "word 1 2; word 3 4; " of the file, or its error. */
static void read_file(workshop *w, const char *path, char *to, size_t room)
{
    psdvec_model *m;
    size_t used = 0;
    w->warnings[0] = '\0';
    if (psdvec_model_open(w->ctx, path, &m) != PSDVEC_OK) {
        snprintf(to, room, "%s", psdvec_error_message(w->ctx));
        return;
    }
    const psdvec_model_info *info = psdvec_model_get_info(m);
    to[0] = '\0';
    for (uint32_t i = 0; i < info->words; i++) {
        size_t length;
        const char *word = psdvec_model_word(m, i, &length);
        used += (size_t)snprintf(to + used, room - used, "%.*s", (int)length, word);
        for (uint32_t k = 0; k < info->dim; k++)
            used += (size_t)snprintf(to + used, room - used, " %g",
                                     (double)psdvec_model_vector(m, i)[k]);
        used += (size_t)snprintf(to + used, room - used, "; ");
    }
    assert_false(info->native);
    assert_int_equal(psdvec_model_verify(w->ctx, m), PSDVEC_OK);
    psdvec_model_close(m);
}

typedef struct text_case {
    const char *text;
    const char *wanted;  /* part of the result of read_file */
    const char *warning; /* part of the warnings; NULL: none */
} text_case;

static void check_texts(workshop *w, const text_case *cases, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char got[2000];
        put_text(w->in, cases[k].text);
        read_file(w, w->in, got, sizeof got);
        if (!strstr(got, cases[k].wanted))
            fail_msg("case %zu: wanted \"%s\", got \"%s\"", k, cases[k].wanted, got);
        const char *warning = cases[k].warning;
        if (warning ? !strstr(w->warnings, warning) : w->warnings[0] != '\0')
            fail_msg("case %zu: wanted the warning \"%s\", got \"%s\"", k, warning ? warning : "",
                     w->warnings);
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void text_is_read_in_all_common_variants(void **state)
{
    static const text_case cases[] = {
        {"2 3\nthe 1 2 3\nof -4 5.5 6e-1\n", "the 1 2 3; of -4 5.5 0.6; ", NULL},
        {"the 1 2 3\nof 4 5 6\n", "the 1 2 3; of 4 5 6; ", NULL},
        {"the 1 2 3\nof 4 5 6", "the 1 2 3; of 4 5 6; ", NULL},
        {"2 3 \r\nthe 1 2 3 \r\nof 4 5 6 \r\n", "the 1 2 3; of 4 5 6; ", NULL},
        {"\xef\xbb\xbf"
         "2 2\na 1 2\nb 3 4\n",
         "a 1 2; b 3 4; ", NULL},
        {"\xef\xbb\xbf"
         "a 1 2\nb 3 4\n",
         "a 1 2; b 3 4; ", NULL},
        {"a\t1\t2\nb\t3\t4\n", "a 1 2; b 3 4; ", NULL},
        {"a  1   2\n\n  b 3 4\n\n\n", "a 1 2; b 3 4; ", NULL},
        {"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n",
         "the 1 2; . . . 3 4; at name@domain.com 5 6; ", NULL},
        {". . 1 2\nthe 3 4\nof 5 6\n", ". . 1 2; the 3 4; of 5 6; ", NULL},
        {"3 2\n. . . 3 4\n, 1 2\nb 3 4\n", ". . . 3 4; , 1 2; b 3 4; ", NULL},
        {"2000 0.5 0.25\n1984 1 2\n", "2000 0.5 0.25; 1984 1 2; ", NULL},
        {"nan 1 2\ninf 3 4\n", "nan 1 2; inf 3 4; ", NULL},
        {"1 1\nword 7\n", "word 7; ", NULL},
        {"na\xc3\xafve 1 2\n\xe4\xbd\xa0 3 4\n", "na\xc3\xafve 1 2; \xe4\xbd\xa0 3 4; ", NULL},
        {"a 1 2\nb 3 4\na 5 6\nc 7 8\nb 9 9\n", "a 1 2; b 3 4; c 7 8; ",
         "2 duplicate words were skipped"},
        {"3 2\na 1 2\na 3 4\nc 5 6\n", "a 1 2; c 5 6; ", "1 duplicate word was skipped"},
        {"b\xff\xfe 1 2\nc 3 4\n", "b\xef\xbf\xbd\xef\xbf\xbd 1 2; c 3 4; ",
         "1 word is not valid UTF-8"},
        {"b\xff 1 2\nb\xfe 3 4\n", "b\xef\xbf\xbd 1 2; ", "2 words are not valid UTF-8"},
        {"na\xc3 1 2\nx 3 4\n", "na\xef\xbf\xbd 1 2; x 3 4; ", "not valid UTF-8"},
    };
    check_texts(*state, cases, sizeof cases / sizeof cases[0]);
}

static void invalid_text_is_refused_with_the_line(void **state)
{
    static const text_case cases[] = {
        {"", "is empty", NULL},
        {"\n\n\n", "has no vectors that psdvec can read", NULL},
        {"The cat sat on the mat.\nThe dog sat.\n", "has no vectors that psdvec can read", NULL},
        {"word\n", "has no vectors that psdvec can read", NULL},
        {"0 3\n", "line 1 declares 0 words of 3 dimensions", NULL},
        {"3 0\n", "line 1 declares 3 words of 0 dimensions", NULL},
        {"99999999999 3\na 1 2 3\n", "line 1 declares 99999999999 words", NULL},
        {"3 3\n", "line 1 declares 3 words, but 0 follow; the file may be truncated", NULL},
        {"3 2\na 1 2\nb 3 4\n", "line 1 declares 3 words, but 2 follow; the file may be truncated",
         NULL},
        {"1 2\na 1 2\nb 3 4\n", "line 1 declares 1 words, but 2 follow; correct line 1", NULL},
        {"2 3\na 1 2 3\nb 4 5\n",
         "line 3: a word and 3 numbers are expected, but the line has 3 fields", NULL},
        {"2 3\na 1 2 3 4\nb 4 5 6\n",
         "line 2: a word and 3 numbers are expected, but the line has 5 fields", NULL},
        {"a 1 2 3\nb 4 5 6\nc 1 2\n",
         "line 3: a word and 3 numbers are expected, but the line has 3 fields", NULL},
        {"a 1 2 3\nb 4 5 6\n\nc 1 2 3 4\n",
         "line 4: a word and 3 numbers are expected, but the line has 5 fields", NULL},
        {"a 1 2\nb 3 x4\n", "line 2: 'x4' is not a number", NULL},
        {"a 1 2\nb 3 4,5\n", "line 2: '4,5' is not a number", NULL},
        {"a 1 2\nb 3 nan\n", "line 2: 'nan' is not a finite number", NULL},
        {"a 1 2\nb -inf 4\n", "line 2: '-inf' is not a finite number", NULL},
        {"a 1 2\nb 1e40 4\n", "line 2: '1e40' is not a finite number", NULL},
        {"a 1 2\n3 4\n", "line 2: a word and 2 numbers are expected, but the line has 2 fields",
         NULL},
        {"a 1 2 3 4 5 6 7 8 9\nb 1\nb 1\nb 1\nb 1\nb 1\nb 1\nb 1\n",
         "line 1: a word and 1 numbers are expected, but the line has 10 fields", NULL},
        {"4 100000\na 1\nb 2\nc 3\nd 4\n",
         "line 2: a word and 100000 numbers are expected, but the line has 2 fields", NULL},
        {"\x1f\x8b\x08zzzz", "compressed with gzip; decompress it first", NULL},
        {"BZh91AY&SYz", "compressed with bzip2", NULL},
        {"BZh 1 2\nPK 3 4\n", "BZh 1 2; PK 3 4; ", NULL},
        {"\xfd\x37zXZ", "compressed with xz", NULL},
        {"\x28\xb5\x2f\xfdzzz", "compressed with zstd", NULL},
        {"PK\x03\x04zzz", "zip archive", NULL},
        {"\xba\x16\x4f\x2fzzz", "fastText model; use the .vec", NULL},
        {"\x80\x04\x95zzz", "pickle", NULL},
    };
    check_texts(*state, cases, sizeof cases / sizeof cases[0]);
}

static void the_first_bad_line_is_named_whatever_the_threads(void **state)
{
    workshop *w = *state;
    size_t room = 8 << 20, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    for (int i = 0; used < room - 200; i++)
        used += (size_t)sprintf(text + used, "word%d 0.125 %s 0.5 -1\n", i,
                                i % 50000 == 49999 ? "bad" : "0.25");
    scratch_write(w->in, text, used);
    for (int threads = 1; threads <= 4; threads++) {
        char got[500];
        workshop_context(w, 0, threads);
        read_file(w, w->in, got, sizeof got);
        assert_non_null(strstr(got, "line 50000: 'bad' is not a number"));
    }
    free(text);
}

/* Lines that cross block boundaries, and one longer than a block. */
static void lines_of_any_length_are_read(void **state)
{
    workshop *w = *state;
    size_t room = 12 << 20, used = 0, longest = 3 << 20;
    char *text = malloc(room);
    assert_non_null(text);
    uint32_t words = 0;
    for (; used < 8 << 20; words++) {
        size_t letters = words == 1000 ? longest : words * 7919 % 300 + 1;
        used += (size_t)sprintf(text + used, "%u", words);
        memset(text + used, 'x', letters);
        used += letters;
        used += (size_t)sprintf(text + used, " %u %u\n", words, words + 1);
    }
    scratch_write(w->in, text, used);
    free(text);
    psdvec_model *m;
    assert_int_equal(psdvec_model_open(w->ctx, w->in, &m), PSDVEC_OK);
    assert_int_equal(psdvec_model_get_info(m)->words, words);
    for (uint32_t i = 0; i < words; i++) {
        size_t length;
        const float *v = psdvec_model_vector(m, i);
        psdvec_model_word(m, i, &length);
        assert_true(v[0] == (float)i && v[1] == (float)(i + 1));
        assert_true(i != 1000 || length == longest + 4);
    }
    psdvec_model_close(m);
}

/* ---- Binary ---------------------------------------------------------------------------------- */

typedef struct bytes {
    char data[2000];
    size_t length;
} bytes;

static void add(bytes *b, const void *data, size_t length)
{
    memcpy(b->data + b->length, data, length);
    b->length += length;
}

static void add_record(bytes *b, const char *word, float x, float y, const char *behind)
{
    add(b, word, strlen(word));
    add(b, " ", 1);
    add(b, &x, sizeof x);
    add(b, &y, sizeof y);
    add(b, behind, strlen(behind));
}

static void binary_is_read_with_newlines_or_without(void **state)
{
    workshop *w = *state;
    static const char *const behind[] = {"", "\n"};
    for (size_t k = 0; k < 2; k++) {
        bytes b = {.length = 0};
        char got[500];
        add(&b, "3 2\n", 4);
        add_record(&b, "the", 1, 2, behind[k]);
        add_record(&b, "na\xc3\xafve", -0.5F, 1e-30F, behind[k]);
        add_record(&b, "the", 3, 4, behind[k]);
        scratch_write(w->in, b.data, b.length);
        read_file(w, w->in, got, sizeof got);
        assert_string_equal(got, "the 1 2; na\xc3\xafve -0.5 1e-30; ");
        assert_non_null(strstr(w->warnings, "1 duplicate word was skipped"));
        for (size_t cut = 5; cut < b.length - strlen(behind[k]); cut++) {
            scratch_write(w->in, b.data, cut);
            read_file(w, w->in, got, sizeof got);
            if (!strstr(got, "truncated") && !strstr(got, "line "))
                fail_msg("cut at %zu: %s", cut, got);
        }
    }
}

static void bad_binary_is_refused(void **state)
{
    workshop *w = *state;
    char got[500];
    bytes b = {.length = 0};
    add(&b, "1 2\n", 4);
    add_record(&b, "the", 1, 2, "\n");
    add_record(&b, "of", 1, 2, "\n");
    scratch_write(w->in, b.data, b.length);
    read_file(w, w->in, got, sizeof got);
    assert_non_null(strstr(got, "12 bytes follow the last of the 1 words"));

    b.length = 0;
    add(&b, "1 2\n", 4);
    add_record(&b, "", 1, 2, "\n");
    scratch_write(w->in, b.data, b.length);
    read_file(w, w->in, got, sizeof got);
    assert_non_null(strstr(got, "word 1: "));

    b.length = 0;
    add(&b, "2 2\n", 4);
    add_record(&b, "the", 1, 2, "\n");
    add_record(&b, "of", 1, NAN, "\n");
    scratch_write(w->in, b.data, b.length);
    read_file(w, w->in, got, sizeof got);
    assert_non_null(strstr(got, "the vector of 'of' (word 2) has a component that is not finite"));
}

static void binary_that_looks_like_text_is_read(void **state)
{
    workshop *w = *state;
    char got[500], wanted[100];
    float x, y;
    memcpy(&x, "AAAA", 4);
    memcpy(&y, "?zzz", 4);
    bytes b = {.length = 0};
    add(&b, "2 2\n", 4);
    add_record(&b, "the", x, x, "\n");
    add_record(&b, "of", x, y, "\n");
    scratch_write(w->in, b.data, b.length);
    read_file(w, w->in, got, sizeof got);
    snprintf(wanted, sizeof wanted, "the %g %g; of %g %g; ", (double)x, (double)x, (double)x,
             (double)y);
    assert_string_equal(got, wanted);
}

/* ---- npy ------------------------------------------------------------------------------------- */

static void put_npy(workshop *w, const char *path, int version, const char *header,
                    const void *data, size_t length)
{
    bytes b = {.length = 0};
    (void)w;
    size_t size = strlen(header);
    add(&b, "\x93NUMPY", 6);
    const char numbers[] = {(char)version, 0, (char)(size & 255), (char)(size >> 8), 0, 0};
    add(&b, numbers, version == 1 ? 4 : 6);
    add(&b, header, size);
    add(&b, data, length);
    scratch_write(path, b.data, b.length);
}

#define NPY(type, order, shape)                                                                    \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static void npy_is_read_in_its_versions_and_widths(void **state)
{
    workshop *w = *state;
    const float narrow[] = {1, 2, 3, 4};
    const double wide[] = {1, 2, 3, 4};
    const uint16_t half[] = {0x3c00, 0x4000, 0x4200, 0x4400};
    char *npy = scratch_path(w->folder, "x.npy"), *list = scratch_path(w->folder, "x.words.txt");
    char got[500];
    static const char *const lists[] = {"the\nof\n", "the\r\nof\r\n", "the\nof",
                                        "\xef\xbb\xbfthe\nof\n"};
    for (int version = 1; version <= 3; version++)
        for (size_t k = 0; k < 4; k++) {
            put_text(list, lists[k]);
            put_npy(w, npy, version, NPY("<f4", "False", "(2, 2)"), narrow, sizeof narrow);
            read_file(w, npy, got, sizeof got);
            assert_string_equal(got, "the 1 2; of 3 4; ");
            put_npy(w, npy, version, NPY("<f2", "False", "(2, 2)"), half, sizeof half);
            read_file(w, npy, got, sizeof got);
            assert_string_equal(got, "the 1 2; of 3 4; ");
            put_npy(w, npy, version,
                    "{\"shape\":(2L,2L),\"descr\":\"<f8\",\"fortran_order\":False}", wide,
                    sizeof wide);
            read_file(w, npy, got, sizeof got);
            assert_string_equal(got, "the 1 2; of 3 4; ");
        }
    free(npy);
    free(list);
}

static void bad_npy_is_refused(void **state)
{
    workshop *w = *state;
    const float numbers[] = {1, 2, 3, 4}, bad[] = {1, 2, INFINITY, 4};
    const double large[] = {1, 2, 1e300, 4};
    static const struct {
        int version;
        const char *header;
        size_t length;
        const char *wanted;
    } cases[] = {
        {4, NPY("<f4", "False", "(2, 2)"), 16, "version 4"},
        {1, NPY("<f4", "True", "(2, 2)"), 16, "stored by columns"},
        {1, NPY("<i4", "False", "(2, 2)"), 16, "type '<i4'"},
        {1, NPY("<f2", "False", "(2, 2)"), 16, "has 16 bytes of data"},
        {1, NPY(">f4", "False", "(2, 2)"), 16, "type '>f4'"},
        {1, NPY("<i4", "False", "(2, 2)"), 16, "type '<i4'"},
        {1, NPY("<f4", "False", "(4,)"), 16, "has 1 dimensions"},
        {1, NPY("<f4", "False", "(2, 2, 1)"), 16, "has 3 dimensions"},
        {1, NPY("<f4", "False", "()"), 16, "has 0 dimensions"},
        {1, NPY("<f4", "False", "(2, 2)"), 15, "has 15 bytes of data; it may be truncated"},
        {1, NPY("<f4", "False", "(2, 3)"), 16, "declares 2 rows of 3 numbers"},
        {1, NPY("<f4", "False", "(4294967296, 4294967296)"), 16, "declares"},
        {1, NPY("<f4", "False", "(99999999999999999999, 2)"), 16, "header is damaged"},
        {1, NPY("<f4", "False", "(0, 2)"), 0, "has no vectors"},
        {1, NPY("<f4", "Maybe", "(2, 2)"), 16, "header is damaged"},
        {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}", 16,
         "header is damaged"},
        {1, "{'descr': '<f4', 'shape': (2, 2)}", 16, "header is damaged"},
        {1, "", 0, "header is damaged"},
        {1, "{", 16, "header is damaged"},
        {1, "{'descr': '<f4", 16, "header is damaged"},
    };
    char got[500], *npy = scratch_path(w->folder, "x.npy");
    char *list = scratch_path(w->folder, "x.words.txt");
    put_npy(w, npy, 1, NPY("<f4", "False", "(2, 2)"), numbers, sizeof numbers);
    read_file(w, npy, got, sizeof got);
    assert_non_null(strstr(got, "there is no "));
    assert_non_null(strstr(got, "x.words.txt"));
    static const char *const lists[][2] = {{"the\n", "has 1 words, but"},
                                           {"the\nof\nand\n", "has 3 words, but"},
                                           {"", "has 0 words, but"},
                                           {"the\n\nof\n", "line 2: is empty"}};
    for (size_t k = 0; k < 4; k++) {
        put_text(list, lists[k][0]);
        read_file(w, npy, got, sizeof got);
        assert_non_null(strstr(got, lists[k][1]));
    }
    put_text(list, "the\nof\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        put_npy(w, npy, cases[k].version, cases[k].header, numbers, cases[k].length);
        read_file(w, npy, got, sizeof got);
        if (!strstr(got, cases[k].wanted))
            fail_msg("case %zu: %s", k, got);
    }
    put_npy(w, npy, 1, NPY("<f4", "False", "(2, 2)"), bad, sizeof bad);
    read_file(w, npy, got, sizeof got);
    assert_non_null(strstr(got, "the vector of 'of' (word 2)"));
    put_npy(w, npy, 1, NPY("<f8", "False", "(2, 2)"), large, sizeof large);
    read_file(w, npy, got, sizeof got);
    assert_non_null(strstr(got, "the vector of 'of' (word 2)"));
    free(npy);
    free(list);
}

/* ---- Round trips ----------------------------------------------------------------------------- */

static psdvec_status convert(workshop *w, const char *in, const char *out,
                             psdvec_convert_options options)
{
    psdvec_status status = psdvec_convert(w->ctx, &options, in, out);
    return status;
}

static void must_convert(workshop *w, const char *in, const char *out,
                         psdvec_convert_options options)
{
    if (convert(w, in, out, options) != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
}

/* Every kind of float. */
static void make_wild(sample *s, uint32_t words, uint32_t dim)
{
    dice d = {11};
    sample_make(s, words, dim, 11);
    for (size_t k = 0; k < (size_t)words * dim; k++) {
        uint32_t bits = (uint32_t)dice_u64(&d);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (k % 2 == 0 && isfinite(value))
            s->vectors[k] = value;
    }
    const float odd[] = {0.0F, -0.0F, FLT_MIN, FLT_MAX, -FLT_MAX, 1e-45F};
    memcpy(s->vectors, odd, sizeof odd);
}

static void every_format_preserves_the_bits(void **state)
{
    workshop *w = *state;
    enum { WORDS = 700, DIM = 300 };
    sample s;
    make_wild(&s, WORDS, DIM);
    for (int threads = 1; threads <= 4; threads += 3) {
        workshop_context(w, 0, threads);
        assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
        for (int format = PSDVEC_VECTORS_MODEL; pv_vectors_format_choices[format].name; format++) {
            bool npy = format == PSDVEC_VECTORS_NPY;
            psdvec_convert_options there = {.size = sizeof(psdvec_convert_options),
                                            .format = (psdvec_vectors_format)format},
                                   back = {.size = sizeof(psdvec_convert_options),
                                           .format = PSDVEC_VECTORS_MODEL};
            there.words_file = back.words_file = npy ? w->words : NULL;
            must_convert(w, w->in, w->out, there);
            must_convert(w, w->out, w->other, back);
            psdvec_model *m;
            assert_int_equal(psdvec_model_open(w->ctx, w->other, &m), PSDVEC_OK);
            assert_int_equal(psdvec_model_get_info(m)->words, WORDS);
            assert_int_equal(psdvec_model_get_info(m)->dim, DIM);
            assert_memory_equal(psdvec_model_vector(m, 0), s.vectors,
                                (size_t)WORDS * DIM * sizeof(float));
            assert_memory_equal(m->bytes, s.bytes, s.offsets[WORDS]);
            assert_memory_equal(m->offsets, s.offsets, (WORDS + 1) * sizeof *s.offsets);
            assert_int_equal(psdvec_model_verify(w->ctx, m), PSDVEC_OK);
            psdvec_model_close(m);
        }
    }
    assert_string_equal(w->warnings, "");
    sample_free(&s);
}

static void the_bytes_written_do_not_depend_on_the_threads(void **state)
{
    workshop *w = *state;
    sample s;
    make_wild(&s, 5000, 40);
    for (int format = PSDVEC_VECTORS_MODEL; pv_vectors_format_choices[format].name; format++) {
        char *before = NULL;
        size_t before_length = 0;
        for (int threads = 1; threads <= 4; threads++) {
            size_t length;
            workshop_context(w, 0, threads);
            assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
            must_convert(w, w->in, w->out,
                         (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                                  .format = (psdvec_vectors_format)format,
                                                  .normalize = true,
                                                  .dim = 33});
            char *now = scratch_read(w->out, &length);
            if (before) {
                assert_int_equal(length, before_length);
                assert_memory_equal(now, before, length);
            }
            free(before);
            before = now;
            before_length = length;
        }
        free(before);
    }
    sample_free(&s);
}

/* A reader like that of word2vec, written by hand. */
static void a_simple_word2vec_reader_reads_written_files(void **state)
{
    workshop *w = *state;
    enum { WORDS = 50, DIM = 6 };
    sample s;
    sample_make(&s, WORDS, DIM, 12);
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
    for (int binary = 0; binary < 2; binary++) {
        must_convert(w, w->in, w->out,
                     (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                              .format = binary ? PSDVEC_VECTORS_WORD2VEC_BINARY
                                                               : PSDVEC_VECTORS_WORD2VEC});
        FILE *file = fopen(w->out, "rb");
        assert_non_null(file);
        long long words, size;
        assert_int_equal(fscanf(file, "%lld", &words), 1);
        assert_int_equal(fscanf(file, "%lld", &size), 1);
        assert_int_equal(words, WORDS);
        assert_int_equal(size, DIM);
        for (uint32_t i = 0; i < WORDS; i++) {
            char word[64], wanted[16], space;
            snprintf(wanted, sizeof wanted, "w%u", i);
            assert_int_equal(fscanf(file, "%60s%c", word, &space), 2);
            assert_string_equal(word, wanted);
            for (uint32_t k = 0; k < DIM; k++) {
                float value;
                if (binary)
                    assert_int_equal(fread(&value, sizeof value, 1, file), 1);
                else
                    assert_int_equal(fscanf(file, "%f", &value), 1);
                assert_memory_equal(&value, &s.vectors[i * DIM + k], sizeof value);
            }
        }
        assert_int_equal(fgetc(file), '\n');
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
    }
    sample_free(&s);
}

static void models_are_truncated_and_normalised(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 20, 8, 13);
    memset(s.vectors + 3 * 8, 0, 8 * sizeof(float));
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
    must_convert(
        w, w->in, w->out,
        (psdvec_convert_options){
            .size = sizeof(psdvec_convert_options), .dim = 5, .words = 7, .normalize = true});
    psdvec_model *m;
    assert_int_equal(psdvec_model_open(w->ctx, w->out, &m), PSDVEC_OK);
    const psdvec_model_info *info = psdvec_model_get_info(m);
    assert_int_equal(info->words, 7);
    assert_int_equal(info->core_words, 0); /* vectors of length 1 cannot serve as a core */
    assert_int_equal(info->dim, 5);
    assert_int_equal(info->positive, 4);
    assert_memory_equal(info->eigenvalues, s.eigenvalues, 5 * sizeof(float));
    assert_int_equal(info->iteration_count, 3);
    assert_string_equal(info->settings_json, s.data.settings_json);
    assert_string_equal(info->extensions_json, s.data.extensions_json);
    for (uint32_t i = 0; i < 7; i++) {
        const float *v = psdvec_model_vector(m, i), *old = s.vectors + (size_t)i * 8;
        double square = 0, length = 0;
        for (uint32_t k = 0; k < 5; k++) {
            square += (double)v[k] * v[k];
            length += (double)old[k] * old[k];
        }
        length = sqrt(length);
        assert_true(psdvec_model_frequency(m, i) == s.counts[i]);
        assert_true(psdvec_model_unigram(m, i) == s.unigram[i]);
        if (i == 3) {
            assert_true(square == 0 && psdvec_model_spread(m, i) == (double)s.spread[i]);
            continue;
        }
        assert_true(fabs(square - 1) < 1e-6);
        assert_true(fabs((double)v[2] - (double)old[2] / length) < 1e-7);
        assert_true(fabs(psdvec_model_spread(m, i) - (double)s.spread[i] / length) < 1e-6);
    }
    psdvec_model_close(m);
    /* If more words are requested than there are, all are written; the file is the same. */
    must_convert(w, w->in, w->out,
                 (psdvec_convert_options){.size = sizeof(psdvec_convert_options), .words = 1000});
    size_t a, b;
    char *one = scratch_read(w->in, &a), *two = scratch_read(w->out, &b);
    assert_int_equal(a, b);
    assert_memory_equal(one, two, a);
    free(one);
    free(two);
    sample_free(&s);
}

static void the_number_of_digits_is_as_requested(void **state)
{
    workshop *w = *state;
    put_text(w->in, "a 0.123456 -2\nb 1000000 3.14159265\n");
    must_convert(w, w->in, w->out,
                 (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                          .format = PSDVEC_VECTORS_GLOVE,
                                          .digits = 3});
    char *text = scratch_read(w->out, &(size_t){0});
    assert_string_equal(text, "a 0.123 -2\nb 1000000 3.14\n");
    free(text);
}

static void white_space_in_words_is_replaced_where_necessary(void **state)
{
    workshop *w = *state;
    static const struct {
        psdvec_vectors_format format;
        const char *text, *warning;
    } cases[] = {
        {PSDVEC_VECTORS_GLOVE, ". . . 1 2\na_b 3 4\n", "1 word has white space"},
        {PSDVEC_VECTORS_WORD2VEC, "2 2\n._._. 1 2\na_b 3 4\n", "2 words have white space"}};
    sample s;
    sample_make(&s, 2, 2, 14);
    const uint64_t offsets[] = {0, 5, 8};
    const float vectors[] = {1, 2, 3, 4};
    s.data.bytes = ". . .a\nb";
    s.data.offsets = offsets;
    s.data.vectors = vectors;
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
    for (size_t k = 0; k < 2; k++) {
        w->warnings[0] = '\0';
        must_convert(w, w->in, w->out,
                     (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                              .format = cases[k].format});
        char *text = scratch_read(w->out, &(size_t){0});
        assert_string_equal(text, cases[k].text);
        assert_non_null(strstr(w->warnings, cases[k].warning));
        free(text);
    }
    sample_free(&s);
}

static void invalid_conversions_are_refused_and_leave_no_files(void **state)
{
    workshop *w = *state;
    char *npy = scratch_path(w->folder, "x.npy"), *list = scratch_path(w->folder, "x.words.txt");
    put_text(w->in, "a 1 2\nb 3 4\n");
    static const struct {
        psdvec_convert_options options;
        psdvec_status status;
        const char *sentence;
    } cases[] = {{{.dim = 3}, PSDVEC_ERR_OPTION, "have 2 dimensions"},
                 {{.digits = 10}, PSDVEC_ERR_OPTION, "digits"},
                 {{.digits = -1}, PSDVEC_ERR_OPTION, "digits"},
                 {{.format = (psdvec_vectors_format)9}, PSDVEC_ERR_OPTION, "format"},
                 {{.words_file = ""}, PSDVEC_ERR_OPTION, "empty"},
                 {{.words_file = "x"}, PSDVEC_ERR_OPTION, "only for npy"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        psdvec_convert_options options = cases[k].options;
        options.size = sizeof options;
        assert_int_equal(convert(w, w->in, w->out, options), cases[k].status);
        assert_non_null(strstr(psdvec_error_message(w->ctx), cases[k].sentence));
    }
    psdvec_convert_options to_npy = {.size = sizeof(psdvec_convert_options),
                                     .format = PSDVEC_VECTORS_NPY};
    assert_int_equal(
        convert(w, w->in, w->in, (psdvec_convert_options){.size = sizeof(psdvec_convert_options)}),
        PSDVEC_ERR_SAME_FILE);
    to_npy.words_file = w->in;
    assert_int_equal(convert(w, w->in, w->out, to_npy), PSDVEC_ERR_SAME_FILE);
    to_npy.words_file = w->out;
    assert_int_equal(convert(w, w->in, w->out, to_npy), PSDVEC_ERR_SAME_FILE);
    to_npy.words_file = NULL;
    assert_int_equal(scratch_entries(w->folder), 1);
    /* The words of an npy file are an input as well. */
    must_convert(w, w->in, npy, to_npy);
    assert_int_equal(
        convert(w, npy, list, (psdvec_convert_options){.size = sizeof(psdvec_convert_options)}),
        PSDVEC_ERR_SAME_FILE);
    to_npy.words_file = list;
    assert_int_equal(convert(w, npy, w->out, to_npy), PSDVEC_ERR_SAME_FILE);
    assert_int_equal(scratch_entries(w->folder), 3);
    free(npy);
    free(list);
}

static void little_memory_and_cancellation_end_it(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 20000, 50, 15);
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
    must_convert(w, w->in, w->other,
                 (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                          .format = PSDVEC_VECTORS_GLOVE});
    workshop_context(w, UINT64_C(1) << 20, 2);
    assert_int_equal(convert(w, w->other, w->out,
                             (psdvec_convert_options){.size = sizeof(psdvec_convert_options)}),
                     PSDVEC_ERR_BUDGET);
    workshop_context(w, 0, 2);
    for (int polls = 0; polls < 8; polls++) {
        atomic_store(&w->polls_left, polls);
        psdvec_status status =
            convert(w, w->other, w->out,
                    (psdvec_convert_options){.size = sizeof(psdvec_convert_options),
                                             .format = PSDVEC_VECTORS_WORD2VEC});
        assert_true(status == PSDVEC_ERR_CANCELLED);
    }
    atomic_store(&w->polls_left, -1);
    assert_int_equal(scratch_entries(w->folder), 2);
    sample_free(&s);
}

static void take_last(void *user, const psdvec_progress *progress)
{
    psdvec_progress *last = user;
    if (!strcmp(progress->stage, "writing"))
        *last = *progress;
}

static void progress_of_writing_ends_at_the_number_of_words(void **state)
{
    workshop *w = *state;
    sample s;
    sample_make(&s, 565, 3, 1);
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->in), PSDVEC_OK);
    psdvec_progress last = {0};
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.on_progress = take_last;
    options.user = &last;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    psdvec_convert_options convert;
    psdvec_convert_options_default(&convert);
    convert.format = PSDVEC_VECTORS_WORD2VEC;
    assert_int_equal(psdvec_convert(ctx, &convert, w->in, w->out), PSDVEC_OK);
    assert_int_equal(last.total, 565);
    assert_int_equal(last.done, 565);
    psdvec_context_free(ctx);
    sample_free(&s);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        CASE(text_is_read_in_all_common_variants),
        CASE(invalid_text_is_refused_with_the_line),
        CASE(the_first_bad_line_is_named_whatever_the_threads),
        CASE(lines_of_any_length_are_read),
        CASE(binary_is_read_with_newlines_or_without),
        CASE(binary_that_looks_like_text_is_read),
        CASE(bad_binary_is_refused),
        CASE(npy_is_read_in_its_versions_and_widths),
        CASE(bad_npy_is_refused),
        CASE(every_format_preserves_the_bits),
        CASE(the_bytes_written_do_not_depend_on_the_threads),
        CASE(a_simple_word2vec_reader_reads_written_files),
        CASE(models_are_truncated_and_normalised),
        CASE(the_number_of_digits_is_as_requested),
        CASE(white_space_in_words_is_replaced_where_necessary),
        CASE(invalid_conversions_are_refused_and_leave_no_files),
        CASE(little_memory_and_cancellation_end_it),
        CASE(progress_of_writing_ends_at_the_number_of_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
