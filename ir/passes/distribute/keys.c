/* Elements that reduce what has their own number as its key, as cells into which all of it is accumulated.
 *
 *   generate k, .. { (c, ..) reduce z, generate n { (i) if key i == c { v i c .. } { z } } { (a, b) f a b } }
 *   accumulate generate k, .. { z }, generate n, .. { (i, ..) (key i, ..), v i (key i) .. } { f }
 *
 * The first reads all for each cell, the second one once.  The means of the clusters of k-means are such, and so is what
 * irwim makes of a sum of tables that have a number in one row each.
 *
 * What is reduced is looked at in one description of its elements, in front, where arrays that are described give way to
 * their elements; where these are not chosen by a key, that is gone again. */
#include "ir/passes/distribute/distribute.h"
#include "ir/scalar/scalar.h"

enum { MOST_OPENED = 64, MOST_FOLLOWED = 1024, WORD = 4 };

typedef struct keyed {
    ir_op make, reduce;
    ir_value dims[MAX_RANK], n; /* n: how many each element reduces */
    uint32_t rank, which;       /* the axis that the key is of */
    ir_type elem;
    ir_op all;                  /* generate dims, n { (c, .., i) what element c, .. reduces at i } */
    ir_op choice;               /* in there: the if, or select */
    ir_value key, v;            /* in there; v: of the region `chosen`, if that is not 0 */
    ir_value last;              /* the number of the last cell */
    ir_region chosen;
} keyed;

static ir_region body_of(const scheduler *s, ir_op o)
{
    return ir_op_at(s->m, o)->regions;
}

/* ---- what is reduced, as one description ---- */

/* An element of an array that is described, in the place of the index: where that cannot fail. */
static bool open_index(scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, o);
    ir_op made = n.opcode == OP_INDEX ? made_by(m, ir_arg(m, o, 0)) : 0;
    if (!made || ir_op_at(m, made)->opcode != OP_GENERATE || ir_op_at(m, made)->nargs != n.nargs - 1 ||
        sched_may_fail(m, o) || sched_count_ops(m, body_of(s, made)) > SCHED_MOST_COPIED)
        return false;
    ir_value ix[MAX_RANK];
    for (uint32_t i = 0; i + 1 < n.nargs; i++)
        ix[i] = ir_arg(m, o, i + 1);
    place at = sched_before(s, o);
    ir_value f = sched_make(s, at, OP_FN, NULL, 0, 0); /* a region to copy into */
    if (!f)
        return false;
    ir_op fn = ir_value_at(m, f)->def;
    place in = {body_of(s, fn), 0, n.loc};
    ir_value x = ir_copy_body(&s->e, body_of(s, made), in.region, ix);
    if (x)
        sched_yield(s, in, x);
    x = x && !s->failed ? ir_move_body(&s->e, in.region, at.region, o) : 0;
    s->failed = s->failed || !x || !ir_erase_op(&s->e, fn);
    if (!s->failed)
        sched_replace(s, o, x);
    return !s->failed;
}

/* Of all operations of a region, and of branches in it; what has been put in front of one is looked at too. */
static void open_all(scheduler *s, ir_region r, uint32_t *left)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        ir_op before = s->e.before.at[o];
        const op_node n = *ir_op_at(m, o);
        next = n.next;
        if (n.opcode == OP_IF)
            for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
                open_all(s, n.regions + i, left);
        if (!*left || !open_index(s, o))
            continue;
        --*left;
        next = before ? ir_op_at(m, before)->next : ir_region_at(m, r)->first;
    }
}

/* Components of tuples that are made in the region, such as those of an index. */
static void open_tuples(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        ir_op made = n.opcode == OP_PROJ ? made_by(m, ir_arg(m, o, 0)) : 0;
        next = n.next;
        for (uint32_t i = 0; n.opcode == OP_IF && i < ir_op_info(n.opcode)->regions; i++)
            open_tuples(s, n.regions + i);
        if (made && ir_op_at(m, made)->opcode == OP_TUPLE)
            sched_replace(s, o, ir_arg(m, made, (uint32_t)ir_const_bits(m, ir_arg(m, o, 1))));
    }
}

/* Descriptions that nobody asks any more, also such as would fail for an element. */
static void erase_described(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->last, before; o; o = before) {
        const op_node n = *ir_op_at(m, o);
        before = s->e.before.at[o];
        if (n.opcode == OP_IF)
            for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
                erase_described(s, n.regions + i);
        if (n.opcode == OP_GENERATE)
            ir_erase_op(&s->e, o);
    }
}

/* generate dims, n { (c, .., i) what element c, .. reduces at i }, in front of the elements. */
static bool describe(scheduler *s, keyed *k)
{
    ir_module *m = s->m;
    place at = sched_before(s, k->make), in;
    ir_value dims[MAX_RANK], ix[MAX_RANK];
    for (uint32_t i = 0; i < k->rank; i++)
        dims[i] = k->dims[i];
    dims[k->rank] = k->n;
    ir_value all = sched_generate(s, at, dims, k->rank + 1, k->elem, &in, ix);
    ir_value xs = all ? ir_copy_needed(&s->e, body_of(s, k->make), ir_arg(m, k->reduce, 1), in.region, ix) : 0;
    ir_value x = xs ? sched_index(s, in, xs, ix + k->rank, 1) : 0;
    s->failed = s->failed || !x;
    if (s->failed)
        return false;
    sched_yield(s, in, x);
    uint32_t left = MOST_OPENED;
    sched_inline_all(s, ir_value_at(m, all)->def, &left);
    open_all(s, in.region, &left);
    open_tuples(s, in.region);
    erase_described(s, in.region);
    sched_erase_unused(s, in.region);
    k->all = ir_value_at(m, all)->def;
    return !s->failed;
}

/* ---- whether a key chooses ---- */

static bool is_same(ir_module *m, ir_value x, ir_value y)
{
    bool constant = ir_value_at(m, x)->kind == V_CONST && ir_value_at(m, y)->kind == V_CONST;
    return x == y || (constant && ir_value_at(m, x)->type == ir_value_at(m, y)->type && ir_const_bits(m, x) == ir_const_bits(m, y));
}

/* Whether a value of a region hangs on one of its parameters, or may do so: it is made in more than *left steps, which a value
 * that is used twice takes twice. */
static bool hangs_on(const scheduler *s, ir_value v, ir_value p, uint32_t *left)
{
    ir_module *m = s->m;
    ir_op o = made_by(m, v);
    if (v == p || !*left)
        return true;
    --*left;
    ir_region home = ir_value_at(m, p)->def;
    if (!o || ir_op_at(m, o)->parent != home)
        return false;
    const op_node n = *ir_op_at(m, o);
    bool does = ir_op_info(n.opcode)->regions > 0; /* not looked into */
    for (uint32_t i = 0; !does && i < n.nargs; i++)
        does = hangs_on(s, ir_arg(m, o, i), p, left);
    return does;
}

/* c, as a number of the elements, and a key that does not hang on that. */
static bool find_key(scheduler *s, keyed *k, ir_value c, ir_value key)
{
    ir_value params = ir_region_at(s->m, body_of(s, k->all))->params;
    uint32_t left = MOST_FOLLOWED;
    k->which = c - params;
    k->key = key;
    return c >= params && c < params + k->rank && !hangs_on(s, key, c, &left);
}

static bool is_chosen(scheduler *s, keyed *k)
{
    ir_module *m = s->m;
    ir_value last = ir_arg(m, ir_region_at(m, body_of(s, k->all))->last, 0), z = ir_arg(m, k->reduce, 0);
    ir_op choice = made_by(m, last), equal;
    uint32_t code = choice ? ir_op_at(m, choice)->opcode : OP_NONE;
    if ((code != OP_IF && code != SOP_SELECT) || ir_op_at(m, choice)->parent != body_of(s, k->all))
        return false;
    equal = made_by(m, ir_arg(m, choice, 0));
    if (!equal || ir_op_at(m, equal)->opcode != SOP_EQ || ir_value_at(m, ir_arg(m, equal, 0))->type != type_scalar(m, ST_I32))
        return false;
    k->choice = choice;
    k->chosen = code == OP_IF ? body_of(s, choice) : 0;
    k->v = k->chosen ? ir_arg(m, ir_region_at(m, k->chosen)->last, 0) : ir_arg(m, choice, 1);
    ir_value other = k->chosen ? ir_arg(m, ir_region_at(m, k->chosen + 1)->last, 0) : ir_arg(m, choice, 2);
    ir_value x = ir_arg(m, equal, 0), y = ir_arg(m, equal, 1);
    return is_same(m, other, z) && (find_key(s, k, x, y) || find_key(s, k, y, x));
}

/* ---- the cells ---- */

/* The description gives what is chosen. */
static void choose(scheduler *s, const keyed *k)
{
    ir_module *m = s->m;
    ir_op end = ir_region_at(m, body_of(s, k->all))->last;
    ir_value v = k->chosen ? ir_move_body(&s->e, k->chosen, body_of(s, k->all), k->choice) : k->v;
    s->failed = s->failed || !v;
    if (s->failed)
        return;
    ir_set_operand(&s->e, end, 0, v);
    s->failed = !ir_erase_op(&s->e, k->choice) || s->failed;
    sched_erase_unused(s, body_of(s, k->all));
}

static ir_value compare(scheduler *s, place at, opcode code, ir_value x, ir_value y)
{
    ir_value args[] = {x, y};
    return x && y ? sched_make(s, at, code, args, 2, type_scalar(s->m, ST_BOOL)) : 0;
}

static ir_value pair(scheduler *s, place at, ir_value x, ir_value y, ir_type t)
{
    ir_value args[] = {x, y};
    return x && y ? sched_make(s, at, OP_TUPLE, args, 2, t) : 0;
}

/* Whether what is chosen can be computed for any cell, wanted or not. */
static bool never_fails(const scheduler *s, const keyed *k)
{
    bool never = true;
    for (ir_op o = ir_region_at(s->m, body_of(s, k->all))->first; never && o; o = ir_op_at(s->m, o)->next) {
        const op_node n = *ir_op_at(s->m, o);
        const op_info *info = ir_op_info(n.opcode);
        bool plain = info->effect == EFFECT_NONE || info->effect == EFFECT_END || n.opcode == OP_INDEX;
        bool used = !n.result || ir_first_use(&s->e, n.result);
        never = !used || (plain && !info->regions && !sched_may_fail(s->m, o));
    }
    return never;
}

/* Whether the cells of a key lie in rows, along the last axis. */
static bool has_rows(const keyed *k)
{
    return k->which + 1 < k->rank;
}

static ir_value within(scheduler *s, place at, ir_value x, ir_value last)
{
    ir_value natural = sched_make2(s, at, (opcode)SOP_MAX, x, sched_int(s, 0));
    return natural ? sched_make2(s, at, (opcode)SOP_MIN, natural, last) : 0;
}

/* The number of the cell, bounded as nothing else says that it is one: the product of the extents might wrap.  Where the cells of
 * a key are a row, where it begins is bounded, which is the same for all of the row. */
static ir_value bounded(scheduler *s, place at, const keyed *k, const ir_value *ix)
{
    uint32_t inner = k->rank - 1;
    if (!has_rows(k))
        return within(s, at, sched_number_of(s, at, k->dims, ix, k->rank), k->last);
    ir_value row = sched_number_of(s, at, k->dims, ix, inner);
    ir_value begins = row ? sched_make2(s, at, (opcode)SOP_MUL, row, k->dims[inner]) : 0;
    ir_value first = begins ? within(s, at, begins, k->last) : 0;
    return first ? sched_make2(s, at, (opcode)SOP_ADD, first, ix[inner]) : 0;
}

/* What is computed without asking first keeps no load waiting for another one. */
static ir_value contribution_anyhow(scheduler *s, place at, const keyed *k, ir_value inside, ir_value *ix, ir_type t)
{
    ix[k->which] = sched_select(s, at, inside, ix[k->which], sched_int(s, 0));
    ir_value v = ix[k->which] ? ir_copy_body(&s->e, body_of(s, k->all), at.region, ix) : 0;
    ir_value x = sched_select(s, at, inside, v, ir_arg(s->m, k->reduce, 0));
    return x ? pair(s, at, bounded(s, at, k, ix), x, t) : 0;
}

static ir_value contribution_if(scheduler *s, place at, const keyed *k, ir_value inside, ir_value *ix, ir_type t)
{
    ir_module *m = s->m;
    ir_value r = sched_make(s, at, OP_IF, &inside, 1, t);
    if (!r)
        return 0;
    ir_op o = ir_value_at(m, r)->def;
    place in = {body_of(s, o), 0, at.loc}, out = {body_of(s, o) + 1, 0, at.loc};
    ir_value v = ir_copy_body(&s->e, body_of(s, k->all), in.region, ix);
    ir_value both = v ? pair(s, in, sched_number_of(s, in, k->dims, ix, k->rank), v, t) : 0;
    ir_value none = pair(s, out, sched_int(s, 0), ir_arg(m, k->reduce, 0), t);
    s->failed = s->failed || !both || !none;
    if (s->failed)
        return 0;
    sched_yield(s, in, both);
    sched_yield(s, out, none);
    return r;
}

/* The cell and what is chosen for it, where the key is a number of a cell: else z for one of the first cells. */
static ir_value contribution(scheduler *s, place at, const keyed *k, ir_value key, ir_value *ix, ir_type t)
{
    ir_value inside = sched_make2(s, at, (opcode)SOP_AND, compare(s, at, (opcode)SOP_GE, key, sched_int(s, 0)),
                                  compare(s, at, (opcode)SOP_LT, key, k->dims[k->which]));
    ix[k->which] = key;
    if (!inside)
        return 0;
    return never_fails(s, k) ? contribution_anyhow(s, at, k, inside, ix, t) : contribution_if(s, at, k, inside, ix, t);
}

/* generate n, .. { (i, ..) the cell and what is chosen }: none where there is no cell. */
static ir_value contributions(scheduler *s, place at, const keyed *k, ir_type t)
{
    ir_module *m = s->m;
    ir_value dims[MAX_RANK], mine[MAX_RANK], ix[MAX_RANK], key;
    place in;
    ir_value some = within(s, at, k->dims[k->which], sched_int(s, 1));
    dims[0] = some ? sched_make2(s, at, (opcode)SOP_MUL, k->n, some) : 0;
    for (uint32_t i = 0, to = 1; i < k->rank; i++)
        if (i != k->which)
            dims[to++] = k->dims[i];
    ir_value xs = dims[0] ? sched_generate(s, at, dims, k->rank, t, &in, mine) : 0;
    if (!xs)
        return 0;
    for (uint32_t i = 0, from = 1; i < k->rank; i++)
        ix[i] = i == k->which ? sched_int(s, 0) : mine[from++];
    ix[k->rank] = mine[0];
    key = ir_copy_needed(&s->e, body_of(s, k->all), k->key, in.region, ix);
    if (key)
        choose(s, k);
    ir_value r = key && !s->failed ? contribution(s, in, k, key, ix, t) : 0;
    s->failed = s->failed || !r;
    if (s->failed)
        return 0;
    sched_yield(s, in, r);
    s->failed = !ir_erase_op(&s->e, k->all) || s->failed;
    ir_value_at(m, xs)->annotated = 1;
    return xs;
}

/* There is room for a row, so that it ends within them.  What extents may not be, the arrays of the program say. */
static ir_value cells(scheduler *s, place at, keyed *k)
{
    ir_value all = sched_product(s, at, k->dims, k->rank), c;
    ir_value row = k->dims[k->rank - 1];
    ir_value count = all ? sched_make2(s, at, (opcode)SOP_MAX, all, has_rows(k) ? row : sched_int(s, 0)) : 0;
    place in;
    k->last = count ? sched_make2(s, at, (opcode)SOP_SUB, count, has_rows(k) ? row : sched_int(s, 1)) : 0;
    ir_value init = s->failed ? 0 : sched_generate(s, at, &count, 1, k->elem, &in, &c);
    if (init)
        sched_yield(s, in, ir_arg(s->m, k->reduce, 0));
    return init;
}

static void accumulate(scheduler *s, keyed *k)
{
    ir_module *m = s->m;
    place at = sched_before(s, k->make), front = sched_before(s, k->reduce);
    ir_type parts[] = {type_scalar(m, ST_I32), k->elem}, t = type_tuple(m, parts, 2);
    ir_value args[2] = {cells(s, at, k)};
    args[1] = args[0] ? contributions(s, at, k, t) : 0;
    ir_value sums = args[0] && args[1] && !s->failed ? sched_make(s, at, OP_ACCUMULATE, args, 2, type_pull(m, k->elem, 1)) : 0;
    if (!sums)
        return;
    ir_op o = ir_value_at(m, sums)->def;
    place in = {body_of(s, o), 0, at.loc};
    ir_value x = ir_add_param(m, in.region, t, 0, true);
    ir_value_at(m, x)->annotated = 1;
    sched_yield(s, in, x);
    ir_take_region(&s->e, body_of(s, k->reduce), in.region + 1);
    ir_value ix[MAX_RANK];
    for (uint32_t i = 0; i < k->rank; i++)
        ix[i] = ir_region_at(m, body_of(s, k->make))->params + i;
    ir_value cell = sched_number_of(s, front, k->dims, ix, k->rank), sum = cell ? sched_index(s, front, sums, &cell, 1) : 0;
    if (sum)
        sched_replace(s, k->reduce, sum);
    sched_erase_unused(s, body_of(s, k->make));
}

/* ---- the rule ---- */

/* The reduction of an element by a known function, to a word, which devices combine in one step; 0: it is none. */
static ir_op sum_in(scheduler *s, ir_op make)
{
    ir_module *m = s->m;
    ir_op o = sched_reduction_in(s, body_of(s, make));
    ir_value v = o ? ir_op_at(m, o)->result : 0;
    scalar t = v && ir_type_at(m, type_of(s, v))->kind == TY_SCALAR ? type_as_scalar(m, type_of(s, v)) : ST_NONE;
    uint64_t bits;
    opcode sum = t ? sched_sum(m, body_of(s, o)) : OP_NONE;
    bool known = sum && scalar_neutral(sum, t, &bits) && ir_scalar_bytes(t) == WORD;
    return known && ir_op_at(m, o)->parent == body_of(s, make) && sched_is_hosts(s, ir_arg(m, o, 0), make) ? o : 0;
}

static bool find(scheduler *s, keyed *k, ir_op make)
{
    ir_module *m = s->m;
    const op_node n = *ir_op_at(m, make);
    if (n.opcode != OP_GENERATE || n.nargs >= MAX_RANK || sched_told(s, make, PROPERTY_KEYS, -1) == 0 || sched_is_off(s, DECIDE_KEYS))
        return false;
    k->make = make;
    k->rank = n.nargs;
    for (uint32_t i = 0; i < k->rank; i++)
        k->dims[i] = ir_arg(m, make, i);
    k->reduce = sum_in(s, make);
    if (!k->reduce || sched_count_ops(m, n.regions) > SCHED_MOST_COPIED)
        return false;
    ir_value xs = ir_arg(m, k->reduce, 1);
    k->elem = type_of(s, ir_op_at(m, k->reduce)->result);
    k->n = ir_value_region(m, xs) == n.regions ? sched_extent(s, make, xs, 0) : 0;
    return k->n != 0;
}

bool sched_keys(scheduler *s, ir_op o)
{
    keyed k = {0};
    if (!find(s, &k, o) || !describe(s, &k))
        return false;
    if (is_chosen(s, &k)) {
        sched_tell(s, o, KEYS, "each element reduces what has its number as its key, so all of it is accumulated into cells, in one traversal");
        accumulate(s, &k);
        return true;
    }
    s->failed = !ir_erase_op(&s->e, k.all) || s->failed;
    return false;
}
