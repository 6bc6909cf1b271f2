/* Fuzzes the groups of words on maps (map --groups) and the pictures with their names.
 *
 * The first byte selects the kind of picture, the rest is the file of groups. A picture is refused
 * with a message, or all its labels are within the texts that they show, and it can be written. */
#include "fuzz/fuzz.h"
#include "map/letters.h"

#include <math.h>

static psdvec_context *ctx;
static psdvec_map *map;

static void make_map(void)
{
    static fuzz_file vectors;
    static psdvec_model *model;
    char text[2048];
    size_t length = 0;
    uint32_t none;
    ctx = fuzz_context(256);
    for (int k = 0; k < 40; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%c%s %d %d %d\n",
                                   k % 3 ? "w" : "\xC3\xA9", 'a' + k % 26, k < 26 ? "" : "x",
                                   k % 5 * 10 + 1, k % 7, k / 8);
    fuzz_file_set(&vectors, text, length);
    require(psdvec_model_open(ctx, vectors.path, &model) == PSDVEC_OK);
    require(!psdvec_model_find(model, "none", 4, &none)); /* the model makes its index now */
    require(psdvec_map_make(ctx, NULL, model, NULL, 0, &map) == PSDVEC_OK);
}

static void check(const pv_drawing *drawing)
{
    require(drawing->legend <= drawing->label_count);
    for (uint32_t k = 0; k < drawing->count; k++)
        require(drawing->colour[k] < drawing->colour_count);
    for (size_t k = 0; k < drawing->label_count; k++) {
        const pv_drawn_label *label = &drawing->labels[k];
        require(isfinite(label->x) && isfinite(label->y) && label->width >= 0);
        size_t zeros = 0; /* counted to read all bytes */
        for (size_t at = 0; at < label->length; at++)
            zeros += label->text[at] == '\0';
        require(zeros <= label->length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_file file;
    psdvec_drawing_options options;
    pv_drawing drawing;
    if (!ctx)
        make_map();
    if (size == 0)
        return 0;
    bool png = data[0] % 16 == 15; /* takes longer */
    uint64_t before = atomic_load(&ctx->memory_used);
    fuzz_file_set(&file, data + 1, size - 1);
    psdvec_drawing_options_default(&options);
    options.groups = file.path;
    options.width = 200;
    options.height = 100;
    pv_begin(ctx);
    psdvec_status status =
        pv_drawing_make(ctx, map, &options, png ? pv_letters_width : pv_map_svg_width, &drawing);
    if (status == PSDVEC_OK) {
        pv_buffer picture = {.ctx = ctx};
        check(&drawing);
        status = png ? pv_map_png(ctx, &drawing, &picture) : pv_map_svg(ctx, &drawing, &picture);
        require(status == PSDVEC_OK && picture.length > 0);
        pv_buffer_free(&picture);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    }
    pv_drawing_free(&drawing);
    require(atomic_load(&ctx->memory_used) == before);
    return 0;
}
