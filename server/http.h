/* A small HTTP/1.1 server on libmicrohttpd, which knows nothing about models.
 *
 *     main thread: accepts, reads and writes all connections (epoll)
 *         │  request ──► receive()  answers at once, or leaves the request to a worker
 *         ▼
 *     queue ──► workers, one thread each ──► answer()  computes the answer
 *
 * Protection, for every request:
 *
 * - The Host header must be a name of this machine: a page of another site whose name is made to
 *   resolve to 127.0.0.1 (DNS rebinding) has that site's name in it.
 * - A request that a browser sends for a page of another origin is refused, by its Origin and
 *   Sec-Fetch-Site headers; browsers that send no Sec-Fetch-Site must send HTTP_PAGE_HEADER with
 *   requests that workers answer. No header permits other origins to read answers.
 * - Answers forbid the browser to load anything from elsewhere (Content-Security-Policy), to guess
 *   their type, and to show them in a frame.
 * - The size of requests, the time to send one and to take its answer, the time to compute it and
 *   the number of connections are limited.
 * - Names and values of the query and the body are valid UTF-8 without zero bytes. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "util/json.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A parameter of the query, decoded and zero-terminated. */
struct http_field {
    const char *name, *value;
};

struct http_request {
    const char *method; /* "GET" or "POST"; HEAD is answered like GET, without the body */
    const char *path;   /* decoded, without the query */
    const struct http_field *fields;
    size_t field_count;
    const char *body; /* of a POST, zero-terminated; NULL: none */
    size_t body_length;
    const char *if_none_match; /* the header; NULL: none */
    double deadline;           /* on the clock of util/clock.h */
    const atomic_bool *cancel; /* set when the server ends; NULL: never */
};

/* An answer; starts as {0}. */
struct http_response {
    unsigned status;
    const char *type; /* Content-Type */
    const char *body; /* `length` bytes */
    size_t length;
    bool owned;         /* the body is on the heap, and freed by the server */
    const char *etag;   /* with quotation marks, on the heap and freed by the server; NULL: none */
    const char *allow;  /* methods, for status 405; NULL: none */
    bool stored_packed; /* the body is packed with gzip already; unpacked for clients without it */
};

/* One line of the access log. */
struct http_access {
    const char *client; /* its address */
    const char *method, *url;
    unsigned status; /* 0: the connection ended before the answer */
    size_t bytes;    /* of the body as sent */
    double seconds;
};

enum http_decision {
    HTTP_ANSWERED, /* `response` is complete */
    HTTP_WORK,     /* answer() is called in a worker */
    HTTP_LONG_WORK /* the same, for one such request at a time */
};

struct http_options {
    int listener; /* a socket of http_listen(), which the server closes */
    size_t workers;
    size_t connections;       /* maximum number at the same time */
    size_t most_head;         /* bytes of the request line and the headers */
    size_t most_body;         /* bytes of the body */
    double receive_seconds;   /* from the connection or the last answer to the end of a request */
    double send_seconds;      /* for the client to take the answer */
    double answer_seconds;    /* to compute it */
    const char *const *hosts; /* names in the Host header, besides those of this machine */
    size_t host_count;
    void *user; /* passed to the functions */
    enum http_decision (*receive)(void *user, const struct http_request *request,
                                  struct http_response *response);
    void (*answer)(void *user, size_t worker, const struct http_request *request,
                   struct http_response *response);
    /* Called in each worker, when it starts and ends. */
    void (*worker_begin)(void *user, size_t worker);
    void (*worker_end)(void *user, size_t worker);
    void (*access)(void *user, const struct http_access *access);
    void (*note)(void *user, const char *text); /* what libmicrohttpd reports about connections */
    bool (*stop)(void *user); /* asked several times per second; true ends the server */
};

/* Creates a socket that listens on a numeric address, of IPv4 or IPv6; port 0: any free one, which
 * *port receives. Returns -1 with errno set. */
int http_listen(const char *address, uint16_t *port);

/* Reads a numeric address of IPv4 or IPv6, or localhost, with or without a port: 127.0.0.1, ::1,
 * 127.0.0.1:8080, [::1]:8080. `address` receives it in its usual form, *port the text of the port;
 * NULL: none. Returns false if it is something else. */
enum { HTTP_ADDRESS = 64 };
bool http_read_address(const char *text, char address[HTTP_ADDRESS], const char **port);
/* Whether it is an address of this machine only, such as 127.0.0.1. */
bool http_is_loopback(const char *address);

/* The header by which the server's own page identifies its requests. */
#define HTTP_PAGE_HEADER "X-Psdvec-Page"

/* Serves until stop() returns true. Requests that are being answered get a moment to finish. Returns
 * NULL, or why the server cannot start. */
const char *http_serve(const struct http_options *options);

/* True if the request should be abandoned: its time is over, or the server ends. For the functions
 * that compute the answer; any thread may call it. */
bool http_expired(const struct http_request *request);

/* Makes the answer to a failed request: {"error": {"status": ..., "message": ...}}. */
void http_fail(struct http_response *response, unsigned status, const char *message);

/* Whether the If-None-Match header of the request names this ETag: the client has the answer. */
bool http_has(const struct http_request *request, const char *etag);

/* Bytes on the heap, as an append function of util/json.h; `text` is NULL after it ran out of
 * memory. */
struct http_text {
    char *text;
    size_t length, capacity;
    bool failed;
};
bool http_append(void *text, const char *bytes, size_t length);

/* Packs bytes with gzip, or unpacks them. Returns false, and *to is empty, if that fails. */
bool http_gzip(const char *bytes, size_t length, bool pack, struct http_text *to);

#endif
