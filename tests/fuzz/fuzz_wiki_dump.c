/* Fuzzes the reader of Wikipedia dumps: the same bytes, at once and in small pieces, must give the
 * same pages and the same status. */
#include "corpus/wiki_dump.h"
#include "fuzz/fuzz.h"

typedef struct sum {
    uint64_t hash;
    size_t pages;
} sum;

static void mix(sum *s, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        s->hash = (s->hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    s->hash = (s->hash ^ 0x100) * 0x100000001B3u;
}

static psdvec_status on_page(void *user, const char *title, size_t title_length, const char *text,
                             size_t text_length)
{
    sum *s = user;
    if (text_length == 0)
        abort();
    mix(s, title, title_length);
    mix(s, text, text_length);
    return ++s->pages == 5 ? PSDVEC_ERR_DISK_FULL : PSDVEC_OK;
}

static psdvec_status read_all(psdvec_context *ctx, const char *bytes, size_t length, size_t chunk,
                              sum *s)
{
    pv_begin(ctx);
    *s = (sum){0};
    pv_wiki_dump *dump = pv_wiki_dump_new(ctx, "the dump", on_page, s);
    if (!dump)
        abort();
    psdvec_status status = PSDVEC_OK;
    while (status == PSDVEC_OK && length > chunk) {
        char *exact = malloc(chunk);
        if (!exact)
            abort();
        memcpy(exact, bytes, chunk);
        status = pv_wiki_dump_feed(dump, exact, chunk, false);
        free(exact);
        bytes += chunk;
        length -= chunk;
    }
    if (status == PSDVEC_OK)
        status = pv_wiki_dump_feed(dump, bytes, length, true);
    pv_wiki_dump_free(dump);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static psdvec_context *ctx;
    if (!ctx && psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        abort();
    if (size == 0)
        return 0;
    size_t chunk = data[0] % 61 + 1;
    const char *bytes = (const char *)data + 1;
    size--;
    (void)pv_wiki_dump_looks_like(bytes, size);

    sum whole, pieces;
    psdvec_status first = read_all(ctx, bytes, size, SIZE_MAX, &whole);
    psdvec_status second = read_all(ctx, bytes, size, chunk, &pieces);
    if (first != second || whole.hash != pieces.hash || whole.pages != pieces.pages)
        abort();
    return 0;
}
