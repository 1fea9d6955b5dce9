/* One walk over a program: see accesses.h. */
#include "ir/kernel/analysis/accesses.h"

typedef struct walk {
    const k_program *p;
    k_accesses *to;
    k_id *last; /* by memory */
} walk;

static void add(walk *w, k_id memory, k_id access)
{
    if (w->last[memory])
        w->to->next[w->last[memory]] = access;
    else
        w->to->first[memory] = access;
    w->last[memory] = access;
}

static void find_in(walk *w, k_block b)
{
    for (k_id id = k_block_at(w->p, b)->first; id; id = k_at(w->p, id)->next) {
        const k_node *n = k_at(w->p, id);
        uint32_t op = n->args[0] ? k_at(w->p, n->args[0])->op : K_NONE;
        if (op == K_ALLOC || op == K_BUFFER)
            add(w, n->args[0], id);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_in(w, n->blocks[i]);
    }
}

bool k_accesses_find(const k_program *p, k_accesses *out)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    *out = (k_accesses){mem_zeroed(m, size), mem_zeroed(m, size), p->nodes.len};
    walk w = {p, out, mem_zeroed(m, size)};
    bool ok = out->first && out->next && w.last;
    if (ok)
        find_in(&w, p->host);
    mem_free(m, w.last, size);
    return ok;
}

void k_accesses_free(const k_program *p, k_accesses *a)
{
    mem *m = &p->cx->mem;
    mem_free(m, a->first, a->n * sizeof(k_id));
    mem_free(m, a->next, a->n * sizeof(k_id));
}
