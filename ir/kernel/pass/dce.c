/* Dead code: keeps the outputs and what they need, unlinks the rest.  This is aggressive dead code
 * elimination: mark from the outputs, then sweep.
 *
 * A store is needed when its memory is; a memory when something needed loads from it or it is an
 * output; a structured statement when something in it is needed.  Barriers stay where the statement
 * around them stays.  When others were removed because of them (barriers.c), the strongest in a
 * statement of a kernel takes its place. */
#include "ir/kernel/kir.h"

typedef struct sweep {
    k_program *p;
    k_id *owner;      /* statement whose block holds the node */
    k_id *next_store; /* stores to the same memory, linked from the memory */
    bool *needed;     /* by node */
    vec_u32 work;
    bool ok;
} sweep;

static void need(sweep *s, k_id n)
{
    if (!n || s->needed[n])
        return;
    s->needed[n] = true;
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
        need(s, n.args[i]);
    need_list(s, &n);
    need(s, n.owner);
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
        const k_node *node = k_at(s->p, n);
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

/* The strongest barrier in the blocks of a statement, or 0. */
static k_id strongest_sync(const k_program *p, k_id region)
{
    k_id best = 0;
    for (int i = 0; i < 2; i++) {
        k_block b = k_at(p, region)->blocks[i];
        for (k_id n = b ? k_block_at(p, b)->first : 0; n; n = k_at(p, n)->next) {
            k_id sync = k_at(p, n)->op == K_SYNC ? n
                        : k_at(p, n)->blocks[0]  ? strongest_sync(p, n)
                                                 : 0;
            if (sync && (!best || k_at(p, sync)->level > k_at(p, best)->level))
                best = sync;
        }
    }
    return best;
}

/* What stays of a statement: itself, a barrier, or nothing. */
static k_id what_stays(const sweep *s, k_id n, bool in_launch)
{
    k_program *p = s->p;
    const k_node *node = k_at(p, n);
    if (s->needed[n] || node->op == K_SYNC || node->op == K_YIELD)
        return n;
    k_id sync = in_launch && p->barriers_counted && node->blocks[0] ? strongest_sync(p, n) : 0;
    if (sync)
        k_at(p, sync)->depth = node->depth;
    return sync;
}

static void unlink_dead(const sweep *s, k_block b, bool in_launch)
{
    k_program *p = s->p;
    k_blocks *bl = k_block_at(p, b);
    k_id last = 0, next;
    for (k_id n = bl->first; n; n = next) {
        next = k_at(p, n)->next;
        n = what_stays(s, n, in_launch);
        k_node *node = k_at(p, n), *before = k_at(p, last);
        bool again = node->op == K_SYNC &&
                     before->op == K_SYNC; /* two barriers in a row are the stronger one */
        if (again && node->level > before->level)
            before->level = node->level;
        if (again || !n)
            continue;
        for (int i = 0; i < 2; i++)
            if (node->blocks[i])
                unlink_dead(s, node->blocks[i], in_launch || node->op == K_LAUNCH);
        if (last)
            before->next = n;
        else
            bl->first = n;
        last = n;
        node->next = 0;
    }
    bl->last = last;
}

bool k_dce(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    sweep s = {.p = p,
               .owner = mem_zeroed(m, size),
               .next_store = mem_zeroed(m, size),
               .needed = mem_zeroed(m, p->nodes.len * sizeof *s.needed),
               .ok = true};
    bool ok = s.owner && s.next_store && s.needed;
    if (ok) {
        index_block(&s, p->host, 0);
        find_outputs(&s);
        while (s.work.len && s.ok)
            visit(&s, s.work.at[--s.work.len]);
        ok = s.ok;
        if (ok)
            unlink_dead(&s, p->host, false);
    }
    mem_free(m, s.owner, size);
    mem_free(m, s.next_store, size);
    mem_free(m, s.needed, p->nodes.len * sizeof *s.needed);
    vec_free(m, &s.work);
    return ok;
}
