/* Breaking paragraphs into lines, by display width. A newline in the text is
 * kept; a word wider than the line stands alone and sticks out. */
#include "wrap.h"

#include "utf8.h"

#include <stdbool.h>
#include <string.h>

void add_spaces(struct buffer *to, size_t count)
{
    while (count--)
        buffer_char(to, ' ');
}

void wrap(struct buffer *to, const char *text, size_t at, size_t indent, size_t width)
{
    size_t column = at, gap = 0; /* spaces before the next word; 0: it is the first of its line */
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
        /* Two columns stay free for the backslash. */
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
