/* Fuzzes the requests of psdvec explore: paths, parameters, escapes; with a model, topics and a map.
 *
 * The input is a URL. Every answer must be one JSON object, whatever the URL contains. Requests for
 * scores on test sets take too long and are left out. */
#include "api.h"
#include "commands.h"
#include "fuzz/small_model.h"

#include <stdlib.h>
#include <unistd.h>

static struct run run;
static struct api api;

/* Learns two topics from three documents. */
static void learn_topics(psdvec_context *ctx, const char *model_path, const char *output)
{
    static fuzz_file text;
    static const char documents[] = "the of and\nto the of\nnew york and the\n";
    const char *inputs[] = {text.path};
    psdvec_model *model;
    psdvec_topic_options options;
    fuzz_file_set(&text, documents, strlen(documents));
    inputs[0] = text.path;
    psdvec_topic_options_default(&options);
    options.topics = 2;
    options.iterations = 2;
    require(psdvec_model_open(ctx, model_path, &model) == PSDVEC_OK);
    require(psdvec_topics_learn(ctx, &options, model, NULL, inputs, 1, output, NULL) == PSDVEC_OK);
    psdvec_model_close(model);
}

static void start(void)
{
    static fuzz_file model;
    static struct arguments arguments;
    static char path[200], topics[60] = "--topics=/tmp/psdvec-fuzz-XXXXXX";
    static char *argv[] = {path, "--threads=1", "--memory=256M", "--quiet", topics, NULL};
    char *topics_path = topics + strlen("--topics=");
    char bytes[1 << 14];
    const char *error;
    psdvec_context *ctx = fuzz_context(64);
    fuzz_file_set(&model, bytes, small_model(ctx, SMALL_FULL, PSDVEC_FLOAT32, bytes, sizeof bytes));
    snprintf(path, sizeof path, "%s", model.path);
    int fd = mkstemp(topics_path);
    require(fd >= 0 && close(fd) == 0);
    learn_topics(ctx, model.path, topics_path);
    require(arguments_parse(&arguments, &cmd_explore, 5, argv, &error));
    run.arguments = &arguments;
    log_open(&run.log, NULL);
    talk_start(&run.talk, "fuzz", &run.log);
    require(api_open(&api, &run, 1) == 0);
    unlink(topics_path); /* it stays open */
    api_worker_begin(&api, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    if (!started)
        start();
    started = true;
    char *url = fuzz_text(data, size);
    struct buffer answer = {0};
    if (!strstr(url, "eval")) {
        size_t mark = lasting_count();
        unsigned status = api_get(&api, url, 10, &answer);
        require(status == 200 || status == 400 || status == 404 || status == 422);
        bool binary = strstr(url, "map") && status == 200;
        require(binary || pv_json_is(buffer_get(&answer), PV_JSON_OBJECT));
        lasting_end(mark);
    }
    buffer_free(&answer);
    free(url);
    return 0;
}
