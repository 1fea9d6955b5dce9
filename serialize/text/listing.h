/* Places for what has none: a module from a binary file has only the places that its front end
 * gave.  A diagnostic about anything else points into the module's text, as it is printed. */
#ifndef FCL_SERIALIZE_TEXT_LISTING_H
#define FCL_SERIALIZE_TEXT_LISTING_H

#include "ir/ir.h"

/* Replaces the locations with line LOC_LATER in the context's diagnostics that are about this
 * module; prints it, once, if there are any.  The text becomes a source under the file's name. */
void listing_resolve(ir_module *m);

#endif
