/* What the machine lets this process use. */
#ifndef PV_BASE_MACHINE_H
#define PV_BASE_MACHINE_H

#include <psdvec/psdvec.h>

/* Processors this process may run on, at least 1. */
int pv_usable_cores(void);

#endif
