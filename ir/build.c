/* Building modules: see ir.h.  Each function returns the new id, or 0 when memory is short.
 *
 * Vectors are reserved before any of them is written, so that an operation is appended whole or
 * not at all.  Appending takes constant time, and nothing of the structure is checked here:
 * ir_verify looks at the whole when it is built. */
#include "ir/append.h"

/* ---- positions ---- */

/* The number of a file among the module's; LOC_LONG when there are too many, or memory is short. */
static uint32_t loc_file(ir_module *m, str_id file)
{
    vec_u32 *files = &m->loc_files;
    uint32_t last = m->locs.at[m->locs.len - 1].file; /* positions come file by file */
    if (last != LOC_LONG && files->at[last] == file)
        return last;
    for (uint32_t i = files->len; i-- > 0;)
        if (files->at[i] == file)
            return i;
    return files->len < LOC_LONG && vec_push(&m->cx->mem, files, file) ? files->len - 1 : LOC_LONG;
}

static bool pack_location(ir_module *m, location l, packed_location *out)
{
    uint32_t file = l.col <= UINT16_MAX && l.len <= UINT8_MAX ? loc_file(m, l.file) : LOC_LONG;
    if (file == LOC_LONG) {
        *out = (packed_location){.line = m->long_locs.len, .file = LOC_LONG};
        return vec_push(&m->cx->mem, &m->long_locs, l);
    }
    *out = (packed_location){l.line, (uint16_t)l.col, (uint8_t)l.len, (uint8_t)file};
    return true;
}

static bool same_location(const packed_location *a, const packed_location *b)
{
    return a->line == b->line && a->col == b->col && a->len == b->len && a->file == b->file;
}

uint32_t ir_add_loc(ir_module *m, location l)
{
    packed_location p;
    uint32_t last = m->locs.len - 1;
    if (!pack_location(m, l, &p))
        return 0;
    if (last && same_location(&m->locs.at[last], &p))
        return last;
    return vec_push(&m->cx->mem, &m->locs, p) ? last + 1 : 0;
}

/* ---- nodes ---- */

static ir_region add_region(ir_module *m, ir_op owner, ir_func f)
{
    return vec_push(&m->cx->mem, &m->regions, ((region_node){.owner = owner, .func = f}))
               ? m->regions.len - 1
               : 0;
}

ir_func ir_add_func(ir_module *m, str_id name, bool kernel, uint32_t loc)
{
    m->checked = false;
    ir_func f = m->funcs.len;
    ir_region body = add_region(m, 0, f);
    func_node n = {.name = name, .body = body, .loc = loc, .kernel = kernel};
    return body && vec_push(&m->cx->mem, &m->funcs, n) ? f : 0;
}

ir_tvar ir_add_tvar(ir_module *m, ir_func f, str_id name, bool is_level, kind k)
{
    tvar_node n = {.name = name,
                   .is_level = is_level,
                   .kind = (uint8_t)k,
                   .annotated = k != KIND_NONE,
                   .func = f};
    return vec_push(&m->cx->mem, &m->tvars, n) ? m->tvars.len - 1 : 0;
}

ir_tvar ir_add_func_tvar(ir_module *m, ir_func f, str_id name, bool is_level, kind k)
{
    ir_tvar v = ir_add_tvar(m, f, name, is_level, k);
    func_node *fn = ir_func_at(m, f);
    if (!v || !f)
        return 0;
    if (fn->ntypes + fn->nlevels == 0)
        fn->tparams = v;
    if (is_level)
        fn->nlevels++;
    else
        fn->ntypes++;
    return v;
}

/* Parameters of a region are consecutive values, which is why they come before anything else is
 * added. */
ir_value ir_add_param(ir_module *m, ir_region r, ir_type t, str_id name, bool annotated)
{
    if (!r || !vec_reserve(&m->cx->mem, &m->values, 1))
        return 0;
    value_node n = {.type = t,
                    .def = r,
                    .name = name,
                    .slot = ir_region_at(m, r)->nslots++ & SLOT_MASK,
                    .kind = V_PARAM};
    n.annotated = annotated & 1u;
    m->values.at[m->values.len++] = n;
    region_node *rn = ir_region_at(m, r);
    if (rn->nparams++ == 0)
        rn->params = m->values.len - 1;
    return m->values.len - 1;
}

ir_region ir_add_regions(ir_module *m, ir_op o, uint32_t n, ir_func f)
{
    ir_region first = m->regions.len;
    for (uint32_t i = 0; i < n; i++)
        if (!add_region(m, o, f))
            return 0;
    return first;
}

ir_op ir_add_op(ir_module *m, ir_region r, opcode code, const ir_value *args, uint32_t nargs,
                uint32_t loc)
{
    mem *mm = &m->cx->mem;
    const op_info *info = ir_op_info(code);
    if (!r || nargs > OPERANDS_MANY || !vec_reserve(mm, &m->ops, 1) ||
        !vec_reserve(mm, &m->pool, nargs) || !vec_reserve(mm, &m->values, 1))
        return 0;
    m->checked = false;
    ir_region regions = 0;
    if (info->regions &&
        !(regions = ir_add_regions(m, m->ops.len, info->regions, ir_region_at(m, r)->func)))
        return 0;
    for (uint32_t i = 0; i < nargs; i++)
        m->pool.at[m->pool.len++] = args[i];
    ir_op o = ir_append_op(m, r, code, nargs, loc, info->has_result);
    m->ops.at[o].regions = regions;
    return o;
}

/* The two counts come first, so that an instance can be read without its function: [ntypes,
 * nlevels, types..., levels...]. */
uint32_t ir_add_inst(ir_module *m, const uint32_t *types, uint32_t ntypes, const uint32_t *levels,
                     uint32_t nlevels)
{
    if (!vec_reserve(&m->cx->mem, &m->pool, 2 + (uint64_t)ntypes + nlevels))
        return 0;
    uint32_t at = m->pool.len;
    m->pool.at[m->pool.len++] = ntypes;
    m->pool.at[m->pool.len++] = nlevels;
    for (uint32_t i = 0; i < ntypes; i++)
        m->pool.at[m->pool.len++] = types[i];
    for (uint32_t i = 0; i < nlevels; i++)
        m->pool.at[m->pool.len++] = levels[i];
    return at;
}

/* Constants are values of no region: they are visible everywhere, and equal ones are not shared,
 * since the type of an undecided literal is that of its one use. */
static ir_value add_const(ir_module *m, ir_type t, literal_kind k, uint64_t bits)
{
    if (!vec_reserve(&m->cx->mem, &m->values, 1))
        return 0;
    value_node *v = &m->values.at[m->values.len];
    *v = (value_node){
        .type = t, .low = (uint32_t)bits, .high = (uint32_t)(bits >> 32), .kind = V_CONST};
    v->literal = (uint32_t)k & 3u;
    return m->values.len++;
}

ir_value ir_const(ir_module *m, scalar s, uint64_t bits)
{
    return add_const(m, type_scalar(m, s), LIT_TYPED, bits);
}

ir_value ir_written_const(ir_module *m, scalar s, uint64_t bits)
{
    ir_value v = ir_const(m, s, bits);
    if (v)
        m->values.at[v].annotated = 1;
    return v;
}

void ir_accept_literals(ir_module *m)
{
    for (ir_value v = 1; v < m->values.len; v++)
        if (m->values.at[v].kind == V_CONST)
            m->values.at[v].annotated = 0;
}

ir_value ir_literal(ir_module *m, literal_kind k, uint64_t bits)
{
    return add_const(m, 0, k, bits);
}
