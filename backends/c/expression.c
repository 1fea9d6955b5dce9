/* Values as C expressions: names, constants, and operations through the templates of
 * language.h.
 *
 * Recursion goes only into values that scan.c put in place, whose nesting it bounds. */
#include "backends/c/emit.h"

#include "backends/names.h"
#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

#include <inttypes.h>
#include <string.h>

void c_put_list(c_emitter *e, const char *fmt, va_list ap)
{
    if (!text_add_list(e->m, e->out, fmt, ap))
        e->failed = true;
}

void c_put(c_emitter *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c_put_list(e, fmt, ap);
    va_end(ap);
}

void c_indent(c_emitter *e)
{
    c_put_line(e);
    c_put(e, "%*s", (int)(4 * e->indent), "");
}

/* ---- names ---- */

/* The leaf's number comes first, so that no two names can meet and none is a word of the language.
 */
static void put_leaf_name(c_emitter *e, const char *prefix, uint32_t which)
{
    char name[BACKEND_PARAM_NAME];
    backend_param_name(e->p, which, name);
    c_put(e, "%s%u%s", prefix, which, name);
}

static void put_dim_name(c_emitter *e, uint32_t which, uint32_t axis)
{
    bool only = which < e->p->in.len && e->p->in.at[which].rank == 1;
    put_leaf_name(e, only ? "len" : "dim", which);
    if (!only)
        c_put(e, "_axis%u", axis);
}

static void put_memory_name(c_emitter *e, const k_node *n, k_id id)
{
    uint32_t result = c_note_of(e, id)->result;
    if (result)
        c_put(e, "out%u", result - 1);
    else
        c_put(e, "%s%u",
              n->space == SPACE_LOCAL     ? "tile"
              : n->space == SPACE_PRIVATE ? "own"
                                          : "tmp",
              id);
}

/* Tables that are no arguments stand outside of kernels, in a file that other programs have tables
 * in. */
static void put_table_name(c_emitter *e, k_id id)
{
    if (c_note_of(e, id)->given) {
        c_put(e, "table%u", id);
        return;
    }
    str_id first = e->p->kernels.len ? e->p->kernels.at[0].name : 0;
    c_put(e, "%s_table%u", intern_str(&e->p->cx->strings, first), id);
}

/* Each kind of value has a prefix of its own, and the node's or leaf's number makes the name
 * unique. */
void c_name(c_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    k_id alias = c_note_of(e, v)->alias;
    switch (n->op) {
    case K_ARG: put_leaf_name(e, "arg", n->leaf); break;
    case K_DIM: put_dim_name(e, n->leaf, n->axis); break;
    case K_BUFFER: put_leaf_name(e, "in", n->leaf); break;
    case K_ALLOC: put_memory_name(e, n, v); break;
    case K_TABLE: put_table_name(e, v); break;
    default:
        if (n->op == K_RESULT && k_at(e->p, n->owner)->op == K_LOADWIDE)
            c_lane(e, v);
        else
            c_put(e, "v%u", alias ? alias : v);
        break;
    }
}

/* ---- which form ---- */

static bool is_unsigned(scalar t)
{
    return ir_scalar_class(t) == 'U';
}

/* The type of the operands; a select's first one is its condition. */
static scalar operand_type(const k_program *p, const k_node *n)
{
    return (scalar)k_at(p, n->args[n->opcode == SOP_SELECT])->type;
}

static const c_form *form_of(const c_emitter *e, const k_node *n)
{
    const c_operator *o = &e->language->operators[n->opcode];
    char c = ir_scalar_class(operand_type(e->p, n));
    if (n->form != FORM_PLAIN)
        return &o->of[n->form];
    return c == 'F' ? &o->real : c == 'B' ? &o->logical : &o->plain;
}

const char *c_text_of(const c_emitter *e, const k_node *n)
{
    return form_of(e, n)->text;
}

/* C computes small integers as int: results that are no calls, casts or relations are cast back. */
static bool needs_cast(const k_node *n, scalar t, const c_form *f)
{
    return c_is_small(t) && n->type != ST_BOOL && f->binding != FCL_C_ATOM &&
           strncmp(f->text, "($T)", 4) != 0;
}

/* ---- operations ---- */

static fcl_c_binding letter_binding(char c)
{
    switch (c) {
    case 'r': return FCL_C_RELATION;
    case 'a': return FCL_C_SUM;
    case 'm': return FCL_C_PRODUCT;
    case 'u': return FCL_C_UNARY;
    case 'p': return FCL_C_ATOM;
    default: return FCL_C_ANY;
    }
}

int c_log2_of(int64_t x)
{
    int k = 0;
    while (x >>= 1)
        k++;
    return k;
}

static void put_constant(c_emitter *e, scalar t, uint64_t bits)
{
    if (!c_constant(e->language, e->m, c_held(e, t), bits, e->out))
        e->failed = true;
}

/* Using a helper's name asks for its definition before the kernels. */
static void put_helper_name(c_emitter *e, const k_node *n, scalar t)
{
    e->file->helpers.types[n->opcode] |= (uint16_t)(1u << t);
    c_put(e, "fcl_%s_%s", ir_op_info(n->opcode)->name, c_type(e->language, t));
}

/* The part after a $; returns the last character it used. */
static const char *put_part(c_emitter *e, const k_node *n, scalar t, const char *s)
{
    switch (*s) {
    case 'T': c_put(e, "%s", c_type(e->language, t)); break;
    case 'V': c_put(e, "%s", c_unsigned_type(e->language, t)); break;
    case 'W': c_put(e, "%s", c_wide_type(e->language, t)); break;
    case 'B': c_put(e, "%u", ir_scalar_bytes(t) * 8 - 1); break;
    case 'h': put_helper_name(e, n, t); break;
    case 'K': c_put(e, "%d", c_log2_of(k_lo(e->p, n->args[1]))); break;
    case 'M': put_constant(e, t, (uint64_t)k_lo(e->p, n->args[1]) - 1); break;
    default: c_value(e, n->args[*s - '1'], letter_binding(s[1])); return s + 1;
    }
    return s;
}

/* ($W), ($T), ($V) say nothing where the type is that one already. */
static bool is_idle_cast(const char *s, scalar t)
{
    if (strncmp(s, "($", 2) != 0 || s[2] == 0 || s[3] != ')' || !is_unsigned(t))
        return false;
    return s[2] == 'T' ? !c_is_small(t) : s[2] == 'V' || (s[2] == 'W' && !c_is_small(t));
}

static void put_template(c_emitter *e, const k_node *n, scalar t, const char *text);

static const char result_cast[] = "($T)", operand_cast[] = "($W)$";

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* The operand of an unsigned operation: constants are written as such, and what is unsigned but for
 * a cast goes without that. */
static void put_unsigned(c_emitter *e, k_id v, scalar t)
{
    const k_node *n = k_at(e->p, v);
    bool in_place = n->op == K_SCALAR && c_note_of(e, v)->in_place && !e->operand;
    const char *text = in_place ? form_of(e, n)->text : NULL;
    if (n->op == K_CONST && (int64_t)n->bits >= 0 && !e->replaces) {
        put_constant(e, t == ST_I64 ? ST_U64 : ST_U32, n->bits);
    } else if (text && starts_with(text, result_cast) && starts_with(text + 5, operand_cast)) {
        put_template(e, n, t, text + strlen(result_cast));
    } else {
        c_put(e, "(%s)", c_wide_type(e->language, t));
        c_value(e, v, FCL_C_UNARY);
    }
}

/* $1 to $3 are operands, with a letter for how tightly what stands around them binds. */
static void put_template(c_emitter *e, const k_node *n, scalar t, const char *text)
{
    for (const char *s = text; *s; s++) {
        if (starts_with(s, operand_cast) && (t == ST_I32 || t == ST_I64)) {
            s += strlen(operand_cast);
            put_unsigned(e, n->args[*s - '1'], t);
            s++;
        } else if (is_idle_cast(s, t))
            s += 3;
        else if (*s == '$')
            s = put_part(e, n, t, s + 1);
        else
            c_put(e, "%c", *s);
    }
}

void c_put_template(c_emitter *e, const k_node *n, const char *text)
{
    put_template(e, n, (scalar)n->type, text);
}

static void put_scalar(c_emitter *e, const k_node *n)
{
    scalar t = operand_type(e->p, n);
    const c_form *f = form_of(e, n);
    if (!f->text) { /* the checker lets no operator meet a type that it does not take */
        e->failed = true;
        return;
    }
    bool cast = needs_cast(n, t, f);
    if (cast)
        c_put(e, "(%s)(", c_type(e->language, t));
    put_template(e, n, t, f->text);
    if (cast)
        c_put(e, ")");
}

/* Whether a conversion is between f32 and the bits of an f16, the only one that is left then: see
 * the pass halves. */
static bool is_of_half(const c_emitter *e, scalar to, scalar from)
{
    return c_held(e, to) != to || c_held(e, from) != from;
}

static void put_convert(c_emitter *e, const k_node *n)
{
    scalar to = (scalar)n->type, from = (scalar)k_at(e->p, n->args[0])->type;
    if (is_of_half(e, to, from)) {
        e->file->helpers.half[to == ST_F16] = true;
        c_put(e, to == ST_F16 ? "fcl_narrow_half(" : "fcl_widen_half(");
        c_value(e, n->args[0], FCL_C_ANY);
        c_put(e, ")");
        return;
    }
    bool call = n->form == FORM_SATURATING;
    if (call) {
        e->file->helpers.converts[from] |= (uint16_t)(1u << to);
        c_put(e, "fcl_convert_%s_%s(", c_type(e->language, to), c_type(e->language, from));
    }
    if (!call && to != ST_BOOL)
        c_put(e, "(%s)", c_type(e->language, to));
    c_value(e, n->args[0], to == ST_BOOL ? FCL_C_SUM : call ? FCL_C_ANY : FCL_C_UNARY);
    c_put(e, "%s", to == ST_BOOL ? " != 0" : call ? ")" : "");
}

static fcl_c_binding convert_binding(const c_emitter *e, const k_node *n)
{
    scalar from = (scalar)k_at(e->p, n->args[0])->type;
    return is_of_half(e, (scalar)n->type, from) ? FCL_C_ATOM
           : n->type == ST_BOOL                 ? FCL_C_RELATION
           : n->form == FORM_SATURATING         ? FCL_C_ATOM
                                                : FCL_C_UNARY;
}

/* A bool has no bits to reinterpret in C; 0 and 1 stand for it. */
static void put_bitcast(c_emitter *e, const k_node *n)
{
    scalar to = (scalar)n->type, from = (scalar)k_at(e->p, n->args[0])->type;
    bool cast = from == ST_BOOL || is_of_half(e, to, from);
    if (to == ST_BOOL)
        c_put(e, "(bool)(");
    else
        c_put(e, cast ? "(%s%s)(" : "%s%s(", cast ? "" : e->language->words.reinterpret,
              c_type(e->language, c_held(e, to)));
    c_value(e, n->args[0], to == ST_BOOL ? FCL_C_UNARY : FCL_C_ANY);
    c_put(e, to == ST_BOOL ? " & 1)" : ")");
}

static void put_builtin(c_emitter *e, k_id v)
{
    const fcl_c_language *w = &e->language->words;
    const char *const words[] = {
        [AT_THREAD] = w->thread, [AT_GROUP] = w->group, [AT_GROUPS] = w->groups};
    const char *s = words[k_at(e->p, v)->coordinate];
    if (w->coordinate)
        w->coordinate(e, v);
    else if (s)
        c_put(e, "%s", s);
    else
        c_lacks(e, v, "a coordinate of the running thread");
}

static void put_load(c_emitter *e, const k_node *n)
{
    c_name(e, n->args[0]);
    c_put(e, "[");
    c_value(e, n->args[1], FCL_C_ANY);
    c_put(e, "]");
}

void c_operation(c_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    switch (n->op) {
    case K_SCALAR: put_scalar(e, n); break;
    case K_CONVERT: put_convert(e, n); break;
    case K_BITCAST: put_bitcast(e, n); break;
    case K_BUILTIN: put_builtin(e, v); break;
    case K_LOAD: put_load(e, n); break;
    case K_SHUFFLE: c_exchange(e, v); break;
    case K_FAILED: c_put(e, "%s", e->language->words.failed); break;
    default: c_name(e, v); break;
    }
}

/* How tightly an expression holds together, as it will be written. */
static fcl_c_binding binding_of(const c_emitter *e, k_id v)
{
    const k_node *n = k_at(e->p, v);
    if (n->op == K_CONST)
        return c_constant_binding(c_held(e, (scalar)n->type), n->bits);
    if (!c_note_of(e, v)->in_place)
        return FCL_C_ATOM;
    if (n->op == K_CONVERT)
        return convert_binding(e, n);
    if (n->op == K_BITCAST)
        return FCL_C_UNARY;
    if (n->op != K_SCALAR)
        return FCL_C_ATOM;
    const c_form *f = form_of(e, n);
    return needs_cast(n, operand_type(e->p, n), f) ? FCL_C_UNARY : f->binding;
}

/* Parentheses stand only where the expression around it binds more tightly. */
void c_value(c_emitter *e, k_id v, fcl_c_binding least)
{
    const k_node *n = k_at(e->p, v);
    if (e->operand && e->operand(e, v))
        return;
    bool wrapped = binding_of(e, v) < least;
    if (wrapped)
        c_put(e, "(");
    if (n->op == K_CONST)
        put_constant(e, (scalar)n->type, n->bits);
    else if (c_note_of(e, v)->in_place)
        c_operation(e, v);
    else
        c_name(e, v);
    if (wrapped)
        c_put(e, ")");
}
