/* Measures the reference for training: one product of N x N matrices in single precision by the
 * BLAS that psdvec is linked with, its rows divided among the threads.
 *
 *     sgemm [N [REPEAT [THREADS...]]]      4096, 3, and 1 thread and all
 *
 * Prints threads, N, seconds (best), Gflop/s, and then the seconds of all repeats.
 */
#include "limits.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 100 };

static int measure(size_t side, int rounds, int threads)
{
    double seconds[MOST_ROUNDS], best = 1e30;
    psdvec_status status = limit_sgemm(side, threads, rounds, seconds);
    if (status != PSDVEC_OK) {
        fprintf(stderr, "sgemm: %s\n", psdvec_status_name(status));
        return 1;
    }
    for (int round = 0; round < rounds; round++)
        best = seconds[round] < best ? seconds[round] : best;
    double size = (double)side;
    printf("%d\t%zu\t%.4f\t%.1f", threads, side, best, 2 * size * size * size / best * 1e-9);
    for (int round = 0; round < rounds; round++)
        printf("\t%.4f", seconds[round]);
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 4096, rounds = argc > 2 ? atoi(argv[2]) : 3;
    if (side < 1 || side > 30000 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: sgemm [N [REPEAT [THREADS...]]]\n");
        return 2;
    }
    int status = 0;
    for (int a = 3; a < argc && !status; a++)
        status = measure((size_t)side, rounds, atoi(argv[a]) > 0 ? atoi(argv[a]) : 1);
    if (argc <= 3) {
        status = measure((size_t)side, rounds, 1);
        if (!status && pv_usable_cores() > 1)
            status = measure((size_t)side, rounds, pv_usable_cores());
    }
    return status;
}
