/* What a program keeps of its module, so that nothing in it points back: the names of parameters,
 * and the positions that are used.
 *
 * Places in texts stay what they are, since the context owns the sources; the module's other
 * positions are copied when they are met first. */
#include "ir/kernel/lower/value.h"
#include "ir/base/source.h"

#include <string.h>

static str_id name_of(lowering *L, ir_func f, uint32_t param)
{
    const region_node *body = ir_region_at(L->m, ir_func_at(L->m, f)->body);
    const char *s = ir_str(L->m, ir_value_at(L->m, body->params + param)->name);
    return *s ? intern_cstr(&L->m->cx->strings, s) : 0;
}

bool lower_origin(lowering *L, ir_func f)
{
    mem *mm = &L->m->cx->mem;
    k_program *p = L->b.p;
    k_origin *o = &p->origin;
    bool ok = source_hold_all(L->m->cx, &o->sources, &L->m->sources) &&
              vec_push(mm, &o->locs, (location){0}) && vec_push(mm, &o->files, L->m->file);
    for (uint32_t i = 0; ok && i < p->in.len; i++)
        ok = vec_push(mm, &o->names, name_of(L, f, p->in.at[i].param));
    for (uint32_t i = 0; ok && i < L->m->imports.len; i++)
        ok = vec_push(mm, &o->files, L->m->imports.at[i].name);
    ok = ok && vec_reserve(mm, &L->positions, L->m->locs.len);
    if (ok && L->m->locs.len)
        memset(L->positions.at, 0, L->m->locs.len * sizeof *L->positions.at);
    L->positions.len = ok ? L->m->locs.len : 0;
    return ok;
}

uint32_t lower_position(lowering *L, uint32_t loc)
{
    k_origin *o = &L->b.p->origin;
    if (loc & LOC_PLACE || !loc)
        return loc;
    bool kept = loc < L->positions.len;
    if (kept && L->positions.at[loc])
        return L->positions.at[loc] - 1;
    if (!vec_push(&L->m->cx->mem, &o->locs, ir_loc_at(L->m, loc)))
        return 0;
    if (kept)
        L->positions.at[loc] = o->locs.len;
    return o->locs.len - 1;
}
