/* New files that replace old ones when they are complete, alone or as a set. The library and the
 * program write all their outputs through this.
 *
 * A new file has no name while it is written, so nothing remains of it if the process is killed. On
 * file systems without unnamed files it is called .NAME.psdvec-0, -1 and so on. A file that is to
 * replace another one is called .NAME.psdvec-new between getting its name and being renamed. All of
 * these are locked by their process, so that the next one recognises and removes those of a process
 * that was killed.
 *
 * A set consists of files that belong together, such as numbers and their words. The first is the
 * principal file: it is missing while the others are replaced, so whoever finds it finds the
 * complete old or the complete new set, even after a power failure. All files of the set are
 * complete and synced before the first change. After a kill in the short time during which the
 * principal file is missing, the new one is in .NAME.psdvec-new and the old one in
 * .NAME.psdvec-old; the next process that writes the set replaces both.
 *
 * Symbolic links are followed as open() does with fs.protected_symlinks of Linux: not those that
 * another user made in a folder in which everyone may create files, such as /tmp.
 */
#ifndef PV_UTIL_NEW_FILE_H
#define PV_UTIL_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pv_new_file {
    int fd;       /* for writing; -1: not open */
    char *target; /* the path with links followed */
    char *folder; /* of the target */
    char *name;   /* of the new file; NULL: none yet */
} pv_new_file;

/* Returns 0 or an errno value. *why: NULL, or a description of the error with its remedy, where it
 * is not what the errno value says: the target is a folder, is not a regular file, is a link that
 * is not followed. */
int pv_new_file_open(pv_new_file *file, const char *path, const char **why);

/* Moves the files to their targets. `sync`: so that they survive a power failure. Returns 0 or an
 * errno value; *failed is then the index of the file that could not be written, and the new files
 * have no names any more, so that nothing remains of them even if the process ends. The files remain
 * to be dropped. There may be none. */
int pv_new_files_place(pv_new_file *const *files, size_t count, bool sync, size_t *failed);

/* Closes the file; removes it if it was not moved to its target. */
void pv_new_file_drop(pv_new_file *file);

/* Creates a folder, so that it survives a power failure as the files in it do. Returns 0 or an errno
 * value. */
int pv_new_folder(const char *path);

/* Whether this file is missing because the replacement of its set was interrupted. */
bool pv_new_file_was_interrupted(const char *path);
/* The path of the complete new file in that case. On the heap; NULL if out of memory. */
char *pv_new_file_beside(const char *path);

/* The descriptor that is named by /dev/stdout, /dev/fd/N and links to them; -1: none. Its file
 * cannot be replaced. */
int pv_descriptor_at(const char *path);

/* The folder part of a path, "." if it has none. On the heap; NULL if out of memory. */
char *pv_folder_of(const char *path);

/* The target of a chain of links, which need not exist. On the heap; NULL with errno set if out of
 * memory, if the links form a cycle (ELOOP) or if one of them is not followed (EACCES). */
char *pv_follow_links(const char *path);

#endif
