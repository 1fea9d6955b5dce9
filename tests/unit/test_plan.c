/* The plan interpreter on a device that is only pretended: memory is host memory, a launch adds 1
 * to its first array.
 */
#include "backends/run/device.h"
#include "ir/kernel/plan/make.h"
#include "tests/unit/kernel_world.h"

#include <stdlib.h>
#include <string.h>

typedef struct fake_memory {
    uint64_t bytes;
    unsigned char data[];
} fake_memory;

static uint32_t buffers, made, launches, timing, programs;
static bool finishes;
static uint64_t last_groups;

static void *fake_program(run_device *d, const run_code *code)
{
    (void)code;
    programs++;
    return d;
}

static void fake_leave(run_device *d, void *kept)
{
    ck_assert_ptr_eq(kept, d);
    programs--;
}

static void *fake_buffer(run_device *d, uint64_t bytes, const void *init)
{
    fake_memory *memory = calloc(1, sizeof *memory + bytes);
    (void)d;
    ck_assert_ptr_nonnull(memory);
    memory->bytes = bytes;
    if (init)
        memcpy(memory->data, init, bytes);
    buffers++;
    made++;
    return memory;
}

static void fake_release(run_device *d, void *memory)
{
    (void)d;
    free(memory);
    buffers--;
}

static bool fake_read(run_device *d, void *memory, uint64_t offset, uint64_t bytes, void *to)
{
    const fake_memory *from = memory;
    (void)d;
    ck_assert(offset + bytes <= from->bytes);
    memcpy(to, from->data + offset, bytes);
    return true;
}

static bool fake_write(run_device *d, void *memory, uint64_t bytes, const void *from)
{
    fake_memory *to = memory;
    (void)d;
    ck_assert(bytes <= to->bytes);
    memcpy(to->data, from, bytes);
    return true;
}

static bool fake_clear(run_device *d, void *memory, uint64_t bytes)
{
    static const unsigned char none[MOST_CLEARED];
    return fake_write(d, memory, bytes, none);
}

static bool fake_copy(run_device *d, void *from, void *to, uint64_t bytes)
{
    return fake_write(d, to, bytes, ((const fake_memory *)from)->data);
}

static bool fake_launch(run_device *d, void *code, const run_launch *l)
{
    (void)d, (void)code;
    launches++;
    last_groups = l->groups;
    for (uint32_t i = 0; i < l->nargs; i++) {
        fake_memory *memory = l->args[i].memory;
        if (l->args[i].kind != RUN_MEMORY)
            continue;
        for (uint64_t k = 0; k + 4 <= memory->bytes; k += 4)
            memory->data[k]++;
        break;
    }
    return true;
}

static bool fake_finish(run_device *d)
{
    (void)d;
    return finishes;
}

static bool fake_read_later(run_device *d, void *memory, uint64_t bytes, void *to)
{
    return fake_read(d, memory, 0, bytes, to);
}

static void *fake_mark(run_device *d)
{
    return d;
}

static bool fake_is_reached(run_device *d, void *mark)
{
    return d == mark;
}

static void fake_forget(run_device *d, void *mark)
{
    ck_assert(!mark || d == mark);
}

static bool fake_await(run_device *d, void *mark)
{
    return d == mark && finishes;
}

/* Every launch takes a microsecond, and the next starts a microsecond later. */
static bool fake_start_timing(run_device *d)
{
    (void)d;
    timing++;
    launches = 0;
    return true;
}

static bool fake_stop_timing(run_device *d, run_time *t)
{
    (void)d;
    timing--;
    if (t)
        *t =
            (run_time){.kernels = launches * 1000u, .span = launches ? launches * 2000u - 1000 : 0};
    return true;
}

static const run_ops fake_ops = {
    .program = fake_program,
    .leave = fake_leave,
    .buffer = fake_buffer,
    .release = fake_release,
    .read = fake_read,
    .write = fake_write,
    .clear = fake_clear,
    .copy = fake_copy,
    .launch = fake_launch,
    .finish = fake_finish,
    .read_later = fake_read_later,
    .mark = fake_mark,
    .flush = fake_finish,
    .is_reached = fake_is_reached,
    .await = fake_await,
    .forget = fake_forget,
    .start_timing = fake_start_timing,
    .stop_timing = fake_stop_timing,
};
static run_device device;
static plan made_plan;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&module, &cx));
    ck_assert(k_init(&program, &cx));
    program.name = intern_cstr(&cx.strings, "f");
    ck_assert(kb_init(&b, &program));
    device = (run_device){
        .ops = &fake_ops, .cx = &cx, .caps.facts = {.max_block = 256, .local_bytes = 1024}};
    buffers = made = launches = timing = programs = 0;
    finishes = true;
}

static void teardown(void)
{
    ck_assert_uint_eq(buffers, 0);
    ck_assert_uint_eq(timing, 0);
    ck_assert_uint_eq(programs, 0);
    plan_release(&made_plan);
    k_release(&program);
    ir_module_release(&module);
    context_release(&cx);
}

/* A launch that uses memory; what its kernel says does not matter here. */
static void add_launch(k_id memory, k_id groups, uint32_t threads)
{
    kb_open_launch(&b, LEVEL_GRID, groups, threads);
    k_id zero = kb_int(&b, 0);
    kb_store(&b, memory, zero, kb_load(&b, memory, zero));
    kb_close(&b, NULL, 0);
}

/* Of the program that was built; NULL with a diagnostic. */
static run_prepared *prepare(void)
{
    plan_release(&made_plan);
    return k_make_plan(&program, &made_plan) && plan_verify(&made_plan)
               ? run_prepare(&device, &made_plan, &(run_code){.at = "", .options = ""})
               : NULL;
}

static bool run_with(const host_array *args, uint32_t nargs, host_array *results, uint32_t nresults)
{
    run_prepared *r = prepare();
    bool ok = r && run_on_host(r, args, nargs, results, nresults, NULL);
    run_prepared_free(r);
    return ok;
}

static bool run_on(int32_t n, host_array *result)
{
    host_array arg = {.type = ST_I32, .data = &n};
    *result = (host_array){0};
    return run_with(&arg, 1, result, 1);
}

static void ck_refused(int32_t n, diag_code code)
{
    host_array result;
    ck_assert(!run_on(n, &result));
    ck_assert_ptr_null(result.data);
    ck_assert_uint_eq(cx.diags.all.len, 1);
    ck_assert_int_eq(cx.diags.all.at[0].code, code);
}

/* while (v < n) { launch; v = memory[0] }: launches until the device has counted up. */
static void build_counting_loop(void)
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id n = kb_arg(&b, 0, ST_I32), one = kb_int(&b, 1);
    k_id memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one), zero = kb_int(&b, 0);
    k_id loop = kb_open_while(&b, &zero, 1);
    k_id more = kb_lt(&b, kb_param(&b, loop, 0), n);
    kb_next_block(&b, &more, 1);
    add_launch(memory, one, 64);
    k_id seen = kb_load(&b, memory, zero);
    kb_close(&b, &seen, 1);
    kb_output(&b, 0, memory, &one, 1);
    finish();
}

START_TEST(counting_loop)
{
    host_array result;
    build_counting_loop();
    ck_assert(run_on(5, &result));
    ck_assert_uint_eq(launches, 5);
    ck_assert_uint_eq(host_count(&result), 1);
    ck_assert_int_eq((int)host_get(&result, 0), 5);
    host_free(&cx.mem, &result);
}
END_TEST

/* Carried values move all at once; an alloc in a loop takes the place of the one before. */
START_TEST(for_and_if)
{
    host_array result;
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id n = kb_arg(&b, 0, ST_I32), init[2] = {kb_int(&b, 3), kb_int(&b, 8)};
    k_id loop = kb_open_for(&b, kb_int(&b, 0), n, kb_int(&b, 1), init, 2);
    add_launch(kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_param(&b, loop, 1)), kb_param(&b, loop, 0),
               64);
    k_id swapped[2] = {kb_param(&b, loop, 2), kb_param(&b, loop, 1)};
    kb_close(&b, swapped, 2);
    k_id choice = kb_open_if(&b, kb_lt(&b, n, kb_int(&b, 2))), first = kb_result(&b, loop, 0),
         second = kb_result(&b, loop, 1);
    kb_next_block(&b, &first, 1);
    kb_close(&b, &second, 1);
    k_id size = kb_result(&b, choice, 0);
    kb_output(&b, 0, kb_alloc(&b, SPACE_GLOBAL, ST_I32, size), &size, 1);
    finish();
    ck_assert(run_on(3, &result));
    ck_assert_uint_eq(launches, 2); /* none for 0 groups */
    ck_assert_uint_eq(last_groups, 2);
    ck_assert_uint_eq(host_count(&result), 3);
    host_free(&cx.mem, &result);
}
END_TEST

/* n turns { launch on x; x and y change places }; both are results. */
START_TEST(memories_change_places)
{
    int32_t n = 3;
    host_array arg = {.type = ST_I32, .data = &n}, results[2] = {{0}};
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    add_out(ST_I32, 1);
    k_id one = kb_int(&b, 1), two = kb_int(&b, 2);
    k_id x = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one), y = kb_alloc(&b, SPACE_GLOBAL, ST_I32, two);
    kb_open_for(&b, kb_int(&b, 0), kb_arg(&b, 0, ST_I32), one, NULL, 0);
    add_launch(x, one, 64);
    kb_swap(&b, x, y);
    kb_close(&b, NULL, 0);
    kb_output(&b, 0, x, &two, 1);
    kb_output(&b, 1, y, &one, 1);
    finish();
    ck_assert(run_with(&arg, 1, results, 2));
    ck_assert_int_eq((int)host_get(&results[0], 1), 1); /* the second turn */
    ck_assert_int_eq((int)host_get(&results[1], 0), 2); /* the first and the third */
    host_free(&cx.mem, &results[0]);
    host_free(&cx.mem, &results[1]);
    n = 2; /* then x has room for one */
    ck_assert(!run_with(&arg, 1, results, 2));
    ck_assert_int_eq(cx.diags.all.at[0].code, DIAG_RUN_INDEX);
}
END_TEST

/* What changes places in each turn has an element more in each. */
START_TEST(memories_grow)
{
    host_array result;
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id n = kb_arg(&b, 0, ST_I32), one = kb_int(&b, 1);
    k_id x = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one), y = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one);
    k_id loop = kb_open_for(&b, kb_int(&b, 0), n, one, NULL, 0);
    kb_resize(&b, y, kb_add(&b, kb_param(&b, loop, 0), kb_int(&b, 2)));
    add_launch(y, one, 64);
    kb_swap(&b, x, y);
    kb_close(&b, NULL, 0);
    k_id size = kb_add(&b, n, one);
    kb_output(&b, 0, x, &size, 1);
    finish();
    ck_assert(run_on(5, &result));
    ck_assert_uint_eq(host_count(&result), 6);
    host_free(&cx.mem, &result);
}
END_TEST

static void build_sized(k_id (*size)(k_id n))
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id n = size(kb_arg(&b, 0, ST_I32));
    kb_output(&b, 0, kb_alloc(&b, SPACE_GLOBAL, ST_I32, n), &n, 1);
    finish();
}

static k_id same(k_id n)
{
    return n;
}

START_TEST(negative_size)
{
    build_sized(same);
    ck_refused(-1, DIAG_RUN_SIZE);
}
END_TEST

START_TEST(huge_size)
{
    build_sized(same);
    ck_refused(INT32_MAX, DIAG_RUN_SIZE);
}
END_TEST

START_TEST(empty_result)
{
    host_array result;
    build_sized(same);
    ck_assert(run_on(0, &result));
    ck_assert_uint_eq(host_count(&result), 0);
    host_free(&cx.mem, &result);
}
END_TEST

START_TEST(read_out_of_range)
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_int(&b, 4));
    k_id n = kb_load(&b, memory, kb_arg(&b, 0, ST_I32));
    kb_output(&b, 0, memory, &n, 1);
    finish();
    ck_refused(4, DIAG_RUN_INDEX);
}
END_TEST

START_TEST(local_limit)
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id one = kb_int(&b, 1), n = kb_arg(&b, 0, ST_I32),
         memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one);
    kb_open_launch(&b, LEVEL_GRID, one, 64);
    k_id fixed = kb_alloc(&b, SPACE_LOCAL, ST_I32, kb_int(&b, 64)),
         sized = kb_alloc(&b, SPACE_LOCAL, ST_I64, n);
    kb_store(&b, fixed, n, kb_convert(&b, ST_I32, kb_load(&b, sized, n)));
    kb_store(&b, memory, kb_int(&b, 0), kb_load(&b, fixed, n));
    kb_close(&b, NULL, 0);
    kb_output(&b, 0, memory, &one, 1);
    finish();
    host_array result;
    ck_assert(run_on(96, &result)); /* 256 + 768 bytes */
    host_free(&cx.mem, &result);
    ck_refused(97, DIAG_RUN_LOCAL);
    ck_assert_uint_eq(cx.diags.all.at[0].notes.len, 2);
}
END_TEST

START_TEST(block_limit)
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id one = kb_int(&b, 1), memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, one);
    add_launch(memory, one, 512);
    kb_output(&b, 0, memory, &one, 1);
    finish();
    ck_refused(1, DIAG_RUN_BLOCK);
}
END_TEST

START_TEST(no_doubles)
{
    add_in(ST_I32, 0);
    add_out(ST_F64, 1);
    k_id one = kb_int(&b, 1), memory = kb_alloc(&b, SPACE_GLOBAL, ST_F64, one);
    add_launch(memory, one, 64);
    kb_output(&b, 0, memory, &one, 1);
    finish();
    ck_refused(1, DIAG_RUN_F64);
    ck_assert_uint_eq(launches, 0);
}
END_TEST

START_TEST(wrong_arguments)
{
    build_sized(same);
    host_array arg = {.type = ST_F32, .data = &(float){1}}, result = {0};
    ck_assert(!run_with(&arg, 1, &result, 1));
    ck_assert(!run_with(&arg, 0, &result, 1));
    ck_assert(!run_with(&arg, 1, &result, 0));
    ck_assert_uint_eq(cx.diags.all.len, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(cx.diags.all.at[i].code, DIAG_RUN_ARGUMENTS);
}
END_TEST

/* ---- runs over arrays that stay on the device ---- */

/* Two memories: one of n + 1 elements in between, one of n for the result, each counted up by a
 * launch. */
static void build_two_memories(void)
{
    add_in(ST_I32, 0);
    add_out(ST_I32, 1);
    k_id n = kb_arg(&b, 0, ST_I32), one = kb_int(&b, 1);
    k_id between = kb_alloc(&b, SPACE_GLOBAL, ST_I32, kb_scalar(&b, SOP_ADD, n, one, 0));
    add_launch(between, one, 64);
    k_id last = kb_alloc(&b, SPACE_GLOBAL, ST_I32, n);
    add_launch(last, one, 64);
    kb_output(&b, 0, last, &n, 1);
    finish();
}

static run_array scalar_arg(int32_t *n)
{
    return (run_array){.shape = {.type = ST_I32, .data = n}};
}

static run_array ck_run(run_prepared *r, int32_t n)
{
    run_array arg = scalar_arg(&n), result = {.memory = NULL};
    ck_assert(run_execute(r, &arg, 1, &result, 1, NULL));
    ck_assert_ptr_nonnull(result.memory);
    ck_assert_uint_eq(host_count(&result.shape), (uint64_t)n);
    return result;
}

/* What is in between is free before the result is made, which takes its memory.  When results are
 * given back, runs of one size make no more memories than the first; for another
 * size, what does not fit is replaced, and what nobody used for a run goes. */
START_TEST(memory_is_used_again)
{
    build_two_memories();
    run_prepared *r = prepare();
    for (int i = 0; i < 5; i++) {
        run_array result = ck_run(r, 1000);
        run_give_back(r, &result);
        ck_assert_ptr_null(result.memory);
        ck_assert_uint_eq(made, 1);
    }
    run_array kept = ck_run(r, 1000); /* not given back: it is the caller's */
    ck_assert_uint_eq(made, 1);
    run_array other = ck_run(r, 1000);
    ck_assert_uint_eq(made, 2);
    ck_assert_ptr_ne(kept.memory, other.memory);
    run_array_free(&device, &kept);
    run_give_back(r, &other);
    for (int i = 0; i < 3; i++) {
        run_array small = ck_run(r, 10);
        run_give_back(r, &small);
        ck_assert_uint_eq(made, 3);
    }
    ck_assert_uint_eq(buffers, 1); /* those of 1000 elements are gone */
    run_prepared_free(r);
}
END_TEST

START_TEST(time_is_measured_when_asked_for)
{
    int32_t n = 5;
    run_array arg = scalar_arg(&n), result = {.memory = NULL};
    run_time t = {0};
    build_counting_loop();
    run_prepared *r = prepare();
    ck_assert(run_execute(r, &arg, 1, &result, 1, &t));
    ck_assert_uint_eq(t.kernels, 5000);
    ck_assert_uint_eq(t.span, 9000);
    run_give_back(r, &result);
    n = -1; /* no launch */
    ck_assert(run_execute(r, &arg, 1, &result, 1, &t));
    ck_assert_uint_eq(t.span, 0);
    run_array_free(&device, &result);
    run_prepared_free(r);
}
END_TEST

/* A run whose commands fail on the device has no results. */
START_TEST(a_failing_queue_fails_the_run)
{
    int32_t n = 3;
    run_array arg = scalar_arg(&n), result = {.memory = NULL};
    run_time t = {0};
    build_two_memories();
    run_prepared *r = prepare();
    finishes = false;
    ck_assert(!run_execute(r, &arg, 1, &result, 1, &t));
    ck_assert_ptr_null(result.memory);
    run_prepared_free(r);
}
END_TEST

/* An argument that is a result as well, and a memory that is two results: each is an array by
 * itself. */
START_TEST(results_do_not_share_memory)
{
    int32_t xs[] = {7, 8, 9};
    host_array arg = {.type = ST_I32, .rank = 1, .dims = {3}, .data = xs}, results[3] = {{0}};
    add_in(ST_I32, 1);
    for (int i = 0; i < 3; i++)
        add_out(ST_I32, 1);
    k_id buffer = kb_buffer(&b, 0, ST_I32), n = kb_int(&b, 3),
         memory = kb_alloc(&b, SPACE_GLOBAL, ST_I32, n);
    add_launch(memory, kb_int(&b, 1), 64);
    kb_output(&b, 0, buffer, &n, 1);
    kb_output(&b, 1, memory, &n, 1);
    kb_output(&b, 2, memory, &n, 1);
    finish();
    ck_assert(run_with(&arg, 1, results, 3));
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq((int)host_get(&results[0], i), xs[i]);
        ck_assert_int_eq((int)host_get(&results[1], i), 1);
        ck_assert_int_eq((int)host_get(&results[2], i), 1);
    }
    for (int i = 0; i < 3; i++)
        host_free(&cx.mem, &results[i]);
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

/* Each allocation of a run fails once: the run says so, and gives back what it held (see teardown).
 */
START_TEST(memory_runs_out)
{
    mem kept = cx.mem;
    host_array result;
    bool done = false;
    build_counting_loop();
    for (size_t n = 0; n < 100 && !done; n++) {
        calls_left = n;
        real = kept.fn;
        cx.mem.fn = failing;
        done = run_on(3, &result);
        cx.mem = kept;
        ck_assert(done || !result.data);
    }
    ck_assert(done);
    host_free(&cx.mem, &result);
}
END_TEST

Suite *plan_suite(void)
{
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, counting_loop);
    tcase_add_test(t, for_and_if);
    tcase_add_test(t, memories_change_places);
    tcase_add_test(t, memories_grow);
    tcase_add_test(t, negative_size);
    tcase_add_test(t, huge_size);
    tcase_add_test(t, empty_result);
    tcase_add_test(t, read_out_of_range);
    tcase_add_test(t, local_limit);
    tcase_add_test(t, block_limit);
    tcase_add_test(t, no_doubles);
    tcase_add_test(t, wrong_arguments);
    tcase_add_test(t, memory_is_used_again);
    tcase_add_test(t, time_is_measured_when_asked_for);
    tcase_add_test(t, a_failing_queue_fails_the_run);
    tcase_add_test(t, results_do_not_share_memory);
    tcase_add_test(t, memory_runs_out);
    suite_add_tcase(s, t);
    return s;
}
