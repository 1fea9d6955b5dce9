/* Reductions, or scans, that go through as many elements become one of tuples, so that they are
 * gone through once. */
#include "ir/passes/schedule/schedule.h"

static ir_value tuple(scheduler *s, place at, const ir_value *items, uint32_t n)
{
    ir_type types[MOST_MERGED];
    for (uint32_t i = 0; i < n; i++)
        types[i] = type_of(s, items[i]);
    return sched_make(s, at, OP_TUPLE, items, n, type_tuple(s->m, types, n));
}

/* ---- the arrays as one ---- */

/* The element of array i; the same array has been asked already. */
static ir_value element(scheduler *s, place in, const ir_value *arrays, const ir_value *items,
                        uint32_t i, const ir_value *ix, uint32_t rank)
{
    for (uint32_t k = 0; k < i; k++)
        if (arrays[k] == arrays[i])
            return items[k];
    return sched_index(s, in, arrays[i], ix, rank);
}

/* An array of tuples: of the arrays' elements, or of the element of the only one. */
static ir_value zipped(scheduler *s, place at, const sched_group *g, const ir_value *arrays,
                       ir_type all)
{
    ir_value extents[MAX_RANK], ix[MAX_RANK], items[MOST_MERGED];
    for (uint32_t k = 0; k < g->rank; k++)
        extents[k] = sched_dim(s, at, arrays[0], k);
    place in;
    ir_value v = sched_generate(s, at, extents, g->rank, all, &in, ix);
    for (uint32_t i = 0; i < g->n && !s->failed; i++)
        items[i] = element(s, in, arrays, items, i, ix, g->rank);
    if (!s->failed)
        sched_yield(s, in, tuple(s, in, items, g->n));
    return v;
}

/* ---- the operation ---- */

/* What the region of one gives for component k of both. */
static ir_value move_in(scheduler *s, place in, ir_op o, ir_value x, ir_value y, uint32_t k)
{
    ir_region r = ir_op_at(s->m, o)->regions;
    ir_value params = ir_region_at(s->m, r)->params;
    ir_replace_uses(&s->e, params, sched_item(s, in, x, k));
    ir_replace_uses(&s->e, params + 1, sched_item(s, in, y, k));
    return s->failed ? 0 : ir_move_body(&s->e, r, in.region, 0);
}

static void combine_parts(scheduler *s, const sched_group *g, place in, ir_type all)
{
    ir_value x = ir_add_param(s->m, in.region, all, 0, true),
             y = ir_add_param(s->m, in.region, all, 0, true), items[MOST_MERGED];
    for (uint32_t i = 0; i < g->n && !s->failed; i++) {
        items[i] = move_in(s, in, g->at[i], x, y, i);
        s->failed = s->failed || !items[i];
    }
    if (!s->failed)
        sched_yield(s, in, tuple(s, in, items, g->n));
}

/* Component k of what the new one gives, or of each element of that. */
static ir_value result_part(scheduler *s, place at, ir_value v, uint32_t k)
{
    ir_module *m = s->m;
    const type_node t = *ir_type_at(m, type_of(s, v));
    if (t.kind != TY_PULL)
        return sched_item(s, at, v, k);
    ir_type item = type_item(m, t.a, k);
    ir_value xs = sched_make(s, at, OP_MAP, &v, 1, type_pull(m, item, t.n));
    place in = {ir_op_at(m, ir_value_at(m, xs)->def)->regions, 0, at.loc};
    ir_value x = ir_add_param(m, in.region, t.a, 0, true);
    sched_yield(s, in, sched_item(s, in, x, k));
    return xs;
}

static void replace_all(scheduler *s, place at, const sched_group *g, ir_value v)
{
    ir_value parts[MOST_MERGED];
    for (uint32_t i = 0; i < g->n && !s->failed; i++)
        parts[i] = result_part(s, at, v, i);
    for (uint32_t i = 0; i < g->n && !s->failed; i++)
        sched_replace(s, g->at[i], parts[i]);
}

/* All of it commutes where each does, which is not seen of those that are told to. */
static void say_commuting(scheduler *s, const sched_group *g, bool commutes, ir_value v)
{
    ir_module *m = s->m;
    bool told = false;
    for (uint32_t i = 0; i < g->n; i++)
        told = told || sched_told(s, g->at[i], PROPERTY_COMMUTATIVE, -1) >= 0;
    if (!told)
        return;
    sched_say(s, ir_value_at(m, v)->def, PROPERTY_COMMUTATIVE, commutes);
}

static void tell(const scheduler *s, const sched_group *g)
{
    bool scans = ir_op_at(s->m, g->at[0])->opcode != OP_REDUCE;
    if (!sched_tell(s, g->at[0], MERGED, "%u %s go through as many elements and become one, which combines %u bytes at once",
                    g->n, scans ? "scans" : "reductions", g->bytes))
        return;
    for (uint32_t i = 1; i < g->n; i++)
        diag_note_add(s->m->cx, ir_op_loc(s->m, g->at[i]), "another");
}

void sched_merge_group(scheduler *s, const sched_group *g)
{
    tell(s, g);
    ir_module *m = s->m;
    place at = sched_before(s, g->at[0]);
    const op_node first = *ir_op_at(m, g->at[0]);
    ir_value items[MOST_MERGED], arrays[MOST_MERGED];
    bool commutes = first.opcode == OP_REDUCE;
    for (uint32_t i = 0; i < g->n; i++) {
        commutes = commutes && sched_commutes(s, g->at[i]);
        items[i] = ir_arg(m, g->at[i], 0);
        arrays[i] = ir_arg(m, g->at[i], 1);
    }
    ir_value z = tuple(s, at, items, g->n);
    ir_type all = type_of(s, z), t = all;
    const type_node result = *ir_type_at(m, type_of(s, first.result));
    if (result.kind == TY_PULL)
        t = type_pull(m, all, result.n);
    ir_value args[] = {z, zipped(s, at, g, arrays, all)};
    ir_value v = s->failed ? 0 : sched_make(s, at, first.opcode, args, 2, t);
    if (!s->failed)
        say_commuting(s, g, commutes, v);
    if (!s->failed)
        combine_parts(s, g, (place){ir_op_at(m, ir_value_at(m, v)->def)->regions, 0, at.loc}, all);
    if (!s->failed)
        replace_all(s, at, g, v);
}
