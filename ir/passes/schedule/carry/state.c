/* What a loop carries: components that are arrays with the same extents, but for short axes of
 * which a thread has all elements, and numbers; and what values of the turn stand for. */
#include "ir/passes/schedule/carry/carry.h"

/* A thread keeps what it carries in registers: bytes that it has to spare beside the work of a
 * turn. */
enum { MOST_BYTES = 64, SHORT = 4 };

bool carry_refuse(carrying *c, const char *why)
{
    if (!c->why)
        c->why = why;
    return false;
}

/* ---- what values mean ---- */

meaning carry_meaning(const carrying *c, ir_value v)
{
    return c->means.at[v < c->means.len ? v : 0];
}

void carry_mean(carrying *c, ir_value v, meaning what)
{
    mem *mm = &c->s->m->cx->mem;
    while (c->means.len <= v && !c->s->failed)
        c->s->failed = !vec_push(mm, &c->means, (meaning){.kind = MEANS_ITSELF});
    if (c->s->failed)
        return;
    if (c->means.at[v].kind == MEANS_ITSELF)
        c->s->failed = !vec_push(mm, &c->set, v);
    c->means.at[v] = what;
}

void carry_mean_value(carrying *c, ir_value v, ir_value now, uint32_t known)
{
    carry_mean(c, v, (meaning){.kind = MEANS_VALUE, .is = {now, known}});
}

place carry_host(const carrying *c)
{
    return sched_before(c->s, c->loop);
}

place carry_front(const carrying *c)
{
    return sched_before(c->s, c->all ? c->all : c->loop);
}

place carry_here(const carrying *c)
{
    return (place){c->open[c->nopen - 1], 0, ir_op_at(c->s->m, c->loop)->loc};
}

/* ---- the state ---- */

bool carry_repeats(const carrying *c)
{
    return ir_op_at(c->s->m, c->loop)->opcode == OP_REPEAT;
}

ir_region carry_step_of(const carrying *c)
{
    return ir_op_at(c->s->m, c->loop)->regions + (carry_repeats(c) ? 0u : 1u);
}

ir_value carry_begin_of(const carrying *c)
{
    return ir_arg(c->s->m, c->loop, carry_repeats(c) ? 1 : 0);
}

/* Component k of what the loop begins with. */
static ir_value first_value(carrying *c, uint32_t k, ir_type t)
{
    ir_module *m = c->s->m;
    ir_value z = carry_begin_of(c), args[] = {z, sched_int(c->s, k)};
    ir_op o = made_by(m, z);
    if (!c->is_tuple)
        return z;
    return o && ir_op_at(m, o)->opcode == OP_TUPLE
               ? ir_arg(m, o, k)
               : sched_make(c->s, carry_host(c), OP_PROJ, args, 2, t);
}

/* Whether all of it are scalars and arrays of such, and there is an array. */
bool carry_is_state(ir_module *m, ir_type t)
{
    const type_node n = *ir_type_at(m, t);
    bool tuple = n.kind == TY_TUPLE, arrays = false;
    for (uint32_t i = 0; i < (tuple ? n.n : 1); i++) {
        ir_type x = tuple ? type_item(m, t, i) : t;
        const type_node item = *ir_type_at(m, x);
        if (item.kind == TY_PULL ? !sched_is_base(m, item.a) : !sched_is_base(m, x))
            return false;
        arrays = arrays || item.kind == TY_PULL;
    }
    return arrays;
}

/* A number of a few: of none there would be nothing to carry. */
static bool is_short_extent(const extent *e)
{
    return !e->n && e->number && e->number <= SHORT;
}

/* Which axes are those of the place, and which are short. */
static bool take_axes(carrying *c, component *p, bool first, int axes)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t e = p->extent[i] = carry_extent(c, p->z, i);
        if (!e)
            return carry_refuse(c, "an extent is not known");
        bool is_short = axes == WITH_SHORT && is_short_extent(&c->products.at[e]);
        p->axis[i] = is_short ? AXIS_SHORT : own;
        if (is_short)
            p->count *= (uint32_t)c->products.at[e].number;
        else if (first)
            c->extents[own++] = e;
        else if (own == c->rank || c->extents[own++] != e)
            return carry_refuse(c,
                                "the arrays that it carries are not seen to have the same extents");
        if (p->count > MOST_CARRIED)
            return carry_refuse(c, "a thread would carry more than 64 bytes");
    }
    if (first)
        c->rank = own;
    return (own && own == c->rank) ||
           carry_refuse(c, "the arrays that it carries are not seen to have the same extents");
}

static bool take_component(carrying *c, ir_type t, uint32_t *bytes, int axes)
{
    ir_module *m = c->s->m;
    const type_node n = *ir_type_at(m, t);
    if (c->ncomponents == MOST_COMPONENTS)
        return carry_refuse(c, "its state has many components");
    component *p = &c->parts[c->ncomponents];
    *p = (component){.elem = n.kind == TY_PULL ? n.a : t,
                     .rank = n.kind == TY_PULL ? n.n : 0,
                     .first = c->ncarried,
                     .count = 1};
    p->z = first_value(c, c->ncomponents++, t);
    if (p->rank && !take_axes(c, p, !c->rank, axes))
        return false;
    c->ncarried += p->count;
    *bytes += p->count * sched_bytes(m, p->elem, MOST_BYTES);
    return (*bytes <= MOST_BYTES && c->ncarried <= MOST_CARRIED) ||
           carry_refuse(c, "a thread would carry more than 64 bytes");
}

bool carry_take_state(carrying *c, int axes)
{
    ir_module *m = c->s->m;
    ir_type t = type_of(c->s, carry_begin_of(c));
    const type_node n = *ir_type_at(m, t);
    uint32_t bytes = 0;
    c->is_tuple = n.kind == TY_TUPLE;
    for (uint32_t i = 0; i < (c->is_tuple ? n.n : 1) && carry_goes_on(c); i++)
        take_component(c, c->is_tuple ? type_item(m, t, i) : t, &bytes, axes);
    return carry_goes_on(c);
}

/* The place of element `which` of a component: its own, and numbers along short axes. */
void carry_place_of(carrying *c, const component *p, uint32_t which, spot *at)
{
    for (uint32_t i = p->rank; i-- > 0;) {
        uint32_t n = (uint32_t)c->products.at[p->extent[i]].number;
        if (p->axis[i] != AXIS_SHORT) {
            at[i] = (spot){c->ix[p->axis[i]], carry_know_axis(c, p->axis[i])};
            continue;
        }
        at[i] = (spot){sched_int(c->s, which % n), carry_know_number(c, which % n)};
        which /= n;
    }
}

ir_value carry_tupled(carrying *c, place in, const ir_value *items, uint32_t n)
{
    ir_type types[MOST_CARRIED];
    for (uint32_t i = 0; i < n; i++)
        types[i] = type_of(c->s, items[i]);
    return n == 1 ? items[0]
                  : sched_make(c->s, in, OP_TUPLE, items, n, type_tuple(c->s->m, types, n));
}

uint32_t carry_elements_of_arrays(const carrying *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        n += c->parts[i].rank ? c->parts[i].count : 0;
    return n;
}

bool carry_has_short_axis(const carrying *c)
{
    bool has = false;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        for (uint32_t a = 0; a < c->parts[i].rank; a++) {
            has = has || is_short_extent(&c->products.at[c->parts[i].extent[a]]);
        }
    return has;
}
