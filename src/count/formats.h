/* Other programs' counts, one row per format. */
#ifndef PV_COUNT_FORMATS_H
#define PV_COUNT_FORMATS_H

#include "count/export.h"
#include "count/import.h"

typedef struct pv_counts_format {
    psdvec_status (*import)(pv_import *m);
    const pv_export_format *export;
} pv_counts_format;

/* By psdvec_counts_format; the names are pv_counts_format_choices. */
extern const pv_counts_format pv_counts_formats[];

#endif
