/* Inner loops of the host over the state of an outer one, which lends them its memory.
 *
 *   for { inner = alloc n; launch { copy state to inner }; for { ... inner ... }; launch { copy inner to other }; swap state, other }
 *   for { for { ... state ... } }
 *
 * A loop begins with a copy of what it is given, since that may be asked for afterwards, and hands on what it has made to the
 * loop around it by another copy.  Where nobody names the state and its other memory in between, both copies are left out, and
 * the swap: the inner loop works in the state's memory.  So loops inside one another that change a table cost what they change.
 *
 * Of inner loops after one another each begins with a copy of what the one before it has made, which nobody names any more: all work
 * in the state's memory.
 *
 * The inner loop may stand in a branch.  Then the second copy is of the state where the branch was not taken:
 *
 *   for { if c { inner = alloc n; launch { copy state to inner }; for { ... inner ... } }
 *         launch { copy c ? inner : state to other }; swap state, other }
 *
 * It is destination-passing, found after the fact. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum { MOST_ARRAYS = 16, MOST_MOVES = 16 }; /* of a tuple, whose components are copied together; loops after one another */

typedef struct lending {
    rebuild r;
    uint32_t *uses; /* by old node */
    bool *gone;     /* by old node: copies and swaps that are left out */
    k_id *lender;   /* by old node: the memory that is named in its place; 0: none */
} lending;

/* A truth that the host knows: of a value, or of its opposite. */
typedef struct truth {
    k_id of;
    bool is;
} truth;

/* A launch, or an if of the host with such in both branches, that copies: element i of to[k] is that of from[k], for all i below
 * the counts; or that of other[k], where something does not hold. */
typedef struct copies {
    k_id from[MOST_ARRAYS], other[MOST_ARRAYS], to[MOST_ARRAYS], counts[2];
    truth where; /* other is 0, and it is not asked: of 0 */
    uint32_t n, ncounts;
} copies;

/* ---- what copies ---- */

static truth truth_of(const k_program *p, k_id v, bool is)
{
    for (const k_node *n = k_at(p, v); n->op == K_SCALAR && n->opcode == SOP_NOT; n = k_at(p, v)) {
        v = n->args[0];
        is = !is;
    }
    return (truth){v, is};
}

/* The memory of which a value is the element at that index; 0: it is none. */
static k_id loaded_from(const k_program *p, k_id v, k_id index)
{
    const k_node *load = k_at(p, v);
    return load->op == K_LOAD && load->args[1] == index ? load->args[0] : 0;
}

/* What is stored, as a pair of memories of which a condition chooses one. */
static bool find_sources(const k_program *p, k_id v, k_id index, k_id from[2], truth *where)
{
    const k_node *n = k_at(p, v), *choice = k_at(p, n->owner);
    from[0] = loaded_from(p, v, index);
    from[1] = 0;
    if (n->op != K_RESULT || choice->op != K_IF)
        return from[0] != 0;
    truth cond = truth_of(p, choice->args[0], true);
    for (int i = 0; i < 2; i++)
        from[cond.is ? i : 1 - i] = loaded_from(p, k_listed(p, k_yield_of(p, choice->blocks[i]), n->number), index);
    bool both = from[0] && from[1];
    if (from[0] == from[1])
        from[1] = 0; /* there is no choice */
    else
        *where = (truth){cond.of, true};
    return both;
}

static bool adds_pair(const k_program *p, const k_node *store, k_id index, copies *c, uint32_t k)
{
    k_id from[2];
    truth where = {0};
    if (store->args[1] != index || k >= MOST_ARRAYS || !find_sources(p, store->args[2], index, from, &where))
        return false;
    if (k == c->n) {
        c->from[k] = from[0];
        c->other[k] = from[1];
        c->to[k] = store->args[0];
        c->where = k ? c->where : where;
        c->n++;
    }
    return c->from[k] == from[0] && c->other[k] == from[1] && c->to[k] == store->args[0] && c->where.of == where.of;
}

static bool reads(uint32_t op)
{
    return op == K_LOAD || op == K_YIELD || k_op_info(op)->class == KC_VALUE;
}

static bool only_reads(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next)
        if (!reads(k_at(p, id)->op))
            return false;
    return true;
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
        bool chooses = n->op == K_IF && only_reads(p, n->blocks[0]) && only_reads(p, n->blocks[1]);
        if (n->op == K_STORE ? !adds_pair(p, n, index, c, k++) : !reads(n->op) && !chooses)
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

static bool same_counts(const copies *x, const copies *y)
{
    bool same = x->n == y->n && x->ncounts == y->ncounts;
    for (uint32_t i = 0; i < x->ncounts && same; i++)
        same = x->counts[i] == y->counts[i];
    return same;
}

/* Copies of what was copied before, of as many elements, to memories as large, which nothing else names but the swap.  Where that was
 * in a branch, of what it was copied from where the branch was not taken. */
static bool goes_on(const lending *s, const copies *in, const copies *out, truth taken)
{
    const k_program *p = s->r.old;
    const k_id *back = out->where.of && !taken.is ? out->other : out->from, *kept = back == out->from ? out->other : out->from;
    bool same = same_counts(in, out) && out->where.of == taken.of;
    for (uint32_t k = 0; k < in->n && same; k++)
        same = in->to[k] == back[k] && (!taken.of || in->from[k] == kept[k]) && in->from[k] != out->to[k] &&
               same_size(p, in->from[k], in->to[k]) && same_size(p, in->to[k], out->to[k]) &&
               s->uses[out->to[k]] == out->ncounts + 1;
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

/* In the statement's block. */
static bool named_behind(const k_program *p, k_id id, const k_id *memories, uint32_t n)
{
    for (k_id rest = k_at(p, id)->next; rest; rest = k_at(p, rest)->next)
        if (names_any(p, rest, memories, n))
            return true;
    return false;
}

/* Whether it is a copy of what `now` has copied to memory of the block, which nobody names behind it. */
static bool moves(const lending *s, k_id id, const copies *now, copies *next)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, id);
    bool may = is_copy(p, n, next) && !next->where.of && same_counts(now, next) && !s->gone[id];
    for (uint32_t k = 0; may && k < now->n; k++)
        may = next->from[k] == now->to[k] && same_size(p, now->to[k], next->to[k]) && k_at(p, next->to[k])->depth == n->depth;
    return may && !named_behind(p, id, now->to, now->n);
}

static void lend(lending *s, k_id copy, const copies *to, const copies *in)
{
    s->gone[copy] = true;
    for (uint32_t k = 0; k < in->n; k++)
        s->lender[to->to[k]] = in->from[k];
}

/* From a copy, or the branch that it stands in, to the one that takes it back. */
static bool lends(lending *s, k_id first, const copies *in, truth taken)
{
    const k_program *p = s->r.old;
    copies now = *in, out;
    k_id moved[MOST_MOVES];
    uint32_t nmoved = 0;
    for (k_id id = k_at(p, first)->next; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_copy(p, n, &out) && goes_on(s, &now, &out, taken)) {
            if (s->gone[id] || named_behind(p, id, now.to, now.n) || !change_places(s, n->next, &now, &out))
                return false;
            s->gone[id] = true;
            for (uint32_t i = 0; i < nmoved && is_copy(p, k_at(p, moved[i]), &out); i++)
                lend(s, moved[i], &out, in);
            return true;
        }
        if (!taken.of && nmoved < MOST_MOVES && moves(s, id, &now, &out)) {
            moved[nmoved++] = id;
            for (uint32_t k = 0; k < now.n; k++)
                now.to[k] = out.to[k];
        } else if (names_any(p, id, in->from, in->n)) {
            return false;
        }
    }
    return false;
}

/* Copies to memories of the block itself, from those of a block around `depth`. */
static bool is_inner_copy(const k_program *p, const k_node *n, uint16_t depth, copies *c)
{
    if ((n->op != K_LAUNCH && n->op != K_IF) || !is_copy(p, n, c) || c->where.of)
        return false;
    for (uint32_t k = 0; k < c->n; k++)
        if (k_at(p, c->to[k])->depth != n->depth || k_at(p, c->from[k])->depth >= depth)
            return false;
    return true;
}

/* Copies in the branches of an `if` of the host, behind which nobody names what they copy. */
static void look_into(lending *s, k_id branches)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, branches);
    copies in;
    for (int i = 0; i < 2; i++)
        for (k_id id = n->blocks[i] ? k_block_at(p, n->blocks[i])->first : 0; id; id = k_at(p, id)->next) {
            if (!is_inner_copy(p, k_at(p, id), n->depth, &in))
                continue;
            if (!named_behind(p, id, in.from, in.n) && lends(s, branches, &in, truth_of(p, n->args[0], i == 0)))
                lend(s, id, &in, &in);
        }
}

static bool statement(rebuild *r, k_id old)
{
    lending *s = (lending *)r;
    const k_node *n = k_at(r->old, old);
    copies in;
    if (r->b.launch_depth)
        return false;
    if (!s->gone[old] && is_inner_copy(r->old, n, n->depth, &in) && lends(s, old, &in, (truth){0}))
        lend(s, old, &in, &in);
    else if (!s->gone[old] && n->op == K_IF)
        look_into(s, old);
    if (s->gone[old] && n->op != K_SWAP && is_copy(r->old, n, &in))
        for (uint32_t k = 0; k < in.n; k++)
            if (s->lender[in.to[k]])
                r->map[in.to[k]] = rebuild_value(r, s->lender[in.to[k]]);
    return s->gone[old];
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
                 .uses = mem_zeroed(m, count * sizeof(uint32_t)),
                 .gone = mem_zeroed(m, count * sizeof(bool)),
                 .lender = mem_zeroed(m, count * sizeof(k_id))};
    bool ok = s.uses && s.gone && s.lender;
    if (ok) {
        k_count_uses_in(p, p->host, s.uses);
        ok = k_rebuild(p, &s.r);
    }
    mem_free(m, s.uses, count * sizeof *s.uses);
    mem_free(m, s.gone, count * sizeof *s.gone);
    mem_free(m, s.lender, count * sizeof *s.lender);
    return ok;
}
