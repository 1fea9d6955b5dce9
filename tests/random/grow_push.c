/* Push arrays: what is pushed, mapped, joined, chosen, and made by functions of a level. */
#include "tests/random/grow.h"

#include <string.h>

static value push_of(gen *g, uint32_t id, type_id elem, uint32_t rank, uint32_t level,
                     const extent *want)
{
    value v;
    memset(&v, 0, sizeof v);
    v.type = push_to(g, elem, rank, level);
    v.id = id;
    memcpy(v.ext, want, rank * sizeof *want);
    return v;
}

value pushed(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want)
{
    value a = some_pull(g, elem, rank, want);
    value v =
        push_of(g, say(g, "push<%s> %%%u", level_word(g, level), a.id), elem, rank, level, want);
    v.cost = a.cost + 1;
    v.code = a.code + 1;
    return *keep(g, v);
}

static value mapped(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want)
{
    type_id from = chance(g, 50) ? elem : some_base(g);
    value of = some_push(g, from, rank, level, want);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, from).s);
    value v = push_of(g, say_open(g, head.s, "map %%%u", of.id), elem, rank, level, want);
    scope s = enter(g, count_most(want, rank));
    g->level = 0;
    keep(g, named(g, from));
    say_yield(g, some_value(g, elem));
    leave(g, &s, &v.cost, &v.code);
    say_close(g);
    v.cost += of.cost;
    v.code += of.code;
    return *keep(g, v);
}

static value chosen(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want)
{
    term c = some_condition(g);
    double cost[2], code[2];
    value v = push_of(g, say_open(g, "", "if %s", c.s), elem, rank, level, want);
    for (int i = 0; i < 2; i++) {
        scope s = enter(g, 1);
        value p = some_push(g, elem, rank, level, want);
        say_yield(g, term_of(p.id));
        v.cost = p.cost > v.cost ? p.cost : v.cost;
        v.code += p.code;
        leave(g, &s, &cost[i], &code[i]);
        if (i == 0)
            say_next(g, "");
    }
    say_close(g);
    spend(g, cost[0] > cost[1] ? cost[0] : cost[1], code[0] + code[1]);
    return *keep(g, v);
}

/* What take or drop leaves of a longer array, or a shorter one padded. */
static value part(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want)
{
    extent from[RANK_MOST];
    uint32_t by = some(g, 6), how = some(g, 3);
    memcpy(from, want, rank * sizeof *want);
    if (how == 2) {
        extent less = int_op(g, "sub", want->t, termf("%u", by), want->lo - by, want->hi - by);
        from[0] = int_op(g, "max", less.t, termf("0"), less.lo > 0 ? less.lo : 0,
                         less.hi > 0 ? less.hi : 0);
    } else if (by) {
        from[0] = int_op(g, "add", want->t, termf("%u", by), want->lo + by, want->hi + by);
    }
    value of = some_push(g, elem, rank, level, from);
    term x = how == 2 ? some_value(g, elem) : (term){""};
    uint32_t id = how == 0   ? say(g, "take %s, %%%u", want->t.s, of.id)
                  : how == 1 ? say(g, "drop %u, %%%u", by, of.id)
                             : say(g, "pad %s, %s, %%%u", want->t.s, x.s, of.id);
    value v = push_of(g, id, elem, rank, level, want);
    v.cost = of.cost * (1 + by);
    v.code = of.code + 2;
    return *keep(g, v);
}

/* A function of the module for any level, called or taken as a value. */
static value by_function(gen *g, type_id elem, uint32_t level, const extent *want)
{
    uint32_t start = some(g, g->functions.len);
    for (uint32_t i = 0; i < g->functions.len; i++) {
        function f = g->functions.at[(start + i) % g->functions.len];
        if (!f.leveled || f.result != elem || !afford(g, f.cost, f.code) ||
            (f.raised && !has_parts(g, level)))
            continue;
        const char *l = level_word(g, f.raised ? level - 1 : level);
        value a = some_pull(g, f.params[0], 1, want);
        double each = a.cost * 2 + f.cost;
        uint32_t id;
        if (!afford(g, each * count_most(want, 1), a.code + f.code))
            break;
        if (chance(g, 50)) {
            id = say(g, "call @%s<%s>(%%%u)", f.name, l, a.id);
        } else {
            uint32_t v = say(g, "func @%s", f.name), at = say(g, "lapply<%s> %%%u", l, v);
            id = say(g, "apply %%%u, %%%u", at, a.id);
        }
        value v = push_of(g, id, elem, 1, level, want);
        v.cost = each;
        v.code = a.code * 2 + f.code;
        return *keep(g, v);
    }
    return pushed(g, elem, 1, level, want);
}

/* A local function of a level. */
static value by_local_function(gen *g, type_id elem, uint32_t level, const extent *want)
{
    value a = some_pull(g, elem, 1, want);
    uint32_t n = g->next_id;
    term head = termf("(%%%u: %s)", n + 2, type_term(g, a.type).s);
    uint32_t f = say_open(g, head.s, "fn<l%u>", n);
    g->next_id++;
    say_yield(g, term_of(say(g, "push<l%u> %%%u", n, n + 2)));
    say_close(g);
    uint32_t at = say(g, "lapply<%s> %%%u", level_word(g, level), f);
    value v = push_of(g, say(g, "apply %%%u, %%%u", at, a.id), elem, 1, level, want);
    v.cost = a.cost + 1;
    v.code = a.code + 1;
    return *keep(g, v);
}

static value some_push_of_rank_1(gen *g, type_id elem, uint32_t level, const extent *want)
{
    uint32_t pick = some(g, 100);
    if (has_parts(g, level) && level <= g->level && chance(g, 12))
        return ragged(g, elem, level, want);
    if (level == 0 && pick < 45)
        return seqfor(g, elem, want);
    if (has_parts(g, level) && pick < 30)
        return concatenated(g, elem, level, want);
    if (pick < 50)
        return mapaccum(g, elem, level, want);
    if (pick < 60)
        return by_function(g, elem, level, want);
    if (pick < 65)
        return by_local_function(g, elem, level, want);
    if (level == 3 && pick < 85)
        return chained(g, elem, want);
    if (has_parts(g, level) && pick < 85)
        return concatenated(g, elem, level, want);
    return pushed(g, elem, 1, level, want);
}

typedef struct wanted {
    type_id type;
    uint32_t rank;
    const extent *want;
} wanted;

static bool is_wanted(const gen *g, const value *v, const void *of)
{
    const wanted *w = of;
    bool same = v->type == w->type && afford(g, v->cost * count_most(w->want, w->rank), v->code);
    for (uint32_t k = 0; k < w->rank && same; k++)
        same = same_term(v->ext[k].t, w->want[k].t);
    return same;
}

value some_push(gen *g, type_id elem, uint32_t rank, uint32_t level, const extent *want)
{
    if (g->unscheduled)
        return some_pull(g, elem, rank, want);
    const wanted w = {push_to(g, elem, rank, level), rank, want};
    const value *v = visible(g, is_wanted, &w);
    uint32_t pick = some(g, 100);
    value r;
    if (v && pick < 25)
        return *v;
    pick = some(g, 100);
    bool small = g->ops <= 0 || g->depth > 8 || !afford(g, count_most(want, rank) * 10, 40);
    g->depth++;
    if (small || pick < 30)
        r = pushed(g, elem, rank, level, want);
    else if (pick < 38)
        r = mapped(g, elem, rank, level, want);
    else if (pick < 45)
        r = chosen(g, elem, rank, level, want);
    else if (pick < 49)
        r = part(g, elem, rank, level, want);
    else if (has_parts(g, level) && pick < (rank == 1 ? 56u : 85u))
        r = interleaved(g, elem, rank, level, false, want);
    else if (pick < (rank == 1 ? 66u : 97u))
        r = interleaved(g, elem, rank, level, true, want);
    else
        r = rank == 1 ? some_push_of_rank_1(g, elem, level, want)
                      : pushed(g, elem, rank, level, want);
    g->depth--;
    return r;
}
