/* Opening a counts file, and finding words in it. */
#include "counts_file.h"

#include "cell.h"
#include "exit_status.h"
#include "suggest.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const counts_formats[] = {[PSDVEC_FORMAT_GLOVE] = "glove",
                                      [PSDVEC_FORMAT_MATRIX_MARKET] = "matrix-market",
                                      [PSDVEC_FORMAT_TOP2GRAMS] = "top2grams",
                                      NULL};

int counts_file_open(struct run *run, const char *path, psdvec_counts **counts)
{
    int code = run->ctx ? EXIT_FINE : run_library(run);
    if (code)
        return code;
    psdvec_status status = psdvec_counts_open(run->ctx, path, counts);
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

#define SUGGESTIONS 3

/* The nearest spellings; among equals the more frequent, which come first in
 * the file. Time: one pass over the vocabulary. */
static size_t near_words(const psdvec_counts *counts, const char *word, uint32_t best[SUGGESTIONS])
{
    size_t length = strlen(word), found = 0;
    size_t limit = edit_limit(length), distances[SUGGESTIONS];
    char *lower = must_copy(word);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    uint32_t words = psdvec_counts_get_info(counts)->words;
    for (uint32_t i = 0; i < words; i++) {
        size_t other_length;
        const char *other = psdvec_counts_word(counts, i, &other_length);
        size_t worst = found < SUGGESTIONS ? limit : distances[SUGGESTIONS - 1] - 1;
        size_t distance = edit_distance(lower, length, other, other_length, worst);
        if (distance > worst || 2 * distance > other_length)
            continue;
        size_t at = found < SUGGESTIONS ? found++ : SUGGESTIONS - 1;
        while (at > 0 && distances[at - 1] > distance) {
            distances[at] = distances[at - 1];
            best[at] = best[at - 1];
            at--;
        }
        distances[at] = distance;
        best[at] = i;
        if (found == SUGGESTIONS && distances[SUGGESTIONS - 1] == 0)
            break;
    }
    free(lower);
    return found;
}

int counts_file_find(struct run *run, const psdvec_counts *counts, const char *word,
                     uint32_t *index)
{
    if (psdvec_counts_find(counts, word, strlen(word), index))
        return EXIT_FINE;
    uint32_t best[SUGGESTIONS];
    size_t found = near_words(counts, word, best);
    struct buffer near = {0};
    for (size_t k = 0; k < found; k++) {
        size_t length;
        const char *other = psdvec_counts_word(counts, best[k], &length);
        buffer_text(&near, k == 0 ? "; did you mean " : k + 1 == found ? " or " : ", ");
        buffer_char(&near, '\'');
        cell_text(&near, other, length);
        buffer_char(&near, '\'');
    }
    int code = run_error(run, EXIT_USE, "the word '%s' is not in the vocabulary%s%s", word,
                         buffer_get(&near), found ? "?" : "");
    buffer_free(&near);
    return code;
}

double *counts_file_keeps(const psdvec_counts *counts)
{
    uint32_t words = psdvec_counts_get_info(counts)->words;
    double *keeps = must_alloc(words, sizeof *keeps);
    bool all_one = true;
    for (uint32_t i = 0; i < words; i++) {
        keeps[i] = psdvec_counts_keep(counts, i);
        all_one &= keeps[i] == 1;
    }
    if (all_one) {
        free(keeps);
        return NULL;
    }
    return keeps;
}
