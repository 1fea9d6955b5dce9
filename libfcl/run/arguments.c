/* Arguments against the kernel that gets them: number, types, ranks, and equal extents within an
 * array of tuples. */
#include "libfcl/run/run.h"

#include <stdio.h>
#include <string.h>

/* What is checked. */
typedef struct call {
    const fcl_program *p;
    const host_array *args;
    bool on_device; /* arrays have their elements there, and data NULL */
} call;

static bool bad_argument(const call *c, uint32_t i, const char *what)
{
    const host_signature *s = &c->p->face;
    return diag_error(c->p->cx, DIAG_ARGUMENTS, s->at, "argument %u, for parameter %%%s: %s", i,
                      intern_str(&c->p->cx->strings, s->params.at[s->in.at[i].param].name), what);
}

/* The type, as the core writes it, of a leaf. */
static void put_leaf_type(char *out, size_t size, scalar type, uint32_t rank)
{
    const char *name = ir_scalar_name(type);
    if (rank > 1)
        snprintf(out, size, "[%s;%u]", name, rank);
    else
        snprintf(out, size, rank ? "[%s]" : "%s", name);
}

/* The number of elements fits memory, and they are there. */
static bool has_data(const call *c, const host_array *a)
{
    uint64_t n = ir_scalar_bytes(a->type);
    bool empty = false;
    for (unsigned i = 0; i < a->rank; i++)
        empty = empty || a->dims[i] == 0;
    if (empty)
        return true;
    for (unsigned i = 0; i < a->rank; i++) {
        if (n > SIZE_MAX / 2 / a->dims[i])
            return false;
        n *= a->dims[i];
    }
    return a->data || (c->on_device && a->rank);
}

static bool check_leaf(const call *c, uint32_t i)
{
    const host_array *a = &c->args[i];
    leaf l = c->p->face.in.at[i];
    if (a->type != l.type || a->rank != l.rank) {
        char wanted[40], given[40], what[160];
        put_leaf_type(wanted, sizeof wanted, l.type, l.rank);
        put_leaf_type(given, sizeof given, a->type < ST_COUNT ? a->type : ST_NONE, a->rank);
        snprintf(what, sizeof what, "it takes %s, not %s", wanted, given);
        return bad_argument(c, i, what);
    }
    return has_data(c, a) ||
           bad_argument(c, i, "its elements are missing, or more than memory holds");
}

/* The leaves of one array of tuples have the same extents. */
static bool check_shape(const call *c, uint32_t i)
{
    const leaf *l = &c->p->face.in.at[i];
    const host_array *first = &c->args[i - l->back], *a = &c->args[i];
    return memcmp(a->dims, first->dims, l->rank * sizeof *a->dims) == 0 ||
           bad_argument(c, i, "the components of an array of tuples have the same extents");
}

bool program_check_args(const fcl_program *p, const host_array *args, uint32_t nargs,
                        bool on_device)
{
    call c = {.p = p, .args = args, .on_device = on_device};
    if (nargs != p->face.in.len)
        return diag_error(p->cx, DIAG_ARGUMENTS, p->face.at, "kernel %s takes %u arguments, not %u",
                          intern_str(&p->cx->strings, p->face.entry), p->face.in.len, nargs);
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_leaf(&c, i))
            return false;
    for (uint32_t i = 0; i < nargs; i++)
        if (!check_shape(&c, i))
            return false;
    return true;
}
