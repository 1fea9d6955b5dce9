/* The printer as the functions of a user's language call it. */
#include "backends/c/emit.h"

#include <stdarg.h>

const fcl_k_program *fcl_put_program(const fcl_printer *e)
{
    return e->p;
}

void *fcl_put_state(const fcl_printer *e)
{
    return e->file->state;
}

void fcl_put(fcl_printer *e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    c_put_list(e, format, ap);
    va_end(ap);
}

void fcl_put_line(fcl_printer *e)
{
    c_indent(e);
}

void fcl_put_indent(fcl_printer *e, int by)
{
    int64_t indent = (int64_t)e->indent + by;
    e->indent = indent < 0 ? 0 : indent > C_NESTING_MOST ? C_NESTING_MOST : (uint32_t)indent;
}

/* Nodes have names and notes where a program is being written, and not at the head of a file. */
static bool is_there(fcl_printer *e, fcl_k_node n)
{
    if (n && n < e->p->nodes.len && e->notes)
        return true;
    fcl_put_refuse(e, 0, "the printer was asked for a node that is not there", NULL);
    return false;
}

void fcl_put_name(fcl_printer *e, fcl_k_node n)
{
    if (is_there(e, n))
        c_name(e, n);
}

void fcl_put_value(fcl_printer *e, fcl_k_node n, fcl_c_binding least)
{
    if (is_there(e, n))
        c_value(e, n, least);
}

void fcl_put_type(fcl_printer *e, fcl_scalar s)
{
    if (s > 0 && s < FCL_SCALAR_END)
        c_put(e, "%s", c_memory_type(e->language, c_held(e, (scalar)s)));
    else
        fcl_put_refuse(e, 0, "the printer was asked for a type that is not there", NULL);
}

size_t fcl_put_uses(const fcl_printer *e, fcl_k_node n)
{
    return n < e->p->nodes.len && e->notes ? c_note_of(e, n)->uses : 0;
}

void fcl_put_refuse(fcl_printer *e, fcl_k_node n, const char *message, const char *hint)
{
    if (!e->failed)
        fcl_k_program_refuse(e->p, n, message, hint);
    e->failed = true;
}
