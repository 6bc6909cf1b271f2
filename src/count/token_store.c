/* The reading pass. */
#include "count/token_store.h"

#include "base/thread.h"
#include "corpus/records.h"
#include "corpus/tokenizer.h"
#include "count/token_code.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BATCH = 256, FIRST_WORDS = 20000 };

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
    pv_generation *generation; /* its table is ours while we read */
    uint32_t generation_number;
    pv_word_table *words;
    pv_word_table aliases; /* raw form -> value: id + 1, or 0 if it vanishes */
    pv_tokenizer tokenizer;
    pv_piece piece;
    pv_buffer decoded;
    uint32_t *ids; /* tokens of the part being read */
    size_t id_count, id_capacity;
    uint16_t *units;
    size_t unit_capacity;
    size_t document_start;           /* in ids */
    bool document_begun;             /* it has a word in this part already */
    bool begun_before;               /* its first document, in parts before this one */
    bool border_seen;                /* a document has ended in this part */
    bool first_counted, first_words; /* as in pv_token_piece */
    uint32_t part;
    bool continues;
    struct pv_input_totals seen; /* in this piece */
} reader;

/* Makes room for one more element in an array guarded by the store's lock. */
static psdvec_status grow_array(psdvec_context *ctx, void **array, size_t count, size_t *capacity,
                                size_t size, const char *what)
{
    if (count < *capacity)
        return PSDVEC_OK;
    size_t larger = *capacity ? 2 * *capacity : 64;
    void *grown = pv_resize(ctx, *array, larger, size, what);
    if (!grown)
        return pv_failure(ctx);
    *array = grown;
    *capacity = larger;
    return PSDVEC_OK;
}

static psdvec_status begin_generation(reader *r)
{
    pv_token_store *store = r->store;
    pv_generation *generation =
        pv_alloc_zero(r->ctx, 1, sizeof *generation, "the table of distinct words");
    if (!generation)
        return pv_failure(r->ctx);
    pthread_mutex_lock(&store->lock);
    size_t capacity = store->generation_capacity;
    psdvec_status status = grow_array(r->ctx, (void **)&store->generations, store->generation_count,
                                      &capacity, sizeof(pv_generation *),
                                      "the list of word tables");
    store->generation_capacity = (uint32_t)capacity;
    if (status == PSDVEC_OK) {
        r->generation_number = store->generation_count;
        store->generations[store->generation_count++] = generation;
    }
    pthread_mutex_unlock(&store->lock);
    if (status != PSDVEC_OK) {
        pv_free(r->ctx, generation);
        return status;
    }
    r->generation = generation;
    r->words = &generation->table;
    return pv_word_table_init(r->words, r->ctx, FIRST_WORDS);
}

/* ---- Ending a part: its tokens to the spool ------------------------------ */

/* `begun_before`: its first document has, or may have, words in parts before. */
static void begin_part(reader *r, bool continues, bool begun_before)
{
    r->id_count = 0;
    r->document_start = 0;
    r->continues = continues;
    r->begun_before = begun_before;
    r->document_begun = false;
    r->border_seen = false;
    r->first_counted = !begun_before;
    r->first_words = false;
}

static psdvec_status flush_part(reader *r)
{
    if (r->unit_capacity < 2 * r->id_count) {
        r->unit_capacity = 2 * r->id_capacity;
        pv_free(r->ctx, r->units);
        r->units = pv_alloc(r->ctx, r->unit_capacity, sizeof *r->units, "a piece's tokens");
        if (!r->units) {
            r->unit_capacity = 0;
            return pv_failure(r->ctx);
        }
    }
    size_t units = 0;
    for (size_t i = 0; i < r->id_count; i++)
        units += pv_token_encode(r->ids[i], r->units + units);
    pv_token_piece piece = {
        .file = r->piece.file,
        .part = r->part,
        .sequence = r->piece.sequence,
        .units = (uint32_t)units,
        .tokens = (uint32_t)r->id_count,
        .generation = r->generation_number,
        .continues = r->continues,
        .first_counted = r->first_counted,
        .first_words = r->first_words,
        .last_words = r->document_begun,
        .has_border = r->border_seen,
    };
    PV_TRY(pv_spool_append(r->store->tokens, r->units, units * sizeof *r->units, &piece.offset));
    pv_token_store *store = r->store;
    pthread_mutex_lock(&store->lock);
    psdvec_status status = grow_array(r->ctx, (void **)&store->pieces, store->piece_count,
                                      &store->piece_capacity, sizeof piece, "the list of pieces");
    if (status == PSDVEC_OK)
        store->pieces[store->piece_count++] = piece;
    pthread_mutex_unlock(&store->lock);
    r->part++;
    begin_part(r, true, r->document_begun || (r->begun_before && !r->border_seen));
    return status;
}

/* ---- Ending a generation: its words to the spool --------------------------- */

psdvec_status pv_partition_words(const pv_word_table *table, uint32_t **out,
                                 size_t start[PV_PARTITIONS + 1])
{
    size_t next[PV_PARTITIONS] = {0};
    uint32_t *order = pv_alloc(table->ctx, table->count, sizeof *order, "sorting the words");
    *out = order;
    if (!order)
        return pv_failure(table->ctx);
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
    pv_buffer out;
    psdvec_status status = PSDVEC_OK;
    pv_buffer_init(&out, r->ctx);
    pv_word_table_free(&r->aliases); /* makes room; it refers to these ids anyway */
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

/* ---- Tokens ------------------------------------------------------------------ */

/* A document ends: drop it if it is too short. */
static void end_document(reader *r)
{
    uint32_t least = r->job->rules->options.min_document_words;
    bool whole = r->border_seen || !r->begun_before;
    if (least > 1 && whole && r->document_begun) {
        size_t words = 0;
        for (size_t i = r->document_start; i < r->id_count; i++)
            words += r->ids[i] >= PV_TOKEN_FIRST_WORD;
        if (words < least) {
            for (size_t i = r->document_start; i < r->id_count; i++)
                if (r->ids[i] >= PV_TOKEN_FIRST_WORD)
                    r->words->words[r->ids[i] - PV_TOKEN_FIRST_WORD].value--;
            r->id_count = r->document_start;
            r->seen.tokens -= words;
            r->seen.documents--;
            r->first_words &= r->border_seen;
        }
    }
    r->document_begun = false;
}

static void add_mark(reader *r, uint32_t mark)
{
    r->ids[r->id_count++] = mark;
    if (mark == PV_TOKEN_MARK_DOCUMENT) {
        r->document_start = r->id_count;
        r->border_seen = true;
    }
}

static inline void add_word(reader *r, uint32_t id)
{
    r->words->words[id].value++;
    r->ids[r->id_count++] = id + PV_TOKEN_FIRST_WORD;
    if (PV_UNLIKELY(!r->document_begun)) {
        r->document_begun = true;
        r->seen.documents += r->border_seen || r->first_counted;
        r->first_words |= !r->border_seen;
    }
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
    PV_TRY(pv_tokenizer_normalize(&r->tokenizer, token, &text, &length));
    *value = 0;
    if (length > 0) {
        uint32_t id;
        pv_word_key normal = pv_word_key_exact(text, (uint32_t)length);
        PV_TRY(pv_word_table_find_or_add(r->words, &normal, &id));
        *value = (uint64_t)id + 1;
    }
    if (pv_word_table_bytes_if_grown(&r->aliases) > r->job->table_share / 2 &&
        r->aliases.count == r->aliases.capacity)
        PV_TRY(pv_word_table_clear(&r->aliases)); /* it only remembers */
    PV_TRY(pv_word_table_add(&r->aliases, key, &alias));
    r->aliases.words[alias].value = *value;
    return PSDVEC_OK;
}

/* A document that may yet turn out too short must not be split between two
 * generations: it could no longer be taken back. */
static bool may_split_document(const reader *r)
{
    uint32_t least = r->job->rules->options.min_document_words;
    size_t words = 0;
    for (size_t i = r->document_start; i < r->id_count && words < least; i++)
        words += r->ids[i] >= PV_TOKEN_FIRST_WORD;
    return words >= least || !r->document_begun || least <= 1;
}

static psdvec_status read_batch(reader *r, const pv_token *tokens, size_t count)
{
    pv_word_key keys[BATCH];
    uint32_t guesses[BATCH];
    /* The table must not move to a new generation within a batch. */
    if (r->words->count + count > r->words->capacity &&
        pv_word_table_bytes_if_grown(r->words) > r->job->table_share &&
        r->words->count > FIRST_WORDS && may_split_document(r)) {
        PV_TRY(flush_part(r));
        PV_TRY(spool_generation(r));
    }
    /* Three passes, so that the memory a pass needs was asked for in the one
     * before: slots, then words, then the comparison. */
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
            add_word(r, id);
            r->seen.tokens++;
            break;
        case PV_TOKEN_RAW: {
            uint64_t value;
            PV_TRY(find_raw(r, &tokens[i], &keys[i], &value));
            if (value > 0) {
                add_word(r, (uint32_t)(value - 1));
                r->seen.tokens++;
            }
            break;
        }
        case PV_TOKEN_BREAK:
            end_document(r);
            add_mark(r, PV_TOKEN_MARK_DOCUMENT);
            break;
        default:
            add_mark(r, PV_TOKEN_MARK_SENTENCE);
            break;
        }
    }
    return PSDVEC_OK;
}

static psdvec_status note_bad_bytes(reader *r)
{
    pv_token_store *store = r->store;
    const pv_piece *piece = &r->piece;
    uint64_t offset = piece->offset;
    if (piece->kind == PV_PIECE_TEXT) /* of others only the record's place is known */
        offset += r->tokenizer.first_bad;
    if (r->job->rules->options.strict)
        return pv_fail(r->ctx, PSDVEC_ERR_UTF8,
                       "%s: byte %" PRIu64 " is not valid UTF-8; convert the text with "
                       "iconv -f ITS-ENCODING -t utf-8, or read it without `strict`",
                       piece->name.data, offset);
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&store->lock);
    bool first = store->bad_bytes == 0 || piece->file < store->bad_file ||
                 (piece->file == store->bad_file && piece->sequence < store->bad_sequence);
    store->bad_bytes += r->tokenizer.bad_bytes;
    if (first) {
        store->bad_file = piece->file;
        store->bad_sequence = piece->sequence;
        store->bad_offset = offset;
        store->bad_name.length = 0;
        status = pv_buffer_append(&store->bad_name, piece->name.data, piece->name.length);
    }
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* Room for a batch beyond what is used. */
static psdvec_status reserve_ids(reader *r)
{
    if (r->id_capacity - r->id_count >= BATCH)
        return PSDVEC_OK;
    size_t capacity = 2 * r->id_capacity + 64 * BATCH;
    uint32_t *ids = pv_resize(r->ctx, r->ids, capacity, sizeof *ids, "a piece's tokens");
    if (!ids)
        return pv_failure(r->ctx);
    r->ids = ids;
    r->id_capacity = capacity;
    return PSDVEC_OK;
}

static psdvec_status read_piece(reader *r)
{
    pv_token tokens[BATCH];
    pv_piece *piece = &r->piece;
    r->seen = (struct pv_input_totals){.bytes = piece->text.length, .files = piece->sequence == 0};
    pv_buffer *text = &piece->text;
    if (piece->kind != PV_PIECE_TEXT) {
        uint64_t bad_records = 0;
        PV_TRY(
            pv_records_to_lines(r->ctx, &r->job->rules->options, piece, &r->decoded, &bad_records));
        text = &r->decoded;
        if (bad_records) {
            pthread_mutex_lock(&r->store->lock);
            r->store->bad_records += bad_records;
            pthread_mutex_unlock(&r->store->lock);
        }
    }
    r->part = 0;
    begin_part(r, piece->continues, piece->continues);
    PV_TRY(pv_buffer_reserve(text, 1)); /* so that the padding exists */
    pv_tokenizer_start(&r->tokenizer, text->data, text->length,
                       (piece->kind != PV_PIECE_TEXT ? PV_TEXT_RECORDS : 0) |
                           (piece->mid_line ? PV_TEXT_MID_LINE : 0));
    for (size_t count; (count = pv_tokenizer_next(&r->tokenizer, tokens, BATCH)) > 0;) {
        PV_TRY(reserve_ids(r));
        PV_TRY(read_batch(r, tokens, count));
    }
    if (r->tokenizer.bad_bytes)
        PV_TRY(note_bad_bytes(r));
    if (!piece->open_end) /* a last line without a line end is a document too */
        end_document(r);
    PV_TRY(flush_part(r));
    pv_token_store *store = r->store;
    struct pv_input_totals *input = &store->inputs[r->job->inputs->files[piece->file].input];
    pthread_mutex_lock(&store->lock);
    input->bytes += r->seen.bytes;
    input->documents += r->seen.documents;
    input->tokens += r->seen.tokens;
    input->files += r->seen.files;
    pthread_mutex_unlock(&store->lock);
    return PSDVEC_OK;
}

static psdvec_status reader_main(void *opaque, int worker)
{
    (void)worker;
    reader_job *job = opaque;
    psdvec_context *ctx = job->store->ctx;
    reader r = {.job = job, .ctx = ctx, .store = job->store};
    pv_piece_init(&r.piece, ctx);
    pv_buffer_init(&r.decoded, ctx);
    psdvec_status status;
    PV_TRY_DONE(pv_tokenizer_init(&r.tokenizer, ctx, job->rules));
    PV_TRY_DONE(pv_word_table_init(&r.aliases, ctx, 1000));
    PV_TRY_DONE(begin_generation(&r));
    size_t place = SIZE_MAX;
    for (bool more;;) {
        PV_TRY_DONE(pv_corpus_next(job->corpus, &place, &r.piece, &more));
        if (!more)
            break;
        PV_TRY_DONE(read_piece(&r));
    }
    r.generation->count = r.words->count;
done:
    pv_piece_free(&r.piece);
    pv_buffer_free(&r.decoded);
    pv_tokenizer_free(&r.tokenizer);
    pv_word_table_free(&r.aliases);
    pv_free(ctx, r.ids);
    pv_free(ctx, r.units);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const pv_token_piece *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* What only the whole shows: a piece cannot go on with a document of another
 * input, whose text merely comes before it because files between were empty;
 * and a document in several pieces is one if any of them has a word. */
static void join_pieces(pv_token_store *store, const pv_inputs *inputs)
{
    uint32_t last_input = UINT32_MAX;
    bool has_words = false; /* the document so far */
    for (size_t i = 0; i < store->piece_count; i++) {
        pv_token_piece *piece = &store->pieces[i];
        uint32_t input = inputs->files[piece->file].input;
        piece->continues &= input == last_input;
        last_input = input;
        has_words &= piece->continues;
        if (piece->first_words && !has_words && !piece->first_counted)
            store->inputs[input].documents++;
        has_words = piece->has_border ? piece->last_words : has_words || piece->first_words;
    }
}

static void tell_bad_input(const pv_token_store *store, const psdvec_text_options *options)
{
    if (store->bad_bytes)
        pv_warn(store->ctx,
                "%s: byte %" PRIu64 " is not valid UTF-8 (%" PRIu64 " such bytes in all, read as "
                "the replacement character); if the text has another encoding, convert it with "
                "iconv -f ITS-ENCODING -t utf-8",
                store->bad_name.data, store->bad_offset, store->bad_bytes);
    if (store->bad_records)
        pv_warn(store->ctx,
                "%" PRIu64 " lines were passed over: no JSON object with a text in "
                "the field \"%s\"",
                store->bad_records, options->json_field ? options->json_field : "");
}

psdvec_status pv_token_store_read(psdvec_context *ctx, const pv_inputs *inputs, size_t input_count,
                                  const psdvec_text_options *options, const char *folder,
                                  pv_token_store **out)
{
    *out = NULL;
    psdvec_status status = PSDVEC_OK;
    pv_corpus *corpus = NULL;
    pv_text_rules *rules = pv_alloc(ctx, 1, sizeof *rules, "the tokeniser");
    pv_token_store *store = pv_alloc_zero(ctx, 1, sizeof *store, "the list of tokens");
    if (!rules || !store) {
        pv_free(ctx, rules);
        pv_free(ctx, store);
        return pv_failure(ctx);
    }
    store->ctx = ctx;
    store->input_count = input_count;
    pv_buffer_init(&store->bad_name, ctx);
    pthread_mutex_init(&store->lock, NULL);
    store->inputs = pv_alloc_zero(ctx, input_count, sizeof *store->inputs, "the list of inputs");
    if (!store->inputs) {
        status = pv_failure(ctx);
        goto done;
    }
    pv_text_rules_init(rules, options);
    uint64_t budget = ctx->options.memory;
    PV_TRY_DONE(pv_spool_new(ctx, folder, "the list of tokens", budget / 4, &store->tokens));
    PV_TRY_DONE(pv_spool_new(ctx, folder, "the list of words", budget / 16, &store->words));
    PV_TRY_DONE(pv_corpus_new(ctx, inputs, options, &corpus));
    reader_job job = {
        .store = store,
        .corpus = corpus,
        .inputs = inputs,
        .rules = rules,
        .table_share = budget / 3 / (uint64_t)ctx->options.threads,
    };
    PV_TRY_DONE(pv_parallel(ctx, reader_main, &job));
    pv_corpus_finish(corpus);
    if (store->piece_count)
        qsort(store->pieces, store->piece_count, sizeof *store->pieces, by_place);
    join_pieces(store, inputs);
    for (size_t i = 0; i < input_count; i++) {
        store->bytes += store->inputs[i].bytes;
        store->documents += store->inputs[i].documents;
        store->words_read += store->inputs[i].tokens;
    }
    tell_bad_input(store, &rules->options);
done:
    pv_corpus_free(corpus);
    pv_free(ctx, rules);
    if (status != PSDVEC_OK) {
        pv_token_store_free(store);
        store = NULL;
    }
    *out = store;
    return status;
}

void pv_token_store_free(pv_token_store *store)
{
    if (!store)
        return;
    psdvec_context *ctx = store->ctx;
    for (uint32_t i = 0; i < store->generation_count; i++) {
        pv_word_table_free(&store->generations[i]->table);
        pv_free(ctx, store->generations[i]->final);
        pv_free(ctx, store->generations[i]);
    }
    pv_free(ctx, store->generations);
    pv_free(ctx, store->pieces);
    pv_free(ctx, store->inputs);
    pv_spool_free(store->tokens);
    pv_spool_free(store->words);
    pv_buffer_free(&store->bad_name);
    pthread_mutex_destroy(&store->lock);
    pv_free(ctx, store);
}
