/* Nodes, blocks and open scopes of the builder: see build.h. */
#include "ir/kernel/build/inside.h"

/* ---- nodes ---- */

k_id kb_new_node(k_builder *b, k_node n)
{
    k_program *p = b->p;
    if (b->failed)
        return 0;
    if (p->nodes.len >= p->cx->limits.kernel_nodes) {
        b->failed = true;
        diag_error(p->cx, DIAG_TOO_LARGE, ir_loc_at(p->module, b->loc),
                   "the kernel grows beyond %u nodes", p->cx->limits.kernel_nodes);
        diag_hint(p->cx, "force intermediate arrays that are used more than once, so that their "
                         "code is not repeated");
        return 0;
    }
    n.loc = b->loc;
    k_id id = k_add_node(p, &n);
    b->failed = !id;
    return id;
}

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

/* ---- scopes ---- */

uint16_t kb_depth(const k_builder *b)
{
    return (uint16_t)(b->scopes.len - 1);
}

uint16_t kb_host_depth(const k_builder *b)
{
    return b->launch_depth ? (uint16_t)(b->launch_depth - 1) : kb_depth(b);
}

bool kb_is_host(const k_builder *b, k_id v)
{
    return v && k_at(b->p, v)->depth <= kb_host_depth(b);
}

/* Passes recurse over blocks: they count on this, and on adding only a few blocks around each. */
enum { SCOPES_MOST = 400 };

static bool nests_too_deep(k_builder *b)
{
    if (b->scopes.len < SCOPES_MOST || b->failed)
        return false;
    diag_error(b->p->cx, DIAG_TOO_DEEP, ir_loc_at(b->p->module, b->loc),
               "loops and branches of the kernel nest deeper than %d", SCOPES_MOST);
    diag_hint(b->p->cx,
              "force intermediate arrays, so that their code is not nested in that of others");
    return true;
}

void kb_push_scope(k_builder *b, k_block block, k_id owner)
{
    if (nests_too_deep(b))
        b->failed = true;
    if (!block || !vec_push(&b->p->cx->mem, &b->scopes,
                            ((k_scope){.block = block, .owner = owner, .log = b->log.len})))
        b->failed = true;
}

k_outside kb_outside(k_builder *b, uint32_t depth, bool claims)
{
    k_outside before = b->outside;
    b->outside = (k_outside){.wanted = true, .claims = claims, .depth = (uint16_t)depth};
    return before;
}

/* Closing a scope forgets the values numbered in it, and what was known there. */
void kb_pop_scope(k_builder *b)
{
    while (b->given.len && b->given.at[b->given.len - 1].depth + 1 >= b->scopes.len)
        b->given.len--;
    kb_forget(b, b->scopes.at[b->scopes.len - 1].log);
    b->scopes.len--;
}

bool kb_init(k_builder *b, k_program *p)
{
    *b = (k_builder){.p = p};
    p->host = kb_new_block(b);
    kb_push_scope(b, p->host, 0);
    return !b->failed;
}

void kb_release(k_builder *b)
{
    mem *m = &b->p->cx->mem;
    vec_free(m, &b->scopes);
    vec_free(m, &b->log);
    vec_free(m, &b->stamps);
    vec_free(m, &b->given);
    mem_free(m, b->table, b->table_cap * sizeof *b->table);
    b->table = NULL;
}
