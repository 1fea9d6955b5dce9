/* Cells that stay in memory between runs, and are zeros whenever one begins: runs follow one
 * another without waiting, by two programs and in two queues in turns, and after runs that failed
 * in a kernel or were ended between launches.  On every device that runs kernels. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *cells_suite(void);

/* Sums of the elements at the positions of %at, each in the cell that it names: by comparing, and
 * by steps of the device where the host chooses between two launches. */
static const char text[] = "fcl 0.5\n"
                           "import \"prelude\"\n"
                           "fun @found(%xs: [int], %at: [int]) -> [int] {\n"
                           "  %n = length %at\n"
                           "  %ys = generate %n { (%i: int)\n"
                           "    %j = index %at, %i\n"
                           "    %x = index %xs, %j\n"
                           "    yield %x\n"
                           "  }\n"
                           "  return %ys\n"
                           "}\n"
                           "fun @added(%p: [int]<grid>) -> [int]<grid> {\n"
                           "  %zeros = call @replicate(67, 0)\n"
                           "  %sums = accumulate %zeros, %p { (%x: int)\n"
                           "    %cell = mod %x, 67\n"
                           "    %t = tuple %cell, %x\n"
                           "    yield %t\n"
                           "  } { (%x: int, %y: int)\n"
                           "    %z = add %x, %y\n"
                           "    yield %z\n"
                           "  }\n"
                           "  %q = push<grid> %sums\n"
                           "  return %q\n"
                           "}\n"
                           "kernel @compared(%xs: [int], %at: [int]) -> [int]<grid> {\n"
                           "  %ys = call @found(%xs, %at)\n"
                           "  %p = push<grid> %ys\n"
                           "  %zeros = call @replicate(67, 0.0f32)\n"
                           "  %sums = accumulate %zeros, %p { (%x: int)\n"
                           "    %cell = mod %x, 67\n"
                           "    %v = convert<f32> %x\n"
                           "    %t = tuple %cell, %v\n"
                           "    yield %t\n"
                           "  } { (%x: f32, %y: f32)\n"
                           "    %z = add %x, %y\n"
                           "    yield %z\n"
                           "  }\n"
                           "  %whole = map %sums { (%s: f32)\n"
                           "    %i = convert<int> %s\n"
                           "    yield %i\n"
                           "  }\n"
                           "  %q = push<grid> %whole\n"
                           "  return %q\n"
                           "}\n"
                           "kernel @chosen(%xs: [int], %at: [int]) -> [int]<grid> {\n"
                           "  %ys = call @found(%xs, %at)\n"
                           "  %n = length %at\n"
                           "  %few = lt %n, 200\n"
                           "  %p = if %few {\n"
                           "    %a = push<grid> %ys\n"
                           "    yield %a\n"
                           "  } {\n"
                           "    %turned = call @reverse(%ys)\n"
                           "    %b = push<grid> %turned\n"
                           "    yield %b\n"
                           "  }\n"
                           "  %q = call @added(%p)\n"
                           "  return %q\n"
                           "}\n";

/* What is in the cells is taken by the last group, or by a launch of its own. */
static const struct {
    const char *entry, *tuning;
} ways[] = {{"chosen", "JoinBytes=0"},
            {"chosen", "JoinBytes=65536,JoinGroups=0"},
            {"compared", "JoinBytes=0"}};

enum {
    BLOCK = 32,
    MOST = 50 * BLOCK,
    CELLS = 67,
    AT_ONCE = 12,
    ROUNDS = 4,
    PROGRAMS = 2,
    QUEUES = 2
};

/* Of the same device: each has its own. */
typedef struct queue {
    fcl_device *d;
    fcl_program *p[PROGRAMS];
    fcl_buffer *xs;
} queue;

typedef struct counting {
    fcl_context *cx;
    fcl_module *m;
    queue queues[QUEUES];
    bool ends; /* the next run, behind its first launch */
    int32_t values[MOST];
} counting;

typedef struct run {
    size_t n, first;
    bool fails;
    fcl_buffer *at, *cells;
    fcl_job *job;
} run;

static bool goes_on(void *user, uint64_t launches)
{
    const counting *s = user;
    return !s->ends || launches < 1;
}

static void begin_queue(counting *s, queue *q, const char *device, const char *entry,
                        const fcl_run_options *r)
{
    q->d = fcl_device_open(s->cx, device);
    expect_silence(s->cx);
    for (size_t i = 0; i < PROGRAMS; i++)
        q->p[i] = fcl_program_create(s->m, entry, q->d, r);
    q->xs = fcl_buffer_create(q->d, FCL_I32, 1, (uint64_t[]){MOST});
    expect_silence(s->cx);
    ck_assert(fcl_buffer_write(q->xs, s->values));
}

static void begin(counting *s, const char *device, const char *entry, const char *tuning)
{
    fcl_compile_options o = {
        .size = sizeof o, .block_size = BLOCK, .join_launches = 1, .tuning = tuning};
    fcl_run_options r = {.size = sizeof r, .compile = &o, .progress = goes_on, .user = s};
    s->m = load(s->cx, text);
    s->ends = false;
    for (size_t i = 0; i < MOST; i++)
        s->values[i] = rand() % 1000;
    for (size_t i = 0; i < QUEUES; i++)
        begin_queue(s, &s->queues[i], device, entry, &r);
}

static void end(counting *s)
{
    for (queue *q = s->queues; q < s->queues + QUEUES; q++) {
        fcl_buffer_destroy(q->xs);
        for (size_t i = 0; i < PROGRAMS; i++)
            fcl_program_destroy(q->p[i]);
        fcl_device_close(q->d);
    }
    fcl_module_destroy(s->m);
}

/* Of n elements, from another one on in each run; wrong: at that number a position that is outside.
 */
static void positions(const queue *q, run *r, size_t wrong)
{
    int32_t *at = malloc((r->n + 1) * sizeof *at);
    r->first = (size_t)rand() % MOST;
    r->fails = wrong < r->n;
    r->at = fcl_buffer_create(q->d, FCL_I32, 1, (uint64_t[]){r->n});
    for (size_t i = 0; i < r->n; i++)
        at[i] = i == wrong ? MOST : (int32_t)((i + r->first) % MOST);
    ck_assert(r->at && fcl_buffer_write(r->at, at));
    free(at);
}

static run started(const queue *q, fcl_program *p, size_t n, size_t wrong)
{
    run r = {.n = n};
    positions(q, &r, wrong);
    r.job =
        fcl_program_start(p, (fcl_argument[]){{.buffer = q->xs}, {.buffer = r.at}}, 2, &r.cells, 1);
    ck_assert_ptr_nonnull(r.job);
    return r;
}

static void expect_cells(const counting *s, const run *r)
{
    int32_t cells[CELLS], want[CELLS] = {0};
    ck_assert(fcl_buffer_read(r->cells, cells));
    for (size_t i = 0; i < r->n; i++) {
        int32_t x = s->values[(i + r->first) % MOST];
        want[x % CELLS] += x;
    }
    for (size_t i = 0; i < CELLS; i++)
        ck_assert_msg(cells[i] == want[i], "cell %zu of %zu elements is %d, not %d", i, r->n,
                      cells[i], want[i]);
}

static void ended(counting *s, run r)
{
    ck_assert(fcl_job_wait(r.job) == !r.fails);
    if (!r.fails)
        expect_cells(s, &r);
    ck_assert_uint_eq(fcl_diagnostic_count(s->cx), r.fails);
    fcl_diagnostics_clear(s->cx);
    fcl_job_destroy(r.job);
    fcl_buffer_destroy(r.cells);
    fcl_buffer_destroy(r.at);
}

/* One after the other, in queues beside one another; the one in the middle fails, and the last. */
static void run_some(counting *s)
{
    run runs[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        size_t n = (size_t)rand() % (i % 3 ? MOST : 2 * BLOCK);
        bool fails = i == AT_ONCE / 2 || i == AT_ONCE - 1;
        const queue *q = &s->queues[rand() % QUEUES];
        runs[i] = started(q, q->p[rand() % PROGRAMS], n + fails, fails ? n / 2 : MOST);
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        ended(s, runs[i]);
}

/* What was launched leaves something in the cells where another launch was to take it. */
static void run_half(counting *s)
{
    run r = {.n = MOST};
    const queue *q = &s->queues[rand() % QUEUES];
    positions(q, &r, MOST);
    s->ends = true;
    ck_assert(!fcl_program_run(q->p[0], (fcl_argument[]){{.buffer = q->xs}, {.buffer = r.at}}, 2,
                               &r.cells, 1));
    s->ends = false;
    expect_code(s->cx, 910);
    fcl_buffer_destroy(r.at);
    ended(s, started(q, q->p[0], MOST, MOST));
}

static void run_all(counting *s, const char *device)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        begin(s, device, ways[i].entry, ways[i].tuning);
        for (size_t k = 0; k < ROUNDS; k++) {
            run_some(s);
            run_half(s);
        }
        end(s);
    }
}

START_TEST(runs_follow_one_another)
{
    counting *s = malloc(sizeof *s);
    s->cx = new_context();
    for (size_t i = 0; i < fcl_device_count(s->cx); i++)
        if (strcmp(fcl_device_name(s->cx, i), "interp") != 0)
            run_all(s, fcl_device_name(s->cx, i));
    fcl_context_destroy(s->cx);
    free(s);
}
END_TEST

Suite *cells_suite(void)
{
    Suite *s = suite_create("cells");
    TCase *t = tcase_create("cells");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, runs_follow_one_another);
    suite_add_tcase(s, t);
    return s;
}
