/* Warps whose lanes exchange registers: the programs of tests/warp/warps.fclir, compiled for
 * shuffles and for local memory, run by the simulator, must give what the evaluator gives, without
 * races and with all lanes at every shuffle.
 */
#include "tests/unit/share.h"
#include "tests/unit/simulated.h"

/* ---- whole programs ---- */

/* The kernel on arrays of n elements, compiled in several ways. */
static void run_kernel(fcl_module *m, const char *entry, uint64_t n)
{
    const uint64_t dims[MAX_RANK] = {n, n, n, n};
    job j = job_open(m, entry, dims);
    for (int k = 0; k < share_of(6); k++) {
        fcl_compile_options o = some_options();
        describe(&j, entry, dims, &o);
        run_once(&j, n == 0, &o);
    }
    job_close(&j);
}

/* Every kernel of a module, with arrays of some of several lengths. */
static void run_module(fcl_context *c, const char *name, const char *text, size_t size)
{
    fcl_module *m = fcl_module_load(c, name, text, size, NULL);
    ck_assert_msg(m && fcl_module_check(m), "SEED=%u %s: %s", first_seed, name,
                  fcl_diagnostic_text(c, 0));
    for (size_t i = 0; i < fcl_kernel_count(m); i++) {
        const uint64_t sizes[] = {0, 1 + some(31), 32, 33 + some(200), 250 + some(500)};
        uint32_t all = sizeof sizes / sizeof *sizes, first = some(all);
        for (uint32_t k = 0; k < (uint32_t)share_of((int)all); k++)
            run_kernel(m, fcl_kernel_name(m, i), sizes[(first + k) % all]);
    }
    fcl_module_destroy(m);
}

static void run_file(const char *name)
{
    size_t size;
    char *text = read_text(name, &size);
    fcl_context *c = fcl_context_create(NULL, NULL);
    start_seed();
    run_module(c, name, text, size);
    fcl_context_destroy(c);
    free(text);
}

START_TEST(programs_of_warps)
{
    run_file("tests/warp/warps.fclir");
}
END_TEST

START_TEST(examples)
{
    run_file("docs/examples/levels.fclir");
    run_file("docs/examples/reduce.fclir");
    run_file("docs/examples/scan.fclir");
    run_file("docs/examples/scan_chained.fclir");
    run_file("tests/defects/chain.fclir");
}
END_TEST

/* ---- random steps of a warp's loop ---- */

typedef struct writing {
    mem *m;
    vec_char text;
    uint32_t values; /* names so far: %v1, %v2, ... */
} writing;

static uint32_t expression(writing *w, uint32_t depth);

/* A value from two others, an element of the warp's array or of the whole, or one of the numbers at
 * hand. */
static uint32_t simple(writing *w, uint32_t depth)
{
    static const char *const ops[] = {"add", "sub", "mul", "min", "max", "xor"},
                             *const numbers[] = {"%i", "%k", "%n", "7"};
    if (depth == 0 || some(5) == 0) {
        text_addf(w->m, &w->text, "%%v%u = add %s, 0\n", w->values + 1, numbers[some(4)]);
        return ++w->values;
    }
    uint32_t x = expression(w, depth - 1), v = ++w->values;
    if (some(2)) {
        bool own = some(4) == 0, far = some(4) == 0;
        text_addf(w->m, &w->text, "%%a%u = mod %%v%u, %s\n", v, x, far ? "%many" : "%n");
        if (own)
            text_addf(w->m, &w->text, "%%v%u = index %%ys, %%i\n", v);
        else
            text_addf(w->m, &w->text, "%%v%u = index %s, %%a%u\n", v, far ? "%all" : "%ys", v);
        return v;
    }
    uint32_t y = expression(w, depth - 1);
    v = ++w->values;
    text_addf(w->m, &w->text, "%%v%u = %s %%v%u, %%v%u\n", v, ops[some(6)], x, y);
    return v;
}

static uint32_t branch(writing *w, uint32_t depth)
{
    uint32_t x = expression(w, depth - 1), y = expression(w, depth - 1), v = ++w->values;
    text_addf(w->m, &w->text, "%%c%u = lt %%v%u, %%v%u\n%%v%u = if %%c%u {\n", v, x, y, v, v);
    text_addf(w->m, &w->text, "yield %%v%u\n} {\n", expression(w, depth - 1));
    text_addf(w->m, &w->text, "yield %%v%u\n}\n", expression(w, depth - 1));
    return v;
}

/* A thread's loop: of as many turns in all lanes, or not. */
static uint32_t loop(writing *w, uint32_t depth)
{
    uint32_t x = expression(w, depth - 1), y = expression(w, depth - 1), v = ++w->values;
    text_addf(w->m, &w->text, "%%b%u = array %%v%u\n%%p%u = push<thread> %%b%u\n", v, x, v, v);
    if (some(2))
        text_addf(w->m, &w->text, "%%t%u = mod %%v%u, 4\n", v, y);
    else
        text_addf(w->m, &w->text, "%%t%u = mod %%%s, 5\n", v, some(2) ? "k" : "n");
    text_addf(w->m, &w->text, "%%e%u = repeat %%t%u, %%p%u { (%%r%u: int, %%o%u: [int])\n", v, v, v,
              v, v);
    uint32_t z = expression(w, depth - 1);
    text_addf(w->m, &w->text,
              "%%l%u = index %%o%u, 0\n%%m%u = mul %%l%u, 3\n%%s%u = add %%m%u, %%r%u\n", v, v, v,
              v, v, v, v);
    text_addf(w->m, &w->text,
              "%%u%u = xor %%s%u, %%v%u\n%%d%u = array %%u%u\n%%q%u = push<thread> %%d%u\nyield "
              "%%q%u\n}\n",
              v, v, z, v, v, v, v, v);
    text_addf(w->m, &w->text, "%%v%u = index %%e%u, 0\n", v, v);
    return v;
}

static uint32_t expression(writing *w, uint32_t depth)
{
    uint32_t form = depth ? some(6) : 0;
    return form == 5 ? loop(w, depth) : form == 4 ? branch(w, depth) : simple(w, depth);
}

static void random_program(writing *w)
{
    static const char *const parts[][2] = {{"32", "64"}, {"30", "90"}, {"7", "28"}};
    const char *const *sizes = parts[some(3)];
    text_addf(w->m, &w->text,
              "fcl 0.1\nimport \"prelude\"\n"
              "kernel @random(%%all: [int]) -> [int]<grid> {\n%%many = length %%all\n"
              "%%blocks = call @splitUp(%s, %%all)\n%%done = map %%blocks { (%%block: [int])\n"
              "%%warps = call @splitUp(%s, %%block)\n%%parts = map %%warps { (%%part: [int])\n"
              "%%first = push<warp> %%part\n%%end = repeat %u, %%first { (%%k: int, %%ys: [int])\n"
              "%%n = length %%ys\n%%next = generate %%n { (%%i: int)\n",
              sizes[1], sizes[0], 1 + some(3));
    text_addf(w->m, &w->text, "yield %%v%u\n}\n", expression(w, 4));
    text_addf(
        w->m, &w->text,
        "%%step = push<warp> %%next\nyield %%step\n}\n%%last = push<warp> %%end\nyield %%last\n}\n"
        "%%joined = concat %s, %%parts\nyield %%joined\n}\n%%r = concat %s, %%done\nreturn "
        "%%r\n}\n",
        sizes[0], sizes[1]);
}

START_TEST(random_programs)
{
    start_seed();
    for (int i = 0; i < share_of(25); i++) {
        fcl_context *c = fcl_context_create(NULL, NULL);
        writing w = {.m = &c->mem};
        random_program(&w);
        run_module(c, "random", text_cstr(w.m, &w.text), w.text.len);
        vec_free(w.m, &w.text);
        fcl_context_destroy(c);
    }
}
END_TEST
Suite *warp_suite(void);

Suite *warp_suite(void)
{
    Suite *s = suite_create("warp");
    TCase *programs = tcase_create("programs");
    tcase_set_timeout(programs, 300);
    tcase_add_test(programs, programs_of_warps);
    tcase_add_test(programs, examples);
    tcase_add_test(programs, random_programs);
    suite_add_tcase(s, programs);
    return s;
}
