/* Spelling suggestions by edit distance with transpositions (optimal string alignment).
 *
 * Time: the product of the lengths; memory: three rows. */
#include <psdvec/psdvec.h>

#include <stdlib.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t psdvec_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                            size_t limit)
{
    a_length = a ? a_length : 0;
    b_length = b ? b_length : 0;
    size_t apart = a_length > b_length ? a_length - b_length : b_length - a_length;
    if (apart > limit)
        return limit + 1;
    size_t width = b_length + 1;
    size_t *rows = calloc(3 * width, sizeof *rows);
    if (!rows)
        return limit + 1;
    size_t *before = rows, *above = rows + width, *here = rows + 2 * width;
    for (size_t j = 0; j < width; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t best = here[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            here[j] = least(above[j - 1] + cost, least(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], before[j - 2] + 1);
            best = least(best, here[j]);
        }
        if (best > limit) {
            free(rows);
            return limit + 1;
        }
        size_t *spare = before;
        before = above;
        above = here;
        here = spare;
    }
    size_t result = above[b_length] > limit ? limit + 1 : above[b_length];
    free(rows);
    return result;
}

size_t psdvec_edit_limit(size_t length)
{
    return length < 3 ? 1 : length < 6 ? 2 : 3;
}

const char *psdvec_suggest(const char *word, const char *const *candidates)
{
    if (!word || !candidates)
        return NULL;
    size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = psdvec_edit_limit(length) + 1;
    for (; *candidates; candidates++) {
        size_t candidate_length = strlen(*candidates);
        if (length >= 2 && !strncmp(word, *candidates, length))
            return *candidates;
        /* Most of the word must be unchanged. */
        size_t distance =
            psdvec_edit_distance(word, length, *candidates, candidate_length, best_distance - 1);
        if (distance < best_distance && 2 * distance <= candidate_length) {
            best_distance = distance;
            best = *candidates;
        }
    }
    return best;
}
