/* A second language beside OpenCL C, over the same module (backends/c): C with the names of
 * stdint.h.  It is here to show where the line between the two runs; nobody ships it. */
#define FAST1(name)     CALL1(name)
#define FAST_DIVIDE     "$1m / $2u"
#define FAST_RECIPROCAL "1 / $2u"
#define FAST_POWER      "pow($1e, $2e)"
#include "backends/c/forms.h"

#include "backends/c/emit.h"
#include "tests/unit/kernel_world.h"

#include <string.h>

#define C_ABS      INTEGER(ATOM, "abs_($1e)"), CALL1("fabs")
#define C_MIN      INTEGER(OTHER, "$1a < $2a ? $1a : $2a"), CALL2("fmin")
#define C_MAX      INTEGER(OTHER, "$1a > $2a ? $1a : $2a"), CALL2("fmax")
#define C_MULHI    INTEGER(ATOM, "high($1e, $2e)")
#define C_ROTL     INTEGER(ATOM, "rotated($1e, $2e)")
#define C_POPCOUNT INTEGER(ATOM, "__builtin_popcountll(($V)$1u)")
#define C_CLZ      INTEGER(ATOM, "leading_zeros($1e)")
#define C_CTZ      INTEGER(ATOM, "trailing_zeros($1e)")
#define C_RSQRT    .real = FORM(MUL, "1 / sqrt($1e)")

static const c_operator operators[SOP_END] = {
#define SCALAROP(e, ...) [SOP_##e] = {C_##e},
#include "ir/scalars.def"
#undef SCALAROP
};

static const char *type_name(scalar t)
{
    static const char *const names[ST_COUNT] = {
        [ST_BOOL] = "bool",    [ST_I8] = "int8_t",    [ST_I16] = "int16_t",  [ST_I32] = "int32_t",
        [ST_I64] = "int64_t",  [ST_U8] = "uint8_t",   [ST_U16] = "uint16_t", [ST_U32] = "uint32_t",
        [ST_U64] = "uint64_t", [ST_F16] = "_Float16", [ST_F32] = "float",    [ST_F64] = "double",
    };
    return names[t];
}

static void sync_all(c_emitter *e, uint32_t level)
{
    (void)level;
    c_indent(e);
    c_put(e, "wait_for_all();\n");
}

static const char *const coordinates[] = {
    [AT_THREAD] = "thread", [AT_GROUP] = "group", [AT_GROUPS] = "groups"};
static const c_language plain = {.type = type_name,
                                 .operators = operators,
                                 .helper = "static",
                                 .reinterpret = "bits_of_",
                                 .saturate = {"nearest_", ""},
                                 .saturating_add = "add_up_to",
                                 .coordinates = coordinates,
                                 .sync = sync_all};

static vec_char body, helpers;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    ck_assert(kb_init(&b, &program));
}

static void teardown(void)
{
    vec_free(&cx.mem, &body);
    vec_free(&cx.mem, &helpers);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

/* The body of the program's one kernel, and the functions that it asks for. */
static void print(void)
{
    c_helpers used = {0};
    size_t size = program.nodes.len * sizeof(c_note);
    c_emitter e = {.p = &program,
                   .m = &cx.mem,
                   .out = &body,
                   .language = &plain,
                   .helpers = &used,
                   .kernel = &program.kernels.at[0],
                   .notes = mem_resize(&cx.mem, NULL, 0, size)};
    ck_assert_ptr_nonnull(e.notes);
    memset(e.notes, 0, size);
    const k_node *launch = k_at(&program, e.kernel->launch);
    ck_assert(c_scan(&e));
    c_find_quirks(&e);
    c_block(&e, launch->blocks[0], (c_place){.owner = launch, .owner_id = e.kernel->launch});
    ck_assert(!e.failed && c_print_helpers(&plain, &cx.mem, &used, &helpers));
    mem_free(&cx.mem, e.notes, size);
    text_cstr(&cx.mem, &body);
    text_cstr(&cx.mem, &helpers);
}

static void has(const vec_char *whole, const char *part)
{
    if (!strstr(whole->at, part))
        ck_abort_msg("not found:\n%s\nin:\n%s", part, whole->at);
}

START_TEST(words_of_the_language)
{
    add_in(ST_I32, 1);
    add_out(ST_I32, 1);
    k_id in = kb_buffer(&b, 0, ST_I32), out = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_int(&b, 64));
    kb_open_launch(&b, LEVEL_BLOCK, kb_int(&b, 1), 64);
    k_id t = kb_builtin(&b, AT_THREAD, 63), zero = kb_int(&b, 0);
    k_id tile = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_int(&b, 64));
    kb_store(&b, tile, t, kb_load(&b, in, t));
    kb_sync(&b, LEVEL_BLOCK);
    k_id loop = kb_open_for(&b, zero, kb_int(&b, 10), kb_int(&b, 1), &zero, 1);
    k_id x = kb_load(&b, tile, kb_param(&b, loop, 0)), sum = kb_param(&b, loop, 1);
    x = kb_scalar(&b, SOP_DIV, x, kb_load(&b, in, zero), 0);
    sum = kb_scalar(&b, SOP_ADD, sum, kb_scalar(&b, SOP_MIN, x, t, 0), 0);
    kb_close(&b, &sum, 1);
    k_id real = kb_convert(&b, ST_F32, kb_result(&b, loop, 0));
    real = kb_scalar(&b, SOP_SQRT, real, 0, 0);
    kb_store(&b, out, t, kb_convert(&b, ST_I32, real));
    kb_close(&b, NULL, 0);
    k_id length = kb_int(&b, 64);
    kb_output(&b, 0, out, &length, 1);
    finish();
    print();
    has(&body, "const int32_t v");
    has(&body, " = thread;\n");
    has(&body, "wait_for_all();\n");
    has(&body, "fcl_div_int32_t(");
    has(&body, "(uint32_t)");
    has(&body, "sqrt((float)");
    has(&body, "fcl_convert_int32_t_float(");
    has(&helpers, "static int32_t fcl_div_int32_t(int32_t x, int32_t y)\n");
    has(&helpers, "return isnan(x) ? 0 : nearest_int32_t(x);\n");
    ck_assert_ptr_null(strstr(body.at, "barrier("));
    ck_assert_ptr_null(strstr(body.at, "get_local_id"));
}
END_TEST

/* Numbers that C has no literals for. */
START_TEST(constants_of_the_language)
{
    ck_assert(c_constant(&plain, &cx.mem, ST_F32, 0x7f800000, &body));
    ck_assert(c_constant(&plain, &cx.mem, ST_I8, (uint64_t)-3, &body));
    text_cstr(&cx.mem, &body);
    ck_assert_str_eq(body.at, "bits_of_float(0x7f800000u)(int8_t)-3");
}
END_TEST

Suite *plain_c_suite(void);

Suite *plain_c_suite(void)
{
    Suite *s = suite_create("plain_c");
    TCase *t = tcase_create("plain_c");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, words_of_the_language);
    tcase_add_test(t, constants_of_the_language);
    suite_add_tcase(s, t);
    return s;
}
