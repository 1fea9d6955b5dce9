/* Kinds and bounds of type parameters, and the classes of the surface language that become them. */
#include "frontends/fcl/infer/types.h"
#include "ir/scalar/scalar.h"

#include <check.h>

Suite *kinds_suite(void);

/* What two kinds have in common is a kind or nothing, so that narrowing does not depend on the
 * order of uses. */
START_TEST(kinds_are_a_lattice)
{
    for (uint32_t x = 1; x < KIND_COUNT; x++)
        for (uint32_t y = 1; y < KIND_COUNT; y++) {
            if (!ir_kind_exists(x) || !ir_kind_exists(y))
                continue;
            kind m = ir_kind_meet((kind)x, (kind)y);
            ck_assert_int_eq(m, ir_kind_meet((kind)y, (kind)x));
            ck_assert(!m || (ir_kind_within(m, (kind)x) && ir_kind_within(m, (kind)y)));
            ck_assert_int_eq(ir_kind_within((kind)x, (kind)y), m == (kind)x);
            for (uint32_t s = ST_BOOL; s < ST_COUNT; s++)
                ck_assert_int_eq(m && ir_kind_holds(m, (scalar)s),
                                 ir_kind_holds((kind)x, (scalar)s) &&
                                     ir_kind_holds((kind)y, (scalar)s));
        }
}
END_TEST

START_TEST(bounds_have_the_operators_of_their_class)
{
    for (uint32_t op = 1; op < SOP_END; op++) {
        operand_class c = (operand_class)ir_op_info(op)->operands;
        kind bound = ir_kind_of_class(c);
        for (uint32_t s = ST_BOOL; ir_op_info(op)->name && bound && s < ST_COUNT; s++)
            ck_assert_int_eq(ir_kind_holds(bound, (scalar)s), scalar_accepts(c, (scalar)s));
    }
}
END_TEST

/* A class of the language is a bound of the core, and what two classes have in common is the same
 * in both; where the core has nothing, the language has no class. */
START_TEST(classes_are_bounds)
{
    static const char letters[] = "AONIFB";
    for (const char *x = letters; *x; x++) {
        const scalar_class *c = class_of(scalars_of(*x));
        ck_assert(c && c->letter == *x);
        ck_assert_str_eq(c->name, ir_kind_name((kind)c->kind));
        for (uint32_t s = FCL_BOOL; s < FCL_SCALAR_END; s++)
            ck_assert_int_eq(scalars_of(*x) >> s & 1, ir_kind_holds((kind)c->kind, (scalar)s));
        for (const char *y = letters; *y; y++) {
            const scalar_class *d = class_of(scalars_of(*y)),
                               *both = class_of(scalars_of(*x) & scalars_of(*y));
            ck_assert_int_eq(both ? (int)both->kind : 0,
                             ir_kind_meet((kind)c->kind, (kind)d->kind));
        }
    }
    ck_assert_ptr_null(class_of(scalars_of_bytes(4)));
    ck_assert_ptr_null(class_of(0));
}
END_TEST

Suite *kinds_suite(void)
{
    Suite *s = suite_create("kinds");
    TCase *t = tcase_create("kinds");
    tcase_add_test(t, kinds_are_a_lattice);
    tcase_add_test(t, bounds_have_the_operators_of_their_class);
    tcase_add_test(t, classes_are_bounds);
    suite_add_tcase(s, t);
    return s;
}
