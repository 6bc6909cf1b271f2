/* Comparing settings of counting. */
#include "count/settings_compare.h"

#include "base/json.h"
#include "base/safetensors_read.h"
#include "count/provenance.h"

#include <string.h>

typedef struct side {
    const char *written;    /* as the file has it */
    pv_provenance complete; /* its `settings`: the same, as this version would write it; or NULL */
} side;

/* Settings that cannot be read, or that another program's counts have, are compared as written. The
 * failure to read them is not one of the run, so it happens in a context of its own. */
static psdvec_status complete(psdvec_context *ctx, side *s)
{
    psdvec_context_options quiet = ctx->options;
    psdvec_context *reader;
    psdvec_count_options options;
    pv_buffer strings;
    quiet.on_message = NULL;
    quiet.on_progress = NULL;
    quiet.threads = 1;
    if (psdvec_context_new(&quiet, &reader) != PSDVEC_OK)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
    pv_buffer_init(&strings, reader);
    psdvec_status status = PSDVEC_OK;
    if (pv_provenance_read_settings(reader, "settings", s->written, &options, &strings) ==
        PSDVEC_OK)
        status = pv_provenance_set(&s->complete, &options);
    pv_buffer_free(&strings);
    psdvec_context_free(reader);
    return status;
}

/* Empty if the side has no such member. */
static psdvec_status value_of(const side *s, const char *name, pv_buffer *value)
{
    value->length = 0;
    if (s->complete.settings)
        PV_TRY(pv_json_member(s->complete.settings, name, value));
    return value->length ? PSDVEC_OK : pv_json_member(s->written, name, value);
}

static psdvec_status compare_member(const side *here, const side *there, const char *name,
                                    bool only_known, pv_buffer *differ)
{
    psdvec_status status;
    pv_buffer a, b;
    pv_buffer_init(&a, differ->ctx);
    pv_buffer_init(&b, differ->ctx);
    PV_TRY_DONE(value_of(here, name, &a));
    PV_TRY_DONE(value_of(there, name, &b));
    bool same = a.length == b.length && !memcmp(a.data, b.data, a.length);
    bool known = a.length && b.length && strcmp(a.data, "null") && strcmp(b.data, "null");
    const char *between = differ->length ? "; " : "";
    pv_st_shown shown = pv_st_show(name);
    if (!same && a.length && b.length && (known || !only_known))
        status = pv_buffer_printf(differ, "%s%s %s, not %s", between, shown.text, a.data, b.data);
    else if (!same && !only_known)
        status = pv_buffer_printf(differ, "%s%s %s only in the %s", between, shown.text,
                                  a.length ? a.data : b.data, a.length ? "first" : "second");
done:
    pv_buffer_free(&a);
    pv_buffer_free(&b);
    return status;
}

/* Every member of `list`, unless one of the `count` lists before it has the member too. */
static psdvec_status compare_members(const char *const *lists, size_t count, const side *here,
                                     const side *there, bool only_known, pv_buffer *differ)
{
    psdvec_status status = PSDVEC_OK;
    pv_json j;
    pv_buffer name, other;
    pv_buffer_init(&name, differ->ctx);
    pv_buffer_init(&other, differ->ctx);
    pv_json_init(&j, lists[count], strlen(lists[count]), 0);
    pv_json_enter_object(&j);
    while (name.length = 0, pv_json_next_key(&j, &name)) {
        PV_TRY_DONE(pv_buffer_byte(&name, 0));
        other.length = 0;
        for (size_t k = 0; k < count && other.length == 0; k++)
            PV_TRY_DONE(pv_json_member(lists[k], name.data, &other));
        if (other.length == 0)
            PV_TRY_DONE(compare_member(here, there, name.data, only_known, differ));
    }
    if (!pv_json_finish(&j) && differ->length == 0)
        status = pv_buffer_text(differ, "one of them cannot be read");
done:
    pv_buffer_free(&name);
    pv_buffer_free(&other);
    return status;
}

psdvec_status pv_settings_compare(psdvec_context *ctx, const char *here, const char *there,
                                  bool only_known, pv_buffer *differ)
{
    if (strcmp(here, there) == 0)
        return PSDVEC_OK;
    side a = {.written = here}, b = {.written = there};
    psdvec_status status;
    pv_provenance_init(&a.complete, ctx);
    pv_provenance_init(&b.complete, ctx);
    PV_TRY_DONE(complete(ctx, &a));
    PV_TRY_DONE(complete(ctx, &b));
    const char *lists[] = {a.complete.settings ? a.complete.settings : here, here,
                           b.complete.settings ? b.complete.settings : there, there};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        PV_TRY_DONE(compare_members(lists, k, &a, &b, only_known, differ));
done:
    pv_provenance_free(&a.complete);
    pv_provenance_free(&b.complete);
    return status;
}
