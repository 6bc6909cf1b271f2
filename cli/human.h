/* Numbers as people read them. Each adds to a buffer. */
#ifndef CLI_HUMAN_H
#define CLI_HUMAN_H

#include "memory.h"

#include <stdint.h>

void human_count(struct buffer *buffer, uint64_t number);  /* 1,234,567 */
void human_short(struct buffer *buffer, double number);    /* 1.23M */
void human_bytes(struct buffer *buffer, double bytes);     /* 1.23 GiB */
void human_seconds(struct buffer *buffer, double seconds); /* 1.2 s, 3 min 05 s */
void human_clock(struct buffer *buffer, double seconds);   /* 0:42, 1:02:03 */
/* v / scale as the shortest decimal that names v among its neighbours. */
void human_ratio(struct buffer *buffer, uint64_t v, uint64_t scale);

#endif
