/* Prose as it is written: words into a buffer that is large enough, and never
 * a blank too many.
 *
 * A blank is not written when it is met, only noted in `gap`, and written
 * before the next word. So there are none at the ends, and none twice. That
 * something vanished is noted as well, for the next word to tidy up what stood
 * around it: "(''{{x}}''; born 1900)" -> "(born 1900)".
 *
 * Every function takes time linear in what it writes or takes back, and
 * allocates nothing. None writes more than it was given, but for the blank
 * before it, which stands for at least one byte of the markup; so prose never
 * becomes longer than its markup.
 */
#ifndef PV_CORPUS_WIKI_OUTPUT_H
#define PV_CORPUS_WIKI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum pv_wiki_gap { PV_GAP_NONE, PV_GAP_SPACE, PV_GAP_PARAGRAPH } pv_wiki_gap;

typedef struct pv_wiki_output {
    char *text; /* has room for the whole markup */
    size_t length;
    size_t first;      /* where this article's prose starts */
    pv_wiki_gap gap;   /* to be written before the next word */
    bool dropped;      /* something vanished since the last word */
    size_t dropped_at; /* and the length of the prose then */
    bool line_start;   /* nothing was written since the newline */
} pv_wiki_output;

/* Before the next word comes at least this gap. */
static inline void pv_wiki_widen_gap(pv_wiki_output *out, pv_wiki_gap gap)
{
    if (out->gap < gap)
        out->gap = gap;
}

static inline void pv_wiki_note_drop(pv_wiki_output *out)
{
    out->dropped = true;
    out->dropped_at = out->length;
}

/* A word, or a few, without blanks at the ends. */
void pv_wiki_put(pv_wiki_output *out, const char *p, size_t n);

/* A stretch of pv_wiki_prose_run(): single spaces, perhaps at its ends. n > 0. */
void pv_wiki_put_run(pv_wiki_output *out, const char *p, size_t n);

/* ')' or ']' at `p`: brackets that only held what was dropped vanish. */
void pv_wiki_put_bracket(pv_wiki_output *out, const char *p, char opening_bracket);

/* The entity at `p`, or the '&' alone. Returns the place after it. */
const char *pv_wiki_put_entity(pv_wiki_output *out, const char *p, const char *end);

/* Text in which nothing but blanks and entities is special. */
void pv_wiki_put_literal(pv_wiki_output *out, const char *p, const char *end);

/* Takes back `n` bytes of prose, and blanks before them. */
void pv_wiki_take_back(pv_wiki_output *out, size_t n);

bool pv_wiki_ends_with(const pv_wiki_output *out, const char *tail, size_t n);

#endif
