/* Settings of counting, compared: whether two files were counted in the same way.
 *
 * Files of different versions spell the same settings differently: members may stand in another
 * order, and an older file lacks members for options that came later. Such a member has the value
 * that files without it mean, which pv_provenance_read_settings() fills in. A member that this
 * version does not know counts as a difference unless both files have it with the same value.
 */
#ifndef PV_COUNT_SETTINGS_COMPARE_H
#define PV_COUNT_SETTINGS_COMPARE_H

#include "base/memory.h"

/* Appends what differs between two settings, JSON objects as counts files have them, to `differ`:
 * NAME VALUE, not VALUE; NAME VALUE only in the second. Nothing is appended if they are the same. With
 * `only_known`, a value that one of them does not give, or gives as null, is no difference. */
psdvec_status pv_settings_compare(psdvec_context *ctx, const char *here, const char *there,
                                  bool only_known, pv_buffer *differ);

#endif
