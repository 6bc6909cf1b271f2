/* Fuzzes the requests of psdvec explore: paths, parameters, escapes.
 *
 * The input is a URL. Every answer must be one JSON object, whatever the URL contains. Requests for
 * scores on test sets take too long and are left out. */
#include "api.h"
#include "commands.h"
#include "fuzz/small_model.h"

static struct run run;
static struct api api;

static void start(void)
{
    static fuzz_file model;
    static struct arguments arguments;
    static char path[200];
    static char *argv[] = {path, "--threads=1", "--memory=64M", "--quiet", NULL};
    char bytes[1 << 14];
    const char *error;
    psdvec_context *ctx = fuzz_context(64);
    fuzz_file_set(&model, bytes, small_model(ctx, SMALL_FULL, PSDVEC_FLOAT32, bytes, sizeof bytes));
    snprintf(path, sizeof path, "%s", model.path);
    require(arguments_parse(&arguments, &cmd_explore, 4, argv, &error));
    run.arguments = &arguments;
    log_open(&run.log, NULL);
    talk_start(&run.talk, "fuzz", &run.log);
    require(api_open(&api, &run, 1) == 0);
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
        require(pv_json_is(buffer_get(&answer), PV_JSON_OBJECT));
        lasting_end(mark);
    }
    buffer_free(&answer);
    free(url);
    return 0;
}
