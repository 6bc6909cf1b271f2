/* Numbers to and from text, the same in every locale. */
#ifndef PV_UTIL_NUMBER_H
#define PV_UTIL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The end of the decimal number at the start of `text` (3, 0.5, .5, 1e-4; no sign); NULL if there
 * is none. */
const char *pv_number_end(const char *text);

/* Writes digits, without a final zero byte; returns the end. At most 20 bytes. */
char *pv_digits_write(char *out, uint64_t number);

#define PV_DOUBLE_SIZE 40
/* Uses the fewest of 15, 16 and 17 digits that read back as the same bits. False if out of
 * memory. */
bool pv_double_to_text(double value, char text[PV_DOUBLE_SIZE]);

/* The complete text must be the number. */
bool pv_text_integer(const char *text, uint64_t *value); /* digits only */
bool pv_text_real(const char *text, double *value);      /* finite */
/* 4096, 200k, 1.5M, 2G: powers of 1,000. The result must be an integer. */
bool pv_text_count(const char *text, uint64_t *value);
/* 4096, 512K, 1.5G, 2T: powers of 1,024, optionally followed by B or iB; 50%: of `all`. At least
 * 1. */
bool pv_text_bytes(const char *text, uint64_t all, uint64_t *value);

#endif
