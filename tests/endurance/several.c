/* several NAME...: several devices in one process, two of each in one context and one more in
 * another: they work in turns, and with the results of others only through the host. Runs that do
 * not end are cancelled from another thread, and by what is called as they go on; devices work
 * afterwards. */
#include "tests/endurance/world.h"

#include <pthread.h>
#include <time.h>

enum { MOST = 16, ELEMENTS = 1000, ROUNDS = 5 };

typedef struct place {
    fcl_context *cx;
    fcl_device *d;
    fcl_module *m;
    fcl_program *p;
    fcl_buffer *xs;
    int number;
} place;

static place open_place(fcl_context *cx, const char *name, int number)
{
    place at = {.cx = cx, .d = fcl_device_open(cx, name), .m = load_scale(cx, 0, number)};
    expect(cx, at.d && at.m, name);
    at.p = fcl_program_create(at.m, NULL, at.d, NULL);
    at.xs = fcl_buffer_create(at.d, FCL_I32, 1, (uint64_t[]){ELEMENTS});
    at.number = number;
    expect(cx, at.p && at.xs, name);
    return at;
}

static void close_place(place *at)
{
    fcl_buffer_destroy(at->xs);
    fcl_program_destroy(at->p);
    fcl_module_destroy(at->m);
    fcl_device_close(at->d);
}

/* Each multiplies what the one before has made. */
static void work_in_turns(place *places, int n)
{
    int32_t xs[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        xs[i] = i;
    uint32_t factor = 1;
    for (int i = 0; i < n * ROUNDS; i++) {
        place *at = &places[i % n];
        fcl_buffer *ys = NULL;
        bool ok = fcl_buffer_write(at->xs, xs) &&
                  fcl_program_run(at->p, &(fcl_argument){.buffer = at->xs}, 1, &ys, 1) &&
                  fcl_buffer_read(ys, xs);
        expect(at->cx, ok, "a run fails");
        fcl_buffer_destroy(ys);
        factor *= (uint32_t)at->number;
    }
    for (uint32_t i = 0; i < ELEMENTS; i++)
        expect(NULL, (uint32_t)xs[i] == i * factor, "a result is wrong");
}

/* What is on one device is none of another's. */
static void refuse_the_other(place *a, place *b)
{
    fcl_buffer *ys = NULL;
    bool ok = fcl_program_run(a->p, &(fcl_argument){.buffer = b->xs}, 1, &ys, 1);
    expect(a->cx, !ok && fcl_diagnostic_count(a->cx) == 1, "another device's buffer is accepted");
    fcl_diagnostics_clear(a->cx);
}

/* ---- runs that do not end ---- */

/* Counts down from its argument, for ever where it begins below 0. */
static const char counting[] =
    "fcl 0.1\nkernel @k(%x: int) -> [int]<grid> {\n"
    "  %a = array %x\n  %p = push<grid> %a\n"
    "  %w = while %p { (%s) %i = index %s, 0 %c = ne %i, 0 yield %c } {\n"
    "    (%s) %t = map %s { (%v) %n = sub %v, 1 %m = max %n, -1 yield %m } %q = push<grid> %t\n"
    "    yield %q }\n"
    "  %r = push<grid> %w\n  return %r\n}\n";

static bool counts_from(fcl_module *m, fcl_device *d, const fcl_run_options *how, fcl_context *cx,
                        int32_t x)
{
    fcl_array arg = {.type = FCL_I32, .data = &x}, result = {0};
    bool ok = fcl_run(m, NULL, d, how, &arg, 1, &result, 1);
    expect(cx, ok == (result.data != NULL), "a failed run has results");
    fcl_results_free(cx, &result, 1);
    return ok;
}

static void expect_cancelled(fcl_context *cx)
{
    fcl_diagnostic d = {0};
    bool ok = fcl_diagnostic_get(cx, 0, &d, sizeof d) && d.code == 910;
    expect(cx, ok, "not cancelled:");
    fcl_diagnostics_clear(cx);
}

static void *cancel_soon(void *cx)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    fcl_cancel(cx);
    return NULL;
}

static bool until_the_fifth(void *user, uint64_t launches)
{
    *(uint64_t *)user += 1;
    return launches < 5;
}

static void cancel_on(const char *name)
{
    uint64_t calls = 0;
    fcl_run_options watched = {.size = sizeof watched, .progress = until_the_fifth, .user = &calls};
    fcl_context *cx = fcl_context_create(NULL, NULL);
    fcl_device *d = fcl_device_open(cx, name);
    fcl_module *m = fcl_module_load(cx, "counting", counting, sizeof counting - 1, NULL);
    pthread_t other;
    expect(cx, d && m && counts_from(m, d, NULL, cx, 3), name);
    pthread_create(&other, NULL, cancel_soon, cx);
    expect(cx, !counts_from(m, d, NULL, cx, -1), "a run without an end ends");
    pthread_join(other, NULL);
    expect_cancelled(cx);
    expect(cx, counts_from(m, d, NULL, cx, 3), "nothing runs after cancelling");
    if (strcmp(name, "interp") != 0) {
        expect(cx, !counts_from(m, d, &watched, cx, -1), "a run goes on that was ended");
        expect(cx, calls == 5, "it was asked too often");
        expect_cancelled(cx);
        expect(cx, counts_from(m, d, NULL, cx, 3), "nothing runs after cancelling");
    }
    fcl_module_destroy(m);
    fcl_device_close(d);
    fcl_context_destroy(cx);
}

int main(int argc, char **argv)
{
    fcl_context *first = fcl_context_create(NULL, NULL), *second = fcl_context_create(NULL, NULL);
    place places[MOST];
    int n = 0;
    for (int i = 1; i < argc && n + 3 <= MOST; i++) {
        places[n] = open_place(first, argv[i], n + 3), n++;
        places[n] = open_place(first, argv[i], n + 3), n++;
        places[n] = open_place(second, argv[i], n + 3), n++;
    }
    work_in_turns(places, n);
    for (int i = 0; i + 3 < n; i += 3)
        refuse_the_other(&places[i], &places[i + 3]);
    if (n)
        refuse_the_other(&places[0], &places[1]);
    for (int i = 0; i < n; i++)
        close_place(&places[i]);
    fcl_context_destroy(second);
    fcl_context_destroy(first);
    for (int i = 1; i < argc; i++)
        cancel_on(argv[i]);
    return 0;
}
