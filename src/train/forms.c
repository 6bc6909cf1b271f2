/* Counting how the words of a vocabulary are written in a text. */
#include "train/forms.h"

#include "base/thread.h"
#include "base/word_index.h"
#include "corpus/tokens.h"
#include "count/vocabulary.h"

static const char what[] = "the spellings of words";

typedef struct forms_job {
    psdvec_context *ctx;
    const pv_text_rules *counting; /* with which the vocabulary was made */
    const pv_text_rules *written;  /* the same, but without case folding */
    const pv_word_index *words;
    pv_corpus *corpus;
    pv_text_faults faults;
    pthread_mutex_t lock;
    pv_word_table forms; /* value: occurrences, of all workers */
} forms_job;

typedef struct reader {
    forms_job *job;
    pv_word_form form;    /* from a RAW token to a form */
    pv_word_form counted; /* from a form to the word that is counted */
    pv_word_table forms;  /* value: occurrences */
    bool inside;          /* whether this is not the first word of a sentence */
} reader;

/* Finds the word that a form is counted as; false if it is not in the vocabulary. */
static psdvec_status find_word(const forms_job *job, pv_word_form *counted, const char *form,
                               size_t length, bool *known, uint32_t *word)
{
    const pv_token token = {.text = form, .length = (uint32_t)length, .kind = PV_TOKEN_RAW};
    const char *text;
    size_t text_length;
    PV_TRY(pv_word_form_of(counted, &token, &text, &text_length));
    *known = text_length > 0 && pv_word_index_find(job->words, text, text_length, word);
    return PSDVEC_OK;
}

static psdvec_status add_form(reader *r, const char *form, size_t length, const pv_word_key *key)
{
    uint32_t id, word;
    if (!pv_word_table_find(&r->forms, key, &id)) {
        bool known;
        PV_TRY(find_word(r->job, &r->counted, form, length, &known, &word));
        if (!known)
            return PSDVEC_OK;
        PV_TRY(pv_word_table_add(&r->forms, key, &id));
    }
    r->forms.words[id].value++;
    return PSDVEC_OK;
}

static psdvec_status take(void *user, const pv_token *tokens, size_t count)
{
    reader *r = user;
    for (size_t i = 0; i < count; i++) {
        const pv_token *token = &tokens[i];
        pv_word_key key;
        if (token->kind > PV_TOKEN_RAW) {
            r->inside = false;
            continue;
        }
        const char *form = token->text;
        size_t length = token->length;
        if (token->kind == PV_TOKEN_RAW) {
            PV_TRY(pv_word_form_of(&r->form, token, &form, &length));
            if (length == 0)
                continue;
            key = pv_word_key_exact(form, (uint32_t)length);
        } else {
            pv_word_key_set(&key, form, token->length);
        }
        if (r->inside)
            PV_TRY(add_form(r, form, length, &key));
        r->inside = true;
    }
    return PSDVEC_OK;
}

static psdvec_status is_word(void *user, const pv_token *raw, bool *is)
{
    reader *r = user;
    const char *form;
    size_t length;
    PV_TRY(pv_word_form_of(&r->form, raw, &form, &length));
    *is = length > 0;
    return PSDVEC_OK;
}

static psdvec_status begin_segment(void *user, const pv_segment *segment)
{
    (void)segment;
    ((reader *)user)->inside = false;
    return PSDVEC_OK;
}

static psdvec_status read_forms(void *opaque, int worker)
{
    (void)worker;
    forms_job *job = opaque;
    reader r = {.job = job};
    psdvec_status status;
    pv_token_sink sink = {
        .take = take, .user = &r, .is_word = is_word, .begin = begin_segment, .stage = what};
    pv_word_form_init(&r.form, job->ctx, job->written);
    pv_word_form_init(&r.counted, job->ctx, job->counting);
    PV_TRY_DONE(pv_word_table_init(&r.forms, job->ctx, 1000));
    PV_TRY_DONE(pv_tokens_of_corpus(job->ctx, job->written, job->corpus, &job->faults, &sink));
    pthread_mutex_lock(&job->lock);
    for (uint32_t i = 0; i < r.forms.count && status == PSDVEC_OK; i++) {
        pv_word_key key = pv_word_key_padded(pv_word_text(&r.forms, i), r.forms.words[i].length);
        uint32_t id;
        status = pv_word_table_find_or_add(&job->forms, &key, &id);
        if (status == PSDVEC_OK)
            job->forms.words[id].value += r.forms.words[i].value;
    }
    pthread_mutex_unlock(&job->lock);
done:
    pv_word_table_free(&r.forms);
    pv_word_form_free(&r.form);
    pv_word_form_free(&r.counted);
    return status;
}

/* True if form a is more frequent; ties are resolved by byte order. */
static bool is_better(const pv_word_table *forms, uint32_t a, uint32_t b)
{
    const pv_word *x = &forms->words[a], *y = &forms->words[b];
    return pv_compare_words(x->value, pv_word_text(forms, a), x->length, y->value,
                            pv_word_text(forms, b), y->length) < 0;
}

static psdvec_status choose(forms_job *job, const psdvec_counts *counts, pv_forms *out)
{
    psdvec_context *ctx = job->ctx;
    uint32_t words = counts->info.words, *best;
    psdvec_status status;
    pv_word_form counted;
    pv_scope scope = {.ctx = ctx, .what = what};
    pv_word_form_init(&counted, ctx, job->counting);
    PV_TAKE(&scope, best, words);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t w = 0; w < words; w++)
        best[w] = PV_NO_WORD;
    for (uint32_t i = 0; i < job->forms.count; i++) {
        uint32_t w;
        bool known;
        PV_TRY_DONE(find_word(job, &counted, pv_word_text(&job->forms, i),
                              job->forms.words[i].length, &known, &w));
        if (known && (best[w] == PV_NO_WORD || is_better(&job->forms, i, best[w])))
            best[w] = i;
    }
    out->offsets = pv_alloc_zero(ctx, (size_t)words + 1, sizeof *out->offsets, what);
    PV_TRY_DONE(out->offsets ? PSDVEC_OK : pv_failure(ctx));
    for (uint32_t w = 0; w < words; w++) {
        size_t length;
        const char *word = psdvec_counts_word(counts, w, &length);
        if (best[w] != PV_NO_WORD) {
            const char *form = pv_word_text(&job->forms, best[w]);
            size_t form_length = job->forms.words[best[w]].length;
            if (form_length != length || memcmp(form, word, length) != 0)
                PV_TRY_DONE(pv_buffer_append(&out->bytes, form, form_length));
        }
        out->offsets[w + 1] = out->bytes.length;
    }
done:
    pv_word_form_free(&counted);
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_forms_make(psdvec_context *ctx, const psdvec_text_options *options,
                            const char *const *inputs, size_t input_count,
                            const psdvec_counts *counts, pv_forms *out)
{
    *out = (pv_forms){.bytes = {.ctx = ctx}};
    pv_scope scope = {.ctx = ctx, .what = what};
    pv_text_rules *counting, *written;
    PV_TAKE(&scope, counting, 1);
    PV_TAKE(&scope, written, 1);
    psdvec_status status = pv_scope_status(&scope);
    if (status != PSDVEC_OK) {
        pv_scope_free(&scope);
        return status;
    }
    pv_text_rules_init(counting, options);
    psdvec_text_options as_written = counting->options;
    as_written.letter_case = PSDVEC_CASE_KEEP;
    as_written.accents = PSDVEC_ACCENTS_KEEP;
    as_written.sentences = true;
    pv_text_rules_init(written, &as_written);

    pv_word_index index = {0};
    pv_inputs files = {0};
    forms_job job = {.ctx = ctx, .counting = counting, .written = written, .words = &index};
    pthread_mutex_init(&job.lock, NULL);
    pv_text_faults_init(&job.faults, ctx); /* counting has already reported them */
    if (counting->options.letter_case == PSDVEC_CASE_KEEP &&
        counting->options.accents == PSDVEC_ACCENTS_KEEP)
        goto done;
    uint32_t words = counts->info.words;
    PV_TRY_DONE(pv_word_table_init(&job.forms, ctx, words));
    PV_TRY_DONE(pv_word_index_init(&index, ctx, words, counts->bytes, counts->offsets, what));
    pv_word_index_add_all(&index, words);
    PV_TRY_DONE(pv_inputs_expand(ctx, inputs, input_count, &files));
    PV_TRY_DONE(pv_corpus_new(ctx, &files, &written->options, what, &job.corpus));
    PV_TRY_DONE(pv_parallel(ctx, read_forms, &job));
    pv_progress_end(pv_corpus_progress(job.corpus));
    status = choose(&job, counts, out);
done:
    pv_corpus_free(job.corpus);
    pv_inputs_free(&files);
    pv_word_index_free(&index);
    pv_word_table_free(&job.forms);
    pv_text_faults_free(&job.faults);
    pthread_mutex_destroy(&job.lock);
    pv_scope_free(&scope);
    return status;
}

void pv_forms_free(pv_forms *forms)
{
    psdvec_context *ctx = forms->bytes.ctx;
    if (ctx)
        pv_free(ctx, forms->offsets);
    pv_buffer_free(&forms->bytes);
    *forms = (pv_forms){0};
}
