/* The text that grows: types, statements, scopes, visible values. */
#include "tests/random/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t some(gen *g, uint32_t below)
{
    return below ? dice_roll(&g->d, below) : 0;
}

bool chance(gen *g, uint32_t percent)
{
    return dice_chance(&g->d, percent);
}

/* ---- types ---- */

static type_id intern_type(gen *g, shape s)
{
    for (uint32_t i = 0; i < g->types.len; i++)
        if (memcmp(&g->types.at[i], &s, sizeof s) == 0)
            return (type_id)i;
    return vec_push(g->m, &g->types, s) ? (type_id)(g->types.len - 1) : 0;
}

static shape blank(form f)
{
    shape s;
    memset(&s, 0, sizeof s);
    s.form = f;
    return s;
}

type_id type_of(gen *g, scalar t)
{
    shape s = blank(FORM_SCALAR);
    s.scalar = t;
    return intern_type(g, s);
}

type_id tuple_of(gen *g, const type_id *items, uint32_t n)
{
    shape s = blank(FORM_TUPLE);
    s.n = n;
    memcpy(s.items, items, n * sizeof *items);
    return intern_type(g, s);
}

type_id pull_of(gen *g, type_id elem, uint32_t rank)
{
    shape s = blank(FORM_PULL);
    s.elem = elem;
    s.rank = rank;
    return intern_type(g, s);
}

type_id push_to(gen *g, type_id elem, uint32_t rank, uint32_t level)
{
    shape s = blank(FORM_PUSH);
    s.elem = elem;
    s.rank = rank;
    s.level = level;
    return intern_type(g, s);
}

type_id function_of(gen *g, const type_id *params, uint32_t n, type_id result)
{
    shape s = blank(FORM_FN);
    s.n = n;
    s.elem = result;
    memcpy(s.items, params, n * sizeof *params);
    return intern_type(g, s);
}

shape shape_of(const gen *g, type_id t)
{
    return g->types.at[t];
}

bool is_int(const gen *g, type_id t)
{
    return g->types.at[t].form == FORM_SCALAR && g->types.at[t].scalar == ST_I32;
}

static const char *scalar_word(scalar s)
{
    static const char *const words[] = {
#define SCALAR(ENUM, wire, name, ...) [wire] = name,
#include "ir/types.def"
#undef SCALAR
    };
    return words[s];
}

const char *level_word(const gen *g, uint32_t level)
{
    static const char *const names[] = {"thread", "warp", "block", "grid"};
    return g->named_level && level > 0 ? level == 1 ? "l" : "1+l" : names[level];
}

static void join(gen *g, const type_id *items, uint32_t n, const char *between, char *out,
                 size_t size)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s", i ? between : "");
        used = strlen(out);
        print_type(g, items[i], out + used, size - used);
    }
}

void print_type(gen *g, type_id t, char *out, size_t size)
{
    shape s = shape_of(g, t);
    char inner[200] = "";
    if (s.form == FORM_SCALAR) {
        snprintf(out, size, "%s", scalar_word(s.scalar));
    } else if (s.form == FORM_TUPLE) {
        join(g, s.items, s.n, ", ", inner, sizeof inner);
        snprintf(out, size, "(%s)", inner);
    } else if (s.form == FORM_FN) {
        join(g, s.items, s.n, " -> ", inner, sizeof inner);
        snprintf(out, size, "%s -> ", inner);
        print_type(g, s.elem, out + strlen(out), size - strlen(out));
    } else {
        print_type(g, s.elem, inner, sizeof inner);
        int n = s.rank > 1 ? snprintf(out, size, "[%s;%u]", inner, s.rank)
                           : snprintf(out, size, "[%s]", inner);
        if (s.form == FORM_PUSH)
            snprintf(out + n, size - (size_t)n, "<%s>", level_word(g, s.level));
    }
}

scalar some_scalar(gen *g)
{
    static const scalar usual[] = {ST_I32, ST_I32, ST_I32, ST_I64, ST_F64, ST_F32, ST_U32, ST_BOOL};
    return chance(g, 60) ? usual[some(g, 8)] : (scalar)(1 + some(g, ST_F16));
}

type_id some_base(gen *g)
{
    if (chance(g, 75))
        return type_of(g, some_scalar(g));
    type_id items[ITEMS_MOST];
    uint32_t n = 2 + some(g, 2);
    for (uint32_t i = 0; i < n; i++)
        items[i] = chance(g, 10)
                       ? tuple_of(g, (type_id[]){type_of(g, some_scalar(g)), type_of(g, ST_I32)}, 2)
                       : type_of(g, some_scalar(g));
    return tuple_of(g, items, n);
}

uint32_t some_level(gen *g, uint32_t most)
{
    return chance(g, 60) ? most : some(g, most + 1);
}

bool has_parts(const gen *g, uint32_t level)
{
    return level > (g->named_level ? 1 : 0);
}

/* ---- statements ---- */

term termf(const char *fmt, ...)
{
    term t;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t.s, sizeof t.s, fmt, ap);
    va_end(ap);
    return t;
}

term term_of(uint32_t id)
{
    return termf("%%%u", id);
}

bool same_term(term a, term b)
{
    return a.s[0] && strcmp(a.s, b.s) == 0;
}

static void indent(gen *g)
{
    for (uint32_t i = 0; i < g->indent; i++)
        text_add(g->m, &g->body, "  ", 2);
}

static uint32_t begin(gen *g, const char *fmt, va_list ap)
{
    indent(g);
    text_addf(g->m, &g->body, "%%%u = ", ++g->next_id);
    text_add_list(g->m, &g->body, fmt, ap);
    g->ops--;
    spend(g, 1, 1);
    return g->next_id;
}

uint32_t say(gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    uint32_t id = begin(g, fmt, ap);
    va_end(ap);
    text_add(g->m, &g->body, "\n", 1);
    return id;
}

uint32_t say_typed(gen *g, type_id t, const char *text)
{
    char type[200];
    print_type(g, t, type, sizeof type);
    indent(g);
    text_addf(g->m, &g->body, "%%%u: %s = %s\n", ++g->next_id, type, text);
    return g->next_id;
}

uint32_t say_open(gen *g, const char *params, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    uint32_t id = begin(g, fmt, ap);
    va_end(ap);
    text_addf(g->m, &g->body, " {%s%s\n", *params ? " " : "", params);
    g->indent++;
    return id;
}

void say_yield(gen *g, term t)
{
    indent(g);
    text_addf(g->m, &g->body, "yield %s\n", t.s);
}

void say_next(gen *g, const char *params)
{
    g->indent--;
    indent(g);
    text_addf(g->m, &g->body, "} {%s%s\n", *params ? " " : "", params);
    g->indent++;
}

void say_close(gen *g)
{
    g->indent--;
    indent(g);
    text_add(g->m, &g->body, "}\n", 2);
}

uint32_t say_push(gen *g, uint32_t id, uint32_t level)
{
    return g->unscheduled ? id : say(g, "push<%s> %%%u", level_word(g, level), id);
}

/* ---- scopes ---- */

scope enter(gen *g, double times)
{
    scope s = {g->env.len, g->level, g->depth, g->cost, g->code, g->limit};
    g->limit = (g->limit - g->cost) / (times < 1 ? 1 : times) * 0.7;
    g->cost = 0;
    g->code = 0;
    g->depth++;
    return s;
}

void leave(gen *g, const scope *s, double *cost, double *code)
{
    *cost = g->cost;
    *code = g->code;
    g->env.len = s->env;
    g->level = s->level;
    g->depth = s->depth;
    g->cost = s->cost;
    g->code = s->code;
    g->limit = s->limit;
}

bool afford(const gen *g, double cost, double code)
{
    return g->cost + cost <= g->limit && g->code + code <= 600;
}

void spend(gen *g, double cost, double code)
{
    g->cost += cost;
    g->code += code;
}

/* ---- values ---- */

value *keep(gen *g, value v)
{
    return vec_push(g->m, &g->env, v) ? &g->env.at[g->env.len - 1] : NULL;
}

value array_of(uint32_t id, type_id t, const extent *want, uint32_t rank)
{
    value v = {.type = t, .id = id, .cost = 1, .code = 1};
    memcpy(v.ext, want, rank * sizeof *want);
    return v;
}

term keep_as(gen *g, type_id t, uint32_t id)
{
    value v;
    memset(&v, 0, sizeof v);
    v.type = t;
    v.id = id;
    keep(g, v);
    return term_of(id);
}

value named(gen *g, type_id t)
{
    value v;
    memset(&v, 0, sizeof v);
    v.type = t;
    v.id = ++g->next_id;
    return v;
}

/* One that fits, late ones rather than early ones; NULL when there is none. */
value *visible(gen *g, bool (*fits)(const gen *g, const value *v, const void *of), const void *of)
{
    value *found = NULL;
    uint32_t seen = 0;
    for (uint32_t i = g->env.len; i > 0; i--) {
        value *v = &g->env.at[i - 1];
        if (!fits(g, v, of))
            continue;
        if (!found || some(g, ++seen + 1) == 0)
            found = v;
        if (seen > 6)
            break;
    }
    return found;
}

static bool has_type(const gen *g, const value *v, const void *of)
{
    (void)g;
    return v->type == *(const type_id *)of;
}

value *visible_of(gen *g, type_id t)
{
    return visible(g, has_type, &t);
}

extent int_op(gen *g, const char *op, term a, term b, int64_t lo, int64_t hi)
{
    value v;
    memset(&v, 0, sizeof v);
    hi = hi < lo ? lo : hi; /* of code that is never run */
    v.type = type_of(g, ST_I32);
    v.id = say(g, "%s %s, %s", op, a.s, b.s);
    v.is_size = lo >= 0 && hi <= 2000;
    v.size = (extent){term_of(v.id), lo, hi};
    return keep(g, v)->size;
}
