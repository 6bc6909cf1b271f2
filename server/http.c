/* The HTTP server. */
#include "http.h"

#include "util/clock.h"
#include "util/utf8.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* MHD_Result is an int before version 0.9.71. */
#if MHD_VERSION < 0x00097002
#define MHD_Result int
#else
#define MHD_Result enum MHD_Result
#endif

#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "  \
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#define PACK_FROM 1000                /* bytes from which packing saves something */
#define MOST_HELD ((size_t)256 << 20) /* bytes of all answers that clients have not read yet */
#define GRACE 2.0                     /* seconds for running requests when the server ends */

struct server;

/* A connection, from its start to its end. */
struct connection {
    struct connection *next, *before;
    int fd;
    double until; /* when it is cut; 0: while its request is computed */
};

/* A request and its answer. */
struct exchange {
    struct http_request request;
    struct server *server;
    struct exchange *next; /* in the queue */
    struct MHD_Connection *to;
    struct http_response response;
    struct http_field *fields;
    size_t capacity; /* of `fields` */
    struct http_text body;
    char *url; /* as received; NULL: not known */
    char *path;
    char *none_match;
    const char *method;
    double started;
    size_t sent, held;
    atomic_bool done;
    bool begun, may_compute, too_large, invalid, no_memory, long_work, answered, packs;
};

struct server {
    const struct http_options *options;
    struct MHD_Daemon *daemon;
    struct connection *connections;
    int answers[2];       /* a pipe: workers write to it when an answer is ready */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct exchange *first, *last; /* the queue */
    size_t long_running, busy;
    bool ended;
    atomic_bool cancel;
    /* Of the main thread: */
    bool stopping;
    size_t held; /* bytes of answers that are being sent */
};

struct worker {
    struct server *server;
    size_t number;
    pthread_t thread;
};

/* ---- Answers ------------------------------------------------------------------------------ */

static char *copy(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *new = size ? malloc(size) : NULL;
    return new ? memcpy(new, text, size) : NULL;
}

/* Whether the client accepts gzip: "gzip" in the list, not with q=0. */
static bool accepts_gzip(struct MHD_Connection *connection)
{
    const char *list = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding");
    const char *at = list ? strcasestr(list, "gzip") : NULL;
    if (!at)
        return false;
    at += strlen("gzip");
    at += strspn(at, " ");
    if (*at != ';')
        return true;
    const char *weight = strstr(at, "q=");
    const char *comma = strchr(at, ',');
    return !weight || (comma && weight > comma) || strtod(weight + 2, NULL) > 0;
}

/* Replaces the body by the packed or unpacked one. Nothing changes if that fails. */
static void recode(struct http_response *response, bool pack)
{
    struct http_text out;
    if (!http_gzip(response->body, response->length, pack, &out))
        return;
    if (response->owned)
        free((char *)response->body);
    response->body = out.text;
    response->length = out.length;
    response->owned = true;
    response->stored_packed = pack;
}

/* Packs the answer if that is useful, and unpacks it for a client that needs that. May run in a
 * worker. */
static void encode(struct exchange *x)
{
    struct http_response *response = &x->response;
    if (response->stored_packed ? !x->packs : x->packs && response->length >= PACK_FROM)
        recode(response, !response->stored_packed);
}

static MHD_Result send_answer(struct exchange *x)
{
    struct http_response *answer = &x->response;
    if (answer->owned && x->server->held + answer->length > MOST_HELD)
        http_fail(answer, MHD_HTTP_SERVICE_UNAVAILABLE,
                  "clients are slow to read their answers; try again later");
    bool packed = answer->stored_packed;
    if (answer->length && !answer->body) { /* out of memory */
        answer->length = 0;
        answer->status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
    bool given = answer->owned && answer->length; /* to libmicrohttpd */
    struct MHD_Response *response = MHD_create_response_from_buffer(
        answer->length, answer->length ? (void *)(uintptr_t)answer->body : "",
        given ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    if (given) {
        answer->owned = false;
        x->held = answer->length;
        x->server->held += x->held;
    }
    const char *const headers[][2] = {{"Content-Type", answer->type},
                                      {"Content-Encoding", packed ? "gzip" : NULL},
                                      {"Vary", "Accept-Encoding"},
                                      {"ETag", answer->etag},
                                      {"Cache-Control", answer->etag ? "no-cache" : "no-store"},
                                      {"Allow", answer->allow},
                                      {"Content-Security-Policy", POLICY},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"X-Frame-Options", "DENY"},
                                      {"Referrer-Policy", "no-referrer"},
                                      {"Cross-Origin-Resource-Policy", "same-origin"},
                                      {"Cross-Origin-Opener-Policy", "same-origin"}};
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        if (headers[k][1])
            MHD_add_response_header(response, headers[k][0], headers[k][1]);
    x->sent = answer->length;
    x->answered = true;
    MHD_Result result = MHD_queue_response(x->to, answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- Checks ------------------------------------------------------------------------------- */

bool http_is_loopback(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

bool http_read_address(const char *text, char address[HTTP_ADDRESS], const char **port)
{
    struct in_addr four;
    struct in6_addr six;
    bool brackets = *text == '[';
    const char *end = brackets ? strchr(text, ']') : NULL;
    const char *colon = brackets ? end : strchr(text, ':');
    if (brackets && !end)
        return false;
    if (!brackets && colon && strchr(colon + 1, ':')) /* several: IPv6 */
        colon = NULL;
    size_t length = brackets ? (size_t)(end - ++text)
                    : colon  ? (size_t)(colon - text)
                             : strlen(text);
    const char *rest = brackets ? end + 1 : text + length;
    char copy[HTTP_ADDRESS];
    if (length >= sizeof copy || (*rest && *rest != ':'))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *port = *rest ? rest + 1 : NULL;
    if (!brackets && (!strcmp(copy, "localhost") || inet_pton(AF_INET, copy, &four) == 1)) {
        memcpy(address, *copy == 'l' ? "127.0.0.1" : copy, *copy == 'l' ? 10 : length + 1);
        return true;
    }
    return inet_pton(AF_INET6, copy, &six) == 1 &&
           inet_ntop(AF_INET6, &six, address, HTTP_ADDRESS) != NULL; /* the shortest form */
}

/* Whether the Host header, with or without a port, has this name. */
static bool is_host(const char *host, const char *name)
{
    size_t length = strlen(name);
    struct in6_addr six;
    bool brackets = inet_pton(AF_INET6, name, &six) == 1;
    if (brackets && *host++ != '[')
        return false;
    if (strncasecmp(host, name, length) != 0)
        return false;
    host += length;
    if (brackets && *host++ != ']')
        return false;
    return *host == '\0' || (*host == ':' && strspn(host + 1, "0123456789") == strlen(host + 1));
}

/* The numeric form of an address, an IPv4 address also if it is mapped into IPv6. */
static void address_text(const struct sockaddr_storage *address, char text[INET6_ADDRSTRLEN])
{
    text[0] = '\0';
    if (address->ss_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof four);
        inet_ntop(AF_INET, &four.sin_addr, text, INET6_ADDRSTRLEN);
    } else if (address->ss_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof six);
        bool mapped = IN6_IS_ADDR_V4MAPPED(&six.sin6_addr);
        inet_ntop(mapped ? AF_INET : AF_INET6,
                  mapped ? (const void *)&six.sin6_addr.s6_addr[12] : (const void *)&six.sin6_addr,
                  text, INET6_ADDRSTRLEN);
    }
}

/* Whether the host is the numeric address at which the connection arrived. A page of another site
 * cannot have that in its requests, because it would have to be at that address itself. */
static bool is_own_address(const char *host, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char text[INET6_ADDRSTRLEN];
    if (!info || getsockname(info->connect_fd, (struct sockaddr *)&address, &size) != 0)
        return false;
    address_text(&address, text);
    return *text && is_host(host, text);
}

static bool host_is_known(const struct server *server, const char *host,
                          struct MHD_Connection *connection)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
    if (!host)
        return false;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (is_host(host, own[k]))
            return true;
    for (size_t k = 0; k < server->options->host_count; k++)
        if (is_host(host, server->options->hosts[k]))
            return true;
    return is_own_address(host, connection);
}

/* Whether an Origin is that of the page that this server sends: "http://" or, behind a proxy,
 * "https://" and the Host. */
static bool is_own_origin(const char *origin, const char *host)
{
    const char *name = strstr(origin, "://");
    return name && !strcasecmp(name + 3, host);
}

/* Whether a page of this server sends the request, or no page at all. Browsers say so in
 * Sec-Fetch-Site; but to addresses other than those of this machine, without encryption, they do
 * not. Then a header that no other site can add without asking (CORS) shows it. The names of all
 * browsers begin with Mozilla/. */
static bool may_compute(struct MHD_Connection *connection, const char *site)
{
    const char *agent = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "User-Agent");
    return site || !agent || strncasecmp(agent, "Mozilla/", 8) != 0 ||
           MHD_lookup_connection_value(connection, MHD_HEADER_KIND, HTTP_PAGE_HEADER);
}

/* Refuses a request by its headers. Returns false with the answer if it is refused. */
static bool check_headers(struct exchange *x, const char *method)
{
    const char *host = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Sec-Fetch-Site");
    const char *mode = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Sec-Fetch-Mode");
    const char *size = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Content-Length");
    const char *into = MHD_lookup_connection_value(x->to, MHD_HEADER_KIND, "Sec-Fetch-Dest");
    /* A link to the page may be anywhere; but other sites must not make the server compute, as they
     * could with frames and with links to the API. */
    bool follows_link = mode && !strcmp(mode, "navigate") && into && !strcmp(into, "document") &&
                        !strcmp(method, "GET") && strncmp(x->path, "/api/", 5) != 0;
    if (!host_is_known(x->server, host, x->to)) {
        http_fail(&x->response, MHD_HTTP_MISDIRECTED_REQUEST,
                  "the Host header names another machine; to serve under another name, start "
                  "psdvec explore with --host NAME");
        return false;
    }
    if ((origin && !is_own_origin(origin, host)) ||
        (site && !follows_link && (!strcmp(site, "cross-site") || !strcmp(site, "same-site")))) {
        http_fail(&x->response, MHD_HTTP_FORBIDDEN, "pages of other sites may not use this server");
        return false;
    }
    x->may_compute = may_compute(x->to, site);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 && strcmp(method, "POST") != 0) {
        x->response.allow = "GET, HEAD, POST";
        http_fail(&x->response, MHD_HTTP_METHOD_NOT_ALLOWED, "the methods are GET, HEAD and POST");
        return false;
    }
    if (size && strtoull(size, NULL, 10) > x->server->options->most_body) {
        http_fail(&x->response, MHD_HTTP_CONTENT_TOO_LARGE, "the body of the request is too large");
        return false;
    }
    return true;
}

static bool is_text(const char *text, size_t length)
{
    return !memchr(text, 0, length) && pv_utf8_valid(text, length) == length;
}

static MHD_Result take_field(void *user, enum MHD_ValueKind kind, const char *name,
                             size_t name_length, const char *value, size_t value_length)
{
    struct exchange *x = user;
    (void)kind;
    if (x->request.field_count == x->capacity) {
        size_t capacity = 2 * x->capacity + 8;
        struct http_field *more = realloc(x->fields, capacity * sizeof *more);
        if (!more) {
            x->no_memory = true;
            return MHD_NO;
        }
        x->fields = more;
        x->capacity = capacity;
    }
    value = value ? value : "";
    x->invalid |= !is_text(name, name_length) || !is_text(value, value_length);
    x->fields[x->request.field_count++] = (struct http_field){name, value};
    return x->invalid ? MHD_NO : MHD_YES;
}

/* ---- Workers ------------------------------------------------------------------------------ */

static void enqueue(struct exchange *x)
{
    struct server *server = x->server;
    pthread_mutex_lock(&server->lock);
    if (server->last)
        server->last->next = x;
    else
        server->first = x;
    server->last = x;
    pthread_cond_signal(&server->wake);
    pthread_mutex_unlock(&server->lock);
}

/* Takes the first request of the queue that may run now; NULL: none. The lock is held. */
static struct exchange *dequeue(struct server *server)
{
    struct exchange *before = NULL;
    for (struct exchange *x = server->first; x; before = x, x = x->next)
        if (!x->long_work || !server->long_running) {
            if (before)
                before->next = x->next;
            else
                server->first = x->next;
            if (server->last == x)
                server->last = before;
            x->next = NULL;
            server->long_running += x->long_work;
            server->busy++;
            return x;
        }
    return NULL;
}

static void *work(void *user)
{
    const struct worker *worker = user;
    struct server *server = worker->server;
    const struct http_options *options = server->options;
    options->worker_begin(options->user, worker->number);
    pthread_mutex_lock(&server->lock);
    for (;;) {
        struct exchange *x = dequeue(server);
        if (!x && server->ended)
            break;
        if (!x) {
            pthread_cond_wait(&server->wake, &server->lock);
            continue;
        }
        pthread_mutex_unlock(&server->lock);
        if (http_expired(&x->request))
            http_fail(&x->response, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "the server is busy; try again later");
        else
            options->answer(options->user, worker->number, &x->request, &x->response);
        encode(x);
        struct MHD_Connection *to = x->to;
        bool was_long = x->long_work;
        atomic_store(&x->done, true);
        MHD_resume_connection(to); /* x may be freed from here on */
        ssize_t wrote = write(server->answers[1], "", 1);
        (void)wrote; /* if the pipe is full, the main thread is awake */
        pthread_mutex_lock(&server->lock);
        server->long_running -= was_long;
        server->busy--;
        if (was_long && server->first)
            pthread_cond_broadcast(&server->wake);
    }
    pthread_mutex_unlock(&server->lock);
    options->worker_end(options->user, worker->number);
    return NULL;
}

/* ---- Requests ----------------------------------------------------------------------------- */

static struct connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void set_limit(struct MHD_Connection *connection, double seconds)
{
    struct connection *c = connection_of(connection);
    if (c)
        c->until = seconds > 0 ? pv_now() + seconds : 0;
}

/* Called when the request line has been read; the result is the first value of *state. */
static void *begin_request(void *user, const char *url, struct MHD_Connection *connection)
{
    struct exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->server = user;
    x->to = connection;
    x->url = copy(url);
    x->started = pv_now();
    return x;
}

static MHD_Result answer_now(struct exchange *x)
{
    encode(x);
    set_limit(x->to, x->server->options->send_seconds);
    return send_answer(x);
}

/* The request is complete. */
static MHD_Result handle(struct exchange *x)
{
    const struct http_options *options = x->server->options;
    enum http_decision decision = HTTP_ANSWERED;
    if (x->too_large)
        http_fail(&x->response, MHD_HTTP_CONTENT_TOO_LARGE, "the body of the request is too large");
    else if (x->no_memory || x->body.failed)
        http_fail(&x->response, MHD_HTTP_INTERNAL_SERVER_ERROR, "the system is out of memory");
    else if (x->invalid || (x->url && strstr(x->url, "%00")) ||
             !is_text(x->path, strlen(x->path)) ||
             (x->body.length && !is_text(x->body.text, x->body.length)))
        http_fail(&x->response, MHD_HTTP_BAD_REQUEST,
                  "the request must be UTF-8 without zero bytes");
    else {
        if (!strcmp(x->request.method, "POST")) {
            x->request.body = x->body.text;
            x->request.body_length = x->body.length;
        }
        x->request.deadline = pv_now() + options->answer_seconds;
        x->request.cancel = &x->server->cancel;
        decision = options->receive(options->user, &x->request, &x->response);
    }
    if (decision != HTTP_ANSWERED && !x->may_compute) {
        http_fail(&x->response, MHD_HTTP_FORBIDDEN,
                  "the browser does not say which page sends this request; use the page of this "
                  "server, or add the header " HTTP_PAGE_HEADER);
        decision = HTTP_ANSWERED;
    }
    if (decision != HTTP_ANSWERED && x->server->stopping) {
        http_fail(&x->response, MHD_HTTP_SERVICE_UNAVAILABLE, "the server is ending");
        decision = HTTP_ANSWERED;
    }
    if (decision == HTTP_ANSWERED)
        return answer_now(x);
    x->long_work = decision == HTTP_LONG_WORK;
    set_limit(x->to, 0);
    MHD_suspend_connection(x->to);
    enqueue(x);
    return MHD_YES;
}

static MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **state)
{
    struct exchange *x = *state;
    (void)version;
    (void)user;
    if (!x)
        return MHD_NO; /* out of memory: the connection is closed */
    if (atomic_load(&x->done)) {
        set_limit(connection, x->server->options->send_seconds);
        return x->answered ? MHD_YES : send_answer(x);
    }
    if (!x->begun) {
        x->begun = true;
        x->packs = accepts_gzip(connection);
        x->method = method;
        x->request.method = strcmp(method, "HEAD") != 0 ? method : "GET";
        x->request.path = x->path = copy(url);
        x->request.if_none_match = x->none_match =
            copy(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match"));
        if (!x->path)
            return MHD_NO;
        if (!check_headers(x, method))
            return answer_now(x);
        MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_field, x);
        x->request.fields = x->fields;
        return MHD_YES;
    }
    if (*upload_size) {
        x->too_large |= *upload_size > x->server->options->most_body - x->body.length;
        if (!x->too_large)
            http_append(&x->body, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    return x->answered ? MHD_YES : handle(x);
}

static void log_access(struct exchange *x)
{
    const struct http_options *options = x->server->options;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->to, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char client[INET6_ADDRSTRLEN] = "";
    if (info && info->client_addr) {
        struct sockaddr_storage address = {0};
        memcpy(&address, info->client_addr,
               info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                        : sizeof(struct sockaddr_in));
        address_text(&address, client);
    }
    const struct http_access access = {.client = client,
                                       .method = x->method ? x->method : "",
                                       .url = x->url ? x->url : "",
                                       .status = x->answered ? x->response.status : 0,
                                       .bytes = x->sent,
                                       .seconds = pv_now() - x->started};
    options->access(options->user, &access);
}

static void end_request(void *user, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct exchange *x = *state;
    struct server *server = user;
    (void)code;
    set_limit(connection, server->options->receive_seconds); /* for the next request */
    if (!x)
        return;
    server->held -= x->held;
    log_access(x);
    if (x->response.owned)
        free((char *)x->response.body);
    free((char *)x->response.etag);
    free(x->fields);
    free(x->body.text);
    free(x->url);
    free(x->path);
    free(x->none_match);
    free(x);
    *state = NULL;
}

/* ---- Connections -------------------------------------------------------------------------- */

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *server = user;
    struct connection *c = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = c = calloc(1, sizeof *c);
        if (!c || !info)
            return;
        c->fd = info->connect_fd;
        c->until = pv_now() + server->options->receive_seconds;
        c->next = server->connections;
        if (c->next)
            c->next->before = c;
        server->connections = c;
    } else if (c) {
        if (c->before)
            c->before->next = c->next;
        else if (server->connections == c)
            server->connections = c->next;
        if (c->next)
            c->next->before = c->before;
        free(c);
        *context = NULL;
    }
}

/* Ends connections that are too slow. libmicrohttpd limits only the time without any byte. */
static void cut_slow(const struct server *server)
{
    double now = pv_now();
    for (struct connection *c = server->connections; c; c = c->next)
        if (c->until > 0 && now > c->until) {
            shutdown(c->fd, SHUT_RDWR);
            c->until = now + 1;
        }
}

static void on_note(void *user, const char *format, va_list list) PV_PRINTF(2, 0);
static void on_note(void *user, const char *format, va_list list)
{
    const struct server *server = user;
    char text[300];
    vsnprintf(text, sizeof text, format, list);
    text[strcspn(text, "\n")] = '\0';
    server->options->note(server->options->user, text);
}

/* Waits for events, at most `seconds`, and handles them. */
static void turn(struct server *server, int events, double seconds)
{
    MHD_UNSIGNED_LONG_LONG most;
    int milliseconds = (int)(1000 * seconds);
    if (MHD_get_timeout(server->daemon, &most) == MHD_YES &&
        most < (MHD_UNSIGNED_LONG_LONG)milliseconds)
        milliseconds = (int)most;
    struct pollfd ready[] = {{.fd = events, .events = POLLIN},
                             {.fd = server->answers[0], .events = POLLIN}};
    char taken[256];
    poll(ready, 2, milliseconds);
    while (read(server->answers[0], taken, sizeof taken) == sizeof taken)
        ;
    MHD_run(server->daemon);
    cut_slow(server);
}

/* Lets running requests finish, cancels those that take longer, and ends the workers. */
static void finish(struct server *server, int events, struct worker *workers, size_t count)
{
    double until = pv_now() + GRACE;
    bool idle = false;
    while (!idle) {
        pthread_mutex_lock(&server->lock);
        idle = !server->first && !server->busy;
        pthread_mutex_unlock(&server->lock);
        if (pv_now() > until)
            atomic_store(&server->cancel, true);
        turn(server, events, idle ? 0.001 : 0.02);
    }
    pthread_mutex_lock(&server->lock);
    server->ended = true;
    pthread_cond_broadcast(&server->wake);
    pthread_mutex_unlock(&server->lock);
    for (size_t k = 0; k < count; k++)
        pthread_join(workers[k].thread, NULL);
    for (int k = 0; k < 3; k++) /* the last answers */
        turn(server, events, 0.01);
}

/* Signals are for the main thread, which waits for them. Returns how many workers were started. */
static size_t start_workers(struct server *server, struct worker *workers)
{
    sigset_t all, before;
    size_t count = 0;
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* of a mapped file: in the thread that reads it */
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; count < server->options->workers; count++) {
        workers[count] = (struct worker){.server = server, .number = count};
        if (pthread_create(&workers[count].thread, NULL, work, &workers[count]) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

const char *http_serve(const struct http_options *options)
{
    struct server server = {.options = options};
    const char *error = NULL;
    if (pipe2(server.answers, O_CLOEXEC | O_NONBLOCK) != 0) {
        close(options->listener);
        return "the system has no descriptors left";
    }
    struct worker *workers = calloc(options->workers, sizeof *workers);
    pthread_mutex_init(&server.lock, NULL);
    pthread_cond_init(&server.wake, NULL);
    size_t count = workers ? start_workers(&server, workers) : 0;
    server.daemon =
        count
            ? MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
                               NULL, NULL, on_request, &server, MHD_OPTION_EXTERNAL_LOGGER, on_note,
                               &server, MHD_OPTION_LISTEN_SOCKET, options->listener,
                               MHD_OPTION_CONNECTION_LIMIT, (unsigned)options->connections,
                               MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->most_head,
                               MHD_OPTION_CONNECTION_TIMEOUT,
                               (unsigned)(options->send_seconds > options->receive_seconds
                                              ? options->send_seconds
                                              : options->receive_seconds),
                               MHD_OPTION_URI_LOG_CALLBACK, begin_request, &server,
                               MHD_OPTION_NOTIFY_COMPLETED, end_request, &server,
                               MHD_OPTION_NOTIFY_CONNECTION, on_connection, &server, MHD_OPTION_END)
            : NULL;
    const union MHD_DaemonInfo *info =
        server.daemon ? MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!info) {
        error = "the system has no threads, memory or descriptors left";
        close(options->listener);
        pthread_mutex_lock(&server.lock);
        server.ended = true;
        pthread_cond_broadcast(&server.wake);
        pthread_mutex_unlock(&server.lock);
        for (size_t k = 0; k < count; k++)
            pthread_join(workers[k].thread, NULL);
    } else {
        int events = info->epoll_fd;
        while (!options->stop(options->user))
            turn(&server, events, 0.5);
        MHD_quiesce_daemon(server.daemon);
        server.stopping = true;
        finish(&server, events, workers, count);
        close(options->listener);
    }
    if (server.daemon)
        MHD_stop_daemon(server.daemon);
    close(server.answers[0]);
    close(server.answers[1]);
    pthread_cond_destroy(&server.wake);
    pthread_mutex_destroy(&server.lock);
    free(workers);
    return error;
}

int http_listen(const char *address, uint16_t *port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(*port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(*port)};
    bool four = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    if (!four && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    int on = 1, off = 0,
        fd = socket(four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (!four && IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) /* :: is for IPv4 too, where possible */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, four ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6,
             four ? sizeof v4 : sizeof v6) != 0 ||
        listen(fd, SOMAXCONN) != 0 || getsockname(fd, (struct sockaddr *)&bound, &size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    if (four) {
        memcpy(&v4, &bound, sizeof v4);
        *port = ntohs(v4.sin_port);
    } else {
        memcpy(&v6, &bound, sizeof v6);
        *port = ntohs(v6.sin6_port);
    }
    return fd;
}
