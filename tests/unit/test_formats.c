/* libfcl: both file forms, attributes and sections through the public interface. */
#include "tests/unit/api_world.h"

Suite *formats_suite(void);

static const char program[] =
    "fcl 0.1\n\nkernel @k(%xs: [int]) -> [int]<grid> {\n  %p = push<grid> %xs\n  return %p\n}\n";

static fcl_module *load_bytes(fcl_context *cx, const char *data, size_t size)
{
    fcl_module *m = fcl_module_load(cx, "bytes", data, size, NULL);
    expect_silence(cx);
    ck_assert_ptr_nonnull(m);
    return m;
}

START_TEST(a_module_is_written_and_read)
{
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, program);
    size_t size, again;
    char *bytes = fcl_module_write(m, 0, &size), *same = fcl_module_write(m, 1, &again);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(bytes, same, size);
    fcl_module *back = load_bytes(cx, bytes, size);
    expect_same_text(cx, m, back);
    check_module(cx, back);
    ck_assert(fcl_module_fits(m, 0));
    ck_assert(fcl_module_fits(m, 1));
    ck_assert(!fcl_module_fits(m, 99));
    expect_code(cx, 128);
    ck_assert_ptr_null(fcl_module_write(m, 100, &again));
    expect_code(cx, 128);
    fcl_free(cx, bytes, size);
    fcl_free(cx, same, size);
    fcl_module_destroy(m);
    fcl_module_destroy(back);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(a_hash_tells_programs_apart)
{
    fcl_context *cx = new_context();
    fcl_module
        *m = load(cx, program),
        *other = load(
            cx, "fcl 0.1\nkernel @k(%ys: [int]) -> [int]<grid> { %q = push<grid> %ys return %q }");
    unsigned char x[32], y[32];
    ck_assert(fcl_module_hash(m, x) && fcl_module_hash(other, y));
    ck_assert_mem_eq(x, y, 32);
    check_module(cx, m);
    ck_assert(fcl_module_hash(m, y));
    ck_assert_mem_ne(x, y, 32); /* now the types are known */
    fcl_module_destroy(m);
    fcl_module_destroy(other);
    fcl_context_destroy(cx);
}
END_TEST

/* A kernel that returns its parameter, pushed. */
static fcl_value build(fcl_module *m, fcl_func *f)
{
    fcl_level grid = fcl_level_const(FCL_GRID);
    *f = fcl_function(m, "k", true);
    fcl_region body = fcl_body(m, *f);
    fcl_value xs = fcl_param(m, body, "xs", fcl_type_pull(m, fcl_type_scalar(m, FCL_I32), 1));
    fcl_value p = fcl_op_level(m, body, "push", grid, xs);
    fcl_return(m, body, p);
    return p;
}

/* p is 0 where the module was read: ids are those of the module that was built. */
static void expect_attributes(fcl_module *m, fcl_func f, fcl_value p)
{
    fcl_attribute a;
    ck_assert(fcl_attribute_get(m, (fcl_subject){0}, 0, &a, sizeof a));
    ck_assert_str_eq(a.key, "made by");
    ck_assert_str_eq(a.text, "me");
    ck_assert_uint_eq(a.size, 2);
    ck_assert(!fcl_attribute_get(m, (fcl_subject){0}, 1, &a, sizeof a));
    ck_assert(fcl_attribute_get(m, (fcl_subject){.function = f}, 1, &a, sizeof a));
    ck_assert_str_eq(a.key, "second");
    ck_assert_ptr_null(a.text);
    ck_assert_int_eq(a.number, -2);
    if (p) {
        ck_assert(fcl_attribute_get(m, (fcl_subject){.value = p}, 0, &a, sizeof a));
        ck_assert_str_eq(a.text, "");
        ck_assert(!fcl_attribute_get(m, (fcl_subject){.value = p + 100}, 0, &a, sizeof a));
    }
}

START_TEST(attributes_and_sections_are_kept)
{
    fcl_context *cx = new_context();
    fcl_module *m = fcl_module_create(cx);
    fcl_func f;
    fcl_value p = build(m, &f);
    fcl_attribute_set(m, (fcl_subject){0}, &(fcl_attribute){.key = "made by", .number = 1});
    fcl_attribute_set(m, (fcl_subject){0},
                      &(fcl_attribute){.key = "made by", .text = "me", .size = 2});
    fcl_attribute_set(m, (fcl_subject){.function = f},
                      &(fcl_attribute){.key = "first", .number = 1});
    fcl_attribute_set(m, (fcl_subject){.function = f},
                      &(fcl_attribute){.key = "second", .number = -2});
    fcl_attribute_set(m, (fcl_subject){.value = p},
                      &(fcl_attribute){.key = "empty", .text = "", .size = 0});
    fcl_section_add(m, "mine", "\0\1\2", 3);
    ck_assert(fcl_built(m));
    expect_attributes(m, f, p);
    ck_assert(fcl_passes_run(m, NULL, "check, link, dce", NULL));
    size_t size, n;
    char *bytes = fcl_module_write(m, 0, &size);
    fcl_module *back = load_bytes(cx, bytes, size);
    const char *name;
    const void *data;
    expect_attributes(back, fcl_function_named(back, "k"), 0);
    char *text = fcl_module_print(back, &n);
    ck_assert_ptr_nonnull(strstr(text, "push<grid> %xs attr(\"empty\" = \"\")"));
    fcl_free(cx, text, n);
    ck_assert(fcl_section_get(back, 0, &name, &data, &n));
    ck_assert_str_eq(name, "mine");
    ck_assert_uint_eq(n, 3);
    ck_assert_mem_eq(data, "\0\1\2", 3);
    ck_assert(!fcl_section_get(back, 1, &name, &data, &n));
    fcl_free(cx, bytes, size);
    fcl_module_destroy(m);
    fcl_module_destroy(back);
    fcl_context_destroy(cx);
}
END_TEST

static fcl_module *broken_by(fcl_context *cx, int how)
{
    fcl_module *m = fcl_module_create(cx);
    fcl_func f;
    fcl_value p = build(m, &f);
    switch (how) {
    case 0:
        fcl_attribute_set(m, (fcl_subject){.function = f + 1}, &(fcl_attribute){.key = "k"});
        break;
    case 1:
        fcl_attribute_set(m, (fcl_subject){.value = p + 50}, &(fcl_attribute){.key = "k"});
        break;
    case 2:
        fcl_attribute_set(m, (fcl_subject){.value = p - 1}, &(fcl_attribute){.key = "k"});
        break; /* a parameter */
    case 3: fcl_attribute_set(m, (fcl_subject){0}, &(fcl_attribute){.key = ""}); break;
    case 4: fcl_section_add(m, "code", "", 0); break;
    case 5: fcl_section_add(m, "", "", 0); break;
    default: fcl_section_add(m, "\xff", "", 0); break;
    }
    return m;
}

START_TEST(what_cannot_be_attached_is_refused)
{
    fcl_context *cx = new_context();
    fcl_module *m = broken_by(cx, _i);
    ck_assert(!fcl_built(m));
    expect_code(cx, 850);
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

/* A binary module has the places that were given; others are those in its listing, which the user
 * is shown. */
START_TEST(a_binary_module_has_places)
{
    static const char wrong[] =
        "fcl 0.1\nfun @f(%x: int) -> double {\n// comment\n  %y = add %x, 1.5\n  %z = add %x, "
        "2.5 loc(\"a.apl\":3:7)\n  return %y\n}\n";
    fcl_context *cx = new_context();
    fcl_module *m = load(cx, wrong);
    fcl_diagnostic d;
    size_t size;
    char *bytes = fcl_module_write(m, 0, &size);
    fcl_module *back = load_bytes(cx, bytes, size);
    ck_assert(!fcl_module_check(back));
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d));
    ck_assert_str_eq(d.file, "bytes");
    ck_assert_uint_eq(d.line, 4);
    ck_assert_uint_eq(d.column, 8);
    ck_assert_uint_eq(d.length, 3);
    ck_assert_ptr_nonnull(
        strstr(fcl_diagnostic_text(cx, 0), "  %y = add %x, 1.5\n           ^~~\n"));
    ck_assert(fcl_diagnostic_get(cx, 1, &d, sizeof d));
    ck_assert_str_eq(d.file, "a.apl");
    ck_assert_uint_eq(d.line, 3);
    fcl_free(cx, bytes, size);
    fcl_module_destroy(m);
    fcl_module_destroy(back);
    fcl_context_destroy(cx);
}
END_TEST

Suite *formats_suite(void)
{
    Suite *s = suite_create("formats");
    TCase *t = tcase_create("formats");
    tcase_add_test(t, a_module_is_written_and_read);
    tcase_add_test(t, a_hash_tells_programs_apart);
    tcase_add_test(t, attributes_and_sections_are_kept);
    tcase_add_loop_test(t, what_cannot_be_attached_is_refused, 0, 7);
    tcase_add_test(t, a_binary_module_has_places);
    suite_add_tcase(s, t);
    return s;
}
