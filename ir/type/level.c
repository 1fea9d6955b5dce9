/* Levels: offset + base, packed as kind (4 bits), index (20 bits), offset (8 bits).
 *
 * Rules 12 and 13: a level is Z or 1 + another.  The common heights are constants (thread 0,
 * warp 1, block 2, grid 3); an offset over a variable is a level-polymorphic program's 1+l.  In
 * the packed form 1+l is the number plus one, and two levels are equal when their numbers are.
 * Whether a level lies in the hierarchy is asked elsewhere (check_level_in_hierarchy). */
#include "ir/ir.h"

enum { OFFSET_BITS = 8, INDEX_BITS = 20, OFFSET_MAX = (1 << OFFSET_BITS) - 1 };

/* 0, no level, when a part does not fit: a module with more than 2^20 type variables, a height
 * above 255. */
static ir_level pack(uint32_t base, uint32_t index, uint32_t offset)
{
    if (index >> INDEX_BITS || offset > OFFSET_MAX)
        return 0;
    return base << (OFFSET_BITS + INDEX_BITS) | index << OFFSET_BITS | offset;
}

ir_level level_const(uint32_t height)
{
    return pack(LV_CONST, 0, height);
}

ir_level level_var(ir_tvar v)
{
    return pack(LV_VAR, v, 0);
}

ir_level level_bound(uint32_t index)
{
    return pack(LV_BOUND, index, 0);
}

ir_level level_succ(ir_level l)
{
    return l && level_offset(l) < OFFSET_MAX ? l + 1 : 0;
}

int level_base(ir_level l)
{
    return (int)(l >> (OFFSET_BITS + INDEX_BITS));
}

/* 0 for constants. */
uint32_t level_index(ir_level l)
{
    return l >> OFFSET_BITS & ((1u << INDEX_BITS) - 1);
}

uint32_t level_offset(ir_level l)
{
    return l & OFFSET_MAX;
}

bool level_is_const(ir_level l, uint32_t height)
{
    return l == level_const(height);
}

/* The highest level of the push arrays in t; -1 where there are none. */
static int highest_push(const ir_module *m, ir_type t)
{
    const type_node *n = ir_type_at(m, t);
    int top = -1;
    if (n->kind == TY_PUSH)
        return level_base(n->b) == LV_CONST ? (int)level_offset(n->b) : LEVEL_TOP;
    for (uint32_t i = 0; n->kind == TY_TUPLE && i < n->n; i++) {
        int level = highest_push(m, type_item(m, t, i));
        top = level > top ? level : top;
    }
    return top;
}

uint32_t type_turnstile(const ir_module *m, ir_type t)
{
    int top = highest_push(m, t);
    return top < 0 ? (uint32_t)LEVEL_GRID : (uint32_t)top;
}

/* base + offset of l, where base is a level itself. */
static ir_level level_plus(ir_level base, uint32_t offset)
{
    while (base && offset--)
        base = level_succ(base);
    return base;
}

/* A level variable that stands in the substitution, with its offset put on top of what replaces
 * it. */
ir_level level_replace(ir_module *m, ir_level l, const type_subst *s)
{
    (void)m;
    if (level_base(l) != LV_VAR)
        return l;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->from[i] == level_index(l))
            return level_plus(s->to[i], level_offset(l));
    return l;
}
