/* Refusing what a caller asks of a module.  Calls that build have no text of their own to point
 * into: where the front end gives no positions, the module is printed as far as it is built. */
#include "libfcl/core/core.h"

#include "serialize/text/listing.h"

#include <stdarg.h>
#include <stdio.h>

/* Whether an operation is in its function's body: those of a graph are not, until it ends. */
static bool is_placed(ir_module *ir, ir_op o)
{
    const region_node *r = ir_region_at(ir, ir_op_at(ir, o)->parent);
    while (r->owner)
        r = ir_region_at(ir, ir_op_at(ir, r->owner)->parent);
    return r == ir_region_at(ir, ir_func_at(ir, r->func)->body);
}

/* The function and the operation that were made last, where they are the module's own. */
static void note_last(fcl_module *m)
{
    ir_module *ir = &m->ir;
    ir_op o = ir->ops.len - 1;
    ir_func f = o ? ir_region_at(ir, ir_op_at(ir, o)->parent)->func : ir->funcs.len - 1;
    if (!f || ir_func_at(ir, f)->import)
        return;
    if (!is_placed(ir, o))
        o = 0;
    subject last = o ? (subject){ON_OP, o} : (subject){ON_FUNC, f};
    diag_note_add(ir->cx, ir_loc_at(ir, ir_loc_later(last)),
                  o ? "in function @%s, behind this operation" : "in function @%s",
                  ir_str(ir, ir_func_at(ir, f)->name));
    listing_resolve(ir);
}

uint32_t core_refuse(fcl_module *m, const char *fmt, ...)
{
    /* What follows from short memory is not reported as the caller's mistake. */
    m->broken = m->broken || m->ir.cx->mem.oom;
    if (m->broken)
        return 0;
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    m->broken = true;
    diag_error(m->ir.cx, DIAG_BUILDER, m->at, "%s", text);
    if (!m->at.file && m->ir.file)
        note_last(m);
    return 0;
}
