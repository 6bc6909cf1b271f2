/* Files without a name, and locks: features of the system beyond POSIX 2008, with fallbacks. As in
 * base/platform.h, make PORTABLE=1 selects the fallbacks. */
#ifndef PV_UTIL_SYSTEM_FILE_H
#define PV_UTIL_SYSTEM_FILE_H

#include <stdbool.h>

/* Opens an unnamed file in the folder for reading and writing; names it later, with a name that
 * must not exist yet. On failure, -1 with errno set: EOPNOTSUPP if the system has no unnamed files
 * or cannot name them later. */
int pv_nameless_open(const char *folder);
int pv_nameless_name(int fd, const char *name);
/* Whether pv_nameless_name can work. */
bool pv_nameless_can_be_named(int fd);

/* Locks the file against other processes and, where the system can, against other descriptors of
 * this process. Returns 0 or an errno value: EWOULDBLOCK if it is locked. */
int pv_file_lock(int fd);
/* Whether locks work between the descriptors of one process. */
bool pv_file_locks_are_per_file(void);

#endif
