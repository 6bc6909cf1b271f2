/* Cells and bars. */
#include "cell.h"

#include "utf8.h"
#include "wrap.h"

#include <string.h>

void cell_text(struct buffer *to, const char *text, size_t length)
{
    for (size_t k = 0; k < length;) {
        unsigned char c = (unsigned char)text[k];
        size_t bytes = pv_utf8_sequence(text + k, length - k);
        /* C0 and DEL, and C1, which is C2 80 .. C2 9F. */
        bool control = c < 0x20 || c == 0x7f ||
                       (bytes == 2 && c == 0xc2 && (unsigned char)text[k + 1] < 0xa0);
        if (!bytes || control)
            buffer_text(to, PV_UTF8_REPLACEMENT);
        else
            buffer_add(to, text + k, bytes);
        k += bytes ? bytes : 1;
    }
}

void cell_add(struct buffer *to, const char *text, size_t length, size_t columns, bool right)
{
    struct buffer safe = {0};
    size_t used = 0;
    cell_text(&safe, text, length);
    size_t bytes = utf8_fit(buffer_get(&safe), safe.length, columns, &used);
    bool cut = bytes < safe.length;
    if (cut && columns)
        bytes = utf8_fit(safe.text, safe.length, columns - 1, &used);
    if (right)
        add_spaces(to, columns - used - (cut && columns));
    buffer_add(to, buffer_get(&safe), bytes);
    if (cut && columns)
        buffer_text(to, "…");
    if (!right)
        add_spaces(to, columns - used - (cut && columns));
    buffer_free(&safe);
}

void cell_bar(struct buffer *to, double share, size_t columns, bool unicode)
{
    static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double clamped = share > 1 ? 1 : share > 0 ? share : 0;
    size_t eighths = (size_t)(clamped * (double)columns * 8 + 0.5);
    for (size_t k = 0; k < columns; k++) {
        size_t left = eighths > 8 * k ? eighths - 8 * k : 0;
        if (left >= 8)
            buffer_text(to, unicode ? "█" : "#");
        else
            buffer_text(to, unicode ? parts[left] : " ");
    }
}

void shorten(struct buffer *to, const char *name, size_t columns)
{
    struct buffer safe = {0};
    size_t head, used;
    cell_text(&safe, name, strlen(name));
    const char *text = buffer_get(&safe);
    if (utf8_columns(text, safe.length) <= columns) {
        buffer_text(to, text);
    } else if (columns) {
        head = utf8_fit(text, safe.length, columns / 2, &used);
        size_t tail = head;
        while (utf8_columns(text + tail, safe.length - tail) > columns - 1 - used) {
            size_t bytes = pv_utf8_sequence(text + tail, safe.length - tail);
            tail += bytes ? bytes : 1;
        }
        buffer_add(to, text, head);
        buffer_text(to, "…");
        buffer_text(to, text + tail);
    }
    buffer_free(&safe);
}
