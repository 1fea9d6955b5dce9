/* Versions of the formats: see version.h.  The tables (ops.def, types.def, binary.def) say for
 * every construct with which version it came, so a new row needs no change here; only a change of
 * meaning needs a step in `upgrades`.
 *
 * Every question costs one pass over the module's operations and types.  Regions are walked with a
 * stack of their own, since their depth is not checked before writing. */
#include "serialize/version.h"

#include "ir/properties.h"
#include "ir/scheduled.h"
#include "serialize/binary/tables.h"

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

/* The question whether a module fits a version, or, with report off, which one it needs, as it is
 * asked of one construct after the other. */
typedef struct fit {
    ir_module *m;
    uint32_t version; /* that is asked for; else what is needed so far */
    bool report, ok;
    vec_u32 todo;       /* regions that have not been walked yet */
    VEC(uint8_t) types; /* that the module's code has: the table has others */
} fit;

/* Reports a construct that came with version `since` unless the version has it; goes on after that,
 * so that all constructs are named in one run. */
static void need(fit *f, uint32_t since, location at, const char *what, const char *name)
{
    if (since <= f->version)
        return;
    if (!f->report)
        f->version = since;
    else
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

static uint32_t since_of_section(section_id i)
{
    static const uint16_t since_of[] = {
#define SECTION(e, name, required, since, contents) since,
#include "serialize/binary/binary.def"
#undef SECTION
    };
    return since_of[i];
}

static uint32_t since_of_literal_form(literal_form form)
{
    switch (form) {
#define LITERAL(e, wire, name, since, value)                                                       \
    case LITERAL_##e:                                                                              \
        return since;
#include "serialize/binary/binary.def"
#undef LITERAL
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

/* What a level is counted from, and, of a constant one, its name. */
static uint32_t since_of_level(ir_level l)
{
    uint32_t since = 0;
#define BASE(e, wire, name, of, index)                                                             \
    if (level_base(l) == LV_##e)                                                                   \
        since = of;
#include "serialize/binary/binary.def"
#undef BASE
#define LEVEL(e, height, name, of)                                                                 \
    if (level_is_const(l, height) && since < (of))                                                 \
        since = of;
#include "ir/types.def"
#undef LEVEL
    return since;
}

static uint32_t since_of_literal(const value_node *n)
{
    if (n->kind != V_CONST)
        return 0;
    switch ((literal_kind)n->literal) {
    case LIT_TYPED: return 0; /* its type says it */
    case LIT_INT: return since_of_literal_form(LITERAL_INT);
    case LIT_NEG: return since_of_literal_form(LITERAL_NEG);
    case LIT_FLOAT: return since_of_literal_form(LITERAL_FLOAT);
    }
    return 0;
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
                  : n->kind == TY_PUSH   ? since_of_level(n->b)
                                         : 0;
    return form > of ? form : of;
}

/* ---- types ---- */

/* The module may be malformed here, so every index is checked; what is out of range marks type 0,
 * which nobody asks about. */
static void mark(fit *f, ir_type t)
{
    f->types.at[t < f->types.len ? t : 0] = 1;
}

static ir_type type_of(const ir_module *m, ir_value v)
{
    return v < m->values.len ? m->values.at[v].type : 0;
}

static void fit_level(fit *f, ir_level l, location at)
{
    if (since_of_level(l) > f->version)
        need(f, since_of_level(l), at, "the level ", f->report ? level_str(f->m, l) : "");
}

static void fit_instance(fit *f, ir_op o, const op_node *n)
{
    const vec_u32 *pool = &f->m->pool;
    bool there = n->inst && n->inst + 2 <= pool->len;
    uint64_t ntypes = there ? pool->at[n->inst] : 0,
             all = there ? ntypes + pool->at[n->inst + 1] : 0;
    for (uint64_t i = 0; i < all && n->inst + 2 + i < pool->len; i++)
        if (i < ntypes)
            mark(f, pool->at[n->inst + 2 + i]);
        else
            fit_level(f, pool->at[n->inst + 2 + i], ir_op_loc(f->m, o));
}

static void mark_parts(fit *f, ir_type t)
{
    const ir_module *m = f->m;
    const type_node *n = ir_type_at(m, t);
    switch ((type_kind)n->kind) {
    case TY_TUPLE:
        for (uint32_t i = 0; i < n->n; i++)
            mark(f, type_item(m, t, i));
        break;
    case TY_FUN: mark(f, n->b); /* fall through */
    case TY_LVLFN:
    case TY_FORALL:
    case TY_PULL:
    case TY_PUSH: mark(f, n->a); break;
    case TY_ERROR:
    case TY_SCALAR:
    case TY_VAR:
    case TY_BOUND: break;
    }
}

/* Each type, once.  Parts have lower numbers than what they are part of: so one sweep from the last
 * type to the first carries the marks to everything inside. */
static void fit_types(fit *f)
{
    location file = {.file = f->m->file};
    for (ir_type t = f->types.len; t-- > 1;)
        if (f->types.at[t])
            mark_parts(f, t);
    for (ir_type t = 1; t < f->types.len; t++)
        if (f->types.at[t] && since_of_type(f->m, t) > f->version)
            need(f, since_of_type(f->m, t), file, "the type ", f->report ? type_str(f->m, t) : "");
}

/* ---- code ---- */

/* ---- the operands of an operation ---- */

/* What the rows WIDER of ops.def call the types that an operand once had to be of. */
typedef enum narrow { NARROW_PUSH, NARROW_SCALARS, NARROW_LEVELS, NARROW_BASE } narrow;

static bool holds_push(const ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    bool holds = n->kind == TY_PUSH;
    for (uint32_t i = 0; n->kind == TY_TUPLE && i < n->n && !holds; i++)
        holds = holds_push(m, type_item(m, t, i));
    return holds;
}

/* Whether an operand is of a type that it could not be of.  Where it has no type yet, a literal and
 * a tuple show what they are; of others the checker of an older library will say it. */
static bool is_wider(const ir_module *m, ir_value v, narrow was)
{
    const value_node *n = &m->values.at[v < m->values.len ? v : 0];
    ir_op def = n->kind == V_RESULT && n->def < m->ops.len ? n->def : 0;
    bool one = n->kind == V_CONST || m->ops.at[def].opcode == OP_TUPLE;
    if (was == NARROW_LEVELS || was == NARROW_BASE)
        return ir_holds_pull(m, n->type);
    if (was == NARROW_SCALARS)
        return holds_push(m, n->type);
    return n->type ? ir_type_at(m, n->type)->kind != TY_PUSH : one;
}

/* Operand k; -1: the last one. */
static ir_value operand(const ir_module *m, ir_op o, int k)
{
    return ir_arg(m, o, k < 0 ? m->ops.at[o].nargs - 1u : (uint32_t)k);
}

/* The version in which an operand could first be of its type; 0: always. */
static uint32_t since_of_operands(ir_module *m, ir_op o)
{
    uint32_t code = m->ops.at[o].opcode, since = 0;
#define WIDER(e, k, was, later)                                                                    \
    if (code == OP_##e && since < (later) && is_wider(m, operand(m, o, k), NARROW_##was))          \
        since = later;
#include "ir/ops.def"
#undef WIDER
    return since;
}

static bool is_variable(const ir_module *m, ir_type t)
{
    return ir_type_at(m, t)->kind == TY_VAR;
}

/* An operator, or the fact that it works on a type parameter: a module that nobody checked has
 * bounds that are not written. */
static void fit_operator(fit *f, ir_op o)
{
    ir_module *m = f->m;
    const op_node *n = ir_op_at(m, o);
    const op_info *info = ir_op_info(n->opcode);
    uint32_t first = n->nargs && n->args < m->pool.len ? m->pool.at[n->args] : 0;
    bool bound = (info->is_scalar && is_variable(m, type_of(m, first))) ||
                 (info->attr == ATTR_TYPE && is_variable(m, n->attr));
    const char *name = info->name ? info->name : "?";
    need(f, info->since, ir_op_loc(m, o), "the operator ", name);
    if (bound)
        need(f, since_of_kind(KIND_BOUND_SCALAR), ir_op_loc(m, o),
             "on a type parameter, the operator ", name);
    need(f, since_of_operands(m, o), ir_op_loc(m, o), "such an operand of the operator ", name);
}

static void fit_kinds(fit *f, const uint32_t *vars, uint32_t first, uint32_t n, location at)
{
    const ir_module *m = f->m;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = vars ? vars[i] : first + i;
        if (v < m->tvars.len)
            need(f, since_of_kind(m->tvars.at[v].kind), at, "a type parameter with the bound ",
                 ir_kind_name((kind)m->tvars.at[v].kind));
    }
}

/* The type parameters that a region binds. */
static void fit_bound(fit *f, ir_op o, const op_node *n)
{
    const vec_u32 *pool = &f->m->pool;
    uint32_t count = n->inst && n->inst + 2 <= pool->len ? pool->at[n->inst] : 0;
    if (count && n->inst + 2 + (uint64_t)count <= pool->len)
        fit_kinds(f, pool->at + n->inst + 2, 0, count, ir_op_loc(f->m, o));
}

/* What stands in <...>. */
static void fit_attr(fit *f, ir_op o, const op_node *n, attr_kind which)
{
    switch (which) {
    case ATTR_NONE: break;
    case ATTR_LEVEL: fit_level(f, n->attr, ir_op_loc(f->m, o)); break;
    case ATTR_TYPE: mark(f, n->attr); break;
    case ATTR_CALL: fit_instance(f, o, n); break;
    case ATTR_BIND: fit_bound(f, o, n); break;
    case ATTR_DATA:
        mark(f, n->attr);
        need(f, since_of_literal_form(LITERAL_BYTES), ir_op_loc(f->m, o), "the bytes of a ",
             "constant");
        break;
    }
}

static void fit_operand(fit *f, ir_op o, ir_value v)
{
    const value_node *n = &f->m->values.at[v < f->m->values.len ? v : 0];
    mark(f, n->type);
    if (since_of_literal(n) > f->version)
        need(f, since_of_literal(n), ir_op_loc(f->m, o), "such a literal", "");
}

static void fit_properties(fit *f, subject of, location at)
{
    const attributes *all = &f->m->props;
    for (uint32_t i = ir_attr_first(all, of); i; i = all->all.at[i].next) {
        const char *key = ir_str(f->m, all->all.at[i].key);
        const property_info *p = ir_property_info(ir_property_named(key));
        need(f, p->key ? p->since : since_of_section(SECTION_PROPERTIES), at,
             ir_property_is_required(f->m, all->all.at[i].key) ? "the property " : "the hint ",
             key);
    }
}

/* Judges the operations of a region, and leaves the regions inside of it to be done. */
static void fit_region(fit *f, ir_region r)
{
    ir_module *m = f->m;
    const region_node rn = *ir_region_at(m, r);
    for (uint32_t i = 0; i < rn.nparams; i++)
        mark(f, type_of(m, rn.params + i));
    for (ir_op o = rn.first; o; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        const op_info *info = ir_op_info(n.opcode);
        fit_operator(f, o);
        if (m->props.all.len)
            fit_properties(f, (subject){ON_OP, o}, ir_op_loc(m, o));
        mark(f, type_of(m, n.result));
        for (uint32_t i = 0; i < n.nargs && n.args + (uint64_t)i < m->pool.len; i++)
            fit_operand(f, o, m->pool.at[n.args + i]);
        fit_attr(f, o, &n, (attr_kind)info->attr);
        for (uint32_t i = 0; i < info->regions; i++)
            f->ok = vec_push(&m->cx->mem, &f->todo, n.regions + i) && f->ok;
    }
}

static void fit_function(fit *f, ir_func id)
{
    const func_node *fn = ir_func_at(f->m, id);
    fit_properties(f, (subject){ON_FUNC, id}, ir_loc_at(f->m, fn->loc));
    fit_kinds(f, NULL, fn->tparams, fn->ntypes, ir_loc_at(f->m, fn->loc));
    mark(f, fn->result);
    fit_region(f, fn->body);
    while (f->todo.len)
        fit_region(f, f->todo.at[--f->todo.len]);
}

/* Everything that is written; false: memory is short, or something does not fit. */
static bool fit_module(fit *f)
{
    ir_module *m = f->m;
    mem *mm = &m->cx->mem;
    f->ok = vec_reserve(mm, &f->types, m->types.len);
    if (f->ok) {
        memset(f->types.at, 0, m->types.len);
        f->types.len = m->types.len;
        for (ir_func fn = 1; fn < m->funcs.len; fn++)
            if (!m->funcs.at[fn].import)
                fit_function(f, fn);
        fit_types(f);
        fit_properties(f, (subject){ON_MODULE, 0}, (location){.file = m->file});
    }
    for (uint32_t i = 0; i < m->sections.len; i++)
        if (m->sections.at[i].flags)
            need(f, SINCE_FLAGS, (location){.file = m->file}, "keeping the flags of the section ",
                 ir_str(m, m->sections.at[i].name));
    vec_free(mm, &f->todo);
    vec_free(mm, &f->types);
    return f->ok;
}

uint32_t version_needed(ir_module *m)
{
    fit f = {.m = m, .version = 1};
    return fit_module(&f) ? f.version : FORMAT_VERSION;
}

bool version_fits(ir_module *m, uint32_t version)
{
    fit f = {.m = m, .version = version, .report = true};
    return version >= FORMAT_VERSION || fit_module(&f);
}

/* ---- reading an older version ---- */

bool version_upgrade_by(ir_module *m, uint32_t version, const upgrade *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].version > version && !steps[i].step(m))
            return false;
    return true;
}

/* The steps from 0.1 on.  There is none yet: no version has changed the meaning of anything.
 * The last entry is not run; it is there since an array cannot be empty. */
static const upgrade upgrades[] = {{0, NULL}};

bool version_upgrade_module(ir_module *m, uint32_t version)
{
    return version_upgrade_by(m, version, upgrades, sizeof upgrades / sizeof *upgrades - 1) &&
           version_upgrade_operators(m);
}
