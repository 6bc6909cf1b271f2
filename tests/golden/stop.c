/* Stops a program at the same point each time: preloaded (LD_PRELOAD), it kills the process, as
 * kill -9 would, as soon as the STOP_AFTER-th file whose name ends in STOP_AT has been renamed to
 * its final name. tests/golden/make.sh uses it to create the states of interrupted runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rename(const char *from, const char *to)
{
    static int placed;
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    int result = real(from, to);
    const char *end = getenv("STOP_AT"), *after = getenv("STOP_AFTER");
    size_t length = strlen(to), end_length = end ? strlen(end) : 0;
    if (result == 0 && end && after && length >= end_length &&
        strcmp(to + length - end_length, end) == 0 && ++placed == atoi(after))
        kill(getpid(), SIGKILL);
    return result;
}
