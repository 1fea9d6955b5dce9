/* serialize/: the text form.  What is read and written again stays the same; every error has its
 * code and its place. */
#include "tests/unit/text_world.h"

#include <locale.h>

Suite *text_suite(void);

/* The errors of a text as "E0201@3:8+6 E0207@...": code, line, column, length. */
static char *errors_of(const char *text)
{
    world w;
    size_t at = 0;
    char *s = calloc(1, 8000);
    read_text(&w, text);
    for (uint32_t i = 0; i < w.cx.diags.all.len && at < 7000; i++) {
        const diag *d = &w.cx.diags.all.at[i];
        at += (size_t)sprintf(s + at, "%sE%04u@%u:%u+%u", i ? " " : "", (unsigned)d->code,
                              d->loc.line, d->loc.col, d->loc.len);
    }
    close_world(&w);
    return s;
}

static void expect_errors(const char *text, const char *expected)
{
    char *s = errors_of(text);
    if (strcmp(s, expected) != 0)
        ck_abort_msg("%s\nhas errors  %s\nexpected    %s", text, s, expected);
    free(s);
}

/* ---- what is right ---- */

START_TEST(canonical_text_is_a_fixpoint)
{
    char *s = round_trip(canonical[_i]);
    ck_assert_str_eq(s, canonical[_i]);
    free(s);
}
END_TEST

START_TEST(layout_is_free)
{
    char *s =
        round_trip("// first\n\n \t\r\nfcl 0.1 // version\nimport \"lib\" fun @f // "
                   "name\n(%x:int,\n%xs:[ int ]\n)->int{%y=add\n"
                   "%x,\n1 %ys=map%xs{(%v)%w=call @inc(%v)yield%w}%e=array%b=blocksize return%y}");
    ck_assert_str_eq(
        s, "fcl 0.1\n\nimport \"lib\"\n\nfun @f(%x: int, %xs: [int]) -> int {\n  %y = add %x, 1\n"
           "  %ys = map %xs { (%v)\n    %w = call @inc(%v)\n    yield %w\n  }\n  %e = array\n"
           "  %b = blocksize\n  return %y\n}\n");
    free(s);
}
END_TEST

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

START_TEST(literals_have_the_right_bits)
{
    static const struct {
        const char *text;
        uint32_t literal;
        scalar type;
        uint64_t bits;
        double x; /* of LIT_FLOAT and f64 */
    } cases[] = {
        {"42", LIT_INT, ST_NONE, 42, 0},
        {"-7", LIT_NEG, ST_NONE, 7, 0},
        {"0x1F", LIT_INT, ST_NONE, 31, 0},
        {"0xffffffffffffffff", LIT_INT, ST_NONE, UINT64_MAX, 0},
        {"1.5", LIT_FLOAT, ST_NONE, 0, 1.5},
        {"1e3", LIT_FLOAT, ST_NONE, 0, 1000},
        {"25E-1", LIT_FLOAT, ST_NONE, 0, 2.5},
        {"-1.5e+2", LIT_FLOAT, ST_NONE, 0, -150},
        {"3i64", LIT_TYPED, ST_I64, 3, 0},
        {"-3int", LIT_TYPED, ST_I32, (uint64_t)-3, 0},
        {"-128i8", LIT_TYPED, ST_I8, (uint64_t)-128, 0},
        {"255u8", LIT_TYPED, ST_U8, 255, 0},
        {"0x7fffffffi32", LIT_TYPED, ST_I32, 0x7fffffff, 0},
        {"-9223372036854775808i64", LIT_TYPED, ST_I64, (uint64_t)1 << 63, 0},
        {"1f64", LIT_TYPED, ST_F64, 0, 1},
        {"2.5double", LIT_TYPED, ST_F64, 0, 2.5},
        {"1.5f32", LIT_TYPED, ST_F32, 0x3fc00000, 0},
        {"1.00000017881393432617187499f32", LIT_TYPED, ST_F32, 0x3f800001,
         0}, /* wrong when rounded twice */
        {"-inff32", LIT_TYPED, ST_F32, 0xff800000, 0},
        {"true", LIT_TYPED, ST_BOOL, 1, 0},
        {"false", LIT_TYPED, ST_BOOL, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        world w;
        snprintf(text, sizeof text, HEAD "fun @f(%%x: int) { return %s }", cases[i].text);
        read_text(&w, text);
        show_diags(&w);
        ck_assert(w.ok);
        ir_value v = ir_arg(&w.m, w.m.ops.len - 1, 0);
        ck_assert_uint_eq(ir_value_at(&w.m, v)->literal, cases[i].literal);
        ck_assert_int_eq((int)type_as_scalar(&w.m, ir_value_at(&w.m, v)->type), (int)cases[i].type);
        uint64_t bits = cases[i].x != 0 ? double_bits(cases[i].x) : cases[i].bits;
        ck_assert_msg(ir_const_bits(&w.m, v) == bits, "%s", cases[i].text);
        close_world(&w);
    }
}
END_TEST

START_TEST(another_locale_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "da_DK.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !setlocale(LC_NUMERIC, names[i]); i++)
        continue;
    char *s = round_trip(canonical[5]);
    ck_assert_str_eq(s, canonical[5]);
    free(s);
}
END_TEST

START_TEST(types_bind_their_own_levels)
{
    world w;
    read_text(&w, HEAD "fun @f<l>(%a: <m> -> <k> -> [int]<1+m> -> [int]<k> -> [int]<l>, %b: forall "
                       "'a: BT. forall 'b. "
                       "'a -> 'b) -> int {"
                       " return 1 }");
    show_diags(&w);
    ck_assert(w.ok);
    const type_node *outer = ir_type_at(&w.m, ir_value_at(&w.m, 1)->type);
    ck_assert_int_eq(outer->kind, TY_LVLFN);
    const type_node *fn = ir_type_at(&w.m, ir_type_at(&w.m, outer->a)->a);
    ck_assert_int_eq(fn->kind, TY_FUN);
    ck_assert_uint_eq(ir_type_at(&w.m, fn->a)->b, level_succ(level_bound(1)));
    fn = ir_type_at(&w.m, fn->b);
    ck_assert_uint_eq(ir_type_at(&w.m, fn->a)->b, level_bound(0));
    ck_assert_uint_eq(ir_type_at(&w.m, fn->b)->b, level_var(ir_func_at(&w.m, 1)->tparams));
    const type_node *scheme = ir_type_at(&w.m, ir_value_at(&w.m, 2)->type);
    ck_assert_int_eq(scheme->kind, TY_FORALL);
    ck_assert_int_eq(scheme->n, KIND_BT);
    fn = ir_type_at(&w.m, ir_type_at(&w.m, scheme->a)->a);
    ck_assert_uint_eq(ir_type_at(&w.m, fn->a)->a, 1);
    ck_assert_uint_eq(ir_type_at(&w.m, fn->b)->a, 0);
    close_world(&w);
}
END_TEST

START_TEST(places_are_those_of_the_text)
{
    world w;
    read_text(&w, HEAD "fun @f(%x: int) -> int {\n  %y = add %x, 1\n  %z = neg %y "
                       "loc(\"a.apl\":12:5)\n  return %z\n}\n");
    ck_assert(w.ok);
    location a = ir_op_loc(&w.m, 1), b = ir_op_loc(&w.m, 2),
             f = ir_loc_at(&w.m, ir_func_at(&w.m, 1)->loc);
    ck_assert_str_eq(ir_str(&w.m, a.file), "t.fclir");
    ck_assert_uint_eq(a.line, 3);
    ck_assert_uint_eq(a.col, 8);
    ck_assert_uint_eq(a.len, 3);
    ck_assert_str_eq(ir_str(&w.m, b.file), "a.apl");
    ck_assert_uint_eq(b.line, 12);
    ck_assert_uint_eq(b.col, 5);
    ck_assert_uint_eq(f.line, 2);
    ck_assert_uint_eq(f.col, 5);
    close_world(&w);
}
END_TEST

/* ---- imports ---- */

START_TEST(imports_are_read_once)
{
    world w;
    read_text(&w, HEAD "import \"left\"\nimport \"right\"\nimport \"lib\"\nimport \"left\"\n"
                       "fun @f(%x: int) -> int { %a = call @left(%x) %b = call @right(%a) %c = "
                       "call @inc(%b) return %c }\n");
    show_diags(&w);
    ck_assert(w.ok);
    ck_assert_uint_eq(w.m.imports.len, 3);
    ck_assert_uint_eq(w.m.funcs.len, 5);
    ir_func inc = ir_func_named(&w.m, intern_cstr(&w.cx.strings, "inc"));
    ck_assert_uint_eq(ir_func_at(&w.m, inc)->import, 2); /* of left, lib, right */
    ck_assert_str_eq(ir_str(&w.m, ir_loc_at(&w.m, ir_func_at(&w.m, inc)->loc).file), "lib");
    char *s = written(&w);
    ck_assert_ptr_eq(
        strstr(s, HEAD "\nimport \"left\"\nimport \"lib\"\nimport \"right\"\n\nfun @f"), s);
    free(s);
    close_world(&w);
}
END_TEST

START_TEST(indirect_imports_are_not_printed)
{
    char *s = round_trip(
        HEAD "import \"left\"\nfun @f(%x: int) -> int { %a = call @left(%x) return %a }\n");
    ck_assert(strstr(s, "left") && !strstr(s, "lib"));
    free(s);
}
END_TEST

START_TEST(a_module_can_be_given_an_import)
{
    world w;
    open_world(&w);
    ck_assert(text_import(&w.m, "left", find_file, NULL, (location){0}));
    ck_assert(text_import(&w.m, "lib", find_file, NULL, (location){0}));
    ck_assert_uint_eq(w.m.imports.len, 2);
    ck_assert(!w.m.imports.at[1].indirect);
    ck_assert_uint_ne(ir_func_named(&w.m, intern_cstr(&w.cx.strings, "inc")), 0);
    ck_assert(!text_import(&w.m, "none", find_file, NULL, (location){0}));
    ck_assert(!text_import(&w.m, "loop", find_file, NULL, (location){0}));
    ck_assert_int_eq((int)w.cx.diags.all.at[0].code, 216);
    ck_assert_int_eq((int)w.cx.diags.all.at[1].code, 217);
    close_world(&w);
}
END_TEST

START_TEST(errors_in_imports_point_into_them)
{
    world w;
    read_text(&w, HEAD "import \"broken\"\nimport \"upward\"\nfun @mine(%x: int) -> int { %y = neg "
                       "%q return %y }\n");
    ck_assert_uint_eq(w.cx.diags.all.len, 3);
    const diag *d = w.cx.diags.all.at;
    ck_assert_int_eq((int)d[0].code, 201);
    ck_assert_str_eq(ir_str(&w.m, d[0].loc.file), "broken");
    ck_assert_int_eq((int)d[1].code, 209); /* an import does not see who imports it */
    ck_assert_str_eq(ir_str(&w.m, d[1].loc.file), "upward");
    ck_assert_int_eq((int)d[2].code, 207);
    ck_assert_str_eq(ir_str(&w.m, d[2].loc.file), "t.fclir");
    close_world(&w);
}
END_TEST

/* ---- what is wrong ---- */

static const char *const wrong[][2] = {
    /* the file */
    {"", "E0102@1:1+0"},
    {"// nothing\n", "E0102@2:1+0"},
    {"let x = 1\n", "E0102@1:1+3"},
    {"\x7f"
     "ELF\x01\x02",
     "E0101@1:1+1"},
    {"fun @f(%x: int) { %y = ad %x return %y }", "E0102@1:1+3 E0201@1:24+2"},
    {"fcl 1.0\n", "E0103@1:5+3"},
    {"fcl 0.\n", "E0103@1:5+2"},
    {"fcl 0\n", "E0103@1:5+1"},
    {"fcl 0.3\nfun @f(%x: int) -> int { %y = frobnicate %x return %y }", "E0201@2:31+10"},
    {"fcl 0.1.1\n", "E0103@1:5+5"},
    {"fcl x\n", "E0106@1:5+1"},
    {HEAD "%x = add 1, 2\n", "E0106@2:1+2"},
    {HEAD "fun f(%x: int) -> int { return %x }\nfun @g() -> { return 1 }\n",
     "E0106@2:5+1 E0106@3:13+1"},
    /* characters, strings */
    {BODY("  %y = add %x~, 1\n  return %y\n"), "E0104@4:14+1"},
    {BODY("  %y = add %x, \xc3\xa9\xc3\xa9 1\n  return %y\n"), "E0104@4:16+4"},
    {BODY("  %y = add %x, \xff 1\n  return %q\n"), "E0101@4:16+1"},
    {BODY("  %y = add %x, 1 // \xff \xc3\xa9\n  return %y\n"), ""},
    {BODY("  %y = add %x, % 1\n  return %y\n"), "E0106@4:16+1 E0106@4:18+1"},
    {HEAD "import \"lib\nfun @f(%x: int) -> int { return %x }\n", "E0105@2:8+4"},
    {HEAD "import \"l\\qb\"\n", "E0105@2:10+2"},
    {HEAD "import \"\"\n", "E0106@2:8+2"},
    {HEAD "import lib\n", "E0106@2:8+3"},
    /* syntax */
    {BODY("  %y = add %x %x\n  return %y\n"), "E0106@4:15+2"},
    {BODY("  %y = add %x, 1,\n  return %y\n"), "E0106@4:18+1"},
    {BODY("  %y = add %x,\n  %z = neg %x\n  return %y\n"), "E0106@4:15+1"},
    {BODY("  %y = \n  %z = neg %y\n  return %z\n"), "E0106@4:7+1"},
    {BODY("  %y add %x, 1\n  return %y\n"), "E0106@4:6+3"},
    {BODY("  = add %x, 1\n  return %x\n"), "E0106@4:3+1"},
    {BODY("  %y = call @f(%x, %xs\n  return %y\n"), "E0106@4:23+1"},
    {BODY("  %y = call @f %x, %xs\n  return %y\n"), "E0106@4:16+2"},
    {BODY("  %y = map %xs @f\n  return %y\n"), "E0211@4:8+3 E0106@4:16+2"},
    {BODY("  %y = neg x\n  return %y\n"), "E0106@4:12+1"},
    {BODY("  %y = neg %x loc(a:1:2)\n  return %y\n"), "E0106@4:19+1"},
    {BODY("  %y = neg %x loc(\"a\":b:2)\n  return %y\n"), "E0106@4:23+1"},
    {HEAD "fun @f(%x) -> int { return %x }\n", "E0106@2:10+1"},
    {HEAD "fun @f(%x: int) -> int\nfun @g(%x: int) -> int { return %y }\n",
     "E0106@2:23+1 E0207@3:33+2"},
    {HEAD "fun @f(%x: int) -> int { return %x }\n}\nfun @g(%x: int) -> int { return %y }\n",
     "E0106@3:1+1 E0207@4:33+2"},
    {HEAD "fun @f<'a: BTT>(%x: 'a) -> 'a { return %x }\n", "E0106@2:12+3"},
    {HEAD "fun @f<l, 'a>(%x: 'a) -> 'a { return %x }\n", "E0106@2:11+2"},
    {HEAD "fun @f<'a: BT(%x: 'a) -> 'b { return %x }\n", "E0106@2:14+1 E0202@2:26+2"},
    {HEAD "fun @f(%x: int, 3) -> int { %z = neg %y return %x }\n", "E0106@2:17+1 E0207@2:38+2"},
    {HEAD "fun @f(%x: int -> int { return %y }\n", "E0106@2:23+1"},
    {HEAD "fun @f(%x: [int;9]) -> int { return %x }\n", "E0106@2:17+1"},
    {HEAD "fun @f(%x: [int) -> int { return %x }\n", "E0106@2:16+1"},
    /* literals */
    {BODY("  %y = add %x, 3x\n  return %y\n"), "E0107@4:16+2"},
    {BODY("  %y = add %x, 1.\n  return %y\n"), "E0107@4:16+2"},
    {BODY("  %y = add %x, 1e\n  return %y\n"), "E0107@4:16+2"},
    {BODY("  %y = add %x, 0x\n  return %y\n"), "E0107@4:16+2"},
    {BODY("  %y = add %x, 1bool\n  return %y\n"), "E0107@4:16+5"},
    {BODY("  %y = add 300u8, -129i8\n  %z = add 1.5i32, -1u64\n  return %y\n"),
     "E0108@4:12+5 E0108@4:19+6 E0108@5:12+6 E0108@5:20+5"},
    {BODY("  %y = add 18446744073709551616, -9223372036854775809\n  return %y\n"),
     "E0108@4:12+20 E0108@4:34+20"},
    {BODY("  %y = add 1e999, 1e39f32\n  return %y\n"), "E0108@4:12+5 E0108@4:19+7"},
    /* what is not closed */
    {HEAD "fun @f(%x: int) -> int {\n  return %x\n", "E0109@4:1+0"},
    {HEAD "fun @f(%x: int) -> int {\n  return %x\nfun @g(%x: int) -> int { return %y }\n",
     "E0109@4:1+3 E0207@4:33+2"},
    {HEAD "fun @f(%x: int) -> int {\n  %y = if %x { yield 1 } {\n    yield 2\n  return %y\n}\n",
     "E0214@5:3+6 E0215@5:3+6 E0208@5:10+2 E0109@7:1+0"},
    {HEAD "fun @f(%x: int) -> ", "E0109@2:20+0"},
    {HEAD "fun @f(%x: int) -> int { %y = add %x, ", "E0109@2:39+0"},
    /* names */
    {BODY("  %y = lenght %xs\n  %z = neg %y\n  return %z\n"), "E0201@4:8+6"},
    {BODY("  %y = mapp %xs { (%v) %w = ng %v yield %u }\n  return %y\n"),
     "E0201@4:8+4 E0201@4:29+2 E0207@4:41+2"},
    {BODY("  %y: itn = neg %x\n  return %y\n"), "E0202@4:7+3"},
    {BODY("  %y = convert<itn> %x\n  return %y\n"), "E0202@4:16+3"},
    {HEAD "fun @f<'a>(%x: a) -> 'b { return %x }\n", "E0202@2:16+1 E0202@2:22+2"},
    {BODY("  %y = push<blok> %xs\n  %z = push<1+l> %xs\n  return %y\n"),
     "E0203@4:13+4 E0203@5:15+1"},
    {HEAD "fun @f(%x: int) -> int { return %x }\nkernel @f(%x: int) -> int { return %x }\n",
     "E0204@3:8+2"},
    {HEAD "import \"lib\"\nfun @inc(%x: int) -> int { return %x }\nfun @inc(%x: int) -> int { "
          "return %x }\n",
     "E0204@4:5+4"},
    {HEAD "fun @f(%x: int, %x: int) -> int { return %x }\n", "E0205@2:17+2"},
    {BODY("  %y = neg %x\n  %y = neg %x\n  %z = map %xs { (%y) yield %y }\n  return %y\n"),
     "E0205@5:3+2 E0205@6:19+2"},
    {HEAD "fun @f<'a, 'a, l, l>(%x: 'a) -> 'a { return %x }\n", "E0206@2:12+2 E0206@2:19+1"},
    {HEAD "fun @f<'a>(%x: 'a) -> 'a { %f = fn<'a> { (%y: 'a) yield %y } return %x }\n",
     "E0206@2:36+2"},
    {BODY("  %y = add %q, %q\n  %z = neg %q\n  return %y\n"), "E0207@4:12+2"},
    {BODY("  %y = map %xs { (%v) yield %v }\n  return %v\n"), "E0207@5:10+2"},
    {BODY("  %y = neg %z\n  %z = neg %x\n  return %z\n"), "E0208@4:12+2"},
    {BODY("  %y = generate %x { (%i) yield %y }\n  return %y\n"), "E0208@4:33+2"},
    {BODY("  %y = call @g(%x)\n  %z = func @ff\n  return %z\n"), "E0209@4:13+2 E0209@5:13+3"},
    /* structure */
    {BODY("  %y = add %x\n  %z = neg %x, %x\n  return %y\n"), "E0210@4:8+3 E0210@5:16+2"},
    {BODY("  %y = blocksize %x\n  %z = func @f(%x)\n  return\n"),
     "E0210@4:18+2 E0210@5:16+2 E0210@6:3+6"},
    {BODY("  %y = map %xs\n  %z = if %x { yield 1 } { yield 2 } { yield %q }\n  %w = neg %x { "
          "yield 1 }\n  return %y\n"),
     "E0211@4:8+3 E0211@5:38+1 E0207@5:46+2 E0211@6:15+1"},
    {BODY("  %y = push %xs\n  %z = convert %x\n  %w = add<int> %x, 1\n  %v = call (%x)\n  return "
          "%y\n"),
     "E0212@4:8+4 E0212@5:8+7 E0212@6:11+1 E0212@7:8+4"},
    {BODY("  %y = neg %x\n"), "E0213@5:1+1"},
    {BODY("  %y = map %xs { (%v) }\n  return %y\n"), "E0213@4:23+1"},
    {BODY("  return %x\n  %y = neg %x\n  return %y\n"), "E0214@5:3+2"},
    {BODY("  %y = map %xs { (%v) return %v }\n  yield %y\n"), "E0215@4:23+6 E0215@5:3+5"},
    {BODY("  %y = return %x\n"), "E0215@4:3+2"},
    {HEAD "import \"nowhere\"\nfun @f(%x: int) -> int { %y = call @g(%x) return %y }\n",
     "E0216@2:8+9"},
    {HEAD "import \"loop\"\n", "E0217@2:8+6"},
    {HEAD "fun @f<block, int, forall>(%x: int) -> int { return %x }\n",
     "E0218@2:8+5 E0218@2:15+3 E0218@2:20+6"},
};

START_TEST(errors_have_code_and_place)
{
    expect_errors(wrong[_i][0], wrong[_i][1]);
}
END_TEST

START_TEST(all_mistakes_are_found_in_one_run)
{
    expect_errors(HEAD "fun @a(%x: int) -> int {\n  %y = mull %x, 2\n  return %y\n}\n"
                       "fun @b(%x: [int]) -> [int] {\n  %y = map %x { (%e) %f = add %e yield %f "
                       "}\n  return %y\n}\n"
                       "kernel @c(%x: flot) -> int {\n  %y = call @d(%x)\n  return %x\n}\n",
                  "E0201@3:8+4 E0210@7:27+3 E0202@10:15+4 E0209@11:13+2");
}
END_TEST

START_TEST(messages_help)
{
    world w;
    vec_char t = {0};
    read_text(&w, BODY("  %yy = neg %z\n  %z = lenght %xs\n  %q = neg %yyy\n  return %z\n"));
    for (uint32_t i = 0; i < w.cx.diags.all.len; i++)
        diag_format(&w.cx, &w.cx.diags.all.at[i], &t);
    ck_assert_str_eq(text_cstr(&w.cx.mem, &t),
                     "t.fclir:4:13: error[E0208]: %z is used before its definition\n"
                     "      %yy = neg %z\n                ^~\n"
                     "t.fclir:5:3: note: it is defined here\n"
                     "      %z = lenght %xs\n      ^~\n"
                     "t.fclir:5:8: error[E0201]: 'lenght' is not an operator\n"
                     "      %z = lenght %xs\n           ^~~~~~\nhelp: did you mean length?\n"
                     "t.fclir:6:12: error[E0207]: %yyy is not defined\n"
                     "      %q = neg %yyy\n               ^~~~\nhelp: did you mean %yy?\n");
    vec_free(&w.cx.mem, &t);
    close_world(&w);
}
END_TEST

/* ---- what front ends and passes make ---- */

/* fun @f(x: int) with a first operation that has the given name, and one more of another name. */
static void build(world *w, const char *first, const char *second)
{
    open_world(w);
    intern *s = &w->cx.strings;
    ir_func f = ir_add_func(&w->m, intern_cstr(s, "f g"), false, 0);
    ir_region body = ir_func_at(&w->m, f)->body;
    ir_value x = ir_add_param(&w->m, body, type_scalar(&w->m, ST_I32), intern_cstr(s, "x"), true);
    ir_op a = ir_add_op(&w->m, body, SOP_NEG, &x, 1,
                        ir_add_loc(&w->m, (location){intern_cstr(s, "my.apl"), 4, 2, 1}));
    ir_value va = ir_op_at(&w->m, a)->result;
    ir_value_at(&w->m, va)->name = intern_cstr(s, first);
    ir_op b = ir_add_op(&w->m, body, SOP_ADD, (ir_value[]){va, x}, 2, 0);
    ir_value vb = ir_op_at(&w->m, b)->result;
    ir_value_at(&w->m, vb)->name = intern_cstr(s, second);
    ir_add_op(&w->m, body, OP_RETURN, &vb, 1, 0);
}

START_TEST(names_are_made_readable)
{
    static const char *const cases[][4] = {
        {"", "", "0", "1"},
        {"", "0", "1", "0"},
        {"x", "x", "x.1", "x.2"},
        {"x", "x.1", "x.2", "x.1"},
        {"a b", "a_b", "a_b.1", "a_b"},
        {"a", "a%c", "a", "a_c"},
        {"7", "", "7", "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        char expected[300];
        build(&w, cases[i][0], cases[i][1]);
        char *s = written(&w);
        snprintf(expected, sizeof expected,
                 HEAD "\nfun @f_g(%%x: int) {\n  %%%s = neg %%x loc(\"my.apl\":4:2)\n  %%%s = add "
                      "%%%s, %%x\n  return %%%s\n}\n",
                 cases[i][2], cases[i][3], cases[i][2], cases[i][3]);
        ck_assert_str_eq(s, expected);
        char *again = round_trip(s);
        ck_assert_str_eq(s, again);
        free(again);
        free(s);
        close_world(&w);
    }
}
END_TEST

START_TEST(type_parameters_that_clash_are_renamed)
{
    world w;
    open_world(&w);
    str_id a = intern_cstr(&w.cx.strings, "a"), block = intern_cstr(&w.cx.strings, "block");
    ir_func f = ir_add_func(&w.m, intern_cstr(&w.cx.strings, "f"), false, 0);
    ir_tvar outer = ir_add_func_tvar(&w.m, f, a, false, KIND_NONE);
    ir_add_func_tvar(&w.m, f, block, true, KIND_NONE);
    ir_region body = ir_func_at(&w.m, f)->body;
    ir_value x = ir_add_param(&w.m, body, type_var(&w.m, outer), 0, true);
    ir_op fn = ir_add_op(&w.m, body, OP_FN, NULL, 0, 0);
    ir_tvar inner[2] = {ir_add_tvar(&w.m, f, a, false, KIND_BT),
                        ir_add_tvar(&w.m, f, block, true, KIND_NONE)};
    ir_op_at(&w.m, fn)->inst = ir_add_inst(&w.m, inner, 1, inner + 1, 1);
    ir_region r = ir_op_at(&w.m, fn)->regions;
    ir_type t = type_push(&w.m, type_var(&w.m, inner[0]), 1, level_succ(level_var(inner[1])));
    ir_value y = ir_add_param(&w.m, r, t, 0, true);
    ir_add_op(&w.m, r, OP_YIELD, &y, 1, 0);
    ir_add_op(&w.m, body, OP_RETURN, &x, 1, 0);
    char *s = written(&w), *again = round_trip(s);
    ck_assert_str_eq(s, HEAD "\nfun @f<'a, _block_>(%0: 'a) {\n  %1 = fn<'a.1: BT, _block_.1> { "
                             "(%2: ['a.1]<1+_block_.1>)\n"
                             "    yield %2\n  }\n  return %0\n}\n");
    ck_assert_str_eq(s, again);
    free(again);
    free(s);
    close_world(&w);
}
END_TEST

START_TEST(regions_too_deep_to_be_read_are_not_written)
{
    world w;
    vec_char t = {0};
    open_world(&w);
    ir_func f = ir_add_func(&w.m, intern_cstr(&w.cx.strings, "f"), false, 0);
    ir_region r = ir_func_at(&w.m, f)->body;
    for (uint32_t i = 0; i < 100000; i++)
        r = ir_op_at(&w.m, ir_add_op(&w.m, r, OP_FN, NULL, 0, 0))->regions;
    ck_assert(!text_write(&w.m, &t));
    ck_assert_int_eq((int)w.cx.diags.all.at[0].code, 902);
    vec_free(&w.cx.mem, &t);
    close_world(&w);
}
END_TEST

Suite *text_suite(void)
{
    Suite *s = suite_create("text");
    TCase *c = tcase_create("right");
    tcase_add_loop_test(c, canonical_text_is_a_fixpoint, 0, sizeof canonical / sizeof *canonical);
    tcase_add_test(c, layout_is_free);
    tcase_add_test(c, literals_have_the_right_bits);
    tcase_add_test(c, another_locale_changes_nothing);
    tcase_add_test(c, types_bind_their_own_levels);
    tcase_add_test(c, places_are_those_of_the_text);
    suite_add_tcase(s, c);
    c = tcase_create("imports");
    tcase_add_test(c, imports_are_read_once);
    tcase_add_test(c, indirect_imports_are_not_printed);
    tcase_add_test(c, a_module_can_be_given_an_import);
    tcase_add_test(c, errors_in_imports_point_into_them);
    suite_add_tcase(s, c);
    c = tcase_create("wrong");
    tcase_add_loop_test(c, errors_have_code_and_place, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(c, all_mistakes_are_found_in_one_run);
    tcase_add_test(c, messages_help);
    suite_add_tcase(s, c);
    c = tcase_create("made");
    tcase_add_test(c, names_are_made_readable);
    tcase_add_test(c, type_parameters_that_clash_are_renamed);
    tcase_add_test(c, regions_too_deep_to_be_read_are_not_written);
    suite_add_tcase(s, c);
    return s;
}
