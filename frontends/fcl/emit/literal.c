/* Literals: of the type that inference found for them, or, where only the instance of the
 * declaration knows that, conversions of a constant of the smallest usual type that holds them.  A
 * list of such literals is a table of constants and one conversion. */
#include "frontends/fcl/emit/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether an integer is in the range of an integer type. */
static bool fits(fcl_scalar s, uint64_t n, bool negative)
{
    const fcl_scalar_facts *facts = fcl_scalar_get(s);
    bool is_signed = facts->kind == 'i';
    uint64_t most = UINT64_MAX >> (64 - 8 * facts->bytes + is_signed);
    return negative ? is_signed && n <= most + 1 : n <= most;
}

bool emit_is_float(fcl_scalar s)
{
    return s && fcl_scalar_get(s)->kind == 'f';
}

/* The number did not fit the type. */
static sval *refuse_number(emitter *x, const expr *e, fcl_scalar s)
{
    const fcl_scalar_facts *facts = fcl_scalar_get(s);
    emit_refuse(x, DIAG_FCL_NUMBER, e->loc, "the number does not fit %s", facts->name);
    unsigned bits = 8 * facts->bytes;
    if (facts->kind == 'u')
        diag_hint(x->p->cx, "%s holds 0 to %" PRIu64, facts->name, UINT64_MAX >> (64 - bits));
    else if (facts->kind == 'i')
        diag_hint(x->p->cx, "%s holds -2 ** %u to 2 ** %u - 1", facts->name, bits - 1, bits - 1);
    else
        diag_hint(x->p->cx, "the numbers of %s are less than 2 ** %u", facts->name,
                  1u << (bits - facts->precision - 1));
    return emit_sval_new(x, SV_UNIT, e->loc);
}

/* A number as a float of that type, rounded from its digits. */
static sval *emit_float_of(emitter *x, const expr *e, fcl_scalar s, bool negative)
{
    char digits[24];
    const char *text = program_text_of(x->p, e->name);
    unsigned char bits[8];
    if (e->kind == EX_INT) { /* which may be hexadecimal */
        snprintf(digits, sizeof digits, "%" PRIu64, e->number);
        text = digits;
    }
    if (!fcl_float_parse(s, text, strlen(text), bits))
        return refuse_number(x, e, s);
    double d = fcl_float_read(s, bits);
    return emit_sval_core(x, fcl_const_float(x->m, s, negative ? -d : d), e->loc);
}

/* A literal of scalar type s.  An integer remembers its number: see form_DIM. */
static sval *number_of(emitter *x, const expr *e, fcl_scalar s, bool negative)
{
    uint64_t n = e->number;
    if (e->kind == EX_FLOAT || emit_is_float(s))
        return emit_float_of(x, e, s, negative);
    if (!fits(s, n, negative))
        return refuse_number(x, e, s);
    sval *v = emit_sval_core(x, fcl_const_int(x->m, s, (int64_t)(negative ? 0 - n : n)), e->loc);
    v->literal = !negative;
    v->number = n;
    return v;
}

/* The usual type that holds a literal. */
static fcl_scalar usual_scalar(const expr *e, bool negative)
{
    if (e->kind == EX_FLOAT)
        return FCL_F64;
    return fits(FCL_I32, e->number, negative)   ? FCL_I32
           : fits(FCL_I64, e->number, negative) ? FCL_I64
                                                : FCL_U64;
}

sval *emit_number(emitter *x, fcl_region r, const expr *e, bool negative)
{
    fcl_scalar s = emit_scalar_of(x, e->type);
    emit_at_loc(x, e->loc);
    if (!emit_is_variable(x, e->type))
        return number_of(x, e, s && s != FCL_BOOL ? s : usual_scalar(e, negative), negative);
    fcl_value v = number_of(x, e, usual_scalar(e, negative), negative)->v;
    return emit_sval_op(x, fcl_op_type(x->m, r, "convert", emit_core_type(x, e->type), v), e->loc);
}

/* ---- lists ---- */

/* A literal, perhaps behind a minus. */
static const expr *literal_in(const expr *e, bool *negative)
{
    *negative = e->kind == EX_NEG;
    e = *negative ? e->args[0] : e;
    return e->kind == EX_INT || e->kind == EX_FLOAT ? e : NULL;
}

/* The type of a table of these literals: the largest of the types that hold them, or double when
 * some have a point; 0 when there are others than literals. */
static fcl_scalar table_scalar(const expr *e)
{
    static const fcl_scalar order[] = {FCL_I32, FCL_I64, FCL_U64, FCL_F64};
    uint32_t most = 0;
    bool below = false;
    for (uint32_t i = 0; i < e->nargs; i++) {
        bool negative;
        const expr *lit = literal_in(e->args[i], &negative);
        if (!lit)
            return 0;
        below = below || negative;
        while (order[most] != FCL_F64 && usual_scalar(lit, negative) > order[most])
            most++;
    }
    return below && order[most] == FCL_U64 ? FCL_F64 : order[most];
}

/* map table { convert<t> } */
static sval *converted_table(emitter *x, fcl_region r, const expr *e, fcl_scalar s, fcl_type t)
{
    fcl_value *items = ARENA_ARRAY(&x->p->mem, fcl_value, e->nargs + 1);
    fcl_region body = 0;
    for (uint32_t i = 0; items && i < e->nargs; i++) {
        bool negative;
        const expr *lit = literal_in(e->args[i], &negative);
        emit_at_loc(x, lit->loc);
        items[i] = number_of(x, lit, s, negative)->v;
    }
    emit_at_loc(x, e->loc);
    fcl_value table = items ? fcl_op_array(x->m, r, fcl_type_scalar(x->m, s), items, e->nargs) : 0;
    fcl_value v = fcl_op_regions(x->m, r, "map", &table, 1, &body);
    fcl_value item = fcl_param(x->m, body, NULL, 0);
    fcl_yield(x->m, body, fcl_op_type(x->m, body, "convert", t, item));
    return emit_sval_op(x, v, e->loc);
}

/* array e1, ..., en, with its type, which an empty one needs. */
sval *emit_array(emitter *x, fcl_region r, const expr *e)
{
    ty elements = ty_at(x->t, ty_inside(x->t, e->type))->a;
    fcl_type elem = emit_core_type(x, elements);
    fcl_scalar table = emit_is_variable(x, elements) && e->nargs ? table_scalar(e) : 0;
    if (table)
        return converted_table(x, r, e, table, elem);
    fcl_value *items = ARENA_ARRAY(&x->p->mem, fcl_value, e->nargs + 1);
    for (uint32_t i = 0; items && i < e->nargs; i++)
        items[i] = emit_value_of(x, r, emit_expr(x, r, e->args[i]));
    emit_at_loc(x, e->loc);
    return emit_sval_op(x, items ? fcl_op_array(x->m, r, elem, items, e->nargs) : 0, e->loc);
}
