/* Nodes and blocks as the builder makes them and puts them in place; what is made here is neither
 * folded nor shared. */
#include "ir/kernel/build/inside.h"

/* The one place that bounds how large a program grows; after it every call of the builder does
 * nothing. */
k_id kb_new_node(k_builder *b, k_node n)
{
    k_program *p = b->p;
    if (b->failed)
        return 0;
    if (p->nodes.len >= p->cx->limits.kernel_nodes) {
        b->failed = true;
        diag_error(p->cx, DIAG_TOO_LARGE, k_loc_at(p, b->loc), "the kernel grows beyond %u nodes",
                   p->cx->limits.kernel_nodes);
        diag_hint(p->cx, "each operation that is done by itself has code of its own, and an array that is not in memory has its code "
                         "wherever it is read: make several kernels of it, or allow more by the limit `kernel-nodes`");
        return 0;
    }
    n.loc = b->loc;
    k_id id = k_add_node(p, &n);
    b->failed = !id;
    if (n.op == K_CHECK || n.op == K_FAILED)
        b->checked = id;
    if (n.op == K_LAUNCH || n.op == K_PAR || n.op == K_SYNC)
        b->acted = id;
    if (n.op == K_EMIT || n.op == K_EMITSCALAR || n.op == K_RECEIVE)
        b->emitted = id;
    return id;
}

/* A block of the next scope: whoever makes it pushes that scope. */
k_block kb_new_block(k_builder *b)
{
    k_program *p = b->p;
    if (b->failed ||
        !vec_push(&p->cx->mem, &p->blocks, ((k_blocks){.depth = (uint16_t)b->scopes.len}))) {
        b->failed = true;
        return 0;
    }
    return p->blocks.len - 1;
}

/* At the end of the open block of that depth, which may be further out than the one being filled.
 */
void kb_append(k_builder *b, uint32_t depth, k_id n)
{
    if (!n || depth >= b->scopes.len)
        return;
    k_blocks *bl = k_block_at(b->p, b->scopes.at[depth].block);
    k_at(b->p, n)->depth = (uint16_t)depth;
    if (bl->last)
        k_at(b->p, bl->last)->next = n;
    else
        bl->first = n;
    bl->last = n;
}

k_id kb_effect(k_builder *b, k_node n)
{
    k_id id = kb_new_node(b, n);
    kb_append(b, kb_depth(b), id);
    return id;
}

/* Into the pool, where it stays; n is not yet in the program. */
void kb_add_list(k_builder *b, k_node *n, const k_id *list, uint32_t len)
{
    k_program *p = b->p;
    if (!vec_reserve(&p->cx->mem, &p->pool, len)) {
        b->failed = true;
        return;
    }
    n->list = p->pool.len;
    n->nlist = len;
    for (uint32_t i = 0; i < len; i++)
        p->pool.at[p->pool.len++] = list[i];
}

void kb_add_result(k_builder *b, k_id owner, uint32_t i, scalar t)
{
    k_id id = kb_new_node(b, (k_node){.op = K_RESULT,
                                      .type = (uint8_t)t,
                                      .depth = kb_depth(b),
                                      .number = (uint16_t)i,
                                      .owner = owner});
    k_node *n = k_at(b->p, owner);
    if (i == 0)
        n->results = id;
    n->nresults = i + 1;
}

/* ---- where ---- */

uint16_t kb_depth(const k_builder *b)
{
    return (uint16_t)(b->scopes.len - 1);
}

/* Inside a launch, the depth of the block in which it stands. */
uint16_t kb_host_depth(const k_builder *b)
{
    return b->launch_depth ? (uint16_t)(b->launch_depth - 1) : kb_depth(b);
}

bool kb_is_host(const k_builder *b, k_id v)
{
    return v && k_at(b->p, v)->depth <= kb_host_depth(b);
}
