/* Fits T and e of a new model to the held-out text of its counts (fit.c). */
#ifndef PV_DOCUMENT_FIT_H
#define PV_DOCUMENT_FIT_H

#include "train/train.h"

pv_fit_fn pv_fit_held_out;

#endif
