/* Choosing the forms of operators: see form.h and kir.def.
 *
 * The operators are total; the instructions of devices, and the operators of the languages that
 * they are programmed in, are not.  What lies outside of those is told from ranges. */
#include "ir/kernel/form.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

enum { WORD_BYTES = 4 }; /* targets compute in words what is narrower, which has no wrapping then */

/* The type of the operands; a select's first one is its condition. */
static scalar operand_type(const k_program *p, const k_node *n)
{
    return (scalar)k_at(p, n->args[n->opcode == SOP_SELECT])->type;
}

static bool is_unsigned(scalar t)
{
    return ir_scalar_class(t) == 'U';
}

static bool is_narrow(scalar t)
{
    return ir_scalar_bytes(t) < WORD_BYTES;
}

static bool excludes(const k_program *p, k_id v, int64_t x)
{
    return k_lo(p, v) > x || k_hi(p, v) < x;
}

/* u64 keeps no interval, but its constants are known. */
static bool never_zero(const k_program *p, scalar t, k_id v)
{
    const k_node *n = k_at(p, v);
    return t == ST_U64 ? n->op == K_CONST && n->bits != 0 : excludes(p, v, 0);
}

static bool never_negative(const k_program *p, scalar t, k_id v)
{
    return is_unsigned(t) || k_lo(p, v) >= 0;
}

static bool never_least(const k_program *p, scalar t, k_id v)
{
    return k_lo(p, v) > -((int64_t)1 << (ir_scalar_bytes(t) * 8 - 2)) * 2;
}

static bool is_power(const k_node *n)
{
    return n->op == K_CONST && (int64_t)n->bits > 0 && (n->bits & (n->bits - 1)) == 0;
}

/* ---- integers ---- */

static k_form arithmetic_form(scalar t, const k_node *n)
{
    return n->exact || (is_unsigned(t) && !is_narrow(t)) ? FORM_PLAIN : FORM_WRAPPING;
}

static k_form shift_form(const k_program *p, scalar t, const k_node *n)
{
    k_id amount = n->args[1];
    bool known = t != ST_U64 || k_at(p, amount)->op == K_CONST;
    bool inside = known && k_lo(p, amount) >= 0 && k_hi(p, amount) < ir_scalar_bytes(t) * 8;
    return inside ? FORM_PLAIN : FORM_MASKED;
}

/* Towards minus infinity (floor) or zero: the same unless an operand is negative.  Instructions
 * divide towards zero, but not by zero, nor the least integer by -1. */
static k_form division_form(const k_program *p, scalar t, const k_node *n, bool floor)
{
    k_id x = n->args[0], y = n->args[1];
    bool natural = never_negative(p, t, x) && never_negative(p, t, y) && never_zero(p, t, y);
    if (is_power(k_at(p, y)) && (floor || natural || is_unsigned(t)))
        return FORM_POWER;
    if (natural && !is_unsigned(t) && !is_narrow(t))
        return FORM_NATURAL;
    bool fits = is_unsigned(t) || excludes(p, y, -1) || never_least(p, t, x);
    return natural || (!floor && never_zero(p, t, y) && fits) ? FORM_PLAIN : FORM_GUARDED;
}

static k_form integer_form(const k_program *p, scalar t, const k_node *n)
{
    switch (n->opcode) {
    case SOP_ADD:
    case SOP_SUB:
    case SOP_MUL:
    case SOP_NEG: return arithmetic_form(t, n);
    case SOP_SHL:
    case SOP_SHR:
    case SOP_LSHR: return shift_form(p, t, n);
    case SOP_DIV:
    case SOP_MOD: return division_form(p, t, n, true);
    case SOP_QUOT:
    case SOP_REM: return division_form(p, t, n, false);
    default: return FORM_PLAIN;
    }
}

/* ---- floats ---- */

/* Those that devices also have at a precision of their own. */
static bool has_fast_form(uint32_t op)
{
    switch (op) {
    case SOP_FDIV:
    case SOP_POW:
    case SOP_SQRT:
    case SOP_RSQRT:
    case SOP_EXP:
    case SOP_EXP2:
    case SOP_LOG:
    case SOP_LOG2:
    case SOP_LOG10:
    case SOP_SIN:
    case SOP_COS:
    case SOP_TAN: return true;
    default: return false;
    }
}

static k_form float_form(const k_program *p, scalar t, const k_node *n)
{
    const k_node *x = k_at(p, n->args[0]);
    if (t != ST_F32 || !p->target.request.fast_math || !has_fast_form(n->opcode))
        return FORM_PLAIN;
    bool one = x->op == K_CONST && scalar_as_double(t, x->bits) == 1.0;
    return one && n->opcode == SOP_FDIV ? FORM_RECIPROCAL : FORM_FAST;
}

/* ---- the rest ---- */

static k_form conversion_form(scalar to, scalar from)
{
    bool cuts = ir_scalar_class(from) == 'F' && ir_scalar_class(to) != 'F' && to != ST_BOOL;
    return cuts ? FORM_SATURATING : FORM_PLAIN;
}

/* i + step may pass the greatest int only when the bound is within a step of it. */
static k_form step_form(const k_program *p, const k_node *n)
{
    scalar t = (scalar)k_at(p, n->args[1])->type;
    int64_t most = k_hi(p, n->args[1]), by = k_hi(p, n->args[2]);
    return t == ST_I32 && most + by - 1 > INT32_MAX ? FORM_SATURATING : FORM_PLAIN;
}

static k_form scalar_form(const k_program *p, const k_node *n)
{
    scalar t = operand_type(p, n);
    switch (ir_scalar_class(t)) {
    case 'I':
    case 'U': return integer_form(p, t, n);
    case 'F': return float_form(p, t, n);
    default: return FORM_PLAIN;
    }
}

k_form k_form_of(const k_program *p, const k_node *n)
{
    switch (n->op) {
    case K_SCALAR: return scalar_form(p, n);
    case K_CONVERT: return conversion_form((scalar)n->type, (scalar)k_at(p, n->args[0])->type);
    case K_FOR: return step_form(p, n);
    default: return FORM_PLAIN;
    }
}
