/* Modules: making, dropping and reading them.  Entry 0 of every vector exists and means "none".
 *
 * The accessors are those of a column store: a node names others by index, so a module can grow
 * while it is read, and what was read before is a copy or is looked up again. */
#include "ir/ir.h"

#include "ir/base/source.h"

#include <stdio.h>
#include <string.h>

bool ir_module_init(ir_module *m, fcl_context *cx)
{
    *m = (ir_module){.cx = cx};
    mem *mm = &cx->mem;
    return vec_push(mm, &m->types, (type_node){0}) && vec_push(mm, &m->values, (value_node){0}) &&
           vec_push(mm, &m->ops, (op_node){0}) && vec_push(mm, &m->regions, (region_node){0}) &&
           vec_push(mm, &m->funcs, (func_node){0}) && vec_push(mm, &m->tvars, (tvar_node){0}) &&
           vec_push(mm, &m->locs, (packed_location){0}) && vec_push(mm, &m->loc_files, 0) &&
           vec_push(mm, &m->pool, 0);
}

void ir_module_release(ir_module *m)
{
    mem *mm = &m->cx->mem;
    vec_free(mm, &m->types);
    vec_free(mm, &m->type_items);
    mem_free(mm, m->type_table, m->type_table_cap * sizeof *m->type_table);
    vec_free(mm, &m->values);
    vec_free(mm, &m->ops);
    vec_free(mm, &m->regions);
    vec_free(mm, &m->funcs);
    vec_free(mm, &m->tvars);
    vec_free(mm, &m->imports);
    vec_free(mm, &m->locs);
    vec_free(mm, &m->copied);
    vec_free(mm, &m->long_locs);
    vec_free(mm, &m->loc_files);
    vec_free(mm, &m->pool);
    ir_attr_free(mm, &m->attrs);
    ir_attr_free(mm, &m->props);
    vec_free(mm, &m->sections);
    source_drop_all(m->cx, &m->sources);
}

#define COPY(field) (vec_reserve(mm, &to->field, from->field.len) &&                                \
                     (to->field.len = from->field.len,                                             \
                      from->field.len == 0 ||                                                      \
                          memcpy(to->field.at, from->field.at,                                     \
                                 from->field.len * sizeof *to->field.at)))

/* Types are found by their hash, so the table comes along. */
static bool copy_types(ir_module *to, const ir_module *from)
{
    mem *mm = &to->cx->mem;
    size_t size = from->type_table_cap * sizeof *to->type_table;
    to->type_table = size ? mem_resize(mm, NULL, 0, size) : NULL;
    if (size && !to->type_table)
        return false;
    to->type_table_cap = from->type_table_cap;
    if (size)
        memcpy(to->type_table, from->type_table, size);
    return COPY(types) && COPY(type_items) && COPY(tvars);
}

bool ir_let_copy(ir_module *m, ir_op o)
{
    while (m->copied.len <= o)
        if (!vec_push(&m->cx->mem, &m->copied, false))
            return false;
    m->copied.at[o] = true;
    return true;
}

bool ir_module_copy(ir_module *to, const ir_module *from)
{
    mem *mm = &from->cx->mem;
    *to = (ir_module){.cx = from->cx, .file = from->file, .checked = from->checked};
    return copy_types(to, from) && COPY(values) && COPY(ops) && COPY(regions) && COPY(funcs) &&
           COPY(imports) && COPY(copied) && COPY(locs) && COPY(long_locs) && COPY(loc_files) && COPY(pool) &&
           COPY(sections) && ir_attr_copy(mm, &to->attrs, &from->attrs) &&
           ir_attr_copy(mm, &to->props, &from->props) &&
           source_hold_all(to->cx, &to->sources, &from->sources);
}

void ir_set_arg(ir_module *m, ir_op o, uint32_t k, ir_value v)
{
    const op_node *n = ir_op_at(m, o);
    if (k < n->nargs)
        m->pool.at[n->args + k] = v;
}

subject ir_subject_of_loc(uint32_t loc)
{
    return (subject){.kind = loc & LOC_OF_FUNC ? ON_FUNC : ON_OP, .id = loc & (LOC_OF_FUNC - 1)};
}

location ir_loc_at(const ir_module *m, uint32_t loc)
{
    if (loc & LOC_PLACE)
        return source_place_location(m->cx, loc & ~LOC_PLACE);
    if (loc & LOC_IS_LATER)
        return (location){.file = m->file, .line = LOC_LATER, .col = loc};
    packed_location p = m->locs.at[loc < m->locs.len ? loc : 0];
    if (p.file == LOC_LONG)
        return m->long_locs.at[p.line];
    return (location){.file = m->loc_files.at[p.file], .line = p.line, .col = p.col, .len = p.len};
}

/* In the module's own file a position without a length was said by loc(...), since words that were
 * read have one. */
bool ir_loc_is_given(const ir_module *m, uint32_t loc)
{
    if (loc & LOC_PLACE)
        return ir_loc_file(m, loc) != m->file;
    location l = ir_loc_at(m, loc);
    return l.line && l.line != LOC_LATER && l.file && (l.file != m->file || !l.len);
}

str_id ir_loc_file(const ir_module *m, uint32_t loc)
{
    if (!(loc & LOC_PLACE))
        return ir_loc_at(m, loc).file;
    uint32_t index = source_of_place(m->cx, loc & ~LOC_PLACE);
    return index < m->cx->diags.sources.len ? m->cx->diags.sources.at[index].name : 0;
}

void ir_own_places(const ir_module *m, uint32_t *first, uint32_t *end)
{
    *first = *end = 0;
    for (uint32_t i = m->sources.len; i-- > 0;) {
        const source *s = &m->cx->diags.sources.at[m->sources.at[i]];
        if (s->name != m->file || s->place == NO_PLACE)
            continue;
        *first = LOC_PLACE + s->place;
        *end = *first + (uint32_t)s->size;
        return;
    }
}

location ir_op_loc(const ir_module *m, ir_op o)
{
    return ir_loc_at(m, m->ops.at[o < m->ops.len ? o : 0].loc);
}

const char *ir_str(const ir_module *m, str_id s)
{
    char digits[NAME_DIGITS + 1];
    if (s & NAME_NUMBER) {
        int n = snprintf(digits, sizeof digits, "%u", s & ~NAME_NUMBER);
        s = intern_add(&m->cx->strings, digits, (size_t)n);
    }
    return intern_str(&m->cx->strings, s);
}

str_id ir_name(ir_module *m, const char *s, size_t n)
{
    uint32_t x = 0;
    size_t i = 0;
    while (i < n && i < NAME_DIGITS && s[i] >= '0' && s[i] <= '9')
        x = x * 10 + (uint32_t)(s[i++] - '0');
    bool number = n > 0 && i == n && n < NAME_DIGITS && (s[0] != '0' || n == 1);
    return number ? NAME_NUMBER + x : intern_add(&m->cx->strings, s, n);
}

bool ir_is_prelude(const ir_module *m, uint32_t import)
{
    static const char prelude[] = "prelude";
    if (!import || import > m->imports.len)
        return false;
    const char *name = ir_str(m, m->imports.at[import - 1].name);
    size_t n = sizeof prelude - 1;
    return strncmp(name, prelude, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

bool ir_is_inside(const ir_module *m, ir_region r, ir_op o)
{
    ir_op owner = 0;
    while (r && (owner = m->regions.at[r].owner) != 0 && owner != o)
        r = m->ops.at[owner].parent;
    return owner == o;
}

bool ir_is_library(const ir_module *m, uint32_t import)
{
    bool is = import && import <= m->imports.len;
    return is && (ir_is_prelude(m, import) || strcmp(ir_str(m, m->imports.at[import - 1].name), "arrays") == 0);
}

/* The order in which a name is resolved: see ir.h.  Ranks are compared, never stored. */
int ir_func_rank(const ir_module *m, ir_func id)
{
    const func_node *f = &m->funcs.at[id];
    if (!f->import)
        return 4;
    if (ir_is_prelude(m, f->import))
        return 2;
    return f->import <= m->imports.len && m->imports.at[f->import - 1].indirect ? 1 : 3;
}

/* Linear in the functions: readers resolve names by a table of their own, this is for single
 * questions. */
ir_func ir_func_named(const ir_module *m, str_id name)
{
    ir_func best = 0;
    for (ir_func f = 1; name && f < m->funcs.len; f++)
        if (m->funcs.at[f].name == name && (!best || ir_func_rank(m, f) > ir_func_rank(m, best)))
            best = f;
    return best;
}

ir_region ir_value_region(const ir_module *m, ir_value v)
{
    const value_node *n = &m->values.at[v < m->values.len ? v : 0];
    if (n->kind == V_PARAM)
        return n->def;
    return n->kind == V_RESULT && n->def < m->ops.len ? m->ops.at[n->def].parent : 0;
}

str_id ir_value_name(const ir_module *m, ir_value v)
{
    const value_node *n = &m->values.at[v < m->values.len ? v : 0];
    return n->kind == V_CONST ? 0 : n->name;
}

uint64_t ir_const_bits(const ir_module *m, ir_value v)
{
    const value_node *n = &m->values.at[v < m->values.len ? v : 0];
    return n->kind == V_CONST ? n->low | (uint64_t)n->high << 32 : 0;
}

void ir_set_const_bits(ir_module *m, ir_value v, uint64_t bits)
{
    value_node *n = ir_value_at(m, v);
    n->low = (uint32_t)bits;
    n->high = (uint32_t)(bits >> 32);
}

void ir_module_trim(ir_module *m)
{
    mem *mm = &m->cx->mem;
    vec_trim(mm, &m->types);
    vec_trim(mm, &m->type_items);
    vec_trim(mm, &m->values);
    vec_trim(mm, &m->ops);
    vec_trim(mm, &m->regions);
    vec_trim(mm, &m->funcs);
    vec_trim(mm, &m->tvars);
    vec_trim(mm, &m->imports);
    vec_trim(mm, &m->locs);
    vec_trim(mm, &m->long_locs);
    vec_trim(mm, &m->pool);
}
