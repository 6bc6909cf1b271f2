/* Shares of topics over time and by label: of the text of a class of documents, the part that each
 * topic explains, sum_d n_d theta_dk / sum_d n_d over documents d of n_d known words.
 *
 * Time: documents x topics. Memory: classes x topics doubles; labels also need 16 bytes per
 * document.
 */
#include "topic/shares.h"

#include "base/sort.h"
#include "topic/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Limits of what is written. */
enum { MOST_PERIODS = 60, MOST_LABELS = 40, LABEL_BYTES = 200 };

/* ---- Classes of documents -------------------------------------------------------------------- */

typedef struct classes {
    size_t count;
    double *words;       /* count */
    double *sums;        /* count x topics */
    uint64_t *documents; /* count */
} classes;

static psdvec_status take_classes(pv_scope *scope, const psdvec_topics *topics, size_t count,
                                  classes *c)
{
    c->count = count;
    PV_TAKE_ZERO(scope, c->words, count);
    PV_TAKE_ZERO(scope, c->sums, count * topics->info.topics);
    PV_TAKE_ZERO(scope, c->documents, count);
    return pv_scope_status(scope);
}

static void add_document(const classes *c, const psdvec_topics *topics, size_t which,
                         uint64_t document)
{
    uint32_t count = topics->info.topics;
    double words = (double)topics->lengths[document];
    const float *mixture = topics->mixtures + document * count;
    c->words[which] += words;
    c->documents[which]++;
    for (uint32_t k = 0; k < count; k++)
        c->sums[which * count + k] += words * (double)mixture[k];
}

/* The members that times and labels have in common. `order`: the classes that are written. */
static void put_classes(const classes *c, const psdvec_topics *topics, const uint64_t *order,
                        size_t count, pv_json_writer *json)
{
    pv_json_open_array(json, "documents");
    for (size_t i = 0; i < count; i++)
        pv_json_put_u64(json, NULL, c->documents[order[i]]);
    pv_json_close(json);
    pv_json_open_array(json, "words");
    for (size_t i = 0; i < count; i++)
        pv_json_put_u64(json, NULL, (uint64_t)c->words[order[i]]);
    pv_json_close(json);
    pv_json_open_array(json, "shares");
    for (uint32_t k = 0; k < topics->info.topics; k++) {
        pv_json_open_array(json, NULL);
        for (size_t i = 0; i < count; i++) {
            double words = c->words[order[i]];
            pv_json_put_digits(
                json, NULL, words > 0 ? c->sums[order[i] * topics->info.topics + k] / words : 0, 3);
        }
        pv_json_close(json);
    }
    pv_json_close(json);
}

/* ---- Dates ----------------------------------------------------------------------------------- */

typedef struct date {
    int32_t year, month, day; /* month and day from 1; 0: not given */
} date;

/* Reads exactly `digits` digits. */
static bool read_digits(const char **at, int digits, int32_t *number)
{
    *number = 0;
    for (int k = 0; k < digits; k++, ++*at) {
        if (**at < '0' || **at > '9')
            return false;
        *number = 10 * *number + (**at - '0');
    }
    return true;
}

static bool read_date(const char *text, date *d)
{
    *d = (date){0};
    if (!text || !read_digits(&text, 4, &d->year))
        return false;
    if (*text == '\0')
        return true;
    if (*text++ != '-' || !read_digits(&text, 2, &d->month) || d->month < 1 || d->month > 12)
        return false;
    if (*text == '\0')
        return true;
    return *text++ == '-' && read_digits(&text, 2, &d->day) && d->day >= 1 && d->day <= 31 &&
           (*text < '0' || *text > '9');
}

/* Days since 0000-03-01 of the Gregorian calendar; and back. */
static int32_t day_number(const date *d)
{
    int32_t month = (d->month + 9) % 12, year = d->year - month / 10;
    return 365 * year + year / 4 - year / 100 + year / 400 + (306 * month + 5) / 10 + d->day - 1;
}

static date date_of_day(int32_t number)
{
    date d = {.year = 0};
    for (d.year = number / 366; day_number(&(date){d.year + 1, 1, 1}) <= number;)
        d.year++;
    for (d.month = 1; d.month < 12 && day_number(&(date){d.year, d.month + 1, 1}) <= number;)
        d.month++;
    d.day = number - day_number(&(date){d.year, d.month, 1}) + 1;
    return d;
}

typedef enum date_unit { YEARS, MONTHS, DAYS } date_unit;

typedef struct periods {
    date_unit unit;
    int32_t first, step; /* period i has the values from first + i step */
    size_t count;        /* 0: there are no dates */
} periods;

static int32_t value_of(date_unit unit, const date *d)
{
    return unit == YEARS ? d->year : unit == MONTHS ? 12 * d->year + d->month - 1 : day_number(d);
}

/* The finest unit that all dates have and that gives at most MOST_PERIODS periods; or several
 * years. */
static void choose_periods(const psdvec_topics *topics, pv_document_text_fn *get, periods *p)
{
    int32_t least[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, most[3] = {0};
    bool given[3] = {true, true, true}, any = false;
    date d;
    *p = (periods){.step = 1};
    for (uint64_t i = 0; i < topics->info.documents; i++) {
        if (topics->lengths[i] == 0 || !read_date(get(topics, i), &d))
            continue;
        any = true;
        given[MONTHS] = given[MONTHS] && d.month;
        given[DAYS] = given[DAYS] && d.day;
        for (date_unit u = YEARS; u <= DAYS && given[u]; u++) {
            int32_t value = value_of(u, &d);
            least[u] = value < least[u] ? value : least[u];
            most[u] = value > most[u] ? value : most[u];
        }
    }
    if (!any)
        return;
    for (date_unit u = YEARS; u <= DAYS; u++)
        if (given[u] && most[u] - least[u] < MOST_PERIODS)
            p->unit = u;
    if (p->unit == YEARS)
        for (int digit = 0; most[YEARS] / p->step - least[YEARS] / p->step >= MOST_PERIODS; digit++)
            p->step = digit % 3 == 1 ? p->step / 2 * 5 : p->step * 2; /* 1 2 5 10 20 50 ... */
    p->first = least[p->unit] / p->step * p->step;
    p->count = (size_t)((most[p->unit] - p->first) / p->step) + 1;
}

static void put_period(const periods *p, size_t i, pv_json_writer *json)
{
    int32_t from = p->first + (int32_t)i * p->step;
    char text[64];
    if (p->unit == DAYS) {
        date d = date_of_day(from);
        snprintf(text, sizeof text, "%04d-%02d-%02d", (int)d.year, (int)d.month, (int)d.day);
    } else if (p->unit == MONTHS) {
        snprintf(text, sizeof text, "%04d-%02d", (int)(from / 12), (int)(from % 12 + 1));
    } else if (p->step > 1) {
        snprintf(text, sizeof text, "%04d–%04d", (int)from, (int)(from + p->step - 1));
    } else {
        snprintf(text, sizeof text, "%04d", (int)from);
    }
    pv_json_put_string(json, NULL, text);
}

static psdvec_status put_times(pv_scope *scope, const psdvec_topics *topics,
                               pv_document_text_fn *get, const periods *p, pv_json_writer *json)
{
    static const char *const units[] = {"year", "month", "day"};
    char unit_text[32];
    uint64_t *order;
    classes c;
    date d;
    PV_TAKE(scope, order, p->count);
    PV_TRY(take_classes(scope, topics, p->count, &c));
    for (uint64_t i = 0; i < topics->info.documents; i++)
        if (topics->lengths[i] > 0 && read_date(get(topics, i), &d))
            add_document(&c, topics, (size_t)((value_of(p->unit, &d) - p->first) / p->step), i);
    for (size_t i = 0; i < p->count; i++)
        order[i] = i;
    if (p->step > 1)
        snprintf(unit_text, sizeof unit_text, "%d years", (int)p->step);
    pv_json_open_object(json, "times");
    pv_json_put_string(json, "unit", p->step > 1 ? unit_text : units[p->unit]);
    pv_json_open_array(json, "periods");
    for (size_t i = 0; i < p->count; i++)
        put_period(p, i, json);
    pv_json_close(json);
    put_classes(&c, topics, order, p->count, json);
    pv_json_close(json);
    return PSDVEC_OK;
}

psdvec_status pv_topics_put_times(psdvec_context *ctx, const psdvec_topics *topics,
                                  pv_document_text_fn *get, pv_json_writer *json)
{
    pv_scope scope = {.ctx = ctx, .what = "the shares of topics over time"};
    periods p;
    choose_periods(topics, get, &p);
    if (p.count < 2) {
        pv_json_put_null(json, "times");
        return PSDVEC_OK;
    }
    psdvec_status status = put_times(&scope, topics, get, &p, json);
    pv_scope_free(&scope);
    return status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

typedef struct labelled {
    const char *label;
    uint64_t document;
} labelled;

static int by_label(const void *left, const void *right, void *arg)
{
    const labelled *a = left, *b = right;
    (void)arg;
    int order = strcmp(a->label, b->label);
    return order ? order : a->document < b->document ? -1 : a->document > b->document;
}

/* Documents with labels and known words, sorted by label; *classes: distinct labels. */
static psdvec_status sort_labels(psdvec_context *ctx, pv_scope *scope, const psdvec_topics *topics,
                                 pv_document_text_fn *get, labelled **list, size_t *count,
                                 size_t *distinct)
{
    *count = *distinct = 0;
    for (uint64_t i = 0; i < topics->info.documents; i++)
        *count += topics->lengths[i] > 0 && get(topics, i);
    PV_TAKE(scope, *list, *count);
    PV_TRY(pv_scope_status(scope));
    *count = 0;
    for (uint64_t i = 0; i < topics->info.documents; i++)
        if (topics->lengths[i] > 0 && get(topics, i))
            (*list)[(*count)++] = (labelled){get(topics, i), i};
    PV_TRY(pv_sort(ctx, *list, *count, sizeof **list, by_label, NULL));
    for (size_t i = 0; i < *count; i++)
        *distinct += i == 0 || strcmp((*list)[i].label, (*list)[i - 1].label) != 0;
    return PSDVEC_OK;
}

/* The labels with the most words, by the place of their first documents in the list. */
static size_t largest_labels(const psdvec_topics *topics, const labelled *list, size_t count,
                             pv_ranked *best)
{
    size_t found = 0;
    for (size_t i = 0, end; i < count; i = end) {
        double words = 0;
        for (end = i; end < count && !strcmp(list[end].label, list[i].label); end++)
            words += (double)topics->lengths[list[end].document];
        pv_rank(best, MOST_LABELS, &found, words, i);
    }
    return found;
}

static psdvec_status put_labels(psdvec_context *ctx, pv_scope *scope, const psdvec_topics *topics,
                                pv_document_text_fn *get, pv_json_writer *json)
{
    pv_ranked best[MOST_LABELS];
    uint64_t order[MOST_LABELS];
    size_t count, distinct;
    labelled *list;
    classes c;
    PV_TRY(sort_labels(ctx, scope, topics, get, &list, &count, &distinct));
    size_t found = largest_labels(topics, list, count, best);
    if (found == 0) {
        pv_json_put_null(json, "labels");
        return PSDVEC_OK;
    }
    PV_TRY(take_classes(scope, topics, found, &c));
    pv_json_open_object(json, "labels");
    pv_json_open_array(json, "names");
    for (size_t k = 0; k < found; k++) {
        const char *label = list[best[k].index].label;
        pv_json_put_string_n(json, NULL, label, pv_text_fit(label, LABEL_BYTES));
        for (size_t i = best[k].index; i < count && !strcmp(list[i].label, label); i++)
            add_document(&c, topics, k, list[i].document);
        order[k] = k;
    }
    pv_json_close(json);
    pv_json_put_u64(json, "more", distinct - found);
    put_classes(&c, topics, order, found, json);
    pv_json_close(json);
    return PSDVEC_OK;
}

psdvec_status pv_topics_put_labels(psdvec_context *ctx, const psdvec_topics *topics,
                                   pv_document_text_fn *label, pv_json_writer *json)
{
    pv_scope scope = {.ctx = ctx, .what = "the shares of topics by label"};
    psdvec_status status = put_labels(ctx, &scope, topics, label, json);
    pv_scope_free(&scope);
    return status;
}
