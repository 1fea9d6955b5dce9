/* Elements to be combined: not all alike, nor sums that hang on their order. */
#include "tests/random/grow_combine.h"

#include <string.h>

bool has_real(const gen *g, type_id t)
{
    shape s = shape_of(g, t);
    bool any = s.form == FORM_SCALAR && ir_scalar_is_float(s.scalar);
    for (uint32_t i = 0; s.form == FORM_TUPLE && i < s.n && !any; i++)
        any = has_real(g, s.items[i]);
    return any;
}

term some_summand(gen *g, type_id t)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    if (!has_real(g, t))
        return some_value(g, t);
    if (s.form == FORM_SCALAR)
        return summand(g, s.scalar);
    for (uint32_t i = 0; i < s.n; i++)
        items[i] = some_summand(g, s.items[i]);
    return tuple_term(g, items, s.n);
}

/* A value of the bits of an int that hang on the position: none is like another, and some are 0. */
static term of_bits(gen *g, type_id t, term bits)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST], x = bits;
    if (s.form == FORM_TUPLE) {
        for (uint32_t i = 0; i < s.n; i++)
            items[i] = of_bits(g, s.items[i], bits);
        return tuple_term(g, items, s.n);
    }
    x = term_of(say(g, "lshr %s, %u", x.s, 3 + some(g, 20)));
    if (s.scalar == ST_BOOL)
        return term_of(say(g, "lt %s, %u", term_of(say(g, "and %s, 7", x.s)).s, 1 + some(g, 7)));
    if (ir_scalar_is_float(s.scalar) || chance(g, 30))
        x = term_of(say(g, "mod %s, %d", x.s, 1 + SUMMAND_MOST));
    return s.scalar == ST_I32 ? x : term_of(say(g, "convert<%s> %s", type_term(g, t).s, x.s));
}

term varied_element(gen *g, type_id t, uint32_t i, uint32_t rank)
{
    term bits = term_of(say(g, "mul %%%u, %u", i, 40503 + 2 * some(g, 1 << 28)));
    for (uint32_t k = 1; k < rank; k++) {
        uint32_t more = say(g, "mul %%%u, %u", i + k, 30011 + 2 * some(g, 1 << 28));
        bits = term_of(say(g, "xor %s, %%%u", bits.s, more));
    }
    return of_bits(g, t, bits);
}

value summands(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    if (chance(g, 60))
        return generate_by(g, elem, rank, want, varied_element);
    if (!has_real(g, elem))
        return some_pull(g, elem, rank, want);
    type_id from = some_base(g);
    value of = some_pull(g, from, rank, want);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, from).s);
    uint32_t id = say_open(g, head.s, "map %%%u", of.id);
    value v = array_of(id, pull_of(g, elem, rank), want, rank);
    scope s = enter(g, count_most(want, rank));
    keep(g, named(g, from));
    say_yield(g, some_summand(g, elem));
    leave(g, &s, &v.cost, &v.code);
    say_close(g);
    v.cost += of.cost;
    v.code += of.code;
    return *keep(g, v);
}
