/* Structures that callers fill or receive, and that grow from version to version: the caller says
 * how large it knows them to be. */
#ifndef FCL_LIBFCL_ABI_H
#define FCL_LIBFCL_ABI_H

#include "libfcl/fcl_backend.h"

/* The end of the last field that the first version of a structure had. */
#define ABI_FIRST(T, last) (offsetof(T, last) + sizeof((T){0}.last))

/* Gives a caller as much of a structure of `all` bytes as it has room for; what it knows and the
 * library does not is 0.  False when `out` is NULL. */
bool abi_give(void *out, size_t size, const void *full, size_t all);
#define ABI_GIVE(out, size, ...) abi_give(out, size, &(__VA_ARGS__), sizeof(__VA_ARGS__))

/* What callers gave, with 0 for all that they do not know; `given` may be NULL. */
fcl_compile_options abi_compile_options(const fcl_compile_options *given);
/* Gives changed options back; false where the caller does not know the field that has changed. */
bool abi_put_back(fcl_compile_options *to, const fcl_compile_options *own);
fcl_run_options abi_run_options(const fcl_run_options *given);
fcl_load_options abi_load_options(const fcl_load_options *given);
fcl_finding abi_finding(const fcl_finding *given);
fcl_pass_observer abi_pass_observer(const fcl_pass_observer *given);
fcl_core_pass abi_core_pass(const fcl_core_pass *given);
fcl_kernel_pass abi_kernel_pass(const fcl_kernel_pass *given);
fcl_backend abi_backend(const fcl_backend *given);

#endif
