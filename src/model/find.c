/* Finding words.
 *
 * A model contains words in the form that its tokeniser produced: case-folded, composed, perhaps
 * without accents. User input is looked up as it is, and then as normalised by that tokeniser. The
 * settings are in the file; third-party vectors have none, so other letter cases are tried, as in
 * evaluation of all models, and then the default tokeniser.
 *
 * The word index and the tables of the tokeniser (a millisecond to fill) are built when they are
 * first needed, under the model's lock, and never change afterwards.
 */
#include "model/find.h"

#include "base/arguments.h"
#include "corpus/icu_words.h"
#include "corpus/options.h"
#include "corpus/tokens.h"

#include <string.h>
#include <utf8proc.h>

/* ---- Exact bytes -------------------------------------------------------------------- */

/* Builds the index of words once, at the first search. */
static bool ensure_index(psdvec_model *m)
{
    pthread_mutex_lock(&m->lock);
    if (!m->indexed && pv_word_index_init(&m->index, m->ctx, m->info.words, m->bytes, m->offsets,
                                          NULL) == PSDVEC_OK) {
        pv_word_index_add_all(&m->index, m->info.words);
        m->indexed = true;
    }
    bool ready = m->indexed;
    pthread_mutex_unlock(&m->lock);
    return ready;
}

bool psdvec_model_find(const psdvec_model *model, const char *word, size_t length, uint32_t *i)
{
    if (!model || !word || !i)
        return false;
    psdvec_model *m = pv_model_words(model); /* the index is a cache */
    if (ensure_index(m))
        return pv_word_index_find(&m->index, word, length, i);
    for (uint32_t k = 0; k < m->info.words; k++) { /* out of memory: linear search */
        size_t other;
        const char *text = psdvec_model_word(m, k, &other);
        if (other == length && memcmp(text, word, length) == 0) {
            *i = k;
            return true;
        }
    }
    return false;
}

/* ---- Case ------------------------------------------------------------------------------- */

typedef enum letter_case { LOWER, CAPITALISED, UPPER } letter_case;

/* Appends `word` in another letter case to `out`, character by character. Invalid UTF-8 is
 * copied. */
static psdvec_status write_case(pv_buffer *out, const char *word, size_t length, letter_case wanted)
{
    PV_TRY(pv_buffer_reserve(out, 2 * length + 4)); /* no letter takes twice the bytes of another */
    bool first = true;                              /* of a part of the word */
    for (size_t k = 0; k < length;) {
        utf8proc_int32_t cp;
        utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)word + k,
                                                 (utf8proc_ssize_t)(length - k), &cp);
        if (step <= 0) { /* not UTF-8: copied as it is */
            PV_TRY(pv_buffer_byte(out, word[k++]));
            continue;
        }
        utf8proc_uint8_t bytes[4];
        bool large = wanted == UPPER || (wanted == CAPITALISED && first);
        utf8proc_ssize_t size =
            utf8proc_encode_char(large ? utf8proc_toupper(cp) : utf8proc_tolower(cp), bytes);
        PV_TRY(pv_buffer_append(out, bytes, (size_t)size));
        first = cp == '_' || cp == '-' || cp == ' ';
        k += (size_t)step;
    }
    return PSDVEC_OK;
}

psdvec_status pv_lower_case(pv_buffer *out, const char *word, size_t length)
{
    return write_case(out, word, length, LOWER);
}

psdvec_status pv_model_find_forms(psdvec_context *ctx, const psdvec_model *model, const char *word,
                                  size_t length, uint32_t limit, pv_buffer *form, uint32_t *i)
{
    bool own = false;
    if (psdvec_model_find(model, word, length, i) && *i < limit)
        return PSDVEC_OK;
    form->length = 0;
    if (model->info.native) /* other models do not record how their text was tokenised */
        PV_TRY(pv_model_tokenise(ctx, model, word, length, form, &own));
    if (own && psdvec_model_find(model, form->data, form->length, i) && *i < limit)
        return PSDVEC_OK;
    for (letter_case k = LOWER; k <= UPPER; k++) {
        form->length = 0;
        PV_TRY(write_case(form, word, length, k));
        if (psdvec_model_find(model, form->data, form->length, i) && *i < limit)
            return PSDVEC_OK;
    }
    *i = PSDVEC_UNKNOWN_WORD;
    return PSDVEC_OK;
}

/* ---- The model's tokeniser -------------------------------------------------------------- */

/* Reads the tokeniser settings of the model over the defaults. *found is false if there are none,
 * or if this build does not support them. Fails only if out of memory, so that a later call can
 * succeed. */
static psdvec_status read_settings(psdvec_context *ctx, const psdvec_model *m,
                                   psdvec_text_options *o, bool *found)
{
    pv_buffer settings = {.ctx = ctx}, memory = {.ctx = ctx};
    *found = pv_json_member(m->info.counts_json, "settings", &settings) == PSDVEC_OK &&
             settings.length > 0 && /* imported counts have none */
             pv_json_member(settings.data, "tokenizer", &memory) == PSDVEC_OK &&
             memory.length > 0 &&
             pv_options_read_json(ctx, &pv_text_table, m->path, NULL, settings.data, NULL, o,
                                  &memory) == PSDVEC_OK &&
             (o->tokenizer != PSDVEC_TOKENIZER_ICU || pv_icu_available());
    int failure = atomic_load(&ctx->status);
    bool memory_is_short = failure == PSDVEC_ERR_BUDGET || failure == PSDVEC_ERR_MEMORY;
    if (!*found && !memory_is_short) {
        pv_begin(ctx); /* unreadable settings count as missing */
        psdvec_text_options_default(o);
    }
    pv_text_options_plain(o);  /* applies to files */
    o->min_document_words = 1; /* applies to complete texts */
    pv_buffer_free(&settings);
    pv_buffer_free(&memory);
    return memory_is_short ? (psdvec_status)failure : PSDVEC_OK;
}

static psdvec_status ensure_rules(psdvec_context *ctx, psdvec_model *m)
{
    psdvec_text_options options;
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&m->lock);
    if (!m->rules && (m->rules = pv_alloc(m->ctx, 1, sizeof *m->rules, NULL))) {
        status = read_settings(ctx, m, &options, &m->own_rules);
        if (status == PSDVEC_OK) {
            pv_text_rules_init(m->rules, &options);
            m->rules->joining.phrases = m->phrases;
        } else {
            pv_free(m->ctx, m->rules);
            m->rules = NULL;
        }
    }
    bool ready = m->rules != NULL;
    pthread_mutex_unlock(&m->lock);
    if (ready || status != PSDVEC_OK)
        return status;
    return pv_fail(
        ctx, PSDVEC_ERR_BUDGET,
        "%s: not enough memory to look up a word with the model's tokeniser; raise the limit "
        "(`memory`)",
        m->path);
}

/* The words of a text, each zero-terminated. */
typedef struct word_list {
    pv_buffer words;
    size_t count;
    pv_token_sink sink;
    const psdvec_model *split; /* split phrases that are not words of this model; or NULL */
} word_list;

static psdvec_status add_word(word_list *list, const char *text, size_t length)
{
    list->count++;
    PV_TRY(pv_buffer_append(&list->words, text, length));
    return pv_buffer_byte(&list->words, '\0');
}

/* Splits a token that is a phrase of the model but not one of its words, for example because it is
 * too rare. */
static psdvec_status add_split(word_list *list, const pv_token *token, bool *split)
{
    const psdvec_model *m = list->split;
    uint32_t i;
    const char *words = m && m->phrases ? pv_phrases_joined_words(m->phrases, token) : NULL;
    *split = words && !psdvec_model_find(m, token->text, token->length, &i);
    if (!*split)
        return PSDVEC_OK;
    for (const char *end = words + token->length, *gap; words < end; words = gap + 1) {
        gap = memchr(words, ' ', (size_t)(end - words));
        gap = gap ? gap : end;
        PV_TRY(add_word(list, words, (size_t)(gap - words)));
    }
    return PSDVEC_OK;
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    word_list *list = user;
    bool split;
    for (const pv_token *token = tokens; token < tokens + count; token++) {
        if (token->kind != PV_TOKEN_READY)
            continue;
        PV_TRY(add_split(list, token, &split));
        if (!split)
            PV_TRY(add_word(list, token->text, token->length));
    }
    return PSDVEC_OK;
}

/* `list` is empty and has its context set. */
static psdvec_status tokenise(psdvec_context *ctx, const psdvec_model *model, const char *text,
                              size_t length, word_list *list, bool *own)
{
    psdvec_model *m = pv_model_words(model); /* the rules are a cache */
    list->sink = (pv_token_sink){.take = take, .user = list};
    PV_TRY(ensure_rules(ctx, m));
    *own = m->own_rules;
    return pv_tokens_by_rules(ctx, m->rules, text, length, PV_TOKEN_BATCH, NULL, &list->sink);
}

psdvec_status pv_model_tokenise(psdvec_context *ctx, const psdvec_model *model, const char *text,
                                size_t length, pv_buffer *token, bool *own)
{
    word_list list = {.words = {.ctx = ctx}};
    psdvec_status status = tokenise(ctx, model, text, length, &list, own);
    if (status == PSDVEC_OK && list.count == 1)
        status = pv_buffer_append(token, list.words.data, list.words.length - 1);
    pv_buffer_free(&list.words);
    return status;
}

/* ---- One word ----------------------------------------------------------------------------- */

static psdvec_status find_one(psdvec_context *ctx, const psdvec_model *model, const char *text,
                              size_t length, uint32_t *i)
{
    *i = PSDVEC_UNKNOWN_WORD;
    if (psdvec_model_find(model, text, length, i))
        return PSDVEC_OK;
    pv_buffer word = {.ctx = ctx};
    bool own;
    uint32_t tokenised = PSDVEC_UNKNOWN_WORD;
    psdvec_status status;
    PV_TRY_DONE(pv_model_tokenise(ctx, model, text, length, &word, &own));
    if (!psdvec_model_find(model, word.data, word.length, &tokenised))
        tokenised = PSDVEC_UNKNOWN_WORD;
    if (!own)
        PV_TRY_DONE(pv_model_find_forms(ctx, model, text, length, UINT32_MAX, &word, i));
    if (*i == PSDVEC_UNKNOWN_WORD)
        *i = tokenised;
done:
    pv_buffer_free(&word);
    return status;
}

/* ---- Several words ------------------------------------------------------------------------- */

static bool is_break(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '-' || c == '_';
}

/* Splits at blanks, hyphens and underscores, without normalisation. */
static psdvec_status split(const char *text, size_t length, word_list *list)
{
    for (size_t k = 0; k < length;) {
        size_t begin = k;
        while (k < length && !is_break(text[k]))
            k++;
        if (k > begin)
            PV_TRY(add_word(list, text + begin, k - begin));
        k += k < length;
    }
    return PSDVEC_OK;
}

/* Finds new_york or new-york for new and york. */
static psdvec_status find_joined(psdvec_context *ctx, const psdvec_model *model,
                                 const word_list *list, uint32_t *i)
{
    static const char joints[] = "_-";
    psdvec_status status = PSDVEC_OK;
    pv_buffer joined = {.ctx = ctx}, form = {.ctx = ctx};
    *i = PSDVEC_UNKNOWN_WORD;
    for (const char *joint = joints; *joint && *i == PSDVEC_UNKNOWN_WORD; joint++) {
        joined.length = 0;
        PV_TRY_DONE(pv_buffer_append(&joined, list->words.data, list->words.length - 1));
        for (size_t k = 0; k < joined.length; k++)
            if (joined.data[k] == '\0')
                joined.data[k] = *joint;
        PV_TRY_DONE(
            pv_model_find_forms(ctx, model, joined.data, joined.length, UINT32_MAX, &form, i));
    }
done:
    pv_buffer_free(&joined);
    pv_buffer_free(&form);
    return status;
}

static psdvec_status give_parts(psdvec_context *ctx, const psdvec_model *model,
                                const word_list *list, psdvec_part_fn *on_part, void *user)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer form = {.ctx = ctx};
    const char *word = list->words.data;
    for (size_t k = 0; k < list->count && status == PSDVEC_OK; k++) {
        size_t length = strlen(word), found_length = length;
        uint32_t i;
        status = pv_model_find_forms(ctx, model, word, length, UINT32_MAX, &form, &i);
        const char *found = word;
        if (status == PSDVEC_OK && i != PSDVEC_UNKNOWN_WORD)
            found = psdvec_model_word(model, i, &found_length);
        if (status == PSDVEC_OK)
            on_part(user, found, found_length, i);
        word += length + 1;
    }
    pv_buffer_free(&form);
    return status;
}

psdvec_status psdvec_model_find_parts(psdvec_context *ctx, const psdvec_model *model,
                                      const char *text, size_t length, psdvec_part_fn *on_part,
                                      void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, text);
    PV_NEED(ctx, on_part);
    uint32_t i;
    size_t found_length;
    bool own;
    psdvec_status status;
    word_list list = {.words = {.ctx = ctx}, .split = model}, raw = {.words = {.ctx = ctx}};
    PV_TRY(find_one(ctx, model, text, length, &i));
    if (i == PSDVEC_UNKNOWN_WORD) {
        PV_TRY_DONE(tokenise(ctx, model, text, length, &list, &own));
        PV_TRY_DONE(split(text, length, &raw));
        if (raw.count > 1)
            PV_TRY_DONE(find_joined(ctx, model, &raw, &i));
        if (i == PSDVEC_UNKNOWN_WORD && list.count > 1)
            PV_TRY_DONE(find_joined(ctx, model, &list, &i));
    }
    if (i != PSDVEC_UNKNOWN_WORD) {
        const char *word = psdvec_model_word(model, i, &found_length);
        on_part(user, word, found_length, i);
        status = PSDVEC_OK;
    } else /* without the model's tokeniser, letters are kept */
        status = give_parts(ctx, model, own ? &list : &raw, on_part, user);
done:
    pv_buffer_free(&list.words);
    pv_buffer_free(&raw.words);
    return status;
}

/* ---- The calls ---------------------------------------------------------------------------- */

psdvec_status psdvec_model_find_normalized(psdvec_context *ctx, const psdvec_model *model,
                                           const char *text, size_t length, uint32_t *i)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, i);
    *i = PSDVEC_UNKNOWN_WORD;
    PV_NEED(ctx, model);
    PV_NEED(ctx, text);
    return find_one(ctx, model, text, length, i);
}

psdvec_status psdvec_model_normalize(psdvec_context *ctx, const psdvec_model *model,
                                     const char *text, size_t length, char *word, size_t room,
                                     size_t *needed)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, needed);
    *needed = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, text);
    PV_NEED_ARRAY(ctx, word, room);
    pv_buffer token = {.ctx = ctx};
    bool own;
    psdvec_status status = pv_model_tokenise(ctx, model, text, length, &token, &own);
    if (status == PSDVEC_OK) {
        size_t kept = token.length < room ? token.length : room;
        if (kept)
            memcpy(word, token.data, kept);
        if (token.length < room)
            word[token.length] = '\0';
        *needed = token.length;
    }
    pv_buffer_free(&token);
    return status;
}

psdvec_status psdvec_model_tokenize(psdvec_context *ctx, const psdvec_model *model,
                                    const char *text, size_t length, psdvec_token_fn *on_token,
                                    void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, text, length);
    PV_NEED(ctx, on_token);
    psdvec_model *m = pv_model_words(model); /* the rules are a cache */
    pv_host_tokens host = {.on_token = on_token, .user = user};
    PV_TRY(ensure_rules(ctx, m));
    return pv_tokens_by_rules(ctx, m->rules, text, length, PV_TOKEN_BATCH, NULL,
                              &(pv_token_sink){.take = pv_host_tokens_take, .user = &host});
}
