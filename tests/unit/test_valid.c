/* What the tests are made of asks SPIRV-Tools about each module of SPIR-V before it leaves. */
#include "backends/spirv/emit.h"
#include "libfcl/fcl.h"

#include <check.h>
#include <string.h>

/* The smallest module, with some other word in place of its memory model; its diagnostics. */
static bool takes(fcl_context *cx, uint32_t model)
{
    const uint32_t words[] = {SpvMagicNumber,
                              0x00010000,
                              0,
                              1,
                              0,
                              2u << SpvWordCountShift | SpvOpCapability,
                              SpvCapabilityAddresses,
                              2u << SpvWordCountShift | SpvOpCapability,
                              SpvCapabilityKernel,
                              2u << SpvWordCountShift | SpvOpCapability,
                              SpvCapabilityLinkage,
                              3u << SpvWordCountShift | SpvOpMemoryModel,
                              SpvAddressingModelPhysical64,
                              model};
    sp_module s = {.m = &cx->mem, .version = 0x00010000};
    return sp_valid(cx, &sp_for_opencl, &s, (const char *)words, sizeof words);
}

START_TEST(modules_are_validated)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(takes(&cx, SpvMemoryModelOpenCL));
    ck_assert_uint_eq(cx.diags.errors, 0);
    ck_assert(!takes(&cx, SpvMemoryModelGLSL450));
    ck_assert_uint_eq(cx.diags.errors, 1);
    const char *text = fcl_diagnostic_text(&cx, 0);
    ck_assert_uint_eq(cx.diags.all.at[0].code, DIAG_EMIT_INVALID);
    ck_assert_msg(strstr(text, "not valid: ") && strstr(text, "MemoryModel"), "%s", text);
    context_release(&cx);
}
END_TEST

Suite *valid_suite(void);

Suite *valid_suite(void)
{
    Suite *s = suite_create("valid");
    TCase *t = tcase_create("valid");
    tcase_add_test(t, modules_are_validated);
    suite_add_tcase(s, t);
    return s;
}
