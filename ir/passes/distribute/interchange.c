/* A loop over arrays that each element goes through, as one loop of the host over the arrays of all elements.
 *
 *   generate n { (i) ... ys = repeat k, xs { (t, now) ... } ... }
 *   all = repeat k, generate n, m { (i, j) ... xs[j] } { (t, now) generate n, m { (i, j) ... the next[j] } }
 *   generate n { (i) ... ys = generate m { (j) all[i, j] } ... }
 *
 * What stands in a turn is lifted in its turn, so that collectives there are the grid's.  How often it turns is a number
 * of the host, and so are the extents, which are asked of the arrays themselves where they are not seen to stay. */
#include "ir/passes/distribute/distribute.h"

enum { MOST_PARTS = 8 };

typedef struct interchange {
    scheduler *s;
    const sched_element *x;
    ir_op loop;
    ir_region turn;
    ir_value count;              /* of the host */
    uint32_t n;                  /* components of the state */
    bool is_tuple, changes; /* changes: some extent is not seen to stay */
    sched_shape of[MOST_PARTS];
} interchange;

/* ---- what it must be ---- */

/* Which component of the state a value of the turn is; MOST_PARTS: none. */
static uint32_t is_part(const interchange *c, ir_value v)
{
    ir_module *m = c->s->m;
    ir_value state = ir_region_at(m, c->turn)->params + 1;
    ir_op o = made_by(m, v);
    if (!c->is_tuple)
        return v == state ? 0 : MOST_PARTS;
    bool is = o && ir_op_at(m, o)->opcode == OP_PROJ && ir_arg(m, o, 0) == state;
    return is ? (uint32_t)ir_const_bits(m, ir_arg(m, o, 1)) : MOST_PARTS;
}

/* Whether a turn leaves the extents of component k as they were. */
static bool stays(const interchange *c, uint32_t k)
{
    ir_module *m = c->s->m;
    ir_value next = ir_component_of(c->s->m, ir_arg(m, ir_region_at(m, c->turn)->last, 0), k);
    bool same = next != 0;
    for (uint32_t i = 0; i < c->of[k].rank && same; i++) {
        ir_extent a = ir_extent_of(m, next, i);
        uint32_t part = a.axis == EXTENT_NUMBER ? MOST_PARTS : is_part(c, a.of);
        same = ir_turn_keeps(m, c->loop, k, i);
        if (!same && part < c->n && a.axis < c->of[part].rank) /* those of another component, which are as many */
            same = ir_same_extent(m, ir_extent_of(m, c->of[part].extents[a.axis], EXTENT_NUMBER),
                                     ir_extent_of(m, c->of[k].extents[i], EXTENT_NUMBER));
    }
    return same;
}

/* Whether an extent is what one of the state was, less something. */
static bool is_less(const interchange *c, ir_value v)
{
    ir_module *m = c->s->m;
    ir_op o = made_by(m, v);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if (code != SOP_SUB && code != SOP_DIV && code != SOP_QUOT && code != SOP_SHR)
        return false;
    ir_extent was = ir_extent_of(m, ir_arg(m, o, 0), EXTENT_NUMBER);
    return was.axis != EXTENT_NUMBER && is_part(c, was.of) < c->n;
}

/* Whether a turn makes an array of the state shorter: a thread has room for it, and computes what is left where it is asked for. */
static bool shrinks(const interchange *c, uint32_t k)
{
    ir_module *m = c->s->m;
    ir_value next = ir_component_of(m, ir_arg(m, ir_region_at(m, c->turn)->last, 0), k);
    bool less = false;
    for (uint32_t i = 0; next && i < c->of[k].rank && !less; i++) {
        ir_extent a = ir_extent_of(m, next, i);
        less = a.axis == EXTENT_NUMBER && is_less(c, a.of);
    }
    return less;
}

static const char *take_parts(interchange *c)
{
    scheduler *s = c->s;
    const type_node t = *ir_type_at(s->m, type_of(s, ir_arg(s->m, c->loop, 1)));
    c->is_tuple = t.kind == TY_TUPLE;
    c->n = c->is_tuple ? t.n : 1;
    if (c->n > MOST_PARTS)
        return "its state has many components";
    for (uint32_t k = 0; k < c->n; k++) {
        ir_value z = ir_component_of(c->s->m, ir_arg(s->m, c->loop, 1), k);
        if (!z)
            return "it is not seen what it begins with";
        if (!sched_shape_of(s, c->x, z, &c->of[k]))
            return "the extents of an array that it carries are not numbers of the host";
    }
    for (uint32_t k = 0; k < c->n; k++) {
        if (shrinks(c, k))
            return "an array that it carries is shorter from turn to turn";
        c->changes = c->changes || !stays(c, k);
    }
    return NULL;
}

static const char *why_not(interchange *c)
{
    scheduler *s = c->s;
    if (sched_told(s, c->loop, PROPERTY_INTERCHANGE, -1) == 0)
        return "its hint `interchange` says so";
    if (sched_is_off(s, DECIDE_INTERCHANGE))
        return "interchange is off";
    c->count = sched_at_host(s, c->x->make, ir_arg(s->m, c->loop, 0));
    return c->count ? take_parts(c) : "how often it turns is not a number of the host";
}

/* ---- the loop of the host ---- */

static ir_value tupled(const interchange *c, place at, const ir_value *items)
{
    ir_type types[MOST_PARTS];
    for (uint32_t k = 0; k < c->n; k++)
        types[k] = type_of(c->s, items[k]);
    return c->is_tuple ? sched_make(c->s, at, OP_TUPLE, items, c->n, type_tuple(c->s->m, types, c->n)) : items[0];
}

static ir_value part(const interchange *c, place at, ir_value v, uint32_t k)
{
    return c->is_tuple ? sched_item(c->s, at, v, k) : v;
}

/* A component of all elements: of a value that the element has. */
static ir_value all_of_part(const interchange *c, const sched_element *x, ir_value v, uint32_t k, const sched_shape *h)
{
    return sched_all_of(c->s, x, v, c->is_tuple ? (int)k : SCHED_WHOLE, h);
}

/* What a turn gives of a component; 0: not all of its extents are numbers of the host. */
static ir_value all_of_next(const interchange *c, const sched_element *x, ir_value v, uint32_t k)
{
    sched_shape h = c->of[k];
    ir_value one = ir_component_of(c->s->m, v, k);
    bool known = !c->changes || (one && sched_shape_of(c->s, x, one, &h));
    return known ? all_of_part(c, x, v, k, &h) : 0;
}

/* The extents that a component has where the arrays of all elements are there. */
static sched_shape shape_at(const interchange *c, place host, const ir_value *all, uint32_t k)
{
    sched_shape h = c->of[k];
    for (uint32_t i = 0; i < h.rank && c->changes && !c->s->failed; i++)
        h.extents[i] = sched_dim(c->s, host, all[k], c->x->rank + i);
    return h;
}

/* What each element has of the arrays of all; host: in front of the elements. */
static ir_value own_state(const interchange *c, const sched_element *x, place host, place at, const ir_value *all)
{
    ir_value items[MOST_PARTS];
    for (uint32_t k = 0; k < c->n && !c->s->failed; k++) {
        sched_shape h = shape_at(c, host, all, k);
        items[k] = c->s->failed ? 0 : sched_own_of(c->s, x, at, all[k], &h);
    }
    return c->s->failed ? 0 : tupled(c, at, items);
}

/* generate n { (i) what a turn makes of the element's own } in the loop of the host, to be lifted and then gone. */
static ir_op turn_of_elements(const interchange *c, place in, ir_value t, const ir_value *all)
{
    scheduler *s = c->s;
    ir_module *m = s->m;
    const sched_element *x = c->x;
    ir_value ix[MAX_RANK], loop = ir_op_at(m, c->loop)->result;
    place inside;
    ir_value v = sched_generate(s, in, x->dims, x->rank, type_of(s, loop), &inside, ix);
    ir_value copy = s->failed ? 0 : sched_copy_at(s, x, loop, inside.region, ix);
    if (!copy)
        return 0;
    sched_element turn = sched_element_of(s, made_by(m, v));
    ir_op o = made_by(m, copy);
    ir_region body = ir_op_at(m, o)->regions;
    ir_value params = ir_region_at(m, body)->params, own = own_state(c, &turn, sched_before(s, turn.make), sched_before(s, o), all);
    if (!own)
        return 0;
    ir_replace_uses(&s->e, params, t);
    ir_replace_uses(&s->e, params + 1, own);
    ir_value next = ir_move_body(&s->e, body, inside.region, o);
    s->failed = !next || !ir_erase_op(&s->e, o) || s->failed;
    if (s->failed)
        return 0;
    sched_yield(s, inside, next);
    sched_erase_unused(s, inside.region);
    return turn.make;
}

/* { (t, all) the arrays of all elements after a turn }: false where not all of its work is lifted, as an element of each array
 * would do the rest. */
static bool fill(const interchange *c, ir_value loop, ir_type state, uint32_t *left)
{
    scheduler *s = c->s;
    ir_module *m = s->m;
    ir_op o = made_by(m, loop);
    place in = {ir_op_at(m, o)->regions, 0, ir_op_at(m, o)->loc};
    ir_value t = ir_add_param(m, in.region, type_scalar(m, ST_I32), 0, true), now = ir_add_param(m, in.region, state, 0, true),
             all[MOST_PARTS], next[MOST_PARTS];
    for (uint32_t k = 0; t && now && k < c->n && !s->failed; k++)
        all[k] = part(c, in, now, k);
    s->failed = s->failed || !t || !now;
    ir_op turn = s->failed ? 0 : turn_of_elements(c, in, t, all);
    if (!turn)
        return false;
    sched_lift(s, turn, KEEP_NONE, left);
    sched_element x = sched_element_of(s, turn);
    if (s->failed || sched_has_work(s, x.body, 0))
        return false;
    bool known = true;
    for (uint32_t k = 0; k < c->n && known && !s->failed; k++)
        known = (next[k] = all_of_next(c, &x, ir_arg(m, ir_region_at(m, x.body)->last, 0), k)) != 0;
    ir_value v = s->failed || !known ? 0 : tupled(c, in, next);
    if (!v)
        return false;
    sched_yield(s, in, v);
    s->failed = !ir_erase_op(&s->e, turn) || s->failed;
    sched_erase_unused(s, in.region);
    return !s->failed;
}

static ir_value loop_of_all(const interchange *c, uint32_t *left)
{
    scheduler *s = c->s;
    place at = sched_before(s, c->x->make);
    ir_value begin[MOST_PARTS];
    for (uint32_t k = 0; k < c->n; k++)
        if (!(begin[k] = all_of_part(c, c->x, ir_arg(s->m, c->loop, 1), k, &c->of[k])))
            return 0;
    ir_value z = tupled(c, at, begin), args[] = {c->count, z};
    ir_value loop = z ? sched_make(s, at, OP_REPEAT, args, 2, type_of(s, z)) : 0;
    if (loop)
        sched_say(s, made_by(s->m, loop), PROPERTY_GROWS, c->changes);
    if (!loop || fill(c, loop, type_of(s, z), left))
        return loop;
    s->failed = s->failed || !ir_erase_op(&s->e, made_by(s->m, loop));
    return 0;
}

bool sched_interchange(scheduler *s, const sched_element *x, ir_op o, uint32_t *left)
{
    interchange c = {.s = s, .x = x, .loop = o, .turn = ir_op_at(s->m, o)->regions};
    const char *why = *left ? why_not(&c) : "there are many in one another";
    if (why) {
        sched_tell(s, o, NOT_INTERCHANGED, "a thread goes through this loop of each element: %s", why);
        return false;
    }
    --*left;
    ir_value loop = loop_of_all(&c, left), all[MOST_PARTS];
    if (!loop) {
        sched_tell(s, o, NOT_INTERCHANGED, "a thread goes through this loop of each element: what it begins with, or a turn, has work that is a thread's, or extents that are");
        return false;
    }
    sched_tell(s, o, INTERCHANGED, "this loop of each element becomes a loop over the arrays of all elements");
    for (uint32_t k = 0; k < c.n && !s->failed; k++)
        all[k] = part(&c, sched_before(s, x->make), loop, k);
    ir_value own = !s->failed ? own_state(&c, x, sched_before(s, x->make), sched_before(s, o), all) : 0;
    if (own)
        sched_replace(s, o, own);
    return own != 0;
}
