/* The version of both file forms, whether a module fits an older one, and what becomes of a module
 * from an older file.
 */
#ifndef FCL_SERIALIZE_VERSION_H
#define FCL_SERIALIZE_VERSION_H

#include "ir/ir.h"

enum { FORMAT_MAJOR = 0, FORMAT_MINOR = 3, FORMAT_VERSION = FORMAT_MAJOR * 100 + FORMAT_MINOR };

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
