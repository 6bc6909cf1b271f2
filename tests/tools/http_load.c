/* http_load: sends requests to a server from many connections at the same time, and checks that all
 * answers are the same.
 *
 *     http_load PORT CONNECTIONS REQUESTS PATH...
 *
 * Every connection sends its share of the requests one after the other, with the paths in turn, and
 * keeps the connection open. Prints the number of answers with status 200 whose length and bytes are
 * those of the first answer for the path, and the requests per second. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

static struct {
    uint16_t port;
    size_t connections, requests, path_count;
    char **paths;
    char **first; /* the first body for each path */
    pthread_mutex_t lock;
    size_t right, wrong;
} all;

static int connect_to(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(all.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Reads one answer; the body is zero-terminated. Returns NULL if there is none with status 200. */
static const char *read_answer(int fd, char *text)
{
    size_t length = 0, whole = 0;
    char *body = NULL;
    while (!body || length < whole) {
        ssize_t got = length < MOST - 1 ? recv(fd, text + length, MOST - 1 - length, 0) : 0;
        if (got <= 0)
            return NULL;
        length += (size_t)got;
        text[length] = '\0';
        if (!body && (body = strstr(text, "\r\n\r\n"))) {
            const char *size = strstr(text, "Content-Length: ");
            body += 4;
            whole = (size_t)(body - text) +
                    (size > body || !size ? 0 : strtoul(size + 16, NULL, 10));
        }
    }
    return strncmp(text, "HTTP/1.1 200", 12) ? NULL : body;
}

static bool is_right(size_t path, const char *body)
{
    bool same = body != NULL;
    pthread_mutex_lock(&all.lock);
    if (body && !all.first[path])
        all.first[path] = strdup(body);
    same = same && !strcmp(all.first[path], body);
    all.right += same;
    all.wrong += !same;
    pthread_mutex_unlock(&all.lock);
    return same;
}

static void *send_all(void *user)
{
    size_t number = *(size_t *)user;
    char *text = malloc(MOST), request[4096];
    int fd = connect_to();
    for (size_t k = number; k < all.requests && text; k += all.connections) {
        size_t path = k % all.path_count;
        int length = snprintf(request, sizeof request,
                              "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", all.paths[path],
                              all.port);
        bool sent = fd >= 0 && send(fd, request, (size_t)length, MSG_NOSIGNAL) == length;
        if (!is_right(path, sent ? read_answer(fd, text) : NULL)) {
            close(fd);
            fd = connect_to();
        }
    }
    close(fd);
    free(text);
    return NULL;
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    if (argc < 5)
        return 2;
    all.port = (uint16_t)strtoul(argv[1], NULL, 10);
    all.connections = strtoul(argv[2], NULL, 10);
    all.requests = strtoul(argv[3], NULL, 10);
    all.paths = argv + 4;
    all.path_count = (size_t)argc - 4;
    all.first = calloc(all.path_count, sizeof *all.first);
    pthread_t *threads = calloc(all.connections, sizeof *threads);
    size_t *numbers = calloc(all.connections, sizeof *numbers);
    if (!all.first || !threads || !numbers)
        return 1;
    pthread_mutex_init(&all.lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t k = 0; k < all.connections; k++) {
        numbers[k] = k;
        if (pthread_create(&threads[k], NULL, send_all, &numbers[k]) != 0)
            return 1;
    }
    for (size_t k = 0; k < all.connections; k++)
        pthread_join(threads[k], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) +
                     1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("%zu right, %zu wrong, %.0f per second\n", all.right, all.wrong,
           (double)all.requests / seconds);
    return all.wrong != 0;
}
