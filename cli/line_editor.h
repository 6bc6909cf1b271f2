/* Lines typed at a terminal: editing, completion and history, with libedit if the program was built
 * with it. */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H

#include "memory.h"

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of offers that are listed. */
#define OFFERS_SHOWN 40

/* What can be inserted at the cursor. The completer starts from {0}; the editor frees it. */
struct offers {
    size_t replaced;           /* bytes before the cursor that the chosen offer replaces */
    char quote;                /* the quotation mark before them; '\0': none */
    bool open;                 /* an offer may be continued without a blank: a folder, a sign */
    char *shown[OFFERS_SHOWN]; /* in the order of the list */
    size_t count;              /* of shown */
    size_t total;              /* number of all offers, shown or not */
    struct buffer common;      /* common prefix of all offers */
};

/* Adds an offer: it is shown if there is room, and shortens the common prefix. */
void offers_add(struct offers *offers, const char *text, size_t length);
/* The two steps of this, for many offers of which only some are examined. */
void offers_show(struct offers *offers, const char *text, size_t length);
void offers_share(struct offers *offers, const char *text, size_t length);
void offers_free(struct offers *offers);

/* Adds offers for a line whose first bytes, up to the cursor, are `before`. */
typedef void line_completer(void *host, const char *before, struct offers *offers);

struct line_editor;

/* NULL if lines cannot be edited: the program was built without libedit, the terminal cannot redraw
 * a line, or its characters are not UTF-8. Standard input and output must be a terminal. */
struct line_editor *line_editor_open(const char *prompt, line_completer *complete, void *host);
/* Prompts for a line and reads it, without its end; valid until the next call. Returns NULL with
 * errno 0 at the end of the input, or with errno set: EINTR if a stopping signal arrived
 * (system.h). */
const char *line_editor_read(struct line_editor *editor);
void line_editor_close(struct line_editor *editor);

#endif
