/* Parts of pages. Towards and away, or one and the other, are blue and vermilion: all eyes tell
 * them apart. */
#include "page.h"

#include "utf8.h"

#include <string.h>

static const char common_style[] =
    ":root { color-scheme: light dark; --paper: #fff; --ink: #1b1b1f; --soft: #5c5f66;"
    " --line: #d5d7db; --panel: #f6f7f9; --plus: #005b96; --minus: #b34700; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #15171b; --ink: #e8e9ec;"
    " --soft: #a3a7b0; --line: #3a3e46; --panel: #1f2229; --plus: #6cb8f0; --minus: #f5a05a; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1.25rem; background:"
    " var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.25rem; margin: 0 0 .5rem; }\n"
    "h2 { font-size: 1rem; margin: 2rem 0 .5rem; }\n"
    "p { color: var(--soft); margin: .25rem 0 1rem; max-width: 46rem; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }\n"
    ".scroll { overflow-x: auto; }\n"
    "th, td { text-align: right; padding: .1rem .75rem .1rem 0; font-weight: normal;"
    " vertical-align: top; }\n"
    "thead th { color: var(--soft); border-bottom: 1px solid var(--line); }\n"
    "th:first-child { text-align: left; }\n"
    "@media print { body { padding: 0; } tr { break-inside: avoid; } }\n";

void page_escape(struct buffer *to, const char *text, size_t length)
{
    for (size_t k = 0; k < length;) {
        size_t bytes = utf8_length(text + k, length - k);
        if (text[k] == '&')
            buffer_text(to, "&amp;");
        else if (text[k] == '<')
            buffer_text(to, "&lt;");
        else if (text[k] == '>')
            buffer_text(to, "&gt;");
        else if (text[k] == '"')
            buffer_text(to, "&quot;");
        else if (!bytes || (unsigned char)text[k] < 0x20)
            buffer_text(to, "\xef\xbf\xbd");
        else
            buffer_add(to, text + k, bytes);
        k += bytes ? bytes : 1;
    }
}

void page_text(struct buffer *to, const char *text)
{
    page_escape(to, text, strlen(text));
}

void page_head(struct buffer *to, const char *title, const char *style)
{
    buffer_text(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>");
    page_text(to, title);
    buffer_text(to, "</title>\n<style>\n");
    buffer_text(to, common_style);
    buffer_text(to, style);
    buffer_text(to, "</style>\n</head>\n<body>\n");
}

void page_tail(struct buffer *to, const char *script)
{
    if (script) {
        buffer_text(to, "<script>\n");
        buffer_text(to, script);
        buffer_text(to, "</script>\n");
    }
    buffer_text(to, "</body>\n</html>\n");
}
