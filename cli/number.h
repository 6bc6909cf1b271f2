/* Numbers in text: all of it must be the number. The library reads them, in any locale. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <psdvec/psdvec.h>

static inline bool number_integer(const char *text, uint64_t *value)
{
    psdvec_option_value parsed;
    const psdvec_option row = {.name = "", .type = PSDVEC_OPTION_UINT64};
    if (!psdvec_option_parse(&row, NULL, text, &parsed, NULL, 0))
        return false;
    *value = parsed.integer;
    return true;
}

static inline bool number_real(const char *text, double *value)
{
    psdvec_option_value parsed;
    const psdvec_option row = {.name = "", .type = PSDVEC_OPTION_DOUBLE};
    if (!psdvec_option_parse(&row, NULL, text, &parsed, NULL, 0))
        return false;
    *value = parsed.real;
    return true;
}

#endif
