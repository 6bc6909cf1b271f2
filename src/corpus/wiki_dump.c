/* Parsing MediaWiki XML exports with expat. expat calls a handler for every tag; tags are
 * identified by name and nesting depth, so that a <title> elsewhere is not mistaken for the page's:
 *
 *   1 mediawiki
 *   2   siteinfo
 *   3     namespaces
 *   4       namespace (names, for exports so old that pages lack <ns>)
 *   2   page
 *   3     title, ns, redirect, revision
 *   4       model, text
 */
#include "corpus/wiki_dump.h"

#include "base/json.h"
#include "base/platform.h"

#include <expat.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP = 1 << 18,      /* bytes per call of expat, which bounds the delay of a cancellation */
    TAG_MAX = 1 << 20,   /* expat buffers an unfinished tag, so its length is limited */
    TEXT_MOST = 8 << 20, /* a larger buffer is freed after its page */
    SMALL_MAX = 4096,    /* titles and similar fields are truncated to this */
    DEPTH_MAX = 100      /* exports have 6 levels; expat keeps every open element in memory */
};

struct pv_wiki_dump {
    psdvec_context *ctx;
    pv_wiki_page_fn *on_page;
    void *user;
    const char *name;

    XML_Parser parser;
    psdvec_status status;
    bool ended;
    uint64_t fed; /* bytes */

    size_t depth;
    bool in_page, in_revision, in_namespaces;
    pv_buffer *field;   /* where character data go; NULL: nowhere */
    size_t field_depth; /* of its element */

    pv_buffer title, ns, model, text;
    bool has_ns, redirect, too_long;
    bool main_namespace;  /* the <namespace> being read is number 0 */
    pv_buffer namespaces; /* "\nTalk\nUser\n...": names of all but number 0 */
    pv_buffer small;      /* the <namespace> being read */
};

/* ---- expat's memory counts against the budget ------------------------------------------------
 *
 * expat passes no argument to its allocator, so each function that calls expat first sets the
 * context for its thread. */

static _Thread_local psdvec_context *expat_context;

/* Precedes a block. */
typedef union expat_block {
    size_t bytes; /* with this header, and what the system's allocator adds */
    max_align_t aligned;
} expat_block;

static void *expat_resize(void *old, size_t size)
{
    enum { SYSTEM = 16 };
    expat_block *block = old ? (expat_block *)old - 1 : NULL;
    size_t before = block ? block->bytes : 0, bytes;
    if (!pv_add(size, sizeof *block + SYSTEM, &bytes) ||
        pv_memory_claim(expat_context, bytes, "the XML parser") != PSDVEC_OK)
        return NULL;
    /* cppcheck-suppress memleakOnRealloc ; after a failure, expat still has the old block */
    block = realloc(block, bytes - SYSTEM);
    pv_memory_unclaim(expat_context, block ? before : bytes);
    if (!block) {
        pv_fail(expat_context, PSDVEC_ERR_MEMORY, "out of memory for the XML parser");
        return NULL;
    }
    block->bytes = bytes;
    return block + 1;
}

static void *expat_alloc(size_t size)
{
    return expat_resize(NULL, size);
}

static void expat_free(void *old)
{
    if (!old)
        return;
    expat_block *block = (expat_block *)old - 1;
    pv_memory_unclaim(expat_context, block->bytes);
    free(block);
}

static const XML_Memory_Handling_Suite expat_memory = {expat_alloc, expat_resize, expat_free};

/* ---- Handlers -------------------------------------------------------------------------------- */

static void stop(pv_wiki_dump *d, psdvec_status status)
{
    if (d->status == PSDVEC_OK && status != PSDVEC_OK) {
        d->status = status;
        XML_StopParser(d->parser, XML_FALSE);
    }
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (is(attributes[0], name))
            return attributes[1];
    return NULL;
}

static void begin_field(pv_wiki_dump *d, pv_buffer *buffer)
{
    d->field = buffer;
    d->field_depth = d->depth;
    buffer->length = 0;
}

static void XMLCALL on_start(void *user, const char *element, const char **attributes)
{
    pv_wiki_dump *d = user;
    if (d->status != PSDVEC_OK)
        return;
    d->depth++;
    if (d->depth > DEPTH_MAX) {
        stop(d, pv_fail(d->ctx, PSDVEC_ERR_DAMAGED,
                        "%s: line %lu nests more than %d elements, which does not occur in "
                        "MediaWiki exports",
                        d->name, (unsigned long)XML_GetCurrentLineNumber(d->parser), DEPTH_MAX));
        return;
    }
    switch (d->depth) {
    case 1:
        if (!is(element, "mediawiki"))
            stop(d, pv_fail(d->ctx, PSDVEC_ERR_DAMAGED,
                            "%s: is XML, but not a MediaWiki export: it starts with <%.40s> "
                            "instead of <mediawiki>",
                            d->name, element));
        return;
    case 2:
        if (!is(element, "page"))
            return;
        d->in_page = true;
        d->has_ns = d->redirect = d->too_long = false;
        d->title.length = d->ns.length = d->model.length = d->text.length = 0;
        if (d->text.capacity > TEXT_MOST)
            pv_buffer_free(&d->text);
        return;
    case 3:
        if (!d->in_page) {
            d->in_namespaces = is(element, "namespaces");
        } else if (is(element, "title")) {
            begin_field(d, &d->title);
        } else if (is(element, "ns")) {
            begin_field(d, &d->ns);
            d->has_ns = true;
        } else if (is(element, "redirect")) {
            d->redirect = true;
        } else if (is(element, "revision")) {
            d->in_revision = true; /* the last one is used */
            d->text.length = d->model.length = 0;
            d->too_long = false;
        }
        return;
    case 4:
        if (d->in_revision && is(element, "text")) {
            begin_field(d, &d->text);
        } else if (d->in_revision && is(element, "model")) {
            begin_field(d, &d->model);
        } else if (d->in_namespaces && is(element, "namespace")) {
            const char *key = attribute(attributes, "key");
            d->main_namespace = key && is(key, "0");
            begin_field(d, &d->small);
        }
        return;
    default:
        return;
    }
}

/* Needed only for exports older than 2012, whose pages have no <ns>. */
static bool title_has_namespace(const pv_wiki_dump *d)
{
    if (d->title.length == 0 || d->namespaces.length == 0)
        return false;
    const char *colon = memchr(d->title.data, ':', d->title.length);
    if (!colon)
        return false;
    size_t n = (size_t)(colon - d->title.data);
    const char *p = d->namespaces.data, *end = p + d->namespaces.length;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((newline ? newline : end) - p);
        if (length == n && memcmp(p, d->title.data, n) == 0)
            return true;
        p += length + 1;
    }
    return false;
}

static void end_page(pv_wiki_dump *d)
{
    d->in_page = false;
    if (d->redirect || (d->has_ns ? !pv_json_text_is(&d->ns, "0") : title_has_namespace(d)))
        return;
    if (d->model.length && !pv_json_text_is(&d->model, "wikitext"))
        return;
    if (d->too_long) {
        pv_warn(d->ctx, "%s: the page \"%.*s\" is longer than %zu MB and was skipped", d->name,
                (int)(d->title.length < 200 ? d->title.length : 200),
                d->title.length ? d->title.data : "", PV_WIKI_PAGE_MAX >> 20);
        return;
    }
    if (d->text.length == 0)
        return;
    stop(d, d->on_page(d->user, d->title.length ? d->title.data : "", d->title.length, d->text.data,
                       d->text.length));
    expat_context = d->ctx; /* the callback may have read another dump */
}

static void XMLCALL on_end(void *user, const char *element)
{
    pv_wiki_dump *d = user;
    (void)element;
    if (d->status != PSDVEC_OK)
        return;
    if (d->field && d->depth == d->field_depth) {
        if (d->field == &d->small && !d->main_namespace && d->small.length) {
            psdvec_status status = pv_buffer_append(&d->namespaces, d->small.data, d->small.length);
            stop(d, status ? status : pv_buffer_byte(&d->namespaces, '\n'));
        }
        d->field = NULL;
    }
    if (d->depth == 3)
        d->in_revision = d->in_namespaces = false;
    if (d->depth == 2 && d->in_page)
        end_page(d);
    d->depth--;
}

static void XMLCALL on_text(void *user, const char *text, int length)
{
    pv_wiki_dump *d = user;
    pv_buffer *to = d->field;
    if (!to || d->depth != d->field_depth || d->status != PSDVEC_OK)
        return;
    size_t n = (size_t)length;
    if (to == &d->text) {
        if (d->too_long || n > PV_WIKI_PAGE_MAX - to->length) {
            d->too_long = true;
            to->length = 0;
            return;
        }
    } else if (n > SMALL_MAX - to->length) {
        n = SMALL_MAX - to->length;
    }
    stop(d, pv_buffer_append(to, text, n));
}

static void XMLCALL on_doctype(void *user, const char *name, const char *system_id,
                               const char *public_id, int has_internal_subset)
{
    pv_wiki_dump *d = user;
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    if (d->status == PSDVEC_OK)
        stop(d, pv_fail(d->ctx, PSDVEC_ERR_DAMAGED,
                        "%s: line %lu declares a document type (<!DOCTYPE ...>). MediaWiki "
                        "exports have none, and it can make a small file expand without limit, so "
                        "the file is refused",
                        d->name, (unsigned long)XML_GetCurrentLineNumber(d->parser)));
}

pv_wiki_dump *pv_wiki_dump_new(psdvec_context *ctx, const char *name, pv_wiki_page_fn *on_page,
                               void *user)
{
    pv_wiki_dump *d = pv_alloc(ctx, 1, sizeof *d, "the reader of a Wikipedia dump");
    if (!d)
        return NULL;
    pv_buffer none = {.ctx = ctx};
    *d = (pv_wiki_dump){ctx,           on_page,       user,
                        name,          .title = none, .ns = none,
                        .model = none, .text = none,  .namespaces = none,
                        .small = none};
    expat_context = ctx;
    d->parser = XML_ParserCreate_MM(NULL, &expat_memory, NULL);
    if (!d->parser) {
        pv_wiki_dump_free(d);
        return NULL;
    }
    XML_SetUserData(d->parser, d);
    XML_SetElementHandler(d->parser, on_start, on_end);
    XML_SetCharacterDataHandler(d->parser, on_text);
    XML_SetStartDoctypeDeclHandler(d->parser, on_doctype);
    return d;
}

void pv_wiki_dump_free(pv_wiki_dump *d)
{
    if (!d)
        return;
    expat_context = d->ctx;
    if (d->parser)
        XML_ParserFree(d->parser);
    pv_buffer_free(&d->title);
    pv_buffer_free(&d->ns);
    pv_buffer_free(&d->model);
    pv_buffer_free(&d->text);
    pv_buffer_free(&d->namespaces);
    pv_buffer_free(&d->small);
    pv_free(d->ctx, d);
}

static psdvec_status xml_error(pv_wiki_dump *d)
{
    enum XML_Error error = XML_GetErrorCode(d->parser);
    if (error == XML_ERROR_NO_MEMORY)
        return pv_failure(d->ctx);
    unsigned long line = (unsigned long)XML_GetCurrentLineNumber(d->parser);
    long long byte = (long long)XML_GetCurrentByteIndex(d->parser);
    bool truncated = d->ended &&
                     (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
                      error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION);
    if (truncated)
        return pv_fail(
            d->ctx, PSDVEC_ERR_DAMAGED,
            "%s: the file is truncated after byte %llu (line %lu). Download it again, or use the "
            "part that exists: cut it after a </page> and add </mediawiki>",
            d->name, (unsigned long long)d->fed, line);
    return pv_fail(d->ctx, PSDVEC_ERR_DAMAGED,
                   "%s: is not well-formed XML: %s at byte %lld, line %lu", d->name,
                   XML_ErrorString(error), byte, line);
}

static psdvec_status feed_step(pv_wiki_dump *d, const char *bytes, size_t length, bool is_last)
{
    d->fed += length;
    d->ended = is_last;
    expat_context = d->ctx;
    enum XML_Status parsed = XML_Parse(d->parser, bytes, (int)length, is_last);
    if (d->status != PSDVEC_OK)
        return d->status;
    if (parsed != XML_STATUS_OK)
        return d->status = xml_error(d);

    XML_Index at = XML_GetCurrentByteIndex(d->parser);
    if (!is_last && at >= 0 && d->fed - (uint64_t)at > (uint64_t)TAG_MAX + STEP)
        return d->status = pv_fail(d->ctx, PSDVEC_ERR_DAMAGED,
                                   "%s: has a tag, comment or instruction of more than %d bytes "
                                   "at byte %lld, line %lu, which does not occur in MediaWiki "
                                   "exports",
                                   d->name, (int)TAG_MAX, (long long)at,
                                   (unsigned long)XML_GetCurrentLineNumber(d->parser));
    return d->status = pv_check_cancel(d->ctx);
}

psdvec_status pv_wiki_dump_feed(pv_wiki_dump *d, const char *bytes, size_t length, bool is_last)
{
    if (d->status != PSDVEC_OK || d->ended)
        return d->status;
    while (length > STEP) {
        PV_TRY(feed_step(d, bytes, STEP, false));
        bytes += STEP;
        length -= STEP;
    }
    return feed_step(d, bytes, length, is_last);
}

bool pv_wiki_dump_looks_like(const char *start, size_t length)
{
    if (length > 1024)
        length = 1024;
    const char *p = start, *end = start + length;
    if (length >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    for (;;) {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
            p++;
        size_t left = (size_t)(end - p);
        const char *close;
        size_t n;
        if (left >= 2 && memcmp(p, "<?", 2) == 0) {
            close = pv_find_bytes(p, left, "?>", n = 2);
        } else if (left >= 4 && memcmp(p, "<!--", 4) == 0) {
            close = pv_find_bytes(p + 4, left - 4, "-->", n = 3);
        } else {
            static const char root[] = "<mediawiki";
            n = sizeof root - 1;
            return left > n && memcmp(p, root, n) == 0 && memchr(" \t\r\n>/", p[n], 6);
        }
        if (!close)
            return false;
        p = close + n;
    }
}
