/* The nodes of types, levels and ranks: see types.h.  Entry 0 of each vector is the one that means
 * nothing, so that a node can be had for every id. */
#include "frontends/fcl/infer/types.h"

#include <string.h>

ty ty_new(types *t, ty_kind k, uint32_t a, uint32_t b, uint32_t c)
{
    ty_node n = {.kind = (uint8_t)k, .a = a, .b = b, .c = c};
    return vec_push(&t->cx->mem, &t->nodes, n) ? t->nodes.len - 1 : 0;
}

/* Level 0 when memory is short. */
static lv lv_new(types *t, lv_kind k, uint32_t a)
{
    lv_node n = {.kind = (uint8_t)k, .a = a, .depth = t->depth};
    return vec_push(&t->cx->mem, &t->levels, n) ? t->levels.len - 1 : 0;
}

/* One node for each scalar type, unit and string, so that two of them are equal by their ids. */
bool types_init(types *t, fcl_context *cx, bool old)
{
    *t = (types){.cx = cx, .old = old, .mark = 1};
    if (!vec_push(&cx->mem, &t->nodes, (ty_node){0}) ||
        !vec_push(&cx->mem, &t->levels, (lv_node){0}) || !vec_push(&cx->mem, &t->ranks, 0))
        return false;
    for (uint32_t s = FCL_BOOL; s < FCL_SCALAR_END; s++)
        t->scalar[s] = ty_new(t, T_SCALAR, s, 0, 0);
    t->unit = ty_new(t, T_UNIT, 0, 0, 0);
    t->string = ty_new(t, T_STRING, 0, 0, 0);
    return !cx->mem.oom;
}

void types_free(types *t)
{
    vec_free(&t->cx->mem, &t->nodes);
    vec_free(&t->cx->mem, &t->levels);
    vec_free(&t->cx->mem, &t->ranks);
    vec_free(&t->cx->mem, &t->items);
}

/* ---- types ---- */

const ty_node *ty_at(const types *t, ty x)
{
    return &t->nodes.at[x < t->nodes.len ? x : 0];
}

ty_node *ty_node_at(types *t, ty x)
{
    return &t->nodes.at[x < t->nodes.len ? x : 0];
}

/* Follows bindings and shortens the way for the next time (path compression). */
ty ty_find(types *t, ty x)
{
    ty end = x;
    while (ty_at(t, end)->kind == T_VAR && ty_at(t, end)->a)
        end = ty_at(t, end)->a;
    while (x != end) {
        ty next = ty_at(t, x)->a;
        ty_node_at(t, x)->a = end;
        x = next;
    }
    return end;
}

/* What a program gives, however many programs are around it. */
ty ty_inside(types *t, ty x)
{
    x = ty_find(t, x);
    while (ty_at(t, x)->kind == T_PROG)
        x = ty_find(t, ty_at(t, x)->a);
    return x;
}

ty ty_item(const types *t, ty x, uint32_t i)
{
    const ty_node *n = ty_at(t, x);
    return n->kind == T_TUPLE && i < n->b && n->a + i < t->items.len ? t->items.at[n->a + i] : 0;
}

/* Any type at all: kind TYP, no set of scalars, as deep as the lets are now. */
ty ty_fresh(types *t)
{
    ty x = ty_new(t, T_VAR, 0, t->depth, 0);
    ty_node_at(t, x)->height = FCL_TYP;
    return x;
}

/* One of a set, so a base type. */
ty ty_fresh_scalar(types *t, uint16_t scalars)
{
    ty x = ty_fresh(t);
    if (x) {
        ty_node_at(t, x)->scalars = scalars;
        ty_node_at(t, x)->height = FCL_BT;
    }
    return x;
}

/* A variable of a signature: unification never binds it. */
ty ty_rigid(types *t, str_id name)
{
    ty x = ty_fresh(t);
    if (x) {
        ty_node_at(t, x)->rigid = true;
        ty_node_at(t, x)->name = name;
    }
    return x;
}

/* The items are copied behind those of all other tuples. */
ty ty_tuple(types *t, const ty *items, uint32_t n)
{
    uint32_t first = t->items.len;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_push(&t->cx->mem, &t->items, items[i]))
            return 0;
    return ty_new(t, T_TUPLE, first, n, 0);
}

ty ty_fun(types *t, ty from, ty to)
{
    return ty_new(t, T_FUN, from, to, 0);
}

_Static_assert(FCL_SCALAR_END <= 16, "sets of scalar types have 16 bits");

/* The scalars of NumPy's kinds. */
static uint16_t scalars_of_kind(const char *kinds)
{
    uint16_t set = 0;
    for (int s = FCL_BOOL; s < FCL_SCALAR_END; s++)
        if (strchr(kinds, fcl_scalar_get((fcl_scalar)s)->kind))
            set |= (uint16_t)(1u << s);
    return set;
}

uint16_t scalars_of(char operands)
{
    const uint16_t ordered = 1, bools = scalars_of_kind("b"), ints = scalars_of_kind("iu"),
                   floats = scalars_of_kind("f"), all = ordered | bools | ints | floats;
    switch (operands) {
    case 'O': return ordered | ints | floats;
    case 'N': return ints | floats;
    case 'I': return ints;
    case 'F': return floats;
    case 'B': return ints | bools;
    case 'L': return bools;
    default: return all;
    }
}

/* Sets follow from the table of scalar types, so each is made when it is asked for. */
const scalar_class *class_of(uint16_t scalars)
{
    static const scalar_class classes[] = {
#define CLASS(letter, name, kind, words) {name, words, letter, kind},
#include "frontends/fcl/parse/classes.def"
#undef CLASS
    };
    for (size_t i = 0; scalars && i < sizeof classes / sizeof *classes; i++)
        if (scalars_of(classes[i].letter) == scalars)
            return &classes[i];
    return NULL;
}

uint16_t scalars_of_bytes(uint32_t bytes)
{
    uint16_t set = 0;
    for (int s = FCL_BOOL + 1; s < FCL_SCALAR_END; s++)
        if (fcl_scalar_get((fcl_scalar)s)->bytes == bytes)
            set |= (uint16_t)(1u << s);
    return set;
}

/* ---- levels ---- */

lv lv_fresh(types *t)
{
    return lv_new(t, L_VAR, 0);
}

/* A level variable that nothing binds, by the name that messages use. */
lv lv_rigid(types *t, str_id name)
{
    lv l = lv_new(t, L_VAR, 0);
    if (l) {
        lv_at(t, l)->rigid = true;
        lv_at(t, l)->name = name;
    }
    return l;
}

lv lv_height(types *t, uint32_t height)
{
    return lv_new(t, L_CONST, height);
}

lv lv_above(types *t, lv l)
{
    return lv_new(t, L_SUCC, l);
}

lv_node *lv_at(types *t, lv l)
{
    return &t->levels.at[l < t->levels.len ? l : 0];
}

/* Adds up the successors on the way.  Chains are short: nobody writes many of them. */
level_form lv_find(types *t, lv l)
{
    level_form f = {0};
    while (l) {
        const lv_node *n = lv_at(t, l);
        if (n->kind == L_CONST)
            return (level_form){.offset = f.offset + n->a};
        if (n->kind == L_VAR && !n->a) {
            f.var = l;
            return f;
        }
        f.offset += n->kind == L_SUCC;
        l = n->a;
    }
    return f;
}

static const char *const heights[] = {"thread", "warp", "block", "grid"}, *const old_heights[] = {
                                                                              "thread", "block",
                                                                              "grid"};

/* Programs of 2017 know no warps. */
uint32_t lv_top(const types *t)
{
    return t->old ? 2 : 3;
}

const char *lv_height_name(const types *t, uint32_t height)
{
    if (height > lv_top(t))
        return "a level above grid";
    return t->old ? old_heights[height] : heights[height];
}

bool lv_named(const types *t, const char *name, uint32_t *height)
{
    for (*height = 0; *height <= lv_top(t); ++*height)
        if (strcmp(lv_height_name(t, *height), name) == 0)
            return true;
    return false;
}

/* ---- ranks ---- */

/* Rank 1 when memory is short. */
rank rank_fresh(types *t)
{
    return vec_push(&t->cx->mem, &t->ranks, 0) ? RANK_VAR + t->ranks.len - 1 : 1;
}

/* A number, or the variable at the end of the bindings. */
rank rank_find(types *t, rank r)
{
    while (r >= RANK_VAR && r - RANK_VAR < t->ranks.len && t->ranks.at[r - RANK_VAR])
        r = t->ranks.at[r - RANK_VAR];
    return r;
}

/* False when both are numbers, and different ones. */
bool rank_unify(types *t, rank a, rank b)
{
    a = rank_find(t, a);
    b = rank_find(t, b);
    if (a == b)
        return true;
    if (a >= RANK_VAR)
        t->ranks.at[a - RANK_VAR] = b;
    else if (b >= RANK_VAR)
        t->ranks.at[b - RANK_VAR] = a;
    return a >= RANK_VAR || b >= RANK_VAR;
}
