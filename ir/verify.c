/* The verifier: the structure of a module, before anybody looks at types.
 *
 * Walks every function from its body with a stack of its own, each region once.  A value is visible
 * while it is defined and its region is open, so that one byte per value and per region decide it.
 * Errors mark the function as bad; the walk goes on, so that all of them are reported.  Linear in
 * the module.
 *
 * What it accepts may be walked by recursion, since regions nest no deeper than the limit; that
 * is why this walk itself has a stack of its own.  The checker's types come after it
 * (ir/check/check.c): a function that is bad here is not typed. */
#include "ir/check/impl.h"
#include "ir/data.h"

#include <string.h>

typedef struct open_region {
    ir_region region;
    ir_op next, pending; /* pending: its regions are being walked, its result is not defined yet */
    uint32_t depth;
    bool started;
} open_region;

enum { UNSEEN, OPEN, CLOSED };

typedef struct walker {
    ir_module *m;
    verified *out;
    vec_u32 home;        /* by value: the region that has defined it; 0: not yet */
    vec_u8 regions, ops; /* by region; by operation */
    VEC(open_region) stack;
    ir_func func;
    bool ok;
} walker;

bool ir_zeroed_bytes(mem *mm, vec_u8 *v, uint32_t n)
{
    if (!vec_reserve(mm, v, n))
        return false;
    memset(v->at, 0, n);
    v->len = n;
    return true;
}

static bool zeroed_words(mem *mm, vec_u32 *v, uint32_t n)
{
    if (!vec_reserve(mm, v, n))
        return false;
    memset(v->at, 0, n * sizeof *v->at);
    v->len = n;
    return true;
}

#define REFUSE(w, code, loc, ...)                                                                  \
    (mark_bad(w), diag_error((w)->m->cx, DIAG_##code, loc, __VA_ARGS__))

static void mark_bad(walker *w)
{
    w->ok = false;
    if (w->func < w->out->bad.len)
        w->out->bad.at[w->func] = 1;
}

static location func_loc(const walker *w)
{
    return ir_loc_at(w->m, ir_func_at(w->m, w->func)->loc);
}

static const char *op_name(const walker *w, ir_op o)
{
    return ir_op_info(ir_op_at(w->m, o)->opcode)->name;
}

/* Where to complain about a region: at its operation, or at the function. */
static location region_loc(const walker *w, ir_region r)
{
    ir_op owner = ir_region_at(w->m, r)->owner;
    return owner ? ir_op_loc(w->m, owner) : func_loc(w);
}

/* ---- operands ---- */

static bool visible(const walker *w, ir_value v)
{
    const value_node *n = &w->m->values.at[v];
    return n->kind == V_CONST || w->regions.at[w->home.at[v]] == OPEN;
}

static void refuse_operand(walker *w, ir_op o, uint32_t k)
{
    ir_module *m = w->m;
    ir_value v = ir_arg(m, o, k);
    location loc = ir_op_loc(m, o);
    str_id name = ir_value_name(m, v);
    if (v == 0 || v >= m->values.len || ir_value_at(m, v)->type >= m->types.len)
        REFUSE(w, MALFORMED, loc, "operand %u of %s does not exist", k + 1, op_name(w, o));
    else if (name)
        REFUSE(w, NOT_VISIBLE, loc,
               "%%%s cannot be used here: it is not defined before this %s, or only inside another "
               "region",
               ir_str(m, name), op_name(w, o));
    else
        REFUSE(w, NOT_VISIBLE, loc,
               "operand %u of %s cannot be used here: it is not defined before, or only inside "
               "another region",
               k + 1, op_name(w, o));
}

static void check_operands(walker *w, ir_op o, const op_node *n)
{
    const ir_module *m = w->m;
    const ir_value *args = m->pool.at + n->args;
    for (uint32_t k = 0; k < n->nargs; k++)
        if (args[k] == 0 || args[k] >= m->values.len ||
            m->values.at[args[k]].type >= m->types.len || !visible(w, args[k]))
            refuse_operand(w, o, k);
}

static void check_arity(walker *w, ir_op o, const op_node *node, const op_info *info)
{
    uint32_t n = node->nargs;
    if (n >= info->min_args && n <= info->max_args)
        return;
    const char *bound = info->min_args == info->max_args ? ""
                        : n < info->min_args             ? "at least "
                                                         : "at most ";
    uint32_t want = n < info->min_args ? info->min_args : info->max_args;
    REFUSE(w, OPERANDS, ir_op_loc(w->m, o), "%s takes %s%u operand%s, not %u", info->name, bound,
           want, want == 1 ? "" : "s", n);
}

/* ---- attributes ---- */

static bool level_exists(const ir_module *m, ir_level l)
{
    if (level_base(l) == LV_CONST)
        return true;
    return level_base(l) == LV_VAR && level_index(l) < m->tvars.len &&
           m->tvars.at[level_index(l)].is_level;
}

/* The instance or the bound variables at pool index `at` lie inside the pool; false when they do
 * not. */
static bool inst_exists(const ir_module *m, uint32_t at, uint32_t *ntypes, uint32_t *nlevels)
{
    *ntypes = *nlevels = 0;
    if (at == 0)
        return true;
    if (at + 2 > m->pool.len)
        return false;
    *ntypes = m->pool.at[at];
    *nlevels = m->pool.at[at + 1];
    return (uint64_t)at + 2 + *ntypes + *nlevels <= m->pool.len;
}

static bool check_call_attr(walker *w, ir_op o)
{
    ir_module *m = w->m;
    const op_node n = *ir_op_at(m, o);
    uint32_t ntypes, nlevels;
    if (n.attr == 0 || n.attr >= m->funcs.len || !inst_exists(m, n.inst, &ntypes, &nlevels))
        return REFUSE(w, MALFORMED, ir_op_loc(m, o), "%s names a function that does not exist",
                      op_name(w, o));
    const func_node *f = ir_func_at(m, n.attr);
    if ((ntypes && ntypes != f->ntypes) || (nlevels && nlevels != f->nlevels))
        return REFUSE(w, BAD_ATTRIBUTE, ir_op_loc(m, o),
                      "@%s has %u type and %u level parameters, the instance gives %u and %u",
                      ir_str(m, f->name), f->ntypes, f->nlevels, ntypes, nlevels);
    const uint32_t *items = m->pool.at + n.inst + 2;
    for (uint32_t i = 0; n.inst && i < ntypes + nlevels; i++)
        if (i < ntypes ? items[i] == 0 || items[i] >= m->types.len : !level_exists(m, items[i]))
            return REFUSE(w, MALFORMED, ir_op_loc(m, o),
                          "a part of the instance of @%s does not exist", ir_str(m, f->name));
    call_edge e = {.caller = w->func, .callee = n.attr, .op = o};
    return vec_push(&m->cx->mem, &w->out->calls, e);
}

static bool check_bind_attr(walker *w, ir_op o)
{
    ir_module *m = w->m;
    const op_node n = *ir_op_at(m, o);
    uint32_t ntypes, nlevels;
    if (!inst_exists(m, n.inst, &ntypes, &nlevels))
        return REFUSE(w, MALFORMED, ir_op_loc(m, o), "the variables of this fn do not exist");
    for (uint32_t i = 0; i < ntypes + nlevels; i++) {
        ir_tvar v = m->pool.at[n.inst + 2 + i];
        if (v == 0 || v >= m->tvars.len || m->tvars.at[v].is_level != (i >= ntypes))
            return REFUSE(w, MALFORMED, ir_op_loc(m, o), "a variable of this fn does not exist");
    }
    if (nlevels == 0 && ir_region_at(m, n.regions)->nparams == 0)
        return REFUSE(w, NO_PARAMS, ir_op_loc(m, o),
                      "this fn has neither a parameter nor a level parameter");
    return true;
}

static bool check_data_attr(walker *w, ir_op o)
{
    const ir_module *m = w->m;
    const op_node n = *ir_op_at(w->m, o);
    uint32_t count, nlevels;
    if (!inst_exists(m, n.inst, &count, &nlevels) || !n.inst || !count || nlevels)
        return REFUSE(w, MALFORMED, ir_op_loc(m, o), "the elements of this constant do not exist");
    const uint32_t *list = m->pool.at + n.inst + 2;
    if (list[0] >= m->cx->strings.strs.len || n.attr >= m->types.len)
        return REFUSE(w, MALFORMED, ir_op_loc(m, o), "the bytes of this constant do not exist");
    const char *why = ir_data_wrong(m, n.attr, list + 1, count - 1, list[0]);
    return !why || REFUSE(w, BAD_ATTRIBUTE, ir_op_loc(m, o), "the constant %s", why);
}

static bool check_attr(walker *w, ir_op o, const op_info *info)
{
    ir_module *m = w->m;
    const op_node *n = ir_op_at(m, o);
    switch ((attr_kind)info->attr) {
    case ATTR_NONE: return true;
    case ATTR_LEVEL:
        return level_exists(m, n->attr) ||
               REFUSE(w, BAD_ATTRIBUTE, ir_op_loc(m, o), "%s needs a level: %s<block>", info->name,
                      info->name);
    case ATTR_TYPE:
        return (n->attr && n->attr < m->types.len) ||
               REFUSE(w, BAD_ATTRIBUTE, ir_op_loc(m, o), "%s needs a type: %s<int>", info->name,
                      info->name);
    case ATTR_CALL: return check_call_attr(w, o);
    case ATTR_BIND: return check_bind_attr(w, o);
    case ATTR_DATA: return check_data_attr(w, o);
    }
    return false;
}

/* ---- regions ---- */

enum { PARAMS_BY_TYPE = -1 /* decided by the checker */, EXTENTS = 'n' /* in ops.def */ };

/* As the table says: the operator's column `params`. */
static int region_params(const op_node *n, ir_region r)
{
    const op_info *info = ir_op_info(n->opcode);
    char says = info->params[r - n->regions];
    if (says == '=')
        return (int)ir_operands_repeated(info, n->nargs);
    return says == '?' ? PARAMS_BY_TYPE : says - '0';
}

/* The extents of an operation are the dimensions of what it makes. */
static bool check_rank(walker *w, ir_op o, const op_info *info)
{
    const op_node *n = ir_op_at(w->m, o);
    uint32_t rank = ir_operands_repeated(info, n->nargs);
    return rank <= MAX_RANK || ir_operand_kind(info, 0, n->nargs)->letter != EXTENTS ||
           REFUSE(w, NO_RANK, ir_op_loc(w->m, o), "%s of %u dimensions: there are at most %u",
                  op_name(w, o), rank, (unsigned)MAX_RANK);
}

/* The values of a region's parameters exist and are its own. */
static bool params_exist(const walker *w, ir_region r)
{
    const region_node *n = ir_region_at(w->m, r);
    if ((uint64_t)n->params + n->nparams > w->m->values.len || (n->nparams && n->params == 0))
        return false;
    for (uint32_t i = 0; i < n->nparams; i++) {
        const value_node *v = ir_value_at(w->m, n->params + i);
        if (v->kind != V_PARAM || v->def != r || v->type >= w->m->types.len)
            return false;
    }
    return true;
}

static bool check_region_params(walker *w, ir_region r)
{
    const region_node n = *ir_region_at(w->m, r);
    if (!params_exist(w, r))
        return REFUSE(w, MALFORMED, region_loc(w, r), "a region's parameters do not exist");
    int want = n.owner ? region_params(ir_op_at(w->m, n.owner), r) : PARAMS_BY_TYPE;
    if (want != PARAMS_BY_TYPE && (uint32_t)want != n.nparams)
        return REFUSE(w, REGION_PARAMS, region_loc(w, r),
                      "the region of this %s must take %d parameter%s, not %u", op_name(w, n.owner),
                      want, want == 1 ? "" : "s", n.nparams);
    return true;
}

static bool enter_region(walker *w, open_region *f)
{
    ir_module *m = w->m;
    const region_node *n = ir_region_at(m, f->region);
    f->started = true;
    if (f->region >= m->regions.len || n->func != w->func || w->regions.at[f->region] != UNSEEN)
        return REFUSE(w, MALFORMED, region_loc(w, f->region),
                      "a region is missing or belongs to two operations");
    w->regions.at[f->region] = OPEN;
    f->next = n->first;
    if (f->depth > m->cx->limits.region_depth) {
        f->next = 0;
        return REFUSE(w, TOO_DEEP, region_loc(w, f->region), "regions nest deeper than %u",
                      m->cx->limits.region_depth);
    }
    if (!n->first)
        REFUSE(w, NO_TERMINATOR, region_loc(w, f->region),
               "this region is empty: it must end with %s", n->owner ? "yield" : "return");
    if (!check_region_params(w, f->region))
        return false;
    for (uint32_t i = 0; i < n->nparams; i++)
        w->home.at[n->params + i] = f->region;
    return true;
}

/* ---- operations ---- */

static void refuse_end(walker *w, ir_op o, const op_node *n, const op_info *info, bool body)
{
    ir_module *m = w->m;
    const char *end = body ? "return" : "yield";
    if (info->has_result)
        REFUSE(w, NO_TERMINATOR, ir_op_loc(m, o), "this region must end with %s, not with %s", end,
               info->name);
    else if (n->next)
        REFUSE(w, EARLY_END, ir_op_loc(m, n->next), "nothing may follow the %s of a region",
               info->name);
    else
        REFUSE(w, BAD_END, ir_op_loc(m, o), "%s ends with %s",
               body ? "the body of a function" : "a region inside a function", end);
}

/* A terminator is last, what is last is a terminator, and each kind of region has its own. */
static void check_end(walker *w, ir_op o, const op_node *n, const op_info *info)
{
    bool last = n->next == 0;
    if (info->has_result && !last)
        return;
    bool body = ir_region_at(w->m, n->parent)->owner == 0;
    if (info->has_result || !last || (n->opcode == OP_RETURN) != body)
        refuse_end(w, o, n, info, body);
}

static bool op_exists(const walker *w, ir_op o, ir_region r)
{
    const ir_module *m = w->m;
    if (o >= m->ops.len || w->ops.at[o])
        return false;
    const op_node *n = &m->ops.at[o];
    if (n->parent != r || (uint64_t)n->args + n->nargs > m->pool.len)
        return false;
    if (!ir_op_info(n->opcode)->has_result)
        return n->result == 0;
    if (n->result == 0 || n->result >= m->values.len)
        return false;
    const value_node *v = &m->values.at[n->result];
    return v->kind == V_RESULT && v->def == o && v->type < m->types.len;
}

static void push_regions(walker *w, ir_op o, uint32_t count, uint32_t depth)
{
    ir_region first = ir_op_at(w->m, o)->regions;
    for (uint32_t i = count; i-- > 0;) {
        bool own =
            first && first + i < w->m->regions.len && ir_region_at(w->m, first + i)->owner == o;
        if (!own)
            REFUSE(w, MALFORMED, ir_op_loc(w->m, o), "a region of %s is missing", op_name(w, o));
        else if (!vec_push(&w->m->cx->mem, &w->stack,
                           ((open_region){.region = first + i, .depth = depth})))
            w->ok = false;
    }
}

/* Checks one operation; its result becomes visible when the walk comes back from its regions.  Its
 * regions are walked next; then the walk goes on behind it. */
static void check_op(walker *w, ir_op o, const op_node *n, uint32_t depth)
{
    const op_info *info = ir_op_info(n->opcode);
    w->ops.at[o] = 1;
    if (!info->name) {
        REFUSE(w, NO_OPERATOR, ir_op_loc(w->m, o), "there is no operator with number %u",
               n->opcode);
        return;
    }
    check_arity(w, o, n, info);
    check_operands(w, o, n);
    if (info->attr != ATTR_NONE)
        check_attr(w, o, info);
    if (info->regions) {
        check_rank(w, o, info);
        push_regions(w, o, info->regions, depth);
    }
    check_end(w, o, n, info);
}

/* One step of the walk: enters the region on top of the stack, checks its next operation, or leaves
 * it. */
static void step(walker *w)
{
    open_region *f = &w->stack.at[w->stack.len - 1];
    if (!f->started) {
        if (!enter_region(w, f))
            w->stack.len--;
        return;
    }
    if (f->pending)
        w->home.at[w->m->ops.at[f->pending].result] = f->region;
    f->pending = 0;
    ir_op o = f->next;
    if (!o) {
        w->regions.at[f->region] = CLOSED;
        w->stack.len--;
    } else if (!op_exists(w, o, f->region)) {
        REFUSE(w, MALFORMED, region_loc(w, f->region),
               "an operation does not exist or is listed twice");
        f->next = 0;
    } else {
        const op_node *n = &w->m->ops.at[o];
        f->next = n->next;
        f->pending = o;
        check_op(w, o, n, f->depth + 1);
    }
}

static bool tparams_exist(const ir_module *m, const func_node *f)
{
    uint32_t n = (uint32_t)f->ntypes + f->nlevels;
    if (n == 0)
        return true;
    if (f->tparams == 0 || (uint64_t)f->tparams + n > m->tvars.len)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (m->tvars.at[f->tparams + i].is_level != (i >= f->ntypes))
            return false;
    return true;
}

/* All regions of one function; `home` and the marks are by id and stay from function to function,
 * so that a region or an operation that two functions claim is found. */
static void walk_func(walker *w)
{
    const func_node *f = ir_func_at(w->m, w->func);
    if (!tparams_exist(w->m, f) || f->result >= w->m->types.len ||
        ir_region_at(w->m, f->body)->owner || !f->body) {
        REFUSE(w, MALFORMED, func_loc(w), "@%s lacks its parameters or its body",
               ir_str(w->m, f->name));
        return;
    }
    if (!vec_push(&w->m->cx->mem, &w->stack, ((open_region){.region = f->body, .depth = 1})))
        w->ok = false;
    while (w->stack.len)
        step(w);
}

/* Names are interned, so that a table by name finds a second function of the same name; those of
 * one file stand together. */
static void check_names(walker *w)
{
    ir_module *m = w->m;
    uint32_t nstrings = m->cx->strings.strs.len;
    vec_u32 owner = {0};
    if (!vec_reserve(&m->cx->mem, &owner, nstrings)) {
        w->ok = false;
        return;
    }
    memset(owner.at, 0, nstrings * sizeof *owner.at);
    for (w->func = 1; w->func < m->funcs.len; w->func++) {
        str_id name = ir_func_at(m, w->func)->name;
        ir_func other = name < nstrings ? owner.at[name] : 0;
        if (other && ir_func_at(m, other)->import == ir_func_at(m, w->func)->import) {
            REFUSE(w, SAME_NAME, func_loc(w), "there are two functions called @%s",
                   ir_str(m, name));
            diag_note_add(m->cx, ir_loc_at(m, ir_func_at(m, other)->loc), "the other one is here");
        } else if (name < nstrings) {
            owner.at[name] = w->func;
        }
    }
    vec_free(&m->cx->mem, &owner);
}

bool ir_verify_module(ir_module *m, verified *out)
{
    mem *mm = &m->cx->mem;
    walker w = {.m = m, .out = out};
    w.ok =
        ir_zeroed_bytes(mm, &out->bad, m->funcs.len) && zeroed_words(mm, &w.home, m->values.len) &&
        ir_zeroed_bytes(mm, &w.regions, m->regions.len) && ir_zeroed_bytes(mm, &w.ops, m->ops.len);
    if (w.ok) {
        check_names(&w);
        for (w.func = 1; w.func < m->funcs.len; w.func++)
            walk_func(&w);
    }
    vec_free(mm, &w.home);
    vec_free(mm, &w.regions);
    vec_free(mm, &w.ops);
    vec_free(mm, &w.stack);
    return w.ok && !mm->oom;
}

void ir_verified_free(ir_module *m, verified *v)
{
    vec_free(&m->cx->mem, &v->bad);
    vec_free(&m->cx->mem, &v->calls);
}

bool ir_verify(ir_module *m)
{
    verified v = {0};
    bool ok = ir_verify_module(m, &v);
    ir_verified_free(m, &v);
    return ok;
}
