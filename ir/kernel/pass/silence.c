/* Stores of what is there already, in arrays of blocks that are overwritten where they are: silent
 * stores, as they are called.
 *
 *   x = load a, i; y = if c { ... yield z } else { yield x }; store a, i, y
 *   if c { ... store a, i, z }
 *
 * That is so for what a branch yields that loaded it, with nothing between the load and the store
 * that writes.  Other threads write the element neither before nor after this one without a barrier
 * between, as a program has no races.
 *
 * What is left may be turns that do nothing: where all that a turn does hangs on i + a < b, of
 * which the loop changes only i, threads go as far as b - a (index set splitting, with nothing
 * beyond).  So a step of a reduction is a loop over the pairs that there are.  Where blocks are
 * threads of a CPU, a store of every element is what becomes a vector, so nothing is done there. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/build/rebuild.h"

enum { MOST_STORES = 8 }; /* of one if: elements of tuples */

typedef struct silence {
    rebuild r;
    uint32_t *uses; /* by old node */
    bool *done;     /* by old node: stores that stand in branches now */
    bool any;
} silence;

/* An if each of whose results is stored, and the branch that yields what was there. */
typedef struct silent {
    k_id stores[MOST_STORES]; /* by result */
    int same;
} silent;

/* ---- stores ---- */

/* Values, loads and ifs of them alone: nothing that another statement can tell. */
static bool only_reads(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool quiet = k_op_info(n->op)->class == KC_VALUE || n->op == K_LOAD || n->op == K_YIELD ||
                     (n->op == K_IF && only_reads(p, n->blocks[0]) && only_reads(p, n->blocks[1]));
        if (!quiet)
            return false;
    }
    return true;
}

static bool is_local(const k_program *p, k_id memory)
{
    return k_at(p, memory)->op == K_ALLOC && k_at(p, memory)->space == SPACE_LOCAL;
}

/* The stores of all results, which come before anything else that they could change or that another
 * thread could tell. */
static bool find_stores(const silence *s, const k_node *n, silent *f)
{
    const k_program *p = s->r.old;
    uint32_t found = 0;
    for (k_id id = n->next; id && found < n->nresults; id = k_at(p, id)->next) {
        const k_node *st = k_at(p, id);
        uint32_t k = st->args[2] - n->results;
        if (st->op == K_STORE && st->args[2] >= n->results && k < n->nresults) {
            if (f->stores[k] || s->uses[st->args[2]] != 1 || !is_local(p, st->args[0]))
                return false;
            f->stores[k] = id;
            found++;
        } else if (k_op_info(st->op)->class != KC_VALUE &&
                   (st->op != K_LOAD || is_local(p, st->args[0]))) {
            return false;
        }
    }
    return found == n->nresults;
}

/* Whether a load stands in the block, or in front of the if with only what reads between; the if
 * stands there itself. */
static bool stands_before(const k_program *p, k_id load, k_id stmt, k_block branch)
{
    for (k_id id = k_block_at(p, branch)->first; id; id = k_at(p, id)->next)
        if (id == load)
            return true;
    for (k_id id = k_at(p, load)->next; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (id == stmt)
            return true;
        if (k_op_info(n->op)->class != KC_VALUE && n->op != K_LOAD &&
            !(n->op == K_IF && only_reads(p, n->blocks[0]) && only_reads(p, n->blocks[1])))
            return false;
    }
    return false;
}

/* Whether a branch yields of each result what is where it is stored. */
static bool yields_same(const k_program *p, k_id stmt, const silent *f, int branch)
{
    const k_node *n = k_at(p, stmt), *yield = k_yield_of(p, n->blocks[branch]);
    for (uint32_t k = 0; k < n->nresults; k++) {
        k_id load = k_listed(p, yield, k);
        const k_node *l = k_at(p, load), *st = k_at(p, f->stores[k]);
        if (l->op != K_LOAD || l->args[0] != st->args[0] || l->args[1] != st->args[1] ||
            !stands_before(p, load, stmt, n->blocks[branch]))
            return false;
    }
    return true;
}

static bool is_silent(const silence *s, k_id stmt, silent *f)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, stmt);
    *f = (silent){0};
    if (n->op != K_IF || !n->nresults || n->nresults > MOST_STORES || !find_stores(s, n, f) || !only_reads(p, n->blocks[0]) || !only_reads(p, n->blocks[1]))
        return false;
    f->same = yields_same(p, stmt, f, 0) ? 0 : 1;
    return f->same == 0 || yields_same(p, stmt, f, 1);
}

/* The branch that changes something, with the stores at its end; the other one is empty. */
static bool store_inside(rebuild *r, k_id old)
{
    silence *s = (silence *)r;
    const k_node n = *k_at(r->old, old);
    silent f;
    int64_t known;
    if (s->done[old])
        return true;
    if (!is_silent(s, old, &f) || k_is_const(r->b.p, rebuild_value(r, n.args[0]), &known))
        return false;
    const k_block other = n.blocks[1 - f.same];
    kb_open_if(&r->b, rebuild_value(r, n.args[0]));
    if (f.same == 0)
        kb_next_block(&r->b, NULL, 0);
    rebuild_block(r, other);
    for (uint32_t k = 0; k < n.nresults; k++) {
        const k_node *st = k_at(r->old, f.stores[k]);
        kb_store(&r->b, rebuild_value(r, st->args[0]), rebuild_value(r, st->args[1]),
                 rebuild_value(r, k_listed(r->old, k_yield_of(r->old, other), k)));
        s->done[f.stores[k]] = s->any = true;
    }
    if (f.same == 1)
        kb_next_block(&r->b, NULL, 0);
    kb_close(&r->b, NULL, 0);
    return true;
}

/* ---- turns ---- */

/* The one if of a body that does nothing else, and nothing where the condition fails; or 0. */
static k_id only_if(const k_program *p, k_block body)
{
    k_id found = 0;
    for (k_id id = k_block_at(p, body)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_IF && !found)
            found = id;
        else if (k_op_info(n->op)->class != KC_VALUE && n->op != K_LOAD && n->op != K_YIELD)
            return 0;
    }
    const k_node *when = k_at(p, found);
    return found && !when->nresults && only_reads(p, when->blocks[1]) ? found : 0;
}

/* For the condition i + a < b, whose sum does not wrap, of what is known in front of the loop, b -
 * a. */
static k_id last_turn(rebuild *r, const k_node *par, const k_node *when)
{
    const k_program *p = r->old;
    const k_node *lt = k_at(p, when->args[0]), *sum = k_at(p, lt->args[0]);
    k_id i = k_block_at(p, par->blocks[0])->params;
    int side = sum->args[0] == i ? 0 : 1;
    if (lt->op != K_SCALAR || lt->opcode != SOP_LT || sum->op != K_SCALAR ||
        sum->opcode != SOP_ADD || sum->exact != PROVED || sum->type != ST_I32 ||
        sum->args[side] != i)
        return 0;
    k_id a = sum->args[1 - side];
    if (k_lo(p, a) < 0 || k_lo(p, lt->args[1]) < 0 || k_at(p, a)->depth > par->depth ||
        k_at(p, lt->args[1])->depth > par->depth)
        return 0;
    return kb_sub(&r->b, rebuild_value(r, lt->args[1]), rebuild_value(r, a));
}

typedef struct shortening {
    rebuild r;
    k_id always; /* the if whose condition holds in all turns that are left */
} shortening;

/* The limit is as it was where it is less. */
static bool shorten(rebuild *r, k_id old)
{
    shortening *s = (shortening *)r;
    const k_node par = *k_at(r->old, old);
    if (old == s->always) {
        rebuild_block(r, par.blocks[0]);
        return true;
    }
    k_id when = par.op == K_PAR && par.workers == OVER_THREADS ? only_if(r->old, par.blocks[0]) : 0;
    k_id n = when ? last_turn(r, &par, k_at(r->old, when)) : 0;
    if (!n)
        return false;
    k_builder *b = &r->b;
    k_id limit = rebuild_value(r, par.args[0]);
    n = kb_max(b, ka_not_above(b, n, limit) ? n : kb_min(b, n, limit), kb_int(b, 0));
    k_id stmt = kb_open_par(b, OVER_THREADS, n);
    s->always = when;
    rebuild_params(r, old, stmt, 0);
    rebuild_block(r, par.blocks[0]);
    kb_close(b, NULL, 0);
    return true;
}

static bool any_silent(const silence *s)
{
    bool any = false;
    silent f;
    for (k_id id = 1; id < s->r.old->nodes.len && !any; id++)
        any = is_silent(s, id, &f);
    return any;
}

bool k_silence(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len, uses = n * sizeof(uint32_t);
    if (p->target.facts.serial || p->target.facts.simd)
        return true;
    silence s = {.r = {.old = p, .statement = store_inside},
                 .uses = mem_zeroed(m, uses),
                 .done = mem_zeroed(m, n)};
    bool ok = s.uses && s.done;
    if (ok)
        k_count_uses(p, s.uses);
    ok = ok && (!any_silent(&s) || k_rebuild(p, &s.r));
    mem_free(m, s.uses, uses);
    mem_free(m, s.done, n);
    return ok && (!s.any || k_rebuild(p, &(shortening){.r.statement = shorten}.r));
}
