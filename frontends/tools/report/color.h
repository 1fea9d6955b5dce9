/* Colours of terminals in the text of diagnostics. */
#ifndef FCL_TOOLS_COLOR_H
#define FCL_TOOLS_COLOR_H

#include "libfcl/fcl.h"

#include <stdio.h>

typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_when;

/* Whether what goes there is coloured.  AUTO: on a terminal that is not "dumb", unless NO_COLOR is
 * set to anything (no-color.org). */
bool color_wanted(color_when when, FILE *to);
/* Writes a diagnostic as fcl_diagnostic_text renders it, with its parts coloured. */
void color_put(FILE *to, fcl_severity severity, const char *rendered);

#endif
