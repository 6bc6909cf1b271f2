/* Decoding HTML character references. Names are found by binary search; the half a dozen that
 * make up nearly all references of an encyclopaedia are tried first. */
#include "corpus/html_entities.h"

#include "corpus/encoding.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 14

typedef struct entity {
    char name[NAME_MAX_BYTES + 1]; /* without '&' and ';' */
    uint16_t code;
} entity;

/* clang-format off */
static const entity entities[] = {
    {"AElig", 0xC6}, {"Aacute", 0xC1}, {"Abreve", 0x102}, {"Acirc", 0xC2}, {"Agrave", 0xC0},
    {"Alpha", 0x391}, {"Amacr", 0x100}, {"Aogon", 0x104}, {"Aring", 0xC5}, {"Atilde", 0xC3},
    {"Auml", 0xC4}, {"Beta", 0x392}, {"Cacute", 0x106}, {"Ccaron", 0x10C}, {"Ccedil", 0xC7},
    {"Chi", 0x3A7}, {"Dagger", 0x2021}, {"Delta", 0x394}, {"ETH", 0xD0}, {"Eacute", 0xC9},
    {"Ecaron", 0x11A}, {"Ecirc", 0xCA}, {"Egrave", 0xC8}, {"Emacr", 0x112}, {"Eogon", 0x118},
    {"Epsilon", 0x395}, {"Eta", 0x397}, {"Euml", 0xCB}, {"Gamma", 0x393}, {"Gbreve", 0x11E},
    {"Iacute", 0xCD}, {"Icirc", 0xCE}, {"Idot", 0x130}, {"Igrave", 0xCC}, {"Imacr", 0x12A},
    {"Iota", 0x399}, {"Iuml", 0xCF}, {"Kappa", 0x39A}, {"Lambda", 0x39B}, {"Lstrok", 0x141},
    {"Mu", 0x39C}, {"Nacute", 0x143}, {"NewLine", 0xA}, {"NoBreak", 0x2060}, {"Ntilde", 0xD1},
    {"Nu", 0x39D}, {"OElig", 0x152}, {"Oacute", 0xD3}, {"Ocirc", 0xD4}, {"Ograve", 0xD2},
    {"Omacr", 0x14C}, {"Omega", 0x3A9}, {"Omicron", 0x39F}, {"Oslash", 0xD8}, {"Otilde", 0xD5},
    {"Ouml", 0xD6}, {"Phi", 0x3A6}, {"Pi", 0x3A0}, {"Prime", 0x2033}, {"Psi", 0x3A8},
    {"Rcaron", 0x158}, {"Rho", 0x3A1}, {"Sacute", 0x15A}, {"Scaron", 0x160}, {"Scedil", 0x15E},
    {"Sigma", 0x3A3}, {"THORN", 0xDE}, {"Tab", 0x9}, {"Tau", 0x3A4}, {"Theta", 0x398},
    {"Uacute", 0xDA}, {"Ucirc", 0xDB}, {"Ugrave", 0xD9}, {"Umacr", 0x16A}, {"Upsilon", 0x3A5},
    {"Uuml", 0xDC}, {"Xi", 0x39E}, {"Yacute", 0xDD}, {"Yuml", 0x178}, {"Zcaron", 0x17D},
    {"ZeroWidthSpace", 0x200B}, {"Zeta", 0x396}, {"aacute", 0xE1}, {"abreve", 0x103},
    {"acirc", 0xE2}, {"acute", 0xB4}, {"aelig", 0xE6}, {"agrave", 0xE0}, {"alefsym", 0x2135},
    {"alpha", 0x3B1}, {"amacr", 0x101}, {"amp", 0x26}, {"and", 0x2227}, {"ang", 0x2220},
    {"aogon", 0x105}, {"apos", 0x27}, {"aring", 0xE5}, {"ast", 0x2A}, {"asymp", 0x2248},
    {"atilde", 0xE3}, {"auml", 0xE4}, {"bdquo", 0x201E}, {"beta", 0x3B2}, {"breve", 0x2D8},
    {"brvbar", 0xA6}, {"bull", 0x2022}, {"cacute", 0x107}, {"cap", 0x2229}, {"caron", 0x2C7},
    {"ccaron", 0x10D}, {"ccedil", 0xE7}, {"cedil", 0xB8}, {"cent", 0xA2}, {"chi", 0x3C7},
    {"circ", 0x2C6}, {"clubs", 0x2663}, {"colon", 0x3A}, {"comma", 0x2C}, {"cong", 0x2245},
    {"copy", 0xA9}, {"crarr", 0x21B5}, {"cup", 0x222A}, {"curren", 0xA4}, {"dArr", 0x21D3},
    {"dagger", 0x2020}, {"darr", 0x2193}, {"dash", 0x2010}, {"deg", 0xB0}, {"delta", 0x3B4},
    {"diams", 0x2666}, {"divide", 0xF7}, {"dollar", 0x24}, {"eacute", 0xE9}, {"ecaron", 0x11B},
    {"ecirc", 0xEA}, {"egrave", 0xE8}, {"emacr", 0x113}, {"empty", 0x2205}, {"emsp", 0x2003},
    {"ensp", 0x2002}, {"eogon", 0x119}, {"epsilon", 0x3B5}, {"equals", 0x3D}, {"equiv", 0x2261},
    {"eta", 0x3B7}, {"eth", 0xF0}, {"euml", 0xEB}, {"euro", 0x20AC}, {"excl", 0x21},
    {"exist", 0x2203}, {"fnof", 0x192}, {"forall", 0x2200}, {"frac12", 0xBD}, {"frac14", 0xBC},
    {"frac34", 0xBE}, {"frasl", 0x2044}, {"gamma", 0x3B3}, {"gbreve", 0x11F}, {"ge", 0x2265},
    {"gt", 0x3E}, {"hArr", 0x21D4}, {"hairsp", 0x200A}, {"harr", 0x2194}, {"hearts", 0x2665},
    {"hellip", 0x2026}, {"horbar", 0x2015}, {"hyphen", 0x2010}, {"iacute", 0xED}, {"icirc", 0xEE},
    {"iexcl", 0xA1}, {"igrave", 0xEC}, {"imacr", 0x12B}, {"image", 0x2111}, {"infin", 0x221E},
    {"inodot", 0x131}, {"int", 0x222B}, {"iota", 0x3B9}, {"iquest", 0xBF}, {"isin", 0x2208},
    {"iuml", 0xEF}, {"kappa", 0x3BA}, {"lArr", 0x21D0}, {"lambda", 0x3BB}, {"lang", 0x2329},
    {"laquo", 0xAB}, {"larr", 0x2190}, {"lbrace", 0x7B}, {"lbrack", 0x5B}, {"lceil", 0x2308},
    {"lcub", 0x7B}, {"ldquo", 0x201C}, {"le", 0x2264}, {"lfloor", 0x230A}, {"lowast", 0x2217},
    {"lowbar", 0x5F}, {"loz", 0x25CA}, {"lpar", 0x28}, {"lrm", 0x200E}, {"lsaquo", 0x2039},
    {"lsqb", 0x5B}, {"lsquo", 0x2018}, {"lstrok", 0x142}, {"lt", 0x3C}, {"macr", 0xAF},
    {"mdash", 0x2014}, {"micro", 0xB5}, {"middot", 0xB7}, {"minus", 0x2212}, {"mu", 0x3BC},
    {"nabla", 0x2207}, {"nacute", 0x144}, {"nbsp", 0xA0}, {"ndash", 0x2013}, {"ne", 0x2260},
    {"ni", 0x220B}, {"not", 0xAC}, {"notin", 0x2209}, {"nsub", 0x2284}, {"ntilde", 0xF1},
    {"nu", 0x3BD}, {"num", 0x23}, {"numsp", 0x2007}, {"oacute", 0xF3}, {"ocirc", 0xF4},
    {"oelig", 0x153}, {"ograve", 0xF2}, {"ohm", 0x3A9}, {"oline", 0x203E}, {"omacr", 0x14D},
    {"omega", 0x3C9}, {"omicron", 0x3BF}, {"oplus", 0x2295}, {"or", 0x2228}, {"ordf", 0xAA},
    {"ordm", 0xBA}, {"oslash", 0xF8}, {"otilde", 0xF5}, {"otimes", 0x2297}, {"ouml", 0xF6},
    {"para", 0xB6}, {"part", 0x2202}, {"percnt", 0x25}, {"period", 0x2E}, {"permil", 0x2030},
    {"perp", 0x22A5}, {"phi", 0x3C6}, {"pi", 0x3C0}, {"piv", 0x3D6}, {"plus", 0x2B},
    {"plusmn", 0xB1}, {"pound", 0xA3}, {"prime", 0x2032}, {"prod", 0x220F}, {"prop", 0x221D},
    {"psi", 0x3C8}, {"puncsp", 0x2008}, {"quest", 0x3F}, {"quot", 0x22}, {"rArr", 0x21D2},
    {"radic", 0x221A}, {"rang", 0x232A}, {"raquo", 0xBB}, {"rarr", 0x2192}, {"rbrace", 0x7D},
    {"rbrack", 0x5D}, {"rcaron", 0x159}, {"rceil", 0x2309}, {"rcub", 0x7D}, {"rdquo", 0x201D},
    {"real", 0x211C}, {"reg", 0xAE}, {"rfloor", 0x230B}, {"rho", 0x3C1}, {"rlm", 0x200F},
    {"rpar", 0x29}, {"rsaquo", 0x203A}, {"rsqb", 0x5D}, {"rsquo", 0x2019}, {"sacute", 0x15B},
    {"sbquo", 0x201A}, {"scaron", 0x161}, {"scedil", 0x15F}, {"sdot", 0x22C5}, {"sect", 0xA7},
    {"semi", 0x3B}, {"shy", 0xAD}, {"sigma", 0x3C3}, {"sigmaf", 0x3C2}, {"sim", 0x223C},
    {"sol", 0x2F}, {"spades", 0x2660}, {"sub", 0x2282}, {"sube", 0x2286}, {"sum", 0x2211},
    {"sup", 0x2283}, {"sup1", 0xB9}, {"sup2", 0xB2}, {"sup3", 0xB3}, {"supe", 0x2287},
    {"szlig", 0xDF}, {"tau", 0x3C4}, {"there4", 0x2234}, {"theta", 0x3B8}, {"thetasym", 0x3D1},
    {"thinsp", 0x2009}, {"thorn", 0xFE}, {"tilde", 0x2DC}, {"times", 0xD7}, {"trade", 0x2122},
    {"uArr", 0x21D1}, {"uacute", 0xFA}, {"uarr", 0x2191}, {"ucirc", 0xFB}, {"ugrave", 0xF9},
    {"umacr", 0x16B}, {"uml", 0xA8}, {"upsih", 0x3D2}, {"upsilon", 0x3C5}, {"uuml", 0xFC},
    {"vert", 0x7C}, {"weierp", 0x2118}, {"xi", 0x3BE}, {"yacute", 0xFD}, {"yen", 0xA5},
    {"yuml", 0xFF}, {"zcaron", 0x17E}, {"zeta", 0x3B6}, {"zwj", 0x200D}, {"zwnj", 0x200C},
};
/* clang-format on */

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static size_t numeric(const char *text, size_t length, uint32_t *code)
{
    size_t i = 2;
    bool hex = i < length && (text[i] | 32) == 'x';
    if (hex)
        i++;
    size_t first = i;
    uint32_t value = 0;
    for (; i < length && is_alnum(text[i]); i++) {
        char c = text[i];
        uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)((c | 32) - 'a' + 10);
        if (digit >= (hex ? 16u : 10u))
            return 0;
        value = value * (hex ? 16 : 10) + digit;
        if (value > 0x10FFFF)
            return 0;
    }
    if (i == first || i == length || text[i] != ';' || value == 0 ||
        (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value < 256 ? pv_windows_1252((unsigned char)value) : value; /* &#150; is a dash */
    return i + 1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const entity *)a)->name, ((const entity *)b)->name);
}

size_t pv_html_entity(const char *text, size_t length, uint32_t *code)
{
    if (length < 4 || text[0] != '&')
        return 0;
    if (text[1] == '#')
        return numeric(text, length, code);

    size_t n = 0;
    while (n <= NAME_MAX_BYTES && 1 + n < length && is_alnum(text[1 + n]))
        n++;
    if (n < 2 || n > NAME_MAX_BYTES || 1 + n == length || text[1 + n] != ';')
        return 0;
    const char *name = text + 1;

    if (n == 4 && memcmp(name, "nbsp", 4) == 0)
        return *code = 0xA0, n + 2;
    if (n == 5 && memcmp(name, "ndash", 5) == 0)
        return *code = 0x2013, n + 2;
    if (n == 4 && memcmp(name, "quot", 4) == 0)
        return *code = '"', n + 2;

    entity wanted = {.code = 0};
    memcpy(wanted.name, name, n);
    const entity *found = bsearch(&wanted, entities, sizeof entities / sizeof entities[0],
                                  sizeof entities[0], compare_names);
    if (!found)
        return 0;
    *code = found->code;
    return n + 2;
}

size_t pv_html_entity_twice(const char *text, size_t length, uint32_t *code)
{
    size_t taken = pv_html_entity(text, length, code);
    if (taken == 0 || *code != '&')
        return taken;
    /* The rest, "nbsp;", needs an '&' in front, but the input must not be changed. */
    char second[NAME_MAX_BYTES + 3] = "&";
    size_t rest = length - taken;
    if (rest > sizeof second - 1)
        rest = sizeof second - 1;
    memcpy(second + 1, text + taken, rest);
    uint32_t inner;
    size_t more = pv_html_entity(second, rest + 1, &inner);
    if (more == 0)
        return taken;
    *code = inner;
    return taken + more - 1;
}
