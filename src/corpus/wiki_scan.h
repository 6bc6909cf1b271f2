/* Bytes of wiki markup: the few classes of characters that matter, and the scans for the next byte
 * that means something.
 *
 * Nine bytes in ten of an article mean nothing but themselves. The two scans that step over them
 * look at 16 bytes at a time where the processor has SSE2, and each has a plain twin, which is also
 * what other processors use.
 */
#ifndef PV_CORPUS_WIKI_SCAN_H
#define PV_CORPUS_WIKI_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* A blank inside a line; the newline means too much to be one. */
static inline bool pv_wiki_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool pv_wiki_is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static inline char pv_wiki_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline const char *pv_wiki_skip_blanks(const char *p, const char *end)
{
    while (p < end && pv_wiki_is_blank(*p))
        p++;
    return p;
}

/* How many of the `n` bytes at `p` are `c`, before another one. */
static inline size_t pv_wiki_run_of(const char *p, size_t n, char c)
{
    size_t i = 0;
    while (i < n && p[i] == c)
        i++;
    return i;
}

/* Bytes before the first bracket: one of < [ ] { } */
size_t pv_wiki_structural_run(const char *p, size_t n);
size_t pv_wiki_structural_run_plain(const char *p, size_t n);

/* Bytes before the first that prose does not take as it stands: a control
 * character, & ' ) : ] _ | } ~ or a space before another blank. */
size_t pv_wiki_prose_run(const char *p, size_t n);
size_t pv_wiki_prose_run_plain(const char *p, size_t n);

/* Bytes of an address, at which a bracketed or a bare one ends alike. */
size_t pv_wiki_url_run(const char *p, size_t n);

#endif
