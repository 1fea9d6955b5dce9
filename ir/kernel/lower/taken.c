/* Arrays that nobody reads any more, whose memory what is made of them takes.
 *
 * An array that is in memory of its own, a force or the state of a loop say, and that one operation alone reads, is not
 * needed behind that: what starts with a copy of it may as well go on in its memory.  It is what a check of uniqueness
 * finds, where the program does not state it (as an update does: cells/update.c).  Uses of its extents do not count. */
#include "ir/kernel/lower/value.h"
#include "ir/parts.h"

#include <string.h>

enum { MOST_COMPONENTS = 32 };

/* ---- who reads what ---- */

static void count_component(lowering *L, const ir_part *p)
{
    reads *r = &L->reads.at[p->of];
    uint32_t k = p->path[p->n - 1], bit = k < MOST_COMPONENTS ? 1u << k : 0;
    if (!bit)
        r->whole++;
    r->more |= r->once & bit;
    r->once |= bit;
}

/* Of what is put together all parts are read; more than twice is as good as twice, so that this takes linear time. */
static void count_read(lowering *L, ir_value v)
{
    ir_part p = ir_part_of(L->m, v);
    const value_node n = *ir_value_at(L->m, p.of);
    if (p.n) {
        count_component(L, &p);
        return;
    }
    bool again = L->reads.at[p.of].whole >= 2;
    L->reads.at[p.of].whole += !again;
    if (again || n.kind != V_RESULT || ir_op_at(L->m, n.def)->opcode != OP_TUPLE)
        return;
    for (uint32_t i = 0; i < ir_op_at(L->m, n.def)->nargs; i++)
        count_read(L, ir_arg(L->m, n.def, i));
}

static void count_operands(lowering *L, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    if (n.opcode == OP_TUPLE || n.opcode == OP_PROJ)
        return;
    for (uint32_t i = n.opcode == OP_DIM; i < n.nargs; i++)
        count_read(L, ir_arg(L->m, o, i));
}

static bool count_reads(lowering *L)
{
    const ir_module *m = L->m;
    if (L->reads.len)
        return true;
    if (!vec_reserve(&m->cx->mem, &L->reads, m->values.len))
        return false;
    memset(L->reads.at, 0, m->values.len * sizeof *L->reads.at);
    L->reads.len = m->values.len;
    for (ir_op o = 0; o < m->ops.len; o++)
        count_operands(L, o);
    return true;
}

/* ---- whose memory it is ---- */

static bool makes_memory(uint32_t code)
{
    switch (code) {
    case OP_FORCE:
    case OP_WHILE:
    case OP_REPEAT:
    case OP_ACCUMULATE:
    case OP_FETCH:
    case OP_SCATTER:
    case OP_SCATTERLAST:
    case OP_SCATTERANY:
    case OP_PERMUTE:
    case OP_UPDATE: return true;
    default: return false;
    }
}

/* Whether it is what the step of a loop is handed. */
static bool is_state(ir_module *m, ir_region step)
{
    const op_node *loop = ir_op_at(m, ir_region_at(m, step)->owner);
    return loop->opcode == OP_REPEAT || (loop->opcode == OP_WHILE && step == loop->regions + 1u);
}

/* Whether v is in memory of its own, made as often as the region runs. */
static bool is_owned(const lowering *L, ir_value v, ir_region region)
{
    const value_node n = *ir_value_at(L->m, v);
    if (n.kind == V_PARAM)
        return n.def == region && is_state(L->m, region);
    return n.kind == V_RESULT && ir_op_at(L->m, n.def)->parent == region &&
           makes_memory(ir_op_at(L->m, n.def)->opcode);
}

bool lower_is_read_once(lowering *L, ir_value v)
{
    ir_part p = ir_part_of(L->m, v);
    if (!count_reads(L))
        return false;
    const reads r = L->reads.at[p.of];
    uint32_t bit = p.n == 1 && p.path[0] < MOST_COMPONENTS ? 1u << p.path[0] : 0;
    return p.n ? !r.whole && (r.once & ~r.more & bit) : r.whole == 1 && !r.once;
}

bool lower_is_last_use(lowering *L, ir_op o, uint32_t k)
{
    ir_value v = ir_arg(L->m, o, k);
    return lower_is_read_once(L, v) && is_owned(L, ir_part_of(L->m, v).of, ir_op_at(L->m, o)->parent);
}

/* ---- what takes it ---- */

/* Memories of a tree that a level shares in the way that d says. */
static bool lies_in(const lowering *L, const sv *tree, const destination *d)
{
    const k_node *n = k_at(L->b.p, tree->v);
    if (tree->kind == SV_SCALAR)
        return n->op == K_ALLOC && n->space == d->space;
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
        if (!lies_in(L, tree->items[i], d))
            return false;
    return tree->kind == SV_TUPLE;
}

bool lower_take_memory(const lowering *L, const sv *a, destination *d, k_id *offset)
{
    if (a->kind != SV_PULL || a->form != PULL_MEMORY || a->shared || a->partial || a->pitch || !a->src ||
        !lies_in(L, a->src, d))
        return false;
    d->tree = a->src;
    *offset = a->v;
    return true;
}
