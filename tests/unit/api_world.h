/* What the tests of the public interface share: contexts, and what they expect of diagnostics. */
#ifndef FCL_TESTS_API_WORLD_H
#define FCL_TESTS_API_WORLD_H

#include "libfcl/fcl.h"

#include <check.h>
#include <string.h>

static inline fcl_context *new_context(void)
{
    fcl_context *cx = fcl_context_create(NULL, NULL);
    ck_assert_ptr_nonnull(cx);
    return cx;
}

/* Nothing was reported; shows what was. */
static inline void expect_silence(fcl_context *cx)
{
    size_t n = fcl_diagnostic_count(cx);
    ck_assert_msg(n == 0, "%s", n ? fcl_diagnostic_text(cx, 0) : "");
}

/* Exactly one diagnostic, with this code; forgets it. */
static inline void expect_code(fcl_context *cx, unsigned code)
{
    fcl_diagnostic d;
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 1);
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
    ck_assert_msg(d.code == code, "E%04u expected: %s", code, fcl_diagnostic_text(cx, 0));
    fcl_diagnostics_clear(cx);
}

static inline fcl_module *load(fcl_context *cx, const char *text)
{
    fcl_module *m = fcl_module_load(cx, "test", text, strlen(text), NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(m);
    return m;
}

static inline void check_module(fcl_context *cx, fcl_module *m)
{
    bool ok = fcl_module_check(m);
    expect_silence(cx);
    ck_assert(ok);
}

static inline void expect_same_text(fcl_context *cx, fcl_module *x, fcl_module *y)
{
    size_t nx, ny;
    char *tx = fcl_module_print(x, &nx), *ty = fcl_module_print(y, &ny);
    expect_silence(cx);
    ck_assert_ptr_nonnull(tx);
    ck_assert_ptr_nonnull(ty);
    ck_assert_uint_eq(nx, strlen(tx));
    ck_assert_str_eq(tx, ty);
    fcl_free(cx, tx, nx);
    fcl_free(cx, ty, ny);
}

#endif
