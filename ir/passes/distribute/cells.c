/* Loops that combine into places of one table, a few in each turn, as cells into which all of it is accumulated.
 *
 *   repeat n, table { (i, t) update t, c, 0, generate 1, d { (r, j) f t[c, j] (v i j) } }
 *   accumulate table, generate n, 1, d { (i, r, j) (c, j), v i j } { f }
 *
 * The first is a launch for each turn.  The turns of a loop come in their order, so f must be exact whatever that is: an operator on
 * integers (of floats: turns.c).  A stream is cut anywhere, so into chunks of one turn each: there f may be that of floats, where what the chunks give
 * is combined by it too, and each begins with what the stream begins with. */
#include "ir/passes/distribute/cells.h"
#include "ir/scalar/scalar.h"

enum { WORD = 4, DEEPEST = 4 };

static bool is_number(const scheduler *s, ir_value v, int64_t x)
{
    return ir_value_at(s->m, v)->kind == V_CONST && (int32_t)ir_const_bits(s->m, v) == x;
}

static bool is_used_once(const scheduler *s, ir_value v)
{
    uint32_t u = ir_first_use(&s->e, v);
    return u && !ir_next_use(&s->e, u);
}

/* ---- the row that a turn writes ---- */

/* Along axis k it has one element, where the update says, or all that the table has. */
static bool find_axis(scheduler *s, table_loop *x, uint32_t k)
{
    ir_module *m = s->m;
    ir_value extent = ir_arg(m, x->row, k), first = ir_arg(m, x->update, k + 1);
    ir_extent a = ir_extent_of(m, extent, EXTENT_NUMBER), all = ir_extent_of(m, x->table, k);
    x->one[k] = is_number(s, extent, 1);
    x->extents[k] = x->one[k] ? extent : sched_dim(s, sched_before(s, x->op), x->table, k);
    return x->one[k] || (is_number(s, first, 0) && ir_same_extent(m, a, all));
}

/* Whether an element of the table is read where the row is written. */
static bool is_own_place(const scheduler *s, const table_loop *x, ir_op read)
{
    ir_module *m = s->m;
    bool own = ir_op_at(m, read)->nargs == x->rank + 1;
    for (uint32_t k = 0; own && k < x->rank; k++)
        own = ir_arg(m, read, k + 1) == (x->one[k] ? ir_arg(m, x->update, k + 1) : cells_param(s, x->row, k));
    return own;
}

static ir_op read_of(const scheduler *s, ir_value v, ir_value table)
{
    ir_op o = made_by(s->m, v);
    return o && ir_op_at(s->m, o)->opcode == OP_INDEX && ir_arg(s->m, o, 0) == table && is_used_once(s, v) ? o : 0;
}

/* Beside that element nothing of the table but its extents is asked for. */
static bool is_only_use(const scheduler *s, const table_loop *x, ir_op read)
{
    bool only = true;
    for (uint32_t u = ir_first_use(&s->e, cells_param(s, x->loop, 1)); only && u; u = ir_next_use(&s->e, u)) {
        ir_op o = ir_user(&s->e, u);
        uint32_t code = ir_op_at(s->m, o)->opcode;
        only = o == x->update || o == read || code == OP_DIM || code == OP_LENGTH;
    }
    return only;
}

static bool find_sum(scheduler *s, table_loop *x)
{
    ir_module *m = s->m;
    ir_value table = cells_param(s, x->loop, 1), y = cells_yielded(s, cells_body(s, x->row));
    uint64_t bits;
    x->sum = made_by(m, y);
    if (!x->sum || ir_op_at(m, x->sum)->parent != cells_body(s, x->row) || ir_op_at(m, x->sum)->nargs != 2)
        return false;
    x->f = (opcode)ir_op_at(m, x->sum)->opcode;
    x->own = read_of(s, ir_arg(m, x->sum, 0), table) ? 1 : 0;
    ir_op read = read_of(s, ir_arg(m, x->sum, 1 - x->own), table);
    return read && scalar_neutral(x->f, x->elem, &bits) && is_own_place(s, x, read) && is_only_use(s, x, read);
}

/* The turn's update of the table that it has been given. */
static bool find_turn(scheduler *s, table_loop *x)
{
    ir_module *m = s->m;
    ir_region body = cells_body(s, x->loop);
    type_node t = *ir_type_at(m, type_of(s, x->table));
    x->update = made_by(m, cells_yielded(s, body));
    if (t.kind != TY_PULL || t.n >= MAX_RANK || ir_type_at(m, t.a)->kind != TY_SCALAR || !x->update ||
        ir_op_at(m, x->update)->opcode != OP_UPDATE || ir_arg(m, x->update, 0) != cells_param(s, x->loop, 1))
        return false;
    x->rank = t.n;
    x->elem = type_as_scalar(m, t.a);
    x->row = made_by(m, ir_arg(m, x->update, x->rank + 1));
    bool found = ir_scalar_bytes(x->elem) >= WORD && x->row && ir_op_at(m, x->row)->opcode == OP_GENERATE &&
                 ir_op_at(m, x->row)->parent == body && ir_op_at(m, x->row)->nargs == x->rank;
    for (uint32_t k = 0; found && k < x->rank; k++)
        found = find_axis(s, x, k);
    return found && !s->failed && find_sum(s, x);
}

/* ---- loops and streams ---- */

static bool find_loop(scheduler *s, table_loop *x, ir_op o)
{
    ir_module *m = s->m;
    uint32_t left = MOST_INLINED;
    x->loop = o;
    x->n = ir_arg(m, o, 0);
    x->table = ir_arg(m, o, 1);
    sched_inline_arrays(s, o, &left);
    return find_turn(s, x);
}

/* What an array has everywhere, as a constant; 0: that is not seen. */
static ir_value everywhere(scheduler *s, ir_value xs)
{
    ir_op o = made_by(s->m, xs);
    ir_value v = o && ir_op_at(s->m, o)->opcode == OP_GENERATE ? cells_yielded(s, cells_body(s, o)) : 0;
    return v && ir_value_at(s->m, v)->kind == V_CONST ? v : 0;
}

static bool begin_alike(scheduler *s, ir_value xs, ir_value ys)
{
    ir_value x = everywhere(s, xs), y = everywhere(s, ys);
    return x && y && type_of(s, x) == type_of(s, y) && ir_const_bits(s->m, x) == ir_const_bits(s->m, y);
}

static bool is_element(const scheduler *s, const table_loop *x, ir_value v, ir_value of, ir_op make)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    bool is = o && ir_op_at(m, o)->opcode == OP_INDEX && ir_arg(m, o, 0) == of && ir_op_at(m, o)->nargs == x->rank + 1;
    for (uint32_t k = 0; is && k < x->rank; k++)
        is = ir_arg(m, o, k + 1) == cells_param(s, make, k);
    return is;
}

/* What both chunks give has the extents of the table: so has what is as long as one of them, or as both. */
static bool is_extent(const scheduler *s, const table_loop *x, ir_region r, ir_value v, uint32_t k, uint32_t depth)
{
    ir_module *m = s->m;
    ir_value a = ir_region_at(m, r)->params;
    ir_op o = made_by(m, v);
    if (o && depth && (ir_op_at(m, o)->opcode == SOP_MIN || ir_op_at(m, o)->opcode == SOP_MAX))
        return is_extent(s, x, r, ir_arg(m, o, 0), k, depth - 1) && is_extent(s, x, r, ir_arg(m, o, 1), k, depth - 1);
    ir_extent e = ir_extent_of(m, v, EXTENT_NUMBER);
    return ((e.of == a || e.of == a + 1) && e.axis == k) || ir_same_extent(m, e, ir_extent_of(m, x->table, k));
}

/* Whether what two chunks give is combined by f, element by element. */
static bool combines_alike(scheduler *s, const table_loop *x, ir_region r)
{
    ir_module *m = s->m;
    ir_value a = ir_region_at(m, r)->params, b = a + 1;
    ir_op make = made_by(m, cells_yielded(s, r)), sum;
    if (!make || ir_op_at(m, make)->opcode != OP_GENERATE || ir_op_at(m, make)->nargs != x->rank)
        return false;
    for (uint32_t k = 0; k < x->rank; k++)
        if (!is_extent(s, x, r, ir_arg(m, make, k), k, DEEPEST))
            return false;
    sum = made_by(m, cells_yielded(s, cells_body(s, make)));
    if (!sum || ir_op_at(m, sum)->opcode != (uint32_t)x->f || ir_op_at(m, sum)->nargs != 2)
        return false;
    ir_value p = ir_arg(m, sum, 0), q = ir_arg(m, sum, 1);
    return (is_element(s, x, p, a, make) && is_element(s, x, q, b, make)) ||
           (is_element(s, x, p, b, make) && is_element(s, x, q, a, make));
}

/* Whether a region gives what a loop does, there or in a function that it calls. */
static bool gives_loop(const scheduler *s, ir_region r)
{
    uint32_t left = MOST_INLINED;
    ir_op o = made_by(s->m, cells_yielded(s, r));
    while (o && left-- && ir_op_at(s->m, o)->opcode == OP_CALL)
        o = made_by(s->m, cells_yielded(s, ir_func_at(s->m, ir_op_at(s->m, o)->attr)->body));
    return o && ir_op_at(s->m, o)->opcode == OP_REPEAT;
}

/* The calls by which a stream says what a chunk gives, and what calls give there. */
static void open_calls(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    uint32_t left = MOST_INLINED;
    ir_op given = made_by(m, cells_yielded(s, cells_body(s, o))), z = made_by(m, ir_arg(m, o, 0));
    while (given && left && ir_op_at(m, given)->opcode == OP_CALL && ir_inline_call(&s->e, given)) {
        given = made_by(m, cells_yielded(s, cells_body(s, o)));
        left--;
    }
    sched_inline_arrays(s, o, &left);
    if (z)
        sched_inline_arrays(s, z, &left);
}

static bool find_stream(scheduler *s, table_loop *x, ir_op o)
{
    ir_module *m = s->m;
    if (!gives_loop(s, cells_body(s, o)))
        return false;
    open_calls(s, o);
    x->n = ir_arg(m, o, 1);
    x->table = ir_arg(m, o, 0);
    x->loop = made_by(m, cells_yielded(s, cells_body(s, o)));
    return x->loop && ir_op_at(m, x->loop)->opcode == OP_REPEAT && ir_op_at(m, x->loop)->parent == cells_body(s, o) &&
           ir_arg(m, x->loop, 0) == cells_param(s, o, 1) && begin_alike(s, x->table, ir_arg(m, x->loop, 1)) && find_turn(s, x) &&
           combines_alike(s, x, cells_body(s, o) + 1);
}

/* The chunk of one turn: its number is where the chunk starts. */
static void open_loop(scheduler *s, const table_loop *x)
{
    ir_module *m = s->m;
    ir_value start = cells_param(s, x->op, 0), turn = cells_param(s, x->loop, 0), init = ir_arg(m, x->loop, 1);
    for (uint32_t u = ir_first_use(&s->e, turn), next; u; u = next) {
        next = ir_next_use(&s->e, u);
        const op_node n = *ir_op_at(m, ir_user(&s->e, u));
        if (n.opcode == SOP_ADD && (ir_arg(m, ir_user(&s->e, u), 0) == start || ir_arg(m, ir_user(&s->e, u), 1) == start))
            ir_replace_uses(&s->e, n.result, start);
    }
    ir_replace_uses(&s->e, turn, sched_int(s, 0));
    ir_replace_uses(&s->e, cells_param(s, x->loop, 1), init);
    ir_replace_uses(&s->e, cells_param(s, x->op, 1), sched_int(s, 1));
    ir_value last = ir_move_body(&s->e, cells_body(s, x->loop), cells_body(s, x->op), x->loop);
    s->failed = s->failed || !last;
}

/* ---- the cells ---- */

ir_value cells_compare(scheduler *s, place at, opcode code, ir_value x, ir_value y)
{
    ir_value args[] = {x, y};
    return x && y ? sched_make(s, at, code, args, 2, type_scalar(s->m, ST_BOOL)) : 0;
}

ir_value cells_row(scheduler *s, const table_loop *x, ir_type t, cells_element *give)
{
    ir_module *m = s->m;
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    place in;
    for (uint32_t k = 0; k < x->rank; k++)
        dims[k] = ir_arg(m, x->row, k);
    ir_value all = sched_generate(s, sched_before(s, x->update), dims, x->rank, t, &in, ix);
    ir_value y = all ? ir_copy_body(&s->e, cells_body(s, x->row), in.region, ix) : 0;
    ir_op sum = y ? made_by(m, y) : 0, read = sum ? made_by(m, ir_arg(m, sum, 1 - x->own)) : 0;
    ir_value given = sum ? give(s, x, in, ix, ir_arg(m, sum, x->own), t) : 0;
    if (given)
        sched_yield(s, in, given);
    s->failed = s->failed || !given || !ir_erase_op(&s->e, sum) || !ir_erase_op(&s->e, read);
    return s->failed ? 0 : all;
}

void cells_end(scheduler *s, ir_value all, place in, ir_value element)
{
    uint32_t left = MOST_INLINED;
    sched_yield(s, in, element);
    ir_value_at(s->m, all)->annotated = 1;
    sched_inline_all(s, made_by(s->m, all), &left);
}

/* The number of the cell; where an index is outside, that of none, which is reported. */
static ir_value cell_of(scheduler *s, const table_loop *x, place at, const ir_value *ix)
{
    ir_module *m = s->m;
    ir_value to[MAX_RANK], dims[MAX_RANK], inside = ir_const(m, ST_BOOL, 1);
    for (uint32_t k = 0; k < x->rank && !s->failed; k++) {
        dims[k] = sched_dim(s, sched_before(s, x->op), x->table, k);
        to[k] = x->one[k] ? ir_arg(m, x->update, k + 1) : ix[k];
        if (!x->one[k] || s->failed)
            continue;
        inside = sched_make2(s, at, (opcode)SOP_AND, inside, cells_compare(s, at, (opcode)SOP_GE, to[k], sched_int(s, 0)));
        inside = s->failed ? 0 : sched_make2(s, at, (opcode)SOP_AND, inside, cells_compare(s, at, (opcode)SOP_LT, to[k], dims[k]));
    }
    if (s->failed || x->rank == 1)
        return s->failed ? 0 : to[0];
    ir_value args[] = {inside, sched_number_of(s, at, dims, to, x->rank), sched_int(s, -1)};
    return s->failed ? 0 : sched_make(s, at, (opcode)SOP_SELECT, args, 3, type_scalar(m, ST_I32));
}

/* The cell, and what is combined into it. */
static ir_value pair_of(scheduler *s, const table_loop *x, place in, const ir_value *ix, ir_value term, ir_type t)
{
    ir_value both[] = {cell_of(s, x, in, ix), term};
    return both[0] ? sched_make(s, in, OP_TUPLE, both, 2, t) : 0;
}

/* generate n, the row's extents { (i, ix) that of turn i }; args: what stands for the parameters of the region of the row, the first
 * of which is the number of the turn. */
static ir_value elements_of(scheduler *s, const table_loop *x, ir_type t, ir_value other)
{
    ir_module *m = s->m;
    ir_region r = ir_op_at(m, x->row)->parent;
    ir_value dims[MAX_RANK], ix[MAX_RANK], pairs = cells_row(s, x, t, pair_of);
    place at = sched_before(s, x->op), in;
    dims[0] = s->failed ? 0 : sched_make2(s, at, (opcode)SOP_MAX, x->n, sched_int(s, 0));
    for (uint32_t k = 0; k < x->rank; k++)
        dims[k + 1] = x->extents[k];
    ir_value all = dims[0] ? sched_generate(s, at, dims, x->rank + 1, t, &in, ix) : 0, args[] = {ix[0], other};
    ir_value mine = all ? ir_copy_needed(&s->e, r, pairs, in.region, args) : 0;
    ir_value pair = mine ? sched_index(s, in, mine, ix + 1, x->rank) : 0;
    s->failed = s->failed || !pair;
    if (s->failed)
        return 0;
    cells_end(s, all, in, pair);
    return all;
}

/* { (x) x } { (a, b) f a b } */
static void fill(scheduler *s, const table_loop *x, ir_op o, ir_type pair)
{
    ir_module *m = s->m;
    ir_type t = type_scalar(m, x->elem);
    place first = {cells_body(s, o), 0, ir_op_at(m, o)->loc}, second = {cells_body(s, o) + 1, 0, ir_op_at(m, o)->loc};
    ir_value p = ir_add_param(m, first.region, pair, 0, true);
    ir_value a = ir_add_param(m, second.region, t, 0, true), b = ir_add_param(m, second.region, t, 0, true);
    ir_value sum = p && a && b ? sched_make2(s, second, x->f, a, b) : 0;
    s->failed = s->failed || !sum;
    if (s->failed)
        return;
    ir_value_at(m, p)->annotated = ir_value_at(m, a)->annotated = ir_value_at(m, b)->annotated = 1;
    sched_yield(s, first, p);
    sched_yield(s, second, sum);
}

static void accumulate(scheduler *s, const table_loop *x, ir_value other)
{
    ir_module *m = s->m;
    place at = sched_before(s, x->op);
    ir_type elem = type_scalar(m, x->elem), parts[] = {type_scalar(m, ST_I32), elem}, pair = type_tuple(m, parts, 2);
    ir_value args[] = {sched_flat(s, at, x->table), s->failed ? 0 : elements_of(s, x, pair, other)};
    ir_value sums = args[0] && args[1] && !s->failed ? sched_make(s, at, OP_ACCUMULATE, args, 2, type_pull(m, elem, 1)) : 0;
    if (!sums)
        return;
    fill(s, x, made_by(m, sums), pair);
    if (x->rank > 1 && !s->failed) {
        ir_value dims[MAX_RANK], ix[MAX_RANK], flat = sums, number;
        place in;
        for (uint32_t k = 0; k < x->rank; k++)
            dims[k] = sched_dim(s, at, x->table, k);
        sums = s->failed ? 0 : sched_generate(s, at, dims, x->rank, elem, &in, ix);
        number = sums ? sched_number_of(s, in, dims, ix, x->rank) : 0;
        if (number)
            sched_yield(s, in, sched_index(s, in, flat, &number, 1));
    }
    if (!s->failed)
        sched_replace(s, x->op, sums);
}

bool sched_cells(scheduler *s, ir_op o)
{
    bool streams = ir_op_at(s->m, o)->opcode == OP_STREAMRED;
    table_loop x = {.op = o};
    if (sched_told(s, o, PROPERTY_KEYS, -1) == 0 || sched_is_off(s, DECIDE_KEYS) || (streams && sched_told(s, o, PROPERTY_CHUNKS, -1) > 0))
        return false;
    if (streams ? !find_stream(s, &x, o) : !find_loop(s, &x, o))
        return false;
    if (!streams && ir_scalar_is_float(x.elem))
        return cells_by_turns(s, &x);
    sched_tell(s, o, KEYS, "each turn combines into elements of one array by an operator that any order of turns suits, so all of it is accumulated into cells");
    if (streams)
        open_loop(s, &x);
    if (!s->failed)
        accumulate(s, &x, streams ? sched_int(s, 1) : x.table);
    return true;
}
