/* Writing the text form: see text.h.
 *
 * The canonical form: two spaces for each region; a result's type whenever it is known; unnamed
 * values numbered.  One pass over the functions that are not imported, linear in their size, with
 * one step for each rule of docs/format.md: put_X writes what read_X reads.  A module that is not
 * valid is written as far as it goes, with `?` for what it lacks, since listings of broken modules
 * are wanted too; recursion follows regions, and names_enter stops where they are too deep. */
#include "ir/data.h"
#include "ir/properties.h"
#include "ir/scalar/scalar.h"
#include "serialize/coding/base64.h"
#include "ir/base/utf8.h"
#include "serialize/text/text.h"
#include "serialize/text/out.h"
#include "serialize/text/print_names.h"
#include "serialize/version.h"

#include <string.h>

/* The text of a type, where it was printed first. */
typedef struct type_copy {
    uint32_t at, stamp; /* in type_chars; of the writer when it was printed */
    uint32_t len;
} type_copy;

typedef struct text_writer {
    ir_module *m;
    mem *mm;
    text_out out;
    print_names names;
    vec_u32 *places;      /* by subject_kind and id: 1 + where the name stands; NULL: nobody asks */
    VEC(type_copy) types; /* by type */
    vec_char type_chars;
    uint32_t stamp;              /* changes with the names of type and level parameters */
    uint32_t first_loc, end_loc; /* places in the text that the module was read from */
    uint32_t depth;              /* of indentation */
} text_writer;

/* ---- pieces ---- */

static inline void put_n(text_writer *w, const char *s, size_t n)
{
    out_n(&w->out, s, n);
}

static inline void put(text_writer *w, const char *s)
{
    out_text(&w->out, s);
}

static void put_number(text_writer *w, uint64_t x)
{
    out_number(&w->out, x);
}

static void put_str(text_writer *w, str_id s)
{
    put_n(w, ir_str(w->m, s), intern_len(&w->m->cx->strings, s));
}

/* STRING.  What is UTF-8 stands as it is; all other bytes from 128 on are escaped, so that the text
 * is UTF-8 whatever a front end gave. */
static void put_string(text_writer *w, str_id s)
{
    static const char hex[] = "0123456789abcdef";
    const char *p = ir_str(w->m, s), *end = p + intern_len(&w->m->cx->strings, s);
    put(w, "\"");
    while (p < end) {
        unsigned char c = (unsigned char)*p;
        const char escape[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        size_t n = c < 32 || c == 127 ? 0 : utf8_length(p, end);
        if (c == '"' || c == '\\')
            put(w, "\\");
        if (n)
            put_n(w, p, n);
        else
            put_n(w, escape, sizeof escape);
        p += n ? n : 1;
    }
    put(w, "\"");
}

enum { TYPE_COPY = 255 }; /* longer texts of types are not kept */

/* Keeps the text of a type, which large modules print once for each value; short of memory is not
 * an error here. */
static void keep_type(text_writer *w, ir_type t, const char *text, size_t len)
{
    uint32_t at = w->type_chars.len;
    if (len <= TYPE_COPY && t < w->types.len && text_add(w->mm, &w->type_chars, text, len))
        w->types.at[t] = (type_copy){.at = at, .stamp = w->stamp, .len = (uint32_t)len};
}

/* Through type_text, which appends to the buffer itself. */
static void print_type(text_writer *w, ir_type t)
{
    text_out *o = &w->out;
    out_flush(o);
    uint32_t start = o->buffer->len;
    o->ok = o->ok && type_text(w->m, t, o->buffer);
    if (!o->ok)
        return;
    out_resume(o);
    keep_type(w, t, o->buffer->at + start, o->buffer->len - start);
}

/* A copy is good as long as type and level parameters have the names that they had then. */
static inline void put_type(text_writer *w, ir_type t)
{
    const type_copy *c = t < w->types.len ? &w->types.at[t] : NULL;
    if (c && c->stamp == w->stamp)
        put_n(w, w->type_chars.at + c->at, c->len);
    else
        print_type(w, t);
}

static void put_level(text_writer *w, ir_level l)
{
    out_flush(&w->out);
    w->out.ok = w->out.ok && level_text(w->m, l, w->out.buffer);
    if (w->out.ok)
        out_resume(&w->out);
}

/* The end of the line, and the indentation of the next. */
static void put_line(text_writer *w)
{
    size_t n = 2 * (size_t)w->depth;
    if (!out_room(&w->out, n + 1))
        return;
    *w->out.p++ = '\n';
    memset(w->out.p, ' ', n);
    w->out.p += n;
}

/* ---- values ---- */

/* "%"NAME */
static inline void put_chosen(text_writer *w, uint32_t name)
{
    out_char(&w->out, '%');
    if (name & NAME_NUMBER)
        put_number(w, name & ~NAME_NUMBER);
    else
        put_str(w, name);
}

static void put_scalar(text_writer *w, scalar s, uint64_t bits)
{
    out_flush(&w->out);
    w->out.ok = w->out.ok && scalar_text(w->mm, s, bits, w->out.buffer);
    if (w->out.ok)
        out_resume(&w->out);
}

/* literal.  An int that is not negative is printed without its suffix, as the context's int
 * literals are; scalar_text knows the form of every other typed one.  What was written as int or
 * double stays so, since the context may be one that refuses it. */
static void put_constant(text_writer *w, ir_value v)
{
    const value_node *n = ir_value_at(w->m, v);
    uint64_t bits = ir_const_bits(w->m, v);
    scalar s = n->literal == LIT_FLOAT ? ST_F64 : type_as_scalar(w->m, n->type);
    bool small = s == ST_I32 && (int64_t)bits >= 0 && !n->annotated;
    if (!small && (n->literal == LIT_TYPED || n->literal == LIT_FLOAT)) {
        put_scalar(w, s, bits);
        if (n->annotated && (s == ST_I32 || s == ST_F64))
            put(w, ir_scalar_name(s));
        return;
    }
    if (n->literal == LIT_NEG)
        out_char(&w->out, '-');
    put_number(w, bits);
}

static inline void put_operand(text_writer *w, ir_value v)
{
    uint32_t name = v < w->names.chosen.len ? w->names.chosen.at[v] : 0;
    if (name)
        put_chosen(w, name);
    else if (ir_value_at(w->m, v)->kind == V_CONST)
        put_constant(w, v);
    else
        put(w, "%?"); /* used where it is not visible: the module is not valid */
}

static void put_operands(text_writer *w, const op_node *op)
{
    for (uint32_t i = 0; i < op->nargs; i++) {
        if (i)
            put(w, ", ");
        put_operand(w, w->m->pool.at[op->args + i]);
    }
}

/* %x: t, where the value is bound. */
static void put_binding(text_writer *w, ir_value v)
{
    ir_type t = ir_value_at(w->m, v)->type;
    put_chosen(w, names_choose(&w->names, v));
    if (t) {
        put(w, ": ");
        put_type(w, t);
    }
}

/* "(" list(param) ")".  Each is visible from here on, so that the next one cannot have its name. */
static void put_params(text_writer *w, const region_node *r)
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

/* tparam.  Naming one changes how types are printed: the stamp makes the copies of their texts
 * stale. */
static void put_tvar(text_writer *w, ir_tvar v)
{
    names_show_tvar(&w->names, v);
    w->stamp++;
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

/* "<" list(type | level) ">" of a call, or the tparams of an fn (binds); nothing for none. */
static void put_instance(text_writer *w, uint32_t inst, bool binds)
{
    uint32_t ntypes = pool_at(w->m, inst), n = ntypes + pool_at(w->m, inst + 1);
    if (!inst || !n)
        return;
    put(w, "<");
    for (uint32_t i = 0; i < n && w->out.ok; i++) {
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

/* "@"NAME */
static void put_function_name(text_writer *w, ir_func f)
{
    put(w, "@");
    put_str(w, names_clean(&w->names, ir_func_at(w->m, f)->name));
}

/* Bytes, in base 64 and in quotation marks. */
static void put_bytes(text_writer *w, str_id s)
{
    text_out *o = &w->out;
    put(w, "\"");
    out_flush(o);
    o->ok = o->ok &&
            base64_encode(w->mm, ir_str(w->m, s), intern_len(&w->m->cx->strings, s), o->buffer);
    if (o->ok)
        out_resume(o);
    put(w, "\"");
}

/* data */
static void put_data(text_writer *w, ir_op o, const op_node *op)
{
    ir_data d = ir_op_data(w->m, o);
    put(w, "<");
    put_type(w, op->attr);
    for (uint32_t i = 0; i < d.rank; i++) {
        put(w, i ? ", " : "; ");
        put_number(w, d.extents[i]);
    }
    put(w, "> ");
    put_bytes(w, d.bytes);
}

/* What stands between the operator and its operands. */
static void put_attr(text_writer *w, ir_op o, const op_node *op)
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
    if (k == ATTR_DATA)
        put_data(w, o, op);
}

/* ---- operations and regions ---- */

/* A place that is in another file than this text, or was given by loc(...). */
static void print_loc(text_writer *w, uint32_t number)
{
    if (!ir_loc_is_given(w->m, number))
        return;
    location loc = ir_loc_at(w->m, number);
    put(w, " loc(");
    put_string(w, loc.file);
    put(w, ":");
    put_number(w, loc.line);
    put(w, ":");
    put_number(w, loc.col);
    put(w, ")");
}

/* loc?; a place in the text itself, as most are, is decided by two comparisons. */
static inline void put_loc(text_writer *w, uint32_t number)
{
    if (number < w->first_loc || number >= w->end_loc)
        print_loc(w, number);
}

/* The value of an attribute. */
static void put_integer(text_writer *w, int64_t x)
{
    if (x < 0)
        put(w, "-");
    put_number(w, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

/* A list of those that are listed together, in the order in which they were set. */
static void put_list(text_writer *w, const attributes *all, subject of, keyword list)
{
    bool any = false;
    for (uint32_t i = ir_attr_first(all, of); i; i = all->all.at[i].next) {
        const attribute *a = &all->all.at[i];
        if (list != KEY_ATTR && ir_property_is_required(w->m, a->key) != (list == KEY_PROP))
            continue;
        put(w, any ? ", " : list == KEY_ATTR ? " attr(" : list == KEY_PROP ? " prop(" : " hint(");
        any = true;
        put_string(w, a->key);
        put(w, " = ");
        if (a->is_text)
            put_string(w, a->text);
        else
            put_integer(w, a->number);
    }
    if (any)
        put(w, ")");
}

/* props? hints? attrs? */
static void put_attributes(text_writer *w, subject of)
{
    put_list(w, &w->m->props, of, KEY_PROP);
    put_list(w, &w->m->props, of, KEY_HINT);
    put_list(w, &w->m->attrs, of, KEY_ATTR);
}

static void put_region(text_writer *w, ir_region region, bool body);

/* Notes where the name that comes next stands, for text_write_places. */
static void note_place(text_writer *w, subject of)
{
    if (!w->places || of.id >= w->places[of.kind].len)
        return;
    out_flush(&w->out);
    w->places[of.kind].at[of.id] = w->out.buffer->len + 1;
    out_resume(&w->out);
}

/* list(operand), in parentheses for a call, which has them even without operands; `func` takes
 * none. */
static void put_arguments(text_writer *w, const op_node *op, const op_info *info)
{
    bool call = info->attr == ATTR_CALL;
    if (call ? info->max_args != 0 : op->nargs != 0)
        out_char(&w->out, call ? '(' : ' ');
    put_operands(w, op);
    if (call && info->max_args)
        out_char(&w->out, ')');
}

/* stmt.  Its result's name is chosen before its regions are printed, since it must not clash with
 * what is visible around it, and becomes visible behind them. */
static void put_operation(text_writer *w, ir_op o, const op_node *op)
{
    const op_info *info = ir_op_info(op->opcode);
    uint32_t mark = w->names.visible.len;
    if (info->has_result) {
        put_binding(w, op->result);
        put(w, " = ");
    }
    note_place(w, (subject){ON_OP, o});
    if (info->name)
        put_n(w, info->name, info->name_len);
    else
        out_char(&w->out, '?');
    if (info->attr != ATTR_NONE)
        put_attr(w, o, op);
    put_arguments(w, op, info);
    for (uint32_t i = 0; i < info->regions; i++)
        put_region(w, op->regions + i, false);
    if (info->regions) /* what an fn binds is not visible any more */
        names_leave(&w->names, mark);
    put_loc(w, op->loc);
    if (w->m->attrs.all.len || w->m->props.all.len)
        put_attributes(w, (subject){ON_OP, o});
    if (info->has_result)
        names_show(&w->names, op->result);
}

/* Its parameters are visible inside only: the scope is the caller's to leave. */
static void put_region(text_writer *w, ir_region region, bool body)
{
    const region_node r = *ir_region_at(w->m, region);
    uint32_t mark = w->names.visible.len;
    put(w, " {");
    if (!body && r.nparams) {
        put(w, " ");
        put_params(w, &r);
    }
    w->depth++;
    for (ir_op o = names_enter(&w->names, region, w->depth) ? r.first : 0; o && w->out.ok;) {
        const op_node *op = ir_op_at(w->m, o);
        put_line(w);
        put_operation(w, o, op);
        o = op->next;
    }
    w->depth--;
    put_line(w);
    put(w, "}");
    names_leave(&w->names, mark);
}

/* ---- functions and modules ---- */

/* tparams? */
static void put_tparams(text_writer *w, const func_node *f)
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

/* ( "fun" | "kernel" ) "@"NAME tparams? params [ "->" type ] loc? props? hints? attrs? region */
static void put_function(text_writer *w, ir_func id)
{
    const func_node f = *ir_func_at(w->m, id);
    names_begin(&w->names, id);
    put(w, f.kernel ? "\nkernel " : "\nfun ");
    note_place(w, (subject){ON_FUNC, id});
    put_function_name(w, id);
    put_tparams(w, &f);
    put_params(w, ir_region_at(w->m, f.body));
    if (f.result) {
        put(w, " -> ");
        put_type(w, f.result);
    }
    put_loc(w, f.loc);
    put_attributes(w, (subject){ON_FUNC, id});
    put_region(w, f.body, true);
    put(w, "\n");
}

/* Those that the module itself names; what they import comes with them. */
static void put_imports(text_writer *w)
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

static void put_module_attributes(text_writer *w)
{
    subject module = {ON_MODULE, 0};
    if (!ir_attr_first(&w->m->attrs, module) && !ir_attr_first(&w->m->props, module))
        return;
    put(w, "\nmodule");
    put_attributes(w, module);
    put(w, "\n");
}

/* Sections that the library does not know. */
static void put_section(text_writer *w, const section_node *s)
{
    put(w, "section ");
    put_string(w, s->name);
    if (s->flags) {
        put(w, " ");
        put_number(w, s->flags);
    }
    put(w, " ");
    put_bytes(w, s->body);
    put(w, "\n");
}

static void put_sections(text_writer *w)
{
    for (uint32_t i = 0; i < w->m->sections.len; i++) {
        if (!i)
            put(w, "\n");
        put_section(w, &w->m->sections.at[i]);
    }
}

enum { OPERATION_TEXT = 24 }; /* characters: so that the buffer grows once at most, as a rule */

/* *w is whole in either case, so that writer_end may follow; false when memory is short. */
static bool writer_init(text_writer *w, ir_module *m, vec_char *out)
{
    *w = (text_writer){.m = m, .mm = &m->cx->mem, .stamp = 1};
    out_begin(&w->out, w->mm, out);
    ir_own_places(m, &w->first_loc, &w->end_loc);
    out_room(&w->out, (size_t)(m->ops.len - 1) * OPERATION_TEXT);
    if (!names_init(&w->names, m) || !vec_reserve(w->mm, &w->types, m->types.len))
        return false;
    w->types.len = m->types.len;
    memset(w->types.at, 0, w->types.len * sizeof *w->types.at);
    return true;
}

/* Ends the writer; whether all was written. */
static bool writer_end(text_writer *w)
{
    bool ok = w->out.ok && w->names.ok;
    names_free(&w->names);
    vec_free(w->mm, &w->types);
    vec_free(w->mm, &w->type_chars);
    return ok && !w->mm->oom;
}

/* The file; the buffer's length is right when it is done. */
static void put_module(text_writer *w, uint32_t version)
{
    put(w, "fcl ");
    put_number(w, version / 100);
    put(w, ".");
    put_number(w, version % 100);
    put(w, "\n");
    put_imports(w);
    put_module_attributes(w);
    for (ir_func f = 1; f < w->m->funcs.len && w->out.ok && w->names.ok; f++)
        if (!w->m->funcs.at[f].import)
            put_function(w, f);
    put_sections(w);
    out_flush(&w->out);
}

bool text_write_as(ir_module *m, uint32_t version, vec_char *out)
{
    text_writer w;
    if (writer_init(&w, m, out))
        put_module(&w, version);
    return writer_end(&w);
}

bool text_write(ir_module *m, vec_char *out)
{
    return text_write_as(m, version_needed(m), out);
}

static bool zeroed(mem *mm, vec_u32 *v, uint32_t n)
{
    if (!vec_reserve(mm, v, n))
        return false;
    memset(v->at, 0, n * sizeof *v->at);
    v->len = n;
    return true;
}

bool text_write_places(ir_module *m, vec_char *out, vec_u32 places[3])
{
    text_writer w;
    bool ok = writer_init(&w, m, out);
    w.places = places;
    if (ok && zeroed(w.mm, &places[ON_FUNC], m->funcs.len) &&
        zeroed(w.mm, &places[ON_OP], m->ops.len))
        put_module(&w, version_needed(m));
    return writer_end(&w);
}

/* Names depend on what is visible where, so the module is printed, and the text thrown away. */
bool text_names(ir_module *m, vec_u32 *names)
{
    vec_char text = {0};
    text_writer w;
    if (writer_init(&w, m, &text))
        put_module(&w, FORMAT_VERSION);
    vec_free(w.mm, names);
    *names = w.names.chosen;
    w.names.chosen = (vec_u32){0};
    bool ok = writer_end(&w);
    vec_free(&m->cx->mem, &text);
    return ok;
}
