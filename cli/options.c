/* From the command line to the options of the library: each given option is set by its name. */
#include "options.h"

#include "exit_status.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const options_of_model[] = {"tokenizer",   "case",      "accents",     "digits",
                                        "apostrophes", "hyphens",   "min-length",  "max-length",
                                        "document",    "sentences", "underscores", NULL};

void options_plain(psdvec_text_options *text)
{
    text->strict = false;
    text->json_field = text->columns = NULL;
    text->label_field = text->date_field = text->name_field = NULL;
}

static int refused(struct run *run, const psdvec_settings *settings, psdvec_status status)
{
    if (status == PSDVEC_ERR_MEMORY)
        out_of_memory();
    char *sentence = command_spell(run->arguments->command, psdvec_settings_message(settings));
    run->refusal = run_use_error(run, "%s", sentence);
    free(sentence);
    return run->refusal;
}

/* The given text of an option of this table; NULL: it was not given. */
static const char *given_text(const struct arguments *arguments, psdvec_options_kind kind,
                              const psdvec_option *row)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        /* --seed applies to the context and to random draws. */
        bool same = (option->library && option->kind == kind) || !strcmp(row->name, "seed");
        if (same && !strcmp(option->row.name, row->name) && value->given)
            return option_is_switch(option) ? "yes" : value->text;
    }
    return NULL;
}

static int set_given(struct run *run, psdvec_options_kind kind, psdvec_settings *settings)
{
    const psdvec_option *row;
    for (size_t k = 0; (row = psdvec_options_at(kind, k)); k++) {
        const char *text = given_text(run->arguments, kind, row);
        psdvec_status status = text && row->type != PSDVEC_OPTION_TEXTS
                                   ? psdvec_settings_set(settings, row->name, text)
                                   : PSDVEC_OK;
        if (status != PSDVEC_OK)
            return refused(run, settings, status);
    }
    return EXIT_FINE;
}

static psdvec_settings *new_settings(struct run *run, psdvec_options_kind kind)
{
    const struct arguments *arguments = run->arguments;
    psdvec_settings *settings =
        psdvec_settings_new(kind, arguments->command->presets[arguments->preset]);
    run->settings = must_grow(run->settings, run->settings_count + 1, sizeof *run->settings);
    run->settings[run->settings_count++] = settings;
    if (!settings)
        out_of_memory();
    return settings;
}

void *options_take(struct run *run, psdvec_options_kind kind)
{
    psdvec_settings *settings = new_settings(run, kind);
    if (set_given(run, kind, settings))
        return NULL;
    psdvec_status status = psdvec_settings_finish(settings);
    if (status != PSDVEC_OK) {
        refused(run, settings, status);
        return NULL;
    }
    return psdvec_settings_struct(settings);
}

int options_apply(struct run *run, psdvec_options_kind kind, void *options)
{
    psdvec_settings *settings = new_settings(run, kind);
    int code = set_given(run, kind, settings);
    if (!code)
        psdvec_settings_apply(settings, options);
    return code;
}

bool options_take_words(struct run *run, const char *name)
{
    const struct option_value *lists = argument(run->arguments, name);
    for (size_t k = 0; k < lists->text_count; k++) {
        const char *given = lists->texts[k];
        bool in_file = given[0] == '@';
        size_t length;
        char *text = in_file ? run_read(run, "the list of words ", given + 1, &length)
                             : must_copy(given);
        if (!text)
            return false;
        word_list_add(&run->words, text, in_file);
    }
    return true;
}

psdvec_count_options *options_take_count(struct run *run)
{
    psdvec_count_options *count = options_take(run, PSDVEC_OPTIONS_COUNT);
    if (!count || !options_take_words(run, "keep"))
        return NULL;
    count->keep_words = (const char *const *)run->words.words;
    count->keep_words_count = run->words.count;
    return count;
}

int options_refuse_text(struct run *run, const char *counts)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(run->arguments->command, k)); k++)
        if (option->library && option->kind == PSDVEC_OPTIONS_COUNT &&
            run->arguments->values[k].given)
            return run_use_error(run,
                                 "--%s applies to text, and %s is a counts file; omit the option, "
                                 "or give the text",
                                 option->name, counts);
    return EXIT_FINE;
}

bool options_given(const struct arguments *arguments, psdvec_options_kind kind)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++)
        if (option->library && option->kind == kind && arguments->values[k].given)
            return true;
    return false;
}

const char *option_word(psdvec_options_kind kind, const char *name, unsigned value)
{
    return psdvec_options_find(kind, name)->choices[value].name;
}
