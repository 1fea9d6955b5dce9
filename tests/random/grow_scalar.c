/* Values of base type: literals, operators, branches, elements of arrays, functions and their
 * calls; and the ints that serve as extents and positions. */
#include "tests/random/grow.h"

#include <string.h>

/* ---- literals ---- */

static uint64_t some_bits(gen *g, scalar s)
{
    static const double reals[] = {0, 1, -1, 0.5, 2, 3, -2.25, 100, 1e6, 0.1};
    if (s == ST_F32 || s == ST_F64)
        return scalar_from_double(s, chance(g, 70) ? reals[some(g, 10)]
                                                   : (double)some(g, 2000) / 16 - 60);
    switch (some(g, 8)) {
    case 0: return scalar_wrap(s, (uint64_t)1 << some(g, 64));
    case 1: return scalar_wrap(s, ((uint64_t)1 << some(g, 64)) - 1);
    case 2: return scalar_wrap(s, dice_bits(&g->d));
    case 3: return scalar_wrap(s, (uint64_t)some(g, 300));
    default: return scalar_wrap(s, (uint64_t)((int64_t)some(g, 12) - 3));
    }
}

static term text_of(gen *g, scalar s, uint64_t bits)
{
    vec_char text = {0};
    if (s == ST_BOOL)
        bits &= 1;
    scalar_text(g->m, s, bits, &text);
    term t = termf("%s", text_cstr(g->m, &text));
    vec_free(g->m, &text);
    return t;
}

term literal(gen *g, scalar s)
{
    return text_of(g, s, s == ST_BOOL ? some(g, 2) : some_bits(g, s));
}

term zero(gen *g, type_id t)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    if (s.form == FORM_SCALAR)
        return text_of(g, s.scalar, s.scalar == ST_BOOL ? 0 : scalar_from_double(s.scalar, 0));
    for (uint32_t i = 0; i < s.n; i++)
        items[i] = zero(g, s.items[i]);
    uint32_t id =
        s.n == 2   ? say(g, "tuple %s, %s", items[0].s, items[1].s)
        : s.n == 3 ? say(g, "tuple %s, %s, %s", items[0].s, items[1].s, items[2].s)
                   : say(g, "tuple %s, %s, %s, %s", items[0].s, items[1].s, items[2].s, items[3].s);
    return term_of(id);
}

/* ---- operators ---- */

/* Whether all machines give the same bits. */
static bool is_exact(const op_info *op, scalar t)
{
    static const char *const exact[] = {"fdiv", "select"};
    bool is_float = t == ST_F32 || t == ST_F64;
    if (!is_float || op->cost < 16)
        return true;
    for (uint32_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(op->name, exact[i]) == 0)
            return true;
    return false;
}

/* A scalar operator on operands of type t with a result of type r; NULL after some attempts. */
static const op_info *some_operator(gen *g, scalar t, scalar r)
{
    for (int i = 0; i < 60; i++) {
        const op_info *op = ir_op_info(1 + some(g, 99));
        if (!op->name || !op->is_scalar || (op->result_bool ? r != ST_BOOL : r != t))
            continue;
        if (!scalar_accepts((operand_class)op->operands, t) || (g->o.exact && !is_exact(op, t)))
            continue;
        return op;
    }
    return NULL;
}

static term keep_scalar(gen *g, scalar s, uint32_t id)
{
    value v;
    memset(&v, 0, sizeof v);
    v.type = type_of(g, s);
    v.id = id;
    keep(g, v);
    return term_of(id);
}

static term applied_operator(gen *g, scalar s)
{
    scalar t = s == ST_BOOL && chance(g, 80) ? some_scalar(g) : s;
    const op_info *op = some_operator(g, t, s);
    if (!op)
        return literal(g, s);
    bool select = op->operands == CLASS_SEL;
    term a = select ? some_condition(g) : some_scalar_value(g, t), b, c;
    b = op->min_args > 1 ? some_scalar_value(g, t) : a;
    c = op->min_args > 2 ? some_scalar_value(g, t) : a;
    if (a.s[0] != '%' && b.s[0] != '%' && chance(g, 90)) /* not all of literals */
        a = op->min_args == 1 || select ? a : literal(g, t);
    uint32_t id = op->min_args == 1   ? say(g, "%s %s", op->name, a.s)
                  : op->min_args == 2 ? say(g, "%s %s, %s", op->name, a.s, b.s)
                                      : say(g, "%s %s, %s, %s", op->name, a.s, b.s, c.s);
    return keep_scalar(g, s, id);
}

static term converted(gen *g, scalar s)
{
    scalar from = some_scalar(g);
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
    bool floating = from == ST_F32 || from == ST_F64;
    bool bits =
        bytes[from] == bytes[s] && from != s && from != ST_BOOL && s != ST_BOOL && chance(g, 60);
    if (bits && g->o.exact && floating) /* NaNs have many bits */
        bits = false;
    term x = some_scalar_value(g, from);
    if (x.s[0] != '%' || (from == s && !bits))
        return x.s[0] == '%' ? x : literal(g, s);
    return keep_scalar(
        g, s,
        say(g, "%s<%s> %s", bits ? "bitcast" : "convert", type_term(g, type_of(g, s)).s, x.s));
}

term type_term(gen *g, type_id t)
{
    term out;
    print_type(g, t, out.s, sizeof out.s);
    return out;
}

term some_condition(gen *g)
{
    return some_scalar_value(g, ST_BOOL);
}

static term branch(gen *g, type_id t)
{
    term c = some_condition(g);
    double c1, k1, c2, k2;
    uint32_t id = say_open(g, "", "if %s", c.s);
    scope s = enter(g, 1);
    say_yield(g, some_value(g, t));
    leave(g, &s, &c1, &k1);
    say_next(g, "");
    s = enter(g, 1);
    say_yield(g, some_value(g, t));
    leave(g, &s, &c2, &k2);
    say_close(g);
    spend(g, c1 > c2 ? c1 : c2, k1 + k2);
    value v;
    memset(&v, 0, sizeof v);
    v.type = t;
    v.id = id;
    keep(g, v);
    return term_of(id);
}

/* ---- extents and positions ---- */

static bool is_size(const gen *g, const value *v, const void *of)
{
    const extent *e = of; /* at least lo, at most hi */
    (void)g;
    return v->is_size && v->size.lo >= e->lo && v->size.hi <= e->hi;
}

static extent constant_size(gen *g, int64_t most, bool positive)
{
    static const int usual[] = {0,  1,  2,  3,  4,  5,  7,  8,   13,  16, 17,
                                31, 32, 33, 37, 48, 64, 65, 100, 128, 257};
    int64_t n = 0;
    for (int i = 0; i < 8 && (i == 0 || n > most || (positive && n == 0)); i++)
        n = usual[some(g, most < 9 ? 9 : 21)];
    if (n > most || (positive && n == 0))
        n = most > 0 ? 1 + some(g, (uint32_t)(most > 8 ? 8 : most)) : positive;
    return (extent){termf("%d", (int)n), n, n};
}

/* Any int, moved into a range. */
static extent clamped_size(gen *g, int64_t most, bool positive)
{
    term x = some_scalar_value(g, ST_I32);
    if (x.s[0] != '%')
        return constant_size(g, most, positive);
    int64_t top = 1 + some(g, (uint32_t)(most < 1 ? 1 : most > 40 ? 40 : most));
    if (chance(g, 30)) {
        extent e = int_op(g, "mod", x, termf("%d", (int)top), 0, top - 1);
        return positive ? int_op(g, "max", e.t, termf("1"), 1, top > 1 ? top - 1 : 1) : e;
    }
    extent low = int_op(g, "max", x, termf("%d", positive), positive, INT32_MAX);
    return int_op(g, "min", low.t, termf("%d", (int)top), positive, top);
}

static bool is_array(const gen *g, const value *v, const void *of)
{
    (void)of;
    return shape_of(g, v->type).form == FORM_PULL || shape_of(g, v->type).form == FORM_PUSH;
}

extent axis(gen *g, const value *array, uint32_t k)
{
    extent e = array->ext[k];
    shape s = shape_of(g, array->type);
    e.hi = e.hi < e.lo ? e.lo : e.hi; /* of code that is never run */
    if (e.t.s[0] && chance(g, 85))
        return e;
    value v;
    memset(&v, 0, sizeof v);
    v.type = type_of(g, ST_I32);
    v.id = s.rank == 1 && chance(g, 70) ? say(g, "length %%%u", array->id)
                                        : say(g, "dim %%%u, %u", array->id, k);
    v.is_size = true;
    v.size = (extent){term_of(v.id), e.lo, e.hi};
    return keep(g, v)->size;
}

static extent half_size(gen *g, extent e, bool positive)
{
    if (e.lo == e.hi || e.hi < 2)
        return e;
    int by = 2 + (int)some(g, 3);
    extent h = chance(g, 50) ? int_op(g, "div", e.t, termf("%d", by), e.lo / by, e.hi / by)
                             : int_op(g, "shr", e.t, termf("1"), e.lo / 2, e.hi / 2);
    return positive && h.lo == 0 ? int_op(g, "max", h.t, termf("1"), 1, h.hi > 1 ? h.hi : 1) : h;
}

extent some_size(gen *g, int64_t most, bool positive)
{
    const extent range = {.lo = positive, .hi = most};
    const value *v = visible(g, is_size, &range);
    uint32_t pick = some(g, 100);
    if (v && pick < 50)
        return v->size;
    if (v && pick < 62)
        return half_size(g, v->size, positive);
    if (pick < 68 && g->depth < 8 && g->ops > 0)
        return clamped_size(g, most, positive);
    const value *a = visible(g, is_array, NULL);
    if (a && pick < 75) {
        value copy = *a;
        extent e = axis(g, &copy, some(g, shape_of(g, copy.type).rank));
        if (e.lo >= positive && e.hi <= most)
            return e;
    }
    if (pick < 77) {
        value w = {0};
        bool warp = chance(g, 50);
        extent e = {.lo = 1, .hi = warp ? 32 : 256};
        if (e.hi <= most) {
            w.type = type_of(g, ST_I32);
            w.id = say(g, warp ? "warpsize" : "blocksize");
            w.is_size = true;
            e.t = term_of(w.id);
            w.size = e;
            return keep(g, w)->size;
        }
    }
    return constant_size(g, most, positive);
}

static bool is_below(const gen *g, const value *v, const void *of)
{
    (void)g;
    return same_term(v->below, *(const term *)of);
}

/* A position on an axis; false when it is one only where the axis is not empty. */
static bool position(gen *g, extent e, term *out)
{
    const value *i = visible(g, is_below, &e.t);
    if (i && chance(g, 65)) {
        term at = term_of(i->id);
        if (chance(g, 20)) {
            extent last = int_op(g, "sub", e.t, termf("1"), e.lo - 1, e.hi - 1);
            at = int_op(g, "sub", last.t, at, 0, e.hi - 1).t;
        }
        *out = at;
        return true;
    }
    if (e.lo > 0 && chance(g, 25)) {
        *out = termf("%u", some(g, (uint32_t)e.lo));
        return true;
    }
    if (e.lo > 0 && chance(g, 15)) {
        *out = int_op(g, "sub", e.t, termf("1"), e.lo - 1, e.hi - 1).t;
        return true;
    }
    term x = some_scalar_value(g, ST_I32);
    if (e.lo > 0)
        *out = int_op(g, "mod", x, e.t, 0, e.hi - 1).t;
    else
        *out = term_of(say(g, "mod %s, %s", x.s, e.t.s)); /* x where there is nothing */
    return e.lo > 0;
}

static uint32_t say_index(gen *g, const value *array, const term *at)
{
    uint32_t r = shape_of(g, array->type).rank;
    spend(g, array->cost, array->code);
    return r == 1   ? say(g, "index %%%u, %s", array->id, at[0].s)
           : r == 2 ? say(g, "index %%%u, %s, %s", array->id, at[0].s, at[1].s)
                    : say(g, "index %%%u, %s, %s, %s", array->id, at[0].s, at[1].s, at[2].s);
}

static term keep_of(gen *g, type_id t, uint32_t id)
{
    value v;
    memset(&v, 0, sizeof v);
    v.type = t;
    v.id = id;
    keep(g, v);
    return term_of(id);
}

/* Whether all of the axes have elements. */
static term all_of(gen *g, const extent *e, uint32_t rank)
{
    term all = {""};
    for (uint32_t k = 0; k < rank; k++) {
        if (e[k].lo > 0)
            continue;
        term one = term_of(say(g, "gt %s, 0", e[k].t.s));
        all = all.s[0] ? term_of(say(g, "and %s, %s", all.s, one.s)) : one;
    }
    return all;
}

term element(gen *g, const value *array, const term *given)
{
    shape s = shape_of(g, array->type);
    term at[RANK_MOST];
    extent e[RANK_MOST];
    bool safe = true;
    for (uint32_t k = 0; k < s.rank; k++) {
        if (!given)
            e[k] = axis(g, array, k);
        if (given)
            at[k] = given[k];
        else
            safe = position(g, e[k], &at[k]) && safe;
    }
    if (safe)
        return keep_of(g, s.elem, say_index(g, array, at));
    term c = all_of(g, e, s.rank);
    uint32_t id = say_open(g, "", "if %s", c.s);
    say_yield(g, term_of(say_index(g, array, at)));
    say_next(g, "");
    say_yield(g, zero(g, s.elem));
    say_close(g);
    return keep_of(g, s.elem, id);
}

/* ---- parts of tuples, elements of arrays ---- */

/* Whether a value of type t has a component of type want. */
static bool has_part(const gen *g, type_id t, type_id want)
{
    shape s = shape_of(g, t);
    bool found = t == want;
    for (uint32_t i = 0; s.form == FORM_TUPLE && i < s.n && !found; i++)
        found = has_part(g, s.items[i], want);
    return found;
}

static term part(gen *g, term from, type_id t, type_id want)
{
    if (t == want)
        return from;
    shape s = shape_of(g, t);
    uint32_t k = some(g, s.n);
    while (!has_part(g, s.items[k], want))
        k = (k + 1) % s.n;
    return part(g, keep_of(g, s.items[k], say(g, "proj %s, %u", from.s, k)), s.items[k], want);
}

static bool holds(const gen *g, const value *v, const void *of)
{
    shape s = shape_of(g, v->type);
    return s.form == FORM_TUPLE && has_part(g, v->type, *(const type_id *)of);
}

static bool is_array_with(const gen *g, const value *v, const void *of)
{
    shape s = shape_of(g, v->type);
    return s.form == FORM_PULL && has_part(g, s.elem, *(const type_id *)of) && v->cost < 400 &&
           v->code < 120 && afford(g, v->cost + 4, v->code + 4);
}

static term indexed(gen *g, type_id t)
{
    const value *a = visible(g, is_array_with, &t);
    if (!a)
        return zero(g, t);
    value copy = *a;
    return part(g, element(g, &copy, NULL), shape_of(g, copy.type).elem, t);
}

/* An element of an array that is made for it: a thread's own loop, maybe. */
static term computed_element(gen *g, type_id t)
{
    extent want = some_size(g, 6, true);
    if (!afford(g, (double)want.hi * 8, 40) || g->ops < 4)
        return zero(g, t);
    value a = some_pull(g, t, 1, &want);
    return afford(g, a.cost, a.code) ? element(g, &a, NULL) : zero(g, t);
}

/* ---- functions ---- */

term new_function(gen *g, const type_id *params, uint32_t n, type_id result, value *out)
{
    char head[300] = "(";
    uint32_t first = g->next_id + 2;
    uint32_t id = g->next_id + 1;
    for (uint32_t i = 0; i < n; i++) {
        size_t used = strlen(head);
        term t = type_term(g, params[i]);
        memcpy(head + used, i ? ", " : "", i ? 3 : 1);
        used = strlen(head);
        term p = termf("%%%u: ", first + i);
        memcpy(head + used, p.s, strlen(p.s) + 1);
        memcpy(head + strlen(head), t.s, strlen(t.s) + 1);
    }
    memcpy(head + strlen(head), ")", 2);
    say_open(g, head, "fn");
    scope s = enter(g, 4);
    g->level = 0;
    for (uint32_t i = 0; i < n; i++)
        keep(g, named(g, params[i]));
    say_yield(g, some_value(g, result));
    value f;
    memset(&f, 0, sizeof f);
    f.type = function_of(g, params, n, result);
    f.id = id;
    leave(g, &s, &f.cost, &f.code);
    say_close(g);
    keep(g, f);
    if (out)
        *out = f;
    return term_of(id);
}

static bool gives(const gen *g, const value *v, const void *of)
{
    shape s = shape_of(g, v->type);
    return s.form == FORM_FN && s.elem == *(const type_id *)of && afford(g, v->cost, v->code);
}

static term applied(gen *g, type_id t)
{
    const value *found = visible(g, gives, &t);
    value f;
    if (found && chance(g, 60)) {
        f = *found;
    } else {
        type_id params[2] = {type_of(g, some_scalar(g)),
                             chance(g, 50) ? t : type_of(g, some_scalar(g))};
        new_function(g, params, 1 + some(g, 2), t, &f);
    }
    shape s = shape_of(g, f.type);
    term a = some_value(g, s.items[0]);
    if (!afford(g, f.cost, f.code))
        return zero(g, t);
    spend(g, f.cost, f.code);
    if (s.n == 1)
        return keep_of(g, t, say(g, "apply %%%u, %s", f.id, a.s));
    if (chance(g, 60)) {
        term b = some_value(g, s.items[1]);
        return keep_of(g, t, say(g, "apply %%%u, %s, %s", f.id, a.s, b.s));
    }
    uint32_t partial = say(g, "apply %%%u, %s", f.id, a.s);
    term b = some_value(g, s.items[1]);
    return keep_of(g, t, say(g, "apply %%%u, %s", partial, b.s));
}

/* A function of the module: called, or taken as a value and applied. */
static term called(gen *g, type_id t)
{
    uint32_t start = some(g, g->functions.len);
    for (uint32_t i = 0; i < g->functions.len; i++) {
        function f = g->functions.at[(start + i) % g->functions.len];
        if (f.leveled || f.result != t || !afford(g, f.cost, f.code))
            continue;
        term a = some_value(g, f.params[0]), b = f.nparams > 1 ? some_value(g, f.params[1]) : a;
        spend(g, f.cost, f.code);
        if (chance(g, 60))
            return keep_of(g, t,
                           f.nparams > 1 ? say(g, "call @%s(%s, %s)", f.name, a.s, b.s)
                                         : say(g, "call @%s(%s)", f.name, a.s));
        uint32_t v = say(g, "func @%s", f.name);
        return keep_of(g, t,
                       f.nparams > 1 ? say(g, "apply %%%u, %s, %s", v, a.s, b.s)
                                     : say(g, "apply %%%u, %s", v, a.s));
    }
    return zero(g, t);
}

/* A local function that takes a type, applied. */
static term polymorphic(gen *g, type_id t)
{
    uint32_t next = g->next_id;
    term param = termf("(%%%u: 'a%u)", next + 2, next);
    uint32_t f = say_open(g, param.s, "fn<'a%u>", next);
    uint32_t x = ++g->next_id;
    say_yield(g, term_of(x));
    say_close(g);
    term v = some_value(g, t);
    if (v.s[0] != '%')
        return v;
    return keep_of(g, t, say(g, "apply %%%u, %s", f, v.s));
}

value combine(gen *g, scalar s)
{
    static const char *const ints[] = {"add", "min", "max", "xor", "or", "and", "mul"};
    bool floating = s == ST_F32 || s == ST_F64;
    const char *op = floating ? "add" : s == ST_BOOL ? ints[3 + some(g, 3)] : ints[some(g, 7)];
    value f;
    memset(&f, 0, sizeof f);
    type_id t = type_of(g, s), params[2] = {t, t};
    f.type = function_of(g, params, 2, t);
    f.id = g->next_id + 1;
    f.cost = f.code = 1;
    term name = type_term(g, t),
         head = termf("(%%%u: %s, %%%u: %s)", f.id + 1, name.s, f.id + 2, name.s);
    say_open(g, head.s, "fn");
    g->next_id += 2;
    say_yield(g, term_of(say(g, "%s %%%u, %%%u", op, f.id + 1, f.id + 2)));
    say_close(g);
    keep(g, f);
    return f;
}

/* ---- everything ---- */

static term leaf_value(gen *g, type_id t)
{
    const value *v = visible_of(g, t);
    if (v && chance(g, 85))
        return term_of(v->id);
    v = visible(g, holds, &t);
    if (v && chance(g, 70)) {
        value copy = *v;
        return part(g, term_of(copy.id), copy.type, t);
    }
    shape s = shape_of(g, t);
    return s.form == FORM_SCALAR ? literal(g, s.scalar) : zero(g, t);
}

static term built_tuple(gen *g, type_id t)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    for (uint32_t i = 0; i < s.n; i++)
        items[i] = some_value(g, s.items[i]);
    uint32_t id = s.n == 2 ? say(g, "tuple %s, %s", items[0].s, items[1].s)
                           : say(g, "tuple %s, %s, %s", items[0].s, items[1].s, items[2].s);
    return keep_of(g, t, id);
}

static term some_int(gen *g)
{
    const value *a = visible(g, is_array, NULL);
    if (a && chance(g, 50)) {
        value copy = *a;
        return axis(g, &copy, some(g, shape_of(g, copy.type).rank)).t;
    }
    return keep_of(g, type_of(g, ST_I32), say(g, chance(g, 50) ? "blocksize" : "warpsize"));
}

term some_value(gen *g, type_id t)
{
    shape s = shape_of(g, t);
    uint32_t pick = some(g, 100);
    if (g->ops <= 0 || g->depth > 9 || !afford(g, 10, 10))
        return leaf_value(g, t);
    g->depth++;
    term r;
    if (pick < 22)
        r = leaf_value(g, t);
    else if (pick < 48 || pick >= 97)
        r = s.form == FORM_TUPLE ? built_tuple(g, t) : applied_operator(g, s.scalar);
    else if (pick < 54)
        r = s.form == FORM_TUPLE ? built_tuple(g, t) : converted(g, s.scalar);
    else if (pick < 62)
        r = branch(g, t);
    else if (pick < 82)
        r = indexed(g, t);
    else if (pick < 86)
        r = computed_element(g, t);
    else if (pick < 90)
        r = applied(g, t);
    else if (pick < 93)
        r = called(g, t);
    else if (pick < 94)
        r = polymorphic(g, t);
    else
        r = is_int(g, t) ? some_int(g) : indexed(g, t);
    g->depth--;
    return r;
}

term some_scalar_value(gen *g, scalar s)
{
    return some_value(g, type_of(g, s));
}
