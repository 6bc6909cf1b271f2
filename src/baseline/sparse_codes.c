/* A tile of words: products with all atoms, then sweeps over the active atoms. */
#include "baseline/sparse_learn.h"

#include "base/blas.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct pv_code_workspace {
    pv_scope memory;
    const pv_sweep_kernels *kernels;
    float *residuals; /* PV_CODE_TILE x stride */
    float *packed;    /* residuals of the words that are not done, contiguous */
    uint32_t *open;   /* which words these are */
    float *products;  /* PV_CODE_TILE x atoms */
    float *code;      /* atoms: code of the current word; zeros between words */
    uint32_t *listed; /* atoms */
    float *length;    /* PV_CODE_TILE: squared lengths of the vectors */
    bool *done;       /* PV_CODE_TILE */
    /* The current codes of the tile. */
    uint32_t *held;   /* PV_CODE_TILE: number of codes */
    uint32_t *column; /* PV_CODE_TILE x atoms */
    float *value;     /* PV_CODE_TILE x atoms */
};

static size_t padded(uint32_t dim)
{
    return ((size_t)dim + PV_ATOM_PAD - 1) / PV_ATOM_PAD * PV_ATOM_PAD;
}

uint64_t pv_code_workspace_bytes(uint32_t atoms, uint32_t dim)
{
    return (uint64_t)PV_CODE_TILE * (8 * padded(dim) + 12 * (uint64_t)atoms) + 8 * (uint64_t)atoms;
}

psdvec_status pv_code_workspace_make(psdvec_context *ctx, const pv_atoms *atoms,
                                     pv_code_workspace **out)
{
    static const char what[] = "the codes of a few words";
    size_t cells;
    *out = NULL;
    if (!pv_mul(atoms->count, PV_CODE_TILE, &cells) || cells > UINT32_MAX)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "%u atoms are too many", atoms->count);
    PV_TRY(pv_blas_ready(ctx)); /* for multiply_open() */
    pv_code_workspace *space = *out = pv_alloc_zero(ctx, 1, sizeof *space, what);
    if (!space)
        return pv_failure(ctx);
    pv_scope *memory = &space->memory;
    *memory = (pv_scope){.ctx = ctx, .what = what};
    space->kernels = pv_sweep_best();
    PV_TAKE_ZERO(memory, space->residuals, atoms->stride * PV_CODE_TILE);
    PV_TAKE(memory, space->packed, atoms->stride * PV_CODE_TILE);
    PV_TAKE(memory, space->open, PV_CODE_TILE);
    PV_TAKE(memory, space->products, cells);
    PV_TAKE_ZERO(memory, space->code, atoms->count);
    PV_TAKE(memory, space->listed, atoms->count);
    PV_TAKE(memory, space->length, PV_CODE_TILE);
    PV_TAKE(memory, space->done, PV_CODE_TILE);
    PV_TAKE_ZERO(memory, space->held, PV_CODE_TILE);
    PV_TAKE(memory, space->column, cells);
    PV_TAKE(memory, space->value, cells);
    return pv_scope_status(memory);
}

void pv_code_workspace_free(psdvec_context *ctx, pv_code_workspace *space)
{
    if (space)
        pv_scope_free(&space->memory);
    pv_free(ctx, space);
}

/* r = scale x - sum of a_j d_j. Returns the squared length of scale x. */
static float residual(const pv_atoms *atoms, const float *x, float scale, const uint32_t *column,
                      const float *value, size_t count, pv_code_workspace *space, float *r)
{
    float square = 0;
    for (uint32_t k = 0; k < atoms->dim; k++) {
        r[k] = -scale * x[k];
        square += r[k] * r[k];
    }
    space->kernels->add(atoms, column, value, count, r);
    for (uint32_t k = 0; k < atoms->dim; k++)
        r[k] = -r[k];
    return square;
}

/* Sweeps over the nonzero codes and the candidate atoms. Returns whether a code changed or there
 * was a candidate. */
static bool improve(const pv_atoms *atoms, const pv_code_rules *rules, const float *products,
                    float length, float *r, pv_code_workspace *space)
{
    float half = rules->l1 / 2, least = half * (1 + rules->tolerance);
    float *code = space->code;
    size_t count = 0;
    bool wanted = false;
    for (uint32_t j = 0; j < atoms->count; j++) {
        bool wants = products[j] > least || (products[j] < -least && !rules->nonnegative);
        wanted |= wants && code[j] == 0;
        space->listed[count] = j;
        count += wants || code[j] != 0;
    }
    float enough = rules->tolerance * rules->tolerance * length;
    bool moved = false;
    for (uint32_t s = 0; s < rules->sweeps && count > 0; s++) {
        float step = space->kernels->sweep(atoms, space->listed, count, half, rules->ridge,
                                           rules->nonnegative, code, r);
        if (step <= enough)
            break;
        moved = true;
        /* Atoms whose code became 0 wait for the next round. */
        if (s % 4 == 0) {
            size_t kept = 0;
            for (size_t t = 0; t < count; t++) {
                space->listed[kept] = space->listed[t];
                kept += code[space->listed[t]] != 0;
            }
            count = kept;
        }
    }
    return wanted || moved;
}

/* Multiplies the residuals of the words that are not done with all atoms. Returns how many words
 * these are. */
static uint32_t multiply_open(const pv_atoms *atoms, uint32_t rows, pv_code_workspace *space)
{
    size_t stride = atoms->stride;
    uint32_t left = 0;
    for (uint32_t i = 0; i < rows; i++)
        if (!space->done[i]) {
            memcpy(space->packed + left * stride, space->residuals + i * stride,
                   stride * sizeof(float));
            space->open[left++] = i;
        }
    if (left > 0)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)left, (int)atoms->count,
                    (int)stride, 1, space->packed, (int)stride, atoms->rows, (int)stride, 0,
                    space->products, (int)atoms->count);
    return left;
}

/* One round for row i; products: of its residual with all atoms. */
static void word_round(const pv_atoms *atoms, const pv_code_rules *rules, uint32_t i,
                       const float *products, pv_code_workspace *space)
{
    size_t most = atoms->count;
    uint32_t *column = space->column + i * most;
    float *value = space->value + i * most, *code = space->code;
    for (uint32_t t = 0; t < space->held[i]; t++)
        code[column[t]] = value[t];
    space->done[i] = !improve(atoms, rules, products, space->length[i],
                              space->residuals + i * atoms->stride, space);
    uint32_t kept = 0;
    for (uint32_t j = 0; j < most; j++)
        if (code[j] != 0) {
            column[kept] = j;
            value[kept++] = code[j];
            code[j] = 0;
        }
    space->held[i] = kept;
}

/* Stores the resulting codes. */
static psdvec_status keep(psdvec_context *ctx, const pv_code_workspace *space, uint32_t rows,
                          size_t most, pv_csr_store *codes)
{
    pv_csr_store_free(codes);
    PV_TRY(pv_csr_store_open(ctx, rows, (uint32_t)most, "the codes of words", codes));
    for (uint32_t i = 0; i < rows; i++)
        codes->begin[i + 1] = space->held[i];
    PV_TRY(pv_csr_store_reserve(codes, NULL, 0));
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t at = codes->begin[i];
        memcpy(codes->column + at, space->column + i * most, space->held[i] * sizeof(uint32_t));
        memcpy(codes->value + at, space->value + i * most, space->held[i] * sizeof(float));
    }
    return PSDVEC_OK;
}

psdvec_status pv_codes_find(psdvec_context *ctx, const pv_atoms *atoms, const pv_code_rules *rules,
                            const float *const *x, float scale, uint32_t rows,
                            pv_code_workspace *space, pv_csr_store *codes)
{
    size_t stride = atoms->stride, most = atoms->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t count = 0;
        if (codes->rows > 0) {
            uint64_t from = codes->begin[i];
            count = (uint32_t)(codes->begin[i + 1] - from);
            memcpy(space->column + i * most, codes->column + from, count * sizeof(uint32_t));
            memcpy(space->value + i * most, codes->value + from, count * sizeof(float));
        }
        space->held[i] = count;
        space->length[i] = residual(atoms, x[i], scale, space->column + i * most,
                                    space->value + i * most, count, space,
                                    space->residuals + i * stride);
        space->done[i] = false;
    }
    for (uint32_t round = 0; round < rules->rounds; round++) {
        PV_TRY(pv_check_cancel(ctx));
        uint32_t left = multiply_open(atoms, rows, space);
        if (left == 0)
            break;
        for (uint32_t k = 0; k < left; k++)
            word_round(atoms, rules, space->open[k], space->products + (size_t)k * most, space);
    }
    return keep(ctx, space, rows, most, codes);
}

pv_code_figures pv_codes_measure(const pv_atoms *atoms, const float *const *x, float scale,
                                 const pv_csr_store *codes, pv_code_workspace *space)
{
    pv_code_figures sums = {0};
    const pv_csr view = pv_csr_view(codes);
    for (uint32_t i = 0; i < codes->rows; i++) {
        pv_csr_row row = pv_csr_row_of(&view, i);
        float *r = space->residuals;
        residual(atoms, x[i], scale, row.column, row.value, row.count, space, r);
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
