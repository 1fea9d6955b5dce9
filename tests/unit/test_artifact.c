/* Artifacts and launch plans through the public interface. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *artifact_suite(void);

static const char twice[] = "fcl 0.1\n"
                            "kernel @twice(%k: int, %xs: [(int, double)]) -> [int]<grid> {\n"
                            "  %r = map %xs { (%x)\n"
                            "    %a = proj %x, 0\n"
                            "    %y = mul %a, %k\n"
                            "    yield %y\n"
                            "  }\n"
                            "  %p = push<grid> %r\n"
                            "  return %p\n"
                            "}\n";

/* How many steps there are of each kind, with their values for k = 3 and a thousand elements. */
static void count_steps(const fcl_plan *p, uint32_t block, uint64_t *values, size_t *kinds)
{
    fcl_block b;
    fcl_step s;
    ck_assert(fcl_plan_block(p, block, &b, sizeof b));
    for (uint32_t i = b.first; fcl_plan_step(p, i, &s, sizeof s); i = s.next) {
        kinds[s.kind]++;
        if (s.kind == FCL_STEP_SCALAR)
            values[s.gives] = 3;
        else if (s.kind == FCL_STEP_EXTENT)
            values[s.gives] = 1000;
        else if (s.kind < FCL_STEP_ALLOCATE)
            values[s.gives] = fcl_plan_compute(p, i, values);
        else
            ck_assert_uint_eq(fcl_plan_compute(p, i, values), 0);
        ck_assert((s.kind == FCL_STEP_COMPUTE) == (s.op != NULL));
        for (int k = 0; k < 2 && s.blocks[k]; k++)
            count_steps(p, s.blocks[k], values, kinds);
    }
}

START_TEST(a_plan_is_read)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, twice);
    fcl_artifact *a = fcl_compile(m, NULL);
    expect_silence(cx);
    fcl_target t;
    ck_assert(fcl_artifact_target(a, 0, &t, sizeof t) && !fcl_artifact_target(a, 1, &t, sizeof t));
    ck_assert_str_eq(t.name, "opencl-c");
    ck_assert(t.is_text && strlen(t.code) == t.code_size && t.entries == 1);
    const fcl_plan *p = fcl_plan_at(a, 0, 0);
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_null(fcl_plan_at(a, 0, 1));
    ck_assert_ptr_null(fcl_plan_at(a, 1, 0));
    ck_assert_ptr_eq(fcl_plan_named(a, 0, "twice"), p);
    ck_assert_ptr_eq(fcl_plan_named(a, 0, NULL), p);
    ck_assert_ptr_null(fcl_plan_named(a, 0, "thrice"));
    expect_code(cx, 851);
    fcl_plan_info info;
    ck_assert(fcl_plan_about(p, &info, sizeof info));
    ck_assert_str_eq(info.entry, "twice");
    ck_assert(info.nparams == 2 && info.nleaves_in == 3 && info.nleaves_out == 1);
    fcl_leaf leaf;
    ck_assert(fcl_plan_leaf_in(p, 2, &leaf, sizeof leaf) && !fcl_plan_leaf_in(p, 3, &leaf, 0));
    ck_assert(leaf.param == 1 && leaf.type == FCL_F64 && leaf.rank == 1 && leaf.back == 1);
    ck_assert_str_eq(leaf.type_text, "[(int, double)]");
    uint64_t *values = calloc(info.values + 1, sizeof *values);
    ck_assert_ptr_nonnull(values);
    size_t kinds[FCL_STEP_WHILE + 1] = {0};
    count_steps(p, info.block, values, kinds);
    ck_assert(kinds[FCL_STEP_LAUNCH] == 1 && kinds[FCL_STEP_OUTPUT] == 1);
    size_t all = 0;
    for (size_t i = 0; i <= FCL_STEP_WHILE; i++)
        all += kinds[i];
    ck_assert_uint_eq(all, info.steps);
    free(values);
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Numbers that name nothing, 0 among them, are answered with false. */
START_TEST(a_plan_has_no_other_numbers)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, twice);
    fcl_artifact *a = fcl_compile(m, NULL);
    const fcl_plan *p = fcl_plan_at(a, 0, 0);
    fcl_plan_info info;
    ck_assert(p && fcl_plan_about(p, &info, sizeof info));
    union {
        fcl_memory memory;
        fcl_kernel kernel;
        fcl_kernel_argument argument;
        fcl_local local;
        fcl_check check;
        fcl_step step;
        fcl_block block;
    } x;
    const uint32_t wrong[] = {0, UINT32_MAX}, beyond = 1000000;
    for (int i = 0; i < 2; i++) {
        ck_assert(!fcl_plan_memory(p, wrong[i], &x.memory, sizeof x.memory));
        ck_assert(!fcl_plan_kernel(p, wrong[i], &x.kernel, sizeof x.kernel));
        ck_assert(!fcl_plan_argument(p, wrong[i], 0, &x.argument, sizeof x.argument));
        ck_assert(!fcl_plan_local(p, wrong[i], 0, &x.local, sizeof x.local));
        ck_assert(!fcl_plan_check(p, wrong[i], &x.check, sizeof x.check));
        ck_assert(!fcl_plan_step(p, wrong[i], &x.step, sizeof x.step));
        ck_assert(!fcl_plan_block(p, wrong[i], &x.block, sizeof x.block));
        ck_assert_int_eq(fcl_plan_value(p, wrong[i]), 0);
    }
    ck_assert(fcl_plan_memory(p, info.memories, &x.memory, sizeof x.memory));
    ck_assert(fcl_plan_kernel(p, info.kernels, &x.kernel, sizeof x.kernel));
    ck_assert(fcl_plan_step(p, info.steps, &x.step, sizeof x.step));
    ck_assert_int_ne(fcl_plan_value(p, info.values), 0);
    ck_assert(!fcl_plan_memory(p, info.memories + 1, &x.memory, sizeof x.memory));
    ck_assert(!fcl_plan_kernel(p, info.kernels + 1, &x.kernel, sizeof x.kernel));
    ck_assert(!fcl_plan_argument(p, 1, beyond, &x.argument, sizeof x.argument));
    ck_assert(!fcl_plan_local(p, 1, beyond, &x.local, sizeof x.local));
    ck_assert(!fcl_plan_step(p, info.steps + 1, &x.step, sizeof x.step));
    expect_silence(cx);
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

static bool count_item(void *user, const fcl_item *item)
{
    size_t *left = user;
    left[0] += item->kind == FCL_ITEM_MAP ? 2 * item->n : item->kind == FCL_ITEM_LIST ? item->n : 0;
    return left[0]-- && left[1]-- != 0;
}

/* The heads of lists and maps say how many values there are; whoever has seen enough ends it. */
START_TEST(an_artifact_is_items)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, twice);
    fcl_artifact *a = fcl_compile(m, NULL);
    size_t left[2] = {1, SIZE_MAX}, few[2] = {1, 5};
    ck_assert(fcl_artifact_items(a, count_item, left));
    ck_assert_uint_eq(left[0], 0);
    ck_assert_uint_gt(SIZE_MAX - left[1], 100);
    ck_assert(!fcl_artifact_items(a, count_item, few));
    expect_silence(cx);
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(an_artifact_does_not_join_itself)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, twice);
    fcl_artifact *a = fcl_compile(m, NULL);
    fcl_target t;
    expect_silence(cx);
    ck_assert(!fcl_artifact_join(a, a));
    expect_code(cx, 631);
    ck_assert(fcl_artifact_target(a, 0, &t, sizeof t) && !fcl_artifact_target(a, 1, &t, sizeof t));
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

Suite *artifact_suite(void)
{
    Suite *s = suite_create("artifact");
    TCase *t = tcase_create("artifact");
    tcase_add_test(t, a_plan_is_read);
    tcase_add_test(t, a_plan_has_no_other_numbers);
    tcase_add_test(t, an_artifact_is_items);
    tcase_add_test(t, an_artifact_does_not_join_itself);
    suite_add_tcase(s, t);
    return s;
}
