/* Answering requests with the commands of the program. */
#include "api.h"

#include "cell.h"
#include "exit_status.h"
#include "options.h"
#include "phrase.h"
#include "util/compiler.h"
#include "web.h"
#include "word_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Texts of this many bytes may take long to score. */
#define LONG_TEXT 4000
/* Bytes of an answer; commands that would print more are stopped. */
#define MOST_ANSWER ((size_t)64 << 20)

enum {
    SPARE_MEMORY = 8 << 20, /* besides the estimate for a map */
    STATUS_OK = 200,
    STATUS_NOT_MODIFIED = 304,
    STATUS_BAD_REQUEST = 400,
    STATUS_NOT_FOUND = 404,
    STATUS_METHOD = 405,
    STATUS_UNFIT = 422,
    STATUS_DEFECT = 500,
    STATUS_BUSY = 503
};

/* ---- Identity ------------------------------------------------------------------------------ */

static const char *etag(const struct api *api, const struct http_request *request)
{
    uint64_t value = api_hash_text(api->identity, request->path);
    for (size_t k = 0; k < request->field_count; k++)
        value =
            api_hash_text(api_hash_text(value, request->fields[k].name), request->fields[k].value);
    return must_format("W/\"%016" PRIx64 "\"", value);
}

/* ---- Opening ------------------------------------------------------------------------------- */

static int open_models(struct api *api)
{
    const struct arguments *arguments = api->run->arguments;
    const struct option_value *counts = argument(arguments, "counts");
    size_t count = arguments->operand_count;
    const char **names = lasting_alloc(count, sizeof *names);
    api->models = lasting_alloc(count, sizeof *api->models);
    api->open = lasting_alloc(api_file_count(arguments), sizeof *api->open);
    if (counts->text_count > 1 && counts->text_count != count)
        return run_use_error(api->run,
                             "%zu models and %zu counts files are given; give --counts once for "
                             "each model, in the same order, or once for all",
                             count, counts->text_count);
    for (size_t k = 0; k < count; k++) {
        names[k] = name_of_file(arguments->operands[k]);
        if (*names[k] == '-') /* commands would take it for an option */
            names[k] = phrase("_%s", names[k]);
    }
    names_differ(names, arguments->operands, count);
    for (size_t k = 0; k < count; k++) {
        struct api_model *model = &api->models[api->model_count++];
        int code = model_file_open(api->run, arguments->operands[k], &model->model);
        if (!code)
            code = api_identify(api, arguments->operands[k]);
        if (code)
            return code;
        model->name = names[k];
        model->vocabulary.model = model->model;
        api->open[api->open_count++] = (struct open_file){.name = names[k], .model = model->model};
        api->identity = api_hash_text(api->identity, names[k]);
    }
    for (size_t k = 0; k < counts->text_count; k++) {
        struct open_file *file = &api->open[api->open_count++];
        int code = counts_file_open_rows(api->run, counts->texts[k], &file->counts);
        if (!code)
            code = api_identify(api, counts->texts[k]);
        if (code)
            return code;
        file->name = phrase("counts %zu", k + 1);
        for (size_t m = counts->text_count > 1 ? k : 0;
             m < (counts->text_count > 1 ? k + 1 : count); m++)
            api->models[m].counts = file->name;
    }
    return EXIT_FINE;
}

/* The memory that maps need, which are made one after the other; at most three quarters of the limit,
 * because requests get the rest. A map that is read is taken for one of all words of its model. */
static uint64_t map_memory(const struct api *api, const struct option_value *files, uint64_t words)
{
    uint64_t most = psdvec_memory_budget(api->run->ctx) / 4 * 3, need = 0;
    for (size_t k = 0; k < api->model_count && (files->text_count || words); k++) {
        psdvec_map_options options;
        uint64_t bytes;
        psdvec_map_options_default(&options);
        options.restrict_words = files->text_count ? 0 : (uint32_t)words;
        /* Where a model cannot have a map, making it fails later, with a message for the page. */
        if (psdvec_map_memory(api->run->ctx, &options, api->models[k].model, 0, &bytes) ==
            PSDVEC_OK)
            need = bytes > need ? bytes : need;
    }
    need += SPARE_MEMORY;
    return need < most ? need : most;
}

static int open_maps(struct api *api)
{
    const struct option_value *files = argument(api->run->arguments, "map");
    uint64_t words = argument_integer(api->run->arguments, "map-words");
    api->map_memory = map_memory(api, files, words);
    int code = explore_maps_open(&api->maps, api->run, api->model_count, api->map_memory);
    for (size_t k = 0; !code && k < api->model_count; k++)
        api->maps.list[k].model = api->models[k].model;
    for (size_t k = 0; !code && k < files->text_count; k++)
        code = api_identify(api, files->texts[k]);
    api->identity = api_hash(api->identity, &words, sizeof words);
    api->identity = api_hash(api->identity, &api->maps.options.seed, sizeof api->maps.options.seed);
    return code;
}

static void warm_up(const struct api_route *route)
{
    if (route->command)
        command_option_count(route->command); /* lists of options are made at their first use */
}

int api_open(struct api *api, struct run *run, size_t workers)
{
    *api = (struct api){.run = run, .worker_count = workers};
    pthread_mutex_init(&api->lock, NULL);
    api->identity = api_hash_text(0, psdvec_version());
    api->workers = lasting_alloc(workers, sizeof *api->workers);
    for (size_t k = 0; k < workers; k++)
        api->workers[k].api = api;
    for (const struct api_route *route = api_routes; route->name; route++)
        warm_up(route);
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (!code)
        code = open_models(api);
    if (!code)
        code = api_open_topics(api);
    if (!code)
        code = api_open_sets(api);
    return code ? code : open_maps(api);
}

void api_close(struct api *api)
{
    explore_maps_close(&api->maps);
    for (size_t k = 0; k < api->model_count; k++)
        vocabulary_free(&api->models[k].vocabulary);
    pthread_mutex_destroy(&api->lock);
}

/* ---- Workers ------------------------------------------------------------------------------- */

static bool is_too_large(const struct api_worker *worker)
{
    return worker->output.length > MOST_ANSWER;
}

static bool should_cancel(void *user)
{
    const struct api_worker *worker = user;
    return (worker->request && http_expired(worker->request)) || is_too_large(worker);
}

void api_worker_begin(void *user, size_t number)
{
    struct api *api = user;
    struct api_worker *worker = &api->workers[number];
    struct run *run = &worker->run;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (psdvec_memory_budget(api->run->ctx) - api->map_memory) / api->worker_count;
    options.should_cancel = should_cancel;
    options.user = worker;
    *run = (struct run){
        .format = FORMAT_JSON, .open = api->open, .open_count = api->open_count, .only_open = true};
    log_open(&run->log, NULL);
    talk_start(&run->talk, "psdvec explore", &run->log);
    run->expired = should_cancel;
    run->expired_user = worker;
    run->talk.quiet = true;
    run->talk.errors = &worker->errors;
    run->palette = terminal_palette(false);
    if (psdvec_context_new(&options, &run->ctx) != PSDVEC_OK)
        run->ctx = NULL;
}

void api_worker_leave(struct api *api, size_t number)
{
    struct api_worker *worker = &api->workers[number];
    buffer_free(&worker->output);
    buffer_free(&worker->errors);
    psdvec_context_free(worker->run.ctx);
    free(worker->run.settings);
    talk_end(&worker->run.talk);
    log_close(&worker->run.log);
}

void api_worker_end(void *user, size_t number)
{
    api_worker_leave(user, number);
    lasting_end(0);
}

/* ---- Parameters ---------------------------------------------------------------------------- */

static bool takes_text(const struct api_route *route)
{
    return route->parameters[0].name && route->parameters[0].kind == API_TEXT;
}

void api_fail(struct api_query *q, unsigned status, const char *message)
{
    if (q->status)
        return;
    q->status = status;
    q->error = message;
}

/* The option of the route's command with the name of a parameter; NULL: none. */
static const struct option_spec *find_option(const struct api_route *route, const char *name)
{
    const struct option_spec *option;
    char *listed = must_format(" %s ", name);
    bool found = route->options && strstr(route->options, listed) && !strchr(name, ' ');
    free(listed);
    for (size_t k = 0; found && (option = command_option(route->command, k)); k++)
        if (!strcmp(option->name, name))
            return option;
    return NULL;
}

bool api_limits_results(const char *option)
{
    static const char *const names[] = {"top", "words", "documents", "mistakes"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(option, names[k]))
            return true;
    return false;
}

static void take_option(struct api_query *q, const struct option_spec *option, const char *value)
{
    char why[500];
    psdvec_option_value parsed;
    if (!psdvec_option_parse(&option->row, option->name, value, &parsed, why, sizeof why))
        api_fail(q, STATUS_BAD_REQUEST, phrase("%s", why));
    else if (api_limits_results(option->name) && (parsed.integer < 1 || parsed.integer > API_TOP))
        api_fail(q, STATUS_BAD_REQUEST, phrase("%s must be from 1 to %d", option->name, API_TOP));
    else if (!option_is_switch(option))
        q->options[q->option_count++] = phrase("--%s=%s", option->name, value);
    else if (parsed.integer)
        q->options[q->option_count++] = phrase("--%s", option->name);
}

static void take_set(struct api_query *q, const char *name)
{
    const struct api *api = q->worker->api;
    for (size_t k = 0; k < api->set_count; k++)
        if (!strcmp(api->set_names[k], name)) {
            q->sets[q->set_count++] = api->set_names[k];
            return;
        }
    api_fail(q, STATUS_NOT_FOUND,
             phrase("there is no test set '%s'; see " API_ROOT "models", name));
}

static void take_word(struct api_query *q, const struct api_parameter *parameter, const char *word)
{
    if (!*word)
        api_fail(q, STATUS_BAD_REQUEST, phrase("the parameter %s is empty", parameter->name));
    q->signs[q->word_count] = parameter->kind == API_PLUS    ? '+'
                              : parameter->kind == API_MINUS ? '-'
                                                             : 0;
    q->words[q->word_count++] = word;
}

static void take_counts(struct api_query *q, const char *value)
{
    static const psdvec_option row = FLAG_OPTION("counts");
    psdvec_option_value parsed = {0};
    char why[500];
    if (!psdvec_option_parse(&row, "counts", value, &parsed, why, sizeof why))
        api_fail(q, STATUS_BAD_REQUEST, phrase("%s", why));
    q->counts = parsed.integer;
    if (q->counts && !q->model->counts)
        api_fail(q, STATUS_UNFIT, "the server was started without --counts for this model");
}

static void take_number(struct api_query *q, const struct api_parameter *parameter,
                        const char *value)
{
    const psdvec_option row = WHOLE_OPTION("top", "N", 1, API_TOP);
    psdvec_option_value parsed = {0};
    char why[500];
    if (!psdvec_option_parse(&row, parameter->name, value, &parsed, why, sizeof why))
        api_fail(q, STATUS_BAD_REQUEST, phrase("%s", why));
    q->top = (size_t)parsed.integer;
}

static void take_place(struct api_query *q, const struct api_parameter *parameter,
                       const char *value)
{
    const psdvec_option row = WHOLE_OPTION("number", "N", 1, UINT32_MAX);
    psdvec_option_value parsed = {0};
    char why[500];
    if (!psdvec_option_parse(&row, parameter->name, value, &parsed, why, sizeof why))
        api_fail(q, STATUS_BAD_REQUEST, phrase("%s", why));
    q->number = (uint64_t)parsed.integer;
    uint64_t most = !q->topics ? q->number
                    : parameter->kind == API_TOPIC
                        ? psdvec_topics_get_info(q->topics->topics)->topics
                        : psdvec_topics_get_info(q->topics->topics)->documents;
    if (q->number > most)
        api_fail(q, STATUS_NOT_FOUND,
                 phrase("there is no %s %" PRIu64 "; the last is %" PRIu64, parameter->name,
                        q->number, most));
    if (parameter->kind == API_TOPIC)
        q->options[q->option_count++] = phrase("--topic=%" PRIu64, q->number);
}

/* The element of an array of structs that begin with their name. NULL, and an error: none has it. */
static void *named(struct api_query *q, void *list, size_t count, size_t size, const char *name,
                   const char *there_is_no)
{
    for (size_t k = 0; k < count; k++) {
        void *one = (char *)list + k * size;
        if (!strcmp(*(const char *const *)one, name))
            return one;
    }
    api_fail(q, STATUS_NOT_FOUND, phrase("%s '%s'; see " API_ROOT "models", there_is_no, name));
    return NULL;
}

static void take(struct api_query *q, const struct api_parameter *parameter, const char *value)
{
    switch (parameter->kind) {
    case API_TOPIC:
    case API_PLACE:
        take_place(q, parameter, value);
        break;
    case API_TOPICS:
        break; /* read_query() has taken it */
    case API_WORD:
    case API_WORDS:
    case API_PLUS:
    case API_MINUS:
        take_word(q, parameter, value);
        break;
    case API_TEXT:
        q->text = value;
        q->text_length = strlen(value);
        break;
    case API_PREFIX:
        q->prefix = value;
        break;
    case API_SET:
        take_set(q, value);
        break;
    case API_NUMBER:
        take_number(q, parameter, value);
        break;
    case API_COUNTS:
        take_counts(q, value);
        break;
    }
}

static bool may_repeat(enum api_kind kind)
{
    return kind == API_WORDS || kind == API_PLUS || kind == API_MINUS || kind == API_SET;
}

static void take_parameter(struct api_query *q, const struct api_parameter *parameter)
{
    size_t count = 0;
    for (size_t k = 0; k < q->request->field_count && !q->status; k++)
        if (!strcmp(q->request->fields[k].name, parameter->name)) {
            if (count++ && !may_repeat(parameter->kind))
                api_fail(q, STATUS_BAD_REQUEST,
                         phrase("the parameter %s is given twice", parameter->name));
            else
                take(q, parameter, q->request->fields[k].value);
        }
    bool required = parameter->kind <= API_PLUS;
    if (!count && required)
        api_fail(q, STATUS_BAD_REQUEST,
                 phrase("the parameter %s is missing: %s", parameter->name, parameter->help));
}

/* The options of the command, and names that nothing has. */
static void take_other(struct api_query *q, const struct http_field *field)
{
    const struct api_route *route = q->route;
    const struct option_spec *option = find_option(route, field->name);
    bool known = (route->of_model && !strcmp(field->name, "model")) ||
                 (route->of_topics && !strcmp(field->name, "topics"));
    for (size_t k = 0; k < API_PARAMETERS && route->parameters[k].name; k++)
        known |= !strcmp(field->name, route->parameters[k].name);
    if (option)
        take_option(q, option, field->value);
    else if (!known)
        api_fail(q, STATUS_BAD_REQUEST,
                 phrase("%s has no parameter '%s'", q->request->path, field->name));
}

/* Reads the parameters. After a failure q->status is set. */
static void read_query(struct api_query *q)
{
    const struct http_request *request = q->request;
    const struct api *api = q->worker->api;
    size_t most = request->field_count + 1;
    q->words = lasting_alloc(most, sizeof *q->words);
    q->signs = lasting_alloc(most, 1);
    q->sets = lasting_alloc(most, sizeof *q->sets);
    q->options = lasting_alloc(most, sizeof *q->options);
    q->prefix = "";
    q->top = 10;
    q->model = &api->models[0];
    q->topics = api->topics_count ? &api->topics[0] : NULL;
    if (q->route->of_topics && !q->topics)
        api_fail(q, STATUS_UNFIT, "the server was started without --topics");
    for (size_t k = 0; k < request->field_count && !q->status; k++)
        if (q->route->of_model && !strcmp(request->fields[k].name, "model"))
            q->model = named(q, api->models, api->model_count, sizeof *api->models,
                             request->fields[k].value, "there is no model");
        else if (q->route->of_topics && !strcmp(request->fields[k].name, "topics"))
            q->topics = named(q, api->topics, api->topics_count, sizeof *api->topics,
                              request->fields[k].value, "there are no topics");
    for (size_t k = 0; k < API_PARAMETERS && q->route->parameters[k].name && !q->status; k++)
        take_parameter(q, &q->route->parameters[k]);
    for (size_t k = 0; k < request->field_count && !q->status; k++)
        take_other(q, &request->fields[k]);
    if (request->body_length && takes_text(q->route)) {
        q->text = request->body;
        q->text_length = request->body_length;
    }
    if (q->route->of_counts && !q->status && !q->model->counts)
        api_fail(q, STATUS_UNFIT, "the server was started without --counts for this model");
}

/* ---- Commands ------------------------------------------------------------------------------ */

/* The command line of the query. */
static char **command_line(const struct api_query *q, int *count)
{
    const struct api_route *route = q->route;
    const struct command *command = route->command;
    char **list =
        lasting_alloc(q->option_count + 2 * q->word_count + q->set_count + 10, sizeof *list);
    const char *model = q->model->name;
    size_t at = 0;
    PV_HOLDS(!route->of_topics || q->topics); /* read_query refuses the others */
    list[at++] = (char *)"--json";
    for (size_t k = 0; k < q->option_count; k++)
        list[at++] = (char *)q->options[k];
    if ((route->of_counts && !route->counts_operand) || q->counts)
        list[at++] = (char *)phrase("--counts=%s", q->model->counts);
    for (size_t k = 0; k < q->set_count; k++)
        list[at++] = (char *)phrase("--set=%s", q->sets[k]);
    if (route->fixed)
        list[at++] = (char *)route->fixed;
    if (route->model_option)
        list[at++] = (char *)phrase("--model=%s", model);
    if (!command->signed_operands)
        list[at++] = (char *)"--";
    if (!route->model_option)
        list[at++] = (char *)(route->of_topics        ? q->topics->name
                              : route->counts_operand ? q->model->counts
                                                      : model);
    if (route->text_operand)
        list[at++] = (char *)"-";
    for (size_t k = 0; k < q->word_count; k++) {
        if (command->signed_operands)
            list[at++] = (char *)(q->signs[k] == '-' ? "-" : "+");
        list[at++] = (char *)q->words[k];
    }
    *count = (int)at;
    return list;
}

/* The HTTP status of an exit status. */
static unsigned status_of(const struct api_worker *worker, int code)
{
    if (is_too_large(worker))
        return STATUS_BAD_REQUEST;
    if (worker->request && http_expired(worker->request))
        return STATUS_BUSY;
    switch (code) {
    case EXIT_USE:
        return worker->run.unknown_word ? STATUS_NOT_FOUND : STATUS_BAD_REQUEST;
    case EXIT_INPUT:
    case EXIT_FILE:
        return STATUS_UNFIT;
    case EXIT_RESOURCE:
    case EXIT_INTERRUPTED:
        return STATUS_BUSY;
    default: /* above 128: ended by a signal */
        return code > 128 ? STATUS_BUSY : STATUS_DEFECT;
    }
}

/* Puts the lines that the command printed, each an object, into one object. */
static void join_lines(const struct api_route *route, struct buffer *output)
{
    struct buffer all = {0};
    pv_json_writer json;
    const char *at = buffer_get(output);
    json_start(&json, &all);
    pv_json_open_object(&json, NULL);
    pv_json_open_array(&json, route->lines);
    while (*at) {
        size_t length = strcspn(at, "\n");
        const char *next = at + length + (at[length] == '\n');
        if (route->last && !*next) {
            pv_json_close(&json);
            pv_json_put_raw(&json, route->last, at, length);
        } else
            pv_json_put_raw(&json, NULL, at, length);
        at = next;
    }
    if (!route->last)
        pv_json_close(&json);
    pv_json_close(&json);
    json_end(&json);
    buffer_char(&all, '\n');
    buffer_free(output);
    *output = all;
}

static void run_query(struct api_query *q)
{
    struct api_worker *worker = q->worker;
    struct run *run = &worker->run;
    struct arguments arguments;
    const char *error;
    int count;
    char **list = command_line(q, &count);
    int code = EXIT_USE;
    run->text = q->text;
    run->text_length = q->text_length;
    if (!arguments_parse(&arguments, q->route->command, count, list, &error))
        api_fail(q, STATUS_BAD_REQUEST, error);
    else if (arguments.help)
        api_fail(q, STATUS_DEFECT, "the command line of the request is not valid");
    else {
        run->arguments = &arguments;
        run->unknown_word = false;
        output_collect(&run->out, &worker->output);
        code = q->route->command->act(run);
        output_close(&run->out, false);
        run->arguments = NULL;
    }
    arguments_free(&arguments);
    while (run->settings_count)
        psdvec_settings_free(run->settings[--run->settings_count]);
    if (code == EXIT_FINE && !worker->output.length)
        code = exit_for(PSDVEC_ERR_CANCELLED); /* a command that a signal stopped */
    if (code == EXIT_FINE && is_too_large(worker))
        code = exit_for(PSDVEC_ERR_CANCELLED);
    if (code == EXIT_FINE && q->route->lines)
        join_lines(q->route, &worker->output);
    if (code != EXIT_FINE) {
        unsigned status = status_of(worker, code);
        api_fail(q, status,
                 is_too_large(worker) ? "the answer has more than 64 MiB; ask for less"
                 : status == STATUS_BUSY && worker->request && http_expired(worker->request)
                     ? "the request took too long and was stopped; ask for less, or start psdvec "
                       "explore with a larger --time-limit"
                     : phrase("%s", buffer_get(&worker->errors)));
    }
}

/* ---- Answers of the server itself ---------------------------------------------------------- */

void api_write_models(struct api_query *q, pv_json_writer *to)
{
    const struct api *api = q->worker->api;
    pv_json_put_string(to, "version", psdvec_version());
    pv_json_open_array(to, "models");
    for (size_t k = 0; k < api->model_count; k++) {
        const psdvec_model_info *info = psdvec_model_get_info(api->models[k].model);
        pv_json_open_object(to, NULL);
        pv_json_put_string(to, "name", api->models[k].name);
        pv_json_put_u64(to, "words", info->words);
        pv_json_put_u64(to, "dim", info->dim);
        pv_json_put_string(to, "method", info->method);
        pv_json_put_bool(to, "sparse", info->sparse);
        pv_json_put_bool(to, "has_frequencies", info->has_counts);
        pv_json_put_bool(to, "has_spelling", info->has_spelling);
        pv_json_put_bool(to, "counts", api->models[k].counts != NULL);
        pv_json_close(to);
    }
    pv_json_close(to);
    pv_json_open_array(to, "sets");
    for (size_t k = 0; k < api->own_set_count; k++)
        pv_json_put_string(to, NULL, api->set_names[k]);
    pv_json_close(to);
    pv_json_open_array(to, "builtin_sets");
    for (size_t k = api->own_set_count; k < api->set_count; k++)
        pv_json_put_string(to, NULL, api->set_names[k]);
    pv_json_close(to);
    pv_json_open_array(to, "topics");
    for (size_t k = 0; k < api->topics_count; k++) {
        const psdvec_topics_info *info = psdvec_topics_get_info(api->topics[k].topics);
        pv_json_open_object(to, NULL);
        pv_json_put_string(to, "name", api->topics[k].name);
        pv_json_put_u64(to, "topics", info->topics);
        pv_json_put_u64(to, "documents", info->documents);
        pv_json_put_u64(to, "words", info->words);
        pv_json_close(to);
    }
    pv_json_close(to);
}

void api_write_words(struct api_query *q, pv_json_writer *to)
{
    struct api *api = q->worker->api;
    const struct vocabulary *vocabulary = &q->model->vocabulary;
    bool counted = psdvec_model_get_info(q->model->model)->has_counts;
    uint32_t *words = lasting_alloc(q->top, sizeof *words);
    size_t first, end;
    pthread_mutex_lock(&api->lock);
    vocabulary_sort(&q->model->vocabulary);
    pthread_mutex_unlock(&api->lock);
    vocabulary_find_any_case(vocabulary, q->prefix, &first, &end);
    size_t count = vocabulary_best(vocabulary, first, end, words, q->top);
    pv_json_put_string(to, "prefix", q->prefix);
    pv_json_put_u64(to, "total", end - first);
    pv_json_open_array(to, "words");
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *text = psdvec_model_word(q->model->model, words[k], &length);
        pv_json_open_object(to, NULL);
        pv_json_put_string_n(to, "word", text, length);
        if (counted)
            pv_json_put_u64(to, "count", psdvec_model_frequency(q->model->model, words[k]));
        pv_json_close(to);
    }
    pv_json_close(to);
}

struct tokens {
    const psdvec_model *model;
    pv_json_writer *to;
};

static void on_token(void *user, const char *word, size_t length)
{
    const struct tokens *tokens = user;
    uint32_t index;
    if (!word)
        return;
    pv_json_open_object(tokens->to, NULL);
    pv_json_put_string_n(tokens->to, "word", word, length);
    pv_json_put_bool(tokens->to, "known", psdvec_model_find(tokens->model, word, length, &index));
    pv_json_close(tokens->to);
}

void api_write_tokens(struct api_query *q, pv_json_writer *to)
{
    struct tokens tokens = {q->model->model, to};
    struct run *run = &q->worker->run;
    pv_json_open_array(to, "tokens");
    psdvec_status status = psdvec_model_tokenize(run->ctx, q->model->model, q->text, q->text_length,
                                                 on_token, &tokens);
    pv_json_close(to);
    if (status != PSDVEC_OK)
        api_fail(q, status_of(q->worker, exit_for(status)),
                 phrase("%s", psdvec_error_message(run->ctx)));
}

/* ---- Requests ------------------------------------------------------------------------------ */

static const struct api_route *find_route(const char *path)
{
    size_t root = strlen(API_ROOT);
    if (strncmp(path, API_ROOT, root) != 0)
        return NULL;
    for (const struct api_route *route = api_routes; route->name; route++)
        if (!strcmp(route->name, path + root))
            return route;
    return NULL;
}

static const char *type_of(const struct api_route *route)
{
    return route->send ? "application/octet-stream" : "application/json";
}

/* For the decision who answers it. */
static size_t request_text_length(const struct http_request *request)
{
    size_t length = request->body_length;
    for (size_t k = 0; k < request->field_count; k++)
        if (!strcmp(request->fields[k].name, "text"))
            length += strlen(request->fields[k].value);
    return length;
}

static void send_description(struct http_response *response)
{
    struct buffer text = {0};
    api_describe(&text);
    *response = (struct http_response){.status = STATUS_OK,
                                       .type = "application/json",
                                       .body = text.text,
                                       .length = text.length,
                                       .owned = true};
}

/* The files of the page, and the description of the routes. */
static bool send_file(const struct http_request *request, struct http_response *response)
{
    const struct web_file *file = web_files;
    bool description = !strcmp(request->path, API_ROOT "openapi.json");
    while (file->path && strcmp(file->path, request->path) != 0)
        file++;
    if (!description && !file->path)
        return false;
    if (strcmp(request->method, "GET") != 0) {
        response->allow = "GET, HEAD";
        http_fail(response, STATUS_METHOD, "the methods of this file are GET and HEAD");
        return true;
    }
    if (description) {
        send_description(response);
        return true;
    }
    uint64_t value = api_hash(api_hash_text(0, psdvec_version()), file->bytes, file->length);
    const char *tag = must_format("W/\"%016" PRIx64 "\"", value);
    *response = (struct http_response){.status = STATUS_OK, .type = file->type, .etag = tag};
    if (http_has(request, tag)) {
        response->status = STATUS_NOT_MODIFIED;
    } else {
        response->body = (const char *)file->bytes;
        response->length = file->length;
        response->stored_packed = file->packed;
    }
    return true;
}

enum http_decision api_receive(void *user, const struct http_request *request,
                               struct http_response *response)
{
    const struct api *api = user;
    const struct api_route *route = find_route(request->path);
    if (!route && send_file(request, response))
        return HTTP_ANSWERED;
    if (!route) {
        http_fail(response, STATUS_NOT_FOUND,
                  "there is nothing here; " API_ROOT "openapi.json lists what there is");
        return HTTP_ANSWERED;
    }
    bool get = !strcmp(request->method, "GET");
    if (!get && !takes_text(route)) {
        response->allow = "GET, HEAD";
        http_fail(response, STATUS_METHOD, "the methods of this route are GET and HEAD");
        return HTTP_ANSWERED;
    }
    if (get && !route->changes) {
        response->etag = etag(api, request);
        if (http_has(request, response->etag)) {
            response->status = STATUS_NOT_MODIFIED;
            response->type = type_of(route);
            return HTTP_ANSWERED;
        }
    }
    bool is_long = route->is_long ||
                   (takes_text(route) && request_text_length(request) > LONG_TEXT);
    return is_long ? HTTP_LONG_WORK : HTTP_WORK;
}

/* Lets the query's function write its object. */
static void write_object(struct api_query *q)
{
    pv_json_writer json;
    json_start(&json, &q->worker->output);
    pv_json_open_object(&json, NULL);
    q->route->write(q, &json);
    pv_json_close(&json);
    json_end(&json);
    buffer_char(&q->worker->output, '\n');
}

void api_answer(void *user, size_t number, const struct http_request *request,
                struct http_response *response)
{
    struct api *api = user;
    struct api_worker *worker = &api->workers[number];
    struct api_query q = {.worker = worker, .request = request, .route = find_route(request->path)};
    PV_HOLDS(q.route); /* api_receive answers requests for other paths */
    size_t mark = lasting_count();
    worker->request = request;
    buffer_clear(&worker->output);
    buffer_clear(&worker->errors);
    if (!worker->run.ctx)
        api_fail(&q, STATUS_BUSY, "the server has too little memory; raise --memory");
    else
        read_query(&q);
    if (!q.status && takes_text(q.route) && !q.text) {
        q.text = "";
        if (!q.route->options || !strstr(q.route->options, " top ")) /* next needs none */
            api_fail(&q, STATUS_BAD_REQUEST,
                     "the text is missing: give the parameter text, or a body with POST");
    }
    if (!q.status && q.route->command)
        run_query(&q);
    else if (!q.status && q.route->write)
        write_object(&q);
    else if (!q.status)
        q.route->send(&q, response);
    worker->request = NULL;
    if (q.status)
        http_fail(response, q.status, q.error);
    else {
        response->status = STATUS_OK;
        response->type = type_of(q.route);
    }
    if (!q.status && !q.route->send) {
        response->body = worker->output.text;
        response->length = worker->output.length;
        response->owned = true;
        worker->output = (struct buffer){0};
    }
    lasting_end(mark);
}

/* ---- Without a connection ------------------------------------------------------------------ */

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes `length` bytes of a URL; lasting. */
static const char *decode(const char *text, size_t length, bool plus)
{
    struct buffer to = {0};
    for (size_t k = 0; k < length; k++) {
        int high = k + 2 < length ? hexadecimal(text[k + 1]) : -1;
        int low = k + 2 < length ? hexadecimal(text[k + 2]) : -1;
        if (text[k] == '%' && high >= 0 && low >= 0) {
            buffer_char(&to, (char)(16 * high + low));
            k += 2;
        } else
            buffer_char(&to, plus && text[k] == '+' ? ' ' : text[k]);
    }
    return phrase_of(&to);
}

/* Splits the query of a URL. */
static struct http_field *split(const char *query, size_t *count)
{
    struct http_field *fields = lasting_alloc(strlen(query) + 1, sizeof *fields);
    *count = 0;
    while (*query) {
        size_t length = strcspn(query, "&"), name = strcspn(query, "&=");
        const char *value = name < length ? query + name + 1 : query + length;
        if (length)
            fields[(*count)++] = (struct http_field){
                decode(query, name, true), decode(value, (size_t)(query + length - value), true)};
        query += length + (query[length] == '&');
    }
    return fields;
}

unsigned api_get(struct api *api, const char *url, double seconds, struct buffer *to)
{
    size_t path = strcspn(url, "?");
    struct http_request request = {
        .method = "GET", .path = decode(url, path, false), .deadline = pv_now() + seconds};
    struct http_response response = {0};
    request.fields = split(url[path] ? url + path + 1 : "", &request.field_count);
    bool valid = pv_utf8_valid(request.path, strlen(request.path)) == strlen(request.path);
    for (size_t k = 0; k < request.field_count; k++) {
        const struct http_field *field = &request.fields[k];
        valid &= pv_utf8_valid(field->name, strlen(field->name)) == strlen(field->name) &&
                 pv_utf8_valid(field->value, strlen(field->value)) == strlen(field->value);
    }
    if (!valid || strstr(url, "%00"))
        http_fail(&response, STATUS_BAD_REQUEST, "the request must be UTF-8 without zero bytes");
    else if (api_receive(api, &request, &response) != HTTP_ANSWERED)
        api_answer(api, 0, &request, &response);
    if (response.stored_packed)
        http_fail(&response, STATUS_BAD_REQUEST, "only routes of the API can be asked for");
    buffer_add(to, response.body ? response.body : "", response.length);
    if (response.owned)
        free((char *)response.body);
    free((char *)response.etag);
    return response.status;
}
