/* Scalar operators: the dispatch over types, and conversions: see scalar.h.  The operators on
 * integers and bool are in scalar/integer.c, those on floats in scalar/float.c.
 *
 * The canonical form makes comparison, hashing and printing of constants one comparison of 64
 * bits: each value of a type has exactly one pattern.  All operators are total;
 * docs/rooms/core.md says what they give where mathematics gives nothing. */
#include "ir/scalar/float.h"
#include "ir/scalar/integer.h"

#include <math.h>

/* The bits of the type's width; ST_NONE has none, and must not come here. */
static uint64_t mask_of(scalar t)
{
    return ~(uint64_t)0 >> (64 - scalar_width(t));
}

/* Sign extension by xor and subtract, which needs no signed shift. */
uint64_t scalar_wrap(scalar t, uint64_t bits)
{
    if (t == ST_BOOL)
        return bits & 1;
    if (t == ST_NONE)
        return bits;
    uint64_t low = bits & mask_of(t);
    uint64_t sign = (uint64_t)1 << (scalar_width(t) - 1);
    return scalar_is_signed(t) ? (low ^ sign) - sign : low;
}

/* By class alone: which width does not matter to any operator. */
bool scalar_accepts(operand_class c, scalar t)
{
    char k = ir_scalar_class(t);
    bool integer = k == 'I' || k == 'U';
    switch (c) {
    case CLASS_ANY:
    case CLASS_SEL: return k != 0;
    case CLASS_ORD:
    case CLASS_NUM: return integer || k == 'F';
    case CLASS_INT: return integer;
    case CLASS_FLT: return k == 'F';
    case CLASS_BIT: return integer || k == 'B';
    case CLASS_BOOL: return k == 'B';
    }
    return false;
}

/* ---- operators ---- */

/* Operators whose first operand is a bool and chooses: no type but the branches' matters. */
static uint64_t choose_SELECT(const uint64_t args[3])
{
    return args[0] ? args[1] : args[2];
}

typedef uint64_t choose_function(const uint64_t args[3]);
#define OF_ANY(e)  NULL
#define OF_ORD(e)  NULL
#define OF_NUM(e)  NULL
#define OF_INT(e)  NULL
#define OF_BIT(e)  NULL
#define OF_BOOL(e) NULL
#define OF_FLT(e)  NULL
#define OF_SEL(e)  choose_##e

static choose_function *const choosing[SOP_END] = {
#define SCALAROP(e, wire, name, arity, operands, ...) [SOP_##e] = OF_##operands(e),
#include "ir/scalars.def"
#undef SCALAROP
};

uint64_t scalar_eval(opcode op, scalar t, const uint64_t args[3])
{
    const op_info *info = ir_op_info(op);
    uint64_t y = info->max_args > 1 ? args[1] : 0;
    if (!info->is_scalar)
        return 0;
    if (choosing[op])
        return choosing[op](args);
    if (ir_scalar_is_float(t))
        return scalar_float_eval(op, t, args[0], y, info->max_args > 2 ? args[2] : 0);
    uint64_t r = scalar_int_eval(op, t, args[0], y);
    return info->result_bool ? r : scalar_wrap(t, r);
}

/* ---- conversions ---- */

/* Exact for all but 64-bit integers, which are rounded: for showing and for float literals. */
double scalar_as_double(scalar t, uint64_t bits)
{
    if (ir_scalar_class(t) == 'F')
        return scalar_float_value(t, bits);
    return scalar_is_signed(t) ? (double)(int64_t)bits : (double)bits;
}

/* The integer type's limits are powers of two, so the comparisons are exact; x is truncated
 * already. */
static uint64_t int_from_double(scalar t, double x)
{
    double limit = ldexp(1.0, (int)scalar_width(t) - (scalar_is_signed(t) ? 1 : 0));
    if (isnan(x))
        return 0;
    if (scalar_is_signed(t)) {
        uint64_t greatest = mask_of(t) >> 1;
        return x >= limit ? greatest : x <= -limit ? ~greatest : (uint64_t)(int64_t)x;
    }
    return x >= limit ? mask_of(t) : x <= 0 ? 0 : (uint64_t)x;
}

uint64_t scalar_from_double(scalar t, double x)
{
    if (t == ST_BOOL)
        return x != 0;
    return ir_scalar_class(t) == 'F' ? scalar_float_bits(t, x) : int_from_double(t, x);
}

uint64_t scalar_convert(scalar to, scalar from, uint64_t bits)
{
    if (to == from)
        return bits;
    if (ir_scalar_is_float(from))
        return scalar_from_double(to, scalar_float_value(from, bits));
    if (to == ST_BOOL)
        return bits != 0;
    return ir_scalar_is_float(to) ? scalar_float_from_int(to, bits, scalar_is_signed(from))
                                  : scalar_wrap(to, bits);
}

/* ---- neutral elements ---- */

/* -0.0 + x is x for all x, and so is the NaN that min and max leave out. */
static bool float_neutral(opcode op, scalar t, uint64_t *bits)
{
    switch (op) {
    case SOP_ADD: *bits = scalar_from_double(t, -0.0); return true;
    case SOP_MUL: *bits = scalar_from_double(t, 1.0); return true;
    case SOP_MIN:
    case SOP_MAX: *bits = scalar_nan(t); return true;
    default: return false;
    }
}

bool scalar_neutral(opcode op, scalar t, uint64_t *bits)
{
    uint32_t width = t == ST_BOOL ? 1 : 8 * ir_scalar_bytes(t);
    uint64_t top = (uint64_t)1 << (width - 1), sign = ir_scalar_class(t) == 'I' ? top : 0;
    if (ir_scalar_is_float(t))
        return float_neutral(op, t, bits);
    switch (op) {
    case SOP_ADD:
    case SOP_OR:
    case SOP_XOR: *bits = 0; return true;
    case SOP_MUL: *bits = 1; return true;
    case SOP_AND: *bits = scalar_wrap(t, ~(uint64_t)0); return true;
    case SOP_MIN: *bits = scalar_wrap(t, ~sign); return true;
    case SOP_MAX: *bits = scalar_wrap(t, sign); return true;
    default: return false;
    }
}
