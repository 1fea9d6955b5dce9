/* Global memory that a kernel both stores to and loads from: a walk over its launch; and what its
 * barriers separate of that: two more, one forwards and one backwards.
 *
 * The byte of a memory tells how it is accessed, that of a region what the blocks in it do to
 * shared memory, that of a barrier what may have been done before. */
#include "ir/kernel/analysis/shared.h"

enum { STORED = 1, LOADED = 2, PLAIN = 4, SHARED = STORED | LOADED | PLAIN };

static uint8_t how_accessed(const k_node *n)
{
    switch ((k_op)n->op) {
    case K_STORE:
    case K_STOREWIDE: return STORED | PLAIN;
    case K_LOAD:
    case K_LOADWIDE: return LOADED | PLAIN;
    case K_ATOMIC: return STORED | LOADED;
    default: return 0;
    }
}

static void note_block(const k_program *p, k_block b, uint8_t *seen)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        seen[n->args[0]] |= how_accessed(n);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                note_block(p, n->blocks[i], seen);
    }
}

static void forget_block(const k_program *p, k_block b, uint8_t *seen)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        seen[n->args[0]] = seen[id] = 0;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                forget_block(p, n->blocks[i], seen);
    }
}

static bool arrives(const k_program *p, k_block b)
{
    bool found = false;
    for (k_id id = k_block_at(p, b)->first; id && !found; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        found = n->op == K_ATOMIC && n->atomic == ATOMIC_ARRIVE;
        for (int i = 0; i < 2 && !found; i++)
            found = n->blocks[i] && arrives(p, n->blocks[i]);
    }
    return found;
}

/* A group that counts itself tells by it that all of its threads' steps are done, be they atomic.
 */
static void note_steps(const k_program *p, const k_kernel *k, uint8_t *seen)
{
    for (uint32_t i = 0; i < k->nglobals; i++) {
        uint8_t *how = &seen[p->pool.at[k->globals + i]];
        *how |= (*how & STORED) && (*how & LOADED) ? PLAIN : 0;
    }
}

/* ---- barriers ---- */

/* What a plain statement does to shared memory. */
static uint8_t does(const k_program *p, const k_node *n, const uint8_t *seen)
{
    uint8_t how = how_accessed(n);
    if (k_is_ordering(n))
        return STORED | LOADED; /* as if it accessed all of it */
    bool shared = how && seen[n->args[0]] == SHARED && k_is_global(k_at(p, n->args[0]));
    return shared ? how & (STORED | LOADED) : 0;
}

/* What the statements of a block do, noted at its regions. */
static uint8_t sum_block(const k_program *p, k_block b, uint8_t *seen)
{
    uint8_t sum = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        uint8_t here = does(p, n, seen);
        for (int i = 0; i < 2; i++)
            here |= n->blocks[i] ? sum_block(p, n->blocks[i], seen) : 0;
        seen[id] |= n->blocks[0] ? here : 0;
        sum |= here;
    }
    return sum;
}

static bool is_repeated(const k_node *n)
{
    return k_is_loop(n) || n->op == K_PAR;
}

/* before: what has been done when the block begins. */
static void walk_forwards(const k_program *p, k_block b, uint8_t before, uint8_t *seen)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        uint8_t here = n->blocks[0] ? seen[id] : does(p, n, seen);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                walk_forwards(p, n->blocks[i], before | (is_repeated(n) ? here : 0), seen);
        if (n->op == K_SYNC)
            seen[id] = before;
        before |= here;
    }
}

typedef struct telling {
    const k_program *p;
    uint8_t *seen;
    const k_ordering *order;
    vec_u32 list;
    bool ok;
} telling;

/* after: what is done when the block has ended.  Statements know the next one only, so they are
 * listed first. */
static void walk_backwards(telling *t, k_block b, uint8_t after)
{
    uint32_t from = t->list.len;
    for (k_id id = k_block_at(t->p, b)->first; id && t->ok; id = k_at(t->p, id)->next)
        t->ok = vec_push(&t->p->cx->mem, &t->list, id);
    while (t->ok && t->list.len > from) {
        k_id id = t->list.at[--t->list.len];
        const k_node *n = k_at(t->p, id);
        uint8_t here = n->blocks[0] ? t->seen[id] : does(t->p, n, t->seen);
        if (n->op == K_SYNC)
            t->order->barrier(t->order->data, id, (t->seen[id] & STORED) && (after & LOADED));
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                walk_backwards(t, n->blocks[i], after | (is_repeated(n) ? here : 0));
        after |= here;
    }
}

static void tell(const k_program *p, k_block body, const k_ordering *order, uint8_t *seen)
{
    telling t = {.p = p, .seen = seen, .order = order, .ok = true};
    sum_block(p, body, seen);
    walk_forwards(p, body, 0, seen);
    walk_backwards(&t, body, 0);
    vec_free(&p->cx->mem, &t.list);
}

bool k_shares_global(const k_program *p, const k_kernel *k, const k_ordering *order, uint8_t *seen)
{
    k_block body = k_at(p, k->launch)->blocks[0];
    bool shared = false;
    note_block(p, body, seen);
    if (arrives(p, body))
        note_steps(p, k, seen);
    for (uint32_t i = 0; i < k->nglobals && !shared; i++)
        shared = seen[p->pool.at[k->globals + i]] == SHARED;
    if (shared && order)
        tell(p, body, order, seen);
    forget_block(p, body, seen);
    return shared;
}
