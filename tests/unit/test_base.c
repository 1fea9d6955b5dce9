/* ir/base: allocator, arena, vectors, interning and diagnostics; and the whole way from text to
 * text with an allocator that fails at the k-th call, for every k. */
#include "ir/base/context.h"
#include "libfcl/fcl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *base_suite(void);

/* ---- memory ---- */

/* Counts what is allocated, and fails at call number `fail_at` and later (0: never). */
typedef struct counting {
    size_t bytes, calls, fail_at;
} counting;

static void *counting_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counting *c = user;
    if (new_size == 0) {
        c->bytes -= old_size;
        free(ptr);
        return NULL;
    }
    if (++c->calls >= c->fail_at && c->fail_at)
        return NULL;
    void *p = realloc(ptr, new_size);
    if (p)
        c->bytes += new_size - (ptr ? old_size : 0);
    return p;
}

START_TEST(vectors_grow)
{
    counting c = {0};
    mem m;
    mem_init(&m, counting_realloc, &c);
    vec_u32 v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert(vec_push(&m, &v, i * 3));
    ck_assert_uint_eq(v.len, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(v.at[i], i * 3);
    vec_free(&m, &v);
    ck_assert_uint_eq(v.len, 0);
    ck_assert_uint_eq(c.bytes, 0);
}
END_TEST

START_TEST(what_is_trimmed_is_counted)
{
    counting c = {0};
    mem m;
    VEC(uint32_t) v = {0};
    mem_init(&m, counting_realloc, &c);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert(vec_push(&m, &v, i));
    vec_trim(&m, &v);
    ck_assert_uint_eq(v.cap, 100);
    ck_assert_uint_eq(m.used, c.bytes);
    vec_free(&m, &v);
    ck_assert_uint_eq(m.used, 0);
}
END_TEST

START_TEST(vectors_refuse_what_cannot_be)
{
    mem m;
    mem_init(&m, NULL, NULL);
    vec_u32 v = {0};
    ck_assert(!vec_reserve(&m, &v, (uint64_t)UINT32_MAX + 1));
    ck_assert(m.oom);
    ck_assert_uint_eq(v.len, 0);
    vec_free(&m, &v);
}
END_TEST

START_TEST(a_failed_push_leaves_the_vector)
{
    counting c = {.fail_at = 2};
    mem m;
    mem_init(&m, counting_realloc, &c);
    vec_u32 v = {0};
    while (vec_push(&m, &v, 7))
        continue;
    ck_assert(m.oom);
    ck_assert_uint_eq(v.len, 8);
    ck_assert_uint_eq(v.at[7], 7);
    vec_free(&m, &v);
    ck_assert_uint_eq(c.bytes, 0);
}
END_TEST

START_TEST(arena_blocks_are_zeroed_and_aligned)
{
    counting c = {0};
    mem m;
    mem_init(&m, counting_realloc, &c);
    arena a;
    arena_init(&a, &m);
    for (size_t n = 1; n < 200000; n = n * 3 + 1) {
        unsigned char *p = arena_alloc(&a, n);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        ck_assert(p[0] == 0 && p[n - 1] == 0);
        memset(p, 0xff, n);
    }
    ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX - 3));
    arena_free(&a);
    ck_assert_uint_eq(c.bytes, 0);
    ck_assert_ptr_nonnull(arena_alloc(&a, 10));
    arena_free(&a);
}
END_TEST

START_TEST(text_is_built_piece_by_piece)
{
    mem m;
    mem_init(&m, NULL, NULL);
    vec_char t = {0};
    ck_assert_str_eq(text_cstr(&m, &t), "");
    ck_assert(text_add(&m, &t, "a=", 2) && text_addf(&m, &t, "%d%s", 42, "!"));
    ck_assert_str_eq(text_cstr(&m, &t), "a=42!");
    ck_assert_uint_eq(t.len, 5);
    vec_free(&m, &t);
}
END_TEST

START_TEST(equal_strings_have_equal_ids)
{
    mem m;
    mem_init(&m, NULL, NULL);
    intern t;
    ck_assert(intern_init(&t, &m));
    str_id ids[1000];
    char s[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(s, sizeof s, "s%d", i);
        ids[i] = intern_cstr(&t, s);
        ck_assert_uint_ne(ids[i], 0);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(s, sizeof s, "s%d", i);
        ck_assert_uint_eq(intern_cstr(&t, s), ids[i]);
        ck_assert_uint_eq(intern_find(&t, s, strlen(s)), ids[i]);
        ck_assert_str_eq(intern_str(&t, ids[i]), s);
    }
    ck_assert_uint_eq(intern_find(&t, "s1000", 5), 0);
    ck_assert_uint_eq(intern_cstr(&t, ""), 0);
    str_id nul = intern_add(&t, "a\0b", 3);
    ck_assert_uint_ne(nul, intern_add(&t, "a\0c", 3));
    ck_assert_uint_eq(intern_len(&t, nul), 3);
    intern_free(&t);
}
END_TEST

START_TEST(strings_are_forgotten)
{
    counting c = {0};
    mem m;
    mem_init(&m, counting_realloc, &c);
    intern t;
    char s[16];
    size_t bytes = 0;
    ck_assert(intern_init(&t, &m));
    str_id first = intern_cstr(&t, "first");
    intern_settle(&t);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20000; i++) {
            snprintf(s, sizeof s, "s%d", i * (round + 1));
            ck_assert_uint_eq(intern_cstr(&t, s), first + 1 + (str_id)i);
        }
        ck_assert_uint_eq(intern_find(&t, "first", 5), first);
        intern_forget(&t);
        ck_assert_str_eq(intern_str(&t, first), "first");
        ck_assert_uint_eq(intern_cstr(&t, "first"), first);
        ck_assert_uint_eq(intern_find(&t, "s0", 2), 0);
        ck_assert_str_eq(intern_str(&t, first + 1), "");
        ck_assert(!bytes || bytes == c.bytes);
        bytes = c.bytes;
    }
    ck_assert_uint_eq(m.used, c.bytes);
    ck_assert_uint_lt(bytes, 100000);
    intern_free(&t);
    ck_assert_uint_eq(c.bytes, 0);
}
END_TEST

/* ---- diagnostics ---- */

static void format_first(fcl_context *cx, vec_char *out)
{
    out->len = 0;
    ck_assert(diag_format(cx, &cx->diags.all.at[0], out));
    ck_assert_ptr_nonnull(text_cstr(&cx->mem, out));
}

START_TEST(a_diagnostic_shows_its_line)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    static const char text[] = "one\n\ttwo three\nfour";
    str_id file = diag_add_source(&cx, "f.fclir", text, sizeof text - 1);
    diag_error(&cx, DIAG_TOO_DEEP, (location){file, 2, 6, 5}, "no %s", "three");
    diag_note_add(&cx, (location){file, 1, 1, 3}, "here");
    diag_hint(&cx, "count again");
    vec_char out = {0};
    format_first(&cx, &out);
    ck_assert_str_eq(out.at, "f.fclir:2:6: error[E0902]: no three\n     two three\n         ^~~~~\n"
                             "f.fclir:1:1: note: here\n    one\n    ^~~\nhelp: count again\n");
    vec_free(&cx.mem, &out);
    context_release(&cx);
}
END_TEST

START_TEST(a_diagnostic_without_a_place)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    str_id file = intern_cstr(&cx.strings, "unread");
    diag_error(&cx, DIAG_TOO_LARGE, (location){0}, "big");
    vec_char out = {0};
    format_first(&cx, &out);
    ck_assert_str_eq(out.at, "error[E0903]: big\n");
    diag_clear(&cx);
    diag_error(&cx, DIAG_TOO_LARGE, (location){file, 900, 7, 1}, "big");
    format_first(&cx, &out);
    ck_assert_str_eq(out.at, "unread:900:7: error[E0903]: big\n");
    vec_free(&cx.mem, &out);
    context_release(&cx);
}
END_TEST

START_TEST(diagnostics_are_limited_and_counted)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    cx.limits.errors = 3;
    for (int i = 0; i < 10; i++) {
        diag_error(&cx, DIAG_TOO_LARGE, (location){0}, "%d", i);
        diag_note_add(&cx, (location){0}, "note");
    }
    ck_assert_uint_eq(cx.diags.all.len, 3);
    ck_assert_uint_eq(cx.diags.errors, 10);
    ck_assert_uint_eq(cx.diags.all.at[2].notes.len, 1);
    ck_assert(!context_ok(&cx));
    diag_clear(&cx);
    ck_assert(context_ok(&cx));
    context_release(&cx);
}
END_TEST

/* Whoever holds names keeps them; a device does not. */
START_TEST(a_context_forgets)
{
    counting c = {0};
    fcl_context *cx = fcl_context_create(counting_realloc, &c);
    fcl_device *d = fcl_device_open(cx, "interp");
    ck_assert(cx && d && fcl_context_forget(cx));
    size_t bytes = c.bytes;
    static const char text[] = "fcl 0.1\nkernel @f(%xs: [int]) -> [int]<grid> {\n"
                               "  %p = push<grid> %xs\n  return %p\n}\n";
    fcl_module *m = fcl_module_load(cx, "a", text, sizeof text - 1, NULL);
    fcl_artifact *a = fcl_compile(m, NULL);
    fcl_program *p = fcl_program_create(m, NULL, d, NULL);
    ck_assert(m && a && p && !fcl_context_forget(cx));
    fcl_program_destroy(p);
    ck_assert(!fcl_context_forget(cx));
    fcl_module_destroy(m);
    ck_assert(!fcl_context_forget(cx));
    fcl_artifact_destroy(a);
    ck_assert_ptr_null(fcl_module_load(cx, "b", "?", 1, NULL));
    ck_assert(fcl_source_add(cx, "c", text, sizeof text - 1));
    ck_assert_uint_gt(fcl_diagnostic_count(cx), 0);
    ck_assert(fcl_context_forget(cx));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 0);
    ck_assert(!fcl_source_known(cx, "c"));
    ck_assert_uint_eq(c.bytes, bytes);
    fcl_device_close(d);
    fcl_context_destroy(cx);
    ck_assert_uint_eq(c.bytes, 0);
}
END_TEST

START_TEST(every_code_has_a_title)
{
    ck_assert_ptr_null(fcl_diagnostic_explain(0));
#define DIAG(name, number, title) ck_assert_str_eq(fcl_diagnostic_explain(number), title);
#include "ir/base/diag.def"
#undef DIAG
}
END_TEST

/* ---- allocation failure ---- */

static const char small[] = "fcl 0.1\n"
                            "import \"prelude\"\n"
                            "fun @twice<'a>(%f: 'a -> 'a, %x: 'a) {\n"
                            "  %y = apply %f, %x\n"
                            "  %z = apply %f, %y\n"
                            "  return %z\n"
                            "}\n"
                            "kernel @k(%n: int, %xs: [(int, double)]) -> [double]<grid> {\n"
                            "  %inc = fn { (%x: int)\n"
                            "    %y = add %x, 1\n"
                            "    yield %y\n"
                            "  }\n"
                            "  %m = call @twice(%inc, %n)\n"
                            "  %parts = generate %m { (%i: int)\n"
                            "    %ys = map %xs { (%p: (int, double))\n"
                            "      %d = proj %p, 1\n"
                            "      yield %d\n"
                            "    }\n"
                            "    %b = push<block> %ys\n"
                            "    %one = while %b { (%zs: [double])\n"
                            "      %len = length %zs\n"
                            "      %more = gt %len, 1\n"
                            "      yield %more\n"
                            "    } { (%zs: [double])\n"
                            "      %len = length %zs\n"
                            "      %half = div %len, 2\n"
                            "      %ws = generate %half { (%j: int)\n"
                            "        %k = add %j, %half\n"
                            "        %u = index %zs, %j\n"
                            "        %v = index %zs, %k\n"
                            "        %w = add %u, %v\n"
                            "        yield %w\n"
                            "      }\n"
                            "      %q = push<block> %ws\n"
                            "      yield %q\n"
                            "    }\n"
                            "    %r = push<block> %one\n"
                            "    yield %r\n"
                            "  }\n"
                            "  %sums = concat 1, %parts\n"
                            "  %mem = force %sums\n"
                            "  %out = push<grid> %mem\n"
                            "  return %out\n"
                            "}\n";

/* Loads, checks, prints, compiles and runs; true when all of it went well. */
static bool whole_way(fcl_context *cx)
{
    fcl_module *m = fcl_module_load(cx, "small", small, sizeof small - 1, NULL);
    bool ok = m && fcl_module_check(m);
    size_t size = 0;
    char *text = ok ? fcl_module_print(m, &size) : NULL;
    ok = ok && text && fcl_passes_run(m, NULL, "link, dce", NULL);
    fcl_artifact *a = ok ? fcl_compile(m, NULL) : NULL;
    fcl_device *d = a ? fcl_device_open(cx, "interp") : NULL;
    int32_t xs[4] = {0};
    double ys[4] = {1, 2, 3, 4};
    fcl_array args[] = {{.type = FCL_I32, .data = &(int32_t){2}},
                        {.type = FCL_I32, .rank = 1, .dims = {4}, .data = xs},
                        {.type = FCL_F64, .rank = 1, .dims = {4}, .data = ys}};
    fcl_array result = {0};
    ok = ok && d && fcl_run(m, "k", d, NULL, args, 3, &result, 1);
    if (ok) {
        ck_assert_uint_eq(result.dims[0], 4);
        ck_assert_double_eq(((double *)result.data)[3], 10);
        fcl_results_free(cx, &result, 1);
    }
    fcl_device_close(d);
    fcl_artifact_destroy(a);
    if (text)
        fcl_free(cx, text, size);
    fcl_module_destroy(m);
    return ok;
}

START_TEST(every_allocation_may_fail)
{
    counting c = {0};
    fcl_context *cx = fcl_context_create(counting_realloc, &c);
    ck_assert(whole_way(cx));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 0);
    fcl_context_destroy(cx);
    ck_assert_uint_eq(c.bytes, 0);
    size_t calls = c.calls;
    for (size_t k = 1; k <= calls; k++) {
        c = (counting){.fail_at = k};
        cx = fcl_context_create(counting_realloc, &c);
        if (cx) {
            ck_assert_msg(!whole_way(cx), "succeeds without allocation %zu of %zu", k, calls);
            ck_assert_msg(fcl_diagnostic_count(cx) > 0,
                          "no diagnostic without allocation %zu of %zu", k, calls);
            fcl_context_destroy(cx);
        }
        ck_assert_msg(c.bytes == 0, "%zu bytes leak without allocation %zu of %zu", c.bytes, k,
                      calls);
    }
}
END_TEST

Suite *base_suite(void)
{
    Suite *s = suite_create("base");
    TCase *t = tcase_create("base");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, vectors_grow);
    tcase_add_test(t, what_is_trimmed_is_counted);
    tcase_add_test(t, vectors_refuse_what_cannot_be);
    tcase_add_test(t, a_failed_push_leaves_the_vector);
    tcase_add_test(t, arena_blocks_are_zeroed_and_aligned);
    tcase_add_test(t, text_is_built_piece_by_piece);
    tcase_add_test(t, equal_strings_have_equal_ids);
    tcase_add_test(t, strings_are_forgotten);
    tcase_add_test(t, a_context_forgets);
    tcase_add_test(t, a_diagnostic_shows_its_line);
    tcase_add_test(t, a_diagnostic_without_a_place);
    tcase_add_test(t, diagnostics_are_limited_and_counted);
    tcase_add_test(t, every_code_has_a_title);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
