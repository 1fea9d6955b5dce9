/* Reading decimals, against the C library where it has the format, and with texts that a rounding
 * by way of double gets wrong. */
#include "ir/base/decimal.h"
#include "tests/unit/often.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const decimal_format f64 = {53, 11}, f32 = {24, 8}, f16 = {11, 5};

static double read_text(const char *s, decimal_format f)
{
    return decimal_read(s, strlen(s), f);
}

static uint64_t random_bits(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

/* Any double with any number of digits, or a text in the middle between two floats. */
static bool draw(uint64_t *state, char *out, size_t room)
{
    uint64_t kind = random_bits(state) % 2, bits = random_bits(state) & INT64_MAX;
    double d;
    memcpy(&d, &bits, sizeof d);
    if (kind == 0 && isfinite(d))
        snprintf(out, room, "%.*e", (int)(random_bits(state) % 20), d);
    uint32_t low = (uint32_t)bits & INT32_MAX, next = low + 1;
    float a, b;
    memcpy(&a, &low, sizeof a);
    memcpy(&b, &next, sizeof b);
    if (kind == 1 && isfinite(a) && isfinite(b))
        snprintf(out, room, "%.*e", 10 + (int)(random_bits(state) % 100), ((double)a + b) / 2);
    return kind ? isfinite(a) && isfinite(b) : isfinite(d);
}

START_TEST(as_the_c_library)
{
    uint64_t state = 88172645463325252u;
    char text[200];
    for (int i = 0; i < 100000; i++) {
        if (!draw(&state, text, sizeof text))
            continue;
        assert_often(read_text(text, f64) == strtod(text, NULL), "%s as a double", text);
        assert_often(read_text(text, f32) == (double)strtof(text, NULL), "%s as a float", text);
    }
}
END_TEST

/* The middle between 1 and the next f32, or f16, is a double: what lies near it must not be taken
 * for it. */
START_TEST(rounded_once)
{
    ck_assert(read_text("1.00000017881393432617187499", f32) == (double)1.00000011920928955f);
    ck_assert(read_text("1.00000017881393432617187500", f32) == (double)1.0000002384185791f);
    ck_assert(read_text("1.000488281250000000001", f16) == 1.0009765625);
    ck_assert(read_text("1.00048828125", f16) == 1.0);
    ck_assert(read_text("0.99999999999999999999999999", f16) == 1.0);
}
END_TEST

START_TEST(edges)
{
    ck_assert(read_text("4.9406564584124654e-324", f64) == DBL_TRUE_MIN);
    ck_assert(read_text("2.4703282292062327e-324", f64) == 0);
    ck_assert(read_text("2.4703282292062328e-324", f64) == DBL_TRUE_MIN);
    ck_assert(read_text("1.7976931348623158e308", f64) == DBL_MAX);
    ck_assert(isinf(read_text("1.7976931348623159e308", f64)));
    ck_assert(read_text("65519.99", f16) == 65504);
    ck_assert(isinf(read_text("65520", f16)));
    ck_assert(isinf(read_text("1e999999999999", f64)));
    ck_assert(read_text("1e-999999999999", f64) == 0);
    ck_assert(read_text("0e99999", f64) == 0);
    ck_assert(read_text(".5", f64) == 0.5 && read_text("5.", f64) == 5);
}
END_TEST

START_TEST(no_decimals)
{
    static const char *const texts[] = {"", ".", "e5", "1e", "1e+", "-1", "1.5x", "0x10", "1..2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(isnan(read_text(texts[i], f64)), "%s", texts[i]);
}
END_TEST

/* 2000 digits, the last of which decides. */
START_TEST(many_digits)
{
    char text[2100] = "1.";
    memset(text + 2, '0', 2000);
    text[2002] = 0;
    memcpy(text + 2, "00048828125", 11);
    ck_assert(read_text(text, f16) == 1.0);
    text[2001] = '1';
    ck_assert(read_text(text, f16) == 1.0009765625);
}
END_TEST

Suite *decimal_suite(void);
Suite *decimal_suite(void)
{
    Suite *s = suite_create("decimal");
    TCase *c = tcase_create("decimal");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, as_the_c_library);
    tcase_add_test(c, rounded_once);
    tcase_add_test(c, edges);
    tcase_add_test(c, no_decimals);
    tcase_add_test(c, many_digits);
    suite_add_tcase(s, c);
    return s;
}
