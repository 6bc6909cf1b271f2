/* See wiki_markup.h. Two passes, both linear:
 *
 *   1. find_structure() walks over the brackets only ({{ [[ {| <) and pairs
 *      them with a stack. The result is a list of events in the order of the
 *      text: "from 120 to 480 a template: drop", "at 512 a link". What lies
 *      inside a dropped range is forgotten at once, so the list stays short.
 *
 *        text    '''Foo''' {{box|a=[[b]]}} is a [[bar|baz]].<ref>x</ref>
 *        events            ^drop.........^      ^link       ^drop......^
 *
 *   2. write_prose() copies what is between the events, taking care of the
 *      markup that needs no partner: quotes, entities, lists, headings.
 *
 * An opening bracket without a partner must not swallow the rest of the
 * article, and finding that out must not cost a second look at the rest: the
 * stack says it at the end of pass 1, for all of them together. Searches for
 * one certain closing tag remember that there is none ahead.
 *
 * Blanks are never written when they are met, only noted in `gap`, and written
 * before the next word. So there are none at the ends, and none twice.
 */
#include "corpus/wiki_markup.h"

#include "corpus/html_entities.h"
#include "corpus/utf8.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- Names: tags, namespaces, languages, templates ---------------------- */

typedef enum tag_class {
    TAG_INLINE, /* the tag vanishes: H<sub>2</sub>O */
    TAG_SPACE,  /* it separates words: <br> */
    TAG_BLOCK,  /* it ends a paragraph: <p> */
    TAG_DROP,   /* it vanishes with all that it contains: <ref> */
    TAG_TABLE,  /* the same, and it nests: <table> */
    TAG_NOWIKI  /* its content is text as it stands */
} tag_class;

/* Everything MediaWiki and its usual extensions know. "<x" in a formula is no
 * tag, and remains. Sorted. */
/* clang-format off */
static const struct tag {
    char name[17];
    uint8_t kind;
} tags[] = {
    {"abbr", TAG_INLINE}, {"audio", TAG_DROP}, {"b", TAG_INLINE}, {"bdi", TAG_INLINE},
    {"bdo", TAG_INLINE}, {"big", TAG_INLINE}, {"blockquote", TAG_BLOCK}, {"br", TAG_SPACE},
    {"caption", TAG_BLOCK}, {"categorytree", TAG_DROP}, {"ce", TAG_DROP}, {"center", TAG_BLOCK},
    {"charinsert", TAG_DROP}, {"chem", TAG_DROP}, {"cite", TAG_INLINE}, {"code", TAG_DROP},
    {"col", TAG_BLOCK}, {"colgroup", TAG_BLOCK}, {"data", TAG_INLINE}, {"dd", TAG_BLOCK},
    {"del", TAG_INLINE}, {"dfn", TAG_INLINE}, {"div", TAG_BLOCK}, {"dl", TAG_BLOCK},
    {"dt", TAG_BLOCK}, {"em", TAG_INLINE}, {"font", TAG_INLINE}, {"gallery", TAG_DROP},
    {"graph", TAG_DROP}, {"h1", TAG_BLOCK}, {"h2", TAG_BLOCK}, {"h3", TAG_BLOCK},
    {"h4", TAG_BLOCK}, {"h5", TAG_BLOCK}, {"h6", TAG_BLOCK}, {"hiero", TAG_DROP},
    {"hr", TAG_BLOCK}, {"i", TAG_INLINE}, {"iframe", TAG_DROP}, {"imagemap", TAG_DROP},
    {"includeonly", TAG_DROP}, {"indicator", TAG_DROP}, {"inputbox", TAG_DROP},
    {"ins", TAG_INLINE}, {"kbd", TAG_INLINE}, {"langconvert", TAG_INLINE}, {"li", TAG_BLOCK},
    {"mapframe", TAG_DROP}, {"maplink", TAG_DROP}, {"mark", TAG_INLINE}, {"math", TAG_DROP},
    {"noinclude", TAG_INLINE}, {"noscript", TAG_DROP}, {"nowiki", TAG_NOWIKI},
    {"object", TAG_DROP}, {"ol", TAG_BLOCK}, {"onlyinclude", TAG_INLINE}, {"p", TAG_BLOCK},
    {"phonos", TAG_DROP}, {"poem", TAG_BLOCK}, {"pre", TAG_DROP}, {"q", TAG_INLINE},
    {"rb", TAG_INLINE}, {"ref", TAG_DROP}, {"references", TAG_DROP}, {"rp", TAG_DROP},
    {"rt", TAG_DROP}, {"ruby", TAG_INLINE}, {"s", TAG_INLINE}, {"samp", TAG_INLINE},
    {"score", TAG_DROP}, {"script", TAG_DROP}, {"section", TAG_INLINE}, {"small", TAG_INLINE},
    {"source", TAG_DROP}, {"span", TAG_INLINE}, {"strike", TAG_INLINE}, {"strong", TAG_INLINE},
    {"style", TAG_DROP}, {"sub", TAG_INLINE}, {"sup", TAG_INLINE}, {"svg", TAG_DROP},
    {"syntaxhighlight", TAG_DROP}, {"table", TAG_TABLE}, {"tbody", TAG_BLOCK}, {"td", TAG_BLOCK},
    {"templatedata", TAG_DROP}, {"templatestyles", TAG_DROP}, {"tfoot", TAG_BLOCK},
    {"th", TAG_BLOCK}, {"thead", TAG_BLOCK}, {"time", TAG_INLINE}, {"timeline", TAG_DROP},
    {"tr", TAG_BLOCK}, {"translate", TAG_INLINE}, {"tt", TAG_INLINE}, {"tvar", TAG_INLINE},
    {"u", TAG_INLINE}, {"ul", TAG_BLOCK}, {"var", TAG_INLINE}, {"video", TAG_DROP},
    {"wbr", TAG_INLINE},
};
/* clang-format on */

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

/* A link to an article in another language; shown beside the text, not in it. Sorted, for
 * old dumps have a hundred in every article. */
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

typedef enum template_action {
    KEEP_NONE,
    KEEP_FIRST,   /* the first argument */
    KEEP_SECOND,  /* the second */
    KEEP_LAST,    /* the last */
    KEEP_QUOTE,   /* text=, quote= or the first */
    KEEP_MEASURE, /* {{convert|5|to|6|km|mi}}: "5 to 6 km" */
    KEEP_AFTER_COLON,
    KEEP_LITERAL
} template_action;

/* Templates whose text is prose. All others are dropped. Sorted. */
static const struct prose_template {
    char name[18];
    uint8_t action;
    char literal[6]; /* never longer than "{{name}}" */
} prose_templates[] = {
    {"'", KEEP_LITERAL, "'"},
    {"'s", KEEP_LITERAL, "'s"},
    {"--", KEEP_LITERAL, "\xE2\x80\x94"},
    {"=", KEEP_LITERAL, "="},
    {"abbr", KEEP_FIRST, ""},
    {"big", KEEP_FIRST, ""},
    {"blockquote", KEEP_QUOTE, ""},
    {"circa", KEEP_FIRST, ""},
    {"convert", KEEP_MEASURE, ""},
    {"cquote", KEEP_QUOTE, ""},
    {"cvt", KEEP_MEASURE, ""},
    {"em", KEEP_FIRST, ""},
    {"formatnum", KEEP_AFTER_COLON, ""},
    {"ill", KEEP_FIRST, ""},
    {"interlanguage link", KEEP_FIRST, ""},
    {"lang", KEEP_SECOND, ""},
    {"mdash", KEEP_LITERAL, "\xE2\x80\x94"},
    {"nbsp", KEEP_LITERAL, " "},
    {"ndash", KEEP_LITERAL, "\xE2\x80\x93"},
    {"nihongo", KEEP_FIRST, ""},
    {"nobr", KEEP_FIRST, ""},
    {"nobreak", KEEP_FIRST, ""},
    {"nombre", KEEP_MEASURE, ""},
    {"nowrap", KEEP_FIRST, ""},
    {"quotation", KEEP_QUOTE, ""},
    {"quote", KEEP_QUOTE, ""},
    {"sic", KEEP_FIRST, ""},
    {"small", KEEP_FIRST, ""},
    {"smaller", KEEP_FIRST, ""},
    {"snd", KEEP_LITERAL, " \xE2\x80\x93 "},
    {"spaced ndash", KEEP_LITERAL, " \xE2\x80\x93 "},
    {"strong", KEEP_FIRST, ""},
    {"tooltip", KEEP_FIRST, ""},
    {"transl", KEEP_LAST, ""},
    {"transliteration", KEEP_LAST, ""},
    {"unit\xC3\xA9", KEEP_MEASURE, ""},
    {"val", KEEP_FIRST, ""},
    {"w", KEEP_LAST, ""},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Copies a name in its canonical form: lower case (ASCII, Latin-1, Greek,
 * Cyrillic), '_' as space, no blanks around. Returns its length, or 0 if it
 * does not fit; the rest of `to` is zero. */
static size_t canonical_name(const char *p, const char *end, char *to, size_t room)
{
    while (p < end && (is_blank(*p) || *p == '_' || *p == '\n'))
        p++;
    while (end > p && (is_blank(end[-1]) || end[-1] == '_' || end[-1] == '\n'))
        end--;
    size_t n = (size_t)(end - p);
    memset(to, 0, room);
    if (n == 0 || n >= room)
        return 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char a = (unsigned char)p[i];
        unsigned char b = i + 1 < n ? (unsigned char)p[i + 1] : 0;
        if (a < 0x80) {
            to[i] = a == '_' ? ' ' : lower((char)a);
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
    return memmem(list, list_size - 1, framed, n + 2) != NULL;
}
#define IN_LIST(list, name, n) in_list(list, sizeof(list), name, n)

static bool is_language(const char *name)
{
    size_t low = 0, high = COUNT_OF(language_codes);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, language_codes[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

typedef enum link_kind { LINK_TEXT, LINK_FILE, LINK_ASIDE /* category, language */ } link_kind;

/* What "[[" followed by `p` leads to: only a prefix before ':' matters. */
static link_kind classify_link(const char *p, const char *end)
{
    enum { PREFIX_MAX = 48 };
    if ((size_t)(end - p) > PREFIX_MAX)
        end = p + PREFIX_MAX;
    const char *q = p;
    while (q < end && *q != ':' && *q != '|' && *q != ']' && *q != '[' && *q != '\n' && *q != '{')
        q++;
    if (q == end || *q != ':')
        return LINK_TEXT;
    char name[PREFIX_MAX + 1];
    size_t n = canonical_name(p, q, name, sizeof name);
    if (n == 0)
        return LINK_TEXT;
    if (is_language(name))
        return LINK_ASIDE;
    if (n < 3) /* no namespace is that short */
        return LINK_TEXT;
    if (IN_LIST(file_names, name, n))
        return LINK_FILE;
    return IN_LIST(category_names, name, n) ? LINK_ASIDE : LINK_TEXT;
}

/* ---- Fast scans: the length of a stretch without special bytes ----------
 * Each has a plain form for the last bytes and for other processors. */

static bool is_structural(char c)
{
    return c == '<' || c == '[' || c == ']' || c == '{' || c == '}';
}

static size_t structural_run(const char *p, size_t n)
{
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i bit = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                  angle = _mm_set1_epi8('<');
    for (; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i folded = _mm_or_si128(v, bit); /* '[' and ']' become '{' and '}' */
        __m128i hit =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)),
                         _mm_cmpeq_epi8(v, angle));
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return i + (size_t)__builtin_ctz((unsigned)mask);
    }
#endif
    while (i < n && !is_structural(p[i]))
        i++;
    return i;
}

static bool is_prose_special(char c, char next)
{
    unsigned char u = (unsigned char)c;
    if (u < 0x20)
        return true;
    switch (c) {
    case ' ':
        return (unsigned char)next <= 0x20;
    case '&':
    case '\'':
    case ')':
    case ':':
    case ']':
    case '_':
    case '|':
    case '}':
    case '~':
    case 0x7F:
        return true;
    default:
        return false;
    }
}

/* Stops at a space only if another blank follows. */
static size_t prose_run(const char *p, size_t n)
{
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i one = _mm_set1_epi8(1), two = _mm_set1_epi8(2), three = _mm_set1_epi8(3),
                  control = _mm_set1_epi8(0x1F), space = _mm_set1_epi8(0x20),
                  quote = _mm_set1_epi8('\''), bracket = _mm_set1_epi8(')'),
                  colon = _mm_set1_epi8(':'), under = _mm_set1_epi8('_'), del = _mm_set1_epi8(0x7F);
    for (; i + 17 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 1));
        __m128i hit = _mm_cmpeq_epi8(_mm_min_epu8(v, control), v);
        __m128i blank_next = _mm_cmpeq_epi8(_mm_min_epu8(next, space), next);
        hit = _mm_or_si128(hit, _mm_and_si128(_mm_cmpeq_epi8(v, space), blank_next));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, one), quote)); /* & ' */
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, bracket));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, colon));
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, two), under)); /* ] _ */
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_or_si128(v, three), del)); /* | } ~ DEL */
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return i + (size_t)__builtin_ctz((unsigned)mask);
    }
#endif
    while (i < n && !is_prose_special(p[i], i + 1 < n ? p[i + 1] : 'x'))
        i++;
    return i;
}

/* ---- Pass 1: the structure ---------------------------------------------- */

typedef enum event_kind {
    EV_DROP,       /* [start, end) vanishes */
    EV_BLOCK_DROP, /* the same, and a paragraph ends there */
    EV_TAG,        /* an inline tag: vanishes, and the words around it stay one */
    EV_SPACE,      /* <br> */
    EV_BLOCK,      /* <p> */
    EV_NOWIKI,     /* literal text between two tags */
    EV_LINK,       /* [[...]] whose text stays */
    EV_TEMPLATE,   /* {{...}} of prose_templates[detail] */
    EV_URL,        /* "[http://... ": the address up to the text */
    EV_VARIANT,    /* -{...}- */
    EV_OPEN_LINK,  /* without partner */
    EV_OPEN_BRACES,
    EV_OPEN_TABLE
} event_kind;

typedef struct event {
    uint32_t start, end;
    uint8_t kind;
    uint8_t detail;
} event;

typedef enum open_kind {
    OPEN_LINK,
    OPEN_BRACES,
    OPEN_TABLE,
    OPEN_HTML_TABLE,
    OPEN_KINDS
} open_kind;

typedef struct opening {
    uint32_t event;  /* its index */
    uint32_t braces; /* of OPEN_BRACES: how many are not yet paired */
    uint32_t kind;
} opening;

typedef struct structure {
    const char *text;
    size_t length;
    pv_buffer events; /* event[] */
    pv_buffer stack;  /* opening[] */
    size_t open[OPEN_KINDS];
    bool no_closer[COUNT_OF(tags)]; /* none ahead: do not search again */
    size_t no_ref_end;              /* a <ref> before this place has no end (find_closer) */
    bool no_comment_end;
    bool in_url;        /* an odd ']' belongs to "[http://... text]" */
    size_t variant_end; /* of the next "}-", as far as it was looked for */
} structure;

static event *events_of(structure *s)
{
    return (event *)(void *)s->events.data;
}

static psdvec_status add_event(structure *s, size_t start, size_t end, event_kind kind)
{
    event e = {(uint32_t)start, (uint32_t)end, (uint8_t)kind, 0};
    PV_TRY(pv_buffer_reserve(&s->events, sizeof e));
    memcpy(s->events.data + s->events.length, &e, sizeof e);
    s->events.length += sizeof e;
    return PSDVEC_OK;
}

/* `lonely` is what the event means if no partner comes. */
static psdvec_status push(structure *s, open_kind kind, size_t start, size_t end, event_kind lonely,
                          size_t braces)
{
    opening o = {(uint32_t)(s->events.length / sizeof(event)), (uint32_t)braces, kind};
    PV_TRY(add_event(s, start, end, lonely));
    PV_TRY(pv_buffer_reserve(&s->stack, sizeof o));
    memcpy(s->stack.data + s->stack.length, &o, sizeof o);
    s->stack.length += sizeof o;
    s->open[kind]++;
    return PSDVEC_OK;
}

static opening *top(structure *s)
{
    return s->stack.length ? (opening *)(void *)(s->stack.data + s->stack.length - sizeof(opening))
                           : NULL;
}

static void pop(structure *s)
{
    s->open[top(s)->kind]--;
    s->stack.length -= sizeof(opening);
}

/* Forgets what was opened after the last opening of `kind`, which exists. */
static opening *pop_to(structure *s, open_kind kind)
{
    while (top(s)->kind != kind)
        pop(s);
    return top(s);
}

/* The range of the opening's event vanishes, and with it the events inside. */
static void drop_range(structure *s, uint32_t index, size_t end, event_kind kind)
{
    event *e = &events_of(s)[index];
    e->end = (uint32_t)end;
    e->kind = (uint8_t)kind;
    s->events.length = (index + 1) * sizeof(event);
}

static size_t run_of(const char *text, size_t p, size_t length, char c)
{
    size_t n = 0;
    while (p + n < length && text[p + n] == c)
        n++;
    return n;
}

/* Only indentation before `p` on its line. What ends in '>' or '}' may be a
 * tag or template that leaves nothing. */
static bool starts_line(const char *text, size_t p)
{
    for (size_t i = 0; i < 32; i++, p--) {
        if (p == 0 || text[p - 1] == '\n')
            return true;
        char c = text[p - 1];
        if (c == '>' || c == '}')
            return true;
        if (!is_blank(c) && c != ':' && c != '*' && c != '#' && c != ';')
            return false;
    }
    return false;
}

static int find_tag(const char *name)
{
    size_t low = 0, high = COUNT_OF(tags);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, tags[middle].name);
        if (order == 0)
            return (int)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static bool name_is_at(const structure *s, size_t p, const char *name, size_t n)
{
    if (s->length - p < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (lower(s->text[p + i]) != name[i])
            return false;
    return p + n == s->length || (!is_letter(s->text[p + n]) && s->text[p + n] != '-');
}

static bool is_self_closed(const structure *s, size_t p)
{
    const char *gt = memchr(s->text + p, '>', s->length - p < 1000 ? s->length - p : 1000);
    return gt && gt[-1] == '/';
}

/* The end of "</name ... >" after `from`, or 0. A <ref> that is never closed
 * would take the text up to the next reference's end with it: it counts as
 * unclosed if a blank line and then another <ref> come first. */
static size_t find_closer(structure *s, size_t from, int tag)
{
    const char *name = tags[tag].name;
    size_t n = strlen(name);
    bool is_ref = strcmp(name, "ref") == 0;
    size_t blank_line = 0, checked = from; /* no blank line before `checked` */
    if (s->no_closer[tag] || (is_ref && from < s->no_ref_end))
        return 0;
    for (size_t p = from; p < s->length; p++) {
        const char *lt = memchr(s->text + p, '<', s->length - p);
        if (!lt)
            break;
        p = (size_t)(lt - s->text);
        if (p + 1 < s->length && s->text[p + 1] == '/' && name_is_at(s, p + 2, name, n)) {
            size_t end = p + 2 + n;
            const char *gt =
                memchr(s->text + end, '>', s->length - end < 80 ? s->length - end : 80);
            return gt ? (size_t)(gt - s->text) + 1 : end;
        }
        if (is_ref && name_is_at(s, p + 1, name, n)) {
            if (!blank_line) {
                const char *found = memmem(s->text + checked, p - checked, "\n\n", 2);
                blank_line = found ? (size_t)(found - s->text) + 1 : 0;
                checked = p;
            }
            if (blank_line && !is_self_closed(s, p)) {
                s->no_ref_end = blank_line;
                return 0;
            }
        }
    }
    s->no_closer[tag] = true;
    return 0;
}

static psdvec_status scan_comment(structure *s, size_t *p)
{
    const char *from = s->text + *p;
    size_t left = s->length - *p;
    const char *close = s->no_comment_end ? NULL : memmem(from + 4, left - 4, "-->", 3);
    size_t end;
    if (close) {
        end = (size_t)(close - s->text) + 3;
    } else {
        s->no_comment_end = true;
        const char *newline = memchr(from, '\n', left);
        end = newline ? (size_t)(newline - s->text) : s->length;
    }
    PV_TRY(add_event(s, *p, end, EV_DROP));
    *p = end;
    return PSDVEC_OK;
}

/* At '<'. A tag ends at the first '>'; not beyond the next '<', a blank line
 * or 2,000 bytes, lest "a <b" in a formula swallow a page. */
static psdvec_status scan_tag(structure *s, size_t *position)
{
    const char *text = s->text;
    size_t start = *position, p = start + 1;
    *position = p;
    if (s->length - start >= 4 && memcmp(text + start, "<!--", 4) == 0) {
        *position = start;
        return scan_comment(s, position);
    }
    bool closing = p < s->length && text[p] == '/';
    if (closing)
        p++;

    char name[17] = {0};
    size_t n = 0;
    while (p < s->length && n < sizeof name - 1 &&
           (is_letter(text[p]) || (n && text[p] >= '0' && text[p] <= '9')))
        name[n++] = lower(text[p++]);
    int tag = n ? find_tag(name) : -1;
    if (tag < 0 || (p < s->length && (is_letter(text[p]) || text[p] == '-')))
        return PSDVEC_OK;

    size_t limit = s->length - p < 2000 ? s->length : p + 2000;
    bool one_line = true;
    while (p < limit && text[p] != '>' && text[p] != '<') {
        if (text[p] == '\n') {
            one_line = false;
            if (p + 1 < limit && text[p + 1] == '\n')
                break;
        }
        p++;
    }
    tag_class kind = (tag_class)tags[tag].kind;
    if (p == s->length || text[p] != '>') {
        /* "<ref name=x" without end: no prose, at any rate. */
        if (kind == TAG_DROP && one_line && p - start < 200) {
            PV_TRY(add_event(s, start, p, EV_DROP));
            *position = p;
        }
        return PSDVEC_OK;
    }
    bool self_closed = text[p - 1] == '/';
    size_t end = p + 1;
    *position = end;

    switch (kind) {
    case TAG_INLINE:
        return add_event(s, start, end, EV_TAG);
    case TAG_SPACE:
        return add_event(s, start, end, EV_SPACE);
    case TAG_BLOCK:
        return add_event(s, start, end, EV_BLOCK);
    case TAG_TABLE:
        if (!closing && !self_closed)
            return push(s, OPEN_HTML_TABLE, start, end, EV_BLOCK, 0);
        if (closing && s->open[OPEN_HTML_TABLE]) {
            drop_range(s, pop_to(s, OPEN_HTML_TABLE)->event, end, EV_BLOCK_DROP);
            pop(s);
            return PSDVEC_OK;
        }
        return add_event(s, start, end, EV_BLOCK);
    case TAG_DROP:
    case TAG_NOWIKI:
        break;
    }
    size_t closer = closing || self_closed ? 0 : find_closer(s, end, tag);
    if (closer == 0)
        return add_event(s, start, end, kind == TAG_NOWIKI ? EV_TAG : EV_DROP);
    *position = closer;
    return add_event(s, start, closer, kind == TAG_NOWIKI ? EV_NOWIKI : EV_DROP);
}

static const char *const url_schemes[] = {"http://", "https://", "//",      "ftp://",
                                          "ftps://", "sftp://",  "mailto:", "irc://",
                                          "ircs://", "news:",    "nntp://", "gopher://",
                                          "git://",  "svn://",   "ssh://",  "telnet://",
                                          "tel:",    "sms:",     "magnet:", "bitcoin:",
                                          "geo:",    "urn:",     "xmpp:",   "mms://",
                                          "redis://"};

static size_t scheme_at(const char *p, size_t n)
{
    if (n == 0 || !(is_letter(*p) || *p == '/'))
        return 0;
    for (size_t i = 0; i < COUNT_OF(url_schemes); i++) {
        size_t k = 0;
        const char *scheme = url_schemes[i];
        while (scheme[k] && k < n && lower(p[k]) == scheme[k])
            k++;
        if (!scheme[k])
            return k;
    }
    return 0;
}

/* Bytes of an address, at which a bracketed or a bare one ends alike. */
static size_t url_run(const char *p, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        unsigned char c = (unsigned char)p[i], d = i + 1 < n ? (unsigned char)p[i + 1] : 0;
        if (c <= 0x20 || c == '<' || c == '>' || c == '[' || c == ']' || c == '{' || c == '}' ||
            c == '|' || c == '"' || (c == '\'' && d == '\''))
            break;
        /* Ideographic punctuation and full-width forms. */
        if ((c == 0xE3 && d == 0x80) || (c == 0xEF && d == 0xBC))
            break;
    }
    return i;
}

/* Opening square brackets: an odd one is a bracket, or "[http://..."; pairs
 * are links. */
static psdvec_status scan_open_brackets(structure *s, size_t *p)
{
    size_t n = run_of(s->text, *p, s->length, '[');
    if (n == 1) {
        size_t start = *p, at = start + 1;
        size_t scheme = scheme_at(s->text + at, s->length - at);
        *p = at;
        if (scheme == 0)
            return PSDVEC_OK;
        at += scheme;
        at += url_run(s->text + at, s->length - at);
        while (at < s->length && is_blank(s->text[at]))
            at++;
        *p = at;
        s->in_url = true;
        return add_event(s, start, at, EV_URL);
    }
    size_t end = *p + n;
    for (*p += n % 2; *p < end; *p += 2)
        PV_TRY(push(s, OPEN_LINK, *p, *p + 2, EV_OPEN_LINK, 0));
    return PSDVEC_OK;
}

static void scan_close_brackets(structure *s, size_t *p)
{
    size_t n = run_of(s->text, *p, s->length, ']');
    size_t end = *p + n;
    if (s->in_url && n % 2)
        *p += 1;
    s->in_url = false;
    for (; *p + 2 <= end && top(s) && top(s)->kind == OPEN_LINK; *p += 2) {
        uint32_t index = top(s)->event;
        pop(s);
        event *e = &events_of(s)[index];
        const char *target = s->text + e->start + 2;
        link_kind kind = classify_link(target, s->text + *p);
        if (kind == LINK_FILE || (kind == LINK_ASIDE && *p - e->start < 1000)) {
            drop_range(s, index, *p + 2, EV_DROP);
        } else {
            e->kind = EV_LINK;
            e->end = (uint32_t)(*p + 2);
        }
    }
    *p = end;
}

static psdvec_status scan_open_braces(structure *s, size_t *p)
{
    size_t start = *p, n = run_of(s->text, start, s->length, '{');
    *p += n;
    if (n >= 2)
        return push(s, OPEN_BRACES, start, start + n, EV_OPEN_BRACES, n);

    char next = *p < s->length ? s->text[*p] : '\0';
    if (next == '|' && starts_line(s->text, start)) {
        *p += 1;
        return push(s, OPEN_TABLE, start, *p, EV_OPEN_TABLE, 0);
    }
    if (start > 0 && s->text[start - 1] == '-' && next != '|') {
        if (s->variant_end <= *p) {
            const char *close = memmem(s->text + *p, s->length - *p, "}-", 2);
            s->variant_end = close ? (size_t)(close - s->text) + 2 : SIZE_MAX;
        }
        if (s->variant_end != SIZE_MAX && s->variant_end - start < 2000)
            return add_event(s, start - 1, s->variant_end, EV_VARIANT);
    }
    return PSDVEC_OK;
}

static int find_prose_template(const char *p, const char *end)
{
    const char *q = p;
    while (q < end && q - p < 40 && *q != '|' && *q != ':' && *q != '}' && *q != '{')
        q++;
    if (q == end || *q == '{')
        return -1;
    char name[19];
    if (canonical_name(p, q, name, sizeof name) == 0)
        return -1;
    size_t low = 0, high = COUNT_OF(prose_templates);
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct prose_template *t = &prose_templates[middle];
        int order = strncmp(name, t->name, sizeof t->name);
        if (order == 0) {
            bool colon = *q == ':';
            return colon == (t->action == KEEP_AFTER_COLON) ? (int)middle : -1;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

/* Closing braces. MediaWiki's rule: pairs of three ({{{argument}}}) before
 * pairs of two, and braces before tables, so that in "|}}" the template wins. */
static void scan_close_braces(structure *s, size_t *p)
{
    size_t start = *p, n = run_of(s->text, start, s->length, '}');
    size_t end = start + n;
    if (start > 0 && s->text[start - 1] == '|' && s->open[OPEN_TABLE] &&
        (n == 1 || s->open[OPEN_BRACES] == 0) && starts_line(s->text, start - 1)) {
        drop_range(s, pop_to(s, OPEN_TABLE)->event, start + 1, EV_BLOCK_DROP);
        pop(s);
        *p = start + 1;
        return;
    }
    while (n >= 2 && s->open[OPEN_BRACES]) {
        opening *o = pop_to(s, OPEN_BRACES);
        uint32_t paired = n >= 3 && o->braces >= 3 ? 3 : 2;
        o->braces -= paired;
        n -= paired;
        event *e = &events_of(s)[o->event];
        uint32_t index = o->event;
        int prose = paired == 2 && o->braces == 0 && e->kind == EV_OPEN_BRACES
                        ? find_prose_template(s->text + e->start + 2, s->text + end - n)
                        : -1;
        if (prose >= 0) {
            e->end = (uint32_t)(end - n);
            e->kind = EV_TEMPLATE;
            e->detail = (uint8_t)prose;
        } else {
            drop_range(s, index, end - n, EV_DROP);
        }
        if (o->braces < 2)
            pop(s);
    }
    *p = end;
}

static psdvec_status find_structure(structure *s)
{
    size_t p = 0;
    for (;;) {
        p += structural_run(s->text + p, s->length - p);
        if (p >= s->length)
            return PSDVEC_OK;
        switch (s->text[p]) {
        case '<':
            PV_TRY(scan_tag(s, &p));
            break;
        case '[':
            PV_TRY(scan_open_brackets(s, &p));
            break;
        case ']':
            scan_close_brackets(s, &p);
            break;
        case '{':
            PV_TRY(scan_open_braces(s, &p));
            break;
        default:
            scan_close_braces(s, &p);
        }
    }
}

/* ---- Pass 2: the prose --------------------------------------------------- */

typedef enum gap { GAP_NONE, GAP_SPACE, GAP_PARAGRAPH } gap;

enum { SEGMENTS = 16 };

typedef struct writer {
    const char *text; /* the markup */
    const event *next_event, *last_event;

    /* The part being written, and where to go on after it: the argument of a
     * template inside the article. */
    const char *limit;
    struct segment {
        const char *limit, *resume;
    } outer[SEGMENTS];
    size_t depth;

    char *out; /* has room for the whole markup */
    size_t length, first;
    gap gap;                  /* to be written before the next word */
    bool dropped;             /* something vanished since the last word */
    size_t dropped_at;        /* and the length of the prose then */
    bool line_start;          /* nothing was written since the newline */
    bool list_item;           /* this line is one */
    bool in_url;              /* a ']' ends the text of "[http://... text]" */
    bool broken_table;        /* a table without end was met */
    const char *quotes_until; /* the line whose quotes were counted ends here */
    const char *apostrophe;   /* there: ''' that means ' and '' */
} writer;

static void widen_gap(writer *w, gap gap_)
{
    if (w->gap < gap_)
        w->gap = gap_;
}

static void flush_gap(writer *w)
{
    if (w->gap != GAP_NONE && w->length > w->first)
        w->out[w->length++] = w->gap == GAP_SPACE ? ' ' : '\n';
    w->gap = GAP_NONE;
    w->dropped = false;
    w->line_start = false;
}

static void note_drop(writer *w)
{
    w->dropped = true;
    w->dropped_at = w->length;
}

static bool ends_with(const writer *w, const char *tail, size_t n)
{
    return w->length - w->first >= n && memcmp(w->out + w->length - n, tail, n) == 0;
}

/* Takes back `n` bytes of prose, and blanks before them. */
static void take_back(writer *w, size_t n)
{
    w->length -= n;
    while (w->length > w->first &&
           (w->out[w->length - 1] == ' ' || w->out[w->length - 1] == '\n')) {
        widen_gap(w, w->out[w->length - 1] == ' ' ? GAP_SPACE : GAP_PARAGRAPH);
        w->length--;
    }
}

/* A word, or a few, without blanks at the ends. Where something was dropped
 * just before, the punctuation that led to it goes too:
 *   "At {{x}}, a" -> "At, a"      "(''{{x}}''; born 1900)" -> "(born 1900)" */
static void put(writer *w, const char *p, size_t n)
{
    if (PV_UNLIKELY(w->dropped)) {
        while (n > 0 && (*p == ',' || *p == ';' || *p == ':' || *p == ' ') && ends_with(w, "(", 1))
            p++, n--;
        if (n >= 3 && memcmp(p, "\xEF\xBC\x89", 3) == 0 && w->dropped_at == w->length &&
            ends_with(w, "\xEF\xBC\x88", 3)) { /* full-width brackets */
            take_back(w, 3);
            p += 3, n -= 3;
            if (n && *p == ' ') {
                widen_gap(w, GAP_SPACE);
                p++, n--;
            }
        }
        if (n == 0)
            return;
        if (w->gap == GAP_SPACE && w->length > w->first && strchr(",.;:!?)", *p))
            w->gap = GAP_NONE;
        if (w->gap == GAP_SPACE && ends_with(w, "(", 1))
            w->gap = GAP_NONE;
    }
    flush_gap(w);
    memcpy(w->out + w->length, p, n);
    w->length += n;
}

/* A stretch without special bytes: single spaces, perhaps at its ends. */
static void put_run(writer *w, const char *p, size_t n)
{
    if (*p == ' ') {
        widen_gap(w, GAP_SPACE);
        p++, n--;
    }
    if (n == 0)
        return;
    bool space_after = p[n - 1] == ' ';
    n -= space_after;
    if (n)
        put(w, p, n);
    if (space_after)
        widen_gap(w, GAP_SPACE);
}

/* ')' or ']': brackets that only held what was dropped vanish. */
static void put_bracket(writer *w, const char *p, char opening_bracket)
{
    size_t i = w->length;
    while (i > w->first && w->length - i < 64 && strchr(" ,;:/", w->out[i - 1]))
        i--;
    if (i > w->first && w->out[i - 1] == opening_bracket && w->dropped_at >= i &&
        w->gap != GAP_PARAGRAPH) {
        w->gap = GAP_NONE;
        take_back(w, w->length - i + 1);
        note_drop(w);
        return;
    }
    put(w, p, 1);
}

/* At '&'. Spaces of all widths are spaces; what cannot be seen is nothing. */
static const char *put_entity(writer *w, const char *p, const char *limit)
{
    uint32_t code;
    size_t taken = pv_html_entity_twice(p, (size_t)(limit - p), &code);
    if (taken == 0) {
        put(w, p, 1);
        return p + 1;
    }
    if (code <= 0x20 || code == 0xA0 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
        code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000 ||
        (code >= 0x7F && code < 0xA0)) {
        widen_gap(w, GAP_SPACE);
    } else if (code == 0xAD || code == 0x200B || code == 0x200E || code == 0x200F ||
               code == 0x2060 || code == 0xFEFF) {
        /* nothing */
    } else {
        char utf8[4];
        put(w, utf8, (size_t)pv_utf8_encode(code, utf8));
    }
    return p + taken;
}

/* Text in which nothing but blanks and entities is special. */
static void put_literal(writer *w, const char *p, const char *end)
{
    while (p < end) {
        if ((unsigned char)*p <= 0x20) {
            widen_gap(w, GAP_SPACE);
            p++;
        } else if (*p == '&') {
            p = put_entity(w, p, end);
        } else {
            const char *q = p;
            while (q < end && (unsigned char)*q > 0x20 && *q != '&')
                q++;
            put(w, p, (size_t)(q - p));
            p = q;
        }
    }
}

static bool vanishes(const event *e)
{
    return e->kind == EV_DROP || e->kind == EV_TAG || e->kind == EV_BLOCK_DROP;
}

/* The end of the line at `p`, over what vanishes and contains newlines. */
static const char *line_end(const writer *w, const char *p)
{
    const event *e = w->next_event;
    for (;;) {
        const char *newline = memchr(p, '\n', (size_t)(w->limit - p));
        if (!newline)
            return w->limit;
        while (e < w->last_event && w->text + e->start < newline &&
               (w->text + e->end <= newline || !vanishes(e)))
            e++;
        if (e == w->last_event || w->text + e->start >= newline)
            return newline;
        p = w->text + e->end;
        if (p >= w->limit)
            return w->limit;
    }
}

/* At '=' where a line starts. "== Title ==" and what may follow it (comments,
 * references) is a heading, and goes. */
static const char *skip_heading(writer *w, const char *p)
{
    const char *end = line_end(w, p);
    char last = '\0';
    const char *from = p;
    for (const event *e = w->next_event;; e++) {
        bool past = e == w->last_event || w->text + e->start >= end;
        const char *to = past ? end : w->text + e->start;
        if (to > from) {
            const char *q = to;
            while (q > from && is_blank(q[-1]))
                q--;
            if (q > from)
                last = q[-1];
        }
        if (past)
            break;
        if (vanishes(e) && w->text + e->end > from)
            from = w->text + e->end;
    }
    if (last == '=')
        return end;

    w->line_start = false; /* else "=<b>=<b>=" would be looked at ever again */
    const char *q = p;
    while (q < end && *q == '=')
        q++;
    if (q - p < 2)
        return q;
    const char *second = memmem(q, (size_t)(end - q), "==", 2);
    if (!second)
        return q;
    while (second < end && *second == '=')
        second++;
    return second;
}

/* After a newline, or what vanished behind it: the markup that only counts at
 * the start of a line. */
static const char *start_line(writer *w, const char *p)
{
    while (p < w->limit && is_blank(*p))
        p++;
    if (p == w->limit)
        return p;
    while (w->next_event < w->last_event && w->text + w->next_event->start < p)
        w->next_event++;
    if (w->next_event < w->last_event && w->text + w->next_event->start == p)
        return p;
    switch (*p) {
    case '=':
        widen_gap(w, GAP_PARAGRAPH);
        return skip_heading(w, p);
    case '*':
    case '#':
    case ':':
    case ';':
        w->list_item = true;
        widen_gap(w, GAP_PARAGRAPH);
        while (p < w->limit && (*p == '*' || *p == '#' || *p == ':' || *p == ';' || is_blank(*p)))
            p++;
        return p;
    case '|': /* a table that lost its beginning or its end */
        widen_gap(w, GAP_PARAGRAPH);
        return line_end(w, p);
    case '!':
        return w->broken_table ? line_end(w, p) : p;
    case '-':
        if (w->limit - p >= 4 && memcmp(p, "----", 4) == 0) {
            widen_gap(w, GAP_PARAGRAPH);
            while (p < w->limit && *p == '-')
                p++;
        }
        return p;
    default:
        return p;
    }
}

/* At a newline. One between two lines of prose is a space; a paragraph ends at
 * a blank line, a list item, or anything that does not start like prose. */
static const char *cross_newline(writer *w, const char *p)
{
    bool ends = w->list_item;
    size_t newlines = 0;
    while (p < w->limit && (*p == '\n' || is_blank(*p))) {
        newlines += *p == '\n';
        p++;
    }
    if (newlines > 1 || is_blank(p[-1]) || (p < w->limit && strchr("*#:;={<|!-", *p)))
        ends = true;
    widen_gap(w, ends ? GAP_PARAGRAPH : GAP_SPACE);
    w->line_start = true;
    w->list_item = false;
    w->in_url = false;
    return start_line(w, p);
}

/* MediaWiki's rule for l'''amour'' (an apostrophe and italics): if bold and
 * italic marks are both odd in number on a line, one ''' is ' and ''; the one
 * after a single letter, else after a longer word, else after a space. */
static void count_quotes(writer *w, const char *p)
{
    const char *end = memchr(p, '\n', (size_t)(w->limit - p));
    if (!end)
        end = w->limit;
    w->quotes_until = end;
    w->apostrophe = NULL;
    const char *start = p, *letter = NULL, *word = NULL, *space = NULL;
    bool bold = false, italic = false;
    while (p < end && (p = memchr(p, '\'', (size_t)(end - p)))) {
        size_t n = run_of(p, 0, (size_t)(end - p), '\'');
        if (n == 2 || n >= 5)
            italic = !italic;
        if (n >= 3)
            bold = !bold;
        if (n == 3) {
            char before = p > start ? p[-1] : ' ';
            char earlier = p - start > 1 ? p[-2] : ' ';
            const char **first = before == ' ' ? &space : earlier == ' ' ? &letter : &word;
            if (!*first)
                *first = p;
        }
        p += n;
    }
    if (bold && italic)
        w->apostrophe = letter ? letter : word ? word : space;
}

/* At "://": a bare address vanishes with the scheme that was written already. */
static const char *skip_bare_url(writer *w, const char *p)
{
    size_t n = 0;
    while (n < 8 && w->length - w->first > n && p - w->text > (ptrdiff_t)n &&
           is_letter(p[-1 - (ptrdiff_t)n]))
        n++;
    if (n == 0 || scheme_at(p - n, n + 3) != n + 3 || !ends_with(w, p - n, n)) {
        put(w, p, 1);
        return p + 1;
    }
    const char *url = p + 3;
    const char *end = url + url_run(url, (size_t)(w->limit - url));
    while (end > url && strchr(",.;:!?", end[-1]))
        end--;
    if (end > url && end[-1] == ')' && !memchr(url, '(', (size_t)(end - url)))
        end--;
    take_back(w, n);
    note_drop(w);
    return end;
}

/* At "__": __TOC__ and the like vanish. */
static const char *skip_magic_word(writer *w, const char *p)
{
    const char *q = p + 2;
    while (q < w->limit && q - p < 60 && ((*q >= 'A' && *q <= 'Z') || (unsigned char)*q >= 0x80))
        q++;
    if (q - p > 4 && w->limit - q >= 2 && q[0] == '_' && q[1] == '_')
        return q + 2;
    while (p < w->limit && *p == '_') {
        put(w, p, 1);
        p++;
    }
    return p;
}

/* A byte at which prose_run() stopped. */
static const char *write_special(writer *w, const char *p)
{
    size_t left = (size_t)(w->limit - p);
    size_t n;
    switch (*p) {
    case '\n':
        return cross_newline(w, p);
    case '&':
        return put_entity(w, p, w->limit);
    case '\'':
        n = run_of(p, 0, left, '\'');
        if (n == 1) {
            put(w, p, 1);
        } else {
            if (p >= w->quotes_until && w->depth == 0)
                count_quotes(w, p);
            if (n == 4 || (n == 3 && p == w->apostrophe))
                put(w, p, 1);
        }
        return p + n;
    case ')':
        put_bracket(w, p, '(');
        return p + 1;
    case ':':
        if (left >= 3 && p[1] == '/' && p[2] == '/')
            return skip_bare_url(w, p);
        put(w, p, 1);
        return p + 1;
    case ']':
        if (left >= 2 && p[1] == ']')
            return p + 2;
        if (w->in_url)
            w->in_url = false;
        else
            put_bracket(w, p, '[');
        return p + 1;
    case '_':
        if (left >= 2 && p[1] == '_')
            return skip_magic_word(w, p);
        put(w, p, 1);
        return p + 1;
    case '|':
        widen_gap(w, GAP_SPACE);
        return p + 1;
    case '}':
        n = run_of(p, 0, left, '}');
        if (n == 1)
            put(w, p, 1);
        return p + n;
    case '~':
        n = run_of(p, 0, left, '~');
        if (n < 3)
            put(w, p, n);
        return p + n;
    default: /* blanks and control characters */
        widen_gap(w, GAP_SPACE);
        return p + 1;
    }
}

/* Goes on with [p, end), and then at `resume`. */
static const char *enter_segment(writer *w, const char *p, const char *end, const char *resume)
{
    if (w->depth == SEGMENTS || end > w->limit) {
        note_drop(w);
        return resume;
    }
    w->outer[w->depth++] = (struct segment){w->limit, resume};
    w->limit = end;
    while (p < end && (is_blank(*p) || *p == '\n'))
        p++;
    return p;
}

static const char *write_link(writer *w, const event *e)
{
    const char *p = w->text + e->start + 2, *end = w->text + e->end, *close = end - 2;
    const char *q = p;
    while (q < close && q - p < 1000 && *q != '|' && *q != '[' && *q != '{' && *q != '\n')
        q++;
    if (q < close && *q == '|') {
        if (q + 1 < close)
            return q + 1;
        /* The pipe trick: [[Help:Foo (bar)|]] reads "Foo". */
        const char *colon = memchr(p, ':', (size_t)(q - p));
        if (colon)
            p = colon + 1;
        const char *bracket = memchr(p, '(', (size_t)(q - p));
        if (bracket)
            q = bracket;
        while (q > p && is_blank(q[-1]))
            q--;
        put_literal(w, p, q);
        return end;
    }
    while (p < close && (*p == ':' || *p == '#' || is_blank(*p)))
        p++;
    char name[20];
    const char *colon = memchr(p, ':', close - p < 16 ? (size_t)(close - p) : 16);
    size_t n = colon ? canonical_name(p, colon, name, sizeof name) : 0;
    return n && IN_LIST(project_names, name, n) ? colon + 1 : p;
}

typedef struct argument {
    const char *start, *end;
} argument;

enum { ARGUMENTS = 6 };

typedef struct arguments {
    argument by_position[ARGUMENTS];
    size_t count;
    argument text; /* text= or quote= */
} arguments;

static void trim(argument *a)
{
    while (a->start < a->end && (unsigned char)*a->start <= ' ')
        a->start++;
    while (a->end > a->start && (unsigned char)a->end[-1] <= ' ')
        a->end--;
}

/* "name = value": takes note of the few names that matter. */
static void add_argument(arguments *list, argument a)
{
    trim(&a);
    const char *p = a.start;
    while (p < a.end && p - a.start < 20 &&
           (is_letter(*p) || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_'))
        p++;
    const char *name_end = p;
    while (p < a.end && is_blank(*p))
        p++;
    if (name_end == a.start || p == a.end || *p != '=') {
        if (list->count < ARGUMENTS)
            list->by_position[list->count++] = a;
        return;
    }
    char name[24];
    size_t n = canonical_name(a.start, name_end, name, sizeof name);
    argument value = {p + 1, a.end};
    trim(&value);
    if (n == 1 && name[0] >= '1' && name[0] <= '0' + ARGUMENTS) {
        size_t index = (size_t)(name[0] - '1');
        while (list->count <= index)
            list->by_position[list->count++] = (argument){a.start, a.start};
        list->by_position[index] = value;
    } else if ((n == 4 && memcmp(name, "text", 4) == 0) ||
               (n == 5 && memcmp(name, "quote", 5) == 0)) {
        list->text = value;
    }
}

/* Splits at the bars that belong to this template, not to what is inside. */
static void split_arguments(const writer *w, const event *e, arguments *list)
{
    const char *end = w->text + e->end - 2;
    const char *p = memchr(w->text + e->start, '|', (size_t)(end - w->text - e->start));
    *list = (arguments){.count = 0};
    if (!p)
        return;
    argument a = {++p, end};
    const event *inner = e + 1;
    for (;;) {
        while (inner < w->last_event && w->text + inner->start < p)
            inner++;
        const char *stop =
            inner < w->last_event && w->text + inner->start < end ? w->text + inner->start : end;
        const char *bar = memchr(p, '|', (size_t)(stop - p));
        if (bar) {
            a.end = bar;
            add_argument(list, a);
            p = a.start = bar + 1;
        } else if (stop == end) {
            a.end = end;
            add_argument(list, a);
            return;
        } else {
            p = w->text + inner->end;
            if (p > end)
                p = end;
            if (p == w->text + inner->start)
                p++;
        }
    }
}

static bool is_connector(argument a)
{
    static const char connectors[] = "|to|and|or|by|x|-|+|to(-)|and(-)|";
    size_t n = (size_t)(a.end - a.start);
    return in_list(connectors, sizeof connectors, a.start, n) ||
           (n == 3 && memcmp(a.start, "\xE2\x80\x93", 3) == 0);
}

/* {{convert|5|to|6|km|mi}} -> "5 to 6 km" */
static void write_measure(writer *w, const arguments *list)
{
    for (size_t i = 0; i < list->count; i++) {
        argument a = list->by_position[i];
        for (const char *p = a.start; p < a.end; p++)
            if (*p == '{' || *p == '[' || *p == '<')
                return;
        if (i)
            widen_gap(w, GAP_SPACE);
        put_literal(w, a.start, a.end);
        bool number = a.start < a.end && strchr("0123456789+-.", *a.start);
        if (i && !number && !is_connector(a))
            return;
    }
}

static const char *write_template(writer *w, const event *e)
{
    const struct prose_template *t = &prose_templates[e->detail];
    const char *end = w->text + e->end;
    arguments list;
    argument chosen = {NULL, NULL};
    switch ((template_action)t->action) {
    case KEEP_LITERAL:
        if (t->literal[0] == ' ')
            widen_gap(w, GAP_SPACE);
        size_t n = strlen(t->literal);
        put_literal(w, t->literal, t->literal + n);
        return end;
    case KEEP_AFTER_COLON:
        chosen.start = memchr(w->text + e->start, ':', e->end - e->start);
        if (chosen.start) {
            chosen.start++;
            const char *bar = memchr(chosen.start, '|', (size_t)(end - 2 - chosen.start));
            chosen.end = bar ? bar : end - 2;
        }
        break;
    case KEEP_MEASURE:
        split_arguments(w, e, &list);
        write_measure(w, &list);
        return end;
    case KEEP_QUOTE:
        widen_gap(w, GAP_PARAGRAPH);
        split_arguments(w, e, &list);
        chosen = list.text.start ? list.text : list.by_position[0];
        break;
    case KEEP_FIRST:
        split_arguments(w, e, &list);
        chosen = list.by_position[0];
        break;
    case KEEP_SECOND:
        split_arguments(w, e, &list);
        chosen = list.by_position[1];
        break;
    case KEEP_LAST:
        split_arguments(w, e, &list);
        if (list.count)
            chosen = list.by_position[list.count - 1];
        break;
    case KEEP_NONE:
        break;
    }
    if (chosen.start == chosen.end) {
        note_drop(w);
        return end;
    }
    return enter_segment(w, chosen.start, chosen.end, end);
}

/* -{zh-hans:A;zh-hant:B}- reads "A", -{text}- reads "text"; flags before a bar
 * may hide it. */
static const char *write_variant(writer *w, const event *e)
{
    const char *p = w->text + e->start + 2, *resume = w->text + e->end, *end = resume - 2;
    const char *q = p;
    while (q < end && q - p < 30 &&
           (is_letter(*q) || *q == '-' || *q == ';' || *q == '+' || is_blank(*q)))
        q++;
    if (q < end && *q == '|') {
        for (; p < q; p++)
            if (*p == 'H' || *p == 'T' || *p == '-') {
                note_drop(w);
                return resume;
            }
        p = q + 1;
    }
    while (p < end && is_blank(*p))
        p++;
    q = p;
    while (q < end && q - p < 16 && ((*q >= 'a' && *q <= 'z') || *q == '-'))
        q++;
    if (q > p && q < end && *q == ':') {
        p = q + 1;
        const char *semicolon = memchr(p, ';', (size_t)(end - p));
        if (semicolon)
            end = semicolon;
    }
    return enter_segment(w, p, end, resume);
}

/* "{{" without end: a template to the end of its line (what follows starts
 * with bars, and goes too), unless it does not look like one. */
static const char *skip_open_braces(writer *w, const event *e)
{
    const char *p = w->text + e->end;
    if (p > w->limit)
        return p;
    const char *q = p;
    while (q < w->limit && q - p < 60 && *q != '\n' && *q != '|' && *q != '}' && *q != ',' &&
           *q != '{')
        q++;
    if (q > p && (q == w->limit || *q == '\n' || *q == '|' || (*q == '{' && is_letter(*p)))) {
        widen_gap(w, GAP_PARAGRAPH);
        return line_end(w, q);
    }
    return p;
}

static const char *write_event(writer *w, const event *e)
{
    const char *start = w->text + e->start, *end = w->text + e->end;
    switch ((event_kind)e->kind) {
    case EV_TAG:
        return end;
    case EV_DROP:
        note_drop(w);
        return end;
    case EV_BLOCK_DROP:
    case EV_BLOCK:
        widen_gap(w, GAP_PARAGRAPH);
        return end;
    case EV_SPACE:
        widen_gap(w, GAP_SPACE);
        return end;
    case EV_NOWIKI: {
        const char *from = memchr(start, '>', (size_t)(end - start));
        const char *to = memrchr(start, '<', (size_t)(end - start));
        if (from && to > from)
            put_literal(w, from + 1, to < w->limit ? to : w->limit);
        return end;
    }
    case EV_LINK:
        return write_link(w, e);
    case EV_TEMPLATE:
        return write_template(w, e);
    case EV_URL:
        note_drop(w);
        if (end < w->limit && *end == ']')
            return end + 1;
        w->in_url = true;
        return end;
    case EV_VARIANT:
        return write_variant(w, e);
    case EV_OPEN_LINK:
        if (classify_link(end, w->limit) != LINK_TEXT)
            return line_end(w, end);
        return end;
    case EV_OPEN_BRACES:
        return skip_open_braces(w, e);
    case EV_OPEN_TABLE:
        w->broken_table = true;
        widen_gap(w, GAP_PARAGRAPH);
        return line_end(w, end);
    }
    return end;
}

static void write_prose(writer *w, const char *p)
{
    p = start_line(w, p);
    for (;;) {
        if (p >= w->limit) {
            if (w->depth == 0)
                return;
            struct segment outer = w->outer[--w->depth];
            w->limit = outer.limit;
            if (p < outer.resume)
                p = outer.resume;
            continue;
        }
        while (w->next_event < w->last_event && w->text + w->next_event->start < p)
            w->next_event++;
        const char *stop = w->limit;
        if (w->next_event < w->last_event && w->text + w->next_event->start < stop)
            stop = w->text + w->next_event->start;
        if (p == stop) {
            const event *e = w->next_event++;
            p = write_event(w, e);
            if (!vanishes(e) && e->kind != EV_BLOCK)
                w->line_start = false;
            if (w->line_start && p < w->limit)
                p = start_line(w, p);
            continue;
        }
        size_t n = prose_run(p, (size_t)(stop - p));
        if (n)
            put_run(w, p, n);
        p += n;
        if (p < stop)
            p = write_special(w, p);
    }
}

/* "#REDIRECT [[Foo]]", in any of some languages. */
static bool is_redirect(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p <= 0x20)
        p++;
    if (p == end || *p++ != '#')
        return false;
    const char *q = p;
    while (q < end && q - p < 50 && (unsigned char)*q > 0x20 && *q != '[' && *q != ':')
        q++;
    char name[60];
    size_t n = canonical_name(p, q, name, sizeof name);
    return n && IN_LIST(redirect_names, name, n);
}

psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out)
{
    if (length == 0 || is_redirect(markup, markup + length))
        return PSDVEC_OK;
    if (length >= UINT32_MAX)
        return pv_fail(out->ctx, PSDVEC_ERR_OVERFLOW,
                       "an article of %zu bytes of wiki markup is longer than the 4 GiB that can "
                       "be handled",
                       length);
    PV_TRY(pv_buffer_reserve(out, length));

    structure s = {.text = markup, .length = length};
    pv_buffer_init(&s.events, out->ctx);
    pv_buffer_init(&s.stack, out->ctx);
    psdvec_status status;
    PV_TRY_DONE(pv_buffer_reserve(&s.events, length / 8));
    PV_TRY_DONE(pv_buffer_reserve(&s.stack, 64 * sizeof(opening)));
    PV_TRY_DONE(find_structure(&s));

    writer w = {.text = markup,
                .limit = markup + length,
                .next_event = events_of(&s),
                .last_event = events_of(&s) + s.events.length / sizeof(event),
                .out = out->data,
                .length = out->length,
                .first = out->length,
                .line_start = true,
                .quotes_until = markup};
    write_prose(&w, markup);
    out->length = w.length;
done:
    pv_buffer_free(&s.events);
    pv_buffer_free(&s.stack);
    return status;
}
