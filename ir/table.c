/* The operator, scalar and kind tables as data, and lookup by name.
 *
 * What a row leaves out or gets wrong is refused here: every column must name something that
 * exists, and an operator must say what the parameters of each of its regions are. */
#include "ir/ir.h"

#include <string.h>

#define RESULT_SAME    0
#define RESULT_BOOL    1
#define OPERANDS_OF(c) CLASS_##c
#define MANY           OPERANDS_MANY

enum {
#define COST(e, weight, what) COST_##e = weight,
#include "ir/ops.def"
#undef COST
};

#define OP(e, wire, nm, min, max, regs, at, res, snc, kinds, prms, ...)                            \
    _Static_assert(sizeof(prms) - 1 == regs, "an entry of params for each region of " nm);         \
    _Static_assert((int)wire >= (int)SOP_END && (int)wire < (int)OP_END,                           \
                   "core operators lie behind the scalar ones");                                   \
    _Static_assert(snc > 0, "a version");
#include "ir/ops.def"
#undef OP

const op_info ir_op_table[OP_END] = {
    [OP_NONE] = {.kinds = "", .params = ""},
#define SCALAROP(e, wire, nm, arity, opnds, res, cst, snc, fold, range, text)                      \
    [SOP_##e] = {.name = nm,                                                                       \
                 .name_len = sizeof(nm) - 1,                                                       \
                 .formula = text,                                                                  \
                 .kinds = "",                                                                      \
                 .params = "",                                                                     \
                 .min_args = arity,                                                                \
                 .max_args = arity,                                                                \
                 .has_result = 1,                                                                  \
                 .since = snc,                                                                     \
                 .is_scalar = 1,                                                                   \
                 .operands = OPERANDS_OF(opnds),                                                   \
                 .result_bool = RESULT_##res,                                                      \
                 .effect = EFFECT_NONE,                                                            \
                 .cost = cst},
#include "ir/scalars.def"
#undef SCALAROP
#define OP(e, wire, nm, min, max, regs, at, res, snc, knds, prms, eff, level, cst, text)           \
    [OP_##e] = {.name = nm,                                                                        \
                .name_len = sizeof(nm) - 1,                                                        \
                .formula = text,                                                                   \
                .kinds = knds,                                                                     \
                .params = prms,                                                                    \
                .min_args = min,                                                                   \
                .max_args = max,                                                                   \
                .regions = regs,                                                                   \
                .attr = ATTR_##at,                                                                 \
                .has_result = res,                                                                 \
                .effect = EFFECT_##eff,                                                            \
                .cost = COST_##cst,                                                                \
                .since = snc},
#define OLD(e, wire, nm, min, max, regs, at, res, snc, until, now)                                 \
    [OP_##e] = {.name = nm,                                                                        \
                .name_len = sizeof(nm) - 1,                                                        \
                .formula = "",                                                                     \
                .kinds = "",                                                                       \
                .params = "????",                                                                  \
                .is_old = 1,                                                                  \
                .min_args = min,                                                                   \
                .max_args = max,                                                                   \
                .regions = regs,                                                                   \
                .attr = ATTR_##at,                                                                 \
                .has_result = res,                                                                 \
                .effect = EFFECT_WORK,                                                             \
                .since = snc},
#include "ir/ops.def"
#undef OLD
#undef OP
};

/* ---- kinds of operands ---- */

static const operand_kind operand_kinds[] = {
#define OPERAND(e, l, ints, text) {.letter = l, .is_int = ints, .what = text},
#include "ir/ops.def"
#undef OPERAND
};

static const operand_kind *kind_of(char letter)
{
    for (uint32_t i = 0; i < sizeof operand_kinds / sizeof *operand_kinds; i++)
        if (operand_kinds[i].letter == letter)
            return &operand_kinds[i];
    return &operand_kinds[0]; /* any value */
}

/* The column says for example "n*a": all letters but the one with the star stand for one operand
 * each, so the star's letter has what is left. */
uint32_t ir_operands_repeated(const op_info *info, uint32_t n)
{
    uint32_t single = (uint32_t)strcspn(info->kinds, "*");
    if (!info->kinds[single])
        return 0;
    uint32_t others = (uint32_t)strlen(info->kinds) - 2;
    return n > others ? n - others : 0;
}

const operand_kind *ir_operand_kind(const op_info *info, uint32_t k, uint32_t n)
{
    uint32_t star = (uint32_t)strcspn(info->kinds, "*"), many = ir_operands_repeated(info, n);
    if (!info->kinds[star] || k + 1 < star)
        return kind_of(k < star ? info->kinds[k] : 0);
    return kind_of(info->kinds[k + 1 < star + many ? star - 1 : k + 2 - many]);
}

/* ---- names ---- */

static bool same(const char *entry, const char *name, size_t n)
{
    return entry && strlen(entry) == n && memcmp(entry, name, n) == 0;
}

/* Linear, for tools and tests; the readers of the file forms have tables of their own. */
opcode ir_op_named(const char *name, size_t n)
{
    for (uint32_t i = 1; i < OP_END; i++)
        if (!ir_op_table[i].is_old && same(ir_op_table[i].name, name, n))
            return (opcode)i;
    return OP_NONE;
}

const scalar_info ir_scalar_table[ST_COUNT] = {
    [ST_NONE] = {.name = "?", .alias = "", .npy = "", .c_name = "?"},
#define SCALAR(e, wire, nm, cls, size, al, snc, unsigned_type, prec, numpy, c)                     \
    [ST_##e] = {.name = nm,                                                                        \
                .alias = al,                                                                       \
                .npy = numpy,                                                                      \
                .c_name = c,                                                                       \
                .class = #cls[0],                                                                  \
                .bytes = size,                                                                     \
                .bits = ST_##unsigned_type,                                                        \
                .precision = prec,                                                                 \
                .since = snc},
#include "ir/types.def"
#undef SCALAR
};

const char *ir_scalar_name(scalar s)
{
    return ir_scalar_info(s)->name;
}

scalar ir_scalar_named(const char *name, size_t n)
{
    for (uint32_t s = 1; s < ST_COUNT; s++)
        if (n &&
            (same(ir_scalar_table[s].name, name, n) || same(ir_scalar_table[s].alias, name, n)))
            return (scalar)s;
    return ST_NONE;
}

/* ---- kinds ---- */

static const struct {
    const char *name;
    uint8_t members;
} kinds[KIND_COUNT] = {
    [KIND_NONE] = {"?", MEMBERS_SCALAR + MEMBERS_TUPLE + MEMBERS_ARRAY + MEMBERS_FUNCTION},
#define KIND(e, wire, name, since, members) [KIND_##e] = {name, members},
#include "ir/types.def"
#undef KIND
};

bool ir_kind_exists(uint32_t k)
{
    return k != KIND_NONE && k < KIND_COUNT && kinds[k].name;
}

static uint32_t members_of(kind k)
{
    return kinds[ir_kind_exists(k) ? k : KIND_NONE].members;
}

const char *ir_kind_name(kind k)
{
    return kinds[ir_kind_exists(k) ? k : KIND_NONE].name;
}

bool ir_kind_within(kind k, kind of)
{
    return (members_of(k) & ~members_of(of)) == 0;
}

bool ir_kind_is_bound(kind k)
{
    return ir_kind_within(k, KIND_BOUND_SCALAR);
}

/* Few kinds, so a look at each. */
kind ir_kind_meet(kind x, kind y)
{
    uint32_t both = members_of(x) & members_of(y);
    for (uint32_t k = KIND_NONE + 1; both && k < KIND_COUNT; k++)
        if (kinds[k].members == both)
            return (kind)k;
    return KIND_NONE;
}

bool ir_kind_holds(kind k, scalar s)
{
    char class = ir_scalar_class(s);
    uint32_t of = class == 'F' ? MEMBERS_FLOAT : class == 'B' ? MEMBERS_BOOL : MEMBERS_INT;
    return (members_of(k) & of) != 0;
}

kind ir_kind_of_class(operand_class c)
{
    switch (c) {
    case CLASS_SEL:
    case CLASS_ANY: return KIND_BOUND_SCALAR;
    case CLASS_ORD: return KIND_BOUND_ORD;
    case CLASS_NUM: return KIND_BOUND_NUM;
    case CLASS_INT: return KIND_BOUND_INT;
    case CLASS_FLT: return KIND_BOUND_FLOAT;
    case CLASS_BIT: return KIND_BOUND_BITS;
    case CLASS_BOOL: return KIND_NONE;
    }
    return KIND_NONE;
}
