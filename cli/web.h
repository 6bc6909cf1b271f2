/* The files of the page of psdvec explore, which scripts/embed-web.sh embeds in the program. */
#ifndef CLI_WEB_H
#define CLI_WEB_H

#include <stdbool.h>
#include <stddef.h>

struct web_file {
    const char *path; /* "/app.js"; NULL ends the list */
    const char *type; /* Content-Type */
    const unsigned char *bytes;
    size_t length;
    bool packed; /* with gzip */
};
extern const struct web_file web_files[];

#endif
