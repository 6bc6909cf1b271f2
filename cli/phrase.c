/* Phrases: buffers that last. */
#include "phrase.h"

#include "cell.h"
#include "human.h"

#include <stdlib.h>
#include <string.h>

const char *phrase_of(struct buffer *text)
{
    char *taken = text->text ? text->text : must_copy("");
    *text = (struct buffer){0};
    return lasting(taken, free);
}

const char *phrase(const char *format, ...)
{
    struct buffer text = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&text, format, list);
    va_end(list);
    return phrase_of(&text);
}

const char *phrase_count(uint64_t number)
{
    struct buffer text = {0};
    human_count(&text, number);
    return phrase_of(&text);
}

const char *phrase_counted(uint64_t number, const char *thing)
{
    return phrase("%s %s%s", phrase_count(number), thing, number == 1 ? "" : "s");
}

const char *phrase_short(double number)
{
    struct buffer text = {0};
    human_short(&text, number);
    return phrase_of(&text);
}

const char *phrase_bytes(double bytes)
{
    struct buffer text = {0};
    human_bytes(&text, bytes);
    return phrase_of(&text);
}

const char *phrase_seconds(double seconds)
{
    struct buffer text = {0};
    human_seconds(&text, seconds);
    return phrase_of(&text);
}

const char *phrase_json(const char *string)
{
    struct buffer text = {0};
    buffer_json(&text, string, strlen(string));
    return phrase_of(&text);
}

const char *phrase_safe(const char *string, size_t length)
{
    struct buffer text = {0};
    cell_text(&text, string, length);
    return phrase_of(&text);
}
