/* Inference of functions and their application: rules 26, 28 and 29 of the paper.
 *
 * What is known of a function from where it stands is handed down to it (bidirectional propagation,
 * as in Pierce and Turner's local type inference): its parameters have their types before its body
 * is looked at, so that a mistake in the body is reported there and not where the function is used.
 * For the same reason the functions among the arguments of an application are inferred after the
 * other arguments, which mostly say what they are applied to.  What is accepted does not depend on
 * it. */
#include "frontends/fcl/infer/infer.h"

/* ---- functions ---- */

/* How many arguments a function of the type is given. */
static uint32_t arrows(infer *x, ty f)
{
    uint32_t n = 0;
    for (f = ty_inside(x->t, f); ty_at(x->t, f)->kind == T_FUN; n++)
        f = ty_inside(x->t, ty_at(x->t, f)->b);
    return n;
}

/* The parameters of an expected function become those of a written one; what is then expected of
 * its body. */
static ty expect_params(infer *x, const expr *e, ty expected, const expr *given_to)
{
    for (uint32_t i = 0; i < e->nparams; i++) {
        const ty_node n = *ty_at(x->t, ty_inside(x->t, expected));
        if (i && n.kind == T_VAR && n.height < FCL_TYP && !x->failed) /* which is no function */
            infer_too_many_parameters(x, e, given_to, i);
        if (n.kind != T_FUN)
            return 0;
        written_at at = written_pattern(e->params[i]);
        at.around = e;
        at.rest = arrows(x, expected);
        infer_want_type(x, n.a, infer_pattern_type(x, e->params[i]), at);
        expected = n.b;
    }
    return expected;
}

/* Rules 28 and 29.  The level parameters are generic at once: a level function is the only type
 * that binds levels of its own. */
ty infer_fn(infer *x, expr *e, ty expected)
{
    uint32_t scope = x->levels.len;
    written_at body = written_here(AT_BODY, e->args[0]);
    body.around = x->given_to;
    body.k = e->nparams;
    body.rest = x->given_as;
    x->given_to = NULL;
    lv *levels = ARENA_ARRAY(&x->p->mem, lv, e->nlevels + 1);
    for (uint32_t i = 0; levels && i < e->nlevels; i++) {
        levels[i] = lv_rigid(x->t, e->levels[i].name);
        lv_at(x->t, levels[i])->depth = GENERIC;
        infer_push_level_name(x, e->levels[i].name, levels[i]);
    }
    for (uint32_t i = 0; i < e->nparams; i++)
        infer_bind_pattern(x, e->params[i]);
    ty result = e->nlevels ? 0 : expect_params(x, e, expected, body.around);
    ty t = infer_expr_as(x, e->args[0], result);
    if (result)
        infer_want_type(x, t, result, body);
    for (uint32_t i = e->nparams; i-- > 0;) {
        t = ty_fun(x->t, infer_pattern_type(x, e->params[i]), t);
        infer_unbind_pattern(x, e->params[i]);
    }
    for (uint32_t i = e->nlevels; levels && i-- > 0;)
        t = ty_new(x->t, T_LVLFN, t, 0, levels[i]);
    x->levels.len = scope;
    return t;
}

/* ---- application ---- */

/* An argument that waits for the others. */
typedef struct waiting {
    uint32_t k;
    ty wanted, gives; /* what the parameter asks for; what is left when it is there */
} waiting;

typedef struct application {
    infer *x;
    expr *e;
    bool first; /* the arguments were inferred before the head */
    VEC(waiting) functions;
} application;

/* What an application gives may not be at a level above grid. */
static void check_height(infer *x, const expr *head, ty result)
{
    const ty_node n = *ty_at(x->t, ty_inside(x->t, result));
    level_form f = n.kind == T_PUSH ? lv_find(x->t, n.c) : (level_form){0};
    if (!f.var && f.offset > lv_top(x->t))
        infer_above_grid(x, head, n.c);
}

/* Whether it is written as a function, or has one in it that the other arguments say more of. */
static bool is_function(const expr *e)
{
    if (e->kind == EX_FN || e->kind == EX_COMPOSE)
        return true;
    for (uint32_t i = 1; e->kind == EX_APP && i < e->nargs; i++)
        if (e->args[i]->kind == EX_FN || e->args[i]->kind == EX_COMPOSE)
            return true;
    return false;
}

/* Infers argument k where its parameter is of type `wanted`. */
static void take_argument(application *a, uint32_t k, ty wanted, ty gives)
{
    infer *x = a->x;
    expr *arg = a->e->args[k];
    x->given_to = arg->kind == EX_FN ? a->e : NULL;
    x->given_as = k;
    ty t = a->first ? arg->type : infer_expr_as(x, arg, wanted);
    if (infer_want_type(x, t, wanted, written_argument(a->e, k)))
        check_height(x, a->e->args[0], gives);
}

/* Applications, which may say something of the others, come before what is written as a function.
 */
static void take_waiting(application *a)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < a->functions.len; i++) {
            waiting w = a->functions.at[i];
            infer_solve_states(a->x, false);
            if ((a->e->args[w.k]->kind == EX_APP) == (round == 0))
                take_argument(a, w.k, w.wanted, w.gives);
        }
    a->functions.len = 0;
}

/* Applies what is of type f to argument k; the type of what is left. */
static ty apply(application *a, ty f, uint32_t k)
{
    infer *x = a->x;
    expr *arg = a->e->args[k];
    f = ty_inside(x->t, f);
    if (ty_at(x->t, f)->kind != T_FUN) {
        take_waiting(a);
        f = ty_inside(x->t, f);
    }
    const ty_node n = *ty_at(x->t, f);
    if (n.kind == T_VAR && !n.rigid && !n.scalars) {
        ty t = a->first ? arg->type : infer_expr(x, arg), to = ty_fresh(x->t);
        infer_want_type(x, f, ty_fun(x->t, t, to), written_argument(a->e, k));
        return to;
    }
    if (n.kind != T_FUN) {
        if (!a->first)
            infer_expr(x, arg);
        infer_not_applicable(x, a->e, f, k);
        return 0;
    }
    waiting w = {.k = k, .wanted = n.a, .gives = n.b};
    if (is_function(arg))
        vec_push(&x->p->cx->mem, &a->functions, w);
    else
        take_argument(a, k, n.a, n.b);
    return n.b;
}

/* A partial application takes what the expected function takes.  Where they differ, the one who
 * expects it will say so. */
static void expect_rest(infer *x, ty f, ty expected)
{
    for (;;) {
        const ty_node n = *ty_at(x->t, ty_inside(x->t, f)),
                      w = *ty_at(x->t, ty_inside(x->t, expected));
        mismatch why;
        if (n.kind != T_FUN || w.kind != T_FUN || !ty_unify(x->t, n.a, w.a, &why))
            return;
        f = n.b;
        expected = w.b;
    }
}

/* The type of a head that is written as a function: what it is applied to comes first. */
static ty head_after_arguments(application *a)
{
    infer *x = a->x;
    expr *e = a->e;
    a->first = true;
    for (uint32_t k = 1; k < e->nargs; k++)
        infer_expr(x, e->args[k]);
    ty expected = ty_fresh(x->t);
    for (uint32_t k = e->nargs; k-- > 1;)
        expected = ty_fun(x->t, e->args[k]->type, expected);
    return infer_expr_as(x, e->args[0], expected);
}

/* Rule 26, argument by argument, so that a report can say which one is wrong. */
ty infer_application(infer *x, expr *e, ty expected)
{
    application a = {.x = x, .e = e};
    ty f = is_function(e->args[0]) ? head_after_arguments(&a) : infer_expr(x, e->args[0]);
    for (uint32_t k = 1; k < e->nargs; k++)
        f = apply(&a, f, k);
    expect_rest(x, f, expected);
    take_waiting(&a);
    infer_solve_states(x, false);
    infer_solve_shapes(x, false);
    vec_free(&x->p->cx->mem, &a.functions);
    return f;
}

/* (f . g) : a -> c, of f : b -> c and g : a -> b. */
ty infer_composition(infer *x, expr *e, ty expected)
{
    ty a = ty_fresh(x->t), b = ty_fresh(x->t), c = ty_fresh(x->t);
    ty whole = ty_fun(x->t, a, c), f = ty_fun(x->t, b, c), g = ty_fun(x->t, a, b);
    expect_rest(x, whole, expected);
    infer_want_type(x, infer_expr_as(x, e->args[1], g), g, written_operand(e, ".", 1));
    infer_want_type(x, infer_expr_as(x, e->args[0], f), f, written_operand(e, ".", 0));
    return whole;
}
