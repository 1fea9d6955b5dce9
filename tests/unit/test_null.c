/* NULL in every place of every function of fcl.h (calls.def), and objects of two contexts together: a
 * call fails, and says so where it says anything. */
#include "tests/unit/api_world.h"

#include "libfcl/fcl_backend.h"

#include <stdlib.h>

Suite *null_suite(void);

/* ---- memory: all of it is given back at once ---- */

typedef union block {
    union block *next;
    max_align_t align;
} block;

static block *pool;

static void *all_from_pool(void *user, void *at, size_t old, size_t size)
{
    (void)user;
    if (!size)
        return NULL;
    block *b = malloc(sizeof *b + size);
    ck_assert_ptr_nonnull(b);
    b->next = pool;
    pool = b;
    if (at)
        memcpy(b + 1, at, old < size ? old : size);
    return b + 1;
}

static void empty_pool(void)
{
    while (pool) {
        block *next = pool->next;
        free(pool);
        pool = next;
    }
}

/* ---- what calls are given ---- */

static const char text[] = "fcl 0.4\n"
                           "import \"prelude\"\n"
                           "module hint(\"mine.a\" = 1) attr(\"a\" = 1)\n"
                           "kernel @k(%xs: [int]) -> [int]<grid> {\n"
                           "  %t = constant<int; 2> \"AQAAAAIAAAA=\"\n"
                           "  %ys = map %xs { (%x)\n"
                           "    %y = add %x, 1\n"
                           "    yield %y\n"
                           "  }\n"
                           "  %p = push<grid> %ys\n"
                           "  return %p\n"
                           "}\n";
static const size_t extents[] = {2};
static const uint64_t dims[] = {3};
static const char *const names[] = {"n"};
static const fcl_attribute attribute = {.key = "a", .number = 1},
                           property = {.key = "mine.a", .number = 1};
static const fcl_subject module = {0, 0};

static bool do_nothing(void *user, fcl_module *m)
{
    (void)user;
    (void)m;
    return true;
}

static bool ask_nothing(void *user, const fcl_k_program *p, fcl_edit *e)
{
    (void)user;
    (void)p;
    (void)e;
    return true;
}

static void see_tunable(void *user, const fcl_tunable *t)
{
    (void)user;
    (void)t;
}

static bool see_all(void *user, const fcl_item *item)
{
    (void)user;
    (void)item;
    return true;
}

static const fcl_core_pass core_pass = {
    .size = sizeof core_pass, .name = "mine", .summary = "nothing", .run = do_nothing};
static const fcl_kernel_pass kernel_pass = {
    .size = sizeof kernel_pass, .name = "mine", .summary = "nothing", .run = ask_nothing};

static fcl_context *cx;
static fcl_module *m, *b;
static fcl_artifact *a;
static const fcl_plan *p;
static fcl_kernels *kernels;
static fcl_rewrite *w;
static fcl_device *d;
static fcl_buffer *buffer, *result;
static fcl_program *program;
static fcl_job *job;
static char *kernel_text;
static size_t kernel_size, size;
static fcl_func empty, k;
static fcl_region r, body, regions[2];
static fcl_operation first, second, push;
static fcl_value two[2], sum;
static fcl_type types[2];
static fcl_level levels[1];
static fcl_tvar variable, level, variables[2];
static fcl_compile_options compile;
static fcl_argument argument;
static fcl_array host, made;
static const char *name;
static const void *data;
static double number;
static int32_t elements[3];
static max_align_t out[64];

static void set_up_building(void)
{
    b = fcl_module_create(cx);
    types[0] = fcl_type_scalar(b, FCL_I32);
    types[1] = fcl_type_scalar(b, FCL_F64);
    variable = fcl_type_variable(b, "v", FCL_BT);
    level = fcl_level_variable(b, "w");
    levels[0] = fcl_level_const(FCL_GRID);
    fcl_func f = fcl_function(b, "f", false);
    r = fcl_body(b, f);
    two[0] = fcl_param(b, r, "x", types[0]);
    two[1] = fcl_param(b, r, "y", types[0]);
    sum = fcl_op(b, r, "add", two, 2);
    empty = fcl_function(b, "empty", false);
}

static void set_up_reading(void)
{
    fcl_function_info f;
    fcl_region_info in;
    m = load(cx, text);
    fcl_section_add(m, "mine", "x", 1);
    k = fcl_function_named(m, "k");
    ck_assert(fcl_function_about(m, k, &f, sizeof f));
    body = f.body;
    ck_assert(fcl_region_about(m, body, &in, sizeof in));
    first = in.first;
    second = fcl_operation_next(m, first);
    push = fcl_operation_next(m, second);
}

static void set_up_running(void)
{
    d = fcl_device_open(cx, "interp");
    buffer = fcl_buffer_create(d, FCL_I32, 1, dims);
    result = NULL;
    program = fcl_program_create(m, NULL, d, NULL);
    argument = (fcl_argument){.buffer = buffer};
    fcl_buffer *other = NULL;
    job = fcl_program_start(program, &argument, 1, &other, 1);
    host = (fcl_array){.type = FCL_I32, .rank = 1, .dims = {3}, .data = elements};
    made = (fcl_array){.data = NULL};
    number = 1.5;
}

static void set_up(void)
{
    cx = fcl_context_create(all_from_pool, NULL);
    set_up_building();
    set_up_reading();
    set_up_running();
    a = fcl_compile(m, NULL);
    p = fcl_plan_at(a, 0, 0);
    kernels = NULL;
    compile = (fcl_compile_options){.size = sizeof compile};
    ck_assert(fcl_passes_run(m, &kernels, "lower", NULL));
    kernel_text = fcl_kernels_print(kernels, &kernel_size);
    fcl_kernels *whole = NULL;
    ck_assert(fcl_passes_run(m, &whole, "virtualise,outline,legalise", NULL));
    kernels = whole;
    expect_silence(cx);
}

/* ---- the calls ---- */

typedef enum hole_kind { NOWHERE, OBJECT_HOLE, GIVEN_HOLE, SILENT_HOLE } hole_kind;

static int holes_before; /* the hole with so many before it is NULL */
static hole_kind hole;

static void *through(const void *at, hole_kind of)
{
    if (holes_before-- != 0)
        return (void *)(uintptr_t)at;
    hole = of;
    return NULL;
}

#define OBJECT(x) through(x, OBJECT_HOLE)
#define GIVEN(x)  through(x, GIVEN_HOLE)
#define SILENT(x) through(x, SILENT_HOLE)

#define JOINED(x, y)  x##y
#define NUMBERED(x)   JOINED(call_, x)
#define GIVES(call)   static bool NUMBERED(__LINE__)(void) { return (call) ? true : false; }
#define TRIES(call)   GIVES(call)
#define DOES(call)    static bool NUMBERED(__LINE__)(void) { call; return false; }
#include "tests/unit/calls.def"
#undef GIVES
#undef TRIES
#undef DOES

typedef struct row {
    const char *text;
    bool (*call)(void);
    bool gives, is_void;
} row;

static const row rows[] = {
#define GIVES(call) {#call, NUMBERED(__LINE__), true, false},
#define TRIES(call) {#call, NUMBERED(__LINE__), false, false},
#define DOES(call)  {#call, NUMBERED(__LINE__), false, true},
#include "tests/unit/calls.def"
};

/* With NULL in place n; false when the call has no such place. */
static bool call_with(const row *c, int n)
{
    set_up();
    if (strstr(c->text, "(w)") || strstr(c->text, "(w,") || strstr(c->text, "(OBJECT(w)"))
        w = fcl_rewrite_begin(m);
    holes_before = n;
    hole = NOWHERE;
    bool truth = c->call();
    bool reports = fcl_diagnostic_count(cx) > 0;
    const char *said = reports ? fcl_diagnostic_text(cx, 0) : "nothing\n";
    if (hole == NOWHERE)
        ck_assert_msg(!c->gives || truth, "%s fails: %s", c->text, said);
    else
        ck_assert_msg(!truth, "%s succeeds with NULL in place %d", c->text, n);
    ck_assert_msg(hole == NOWHERE || reports == (hole == GIVEN_HOLE),
                  "%s with NULL in place %d says %s", c->text, n, said);
    empty_pool();
    return hole != NOWHERE;
}

START_TEST(every_place)
{
    const row *c = &rows[_i];
    int n = 0;
    while (call_with(c, n))
        n++;
}
END_TEST

/* Two contexts. */
START_TEST(of_another_context)
{
    set_up();
    fcl_context *other = new_context();
    fcl_device *theirs = fcl_device_open(other, "interp");
    ck_assert_ptr_null(fcl_program_create(m, NULL, theirs, NULL));
    expect_code(cx, 864);
    ck_assert_ptr_null(fcl_program_from_artifact(a, NULL, theirs, NULL));
    expect_code(cx, 864);
    ck_assert(!fcl_run(m, NULL, theirs, NULL, &host, 1, &made, 1));
    expect_code(cx, 864);
    fcl_module *their = load(other, text);
    ck_assert(!fcl_passes_run(their, &kernels, "legalise", NULL));
    expect_code(cx, 864);
    fcl_artifact *joined = fcl_compile(their, NULL);
    ck_assert(!fcl_artifact_join(a, joined));
    expect_code(cx, 631);
    fcl_buffer *far = fcl_buffer_create(theirs, FCL_I32, 1, dims);
    argument.buffer = far;
    ck_assert(!fcl_program_run(program, &argument, 1, &result, 1));
    expect_code(cx, 852);
    ck_assert(!fcl_type_about(m, fcl_type_scalar(their, FCL_F32), (void *)out, sizeof out));
    expect_silence(other);
    fcl_buffer_destroy(far);
    fcl_device_close(theirs);
    fcl_module_destroy(their);
    fcl_context_destroy(other);
    empty_pool();
}
END_TEST

Suite *null_suite(void)
{
    Suite *s = suite_create("null");
    TCase *t = tcase_create("null");
    tcase_add_loop_test(t, every_place, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(t, of_another_context);
    suite_add_tcase(s, t);
    return s;
}
