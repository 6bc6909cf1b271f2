/* How many rounds a long test takes. */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <stddef.h>

/* `all`; or `few` if the test repeats, with a sanitizer or with PORTABLE=1, what `make test` has run
 * in full without (PSDVEC_TEST_QUICK is set). `make asan` and `make portable` take all. */
size_t rounds(size_t all, size_t few);

#endif
