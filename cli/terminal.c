/* Properties of the terminal.
 *
 * NO_COLOR (any value but empty) and TERM=dumb override "auto"; --color always overrides both.
 * Words are UTF-8 in any locale, so in the plain "C" locale (a container, cron) widths are taken
 * from C.UTF-8. */
#include "terminal.h"

#include "system.h"
#include "util/number.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_start(void)
{
    const char *name = setlocale(LC_CTYPE, ""); /* NOLINT(concurrency-mt-unsafe): at the start */
    if (!name || !strcmp(name, "C") || !strcmp(name, "POSIX"))
        setlocale(LC_CTYPE, "C.UTF-8"); /* NOLINT(concurrency-mt-unsafe) */
}

bool terminal_unicode(void)
{
    return !strcmp(nl_langinfo(CODESET), "UTF-8"); /* NOLINT(concurrency-mt-unsafe) */
}

static bool dumb(void)
{
    const char *term = system_variable("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

bool terminal_colour(int fd, enum colour_wish wish)
{
    const char *no_colour = system_variable("NO_COLOR");
    if (wish != COLOUR_AUTO)
        return wish == COLOUR_ALWAYS;
    return isatty(fd) && !dumb() && !(no_colour && *no_colour);
}

bool terminal_redraws(int fd)
{
    return isatty(fd) && !dumb();
}

size_t terminal_width(int fd)
{
    struct winsize size;
    uint64_t columns = 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *text = system_variable("COLUMNS");
    if (text && pv_text_integer(text, &columns) && columns > 0 && columns < 10000)
        return (size_t)columns;
    return 80;
}

struct palette terminal_palette(bool colour)
{
    if (!colour)
        return (struct palette){"", "", "", "", "", "", ""};
    return (struct palette){"\033[0m",  "\033[1m",  "\033[2m", "\033[1;31m",
                            "\033[33m", "\033[36m", "\033[32m"};
}
