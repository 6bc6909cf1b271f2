/* The report of psdvec eval. docs/how-to/evaluate.md describes its data. */
#include "eval.h"
#include "options.h"
#include "phrase.h"
#include "word_files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Scores are sorted by set, section, measure and model, so a row is as many of them as there are
 * models. */
const char *const kind_words[] = {[PSDVEC_TEST_SIMILARITY] = "similarity",
                                  [PSDVEC_TEST_ANALOGY] = "analogy",
                                  [PSDVEC_TEST_CHOICE] = "choice",
                                  [PSDVEC_TEST_CATEGORIES] = "categories"};
const struct eval_measure eval_measures[] = {
    [PSDVEC_MEASURE_SPEARMAN] = {"spearman", "Spearman", "rho",
                                 "Spearman correlation of cosines with human ratings"},
    [PSDVEC_MEASURE_ADD] = {"3cosadd", "3CosAdd", "Add",
                            "share of analogies answered correctly "
                            "by 3CosAdd"},
    [PSDVEC_MEASURE_MUL] = {"3cosmul", "3CosMul", "Mul", "the same by 3CosMul"},
    [PSDVEC_MEASURE_RIGHT] = {"accuracy", "accuracy", "right",
                              "share of choices answered "
                              "correctly"},
    [PSDVEC_MEASURE_PURITY] = {"purity", "purity", "purity", "purity of the k-means clusters"},
    {0}};

const char *eval_mark(enum eval_mark mark)
{
    static const char *const marks[][2] = {[MARK_NONE] = {" ", " "},
                                           [MARK_BEST] = {"^", "▲"},
                                           [MARK_WORSE] = {"v", "▼"},
                                           [MARK_ALIKE] = {"~", "≈"}};
    return marks[mark][terminal_unicode()];
}

static const char *section_name(const struct eval *eval, const psdvec_score *score)
{
    switch (score->section) {
    case PSDVEC_SECTION_WHOLE:
        return NULL;
    case PSDVEC_SECTION_SEMANTIC:
        return "semantic";
    case PSDVEC_SECTION_SYNTACTIC:
        return "syntactic";
    default:
        return psdvec_test_section(eval->sets[score->test], (uint32_t)score->section);
    }
}

void eval_make_rows(struct eval *eval)
{
    size_t count, models = eval->model_files.count;
    const psdvec_score *scores = psdvec_report_scores(eval->report, &count);
    eval->row_count = count / models;
    eval->rows = lasting_alloc(eval->row_count, sizeof *eval->rows);
    for (size_t r = 0; r < eval->row_count; r++) {
        const psdvec_score *first = &scores[r * models];
        eval->rows[r] = (struct eval_row){.set = first->test,
                                          .section = section_name(eval, first),
                                          .part = first->section < PSDVEC_SECTION_WHOLE,
                                          .measure = first->measure,
                                          .scores = first};
    }
}

size_t eval_best(const struct eval *eval, const struct eval_row *row)
{
    size_t best = SIZE_MAX;
    bool differ = false;
    for (size_t m = 0; m < eval->model_files.count; m++) {
        double value = row->scores[m].value;
        if (isnan(value) || (eval->apart && eval->apart[m]))
            continue;
        differ |= best != SIZE_MAX && value != row->scores[best].value;
        if (best == SIZE_MAX || value > row->scores[best].value)
            best = m;
    }
    return differ ? best : SIZE_MAX;
}

/* The difference between the best and another model; NULL if there is none. */
static const psdvec_difference *find_difference(const struct eval *eval, const struct eval_row *row,
                                                size_t best, size_t model)
{
    size_t count;
    const psdvec_difference *d = psdvec_report_differences(eval->report, &count);
    if (row->section || best == SIZE_MAX || isnan(row->scores[model].value))
        return NULL;
    for (size_t k = 0; k < count; k++, d++)
        if (d->test == row->set && d->measure == row->measure &&
            ((d->first == best && d->second == model) || (d->first == model && d->second == best)))
            return d;
    return NULL;
}

/* True if the model is significantly worse than the best one, on the questions covered by both. */
static bool eval_is_worse(const struct eval *eval, const struct eval_row *row, size_t best,
                          size_t model)
{
    const psdvec_difference *d = find_difference(eval, row, best, model);
    return d && d->significant && (d->first == best ? d->difference > 0 : d->difference < 0);
}

bool eval_is_alike(const struct eval *eval, const struct eval_row *row, size_t best, size_t model)
{
    const psdvec_difference *d = find_difference(eval, row, best, model);
    return d && !isnan(d->p) && !eval_is_worse(eval, row, best, model);
}

#define NAME_COLUMNS 28  /* width of the names of sets and sections */
#define LABEL_COLUMNS 11 /* width of a model's name above its scores */
#define LOW_COVERAGE 0.8

/* ---- Machine-readable formats ---------------------------------------------------------------- */

static void show_options(struct show *show, const struct eval *eval)
{
    const psdvec_eval_options *o = &eval->options;
    show_section(show, "options", NULL);
    show_data(show, "unknown", text_cell(option_word(PSDVEC_OPTIONS_EVAL, "unknown", o->unknown)));
    show_data(show, "keep_case", truth_cell(o->keep_case));
    show_data(show, "restrict", whole_cell(o->restrict_words));
    show_data(show, "common", truth_cell(o->common));
    show_data(show, "half", text_cell(option_word(PSDVEC_OPTIONS_EVAL, "half", o->half)));
    show_data(show, "resamples", whole_cell(o->resamples));
    show_data(show, "confidence", real_cell(o->confidence));
    show_data(show, "seed", whole_cell(argument_integer(eval->run->arguments, "seed")));
    show_section_end(show, "options");
}

static void show_models(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {DATA("name"),   DATA("file"),       DATA("file_bytes"),
                                            DATA("native"), DATA("written_by"), DATA("vectors"),
                                            DATA("words"),  DATA("dim"),        DATA("settings"),
                                            DATA("counts"), DATA("extensions"), DATA("in_force")};
    struct rows rows = ROWS("models", IN_JSON, columns);
    for (size_t m = 0; m < eval->model_files.count; m++) {
        const psdvec_model_info *info = psdvec_model_get_info(eval->models[m]);
        rows_add(
            &rows, text_cell(eval->model_files.names[m]), text_cell(eval->model_files.paths[m]),
            whole_cell(info->file_bytes), truth_cell(info->native), text_cell(info->written_by),
            text_cell(info->native ? "readout" : "file"), whole_cell(info->words),
            whole_cell(info->dim), json_cell(info->settings_json), json_cell(info->counts_json),
            json_cell(info->extensions_json), json_cell(model_file_settings(eval->models[m])));
    }
    show_rows(show, &rows);
}

static void show_sets(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {DATA("name"), DATA("file"),      DATA("builtin"),
                                            DATA("kind"), DATA("questions"), DATA("sections")};
    struct rows rows = ROWS("sets", IN_JSON, columns);
    for (size_t k = 0; k < eval->set_files.count; k++) {
        const psdvec_test_info *info = psdvec_test_get_info(eval->sets[k]);
        struct buffer sections = {0};
        for (uint32_t s = 0; s < info->sections; s++) {
            const char *section = psdvec_test_section(eval->sets[k], s);
            list_add(&sections, section, strlen(section));
        }
        rows_add(&rows, text_cell(eval->set_files.names[k]), text_cell(eval->set_files.paths[k]),
                 truth_cell(info->builtin), text_cell(kind_words[info->kind]),
                 whole_cell(info->questions), json_cell(list_get(&sections)));
        buffer_free(&sections);
    }
    show_rows(show, &rows);
}

#define SCORES(where_, exact_)                                                                     \
    COLUMN("score", NULL, .where = (where_), .exact = (exact_)),                                   \
        COLUMN("low", NULL, .where = (where_), .exact = (exact_)),                                 \
        COLUMN("high", NULL, .where = (where_), .exact = (exact_))

static void show_scores(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {DATA("set"),   DATA("section"),   DATA("measure"),
                                            DATA("model"), SCORES(IN_TSV, 6), SCORES(IN_JSON, 0),
                                            DATA("known"), DATA("total")};
    struct rows rows = ROWS("scores", FOR_PROGRAMS, columns);
    size_t models = eval->model_files.count;
    for (size_t k = 0; k < eval->row_count * models; k++) {
        const struct eval_row *row = &eval->rows[k / models];
        const psdvec_score *score = &row->scores[k % models];
        rows_add(&rows, text_cell(eval->set_files.names[row->set]), text_cell(row->section),
                 text_cell(eval_measures[row->measure].word),
                 text_cell(eval->model_files.names[k % models]), real_cell(score->value),
                 real_cell(score->low), real_cell(score->high), real_cell(score->value),
                 real_cell(score->low), real_cell(score->high), whole_cell(score->known),
                 whole_cell(score->total));
    }
    show_rows(show, &rows);
}

static void show_differences(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {DATA("set"),         DATA("measure"),    DATA("first"),
                                            DATA("second"),      DATA("difference"), DATA("p"),
                                            DATA("significant"), DATA("questions")};
    struct rows rows = ROWS("differences", IN_JSON, columns);
    size_t count;
    const psdvec_difference *d = psdvec_report_differences(eval->report, &count);
    for (size_t k = 0; k < count; k++, d++)
        rows_add(&rows, text_cell(eval->set_files.names[d->test]),
                 text_cell(eval_measures[d->measure].word),
                 text_cell(eval->model_files.names[d->first]),
                 text_cell(eval->model_files.names[d->second]), real_cell(d->difference),
                 real_cell(d->p), truth_cell(d->significant), whole_cell(d->questions));
    show_rows(show, &rows);
}

/* "semantic: capitals"; NULL: none. */
static const char *mistake_section(const struct eval *eval, const psdvec_mistake *m)
{
    return m->section < 0 ? NULL : psdvec_test_section(eval->sets[m->test], (uint32_t)m->section);
}

static void show_mistakes(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {
        DATA("set"),           DATA("section"),     DATA("model"),
        DATA("question"),      DATA("expected"),    DATA("answer"),
        DATA("expected_rank"), DATA("answer_rank"), DATA("loss")};
    struct rows rows = ROWS("mistakes", IN_JSON, columns);
    size_t count;
    const psdvec_mistake *m = psdvec_report_mistakes(eval->report, &count);
    if (!eval->options.mistakes)
        return;
    for (size_t k = 0; k < count; k++, m++)
        rows_add(&rows, text_cell(eval->set_files.names[m->test]),
                 text_cell(mistake_section(eval, m)), text_cell(eval->model_files.names[m->model]),
                 text_cell(m->question), text_cell(m->expected), text_cell(m->answer),
                 real_cell(m->expected_rank), real_cell(m->answer_rank), real_cell(m->loss));
    show_rows(show, &rows);
}

void eval_show_data(struct show *show, const struct eval *eval)
{
    show_options(show, eval);
    show_models(show, eval);
    show_sets(show, eval);
    show_scores(show, eval);
    show_differences(show, eval);
    show_mistakes(show, eval);
}

/* ---- Output for people ----------------------------------------------------------------------- */

static bool eval_shown(const struct eval *eval, const struct eval_row *row)
{
    return !row->section || row->part || argument_flag(eval->run->arguments, "sections");
}

/* 100% only if no question is missing. */
const char *eval_percent(const psdvec_score *score)
{
    double share = score->total ? (double)score->known / score->total : 0;
    return score->known && share < 0.01 ? "<1%" : phrase("%d%%", (int)(100 * share));
}

static const char *value_text(double value)
{
    return isnan(value) ? "-" : phrase("%.3f", value == 0 ? 0 : value); /* no -0.000 */
}

static const char *facts_text(const psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    return phrase("%s words, %" PRIu32 " dimensions", phrase_count(info->words), info->dim);
}

static bool coverage_differs(const struct eval *eval)
{
    for (size_t r = 0; r < eval->row_count; r++)
        for (size_t m = 1; m < eval->model_files.count; m++)
            if (eval->rows[r].scores[m].known != eval->rows[r].scores[0].known)
                return true;
    return false;
}

static void note_marks(struct buffer *to, const struct eval *eval)
{
    buffer_format(to,
                  "%s: best of its row. %s: significantly worse (p < %.4g), on the questions that "
                  "both models cover. Next to a score: how many of the questions the model covers.",
                  eval_mark(MARK_BEST), eval_mark(MARK_WORSE), 1 - eval->options.confidence);
    if (!eval->options.resamples)
        buffer_text(to, " Without bootstrap samples, only shares are compared.");
    buffer_char(to, '\n');
    if (eval->options.unknown == PSDVEC_UNKNOWN_DROP && !eval->options.common &&
        coverage_differs(eval))
        buffer_text(to, "These models cover different questions; --common scores them on the same "
                        "questions.\n");
}

static void eval_notes(struct buffer *to, const struct eval *eval)
{
    static const char *const unknown[] = {
        [PSDVEC_UNKNOWN_DROP] = "Questions with an unknown word are omitted.",
        [PSDVEC_UNKNOWN_ZERO] = "A question with an unknown word counts as similarity 0, or as "
                                "answered wrongly.",
        [PSDVEC_UNKNOWN_MEAN] = "Unknown words have the mean of all vectors.",
        [PSDVEC_UNKNOWN_SPELLING] = "Unknown words have their spelling vectors; questions with a "
                                    "word that has none are omitted."};
    const psdvec_eval_options *o = &eval->options;
    bool native = false;
    for (size_t m = 0; m < eval->model_files.count; m++)
        native |= psdvec_model_get_info(eval->models[m])->native;
    if (eval->model_files.count > 1)
        note_marks(to, eval);
    buffer_format(to,
                  "%s Words are looked up as written%s, and compared by the cosine of their "
                  "%svectors.",
                  unknown[o->unknown], o->keep_case ? "" : ", then with other capitalisation",
                  native ? "read-out " : "");
    if (o->restrict_words)
        buffer_format(to,
                      " Answers to analogies come from the first %" PRIu32
                      " words; other words in them count as unknown.",
                      o->restrict_words);
    if (o->common)
        buffer_text(to, " Only questions that every model covers are used.");
    if (o->half != PSDVEC_HALF_BOTH)
        buffer_format(to, " Only the %s half of the questions is used.",
                      option_word(PSDVEC_OPTIONS_EVAL, "half", o->half));
    if (o->resamples)
        buffer_format(to, " %" PRIu32 " bootstrap samples, seed %" PRIu64 ".", o->resamples,
                      argument_integer(eval->run->arguments, "seed"));
    buffer_char(to, '\n');
}

static enum style coverage_style(const psdvec_score *score)
{
    return (double)score->known < LOW_COVERAGE * score->total ? YELLOW : DIM;
}

/* The name of the set, or of the section below it; empty if the line above has the same. */
static const char *name_text(const struct eval *eval, size_t r)
{
    const struct eval_row *row = &eval->rows[r], *above = row - 1;
    bool repeats = r && above->set == row->set && !above->section == !row->section &&
                   (!row->section || !strcmp(above->section, row->section));
    const char *name = row->section ? row->section : eval->set_files.names[row->set];
    return repeats ? "" : phrase("%s%s", row->section ? "  " : "", phrase_safe(name, strlen(name)));
}

/* The score of one model, its mark and its coverage. */
static const char *score_text(const struct eval *eval, const struct eval_row *row, size_t best,
                              size_t model)
{
    const psdvec_score *score = &row->scores[model];
    bool is_best = best != SIZE_MAX && score->value == row->scores[best].value;
    const char *mark = is_best && !row->section ? phrase(STYLE_GREEN "%s", eval_mark(MARK_BEST))
                       : !is_best && eval_is_worse(eval, row, best, model)
                           ? phrase(STYLE_RED "%s", eval_mark(MARK_WORSE))
                           : " ";
    return phrase("%s%s%s%s%s%5s", is_best ? STYLE_BOLD : "", value_text(score->value),
                  is_best ? STYLE_PLAIN : "", mark,
                  coverage_style(score) == DIM ? STYLE_DIM : STYLE_YELLOW, eval_percent(score));
}

static void show_several(struct show *show, const struct eval *eval)
{
    static const struct column legend_columns[] = {COLUMN(NULL, "model", .style = BOLD),
                                                   COLUMN(NULL, "file", .gap = 2),
                                                   COLUMN(NULL, "vectors", .gap = 2, .style = DIM)};
    size_t models = eval->model_files.count;
    struct column *columns = lasting_alloc(models + 2, sizeof *columns);
    struct rows legend = ROWS(NULL, FOR_PEOPLE, legend_columns);
    struct rows rows = {.where = FOR_PEOPLE,
                        .columns = columns,
                        .column_count = models + 2,
                        .keys = 2,
                        .group_most = LABEL_COLUMNS};
    columns[0] =
        (struct column)COLUMN(NULL, "", .group = "set", .names = true, .most = NAME_COLUMNS);
    columns[1] = (struct column)COLUMN(NULL, "", .group = "measure", .gap = 2, .style = DIM);
    legend.bare = true;
    for (size_t m = 0; m < models; m++) {
        rows_add(&legend, text_cell(eval->model_files.names[m]),
                 text_cell(eval->model_files.paths[m]), text_cell(facts_text(eval->models[m])));
        columns[m + 2] = (struct column)COLUMN(NULL, "", .group = eval->model_files.names[m],
                                               .right = true, .gap = 3);
    }
    for (size_t r = 0; r < eval->row_count; r++) {
        const struct eval_row *row = &eval->rows[r];
        if (!eval_shown(eval, row))
            continue;
        rows_add(&rows, shown_as(no_cell(), name_text(eval, r)),
                 text_cell(eval_measures[row->measure].name));
        for (size_t m = 0; m < models; m++)
            rows_more(&rows, shown_as(no_cell(), score_text(eval, row, eval_best(eval, row), m)));
    }
    show_rows(show, &legend);
    show_gap(show);
    show_rows(show, &rows);
}

static void show_one(struct show *show, const struct eval *eval)
{
    const char *path = eval->model_files.paths[0];
    const char *interval =
        eval->options.resamples ? phrase("%g%% interval", 100 * eval->options.confidence) : "";
    const struct column columns[] = {COLUMN(NULL, "set", .names = true, .most = NAME_COLUMNS),
                                     COLUMN(NULL, "measure", .gap = 2, .style = DIM),
                                     NUMBERS(NULL, "score", 3, 0, .gap = 2, .style = BOLD),
                                     BARS(.gap = 1, .most = 20),
                                     COLUMN(NULL, interval, .gap = 2, .style = DIM, .right = true),
                                     COLUMN(NULL, "known", .gap = 2, .right = true)};
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    rows.heading = DIM;
    show_title(show, phrase(STYLE_BOLD "%s" STYLE_PLAIN "  %s", phrase_safe(path, strlen(path)),
                            facts_text(eval->models[0])));
    show_gap(show);
    for (size_t r = 0; r < eval->row_count; r++) {
        const psdvec_score *score = eval->rows[r].scores;
        if (!eval_shown(eval, &eval->rows[r]))
            continue;
        const char *range =
            isnan(score->low) || isnan(score->high)
                ? ""
                : phrase("%.3f %s %.3f", score->low, terminal_unicode() ? "–" : "-", score->high);
        rows_add(&rows, shown_as(no_cell(), name_text(eval, r)),
                 text_cell(eval_measures[eval->rows[r].measure].name),
                 text_cell(value_text(score->value)), bar_cell(score->value), text_cell(range),
                 styled_as(text_cell(phrase("%" PRIu32 "/%" PRIu32 "%5s", score->known,
                                            score->total, eval_percent(score))),
                           coverage_style(score)));
    }
    show_rows(show, &rows);
}

/* "8 of 203" */
static const char *rank_text(double rank)
{
    return isnan(rank) ? "" : phrase(rank == floor(rank) ? "rank %.0f" : "rank %.1f", rank);
}

/* A table of mistakes per set and model. */
static void show_failed(struct show *show, const struct eval *eval)
{
    static const struct column columns[] = {COLUMN(NULL, "question", .gap = 2, .width = 30),
                                            COLUMN(NULL, "expected", .gap = 2, .width = 16),
                                            COLUMN(NULL, "answer", .gap = 2, .width = 16),
                                            NUMBERS(NULL, "loss", 3, 0, .gap = 1, .width = 6)};
    size_t count;
    const psdvec_mistake *m = psdvec_report_mistakes(eval->report, &count), *end = m + count;
    while (m < end) {
        struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
        const psdvec_mistake *first = m;
        for (; m < end && m->test == first->test && m->model == first->model; m++)
            rows_add(&rows, text_cell(m->question),
                     m->expected ? text_cell(m->expected) : text_cell(rank_text(m->expected_rank)),
                     m->answer ? text_cell(m->answer) : text_cell(rank_text(m->answer_rank)),
                     real_cell(m->loss));
        show_gap(show);
        show_title(
            show,
            phrase("Mistakes on " STYLE_BOLD "%s" STYLE_PLAIN "%s%s",
                   eval->set_files.names[first->test], eval->model_files.count > 1 ? " of " : "",
                   eval->model_files.count > 1 ? eval->model_files.names[first->model] : ""));
        show_rows(show, &rows);
    }
}

void eval_show(struct show *show, const struct eval *eval)
{
    struct buffer notes = {0};
    show_open(show);
    show_data(show, "version", text_cell(psdvec_version()));
    eval_show_data(show, eval);
    if (eval->model_files.count > 1)
        show_several(show, eval);
    else
        show_one(show, eval);
    show_failed(show, eval);
    show_gap(show);
    eval_notes(&notes, eval);
    show_note(show, phrase_of(&notes));
    show_close(show);
}
