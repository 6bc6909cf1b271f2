/* Uses the library like a program would, for tests of its effects on the process: it counts,
 * trains, adds words, converts, exports, imports, scores and simulates, in one folder. */
#ifndef TESTS_HOST_TOUR_H
#define TESTS_HOST_TOUR_H

#include <psdvec/psdvec.h>

/* Writes a text of `lines` lines to folder/text.txt. */
void tour_text(const char *folder, size_t lines);

/* Trains folder/NAME on folder/text.txt. */
psdvec_status tour_train(psdvec_context *ctx, const char *folder, const char *name);

/* Runs everything with a separate context. All results are files in the folder: those of the
 * library, its messages in messages.txt, and returned figures in figures.bin. Returns an empty
 * string or the message of a failure; the caller frees it. */
char *tour_run(const char *folder, int threads);

#endif
