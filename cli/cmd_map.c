/* psdvec map: a map of the words of a model, as a picture, a page or a table. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "page.h"
#include "phrase.h"
#include "summary.h"
#include "util/json.h"
#include "word_files.h"

#include <stdlib.h>
#include <string.h>

static const psdvec_option options[] = {
    FILE_OPTION("words", .group = "Words",
                .help = "map only the words of FILE, one per line; - is standard input"),
    TEXT_OPTION("around", "WORD", .group = "Words",
                .help = "map only a word and its nearest neighbours"),
    WHOLE_OPTION("nearest", "N", 3, 1000000, .fallback = "300", .group = "Words",
                 .help = "number of neighbours with --around"),
    {0}};

enum { SHOWN_CLUSTERS = 6, SHOWN_WORDS = 6, UNKNOWN_SHOWN = 3 };

struct mapping {
    struct run *run;
    psdvec_model *model;
    const psdvec_model_info *info;
    uint32_t *words; /* NULL: all */
    size_t count;
    psdvec_map *map;
};

/* ---- Words ------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* In the order of the model, each once. */
static void sort_words(struct mapping *m)
{
    size_t kept = 0;
    qsort(m->words, m->count, sizeof *m->words, by_number);
    for (size_t k = 0; k < m->count; k++)
        if (k == 0 || m->words[k] != m->words[kept - 1])
            m->words[kept++] = m->words[k];
    m->count = kept;
}

/* The words of a file; those that the model does not have are reported and left out. */
static int read_words(struct mapping *m, const char *path)
{
    size_t length, unknown = 0, capacity = 0;
    struct buffer missing = {0}, token = {0};
    if (!strcmp(path, "-"))
        run_announce_terminal(m->run);
    char *text = run_read(m->run, "the list of words ", path, &length);
    if (!text)
        return m->run->refusal;
    lasting(text, free);
    for (const char *at = text; *at; at++)
        capacity += *at == '\n';
    m->words = lasting_alloc(capacity + 1, sizeof *m->words);
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (!*line)
            continue;
        if (model_file_find_word(m->run, m->model, line, &m->words[m->count], &token))
            m->count++;
        else if (unknown++ < UNKNOWN_SHOWN)
            buffer_format(&missing, "%s'%s'", unknown > 1 ? ", " : "",
                          phrase_safe(line, strlen(line)));
        buffer_clear(&token);
    }
    buffer_free(&token);
    if (unknown)
        talk_warning(
            &m->run->talk,
            phrase("%s: %s not in the model: %s%s", path,
                   unknown == 1 ? "1 word is" : phrase("%s words are", phrase_count(unknown)),
                   missing.text, unknown > UNKNOWN_SHOWN ? ", ..." : ""));
    buffer_free(&missing);
    if (!m->count)
        return run_error(m->run, EXIT_USE, "%s: has no word of the model", path);
    sort_words(m);
    return EXIT_FINE;
}

/* A word and its neighbours. */
static int take_neighbours(struct mapping *m, const char *word)
{
    uint64_t wanted = argument_integer(m->run->arguments, "nearest");
    const psdvec_map_options *map = options_take(m->run, PSDVEC_OPTIONS_MAP);
    size_t most = wanted < m->info->words ? (size_t)wanted : m->info->words - 1, found;
    uint32_t centre;
    if (!map)
        return m->run->refusal;
    int code = model_file_find(m->run, m->model, word, &centre);
    if (!code)
        code = model_file_fits(m->run, m->model, 1);
    if (code)
        return code;
    float *vector = lasting_alloc(m->info->dim, sizeof *vector);
    psdvec_neighbour *near = lasting_alloc(most + 1, sizeof *near);
    psdvec_query_options query;
    psdvec_query_options_default(&query);
    query.except = &centre;
    query.except_count = 1;
    query.restrict_words = map->restrict_words;
    psdvec_model_copy(m->model, centre, vector);
    psdvec_status status =
        psdvec_model_similar(m->run->ctx, m->model, vector, &query, most, near, &found);
    if (status != PSDVEC_OK)
        return run_failed(m->run, status);
    m->words = lasting_alloc(found + 1, sizeof *m->words);
    m->words[m->count++] = centre;
    for (size_t k = 0; k < found; k++)
        m->words[m->count++] = near[k].word;
    sort_words(m);
    return EXIT_FINE;
}

/* ---- The page ---------------------------------------------------------------------------------- */

static void take_json(void *user, const char *json, size_t length)
{
    buffer_add(user, json, length);
}

static int write_page(struct mapping *m, const char *path)
{
    const psdvec_map_info *info = psdvec_map_get_info(m->map);
    struct buffer data = {0}, text = {0}, page = {0}, map = {0};
    pv_json_writer json;
    psdvec_status status = psdvec_map_json(m->run->ctx, m->map, take_json, &map);
    if (status != PSDVEC_OK)
        return run_failed(m->run, status);
    json_start(&json, &data);
    pv_json_open_object(&json, NULL);
    pv_json_put_string(&json, "model", m->run->arguments->operands[0]);
    pv_json_put_raw(&json, "map", map.text, map.length);
    pv_json_close(&json);
    json_end(&json);
    for (uint32_t k = 0; k < info->clusters; k++) {
        size_t count, length;
        const uint32_t *places = psdvec_map_cluster_words(m->map, k, &count);
        buffer_format(&text, "%s", phrase("cluster %u:", k));
        for (size_t w = 0; w < count; w++) {
            const char *word =
                psdvec_model_form(m->model, psdvec_map_words(m->map)[places[w]], &length);
            buffer_format(&text, " %s", phrase_safe(word, length));
        }
        buffer_text(&text, "\n");
    }
    page_add(&page, page_map, &data, &text);
    int code = run_write(m->run, path, &page);
    buffer_free(&map);
    buffer_free(&data);
    buffer_free(&text);
    buffer_free(&page);
    return code;
}

/* ---- The command -------------------------------------------------------------------------------- */

static void summarise(struct mapping *m, const char *output)
{
    struct run *run = m->run;
    const psdvec_map_info *info = psdvec_map_get_info(m->map);
    struct buffer text = {0};
    summary_line(&text, "map", "%s, %s, %s", phrase_counted(info->words, "word"),
                 phrase_counted(info->clusters, "cluster"), phrase_counted(info->labels, "label"));
    for (uint32_t k = 0; k < info->clusters && k < SHOWN_CLUSTERS; k++) {
        size_t count, length;
        const uint32_t *places = psdvec_map_cluster_words(m->map, k, &count);
        struct buffer list = {0};
        for (size_t w = 0; w < count && w < SHOWN_WORDS; w++) {
            const char *word =
                psdvec_model_form(m->model, psdvec_map_words(m->map)[places[w]], &length);
            buffer_format(&list, "%s%s", w ? ", " : "", phrase_safe(word, length));
        }
        summary_line(&text, k ? "" : "clusters", "%s", list.text ? list.text : "");
        buffer_free(&list);
    }
    summary_line(&text, "time", "%s, %s", phrase_seconds(info->seconds),
                 phrase_counted((uint64_t)psdvec_threads(run->ctx), "thread"));
    summary_line(&text, "memory", "%s at most", phrase_bytes((double)psdvec_peak_memory(run->ctx)));
    summary_line(&text, "written", "%s", output);
    talk_say(&run->talk, text.text);
    buffer_free(&text);
}

static void free_map(void *map)
{
    psdvec_map_free(map);
}

static bool is_page(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".html");
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *output = run_output(run), *list = argument_text(arguments, "words");
    const char *around = argument_text(arguments, "around");
    const psdvec_map_options *map = options_take(run, PSDVEC_OPTIONS_MAP);
    psdvec_drawing_options *drawing = options_take(run, PSDVEC_OPTIONS_DRAWING);
    struct mapping m = {.run = run};
    psdvec_map_format format;
    if (!map || !drawing)
        return run->refusal;
    if (list && around)
        return run_use_error(run, "--words and --around cannot be combined");
    if (!is_page(output) && !psdvec_map_format_of(output, &format))
        return run_use_error(run,
                             "the name %s does not say what to write; use .svg, .png, .html or "
                             ".tsv",
                             output);
    int code = model_file_open(run, arguments->operands[0], &m.model);
    if (code)
        return code;
    m.info = psdvec_model_get_info(m.model);
    if (list || around)
        code = list ? read_words(&m, list) : take_neighbours(&m, around);
    if (code)
        return code;
    psdvec_status status = psdvec_map_make(run->ctx, map, m.model, m.words, m.count, &m.map);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(m.map, free_map);
    if (is_page(output)) {
        code = write_page(&m, output);
    } else {
        status = psdvec_map_draw(run->ctx, m.map, drawing, output);
        code = status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
    }
    if (!code)
        summarise(&m, output);
    return code;
}

const struct command cmd_map = {
    .name = "map",
    .group = "Queries",
    .summary = "draw a map of the words",
    .synopsis = "MODEL -o FILE.svg|FILE.png|FILE.html|FILE.tsv [OPTION]...",
    .description = PARAGRAPHS(
        "Places the words of a model in the plane so that words with similar vectors are near each "
        "other, finds the clusters of the map, and labels its regions by typical words.",
        "The suffix of the output selects what is written: .svg is a vector graphic, .png an image, "
        ".html a page with all words that can be zoomed and searched and needs no network, and .tsv "
        "a table with the columns word, x, y, cluster, frequency, and level and region of labels. "
        "Picture options apply to .svg and .png.",
        "The method is PaCMAP (Wang et al. 2021) on vectors of length 1. The same model, options and "
        "--seed give the same map for any number of threads."),
    .sources = {OWN_OPTIONS(options), LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_MAP),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_DRAWING, .except = " format "),
                COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec map model.safetensors -o map.svg", "All words, as a vector graphic."},
                 {"psdvec map model.safetensors -o map.html --restrict 50k",
                  "A page with the 50,000 most frequent words."},
                 {"psdvec map model.safetensors -o near.png --around king --nearest 100 --dark",
                  "A word and its 100 nearest neighbours, on a dark background."}),
    .notes =
        PARAGRAPHS("docs/explanation/map.md describes the method, its quality and its limits."),
    .operands = {1, 1},
    .missing = "give a model",
    .output_example = "map.svg",
    .act = act};
