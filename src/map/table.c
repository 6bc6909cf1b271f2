/* Maps as tables: a row per word, separated by tabs. */
#include "map/drawing.h"

#include "model/float_text.h"

static psdvec_status add_number(pv_buffer *to, float value)
{
    char text[PV_FLOAT_CAPACITY];
    size_t length = pv_float_write(text, value, 0);
    PV_TRY(pv_buffer_append(to, text, length));
    return pv_buffer_byte(to, '\t');
}

/* A word without characters that end a cell. */
static psdvec_status add_word(pv_buffer *to, const char *word, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        bool plain = word[k] != '\t' && word[k] != '\n' && word[k] != '\r';
        PV_TRY(pv_buffer_byte(to, plain ? word[k] : ' '));
    }
    return pv_buffer_byte(to, '\t');
}

/* The labels by place: `labels[place]` is the label of the word, or NULL. */
static psdvec_status index_labels(pv_scope *scope, const psdvec_map *map,
                                  const psdvec_map_label ***labels)
{
    PV_TAKE_ZERO(scope, *labels, map->info.words);
    PV_TRY(pv_scope_status(scope));
    for (uint32_t k = 0; k < map->info.labels; k++)
        (*labels)[map->labels[k].place] = &map->labels[k];
    return PSDVEC_OK;
}

static psdvec_status write_rows(psdvec_context *ctx, const psdvec_map *map,
                                const psdvec_map_label *const *labels, pv_buffer *to)
{
    bool counted = map->model->counts != NULL;
    PV_TRY(pv_buffer_text(to, counted ? "word\tx\ty\tcluster\tfrequency\tlevel\tregion\n"
                                      : "word\tx\ty\tcluster\tlevel\tregion\n"));
    for (size_t i = 0; i < map->info.words; i++) {
        size_t length;
        const char *word = psdvec_model_word(map->model, map->words[i], &length);
        PV_TRY(add_word(to, word, length));
        PV_TRY(add_number(to, map->points[2 * i]));
        PV_TRY(add_number(to, map->points[2 * i + 1]));
        if (map->clusters[i] != PSDVEC_NO_CLUSTER)
            PV_TRY(pv_buffer_printf(to, "%u", map->clusters[i]));
        if (counted)
            PV_TRY(pv_buffer_printf(
                to, "\t%llu",
                (unsigned long long)psdvec_model_frequency(map->model, map->words[i])));
        if (labels[i])
            PV_TRY(pv_buffer_printf(to, "\t%u\t%u\n", labels[i]->level, labels[i]->words));
        else
            PV_TRY(pv_buffer_text(to, "\t\t\n"));
        if (i % 4096 == 0)
            PV_TRY(pv_check_cancel(ctx));
    }
    return PSDVEC_OK;
}

psdvec_status pv_map_tsv(psdvec_context *ctx, const psdvec_map *map, pv_buffer *to)
{
    pv_scope temp = {.ctx = ctx, .what = "the table of the map"};
    const psdvec_map_label **labels;
    psdvec_status status;
    PV_TRY_DONE(index_labels(&temp, map, &labels));
    status = write_rows(ctx, map, labels, to);
done:
    pv_scope_free(&temp);
    return status;
}
