/* Taking a row out of its accumulator. */
#include "count/row_sum.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "adding up a row";

enum { SMALL = 32 };

static size_t bit_words(uint32_t columns)
{
    return ((size_t)columns + 1 + 63) / 64;
}

uint64_t pv_row_sum_bytes(uint32_t columns)
{
    return 13 * ((uint64_t)columns + 128);
}

psdvec_status pv_row_sum_init(pv_row_sum *row, psdvec_context *ctx, uint32_t columns)
{
    size_t words = bit_words(columns);
    *row = (pv_row_sum){
        .memory = {.ctx = ctx, .what = what}, .columns = columns, .group_words = (words + 63) / 64};
    PV_TAKE_ZERO(&row->memory, row->sum, (size_t)columns + 1);
    PV_TAKE(&row->memory, row->touched, (size_t)columns + 2);
    PV_TAKE_ZERO(&row->memory, row->bits, words);
    PV_TAKE_ZERO(&row->memory, row->groups, row->group_words);
    return pv_scope_status(&row->memory);
}

void pv_row_sum_free(pv_row_sum *row)
{
    pv_scope_free(&row->memory);
    *row = (pv_row_sum){0};
}

static void insertion_sort(uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t value = list[i];
        size_t j = i;
        for (; j > 0 && list[j - 1] > value; j--)
            list[j] = list[j - 1];
        list[j] = value;
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Puts the touched columns in order; for few of them sorting is faster than a
 * walk over all groups. */
static void order_touched(pv_row_sum *row)
{
    size_t count = row->touched_count;
    uint32_t *touched = row->touched;
    if (count <= SMALL) {
        insertion_sort(touched, count);
        return;
    }
    if (row->group_words > 8 * count) {
        qsort(touched, count, sizeof *touched, ascending);
        return;
    }
    uint64_t *bits = row->bits, *groups = row->groups;
    for (size_t i = 0; i < count; i++) {
        uint32_t column = touched[i];
        bits[column >> 6] |= UINT64_C(1) << (column & 63);
        groups[column >> 12] |= UINT64_C(1) << (column >> 6 & 63);
    }
    size_t used = 0;
    for (size_t g = 0; g < row->group_words; g++) {
        for (uint64_t group = groups[g]; group; group &= group - 1) {
            size_t word = g * 64 + (size_t)__builtin_ctzll(group);
            for (uint64_t rest = bits[word]; rest; rest &= rest - 1)
                touched[used++] = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(rest));
            bits[word] = 0;
        }
        groups[g] = 0;
    }
}

size_t pv_row_sum_take(pv_row_sum *row, uint32_t *columns, uint64_t *values)
{
    order_touched(row);
    size_t count = row->touched_count;
    row->touched_count = 0;
    if (count > 0 && row->touched[count - 1] == row->columns) /* what was to be forgotten */
        row->sum[row->touched[--count]] = 0;
    if (count > 0)
        memcpy(columns, row->touched, count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        uint64_t *sum = &row->sum[row->touched[i]];
        values[i] = *sum;
        *sum = 0;
    }
    return count;
}
