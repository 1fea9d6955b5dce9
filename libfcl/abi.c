/* Taking and giving structures of other versions: see abi.h.
 *
 * A size of 0 stands for the fields of a structure's first version, so that a caller who leaves it
 * out is understood for ever. */
#include "libfcl/abi.h"

#include <string.h>

bool abi_give(void *out, size_t size, const void *full, size_t all)
{
    if (!out)
        return false;
    memcpy(out, full, size < all ? size : all);
    if (size > all)
        memset((char *)out + all, 0, size - all);
    return true;
}

static void take(void *own, size_t all, size_t first, const void *given, size_t size)
{
    size = size ? size : first;
    if (given)
        memcpy(own, given, size < all ? size : all);
}

#define TAKE(T, last)                                                                              \
    T own = {0};                                                                                   \
    take(&own, sizeof own, ABI_FIRST(T, last), given, given ? given->size : 0);                        \
    return own

fcl_compile_options abi_compile_options(const fcl_compile_options *given)
{
    TAKE(fcl_compile_options, observer);
}

bool abi_put_back(fcl_compile_options *to, const fcl_compile_options *own)
{
    static const fcl_compile_options none;
    size_t all = sizeof *own, size = to->size ? to->size : ABI_FIRST(fcl_compile_options, observer);
    size = size < all ? size : all;
    memcpy(to, own, size);
    return memcmp((const char *)own + size, (const char *)&none + size, all - size) == 0;
}

fcl_run_options abi_run_options(const fcl_run_options *given)
{
    TAKE(fcl_run_options, timed);
}

fcl_load_options abi_load_options(const fcl_load_options *given)
{
    TAKE(fcl_load_options, lang);
}

fcl_finding abi_finding(const fcl_finding *given)
{
    TAKE(fcl_finding, nnotes);
}

fcl_pass_observer abi_pass_observer(const fcl_pass_observer *given)
{
    TAKE(fcl_pass_observer, user);
}

fcl_core_pass abi_core_pass(const fcl_core_pass *given)
{
    TAKE(fcl_core_pass, user);
}

fcl_kernel_pass abi_kernel_pass(const fcl_kernel_pass *given)
{
    TAKE(fcl_kernel_pass, user);
}

fcl_backend abi_backend(const fcl_backend *given)
{
    TAKE(fcl_backend, user);
}
