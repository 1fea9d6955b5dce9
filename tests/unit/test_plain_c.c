/* Plain C beside OpenCL C, over the same module (backends/c): the words that the two differ in. */
#include "backends/backend.h"
#include "tests/unit/kernel_world.h"

#include <string.h>

static vec_char text;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    ck_assert(kb_init(&b, &program));
}

static void teardown(void)
{
    vec_free(&cx.mem, &text);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

static bool emit(void)
{
    const k_program *all = &program;
    bool ok = backend_code(backend_named(NULL, "cpu-c"), &all, 1, &text);
    text_cstr(&cx.mem, &text);
    return ok;
}

static void has(const char *part)
{
    if (!strstr(text.at, part))
        ck_abort_msg("not found:\n%s\nin:\n%s", part, text.at);
}

/* A launch of blocks of so many threads, with a tile, a loop, a function and a conversion. */
static void build(uint32_t threads)
{
    add_in(ST_I32, 1);
    add_out(ST_I32, 1);
    k_id in = kb_buffer(&b, 0, ST_I32), out = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_int(&b, 64));
    kb_open_launch(&b, LEVEL_BLOCK, kb_int(&b, 64), threads);
    k_id g = kb_builtin(&b, AT_GROUP, 63), zero = kb_int(&b, 0);
    k_id tile = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_int(&b, 64));
    kb_store(&b, tile, g, kb_load(&b, in, g));
    kb_sync(&b, LEVEL_BLOCK);
    k_id loop = kb_open_for(&b, zero, kb_int(&b, 10), kb_int(&b, 1), &zero, 1);
    k_id x = kb_load(&b, tile, kb_param(&b, loop, 0)), sum = kb_param(&b, loop, 1);
    x = kb_scalar(&b, SOP_DIV, x, kb_load(&b, in, zero), 0);
    sum = kb_scalar(&b, SOP_ADD, sum, kb_scalar(&b, SOP_MIN, x, g, 0), 0);
    kb_close(&b, &sum, 1);
    k_id real = kb_convert(&b, ST_F32, kb_result(&b, loop, 0));
    real = kb_scalar(&b, SOP_SQRT, real, 0, 0);
    real = kb_scalar(&b, SOP_MAX, real, kb_const(&b, ST_F32, 0x7f800000), 0);
    kb_store(&b, out, g, kb_convert(&b, ST_I32, real));
    kb_atomic(&b, ATOMIC_MAX, out, zero, g, 0);
    kb_close(&b, NULL, 0);
    k_id length = kb_int(&b, 64);
    kb_output(&b, 0, out, &length, 1);
    finish();
}

START_TEST(words_of_the_language)
{
    build(1);
    ck_assert(emit());
    has("static void ");
    has("_range(const int32_t from, const int32_t to, const int32_t groups,\n"
        "    const int32_t *restrict in0,\n    int32_t *restrict out0)\n");
    has("    int32_t tile");
    has("for (int32_t group = from; group < to; group++) {\n");
    has("#pragma omp parallel for");
    has("(uint32_t)");
    has("fcl_div_int32_t(");
    has("static inline int32_t fcl_div_int32_t(int32_t x, int32_t y)\n");
    has("sqrt((float)");
    has("fcl_as_float(0x7f800000u)");
    has("return isnan(x) ? 0 : fcl_nearest_int32_t(x);\n");
    has("static inline int32_t fcl_atomic_max_int32_t(int32_t *p, int32_t x)\n");
    has("fcl_atomic_max_int32_t(&out0[0], ");
    ck_assert_ptr_null(strstr(text.at, "barrier"));
    ck_assert_ptr_null(strstr(text.at, "get_local_id"));
}
END_TEST

/* Somebody has lowered it for a device with threads. */
START_TEST(blocks_of_threads)
{
    build(64);
    ck_assert(!emit());
    ck_assert_uint_eq(cx.diags.all.len, 1);
    ck_assert_uint_eq(cx.diags.all.at[0].code, DIAG_EMIT_STAGE);
}
END_TEST

Suite *plain_c_suite(void);

Suite *plain_c_suite(void)
{
    Suite *s = suite_create("plain_c");
    TCase *t = tcase_create("plain_c");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, words_of_the_language);
    tcase_add_test(t, blocks_of_threads);
    suite_add_tcase(s, t);
    return s;
}
