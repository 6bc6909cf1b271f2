/* The HTTP interface of psdvec explore: which commands answer which requests.
 *
 * A route names a command and those of its options that are parameters. The answer is what the
 * command prints with --json, so both have the same content and the same digits. Words and texts of
 * requests are never names of files: run.only_open. */
#ifndef CLI_API_H
#define CLI_API_H

#include "explore_map.h"
#include "run.h"
#include "server/http.h"
#include "vocabulary.h"

#define API_ROOT "/api/v1/"

/* A model that is served. */
struct api_model {
    const char *name;   /* short and distinct */
    const char *counts; /* the name of its counts in api.open; NULL: none */
    psdvec_model *model;
    struct vocabulary vocabulary; /* sorted at the first completion */
};

/* A topics file that is served. */
struct api_topics {
    const char *name; /* short and distinct */
    psdvec_topics *topics;
};

struct api_worker {
    struct api *api;
    struct run run;
    struct buffer output, errors;
    const struct http_request *request;
};

struct api {
    struct run *run; /* of the command */
    struct api_model *models;
    size_t model_count;
    struct open_file *open; /* the models, counts, topics and test sets */
    size_t open_count;
    struct api_topics *topics;
    size_t topics_count;
    const char **set_names; /* those of --set come first, then the built-in ones */
    size_t set_count, own_set_count;
    uint64_t identity; /* of the content of all files */
    struct api_worker *workers;
    size_t worker_count;
    pthread_mutex_t lock; /* of the vocabularies */
    struct explore_maps maps;
    uint64_t map_memory; /* of the limit; the workers share the rest */
};

/* Opens models, --counts and --set, and makes this many workers. Returns an exit status. */
int api_open(struct api *api, struct run *run, size_t workers);
void api_close(struct api *api);

/* The functions of struct http_options; `api` is a struct api. */
enum http_decision api_receive(void *api, const struct http_request *request,
                               struct http_response *response);
void api_answer(void *api, size_t worker, const struct http_request *request,
                struct http_response *response);
void api_worker_begin(void *api, size_t worker);
void api_worker_end(void *api, size_t worker);
/* The same in a thread that goes on. */
void api_worker_leave(struct api *api, size_t worker);

/* Answers the request for a URL without a connection, in this thread; `seconds`: the time limit.
 * Adds the body of the answer, and returns its HTTP status. */
unsigned api_get(struct api *api, const char *url, double seconds, struct buffer *to);

/* docs/reference/openapi.json: the description of all routes. */
void api_describe(struct buffer *to);

/* The steps of api_open() for files other than models: api_files.c. They add to `open`, which has
 * capacity for all of them but sets. Return an exit status. */
size_t api_file_count(const struct arguments *arguments);
int api_open_sets(struct api *api);
int api_open_topics(struct api *api);
/* Makes the content of a file part of the identity. Returns an exit status. */
int api_identify(struct api *api, const char *path);

/* ---- Hashes: FNV-1a, because ETags need a hash that rarely collides by accident ------------- */
uint64_t api_hash(uint64_t seed, const void *bytes, size_t length); /* seed 0: the start */
uint64_t api_hash_text(uint64_t seed, const char *text);            /* with its zero */

/* ---- Routes -------------------------------------------------------------------------------- */

enum api_kind {
    API_TOPIC,  /* the number of a topic; required */
    API_PLACE,  /* the number of a document; required */
    API_WORD,   /* one word; required */
    API_WORDS,  /* one word or several: repeated */
    API_PLUS,   /* words that are added: repeated */
    API_MINUS,  /* words that are subtracted: repeated, optional */
    API_TEXT,   /* a text; the body of a POST takes its place */
    API_PREFIX, /* the first letters of words; optional */
    API_SET,    /* the name of a test set: repeated, optional */
    API_NUMBER, /* a number of results; optional */
    API_COUNTS, /* whether to use the counts; optional */
    API_TOPICS  /* the name of a topics file; optional */
};

struct api_parameter {
    const char *name; /* NULL ends the list */
    enum api_kind kind;
    const char *help;
};

#define API_PARAMETERS 4

struct api_query;
struct api_route {
    const char *name; /* after API_ROOT; NULL ends the list */
    const char *summary;
    const char *description;
    const struct command *command; /* which answers it; NULL: `write` or `send` does */
    void (*write)(struct api_query *query, pv_json_writer *to);
    void (*send)(struct api_query *query, struct http_response *response); /* bytes, not JSON */
    struct api_parameter parameters[API_PARAMETERS];
    const char *options; /* of the command that are parameters too: " top restrict " */
    const char *fixed;   /* an option that the command always gets; NULL: none */
    bool model_option;   /* the command gets the model by --model, not as an operand */
    bool of_model;       /* has the parameter `model` */
    bool of_counts;      /* needs the counts of the model, and its command gets them: */
    bool counts_operand; /* as the first operand instead of the model */
    bool of_topics;      /* needs topics, and its command gets the file as the first operand */
    bool text_operand;   /* the command needs an operand for the text */
    bool is_long;
    bool changes;             /* the answer can change while the server runs: it has no ETag */
    const char *lines, *last; /* the command prints several objects: members for the list of them,
                                 and for the last one if that is apart; NULL: one object */
    const char *schema;       /* of the answer: see api_describe.c */
};
extern const struct api_route api_routes[];

/* The number of results that a request can ask for; and the options that are such numbers. */
enum { API_TOP = 1000 };
bool api_limits_results(const char *option);

struct api_query {
    struct api_worker *worker;
    const struct api_route *route;
    const struct http_request *request;
    struct api_model *model;
    const struct api_topics *topics; /* NULL: none */
    uint64_t number;                 /* of a topic or a document, from 1 */
    const char **words;              /* in the order of the parameters */
    char *signs;                     /* '+', '-' or 0 */
    size_t word_count;
    const char *text;
    size_t text_length;
    const char *prefix;
    size_t top;
    const char **sets;
    size_t set_count;
    const char **options; /* --name=value */
    size_t option_count;
    bool counts;
    unsigned status; /* of a failure; 0: none */
    const char *error;
};

void api_write_models(struct api_query *query, pv_json_writer *to);
void api_write_words(struct api_query *query, pv_json_writer *to);
void api_write_map(struct api_query *query, pv_json_writer *to);
void api_send_map(struct api_query *query, struct http_response *response);
void api_write_tokens(struct api_query *query, pv_json_writer *to);
/* api_write.c */
void api_write_word(struct api_query *query, pv_json_writer *to);
void api_write_document(struct api_query *query, pv_json_writer *to);

/* Lets the query fail with this status and message, which lasts; the first failure counts. */
void api_fail(struct api_query *query, unsigned status, const char *message);

#endif
