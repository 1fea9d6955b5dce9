/* Types, levels and instances in terms of the core.
 *
 * A type's node remembers what it was converted to as long as the generic variables stand for the
 * same (epoch), so a type costs a walk over its graph once for each function. */
#include "frontends/fcl/emit/emit.h"

/* ---- levels ----
 *
 * A slot is a level of the core, or, in programs of 2017, a height above the thread plus one. */

uint32_t emit_height_slot(const emitter *x, uint32_t height)
{
    return x->t->old ? height + 1 : fcl_level_const((fcl_height)height);
}

/* The slot of the level above. */
static uint32_t slot_above(const emitter *x, uint32_t slot)
{
    return x->t->old ? slot + 1 : fcl_level_succ(slot);
}

/* In programs of 2017, 0 for a level above the machine's, which inference has refused. */
fcl_level emit_lv_core(const emitter *x, uint32_t slot)
{
    static const fcl_height heights[] = {FCL_THREAD, FCL_BLOCK, FCL_GRID};
    if (!x->t->old)
        return slot;
    if (slot > UINT8_MAX) /* a level that a function in an expression binds: it is the core's own */
        return slot;
    return slot >= 1 && slot <= 3 ? fcl_level_const(heights[slot - 1]) : 0;
}

/* A level that nothing fixes: reported at the operation that made it, if that is known. */
static uint32_t unknown_slot(emitter *x, lv l)
{
    const lv_node *n = lv_at(x->t, l);
    const char *name = program_text_of(x->p, n->origin.name);
    if (n->origin.name && !x->failed) {
        emit_refuse(x, DIAG_FCL_NO_LEVEL, n->origin.loc,
                    "nothing says at which level this '%s' works", name);
        diag_hint(x->p->cx, "write %s <block>, or another level", name);
    }
    return emit_height_slot(x, 0);
}

uint32_t emit_lv_slot(emitter *x, lv l)
{
    level_form f = lv_find(x->t, l);
    if (!f.var)
        return emit_height_slot(x, f.offset);
    const lv_node *n = lv_at(x->t, f.var);
    uint32_t slot = n->depth == GENERIC && n->core ? n->core : unknown_slot(x, f.var);
    while (f.offset--)
        slot = slot_above(x, slot);
    return slot;
}

/* ---- types ---- */

static fcl_type convert(emitter *x, ty t, uint32_t depth);

static fcl_type convert_tuple(emitter *x, ty t, uint32_t depth)
{
    uint32_t n = ty_at(x->t, t)->b;
    fcl_type *items = ARENA_ARRAY(&x->p->mem, fcl_type, n);
    for (uint32_t i = 0; items && i < n; i++)
        items[i] = convert(x, ty_item(x->t, t, i), depth + NESTED);
    return items ? fcl_type_tuple(x->m, items, n) : 0;
}

/* <l> -> t: inside, l stands for a level variable of the core.  Twice a new epoch, since what was
 * converted with it means something else outside. */
static fcl_type convert_level_function(emitter *x, const ty_node *n, uint32_t depth)
{
    lv l = lv_find(x->t, n->c).var;
    uint32_t before = lv_at(x->t, l)->core;
    fcl_tvar v = fcl_level_variable(x->m, "l");
    lv_at(x->t, l)->core = fcl_level_var(v);
    x->epoch++;
    fcl_type body = convert(x, n->a, depth + NESTED);
    lv_at(x->t, l)->core = before;
    x->epoch++;
    return fcl_type_level_function(x->m, v, body);
}

/* A generic variable that stands for something. */
static bool is_slot(const ty_node *n)
{
    return n->kind == T_VAR && n->b == GENERIC && n->core;
}

static fcl_type convert_form(emitter *x, ty t, uint32_t depth)
{
    const ty_node n = *ty_at(x->t, t);
    switch (n.kind) {
    case T_SCALAR: return fcl_type_scalar(x->m, (fcl_scalar)n.a);
    case T_VAR: return is_slot(&n) ? n.core : fcl_type_scalar(x->m, FCL_I32);
    case T_TUPLE: return convert_tuple(x, t, depth);
    case T_FUN: {
        fcl_type from = convert(x, n.a, depth + NESTED);
        return fcl_type_function(x->m, from, convert(x, n.b, depth + 1));
    }
    case T_PULL: return fcl_type_pull(x->m, convert(x, n.a, depth + NESTED), rank_find(x->t, n.b));
    case T_PUSH: {
        fcl_level l = emit_lv_core(x, emit_lv_slot(x, n.c));
        return fcl_type_push(x->m, convert(x, n.a, depth + NESTED), rank_find(x->t, n.b), l);
    }
    case T_LVLFN: return convert_level_function(x, &n, depth);
    default: return fcl_type_scalar(x->m, FCL_I32); /* unit: a number that nobody looks at */
    }
}

/* Programs are what they give.  Recursion is bounded by TYPE_DEPTH. */
static fcl_type convert(emitter *x, ty t, uint32_t depth)
{
    t = ty_inside(x->t, t);
    if (depth > TYPE_DEPTH)
        return 0;
    if (ty_at(x->t, t)->kind != T_VAR && ty_at(x->t, t)->epoch == x->epoch)
        return ty_at(x->t, t)->core;
    fcl_type made = convert_form(x, t, depth);
    ty_node *n = ty_node_at(x->t, t);
    if (n->kind != T_VAR) {
        n->core = made;
        n->epoch = x->epoch;
    }
    return made;
}

fcl_type emit_core_type(emitter *x, ty t)
{
    return convert(x, t, 0);
}

/* A generic variable may stand for a scalar type here, or for a type parameter of the core. */
fcl_scalar emit_scalar_of(emitter *x, ty t)
{
    const ty_node *n = ty_at(x->t, ty_inside(x->t, t));
    if (n->kind == T_SCALAR)
        return (fcl_scalar)n->a;
    for (int s = FCL_BOOL; is_slot(n) && s < FCL_SCALAR_END; s++)
        if (n->core == fcl_type_scalar(x->m, (fcl_scalar)s))
            return (fcl_scalar)s;
    return 0;
}

bool emit_is_variable(emitter *x, ty t)
{
    return is_slot(ty_at(x->t, ty_inside(x->t, t))) && !emit_scalar_of(x, t);
}

/* ---- instances ---- */

core_instance emit_instance_core(emitter *x, const instance *inst, location loc)
{
    core_instance c = {.ntypes = inst->ntypes, .nlevels = inst->nlevels};
    c.types = ARENA_ARRAY(&x->p->mem, fcl_type, c.ntypes + 1);
    c.levels = ARENA_ARRAY(&x->p->mem, uint32_t, c.nlevels + 1);
    if (!c.types || !c.levels)
        return (core_instance){0};
    emit_at_loc(x, loc);
    for (uint32_t i = 0; i < c.ntypes; i++)
        c.types[i] = emit_core_type(x, inst->types[i]);
    for (uint32_t i = 0; i < c.nlevels; i++)
        c.levels[i] = emit_lv_slot(x, inst->levels[i]);
    return c;
}

void emit_set_slots(emitter *x, const scheme *s, const core_instance *inst)
{
    for (uint32_t i = 0; i < s->nvars && i < inst->ntypes; i++)
        ty_node_at(x->t, s->vars[i])->core = inst->types[i];
    for (uint32_t i = 0; i < s->nlevels && i < inst->nlevels; i++)
        lv_at(x->t, s->levels[i])->core = inst->levels[i];
    x->epoch++;
}

/* Instances nest: whoever sets them for a while puts back what was there (emit_set_slots). */
core_instance emit_swap_slots(emitter *x, const scheme *s, const core_instance *inst)
{
    core_instance before = {.ntypes = s->nvars, .nlevels = s->nlevels};
    before.types = ARENA_ARRAY(&x->p->mem, fcl_type, s->nvars + 1);
    before.levels = ARENA_ARRAY(&x->p->mem, uint32_t, s->nlevels + 1);
    if (!before.types || !before.levels)
        return (core_instance){0};
    for (uint32_t i = 0; i < s->nvars; i++)
        before.types[i] = ty_at(x->t, s->vars[i])->core;
    for (uint32_t i = 0; i < s->nlevels; i++)
        before.levels[i] = lv_at(x->t, s->levels[i])->core;
    emit_set_slots(x, s, inst);
    return before;
}
