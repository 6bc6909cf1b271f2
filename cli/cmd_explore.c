/* psdvec explore: models in the browser, and as a service over HTTP. */
#include "api.h"
#include "commands.h"
#include "exit_status.h"
#include "explore_export.h"
#include "phrase.h"
#include "sandbox.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    WHOLE_OPTION("port", "N", 0, 65535, .fallback = "8080", .group = "Server",
                 .help = "port; 0 takes any that is free"),
    TEXT_OPTION("listen", "ADDRESS", .fallback = "127.0.0.1",
                .help = "numeric address to listen on, with or without a port, such as ::1 or "
                        "[::1]:8080; with an address other than 127.0.0.1 or ::1, other machines "
                        "can use the models, without a password"),
    {.name = "host",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "NAME",
     .help = "also answer requests for this name of the machine, such as that of a proxy in front"},
    FLAG_OPTION("open", .help = "open the page in the browser"),
    WHOLE_OPTION("connections", "N", 1, 10000, .fallback = "200",
                 .help = "maximum number of connections at the same time"),
    REAL_OPTION("time-limit", "SECONDS", 0.1, 86400, .fallback = "30",
                .help = "stop requests that take longer"),
    TEXT_OPTION("get", "URL",
                .help = "print the answer to one request, such as "
                        "/api/v1/similar?positive=music, and end; nothing listens"),
    FILES_OPTION("counts", .group = "Files",
                 .help = "the counts that a model was trained on: shows contexts of words, and why "
                         "words are alike; once for all models, or once per model in the same "
                         "order"),
    FILES_OPTION("topics",
                 .help =
                     "topics of psdvec topics learn: shows them with their words and documents, "
                     "and the topics of a text"),
    FILES_OPTION("map",
                 .help = "show this map, a table of psdvec map or of another program; once for all "
                         "models, or once per model in the same order"),
    WHOLE_OPTION("map-words", "N", 0, UINT32_MAX, .unit = PSDVEC_UNIT_COUNT, .fallback = "20000",
                 .help = "without --map: compute a map of the N most frequent words after the "
                         "start; 0: none"),
    FILES_OPTION("set", .help = "offer this test set besides the built-in ones"),
    TEXT_OPTION("export", "FOLDER", .path = PSDVEC_PATH_FOLDER, .group = "Export",
                .help =
                    "write the page and the data that it needs to a folder, for any web server, "
                    "and end; nothing listens"),
    WHOLE_OPTION("export-words", "N", 0, UINT32_MAX, .unit = PSDVEC_UNIT_COUNT, .fallback = "50000",
                 .group = "Export", .help = "export the N most frequent words; 0: all"),
    {0}};

/* ---- The browser --------------------------------------------------------------------------- */

/* The sandbox forbids to start programs, so a process that waits for the address is made before. The
 * address is all that it is told. */
static int browser = -1;

static int prepare(struct run *run)
{
    int ends[2];
    if (!argument_flag(run->arguments, "open") || argument_text(run->arguments, "get"))
        return EXIT_FINE;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return run_error(run, EXIT_RESOURCE, "cannot start a browser: %s", system_error(errno));
    pid_t child = fork();
    if (child < 0)
        return run_error(run, EXIT_RESOURCE, "cannot start a browser: %s", system_error(errno));
    if (child > 0) {
        close(ends[0]);
        browser = ends[1];
        signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
        return EXIT_FINE;
    }
    char address[200];
    close(ends[1]);
    ssize_t got = read(ends[0], address, sizeof address - 1);
    if (got > 0) {
        address[got] = '\0';
#ifdef __APPLE__
        execlp("open", "open", address, (char *)NULL);
#else
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
#endif
        fprintf(stderr,
                "psdvec explore: there is no program to open a browser (xdg-open); open %s\n",
                address);
    }
    _exit(0);
}

static void open_browser(const char *address)
{
    if (browser < 0)
        return;
    ssize_t wrote = write(browser, address, strlen(address));
    (void)wrote; /* the address is on the screen */
    close(browser);
    browser = -1;
}

/* ---- The server ---------------------------------------------------------------------------- */

static int get(struct run *run, const char *url)
{
    struct api api;
    struct buffer answer = {0};
    unsigned status = 0;
    sandbox_listening(); /* nothing listens */
    int code = api_open(&api, run, 1);
    if (!code) {
        size_t mark = lasting_count();
        api_worker_begin(&api, 0);
        status = api_get(&api, url, argument_real(run->arguments, "time-limit"), &answer);
        api_worker_leave(&api, 0);
        lasting_end(mark);
    }
    output_add(&run->out, buffer_get(&answer), answer.length);
    buffer_free(&answer);
    api_close(&api);
    if (code)
        return code;
    return status < 400 ? EXIT_FINE
                        : run_error(run, status < 500 ? EXIT_USE : EXIT_RESOURCE,
                                    "the status of the answer is %u", status);
}

static int export_site(struct run *run, const char *folder)
{
    struct api api;
    sandbox_listening();
    int code = api_open(&api, run, 1);
    if (!code)
        code = explore_export(&api, folder);
    api_close(&api);
    return code;
}

#ifdef PV_HAVE_MICROHTTPD

static bool stop(void *user)
{
    (void)user;
    return signals_caught() != 0;
}

static void note_access(void *user, const struct http_access *access)
{
    struct run *run = ((struct api *)user)->run;
    if (run->talk.verbose)
        talk_say(&run->talk,
                 phrase("%s %s %.300s %u %zu bytes %.1f ms\n", access->client, access->method,
                        access->url, access->status, access->bytes, 1000 * access->seconds));
    if (run->log.file) {
        struct log_line line;
        pv_json_writer *to = log_begin(&line, &run->log, "request");
        pv_json_put_string(to, "client", access->client);
        pv_json_put_string(to, "method", access->method);
        pv_json_put_string_n(to, "url", access->url, strnlen(access->url, 2000));
        pv_json_put_u64(to, "status", access->status);
        pv_json_put_u64(to, "bytes", access->bytes);
        pv_json_put_fixed(to, "seconds", access->seconds, 6);
        log_end(&line);
    }
}

static void on_access(void *user, const struct http_access *access)
{
    size_t mark = lasting_count();
    note_access(user, access);
    lasting_end(mark);
}

static void on_note(void *user, const char *text)
{
    struct run *run = ((struct api *)user)->run;
    talk_note(&run->talk, text);
}

static const char *page_address(const char *address, uint16_t port)
{
    if (!strcmp(address, "0.0.0.0"))
        address = "127.0.0.1";
    if (!strcmp(address, "::"))
        address = "::1";
    return phrase(strchr(address, ':') ? "http://[%s]:%u/" : "http://%s:%u/", address, port);
}

/* The address and the port of --listen and --port. Returns an exit status. */
static int read_address(struct run *run, char address[HTTP_ADDRESS], uint16_t *port)
{
    const char *listen = argument_text(run->arguments, "listen"), *given = NULL;
    const struct option_value *own = argument(run->arguments, "port");
    char *end = NULL;
    *port = (uint16_t)own->integer;
    if (!http_read_address(listen, address, &given))
        return run_use_error(run,
                             "--listen needs a numeric address, such as 127.0.0.1, ::1 or "
                             "[::1]:8080, not '%s'",
                             listen);
    if (!given)
        return EXIT_FINE;
    unsigned long number = *given >= '0' && *given <= '9' ? strtoul(given, &end, 10) : 65536;
    if (number > 65535 || *end)
        return run_use_error(run, "--listen: the port '%s' is not a number up to 65535", given);
    if (own->given && own->integer != number)
        return run_use_error(run, "the port is given by --listen and by --port; give one of them");
    *port = (uint16_t)number;
    return EXIT_FINE;
}

static int serve(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const struct option_value *hosts = argument(arguments, "host");
    char address[HTTP_ADDRESS];
    uint16_t port;
    struct api api;
    int code = read_address(run, address, &port);
    if (code)
        return code;
    int listener = http_listen(address, &port);
    if (listener < 0)
        return run_error(run, EXIT_RESOURCE, "cannot listen on %s, port %u: %s%s", address, port,
                         system_error(errno),
                         errno == EADDRINUSE ? "; choose another port (--port 0 takes any)" : "");
    sandbox_listening();
    code = run_library(run);
    size_t workers = code ? 1 : (size_t)psdvec_threads(run->ctx) + 1; /* one for long requests */
    if (!code)
        code = api_open(&api, run, workers);
    if (code) {
        close(listener);
        return code;
    }
    const char **names = lasting_alloc(hosts->text_count + 1, sizeof *names);
    for (size_t k = 0; k < hosts->text_count; k++)
        names[k] = hosts->texts[k];
    names[hosts->text_count] = address;
    const struct http_options server = {.listener = listener,
                                        .workers = workers,
                                        .connections = argument_integer(arguments, "connections"),
                                        .most_head = 32768,
                                        .most_body = 1048576,
                                        .receive_seconds = 20,
                                        .send_seconds = 60,
                                        .answer_seconds = argument_real(arguments, "time-limit"),
                                        .hosts = names,
                                        .host_count = hosts->text_count + 1,
                                        .user = &api,
                                        .receive = api_receive,
                                        .answer = api_answer,
                                        .worker_begin = api_worker_begin,
                                        .worker_end = api_worker_end,
                                        .access = on_access,
                                        .note = on_note,
                                        .stop = stop};
    if (!http_is_loopback(address))
        talk_warning(&run->talk,
                     phrase("every machine that can reach %s can now use the models: there is no "
                            "password and no encryption; put a proxy in front for that",
                            address));
    const char *url = page_address(address, port);
    output_format(&run->out, "Serving %s on %s\n", phrase_counted(api.model_count, "model"), url);
    output_flush(&run->out);
    open_browser(url);
    explore_maps_start(&api.maps);
    const char *error = http_serve(&server);
    api_close(&api);
    return error ? run_error(run, EXIT_RESOURCE, "cannot serve: %s", error) : EXIT_FINE;
}

#else

static int serve(struct run *run)
{
    (void)open_browser;
    return run_error(run, EXIT_USE,
                     "psdvec was built without libmicrohttpd, which the server needs; install it "
                     "(Debian: libmicrohttpd-dev) and build again. --get works without it");
}

#endif

static int act(struct run *run)
{
    const char *url = argument_text(run->arguments, "get");
    const char *folder = argument_text(run->arguments, "export");
    if (url && folder)
        return run_use_error(run, "--get and --export cannot be combined");
    if (folder)
        return export_site(run, folder);
    return url ? get(run, url) : serve(run);
}

const struct command cmd_explore = {
    .name = "explore",
    .group = "Queries",
    .summary = "explore models in the browser, and serve them over HTTP",
    .synopsis = "MODEL... [OPTION]...",
    .description = PARAGRAPHS(
        "Serves a page for the browser and an HTTP interface for programs until Ctrl-C or SIGTERM "
        "ends it, and prints the address. On the page, type a word to see its neighbours, compare "
        "words, add and subtract them, ask analogies, see the probability of each word of a text, "
        "look at a map of all words, score models on test sets, and compare several models side by "
        "side; with --topics, look at topics and their documents.",
        "Only this machine can connect, unless --listen names another address. The server never "
        "connects to other machines, and the page loads nothing from elsewhere. Requests of pages "
        "of other sites are refused, and so are requests for another name of the machine, unless "
        "--host gives it; its numeric addresses need no --host.",
        "Programs request /api/v1/NAME; the answers are the JSON of the commands of the same "
        "names. /api/v1/openapi.json describes all requests. With --verbose, each request is a "
        "line on standard error, and with --log a line in the log.",
        "--threads sets how many requests are computed at the same time; a long one, such as a "
        "test on built-in sets, is computed besides them."),
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec explore model.safetensors --get \"/api/v1/similar?positive=music&top=3\"",
                  "One request, without a server."}),
    .notes = PARAGRAPHS(
        "psdvec explore model.safetensors --open serves a model and shows the page in the browser; "
        "psdvec explore wiki.safetensors news.safetensors --counts wiki.counts.safetensors --counts "
        "news.counts.safetensors compares two. docs/reference/http-api.md describes the interface, "
        "docs/how-to/serve-a-team.md how to run it as a service."),
    .operands = {1, SIZE_MAX},
    .missing = "give a model",
    .listens = true,
    .prepare = prepare,
    .act = act};
