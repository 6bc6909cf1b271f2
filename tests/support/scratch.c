/* Scratch folders. */
#include "support/scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool truth)
{
    if (!truth)
        abort();
}

char *scratch_new(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = NULL;
    need(asprintf(&folder, "%s/psdvec-test-XXXXXX", base && *base ? base : "/tmp") > 0);
    need(mkdtemp(folder) != NULL);
    return folder;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void scratch_free(char *folder)
{
    if (folder)
        (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

char *scratch_path(const char *folder, const char *name)
{
    char *path = NULL;
    need(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

void scratch_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    need(file != NULL);
    need(length == 0 || fwrite(bytes, 1, length, file) == length);
    need(fclose(file) == 0);
}

char *scratch_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    need(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    need(size >= 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    need(bytes != NULL);
    need(fread(bytes, 1, (size_t)size, file) == (size_t)size);
    bytes[size] = '\0';
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

size_t scratch_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    need(dir != NULL);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}
