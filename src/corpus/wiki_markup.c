/* See wiki_markup.h. Two passes, both linear:
 *
 *   1. wiki_structure.c pairs the brackets and gives a list of events in the
 *      order of the text: "from 120 to 480 a template: drop", "at 512 a link".
 *   2. wiki_prose.c copies what is between the events, with wiki_inner.c for
 *      the inside of those that stay, and wiki_output.c to write it.
 *
 * wiki_names.c has the names they go by, wiki_scan.c the loops that are fast.
 */
#include "corpus/wiki_markup.h"

#include "corpus/wiki_names.h"
#include "corpus/wiki_prose.h"
#include "corpus/wiki_structure.h"

psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out)
{
    if (length == 0 || pv_wiki_is_redirect(markup, markup + length))
        return PSDVEC_OK;
    if (length >= UINT32_MAX)
        return pv_fail(out->ctx, PSDVEC_ERR_OVERFLOW,
                       "an article of %zu bytes of wiki markup is longer than the 4 GiB that can "
                       "be handled",
                       length);
    PV_TRY(pv_buffer_reserve(out, length));

    pv_buffer events;
    pv_buffer_init(&events, out->ctx);
    psdvec_status status = pv_wiki_find_structure(markup, length, &events);
    if (status == PSDVEC_OK)
        pv_wiki_write_prose(markup, length, (const pv_wiki_event *)(const void *)events.data,
                            events.length / sizeof(pv_wiki_event), out);
    pv_buffer_free(&events);
    return status;
}
