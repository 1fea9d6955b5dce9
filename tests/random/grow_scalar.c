/* Values of base type: literals, operators, branches, elements of arrays, functions and their
 * calls. */
#include "tests/random/grow.h"

#include <string.h>

/* ---- literals ---- */

static uint64_t some_bits(gen *g, scalar s)
{
    static const double reals[] = {0, 1, -1, 0.5, 2, 3, -2.25, 100, 1e6, 0.1};
    if (ir_scalar_is_float(s))
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

term literal_of(gen *g, scalar s, uint64_t bits)
{
    vec_char text = {0};
    if (s == ST_BOOL)
        bits &= 1;
    scalar_text(g->m, s, bits, &text);
    term t = termf("%s", text_cstr(g->m, &text));
    vec_free(g->m, &text);
    return t;
}

uint64_t literal_bits(gen *g, scalar s)
{
    return s == ST_BOOL ? some(g, 2) : some_bits(g, s);
}

term literal(gen *g, scalar s)
{
    return literal_of(g, s, literal_bits(g, s));
}

term zero(gen *g, type_id t)
{
    shape s = shape_of(g, t);
    term items[ITEMS_MOST];
    if (s.form == FORM_SCALAR)
        return literal_of(g, s.scalar, s.scalar == ST_BOOL ? 0 : scalar_from_double(s.scalar, 0));
    for (uint32_t i = 0; i < s.n; i++)
        items[i] = zero(g, s.items[i]);
    uint32_t id =
        s.n == 2   ? say(g, "tuple %s, %s", items[0].s, items[1].s)
        : s.n == 3 ? say(g, "tuple %s, %s, %s", items[0].s, items[1].s, items[2].s)
                   : say(g, "tuple %s, %s, %s, %s", items[0].s, items[1].s, items[2].s, items[3].s);
    return term_of(id);
}

/* ---- operators ---- */

/* Whether all machines give the same bits, or (f16) computing in f32 does. */
static bool is_exact(const gen *g, const op_info *op, scalar t)
{
    static const char *const exact[] = {"fdiv", "select", "sqrt", "rem", "mod", "fma"};
    uint32_t n = g->o.exact ? 2 : sizeof exact / sizeof *exact;
    bool any = !ir_scalar_is_float(t) || op->cost < 16 || (!g->o.exact && t != ST_F16);
    for (uint32_t i = 0; i < n && !any; i++)
        any = strcmp(op->name, exact[i]) == 0;
    return any;
}

/* A scalar operator on operands of type t with a result of type r; NULL after some attempts. */
static const op_info *some_operator(gen *g, scalar t, scalar r)
{
    for (int i = 0; i < 60; i++) {
        const op_info *op = ir_op_info(1 + some(g, 99));
        if (!op->name || !op->is_scalar || (op->result_bool ? r != ST_BOOL : r != t))
            continue;
        if (!scalar_accepts((operand_class)op->operands, t) || !is_exact(g, op, t))
            continue;
        return op;
    }
    return NULL;
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
    return keep_as(g, type_of(g, s), id);
}

static term converted(gen *g, scalar s)
{
    scalar from = some_scalar(g);
    bool floating = ir_scalar_is_float(from);
    bool bits = ir_scalar_info(from)->bytes == ir_scalar_info(s)->bytes && from != s &&
                from != ST_BOOL && s != ST_BOOL && chance(g, 60);
    if (bits && g->o.exact && floating) /* NaNs have many bits */
        bits = false;
    term x = some_scalar_value(g, from);
    if (x.s[0] != '%' || (from == s && !bits))
        return x.s[0] == '%' ? x : literal(g, s);
    return keep_as(
        g, type_of(g, s),
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
    return keep_as(g, t, id);
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
    return part(g, keep_as(g, s.items[k], say(g, "proj %s, %u", from.s, k)), s.items[k], want);
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
        return keep_as(g, t, say(g, "apply %%%u, %s", f.id, a.s));
    if (chance(g, 60)) {
        term b = some_value(g, s.items[1]);
        return keep_as(g, t, say(g, "apply %%%u, %s, %s", f.id, a.s, b.s));
    }
    uint32_t partial = say(g, "apply %%%u, %s", f.id, a.s);
    term b = some_value(g, s.items[1]);
    return keep_as(g, t, say(g, "apply %%%u, %s", partial, b.s));
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
            return keep_as(g, t,
                           f.nparams > 1 ? say(g, "call @%s(%s, %s)", f.name, a.s, b.s)
                                         : say(g, "call @%s(%s)", f.name, a.s));
        uint32_t v = say(g, "func @%s", f.name);
        return keep_as(g, t,
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
    return keep_as(g, t, say(g, "apply %%%u, %s", f, v.s));
}

value combine(gen *g, scalar s)
{
    static const char *const ints[] = {"add", "min", "max", "xor", "or", "and", "mul"};
    const char *op = s == ST_F16             ? "max"
                     : ir_scalar_is_float(s) ? "add"
                     : s == ST_BOOL          ? ints[3 + some(g, 3)]
                                             : ints[some(g, 7)];
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
    return keep_as(g, t, id);
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
    else if (g->unscheduled && pick < 52)
        r = chance(g, 70) ? reduced(g, t) : streamed(g, t);
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
