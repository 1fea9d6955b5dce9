/* Arrays that nobody reads any more, whose memory what is made of them takes.
 *
 * An array that is in memory of its own, a force or the state of a loop say, and that one operation alone reads, is not
 * needed behind that: what starts with a copy of it may as well go on in its memory.  It is what a check of uniqueness
 * finds, where the program does not state it (as an update does: cells/update.c).  Uses of its extents do not count, nor do
 * single elements that have been read in front of that operation, nor what stands in another branch of an if. */
#include "ir/kernel/lower/value.h"
#include "ir/parts.h"
#include "ir/scheduled.h"

#include <string.h>

enum { MOST_LOOKED = 64, MOST_PASSED = 512 }; /* reads, and operations in front of another, that are looked at */

/* ---- who reads what ---- */

static void note_read(lowering *L, const ir_part *p, ir_op by)
{
    const reading r = {by, p->n ? 1 + p->path[p->n - 1] : 0, L->first_read.at[p->of]};
    if (vec_push(&L->m->cx->mem, &L->reads, r))
        L->first_read.at[p->of] = (uint32_t)L->reads.len;
    else
        L->failed = true;
}

/* Whether so many reads of a value, or more, have been noted. */
static bool has_reads(const lowering *L, ir_value v, uint32_t n)
{
    uint32_t i = L->first_read.at[v];
    while (n && i) {
        i = L->reads.at[i - 1].next;
        n--;
    }
    return !n;
}

/* Of what is put together all parts are read.  The third time is by anyone, and stands for all that follow, so that this takes
 * linear time. */
static void read_all(lowering *L, ir_value v, ir_op by)
{
    ir_part p = ir_part_of(L->m, v);
    const value_node n = *ir_value_at(L->m, p.of);
    bool made = !p.n && n.kind == V_RESULT && ir_op_at(L->m, n.def)->opcode == OP_TUPLE;
    if (made && has_reads(L, p.of, 3))
        return;
    by = made && has_reads(L, p.of, 2) ? 0 : by;
    note_read(L, &p, by);
    for (uint32_t i = 0; made && i < ir_op_at(L->m, n.def)->nargs; i++)
        read_all(L, ir_arg(L->m, n.def, i), by);
}

static void read_operands(lowering *L, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    if (n.opcode == OP_TUPLE || n.opcode == OP_PROJ)
        return;
    for (uint32_t i = n.opcode == OP_DIM; i < n.nargs; i++)
        read_all(L, ir_arg(L->m, o, i), o);
}

static bool find_reads(lowering *L)
{
    const ir_module *m = L->m;
    if (L->first_read.len)
        return true;
    if (!vec_reserve(&m->cx->mem, &L->first_read, m->values.len))
        return false;
    memset(L->first_read.at, 0, m->values.len * sizeof *L->first_read.at);
    L->first_read.len = m->values.len;
    for (ir_op o = 0; o < m->ops.len; o++)
        read_operands(L, o);
    return !L->failed;
}

/* Whether `by` reads an element, and stands in front of o in its region. */
static bool is_read_before(const lowering *L, ir_op by, ir_op o)
{
    uint32_t left = MOST_PASSED;
    if (ir_op_at(L->m, by)->opcode != OP_INDEX)
        return false;
    while (by && by != o && --left)
        by = ir_op_at(L->m, by)->next;
    return by == o;
}

static ir_op owner_of(const lowering *L, ir_op o)
{
    return ir_region_at(L->m, ir_op_at(L->m, o)->parent)->owner;
}

/* Whether an operation that reads the same is no reason: it has read an element before, in the region of o or one around the ifs
 * that o stands in, or it stands in another branch of one of these. */
static bool is_harmless(const lowering *L, ir_op by, ir_op o)
{
    while (by) {
        ir_region home = ir_op_at(L->m, o)->parent;
        if (ir_op_at(L->m, by)->parent == home)
            return is_read_before(L, by, o);
        ir_op choice = owner_of(L, o), in = by;
        if (!choice || ir_op_at(L->m, choice)->opcode != OP_IF)
            return false;
        while (in && owner_of(L, in) != choice)
            in = owner_of(L, in);
        if (in)
            return ir_op_at(L->m, in)->parent != home;
        o = choice;
    }
    return false;
}

bool lower_is_read_by(lowering *L, ir_value v, ir_op o)
{
    uint32_t left = MOST_LOOKED;
    ir_part p = ir_part_of(L->m, v);
    bool alone = find_reads(L);
    for (uint32_t i = alone ? L->first_read.at[p.of] : 0; i && alone; i = L->reads.at[i - 1].next) {
        const reading r = L->reads.at[i - 1];
        bool other = p.n && r.component && r.component != 1 + p.path[p.n - 1];
        alone = --left && (other || r.by == o || is_harmless(L, r.by, o));
    }
    return alone;
}

/* ---- whose memory it is ---- */

/* Whether it is what the step of a loop is handed. */
static bool is_state(ir_module *m, ir_region step)
{
    const op_node *loop = ir_op_at(m, ir_region_at(m, step)->owner);
    return loop->opcode == OP_REPEAT || (loop->opcode == OP_WHILE && step == loop->regions + 1u);
}

/* Whether v is in memory of its own, made as often as the region runs, or those do that are no branches of an if. */
static bool is_owned(const lowering *L, ir_value v, ir_region region)
{
    const value_node n = *ir_value_at(L->m, v);
    ir_op choice = ir_region_at(L->m, region)->owner;
    if (choice && ir_op_at(L->m, choice)->opcode == OP_IF && ir_value_region(L->m, v) != region)
        return is_owned(L, v, ir_op_at(L->m, choice)->parent);
    if (n.kind == V_PARAM)
        return n.def == region && is_state(L->m, region);
    return n.kind == V_RESULT && ir_op_at(L->m, n.def)->parent == region &&
           ir_makes_memory(ir_op_at(L->m, n.def)->opcode);
}

bool lower_is_last_use(lowering *L, ir_op o, uint32_t k)
{
    ir_value v = ir_arg(L->m, o, k);
    return is_owned(L, ir_part_of(L->m, v).of, ir_op_at(L->m, o)->parent) && lower_is_read_by(L, v, o);
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

bool lower_take_memory(lowering *L, const sv *a, destination *d, k_id *offset)
{
    if (a->kind != SV_PULL || a->form != PULL_MEMORY || a->shared || a->partial || a->pitch || !a->src ||
        !lies_in(L, a->src, d))
        return false;
    d->tree = a->src;
    *offset = a->v;
    sv_leaves(L, a->src, &L->overwritten);
    return true;
}
