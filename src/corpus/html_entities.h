/* HTML character references: "&eacute;", "&#233;", "&#xE9;" -> U+00E9.
 *
 * Wiki markup, WikiExtractor's output and web text all carry them. The table contains those of HTML
 * 4 and some fifty of HTML 5 that occur in articles. A reference is never shorter than its
 * character in UTF-8, so decoding never lengthens a text. */
#ifndef PV_CORPUS_HTML_ENTITIES_H
#define PV_CORPUS_HTML_ENTITIES_H

#include <stddef.h>
#include <stdint.h>

/* `text` starts at the '&'. Returns the length of the reference, including its ';', and its code
 * point; 0 if there is none. Numbers that are not characters (surrogates, above U+10FFFF, U+0000)
 * are not references; 128 to 159 mean Windows-1252, as in every browser. */
size_t pv_html_entity(const char *text, size_t length, uint32_t *code);

/* As pv_html_entity, but also decodes one level of double encoding: "&amp;nbsp;" is U+00A0. */
size_t pv_html_entity_twice(const char *text, size_t length, uint32_t *code);

#endif
