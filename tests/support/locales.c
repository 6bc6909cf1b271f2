/* Finding and creating locales. */
#include "support/locales.h"

#include "support/scratch.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

typedef bool wanted_fn(void);

static bool has_comma(void)
{
    char text[10];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

static bool is_turkish(void)
{
    return tolower('I') != 'i';
}

static bool fits(const char *name, wanted_fn *wanted)
{
    locale_t there = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (there == (locale_t)0)
        return false;
    locale_t before = uselocale(there);
    bool good = wanted();
    uselocale(before);
    freelocale(there);
    return good;
}

static const char *find(const char *const *names, wanted_fn *wanted)
{
    for (; *names; names++)
        if (fits(*names, wanted))
            return *names;
    return NULL;
}

static const char *make(const char *folder, const char *name, const char *source,
                        const char *charmap, wanted_fn *wanted)
{
    char command[5000];
    snprintf(command, sizeof command,
             "localedef -c --no-archive -i '%s' -f '%s' '%s/%s' >/dev/null 2>&1", source, charmap,
             folder, name);
    int status = system(command); /* 1: with warnings */
    if (status == -1 || setenv("LOCPATH", folder, 1) != 0)
        return NULL;
    if (fits(name, wanted))
        return name;
    unsetenv("LOCPATH");
    return NULL;
}

const char *locale_with_comma(const char *folder)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", NULL};
    const char *name = find(names, has_comma);
    if (!name)
        name = make(folder, "de_DE.UTF-8", "de_DE", "UTF-8", has_comma);
    if (!name) {
        /* Does not need the sources of the system's locales. */
        static const char own[] = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                  "grouping 3;3\nEND LC_NUMERIC\n";
        char *source = scratch_path(folder, "comma.source");
        scratch_write(source, own, sizeof own - 1);
        name = make(folder, "comma", source, "ANSI_X3.4-1968", has_comma);
        free(source);
    }
    return name;
}

const char *locale_of_turkish(const char *folder)
{
    static const char *const names[] = {"tr_TR.ISO-8859-9", "tr_TR.iso88599", "tr_TR", NULL};
    const char *name = find(names, is_turkish);
    return name ? name : make(folder, "tr_TR.ISO-8859-9", "tr_TR", "ISO-8859-9", is_turkish);
}
