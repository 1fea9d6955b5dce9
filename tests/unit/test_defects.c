/* The `// expect:` lines of tests/defects, run by the simulator: with blocks, groups, ways of
 * exchange and subsets of the kernel passes drawn at random, each kernel must give what the
 * evaluator gives, without races and in bounds.
 *
 * Taken are the lines whose arguments are integers, bools, `iota:N` and lists of integers. */
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
    for (uint32_t i = 0; i < k_pass_count; i++)
        if (some(2) && strlen(list) + strlen(k_passes[i].name) + 2 < PASSES_LENGTH)
            strcat(strcat(list, *list ? "," : ""), k_passes[i].name);
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
    for (int i = 0; taken && i < RUNS; i++) {
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

Suite *defects_suite(void);
Suite *defects_suite(void)
{
    Suite *s = suite_create("defects");
    TCase *t = tcase_create("simulated");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, expected_lines, 0, sizeof files / sizeof *files);
    suite_add_tcase(s, t);
    return s;
}
