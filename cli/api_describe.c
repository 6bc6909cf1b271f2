/* The description of the HTTP interface in the form of OpenAPI 3.1, from the table of routes.
 *
 * Answers are described in a short notation, which becomes JSON Schema:
 *
 *     member:type other?:type *      an object; ?: the member may be missing; *: and others
 *     [type]   {members}             a list; an object
 *     string number integer boolean  as in JSON Schema; number|null may be null */
#include "api.h"

#include "phrase.h"

#include <assert.h>
#include <string.h>

/* ---- Answers ------------------------------------------------------------------------------- */

static const char *put_type(pv_json_writer *to, const char *key, const char *at);

static const char *put_members(pv_json_writer *to, const char *at)
{
    struct buffer required = {0};
    bool others = false;
    pv_json_put_string(to, "type", "object");
    pv_json_open_object(to, "properties");
    while (*at && *at != '}') {
        if (*at == ' ') {
            at++;
        } else if (*at == '*') {
            others = true;
            at++;
        } else {
            size_t length = strcspn(at, "?:");
            const char *name = phrase("%.*s", (int)length, at);
            at += length;
            if (*at == '?')
                at++;
            else
                buffer_format(&required, " %s", name);
            assert(*at == ':');
            at = put_type(to, name, at + 1);
        }
    }
    pv_json_close(to);
    if (required.length) {
        pv_json_open_array(to, "required");
        for (const char *name = required.text; *name; name += strcspn(name, " ")) {
            name++;
            pv_json_put_string_n(to, NULL, name, strcspn(name, " "));
        }
        pv_json_close(to);
    }
    pv_json_put_bool(to, "additionalProperties", others);
    buffer_free(&required);
    return at;
}

/* Puts the type at the start of the text, and returns what follows it. */
static const char *put_type(pv_json_writer *to, const char *key, const char *at)
{
    pv_json_open_object(to, key);
    if (*at == '[') {
        pv_json_put_string(to, "type", "array");
        at = put_type(to, "items", at + 1);
        assert(*at == ']');
        at++;
    } else if (*at == '{') {
        at = put_members(to, at + 1);
        assert(*at == '}');
        at++;
    } else {
        size_t length = strcspn(at, " ]}|");
        bool nullable = at[length] == '|';
        if (nullable) {
            pv_json_open_array(to, "type");
            pv_json_put_string_n(to, NULL, at, length);
            pv_json_put_string(to, NULL, "null");
            pv_json_close(to);
        } else
            pv_json_put_string_n(to, "type", at, length);
        at += length + (nullable ? strlen("|null") : 0);
    }
    pv_json_close(to);
    return at;
}

/* ---- Parameters ---------------------------------------------------------------------------- */

static void open_parameter(pv_json_writer *to, const char *name, const char *help, bool required)
{
    pv_json_open_object(to, NULL);
    pv_json_put_string(to, "name", name);
    pv_json_put_string(to, "in", "query");
    pv_json_put_string(to, "description", help);
    if (required)
        pv_json_put_bool(to, "required", true);
}

static void put_parameter(pv_json_writer *to, const struct api_parameter *parameter)
{
    enum api_kind kind = parameter->kind;
    bool list = kind == API_WORDS || kind == API_PLUS || kind == API_MINUS || kind == API_SET;
    open_parameter(to, parameter->name, parameter->help, kind <= API_PLUS);
    pv_json_open_object(to, "schema");
    if (list) {
        pv_json_put_string(to, "type", "array");
        pv_json_open_object(to, "items");
    }
    pv_json_put_string(to, "type",
                       kind == API_NUMBER || kind == API_TOPIC || kind == API_PLACE ? "integer"
                       : kind == API_COUNTS                                         ? "boolean"
                                                                                    : "string");
    if (kind == API_NUMBER || kind == API_TOPIC || kind == API_PLACE)
        pv_json_put_u64(to, "minimum", 1);
    if (kind == API_NUMBER)
        pv_json_put_u64(to, "maximum", API_TOP);
    if (list)
        pv_json_close(to);
    pv_json_close(to);
    if (list)
        pv_json_put_bool(to, "explode", true);
    pv_json_close(to);
}

static bool is_whole(const psdvec_option *row)
{
    return row->type == PSDVEC_OPTION_INT || row->type == PSDVEC_OPTION_UINT32 ||
           row->type == PSDVEC_OPTION_UINT64;
}

static void put_option(pv_json_writer *to, const struct option_spec *option)
{
    const psdvec_option *row = &option->row;
    bool top = api_limits_results(option->name);
    open_parameter(to, option->name, row->help, false);
    pv_json_open_object(to, "schema");
    if (row->word && !top) { /* a number, or a keyword */
        pv_json_open_array(to, "type");
        pv_json_put_string(to, NULL, is_whole(row) ? "integer" : "number");
        pv_json_put_string(to, NULL, "string");
        pv_json_close(to);
    } else
        pv_json_put_string(to, "type",
                           is_whole(row)                       ? "integer"
                           : row->type == PSDVEC_OPTION_DOUBLE ? "number"
                           : row->type == PSDVEC_OPTION_FLAG   ? "boolean"
                                                               : "string");
    if (row->choices) {
        pv_json_open_array(to, "enum");
        for (const psdvec_choice *choice = row->choices; choice->name; choice++)
            pv_json_put_string(to, NULL, choice->name);
        pv_json_close(to);
    }
    if (top) {
        pv_json_put_u64(to, "minimum", 1);
        pv_json_put_u64(to, "maximum", API_TOP);
    }
    if (row->fallback && is_whole(row) && !row->word)
        pv_json_put_raw(to, "default", row->fallback, strlen(row->fallback));
    pv_json_close(to);
    pv_json_close(to);
}

static void put_parameters(pv_json_writer *to, const struct api_route *route, bool body)
{
    static const struct api_parameter model = {"model", API_PREFIX,
                                               "the name of a model; the first by default"};
    static const struct api_parameter topics = {"topics", API_TOPICS,
                                                "the name of a topics file; the first by default"};
    pv_json_open_array(to, "parameters");
    if (route->of_model)
        put_parameter(to, &model);
    if (route->of_topics)
        put_parameter(to, &topics);
    for (size_t k = 0; k < API_PARAMETERS && route->parameters[k].name; k++)
        if (!body || route->parameters[k].kind != API_TEXT)
            put_parameter(to, &route->parameters[k]);
    const struct option_spec *option;
    for (size_t k = 0; route->options && (option = command_option(route->command, k)); k++)
        if (strstr(route->options, phrase(" %s ", option->name)))
            put_option(to, option);
    pv_json_close(to);
}

/* ---- Routes -------------------------------------------------------------------------------- */

static void put_content(pv_json_writer *to, const char *type)
{
    pv_json_open_object(to, "content");
    pv_json_open_object(to, type);
}

static void put_error(pv_json_writer *to, const char *status, const char *description)
{
    pv_json_open_object(to, status);
    pv_json_put_string(to, "description", description);
    put_content(to, "application/json");
    pv_json_open_object(to, "schema");
    pv_json_put_string(to, "$ref", "#/components/schemas/error");
    for (int k = 0; k < 4; k++)
        pv_json_close(to);
}

static void put_operation(pv_json_writer *to, const struct api_route *route, bool post)
{
    pv_json_open_object(to, post ? "post" : "get");
    pv_json_put_string(to, "operationId", post ? phrase("%s-text", route->name) : route->name);
    pv_json_put_string(to, "summary", route->summary);
    pv_json_put_string(to, "description", route->description);
    put_parameters(to, route, post);
    if (post) {
        pv_json_open_object(to, "requestBody");
        pv_json_put_bool(to, "required", true);
        put_content(to, "text/plain");
        pv_json_open_object(to, "schema");
        pv_json_put_string(to, "type", "string");
        for (int k = 0; k < 4; k++)
            pv_json_close(to);
    }
    pv_json_open_object(to, "responses");
    pv_json_open_object(to, "200");
    pv_json_put_string(to, "description", "the answer");
    put_content(to, route->send ? "application/octet-stream" : "application/json");
    if (route->schema) {
        pv_json_open_object(to, "schema");
        put_members(to, route->schema);
        pv_json_close(to);
    }
    for (int k = 0; k < 3; k++)
        pv_json_close(to);
    put_error(to, "400", "a parameter is missing, unknown or not valid");
    put_error(to, "404", "there is no such model, word, topic or test set");
    put_error(to, "422", "the model does not have what the request needs");
    put_error(to, "503", "the server is busy, or the request took too long");
    pv_json_close(to);
    pv_json_close(to);
}

void api_describe(struct buffer *to)
{
    size_t mark = lasting_count();
    pv_json_writer json;
    json_start(&json, to);
    pv_json_open_object(&json, NULL);
    pv_json_put_string(&json, "openapi", "3.1.0");
    pv_json_open_object(&json, "info");
    pv_json_put_string(&json, "title", "psdvec explore");
    pv_json_put_string(&json, "description",
                       "Queries to models of psdvec. Answers are the JSON of the commands of the "
                       "same name.");
    pv_json_put_string(&json, "version", "1");
    pv_json_close(&json);
    pv_json_open_object(&json, "paths");
    for (const struct api_route *route = api_routes; route->name; route++) {
        pv_json_open_object(&json, phrase(API_ROOT "%s", route->name));
        put_operation(&json, route, false);
        if (route->parameters[0].name && route->parameters[0].kind == API_TEXT)
            put_operation(&json, route, true);
        pv_json_close(&json);
    }
    pv_json_close(&json);
    pv_json_open_object(&json, "components");
    pv_json_open_object(&json, "schemas");
    pv_json_open_object(&json, "error");
    put_members(&json, "error:{status:integer message:string}");
    for (int k = 0; k < 4; k++)
        pv_json_close(&json);
    json_end(&json);
    buffer_char(to, '\n');
    lasting_end(mark);
}
