/* The operator, scalar and kind tables as data, and lookup by name. */
#include "ir/ir.h"

#include <string.h>

#define RESULT_SAME    0
#define RESULT_BOOL    1
#define OPERANDS_OF(c) CLASS_##c
#define MANY           OPERANDS_MANY

const op_info ir_op_table[OP_END] = {
#define SCALAROP(e, wire, nm, arity, opnds, res, cst, snc, text)                                   \
    [SOP_##e] = {.name = nm,                                                                       \
                 .name_len = sizeof(nm) - 1,                                                       \
                 .formula = text,                                                                  \
                 .min_args = arity,                                                                \
                 .max_args = arity,                                                                \
                 .has_result = 1,                                                                  \
                 .since = snc,                                                                     \
                 .is_scalar = 1,                                                                   \
                 .operands = OPERANDS_OF(opnds),                                                   \
                 .result_bool = RESULT_##res,                                                      \
                 .cost = cst},
#include "ir/scalars.def"
#undef SCALAROP
#define OP(e, wire, nm, min, max, regs, at, res, snc, text)                                        \
    [OP_##e] = {.name = nm,                                                                        \
                .name_len = sizeof(nm) - 1,                                                        \
                .formula = text,                                                                   \
                .min_args = min,                                                                   \
                .max_args = max,                                                                   \
                .regions = regs,                                                                   \
                .attr = ATTR_##at,                                                                 \
                .has_result = res,                                                                 \
                .since = snc},
#include "ir/ops.def"
#undef OP
};

static bool same(const char *entry, const char *name, size_t n)
{
    return entry && strlen(entry) == n && memcmp(entry, name, n) == 0;
}

opcode ir_op_named(const char *name, size_t n)
{
    for (uint32_t i = 1; i < OP_END; i++)
        if (same(ir_op_table[i].name, name, n))
            return (opcode)i;
    return OP_NONE;
}

static const struct {
    const char *name, *alias;
    char class;
    uint8_t bytes;
} scalar_table[ST_COUNT] = {
#define SCALAR(e, wire, nm, cls, size, al, since)                                                  \
    [ST_##e] = {.name = nm, .alias = al, .class = #cls[0], .bytes = size},
#include "ir/types.def"
#undef SCALAR
};

const char *ir_scalar_name(scalar s)
{
    return s > ST_NONE && s < ST_COUNT ? scalar_table[s].name : "?";
}

scalar ir_scalar_named(const char *name, size_t n)
{
    for (uint32_t s = 1; s < ST_COUNT; s++)
        if (n && (same(scalar_table[s].name, name, n) || same(scalar_table[s].alias, name, n)))
            return (scalar)s;
    return ST_NONE;
}

uint32_t ir_scalar_bytes(scalar s)
{
    return s < ST_COUNT ? scalar_table[s].bytes : 0;
}

char ir_scalar_class(scalar s)
{
    return (char)(s < ST_COUNT ? scalar_table[s].class : 0);
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
