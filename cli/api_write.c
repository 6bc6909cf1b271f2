/* Answers of psdvec explore that no command gives: facts about a word, and documents of topics. */
#include "api.h"
#include "exit_status.h"
#include "phrase.h"
#include "topics.h"
#include "word_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A word -------------------------------------------------------------------------------- */

/* Words with a frequency rank near that of the word. */
enum { AROUND = 4 };

static void put_word(pv_json_writer *to, const psdvec_model *model, uint32_t word)
{
    size_t length;
    const char *text = psdvec_model_word(model, word, &length);
    pv_json_open_object(to, NULL);
    pv_json_put_string_n(to, "word", text, length);
    pv_json_put_u64(to, "rank", (uint64_t)word + 1);
    if (psdvec_model_get_info(model)->has_counts)
        pv_json_put_u64(to, "count", psdvec_model_frequency(model, word));
    pv_json_close(to);
}

/* The spread of a word, and which share of the words that have one have a smaller one. */
static void put_spread(pv_json_writer *to, const psdvec_model *model, uint32_t word)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    double own = psdvec_model_spread(model, word);
    uint64_t smaller = 0, all = 0;
    if (!(own > 0))
        return;
    for (uint32_t k = 0; k < info->words; k++) {
        double spread = psdvec_model_spread(model, k);
        all += spread > 0;
        smaller += spread > 0 && spread < own;
    }
    pv_json_put_digits(to, "spread", own, 6);
    pv_json_put_digits(to, "spread_above", all > 1 ? (double)smaller / (double)(all - 1) : 0, 6);
}

void api_write_word(struct api_query *q, pv_json_writer *to)
{
    const psdvec_model *model = q->model->model;
    const psdvec_model_info *info = psdvec_model_get_info(model);
    struct run *run = &q->worker->run;
    uint32_t word, first, end;
    struct buffer token = {0};
    if (!model_file_find_word(run, model, q->words[0], &word, &token)) {
        run->unknown_word = true;
        api_fail(q, 404, phrase("the word '%s' is not in the model", q->words[0]));
        buffer_free(&token);
        return;
    }
    buffer_free(&token);
    size_t length, form_length;
    const char *text = psdvec_model_word(model, word, &length);
    const char *form = psdvec_model_form(model, word, &form_length);
    pv_json_put_string_n(to, "word", text, length);
    if (form != text)
        pv_json_put_string_n(to, "form", form, form_length);
    pv_json_put_u64(to, "rank", (uint64_t)word + 1);
    pv_json_put_u64(to, "words", info->words);
    if (info->has_counts)
        pv_json_put_u64(to, "count", psdvec_model_frequency(model, word));
    put_spread(to, model, word);
    first = word > AROUND ? word - AROUND : 0;
    end = info->words - word > AROUND ? word + AROUND + 1 : info->words;
    pv_json_open_array(to, "around");
    for (uint32_t k = first; k < end; k++)
        put_word(to, model, k);
    pv_json_close(to);
}

/* ---- A document ---------------------------------------------------------------------------- */

/* Topics by descending share. */
struct share {
    uint32_t topic;
    float share;
};

static int largest_first(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->topic < y->topic ? -1 : x->topic > y->topic;
}

void api_write_document(struct api_query *q, pv_json_writer *to)
{
    enum { WORDS = 8 };
    const psdvec_topics *topics = q->topics->topics;
    const psdvec_topics_info *info = psdvec_topics_get_info(topics);
    uint64_t document = q->number - 1;
    const float *mixture = psdvec_topics_mixture(topics, document);
    const char *const details[][2] = {{"source", psdvec_topics_source(topics, document)},
                                      {"label", psdvec_topics_label(topics, document)},
                                      {"date", psdvec_topics_date(topics, document)},
                                      {"name", psdvec_topics_name(topics, document)},
                                      {"beginning", psdvec_topics_beginning(topics, document)}};
    struct share *shares = lasting_alloc(info->topics, sizeof *shares);
    for (uint32_t k = 0; k < info->topics; k++)
        shares[k] = (struct share){k, mixture[k]};
    qsort(shares, info->topics, sizeof *shares, largest_first);
    pv_json_put_u64(to, "document", q->number);
    for (size_t k = 0; k < sizeof details / sizeof *details; k++)
        if (details[k][1])
            pv_json_put_string(to, details[k][0], details[k][1]);
    pv_json_open_array(to, "topics");
    for (uint32_t k = 0; k < info->topics && k < q->top; k++) {
        pv_json_open_object(to, NULL);
        pv_json_put_u64(to, "topic", (uint64_t)shares[k].topic + 1);
        pv_json_put_digits(to, "share", (double)shares[k].share, 6);
        pv_json_put_string(to, "words",
                           topics_words(&q->worker->run, topics, shares[k].topic, WORDS));
        pv_json_close(to);
    }
    pv_json_close(to);
}
