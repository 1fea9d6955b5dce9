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
#include "ir/ops.def"
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
        if (same(ir_op_table[i].name, name, n))
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

static const char *const kind_names[] = {
    [KIND_NONE] = "?",
#define KIND(e, wire, name, since) [KIND_##e] = name,
#include "ir/types.def"
#undef KIND
};

const char *ir_kind_name(kind k)
{
    return kind_names[k];
}

kind ir_kind_named(const char *name, size_t n)
{
    for (int k = KIND_BT; k <= KIND_TYP; k++)
        if (same(kind_names[k], name, n))
            return (kind)k;
    return KIND_NONE;
}
