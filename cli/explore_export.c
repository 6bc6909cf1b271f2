/* The explorer as files.
 *
 *     index.html app.js app.css     the page; index.html says that there is no server
 *     psdvec-models.js              names and sizes
 *     psdvec-words-M.js             the words of model M and their frequencies
 *     psdvec-map-M.js               its map (explore_map.h)
 *     psdvec-near-M-K.js            the neighbours of the words of a range
 *     psdvec-vectors-M-K.js         the vectors of the words of a range, in 8 bits per component
 *
 * A data file is a script that passes its content, packed with gzip and in base64, to a function of
 * the page: browsers run scripts of a page that was opened from a disk, but fetch nothing for it.
 * docs/reference/http-api.md describes the contents.
 *
 * Time: the neighbours, n^2 x dim. Memory: those of one range. */
#include "explore_export.h"

#include "exit_status.h"
#include "phrase.h"
#include "sandbox.h"
#include "summary.h"
#include "system.h"
#include "web.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TOP = 20,          /* neighbours per word */
    LEAST_NEAR = 1024, /* words of a file of neighbours */
    MOST_NEAR_FILES = 128,
    VECTOR_BYTES = 3 << 20, /* of a file of vectors, before base64 */
    BATCH = 256,            /* words whose neighbours are found in one call */
    MOST_FILES = 900        /* all are open at the same time */
};

/* In index.html of an export. */
static const char mark[] = "<meta name=\"psdvec-export\" content=\"1\">";
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'\">";

struct site {
    struct run *run;
    struct api *api;
    const char *folder;
    bool made;          /* the folder is new */
    pv_new_file *files; /* index.html first */
    size_t count;
    uint64_t bytes;
    char **names;
};

/* A model, and how its words are divided into files. */
struct plan {
    psdvec_model *model;
    uint32_t words, dim, near, rows; /* words of a file of neighbours, and of vectors */
    uint32_t near_files, vector_files;
};

/* ---- Files ------------------------------------------------------------------------------------ */

static int failed(struct site *site, const char *path, int error, const char *why)
{
    return why ? run_error(site->run, EXIT_OUTPUT, "%s %s", path, why)
               : run_error(site->run, exit_for_output(error), "cannot write %s: %s%s", path,
                           system_error(error), system_remedy(error));
}

/* Writes a new file of the set. */
static int put_file(struct site *site, const char *name, const char *bytes, size_t length)
{
    const char *path = phrase("%s/%s", site->folder, name), *why;
    pv_new_file *file = &site->files[site->count];
    int error = pv_new_file_open(file, path, &why);
    if (error)
        return failed(site, path, error, why);
    site->names[site->count++] = must_copy(name);
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(file->fd, bytes + done, length - done);
        if (wrote < 0 && errno != EINTR)
            return failed(site, path, errno, NULL);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    site->bytes += length;
    return signals_caught() ? exit_for(PSDVEC_ERR_CANCELLED) : EXIT_FINE;
}

static void add_base64(struct buffer *to, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < length; k += 3) {
        size_t left = length - k;
        uint32_t group = (uint32_t)bytes[k] << 16 | (left > 1 ? (uint32_t)bytes[k + 1] << 8 : 0) |
                         (left > 2 ? bytes[k + 2] : 0);
        const char four[] = {digits[group >> 18], digits[group >> 12 & 63],
                             left > 1 ? digits[group >> 6 & 63] : '=',
                             left > 2 ? digits[group & 63] : '='};
        buffer_add(to, four, sizeof four);
    }
}

/* Writes a data file, and empties its content. */
static int put_part(struct site *site, const char *name, struct buffer *content)
{
    struct http_text packed;
    struct buffer script = {0};
    if (!http_gzip(buffer_get(content), content->length, true, &packed))
        out_of_memory();
    buffer_format(&script, "psdvecPart(\"%s\",\"", name);
    add_base64(&script, (const unsigned char *)packed.text, packed.length);
    buffer_text(&script, "\");\n");
    free(packed.text);
    int code = put_file(site, phrase("psdvec-%s.js", name), script.text, script.length);
    buffer_free(&script);
    buffer_clear(content);
    return code;
}

/* ---- The page --------------------------------------------------------------------------------- */

static int put_page(struct site *site)
{
    int code = EXIT_FINE;
    for (int pass = 0; pass < 2 && !code; pass++) /* index.html first */
        for (const struct web_file *file = web_files; file->path && !code; file++) {
            bool index = !strcmp(file->path, "/");
            struct http_text text;
            struct buffer page = {0};
            if (index != (pass == 0))
                continue;
            if (!http_gzip((const char *)file->bytes, file->length, false, &text))
                out_of_memory();
            const char *place = index ? strstr(text.text, "<title>") : NULL;
            size_t before = place ? (size_t)(place - text.text) : 0;
            buffer_add(&page, text.text, before);
            if (place)
                buffer_format(&page, "%s\n%s\n", policy, mark);
            buffer_add(&page, text.text + before, text.length - before);
            code = put_file(site, index ? "index.html" : file->path + 1, page.text, page.length);
            buffer_free(&page);
            free(text.text);
        }
    return code;
}

/* ---- Data ------------------------------------------------------------------------------------- */

static void add_u16(struct buffer *to, uint32_t value)
{
    const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8)};
    buffer_add(to, (const char *)bytes, sizeof bytes);
}

/* Frequencies (64 bits, in two halves), then the words, each with a newline. */
static int put_words(struct site *site, size_t number, const struct plan *plan)
{
    struct buffer data = {0};
    for (uint32_t k = 0; psdvec_model_get_info(plan->model)->has_counts && k < plan->words; k++) {
        uint64_t frequency = psdvec_model_frequency(plan->model, k);
        explore_put_u32(&data, (uint32_t)frequency);
        explore_put_u32(&data, (uint32_t)(frequency >> 32));
    }
    for (uint32_t k = 0; k < plan->words; k++) {
        size_t length;
        const char *word = psdvec_model_word(plan->model, k, &length);
        for (size_t c = 0; c < length; c++)
            buffer_char(&data, word[c] == '\n' ? ' ' : word[c]);
        buffer_char(&data, '\n');
    }
    int code = put_part(site, phrase("words-%zu", number), &data);
    buffer_free(&data);
    return code;
}

/* The vector of a word at length 1; zeros if it has none. */
static void unit_vector(const struct plan *plan, uint32_t word, float *vector)
{
    double square = 0;
    psdvec_model_copy(plan->model, word, vector);
    for (uint32_t k = 0; k < plan->dim; k++)
        square += (double)vector[k] * (double)vector[k];
    for (uint32_t k = 0; square > 0 && k < plan->dim; k++)
        vector[k] = (float)((double)vector[k] / sqrt(square));
}

/* Each vector: its largest component / 127 as float32, then the components in these units. */
static int put_vectors(struct site *site, size_t number, const struct plan *plan)
{
    float *vector = lasting_alloc(plan->dim, sizeof *vector);
    struct buffer data = {0};
    int code = EXIT_FINE;
    for (uint32_t file = 0; file < plan->vector_files && !code; file++) {
        uint32_t from = file * plan->rows;
        for (uint32_t w = from; w < plan->words && w - from < plan->rows; w++) {
            float most = 0;
            unit_vector(plan, w, vector);
            for (uint32_t k = 0; k < plan->dim; k++)
                most = fmaxf(most, fabsf(vector[k]));
            float unit = most / 127;
            uint32_t bits;
            memcpy(&bits, &unit, sizeof bits);
            explore_put_u32(&data, bits);
            for (uint32_t k = 0; k < plan->dim; k++)
                buffer_char(&data, (char)(unit > 0 ? lroundf(vector[k] / unit) : 0));
            for (uint32_t k = plan->dim; k % 4; k++) /* floats are at multiples of four bytes */
                buffer_char(&data, 0);
        }
        code = put_part(site, phrase("vectors-%zu-%u", number, file), &data);
    }
    buffer_free(&data);
    return code;
}

/* The neighbours of up to BATCH words from `from` on: TOP times the number of a word, then TOP times
 * its cosine in 1/32767; UINT32_MAX ends a shorter list. */
static int add_neighbours(struct site *site, const struct plan *plan, uint32_t from, uint32_t count,
                          struct buffer *data)
{
    size_t mark_here = lasting_count();
    size_t *begin = lasting_alloc(count + 1, sizeof *begin),
           *found = lasting_alloc(count, sizeof *found);
    uint32_t *own = lasting_alloc(count, sizeof *own);
    psdvec_neighbour *near = lasting_alloc((size_t)count * TOP, sizeof *near);
    psdvec_query_options options;
    float *vectors = lasting_alloc((size_t)count * plan->dim, sizeof *vectors);
    psdvec_query_options_default(&options);
    for (uint32_t k = 0; k < count; k++) {
        own[k] = from + k;
        begin[k + 1] = k + 1;
        psdvec_model_copy(plan->model, from + k, vectors + (size_t)k * plan->dim);
    }
    options.except = own;
    options.except_count = count;
    options.except_begin = begin;
    options.restrict_words = plan->words;
    psdvec_status status = psdvec_model_similar_many(site->run->ctx, plan->model, vectors, count,
                                                     &options, TOP, near, found);
    for (uint32_t k = 0; status == PSDVEC_OK && k < count; k++) {
        for (size_t n = 0; n < TOP; n++)
            explore_put_u32(data, n < found[k] ? near[k * TOP + n].word : UINT32_MAX);
        for (size_t n = 0; n < TOP; n++)
            add_u16(data, n < found[k]
                              ? (uint16_t)(int16_t)lroundf(near[k * TOP + n].cosine * 32767)
                              : 0);
    }
    lasting_end(mark_here);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(site->run, status);
}

static int put_neighbours(struct site *site, size_t number, const struct plan *plan)
{
    struct buffer data = {0};
    int code = EXIT_FINE;
    double began = pv_now();
    for (uint32_t file = 0; file < plan->near_files && !code; file++) {
        uint32_t from = file * plan->near, end = from + plan->near;
        end = end < plan->words ? end : plan->words;
        for (uint32_t w = from; w < end && !code; w += BATCH) {
            code = add_neighbours(site, plan, w, end - w < BATCH ? end - w : BATCH, &data);
            double elapsed = pv_now() - began, rate = w / (elapsed + 1e-9);
            talk_progress(&site->run->talk,
                          &(psdvec_progress){.stage = "neighbours",
                                             .unit = "words",
                                             .done = w,
                                             .total = plan->words,
                                             .elapsed = elapsed,
                                             .rate = rate,
                                             .remaining = (plan->words - w) / (rate + 1e-9),
                                             .objective = NAN});
        }
        if (!code)
            code = put_part(site, phrase("near-%zu-%u", number, file), &data);
    }
    talk_erase(&site->run->talk);
    buffer_free(&data);
    return code;
}

static int put_map(struct site *site, size_t number, bool *has)
{
    struct explore_map *map = &site->api->maps.list[number];
    explore_maps_need(&site->api->maps, number);
    *has = map->state == EXPLORE_MAP_READY;
    return *has               ? put_part(site, phrase("map-%zu", number), &map->bytes)
           : signals_caught() ? exit_for(PSDVEC_ERR_CANCELLED)
                              : EXIT_FINE;
}

/* What the page asks first: the answer of /api/v1/models, and how the words are divided. */
static int put_models(struct site *site, const struct plan *plans, const bool *maps)
{
    const struct api *api = site->api;
    struct buffer data = {0};
    pv_json_writer json;
    json_start(&json, &data);
    pv_json_open_object(&json, NULL);
    pv_json_put_string(&json, "version", psdvec_version());
    pv_json_open_array(&json, "sets");
    pv_json_close(&json);
    pv_json_open_array(&json, "models");
    for (size_t k = 0; k < api->model_count; k++) {
        const psdvec_model_info *info = psdvec_model_get_info(plans[k].model);
        pv_json_open_object(&json, NULL);
        pv_json_put_string(&json, "name", api->models[k].name);
        pv_json_put_u64(&json, "words", plans[k].words);
        pv_json_put_u64(&json, "dim", info->dim);
        pv_json_put_string(&json, "method", info->method);
        pv_json_put_bool(&json, "sparse", false);
        pv_json_put_bool(&json, "has_frequencies", info->has_counts);
        pv_json_put_bool(&json, "has_spelling", false);
        pv_json_put_bool(&json, "counts", false);
        pv_json_put_bool(&json, "map", maps[k]);
        pv_json_put_u64(&json, "near", plans[k].near);
        pv_json_put_u64(&json, "top", TOP);
        pv_json_put_u64(&json, "rows", plans[k].rows);
        pv_json_close(&json);
    }
    pv_json_close(&json);
    pv_json_close(&json);
    json_end(&json);
    int code = put_part(site, "models", &data);
    buffer_free(&data);
    return code;
}

/* ---- The folder ------------------------------------------------------------------------------- */

static bool is_part(const char *name)
{
    size_t length = strlen(name);
    return !strncmp(name, "psdvec-", 7) && length > 10 && !strcmp(name + length - 3, ".js");
}

/* Makes the folder, or checks that it is empty or an older export. */
static int prepare_folder(struct site *site)
{
    struct run *run = site->run;
    struct dirent *entry;
    bool empty = true;
    size_t length;
    int error = pv_new_folder(site->folder);
    site->made = !error;
    if (site->made)
        return EXIT_FINE;
    DIR *folder = error == EEXIST ? opendir(site->folder) : NULL;
    if (!folder)
        return failed(site, site->folder, error == EEXIST ? errno : error, NULL);
    while ((entry = readdir(folder))) /* NOLINT(concurrency-mt-unsafe): a stream of its own */
        empty &= entry->d_name[0] == '.';
    closedir(folder);
    if (empty)
        return EXIT_FINE;
    const char *index = phrase("%s/index.html", site->folder);
    char *text = read_whole(index, 1 << 20, &length);
    bool ours = (text && strstr(text, mark)) || pv_new_file_was_interrupted(index);
    free(text);
    return ours ? EXIT_FINE
                : run_error(run, EXIT_USE,
                            "the folder %s is not empty, and not an older export; give the name of "
                            "a new folder",
                            site->folder);
}

/* Removes data files of an older export that the new one does not have. */
static void remove_old(const struct site *site)
{
    struct dirent *entry;
    DIR *folder = opendir(site->folder);
    while (folder && (entry = readdir(folder))) { /* NOLINT(concurrency-mt-unsafe) */
        bool old = is_part(entry->d_name);
        for (size_t k = 0; k < site->count && old; k++)
            old = strcmp(site->names[k], entry->d_name) != 0;
        if (old)
            unlink(phrase("%s/%s", site->folder, entry->d_name));
    }
    if (folder)
        closedir(folder);
}

/* ---- All -------------------------------------------------------------------------------------- */

static uint32_t parts(uint32_t words, uint32_t each)
{
    return words / each + (words % each != 0);
}

static struct plan plan_of(const struct site *site, psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    uint64_t most = argument_integer(site->run->arguments, "export-words");
    struct plan plan = {.model = model,
                        .dim = info->dim,
                        .words = most && most < info->words ? (uint32_t)most : info->words};
    plan.near = parts(plan.words, MOST_NEAR_FILES);
    plan.near = plan.near < LEAST_NEAR ? LEAST_NEAR : plan.near;
    plan.near_files = parts(plan.words, plan.near);
    plan.rows = VECTOR_BYTES / (plan.dim + 7) + 1;
    plan.vector_files = parts(plan.words, plan.rows);
    return plan;
}

/* Says how large the site becomes, before the work. */
static int announce(struct site *site, const struct plan *plans)
{
    double bytes = 2e5;
    uint64_t files = 4;
    for (size_t k = 0; k < site->api->model_count; k++) {
        const struct plan *p = &plans[k];
        const struct explore_map *map = &site->api->maps.list[k];
        uint64_t mapped = psdvec_model_get_info(p->model)->words; /* with --map, not known yet */
        uint64_t most = argument_integer(site->run->arguments, "map-words");
        if (!map->path)
            mapped = most < mapped ? most : mapped;
        /* Measured: what gzip leaves of neighbours, vectors, words and maps. */
        bytes += (p->words * (TOP * 6 * 0.75 + (p->dim + 4) * 0.95 + 4) + (double)mapped * 16) * 4 /
                 3;
        files += p->near_files + p->vector_files + 2;
    }
    if (files > MOST_FILES)
        return run_error(site->run, EXIT_USE,
                         "the site would have %s files; export fewer words (--export-words) or "
                         "fewer models",
                         phrase_count(files));
    talk_say(&site->run->talk, phrase("Writing about %s in %s files to %s\n", phrase_bytes(bytes),
                                      phrase_count(files), site->folder));
    return EXIT_FINE;
}

static int place(struct site *site)
{
    pv_new_file **list = lasting_alloc(site->count, sizeof *list);
    size_t at;
    for (size_t k = 0; k < site->count; k++)
        list[k] = &site->files[k];
    int error = pv_new_files_place(list, site->count, true, &at);
    if (error)
        return failed(site, phrase("%s/%s", site->folder, site->names[at]), error, NULL);
    remove_old(site);
    return EXIT_FINE;
}

static int write_all(struct site *site)
{
    size_t models = site->api->model_count;
    struct plan *plans = lasting_alloc(models, sizeof *plans);
    bool *maps = lasting_alloc(models, sizeof *maps);
    for (size_t k = 0; k < models; k++) {
        plans[k] = plan_of(site, site->api->models[k].model);
        if (psdvec_model_get_info(plans[k].model)->sparse)
            return run_error(
                site->run, EXIT_USE,
                "the vectors of %s are sparse, which the exported page cannot use; make "
                "dense vectors first (psdvec baseline svd)",
                site->api->models[k].name);
    }
    int code = announce(site, plans);
    if (!code)
        code = prepare_folder(site);
    if (!code)
        code = put_page(site);
    for (size_t k = 0; k < models && !code; k++) {
        code = put_words(site, k, &plans[k]);
        if (!code)
            code = put_map(site, k, &maps[k]);
        if (!code)
            code = put_neighbours(site, k, &plans[k]);
        if (!code)
            code = put_vectors(site, k, &plans[k]);
    }
    if (!code)
        code = put_models(site, plans, maps);
    return code ? code : place(site);
}

int explore_export(struct api *api, const char *folder)
{
    struct site site = {.run = api->run, .api = api, .folder = folder};
    bool page = false;
    for (const struct web_file *file = web_files; file->path; file++)
        page |= !strcmp(file->path, "/app.js");
    if (!page)
        return run_error(api->run, EXIT_USE,
                         "psdvec was built without the page of psdvec explore; install Node.js and "
                         "build it again");
    site.files = lasting_alloc(MOST_FILES + 8, sizeof *site.files);
    site.names = lasting_alloc(MOST_FILES + 8, sizeof *site.names);
    int code = write_all(&site);
    for (size_t k = 0; k < site.count; k++) {
        pv_new_file_drop(&site.files[k]);
        free(site.names[k]);
    }
    if (code && site.made) /* fails if there is anything else in it, which is intended */
        rmdir(folder);
    if (!code) {
        struct buffer text = {0};
        summary_line(&text, "written", "%s (%s, %s)", folder, phrase_counted(site.count, "file"),
                     phrase_bytes((double)site.bytes));
        talk_say(&api->run->talk, text.text);
        buffer_free(&text);
    }
    return code;
}
