/* Types as the user writes them, with the user's names for variables where there are some.  Others
 * are called a, b, c, ... and l, m, k in the order in which they occur, so that one text is
 * consistent in itself.  Texts are cut at TEXT_LIMIT: a type is a graph, and its text may be
 * exponentially longer. */
#include "frontends/fcl/infer/types.h"

#include <string.h>

enum { TEXT_LIMIT = 600 };

typedef struct scheme_printer {
    types *t;
    vec_char *out;
    size_t start;
    vec_u32 vars,
        levels; /* those met so far that have no name: they are a, b, c, ... in that order */
} scheme_printer;

/* Nothing is added to a text that is long enough. */
static void put(scheme_printer *p, const char *s)
{
    if (p->out->len - p->start < TEXT_LIMIT)
        text_add(&p->t->cx->mem, p->out, s, strlen(s));
}

/* The index of x among those met; it is met now. */
static uint32_t met(scheme_printer *p, vec_u32 *list, uint32_t x)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i] == x)
            return i;
    vec_push(&p->t->cx->mem, list, x);
    return list->len ? list->len - 1 : 0;
}

/* One that must be a scalar, and that nothing is over, is shown as what it would become by
 * default. */
static void put_var(scheme_printer *p, ty x)
{
    const ty_node *n = ty_at(p->t, x);
    if (n->scalars && !n->rigid && n->b != GENERIC) {
        put(p, parse_scalar_name(infer_default_scalar(n->scalars)));
        return;
    }
    put(p, p->t->old ? "'" : "");
    if (n->name) {
        put(p, intern_str(&p->t->cx->strings, n->name));
        return;
    }
    uint32_t i = met(p, &p->vars, x);
    char name[] = {(char)('a' + i % 26), i >= 26 ? (char)('0' + i / 26 % 10) : 0, 0};
    put(p, name);
}

/* block, l, 1+l */
static void put_level(scheme_printer *p, lv l)
{
    level_form f = lv_find(p->t, l);
    if (!f.var) {
        put(p, lv_height_name(p->t, f.offset));
        return;
    }
    while (f.offset--)
        put(p, "1+");
    const lv_node *n = lv_at(p->t, f.var);
    if (n->name) {
        put(p, intern_str(&p->t->cx->strings, n->name));
        return;
    }
    static const char *const names[] = {"l", "m", "k", "l1", "l2", "l3"};
    put(p, names[met(p, &p->levels, f.var) % 6]);
}

static void print(scheme_printer *p, ty x, bool argument, uint32_t depth);

/* (t1, ..., tn) */
static void put_list(scheme_printer *p, ty x, uint32_t depth)
{
    put(p, "(");
    for (uint32_t i = 0; i < ty_at(p->t, x)->b; i++) {
        put(p, i ? ", " : "");
        print(p, ty_item(p->t, x, i), false, depth + NESTED);
    }
    put(p, ")");
}

/* [t], [t;2], [t]<l> */
static void put_array(scheme_printer *p, const ty_node *n, uint32_t depth)
{
    put(p, "[");
    print(p, n->a, false, depth + NESTED);
    rank r = rank_find(p->t, n->b);
    char text[] = {';', (char)('0' + r % 10), 0};
    put(p, r > 1 && r <= FCL_MAX_RANK ? text : "");
    put(p, "]");
    if (n->kind == T_PULL)
        return;
    put(p, "<");
    put_level(p, n->c);
    put(p, ">");
}

/* a -> b or <l> -> a, in parentheses where it is a parameter or a program's result. */
static void put_arrow(scheme_printer *p, const ty_node *n, bool argument, uint32_t depth)
{
    put(p, argument ? "(" : "");
    if (n->kind == T_LVLFN) {
        put(p, "<");
        put_level(p, n->c);
        put(p, ">");
    } else {
        print(p, n->a, true, depth + NESTED);
    }
    put(p, " -> ");
    print(p, n->kind == T_FUN ? n->b : n->a, false, depth + 1);
    put(p, argument ? ")" : "");
}

/* argument: to the left of an arrow. */
static void print(scheme_printer *p, ty x, bool argument, uint32_t depth)
{
    x = ty_find(p->t, x);
    const ty_node n = *ty_at(p->t, x);
    if (depth > TYPE_DEPTH || p->out->len - p->start >= TEXT_LIMIT) {
        put(p, "...");
        return;
    }
    switch (n.kind) {
    case T_VAR: put_var(p, x); break;
    case T_SCALAR: put(p, parse_scalar_name((fcl_scalar)n.a)); break;
    case T_UNIT: put(p, p->t->old ? "unit" : "()"); break;
    case T_STRING: put(p, "string"); break;
    case T_TUPLE: put_list(p, x, depth); break;
    case T_PULL:
    case T_PUSH: put_array(p, &n, depth); break;
    case T_FUN:
    case T_LVLFN: put_arrow(p, &n, argument, depth); break;
    case T_PROG:
        put(p, "Program<");
        put_level(p, n.c);
        put(p, "> ");
        print(p, n.a, true, depth + NESTED);
        break;
    default: put(p, "?"); break;
    }
}

/* Says that a text was cut. */
static void finish(scheme_printer *p)
{
    if (p->out->len - p->start >= TEXT_LIMIT)
        text_add(&p->t->cx->mem, p->out, "...", 3);
    vec_free(&p->t->cx->mem, &p->vars);
    vec_free(&p->t->cx->mem, &p->levels);
}

void ty_print(types *t, ty x, vec_char *out)
{
    scheme_printer p = {.t = t, .out = out, .start = out->len};
    print(&p, x, false, 0);
    finish(&p);
}

void lv_print(types *t, lv l, vec_char *out)
{
    scheme_printer p = {.t = t, .out = out, .start = out->len};
    put_level(&p, l);
    finish(&p);
}

/* a:num */
static void put_bounded(scheme_printer *p, ty x)
{
    const scalar_class *c = class_of(ty_at(p->t, x)->scalars);
    put(p, " ");
    put_var(p, x);
    put(p, c ? ":" : "");
    put(p, c ? c->name : "");
}

/* forall <l> 'a 'b. t, as in 2017 */
static void put_old_forall(scheme_printer *p, const scheme *s)
{
    if (!s->nvars && !s->nlevels)
        return;
    put(p, "forall");
    for (uint32_t i = 0; i < s->nlevels; i++) {
        put(p, i ? ", " : " <");
        put_level(p, s->levels[i]);
    }
    put(p, s->nlevels ? ">" : "");
    for (uint32_t i = 0; i < s->nvars; i++)
        put_bounded(p, s->vars[i]);
    put(p, ". ");
}

/* forall a:num. t: only variables with a bound need to be named. */
static void put_forall(scheme_printer *p, const scheme *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nvars; i++) /* letters by their order in the type */
        if (!ty_at(p->t, s->vars[i])->name)
            met(p, &p->vars, s->vars[i]);
    for (uint32_t i = 0; i < s->nvars; i++)
        if (ty_at(p->t, s->vars[i])->scalars) {
            put(p, n++ ? "" : "forall");
            put_bounded(p, s->vars[i]);
        }
    put(p, n ? ". " : "");
}

/* Explicit level parameters first, <l> -> t; in the manner of 2017 all in a forall. */
void scheme_print(types *t, const scheme *s, vec_char *out)
{
    scheme_printer p = {.t = t, .out = out, .start = out->len};
    if (t->old)
        put_old_forall(&p, s);
    else
        put_forall(&p, s);
    for (uint32_t i = 0; !t->old && i < s->nexplicit; i++) {
        put(&p, "<");
        put_level(&p, s->levels[i]);
        put(&p, "> -> ");
    }
    print(&p, s->type, false, 0);
    finish(&p);
}
