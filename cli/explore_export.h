/* psdvec explore --export: the explorer as files that any web server can serve. */
#ifndef CLI_EXPLORE_EXPORT_H
#define CLI_EXPLORE_EXPORT_H

#include "api.h"

/* Writes the page and the data of the models of `api` to a folder, as one set: index.html is missing
 * while the others are replaced. Returns an exit status. */
int explore_export(struct api *api, const char *folder);

#endif
