/* The first steps of emission, which all others take: positions, refusals, single operations. */
#include "frontends/fcl/emit/emit.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- positions and errors ---- */

/* A location without a file leaves the place as it is. */
void emit_at_loc(emitter *x, location loc)
{
    if (loc.file)
        fcl_at(x->m, program_text_of(x->p, loc.file), loc.line, loc.col);
}

void emit_refuse(emitter *x, diag_code code, location loc, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!x->failed && !x->p->cx->mem.oom)
        diag_error(x->p->cx, code, loc, "%s", text);
    x->failed = true;
}

fcl_value emit_core_op(emitter *x, fcl_region r, const char *op, const fcl_value *args, size_t n)
{
    return fcl_op(x->m, r, op, args, n);
}

fcl_value emit_core_int(emitter *x, int64_t n)
{
    return fcl_const_int(x->m, FCL_I32, n);
}
