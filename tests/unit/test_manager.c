/* The pass manager through the public interface, and what it does about passes that break programs,
 * which only the inside can plant. */
#include "libfcl/passes/passes.h"
#include "tests/unit/api_world.h"

static const char doubled[] = "fcl 0.1\n"
                              "kernel @doubled(%xs: [int]) -> [int]<grid> {\n"
                              "  %ys = map %xs { (%x: int)\n"
                              "    %y = add %x, %x\n"
                              "    yield %y\n"
                              "  }\n"
                              "  %p = push<grid> %ys\n"
                              "  return %p\n"
                              "}\n";

/* ---- the table ---- */

static bool pass_by_name(const char *name, fcl_pass_kind of, fcl_pass *out)
{
    for (size_t i = 0; fcl_pass_get(i, out, sizeof *out); i++)
        if (strcmp(out->name, name) == 0 && out->kind == of)
            return true;
    return false;
}

START_TEST(the_pipeline_keeps_the_contracts)
{
    const char *name, *why;
    fcl_pass_kind now = FCL_PASS_CORE;
    unsigned holds = 0;
    size_t i = 0;
    for (; (name = fcl_pipeline_step(i, &why)) != NULL; i++) {
        fcl_pass p;
        bool found = pass_by_name(name, now, &p) || pass_by_name(name, FCL_PASS_LOWERING, &p) ||
                     pass_by_name(name, FCL_PASS_EMISSION, &p);
        ck_assert_msg(found, "there is no pass %s", name);
        ck_assert_msg((p.requires & ~holds) == 0, "%s is not allowed there", name);
        ck_assert_msg(*why, "nobody says why %s stands there", name);
        holds = (holds & ~p.breaks) | p.establishes;
        now = p.kind == FCL_PASS_LOWERING ? FCL_PASS_KERNEL : now;
    }
    ck_assert_uint_gt(i, 10);
}
END_TEST

/* Every property is established by a pass, or no program could have it. */
START_TEST(properties_can_be_established)
{
    const char *meaning = "";
    for (size_t i = 0; fcl_pass_property(i, &meaning); i++) {
        fcl_pass p;
        unsigned made = 0;
        for (size_t k = 0; fcl_pass_get(k, &p, sizeof p); k++)
            made |= p.establishes;
        ck_assert_msg(made & 1u << i, "nothing makes a program %s", fcl_pass_property(i, NULL));
        ck_assert(*meaning);
    }
    ck_assert_ptr_null(fcl_pipeline_step(1000, NULL));
}
END_TEST

START_TEST(options_are_set_in_their_range)
{
    fcl_compile_options o = {0};
    ck_assert(fcl_compile_option_set(&o, "BlockSize", "64") && o.block_size == 64);
    ck_assert(!fcl_compile_option_set(&o, "BlockSize", "0"));
    ck_assert(!fcl_compile_option_set(&o, "BlockSize", "1025"));
    ck_assert(!fcl_compile_option_set(&o, "BlockSize", "6x"));
    ck_assert(!fcl_compile_option_set(&o, "BlockSize", "-1"));
    ck_assert(!fcl_compile_option_set(&o, "blocksize", "64"));
    ck_assert(fcl_compile_option_set(&o, "Exchange", "ptx") && strcmp(o.exchange, "ptx") == 0);
    ck_assert_uint_eq(o.block_size, 64);
}
END_TEST

/* ---- observers ---- */

typedef struct seen {
    fcl_context *cx;
    unsigned before, after, left_out;
    const char *refuse; /* a pass that is not to run */
} seen;

static bool see_before(void *user, const fcl_pass_event *e)
{
    seen *s = user;
    s->before++;
    ck_assert_uint_eq(e->number, s->before);
    bool wanted = !s->refuse || strcmp(s->refuse, e->pass->name) != 0;
    s->left_out += !wanted && !e->pass->needed;
    return wanted;
}

static void see_after(void *user, const fcl_pass_event *e)
{
    seen *s = user;
    size_t n = 0;
    s->after++;
    ck_assert(e->ok);
    char *text = fcl_pass_event_print(e, &n);
    ck_assert_ptr_nonnull(text);
    bool kernel = e->pass->kind != FCL_PASS_CORE;
    ck_assert_msg(strncmp(text, kernel ? "kernel-ir" : "fcl 0.1", 7) == 0, "after %s: %s", e->step,
                  text);
    fcl_free(s->cx, text, n);
}

static fcl_artifact *compile_seen(fcl_module *m, seen *s)
{
    fcl_pass_observer observer = {.before = see_before, .after = see_after, .user = s};
    fcl_compile_options o = {.observer = &observer};
    return fcl_compile(m, &o);
}

START_TEST(observers_see_every_pass)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    seen s = {.cx = cx};
    fcl_artifact *a = compile_seen(m, &s);
    expect_silence(cx);
    size_t steps = 0, n;
    while (fcl_pipeline_step(steps, NULL))
        steps++;
    ck_assert_uint_eq(s.before, steps);
    ck_assert_uint_eq(s.after, steps);
    fcl_artifact *plain = fcl_compile(m, NULL);
    ck_assert_str_eq(fcl_artifact_code(a, &n), fcl_artifact_code(plain, &n));
    fcl_artifact_destroy(plain);
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(observers_leave_out_what_is_not_needed)
{
    static const char *const names[] = {"widen", "simplify", "virtualise", "emit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, doubled);
        seen s = {.cx = cx, .refuse = names[i]};
        fcl_artifact *a = compile_seen(m, &s);
        expect_silence(cx);
        ck_assert_ptr_nonnull(a);
        ck_assert_uint_eq(s.left_out, i < 2);
        ck_assert_uint_eq(s.after + s.left_out, s.before);
        fcl_artifact_destroy(a);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
    }
}
END_TEST

/* ---- kernel programs ---- */

START_TEST(kernel_programs_come_and_go_as_text)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    fcl_kernels *k = NULL;
    ck_assert(fcl_passes_run(m, &k, "virtualise, dce, outline, legalise", NULL));
    expect_silence(cx);
    size_t n, again_n;
    char *text = fcl_kernels_print(k, &n);
    fcl_kernels *again = fcl_kernels_load(cx, "again", text, n);
    expect_silence(cx);
    ck_assert(fcl_kernels_verify(again));
    char *second = fcl_kernels_print(again, &again_n);
    ck_assert_str_eq(text, second);
    fcl_module_destroy(m); /* nothing points back into it */
    fcl_artifact *a = fcl_kernels_emit(k, NULL), *b = fcl_kernels_emit(again, NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(strstr(fcl_artifact_code(b, &n), "doubled"));
    ck_assert_str_eq(fcl_artifact_plan(a, &n), fcl_artifact_plan(b, &n));
    ck_assert_str_eq(fcl_artifact_kernel_ir(b, &n), second);
    fcl_free(cx, text, strlen(text));
    fcl_free(cx, second, again_n);
    fcl_artifact_destroy(a);
    fcl_artifact_destroy(b);
    fcl_context_destroy(cx);
}
END_TEST

/* Lowered programs need nothing of the module, whose memory is gone for the passes, the printer and
 * the emission. */
START_TEST(kernel_programs_outlive_their_module)
{
    static const char *const stages[] = {"check, lower", "virtualise", "virtualise, dce, outline"};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, doubled);
        fcl_kernels *k = NULL;
        size_t n;
        ck_assert(fcl_passes_run(m, &k, stages[i], NULL));
        fcl_module_destroy(m);
        char *text = fcl_kernels_print(k, &n);
        ck_assert_ptr_nonnull(strstr(text, "program @doubled(%xs: [int]) -> [int]"));
        fcl_free(cx, text, n);
        const char *rest = i ? "merge, simplify, dce, outline, legalise"
                             : "virtualise, simplify, outline, legalise";
        ck_assert(fcl_passes_run(NULL, &k, rest, NULL));
        ck_assert(fcl_kernels_verify(k));
        fcl_artifact *a = fcl_kernels_emit(k, NULL);
        expect_silence(cx);
        ck_assert_ptr_nonnull(strstr(fcl_artifact_code(a, &n), "doubled"));
        ck_assert_ptr_nonnull(strstr(fcl_artifact_plan(a, &n), "launch @doubled"));
        fcl_artifact_destroy(a);
        fcl_context_destroy(cx);
    }
}
END_TEST

START_TEST(what_is_not_outlined_is_not_emitted)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    fcl_kernels *k = NULL;
    ck_assert(fcl_passes_run(m, &k, "virtualise", NULL));
    ck_assert(!fcl_passes_run(NULL, &k, "localmap", NULL));
    expect_code(cx, 861);
    ck_assert(fcl_passes_run(NULL, &k, "simplify", NULL)); /* a refused list has changed nothing */
    ck_assert_ptr_null(fcl_kernels_emit(k, NULL));         /* which takes them all the same */
    expect_code(cx, 861);
    ck_assert(!fcl_passes_run(m, NULL, "check,,dce", NULL));
    expect_code(cx, 859);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- planted errors ---- */

static bool break_kernel(k_program *p)
{
    for (k_id n = 1; n < p->nodes.len; n++)
        if (k_at(p, n)->op == K_STORE)
            k_at(p, n)->args[0] = n; /* a store is no memory */
    return true;
}

static bool break_core(fcl_module *m, const fcl_compile_options *options)
{
    (void)options;
    for (ir_op o = 1; o < m->ir.ops.len; o++)
        if (m->ir.ops.at[o].opcode == SOP_ADD)
            m->ir.ops.at[o].nargs = 1;
    return true;
}

static unsigned last_code(fcl_context *cx)
{
    fcl_diagnostic d = {0};
    fcl_diagnostic_get(cx, fcl_diagnostic_count(cx) - 1, &d, sizeof d);
    return d.code;
}

static bool leave_kernel(k_program *p)
{
    (void)p;
    return true;
}

/* Whoever asks for it is told which of two passes; the rule that is broken comes first. */
static void find_broken(bool each, const char *wanted)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    fcl_kernels *k = NULL;
    ck_assert(fcl_passes_run(m, &k, "virtualise", NULL));
    pass_info breaks = {.about = {.name = "wreck", .kind = FCL_PASS_KERNEL}};
    pass_info leaves = {.about = {.name = "idle", .kind = FCL_PASS_KERNEL}};
    breaks.run.KERNEL = break_kernel;
    leaves.run.KERNEL = leave_kernel;
    pass_list list = {0};
    ck_assert(vec_push(&cx->mem, &list.steps, (pass_step){.pass = &breaks}));
    ck_assert(vec_push(&cx->mem, &list.steps, (pass_step){.pass = &leaves}));
    fcl_compile_options o = {.verify_each = each};
    manager g = {.cx = cx, .o = &o};
    ck_assert(!manager_run_kernel(&g, &k->programs.at[0], &list, &k->holds));
    fcl_diagnostic d;
    size_t n = fcl_diagnostic_count(cx);
    ck_assert_uint_gt(n, 1);
    ck_assert(fcl_diagnostic_get(cx, n - 1, &d, sizeof d));
    ck_assert_uint_eq(d.code, 862);
    ck_assert_ptr_nonnull(strstr(d.message, wanted));
    vec_free(&cx->mem, &list.steps);
    fcl_kernels_destroy(k);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}

START_TEST(a_pass_that_breaks_a_kernel_program_is_found)
{
    find_broken(true, "the pass wreck ");
    find_broken(false, "--verify-each");
}
END_TEST

/* The second pass leaves what the verifier has seen; the third does not. */
START_TEST(a_pass_behind_one_that_changed_nothing_is_verified)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    fcl_kernels *k = NULL;
    ck_assert(fcl_passes_run(m, &k, "virtualise", NULL));
    pass_info leaves = {.about = {.name = "idle", .kind = FCL_PASS_KERNEL}};
    pass_info breaks = {.about = {.name = "wreck", .kind = FCL_PASS_KERNEL}};
    leaves.run.KERNEL = leave_kernel;
    breaks.run.KERNEL = break_kernel;
    pass_list list = {0};
    fcl_compile_options o = {.verify_each = true};
    manager g = {.cx = cx, .o = &o};
    for (int i = 0; i < 2; i++)
        ck_assert(vec_push(&cx->mem, &list.steps, (pass_step){.pass = &leaves}));
    ck_assert(manager_run_kernel(&g, &k->programs.at[0], &list, &k->holds));
    ck_assert(vec_push(&cx->mem, &list.steps, (pass_step){.pass = &breaks}));
    ck_assert(!manager_run_kernel(&g, &k->programs.at[0], &list, &k->holds));
    ck_assert_uint_eq(last_code(cx), 862);
    vec_free(&cx->mem, &list.steps);
    fcl_kernels_destroy(k);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Breaks one part of an outlined program; false: there is no such part. */
static bool break_part(k_program *p, int part)
{
    switch (part) {
    case 0: return break_kernel(p);
    case 1: return p->facts.len--, true;
    case 2: return memset(p->facts.at, 0xff, p->facts.len * sizeof *p->facts.at), true;
    case 3: return k_block_at(p, p->host)->last = 0, true;
    case 4: return p->host = UINT32_MAX, true;
    case 5: return p->kernels.at[0].launch = 0, true;
    case 6: return p->kernels.len = 0, true;
    case 7: return p->in.at[0].rank = UINT8_MAX, true;
    case 8: return p->out.at[0].rank = UINT8_MAX, true;
    case 9: return memset(p->pool.at, 0xff, p->pool.len * sizeof *p->pool.at), true;
    default: return false;
    }
}

static bool part_is_verified(int part)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, doubled);
    fcl_kernels *k = NULL;
    ck_assert(fcl_passes_run(m, &k, "virtualise, outline", NULL));
    k_program *p = &k->programs.at[0];
    k_verified last = {0};
    ck_assert(k_verify_again(p, K_OUTLINED, &last));
    ck_assert(k_verify_again(p, K_OUTLINED, &last));
    ck_assert(!k_verify_again(p, K_LOWERED, &last));
    bool broken = break_part(p, part);
    ck_assert_msg(!broken || !k_verify_again(p, K_OUTLINED, &last), "part %d", part);
    k_verified_free(&cx->mem, &last);
    fcl_kernels_destroy(k);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return broken;
}

START_TEST(a_change_of_any_part_of_a_program_is_verified)
{
    int part = 0;
    while (part_is_verified(part))
        part++;
    ck_assert_int_eq(part, 10);
}
END_TEST

START_TEST(a_pass_that_breaks_a_module_is_found_when_asked)
{
    for (int each = 0; each < 2; each++) {
        fcl_context *cx = new_context();
        fcl_module *m = load(cx, doubled);
        check_module(cx, m);
        pass_info breaks = {.about = {.name = "wreck", .kind = FCL_PASS_CORE}};
        breaks.run.CORE = break_core;
        pass_step step = {.pass = &breaks};
        fcl_compile_options o = {.verify_each = each};
        manager g = {.cx = cx, .o = &o};
        ck_assert_int_eq(manager_run_core(&g, m, &step), !each);
        ck_assert(!each || last_code(cx) == 862);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
    }
}
END_TEST

Suite *manager_suite(void);
Suite *manager_suite(void)
{
    Suite *s = suite_create("manager");
    TCase *t = tcase_create("manager");
    tcase_add_test(t, the_pipeline_keeps_the_contracts);
    tcase_add_test(t, properties_can_be_established);
    tcase_add_test(t, options_are_set_in_their_range);
    tcase_add_test(t, observers_see_every_pass);
    tcase_add_test(t, observers_leave_out_what_is_not_needed);
    tcase_add_test(t, kernel_programs_come_and_go_as_text);
    tcase_add_test(t, kernel_programs_outlive_their_module);
    tcase_add_test(t, what_is_not_outlined_is_not_emitted);
    tcase_add_test(t, a_pass_that_breaks_a_kernel_program_is_found);
    tcase_add_test(t, a_pass_behind_one_that_changed_nothing_is_verified);
    tcase_add_test(t, a_change_of_any_part_of_a_program_is_verified);
    tcase_add_test(t, a_pass_that_breaks_a_module_is_found_when_asked);
    suite_add_tcase(s, t);
    return s;
}
