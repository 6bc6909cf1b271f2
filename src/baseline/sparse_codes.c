/* A tile of words: products with all atoms, then sweeps over the atoms in question. */
#include "baseline/sparse_codes.h"

#include "base/blas.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct pv_code_room {
    pv_scope memory;
    const pv_sweep_kernels *kernels;
    float *residuals; /* PV_CODE_TILE x stride */
    float *packed;    /* those of words that are not done, one behind the other */
    uint32_t *open;   /* which they are */
    float *products;  /* PV_CODE_TILE x atoms */
    float *code;      /* atoms: of the word at hand; zeros between words */
    uint32_t *listed; /* atoms */
    float *length;    /* PV_CODE_TILE: of the vectors, squared */
    bool *done;       /* PV_CODE_TILE */
    /* The codes of the tile as they are now: room for all. */
    uint32_t *held;   /* PV_CODE_TILE: how many */
    uint32_t *column; /* PV_CODE_TILE x atoms */
    float *value;     /* PV_CODE_TILE x atoms */
};

static size_t padded(uint32_t dim)
{
    return ((size_t)dim + PV_ATOM_PAD - 1) / PV_ATOM_PAD * PV_ATOM_PAD;
}

uint64_t pv_code_room_bytes(uint32_t atoms, uint32_t dim)
{
    return (uint64_t)PV_CODE_TILE * (8 * padded(dim) + 12 * (uint64_t)atoms) + 8 * (uint64_t)atoms;
}

psdvec_status pv_code_room_make(psdvec_context *ctx, const pv_atoms *atoms, pv_code_room **out)
{
    static const char what[] = "the codes of a few words";
    size_t cells;
    *out = NULL;
    if (!pv_mul(atoms->count, PV_CODE_TILE, &cells) || cells > UINT32_MAX)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "%u atoms are too many", atoms->count);
    pv_code_room *room = *out = pv_alloc_zero(ctx, 1, sizeof *room, what);
    if (!room)
        return pv_failure(ctx);
    pv_scope *memory = &room->memory;
    *memory = (pv_scope){.ctx = ctx, .what = what};
    room->kernels = pv_sweep_best();
    PV_TAKE_ZERO(memory, room->residuals, atoms->stride * PV_CODE_TILE);
    PV_TAKE(memory, room->packed, atoms->stride * PV_CODE_TILE);
    PV_TAKE(memory, room->open, PV_CODE_TILE);
    PV_TAKE(memory, room->products, cells);
    PV_TAKE_ZERO(memory, room->code, atoms->count);
    PV_TAKE(memory, room->listed, atoms->count);
    PV_TAKE(memory, room->length, PV_CODE_TILE);
    PV_TAKE(memory, room->done, PV_CODE_TILE);
    PV_TAKE_ZERO(memory, room->held, PV_CODE_TILE);
    PV_TAKE(memory, room->column, cells);
    PV_TAKE(memory, room->value, cells);
    return pv_scope_status(memory);
}

void pv_code_room_free(psdvec_context *ctx, pv_code_room *room)
{
    if (room)
        pv_scope_free(&room->memory);
    pv_free(ctx, room);
}

/* r = scale x - sum of a_j d_j. Returns the squared length of scale x. */
static float residual(const pv_atoms *atoms, const float *x, float scale, const uint32_t *column,
                      const float *value, size_t count, pv_code_room *room, float *r)
{
    float square = 0;
    for (uint32_t k = 0; k < atoms->dim; k++) {
        r[k] = -scale * x[k];
        square += r[k] * r[k];
    }
    room->kernels->add(atoms, column, value, count, r);
    for (uint32_t k = 0; k < atoms->dim; k++)
        r[k] = -r[k];
    return square;
}

/* Sweeps over the codes that are not 0 and the atoms that are wanted. Returns whether a code
 * moved, or an atom was wanted. */
static bool improve(const pv_atoms *atoms, const pv_code_rules *rules, const float *products,
                    float length, float *r, pv_code_room *room)
{
    float half = rules->l1 / 2, least = half * (1 + rules->tolerance);
    float *code = room->code;
    size_t count = 0;
    bool wanted = false;
    for (uint32_t j = 0; j < atoms->count; j++) {
        bool wants = products[j] > least || (products[j] < -least && !rules->nonnegative);
        wanted |= wants && code[j] == 0;
        room->listed[count] = j;
        count += wants || code[j] != 0;
    }
    float enough = rules->tolerance * rules->tolerance * length;
    bool moved = false;
    for (uint32_t s = 0; s < rules->sweeps && count > 0; s++) {
        float step = room->kernels->sweep(atoms, room->listed, count, half, rules->ridge,
                                          rules->nonnegative, code, r);
        if (step <= enough)
            break;
        moved = true;
        /* Atoms that lost their code wait for the next round. */
        if (s % 4 == 0) {
            size_t kept = 0;
            for (size_t t = 0; t < count; t++) {
                room->listed[kept] = room->listed[t];
                kept += code[room->listed[t]] != 0;
            }
            count = kept;
        }
    }
    return wanted || moved;
}

/* The residuals of the words that are not done, times all atoms. Returns how many there are. */
static uint32_t multiply_open(const pv_atoms *atoms, uint32_t rows, pv_code_room *room)
{
    size_t stride = atoms->stride;
    uint32_t left = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (!room->done[i]) {
            memcpy(room->packed + left * stride, room->residuals + i * stride,
                   stride * sizeof(float));
            room->open[left++] = i;
        }
    if (left > 0)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)left, (int)atoms->count,
                    (int)stride, 1, room->packed, (int)stride, atoms->rows, (int)stride, 0,
                    room->products, (int)atoms->count);
    return left;
}

/* Row i goes through a round; products: of its residual with all atoms. */
static void word_round(const pv_atoms *atoms, const pv_code_rules *rules, uint32_t i,
                       const float *products, pv_code_room *room)
{
    size_t most = atoms->count;
    uint32_t *column = room->column + i * most;
    float *value = room->value + i * most, *code = room->code;
    for (uint32_t t = 0; t < room->held[i]; t++)
        code[column[t]] = value[t];
    room->done[i] = !improve(atoms, rules, products, room->length[i],
                             room->residuals + i * atoms->stride, room);
    uint32_t kept = 0;
    for (uint32_t j = 0; j < most; j++)
        if (code[j] != 0) {
            column[kept] = j;
            value[kept++] = code[j];
            code[j] = 0;
        }
    room->held[i] = kept;
}

/* The codes as they leave. */
static psdvec_status keep(psdvec_context *ctx, const pv_code_room *room, uint32_t rows, size_t most,
                          pv_csr_store *codes)
{
    pv_csr_store_free(codes);
    PV_TRY(pv_csr_store_open(ctx, rows, (uint32_t)most, "the codes of words", codes));
    for (uint32_t i = 0; i < rows; i++)
        codes->begin[i + 1] = room->held[i];
    PV_TRY(pv_csr_store_reserve(codes, NULL, 0));
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t at = codes->begin[i];
        memcpy(codes->column + at, room->column + i * most, room->held[i] * sizeof(uint32_t));
        memcpy(codes->value + at, room->value + i * most, room->held[i] * sizeof(float));
    }
    return PSDVEC_OK;
}

psdvec_status pv_codes_find(psdvec_context *ctx, const pv_atoms *atoms, const pv_code_rules *rules,
                            const float *const *x, const float *scale, uint32_t rows,
                            pv_code_room *room, pv_csr_store *codes)
{
    size_t stride = atoms->stride, most = atoms->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t count = 0;
        if (codes->rows > 0) {
            uint64_t from = codes->begin[i];
            count = (uint32_t)(codes->begin[i + 1] - from);
            memcpy(room->column + i * most, codes->column + from, count * sizeof(uint32_t));
            memcpy(room->value + i * most, codes->value + from, count * sizeof(float));
        }
        room->held[i] = count;
        room->length[i] = residual(atoms, x[i], scale[i], room->column + i * most,
                                   room->value + i * most, count, room,
                                   room->residuals + i * stride);
        room->done[i] = false;
    }
    for (uint32_t round = 0; round < rules->rounds; round++) {
        PV_TRY(pv_check_cancel(ctx));
        uint32_t left = multiply_open(atoms, rows, room);
        if (left == 0)
            break;
        for (uint32_t k = 0; k < left; k++)
            word_round(atoms, rules, room->open[k], room->products + (size_t)k * most, room);
    }
    return keep(ctx, room, rows, most, codes);
}

pv_code_figures pv_codes_measure(const pv_atoms *atoms, const float *const *x, const float *scale,
                                 const pv_csr_store *codes, pv_code_room *room)
{
    pv_code_figures sums = {0};
    const pv_csr view = pv_csr_view(codes);
    for (uint32_t i = 0; i < codes->rows; i++) {
        pv_csr_row row = pv_csr_row_of(&view, i);
        float *r = room->residuals;
        residual(atoms, x[i], scale[i], row.column, row.value, row.count, room, r);
        for (uint32_t k = 0; k < atoms->dim; k++)
            sums.error += (double)r[k] * (double)r[k];
        for (size_t t = 0; t < row.count; t++) {
            double a = (double)row.value[t];
            sums.length += fabs(a);
            sums.squares += a * a * (double)atoms->square[row.column[t]];
        }
    }
    return sums;
}
