/* The compact layout of small model files.
 *
 *   words.lengths  a byte per word: its length, from 1 to 255
 *   forms.lengths  a byte per word: the length of its form in `forms`; 0: the form is the word;
 *                  255: the form is the word with its first letter, from a to z, as a capital
 *   counts.deltas  the difference of each frequency from the previous one (the first from 0),
 *                  modulo 2^64 and with its sign in the lowest bit (0, -1, 1, -2: 0, 1, 2, 3), in
 *                  groups of seven bits, the lowest first; the high bit of a byte means that more
 *                  follow. Words are sorted by frequency, so most differences take one byte.
 *
 * Nothing is lost: opening rebuilds the arrays of version 1. */
#include "model/compact.h"

#include <string.h>

enum { LONGEST_WORD = 255, LONGEST_FORM = 254, CAPITAL = 255, LONGEST_NUMBER = 10 };

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* Whether the form is the word with a capital first letter. */
static bool is_capitalised(const char *form, const char *word, size_t length)
{
    return is_small(word[0]) && form[0] == word[0] - 'a' + 'A' &&
           memcmp(form + 1, word + 1, length - 1) == 0;
}

/* The entry of forms.lengths for word i, or -1 if its form is too long. */
static int form_code(const pv_model_data *m, uint32_t i)
{
    uint64_t length = m->form_offsets[i + 1] - m->form_offsets[i];
    if (length == m->offsets[i + 1] - m->offsets[i] &&
        is_capitalised(m->forms + m->form_offsets[i], m->bytes + m->offsets[i], (size_t)length))
        return CAPITAL;
    return length <= LONGEST_FORM ? (int)length : -1;
}

bool pv_compact_applies(const pv_model_data *m)
{
    if (!m->only_readout || m->precision != PSDVEC_INT8)
        return false;
    for (uint32_t i = 0; i < m->words; i++)
        if (m->offsets[i + 1] - m->offsets[i] > LONGEST_WORD ||
            (m->form_offsets && form_code(m, i) < 0))
            return false;
    return true;
}

static psdvec_status put_bytes(pv_st_writer *w, const char *name, uint64_t count, const void *data)
{
    return pv_st_writer_tensor(w, name, PV_DTYPE_U8, 1, &count, data);
}

static psdvec_status put_forms(pv_st_writer *w, const pv_model_data *m, uint8_t *lengths,
                               pv_buffer *forms)
{
    for (uint32_t i = 0; i < m->words; i++) {
        lengths[i] = (uint8_t)form_code(m, i);
        if (lengths[i] != CAPITAL)
            PV_TRY(pv_buffer_append(forms, m->forms + m->form_offsets[i], lengths[i]));
    }
    PV_TRY(put_bytes(w, "forms", forms->length, forms->length ? forms->data : ""));
    return put_bytes(w, "forms.lengths", m->words, lengths);
}

static psdvec_status put_counts(pv_st_writer *w, const pv_model_data *m, pv_buffer *deltas)
{
    for (uint32_t i = 0; i < m->words; i++) {
        uint64_t delta = m->counts[i] - (i ? m->counts[i - 1] : 0);
        uint64_t rest = delta << 1 ^ (delta >> 63 ? UINT64_MAX : 0);
        for (; rest > 127; rest >>= 7)
            PV_TRY(pv_buffer_byte(deltas, (char)(rest | 128)));
        PV_TRY(pv_buffer_byte(deltas, (char)rest));
    }
    return put_bytes(w, "counts.deltas", deltas->length, deltas->data);
}

psdvec_status pv_compact_put(psdvec_context *ctx, pv_st_writer *w, const pv_model_data *m)
{
    psdvec_status status;
    uint8_t *lengths;
    pv_buffer forms = {.ctx = ctx}, deltas = {.ctx = ctx};
    pv_scope scope = {.ctx = ctx, .what = "the words"};
    PV_TAKE(&scope, lengths, m->words);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t i = 0; i < m->words; i++)
        lengths[i] = (uint8_t)(m->offsets[i + 1] - m->offsets[i]);
    PV_TRY_DONE(put_bytes(w, "words", m->offsets[m->words], m->bytes));
    PV_TRY_DONE(put_bytes(w, "words.lengths", m->words, lengths));
    if (m->form_offsets && m->form_offsets[m->words] > 0)
        PV_TRY_DONE(put_forms(w, m, lengths, &forms));
    if (m->counts)
        PV_TRY_DONE(put_counts(w, m, &deltas));
    status = PSDVEC_OK;
done:
    pv_buffer_free(&deltas);
    pv_buffer_free(&forms);
    pv_scope_free(&scope);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static psdvec_status take_bytes(const psdvec_model *m, const char *name, int64_t count,
                                const pv_tensor **t)
{
    return pv_st_require(m->ctx, m->file, name, PV_DTYPE_U8, 1, &count, t);
}

static psdvec_status take_words(psdvec_model *m)
{
    const pv_tensor *t;
    uint64_t *offsets;
    PV_TRY(take_bytes(m, "words.lengths", -1, &t));
    if (t->count < 1 || t->count > PV_MODEL_MOST_WORDS)
        return pv_model_damaged(m, "it has no words, or too many");
    m->info.words = (uint32_t)t->count;
    const uint8_t *lengths = t->data;
    PV_TAKE(&m->own, offsets, (size_t)m->info.words + 1);
    PV_TRY(pv_scope_status(&m->own));
    PV_TRY(take_bytes(m, "words", -1, &t));
    offsets[0] = 0;
    for (uint32_t i = 0; i < m->info.words; i++) {
        if (lengths[i] == 0)
            return pv_model_damaged(m, "a word is empty");
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    if (offsets[m->info.words] != t->bytes)
        return pv_model_damaged(m, "the lengths of the words do not add up");
    m->bytes = t->data;
    m->offsets = offsets;
    return PSDVEC_OK;
}

static psdvec_status take_forms(psdvec_model *m)
{
    const pv_tensor *t;
    uint64_t *offsets, stored = 0;
    char *forms;
    if (!pv_st_tensor(m->file, "forms.lengths"))
        return PSDVEC_OK;
    PV_TRY(take_bytes(m, "forms.lengths", m->info.words, &t));
    const uint8_t *lengths = t->data;
    PV_TRY(take_bytes(m, "forms", -1, &t));
    PV_TAKE(&m->own, offsets, (size_t)m->info.words + 1);
    PV_TRY(pv_scope_status(&m->own));
    offsets[0] = 0;
    for (uint32_t i = 0; i < m->info.words; i++) {
        bool capital = lengths[i] == CAPITAL;
        if (capital && !is_small(m->bytes[m->offsets[i]]))
            return pv_model_damaged(m, "a word without a small first letter is to get a capital");
        offsets[i + 1] = offsets[i] + (capital ? m->offsets[i + 1] - m->offsets[i] : lengths[i]);
        stored += capital ? 0 : lengths[i];
    }
    if (stored != t->bytes)
        return pv_model_damaged(m, "the lengths of the words' forms do not add up");
    PV_TAKE(&m->own, forms, (size_t)offsets[m->info.words] + 1);
    PV_TRY(pv_scope_status(&m->own));
    const char *from = t->data;
    for (uint32_t i = 0; i < m->info.words; i++) {
        bool capital = lengths[i] == CAPITAL;
        char *to = forms + offsets[i];
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        if (length)
            memcpy(to, capital ? m->bytes + m->offsets[i] : from, length);
        if (capital)
            to[0] = (char)(to[0] - 'a' + 'A');
        else
            from += length;
    }
    m->forms = forms;
    m->form_offsets = offsets;
    return PSDVEC_OK;
}

static psdvec_status take_counts(psdvec_model *m)
{
    const pv_tensor *t;
    uint64_t *counts, count = 0;
    if (!pv_st_tensor(m->file, "counts.deltas"))
        return PSDVEC_OK;
    PV_TRY(take_bytes(m, "counts.deltas", -1, &t));
    PV_TAKE(&m->own, counts, m->info.words);
    PV_TRY(pv_scope_status(&m->own));
    const uint8_t *at = t->data, *end = at + t->bytes;
    for (uint32_t i = 0; i < m->info.words; i++) {
        uint64_t coded = 0;
        bool more = true;
        for (int k = 0; more; k++) {
            if (at == end || k == LONGEST_NUMBER)
                return pv_model_damaged(m, "its frequencies end within a number");
            coded |= (uint64_t)(*at & 127) << 7 * k;
            more = *at++ & 128;
        }
        count += coded >> 1 ^ (coded & 1 ? UINT64_MAX : 0);
        counts[i] = count;
    }
    if (at != end)
        return pv_model_damaged(m, "it has more frequencies than words");
    m->counts = counts;
    return PSDVEC_OK;
}

psdvec_status pv_compact_take(psdvec_model *m)
{
    PV_TRY(take_words(m));
    PV_TRY(take_forms(m));
    return take_counts(m);
}
