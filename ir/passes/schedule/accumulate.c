/* What the grid accumulates, and fetches, by skeletons.  Into few cells blocks do so by themselves first, where it is
 * known what their cells begin with.  Into cells that no device combines in one step: narrow ones are
 * words meanwhile; of tuples the elements are sorted by their cells. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scalar/scalar.h"

/* ---- a cell as a word, and back ---- */

static ir_value as_word(scheduler *s, place at, ir_value v, scalar t)
{
    if (ir_scalar_is_float(t))
        v = sched_cast(s, at, OP_BITCAST, v, (scalar)ir_scalar_info(t)->bits);
    return v ? sched_cast(s, at, OP_CONVERT, v, ST_U32) : 0;
}

static ir_value of_word(scheduler *s, place at, ir_value v, scalar t)
{
    if (!ir_scalar_is_float(t))
        return sched_cast(s, at, OP_CONVERT, v, t);
    v = sched_cast(s, at, OP_CONVERT, v, (scalar)ir_scalar_info(t)->bits);
    return v ? sched_cast(s, at, OP_BITCAST, v, t) : 0;
}

/* fn { (x: from) change x } */
static ir_value conversion(scheduler *s, place at, scalar from, scalar cell,
                           ir_value change(scheduler *, place, ir_value, scalar))
{
    ir_module *m = s->m;
    scalar to = from == cell ? ST_U32 : cell;
    ir_type param = type_scalar(m, from);
    ir_value f = sched_make(s, at, OP_FN, NULL, 0, type_fun(m, param, type_scalar(m, to)));
    if (!f)
        return 0;
    place in = {ir_op_at(m, ir_value_at(m, f)->def)->regions, 0, at.loc};
    ir_value x = ir_add_param(m, in.region, param, 0, true), y = x ? change(s, in, x, cell) : 0;
    s->failed = s->failed || !y;
    if (y)
        sched_yield(s, in, y);
    return s->failed ? 0 : f;
}

static scalar cell_of(scheduler *s, ir_op o)
{
    return type_as_scalar(s->m, ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 0)))->a);
}

/* ---- the calls ---- */

/* What elements of more axes found has these axes too. */
static ir_value shaped(scheduler *s, place at, ir_value both, ir_value xs)
{
    ir_module *m = s->m;
    uint32_t rank = ir_type_at(m, type_of(s, xs))->n;
    ir_value items[2];
    if (rank == 1)
        return both;
    for (uint32_t k = 0; k < 2; k++)
        items[k] = sched_item(s, at, both, k);
    items[1] = s->failed ? 0 : sched_unrows(s, at, items[1], xs, rank);
    ir_type types[] = {type_of(s, items[0]), type_of(s, items[1])};
    return s->failed ? 0 : sched_make(s, at, OP_TUPLE, items, 2, type_tuple(m, types, 2));
}

static ir_type result_of(const scheduler *s, ir_op o)
{
    ir_type cells = type_of(s, ir_arg(s->m, o, 0)), both[] = {cells, cells};
    return ir_op_at(s->m, o)->opcode == OP_FETCH ? type_tuple(s->m, both, 2) : cells;
}

/* Functions behind n arguments, in the order of the skeletons' parameters: f, what goes in front of
 * `place`, place, the cells, the elements. */
static void call(scheduler *s, ir_op o, const char *name, ir_value *args, uint32_t n, ir_value z, ir_value elements)
{
    ir_value init = ir_arg(s->m, o, 0), xs = ir_arg(s->m, o, 1);
    args[n++] = ir_region_to_fn(&s->e, o, 1);
    if (z)
        args[n++] = z;
    args[n++] = ir_region_to_fn(&s->e, o, 0);
    args[n++] = init;
    args[n++] = elements;
    for (uint32_t i = 0; i < n; i++)
        s->failed = s->failed || !args[i];
    place at = sched_before(s, o);
    ir_value v = s->failed ? 0 : sched_call(s, at, name, BY_GRID, args, n, result_of(s, o));
    if (v && ir_op_at(s->m, o)->opcode == OP_FETCH)
        v = shaped(s, at, v, xs);
    sched_replace(s, o, v);
}

/* What no device combines in one step. */
static void accumulate_apart(scheduler *s, ir_op o, scalar t)
{
    place at = sched_before(s, o);
    ir_value args[6];
    if (t) {
        args[0] = conversion(s, at, t, t, as_word);
        args[1] = conversion(s, at, ST_U32, t, of_word);
    }
    static const way ways[][2] = {
        {{"accumulateWide", "devices combine words of 32 bits in one step, and no narrower ones"},
         {"fetchWide", "devices combine words of 32 bits in one step, and no narrower ones"}},
        {{"accumulateSorted", "devices cannot combine tuples in one step; sorted by their cells, they are summed by a scan"},
         {"fetchSorted", "devices cannot combine tuples in one step; sorted by their cells, they are combined by a scan"}},
        {{"accumulateInOrder", "devices cannot combine tuples in one step, and the function is not seen to be a sum, so a thread goes through each cell's elements"},
         {"fetchSorted", "devices cannot combine tuples in one step; sorted by their cells, they are combined by a scan"}}};
    bool sums = !t && sched_sums(s->m, ir_op_at(s->m, o)->regions + 1);
    const way *by = &ways[t ? 0 : sums ? 1 : 2][ir_op_at(s->m, o)->opcode == OP_FETCH];
    sched_tell(s, o, ACCUMULATE, "accumulated as @grid.%s: %s", by->skeleton, by->because);
    call(s, o, by->skeleton, args, t ? 2 : 0, 0, sched_flat(s, at, ir_arg(s->m, o, 1)));
}

/* Whether blocks may combine into cells of their own: what these begin with is known. */
static ir_value neutral(scheduler *s, ir_op o, scalar t)
{
    uint64_t bits;
    opcode sum = sched_sum(s->m, ir_op_at(s->m, o)->regions + 1);
    return sum && scalar_neutral(sum, t, &bits) ? ir_const(s->m, t, bits) : 0;
}

/* Whether devices combine integers by it in one step; others are combined by comparing and exchanging until nobody was faster. */
static bool is_one_step(opcode sum, scalar t)
{
    return !ir_scalar_is_float(t) && sum != (opcode)SOP_MUL;
}

/* ---- whether reading the elements may fail ---- */

/* What is read at exactly the number of an element, along an axis: as many as there are elements must be there. */
static ir_value is_long(scheduler *s, place at, ir_op make, ir_op read, ir_value all)
{
    ir_module *m = s->m;
    const region_node g = *ir_region_at(m, ir_op_at(m, make)->regions);
    ir_value xs = ir_arg(m, read, 0);
    for (uint32_t axis = 0; axis + 1 < ir_op_at(m, read)->nargs && ir_visible_at(&s->e, xs, at.region, at.before); axis++) {
        ir_value i = ir_arg(m, read, axis + 1);
        if (i < g.params || i >= g.params + g.nparams)
            continue;
        ir_value both[] = {ir_arg(m, make, i - g.params), sched_dim(s, at, xs, axis)};
        ir_value fits = s->failed || both[0] == both[1] ? 0 : sched_make(s, at, (opcode)SOP_LE, both, 2, type_scalar(m, ST_BOOL));
        all = fits ? sched_make2(s, at, (opcode)SOP_AND, all, fits) : all;
    }
    return all;
}

static ir_value are_long(scheduler *s, place at, ir_op make, ir_region r, ir_value all)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first; o && !s->failed; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        if (n.opcode == OP_INDEX)
            all = is_long(s, at, make, o, all);
        for (uint32_t i = 0; n.opcode == OP_IF && i < ir_op_info(n.opcode)->regions; i++)
            all = are_long(s, at, make, n.regions + i, all);
    }
    return all;
}

/* Whether arrays are as long as the elements that are described by reading them are many: what the host asks once need not be asked
 * for each element. */
static ir_value is_inside(scheduler *s, place at, ir_value xs)
{
    ir_op make = made_by(s->m, xs);
    ir_value all = ir_const(s->m, ST_BOOL, 1);
    bool described = make && ir_op_at(s->m, make)->opcode == OP_GENERATE;
    return described ? are_long(s, at, make, ir_op_at(s->m, make)->regions, all) : all;
}

/* The elements as rows, of which a thread combines one after the other: of one element where there is one axis. */
static ir_value rows_of(scheduler *s, place at, ir_value xs)
{
    ir_type t = type_of(s, xs);
    ir_value extents[] = {0, sched_int(s, 1)}, ix[2];
    place in;
    if (ir_type_at(s->m, t)->n > 1)
        return sched_rows(s, at, xs);
    extents[0] = sched_dim(s, at, xs, 0);
    ir_value v = s->failed ? 0 : sched_generate(s, at, extents, 2, ir_type_at(s->m, t)->a, &in, ix);
    ir_value x = v ? sched_index(s, in, xs, ix, 1) : 0;
    if (x)
        sched_yield(s, in, x);
    return s->failed ? 0 : v;
}

bool sched_accumulate(scheduler *s, ir_op o)
{
    ir_region r = ir_op_at(s->m, o)->regions;
    bool tuples = ir_type_at(s->m, ir_type_at(s->m, type_of(s, ir_arg(s->m, o, 0)))->a)->kind == TY_TUPLE;
    scalar t = cell_of(s, o);
    bool apart = tuples || (t && ir_scalar_bytes(t) < 4);
    ir_value z = apart || !t || ir_op_at(s->m, o)->opcode == OP_FETCH ? 0 : neutral(s, o, t);
    if (!apart && !z)
        return false;
    sched_region(s, r, BY_THREAD);
    if (!s->failed)
        sched_region(s, r + 1, BY_THREAD);
    if (s->failed)
        return true;
    ir_value args[7] = {apart ? 0 : sched_int(s, ir_scalar_bytes(t))};
    uint32_t n = 1;
    if (apart) {
        accumulate_apart(s, o, t);
        return true;
    }
    static const way ways[] = {{"accumulate", "where there are few cells, blocks have some of their own first"},
                               {"accumulateParts", "devices combine these by several steps; where there are few cells, threads or blocks have some of their own, and these are reduced"}};
    bool parts = !is_one_step(sched_sum(s->m, r + 1), t);
    const way *by = &ways[parts];
    place at = sched_before(s, o);
    ir_value xs = ir_arg(s->m, o, 1);
    if (parts)
        args[n++] = is_inside(s, at, xs);
    sched_tell(s, o, ACCUMULATE, "accumulated as @grid.%s: %s", by->skeleton, by->because);
    call(s, o, by->skeleton, args, n, z, parts ? rows_of(s, at, xs) : sched_flat(s, at, xs));
    return true;
}
