/* What the tables for people have in common: how a number is written, and what must be known
 * to read the scores. */
#include "eval_print.h"
#include "human.h"
#include "options.h"

#include <inttypes.h>
#include <math.h>

bool eval_shown(const struct eval *eval, const struct eval_row *row)
{
    return !row->section || row->part || argument_flag(eval->run->arguments, "sections");
}

/* 100% only if nothing is missing. */
void eval_percent(struct buffer *to, const psdvec_score *score)
{
    double share = score->total ? (double)score->known / score->total : 0;
    if (score->known && share < 0.01)
        buffer_text(to, "<1%");
    else
        buffer_format(to, "%d%%", (int)(100 * share));
}

void eval_value(struct buffer *to, double value)
{
    if (isnan(value))
        buffer_text(to, "-");
    else
        buffer_format(to, "%.3f", value == 0 ? 0 : value); /* no -0.000 */
}

void eval_facts(struct buffer *to, const psdvec_model *model)
{
    const psdvec_model_info *info = psdvec_model_get_info(model);
    human_count(to, info->words);
    buffer_format(to, " words, %" PRIu32 " numbers each", info->dim);
}

struct eval_marks eval_marks(void)
{
    return terminal_unicode() ? (struct eval_marks){"▲", "▼"} : (struct eval_marks){"^", "v"};
}

static bool knows_differ(const struct eval *eval)
{
    for (size_t r = 0; r < eval->row_count; r++)
        for (size_t m = 1; m < eval->model_files.count; m++)
            if (eval->rows[r].scores[m].known != eval->rows[r].scores[0].known)
                return true;
    return false;
}

static void note_marks(struct buffer *to, const struct eval *eval)
{
    struct eval_marks marks = eval_marks();
    buffer_format(to,
                  "%s: best of its line. %s: worse than it by more than chance (p < %.4g), on the "
                  "questions of the set that both know. Beside a score: how many of the questions "
                  "the model knows all words of.",
                  marks.best, marks.worse, 1 - eval->options.confidence);
    if (!eval->options.resamples)
        buffer_text(to, " Without resamples, only shares are compared.");
    buffer_char(to, '\n');
    if (eval->options.unknown == PSDVEC_UNKNOWN_DROP && !eval->options.common && knows_differ(eval))
        buffer_text(to, "These models know different questions; --common scores them on the "
                        "same.\n");
}

void eval_notes(struct buffer *to, const struct eval *eval)
{
    static const char *const unknown[] = {
        [PSDVEC_UNKNOWN_DROP] = "Questions with an unknown word are left out.",
        [PSDVEC_UNKNOWN_ZERO] = "A question with an unknown word counts as similarity 0, or as "
                                "answered wrongly.",
        [PSDVEC_UNKNOWN_MEAN] = "The mean of all vectors stands in for an unknown word.",
        [PSDVEC_UNKNOWN_SPELLING] = "An unknown word has the vector that its spelling gives; "
                                    "where it gives none, the question is left out."};
    const psdvec_eval_options *o = &eval->options;
    bool native = false;
    for (size_t m = 0; m < eval->model_files.count; m++)
        native |= psdvec_model_get_info(eval->models[m])->native;
    if (eval->model_files.count > 1)
        note_marks(to, eval);
    buffer_format(to,
                  "%s Words are looked up as they stand%s, and compared by the cosine of their "
                  "%svectors.",
                  unknown[o->unknown], o->keep_case ? "" : ", then in lower case",
                  native ? "read-out " : "");
    if (o->restrict_words)
        buffer_format(to,
                      " Answers to analogies come from the first %" PRIu32
                      " words; other words in them count as unknown.",
                      o->restrict_words);
    if (o->common)
        buffer_text(to, " Only questions that every model knows count.");
    if (o->half != PSDVEC_HALF_BOTH)
        buffer_format(to, " Only the %s half of the questions counts.",
                      option_word(PSDVEC_OPTIONS_EVAL, "half", o->half));
    if (o->resamples)
        buffer_format(to, " %" PRIu32 " resamples, seed %" PRIu64 ".", o->resamples,
                      argument_integer(eval->run->arguments, "seed"));
    buffer_char(to, '\n');
}
