/* Reading modules through the public interface: functions, regions, operations, values.
 *
 * Everything is a copy of what a node says, with ids as callers see them; an id that the module
 * does not have reads entry 0 and is refused.  Constant time each, except for positions in a text,
 * whose lines are counted at the first question. */
#include "libfcl/core/core.h"

#include "ir/data.h"
#include "ir/properties.h"
#include "serialize/version.h"

#include <limits.h>
#include <string.h>

/* ---- operators ---- */

#define SAME_ATTACHED(of, inside)                                                                  \
    _Static_assert((int)FCL_ATTACHED_##of == (int)ATTR_##inside, "fcl_attached is attr_kind")
SAME_ATTACHED(NOTHING, NONE);
SAME_ATTACHED(LEVEL, LEVEL);
SAME_ATTACHED(TYPE, TYPE);
SAME_ATTACHED(FUNCTION, CALL);
SAME_ATTACHED(VARIABLES, BIND);
SAME_ATTACHED(DATA, DATA);

#define EFFECT(of, ...)                                                                            \
    _Static_assert((int)FCL_EFFECT_##of == (int)EFFECT_##of, "fcl_effect is op_effect");
#include "ir/ops.def"
#undef EFFECT

fcl_opcode fcl_opcode_named(const char *name)
{
    return name ? ir_op_named(name, strlen(name)) : 0;
}

fcl_opcode fcl_opcode_next(fcl_opcode after)
{
    while (after < OP_END && (!ir_op_info(++after)->name || ir_op_info(after)->is_old))
        ;
    return after < OP_END ? after : 0;
}

bool fcl_opcode_about(fcl_opcode code, fcl_opcode_info *out, size_t size)
{
    const op_info *info = ir_op_info(code);
    if (!info->name)
        return false;
    fcl_opcode_info x = {.name = info->name,
                         .least = info->min_args,
                         .most = info->max_args == OPERANDS_MANY ? SIZE_MAX : info->max_args,
                         .regions = info->regions,
                         .attached = (fcl_attached)info->attr,
                         .has_result = info->has_result,
                         .is_scalar = info->is_scalar,
                         .since = info->since,
                         .effect = (fcl_effect)info->effect,
                         .formula = info->formula};
    return ABI_GIVE(out, size, x);
}

/* ---- positions and attributes ---- */

/* None where nobody gave one: the printed module has it then, when there is something to report. */
static bool give_position(const fcl_module *m, uint32_t number, fcl_position *out, size_t size)
{
    location l = ir_loc_at(&m->ir, number);
    if (!l.file || !l.line || l.line == LOC_LATER)
        return false;
    fcl_position x = {.file = ir_str(&m->ir, l.file),
                      .line = l.line,
                      .column = l.col,
                      .length = l.len,
                      .given = ir_loc_is_given(&m->ir, number)};
    return ABI_GIVE(out, size, x);
}

bool core_attribute(const fcl_module *m, const attributes *from, subject of, size_t i,
                    fcl_attribute *out, size_t size)
{
    uint32_t at = ir_attr_first(from, of);
    while (at && i--)
        at = from->all.at[at].next;
    if (!at)
        return false;
    const attribute *a = &from->all.at[at];
    fcl_attribute x = {.key = ir_str(&m->ir, a->key), .number = a->number};
    if (a->is_text) {
        x.text = ir_str(&m->ir, a->text);
        x.size = intern_len(&m->ir.cx->strings, a->text);
    }
    return ABI_GIVE(out, size, x);
}

/* ---- modules and functions ---- */

unsigned fcl_module_version(fcl_module *m)
{
    if (!m)
        return 0;
    return version_needed(&m->ir);
}

const char *fcl_import_name(const fcl_module *m, size_t i, bool *indirect)
{
    if (!m)
        return NULL;
    if (i >= m->ir.imports.len)
        return NULL;
    const import_node *n = &m->ir.imports.at[i];
    if (indirect)
        *indirect = n->indirect;
    return ir_str(&m->ir, n->name);
}

static const func_node *func_of(const fcl_module *m, fcl_func f)
{
    uint32_t i = id_inside(m->stretch, ID_FUNC, f);
    return i && i < m->ir.funcs.len ? &m->ir.funcs.at[i] : NULL;
}

fcl_func fcl_function_next(const fcl_module *m, fcl_func after)
{
    if (!m)
        return 0;
    uint32_t i = id_inside(m->stretch, ID_FUNC, after) + 1;
    return i && i < m->ir.funcs.len ? id_outside(m->stretch, ID_FUNC, i) : 0;
}

/* NULL for the module's own. */
static const char *import_of(const fcl_module *m, uint32_t import)
{
    return import && import <= m->ir.imports.len ? ir_str(&m->ir, m->ir.imports.at[import - 1].name)
                                                 : NULL;
}

bool fcl_function_about(const fcl_module *m, fcl_func f, fcl_function_info *out, size_t size)
{
    if (!m)
        return false;
    const func_node *n = func_of(m, f);
    if (!n)
        return false;
    fcl_function_info x = {.name = ir_str(&m->ir, n->name),
                           .kernel = n->kernel,
                           .import = import_of(m, n->import),
                           .types = n->ntypes,
                           .levels = n->nlevels,
                           .body = id_outside(m->stretch, ID_REGION, n->body),
                           .result = id_outside(m->stretch, ID_TYPE, n->result)};
    return ABI_GIVE(out, size, x);
}

fcl_tvar fcl_function_variable(const fcl_module *m, fcl_func f, size_t i)
{
    if (!m)
        return 0;
    const func_node *n = func_of(m, f);
    return n && i < (size_t)n->ntypes + n->nlevels
               ? id_outside(m->stretch, ID_TVAR, n->tparams + (uint32_t)i)
               : 0;
}

bool fcl_function_position(const fcl_module *m, fcl_func f, fcl_position *out, size_t size)
{
    if (!m)
        return false;
    const func_node *n = func_of(m, f);
    return n && give_position(m, n->loc, out, size);
}

/* ---- regions and operations ---- */

static const region_node *region_of(const fcl_module *m, fcl_region r)
{
    uint32_t i = id_inside(m->stretch, ID_REGION, r);
    return i && i < m->ir.regions.len ? &m->ir.regions.at[i] : NULL;
}

bool fcl_region_about(const fcl_module *m, fcl_region r, fcl_region_info *out, size_t size)
{
    if (!m)
        return false;
    const region_node *n = region_of(m, r);
    if (!n)
        return false;
    fcl_region_info x = {.function = id_outside(m->stretch, ID_FUNC, n->func),
                         .owner = id_outside(m->stretch, ID_OP, n->owner),
                         .params = n->nparams,
                         .first = id_outside(m->stretch, ID_OP, n->first),
                         .last = id_outside(m->stretch, ID_OP, n->last)};
    return ABI_GIVE(out, size, x);
}

fcl_value fcl_region_param(const fcl_module *m, fcl_region r, size_t i)
{
    if (!m)
        return 0;
    const region_node *n = region_of(m, r);
    return n && i < n->nparams ? id_outside(m->stretch, ID_VALUE, n->params + (uint32_t)i) : 0;
}

static const op_node *op_of(const fcl_module *m, fcl_operation o)
{
    uint32_t i = id_inside(m->stretch, ID_OP, o);
    return i && i < m->ir.ops.len ? &m->ir.ops.at[i] : NULL;
}

fcl_operation fcl_operation_next(const fcl_module *m, fcl_operation o)
{
    if (!m)
        return 0;
    const op_node *n = op_of(m, o);
    return n ? id_outside(m->stretch, ID_OP, n->next) : 0;
}

static uint32_t pool_at(const fcl_module *m, uint32_t at)
{
    return at < m->ir.pool.len ? m->ir.pool.at[at] : 0;
}

bool fcl_operation_about(const fcl_module *m, fcl_operation o, fcl_operation_info *out, size_t size)
{
    if (!m)
        return false;
    const op_node *n = op_of(m, o);
    if (!n)
        return false;
    const op_info *info = ir_op_info(n->opcode);
    fcl_operation_info x = {.code = n->opcode,
                            .region = id_outside(m->stretch, ID_REGION, n->parent),
                            .result = id_outside(m->stretch, ID_VALUE, n->result),
                            .operands = n->nargs,
                            .regions = info->regions,
                            .attached = (fcl_attached)info->attr};
    if (info->attr == ATTR_LEVEL)
        x.level = core_level(m, n->attr);
    if (info->attr == ATTR_TYPE)
        x.type = id_outside(m->stretch, ID_TYPE, n->attr);
    if (info->attr == ATTR_CALL)
        x.function = id_outside(m->stretch, ID_FUNC, n->attr);
    if (n->inst && info->attr != ATTR_DATA) {
        x.types = pool_at(m, n->inst);
        x.levels = pool_at(m, n->inst + 1);
    }
    return ABI_GIVE(out, size, x);
}

fcl_value fcl_operation_operand(const fcl_module *m, fcl_operation o, size_t i)
{
    if (!m)
        return 0;
    const op_node *n = op_of(m, o);
    return n && i < n->nargs ? id_outside(m->stretch, ID_VALUE, pool_at(m, n->args + (uint32_t)i))
                             : 0;
}

fcl_region fcl_operation_region(const fcl_module *m, fcl_operation o, size_t i)
{
    if (!m)
        return 0;
    const op_node *n = op_of(m, o);
    return n && i < ir_op_info(n->opcode)->regions
               ? id_outside(m->stretch, ID_REGION, n->regions + (uint32_t)i)
               : 0;
}

/* Entry i of an operation's instance, of those that are attached as `attr` says; `part` 0: types,
 * 1: levels, 2: both. */
static uint32_t instance_at(const fcl_module *m, fcl_operation o, attr_kind attr, int part,
                            size_t i)
{
    const op_node *n = op_of(m, o);
    if (!n || !n->inst || ir_op_info(n->opcode)->attr != attr)
        return 0;
    uint32_t types = pool_at(m, n->inst), levels = pool_at(m, n->inst + 1);
    uint32_t first = part == 1 ? types : 0, count = part == 0   ? types
                                                    : part == 1 ? levels
                                                                : types + levels;
    return i < count ? pool_at(m, n->inst + 2 + first + (uint32_t)i) : 0;
}

fcl_type fcl_operation_type(const fcl_module *m, fcl_operation o, size_t i)
{
    if (!m)
        return 0;
    return id_outside(m->stretch, ID_TYPE, instance_at(m, o, ATTR_CALL, 0, i));
}

fcl_level fcl_operation_level(const fcl_module *m, fcl_operation o, size_t i)
{
    if (!m)
        return 0;
    return core_level(m, instance_at(m, o, ATTR_CALL, 1, i));
}

fcl_tvar fcl_operation_variable(const fcl_module *m, fcl_operation o, size_t i)
{
    if (!m)
        return 0;
    return id_outside(m->stretch, ID_TVAR, instance_at(m, o, ATTR_BIND, 2, i));
}

bool fcl_operation_position(const fcl_module *m, fcl_operation o, fcl_position *out, size_t size)
{
    if (!m)
        return false;
    const op_node *n = op_of(m, o);
    return n && give_position(m, n->loc, out, size);
}

bool fcl_operation_attribute(const fcl_module *m, fcl_operation o, size_t i, fcl_attribute *out,
                             size_t size)
{
    if (!m)
        return false;
    subject of = {ON_OP, id_inside(m->stretch, ID_OP, o)};
    return op_of(m, o) && core_attribute(m, &m->ir.attrs, of, i, out, size);
}

bool fcl_operation_property(const fcl_module *m, fcl_operation o, size_t i, fcl_attribute *out,
                            size_t size)
{
    if (!m)
        return false;
    subject of = {ON_OP, id_inside(m->stretch, ID_OP, o)};
    return op_of(m, o) && core_attribute(m, &m->ir.props, of, i, out, size);
}

bool fcl_operation_constant(const fcl_module *m, fcl_operation o, fcl_constant *out, size_t size)
{
    if (!m)
        return false;
    const op_node *n = op_of(m, o);
    bool holds = n && ir_op_info(n->opcode)->attr == ATTR_DATA;
    ir_data d = holds ? ir_op_data(&m->ir, id_inside(m->stretch, ID_OP, o)) : (ir_data){0};
    if (!d.rank)
        return false;
    fcl_constant x = {.type = (fcl_scalar)d.type,
                      .rank = d.rank,
                      .data = ir_str(&m->ir, d.bytes),
                      .size = intern_len(&m->ir.cx->strings, d.bytes)};
    for (uint32_t i = 0; i < d.rank; i++)
        x.extents[i] = d.extents[i];
    return ABI_GIVE(out, size, x);
}

bool fcl_property_required(const char *key)
{
    return key && ir_property_info(ir_property_named(key))->required;
}

/* ---- values and variables ---- */

#define SAME_VALUE(of, inside)                                                                     \
    _Static_assert((int)FCL_VALUE_##of == (int)V_##inside, "fcl_value_kind is value_kind")
SAME_VALUE(RESULT, RESULT);
SAME_VALUE(PARAM, PARAM);
SAME_VALUE(CONSTANT, CONST);

#define SAME_LITERAL(of, inside)                                                                   \
    _Static_assert((int)FCL_LITERAL_##of == (int)LIT_##inside, "fcl_literal is literal_kind")
SAME_LITERAL(TYPED, TYPED);
SAME_LITERAL(INT, INT);
SAME_LITERAL(NEGATIVE, NEG);
SAME_LITERAL(FLOAT, FLOAT);

/* What only constants, parameters and results have. */
static void read_constant(const fcl_module *m, uint32_t v, fcl_value_info *x)
{
    const value_node *n = &m->ir.values.at[v];
    x->literal = (fcl_literal)n->literal;
    x->bits = ir_const_bits(&m->ir, v);
    if (n->literal == LIT_TYPED)
        x->scalar = (fcl_scalar)type_as_scalar(&m->ir, n->type);
}

static void read_bound(const fcl_module *m, uint32_t v, fcl_value_info *x)
{
    const value_node *n = &m->ir.values.at[v];
    uint32_t region = ir_value_region(&m->ir, v);
    x->name = ir_str(&m->ir, n->name);
    x->region = id_outside(m->stretch, ID_REGION, region);
    if (n->kind == V_RESULT)
        x->operation = id_outside(m->stretch, ID_OP, n->def);
    else if (region < m->ir.regions.len)
        x->number = v - m->ir.regions.at[region].params;
}

bool fcl_value_about(const fcl_module *m, fcl_value v, fcl_value_info *out, size_t size)
{
    if (!m)
        return false;
    uint32_t i = id_inside(m->stretch, ID_VALUE, v);
    if (!i || i >= m->ir.values.len || m->ir.values.at[i].kind == V_NONE)
        return false;
    const value_node *n = &m->ir.values.at[i];
    fcl_value_info x = {.kind = (fcl_value_kind)n->kind,
                        .type = id_outside(m->stretch, ID_TYPE, n->type),
                        .stated = n->annotated,
                        .name = ""};
    if (n->kind == V_CONST)
        read_constant(m, i, &x);
    else
        read_bound(m, i, &x);
    return ABI_GIVE(out, size, x);
}

bool fcl_variable_about(const fcl_module *m, fcl_tvar v, fcl_variable_info *out, size_t size)
{
    if (!m)
        return false;
    uint32_t i = id_inside(m->stretch, ID_TVAR, v);
    if (!i || i >= m->ir.tvars.len)
        return false;
    const tvar_node *n = &m->ir.tvars.at[i];
    fcl_variable_info x = {.name = ir_str(&m->ir, n->name),
                           .is_level = n->is_level,
                           .kind = (fcl_kind)n->kind,
                           .stated = n->annotated,
                           .function = id_outside(m->stretch, ID_FUNC, n->func)};
    return ABI_GIVE(out, size, x);
}

const char *fcl_kind_name(fcl_kind k)
{
    return ir_kind_name((kind)k);
}
