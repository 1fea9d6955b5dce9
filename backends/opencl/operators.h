/* The scalar operators and types in OpenCL C, as text templates.
 *
 * A template is C text in which $ introduces a part:
 *   $1e $2m ...  operand 1, 2, 3, parenthesised unless it binds at least as tightly as the letter
 * says (e r a m u p: see cl_binding) $T $V $W     the C type; its unsigned counterpart; that
 * counterpart, but at least 32 bits wide.  ($W) is left out where it says nothing new $B width - 1
 * $h           the name of the operator's helper function for the type $K $M        log2 and mask
 * (c - 1) of the constant second operand c */
#ifndef FCL_BACKENDS_OPENCL_OPERATORS_H
#define FCL_BACKENDS_OPENCL_OPERATORS_H

#include "ir/ir.h"

/* How tightly an expression binds; OTHER are the operators whose precedence nobody remembers:
 * always in parentheses. */
typedef enum cl_binding {
    BIND_ANY,
    BIND_OTHER,
    BIND_REL,
    BIND_ADD,
    BIND_MUL,
    BIND_UNARY,
    BIND_ATOM
} cl_binding;

typedef struct cl_form {
    uint8_t binding;  /* cl_binding */
    const char *text; /* NULL: there is none */
} cl_form;

/* What must be known about the operands before the plain form of an integer operator may be used.
 */
typedef enum cl_proof {
    PROOF_NONE,  /* nothing */
    PROOF_EXACT, /* it does not wrap */
    PROOF_FLOOR, /* no operand is negative, the divisor is not zero */
    PROOF_TRUNC, /* the divisor is not zero, and the least integer is not divided by -1 */
    PROOF_SHIFT  /* the amount is less than the width */
} cl_proof;

typedef struct cl_operator {
    cl_proof proof;
    cl_form plain, careful;         /* integers: with and without the proof */
    cl_form power;                  /* integers: the second operand is a constant power of two */
    cl_form natural, natural_power; /* signed: no operand is negative, the second one not zero */
    cl_form logical, real;          /* bool; floats */
    cl_form fast, fast_one;         /* f32 where precision is the device's; of the operand 1.0 */
    const char *help_signed, *help_unsigned, *help_real; /* bodies of helper functions */
} cl_operator;

const cl_operator *cl_operator_of(opcode op);
/* The C names of a scalar type: in registers, and in memory and arguments, where bool is a byte. */
const char *cl_type(scalar t);
const char *cl_memory_type(scalar t);
const char *cl_unsigned_type(scalar t);
const char *cl_wide_type(scalar t); /* unsigned, at least 32 bits */
bool cl_is_small(scalar t);         /* C promotes it to int */

/* A constant as C text, and how tightly that binds. */
bool cl_constant(mem *m, scalar t, uint64_t bits, vec_char *out);
cl_binding cl_constant_binding(scalar t, uint64_t bits);

/* Which helper functions a program needs: a set of types for each operator, and of integer types
 * for each float type that is converted to them. */
typedef struct cl_helpers {
    uint16_t types[SOP_END];
    uint16_t converts[ST_COUNT];
} cl_helpers;
bool cl_print_helpers(mem *m, const cl_helpers *used, vec_char *out);

#endif
