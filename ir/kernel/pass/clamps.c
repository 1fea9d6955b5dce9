/* Loops that clamp or wrap their variable, as stencils do at the borders of an array: between the borders that changes nothing, so
 * the turns there become a loop of their own without it.  It is index set splitting, as in ends.c, at places that only the run knows.
 *
 *   for i in lo ... hi { ... a[max(0, min(i + 1, n - 1))] ... }
 *
 *   for i in lo ... first { as before }  for i in first ... last { ... a[i + 1] ... }  for i in last ... hi { as before }
 *
 * What is clamped is the variable and a small constant, the limits are the same in all turns.  A remainder clamps from both sides:
 * it changes nothing from 0 to the divisor. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum {
    NEAR = 8,              /* the constant, at most */
    MOST_CLAMPS = 32,      /* that a loop may have */
    MOST_STATEMENTS = 256, /* of a loop of which three are made */
};

/* Old nodes: `clamp` is moved from the limit on, or, if upper, up to it: where it is the limit, or below that. */
typedef struct clamp {
    k_id clamp, moved, limit; /* limit 0: the number 0 */
    int64_t by;               /* moved is the variable and that */
    bool upper, below;
} clamp;

typedef struct clamps {
    rebuild r;
    const k_node *loop;
    k_id variable;
    clamp at[MOST_CLAMPS];
    uint32_t n, statements;
    bool parting; /* the loop is being copied */
    bool between; /* what is copied now are its turns that no clamp changes */
} clamps;

/* ---- finding ---- */

/* What v is between the borders: what it clamps, if it does. */
static k_id without(const clamps *c, k_id v)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i].clamp == v)
            return c->at[i].moved;
    return v;
}

/* v as the variable and a small constant. */
static bool is_near(const clamps *c, k_id v, int64_t *by)
{
    return k_is_moved(c->r.old, v, c->variable, by) && *by >= -NEAR && *by <= NEAR;
}

static bool is_before(const clamps *c, k_id v)
{
    const k_node *n = k_at(c->r.old, v);
    return n->op == K_CONST || n->depth <= c->loop->depth;
}

static void add(clamps *c, clamp found)
{
    found.moved = without(c, found.moved);
    if (c->n < MOST_CLAMPS && (!found.limit || is_before(c, found.limit)) && is_near(c, found.moved, &found.by))
        c->at[c->n++] = found;
}

/* One of the two operands is a limit that is there before the loop, the other one is near the variable. */
static void add_extreme(clamps *c, k_id id, const k_node *n)
{
    uint32_t before = c->n;
    for (int i = 0; i < 2 && c->n == before; i++)
        add(c, (clamp){.clamp = id, .moved = n->args[i], .limit = n->args[1 - i], .upper = n->opcode == SOP_MIN});
}

/* Both borders, or none. */
static void add_remainder(clamps *c, k_id id, const k_node *n)
{
    uint32_t before = c->n;
    clamp low = {.clamp = id, .moved = n->args[0]}, high = low;
    high.limit = n->args[1];
    high.upper = high.below = true;
    if (c->n + 2 > MOST_CLAMPS)
        return;
    add(c, high);
    if (c->n > before) {
        low.by = c->at[before].by;
        low.moved = c->at[before].moved;
        c->at[c->n++] = low;
    }
}

static void look_at_value(clamps *c, k_id id)
{
    const k_node *n = k_at(c->r.old, id);
    if (n->op != K_SCALAR || n->type != ST_I32)
        return;
    if (n->opcode == SOP_MIN || n->opcode == SOP_MAX)
        add_extreme(c, id, n);
    else if (n->opcode == SOP_MOD || n->opcode == SOP_REM)
        add_remainder(c, id, n);
}

/* False where there is more than values, accesses to elements, checks and branches. */
static bool look_at(clamps *c, k_block b)
{
    for (k_id id = k_block_at(c->r.old, b)->first; id; id = k_at(c->r.old, id)->next) {
        const k_node *n = k_at(c->r.old, id);
        bool plain = k_op_info(n->op)->class == KC_VALUE || n->op == K_LOAD || n->op == K_STORE ||
                     n->op == K_IF || n->op == K_YIELD || n->op == K_CHECK || n->op == K_RESULT;
        if (!plain || ++c->statements > MOST_STATEMENTS)
            return false;
        look_at_value(c, id);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !look_at(c, n->blocks[i]))
                return false;
    }
    return true;
}

/* ---- building ---- */

/* Of the variable, as i64: from where on, or up to where, a clamp changes nothing. */
static k_id border(clamps *c, const clamp *x, k_id sofar)
{
    k_builder *b = &c->r.b;
    k_id limit = x->limit ? kb_convert(b, ST_I64, rebuild_value(&c->r, x->limit)) : kb_const(b, ST_I64, 0),
         at = kb_sub(b, limit, kb_const(b, ST_I64, (uint64_t)(x->by - (x->upper && !x->below))));
    return kb_scalar(b, x->upper ? SOP_MIN : SOP_MAX, sofar, at, 0);
}

static void turns(clamps *c, k_id from, k_id end, bool between)
{
    c->between = between;
    rebuild_turns(&c->r, c->loop, from, end);
    c->between = false;
}

static void part(clamps *c)
{
    k_builder *b = &c->r.b;
    k_id lo = rebuild_value(&c->r, c->loop->args[0]), hi = rebuild_value(&c->r, c->loop->args[1]),
         low = kb_convert(b, ST_I64, lo), high = kb_convert(b, ST_I64, hi), first = low, last = high;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i].upper)
            last = border(c, &c->at[i], last);
        else
            first = border(c, &c->at[i], first);
    first = kb_scalar(b, SOP_MIN, first, kb_scalar(b, SOP_MAX, high, low, 0), 0);
    last = kb_scalar(b, SOP_MAX, last, first, 0);
    k_id from = kb_convert(b, ST_I32, first), end = kb_convert(b, ST_I32, last);
    c->parting = true;
    turns(c, lo, kb_min(b, hi, from), false); /* no further than all turns go, as is seen then */
    turns(c, from, kb_min(b, hi, end), true);
    turns(c, end, hi, false);
    c->parting = false;
}

static bool is_loop_of_clamps(clamps *c, const k_node *n)
{
    const k_program *p = c->r.old;
    int64_t step;
    c->n = c->statements = 0;
    if (n->op != K_FOR || !n->independent || n->nresults || !k_is_const(p, n->args[2], &step) ||
        step != 1 || k_at(p, n->args[1])->type != ST_I32)
        return false;
    c->loop = n;
    c->variable = k_block_at(p, n->blocks[0])->params;
    return look_at(c, n->blocks[0]) && c->n;
}

static bool statement(rebuild *r, k_id old)
{
    clamps *c = (clamps *)r;
    const k_node n = *k_at(r->old, old);
    if (c->between) {
        k_id moved = without(c, old);
        if (moved != old)
            r->map[old] = rebuild_value(r, moved);
        return moved != old;
    }
    if (c->parting || !is_loop_of_clamps(c, &n))
        return false;
    part(c);
    return true;
}

bool k_clamps(k_program *p)
{
    return !p->target.facts.serial || k_rebuild(p, &(clamps){.r.statement = statement}.r);
}
