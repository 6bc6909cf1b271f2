/* Phrase sets: reading, the trie, and joining. */
#include "corpus/phrases.h"

#include "base/file.h"
#include "base/safetensors_read.h"
#include "corpus/options.h"
#include "corpus/tokens.h"

#include <stdlib.h>
#include <string.h>

/* The first `stop` in [from, end), or `end`. */
static const char *until(const char *from, const char *end, char stop)
{
    const char *found = from < end ? memchr(from, stop, (size_t)(end - from)) : NULL;
    return found ? found : end;
}

/* ---- The trie ------------------------------------------------------------------------------ */

static size_t slot_of(uint64_t key, size_t mask)
{
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(key >> 20) & mask;
}

/* The child of `node` for a word, or 0. Children of the root are in `first`. */
static uint32_t follow(const pv_phrases *p, uint32_t node, uint32_t word)
{
    uint64_t key = (uint64_t)node << 32 | word;
    for (size_t k = slot_of(key, p->edge_mask);; k = (k + 1) & p->edge_mask)
        if (p->edge[k] == key || p->edge[k] == 0)
            return p->edge[k] == key ? p->edge_node[k] : 0;
}

static void add_edge(pv_phrases *p, uint32_t node, uint32_t word, uint32_t to)
{
    uint64_t key = (uint64_t)node << 32 | word;
    size_t k = slot_of(key, p->edge_mask);
    while (p->edge[k])
        k = (k + 1) & p->edge_mask;
    p->edge[k] = key;
    p->edge_node[k] = to;
    p->inner[node] = true;
}

static void add_phrase(pv_phrases *p, uint32_t i, uint32_t *words, uint32_t *nodes)
{
    size_t length;
    const char *at = pv_phrases_words(p, i, &length), *end = at + length;
    uint32_t node = 0;
    for (const char *stop; at < end; at = stop + 1) {
        stop = until(at, end, ' ');
        uint32_t word = *words, next;
        uint64_t begin = p->offsets[word];
        memcpy(p->bytes + begin, at, (size_t)(stop - at));
        p->offsets[word + 1] = begin + (uint64_t)(stop - at);
        *words += pv_word_index_add(&p->words, word, &word);
        next = node ? follow(p, node, word) : p->first[word];
        if (!next) {
            next = ++*nodes;
            if (node)
                add_edge(p, node, word, next);
            else
                p->first[word] = next;
        }
        node = next;
    }
    p->phrase[node] = i + 1;
}

typedef struct span {
    const char *text;
    size_t length;
} span;

static int by_bytes(const void *a, const void *b)
{
    const span *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

bool pv_phrase_list_check(pv_phrase_list list, uint64_t *count)
{
    span before = {0};
    const char *end = list.length ? list.lines + list.length : list.lines;
    *count = 0;
    for (const char *at = list.lines, *stop; at < end; at = stop + 1) {
        stop = until(at, end, '\n');
        span line = {at, (size_t)(stop - at)};
        size_t words = 0;
        for (const char *word = at, *gap; word <= stop; word = gap + 1, words++) {
            gap = until(word, stop, ' ');
            if (gap == word)
                return false;
        }
        if (stop == end || words < 2 || (before.text && by_bytes(&before, &line) >= 0))
            return false;
        before = line;
        ++*count;
    }
    return true;
}

static psdvec_status make_list(pv_phrases *p, const char *lines, size_t length, size_t *words)
{
    size_t most = 0, n = 0;
    span *spans;
    pv_scope scope = {.ctx = p->ctx, .what = "the list of phrases"};
    psdvec_status status;
    for (size_t k = 0; k < length; k++)
        most += lines[k] == '\n';
    PV_TAKE(&scope, spans, most + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    const char *end = length ? lines + length : lines;
    for (const char *at = lines, *stop; at < end; at = stop + 1) {
        stop = until(at, end, '\n');
        if (until(at, stop, ' ') < stop)
            spans[n++] = (span){at, (size_t)(stop - at)};
    }
    if (n)
        qsort(spans, n, sizeof *spans, by_bytes);
    if (n >= UINT32_MAX / 64)
        PV_TRY_DONE(pv_fail(p->ctx, PSDVEC_ERR_OVERFLOW, "there are too many phrases"));
    PV_TAKE(&p->memory, p->line, n + 1);
    PV_TRY_DONE(pv_scope_status(&p->memory));
    for (size_t k = 0; k < n; k++) {
        if (k && by_bytes(&spans[k - 1], &spans[k]) == 0)
            continue;
        p->line[p->count++] = p->list.length;
        PV_TRY_DONE(pv_buffer_append(&p->list, spans[k].text, spans[k].length));
        PV_TRY_DONE(pv_buffer_byte(&p->list, '\n'));
    }
    p->line[p->count] = p->list.length;
    PV_TRY_DONE(pv_buffer_append(&p->joined, p->list.data, p->list.length));
    *words = p->count;
    for (size_t k = 0; k < p->joined.length; k++)
        if (p->joined.data[k] == ' ') {
            p->joined.data[k] = '_';
            ++*words;
        }
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_phrases_make(pv_phrases *p, psdvec_context *ctx, const char *lines, size_t length)
{
    *p = (pv_phrases){.ctx = ctx,
                      .memory = {.ctx = ctx, .what = "the phrases"},
                      .list = {.ctx = ctx},
                      .joined = {.ctx = ctx}};
    size_t most = 0, slots = 64;
    uint32_t words = 0, nodes = 0;
    PV_TRY(make_list(p, lines, length, &most));
    while (slots < 2 * most)
        slots *= 2;
    p->edge_mask = slots - 1;
    PV_TAKE(&p->memory, p->bytes, p->list.length + 1);
    PV_TAKE_ZERO(&p->memory, p->offsets, most + 2);
    PV_TAKE_ZERO(&p->memory, p->first, most + 1);
    PV_TAKE_ZERO(&p->memory, p->phrase, most + 1);
    PV_TAKE_ZERO(&p->memory, p->inner, most + 1);
    PV_TAKE_ZERO(&p->memory, p->edge, slots);
    PV_TAKE_ZERO(&p->memory, p->edge_node, slots);
    PV_TRY(pv_scope_status(&p->memory));
    PV_TRY(pv_word_index_init(&p->words, ctx, (uint32_t)most, p->bytes, p->offsets, "the phrases"));
    for (uint32_t i = 0; i < p->count; i++)
        add_phrase(p, i, &words, &nodes);
    return PSDVEC_OK;
}

void pv_phrases_free(pv_phrases *p)
{
    if (!p->ctx)
        return;
    pv_word_index_free(&p->words);
    pv_buffer_free(&p->list);
    pv_buffer_free(&p->joined);
    pv_scope_free(&p->memory);
}

bool pv_phrases_find_words(const pv_phrases *p, const char *words, size_t length, uint32_t *i)
{
    span wanted = {words, length};
    for (uint32_t low = 0, high = p->count; low < high;) {
        span middle;
        *i = low + (high - low) / 2;
        middle.text = pv_phrases_words(p, *i, &middle.length);
        int order = by_bytes(&wanted, &middle);
        if (order == 0)
            return true;
        if (order < 0)
            high = *i;
        else
            low = *i + 1;
    }
    return false;
}

bool pv_phrases_find_joined(const pv_phrases *p, pv_buffer *scratch, const char *text,
                            size_t length, uint32_t *i)
{
    scratch->length = 0;
    if (!memchr(text, '_', length) || pv_buffer_append(scratch, text, length) != PSDVEC_OK)
        return false;
    for (size_t k = 0; k < length; k++)
        if (scratch->data[k] == '_')
            scratch->data[k] = ' ';
    return pv_phrases_find_words(p, scratch->data, length, i);
}

/* ---- Joining ------------------------------------------------------------------------------- */

static const char *text_of(const pv_token *token, const char *normal)
{
    return token->kind == PV_TOKEN_RAW ? normal + (uintptr_t)token->text : token->text;
}

size_t pv_phrases_join(const pv_phrases *p, const pv_token *in, size_t count, const char *normal,
                       bool last, pv_token *out, size_t *used)
{
    const uint32_t unknown = UINT32_MAX;
    size_t n = 0, at = 0, seen = SIZE_MAX; /* in[seen] is `seen_word` */
    uint32_t seen_word = unknown;
    while (at < count) {
        uint32_t node = 0, found = 0;
        size_t end = at + 1; /* of the match */
        for (size_t k = at; k < count && in[k].kind <= PV_TOKEN_RAW; k++) {
            uint32_t word = unknown;
            if (k == seen)
                word = seen_word;
            else if (!pv_word_index_find(&p->words, text_of(&in[k], normal), in[k].length, &word))
                word = unknown;
            seen = k;
            seen_word = word;
            node = word == unknown ? 0 : k == at ? p->first[word] : follow(p, node, word);
            if (!node)
                break;
            if (p->phrase[node]) {
                found = p->phrase[node];
                end = k + 1;
            }
            if (!p->inner[node])
                break;
            if (k + 1 == count && !last) {
                *used = at;
                return n;
            }
        }
        out[n] = in[at];
        if (in[at].kind == PV_TOKEN_RAW) {
            out[n].text = text_of(&in[at], normal);
            out[n].kind = PV_TOKEN_READY;
        }
        if (found) {
            uint64_t begin = p->line[found - 1];
            out[n].kind = PV_TOKEN_READY;
            out[n].text = p->joined.data + begin;
            out[n].length = (uint32_t)(p->line[found] - begin - 1);
        }
        n++;
        at = end;
    }
    *used = at;
    return n;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* The words of a list, one per line, as they become tokens. */
typedef struct word_forms {
    pv_token_sink sink;
    pv_buffer *tokens;    /* of the current line */
    size_t count;         /* of them */
    const char *at, *end; /* lines not yet done */
    const char *breaks;   /* per line of a word: what follows it, a blank or the end of a phrase */
    pv_buffer *out;
} word_forms;

static psdvec_status take_form(void *user, const pv_token *tokens, size_t count)
{
    word_forms *f = user;
    for (size_t k = 0; k < count; k++) {
        if (tokens[k].kind == PV_TOKEN_READY) {
            if (f->count++ == 0)
                PV_TRY(pv_buffer_append(f->tokens, tokens[k].text, tokens[k].length));
            continue;
        }
        const char *stop = until(f->at, f->end, '\n');
        if (stop == f->end)
            continue;
        /* A word that does not give exactly one token stays as it is: in context it may be a
         * word. */
        bool one = f->count == 1;
        PV_TRY(pv_buffer_append(f->out, one ? f->tokens->data : f->at,
                                one ? f->tokens->length : (size_t)(stop - f->at)));
        PV_TRY(pv_buffer_byte(f->out, *f->breaks++));
        f->at = stop + 1;
        f->count = 0;
        f->tokens->length = 0;
    }
    return PSDVEC_OK;
}

/* Puts each word of a list on a separate line, and the separator after it in `breaks`. */
static psdvec_status split_list(const char *list, size_t length, pv_buffer *words,
                                pv_buffer *breaks)
{
    for (const char *at = list, *end = list + length, *stop; at < end; at = stop + 1) {
        stop = until(at, end, '\n');
        const char *close = until(at, stop, '\t');
        size_t first = breaks->length;
        while (close > at && (close[-1] == ' ' || close[-1] == '\r'))
            close--;
        char blank = until(at, close, ' ') < close ? ' ' : '_';
        for (const char *p = at, *gap; p < close; p = gap + 1) {
            gap = until(p, close, blank);
            if (gap == p)
                continue;
            PV_TRY(pv_buffer_append(words, p, (size_t)(gap - p)));
            PV_TRY(pv_buffer_byte(words, '\n'));
            PV_TRY(pv_buffer_byte(breaks, ' '));
        }
        if (breaks->length > first)
            breaks->data[breaks->length - 1] = '\n';
    }
    return PSDVEC_OK;
}

static psdvec_status read_list(pv_phrases *p, psdvec_context *ctx,
                               const psdvec_text_options *options, const char *list, size_t length)
{
    psdvec_text_options plain = *options;
    pv_buffer words = {.ctx = ctx}, breaks = {.ctx = ctx}, tokens = {.ctx = ctx},
              out = {.ctx = ctx};
    word_forms forms = {
        .sink = {.take = take_form, .user = &forms}, .tokens = &tokens, .out = &out};
    psdvec_status status;
    pv_text_options_plain(&plain);
    plain.phrases = plain.encoding = NULL;
    plain.document = PSDVEC_DOCUMENT_LINE;
    plain.sentences = false;
    plain.min_document_words = 1;
    if (length) /* else the list is NULL */
        PV_TRY_DONE(split_list(list, length, &words, &breaks));
    if (words.length) {
        forms.at = words.data;
        forms.end = words.data + words.length;
        forms.breaks = breaks.data;
        PV_TRY_DONE(pv_tokens_of_text(ctx, &plain, NULL, words.data, words.length, &forms.sink));
    }
    status = pv_phrases_make(p, ctx, out.data, out.length);
done:
    pv_buffer_free(&words);
    pv_buffer_free(&breaks);
    pv_buffer_free(&tokens);
    pv_buffer_free(&out);
    return status;
}

/* Whether a file starts like a safetensors file: a header length and a JSON object. */
static bool is_safetensors(const pv_map *map)
{
    return map->size > 9 && map->data[8] == '{' && map->data[7] == 0;
}

psdvec_status pv_phrases_read(pv_phrases *p, psdvec_context *ctx,
                              const psdvec_text_options *options, const char *path)
{
    pv_map map = {0};
    pv_st_file *file = NULL;
    psdvec_status status;
    *p = (pv_phrases){.ctx = ctx};
    if (strcmp(path, "auto") == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`phrases` auto finds phrases in text that is counted or trained on; here, "
                       "name a list of phrases (./auto for a file of that name)");
    PV_TRY(pv_map_open(ctx, path, false, &map));
    if (is_safetensors(&map)) {
        PV_TRY_DONE(pv_st_open_memory(ctx, path, map.data, map.size, &file));
        const pv_tensor *list = pv_st_tensor(file, PV_PHRASES_TENSOR);
        if (!list || list->dtype != PV_DTYPE_U8)
            PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_FORMAT,
                                "%s: has no phrases; give a list of phrases, or a file that was "
                                "made with phrases",
                                path));
        uint64_t count;
        if (!pv_phrase_list_check((pv_phrase_list){list->data, list->bytes}, &count))
            PV_TRY_DONE(pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                                "%s: the list of phrases is damaged; make the file anew", path));
        status = pv_phrases_make(p, ctx, list->data, list->bytes);
    } else {
        PV_TRY_DONE(read_list(p, ctx, options, (const char *)map.data, map.size));
        if (p->count == 0)
            status =
                pv_fail(ctx, PSDVEC_ERR_EMPTY,
                        "%s: has no phrase of two or more words; each line must have one, with "
                        "its words separated by blanks",
                        path);
    }
done:
    pv_st_close(file);
    pv_map_close(ctx, &map);
    return status;
}
