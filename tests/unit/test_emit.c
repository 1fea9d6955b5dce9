/* Printing and emission of kernel programs that are built by hand. */
#include "backends/backend.h"
#include "ir/kernel/plan/make.h"
#include "tests/unit/kernel_world.h"

#include <string.h>

static vec_char text;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    program.name = intern_cstr(&cx.strings, "f");
    ck_assert(kb_init(&b, &program));
}

static void teardown(void)
{
    vec_free(&cx.mem, &text);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static const char *emitted(void)
{
    const k_program *all[] = {&program};
    text.len = 0;
    ck_assert(backend_code(backend_named(NULL, "opencl-c"), all, 1, &text));
    return text_cstr(&cx.mem, &text);
}

static const char *plan_text(void)
{
    text.len = 0;
    plan p;
    ck_assert(k_make_plan(&program, &p) && plan_print(&p, &text));
    plan_release(&p);
    return text_cstr(&cx.mem, &text);
}

static void ck_has(const char *whole, const char *part)
{
    if (!strstr(whole, part))
        ck_abort_msg("not found:\n%s\nin:\n%s", part, whole);
}

static void ck_lacks(const char *whole, const char *part)
{
    if (strstr(whole, part))
        ck_abort_msg("found:\n%s\nin:\n%s", part, whole);
}

/* out[i] = f(in[i]) for all i below the length, in blocks of 64 threads; returns i, with launch and
 * if open. */
static k_id open_map(k_id *in, k_id *out, scalar t)
{
    add_in(t, 1);
    add_out(t, 1);
    *in = kb_buffer(&b, 0, t);
    k_id n = kb_dim(&b, 0, 0);
    *out = kb_alloc(&b, SPACE_GLOBAL, t, n);
    k_id groups = kb_scalar(&b, SOP_QUOT, kb_add(&b, n, kb_int(&b, 63)), kb_int(&b, 64), 0);
    kb_open_launch(&b, LEVEL_GRID, groups, 64);
    k_id group = kb_mul(&b, kb_builtin(&b, AT_GROUP, 1 << 24), kb_int(&b, 64));
    k_id i = kb_add(&b, group, kb_builtin(&b, AT_THREAD, 63));
    kb_open_if(&b, kb_lt(&b, i, n));
    return i;
}

static void close_map(k_id out)
{
    k_id n = kb_dim(&b, 0, 0);
    kb_next_block(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    kb_output(&b, 0, out, &n, 1);
    finish();
}

START_TEST(map_kernel)
{
    k_id in, out, i = open_map(&in, &out, ST_F32);
    k_id x = kb_load(&b, in, i);
    kb_store(&b, out, i,
             kb_scalar(&b, SOP_MUL, x,
                       kb_scalar(&b, SOP_ADD, x, kb_const(&b, ST_F32, 0x3f000000), 0), 0));
    close_map(out);
    const char *code = emitted();
    ck_has(code, "void f_1(const int len0,\n    __global const float *restrict in0,\n    __global "
                 "float *restrict out0)\n");
    ck_has(code, "__attribute__((reqd_work_group_size(64, 1, 1)))");
    ck_has(code, "* 64 + ");
    ck_has(code, " * (");
    ck_has(code, " + 0.5f);\n");
    ck_lacks(code, "cl_khr_fp64");
    const char *steps = plan_text();
    ck_has(steps, "plan @f(%arg0: [f32]) -> [f32] {\n");
    ck_has(steps,
           "launch @f_1 groups=quot(add(len(%arg0), 63), 64) threads=64 args(len(%arg0), %arg0, ");
    ck_has(steps, "allocate memory1, len(%arg0) : f32\n");
}
END_TEST

START_TEST(program_text)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    kb_store(&b, out, i, kb_load(&b, in, i));
    close_map(out);
    text.len = 0;
    ck_assert(k_print(&program, &text));
    const char *all = text_cstr(&cx.mem, &text);
    ck_has(all, "program @f(_: [int]) -> [int] {\n");
    ck_has(all, " = dim 0, 0 : int\n");
    ck_has(all, " = alloc global %");
    ck_has(all, " = builtin thread : int in 0..63\n");
    ck_has(all, "  launch @f_1 grid groups=%");
    ck_has(all, " threads=64 args(");
    ck_has(all, "  output 0 = %");
}
END_TEST

/* A load may not be written after a store that may change what it reads. */
START_TEST(loads_stay_before_stores)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id old = kb_load(&b, out, i);
    kb_store(&b, out, i, kb_load(&b, in, i));
    kb_store(&b, out, kb_int(&b, 0), old);
    close_map(out);
    const char *code = emitted();
    ck_has(code, " = out0[v");
    ck_has(code, "] = in0[v");
    ck_has(code, "out0[0] = v");
}
END_TEST

START_TEST(swapped_loop_values)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id init[2] = {kb_load(&b, in, i), kb_int(&b, 1)};
    k_id loop = kb_open_for(&b, kb_int(&b, 0), kb_int(&b, 10), kb_int(&b, 1), init, 2);
    k_id swapped[2] = {kb_param(&b, loop, 2), kb_param(&b, loop, 1)};
    kb_close(&b, swapped, 2);
    kb_store(&b, out, i, kb_result(&b, loop, 0));
    close_map(out);
    const char *code = emitted();
    ck_has(code, "const int next");
    ck_has(code, "; v");
    ck_has(code, "++) {\n");
}
END_TEST

START_TEST(long_steps_do_not_wrap)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id n = kb_dim(&b, 0, 0);
    kb_open_for(&b, i, n, kb_int(&b, 4096), NULL, 0);
    kb_store(&b, out, i, kb_load(&b, in, i));
    kb_close(&b, NULL, 0);
    close_map(out);
    const char *code = emitted();
    ck_has(code, " = add_sat(v");
}
END_TEST

/* The condition ends a while's first block, whatever the builder placed there behind it. */
START_TEST(while_loop)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id x = kb_load(&b, in, i);
    k_id loop = kb_open_while(&b, &x, 1);
    k_id more = kb_lt(&b, kb_int(&b, 1), kb_param(&b, loop, 0));
    kb_next_block(&b, &more, 1);
    k_id half = kb_scalar(&b, SOP_QUOT, kb_param(&b, loop, 0), kb_int(&b, 2), 0);
    kb_close(&b, &half, 1);
    kb_store(&b, out, i, kb_result(&b, loop, 0));
    close_map(out);
    const char *code = emitted();
    ck_has(code, "for (;;) {\n");
    ck_has(code, "if (!(");
    ck_has(code, "break;\n");
    ck_has(code, " / 2;\n");
}
END_TEST

START_TEST(silent_branches_are_expressions)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id x = kb_load(&b, in, i);
    k_id choice = kb_open_if(&b, kb_lt(&b, x, kb_int(&b, 7)));
    k_id yes = kb_load(&b, in, kb_int(&b, 0));
    kb_next_block(&b, &yes, 1);
    k_id no = kb_int(&b, -3);
    kb_close(&b, &no, 1);
    kb_store(&b, out, i, kb_result(&b, choice, 0));
    close_map(out);
    ck_has(emitted(), " < 7 ? in0[0] : -3;\n");
}
END_TEST

START_TEST(local_memory)
{
    k_id in, out, i = open_map(&in, &out, ST_I64);
    kb_next_block(&b, NULL, 0); /* barriers stand at block scope */
    kb_close(&b, NULL, 0);
    k_id fixed = kb_alloc(&b, SPACE_LOCAL, ST_BOOL, kb_int(&b, 64));
    k_id sized = kb_alloc(&b, SPACE_LOCAL, ST_I64, kb_dim(&b, 0, 0));
    k_id t = kb_builtin(&b, AT_THREAD, 63);
    kb_store(&b, fixed, t, kb_const(&b, ST_BOOL, 1));
    kb_store(&b, sized, t, kb_const(&b, ST_I64, (uint64_t)INT64_MIN));
    kb_sync(&b, LEVEL_BLOCK);
    kb_open_if(&b, kb_load(&b, fixed, kb_sub(&b, kb_int(&b, 63), t)));
    kb_store(&b, out, i, kb_load(&b, sized, t));
    close_map(out);
    const char *code = emitted();
    ck_has(code, "    __local uchar tile");
    ck_has(code, "[64];\n");
    ck_has(code, "    __local long *restrict tile");
    ck_has(code, "barrier(CLK_LOCAL_MEM_FENCE);\n");
    ck_has(code, "(-9223372036854775807L - 1)");
    const char *steps = plan_text();
    ck_has(steps, " local(tile");
    ck_has(steps, ": 64 x bool = 64 bytes, tile");
    ck_has(steps, ": len(%arg0) x i64)\n");
}
END_TEST

static uint32_t barriers_in(const char *code)
{
    uint32_t n = 0;
    while ((code = strstr(code, "barrier(")) != NULL)
        n++, code++;
    return n;
}

/* A loop with a barrier in each of its ten turns, which carries a value that differs between
 * threads. */
static const char *loop_with_barrier(void)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    kb_next_block(&b, NULL, 0);
    kb_close(&b, NULL, 0);
    k_id tile = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_int(&b, 64)),
         t = kb_builtin(&b, AT_THREAD, 63);
    k_id init = kb_int(&b, 7),
         loop = kb_open_for(&b, kb_int(&b, 0), kb_int(&b, 10), kb_int(&b, 1), &init, 1);
    kb_store(&b, tile, t, kb_param(&b, loop, 1));
    kb_sync(&b, LEVEL_BLOCK);
    k_id next = kb_load(&b, tile, t);
    kb_close(&b, &next, 1);
    kb_open_if(&b, kb_lt(&b, i, kb_dim(&b, 0, 0)));
    kb_store(&b, out, i, kb_result(&b, loop, 0));
    close_map(out);
    return emitted();
}

/* What drivers get wrong is avoided for them alone. */
START_TEST(quirks_of_turns)
{
    static const struct {
        uint32_t quirks, barriers;
        bool is_volatile;
    } cases[] = {{0, 1, false},
                 {QUIRK_PART_TURNS, 2, false},
                 {QUIRK_VOLATILE_TURNS, 1, true},
                 {QUIRK_OPEN_BRANCHES | QUIRK_SATURATED_STEPS, 1, false}};
    program.target.quirks = cases[_i].quirks;
    const char *code = loop_with_barrier();
    ck_assert_uint_eq(barriers_in(code), cases[_i].barriers);
    ck_assert((strstr(code, "volatile int ") != NULL) == cases[_i].is_volatile);
}
END_TEST

START_TEST(division_forms)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id x = kb_load(&b, in, i);
    kb_store(&b, out, kb_int(&b, 0), kb_scalar(&b, SOP_DIV, x, kb_int(&b, 8), 0));
    kb_store(&b, out, kb_int(&b, 1), kb_scalar(&b, SOP_MOD, x, kb_int(&b, 8), 0));
    kb_store(&b, out, kb_int(&b, 2), kb_scalar(&b, SOP_DIV, x, kb_int(&b, 7), 0));
    kb_store(&b, out, kb_int(&b, 3), kb_scalar(&b, SOP_QUOT, x, kb_int(&b, 7), 0));
    kb_store(&b, out, kb_int(&b, 4), kb_scalar(&b, SOP_DIV, i, kb_int(&b, 7), 0));
    close_map(out);
    const char *code = emitted();
    ck_has(code, " >> 3;\n");
    ck_has(code, " & 7;\n");
    ck_has(code, "out0[2] = fcl_div_int(");
    ck_has(code, "static inline int fcl_div_int(int x, int y)\n");
    ck_lacks(code, "fcl_quot_int");
    ck_has(code, " / 7;\n");
}
END_TEST

/* Ten thousand operations, each on the one before: lines stay short, time and stack do not matter.
 */
START_TEST(long_chains)
{
    k_id in, out, i = open_map(&in, &out, ST_I32);
    k_id first = kb_load(&b, in, i), x = first;
    for (int k = 0; k < 10000; k++)
        x = kb_scalar(&b, k % 2 ? SOP_XOR : SOP_MUL, x, first, 0);
    kb_store(&b, out, i, x);
    close_map(out);
    const char *code = emitted(), *line = code;
    for (const char *s = code; *s; s++) {
        if (*s != '\n')
            continue;
        ck_assert(s - line < 500);
        line = s + 1;
    }
    ck_assert(strlen(code) < 1000000);
}
END_TEST

/* Two results in one memory, and doubles: the pragma comes first. */
START_TEST(doubles)
{
    k_id in, out, i = open_map(&in, &out, ST_F64);
    kb_store(
        &b, out, i,
        kb_scalar(&b, SOP_MOD, kb_load(&b, in, i), kb_const(&b, ST_F64, 0x7ff0000000000000), 0));
    close_map(out);
    const char *code = emitted();
    ck_has(code, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    ck_has(code, "fcl_mod_double(in0[");
    ck_has(code, "as_double(0x7ff0000000000000UL)");
}
END_TEST

static size_t calls_left;
static mem_realloc_fn *real;

static void *failing(void *user, void *ptr, size_t old_size, size_t new_size)
{
    if (new_size && calls_left-- == 0) {
        calls_left = 0;
        return NULL;
    }
    return real(user, ptr, old_size, new_size);
}

/* Every allocation of emission and printing may fail: they say so, and nothing leaks or crashes. */
START_TEST(memory_runs_out)
{
    static const char *const targets[] = {"opencl-c", "spirv-opencl", "spirv-vulkan"};
    const fcl_backend *target = backend_named(NULL, targets[_i]);
    k_id in, out, i = open_map(&in, &out, ST_I32);
    kb_store(&b, out, i, kb_load(&b, in, i));
    close_map(out);
    mem kept = cx.mem;
    bool done = false;
    for (size_t n = 0; n < 200 && !done; n++) {
        const k_program *all[] = {&program};
        vec_char code = {0};
        calls_left = n;
        real = kept.fn;
        cx.mem.fn = failing;
        done = backend_code(target, all, 1, &code) && k_print(&program, &code);
        cx.mem = kept;
        vec_free(&cx.mem, &code);
    }
    ck_assert(done);
}
END_TEST

Suite *emit_suite(void)
{
    Suite *s = suite_create("emit");
    TCase *t = tcase_create("opencl");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, map_kernel);
    tcase_add_test(t, program_text);
    tcase_add_test(t, loads_stay_before_stores);
    tcase_add_test(t, swapped_loop_values);
    tcase_add_test(t, long_steps_do_not_wrap);
    tcase_add_test(t, while_loop);
    tcase_add_test(t, silent_branches_are_expressions);
    tcase_add_test(t, local_memory);
    tcase_add_loop_test(t, quirks_of_turns, 0, 4);
    tcase_add_test(t, division_forms);
    tcase_add_test(t, long_chains);
    tcase_add_test(t, doubles);
    tcase_add_loop_test(t, memory_runs_out, 0, 3);
    suite_add_tcase(s, t);
    return s;
}
