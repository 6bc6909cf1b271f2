/* Lists of words, and reading a file whole. */
#include "word_list.h"

#include "memory.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *read_whole(const char *path, size_t *length)
{
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    size_t room = 1 << 16, used = 0;
    char *text = NULL;
    if (fd < 0)
        return NULL;
    for (;;) {
        text = must_grow(text, room, 1);
        ssize_t got = read(fd, text + used, room - 1 - used);
        if (got == 0)
            break;
        if (got < 0) {
            if (errno == EINTR && !signals_caught())
                continue;
            int error = errno;
            free(text);
            if (fd != STDIN_FILENO)
                close(fd);
            errno = error;
            return NULL;
        }
        used += (size_t)got;
        if (used + 1 == room)
            room *= 2;
    }
    if (fd != STDIN_FILENO)
        close(fd);
    text[used] = '\0';
    *length = used;
    return text;
}

static void add(struct word_list *list, const char *word, size_t length)
{
    if (!length)
        return;
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->words = must_grow(list->words, list->room, sizeof *list->words);
    }
    char *copy = must_alloc(length + 1, 1);
    memcpy(copy, word, length);
    list->words[list->count++] = copy;
}

static void add_separated(struct word_list *list, const char *text, const char *separators)
{
    while (*text) {
        size_t length = strcspn(text, separators);
        add(list, text, length);
        text += length + (text[length] != '\0');
    }
}

bool word_list_add(struct word_list *list, const char *argument)
{
    if (argument[0] != '@') {
        add_separated(list, argument, ",");
        return true;
    }
    size_t length;
    char *text = read_whole(argument + 1, &length);
    if (!text)
        return false;
    add_separated(list, text, "\r\n");
    free(text);
    return true;
}

void word_list_free(struct word_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        free(list->words[k]);
    free(list->words);
    *list = (struct word_list){0};
}
