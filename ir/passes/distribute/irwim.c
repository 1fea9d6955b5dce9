/* Reductions of arrays, whose function combines two arrays element by element, as arrays of reductions
 * (interchange reduce with inner map).
 *
 *   reduce z, xs { (x, y) generate the extents { (ix) f x[ix] y[ix] } }
 *   generate the extents { (ix) reduce z[ix], generate the length of xs { (i) xs[i][ix] } { (a, b) f a b } }
 *
 * The first is a loop over arrays, each step of which is a kernel that reads and writes all of them; the second
 * one a nest.  What elements of one array share is computed for each then, so it has to be short. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

enum { MOST_INLINED = 64, DEEPEST = 16 };

typedef struct combination {
    ir_op reduce, make; /* make: what describes the combined array */
    ir_region body;
    ir_value z, xs, x, y;
    uint32_t rank;
    ir_type elem;
} combination;

/* ---- what it must be ---- */

static bool is_extent_op(uint32_t code)
{
    return code == OP_DIM || code == OP_LENGTH;
}

/* Whether an operation indexes by the parameters of what describes the combined array. */
static bool is_same_place(const scheduler *s, const combination *c, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    bool same = n.opcode == OP_INDEX && n.nargs == c->rank + 1 && ir_is_inside(m, n.parent, c->make);
    for (uint32_t i = 0; same && i < c->rank; i++)
        same = ir_arg(m, o, i + 1) == ir_region_at(m, ir_op_at(m, c->make)->regions)->params + i;
    return same;
}

static bool uses_are_elements(const scheduler *s, const combination *c, ir_value v)
{
    bool are = true;
    for (uint32_t u = ir_first_use(&s->e, v); are && u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        are = is_extent_op(ir_op_at(s->m, o)->opcode) || is_same_place(s, c, o);
    }
    return are;
}

/* The array that stands for each element of xs; 0: it is not to be seen. */
static ir_value element_of(const scheduler *s, const combination *c)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, c->xs);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if (code != OP_GENERATE && code != OP_MAP)
        return 0;
    return ir_arg(m, ir_region_at(m, ir_op_at(m, o)->regions)->last, 0);
}

/* Whether all elements are seen to have the extent that z has. */
static bool is_regular(const scheduler *s, const combination *c, uint32_t axis)
{
    ir_value v = element_of(s, c);
    return v && ir_same_extent(s->m, ir_extent_in_turns(s->m, v, axis), ir_extent_in_turns(s->m, c->z, axis));
}

/* Whether a number is sure to be what z has along an axis: what has been combined has the extents of z. */
static bool is_extent(const scheduler *s, const combination *c, ir_value v, uint32_t axis, uint32_t depth)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if ((code == SOP_MIN || code == SOP_MAX) && depth < DEEPEST)
        return is_extent(s, c, ir_arg(m, o, 0), axis, depth + 1) && is_extent(s, c, ir_arg(m, o, 1), axis, depth + 1);
    ir_extent a = ir_extent_of(m, v, EXTENT_NUMBER);
    if (a.of == c->y)
        return a.axis == axis && is_regular(s, c, axis);
    return (a.of == c->x && a.axis == axis) || ir_same_extent(m, a, ir_extent_of(m, c->z, axis));
}

static bool extents_stay(const scheduler *s, const combination *c)
{
    bool stay = true;
    for (uint32_t i = 0; stay && i < c->rank; i++)
        stay = is_extent(s, c, ir_arg(s->m, c->make, i), i, 0);
    for (uint32_t u = ir_first_use(&s->e, c->y); stay && u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        if (!is_extent_op(ir_op_at(s->m, o)->opcode))
            continue;
        for (uint32_t i = 0; stay && i < c->rank; i++)
            stay = is_regular(s, c, i);
    }
    return stay;
}

/* Whether a region does work beside what it hands on that is more than a few steps. */
static bool shares_work(const scheduler *s, ir_region r, ir_op but)
{
    ir_module *m = s->m;
    bool does = false;
    for (ir_op o = ir_region_at(m, r)->first; !does && o; o = ir_op_at(m, o)->next) {
        uint32_t code = ir_op_at(m, o)->opcode;
        does = o != but && (sched_has_collective(s, o) || code == OP_REPEAT || code == OP_WHILE);
    }
    return does;
}

static bool elements_share_work(const scheduler *s, const combination *c)
{
    ir_value v = element_of(s, c);
    return v && shares_work(s, ir_op_at(s->m, made_by(s->m, c->xs))->regions, made_by(s->m, v));
}

static const char *why_not(scheduler *s, combination *c)
{
    ir_module *m = s->m;
    ir_value v = ir_arg(m, ir_region_at(m, c->body)->last, 0);
    const type_node t = *ir_type_at(m, type_of(s, c->z));
    if (sched_told(s, c->reduce, PROPERTY_IRWIM, -1) == 0)
        return "its hint `irwim` says so";
    if (sched_is_off(s, DECIDE_IRWIM))
        return "irwim is off";
    if (t.kind != TY_PULL || !sched_is_base(m, t.a))
        return "what is combined is not one array of scalars";
    c->rank = t.n;
    c->elem = t.a;
    c->make = made_by(m, v);
    if (!c->make || ir_op_at(m, c->make)->opcode != OP_GENERATE || ir_op_at(m, c->make)->parent != c->body)
        return "its function does not give an array that it describes by a `generate`";
    if (!uses_are_elements(s, c, c->x) || !uses_are_elements(s, c, c->y) || ir_next_use(&s->e, ir_first_use(&s->e, v)))
        return "its function combines more than elements in the same place";
    if (!extents_stay(s, c))
        return "the extents of what it combines are not seen to be those that it begins with";
    if (shares_work(s, c->body, c->make) || elements_share_work(s, c))
        return "what elements of one array share has loops or collectives, and would be done for each";
    return NULL;
}

/* ---- the array of reductions ---- */

/* Extents in the function are those of z; the elements in one place are a and b. */
static void replace_uses(scheduler *s, ir_value v, ir_value element, const ir_value *dims)
{
    ir_module *m = s->m;
    for (uint32_t u; !s->failed && (u = ir_first_use(&s->e, v)) != 0;) {
        ir_op o = ir_user(&s->e, u);
        const op_node n = *ir_op_at(m, o);
        uint64_t axis = n.opcode == OP_DIM ? ir_const_bits(m, ir_arg(m, o, 1)) : 0;
        ir_replace_uses(&s->e, n.result, n.opcode == OP_INDEX ? element : dims[axis]);
        s->failed = !ir_erase_op(&s->e, o) || s->e.failed;
    }
}

/* { (a, b) the function's own work; its element } */
static void fill(scheduler *s, const combination *c, ir_region to, const ir_value *dims, const ir_value *ix)
{
    ir_module *m = s->m;
    ir_value a = ir_add_param(m, to, c->elem, 0, true), b = ir_add_param(m, to, c->elem, 0, true),
             none[] = {c->z, c->z};
    if (!a || !b) {
        s->failed = true;
        return;
    }
    ir_value_at(m, a)->annotated = ir_value_at(m, b)->annotated = 1;
    replace_uses(s, c->x, a, dims);
    replace_uses(s, c->y, b, dims);
    if (s->failed)
        return;
    ir_take_body(&s->e, c->body, to, none);
    ir_region inner = ir_op_at(m, c->make)->regions;
    for (uint32_t i = 0; i < c->rank; i++)
        ir_replace_uses(&s->e, ir_region_at(m, inner)->params + i, ix[i]);
    ir_op end = ir_region_at(m, to)->last;
    ir_value v = ir_move_body(&s->e, inner, to, c->make);
    s->failed = !v;
    if (s->failed)
        return;
    ir_set_operand(&s->e, end, 0, v);
    s->failed = !ir_erase_op(&s->e, c->make);
}

/* What reductions begin with: the one value that z has everywhere, or the element of z. */
static ir_value begin(scheduler *s, const combination *c, place at, const ir_value *ix)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, c->z);
    if (o && ir_op_at(m, o)->opcode == OP_GENERATE) {
        ir_value v = ir_arg(m, ir_region_at(m, ir_op_at(m, o)->regions)->last, 0);
        if (ir_visible_at(&s->e, v, at.region, at.before))
            return v;
    }
    return sched_index(s, at, c->z, ix, c->rank);
}

/* generate the length of xs { (i) xs[i][ix] } */
static ir_value column(scheduler *s, const combination *c, place at, const ir_value *n, const ir_value *ix)
{
    place in;
    ir_value i, xs = sched_generate(s, at, n, 1, c->elem, &in, &i);
    ir_value x = s->failed ? 0 : sched_index(s, in, c->xs, &i, 1);
    ir_value e = s->failed ? 0 : sched_index(s, in, x, ix, c->rank);
    if (e)
        sched_yield(s, in, e);
    return xs;
}

static void turn_around(scheduler *s, const combination *c)
{
    ir_module *m = s->m;
    place at = sched_before(s, c->reduce), in;
    ir_value dims[MAX_RANK], ix[MAX_RANK], n = sched_dim(s, at, c->xs, 0);
    for (uint32_t i = 0; i < c->rank && !s->failed; i++)
        dims[i] = sched_dim(s, at, c->z, i);
    ir_value all = s->failed ? 0 : sched_generate(s, at, dims, c->rank, c->elem, &in, ix);
    ir_value args[] = {c->z, all ? column(s, c, in, &n, ix) : 0};
    ir_value sum = s->failed ? 0 : sched_make(s, in, OP_REDUCE, args, 2, c->elem);
    if (!sum)
        return;
    sched_yield(s, in, sum);
    ir_op o = ir_value_at(m, sum)->def;
    fill(s, c, ir_op_at(m, o)->regions, dims, ix);
    place front = sched_before(s, o);
    ir_value z = s->failed ? 0 : begin(s, c, front, ix);
    if (!z)
        return;
    ir_set_operand(&s->e, o, 0, z);
    if (!ir_visible_at(&s->e, z, at.region, at.before))
        sched_start(s, o, true);
    sched_say(s, ir_value_at(m, all)->def, PROPERTY_NEST, 1);
    sched_replace(s, c->reduce, all);
    sched_keys(s, ir_value_at(m, all)->def);
}

/* What is combined, and how, is seen where the calls that give arrays have given way to what they do. */
static void inline_around(scheduler *s, ir_op o)
{
    uint32_t left = MOST_INLINED;
    sched_inline_arrays(s, o, &left);
    for (uint32_t k = 0; k < 2; k++) {
        ir_op x = made_by(s->m, ir_arg(s->m, o, k));
        if (x)
            sched_inline_arrays(s, x, &left);
    }
}

void sched_irwim(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    if (!ir_holds_pull(m, type_of(s, ir_arg(m, o, 0))))
        return;
    inline_around(s, o);
    combination c = {.reduce = o, .body = ir_op_at(m, o)->regions, .z = ir_arg(m, o, 0), .xs = ir_arg(m, o, 1)};
    c.x = ir_region_at(m, c.body)->params;
    c.y = c.x + 1;
    const char *why = s->failed ? NULL : why_not(s, &c);
    if (s->failed)
        return;
    if (why) {
        sched_tell(s, o, NO_IRWIM, "this reduction of arrays takes one after the other: %s", why);
        return;
    }
    sched_tell(s, o, IRWIM, "this reduction of arrays becomes an array of reductions, as its function combines elements in the same place");
    turn_around(s, &c);
}
