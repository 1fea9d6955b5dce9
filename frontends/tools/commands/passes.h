/* The passes of --passes, in order. */
#ifndef FCL_TOOLS_PASSES_H
#define FCL_TOOLS_PASSES_H

#include "frontends/tools/commands/session.h"

/* Prints every pass with its summary to standard output. */
bool passes_list(session *s);
/* Runs the passes of the list over the module; prints the module or the time after each when the
 * options ask for it. */
bool passes_run(session *s, fcl_module *m, const char *list);

/* Standard error, with a header: `// after NAME`. */
void print_after(const char *name, const char *text, size_t size);
/* Seconds on a clock that only moves forward. */
double seconds_now(void);
void print_time(const char *name, double seconds);

#endif
