/* What a code point is to a tokeniser. A table for the first 65,536, which
 * costs a millisecond to fill, and Unicode's categories for the others.
 */
#ifndef PV_CORPUS_CHAR_CLASS_H
#define PV_CORPUS_CHAR_CLASS_H

#include <stdint.h>

typedef enum pv_char_class {
    PV_CHAR_OTHER = 0,   /* separates words */
    PV_CHAR_LETTER,      /* categories L* */
    PV_CHAR_MARK,        /* categories M*: goes on with a word */
    PV_CHAR_DIGIT,       /* category Nd */
    PV_CHAR_APOSTROPHE,  /* ' U+2019 U+02BC U+FF07 */
    PV_CHAR_HYPHEN,      /* - U+2010 U+2011 U+FF0D */
    PV_CHAR_SOFT_HYPHEN, /* U+00AD: vanishes inside a word */
    PV_CHAR_JOINER       /* U+200C and U+200D: stay inside a word */
} pv_char_class;

typedef struct pv_char_table {
    unsigned char plane0[0x10000];
} pv_char_table;

void pv_char_table_fill(pv_char_table *table);
pv_char_class pv_char_class_beyond(uint32_t cp);

static inline pv_char_class pv_char_classify(const pv_char_table *table, uint32_t cp)
{
    return cp < 0x10000 ? (pv_char_class)table->plane0[cp] : pv_char_class_beyond(cp);
}

#endif
