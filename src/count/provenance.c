/* Settings and inputs as JSON, comparison of settings, and keys of interrupted runs. */
#include "count/provenance.h"

#include "base/json.h"
#include "base/platform.h"
#include "base/safetensors_read.h"
#include "corpus/tokenizer.h"
#include "count/count.h"
#include "count/counts_read.h"
#include "count/options.h"
#include "count/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

void pv_provenance_init(pv_provenance *p, psdvec_context *ctx)
{
    *p = (pv_provenance){.memory = {.ctx = ctx, .what = "the list of inputs"}};
}

void pv_provenance_free(pv_provenance *p)
{
    pv_scope_free(&p->memory);
    pv_provenance_init(p, p->memory.ctx);
}

/* ---- Settings --------------------------------------------------------------------- */

static const char *copy_of(pv_provenance *p, const char *text)
{
    char *copy;
    size_t size = strlen(text) + 1;
    if (PV_TAKE(&p->memory, copy, size))
        memcpy(copy, text, size);
    return copy;
}

psdvec_status pv_provenance_describe(pv_provenance *p, const char *settings, const char *vocabulary)
{
    p->settings = copy_of(p, settings);
    p->vocabulary = copy_of(p, vocabulary);
    return pv_scope_status(&p->memory);
}

psdvec_status pv_provenance_set_phrases(pv_provenance *p, pv_phrase_list phrases)
{
    char *copy;
    p->phrases = (pv_phrase_list){0};
    if (phrases.length == 0)
        return PSDVEC_OK;
    PV_TAKE(&p->memory, copy, phrases.length);
    PV_TRY(pv_scope_status(&p->memory));
    memcpy(copy, phrases.lines, phrases.length);
    p->phrases = (pv_phrase_list){copy, phrases.length};
    return PSDVEC_OK;
}

psdvec_status pv_provenance_set(pv_provenance *p, const psdvec_count_options *options)
{
    psdvec_count_options resolved = *options;
    pv_text_rules *rules;
    PV_TAKE(&p->memory, rules, 1);
    PV_TRY(pv_scope_status(&p->memory));
    pv_text_rules_init(rules, &options->text);
    resolved.text = rules->options; /* with the defaults filled in */
    pv_scope_drop(&p->memory, rules);
    psdvec_status status;
    pv_buffer json = {.ctx = p->memory.ctx};
    pv_json_writer w;
    pv_json_writer_init(&w, &json);
    pv_json_open_object(&w, NULL);
    pv_options_put_json(&w, &pv_count_table, &resolved);
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    PV_TRY_DONE(pv_buffer_byte(&json, 0));

    size_t vocabulary = json.length;
    pv_json_writer_init(&w, &json);
    pv_json_open_object(&w, NULL);
    if (options->vocab_file) {
        pv_json_put_bool(&w, "list", true);
    } else {
        pv_json_put_u64(&w, "min_count", options->min_count);
        pv_json_put_u64(&w, "max_vocab", options->max_vocab);
        if (options->keep_words_count)
            pv_json_put_u64(&w, "keep", options->keep_words_count);
    }
    pv_json_close(&w);
    PV_TRY_DONE(pv_json_writer_status(&w));
    PV_TRY_DONE(pv_buffer_byte(&json, 0));
    status = pv_provenance_describe(p, json.data, json.data + vocabulary);
    p->window = options->window;
    p->scale = pv_window_scale(options->window, options->distance, options->subsample > 0);
done:
    pv_buffer_free(&json);
    return status;
}

psdvec_status pv_provenance_read_settings(psdvec_context *ctx, const char *path, const char *json,
                                          psdvec_count_options *options, pv_buffer *strings)
{
    pv_buffer imported = {.ctx = ctx};
    psdvec_status status = pv_json_member(json, "imported", &imported);
    bool is_imported = imported.length > 0;
    pv_buffer_free(&imported);
    PV_TRY(status);
    if (is_imported)
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "%s: was trained on imported counts, so the tokenizer of its text is "
                       "unknown; count the new text with suitable options, and give the counts "
                       "file",
                       path);
    return pv_options_read_json(ctx, &pv_count_table, path, "counting", json, NULL, options,
                                strings);
}

/* ---- Inputs ------------------------------------------------------------------------- */

const char *pv_provenance_name(const psdvec_context *ctx, const char *name)
{
    if (strncmp(name, "/dev/fd/", 8) != 0)
        return name;
    return ctx->input_name ? ctx->input_name : "/dev/fd";
}

psdvec_status pv_provenance_add_input(pv_provenance *p, const pv_input_note *note)
{
    const char *name = copy_of(p, pv_provenance_name(p->memory.ctx, note->name));
    PV_TRY(PV_RESERVE(&p->memory, p->inputs, p->input_capacity, p->input_count + 1));
    p->inputs[p->input_count] = *note;
    p->inputs[p->input_count++].name = name;
    return PSDVEC_OK;
}

static int by_note(const void *a, const void *b)
{
    const pv_input_note *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order)
        return order;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->tokens != y->tokens)
        return x->tokens < y->tokens ? -1 : 1;
    return (x->documents > y->documents) - (x->documents < y->documents);
}

static const pv_json_field note_fields[] = {PV_JSON_FIELD(pv_input_note, files),
                                            PV_JSON_FIELD(pv_input_note, bytes),
                                            PV_JSON_FIELD(pv_input_note, documents),
                                            PV_JSON_FIELD(pv_input_note, tokens),
                                            {0}};

psdvec_status pv_provenance_inputs_json(pv_provenance *p, pv_buffer *json)
{
    if (p->input_count)
        qsort(p->inputs, p->input_count, sizeof *p->inputs, by_note);
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (size_t i = 0; i < p->input_count; i++) {
        const pv_input_note *note = &p->inputs[i];
        pv_json_open_object(&w, NULL);
        pv_json_put_string(&w, "name", note->name);
        pv_json_put_fields(&w, note_fields, note, false);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}

psdvec_status pv_provenance_add_inputs_json(pv_provenance *p, const char *path, const char *json)
{
    pv_json j;
    pv_buffer key = {.ctx = p->memory.ctx}, name = {.ctx = p->memory.ctx};
    psdvec_status status = PSDVEC_OK;
    pv_json_init(&j, json, strlen(json), 0);
    bool ok = pv_json_enter_array(&j);
    while (ok && pv_json_next_element(&j)) {
        pv_input_note note = {0};
        name.length = 0;
        ok = pv_json_enter_object(&j);
        for (key.length = 0; ok && pv_json_next_key(&j, &key); key.length = 0)
            ok = pv_json_text_is(&key, "name")
                     ? pv_json_read_string(&j, &name)
                     : pv_json_read_field(&j, key.data, key.length, note_fields, &note);
        ok = ok && !j.cause;
        if (ok) {
            PV_TRY_DONE(pv_buffer_byte(&name, '\0'));
            note.name = name.data;
            PV_TRY_DONE(pv_provenance_add_input(p, &note));
        }
    }
    if (!ok || !pv_json_finish(&j))
        status = pv_fail(p->memory.ctx, PSDVEC_ERR_CORRUPT,
                         "%s: its list of inputs cannot be read: %s", path,
                         j.cause ? j.cause : "not as expected");
done:
    pv_buffer_free(&key);
    pv_buffer_free(&name);
    return status;
}

/* ---- Comparing settings ------------------------------------------------------------ */

/* Converts settings to the form that this version writes. Settings that cannot be read, or that
 * come from another program's counts, are compared as written: `settings` stays NULL. A failure to
 * read them must not fail the run, so a separate context is used. */
static psdvec_status complete(psdvec_context *ctx, const char *written, pv_provenance *p)
{
    psdvec_context_options quiet = ctx->options;
    psdvec_context *reader;
    psdvec_count_options options;
    quiet.on_message = NULL;
    quiet.on_progress = NULL;
    quiet.threads = 1;
    if (psdvec_context_new(&quiet, &reader) != PSDVEC_OK)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
    pv_buffer strings = {.ctx = reader};
    psdvec_status status = PSDVEC_OK;
    if (pv_provenance_read_settings(reader, "settings", written, &options, &strings) == PSDVEC_OK)
        status = pv_provenance_set(p, &options);
    pv_buffer_free(&strings);
    psdvec_context_free(reader);
    return status;
}

/* The value of a member in the first of `count` lists that has it; empty if none does. */
static psdvec_status value_of(const char *const *lists, size_t count, const char *name,
                              pv_buffer *value)
{
    value->length = 0;
    for (size_t k = 0; k < count && value->length == 0; k++)
        PV_TRY(pv_json_member(lists[k], name, value));
    return PSDVEC_OK;
}

psdvec_status pv_settings_compare(psdvec_context *ctx, const char *here, const char *there,
                                  bool only_known, pv_buffer *differ)
{
    if (strcmp(here, there) == 0)
        return PSDVEC_OK;
    psdvec_status status;
    pv_provenance first, second;
    pv_buffer name = {.ctx = ctx}, a = {.ctx = ctx}, b = {.ctx = ctx};
    pv_provenance_init(&first, ctx);
    pv_provenance_init(&second, ctx);
    PV_TRY_DONE(complete(ctx, here, &first));
    PV_TRY_DONE(complete(ctx, there, &second));
    const char *lists[] = {first.settings ? first.settings : here, here,
                           second.settings ? second.settings : there, there};
    for (size_t k = 0; k < 4; k++) {
        pv_json j;
        pv_json_init(&j, lists[k], strlen(lists[k]), 0);
        pv_json_enter_object(&j);
        while (name.length = 0, pv_json_next_key(&j, &name)) {
            PV_TRY_DONE(pv_buffer_byte(&name, 0));
            PV_TRY_DONE(value_of(lists, k, name.data, &a));
            if (a.length) /* already compared */
                continue;
            PV_TRY_DONE(value_of(lists, 2, name.data, &a));
            PV_TRY_DONE(value_of(lists + 2, 2, name.data, &b));
            bool same = a.length == b.length && !memcmp(a.data, b.data, a.length);
            bool known = a.length && b.length && strcmp(a.data, "null") != 0 &&
                         strcmp(b.data, "null") != 0;
            const char *between = differ->length ? "; " : "";
            pv_st_shown shown = pv_st_show(name.data);
            if (!same && a.length && b.length && (known || !only_known))
                PV_TRY_DONE(pv_buffer_printf(differ, "%s%s %s, not %s", between, shown.text, a.data,
                                             b.data));
            else if (!same && !only_known)
                PV_TRY_DONE(pv_buffer_printf(differ, "%s%s %s only in the %s file", between,
                                             shown.text, a.length ? a.data : b.data,
                                             a.length ? "first" : "second"));
        }
        if (!pv_json_finish(&j) && differ->length == 0)
            PV_TRY_DONE(pv_buffer_text(differ, "one of them cannot be read"));
    }
done:
    pv_buffer_free(&name);
    pv_buffer_free(&a);
    pv_buffer_free(&b);
    pv_provenance_free(&first);
    pv_provenance_free(&second);
    return status;
}

/* ---- Keys of interrupted runs ------------------------------------------------------- */

psdvec_status pv_key_add_seed(pv_buffer *key)
{
    return pv_buffer_printf(key, "\nseed %llu\n", (unsigned long long)key->ctx->options.seed);
}

psdvec_status pv_key_add_file(pv_buffer *key, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return pv_fail_errno(key->ctx, PSDVEC_ERR_READ, "cannot read", path, errno);
    long long changed = pv_file_changed(&about), second = 1000000000;
    return pv_buffer_printf(key, "%s %llu %lld.%09lld\n", path, (unsigned long long)about.st_size,
                            changed / second, changed % second);
}

/* Adds the checksum of the phrases that the options name; nothing without phrases. */
static psdvec_status key_add_phrases(pv_buffer *key, const psdvec_text_options *options)
{
    pv_phrases phrases = {0};
    psdvec_status status;
    if (!options->phrases)
        return PSDVEC_OK;
    if (pv_phrases_auto(options))
        return pv_buffer_text(key, "phrases auto\n");
    PV_TRY_DONE(pv_phrases_read(&phrases, key->ctx, options, options->phrases));
    uint64_t hash = phrases.list.length ? XXH3_64bits(phrases.list.data, phrases.list.length) : 0;
    status = pv_buffer_printf(key, "phrases %u %016llx\n", phrases.count, (unsigned long long)hash);
done:
    pv_phrases_free(&phrases);
    return status;
}

psdvec_status pv_key_add_counts(pv_buffer *key, const char *path)
{
    psdvec_counts *counts = NULL;
    psdvec_status status;
    PV_TRY_DONE(pv_counts_open(key->ctx, path, &counts));
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    PV_TRY_DONE(pv_buffer_printf(key, "counts %s %llu\n", digest ? digest : "without checksum",
                                 (unsigned long long)counts->info.file_bytes));
    if (!digest)
        status = pv_key_add_file(key, path);
done:
    psdvec_counts_close(counts);
    return status;
}

psdvec_status pv_key_add_text(pv_buffer *key, const psdvec_count_options *count,
                              const char *const *inputs, size_t input_count, const char *output,
                              bool *again)
{
    psdvec_context *ctx = key->ctx;
    pv_inputs files;
    pv_provenance provenance;
    psdvec_status status;
    pv_provenance_init(&provenance, ctx);
    PV_TRY(pv_inputs_expand(ctx, inputs, input_count, &files));
    *again = true;
    PV_TRY_DONE(pv_provenance_set(&provenance, count));
    PV_TRY_DONE(pv_buffer_printf(key, "%s\n%s\nmin_count %llu max_vocab %u\n", provenance.settings,
                                 provenance.vocabulary, (unsigned long long)count->min_count,
                                 count->max_vocab));
    if (count->text.encoding)
        PV_TRY_DONE(pv_buffer_printf(key, "encoding %s\n", count->text.encoding));
    PV_TRY_DONE(key_add_phrases(key, &count->text));
    if (count->hold_out)
        PV_TRY_DONE(pv_buffer_printf(key, "hold_out %u\n", count->hold_out));
    if (count->vocab_file)
        PV_TRY_DONE(pv_key_add_file(key, count->vocab_file));
    for (size_t k = 0; k < count->keep_words_count; k++)
        PV_TRY_DONE(pv_buffer_printf(key, "keep %s\n", count->keep_words[k]));
    for (size_t k = 0; k < files.count; k++) {
        const pv_input_file *file = &files.files[k];
        const char *path = file->path;
        PV_TRY_DONE(pv_refuse_same_file(ctx, &path, 1, output));
        if (file->once)
            *again = false;
        PV_TRY_DONE(pv_buffer_printf(key, "%s %llu %lld\n", path, (unsigned long long)file->size,
                                     (long long)file->modified));
    }
done:
    pv_provenance_free(&provenance);
    pv_inputs_free(&files);
    return status;
}
