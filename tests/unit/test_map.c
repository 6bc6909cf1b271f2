/* Maps: the gradient against finite differences, neighbours against a plain search, the same bits for
 * any number of threads, planted clusters, labels that do not overlap, and unusual inputs. */
#include "base/random.h"
#include "map/letters.h"
#include "map/options.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { BLOBS = 5, DIM = 10 };

/* A model whose word k is near the centre of blob k % BLOBS. The first `general` words are halfway
 * between it and the mean of all centres. */
static psdvec_model *blobs_with(workshop *w, uint32_t words, uint32_t general)
{
    sample s;
    sample_make(&s, words, DIM, 5);
    for (uint32_t i = 0; i < words; i++)
        for (uint32_t k = 0; k < DIM; k++) {
            double centre = 3 * pv_random_normal(1, i % BLOBS, k), mean = 0;
            for (uint32_t b = 0; b < BLOBS; b++)
                mean += 3 * pv_random_normal(1, b, k) / BLOBS;
            s.vectors[i * DIM + k] = (float)((i < general ? (centre + mean) / 2 : centre) +
                                             0.3 * pv_random_normal(2, i, k));
        }
    psdvec_model *model = open_sample(w, &s);
    sample_free(&s);
    return model;
}

static psdvec_model *blobs(workshop *w, uint32_t words)
{
    return blobs_with(w, words, 0);
}

static psdvec_map *map_of(workshop *w, const psdvec_model *model, const psdvec_map_options *options)
{
    psdvec_map *map;
    psdvec_status status = psdvec_map_make(w->ctx, options, model, NULL, 0, &map);
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(w->ctx));
    return map;
}

static void the_gradient_is_that_of_the_loss(void **state)
{
    workshop *w = *state;
    enum { N = 60 };
    psdvec_model *model = blobs(w, N);
    uint32_t words[N], own[PV_MAP_KINDS];
    pv_map_rows rows;
    pv_map_neighbours neighbours;
    pv_map_pairs pairs;
    float points[2 * N];
    for (uint32_t k = 0; k < N; k++)
        words[k] = k;
    for (uint32_t k = 0; k < 2 * N; k++)
        points[k] = (float)(3 * pv_random_normal(3, 0, k));
    pv_map_pair_counts(N, 0, 0.5, 2, own);
    assert_int_equal(own[PV_MAP_NEAR], 10);
    assert_int_equal(own[PV_MAP_MID_NEAR], 5);
    assert_int_equal(own[PV_MAP_FURTHER], 20);
    assert_int_equal(pv_map_rows_make(w->ctx, model, words, N, 100, &rows), PSDVEC_OK);
    assert_int_equal(
        pv_map_neighbours_find(w->ctx, &rows, pv_map_candidates(N, own[0]), true, &neighbours),
        PSDVEC_OK);
    assert_int_equal(pv_map_pairs_make(w->ctx, &rows, &neighbours, own, &pairs), PSDVEC_OK);
    pv_map_descent settings = {.iterations = 450, .rate = 1};
    static const uint32_t moments[] = {0, 50, 150, 300};
    for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        pv_map_weights weights = pv_map_weights_at(&settings, moments[m]);
        for (uint32_t k = 0; k < 2 * N; k += 7) {
            const float step = 1e-2F;
            float before = points[k], gradient[2];
            pv_map_gradient(pv_map_forces_best(), &pairs, points, &weights, k / 2, gradient);
            points[k] = before + step;
            double above = pv_map_loss(&pairs, points, &weights), high = (double)points[k];
            points[k] = before - step;
            double below = pv_map_loss(&pairs, points, &weights), low = (double)points[k];
            points[k] = before;
            double expected = (above - below) / (high - low);
            assert_true(fabs((double)gradient[k % 2] - expected) < 1e-3 * (1 + fabs(expected)));
        }
    }
    pv_map_pairs_free(&pairs);
    pv_map_neighbours_free(&neighbours);
    pv_map_rows_free(&rows);
    psdvec_model_close(model);
}

static void all_kernels_of_forces_give_the_same_bits(void **state)
{
    enum { N = 50, MOST = 64 };
    static const pv_map_force forces[] = {
        {20, 10, false}, {100, 10, true}, {20000, 10000, false}, {-2, 1, false}};
    float points[2 * N];
    uint32_t list[MOST];
    (void)state;
    for (uint32_t k = 0; k < 2 * N; k++)
        points[k] = (float)(30 * pv_random_normal(4, 0, k));
    for (uint32_t k = 0; k < MOST; k++)
        list[k] = (uint32_t)(pv_random_u64(4, 1, k) % N);
    for (size_t f = 0; f < sizeof forces / sizeof *forces; f++)
        for (uint32_t i = 0; i < N; i++)
            for (uint64_t count = 0; count <= MOST; count += PV_MAP_LANES) {
                float plain[2] = {1, 2}, best[2] = {1, 2};
                pv_map_forces_plain(list, count, points, i, &forces[f], plain);
                pv_map_forces_best()(list, count, points, i, &forces[f], best);
                assert_memory_equal(plain, best, sizeof plain);
            }
}

static void weights_change_in_three_phases(void **state)
{
    (void)state;
    pv_map_descent settings = {.iterations = 450, .local = true};
    static const struct {
        uint32_t iteration;
        float near, mid_near;
        bool local;
    } expected[] = {{0, 2, 1000, false}, {50, 2, 501.5F, false}, {100, 3, 3, false},
                    {199, 3, 3, false},  {200, 1, 0, true},      {449, 1, 0, true}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        pv_map_weights weights = pv_map_weights_at(&settings, expected[k].iteration);
        assert_true(weights.near == expected[k].near && weights.mid_near == expected[k].mid_near &&
                    weights.further == 1 && weights.local == expected[k].local);
    }
}

/* With few words all cells are searched, so both ways must find the same. */
static void neighbours_are_those_of_a_plain_search(void **state)
{
    workshop *w = *state;
    enum { N = 1700, MOST = 7 };
    psdvec_model *model = blobs(w, N);
    uint32_t *words = malloc(N * sizeof *words);
    assert_non_null(words);
    for (uint32_t k = 0; k < N; k++)
        words[k] = k;
    pv_map_rows rows;
    assert_int_equal(pv_map_rows_make(w->ctx, model, words, N, 100, &rows), PSDVEC_OK);
    assert_true(fabs(rows.variance - 1) < 1e-6);
    for (int exact = 0; exact < 2; exact++) {
        pv_map_neighbours found;
        assert_int_equal(pv_map_neighbours_find(w->ctx, &rows, MOST, exact, &found), PSDVEC_OK);
        for (uint32_t i = 0; i < N; i += 97)
            for (uint32_t k = 0; k < MOST; k++) {
                double here = pv_map_square(&rows, i, found.list[i * MOST + k]);
                size_t nearer = 0;
                for (uint32_t j = 0; j < N; j++)
                    nearer += j != i && pv_map_square(&rows, i, j) < here;
                assert_int_equal(nearer, k);
                assert_true(fabs(sqrt(here) - (double)found.distance[i * MOST + k]) < 1e-6);
            }
        pv_map_neighbours_free(&found);
    }
    pv_map_rows_free(&rows);
    free(words);
    psdvec_model_close(model);
}

static void maps_have_the_same_bits_for_any_number_of_threads(void **state)
{
    workshop *w = *state;
    enum { N = 700 };
    float first[2 * N];
    for (int local = 0; local < 2; local++)
        for (int threads = 1; threads <= 3; threads++) {
            workshop_context(w, 0, threads);
            psdvec_model *model = blobs(w, N);
            psdvec_map_options options;
            psdvec_map_options_default(&options);
            options.local = local;
            psdvec_map *map = map_of(w, model, &options);
            if (threads == 1)
                memcpy(first, psdvec_map_points(map), sizeof first);
            assert_memory_equal(first, psdvec_map_points(map), sizeof first);
            psdvec_map_free(map);
            psdvec_model_close(model);
        }
}

static void planted_clusters_are_found(void **state)
{
    workshop *w = *state;
    enum { N = 600 };
    psdvec_model *model = blobs(w, N);
    psdvec_map *map = map_of(w, model, NULL);
    const psdvec_map_info *info = psdvec_map_get_info(map);
    const uint32_t *clusters = psdvec_map_clusters(map);
    assert_int_equal(info->words, N);
    assert_int_equal(info->clusters, BLOBS);
    assert_true(info->exact && info->neighbours == 10);
    size_t without = 0;
    for (uint32_t i = 0; i < N; i++) {
        without += clusters[i] == PSDVEC_NO_CLUSTER;
        if (clusters[i] != PSDVEC_NO_CLUSTER && clusters[i % BLOBS] != PSDVEC_NO_CLUSTER)
            assert_int_equal(clusters[i], clusters[i % BLOBS]);
    }
    assert_true(without < N / 20);
    for (uint32_t c = 0; c < BLOBS; c++) {
        size_t count;
        const uint32_t *described = psdvec_map_cluster_words(map, c, &count);
        assert_int_equal(count, PV_MAP_CLUSTER_WORDS);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(clusters[described[k]], c);
    }
    psdvec_map_free(map);
    psdvec_model_close(model);
}

static void frequent_words_of_all_contexts_are_not_labels_of_regions(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs_with(w, 600, BLOBS);
    psdvec_map *map = map_of(w, model, NULL);
    const psdvec_map_label *labels = psdvec_map_labels(map);
    assert_int_equal(psdvec_map_get_info(map)->clusters, BLOBS);
    for (uint32_t k = 0; k < psdvec_map_get_info(map)->labels && labels[k].level == 0; k++)
        assert_true(labels[k].words < 20 || labels[k].place >= BLOBS);
    for (uint32_t c = 0; c < BLOBS; c++) {
        size_t count;
        const uint32_t *described = psdvec_map_cluster_words(map, c, &count);
        for (size_t k = 0; k < 5; k++)
            assert_true(described[k] >= BLOBS);
    }
    psdvec_map_free(map);
    psdvec_model_close(model);
}

/* Two groups of points next to each other, and two far away. Half of the words of a group are those
 * of both neighbours, the other half differ between them. The neighbours are one region at first; when
 * they are two, the label of the second must say how it differs from the first. */
static void labels_of_small_regions_differ_from_their_surroundings(void **state)
{
    workshop *w = *state;
    enum { GROUPS = 4, N = 400, AXES = 3 };
    static const double middle[GROUPS][2] = {{0, 0}, {3, 0}, {40, 30}, {43, 30}};
    static float data[N * AXES];
    psdvec_model *model = blobs(w, N);
    psdvec_map *map;
    assert_int_equal(pv_map_new(w->ctx, model, &map), PSDVEC_OK);
    assert_int_equal(pv_map_take(map, N), PSDVEC_OK);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t group = i % GROUPS;
        float *row = data + (size_t)i * AXES, side = group < 2 ? 1.0f : -1.0f;
        bool shared = i / GROUPS % 2 == 0;
        map->words[i] = i;
        map->clusters[i] = PSDVEC_NO_CLUSTER;
        for (uint32_t axis = 0; axis < 2; axis++)
            map->points[2 * i + axis] =
                (float)(middle[group][axis] + 0.3 * pv_random_normal(9, i, axis));
        row[0] = side * (shared ? 1.0f : 0.8f);
        row[1 + group % 2] = shared ? 0 : 0.55f;
        row[2 - group % 2] = 0;
    }
    map->info.words = N;
    pv_map_rows rows = {.data = data, .count = N, .dim = AXES};
    assert_int_equal(pv_map_find_core(w->ctx, map), PSDVEC_OK);
    assert_int_equal(pv_map_find_labels(w->ctx, map, &rows), PSDVEC_OK);
    const psdvec_map_label *labels = psdvec_map_labels(map);
    size_t wide = 0, narrow = 0;
    for (uint32_t k = 0; k < map->info.labels; k++) {
        bool shared = labels[k].place / GROUPS % 2 == 0;
        if (labels[k].words > N / 3) {
            wide++;
            assert_true(shared);
        } else if (labels[k].words > N / 5) {
            narrow++;
            assert_false(shared);
        }
    }
    assert_int_equal(wide, 2);
    assert_int_equal(narrow, 2);
    psdvec_map_free(map);
    psdvec_model_close(model);
}

static void labels_are_distinct_words_in_the_order_of_levels(void **state)
{
    workshop *w = *state;
    enum { N = 600 };
    psdvec_model *model = blobs(w, N);
    psdvec_map *map = map_of(w, model, NULL);
    const psdvec_map_info *info = psdvec_map_get_info(map);
    const psdvec_map_label *labels = psdvec_map_labels(map);
    bool seen[N] = {false};
    assert_true(info->labels >= BLOBS && info->labels <= N);
    for (uint32_t k = 0; k < info->labels; k++) {
        assert_false(seen[labels[k].place]);
        seen[labels[k].place] = true;
        assert_true(labels[k].level < info->levels);
        assert_true(k == 0 || labels[k].level >= labels[k - 1].level);
        assert_true(labels[k].x == psdvec_map_points(map)[2 * labels[k].place]);
    }
    psdvec_map_free(map);
    psdvec_model_close(model);
}

/* ---- Pictures ---------------------------------------------------------------------------------- */

static void labels_of_pictures_do_not_overlap(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 400);
    psdvec_map *map = map_of(w, model, NULL);
    psdvec_drawing_options options;
    psdvec_drawing_options_default(&options);
    options.labels = 400;
    for (int png = 0; png < 2; png++) {
        pv_drawing d;
        assert_int_equal(
            pv_drawing_make(w->ctx, map, &options, png ? pv_letters_width : pv_map_svg_width, &d),
            PSDVEC_OK);
        assert_true(d.label_count > 50 && d.label_count <= 400);
        for (size_t a = 0; a < d.label_count; a++) {
            const pv_drawn_label *p = &d.labels[a];
            assert_true(p->x >= 0 && p->x + p->width <= d.width);
            assert_true(p->y - 0.8 * p->size >= 0 && p->y <= d.height);
            for (size_t b = 0; b < a; b++) {
                const pv_drawn_label *q = &d.labels[b];
                bool apart = p->x >= q->x + q->width || q->x >= p->x + p->width ||
                             p->y - 0.8 * p->size >= q->y + 0.2 * q->size ||
                             q->y - 0.8 * q->size >= p->y + 0.2 * p->size;
                assert_true(apart);
            }
        }
        pv_drawing_free(&d);
    }
    psdvec_map_free(map);
    psdvec_model_close(model);
}

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Reads the image as its specification says, and returns its colours at two places. */
static void images_are_valid_and_show_points(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 100);
    psdvec_map *map = map_of(w, model, NULL);
    psdvec_drawing_options options;
    psdvec_drawing_options_default(&options);
    options.width = 300;
    options.height = 200;
    options.dark = true;
    pv_drawing d;
    pv_buffer file = {.ctx = w->ctx};
    assert_int_equal(pv_drawing_make(w->ctx, map, &options, pv_letters_width, &d), PSDVEC_OK);
    assert_int_equal(pv_map_png(w->ctx, &d, &file), PSDVEC_OK);
    const unsigned char *p = (const unsigned char *)file.data, *end = p + file.length;
    assert_memory_equal(p, "\x89PNG\r\n\x1a\n", 8);
    size_t chunks = 0, stride = 1 + 3 * 300, background = 0;
    unsigned char *pixels = malloc(200 * stride);
    assert_non_null(pixels);
    for (p += 8; p < end; chunks++) {
        uint32_t length = number_at(p);
        assert_int_equal(number_at(p + 8 + length), (uint32_t)crc32(0, p + 4, 4 + length));
        uLongf size = 200 * stride;
        if (!memcmp(p + 4, "IHDR", 4))
            assert_true(number_at(p + 8) == 300 && number_at(p + 12) == 200);
        if (!memcmp(p + 4, "IDAT", 4))
            assert_int_equal(uncompress(pixels, &size, p + 8, length), Z_OK);
        assert_int_equal(size, 200 * stride);
        p += 12 + length;
    }
    assert_int_equal(chunks, 3);
    for (size_t row = 0; row < 200; row++) {
        assert_int_equal(pixels[row * stride], row ? 2 : 0);
        for (size_t k = 1; row && k < stride; k++)
            pixels[row * stride + k] =
                (unsigned char)(pixels[row * stride + k] + pixels[(row - 1) * stride + k]);
        for (size_t k = 1; k < stride; k += 3)
            background += (uint32_t)(pixels[row * stride + k] << 16 |
                                     pixels[row * stride + k + 1] << 8 |
                                     pixels[row * stride + k + 2]) == d.background;
    }
    assert_true(background > 10000 && background < 200 * 300 - 500);
    free(pixels);
    pv_buffer_free(&file);
    pv_drawing_free(&d);
    psdvec_map_free(map);
    psdvec_model_close(model);
}

/* ---- Unusual input ------------------------------------------------------------------------------ */

static void few_words_have_places(void **state)
{
    workshop *w = *state;
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 10, 37};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        psdvec_model *model = blobs(w, counts[k]);
        psdvec_map *map = map_of(w, model, NULL);
        const float *points = psdvec_map_points(map);
        assert_int_equal(psdvec_map_get_info(map)->words, counts[k]);
        for (uint32_t i = 0; i < 2 * counts[k]; i++)
            assert_true(isfinite(points[i]));
        if (counts[k] > 1)
            assert_true(points[0] != points[2] || points[1] != points[3]);
        assert_int_equal(psdvec_map_draw(w->ctx, map, NULL, w->other), PSDVEC_ERR_OPTION);
        psdvec_drawing_options options;
        psdvec_drawing_options_default(&options);
        for (int format = PSDVEC_MAP_SVG; format <= PSDVEC_MAP_TSV; format++) {
            options.format = (psdvec_map_format)format;
            assert_int_equal(psdvec_map_draw(w->ctx, map, &options, w->other), PSDVEC_OK);
        }
        psdvec_map_free(map);
        psdvec_model_close(model);
    }
}

static void equal_and_zero_vectors_have_finite_places(void **state)
{
    workshop *w = *state;
    enum { N = 50 };
    for (int zero = 0; zero < 2; zero++) {
        sample s;
        sample_make(&s, N, DIM, 5);
        for (uint32_t i = 0; i < N * DIM; i++)
            s.vectors[i] = zero ? 0 : 1;
        psdvec_model *model = open_sample(w, &s);
        psdvec_map *map = map_of(w, model, NULL);
        for (uint32_t i = 0; i < 2 * N; i++)
            assert_true(isfinite(psdvec_map_points(map)[i]));
        psdvec_map_free(map);
        psdvec_model_close(model);
        sample_free(&s);
    }
}

static void some_words_can_be_mapped(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 40);
    const uint32_t words[] = {3, 17, 5, 39}, twice[] = {1, 2, 1}, outside[] = {40};
    psdvec_map *map;
    assert_int_equal(psdvec_map_make(w->ctx, NULL, model, words, 4, &map), PSDVEC_OK);
    assert_memory_equal(psdvec_map_words(map), words, sizeof words);
    psdvec_map_free(map);
    assert_int_equal(psdvec_map_make(w->ctx, NULL, model, twice, 3, &map), PSDVEC_ERR_OPTION);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "`words[2]` is 1"));
    assert_null(map);
    assert_int_equal(psdvec_map_make(w->ctx, NULL, model, outside, 1, &map), PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_map_make(w->ctx, NULL, model, words, 0, &map), PSDVEC_ERR_OPTION);
    psdvec_model_close(model);
}

static void too_little_memory_is_refused_before_the_work(void **state)
{
    workshop *w = *state;
    workshop_context(w, (uint64_t)24 << 20, 1);
    psdvec_model *model = blobs(w, 3000);
    psdvec_map *map;
    assert_int_equal(psdvec_map_make(w->ctx, NULL, model, NULL, 0, &map), PSDVEC_ERR_BUDGET);
    assert_non_null(strstr(psdvec_error_message(w->ctx), "a map of 3000 words needs about"));
    psdvec_model_close(model);
}

static void the_promise_of_memory_is_kept(void **state)
{
    workshop *w = *state;
    for (uint64_t mebibytes = 20; mebibytes <= 140; mebibytes += 10) {
        workshop_context(w, mebibytes << 20, 1);
        psdvec_model *model = blobs(w, 3000);
        psdvec_map_options options;
        psdvec_map *map;
        psdvec_map_options_default(&options);
        options.iterations = 9;
        options.local = true;
        psdvec_status status = psdvec_map_make(w->ctx, &options, model, NULL, 0, &map);
        if (status != PSDVEC_OK) /* refused at the beginning, or not at all */
            assert_non_null(strstr(psdvec_error_message(w->ctx), "words needs about"));
        psdvec_map_free(map);
        psdvec_model_close(model);
    }
}

static void the_memory_that_is_estimated_is_enough(void **state)
{
    workshop *w = *state;
    for (uint32_t words = 500; words <= 8000; words *= 4) {
        uint64_t need, some;
        workshop_context(w, (uint64_t)1 << 30, 1);
        uint64_t before = pv_memory_left(w->ctx);
        psdvec_model *model = blobs(w, words);
        uint64_t opened = before - pv_memory_left(w->ctx);
        psdvec_map_options options;
        psdvec_map *map;
        psdvec_map_options_default(&options);
        options.iterations = 9;
        assert_int_equal(psdvec_map_memory(w->ctx, &options, model, 100, &some), PSDVEC_OK);
        assert_int_equal(psdvec_map_memory(w->ctx, &options, model, 0, &need), PSDVEC_OK);
        assert_true(some < need);
        psdvec_model_close(model);
        workshop_context(w, opened + need, 1);
        model = blobs(w, words);
        map = map_of(w, model, &options);
        psdvec_map_free(map);
        psdvec_model_close(model);
    }
}

/* Writes a file of the test's folder; the caller frees its path. */
static char *table_file(workshop *w, const char *text)
{
    char *path = scratch_path(w->folder, "table.tsv");
    scratch_write(path, text, strlen(text));
    return path;
}

static void a_table_is_read_back_as_the_same_map(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 400);
    psdvec_map *map = map_of(w, model, NULL), *again;
    char *path = scratch_path(w->folder, "map.tsv");
    assert_int_equal(psdvec_map_draw(w->ctx, map, NULL, path), PSDVEC_OK);
    assert_int_equal(psdvec_map_open(w->ctx, model, path, &again), PSDVEC_OK);
    const psdvec_map_info *a = psdvec_map_get_info(map), *b = psdvec_map_get_info(again);
    assert_int_equal(a->words, b->words);
    assert_int_equal(a->clusters, b->clusters);
    assert_int_equal(a->labels, b->labels);
    assert_int_equal(a->levels, b->levels);
    assert_memory_equal(psdvec_map_words(map), psdvec_map_words(again), 400 * sizeof(uint32_t));
    assert_memory_equal(psdvec_map_points(map), psdvec_map_points(again), 800 * sizeof(float));
    assert_memory_equal(psdvec_map_clusters(map), psdvec_map_clusters(again),
                        400 * sizeof(uint32_t));
    assert_memory_equal(psdvec_map_labels(map), psdvec_map_labels(again),
                        a->labels * sizeof(psdvec_map_label));
    assert_memory_equal(map->core, again->core, sizeof map->core);
    psdvec_map_free(again);
    psdvec_map_free(map);
    psdvec_model_close(model);
    free(path);
}

static void places_of_other_programs_get_clusters_and_labels(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 400);
    psdvec_map *map = map_of(w, model, NULL), *again;
    char *path = scratch_path(w->folder, "places.tsv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("y\tnote\tword\tx\r\n", file);
    for (uint32_t k = 400; k-- > 0;) { /* in any order */
        size_t length;
        const char *word = psdvec_model_word(model, k, &length);
        fprintf(file, "%.9g\t?\t%.*s\t%.9g\r\n", (double)map->points[2 * k + 1], (int)length, word,
                (double)map->points[2 * k]);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(psdvec_map_open(w->ctx, model, path, &again), PSDVEC_OK);
    assert_memory_equal(psdvec_map_points(map), psdvec_map_points(again), 800 * sizeof(float));
    assert_memory_equal(psdvec_map_clusters(map), psdvec_map_clusters(again),
                        400 * sizeof(uint32_t));
    assert_int_equal(map->info.labels, again->info.labels);
    psdvec_map_free(again);
    psdvec_map_free(map);
    psdvec_model_close(model);
    free(path);
}

static void bad_tables_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text;
        psdvec_status status;
        const char *message;
    } cases[] = {
        {"", PSDVEC_ERR_FORMAT, "has no column 'word'"},
        {"word\tx\n", PSDVEC_ERR_FORMAT, "has no column 'y'"},
        {"word\tx\ty\n", PSDVEC_ERR_MISMATCH, "has no word of the model"},
        {"word\tx\ty\nnosuch\t1\t2\n", PSDVEC_ERR_MISMATCH, "has no word of the model"},
        {"word\tx\ty\nw0\t1\n", PSDVEC_ERR_FORMAT, "line 2: has 2 fields"},
        {"word\tx\ty\nw0\t1\tnan\n", PSDVEC_ERR_FORMAT, "line 2: the y is 'nan'"},
        {"word\tx\ty\nw0\t1\t2 \n", PSDVEC_ERR_FORMAT, "line 2: the y is '2 '"},
        {"word\tx\ty\n\nw0\t1e99\t2\n", PSDVEC_ERR_FORMAT, "line 3: the x is '1e99'"},
        {"word\tx\ty\nw0\t1\t2\nw0\t1\t2\n", PSDVEC_ERR_FORMAT, "'w0' is there twice"},
        {"word\tx\ty\tcluster\nw0\t1\t2\t9\n", PSDVEC_ERR_FORMAT, "the cluster is '9'"},
        {"word\tx\ty\tcluster\tlevel\tregion\nw0\t1\t2\t\t6\t1\n", PSDVEC_ERR_FORMAT,
         "the level is '6', not an integer below 6"},
        {"word\tx\ty\tcluster\tlevel\tregion\nw0\t1\t2\t-1\t0\t99999999999\n", PSDVEC_ERR_FORMAT,
         "the region is"},
    };
    workshop *w = *state;
    psdvec_model *model = blobs(w, 20);
    psdvec_map *map;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *path = table_file(w, cases[k].text);
        assert_int_equal(psdvec_map_open(w->ctx, model, path, &map), cases[k].status);
        assert_null(map);
        if (!strstr(psdvec_error_message(w->ctx), cases[k].message))
            fail_msg("'%s' instead of '%s'", psdvec_error_message(w->ctx), cases[k].message);
        free(path);
    }
    char *path = table_file(w, "word\tx\ty\tcluster\nnosuch\t1\t2\t0\nw1\t1\t2\t1\nw0\t-3\t4\t-1");
    assert_int_equal(psdvec_map_open(w->ctx, model, path, &map), PSDVEC_OK);
    assert_int_equal(psdvec_map_get_info(map)->words, 2);
    assert_int_equal(psdvec_map_words(map)[0], 0);
    assert_int_equal(psdvec_map_clusters(map)[0], PSDVEC_NO_CLUSTER);
    assert_int_equal(psdvec_map_get_info(map)->clusters, 2);
    psdvec_map_free(map);
    free(path);
    psdvec_model_close(model);
}

static void a_map_can_be_cancelled(void **state)
{
    workshop *w = *state;
    psdvec_model *model = blobs(w, 1000);
    for (int polls = 0; polls < 300; polls += 37) {
        psdvec_map *map;
        atomic_store(&w->polls_left, polls);
        assert_int_equal(psdvec_map_make(w->ctx, NULL, model, NULL, 0, &map), PSDVEC_ERR_CANCELLED);
        assert_null(map);
    }
    atomic_store(&w->polls_left, -1);
    psdvec_model_close(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
        TEST(the_gradient_is_that_of_the_loss),
        TEST(all_kernels_of_forces_give_the_same_bits),
        TEST(weights_change_in_three_phases),
        TEST(neighbours_are_those_of_a_plain_search),
        TEST(maps_have_the_same_bits_for_any_number_of_threads),
        TEST(planted_clusters_are_found),
        TEST(frequent_words_of_all_contexts_are_not_labels_of_regions),
        TEST(labels_of_small_regions_differ_from_their_surroundings),
        TEST(labels_are_distinct_words_in_the_order_of_levels),
        TEST(labels_of_pictures_do_not_overlap),
        TEST(images_are_valid_and_show_points),
        TEST(few_words_have_places),
        TEST(equal_and_zero_vectors_have_finite_places),
        TEST(some_words_can_be_mapped),
        TEST(too_little_memory_is_refused_before_the_work),
        TEST(the_promise_of_memory_is_kept),
        TEST(the_memory_that_is_estimated_is_enough),
        TEST(a_table_is_read_back_as_the_same_map),
        TEST(places_of_other_programs_get_clusters_and_labels),
        TEST(bad_tables_are_refused_with_their_line),
        TEST(a_map_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
