/* Lists of elided words and of optional marks. */
#include "corpus/language.h"

#include <string.h>

typedef struct range {
    uint32_t first, last;
} range;

/* Tatweel (elongation), Quranic annotation signs and vowel signs. Madda and hamza (U+0653 to
 * U+0655) stay, because they are parts of letters in decomposed text. */
static const range arabic_marks[] = {{0x0610, 0x061A}, {0x0640, 0x0640}, {0x064B, 0x0652},
                                     {0x0656, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},
                                     {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED},
                                     {0x08D3, 0x08E1}, {0x08E3, 0x08FF}, {0, 0}};
/* Cantillation marks and vowel points. */
static const range hebrew_marks[] = {{0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
                                     {0x05C4, 0x05C5}, {0x05C7, 0x05C7}, {0, 0}};

static const range *marks_of(psdvec_language language)
{
    switch (language) {
    case PSDVEC_LANGUAGE_ARABIC:
    case PSDVEC_LANGUAGE_PERSIAN:
    case PSDVEC_LANGUAGE_URDU:
        return arabic_marks;
    case PSDVEC_LANGUAGE_HEBREW:
        return hebrew_marks;
    default:
        return NULL;
    }
}

bool pv_language_drops_marks(psdvec_language language)
{
    return marks_of(language) != NULL;
}

bool pv_language_drops(psdvec_language language, uint32_t cp)
{
    for (const range *r = marks_of(language); r && r->first; r++)
        if (cp >= r->first && cp <= r->last)
            return true;
    return false;
}

/* Enclosed in spaces, so that a word can be searched for with its spaces. */
static const char *elided_words(psdvec_language language)
{
    switch (language) {
    case PSDVEC_LANGUAGE_FRENCH:
        return " c d j l m n s t qu jusqu lorsqu puisqu quoiqu ";
    case PSDVEC_LANGUAGE_ITALIAN:
        return " c d l m n s t v gl un all dall dell nell sull coll alcun anch bell buon ciascun "
               "com cos dov nessun nient pur qualcun quant quell quest sant senz tutt ";
    case PSDVEC_LANGUAGE_CATALAN:
        return " d l m n s t ";
    default:
        return NULL;
    }
}

bool pv_language_elides(psdvec_language language)
{
    return elided_words(language) != NULL;
}

bool pv_language_elided(psdvec_language language, const char *letters, size_t length)
{
    char word[16] = {' '};
    const char *list = elided_words(language);
    if (!list || length == 0 || length > sizeof word - 3)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = letters[i];
        word[i + 1] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    word[length + 1] = ' ';
    return strstr(list, word) != NULL;
}
