/* The public interface, as a front end uses it: loading, passes, signatures, running, two contexts
 * at once.  The builder is in test_builder.c. */
#include "tests/unit/api_world.h"

#include <pthread.h>
#include <stdio.h>

Suite *api_suite(void);

/* ---- loading ---- */

/* Elements of arrays never change. */
_Static_assert(sizeof(fcl_array) == 2 * sizeof(int) + 8 * sizeof(uint64_t) + sizeof(void *),
               "fcl_array");
_Static_assert(sizeof(fcl_argument) == 3 * sizeof(void *), "fcl_argument");

/* A caller that knows less of a structure gets less, one that knows more gets zeros there. */
START_TEST(structures_of_other_versions)
{
    struct {
        fcl_limit_info known;
        size_t newer;
    } more = {.newer = 7};
    fcl_limit_info less = {.most = 7};
    size_t size = offsetof(fcl_limit_info, most);
    ck_assert(fcl_limit_about(0, &more.known, sizeof more));
    ck_assert(more.known.most > 0 && more.newer == 0);
    ck_assert(fcl_limit_about(0, &less, size));
    ck_assert(less.most == 7 && less.initial == more.known.initial);
}
END_TEST

/* Fields beyond the size that the caller states are not read, and a size of 0 is that of the first
 * version. */
START_TEST(options_of_other_versions)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, "fcl 0.1\nkernel @k(%xs: [int]) -> [int]<grid> {\n"
                             "  %p = push<grid> %xs\n  return %p\n}\n");
    const struct {
        size_t size;
        bool seen;
    } cases[] = {{0, true},
                 {sizeof(fcl_compile_options), true},
                 {sizeof(fcl_compile_options) + 64, true},
                 {offsetof(fcl_compile_options, target), false}};
    for (size_t i = 0; i < 4; i++) {
        struct {
            fcl_compile_options known;
            char newer[64];
        } o = {.known = {.size = cases[i].size, .target = "nonsense"}};
        fcl_artifact *a = fcl_compile(m, &o.known);
        ck_assert((a == NULL) == cases[i].seen);
        fcl_artifact_destroy(a);
        if (cases[i].seen)
            expect_code(cx, 854);
    }
    fcl_compile_options small = {.size = offsetof(fcl_compile_options, block_size)}, all = {0};
    ck_assert(!fcl_compile_option_set(&small, "BlockSize", "64") && small.block_size == 0);
    ck_assert(fcl_compile_option_set(&all, "BlockSize", "64") && all.block_size == 64);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(a_bad_text_is_no_module)
{
    static const char text[] = "fcl 0.1\nfun @f() {\n  %x = add 1\n  %y = sub 2\n  return %x\n}\n";
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_load(cx, "bad", text, sizeof text - 1, NULL);
    bool refused = !m || !fcl_module_check(m);
    ck_assert(refused);
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 2);
    fcl_diagnostic d;
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
    ck_assert_str_eq(d.file, "bad");
    ck_assert_uint_eq(d.line, 3);
    ck_assert_ptr_nonnull(strstr(fcl_diagnostic_text(cx, 0), "bad:3:"));
    ck_assert(!fcl_diagnostic_get(cx, 100, &d, sizeof d));
    ck_assert_str_eq(fcl_diagnostic_text(cx, 100), "");
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

static bool find_other(void *user, const char *name, const char **text, size_t *size)
{
    static const char other[] =
        "fcl 0.1\n"
        "fun @inc(%x: int) loc(\"other\":2:5) {\n  %y = add %x, 1\n  return %y\n}\n"
        "fun @inc2(%x: int) {\n  %y = call @inc(%x)\n  %z = call @inc(%y)\n  return %z\n}\n"
        "fun @unused(%x: int) {\n  return %x\n}\n";
    ++*(int *)user;
    *text = other;
    *size = sizeof other - 1;
    return strcmp(name, "other") == 0;
}

static const char importing[] = "fcl 0.1\n"
                                "import \"other\"\n"
                                "kernel @k(%n: int) -> [int]<grid> {\n"
                                "  %u = add %n, 5\n"
                                "  %r = generate %n { (%i: int)\n"
                                "    %w = mul %i, 3\n"
                                "    %v = call @inc2(%i)\n"
                                "    yield %v\n"
                                "  }\n"
                                "  %p = push<grid> %r\n"
                                "  return %p\n"
                                "}\n";

static const char linked[] = "fcl 0.1\n"
                             "fun @inc(%x: int) loc(\"other\":2:5) {\n  %y = add %x, 1 "
                             "loc(\"other\":3:8)\n  return %y loc(\"other\":4:3)\n}\n"
                             "fun @inc2(%x: int) loc(\"other\":6:5) {\n"
                             "  %y = call @inc(%x) loc(\"other\":7:8)\n"
                             "  %z = call @inc(%y) loc(\"other\":8:8)\n"
                             "  return %z loc(\"other\":9:3)\n"
                             "}\n"
                             "kernel @k(%n: int) -> [int]<grid> {\n"
                             "  %r = generate %n { (%i: int)\n"
                             "    %v = call @inc2(%i)\n"
                             "    yield %v\n"
                             "  }\n"
                             "  %p = push<grid> %r\n"
                             "  return %p\n"
                             "}\n";

START_TEST(passes_link_and_clean)
{
    int asked = 0;
    fcl_context *cx = new_context();
    fcl_load_options o = {.import = find_other, .import_user = &asked};
    fcl_module *m = fcl_module_load(cx, "importing", importing, sizeof importing - 1, &o);
    expect_silence(cx);
    ck_assert_int_eq(asked, 1);
    ck_assert_uint_eq(fcl_kernel_count(m), 1);
    fcl_module *want = load(cx, linked);
    ck_assert(fcl_passes_run(m, NULL, "check, link, dce", NULL));
    check_module(cx, want);
    check_module(cx, m);
    expect_same_text(cx, m, want);
    ck_assert(!fcl_passes_run(m, NULL, "polish", NULL));
    expect_code(cx, 853);
    fcl_module_destroy(want);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(an_unknown_import_is_refused)
{
    fcl_context *cx = new_context();
    ck_assert_ptr_null(fcl_module_load(cx, "importing", importing, sizeof importing - 1, NULL));
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 1);
    fcl_diagnostics_clear(cx);
    fcl_module *m = fcl_module_create(cx);
    ck_assert(fcl_import(m, "prelude", NULL));
    ck_assert(!fcl_import(m, "postlude", NULL));
    ck_assert_uint_ge(fcl_diagnostic_count(cx), 1);
    ck_assert(!fcl_built(m));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- signatures and running ---- */

static const char dot[] =
    "fcl 0.1\n"
    "kernel @scale(%k: int, %ps: [(int, double)]) -> ([int]<grid>, [double]<grid>) {\n"
    "  %a = map %ps { (%p)\n"
    "    %x = proj %p, 0\n"
    "    %y = mul %x, %k\n"
    "    yield %y\n"
    "  }\n"
    "  %b = map %ps { (%p)\n"
    "    %x = proj %p, 1\n"
    "    yield %x\n"
    "  }\n"
    "  %pa = push<grid> %a\n"
    "  %pb = push<grid> %b\n"
    "  %r = tuple %pa, %pb\n"
    "  return %r\n"
    "}\n";

START_TEST(a_signature_has_leaves)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    fcl_signature s;
    ck_assert(fcl_kernel_signature(m, "scale", &s, sizeof s));
    ck_assert(s.nparams == 2 && s.nresults == 2 && s.nleaves_in == 3 && s.nleaves_out == 2);
    fcl_leaf l;
    ck_assert(fcl_kernel_leaf_in(m, NULL, 2, &l, sizeof l));
    ck_assert(l.param == 1 && l.type == FCL_F64 && l.rank == 1);
    ck_assert_str_eq(l.name, "ps");
    ck_assert_str_eq(l.type_text, "[(int, double)]");
    ck_assert(fcl_kernel_leaf_out(m, "scale", 1, &l, sizeof l));
    ck_assert(l.param == 1 && l.type == FCL_F64 && l.rank == 1);
    ck_assert_str_eq(l.type_text, "[double]<grid>");
    ck_assert(!fcl_kernel_leaf_in(m, "scale", 3, &l, sizeof l));
    expect_silence(cx);
    ck_assert(!fcl_kernel_signature(m, "scald", &s, sizeof s));
    expect_code(cx, 851);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* Runs @scale with the arguments and expects this code; 0: success, with the results checked. */
static void run_scale(fcl_context *cx, fcl_module *m, const char *device, const fcl_array *args,
                      size_t n, unsigned code)
{
    fcl_array out[2] = {{0}, {0}};
    fcl_device *d = fcl_device_open(cx, device);
    expect_silence(cx);
    bool ok = fcl_run(m, "scale", d, NULL, args, n, out, 2);
    ck_assert(ok == (code == 0));
    if (code) {
        expect_code(cx, code);
        ck_assert_ptr_null(out[0].data);
    } else {
        expect_silence(cx);
        ck_assert(out[0].type == FCL_I32 && out[0].rank == 1 && out[0].dims[0] == 3);
        ck_assert_int_eq(((int32_t *)out[0].data)[2], 30);
        ck_assert_double_eq(((double *)out[1].data)[1], 0.5);
        fcl_results_free(cx, out, 2);
    }
    fcl_device_close(d);
}

START_TEST(arguments_are_checked)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    int32_t k = 10, xs[] = {1, 2, 3};
    double ys[] = {0.25, 0.5, 0.75};
    fcl_array good[] = {{.type = FCL_I32, .data = &k},
                        {.type = FCL_I32, .rank = 1, .dims = {3}, .data = xs},
                        {.type = FCL_F64, .rank = 1, .dims = {3}, .data = ys}};
    for (size_t i = 0; i < fcl_device_count(cx); i++)
        run_scale(cx, m, fcl_device_name(cx, i), good, 3, 0);
    run_scale(cx, m, "interp", good, 2, 852);
    fcl_array bad[3];
    memcpy(bad, good, sizeof good);
    bad[2].dims[0] = 2;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[0].type = FCL_I64;
    run_scale(cx, m, "interp", bad, 3, 852);
    bad[0].type = (fcl_scalar)77;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].rank = 1000;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].dims[0] = bad[2].dims[0] = UINT64_MAX;
    run_scale(cx, m, "interp", bad, 3, 852);
    memcpy(bad, good, sizeof good);
    bad[1].data = NULL;
    run_scale(cx, m, "interp", bad, 3, 852);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(unknown_devices_and_targets)
{
    fcl_context *cx = new_context();
    static const char *const names[] = {
        "gpu", "openclx", "opencl:", "opencl:x", "opencl:-1", "opencl:99999999999", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_ptr_null(fcl_device_open(cx, names[i]));
        expect_code(cx, 855);
    }
    ck_assert_str_eq(fcl_device_name(cx, 0), "interp");
    ck_assert_ptr_null(fcl_device_name(cx, fcl_device_count(cx)));
    fcl_module *m = load(cx, dot);
    ck_assert_ptr_null(fcl_compile(m, &(fcl_compile_options){.target = "cobol"}));
    expect_code(cx, 854);
    ck_assert_ptr_null(fcl_compile(m, &(fcl_compile_options){.entry = "cobol"}));
    expect_code(cx, 851);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(tuning_is_a_table)
{
    fcl_tuning_info a, b;
    size_t n = 0;
    for (; fcl_tuning_about(n, &a, sizeof a); n++) {
        ck_assert_msg(a.least <= a.usual && a.usual <= a.most, "%s", a.name);
        for (size_t k = 0; k < n && fcl_tuning_about(k, &b, sizeof b); k++)
            ck_assert_str_ne(a.name, b.name);
    }
    ck_assert_uint_ge(n, 25);
}
END_TEST

/* A number in the way of a pass is named in the report, and only then. */
START_TEST(tuning_is_honoured_and_reported)
{
    static const char loop[] =
        "fcl 0.1\nkernel @k(%xs: [int]) -> [int]<grid> {\n"
        "  %ys = map %xs { (%x)\n    %z = array 1\n    %p = push<thread> %z\n"
        "    %r = repeat 20, %p { (%i, %a)\n      %y = index %a, 0\n      %w = mul %y, %x\n"
        "      %q = generate 1 { (%j) yield %w }\n      %t = push<thread> %q\n      yield %t\n    "
        "}\n"
        "    %v = index %r, 0\n    yield %v\n  }\n  %p = push<grid> %ys\n  return %p\n}\n";
    static const char named[] = "20 > UnrollTurns=19";
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, loop);
    size_t n;
    fcl_artifact *a = fcl_compile(m, NULL);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(strstr(fcl_artifact_report(a, &n), "UnrollTurns"));
    fcl_artifact_destroy(a);
    a = fcl_compile(m, &(fcl_compile_options){.tuning = "VectorBytes=1,UnrollTurns=19"});
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(strstr(fcl_artifact_report(a, &n), named));
    fcl_artifact_destroy(a);
    static const char *const wrong[] = {"UnrollTurns",   "UnrollTurns=", "UnrollTurns=0", "=1",
                                        "unrollTurns=4", "Unroll=4x",    "Unroll=65537"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_ptr_null(fcl_compile(m, &(fcl_compile_options){.tuning = wrong[i]}));
        expect_code(cx, 857);
    }
    static const fcl_compile_options outside[] = {{.vector_bytes = 64}, {.unroll = 65537}, {.atomic_bits = 16}, {.size = sizeof(fcl_compile_options), .simd = 65},
                                                  {.in_phases = 7}, {.fast_math = 2}, {.warp_size = 1025}, {.index_bits = 48}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        ck_assert_msg(!fcl_compile(m, &outside[i]), "options %zu are taken", i);
        expect_code(cx, 857);
    }
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(an_artifact_has_its_texts)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, dot);
    fcl_artifact *a = fcl_compile(m, NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(a);
    size_t n;
    const char *code = fcl_artifact_code(a, &n);
    ck_assert_uint_eq(strlen(code), n);
    ck_assert_ptr_nonnull(strstr(code, "scale"));
    ck_assert_uint_eq(strlen(fcl_artifact_plan(a, &n)), n);
    ck_assert_uint_gt(n, 0);
    const char *report = fcl_artifact_report(a, &n);
    ck_assert_uint_eq(strlen(report), n);
    ck_assert_ptr_nonnull(strstr(report, "kernel scale"));
    const char *ir = fcl_artifact_kernel_ir(a, &n);
    ck_assert_ptr_nonnull(strstr(ir, "program @scale"));
    ck_assert_ptr_eq(ir, fcl_artifact_kernel_ir(a, &n));
    fcl_artifact_destroy(a);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* ---- threads ---- */

static void *work(void *user)
{
    bool *ok = user;
    for (int i = 0; i < 20; i++) {
        fcl_context *cx = fcl_context_create(NULL, NULL);
        fcl_module *m = fcl_module_load(cx, "test", dot, sizeof dot - 1, NULL);
        size_t size;
        char *text = m && fcl_module_check(m) ? fcl_module_print(m, &size) : NULL;
        *ok = *ok && text && strstr(text, "@scale");
        if (text)
            fcl_free(cx, text, size);
        fcl_module_destroy(m);
        fcl_context_destroy(cx);
    }
    return NULL;
}

START_TEST(two_contexts_in_two_threads)
{
    pthread_t other;
    bool ok[2] = {true, true};
    ck_assert_int_eq(pthread_create(&other, NULL, work, &ok[1]), 0);
    work(&ok[0]);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert(ok[0] && ok[1]);
}
END_TEST

START_TEST(version_is_that_of_the_header)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", FCL_VERSION_MAJOR, FCL_VERSION_MINOR,
             FCL_VERSION_PATCH);
    ck_assert_str_eq(fcl_version(), text);
}
END_TEST

Suite *api_suite(void)
{
    Suite *s = suite_create("api");
    TCase *t = tcase_create("api");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_bad_text_is_no_module);
    tcase_add_test(t, passes_link_and_clean);
    tcase_add_test(t, an_unknown_import_is_refused);
    tcase_add_test(t, a_signature_has_leaves);
    tcase_add_test(t, tuning_is_a_table);
    tcase_add_test(t, tuning_is_honoured_and_reported);
    tcase_add_test(t, arguments_are_checked);
    tcase_add_test(t, unknown_devices_and_targets);
    tcase_add_test(t, an_artifact_has_its_texts);
    tcase_add_test(t, two_contexts_in_two_threads);
    tcase_add_test(t, version_is_that_of_the_header);
    tcase_add_test(t, structures_of_other_versions);
    tcase_add_test(t, options_of_other_versions);
    suite_add_tcase(s, t);
    return s;
}
