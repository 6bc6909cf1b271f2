/* What lives until the command ends: nobody frees it by hand. For the main thread. */
#ifndef CLI_LASTING_H
#define CLI_LASTING_H

#include <stddef.h>

/* `end` is called with it in the end; returns it. The last ones end first. */
void *lasting(void *what, void (*end)(void *what));
/* Zeroed memory. */
void *lasting_alloc(size_t count, size_t size);

/* How many there are; and ends those made after there were `count`: in commands that go on for as
 * long as their input does, and at the end. */
size_t lasting_count(void);
void lasting_end(size_t count);

#endif
