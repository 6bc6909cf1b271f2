/* Capabilities of the terminal: width, colour, Unicode. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum colour_wish { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* Sets LC_CTYPE, and only it: numbers must not depend on the locale. */
void terminal_start(void);
/* Whether block characters may be drawn: yes, unless the locale names another
 * encoding than UTF-8. */
bool terminal_unicode(void);
/* Whether colour may be used on this file descriptor. */
bool terminal_colour(int fd, enum colour_wish wish);
/* Whether a line on this file descriptor can be redrawn. */
bool terminal_redraws(int fd);
/* Columns; 80 if not known. */
size_t terminal_width(int fd);

/* Escape sequences; empty strings where colour is not wanted. */
struct palette {
    const char *plain, *bold, *dim, *red, *yellow, *cyan, *green;
};
struct palette terminal_palette(bool colour);

#endif
