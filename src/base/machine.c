/* Cores and memory, the limits of containers respected. */
#include "base/machine.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int pv_usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* The number in a file of the kernel; UINT64_MAX if there is none ("max"). */
static uint64_t read_limit(const char *path)
{
    uint64_t limit;
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    (void)fclose(file);
    return limit;
}

uint64_t psdvec_machine_memory(void)
{
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = UINT64_C(2) << 30;
    if (pages > 0 && page > 0)
        memory = (uint64_t)pages * (uint64_t)page;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        uint64_t limit = read_limit(limits[i]);
        if (limit > 0 && limit < memory)
            memory = limit;
    }
    return memory;
}
