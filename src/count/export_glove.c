/* GloVe's cooccurrence.bin (import_glove.c describes it), sorted by word1 and
 * word2 as GloVe writes it. Train with it after GloVe's `shuffle`.
 */
#include "count/export.h"

#include <string.h>

typedef struct record {
    int32_t word1, word2;
    double value;
} record;

static psdvec_status begin(pv_export *e)
{
    uint64_t records = e->counts->info.bigrams;
    if (e->counts->info.words > INT32_MAX)
        return pv_fail(e->ctx, PSDVEC_ERR_OVERFLOW,
                       "%s: GloVe numbers words with 31 bits, which "
                       "are too few for %u words",
                       e->path, e->counts->info.words);
    return pv_output_expect(e->output, records * sizeof(record));
}

static psdvec_status format(const pv_export *e, pv_rows *rows)
{
    double scale = (double)e->counts->info.scale;
    PV_TRY(pv_buffer_reserve(&rows->packed, rows->used * sizeof(record)));
    record *out = (record *)(void *)rows->packed.data;
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t i = rows->first + r;
        for (size_t end = at + rows->lengths[r]; at < end; at++) {
            uint32_t j = rows->columns[at];
            out[at] = (record){.word1 = (int32_t)i + 1,
                               .word2 = (int32_t)j + 1,
                               .value = (double)rows->values[at] / scale *
                                        pv_export_keep(e->counts, i, j)};
        }
    }
    rows->packed.length = rows->used * sizeof *out;
    return PSDVEC_OK;
}

static psdvec_status end(pv_export *e)
{
    (void)e;
    return PSDVEC_OK;
}

const pv_export_format pv_export_glove = {
    .begin = begin, .format = format, .end = end, .not_in_words = " \t\n\v\f\r"};
