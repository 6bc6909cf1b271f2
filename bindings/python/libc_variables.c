/* Copies of the C library's variables, for the library of the wheel.

   Debian compiles static libraries for programs (-fPIE). Such code addresses a variable of another
   library directly, which the linker refuses in a shared library. The linker option --wrap turns
   these references into references to the copies, which get their values when the library is
   loaded. Nothing that psdvec calls uses them: they belong to messages of failed assertions, and to
   the time zones of ICU. */
#include <stdio.h>

#define COPY(type, name)                                                                           \
    extern type __real_##name;                                                                     \
    extern type __wrap_##name;                                                                     \
    __attribute__((visibility("hidden"))) type __wrap_##name

COPY(FILE *, stdin);
COPY(FILE *, stdout);
COPY(FILE *, stderr);
COPY(long, __timezone);
typedef char *zone_names[2];
COPY(zone_names, tzname);

__attribute__((constructor)) static void copy_variables(void)
{
    __wrap_stdin = __real_stdin;
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
    __wrap___timezone = __real___timezone;
    __wrap_tzname[0] = __real_tzname[0];
    __wrap_tzname[1] = __real_tzname[1];
}
