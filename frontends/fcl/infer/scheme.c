/* Let-generalisation and instantiation (rules 14 to 16, 24, 25): a scheme's variables are the nodes
 * themselves, marked generic (depth GENERIC); an instance is a copy of the type with fresh
 * variables in their place.  Parts without generic variables are shared by all instances.  Both
 * cost a walk over the graph of the type. */
#include "frontends/fcl/infer/types.h"

#include <string.h>

/* The generic variables found so far, in the order in which the type has them. */
typedef struct type_walk {
    types *t;
    vec_u32 vars, levels;
    generality over;
} type_walk;

/* Makes the variable of a level generic if it was made deeper than the environment. */
static void add_level(type_walk *w, lv l)
{
    level_form f = lv_find(w->t, l);
    if (!f.var)
        return;
    lv_node *n = lv_at(w->t, f.var);
    if (n->depth <= w->t->depth || n->depth == GENERIC)
        return;
    n->depth = GENERIC;
    vec_push(&w->t->cx->mem, &w->levels, f.var);
}

/* Whether the scheme may be over a variable; over those of a signature it always is. */
static bool is_general(const type_walk *w, const ty_node *n)
{
    return !n->scalars || n->rigid || w->over == OVER_SCALARS ||
           (w->over == OVER_CLASSES && class_of(n->scalars));
}

/* The same for the variables in a type.  The order decides how type parameters are numbered. */
static void collect(type_walk *w, ty x, uint32_t depth)
{
    x = ty_find(w->t, x);
    ty_node *n = ty_node_at(w->t, x);
    if (n->mark == w->t->mark || depth > TYPE_DEPTH)
        return;
    n->mark = w->t->mark;
    if (n->kind == T_VAR && n->b > w->t->depth && n->b != GENERIC && is_general(w, n)) {
        n->b = GENERIC;
        vec_push(&w->t->cx->mem, &w->vars, x);
    }
    const ty_node c = *n;
    if (c.kind == T_PUSH || c.kind == T_PROG)
        add_level(w, c.c);
    for (uint32_t i = 0; c.kind == T_TUPLE && i < c.b; i++)
        collect(w, ty_item(w->t, x, i), depth + NESTED);
    if (c.kind >= T_FUN)
        collect(w, c.a, depth + NESTED);
    if (c.kind == T_FUN)
        collect(w, c.b, depth + 1);
}

/* Moves a scratch list into the arena. */
static void *keep(fcl_context *cx, arena *store, vec_u32 *v, uint32_t *n)
{
    uint32_t *kept = ARENA_ARRAY(store, uint32_t, v->len ? v->len : 1);
    *n = kept ? v->len : 0;
    if (kept && v->len)
        memcpy(kept, v->at, v->len * sizeof *kept);
    vec_free(&cx->mem, v);
    return kept;
}

scheme *ty_generalise(types *t, arena *store, ty x, const lv *explicit_levels, uint32_t n,
                      generality g)
{
    scheme *s = ARENA_NEW(store, scheme);
    type_walk w = {.t = t, .over = g};
    t->mark++;
    for (uint32_t i = 0; i < n; i++)
        add_level(&w, explicit_levels[i]);
    uint32_t explicit_count = w.levels.len;
    collect(&w, x, 0);
    scheme out = {.type = x, .nexplicit = explicit_count};
    out.vars = keep(t->cx, store, &w.vars, &out.nvars);
    out.levels = keep(t->cx, store, &w.levels, &out.nlevels);
    if (s)
        *s = out;
    return s;
}

/* ---- instances ---- */

/* A level as the instance has it; only those of the scheme's variables have a copy under this
 * mark. */
static lv copy_level(types *t, lv l)
{
    level_form f = lv_find(t, l);
    if (!f.var || lv_at(t, f.var)->depth != GENERIC || lv_at(t, f.var)->mark != t->mark)
        return l;
    lv copy = lv_at(t, f.var)->copy;
    while (f.offset--)
        copy = lv_above(t, copy);
    return copy;
}

/* Rank variables are not part of a scheme: the few of a built-in are replaced by a list that its
 * use sets up (use_builtin in infer/expr.c). */
static rank copy_rank(types *t, rank r)
{
    r = rank_find(t, r);
    for (uint32_t i = 0; i < t->nranks; i++)
        if (t->rank_from[i] == r)
            return t->rank_to[i];
    return r;
}

static ty copy(types *t, ty x, uint32_t depth);

/* Items are gathered apart, as copying them adds items of inner tuples. */
static ty copy_tuple(types *t, ty x, uint32_t depth)
{
    uint32_t n = ty_at(t, x)->b, first;
    vec_u32 items = {0};
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        ty c = copy(t, ty_item(t, x, i), depth + NESTED);
        same = same && c == ty_item(t, x, i);
        vec_push(&t->cx->mem, &items, c);
    }
    first = t->items.len;
    for (uint32_t i = 0; !same && i < items.len; i++)
        vec_push(&t->cx->mem, &t->items, items.at[i]);
    vec_free(&t->cx->mem, &items);
    return same ? x : ty_new(t, T_TUPLE, first, n, 0);
}

/* x itself where copying changes nothing. */
static ty copy_form(types *t, ty x, uint32_t depth)
{
    const ty_node n = *ty_at(t, x);
    if (n.kind == T_TUPLE)
        return copy_tuple(t, x, depth);
    if (n.kind < T_FUN)
        return x;
    ty a = copy(t, n.a, depth + NESTED), b = n.b;
    if (n.kind == T_FUN)
        b = copy(t, n.b, depth + 1);
    else if (n.kind == T_PULL || n.kind == T_PUSH)
        b = copy_rank(t, n.b);
    lv c = n.kind == T_PUSH || n.kind == T_PROG ? copy_level(t, n.c) : n.c;
    return a == n.a && b == n.b && c == n.c ? x : ty_new(t, (ty_kind)n.kind, a, b, c);
}

/* Each node once, by mark: a graph stays a graph of the same size. */
static ty copy(types *t, ty x, uint32_t depth)
{
    x = ty_find(t, x);
    if (ty_at(t, x)->mark == t->mark)
        return ty_at(t, x)->copy;
    if (depth > TYPE_DEPTH)
        return 0;
    ty made = copy_form(t, x, depth);
    ty_node *n = ty_node_at(t, x);
    n->mark = t->mark;
    n->copy = made;
    return made;
}

/* A fresh variable demands what the generic one does. */
ty scheme_instance(types *t, arena *store, const scheme *s, instance *out)
{
    *out = (instance){0};
    if (!s->nvars && !s->nlevels)
        return s->type;
    out->types = ARENA_ARRAY(store, ty, s->nvars + 1);
    out->levels = ARENA_ARRAY(store, lv, s->nlevels + 1);
    if (!out->types || !out->levels)
        return 0;
    out->ntypes = s->nvars;
    out->nlevels = s->nlevels;
    t->mark++;
    for (uint32_t i = 0; i < s->nvars; i++) {
        ty fresh = ty_fresh(t);
        ty_node *n = ty_node_at(t, s->vars[i]);
        n->mark = t->mark;
        n->copy = out->types[i] = fresh;
        ty_node_at(t, fresh)->height = n->height;
        ty_node_at(t, fresh)->scalars = n->scalars;
    }
    for (uint32_t i = 0; i < s->nlevels; i++) {
        lv fresh = lv_fresh(t);
        lv_node *n = lv_at(t, s->levels[i]);
        n->mark = t->mark;
        n->copy = out->levels[i] = fresh;
    }
    return copy(t, s->type, 0);
}

/* ---- defaults ---- */

/* A literal without a point is an int wherever that is allowed, one with a point a double. */
fcl_scalar infer_default_scalar(uint16_t scalars)
{
    static const fcl_scalar usual[] = {FCL_I32, FCL_F64, FCL_BOOL};
    for (uint32_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (scalars >> usual[i] & 1)
            return usual[i];
    int s = FCL_BOOL;
    while (s < FCL_SCALAR_END - 1 && !(scalars >> s & 1))
        s++;
    return (fcl_scalar)s;
}

void ty_default(types *t, ty x)
{
    x = ty_find(t, x);
    ty_node *n = ty_node_at(t, x);
    if (n->kind == T_VAR && n->scalars && !n->rigid)
        n->a = t->scalar[infer_default_scalar(n->scalars)];
}
