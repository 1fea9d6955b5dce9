/* Angles modulo pi / 2.
 *
 * Up to a bound a multiple of pi / 2 is taken away in parts whose products are exact (Cody and
 * Waite).  Beyond, the angle is multiplied by the bits of 2 / pi that matter to it (Payne and
 * Hanek): x = m 2^e, and of 2 / pi the bits before e - 2 give multiples of 4. */
#include "backends/spirv/real/real.h"

/* ---- Cody and Waite ---- */

static sr_rest reduce_near(const sr_function *f, sp_id x)
{
    sp_id k = sr_1(f, SOP_RINT, sr_mul(f, x, sr_number(f, 0.63661977236758134308)));
    sp_id first = sr_mul(f, k, sr_either(f, 0x1.921fb544p+0, 0x1.9218p+0)),
          second = sr_mul(f, k, sr_either(f, -0x1.0b4611a6p-34, -0x1.ed5p-14)),
          third = sr_mul(f, k, sr_either(f, -0x1.3198a2e0p-69, -0x1.10bp-30)),
          last = sr_mul(f, k, sr_either(f, 0x1.b839a252049c1p-104, 0x1.184698p-44));
    sr_pair a = sr_two_sum(f, sr_sub(f, x, first), second), b = sr_two_sum(f, a.hi, third);
    sp_id rest = sr_sub(f, sr_add(f, a.lo, b.lo), last);
    return (sr_rest){sr_quick_sum(f, b.hi, rest), sr_to_whole(f, k)};
}

/* ---- Payne and Hanek ---- */

/* Behind 64 zeros the bits of 2 / pi, as far as the greatest double needs them. */
static const uint32_t two_over_pi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
    0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
    0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
    0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

enum {
    ZEROS = 64,
    WORDS = sizeof two_over_pi / sizeof *two_over_pi,
    MOST_WORDS = 6, /* of a product modulo 4 */
    MANTISSA_WORDS = 2
};

static sp_id word(const sr_function *f, uint32_t x)
{
    return sp_u32(f->e, x);
}

static sp_id on_words(const sr_function *f, opcode op, sp_id a, sp_id b)
{
    return sr_on(f, ST_U32, op, a, b);
}

static sp_id pick_word(const sr_function *f, sp_id test, sp_id yes, sp_id no)
{
    return sp_3(f->e, SpvOpSelect, sp_scalar(f->e, ST_U32), test, yes, no);
}

/* The table as a variable of the module. */
static sp_id table_of(sp_emitter *e)
{
    uint32_t words[WORDS];
    sp_id type = sp_array(e, sp_scalar(e, ST_U32), WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = sp_u32(e, two_over_pi[i]);
    sp_id all = sp_once(e->s, SP_GLOBALS, SpvOpConstantComposite, type, words, WORDS);
    return sp_once(e->s, SP_GLOBALS, SpvOpVariable, sp_pointer(e, e->environment->tables, type),
                   SP_WORDS((uint32_t)e->environment->tables, all));
}

static sp_id read_word(const sr_function *f, sp_id table, sp_id at)
{
    sp_emitter *e = f->e;
    sp_id to = sp_pointer(e, e->environment->tables, sp_scalar(e, ST_U32));
    return sp_1(e, SpvOpLoad, sp_scalar(e, ST_U32),
                sp_2(e, SpvOpInBoundsAccessChain, to, table, at));
}

/* n words of 2 / pi from a bit on, the highest first. */
static void window(const sr_function *f, sp_id bit, sp_id *out, uint32_t n)
{
    sp_id table = table_of(f->e), five = word(f, 5), full = word(f, 32);
    sp_id at = on_words(f, SOP_LSHR, bit, five), by = on_words(f, SOP_AND, bit, word(f, 31));
    sp_id back = on_words(f, SOP_AND, on_words(f, SOP_SUB, full, by), word(f, 31));
    sp_id even = sp_relate(f->e, SpvOpIEqual, by, word(f, 0)), upper = read_word(f, table, at);
    for (uint32_t i = 0; i < n; i++) {
        sp_id lower = read_word(f, table, on_words(f, SOP_ADD, at, word(f, i + 1)));
        sp_id from = pick_word(f, even, word(f, 0), on_words(f, SOP_LSHR, lower, back));
        out[i] = on_words(f, SOP_OR, on_words(f, SOP_SHL, upper, by), from);
        upper = lower;
    }
}

/* a + b, with what overflows added to a word above. */
static sp_id carry_into(const sr_function *f, sp_id a, sp_id b, sp_id *above)
{
    sp_id sum = on_words(f, SOP_ADD, a, b), over = sp_relate(f->e, SpvOpULessThan, sum, a);
    *above = on_words(f, SOP_ADD, *above, pick_word(f, over, word(f, 1), word(f, 0)));
    return sum;
}

/* Adds m times the words of a window, as far as they are at `shift` words or above, to sum; both
 * have the highest word first. */
static void add_product(const sr_function *f, sp_id m, const sp_id *by, sp_id *sum, uint32_t n,
                        uint32_t shift)
{
    sp_id carry = word(f, 0);
    for (uint32_t i = n; i-- > shift;) {
        sp_id low = on_words(f, SOP_MUL, m, by[i]), high = on_words(f, SOP_MULHI, m, by[i]);
        low = carry_into(f, low, carry, &high);
        sum[i - shift] = carry_into(f, sum[i - shift], low, &high);
        carry = high;
    }
}

/* The significand, the lower word first, and the exponent of its last bit. */
static sp_id take_apart(const sr_function *f, sp_id x, sp_id m[MANTISSA_WORDS])
{
    uint32_t p = sr_precision(f);
    sp_id bits = sr_bits(f, sr_1(f, SOP_ABS, x)), behind = sr_integer(f, p - 1);
    int64_t one = (int64_t)1 << (p - 1);
    sp_id whole =
        sr_op(f, SOP_OR, sr_op(f, SOP_AND, bits, sr_integer(f, one - 1)), sr_integer(f, one));
    m[0] = sp_resize(f->e, ST_U32, f->whole, whole);
    m[1] = sr_is_double(f)
               ? sp_resize(f->e, ST_U32, f->whole, sr_op(f, SOP_LSHR, whole, sr_integer(f, 32)))
               : 0;
    sp_id exponent = sr_op(f, SOP_SHR, bits, behind);
    return sr_op(f, SOP_SUB, exponent, sr_integer(f, (sr_is_double(f) ? 1023 : 127) + p - 1));
}

/* A fraction of words, the highest first, as a pair of floats. */
static sr_pair as_floats(const sr_function *f, const sp_id *words, uint32_t n)
{
    sp_id real = sp_scalar(f->e, f->type);
    sr_pair sum = {sr_number(f, 0), sr_number(f, 0)};
    uint32_t pieces = sr_is_double(f) ? 1 : 2, width = 32 / pieces; /* exact as floats */
    double unit = 1;
    for (uint32_t i = 0; i < n * pieces; i++) {
        unit /= (double)((uint64_t)1 << width);
        sp_id part = words[i / pieces];
        if (pieces == 2)
            part = i % 2 ? on_words(f, SOP_AND, part, word(f, 0xffff))
                         : on_words(f, SOP_LSHR, part, word(f, 16));
        sp_id v = sr_mul(f, sp_1(f->e, SpvOpConvertUToF, real, part), sr_number(f, unit));
        sr_pair next = sr_quick_sum(f, sum.hi, v);
        sum = (sr_pair){next.hi, sr_add(f, sum.lo, next.lo)};
    }
    return sr_quick_sum(f, sum.hi, sum.lo);
}

/* The product's two upper bits are the quadrant, what follows a fraction of pi / 2, which is
 * negative from a half on: that of the next quadrant. */
static sr_rest from_product(const sr_function *f, const sp_id *product, uint32_t n, sp_id x)
{
    sp_id part[MOST_WORDS], two = word(f, 2), down, sign, none = sr_integer(f, 0);
    sp_id top = on_words(f, SOP_LSHR, product[0], word(f, 30));
    for (uint32_t i = 0; i < n; i++) {
        part[i] = on_words(f, SOP_SHL, product[i], two);
        if (i + 1 < n)
            part[i] =
                on_words(f, SOP_OR, part[i], on_words(f, SOP_LSHR, product[i + 1], word(f, 30)));
    }
    sign = on_words(f, SOP_LSHR, part[0], word(f, 31));
    down = sp_relate(f->e, SpvOpINotEqual, sign, word(f, 0));
    for (uint32_t i = 0; i < n; i++)
        part[i] = pick_word(f, down, on_words(f, SOP_XOR, part[i], word(f, ~0u)), part[i]);
    sr_pair right = {sr_either(f, 0x1.921fb54442d18p+0, 0x1.921fb6p+0),
                     sr_either(f, 0x1.1a62633145c07p-54, -0x1.777a5cp-25)};
    sr_pair r = sr_times(f, as_floats(f, part, n), right);
    sp_id quadrant = sp_resize(f->e, f->whole, ST_U32, on_words(f, SOP_ADD, top, sign));
    sp_id negative = sr_less(f, x, sr_number(f, 0));
    sp_id turned = sp_2(f->e, SpvOpLogicalNotEqual, sp_scalar(f->e, ST_BOOL), down, negative);
    return (sr_rest){{sr_choose(f, turned, sr_1(f, SOP_NEG, r.hi), r.hi),
                      sr_choose(f, turned, sr_1(f, SOP_NEG, r.lo), r.lo)},
                     sr_pick(f, negative, sr_op(f, SOP_SUB, none, quadrant), quadrant)};
}

static sr_rest reduce_far(const sr_function *f, sp_id x)
{
    uint32_t n = sr_is_double(f) ? MOST_WORDS : 3;
    sp_id m[MANTISSA_WORDS], by[MOST_WORDS], sum[MOST_WORDS];
    sp_id e = take_apart(f, x, m);
    sp_id bit = sr_op(f, SOP_ADD, e, sr_integer(f, ZEROS - 2));
    /* An infinite x has no angle; it is not to leave the table either. */
    sp_id inside = sr_op(f, SOP_AND, bit, sr_integer(f, 2047));
    sp_id last = sr_op(f, SOP_MIN, inside, sr_integer(f, (int64_t)(WORDS - n - 1) * 32));
    window(f, sp_resize(f->e, ST_U32, f->whole, last), by, n);
    for (uint32_t i = 0; i < n; i++)
        sum[i] = word(f, 0);
    add_product(f, m[0], by, sum, n, 0);
    if (sr_is_double(f))
        add_product(f, m[1], by, sum, n, 1);
    return from_product(f, sum, n, x);
}

/* ---- which of them ---- */

static sp_id phi(const sr_function *f, sp_id type, sp_id a, sp_id from_a, sp_id b, sp_id from_b)
{
    return sp_make(f->e->s, f->e->where, SpvOpPhi, type, SP_WORDS(a, from_a, b, from_b));
}

sr_rest sr_reduce(const sr_function *f, sp_id x)
{
    sp_emitter *e = f->e;
    sp_id near = sp_new_id(e->s), far = sp_new_id(e->s), end = sp_new_id(e->s);
    sp_id real = sp_scalar(e, f->type), whole = sp_scalar(e, f->whole);
    sp_id is_near = sr_less(f, sr_1(f, SOP_ABS, x), sr_either(f, 0x1p20, 0x1p10));
    sp_merge(e, end);
    sp_branch_by(e, is_near, near, far);
    sp_label(e, near);
    sr_rest a = reduce_near(f, x);
    sp_id from_a = e->block;
    sp_branch(e, end);
    sp_label(e, far);
    sr_rest b = reduce_far(f, x);
    sp_id from_b = e->block;
    sp_branch(e, end);
    sp_label(e, end);
    return (sr_rest){{phi(f, real, a.at.hi, from_a, b.at.hi, from_b),
                      phi(f, real, a.at.lo, from_a, b.at.lo, from_b)},
                     phi(f, whole, a.quadrant, from_a, b.quadrant, from_b)};
}
