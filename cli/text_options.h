/* The options that say how text becomes tokens: count, train and tokenize have them. */
#ifndef CLI_TEXT_OPTIONS_H
#define CLI_TEXT_OPTIONS_H

#include "arguments.h"

#include <psdvec/psdvec.h>

extern const struct option_spec text_options[];
/* Those of them that a command takes over from a model, if it reads text for one. */
extern const char *const text_options_of_model[];

/* Takes what the command line says into options that hold the library's defaults. With
 * `defaults`, also takes the defaults that the help shows: the check-defaults
 * command compares the two. */
void text_options_read(const struct arguments *arguments, bool defaults,
                       psdvec_text_options *options);

/* The library's defaults, and over them what the settings of a counts file say: an
 * object with members named as the options, or one with a member "settings" that is.
 * `json` may be NULL; what it says wrongly is passed over. */
void text_options_of_settings(const char *json, psdvec_text_options *options);

/* Sets `field` from --name if it was given, or if `all` and there is a default. */
#define TAKE(field, type, arguments, name, all)                                                    \
    do {                                                                                           \
        const struct option_value *value_ = argument((arguments), (name));                         \
        if (value_->given || ((all) && value_->known))                                             \
            (field) = (type)value_->integer;                                                       \
    } while (0)

#endif
