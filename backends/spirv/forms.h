/* The scalar operators in SPIR-V: rows S_ADD, S_SUB, ... of a table of sp_operator, for those that
 * every environment writes alike.
 *
 * Included by the file of each environment, which defines the others: those that need its extended
 * set of instructions, whose SET(name) it defines before.  Integers wrap in SPIR-V, so the forms plain and wrapping are one; what other
 * forms do is in sequences.c. */
#ifndef FCL_BACKENDS_SPIRV_FORMS_H
#define FCL_BACKENDS_SPIRV_FORMS_H

#define CORE(op)                                                                                   \
    {                                                                                              \
        .way = SP_CORE, .number = SpvOp##op                                                        \
    }
#define MAKE(how)                                                                                  \
    {                                                                                              \
        .way = SP_SEVERAL, .make = how                                                             \
    }
#define INTEGERS(form)                .whole = form, .natural = form
#define RELATION(i, u, f)             .whole = CORE(i), .natural = CORE(u), .real = CORE(f)

#define S_ADD    INTEGERS(CORE(IAdd)), .real = CORE(FAdd)
#define S_SUB    INTEGERS(CORE(ISub)), .real = CORE(FSub)
#define S_MUL    INTEGERS(CORE(IMul)), .real = CORE(FMul)
#define S_NEG    INTEGERS(CORE(SNegate)), .real = CORE(FNegate)
#define S_DIV    INTEGERS(MAKE(sp_make_divide))
#define S_QUOT   S_DIV
/* A builder writes one of the two in its place (kb_scalar). */
#define S_DIVIDE INTEGERS(MAKE(sp_make_divide)), .real = CORE(FDiv)
#define S_SIGN                                                                                     \
    .whole = MAKE(sp_make_sign), .natural = MAKE(sp_make_sign), .real = MAKE(sp_make_sign)
#define S_AND    INTEGERS(CORE(BitwiseAnd)), .logical = CORE(LogicalAnd)
#define S_OR     INTEGERS(CORE(BitwiseOr)), .logical = CORE(LogicalOr)
#define S_XOR    INTEGERS(CORE(BitwiseXor)), .logical = CORE(LogicalNotEqual)
#define S_NOT    INTEGERS(CORE(Not)), .logical = CORE(LogicalNot)
#define S_SHL    INTEGERS(MAKE(sp_make_shift))
#define S_SHR    S_SHL
#define S_LSHR   S_SHL
#define S_EQ     RELATION(IEqual, IEqual, FOrdEqual), .logical = CORE(LogicalEqual)
#define S_NE     RELATION(INotEqual, INotEqual, FUnordNotEqual), .logical = CORE(LogicalNotEqual)
#define S_LT     RELATION(SLessThan, ULessThan, FOrdLessThan)
#define S_LE     RELATION(SLessThanEqual, ULessThanEqual, FOrdLessThanEqual)
#define S_GT     RELATION(SGreaterThan, UGreaterThan, FOrdGreaterThan)
#define S_GE     RELATION(SGreaterThanEqual, UGreaterThanEqual, FOrdGreaterThanEqual)
#define S_SELECT INTEGERS(CORE(Select)), .real = CORE(Select), .logical = CORE(Select)
#define S_ISNAN  .real = CORE(IsNan)
#define S_ISINF  .real = CORE(IsInf)

/* A row of scalars.def without its S_ macro does not compile. */
#define SCALAROP(e, ...) [SOP_##e] = {S_##e},

#endif
