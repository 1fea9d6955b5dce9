/* Which of a module's own calls lead to what is written in a library, such as a prelude. */
#ifndef FCL_IR_CALLERS_H
#define FCL_IR_CALLERS_H

#include "ir/ir.h"

/* Whether the position is in the text of a library. */
bool ir_in_library(const ir_module *m, location at);
/* The same of a position of the module as it is kept: nothing is counted, and no memory needed. */
bool ir_place_in_library(const ir_module *m, uint32_t loc);
/* The position of the first call outside of libraries that leads to a function with an operation at
 * `at`, and that function; false when none does.  Linear in the module: for messages. */
bool ir_call_into(ir_module *m, location at, location *call, ir_func *callee);
/* The same where a pass has put what the library's function does in the place of its call: the position of the innermost
 * operation outside of libraries around an operation at `at`. */
bool ir_written_around(ir_module *m, location at, location *around);

#endif
