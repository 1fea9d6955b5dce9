/* The layout of the core: what is packed comes out as it went in, and nodes have the size that
 * docs/rooms/core.md says. */
#include "ir/base/source.h"
#include "tests/unit/text_world.h"

Suite *layout_suite(void);

static void same_place(location a, location b)
{
    ck_assert_uint_eq(a.file, b.file);
    ck_assert_uint_eq(a.line, b.line);
    ck_assert_uint_eq(a.col, b.col);
    ck_assert_uint_eq(a.len, b.len);
}

START_TEST(nodes_are_small)
{
    ck_assert_uint_eq(sizeof(op_node), 32);
    ck_assert_uint_eq(sizeof(value_node), 16);
    ck_assert_uint_eq(sizeof(packed_location), 8);
}
END_TEST

/* Short and long positions, of more files than a byte can count; equal ones in a row share a
 * number. */
START_TEST(positions_come_out_as_they_went_in)
{
    enum { FILES = 300 };
    world w;
    char name[16];
    uint32_t ids[FILES][2];
    location locs[FILES][2];
    open_world(&w);
    for (uint32_t i = 0; i < FILES; i++) {
        sprintf(name, "f%u", i);
        str_id file = intern_cstr(&w.cx.strings, name);
        locs[i][0] = (location){file, i + 1, 2 * i, 255};
        locs[i][1] = (location){file, UINT32_MAX - i, 65535 + i, 256};
        for (int k = 0; k < 2; k++)
            ids[i][k] = ir_add_loc(&w.m, locs[i][k]);
    }
    for (uint32_t i = 0; i < FILES; i++)
        for (int k = 0; k < 2; k++)
            same_place(ir_loc_at(&w.m, ids[i][k]), locs[i][k]);
    uint32_t again = ir_add_loc(&w.m, locs[0][0]);
    ck_assert_uint_eq(ir_add_loc(&w.m, locs[0][0]), again);
    ck_assert_uint_ne(ir_add_loc(&w.m, locs[1][0]), again);
    same_place(ir_loc_at(&w.m, 1u << 20), (location){0});
    close_world(&w);
}
END_TEST

/* Sources lie one after the other: the ends, empty ones, and what no source has. */
START_TEST(places_find_their_source)
{
    fcl_context cx;
    ck_assert(context_init(&cx, NULL, NULL));
    same_place(source_place_location(&cx, 7), (location){0});
    str_id a = diag_add_source(&cx, "a", "ab c\n\xc3\xa4 'd.e. @f.", 18),
           none = diag_add_source(&cx, "none", "", 0);
    str_id b = diag_add_source(&cx, "b", "\xef\xbb\xbfx\ny", 6);
    const source *s = cx.diags.sources.at;
    same_place(source_place_location(&cx, s[0].place), (location){a, 1, 1, 2});
    same_place(source_place_location(&cx, s[0].place + 3), (location){a, 1, 4, 1});
    same_place(source_place_location(&cx, s[0].place + 14), (location){a, 2, 10, 3});
    same_place(source_place_location(&cx, s[1].place), (location){none, 1, 1, 1});
    same_place(source_place_location(&cx, s[2].place + 3), (location){b, 1, 1, 1});
    same_place(source_place_location(&cx, s[2].place + 5), (location){b, 2, 1, 1});
    same_place(source_place_location(&cx, 1u << 30), (location){0});
    context_release(&cx);
}
END_TEST

/* What nobody holds goes; its places are given again, also in the middle. */
START_TEST(sources_that_nobody_holds_go)
{
    fcl_context cx;
    vec_u32 first = {0}, second = {0}, third = {0};
    ck_assert(context_init(&cx, NULL, NULL));
    uint32_t a = source_add(&cx, "a", "one two", 7), b = source_add(&cx, "b", "three", 5),
             c = source_add(&cx, "c", "four", 4);
    ck_assert(source_hold(&cx, &first, a - 1) && source_hold(&cx, &second, b - 1) &&
              source_hold(&cx, &third, c - 1));
    ck_assert_uint_eq(source_add(&cx, "a", "one two", 7), a);
    ck_assert(source_hold_all(&cx, &third, &first));
    source_drop_all(&cx, &first);
    ck_assert_str_eq(cx.diags.sources.at[a - 1].text, "one two");
    source_drop_all(&cx, &second);
    same_place(source_place_location(&cx, cx.diags.sources.at[b - 1].place), (location){0});
    uint32_t d = source_add(&cx, "d", "abc", 3), e = source_add(&cx, "a", "longer!!", 8);
    ck_assert_uint_eq(d, b);
    ck_assert_uint_eq(e, c + 1);
    same_place(source_place_location(&cx, cx.diags.sources.at[d - 1].place),
               (location){cx.diags.sources.at[d - 1].name, 1, 1, 3});
    ck_assert_ptr_eq(diag_source(&cx, cx.diags.sources.at[a - 1].name),
                     &cx.diags.sources.at[e - 1]);
    ck_assert_uint_eq(source_add(&cx, "a", "one two", 7), a);
    ck_assert_ptr_eq(diag_source(&cx, cx.diags.sources.at[a - 1].name),
                     &cx.diags.sources.at[a - 1]);
    source_drop_all(&cx, &third);
    source_sweep(&cx);
    ck_assert_uint_eq(cx.diags.sources.len, 0);
    ck_assert_uint_eq(cx.diags.gaps, 0);
    context_release(&cx);
}
END_TEST

static const struct {
    const char *text;
    bool number;
} names[] = {{"0", true},   {"7", true},   {"4096", true},        {"999999999", true},
             {"00", false}, {"07", false}, {"1000000000", false}, {"7a", false},
             {"a7", false}, {"7.", false}, {"#1", false}};

START_TEST(numbers_are_names_in_canonical_form)
{
    world w;
    open_world(&w);
    str_id id = ir_name(&w.m, names[_i].text, strlen(names[_i].text));
    ck_assert_int_eq((id & NAME_NUMBER) != 0, names[_i].number);
    ck_assert_str_eq(ir_str(&w.m, id), names[_i].text);
    close_world(&w);
}
END_TEST

/* Numbers that are small or large beside the text, in forms that are no numbers, and again in a
 * sibling. */
START_TEST(numbered_names_are_kept)
{
    static const char text[] =
        "fcl 0.1\n\nfun @1(%0: int, %00: int) -> int {\n  %3: bool = lt %0, %00\n"
        "  %999999999: int = if %3 {\n    %1000000000: int = neg %00\n    yield %1000000000\n"
        "  } {\n    %1000000000: int = neg %0\n    yield %1000000000\n  }\n"
        "  %4: int = neg %999999999\n  return %4\n}\n";
    char *s = round_trip(text);
    ck_assert_str_eq(s, text);
    free(s);
}
END_TEST

/* A value that the module names by a string of digits, one that it numbers, and one without a name.
 */
START_TEST(digits_are_one_name_however_they_came)
{
    world w;
    read_text(&w, "fcl 0.1\nfun @f(%a: int, %b: int, %1: int) -> int {\n  %2 = add %a, %b\n  %c = "
                  "add %2, %1\n"
                  "  return %c\n}\n");
    ir_value first = ir_region_at(&w.m, ir_func_at(&w.m, 1)->body)->params;
    ir_value_at(&w.m, first)->name = intern_cstr(&w.cx.strings, "1");
    ir_value_at(&w.m, first + 1)->name = 0;
    vec_char out = {0};
    ck_assert(text_write(&w.m, &out));
    ck_assert_ptr_nonnull(strstr(text_cstr(&w.cx.mem, &out), "(%1: int, %0: int, %1.1: int)"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&w.cx.mem, &out), "%2 = add %1, %0"));
    vec_free(&w.cx.mem, &out);
    close_world(&w);
}
END_TEST

START_TEST(constants_keep_all_bits)
{
    static const uint64_t bits[] = {0, 1, UINT32_MAX, 1ull << 32, 0x8000000000000000u, UINT64_MAX};
    world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        ir_value v = ir_const(&w.m, ST_U64, bits[i]);
        ck_assert(ir_const_bits(&w.m, v) == bits[i]);
        ck_assert_uint_eq(ir_value_name(&w.m, v), 0);
        ck_assert_uint_eq(ir_value_region(&w.m, v), 0);
    }
    close_world(&w);
}
END_TEST

Suite *layout_suite(void)
{
    Suite *s = suite_create("layout");
    TCase *c = tcase_create("packed");
    tcase_add_test(c, nodes_are_small);
    tcase_add_test(c, positions_come_out_as_they_went_in);
    tcase_add_test(c, places_find_their_source);
    tcase_add_test(c, sources_that_nobody_holds_go);
    tcase_add_test(c, constants_keep_all_bits);
    suite_add_tcase(s, c);
    c = tcase_create("names");
    tcase_add_loop_test(c, numbers_are_names_in_canonical_form, 0, sizeof names / sizeof *names);
    tcase_add_test(c, numbered_names_are_kept);
    tcase_add_test(c, digits_are_one_name_however_they_came);
    suite_add_tcase(s, c);
    return s;
}
