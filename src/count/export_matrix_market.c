/* Matrix Market, coordinate format (import_matrix_market.c describes it): whole
 * numbers as integers, others as decimals that read back as the same counts.
 * A comment says with which scale and window, so that no option is needed to
 * import it again. With `symmetric`, the lower triangle of x + x'.
 */
#include "count/export.h"
#include "count/fixed_point.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 48, KEPT_SCALE = 1000000000 };

static psdvec_status write_sizes(pv_export *e)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%" PRIu32 " %" PRIu32 " %20" PRIu64 "\n",
                          e->counts->info.words, e->counts->info.words, e->entries);
    return pv_output_write_at(e->output, e->size_at, line, (size_t)length);
}

static psdvec_status begin(pv_export *e)
{
    const psdvec_counts_info *info = &e->counts->info;
    bool whole = info->scale == 1 && !e->counts->retention;
    pv_buffer head;
    psdvec_status status;
    pv_buffer_init(&head, e->ctx);
    PV_TRY_DONE(pv_buffer_printf(
        &head,
        "%%%%MatrixMarket matrix coordinate %s %s\n%% written by psdvec " PSDVEC_VERSION
        "\n%% %s\n",
        whole ? "integer" : "real", e->symmetric ? "symmetric" : "general",
        e->symmetric ? "pairs of words, the counts of both directions added up"
                     : "row: the earlier word (context); column: the later word (focus)"));
    if (!e->counts->retention) {
        PV_TRY_DONE(pv_buffer_printf(&head, "%% psdvec: scale=%" PRIu64, info->scale));
        if (info->window)
            PV_TRY_DONE(pv_buffer_printf(&head, " window=%" PRIu32, info->window));
        PV_TRY_DONE(pv_buffer_byte(&head, '\n'));
    }
    PV_TRY_DONE(pv_export_append(e, head.data, head.length));
    e->size_at = e->written;
    PV_TRY_DONE(write_sizes(e)); /* again in the end, when the number is known */
    e->written += (uint64_t)snprintf(NULL, 0, "%" PRIu32 " %" PRIu32 " %20" PRIu64 "\n",
                                     info->words, info->words, UINT64_C(0));
done:
    pv_buffer_free(&head);
    return status;
}

static char *write_number(const pv_export *e, char *out, uint32_t i, uint32_t j, uint64_t value,
                          unsigned places)
{
    const psdvec_counts *c = e->counts;
    if (!c->retention)
        return pv_fixed_write(out, value, c->info.scale, places);
    double count = (double)value / (double)c->info.scale * pv_export_keep(c, i, j);
    return pv_fixed_write(out, (uint64_t)(count * KEPT_SCALE + 0.5), KEPT_SCALE, 9);
}

static psdvec_status format(const pv_export *e, pv_rows *rows)
{
    unsigned places = pv_fixed_places(e->counts->info.scale);
    PV_TRY(pv_buffer_reserve(&rows->packed, rows->used * (24 + LONGEST_NUMBER)));
    char *out = rows->packed.data, row[24] = {0};
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        uint32_t i = rows->first + r;
        char *row_end = pv_digits_write(row, (uint64_t)i + 1);
        *row_end++ = ' ';
        for (size_t last = at + rows->lengths[r]; at < last; at++) {
            memcpy(out, row, 12); /* ten digits and a space at most */
            out += row_end - row;
            out = pv_digits_write(out, (uint64_t)rows->columns[at] + 1);
            *out++ = ' ';
            out = write_number(e, out, i, rows->columns[at], rows->values[at], places);
            *out++ = '\n';
        }
    }
    rows->packed.length = (size_t)(out - rows->packed.data);
    return PSDVEC_OK;
}

const pv_export_format pv_export_matrix_market = {.begin = begin,
                                                  .format = format,
                                                  .end = write_sizes,
                                                  .one_triangle = true,
                                                  .not_in_words = " \t\n\v\f\r"};
