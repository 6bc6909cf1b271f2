/* A context that records its messages, and a scratch folder for one output. For the setup and
 * teardown of cmocka. */
#ifndef TESTS_WORKBENCH_H
#define TESTS_WORKBENCH_H

#include "base/context.h"

typedef struct bench {
    psdvec_context *ctx;
    char *folder, *output, *partial; /* the scratch folder, "out" in it, "out.partial" */
    char messages[3][4096];          /* by level, concatenated */
    int message_count[3];
} bench;

#define ok(call) assert_int_equal((call), PSDVEC_OK)

int bench_open(void **state);

int bench_close(void **state);

/* `json` with the first `from` replaced. */
char *replaced(const char *json, const char *from, const char *to);

#endif
