/* Learning the topics of each class. */
#include "topic/by_class.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_TOPICS = 10000, AUTO_TOPICS = 10 };

typedef struct task {
    pv_topics_by_class *by;
    pv_topic_em *em;
    const psdvec_topic_options *options;
    const pv_topic_space *space;
    const pv_documents *documents;
    const uint32_t *vocabulary;
    const char *folder;
    pv_partial *partial;
    uint32_t *topics; /* classes: without the null topic */
} task;

/* Copies `count` columns of a matrix. */
static void copy_topics(float *to, size_t to_stride, const float *from, size_t from_stride,
                        size_t rows, size_t count)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(to + r * to_stride, from + r * from_stride, count * sizeof *to);
}

/* Puts topics behind the *first, which it raises. The null topic comes from the first class alone. */
static void add_topics(const task *t, const pv_topic_em *part, uint32_t class, uint32_t *first)
{
    const pv_topic_fit *from = &part->fit;
    pv_topic_fit *to = &t->em->fit;
    uint32_t fixed = t->options->null_topic, skipped = *first ? fixed : 0;
    uint32_t count = from->topics - skipped, words = t->space->words;
    copy_topics(to->beta + *first, to->stride, from->beta + skipped, from->stride, words, count);
    copy_topics(to->vectors + *first, to->stride, from->vectors + skipped, from->stride,
                t->space->dim, count);
    if (to->residuals)
        copy_topics(to->residuals + *first, to->stride, from->residuals + skipped, from->stride,
                    words, count);
    for (uint32_t k = skipped; k < from->topics; k++)
        t->by->topic_class[*first + k - skipped] = k < fixed ? PV_NO_CLASS : class;
    *first += count;
}

static psdvec_status learn_class(const task *t, uint32_t class, uint32_t *first)
{
    psdvec_context *ctx = t->documents->ctx;
    psdvec_topic_options options = *t->options;
    const char *label = pv_classes_label(&t->by->classes, class);
    pv_documents documents = {0};
    pv_topic_em part = {.ctx = ctx};
    psdvec_status status;
    options.topics = t->topics[class] + options.null_topic;
    PV_TRY_DONE(pv_classes_pick(&t->by->classes, t->documents, class, t->folder, &documents));
    pv_note(ctx, "%s: documents %zu, topics %u", label, documents.count, (unsigned)options.topics);
    PV_TRY_DONE(
        pv_topic_em_init(&part, &options, t->space, &documents, t->vocabulary, t->folder, NULL));
    PV_TRY_DONE(pv_topic_em_run(&part, "learning topics"));
    add_topics(t, &part, class, first);
    t->em->merged += part.merged;
    status = PSDVEC_OK;
done:
    pv_topic_em_free(&part);
    pv_documents_free(&documents);
    return status;
}

/* ---- Saved states ---------------------------------------------------------------------------- */

#define STATE "classes"

/* The topics of the classes before `next`. */
static psdvec_status save(const task *t, uint32_t next, uint32_t topics)
{
    const pv_topic_fit *f = &t->em->fit;
    uint32_t counts[] = {next, topics, t->em->merged};
    const pv_tensor tensors[] = {
        pv_tensor_of("counts", PV_DTYPE_U32, 3, 0, counts),
        pv_tensor_of("classes", PV_DTYPE_U32, topics, 0, t->by->topic_class),
        pv_tensor_of("vectors", PV_DTYPE_F32, t->space->dim, f->stride, f->vectors),
        pv_tensor_of("probabilities", PV_DTYPE_F32, t->space->words, f->stride, f->beta),
        pv_tensor_of("residuals", PV_DTYPE_F32, t->space->words, f->stride, f->residuals)};
    size_t count = sizeof tensors / sizeof *tensors - (f->residuals ? 0 : 1);
    return pv_partial_save(t->partial, STATE, tensors, count);
}

static psdvec_status take_state(const task *t, const pv_st_file *file, uint32_t *next,
                                uint32_t *topics)
{
    psdvec_context *ctx = t->documents->ctx;
    pv_topic_fit *f = &t->em->fit;
    int64_t words = t->space->words, dim = t->space->dim, stride = (int64_t)f->stride;
    const pv_tensor *counts, *classes, *vectors, *beta, *residuals = NULL;
    PV_TRY(pv_state_require(ctx, file, "counts", PV_DTYPE_U32, 3, 0, &counts));
    PV_TRY(pv_state_require(ctx, file, "vectors", PV_DTYPE_F32, dim, stride, &vectors));
    PV_TRY(pv_state_require(ctx, file, "probabilities", PV_DTYPE_F32, words, stride, &beta));
    const uint32_t *figures = counts->data;
    uint64_t most = t->options->null_topic; /* topics of the classes before the next */
    if (figures[0] < 1 || figures[0] > t->by->classes.count)
        return PSDVEC_OK; /* not a state of this run */
    for (uint32_t i = 0; i < figures[0]; i++)
        most += t->topics[i];
    if (figures[1] < 1 || figures[1] > most || figures[2] > f->topics)
        return PSDVEC_OK;
    PV_TRY(pv_state_require(ctx, file, "classes", PV_DTYPE_U32, figures[1], 0, &classes));
    const uint32_t *class = classes->data;
    for (uint32_t k = 0; k < figures[1]; k++)
        if (class[k] >= figures[0] && class[k] != PV_NO_CLASS)
            return PSDVEC_OK;
    if (f->residuals)
        PV_TRY(pv_state_require(ctx, file, "residuals", PV_DTYPE_F32, words, stride, &residuals));
    *next = figures[0];
    *topics = figures[1];
    t->em->merged = figures[2];
    memcpy(t->by->topic_class, classes->data, classes->bytes);
    memcpy(f->vectors, vectors->data, vectors->bytes);
    memcpy(f->beta, beta->data, beta->bytes);
    if (residuals)
        memcpy(f->residuals, residuals->data, residuals->bytes);
    pv_step(ctx, "resuming after %u labels of an interrupted run", (unsigned)*next);
    return PSDVEC_OK;
}

/* Loads the state of an interrupted run, if there is one. */
static psdvec_status load(const task *t, uint32_t *next, uint32_t *topics)
{
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(t->partial, STATE, &file));
    psdvec_status status = file ? take_state(t, file, next, topics) : PSDVEC_OK;
    pv_st_close(file);
    return status;
}

/* ---- All classes ----------------------------------------------------------------------------- */

/* Decides how many topics each class has: not more than documents. */
static psdvec_status plan(const task *t, uint64_t *total)
{
    psdvec_context *ctx = t->documents->ctx;
    const pv_classes *c = &t->by->classes;
    uint32_t most = t->options->topics - t->options->null_topic, poor = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        t->topics[i] = (uint32_t)(c->filled[i] < most ? c->filled[i] : most);
        poor += c->filled[i] < most;
        sum += t->topics[i];
    }
    *total = sum + t->options->null_topic;
    if (sum == 0)
        return pv_fail(
            ctx, PSDVEC_ERR_EMPTY,
            "no document with a label has words that the topics know; give more text, or "
            "lower `min_documents`");
    if (*total > MOST_TOPICS)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "%u labels with %u topics each are %" PRIu64
                       " topics, but %d is the maximum; learn fewer topics for each label",
                       (unsigned)c->count, (unsigned)t->options->topics, *total, MOST_TOPICS);
    if (poor)
        pv_warn(ctx,
                "%u of %u labels have fewer documents with known words than topics (`topics` is "
                "%u); they get one topic per document",
                (unsigned)poor, (unsigned)c->count, (unsigned)t->options->topics);
    return PSDVEC_OK;
}

static psdvec_status learn_classes(const task *t)
{
    psdvec_topic_options options = *t->options;
    pv_topic_em *em = t->em;
    uint32_t count = t->by->classes.count, next = 0, first = 0;
    uint64_t total;
    PV_TRY(plan(t, &total));
    options.topics = (uint32_t)total;
    PV_TRY(
        pv_topic_em_prepare(em, &options, t->space, t->documents, t->vocabulary, t->folder, NULL));
    PV_TAKE(&em->memory, t->by->topic_class, total);
    PV_TRY(pv_scope_status(&em->memory));
    PV_TRY(load(t, &next, &first));
    for (uint32_t i = next; i < count; i++)
        if (t->topics[i] > 0) {
            PV_TRY(learn_class(t, i, &first));
            PV_TRY(save(t, i + 1, first));
        }
    em->words.topics = em->fit.topics = first; /* some may have been merged */
    return pv_topic_em_infer(em);
}

psdvec_status pv_topics_learn_by_class(pv_topics_by_class *by, pv_topic_em *em,
                                       const psdvec_topic_options *options,
                                       const pv_topic_space *space, const pv_documents *documents,
                                       const uint32_t *vocabulary, const char *folder,
                                       pv_partial *partial)
{
    psdvec_context *ctx = documents->ctx;
    pv_scope scope = {.ctx = ctx, .what = "the classes of the documents"};
    task t = {.by = by,
              .em = em,
              .space = space,
              .documents = documents,
              .vocabulary = vocabulary,
              .folder = folder,
              .partial = partial};
    psdvec_status status;
    psdvec_topic_options own = *options;
    if (own.topics == 0) /* auto */
        own.topics = AUTO_TOPICS;
    t.options = &own;
    if (own.null_topic && own.topics == 1)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`topics` is 1, which is the null topic; give at least 2 for `by=label`");
    PV_TRY(pv_classes_make(&by->classes, documents));
    PV_TRY(pv_classes_count(&by->classes, documents, vocabulary));
    PV_TAKE(&scope, t.topics, by->classes.count);
    PV_TRY_DONE(pv_scope_status(&scope));
    status = learn_classes(&t);
done:
    pv_scope_free(&scope);
    return status;
}
