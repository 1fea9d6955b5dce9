/* The sections `functions` and `code`: see binary/make.h and docs/format.md.
 *
 * A function's code is one flat array of numbers.  The walk keeps a stack of open regions and one
 * of visible values: an operand is its distance from the top of that stack, so that what is not
 * visible has no number.  One pass, linear; nothing recurses.  `put` functions return how many
 * numbers they packed, which is the length of the function's array; a module that turns out not to
 * be valid clears w->valid, and what was packed is thrown away. */
#include "ir/data.h"
#include "serialize/binary/make.h"

/* More than there are most often: what is not used costs less than growing. */
enum { BYTES_PER_OP = 4, BYTES_PER_OPERAND = 4 };

/* ---- values ---- */

/* Where a name's entry in `shown` is; 0: it has none. */
static inline uint32_t shown_at(maker *w, str_id name)
{
    uint32_t at = name & NAME_NUMBER ? w->first_number + (name & ~NAME_NUMBER) : name;
    if (at < w->shown.len)
        return at;
    w->clash = true; /* nothing is known of it: let the text form decide */
    return 0;
}

/* From here on the value, whose name has that entry, is visible. */
static inline void show(maker *w, ir_value v, uint32_t entry)
{
    if (v >= w->place.len)
        w->valid = false;
    if (!w->valid || !vec_push(w->mm, &w->visible, v))
        return;
    w->place.at[v] = w->visible.len;
    w->shown.at[entry] = w->visible.len;
}

/* Here the value is bound: its name comes next, and must not be visible yet.  The entry of the
 * name. */
static inline uint32_t introduce(maker *w, ir_value v, str_id name)
{
    uint32_t entry = shown_at(w, name), at = name ? w->shown.at[entry] : 0;
    if (at && at <= w->visible.len && ir_value_at(w->m, w->visible.at[at - 1])->name == name)
        w->clash = true;
    vec_push(w->mm, &w->values, v);
    return entry;
}

/* The place of a value among the visible ones, from 1; 0 when it is none of them.  What was left
 * behind in `place` by a region that is closed does not lead back to the value. */
static inline uint32_t place_of(const maker *w, ir_value v)
{
    uint32_t at = v < w->place.len ? w->place.at[v] : 0;
    return at - 1 < w->visible.len && w->visible.at[at - 1] == v ? at : 0;
}

/* What has no place is a constant, or is not visible. */
static int64_t constant_operand(maker *w, ir_value v)
{
    if (ir_value_at(w->m, v)->kind != V_CONST)
        w->valid = false;
    return w->valid ? -1 - (int64_t)bin_constant_number(w, v) : 0;
}

/* A value is the number of those that are visible from it on. */
static inline void put_operand(maker *w, packer *k, ir_value v)
{
    uint32_t at = place_of(w, v);
    if (at)
        pack_uint32(k, w->visible.len - at + 1);
    else
        pack_int64(k, constant_operand(w, v));
}

/* ---- functions ---- */

/* Own functions have their numbers from write_heads; an imported one gets the next at its first
 * call. */
static uint32_t function_number(maker *w, ir_func f)
{
    if (!f || f >= w->func_number.len) {
        w->valid = false;
        return 0;
    }
    if (!w->func_number.at[f] && vec_push(w->mm, &w->externals, f))
        w->func_number.at[f] = w->nfuncs + w->externals.len;
    return w->func_number.at[f] - 1;
}

/* ---- operations ---- */

/* The module may be malformed: what is behind the end of the pool is 0. */
static uint32_t pool_at(const ir_module *m, uint32_t at)
{
    return at < m->pool.len ? m->pool.at[at] : 0;
}

/* [ntypes, nlevels, types, levels] of an instance; [0, 0] for none. */
static uint32_t put_instance(maker *w, packer *k, uint32_t inst)
{
    uint32_t ntypes = inst ? pool_at(w->m, inst) : 0, nlevels = inst ? pool_at(w->m, inst + 1) : 0;
    if (!pack_room(k, ((size_t)ntypes + nlevels + 2) * PACKED_MAX))
        return 0;
    pack_uint32(k, ntypes);
    pack_uint32(k, nlevels);
    for (uint32_t i = 0; i < ntypes; i++)
        pack_uint32(k, type_number(w, pool_at(w->m, inst + 2 + i)));
    for (uint32_t i = ntypes; i < ntypes + nlevels; i++)
        pack_uint64(k, bin_level_number(w, pool_at(w->m, inst + 2 + i)));
    return 2 + ntypes + nlevels;
}

/* [ntypes, nlevels] of what an fn binds; the parameters get the next numbers. */
static uint32_t put_binders(maker *w, packer *k, uint32_t inst)
{
    uint32_t ntypes = inst ? pool_at(w->m, inst) : 0, nlevels = inst ? pool_at(w->m, inst + 1) : 0;
    pack_uint32(k, ntypes);
    pack_uint32(k, nlevels);
    for (uint32_t i = 0; i < ntypes + nlevels; i++) {
        ir_tvar v = pool_at(w->m, inst + 2 + i);
        if (!bin_bind_parameter(w, v) || w->m->tvars.at[v].is_level != (i >= ntypes))
            w->valid = false;
    }
    return 2;
}

/* type, dimensions, extents, constant */
static uint32_t put_data(maker *w, packer *k, ir_op o)
{
    ir_data d = ir_op_data(w->m, o);
    uint32_t type = type_number(w, ir_op_at(w->m, o)->attr);
    w->valid = w->valid && d.rank && type;
    if (!w->valid || !pack_room(k, (3 + MAX_RANK) * PACKED_MAX))
        return 0;
    pack_uint32(k, type);
    pack_uint32(k, d.rank);
    for (uint32_t i = 0; i < d.rank; i++)
        pack_uint32(k, d.extents[i]);
    pack_uint32(k, bin_bytes_number(w, d.bytes));
    return 3 + d.rank;
}

/* What stands in <...>; the numbers packed. */
static uint32_t put_attr(maker *w, packer *k, ir_op o, attr_kind which)
{
    const op_node *n = ir_op_at(w->m, o);
    switch (which) {
    case ATTR_NONE: return 0;
    case ATTR_LEVEL: pack_uint64(k, bin_level_number(w, n->attr)); return 1;
    case ATTR_TYPE: pack_uint32(k, type_number(w, n->attr)); return 1;
    case ATTR_CALL:
        pack_uint32(k, function_number(w, n->attr));
        return 1 + put_instance(w, k, n->inst);
    case ATTR_BIND: return put_binders(w, k, n->inst);
    case ATTR_DATA: return put_data(w, k, o);
    }
    return 0;
}

/* The operands of an operation and the type of its result, for which there is room.  The packer is
 * a copy, which the compiler keeps in registers. */
static inline void put_operands(maker *w, packer *to, const op_node *n, const op_info *info)
{
    packer k = *to;
    const ir_module *m = w->m;
    if (has_operand_count(info))
        pack_uint32(&k, n->nargs);
    for (uint32_t i = 0; i < n->nargs; i++)
        put_operand(w, &k, pool_at(m, n->args + i));
    if (info->has_result)
        pack_uint32(&k, type_number(w, ir_value_at(w->m, n->result)->type));
    to->p = k.p;
}

/* The operator, its operands and the type of its result; the numbers packed. */
static inline uint32_t put_op(maker *w, ir_op o, const op_node *n, const op_info *info)
{
    packer *k = &w->body[SECTION_CODE];
    uint32_t count = 1u + n->nargs + info->has_result + has_operand_count(info);
    if (!info->name || n->nargs < info->min_args || n->nargs > info->max_args)
        w->valid = false;
    if (!w->valid || !pack_room(k, (size_t)(n->nargs + 8) * PACKED_MAX))
        return 0;
    if (info->since > SHAPES_AFTER)
        w->shaped[n->opcode] = true;
    pack_uint32(k, n->opcode);
    if (info->attr != ATTR_NONE) {
        count += put_attr(w, k, o, (attr_kind)info->attr);
        if (!pack_room(k, (size_t)(n->nargs + 2) * PACKED_MAX))
            return 0;
    }
    put_operands(w, k, n, info);
    return count;
}

/* ---- regions ---- */

/* From here on the region's operations are the next to be written, and its parameters are
 * visible. */
static bool enter(maker *w, ir_region r, ir_op owner, uint32_t left)
{
    const region_node *n = ir_region_at(w->m, r);
    open_region x = {
        .region = r, .next = n->first, .owner = owner, .left = left, .mark = w->visible.len};
    w->valid = w->valid && w->open.len < w->m->cx->limits.region_depth;
    if (!w->valid || !vec_push(w->mm, &w->open, x))
        return false;
    for (uint32_t i = 0; i < n->nparams; i++) {
        ir_value v = n->params + i;
        show(w, v, introduce(w, v, ir_value_at(w->m, v)->name));
    }
    return true;
}

/* The parameters of a region, and the region itself from here on; the numbers packed. */
static uint32_t open_inner(maker *w, ir_region r, ir_op owner, uint32_t left)
{
    packer *k = &w->body[SECTION_CODE];
    const region_node n = *ir_region_at(w->m, r);
    if (!pack_room(k, ((size_t)n.nparams + 1) * PACKED_MAX))
        return 0;
    pack_uint32(k, n.nparams);
    for (uint32_t i = 0; i < n.nparams; i++)
        pack_uint32(k, type_number(w, ir_value_at(w->m, n.params + i)->type));
    enter(w, r, owner, left);
    return 1 + n.nparams;
}

/* Behind the end of a region: the next one of its owner, or what comes after that. */
static uint32_t close_region(maker *w)
{
    open_region x = w->open.at[--w->open.len];
    w->visible.len = x.mark; /* what was defined since is not visible any more */
    if (x.left)
        return open_inner(w, x.region + 1, x.owner, x.left - 1);
    if (x.owner) {
        ir_value v = ir_op_at(w->m, x.owner)->result;
        show(w, v, shown_at(w, ir_value_at(w->m, v)->name));
    }
    return 0;
}

/* Something follows every operation but the one that ends the region, and each kind of region has
 * its own end. */
static bool ends_well(const op_node *n, const op_info *info, bool body)
{
    return info->has_result ? n->next != 0 : n->next == 0 && (n->opcode == OP_RETURN) == body;
}

/* Writes the next operation of the innermost region; the numbers packed. */
static uint32_t step(maker *w)
{
    open_region *x = &w->open.at[w->open.len - 1];
    ir_op o = x->next;
    const op_node *n = ir_op_at(w->m, o);
    const op_info *info = ir_op_info(n->opcode);
    w->item++;
    if (n->loc && (n->loc < w->first_loc || n->loc >= w->end_loc))
        bin_note_location(w, n->loc);
    if (w->m->attrs.all.len)
        bin_note_attributes(w, (subject){ON_OP, o});
    if (w->m->props.all.len)
        bin_note_properties(w, (subject){ON_OP, o});
    x->next = n->next;
    if (!o || !ends_well(n, info, x->owner == 0))
        w->valid = false;
    uint32_t count = put_op(w, o, n, info);
    if (!w->valid)
        return 0;
    if (!info->has_result)
        return count + close_region(w);
    uint32_t entry = introduce(w, n->result, ir_value_at(w->m, n->result)->name);
    if (info->regions)
        return count + open_inner(w, n->regions, o, info->regions - 1u);
    show(w, n->result, entry);
    return count;
}

/* The bytes to leave for the head of a function's code, if it is as long as functions are on
 * average. */
static size_t expected_head(const maker *w)
{
    return pack_array_head(((size_t)w->m->ops.len * 2 + w->m->pool.len) / w->nfuncs);
}

/* The array of a function's code, and its items in the optional sections. */
static bool write_body(maker *w, ir_func f)
{
    packer *k = &w->body[SECTION_CODE];
    size_t at = pack_size(k), gap = expected_head(w), count = 0;
    if (!pack_room(k, gap))
        return false;
    k->p += gap;
    w->visible.len = w->open.len = 0;
    bin_begin_items(w);
    bin_note_location(w, ir_func_at(w->m, f)->loc);
    bin_note_attributes(w, (subject){ON_FUNC, f});
    bin_note_properties(w, (subject){ON_FUNC, f});
    if (!vec_push(w->mm, &w->func_values, w->values.len) ||
        !enter(w, ir_func_at(w->m, f)->body, 0, 0))
        return false;
    while (w->open.len && w->valid && !w->mm->oom)
        count += step(w);
    return w->valid && !w->mm->oom && bin_end_items(w) && bin_pack_close_gap(k, at, gap, count);
}

/* ---- heads ---- */

/* [name, flags, type parameters, level parameters, types of parameters, type of the result] */
static bool write_head(maker *w, ir_func f)
{
    packer *k = &w->body[SECTION_FUNCTIONS];
    const func_node n = *ir_func_at(w->m, f);
    const region_node body = *ir_region_at(w->m, n.body);
    for (uint32_t i = 0; i < (uint32_t)n.ntypes + n.nlevels; i++)
        if (!bin_bind_parameter(w, n.tparams + i))
            return false;
    if (!pack_room(k, ((size_t)body.nparams + 8) * PACKED_MAX))
        return false;
    pack_array(k, 6);
    pack_uint32(k, bin_string_number(w, &w->strings, n.name));
    pack_uint32(k, n.kernel ? FUNCTION_KERNEL : 0);
    pack_uint32(k, n.ntypes);
    pack_uint32(k, n.nlevels);
    pack_array(k, body.nparams);
    for (uint32_t i = 0; i < body.nparams; i++) {
        ir_type t = ir_value_at(w->m, body.params + i)->type;
        w->valid = w->valid && t;
        pack_uint32(k, type_number(w, t));
    }
    pack_uint32(k, type_number(w, n.result));
    return w->valid && !w->mm->oom;
}

/* Before any body, since bodies call functions that follow. */
static bool write_heads(maker *w)
{
    size_t at = pack_size(&w->body[SECTION_FUNCTIONS]);
    for (w->nfuncs = 0; w->nfuncs < w->written.len; w->nfuncs++)
        w->func_number.at[w->written.at[w->nfuncs]] = w->nfuncs + 1;
    for (uint32_t i = 0; i < w->nfuncs; i++)
        if (!write_head(w, w->written.at[i]))
            return false;
    return bin_pack_close_array(&w->body[SECTION_FUNCTIONS], at, w->nfuncs);
}

static bool write_bodies(maker *w)
{
    packer *k = &w->body[SECTION_CODE];
    size_t room = (size_t)w->m->ops.len * BYTES_PER_OP + (size_t)w->m->pool.len * BYTES_PER_OPERAND;
    if (!pack_room(k, PACKED_MAX + room) || !vec_reserve(w->mm, &w->values, w->m->values.len) ||
        !vec_reserve(w->mm, &w->visible, w->m->values.len))
        return false;
    pack_array(k, w->nfuncs);
    for (uint32_t i = 0; i < w->nfuncs; i++)
        if (!write_body(w, w->written.at[i]))
            return false;
    return true;
}

/* ---- which functions ---- */

/* Appends the function that an operation calls, unless it is listed already (func_number marks what
 * is), and queues what stands behind the operation: its regions first. */
static bool list_called(maker *w, ir_op o, vec_u32 *todo)
{
    const ir_module *m = w->m;
    const op_node n = m->ops.at[o];
    const op_info *info = ir_op_info(n.opcode);
    bool ok = !n.next || vec_push(w->mm, todo, n.next);
    for (uint32_t i = info->regions; i-- > 0 && ok;)
        if (m->regions.at[n.regions + i].first)
            ok = vec_push(w->mm, todo, m->regions.at[n.regions + i].first);
    if (ok && info->attr == ATTR_CALL && n.attr < w->func_number.len && n.attr &&
        !w->func_number.at[n.attr]) {
        w->func_number.at[n.attr] = 1;
        ok = vec_push(w->mm, &w->written, n.attr);
    }
    return ok;
}

/* The own functions in their order; linked, behind them those of imports, in the order in which the
 * code of the listed ones calls them first.  A module that is not valid may call what does not
 * exist: that is no function. */
static bool list_functions(maker *w)
{
    vec_u32 todo = {0};
    bool ok = true;
    for (ir_func f = 1; f < w->m->funcs.len && ok; f++)
        if (!w->m->funcs.at[f].import) {
            w->func_number.at[f] = 1;
            ok = vec_push(w->mm, &w->written, f);
        }
    for (uint32_t i = 0; w->linked && i < w->written.len && ok; i++) {
        ir_op first = ir_region_at(w->m, ir_func_at(w->m, w->written.at[i])->body)->first;
        ok = !first || vec_push(w->mm, &todo, first);
        while (todo.len && ok)
            ok = list_called(w, todo.at[--todo.len], &todo);
    }
    vec_free(w->mm, &todo);
    return ok;
}

/* ---- imports ---- */

/* The imports that the module itself names; none where their functions are written. */
static bool write_imports(maker *w, packer *k)
{
    size_t at = pack_size(k);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->m->imports.len && !w->linked; i++) {
        if (w->m->imports.at[i].indirect)
            continue;
        if (!pack_room(k, PACKED_MAX))
            return false;
        pack_uint32(k, bin_string_number(w, &w->strings, w->m->imports.at[i].name));
        n++;
    }
    return bin_pack_close_array(k, at, n);
}

/* The names of the imported functions that the code uses. */
static bool write_externals(maker *w, packer *k)
{
    if (!pack_room(k, ((size_t)w->externals.len + 1) * PACKED_MAX))
        return false;
    pack_array(k, w->externals.len);
    for (uint32_t i = 0; i < w->externals.len; i++)
        pack_uint32(k,
                    bin_string_number(w, &w->strings, ir_func_at(w->m, w->externals.at[i])->name));
    return true;
}

/* Imports, externals and heads are one section; which externals there are is known when the code
 * was written. */
bool bin_write_functions(maker *w)
{
    packer heads = {.mm = w->mm}, *k = &w->body[SECTION_FUNCTIONS];
    bool ok = pack_room(&heads, PACKED_MAX);
    if (ok)
        pack_array(&heads, 3);
    ok = ok && list_functions(w) && write_imports(w, &heads) && write_heads(w) && write_bodies(w) &&
         write_externals(w, &heads) && bin_pack_bytes(&heads, k->start, pack_size(k));
    packer old = *k;
    *k = heads;
    bin_pack_free(&old);
    return ok && w->valid && !w->mm->oom;
}
