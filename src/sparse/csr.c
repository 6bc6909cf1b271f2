/* Checking and dividing the rows of sparse matrices. */
#include "sparse/csr.h"

bool pv_offsets_ascend(const uint64_t *offsets, uint64_t count, uint64_t last)
{
    bool fine = offsets[0] == 0 && offsets[count] == last;
    for (uint64_t i = 0; i < count; i++)
        fine &= offsets[i] <= offsets[i + 1];
    return fine;
}

void pv_divide_rows(const uint64_t *begin, uint32_t rows, uint32_t row_cost, uint32_t tasks,
                    uint32_t *edges)
{
    double total = (double)(begin[rows] + (uint64_t)row_cost * rows);
    uint32_t i = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        uint64_t goal = (uint64_t)(total * t / tasks);
        while (i < rows && begin[i] + (uint64_t)row_cost * i < goal)
            i++;
        edges[t] = i;
    }
    edges[tasks] = rows;
}
