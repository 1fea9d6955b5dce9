/* A language like C: what the emitters of OpenCL C and of other dialects differ in, as a table.
 *
 * Scalar operators are text templates.
 *
 * A template is C text in which $ introduces a part:
 *   $1e $2m ...  operand 1, 2, 3, parenthesised unless it binds at least as tightly as the letter
 * says (e r a m u p: see c_binding) $T $V $W     the C type; its unsigned counterpart; that
 * counterpart, but at least 32 bits wide.  ($W) is left out where it says nothing new $B width - 1
 * $h           the name of the operator's helper function for the type $K $M        log2 and mask
 * (c - 1) of the constant second operand c */
#ifndef FCL_BACKENDS_C_LANGUAGE_H
#define FCL_BACKENDS_C_LANGUAGE_H

#include "ir/kernel/kir.h"

/* How tightly an expression binds; OTHER are the operators whose precedence nobody remembers:
 * always in parentheses. */
typedef enum c_binding {
    BIND_ANY,
    BIND_OTHER,
    BIND_REL,
    BIND_ADD,
    BIND_MUL,
    BIND_UNARY,
    BIND_ATOM
} c_binding;

typedef struct c_form {
    uint8_t binding;  /* c_binding */
    const char *text; /* NULL: there is none */
} c_form;

typedef struct c_operator {
    c_form plain, logical, real; /* FORM_PLAIN: of integers, bool, floats */
    c_form of[FORM_END];         /* the other forms that the operator has, by k_form */
    const char *help_signed, *help_unsigned, *help_real; /* bodies of helper functions */
} c_operator;

struct c_emitter;

typedef struct c_language {
    const char *(*type)(scalar t); /* of a value in registers */
    const c_operator *operators;   /* by opcode */
    const char *helper;            /* what the definition of a helper function begins with */
    const char *reinterpret;    /* before a type: the function that gives it the bits of a value */
    const char *saturate[2];    /* around an integer type: conversion from floats to its nearest */
    const char *saturating_add; /* of two signed integers */
    const char *const *coordinates; /* by k_coordinate: an expression, of type i32 */
    /* Statements; lane, a result of a wide load, and shuffle are operations. */
    void (*load_wide)(struct c_emitter *e, k_id id);
    void (*lane)(struct c_emitter *e, const k_node *result);
    void (*store_wide)(struct c_emitter *e, const k_node *n);
    void (*atomic)(struct c_emitter *e, k_id id);
    void (*shuffle)(struct c_emitter *e, const k_node *n);
    void (*sync)(struct c_emitter *e, uint32_t level);
    void (*report)(struct c_emitter *e, k_id check); /* that it has failed */
    void (*failed)(struct c_emitter *e);             /* whether some check has: an operation */
    /* What stands outside of functions: a table of constants, and a kernel. */
    void (*table)(struct c_emitter *e, k_id id);
    void (*kernel)(struct c_emitter *e, const k_kernel *k);
} c_language;

/* The names of a scalar type: in registers, and in memory and arguments, where bool is a byte. */
const char *c_type(const c_language *l, scalar t);
const char *c_memory_type(const c_language *l, scalar t);
const char *c_unsigned_type(const c_language *l, scalar t);
const char *c_wide_type(const c_language *l, scalar t); /* unsigned, at least 32 bits */
bool c_is_small(scalar t);                              /* C promotes it to int */

/* A constant as text, and how tightly that binds. */
bool c_constant(const c_language *l, mem *m, scalar t, uint64_t bits, vec_char *out);
c_binding c_constant_binding(scalar t, uint64_t bits);

/* Which helper functions a program needs: a set of types for each operator, and of integer types
 * for each float type that is converted to them. */
typedef struct c_helpers {
    uint16_t types[SOP_END];
    uint16_t converts[ST_COUNT];
    bool f64, f16; /* the program computes with them */
    bool half[2];  /* the bits of an f16 as f32, and back: what the language calls them */
} c_helpers;
bool c_print_helpers(const c_language *l, mem *m, const c_helpers *used, vec_char *out);

#endif
