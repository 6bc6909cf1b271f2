/* psdvec_map_open: maps from tables, those of psdvec_map_draw and of other programs.
 *
 * The columns are found by their names in the first line: word, x and y are required; cluster, level
 * and region say what psdvec_map_make found out. What is missing is computed from the places and the
 * vectors. Other columns are ignored.
 *
 * Time: one pass over the file and a sort; without clusters or levels, n x dim^2. Memory: 28 bytes
 * per line besides the map.
 */
#include "map/map.h"

#include "base/arguments.h"
#include "model/float_text.h"
#include "model/foreign.h"
#include "util/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { WORD, X, Y, CLUSTER, LEVEL, REGION, COLUMNS };
enum { MOST_FIELDS = 64, SHOWN = 40 };

static const char *const names[COLUMNS] = {"word", "x", "y", "cluster", "level", "region"};

/* A line of the table. */
typedef struct row {
    uint32_t word, cluster, level, region; /* level: PV_MAP_LEVELS if the word is not a label */
    float x, y;
} row;

typedef struct table {
    psdvec_context *ctx;
    const psdvec_model *model;
    const char *path;
    uint32_t at[COLUMNS]; /* the field of each column; MOST_FIELDS: none */
    uint64_t line;
    row *rows;
    uint32_t count, unknown;
} table;

static uint32_t split(pv_span line, pv_span fields[MOST_FIELDS])
{
    const char *at = line.at, *end = line.at + line.length;
    uint32_t count = 0;
    while (count < MOST_FIELDS) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        fields[count++] = (pv_span){at, (size_t)((tab ? tab : end) - at)};
        if (!tab)
            break;
        at = tab + 1;
    }
    return count;
}

/* A line without the carriage return of other systems; false at the end. */
static bool next_line(table *t, const char **at, const char *end, pv_span *line)
{
    if (!pv_foreign_next_line(at, end, line))
        return false;
    t->line++;
    if (line->length > 0 && line->at[line->length - 1] == '\r')
        line->length--;
    return true;
}

static psdvec_status bad_cell(const table *t, enum column column, pv_span cell,
                              const char *expected)
{
    return pv_fail(t->ctx, PSDVEC_ERR_FORMAT, "%s: line %" PRIu64 ": the %s is '%.*s', not %s",
                   t->path, t->line, names[column],
                   (int)(cell.length < SHOWN ? cell.length : SHOWN), cell.at, expected);
}

static psdvec_status read_head(table *t, pv_span line)
{
    pv_span fields[MOST_FIELDS];
    uint32_t count = split(line, fields);
    for (int c = 0; c < COLUMNS; c++) {
        t->at[c] = MOST_FIELDS;
        for (uint32_t k = count; k-- > 0;)
            if (fields[k].length == strlen(names[c]) &&
                memcmp(fields[k].at, names[c], fields[k].length) == 0)
                t->at[c] = k;
        if (c <= Y && t->at[c] == MOST_FIELDS)
            return pv_fail(t->ctx, PSDVEC_ERR_FORMAT,
                           "%s: is not the table of a map: the first line must name the columns, "
                           "separated by tabs, and has no column '%s'; psdvec map -o map.tsv makes "
                           "such tables",
                           t->path, names[c]);
    }
    if (t->at[LEVEL] == MOST_FIELDS || t->at[REGION] == MOST_FIELDS)
        t->at[LEVEL] = t->at[REGION] = MOST_FIELDS;
    return PSDVEC_OK;
}

static psdvec_status read_float(const table *t, enum column column, const pv_span *fields,
                                float *value)
{
    pv_span cell = fields[t->at[column]];
    const char *after = cell.at;
    if (pv_float_read(cell.at, cell.at + cell.length, &after, value) != PV_NUMBER_FINE ||
        after != cell.at + cell.length)
        return bad_cell(t, column, cell, "a finite number");
    return PSDVEC_OK;
}

/* An optional integer below `limit`; an empty cell, or -1, leaves the value as it is. */
static psdvec_status read_integer(const table *t, enum column column, const pv_span *fields,
                                  uint64_t limit, uint32_t *value)
{
    if (t->at[column] == MOST_FIELDS)
        return PSDVEC_OK;
    pv_span cell = fields[t->at[column]];
    const char *at = cell.at, *end = cell.at + cell.length;
    uint64_t number;
    if (cell.length == 0 || (cell.length == 2 && memcmp(cell.at, "-1", 2) == 0))
        return PSDVEC_OK;
    if (!pv_foreign_digits(&at, end, &number) || at != end || number >= limit) {
        char expected[60];
        snprintf(expected, sizeof expected, "an integer below %" PRIu64, limit);
        return bad_cell(t, column, cell, expected);
    }
    *value = (uint32_t)number;
    return PSDVEC_OK;
}

static psdvec_status read_row(table *t, pv_span line, uint64_t lines)
{
    pv_span fields[MOST_FIELDS];
    uint32_t count = split(line, fields);
    row *r = &t->rows[t->count];
    *r = (row){.cluster = PSDVEC_NO_CLUSTER, .level = PV_MAP_LEVELS};
    for (int c = 0; c < COLUMNS; c++)
        if (t->at[c] != MOST_FIELDS && t->at[c] >= count)
            return pv_fail(t->ctx, PSDVEC_ERR_FORMAT,
                           "%s: line %" PRIu64 ": has %u fields, and none for the column '%s'",
                           t->path, t->line, count, names[c]);
    PV_TRY(read_float(t, X, fields, &r->x));
    PV_TRY(read_float(t, Y, fields, &r->y));
    PV_TRY(read_integer(t, CLUSTER, fields, lines, &r->cluster));
    PV_TRY(read_integer(t, LEVEL, fields, PV_MAP_LEVELS, &r->level));
    PV_TRY(read_integer(t, REGION, fields, UINT32_MAX, &r->region));
    pv_span word = fields[t->at[WORD]];
    if (psdvec_model_find(t->model, word.at, word.length, &r->word))
        t->count++;
    else
        t->unknown++;
    return PSDVEC_OK;
}

static int by_word(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return x->word < y->word ? -1 : x->word > y->word;
}

static psdvec_status read_rows(table *t, const char *at, const char *end, uint64_t lines)
{
    pv_span line;
    while (next_line(t, &at, end, &line)) {
        if (line.length > 0)
            PV_TRY(read_row(t, line, lines));
        if (t->line % 4096 == 0)
            PV_TRY(pv_check_cancel(t->ctx));
    }
    if (t->count == 0)
        return pv_fail(t->ctx, PSDVEC_ERR_MISMATCH, "%s: has no word of the model %s", t->path,
                       t->model->path);
    if (t->unknown)
        pv_warn(t->ctx, "%s: %u of %u words are not in the model %s and are left out", t->path,
                t->unknown, t->unknown + t->count, t->model->path);
    qsort(t->rows, t->count, sizeof *t->rows, by_word);
    for (uint32_t k = 1; k < t->count; k++)
        if (t->rows[k].word == t->rows[k - 1].word) {
            size_t length;
            const char *word = psdvec_model_word(t->model, t->rows[k].word, &length);
            return pv_fail(t->ctx, PSDVEC_ERR_FORMAT, "%s: the word '%.*s' is there twice", t->path,
                           (int)(length < SHOWN ? length : SHOWN), word);
        }
    return PSDVEC_OK;
}

/* Copies the labels of the table, in the order of psdvec_map_labels. */
static psdvec_status take_labels(const table *t, psdvec_map *map)
{
    uint32_t labels = 0;
    for (uint32_t i = 0; i < t->count; i++)
        labels += t->rows[i].level < PV_MAP_LEVELS;
    PV_TAKE(&map->scope, map->labels, labels);
    PV_TRY(pv_scope_status(&map->scope));
    for (uint32_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->level < PV_MAP_LEVELS)
            map->labels[map->info.labels++] = (psdvec_map_label){.place = i,
                                                                 .level = r->level,
                                                                 .cluster = r->cluster,
                                                                 .words = r->region,
                                                                 .x = r->x,
                                                                 .y = r->y};
    }
    map->info.levels = PV_MAP_LEVELS;
    pv_map_sort_labels(map->labels, map->info.labels);
    return PSDVEC_OK;
}

/* Clusters of the table are described by the labels in them. */
static psdvec_status describe(psdvec_map *map)
{
    PV_TAKE(&map->scope, map->described, (size_t)map->info.clusters * PV_MAP_CLUSTER_WORDS);
    PV_TAKE_ZERO(&map->scope, map->described_by, map->info.clusters);
    PV_TRY(pv_scope_status(&map->scope));
    for (uint32_t k = 0; k < map->info.labels; k++) {
        uint32_t c = map->labels[k].cluster;
        if (c != PSDVEC_NO_CLUSTER && map->described_by[c] < PV_MAP_CLUSTER_WORDS)
            map->described[(size_t)c * PV_MAP_CLUSTER_WORDS + map->described_by[c]++] =
                map->labels[k].place;
    }
    return PSDVEC_OK;
}

static psdvec_status fill(const table *t, psdvec_map *map)
{
    bool clustered = t->at[CLUSTER] != MOST_FIELDS, labelled = t->at[LEVEL] != MOST_FIELDS;
    pv_map_rows rows = {0};
    psdvec_status status;
    PV_TRY(pv_map_take(map, t->count));
    for (uint32_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        map->words[i] = r->word;
        map->points[2 * (size_t)i] = r->x;
        map->points[2 * (size_t)i + 1] = r->y;
        map->clusters[i] = r->cluster;
        if (r->cluster != PSDVEC_NO_CLUSTER && r->cluster >= map->info.clusters)
            map->info.clusters = r->cluster + 1;
    }
    pv_map_find_bounds(map);
    PV_TRY(pv_map_find_core(t->ctx, map));
    if (!clustered || !labelled) {
        psdvec_map_options options;
        psdvec_map_options_default(&options);
        PV_TRY_DONE(
            pv_map_rows_make(t->ctx, map->model, map->words, t->count, options.components, &rows));
        if (!clustered)
            PV_TRY_DONE(pv_map_find_clusters(t->ctx, map, &rows, options.detail));
        if (!labelled)
            PV_TRY_DONE(pv_map_find_labels(t->ctx, map, &rows));
    }
    if (labelled)
        PV_TRY_DONE(take_labels(t, map));
    status = clustered ? describe(map) : PSDVEC_OK;
done:
    pv_map_rows_free(&rows);
    return status;
}

psdvec_status psdvec_map_open(psdvec_context *ctx, const psdvec_model *model, const char *path,
                              psdvec_map **map)
{
    double began = pv_now();
    pv_scope temp = {.ctx = ctx, .what = "the table of a map"};
    table t = {.ctx = ctx, .model = model, .path = path};
    pv_map file = {0};
    pv_span line;
    psdvec_status status;
    psdvec_map *made = NULL;
    PV_CLEAR(map);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, path);
    PV_NEED(ctx, map);
    PV_TRY(pv_map_check_model(ctx, model));
    PV_TRY_DONE(pv_map_open(ctx, path, false, &file));
    const char *at = (const char *)file.data, *end = at + file.size;
    if (!next_line(&t, &at, end, &line))
        line = (pv_span){"", 0};
    PV_TRY_DONE(read_head(&t, line));
    uint64_t lines = 1;
    for (const char *c = at; c < end && (c = memchr(c, '\n', (size_t)(end - c))); c++)
        lines++;
    PV_TAKE(&temp, t.rows, (size_t)lines);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(read_rows(&t, at, end, lines));
    PV_TRY_DONE(pv_map_new(ctx, model, &made));
    PV_TRY_DONE(fill(&t, made));
    made->info.seconds = pv_now() - began;
    *map = made;
    made = NULL;
done:
    psdvec_map_free(made);
    pv_scope_free(&temp);
    pv_map_close(ctx, &file);
    return status;
}
