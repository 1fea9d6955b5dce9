/* Copying operations, regions and functions: see rewrite/clone.h.  Recursion follows regions and
 * types, whose depth is limited.
 *
 * Copying is substitution: a copy is the original with what stands for its parts put in, made in
 * the order of the operations, so that an operand is known before it is used.  All failures are
 * collected in `failed`; callers look at it once. */
#include "ir/rewrite/clone.h"

#include "ir/data.h"

#include <string.h>

/* ---- maps ---- */

static mem *memory(ir_cloner *c)
{
    return &c->to->cx->mem;
}

/* 0, none, for keys that were never set. */
static uint32_t find(const id_map *m, uint32_t key)
{
    return key < m->to.len ? m->to.at[key] : 0;
}

/* The map is an array by id, which grows to the greatest key; what it grew by reads as 0. */
static void set(ir_cloner *c, id_map *m, uint32_t key, uint32_t to)
{
    uint32_t old = m->to.len;
    if (key >= old) {
        if (!vec_reserve(memory(c), &m->to, (uint64_t)key + 1 - old)) {
            c->failed = true;
            return;
        }
        m->to.len = m->to.cap;
        memset(m->to.at + old, 0, (m->to.len - old) * sizeof *m->to.at);
    }
    if (!vec_push(memory(c), &m->set, key))
        c->failed = true;
    else
        m->to.at[key] = to;
}

/* In the time that setting took, not in that of the array. */
static void forget(id_map *m)
{
    for (uint32_t i = 0; i < m->set.len; i++)
        m->to.at[m->set.at[i]] = 0;
    m->set.len = 0;
}

static void drop(ir_cloner *c, id_map *m)
{
    vec_free(memory(c), &m->to);
    vec_free(memory(c), &m->set);
}

void ir_cloner_init(ir_cloner *c, ir_module *from, ir_module *to)
{
    *c = (ir_cloner){.from = from, .to = to};
}

void ir_cloner_free(ir_cloner *c)
{
    drop(c, &c->values);
    drop(c, &c->tvars);
    drop(c, &c->types);
    drop(c, &c->funcs);
    vec_free(memory(c), &c->scratch);
}

void ir_cloner_reset(ir_cloner *c)
{
    forget(&c->values);
    forget(&c->tvars);
    forget(&c->types);
    c->scratch.len = 0;
    c->failed = false;
}

void ir_cloner_value(ir_cloner *c, ir_value v, ir_value to)
{
    set(c, &c->values, v, to);
}

void ir_cloner_tvar(ir_cloner *c, ir_tvar v, uint32_t to)
{
    set(c, &c->tvars, v, to);
}

void ir_cloner_func(ir_cloner *c, ir_func f, ir_func to)
{
    set(c, &c->funcs, f, to);
}

/* ---- types ---- */

/* Of another module a level variable must have something that stands for it; inside one it may
 * stand for itself. */
ir_level ir_clone_level(ir_cloner *c, ir_level l)
{
    uint32_t base = level_base(l) == LV_VAR ? find(&c->tvars, level_index(l)) : 0;
    if (!base) {
        c->failed = c->failed || (level_base(l) == LV_VAR && c->from != c->to);
        return l;
    }
    for (uint32_t i = 0; base && i < level_offset(l); i++)
        base = level_succ(base);
    return base;
}

static ir_type clone_tuple(ir_cloner *c, ir_type t, uint32_t n)
{
    uint32_t at = c->scratch.len;
    for (uint32_t i = 0; i < n; i++) {
        ir_type item = ir_clone_type(c, type_item(c->from, t, i));
        if (!vec_push(memory(c), &c->scratch, item))
            return 0;
    }
    ir_type r = type_tuple(c->to, c->scratch.at + at, n);
    c->scratch.len = at;
    return r;
}

static ir_type clone_variable(ir_cloner *c, ir_type t, ir_tvar v)
{
    ir_type to = find(&c->tvars, v);
    c->failed = c->failed || (!to && c->from != c->to);
    return to ? to : t;
}

/* The type's parts are copied first.  The source's node is copied too, since the target's table
 * grows and may be the same. */
static ir_type rebuilt(ir_cloner *c, ir_type t)
{
    ir_module *m = c->to;
    const type_node n = *ir_type_at(c->from, t);
    switch ((type_kind)n.kind) {
    case TY_ERROR: return 0;
    case TY_SCALAR: return type_scalar(m, (scalar)n.a);
    case TY_VAR: return clone_variable(c, t, n.a);
    case TY_BOUND: return type_bound(m, n.a);
    case TY_TUPLE: return clone_tuple(c, t, n.n);
    case TY_FUN: {
        ir_type from = ir_clone_type(c, n.a);
        return type_fun(m, from, ir_clone_type(c, n.b));
    }
    case TY_LVLFN: return type_lvlfn(m, ir_clone_type(c, n.a));
    case TY_FORALL: return type_forall(m, (kind)n.n, ir_clone_type(c, n.a));
    case TY_PULL: return type_pull(m, ir_clone_type(c, n.a), n.n);
    case TY_PUSH: return type_push(m, ir_clone_type(c, n.a), n.n, ir_clone_level(c, n.b));
    }
    return 0;
}

/* Types are shared, so each is rebuilt once and looked up from then on; inside one module, with no
 * variable to replace, it is itself. */
ir_type ir_clone_type(ir_cloner *c, ir_type t)
{
    if (!t || (c->from == c->to && !c->tvars.set.len))
        return t;
    ir_type known = find(&c->types, t);
    if (known)
        return known;
    ir_type r = rebuilt(c, t);
    c->failed = c->failed || !r;
    set(c, &c->types, t, r);
    return r;
}

/* ---- operands ---- */

/* A literal whose type is not decided is decided where it stands: each use has its own. */
static ir_value clone_constant(ir_cloner *c, ir_value v, value_node n)
{
    if (c->from == c->to && n.literal == LIT_TYPED)
        return v;
    uint64_t bits = ir_const_bits(c->from, v);
    ir_value r = ir_literal(c->to, (literal_kind)n.literal, bits);
    c->failed = c->failed || !r;
    ir_value_at(c->to, r)->type = r ? ir_clone_type(c, n.type) : 0;
    return r;
}

/* What is used from outside the copied part stands for itself inside one module; from another
 * module that is a failure. */
ir_value ir_clone_operand(ir_cloner *c, ir_value v)
{
    const value_node n = *ir_value_at(c->from, v);
    ir_value to = find(&c->values, v);
    if (to)
        return to;
    if (n.kind == V_CONST)
        return clone_constant(c, v, n);
    c->failed = c->failed || c->from != c->to;
    return v;
}

/* ---- operations ---- */

/* Places are offsets into the context's sources, which both modules share; other positions are
 * entries of one module's table. */
static uint32_t clone_loc(ir_cloner *c, uint32_t loc)
{
    if (c->from == c->to || loc == 0 || loc & LOC_PLACE)
        return loc;
    return ir_add_loc(c->to, ir_loc_at(c->from, loc));
}

/* The list is walked by a copy of its entry, since setting may move the vector when both modules
 * are the same. */
static bool clone_list(ir_cloner *c, const attributes *all, subject from, attributes *into,
                       subject to)
{
    bool ok = true;
    for (uint32_t i = ir_attr_first(all, from); ok && i;) {
        attribute a = all->all.at[i];
        i = a.next;
        ok = ir_attr_set(memory(c), into, to, a);
    }
    return ok;
}

static bool clone_attributes(ir_cloner *c, subject from, subject to)
{
    return clone_list(c, &c->from->attrs, from, &c->to->attrs, to) &&
           clone_list(c, &c->from->props, from, &c->to->props, to);
}

/* Inner binders get variables of their own in each copy, so that two copies never bind one
 * variable. */
static ir_tvar clone_tvar(ir_cloner *c, ir_tvar v, ir_func f)
{
    const tvar_node n = c->from->tvars.at[v];
    ir_tvar r = ir_add_tvar(c->to, f, n.name, n.is_level, (kind)n.kind);
    if (!r)
        return 0;
    c->to->tvars.at[r].annotated = n.annotated;
    ir_cloner_tvar(c, v, n.is_level ? level_var(r) : type_var(c->to, r));
    return r;
}

/* The instance of a call, or new variables for those that an fn binds. */
static uint32_t clone_inst(ir_cloner *c, uint32_t inst, bool binds, ir_func f)
{
    uint32_t ntypes = c->from->pool.at[inst], nlevels = c->from->pool.at[inst + 1];
    uint32_t at = c->scratch.len;
    for (uint32_t i = 0; i < ntypes + nlevels; i++) {
        uint32_t x = c->from->pool.at[inst + 2 + i];
        x = binds ? clone_tvar(c, x, f) : i < ntypes ? ir_clone_type(c, x) : ir_clone_level(c, x);
        if (!x || !vec_push(memory(c), &c->scratch, x))
            return 0;
    }
    const uint32_t *items = c->scratch.at + at;
    uint32_t r = ir_add_inst(c->to, items, ntypes, items + ntypes, nlevels);
    c->scratch.len = at;
    return r;
}

/* 0 for a function of another module that nothing stands for. */
static ir_func clone_callee(ir_cloner *c, ir_func f)
{
    ir_func to = find(&c->funcs, f);
    return to || c->from != c->to ? to : f;
}

/* Bytes are those of the context, extents numbers: both mean the same in every module of it. */
static uint32_t clone_data(ir_cloner *c, ir_op o)
{
    ir_data d = ir_op_data(c->from, o);
    uint32_t extents[MAX_RANK];
    memcpy(extents, d.extents, d.rank * sizeof *extents); /* adding may move the pool */
    return d.rank ? ir_add_data(c->to, extents, d.rank, d.bytes) : 0;
}

/* Attribute and instance, which come behind the operation's making, as they need the region it
 * stands in. */
static bool clone_attr(ir_cloner *c, ir_op of, const op_node *from, ir_op o)
{
    attr_kind k = (attr_kind)ir_op_info(from->opcode)->attr;
    bool binds = k == ATTR_BIND;
    uint32_t attr = k == ATTR_LEVEL                    ? ir_clone_level(c, from->attr)
                    : k == ATTR_TYPE || k == ATTR_DATA ? ir_clone_type(c, from->attr)
                    : k == ATTR_CALL                   ? clone_callee(c, from->attr)
                                                       : 0;
    ir_func f = ir_region_at(c->to, ir_op_at(c->to, o)->parent)->func;
    uint32_t inst = k == ATTR_DATA                            ? clone_data(c, of)
                    : from->inst && (binds || k == ATTR_CALL) ? clone_inst(c, from->inst, binds, f)
                                                              : 0;
    op_node *to = ir_op_at(c->to, o);
    if (k != ATTR_NONE && !binds)
        to->attr = attr;
    to->inst = inst;
    return (k == ATTR_NONE || binds || attr) && (inst || !from->inst);
}

static bool clone_params(ir_cloner *c, ir_region from, ir_region into)
{
    const region_node r = *ir_region_at(c->from, from);
    for (uint32_t i = 0; i < r.nparams; i++) {
        const value_node p = *ir_value_at(c->from, r.params + i);
        ir_value v = ir_add_param(c->to, into, ir_clone_type(c, p.type), p.name, p.annotated);
        if (!v)
            return false;
        ir_cloner_value(c, r.params + i, v);
    }
    return true;
}

/* The parameters and operations of a region into an empty one. */
static bool clone_region(ir_cloner *c, ir_region from, ir_region into)
{
    if (!clone_params(c, from, into))
        return false;
    for (ir_op o = ir_region_at(c->from, from)->first; o; o = ir_op_at(c->from, o)->next)
        if (!ir_clone_op(c, o, into))
            return false;
    return true;
}

/* The operation with its operands and empty regions. */
static ir_op clone_alone(ir_cloner *c, const op_node *n, ir_region into)
{
    uint32_t at = c->scratch.len;
    for (uint32_t k = 0; k < n->nargs; k++)
        if (!vec_push(memory(c), &c->scratch, ir_clone_operand(c, c->from->pool.at[n->args + k])))
            return 0;
    ir_op o = ir_add_op(c->to, into, (opcode)n->opcode, c->scratch.at + at, n->nargs,
                        clone_loc(c, n->loc));
    c->scratch.len = at;
    return o;
}

/* The result has the type and the name of the one it is a copy of. */
static void clone_result(ir_cloner *c, ir_value from, ir_value to)
{
    if (!to)
        return;
    const value_node n = *ir_value_at(c->from, from);
    ir_type t = ir_clone_type(c, n.type);
    value_node *r = ir_value_at(c->to, to);
    r->type = t;
    r->name = n.name;
    r->annotated = n.annotated;
    ir_cloner_value(c, from, to);
}

/* Its regions before its result: a result is not visible inside its own operation. */
static ir_op clone_with(ir_cloner *c, ir_op from, ir_region into,
                        bool region(ir_cloner *, ir_region, ir_region))
{
    const op_node n = *ir_op_at(c->from, from);
    ir_op o = clone_alone(c, &n, into);
    bool ok = o && clone_attr(c, from, &n, o) && (!ir_copies(c->from, from) || ir_let_copy(c->to, o)) &&
              clone_attributes(c, (subject){ON_OP, from}, (subject){ON_OP, o});
    for (uint32_t i = 0; ok && i < ir_op_info(n.opcode)->regions; i++)
        ok = region(c, n.regions + i, ir_op_at(c->to, o)->regions + i);
    if (ok)
        clone_result(c, n.result, ir_op_at(c->to, o)->result);
    c->failed = c->failed || !ok;
    return c->failed ? 0 : o;
}

ir_op ir_clone_op(ir_cloner *c, ir_op from, ir_region into)
{
    return clone_with(c, from, into, clone_region);
}

ir_op ir_clone_shell(ir_cloner *c, ir_op from, ir_region into)
{
    return clone_with(c, from, into, clone_params);
}

ir_value ir_clone_body(ir_cloner *c, ir_region from, ir_region into)
{
    ir_op last = ir_region_at(c->from, from)->last;
    for (ir_op o = ir_region_at(c->from, from)->first; o && o != last;
         o = ir_op_at(c->from, o)->next)
        if (!ir_clone_op(c, o, into))
            return 0;
    ir_value v = ir_clone_operand(c, ir_arg(c->from, last, 0));
    return c->failed ? 0 : v;
}

/* ---- functions ---- */

/* Type parameters before level parameters, as they were, so that instances of the original fit the
 * copy. */
static bool clone_tparams(ir_cloner *c, const func_node *n, ir_func f)
{
    for (uint32_t i = 0; i < (uint32_t)n->ntypes + n->nlevels; i++) {
        const tvar_node v = c->from->tvars.at[n->tparams + i];
        ir_tvar r = ir_add_func_tvar(c->to, f, v.name, v.is_level, (kind)v.kind);
        if (!r)
            return false;
        c->to->tvars.at[r].annotated = v.annotated;
        ir_cloner_tvar(c, n->tparams + i, v.is_level ? level_var(r) : type_var(c->to, r));
    }
    return true;
}

ir_func ir_clone_func(ir_cloner *c, ir_func f, str_id name)
{
    const func_node n = *ir_func_at(c->from, f);
    ir_func r = ir_add_func(c->to, name, n.kernel, clone_loc(c, n.loc));
    bool ok = r && clone_tparams(c, &n, r) &&
              clone_attributes(c, (subject){ON_FUNC, f}, (subject){ON_FUNC, r}) &&
              clone_region(c, n.body, ir_func_at(c->to, r)->body);
    ir_type result = ok ? ir_clone_type(c, n.result) : 0;
    ir_func_at(c->to, r)->result = result;
    ir_func_at(c->to, r)->result_annotated = n.result_annotated;
    c->failed = c->failed || !ok;
    return c->failed ? 0 : r;
}
