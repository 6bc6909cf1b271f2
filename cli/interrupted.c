/* Looking at OUTPUT.partial from outside: whether it is there and what it is about. Whether a
 * run can go on from it, the library decides. */
#include "interrupted.h"

#include "phrase.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_state(const char *name)
{
    static const char end[] = ".safetensors";
    size_t length = strlen(name);
    return name[0] != '.' && length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

const char *interrupted_state(const char *output)
{
    const char *folder = phrase("%s.partial", output);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, NULL);
    size_t files = 0;
    uint64_t bytes = 0;
    for (int k = 0; k < count; k++) {
        struct stat status;
        if (is_state(entries[k]->d_name) &&
            lstat(phrase("%s/%s", folder, entries[k]->d_name), &status) == 0 &&
            S_ISREG(status.st_mode)) {
            files++;
            bytes += (uint64_t)status.st_size;
        }
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
    return files ? phrase("%zu file%s (%s) in %s", files, files == 1 ? "" : "s",
                          phrase_bytes((double)bytes), folder)
                 : NULL;
}

/* The library does not go on with text that it cannot know again. */
static bool read_once(const struct arguments *arguments)
{
    for (size_t k = 0; k < arguments->operand_count; k++) {
        struct stat status;
        const char *path = arguments->operands[k];
        if (strcmp(path, "-") == 0 ||
            (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
            return true;
    }
    return false;
}

int interrupted_failed(struct run *run, psdvec_status status)
{
    if (status != PSDVEC_ERR_CANCELLED)
        return run_failed(run, status);
    /* Systems that never count have no --resume. */
    bool resumes = arguments_have(run->arguments, "resume");
    const char *resume = resumes ? argument_text(run->arguments, "resume") : NULL;
    const char *restart = argument_flag(run->arguments, "restart") ? " without --restart" : "";
    const char *state = interrupted_state(argument_text(run->arguments, "output"));
    const char *sentence = "stopped before a part was finished; the same command begins anew";
    if (state && read_once(run->arguments))
        sentence = "stopped; text that does not lie in a file cannot be read again, and the same "
                   "command begins anew";
    else if (state)
        sentence = phrase("stopped; what is done is kept, %s, and the same command%s goes on from "
                          "there",
                          state, restart);
    else if (resume)
        sentence = phrase("stopped; the counts of finished inputs are kept in %s, and the same "
                          "command goes on from there",
                          resume);
    return run_failed_because(run, status, sentence);
}
