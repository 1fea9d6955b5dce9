/* The reader of kernel programs: what k_print has printed, or a third party has written.
 *
 * Values keep their numbers.  Constants, and statements without a value, have none in the text and
 * get free ones; a constant stands before the statement of the host block that uses it first.  The
 * program is verified before it is handed out.  Any bytes are safe to read: errors are diagnostics
 * with a position, nothing recurses deeper than blocks may nest, and memory is proportional to the
 * size of the text. */
#ifndef FCL_IR_KERNEL_READ_H
#define FCL_IR_KERNEL_READ_H

#include "ir/kernel/kir.h"

/* Reads one program, and nothing behind it; `name` is what diagnostics call the text.  *out is to
 * be released in either case.  False with diagnostics. */
bool k_read(fcl_context *cx, const char *name, const char *text, size_t size, k_program *out);

#endif
