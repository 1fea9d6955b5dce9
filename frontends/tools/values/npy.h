/* NumPy's .npy files: versions 1, 2 and 3, any rank up to the library's, C or Fortran order, either
 * byte order. */
#ifndef FCL_TOOLS_NPY_H
#define FCL_TOOLS_NPY_H

#include "frontends/tools/report/report.h"

#include <stdio.h>

/* Reads a file as an array of that type and rank (0: a scalar, which a file of one element may hold
 * as well); out->data is malloc'ed.  False after a report. */
bool npy_read(report *r, const char *path, fcl_scalar type, unsigned rank, fcl_array *out);
/* Writes version 1.0 in C order and the machine's byte order; the caller asks the stream for
 * errors. */
void npy_write(FILE *to, const fcl_array *a);

#endif
