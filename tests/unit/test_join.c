/* Launches that the last group of the one before does: runs that follow one another find the count
 * of arrivals as it was, after a run that failed, too.  On the cores of this machine, which takes
 * the same plan and the same kernels as devices whose launches cost. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libfcl/fcl.h"
#include "tests/unit/share.h"

/* Sums of 64 elements each and the sum of these; the elements are those at the positions of %at. */
static const char text[] = "fcl 0.1\n"
                           "import \"prelude\"\n"
                           "kernel @total(%xs: [int], %at: [int]) -> [int]<grid> {\n"
                           "  %n = length %at\n"
                           "  %ys = generate %n { (%i: int)\n"
                           "    %j = index %at, %i\n"
                           "    %x = index %xs, %j\n"
                           "    yield %x\n"
                           "  }\n"
                           "  %f = fn { (%x: int, %y: int)\n"
                           "    %z = add %x, %y\n"
                           "    yield %z\n"
                           "  }\n"
                           "  %s = call @reduce(4, %f, 0, %ys)\n"
                           "  return %s\n"
                           "}\n";

enum { MOST = 70001 };

typedef struct summing {
    fcl_context *cx;
    fcl_module *m;
    fcl_device *d;
    fcl_program *p;
    fcl_buffer *xs;
    int32_t values[MOST];
} summing;

static void begin(summing *s, fcl_compile_options o)
{
    o.size = sizeof o;
    s->cx = fcl_context_create(NULL, NULL);
    s->m = fcl_module_load(s->cx, "test", text, sizeof text - 1, NULL);
    s->d = fcl_device_open(s->cx, "cpu");
    ck_assert(s->m && fcl_module_check(s->m) && s->d);
    s->p = fcl_program_create(s->m, NULL, s->d, &(fcl_run_options){.compile = &o});
    for (size_t i = 0; i < MOST; i++)
        s->values[i] = rand() % 2001 - 1000;
    s->xs = fcl_buffer_create(s->d, FCL_I32, 1, (uint64_t[]){MOST});
    ck_assert(s->p && s->xs && fcl_buffer_write(s->xs, s->values));
}

static void end(summing *s)
{
    fcl_buffer_destroy(s->xs);
    fcl_program_destroy(s->p);
    fcl_module_destroy(s->m);
    fcl_device_close(s->d);
    fcl_context_destroy(s->cx);
}

/* The sum of n elements from the first on; wrong: at that number a position that is outside. */
static bool sum(summing *s, size_t n, size_t wrong, int32_t *got)
{
    int32_t *at = malloc((n + 1) * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = i == wrong ? MOST : (int32_t)i;
    fcl_buffer *b = fcl_buffer_create(s->d, FCL_I32, 1, (uint64_t[]){n}), *result = NULL;
    ck_assert(b && fcl_buffer_write(b, at));
    free(at);
    bool ok =
        fcl_program_run(s->p, (fcl_argument[]){{.buffer = s->xs}, {.buffer = b}}, 2, &result, 1);
    ck_assert(!ok || fcl_buffer_read(result, got));
    fcl_buffer_destroy(result);
    fcl_buffer_destroy(b);
    return ok;
}

static void sums(summing *s, size_t n)
{
    int32_t want = 0, got = 1;
    for (size_t i = 0; i < n; i++)
        want += s->values[i];
    fcl_diagnostic why = {.message = ""};
    bool ok = sum(s, n, n, &got);
    fcl_diagnostic_get(s->cx, fcl_diagnostic_count(s->cx) - 1, &why, sizeof why);
    ck_assert_msg(ok, "the sum of %zu: %s", n, why.message);
    ck_assert_msg(got == want, "the sum of %zu is %d, not %d", n, got, want);
}

static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 1000, 4099, 65537, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void sums_again(fcl_compile_options o)
{
    summing *s = malloc(sizeof *s);
    begin(s, o);
    for (int turn = 0; turn < 1 + share_of(2); turn++)
        for (size_t i = 0; i < SIZES; i++)
            sums(s, sizes[turn == 1 ? SIZES - 1 - i : i]);
    end(s);
    free(s);
}

START_TEST(runs_follow_one_another)
{
    sums_again((fcl_compile_options){.block_size = 32, .join_launches = 1});
    sums_again((fcl_compile_options){.block_size = 64, .join_launches = 1, .groups = 3});
    sums_again(
        (fcl_compile_options){.block_size = 32, .join_launches = 1, .tuning = "JoinBytes=0"});
    sums_again((fcl_compile_options){
        .block_size = 32, .join_launches = 1, .tuning = "JoinBytes=65536,JoinGroups=17"});
}
END_TEST

START_TEST(a_run_fails)
{
    summing *s = malloc(sizeof *s);
    int32_t got;
    begin(s, (fcl_compile_options){.block_size = 32, .join_launches = 1, .tuning = "JoinBytes=0"});
    for (size_t i = 1; i < SIZES; i++) {
        ck_assert(!sum(s, sizes[i], sizes[i] / 2, &got));
        ck_assert_uint_eq(fcl_diagnostic_count(s->cx), i);
        sums(s, sizes[SIZES - i]);
    }
    end(s);
    free(s);
}
END_TEST

/* A kernel for each of its two stages, or one for both. */
static size_t kernels(fcl_compile_options o)
{
    o.size = sizeof o;
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(cx, "test", text, sizeof text - 1, NULL);
    ck_assert(m && fcl_module_check(m));
    fcl_artifact *a = fcl_compile(m, &o);
    ck_assert_ptr_nonnull(a);
    size_t size, n = 0;
    const char *code = fcl_artifact_code(a, &size);
    for (const char *s = code; (s = strstr(s, "\n__kernel")); s++)
        n++;
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return n;
}

START_TEST(one_kernel_where_that_pays)
{
    ck_assert_uint_eq(kernels((fcl_compile_options){0}), 2);
    ck_assert_uint_eq(kernels((fcl_compile_options){.join_launches = 1, .tuning = "JoinBytes=0"}),
                      1);
    ck_assert_uint_eq(
        kernels((fcl_compile_options){.join_launches = 1, .tuning = "JoinBytes=65536"}), 3);
}
END_TEST

Suite *join_suite(void);
Suite *join_suite(void)
{
    Suite *s = suite_create("join");
    TCase *t = tcase_create("join");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, runs_follow_one_another);
    tcase_add_test(t, a_run_fails);
    tcase_add_test(t, one_kernel_where_that_pays);
    suite_add_tcase(s, t);
    return s;
}
