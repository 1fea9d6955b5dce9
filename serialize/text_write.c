/* Writing the text form: see text.h.
 *
 * Two spaces for each region; a result's type whenever it is known; unnamed values numbered.  One pass over the
 * functions that are not imported, linear in their size. */
#include "ir/scalar.h"
#include "serialize/text.h"
#include "serialize/text_print_names.h"

#include <string.h>

typedef struct writer {
    ir_module *m;
    mem *mm;
    vec_char *out;
    print_names names;
    uint32_t depth; /* of indentation */
    bool ok;
} writer;

static void put_n(writer *w, const char *s, size_t n)
{
    w->ok = w->ok && text_add(w->mm, w->out, s, n);
}

static void put(writer *w, const char *s)
{
    put_n(w, s, strlen(s));
}

static void put_number(writer *w, uint64_t x)
{
    char digits[20];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + x % 10);
    while (x /= 10);
    put_n(w, digits + n, sizeof digits - n);
}

static void put_str(writer *w, str_id s)
{
    put_n(w, ir_str(w->m, s), intern_len(&w->m->cx->strings, s));
}

static void put_string(writer *w, str_id s)
{
    static const char hex[] = "0123456789abcdef";
    const char *p = ir_str(w->m, s), *end = p + intern_len(&w->m->cx->strings, s);
    put(w, "\"");
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        const char escape[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        if (c == '"' || c == '\\')
            put(w, "\\");
        if (c < 32 || c == 127)
            put_n(w, escape, sizeof escape);
        else
            put_n(w, p, 1);
    }
    put(w, "\"");
}

static void put_type(writer *w, ir_type t)
{
    w->ok = w->ok && type_text(w->m, t, w->out);
}

static void put_level(writer *w, ir_level l)
{
    w->ok = w->ok && level_text(w->m, l, w->out);
}

static void put_line(writer *w)
{
    put(w, "\n");
    for (uint32_t i = 0; i < w->depth; i++)
        put_n(w, "  ", 2);
}

/* ---- values ---- */

static void put_name(writer *w, ir_value v)
{
    uint32_t name = v < w->names.chosen.len ? w->names.chosen.at[v] : 0;
    put_n(w, "%", 1);
    if (name & NAME_NUMBER)
        put_number(w, name & ~NAME_NUMBER);
    else if (name)
        put_str(w, name);
    else
        put(w, "?"); /* used where it is not visible: the module is not valid */
}

static void put_constant(writer *w, ir_value v, const value_node *n)
{
    uint64_t bits = ir_const_bits(w->m, v);
    if (n->literal == LIT_TYPED || n->literal == LIT_FLOAT) {
        scalar s = n->literal == LIT_FLOAT ? ST_F64 : type_as_scalar(w->m, n->type);
        w->ok = w->ok && scalar_text(w->mm, s, bits, w->out);
        return;
    }
    if (n->literal == LIT_NEG)
        put(w, "-");
    put_number(w, bits);
}

static void put_operand(writer *w, ir_value v)
{
    const value_node *n = ir_value_at(w->m, v);
    if (n->kind == V_CONST)
        put_constant(w, v, n);
    else
        put_name(w, v);
}

static void put_operands(writer *w, ir_op o)
{
    for (uint32_t i = 0; i < ir_op_at(w->m, o)->nargs; i++) {
        if (i)
            put_n(w, ", ", 2);
        put_operand(w, ir_arg(w->m, o, i));
    }
}

/* %x: t, where the value is bound. */
static void put_binding(writer *w, ir_value v)
{
    ir_type t = ir_value_at(w->m, v)->type;
    names_choose(&w->names, v);
    put_name(w, v);
    if (t) {
        put_n(w, ": ", 2);
        put_type(w, t);
    }
}

static void put_params(writer *w, const region_node *r)
{
    put(w, "(");
    for (uint32_t i = 0; i < r->nparams; i++) {
        if (i)
            put(w, ", ");
        put_binding(w, r->params + i);
        names_show(&w->names, r->params + i);
    }
    put(w, ")");
}

/* ---- what stands in <...> ---- */

static void put_tvar(writer *w, ir_tvar v)
{
    names_show_tvar(&w->names, v);
    const tvar_node n = w->m->tvars.at[v < w->m->tvars.len ? v : 0];
    if (!n.is_level)
        put(w, "'");
    put_str(w, n.name);
    if (!n.is_level && n.kind != KIND_NONE) {
        put(w, ": ");
        put(w, ir_kind_name((kind)n.kind));
    }
}

/* The entry of an instance in the pool; 0 behind its end. */
static uint32_t pool_at(const ir_module *m, uint32_t at)
{
    return at < m->pool.len ? m->pool.at[at] : 0;
}

static void put_instance(writer *w, uint32_t inst, bool binds)
{
    uint32_t ntypes = pool_at(w->m, inst), n = ntypes + pool_at(w->m, inst + 1);
    if (!inst || !n)
        return;
    put(w, "<");
    for (uint32_t i = 0; i < n && w->ok; i++) {
        uint32_t x = pool_at(w->m, inst + 2 + i);
        if (i)
            put(w, ", ");
        if (binds)
            put_tvar(w, x);
        else if (i < ntypes)
            put_type(w, x);
        else
            put_level(w, x);
    }
    put(w, ">");
}

static void put_function_name(writer *w, ir_func f)
{
    put(w, "@");
    put_str(w, names_clean(&w->names, ir_func_at(w->m, f)->name));
}

static void put_attr(writer *w, const op_node *op)
{
    attr_kind k = (attr_kind)ir_op_info(op->opcode)->attr;
    if (k == ATTR_LEVEL || k == ATTR_TYPE) {
        put(w, "<");
        if (k == ATTR_LEVEL)
            put_level(w, op->attr);
        else
            put_type(w, op->attr);
        put(w, ">");
    }
    if (k == ATTR_CALL) {
        put(w, " ");
        put_function_name(w, op->attr);
    }
    if (k == ATTR_CALL || k == ATTR_BIND)
        put_instance(w, op->inst, k == ATTR_BIND);
}

/* ---- operations and regions ---- */

/* The place of an operation that is in another file than this text, or was given by loc(...). */
static void put_loc(writer *w, const op_node *op)
{
    location loc = ir_loc_at(w->m, op->loc);
    if (!loc.line || !loc.file || (loc.file == w->m->file && loc.len))
        return;
    put(w, " loc(");
    put_string(w, loc.file);
    put(w, ":");
    put_number(w, loc.line);
    put(w, ":");
    put_number(w, loc.col);
    put(w, ")");
}

static void put_region(writer *w, ir_region region, bool body);

static void put_operation(writer *w, ir_op o)
{
    const op_node op = *ir_op_at(w->m, o);
    const op_info *info = ir_op_info(op.opcode);
    uint32_t mark = w->names.visible.len;
    bool call = info->attr == ATTR_CALL;
    if (info->has_result) {
        put_binding(w, op.result);
        put_n(w, " = ", 3);
    }
    put(w, info->name ? info->name : "?");
    put_attr(w, &op);
    if (call ? info->max_args != 0 : op.nargs != 0)
        put(w, call ? "(" : " ");
    put_operands(w, o);
    if (call && info->max_args)
        put(w, ")");
    for (uint32_t i = 0; i < info->regions; i++)
        put_region(w, op.regions + i, false);
    put_loc(w, &op);
    names_leave(&w->names, mark);
    names_show(&w->names, op.result);
}

/* Its parameters are visible inside only: the scope is the caller's to leave. */
static void put_region(writer *w, ir_region region, bool body)
{
    const region_node r = *ir_region_at(w->m, region);
    uint32_t mark = w->names.visible.len;
    put(w, " {");
    if (!body && r.nparams) {
        put(w, " ");
        put_params(w, &r);
    }
    w->depth++;
    for (ir_op o = r.first; o && w->ok; o = ir_op_at(w->m, o)->next) {
        put_line(w);
        put_operation(w, o);
    }
    w->depth--;
    put_line(w);
    put(w, "}");
    names_leave(&w->names, mark);
}

/* ---- functions and modules ---- */

static void put_tparams(writer *w, const func_node *f)
{
    uint32_t n = (uint32_t)f->ntypes + f->nlevels;
    if (!n)
        return;
    put(w, "<");
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            put(w, ", ");
        put_tvar(w, f->tparams + i);
    }
    put(w, ">");
}

static void put_function(writer *w, ir_func id)
{
    const func_node f = *ir_func_at(w->m, id);
    w->ok = w->ok && names_begin(&w->names, id);
    put(w, f.kernel ? "\nkernel " : "\nfun ");
    put_function_name(w, id);
    put_tparams(w, &f);
    put_params(w, ir_region_at(w->m, f.body));
    if (f.result) {
        put(w, " -> ");
        put_type(w, f.result);
    }
    put_region(w, f.body, true);
    put(w, "\n");
}

static void put_imports(writer *w)
{
    bool first = true;
    for (uint32_t i = 0; i < w->m->imports.len; i++) {
        if (w->m->imports.at[i].indirect)
            continue;
        put(w, first ? "\nimport " : "import ");
        put_string(w, w->m->imports.at[i].name);
        put(w, "\n");
        first = false;
    }
}

bool text_write(ir_module *m, vec_char *out)
{
    writer w = {.m = m, .mm = &m->cx->mem, .out = out};
    w.ok = names_init(&w.names, m);
    put(&w, "fcl ");
    put_number(&w, TEXT_MAJOR);
    put(&w, ".");
    put_number(&w, TEXT_MINOR);
    put(&w, "\n");
    put_imports(&w);
    for (ir_func f = 1; f < m->funcs.len && w.ok; f++)
        if (!m->funcs.at[f].import)
            put_function(&w, f);
    names_free(&w.names);
    return w.ok && !m->cx->mem.oom;
}
