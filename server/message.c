/* The parts of the HTTP server that need no connection: answers, and the time of requests. */
#include "http.h"

#include "util/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

bool http_append(void *to, const char *bytes, size_t length)
{
    struct http_text *text = to;
    if (!text->failed && text->length + length + 1 > text->capacity) {
        size_t capacity = 2 * (text->length + length) + 64;
        char *more = realloc(text->text, capacity);
        if (!more) {
            free(text->text);
            *text = (struct http_text){.failed = true};
        } else {
            text->text = more;
            text->capacity = capacity;
        }
    }
    if (text->failed)
        return false;
    if (length)
        memcpy(text->text + text->length, bytes, length);
    text->length += length;
    text->text[text->length] = '\0';
    return true;
}

bool http_gzip(const char *bytes, size_t length, bool pack, struct http_text *to)
{
    z_stream stream = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)length};
    unsigned char part[16384];
    enum { GZIP = 15 + 16 };
    *to = (struct http_text){0};
    if (length > UINT_MAX)
        return false; /* more than zlib takes at once */
    int status = pack ? deflateInit2(&stream, 6, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY)
                      : inflateInit2(&stream, GZIP);
    while (status == Z_OK) {
        stream.next_out = part;
        stream.avail_out = sizeof part;
        status = pack ? deflate(&stream, Z_FINISH) : inflate(&stream, Z_NO_FLUSH);
        if (!http_append(to, (const char *)part, sizeof part - stream.avail_out))
            status = Z_MEM_ERROR;
    }
    if (pack)
        deflateEnd(&stream);
    else
        inflateEnd(&stream);
    if (status == Z_STREAM_END)
        return true;
    free(to->text);
    *to = (struct http_text){0};
    return false;
}

void http_fail(struct http_response *response, unsigned status, const char *message)
{
    struct http_text text = {0};
    pv_json_writer json;
    pv_json_writer_start(&json, http_append, &text);
    json.spaced = true;
    pv_json_open_object(&json, NULL);
    pv_json_open_object(&json, "error");
    pv_json_put_u64(&json, "status", status);
    pv_json_put_string(&json, "message", message);
    pv_json_close(&json);
    pv_json_close(&json);
    pv_json_writer_end(&json);
    http_append(&text, "\n", 1);
    if (response->owned)
        free((char *)response->body);
    free((char *)response->etag);
    *response = (struct http_response){.status = status,
                                       .type = "application/json",
                                       .body = text.text,
                                       .length = text.length,
                                       .owned = true,
                                       .allow = response->allow};
}

bool http_has(const struct http_request *request, const char *etag)
{
    const char *list = request->if_none_match;
    if (!list)
        return false;
    size_t length = strlen(etag);
    for (const char *at = list; (at = strstr(at, etag)); at += length)
        if (at[length] == '\0' || at[length] == ',' || at[length] == ' ')
            return true;
    return false; /* "*" is for changes, which there are none of */
}

bool http_expired(const struct http_request *request)
{
    return pv_now() > request->deadline || (request->cancel && atomic_load(request->cancel));
}
