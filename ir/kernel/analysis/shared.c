/* Global memory that a kernel both stores to and loads from: one walk over its launch. */
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
        seen[n->args[0]] = 0;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                forget_block(p, n->blocks[i], seen);
    }
}

bool k_shares_global(const k_program *p, const k_kernel *k, uint8_t *seen)
{
    k_block body = k_at(p, k->launch)->blocks[0];
    bool shared = false;
    note_block(p, body, seen);
    for (uint32_t i = 0; i < k->nglobals && !shared; i++)
        shared = seen[p->pool.at[k->globals + i]] == SHARED;
    forget_block(p, body, seen);
    return shared;
}
