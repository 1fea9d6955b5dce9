/* Tunables of FCL: `val NAME = tunable "DOMAIN" USUAL` becomes a function of the core with the property "tunable", and the
 * value is its call.  So what `-D NAME=N` says finds it by its name. */
#include "frontends/fcl/emit/emit.h"

#include <string.h>

/* The application of `tunable` that the body of a value is; NULL: it is something else. */
static const expr *tunable_of(const decl *v)
{
    const expr *e = v->body;
    while (e->kind == EX_ANNOT)
        e = e->args[0];
    bool applied = e->kind == EX_APP && e->nargs == 3 && e->args[0]->kind == EX_VAR;
    return applied && e->args[0]->builtin && e->args[0]->builtin->form == BF_TUNABLE ? e : NULL;
}

bool emit_is_tunable(const decl *v)
{
    return tunable_of(v) != NULL;
}

/* A function may have the value's name already, where a prelude's does. */
static fcl_func new_function(emitter *x, const decl *v)
{
    const char *name = program_text_of(x->p, v->name);
    vec_char other = {0};
    if (fcl_function_named(x->m, name))
        text_addf(&x->p->cx->mem, &other, "%s.tunable", name);
    fcl_func f = fcl_function(x->m, other.len ? text_cstr(&x->p->cx->mem, &other) : name, false);
    vec_free(&x->p->cx->mem, &other);
    return f;
}

sval *emit_tunable(emitter *x, fcl_region r, const decl *v)
{
    const expr *e = tunable_of(v);
    const expr *domain = e->args[1];
    if (domain->kind != EX_STRING || v->nvals) {
        emit_refuse(x, DIAG_FCL_TUNABLE, (v->nvals ? e : domain)->loc,
                    v->nvals ? "the usual number of a tunable is computed from other values"
                             : "the domain of a tunable is written as a text");
        return emit_sval_new(x, SV_UNIT, e->loc);
    }
    const char *text = program_text_of(x->p, domain->name);
    emit_at_loc(x, v->loc);
    fcl_func f = new_function(x, v);
    fcl_attribute says = {.key = "tunable", .text = text, .size = strlen(text)};
    fcl_property_set(x->m, (fcl_subject){.function = f}, &says);
    fcl_region body = fcl_body(x->m, f);
    fcl_value usual = emit_value_of(x, body, emit_expr(x, body, e->args[2]));
    if (x->failed)
        return emit_sval_new(x, SV_UNIT, e->loc);
    fcl_return(x->m, body, usual);
    emit_at_loc(x, v->loc);
    return emit_sval_op(x, fcl_call(x->m, r, f, NULL, 0, NULL, 0, NULL, 0), e->loc);
}
