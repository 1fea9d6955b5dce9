/* What the files that read modules for callers share. */
#ifndef FCL_LIBFCL_CORE_READ_H
#define FCL_LIBFCL_CORE_READ_H

#include "libfcl/core/ids.h"
#include "libfcl/face.h"

/* A level as callers see it: with their id of its variable. */
fcl_level read_level(const fcl_module *m, ir_level l);
/* Attribute i of a subject; false when there is none. */
bool read_attribute(const fcl_module *m, subject of, size_t i, fcl_attribute *out, size_t size);

#endif
