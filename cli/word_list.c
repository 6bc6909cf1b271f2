/* Lists of words, reading complete files, similar spellings. */
#include "word_list.h"

#include "cell.h"
#include "system.h"

#include <psdvec/psdvec.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *read_whole(const char *path, size_t most, size_t *length)
{
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    size_t capacity = 1 << 16, used = 0;
    char *text = NULL;
    int error = 0;
    if (fd < 0)
        return NULL;
    for (;;) {
        text = must_grow(text, capacity, 1);
        ssize_t got = read(fd, text + used, capacity - 1 - used);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR && !signals_caught())
            continue;
        error = got < 0 ? errno : 0;
        used += got < 0 ? 0 : (size_t)got;
        if (used > most)
            error = EFBIG;
        if (error)
            break;
        if (used + 1 == capacity)
            capacity *= 2;
    }
    if (fd != STDIN_FILENO)
        close(fd);
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    text[used] = '\0';
    *length = used;
    return text;
}

void word_list_add(struct word_list *list, char *text, bool lines)
{
    list->texts = must_grow(list->texts, list->text_count + 1, sizeof *list->texts);
    list->texts[list->text_count++] = text;
    while (*text) {
        char *word = text;
        text += strcspn(text, lines ? "\r\n" : ",");
        if (*text)
            *text++ = '\0';
        if (!*word)
            continue;
        if (list->count == list->capacity) {
            list->capacity = 2 * list->capacity + 16;
            list->words = must_grow(list->words, list->capacity, sizeof *list->words);
        }
        list->words[list->count++] = word;
    }
}

void word_list_free(struct word_list *list)
{
    for (size_t k = 0; k < list->text_count; k++)
        free(list->texts[k]);
    free(list->texts);
    free(list->words);
    *list = (struct word_list){0};
}

/* ---- Similar spellings ----------------------------------------------------------------------- */

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

void near_words_list(struct buffer *to, const uint32_t *words, size_t count, word_getter *get,
                     const void *of)
{
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *other = get(of, words[k], &length);
        buffer_text(to, k == 0 ? "; did you mean " : k + 1 == count ? " or " : ", ");
        buffer_char(to, '\'');
        cell_text(to, other, length);
        buffer_char(to, '\'');
    }
    if (count)
        buffer_char(to, '?');
}

void near_words_suggest(struct buffer *to, const char *word, uint32_t words, word_getter *get,
                        const void *of)
{
    uint32_t best[SUGGESTIONS];
    near_words_list(to, best, find(word, words, get, of, best), get, of);
}
