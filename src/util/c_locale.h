/* Text that does not depend on the host's locale.
 *
 * printf, strtod and strerror follow the locale of the host, which may write a decimal
 * comma or speak German. What is written to files, read from files, and told to people
 * must not. So src/ formats numbers with decimals, reads them, and asks for the causes of
 * system errors through this file only; tests/check_calls.sh looks for other calls.
 *
 * The locale is changed for the calling thread and for the time of one call.
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

/* As the functions of the C library; those that allocate are GNU's. Negative, and *text NULL, if
 * the system refused memory. */
int pv_snprintf(char *text, size_t size, const char *format, ...) PV_PRINTF(3, 4);
int pv_vsnprintf(char *text, size_t size, const char *format, va_list arguments) PV_PRINTF(3, 0);
int pv_asprintf(char **text, const char *format, ...) PV_PRINTF(2, 3);
int pv_vasprintf(char **text, const char *format, va_list arguments) PV_PRINTF(2, 0);

/* The number at the beginning of the text, as strtod and strtof read it. False if the
 * system refused memory. */
bool pv_text_to_double(const char *text, double *value);
bool pv_text_to_float(const char *text, float *value);

/* Whether two texts differ at most in the case of the letters A to Z. */
bool pv_same_letters(const char *a, const char *b);
/* The same for the beginning of a text. */
bool pv_begins_with(const char *text, const char *beginning);

/* What errno means, in English; `text` if it was needed. Safe from any thread. */
const char *pv_error_text(int error_number, char *text, size_t size);

/* A locale whose text is UTF-8, for libraries that convert names to the encoding of the locale:
 * used between begin and end. Opening it takes some 30 us. Without such a locale on the system
 * nothing happens. */
typedef struct pv_locale {
    locale_t own, before;
} pv_locale;
void pv_utf8_open(pv_locale *locale);
void pv_utf8_close(pv_locale *locale);
void pv_utf8_begin(pv_locale *locale);
void pv_utf8_end(pv_locale *locale);

#endif
