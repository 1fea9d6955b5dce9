/* Building declarations: heads when they are first needed, bodies one after another from a
 * queue.
 *
 * So a function may be used before it is built, and building one never recurses into another. */
#include "frontends/fcl/emit/emit.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

/* The name of an instance: the declaration's, with what tells it from others. */
static const char *core_name(emitter *x, const decl *d, const core_instance *inst)
{
    vec_char name = {0};
    fcl_context *cx = x->p->cx;
    const name_entry *n = program_name_at(x->p, d->name);
    const char *of = d->from_import    ? n->user || n->prelude ? "arrays." : ""
                     : d->from_prelude ? n->user ? "prelude." : ""
                                       : "";
    text_addf(&cx->mem, &name, "%s%s", of, program_text_of(x->p, d->name));
    for (uint32_t i = 0; x->t->old && i < inst->nlevels; i++)
        text_addf(&cx->mem, &name, ".%s", lv_height_name(x->t, inst->levels[i] - 1));
    if (d == x->entry)
        text_add(&cx->mem, &name, ".fun", 4);
    size_t length = name.len;
    while (fcl_function_named(x->m, text_cstr(&cx->mem, &name)) && !cx->mem.oom) {
        name.len = (uint32_t)length;
        text_addf(&cx->mem, &name, ".%u", (unsigned)++x->copies);
    }
    str_id s = intern_add(&cx->strings, name.at ? name.at : "", name.len);
    vec_free(&cx->mem, &name);
    return program_text_of(x->p, s);
}

/* The name of a type parameter: the user's, else a, b, ... that no other one has. */
static const char *variable_name(emitter *x, const scheme *s, uint32_t i, char *buffer, size_t size)
{
    str_id name = ty_at(x->t, s->vars[i])->name;
    if (name)
        return program_text_of(x->p, name);
    char letter = (char)('a' + i % 26);
    snprintf(buffer, size, "%c%.0u", letter, (unsigned)(i / 26));
    for (uint32_t k = 0; k < s->nvars; k++)
        if (strcmp(program_text_of(x->p, ty_at(x->t, s->vars[k])->name), buffer) == 0)
            snprintf(buffer, size, "%c.%u", letter, (unsigned)i);
    return buffer;
}

/* ---- heads ---- */

/* Type and level parameters, and what generic variables stand for; levels have values in programs
 * of 2017. */
static core_instance generic_slots(emitter *x, const decl *d, fcl_func f, const core_instance *inst)
{
    const scheme *s = d->scheme;
    core_instance c = {.ntypes = s->nvars, .nlevels = s->nlevels};
    char buffer[32];
    c.types = ARENA_ARRAY(&x->p->mem, fcl_type, s->nvars + 1);
    c.levels = ARENA_ARRAY(&x->p->mem, uint32_t, s->nlevels + 1);
    if (!c.types || !c.levels)
        return (core_instance){0};
    for (uint32_t i = 0; i < s->nvars; i++) {
        const scalar_class *class = class_of(ty_at(x->t, s->vars[i])->scalars);
        fcl_tvar v = fcl_type_param(x->m, f, variable_name(x, s, i, buffer, sizeof buffer),
                                    class ? class->kind : FCL_KIND_INFER);
        c.types[i] = fcl_type_var(x->m, v);
    }
    for (uint32_t i = 0; i < s->nlevels; i++) {
        str_id name = lv_at(x->t, s->levels[i])->name;
        snprintf(buffer, sizeof buffer, "l%u", (unsigned)i + 1);
        if (x->t->old)
            c.levels[i] = inst->nlevels > i ? inst->levels[i] : emit_height_slot(x, 0);
        else
            c.levels[i] = fcl_level_var(
                fcl_level_param(x->m, f, name ? program_text_of(x->p, name) : buffer));
    }
    return c;
}

/* Whether two instances need only one function. */
static bool same_levels(const core_instance *a, const core_instance *b)
{
    return a->nlevels == b->nlevels &&
           (!a->nlevels || memcmp(a->levels, b->levels, a->nlevels * sizeof *a->levels) == 0);
}

/* The parameters: top-level values first. */
static void add_params(emitter *x, built *b)
{
    fcl_region body = fcl_body(x->m, b->func);
    ty t = b->d->scheme->type;
    for (uint32_t i = 0; i < b->d->nvals; i++)
        b->vals[i] = fcl_param(x->m, body, program_text_of(x->p, b->d->vals[i]->name),
                               emit_core_type(x, b->d->vals[i]->scheme->type));
    for (uint32_t i = 0; i < b->d->nparams; i++, t = emit_ty_result(x, t, 1)) {
        fcl_type param = emit_core_type(x, emit_ty_param(x, t));
        b->params[i] = emit_param_of(x, body, b->d->params[i], param);
    }
}

built *emit_instance_of(emitter *x, decl *d, const core_instance *inst)
{
    for (built *b = d->instances; b; b = b->next)
        if (!x->t->old || same_levels(&b->inst, inst))
            return b;
    built *b = NODE(x->p, built);
    b->params = ARENA_ARRAY(&x->p->mem, fcl_value, d->nparams + 1);
    b->vals = ARENA_ARRAY(&x->p->mem, fcl_value, d->nvals + 1);
    if (!b->params || !b->vals)
        return NULL;
    emit_at_loc(x, d->loc);
    b->d = d;
    b->func = fcl_function(x->m, core_name(x, d, inst), false);
    b->inst = generic_slots(x, d, b->func, inst);
    core_instance before = emit_swap_slots(x, d->scheme, &b->inst);
    add_params(x, b);
    emit_set_slots(x, d->scheme, &before);
    b->next = d->instances;
    d->instances = b;
    vec_push(&x->p->cx->mem, &x->queue, b);
    return b;
}

/* ---- bodies ---- */

/* What names mean in the body: the top-level values are parameters there. */
static void bind_params(emitter *x, const built *b)
{
    const decl *d = b->d;
    fcl_region body = fcl_body(x->m, b->func);
    for (uint32_t i = 0; i < d->nvals; i++)
        d->vals[i]->value = emit_sval_core(x, b->vals[i], d->vals[i]->loc);
    for (uint32_t i = 0; i < d->nparams; i++)
        emit_bind_sval(x, body, d->params[i], emit_sval_core(x, b->params[i], d->params[i]->loc));
}

/* The body of a function, at the instance that it was made for. */
static void emit_body(emitter *x, const built *b)
{
    fcl_region body = fcl_body(x->m, b->func);
    emit_set_slots(x, b->d->scheme, &b->inst);
    emit_at_loc(x, b->d->loc);
    bind_params(x, b);
    fcl_value v = emit_value_of(x, body, emit_expr(x, body, b->d->body));
    if (!x->failed)
        fcl_return(x->m, body, v);
}

/* Bodies that are built add to the queue. */
static void emit_queue(emitter *x)
{
    for (uint32_t i = 0; i < x->queue.len && !x->failed && fcl_built(x->m); i++)
        emit_body(x, x->queue.at[i]);
    x->queue.len = 0;
}

/* Functions that are not needed are built as well, so that they are checked; but those whose level
 * is not known cannot be in programs of 2017, and those that print are part of the entry. */
static bool stands_alone(const emitter *x, const decl *d)
{
    return d->nparams && !d->prints && !(x->t->old && d->scheme->nlevels);
}

/* Functions stand in the order of the file, each followed by what it needs that is not there yet;
 * the entry comes last. */
bool emit_program(program *p)
{
    emitter x = {.p = p, .t = &p->types, .m = p->m, .epoch = 1};
    bool ok = true;
    decl *entry = entry_find(p, &ok);
    x.entry = entry;
    x.failed = !ok;
    for (uint32_t i = 0; i < p->user.len && !x.failed; i++)
        if (p->user.at[i] != entry && stands_alone(&x, p->user.at[i])) {
            emit_instance_of(&x, p->user.at[i], &(core_instance){0});
            emit_queue(&x);
        }
    if (entry && !x.failed)
        entry_emit(&x, entry);
    emit_queue(&x);
    vec_free(&p->cx->mem, &x.queue);
    vec_free(&p->cx->mem, &x.prints);
    return !x.failed && fcl_built(p->m) && !p->cx->mem.oom;
}
