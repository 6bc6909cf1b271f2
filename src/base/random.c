/* Philox4x32-10. */
#include "base/random.h"

#include <math.h>

void pv_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)UINT32_C(0xD2511F53) * c0;
        uint64_t p1 = (uint64_t)UINT32_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static void draw(uint64_t seed, uint64_t purpose, uint64_t index, uint64_t out[2])
{
    uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)purpose,
                           (uint32_t)(purpose >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    pv_philox4x32(counter, key, words);
    out[0] = (uint64_t)words[1] << 32 | words[0];
    out[1] = (uint64_t)words[3] << 32 | words[2];
}

uint64_t pv_random_u64(uint64_t seed, uint64_t purpose, uint64_t index)
{
    uint64_t out[2];
    draw(seed, purpose, index, out);
    return out[0];
}

static double to_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double pv_random_unit(uint64_t seed, uint64_t purpose, uint64_t index)
{
    return to_unit(pv_random_u64(seed, purpose, index));
}

double pv_random_normal(uint64_t seed, uint64_t purpose, uint64_t index)
{
    uint64_t out[2];
    draw(seed, purpose, index, out);
    double radius = sqrt(-2.0 * log(1.0 - to_unit(out[0]))); /* 1 - u is never 0 */
    return radius * cos(6.283185307179586 * to_unit(out[1]));
}
