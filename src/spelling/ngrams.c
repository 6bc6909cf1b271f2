/* Characters and n-grams of words. */
#include "spelling/parts.h"

#include <string.h>

/* A byte below 128 is a character; any other starts one and includes the continuation bytes that
 * follow, three at most. For UTF-8 these are the code points. */
static size_t character_length(const char *at, const char *end)
{
    size_t length = 1;
    if ((unsigned char)*at < 0x80)
        return 1;
    while (length < 4 && at + length < end && ((unsigned char)at[length] & 0xC0) == 0x80)
        length++;
    return length;
}

size_t pv_count_characters(const char *text, size_t length)
{
    size_t count = 0;
    for (const char *at = text, *end = text + length; at < end; count++)
        at += character_length(at, end);
    return count;
}

static void append(pv_marked_word *m, const char *bytes, size_t length)
{
    size_t begin = m->starts[m->characters];
    memcpy(m->text + begin, bytes, length);
    m->starts[++m->characters] = (uint16_t)(begin + length);
}

void pv_mark_word(const char *word, size_t length, pv_marked_word *marked)
{
    static const char begin = PV_MARK_BEGIN, end_mark = PV_MARK_END;
    const char *at = word, *end = word + length;
    marked->characters = 0;
    marked->starts[0] = 0;
    append(marked, &begin, 1);
    while (at < end && marked->characters < PV_MARKED_MOST) {
        size_t bytes = character_length(at, end);
        append(marked, at, bytes);
        at += bytes;
    }
    if (marked->characters < PV_MARKED_MOST)
        append(marked, &end_mark, 1);
}

uint64_t pv_count_occurrences(const pv_spelling_words *words, uint32_t shortest, uint32_t longest)
{
    uint64_t occurrences = 0;
    for (uint32_t i = 0; i < words->words; i++) {
        const char *word = words->bytes + words->offsets[i];
        size_t length = (size_t)(words->offsets[i + 1] - words->offsets[i]);
        size_t characters = pv_count_characters(word, length) + 2;
        if (characters > PV_MARKED_MOST)
            characters = PV_MARKED_MOST;
        for (size_t n = shortest; n <= longest && n <= characters; n++)
            occurrences += characters - n + 1;
    }
    return occurrences;
}
