/* The driver of the type checker: see check.h.
 *
 * Verifies, orders the functions callee before caller, then types each function in one walk over
 * its regions, operation by operation, and lets the level analysis follow.  Wrong annotations are
 * unknown types while the check runs, so that one mistake is reported once; they are restored at
 * the end.
 *
 * Bidirectional in a small way: types are synthesised bottom-up from operands, and what is
 * written (annotations, parameter types) is handed down only to decide literals.  No global
 * inference is needed, since functions are checked callee before caller and state the types of
 * their parameters. */
#include "ir/check/impl.h"
#include "ir/scalar/scalar.h"

#include <string.h>

location check_here(const checker *c)
{
    uint32_t loc = c->op ? ir_op_at(c->m, c->op)->loc : ir_func_at(c->m, c->func)->loc;
    return ir_loc_at(c->m, loc);
}

/* ---- values ---- */

/* Defaults are those of the language: int, and double for what has a point.  0 when the literal
 * does not fit, which is reported. */
ir_type check_settle_literal(checker *c, ir_value v, literal_kind k, ir_type want)
{
    scalar s = type_as_scalar(c->m, want);
    if (s == ST_NONE)
        s = k == LIT_FLOAT ? ST_F64 : ST_I32;
    return check_decide_literal(c, v, s) ? ir_value_at(c->m, v)->type : 0;
}

ir_type check_written_type(const checker *c, ir_op o)
{
    const value_node *n = ir_value_at(c->m, ir_op_at(c->m, o)->result);
    return n->annotated ? n->type : 0;
}

/* An unknown type agrees with everything.  Of a scheme an instance may be asked for (rules 14 to
 * 16); the other way round never. */
bool check_agree(checker *c, ir_type actual, ir_type wanted)
{
    if (actual == wanted || !actual || !wanted)
        return true;
    const type_node *a = ir_type_at(c->m, actual), *w = ir_type_at(c->m, wanted);
    return a->kind == TY_FORALL && w->kind != TY_FORALL && check_instance_agrees(c, actual, wanted);
}

/* ---- regions ---- */

/* Makes a wrongly annotated value unknown for the rest of the check; checker_free puts the
 * annotation back, since the module's text must not change by being checked. */
static void poison(checker *c, ir_value v)
{
    value_node *n = ir_value_at(c->m, v);
    poisoned p = {.value = v, .written = n->type};
    if (vec_push(&c->cx->mem, &c->poisoned, p))
        n->type = 0;
}

static bool only_level_differs(const checker *c, ir_type x, ir_type y)
{
    const type_node *a = ir_type_at(c->m, x), *b = ir_type_at(c->m, y);
    return a->kind == TY_PUSH && b->kind == TY_PUSH && a->a == b->a && a->n == b->n;
}

/* The most frequent mistake with levels, joining parts two levels below, gets words of its own. */
static void report_annotation(checker *c, ir_op o, ir_type t, ir_type written)
{
    uint32_t code = ir_op_at(c->m, o)->opcode;
    const char *name = ir_op_info(code)->name;
    if ((code != OP_CONCAT && code != OP_INTERLEAVE) || !only_level_differs(c, t, written)) {
        diag_error(c->cx, DIAG_ANNOTATION, check_here(c),
                   "the result of %s is %s, but %s is written", name, type_str(c->m, t),
                   type_str(c->m, written));
        return;
    }
    diag_error(c->cx, DIAG_LEVEL_STEP, check_here(c),
               "%s raises the level of its parts by exactly one: the result is %s, not %s", name,
               type_str(c->m, t), type_str(c->m, written));
    diag_hint(c->cx, "the levels are thread, warp, block, grid; let the parts be made one level "
                     "below the result");
}

/* The annotation wins where both agree, as it may be an instance of the scheme that came out.  A
 * type that is 0 with no error reported is one that the table refused: too deep or too large. */
static void set_result(checker *c, ir_op o, ir_type t)
{
    ir_value v = ir_op_at(c->m, o)->result;
    value_node *n = ir_value_at(c->m, v);
    if (!t && c->cx->diags.errors == c->errors)
        diag_error(c->cx, DIAG_TOO_DEEP, check_here(c),
                   "the type of this %s nests too deep or is too large",
                   ir_op_info(ir_op_at(c->m, o)->opcode)->name);
    if (!n->annotated)
        n->type = t;
    if (!n->annotated || t == n->type)
        return;
    if (t && check_well_formed(c, n->type)) {
        if (check_agree(c, t, n->type))
            return;
        report_annotation(c, o, t, n->type);
    }
    poison(c, v);
}

/* Recursion follows regions, whose depth the verifier has bounded.  The operation's node is read
 * before its rule runs: rules add types and variables, which moves the vectors. */
void check_region(checker *c, ir_region r)
{
    ir_op outer = c->op;
    for (ir_op o = ir_region_at(c->m, r)->first; o;) {
        const op_node *n = ir_op_at(c->m, o);
        const ir_op next = n->next;
        const bool has_result = ir_op_info(n->opcode)->has_result;
        c->op = o;
        if (c->takes_ints[n->opcode])
            check_int_operands(c, o, ir_op_info(n->opcode));
        ir_type t = check_typing_rules[n->opcode](c, o);
        if (has_result)
            set_result(c, o, t);
        o = next;
    }
    c->op = outer;
}

/* The context that decides a yielded literal is the operation that owns the region, so its rule
 * asks here, behind check_region. */
ir_type check_yielded(checker *c, ir_region r, ir_type want)
{
    ir_op outer = c->op, last = ir_region_at(c->m, r)->last;
    c->op = last;
    ir_type t = settle_arg(c, last, 0, want);
    c->op = outer;
    return t;
}

bool check_yields_literal(const checker *c, ir_region r, literal_kind *k)
{
    return is_literal(c, ir_arg(c->m, ir_region_at(c->m, r)->last, 0), k);
}

/* ---- functions ---- */

typedef struct tparams {
    ir_tvar few[16], *v; /* v: few, or memory of its own */
    uint32_t n;
} tparams;

/* A list for check_open_tvars, which also takes those of an fn, out of the pool.  Released by
 * tparams_free. */
static bool tparams_of(checker *c, ir_func f, tparams *p)
{
    const func_node *fn = ir_func_at(c->m, f);
    p->n = (uint32_t)fn->ntypes + fn->nlevels;
    p->v = p->n <= 16 ? p->few : mem_resize(&c->cx->mem, NULL, 0, p->n * sizeof *p->v);
    if (!p->v)
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        p->v[i] = fn->tparams + i;
    return true;
}

static void tparams_free(checker *c, tparams *p)
{
    if (p->v != p->few)
        mem_free(&c->cx->mem, p->v, p->n * sizeof *p->v);
}

/* What may cross the boundary of a kernel: scalars, arrays of base types, tuples of those. host.h
 * flattens what is accepted; arrays in arrays would need their lengths beside them. */
static bool kernel_param_type(const checker *c, ir_type t, bool inside_array)
{
    const type_node n = *ir_type_at(c->m, t);
    switch ((type_kind)n.kind) {
    case TY_ERROR:
    case TY_SCALAR: return true;
    case TY_TUPLE:
        for (uint32_t i = 0; i < n.n; i++)
            if (!kernel_param_type(c, type_item(c->m, t, i), inside_array))
                return false;
        return true;
    case TY_PULL: return !inside_array && kernel_param_type(c, n.a, true);
    default: return false;
    }
}

bool check_crosses(const checker *c, ir_type t)
{
    return kernel_param_type(c, t, false);
}

/* An unknown parameter is no reason to stop: its uses are unknown then, silently. */
static void check_params(checker *c, ir_func f)
{
    const region_node body = *ir_region_at(c->m, ir_func_at(c->m, f)->body);
    bool kernel = ir_func_at(c->m, f)->kernel;
    for (uint32_t i = 0; i < body.nparams; i++) {
        const value_node *v = ir_value_at(c->m, body.params + i);
        if (!v->type)
            diag_error(c->cx, DIAG_NO_PARAM_TYPE, check_here(c), "parameter %u of @%s needs a type",
                       i + 1, ir_str(c->m, ir_func_at(c->m, f)->name));
        else if (!check_well_formed(c, v->type))
            poison(c, body.params + i);
        else if (kernel && !kernel_param_type(c, v->type, false))
            diag_error(c->cx, DIAG_KERNEL_PARAM, check_here(c),
                       "parameter %u of the kernel @%s cannot be of type %s", i + 1,
                       ir_str(c->m, ir_func_at(c->m, f)->name), type_str(c->m, v->type));
    }
}

static bool holds_push(const checker *c, ir_type t)
{
    const type_node *n = ir_type_at(c->m, t);
    bool holds = n->kind == TY_PUSH;
    for (uint32_t i = 0; n->kind == TY_TUPLE && i < n->n && !holds; i++)
        holds = holds_push(c, type_item(c->m, t, i));
    return holds;
}

static void refuse_scheme(checker *c, ir_type t)
{
    diag_error(c->cx, DIAG_NO_SCHEME, check_here(c),
               "the kernel returns %s, a pull array, which has no iteration scheme, beside push "
               "arrays",
               type_str(c->m, t));
    diag_hint(c->cx, "say how to compute it: %%out = push<grid> ..., and return %%out");
}

static void refuse_result(checker *c, ir_type t)
{
    const type_node n = *ir_type_at(c->m, t);
    diag_error(c->cx, DIAG_KERNEL_RESULT, check_here(c),
               "the kernel returns %s, which is no scalar and no array of base types",
               type_str(c->m, t));
    if (n.kind == TY_PULL && ir_type_at(c->m, n.a)->kind == TY_PULL)
        diag_hint(c->cx, "rows of an array of arrays may differ in length: make an array of more "
                         "axes, as by generate n, m { (i, j) ... }");
}

/* Scalars and arrays, tuples of these; the parts are reported one by one.  pushes: there is a push
 * array among them. */
static void check_kernel_result(checker *c, ir_type t, bool pushes)
{
    const type_node n = *ir_type_at(c->m, t);
    bool pull = n.kind == TY_PULL && kernel_param_type(c, t, false);
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n; i++)
        check_kernel_result(c, type_item(c->m, t, i), pushes);
    if (n.kind == TY_TUPLE || n.kind == TY_ERROR || n.kind == TY_SCALAR || n.kind == TY_PUSH)
        return;
    if (pull && pushes)
        refuse_scheme(c, t);
    else if (!pull)
        refuse_result(c, t);
}

/* Reports at the return, or at the function when its body cannot be walked. */
static void check_kernel(checker *c, ir_func f)
{
    const func_node fn = *ir_func_at(c->m, f);
    c->op = c->structure.bad.at[f] ? 0 : ir_region_at(c->m, fn.body)->last;
    check_kernel_result(c, fn.result, holds_push(c, fn.result));
    c->op = 0;
    if (fn.ntypes || fn.nlevels)
        diag_error(c->cx, DIAG_KERNEL_POLYMORPHIC, check_here(c),
                   "the kernel @%s has type or level parameters", ir_str(c->m, fn.name));
}

/* A wrong annotation of the result is unknown while the body is checked, and put back. */
static void check_body(checker *c, ir_func f)
{
    func_node *fn = ir_func_at(c->m, f);
    if (!fn->result_annotated)
        fn->result = 0;
    check_params(c, f);
    ir_type written = fn->result;
    if (written && !check_well_formed(c, written))
        fn->result = 0;
    if (!c->structure.bad.at[f])
        check_region(c, fn->body);
    c->op = 0;
    if (fn->kernel)
        check_kernel(c, f);
    if (written)
        fn->result = written;
}

/* Kinds are inferred by the way: variables start without one and are TYP at the end if nothing
 * narrowed them.  The levels come behind, since they need all types of the body, and what is
 * overwritten last, where nothing is wrong. */
static void check_function(checker *c, ir_func f)
{
    tparams p;
    uint32_t errors = c->cx->diags.errors;
    if (!tparams_of(c, f, &p))
        return;
    c->func = f;
    c->op = 0;
    check_open_tvars(c, p.v, p.n, true);
    check_infer_kinds_start(c, p.v, p.n);
    check_body(c, f);
    check_tunable(c, f);
    check_block(c, f);
    check_infer_kinds_end(c, p.v, p.n);
    check_open_tvars(c, p.v, p.n, false);
    if (!c->structure.bad.at[f])
        check_levels_function(c, f);
    if (!c->structure.bad.at[f] && c->cx->diags.errors == errors)
        check_consumed_function(c, f);
    tparams_free(c, &p);
}

/* Where no type is written, what is returned says it. */
ir_type check_rule_RETURN(checker *c, ir_op o)
{
    func_node *fn = ir_func_at(c->m, c->func);
    ir_type t = settle_arg(c, o, 0, fn->result);
    if (!fn->result_annotated) {
        fn->result = t;
    } else if (!check_agree(c, t, fn->result)) {
        diag_error(c->cx, DIAG_RESULT_TYPE, check_here(c),
                   "@%s is declared to return %s, but this is %s", ir_str(c->m, fn->name),
                   type_str(c->m, fn->result), type_str(c->m, t));
    }
    return 0;
}

/* ---- callee before caller ---- */

enum { NEW, ACTIVE, DONE };

typedef struct visit {
    ir_func func;
    uint32_t edge; /* next of its calls */
} visit;

typedef struct ordering {
    vec_u32 first; /* by function: its first call */
    VEC(visit) stack;
} ordering;

/* In a circle of calls, which was reported, a callee with written types can still be used. */
bool check_function_known(const checker *c, ir_func f)
{
    const func_node *fn = ir_func_at(c->m, f);
    return c->state.at[f] == DONE || (fn->result_annotated && fn->ntypes + fn->nlevels == 0);
}

/* The stack from the callee on is the circle. */
static void report_cycle(checker *c, const ordering *g, const call_edge *e)
{
    vec_char names = {0};
    uint32_t i = g->stack.len;
    while (i-- > 0 && g->stack.at[i].func != e->callee)
        ;
    for (; i < g->stack.len; i++)
        text_addf(&c->cx->mem, &names, "@%s, ",
                  ir_str(c->m, ir_func_at(c->m, g->stack.at[i].func)->name));
    diag_error(c->cx, DIAG_CALL_CYCLE, ir_op_loc(c->m, e->op),
               "this call closes a circle of calls: %s@%s", text_cstr(&c->cx->mem, &names),
               ir_str(c->m, ir_func_at(c->m, e->callee)->name));
    diag_hint(c->cx, "there is no recursion: repeat with while");
    vec_free(&c->cx->mem, &names);
}

/* The calls of f begin at first[f] and end where those of the next function begin. */
static bool index_calls(checker *c, ordering *g)
{
    uint32_t n = c->m->funcs.len, e = 0;
    if (!vec_reserve(&c->cx->mem, &g->first, (uint64_t)n + 1) ||
        !ir_zeroed_bytes(&c->cx->mem, &c->state, n) || !ir_zeroed_bytes(&c->cx->mem, &c->emits, n))
        return false;
    for (ir_func f = 0; f <= n; f++) {
        while (e < c->structure.calls.len && c->structure.calls.at[e].caller < f)
            e++;
        g->first.at[g->first.len++] = e;
    }
    return true;
}

/* One step of a depth-first search with a stack of its own: the next call of the function on top,
 * or, behind its last call, the function itself.  A call of one that is ACTIVE closes a circle. */
static void visit_step(checker *c, ordering *g)
{
    visit *v = &g->stack.at[g->stack.len - 1];
    if (v->edge == g->first.at[v->func + 1]) {
        check_function(c, v->func);
        c->state.at[v->func] = DONE;
        g->stack.len--;
        return;
    }
    const call_edge *e = &c->structure.calls.at[v->edge++];
    if (c->state.at[e->callee] == ACTIVE)
        report_cycle(c, g, e);
    if (c->state.at[e->callee] == NEW &&
        vec_push(&c->cx->mem, &g->stack, ((visit){e->callee, g->first.at[e->callee]})))
        c->state.at[e->callee] = ACTIVE;
}

static void check_functions(checker *c)
{
    ordering g = {0};
    if (index_calls(c, &g))
        for (ir_func f = 1; f < c->m->funcs.len; f++) {
            if (c->state.at[f] == NEW &&
                vec_push(&c->cx->mem, &g.stack, ((visit){f, g.first.at[f]})))
                c->state.at[f] = ACTIVE;
            while (g.stack.len)
                visit_step(c, &g);
        }
    vec_free(&c->cx->mem, &g.first);
    vec_free(&c->cx->mem, &g.stack);
}

/* Whether an operator has operands that are ints by their kind. */
static bool takes_ints(const op_info *info)
{
    uint32_t n = info->max_args == OPERANDS_MANY ? info->min_args : info->max_args;
    for (uint32_t k = 0; k < n; k++)
        if (ir_operand_kind(info, k, n)->is_int)
            return true;
    return false;
}

static bool checker_init(checker *c, ir_module *m)
{
    mem *mm = &m->cx->mem;
    *c = (checker){.m = m, .cx = m->cx, .stamp = 1, .errors = m->cx->diags.errors};
    for (int s = ST_NONE + 1; s < ST_COUNT; s++) {
        c->scalars[s] = type_scalar(m, (scalar)s);
        for (int k = CLASS_ANY; k <= CLASS_SEL; k++)
            c->accepted[k] |= (uint32_t)scalar_accepts((operand_class)k, (scalar)s) << s;
    }
    for (uint32_t op = SOP_END; op < OP_END; op++)
        c->takes_ints[op] = takes_ints(ir_op_info(op));
    c->t_int = c->scalars[ST_I32];
    c->t_bool = c->scalars[ST_BOOL];
    c->t_double = c->scalars[ST_F64];
    if (!ir_zeroed_bytes(mm, &c->open, m->tvars.len) ||
        !vec_reserve(mm, &c->kind_locs, m->tvars.len))
        return false;
    memset(c->kind_locs.at, 0, m->tvars.len * sizeof *c->kind_locs.at);
    c->kind_locs.len = m->tvars.len;
    return check_levels_init(c) && check_consumed_init(c);
}

/* Annotations that were unknown meanwhile are put back first. */
static void checker_free(checker *c)
{
    mem *mm = &c->cx->mem;
    for (uint32_t i = 0; i < c->poisoned.len; i++)
        ir_value_at(c->m, c->poisoned.at[i].value)->type = c->poisoned.at[i].written;
    check_levels_free(c);
    check_consumed_free(c);
    ir_verified_free(c->m, &c->structure);
    vec_free(mm, &c->open);
    vec_free(mm, &c->state);
    vec_free(mm, &c->emits);
    vec_free(mm, &c->kind_locs);
    vec_free(mm, &c->facts);
    vec_free(mm, &c->poisoned);
    vec_free(mm, &c->bindings);
    vec_free(mm, &c->tvars_of);
}

/* Types only follow where the structure is right; functions that are bad are skipped one by one. */
static bool check_module(ir_module *m, bool lets_copy)
{
    checker c;
    if (checker_init(&c, m)) {
        c.lets_copy = lets_copy;
        ir_verify_module(m, &c.structure);
        if (c.structure.bad.len == m->funcs.len)
            check_functions(&c);
    }
    checker_free(&c);
    m->checked = m->cx->diags.errors == c.errors && !m->cx->mem.oom;
    if (m->checked)
        ir_accept_literals(m);
    return m->checked;
}

bool ir_check(ir_module *m)
{
    return m->checked || check_module(m, false);
}

bool ir_check_copies(ir_module *m)
{
    return check_module(m, true);
}
