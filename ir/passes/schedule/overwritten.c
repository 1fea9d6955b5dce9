/* Arrays, and updates of what they are computed from.
 *
 *   c = generate r { ... t[..] ... }    u = update t, ..., xs    ys = generate n { ... c[..] ... }
 *
 * While c is computed wherever it is asked for, t is read behind the update, which then overwrites a copy of it. And
 * what an update puts there is written in front of it, as it may be computed from what is overwritten, unless it is
 * seen to be computed from other arrays alone.  So is what a scatter puts into an array that nobody else uses, where
 * that is read to find it: as the elements of a diagonal. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* Operations that are looked at for one array; arrays in arrays. */
enum { MOST_LOOKED = 256, DEEPEST = 8 };

typedef struct look {
    scheduler *s;
    ir_op array;     /* that may be written */
    ir_value memory; /* that is overwritten */
    uint32_t left;
    bool over; /* it reads more than is looked at */
} look;

/* The operation of region `home` in which another stands, or which it is; 0: none. */
static ir_op stands_in(const scheduler *s, ir_op o, ir_region home)
{
    while (o && ir_op_at(s->m, o)->parent != home)
        o = ir_region_at(s->m, ir_op_at(s->m, o)->parent)->owner;
    return o;
}

static bool is_behind(look *l, ir_op o, ir_op first)
{
    while (first && first != o && l->left && l->left--)
        first = ir_op_at(l->s->m, first)->next;
    return first == o;
}

/* Described, as by a function without collectives too, and computed where it is asked for. */
static bool is_lazy(const scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    bool calls = n.opcode == OP_CALL && n.attr < s->reaches.len && !s->reaches.at[n.attr]; /* else it has been scheduled */
    return (calls && ir_type_at(s->m, type_of(s, n.result))->kind == TY_PULL) || n.opcode == OP_GENERATE || n.opcode == OP_MAP;
}

/* ---- who is asked for behind an update ---- */

static bool is_asked_behind(look *l, ir_value v, ir_op update, uint32_t depth)
{
    ir_module *m = l->s->m;
    bool behind = false;
    for (uint32_t u = ir_first_use(&l->s->e, v); u && depth && l->left && !behind; u = ir_next_use(&l->s->e, u)) {
        ir_op o = ir_user(&l->s->e, u), by = stands_in(l->s, o, ir_op_at(m, update)->parent);
        uint32_t code = ir_op_at(m, o)->opcode;
        if (!by || code == OP_DIM || code == OP_LENGTH)
            continue;
        behind = is_behind(l, by, ir_op_at(m, update)->next) ||
                 (is_lazy(l->s, by) && is_asked_behind(l, ir_op_at(m, by)->result, update, depth - 1));
    }
    return behind;
}

/* Whether to write an array may cost less than to copy the other one: it has fewer dimensions, or other extents, like a part. */
static bool may_be_smaller(ir_module *m, ir_value v, ir_value xs)
{
    uint32_t rank = ir_type_at(m, ir_value_at(m, v)->type)->n, other = ir_type_at(m, ir_value_at(m, xs)->type)->n;
    bool same = rank == other;
    for (uint32_t k = 0; k < rank && same; k++)
        same = ir_same_extent(m, ir_extent_of(m, v, k), ir_extent_of(m, xs, k));
    return rank <= other && !same;
}

static bool is_overwritten(look *l, ir_value xs)
{
    ir_module *m = l->s->m;
    ir_value v = ir_op_at(m, l->array)->result;
    bool is = false;
    if (!may_be_smaller(m, v, xs))
        return false;
    for (uint32_t u = ir_first_use(&l->s->e, xs); u && l->left && !is; u = ir_next_use(&l->s->e, u)) {
        ir_op o = ir_user(&l->s->e, u);
        l->left--;
        is = ir_op_at(m, o)->opcode == OP_UPDATE && ir_arg(m, o, 0) == xs &&
             ir_op_at(m, o)->parent == ir_op_at(m, l->array)->parent && is_behind(l, o, ir_op_at(m, l->array)->next) &&
             is_asked_behind(l, v, o, DEEPEST);
    }
    return is;
}

/* ---- what an array is computed from ---- */

typedef bool visitor(look *l, ir_value xs);

static bool any_read(look *l, ir_op o, visitor *what, uint32_t depth);

static bool any_in_region(look *l, ir_region r, visitor *what, uint32_t depth)
{
    bool any = false;
    for (ir_op o = ir_region_at(l->s->m, r)->first; o && !any; o = ir_op_at(l->s->m, o)->next)
        any = any_read(l, o, what, depth);
    return any;
}

/* Of a function, what it is made with; which function it is has to be seen. */
static bool any_read_by(look *l, ir_value f, visitor *what, uint32_t depth)
{
    ir_op made = made_by(l->s->m, f);
    l->over = l->over || !made;
    return l->over || any_read(l, made, what, depth);
}

/* Whether it is so of an array that an operation reads, itself or through arrays that are described; or there are too many. */
static bool any_read(look *l, ir_op o, visitor *what, uint32_t depth)
{
    ir_module *m = l->s->m;
    const op_node n = *ir_op_at(m, o);
    bool shape = n.opcode == OP_DIM || n.opcode == OP_LENGTH, any = l->over = l->over || !l->left || !depth;
    for (uint32_t k = 0; k < n.nargs && !any && !shape; k++) {
        ir_value v = ir_arg(m, o, k);
        ir_op made = made_by(m, v);
        l->left -= l->left != 0;
        if (ir_type_at(m, type_of(l->s, v))->kind == TY_FUN)
            any = any_read_by(l, v, what, depth - 1);
        else if (ir_holds_pull(m, type_of(l->s, v)))
            any = what(l, v) || (made && is_lazy(l->s, made) && any_read(l, made, what, depth - 1));
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !any; i++)
        any = any_in_region(l, n.regions + i, what, depth);
    return any;
}

static void look_at(scheduler *s, ir_op o)
{
    look l = {.s = s, .array = o, .left = MOST_LOOKED};
    const type_node t = *ir_type_at(s->m, type_of(s, ir_op_at(s->m, o)->result));
    if (!is_lazy(s, o) || !sched_is_base(s->m, t.a) || sched_told(s, o, PROPERTY_WRITE, -1) == 0 ||
        !any_read(&l, o, is_overwritten, DEEPEST) || l.over)
        return;
    sched_tell(s, o, WRITTEN, "written to memory: it is asked for behind an `update` of what it is computed from");
    sched_write_by(s, o, BY_GRID);
}

void sched_outlive(scheduler *s, ir_region r)
{
    sched_each(s, r, look_at);
}

/* ---- what is apart from what is overwritten ---- */

/* The array that updates have made of it. */
static ir_value memory_of(ir_module *m, ir_value v)
{
    for (ir_op o; (o = made_by(m, v)) != 0 && ir_op_at(m, o)->opcode == OP_UPDATE;)
        v = ir_arg(m, o, 0);
    return v;
}

/* A parameter, a component of one, or what a force has made: no two of them are one memory. */
static bool is_own_memory(ir_module *m, ir_value v)
{
    ir_op o = made_by(m, v);
    if (o && ir_op_at(m, o)->opcode == OP_PROJ)
        return ir_value_at(m, ir_arg(m, o, 0))->kind == V_PARAM;
    return o ? ir_op_at(m, o)->opcode == OP_FORCE : ir_value_at(m, v)->kind == V_PARAM;
}

static bool are_same_part(ir_module *m, ir_value v, ir_value w)
{
    ir_op o = made_by(m, v), p = made_by(m, w);
    bool parts = o && p && ir_op_at(m, o)->opcode == OP_PROJ && ir_op_at(m, p)->opcode == OP_PROJ;
    return v == w || (parts && ir_arg(m, o, 0) == ir_arg(m, p, 0) && ir_const_bits(m, ir_arg(m, o, 1)) == ir_const_bits(m, ir_arg(m, p, 1)));
}

static bool may_be_overwritten(look *l, ir_value xs)
{
    ir_module *m = l->s->m;
    ir_value v = memory_of(m, xs);
    ir_op o = made_by(m, v);
    bool described = o && is_lazy(l->s, o); /* what it reads is looked at */
    return !described && (!is_own_memory(m, v) || are_same_part(m, v, l->memory));
}

bool sched_is_apart(scheduler *s, ir_op update)
{
    ir_module *m = s->m;
    ir_op made = made_by(m, ir_arg(m, update, ir_op_at(m, update)->nargs - 1u));
    look l = {.s = s, .memory = memory_of(m, ir_arg(m, update, 0)), .left = MOST_LOOKED};
    return made && is_lazy(s, made) && is_own_memory(m, l.memory) && !any_read(&l, made, may_be_overwritten, DEEPEST);
}

/* ---- scatters ---- */

static bool is_overwritten_memory(look *l, ir_value xs)
{
    ir_module *m = l->s->m;
    return are_same_part(m, memory_of(m, xs), l->memory);
}

/* Whether what an operation uses of an array is all that is used of it, but for its shape. */
static bool is_last_use(scheduler *s, ir_value xs, ir_op o)
{
    ir_module *m = s->m;
    bool last = true;
    for (uint32_t u = ir_first_use(&s->e, xs); u && last; u = ir_next_use(&s->e, u)) {
        ir_op by = ir_user(&s->e, u);
        uint32_t code = ir_op_at(m, by)->opcode;
        last = code == OP_DIM || code == OP_LENGTH || stands_in(s, by, ir_op_at(m, o)->parent) == o;
    }
    return last;
}

/* Whether a number, or an element, of a region is found by reading. */
static bool is_read_for(look *l, ir_value v, ir_region in)
{
    ir_module *m = l->s->m;
    ir_op o = made_by(m, v);
    if (!o || ir_op_at(m, o)->parent != in || l->over)
        return false;
    bool reads = any_read(l, o, is_overwritten_memory, DEEPEST);
    for (uint32_t k = 0; k < ir_op_at(m, o)->nargs && !reads; k++)
        reads = is_read_for(l, ir_arg(m, o, k), in);
    return reads;
}

/* Its values are found by reading the state of a loop, which it overwrites, and not where they go; nobody else reads that; and it is
 * not seen to go through as much as a copy would. */
static bool reads_its_own(scheduler *s, ir_op o, const ir_value pair[2])
{
    ir_module *m = s->m;
    ir_value xs = ir_arg(m, o, 0), found = ir_arg(m, o, 1);
    ir_region in = ir_op_at(m, o)->regions;
    look l = {.s = s, .memory = memory_of(m, xs), .left = MOST_LOOKED};
    ir_op part = made_by(m, l.memory);
    ir_value state = part && ir_op_at(m, part)->opcode == OP_PROJ ? ir_arg(m, part, 0) : l.memory;
    bool loops = ir_value_at(m, state)->kind == V_PARAM && ir_region_at(m, ir_value_region(m, state))->owner != 0;
    return loops && may_be_smaller(m, found, xs) && is_last_use(s, xs, o) && !is_read_for(&l, pair[0], in) &&
           is_read_for(&l, pair[1], in) && !l.over;
}

/* generate { (i) what xs has there, and found }, which is scattered to where the region says that the former goes. */
static ir_value scatter_found(scheduler *s, ir_op o, ir_value found, ir_value pos)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    place at = sched_before(s, o), in;
    ir_value xs = ir_arg(m, o, 1), dims[MAX_RANK], ix[MAX_RANK];
    uint32_t rank = ir_type_at(m, type_of(s, xs))->n;
    ir_type items[] = {ir_type_at(m, type_of(s, xs))->a, ir_type_at(m, type_of(s, found))->a}, t = type_tuple(m, items, 2);
    for (uint32_t k = 0; k < rank; k++)
        dims[k] = sched_dim(s, at, xs, k);
    ir_value both = s->failed ? 0 : sched_generate(s, at, dims, rank, t, &in, ix);
    ir_value of[] = {both ? sched_index(s, in, xs, ix, rank) : 0, both ? sched_index(s, in, found, ix, rank) : 0};
    if (s->failed)
        return 0;
    sched_yield(s, in, sched_make(s, in, OP_TUPLE, of, 2, t));
    ir_value args[] = {ir_arg(m, o, 0), both}, put = sched_make(s, at, (opcode)n.opcode, args, 2, type_of(s, n.result));
    in = (place){put ? ir_op_at(m, made_by(m, put))->regions : 0, 0, n.loc};
    ir_value x = put ? ir_add_param(m, in.region, t, 0, true) : 0, u = x ? sched_item(s, in, x, 0) : 0;
    ir_value to = u ? ir_copy_needed(&s->e, n.regions, pos, in.region, &u) : 0;
    ir_value pair[] = {to, to ? sched_item(s, in, x, 1) : 0};
    ir_type types[] = {type_of(s, pos), items[1]};
    s->failed = s->failed || !to;
    if (!s->failed)
        sched_yield(s, in, sched_make(s, in, OP_TUPLE, pair, 2, type_tuple(m, types, 2)));
    return s->failed ? 0 : put;
}

static bool is_scatter(ir_module *m, ir_op o)
{
    uint32_t code = ir_op_at(m, o)->opcode;
    return (code == OP_SCATTER || code == OP_SCATTERLAST || code == OP_SCATTERANY) && ir_is_collective(m, o);
}

static void look_at_scatter(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op made = is_scatter(m, o) ? made_by(m, ir_arg(m, ir_region_at(m, n.regions)->last, 0)) : 0;
    if (!made || ir_op_at(m, made)->opcode != OP_TUPLE)
        return;
    const ir_value pair[] = {ir_arg(m, made, 0), ir_arg(m, made, 1)};
    if (!sched_is_base(m, elem_of(s, ir_arg(m, o, 1))) || !reads_its_own(s, o, pair))
        return;
    ir_value found = sched_map_of(s, o, pair[1]);
    if (!found)
        return;
    sched_tell(s, made_by(m, found), WRITTEN, "written to memory: what is scattered here is computed from what is overwritten");
    found = sched_forced(s, sched_before(s, o), found, BY_GRID);
    ir_value put = found ? scatter_found(s, o, found, pair[0]) : 0;
    if (put)
        sched_replace(s, o, put);
}

void sched_scatter_found(scheduler *s, ir_region r)
{
    if (!sched_is_off(s, DECIDE_INPLACE))
        sched_each(s, r, look_at_scatter);
}
