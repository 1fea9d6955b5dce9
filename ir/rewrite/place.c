/* Placing the operations of a graph: see place.h.
 *
 * 1. Order: what the result needs, and what hands out or receives, depth first through operands and what
 *    regions yield; the reverse of the order in which operations are left has users before what they use.
 *    With a stack of its own, as graphs may be deep.
 * 2. Lowest places, users first; this makes a tree of regions.
 * 3. What each operation depends on: the regions in that tree, by depth, whose parameters it needs,
 *    directly or by its operands or by what its regions compute.
 * 4. Places once more, users first, now outwards as far as the deepest of these.  The tree is made
 *    anew, since what holds a region may have moved outwards.  What an operation depends on is
 *    around it in either tree: whoever holds it depends on that too.
 * 5. Regions are linked anew: in the order in which operations were made, but that operands, and
 *    what is computed inside of an operation's regions, come first; depth first once more.
 *
 * Depths in the tree come with a jump pointer each (Myers 1983), for common ancestors and ancestors
 * of a depth in logarithmic time. */
#include "ir/rewrite/place.h"

#include "ir/append.h"
#include "ir/extents.h"
#include "ir/scheduled.h"

#include <string.h>

enum { DEPTH_WORDS = 4, DEPTH_MOST = DEPTH_WORDS * 64 - 1 };
/* Depths, as bits. */
typedef struct depths {
    uint64_t at[DEPTH_WORDS];
} depths;

enum { UNSEEN, OPEN, ORDERED, LINKED };

typedef struct graph_op {
    ir_region place; /* while uses are met: what holds all of them; 0: no use yet */
    ir_region bound; /* deepest region whose parameters it depends on */
    ir_op next;      /* that was made after it and has the same place */
    ir_op next_out;  /* that was put into the same region, and hands out as well */
    uint8_t state;
    bool hands_out; /* or receives; or something that was put into a region of it does */
    bool fails;     /* what it gives may, its elements among it */
    bool stops;     /* it does not go outwards, as it may fail, or uses what does not */
} graph_op;

typedef struct graph_region {
    ir_region parent, jump; /* 0: not in the tree */
    ir_region stop;         /* the nearest one, itself included, that runs at most once */
    uint32_t depth;
    ir_op outs;        /* of what was put into it, that hands out */
    ir_op first, last; /* of its operations, as they were made */
    ir_op end;         /* yield or return */
} graph_region;

typedef struct open_op {
    ir_op op;
    uint32_t next; /* of what it needs */
    ir_op inside;  /* the next one in the region that is gone through */
} open_op;

typedef struct graph {
    ir_module *m;
    mem *mm;
    ir_func func;
    ir_region body, pool;
    ir_op first;
    VEC(graph_op) ops;         /* from `first` on */
    VEC(graph_region) regions; /* the body, then from the pool on */
    VEC(open_op) stack;
    vec_u32 order;                 /* operations, used ones first */
    VEC(depths) needs, type_needs; /* by operation; by type, where an fn binds variables */
    VEC(bool) type_known;
    vec_u32 binders; /* by variable: the region of the fn that binds it; empty: there are none */
} graph;

/* ---- access ---- */

static graph_op *op_at(const graph *g, ir_op o)
{
    return &g->ops.at[o - g->first];
}

/* NULL for regions of others. */
static graph_region *region_at(const graph *g, ir_region r)
{
    if (r == g->body)
        return &g->regions.at[0];
    uint32_t i = r - g->pool + 1;
    return r > g->pool && i < g->regions.len ? &g->regions.at[i] : NULL;
}

/* The operation of the graph whose result a value is; 0 for parameters, constants and what is of
 * another function. */
static ir_op def_of(const graph *g, ir_value v)
{
    const value_node *n = ir_value_at(g->m, v);
    if (n->kind != V_RESULT || n->def < g->first || n->def - g->first >= g->ops.len)
        return 0;
    ir_region home = ir_op_at(g->m, n->def)->parent;
    return ir_region_at(g->m, home)->func == g->func ? n->def : 0;
}

/* What a region yields; 0 when it has no end yet. */
static ir_value yielded(const graph *g, ir_region r)
{
    ir_op last = ir_region_at(g->m, r)->last;
    return last && !ir_op_info(ir_op_at(g->m, last)->opcode)->has_result ? ir_arg(g->m, last, 0)
                                                                         : 0;
}

static uint32_t region_count(const graph *g, ir_op o)
{
    return ir_op_info(ir_op_at(g->m, o)->opcode)->regions;
}

/* ---- the order ---- */

/* Need k of an operation: its operands, then what its regions yield; false behind the last. */
static bool need_at(const graph *g, ir_op o, uint32_t k, ir_value *v)
{
    const op_node *n = ir_op_at(g->m, o);
    if (k < n->nargs)
        *v = ir_arg(g->m, o, k);
    else if (k - n->nargs < region_count(g, o))
        *v = yielded(g, n->regions + (k - n->nargs));
    else
        return false;
    return true;
}

static bool open_op_of(graph *g, ir_op o)
{
    if (!o || op_at(g, o)->state == ORDERED)
        return true;
    if (op_at(g, o)->state == OPEN)
        return diag_error(
            g->m->cx, DIAG_GRAPH_CYCLE, ir_op_loc(g->m, o),
            "what a region of this %s computes needs the result of the same operation",
            ir_op_info(ir_op_at(g->m, o)->opcode)->name);
    op_at(g, o)->state = OPEN;
    return vec_push(g->mm, &g->stack, ((open_op){.op = o}));
}

/* What its regions hand out follows what it names. */
static bool next_need(const graph *g, open_op *x, ir_op *o)
{
    const op_node *n = ir_op_at(g->m, x->op);
    ir_value v;
    if (need_at(g, x->op, x->next, &v)) {
        x->next++;
        *o = def_of(g, v);
        return true;
    }
    while (!x->inside && x->next - n->nargs < 2 * region_count(g, x->op))
        x->inside = region_at(g, n->regions + (x->next++ - n->nargs - region_count(g, x->op)))->outs;
    *o = x->inside;
    x->inside = *o ? op_at(g, *o)->next_out : 0;
    return *o != 0;
}

static bool order_from(graph *g, ir_op root)
{
    bool ok = open_op_of(g, root);
    while (ok && g->stack.len) {
        open_op *top = &g->stack.at[g->stack.len - 1];
        ir_op o;
        if (next_need(g, top, &o)) {
            ok = open_op_of(g, o);
            continue;
        }
        op_at(g, top->op)->state = ORDERED;
        ok = vec_push(g->mm, &g->order, top->op);
        g->stack.len--;
    }
    return ok;
}

/* The region that an operation was put into; 0: none. */
static ir_region pin_of(const graph *g, ir_op o)
{
    ir_region r = ir_op_at(g->m, o)->parent;
    return r == g->pool ? 0 : r;
}

static bool is_of_graph(const graph *g, ir_op o)
{
    ir_region home = ir_op_at(g->m, o)->parent;
    return home && ir_region_at(g->m, home)->func == g->func;
}

/* What hands out is there whether its result is needed or not.  An operation was made before what is in its regions. */
static void find_outs(graph *g)
{
    for (uint32_t i = g->ops.len; i-- > 0;) {
        ir_op o = g->first + i;
        graph_op *n = &g->ops.at[i];
        ir_region pin = is_of_graph(g, o) ? pin_of(g, o) : 0;
        n->hands_out = n->hands_out || ir_op_info(ir_op_at(g->m, o)->opcode)->effect == EFFECT_EMIT;
        if (!n->hands_out || !pin || pin == g->body)
            continue;
        n->next_out = region_at(g, pin)->outs;
        region_at(g, pin)->outs = o;
        op_at(g, ir_region_at(g->m, pin)->owner)->hands_out = true;
    }
}

/* Whether it hands out, and stands in no region of another operation. */
static bool is_root(const graph *g, ir_op o)
{
    ir_region pin = pin_of(g, o);
    return op_at(g, o)->hands_out && is_of_graph(g, o) && (!pin || pin == g->body);
}

static bool find_order(graph *g, ir_value result)
{
    bool ok = true;
    find_outs(g);
    for (uint32_t i = 0; ok && i < g->ops.len; i++)
        ok = !is_root(g, g->first + i) || order_from(g, g->first + i);
    return ok && order_from(g, def_of(g, result));
}

/* ---- the tree of regions ---- */

static uint32_t depth_of(const graph *g, ir_region r)
{
    return region_at(g, r)->depth;
}

/* A region without parameters runs at most once each time that its operation does. */
static bool runs_once(const graph *g, ir_op o, uint32_t i)
{
    return ir_op_info(ir_op_at(g->m, o)->opcode)->params[i] == '0';
}

/* Hangs region i of an operation below its place. */
static bool hang(graph *g, ir_op o, uint32_t i)
{
    ir_region r = ir_op_at(g->m, o)->regions + i, parent = op_at(g, o)->place;
    graph_region *n = region_at(g, r);
    const graph_region *up = region_at(g, parent), *jump = region_at(g, up->jump),
                       *far = region_at(g, jump->jump);
    bool even = up->depth - jump->depth == jump->depth - far->depth;
    *n = (graph_region){.parent = parent,
                        .jump = even ? jump->jump : parent,
                        .stop = runs_once(g, o, i) ? r : up->stop,
                        .depth = up->depth + 1,
                        .outs = n->outs};
    uint32_t most = g->m->cx->limits.region_depth;
    most = most < DEPTH_MOST ? most : DEPTH_MOST;
    return n->depth < most || diag_error(g->m->cx, DIAG_TOO_DEEP, ir_op_loc(g->m, o),
                                         "regions nest deeper than %u", most);
}

/* The region around r at that depth, or r itself where it is not deeper. */
static ir_region ancestor(const graph *g, ir_region r, uint32_t depth)
{
    while (depth_of(g, r) > depth) {
        const graph_region *n = region_at(g, r);
        r = depth_of(g, n->jump) >= depth ? n->jump : n->parent;
    }
    return r;
}

/* The innermost region that is around both, or one of them; 0 stands for any. */
static ir_region common(const graph *g, ir_region x, ir_region y)
{
    if (!x || !y)
        return x ? x : y;
    x = ancestor(g, x, depth_of(g, y));
    y = ancestor(g, y, depth_of(g, x));
    while (x != y) {
        const graph_region *a = region_at(g, x), *b = region_at(g, y);
        bool far = a->jump != b->jump;
        x = far ? a->jump : a->parent;
        y = far ? b->jump : b->parent;
    }
    return x;
}

/* ---- places ---- */

static bool holds(const graph *g, ir_region outer, ir_region inner)
{
    const graph_region *n = region_at(g, outer);
    return n && (n->parent || outer == g->body) && ancestor(g, inner, n->depth) == outer;
}

static bool may_move(const graph *g, ir_op o)
{
    return !op_at(g, o)->stops;
}

/* Its place, from what holds its uses.  What hands out does so once for what it depends on, wherever its result is used. */
static bool choose_place(graph *g, ir_op o, bool outwards)
{
    graph_op *n = op_at(g, o);
    ir_region pin = pin_of(g, o);
    if (!n->place) /* it only hands out */
        n->place = pin ? pin : g->body;
    if (pin && !holds(g, pin, n->place))
        return diag_error(
            g->m->cx, DIAG_NOT_VISIBLE, ir_op_loc(g->m, o),
            "the result of this %s is used outside of the region that it was put into",
            ir_op_info(ir_op_at(g->m, o)->opcode)->name);
    if (pin) {
        n->place = pin;
    } else if (outwards && (n->hands_out || may_move(g, o))) {
        ir_region stop = region_at(g, n->place)->stop;
        bool stops = !n->hands_out && depth_of(g, stop) > depth_of(g, n->bound);
        n->place = ancestor(g, n->place, depth_of(g, stops ? stop : n->bound));
    }
    return true;
}

static void note_use(graph *g, ir_value v, ir_region r)
{
    ir_op o = def_of(g, v);
    if (o)
        op_at(g, o)->place = common(g, op_at(g, o)->place, r);
}

static bool place_op(graph *g, ir_op o, bool outwards)
{
    const op_node n = *ir_op_at(g->m, o);
    if (!choose_place(g, o, outwards))
        return false;
    for (uint32_t k = 0; k < n.nargs; k++)
        note_use(g, ir_arg(g->m, o, k), op_at(g, o)->place);
    for (uint32_t i = 0; i < region_count(g, o); i++) {
        if (!hang(g, o, i))
            return false;
        note_use(g, yielded(g, n.regions + i), n.regions + i);
        for (ir_op out = region_at(g, n.regions + i)->outs; out; out = op_at(g, out)->next_out)
            op_at(g, out)->place = common(g, op_at(g, out)->place, n.regions + i);
    }
    return true;
}

/* All, users first. */
static bool place_all(graph *g, ir_value result, bool outwards)
{
    bool ok = true;
    for (uint32_t i = 0; i < g->order.len; i++)
        op_at(g, g->order.at[i])->place = 0;
    note_use(g, result, g->body);
    for (uint32_t i = g->order.len; ok && i-- > 0;)
        ok = place_op(g, g->order.at[i], outwards);
    return ok;
}

/* ---- what operations depend on ---- */

static void add_depth(const graph *g, depths *d, ir_region r)
{
    const graph_region *n = region_at(g, r);
    if (n)
        d->at[n->depth / 64] |= (uint64_t)1 << n->depth % 64;
}

static void add_depths(depths *d, const depths *more)
{
    for (int i = 0; i < DEPTH_WORDS; i++)
        d->at[i] |= more->at[i];
}

/* 0, the body, for none. */
static uint32_t deepest(const depths *d)
{
    for (uint32_t i = DEPTH_MOST; i > 0; i--)
        if (d->at[i / 64] >> i % 64 & 1)
            return i;
    return 0;
}

static void add_value(const graph *g, depths *d, ir_value v)
{
    ir_op o = def_of(g, v);
    if (o)
        add_depths(d, &g->needs.at[o - g->first]);
    else if (ir_value_at(g->m, v)->kind == V_PARAM)
        add_depth(g, d, ir_value_region(g->m, v));
}

/* ---- type and level variables that an fn binds ---- */

static void add_variable(const graph *g, depths *d, ir_tvar v)
{
    if (v < g->binders.len && g->binders.at[v])
        add_depth(g, d, g->binders.at[v]);
}

static void add_level(const graph *g, depths *d, ir_level l)
{
    if (level_base(l) == LV_VAR)
        add_variable(g, d, level_index(l));
}

static void add_type(graph *g, depths *d, ir_type t);

/* Each type once; recursion follows the depth of types, which has a limit. */
static void find_type(graph *g, ir_type t)
{
    const type_node n = *ir_type_at(g->m, t);
    depths *d = &g->type_needs.at[t];
    g->type_known.at[t] = true;
    if (n.kind == TY_VAR)
        add_variable(g, d, n.a);
    if (n.kind == TY_TUPLE)
        for (uint32_t i = 0; i < n.n; i++)
            add_type(g, d, type_item(g->m, t, i));
    if (n.kind >= TY_FUN)
        add_type(g, d, n.a);
    if (n.kind == TY_FUN)
        add_type(g, d, n.b);
    if (n.kind == TY_PUSH)
        add_level(g, d, n.b);
}

static void add_type(graph *g, depths *d, ir_type t)
{
    if (t >= g->type_known.len)
        return;
    if (!g->type_known.at[t])
        find_type(g, t);
    add_depths(d, &g->type_needs.at[t]);
}

/* What is written in <...>, and the type that is stated for the result. */
static void add_attached(graph *g, depths *d, const op_node *n)
{
    const vec_u32 *pool = &g->m->pool;
    attr_kind attr = (attr_kind)ir_op_info(n->opcode)->attr;
    if (attr == ATTR_LEVEL)
        add_level(g, d, n->attr);
    if (attr == ATTR_TYPE)
        add_type(g, d, n->attr);
    add_type(g, d, ir_value_at(g->m, n->result)->type);
    if (attr != ATTR_CALL || !n->inst)
        return;
    uint32_t types = pool->at[n->inst], levels = pool->at[n->inst + 1];
    for (uint32_t i = 0; i < types; i++)
        add_type(g, d, pool->at[n->inst + 2 + i]);
    for (uint32_t i = 0; i < levels; i++)
        add_level(g, d, pool->at[n->inst + 2 + types + i]);
}

/* The variables of all fn of the graph, if any has some. */
static bool find_binders(graph *g)
{
    ir_module *m = g->m;
    for (uint32_t i = 0; i < g->order.len; i++) {
        const op_node *n = ir_op_at(m, g->order.at[i]);
        if (n->opcode != OP_FN || !n->inst)
            continue;
        if (!g->binders.len) {
            if (!vec_reserve(g->mm, &g->binders, m->tvars.len))
                return false;
            g->binders.len = m->tvars.len;
            memset(g->binders.at, 0, g->binders.len * sizeof *g->binders.at);
        }
        for (uint32_t k = 0; k < m->pool.at[n->inst] + m->pool.at[n->inst + 1]; k++)
            g->binders.at[m->pool.at[n->inst + 2 + k]] = n->regions;
    }
    if (!g->binders.len)
        return true;
    if (!vec_reserve(g->mm, &g->type_needs, m->types.len) ||
        !vec_reserve(g->mm, &g->type_known, m->types.len))
        return false;
    for (uint32_t i = 0; i < m->types.len; i++) {
        g->type_needs.at[g->type_needs.len++] = (depths){0};
        g->type_known.at[g->type_known.len++] = false;
    }
    return true;
}

/* ---- both together ---- */

/* Whether it may fail by itself: reductions and their kind do where what they go through, or call, does; of a function that is called nothing
 * is known. */
static bool fails_itself(const graph *g, ir_op o)
{
    const op_node n = *ir_op_at(g->m, o);
    bool natural = true;
    switch (n.opcode) {
    case OP_REDUCE:
    case OP_SCAN:
    case OP_SCANEX:
    case OP_FILTER:
    case OP_SORT: return false;
    case OP_GENERATE:
        for (uint32_t k = 0; k < n.nargs && natural; k++)
            natural = ir_is_natural(g->m, ir_arg(g->m, o, k));
        return !natural;
    case OP_CALL:
    case OP_APPLY: return true;
    default: return ir_op_info(n.opcode)->effect == EFFECT_FAIL || ir_puts_elements(n.opcode);
    }
}

static bool value_fails(const graph *g, ir_value v)
{
    ir_op o = v ? def_of(g, v) : 0;
    return o && op_at(g, o)->fails;
}

static bool value_stops(const graph *g, ir_value v)
{
    ir_op o = v ? def_of(g, v) : 0;
    return o && op_at(g, o)->stops;
}

static bool any_of(const graph *g, ir_op o, bool (*is)(const graph *, ir_value), bool regions)
{
    const op_node n = *ir_op_at(g->m, o);
    bool any = false;
    for (uint32_t k = 0; k < n.nargs && !any; k++)
        any = is(g, ir_arg(g->m, o, k));
    for (uint32_t i = 0; regions && i < region_count(g, o) && !any; i++)
        any = is(g, yielded(g, n.regions + i));
    return any;
}

/* What uses the result of something that stays is no further outwards; but work of a level, and calls, take with them what they need. */
static void find_failures(graph *g, ir_op o)
{
    const uint32_t effect = ir_op_info(ir_op_at(g->m, o)->opcode)->effect;
    graph_op *n = op_at(g, o);
    n->fails = fails_itself(g, o) || any_of(g, o, value_fails, true);
    n->stops = effect == EFFECT_FAIL ? n->fails : effect == EFFECT_NONE && any_of(g, o, value_stops, false);
}

/* The parameters of its own regions are no need of an operation. */
static void find_needs(graph *g, ir_op o)
{
    const op_node n = *ir_op_at(g->m, o);
    depths *d = &g->needs.at[o - g->first];
    ir_region pin = pin_of(g, o);
    for (uint32_t i = 0; i < region_count(g, o); i++) {
        const region_node *r = ir_region_at(g->m, n.regions + i);
        for (uint32_t k = 0; k < r->nparams; k++)
            add_type(g, d, ir_value_at(g->m, r->params + k)->type);
        add_value(g, d, yielded(g, n.regions + i));
        for (ir_op out = region_at(g, n.regions + i)->outs; out; out = op_at(g, out)->next_out)
            add_depths(d, &g->needs.at[out - g->first]);
    }
    if (region_count(g, o)) {
        uint32_t inner = depth_of(g, n.regions);
        d->at[inner / 64] &= ~((uint64_t)1 << inner % 64);
    }
    for (uint32_t k = 0; k < n.nargs; k++)
        add_value(g, d, ir_arg(g->m, o, k));
    add_attached(g, d, &n);
    if (pin)
        add_depth(g, d, pin);
    op_at(g, o)->bound = ancestor(g, op_at(g, o)->place, deepest(d));
    find_failures(g, o);
}

static bool find_all_needs(graph *g)
{
    if (!find_binders(g) || !vec_reserve(g->mm, &g->needs, g->ops.len))
        return false;
    g->needs.len = g->ops.len;
    memset(g->needs.at, 0, g->needs.len * sizeof *g->needs.at);
    for (uint32_t i = 0; i < g->order.len; i++)
        find_needs(g, g->order.at[i]);
    return true;
}

/* ---- linking ---- */

static void append(graph *g, ir_region r, ir_op o)
{
    region_node *in = ir_region_at(g->m, r);
    op_node *n = ir_op_at(g->m, o);
    n->parent = r;
    n->next = 0;
    *(in->last ? &ir_op_at(g->m, in->last)->next : &in->first) = o;
    in->last = o;
    if (n->result)
        ir_value_at(g->m, n->result)->slot = in->nslots++ & SLOT_MASK;
}

/* Empties a region, and keeps its end. */
static void empty(graph *g, ir_region r, graph_region *to)
{
    region_node *n = ir_region_at(g->m, r);
    bool ended = n->last && !ir_op_info(ir_op_at(g->m, n->last)->opcode)->has_result;
    to->end = ended ? n->last : to->end;
    n->first = n->last = 0;
    n->nslots = n->nparams;
}

/* Empties all regions, and lists their operations as they were made. */
static void list_all(graph *g)
{
    empty(g, g->body, &g->regions.at[0]);
    empty(g, g->pool, &g->regions.at[0]);
    for (uint32_t i = 0; i < g->ops.len; i++) {
        ir_op o = g->first + i;
        if (g->ops.at[i].state != ORDERED)
            continue;
        graph_region *in = region_at(g, g->ops.at[i].place);
        *(in->last ? &op_at(g, in->last)->next : &in->first) = o;
        in->last = o;
        for (uint32_t k = 0; k < region_count(g, o); k++)
            empty(g, ir_op_at(g->m, o)->regions + k, region_at(g, ir_op_at(g->m, o)->regions + k));
    }
}

/* What is to be linked before an operation: its operands; of each region all that is in it, then
 * what it yields, which may be outside.  False behind the last. */
static bool before_at(const graph *g, open_op *x, ir_op *o)
{
    const op_node *n = ir_op_at(g->m, x->op);
    while (!x->inside) {
        uint32_t k = x->next++, region = (k - n->nargs) / 2;
        if (k >= n->nargs && region >= region_count(g, x->op))
            return false;
        if (k >= n->nargs && (k - n->nargs) % 2 == 0) {
            x->inside = region_at(g, n->regions + region)->first;
            continue;
        }
        const graph_region *r = k < n->nargs ? NULL : region_at(g, n->regions + region);
        *o = def_of(g, ir_arg(g->m, r ? r->end : x->op, r ? 0 : k));
        return true;
    }
    *o = x->inside;
    x->inside = op_at(g, *o)->next;
    return true;
}

static bool open_link(graph *g, ir_op o)
{
    if (!o || op_at(g, o)->state == LINKED)
        return true;
    op_at(g, o)->state = LINKED;
    return vec_push(g->mm, &g->stack, ((open_op){.op = o}));
}

static bool link_op(graph *g, ir_op root)
{
    bool ok = open_link(g, root);
    while (ok && g->stack.len) {
        open_op *top = &g->stack.at[g->stack.len - 1];
        ir_op o;
        if (before_at(g, top, &o)) {
            ok = open_link(g, o);
            continue;
        }
        append(g, op_at(g, top->op)->place, top->op);
        g->stack.len--;
    }
    return ok;
}

static bool link_all(graph *g)
{
    bool ok = true;
    list_all(g);
    for (ir_op o = g->regions.at[0].first; ok && o; o = op_at(g, o)->next)
        ok = link_op(g, o);
    for (uint32_t i = 0; ok && i < g->order.len; i++)
        for (uint32_t k = 0; k < region_count(g, g->order.at[i]); k++) {
            ir_region r = ir_op_at(g->m, g->order.at[i])->regions + k;
            if (region_at(g, r)->end)
                append(g, r, region_at(g, r)->end);
        }
    if (ok)
        append(g, g->body, g->regions.at[0].end);
    ir_region_at(g->m, g->pool)->last = g->regions.at[0].end; /* nothing comes after that */
    return ok;
}

/* ---- the whole ---- */

static bool graph_init(graph *g)
{
    uint32_t ops = g->m->ops.len - g->first, regions = g->m->regions.len - g->pool + 1;
    if (!vec_reserve(g->mm, &g->ops, ops) || !vec_reserve(g->mm, &g->regions, regions))
        return false;
    g->ops.len = ops;
    g->regions.len = regions;
    memset(g->ops.at, 0, ops * sizeof *g->ops.at);
    memset(g->regions.at, 0, regions * sizeof *g->regions.at);
    g->regions.at[0] = (graph_region){.jump = g->body, .stop = g->body};
    return true;
}

static void graph_free(graph *g)
{
    vec_free(g->mm, &g->ops);
    vec_free(g->mm, &g->regions);
    vec_free(g->mm, &g->stack);
    vec_free(g->mm, &g->order);
    vec_free(g->mm, &g->needs);
    vec_free(g->mm, &g->type_needs);
    vec_free(g->mm, &g->type_known);
    vec_free(g->mm, &g->binders);
}

bool ir_place_graph(ir_module *m, ir_func f, ir_op first, ir_region pool)
{
    graph g = {.m = m,
               .mm = &m->cx->mem,
               .func = f,
               .body = ir_func_at(m, f)->body,
               .pool = pool,
               .first = first};
    ir_value ends = yielded(&g, pool), result = ends ? ends : yielded(&g, g.body);
    bool ok = graph_init(&g) && find_order(&g, result) && place_all(&g, result, false) &&
              find_all_needs(&g) && place_all(&g, result, true) && link_all(&g);
    graph_free(&g);
    return ok;
}
