/* Near spellings in a vocabulary. */
#include "near_words.h"

#include "cell.h"
#include "lasting.h"

#include <psdvec/psdvec.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SUGGESTIONS 3

static size_t find(const char *word, uint32_t words, word_getter *get, const void *of,
                   uint32_t best[SUGGESTIONS])
{
    size_t length = strlen(word), found = 0;
    size_t limit = psdvec_edit_limit(length), distances[SUGGESTIONS];
    char *lower = lasting(must_copy(word), free);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (uint32_t i = 0; i < words; i++) {
        size_t other_length;
        const char *other = get(of, i, &other_length);
        size_t worst = found < SUGGESTIONS ? limit : distances[SUGGESTIONS - 1] - 1;
        size_t distance = psdvec_edit_distance(lower, length, other, other_length, worst);
        if (distance > worst || 2 * distance > other_length)
            continue;
        size_t at = found < SUGGESTIONS ? found++ : SUGGESTIONS - 1;
        while (at > 0 && distances[at - 1] > distance) {
            distances[at] = distances[at - 1];
            best[at] = best[at - 1];
            at--;
        }
        distances[at] = distance;
        best[at] = i;
        if (found == SUGGESTIONS && distances[SUGGESTIONS - 1] == 0)
            break;
    }
    return found;
}

void near_words_ask(struct buffer *to, const char *word, uint32_t words, word_getter *get,
                    const void *of)
{
    uint32_t best[SUGGESTIONS];
    size_t found = find(word, words, get, of, best);
    for (size_t k = 0; k < found; k++) {
        size_t length;
        const char *other = get(of, best[k], &length);
        buffer_text(to, k == 0 ? "; did you mean " : k + 1 == found ? " or " : ", ");
        buffer_char(to, '\'');
        cell_text(to, other, length);
        buffer_char(to, '\'');
    }
    if (found)
        buffer_char(to, '?');
}
