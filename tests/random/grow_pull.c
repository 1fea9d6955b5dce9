/* Pull arrays: computed, kept in memory, chosen, put together from others. */
#include "tests/random/grow.h"

#include <stdio.h>
#include <string.h>

double count_most(const extent *want, uint32_t rank)
{
    double n = 1;
    for (uint32_t k = 0; k < rank; k++)
        n *= (double)(want[k].hi > 0 ? want[k].hi : 0);
    return n;
}

/* Positions of an array with those extents, as parameters of the region that was just opened. */
static void keep_positions(gen *g, const extent *want, uint32_t rank)
{
    for (uint32_t k = 0; k < rank; k++) {
        value i = named(g, type_of(g, ST_I32));
        i.below = want[k].t;
        i.is_size = want[k].hi <= 2000;
        i.size = (extent){term_of(i.id), 0, want[k].hi > 0 ? want[k].hi - 1 : 0};
        keep(g, i);
    }
}

uint32_t say_generate(gen *g, const extent *want, uint32_t rank)
{
    uint32_t i = g->next_id + 2;
    term head = rank == 1   ? termf("(%%%u: int)", i)
                : rank == 2 ? termf("(%%%u: int, %%%u: int)", i, i + 1)
                            : termf("(%%%u: int, %%%u: int, %%%u: int)", i, i + 1, i + 2);
    return rank == 1   ? say_open(g, head.s, "generate %s", want[0].t.s)
           : rank == 2 ? say_open(g, head.s, "generate %s, %s", want[0].t.s, want[1].t.s)
                       : say_open(g, head.s, "generate %s, %s, %s", want[0].t.s, want[1].t.s, want[2].t.s);
}

value generate_by(gen *g, type_id elem, uint32_t rank, const extent *want, from_positions *give)
{
    uint32_t id = say_generate(g, want, rank), i = id + 1;
    value v = array_of(id, pull_of(g, elem, rank), want, rank);
    scope s = enter(g, count_most(want, rank));
    g->level = 0;
    keep_positions(g, want, rank);
    say_yield(g, give(g, elem, i, rank));
    leave(g, &s, &v.cost, &v.code);
    say_close(g);
    return *keep(g, v);
}

static term any_value(gen *g, type_id elem, uint32_t i, uint32_t rank)
{
    (void)i;
    (void)rank;
    return some_value(g, elem);
}

value generate_elements(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    return generate_by(g, elem, rank, want, any_value);
}

/* No more than a constant. */
static value cheap(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    int32_t ops = g->ops;
    g->ops = 0;
    value v = generate_elements(g, elem, rank, want);
    g->ops = ops;
    return v;
}

static value mapped(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    type_id from = chance(g, 50) ? elem : some_base(g);
    value of = some_pull(g, from, rank, want);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, from).s);
    value v = array_of(say_open(g, head.s, "map %%%u", of.id), pull_of(g, elem, rank), want, rank);
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

static value listed(gen *g, type_id elem, const extent *want)
{
    type_id t = pull_of(g, elem, 1);
    uint32_t n = (uint32_t)want->hi;
    char line[500] = "array";
    for (uint32_t i = 0; i < n; i++) {
        shape s = shape_of(g, elem);
        bool constant = chance(g, 40) && s.form == FORM_SCALAR;
        term x = constant ? literal(g, s.scalar) : some_value(g, elem);
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s %s", i ? "," : "", x.s);
    }
    value v = array_of(n ? say(g, "%s", line) : say_typed(g, t, line), t, want, 1);
    v.cost = v.code = n;
    return *keep(g, v);
}

value forced(gen *g, const value *push)
{
    if (g->unscheduled)
        return *push;
    shape s = shape_of(g, push->type);
    value v =
        array_of(say(g, "force %%%u", push->id), pull_of(g, s.elem, s.rank), push->ext, s.rank);
    spend(g, push->cost * count_most(push->ext, s.rank), push->code);
    v.cost = 1;
    v.code = 1;
    return *keep(g, v);
}

static value kept(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    if (g->unscheduled)
        return collected(g, elem, rank, want);
    value p = some_push(g, elem, rank, some_level(g, g->level), want);
    if (!afford(g, p.cost * count_most(want, rank), p.code))
        return cheap(g, elem, rank, want);
    return forced(g, &p);
}

/* An array, or one of a tuple of two, from an if. */
static value chosen(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    term c = some_condition(g);
    bool both = chance(g, 25), second = chance(g, 50);
    double cost[2], code[2], element_cost = 0, element_code = 0;
    uint32_t id = say_open(g, "", "if %s", c.s);
    for (int i = 0; i < 2; i++) {
        scope s = enter(g, 1);
        if (chance(g, 50))
            g->level = 0;
        value a = some_pull(g, elem, rank, want);
        element_cost = a.cost > element_cost ? a.cost : element_cost;
        element_code += a.code + 2;
        if (both) {
            value b = some_pull(g, elem, rank, want);
            element_cost = b.cost > element_cost ? b.cost : element_cost;
            element_code += b.code;
            say_yield(
                g, term_of(say(g, second ? "tuple %%%u, %%%u" : "tuple %%%u, %%%u", a.id, b.id)));
        } else {
            say_yield(g, term_of(a.id));
        }
        leave(g, &s, &cost[i], &code[i]);
        if (i == 0)
            say_next(g, "");
    }
    say_close(g);
    spend(g, cost[0] > cost[1] ? cost[0] : cost[1], code[0] + code[1]);
    if (both)
        id = say(g, "proj %%%u, %d", id, second);
    value v = array_of(id, pull_of(g, elem, rank), want, rank);
    v.cost = element_cost + 1;
    v.code = element_code;
    return *keep(g, v);
}

/* One of two arrays of an array of arrays. */
static value one_of_two(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    value a = some_pull(g, elem, rank, want), b = some_pull(g, elem, rank, want);
    uint32_t pair = say(g, "array %%%u, %%%u", a.id, b.id);
    term x = some_scalar_value(g, ST_I32);
    term k = int_op(g, "mod", x, termf("2"), 0, 1).t;
    value v = array_of(say(g, "index %%%u, %s", pair, k.s), a.type, want, rank);
    v.cost = (a.cost > b.cost ? a.cost : b.cost) + 1;
    v.code = a.code + b.code + 2;
    return *keep(g, v);
}

/* ---- through functions ---- */

static value through_prelude(gen *g, type_id elem, const extent *want)
{
    value a = some_pull(g, elem, 1, want);
    term x;
    uint32_t id;
    switch (some(g, 4)) {
    case 0: id = say(g, "call @reverse(%%%u)", a.id); break;
    case 1:
        x = some_scalar_value(g, ST_I32);
        id = say(g, "call @rotate(%s, %%%u)", int_op(g, "and", x, termf("15"), 0, 15).t.s, a.id);
        break;
    case 2: {
        value f;
        type_id params[2] = {elem, elem};
        value b = some_pull(g, elem, 1, want);
        new_function(g, params, 2, elem, &f);
        id = say(g, "call @zipWith(%%%u, %%%u, %%%u)", f.id, a.id, b.id);
        a.cost += b.cost + f.cost;
        a.code += b.code + f.code;
        break;
    }
    default:
        x = some_value(g, elem);
        if (x.s[0] != '%')
            return a;
        id = say(g, "call @replicate(%s, %s)", want[0].t.s, x.s);
        a.cost = a.code = 1;
    }
    value v = array_of(id, a.type, want, 1);
    v.cost = a.cost + 3;
    v.code = a.code + 3;
    return *keep(g, v);
}

static value transposed(gen *g, type_id elem, const extent *want)
{
    const extent turned[2] = {want[1], want[0]};
    value a = some_pull(g, elem, 2, turned);
    value v = array_of(say(g, "call @transpose(%%%u)", a.id), a.type, want, 2);
    v.cost = a.cost + 2;
    v.code = a.code + 2;
    return *keep(g, v);
}

/* A function from an array to an array, applied. */
static value through_function(gen *g, type_id elem, const extent *want)
{
    type_id from = pull_of(g, elem, 1);
    value a = some_pull(g, elem, 1, want);
    term head = termf("(%%%u: %s)", g->next_id + 2, type_term(g, from).s);
    uint32_t f = say_open(g, head.s, "fn");
    value x = named(g, from), v;
    scope s = enter(g, 1);
    double cost, code;
    x.ext[0] = *want;
    x.cost = a.cost;
    x.code = a.code;
    keep(g, x);
    value r = some_pull(g, elem, 1, want);
    say_yield(g, term_of(r.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, cost, code);
    v = array_of(say(g, "apply %%%u, %%%u", f, a.id), from, want, 1);
    v.cost = r.cost;
    v.code = r.code;
    return *keep(g, v);
}

/* ---- of any length ---- */

static value halved_by_while(gen *g, type_id elem, extent *most)
{
    uint32_t level = some_level(g, g->level), keep_most = some(g, 4);
    bool half = chance(g, 60);
    value p = some_push(g, elem, 1, level, most);
    double turns = half ? 8 : (double)most->hi, cost, code;
    if (!afford(g, (turns + 1) * (double)most->hi * (p.cost + 8), 60) || most->hi > 64)
        return cheap(g, elem, 1, most);
    spend(g, p.cost * (double)most->hi, p.code);
    uint32_t ys = g->next_id + 2;
    type_id t = pull_of(g, elem, 1);
    term head = termf("(%%%u: %s)", ys, type_term(g, t).s);
    value v = array_of(say_open(g, head.s, "while %%%u", p.id), t, most, 1);
    g->next_id++;
    uint32_t n = say(g, "length %%%u", ys);
    say_yield(g, term_of(say(g, "gt %%%u, %u", n, keep_most)));
    ys = g->next_id + 1;
    head = termf("(%%%u: %s)", ys, type_term(g, t).s);
    say_next(g, head.s);
    scope s = enter(g, turns + 1);
    value now = named(g, t);
    now.ext[0] = (extent){.lo = keep_most + 1, .hi = most->hi};
    now.cost = now.code = 1;
    keep(g, now);
    term length = term_of(say(g, "length %%%u", ys));
    extent h =
        half ? int_op(g, "div", length, termf("2"), (keep_most + 1) / 2, most->hi / 2)
             : int_op(g, "sub", length, termf("1"), keep_most, most->hi > 0 ? most->hi - 1 : 0);
    value step = some_push(g, elem, 1, level, &h);
    double step_cost = step.cost * (double)h.hi;
    say_yield(g, term_of(step.id));
    leave(g, &s, &cost, &code);
    say_close(g);
    spend(g, (cost + step_cost) * turns, code + step.code);
    v.ext[0] = (extent){.lo = keep_most > 0 && most->lo > 0, .hi = most->hi};
    v.cost = v.code = 1;
    return *keep(g, v);
}

static value taken(gen *g, type_id elem, extent *most)
{
    value a = some_pull(g, elem, 1, most), v;
    term k = some_scalar_value(g, ST_I32);
    uint32_t id;
    switch (some(g, 4)) {
    case 0: id = say(g, "call @take(%s, %%%u)", k.s, a.id); break;
    case 1: id = say(g, "call @drop(%s, %%%u)", k.s, a.id); break;
    case 2: id = say(g, "proj %%%u, %u", say(g, "call @evenOdds(%%%u)", a.id), some(g, 2)); break;
    default: {
        extent c = some_size(g, 9, true);
        if (most->lo < 1)
            return a;
        uint32_t parts = say(g, "call @splitUp(%s, %%%u)", c.t.s, a.id);
        uint32_t n = say(g, "length %%%u", parts);
        id = say(g, "index %%%u, %s", parts, int_op(g, "mod", k, term_of(n), 0, most->hi).t.s);
    }
    }
    v = array_of(id, a.type, most, 1);
    v.ext[0] = (extent){.lo = 0, .hi = most->hi};
    v.cost = a.cost + 3;
    v.code = a.code + 3;
    return *keep(g, v);
}

static value one_or_other(gen *g, type_id elem, extent *most)
{
    term c = some_condition(g);
    double cost, code;
    value v = array_of(say_open(g, "", "if %s", c.s), pull_of(g, elem, 1), most, 1), a;
    v.ext[0] = (extent){.lo = INT32_MAX, .hi = 0};
    for (int i = 0; i < 2; i++) {
        scope s = enter(g, 1);
        if (chance(g, 50))
            g->level = 0;
        extent n = i ? some_size(g, most->hi, false) : *most;
        a = some_pull(g, elem, 1, &n);
        say_yield(g, term_of(a.id));
        leave(g, &s, &cost, &code);
        spend(g, cost, code);
        v.ext[0].lo = n.lo < v.ext[0].lo ? n.lo : v.ext[0].lo;
        v.ext[0].hi = n.hi > v.ext[0].hi ? n.hi : v.ext[0].hi;
        v.cost = a.cost + 2 > v.cost ? a.cost + 2 : v.cost;
        v.code += a.code + 2;
        if (i == 0)
            say_next(g, "");
    }
    say_close(g);
    return *keep(g, v);
}

value some_pull_of_any_length(gen *g, type_id elem, extent *most)
{
    g->depth++;
    uint32_t pick = some(g, 10);
    value v = pick < 3   ? halved_by_while(g, elem, most)
              : pick < 5 ? taken(g, elem, most)
              : pick < 8 ? filtered(g, elem, most)
                         : one_or_other(g, elem, most);
    g->depth--;
    return v;
}

/* ---- everything ---- */

typedef struct wanted {
    type_id type;
    uint32_t rank;
    const extent *want;
} wanted;

static bool is_wanted(const gen *g, const value *v, const void *of)
{
    const wanted *w = of;
    bool same = v->type == w->type && v->cost < 200 && v->code < 100 && afford(g, v->cost, v->code);
    for (uint32_t k = 0; k < w->rank && same; k++)
        same = same_term(v->ext[k].t, w->want[k].t);
    return same;
}

static value some_pull_of_rank_1(gen *g, type_id elem, const extent *want)
{
    uint32_t pick = some(g, 100);
    extent most = *want;
    if (pick < 20 && want->lo == want->hi && want->hi <= 6)
        return listed(g, elem, want);
    if (pick < 35 && want->lo > 0)
        return accumulated(g, elem, want);
    if (pick < 50 && want->lo > 0)
        return scattered(g, elem, want);
    if (pick < 66)
        return through_prelude(g, elem, want);
    if (pick < 74)
        return through_function(g, elem, want);
    if (pick < 85)
        some_pull_of_any_length(g, elem, &most); /* to be taken elements of */
    return generate_elements(g, elem, 1, want);
}

static bool none_empty(const extent *want, uint32_t rank)
{
    bool all = true;
    for (uint32_t k = 0; k < rank; k++)
        all = all && want[k].lo > 0;
    return all;
}

value some_pull(gen *g, type_id elem, uint32_t rank, const extent *want)
{
    const wanted w = {pull_of(g, elem, rank), rank, want};
    const value *v = visible(g, is_wanted, &w);
    uint32_t pick = some(g, 100);
    value r;
    if (v && pick < 30)
        return *v;
    pick = some(g, 100);
    if (g->ops <= 0 || g->depth > 8 || !afford(g, count_most(want, rank) * 8, 30))
        return v ? *v : cheap(g, elem, rank, want);
    g->depth++;
    if (chance(g, 25) && can_be_bulk(g, elem, rank, want))
        r = bulk(g, shape_of(g, elem).scalar, rank, want);
    else if (pick < 25)
        r = generate_elements(g, elem, rank, want);
    else if (pick < 35)
        r = mapped(g, elem, rank, want);
    else if (pick < 57)
        r = kept(g, elem, rank, want);
    else if (pick < 65)
        r = chosen(g, elem, rank, want);
    else if (pick < 69)
        r = one_of_two(g, elem, rank, want);
    else if (pick < 74)
        r = loop_while(g, elem, rank, want);
    else if (pick < 80)
        r = chance(g, 50) ? loop_repeat(g, elem, rank, want) : loop_of_state(g, elem, rank, want);
    else if (pick < 85 && none_empty(want, rank))
        r = updated(g, elem, rank, want);
    else if (pick < 90 && rank == 2)
        r = transposed(g, elem, want);
    else
        r = rank == 1 ? some_pull_of_rank_1(g, elem, want) : generate_elements(g, elem, rank, want);
    g->depth--;
    return r;
}
