/* What the size of a function's own blocks is held to (ir/block.h): a power of two that blocks may have. */
#include "ir/check/impl.h"

#include "ir/block.h"
#include "ir/properties.h"

void check_block(checker *c, ir_func f)
{
    int64_t n = ir_property_number(c->m, (subject){ON_FUNC, f}, PROPERTY_BLOCK, 1);
    if (n >= 1 && n <= MAX_BLOCK && (n & (n - 1)) == 0)
        return;
    diag_error(c->cx, DIAG_BLOCK, check_here(c), "blocks of %lld threads are none that @%s can be written for",
               (long long)n, ir_str(c->m, ir_func_at(c->m, f)->name));
    diag_hint(c->cx, "write a power of two from 1 to %d", MAX_BLOCK);
}
