/* Opening a counts file, and finding words in it. */
#include "counts_file.h"

#include "exit_status.h"
#include "lasting.h"
#include "word_list.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_counts(void *counts)
{
    psdvec_counts_close(counts);
}

int counts_file_open(struct run *run, const char *path, psdvec_counts **counts)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_open(run->ctx, path, counts);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    lasting(*counts, close_counts);
    return EXIT_FINE;
}

int counts_file_open_rows(struct run *run, const char *path, psdvec_counts **counts)
{
    int code = counts_file_open(run, path, counts);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_check_rows(run->ctx, *counts);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

bool counts_file_likely(const char *path)
{
    /* The length of a header below 100 MB, little-endian, and the brace that it starts with. */
    unsigned char first[9];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, first, sizeof first);
    close(fd);
    return got == sizeof first && first[8] == '{' &&
           !(first[4] || first[5] || first[6] || first[7]);
}

static const char *get_word(const void *counts, uint32_t i, size_t *length)
{
    return psdvec_counts_word(counts, i, length);
}

int counts_file_find(struct run *run, const psdvec_counts *counts, const char *word,
                     uint32_t *index)
{
    if (psdvec_counts_find(counts, word, strlen(word), index))
        return EXIT_FINE;
    struct buffer near = {0};
    near_words_ask(&near, word, psdvec_counts_get_info(counts)->words, get_word, counts);
    int code = run_error(run, EXIT_USE, "the word '%s' is not in the vocabulary%s", word,
                         buffer_get(&near));
    buffer_free(&near);
    return code;
}

int counts_file_among(struct run *run, const char **counts)
{
    const struct arguments *arguments = run->arguments;
    *counts = NULL;
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (counts_file_likely(arguments->operands[k]))
            *counts = arguments->operands[k];
    if (*counts && arguments->operand_count > 1)
        return run_use_error(run,
                             "%s is a counts file, and must then be the only input; psdvec counts "
                             "merge adds several up",
                             *counts);
    return EXIT_FINE;
}
