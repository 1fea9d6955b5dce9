/* Making a module or a kernel program small that makes a command succeed. */
#ifndef FCL_TOOLS_REDUCE_H
#define FCL_TOOLS_REDUCE_H

#include "frontends/tools/commands/session.h"
#include "frontends/tools/text.h"

/* The smallest text found, starting with the session's module or kernel programs, for which the
 * command of --reduce exits with 0.  Every text that it sees can be read and keeps the rules, where
 * the input did, and none is larger than the one before.  False after a report. */
bool reduce(session *s, string *out);

#endif
