/* Types and levels as text, the way the text form writes and reads them.
 *
 * A binder (<l> -> t, forall 'a. t) gets a name that no binder around it has and that nothing else
 * in the type is called, so that the text reads back as the same type.  Recursion is bounded by the
 * depth of types. */
#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

/* The binders around a place, innermost first: those of levels and those of types apart. */
typedef struct bound_name {
    const struct bound_name *up;
    uint32_t number; /* of its name: l, l1, l2, ... */
} bound_name;

typedef struct type_printer {
    ir_module *m;
    vec_char *out;
} type_printer;

typedef struct scope {
    const bound_name *levels, *types;
} scope;

static bool put(const type_printer *p, const char *s)
{
    return text_add(&p->m->cx->mem, p->out, s, strlen(s));
}

/* l, l1, l2 for levels and t, t1, t2 for types. */
static void binder_name(char name[16], const char *stem, uint32_t number)
{
    if (number)
        snprintf(name, 16, "%s%u", stem, number);
    else
        snprintf(name, 16, "%s", stem);
}

/* Follows a de Bruijn index outwards: 0 is the innermost binder of that sort. */
static const bound_name *binder_at(const bound_name *b, uint32_t index)
{
    while (b && index--)
        b = b->up;
    return b;
}

/* The name of what is bound `index` binders out; one that cannot be read when there is no such
 * binder. */
static bool put_bound(const type_printer *p, const char *stem, const bound_name *b, uint32_t index)
{
    char name[16];
    b = binder_at(b, index);
    if (!b)
        return put(p, "?");
    binder_name(name, stem, b->number);
    return put(p, name);
}

/* Entry 0 has the empty name. */
static str_id tvar_name(const ir_module *m, ir_tvar v)
{
    return m->tvars.at[v < m->tvars.len ? v : 0].name;
}

/* ---- levels ---- */

static const char *const level_names[] = {
#define LEVEL(e, height, name, since) [height] = name,
#include "ir/types.def"
#undef LEVEL
};

/* A constant is named by its height as far as the hierarchy goes; what is above grid is 1+grid,
 * which reads back and is refused by the checker. */
static bool put_level(const type_printer *p, ir_level l, const scope *sc)
{
    uint32_t above = level_offset(l), named = above < LEVEL_TOP ? above : LEVEL_TOP;
    bool ok = true;
    if (level_base(l) == LV_CONST)
        above -= named;
    for (uint32_t i = 0; i < above && ok; i++)
        ok = put(p, "1+");
    switch (level_base(l)) {
    case LV_CONST: return ok && put(p, level_names[named]);
    case LV_VAR: return ok && put(p, ir_str(p->m, tvar_name(p->m, level_index(l))));
    case LV_BOUND: return ok && put_bound(p, "l", sc->levels, level_index(l));
    default: return ok && put(p, "?");
    }
}

/* Outside of any binder: a bound level alone is shown as "?". */
bool level_text(ir_module *m, ir_level l, vec_char *out)
{
    return put_level(&(type_printer){m, out}, l, &(scope){0});
}

/* The text lives as long as the context: messages are formatted later.  Frees the buffer. */
static const char *intern_text(ir_module *m, vec_char *s)
{
    const char *r = intern_str(&m->cx->strings, intern_add(&m->cx->strings, s->at, s->len));
    vec_free(&m->cx->mem, s);
    return r;
}

const char *level_str(ir_module *m, ir_level l)
{
    vec_char s = {0};
    level_text(m, l, &s);
    return intern_text(m, &s);
}

/* ---- names of binders ---- */

/* Whether a variable of that name, of a level or of a type, is in the type. */
static bool mentions(const ir_module *m, ir_type t, bool level, str_id name)
{
    const type_node n = *ir_type_at(m, t);
    switch ((type_kind)n.kind) {
    case TY_VAR: return !level && tvar_name(m, n.a) == name;
    case TY_TUPLE:
        for (uint32_t i = 0; i < n.n; i++)
            if (mentions(m, type_item(m, t, i), level, name))
                return true;
        return false;
    case TY_FUN: return mentions(m, n.a, level, name) || mentions(m, n.b, level, name);
    case TY_PUSH:
        if (level && level_base(n.b) == LV_VAR && tvar_name(m, level_index(n.b)) == name)
            return true;
        return mentions(m, n.a, level, name);
    case TY_PULL:
    case TY_LVLFN:
    case TY_FORALL: return mentions(m, n.a, level, name);
    default: return false;
    }
}

/* The first number from `number` on whose name is free in the body. */
static uint32_t free_number(const ir_module *m, ir_type body, bool level, uint32_t number)
{
    for (;; number++) {
        char name[16];
        binder_name(name, level ? "l" : "t", number);
        str_id id = intern_find(&m->cx->strings, name, strlen(name));
        if (!id || !mentions(m, body, level, id))
            return number;
    }
}

static bound_name inner_binder(const ir_module *m, ir_type body, bool level, const bound_name *up)
{
    return (bound_name){.up = up, .number = free_number(m, body, level, up ? up->number + 1 : 0)};
}

/* ---- types ---- */

static bool put_type(const type_printer *p, ir_type t, const scope *sc);

static bool put_tuple(const type_printer *p, ir_type t, const scope *sc)
{
    bool ok = put(p, "(");
    for (uint32_t i = 0; ok && i < ir_type_at(p->m, t)->n; i++)
        ok = (i == 0 || put(p, ", ")) && put_type(p, type_item(p->m, t, i), sc);
    return ok && put(p, ")");
}

/* The rank is written where it is not 1: [t;2]<l>. */
static bool put_array(const type_printer *p, const type_node *n, const scope *sc)
{
    const char rank[] = {';', (char)('0' + n->n), 0};
    bool ok = put(p, "[") && put_type(p, n->a, sc) && (n->n == 1 || put(p, rank)) && put(p, "]");
    if (n->kind == TY_PUSH)
        ok = ok && put(p, "<") && put_level(p, n->b, sc) && put(p, ">");
    return ok;
}

/* Arrows associate to the right, so only a function to the left of one needs parentheses. */
static bool put_function(const type_printer *p, const type_node *n, const scope *sc)
{
    uint8_t k = ir_type_at(p->m, n->a)->kind;
    bool wrap = k == TY_FUN || k == TY_LVLFN || k == TY_FORALL;
    return (!wrap || put(p, "(")) && put_type(p, n->a, sc) && (!wrap || put(p, ")")) &&
           put(p, " -> ") && put_type(p, n->b, sc);
}

/* The binder's name is chosen by its body, so that no variable in there is caught. */
static bool put_level_function(const type_printer *p, const type_node *n, const scope *sc)
{
    bound_name b = inner_binder(p->m, n->a, true, sc->levels);
    scope inner = {.levels = &b, .types = sc->types};
    return put(p, "<") && put_bound(p, "l", &b, 0) && put(p, "> -> ") && put_type(p, n->a, &inner);
}

/* The kind is written where it is known. */
static bool put_scheme(const type_printer *p, const type_node *n, const scope *sc)
{
    bound_name b = inner_binder(p->m, n->a, false, sc->types);
    scope inner = {.levels = sc->levels, .types = &b};
    bool ok = put(p, "forall '") && put_bound(p, "t", &b, 0);
    if (n->n != KIND_NONE)
        ok = ok && put(p, ": ") && put(p, ir_kind_name((kind)n->n));
    return ok && put(p, ". ") && put_type(p, n->a, &inner);
}

/* Prints parts by mutual recursion.  A node is copied, since printing may intern and types may
 * grow. */
static bool put_type(const type_printer *p, ir_type t, const scope *sc)
{
    const type_node n = *ir_type_at(p->m, t);
    switch ((type_kind)n.kind) {
    case TY_ERROR: return put(p, "?");
    case TY_SCALAR: return put(p, ir_scalar_name((scalar)n.a));
    case TY_VAR: return put(p, "'") && put(p, ir_str(p->m, tvar_name(p->m, n.a)));
    case TY_BOUND: return put(p, "'") && put_bound(p, "t", sc->types, n.a);
    case TY_TUPLE: return put_tuple(p, t, sc);
    case TY_FUN: return put_function(p, &n, sc);
    case TY_LVLFN: return put_level_function(p, &n, sc);
    case TY_FORALL: return put_scheme(p, &n, sc);
    case TY_PULL:
    case TY_PUSH: return put_array(p, &n, sc);
    }
    return false;
}

bool type_text(ir_module *m, ir_type t, vec_char *out)
{
    return put_type(&(type_printer){m, out}, t, &(scope){0});
}

const char *type_str(ir_module *m, ir_type t)
{
    vec_char s = {0};
    type_text(m, t, &s);
    return intern_text(m, &s);
}
