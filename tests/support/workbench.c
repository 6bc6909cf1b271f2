/* A context that records its messages. */
#include "support/workbench.h"

#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void remember(void *user, psdvec_message_level level, const char *text)
{
    bench *b = user;
    size_t length = strlen(b->messages[level]);
    snprintf(b->messages[level] + length, sizeof b->messages[level] - length, "%s\n", text);
    b->message_count[level]++;
}

int bench_open(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->folder = scratch_new();
    b->output = scratch_path(b->folder, "out");
    b->partial = scratch_path(b->folder, "out.partial");
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = 2;
    o.memory = 64 << 20;
    o.on_message = remember;
    o.user = b;
    *state = b;
    return psdvec_context_new(&o, &b->ctx) == PSDVEC_OK ? 0 : -1;
}

int bench_close(void **state)
{
    bench *b = *state;
    uint64_t used = atomic_load(&b->ctx->memory_used);
    psdvec_context_free(b->ctx);
    scratch_free(b->folder);
    free(b->output);
    free(b->partial);
    free(b);
    return used == 0 ? 0 : -1;
}

char *replaced(const char *json, const char *from, const char *to)
{
    const char *at = strstr(json, from);
    char *result = NULL;
    assert_non_null(at);
    assert_true(asprintf(&result, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) > 0);
    return result;
}
