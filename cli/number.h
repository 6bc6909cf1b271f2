/* Strict numbers: all of the text must be the number. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Digits only; false also if it does not fit 64 bits. */
bool number_integer(const char *text, uint64_t *value);
/* A finite decimal number such as 3, 0.5, 1e-4. Never depends on the locale. */
bool number_real(const char *text, double *value);
/* Bytes: 4096, 512K, 1.5G, 2T (binary, an optional B or iB behind), or 50% of
 * the machine's memory. At least 1. */
bool number_size(const char *text, uint64_t *value);
/* A number of things: 4096, 200k, 1.5M, 2G (thousands, millions, thousands of millions). What it
 * says must be whole. */
bool number_count(const char *text, uint64_t *value);

#endif
