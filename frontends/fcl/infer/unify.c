/* Unification of types and levels (Robinson's, on a graph), with the reason when it fails.
 *
 * Walks two types at once; equal ids are equal types, so that shared parts cost nothing.  Binding a
 * variable checks that it does not occur in what it is bound to (the occurs check), adjusts the
 * depth of the variables there, and hands on what the variable demands: a kind, or a set of
 * scalars.
 *
 * All walks stop at TYPE_DEPTH, and a type that goes deeper is refused.  Those over a whole type
 * visit each node once, by its mark. */
#include "frontends/fcl/infer/types.h"

/* Notes the parts that differ; returns false. */
static bool fail(mismatch *why, unify_result what, ty a, ty b)
{
    why->what = what;
    why->left = a;
    why->right = b;
    return false;
}

/* ---- levels ---- */

static bool lv_fail(mismatch *why, unify_result what, lv a, lv b)
{
    why->what = what;
    why->low = a;
    why->high = b;
    return false;
}

/* The variable of f becomes what `to`, the form of `whole`, is above the offset of f.  It is bound
 * to the whole where it can be, so that messages can follow who fixed what. */
static bool lv_bind(types *t, level_form f, level_form to, lv whole)
{
    lv target = to.var ? to.var : lv_height(t, to.offset - f.offset);
    for (uint32_t i = f.offset; to.var && i < to.offset; i++)
        target = lv_above(t, target);
    if (!f.offset)
        target = whole;
    if (to.var && lv_at(t, to.var)->depth != GENERIC) {
        if (lv_at(t, to.var)->depth > lv_at(t, f.var)->depth)
            lv_at(t, to.var)->depth = lv_at(t, f.var)->depth;
    }
    lv_at(t, f.var)->a = target;
    return true;
}

/* Whether it is above a variable that may be bound. */
static bool lv_free(types *t, level_form f)
{
    return f.var && !lv_at(t, f.var)->rigid;
}

/* x + l = y + m: the variable with the smaller offset takes the difference, if that is free; with
 * equal variables the offsets must agree.  There are no negative offsets: 1+l is never thread. */
bool lv_unify(types *t, lv a, lv b, mismatch *why)
{
    level_form x = lv_find(t, a), y = lv_find(t, b);
    if (x.var == y.var)
        return x.offset == y.offset || lv_fail(why, U_LEVELS, a, b);
    if (lv_free(t, x) && y.offset >= x.offset) {
        if (!y.var && y.offset > lv_top(t))
            return lv_fail(why, U_ABOVE, a, b);
        return lv_bind(t, x, y, b);
    }
    if (lv_free(t, y) && x.offset >= y.offset) {
        if (!x.var && x.offset > lv_top(t))
            return lv_fail(why, U_ABOVE, a, b);
        return lv_bind(t, y, x, a);
    }
    return lv_fail(why, U_LEVELS, a, b);
}

/* ---- demands ---- */

/* x must be one of these scalars: a variable keeps what both sets have, which must be something;
 * that of a signature must be among them whatever it stands for. */
static bool demand_scalars(types *t, ty x, uint16_t scalars, mismatch *why)
{
    ty_node *n = ty_node_at(t, x);
    bool ok = n->kind == T_ERROR || (n->kind == T_SCALAR && (scalars >> n->a & 1));
    if (n->kind == T_VAR && n->rigid)
        ok = n->scalars && !(n->scalars & ~scalars);
    if (n->kind == T_VAR && !n->rigid) {
        uint16_t both = n->scalars ? n->scalars & scalars : scalars;
        ok = both != 0;
        n->scalars = ok ? both : n->scalars;
        n->height = FCL_BT;
    }
    return ok || fail(why, U_CLASS, x, 0);
}

/* Base types (BT) hold no arrays, ground types (GT) no functions, neither of them strings; a
 * variable keeps the smaller kind. */
static bool demand(types *t, ty x, uint8_t kind, uint32_t depth, mismatch *why)
{
    x = ty_inside(t, x);
    ty_node *n = ty_node_at(t, x);
    if (depth > TYPE_DEPTH)
        return fail(why, U_DEEP, x, 0);
    switch (n->kind) {
    case T_VAR: n->height = kind < n->height ? kind : n->height; return true;
    case T_TUPLE:
        for (uint32_t i = 0; i < ty_at(t, x)->b; i++)
            if (!demand(t, ty_item(t, x, i), kind, depth + NESTED, why))
                return false;
        return true;
    case T_PULL:
    case T_PUSH:
    case T_FUN:
    case T_LVLFN:
    case T_STRING:
        if (kind == FCL_BT || (kind == FCL_GT && n->kind != T_PULL && n->kind != T_PUSH)) {
            why->kind = kind;
            return fail(why, U_KIND, x, 0);
        }
        return true;
    default: return true;
    }
}

bool ty_demand(types *t, ty x, uint8_t kind, mismatch *why)
{
    return kind == FCL_TYP || demand(t, x, kind, 0, why);
}

/* An array's elements are of kind GT, a push array's of kind BT: asked of each form in x. */
static bool well_formed(types *t, ty x, uint32_t depth, mismatch *why)
{
    x = ty_find(t, x);
    const ty_node n = *ty_at(t, x);
    if (n.mark == t->mark || n.kind == T_VAR)
        return true;
    ty_node_at(t, x)->mark = t->mark;
    if (depth > TYPE_DEPTH)
        return fail(why, U_DEEP, x, 0);
    for (uint32_t i = 0; n.kind == T_TUPLE && i < n.b; i++)
        if (!well_formed(t, ty_item(t, x, i), depth + NESTED, why))
            return false;
    if (n.kind == T_FUN && !well_formed(t, n.b, depth + 1, why))
        return false;
    if (n.kind >= T_FUN && !well_formed(t, n.a, depth + NESTED, why))
        return false;
    if (n.kind == T_PULL || n.kind == T_PUSH)
        return ty_demand(t, n.a, n.kind == T_PULL ? FCL_GT : FCL_BT, why);
    return true;
}

bool ty_well_formed(types *t, ty x, mismatch *why)
{
    t->mark++;
    return well_formed(t, x, 0, why);
}

/* ---- binding ---- */

/* The variable of a level becomes no deeper than that. */
static void lower_level(types *t, lv l, uint32_t depth)
{
    level_form f = lv_find(t, l);
    if (f.var && lv_at(t, f.var)->depth > depth && lv_at(t, f.var)->depth != GENERIC)
        lv_at(t, f.var)->depth = depth;
}

/* Whether `var` occurs in x; variables in x become no deeper than it.  One walk does both; sets
 * too_deep where it had to stop. */
static bool occurs(types *t, ty var, ty x, uint32_t at_depth, uint32_t depth)
{
    x = ty_find(t, x);
    if (x == var)
        return true;
    ty_node *n = ty_node_at(t, x);
    if (n->mark == t->mark)
        return false;
    n->mark = t->mark;
    if (n->kind == T_VAR) {
        n->b = n->b > at_depth && n->b != GENERIC ? at_depth : n->b;
        return false;
    }
    if (depth > TYPE_DEPTH) {
        t->too_deep = true;
        return false;
    }
    const ty_node c = *n;
    if (c.kind == T_PUSH || c.kind == T_PROG)
        lower_level(t, c.c, at_depth);
    for (uint32_t i = 0; c.kind == T_TUPLE && i < c.b; i++)
        if (occurs(t, var, ty_item(t, x, i), at_depth, depth + NESTED))
            return true;
    if (c.kind >= T_FUN && occurs(t, var, c.a, at_depth, depth + NESTED))
        return true;
    return c.kind == T_FUN && occurs(t, var, c.b, at_depth, depth + 1);
}

void ty_hold(types *t, ty x, uint32_t depth)
{
    t->mark++;
    occurs(t, UINT32_MAX, x, depth, 0);
}

/* The free variable becomes x.  A program that gives just this variable already agrees with it. */
static bool bind(types *t, ty var, ty x, mismatch *why)
{
    t->mark++;
    t->too_deep = false;
    if (ty_inside(t, x) == var)
        return true;
    const ty_node v = *ty_at(t, var);
    if (occurs(t, var, x, v.b, 0))
        return fail(why, U_INFINITE, var, x);
    if (t->too_deep)
        return fail(why, U_DEEP, var, x);
    if (v.scalars && !demand_scalars(t, ty_inside(t, x), v.scalars, why))
        return false;
    if (!ty_demand(t, x, v.height, why))
        return false;
    ty_node_at(t, var)->a = x;
    return true;
}

/* ---- unification ---- */

static bool unify(types *t, ty a, ty b, uint32_t depth, mismatch *why);

/* A variable that may be bound; x has been found. */
static bool is_free(const types *t, ty x)
{
    return ty_at(t, x)->kind == T_VAR && !ty_at(t, x)->rigid;
}

/* Tuples of equal length, component by component. */
static bool unify_items(types *t, ty a, ty b, uint32_t depth, mismatch *why)
{
    if (ty_at(t, a)->b != ty_at(t, b)->b)
        return fail(why, U_TYPES, a, b);
    for (uint32_t i = 0; i < ty_at(t, a)->b; i++)
        if (!unify(t, ty_item(t, a, i), ty_item(t, b, i), depth, why))
            return false;
    return true;
}

/* Level functions agree when their bodies do at a level that nothing else knows. */
static bool unify_level_functions(types *t, ty a, ty b, uint32_t depth, mismatch *why)
{
    lv x = ty_at(t, a)->c, y = ty_at(t, b)->c;
    if (!lv_at(t, y)->a && x != y)
        lv_at(t, y)->a = x;
    return unify(t, ty_at(t, a)->a, ty_at(t, b)->a, depth, why);
}

/* Two types that are no free variables: the same form, and equal parts. */
static bool unify_forms(types *t, ty a, ty b, uint32_t depth, mismatch *why)
{
    const ty_node x = *ty_at(t, a), y = *ty_at(t, b);
    if (x.kind != y.kind)
        return fail(why, U_TYPES, a, b);
    switch (x.kind) {
    case T_SCALAR: return x.a == y.a || fail(why, U_TYPES, a, b);
    case T_TUPLE: return unify_items(t, a, b, depth + NESTED, why);
    case T_FUN:
        return unify(t, x.a, y.a, depth + NESTED, why) && unify(t, x.b, y.b, depth + 1, why);
    case T_LVLFN: return unify_level_functions(t, a, b, depth + NESTED, why);
    case T_PULL:
    case T_PUSH:
        if (!unify(t, x.a, y.a, depth + NESTED, why))
            return false;
        if (!rank_unify(t, x.b, y.b))
            return fail(why, U_RANKS, a, b);
        return x.kind == T_PULL || lv_unify(t, x.c, y.c, why);
    case T_PROG: return lv_unify(t, x.c, y.c, why) && unify(t, x.a, y.a, depth + NESTED, why);
    case T_VAR: return fail(why, U_RIGID, a, b);
    default: return true;
    }
}

/* In this order: what is the same or an error, free variables, what is inside of a program where
 * only one side is one, rigid variables, and then the forms. */
static bool unify(types *t, ty a, ty b, uint32_t depth, mismatch *why)
{
    a = ty_find(t, a);
    b = ty_find(t, b);
    if (a == b || !ty_at(t, a)->kind || !ty_at(t, b)->kind)
        return true;
    if (depth > TYPE_DEPTH)
        return fail(why, U_DEEP, a, b);
    bool both = ty_at(t, a)->kind == T_PROG && ty_at(t, b)->kind == T_PROG;
    if (is_free(t, a))
        return bind(t, a, b, why);
    if (is_free(t, b))
        return bind(t, b, a, why);
    if (!both) {
        a = ty_inside(t, a);
        b = ty_inside(t, b);
        if (a == b)
            return true;
        if (is_free(t, a) || is_free(t, b))
            return unify(t, a, b, depth + 1, why);
    }
    if (ty_at(t, a)->rigid || ty_at(t, b)->rigid)
        return fail(why, U_RIGID, a, b);
    return unify_forms(t, a, b, depth, why);
}

bool ty_unify(types *t, ty a, ty b, mismatch *why)
{
    *why = (mismatch){0};
    return unify(t, a, b, 0, why);
}
