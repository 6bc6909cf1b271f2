/* psdvec-mpi: the program on several machines, with MPI.
 *
 *     mpirun -n 16 psdvec-mpi count texts -o counts.safetensors
 *
 * Every process runs the same command line as a member of one group (psdvec/group.h). Process 0
 * reports and logs what happens, and writes the output; the standard output and error of the others
 * are closed.
 *
 * A process that ends with an error before the library works, for example because it cannot read a
 * list of words, tells the others (meet), which then end too. Later failures are agreed on by the
 * library. If a process dies, mpirun ends the others.
 */
#include "cli/program.h"
#include "cli/run.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest part of a message that is sent at once: MPI counts in int. */
enum { MOST_BYTES = 1 << 30, USE_ERROR = 2, RESOURCE_ERROR = 6 };

static int rank, members;
static char machine[MPI_MAX_PROCESSOR_NAME];
static bool met;         /* all processes know that this one has begun */
static FILE *last_words; /* standard error, also of processes whose own is closed */

static size_t parts_of(size_t bytes)
{
    return bytes / MOST_BYTES + (bytes % MOST_BYTES > 0);
}

static int part_bytes(size_t bytes, size_t part)
{
    size_t left = bytes - part * MOST_BYTES;
    return left < MOST_BYTES ? (int)left : MOST_BYTES;
}

/* The exchange under way. */
static struct {
    MPI_Request *requests;
    int *sender; /* of what is received; -1 for what is sent */
    size_t room, used;
} transit;

static int make_transit(size_t count)
{
    if (count > INT_MAX)
        return 1;
    if (count <= transit.room)
        return 0;
    free(transit.requests);
    free(transit.sender);
    transit.requests = malloc(count * sizeof *transit.requests);
    transit.sender = malloc(count * sizeof *transit.sender);
    transit.room = transit.requests && transit.sender ? count : 0;
    return transit.room == 0;
}

static int start(void *self, const void *const *out, const size_t *out_bytes, void *const *in,
                 const size_t *in_bytes)
{
    (void)self;
    size_t count = 0;
    for (int r = 0; r < members; r++)
        count += r == rank ? 0 : parts_of(out_bytes[r]) + parts_of(in_bytes[r]);
    transit.used = 0;
    if (count == 0)
        return 0;
    if (make_transit(count))
        return 1;
    /* Each process begins with its neighbour, so that not all send to the same one. */
    int failed = 0;
    for (int k = 1; k < members; k++) {
        int from = (rank + members - k) % members, to = (rank + k) % members;
        for (size_t p = 0; p < parts_of(in_bytes[from]); p++) {
            transit.sender[transit.used] = from;
            failed |= MPI_Irecv((char *)in[from] + p * MOST_BYTES, part_bytes(in_bytes[from], p),
                                MPI_BYTE, from, 0, MPI_COMM_WORLD,
                                &transit.requests[transit.used++]);
        }
        for (size_t p = 0; p < parts_of(out_bytes[to]); p++) {
            transit.sender[transit.used] = -1;
            failed |= MPI_Isend((const char *)out[to] + p * MOST_BYTES,
                                part_bytes(out_bytes[to], p), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                                &transit.requests[transit.used++]);
        }
    }
    return failed;
}

static int wait_for(void *self, uint32_t from)
{
    (void)self;
    int failed = 0;
    if (from == (uint32_t)rank) {
        failed = MPI_Waitall((int)transit.used, transit.requests, MPI_STATUSES_IGNORE);
        transit.used = 0;
    }
    for (size_t k = 0; k < transit.used; k++)
        if (transit.sender[k] == (int)from)
            failed |= MPI_Wait(&transit.requests[k], MPI_STATUS_IGNORE);
    return failed;
}

static int exchange(void *self, const void *const *out, const size_t *out_bytes, void *const *in,
                    const size_t *in_bytes)
{
    return start(self, out, out_bytes, in, in_bytes) || wait_for(self, (uint32_t)rank);
}

/* Exchanges the exit status so far. Returns that of the first process that failed, or 0. */
static int meet(int code)
{
    met = true;
    int *codes = calloc((size_t)members, sizeof *codes);
    if (!codes) {
        MPI_Abort(MPI_COMM_WORLD, RESOURCE_ERROR);
        return RESOURCE_ERROR;
    }
    MPI_Allgather(&code, 1, MPI_INT, codes, 1, MPI_INT, MPI_COMM_WORLD);
    int first = 0;
    while (first < members - 1 && !codes[first])
        first++;
    int result = codes[first];
    if (result && first == rank && rank > 0)
        fprintf(last_words,
                "psdvec-mpi: process %d of %d on %s ended with exit status %d before the work "
                "began; run the same command there with psdvec to see the message\n",
                rank, members, machine, result);
    free(codes);
    return result;
}

static int join(psdvec_context *ctx)
{
    psdvec_group group = {.size = sizeof group,
                          .rank = (uint32_t)rank,
                          .members = (uint32_t)members,
                          .name = machine,
                          .exchange = exchange,
                          .start = start,
                          .wait = wait_for};
    return meet(psdvec_context_join(ctx, &group) == PSDVEC_OK ? 0 : RESOURCE_ERROR);
}

static void close_standard_streams(void)
{
    int copy = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    last_words = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!last_words)
        last_words = stderr;
}

/* The commands that share their work. The others would do the same work in every process and write
 * the same file at the same time. */
static bool is_shared(const char *word)
{
    static const char *const shared[] = {"count", "train", "extend", "baseline"};
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
        if (!strcmp(word, shared[k]))
            return true;
    return word[0] == '-';
}

int main(int argc, char **argv)
{
    int provided, length, code;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return RESOURCE_ERROR;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &members);
    MPI_Get_processor_name(machine, &length);
    last_words = stderr;
    if (rank > 0)
        close_standard_streams();
    /* The sandbox forbids what MPI does later, such as opening connections. */
    setenv("PSDVEC_SANDBOX", "off", 1); /* NOLINT(concurrency-mt-unsafe): before any thread */
    run_membership.join = join;
    run_membership.follows = rank > 0;
    if (provided < MPI_THREAD_SERIALIZED) {
        fprintf(stderr, "psdvec-mpi: this MPI library does not support threads "
                        "(MPI_THREAD_SERIALIZED)\n");
        code = RESOURCE_ERROR;
    } else if (argc > 1 && !is_shared(argv[1])) {
        fprintf(stderr,
                "psdvec-mpi: '%s' is not divided among processes; only count, train, extend and "
                "baseline are; run '%s' with psdvec\n",
                argv[1], argv[1]);
        code = USE_ERROR;
    } else {
        code = program_run(argc, argv);
    }
    if (!met)
        code = meet(code);
    int worst = code;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
