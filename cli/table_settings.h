/* All that an item of a table depends on. */
#ifndef CLI_TABLE_SETTINGS_H
#define CLI_TABLE_SETTINGS_H

#include "table.h"

enum { COUNTING_SAME, COUNTING_OWN };
extern const psdvec_choice counting_words[]; /* of --counting */

/* Fills in the settings of all items. An error if an input cannot be read twice. */
int table_settings(struct table *table);
/* When all is made: an error if the text is not what it was, since then systems have read different
 * ones. */
int table_text_same(struct table *table);

/* Settings as a record has them, perhaps by another version, against those that are asked for. True
 * if they are the same: in whatever order they stand, and whichever version it was. Else `differ`
 * receives the names of those that are not. `version`, empty: that of the record, if it is not ours. */
bool table_settings_agree(const char *recorded, const char *asked, struct buffer *differ,
                          struct buffer *version);

#endif
