/* Feeds files to a fuzzer without libFuzzer, so that any compiler can run the committed seeds.
 *
 *     fuzz_NAME [FILE|FOLDER]...
 *
 * Without arguments, the files of tests/fuzz/corpus/fuzz_NAME. Prints TAP; a seed that aborts the
 * program is named on standard error. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Fuzzers with a mutator refer to it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    return size < max_size ? size : max_size;
}

static char current[4096];
static size_t fed;

static void on_abort(int number)
{
    ssize_t wrote = write(STDERR_FILENO, current, strlen(current));
    (void)wrote;
    signal(number, SIG_DFL);
    raise(number);
}

static void feed(const char *path)
{
    snprintf(current, sizeof current, "# aborted by the seed %s\n", path);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size ? size : 1);
    rewind(file);
    if (!data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    fed++;
}

static void feed_all(const char *path)
{
    struct stat status;
    struct dirent **names;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        feed(path);
        return;
    }
    int count = scandir(path, &names, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, names[k]->d_name);
        if (names[k]->d_name[0] != '.')
            feed(inner);
        free(names[k]);
    }
    if (count >= 0)
        free(names);
}

int main(int argc, char **argv)
{
    char folder[4096];
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    /* What a fuzzer prints is not part of the report. */
    FILE *report = fdopen(dup(STDOUT_FILENO), "w");
    int nowhere = open("/dev/null", O_WRONLY);
    if (!report || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        return 1;
    close(nowhere);
    fprintf(report, "1..1\n");
    fflush(report);
    signal(SIGABRT, on_abort);
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name);
    if (argc < 2)
        feed_all(folder);
    for (int k = 1; k < argc; k++)
        feed_all(argv[k]);
    fprintf(report, "%s 1 - %s accepts or rejects %zu seeds\n", fed ? "ok" : "not ok", name, fed);
    return fclose(report) == 0 && fed ? 0 : 1;
}
