/* loads DEVICE N: N programs with names of their own go through one context and one device: loaded,
 * checked, compiled, written and read, some of them wrong, some run. What they leave behind must
 * not grow with N, as the allocator and the system count it, when the context forgets now and then.
 */
#include "tests/endurance/world.h"

enum { ROUND = 25, SLACK = 1000, ELEMENTS = 5 };

/* The diagnostic names what is nowhere else. */
static void load_wrong(fcl_context *cx, int number)
{
    char text[200];
    int n = snprintf(text, sizeof text,
                     "fcl 0.1\nfun @wrong%d(%%x%d: int) -> int {\n  return %%nowhere%d\n}\n",
                     number, number, number);
    fcl_module *m = fcl_module_load(cx, "wrong", text, (size_t)n, NULL);
    expect(cx, !m && fcl_diagnostic_count(cx) == 1, "a wrong program is accepted");
    expect(cx, strstr(fcl_diagnostic_text(cx, 0), "return %nowhere"), "no line is shown");
    fcl_diagnostics_clear(cx);
}

static void load_source(fcl_context *cx, int number)
{
    char text[200];
    int n = snprintf(text, sizeof text,
                     "fun main%d xs%d = push <grid> (map (fn x%d => x%d * %d) (reverse xs%d))\n",
                     number, number, number, number, number, number);
    fcl_module *m = fcl_module_load(cx, "source.fcl", text, (size_t)n, NULL);
    expect(cx, m && fcl_module_check(m), "FCL source is refused");
    fcl_module_destroy(m);
}

/* To a file in memory and back. */
static void write_and_read(fcl_context *cx, fcl_module *m)
{
    size_t size = 0;
    fcl_artifact *a = fcl_compile(m, NULL);
    char *file = a ? fcl_artifact_save(a, &size) : NULL;
    expect(cx, file, "no artifact");
    fcl_artifact *again = fcl_artifact_load(cx, "again.fcla", file, size);
    expect(cx, again, "an artifact is refused");
    fcl_artifact_destroy(again);
    fcl_free(cx, file, size);
    fcl_artifact_destroy(a);
}

static void run(fcl_context *cx, fcl_program *p, int number)
{
    int32_t xs[ELEMENTS] = {0, 1, 2, 3, 4};
    fcl_array arg = {.type = FCL_I32, .rank = 1, .dims = {ELEMENTS}, .data = xs}, result = {0};
    expect(cx, fcl_program_run_host(p, &arg, 1, &result, 1), "a run fails");
    expect(cx, ((int32_t *)result.data)[4] == 4 * number, "a result is wrong");
    fcl_results_free(cx, &result, 1);
}

static void use(fcl_context *cx, fcl_device *d, int number)
{
    fcl_module *m = load_scale(cx, (unsigned)number, number);
    expect(cx, m, "a program is refused");
    fcl_program *p = fcl_program_create(m, NULL, d, NULL);
    expect(cx, p, "a program is not made");
    if (number % 10 == 0)
        run(cx, p, number);
    fcl_program_destroy(p);
    if (number % 10 == 1)
        write_and_read(cx, m);
    if (number % 10 == 2)
        load_wrong(cx, number);
    if (number % 10 == 3)
        load_source(cx, number);
    fcl_module_destroy(m);
}

int main(int argc, char **argv)
{
    int n = argc == 3 ? atoi(argv[2]) : 0;
    fcl_context *cx = fcl_context_create(count_realloc, NULL);
    fcl_device *d = fcl_device_open(cx, argc == 3 ? argv[1] : NULL);
    expect(cx, d, "no device");
    size_t early = 0;
    long early_resident = 0;
    for (int i = 0; i < n; i++) {
        use(cx, d, i);
        if ((i + 1) % ROUND == 0)
            expect(cx, fcl_context_forget(cx), "the context does not forget");
        if (i + 1 == n / 2 / ROUND * ROUND) {
            early = held;
            early_resident = resident();
        }
    }
    expect_flat("bytes of the context", early, held, SLACK);
    expect_flat("KiB of the process", (size_t)early_resident, (size_t)resident(), RESIDENT);
    printf("%d programs: %zu bytes, %ld KiB, %ld more than half-way\n", n, held, resident(),
           resident() - early_resident);
    fcl_device_close(d);
    fcl_context_destroy(cx);
    expect_flat("bytes at the end", 0, held, 0);
    return 0;
}
