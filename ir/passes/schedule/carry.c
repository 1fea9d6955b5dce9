/* A loop of the host that carries an array, each element of which is computed from the same element of the
 * turn before, is an array of loops: each thread carries its element, and memory is written once.
 *
 *   repeat n, z { (k, now) after }
 *   generate the extents of z { (ix) repeat n, z[ix] { (k, e) after[ix], in which now is e everywhere } }
 *
 * A turn may describe any number of arrays by maps and generates; those that hang on `now` are asked for at
 * their own place alone.  Nothing in it is a collective, a choice or a loop of the host, nothing is handed out,
 * and extents stay. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* A thread keeps what it carries in registers: bytes that it has to spare beside the work of a turn. */
enum {
    MOST_BYTES = 64,
    MOST_CALLED = 32 /* operations of a function that gives a scalar of the turn: each thread does them */
};

typedef struct carried {
    ir_op loop;
    ir_region step;
    ir_value z, now, after;
    ir_type elem;
    uint32_t rank, mark;
    vec_u32 found; /* arrays that hang on `now` */
} carried;

/* ---- what is computed from its own place alone ---- */

static bool note(scheduler *s, carried *c, ir_value v)
{
    mem *mm = &s->m->cx->mem;
    while (s->carried.len <= v && !s->failed)
        s->failed = !vec_push(mm, &s->carried, 0);
    if (s->failed || s->carried.at[v] == c->mark)
        return !s->failed;
    s->carried.at[v] = c->mark;
    s->failed = !vec_push(mm, &c->found, v);
    return !s->failed;
}

/* The operation of the turn in which another one stands; itself where it is one; 0: none. */
static ir_op in_turn(const scheduler *s, const carried *c, ir_op o)
{
    while (o && ir_op_at(s->m, o)->parent != c->step)
        o = ir_region_at(s->m, ir_op_at(s->m, o)->parent)->owner;
    return o;
}

/* Whether an operation indexes by the parameters of a generate of the turn. */
static bool is_own_place(const scheduler *s, const carried *c, ir_op index, ir_op by)
{
    const op_node n = *ir_op_at(s->m, index), g = *ir_op_at(s->m, by);
    bool own = n.opcode == OP_INDEX && g.opcode == OP_GENERATE && g.nargs == c->rank && n.nargs == c->rank + 1;
    for (uint32_t i = 0; own && i < c->rank; i++)
        own = ir_arg(s->m, index, i + 1) == ir_region_at(s->m, g.regions)->params + i;
    return own;
}

static bool use_is_own(scheduler *s, carried *c, ir_op user)
{
    const op_node n = *ir_op_at(s->m, user);
    if (n.opcode == OP_DIM || n.opcode == OP_LENGTH)
        return true;
    if (n.parent == c->step && n.opcode == OP_MAP)
        return note(s, c, n.result);
    if (n.parent == c->step)
        return n.opcode == OP_YIELD;
    ir_op by = in_turn(s, c, user);
    return by && is_own_place(s, c, user, by) && note(s, c, ir_op_at(s->m, by)->result);
}

/* Who asks for elements; of an array of the turn there is one at most, as all of it is computed again for
 * each. */
static bool uses_are_own(scheduler *s, carried *c, ir_value v)
{
    uint32_t asks = 0;
    bool own = true;
    for (uint32_t u = ir_first_use(&s->e, v); own && u; u = ir_next_use(&s->e, u)) {
        opcode code = (opcode)ir_op_at(s->m, ir_user(&s->e, u))->opcode;
        asks += code != OP_DIM && code != OP_LENGTH;
        own = use_is_own(s, c, ir_user(&s->e, u)) && (v == c->now || asks <= 1);
    }
    return own;
}

static bool all_own(scheduler *s, carried *c)
{
    bool own = note(s, c, c->now);
    for (uint32_t i = 0; own && i < c->found.len; i++)
        own = uses_are_own(s, c, c->found.at[i]);
    vec_free(&s->m->cx->mem, &c->found);
    return own;
}

/* ---- what a turn consists of ---- */

/* Whether a function that is called does little: no loop, choice or further call. */
static bool is_short(const scheduler *s, ir_op call)
{
    ir_module *m = s->m;
    uint32_t ops = 0;
    ir_op o = ir_region_at(m, ir_func_at(m, ir_op_at(m, call)->attr)->body)->first;
    for (; o && ops < MOST_CALLED; o = ir_op_at(m, o)->next, ops++)
        if (ir_op_info(ir_op_at(m, o)->opcode)->regions || ir_op_info(ir_op_at(m, o)->opcode)->effect == EFFECT_CALL)
            return false;
    return !o;
}

/* Scalars, and arrays that hang on `now`: another one may be asked for anywhere, and is better written. */
static bool is_described(const scheduler *s, const carried *c, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    if (sched_has_collective(s, o) || n.opcode == OP_EMIT)
        return false;
    if (ir_op_info(n.opcode)->effect == EFFECT_CALL && (n.opcode != OP_CALL || !is_short(s, o)))
        return false;
    if (n.opcode == OP_GENERATE || n.opcode == OP_MAP)
        return s->carried.at[n.result] == c->mark;
    return !n.result || (!ir_op_info(n.opcode)->regions && sched_is_base(s->m, type_of(s, n.result)));
}

static bool turn_is_described(const scheduler *s, const carried *c)
{
    bool is = true;
    for (ir_op o = ir_region_at(s->m, c->step)->first; is && o; o = ir_op_at(s->m, o)->next)
        is = is_described(s, c, o);
    return is;
}

/* Whether each turn has the extents that the loop begins with. */
static bool extents_stay(scheduler *s, const carried *c)
{
    bool stay = true;
    for (uint32_t i = 0; stay && i < c->rank; i++) {
        sched_axis a = sched_extent_of(s->m, c->after, i);
        stay = sched_same_extent(s->m, a, (sched_axis){c->now, i}) ||
               sched_same_extent(s->m, a, sched_extent_of(s->m, c->z, i));
    }
    return stay;
}

static const char *why_not(scheduler *s, carried *c)
{
    if (sched_is_off(s, DECIDE_CARRY))
        return "carry is off";
    if (sched_bytes(s->m, c->elem, MOST_BYTES) > MOST_BYTES)
        return "a thread would carry more than 64 bytes";
    if (!extents_stay(s, c))
        return "the extents after a turn are not seen to be those before it";
    if (!all_own(s, c))
        return "an element is not computed from its own place alone";
    if (s->failed || !turn_is_described(s, c))
        return "a turn has more than short work on scalars and the descriptions of arrays that hang on what is carried";
    return NULL;
}

/* ---- the array of loops ---- */

/* In the turn, the array that it was given is what the thread has, wherever it is asked. */
static ir_value everywhere(scheduler *s, const carried *c, ir_value e, const ir_value *dims)
{
    place top = {c->step, ir_region_at(s->m, c->step)->first, ir_op_at(s->m, c->loop)->loc}, in;
    ir_value j[MAX_RANK], v = sched_generate(s, top, dims, c->rank, c->elem, &in, j);
    if (v)
        sched_yield(s, in, e);
    return v;
}

static void one_loop(scheduler *s, const carried *c, place in, const ir_value *dims, const ir_value *ix)
{
    ir_module *m = s->m;
    ir_value args[] = {ir_arg(m, c->loop, 0), sched_index(s, in, c->z, ix, c->rank)};
    ir_value v = s->failed ? 0 : sched_make(s, in, OP_REPEAT, args, 2, c->elem);
    if (!v)
        return;
    sched_yield(s, in, v);
    ir_region turn = ir_op_at(m, ir_value_at(m, v)->def)->regions;
    ir_value k = ir_add_param(m, turn, type_scalar(m, ST_I32), 0, true),
             e = ir_add_param(m, turn, c->elem, 0, true),
             params[] = {k, s->failed ? 0 : everywhere(s, c, e, dims)};
    if (s->failed)
        return;
    ir_take_body(&s->e, c->step, turn, params);
    ir_op end = ir_region_at(m, turn)->last;
    ir_value after = sched_index(s, sched_before(s, end), ir_arg(m, end, 0), ix, c->rank);
    if (after)
        ir_set_operand(&s->e, end, 0, after);
}

static void carry(scheduler *s, const carried *c)
{
    place at = sched_before(s, c->loop), in;
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    for (uint32_t i = 0; i < c->rank && !s->failed; i++)
        dims[i] = sched_dim(s, at, c->z, i);
    ir_value v = s->failed ? 0 : sched_generate(s, at, dims, c->rank, c->elem, &in, ix);
    if (v)
        one_loop(s, c, in, dims, ix);
    if (!s->failed)
        sched_replace(s, c->loop, v);
}

static void look_at(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (n.opcode != OP_REPEAT)
        return;
    const type_node t = *ir_type_at(m, type_of(s, n.result));
    if (t.kind != TY_PULL || !sched_is_base(m, t.a))
        return;
    carried c = {.loop = o, .step = n.regions, .z = ir_arg(m, o, 1), .elem = t.a, .rank = t.n, .mark = ++s->loops};
    c.now = ir_region_at(m, c.step)->params + 1;
    c.after = ir_arg(m, ir_region_at(m, c.step)->last, 0);
    const char *why = why_not(s, &c);
    if (s->failed)
        return;
    if (why) {
        sched_tell(s, o, NOT_CARRIED, "each turn of this loop is work of the grid: %s", why);
        return;
    }
    sched_tell(s, o, CARRIED, "each thread goes through the turns of this loop with its own element");
    carry(s, &c);
}

void sched_carry(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        const op_node n = *ir_op_at(m, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                sched_carry(s, n.regions + i);
        look_at(s, o);
    }
}
