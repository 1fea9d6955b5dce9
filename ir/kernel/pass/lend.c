/* Inner loops of the host over the state of an outer one, which lends them its memory.
 *
 *   for { inner = alloc n; launch { copy state to inner }; for { ... inner ... }; launch { copy inner to other }; swap state, other }
 *   for { for { ... state ... } }
 *
 * A loop begins with a copy of what it is given, since that may be asked for afterwards, and hands on what it has made to the
 * loop around it by another copy.  Where nobody names the state and its other memory in between, both copies are left out, and
 * the swap: the inner loop works in the state's memory.  So loops inside one another that change a table cost what they change.
 *
 * It is destination-passing, found after the fact. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

enum { MOST_ARRAYS = 16 }; /* of a tuple, whose components are copied together */

typedef struct lending {
    rebuild r;
    uint32_t *uses; /* by old node */
    bool *gone;     /* by old node: copies and swaps that are left out */
} lending;

/* A launch, or an if of the host with such in both branches, that copies: element i of to[k] is that of from[k], for all i below
 * the counts. */
typedef struct copies {
    k_id from[MOST_ARRAYS], to[MOST_ARRAYS], counts[2];
    uint32_t n, ncounts;
} copies;

/* ---- what copies ---- */

static bool adds_pair(const k_program *p, const k_node *store, k_id index, copies *c, uint32_t k)
{
    const k_node *load = k_at(p, store->args[2]);
    if (load->op != K_LOAD || load->args[1] != index || store->args[1] != index || k >= MOST_ARRAYS)
        return false;
    if (k == c->n) {
        c->from[k] = load->args[0];
        c->to[k] = store->args[0];
        c->n++;
    }
    return c->from[k] == load->args[0] && c->to[k] == store->args[0];
}

/* The second launch of two is to copy the same in the same order. */
static bool launch_copies(const k_program *p, const k_node *launch, copies *c)
{
    k_id par = k_block_at(p, launch->blocks[0])->first;
    const k_node *loop = k_at(p, par);
    uint32_t k = 0;
    if (loop->op != K_PAR || loop->workers != OVER_GRID || c->ncounts == 2)
        return false;
    k_id behind = loop->next, index = k_block_at(p, loop->blocks[0])->params;
    if (behind && k_at(p, behind)->op != K_YIELD)
        return false;
    c->counts[c->ncounts++] = loop->args[0];
    for (k_id id = k_block_at(p, loop->blocks[0])->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_STORE ? !adds_pair(p, n, index, c, k++)
                             : n->op != K_LOAD && n->op != K_YIELD && k_op_info(n->op)->class != KC_VALUE)
            return false;
    }
    return k > 0 && k == c->n;
}

/* The only statement of a block that is no value; 0: there are others. */
static k_id lone_statement(const k_program *p, k_block b)
{
    k_id found = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        uint32_t op = k_at(p, id)->op;
        if (op == K_YIELD || k_op_info(op)->class == KC_VALUE)
            continue;
        if (found)
            return 0;
        found = id;
    }
    return found;
}

static bool is_copy(const k_program *p, const k_node *n, copies *c)
{
    *c = (copies){0};
    if (n->op == K_LAUNCH)
        return launch_copies(p, n, c);
    if (n->op != K_IF || n->nresults)
        return false;
    for (int i = 0; i < 2; i++) {
        const k_node *in = k_at(p, lone_statement(p, n->blocks[i]));
        if (in->op != K_LAUNCH || !launch_copies(p, in, c))
            return false;
    }
    return true;
}

/* ---- who names a memory ---- */

static bool names_any(const k_program *p, k_id id, const k_id *memories, uint32_t n);

static bool block_names(const k_program *p, k_block b, const k_id *memories, uint32_t n)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next)
        if (names_any(p, id, memories, n))
            return true;
    return false;
}

static bool is_among(k_id x, const k_id *memories, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (x && memories[i] == x)
            return true;
    return false;
}

static bool names_any(const k_program *p, k_id id, const k_id *memories, uint32_t n)
{
    const k_node *s = k_at(p, id);
    for (int i = 0; i < 3; i++)
        if (is_among(s->args[i], memories, n))
            return true;
    for (uint32_t i = 0; i < s->nlist; i++)
        if (is_among(k_listed(p, s, i), memories, n))
            return true;
    return block_names(p, s->blocks[0], memories, n) || block_names(p, s->blocks[1], memories, n);
}

/* ---- what is lent ---- */

static bool same_size(const k_program *p, k_id x, k_id y)
{
    const k_node *a = k_at(p, x), *b = k_at(p, y);
    return a->op == K_ALLOC && b->op == K_ALLOC && a->space == SPACE_GLOBAL && b->space == SPACE_GLOBAL && !a->kept && !b->kept &&
           a->type == b->type && a->args[0] == b->args[0];
}

/* Copies of what was copied before, of as many elements, to memories as large, which nothing else names but the swap. */
static bool goes_on(const lending *s, const copies *in, const copies *out)
{
    const k_program *p = s->r.old;
    bool same = in->n == out->n && in->ncounts == out->ncounts;
    for (uint32_t i = 0; i < in->ncounts && same; i++)
        same = in->counts[i] == out->counts[i];
    for (uint32_t k = 0; k < in->n && same; k++)
        same = in->to[k] == out->from[k] && in->from[k] != out->to[k] && same_size(p, in->from[k], in->to[k]) &&
               same_size(p, in->to[k], out->to[k]) && s->uses[out->to[k]] == out->ncounts + 1;
    return same;
}

/* Behind the second copy each state changes places with its other memory, in any order, before anything else is done with
 * them; then the swaps are noted. */
static bool change_places(lending *s, k_id from, const copies *in, const copies *out)
{
    const k_program *p = s->r.old;
    k_id found[MOST_ARRAYS] = {0};
    uint32_t left = in->n;
    for (k_id id = from; id && left; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        uint32_t k = 0;
        while (k < in->n && !(n->op == K_SWAP && !found[k] && n->args[0] == in->from[k] && n->args[1] == out->to[k]))
            k++;
        if (k < in->n) {
            found[k] = id;
            left--;
        } else if (names_any(p, id, in->from, in->n)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < in->n && !left; k++)
        s->gone[found[k]] = true;
    return !left;
}

/* From a copy to the one that takes it back. */
static bool lends(lending *s, k_id first, const copies *in)
{
    const k_program *p = s->r.old;
    copies out;
    for (k_id id = k_at(p, first)->next; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_copy(p, n, &out) && goes_on(s, in, &out)) {
            bool back = !s->gone[id];
            for (k_id rest = n->next; rest && back; rest = k_at(p, rest)->next)
                back = !names_any(p, rest, in->to, in->n);
            if (!back || !change_places(s, n->next, in, &out))
                return false;
            s->gone[id] = true;
            return true;
        }
        if (names_any(p, id, in->from, in->n))
            return false;
    }
    return false;
}

/* Memories of the block itself, which is a loop's. */
static bool are_own(const k_program *p, const copies *c, uint16_t depth)
{
    for (uint32_t k = 0; k < c->n; k++)
        if (k_at(p, c->to[k])->depth != depth || k_at(p, c->from[k])->depth >= depth)
            return false;
    return true;
}

static bool statement(rebuild *r, k_id old)
{
    lending *s = (lending *)r;
    const k_node *n = k_at(r->old, old);
    copies in;
    if (r->b.launch_depth)
        return false;
    if (s->gone[old])
        return true;
    if ((n->op != K_LAUNCH && n->op != K_IF) || !is_copy(r->old, n, &in) || !are_own(r->old, &in, n->depth) || !lends(s, old, &in))
        return false;
    for (uint32_t k = 0; k < in.n; k++)
        r->map[in.to[k]] = rebuild_value(r, in.from[k]);
    return true;
}

static bool any_swap(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_SWAP || (n->op != K_LAUNCH && (any_swap(p, n->blocks[0]) || any_swap(p, n->blocks[1]))))
            return true;
    }
    return false;
}

bool k_lend(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t count = p->nodes.len;
    if (!any_swap(p, p->host))
        return true;
    lending s = {.r.statement = statement,
                 .uses = mem_resize(m, NULL, 0, count * sizeof(uint32_t)),
                 .gone = mem_resize(m, NULL, 0, count * sizeof(bool))};
    bool ok = s.uses && s.gone;
    if (ok) {
        memset(s.uses, 0, count * sizeof *s.uses);
        memset(s.gone, 0, count * sizeof *s.gone);
        k_count_uses(p, s.uses);
        ok = k_rebuild(p, &s.r);
    }
    mem_free(m, s.uses, count * sizeof *s.uses);
    mem_free(m, s.gone, count * sizeof *s.gone);
    return ok;
}
