/* What every turn of a loop loads anew, and asks anew: the first time is in front, and the turns have it from there.
 * Loop-invariant code motion of loads and checks.
 *
 *   for j = 0, n { x = load a, i; ... }        x = load a, i; for j = 0, n { ... }
 *
 * The builder places values outside of loops, and leaves loads and checks where they are, since a loop may have no turn: only those
 * at the head of a loop that is sure to have one leave it, with what they are made of, and branches with nothing else in them.
 * C compilers know no better, as what a kernel reports is an atomic step, which nothing passes.  The loop must not change what is
 * read: it has neither stores to that memory nor anything by which threads wait for one another.
 *
 * Then the first turn stands in front as well, where it is short: what it loads beside is under way together with what has left. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

typedef struct moving {
    rebuild r;
    bool *moved; /* by old value: it stands in front of its loop already */
} moving;

typedef struct loop_head {
    const moving *m;
    const k_program *p;
    const k_node *loop;
} loop_head;

static bool may_leave(const loop_head *h, const k_node *n);

/* Whether the memory has other elements behind a statement: those stored there, or those of the memory that it is from then on. */
static bool stores_to(const k_node *n, k_id memory)
{
    bool changes = n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_SWAP || n->op == K_RESIZE || n->op == K_RECEIVE;
    return changes && (n->args[0] == memory || (n->op == K_SWAP && n->args[1] == memory));
}

/* Whether a block, or one inside, stores to the memory, or may wait for other threads. */
static bool may_change(const k_program *p, k_block b, k_id memory)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (stores_to(n, memory) || n->op == K_ATOMIC || n->op == K_SYNC || n->op == K_WHILE || n->op == K_SHUFFLE)
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && may_change(p, n->blocks[i], memory))
                return true;
    }
    return false;
}

/* Whether a value is there in front of the loop, or made within a branch that is looked at. */
static bool is_there(const loop_head *h, k_id v)
{
    return !v || k_at(h->p, v)->op == K_CONST || k_at(h->p, v)->depth != h->loop->depth + 1 || h->m->moved[v];
}

static bool all_there(const loop_head *h, const k_node *n)
{
    bool all = true;
    for (int i = 0; i < 3 && all; i++)
        all = is_there(h, n->args[i]);
    for (uint32_t i = 0; i < n->nlist && all; i++)
        all = is_there(h, k_listed(h->p, n, i));
    return all;
}

static bool all_leave(const loop_head *h, k_block b)
{
    bool all = true;
    for (k_id id = k_block_at(h->p, b)->first; id && all; id = k_at(h->p, id)->next)
        all = may_leave(h, k_at(h->p, id));
    return all;
}

/* What does nothing but load and ask. */
static bool is_quiet(const k_node *n)
{
    return k_op_info(n->op)->class == KC_VALUE || n->op == K_LOAD || n->op == K_CHECK || n->op == K_IF || n->op == K_YIELD ||
           n->op == K_RESULT;
}

static bool may_leave(const loop_head *h, const k_node *n)
{
    if (!is_quiet(n) || !all_there(h, n) || (n->op == K_LOAD && may_change(h->p, h->loop->blocks[0], n->args[0])))
        return false;
    return n->op != K_IF || (all_leave(h, n->blocks[0]) && all_leave(h, n->blocks[1]));
}

static bool are_quiet(const k_program *p, k_block b)
{
    bool quiet = true;
    for (k_id id = k_block_at(p, b)->first; id && quiet; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        quiet = is_quiet(n) && (n->op != K_IF || (are_quiet(p, n->blocks[0]) && are_quiet(p, n->blocks[1])));
    }
    return quiet;
}

static void leave(moving *m, k_id id)
{
    const k_node *n = k_at(m->r.old, id);
    rebuild_copy(&m->r, id);
    m->moved[id] = true;
    for (uint32_t i = 0; i < n->nresults; i++)
        m->moved[n->results + i] = true;
}

static bool are_branches_quiet(const k_program *p, const k_node *n)
{
    return n->op != K_IF || (are_quiet(p, n->blocks[0]) && are_quiet(p, n->blocks[1]));
}

/* Where a loop's head ends: at the first statement that does something. */
static bool ends_head(const k_program *p, const k_node *n)
{
    return !is_quiet(n) || n->op == K_YIELD || !are_branches_quiet(p, n);
}

/* Up to the first statement that does something: first what asks nothing, so that no load waits for a branch that comes before it.
 * Whether there are loads among what leaves. */
static bool empty_head(moving *m, const k_node *loop, bool asks)
{
    bool loads = false;
    const k_program *p = m->r.old;
    loop_head h = {.m = m, .p = p, .loop = loop};
    for (k_id id = k_block_at(p, loop->blocks[0])->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (ends_head(p, n))
            break;
        if (m->moved[id] || (!asks && (n->op == K_IF || n->op == K_CHECK)) || !may_leave(&h, n))
            continue;
        leave(m, id);
        loads = loads || n->op == K_LOAD;
    }
    return loads;
}

/* ---- the first turn ---- */

enum { MOST_COPIED = 128 };

/* Statements of a block and those inside, as far as they count. */
static uint32_t count_statements(const k_program *p, k_block b)
{
    uint32_t all = 0;
    for (k_id id = k_block_at(p, b)->first; id && all <= MOST_COPIED; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        all++;
        for (int i = 0; i < 2; i++)
            all += n->blocks[i] ? count_statements(p, n->blocks[i]) : 0;
    }
    return all;
}

/* What has left loops inside, in the turn that was copied, is to leave them anew in the next copy: its values are others there. */
static void forget(moving *m, k_block b, bool inside)
{
    for (k_id id = k_block_at(m->r.old, b)->first; id; id = k_at(m->r.old, id)->next) {
        const k_node *n = k_at(m->r.old, id);
        for (uint32_t i = 0; inside && i < n->nresults; i++)
            m->moved[n->results + i] = false;
        if (inside)
            m->moved[id] = false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                forget(m, n->blocks[i], inside || n->op == K_FOR);
    }
}

/* The first turn stands in front, where it loads beside what has left the loop: all of it is under way at once then. */
static bool part_first(moving *m, const k_node *loop)
{
    rebuild *r = &m->r;
    k_builder *b = &r->b;
    k_id variable = k_block_at(r->old, loop->blocks[0])->params, at[3];
    if (loop->nresults || r->old->target.facts.serial || count_statements(r->old, loop->blocks[0]) > MOST_COPIED)
        return false;
    for (int i = 0; i < 3; i++)
        at[i] = rebuild_value(r, loop->args[i]);
    r->map[variable] = at[0];
    rebuild_block(r, loop->blocks[0]);
    forget(m, loop->blocks[0], false);
    k_id rest = kb_open_for(b, kb_add(b, at[0], at[2]), at[1], at[2], NULL, 0);
    k_at(b->p, rest)->independent = loop->independent;
    k_at(b->p, rest)->unordered = loop->unordered;
    r->map[variable] = kb_param(b, rest, 0);
    rebuild_block(r, loop->blocks[0]);
    kb_close(b, NULL, 0);
    return true;
}

/* A loop that is sure to have a turn. */
static bool has_turn(const k_program *p, const k_node *n)
{
    return n->op == K_FOR && k_hi(p, n->args[0]) < k_lo(p, n->args[1]);
}

static bool statement(rebuild *r, k_id old)
{
    moving *m = (moving *)r;
    const k_node n = *k_at(r->old, old);
    if (m->moved[old])
        return true;
    if (!has_turn(r->old, &n))
        return false;
    bool loads = empty_head(m, &n, false);
    loads = empty_head(m, &n, true) || loads;
    return loads && part_first(m, &n);
}

/* Whether a load or question would be the first to leave a loop's head. */
static bool may_begin(const moving *m, const k_node *loop)
{
    const k_program *p = m->r.old;
    loop_head h = {.m = m, .p = p, .loop = loop};
    bool may = false;
    for (k_id id = k_block_at(p, loop->blocks[0])->first; id && !may; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (ends_head(p, n))
            break;
        may = k_op_info(n->op)->class != KC_VALUE && may_leave(&h, n);
    }
    return may;
}

static bool any_leaves(const moving *m)
{
    bool any = false;
    for (k_id id = 1; id < m->r.old->nodes.len && !any; id++) {
        const k_node *n = k_at(m->r.old, id);
        any = has_turn(m->r.old, n) && may_begin(m, n);
    }
    return any;
}

bool k_invariants(k_program *p)
{
    mem *mm = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(bool);
    moving m = {.r = {.old = p, .statement = statement}, .moved = mem_zeroed(mm, size)};
    bool ok = m.moved && (!any_leaves(&m) || k_rebuild(p, &m.r));
    mem_free(mm, m.moved, size);
    return ok;
}
