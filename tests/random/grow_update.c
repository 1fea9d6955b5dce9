/* Arrays that are overwritten: update, of what was forced and of the state of a loop.  What was
 * computed from the array before is forgotten, since it may not be used behind the update. */
#include "tests/random/grow.h"

/* An array of one element of that rank. */
static uint32_t one_element(gen *g, term x, uint32_t rank)
{
    if (rank == 1)
        return say(g, "array %s", x.s);
    uint32_t i = g->next_id + 2;
    term head = rank == 2 ? termf("(%%%u: int, %%%u: int)", i, i + 1)
                          : termf("(%%%u: int, %%%u: int, %%%u: int)", i, i + 1, i + 2);
    uint32_t id = say_open(g, head.s, rank == 2 ? "generate 1, 1" : "generate 1, 1, 1");
    g->next_id += rank;
    say_yield(g, x);
    say_close(g);
    return id;
}

/* What is put there, a push array of a level, and its extents. */
static uint32_t some_elements(gen *g, type_id elem, uint32_t rank, uint32_t level,
                              const extent *want, extent *n)
{
    if (rank == 1 && chance(g, 40)) {
        extent m = some_size(g, 20, false);
        n[0] = int_op(g, "min", m.t, want->t, m.lo < want->lo ? m.lo : want->lo,
                      m.hi < want->hi ? m.hi : want->hi);
        value p = some_push(g, elem, 1, level, &n[0]);
        p = forced(g, &p);
        return say_push(g, p.id, level);
    }
    for (uint32_t k = 0; k < rank; k++)
        n[k] = (extent){termf("1"), 1, 1};
    term x = some_value(g, elem);
    return say_push(g, one_element(g, x, rank), level);
}

/* Where it begins: so that it ends inside. */
static term some_start(gen *g, const extent *want, const extent *n)
{
    extent room = int_op(g, "sub", want->t, n->t, 0, want->hi),
           most = int_op(g, "add", room.t, termf("1"), 1, want->hi + 1);
    return int_op(g, "mod", some_scalar_value(g, ST_I32), most.t, 0, want->hi).t;
}

static uint32_t say_update(gen *g, const value *a, const term *at, uint32_t p)
{
    uint32_t rank = shape_of(g, a->type).rank;
    return rank == 1 ? say(g, "update %%%u, %s, %%%u", a->id, at[0].s, p)
           : rank == 2
               ? say(g, "update %%%u, %s, %s, %%%u", a->id, at[0].s, at[1].s, p)
               : say(g, "update %%%u, %s, %s, %s, %%%u", a->id, at[0].s, at[1].s, at[2].s, p);
}

/* The array of that name with some other elements; from: the values that are there before it. */
static uint32_t update_of(gen *g, const value *a, uint32_t level, uint32_t from)
{
    shape s = shape_of(g, a->type);
    extent n[RANK_MOST];
    term at[RANK_MOST] = {{""}};
    uint32_t p = some_elements(g, s.elem, s.rank, level, a->ext, n);
    for (uint32_t k = 0; k < s.rank; k++)
        at[k] = some_start(g, &a->ext[k], &n[k]);
    g->env.len = from;
    return say_update(g, a, at, p);
}

/* Whether elements of the type are combined as those of tables are. */
static const char *some_sum(gen *g, type_id elem)
{
    static const char *const sums[] = {"add", "add", "min", "max"};
    bool is = elem == type_of(g, ST_F32) || elem == type_of(g, ST_I32) || elem == type_of(g, ST_U32);
    return is ? sums[some(g, 4)] : NULL;
}

/* The array with a row in which something is combined into what stands there: along each axis one element, or all. */
static uint32_t summed_row(gen *g, const value *a, const char *sum, uint32_t level, uint32_t from)
{
    shape s = shape_of(g, a->type);
    extent one = {termf("1"), 1, 1};
    extent n[RANK_MOST];
    term x = some_value(g, s.elem), at[RANK_MOST] = {{""}}, start[RANK_MOST] = {{""}};
    for (uint32_t k = 0; k < s.rank; k++) {
        bool whole = chance(g, 40);
        n[k] = whole ? a->ext[k] : one;
        start[k] = whole ? termf("0") : some_start(g, &a->ext[k], &one);
        at[k] = whole ? (term){""} : start[k];
    }
    uint32_t row = say_generate(g, n, s.rank);
    for (uint32_t k = 0; k < s.rank; k++) {
        uint32_t position = ++g->next_id;
        at[k] = *at[k].s ? at[k] : term_of(position);
    }
    term old = element(g, a, at);
    bool first = chance(g, 50);
    say_yield(g, term_of(say(g, "%s %s, %s", sum, first ? old.s : x.s, first ? x.s : old.s)));
    say_close(g);
    g->env.len = from;
    return say_update(g, a, start, say_push(g, row, level));
}

/* The next state: updated, or in one of two branches, or made anew from what was updated. */
static term next_state(gen *g, const value *a, uint32_t level, uint32_t from, double n)
{
    shape s = shape_of(g, a->type);
    const char *sum = g->unscheduled && chance(g, 50) ? some_sum(g, s.elem) : NULL;
    if (sum)
        return term_of(summed_row(g, a, sum, level, from));
    if (chance(g, 40)) {
        term c = some_condition(g);
        uint32_t id = say_open(g, "", "if %s", c.s);
        uint32_t there = g->env.len;
        say_yield(g, term_of(say_push(g, update_of(g, a, level, there), level)));
        say_next(g, "");
        if (chance(g, 50)) {
            value p = some_push(g, s.elem, s.rank, level, a->ext);
            spend(g, p.cost * n, p.code);
            say_yield(g, term_of(p.id));
        } else {
            say_yield(g, term_of(say_push(g, a->id, level)));
        }
        g->env.len = there;
        say_close(g);
        return term_of(id);
    }
    value b = array_of(update_of(g, a, level, from), a->type, a->ext, s.rank);
    if (chance(g, 70))
        return term_of(say_push(g, b.id, level));
    keep(g, b);
    value p = some_push(g, s.elem, s.rank, level, a->ext);
    spend(g, p.cost * n, p.code);
    return term_of(p.id);
}

static value updated_state(gen *g, const value *p, uint32_t rank, uint32_t level)
{
    type_id t = pull_of(g, shape_of(g, p->type).elem, rank);
    uint32_t turns = some(g, 5), i = g->next_id + 2;
    double cost, code;
    term head = termf("(%%%u: int, %%%u: %s)", i, i + 1, type_term(g, t).s);
    uint32_t id = say_open(g, head.s, "repeat %u, %%%u", turns, p->id);
    scope s = enter(g, turns + 1.0);
    value at = named(g, type_of(g, ST_I32));
    at.is_size = true;
    at.size = (extent){term_of(at.id), 0, turns};
    keep(g, at);
    uint32_t from = g->env.len;
    value a = *keep(g, array_of(++g->next_id, t, p->ext, rank));
    say_yield(g, next_state(g, &a, level, from, count_most(p->ext, rank)));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (turns + 1.0) * cost, code);
    return array_of(id, t, p->ext, rank);
}

value updated(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    uint32_t level = some_level(g, g->level);
    double n = count_most(want, rank);
    value p = some_push(g, elem, rank, level, want);
    if (!afford(g, p.cost * n + 12 * n, p.code + 30))
        return generate_elements(g, elem, rank, want);
    spend(g, p.cost * n, p.code);
    if (g->unscheduled || chance(g, 50))
        return *keep(g, updated_state(g, &p, rank, level));
    uint32_t from = g->env.len;
    value a = forced(g, &p);
    for (uint32_t k = some(g, 3); k-- > 0;) {
        a = array_of(update_of(g, &a, level, from), a.type, want, rank);
        keep(g, a);
    }
    return a;
}
