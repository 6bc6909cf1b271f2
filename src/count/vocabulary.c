/* Building the vocabulary from a list of words, or from a text by merging the workers' word tables.
 *
 * Tables are merged one partition (by hash) at a time, so that only one partition of all words,
 * plus the words that pass the threshold, is in memory; partitions are distributed among threads. A
 * word that passes gets the next number, which depends on scheduling; sorting by frequency and
 * bytes then makes the order independent of it.
 *
 * In a group of processes, each merges the words of its own text first, all of them. Every distinct
 * word then has an owner among the members, chosen by its hash, which adds up its frequencies and
 * decides; the words that pass are sent to all members.
 */
#include "count/vocabulary.h"

#include "base/file.h"
#include "base/group.h"
#include "base/sort.h"
#include "base/thread.h"
#include "count/counts_read.h"
#include "util/utf8.h"

#include <inttypes.h>

static const char what[] = "the vocabulary";

void pv_vocabulary_init(pv_vocabulary *v, psdvec_context *ctx)
{
    *v = (pv_vocabulary){.ctx = ctx, .memory = {.ctx = ctx, .what = what}};
}

void pv_vocabulary_free(pv_vocabulary *v)
{
    pv_scope_free(&v->memory);
    pv_vocabulary_init(v, v->ctx);
}

psdvec_status pv_vocabulary_reserve(pv_vocabulary *v, uint32_t words, uint64_t bytes)
{
    v->count = words;
    PV_TAKE(&v->memory, v->bytes, bytes + PV_WORD_INLINE); /* words may be read beyond their end */
    PV_TAKE_ZERO(&v->memory, v->offsets, (size_t)words + 1);
    PV_TAKE_ZERO(&v->memory, v->frequency, words);
    return pv_scope_status(&v->memory);
}

psdvec_status pv_vocabulary_set(pv_vocabulary *v, const pv_word_table *words, const uint32_t *order)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < words->count; i++)
        bytes += words->words[i].length;
    PV_TRY(pv_vocabulary_reserve(v, words->count, bytes));
    v->fixed = true;
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t id = order ? order[i] : i;
        memcpy(v->bytes + v->offsets[i], pv_word_text(words, id), words->words[id].length);
        v->offsets[i + 1] = v->offsets[i] + words->words[id].length;
    }
    return PSDVEC_OK;
}

/* ---- Words from a file ------------------------------------------------------------ */

static psdvec_status from_counts(psdvec_context *ctx, const char *path, pv_word_table *words)
{
    psdvec_counts *counts;
    PV_TRY(pv_counts_open(ctx, path, &counts));
    psdvec_status status = PSDVEC_OK;
    for (uint32_t i = 0; i < counts->info.words && status == PSDVEC_OK; i++) {
        size_t length;
        uint32_t id;
        const char *word = psdvec_counts_word(counts, i, &length);
        status = pv_word_table_put(words, word, length, &id);
        if (status == PSDVEC_OK)
            words->words[id].value = counts->frequency[i];
    }
    psdvec_counts_close(counts);
    return status;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The number of words in the first line of top1grams (format_top2grams.c), "# N words"; 0: it is
 * not that list. In any other list this line would be rejected. */
static uint64_t announced_words(const char *line, const char *end)
{
    static const char head[] = "# ", tail[] = " words";
    uint64_t number = 0;
    const char *p = line;
    if ((size_t)(end - p) < sizeof head || memcmp(p, head, sizeof head - 1) != 0)
        return 0;
    for (p += sizeof head - 1; p < end && *p >= '0' && *p <= '9' && number < UINT32_MAX; p++)
        number = 10 * number + (uint64_t)(*p - '0');
    return (size_t)(end - p) >= sizeof tail - 1 && memcmp(p, tail, sizeof tail - 1) == 0 ? number
                                                                                         : 0;
}

/* Returns the end of the used part of a top1grams line, before the logarithm. A word may begin with
 * '#', so only lines that begin with "# " are comments, and are treated as empty. */
static const char *end_of_gram(const char *line, const char *end)
{
    if (end - line >= 2 && line[0] == '#' && line[1] == ' ')
        return line;
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    const char *second = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
    return second ? second : end;
}

/* Adds one line: a word, optionally followed by its frequency. In top1grams a word may contain
 * spaces. */
static psdvec_status add_line(pv_vocabulary *v, const char *path, uint64_t number, const char *line,
                              const char *end, bool grams, pv_word_table *words)
{
    if (grams)
        end = end_of_gram(line, end);
    while (line < end && is_space(*line))
        line++;
    while (end > line && is_space(end[-1]))
        end--;
    if (line == end)
        return PSDVEC_OK;
    const char *word_end = line;
    while (word_end < end && (grams ? *word_end != '\t' : !is_space(*word_end)))
        word_end++;
    const char *digits = word_end;
    while (digits < end && is_space(*digits))
        digits++;
    uint64_t frequency = 0;
    size_t length = (size_t)(word_end - line);
    const char *wrong = NULL;
    for (const char *p = digits; p < end; p++)
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(frequency, 10, &frequency) ||
            __builtin_add_overflow(frequency, (uint64_t)(*p - '0'), &frequency))
            wrong = "expected a word, or a word and its frequency";
    if (!wrong && pv_utf8_valid(line, length) < length)
        wrong = "not valid UTF-8";
    if (!wrong && length > UINT32_MAX / 2)
        wrong = "the word is too long";
    if (wrong)
        return pv_fail(v->ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": %s", path, number, wrong);
    uint32_t id, before = words->count;
    PV_TRY(pv_word_table_put(words, line, length, &id));
    if (id < before)
        return pv_fail(v->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: line %" PRIu64 ": the word \"%.*s\" is in the list twice; remove one "
                       "of them",
                       path, number, (int)(length > 60 ? 60 : length), line);
    words->words[id].value = frequency;
    if (digits == end && !v->line_without)
        v->line_without = number;
    return PSDVEC_OK;
}

static psdvec_status from_text(pv_vocabulary *v, const char *path, pv_word_table *words)
{
    pv_map map;
    PV_TRY(pv_map_open(v->ctx, path, false, &map));
    const char *line = map.size ? (const char *)map.data : "", *end = line + map.size;
    if (map.size >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
        line += 3;
    psdvec_status status = PSDVEC_OK;
    uint64_t announced = announced_words(line, end);
    for (uint64_t number = 1; line < end && status == PSDVEC_OK; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        status = add_line(v, path, number, line, line_end, announced > 0, words);
        line = line_end + 1;
    }
    pv_map_close(v->ctx, &map);
    if (status == PSDVEC_OK && announced && words->count != announced)
        return pv_fail(v->ctx, PSDVEC_ERR_DAMAGED,
                       "%s: has %" PRIu32 " words, but its first line declares %" PRIu64 "; the "
                       "file is damaged or truncated",
                       path, words->count, announced);
    return status;
}

psdvec_status pv_vocabulary_read(pv_vocabulary *v, const char *path)
{
    pv_word_table words;
    psdvec_status status;
    PV_TRY_DONE(pv_word_table_init(&words, v->ctx, 1000));
    PV_TRY_DONE(pv_counts_looks_like(path) ? from_counts(v->ctx, path, &words)
                                           : from_text(v, path, &words));
    PV_TRY_DONE(words.count ? pv_vocabulary_set(v, &words, NULL)
                            : pv_fail(v->ctx, PSDVEC_ERR_EMPTY, "%s: the list has no words", path));
    if (!v->line_without) {
        PV_TAKE(&v->memory, v->list_frequency, v->count);
        PV_TRY_DONE(pv_scope_status(&v->memory));
        for (uint32_t i = 0; i < v->count; i++)
            v->list_frequency[i] = words.words[i].value;
    }
done:
    pv_word_table_free(&words);
    return status;
}

/* ---- Words of the text ------------------------------------------------------------ */

/* A word that passed the threshold. */
typedef struct survivor {
    uint64_t frequency;
    uint64_t offset; /* of its bytes in `bytes` */
    uint32_t length;
    uint32_t number; /* in order of passing */
    bool kept;       /* whatever its frequency */
} survivor;

typedef struct merge_job {
    psdvec_context *ctx;
    pv_vocabulary *vocabulary;
    pv_token_store *store;
    uint64_t min_count;
    const pv_word_table *fixed; /* value: final id; NULL without a list */
    pv_word_table *kept_words;
    uint32_t **order;                   /* per generation in memory */
    size_t (*start)[PV_PARTITIONS + 1]; /* likewise */
    pthread_mutex_t lock;               /* guards what follows while partitions are merged */
    pv_scope memory;
    survivor *survivors;
    size_t count, capacity;
    pv_buffer bytes;
    uint32_t *rank; /* survivor's number -> final id */
    uint64_t distinct;
} merge_job;

/* A word of one generation and its entry in the partition. */
typedef struct member {
    uint32_t generation, id, entry;
} member;

typedef struct partition {
    pv_word_table words;
    pv_scope memory;
    member *members;
    size_t count, capacity;
} partition;

static psdvec_status add_member(partition *part, uint32_t generation, uint32_t id,
                                const pv_word_key *key, uint64_t value)
{
    uint32_t entry;
    PV_TRY(pv_word_table_find_or_add(&part->words, key, &entry));
    part->words.words[entry].value += value;
    PV_TRY(PV_RESERVE(&part->memory, part->members, part->capacity, part->count + 1));
    part->members[part->count++] = (member){.generation = generation, .id = id, .entry = entry};
    return PSDVEC_OK;
}

static psdvec_status add_spooled(merge_job *job, partition *part, size_t p, uint32_t number)
{
    pv_generation *generation = job->store->generations[number];
    pv_buffer bytes = {.ctx = job->ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_buffer_reserve(&bytes, generation->part_length[p]));
    PV_TRY_DONE(pv_spool_read(job->store->words, generation->part_offset[p], bytes.data,
                              generation->part_length[p]));
    for (size_t at = 0; at < generation->part_length[p];) {
        pv_spooled_word head;
        memcpy(&head, bytes.data + at, sizeof head);
        at += sizeof head;
        pv_word_key key = pv_word_key_padded(bytes.data + at, head.length);
        at += ((size_t)head.length + 7) / 8 * 8;
        PV_TRY_DONE(add_member(part, number, head.id, &key, head.value));
    }
done:
    pv_buffer_free(&bytes);
    return status;
}

static psdvec_status gather(merge_job *job, partition *part, size_t p)
{
    for (uint32_t g = 0; g < job->store->generation_count; g++) {
        pv_generation *generation = job->store->generations[g];
        if (generation->spooled) {
            PV_TRY(add_spooled(job, part, p, g));
            continue;
        }
        const pv_word_table *table = &generation->table;
        for (size_t i = job->start[g][p]; i < job->start[g][p + 1]; i++) {
            uint32_t id = job->order[g][i];
            pv_word_key key = pv_word_key_padded(pv_word_text(table, id), table->words[id].length);
            PV_TRY(add_member(part, g, id, &key, table->words[id].value));
        }
    }
    return PSDVEC_OK;
}

static psdvec_status add_survivor(merge_job *job, const char *text, const pv_word *word, bool kept,
                                  uint32_t *number)
{
    PV_TRY(PV_RESERVE(&job->memory, job->survivors, job->capacity, job->count + 1));
    if (job->count >= PV_UNKNOWN_WORD - 2)
        return pv_fail(job->ctx, PSDVEC_ERR_OVERFLOW, "the vocabulary exceeds 4 billion words");
    *number = (uint32_t)job->count;
    job->survivors[job->count++] = (survivor){.frequency = word->value,
                                              .offset = job->bytes.length,
                                              .length = word->length,
                                              .number = *number,
                                              .kept = kept};
    return pv_buffer_append(&job->bytes, text, word->length);
}

/* Decides which words pass. The value of each becomes its number, or PV_UNKNOWN_WORD. */
static psdvec_status decide(merge_job *job, pv_word_table *words)
{
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&job->lock);
    bool shared = pv_group_shares(job->ctx);
    for (uint32_t entry = 0; entry < words->count && status == PSDVEC_OK; entry++) {
        pv_word *word = &words->words[entry];
        const char *text = pv_word_text(words, entry);
        pv_word_key key = pv_word_key_padded(text, word->length);
        uint32_t number = PV_UNKNOWN_WORD, found;
        job->distinct += word->value > 0;
        if (shared && word->value > 0) /* the owner of the word decides */
            status = add_survivor(job, text, word, false, &number);
        if (job->fixed) {
            number = PV_UNKNOWN_WORD;
            if (pv_word_table_find(job->fixed, &key, &found)) {
                number = found;
                job->vocabulary->frequency[number] = word->value;
            }
        } else if (word->value > 0 && !shared) { /* 0: only in documents that were dropped */
            bool kept = job->kept_words && pv_word_table_find(job->kept_words, &key, &found);
            if (kept)
                job->kept_words->words[found].value = 1; /* it occurs in the text */
            if (kept || word->value >= job->min_count)
                status = add_survivor(job, text, word, kept, &number);
        }
        word->value = number;
    }
    pthread_mutex_unlock(&job->lock);
    return status;
}

static psdvec_status merge_partition(void *opaque, size_t p, int worker)
{
    (void)worker;
    merge_job *job = opaque;
    partition part = {.memory = {.ctx = job->ctx, .what = what}};
    psdvec_status status;
    PV_TRY_DONE(pv_word_table_init(&part.words, job->ctx, 1000));
    PV_TRY_DONE(gather(job, &part, p));
    PV_TRY_DONE(decide(job, &part.words));
    for (size_t i = 0; i < part.count; i++) {
        const member *m = &part.members[i];
        job->store->generations[m->generation]->final[m->id] =
            (uint32_t)part.words.words[m->entry].value;
    }
done:
    pv_word_table_free(&part.words);
    pv_scope_free(&part.memory);
    return status;
}

int pv_compare_words(uint64_t frequency_a, const char *a, size_t length_a, uint64_t frequency_b,
                     const char *b, size_t length_b)
{
    if (frequency_a != frequency_b)
        return frequency_a > frequency_b ? -1 : 1;
    int order = memcmp(a, b, length_a < length_b ? length_a : length_b);
    return order ? order : (length_a > length_b) - (length_a < length_b);
}

static int by_frequency(const void *a, const void *b, void *opaque)
{
    const survivor *x = a, *y = b;
    const char *bytes = opaque;
    return pv_compare_words(x->frequency, bytes + x->offset, x->length, y->frequency,
                            bytes + y->offset, y->length);
}

/* Limits the vocabulary to `most` words: the kept ones, then the most frequent. */
static void apply_limit(merge_job *job, uint32_t most)
{
    if (most == 0 || job->count <= most)
        return;
    size_t kept = 0, used = 0;
    for (size_t i = 0; i < job->count; i++)
        kept += job->survivors[i].kept;
    size_t others = kept < most ? most - kept : 0;
    for (size_t i = 0; i < job->count; i++) {
        survivor *s = &job->survivors[i];
        if (s->kept || others > 0) {
            others -= !s->kept;
            job->survivors[used++] = *s;
        }
    }
    job->count = used;
}

/* Fills the vocabulary and `rank` from the sorted survivors. */
static psdvec_status fill_vocabulary(merge_job *job, size_t passed)
{
    pv_vocabulary *v = job->vocabulary;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->count; i++)
        bytes += job->survivors[i].length;
    PV_TRY(pv_vocabulary_reserve(v, (uint32_t)job->count, bytes));
    for (size_t i = 0; i < passed; i++)
        job->rank[i] = PV_UNKNOWN_WORD;
    for (size_t i = 0; i < job->count; i++) {
        const survivor *s = &job->survivors[i];
        memcpy(v->bytes + v->offsets[i], job->bytes.data + s->offset, s->length);
        v->offsets[i + 1] = v->offsets[i] + s->length;
        v->frequency[i] = s->frequency;
        job->rank[s->number] = (uint32_t)i;
    }
    return PSDVEC_OK;
}

static psdvec_status rank_generation(void *opaque, size_t g, int worker)
{
    (void)worker;
    const merge_job *job = opaque;
    pv_generation *generation = job->store->generations[g];
    for (uint32_t id = 0; id < generation->count; id++)
        if (generation->final[id] != PV_UNKNOWN_WORD)
            generation->final[id] = job->rank[generation->final[id]];
    return PSDVEC_OK;
}

static psdvec_status prepare_generation(void *opaque, size_t g, int worker)
{
    (void)worker;
    merge_job *job = opaque;
    pv_generation *generation = job->store->generations[g];
    generation->final =
        pv_alloc(job->ctx, generation->count, sizeof *generation->final, "the words' numbers");
    if (!generation->final)
        return pv_failure(job->ctx);
    if (generation->spooled)
        return PSDVEC_OK;
    return pv_partition_words(&generation->table, &job->order[g], job->start[g]);
}

/* Where the text of a word of this member of a group is, in `bytes`. */
typedef struct local_word {
    uint64_t offset;
    uint32_t length;
} local_word;

/* ---- Words of a group's text ------------------------------------------------------- */

/* A word in a message between members; its bytes follow. */
typedef struct sent_word {
    uint64_t frequency;
    uint32_t length;
    uint32_t kept;
} sent_word;

static psdvec_status put_word(pv_buffer *to, const char *text, uint32_t length, uint64_t frequency,
                              bool kept)
{
    sent_word head = {.frequency = frequency, .length = length, .kept = kept};
    PV_TRY(pv_buffer_append(to, &head, sizeof head));
    return pv_buffer_append(to, text, length);
}

/* Reads the word at *at and moves to the next one. */
static const char *get_word(const pv_buffer *from, size_t *at, sent_word *head)
{
    memcpy(head, from->data + *at, sizeof *head);
    const char *text = from->data + *at + sizeof *head;
    *at += sizeof *head + head->length;
    return text;
}

/* Sends every word to its owner. */
static psdvec_status send_words(const merge_job *job, pv_buffer *out, pv_buffer *in)
{
    uint32_t members = pv_group_members(job->ctx);
    for (size_t i = 0; i < job->count; i++) {
        const survivor *s = &job->survivors[i];
        const char *text = job->bytes.data + s->offset;
        pv_word_key key = pv_word_key_exact(text, s->length);
        PV_TRY(put_word(&out[key.hash % members], text, s->length, s->frequency, false));
    }
    return pv_group_exchange(job->ctx, out, in);
}

/* Adds up the words that this member owns, and chooses those that pass. */
static psdvec_status judge_words(merge_job *job, const pv_buffer *in, pv_buffer *passed)
{
    psdvec_status status;
    pv_word_table sums;
    uint32_t id, found;
    PV_TRY_DONE(pv_word_table_init(&sums, job->ctx, 1000));
    for (uint32_t r = 0; r < pv_group_members(job->ctx); r++)
        for (size_t at = 0; at < in[r].length;) {
            sent_word head;
            const char *text = get_word(&in[r], &at, &head);
            PV_TRY_DONE(pv_word_table_put(&sums, text, head.length, &id));
            sums.words[id].value += head.frequency;
        }
    job->distinct = sums.count;
    for (id = 0; id < sums.count && !job->fixed; id++) {
        const pv_word *word = &sums.words[id];
        const char *text = pv_word_text(&sums, id);
        pv_word_key key = pv_word_key_padded(text, word->length);
        bool kept = job->kept_words && pv_word_table_find(job->kept_words, &key, &found);
        if (kept || word->value >= job->min_count)
            PV_TRY_DONE(put_word(passed, text, word->length, word->value, kept));
    }
    status = pv_group_add(job->ctx, &job->distinct, 1);
done:
    pv_word_table_free(&sums);
    return status;
}

/* Replaces the survivors, which are all words of this member, by those that passed. Their old
 * texts stay at the beginning of `bytes`. */
static psdvec_status take_passed(merge_job *job, const pv_buffer *in)
{
    uint32_t number, found;
    job->count = 0;
    for (uint32_t r = 0; r < pv_group_members(job->ctx); r++)
        for (size_t at = 0; at < in[r].length;) {
            sent_word head;
            const char *text = get_word(&in[r], &at, &head);
            pv_word word = {.value = head.frequency, .length = head.length};
            PV_TRY(add_survivor(job, text, &word, head.kept, &number));
            pv_word_key key = pv_word_key_exact(text, head.length);
            if (head.kept && pv_word_table_find(job->kept_words, &key, &found))
                job->kept_words->words[found].value = 1;
        }
    return PSDVEC_OK;
}

/* Sets `rank`, from the numbers of local words to final ids. */
static psdvec_status rank_local(merge_job *job, const local_word *local, size_t count)
{
    const pv_vocabulary *v = job->vocabulary;
    psdvec_status status;
    pv_word_table final;
    uint32_t id, found;
    size_t length;
    PV_TRY_DONE(pv_word_table_init(&final, job->ctx, v->count));
    for (uint32_t i = 0; i < v->count; i++) {
        const char *word = pv_vocabulary_word(v, i, &length);
        pv_word_key key = pv_word_key_exact(word, (uint32_t)length);
        PV_TRY_DONE(pv_word_table_add(&final, &key, &id));
    }
    for (size_t i = 0; i < count; i++) {
        pv_word_key key = pv_word_key_exact(job->bytes.data + local[i].offset, local[i].length);
        job->rank[i] = pv_word_table_find(&final, &key, &found) ? found : PV_UNKNOWN_WORD;
    }
done:
    pv_word_table_free(&final);
    return status;
}

/* Orders the survivors, fills the vocabulary and sets the final ids. In a group, the store's ids are
 * those of the words of this member, `local`; otherwise it is NULL. */
static psdvec_status order_survivors(merge_job *job, const psdvec_count_options *options,
                                     const local_word *local, size_t local_count)
{
    size_t passed = job->count, ranks = passed > local_count ? passed : local_count;
    PV_TRY(pv_sort(job->ctx, job->survivors, passed, sizeof *job->survivors, by_frequency,
                   job->bytes.data));
    apply_limit(job, options->max_vocab);
    PV_TAKE(&job->memory, job->rank, ranks);
    PV_TRY(pv_scope_status(&job->memory));
    PV_TRY(fill_vocabulary(job, passed));
    if (local)
        PV_TRY(rank_local(job, local, local_count));
    return pv_parallel_tasks(job->ctx, job->store->generation_count, rank_generation, job);
}

/* The vocabulary of all members, after each has merged its own words. */
static psdvec_status share_words(merge_job *job, const psdvec_count_options *options)
{
    psdvec_context *ctx = job->ctx;
    psdvec_status status;
    size_t local_count = job->count;
    pv_buffer passed = {.ctx = ctx};
    pv_buffer *out = pv_group_buffers(ctx), *in = pv_group_buffers(ctx);
    local_word *local;
    pv_scope scope = {.ctx = ctx, .what = what};
    PV_TAKE(&scope, local, local_count);
    if (!out || !in)
        PV_TRY_DONE(pv_failure(ctx));
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i < local_count; i++)
        local[i] = (local_word){job->survivors[i].offset, job->survivors[i].length};
    PV_TRY_DONE(send_words(job, out, in));
    PV_TRY_DONE(judge_words(job, in, &passed));
    if (job->fixed) {
        status = pv_group_add(ctx, job->vocabulary->frequency, job->vocabulary->count);
        goto done;
    }
    PV_TRY_DONE(pv_group_gather(ctx, passed.data, passed.length, in));
    PV_TRY_DONE(take_passed(job, in));
    status = order_survivors(job, options, local, local_count);
done:
    pv_buffer_free(&passed);
    pv_group_buffers_free(ctx, out);
    pv_group_buffers_free(ctx, in);
    pv_scope_free(&scope);
    return status;
}

static void warn_of_missing_words(psdvec_context *ctx, const pv_word_table *kept_words)
{
    enum { NAMED = 5 };
    uint32_t missing = 0;
    for (uint32_t i = 0; i < kept_words->count; i++)
        if (kept_words->words[i].value == 0 && missing++ < NAMED)
            pv_warn(ctx, "the word \"%.*s\" of `keep` does not occur in the text",
                    (int)kept_words->words[i].length, pv_word_text(kept_words, i));
    if (missing > NAMED)
        pv_warn(ctx, "and %u more words of `keep`", missing - NAMED);
}

psdvec_status pv_vocabulary_build(pv_vocabulary *v, pv_token_store *store,
                                  const psdvec_count_options *options)
{
    psdvec_context *ctx = v->ctx;
    psdvec_status status = PSDVEC_OK;
    pv_word_table fixed = {0}, kept_words = {0};
    uint32_t id;
    merge_job job = {.ctx = ctx,
                     .memory = {.ctx = ctx, .what = what},
                     .vocabulary = v,
                     .store = store,
                     .bytes = {.ctx = ctx},
                     .min_count = options->min_count};
    pthread_mutex_init(&job.lock, NULL);
    size_t generations = store->generation_count;
    PV_TAKE_ZERO(&job.memory, job.order, generations);
    PV_TAKE_ZERO(&job.memory, job.start, generations);
    PV_TRY_DONE(pv_scope_status(&job.memory));
    if (v->fixed) {
        PV_TRY_DONE(pv_word_table_init(&fixed, ctx, v->count));
        for (uint32_t i = 0; i < v->count; i++) {
            size_t length;
            const char *word = pv_vocabulary_word(v, i, &length);
            pv_word_key key = pv_word_key_exact(word, (uint32_t)length);
            PV_TRY_DONE(pv_word_table_add(&fixed, &key, &id));
        }
        job.fixed = &fixed;
    } else if (options->keep_words_count) {
        PV_TRY_DONE(pv_word_table_init(&kept_words, ctx, (uint32_t)options->keep_words_count));
        for (size_t i = 0; i < options->keep_words_count; i++) {
            const char *word = options->keep_words[i];
            PV_TRY_DONE(pv_word_table_put(&kept_words, word, strlen(word), &id));
        }
        job.kept_words = &kept_words;
    }
    PV_TRY_DONE(pv_parallel_tasks(ctx, generations, prepare_generation, &job));
    PV_TRY_DONE(pv_parallel_tasks(ctx, PV_PARTITIONS, merge_partition, &job));
    /* The words themselves are not needed any more, only their numbers. */
    for (size_t g = 0; g < generations; g++)
        pv_word_table_free(&store->generations[g]->table);
    if (pv_group_shares(ctx))
        PV_TRY_DONE(share_words(&job, options));
    else if (!v->fixed)
        PV_TRY_DONE(order_survivors(&job, options, NULL, 0));
    v->distinct = job.distinct;
    if (job.kept_words && pv_group_leads(ctx))
        warn_of_missing_words(ctx, job.kept_words);
    v->known_tokens = 0;
    for (uint32_t i = 0; i < v->count; i++)
        v->known_tokens += v->frequency[i];
done:
    for (size_t g = 0; job.order && g < generations; g++)
        pv_free(ctx, job.order[g]);
    pv_scope_free(&job.memory);
    pv_buffer_free(&job.bytes);
    pv_word_table_free(&fixed);
    pv_word_table_free(&kept_words);
    pthread_mutex_destroy(&job.lock);
    return status;
}
