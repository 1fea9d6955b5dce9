/* Work of the elements of a generate, as work on arrays of all elements (flattening of regular nests).
 *
 *   generate n { (i) ... r = reduce z, xs ... f r ... }
 *   rs = generate n { (i) ... reduce z, xs }; generate n { (i) ... r = rs[i] ... f r ... }
 *
 *   generate n { (i) ... ys = scan z, xs ... }
 *   all = scan z, generate n, m { (i, j) ... xs[j] }; generate n { (i) ... ys = generate m { (j) all[i, j] } ... }
 *
 *   (sorts and filters: items.c; tables: tables.c; lengths of their own: laid.c, segments.c)
 *
 *   generate n { (i) ... ys = generate m { (j) ... reduce ... } ... }
 *   all = generate n, m { (i, j) ... reduce ... }; generate n { (i) ... ys = generate m { (j) all[i, j] } ... }
 *
 * Operations of the element are gone through in order, so what one needs is short work and what has been lifted; that
 * is done again wherever it is needed.  Extents must be numbers of the host.  What cannot be lifted stays. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

enum { FEW = 32 };

sched_element sched_element_along(const scheduler *s, ir_op make, uint32_t axes)
{
    const op_node n = *ir_op_at(s->m, make);
    sched_element x = {.make = make, .body = n.regions, .axes = axes};
    for (uint32_t i = 0; i < n.nargs; i++)
        if (axes >> i & 1) {
            x.own[x.rank] = ir_region_at(s->m, x.body)->params + i;
            x.dims[x.rank++] = ir_arg(s->m, make, i);
        }
    return x;
}

sched_element sched_element_of(const scheduler *s, ir_op make)
{
    return sched_element_along(s, make, UINT32_MAX);
}

ir_value sched_copy_at(scheduler *s, const sched_element *x, ir_value v, ir_region in, const ir_value *ix)
{
    uint32_t n = ir_region_at(s->m, x->body)->nparams;
    ir_value args[MAX_RANK];
    for (uint32_t i = 0, used = 0; i < n; i++)
        args[i] = x->axes >> i & 1 ? ix[used++] : sched_int(s, 0);
    ir_value copy = s->failed ? 0 : ir_copy_needed(&s->e, x->body, v, in, args);
    s->failed = s->failed || !copy;
    return copy;
}

/* ---- arrays of all elements, and what an element sees of them ---- */

ir_value sched_array_over(scheduler *s, const sched_element *x, ir_value v, place *in)
{
    ir_value ix[MAX_RANK];
    ir_value all = sched_generate(s, sched_before(s, x->make), x->dims, x->rank, type_of(s, v), in, ix);
    ir_value copy = all ? sched_copy_at(s, x, v, in->region, ix) : 0;
    if (copy)
        sched_yield(s, *in, copy);
    return s->failed ? 0 : all;
}

static ir_type element_type(const scheduler *s, ir_type t)
{
    const type_node n = *ir_type_at(s->m, t);
    return n.kind == TY_PULL ? n.a : t;
}

static ir_value component(scheduler *s, place at, ir_value v, int which)
{
    return which == SCHED_WHOLE || s->failed ? v : sched_item(s, at, v, (uint32_t)which);
}

static void all_dims(const sched_element *x, const sched_shape *h, ir_value *dims)
{
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = x->dims[i];
    for (uint32_t i = 0; i < h->rank; i++)
        dims[x->rank + i] = h->extents[i];
}

/* An element of an array, in a region: what describes that there, for nobody else, is gone. */
static ir_value element_at(scheduler *s, place at, ir_value v, const ir_value *ix, uint32_t rank)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    uint32_t code = o ? ir_op_at(m, o)->opcode : OP_NONE;
    if ((code != OP_GENERATE && code != OP_MAP) || ir_op_at(m, o)->parent != at.region || ir_first_use(&s->e, v))
        return sched_index(s, at, v, ix, rank);
    const region_node r = *ir_region_at(m, ir_op_at(m, o)->regions);
    place here = sched_before(s, o);
    ir_value xs = code == OP_MAP ? ir_arg(m, o, 0) : 0, x = 0;
    if (xs) { /* let go of it, so that it may be gone too */
        ir_set_operand(&s->e, o, 0, sched_int(s, 0));
        x = element_at(s, here, xs, ix, rank);
    }
    for (uint32_t i = 0; i < r.nparams && !s->failed; i++)
        ir_replace_uses(&s->e, r.params + i, xs ? x : ix[i]);
    ir_value e = s->failed ? 0 : ir_move_body(&s->e, ir_op_at(m, o)->regions, at.region, o);
    s->failed = s->failed || !e || !ir_erase_op(&s->e, o);
    return e;
}

bool sched_has_work(const scheduler *s, ir_region r, ir_op but)
{
    bool has = false;
    for (ir_op o = ir_region_at(s->m, r)->first; !has && o; o = ir_op_at(s->m, o)->next)
        has = o != but && sched_work_of(s, o) != WORK_SHORT;
    return has;
}

/* An array that hangs on what is not lifted is in vain, as that would be done once more for each of its elements. */
static bool is_again(scheduler *s, ir_value all, place in, ir_op but)
{
    bool again = sched_has_work(s, in.region, but);
    if (again)
        s->failed = !ir_erase_op(&s->e, made_by(s->m, all)) || s->failed;
    return again;
}

ir_value sched_all_of(scheduler *s, const sched_element *x, ir_value v, int which, const sched_shape *h)
{
    ir_value dims[2 * MAX_RANK], ix[2 * MAX_RANK];
    place in;
    ir_type t = type_of(s, v);
    t = element_type(s, which == SCHED_WHOLE ? t : type_item(s->m, t, (uint32_t)which));
    all_dims(x, h, dims);
    ir_value all = sched_generate(s, sched_before(s, x->make), dims, x->rank + h->rank, t, &in, ix);
    ir_value copy = sched_copy_at(s, x, v, in.region, ix);
    if (!s->failed && is_again(s, all, in, h->rank ? 0 : made_by(s->m, copy)))
        return 0;
    ir_value e = s->failed ? 0 : component(s, in, copy, which);
    if (e && h->rank)
        e = element_at(s, in, e, ix + x->rank, h->rank);
    if (!s->failed)
        sched_yield(s, in, e);
    return s->failed ? 0 : all;
}

ir_value sched_own_of(scheduler *s, const sched_element *x, place at, ir_value all, const sched_shape *h)
{
    ir_value ix[2 * MAX_RANK];
    place in;
    for (uint32_t i = 0; i < x->rank; i++)
        ix[i] = x->own[i];
    if (!h->rank)
        return sched_index(s, at, all, ix, x->rank);
    ir_value v = sched_generate(s, at, h->extents, h->rank, element_type(s, type_of(s, all)), &in, ix + x->rank);
    ir_value e = s->failed ? 0 : sched_index(s, in, all, ix, x->rank + h->rank);
    if (e)
        sched_yield(s, in, e);
    return s->failed ? 0 : v;
}

/* Extents of an array of the element that the host knows; rank 0 of what is none. */
bool sched_shape_of(scheduler *s, const sched_element *x, ir_value v, sched_shape *h)
{
    const type_node t = *ir_type_at(s->m, type_of(s, v));
    h->rank = t.kind == TY_PULL ? t.n : 0;
    if (x->rank + h->rank > MAX_RANK || !sched_is_base(s->m, element_type(s, type_of(s, v))))
        return false;
    for (uint32_t i = 0; i < h->rank; i++)
        if (!(h->extents[i] = sched_extent(s, x->make, v, i)))
            return false;
    return !s->failed;
}

/* ---- one operation ---- */

static bool is_short(const scheduler *s, ir_value xs)
{
    ir_module *m = s->m;
    uint32_t rank = ir_type_at(m, type_of(s, xs))->n;
    const value_node n = *ir_value_at(m, ir_extent_of(m, xs, rank - 1).of);
    return n.kind == V_CONST && (int32_t)n.low < FEW;
}

sched_work sched_work_of(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    if (!sched_has_collective(s, o))
        return WORK_SHORT;
    switch (n.opcode) {
    case OP_REDUCE:
        if (ir_holds_pull(m, type_of(s, ir_arg(m, o, 0))))
            return WORK_CLOSED;
        if (is_short(s, ir_arg(m, o, 1)))
            return WORK_SHORT;
        return ir_type_at(m, type_of(s, ir_arg(m, o, 1)))->n == 1 ? WORK_REDUCTION : WORK_ROWS;
    case OP_SCAN:
    case OP_SCANEX: return is_short(s, ir_arg(m, o, 1)) ? WORK_SHORT : WORK_ROWS;
    case OP_SORT: return is_short(s, ir_arg(m, o, 0)) ? WORK_SHORT : WORK_SORT;
    case OP_FILTER: return WORK_FILTER;
    case OP_ACCUMULATE: return WORK_TABLE;
    case OP_GENERATE:
    case OP_MAP: return sched_has_work(s, n.regions, 0) ? WORK_INNER : WORK_SHORT;
    case OP_REPEAT: return WORK_LOOP;
    default: return WORK_CLOSED;
    }
}

static ir_value replace(scheduler *s, const sched_element *x, ir_op o, ir_value all, const sched_shape *h)
{
    ir_value own = all && !s->failed ? sched_own_of(s, x, sched_before(s, o), all, h) : 0;
    if (own)
        sched_replace(s, o, own);
    return own;
}

static ir_value lift_reduction(scheduler *s, const sched_element *x, ir_op o)
{
    sched_shape one = {.rank = 0};
    ir_value all = sched_all_of(s, x, ir_op_at(s->m, o)->result, SCHED_WHOLE, &one);
    if (!all)
        return 0;
    sched_say(s, made_by(s->m, all), PROPERTY_WRITE, 1);
    return replace(s, x, o, all, &one);
}

/* The region of a collective, whose parameters are of one type, as that of another. */
static void take_function(scheduler *s, ir_op from, ir_op to, ir_type elem)
{
    ir_module *m = s->m;
    ir_region of = ir_op_at(m, from)->regions, in = ir_op_at(m, to)->regions;
    ir_value params[2];
    for (uint32_t i = 0; i < 2; i++) {
        params[i] = ir_add_param(m, in, elem, 0, true);
        s->failed = s->failed || !params[i];
    }
    ir_value v = s->failed ? 0 : ir_copy_body(&s->e, of, in, params);
    if (v)
        sched_yield(s, (place){in, 0, ir_op_at(m, to)->loc}, v);
}

/* As the same of a matrix of one rank more. */
ir_value sched_lift_rows(scheduler *s, const sched_element *x, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_value z = ir_arg(m, o, 0);
    sched_shape h;
    bool known = sched_shape_of(s, x, ir_arg(m, o, 1), &h);
    if (!known && x->ragged && n.opcode != OP_REDUCE)
        return sched_lift_scan(s, x, o);
    if (!known || !sched_is_free(s, n.regions, x->body, x->make) ||
        !sched_is_hosts(s, z, x->make))
        return 0;
    ir_value args[] = {z, sched_all_of(s, x, ir_arg(m, o, 1), SCHED_WHOLE, &h)};
    if (!args[1])
        return 0;
    h.rank -= n.opcode == OP_REDUCE;
    ir_type elem = type_of(s, z);
    ir_value all = sched_make(s, sched_before(s, x->make), (opcode)n.opcode, args, 2,
                              type_pull(m, elem, x->rank + h.rank));
    if (all)
        take_function(s, o, made_by(m, all), elem);
    return replace(s, x, o, s->failed ? 0 : all, &h);
}

/* An array that the element describes, over all elements; 0: it has extents of its own, or needs what is not lifted. */
static ir_value describe_all(scheduler *s, const sched_element *x, ir_op o, sched_shape *h, uint32_t *left)
{
    ir_module *m = s->m;
    ir_value dims[2 * MAX_RANK], ix[2 * MAX_RANK], v = ir_op_at(m, o)->result;
    place in;
    if (!*left || !sched_shape_of(s, x, v, h))
        return 0;
    --*left;
    all_dims(x, h, dims);
    ir_value all = sched_generate(s, sched_before(s, x->make), dims, x->rank + h->rank,
                                  ir_type_at(m, type_of(s, v))->a, &in, ix);
    ir_value copy = sched_copy_at(s, x, v, in.region, ix);
    if (!s->failed && is_again(s, all, in, made_by(m, copy)))
        return 0;
    ir_value e = s->failed ? 0 : element_at(s, in, copy, ix + x->rank, h->rank);
    if (e)
        sched_yield(s, in, e);
    return e && !s->failed ? all : 0;
}

/* Whether it is a loop without arrays, and takes some turns. */
static bool is_loop_of_numbers(const scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    if (n.opcode != OP_REPEAT || ir_holds_pull(s->m, type_of(s, n.result)))
        return false;
    const value_node turns = *ir_value_at(s->m, ir_arg(s->m, o, 0));
    return turns.kind != V_CONST || (int32_t)turns.low >= FEW;
}

/* Whether it gives what such a loop has, or a function in which one stands. */
static bool gives_number_of_loop(const scheduler *s, ir_op o)
{
    const op_node n = *ir_op_at(s->m, o);
    ir_region body = n.opcode == OP_CALL ? ir_func_at(s->m, n.attr)->body : 0;
    bool loops = is_loop_of_numbers(s, o);
    for (ir_op in = body ? ir_region_at(s->m, body)->first : 0; in && !loops; in = ir_op_at(s->m, in)->next)
        loops = is_loop_of_numbers(s, in);
    return loops && sched_is_base(s->m, type_of(s, n.result)) && sched_work_of(s, o) == WORK_SHORT;
}

bool sched_has_numbers(const scheduler *s, ir_region r)
{
    bool has = false;
    for (ir_op o = ir_region_at(s->m, r)->first; o && !has; o = ir_op_at(s->m, o)->next)
        has = gives_number_of_loop(s, o);
    return has;
}

uint32_t sched_lift_numbers(scheduler *s, ir_op make)
{
    sched_element x = sched_element_of(s, make);
    uint32_t lifted = 0;
    for (ir_op o = ir_region_at(s->m, x.body)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(s->m, o)->next;
        lifted += gives_number_of_loop(s, o) && lift_reduction(s, &x, o);
    }
    if (!s->failed)
        sched_erase_unused(s, x.body);
    return lifted;
}

uint32_t sched_lift_described(scheduler *s, ir_op make, uint32_t *left)
{
    ir_module *m = s->m;
    sched_element x = sched_element_of(s, make);
    uint32_t lifted = 0;
    for (ir_op o = ir_region_at(m, x.body)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        uint32_t code = ir_op_at(m, o)->opcode;
        sched_shape h;
        ir_value all = code == OP_GENERATE || code == OP_MAP ? describe_all(s, &x, o, &h, left) : 0;
        lifted += all && replace(s, &x, o, all, &h);
    }
    if (!s->failed)
        sched_erase_unused(s, x.body);
    return lifted;
}

static ir_value lift_inner(scheduler *s, const sched_element *x, ir_op o, uint32_t *left)
{
    ir_module *m = s->m;
    sched_shape h;
    ir_value all = describe_all(s, x, o, &h, left);
    if (!all)
        return 0;
    sched_say(s, made_by(m, all), PROPERTY_WRITE, 1);
    sched_say(s, made_by(m, all), PROPERTY_NEST, 1);
    sched_lift(s, made_by(m, all), KEEP_LAST, left);
    return replace(s, x, o, all, &h);
}

/* ---- all of them ---- */

static bool is_last(const scheduler *s, ir_op o)
{
    bool last = true;
    for (ir_op x = ir_op_at(s->m, o)->next; last && x; x = ir_op_at(s->m, x)->next)
        last = sched_work_of(s, x) == WORK_SHORT;
    return last;
}

static bool lift_op(scheduler *s, const sched_element *x, ir_op o, sched_keeping keep, uint32_t *left)
{
    switch (sched_work_of(s, o)) {
    case WORK_REDUCTION: return (keep != KEEP_LAST || !is_last(s, o)) && lift_reduction(s, x, o) != 0;
    case WORK_ROWS: return sched_lift_rows(s, x, o) != 0;
    case WORK_SORT: return sched_lift_sort(s, x, o) != 0;
    case WORK_TABLE: return keep == KEEP_LAST_ARRAY && sched_lift_table(s, x, o) != 0;
    case WORK_FILTER: return keep == KEEP_LAST_ARRAY && sched_lift_filter(s, x, o) != 0;
    case WORK_INNER: return (keep != KEEP_LAST_ARRAY || !is_last(s, o)) && lift_inner(s, x, o, left) != 0;
    case WORK_LOOP: return sched_interchange(s, x, o, left);
    default: return false;
    }
}

uint32_t sched_lift(scheduler *s, ir_op make, sched_keeping keep, uint32_t *left)
{
    sched_element x = sched_element_of(s, make);
    uint32_t lifted = 0;
    x.ragged = true;
    for (ir_op o = ir_region_at(s->m, x.body)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(s->m, o)->next;
        lifted += lift_op(s, &x, o, keep, left);
    }
    if (!s->failed)
        sched_erase_unused(s, x.body);
    return lifted;
}
