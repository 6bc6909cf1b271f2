/* Making the maps of psdvec explore, in the background. */
#include "api.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "system.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- Bytes ----------------------------------------------------------------------------------- */

void explore_put_u32(struct buffer *to, uint32_t value)
{
    const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8),
                                   (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    buffer_add(to, (const char *)bytes, sizeof bytes);
}

static void put_f32(struct buffer *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    explore_put_u32(to, bits);
}

static void put_f64(struct buffer *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    explore_put_u32(to, (uint32_t)bits);
    explore_put_u32(to, (uint32_t)(bits >> 32));
}

/* Words, one per line, and those that are written differently from the word: place, space, form. */
static void put_texts(struct buffer *words, struct buffer *forms, const psdvec_map *map,
                      const psdvec_model *model)
{
    const uint32_t *indices = psdvec_map_words(map);
    uint32_t count = psdvec_map_get_info(map)->words;
    for (uint32_t k = 0; k < count; k++) {
        size_t length, form_length;
        const char *word = psdvec_model_word(model, indices[k], &length);
        const char *form = psdvec_model_form(model, indices[k], &form_length);
        size_t start = words->length;
        buffer_add(words, word, length);
        for (size_t c = start; c < words->length; c++) /* foreign files can have such words */
            if (words->text[c] == '\n')
                words->text[c] = ' ';
        buffer_char(words, '\n');
        if (form_length != length || memcmp(form, word, length) != 0) {
            buffer_format(forms, "%u ", k);
            buffer_add(forms, form, form_length);
            buffer_char(forms, '\n');
        }
    }
}

void explore_map_write(const psdvec_map *map, const psdvec_model *model, struct buffer *to)
{
    const psdvec_map_info *info = psdvec_map_get_info(map);
    const psdvec_map_label *labels = psdvec_map_labels(map);
    const uint32_t *words = psdvec_map_words(map), *clusters = psdvec_map_clusters(map);
    const float *points = psdvec_map_points(map);
    bool counted = psdvec_model_get_info(model)->has_counts;
    struct buffer texts = {0}, forms = {0}, head = {0};
    pv_json_writer json;
    put_texts(&texts, &forms, map, model);
    json_start(&json, &head);
    pv_json_open_object(&json, NULL);
    pv_json_put_u64(&json, "words", info->words);
    pv_json_put_u64(&json, "clusters", info->clusters);
    pv_json_put_u64(&json, "labels", info->labels);
    pv_json_put_u64(&json, "levels", info->levels);
    pv_json_put_bool(&json, "frequencies", counted);
    pv_json_put_u64(&json, "word_bytes", texts.length);
    pv_json_put_u64(&json, "form_bytes", forms.length);
    pv_json_close(&json);
    json_end(&json);
    while ((12 + head.length) % 8)
        buffer_char(&head, ' ');
    buffer_add(to, "psdvmap1", 8);
    explore_put_u32(to, (uint32_t)head.length);
    buffer_add(to, head.text, head.length);
    for (uint32_t k = 0; counted && k < info->words; k++)
        put_f64(to, (double)psdvec_model_frequency(model, words[k]));
    for (size_t k = 0; k < 2 * (size_t)info->words; k++)
        put_f32(to, points[k]);
    for (uint32_t k = 0; k < info->words; k++)
        explore_put_u32(to, clusters[k]); /* PSDVEC_NO_CLUSTER is -1 */
    for (uint32_t k = 0; k < info->labels; k++)
        explore_put_u32(to, labels[k].place);
    for (uint32_t k = 0; k < info->labels; k++)
        explore_put_u32(to, labels[k].level);
    buffer_add(to, buffer_get(&texts), texts.length);
    buffer_add(to, buffer_get(&forms), forms.length);
    buffer_free(&texts);
    buffer_free(&forms);
    buffer_free(&head);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* What the callbacks of the library get. */
struct making {
    struct explore_maps *maps;
    struct explore_map *map;
};

static bool should_cancel(void *user)
{
    const struct making *making = user;
    return atomic_load(&making->maps->stop) || signals_caught() != 0;
}

static void on_progress(void *user, const psdvec_progress *progress)
{
    const struct making *making = user;
    struct explore_map *map = making->map;
    if (!making->maps->started)
        talk_progress(&making->maps->run->talk, progress);
    pthread_mutex_lock(&making->maps->lock);
    snprintf(map->stage, sizeof map->stage, "%s", progress->stage);
    map->done = progress->done;
    map->total = progress->total;
    pthread_mutex_unlock(&making->maps->lock);
}

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    const struct making *making = user;
    if (level == PSDVEC_WARNING)
        talk_warning(&making->maps->run->talk, text);
}

static psdvec_status make(struct explore_maps *maps, struct explore_map *map, psdvec_context *ctx,
                          psdvec_map **made)
{
    psdvec_map_options options;
    if (map->path)
        return psdvec_map_open(ctx, map->model, map->path, made);
    psdvec_map_options_default(&options);
    options.restrict_words = (uint32_t)argument_integer(maps->run->arguments, "map-words");
    return psdvec_map_make(ctx, &options, map->model, NULL, 0, made);
}

static void set_state(struct explore_maps *maps, struct explore_map *map,
                      enum explore_map_state state)
{
    pthread_mutex_lock(&maps->lock);
    map->state = state;
    pthread_mutex_unlock(&maps->lock);
}

static void make_one(struct explore_maps *maps, struct explore_map *map)
{
    struct making making = {maps, map};
    psdvec_context_options options = maps->options;
    psdvec_context *ctx = NULL;
    psdvec_map *made = NULL;
    const char *error = NULL;
    options.on_progress = on_progress;
    options.on_message = on_message;
    options.should_cancel = should_cancel;
    options.user = &making;
    set_state(maps, map, EXPLORE_MAP_MAKING);
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        error = "the server has too little memory for a map; raise --memory";
    else if (make(maps, map, ctx, &made) != PSDVEC_OK)
        error = psdvec_error_message(ctx);
    if (!error) {
        struct http_text packed = {0};
        explore_map_write(made, map->model, &map->bytes);
        if (maps->started && http_gzip(map->bytes.text, map->bytes.length, true, &packed)) {
            map->packed = (struct buffer){packed.text, packed.length, packed.capacity};
            buffer_free(&map->bytes);
        }
        map->info = *psdvec_map_get_info(made);
    } else
        map->error = must_copy(error);
    psdvec_map_free(made);
    psdvec_context_free(ctx);
    if (error && !should_cancel(&making))
        talk_warning(&maps->run->talk, phrase("there is no map: %s", map->error));
    set_state(maps, map, error ? EXPLORE_MAP_FAILED : EXPLORE_MAP_READY);
}

static void *make_all(void *user)
{
    struct explore_maps *maps = user;
    for (int computed = 0; computed < 2; computed++)
        for (size_t k = 0; k < maps->count; k++)
            if (maps->list[k].state == EXPLORE_MAP_WAITING &&
                (maps->list[k].path == NULL) == (computed == 1) && !atomic_load(&maps->stop))
                make_one(maps, &maps->list[k]);
    lasting_end(0);
    return NULL;
}

int explore_maps_open(struct explore_maps *maps, struct run *run, size_t count, uint64_t memory)
{
    const struct option_value *files = argument(run->arguments, "map");
    bool computes = argument_integer(run->arguments, "map-words") > 0;
    const psdvec_context_options *given = options_take(run, PSDVEC_OPTIONS_CONTEXT);
    *maps = (struct explore_maps){.run = run, .count = count, .locked = true};
    pthread_mutex_init(&maps->lock, NULL);
    if (!given)
        return run->refusal;
    maps->options = *given; /* with --seed, so the map is that of psdvec map */
    maps->options.memory = memory;
    if (files->text_count > 1 && files->text_count != count)
        return run_use_error(
            run,
            "%zu models and %zu maps are given; give --map once for each model, in "
            "the same order, or once for all",
            count, files->text_count);
    maps->list = lasting_alloc(count, sizeof *maps->list);
    for (size_t k = 0; k < count; k++) {
        struct explore_map *map = &maps->list[k];
        if (files->text_count)
            map->path = files->texts[files->text_count > 1 ? k : 0];
        map->state = map->path || computes ? EXPLORE_MAP_WAITING : EXPLORE_MAP_NONE;
    }
    return EXIT_FINE;
}

bool explore_maps_start(struct explore_maps *maps)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* of a mapped file: in the thread that reads it */
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    maps->started = true;
    if (pthread_create(&maps->thread, NULL, make_all, maps) != 0)
        maps->started = false;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return maps->started;
}

void explore_maps_need(struct explore_maps *maps, size_t model)
{
    if (!maps->started && maps->list[model].state == EXPLORE_MAP_WAITING)
        make_one(maps, &maps->list[model]);
}

void explore_maps_close(struct explore_maps *maps)
{
    atomic_store(&maps->stop, true);
    if (maps->started)
        pthread_join(maps->thread, NULL);
    for (size_t k = 0; maps->list && k < maps->count; k++) {
        free(maps->list[k].error);
        buffer_free(&maps->list[k].bytes);
        buffer_free(&maps->list[k].packed);
    }
    if (maps->locked)
        pthread_mutex_destroy(&maps->lock);
    *maps = (struct explore_maps){0};
}

/* ---- Requests -------------------------------------------------------------------------------- */

static struct explore_map *map_of(struct api_query *q)
{
    struct api *api = q->worker->api;
    size_t model = (size_t)(q->model - api->models);
    explore_maps_need(&api->maps, model);
    return &api->maps.list[model];
}

void api_write_map(struct api_query *q, pv_json_writer *to)
{
    static const char *const names[] = {"none", "waiting", "making", "ready", "failed"};
    const struct explore_map *map = map_of(q);
    pthread_mutex_t *lock = &q->worker->api->maps.lock;
    pthread_mutex_lock(lock);
    pv_json_put_string(to, "state", names[map->state]);
    if (map->state == EXPLORE_MAP_READY) {
        pv_json_put_u64(to, "words", map->info.words);
        pv_json_put_u64(to, "clusters", map->info.clusters);
        pv_json_put_u64(to, "labels", map->info.labels);
    } else if (map->state == EXPLORE_MAP_MAKING) {
        pv_json_put_string(to, "stage", map->stage);
        pv_json_put_u64(to, "done", map->done);
        pv_json_put_u64(to, "total", map->total);
    } else if (map->state == EXPLORE_MAP_FAILED)
        pv_json_put_string(to, "message", map->error);
    pthread_mutex_unlock(lock);
}

static void fail(struct api_query *q, unsigned status, const char *message)
{
    q->status = status;
    q->error = message;
}

void api_send_map(struct api_query *q, struct http_response *response)
{
    enum { NOT_FOUND = 404, BUSY = 503 };
    const struct explore_map *map = map_of(q);
    pthread_mutex_t *lock = &q->worker->api->maps.lock;
    pthread_mutex_lock(lock);
    enum explore_map_state state = map->state;
    pthread_mutex_unlock(lock);
    if (state == EXPLORE_MAP_NONE)
        fail(q, NOT_FOUND, "the server was started without a map (--map-words 0)");
    else if (state == EXPLORE_MAP_FAILED)
        fail(q, BUSY, phrase("there is no map: %s", map->error));
    else if (state != EXPLORE_MAP_READY)
        fail(q, BUSY, "the map is being made; " API_ROOT "map says how far it is");
    else { /* the bytes stay until the server ends */
        response->stored_packed = map->packed.length > 0;
        response->body = response->stored_packed ? map->packed.text : map->bytes.text;
        response->length = response->stored_packed ? map->packed.length : map->bytes.length;
    }
}
