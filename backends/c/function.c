/* Functions for the host's arithmetic, of the templates that kernels in C are printed from: see
 * function.h.
 *
 * Kernels have operators in the form that is right where they stand; here nothing is known of the
 * operands, so that of integers the form is taken that is right for all: which wraps, asks for
 * zero, masks.  What is f16 goes by way of double, in which all its operators are computed exactly
 * enough to be rounded once. */
#include "backends/c/function.h"

#include "backends/c/language.h"
#include "ir/scalar/scalar.h"

#include <stdarg.h>
#include <string.h>

typedef struct writer {
    mem *m;
    vec_char *out;
    const char *name;
    bool ok;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    w->ok = w->ok && text_add_list(w->m, w->out, fmt, ap);
    va_end(ap);
}

/* ---- types ---- */

static bool is_half(scalar t)
{
    return ir_scalar_is_float(t) && ir_scalar_bytes(t) == 2;
}

static void put_integer_type(writer *w, bool is_unsigned, uint32_t bytes)
{
    put(w, "%sint%u_t", is_unsigned ? "u" : "", 8 * bytes);
}

static void put_type(writer *w, scalar t)
{
    if (t == ST_BOOL)
        put(w, "bool");
    else if (ir_scalar_is_float(t) && !is_half(t))
        put(w, ir_scalar_bytes(t) == 4 ? "float" : "double");
    else
        put_integer_type(w, ir_scalar_class(t) != 'I', ir_scalar_bytes(t));
}

/* $T, $V, $W: see language.h. */
static void put_type_part(writer *w, char which, scalar t)
{
    uint32_t bytes = ir_scalar_bytes(t);
    if (which == 'T')
        put_type(w, t);
    else
        put_integer_type(w, true, which == 'W' && bytes < 4 ? 4 : bytes);
}

/* ---- templates ---- */

static const char *const operands[] = {"x", "y", "z"};

/* Operands are names, which bind as tightly as any letter asks. */
static void put_template(writer *w, const char *text, scalar t)
{
    for (const char *s = text; *s; s++) {
        if (*s != '$') {
            put(w, "%c", *s);
        } else if (*++s >= '1' && *s <= '3') {
            put(w, "%s", operands[*s++ - '1']);
        } else if (*s == 'B') {
            put(w, "%u", ir_scalar_bytes(t) * 8 - 1);
        } else {
            put_type_part(w, *s, t);
        }
    }
}

static const char *text_of(const c_operator *o, scalar t)
{
    static const k_form forms[] = {FORM_WRAPPING, FORM_GUARDED, FORM_MASKED};
    char class = ir_scalar_class(t);
    if (class == 'F')
        return o->real.text;
    if (class == 'B')
        return o->logical.text;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (o->of[forms[i]].text)
            return o->of[forms[i]].text;
    return o->plain.text;
}

static const char *body_of(const c_operator *o, scalar t)
{
    char class = ir_scalar_class(t);
    return class == 'F' ? o->help_real : class == 'I' ? o->help_signed : o->help_unsigned;
}

/* " NAME(int32_t x, int32_t y)\n{\n" */
static void put_operands(writer *w, const char *suffix, const scalar *takes, int n)
{
    put(w, " %s%s(", w->name, suffix);
    for (int i = 0; i < n; i++) {
        put(w, i ? ", " : "");
        put_type(w, takes[i]);
        put(w, " %s", operands[i]);
    }
    put(w, ")\n{\n");
}

static void begin(writer *w, const char *suffix, scalar gives, const scalar *takes, int n)
{
    put(w, "static inline ");
    put_type(w, gives);
    put_operands(w, suffix, takes, n);
}

/* ---- f16 ---- */

/* The double that the bits are. */
static void put_read(writer *w)
{
    put(w,
        "static inline double %s_read(uint16_t x)\n{\n"
        "    const int exponent = x >> 10 & 31, fraction = x & 1023;\n"
        "    const double y = exponent == 31 ? (fraction != 0 ? (double)NAN : (double)INFINITY)\n"
        "                     : exponent != 0 ? ldexp(fraction + 1024.0, exponent - 25)\n"
        "                                     : ldexp((double)fraction, -24);\n"
        "    return (x & 0x8000) != 0 ? -y : y;\n}\n",
        w->name);
}

/* The bits that are nearest to a double, of two equally near ones the even one. */
static void put_round(writer *w)
{
    put(w,
        "static inline uint16_t %s_round(double x)\n{\n"
        "    const unsigned sign = signbit(x) ? 0x8000u : 0u;\n"
        "    int exponent = 0;\n"
        "    if (isnan(x))\n        return 0x7e00;\n"
        "    if (fabs(x) >= 65520)\n        return (uint16_t)(sign | 0x7c00);\n"
        "    frexp(x, &exponent);\n"
        "    const int quantum = x == 0 || exponent < -13 ? -24 : exponent - 11;\n"
        "    const unsigned units = (unsigned)rint(ldexp(fabs(x), -quantum));\n"
        "    return (uint16_t)(sign | ((unsigned)(quantum + 24) * 1024 + units));\n}\n",
        w->name);
}

/* ---- operators ---- */

static const scalar *takes_of(opcode op, scalar t, scalar takes[3])
{
    takes[0] = op == SOP_SELECT ? ST_BOOL : t;
    takes[1] = takes[2] = t;
    return takes;
}

/* A body of a helper function computes what is narrower than int as an int, and is cast outside. */
static void put_helper(writer *w, const char *suffix, opcode op, scalar t)
{
    bool small = c_is_small(t);
    scalar takes[3];
    put(w, "static inline ");
    if (small)
        put(w, "int");
    else
        put_type(w, t);
    put_operands(w, small ? "_wide" : suffix, takes_of(op, t, takes), ir_op_info(op)->min_args);
    put_template(w, body_of(&c_operators[op], t), t);
    put(w, "}\n");
    if (!small)
        return;
    begin(w, suffix, t, takes, ir_op_info(op)->min_args);
    put(w, "    return (");
    put_type(w, t);
    put(w, ")%s_wide(x%s);\n}\n", w->name, ir_op_info(op)->min_args > 1 ? ", y" : "");
}

static void put_operator(writer *w, const char *suffix, opcode op, scalar t)
{
    const op_info *info = ir_op_info(op);
    const char *text = text_of(&c_operators[op], t);
    scalar gives = info->result_bool ? ST_BOOL : t, takes[3];
    bool cast = gives != ST_BOOL && !ir_scalar_is_float(gives);
    if (!text || strncmp(text, "$h", 2) == 0) {
        put_helper(w, suffix, op, t);
        return;
    }
    begin(w, suffix, gives, takes_of(op, t, takes), info->min_args);
    put(w, "    return ");
    if (cast) {
        put(w, "(");
        put_type(w, gives);
        put(w, ")(");
    }
    put_template(w, text, t);
    put(w, cast ? ");\n}\n" : ";\n}\n");
}

/* Computed as doubles, and rounded where it is a number. */
static void put_half_operator(writer *w, opcode op, scalar t)
{
    const op_info *info = ir_op_info(op);
    const scalar takes[3] = {t, t, t};
    put_read(w);
    if (!info->result_bool)
        put_round(w);
    put_operator(w, "_wide", op, ST_F64);
    begin(w, "", info->result_bool ? ST_BOOL : t, takes, info->min_args);
    put(w, "    return %s%s%s_wide(", info->result_bool ? "" : w->name,
        info->result_bool ? "" : "_round(", w->name);
    for (int i = 0; i < info->min_args; i++)
        put(w, "%s%s_read(%s)", i ? ", " : "", w->name, operands[i]);
    put(w, "%s;\n}\n", info->result_bool ? ")" : "))");
}

/* ---- conversions ---- */

/* The nearest integer towards zero; 0 for what is no number. */
static void put_to_integer(writer *w, scalar to)
{
    bool is_signed = ir_scalar_class(to) == 'I';
    uint32_t bits = 8 * ir_scalar_bytes(to);
    const char *sign = is_signed ? "INT" : "UINT";
    put(w, "    if (isnan(x))\n        return 0;\n    if (x >= 0x1p%u)\n        return %s%u_MAX;\n",
        bits - is_signed, sign, bits);
    if (is_signed)
        put(w, "    return x <= -0x1p%u ? INT%u_MIN : (", bits - 1, bits);
    else
        put(w, "    return x <= 0 ? 0 : (");
    put_type(w, to);
    put(w, ")x;\n}\n");
}

static void put_conversion(writer *w, const char *suffix, scalar to, scalar from)
{
    begin(w, suffix, to, &from, 1);
    if (to == ST_BOOL) {
        put(w, "    return x != 0;\n}\n");
    } else if (ir_scalar_is_float(from) && !ir_scalar_is_float(to)) {
        put_to_integer(w, to);
    } else {
        put(w, "    return (");
        put_type(w, to);
        put(w, ")x;\n}\n");
    }
}

static void put_half_conversion(writer *w, scalar to, scalar from)
{
    if (is_half(from))
        put_read(w);
    else
        put_round(w);
    put_conversion(w, "_wide", is_half(to) ? ST_F64 : to, is_half(from) ? ST_F64 : from);
    begin(w, "", to, &from, 1);
    put(w, "    return ");
    put(w, is_half(to) ? "%s_round(" : "(", w->name);
    put(w, "%s_wide(", w->name);
    put(w, is_half(from) ? "%s_read(x)" : "x", w->name);
    put(w, "));\n}\n");
}

static void put_bitcast(writer *w, scalar to, scalar from)
{
    begin(w, "", to, &from, 1);
    if (to == ST_BOOL) {
        put(w, "    return (x & 1) != 0;\n}\n");
        return;
    }
    put(w, "    ");
    put_type(w, to);
    put(w, from == ST_BOOL ? " y = x;\n    return y;\n}\n"
                           : " y;\n    memcpy(&y, &x, sizeof y);\n    return y;\n}\n");
}

/* ---- all ---- */

bool c_put_function(const plan *p, const plan_step *s, const char *name, vec_char *out)
{
    writer w = {.m = &p->cx->mem, .out = out, .name = name, .ok = true};
    scalar from = (scalar)p->values.at[s->args[0]], to = (scalar)p->values.at[s->gives];
    bool select = s->op == PLAN_COMPUTE && s->opcode == SOP_SELECT;
    if (s->op == PLAN_COMPUTE && !select && is_half(from))
        put_half_operator(&w, (opcode)s->opcode, from);
    else if (s->op == PLAN_COMPUTE)
        put_operator(&w, "", (opcode)s->opcode, select ? (is_half(to) ? ST_U16 : to) : from);
    else if (s->op == PLAN_CONVERT && (is_half(from) || is_half(to)) && from != to)
        put_half_conversion(&w, to, from);
    else if (s->op == PLAN_CONVERT)
        put_conversion(&w, "", to, from);
    else if (s->op == PLAN_BITCAST)
        put_bitcast(&w, to, from);
    return w.ok;
}
