/* Text in columns.
 *
 * Widths come from wcwidth(), which supports wide East Asian characters and combining marks;
 * characters that it does not support (unassigned, control) take one column, because terminals draw
 * a replacement character there. */
#include "cell.h"

#include "phrase.h"

#include <string.h>
#include <wchar.h>

size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used)
{
    const unsigned char *begin = (const unsigned char *)text, *at = begin, *end = begin + length;
    for (*used = 0; at < end;) {
        uint32_t code;
        bool style = *at == '\1' && at + 1 < end; /* a style of rows.h, or its space */
        int bytes = style ? 2 : pv_utf8_decode(at, end, &code);
        int width = style ? at[1] == '_' : bytes > 0 ? wcwidth((wchar_t)code) : 1;
        size_t wide = width < 0 ? 1 : (size_t)width;
        if (wide > columns - *used)
            break;
        *used += wide;
        at += bytes > 0 ? bytes : 1;
    }
    return (size_t)(at - begin);
}

size_t utf8_columns(const char *text, size_t length)
{
    size_t used;
    utf8_fit(text, length, SIZE_MAX, &used);
    return used;
}

void cell_text(struct buffer *to, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        uint32_t code;
        int bytes = pv_utf8_decode(at, end, &code);
        if (bytes < 0 || pv_utf8_is_unsafe(code))
            buffer_text(to, PV_UTF8_REPLACEMENT);
        else
            buffer_add(to, (const char *)at, (size_t)bytes);
        at += bytes < 0 ? 1 : bytes;
    }
}

/* The length of the palette's sequence at the start of the text; 0: there is none. *begun: it may
 * continue after the end of the text. */
static size_t sequence_length(const struct palette *p, const char *text, size_t length, bool *begun)
{
    const char *const codes[] = {p->plain, p->bold, p->dim, p->red, p->yellow, p->cyan, p->green};
    *begun = false;
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        size_t code = strlen(codes[k]);
        if (code && code <= length && !memcmp(text, codes[k], code))
            return code;
        *begun |= code > length && !memcmp(text, codes[k], length);
    }
    return 0;
}

size_t printed_text(struct buffer *to, const char *text, size_t length, const char *kept,
                    const struct palette *palette, bool whole)
{
    const char *at = text, *end = text + length;
    while (at < end) {
        bool begun;
        size_t left = (size_t)(end - at), bytes = sequence_length(palette, at, left, &begun);
        if (!bytes && *at && strchr(kept, *at))
            bytes = 1;
        if (bytes) {
            buffer_add(to, at, bytes);
        } else {
            bytes = pv_utf8_sequence(at, left);
            /* A lead byte whose continuation bytes may follow. */
            begun |= !bytes && left < 4 && pv_utf8_cut(at, left - 1) == 0 &&
                     (unsigned char)*at >= 0xC2;
            if (begun && !whole)
                break;
            bytes = bytes ? bytes : 1;
            cell_text(to, at, bytes);
        }
        at += bytes;
    }
    return (size_t)(at - text);
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

/* ---- Paragraphs ------------------------------------------------------------------------------ */

void add_spaces(struct buffer *to, size_t count)
{
    while (count--)
        buffer_char(to, ' ');
}

void wrap(struct buffer *to, const char *text, size_t at, size_t indent, size_t width)
{
    size_t column = at, gap = 0; /* spaces before the next word; 0: it is the first on its line */
    while (*text) {
        size_t bytes = strcspn(text, " \n");
        size_t columns = utf8_columns(text, bytes);
        if (gap && column + gap + columns > width) {
            buffer_char(to, '\n');
            add_spaces(to, indent);
            column = indent;
            gap = 0;
        }
        add_spaces(to, gap);
        buffer_add(to, text, bytes);
        column += columns + gap;
        text += bytes;
        gap = strspn(text, " ");
        if (*text == '\n') {
            buffer_char(to, '\n');
            add_spaces(to, indent);
            column = indent;
            text++;
            text += strspn(text, " ");
        }
        text += gap;
    }
    buffer_char(to, '\n');
}

void wrap_command(struct buffer *to, const char *line, size_t indent, size_t width)
{
    add_spaces(to, indent);
    size_t column = indent;
    for (bool first = true; *line; first = false) {
        size_t bytes = strcspn(line, " "), columns = utf8_columns(line, bytes);
        /* Leave two columns for the backslash. */
        if (!first && column + 1 + columns + 2 > width) {
            buffer_text(to, " \\\n");
            add_spaces(to, indent + 4);
            column = indent + 4;
        } else if (!first) {
            buffer_char(to, ' ');
            column++;
        }
        buffer_add(to, line, bytes);
        column += columns;
        line += bytes;
        line += strspn(line, " ");
    }
    buffer_char(to, '\n');
}

void drop_spaces(struct buffer *from)
{
    while (from->length && from->text[from->length - 1] == ' ')
        from->text[--from->length] = '\0';
}

/* ---- Names of files -------------------------------------------------------------------------- */

const char *name_of_file(const char *path)
{
    static const char *const endings[] = {".safetensors", ".vec",   ".txt", ".w2v",
                                          ".bin",         ".glove", ".npy"};
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t end = strlen(endings[k]);
        if (length > end && !strcmp(name + length - end, endings[k]))
            return phrase("%.*s", (int)(length - end), name);
    }
    return name;
}

static bool is_repeated(const char *const *names, size_t k)
{
    for (size_t l = 0; l < k; l++)
        if (!strcmp(names[l], names[k]))
            return true;
    return false;
}

static bool differ(const char *const *names, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (is_repeated(names, k))
            return false;
    return true;
}

void names_differ(const char **names, const char *const *paths, size_t count)
{
    bool *twice = lasting_alloc(count, sizeof *twice);
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < count; l++)
            twice[k] |= l != k && !strcmp(names[l], names[k]);
    for (size_t k = 0; k < count; k++)
        if (twice[k] && paths[k])
            names[k] = paths[k];
    for (size_t k = 1; k < count; k++) {
        const char *plain = names[k];
        for (size_t number = 2; is_repeated(names, k); number++)
            names[k] = phrase("%s (%zu)", plain, number);
    }
}

/* A, B, ..., Z, AA, AB, ... */
static const char *letters(size_t k)
{
    const char *text = "";
    for (k++; k > 0; k = (k - 1) / 26)
        text = phrase("%c%s", (int)('A' + (k - 1) % 26), text);
    return text;
}

const char **names_short(const char *const *names, size_t count, size_t columns, bool *same)
{
    const char **result = must_alloc(count, sizeof *result);
    *same = true;
    for (size_t k = 0; k < count; k++) {
        struct buffer name = {0};
        shorten(&name, names[k], columns);
        result[k] = phrase_of(&name);
        *same &= !strcmp(result[k], names[k]);
    }
    if (!*same && !differ(result, count))
        for (size_t k = 0; k < count; k++)
            result[k] = letters(k);
    return result;
}
