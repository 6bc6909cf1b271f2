/* Inspects files of psdvec and changes them, for tests of files as an older or newer version or a
 * defective program would have written them. Checksums are recomputed, so a changed file is valid.
 *
 *     st_edit get FILE KEY                    print a metadata entry
 *     st_edit print FILE TENSOR...            print the elements of tensors, one tensor per line
 *     st_edit check FILE                      compare the checksums
 *     st_edit set FILE OUTPUT CHANGE...       write a copy; a CHANGE is
 *         KEY=TEXT    set a metadata entry
 *         -KEY        remove it
 *         +NAME       add a tensor of three bytes
 *         ~NAME       omit a tensor
 *         @NAME[I]=N  set an element of a tensor
 */
#include "base/file.h"
#include "base/safetensors_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* metadata entries, and tensors */

static int usage(void)
{
    fputs("usage: st_edit get FILE KEY | print FILE TENSOR... | check FILE | set FILE OUTPUT "
          "KEY=TEXT|-KEY|+NAME|~NAME|@NAME[I]=N...\n",
          stderr);
    return 2;
}

static void print_number(const pv_tensor *t, uint64_t i)
{
    switch (t->dtype) {
    case PV_DTYPE_U8:
        printf(" %u", ((const uint8_t *)t->data)[i]);
        break;
    case PV_DTYPE_I8:
        printf(" %d", ((const int8_t *)t->data)[i]);
        break;
    case PV_DTYPE_U32:
        printf(" %" PRIu32, ((const uint32_t *)t->data)[i]);
        break;
    case PV_DTYPE_U64:
        printf(" %" PRIu64, ((const uint64_t *)t->data)[i]);
        break;
    case PV_DTYPE_F32:
        printf(" %.9g", (double)((const float *)t->data)[i]);
        break;
    case PV_DTYPE_F64:
        printf(" %.17g", ((const double *)t->data)[i]);
        break;
    default:
        printf(" ?");
    }
}

static int print_tensors(const pv_st_file *file, char **names, int count)
{
    for (int k = 0; k < count; k++) {
        const pv_tensor *t = pv_st_tensor(file, names[k]);
        if (!t)
            return fprintf(stderr, "st_edit: no tensor %s\n", names[k]), 1;
        fputs(names[k], stdout);
        for (uint64_t i = 0; i < t->count; i++)
            print_number(t, i);
        putchar('\n');
    }
    return 0;
}

/* The change that names an entry or a tensor, given its first character and the rest; NULL:
 * none. */
static const char *change_of(char **changes, int count, char sign, const char *name)
{
    size_t length = strlen(name);
    for (int k = 0; k < count; k++) {
        const char *text = changes[k] + (sign != '=');
        if (sign != '=' ? *changes[k] == sign && !strcmp(text, name)
                        : !strncmp(text, name, length) && text[length] == '=')
            return text;
    }
    return NULL;
}

static size_t change_metadata(const pv_st_file *file, char **changes, int count, pv_st_pair *meta)
{
    size_t n = 0;
    for (size_t i = 0; i < pv_st_meta_count(file) && n < MOST; i++) {
        pv_st_pair pair = pv_st_meta_at(file, i);
        if (strncmp(pair.key, "xxh3.", 5) != 0 && !change_of(changes, count, '-', pair.key) &&
            !change_of(changes, count, '=', pair.key))
            meta[n++] = pair;
    }
    for (int k = 0; k < count && n < MOST; k++) {
        char *equals = strchr(changes[k], '=');
        if (!equals || strchr("-+~@", *changes[k]))
            continue;
        *equals = '\0';
        meta[n++] = (pv_st_pair){changes[k], equals + 1};
    }
    return n;
}

static void set_element(const pv_tensor *t, void *data, uint64_t i, const char *number)
{
    uint64_t whole = strtoull(number, NULL, 10);
    double real = strtod(number, NULL);
    switch (t->dtype) {
    case PV_DTYPE_U8:
        ((uint8_t *)data)[i] = (uint8_t)whole;
        break;
    case PV_DTYPE_U32:
        ((uint32_t *)data)[i] = (uint32_t)whole;
        break;
    case PV_DTYPE_U64:
        ((uint64_t *)data)[i] = whole;
        break;
    case PV_DTYPE_F32:
        ((float *)data)[i] = (float)real;
        break;
    case PV_DTYPE_F64:
        ((double *)data)[i] = real;
        break;
    default:
        fprintf(stderr, "st_edit: elements of %s cannot be set\n", t->name);
        exit(2);
    }
}

/* A tensor with the elements that changes set. */
static psdvec_status copy_tensor(const pv_tensor *t, char **changes, int count,
                                 pv_st_writer *writer)
{
    size_t length = strlen(t->name);
    void *data = malloc(t->bytes + 1);
    if (!data)
        exit(2);
    memcpy(data, t->data, t->bytes);
    for (int k = 0; k < count; k++) {
        const char *name = changes[k] + 1;
        if (*changes[k] != '@' || strncmp(name, t->name, length) != 0 || name[length] != '[')
            continue;
        char *end;
        uint64_t i = strtoull(name + length + 1, &end, 10);
        if (i >= t->count || strncmp(end, "]=", 2) != 0)
            exit(usage());
        set_element(t, data, i, end + 2);
    }
    psdvec_status status = pv_st_writer_tensor(writer, t->name, t->dtype, t->rank, t->shape, data);
    free(data);
    return status;
}

static psdvec_status copy_tensors(const pv_st_file *file, char **changes, int count,
                                  pv_st_writer *writer)
{
    for (size_t i = 0; i < pv_st_count(file); i++) {
        const pv_tensor *t = pv_st_at(file, i);
        if (!change_of(changes, count, '~', t->name))
            PV_TRY(copy_tensor(t, changes, count, writer));
    }
    for (int k = 0; k < count; k++)
        if (*changes[k] == '+')
            PV_TRY(pv_st_writer_tensor(writer, changes[k] + 1, PV_DTYPE_U8, 1, (uint64_t[]){3},
                                       "new"));
    return PSDVEC_OK;
}

static psdvec_status copy(psdvec_context *ctx, const pv_st_file *file, const char *path,
                          char **changes, int count)
{
    pv_st_pair meta[MOST];
    pv_output *output = NULL;
    pv_st_writer *writer = NULL;
    psdvec_status status;
    size_t meta_count = change_metadata(file, changes, count, meta);
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(
        pv_st_writer_begin(ctx, pv_st_output_sink(output), MOST, meta, meta_count, 0, &writer));
    PV_TRY_DONE(copy_tensors(file, changes, count, writer));
    PV_TRY_DONE(pv_st_writer_end(writer, NULL));
    status = pv_output_commit(output);
    output = NULL;
done:
    pv_st_writer_free(writer);
    pv_output_discard(output);
    return status;
}

int main(int argc, char **argv)
{
    psdvec_context *ctx;
    pv_st_file *file = NULL;
    int code = 0;
    if (argc < 3)
        return usage();
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        return 1;
    psdvec_status status = pv_st_open(ctx, argv[2], &file);
    if (status == PSDVEC_OK && !strcmp(argv[1], "get") && argc == 4) {
        const char *text = pv_st_meta(file, argv[3]);
        code = text ? puts(text) < 0 : 1;
    } else if (status == PSDVEC_OK && !strcmp(argv[1], "print") && argc > 3) {
        code = print_tensors(file, argv + 3, argc - 3);
    } else if (status == PSDVEC_OK && !strcmp(argv[1], "check")) {
        status = pv_st_verify(ctx, file);
    } else if (status == PSDVEC_OK && !strcmp(argv[1], "set") && argc > 4) {
        status = copy(ctx, file, argv[3], argv + 4, argc - 4);
    } else if (status == PSDVEC_OK) {
        code = usage();
    }
    if (status != PSDVEC_OK) {
        fprintf(stderr, "st_edit: %s\n", psdvec_error_message(ctx));
        code = 1;
    }
    pv_st_close(file);
    psdvec_context_free(ctx);
    return code;
}
