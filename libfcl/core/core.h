/* What the files of this folder share: how a call on a module is refused, and how ids look from
 * outside. */
#ifndef FCL_LIBFCL_CORE_H
#define FCL_LIBFCL_CORE_H

#include "libfcl/core/ids.h"
#include "ir/rewrite/edit.h"
#include "libfcl/face.h"

/* Breaks the module and, the first time, says why: at the position of fcl_at, else with a note that
 * shows in the printed module what was built last.  Returns 0, the id that a failed call returns.
 */
uint32_t core_refuse(fcl_module *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A rewriting that is under way: fcl_module.rewrite. */
struct fcl_rewrite {
    fcl_module *m;
    ir_editor editor;
};

/* Whether operations for a region are inserted before the one that a rewriting names, not appended;
 * makes one, in a rewriting: it has the place of what it stands before, where nobody says another.
 */
bool core_inserts(const fcl_module *m, ir_region r);
ir_op core_insert(fcl_module *m, ir_region r, opcode code, const ir_value *args, uint32_t n,
                  uint32_t loc);

/* A level as callers see it: with their id of its variable. */
fcl_level core_level(const fcl_module *m, ir_level l);
/* Attribute i of a subject, or property i; false when there is none. */
bool core_attribute(const fcl_module *m, const attributes *from, subject of, size_t i,
                    fcl_attribute *out, size_t size);

#endif
