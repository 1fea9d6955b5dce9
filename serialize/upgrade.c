/* Operators that took the place of others, and those that are deprecated: see version.h and the
 * rows OLD and DEPRECATED of ir/ops.def.  One pass over the operations of a module, where there is
 * such a row at all. */
#include "serialize/upgrade.h"

#include "serialize/version.h"

#include <string.h>

enum {
    OLD_OPERATORS = 0
#define OLD(...) +1
#include "ir/ops.def"
#undef OLD
    ,
    WARNINGS = 0
#define DEPRECATED(...) +1
#include "ir/ops.def"
#undef DEPRECATED
};

opcode version_operator(opcode code, uint32_t version)
{
    (void)version;
#define OLD(e, wire, old, min, max, regions, attr, result, since, until, now)                      \
    if (code == OP_##e && version > (until))                                                       \
        return OP_NONE;                                                                            \
    if (code == OP_##now && version <= (until) && strcmp(ir_op_info(code)->name, old) == 0)        \
        return OP_##e;
#include "ir/ops.def"
#undef OLD
    return code;
}

/* ---- upgrading ---- */

static bool upgrade_one(ir_module *m, ir_op o)
{
    switch (ir_op_at(m, o)->opcode) {
#define OLD(e, ...)                                                                                \
    case OP_##e:                                                                                   \
        return upgrade_##e(m, o);
#include "ir/ops.def"
#undef OLD
    default: return true;
    }
}

/* What to write instead of a deprecated operator, and since when; NULL for others. */
static const char *instead_of(uint32_t code, uint32_t *from)
{
    switch (code) {
#define DEPRECATED(op, since, instead)                                                             \
    case op:                                                                                       \
        *from = since;                                                                             \
        return instead;
#include "ir/ops.def"
#undef DEPRECATED
    default: *from = 0; return NULL;
    }
}

/* Functions of imports are their authors' to mend. */
static void warn(ir_module *m, ir_op o, bool warned[OP_END])
{
    uint32_t since, code = ir_op_at(m, o)->opcode;
    const char *instead = instead_of(code, &since);
    const region_node *in = ir_region_at(m, ir_op_at(m, o)->parent);
    if (!instead || warned[code] || ir_func_at(m, in->func)->import)
        return;
    warned[code] = true;
    diag_warning(m->cx, DIAG_WARN_DEPRECATED, ir_op_loc(m, o),
                 "%s is deprecated since version %u.%u of the format", ir_op_info(code)->name,
                 since / 100, since % 100);
    diag_hint(m->cx, "write %s", instead);
}

bool version_upgrade_operators(ir_module *m)
{
    bool warned[OP_END] = {false}, ok = true;
    if (OLD_OPERATORS + WARNINGS == 0)
        return true;
    for (ir_op o = 1; ok && o < m->ops.len; o++) {
        ok = upgrade_one(m, o);
        warn(m, o, warned);
    }
    return ok;
}

/* ---- downgrading ---- */

/* The newest of the operators that this one has replaced and the version still has. */
static void downgrade_one(ir_module *m, ir_op o, uint32_t version)
{
    (void)version;
    switch (ir_op_at(m, o)->opcode) {
#define OLD(e, wire, old, min, max, regions, attr, result, since, until, now)                      \
    case OP_##now:                                                                                 \
        if (version >= (since) && version <= (until))                                              \
            downgrade_##e(m, o);                                                                   \
        break;
#include "ir/ops.def"
#undef OLD
    default: break;
    }
}

bool version_downgrade_operators(ir_module *m, uint32_t version)
{
    for (ir_op o = 1; OLD_OPERATORS && o < m->ops.len; o++)
        downgrade_one(m, o, version);
    return !m->cx->mem.oom;
}
