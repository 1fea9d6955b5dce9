/* Types: the hash-consed table, substitution and binding.  Recursion is bounded by
 * limits.type_depth: a deeper type is the unknown type (id 0), reported by whoever asked for it.
 *
 * Hash-consing makes equality of types equality of ids, and a bound variable is a de Bruijn
 * index (the number of binders of its sort between it and its own), so that types that differ in
 * the names of bound variables only are one type.  Nodes are never changed or dropped.  Levels
 * and types have binders of their own, hence two counts wherever binders are passed. */
#include "ir/ir.h"

#include <string.h>

/* Of a tuple its items count, not where they lie: its `a` differs between equal tuples. */
static uint32_t hash_node(const ir_module *m, const type_node *n)
{
    uint32_t key[4] = {n->kind, n->n, n->a, n->b};
    if (n->kind == TY_TUPLE)
        return intern_hash(intern_hash(HASH_SEED, key, 2 * sizeof *key), m->type_items.at + n->a,
                           n->n * sizeof(ir_type));
    return intern_hash(HASH_SEED, key, sizeof key);
}

static bool same_node(const ir_module *m, const type_node *x, const type_node *y)
{
    if (x->kind != y->kind || x->n != y->n)
        return false;
    if (x->kind == TY_TUPLE)
        return memcmp(m->type_items.at + x->a, m->type_items.at + y->a, x->n * sizeof(ir_type)) ==
               0;
    return x->a == y->a && x->b == y->b;
}

/* Linear probing; the table is a power of two and at most half full, so that a free slot ends the
 * search. */
static uint32_t slot_of(const ir_module *m, const type_node *n)
{
    uint32_t mask = m->type_table_cap - 1, i = hash_node(m, n) & mask;
    while (m->type_table[i] && !same_node(m, &m->types.at[m->type_table[i]], n))
        i = (i + 1) & mask;
    return i;
}

/* Ids stay: only their places in the table are made again. */
static bool grow_table(ir_module *m)
{
    mem *mm = &m->cx->mem;
    uint32_t old_cap = m->type_table_cap, *old = m->type_table, cap = old_cap ? old_cap * 2 : 128;
    uint32_t *table = mem_resize(mm, NULL, 0, cap * sizeof *table);
    if (!table)
        return false;
    memset(table, 0, cap * sizeof *table);
    m->type_table = table;
    m->type_table_cap = cap;
    for (ir_type t = 1; t < m->types.len; t++)
        table[slot_of(m, &m->types.at[t])] = t;
    mem_free(mm, old, old_cap * sizeof *old);
    return true;
}

static uint8_t depth_of(const ir_module *m, ir_type t)
{
    return ir_type_at(m, t)->depth;
}

/* Whoever walks over a type takes that many steps: a type that names itself twice in each of 100
 * tuples is small here and has 2^100 nodes. */
static uint64_t size_of(const ir_module *m, const type_node *n)
{
    uint64_t size = 1;
    switch ((type_kind)n->kind) {
    case TY_TUPLE:
        for (uint32_t i = 0; i < n->n; i++)
            size += ir_type_at(m, m->type_items.at[n->a + i])->size;
        return size;
    case TY_FUN: return size + ir_type_at(m, n->a)->size + ir_type_at(m, n->b)->size;
    case TY_LVLFN:
    case TY_FORALL:
    case TY_PULL:
    case TY_PUSH: return size + ir_type_at(m, n->a)->size;
    default: return size;
    }
}

/* The id of the node, made if need be; 0 when it nests too deep or is too large.  `below` is the
 * depth of the deepest part.  A node that exists costs no memory. */
static ir_type cons(ir_module *m, type_node n, uint8_t below)
{
    if (below >= m->cx->limits.type_depth || below == UINT8_MAX)
        return 0;
    n.depth = (uint8_t)(below + 1);
    if (m->types.len * 2 >= m->type_table_cap && !grow_table(m))
        return 0;
    uint32_t i = slot_of(m, &n);
    if (m->type_table[i])
        return m->type_table[i];
    uint64_t size = size_of(m, &n);
    n.size = (uint32_t)size;
    if (size > MAX_TYPE_SIZE || !vec_push(&m->cx->mem, &m->types, n))
        return 0;
    return m->type_table[i] = m->types.len - 1;
}

/* Depths are those of nesting; a leaf has depth 1. */
static uint8_t deeper(uint8_t x, uint8_t y)
{
    return x > y ? x : y;
}

ir_type type_scalar(ir_module *m, scalar s)
{
    return s ? cons(m, (type_node){.kind = TY_SCALAR, .a = s}, 0) : 0;
}

ir_type type_var(ir_module *m, ir_tvar v)
{
    return v ? cons(m, (type_node){.kind = TY_VAR, .a = v}, 0) : 0;
}

ir_type type_bound(ir_module *m, uint32_t index)
{
    return cons(m, (type_node){.kind = TY_BOUND, .a = index}, 0);
}

/* The items are written behind the others before it is known whether the tuple exists, since the
 * table compares them in place. */
ir_type type_tuple(ir_module *m, const ir_type *items, uint32_t n)
{
    uint8_t below = 0;
    if (n > UINT16_MAX || !vec_reserve(&m->cx->mem, &m->type_items, n))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!items[i])
            return 0;
        below = deeper(below, depth_of(m, items[i]));
        m->type_items.at[m->type_items.len + i] = items[i];
    }
    uint32_t start = m->type_items.len, types = m->types.len;
    m->type_items.len += n;
    ir_type t = cons(m, (type_node){.kind = TY_TUPLE, .n = (uint16_t)n, .a = start}, below);
    if (m->types.len == types) /* it existed: give the items back */
        m->type_items.len = start;
    return t;
}

ir_type type_fun(ir_module *m, ir_type from, ir_type to)
{
    if (!from || !to)
        return 0;
    return cons(m, (type_node){.kind = TY_FUN, .a = from, .b = to},
                deeper(depth_of(m, from), depth_of(m, to)));
}

ir_type type_lvlfn(ir_module *m, ir_type body)
{
    return body ? cons(m, (type_node){.kind = TY_LVLFN, .a = body}, depth_of(m, body)) : 0;
}

ir_type type_forall(ir_module *m, kind k, ir_type body)
{
    return body ? cons(m, (type_node){.kind = TY_FORALL, .n = (uint16_t)k, .a = body},
                       depth_of(m, body))
                : 0;
}

/* Rules 10 and 11 give arrays elements of a kind: that is the checker's to ask (kinds.c), not the
 * table's. */
ir_type type_pull(ir_module *m, ir_type elem, uint32_t rank)
{
    if (!elem || rank < 1 || rank > MAX_RANK)
        return 0;
    return cons(m, (type_node){.kind = TY_PULL, .n = (uint16_t)rank, .a = elem}, depth_of(m, elem));
}

/* A push array needs a level: 0, no level, gives the unknown type. */
ir_type type_push(ir_module *m, ir_type elem, uint32_t rank, ir_level level)
{
    if (!elem || !level || rank < 1 || rank > MAX_RANK)
        return 0;
    return cons(m, (type_node){.kind = TY_PUSH, .n = (uint16_t)rank, .a = elem, .b = level},
                depth_of(m, elem));
}

ir_type type_item(const ir_module *m, ir_type t, uint32_t k)
{
    const type_node *n = ir_type_at(m, t);
    return n->kind == TY_TUPLE && k < n->n ? m->type_items.at[n->a + k] : 0;
}

/* ---- rewriting ---- */

/* A rewrite of the leaves of a type; `under` counts the binders of levels and of types that were
 * passed. */
typedef struct rewrite {
    const type_subst *subst; /* replace variables ... */
    ir_tvar bind;            /* ... or turn this variable into the binder's index ... */
    bool open, open_type;    /* ... or replace the outermost binder's index by arg */
    uint32_t arg;
} rewrite;

typedef struct under {
    uint32_t levels, types;
} under;

/* The offset stays on top: 1+l with l := block is grid.  Level 0 comes out when the offset is too
 * high. */
static ir_level rewrite_level(ir_module *m, const rewrite *rw, ir_level l, under u)
{
    if (rw->subst)
        return level_replace(m, l, rw->subst);
    bool hit = rw->open ? !rw->open_type && level_base(l) == LV_BOUND && level_index(l) == u.levels
                        : level_base(l) == LV_VAR && level_index(l) == rw->bind;
    if (!hit)
        return l;
    ir_level r = rw->open ? rw->arg : level_bound(u.levels);
    for (uint32_t i = 0; r && i < level_offset(l); i++)
        r = level_succ(r);
    return r;
}

/* What is put in has no bound variables of its own that could be captured: substitutes are closed,
 * or variables, so nothing needs shifting on the way down. */
static ir_type rewrite_leaf(ir_module *m, const rewrite *rw, ir_type t, under u)
{
    const type_node n = *ir_type_at(m, t);
    if (n.kind == TY_VAR && rw->subst) {
        for (uint32_t i = 0; i < rw->subst->n; i++)
            if (rw->subst->from[i] == n.a)
                return rw->subst->to[i];
    } else if (n.kind == TY_VAR && !rw->open && n.a == rw->bind) {
        return type_bound(m, u.types);
    } else if (n.kind == TY_BOUND && rw->open && rw->open_type && n.a == u.types) {
        return rw->arg;
    }
    return t;
}

static ir_type rewrite_type(ir_module *m, const rewrite *rw, ir_type t, under u);

/* Items are collected before the tuple is made: making types moves the list of items.  Sixteen lie
 * on the stack, which is nearly always enough. */
static ir_type rewrite_tuple(ir_module *m, const rewrite *rw, ir_type t, under u)
{
    ir_type few[16] = {0};
    uint32_t n = ir_type_at(m, t)->n;
    mem *mm = &m->cx->mem;
    ir_type *items = n <= 16 ? few : mem_resize(mm, NULL, 0, n * sizeof *items);
    if (!items)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        items[i] = rewrite_type(m, rw, type_item(m, t, i), u);
    ir_type r = type_tuple(m, items, n);
    if (items != few)
        mem_free(mm, items, n * sizeof *items);
    return r;
}

/* Rebuilds bottom-up.  An unknown part makes the whole unknown, as the constructors return 0 for
 * it. */
static ir_type rewrite_type(ir_module *m, const rewrite *rw, ir_type t, under u)
{
    const type_node n = *ir_type_at(m, t);
    switch ((type_kind)n.kind) {
    case TY_ERROR:
    case TY_SCALAR: return t;
    case TY_VAR:
    case TY_BOUND: return rewrite_leaf(m, rw, t, u);
    case TY_TUPLE: return rewrite_tuple(m, rw, t, u);
    case TY_FUN: {
        ir_type from = rewrite_type(m, rw, n.a, u);
        return type_fun(m, from, rewrite_type(m, rw, n.b, u));
    }
    case TY_LVLFN: return type_lvlfn(m, rewrite_type(m, rw, n.a, (under){u.levels + 1, u.types}));
    case TY_FORALL:
        return type_forall(m, (kind)n.n, rewrite_type(m, rw, n.a, (under){u.levels, u.types + 1}));
    case TY_PULL: return type_pull(m, rewrite_type(m, rw, n.a, u), n.n);
    case TY_PUSH:
        return type_push(m, rewrite_type(m, rw, n.a, u), n.n, rewrite_level(m, rw, n.b, u));
    }
    return 0;
}

/* All at once, not one after the other: what is put in is not replaced again. */
ir_type type_replace(ir_module *m, ir_type t, const type_subst *s)
{
    return s->n ? rewrite_type(m, &(rewrite){.subst = s}, t, (under){0}) : t;
}

/* Turns a variable into de Bruijn index 0 of a new binder: rule 29 for a level, rule 25 for a
 * type. */
ir_type type_abstract(ir_module *m, ir_type t, ir_tvar v)
{
    if (v >= m->tvars.len)
        return 0;
    ir_type body = rewrite_type(m, &(rewrite){.bind = v}, t, (under){0});
    return m->tvars.at[v].is_level ? type_lvlfn(m, body)
                                   : type_forall(m, (kind)m->tvars.at[v].kind, body);
}

/* 0 when there is no such binder.  Rule 27 for a level, rule 14 for a type. */
ir_type type_instantiate(ir_module *m, ir_type t, uint32_t arg)
{
    const type_node n = *ir_type_at(m, t);
    if (n.kind != TY_LVLFN && n.kind != TY_FORALL)
        return 0;
    return rewrite_type(m, &(rewrite){.open = true, .open_type = n.kind == TY_FORALL, .arg = arg},
                        n.a, (under){0});
}

/* Abstracts from the last parameter outwards, so that the first type parameter is the outermost
 * binder. */
ir_type type_of_func(ir_module *m, ir_func f)
{
    func_node fn = *ir_func_at(m, f);
    region_node body = *ir_region_at(m, fn.body);
    ir_type t = fn.result;
    for (uint32_t i = body.nparams; i-- > 0;)
        t = type_fun(m, ir_value_at(m, body.params + i)->type, t);
    for (uint32_t i = (uint32_t)fn.ntypes + fn.nlevels; i-- > 0;)
        t = type_abstract(m, t, fn.tparams + i);
    return t;
}
