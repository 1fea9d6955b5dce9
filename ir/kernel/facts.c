/* Stating facts about values: see facts.h. */
#include "ir/kernel/facts.h"

bool k_type_is_int(scalar t)
{
    char c = ir_scalar_class(t);
    return c == 'I' || c == 'U' || c == 'B';
}

void k_type_range(scalar t, int64_t *lo, int64_t *hi)
{
    uint32_t bits = ir_scalar_bytes(t) * 8;
    char c = ir_scalar_class(t);
    *lo = c == 'I' || c == 'F' ? INT64_MIN : 0;
    *hi = INT64_MAX;
    if (c == 'B')
        *hi = 1;
    else if (c == 'I' && bits < 64) {
        *lo = -((int64_t)1 << (bits - 1));
        *hi = -*lo - 1;
    } else if (c == 'U' && bits < 64)
        *hi = ((int64_t)1 << bits) - 1;
    else if (c == 'U')
        *lo = INT64_MIN; /* u64 as a bit pattern: nothing known */
}

/* The facts that may be written; none are of node 0, which stands for no value. */
static k_facts *stated(k_program *p, k_id v)
{
    return v && v < p->facts.len ? &p->facts.at[v] : NULL;
}

void k_state_range(k_program *p, k_id v, int64_t lo, int64_t hi)
{
    k_facts *f = stated(p, v);
    if (!f)
        return;
    lo = lo > f->lo ? lo : f->lo;
    hi = hi < f->hi ? hi : f->hi;
    if (lo > hi)
        return;
    f->lo = lo;
    f->hi = hi;
}

void k_state_bound(k_program *p, k_id v, k_id bound)
{
    k_facts *f = stated(p, v);
    if (f)
        f->bound = bound;
}

void k_state_below(k_program *p, k_id v, k_id limit)
{
    k_facts *f = stated(p, v);
    if (f)
        f->below = limit;
}

void k_state_extent(k_program *p, k_id v)
{
    k_facts *f = stated(p, v);
    if (f && f->hi > MAX_EXTENT && f->lo <= MAX_EXTENT) {
        f->hi = MAX_EXTENT;
        f->extent = true;
    }
}

void k_state_all(k_program *p, k_id v, k_facts f)
{
    k_facts *of = stated(p, v);
    if (of)
        *of = f;
}
