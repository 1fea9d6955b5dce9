/* The table of what the language offers, and its types: see builtins.h.  Types are written as text,
 * in builtins.def, and read by the parser of the language when a program first uses them. */
#include "frontends/fcl/infer/infer.h"

#include <stdio.h>
#include <string.h>

static const struct {
    builtin_form form;
    unsigned arity;
    const char *name, *type, *old_type, *core;
} rows[] = {
#define BUILTIN(e, name, arity, type, old, core) {BF_##e, arity, name, type, old, core},
#include "frontends/fcl/infer/builtins.def"
#undef BUILTIN
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The scalar operators of the core, as the library lists them. */
static size_t count_operators(void)
{
    fcl_operator op;
    size_t n = 0;
    while (fcl_operator_get(n, &op, sizeof op))
        n++;
    return n;
}

/* A later operator of the same name takes the place of an earlier one. */
static void enter_name(program *p, builtin *b)
{
    program_name_at(p, b->name)->builtin = b;
}

/* The scalar operators first: a row of builtins.def with the name of one takes its place. */
bool infer_builtins_init(program *p)
{
    size_t n = count_operators();
    p->builtins = ARENA_ARRAY(&p->mem, builtin, n + ROWS);
    if (!p->builtins)
        return false;
    fcl_operator op;
    for (size_t i = 0; i < n && fcl_operator_get(i, &op, sizeof op); i++) {
        p->builtins[i] = (builtin){.arity = op.arity,
                                   .core = op.name,
                                   .name = intern_cstr(&p->cx->strings, op.name),
                                   .operands = op.operands,
                                   .gives_bool = op.gives_bool};
        enter_name(p, &p->builtins[i]);
    }
    for (size_t i = 0; i < ROWS; i++) {
        builtin *b = &p->builtins[n + i];
        *b = (builtin){.form = rows[i].form, .arity = rows[i].arity, .core = rows[i].core};
        b->name = intern_cstr(&p->cx->strings, rows[i].name);
        b->type_text = p->old && rows[i].old_type ? rows[i].old_type : rows[i].type;
        b->raises = strstr(b->type_text, "1+l") != NULL;
        enter_name(p, b);
    }
    return !p->cx->mem.oom;
}

/* ---- types ---- */

/* The type of a scalar operator: a -> ... -> a or bool. */
static ty operator_type(infer *x, const builtin *b)
{
    ty a = ty_fresh_scalar(x->t, scalars_of(b->operands)),
       t = b->gives_bool ? x->t->scalar[FCL_BOOL] : a;
    for (unsigned i = b->arity; i-- > 0;)
        t = ty_fun(x->t, b->operands == 'S' && i == 0 ? x->t->scalar[FCL_BOOL] : a, t);
    return t;
}

/* <l> -> t: the explicit level parameter comes first in the scheme. */
static ty read_type(infer *x, builtin *b, lv *explicit_level)
{
    const texpr *w = parse_type_text(x->p, b->type_text);
    if (!w)
        return 0;
    if (w->kind == TX_LVLFN) {
        *explicit_level = lv_fresh(x->t);
        infer_push_level_name(x, w->name, *explicit_level);
        w = w->args[0];
    }
    ty t = infer_annotated_type(x, w, VARS_FREE);
    mismatch why;
    ty_well_formed(x->t, t, &why);
    return t;
}

/* Generalised over scalars too: an operator of the core has an instance for each of its types. */
const scheme *infer_builtin_scheme(program *p, builtin *b)
{
    if (b->scheme)
        return b->scheme;
    infer x = {.p = p, .t = &p->types, .builtin = b, .unknown_levels = VARS_FREE};
    uint32_t depth = x.t->depth;
    lv level = 0;
    x.t->depth = 1;
    ty t = b->type_text ? read_type(&x, b, &level) : operator_type(&x, b);
    x.t->depth = 0;
    b->scheme = ty_generalise(x.t, &p->mem, t, &level, level != 0, OVER_SCALARS);
    x.t->depth = depth;
    vec_free(&p->cx->mem, &x.levels);
    vec_free(&p->cx->mem, &x.tyvars);
    return b->scheme;
}
