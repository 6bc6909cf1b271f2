/* Calls in the C locale. */
#include "util/c_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begin(pv_locale *c)
{
    c->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c->own == (locale_t)0)
        return false;
    c->before = uselocale(c->own);
    return true;
}

static void end(pv_locale *c)
{
    uselocale(c->before);
    freelocale(c->own);
}

int pv_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    pv_locale c;
    if (!begin(&c))
        return -1;
    int length = vsnprintf(text, size, format, arguments);
    end(&c);
    return length;
}

int pv_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = pv_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int pv_vasprintf(char **text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = pv_vsnprintf(NULL, 0, format, again);
    va_end(again);
    *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!*text)
        return -1;
    return pv_vsnprintf(*text, (size_t)length + 1, format, arguments);
}

int pv_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = pv_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

bool pv_text_to_double(const char *text, double *value)
{
    pv_locale c;
    if (!begin(&c))
        return false;
    *value = strtod(text, NULL);
    end(&c);
    return true;
}

bool pv_text_to_float(const char *text, float *value)
{
    pv_locale c;
    if (!begin(&c))
        return false;
    *value = strtof(text, NULL);
    end(&c);
    return true;
}

static char lower(char letter)
{
    return (char)(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
}

bool pv_begins_with(const char *text, const char *beginning)
{
    while (*beginning && lower(*text) == lower(*beginning)) {
        text++;
        beginning++;
    }
    return !*beginning;
}

bool pv_same_letters(const char *a, const char *b)
{
    return pv_begins_with(a, b) && strlen(a) == strlen(b);
}

/* POSIX and GNU declare strerror_r differently: the former returns an error, the latter the text.
 * The declared type selects the right function. */
static const char *text_of_int(int error, const char *text)
{
    return error == 0 ? text : "unknown error";
}
static const char *text_of_pointer(const char *answer, const char *text)
{
    (void)text;
    return answer;
}
#define TEXT_OF(answer, text)                                                                      \
    _Generic((answer), int : text_of_int, default : text_of_pointer)(answer, text)

const char *pv_error_text(int error_number, char *text, size_t size)
{
    pv_locale c;
    bool in_english = begin(&c);
    const char *answer = TEXT_OF(strerror_r(error_number, text, size), text);
    if (in_english)
        end(&c);
    return answer;
}

void pv_utf8_open(pv_locale *locale)
{
    static const char *const names[] = {"C.UTF-8", "en_US.UTF-8"};
    *locale = (pv_locale){0};
    for (size_t k = 0; k < 2 && locale->own == (locale_t)0; k++)
        locale->own = newlocale(LC_CTYPE_MASK, names[k], (locale_t)0);
}

void pv_utf8_close(pv_locale *locale)
{
    if (locale->own != (locale_t)0)
        freelocale(locale->own);
    locale->own = (locale_t)0;
}

void pv_utf8_begin(pv_locale *locale)
{
    if (locale->own != (locale_t)0)
        locale->before = uselocale(locale->own);
}

void pv_utf8_end(pv_locale *locale)
{
    if (locale->own != (locale_t)0)
        uselocale(locale->before);
}
