/* Versions of the formats: see version.h.  The tables (ops.def, types.def, binary.def) say for
 * every construct with which version it came, so a new row needs no change here; only a change of
 * meaning needs a step in `upgrades`.
 *
 * Every question costs one pass over the module's operations and types.  Regions are walked with a
 * stack of their own, since their depth is not checked before writing. */
#include "serialize/version.h"

#include <string.h>

/* The minor number plays no part: see docs/format.md, "Compatibility". */
bool version_readable(uint32_t major, uint32_t minor)
{
    (void)minor;
    return major == FORMAT_MAJOR;
}

/* ---- writing an older version ---- */

bool version_known(fcl_context *cx, uint32_t version)
{
    if (version >= 1 && version <= FORMAT_VERSION)
        return true;
    diag_error(cx, DIAG_VERSION_UNKNOWN, (location){0},
               "version %u.%u of the format cannot be written", version / 100, version % 100);
    diag_hint(cx, "this library writes the versions 0.1 to %d.%d", FORMAT_MAJOR, FORMAT_MINOR);
    return false;
}

/* The question whether a module fits a version, as it is asked of one construct after the other. */
typedef struct fit {
    ir_module *m;
    uint32_t version;
    bool ok;
} fit;

/* Reports a construct that came with version `since` unless the version has it; goes on after that,
 * so that all constructs are named in one run. */
static void need(fit *f, uint32_t since, location at, const char *what, const char *name)
{
    if (since <= f->version)
        return;
    f->ok = diag_error(f->m->cx, DIAG_VERSION_FIT, at,
                       "%s%s came with version %u.%u of the format, after %u.%u", what, name,
                       since / 100, since % 100, f->version / 100, f->version % 100);
}

/* Since which version the text form can state the flags of a section that is not known. */
enum { SINCE_FLAGS = 3 };

/* The columns `since` of the forms of types and of the scalar types.  A type_kind without a row in
 * binary.def is a warning of the compiler: the switch has no default. */
static uint32_t since_of_form(type_kind k)
{
    switch (k) {
    case TY_ERROR: return 0;
#define FORM(e, wire, name, since, entry)                                                          \
    case TY_##e:                                                                                   \
        return since;
#include "serialize/binary/binary.def"
#undef FORM
    }
    return 0;
}

static uint32_t since_of_scalar(scalar s)
{
    switch (s) {
#define SCALAR(e, wire, name, class, bytes, alias, since, ...)                                     \
    case ST_##e:                                                                                   \
        return since;
#include "ir/types.def"
#undef SCALAR
    default: return 0;
    }
}

/* ---- the types that a module uses: the table has others, of every scalar at least ---- */

typedef VEC(uint8_t) type_marks;

/* The types of a call's instance.  The module may be malformed here, so every index is checked;
 * what is out of range marks type 0, which nobody asks about. */
static void mark_instance(const ir_module *m, const op_node *n, type_marks *used)
{
    uint32_t ntypes = n->inst && n->inst < m->pool.len ? m->pool.at[n->inst] : 0;
    for (uint32_t i = n->inst + 2; ntypes && i < m->pool.len && i - n->inst - 2 < ntypes; i++)
        used->at[m->pool.at[i] < used->len ? m->pool.at[i] : 0] = 1;
}

static void mark_parts(const ir_module *m, ir_type t, type_marks *used)
{
    const type_node *n = ir_type_at(m, t);
    switch ((type_kind)n->kind) {
    case TY_TUPLE:
        for (uint32_t i = 0; i < n->n; i++)
            used->at[type_item(m, t, i)] = 1;
        break;
    case TY_FUN: used->at[n->b] = 1; /* fall through */
    case TY_LVLFN:
    case TY_FORALL:
    case TY_PULL:
    case TY_PUSH: used->at[n->a] = 1; break;
    case TY_ERROR:
    case TY_SCALAR:
    case TY_VAR:
    case TY_BOUND: break;
    }
}

/* Parts have lower numbers than what they are part of.  So one sweep from the last type to the
 * first carries the marks from what values, results and instances have to everything inside of
 * it. */
static bool mark_types(const ir_module *m, type_marks *used)
{
    uint32_t n = m->types.len;
    if (!vec_reserve(&m->cx->mem, used, n))
        return false;
    memset(used->at, 0, n);
    used->len = n;
    for (uint32_t v = 1; v < m->values.len; v++)
        used->at[m->values.at[v].type < n ? m->values.at[v].type : 0] = 1;
    for (ir_func f = 1; f < m->funcs.len; f++)
        used->at[m->funcs.at[f].result < n ? m->funcs.at[f].result : 0] = 1;
    for (ir_op o = 1; o < m->ops.len; o++)
        if (ir_op_info(m->ops.at[o].opcode)->attr == ATTR_CALL)
            mark_instance(m, &m->ops.at[o], used);
    for (ir_type t = n; t-- > 1;)
        if (used->at[t])
            mark_parts(m, t, used);
    return true;
}

static uint32_t since_of_kind(uint32_t k)
{
    switch (k) {
#define KIND(e, wire, name, since, ...)                                                            \
    case KIND_##e:                                                                                 \
        return since;
#include "ir/types.def"
#undef KIND
    default: return 0;
    }
}

/* A type is as new as its form, or its scalar or kind if that is newer; what it is made of counts
 * by itself. */
static uint32_t since_of_type(const ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    uint32_t form = since_of_form((type_kind)n->kind),
             of = n->kind == TY_SCALAR   ? since_of_scalar((scalar)n->a)
                  : n->kind == TY_FORALL ? since_of_kind(n->n)
                                         : 0;
    return form > of ? form : of;
}

static bool is_variable(const ir_module *m, ir_type t)
{
    return ir_type_at(m, t)->kind == TY_VAR;
}

/* An operator, or the fact that it works on a type parameter: a module that nobody checked has
 * bounds that are not written. */
static uint32_t since_of_op(const ir_module *m, const op_node *n)
{
    const op_info *info = ir_op_info(n->opcode);
    uint32_t first = n->nargs && n->args < m->pool.len ? m->pool.at[n->args] : 0;
    uint32_t on = info->is_scalar && first && first < m->values.len ? m->values.at[first].type : 0;
    bool bound = is_variable(m, on) || (info->attr == ATTR_TYPE && is_variable(m, n->attr));
    uint32_t of = bound ? since_of_kind(KIND_BOUND_SCALAR) : 0;
    return info->since > of ? info->since : of;
}

/* The newest operator of a region; those inside of it are left to be done.  False: no memory. */
static bool newest_of_region(ir_module *m, ir_region r, vec_u32 *todo, uint32_t *most)
{
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_node *n = ir_op_at(m, o);
        uint32_t since = since_of_op(m, n);
        *most = since > *most ? since : *most;
        for (uint32_t k = 0; k < ir_op_info(n->opcode)->regions; k++)
            if (!vec_push(&m->cx->mem, todo, n->regions + k))
                return false;
    }
    return true;
}

/* The newest operator of the functions: what passes dropped is still in the vectors. */
static uint32_t newest_operator(ir_module *m)
{
    uint32_t most = 1;
    bool ok = true;
    vec_u32 todo = {0};
    for (ir_func f = 1; f < m->funcs.len && ok; f++) {
        if (m->funcs.at[f].import)
            continue;
        ok = vec_push(&m->cx->mem, &todo, m->funcs.at[f].body);
        while (ok && todo.len)
            ok = newest_of_region(m, todo.at[--todo.len], &todo, &most);
    }
    vec_free(&m->cx->mem, &todo);
    return ok ? most : FORMAT_VERSION;
}

/* The newest of operators, kinds of parameters and sections.  Most modules have no operator that
 * is not of the first version, which one look over the vector tells. */
static uint32_t version_of_code(const ir_module *m)
{
    uint32_t most = 1;
    for (ir_op o = 1; o < m->ops.len && most <= 1; o++)
        most = since_of_op(m, &m->ops.at[o]);
    most = most > 1 ? newest_operator((ir_module *)m) : 1;
    for (ir_tvar v = 1; v < m->tvars.len; v++) {
        uint32_t since = since_of_kind(m->tvars.at[v].kind);
        most = since > most ? since : most;
    }
    for (uint32_t i = 0; i < m->sections.len; i++)
        if (m->sections.at[i].flags && most < SINCE_FLAGS)
            most = SINCE_FLAGS;
    return most;
}

uint32_t version_needed(const ir_module *m)
{
    uint32_t most = version_of_code(m);
    type_marks used = {0};
    for (uint32_t i = 0; i < m->sections.len; i++)
        if (m->sections.at[i].flags && most < SINCE_FLAGS)
            most = SINCE_FLAGS;
    bool known = mark_types(m, &used);
    for (ir_type t = 1; known && t < used.len; t++)
        if (used.at[t] && since_of_type(m, t) > most)
            most = since_of_type(m, t);
    vec_free(&m->cx->mem, &used);
    return known ? most : FORMAT_VERSION;
}

/* Each type that came later, once. */
static void fit_types(fit *f)
{
    location file = {.file = f->m->file};
    type_marks used = {0};
    f->ok = mark_types(f->m, &used) && f->ok;
    for (ir_type t = 1; t < used.len; t++)
        if (used.at[t])
            need(f, since_of_type(f->m, t), file, "the type ", type_str(f->m, t));
    vec_free(&f->m->cx->mem, &used);
}

/* The type parameters of a function of the module. */
static void fit_parameters(fit *f, const func_node *fn)
{
    for (uint32_t v = fn->tparams; v - fn->tparams < fn->ntypes && v < f->m->tvars.len; v++)
        need(f, since_of_kind(f->m->tvars.at[v].kind), ir_loc_at(f->m, fn->loc),
             "a type parameter with the bound ", ir_kind_name((kind)f->m->tvars.at[v].kind));
}

/* Judges the operations of a region, and leaves the regions inside of it to be done. */
static void fit_region(fit *f, ir_region r, vec_u32 *todo)
{
    ir_module *m = f->m;
    for (ir_op o = ir_region_at(m, r)->first; o; o = ir_op_at(m, o)->next) {
        const op_info *info = ir_op_info(ir_op_at(m, o)->opcode);
        const char *what = since_of_op(m, ir_op_at(m, o)) > info->since
                               ? "on a type parameter, the operator "
                               : "the operator ";
        need(f, since_of_op(m, ir_op_at(m, o)), ir_op_loc(m, o), what,
             info->name ? info->name : "?");
        for (uint32_t i = 0; i < info->regions; i++)
            f->ok = vec_push(&m->cx->mem, todo, ir_op_at(m, o)->regions + i) && f->ok;
    }
}

bool version_fits(ir_module *m, uint32_t version)
{
    fit f = {.m = m, .version = version, .ok = true};
    vec_u32 todo = {0};
    if (version >= FORMAT_VERSION)
        return true;
    for (ir_func fn = 1; fn < m->funcs.len; fn++) {
        if (m->funcs.at[fn].import)
            continue;
        fit_parameters(&f, &m->funcs.at[fn]);
        fit_region(&f, m->funcs.at[fn].body, &todo);
        while (todo.len)
            fit_region(&f, todo.at[--todo.len], &todo);
    }
    fit_types(&f);
    for (uint32_t i = 0; i < m->sections.len; i++)
        if (m->sections.at[i].flags)
            need(&f, SINCE_FLAGS, (location){.file = m->file}, "keeping the flags of the section ",
                 ir_str(m, m->sections.at[i].name));
    vec_free(&m->cx->mem, &todo);
    return f.ok;
}

/* ---- reading an older version ---- */

bool version_upgrade_by(ir_module *m, uint32_t version, const upgrade *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].version > version && !steps[i].step(m))
            return false;
    return true;
}

/* The steps from 0.1 on.  There is none yet: 0.2 adds a type and changes the meaning of nothing.
 * The last entry is not run; it is there since an array cannot be empty. */
static const upgrade upgrades[] = {{0, NULL}};

bool version_upgrade_module(ir_module *m, uint32_t version)
{
    return version_upgrade_by(m, version, upgrades, sizeof upgrades / sizeof *upgrades - 1);
}
