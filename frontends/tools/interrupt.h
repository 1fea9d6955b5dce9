/* An interrupt from the keyboard ends what runs in a context, with a diagnostic.  The next one ends the program: a kernel on a
 * device cannot be stopped half-way. */
#ifndef FCL_TOOLS_INTERRUPT_H
#define FCL_TOOLS_INTERRUPT_H

#include "libfcl/fcl.h"

void interrupt_begin(fcl_context *cx);
/* As it was before. */
void interrupt_end(void);

#endif
