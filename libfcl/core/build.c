/* The builder: types, functions, regions and operations through the public interface.
 *
 * Every call checks what it is given against the module before it touches it, so that a wrong id is
 * a diagnostic.  The first failure breaks the module and is reported; later calls return 0
 * silently.  Scopes, types and levels are the checker's. */
#include "libfcl/core/core.h"

#include "ir/append.h"
#include "ir/data.h"
#include "ir/rewrite/place.h"
#include "ir/scalar/scalar.h"
#include "serialize/text/listing.h"

#include <string.h>

/* ---- the public numbers are the tables' ---- */

#define SCALAR(e, wire, ...)                                                                       \
    _Static_assert((int)FCL_##e == wire, "fcl_scalar has the wire numbers");
#define KIND(e, wire, ...) _Static_assert((int)FCL_##e == wire, "fcl_kind has the wire numbers");
#define LEVEL(e, height, name, since)                                                              \
    _Static_assert((int)FCL_##e == height, "fcl_height has the heights");
#include "ir/types.def"
#undef SCALAR
#undef KIND
#undef LEVEL
_Static_assert((int)FCL_SCALAR_END == ST_COUNT && (int)FCL_MAX_RANK == MAX_RANK,
               "fcl.h knows every scalar type");

/* ---- failing ---- */

/* An id that the internal builder made, as it is inside; 0 means that memory is short. */
static uint32_t made(fcl_module *m, uint32_t id)
{
    m->broken = m->broken || !id;
    return id;
}

/* The same as callers see it. */
static uint32_t give(fcl_module *m, id_kind of, uint32_t id)
{
    return id_outside(m->stretch, of, made(m, id));
}

/* From what callers see to what is inside. */
static void take(const fcl_module *m, id_kind of, uint32_t *id)
{
    *id = id_inside(m->stretch, of, *id);
}

bool fcl_built(const fcl_module *m)
{
    if (!m)
        return false;
    return !m->broken;
}

/* ---- checks on what the caller gives ---- */

/* Each of these takes an id as callers see it, and leaves the one inside. */
static bool good_type(fcl_module *m, fcl_type *t)
{
    take(m, ID_TYPE, t);
    return !m->broken &&
           ((*t && *t < m->ir.types.len) || core_refuse(m, "this is not a type of this module"));
}

/* Of a variable that is inside already. */
static bool good_inner_tvar(fcl_module *m, ir_tvar v, bool is_level)
{
    if (m->broken)
        return false;
    if (!v || v >= m->ir.tvars.len)
        return core_refuse(m, "this is not a type or level variable of this module");
    return m->ir.tvars.at[v].is_level == is_level ||
           core_refuse(m, "%s is a %s variable here", ir_str(&m->ir, m->ir.tvars.at[v].name),
                       is_level ? "type" : "level");
}

static bool good_tvar(fcl_module *m, fcl_tvar *v, bool is_level)
{
    take(m, ID_TVAR, v);
    return good_inner_tvar(m, *v, is_level);
}

/* A variable in a level is one as callers see them. */
static bool good_level(fcl_module *m, fcl_level *l)
{
    if (level_base(*l) != LV_VAR)
        return !m->broken &&
               (level_base(*l) == LV_CONST || core_refuse(m, "%u is not a level", *l));
    fcl_tvar v = level_index(*l);
    take(m, ID_TVAR, &v);
    if (!good_inner_tvar(m, v, true))
        return false;
    *l = level_var(v) + level_offset(*l);
    return true;
}

static bool good_func(fcl_module *m, fcl_func *f)
{
    take(m, ID_FUNC, f);
    return !m->broken && ((*f && *f < m->ir.funcs.len) ||
                          core_refuse(m, "this is not a function of this module"));
}

static bool good_value(fcl_module *m, fcl_value *v)
{
    take(m, ID_VALUE, v);
    return !m->broken &&
           ((*v && *v < m->ir.values.len) || core_refuse(m, "this is not a value of this module"));
}

/* Several, which become m->taken; n may be 0. */
typedef bool good_id(fcl_module *m, uint32_t *id);
static const uint32_t *good_ids(fcl_module *m, good_id *good, const uint32_t *ids, size_t n)
{
    m->taken.len = 0;
    if (n > UINT32_MAX / 2 || !vec_reserve(&m->ir.cx->mem, &m->taken, n + 1)) {
        made(m, 0);
        return NULL;
    }
    if (n && !ids) {
        core_refuse(m, "a list of %zu ids is NULL", n);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t id = ids[i];
        if (!good(m, &id))
            return NULL;
        m->taken.at[m->taken.len++] = id;
    }
    return m->broken ? NULL : m->taken.at;
}

/* A region of an own function that takes more operations, inside already. */
static bool open_inner_region(fcl_module *m, ir_region r)
{
    if (m->broken)
        return false;
    if (!r || r >= m->ir.regions.len)
        return core_refuse(m, "this is not a region of this module");
    const region_node *n = ir_region_at(&m->ir, r);
    if (ir_func_at(&m->ir, n->func)->import)
        return core_refuse(m, "an imported function cannot be changed");
    return !n->last || core_inserts(m, r) ||
           ir_op_info(ir_op_at(&m->ir, n->last)->opcode)->has_result ||
           core_refuse(m, "the region is ended already: nothing comes after yield or return");
}

static bool open_region(fcl_module *m, fcl_region *r)
{
    take(m, ID_REGION, r);
    return open_inner_region(m, *r);
}

/* The characters that the text form allows in a name. */
static bool good_name(fcl_module *m, const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$'#";
    return !m->broken &&
           ((*name && !name[strspn(name, letters)]) ||
            core_refuse(m, "\"%s\" is not a name: letters, digits and _ . $ ' # make one", name));
}

/* The interned name; 0 for NULL and for a bad name, which breaks the module. */
static str_id name_of(fcl_module *m, const char *name)
{
    return name && good_name(m, name) ? made(m, intern_cstr(&m->ir.cx->strings, name)) : 0;
}

/* ---- positions ---- */

void fcl_at(fcl_module *m, const char *file, unsigned line, unsigned column)
{
    if (!m)
        return;
    str_id f = file && ir_line_is_valid(line) ? intern_cstr(&m->ir.cx->strings, file) : 0;
    m->at = f ? (location){.file = f, .line = line, .col = column, .len = 1} : (location){0};
    m->loc = 0;
}

/* The current position as an entry of the module; where the front end gives none, what is made is
 * to be found in the printed module. */
static uint32_t loc_here(fcl_module *m, subject of)
{
    if (!m->loc && m->at.file)
        m->loc = made(m, ir_add_loc(&m->ir, m->at));
    return m->at.file || !m->ir.file ? m->loc : ir_loc_later(of);
}

/* ---- types and levels ---- */

/* A type that ir/type/type.c made of good parts; 0: memory is short, or it nests too deep. */
static fcl_type made_type(fcl_module *m, ir_type t)
{
    if (!t && !m->broken && !m->ir.cx->mem.oom)
        core_refuse(m, "the type nests deeper than %u", m->ir.cx->limits.type_depth);
    return give(m, ID_TYPE, t);
}

fcl_type fcl_type_scalar(fcl_module *m, fcl_scalar s)
{
    if (!m)
        return 0;
    if (m->broken)
        return 0;
    if (s < FCL_BOOL || s >= FCL_SCALAR_END)
        return core_refuse(m, "%d is not a scalar type", (int)s);
    return made_type(m, type_scalar(&m->ir, (scalar)s));
}

fcl_type fcl_type_var(fcl_module *m, fcl_tvar v)
{
    if (!m)
        return 0;
    return good_tvar(m, &v, false) ? made_type(m, type_var(&m->ir, v)) : 0;
}

fcl_type fcl_type_tuple(fcl_module *m, const fcl_type *items, size_t n)
{
    if (!m)
        return 0;
    if (!m->broken && (n < 2 || n > UINT16_MAX))
        return core_refuse(m, "a tuple has from 2 to %d components, not %zu", UINT16_MAX, n);
    const fcl_type *taken = good_ids(m, good_type, items, n);
    return taken ? made_type(m, type_tuple(&m->ir, taken, (uint32_t)n)) : 0;
}

fcl_type fcl_type_function(fcl_module *m, fcl_type from, fcl_type to)
{
    if (!m)
        return 0;
    return good_type(m, &from) && good_type(m, &to) ? made_type(m, type_fun(&m->ir, from, to)) : 0;
}

fcl_type fcl_type_level_function(fcl_module *m, fcl_tvar v, fcl_type body)
{
    if (!m)
        return 0;
    return good_tvar(m, &v, true) && good_type(m, &body)
               ? made_type(m, type_abstract(&m->ir, body, v))
               : 0;
}

fcl_type fcl_type_forall(fcl_module *m, fcl_tvar v, fcl_type body)
{
    if (!m)
        return 0;
    return good_tvar(m, &v, false) && good_type(m, &body)
               ? made_type(m, type_abstract(&m->ir, body, v))
               : 0;
}

static bool good_rank(fcl_module *m, unsigned rank)
{
    return !m->broken &&
           ((rank >= 1 && rank <= MAX_RANK) ||
            core_refuse(m, "the rank of an array is from 1 to %d, not %u", MAX_RANK, rank));
}

fcl_type fcl_type_pull(fcl_module *m, fcl_type elem, unsigned rank)
{
    if (!m)
        return 0;
    return good_type(m, &elem) && good_rank(m, rank) ? made_type(m, type_pull(&m->ir, elem, rank))
                                                     : 0;
}

fcl_type fcl_type_push(fcl_module *m, fcl_type elem, unsigned rank, fcl_level l)
{
    if (!m)
        return 0;
    if (!good_type(m, &elem) || !good_rank(m, rank) || !good_level(m, &l))
        return 0;
    return made_type(m, type_push(&m->ir, elem, rank, l));
}

fcl_level fcl_level_const(fcl_height h)
{
    return h >= FCL_THREAD && h <= FCL_GRID ? level_const((uint32_t)h) : 0;
}

fcl_level fcl_level_var(fcl_tvar v)
{
    return v ? level_var(v) : 0;
}

fcl_level fcl_level_succ(fcl_level l)
{
    return level_succ(l);
}

static ir_tvar free_variable(fcl_module *m, const char *name, bool is_level, fcl_kind k)
{
    if (m->broken)
        return 0;
    if (!name)
        return core_refuse(m, "a type or level variable needs a name");
    str_id s = name_of(m, name);
    return m->broken ? 0 : made(m, ir_add_tvar(&m->ir, 0, s, is_level, (kind)k));
}

static bool known_kind(fcl_module *m, fcl_kind k)
{
    return k == FCL_KIND_INFER || ir_kind_exists(k) ||
           core_refuse(m, "there is no kind of number %u", (unsigned)k);
}

fcl_tvar fcl_type_variable(fcl_module *m, const char *name, fcl_kind k)
{
    if (!m)
        return 0;
    ir_tvar v = known_kind(m, k) ? free_variable(m, name, false, k) : 0;
    return id_outside(m->stretch, ID_TVAR, v);
}

fcl_tvar fcl_level_variable(fcl_module *m, const char *name)
{
    if (!m)
        return 0;
    return id_outside(m->stretch, ID_TVAR, free_variable(m, name, true, FCL_KIND_INFER));
}

/* ---- functions ---- */

/* in m->named: an imported function that is called or handed on */
#define CALLED (UINT32_C(1) << 31)

/* Enters the functions that are new; false when memory is short. */
static bool index_functions(fcl_module *m)
{
    for (ir_func f = m->entered ? m->entered : 1; f < m->ir.funcs.len; f++) {
        str_id s = m->ir.funcs.at[f].name;
        if (s >= m->named.len) {
            if (!vec_reserve(&m->ir.cx->mem, &m->named, s + 1 - m->named.len))
                return false;
            memset(m->named.at + m->named.len, 0,
                   (m->named.cap - m->named.len) * sizeof *m->named.at);
            m->named.len = m->named.cap;
        }
        m->named.at[s] = f;
        m->entered = f + 1;
    }
    return true;
}

/* What the index says of a name; NULL when it knows none of that name. */
static uint32_t *named_entry(fcl_module *m, str_id name)
{
    return name && name < m->named.len && m->named.at[name] ? &m->named.at[name] : NULL;
}

/* The function with that name; 0 when there is none. */
static ir_func func_named(fcl_module *m, str_id name)
{
    if (!index_functions(m))
        return ir_func_named(&m->ir, name);
    const uint32_t *entry = named_entry(m, name);
    return entry ? *entry & ~CALLED : 0;
}

/* As in the text form, own functions hide imported ones; not those that are called already. */
static bool free_name(fcl_module *m, str_id s, const char *name)
{
    ir_func f = func_named(m, s);
    if (!f)
        return true;
    if (!ir_func_at(&m->ir, f)->import)
        return core_refuse(m, "there is a function %s already", name);
    const uint32_t *entry = named_entry(m, s);
    return !entry || !(*entry & CALLED) ||
           core_refuse(m,
                       "the imported function %s is called already, so no other can have its name",
                       name);
}

/* f is called or handed on: if it is imported, no own function hides it, now or later. */
static bool name_is_f(fcl_module *m, ir_func f)
{
    str_id s = ir_func_at(&m->ir, f)->name;
    if (!ir_func_at(&m->ir, f)->import)
        return true;
    ir_func found = func_named(m, s);
    if (found && !ir_func_at(&m->ir, found)->import)
        return core_refuse(m, "the module's own function %s hides the imported one",
                           ir_str(&m->ir, s));
    uint32_t *entry = named_entry(m, s);
    if (entry)
        *entry |= CALLED;
    return true;
}

fcl_func fcl_function(fcl_module *m, const char *name, bool kernel)
{
    if (!m)
        return 0;
    if (m->broken)
        return 0;
    if (!name)
        return core_refuse(m, "a function needs a name");
    str_id s = name_of(m, name);
    if (m->broken || !free_name(m, s, name))
        return 0;
    uint32_t loc = loc_here(m, (subject){ON_FUNC, m->ir.funcs.len});
    return m->broken ? 0 : give(m, ID_FUNC, ir_add_func(&m->ir, s, kernel, loc));
}

/* A function whose head may still change: its body is empty. */
static bool open_head(fcl_module *m, fcl_func *f)
{
    if (!good_func(m, f))
        return false;
    const region_node *body = ir_region_at(&m->ir, ir_func_at(&m->ir, *f)->body);
    m->ir.checked = false;
    return open_inner_region(m, ir_func_at(&m->ir, *f)->body) &&
           (!body->first || core_refuse(m, "the head of function %s comes before its operations",
                                        ir_str(&m->ir, ir_func_at(&m->ir, *f)->name)));
}

static fcl_tvar head_variable(fcl_module *m, fcl_func f, const char *name, bool is_level,
                              fcl_kind k)
{
    if (!open_head(m, &f))
        return 0;
    const func_node fn = *ir_func_at(&m->ir, f);
    uint32_t n = (uint32_t)fn.ntypes + fn.nlevels;
    if (!name || (!is_level && fn.nlevels) || n == UINT16_MAX ||
        (n && fn.tparams + n != m->ir.tvars.len))
        return core_refuse(
            m,
            "function %s: its type parameters, then its level parameters, are named and "
            "added in one go",
            ir_str(&m->ir, fn.name));
    str_id s = name_of(m, name);
    return m->broken ? 0 : give(m, ID_TVAR, ir_add_func_tvar(&m->ir, f, s, is_level, (kind)k));
}

fcl_tvar fcl_type_param(fcl_module *m, fcl_func f, const char *name, fcl_kind k)
{
    if (!m)
        return 0;
    return known_kind(m, k) ? head_variable(m, f, name, false, k) : 0;
}

fcl_tvar fcl_level_param(fcl_module *m, fcl_func f, const char *name)
{
    if (!m)
        return 0;
    return head_variable(m, f, name, true, FCL_KIND_INFER);
}

void fcl_result_type(fcl_module *m, fcl_func f, fcl_type t)
{
    if (!m)
        return;
    if (!good_func(m, &f) || !good_type(m, &t))
        return;
    func_node *fn = ir_func_at(&m->ir, f);
    fn->result = t;
    fn->result_annotated = true;
    m->ir.checked = false;
}

fcl_region fcl_body(fcl_module *m, fcl_func f)
{
    if (!m)
        return 0;
    return good_func(m, &f) ? give(m, ID_REGION, ir_func_at(&m->ir, f)->body) : 0;
}

fcl_func fcl_function_named(fcl_module *m, const char *name)
{
    if (!m || !name)
        return 0;
    ir_func f = func_named(m, intern_find(&m->ir.cx->strings, name, strlen(name)));
    return id_outside(m->stretch, ID_FUNC, f);
}

/* ---- values ---- */

fcl_value fcl_param(fcl_module *m, fcl_region r, const char *name, fcl_type t)
{
    if (!m)
        return 0;
    if (!open_region(m, &r) || (t && !good_type(m, &t)))
        return 0;
    const region_node n = *ir_region_at(&m->ir, r);
    if (n.first || (n.nparams && n.params + n.nparams != m->ir.values.len))
        return core_refuse(
            m, "the parameters of a region are added in one go, before any other value");
    str_id s = name_of(m, name);
    m->ir.checked = false;
    return m->broken ? 0 : give(m, ID_VALUE, ir_add_param(&m->ir, r, t, s, t != 0));
}

static bool scalar_of_class(fcl_module *m, fcl_scalar s, const char *classes, const char *what)
{
    char c = s >= FCL_BOOL && s < FCL_SCALAR_END ? ir_scalar_class((scalar)s) : 0;
    return !m->broken && ((c && strchr(classes, c)) ||
                          core_refuse(m, "type %d has no %s constants", (int)s, what));
}

fcl_value fcl_const_int(fcl_module *m, fcl_scalar s, int64_t x)
{
    if (!m)
        return 0;
    if (!scalar_of_class(m, s, "IU", "integer"))
        return 0;
    uint64_t bits = scalar_wrap((scalar)s, (uint64_t)x);
    if (bits != (uint64_t)x)
        return core_refuse(m, "%lld does not fit %s", (long long)x, ir_scalar_name((scalar)s));
    return give(m, ID_VALUE, ir_written_const(&m->ir, (scalar)s, bits));
}

fcl_value fcl_const_float(fcl_module *m, fcl_scalar s, double x)
{
    if (!m)
        return 0;
    if (!scalar_of_class(m, s, "F", "floating"))
        return 0;
    return give(m, ID_VALUE, ir_written_const(&m->ir, (scalar)s, scalar_from_double((scalar)s, x)));
}

fcl_value fcl_const_bool(fcl_module *m, bool x)
{
    if (!m)
        return 0;
    return m->broken ? 0 : give(m, ID_VALUE, ir_const(&m->ir, ST_BOOL, x));
}

void fcl_value_name(fcl_module *m, fcl_value v, const char *name)
{
    if (!m)
        return;
    str_id s = name_of(m, name);
    if (good_value(m, &v) &&
        ir_value_at(&m->ir, v)->kind != V_CONST) /* which keeps its value there */
        ir_value_at(&m->ir, v)->name = s;
}

void fcl_value_type(fcl_module *m, fcl_value v, fcl_type t)
{
    if (!m)
        return;
    if (!good_value(m, &v) || !good_type(m, &t))
        return;
    if (ir_value_at(&m->ir, v)->kind != V_RESULT) {
        core_refuse(m, "only the result of an operation can be given a type afterwards");
        return;
    }
    ir_value_at(&m->ir, v)->type = t;
    ir_value_at(&m->ir, v)->annotated = 1;
    m->ir.checked = false;
}

/* ---- operations ---- */

typedef enum { WITHOUT_REGIONS, WITH_REGIONS } region_use;

/* The opcode of a name, if an operation of this form, with n operands, can be put into r. */
static opcode opcode_for(fcl_module *m, fcl_region *r, const char *name, attr_kind attr,
                         region_use use, size_t n)
{
    if (!open_region(m, r))
        return OP_NONE;
    if (!name)
        return (opcode)core_refuse(m, "an operator has a name: it is NULL");
    opcode code = ir_op_named(name, strlen(name));
    const op_info *info = ir_op_info(code);
    if (!info->name)
        return (opcode)core_refuse(m, "there is no operator %s", name);
    if (info->attr != attr || (info->regions != 0) != (use == WITH_REGIONS) || !info->has_result)
        return (opcode)core_refuse(
            m, "operator %s is not built by this call: see fcl.h for the one that does", name);
    if (n < info->min_args || n > info->max_args)
        return (opcode)core_refuse(m, "operator %s does not take %zu operands", name, n);
    return code;
}

/* Appends the operation; 0 when the module is broken or memory is short. */
static ir_op append(fcl_module *m, ir_region r, opcode code, const fcl_value *args, size_t n)
{
    const ir_value *taken = code ? good_ids(m, good_value, args, n) : NULL;
    uint32_t loc = taken ? loc_here(m, (subject){ON_OP, m->ir.ops.len}) : 0;
    if (!taken || m->broken)
        return 0;
    return made(m, m->rewrite ? core_insert(m, r, code, taken, (uint32_t)n, loc)
                              : ir_add_op(&m->ir, r, code, taken, (uint32_t)n, loc));
}

static fcl_value result_of(fcl_module *m, ir_op o)
{
    return o ? id_outside(m->stretch, ID_VALUE, ir_op_at(&m->ir, o)->result) : 0;
}

fcl_value fcl_op(fcl_module *m, fcl_region r, const char *op, const fcl_value *args, size_t n)
{
    if (!m)
        return 0;
    opcode code = opcode_for(m, &r, op, ATTR_NONE, WITHOUT_REGIONS, n);
    return result_of(m, append(m, r, code, args, n));
}

/* An operation of one operand with a level or a type as its attribute. */
static fcl_value op_attr(fcl_module *m, fcl_region r, const char *op, attr_kind kind_of,
                         uint32_t attr, fcl_value arg)
{
    opcode code = opcode_for(m, &r, op, kind_of, WITHOUT_REGIONS, 1);
    ir_op o = append(m, r, code, &arg, 1);
    if (o)
        ir_op_at(&m->ir, o)->attr = attr;
    return result_of(m, o);
}

fcl_value fcl_op_level(fcl_module *m, fcl_region r, const char *op, fcl_level l, fcl_value arg)
{
    if (!m)
        return 0;
    return good_level(m, &l) ? op_attr(m, r, op, ATTR_LEVEL, l, arg) : 0;
}

fcl_value fcl_op_type(fcl_module *m, fcl_region r, const char *op, fcl_type t, fcl_value arg)
{
    if (!m)
        return 0;
    return good_type(m, &t) ? op_attr(m, r, op, ATTR_TYPE, t, arg) : 0;
}

fcl_value fcl_op_array(fcl_module *m, fcl_region r, fcl_type elem, const fcl_value *args, size_t n)
{
    if (!m)
        return 0;
    if (!elem && !n)
        return core_refuse(m, "an array without elements needs its element type");
    fcl_value v = fcl_op(m, r, "array", args, n);
    if (v && elem)
        fcl_value_type(m, v, fcl_type_pull(m, elem, 1));
    return v;
}

fcl_value fcl_op_constant(fcl_module *m, fcl_region r, fcl_scalar s, const size_t *extents,
                          size_t rank, const void *data, size_t size)
{
    if (!m)
        return 0;
    uint32_t dims[MAX_RANK] = {0};
    ir_type t = scalar_of_class(m, s, "BIUF", "scalar") ? type_scalar(&m->ir, (scalar)s) : 0;
    if (rank > MAX_RANK || size > UINT32_MAX)
        return core_refuse(m, "a constant has 1 to %d dimensions and less than 4 GiB", MAX_RANK);
    if ((rank && !extents) || (size && !data))
        return core_refuse(m, "a constant has extents and bytes: one of them is NULL");
    for (size_t i = 0; i < rank; i++)
        dims[i] = extents[i] <= UINT32_MAX ? (uint32_t)extents[i] : UINT32_MAX;
    str_id bytes = intern_add(&m->ir.cx->strings, data, size);
    const char *wrong = t ? ir_data_wrong(&m->ir, t, dims, (uint32_t)rank, bytes) : NULL;
    if (wrong)
        return core_refuse(m, "a constant %s", wrong);
    ir_op o = append(m, r, opcode_for(m, &r, "constant", ATTR_DATA, WITHOUT_REGIONS, 0), NULL, 0);
    uint32_t inst = o ? ir_add_data(&m->ir, dims, (uint32_t)rank, bytes) : 0;
    ir_op_at(&m->ir, o)->attr = t;
    ir_op_at(&m->ir, o)->inst = inst;
    m->broken = m->broken || !inst;
    return m->broken ? 0 : result_of(m, o);
}

/* A region inside r may not nest deeper than the limit. */
static bool room_inside(fcl_module *m, ir_region r)
{
    uint32_t depth = 0;
    while (!m->broken && ir_region_at(&m->ir, r)->owner && depth++ < m->ir.cx->limits.region_depth)
        r = ir_op_at(&m->ir, ir_region_at(&m->ir, r)->owner)->parent;
    return !m->broken && (depth < m->ir.cx->limits.region_depth ||
                          core_refuse(m, "regions nest deeper than %u", depth));
}

fcl_value fcl_op_regions(fcl_module *m, fcl_region r, const char *op, const fcl_value *args,
                         size_t n, fcl_region *regions)
{
    if (!m)
        return 0;
    opcode code = opcode_for(m, &r, op, ATTR_NONE, WITH_REGIONS, n);
    if (!op || !regions)
        return core_refuse(m, "an operation with regions needs room for them: it is NULL");
    ir_op o = code && room_inside(m, r) ? append(m, r, code, args, n) : 0;
    ir_region first = ir_op_at(&m->ir, o)->regions;
    for (uint32_t i = 0; i < ir_op_info(ir_op_named(op, strlen(op)))->regions; i++)
        regions[i] = o ? id_outside(m->stretch, ID_REGION, first + i) : 0;
    return result_of(m, o);
}

/* The variables that a fn binds, as an instance; they lie in vars as well. */
static uint32_t bind_variables(fcl_module *m, ir_func f, size_t ntypes,
                               const char *const *type_names, size_t nlevels,
                               const char *const *level_names, fcl_tvar *vars)
{
    if (ntypes + nlevels > UINT16_MAX)
        return core_refuse(m, "a fn binds at most %d variables", UINT16_MAX);
    for (size_t i = 0; i < ntypes + nlevels; i++) {
        bool is_level = i >= ntypes;
        vars[i] = free_variable(m, is_level ? level_names[i - ntypes] : type_names[i], is_level,
                                FCL_KIND_INFER);
        if (vars[i])
            m->ir.tvars.at[vars[i]].func = f;
    }
    return m->broken ? 0
                     : made(m, ir_add_inst(&m->ir, vars, (uint32_t)ntypes, vars + ntypes,
                                           (uint32_t)nlevels));
}

/* Variables, as callers see them. */
static void show_variables(const fcl_module *m, fcl_tvar *vars, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vars[i] = id_outside(m->stretch, ID_TVAR, vars[i]);
}

fcl_value fcl_fn(fcl_module *m, fcl_region r, size_t ntypes, const char *const *type_names,
                 size_t nlevels, const char *const *level_names, fcl_tvar *vars, fcl_region *body)
{
    if (!m)
        return 0;
    if (!body || (ntypes && !type_names) || (nlevels && !level_names) ||
        (ntypes + nlevels && !vars))
        return core_refuse(m, "fn needs names and room for what it makes: one of them is NULL");
    *body = 0;
    opcode code = opcode_for(m, &r, "fn", ATTR_BIND, WITH_REGIONS, 0);
    ir_op o = code && room_inside(m, r) ? append(m, r, code, NULL, 0) : 0;
    if (!o)
        return 0;
    uint32_t inst = 0;
    if (ntypes + nlevels)
        inst = bind_variables(m, ir_region_at(&m->ir, r)->func, ntypes, type_names, nlevels,
                              level_names, vars);
    show_variables(m, vars, ntypes + nlevels);
    ir_op_at(&m->ir, o)->inst = inst;
    *body = give(m, ID_REGION, ir_op_at(&m->ir, o)->regions);
    return m->broken ? 0 : result_of(m, o);
}

/* An instance of such types and levels; 0 for none. */
static uint32_t instance(fcl_module *m, const fcl_type *types, size_t ntypes,
                         const fcl_level *levels, size_t nlevels)
{
    if ((ntypes && !types) || (nlevels && !levels))
        return core_refuse(m, "a list of types or levels is NULL");
    vec_u32 inside = {0};
    mem *mm = &m->ir.cx->mem;
    uint32_t inst = 0;
    bool ok = ntypes + nlevels > 0 && (vec_reserve(mm, &inside, ntypes + nlevels) || made(m, 0));
    for (size_t i = 0; ok && i < ntypes + nlevels; i++) {
        uint32_t id = i < ntypes ? types[i] : levels[i - ntypes];
        ok = i < ntypes ? good_type(m, &id) : good_level(m, &id);
        inside.at[inside.len++] = id;
    }
    if (ok)
        inst = made(m, ir_add_inst(&m->ir, inside.at, (uint32_t)ntypes, inside.at + ntypes,
                                   (uint32_t)nlevels));
    vec_free(mm, &inside);
    return inst;
}

/* call and func: an operation on a function of the module, at an instance. */
static fcl_value op_func(fcl_module *m, fcl_region r, const char *op, fcl_func f,
                         const fcl_type *types, size_t ntypes, const fcl_level *levels,
                         size_t nlevels, const fcl_value *args, size_t n)
{
    if (!good_func(m, &f) || !name_is_f(m, f))
        return 0;
    if (ntypes > UINT16_MAX || nlevels > UINT16_MAX)
        return core_refuse(m, "an instance has at most %d types and levels", UINT16_MAX);
    opcode code = opcode_for(m, &r, op, ATTR_CALL, WITHOUT_REGIONS, n);
    uint32_t inst = code ? instance(m, types, ntypes, levels, nlevels) : 0;
    ir_op o = append(m, r, code, args, n);
    if (!o)
        return 0;
    ir_op_at(&m->ir, o)->attr = f;
    ir_op_at(&m->ir, o)->inst = inst;
    return result_of(m, o);
}

fcl_value fcl_call(fcl_module *m, fcl_region r, fcl_func f, const fcl_type *types, size_t ntypes,
                   const fcl_level *levels, size_t nlevels, const fcl_value *args, size_t n)
{
    if (!m)
        return 0;
    return op_func(m, r, "call", f, types, ntypes, levels, nlevels, args, n);
}

fcl_value fcl_func_value(fcl_module *m, fcl_region r, fcl_func f, const fcl_type *types,
                         size_t ntypes, const fcl_level *levels, size_t nlevels)
{
    if (!m)
        return 0;
    return op_func(m, r, "func", f, types, ntypes, levels, nlevels, NULL, 0);
}

/* ---- graphs ---- */

/* The entry of a function; NULL when memory is short. */
static graph_start *graph_entry(fcl_module *m, ir_func f)
{
    if (f >= m->graphs.len) {
        if (!vec_reserve(&m->ir.cx->mem, &m->graphs, f + 1 - m->graphs.len))
            return NULL;
        memset(m->graphs.at + m->graphs.len, 0,
               (m->graphs.cap - m->graphs.len) * sizeof *m->graphs.at);
        m->graphs.len = m->graphs.cap;
    }
    return &m->graphs.at[f];
}

fcl_region fcl_graph(fcl_module *m, fcl_func f)
{
    if (!m)
        return 0;
    if (!good_func(m, &f))
        return 0;
    if (m->rewrite)
        return core_refuse(m, "a graph cannot begin while the module is rewritten");
    ir_region body = ir_func_at(&m->ir, f)->body;
    if (!open_inner_region(m, body))
        return 0;
    graph_start *start = graph_entry(m, f);
    if (ir_region_at(&m->ir, body)->first || (start && start->op))
        return core_refuse(m, "function %s has operations already, so it cannot become a graph",
                           ir_str(&m->ir, ir_func_at(&m->ir, f)->name));
    ir_region pool = start ? ir_add_regions(&m->ir, 0, 1, f) : 0;
    if (pool)
        *start = (graph_start){.op = m->ir.ops.len, .pool = pool};
    return give(m, ID_REGION, pool);
}

/* Its last operation is there: finds the places of all, where it is a graph. */
static void end_graph(fcl_module *m, ir_func f)
{
    graph_start start = f < m->graphs.len ? m->graphs.at[f] : (graph_start){0};
    if (!start.op || m->broken)
        return;
    m->graphs.at[f] = (graph_start){0};
    if (ir_place_graph(&m->ir, f, start.op, start.pool))
        return;
    m->broken = true;
    if (!m->ir.cx->mem.oom)
        listing_resolve(&m->ir);
}

/* ---- ends of regions ---- */

static void end_region(fcl_module *m, fcl_region r, opcode code, fcl_value v)
{
    if (!open_region(m, &r))
        return;
    bool body = ir_region_at(&m->ir, r)->owner == 0;
    if (body == (code == OP_RETURN))
        append(m, r, code, &v, 1);
    else
        core_refuse(m, body ? "a function's body ends with return"
                            : "a nested region ends with yield");
}

void fcl_yield(fcl_module *m, fcl_region r, fcl_value v)
{
    if (!m)
        return;
    end_region(m, r, OP_YIELD, v);
}

void fcl_return(fcl_module *m, fcl_region r, fcl_value v)
{
    if (!m)
        return;
    end_region(m, r, OP_RETURN, v);
    take(m, ID_REGION, &r);
    end_graph(m, ir_region_at(&m->ir, r)->func);
}
