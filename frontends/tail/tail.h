/* The front end of TAIL, the typed intermediate language of an APL compiler, as the library's
 * loader sees it: docs/tail.md.
 *
 * It reads one expression, finds the types of what is in it, and builds it as a kernel `main`
 * without parameters in the FCL core, without levels.  It sees fcl.h and nothing else. */
#ifndef FCL_FRONTENDS_TAIL_TAIL_H
#define FCL_FRONTENDS_TAIL_TAIL_H

#include "libfcl/fcl.h"

/* Whether a text is TAIL, by its name. */
bool tail_is(const char *name);

/* Builds the program into the empty module m.  False with a diagnostic.  Nothing of what is given is
 * needed afterwards. */
bool tail_read(fcl_context *cx, fcl_module *m, const char *name, const char *text, size_t size);

#endif
