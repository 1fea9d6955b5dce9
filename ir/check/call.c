/* Functions: rules 14 to 16 and 24 to 29.
 *
 * A call instantiates the scheme of its function: by the instance that is written, else by what the
 * arguments, and then the written result type, say.  Literal arguments are decided last, by the
 * parameter types that came out. */
#include "ir/check/match.h"

#include <stdio.h>

#define REFUSE(c, code, ...) ((ir_type)diag_error((c)->cx, DIAG_##code, check_here(c), __VA_ARGS__))
#define TEXT(c, t)           type_str((c)->m, t)

/* Without the @. */
static const char *func_name(const checker *c, ir_func f)
{
    return ir_str(c->m, ir_func_at(c->m, f)->name);
}

/* ---- arguments ---- */

/* Unifies parameter and argument; a scheme is instantiated unless a scheme is asked for. */
static bool fits(matcher *u, ir_type param, ir_type arg)
{
    const ir_module *m = u->c->m;
    if (ir_type_at(m, arg)->kind == TY_FORALL &&
        ir_type_at(m, check_matcher_head(u, param))->kind != TY_FORALL)
        arg = check_matcher_open(u, arg);
    return check_matcher_unify(u, param, arg);
}

/* A literal takes the parameter's type as far as it is known by now, else its default.  `number` is
 * the argument's for messages. */
static bool match_arg(matcher *u, ir_op o, uint32_t k, uint32_t number, const char *callee,
                      ir_type param)
{
    checker *c = u->c;
    literal_kind lit;
    ir_value v = ir_arg(c->m, o, k);
    if (is_literal(c, v, &lit) && !settle(c, v, check_matcher_resolve(u, param)))
        return false;
    ir_type arg = ir_value_at(c->m, v)->type;
    if (fits(u, param, arg))
        return true;
    REFUSE(c, ARGUMENT, "argument %u of %s is %s, but %s is asked for", number, callee,
           TEXT(c, arg), TEXT(c, check_matcher_resolve(u, param)));
    return false;
}

/* Every argument against its parameter, literals last. */
static bool match_call_args(matcher *u, ir_op o, const char *callee, ir_value params)
{
    bool ok = true;
    uint32_t n = ir_op_at(u->c->m, o)->nargs;
    for (int literals = 0; literals < 2; literals++)
        for (uint32_t k = 0; k < n; k++) {
            literal_kind lit;
            if (is_literal(u->c, ir_arg(u->c->m, o, k), &lit) == (literals != 0))
                ok =
                    match_arg(u, o, k, k + 1, callee, ir_value_at(u->c->m, params + k)->type) && ok;
        }
    return ok;
}

/* ---- instances ---- */

/* Takes over the instance that is written; false when a part of it is not well-formed.  It is bound
 * before anything is matched, so that an argument that disagrees is reported as an argument.  Level
 * parameters may be left out of it. */
static bool written_instance(matcher *u, ir_op o)
{
    checker *c = u->c;
    uint32_t at = ir_op_at(c->m, o)->inst;
    const func_node f = *ir_func_at(c->m, ir_op_at(c->m, o)->attr);
    bool ok = true;
    if (!at)
        return true;
    uint32_t ntypes = c->m->pool.at[at], nlevels = c->m->pool.at[at + 1];
    for (uint32_t i = 0; i < ntypes; i++) {
        *check_matcher_binding(u, i) = c->m->pool.at[at + 2 + i];
        ok = check_well_formed(c, c->m->pool.at[at + 2 + i]) && ok;
    }
    for (uint32_t i = 0; i < nlevels; i++) {
        *check_matcher_binding(u, (uint32_t)f.ntypes + i) = c->m->pool.at[at + 2 + ntypes + i];
        ok = check_well_formed_level(c, c->m->pool.at[at + 2 + ntypes + i]) && ok;
    }
    return ok;
}

/* Every hole of the function is filled by a type of its kind or by a level that exists.  One that
 * is unbound because an argument's type is unknown is no error of its own. */
static bool check_binding(matcher *u, uint32_t i, ir_func f)
{
    checker *c = u->c;
    const tvar_node v = c->m->tvars.at[u->first + i];
    uint32_t b = *check_matcher_binding(u, i);
    b = v.is_level ? check_matcher_resolve_level(u, b) : check_matcher_resolve(u, b);
    *check_matcher_binding(u, i) = b;
    const char *name = ir_str(c->m, v.name);
    if (!b || (!v.is_level && check_matcher_mentions_hole(u, b))) {
        if (u->unknown)
            return false;
        REFUSE(c, NO_INSTANCE, "nothing says what %s%s of @%s is here", v.is_level ? "" : "'", name,
               func_name(c, f));
        diag_hint(c->cx, "write the instance: @%s<...>", func_name(c, f));
        return false;
    }
    if (v.is_level)
        return check_level_in_hierarchy(b) ||
               REFUSE(c, ABOVE_GRID, "the instance %s := %s of @%s is above grid", name,
                      level_str(c->m, b), func_name(c, f));
    kind k = v.kind == KIND_NONE ? KIND_TYP : (kind)v.kind;
    if (check_has_kind(c, b, k))
        return true;
    REFUSE(c, KIND_INSTANCE, "the instance '%s := %s of @%s is refused: '%s has kind %s", name,
           TEXT(c, b), func_name(c, f), name, ir_kind_name(k));
    check_note_kind(c, u->first + i);
    return false;
}

/* All of them, so that every wrong part is reported. */
static bool check_instance(matcher *u, ir_func f)
{
    bool ok = true;
    for (uint32_t i = 0; i < u->n; i++)
        ok = check_binding(u, i, f) && ok;
    return ok;
}

/* Evaluator, lowering and inlining read the complete instance there; one that is written in full
 * stays as it is. */
static void store_instance(matcher *u, ir_op o, ir_func f)
{
    checker *c = u->c;
    const func_node fn = *ir_func_at(c->m, f);
    uint32_t at = ir_op_at(c->m, o)->inst;
    bool complete = at && c->m->pool.at[at] == fn.ntypes && c->m->pool.at[at + 1] == fn.nlevels;
    if (u->n == 0 || complete)
        return;
    uint32_t *b = check_matcher_binding(u, 0);
    uint32_t inst = ir_add_inst(c->m, b, fn.ntypes, b + fn.ntypes, fn.nlevels);
    ir_op_at(c->m, o)->inst = inst;
}

/* A type that came out of an instance may name a level that does not exist: 1+l with l = grid. */
static ir_type instance_type(checker *c, ir_type t, ir_func f)
{
    if (ir_func_at(c->m, f)->nlevels && !check_levels_exist(c, t))
        return REFUSE(c, ABOVE_GRID,
                      "this instance of @%s would give %s, and there is no level above grid",
                      func_name(c, f), TEXT(c, t));
    return t;
}

/* ---- rule 24 ---- */

/* The written result type is matched after the arguments: it only fills what they left open, and a
 * mismatch is reported as one of the annotation (set_result). */
static ir_type call_type(matcher *u, ir_op o, ir_func f)
{
    checker *c = u->c;
    const func_node fn = *ir_func_at(c->m, f);
    const region_node body = *ir_region_at(c->m, fn.body);
    char callee[80] = "this function";
    const char *name = func_name(c, f);
    snprintf(callee, sizeof callee, "@%s", name);
    bool ok = written_instance(u, o) && match_call_args(u, o, callee, body.params);
    ir_type written = check_written_type(c, o);
    if (ok && written && u->n)
        check_matcher_unify(u, fn.result, written);
    if (!ok || !check_instance(u, f))
        return 0;
    store_instance(u, o, f);
    return instance_type(c, check_matcher_resolve(u, fn.result), f);
}

/* A kernel that hands something out is run, and not called: nobody could tell in which order. */
static bool may_be_called(const checker *c, ir_func f)
{
    return !c->emits.at[f] ||
           REFUSE(c, EMIT_PLACE, "@%s hands something out, so it cannot be called",
                  func_name(c, f));
}

/* All arguments at once; anything less goes through func and apply. */
ir_type check_rule_CALL(checker *c, ir_op o)
{
    ir_func f = ir_op_at(c->m, o)->attr;
    const func_node fn = *ir_func_at(c->m, f);
    uint32_t want = ir_region_at(c->m, fn.body)->nparams, have = ir_op_at(c->m, o)->nargs;
    if (want != have) {
        REFUSE(c, CALL_ARGUMENTS, "@%s takes %u argument%s, not %u", func_name(c, f), want,
               want == 1 ? "" : "s", have);
        if (have < want)
            diag_hint(c->cx, "for a partial application: %%f = func @%s, then apply %%f, ...",
                      func_name(c, f));
        return 0;
    }
    if (!check_function_known(c, f) || !may_be_called(c, f))
        return 0;
    matcher u;
    ir_type t = check_matcher_begin(&u, c, fn.tparams, (uint32_t)fn.ntypes + fn.nlevels)
                    ? call_type(&u, o, f)
                    : 0;
    check_matcher_end(&u);
    return t;
}

/* The parameters and the result as one type, without the type and level parameters.  Rule 28, for
 * all parameters: a -> b -> c. */
static ir_type curried(checker *c, ir_region r, ir_type result)
{
    const region_node n = *ir_region_at(c->m, r);
    for (uint32_t i = n.nparams; i-- > 0;)
        result = type_fun(c->m, ir_value_at(c->m, n.params + i)->type, result);
    return result;
}

/* Only levels are given: the types stay polymorphic. */
static ir_type scheme_at_levels(matcher *u, ir_func f, ir_type t)
{
    checker *c = u->c;
    const func_node fn = *ir_func_at(c->m, f);
    t = check_matcher_resolve(u, t);
    for (uint32_t i = fn.ntypes; i-- > 0;)
        t = type_abstract(c->m, t, fn.tparams + i);
    return t;
}

/* Fills the holes that are left from the written type; false when there is none to tell. */
static bool instance_from_type(matcher *u, ir_op o, ir_type t)
{
    ir_type written = check_written_type(u->c, o);
    uint8_t k = ir_type_at(u->c->m, written)->kind;
    return written && k != TY_FORALL && k != TY_LVLFN && check_matcher_unify(u, t, written);
}

/* In order: a complete instance; one by the written type; levels only; nothing, which gives the
 * whole scheme. */
static ir_type func_type(matcher *u, ir_op o, ir_func f)
{
    checker *c = u->c;
    const func_node fn = *ir_func_at(c->m, f);
    ir_type t = curried(c, fn.body, fn.result);
    uint32_t at = ir_op_at(c->m, o)->inst;
    uint32_t ntypes = at ? c->m->pool.at[at] : 0, nlevels = at ? c->m->pool.at[at + 1] : 0;
    if (!written_instance(u, o))
        return 0;
    bool complete = (ntypes == fn.ntypes && nlevels == fn.nlevels) || instance_from_type(u, o, t);
    if (complete) {
        if (!check_instance(u, f))
            return 0;
        store_instance(u, o, f);
        return instance_type(c, check_matcher_resolve(u, t), f);
    }
    if (check_needs_instance(c, f)) {
        REFUSE(c, NO_INSTANCE,
               "@%s works on scalars of its type parameters, so its types are needed",
               func_name(c, f));
        diag_hint(c->cx, "write the instance: func @%s<...>", func_name(c, f));
        return 0;
    }
    if (nlevels == fn.nlevels)
        return scheme_at_levels(u, f, t);
    if (ntypes)
        return REFUSE(c, NO_INSTANCE,
                      "the instance of @%s gives types, so it must give its levels too",
                      func_name(c, f));
    return type_of_func(c->m, f);
}

/* Rule 24, for a function used as a value. */
ir_type check_rule_FUNC(checker *c, ir_op o)
{
    ir_func f = ir_op_at(c->m, o)->attr;
    const func_node fn = *ir_func_at(c->m, f);
    if (!check_function_known(c, f) || !may_be_called(c, f))
        return 0;
    matcher u;
    ir_type t = check_matcher_begin(&u, c, fn.tparams, (uint32_t)fn.ntypes + fn.nlevels)
                    ? func_type(&u, o, f)
                    : 0;
    check_matcher_end(&u);
    return t;
}

/* ---- rules 28, 29 ---- */

/* All are looked at, so that each one without a type is reported. */
static bool check_fn_params(checker *c, ir_region r)
{
    const region_node n = *ir_region_at(c->m, r);
    bool ok = true;
    for (uint32_t i = 0; i < n.nparams; i++) {
        ir_type t = ir_value_at(c->m, n.params + i)->type;
        if (!t)
            REFUSE(c, NO_PARAM_TYPE, "parameter %u of this fn needs a type", i + 1);
        ok = t && check_well_formed(c, t) && ok;
    }
    return ok;
}

/* An fn is a value, and values do not know the instance that they are used at. */
static bool check_fn_kinds(checker *c, uint32_t inst)
{
    uint32_t ntypes = inst ? c->m->pool.at[inst] : 0;
    for (uint32_t i = 0; i < ntypes; i++) {
        const tvar_node v = c->m->tvars.at[c->m->pool.at[inst + 2 + i]];
        if (v.annotated && ir_kind_is_bound((kind)v.kind))
            return check_refuse_bound(c, (kind)v.kind);
    }
    return true;
}

/* What a fn yields if its result type is written: for a literal there. */
static ir_type written_result(const checker *c, ir_op o, uint32_t nparams)
{
    ir_type t = check_written_type(c, o);
    for (uint32_t i = 0; i < nparams && ir_type_at(c->m, t)->kind == TY_FUN; i++)
        t = ir_type_at(c->m, t)->b;
    return t;
}

/* The variables that it binds are in scope, and their kinds inferred, for the region only; then the
 * type is closed over them, the last one innermost. */
ir_type check_rule_FN(checker *c, ir_op o)
{
    const op_node n = *ir_op_at(c->m, o);
    uint32_t nvars = n.inst ? c->m->pool.at[n.inst] + c->m->pool.at[n.inst + 1] : 0;
    const uint32_t vars_at = n.inst + 2;
    bool kinds = check_fn_kinds(c, n.inst);
    check_open_tvars(c, c->m->pool.at + vars_at, nvars, true);
    check_infer_kinds_start(c, c->m->pool.at + vars_at, nvars);
    bool params = check_fn_params(c, n.regions);
    check_region(c, n.regions);
    ir_type t =
        check_yielded(c, n.regions, written_result(c, o, ir_region_at(c->m, n.regions)->nparams));
    t = params && kinds && t ? curried(c, n.regions, t) : 0;
    check_infer_kinds_end(c, c->m->pool.at + vars_at, nvars);
    check_open_tvars(c, c->m->pool.at + vars_at, nvars, false);
    for (uint32_t i = nvars; t && i-- > 0;)
        t = type_abstract(c->m, t, c->m->pool.at[vars_at + i]);
    return t;
}

/* ---- rules 26, 27 ---- */

/* Kinds of what the scratch variables stand for. */
static bool check_scratch(matcher *u)
{
    checker *c = u->c;
    for (uint32_t i = u->n; i < u->n + u->nscratch; i++) {
        ir_type b = check_matcher_resolve(u, *check_matcher_binding(u, i));
        kind k = (kind)c->m->tvars.at[u->scratch + (i - u->n)].kind;
        if (b && k != KIND_NONE && !check_has_kind(c, b, k))
            return REFUSE(c, KIND_INSTANCE, "the instance by %s is refused: kind %s is asked for",
                          TEXT(c, b), ir_kind_name(k)) != 0;
    }
    return true;
}

/* Says which of the three mistakes it is: a level is missing, no function at all, too many
 * arguments. */
static ir_type not_applicable(checker *c, ir_type f, ir_type rest, uint32_t given)
{
    if (ir_type_at(c->m, rest)->kind == TY_LVLFN) {
        REFUSE(c, NOT_FUNCTION, "%s takes a level before its arguments", TEXT(c, f));
        diag_hint(c->cx, "apply it to a level first: lapply<block> %%f");
        return 0;
    }
    if (given == 0)
        return REFUSE(c, NOT_FUNCTION, "apply needs a function, and this is %s", TEXT(c, f));
    return REFUSE(c, NOT_FUNCTION, "%s takes %u argument%s, and here are more", TEXT(c, f), given,
                  given == 1 ? "" : "s");
}

/* One argument after the other, as the function is curried; fewer than it takes leave a
 * function. */
static ir_type apply_type(matcher *u, ir_op o, ir_type f)
{
    checker *c = u->c;
    ir_type rest = check_matcher_open(u, f);
    for (uint32_t k = 1; k < ir_op_at(c->m, o)->nargs; k++) {
        rest = check_matcher_head(u, rest);
        if (!rest)
            return 0;
        const type_node n = *ir_type_at(c->m, rest);
        if (n.kind != TY_FUN)
            return not_applicable(c, f, rest, k - 1);
        if (!match_arg(u, o, k, k, "this application", n.a))
            return 0;
        rest = n.b;
    }
    if (!check_scratch(u))
        return 0;
    return check_matcher_generalise(u, check_matcher_resolve(u, rest));
}

/* Rule 26, for several arguments. */
ir_type check_rule_APPLY(checker *c, ir_op o)
{
    ir_type f = settle_arg(c, o, 0, 0);
    matcher u;
    ir_type t = f && check_matcher_begin(&u, c, 0, 0) ? apply_type(&u, o, f) : 0;
    if (f)
        check_matcher_end(&u);
    return t;
}

/* Applies the level below the forall types that stand before it, which stay. */
static ir_type apply_level(checker *c, ir_type t, ir_level l)
{
    const type_node n = *ir_type_at(c->m, t);
    if (n.kind == TY_FORALL)
        return type_forall(c->m, (kind)n.n, apply_level(c, n.a, l));
    return n.kind == TY_LVLFN ? type_instantiate(c->m, t, l) : 0;
}

/* Rule 27.  The level may make 1+l a level above grid, which only shows in the type that comes
 * out. */
ir_type check_rule_LAPPLY(checker *c, ir_op o)
{
    ir_type f = settle_arg(c, o, 0, 0), t = f;
    ir_level l = ir_op_at(c->m, o)->attr;
    while (ir_type_at(c->m, t)->kind == TY_FORALL)
        t = ir_type_at(c->m, t)->a;
    bool level = check_well_formed_level(c, l);
    if (!t || !level)
        return 0;
    if (ir_type_at(c->m, t)->kind != TY_LVLFN)
        return REFUSE(c, LEVEL_APPLY,
                      "only a function that takes a level can be applied to one, and this is %s",
                      TEXT(c, f));
    t = apply_level(c, f, l);
    if (!check_levels_exist(c, t))
        return REFUSE(c, ABOVE_GRID,
                      "at level %s this function is %s, and there is no level above grid",
                      level_str(c->m, l), TEXT(c, t));
    return t;
}

/* ---- rules 14 to 16 ---- */

/* Whether `wanted` is an instance of the scheme, with the kinds that it asks for.  Reports kinds
 * only. */
bool check_instance_agrees(checker *c, ir_type scheme, ir_type wanted)
{
    matcher u;
    bool ok = check_matcher_begin(&u, c, 0, 0) &&
              check_matcher_unify(&u, check_matcher_open(&u, scheme), wanted) && check_scratch(&u);
    check_matcher_end(&u);
    return ok;
}
