/* Passes of users over kernel programs: what they ask for is done by rebuilding the program. */
#ifndef FCL_LIBFCL_EDIT_H
#define FCL_LIBFCL_EDIT_H

#include "ir/kernel/kir.h"
#include "libfcl/fcl_backend.h"

/* Runs the pass and makes its changes.  False with a diagnostic. */
bool edit_run(const fcl_kernel_pass *pass, k_program *p);

#endif
