/* What the emitters of languages like C are made of: the table of a language (fcl_c_language in
 * libfcl/fcl_backend.h, which says how templates are written) with all that it leaves out filled
 * in, types, constants and helper functions. */
#ifndef FCL_BACKENDS_C_LANGUAGE_H
#define FCL_BACKENDS_C_LANGUAGE_H

#include "ir/kernel/kir.h"
#include "libfcl/fcl_backend.h"

typedef struct c_form {
    fcl_c_binding binding;
    const char *text; /* NULL: there is none */
} c_form;

/* All forms of a scalar operator. */
typedef struct c_operator {
    c_form plain, logical, real; /* FORM_PLAIN: of integers, bool, floats */
    c_form of[FORM_END];         /* the other forms that the operator has, by k_form */
    const char *help_signed, *help_unsigned, *help_real; /* bodies of helper functions */
} c_operator;

enum { C_ATOMICS = ATOMIC_ARRIVE + 1 };

/* A language without gaps, but for what C11 has no word for. */
typedef struct c_language {
    fcl_c_language words;
    c_operator operators[SOP_END];
    const char *atomics[C_ATOMICS]; /* bodies of functions */
} c_language;

/* Fills *l; false with a diagnostic when the table names an operator that there is not. */
bool c_language_make(c_language *l, const fcl_c_language *given, fcl_context *cx);

/* operators.c: what C11 calls the scalar operators. */
extern const c_operator c_operators[SOP_END];

/* The names of a scalar type: in registers, and in memory and arguments, where bool is a byte. */
const char *c_type(const c_language *l, scalar t);
const char *c_memory_type(const c_language *l, scalar t);
const char *c_unsigned_type(const c_language *l, scalar t);
const char *c_wide_type(const c_language *l, scalar t); /* unsigned, at least 32 bits */
bool c_is_small(scalar t);                              /* C promotes it to int */

/* A constant as text, and how tightly that binds. */
bool c_constant(const c_language *l, mem *m, scalar t, uint64_t bits, vec_char *out);
fcl_c_binding c_constant_binding(scalar t, uint64_t bits);

/* Which helper functions a program needs: a set of types for each operator and each atomic step,
 * and of integer types for each float type that is converted to them. */
typedef struct c_helpers {
    uint16_t types[SOP_END];
    uint16_t atomics[C_ATOMICS];
    uint16_t converts[ST_COUNT];
    bool f64, f16; /* the program computes with them */
    bool half[2];  /* the bits of an f16 as f32, and back: what the language calls them */
    bool report;   /* of a check that has failed */
} c_helpers;
bool c_print_helpers(const c_language *l, mem *m, const c_helpers *used, vec_char *out);

#endif
