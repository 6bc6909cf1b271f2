/* Text that does not depend on the host's locale.
 *
 * printf, strtod and strerror follow the locale of the host, which may use a decimal comma or
 * German messages. Files and messages must not depend on it. So src/ formats and parses decimal
 * numbers and gets the text of system errors only through this file; tests/check_calls.sh looks for
 * other calls.
 *
 * The locale is changed only for the calling thread and the duration of one call.
 */
#ifndef PV_UTIL_C_LOCALE_H
#define PV_UTIL_C_LOCALE_H

#include "util/compiler.h"

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* Like the functions of the C library; those that allocate follow GNU. Negative, with *text NULL,
 * if out of memory. */
int pv_snprintf(char *text, size_t size, const char *format, ...) PV_PRINTF(3, 4);
int pv_vsnprintf(char *text, size_t size, const char *format, va_list arguments) PV_PRINTF(3, 0);
int pv_asprintf(char **text, const char *format, ...) PV_PRINTF(2, 3);
int pv_vasprintf(char **text, const char *format, va_list arguments) PV_PRINTF(2, 0);

/* Parses the number at the beginning of the text like strtod and strtof. False if out of memory. */
bool pv_text_to_double(const char *text, double *value);
bool pv_text_to_float(const char *text, float *value);

/* Whether two texts are equal, ignoring the case of the letters A to Z. */
bool pv_same_letters(const char *a, const char *b);
/* The same for the beginning of a text. */
bool pv_begins_with(const char *text, const char *beginning);

/* The English text of an errno value, perhaps stored in `text`. Thread-safe. */
const char *pv_error_text(int error_number, char *text, size_t size);

/* A UTF-8 locale, for libraries that convert names to the encoding of the locale; it is active
 * between begin and end. Opening it takes some 30 us. Does nothing if the system has no such
 * locale. */
typedef struct pv_locale {
    locale_t own, before;
} pv_locale;
void pv_utf8_open(pv_locale *locale);
void pv_utf8_close(pv_locale *locale);
void pv_utf8_begin(pv_locale *locale);
void pv_utf8_end(pv_locale *locale);

#endif
