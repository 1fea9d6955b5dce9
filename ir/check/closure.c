/* Functions in the level analysis: summaries, closures, calls.
 *
 * The summary of a function says what applying it does, in terms of its level parameters and of the
 * atoms of its parameters.  A closure is a known function with the levels and arguments it was
 * given so far; when all are given, the summary is instantiated.  A function that is not known (a
 * parameter, a branch of an if) has stages only: applying it may do what its stage says and
 * whatever its arguments do, and its arguments must keep to thread level, which satisfies every
 * requirement that an unknown body can have.
 *
 * The usual names: a summary is a function's effect type, an atom an effect variable, putting
 * levels and arguments in its instantiation; an unknown function is treated by what may happen
 * at worst. */
#include "ir/check/levels.h"

static mem *memory(checker *c)
{
    return &c->cx->mem;
}

static const summary *summary_of(const checker *c, const closure *k)
{
    return k->inner ? &c->levels->fns.at[k->summary] : &c->levels->funcs.at[k->summary];
}

static ir_type result_type(const checker *c, ir_op o)
{
    return ir_value_at(c->m, ir_op_at(c->m, o)->result)->type;
}

/* A function's level parameters are consecutive variables, those of an fn are listed in the
 * pool. */
static ir_tvar level_param(const checker *c, const summary *s, uint32_t k)
{
    return s->inner ? c->m->pool.at[s->tvars + k] : s->tvars + k;
}

/* ---- substitution ---- */

/* The number of the level parameter that l is built on, nlevels when it is none of the
 * summary's. */
static uint32_t own_level(const checker *c, const summary *s, ir_level l)
{
    uint32_t k = 0;
    if (level_base(l) != LV_VAR)
        return s->nlevels;
    while (k < s->nlevels && level_param(c, s, k) != level_index(l))
        k++;
    return k;
}

static ir_level level_plus(ir_level l, uint32_t by)
{
    while (l && by--)
        l = level_succ(l);
    return l;
}

/* A level of the summary at the levels given; `open` for one that is not given yet.  Of 1+l it is
 * only sure then that it is at most at the top. */
static ir_level put_level(const checker *c, const summary *s, const closure *k, ir_level l,
                          ir_level open)
{
    uint32_t i = own_level(c, s, l);
    if (i == s->nlevels)
        return l;
    if (i < k->nlevels)
        return level_plus(c->levels->data.at[k->data + i], level_offset(l));
    return level_offset(l) ? level_const(LEVEL_TOP) : open;
}

/* The latent of an argument that was given; levels come first in `data`. */
static latent given_latent(const checker *c, const closure *k, uint32_t arg)
{
    const levels *lv = c->levels;
    return lv->latents.at[lv->data.at[k->data + k->nlevels + arg]];
}

/* What one effect of the summary is here. */
static effect_set put_effect(checker *c, const summary *s, const closure *k, effect e,
                             ir_level open)
{
    levels *lv = c->levels;
    if (e.key & ATOM) {
        uint32_t param = (e.key & ~ATOM) / STAGES, stage = (e.key & ~ATOM) % STAGES;
        if (param < s->first_param || param - s->first_param >= s->nparams)
            return check_effect_one(memory(c), &lv->effects, e.key, e.origin);
        return param - s->first_param < k->nargs
                   ? given_latent(c, k, param - s->first_param).stage[stage]
                   : 0;
    }
    ir_level l = put_level(c, s, k, e.key, open);
    return l ? check_effect_one(memory(c), &lv->effects, l, e.origin) : 0;
}

/* Instantiates a set: levels by those given, atoms by the arguments' latents.  Arguments that are
 * not given yet do nothing yet. */
static effect_set put_set(checker *c, const closure *k, effect_set set, ir_level open)
{
    const summary s = *summary_of(c, k);
    effect_table *t = &c->levels->effects;
    uint32_t sum = check_sum_begin(t);
    for (uint32_t i = 0; i < check_effect_count(t, set); i++)
        check_sum_add(memory(c), t, sum, put_effect(c, &s, k, check_effect_at(t, set, i), open));
    return check_sum_end(memory(c), t, sum);
}

/* ---- closures ---- */

/* A closure that was given `nlevels` levels or `nargs` arguments more, which stand at the end of
 * `data` in their place. */
static uint32_t extend(checker *c, const closure *k, const uint32_t *levels_more, uint32_t nlevels,
                       const uint32_t *args, uint32_t nargs)
{
    levels *lv = c->levels;
    closure r = {.summary = k->summary, .inner = k->inner, .data = lv->data.len};
    r.nlevels = k->nlevels + nlevels;
    r.nargs = k->nargs + nargs;
    if (!vec_reserve(memory(c), &lv->data,
                     (uint64_t)r.nlevels + r.nargs + 1)) /* 1: the array exists, even when empty */
        return 0;
    uint32_t *at = lv->data.at + lv->data.len;
    const uint32_t *old = lv->data.at + k->data;
    lv->data.len += r.nlevels + r.nargs;
    for (uint32_t i = 0; i < k->nlevels; i++)
        *at++ = old[i];
    for (uint32_t i = 0; i < nlevels; i++)
        *at++ = levels_more[i];
    for (uint32_t i = 0; i < k->nargs; i++)
        *at++ = old[k->nlevels + i];
    for (uint32_t i = 0; i < nargs; i++)
        *at++ = args[i];
    return vec_push(memory(c), &lv->closures, r) ? lv->closures.len - 1 : 0;
}

/* A level above the top that came out of 1+l. */
static void check_hierarchy(checker *c, effect_set s)
{
    for (uint32_t i = 0; i < check_effect_count(&c->levels->effects, s); i++) {
        effect e = check_effect_at(&c->levels->effects, s, i);
        if ((e.key & ATOM) || check_level_in_hierarchy(e.key))
            continue;
        diag_error(c->cx, DIAG_ABOVE_GRID, check_here(c),
                   "this instance would work at a level above grid");
        diag_note_add(c->cx, ir_op_loc(c->m, e.origin), "this %s would be at level %s",
                      ir_op_info(ir_op_at(c->m, e.origin)->opcode)->name, level_str(c->m, e.key));
        return;
    }
}

/* Checks what the summary requires of the arguments from number `first` on. */
static void check_given(checker *c, const closure *k, uint32_t first)
{
    levels *lv = c->levels;
    const summary s = *summary_of(c, k);
    for (uint32_t i = 0; i < s.nreqs; i++) {
        const requirement r = s.inner ? lv->fn_reqs.at[s.reqs + i] : lv->reqs.at[s.reqs + i];
        uint32_t arg = (r.atom & ~ATOM) / STAGES - s.first_param, stage = (r.atom & ~ATOM) % STAGES;
        ir_level bound = put_level(c, &s, k, r.bound, 0);
        if (arg >= first && arg < k->nargs && bound)
            check_require(c, given_latent(c, k, arg).stage[stage], bound, r.why, r.op);
    }
}

/* What is left to give before the function runs. */
static uint32_t missing(const checker *c, const closure *k)
{
    const summary *s = summary_of(c, k);
    return s->nlevels - k->nlevels + s->nparams - k->nargs;
}

/* How many stages of a type are applications. */
static uint32_t applications(const checker *c, ir_type t)
{
    uint32_t n = 0;
    for (;; t = ir_type_at(c->m, t)->kind == TY_FUN ? ir_type_at(c->m, t)->b
                                                    : ir_type_at(c->m, t)->a) {
        uint8_t k = ir_type_at(c->m, t)->kind;
        if (k != TY_FUN && k != TY_LVLFN && k != TY_FORALL)
            return n;
        n += k != TY_FORALL;
    }
}

/* The stages of a closure of type t for those who do not know it: nothing happens before the last
 * thing is given.  Work at a level that is not given yet is left out where it is an application,
 * since whoever gives the level adds it (lapply_unknown); elsewhere it may be at any level. */
static latent as_unknown(checker *c, uint32_t index, ir_type t)
{
    const closure k = c->levels->closures.at[index];
    latent l = {.closure = index};
    uint32_t at = missing(c, &k) - 1, n = applications(c, t);
    for (uint32_t i = 0; i <= STAGES; i++) {
        const summary *s = summary_of(c, &k);
        uint32_t to = at + i < STAGES ? at + i : STAGES - 1;
        effect_set stage = put_set(c, &k, i == 0 ? s->effect : s->result[i - 1],
                                   at + i < n ? 0 : level_const(LEVEL_TOP));
        l.stage[to] = check_join(c, l.stage[to], stage);
    }
    return l;
}

/* The value of a closure, of type t: what it does if nothing is missing, else itself. */
static latent closure_value(checker *c, uint32_t index, ir_type t)
{
    const closure k = c->levels->closures.at[index];
    latent l = {0};
    if (index == 0)
        return l;
    if (missing(c, &k))
        return as_unknown(c, index, t);
    effect_set s = put_set(c, &k, summary_of(c, &k)->effect, 0);
    check_hierarchy(c, s);
    check_add_effect(c, s);
    for (uint32_t i = 0; i < STAGES; i++)
        l.stage[i] = put_set(c, &k, summary_of(c, &k)->result[i], 0);
    return l;
}

/* ---- application ---- */

/* All stages of all these operands: an unknown function may apply and index them to the end. */
static effect_set args_effect(checker *c, ir_op o, uint32_t first, uint32_t end)
{
    effect_table *t = &c->levels->effects;
    uint32_t sum = check_sum_begin(t);
    for (uint32_t k = first; k < end; k++)
        for (uint32_t i = 0; i < STAGES; i++)
            check_sum_add(memory(c), t, sum, check_latent_of(c, ir_arg(c->m, o, k)).stage[i]);
    return check_sum_end(memory(c), t, sum);
}

/* Applies an unknown function to the operands from `first` on. */
static latent apply_unknown(checker *c, ir_op o, uint32_t first, latent f)
{
    uint32_t n = ir_op_at(c->m, o)->nargs;
    effect_set args = args_effect(c, o, first, n);
    check_require(c, args, level_const(LEVEL_THREAD), WHY_UNKNOWN, o);
    check_add_effect(c, args);
    for (uint32_t k = first; k < n; k++) {
        check_add_effect(c, f.stage[0]);
        f = check_after_use(c, f);
    }
    for (uint32_t k = 0; k < STAGES; k++)
        f.stage[k] = check_join(c, f.stage[k], args);
    return f;
}

/* Gives operands first .. end of o to a closure; the indices of their latents are collected in
 * `data` for a moment. */
static uint32_t give_args(checker *c, uint32_t index, ir_op o, uint32_t first, uint32_t end)
{
    levels *lv = c->levels;
    uint32_t at = lv->data.len, n = end - first;
    const closure k = lv->closures.at[index];
    const summary *s = summary_of(c, &k);
    if (!vec_reserve(memory(c), &lv->data, 2 * (uint64_t)n + s->nlevels + s->nparams))
        return 0;
    for (uint32_t i = first; i < end; i++) {
        ir_value v = ir_arg(c->m, o, i);
        lv->data.at[lv->data.len++] = v < lv->of_value.len ? lv->of_value.at[v] : 0;
    }
    uint32_t r = extend(c, &k, NULL, 0, lv->data.at + at, n);
    if (r)
        check_given(c, &lv->closures.at[r], k.nargs);
    return r;
}

/* A known function takes what it still lacks; what its result is applied to further is unknown. */
void check_work_APPLY(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    latent f = check_latent_of(c, ir_arg(c->m, o, 0));
    uint32_t k = 1;
    if (f.closure) {
        const closure f_closure = c->levels->closures.at[f.closure];
        const summary *s = summary_of(c, &f_closure);
        uint32_t open = s->nparams - f_closure.nargs;
        k = n.nargs - 1u < open ? n.nargs : 1 + open;
        f = s->nlevels == f_closure.nlevels
                ? closure_value(c, give_args(c, f.closure, o, 1, k), result_type(c, o))
                : (latent){0};
    }
    if (k < n.nargs)
        f = apply_unknown(c, o, k, f);
    check_set_latent(c, n.result, f);
}

/* An unknown function at a level: its work may be at that level too, now if nothing else is to be
 * given. */
static latent lapply_unknown(checker *c, ir_op o, latent f)
{
    effect_set s = check_effect_one(memory(c), &c->levels->effects, ir_op_at(c->m, o)->attr, o);
    uint32_t n = applications(c, result_type(c, o));
    check_add_effect(c, f.stage[0]);
    if (n == 0)
        check_add_effect(c, s);
    f = check_after_use(c, f);
    for (uint32_t k = 0; k < STAGES && k < n; k++)
        f.stage[k] = check_join(c, f.stage[k], s);
    return f;
}

/* A closure takes one more level.  An ill-typed one is left alone. */
void check_work_LAPPLY(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    latent f = check_latent_of(c, ir_arg(c->m, o, 0));
    if (!result_type(c, o))
        return;
    if (f.closure)
        f = closure_value(c, extend(c, &c->levels->closures.at[f.closure], &n.attr, 1, NULL, 0),
                          result_type(c, o));
    else
        f = lapply_unknown(c, o, f);
    check_set_latent(c, n.result, f);
}

/* ---- functions of the module ---- */

/* A closure of the function that o names, at the levels of its instance. */
static uint32_t named_closure(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    uint32_t ntypes = n.inst ? c->m->pool.at[n.inst] : 0,
             nlevels = n.inst ? c->m->pool.at[n.inst + 1] : 0;
    const uint32_t *given = n.inst ? c->m->pool.at + n.inst + 2 + ntypes : NULL;
    return extend(c, &(closure){.summary = n.attr}, given, nlevels, NULL, 0);
}

/* With nothing to be given, a function without parameters, it runs here. */
void check_work_FUNC(checker *c, ir_op o)
{
    if (result_type(c, o))
        check_set_latent(c, ir_op_at(c->m, o)->result,
                         closure_value(c, named_closure(c, o), result_type(c, o)));
}

/* Most helpers: their calls need no closure, which keeps checking linear in practice. */
static bool does_nothing(const summary *s)
{
    effect_set any = s->effect | s->nreqs;
    for (uint32_t i = 0; i < STAGES; i++)
        any |= s->result[i];
    return any == 0;
}

/* A call whose instance is incomplete was reported by its typing rule. */
void check_work_CALL(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    const summary *s = &c->levels->funcs.at[n.attr];
    uint32_t nlevels = n.inst ? c->m->pool.at[n.inst + 1] : 0;
    if (does_nothing(s) || nlevels != s->nlevels || n.nargs != s->nparams || !result_type(c, o))
        return;
    uint32_t k = named_closure(c, o);
    if (k && n.nargs)
        k = give_args(c, k, o, 0, n.nargs);
    check_set_latent(c, n.result, closure_value(c, k, result_type(c, o)));
}

/* ---- inner functions ---- */

/* A bound inside an inner fn, for outside of it, where its level parameter may be any level. */
static ir_level weakest(const checker *c, const summary *s, ir_level bound)
{
    return own_level(c, s, bound) < s->nlevels ? level_const(level_offset(bound)) : bound;
}

/* Of the requirements noted since `from`, takes over those on the fn's own parameters. */
static void take_requirements(checker *c, summary *s, uint32_t from)
{
    levels *lv = c->levels;
    s->reqs = lv->fn_reqs.len;
    for (uint32_t i = from; i < lv->reqs.len; i++) {
        requirement *r = &lv->reqs.at[i];
        uint32_t param = (r->atom & ~ATOM) / STAGES;
        bool own = r->atom && param >= s->first_param && param - s->first_param < s->nparams;
        if (!own)
            r->bound = weakest(c, s, r->bound);
        else if (vec_push(memory(c), &lv->fn_reqs, *r))
            r->atom = 0;
    }
    s->nreqs = lv->fn_reqs.len - s->reqs;
}

/* The region is walked once, with atoms for its parameters; what it does to the outside's atoms
 * stays in the summary and passes through when it is applied. */
void check_work_FN(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    levels *lv = c->levels;
    const region_node r = *ir_region_at(c->m, n.regions);
    uint32_t ntypes = n.inst ? c->m->pool.at[n.inst] : 0,
             nlevels = n.inst ? c->m->pool.at[n.inst + 1] : 0;
    summary s = {.inner = true,
                 .tvars = n.inst + 2 + ntypes,
                 .nlevels = nlevels,
                 .first_param = lv->nparams,
                 .nparams = r.nparams};
    uint32_t from = lv->reqs.len;
    for (uint32_t i = 0; i < r.nparams; i++)
        check_name_param(c, r.params + i);
    s.effect = check_region_effect(c, n.regions);
    latent result = check_yielded_latent(c, n.regions);
    for (uint32_t i = 0; i < STAGES; i++)
        s.result[i] = result.stage[i];
    take_requirements(c, &s, from);
    if (!result_type(c, o) || !vec_push(memory(c), &lv->fns, s))
        return;
    uint32_t k = extend(c, &(closure){.summary = lv->fns.len - 1, .inner = true}, NULL, 0, NULL, 0);
    check_set_latent(c, n.result, closure_value(c, k, result_type(c, o)));
}
