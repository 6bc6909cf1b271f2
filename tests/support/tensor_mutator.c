/* Mutations of safetensors files. */
#include "support/tensor_mutator.h"

#include "base/json.h"
#include "base/safetensors_read.h"
#include "support/scratch.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    MOST_PAIRS = 128, /* with checksums */
    MOST_TENSORS = 64,
    MOST_BYTES = 1 << 16, /* of a tensor or text */
    MOST_NAME = 100
};

typedef struct contents {
    pv_st_pair pairs[MOST_PAIRS];
    size_t pair_count;
    pv_tensor tensors[MOST_TENSORS];
    size_t tensor_count;
    void **blocks; /* all memory that the above points to */
    size_t block_count;
} contents;

/* ---- Memory -------------------------------------------------------------------------------- */

static void *take(contents *c, size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    c->blocks = realloc(c->blocks, (c->block_count + 1) * sizeof *c->blocks);
    if (!block || !c->blocks)
        abort();
    return c->blocks[c->block_count++] = block;
}

static void *copy(contents *c, const void *data, size_t bytes, size_t room)
{
    void *block = take(c, bytes + room);
    memset(block, 0, bytes + room);
    if (bytes)
        memcpy(block, data, bytes);
    return block;
}

static void release(contents *c)
{
    for (size_t k = 0; k < c->block_count; k++)
        free(c->blocks[k]);
    free(c->blocks);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static psdvec_context *context(void)
{
    static psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)64 << 20;
    if (!ctx && psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        abort();
    pv_begin(ctx);
    return ctx;
}

static bool is_checksum(const char *key)
{
    return strncmp(key, "xxh3.", 5) == 0;
}

/* The contents without fillers and checksums. */
static bool read_contents(const uint8_t *data, size_t size, contents *c)
{
    pv_st_file *file;
    *c = (contents){0};
    if (pv_st_open_memory(context(), "mutator", data, size, &file) != PSDVEC_OK)
        return false;
    bool fits = pv_st_count(file) <= MOST_TENSORS / 2 &&
                pv_st_meta_count(file) + pv_st_count(file) < MOST_PAIRS / 2;
    for (size_t k = 0; fits && k < pv_st_meta_count(file); k++) {
        pv_st_pair from = pv_st_meta_at(file, k);
        if (!is_checksum(from.key))
            c->pairs[c->pair_count++] = (pv_st_pair){copy(c, from.key, strlen(from.key), 1),
                                                     copy(c, from.value, strlen(from.value), 1)};
    }
    for (size_t k = 0; fits && k < pv_st_count(file); k++) {
        pv_tensor *t = &c->tensors[c->tensor_count++];
        *t = *pv_st_at(file, k);
        t->name = copy(c, t->name, strlen(t->name), 1);
        t->data = copy(c, t->data, (size_t)t->bytes, 0);
    }
    pv_st_close(file);
    return fits;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef enum flaw { NO_FLAW, NO_PADDING, WRONG_CHECKSUM, NO_CHECKSUMS } flaw;

static void add_checksum(contents *c, const char *name, const char digest[17])
{
    char key[MOST_NAME + 16];
    snprintf(key, sizeof key, "xxh3.%s", name);
    if (c->pair_count < MOST_PAIRS)
        c->pairs[c->pair_count++] =
            (pv_st_pair){copy(c, key, strlen(key), 1), copy(c, digest, 16, 1)};
}

/* Inserts fillers before tensors that are not aligned. */
static void pad(contents *c)
{
    pv_tensor all[2 * MOST_TENSORS];
    size_t count = 0, at = 0, fillers = 0;
    for (size_t k = 0; k < c->tensor_count; k++) {
        uint64_t gap = (PV_ST_ALIGN - at % PV_ST_ALIGN) % PV_ST_ALIGN;
        if (gap) {
            char name[24];
            snprintf(name, sizeof name, "pad.%zu", fillers++);
            all[count] = pv_tensor_of(copy(c, name, strlen(name), 1), PV_DTYPE_U8, gap, 0,
                                      copy(c, NULL, 0, PV_ST_ALIGN));
            all[count++].bytes = gap;
        }
        all[count++] = c->tensors[k];
        at += (size_t)(gap + c->tensors[k].bytes);
    }
    if (count <= MOST_TENSORS) {
        memcpy(c->tensors, all, count * sizeof *all);
        c->tensor_count = count;
    }
}

static void add_checksums(contents *c, flaw how, dice *d)
{
    XXH3_state_t *hash = XXH3_createState();
    const pv_tensor *sorted[MOST_TENSORS];
    char digest[17];
    if (!hash)
        abort();
    for (size_t k = 0; k < c->tensor_count; k++) {
        const pv_tensor *t = sorted[k] = &c->tensors[k];
        if (strncmp(t->name, "pad.", 4) == 0)
            continue;
        XXH3_64bits_reset(hash);
        XXH3_64bits_update(hash, t->data, (size_t)t->bytes);
        pv_st_digest(hash, digest);
        if (how == WRONG_CHECKSUM && dice_percent(d, 30))
            digest[3] ^= 1;
        add_checksum(c, t->name, digest);
    }
    pv_st_sort(c->pairs, c->pair_count, sorted, c->tensor_count);
    pv_st_describe(hash, c->pairs, c->pair_count, sorted, c->tensor_count, digest);
    add_checksum(c, "metadata", digest);
    XXH3_freeState(hash);
}

static void put_header(const contents *c, pv_buffer *out)
{
    pv_json_writer w;
    uint64_t at = 0;
    pv_json_writer_init(&w, out);
    pv_json_open_object(&w, NULL);
    if (c->pair_count) {
        pv_json_open_object(&w, "__metadata__");
        for (size_t k = 0; k < c->pair_count; k++)
            pv_json_put_string(&w, c->pairs[k].key, c->pairs[k].value);
        pv_json_close(&w);
    }
    for (size_t k = 0; k < c->tensor_count; k++) {
        const pv_tensor *t = &c->tensors[k];
        pv_json_open_object(&w, t->name);
        pv_json_put_string(&w, "dtype", pv_dtype_name(t->dtype));
        pv_json_open_array(&w, "shape");
        for (unsigned i = 0; i < t->rank; i++)
            pv_json_put_u64(&w, NULL, t->shape[i]);
        pv_json_close(&w);
        pv_json_open_array(&w, "data_offsets");
        pv_json_put_u64(&w, NULL, at);
        pv_json_put_u64(&w, NULL, at += t->bytes);
        pv_json_close(&w);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    if (pv_json_writer_status(&w) != PSDVEC_OK)
        abort();
}

/* Returns the size; 0 if it does not fit. */
static size_t write_contents(contents *c, flaw how, dice *d, uint8_t *data, size_t max_size)
{
    pv_buffer header = {.ctx = context()};
    size_t length, at = 0;
    if (how != NO_PADDING)
        pad(c);
    if (how != NO_CHECKSUMS)
        add_checksums(c, how, d);
    put_header(c, &header);
    while (how != NO_PADDING && (8 + header.length) % PV_ST_ALIGN)
        if (pv_buffer_byte(&header, ' ') != PSDVEC_OK)
            abort();
    length = 8 + header.length;
    for (size_t k = 0; k < c->tensor_count; k++)
        length += (size_t)c->tensors[k].bytes;
    if (length <= max_size) {
        for (; at < 8; at++)
            data[at] = (uint8_t)((uint64_t)header.length >> (8 * at));
        memcpy(data + at, header.data, header.length);
        at += header.length;
        for (size_t k = 0; k < c->tensor_count; at += (size_t)c->tensors[k++].bytes)
            if (c->tensors[k].bytes)
                memcpy(data + at, c->tensors[k].data, (size_t)c->tensors[k].bytes);
    }
    pv_buffer_free(&header);
    return at;
}

/* ---- Metadata --------------------------------------------------------------------------------- */

/* As JSON can hold it: without zero bytes, and UTF-8. */
static char *tidy(char *text, size_t length)
{
    size_t at = 0, to = 0;
    while (at < length) {
        size_t step = pv_utf8_sequence(text + at, length - at);
        if (step && text[at]) {
            memmove(text + to, text + at, step);
            to += step;
        }
        at += step ? step : 1;
    }
    text[to] = '\0';
    return text;
}

static const char *mutate_text(contents *c, const char *text, size_t most, byte_mutator *mutate)
{
    size_t length = strlen(text);
    size_t room = 64 + length < most ? 64 : most > length ? most - length : 0;
    char *changed = copy(c, text, length, room + 1);
    return tidy(changed, mutate((uint8_t *)changed, length, length + room));
}

/* Replaces a number in the text by another. */
static const char *change_number(contents *c, const char *text, dice *d)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "-1",
                                          "0.5",
                                          "1e9",
                                          "1e-9",
                                          "1e309",
                                          "4294967295",
                                          "4294967296",
                                          "1048577",
                                          "1.5",
                                          "-0",
                                          "255",
                                          "256",
                                          "null",
                                          "\"\"",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "[]",
                                          "{}",
                                          "true"};
    static const char digits[] = "0123456789";
    size_t runs = 0, chosen;
    for (const char *at = text; *(at += strcspn(at, digits)); at += strspn(at, digits))
        runs++;
    const char *with = numbers[dice_below(d, sizeof numbers / sizeof *numbers)];
    if (!runs)
        return copy(c, with, strlen(with), 1);
    const char *at = text + strcspn(text, digits);
    for (chosen = dice_below(d, runs); chosen; chosen--) {
        at += strspn(at, digits);
        at += strcspn(at, digits);
    }
    size_t before = (size_t)(at - text);
    at += strspn(at, digits);
    char *changed = take(c, before + strlen(with) + strlen(at) + 1);
    memcpy(changed, text, before);
    memcpy(changed + before, with, strlen(with));
    memcpy(changed + before + strlen(with), at, strlen(at) + 1);
    return changed;
}

static bool has_key(const contents *c, const char *key)
{
    for (size_t k = 0; k < c->pair_count; k++)
        if (strcmp(c->pairs[k].key, key) == 0)
            return true;
    return is_checksum(key) || !*key;
}

static void change_metadata(contents *c, dice *d, byte_mutator *mutate)
{
    if (c->pair_count == 0)
        return;
    pv_st_pair *pair = &c->pairs[dice_below(d, c->pair_count)];
    const char *key;
    switch (dice_below(d, 12)) {
    case 0: /* leave it out */
        *pair = c->pairs[--c->pair_count];
        break;
    case 1: /* the value of another one */
        pair->value = c->pairs[dice_below(d, c->pair_count)].value;
        break;
    case 2: /* another name */
        key = mutate_text(c, pair->key, MOST_NAME, mutate);
        if (!has_key(c, key))
            pair->key = key;
        break;
    case 3: /* empty */
        pair->value = "";
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        pair->value = change_number(c, pair->value, d);
        break;
    default:
        pair->value = mutate_text(c, pair->value, MOST_BYTES, mutate);
    }
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static void set_bytes(pv_tensor *t, void *data, size_t bytes)
{
    t->data = data;
    t->bytes = bytes;
    t->count = bytes / pv_dtype_size(t->dtype);
}

/* Changes the length of an axis of a vector or matrix; new elements repeat old ones. */
static void resize(contents *c, pv_tensor *t, unsigned axis, uint64_t to)
{
    size_t width = pv_dtype_size(t->dtype);
    uint64_t rows = t->rank ? t->shape[0] : 1, columns = t->rank > 1 ? t->shape[1] : 1;
    if (t->rank < 1 || t->rank > 2 || axis >= t->rank)
        return;
    uint64_t new_rows = axis == 0 ? to : rows, new_columns = axis == 1 ? to : columns;
    if (new_columns && new_rows > MOST_BYTES / width / new_columns)
        return;
    size_t bytes = (size_t)(new_rows * new_columns) * width;
    unsigned char *data = copy(c, NULL, 0, bytes);
    const unsigned char *from = t->data;
    uint64_t elements = t->bytes / width; /* the shape may be wrong by an earlier change */
    for (uint64_t r = 0; rows && columns && elements && r < new_rows; r++)
        for (uint64_t k = 0; k < new_columns; k++)
            memcpy(data + (r * new_columns + k) * width,
                   from + (r % rows * columns + k % columns) % elements * width, width);
    t->shape[axis] = to;
    set_bytes(t, data, bytes);
}

/* Changes one length wherever it occurs: the number of words or dimensions. Arrays of offsets have
 * one element more. */
static void resize_all(contents *c, const pv_tensor *of, dice *d)
{
    if (of->rank == 0)
        return;
    uint64_t from = of->shape[dice_below(d, of->rank < 2 ? 1 : 2)];
    uint64_t to = from + 1;
    switch (dice_below(d, 4)) {
    case 0:
        to = dice_below(d, 4);
        break;
    case 1:
        to = dice_below(d, (size_t)from + 8);
        break;
    case 2:
        to = from ? from - 1 : 0;
        break;
    }
    bool ends = dice_percent(d, 80), partly = dice_percent(d, 20);
    for (size_t k = 0; k < c->tensor_count; k++) {
        pv_tensor *t = &c->tensors[k];
        for (unsigned axis = 0; axis < t->rank && axis < 2; axis++) {
            if (partly && dice_percent(d, 30))
                continue;
            if (t->shape[axis] == from)
                resize(c, t, axis, to);
            else if (ends && t->rank == 1 && t->shape[axis] == from + 1)
                resize(c, t, axis, to + 1);
        }
    }
}

static uint64_t number_of_file(const contents *c, dice *d)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   127,
                                   128,
                                   255,
                                   256,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   INT64_MAX,
                                   (uint64_t)1 << 32,
                                   (uint64_t)1 << 63};
    const pv_tensor *t = &c->tensors[dice_below(d, c->tensor_count)];
    switch (dice_below(d, 4)) {
    case 0:
        return t->bytes;
    case 1:
        return t->rank ? t->shape[dice_below(d, t->rank)] + dice_below(d, 3) - 1 : 1;
    case 2:
        return dice_u64(d) >> dice_below(d, 64);
    default:
        return odd[dice_below(d, sizeof odd / sizeof *odd)];
    }
}

static uint64_t odd_float(pv_dtype dtype, dice *d)
{
    static const double reals[] = {0, -0.0, 1, -1, 1e-300, 1e300, 1e38, -1e38, 1e-40, 0.5, 3e-8};
    double real = reals[dice_below(d, sizeof reals / sizeof *reals)];
    float single = (float)real;
    uint64_t bits = 0;
    if (dice_percent(d, 30)) /* an infinity or not a number */
        return dtype == PV_DTYPE_F64   ? UINT64_C(0x7FF0000000000000) | dice_below(d, 2)
               : dtype == PV_DTYPE_F32 ? 0x7F800000U | dice_below(d, 2)
                                       : 0x7C00U | dice_below(d, 2);
    if (dtype == PV_DTYPE_F64)
        memcpy(&bits, &real, sizeof real);
    else if (dtype == PV_DTYPE_F32)
        memcpy(&bits, &single, sizeof single);
    else
        bits = dice_u64(d);
    return bits;
}

static void change_element(contents *c, pv_tensor *t, dice *d)
{
    size_t width = pv_dtype_size(t->dtype);
    if (t->bytes < width)
        return;
    unsigned char *data = copy(c, t->data, (size_t)t->bytes, 0);
    size_t elements = (size_t)t->bytes / width, at = dice_below(d, elements);
    if (dice_percent(d, 20))
        at = elements - 1;
    uint64_t value = 0;
    bool real = t->dtype == PV_DTYPE_F16 || t->dtype == PV_DTYPE_F32 || t->dtype == PV_DTYPE_F64;
    memcpy(&value, data + at * width, width);
    switch (dice_below(d, 5)) {
    case 0:
        value += dice_below(d, 5) - 2;
        break;
    case 1: /* as another element */
        memcpy(&value, data + dice_below(d, elements) * width, width);
        break;
    case 2:
        value ^= (uint64_t)1 << dice_below(d, 8 * width);
        break;
    default:
        value = real ? odd_float(t->dtype, d) : number_of_file(c, d);
    }
    memcpy(data + at * width, &value, width);
    t->data = data;
}

static void change_bytes(contents *c, pv_tensor *t, dice *d, byte_mutator *mutate)
{
    size_t width = pv_dtype_size(t->dtype), size = (size_t)t->bytes;
    bool grows = t->rank == 1 && dice_percent(d, 50) && size < MOST_BYTES;
    uint8_t *data = copy(c, t->data, size, 64);
    size_t changed = mutate(data, size, size + (grows ? 64 : 0));
    if (t->rank == 1) {
        changed -= changed % width;
        t->shape[0] = changed / width;
        set_bytes(t, data, changed);
    } else {
        t->data = data;
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int by_value_32(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Makes offsets ascend, with the last one at the end of another tensor. */
static void mend_offsets(contents *c, pv_tensor *t, dice *d)
{
    size_t width = pv_dtype_size(t->dtype), elements = (size_t)t->bytes / width;
    const pv_tensor *other = &c->tensors[dice_below(d, c->tensor_count)];
    if ((t->dtype != PV_DTYPE_U64 && t->dtype != PV_DTYPE_U32) || elements == 0)
        return;
    uint64_t limit = dice_percent(d, 50) ? other->bytes : other->count;
    unsigned char *data = copy(c, t->data, (size_t)t->bytes, 0);
    for (size_t k = 0; k < elements; k++) {
        uint64_t value = 0;
        memcpy(&value, data + k * width, width);
        value = k == 0 ? 0 : k + 1 == elements || value > limit ? limit : value;
        memcpy(data + k * width, &value, width);
    }
    qsort(data, elements, width, width == 8 ? by_value : by_value_32);
    t->data = data;
}

static bool has_tensor(const contents *c, const char *name)
{
    for (size_t k = 0; k < c->tensor_count; k++)
        if (strcmp(c->tensors[k].name, name) == 0)
            return true;
    return strncmp(name, "pad.", 4) == 0 || strcmp(name, "__metadata__") == 0;
}

static void change_structure(contents *c, pv_tensor *t, dice *d, byte_mutator *mutate)
{
    pv_tensor *other = &c->tensors[dice_below(d, c->tensor_count)], before = *t;
    const char *name;
    switch (dice_below(d, 7)) {
    case 0: /* leave it out */
        *t = c->tensors[--c->tensor_count];
        break;
    case 1: /* the content of another one */
        *t = *other;
        t->name = before.name;
        break;
    case 2: /* exchange contents */
        *t = *other;
        *other = before;
        other->name = t->name;
        t->name = before.name;
        break;
    case 3: /* another type, with as many bytes per row as fit */
        t->dtype = (pv_dtype)dice_below(d, PV_DTYPE_COUNT);
        t->rank = 1;
        t->shape[0] = t->bytes / pv_dtype_size(t->dtype);
        set_bytes(t, (void *)t->data, (size_t)t->shape[0] * pv_dtype_size(t->dtype));
        break;
    case 4: /* another rank */
        if (t->rank == 1) {
            t->rank = 2;
            t->shape[1] = 1;
        } else if (t->rank == 2) {
            t->rank = 1;
            t->shape[0] *= t->shape[1];
        }
        break;
    case 5: /* another name */
        name = mutate_text(c, t->name, MOST_NAME, mutate);
        if (*name && !has_tensor(c, name))
            t->name = name;
        break;
    default: /* a wrong shape */
        if (t->rank)
            t->shape[dice_below(d, t->rank)] = number_of_file(c, d);
    }
}

static void change_tensor(contents *c, dice *d, byte_mutator *mutate)
{
    if (c->tensor_count == 0)
        return;
    pv_tensor *t = &c->tensors[dice_below(d, c->tensor_count)];
    switch (dice_below(d, 10)) {
    case 0:
    case 1:
        resize_all(c, t, d);
        break;
    case 2:
        if (t->rank)
            resize(c, t, (unsigned)dice_below(d, t->rank),
                   t->shape[0] + dice_below(d, 3) - (t->shape[0] > 0));
        break;
    case 3:
        mend_offsets(c, t, d);
        break;
    case 4:
        change_structure(c, t, d, mutate);
        break;
    case 5:
    case 6:
        change_bytes(c, t, d, mutate);
        break;
    default:
        change_element(c, t, d);
    }
}

/* ---- Files ------------------------------------------------------------------------------------ */

static flaw choose_flaw(dice *d)
{
    switch (dice_below(d, 32)) {
    case 0:
        return WRONG_CHECKSUM;
    case 1:
        return NO_CHECKSUMS;
    case 2:
    case 3:
        return NO_PADDING;
    default:
        return NO_FLAW;
    }
}

size_t tensor_mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed,
                     byte_mutator *mutate)
{
    dice d = {seed};
    contents c;
    size_t written = 0;
    if (dice_below(&d, 32) == 0)
        return mutate(data, size, max_size);
    if (read_contents(data, size, &c)) {
        do {
            if (dice_percent(&d, 35))
                change_metadata(&c, &d, mutate);
            else
                change_tensor(&c, &d, mutate);
        } while (dice_percent(&d, 45));
        written = write_contents(&c, choose_flaw(&d), &d, data, max_size);
    }
    release(&c);
    return written ? written : mutate(data, size, max_size);
}

static void take_tensor(contents *c, const pv_tensor *from)
{
    size_t k = 0;
    while (k < c->tensor_count && strcmp(c->tensors[k].name, from->name) != 0)
        k++;
    if (k == MOST_TENSORS / 2)
        return;
    c->tensors[k] = *from;
    c->tensor_count += k == c->tensor_count;
}

static void take_pair(contents *c, const pv_st_pair *from)
{
    size_t k = 0;
    while (k < c->pair_count && strcmp(c->pairs[k].key, from->key) != 0)
        k++;
    if (k == MOST_PAIRS / 4)
        return;
    c->pairs[k] = *from;
    c->pair_count += k == c->pair_count;
}

size_t tensor_cross(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size,
                    uint8_t *out, size_t max_size, unsigned seed)
{
    dice d = {seed};
    contents a, b = {0};
    size_t written = 0;
    if (read_contents(one, one_size, &a) && read_contents(two, two_size, &b)) {
        for (size_t k = 0; k < b.tensor_count; k++)
            if (dice_percent(&d, 30))
                take_tensor(&a, &b.tensors[k]);
        for (size_t k = 0; k < b.pair_count; k++)
            if (dice_percent(&d, 20))
                take_pair(&a, &b.pairs[k]);
        written = write_contents(&a, NO_FLAW, &d, out, max_size);
    }
    release(&a);
    release(&b);
    return written;
}
