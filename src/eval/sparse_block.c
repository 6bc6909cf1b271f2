/* A transposed block of sparse candidates. */
#include "eval/sparse_block.h"

#include <math.h>
#include <string.h>

pv_sparse_unit pv_sparse_unit_of(pv_csr_row row)
{
    double length = pv_sparse_length(row);
    bool fine = length > 0 && isfinite(length);
    pv_sparse_unit unit = {.row = row, .scale = fine ? (float)(1 / length) : 0};
    if (!isfinite(unit.scale)) /* components too small for float32 division */
        unit.scale = 0;
    if (unit.scale == 0)
        unit.row.count = 0;
    return unit;
}

psdvec_status pv_sparse_block_init(pv_sparse_block *b, pv_scope *scope, const pv_csr *v,
                                   uint32_t candidates, uint32_t length)
{
    uint64_t most = 0;
    *b = (pv_sparse_block){.dim = v->columns};
    for (uint64_t first = 0; first < candidates; first += length) {
        uint64_t end = first + length < candidates ? first + length : candidates;
        uint64_t entries = v->begin[end] - v->begin[first];
        most = entries > most ? entries : most;
    }
    if (most > UINT32_MAX)
        return pv_fail(scope->ctx, PSDVEC_ERR_OVERFLOW,
                       "the vectors of %u words have more than 2^32 nonzero components",
                       (unsigned)length);
    PV_TAKE(scope, b->end, v->columns);
    PV_TAKE(scope, b->candidate, (size_t)most);
    PV_TAKE(scope, b->value, (size_t)most);
    return pv_scope_status(scope);
}

void pv_sparse_block_take(pv_sparse_block *b, const pv_csr *v, uint32_t first, uint32_t length)
{
    uint32_t sum = 0;
    b->length = length;
    memset(b->end, 0, b->dim * sizeof *b->end);
    for (uint64_t k = v->begin[first]; k < v->begin[first + length]; k++)
        b->end[v->column[k]]++;
    for (uint32_t c = 0; c < b->dim; c++) {
        uint32_t count = b->end[c];
        b->end[c] = sum; /* temporarily the start */
        sum += count;
    }
    for (uint32_t i = 0; i < length; i++) {
        pv_csr_row row = pv_csr_row_of(v, first + i);
        float scale = pv_sparse_unit_of(row).scale;
        for (size_t k = 0; k < row.count; k++) {
            uint32_t at = b->end[row.column[k]]++;
            b->candidate[at] = (uint16_t)i;
            b->value[at] = scale > 0 ? row.value[k] * scale : 0;
        }
    }
}

void pv_sparse_block_cosines(const pv_sparse_block *b, const pv_sparse_unit *unit, float *out)
{
    memset(out, 0, b->length * sizeof *out);
    for (size_t k = 0; k < unit->row.count; k++) {
        uint32_t c = unit->row.column[k];
        uint32_t at = c ? b->end[c - 1] : 0, end = b->end[c];
        float value = unit->row.value[k] * unit->scale;
        for (; at < end; at++)
            out[b->candidate[at]] += value * b->value[at];
    }
}
