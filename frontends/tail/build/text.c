/* Texts of numbers.  A double is its 12 digits, which are found in pairs of doubles whose sum has
 * twice their precision, and the power of ten of the first one. */
#include "frontends/tail/build/build.h"

static fcl_value as_unsigned(builder *b, fcl_value x)
{
    return tb_convert(b, FCL_U32, x);
}

static fcl_value unsigned_of(builder *b, int64_t x)
{
    return fcl_const_int(b->m, FCL_U32, x);
}

static fcl_value add(builder *b, fcl_value x, fcl_value y)
{
    return tb_op2(b, "add", x, y);
}

static fcl_value sub(builder *b, fcl_value x, fcl_value y)
{
    return tb_op2(b, "sub", x, y);
}

static fcl_value mul(builder *b, fcl_value x, fcl_value y)
{
    return tb_op2(b, "mul", x, y);
}

static fcl_value plus(builder *b, fcl_value x, int64_t y)
{
    return tb_op2(b, "add", x, tb_int_of(b, y));
}

static fcl_value either(builder *b, fcl_value condition, fcl_value x, fcl_value y)
{
    return tb_op3(b, "select", condition, x, y);
}

/* ---- integers ---- */

/* How many digits it has, by comparison with the powers of ten. */
static fcl_value digits_of(builder *b, fcl_value x)
{
    fcl_value n = tb_int_of(b, 1);
    int64_t power = 10;
    for (int64_t digits = 2; digits <= 10; digits++, power *= 10)
        n = either(b, tb_op2(b, "ge", x, unsigned_of(b, power)), tb_int_of(b, digits), n);
    return n;
}

/* The character of the digit that so many are behind. */
static fcl_value digit_of(builder *b, fcl_value x, fcl_value behind)
{
    fcl_value power = tb_op2(b, "pow", unsigned_of(b, 10), as_unsigned(b, behind));
    fcl_value digit = tb_op2(b, "mod", tb_op2(b, "div", x, power), unsigned_of(b, 10));
    return add(b, digit, unsigned_of(b, '0'));
}

tail_value tb_FORMAT_INT(const application *a)
{
    builder *b = a->b;
    tail_value x = tb_operand(a, 0, BASE_INT, 0);
    fcl_value minus = tb_op2(b, "lt", x.v, tb_int_of(b, 0)), size = as_unsigned(b, x.v);
    size = either(b, minus, tb_op1(b, "neg", size), size);
    fcl_value n = add(b, digits_of(b, size), tb_convert(b, FCL_I32, minus));
    loop l = tb_generate_begin(b, &n, 1);
    fcl_value digit = digit_of(b, size, sub(b, plus(b, n, -1), l.i[0]));
    fcl_value first = tb_op2(b, "and", minus, tb_op2(b, "eq", l.i[0], tb_int_of(b, 0)));
    fcl_value c = either(b, first, unsigned_of(b, '-'), digit);
    return tb_array(b, BASE_CHAR, 1, tb_generate_end(b, &l, c));
}

/* ---- numbers of twice the precision ---- */

/* high + low, where low is below the last place of high. */
typedef struct pair {
    fcl_value high, low;
} pair;

/* 10 to the 1, 2, 4, 8, ... */
static const double tens[][2] = {{0x1.4000000000000p+3, 0.0},
                                 {0x1.9000000000000p+6, 0.0},
                                 {0x1.3880000000000p+13, 0.0},
                                 {0x1.7d78400000000p+26, 0.0},
                                 {0x1.1c37937e08000p+53, 0.0},
                                 {0x1.3b8b5b5056e17p+106, -0x1.3107f00000000p+52},
                                 {0x1.84f03e93ff9f5p+212, -0x1.2ac340948e389p+157},
                                 {0x1.27748f9301d32p+425, -0x1.901cc86649e4ap+371},
                                 {0x1.54fdd7f73bf3cp+850, -0x1.7222446fe4670p+795}};

enum { DIGITS = 12, TENS = sizeof tens / sizeof *tens };

static fcl_value negated(builder *b, fcl_value x)
{
    return tb_op1(b, "neg", x);
}

/* x + y of an x that is larger. */
static pair pair_sum(builder *b, fcl_value x, fcl_value y)
{
    fcl_value high = add(b, x, y);
    return (pair){high, sub(b, y, sub(b, high, x))};
}

static pair pair_product(builder *b, pair x, pair y)
{
    fcl_value p = mul(b, x.high, y.high), rest = tb_op3(b, "fma", x.high, y.high, negated(b, p));
    fcl_value cross = add(b, mul(b, x.high, y.low), mul(b, x.low, y.high));
    return pair_sum(b, p, add(b, rest, cross));
}

static pair pair_quotient(builder *b, fcl_value x, pair y)
{
    fcl_value q = tb_op2(b, "fdiv", x, y.high);
    fcl_value rest = sub(b, tb_op3(b, "fma", negated(b, q), y.high, x), mul(b, q, y.low));
    return pair_sum(b, q, tb_op2(b, "fdiv", rest, y.high));
}

/* first * 10^k, k from 0 on. */
static pair power_of_ten(builder *b, fcl_value first, fcl_value k)
{
    fcl_value zero = tb_double_of(b, 0.0);
    pair p = {first, zero};
    for (size_t i = 0; i < TENS; i++) {
        fcl_value bit = tb_op2(b, "and", k, tb_int_of(b, (int64_t)1 << i));
        fcl_value has = tb_op2(b, "ne", bit, tb_int_of(b, 0));
        pair by = {either(b, has, tb_double_of(b, tens[i][0]), tb_double_of(b, 1.0)),
                   either(b, has, tb_double_of(b, tens[i][1]), zero)};
        p = pair_product(b, p, by);
    }
    return p;
}

/* ---- the digits of a double ---- */

/* x * 10^(DIGITS - 1 - exponent): its digits are those in front of the point, if the exponent is
 * right.  Tiny numbers are made larger by a power of two, and the power of ten smaller. */
static pair scaled(builder *b, fcl_value x, fcl_value exponent)
{
    fcl_value tiny = tb_op2(b, "lt", x, tb_double_of(b, 0x1p-500)),
              k = sub(b, tb_int_of(b, DIGITS - 1), exponent);
    fcl_value up = tb_op2(b, "ge", k, tb_int_of(b, 0)), one = tb_double_of(b, 1.0);
    x = mul(b, x, either(b, tiny, tb_double_of(b, 0x1p600), one));
    pair p = power_of_ten(b, either(b, tiny, tb_double_of(b, 0x1p-600), one), tb_op1(b, "abs", k));
    pair product = pair_product(b, (pair){x, tb_double_of(b, 0.0)}, p),
         quotient = pair_quotient(b, x, p);
    return (pair){either(b, up, product.high, quotient.high),
                  either(b, up, product.low, quotient.low)};
}

static fcl_value at_least(builder *b, pair x, double least)
{
    fcl_value more = add(b, sub(b, x.high, tb_double_of(b, least)), x.low);
    return tb_op2(b, "ge", more, tb_double_of(b, 0.0));
}

/* The nearest whole number, of two the even one. */
static fcl_value rounded(builder *b, pair x)
{
    fcl_value whole = tb_op1(b, "floor", x.high), half = tb_double_of(b, 0.5),
              zero = tb_double_of(b, 0.0), one = tb_double_of(b, 1.0);
    fcl_value below = tb_op2(b, "lt", add(b, sub(b, x.high, whole), x.low), zero);
    whole = either(b, below, sub(b, whole, one), whole);
    fcl_value beyond = add(b, sub(b, sub(b, x.high, whole), half), x.low),
              halved = mul(b, whole, half);
    fcl_value odd = tb_op2(b, "gt", sub(b, halved, tb_op1(b, "floor", halved)), zero);
    fcl_value up = tb_op2(b, "or", tb_op2(b, "gt", beyond, zero),
                          tb_op2(b, "and", tb_op2(b, "eq", beyond, zero), odd));
    return either(b, up, add(b, whole, one), whole);
}

typedef struct decimal {
    fcl_value minus, finite, fixed; /* truth values; fixed: without an exponent */
    fcl_value digits;               /* DIGITS of them, an i64 */
    fcl_value count, exponent;      /* digits without zeros behind; the power of ten of the first */
    fcl_value length;               /* of the text */
    fcl_value other;                /* the text of what is not finite */
} decimal;

static fcl_value wide_of(builder *b, int64_t x)
{
    return fcl_const_int(b->m, FCL_I64, x);
}

static void find_digits(builder *b, decimal *d, fcl_value x)
{
    fcl_value one = tb_int_of(b, 1), zero = tb_int_of(b, 0),
              none = tb_op2(b, "eq", x, tb_double_of(b, 0.0));
    x = either(b, none, tb_double_of(b, 1.0), x);
    fcl_value guess = tb_convert(b, FCL_I32, tb_op1(b, "floor", tb_op1(b, "log10", x)));
    pair first = scaled(b, x, guess);
    fcl_value low = either(b, at_least(b, first, 1e11), zero, one),
              high = either(b, at_least(b, first, 1e12), one, zero);
    fcl_value exponent = sub(b, add(b, guess, high), low);
    fcl_value n = rounded(b, scaled(b, x, exponent)), most = tb_double_of(b, 1e12);
    fcl_value over = tb_op2(b, "ge", n, most);
    n = either(b, over, tb_double_of(b, 1e11), n);
    d->exponent = either(b, none, zero, add(b, exponent, either(b, over, one, zero)));
    d->digits = either(b, none, wide_of(b, 0), tb_convert(b, FCL_I64, n));
    d->count = tb_int_of(b, DIGITS);
    int64_t power = 10;
    for (int64_t count = DIGITS - 1; count; count--, power *= 10) {
        fcl_value rest = tb_op2(b, "mod", d->digits, wide_of(b, power));
        d->count = either(b, tb_op2(b, "eq", rest, wide_of(b, 0)), tb_int_of(b, count), d->count);
    }
}

/* ---- its text ---- */

static fcl_value larger(builder *b, fcl_value x, int64_t y)
{
    return tb_op2(b, "max", x, tb_int_of(b, y));
}

/* How many digits the exponent has. */
static fcl_value exponent_digits(builder *b, const decimal *d)
{
    return digits_of(b, as_unsigned(b, tb_op1(b, "abs", d->exponent)));
}

static fcl_value is_single(builder *b, const decimal *d)
{
    return tb_op2(b, "eq", d->count, tb_int_of(b, 1));
}

/* 1.5: the digits, and the point if there is more than one. */
static fcl_value mantissa_length(builder *b, const decimal *d)
{
    return either(b, is_single(b, d), d->count, plus(b, d->count, 1));
}

/* The shorter of both forms, compared without the .0 that is added to both. */
static void find_length(builder *b, decimal *d)
{
    fcl_value zero = tb_int_of(b, 0), negative = tb_op2(b, "lt", d->exponent, zero);
    fcl_value whole = plus(b, larger(b, d->exponent, 0), 1),
              parts = sub(b, plus(b, d->count, -1), d->exponent);
    fcl_value is_whole = tb_op2(b, "le", parts, zero);
    fcl_value fixed = add(b, whole, either(b, is_whole, zero, plus(b, parts, 1)));
    fcl_value scientific = add(b, plus(b, mantissa_length(b, d), 1), exponent_digits(b, d));
    scientific = add(b, scientific, tb_convert(b, FCL_I32, negative));
    d->fixed = tb_op2(b, "le", fixed, scientific);
    fixed = add(b, fixed, either(b, is_whole, tb_int_of(b, 2), zero));
    scientific = add(b, scientific, either(b, is_single(b, d), tb_int_of(b, 2), zero));
    fcl_value number = either(b, d->fixed, fixed, scientific),
              other = tb_op2(b, "dim", d->other, zero);
    d->length = add(b, either(b, d->finite, number, other), tb_convert(b, FCL_I32, d->minus));
}

static fcl_value text_of(builder *b, const char *text)
{
    fcl_value c[16];
    size_t n = 0;
    for (; text[n]; n++)
        c[n] = unsigned_of(b, (unsigned char)text[n]);
    return tb_op_array(b, tb_core_type(b, BASE_CHAR), c, n);
}

/* What is not a number has no sign. */
static decimal decimal_of(builder *b, fcl_value x)
{
    decimal d = {.minus = tb_op2(b, "lt", x, tb_double_of(b, 0.0))};
    fcl_value size = tb_op1(b, "abs", x), most = tb_double_of(b, 0x1.fffffffffffffp+1023);
    d.finite = tb_op2(b, "le", size, most);
    choice c = tb_choice_begin(b, tb_op2(b, "gt", size, most));
    tb_choice_else(b, &c, text_of(b, "HUGE_VAL"));
    d.other = tb_choice_end(b, &c, text_of(b, "nan.0"));
    find_digits(b, &d, either(b, d.finite, size, tb_double_of(b, 1.0)));
    find_length(b, &d);
    return d;
}

/* Digit k; 0 where there is none. */
static fcl_value digit_at(builder *b, const decimal *d, fcl_value k)
{
    fcl_value behind = sub(b, tb_int_of(b, DIGITS - 1), k);
    fcl_value inside = tb_op2(b, "and", tb_op2(b, "ge", k, tb_int_of(b, 0)),
                              tb_op2(b, "ge", behind, tb_int_of(b, 0)));
    fcl_value power = tb_op2(b, "pow", wide_of(b, 10),
                             tb_convert(b, FCL_I64, either(b, inside, behind, tb_int_of(b, 0))));
    fcl_value digit = tb_op2(b, "mod", tb_op2(b, "div", d->digits, power), wide_of(b, 10));
    digit = either(b, inside, digit, wide_of(b, 0));
    return add(b, as_unsigned(b, digit), unsigned_of(b, '0'));
}

/* 123.45, 0.0012, 100.0 */
static fcl_value fixed_at(builder *b, const decimal *d, fcl_value i)
{
    fcl_value point = plus(b, larger(b, d->exponent, 0), 1);
    fcl_value behind = tb_op2(b, "gt", i, point), is_point = tb_op2(b, "eq", i, point);
    fcl_value weight = sub(b, plus(b, point, -1), i);
    weight = either(b, behind, plus(b, weight, 1), weight);
    return either(b, is_point, unsigned_of(b, '.'), digit_at(b, d, sub(b, d->exponent, weight)));
}

/* 1.5E~10, 1E3.0 */
static fcl_value scientific_at(builder *b, const decimal *d, fcl_value i)
{
    fcl_value mantissa = mantissa_length(b, d), zero = tb_int_of(b, 0), one = tb_int_of(b, 1);
    fcl_value negative = tb_op2(b, "lt", d->exponent, zero);
    fcl_value c = digit_at(b, d, larger(b, plus(b, i, -1), 0));
    c = either(b, tb_op2(b, "eq", i, one), unsigned_of(b, '.'), c);
    fcl_value k = sub(b, plus(b, i, -1), mantissa); /* behind the E */
    fcl_value behind = sub(b, k, tb_convert(b, FCL_I32, negative)), n = exponent_digits(b, d);
    fcl_value left = sub(b, plus(b, n, -1), behind);
    fcl_value number =
        digit_of(b, as_unsigned(b, tb_op1(b, "abs", d->exponent)), larger(b, left, 0));
    number = either(b, tb_op2(b, "eq", left, tb_int_of(b, -1)), unsigned_of(b, '.'), number);
    number = either(b, tb_op2(b, "eq", left, tb_int_of(b, -2)), unsigned_of(b, '0'), number);
    number = either(b, tb_op2(b, "lt", behind, zero), unsigned_of(b, '~'), number);
    c = either(b, tb_op2(b, "ge", i, mantissa),
               either(b, tb_op2(b, "lt", k, zero), unsigned_of(b, 'E'), number), c);
    return c;
}

static fcl_value character_at(builder *b, const decimal *d, fcl_value i)
{
    fcl_value zero = tb_int_of(b, 0), at = sub(b, i, tb_convert(b, FCL_I32, d->minus));
    fcl_value number = either(b, d->fixed, fixed_at(b, d, at), scientific_at(b, d, at));
    fcl_value most = plus(b, tb_op2(b, "dim", d->other, zero), -1);
    fcl_value other = tb_op2(b, "index", d->other, tb_op2(b, "min", larger(b, at, 0), most));
    return either(b, tb_op2(b, "lt", at, zero), unsigned_of(b, '-'),
                  either(b, d->finite, number, other));
}

tail_value tb_FORMAT_DOUBLE(const application *a)
{
    builder *b = a->b;
    tail_value x = tb_operand(a, 0, BASE_DOUBLE, 0);
    decimal d = decimal_of(b, x.v);
    loop l = tb_generate_begin(b, &d.length, 1);
    return tb_array(b, BASE_CHAR, 1, tb_generate_end(b, &l, character_at(b, &d, l.i[0])));
}

/* Both parts with a j between them. */
tail_value tb_FORMAT_COMPLEX(const application *a)
{
    builder *b = a->b;
    tail_value x = tb_operand(a, 0, BASE_COMPLEX, 0);
    decimal re = decimal_of(b, tb_part(b, x.v, 0)), im = decimal_of(b, tb_part(b, x.v, 1));
    fcl_value n = plus(b, add(b, re.length, im.length), 1);
    loop l = tb_generate_begin(b, &n, 1);
    fcl_value behind = sub(b, plus(b, l.i[0], -1), re.length);
    fcl_value c = either(b, tb_op2(b, "lt", behind, tb_int_of(b, 0)), unsigned_of(b, 'j'),
                         character_at(b, &im, behind));
    c = either(b, tb_op2(b, "lt", l.i[0], re.length), character_at(b, &re, l.i[0]), c);
    return tb_array(b, BASE_CHAR, 1, tb_generate_end(b, &l, c));
}
