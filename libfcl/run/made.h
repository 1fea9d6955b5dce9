/* Code and plans that were made before, on disk: made.c. */
#ifndef FCL_LIBFCL_RUN_MADE_H
#define FCL_LIBFCL_RUN_MADE_H

#include "backends/run/cache/cache.h"
#include "libfcl/face.h"
#include "libfcl/run/run.h"

/* What the program is made of, as a key; false: it is not one to be kept. */
bool made_name(const fcl_program *p, const fcl_compile_options *o, const run_caps *caps, cache_key *k);
/* Fills p->made with what is kept under the key; false: nothing. */
bool made_take(fcl_program *p, const cache_key *k);
/* Keeps p->made. */
void made_keep(fcl_program *p, const cache_key *k);

#endif
