/* Value numbering and placing: pure values are found again when they exist already, and stand in
 * the outermost open scope that their operands allow.  One table serves all scopes: closing one
 * undoes what was entered in it. */
#include "ir/kernel/build/inside.h"

#include <string.h>

/* ---- when ---- */

uint32_t kb_stamp_of(const k_builder *b, k_id v)
{
    return v < b->stamps.len ? b->stamps.at[v] : 0;
}

void kb_stamp(k_builder *b, k_id v)
{
    while (b->stamps.len <= v && !b->failed)
        b->failed = !vec_push(&b->p->cx->mem, &b->stamps, 0);
    if (!b->failed)
        b->stamps.at[v] = b->clock;
}

/* ---- equal values ---- */

static uint32_t hash_value(const k_node *n)
{
    uint32_t claimed = n->exact == CLAIMED ? 0x80 : 0;
    uint32_t which = (uint32_t)n->opcode + n->leaf + n->coordinate + ((uint32_t)n->axis << 8);
    uint32_t key[6] = {n->op | claimed | (uint32_t)n->type << 8 | which << 16,
                       n->op == K_TABLE ? n->nlist : n->args[0],
                       n->args[1],
                       n->args[2],
                       (uint32_t)n->bits,
                       (uint32_t)(n->bits >> 32)};
    return intern_hash(HASH_SEED, key, n->op == K_CONST ? 24 : 16);
}

static bool same_list(const k_program *p, const k_node *x, const k_node *y)
{
    return x->nlist == y->nlist &&
           memcmp(p->pool.at + x->list, p->pool.at + y->list, x->nlist * sizeof *p->pool.at) == 0;
}

static bool same_value(const k_program *p, const k_node *x, const k_node *y)
{
    return x->op == y->op && x->type == y->type && x->opcode == y->opcode && x->leaf == y->leaf &&
           x->axis == y->axis && x->coordinate == y->coordinate && x->bits == y->bits &&
           memcmp(x->args, y->args, sizeof x->args) == 0 &&
           (x->exact == CLAIMED) == (y->exact == CLAIMED) &&
           (x->op != K_TABLE || same_list(p, x, y));
}

/* ---- the table: open addressing, where holes were values of closed scopes ---- */

enum { FREE = 0 };
#define HOLE UINT32_MAX

/* What equal value will do: one that is no deeper than that, and was stamped no earlier. */
typedef struct wanted {
    uint32_t deepest, since;
} wanted;

static bool will_do(const k_builder *b, k_id v, wanted w)
{
    return k_at(b->p, v)->depth <= w.deepest && (!w.since || kb_stamp_of(b, v) >= w.since);
}

/* The slot of an equal value that will do, or a free slot or hole for one. */
static uint32_t find_slot(const k_builder *b, const k_node *n, uint32_t hash, wanted w)
{
    uint32_t mask = b->table_cap - 1, i = hash & mask, hole = HOLE;
    for (; b->table[i].id != FREE; i = (i + 1) & mask) {
        const numbered_value v = b->table[i];
        if (v.id == HOLE)
            hole = hole == HOLE ? i : hole;
        else if (v.hash == hash && same_value(b->p, k_at(b->p, v.id), n) && will_do(b, v.id, w))
            return i;
    }
    return hole == HOLE ? i : hole;
}

static uint32_t free_slot(const k_builder *b, uint32_t hash)
{
    uint32_t mask = b->table_cap - 1, i = hash & mask;
    while (b->table[i].id != FREE)
        i = (i + 1) & mask;
    return i;
}

void kb_forget(k_builder *b, uint32_t log)
{
    while (b->log.len > log)
        b->table[b->log.at[--b->log.len]].id = HOLE; /* probing goes on past it */
}

/* A new table without holes, larger if need be; the log's slots are renumbered. */
static bool grow_table(k_builder *b)
{
    mem *m = &b->p->cx->mem;
    numbered_value *old = b->table;
    uint32_t old_cap = b->table_cap;
    uint32_t cap = !old_cap                    ? 1024
                   : b->log.len * 4 >= old_cap ? old_cap * 2
                                               : old_cap; /* holes alone: only cleared */
    numbered_value *table = mem_zeroed(m, cap * sizeof *table);
    if (!table)
        return false;
    b->table = table;
    b->table_cap = cap;
    b->table_len = b->log.len;
    for (uint32_t i = 0; i < b->log.len; i++) {
        const numbered_value v = old[b->log.at[i]];
        uint32_t slot = free_slot(b, v.hash);
        table[slot] = v;
        b->log.at[i] = slot;
    }
    mem_free(m, old, old_cap * sizeof *old);
    return true;
}

/* Remembers a value as long as scope `depth` is open.  The log is ordered by depth of scope, so it
 * is inserted in place. */
static void remember(k_builder *b, uint32_t slot, numbered_value v, uint32_t depth)
{
    if (!vec_push(&b->p->cx->mem, &b->log, slot)) {
        b->failed = true;
        return;
    }
    uint32_t at = b->log.len - 1;
    for (uint32_t d = (uint32_t)b->scopes.len - 1; d > depth; d--) {
        uint32_t start = b->scopes.at[d].log++;
        b->log.at[at] = b->log.at[start];
        at = start;
    }
    b->log.at[at] = slot;
    b->table_len += b->table[slot].id == FREE;
    b->table[slot] = v;
}

/* ---- placing pure values ---- */

static uint32_t deepest(const k_builder *b, const k_node *n)
{
    uint32_t d = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t a = n->args[i] ? k_at(b->p, n->args[i])->depth : 0;
        d = a > d ? a : d;
    }
    return d;
}

enum { OUTERMOST = UINT16_MAX + 1 };

/* Whether the value is wanted further out than here, and can be there. */
static bool leaves(const k_builder *b, const k_node *n)
{
    return b->outside.wanted && deepest(b, n) <= b->outside.depth && n->op != K_BUILTIN;
}

/* Costly operations stay inside the `if` that asks for them. */
static uint32_t place_for(const k_builder *b, const k_node *n)
{
    uint32_t min = n->op == K_BUILTIN ? b->launch_depth : deepest(b, n), d = kb_depth(b);
    bool cheap = n->op != K_SCALAR || ir_op_info(n->opcode)->cost <= b->p->target.tuning.cheap;
    if (leaves(b, n) && d > b->outside.depth)
        d = b->outside.depth;
    while (d > min && (cheap || k_at(b->p, b->scopes.at[d].owner)->op != K_IF))
        d--;
    if (k_at(b->p, k_block_at(b->p, b->scopes.at[d].block)->last)->op == K_YIELD)
        d++; /* the condition of a while has ended: its body is as good a place */
    return d;
}

/* The value n: the one that exists, or a new one at depth `place`. */
static k_id numbered(k_builder *b, const k_node *n, k_range r, uint32_t place, uint32_t since)
{
    if (b->failed || (b->table_len * 2 >= b->table_cap && !grow_table(b))) {
        b->failed = true;
        return 0;
    }
    bool out = place == OUTERMOST && leaves(b, n);
    uint32_t hash = hash_value(n);
    uint32_t slot = find_slot(b, n, hash, (wanted){out ? b->outside.depth : place, since});
    if (b->table[slot].id != FREE && b->table[slot].id != HOLE)
        return b->table[slot].id;
    uint32_t depth = place == OUTERMOST ? place_for(b, n) : place;
    k_id id = kb_new_node(b, *n);
    if (!id)
        return 0;
    if (r.known)
        k_state_range(b->p, id, r.lo, r.hi);
    kb_append(b, depth, id);
    remember(b, slot, (numbered_value){id, hash}, depth);
    return id;
}

k_id kb_pure(k_builder *b, k_node n, k_range r)
{
    return numbered(b, &n, r, OUTERMOST, 0);
}

k_id kb_here(k_builder *b, k_node n, k_range r)
{
    bool out = b->outside.claims && leaves(b, &n);
    return numbered(b, &n, r, out ? b->outside.depth : kb_depth(b), 0);
}

k_id kb_loaded(k_builder *b, k_node n, uint32_t since)
{
    k_id before = b->p->nodes.len, id = numbered(b, &n, (k_range){0}, kb_depth(b), since);
    if (id >= before)
        kb_stamp(b, id);
    return id;
}
