/* What is associative and has a neutral element, by construction: sums of floats are those of small
 * whole numbers, which are exact. */
#include "tests/random/grow_combine.h"

static manner some_manner(gen *g, scalar s)
{
    static const manner of_bool[] = {XOR, OR, AND, LAST}, of_real[] = {ADD, MIN, MAX},
                        of_int[] = {ADD, ADD, ADD, XOR, OR, AND, MIN, MAX, MUL, LAST, LAST, LAST};
    return s == ST_BOOL            ? of_bool[some(g, 4)]
           : s == ST_F16           ? of_real[1 + some(g, 2)]
           : ir_scalar_is_float(s) ? of_real[some(g, 3)]
                                   : of_int[some(g, 12)];
}

static void choose(gen *g, type_id t, manner *of, uint32_t *n)
{
    shape s = shape_of(g, t);
    if (s.form == FORM_SCALAR)
        of[(*n)++] = some_manner(g, s.scalar);
    for (uint32_t i = 0; s.form == FORM_TUPLE && i < s.n; i++)
        choose(g, s.items[i], of, n);
}

monoid some_monoid(gen *g, type_id t)
{
    monoid m = {.type = t};
    shape s = shape_of(g, t);
    uint32_t n = 0;
    choose(g, t, m.of, &n);
    if (s.form == FORM_TUPLE && s.n == 2 && s.items[0] == s.items[1]) {
        shape item = shape_of(g, s.items[0]);
        m.affine = item.form == FORM_SCALAR && item.scalar != ST_BOOL &&
                   !ir_scalar_is_float(item.scalar) && chance(g, 60);
    }
    return m;
}

monoid some_sum(gen *g, type_id t)
{
    monoid m = some_monoid(g, t);
    m.affine = false;
    for (uint32_t i = 0; i < SCALARS_MOST; i++)
        if (m.of[i] == LAST)
            m.of[i] = XOR;
    return m;
}

/* ---- neutral elements ---- */

static uint64_t neutral_bits(manner how, scalar s)
{
    bool real = ir_scalar_is_float(s), is_signed = ir_scalar_class(s) == 'I';
    uint64_t all = s == ST_BOOL ? 1 : scalar_wrap(s, UINT64_MAX),
             top = (uint64_t)1 << (8 * ir_scalar_bytes(s) - 1);
    switch (how) {
    case AND: return all;
    case MIN:
        return real        ? scalar_from_double(s, 2 * SUMMAND_MOST)
               : is_signed ? scalar_wrap(s, top - 1)
                           : all;
    case MAX: return !real && is_signed ? scalar_wrap(s, top) : 0;
    case MUL: return 1;
    default: return 0;
    }
}

term tuple_term(gen *g, const term *items, uint32_t n)
{
    return term_of(
        n == 2   ? say(g, "tuple %s, %s", items[0].s, items[1].s)
        : n == 3 ? say(g, "tuple %s, %s, %s", items[0].s, items[1].s, items[2].s)
                 : say(g, "tuple %s, %s, %s, %s", items[0].s, items[1].s, items[2].s, items[3].s));
}

static term neutral_of(gen *g, type_id t, const manner **of)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    if (s.form == FORM_SCALAR)
        return literal_of(g, s.scalar, neutral_bits(*(*of)++, s.scalar));
    for (uint32_t i = 0; i < s.n; i++)
        items[i] = neutral_of(g, s.items[i], of);
    return tuple_term(g, items, s.n);
}

term neutral(gen *g, const monoid *m)
{
    const manner *of = m->of, identity[] = {MUL, ADD};
    if (m->affine)
        of = identity;
    return neutral_of(g, m->type, &of);
}

/* ---- combining ---- */

static term combined_scalars(gen *g, manner how, scalar s, term a, term b)
{
    static const char *const names[] = {"add", "xor", "or", "and", "min", "max", "mul"};
    if (how != LAST)
        return term_of(say(g, "%s %s, %s", names[how], a.s, b.s));
    term none = term_of(say(g, "eq %s, %s", b.s, literal_of(g, s, 0).s));
    return term_of(say(g, "select %s, %s, %s", none.s, a.s, b.s));
}

term item(gen *g, term of, uint32_t i)
{
    return term_of(say(g, "proj %s, %u", of.s, i));
}

static term combined_of(gen *g, type_id t, const manner **of, term a, term b)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    if (s.form == FORM_SCALAR)
        return combined_scalars(g, *(*of)++, s.scalar, a, b);
    for (uint32_t i = 0; i < s.n; i++) {
        term x = item(g, a, i), y = item(g, b, i);
        items[i] = combined_of(g, s.items[i], of, x, y);
    }
    return tuple_term(g, items, s.n);
}

/* The function a behind which b comes: (a0 b0, a1 b0 + b1). */
static term composed(gen *g, term a, term b)
{
    term a0 = item(g, a, 0), a1 = item(g, a, 1), b0 = item(g, b, 0), b1 = item(g, b, 1);
    term by = term_of(say(g, "mul %s, %s", a1.s, b0.s));
    return tuple_term(g,
                      (term[]){term_of(say(g, "mul %s, %s", a0.s, b0.s)),
                               term_of(say(g, "add %s, %s", by.s, b1.s))},
                      2);
}

term combined(gen *g, const monoid *m, term a, term b)
{
    const manner *of = m->of;
    return m->affine ? composed(g, a, b) : combined_of(g, m->type, &of, a, b);
}

void say_combined(gen *g, const monoid *m, uint32_t id)
{
    say_yield(g, combined(g, m, term_of(id), term_of(id + 1)));
    say_close(g);
}
