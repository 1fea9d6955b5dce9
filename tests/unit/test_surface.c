/* FCL source through the public interface: loading, entries, signatures, diagnostics, and memory
 * that runs out. */
#include "tests/unit/api_world.h"

#include <stdlib.h>

Suite *surface_suite(void);

static const char program[] =
    "-- two kernels to be\n"
    "sig step : <l> -> (a -> a -> a) -> [a] -> [a]<l>\n"
    "fun step <l> f xs = let x = halve xs in push <l> (zipWith f (fst x) (snd x))\n"
    "fun twice xs = push <grid> (map (fn x => x + x) xs)\n"
    "fun sums xs = step <grid> (fn x y => x + y) xs\n";

static fcl_module *load_source(fcl_context *cx, const char *name, const char *text,
                               const char *entry)
{
    fcl_load_options options = {.entry = entry};
    return fcl_module_load(cx, name, text, strlen(text), &options);
}

START_TEST(the_entry_is_the_kernel)
{
    fcl_context *cx = new_context();
    fcl_module *last = load_source(cx, "p.fcl", program, NULL),
               *named = load_source(cx, "p.fcl", program, "twice");
    ck_assert(last && named && fcl_module_check_kernels(last) && fcl_module_check_kernels(named));
    ck_assert_uint_eq(fcl_kernel_count(last), 1);
    ck_assert_str_eq(fcl_kernel_name(last, 0), "sums");
    ck_assert_str_eq(fcl_kernel_name(named, 0), "twice");
    ck_assert_ptr_null(load_source(cx, "p.fcl", program, "step"));
    ck_assert_ptr_null(load_source(cx, "p.fcl", program, "none"));
    fcl_module_destroy(last);
    fcl_module_destroy(named);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(signatures_are_inferred)
{
    fcl_context *cx = new_context();
    fcl_module *m = load_source(cx, "p.fcl", program, NULL),
               *core = load_source(cx, "p.fclir", "fcl 0.1\n", NULL);
    size_t size = 0;
    char *text = m ? fcl_module_signatures(m, &size) : NULL;
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, "sig step : <l> -> (a -> a -> a) -> [a] -> [a]<l>\n"
                           "sig twice : forall a:num. [a] -> [a]<grid>\n"
                           "sig sums : forall a:num. [a] -> [a]<grid>\n");
    ck_assert_uint_eq(size, strlen(text));
    ck_assert_ptr_null(fcl_module_signatures(core, &size));
    fcl_free(cx, text, strlen(text));
    fcl_module_destroy(m);
    fcl_module_destroy(core);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(every_declaration_reports_its_mistake)
{
    static const char text[] = "fun a x = y\nfun b x = x + true\nfun c x = a x\n";
    fcl_context *cx = new_context();
    fcl_diagnostic d;
    ck_assert_ptr_null(load_source(cx, "p.fcl", text, NULL));
    ck_assert_uint_eq(fcl_diagnostic_count(cx), 2);
    ck_assert(fcl_diagnostic_get(cx, 0, &d, sizeof d) && d.code == 1008 && d.line == 1 &&
              d.column == 11 && d.length == 1);
    ck_assert(fcl_diagnostic_get(cx, 1, &d, sizeof d) && d.line == 2 && d.column == 15 &&
              d.length == 4);
    ck_assert_ptr_nonnull(strstr(fcl_diagnostic_text(cx, 1), "^~~~"));
    fcl_context_destroy(cx);
}
END_TEST

static bool own_prelude(void *user, const char *name, const char **text, size_t *size)
{
    (void)user;
    *text = "fun halve xs = (xs, xs)\n";
    *size = strlen(*text);
    return strcmp(name, "prelude.fcl") == 0;
}

START_TEST(the_prelude_can_be_replaced)
{
    fcl_context *cx = new_context();
    fcl_load_options options = {.import = own_prelude};
    static const char text[] = "fun f xs = push <grid> (fst (halve xs))\n",
                      other[] = "fun f xs = reverse xs\n";
    fcl_module *m = fcl_module_load(cx, "p.fcl", text, sizeof text - 1, &options);
    ck_assert(m && fcl_module_check_kernels(m));
    ck_assert_ptr_null(fcl_module_load(cx, "p.fcl", other, sizeof other - 1, &options));
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
}
END_TEST

START_TEST(operators_are_listed)
{
    fcl_operator op;
    size_t n = 0;
    while (fcl_operator_get(n, &op, sizeof op))
        ck_assert(op.name && op.formula && op.arity >= 1 && op.arity <= 3 &&
                  strchr("AONIFBLS", op.operands) && ++n);
    ck_assert_uint_gt(n, 50);
    ck_assert(fcl_operator_get(0, &op, sizeof op) && strcmp(op.name, "add") == 0 && op.arity == 2 &&
              !op.gives_bool);
}
END_TEST

/* ---- memory that runs out ---- */

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)old_size;
    long *left = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(ptr, new_size) : NULL;
}

/* Loads with k allocations; true when that was enough. */
static bool loads_with(long k)
{
    long left = k;
    fcl_context *cx = fcl_context_create(limited, &left);
    fcl_module *m = cx ? load_source(cx, "p.fcl", program, NULL) : NULL;
    if (cx && !m)
        ck_assert_uint_ge(fcl_diagnostic_count(cx), 1);
    bool ok = m != NULL;
    fcl_module_destroy(m);
    fcl_context_destroy(cx);
    return ok;
}

START_TEST(every_allocation_may_fail)
{
    long k = 0;
    while (k < 100000 && !loads_with(k))
        k += k < 200 ? 1 : 7;
    ck_assert_int_lt(k, 100000);
}
END_TEST

Suite *surface_suite(void)
{
    Suite *s = suite_create("surface");
    TCase *t = tcase_create("surface");
    tcase_add_test(t, the_entry_is_the_kernel);
    tcase_add_test(t, signatures_are_inferred);
    tcase_add_test(t, every_declaration_reports_its_mistake);
    tcase_add_test(t, the_prelude_can_be_replaced);
    tcase_add_test(t, operators_are_listed);
    tcase_add_test(t, every_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}
