/* Loops, branches and arrays that are assigned to.
 *
 * An array that is assigned to is a value that a new one follows.  A loop or branch that assigns to
 * arrays from outside hands them on beside its own state. */
#include "frontends/tail/build/build.h"

#include <string.h>

/* ---- what is assigned to ---- */

typedef struct assigned {
    tail_decl **at;
    size_t len;
} assigned;

/* `bound` is set while a declaration is in the list. */
static void add_assigned(builder *b, assigned *list, tail_decl *d)
{
    if (d->bound)
        return;
    if (!(list->len & (list->len - 1))) {
        tail_decl **more = tail_alloc(b->p, list->len ? list->len * 2 : 1, sizeof *more);
        if (!more)
            return;
        if (list->len)
            memcpy(more, list->at, list->len * sizeof *more);
        list->at = more;
    }
    d->bound = true;
    list->at[list->len++] = d;
}

/* Arrays that were there before: those of the loop itself have no value yet. */
static void find_assigned(builder *b, const tail_node *n, assigned *list)
{
    while (n && (n->does & DOES_ASSIGN)) {
        const tail_node *target =
            n->kind == NODE_APPLY && n->primitive == PRIM_idxassign ? n->parts[1] : NULL;
        if (target && target->kind == NODE_VARIABLE && target->decl->value.v)
            add_assigned(b, list, target->decl);
        size_t last = n->nparts ? n->nparts - 1 : 0;
        for (size_t i = 0; i < last; i++)
            find_assigned(b, n->parts[i], list);
        n = n->nparts ? n->parts[last] : NULL;
    }
}

static assigned assigned_in(builder *b, const tail_node *n)
{
    assigned list = {0};
    find_assigned(b, n, &list);
    for (size_t i = 0; i < list.len; i++)
        list.at[i]->bound = false;
    return list;
}

/* ---- states ---- */

/* A type without what is known only of the first value. */
static tail_type loose(builder *b, const tail_type *t)
{
    tail_type out = *t;
    out.values = NULL;
    out.length = LENGTH_UNKNOWN;
    if (t->base != BASE_TUPLE)
        return out;
    out.items = tail_alloc(b->p, t->nitems, sizeof *out.items);
    for (size_t i = 0; out.items && i < t->nitems; i++)
        out.items[i] = loose(b, &t->items[i]);
    return out.items ? out : *t;
}

/* The value and what is assigned to, as one. */
static tail_value with_assigned(builder *b, const tail_value *v, const assigned *list)
{
    if (!list->len)
        return *v;
    size_t n = list->len + 1;
    tail_value out = {.type = {.base = BASE_TUPLE, .nitems = n, .length = LENGTH_UNKNOWN}};
    out.items = tail_alloc(b->p, n, sizeof *out.items);
    out.type.items = tail_alloc(b->p, n, sizeof *out.type.items);
    for (size_t i = 0; out.items && out.type.items && i < n; i++) {
        out.items[i] = i ? list->at[i - 1]->value : *v;
        out.type.items[i] = loose(b, &out.items[i].type);
    }
    return b->p->failed ? *v : out;
}

static tail_value without_assigned(const tail_value *state, const assigned *list)
{
    for (size_t i = 0; i < list->len; i++)
        list->at[i]->value = state->items[i + 1];
    return list->len ? state->items[0] : *state;
}

static void restore(const tail_value *state, const assigned *list)
{
    without_assigned(state, list);
}

/* ---- power ---- */

/* The state has the type of the parameter, where that is written. */
static tail_value first_state(const application *a)
{
    builder *b = a->b;
    tail_value z = a->args[2];
    tail_type t = tb_parameter_type(a->function);
    if (t.base != BASE_ANY)
        z = tb_as_type(b, &z, &t, "what the loop begins with");
    z.type = loose(b, &z.type);
    return z;
}

tail_value tb_POWER(const application *a)
{
    builder *b = a->b;
    int32_t value;
    tail_value n = tb_operand(a, 1, BASE_INT, 0), z = first_state(a);
    if (b->p->failed)
        return tb_nothing();
    fcl_value turns = n.v;
    if (!tb_known(&n, 0, &value) || value < 0)
        turns = tb_assert_that(b, tb_op2(b, "ge", turns, tb_int_of(b, 0)),
                               "a negative number of turns", turns);
    assigned list = assigned_in(b, a->function);
    tail_value start = with_assigned(b, &z, &list);
    fcl_value args[] = {turns, tb_packed(b, &start)};
    loop l = tb_region_begin(b, "repeat", args, 2, 2);
    if (b->nindices < MOST_INDICES)
        b->index[b->nindices] = l.i[0];
    b->nindices++;
    tail_value s = tb_unpacked(b, &start.type, l.i[1]), own = without_assigned(&s, &list);
    tail_value next = tb_call(b, a->function, &own, 1);
    tb_set_place(b, a->node->at);
    next = b->p->failed ? z : tb_as_type(b, &next, &z.type, "what this function gives");
    tail_value end = with_assigned(b, &next, &list);
    fcl_value result = tb_region_end(b, &l, tb_packed(b, &end));
    b->nindices--;
    restore(&start, &list);
    tail_value out = tb_unpacked(b, &start.type, result);
    return without_assigned(&out, &list);
}

/* ---- condScl ---- */

tail_value tb_CONDITION(const application *a)
{
    builder *b = a->b;
    tail_value flag = tb_operand(a, 1, BASE_BOOL, 0), z = first_state(a);
    if (b->p->failed)
        return tb_nothing();
    assigned list = assigned_in(b, a->function);
    tail_value before = with_assigned(b, &z, &list);
    choice c = tb_choice_begin(b, flag.v);
    tail_value next = tb_call(b, a->function, &z, 1);
    tb_set_place(b, a->node->at);
    next = b->p->failed ? z : tb_as_type(b, &next, &z.type, "what this function gives");
    tail_value yes = with_assigned(b, &next, &list);
    tb_choice_else(b, &c, tb_packed(b, &yes));
    restore(&before, &list);
    fcl_value result = tb_choice_end(b, &c, tb_packed(b, &before));
    tail_value out = tb_unpacked(b, &before.type, result);
    return without_assigned(&out, &list);
}

/* ---- idxassign ---- */

/* The indices from 0, and whether all are in the array. */
static fcl_value assigned_place(builder *b, const tail_value *where, const tail_value *x,
                                fcl_value *i)
{
    fcl_value inside = tb_bool_of(b, true);
    for (unsigned k = 0; k < x->type.rank; k++) {
        fcl_value axis = tb_int_of(b, k), from_one = tb_element(b, where, &axis);
        i[k] = tb_op2(b, "sub", from_one, tb_int_of(b, 1));
        inside = tb_op2(b, "and", inside, tb_op2(b, "ge", from_one, tb_int_of(b, 1)));
        inside = tb_op2(b, "and", inside, tb_op2(b, "le", from_one, tb_extent(b, x, k)));
    }
    return inside;
}

static fcl_value stored(builder *b, const tail_value *x, fcl_value *i, fcl_value inside,
                        fcl_value v)
{
    fcl_value one = tb_op_array(b, tb_core_type(b, x->type.base), &v, 1);
    i[0] = tb_assert_that(b, inside, "an assignment outside of the array", i[0]);
    fcl_value args[] = {x->v, one};
    loop l = tb_region_begin(b, "scatter", args, 2, 1);
    fcl_value place = x->type.rank > 1 ? tb_op(b, "tuple", i, x->type.rank) : i[0];
    return tb_region_end(b, &l, tb_op2(b, "tuple", place, l.i[0]));
}

tail_value tb_ASSIGN(const application *a)
{
    builder *b = a->b;
    const tail_node *target = a->node->kind == NODE_APPLY ? a->node->parts[1] : a->node;
    if (target->kind != NODE_VARIABLE || !target->decl->is_mutable) {
        tail_fail(b->p, TAIL_PLACE, target->at, "declare it with the name mv1",
                  "only arrays that are variables of names mv1, mv2, ... can be assigned to");
        return tb_nothing();
    }
    tail_value x = target->decl->value, where = tb_operand(a, 0, BASE_INT, 1);
    tail_value v = tb_operand(a, 2, x.type.base, 0);
    if (where.type.length >= 0 && (unsigned)where.type.length != x.type.rank)
        tb_wrong_type(b, "%d indices for an array of rank %u", where.type.length, x.type.rank);
    if (b->p->failed || !x.type.rank)
        return tb_nothing();
    fcl_value i[FCL_MAX_RANK], inside = assigned_place(b, &where, &x, i);
    x.v = stored(b, &x, i, inside, v.v);
    x.type.values = NULL;
    target->decl->value = x;
    return tb_scalar(BASE_BOOL, tb_bool_of(b, true));
}
