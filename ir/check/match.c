/* Unification of types with holes: see check/match.h.  Recursion is bounded by MATCH_DEPTH,
 * whatever the bindings make of the depth of types.
 *
 * First-order unification by substitution with occurs check, in the way of Robinson; bindings
 * are an array by hole and are followed at the head only.  The types of arguments have no holes,
 * so most matching is one-sided; scratch variables, which may stand on both sides, are what makes
 * the occurs check necessary. */
#include "ir/check/match.h"

enum { MATCH_DEPTH = 512, NOT_A_HOLE = -1 };

/* Matchers nest as calls of the checker do: each has its stretch at the end of c->bindings and
 * gives it back by check_matcher_end, also after a failure here. */
bool check_matcher_begin(matcher *u, checker *c, ir_tvar first, uint32_t n)
{
    *u = (matcher){.c = c, .first = first, .n = n, .base = c->bindings.len};
    if (!vec_reserve(&c->cx->mem, &c->bindings, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        c->bindings.at[c->bindings.len++] = 0;
    return true;
}

void check_matcher_end(matcher *u)
{
    u->c->bindings.len = u->base;
}

uint32_t *check_matcher_binding(matcher *u, uint32_t hole)
{
    return &u->c->bindings.at[u->base + hole];
}

/* The number of a hole, or NOT_A_HOLE for a variable that stands for itself. */
static int64_t hole_of(const matcher *u, ir_tvar v)
{
    if (v >= u->first && v - u->first < u->n)
        return v - u->first;
    if (u->nscratch && v >= u->scratch && v - u->scratch < u->nscratch)
        return (int64_t)u->n + (v - u->scratch);
    return NOT_A_HOLE;
}

/* The type or level that a hole is bound to; 0 when it is unbound, or no hole. */
static uint32_t bound_to(const matcher *u, ir_tvar v)
{
    int64_t h = hole_of(u, v);
    return h < 0 ? 0 : u->c->bindings.at[u->base + (uint32_t)h];
}

/* ---- scratch variables ---- */

/* Makes sure of `n` consecutive scratch variables in the module; they are kept for the next
 * call. */
static bool reserve_scratch(checker *c, uint32_t n)
{
    if (n <= c->nholes)
        return true;
    if (c->nholes == 0 || c->holes + c->nholes != c->m->tvars.len) {
        c->holes = c->m->tvars.len;
        c->nholes = 0;
    }
    while (c->nholes < n) {
        if (!ir_add_tvar(c->m, 0, intern_cstr(&c->cx->strings, "_"), false, KIND_TYP) ||
            !vec_push(&c->cx->mem, &c->open, 0) || !vec_push(&c->cx->mem, &c->kind_locs, 0))
            return false;
        c->nholes++;
    }
    return true;
}

/* Rule 14, with the instance still unknown: each bound variable becomes a fresh hole of its
 * kind. */
ir_type check_matcher_open(matcher *u, ir_type scheme)
{
    checker *c = u->c;
    while (ir_type_at(c->m, scheme)->kind == TY_FORALL) {
        uint32_t k = u->nscratch;
        if (!reserve_scratch(c, k + 1) || !vec_push(&c->cx->mem, &c->bindings, 0))
            return 0;
        u->scratch = c->holes;
        u->nscratch = k + 1;
        tvar_node *v = &c->m->tvars.at[u->scratch + k];
        v->kind = (uint8_t)ir_type_at(c->m, scheme)->n;
        v->annotated = true;
        scheme = type_instantiate(c->m, scheme, type_var(c->m, u->scratch + k));
    }
    return scheme;
}

/* ---- unification ---- */

ir_type check_matcher_head(const matcher *u, ir_type t)
{
    for (;;) {
        const type_node *n = ir_type_at(u->c->m, t);
        ir_type next = n->kind == TY_VAR ? bound_to(u, n->a) : 0;
        if (!next)
            return t;
        t = next;
    }
}

typedef struct occurs_search {
    const matcher *u;
    int64_t hole; /* look for this hole, or for any (NOT_A_HOLE) */
    bool escapes; /* look for bound variables that t itself does not bind */
} occurs_search;

static bool found_in(const occurs_search *s, ir_type t, uint32_t levels, uint32_t types,
                     uint32_t depth);

/* Of a tuple; depth counts nesting, not items. */
static bool found_in_items(const occurs_search *s, ir_type t, uint32_t levels, uint32_t types,
                           uint32_t depth)
{
    const ir_module *m = s->u->c->m;
    for (uint32_t i = 0; i < ir_type_at(m, t)->n; i++)
        if (found_in(s, type_item(m, t, i), levels, types, depth))
            return true;
    return false;
}

/* Whether t has what is looked for; too deep counts as found, which makes unification fail. */
static bool found_in(const occurs_search *s, ir_type t, uint32_t levels, uint32_t types,
                     uint32_t depth)
{
    if (depth > MATCH_DEPTH)
        return true;
    t = check_matcher_head(s->u, t);
    const type_node n = *ir_type_at(s->u->c->m, t);
    depth++;
    switch ((type_kind)n.kind) {
    case TY_ERROR:
    case TY_SCALAR: return false;
    case TY_VAR: {
        int64_t h = hole_of(s->u, n.a);
        return !s->escapes && h >= 0 && (s->hole == NOT_A_HOLE || s->hole == h);
    }
    case TY_BOUND: return s->escapes && n.a >= types;
    case TY_TUPLE: return found_in_items(s, t, levels, types, depth);
    case TY_FUN:
        return found_in(s, n.a, levels, types, depth) || found_in(s, n.b, levels, types, depth);
    case TY_LVLFN: return found_in(s, n.a, levels + 1, types, depth);
    case TY_FORALL: return found_in(s, n.a, levels, types + 1, depth);
    case TY_PULL: return found_in(s, n.a, levels, types, depth);
    case TY_PUSH:
        return (s->escapes && level_base(n.b) == LV_BOUND && level_index(n.b) >= levels) ||
               found_in(s, n.a, levels, types, depth);
    }
    return true;
}

/* Without scratch variables nothing that can be bound to a hole has holes in it. */
bool check_matcher_mentions_hole(const matcher *u, ir_type t)
{
    return u->nscratch && found_in(&(occurs_search){.u = u, .hole = NOT_A_HOLE}, t, 0, 0, 0);
}

/* `under`: inside of binders, whose variables may not escape.  Only scratch variables can stand on
 * both sides. */
static bool bind(matcher *u, int64_t hole, ir_type t, bool under)
{
    if (u->nscratch && found_in(&(occurs_search){.u = u, .hole = hole}, t, 0, 0, 0))
        return false;
    if (under && found_in(&(occurs_search){.u = u, .escapes = true}, t, 0, 0, 0))
        return false;
    *check_matcher_binding(u, (uint32_t)hole) = t;
    return true;
}

/* 0 when l is lower than that: no level is below thread. */
static ir_level level_down(ir_level l, uint32_t by)
{
    return level_offset(l) >= by ? l - by : 0; /* the offset is in the low bits: level.c */
}

/* 0 when the offset does not fit: such a level is above every hierarchy. */
static ir_level level_up(ir_level l, uint32_t by)
{
    while (l && by--)
        l = level_succ(l);
    return l;
}

ir_level check_matcher_resolve_level(matcher *u, ir_level l)
{
    ir_level b = level_base(l) == LV_VAR ? bound_to(u, level_index(l)) : 0;
    return b ? level_up(b, level_offset(l)) : l;
}

/* One side may be a hole plus an offset: l+2 fits grid with l = warp. */
static bool unify_levels(matcher *u, ir_level x, ir_level y)
{
    x = check_matcher_resolve_level(u, x);
    y = check_matcher_resolve_level(u, y);
    if (x == y)
        return true;
    for (int side = 0; side < 2; side++) {
        int64_t h = level_base(x) == LV_VAR ? hole_of(u, level_index(x)) : NOT_A_HOLE;
        ir_level rest = level_down(y, level_offset(x));
        bool same_base = level_base(y) == level_base(x) && level_index(y) == level_index(x);
        if (h >= 0 && rest && !same_base && level_base(y) != LV_BOUND) {
            *check_matcher_binding(u, (uint32_t)h) = rest;
            return true;
        }
        ir_level other = x;
        x = y;
        y = other;
    }
    return false;
}

static bool unify(matcher *u, ir_type x, ir_type y, uint32_t depth, bool under);

/* Structure against structure: kinds, ranks and numbers of parts are in kind and n. */
static bool unify_nodes(matcher *u, ir_type x, ir_type y, uint32_t depth, bool under)
{
    const ir_module *m = u->c->m;
    const type_node a = *ir_type_at(m, x), b = *ir_type_at(m, y);
    if (a.kind != b.kind || a.n != b.n)
        return false;
    switch ((type_kind)a.kind) {
    case TY_TUPLE:
        for (uint32_t i = 0; i < a.n; i++)
            if (!unify(u, type_item(m, x, i), type_item(m, y, i), depth, under))
                return false;
        return true;
    case TY_FUN: return unify(u, a.a, b.a, depth, under) && unify(u, a.b, b.b, depth, under);
    case TY_LVLFN:
    case TY_FORALL: return unify(u, a.a, b.a, depth, true);
    case TY_PULL: return unify(u, a.a, b.a, depth, under);
    case TY_PUSH: return unify(u, a.a, b.a, depth, under) && unify_levels(u, a.b, b.b);
    default: return false; /* leaves are equal ids or differ */
    }
}

/* An unknown type unifies with all, and binds nothing.  `depth` 0 is the type as a whole, where a
 * scheme may meet its instance. */
static bool unify(matcher *u, ir_type x, ir_type y, uint32_t depth, bool under)
{
    if (depth > MATCH_DEPTH)
        return false;
    x = check_matcher_head(u, x);
    y = check_matcher_head(u, y);
    if (x == y || !x || !y)
        return true;
    const type_node *a = ir_type_at(u->c->m, x), *b = ir_type_at(u->c->m, y);
    int64_t hx = a->kind == TY_VAR ? hole_of(u, a->a) : NOT_A_HOLE,
            hy = b->kind == TY_VAR ? hole_of(u, b->a) : NOT_A_HOLE;
    if (hx >= 0)
        return bind(u, hx, y, under);
    if (hy >= 0)
        return bind(u, hy, x, under);
    if (depth && a->kind != b->kind && (a->kind == TY_FORALL || b->kind == TY_FORALL))
        return false; /* schemes are instantiated at the top only */
    return unify_nodes(u, x, y, depth + 1, under);
}

/* Bindings made before a failure stay: the caller reports and drops the matcher. */
bool check_matcher_unify(matcher *u, ir_type x, ir_type y)
{
    u->unknown |= !x || !y;
    return unify(u, x, y, 0, false);
}

/* ---- putting the bindings in ---- */

/* One round of replacement: type_replace over all holes that are bound. */
static ir_type replace_once(matcher *u, ir_type t)
{
    checker *c = u->c;
    uint32_t n = u->n + u->nscratch, k = 0, at = c->tvars_of.len;
    if (!vec_reserve(&c->cx->mem, &c->tvars_of, 2 * (uint64_t)n))
        return 0;
    ir_tvar *from = c->tvars_of.at + at;
    uint32_t *to = from + n;
    for (uint32_t h = 0; h < n; h++)
        if (*check_matcher_binding(u, h)) {
            from[k] = h < u->n ? u->first + h : u->scratch + (h - u->n);
            to[k++] = *check_matcher_binding(u, h);
        }
    return type_replace(c->m, t, &(type_subst){from, to, k});
}

/* A binding may mention holes that were bound later, so it is repeated until nothing changes: at
 * most once for each hole, since the occurs check excludes cycles. */
ir_type check_matcher_resolve(matcher *u, ir_type t)
{
    if (u->n + u->nscratch == 0)
        return t;
    ir_type r = replace_once(u, t);
    for (uint32_t i = 0; u->nscratch && i < u->n + u->nscratch; i++) {
        ir_type next = replace_once(u, r);
        if (next == r)
            break;
        r = next;
    }
    return r;
}

/* Rule 25 for what a partial application leaves open: f: forall 'a. forall 'b. 'a -> 'b -> 'a
 * applied to an int is forall 'b. 'b -> int. */
ir_type check_matcher_generalise(matcher *u, ir_type t)
{
    for (uint32_t k = u->nscratch; t && k-- > 0;)
        if (found_in(&(occurs_search){.u = u, .hole = (int64_t)u->n + k}, t, 0, 0, 0))
            t = type_abstract(u->c->m, t, u->scratch + k);
    return t;
}
