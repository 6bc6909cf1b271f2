/* The reading pass. */
#include "count/token_store.h"

#include "base/thread.h"
#include "count/shared_text.h"

#include <stdlib.h>

enum { FIRST_WORDS = 20000 };

typedef struct reader_job {
    pv_token_store *store;
    pv_corpus *corpus;
    const pv_inputs *inputs;
    const pv_text_rules *rules;
    uint64_t table_share; /* bytes a worker's table may take */
} reader_job;

typedef struct reader {
    reader_job *job;
    psdvec_context *ctx;
    pv_token_store *store;
    pv_generation *generation; /* owned by this reader while reading */
    uint32_t generation_number;
    pv_word_table *words;
    pv_word_table aliases; /* raw form -> value: id + 1, or 0 if not a word */
    pv_word_form form;
    pv_scope memory;
    uint32_t *ids; /* tokens of the part being read */
    size_t id_count, id_capacity;
    uint16_t *units;
    size_t unit_capacity;
    pv_token_part part;
    pv_input_note seen; /* in this segment */
    pv_pieces pieces;
} reader;

static psdvec_status begin_generation(reader *r)
{
    pv_token_store *store = r->store;
    pthread_mutex_lock(&store->lock);
    PV_TAKE_ZERO(&store->memory, r->generation, 1);
    psdvec_status status = PV_RESERVE(&store->memory, store->generations,
                                      store->generation_capacity, store->generation_count + 1);
    if (status == PSDVEC_OK) {
        r->generation_number = (uint32_t)store->generation_count;
        store->generations[store->generation_count++] = r->generation;
    }
    pthread_mutex_unlock(&store->lock);
    PV_TRY(status);
    r->words = &r->generation->table;
    return pv_word_table_init(r->words, r->ctx, FIRST_WORDS);
}

/* ---- Ending a part: its tokens to the spool ------------------------------ */

static psdvec_status flush_part(reader *r)
{
    PV_TRY(PV_RESERVE(&r->memory, r->units, r->unit_capacity, 2 * r->id_count));
    size_t units = 0;
    for (size_t i = 0; i < r->id_count; i++)
        units += pv_token_encode(r->ids[i], r->units + units);
    r->part.units = (uint32_t)units;
    r->part.tokens = (uint32_t)r->id_count;
    r->part.generation = r->generation_number;
    PV_TRY(pv_spool_append(r->store->tokens, r->units, units * sizeof *r->units, &r->part.offset));
    pv_token_store *store = r->store;
    pthread_mutex_lock(&store->lock);
    psdvec_status status =
        PV_RESERVE(&store->memory, store->parts, store->part_capacity, store->part_count + 1);
    if (status == PSDVEC_OK)
        store->parts[store->part_count++] = r->part;
    pthread_mutex_unlock(&store->lock);
    r->part.before += (uint32_t)r->id_count;
    r->id_count = 0;
    r->part.part++;
    r->part.first_words = false;
    r->part.last = PV_AS_BEFORE;
    return status;
}

/* ---- Ending a generation: its words to the spool --------------------------- */

psdvec_status pv_partition_words(const pv_word_table *table, uint32_t **out,
                                 size_t start[PV_PARTITIONS + 1])
{
    size_t next[PV_PARTITIONS] = {0};
    uint32_t *order = pv_alloc(table->memory.ctx, table->count, sizeof *order, "sorting the words");
    *out = order;
    if (!order)
        return pv_failure(table->memory.ctx);
    for (uint32_t id = 0; id < table->count; id++)
        next[pv_partition_of(pv_word_hash(table, id))]++;
    start[0] = 0;
    for (unsigned p = 0; p < PV_PARTITIONS; p++) {
        start[p + 1] = start[p] + next[p];
        next[p] = start[p];
    }
    for (uint32_t id = 0; id < table->count; id++)
        order[next[pv_partition_of(pv_word_hash(table, id))]++] = id;
    return PSDVEC_OK;
}

static psdvec_status spool_generation(reader *r)
{
    static const char zeros[8];
    pv_generation *generation = r->generation;
    pv_word_table *table = &generation->table;
    uint32_t *order = NULL;
    size_t start[PV_PARTITIONS + 1];
    pv_buffer out = {.ctx = r->ctx};
    psdvec_status status = PSDVEC_OK;
    pv_word_table_free(&r->aliases); /* it refers to these ids */
    generation->count = table->count;
    PV_TRY_DONE(pv_partition_words(table, &order, start));
    for (unsigned p = 0; p < PV_PARTITIONS; p++) {
        out.length = 0;
        for (size_t i = start[p]; i < start[p + 1]; i++) {
            const pv_word *word = &table->words[order[i]];
            pv_spooled_word head = {.value = word->value, .id = order[i], .length = word->length};
            PV_TRY_DONE(pv_buffer_append(&out, &head, sizeof head));
            PV_TRY_DONE(pv_buffer_append(&out, pv_word_text(table, order[i]), word->length));
            PV_TRY_DONE(pv_buffer_append(&out, zeros, (8 - word->length % 8) % 8));
        }
        generation->part_length[p] = out.length;
        PV_TRY_DONE(
            pv_spool_append(r->store->words, out.data, out.length, &generation->part_offset[p]));
    }
done:
    pv_buffer_free(&out);
    pv_free(r->ctx, order);
    pv_word_table_free(table);
    generation->spooled = true;
    if (status == PSDVEC_OK)
        status = begin_generation(r);
    if (status == PSDVEC_OK)
        status = pv_word_table_init(&r->aliases, r->ctx, 1000);
    return status;
}

/* The number of the next token in its segment. */
static inline uint32_t next_token(const reader *r)
{
    return r->part.before + (uint32_t)r->id_count;
}

static psdvec_status end_document(reader *r)
{
    PV_TRY(pv_pieces_close(&r->pieces, next_token(r)));
    r->ids[r->id_count++] = PV_TOKEN_MARK_DOCUMENT;
    r->part.last = PV_NO_WORDS;
    return PSDVEC_OK;
}

static inline psdvec_status add_word(reader *r, uint32_t id)
{
    if (r->pieces.wanted)
        PV_TRY(pv_pieces_word(&r->pieces, pv_word_hash(r->words, id), r->part.file,
                              r->part.sequence, next_token(r)));
    r->words->words[id].value++;
    r->ids[r->id_count++] = id + PV_TOKEN_FIRST_WORD;
    r->seen.tokens++;
    if (PV_UNLIKELY(r->part.last != PV_WORDS)) {
        r->seen.documents += r->part.last == PV_NO_WORDS;
        r->part.first_words |= r->part.last == PV_AS_BEFORE;
        r->part.last = PV_WORDS;
    }
    return PSDVEC_OK;
}

/* The id + 1 of a word that must be normalised; 0 if nothing is left of it. */
static psdvec_status find_raw(reader *r, const pv_token *token, const pv_word_key *key,
                              uint64_t *value)
{
    uint32_t alias;
    if (pv_word_table_find(&r->aliases, key, &alias)) {
        *value = r->aliases.words[alias].value;
        return PSDVEC_OK;
    }
    const char *text;
    size_t length;
    PV_TRY(pv_word_form_of(&r->form, token, &text, &length));
    *value = 0;
    if (length > 0) {
        uint32_t id;
        pv_word_key normal = pv_word_key_exact(text, (uint32_t)length);
        PV_TRY(pv_word_table_find_or_add(r->words, &normal, &id));
        *value = (uint64_t)id + 1;
    }
    if (pv_word_table_bytes_if_grown(&r->aliases) > r->job->table_share / 2 &&
        r->aliases.count == r->aliases.capacity) { /* it is only a cache */
        pv_word_table_free(&r->aliases);
        PV_TRY(pv_word_table_init(&r->aliases, r->ctx, 1000));
    }
    PV_TRY(pv_word_table_add(&r->aliases, key, &alias));
    r->aliases.words[alias].value = *value;
    return PSDVEC_OK;
}

static psdvec_status is_word(void *user, const pv_token *raw, bool *is)
{
    reader *r = user;
    pv_word_key key;
    uint32_t alias;
    size_t length;
    const char *word;
    pv_word_key_set(&key, raw->text, raw->length);
    if (pv_word_table_find(&r->aliases, &key, &alias)) {
        *is = r->aliases.words[alias].value > 0;
        return PSDVEC_OK;
    }
    PV_TRY(pv_word_form_of(&r->form, raw, &word, &length));
    *is = length > 0;
    return PSDVEC_OK;
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    reader *r = user;
    pv_word_key keys[PV_TOKEN_BATCH];
    uint32_t guesses[PV_TOKEN_BATCH];
    /* A new generation must not start within a batch. */
    if (r->words->count + count > r->words->capacity &&
        ((pv_word_table_bytes_if_grown(r->words) > r->job->table_share &&
          r->words->count > FIRST_WORDS) ||
         r->words->capacity >= PV_TABLE_MOST)) {
        PV_TRY(flush_part(r));
        PV_TRY(spool_generation(r));
    }
    PV_TRY(PV_RESERVE(&r->memory, r->ids, r->id_capacity, r->id_count + PV_TOKEN_BATCH));
    /* Three passes, so that each pass prefetches the memory of the next: slots, then words, then
     * the comparison. */
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].kind > PV_TOKEN_RAW)
            continue;
        pv_word_key_set(&keys[i], tokens[i].text, tokens[i].length);
        pv_word_table_prefetch(tokens[i].kind == PV_TOKEN_READY ? r->words : &r->aliases, &keys[i]);
    }
    for (size_t i = 0; i < count; i++)
        guesses[i] = tokens[i].kind == PV_TOKEN_READY ? pv_word_table_guess(r->words, &keys[i])
                                                      : PV_NO_WORD;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = guesses[i];
        switch (tokens[i].kind) {
        case PV_TOKEN_READY:
            if (id == PV_NO_WORD || !pv_word_equals(r->words, &r->words->words[id], &keys[i]))
                PV_TRY(pv_word_table_find_or_add(r->words, &keys[i], &id));
            PV_TRY(add_word(r, id));
            break;
        case PV_TOKEN_RAW: {
            uint64_t value;
            PV_TRY(find_raw(r, &tokens[i], &keys[i], &value));
            if (value > 0)
                PV_TRY(add_word(r, (uint32_t)(value - 1)));
            break;
        }
        case PV_TOKEN_DOCUMENT_END:
            PV_TRY(end_document(r));
            break;
        default:
            r->ids[r->id_count++] = PV_TOKEN_MARK_SENTENCE;
            break;
        }
    }
    return PSDVEC_OK;
}

static psdvec_status begin_segment(void *user, const pv_segment *segment)
{
    reader *r = user;
    size_t bytes = segment->text.length;
    r->seen = (pv_input_note){.bytes = bytes, .files = segment->sequence == 0 && bytes > 0};
    r->part = (pv_token_part){.file = segment->file, .sequence = segment->sequence};
    return PSDVEC_OK;
}

static psdvec_status end_segment(void *user)
{
    reader *r = user;
    pv_token_store *store = r->store;
    PV_TRY(pv_pieces_close(&r->pieces, next_token(r)));
    PV_TRY(flush_part(r));
    pthread_mutex_lock(&store->lock);
    pv_input_note_add(&store->inputs[r->job->inputs->files[r->part.file].input], &r->seen);
    pthread_mutex_unlock(&store->lock);
    return PSDVEC_OK;
}

static psdvec_status reader_main(void *opaque, int worker)
{
    (void)worker;
    reader_job *job = opaque;
    psdvec_context *ctx = job->store->ctx;
    reader r = {.job = job,
                .ctx = ctx,
                .store = job->store,
                .memory = {.ctx = ctx, .what = "a segment's tokens"}};
    psdvec_status status;
    pv_token_sink sink = {
        .take = take, .user = &r, .is_word = is_word, .begin = begin_segment, .end = end_segment};
    pv_word_form_init(&r.form, ctx, job->rules);
    pv_pieces_init(&r.pieces, ctx, job->store->held.wanted);
    PV_TRY_DONE(pv_word_table_init(&r.aliases, ctx, 1000));
    PV_TRY_DONE(begin_generation(&r));
    PV_TRY_DONE(pv_tokens_of_corpus(ctx, job->rules, job->corpus, &job->store->faults, &sink));
    r.generation->count = r.words->count;
    pthread_mutex_lock(&job->store->lock);
    status = pv_pieces_add(&job->store->held, &r.pieces);
    pthread_mutex_unlock(&job->store->lock);
done:
    pv_pieces_free(&r.pieces);
    pv_word_form_free(&r.form);
    pv_word_table_free(&r.aliases);
    pv_scope_free(&r.memory);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const pv_token_part *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Counts the documents that begin with the first words of a part, that is, if no earlier part has
 * words of the same document. has_words: whether the document in which the first part begins has
 * any. */
static void join_parts(pv_token_store *store, const pv_inputs *inputs, bool has_words)
{
    for (const pv_token_part *part = store->parts; part < store->parts + store->part_count;
         part++) {
        if (part->first_words && !has_words)
            store->inputs[inputs->files[part->file].input].documents++;
        if (part->last != PV_AS_BEFORE)
            has_words = part->last == PV_WORDS;
    }
}

psdvec_status pv_token_store_read(psdvec_context *ctx, const pv_inputs *inputs, size_t input_count,
                                  const psdvec_text_options *options, uint32_t hold_out,
                                  const pv_joining *joining, const char *folder,
                                  pv_token_store **out)
{
    pv_token_store *store = *out = pv_alloc_zero(ctx, 1, sizeof *store, "the list of tokens");
    if (!store)
        return pv_failure(ctx);
    psdvec_status status;
    pv_corpus *corpus = NULL;
    pv_text_rules *rules;
    pv_scope scope = {.ctx = ctx, .what = "the tokeniser"};
    store->ctx = ctx;
    store->memory = (pv_scope){.ctx = ctx, .what = "the list of tokens"};
    store->ahead.ctx = ctx;
    pv_text_faults_init(&store->faults, ctx);
    pthread_mutex_init(&store->lock, NULL);
    pv_pieces_init(&store->held, ctx, hold_out);
    PV_TAKE_ZERO(&store->memory, store->inputs, input_count);
    PV_TRY_DONE(pv_scope_status(&store->memory));
    PV_TAKE(&scope, rules, 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    pv_text_rules_init(rules, options);
    if (joining) {
        rules->joining = *joining;
    } else if (options->phrases) {
        PV_TRY_DONE(pv_phrases_read(&store->phrases, ctx, options, options->phrases));
        rules->joining.phrases = store->phrases.count ? &store->phrases : NULL;
    }
    uint64_t budget = ctx->options.memory;
    PV_TRY_DONE(pv_spool_new(ctx, folder, "the list of tokens", budget / 4, &store->tokens));
    PV_TRY_DONE(pv_spool_new(ctx, folder, "the list of words", budget / 16, &store->words));
    PV_TRY_DONE(pv_corpus_new(ctx, inputs, options, NULL, &corpus));
    pv_corpus_divide(corpus);
    reader_job job = {
        .store = store,
        .corpus = corpus,
        .inputs = inputs,
        .rules = rules,
        .table_share = budget / 3 / (uint64_t)ctx->options.threads,
    };
    PV_TRY_DONE(pv_parallel(ctx, reader_main, &job));
    pv_progress_end(pv_corpus_progress(corpus));
    if (store->part_count)
        qsort(store->parts, store->part_count, sizeof *store->parts, by_place);
    bool has_words = false;
    PV_TRY_DONE(pv_shared_order(store, &has_words));
    join_parts(store, inputs, has_words);
    PV_TRY_DONE(pv_shared_notes(store, input_count));
    for (size_t i = 0; i < input_count; i++)
        pv_input_note_add(&store->total, &store->inputs[i]);
    pv_corpus_report(corpus);
    PV_TRY_DONE(pv_shared_pieces(store));
    pv_pieces_choose(&store->held, store->total.tokens);
    pv_text_faults_report(&store->faults, &rules->options);
    status = pv_group_add(ctx, &store->faults.bad_bytes, 1);
done:
    pv_corpus_free(corpus);
    pv_scope_free(&scope);
    return status;
}

void pv_token_store_free(pv_token_store *store)
{
    if (!store)
        return;
    psdvec_context *ctx = store->ctx;
    for (size_t i = 0; i < store->generation_count; i++) {
        pv_word_table_free(&store->generations[i]->table);
        pv_free(ctx, store->generations[i]->final);
    }
    pv_scope_free(&store->memory);
    pv_spool_free(store->tokens);
    pv_spool_free(store->words);
    pv_text_faults_free(&store->faults);
    pv_pieces_free(&store->held);
    pv_phrases_free(&store->phrases);
    pv_buffer_free(&store->ahead);
    pthread_mutex_destroy(&store->lock);
    pv_free(ctx, store);
}
