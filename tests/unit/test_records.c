/* Records of a scan that stay in memory between runs: runs of few and of many chunks follow one
 * another, without waiting and after runs that failed, for longer than ages last.  On every device
 * that runs kernels. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *records_suite(void);

/* Prefix sums of the elements at the positions of %at, one for each thread. */
static const char text[] = "fcl 0.5\n"
                           "import \"prelude.scan\"\n"
                           "kernel @sums(%xs: [int], %at: [int]) -> [int]<grid> {\n"
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
                           "  %s = call @scanChained(1, %f, 0, %ys)\n"
                           "  return %s\n"
                           "}\n"
                           /* What a chunk finds in the record of the next one. */
                           "kernel @ahead(%n: int) -> [int]<grid> {\n"
                           "  %rest = sub %n, 1\n"
                           "  %last = quot %rest, 32\n"
                           "  %p = chain %n, 32, 0 { (%k)\n"
                           "    %at = mul %k, 32\n"
                           "    %left = sub %n, %at\n"
                           "    %size = min 32, %left\n"
                           "    %own = tuple 1, %size\n"
                           "    yield %own\n"
                           "  } { (%x, %y)\n"
                           "    %s = add %x, %y\n"
                           "    yield %s\n"
                           "  } { (%k, %look)\n"
                           "    %next = add %k, 1\n"
                           "    %j = min %next, %last\n"
                           "    %r = apply %look, %j\n"
                           "    %status = proj %r, 0\n"
                           "    %is = eq %j, %k\n"
                           "    %found = select %is, 0, %status\n"
                           "    yield %found\n"
                           "  } { (%k, %before, %size)\n"
                           "    %ys = generate %size { (%i)\n"
                           "      yield %before\n"
                           "    }\n"
                           "    %q = push<block> %ys\n"
                           "    yield %q\n"
                           "  }\n"
                           "  return %p\n"
                           "}\n";

enum { BLOCK = 32, MOST = 100 * BLOCK, AT_ONCE = 9, ROUNDS = 9, AGES = 32 };

typedef struct scanning {
    fcl_context *cx;
    fcl_module *m;
    fcl_device *d;
    fcl_program *p;
    fcl_buffer *xs;
    int32_t values[MOST];
} scanning;

typedef struct run {
    size_t n, first;
    fcl_buffer *at, *sums;
    fcl_job *job;
} run;

static void begin(scanning *s, const char *device, const char *tuning, unsigned groups)
{
    fcl_compile_options o = {.size = sizeof o,
                             .block_size = BLOCK,
                             .groups = groups,
                             .join_launches = 1,
                             .tuning = tuning};
    s->m = load(s->cx, text);
    s->d = fcl_device_open(s->cx, device);
    expect_silence(s->cx);
    s->p = fcl_program_create(s->m, groups ? "ahead" : "sums", s->d,
                              &(fcl_run_options){.compile = &o});
    s->xs = fcl_buffer_create(s->d, FCL_I32, 1, (uint64_t[]){MOST});
    expect_silence(s->cx);
    for (size_t i = 0; i < MOST; i++)
        s->values[i] = rand() % 2001 - 1000;
    ck_assert(fcl_buffer_write(s->xs, s->values));
}

static void end(scanning *s)
{
    fcl_buffer_destroy(s->xs);
    fcl_program_destroy(s->p);
    fcl_device_close(s->d);
    fcl_module_destroy(s->m);
}

/* Of n elements, from another one on in each run; wrong: at that number a position that is outside.
 */
static run started(scanning *s, size_t n, size_t wrong)
{
    int32_t *at = malloc((n + 1) * sizeof *at);
    run r = {.n = n,
             .first = (size_t)rand() % MOST,
             .at = fcl_buffer_create(s->d, FCL_I32, 1, (uint64_t[]){n})};
    for (size_t i = 0; i < n; i++)
        at[i] = i == wrong ? MOST : (int32_t)((i + r.first) % MOST);
    ck_assert(r.at && fcl_buffer_write(r.at, at));
    free(at);
    r.job = fcl_program_start(s->p, (fcl_argument[]){{.buffer = s->xs}, {.buffer = r.at}}, 2,
                              &r.sums, 1);
    ck_assert_ptr_nonnull(r.job);
    return r;
}

static void ended(scanning *s, run r, bool fails)
{
    int32_t sums[MOST], want = 0;
    ck_assert(fcl_job_wait(r.job) == !fails);
    ck_assert(fails || fcl_buffer_read(r.sums, sums));
    for (size_t i = 0; i < r.n && !fails; i++) {
        want += s->values[(i + r.first) % MOST];
        ck_assert_msg(sums[i] == want, "sum %zu of %zu is %d, not %d", i, r.n, sums[i], want);
    }
    fcl_job_destroy(r.job);
    fcl_buffer_destroy(r.sums);
    fcl_buffer_destroy(r.at);
}

/* One after the other in the device's queue; the last of them fails. */
static void run_some(scanning *s)
{
    run runs[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++)
        runs[i] = started(s, (size_t)rand() % (i % 2 ? MOST : 4 * BLOCK), MOST);
    size_t n = 1 + (size_t)rand() % MOST;
    run bad = started(s, n, (size_t)rand() % n);
    for (size_t i = 0; i < AT_ONCE; i++)
        ended(s, runs[i], false);
    expect_silence(s->cx);
    ended(s, bad, true);
    ck_assert_uint_eq(fcl_diagnostic_count(s->cx), 1);
    fcl_diagnostics_clear(s->cx);
}

/* Few runs have all chunks, so that those between them leave records as they are: of an age that
 * comes again. */
static void grow_old(scanning *s)
{
    for (size_t i = 0; i <= 3 * AGES; i++)
        ended(s, started(s, i % AGES ? (size_t)rand() % (2 * BLOCK) : MOST, MOST), false);
}

/* Records for some chunks, and for all. */
static const char *const tunings[] = {"ChainRecords=16", "ChainRecords=48", "ChainRecords=16384"};

START_TEST(runs_follow_one_another)
{
    scanning *s = malloc(sizeof *s);
    s->cx = new_context();
    for (size_t i = 0; i < fcl_device_count(s->cx); i++) {
        const char *device = fcl_device_name(s->cx, i);
        for (size_t t = 0; t < sizeof tunings / sizeof *tunings && strcmp(device, "interp"); t++) {
            begin(s, device, tunings[t], 0);
            grow_old(s);
            for (size_t k = 0; k < ROUNDS; k++)
                run_some(s);
            end(s);
        }
    }
    fcl_context_destroy(s->cx);
    free(s);
}
END_TEST

/* By one group, which does one chunk after the other: nobody has stored the record of the next one.
 */
static void look_ahead(scanning *s, int32_t n)
{
    int32_t found[MOST];
    fcl_buffer *b = NULL;
    ck_assert(fcl_program_run(s->p, (fcl_argument[]){{.type = FCL_I32, .scalar = &n}}, 1, &b, 1));
    ck_assert(fcl_buffer_read(b, found));
    fcl_buffer_destroy(b);
    for (int32_t i = 0; i < n; i++)
        ck_assert_msg(found[i] == 0, "chunk %d of %d elements finds a record of an older run",
                      i / BLOCK, n);
}

START_TEST(nothing_is_there_before_its_time)
{
    static const char *const devices[] = {"opencl", "cpu"};
    scanning *s = malloc(sizeof *s);
    s->cx = new_context();
    for (size_t i = 0; i < 2 * (sizeof tunings / sizeof *tunings); i++) {
        begin(s, devices[i % 2], tunings[i / 2], 1);
        for (int32_t k = 0; k <= 3 * AGES; k++)
            look_ahead(s, k % AGES ? rand() % (2 * BLOCK) : MOST);
        end(s);
    }
    fcl_context_destroy(s->cx);
    free(s);
}
END_TEST

Suite *records_suite(void)
{
    Suite *s = suite_create("records");
    TCase *t = tcase_create("records");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, nothing_is_there_before_its_time);
    tcase_add_test(t, runs_follow_one_another);
    suite_add_tcase(s, t);
    return s;
}
