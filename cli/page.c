/* Inserting data into the embedded templates. */
#include "page.h"

#include "util/utf8.h"

#include <string.h>

/* Bytes of an embedded template that mark the places of insertions. */
#define TEXT_HERE '\001'
#define JSON_HERE '\002'

/* Text between tags. */
static void add_text(struct buffer *to, const struct buffer *from)
{
    for (size_t k = 0; k < from->length;) {
        size_t bytes = pv_utf8_sequence(from->text + k, from->length - k);
        char c = from->text[k];
        if (c == '&')
            buffer_text(to, "&amp;");
        else if (c == '<')
            buffer_text(to, "&lt;");
        else if (!bytes || ((unsigned char)c < 0x20 && c != '\n') || c == 0x7f)
            buffer_text(to, PV_UTF8_REPLACEMENT);
        else
            buffer_add(to, from->text + k, bytes);
        k += bytes ? bytes : 1;
    }
}

/* JSON in a script element, in which "</script" and "<!--" must not occur. In JSON < occurs only in
 * strings, where it can be escaped. */
static void add_json(struct buffer *to, const struct buffer *from)
{
    for (size_t k = 0, next; k < from->length; k = next) {
        const char *sign = memchr(from->text + k, '<', from->length - k);
        next = sign ? (size_t)(sign - from->text) : from->length;
        buffer_add(to, from->text + k, next - k);
        if (sign) {
            buffer_text(to, "\\u003c");
            next++;
        }
    }
}

void page_add(struct buffer *to, const unsigned char *page, const struct buffer *json,
              const struct buffer *text)
{
    static const char marks[] = {TEXT_HERE, JSON_HERE, '\0'};
    for (const char *at = (const char *)page;; at++) {
        size_t length = strcspn(at, marks);
        buffer_add(to, at, length);
        at += length;
        if (!*at)
            return;
        if (*at == TEXT_HERE)
            add_text(to, text);
        else
            add_json(to, json);
    }
}
