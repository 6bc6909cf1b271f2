/* Fuzzes the saved states of interrupted runs. The input is a state: the core or a block of
 * training, the epoch of a baseline, the codes of sparse vectors, or topics, told apart by its
 * tensors. The run that finds it either continues or starts over; it ends with a model or topics
 * that pass verification, or with an error message. */
#include "fuzz/small_model.h"
#include "support/tensor_mutator.h"

#include <sys/stat.h>

TENSOR_MUTATOR

enum { DOCUMENTS = 40 };
enum { CORE, BLOCK, EPOCH, CODES, TOPICS, CLASSES, TRIALS, STATES };

static const char *const names[STATES] = {"core",   "block-000001", "epoch", "codes",
                                          "topics", "classes",      "trials"};
static psdvec_context *ctx;
static fuzz_file counts, vectors, documents;
static psdvec_model *model;
static char output[64], folder[80], key_path[96], lock_path[96];
static char *keys[STATES];
static uint64_t before;     /* memory of the model */
static const char *awaited; /* a run is interrupted as soon as this file exists */

static bool should_cancel(void *user)
{
    (void)user;
    return awaited && access(awaited, F_OK) == 0;
}

static void state_path(int state, char path[128])
{
    snprintf(path, 128, "%s/%s.safetensors", folder, names[state]);
}

static psdvec_status learn_topics(int state)
{
    const char *inputs[] = {documents.path};
    psdvec_topic_options options;
    psdvec_text_options text;
    psdvec_topic_options_default(&options);
    psdvec_text_options_default(&text);
    text.columns = "label,text";
    options.topics = state == TRIALS ? 0 : 2;
    options.by = state == CLASSES ? PSDVEC_TOPIC_BY_LABEL : PSDVEC_TOPIC_BY_NONE;
    options.iterations = 3;
    options.min_documents = 1;
    return psdvec_topics_learn(ctx, &options, model, &text, inputs, 1, output, NULL);
}

static psdvec_status run(int state)
{
    if (state >= TOPICS)
        return learn_topics(state);
    if (state == CORE || state == BLOCK) {
        psdvec_train_options options;
        psdvec_train_options_default(&options);
        options.dim = 2;
        options.iterations = 3;
        options.core = state == BLOCK ? 4 : 0;
        options.rank_extra = 1;
        return psdvec_train(ctx, &options, counts.path, output, NULL);
    }
    psdvec_baseline_options options;
    psdvec_baseline_options_default(
        &options, state == CODES ? PSDVEC_METHOD_SPARSE : PSDVEC_METHOD_GLOVE, NULL);
    options.dim = 4;
    options.epochs = 3;
    return psdvec_baseline(ctx, &options, state == CODES ? vectors.path : counts.path, output,
                           NULL);
}

static char *read_all(const char *path, size_t *length)
{
    char bytes[1 << 15];
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    *length = fread(bytes, 1, sizeof bytes, file);
    require(fclose(file) == 0 && *length < sizeof bytes);
    return fuzz_text(bytes, *length);
}

static void write_all(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && (size == 0 || fwrite(data, 1, size, file) == size) && fclose(file) == 0);
}

static void clean(void)
{
    char path[128];
    for (int state = 0; state < STATES; state++) {
        state_path(state, path);
        unlink(path);
    }
    unlink(key_path);
    unlink(lock_path);
    rmdir(folder);
    unlink(output);
}

/* Interrupts each run once, to learn the key by which it knows its states. With PSDVEC_FUZZ_STATES
 * in the environment, the states are stored there as seeds. */
static void learn_key(int state)
{
    char path[128], seed[256];
    size_t length;
    const char *seeds = getenv("PSDVEC_FUZZ_STATES");
    state_path(state, path);
    awaited = path;
    (void)run(state);
    awaited = NULL;
    keys[state] = read_all(key_path, &length);
    if (seeds) {
        char *bytes = read_all(path, &length);
        snprintf(seed, sizeof seed, "%s/%s", seeds, names[state]);
        write_all(seed, bytes, length);
        free(bytes);
    }
    clean();
}

/* Documents with labels, and a model that knows their words. */
static void make_documents(void)
{
    static const char *const words[] = {"the", "of", "and", "to", "new_york"};
    static fuzz_file file;
    char bytes[1 << 14], text[1 << 12] = "";
    size_t length = 0;
    fuzz_file_set(&file, bytes, small_model(ctx, SMALL_FULL, PSDVEC_FLOAT32, bytes, sizeof bytes));
    require(psdvec_model_open(ctx, file.path, &model) == PSDVEC_OK);
    for (int k = 0; k < DOCUMENTS; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%c\t%s %s %s\n",
                                   "ab"[k % 2], words[k % 2], words[k % 5], words[k / 2 % 5]);
    fuzz_file_set(&documents, text, length);
}

static void set_up(void)
{
    static const char text[] = "the cat sat on the mat\nthe dog sat on the cat\na dog and a cat\n"
                               "the mat and a dog sat\n";
    static const char words[] = "a 1 0 2\nb 0 1 1\nc 1 1 0\nd 2 0 1\ne 1 2 3\nf 1 2 2\n";
    static fuzz_file input;
    psdvec_context_options own;
    psdvec_count_options options;
    size_t length;
    psdvec_context_options_default(&own);
    own.threads = 1;
    own.memory = 64 << 20;
    own.should_cancel = should_cancel;
    require(psdvec_context_new(&own, &ctx) == PSDVEC_OK);
    fuzz_output_path(output);
    snprintf(folder, sizeof folder, "%s.partial", output);
    snprintf(key_path, sizeof key_path, "%s/key", folder);
    snprintf(lock_path, sizeof lock_path, "%s/lock", folder);
    fuzz_file_set(&input, text, sizeof text - 1);
    fuzz_file_set(&vectors, words, sizeof words - 1);
    psdvec_count_options_default(&options);
    options.min_count = 1;
    const char *inputs[] = {input.path};
    require(psdvec_count(ctx, &options, inputs, 1, output, NULL) == PSDVEC_OK);
    char *bytes = read_all(output, &length);
    fuzz_file_set(&counts, bytes, length);
    free(bytes);
    unlink(output);
    make_documents();
    for (int state = 0; state < STATES; state++)
        learn_key(state);
    before = atomic_load(&ctx->memory_used);
}

static bool contains(const uint8_t *data, size_t size, const char *word)
{
    return memmem(data, size, word, strlen(word)) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[128];
    if (!ctx)
        set_up();
    int state = contains(data, size, "logits")          ? TOPICS
                : contains(data, size, "probabilities") ? CLASSES
                : contains(data, size, "bounds")        ? TRIALS
                : contains(data, size, "history")       ? CORE
                : contains(data, size, "atoms")         ? CODES
                : contains(data, size, "figures")       ? EPOCH
                                                        : BLOCK;
    require(mkdir(folder, 0700) == 0);
    write_all(key_path, keys[state], strlen(keys[state]));
    state_path(state, path);
    write_all(path, data, size);
    psdvec_status status = run(state);
    if (status == PSDVEC_OK && state >= TOPICS) {
        psdvec_topics *topics;
        require(psdvec_topics_open(ctx, output, &topics) == PSDVEC_OK);
        require(psdvec_topics_verify(ctx, topics) == PSDVEC_OK);
        psdvec_topics_close(topics);
    } else if (status == PSDVEC_OK) {
        psdvec_model *made;
        require(psdvec_model_open(ctx, output, &made) == PSDVEC_OK);
        require(psdvec_model_verify(ctx, made) == PSDVEC_OK);
        psdvec_model_close(made);
    } else {
        require(psdvec_error_message(ctx)[0] != '\0' && status != PSDVEC_ERR_INTERNAL);
    }
    require(atomic_load(&ctx->memory_used) == before);
    clean();
    return 0;
}
