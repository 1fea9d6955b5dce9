/* The scalar operators and types as front ends see them: rows of ir/scalars.def and ir/types.def.
 */
#include "ir/host.h"
#include "ir/scalar/scalar.h"
#include "libfcl/face.h"

#include <math.h>

/* ---- types ---- */

static const fcl_scalar_facts facts[ST_COUNT] = {
#define SCALAR(e, wire, nm, class, size, al, since, unsigned_type, digits, npy, ...)               \
    [wire] = {.name = nm, .alias = al, .kind = npy[1], .bytes = size, .precision = digits},
#include "ir/types.def"
#undef SCALAR
};

const fcl_scalar_facts *fcl_scalar_get(fcl_scalar s)
{
    return s >= FCL_BOOL && s < FCL_SCALAR_END ? &facts[s] : NULL;
}

fcl_scalar fcl_scalar_named(const char *name, size_t n)
{
    return name ? (fcl_scalar)ir_scalar_named(name, n) : 0;
}

uint64_t fcl_bits_read(fcl_scalar t, const void *at)
{
    host_array a = {.type = (scalar)t, .data = (void *)(uintptr_t)at};
    return at && fcl_scalar_get(t) ? host_get(&a, 0) : 0;
}

void fcl_bits_write(fcl_scalar t, uint64_t bits, void *at)
{
    host_array a = {.type = (scalar)t, .data = at};
    if (at && fcl_scalar_get(t))
        host_set(&a, 0, bits);
}

double fcl_float_read(fcl_scalar s, const void *at)
{
    host_array a = {.type = (scalar)s, .data = (void *)(uintptr_t)at};
    return at && ir_scalar_is_float(a.type) ? scalar_as_double(a.type, host_get(&a, 0)) : 0;
}

void fcl_float_write(fcl_scalar s, double x, void *at)
{
    host_array a = {.type = (scalar)s, .data = at};
    if (at && ir_scalar_is_float(a.type))
        host_set(&a, 0, scalar_from_double(a.type, x));
}

bool fcl_float_parse(fcl_scalar s, const char *text, size_t n, void *at)
{
    bool good = text && at && ir_scalar_is_float((scalar)s);
    double x = good ? scalar_parse_float((scalar)s, text, n) : (double)NAN;
    fcl_float_write(s, x, at);
    return isfinite(x);
}

/* ---- operators ---- */

static char operand_letter(const op_info *info)
{
    switch (info->operands) {
    case CLASS_ORD: return 'O';
    case CLASS_NUM: return 'N';
    case CLASS_INT: return 'I';
    case CLASS_FLT: return 'F';
    case CLASS_BIT: return 'B';
    case CLASS_BOOL: return 'L';
    case CLASS_SEL: return 'S';
    default: return 'A';
    }
}

bool fcl_operator_get(size_t i, fcl_operator *out, size_t size)
{
    for (uint32_t code = 1; code < SOP_END; code++) {
        const op_info *info = ir_op_info(code);
        if (!info->name || i--)
            continue;
        fcl_operator x = {info->name, info->min_args, operand_letter(info), info->result_bool != 0,
                          info->formula};
        return ABI_GIVE(out, size, x);
    }
    return false;
}
