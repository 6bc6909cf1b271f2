/* The ASCII fast path: classifies 64 bytes at a time into two bit masks.
 *
 *   text   T h e _ c a t ' s _ n a ï v e _      (_ a separator)
 *   word   1 1 1 0 1 1 1 1 1 0 1 1 1 1 1 1 0    bytes that may belong to words
 *   odd    0 0 0 0 0 0 0 1 0 0 0 0 1 1 0 0 0    bytes that need a closer look
 *
 * A candidate (consecutive word bytes) without odd bytes is a word as it is, already lower-cased if
 * the options say so; all others go to the slow splitter. Bytes of 0x80 and above are always odd.
 */
#ifndef PV_CORPUS_BYTE_SCAN_H
#define PV_CORPUS_BYTE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

enum { PV_SCAN_WORD = 1, PV_SCAN_ODD = 2 };

typedef struct pv_scan_rules {
    bool whitespace; /* every byte above 0x20 is a word byte; only 0x80.. is odd */
    bool fold;       /* A-Z become a-z in place */
    bool digits;     /* 0-9 are letters */
    bool odd_digits; /* 0-9 are word bytes, and odd */
    bool apostrophe, hyphen, underscore; /* are word bytes, and odd */
    bool odd_capital_i;                  /* I is odd, and not folded: Turkish */
    unsigned char bits[256];             /* the same, for the plain kernel */
} pv_scan_rules;

/* Fills `bits` from the flags. */
void pv_scan_rules_finish(pv_scan_rules *rules);

/* Exactly 64 readable and writable bytes at `text`. */
void pv_scan_block(const pv_scan_rules *rules, unsigned char *text, uint64_t *word, uint64_t *odd);
/* The same in plain C: the reference, also used on other processors. */
void pv_scan_block_plain(const pv_scan_rules *rules, unsigned char *text, uint64_t *word,
                         uint64_t *odd);

#endif
