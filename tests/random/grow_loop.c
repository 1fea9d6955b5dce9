/* Loops over arrays: while, repeat, accumulate, seqfor, mapaccum, chain. */
#include "tests/random/grow.h"

/* map array { (x) tuple first, x } */
static uint32_t with_counter(gen *g, uint32_t array, type_id elem, const char *first)
{
    uint32_t x = g->next_id + 2;
    term head = termf("(%%%u: %s)", x, type_term(g, elem).s);
    uint32_t id = say_open(g, head.s, "map %%%u", array);
    g->next_id++;
    say_yield(g, term_of(say(g, "tuple %s, %%%u", first, x)));
    say_close(g);
    return id;
}

/* map array { (x) proj x, 1 } */
static uint32_t without_counter(gen *g, uint32_t array, type_id state)
{
    uint32_t x = g->next_id + 2;
    term head = termf("(%%%u: %s)", x, type_term(g, state).s);
    uint32_t id = say_open(g, head.s, "map %%%u", array);
    g->next_id++;
    say_yield(g, term_of(say(g, "proj %%%u, 1", x)));
    say_close(g);
    return id;
}

static uint32_t counter_of(gen *g, uint32_t array, uint32_t rank)
{
    uint32_t x = say(g,
                     rank == 1   ? "index %%%u, 0"
                     : rank == 2 ? "index %%%u, 0, 0"
                                 : "index %%%u, 0, 0, 0",
                     array);
    return say(g, "proj %%%u, 0", x);
}

/* How many turns a loop takes. */
static extent some_turns(gen *g)
{
    if (chance(g, 60)) {
        uint32_t n = some(g, 5);
        return (extent){termf("%u", n), n, n};
    }
    term x = some_scalar_value(g, ST_I32);
    return int_op(g, "mod", x, termf("4"), 0, 3);
}

static bool is_long(const gen *g, double turns, double elements)
{
    return !afford(g, turns * elements * 12, 60);
}

/* A loop whose elements carry the number of the turn, which its condition reads. */
value loop_while(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    double n = count_most(want, rank), cost, code;
    bool empty = false;
    for (uint32_t k = 0; k < rank; k++)
        empty = empty || want[k].lo == 0;
    if (empty || is_long(g, 4, n))
        return loop_repeat(g, elem, rank, want);
    uint32_t level = some_level(g, g->level);
    type_id state = tuple_of(g, (type_id[]){type_of(g, ST_I32), elem}, 2),
            states = pull_of(g, state, rank);
    extent turns = some_turns(g);
    value p = some_push(g, elem, rank, level, want);
    spend(g, p.cost * n, p.code);
    uint32_t start = with_counter(g, p.id, elem, "0"), xs = g->next_id + 2;
    term head = termf("(%%%u: %s)", xs, type_term(g, states).s);
    uint32_t loop = say_open(g, head.s, "while %%%u", start);
    g->next_id++;
    uint32_t counter = counter_of(g, xs, rank);
    say_yield(g, term_of(say(g, "lt %%%u, %s", counter, turns.t.s)));
    xs = ++g->next_id;
    head = termf("(%%%u: %s)", xs, type_term(g, states).s);
    say_next(g, head.s);
    scope s = enter(g, (double)turns.hi + 1);
    counter = counter_of(g, xs, rank);
    uint32_t next = say(g, "add %%%u, 1", counter);
    keep(g, array_of(without_counter(g, xs, state), pull_of(g, elem, rank), want, rank));
    value step = some_push(g, elem, rank, level, want);
    say_yield(g, term_of(with_counter(g, step.id, elem, term_of(next).s)));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (double)(turns.hi + 1) * (cost + step.cost * n), code + step.code);
    return *keep(g, array_of(without_counter(g, loop, state), pull_of(g, elem, rank), want, rank));
}

value loop_repeat(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    double n = count_most(want, rank), cost, code;
    if (is_long(g, 4, n))
        return generate_elements(g, elem, rank, want);
    uint32_t level = some_level(g, g->level);
    type_id t = pull_of(g, elem, rank);
    extent turns = some_turns(g);
    value p = some_push(g, elem, rank, level, want);
    spend(g, p.cost * n, p.code);
    uint32_t i = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u: %s)", i, i + 1, type_term(g, t).s);
    uint32_t id = say_open(g, head.s, "repeat %s, %%%u", turns.t.s, p.id);
    scope s = enter(g, (double)turns.hi + 1);
    value at = named(g, type_of(g, ST_I32));
    at.is_size = true;
    at.size = (extent){term_of(at.id), 0, turns.hi};
    keep(g, at);
    keep(g, array_of(++g->next_id, t, want, rank));
    value step = some_push(g, elem, rank, level, want);
    say_yield(g, term_of(step.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (double)(turns.hi + 1) * (cost + step.cost * n), code + step.code);
    return *keep(g, array_of(id, t, want, rank));
}

/* Component k of what a loop hands on, as something to be used. */
static value part_of(gen *g, uint32_t state, uint32_t k, type_id t, const extent *want,
                     uint32_t rank)
{
    return *keep(g, array_of(say(g, "proj %%%u, %u", state, k), t, want, rank));
}

/* A state of two arrays, of other extents and types, and of a scalar between them. */
value loop_of_state(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    double n = count_most(want, rank), cost, code;
    type_id other = some_base(g), t = pull_of(g, elem, rank), u = pull_of(g, other, 1);
    extent m = some_size(g, 20, false);
    if (is_long(g, 4, n + (double)m.hi))
        return generate_elements(g, elem, rank, want);
    uint32_t level = some_level(g, g->level);
    extent turns = some_turns(g);
    value p = some_push(g, elem, rank, level, want), q = some_push(g, other, 1, level, &m);
    spend(g, p.cost * n + q.cost * (double)m.hi, p.code + q.code);
    term k = some_scalar_value(g, ST_I32);
    uint32_t start = say(g, "tuple %%%u, %s, %%%u", p.id, k.s, q.id), i = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u)", i, i + 1);
    uint32_t id = say_open(g, head.s, "repeat %s, %%%u", turns.t.s, start);
    scope s = enter(g, (double)turns.hi + 1);
    value at = named(g, type_of(g, ST_I32));
    at.is_size = true;
    at.size = (extent){term_of(at.id), 0, turns.hi};
    keep(g, at);
    uint32_t now = ++g->next_id;
    part_of(g, now, 0, t, want, rank);
    part_of(g, now, 1, type_of(g, ST_I32), want, 0);
    part_of(g, now, 2, u, &m, 1);
    value a = some_push(g, elem, rank, level, want), b = some_push(g, other, 1, level, &m);
    k = some_scalar_value(g, ST_I32);
    say_yield(g, term_of(say(g, "tuple %%%u, %s, %%%u", a.id, k.s, b.id)));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (double)(turns.hi + 1) * (cost + a.cost * n + b.cost * (double)m.hi),
          code + a.code + b.code);
    part_of(g, id, 2, u, &m, 1);
    part_of(g, id, 1, type_of(g, ST_I32), want, 0);
    return part_of(g, id, 0, t, want, rank);
}

/* ---- accumulate ---- */

term summand(gen *g, scalar s)
{
    if (!ir_scalar_is_float(s))
        return some_scalar_value(g, s);
    extent k = int_op(g, "mod", some_scalar_value(g, ST_I32), termf("50"), 0, 49);
    return term_of(say(g, "convert<%s> %s", type_term(g, type_of(g, s)).s, k.t.s));
}

/* The elements that it starts with. */
static value initial(gen *g, type_id elem, const extent *want)
{
    shape s = shape_of(g, elem);
    if (!ir_scalar_is_float(s.scalar))
        return some_pull(g, elem, 1, want);
    uint32_t i = g->next_id + 2;
    term head = termf("(%%%u: int)", i);
    value v = array_of(say_open(g, head.s, "generate %s", want->t.s), pull_of(g, elem, 1), want, 1);
    g->next_id++;
    say_yield(g, term_of(say(g, "convert<%s> %%%u", type_term(g, elem).s, i)));
    say_close(g);
    return *keep(g, v);
}

static bool is_atomic(scalar s)
{
    return s == ST_I32 || s == ST_U32 || s == ST_I64 || s == ST_U64 || s == ST_F32 || s == ST_F64;
}

/* The combining function: an applied function value, or one that is found out to be a maximum. */
static void say_combination(gen *g, const value *f, scalar s, const char *name)
{
    uint32_t x = g->next_id + 1;
    term head = termf("(%%%u: %s, %%%u: %s)", x, name, x + 1, name);
    say_next(g, head.s);
    g->next_id += 2;
    if (s != ST_BOOL && chance(g, 20)) {
        uint32_t less = say(g, "lt %%%u, %%%u", x, x + 1);
        say_yield(g, term_of(say(g, "select %%%u, %%%u, %%%u", less, x + 1, x)));
    } else {
        say_yield(g, term_of(say(g, "apply %%%u, %%%u, %%%u", f->id, x, x + 1)));
    }
}

value accumulated(gen *g, type_id elem, const extent *want)
{
    shape s = shape_of(g, elem);
    extent n = some_size(g, 70, false);
    if (is_long(g, 2, (double)n.hi))
        return generate_elements(g, elem, 1, want);
    if (g->unscheduled && (s.form != FORM_SCALAR || chance(g, 30)))
        return accumulated_of(g, elem, want, &n);
    if (s.form != FORM_SCALAR)
        return generate_elements(g, elem, 1, want);
    uint32_t level = is_atomic(s.scalar) ? some_level(g, g->level) : 0;
    type_id from = some_base(g);
    value f = combine(g, s.scalar), init = initial(g, elem, want),
          p = some_push(g, from, 1, level, &n);
    double cost, code;
    spend(g, init.cost * (double)want->hi + p.cost * (double)n.hi, init.code + p.code);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, from).s);
    uint32_t id = say_open(g, head.s, "accumulate %%%u, %%%u", init.id, p.id);
    scope sc = enter(g, (double)n.hi);
    g->level = 0;
    keep(g, named(g, from));
    extent at = int_op(g, "mod", some_scalar_value(g, ST_I32), want->t, 0, want->hi - 1);
    term x = summand(g, s.scalar);
    say_yield(g, term_of(say(g, "tuple %s, %s", at.t.s, x.s)));
    leave(g, &sc, &cost, &code);
    say_combination(g, &f, s.scalar, type_term(g, elem).s);
    say_close(g);
    spend(g, cost * (double)n.hi, code);
    return *keep(g, array_of(id, init.type, want, 1));
}

/* ---- loops of one thread ---- */

static value push_of(gen *g, uint32_t id, type_id elem, uint32_t level, const extent *want,
                     double cost, double code)
{
    value v = array_of(id, push_to(g, elem, 1, level), want, 1);
    v.cost = cost + 2;
    v.code = code + 2;
    return *keep(g, v);
}

/* Writes the elements from either end, once or twice, and reads some of what it wrote. */
value seqfor(gen *g, type_id elem, const extent *want)
{
    bool down = chance(g, 40), twice = chance(g, 20);
    extent steps = *want;
    double cost, code;
    if (twice)
        steps = int_op(g, "mul", want->t, termf("2"), want->lo * 2, want->hi * 2);
    type_id t = pull_of(g, elem, 1);
    uint32_t xs = g->next_id + 2, i = xs + 1;
    term head = termf("(%%%u: %s, %%%u: int)", xs, type_term(g, t).s, i);
    uint32_t id = say_open(g, head.s, "seqfor %s, %s", want->t.s, steps.t.s);
    g->next_id += 2;
    scope s = enter(g, (double)steps.hi);
    g->level = 0;
    value at = named(g, type_of(g, ST_I32));
    at.id = i;
    g->next_id--;
    at.is_size = true;
    at.size = (extent){term_of(i), 0, steps.hi > 0 ? steps.hi - 1 : 0};
    if (!twice)
        at.below = want->t;
    keep(g, at);
    term k = some_scalar_value(g, ST_I32);
    uint32_t later = say(g, "gt %%%u, 0", i);
    uint32_t before = say_open(g, "", "if %%%u", later);
    uint32_t seen = twice ? say(g, "min %%%u, %s", i, want->t.s) : i;
    uint32_t j = say(g, "mod %s, %%%u", k.s, seen);
    if (down)
        j = say(g, "sub %%%u, %%%u", say(g, "sub %s, 1", want->t.s), j);
    say_yield(g, term_of(say(g, "index %%%u, %%%u", xs, j)));
    say_next(g, "");
    say_yield(g, zero(g, elem));
    say_close(g);
    value prior = {.type = elem, .id = before};
    keep(g, prior);
    term x = some_value(g, elem);
    uint32_t to = twice ? say(g, "mod %%%u, %s", i, want->t.s) : i;
    if (down)
        to = say(g, "sub %%%u, %%%u", say(g, "sub %s, 1", want->t.s), to);
    say_yield(g, term_of(say(g, "tuple %%%u, %s", to, x.s)));
    leave(g, &s, &cost, &code);
    say_close(g);
    return push_of(g, id, elem, 0, want, cost * (twice ? 2 : 1), code);
}

/* ---- mapaccum ---- */

value mapaccum(gen *g, type_id elem, uint32_t level, const extent *want)
{
    extent c = some_size(g, want->hi > 40 ? 40 : want->hi > 1 ? want->hi : 1, true);
    double rounds = (double)want->hi / (double)c.lo, cost, code;
    if (!afford(g, (double)want->hi * 10, 40))
        return pushed(g, elem, 1, level, want);
    type_id state = some_base(g);
    term z = some_value(g, state);
    uint32_t i = g->next_id + 2;
    term head = termf("(%%%u: int, %%%u: %s)", i, i + 1, type_term(g, state).s);
    uint32_t id = say_open(g, head.s, "mapaccum %s, %s, %s", want->t.s, c.t.s, z.s);
    g->next_id += 2;
    scope s = enter(g, rounds + 1);
    g->level = level;
    value at = {.type = type_of(g, ST_I32), .id = i, .is_size = true};
    at.size = (extent){term_of(i), 0, (int64_t)rounds + 1};
    keep(g, at);
    keep(g, (value){.type = state, .id = i + 1});
    extent start = int_op(g, "mul", term_of(i), c.t, 0, want->hi > 0 ? want->hi - 1 : 0);
    extent left = int_op(g, "sub", want->t, start.t, 1, want->hi);
    extent size = int_op(g, "min", c.t, left.t, 1, c.hi);
    value p = some_push(g, elem, 1, level, &size);
    term next = some_value(g, state);
    say_yield(g, term_of(say(g, "tuple %%%u, %s", p.id, next.s)));
    leave(g, &s, &cost, &code);
    say_close(g);
    return push_of(g, id, elem, level, want, cost / (double)c.lo + p.cost, code + p.code);
}

/* ---- chain ---- */

/* What a chunk is made from: the part of the array that its summary is of. */
static extent chunk_size(gen *g, uint32_t k, extent c, const extent *want)
{
    extent start = int_op(g, "mul", term_of(k), c.t, 0, want->hi > 0 ? want->hi - 1 : 0);
    extent left = int_op(g, "sub", want->t, start.t, 1, want->hi);
    return int_op(g, "min", c.t, left.t, 1, c.hi);
}

static value number_of_chunk(gen *g, uint32_t k, double chunks)
{
    value v = {.type = type_of(g, ST_I32), .id = k, .is_size = true};
    v.size = (extent){term_of(k), 0, (int64_t)chunks + 1};
    return v;
}

/* The regions in the middle of a chain: how summaries are combined, and what is before a chunk. */
static void say_links(gen *g, uint32_t f, term type, term z)
{
    uint32_t x = g->next_id + 1;
    term head = termf("(%%%u: %s, %%%u: %s)", x, type.s, x + 1, type.s);
    say_next(g, head.s);
    g->next_id += 2;
    say_yield(g, term_of(say(g, "apply %%%u, %%%u, %%%u", f, x, x + 1)));

    x = g->next_id + 1;
    head = termf("(%%%u: int, %%%u)", x, x + 1);
    say_next(g, head.s);
    g->next_id += 2;
    say_yield(g, term_of(say(g, "call @%s(%%%u, %s, %%%u, %%%u)",
                             chance(g, 50) ? "lookBack1" : "lookBackWarp", f, z.s, x, x + 1)));
}

value chained(gen *g, type_id elem, const extent *want)
{
    static const scalar sums[] = {ST_I32, ST_I64, ST_U32, ST_U64, ST_I16, ST_F64, ST_BOOL, ST_U8};
    scalar s = sums[some(g, 8)];
    type_id t = type_of(g, s);
    extent c = some_size(g, 40, true);
    double chunks = (double)want->hi / (double)c.lo + 1, cost, code, all_cost = 0, all_code = 0;
    if (!afford(g, (double)want->hi * 30 + chunks * 60, 80))
        return mapaccum(g, elem, 3, want);
    value f = combine(g, s);
    term z = s == ST_F64 ? termf("%u.0", some(g, 9)) : literal(g, s), name = type_term(g, t);
    uint32_t k = g->next_id + 2;
    term head = termf("(%%%u: int)", k);
    uint32_t id = say_open(g, head.s, "chain %s, %s, %s", want->t.s, c.t.s, z.s);
    g->next_id++;

    scope sc = enter(g, chunks);
    g->level = 2;
    keep(g, number_of_chunk(g, k, chunks));
    extent size = chunk_size(g, k, c, want);
    type_id rest = some_base(g);
    value own = s == ST_F64 ? initial(g, t, &size) : some_pull(g, t, 1, &size);
    uint32_t sum = say(g, "call @fold1(%%%u, %%%u)", f.id, own.id);
    spend(g, (own.cost + 4) * (double)size.hi, own.code);
    bool array = chance(g, 50);
    term other = array ? term_of(own.id) : some_value(g, rest);
    say_yield(g, term_of(say(g, "tuple %%%u, %s", sum, other.s)));
    double own_cost = own.cost, own_code = own.code;
    leave(g, &sc, &cost, &code);
    all_cost += cost;
    all_code += code;

    say_links(g, f.id, name, z);

    k = g->next_id + 1;
    head = termf("(%%%u: int, %%%u: %s, %%%u)", k, k + 1, name.s, k + 2);
    say_next(g, head.s);
    g->next_id += 3;
    sc = enter(g, chunks);
    g->level = 2;
    keep(g, number_of_chunk(g, k, chunks));
    keep(g, (value){.type = t, .id = k + 1});
    size = chunk_size(g, k, c, want);
    value given =
        array ? array_of(k + 2, pull_of(g, t, 1), &size, 1) : (value){.type = rest, .id = k + 2};
    if (array) {
        given.cost = own_cost;
        given.code = own_code;
    }
    keep(g, given);
    value p = some_push(g, elem, 1, 2, &size);
    say_yield(g, term_of(p.id));
    leave(g, &sc, &cost, &code);
    say_close(g);
    double each = (all_cost + cost + 40) / (double)c.lo + p.cost;
    return push_of(g, id, elem, 3, want, each, all_code + code + p.code + 60);
}
