/* Cores and memory, the limits of containers respected. */
#include "base/machine.h"

#include "base/platform.h"

#include <inttypes.h>
#include <stdio.h>

int pv_usable_cores(void)
{
    return pv_platform_cores();
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
    uint64_t memory = pv_platform_memory();
    if (memory == 0)
        memory = UINT64_C(2) << 30;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        uint64_t limit = read_limit(limits[i]);
        if (limit > 0 && limit < memory)
            memory = limit;
    }
    return memory;
}
