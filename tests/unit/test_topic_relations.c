/* How topics relate: distances, the map, the hierarchy and its groups, nearest words and the
 * description, against plain computations. */
#include "base/random.h"
#include "support/topic_text.h"
#include "topic/relations.h"
#include "topic/shares.h"
#include "util/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 333, DIM = 5, TOPICS = 7, DOCUMENTS = 45 };

/* A topics file made by hand. Topics 2 and 5 are nearly the same. */
typedef struct bench {
    topic_files files;
    float vectors[WORDS][DIM];
    double base[WORDS], shares[TOPICS];
    float p[TOPICS][WORDS], topic_vectors[TOPICS][DIM];
    psdvec_topics *topics;
} bench;

static void well(bench *b, psdvec_status status)
{
    if (status != PSDVEC_OK)
        fail_msg("%s", psdvec_error_message(b->files.ctx));
}

static char *model_json(bench *b)
{
    static char text[200];
    psdvec_model *model;
    pv_st_file *file;
    well(b, psdvec_model_open(b->files.ctx, b->files.model, &model));
    psdvec_model_close(model);
    well(b, pv_st_open(b->files.ctx, b->files.model, &file));
    snprintf(text, sizeof text, "{\"name\": \"model\", \"xxh3\": \"%s\"}",
             pv_st_meta(file, "xxh3.metadata"));
    pv_st_close(file);
    return text;
}

static void fill(bench *b)
{
    zipf(b->base, WORDS, 5);
    for (int w = 0; w < WORDS; w++)
        for (int d = 0; d < DIM; d++)
            b->vectors[w][d] = (float)pv_random_normal(1, 1, (uint64_t)(w * DIM + d));
    for (int k = 0; k < TOPICS; k++) {
        int like = k == 5 ? 2 : k;
        double topic[DIM], p[WORDS];
        b->shares[k] = (TOPICS - k) * 2. / (TOPICS * (TOPICS + 1));
        for (int d = 0; d < DIM; d++) {
            topic[d] = pv_random_normal(2, 2, (uint64_t)(like * DIM + d)) + (k == 5 ? 0.03 : 0);
            b->topic_vectors[k][d] = (float)topic[d];
        }
        topic_distribution(WORDS, DIM, &b->vectors[0][0], b->base, topic, p);
        for (int w = 0; w < WORDS; w++)
            b->p[k][w] = (float)p[w];
    }
    b->p[0][7] = 0; /* a word that a topic excludes */
}

static void write_topics(bench *b)
{
    static const double history[] = {-10, -9};
    char bytes[WORDS * 4 + 1], names[DOCUMENTS * 16];
    uint64_t offsets[WORDS + 1], name_offsets[2 * DOCUMENTS + 1], lengths[DOCUMENTS];
    float mixtures[DOCUMENTS][TOPICS];
    double alpha[TOPICS];
    size_t at = 0;
    for (uint32_t w = 0; w <= WORDS; w++)
        offsets[w] = 4 * w;
    for (uint32_t w = 0; w < WORDS; w++)
        topic_word(w, bytes + 4 * w);
    write_topic_model(b->files.ctx, b->files.model, WORDS, DIM, &b->vectors[0][0], b->base);
    for (uint32_t k = 0; k < TOPICS; k++)
        alpha[k] = 0.1;
    for (uint32_t i = 0; i < DOCUMENTS; i++) {
        double sum = 0;
        lengths[i] = i ? 10 + i : 0;
        for (uint32_t k = 0; k < TOPICS; k++)
            sum += (double)(mixtures[i][k] = (float)pv_random_unit(3, 3, i * TOPICS + k));
        for (uint32_t k = 0; k < TOPICS; k++)
            mixtures[i][k] = (float)((double)mixtures[i][k] / sum);
        name_offsets[2 * i] = at;
        at += (size_t)sprintf(names + at, "f%u", (unsigned)i) + 1;
        name_offsets[2 * i + 1] = at;
        at += (size_t)sprintf(names + at, "text %u", (unsigned)i) + 1;
    }
    name_offsets[2 * DOCUMENTS] = at;
    pv_topics_data topics = {.info = {.topics = TOPICS,
                                      .words = WORDS,
                                      .dim = DIM,
                                      .documents = DOCUMENTS,
                                      .known_tokens = 1000,
                                      .iterations = 2,
                                      .bound = -9,
                                      .settings_json = "{\"text\": {}}",
                                      .model_json = model_json(b)},
                             .bytes = bytes,
                             .offsets = offsets,
                             .base = b->base,
                             .vectors = &b->topic_vectors[0][0],
                             .probabilities = &b->p[0][0],
                             .shares = b->shares,
                             .alpha = alpha,
                             .mixtures = &mixtures[0][0],
                             .names = names,
                             .name_offsets = name_offsets,
                             .lengths = lengths,
                             .history = history};
    well(b, pv_topics_write(b->files.ctx, b->files.topics, &topics));
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    topic_files_make(&b->files, NULL);
    fill(b);
    write_topics(b);
    well(b, psdvec_topics_open(b->files.ctx, b->files.topics, &b->topics));
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    psdvec_topics_close(b->topics);
    int status = topic_files_remove(&b->files);
    free(b);
    return status;
}

/* ---- Distances and the map ------------------------------------------------------------------- */

static void test_distances_are_hellinger_distances(void **state)
{
    bench *b = *state;
    float distances[TOPICS][TOPICS];
    well(b, psdvec_topics_distances(b->files.ctx, b->topics, &distances[0][0]));
    for (int i = 0; i < TOPICS; i++)
        for (int j = 0; j < TOPICS; j++) {
            double sum = 0;
            for (int w = 0; w < WORDS; w++)
                sum += pow(sqrt((double)b->p[i][w]) - sqrt((double)b->p[j][w]), 2);
            close_to((double)distances[i][j], sqrt(sum / 2), 2e-6);
        }
    assert_true(distances[2][5] < 0.1f && distances[2][5] > 0);
}

static void test_the_map_keeps_distances_that_fit_a_plane(void **state)
{
    bench *b = *state;
    enum { N = 6 };
    double corners[N][2] = {{0, 0}, {0.3, 0}, {0.3, 0.2}, {0, 0.2}, {0.1, 0.15}, {0.25, 0.05}};
    float distances[N][N];
    double places[N][2], sum[2] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            distances[i][j] =
                (float)hypot(corners[i][0] - corners[j][0], corners[i][1] - corners[j][1]);
    well(b, pv_topics_map(b->files.ctx, N, &distances[0][0], &places[0][0]));
    for (int i = 0; i < N; i++) {
        sum[0] += places[i][0];
        sum[1] += places[i][1];
        for (int j = 0; j < N; j++)
            close_to(hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]),
                     (double)distances[i][j], 1e-6);
    }
    close_to(sum[0], 0, 1e-9);
    close_to(sum[1], 0, 1e-9);
    float two[4] = {0, 0.5f, 0.5f, 0};
    well(b, pv_topics_map(b->files.ctx, 2, two, &places[0][0]));
    close_to(fabs(places[0][0] - places[1][0]), 0.5, 1e-6);
    close_to(places[0][1], 0, 1e-12);
    float one = 0;
    well(b, pv_topics_map(b->files.ctx, 1, &one, &places[0][0]));
    close_to(places[0][0], 0, 1e-12);
}

/* ---- The hierarchy --------------------------------------------------------------------------- */

static void test_sums_of_entropies(void **state)
{
    (void)state;
    enum { N = 16 * 40 };
    float a[N], c[N];
    double sum = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i % 7 == 0 ? 0 : (float)exp(-40 * pv_random_unit(4, 4, (uint64_t)i));
        c[i] = i % 5 == 0 ? 0 : (float)exp(-3 * pv_random_unit(4, 5, (uint64_t)i));
        double x = (double)(a[i] + c[i]);
        sum += x > 0 ? x * log2(x) : 0;
    }
    close_to(pv_entropy_sum(a, c, N) / sum, 1, 1e-6);
}

static double loss_of(const double *a, const double *c)
{
    double masses[2] = {0}, loss = 0;
    for (int w = 0; w < WORDS; w++) {
        masses[0] += a[w];
        masses[1] += c[w];
    }
    for (int w = 0; w < WORDS; w++) {
        double mean = (a[w] + c[w]) / (masses[0] + masses[1]);
        loss += a[w] > 0 ? a[w] * log2(a[w] / masses[0] / mean) : 0;
        loss += c[w] > 0 ? c[w] * log2(c[w] / masses[1] / mean) : 0;
    }
    return loss;
}

static void test_the_tree_merges_what_loses_least(void **state)
{
    bench *b = *state;
    static double joint[2 * TOPICS][WORDS];
    bool there[2 * TOPICS] = {0};
    psdvec_topic_merge merges[TOPICS - 1];
    double information = 0, lost = 0, height = 0, total = 0;
    well(b, psdvec_topics_tree(b->files.ctx, b->topics, merges));
    for (int k = 0; k < TOPICS; k++) {
        there[k] = true;
        for (int w = 0; w < WORDS; w++)
            joint[k][w] = b->shares[k] * (double)b->p[k][w];
    }
    assert_int_equal(merges[0].first, 2);
    assert_int_equal(merges[0].second, 5);
    for (int step = 0; step < TOPICS - 1; step++) {
        int best[2] = {0};
        double least = INFINITY;
        for (int i = 0; i < TOPICS + step; i++)
            for (int j = i + 1; there[i] && j < TOPICS + step; j++)
                if (there[j] && loss_of(joint[i], joint[j]) < least) {
                    least = loss_of(joint[i], joint[j]);
                    best[0] = i;
                    best[1] = j;
                }
        assert_int_equal(merges[step].first, best[0]);
        assert_int_equal(merges[step].second, best[1]);
        height = least > height ? least : height;
        close_to(merges[step].height, height, 1e-6);
        lost += least;
        there[best[0]] = there[best[1]] = false;
        there[TOPICS + step] = true;
        for (int w = 0; w < WORDS; w++)
            joint[TOPICS + step][w] = joint[best[0]][w] + joint[best[1]][w];
    }
    assert_int_equal(merges[TOPICS - 2].topics, TOPICS);
    for (int w = 0; w < WORDS; w++)
        total += joint[2 * TOPICS - 2][w];
    /* All losses together are the mutual information of topics and words. */
    for (int k = 0; k < TOPICS; k++) {
        double mass = 0;
        for (int w = 0; w < WORDS; w++)
            mass += joint[k][w];
        for (int w = 0; w < WORDS; w++)
            if (joint[k][w] > 0)
                information += joint[k][w] *
                               log2(joint[k][w] / mass / joint[2 * TOPICS - 2][w] * total);
    }
    close_to(lost, information, 1e-5);
}

static void test_groups_cut_the_tree(void **state)
{
    bench *b = *state;
    psdvec_topic_merge merges[TOPICS - 1];
    uint32_t group[TOPICS];
    well(b, psdvec_topics_tree(b->files.ctx, b->topics, merges));
    for (uint32_t groups = 1; groups <= TOPICS; groups++) {
        double share[TOPICS] = {0};
        well(b, psdvec_topics_groups(b->files.ctx, b->topics, merges, groups, group));
        for (int k = 0; k < TOPICS; k++) {
            assert_true(group[k] < groups);
            share[group[k]] += b->shares[k];
        }
        for (uint32_t i = 0; i < groups; i++) {
            assert_true(share[i] > 0);
            assert_true(i == 0 || share[i] <= share[i - 1]);
        }
        assert_true(groups == TOPICS || group[2] == group[5]);
    }
    assert_int_equal(psdvec_topics_groups(b->files.ctx, b->topics, merges, 0, group),
                     PSDVEC_ERR_OPTION);
    assert_int_equal(psdvec_topics_groups(b->files.ctx, b->topics, merges, TOPICS + 1, group),
                     PSDVEC_ERR_OPTION);
    merges[0].first = 100;
    assert_int_equal(psdvec_topics_groups(b->files.ctx, b->topics, merges, 2, group),
                     PSDVEC_ERR_OPTION);
}

static void test_words_of_a_group_are_those_of_the_mixture(void **state)
{
    bench *b = *state;
    uint32_t members[] = {1, 4};
    psdvec_topic_word words[5];
    size_t found;
    well(b, psdvec_topics_group_words(b->files.ctx, b->topics, members, 2, 5, words, &found));
    assert_int_equal(found, 5);
    for (size_t i = 0; i < found; i++) {
        uint32_t w = words[i].word;
        double p = (b->shares[1] * (double)b->p[1][w] + b->shares[4] * (double)b->p[4][w]) /
                   (b->shares[1] + b->shares[4]);
        close_to(words[i].probability / p, 1, 1e-6);
        close_to(words[i].lift, p / b->base[w], 1e-5 * words[i].lift);
    }
    members[1] = TOPICS;
    assert_int_equal(
        psdvec_topics_group_words(b->files.ctx, b->topics, members, 2, 5, words, &found),
        PSDVEC_ERR_OPTION);
}

/* The words of a topic by their definition, with few and with many words of text. */
static void test_words_of_a_topic_have_the_largest_scores(void **state)
{
    enum { MOST = 8 };
    static const uint64_t tokens[] = {1000, 100000000};
    bench *b = *state;
    for (int i = 0; i < 2; i++) {
        b->topics->info.known_tokens = tokens[i];
        double rare = i == 0 ? 1e-4 : 40.0 / 100000000;
        for (uint32_t k = 0; k < TOPICS; k++) {
            psdvec_topic_word words[MOST];
            double score[WORDS];
            size_t found;
            for (int w = 0; w < WORDS; w++) {
                double p = (double)b->p[k][w];
                score[w] = p > b->base[w] ? 0.25 * log(p) + 0.75 * log(p / (b->base[w] + rare))
                                          : -INFINITY;
            }
            well(b, psdvec_topics_words(b->files.ctx, b->topics, k, MOST, words, &found));
            assert_int_equal(found, MOST);
            for (size_t r = 0; r < MOST; r++) {
                int better = 0;
                for (int w = 0; w < WORDS; w++)
                    better += score[w] > score[words[r].word] + 1e-9;
                assert_int_equal(better, r);
            }
        }
    }
}

/* ---- Nearest words, and the description ------------------------------------------------------ */

static void test_nearest_words_are_found_by_cosine(void **state)
{
    bench *b = *state;
    psdvec_topic_neighbour near[TOPICS][3];
    size_t found[TOPICS];
    psdvec_model *model;
    well(b, psdvec_model_open(b->files.ctx, b->files.model, &model));
    well(b, psdvec_topics_nearest(b->files.ctx, b->topics, model, 3, &near[0][0], found));
    psdvec_model_close(model);
    for (int k = 0; k < TOPICS; k++) {
        double best = 0;
        uint32_t word = 0;
        for (uint32_t w = 0; w < WORDS; w++) {
            double product = 0, one = 0, two = 0;
            for (int d = 0; d < DIM; d++) {
                double x = (double)b->vectors[w][d], y = (double)b->topic_vectors[k][d];
                product += x * y;
                one += x * x;
                two += y * y;
            }
            if (product / sqrt(one * two) > best) {
                best = product / sqrt(one * two);
                word = w;
            }
        }
        assert_int_equal(found[k], 3);
        assert_int_equal(near[k][0].word, word);
        close_to(near[k][0].similarity, best, 1e-9);
        assert_true(near[k][1].similarity >= near[k][2].similarity);
    }
}

static void test_another_model_is_refused(void **state)
{
    bench *b = *state;
    psdvec_topic_neighbour near[TOPICS];
    size_t found[TOPICS];
    psdvec_model *model;
    b->vectors[0][0] += 1;
    write_topics(b); /* the model differs from that of the file that is open */
    well(b, psdvec_model_open(b->files.ctx, b->files.model, &model));
    assert_int_equal(psdvec_topics_nearest(b->files.ctx, b->topics, model, 1, near, found),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(b->files.ctx), "its checksum differs"));
    psdvec_model_close(model);
}

static void keep(void *user, const char *json, size_t length)
{
    char **text = user;
    assert_null(*text);
    *text = malloc(length + 1);
    assert_non_null(*text);
    memcpy(*text, json, length);
    (*text)[length] = '\0';
}

static void test_the_description_is_json(void **state)
{
    bench *b = *state;
    char *text = NULL;
    psdvec_model *model;
    well(b, psdvec_model_open(b->files.ctx, b->files.model, &model));
    well(b, psdvec_topics_describe(b->files.ctx, b->topics, model, 4, 3, keep, &text));
    psdvec_model_close(model);
    assert_non_null(text);
    assert_true(pv_json_is(text, PV_JSON_OBJECT));
    assert_non_null(strstr(text, "\"empty\":1,"));
    assert_non_null(strstr(text, "\"merges\":[[2,5,"));
    assert_non_null(strstr(text, "\"history\":[-10,-9]"));
    assert_non_null(strstr(text, "\"similarity\""));
    assert_non_null(strstr(text, "\"times\":null,\"labels\":null,\"index\":[[\"aaaa\","));
    assert_non_null(strstr(text, "\"beginning\":\"text "));
    free(text);
    text = NULL;
    well(b, psdvec_topics_describe(b->files.ctx, b->topics, NULL, 4, 0, keep, &text));
    assert_non_null(strstr(text, "\"nearest\":null"));
    assert_null(strstr(text, "\"beginning\""));
    free(text);
    text = NULL;
    assert_int_equal(psdvec_topics_describe(b->files.ctx, b->topics, NULL, 4, 2000, keep, &text),
                     PSDVEC_ERR_OPTION);
    assert_null(text);
}

/* ---- Shares over time and by label ----------------------------------------------------------- */

static const char *only_years(const psdvec_topics *topics, uint64_t document)
{
    static const char *const dates[] = {"1790",       "1791-05", "bad",    NULL,
                                        "2020-12-31", "17",      "1850-13"};
    (void)topics;
    return dates[document % 7];
}
static const char *months(const psdvec_topics *topics, uint64_t document)
{
    (void)topics;
    return document % 2 ? "1999-12" : "2000-02-29T10:00";
}
static const char *days(const psdvec_topics *topics, uint64_t document)
{
    (void)topics;
    return document % 2 ? "2000-03-01" : "2000-02-28";
}
static const char *nothing(const psdvec_topics *topics, uint64_t document)
{
    (void)topics;
    (void)document;
    return NULL;
}
static const char *labels(const psdvec_topics *topics, uint64_t document)
{
    (void)topics;
    return document % 4 == 0 ? NULL : document % 4 == 1 ? "rare" : "often";
}
static const char *own_labels(const psdvec_topics *topics, uint64_t document)
{
    return psdvec_topics_source(topics, document);
}

typedef psdvec_status put_fn(psdvec_context *ctx, const psdvec_topics *topics,
                             pv_document_text_fn *get, pv_json_writer *json);

/* The JSON must be freed. */
static char *put(bench *b, put_fn *fn, pv_document_text_fn *get)
{
    pv_buffer buffer = {.ctx = b->files.ctx};
    pv_json_writer json;
    pv_json_writer_init(&json, &buffer);
    pv_json_open_object(&json, NULL);
    well(b, fn(b->files.ctx, b->topics, get, &json));
    pv_json_close(&json);
    well(b, pv_json_writer_status(&json));
    char *text = NULL;
    keep(&text, buffer.data, buffer.length);
    pv_buffer_free(&buffer);
    assert_true(pv_json_is(text, PV_JSON_OBJECT));
    return text;
}

static void expect(char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s does not contain %s", text, part);
    free(text);
}

static void test_periods_are_years_months_or_days(void **state)
{
    bench *b = *state;
    expect(put(b, pv_topics_put_times, nothing), "{\"times\":null}");
    expect(put(b, pv_topics_put_times, only_years),
           "\"unit\":\"5 years\",\"periods\":[\"1790–1794\",\"1795–1799\",");
    expect(put(b, pv_topics_put_times, only_years), ",\"2020–2024\"]");
    expect(put(b, pv_topics_put_times, months),
           "\"unit\":\"month\",\"periods\":[\"1999-12\",\"2000-01\",\"2000-02\"]");
    expect(put(b, pv_topics_put_times, days),
           "\"periods\":[\"2000-02-28\",\"2000-02-29\",\"2000-03-01\"]");
}

static void test_shares_of_labels_are_weighted_by_words(void **state)
{
    bench *b = *state;
    double words = 0, sum = 0;
    char part[100];
    for (uint64_t i = 0; i < DOCUMENTS; i++)
        if (i % 4 > 1) {
            words += (double)(10 + i);
            sum += (double)(10 + i) * (double)psdvec_topics_mixture(b->topics, i)[0];
        }
    expect(put(b, pv_topics_put_labels, labels), "\"names\":[\"often\",\"rare\"],\"more\":0");
    snprintf(part, sizeof part, "\"words\":[%.0f,", words);
    expect(put(b, pv_topics_put_labels, labels), part);
    snprintf(part, sizeof part, "\"shares\":[[%.3g,", sum / words);
    expect(put(b, pv_topics_put_labels, labels), part);
    expect(put(b, pv_topics_put_labels, nothing), "{\"labels\":null}");
    /* Document 0 has no known words. */
    expect(put(b, pv_topics_put_labels, own_labels), "\"names\":[\"f44\",\"f43\"");
    expect(put(b, pv_topics_put_labels, own_labels), "\"more\":4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_distances_are_hellinger_distances, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_map_keeps_distances_that_fit_a_plane, set_up,
                                        tear_down),
        cmocka_unit_test(test_sums_of_entropies),
        cmocka_unit_test_setup_teardown(test_the_tree_merges_what_loses_least, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_groups_cut_the_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words_of_a_topic_have_the_largest_scores, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_words_of_a_group_are_those_of_the_mixture, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nearest_words_are_found_by_cosine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_model_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_description_is_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_periods_are_years_months_or_days, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shares_of_labels_are_weighted_by_words, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("topic relations", tests, NULL, NULL);
}
