/* Name tables of wiki markup. Tables that are searched often are sorted; a list of names is one
 * string, "|file|image|...", in which "|name|" is searched for. All names are in canonical form
 * (pv_wiki_canonical_name).
 */
#include "corpus/wiki_parts.h"

#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- The tables ---------------------------------------------------------- */

/* All tags of MediaWiki and its usual extensions. "<x" in a formula is not a tag, and is kept.
 * Sorted. */
/* clang-format off */
const pv_wiki_tag pv_wiki_tags[] = {
    {"abbr", PV_TAG_INLINE}, {"audio", PV_TAG_DROP}, {"b", PV_TAG_INLINE}, {"bdi", PV_TAG_INLINE},
    {"bdo", PV_TAG_INLINE}, {"big", PV_TAG_INLINE}, {"blockquote", PV_TAG_BLOCK},
    {"br", PV_TAG_SPACE}, {"caption", PV_TAG_BLOCK}, {"categorytree", PV_TAG_DROP},
    {"ce", PV_TAG_DROP}, {"center", PV_TAG_BLOCK}, {"charinsert", PV_TAG_DROP},
    {"chem", PV_TAG_DROP}, {"cite", PV_TAG_INLINE}, {"code", PV_TAG_DROP}, {"col", PV_TAG_BLOCK},
    {"colgroup", PV_TAG_BLOCK}, {"data", PV_TAG_INLINE}, {"dd", PV_TAG_BLOCK},
    {"del", PV_TAG_INLINE}, {"dfn", PV_TAG_INLINE}, {"div", PV_TAG_BLOCK}, {"dl", PV_TAG_BLOCK},
    {"dt", PV_TAG_BLOCK}, {"em", PV_TAG_INLINE}, {"font", PV_TAG_INLINE}, {"gallery", PV_TAG_DROP},
    {"graph", PV_TAG_DROP}, {"h1", PV_TAG_BLOCK}, {"h2", PV_TAG_BLOCK}, {"h3", PV_TAG_BLOCK},
    {"h4", PV_TAG_BLOCK}, {"h5", PV_TAG_BLOCK}, {"h6", PV_TAG_BLOCK}, {"hiero", PV_TAG_DROP},
    {"hr", PV_TAG_BLOCK}, {"i", PV_TAG_INLINE}, {"iframe", PV_TAG_DROP}, {"imagemap", PV_TAG_DROP},
    {"includeonly", PV_TAG_DROP}, {"indicator", PV_TAG_DROP}, {"inputbox", PV_TAG_DROP},
    {"ins", PV_TAG_INLINE}, {"kbd", PV_TAG_INLINE}, {"langconvert", PV_TAG_INLINE},
    {"li", PV_TAG_BLOCK}, {"mapframe", PV_TAG_DROP}, {"maplink", PV_TAG_DROP},
    {"mark", PV_TAG_INLINE}, {"math", PV_TAG_DROP}, {"noinclude", PV_TAG_INLINE},
    {"noscript", PV_TAG_DROP}, {"nowiki", PV_TAG_NOWIKI}, {"object", PV_TAG_DROP},
    {"ol", PV_TAG_BLOCK}, {"onlyinclude", PV_TAG_INLINE}, {"p", PV_TAG_BLOCK},
    {"phonos", PV_TAG_DROP}, {"poem", PV_TAG_BLOCK}, {"pre", PV_TAG_DROP}, {"q", PV_TAG_INLINE},
    {"rb", PV_TAG_INLINE}, {"ref", PV_TAG_DROP}, {"references", PV_TAG_DROP}, {"rp", PV_TAG_DROP},
    {"rt", PV_TAG_DROP}, {"ruby", PV_TAG_INLINE}, {"s", PV_TAG_INLINE}, {"samp", PV_TAG_INLINE},
    {"score", PV_TAG_DROP}, {"script", PV_TAG_DROP}, {"section", PV_TAG_INLINE},
    {"small", PV_TAG_INLINE}, {"source", PV_TAG_DROP}, {"span", PV_TAG_INLINE},
    {"strike", PV_TAG_INLINE}, {"strong", PV_TAG_INLINE}, {"style", PV_TAG_DROP},
    {"sub", PV_TAG_INLINE}, {"sup", PV_TAG_INLINE}, {"svg", PV_TAG_DROP},
    {"syntaxhighlight", PV_TAG_DROP}, {"table", PV_TAG_TABLE}, {"tbody", PV_TAG_BLOCK},
    {"td", PV_TAG_BLOCK}, {"templatedata", PV_TAG_DROP}, {"templatestyles", PV_TAG_DROP},
    {"tfoot", PV_TAG_BLOCK}, {"th", PV_TAG_BLOCK}, {"thead", PV_TAG_BLOCK}, {"time", PV_TAG_INLINE},
    {"timeline", PV_TAG_DROP}, {"tr", PV_TAG_BLOCK}, {"translate", PV_TAG_INLINE},
    {"tt", PV_TAG_INLINE}, {"tvar", PV_TAG_INLINE}, {"u", PV_TAG_INLINE}, {"ul", PV_TAG_BLOCK},
    {"var", PV_TAG_INLINE}, {"video", PV_TAG_DROP}, {"wbr", PV_TAG_INLINE},
};
/* clang-format on */
_Static_assert(COUNT_OF(pv_wiki_tags) <= PV_WIKI_TAGS_MAX, "PV_WIKI_TAGS_MAX is too small");

/* Lists of names, each between two bars, in lower case, '_' as space. */
static const char file_names[] =
    "|file|image|datei|bild|fichier|archivo|imagen|immagine|ficheiro|imagem|arquivo|bestand|"
    "afbeelding|plik|grafika|fil|billede|bilde|tiedosto|kuva|soubor|obrázek|súbor|obrázok|fájl|"
    "kép|fișier|fişier|imagine|dosya|resim|файл|изображение|зображення|выява|датотека|слика|"
    "αρχείο|εικόνα|datoteka|slika|קובץ|תמונה|ملف|صورة|پرونده|تصویر|चित्र|ছবি|চিত্র|படிமம்|ไฟล์|ภาพ|"
    "tập tin|hình|berkas|gambar|imej|fail|fitxer|imatge|dosiero|ficheru|imaxe|fitxategi|irudi|"
    "ファイル|画像|파일|그림|文件|檔案|档案|图像|圖像|图片|圖片|ფაილი|სურათი|պատկեր|şəkil|fayl|pilt|attēls|"
    "vaizdas|failas|skeda|mynd|delwedd|íomhá|lêer|beeld|сурет|talaksan|larawan|";

static const char category_names[] =
    "|category|kategorie|catégorie|categoría|categoria|categorie|kategori|kategoria|luokka|"
    "kategória|kategorija|категория|категорія|катэгорыя|категорија|κατηγορία|קטגוריה|تصنيف|رده|"
    "श्रेणी|বিষয়শ্রেণী|பகுப்பு|หมวดหมู่|thể loại|kategorio|カテゴリ|분류|分类|分類|კატეგორია|կատեգորիա|"
    "kateqoriya|kategooria|flokkur|categori|catagóir|санат|catigoría|kaarangay|kategorya|";

/* A link to an article in another language; shown beside the text, not in it. Sorted, because old
 * dumps have a hundred in every article. */
/* clang-format off */
static const char language_codes[][13] = {
    "aa", "ab", "ace", "ady", "af", "ak", "als", "alt", "am", "ami", "an", "ang", "ann", "anp",
    "ar", "arc", "ary", "arz", "as", "ast", "atj", "av", "avk", "awa", "ay", "az", "azb", "ba",
    "ban", "bar", "bat-smg", "bbc", "bcl", "bdr", "be", "be-tarask", "be-x-old", "bew", "bg", "bh",
    "bi", "bjn", "blk", "bm", "bn", "bo", "bpy", "br", "bs", "btm", "bug", "bxr", "ca", "cbk-zam",
    "cdo", "ce", "ceb", "ch", "cho", "chr", "chy", "ckb", "co", "cr", "crh", "cs", "csb", "cu",
    "cv", "cy", "da", "dag", "de", "dga", "din", "diq", "dsb", "dtp", "dty", "dv", "dz", "ee",
    "el", "eml", "en", "eo", "es", "et", "eu", "ext", "fa", "fat", "ff", "fi", "fiu-vro", "fj",
    "fo", "fon", "fr", "frp", "frr", "fur", "fy", "ga", "gag", "gan", "gcr", "gd", "gl", "glk",
    "gn", "gom", "gor", "got", "gpe", "gu", "guc", "gur", "guw", "gv", "ha", "hak", "haw", "he",
    "hi", "hif", "ho", "hr", "hsb", "ht", "hu", "hy", "hyw", "hz", "ia", "iba", "id", "ie", "ig",
    "igl", "ii", "ik", "ilo", "inh", "io", "is", "it", "iu", "ja", "jam", "jbo", "jv", "ka", "kaa",
    "kab", "kbd", "kbp", "kcg", "kg", "kge", "ki", "kj", "kk", "kl", "km", "kn", "ko", "koi", "kr",
    "krc", "ks", "ksh", "ku", "kus", "kv", "kw", "ky", "la", "lad", "lb", "lbe", "lez", "lfn",
    "lg", "li", "lij", "lld", "lmo", "ln", "lo", "lrc", "lt", "ltg", "lv", "mad", "mai", "map-bms",
    "mdf", "mg", "mh", "mhr", "mi", "min", "mk", "ml", "mn", "mni", "mnw", "mos", "mr", "mrj",
    "ms", "mt", "mus", "mwl", "my", "myv", "mzn", "na", "nah", "nap", "nds", "nds-nl", "ne", "new",
    "ng", "nia", "nl", "nn", "no", "nov", "nqo", "nr", "nrm", "nso", "nup", "nv", "ny", "oc",
    "olo", "om", "or", "os", "pa", "pag", "pam", "pap", "pcd", "pcm", "pdc", "pfl", "pi", "pih",
    "pl", "pms", "pnb", "pnt", "ps", "pt", "pwn", "qu", "rm", "rmy", "rn", "ro", "roa-rup",
    "roa-tara", "rsk", "ru", "rue", "rw", "sa", "sah", "sat", "sc", "scn", "sco", "sd", "se", "sg",
    "sh", "shi", "shn", "si", "simple", "sk", "skr", "sl", "sm", "smn", "sn", "so", "sq", "sr",
    "srn", "ss", "st", "stq", "su", "sv", "sw", "szl", "szy", "ta", "tay", "tcy", "tdd", "te",
    "tet", "tg", "th", "ti", "tig", "tk", "tl", "tly", "tn", "to", "tpi", "tr", "trv", "ts", "tt",
    "tum", "tw", "ty", "tyv", "udm", "ug", "uk", "ur", "uz", "ve", "vec", "vep", "vi", "vls", "vo",
    "wa", "war", "wo", "wuu", "xal", "xh", "xmf", "yi", "yo", "za", "zea", "zgh", "zh",
    "zh-classical", "zh-min-nan", "zh-yue", "zu",
};
/* clang-format on */

/* Sister projects: "[[wikt:word]]" reads "word". */
static const char project_names[] =
    "|w|wikipedia|wikt|wiktionary|s|wikisource|b|wikibooks|n|wikinews|q|wikiquote|v|wikiversity|"
    "voy|wikivoyage|species|wikispecies|c|commons|d|wikidata|m|meta|mw|mediawikiwiki|";

static const char redirect_names[] =
    "|redirect|redirection|redirección|redireccion|redirecionamento|weiterleitung|rinvia|rinvio|"
    "doorverwijzing|patrz|przekieruj|omdirigering|ohjaus|uudelleenohjaus|přesměruj|átirányítás|"
    "yönlendir|yönlendirme|перенаправление|перенапр|перенаправлення|пренасочване|преусмери|"
    "redirecteaza|redirecció|alidirektu|تحويل|تغییرمسیر|הפניה|"
    "転送|리다이렉트|넘겨주기|重定向|đổi|alih|tam|";
static const char connectors[] = "|to|and|or|by|x|-|+|to(-)|and(-)|\xE2\x80\x93|";

static const char *const url_schemes[] = {"http://", "https://", "//",      "ftp://",
                                          "ftps://", "sftp://",  "mailto:", "irc://",
                                          "ircs://", "news:",    "nntp://", "gopher://",
                                          "git://",  "svn://",   "ssh://",  "telnet://",
                                          "tel:",    "sms:",     "magnet:", "bitcoin:",
                                          "geo:",    "urn:",     "xmpp:",   "mms://",
                                          "redis://"};

/* Templates whose text is prose. All others are dropped. Sorted. */
const pv_wiki_template pv_wiki_templates[] = {
    {"'", PV_KEEP_LITERAL, "'"},
    {"'s", PV_KEEP_LITERAL, "'s"},
    {"--", PV_KEEP_LITERAL, "\xE2\x80\x94"},
    {"=", PV_KEEP_LITERAL, "="},
    {"abbr", PV_KEEP_FIRST, ""},
    {"big", PV_KEEP_FIRST, ""},
    {"blockquote", PV_KEEP_QUOTE, ""},
    {"circa", PV_KEEP_FIRST, ""},
    {"convert", PV_KEEP_MEASURE, ""},
    {"cquote", PV_KEEP_QUOTE, ""},
    {"cvt", PV_KEEP_MEASURE, ""},
    {"em", PV_KEEP_FIRST, ""},
    {"formatnum", PV_KEEP_AFTER_COLON, ""},
    {"ill", PV_KEEP_FIRST, ""},
    {"interlanguage link", PV_KEEP_FIRST, ""},
    {"lang", PV_KEEP_SECOND, ""},
    {"mdash", PV_KEEP_LITERAL, "\xE2\x80\x94"},
    {"nbsp", PV_KEEP_LITERAL, " "},
    {"ndash", PV_KEEP_LITERAL, "\xE2\x80\x93"},
    {"nihongo", PV_KEEP_FIRST, ""},
    {"nobr", PV_KEEP_FIRST, ""},
    {"nobreak", PV_KEEP_FIRST, ""},
    {"nombre", PV_KEEP_MEASURE, ""},
    {"nowrap", PV_KEEP_FIRST, ""},
    {"quotation", PV_KEEP_QUOTE, ""},
    {"quote", PV_KEEP_QUOTE, ""},
    {"sic", PV_KEEP_FIRST, ""},
    {"small", PV_KEEP_FIRST, ""},
    {"smaller", PV_KEEP_FIRST, ""},
    {"snd", PV_KEEP_LITERAL, " \xE2\x80\x93 "},
    {"spaced ndash", PV_KEEP_LITERAL, " \xE2\x80\x93 "},
    {"strong", PV_KEEP_FIRST, ""},
    {"tooltip", PV_KEEP_FIRST, ""},
    {"transl", PV_KEEP_LAST, ""},
    {"transliteration", PV_KEEP_LAST, ""},
    {"unit\xC3\xA9", PV_KEEP_MEASURE, ""},
    {"val", PV_KEEP_FIRST, ""},
    {"w", PV_KEEP_LAST, ""},
};
_Static_assert(COUNT_OF(pv_wiki_templates) <= 256, "an event keeps the index in a byte");

/* ---- Looking up ---------------------------------------------------------- */

size_t pv_wiki_canonical_name(const char *p, const char *end, char *to, size_t size)
{
    while (p < end && (pv_wiki_is_blank(*p) || *p == '_' || *p == '\n'))
        p++;
    while (end > p && (pv_wiki_is_blank(end[-1]) || end[-1] == '_' || end[-1] == '\n'))
        end--;
    size_t n = (size_t)(end - p);
    memset(to, 0, size);
    if (n == 0 || n >= size)
        return 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char a = (unsigned char)p[i];
        unsigned char b = i + 1 < n ? (unsigned char)p[i + 1] : 0;
        if (a < 0x80) {
            to[i] = a == '_' ? ' ' : pv_wiki_lower((char)a);
            continue;
        }
        if (a == 0xC3 && b >= 0x80 && b <= 0x9E)
            b += 0x20;
        else if (a == 0xCE && b >= 0x91 && b <= 0x9F)
            b += 0x20;
        else if (a == 0xCE && b >= 0xA0 && b <= 0xA9)
            a = 0xCF, b -= 0x20;
        else if (a == 0xD0 && b >= 0x90 && b <= 0x9F)
            b += 0x20;
        else if (a == 0xD0 && b >= 0xA0 && b <= 0xAF)
            a = 0xD1, b -= 0x20;
        else {
            to[i] = (char)a;
            continue;
        }
        to[i] = (char)a;
        to[++i] = (char)b;
    }
    return n;
}

static bool in_list(const char *list, size_t list_size, const char *name, size_t n)
{
    char framed[64];
    if (n == 0 || n + 2 > sizeof framed || memchr(name, '|', n))
        return false;
    framed[0] = '|';
    memcpy(framed + 1, name, n);
    framed[n + 1] = '|';
    return pv_find_bytes(list, list_size - 1, framed, n + 2) != NULL;
}
#define IN_LIST(list, name, n) in_list(list, sizeof(list), name, n)

/* Every entry of a sorted table begins with its name. */
static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, entry);
}
#define FIND_SORTED(table, name)                                                                   \
    bsearch(name, table, COUNT_OF(table), sizeof *(table), compare_name)

const pv_wiki_tag *pv_wiki_find_tag(const char *name)
{
    return FIND_SORTED(pv_wiki_tags, name);
}

const pv_wiki_template *pv_wiki_find_template(const char *p, const char *end)
{
    const char *q = p;
    while (q < end && q - p < 40 && *q != '|' && *q != ':' && *q != '}' && *q != '{')
        q++;
    if (q == end || *q == '{')
        return NULL;
    char name[sizeof pv_wiki_templates->name];
    if (pv_wiki_canonical_name(p, q, name, sizeof name) == 0)
        return NULL;
    const pv_wiki_template *found = FIND_SORTED(pv_wiki_templates, name);
    bool colon = *q == ':';
    return found && colon == (found->keep == PV_KEEP_AFTER_COLON) ? found : NULL;
}

bool pv_wiki_is_connector(const char *p, size_t n)
{
    return IN_LIST(connectors, p, n);
}

pv_wiki_link_kind pv_wiki_classify_link(const char *p, const char *end)
{
    enum { PREFIX_MAX = 48 };
    if ((size_t)(end - p) > PREFIX_MAX)
        end = p + PREFIX_MAX;
    const char *q = p;
    while (q < end && *q != ':' && *q != '|' && *q != ']' && *q != '[' && *q != '\n' && *q != '{')
        q++;
    if (q == end || *q != ':')
        return PV_LINK_TEXT;
    char name[PREFIX_MAX + 1];
    size_t n = pv_wiki_canonical_name(p, q, name, sizeof name);
    if (n == 0)
        return PV_LINK_TEXT;
    if (FIND_SORTED(language_codes, name))
        return PV_LINK_ASIDE;
    if (n < 3) /* no namespace is that short */
        return PV_LINK_TEXT;
    if (IN_LIST(file_names, name, n))
        return PV_LINK_FILE;
    return IN_LIST(category_names, name, n) ? PV_LINK_ASIDE : PV_LINK_TEXT;
}

const char *pv_wiki_skip_project(const char *p, const char *end)
{
    char name[20];
    const char *colon = memchr(p, ':', end - p < 16 ? (size_t)(end - p) : 16);
    size_t n = colon ? pv_wiki_canonical_name(p, colon, name, sizeof name) : 0;
    return IN_LIST(project_names, name, n) ? colon + 1 : p;
}

size_t pv_wiki_scheme(const char *p, size_t n)
{
    if (n == 0 || !(pv_wiki_is_letter(*p) || *p == '/'))
        return 0;
    for (size_t i = 0; i < COUNT_OF(url_schemes); i++) {
        size_t k = 0;
        const char *scheme = url_schemes[i];
        while (k < n && scheme[k] && pv_wiki_lower(p[k]) == scheme[k])
            k++;
        if (!scheme[k])
            return k;
    }
    return 0;
}

bool pv_wiki_is_redirect(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p <= 0x20)
        p++;
    if (p == end || *p++ != '#')
        return false;
    const char *q = p;
    while (q < end && q - p < 50 && (unsigned char)*q > 0x20 && *q != '[' && *q != ':')
        q++;
    char name[60];
    size_t n = pv_wiki_canonical_name(p, q, name, sizeof name);
    return IN_LIST(redirect_names, name, n);
}
