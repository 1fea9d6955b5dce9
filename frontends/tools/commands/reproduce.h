/* Reproducers: what a pass that failed was given, with the command that repeats it. */
#ifndef FCL_TOOLS_REPRODUCE_H
#define FCL_TOOLS_REPRODUCE_H

#include "frontends/tools/commands/session.h"

/* Writes the file that --reproducer names: the command as a comment, then the program. */
void reproduce_write(session *s, const fcl_pass_event *e, const char *program, size_t size);

#endif
