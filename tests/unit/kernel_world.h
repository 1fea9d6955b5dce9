/* A kernel program that is built by hand, for the tests of what comes after lowering. */
#ifndef FCL_TESTS_KERNEL_WORLD_H
#define FCL_TESTS_KERNEL_WORLD_H

#include "ir/kernel/build/build.h"
#include "ir/kernel/pass/pass.h"

#include <check.h>

static fcl_context cx;
static ir_module module;
static k_program program;
static k_builder b;

static inline void add_in(scalar t, uint32_t rank)
{
    leaf l = {.param = program.in.len, .type = t, .rank = rank};
    ck_assert(vec_push(&cx.mem, &program.in, l));
}

static inline void add_out(scalar t, uint32_t rank)
{
    leaf l = {.type = t, .rank = rank};
    ck_assert(vec_push(&cx.mem, &program.out, l));
}

/* Ends the host block, and makes the program ready for emitters. */
static inline void finish(void)
{
    kb_close(&b, NULL, 0);
    ck_assert(!b.failed);
    kb_release(&b);
    ck_assert(k_outline(&program) && k_legalise(&program));
}

#endif
