/* The verifier and the type checker, from inside: what the programs in tests/accepted and
 * tests/refused cannot show. Types and instances that were filled in, modules that only a builder
 * can make, memory that runs out. */
#include "ir/check/check.h"
#include "serialize/text/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static fcl_context cx;
static ir_module m;

static void setup(void)
{
    ck_assert(context_init(&cx, NULL, NULL));
    ck_assert(ir_module_init(&m, &cx));
}

static void teardown(void)
{
    ir_module_release(&m);
    context_release(&cx);
}

static void read_text(const char *text)
{
    ck_assert_msg(text_read(&m, "test", text, strlen(text), NULL, NULL), "cannot read");
}

static str_id named(const char *name)
{
    return intern_find(&cx.strings, name, strlen(name));
}

static ir_value value_named(const char *name)
{
    for (ir_value v = 1; v < m.values.len; v++)
        if (m.values.at[v].name && m.values.at[v].name == named(name))
            return v;
    ck_abort_msg("no value %%%s", name);
    return 0;
}

static const char *type_named(const char *name)
{
    return type_str(&m, ir_value_at(&m, value_named(name))->type);
}

static unsigned first_code(void)
{
    return cx.diags.all.len ? (unsigned)cx.diags.all.at[0].code : 0;
}

/* ---- types that are filled in ---- */

static const char inferred[] = "fcl 0.1\n"
                               "fun @id<'a>(%x: 'a) { return %x }\n"
                               "fun @at<'a, l>(%xs: ['a]) { %p = push<l> %xs return %p }\n"
                               "fun @f(%xs: [int], %d: double, %b: bool) {\n"
                               "  %m = map %xs { (%x) %y = mul %d, 2 yield %y }\n"
                               "  %c = call @id(%m)\n"
                               "  %w = call @at<double, warp>(%c)\n"
                               "  %g = func @at\n"
                               "  %h = lapply<block> %g\n"
                               "  %q = apply %h, %xs\n"
                               "  %k = fn<'t, l> { (%u: ['t], %v: [['t]<l>]) yield %u }\n"
                               "  %t = tuple %w, %q\n"
                               "  return %t\n"
                               "}\n";

START_TEST(types_are_inferred)
{
    read_text(inferred);
    ck_assert(ir_check(&m));
    ck_assert(m.checked);
    ck_assert_str_eq(type_named("m"), "[double]");
    ck_assert_str_eq(type_named("c"), "[double]");
    ck_assert_str_eq(type_named("w"), "[double]<warp>");
    ck_assert_str_eq(type_named("q"), "[int]<block>");
    ck_assert_str_eq(type_named("t"), "([double]<warp>, [int]<block>)");
    ck_assert_int_eq(ir_type_at(&m, ir_value_at(&m, value_named("k"))->type)->kind, TY_FORALL);
    ck_assert_str_eq(type_str(&m, ir_func_at(&m, ir_func_named(&m, named("f")))->result),
                     type_named("t"));
}
END_TEST

START_TEST(kinds_are_inferred)
{
    read_text(inferred);
    ck_assert(ir_check(&m));
    ck_assert_int_eq(m.tvars.at[ir_func_at(&m, ir_func_named(&m, named("id")))->tparams].kind,
                     KIND_TYP);
    ck_assert_int_eq(m.tvars.at[ir_func_at(&m, ir_func_named(&m, named("at")))->tparams].kind,
                     KIND_BT);
}
END_TEST

START_TEST(instances_are_filled_in)
{
    read_text(inferred);
    ck_assert(ir_check(&m));
    const op_node *call = ir_op_at(&m, ir_value_at(&m, value_named("c"))->def);
    ck_assert_uint_ne(call->inst, 0);
    ck_assert_uint_eq(m.pool.at[call->inst], 1);
    ck_assert_uint_eq(m.pool.at[call->inst + 1], 0);
    ck_assert_str_eq(type_str(&m, m.pool.at[call->inst + 2]), "[double]");
    const op_node *func = ir_op_at(&m, ir_value_at(&m, value_named("g"))->def);
    ck_assert_uint_eq(func->inst, 0);
}
END_TEST

START_TEST(a_second_check_agrees)
{
    read_text(inferred);
    ck_assert(ir_check(&m));
    vec_char first = {0}, second = {0};
    ck_assert(text_write(&m, &first));
    m.checked = false;
    ck_assert(ir_check(&m));
    ck_assert(text_write(&m, &second));
    ck_assert_uint_eq(first.len, second.len);
    ck_assert_int_eq(memcmp(first.at, second.at, first.len), 0);
    vec_free(&cx.mem, &first);
    vec_free(&cx.mem, &second);
}
END_TEST

START_TEST(literals_are_decided)
{
    read_text("fcl 0.1\n"
              "fun @f(%d: double, %u: u8) {\n"
              "  %x = mul %d, -3\n"
              "  %y = add %u, 255\n"
              "  %t = tuple 7, 2.5\n"
              "  return %t\n"
              "}\n");
    ck_assert(ir_check(&m));
    for (ir_value v = 1; v < m.values.len; v++)
        if (m.values.at[v].kind == V_CONST) {
            ck_assert_int_eq(m.values.at[v].literal, LIT_TYPED);
            ck_assert_uint_ne(m.values.at[v].type, 0);
        }
    double minus_three = -3;
    uint64_t bits;
    memcpy(&bits, &minus_three, sizeof bits);
    ck_assert_uint_eq(ir_const_bits(&m, ir_arg(&m, ir_value_at(&m, value_named("x"))->def, 1)),
                      bits);
    ck_assert_str_eq(type_named("t"), "(int, double)");
}
END_TEST

START_TEST(wrong_annotations_stay_written)
{
    read_text(
        "fcl 0.1\nfun @f(%x: int) -> int { %y: double = add %x, 1 %z = add %y, %x return %x }\n");
    ck_assert(!ir_check(&m));
    ck_assert_uint_eq(cx.diags.errors, 1);
    ck_assert_uint_eq(first_code(), DIAG_ANNOTATION);
    ck_assert_str_eq(type_named("y"), "double");
    ck_assert(!m.checked);
}
END_TEST

/* ---- modules that only a builder can make ---- */

typedef struct built {
    ir_func f;
    ir_region body;
    ir_value x;
} built;

static built function(const char *name)
{
    built b = {.f = ir_add_func(&m, intern_cstr(&cx.strings, name), false, 0)};
    b.body = ir_func_at(&m, b.f)->body;
    b.x = ir_add_param(&m, b.body, type_scalar(&m, ST_I32), 0, true);
    return b;
}

static ir_value add(ir_region r, ir_value x, ir_value y)
{
    ir_value args[2] = {x, y};
    return ir_op_at(&m, ir_add_op(&m, r, SOP_ADD, args, 2, 0))->result;
}

static void finish(ir_region r, opcode code, ir_value v)
{
    ir_add_op(&m, r, code, &v, 1, 0);
}

static void refused(diag_code code)
{
    ck_assert(!ir_verify(&m));
    ck_assert_uint_eq(first_code(), code);
    diag_clear(&cx);
    ck_assert(!ir_check(&m));
    ck_assert_uint_eq(first_code(), code);
}

START_TEST(a_built_module_is_accepted)
{
    built b = function("f");
    ir_value y = add(b.body, b.x, ir_const(&m, ST_I32, 1));
    finish(b.body, OP_RETURN, add(b.body, y, y));
    ck_assert(ir_verify(&m));
    ck_assert(ir_check(&m));
    ck_assert_str_eq(type_str(&m, type_of_func(&m, b.f)), "int -> int");
}
END_TEST

START_TEST(a_body_must_end)
{
    built b = function("f");
    add(b.body, b.x, b.x);
    refused(DIAG_NO_TERMINATOR);
}
END_TEST

START_TEST(an_empty_body_must_end)
{
    function("f");
    refused(DIAG_NO_TERMINATOR);
}
END_TEST

START_TEST(nothing_follows_the_end)
{
    built b = function("f");
    finish(b.body, OP_RETURN, b.x);
    finish(b.body, OP_RETURN, b.x);
    refused(DIAG_EARLY_END);
}
END_TEST

START_TEST(a_body_ends_with_return)
{
    built b = function("f");
    finish(b.body, OP_YIELD, b.x);
    refused(DIAG_BAD_END);
}
END_TEST

START_TEST(operands_come_first)
{
    built b = function("f");
    ir_value y = add(b.body, b.x, b.x), z = add(b.body, b.x, b.x);
    ir_set_arg(&m, ir_value_at(&m, y)->def, 0, z);
    finish(b.body, OP_RETURN, z);
    refused(DIAG_NOT_VISIBLE);
}
END_TEST

START_TEST(operands_are_of_this_function)
{
    built b = function("f"), c = function("g");
    finish(b.body, OP_RETURN, c.x);
    finish(c.body, OP_RETURN, b.x);
    refused(DIAG_NOT_VISIBLE);
}
END_TEST

/* A result is not visible in the operation's own region, nor what is inside visible outside. */
static void generate_using(bool own_result)
{
    built b = function("f");
    ir_op g = ir_add_op(&m, b.body, OP_GENERATE, &b.x, 1, 0);
    ir_region r = ir_op_at(&m, g)->regions;
    ir_value i = ir_add_param(&m, r, 0, 0, false);
    finish(r, OP_YIELD, own_result ? ir_op_at(&m, g)->result : i);
    finish(b.body, OP_RETURN, own_result ? b.x : i);
    refused(DIAG_NOT_VISIBLE);
}

START_TEST(results_are_not_visible_inside)
{
    generate_using(true);
}
END_TEST

START_TEST(parameters_are_not_visible_outside)
{
    generate_using(false);
}
END_TEST

START_TEST(operands_exist)
{
    built b = function("f");
    ir_value y = add(b.body, b.x, b.x);
    ir_set_arg(&m, ir_value_at(&m, y)->def, 1, 12345);
    finish(b.body, OP_RETURN, y);
    refused(DIAG_MALFORMED);
}
END_TEST

START_TEST(operands_are_counted)
{
    built b = function("f");
    ir_value y = ir_op_at(&m, ir_add_op(&m, b.body, SOP_ADD, &b.x, 1, 0))->result;
    finish(b.body, OP_RETURN, y);
    refused(DIAG_OPERANDS);
}
END_TEST

START_TEST(region_parameters_are_counted)
{
    built b = function("f");
    ir_op g = ir_add_op(&m, b.body, OP_GENERATE, &b.x, 1, 0);
    finish(ir_op_at(&m, g)->regions, OP_YIELD, b.x);
    finish(b.body, OP_RETURN, b.x);
    refused(DIAG_REGION_PARAMS);
}
END_TEST

START_TEST(ranks_are_limited)
{
    built b = function("f");
    ir_value n[MAX_RANK + 1];
    for (int k = 0; k <= MAX_RANK; k++)
        n[k] = b.x;
    ir_op g = ir_add_op(&m, b.body, OP_GENERATE, n, MAX_RANK + 1, 0);
    for (int k = 0; k <= MAX_RANK; k++)
        ir_add_param(&m, ir_op_at(&m, g)->regions, 0, 0, false);
    finish(ir_op_at(&m, g)->regions, OP_YIELD, b.x);
    finish(b.body, OP_RETURN, b.x);
    refused(DIAG_NO_RANK);
}
END_TEST

START_TEST(attributes_are_needed)
{
    built b = function("f");
    finish(b.body, OP_RETURN, ir_op_at(&m, ir_add_op(&m, b.body, OP_PUSH, &b.x, 1, 0))->result);
    refused(DIAG_BAD_ATTRIBUTE);
}
END_TEST

START_TEST(called_functions_exist)
{
    built b = function("f");
    ir_op call = ir_add_op(&m, b.body, OP_CALL, &b.x, 1, 0);
    ir_op_at(&m, call)->attr = 77;
    finish(b.body, OP_RETURN, ir_op_at(&m, call)->result);
    refused(DIAG_MALFORMED);
}
END_TEST

START_TEST(names_differ)
{
    built b = function("f"), c = function("f");
    finish(b.body, OP_RETURN, b.x);
    finish(c.body, OP_RETURN, c.x);
    refused(DIAG_SAME_NAME);
}
END_TEST

START_TEST(an_fn_takes_something)
{
    built b = function("f");
    ir_op fn = ir_add_op(&m, b.body, OP_FN, NULL, 0, 0);
    finish(ir_op_at(&m, fn)->regions, OP_YIELD, b.x);
    finish(b.body, OP_RETURN, b.x);
    refused(DIAG_NO_PARAMS);
}
END_TEST

START_TEST(operators_are_known)
{
    built b = function("f");
    ir_op o = ir_add_op(&m, b.body, OP_YIELD, &b.x, 1, 0);
    ir_op_at(&m, o)->opcode = 190;
    refused(DIAG_NO_OPERATOR);
}
END_TEST

START_TEST(operations_are_listed_once)
{
    built b = function("f");
    ir_value y = add(b.body, b.x, b.x);
    ir_op o = ir_value_at(&m, y)->def;
    finish(b.body, OP_RETURN, y);
    ir_op_at(&m, o)->next = o;
    refused(DIAG_MALFORMED);
}
END_TEST

START_TEST(nesting_is_limited)
{
    built b = function("f");
    ir_region r = b.body;
    ir_op chain[5000];
    for (int k = 0; k < 5000; k++) {
        chain[k] = ir_add_op(&m, r, OP_GENERATE, &b.x, 1, 0);
        r = ir_op_at(&m, chain[k])->regions;
        ir_add_param(&m, r, 0, 0, false);
    }
    finish(r, OP_YIELD, b.x);
    for (int k = 5000; k-- > 1;)
        finish(ir_op_at(&m, chain[k])->parent, OP_YIELD, b.x);
    finish(b.body, OP_RETURN, b.x);
    refused(DIAG_TOO_DEEP);
}
END_TEST

START_TEST(type_variables_have_a_scope)
{
    built b = function("f"), c = function("g");
    ir_tvar v = ir_add_tvar(&m, b.f, intern_cstr(&cx.strings, "a"), false, KIND_TYP);
    ir_value_at(&m, c.x)->type = type_var(&m, v);
    finish(b.body, OP_RETURN, b.x);
    finish(c.body, OP_RETURN, c.x);
    ck_assert(ir_verify(&m));
    ck_assert(!ir_check(&m));
    ck_assert_uint_eq(first_code(), DIAG_TYPE_SCOPE);
}
END_TEST

START_TEST(one_bad_function_does_not_hide_the_others)
{
    built b = function("f"), c = function("g");
    add(b.body, b.x, b.x);
    finish(c.body, OP_RETURN, add(c.body, c.x, ir_const(&m, ST_F64, 0)));
    ck_assert(!ir_check(&m));
    ck_assert_uint_eq(cx.diags.all.len, 2);
    ck_assert_uint_eq(first_code(), DIAG_NO_TERMINATOR);
    ck_assert_uint_eq((unsigned)cx.diags.all.at[1].code, DIAG_OPERAND_TYPES);
}
END_TEST

/* ---- memory that runs out ---- */

static long allowed; /* allocations until one fails, then all do */

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return allowed-- > 0 ? realloc(ptr, new_size) : NULL;
}

static const char levels_text[] =
    "fcl 0.1\n"
    "fun @each<l>(%f: [int] -> [int], %xss: [[int]]) -> [int]<1+l> {\n"
    "  %ps = map %xss { (%xs) %ys = apply %f, %xs %p = push<l> %ys yield %p }\n"
    "  %out = concat 4, %ps\n"
    "  return %out\n"
    "}\n"
    "kernel @k(%xs: [int]) {\n"
    "  %f = fn<'a> { (%u: 'a, %v: [int]) %g = push<block> %v %a = force %g yield %a }\n"
    "  %h = apply %f, 1.5\n"
    "  %xss = generate 4 { (%i) yield %xs }\n"
    "  %out = call @each<block>(%h, %xss)\n"
    "  return %out\n"
    "}\n";

START_TEST(running_out_of_memory_is_an_error)
{
    bool ok = false;
    for (long n = 0; !ok; n++) {
        fcl_context small;
        ir_module tight;
        allowed = 1 << 20;
        ck_assert(context_init(&small, limited, NULL));
        ck_assert(ir_module_init(&tight, &small));
        ck_assert(text_read(&tight, "test", levels_text, strlen(levels_text), NULL, NULL));
        allowed = n;
        ok = ir_check(&tight);
        ck_assert(ok || small.mem.oom);
        ck_assert_int_lt(n, 10000);
        ir_module_release(&tight);
        context_release(&small);
    }
}
END_TEST

Suite *check_suite(void)
{
    Suite *s = suite_create("check");
    const TTest *types[] = {
        types_are_inferred,    kinds_are_inferred,   instances_are_filled_in,
        a_second_check_agrees, literals_are_decided, wrong_annotations_stay_written,
    };
    const TTest *structure[] = {
        a_built_module_is_accepted,
        a_body_must_end,
        an_empty_body_must_end,
        nothing_follows_the_end,
        a_body_ends_with_return,
        operands_come_first,
        operands_are_of_this_function,
        results_are_not_visible_inside,
        parameters_are_not_visible_outside,
        operands_exist,
        operands_are_counted,
        region_parameters_are_counted,
        ranks_are_limited,
        attributes_are_needed,
        called_functions_exist,
        names_differ,
        an_fn_takes_something,
        operators_are_known,
        operations_are_listed_once,
        nesting_is_limited,
        type_variables_have_a_scope,
        one_bad_function_does_not_hide_the_others,
    };
    TCase *t = tcase_create("types"), *v = tcase_create("structure"), *o = tcase_create("memory");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_checked_fixture(v, setup, teardown);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        tcase_add_test(t, types[i]);
    for (size_t i = 0; i < sizeof structure / sizeof *structure; i++)
        tcase_add_test(v, structure[i]);
    tcase_add_test(o, running_out_of_memory_is_an_error);
    suite_add_tcase(s, t);
    suite_add_tcase(s, v);
    suite_add_tcase(s, o);
    return s;
}
