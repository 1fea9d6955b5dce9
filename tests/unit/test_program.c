/* Programs that stay, over arrays in the device's memory, through the public interface and on every
 * device. */
#include "tests/unit/api_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

Suite *program_suite(void);

/* Squares, and the sum of xs as [1] by one thread: two results, one of them of another size. */
static const char text[] = "fcl 0.1\n"
                           "import \"prelude\"\n"
                           "kernel @f(%k: int, %xs: [int]) -> ([int]<grid>, [int]<grid>) {\n"
                           "  %a = map %xs { (%x)\n"
                           "    %y = mul %x, %k\n"
                           "    yield %y\n"
                           "  }\n"
                           "  %pa = push<grid> %a\n"
                           "  %add = fn { (%x: int, %y: int)\n"
                           "    %z = add %x, %y\n"
                           "    yield %z\n"
                           "  }\n"
                           "  %s = call @redGrid(%add, 0, %xs)\n"
                           "  %r = tuple %pa, %s\n"
                           "  return %r\n"
                           "}\n";

enum { N = 1000 };

typedef struct world {
    fcl_context *cx;
    fcl_module *m;
    fcl_device *d;
    fcl_program *p;
    fcl_buffer *xs;
} world;

static void open_world(world *w, fcl_context *cx, const char *device, const fcl_run_options *o)
{
    int32_t xs[N];
    w->cx = cx;
    w->m = load(cx, text);
    w->d = fcl_device_open(cx, device);
    expect_silence(cx);
    w->p = fcl_program_create(w->m, NULL, w->d, o);
    w->xs = fcl_buffer_create(w->d, FCL_I32, 1, (uint64_t[]){N});
    expect_silence(cx);
    for (int32_t i = 0; i < N; i++)
        xs[i] = i;
    ck_assert(fcl_buffer_write(w->xs, xs));
}

static void close_world(world *w)
{
    expect_silence(w->cx);
    fcl_buffer_destroy(w->xs);
    fcl_program_destroy(w->p);
    fcl_device_close(w->d);
    fcl_module_destroy(w->m);
    fcl_context_destroy(w->cx);
}

static bool run_times(world *w, int32_t k, const fcl_buffer *xs, fcl_buffer *results[2])
{
    fcl_argument args[] = {{.type = FCL_I32, .scalar = &k}, {.buffer = xs}};
    return fcl_program_run(w->p, args, 2, results, 2);
}

static int32_t element(const fcl_buffer *b, size_t i)
{
    int32_t all[N];
    fcl_array shape = fcl_buffer_shape(b);
    ck_assert(shape.type == FCL_I32 && shape.rank == 1 && i < shape.dims[0] && shape.dims[0] <= N &&
              !shape.data);
    ck_assert(fcl_buffer_read(b, all));
    return all[i];
}

/* The results of one run are the arguments of the next, and memory goes round. */
static void run_chain(world *w)
{
    fcl_buffer *now[2], *next[2];
    ck_assert(run_times(w, 1, w->xs, now));
    for (int i = 0; i < 6; i++) {
        ck_assert(run_times(w, 2, now[0], next));
        fcl_program_reuse(w->p, now[0]);
        fcl_program_reuse(w->p, now[1]);
        memcpy(now, next, sizeof now);
    }
    ck_assert_int_eq(element(now[0], 3), 3 * 64);
    ck_assert_int_eq(element(now[1], 0), N * (N - 1) / 2 * 32);
    ck_assert_int_eq(element(w->xs, 3), 3);
    fcl_buffer_destroy(now[0]);
    fcl_buffer_destroy(now[1]);
}

static size_t device_count(void)
{
    fcl_context *cx = new_context();
    size_t n = fcl_device_count(cx);
    fcl_context_destroy(cx);
    return n;
}

static bool is_opencl(fcl_context *cx, size_t i)
{
    return strncmp(fcl_device_name(cx, i), "opencl", 6) == 0;
}

START_TEST(arrays_stay_on_the_device)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        run_chain(&w);
        ck_assert_uint_eq(fcl_program_nanoseconds(w.p, NULL), 0);
        close_world(&w);
    }
}
END_TEST

/* One after another, as chance has it: what the run before had may be the same, or the number, or
 * the length alone. */
static void run_mixed(world *w, unsigned seed)
{
    static const uint64_t lengths[] = {N, 1, 7, 0};
    static const int32_t numbers[] = {2, -3};
    int32_t xs[N];
    fcl_buffer *some[4], *results[2];
    for (int32_t i = 0; i < N; i++)
        xs[i] = i;
    for (int i = 0; i < 4; i++) {
        some[i] = fcl_buffer_create(w->d, FCL_I32, 1, &lengths[i]);
        ck_assert(some[i] && fcl_buffer_write(some[i], xs));
    }
    for (int run = 0; run < 60; run++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned which = seed >> 28 & 3;
        int32_t n = (int32_t)lengths[which], k = numbers[seed >> 20 & 1];
        ck_assert(run_times(w, k, some[which], results));
        ck_assert_uint_eq(fcl_buffer_shape(results[0]).dims[0], lengths[which]);
        if (n)
            ck_assert_int_eq(element(results[0], (size_t)n - 1), (n - 1) * k);
        ck_assert_int_eq(element(results[1], 0), n * (n - 1) / 2);
        fcl_program_reuse(w->p, results[0]);
        fcl_program_reuse(w->p, results[1]);
    }
    for (int i = 0; i < 4; i++)
        fcl_buffer_destroy(some[i]);
}

START_TEST(runs_differ_from_those_before)
{
    unsigned seed = (unsigned)time(NULL);
    printf("runs_differ_from_those_before: seed %u\n", seed);
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        run_mixed(&w, seed);
        close_world(&w);
    }
}
END_TEST

START_TEST(runs_are_timed_when_asked_for)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_buffer *results[2];
        uint64_t span = 0;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), &(fcl_run_options){.timed = true});
        ck_assert_uint_eq(fcl_program_nanoseconds(w.p, &span), 0);
        ck_assert_uint_eq(span, 0);
        ck_assert(run_times(&w, 1, w.xs, results));
        uint64_t kernels = fcl_program_nanoseconds(w.p, &span);
        ck_assert_uint_gt(kernels, 0);
        ck_assert_uint_le(kernels, span);
        fcl_program_reuse(w.p, results[0]);
        fcl_program_reuse(w.p, results[1]);
        close_world(&w);
    }
}
END_TEST

START_TEST(handles_are_there)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_opencl h = {0};
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        ck_assert_ptr_nonnull(fcl_buffer_memory(w.xs));
        bool opencl = is_opencl(cx, i);
        ck_assert(fcl_device_opencl(w.d, &h, sizeof h) == opencl);
        ck_assert(!opencl || (h.platform && h.device && h.context && h.queue));
        close_world(&w);
    }
}
END_TEST

/* Of N products and a sum; too small for the former, or in use, so that nothing runs. */
static void refuse_given(world *w, const fcl_argument *args)
{
    fcl_buffer *small = fcl_buffer_create(w->d, FCL_I32, 1, (uint64_t[]){N - 1});
    fcl_buffer *other = fcl_buffer_create(w->d, FCL_I64, 1, (uint64_t[]){N});
    fcl_buffer *twice = fcl_buffer_create(w->d, FCL_I32, 1, (uint64_t[]){N});
    fcl_buffer *bad[][2] = {{small, NULL}, {other, NULL}, {NULL, other}, {twice, twice}, {w->xs, NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fcl_buffer *results[] = {bad[i][0], bad[i][1]};
        ck_assert(!fcl_program_run_into(w->p, args, 2, results, 2));
        expect_code(w->cx, 622);
        ck_assert(results[0] == bad[i][0] && results[1] == bad[i][1]);
    }
    ck_assert_uint_eq(fcl_buffer_shape(small).dims[0], N - 1);
    fcl_buffer_destroy(small);
    fcl_buffer_destroy(other);
    fcl_buffer_destroy(twice);
}

/* Larger than the result, twice: extents are those of the result, and the memory stays. */
static void run_into_large(world *w, const fcl_argument *args, int32_t k)
{
    int32_t ys[N];
    fcl_buffer *large = fcl_buffer_create(w->d, FCL_I32, 2, (uint64_t[]){3, N});
    void *memory = fcl_buffer_memory(large);
    for (int turn = 0; turn < 2; turn++) {
        fcl_buffer *results[] = {large, NULL};
        ck_assert(fcl_program_run_into(w->p, args, 2, results, 2));
        ck_assert(results[0] == large && results[1]);
        ck_assert_ptr_eq(fcl_buffer_memory(large), memory);
        ck_assert_uint_eq(fcl_buffer_shape(large).rank, 1);
        ck_assert_uint_eq(fcl_buffer_shape(large).dims[0], N);
        ck_assert(fcl_buffer_read(large, ys));
        for (int32_t i = 0; i < N; i++)
            ck_assert_int_eq(ys[i], i * k);
        fcl_buffer_destroy(results[1]);
    }
    fcl_buffer_destroy(large);
}

START_TEST(results_go_where_the_caller_wants)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        int32_t k = 3;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        fcl_argument args[] = {{.type = FCL_I32, .scalar = &k}, {.buffer = w.xs}};
        run_into_large(&w, args, k);
        refuse_given(&w, args);
        if (i > 0) { /* kernels would read what they write */
            fcl_buffer *results[] = {w.xs, NULL};
            ck_assert(!fcl_program_run_into(w.p, args, 2, results, 2));
            expect_code(cx, 622);
        }
        close_world(&w);
    }
}
END_TEST

static fcl_job *start_times(world *w, int32_t k, const fcl_buffer *xs, fcl_buffer *results[2])
{
    fcl_argument args[] = {{.type = FCL_I32, .scalar = &k}, {.buffer = xs}};
    results[0] = results[1] = NULL;
    fcl_job *j = fcl_program_start(w->p, args, 2, results, 2);
    ck_assert_ptr_nonnull(j);
    return j;
}

/* Many runs in flight, each by what the one before makes; intermediate results and jobs are dropped
 * at once. */
static void start_chain(world *w, int length)
{
    fcl_buffer *now[2], *next[2];
    fcl_job *j = start_times(w, 1, w->xs, now);
    for (int i = 0; i < length; i++) {
        fcl_job_destroy(j);
        j = start_times(w, i % 2 ? -1 : 1, now[0], next);
        fcl_program_reuse(w->p, now[0]);
        fcl_buffer_destroy(now[1]);
        memcpy(now, next, sizeof now);
    }
    ck_assert(fcl_job_wait(j) && fcl_job_wait(j) && fcl_job_done(j));
    int sign = length / 2 % 2 ? -1 : 1;
    ck_assert_int_eq(element(now[0], 3), 3 * sign);
    ck_assert_int_eq(element(now[1], 0), N * (N - 1) / 2 * (length % 2 ? sign : -sign));
    fcl_buffer_destroy(now[0]);
    fcl_buffer_destroy(now[1]);
    fcl_job_destroy(j);
}

START_TEST(runs_are_started_and_waited_for_later)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_buffer *results[2];
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        start_chain(&w, i ? 1000 : 10);
        fcl_job *j = start_times(&w, 5, w.xs, results);
        ck_assert((fcl_job_event(j) != NULL) == is_opencl(cx, i));
        ck_assert_int_eq(element(results[0], 2), 10); /* reading waits */
        fcl_job_destroy(j);
        fcl_buffer_destroy(results[0]);
        fcl_buffer_destroy(results[1]);
        fcl_job_destroy(start_times(&w, 5, w.xs, results)); /* closing waits */
        fcl_buffer_destroy(results[0]);
        fcl_buffer_destroy(results[1]);
        close_world(&w);
    }
}
END_TEST

/* Positions in %at may lie outside of %xs, which only the kernel sees. */
static const char gather[] = "fcl 0.1\n"
                             "kernel @g(%at: [int], %xs: [int]) -> [int]<grid> {\n"
                             "  %ys = map %at { (%i) %y = index %xs, %i yield %y }\n"
                             "  %p = push<grid> %ys\n"
                             "  return %p\n"
                             "}\n";

/* The second run takes what the first one fails to make, and the third has nothing to do with it.
 */
static void fail_later(fcl_context *cx, fcl_device *d, fcl_program *p)
{
    int32_t at[] = {0, 1, 7}, got[3];
    uint64_t n = 3;
    fcl_buffer *bad = fcl_buffer_create(d, FCL_I32, 1, &n), *made[3] = {NULL};
    fcl_buffer *good = fcl_buffer_create(d, FCL_I32, 1, &n);
    ck_assert(fcl_buffer_write(bad, at) && fcl_buffer_write(good, (int32_t[]){2, 1, 0}));
    fcl_job *first =
        fcl_program_start(p, (fcl_argument[]){{.buffer = bad}, {.buffer = good}}, 2, &made[0], 1);
    ck_assert_ptr_nonnull(first);
    fcl_job *second = fcl_program_start(p, (fcl_argument[]){{.buffer = good}, {.buffer = made[0]}},
                                        2, &made[1], 1);
    fcl_job *third =
        fcl_program_start(p, (fcl_argument[]){{.buffer = good}, {.buffer = good}}, 2, &made[2], 1);
    expect_silence(cx);
    ck_assert(fcl_job_wait(third));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 1); /* jobs before it have ended, too */
    fcl_diagnostics_clear(cx);
    ck_assert(!fcl_job_wait(first) && !fcl_job_wait(second));
    ck_assert(fcl_buffer_read(made[2], got) && got[0] == 0 && got[2] == 2);
    ck_assert(!fcl_buffer_read(made[1], got));
    expect_code(cx, 623);
    ck_assert(!fcl_program_run_into(p, (fcl_argument[]){{.buffer = made[0]}, {.buffer = good}}, 2,
                                    &made[2], 1));
    expect_code(cx, 623);
    ck_assert(fcl_buffer_write(made[0], at) && fcl_buffer_read(made[0], got)); /* anew */
    for (int i = 0; i < 3; i++)
        fcl_buffer_destroy(made[i]);
    fcl_job_destroy(first);
    fcl_job_destroy(second);
    fcl_job_destroy(third);
    fcl_buffer_destroy(good);
    fcl_buffer_destroy(bad);
}

START_TEST(a_check_fails_when_it_is_waited_for)
{
    for (size_t i = 1; i < device_count(); i++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, gather);
        fcl_device *d = fcl_device_open(cx, fcl_device_name(cx, i));
        fcl_program *p = fcl_program_create(m, NULL, d, NULL);
        expect_silence(cx);
        fail_later(cx, d, p);
        fcl_program_destroy(p);
        fcl_device_close(d);
        fcl_module_destroy(m);
        expect_silence(cx);
        fcl_context_destroy(cx);
    }
}
END_TEST

enum { FLIGHTS = 200 }; /* more than reports lie in a page */

static bool goes_wrong(int i)
{
    return i % 7 == 3;
}

/* Every job has its own report, whoever has kept a handle and whenever it is waited for; twice,
 * since reports go round. */
static void fly_together(fcl_context *cx, fcl_program *p, const fcl_buffer *good,
                         const fcl_buffer *bad)
{
    fcl_job *jobs[FLIGHTS] = {NULL};
    fcl_buffer *made[FLIGHTS] = {NULL};
    for (int i = 0; i < FLIGHTS; i++) {
        fcl_argument args[] = {{.buffer = goes_wrong(i) ? bad : good}, {.buffer = good}};
        fcl_job *j = fcl_program_start(p, args, 2, &made[i], 1);
        ck_assert_ptr_nonnull(j);
        if (i % 3)
            jobs[i] = j;
        else
            fcl_job_destroy(j);
    }
    for (int k = 0; k < FLIGHTS; k++) {
        int32_t got[3] = {9, 9, 9};
        int i = k * 73 % FLIGHTS;
        ck_assert(!jobs[i] || fcl_job_wait(jobs[i]) == !goes_wrong(i));
        ck_assert(fcl_buffer_read(made[i], got) == !goes_wrong(i));
        ck_assert(goes_wrong(i) || (got[0] == 0 && got[1] == 1 && got[2] == 2));
        fcl_job_destroy(jobs[i]);
        fcl_buffer_destroy(made[i]);
    }
    ck_assert_uint_gt(fcl_diagnostic_count(cx), 0);
    fcl_diagnostics_clear(cx);
}

START_TEST(jobs_in_flight_fail_each_by_itself)
{
    for (size_t i = 1; i < device_count(); i++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, gather);
        fcl_device *d = fcl_device_open(cx, fcl_device_name(cx, i));
        fcl_program *p = fcl_program_create(m, NULL, d, NULL);
        expect_silence(cx);
        fcl_buffer *good = fcl_buffer_create(d, FCL_I32, 1, &(uint64_t){3});
        fcl_buffer *bad = fcl_buffer_create(d, FCL_I32, 1, &(uint64_t){3});
        ck_assert(fcl_buffer_write(good, (int32_t[]){2, 1, 0}));
        ck_assert(fcl_buffer_write(bad, (int32_t[]){0, 1, 7}));
        for (int turn = 0; turn < 2; turn++)
            fly_together(cx, p, good, bad);
        fcl_buffer_destroy(good);
        fcl_buffer_destroy(bad);
        fcl_program_destroy(p);
        fcl_device_close(d);
        fcl_module_destroy(m);
        expect_silence(cx);
        fcl_context_destroy(cx);
    }
}
END_TEST

static bool stop_at_second(void *user, uint64_t launches)
{
    *(uint64_t *)user = launches;
    return launches < 2;
}

START_TEST(runs_are_bounded_and_watched)
{
    for (size_t i = 1; i < device_count(); i++) {
        world w;
        uint64_t last = 0;
        fcl_buffer *results[2];
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        ck_assert(run_times(&w, 1, w.xs, results));
        uint64_t peak = fcl_program_peak(w.p);
        ck_assert_uint_ge(peak, (N + 1) * sizeof(int32_t));
        fcl_buffer_destroy(results[0]);
        fcl_buffer_destroy(results[1]);
        close_world(&w);
        fcl_run_options o = {.size = sizeof o, .memory = (N + 1) * sizeof(int32_t) - 1}; /* less than the results */
        cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), &o);
        ck_assert(!run_times(&w, 1, w.xs, results));
        expect_code(cx, 624);
        close_world(&w);
        o = (fcl_run_options){
            .size = sizeof o, .memory = peak, .progress = stop_at_second, .user = &last};
        cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), &o);
        ck_assert(!run_times(&w, 1, w.xs, results));
        expect_code(cx, 910);
        ck_assert_uint_eq(last, 2);
        close_world(&w);
    }
}
END_TEST

/* The handles of a device that the library has opened stand for those of a caller. */
static void adopt_from(world *w)
{
    fcl_opencl h = {0};
    ck_assert(fcl_device_opencl(w->d, &h, sizeof h));
    fcl_device *d = fcl_device_adopt(w->cx, h.context, h.device, h.queue);
    ck_assert_ptr_nonnull(d);
    void *memory = fcl_buffer_memory(w->xs);
    fcl_buffer *same = fcl_buffer_wrap(d, memory, FCL_I32, 1, (uint64_t[]){N});
    ck_assert_ptr_nonnull(same);
    int32_t xs[N];
    ck_assert(fcl_buffer_read(same, xs));
    ck_assert_int_eq(xs[N - 1], N - 1);
    ck_assert_ptr_null(fcl_buffer_wrap(d, memory, FCL_I32, 1, (uint64_t[]){N + 1}));
    expect_code(w->cx, 621);
    ck_assert_ptr_null(fcl_buffer_wrap(d, NULL, FCL_I32, 1, (uint64_t[]){N}));
    expect_code(w->cx, 621);
    ck_assert_ptr_null(fcl_device_adopt(w->cx, h.context, h.device, NULL));
    expect_code(w->cx, 621);
    fcl_device *another = fcl_device_open(w->cx, "opencl");
    fcl_opencl of = {0};
    ck_assert(fcl_device_opencl(another, &of, sizeof of));
    ck_assert_ptr_null(fcl_device_adopt(w->cx, of.context, of.device, h.queue));
    expect_code(w->cx, 621);
    fcl_buffer_destroy(same);
    fcl_device_close(another);
    fcl_device_close(d);
}

START_TEST(a_context_of_the_callers)
{
    for (size_t i = 1; i < device_count(); i++) {
        world w;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        if (is_opencl(cx, i))
            adopt_from(&w);
        close_world(&w);
    }
}
END_TEST

static void expect_refusal(world *w, const fcl_argument *args, size_t nargs, size_t nresults)
{
    fcl_buffer *results[] = {w->xs, w->xs};
    ck_assert(!fcl_program_run(w->p, args, nargs, results, nresults));
    expect_code(w->cx, 852);
    ck_assert(results[0] == w->xs && results[1] == w->xs);
}

static void refuse_arguments(world *w)
{
    int32_t k = 1;
    fcl_device *d = fcl_device_open(w->cx, "interp");
    fcl_buffer *foreign = fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){N});
    fcl_buffer *matrix = fcl_buffer_create(w->d, FCL_I32, 2, (uint64_t[]){2, 3});
    fcl_argument good[] = {{.type = FCL_I32, .scalar = &k}, {.buffer = w->xs}};
    expect_refusal(w, good, 1, 2);
    expect_refusal(w, good, 2, 1);
    expect_refusal(w, (fcl_argument[]){good[0], good[0]}, 2, 2);
    expect_refusal(w, (fcl_argument[]){good[1], good[1]}, 2, 2);
    expect_refusal(w, (fcl_argument[]){good[0], {.buffer = matrix}}, 2, 2);
    expect_refusal(w, (fcl_argument[]){good[0], {.buffer = foreign}}, 2, 2);
    expect_refusal(w, (fcl_argument[]){{.type = FCL_I32}, good[1]}, 2, 2);
    expect_refusal(w, (fcl_argument[]){{.type = FCL_I64, .scalar = &k}, good[1]}, 2, 2);
    fcl_buffer_destroy(matrix);
    fcl_buffer_destroy(foreign);
    fcl_device_close(d);
}

START_TEST(arguments_are_checked)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i), NULL);
        refuse_arguments(&w);
        close_world(&w);
    }
}
END_TEST

START_TEST(shapes_are_checked)
{
    fcl_context *cx = new_context();
    fcl_device *d = fcl_device_open(cx, NULL);
    uint64_t dims[FCL_MAX_RANK + 1] = {1u << 16, 1u << 15};
    static const struct {
        int type;
        unsigned rank;
    } bad[] = {{FCL_I32, FCL_MAX_RANK + 1}, {0, 1}, {FCL_SCALAR_END, 1}, {FCL_I8, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_ptr_null(fcl_buffer_create(d, (fcl_scalar)bad[i].type, bad[i].rank, dims));
        expect_code(cx, 852);
    }
    fcl_buffer *b = fcl_buffer_create(d, FCL_I32, 0, NULL); /* a scalar's */
    ck_assert_ptr_nonnull(b);
    ck_assert_uint_eq(fcl_buffer_shape(b).rank, 0);
    fcl_buffer_destroy(b);
    dims[0] = 0; /* no elements are an array, too */
    b = fcl_buffer_create(d, FCL_F64, 2, dims);
    ck_assert_ptr_nonnull(b);
    ck_assert_uint_eq(fcl_buffer_shape(b).dims[1], 1u << 15);
    fcl_buffer_destroy(b);
    fcl_device_close(d);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(a_program_that_is_refused)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, text);
    for (size_t i = 0; i < device_count(); i++) {
        fcl_device *d = fcl_device_open(cx, fcl_device_name(cx, i));
        ck_assert_ptr_null(fcl_program_create(m, "g", d, NULL));
        expect_code(cx, 851);
        fcl_device_close(d);
    }
    fcl_program_destroy(NULL);
    fcl_buffer_destroy(NULL);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- results that overwrite arguments ---- */

START_TEST(a_result_overwrites_its_argument)
{
    for (size_t i = 0; i < device_count(); i++) {
        world w;
        fcl_buffer *results[2];
        fcl_context *cx = new_context();
        open_world(&w, cx, fcl_device_name(cx, i),
                   &(fcl_run_options){.compile = &(fcl_compile_options){.in_place = "xs"}});
        ck_assert(run_times(&w, 3, w.xs, results));
        ck_assert((results[0] == NULL) == (i > 0));
        ck_assert_int_eq(element(i ? w.xs : results[0], 5), 15);
        ck_assert_int_eq(element(w.xs, 7), i ? 21 : 7);
        ck_assert_int_eq(element(results[1], 0), N * (N - 1) / 2);
        fcl_program_reuse(w.p, results[0]);
        fcl_program_reuse(w.p, results[1]);
        close_world(&w);
    }
}
END_TEST

static const char two_arrays[] = "fcl 0.1\n"
                                 "kernel @g(%xs: [int], %ys: [int]) -> [int]<grid> {\n"
                                 "  %n = length %xs\n"
                                 "  %a = generate %n { (%i)\n"
                                 "    %x = index %xs, %i\n"
                                 "    %y = index %ys, 0\n"
                                 "    %z = add %x, %y\n"
                                 "    yield %z\n"
                                 "  }\n"
                                 "  %p = push<grid> %a\n"
                                 "  return %p\n"
                                 "}\n";

/* What is overwritten must not be read through another argument. */
START_TEST(an_overwritten_argument_is_alone)
{
    for (size_t i = 1; i < device_count(); i++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, two_arrays);
        fcl_device *d = fcl_device_open(cx, fcl_device_name(cx, i));
        fcl_program *p = fcl_program_create(
            m, NULL, d, &(fcl_run_options){.compile = &(fcl_compile_options){.in_place = "xs"}});
        fcl_buffer *b = fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){4}), *result = b;
        expect_silence(cx);
        ck_assert(
            !fcl_program_run(p, (fcl_argument[]){{.buffer = b}, {.buffer = b}}, 2, &result, 1));
        expect_code(cx, 618);
        ck_assert_ptr_eq(result, b);
        fcl_buffer_destroy(b);
        fcl_program_destroy(p);
        fcl_device_close(d);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
    }
}
END_TEST

/* ---- allocation failure ---- */

typedef struct counting {
    size_t bytes, calls, fail_at; /* fail_at 0: never */
} counting;

static void *allocate(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counting *c = user;
    if (new_size && ++c->calls == c->fail_at)
        return NULL;
    void *fresh = new_size ? realloc(ptr, new_size) : NULL;
    if (!new_size)
        free(ptr);
    c->bytes += new_size - old_size;
    return fresh;
}

/* Everything from the device on; true when it went well.  Results are there only then. */
static bool whole_use(fcl_context *cx, fcl_module *m)
{
    int32_t k = 2, xs[N] = {5, 6}, ys[N];
    fcl_buffer *results[2] = {NULL, NULL};
    fcl_device *d = fcl_device_open(cx, "interp");
    fcl_program *p = d ? fcl_program_create(m, NULL, d, NULL) : NULL;
    fcl_buffer *b = d ? fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){N}) : NULL;
    fcl_argument args[] = {{.type = FCL_I32, .scalar = &k}, {.buffer = b}};
    bool ok = p && b && fcl_buffer_write(b, xs) && fcl_program_run(p, args, 2, results, 2);
    ck_assert(ok || (!results[0] && !results[1]));
    ck_assert(!ok || (fcl_buffer_read(results[0], ys) && ys[1] == 12));
    fcl_buffer_destroy(results[0]);
    fcl_buffer_destroy(results[1]);
    fcl_buffer_destroy(b);
    fcl_program_destroy(p);
    fcl_device_close(d);
    return ok;
}

START_TEST(every_allocation_may_fail)
{
    bool done = false;
    for (size_t k = 1; !done; k++) {
        counting c = {0};
        fcl_context *cx = fcl_context_create(allocate, &c);
        fcl_module *m = fcl_module_load(cx, "test", text, sizeof text - 1, NULL);
        ck_assert(fcl_module_check(m));
        c.fail_at = c.calls + k;
        done = whole_use(cx, m) && c.calls < c.fail_at;
        c.fail_at = 0;
        ck_assert(done || fcl_diagnostic_count(cx) > 0);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
        ck_assert_uint_eq(c.bytes, 0);
        ck_assert_uint_lt(k, 10000);
    }
}
END_TEST

Suite *program_suite(void)
{
    Suite *s = suite_create("program");
    TCase *t = tcase_create("program");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, arrays_stay_on_the_device);
    tcase_add_test(t, runs_differ_from_those_before);
    tcase_add_test(t, runs_are_timed_when_asked_for);
    tcase_add_test(t, handles_are_there);
    tcase_add_test(t, results_go_where_the_caller_wants);
    tcase_add_test(t, a_context_of_the_callers);
    tcase_add_test(t, runs_are_started_and_waited_for_later);
    tcase_add_test(t, a_check_fails_when_it_is_waited_for);
    tcase_add_test(t, jobs_in_flight_fail_each_by_itself);
    tcase_add_test(t, runs_are_bounded_and_watched);
    tcase_add_test(t, arguments_are_checked);
    tcase_add_test(t, shapes_are_checked);
    tcase_add_test(t, a_program_that_is_refused);
    tcase_add_test(t, a_result_overwrites_its_argument);
    tcase_add_test(t, an_overwritten_argument_is_alone);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
