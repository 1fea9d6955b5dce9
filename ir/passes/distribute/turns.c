/* Loops that combine floats into places of one table: each place goes through all turns, as they come in their order.
 *
 *   repeat n, table { (i, t) update t, c, 0, generate 1, d { (r, j) f t[c, j] (v i j) } }
 *   if (cells.pay) { generate k, d { (q, j) repeat n, table[q, j] { (i, x) select c = q, f x (v i j), x } } } { as it was }
 *
 * The first is a launch for each turn, for which the host may have to know c.  All work but the combining is done once for each
 * place of the table, so these must not be too many. */
#include "ir/passes/distribute/cells.h"

/* (What is combined, the number along each axis of which the row has one element.) */
static ir_type term_type(scheduler *s, const table_loop *x)
{
    ir_type parts[1 + MAX_RANK] = {type_scalar(s->m, x->elem)};
    uint32_t n = 1;
    for (uint32_t k = 0; k < x->rank; k++)
        if (x->one[k])
            parts[n++] = type_scalar(s->m, ST_I32);
    return n == 1 ? parts[0] : type_tuple(s->m, parts, n);
}

static ir_value term_of(scheduler *s, const table_loop *x, place in, const ir_value *ix, ir_value term, ir_type t)
{
    ir_value items[1 + MAX_RANK] = {term};
    uint32_t n = 1;
    (void)ix;
    for (uint32_t k = 0; k < x->rank; k++)
        if (x->one[k])
            items[n++] = ir_arg(s->m, x->update, k + 1);
    return n == 1 ? term : sched_make(s, in, OP_TUPLE, items, n, t);
}

static ir_value item(scheduler *s, place at, ir_value tuple, uint32_t k, ir_type t)
{
    ir_value args[] = {tuple, sched_int(s, k)};
    return sched_make(s, at, OP_PROJ, args, 2, t);
}

/* Whether a number is that of the place, of n; where there is no such place, that is reported. */
static ir_value is_same(scheduler *s, place at, ir_value number, ir_value own, ir_value n)
{
    place in;
    ir_type t = type_scalar(s->m, ST_I32);
    ir_value i, places = sched_generate(s, at, &n, 1, t, &in, &i);
    if (places)
        sched_yield(s, in, i);
    return cells_compare(s, at, (opcode)SOP_EQ, places ? sched_index(s, at, places, &number, 1) : 0, own);
}

/* What a turn, whose term is given, makes of what stood at place ix. */
static ir_value after(scheduler *s, const table_loop *x, place at, ir_value term, ir_value before, const ir_value *dims, const ir_value *ix)
{
    ir_value hit = ir_const(s->m, ST_BOOL, 1), sum[2];
    bool whole = ir_type_at(s->m, type_of(s, term))->kind != TY_TUPLE;
    uint32_t n = 1;
    for (uint32_t k = 0; k < x->rank && !s->failed; k++) {
        if (!x->one[k])
            continue;
        ir_value number = item(s, at, term, n++, type_scalar(s->m, ST_I32));
        ir_value same = number ? is_same(s, at, number, ix[k], dims[k]) : 0;
        hit = same ? sched_make2(s, at, (opcode)SOP_AND, hit, same) : 0;
        s->failed = s->failed || !hit;
    }
    sum[x->own] = s->failed || whole ? term : item(s, at, term, 0, type_scalar(s->m, x->elem));
    sum[1 - x->own] = before;
    ir_value both = s->failed || !sum[x->own] ? 0 : sched_make2(s, at, x->f, sum[0], sum[1]);
    return both ? sched_select(s, at, hit, both, before) : 0;
}

/* repeat n, what stands at place ix { (i, v) what turn i makes of v } */
static ir_value all_turns(scheduler *s, const table_loop *x, place at, ir_value terms, const ir_value *dims, const ir_value *ix, uint32_t loc)
{
    ir_module *m = s->m;
    ir_type elem = type_scalar(m, x->elem);
    ir_value own[MAX_RANK], args[] = {x->n, sched_index(s, at, x->table, ix, x->rank)};
    for (uint32_t k = 0; k < x->rank; k++)
        own[k] = x->one[k] ? sched_int(s, 0) : ix[k];
    ir_value last = args[1] ? sched_make(s, at, OP_REPEAT, args, 2, elem) : 0;
    place in = {last ? ir_op_at(m, made_by(m, last))->regions : 0, 0, loc};
    ir_value i = last ? ir_add_param(m, in.region, type_scalar(m, ST_I32), 0, true) : 0;
    ir_value v = i ? ir_add_param(m, in.region, elem, 0, true) : 0, given[] = {i, x->table};
    ir_value mine = v ? ir_copy_needed(&s->e, cells_body(s, x->loop), terms, in.region, given) : 0;
    ir_value term = mine ? sched_index(s, in, mine, own, x->rank) : 0;
    ir_value next = term ? after(s, x, in, term, v, dims, ix) : 0;
    s->failed = s->failed || !next;
    if (next)
        sched_yield(s, in, next);
    return s->failed ? 0 : last;
}

/* generate as the table { (ix) all turns } */
static ir_value by_places(scheduler *s, const table_loop *x, place at, const ir_value *dims)
{
    ir_module *m = s->m;
    ir_value ix[MAX_RANK];
    uint32_t read = ir_op_at(m, made_by(m, ir_arg(m, x->sum, 1 - x->own)))->loc; /* where no such place is reported */
    ir_type t = term_type(s, x);
    ir_value terms = t ? cells_row(s, x, t, term_of) : 0;
    place in;
    ir_value all = terms ? sched_generate(s, at, dims, x->rank, type_scalar(m, x->elem), &in, ix) : 0;
    ir_value last = all ? all_turns(s, x, in, terms, dims, ix, read) : 0;
    s->failed = s->failed || !last || !ir_erase_op(&s->e, made_by(m, terms));
    if (s->failed)
        return 0;
    cells_end(s, all, in, last);
    return all;
}

/* What each turn does for all places together would be done for each. */
static bool is_short(const scheduler *s, const table_loop *x)
{
    return !sched_has_work(s, cells_body(s, x->loop), x->update);
}

static void choose(scheduler *s, const table_loop *x, ir_value pays, const ir_value *dims)
{
    ir_module *m = s->m;
    place at = sched_before(s, x->op);
    ir_value r = sched_make(s, at, OP_IF, &pays, 1, type_of(s, ir_op_at(m, x->op)->result));
    place in = {r ? ir_op_at(m, made_by(m, r))->regions : 0, 0, at.loc};
    ir_value all = r ? by_places(s, x, in, dims) : 0;
    s->failed = s->failed || !all;
    if (s->failed)
        return;
    sched_say(s, x->op, PROPERTY_KEYS, 0);
    sched_or_else(s, r, all, x->op);
}

bool cells_by_turns(scheduler *s, const table_loop *x)
{
    ir_module *m = s->m;
    place at = sched_before(s, x->op);
    ir_value dims[MAX_RANK];
    if (!is_short(s, x))
        return false;
    for (uint32_t k = 0; k < x->rank && !s->failed; k++)
        dims[k] = sched_dim(s, at, x->table, k);
    ir_value cells = s->failed ? 0 : sched_product(s, at, dims, x->rank);
    ir_value pays = cells ? sched_plain_call(s, at, "cells.pay", &cells, 1, type_scalar(m, ST_BOOL)) : 0;
    sched_tell(s, x->op, KEYS, "each turn combines floats into places of one array, in the order of turns: where these are few, each goes through all turns");
    s->failed = s->failed || !pays;
    if (!s->failed)
        choose(s, x, pays, dims);
    return true;
}
