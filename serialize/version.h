/* The version of both file forms, whether a module fits an older one, and what becomes of a module
 * from an older file.
 */
#ifndef FCL_SERIALIZE_VERSION_H
#define FCL_SERIALIZE_VERSION_H

#include "ir/ir.h"

/* tests/next builds a library that is one version on. */
#ifndef FCL_FORMAT_MINOR
#define FCL_FORMAT_MINOR 5
#endif
enum {
    FORMAT_MAJOR = 0,
    FORMAT_MINOR = FCL_FORMAT_MINOR,
    FORMAT_VERSION = FORMAT_MAJOR * 100 + FORMAT_MINOR
};

/* Whether the library can read a file of the version, as far as the number tells: its own major
 * number.  A newer minor number is no reason to refuse: the reader refuses what it does not know
 * where it meets it. */
bool version_readable(uint32_t major, uint32_t minor);

/* Whether the library can write the version; reports when not.  The version is major * 100 + minor,
 * as everywhere. */
bool version_known(fcl_context *cx, uint32_t version);

/* Whether every construct of the module came with the version (major * 100 + minor) or before;
 * reports each that did not, at its place. */
bool version_fits(ir_module *m, uint32_t version);

/* The oldest version that has every construct of the module: what writers state, so that a library
 * which knows no later one reads what it can.  The newest one when memory is short. */
uint32_t version_needed(ir_module *m);

/* ---- operators that took the place of others (upgrade.c) ---- */

/* What an operator of that name meant in texts of the version: the operator itself, or one that it
 * has replaced since; OP_NONE for one that was gone by then. */
opcode version_operator(opcode code, uint32_t version);
/* Puts into the place of every old operator the one that is now; warns of what is deprecated, once
 * for each operator.  Readers end with it.  False when memory is short. */
bool version_upgrade_operators(ir_module *m);
/* Puts old operators into the place of those that a version does not have, where there is a way;
 * for a moment, while a file of that version is written: version_upgrade_operators undoes it. */
bool version_downgrade_operators(ir_module *m, uint32_t version);

/* ---- what older files mean ---- */

/* A step from one version to the next: changes a module that a file of an older version gave into
 * what it means now. */
typedef struct upgrade {
    uint32_t version; /* that the step leads to */
    bool (*step)(ir_module *m);
} upgrade;

/* Runs the steps of a table, sorted by version, that lead beyond the version.  False when one
 * fails. */
bool version_upgrade_by(ir_module *m, uint32_t version, const upgrade *steps, size_t n);
/* The same with the library's own table. */
bool version_upgrade_module(ir_module *m, uint32_t version);

#endif
