/* Lowering of regions, scalars, tuples and functions: partial evaluation proper.
 *
 * A frame is what it is in an interpreter, with static values in its slots; running a region
 * builds the code of what is not static, in the scope that is open.  A region that runs n times
 * while lowering makes n copies of its code: that is how functions disappear, and why loops are
 * built from one run.  Recursion is bounded by limits.call_depth. */
#include "ir/kernel/lower/value.h"

#include "ir/block.h"
#include "ir/callers.h"
#include "ir/data.h"
#include "ir/host.h"
#include "ir/tunable.h"

static lower_fn *const op_table[OP_END] = {
#define OP(e, ...) [OP_##e] = lower_##e,
#include "ir/ops.def"
#undef OP
};

/* ---- frames ---- */

/* Climbs to the frame of the value's region; none for a value whose region is not being run. */
const sv *lower_frame_value(lowering *L, const frame *f, ir_value v)
{
    const value_node *n = ir_value_at(L->m, v);
    if (n->kind == V_CONST)
        return sv_scalar(L, kb_const(&L->b, type_as_scalar(L->m, n->type), ir_const_bits(L->m, v)));
    ir_region home = ir_value_region(L->m, v);
    while (f && f->region != home)
        f = f->parent;
    return f && f->slots[n->slot] ? f->slots[n->slot] : sv_none();
}

k_id lower_frame_scalar(lowering *L, const frame *f, ir_value v)
{
    return lower_frame_value(L, f, v)->v;
}

uint32_t lower_place(lowering *L, const frame *f, uint32_t loc)
{
    return f && f->call ? f->call : lower_position(L, loc);
}

static bool is_called_from_library(const lowering *L)
{
    uint32_t loc = L->b.loc;
    return loc & LOC_PLACE ? ir_place_in_library(L->m, loc) : ir_in_library(L->m, lower_loc(L));
}

/* Code of a library that was called from elsewhere: what is wrong in it is told of the call. */
static void note_call(lowering *L, frame *f)
{
    const func_node *func = ir_func_at(L->m, ir_region_at(L->m, f->region)->func);
    if (f->parent)
        f->call = f->parent->call;
    else if (ir_place_in_library(L->m, func->loc) && !is_called_from_library(L))
        f->call = L->b.loc;
}

static frame *new_frame(lowering *L, ir_region r, frame *env, const binding *bound)
{
    frame *f = ARENA_NEW(&L->a, frame);
    const sv **slots = ARENA_ARRAY(&L->a, const sv *, ir_region_at(L->m, r)->nslots);
    if (!f || !slots) {
        L->failed = true;
        return NULL;
    }
    *f = (frame){.number = ++L->made,
                 .block = L->block,
                 .region = r,
                 .parent = env,
                 .bound = bound,
                 .slots = slots};
    note_call(L, f);
    return f;
}

uint32_t lower_block_of(const lowering *L, ir_func f)
{
    uint32_t n = ir_block_of(L->m, f), most = L->target.tuning.most_own;
    return !n || !most ? L->block : n < most ? n : most;
}

/* The builder folds, so operators on constants leave no code. */
static const sv *lower_scalar_op(lowering *L, const frame *f, const op_node *n)
{
    k_id x[3] = {0};
    for (uint32_t i = 0; i < n->nargs && i < 3; i++)
        x[i] = lower_frame_scalar(L, f, L->m->pool.at[n->args + i]);
    return sv_scalar(L, kb_scalar(&L->b, (opcode)n->opcode, x[0], x[1], x[2]));
}

static const sv *lower_one(lowering *L, frame *f, ir_op o, const op_node *n)
{
    if (ir_op_info(n->opcode)->is_scalar)
        return lower_scalar_op(L, f, n);
    lower_fn *fn = op_table[n->opcode];
    return fn ? fn(L, f, o) : sv_none();
}

/* Positions follow the operations, and go back to the caller's behind them. */
const sv *lower_run_region(lowering *L, ir_region r, frame *env, const binding *bound,
                           const sv *const *args, uint32_t n)
{
    region_node rn = *ir_region_at(L->m, r);
    if (lower_failed(L))
        return sv_none();
    if (L->depth >= L->m->cx->limits.call_depth) {
        lower_fail(L, DIAG_TOO_DEEP,
                   "more than %u functions and array elements are nested in one another here",
                   L->m->cx->limits.call_depth);
        diag_hint(L->m->cx, "call the functions one after the other, each with what the one before "
                            "gives, or force an array in between");
        return sv_none();
    }
    uint32_t loc = L->b.loc, inner = L->inner, block = L->block;
    L->block = env ? env->block : lower_block_of(L, rn.func);
    frame *f = lower_count_run(L, r) ? new_frame(L, r, env, bound) : NULL;
    if (!f)
        return sv_none();
    L->depth++;
    for (uint32_t i = 0; i < n && i < rn.nparams; i++)
        f->slots[ir_value_at(L->m, rn.params + i)->slot] = args[i];
    const sv *v = sv_none();
    for (ir_op o = rn.first; o && !lower_failed(L); o = ir_op_at(L->m, o)->next) {
        const op_node op = *ir_op_at(L->m, o);
        L->inner = op.loc;
        L->b.loc = lower_place(L, f, op.loc);
        v = lower_one(L, f, o, &op);
        if (op.result) {
            f->slots[ir_value_at(L->m, op.result)->slot] = v;
            lower_note_name(L, v, op.result);
        }
    }
    L->depth--;
    L->b.loc = loc;
    L->inner = inner;
    L->block = block;
    return lower_failed(L) ? sv_none() : v;
}

const sv *lower_run_region1(lowering *L, ir_region r, frame *env, const sv *arg)
{
    return lower_run_region(L, r, env, env->bound, &arg, 1);
}

const sv *lower_YIELD(lowering *L, frame *f, ir_op o)
{
    return lower_frame_value(L, f, ir_arg(L->m, o, 0));
}

const sv *lower_RETURN(lowering *L, frame *f, ir_op o)
{
    return lower_frame_value(L, f, ir_arg(L->m, o, 0));
}

/* ---- scalars and tuples ---- */

/* The scalar type that an operation names, which may be a type parameter with a bound. */
static scalar named_scalar(lowering *L, const frame *f, ir_op o)
{
    ir_type t = ir_op_at(L->m, o)->attr;
    scalar s = type_as_scalar(L->m, t);
    return s ? s : type_as_scalar(L->m, lower_frame_type(L, f, t));
}

const sv *lower_CONVERT(lowering *L, frame *f, ir_op o)
{
    scalar to = named_scalar(L, f, o);
    return sv_scalar(L, kb_convert(&L->b, to, lower_frame_scalar(L, f, ir_arg(L->m, o, 0))));
}

const sv *lower_BITCAST(lowering *L, frame *f, ir_op o)
{
    scalar to = named_scalar(L, f, o);
    return sv_scalar(L, kb_bitcast(&L->b, to, lower_frame_scalar(L, f, ir_arg(L->m, o, 0))));
}

const sv *lower_BLOCKSIZE(lowering *L, frame *f, ir_op o)
{
    (void)f, (void)o;
    return sv_int(L, (int32_t)L->block);
}

const sv *lower_WARPSIZE(lowering *L, frame *f, ir_op o)
{
    (void)f, (void)o;
    return sv_int(L, (int32_t)L->target.facts.warp_size);
}

const sv *lower_LOCALSIZE(lowering *L, frame *f, ir_op o)
{
    const k_device_facts *facts = &L->target.facts;
    uint32_t bytes = facts->local_bytes ? facts->local_bytes : LOCAL_SIZE;
    (void)f, (void)o;
    return sv_int(L, facts->serial ? 0 : (int32_t)(bytes < INT32_MAX ? bytes : INT32_MAX));
}

/* All operands as static values, in the arena. */
static const sv **operands(lowering *L, const frame *f, ir_op o, uint32_t from, uint32_t *n)
{
    *n = ir_op_at(L->m, o)->nargs - from;
    const sv **v = ARENA_ARRAY(&L->a, const sv *, *n ? *n : 1);
    if (!v)
        L->failed = true;
    for (uint32_t i = 0; v && i < *n; i++)
        v[i] = lower_frame_value(L, f, ir_arg(L->m, o, from + i));
    return v;
}

const sv *lower_TUPLE(lowering *L, frame *f, ir_op o)
{
    uint32_t n;
    const sv **items = operands(L, f, o, 0, &n);
    return items ? sv_tuple(L, items, n) : sv_none();
}

/* Tuples cost nothing: taking one apart is a look into a list. */
const sv *lower_PROJ(lowering *L, frame *f, ir_op o)
{
    const sv *t = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    uint64_t k = ir_const_bits(L->m, ir_arg(L->m, o, 1));
    return t->kind == SV_TUPLE && k < t->n ? t->items[k] : sv_none();
}

const sv *lower_ARRAY(lowering *L, frame *f, ir_op o)
{
    sv *a = sv_new(L, SV_PULL, PULL_ITEMS);
    a->items = operands(L, f, o, 0, &a->n);
    a->table = ARENA_NEW(&L->a, const sv *);
    a->rank = 1;
    ir_type t = ir_value_at(L->m, ir_op_at(L->m, o)->result)->type;
    a->type = lower_frame_type(L, f, ir_type_at(L->m, t)->a);
    k_id n = kb_int(&L->b, (int32_t)a->n);
    a->shape = sv_ids(L, &n, 1);
    return a;
}

/* Every element is a node here and in each pass behind.  Where the device's constant memory has no
 * room for a table, it is in global memory, and the plan brings its data
 * (ir/kernel/analysis/tables.c). */
enum { CONSTANT_ELEMENTS = 1 << 22 };

/* An array of its elements: a table where an index is not known (table.c). */
const sv *lower_CONSTANT(lowering *L, frame *f, ir_op o)
{
    ir_data d = ir_op_data(L->m, o);
    (void)f;
    if (d.count > CONSTANT_ELEMENTS) {
        lower_fail(L, DIAG_LOWER_CONSTANT, "this constant has %llu elements, more than %d",
                   (unsigned long long)d.count, CONSTANT_ELEMENTS);
        return sv_none();
    }
    sv *a = sv_new(L, SV_PULL, PULL_ITEMS);
    const sv **items = ARENA_ARRAY(&L->a, const sv *, d.count ? d.count : 1);
    k_id shape[MAX_RANK];
    for (uint32_t i = 0; items && i < d.count; i++)
        items[i] = sv_scalar(L, kb_const(&L->b, d.type, ir_data_element(L->m, &d, i)));
    for (uint32_t i = 0; i < d.rank; i++)
        shape[i] = kb_int(&L->b, (int32_t)d.extents[i]);
    L->failed |= !items;
    a->items = items;
    a->n = items ? (uint32_t)d.count : 0;
    a->table = ARENA_NEW(&L->a, const sv *);
    a->rank = (uint8_t)d.rank;
    a->type = ir_op_at(L->m, o)->attr;
    a->shape = sv_ids(L, shape, d.rank);
    return a;
}

/* ---- functions ---- */

/* Bindings are lists that share their tails, as frames do. */
static const binding *bind(lowering *L, const binding *next, ir_tvar v, uint32_t value)
{
    binding *b = ARENA_NEW(&L->a, binding);
    if (!b) {
        L->failed = true;
        return next;
    }
    *b = (binding){.var = v, .value = value, .next = next};
    return b;
}

/* The k-th level variable that a function region binds, and how many there are. */
static ir_tvar bound_level(const lowering *L, ir_region r, uint32_t k, uint32_t *n)
{
    const region_node *rn = ir_region_at(L->m, r);
    if (!rn->owner) {
        const func_node *fn = ir_func_at(L->m, rn->func);
        *n = fn->nlevels;
        return fn->tparams + fn->ntypes + k;
    }
    uint32_t inst = ir_op_at(L->m, rn->owner)->inst;
    if (!inst) {
        *n = 0;
        return 0;
    }
    *n = L->m->pool.at[inst + 1];
    return k < *n ? L->m->pool.at[inst + 2 + L->m->pool.at[inst] + k] : 0;
}

const sv *lower_call(lowering *L, const function_call *c)
{
    memo_key key;
    lower_result_key(L, &key, c);
    const sv *v = lower_recall(L, &key);
    if (v)
        return v;
    bool clear = L->clear;
    uint32_t block = L->block;
    L->block = c->block;
    v = lower_foreseen_call(L, c);
    v = v ? v : lower_run_region(L, c->region, c->env, c->bound, c->args, c->n);
    L->block = block;
    L->clear = clear;
    lower_remember(L, &key, v);
    return v;
}

static const sv *call(lowering *L, ir_region r, frame *env, const binding *bound,
                      const sv *const *args, uint32_t n)
{
    return lower_call(L, &(function_call){r, env, bound, args, n, L->block});
}

/* A function value with what it has so far; runs when nothing is missing. */
static const sv *function(lowering *L, ir_region r, frame *env, const binding *bound,
                          uint32_t nlevels, const sv *const *args, uint32_t n)
{
    uint32_t wanted;
    bound_level(L, r, 0, &wanted);
    uint32_t params = ir_region_at(L->m, r)->nparams;
    if (nlevels == wanted && n == params && n + nlevels > 0)
        return call(L, r, env, bound, args, n);
    sv *f = sv_new(L, SV_FN, FN_REGION);
    f->region = r;
    f->env = env;
    f->bound = bound;
    f->nlevels = nlevels;
    f->items = ARENA_ARRAY(&L->a, const sv *, n ? n : 1);
    if (!f->items) {
        L->failed = true;
        return sv_none();
    }
    f->n = n;
    for (uint32_t i = 0; i < n; i++)
        f->items[i] = args[i];
    return f;
}

/* A function value with more arguments: it is run, or made anew, as if where it was named. */
static const sv *given(lowering *L, const sv *f, const binding *bound, uint32_t nlevels,
                       const sv *const *args, uint32_t n)
{
    uint32_t block = L->block;
    L->block = f->block;
    const sv *v = function(L, f->region, f->env, bound, nlevels, args, n);
    L->block = block;
    return v;
}

/* A chain's `look` with more arguments. */
static const sv *looked(lowering *L, const sv *f, const sv *const *args, uint32_t n)
{
    if (n == lower_look_arguments(f->records))
        return lower_look(L, f->records, args[0]->v, n > 1 ? args[1]->v : 0);
    sv *more = sv_like(L, f);
    more->items = (const sv **)args;
    more->n = n;
    return more;
}

/* One function may take a few arguments and return another that takes the rest. */
const sv *lower_apply_function(lowering *L, const sv *f, const sv *const *args, uint32_t n)
{
    while (n > 0 && f->kind == SV_FN && !lower_failed(L)) {
        if (f->form == FN_IF) {
            thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
            const sv **copy = ARENA_ARRAY(&L->a, const sv *, n);
            if (!t || !copy)
                return sv_none();
            for (uint32_t i = 0; i < n; i++)
                copy[i] = args[i];
            t[0] = (thunk){.kind = THUNK_APPLY, .of = f->then, .args = copy, .n = n};
            t[1] = (thunk){.kind = THUNK_APPLY, .of = f->other, .args = copy, .n = n};
            return lower_choice(L, f->v, f->from, &t[0], &t[1]);
        }
        bool looks = f->form == FN_LOOK;
        uint32_t all_args =
            looks ? lower_look_arguments(f->records) : ir_region_at(L->m, f->region)->nparams;
        uint32_t room = all_args - f->n, take = n < room ? n : room;
        const sv **all = ARENA_ARRAY(&L->a, const sv *, f->n + take + 1);
        if (!all || take == 0)
            return sv_none();
        for (uint32_t i = 0; i < f->n; i++)
            all[i] = f->items[i];
        for (uint32_t i = 0; i < take; i++)
            all[f->n + i] = args[i];
        f = looks ? looked(L, f, all, f->n + take)
                  : given(L, f, f->bound, f->nlevels, all, f->n + take);
        args += take;
        n -= take;
    }
    return f;
}

/* A closure: the region and the frame, nothing copied. */
const sv *lower_FN(lowering *L, frame *f, ir_op o)
{
    return function(L, ir_op_at(L->m, o)->regions, f, f->bound, 0, NULL, 0);
}

const sv *lower_APPLY(lowering *L, frame *f, ir_op o)
{
    uint32_t n;
    const sv **args = operands(L, f, o, 1, &n);
    return args ? lower_apply_function(L, lower_frame_value(L, f, ir_arg(L->m, o, 0)), args, n)
                : sv_none();
}

/* Rule 27: levels are numbers here, which decide what loops become. */
const sv *lower_LAPPLY(lowering *L, frame *f, ir_op o)
{
    const sv *fn = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    uint32_t n, height = lower_frame_level(L, f, ir_op_at(L->m, o)->attr);
    if (fn->kind != SV_FN || fn->form != FN_REGION)
        return sv_none();
    ir_tvar v = bound_level(L, fn->region, fn->nlevels, &n);
    return given(L, fn, bind(L, fn->bound, v, height), fn->nlevels + 1, fn->items, fn->n);
}

/* What the instance that CALL or FUNC names binds. */
static const binding *instance(lowering *L, const frame *f, const op_node *n, uint32_t *nlevels)
{
    const binding *bound = NULL;
    const func_node fn = *ir_func_at(L->m, n->attr);
    uint32_t ntypes = n->inst ? L->m->pool.at[n->inst] : 0;
    *nlevels = n->inst ? L->m->pool.at[n->inst + 1] : 0;
    for (uint32_t i = 0; i < ntypes; i++)
        bound =
            bind(L, bound, fn.tparams + i, lower_frame_type(L, f, L->m->pool.at[n->inst + 2 + i]));
    for (uint32_t i = 0; i < *nlevels; i++) {
        ir_level l = L->m->pool.at[n->inst + 2 + ntypes + i];
        bound = bind(L, bound, fn.tparams + fn.ntypes + i, lower_frame_level(L, f, l));
    }
    return bound;
}

/* Whether it is a tunable of which something else is said than what its body gives. */
static bool is_tuned(const lowering *L, ir_func f, int32_t *value)
{
    str_id list = L->target.request.tuned;
    return list && ir_tuned(L->m, f, intern_str(&L->m->cx->strings, list), value);
}

/* Every call is inlined: the kernel IR has no functions. */
const sv *lower_CALL(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    uint32_t nargs, nlevels;
    const sv **args = operands(L, f, o, 0, &nargs);
    const binding *bound = instance(L, f, &n, &nlevels);
    ir_region body = ir_func_at(L->m, n.attr)->body;
    int32_t tuned;
    if (is_tuned(L, n.attr, &tuned))
        return sv_int(L, tuned);
    if (args && lower_is_updated(L, n.result)) /* in memory of its own, made by this call alone */
        return lower_run_region(L, body, NULL, bound, args, nargs);
    return args ? call(L, body, NULL, bound, args, nargs) : sv_none();
}

const sv *lower_FUNC(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    uint32_t nlevels;
    const binding *bound = instance(L, f, &n, &nlevels);
    ir_region body = ir_func_at(L->m, n.attr)->body;
    int32_t tuned;
    if (is_tuned(L, n.attr, &tuned))
        return sv_int(L, tuned);
    if (ir_region_at(L->m, body)->nparams == 0)
        return call(L, body, NULL, bound, NULL, 0);
    return function(L, body, NULL, bound, nlevels, NULL, 0);
}
