/* Local memory of a kernel as its text declares it: see emit.h. */
#include "backends/c/emit.h"

/* What the first array of an area tells, and what only all of them together do. */
c_area c_area_of(const c_emitter *e, const k_kernel *k, uint32_t number)
{
    uint32_t first;
    c_area a = {.n = k_area_locals(e->p, k, number, &first)};
    int64_t size;
    a.locals = k_local_at(e->p, k, first);
    a.constant = k_local_count(e->p, a.locals->alloc, &size);
    for (uint32_t i = 0; i < a.n; i++) {
        a.wide = a.wide || c_note_of(e, a.locals[i].alloc)->wide;
        a.mixed =
            a.mixed || k_at(e->p, a.locals[i].alloc)->type != k_at(e->p, a.locals->alloc)->type;
    }
    a.mixed = a.mixed || (a.wide && !a.constant);
    return a;
}

bool c_area_is_plain(const c_area *a)
{
    return a->n == 1 && !a->mixed;
}

void c_put_area_name(c_emitter *e, const c_area *a)
{
    if (c_area_is_plain(a))
        c_name(e, a->locals->alloc);
    else
        c_put(e, "area%u", a->locals->alloc);
}

uint64_t c_area_elements(const c_emitter *e, const k_kernel *k, uint32_t number, const c_area *a,
                         uint32_t unit)
{
    uint64_t bytes = k_area_bytes(e->p, k, number, (k_sizes){0});
    uint32_t own = ir_scalar_bytes((scalar)k_at(e->p, a->locals->alloc)->type);
    return a->mixed ? (bytes + unit - 1) / unit : bytes / own;
}
