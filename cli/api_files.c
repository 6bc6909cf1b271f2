/* The topics and test sets that psdvec explore serves, and the identity of all files. */
#include "api.h"
#include "cell.h"
#include "eval.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "topics.h"
#include "util/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Identity ------------------------------------------------------------------------------ */

uint64_t api_hash(uint64_t seed, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t value = seed ? seed : 0xcbf29ce484222325u;
    for (size_t k = 0; k < length; k++)
        value = (value ^ at[k]) * 0x100000001b3u;
    return value;
}

uint64_t api_hash_text(uint64_t seed, const char *text)
{
    return api_hash(seed, text, strlen(text) + 1);
}

int api_identify(struct api *api, const char *path)
{
    uint64_t checksum;
    psdvec_status status = psdvec_file_checksum(api->run->ctx, path, &checksum);
    if (status != PSDVEC_OK)
        return run_failed(api->run, status);
    api->identity = api_hash(api->identity, &checksum, sizeof checksum);
    return EXIT_FINE;
}

/* ---- Files --------------------------------------------------------------------------------- */

size_t api_file_count(const struct arguments *arguments)
{
    return arguments->operand_count + argument(arguments, "counts")->text_count +
           argument(arguments, "topics")->text_count;
}

/* The short and distinct names of files; lasting. */
static const char **names_of(const struct option_value *files)
{
    const char **names = lasting_alloc(files->text_count, sizeof *names);
    for (size_t k = 0; k < files->text_count; k++) {
        names[k] = name_of_file(files->texts[k]);
        if (*names[k] == '-') /* commands would take it for an option */
            names[k] = phrase("_%s", names[k]);
    }
    names_differ(names, files->texts, files->text_count);
    return names;
}

int api_open_topics(struct api *api)
{
    const struct option_value *files = argument(api->run->arguments, "topics");
    const char **names = names_of(files);
    api->topics = lasting_alloc(files->text_count, sizeof *api->topics);
    for (size_t k = 0; k < files->text_count; k++) {
        struct api_topics *topics = &api->topics[k];
        int code = topics_open(api->run, files->texts[k], &topics->topics);
        if (!code)
            code = api_identify(api, files->texts[k]);
        if (code)
            return code;
        topics->name = names[k];
        api->topics_count++;
        api->identity = api_hash_text(api->identity, names[k]);
        api->open[api->open_count++] =
            (struct open_file){.name = names[k], .topics = topics->topics};
    }
    return EXIT_FINE;
}

/* The content of a folder has no checksum: then every start has another identity. */
static int identify_set(struct api *api, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        return api_identify(api, path);
    double now = pv_now();
    api->identity = api_hash(api->identity, &now, sizeof now);
    return EXIT_FINE;
}

/* Sets are read once, so that they are the same for all requests. */
int api_open_sets(struct api *api)
{
    const struct option_value *files = argument(api->run->arguments, "set");
    struct eval eval = {.run = api->run};
    int code = eval_open_sets(&eval, files->texts, files->text_count, 0, true);
    size_t count = eval.set_files.count;
    lasting(eval.sets, free);
    lasting(eval.set_files.names, free);
    lasting(eval.set_files.paths, free);
    for (size_t k = 0; k < files->text_count && !code; k++)
        code = identify_set(api, files->texts[k]);
    if (!code) {
        api->set_names = eval.set_files.names;
        api->set_count = count;
        /* A folder has several sets. */
        struct open_file *open = lasting_alloc(api->open_count + count, sizeof *open);
        memcpy(open, api->open, api->open_count * sizeof *open);
        api->open = open;
    }
    for (size_t k = 0; k < count && !code; k++) {
        api->own_set_count += !psdvec_test_get_info(eval.sets[k])->builtin;
        api->identity = api_hash_text(api->identity, api->set_names[k]);
        api->open[api->open_count++] =
            (struct open_file){.name = api->set_names[k], .sets = &eval.sets[k], .set_count = 1};
    }
    return code;
}
