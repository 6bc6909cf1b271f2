/* Uses the library like a host, for tests of its effects on the process: it counts, trains, adds
 * words, converts, exports, imports, scores and simulates, in one folder. */
#ifndef TESTS_HOST_TOUR_H
#define TESTS_HOST_TOUR_H

#include <psdvec/psdvec.h>

/* Writes a text of so many lines to folder/text.txt. */
void tour_text(const char *folder, size_t lines);

/* Trains folder/NAME on folder/text.txt. */
psdvec_status tour_train(psdvec_context *ctx, const char *folder, const char *name);

/* Everything, with a context of its own. All results are files in the folder: those of the
 * library, what it told the host in messages.txt, and figures that it only returned in
 * figures.bin. Empty, or the sentence of a failure; to be freed. */
char *tour_run(const char *folder, int threads);

#endif
