/* Part of psdvec.h: a map of the words of a model.
 *
 * A map gives every word a place in the plane, so that words with similar vectors are near each
 * other. It is computed by PaCMAP (Wang, Huang, Rudin and Shaposhnik, JMLR 22, 2021;
 * docs/explanation/map.md). The words of the map are also divided into clusters, the dense regions
 * of the map, and some words are labels: words that are typical of their part of the map, for
 * several levels of zoom.
 *
 *     psdvec_map *map;
 *     if (psdvec_map_make(ctx, NULL, model, NULL, 0, &map) == PSDVEC_OK) {
 *         const float *points = psdvec_map_points(map);
 *         printf("word 0 is at %g, %g\n", points[0], points[1]);
 *         psdvec_map_draw(ctx, map, NULL, "map.svg");
 *     }
 *     psdvec_map_free(map);
 */
#ifndef PSDVEC_MAP_H
#define PSDVEC_MAP_H

#include <psdvec/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psdvec_map_options {
    size_t size; /* set by psdvec_map_options_default */
#include <psdvec/options/map.def>
} psdvec_map_options;

/* Sets all members to their defaults. */
static inline void psdvec_map_options_default(psdvec_map_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_MAP, options, sizeof *options, 0, NULL);
}

typedef struct psdvec_map psdvec_map;

/* Computes a map of some words of a model: `count` different word indices, at least one, which
 * should be in the order of the model. `words` may be NULL if `count` is 0, for all words, or those
 * that the option `restrict` selects. The map keeps the model open; free it with psdvec_map_free.
 *
 * The result is the same for any number of threads and any memory budget; it depends on the seed of
 * the context. If the computation needs more memory than the budget allows, it is refused before it
 * starts. Words with equal vectors, among them all zero vectors, may have the same place. Fewer than
 * four words are placed by their two leading principal components.
 *
 * PSDVEC_ERR_OPTION for sparse models with more than 4,096 dimensions. */
PSDVEC_API psdvec_status psdvec_map_make(psdvec_context *ctx, const psdvec_map_options *options,
                                         const psdvec_model *model, const uint32_t *words,
                                         size_t count, psdvec_map **map);

/* How many bytes of memory psdvec_map_make needs for `count` words of the model, with the number of
 * threads of the context; `count` 0: for all words, or those that the option `restrict` selects. */
PSDVEC_API psdvec_status psdvec_map_memory(psdvec_context *ctx, const psdvec_map_options *options,
                                           const psdvec_model *model, size_t count,
                                           uint64_t *bytes);

/* Reads a map of words of the model from a table: the .tsv file of psdvec_map_draw, or one of
 * another program with the columns word, x and y, separated by tabs and named in the first line. If
 * the columns cluster, or level and region, are missing, clusters or labels are computed. A
 * cluster's number must be less than the number of lines; an empty cell or -1 means none. Words
 * that the model does not have are left out, with a warning.
 *
 * The map has the words in the order of the model. psdvec_map_info has zeros for what is only known
 * where the map was computed, and clusters of the table are described by the labels in them. */
PSDVEC_API psdvec_status psdvec_map_open(psdvec_context *ctx, const psdvec_model *model,
                                         const char *path, psdvec_map **map);

/* Frees a map. `map` may be NULL. */
PSDVEC_API void psdvec_map_free(psdvec_map *map);

typedef struct psdvec_map_info {
    uint32_t words;      /* of the map */
    uint32_t clusters;   /* may be 0 */
    uint32_t labels;     /* of all levels */
    uint32_t levels;     /* of labels: 0 to levels - 1 */
    uint32_t neighbours; /* neighbour pairs per word; 0 if there are fewer than four words */
    uint32_t components; /* principal components in which neighbours were found */
    double variance;     /* share of the variance of the vectors in these components */
    bool exact;          /* all words were compared to find neighbours, not only nearby cells */
    double left, top, right, bottom; /* the bounds of all points; top <= bottom */
    double seconds;                  /* of the computation */
} psdvec_map_info;

/* Returns the metadata of the map. This and all of the following are valid until it is freed. */
PSDVEC_API const psdvec_map_info *psdvec_map_get_info(const psdvec_map *map);
/* Returns the words of the map: indices of the model. */
PSDVEC_API const uint32_t *psdvec_map_words(const psdvec_map *map);
/* Returns the places of the words: x and y of each, in the order of psdvec_map_words. y increases
 * downwards. */
PSDVEC_API const float *psdvec_map_points(const psdvec_map *map);

/* In place of a cluster: the word is in a sparse part of the map. */
#define PSDVEC_NO_CLUSTER UINT32_MAX
/* Returns the cluster of each word, or PSDVEC_NO_CLUSTER. Clusters are numbered from 0, those with
 * the most words first. */
PSDVEC_API const uint32_t *psdvec_map_clusters(const psdvec_map *map);

/* A word that names a region of the map. */
typedef struct psdvec_map_label {
    uint32_t place;   /* of the word in the list of words of the map */
    uint32_t level;   /* 0: the whole map; each further level is for twice the magnification */
    uint32_t cluster; /* of the word, or PSDVEC_NO_CLUSTER */
    uint32_t words;   /* of the region */
    float x, y;       /* of the word */
} psdvec_map_label;

/* Returns the labels, psdvec_map_info.labels of them: first those of level 0, and within a level
 * those of larger regions first. A word is a label at most once. A view of the map at level n shows
 * the labels of levels 0 to n. */
PSDVEC_API const psdvec_map_label *psdvec_map_labels(const psdvec_map *map);

/* Returns the words that describe a cluster best, at most 20: words near the mean of its vectors
 * that are frequent, best first, as places in the list of words of the map. *count receives how many
 * there are. */
PSDVEC_API const uint32_t *psdvec_map_cluster_words(const psdvec_map *map, uint32_t cluster,
                                                    size_t *count);

/* Receives text in UTF-8, not null-terminated and valid during the call only. */
typedef void psdvec_map_json_fn(void *user, const char *json, size_t length);

/* Describes the map as a JSON object, the data of the page of `psdvec map`: the words, their places
 * as integers from 0 to 65535, their clusters and frequencies, and the labels. Calls `on_json`
 * once. */
PSDVEC_API psdvec_status psdvec_map_json(psdvec_context *ctx, const psdvec_map *map,
                                         psdvec_map_json_fn *on_json, void *user);

/* ---- Pictures ----------------------------------------------------------------------- */
typedef enum psdvec_map_format {
    PSDVEC_MAP_AUTO = 0, /* by the suffix of the file */
    PSDVEC_MAP_SVG,
    PSDVEC_MAP_PNG,
    PSDVEC_MAP_TSV /* a table: word, x, y, cluster, frequency, level and region of labels */
} psdvec_map_format;

typedef enum psdvec_map_colour {
    PSDVEC_COLOUR_CLUSTER = 0,
    PSDVEC_COLOUR_FREQUENCY,
    PSDVEC_COLOUR_NONE
} psdvec_map_colour;

typedef struct psdvec_drawing_options {
    size_t size; /* set by psdvec_drawing_options_default */
#include <psdvec/options/drawing.def>
} psdvec_drawing_options;

/* Sets all members to their defaults. */
static inline void psdvec_drawing_options_default(psdvec_drawing_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_DRAWING, options, sizeof *options, 0, NULL);
}

/* Determines the format from the suffix of a file name: .svg, .png, .tsv. Returns true and stores it
 * in *format, or returns false if the suffix is not known. */
PSDVEC_API bool psdvec_map_format_of(const char *path, psdvec_map_format *format);

/* Draws the map, or writes it as a table, to `output`. Labels of a picture do not overlap. */
PSDVEC_API psdvec_status psdvec_map_draw(psdvec_context *ctx, const psdvec_map *map,
                                         const psdvec_drawing_options *options, const char *output);

#ifdef __cplusplus
}
#endif
#endif
