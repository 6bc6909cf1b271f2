/* The language-dependent rules: elided words, omitted marks, and lower-casing. */
#ifndef PV_CORPUS_LANGUAGE_H
#define PV_CORPUS_LANGUAGE_H

#include <psdvec/psdvec.h>

/* I is the capital of a dotless i, and i has a dotted capital. */
static inline bool pv_language_dotless_i(psdvec_language language)
{
    return language == PSDVEC_LANGUAGE_TURKISH || language == PSDVEC_LANGUAGE_AZERBAIJANI;
}

/* True if some marks are removed from words. */
bool pv_language_drops_marks(psdvec_language language);
/* True if this mark is removed. Marks that compose with a letter, such as hamza and madda, stay. */
bool pv_language_drops(psdvec_language language, uint32_t cp);

/* True if the language elides words: l'homme is two words, l' and homme. */
bool pv_language_elides(psdvec_language language);
/* True if `length` bytes, the letters before an apostrophe, are an elided word. */
bool pv_language_elided(psdvec_language language, const char *letters, size_t length);

#endif
