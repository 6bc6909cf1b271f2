/* Options of counting. The words of a choice stand in the order of the library's enumeration, so
 * that an index is a value. */
#include "count_options.h"

#include "exit_status.h"
#include "system.h"
#include "text_options.h"

#include <errno.h>

const char *const distance_words[] = {[PSDVEC_DISTANCE_UNIFORM] = "uniform",
                                      [PSDVEC_DISTANCE_LINEAR] = "linear",
                                      [PSDVEC_DISTANCE_HARMONIC] = "harmonic",
                                      NULL};
const char *const oov_words[] = {[PSDVEC_OOV_KEEP] = "keep", [PSDVEC_OOV_DROP] = "drop", NULL};

const struct option_spec window_options[] = {
    {.name = "window",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000,
     .fallback = "5",
     .group = "Counting",
     .help = "pair each word with the N words after it"},
    {.name = "distance",
     .kind = OPTION_CHOICE,
     .choices = distance_words,
     .fallback = "uniform",
     .help = "weight of a pair d words apart in a window of N: 1, (N+1-d)/N, or 1/d"},
    {.name = "oov",
     .kind = OPTION_CHOICE,
     .choices = oov_words,
     .fallback = "keep",
     .help = "words outside the vocabulary keep their place in the window, or are dropped first"},
    {.name = "subsample",
     .kind = OPTION_REAL,
     .argument = "T",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0",
     .help = "give words of a share f above T less room, by min(1, sqrt(T/f) + T/f); no dice are "
             "thrown; 0 is off, 1e-4 is usual"},
    {0}};

const struct option_spec vocabulary_options[] = {
    {.name = "min-count",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = UINT64_MAX,
     .fallback = "5",
     .group = "Vocabulary",
     .help = "leave out words that stand fewer than N times in the text"},
    {.name = "max-vocab",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .fallback = "0",
     .help = "keep only the N most frequent words; 0 is no limit"},
    {.name = "vocab",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .completes = COMPLETES_FILES,
     .help = "use exactly the words of FILE, in its order: one a line, or a counts file; "
             "--min-count and --max-vocab do not apply"},
    {.name = "keep",
     .kind = OPTION_TEXTS,
     .argument = "WORDS",
     .help = "know these words however rare; separated by commas, or @FILE with one a line"},
    {0}};

const struct option_spec resume_options[] = {
    {.name = "resume",
     .kind = OPTION_TEXT,
     .argument = "DIR",
     .completes = COMPLETES_FOLDERS,
     .group = "Long runs",
     .help = "keep the counts of each finished input in DIR, and go on from there when the "
             "command is run again"},
    {0}};

void count_options_read(const struct arguments *arguments, bool defaults, psdvec_count_options *to)
{
    text_options_read(arguments, defaults, &to->text);
    TAKE(to->min_count, uint64_t, arguments, "min-count", defaults);
    TAKE(to->max_vocab, uint32_t, arguments, "max-vocab", defaults);
    to->vocab_file = argument_text(arguments, "vocab");
    TAKE(to->window, uint32_t, arguments, "window", defaults);
    if (argument(arguments, "subsample")->given || defaults)
        to->subsample = argument_real(arguments, "subsample");
    /* Systems that never count have neither. */
    if (arguments_have(arguments, "distance")) {
        TAKE(to->distance, psdvec_distance, arguments, "distance", defaults);
        TAKE(to->oov, psdvec_oov, arguments, "oov", defaults);
    }
    if (arguments_have(arguments, "resume"))
        to->resume_dir = argument_text(arguments, "resume");
}

int count_options_gather(struct run *run, psdvec_count_options *to, struct word_list *keep)
{
    count_options_read(run->arguments, false, to);
    const struct option_value *lists = argument(run->arguments, "keep");
    for (size_t k = 0; k < lists->text_count; k++)
        if (!word_list_add(keep, lists->texts[k]))
            return run_error(run, EXIT_INPUT, "cannot read the list of words %s: %s",
                             lists->texts[k] + 1, system_error(errno));
    to->keep_words = (const char *const *)keep->words;
    to->keep_words_count = keep->count;
    return EXIT_FINE;
}

int count_options_refuse(struct run *run, const char *counts)
{
    const struct option_spec *const tables[] = {window_options, vocabulary_options, resume_options,
                                                text_options};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct option_spec *option = tables[t]; option->name; option++)
            if (argument(run->arguments, option->name)->given)
                return run_use_error(run,
                                     "--%s is about reading text, and %s has been counted "
                                     "already; leave it out, or give the text",
                                     option->name, counts);
    return EXIT_FINE;
}
