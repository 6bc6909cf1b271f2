/* gzip, unpacked with zlib and every check sum compared. libarchive unpacks
 * gzip too, but does not look at the check sums, so that a damaged file would
 * be counted as if it were sound.
 */
#ifndef PV_CORPUS_GUNZIP_H
#define PV_CORPUS_GUNZIP_H

#include "base/context.h"

typedef struct pv_gunzip pv_gunzip;

/* Delivers packed bytes: at most `capacity`, 0 at the end. */
typedef psdvec_status pv_gunzip_source(void *user, char *bytes, size_t capacity, size_t *got);

/* `name` is for messages and must stay valid. */
psdvec_status pv_gunzip_new(psdvec_context *ctx, const char *name, pv_gunzip_source *source,
                            void *user, pv_gunzip **gunzip);
void pv_gunzip_free(pv_gunzip *gunzip);

/* Unpacked bytes; *got is 0 only at the end of the last member. */
psdvec_status pv_gunzip_read(pv_gunzip *gunzip, char *bytes, size_t capacity, size_t *got);

#endif
