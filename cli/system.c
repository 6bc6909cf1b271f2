/* Messages of the system, and the environment. */
#include "system.h"

#include <stdlib.h>
#include <string.h>

const char *system_error(int number)
{
    return strerror(number); /* NOLINT(concurrency-mt-unsafe): main thread only */
}

const char *system_variable(const char *name)
{
    return getenv(name); /* NOLINT(concurrency-mt-unsafe): nothing here calls setenv */
}
