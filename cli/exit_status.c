/* Maps status families of the library to exit statuses. */
#include "exit_status.h"

#include "system.h"

#include <errno.h>

const struct exit_line exit_lines[] = {
    {"0", "Success."},
    {"1", "An internal error in psdvec; please report it."},
    {"2", "A usage error: an unknown command or option, or a value out of range."},
    {"3", "An input cannot be used: not found, not text, damaged, or empty."},
    {"4", "A psdvec file cannot be used: another kind of file, damaged, or from a newer version."},
    {"5", "The result cannot be written: no such folder, no permission, or no space left."},
    {"6", "Not enough memory or another system resource."},
    {"129, 130, 143", "Stopped by SIGHUP, by Ctrl-C (SIGINT), or by SIGTERM."},
    {0}};

int exit_for(psdvec_status status)
{
    switch ((int)status / 100) {
    case 0:
        return EXIT_FINE;
    case 1:
        return EXIT_USE;
    case 2:
        return EXIT_INPUT;
    case 3:
        return EXIT_FILE;
    case 4:
        return EXIT_OUTPUT;
    case 5:
        return EXIT_RESOURCE;
    case 6: {
        int number = signals_caught();
        return number ? 128 + number : EXIT_INTERRUPTED;
    }
    default:
        return EXIT_DEFECT;
    }
}

int exit_for_output(int error)
{
    return error == ENOMEM ? EXIT_RESOURCE : EXIT_OUTPUT;
}
