/* Layout of a text, detected from its beginning: whether its lines are wrapped at a fixed width,
 * and whether it is written without spaces between words. */
#ifndef PV_CORPUS_TEXT_SHAPE_H
#define PV_CORPUS_TEXT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes at the beginning of a file that are examined. */
enum { PV_SHAPE_LENGTH = 64 << 10 };

/* The width in characters at which paragraphs are wrapped, as in the e-books of Project Gutenberg;
 * 0: the text is not wrapped, and its lines are articles, sentences, verses or words. `whole`: the
 * text is complete, not only a sample of its beginning. */
unsigned pv_wrapped_at(const char *text, size_t length, bool whole);

/* Letters; those of scripts that are written without spaces (Han, kana, Thai, Lao, Khmer, Burmese);
 * and the number of runs of such letters. */
typedef struct pv_script_counts {
    uint64_t letters, spaceless, runs;
} pv_script_counts;

void pv_count_scripts(const char *text, size_t length, pv_script_counts *counts);
/* True if most letters are in such scripts and are not separated into words. */
bool pv_is_spaceless(const pv_script_counts *counts);

#endif
