/* The table of passes, as --list-passes shows it. */
#ifndef FCL_TOOLS_PASSES_H
#define FCL_TOOLS_PASSES_H

#include "frontends/tools/commands/session.h"

/* Prints every pass with its contract and options, and the pipeline, to standard output. */
bool passes_list(session *s);

#endif
