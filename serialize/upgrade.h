/* What is asked for by each row OLD of ir/ops.def: a way from the old operator to the one that is
 * now, and back.  An operation is changed where it stands: its place, name and result stay. */
#ifndef FCL_SERIALIZE_UPGRADE_H
#define FCL_SERIALIZE_UPGRADE_H

#include "ir/ir.h"

/* False when memory is short. */
#define OLD(e, ...) bool upgrade_##e(ir_module *m, ir_op o);
#include "ir/ops.def"
#undef OLD

/* False, and the operation as it was, where the old operator does not have this or memory is
 * short. */
#define OLD(e, ...) bool downgrade_##e(ir_module *m, ir_op o);
#include "ir/ops.def"
#undef OLD

#endif
