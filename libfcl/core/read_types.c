/* Reading types and levels through the public interface.  Types name what a forall or a level
 * function around them binds by de Bruijn indices, as inside. */
#include "libfcl/core/core.h"

#define SAME_TYPE(of, inside)                                                                      \
    _Static_assert((int)FCL_TYPE_##of == (int)TY_##inside, "fcl_type_kind is type_kind")
SAME_TYPE(SCALAR, SCALAR);
SAME_TYPE(VARIABLE, VAR);
SAME_TYPE(BOUND, BOUND);
SAME_TYPE(TUPLE, TUPLE);
SAME_TYPE(FUNCTION, FUN);
SAME_TYPE(LEVEL_FUNCTION, LVLFN);
SAME_TYPE(FORALL, FORALL);
SAME_TYPE(PULL, PULL);
SAME_TYPE(PUSH, PUSH);
_Static_assert((int)FCL_LEVEL_CONST == LV_CONST && (int)FCL_LEVEL_VARIABLE == LV_VAR &&
                   (int)FCL_LEVEL_BOUND == LV_BOUND,
               "fcl_level_kind has the bases of levels");

/* ---- levels ---- */

fcl_level core_level(const fcl_module *m, ir_level l)
{
    if (level_base(l) != LV_VAR)
        return l;
    return level_var(id_outside(m->stretch, ID_TVAR, level_index(l))) + level_offset(l);
}

bool fcl_level_about(const fcl_module *m, fcl_level l, fcl_level_info *out, size_t size)
{
    if (!m)
        return false;
    int base = level_base(l);
    uint32_t inside = base == LV_VAR ? id_inside(m->stretch, ID_TVAR, level_index(l)) : 0;
    if (base < LV_CONST || base > LV_BOUND || (base == LV_VAR && inside >= m->ir.tvars.len))
        return false;
    fcl_level_info x = {.kind = (fcl_level_kind)base, .plus = level_offset(l)};
    if (base == LV_VAR)
        x.variable = level_index(l);
    if (base == LV_BOUND)
        x.index = level_index(l);
    return ABI_GIVE(out, size, x);
}

/* From what callers see to what is inside; 0 for what is none. */
static ir_level level_inside(const fcl_module *m, fcl_level l)
{
    if (level_base(l) != LV_VAR)
        return l;
    uint32_t v = id_inside(m->stretch, ID_TVAR, level_index(l));
    return v < m->ir.tvars.len ? level_var(v) + level_offset(l) : 0;
}

/* The text of a call that a short memory must not fail later. */
static const char *give_text(fcl_module *m, const char *text)
{
    uint32_t before = m->ir.cx->diags.errors;
    return face_ok(m->ir.cx, before) ? text : NULL;
}

const char *fcl_level_text(fcl_module *m, fcl_level l)
{
    if (!m)
        return NULL;
    return give_text(m, level_str(&m->ir, level_inside(m, l)));
}

/* ---- types ---- */

static ir_type type_inside(const fcl_module *m, fcl_type t)
{
    uint32_t i = id_inside(m->stretch, ID_TYPE, t);
    return i < m->ir.types.len ? i : 0;
}

static size_t parts_of(const type_node *n)
{
    switch ((type_kind)n->kind) {
    case TY_TUPLE: return n->n;
    case TY_FUN: return 2;
    case TY_LVLFN:
    case TY_FORALL:
    case TY_PULL:
    case TY_PUSH: return 1;
    case TY_ERROR:
    case TY_SCALAR:
    case TY_VAR:
    case TY_BOUND: return 0;
    }
    return 0;
}

/* What kinds of types have beside their parts. */
static void read_type(const fcl_module *m, const type_node *n, fcl_type_info *x)
{
    switch ((type_kind)n->kind) {
    case TY_SCALAR: x->scalar = (fcl_scalar)n->a; break;
    case TY_VAR: x->variable = id_outside(m->stretch, ID_TVAR, n->a); break;
    case TY_BOUND: x->index = n->a; break;
    case TY_FORALL: x->of = (fcl_kind)n->n; break;
    case TY_PUSH:
        x->level = core_level(m, n->b);
        x->rank = n->n;
        break;
    case TY_PULL: x->rank = n->n; break;
    case TY_ERROR:
    case TY_TUPLE:
    case TY_FUN:
    case TY_LVLFN: break;
    }
}

bool fcl_type_about(const fcl_module *m, fcl_type t, fcl_type_info *out, size_t size)
{
    if (!m)
        return false;
    const type_node *n = ir_type_at(&m->ir, type_inside(m, t));
    if (n->kind == TY_ERROR)
        return false;
    fcl_type_info x = {.kind = (fcl_type_kind)n->kind, .parts = parts_of(n)};
    read_type(m, n, &x);
    return ABI_GIVE(out, size, x);
}

fcl_type fcl_type_part(const fcl_module *m, fcl_type t, size_t i)
{
    if (!m)
        return 0;
    ir_type inside = type_inside(m, t);
    const type_node *n = ir_type_at(&m->ir, inside);
    if (i >= parts_of(n))
        return 0;
    ir_type part = n->kind == TY_TUPLE ? type_item(&m->ir, inside, (uint32_t)i) : i ? n->b : n->a;
    return id_outside(m->stretch, ID_TYPE, part);
}

const char *fcl_type_text(fcl_module *m, fcl_type t)
{
    if (!m)
        return NULL;
    return give_text(m, type_str(&m->ir, type_inside(m, t)));
}
