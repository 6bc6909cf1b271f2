/* How a text is laid out, from its beginning: whether its lines are cut at a width, and whether it is
 * written without spaces between words. */
#ifndef PV_CORPUS_TEXT_SHAPE_H
#define PV_CORPUS_TEXT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of the beginning of a file is looked at. */
enum { PV_SHAPE_LENGTH = 64 << 10 };

/* The width in characters at which paragraphs are cut into lines, as in the e-books of Project
 * Gutenberg; 0: lines are what they seem, such as articles, sentences, verses or words. `whole`: the
 * text ends here, and not only what is looked at. */
unsigned pv_wrapped_at(const char *text, size_t length, bool whole);

/* Letters; those of scripts that are written without spaces (Han, kana, Thai, Lao, Khmer, Burmese);
 * and the runs that these make up. */
typedef struct pv_script_counts {
    uint64_t letters, spaceless, runs;
} pv_script_counts;

void pv_count_scripts(const char *text, size_t length, pv_script_counts *counts);
/* True if most letters are of such scripts, and are not separated into words. */
bool pv_is_spaceless(const pv_script_counts *counts);

#endif
