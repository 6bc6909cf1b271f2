/* Classes of code points, from utf8proc's categories. */
#include "corpus/char_class.h"

#include <utf8proc.h>

static pv_char_class classify(uint32_t cp)
{
    switch (cp) {
    case '\'':
    case 0x2019: /* right single quotation mark */
    case 0x02BC: /* modifier letter apostrophe */
    case 0xFF07: /* full width */
        return PV_CHAR_APOSTROPHE;
    case '-':
    case 0x2010: /* hyphen */
    case 0x2011: /* non-breaking hyphen */
    case 0xFF0D: /* full width */
        return PV_CHAR_HYPHEN;
    case 0x00AD:
        return PV_CHAR_SOFT_HYPHEN;
    case 0x200C:
    case 0x200D:
        return PV_CHAR_JOINER;
    default:
        break;
    }
    switch (utf8proc_category((utf8proc_int32_t)cp)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return PV_CHAR_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return PV_CHAR_MARK;
    case UTF8PROC_CATEGORY_ND:
        return PV_CHAR_DIGIT;
    default:
        return PV_CHAR_OTHER;
    }
}

pv_char_class pv_char_class_beyond(uint32_t cp)
{
    return classify(cp);
}

void pv_char_table_fill(pv_char_table *table)
{
    for (uint32_t cp = 0; cp < 0x10000; cp++)
        table->plane0[cp] = (unsigned char)classify(cp);
}
