/* The topics and test sets that psdvec explore serves, and the identity of all files. */
#include "api.h"
#include "cell.h"
#include "exit_status.h"
#include "memory.h"
#include "phrase.h"
#include "topics.h"
#include "util/clock.h"

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
    static const char *const options[] = {"counts", "topics", "set"};
    size_t count = arguments->operand_count + psdvec_test_builtin_count();
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        count += argument(arguments, options[k])->text_count;
    return count;
}

/* The short and distinct names of files; lasting. */
static const char **names_of(const struct option_value *files, size_t more)
{
    const char **names = lasting_alloc(files->text_count + more, sizeof *names);
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
    const char **names = names_of(files, 0);
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

static void close_list(void *list)
{
    psdvec_test_list_close(list);
}

static void close_test(void *test)
{
    psdvec_test_close(test);
}

/* Sets are read once, so that they are the same for all requests. The content of a folder is known
 * only by the words in its files, which have no checksum: then every start has another identity. */
static int identify_set(struct api *api, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        return api_identify(api, path);
    double now = pv_now();
    api->identity = api_hash(api->identity, &now, sizeof now);
    return EXIT_FINE;
}

int api_open_sets(struct api *api)
{
    const struct option_value *files = argument(api->run->arguments, "set");
    size_t builtins = psdvec_test_builtin_count();
    psdvec_context *ctx = api->run->ctx;
    api->set_names = names_of(files, builtins);
    for (size_t k = 0; k < files->text_count; k++) {
        psdvec_test_list *list;
        struct open_file *open = &api->open[api->open_count];
        psdvec_status status = psdvec_test_list_open(ctx, files->texts[k], &list);
        if (status != PSDVEC_OK)
            return run_failed(api->run, status);
        lasting(list, close_list);
        int code = identify_set(api, files->texts[k]);
        if (code)
            return code;
        open->name = api->set_names[api->set_count++];
        open->sets = psdvec_test_list_get(list, &open->set_count);
        api->identity = api_hash_text(api->identity, open->name);
        api->open_count++;
    }
    api->own_set_count = api->set_count;
    for (size_t k = 0; k < builtins; k++) {
        psdvec_test *test;
        psdvec_status status = psdvec_test_builtin(ctx, k, &test);
        if (status != PSDVEC_OK)
            return run_failed(api->run, status);
        lasting(test, close_test);
        const psdvec_test **list = lasting_alloc(1, sizeof *list);
        *list = test;
        const char *name = psdvec_test_get_info(test)->name;
        for (size_t other = 0; other < api->own_set_count; other++)
            if (!strcmp(name, api->set_names[other]))
                name = phrase("built-in %s", name);
        api->set_names[api->set_count++] = name;
        api->open[api->open_count++] =
            (struct open_file){.name = name, .sets = list, .set_count = 1};
    }
    return EXIT_FINE;
}
