/* Dead code: keeps the outputs and what they need, unlinks the rest.
 *
 * A store is needed when its memory is; a memory when something needed loads from it or it is an
 * output; a structured statement when something in it is needed.  Barriers stay where the statement
 * around them stays. */
#include "ir/kernel/pass/pass.h"

#include <string.h>

typedef struct sweep {
    k_program *p;
    k_id *owner;      /* statement whose block holds the node */
    k_id *next_store; /* stores to the same memory, linked from the memory */
    vec_u32 work;
    bool ok;
} sweep;

static void need(sweep *s, k_id n)
{
    if (!n || k_at(s->p, n)->mark)
        return;
    k_at(s->p, n)->mark = 1;
    s->ok = vec_push(&s->p->cx->mem, &s->work, n) && s->ok;
}

static void need_list(sweep *s, const k_node *n)
{
    for (uint32_t i = 0; i < n->nlist; i++)
        need(s, k_listed(s->p, n, i));
}

static void visit(sweep *s, k_id id)
{
    const k_node n = *k_at(s->p, id);
    for (int i = 0; i < 3; i++)
        need(s, n.op == K_PARAM ? 0 : n.args[i]);
    need_list(s, &n);
    need(s, s->owner[id]);
    for (int i = 0; i < 2; i++)
        if (n.blocks[i])
            need_list(s, k_yield_of(s->p, n.blocks[i]));
    if (n.op == K_ALLOC || n.op == K_BUFFER)
        for (k_id st = s->next_store[id]; st; st = s->next_store[st])
            need(s, st);
}

/* Notes owners and stores, and starts from the outputs. */
static void index_block(sweep *s, k_block b, k_id owner)
{
    const k_blocks *bl = k_block_at(s->p, b);
    for (uint32_t i = 0; i < bl->nparams; i++)
        s->owner[bl->params + i] = owner;
    for (k_id n = bl->first; n; n = k_at(s->p, n)->next) {
        k_node *node = k_at(s->p, n);
        node->mark = 0;
        s->owner[n] = owner;
        if (node->op == K_STORE || node->op == K_STOREWIDE || node->op == K_ATOMIC) {
            s->next_store[n] = s->next_store[node->args[0]];
            s->next_store[node->args[0]] = n;
        }
        for (int i = 0; i < 2; i++)
            if (node->blocks[i])
                index_block(s, node->blocks[i], n);
    }
}

static void find_outputs(sweep *s)
{
    for (k_id n = k_block_at(s->p, s->p->host)->first; n; n = k_at(s->p, n)->next)
        if (k_at(s->p, n)->op == K_OUTPUT)
            need(s, n);
}

static void unlink_dead(k_program *p, k_block b)
{
    k_blocks *bl = k_block_at(p, b);
    k_id last = 0, next;
    for (k_id n = bl->first; n; n = next) {
        k_node *node = k_at(p, n), *before = k_at(p, last);
        next = node->next;
        bool again = node->op == K_SYNC &&
                     before->op == K_SYNC; /* two barriers in a row are the stronger one */
        if (again && node->sub > before->sub)
            before->sub = node->sub;
        if (again || (!node->mark && node->op != K_SYNC && node->op != K_YIELD))
            continue;
        for (int i = 0; i < 2; i++)
            if (node->blocks[i])
                unlink_dead(p, node->blocks[i]);
        if (last)
            before->next = n;
        else
            bl->first = n;
        last = n;
        node->next = 0;
    }
    bl->last = last;
}

/* What bounded a value and is gone bounds it no longer. */
static void forget_bounds(k_program *p)
{
    for (k_id n = 1; n < p->nodes.len; n++) {
        k_node *node = k_at(p, n);
        bool carried = node->op == K_PARAM && node->sub > 0;
        if (node->bound && !k_at(p, node->bound)->mark)
            node->bound = 0;
        if (carried && node->args[1] && !k_at(p, node->args[1])->mark)
            node->args[1] = 0;
    }
}

bool k_dce(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    sweep s = {.p = p,
               .owner = mem_resize(m, NULL, 0, size),
               .next_store = mem_resize(m, NULL, 0, size),
               .ok = true};
    if (s.owner && s.next_store) {
        memset(s.owner, 0, size);
        memset(s.next_store, 0, size);
        for (k_id n = 0; n < p->nodes.len; n++)
            k_at(p, n)->mark = 0;
        index_block(&s, p->host, 0);
        find_outputs(&s);
        while (s.work.len && s.ok)
            visit(&s, s.work.at[--s.work.len]);
        if (s.ok) {
            forget_bounds(p);
            unlink_dead(p, p->host);
        }
    }
    bool ok = s.owner && s.next_store && s.ok;
    mem_free(m, s.owner, size);
    mem_free(m, s.next_store, size);
    vec_free(m, &s.work);
    return ok;
}
