/* The loop of a thread, and the array of such loops: the regions of the host's loop are run, and
 * what they give is the state after a turn. */
#include "ir/passes/schedule/carry/carry.h"

/* With the arrays, or the numbers alone. */
static bool is_carried(const component *p, bool arrays)
{
    return arrays || !p->rank;
}

static ir_value begin(carrying *c, place in, bool arrays)
{
    ir_value items[MOST_CARRIED], ix[MAX_RANK];
    spot at[MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ncomponents && carry_goes_on(c); i++) {
        const component *p = &c->parts[i];
        for (uint32_t k = 0; is_carried(p, arrays) && k < p->count && carry_goes_on(c); k++) {
            carry_place_of(c, p, k, at);
            for (uint32_t a = 0; a < p->rank; a++)
                ix[a] = at[a].now;
            items[n++] = p->rank ? sched_index(c->s, in, p->z, ix, p->rank) : p->z;
        }
    }
    return carry_goes_on(c) ? carry_tupled(c, in, items, n) : 0;
}

/* What the state of the old loop is in the region that is being filled, whose state is `now`. */
static void bind(carrying *c, ir_value old, ir_value now, bool arrays)
{
    uint32_t n = 0, all = 0;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        all += is_carried(&c->parts[i], arrays) ? c->parts[i].count : 0;
    for (uint32_t i = 0; i < c->ncomponents && carry_goes_on(c); i++) {
        const component *p = &c->parts[i];
        for (uint32_t k = 0; k < p->count && !c->s->failed; k++) {
            ir_value args[] = {now, sched_int(c->s, n)};
            bool is = is_carried(p, arrays);
            c->carried[p->first + k] =
                !is        ? 0
                : all == 1 ? now
                           : sched_make(c->s, carry_here(c), OP_PROJ, args, 2, p->elem);
            n += is;
        }
    }
    carry_mean(c, old, (meaning){.kind = MEANS_STATE, .component = c->is_tuple ? WHOLE : 0});
}

/* Component k of what a turn gives. */
static ir_value given(carrying *c, uint32_t k, meaning *is)
{
    ir_module *m = c->s->m;
    ir_value y = ir_arg(m, ir_region_at(m, carry_step_of(c))->last, 0);
    *is = carry_meaning(c, y);
    if (!c->is_tuple)
        return y;
    if (is->kind == MEANS_TUPLE)
        return ir_arg(m, made_by(m, y), k);
    carry_refuse(c, "what a turn gives is not seen to be the components of its state");
    return 0;
}

static void end_component(carrying *c, uint32_t k, ir_value *items, uint32_t *n)
{
    const component *p = &c->parts[k];
    meaning is;
    spot at[MAX_RANK];
    ir_value y = given(c, k, &is);
    for (uint32_t i = 0; y && i < p->rank; i++)
        if (carry_extent(c, y, i) != p->extent[i])
            carry_refuse(c, "the extents after a turn are not seen to be those before it");
    for (uint32_t i = 0; i < p->count && carry_goes_on(c); i++) {
        carry_place_of(c, p, i, at);
        items[(*n)++] = p->rank ? carry_element(c, y, at) : carry_now(c, y);
    }
}

static void end(carrying *c, bool arrays)
{
    ir_value items[MOST_CARRIED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ncomponents && carry_goes_on(c); i++)
        if (is_carried(&c->parts[i], arrays))
            end_component(c, i, items, &n);
    ir_value v = carry_goes_on(c) ? carry_tupled(c, carry_here(c), items, n) : 0;
    if (v)
        sched_yield(c->s, carry_here(c), v);
}

static void condition(carrying *c, ir_region from, ir_region to, ir_type state, bool arrays)
{
    ir_module *m = c->s->m;
    ir_value e = ir_add_param(m, to, state, 0, true);
    c->open[c->nopen++] = to;
    bind(c, ir_region_at(m, from)->params, e, arrays);
    carry_run(c, from);
    ir_value v = carry_now(c, ir_arg(m, ir_region_at(m, from)->last, 0));
    if (v)
        sched_yield(c->s, carry_here(c), v);
    c->nopen--;
}

/* The loop at a place; what it gives. */
ir_value carry_turns(carrying *c, place in, bool arrays)
{
    ir_module *m = c->s->m;
    ir_value z = begin(c, in, arrays), args[] = {ir_arg(m, c->loop, 0), z};
    ir_type state = type_of(c->s, z);
    bool counts = carry_repeats(c);
    ir_value v = z ? sched_make(c->s, in, counts ? OP_REPEAT : OP_WHILE, counts ? args : &z,
                                counts ? 2 : 1, state)
                   : 0;
    if (!v)
        return 0;
    ir_op made = ir_value_at(m, v)->def;
    c->thread = arrays ? made : 0;
    ir_region to = ir_op_at(m, made)->regions + (counts ? 0u : 1u);
    if (!counts)
        condition(c, ir_op_at(m, c->loop)->regions, ir_op_at(m, made)->regions, state, arrays);
    const ir_value old = ir_region_at(m, carry_step_of(c))->params;
    if (counts)
        carry_mean_value(c, old, ir_add_param(m, to, type_scalar(m, ST_I32), 0, true), 0);
    ir_value e = ir_add_param(m, to, state, 0, true);
    c->open[c->nopen++] = to;
    bind(c, old + counts, e, arrays);
    carry_run(c, carry_step_of(c));
    end(c, arrays);
    c->nopen--;
    return carry_goes_on(c) ? v : 0;
}

/* ---- the array of loops ---- */

static ir_type element_type(const carrying *c)
{
    ir_type types[MOST_CARRIED];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        for (uint32_t k = 0; c->parts[i].rank && k < c->parts[i].count; k++)
            types[n++] = c->parts[i].elem;
    return n == 1 ? types[0] : type_tuple(c->s->m, types, n);
}

/* Of the state at the end of a thread's loop, what is of arrays. */
static ir_value of_arrays(carrying *c, place in, ir_value v)
{
    ir_value items[MOST_CARRIED];
    uint32_t n = 0;
    if (carry_elements_of_arrays(c) == c->ncarried)
        return v;
    for (uint32_t i = 0; i < c->ncomponents; i++)
        for (uint32_t k = 0; c->parts[i].rank && k < c->parts[i].count && !c->s->failed; k++) {
            ir_value args[] = {v, sched_int(c->s, c->parts[i].first + k)};
            items[n++] = sched_make(c->s, in, OP_PROJ, args, 2, c->parts[i].elem);
        }
    return c->s->failed ? 0 : carry_tupled(c, in, items, n);
}

static void count_axes(carrying *c)
{
    for (uint32_t i = 0; i < c->ncomponents; i++)
        for (uint32_t a = 0; a < c->parts[i].rank && !c->s->failed; a++)
            if (c->parts[i].axis[a] != AXIS_SHORT && !c->dims[c->parts[i].axis[a]])
                c->dims[c->parts[i].axis[a]] = sched_dim(c->s, carry_host(c), c->parts[i].z, a);
}

ir_value carry_array_of_loops(carrying *c)
{
    place in;
    count_axes(c);
    ir_value all = c->s->failed ? 0
                                : sched_generate(c->s, carry_host(c), c->dims, c->rank,
                                                 element_type(c), &in, c->ix);
    if (!all)
        return 0;
    c->all = made_by(c->s->m, all);
    c->open[c->nopen++] = in.region;
    ir_value v = carry_turns(c, in, true);
    v = v ? of_arrays(c, in, v) : 0;
    if (v)
        sched_yield(c->s, in, v);
    c->nopen--;
    c->thread = 0;
    return v ? all : 0;
}
