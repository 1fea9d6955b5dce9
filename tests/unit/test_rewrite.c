/* Rewriting of the core: every primitive of ir/rewrite on a small module, which the verifier and
 * the checker accept after each step; inlining of every call of larger ones; memory that runs out.
 */
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/rewrite/edit.h"
#include "tests/unit/text_world.h"

Suite *rewrite_suite(void);

static const char program[] =
    HEAD "fun @f<'a, l>(%x: 'a, %n: int) -> ['a]<l> {\n"
         "  %two = add %n, 2 loc(\"a.apl\":3:4)\n"
         "  %xs = generate %two { (%i: int)\n    yield %x\n  }\n"
         "  %id = fn<'q, m> { (%y: 'q)\n    yield %y\n  }\n"
         "  %p = push<l> %xs\n  return %p\n}\n"
         "kernel @k(%n: int) -> [int]<grid> {\n"
         "  %a = add %n, 1\n  %b = mul %a, %a\n"
         "  %c = lt %a, 5\n"
         "  %d = if %c {\n    %e = add %b, %n\n    yield %e\n  } {\n    yield %a\n  }\n"
         "  %r = call @f<int, grid>(%d, %b)\n  return %r\n}\n";

static void open_checked(world *w, const char *text)
{
    read_text(w, text);
    ck_assert(w->ok && ir_check(&w->m));
}

static void expect_valid(world *w)
{
    bool ok = ir_verify(&w->m);
    show_diags(w);
    ck_assert(ok);
    ok = ir_check(&w->m);
    show_diags(w);
    ck_assert(ok);
}

static ir_func func_of(world *w, const char *name)
{
    ir_func f = ir_func_named(&w->m, ir_name(&w->m, name, strlen(name)));
    ck_assert_uint_ne(f, 0);
    return f;
}

/* The operation of a region whose result has that name. */
static ir_op op_of(world *w, ir_region r, const char *name)
{
    str_id s = ir_name(&w->m, name, strlen(name));
    for (ir_op o = ir_region_at(&w->m, r)->first; o; o = ir_op_at(&w->m, o)->next)
        if (ir_value_name(&w->m, ir_op_at(&w->m, o)->result) == s)
            return o;
    ck_abort_msg("there is no %%%s", name);
    return 0;
}

static ir_value result(world *w, ir_op o)
{
    return ir_op_at(&w->m, o)->result;
}

static ir_region body_of(world *w, const char *name)
{
    return ir_func_at(&w->m, func_of(w, name))->body;
}

/* The text has this in it. */
static void expect_text(world *w, const char *part)
{
    char *text = written(w);
    ck_assert_msg(strstr(text, part) != NULL, "there is no '%s' in\n%s", part, text);
    free(text);
}

static uint32_t uses_of(const ir_editor *e, ir_value v)
{
    uint32_t n = 0;
    for (uint32_t u = ir_first_use(e, v); u; u = ir_next_use(e, u))
        n++;
    return n;
}

START_TEST(uses_are_known_and_replaced)
{
    world w;
    ir_editor e;
    open_checked(&w, program);
    ir_region k = body_of(&w, "k");
    ir_op a = op_of(&w, k, "a"), b = op_of(&w, k, "b");
    ck_assert(ir_editor_init(&e, &w.m));
    ck_assert_uint_eq(uses_of(&e, result(&w, a)), 4);
    ck_assert_uint_eq(uses_of(&e, result(&w, b)), 2);
    ir_replace_uses(&e, result(&w, b), result(&w, a));
    ck_assert_uint_eq(uses_of(&e, result(&w, a)), 6);
    ck_assert_uint_eq(uses_of(&e, result(&w, b)), 0);
    expect_valid(&w);
    ir_value nine = ir_const(&w.m, ST_I32, 9);
    ir_set_operand(&e, b, 1, nine);
    ck_assert_uint_eq(uses_of(&e, result(&w, a)), 5);
    ck_assert_uint_eq(uses_of(&e, nine), 1);
    expect_valid(&w);
    expect_text(&w, "%b: int = mul %a, 9\n");
    expect_text(&w, "call @f<int, grid>(%d, %a)");
    ck_assert(ir_erase_op(&e, b));
    ck_assert(!ir_erase_op(&e, a));
    ck_assert_uint_eq(uses_of(&e, result(&w, a)), 4);
    ck_assert(ir_editor_end(&e));
    expect_valid(&w);
    close_world(&w);
}
END_TEST

START_TEST(operations_are_inserted_and_moved)
{
    world w;
    ir_editor e;
    open_checked(&w, program);
    ir_region k = body_of(&w, "k");
    ir_op a = op_of(&w, k, "a"), b = op_of(&w, k, "b"), d = op_of(&w, k, "d");
    ir_region then = ir_op_at(&w.m, d)->regions;
    ck_assert(ir_editor_init(&e, &w.m));
    for (uint32_t i = 0; i < 600; i++) { /* more than fit between two numbers */
        ir_value args[2] = {result(&w, a), result(&w, a)};
        ir_op o = ir_insert_op(&e, k, b, SOP_ADD, args, 2, 0);
        ck_assert_uint_ne(o, 0);
        ck_assert(ir_visible_at(&e, result(&w, o), k, b));
        ck_assert(!ir_visible_at(&e, result(&w, o), k, a));
        ck_assert(i % 2 || ir_erase_op(&e, o));
    }
    expect_valid(&w);
    ck_assert(!ir_move_op(&e, a, k, d));                                  /* b uses it */
    ck_assert(!ir_move_op(&e, b, then, ir_region_at(&w.m, then)->first)); /* so does the call */
    ck_assert(!ir_move_op(&e, b, k, a));                                  /* which it uses */
    ck_assert(!ir_move_op(&e, d, then, 0));
    expect_valid(&w);
    ir_op sum = op_of(&w, then, "e");
    ck_assert(ir_move_op(&e, sum, k, d));
    ck_assert_uint_eq(ir_op_at(&w.m, sum)->parent, k);
    expect_valid(&w);
    ck_assert(ir_move_op(&e, sum, then, ir_region_at(&w.m, then)->last));
    expect_valid(&w);
    ir_value given = ir_move_body(&e, then, k, d);
    ck_assert_uint_eq(given, result(&w, sum));
    ir_replace_uses(&e, result(&w, d), given);
    ck_assert(ir_erase_op(&e, d));
    ck_assert(ir_editor_end(&e));
    expect_valid(&w);
    expect_text(&w, "  %e: int = add %b, %n\n  %r: [int]<grid> = call @f<int, grid>(%e, %b)\n");
    close_world(&w);
}
END_TEST

START_TEST(a_call_becomes_the_body)
{
    world w;
    ir_editor e;
    open_checked(&w, program);
    ir_region k = body_of(&w, "k");
    ir_op r = op_of(&w, k, "r");
    ck_assert(ir_editor_init(&e, &w.m));
    ck_assert(ir_inline_call(&e, r));
    ck_assert(!ir_inline_call(&e, op_of(&w, k, "a")));
    ck_assert(ir_editor_end(&e));
    expect_valid(&w);
    expect_text(&w, "  %two: int = add %b, 2 loc(\"a.apl\":3:4)\n"
                    "  %xs: [int] = generate %two { (%i: int)\n    yield %d\n  }\n");
    expect_text(&w, "%r: [int]<grid> = push<grid> %xs\n  return %r\n");
    expect_text(&w, "fn<'q: TYP, m> { (%y: 'q)");
    close_world(&w);
}
END_TEST

START_TEST(functions_are_copied)
{
    world w;
    open_checked(&w, program);
    ir_func f = func_of(&w, "f");
    ir_attr_set(&w.cx.mem, &w.m.attrs, (subject){ON_FUNC, f},
                (attribute){.key = ir_name(&w.m, "hot", 3), .number = 1});
    ir_cloner c;
    ir_cloner_init(&c, &w.m, &w.m);
    ir_func copy = ir_clone_func(&c, f, ir_name(&w.m, "copy", 4));
    ck_assert_uint_ne(copy, 0);
    ir_cloner_free(&c);
    expect_valid(&w);
    ck_assert_uint_ne(ir_func_at(&w.m, copy)->tparams, ir_func_at(&w.m, f)->tparams);
    ck_assert_uint_ne(ir_attr_first(&w.m.attrs, (subject){ON_FUNC, copy}), 0);
    char *text = written(&w), *first = strstr(text, "fun @f<"),
         *second = strstr(text, "fun @copy<");
    size_t n = strcspn(first, "}");
    ck_assert(second && strncmp(first + 6, second + 9, n) == 0);
    free(text);
    close_world(&w);
}
END_TEST

/* A module of its own with the copies of all functions prints the same. */
START_TEST(a_module_is_copied)
{
    world w;
    open_checked(&w, program);
    ir_module other;
    ck_assert(ir_module_init(&other, &w.cx));
    other.file = w.m.file;
    ir_cloner c;
    ir_cloner_init(&c, &w.m, &other);
    for (ir_func f = 1; f < w.m.funcs.len; f++) {
        ir_func copy = ir_clone_func(&c, f, ir_func_at(&w.m, f)->name);
        ck_assert_uint_ne(copy, 0);
        ir_cloner_func(&c, f, copy);
        ir_cloner_reset(&c);
    }
    ir_cloner_free(&c);
    ck_assert(ir_verify(&other) && ir_check(&other));
    vec_char x = {0}, y = {0};
    ck_assert(text_write(&w.m, &x) && text_write(&other, &y));
    ck_assert_str_eq(text_cstr(&w.cx.mem, &x), text_cstr(&w.cx.mem, &y));
    vec_free(&w.cx.mem, &x);
    vec_free(&w.cx.mem, &y);
    ir_module_release(&other);
    close_world(&w);
}
END_TEST

/* Calls in calls, of which every one is inlined; and all passes, one after the other. */
static const char nested[] = HEAD
    "fun @a<'t>(%f: 't -> 't, %x: 't) -> 't {\n  %y = apply %f, %x\n  return %y\n}\n"
    "fun @b(%x: int) -> int {\n  %f = fn { (%y: int)\n    %z = call @c(%y)\n    yield %z\n  }\n"
    "  %r = call @a<int>(%f, %x)\n  %s = call @a<int>(%f, %r)\n  return %s\n}\n"
    "fun @c(%x: int) -> int {\n  %t = lt 1, 2\n  %y = if %t { %p = add %x, 1 yield %p } { yield 3 "
    "}\n"
    "  %q = add %x, 1\n  %r = mul %y, %q\n  return %r\n}\n"
    "kernel @k(%xs: [int]) -> [int]<grid> {\n"
    "  %ys = map %xs { (%x)\n    %y = call @b(%x)\n    %z = call @b(%y)\n    yield %z\n  }\n"
    "  %p = push<grid> %ys\n  return %p\n}\n";

static bool rewrite_all(ir_module *m)
{
    return pass_inline(m, UINT32_MAX) && pass_fold(m) && pass_cse(m) && pass_dce(m);
}

START_TEST(every_call_is_inlined)
{
    world w;
    open_checked(&w, nested);
    ck_assert(rewrite_all(&w.m));
    expect_valid(&w);
    char *text = written(&w);
    ck_assert_ptr_null(strstr(text, "call"));
    ck_assert_ptr_null(strstr(text, " if "));
    free(text);
    close_world(&w);
}
END_TEST

/* ---- memory that runs out ---- */

static long left; /* allocations until one fails, then all do */

static void *meagre_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (!new_size) {
        free(ptr);
        return NULL;
    }
    return left-- > 0 ? realloc(ptr, new_size) : NULL;
}

START_TEST(memory_may_run_out)
{
    bool enough = false;
    for (long k = 0; !enough; k++) {
        world w;
        left = 1000000;
        ck_assert(context_init(&w.cx, meagre_realloc, NULL) && ir_module_init(&w.m, &w.cx));
        ck_assert(text_read(&w.m, "t.fclir", nested, strlen(nested), find_file, NULL));
        ck_assert(ir_check(&w.m));
        left = k;
        enough = rewrite_all(&w.m);
        left = 1000000;
        ck_assert(enough || w.cx.mem.oom);
        close_world(&w);
    }
}
END_TEST

Suite *rewrite_suite(void)
{
    Suite *s = suite_create("rewrite");
    TCase *t = tcase_create("rewrite");
    tcase_add_test(t, uses_are_known_and_replaced);
    tcase_add_test(t, operations_are_inserted_and_moved);
    tcase_add_test(t, a_call_becomes_the_body);
    tcase_add_test(t, functions_are_copied);
    tcase_add_test(t, a_module_is_copied);
    tcase_add_test(t, every_call_is_inlined);
    tcase_add_test(t, memory_may_run_out);
    suite_add_tcase(s, t);
    return s;
}
