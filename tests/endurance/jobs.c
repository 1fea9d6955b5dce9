/* jobs DEVICE N: N runs are started one after the other, each with the result of the one before;
 * buffers and jobs are given back in every way that there is, and somebody waits now and then.
 * Neither the context nor the process may grow with N. */
#include "tests/endurance/world.h"

enum { ELEMENTS = 1 << 18, WAIT = 50, SLACK = 1000 };

static fcl_job *start(fcl_context *cx, fcl_program *p, fcl_buffer *from, fcl_buffer **to)
{
    *to = NULL;
    fcl_job *j = fcl_program_start(p, &(fcl_argument){.buffer = from}, 1, to, 1);
    expect(cx, j, "a run is not started");
    return j;
}

/* One round of runs; returns the last buffer. */
static fcl_buffer *chain(fcl_context *cx, fcl_program *p, fcl_buffer *now, int length)
{
    for (int i = 0; i < length; i++) {
        fcl_buffer *next;
        fcl_job *j = start(cx, p, now, &next);
        if (i % WAIT == WAIT - 1)
            expect(cx, fcl_job_wait(j), "a run fails");
        if (i % 3 == 1)
            fcl_buffer_destroy(now);
        else
            fcl_program_reuse(p, now);
        fcl_job_destroy(j);
        now = next;
    }
    return now;
}

static fcl_buffer *first(fcl_context *cx, fcl_device *d, int32_t *xs)
{
    fcl_buffer *b = fcl_buffer_create(d, FCL_I32, 1, (uint64_t[]){ELEMENTS});
    for (int i = 0; i < ELEMENTS; i++)
        xs[i] = i + 1;
    expect(cx, b && fcl_buffer_write(b, xs), "no buffer");
    return b;
}

int main(int argc, char **argv)
{
    static int32_t xs[ELEMENTS];
    int n = argc == 3 ? atoi(argv[2]) : 0;
    fcl_context *cx = fcl_context_create(count_realloc, NULL);
    fcl_device *d = fcl_device_open(cx, argc == 3 ? argv[1] : NULL);
    expect(cx, d, "no device");
    fcl_module *m = load_scale(cx, 0, -1);
    fcl_program *p = m ? fcl_program_create(m, NULL, d, NULL) : NULL;
    expect(cx, p, "no program");
    fcl_buffer *b = chain(cx, p, first(cx, d, xs), n / 2);
    expect(cx, fcl_buffer_read(b, xs), "a result is not there");
    size_t early = held;
    long early_resident = resident();
    b = chain(cx, p, b, n - n / 2);
    expect(cx, fcl_buffer_read(b, xs), "a result is not there");
    expect_flat("bytes of the context", early, held, SLACK);
    expect_flat("KiB of the process", (size_t)early_resident, (size_t)resident(), RESIDENT);
    for (int i = 0; i < ELEMENTS; i++)
        expect(cx, xs[i] == (n % 2 ? -i - 1 : i + 1), "a result is wrong");
    printf("%d runs: %zu bytes, %ld KiB, %ld more than half-way\n", n, held, resident(),
           resident() - early_resident);
    fcl_buffer_destroy(b);
    fcl_program_destroy(p);
    fcl_module_destroy(m);
    fcl_device_close(d);
    fcl_context_destroy(cx);
    expect_flat("bytes at the end", 0, held, 0);
    return 0;
}
