/* How many rounds a long test takes: the kind of build, and the environment, decide. */
#include "support/rounds.h"
#include "util/compiler.h"

#include <stdlib.h>

#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

size_t rounds(size_t all, size_t few)
{
    return (SANITIZED || PV_PORTABLE) && getenv("PSDVEC_TEST_QUICK") ? few : all;
}
