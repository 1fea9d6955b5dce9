/* The `// expect:` lines of tests/defects, run by the simulator: with blocks, groups, ways of
 * exchange and subsets of the kernel passes drawn at random, each kernel must give what the
 * evaluator gives, without races and in bounds.
 *
 * Taken are the lines whose arguments are integers, bools, `iota:N` and lists of integers. */
#include "tests/unit/share.h"
#include "tests/unit/simulated.h"

#include "ir/kernel/lower/lower.h"

static const char *const files[] = {
    "tests/defects/corners.fclir",    "tests/defects/defects.fclir",
    "tests/defects/accumulate.fclir", "tests/defects/mapaccum.fclir",
    "tests/defects/branches.fclir",   "tests/defects/loops.fclir"};

#define LINE "\n// expect: "
enum { NUMBERS_MOST = 4096, RUNS = 16, PASSES_LENGTH = 256 };

/* ---- arguments ---- */

static void give(fcl_context *c, const leaf *l, const long *numbers, uint32_t n, host_array *a)
{
    *a = (host_array){.type = l->type, .rank = l->rank, .dims = {n}};
    ck_assert(host_alloc(&c->mem, a));
    for (uint32_t i = 0; i < (l->rank ? n : 1); i++)
        host_set(a, i, scalar_from_double(l->type, (double)numbers[i]));
}

/* The numbers of a list, which ends with ]. */
static uint32_t list_numbers(const char *text, long *numbers)
{
    uint32_t n = 0;
    char *end;
    for (const char *at = text + 1; *at && *at != ']' && n < NUMBERS_MOST;
         at = end + (*end == ',')) {
        numbers[n++] = strtol(at, &end, 10);
        if (end == at || *end == '.')
            return NUMBERS_MOST;
    }
    return n;
}

/* One word as the leaf; false when it is of a kind that is not taken. */
static bool read_argument(fcl_context *c, const leaf *l, const char *word, host_array *a)
{
    static long numbers[NUMBERS_MOST];
    uint32_t n = 1;
    char *end = NULL;
    if (strncmp(word, "iota:", 5) == 0) {
        n = (uint32_t)strtoul(word + 5, &end, 10);
        for (uint32_t i = 0; i < n && i < NUMBERS_MOST; i++)
            numbers[i] = (long)i;
    } else if (word[0] == '[') {
        n = list_numbers(word, numbers);
    } else {
        numbers[0] = strcmp(word, "true") == 0    ? 1
                     : strcmp(word, "false") == 0 ? 0
                                                  : strtol(word, &end, 10);
        if (end && *end)
            return false;
    }
    if (n >= NUMBERS_MOST || l->rank > 1 || (l->rank == 0) != (word[0] != '[' && word[0] != 'i'))
        return false;
    give(c, l, numbers, n, a);
    return true;
}

/* The arguments in a line behind the entry's name; false, with none kept, when some are not taken.
 */
static bool read_arguments(job *j, char *line)
{
    uint32_t n = 0;
    bool ok = true;
    for (char *word = strtok(line, " "); word && ok; word = strtok(NULL, " ")) {
        ok = n < j->in.len && n < LEAVES_MOST &&
             read_argument(j->m->ir.cx, &j->in.at[n], word, &j->args[n]);
        n += ok;
    }
    ok = ok && n == j->in.len;
    for (uint32_t i = 0; i < n && !ok; i++)
        host_free(&j->m->ir.cx->mem, &j->args[i]);
    return ok;
}

/* ---- runs ---- */

/* All passes, or those of a random subset. */
static const char *some_passes(char *list)
{
    if (some(2))
        return NULL;
    list[0] = 0;
    for (uint32_t i = 0; i < pipeline_kernel_count(); i++)
        if (some(2) && strlen(list) + strlen(pipeline_kernel(i)->about.name) + 2 < PASSES_LENGTH)
            strcat(strcat(list, *list ? "," : ""), pipeline_kernel(i)->about.name);
    return list;
}

static bool run_line(fcl_module *m, char *line)
{
    char text[200], list[PASSES_LENGTH];
    snprintf(text, sizeof text, "%s", line);
    char *rest = strchr(line, ' ');
    if (rest)
        *rest++ = 0;
    job j = {.m = m, .f = face_kernel(m, line)};
    ck_assert(host_leaves_in(&m->ir, j.f, &j.in) && host_leaves_out(&m->ir, j.f, &j.out));
    bool taken = read_arguments(&j, rest ? rest : line + strlen(line));
    for (int i = 0; taken && i < share_of(RUNS); i++) {
        fcl_compile_options o = some_options();
        o.kernel_passes = some_passes(list);
        snprintf(j.what, sizeof j.what,
                 "SEED=%u %.60s block=%u groups=%u bits=%u %s%s passes=%.60s", first_seed, text,
                 o.block_size, o.groups, o.index_bits, o.exchange, o.in_phases ? " in phases" : "",
                 o.kernel_passes ? o.kernel_passes : "all");
        run_once(&j, false, &o);
    }
    if (!taken)
        j.in.len = 0;
    job_close(&j);
    return taken;
}

START_TEST(expected_lines)
{
    size_t size;
    uint32_t runs = 0;
    char *text = read_text(files[_i], &size);
    fcl_context *c = fcl_context_create(NULL, NULL);
    fcl_module *m = fcl_module_load(c, files[_i], text, size, NULL);
    ck_assert_msg(m && fcl_module_check(m), "%s: %s", files[_i], fcl_diagnostic_text(c, 0));
    start_seed();
    for (char *at = strstr(text, LINE), *end; at; at = strstr(end + 1, LINE)) {
        at += strlen(LINE);
        end = strstr(at, " =>");
        ck_assert_ptr_nonnull(end);
        *end = 0;
        runs += run_line(m, at);
    }
    ck_assert_uint_gt(runs, 0);
    fcl_module_destroy(m);
    fcl_context_destroy(c);
    free(text);
}
END_TEST

/* ---- many values ---- */

/* A state of n integers that each warp carries from round to round, and two ways for an if to make
 * the next one. */
static void write_carrying(mem *m, vec_char *t, uint32_t n)
{
    text_addf(m, t,
              "fcl 0.1\nkernel @carrying(%%xs: [int]) -> [int]<block> {\n%%ws = generate 3 { (%%w: "
              "int)\n");
    for (uint32_t i = 0; i < n; i++)
        text_addf(m, t, "%%z%u = add %%w, %u\n", i, i);
    text_addf(m, t, "%%z = tuple %%z0");
    for (uint32_t i = 1; i < n; i++)
        text_addf(m, t, ", %%z%u", i);
    text_addf(m, t, "\n%%r = mapaccum 4, 1, %%z { (%%i, %%s)\n%%x = index %%xs, %%i\n");
    for (uint32_t i = 0; i < n; i++)
        text_addf(m, t, "%%p%u = proj %%s, %u\n", i, i);
    text_addf(m, t, "%%c = lt %%p%u, %%x\n%%t = if %%c {\n", n - 1);
    for (uint32_t i = 0; i < n; i++)
        text_addf(m, t, "%%a%u = add %%p%u, %%x\n", i, (i + 1) % n);
    text_addf(m, t, "%%b = tuple %%a0");
    for (uint32_t i = 1; i < n; i++)
        text_addf(m, t, ", %%a%u", i);
    text_addf(m, t, "\nyield %%b\n} {\n%%b = tuple %%p%u", n - 1);
    for (uint32_t i = 1; i < n; i++)
        text_addf(m, t, ", %%p%u", i - 1);
    text_addf(m, t, "\nyield %%b\n}\n%%o = array %%p%u\n%%f = push<warp> %%o\n", n / 2);
    text_addf(m, t, "%%g = force %%f\n%%h = push<warp> %%g\n");
    text_addf(
        m, t,
        "%%y = tuple %%h, %%t\nyield %%y\n}\nyield %%r\n}\n%%o = concat 4, %%ws\nreturn %%o\n}\n");
}

START_TEST(many_carried_values)
{
    static const uint32_t counts[] = {2, 100, 318, 319, 320, 330, 1000};
    fcl_context *c = fcl_context_create(NULL, NULL);
    vec_char text = {0};
    write_carrying(&c->mem, &text, counts[_i]);
    fcl_module *m = fcl_module_load(c, "carrying", text_cstr(&c->mem, &text), text.len, NULL);
    ck_assert_msg(m && fcl_module_check(m), "%s", fcl_diagnostic_text(c, 0));
    start_seed();
    char line[] = "carrying [3,500,1,2000]";
    ck_assert(run_line(m, line));
    vec_free(&c->mem, &text);
    fcl_module_destroy(m);
    fcl_context_destroy(c);
}
END_TEST

Suite *defects_suite(void);
Suite *defects_suite(void)
{
    Suite *s = suite_create("defects");
    TCase *t = tcase_create("simulated");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, expected_lines, 0, sizeof files / sizeof *files);
    tcase_add_loop_test(t, many_carried_values, 0, 7);
    suite_add_tcase(s, t);
    return s;
}
