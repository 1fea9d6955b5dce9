/* Strength reduction: quotient and remainder of a loop's variable by a value that the loop does
 * not change are carried from turn to turn, so that the loop divides no more.  It is the reduction
 * of operator strength on induction variables, for quot and rem.
 *
 * With d the divisor and s the step, the remainder grows by s rem d and drops by d where it would
 * reach d; the quotient grows by s quot d, and by one more where that happens.  Constant divisors
 * stay: they cost a multiplication, and the builder folds them.  So do loops with barriers,
 * which have no quick turns, and loops of few turns. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/build/rebuild.h"

enum { MOST_DIVISIONS = 16, MOST_DIVISORS = 4 };

/* What a loop divides by one divisor. */
typedef struct divisor {
    k_id old, value; /* in the old program and in the new one */
    k_id step_quotient, step_rest;
} divisor;

typedef struct divisions {
    k_id at[MOST_DIVISIONS]; /* old nodes */
    uint32_t which[MOST_DIVISIONS];
    uint32_t n;
    divisor by[MOST_DIVISORS];
    uint32_t nby;
} divisions;

/* ---- finding ---- */

static bool is_division(const k_node *n)
{
    return n->op == K_SCALAR && (n->opcode == SOP_QUOT || n->opcode == SOP_REM);
}

static void add_division(const k_program *p, divisions *f, k_id id)
{
    k_id by = k_at(p, id)->args[1];
    uint32_t i = 0;
    while (i < f->nby && f->by[i].old != by)
        i++;
    if (i == MOST_DIVISORS || f->n == MOST_DIVISIONS)
        return;
    if (i == f->nby)
        f->by[f->nby++] = (divisor){.old = by};
    f->which[f->n] = i;
    f->at[f->n++] = id;
}

/* Divisions of v in a block and those inside it, by values from no deeper than depth. */
static void find_divisions(const k_program *p, k_block b, k_id v, uint16_t depth, divisions *f)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id), *by = k_at(p, n->args[1]);
        if (is_division(n) && n->args[0] == v && by->op != K_CONST && k_lo(p, n->args[1]) >= 1 &&
            by->depth <= depth)
            add_division(p, f, id);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_divisions(p, n->blocks[i], v, depth, f);
    }
}

/* The variable is never negative, stays below the greatest int when it steps past the end, and
 * takes some steps. */
static bool steps_far(const k_program *p, const k_node *loop)
{
    k_id i = k_block_at(p, loop->blocks[0])->params, step = loop->args[2];
    int64_t end = k_hi(p, loop->args[1]);
    return k_at(p, i)->type == ST_I32 && k_lo(p, i) >= 0 && k_lo(p, step) >= 1 &&
           end - 1 + k_hi(p, step) <= INT32_MAX &&
           end - k_lo(p, loop->args[0]) > p->target.tuning.strength_turns * k_lo(p, step);
}

/* ---- carrying ---- */

/* Quotient and remainder of divisor k are carried values first + 2k and first + 2k + 1. */
static uint32_t start(rebuild *r, const k_node *loop, divisions *f, k_id *init, uint32_t n)
{
    k_builder *b = &r->b;
    k_id from = rebuild_value(r, loop->args[0]), step = rebuild_value(r, loop->args[2]);
    for (uint32_t k = 0; k < f->nby; k++) {
        divisor *d = &f->by[k];
        d->value = rebuild_value(r, d->old);
        d->step_quotient = kb_scalar(b, SOP_QUOT, step, d->value, 0);
        d->step_rest = kb_scalar(b, SOP_REM, step, d->value, 0);
        init[n++] = kb_scalar(b, SOP_QUOT, from, d->value, 0);
        init[n++] = kb_scalar(b, SOP_REM, from, d->value, 0);
    }
    return n;
}

/* The carried values stand for the divisions, whose limits stay known. */
static void replace_divisions(rebuild *r, const divisions *f, k_id stmt, uint32_t first)
{
    k_builder *b = &r->b;
    k_id i = kb_param(b, stmt, 0);
    for (uint32_t k = 0; k < f->n; k++) {
        const divisor *d = &f->by[f->which[k]];
        bool rest = k_at(r->old, f->at[k])->opcode == SOP_REM;
        k_id v = kb_param(b, stmt, first + 2 * f->which[k] + rest);
        k_id limit = rest ? d->value : ka_limit(b, kb_scalar(b, SOP_QUOT, i, d->value, 0));
        rebuild_facts(r, f->at[k], v);
        if (k_at(b->p, v)->op == K_PARAM)
            k_state_below(b->p, v, limit);
    }
}

/* The values after a step. */
static uint32_t next(rebuild *r, const divisions *f, k_id stmt, uint32_t first, k_id *yield,
                     uint32_t n)
{
    k_builder *b = &r->b;
    for (uint32_t k = 0; k < f->nby; k++) {
        const divisor *d = &f->by[k];
        k_id q = kb_param(b, stmt, first + 2 * k), rest = kb_param(b, stmt, first + 2 * k + 1);
        k_id back = kb_sub(b, d->step_rest, d->value), one = kb_int(b, 1);
        k_id full = kb_scalar(b, SOP_GE, rest, kb_sub(b, d->value, d->step_rest), 0);
        k_id more = kb_select(b, full, kb_add(b, d->step_quotient, one), d->step_quotient);
        yield[n++] = kb_claim(b, SOP_ADD, q, more);
        yield[n++] = kb_claimed(b, SOP_ADD, rest, kb_select(b, full, back, d->step_rest));
    }
    return n;
}

static bool reduce_loop(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    divisions f = {0};
    if (n.op != K_FOR || !steps_far(r->old, &n) || k_has_sync(r->old, n.blocks[0]))
        return false;
    find_divisions(r->old, n.blocks[0], k_block_at(r->old, n.blocks[0])->params, n.depth, &f);
    if (!f.n)
        return false;
    k_id *init = rebuild_room(r, n.nlist + 2 * f.nby);
    if (!init)
        return true;
    uint32_t count = rebuild_carried(r, &n, init), all = start(r, &n, &f, init, count);
    k_id stmt = rebuild_open_for(r, old, init, all);
    for (uint32_t i = count; i < all; i++)
        k_state_range(b->p, kb_param(b, stmt, 1 + i), 0, INT64_MAX);
    replace_divisions(r, &f, stmt, 1 + count);
    rebuild_block(r, n.blocks[0]);
    rebuild_yield(r, n.blocks[0], init, count);
    kb_close(b, init, next(r, &f, stmt, 1 + count, init, count));
    rebuild_results(r, old, stmt);
    return true;
}

static bool reduce_statement(rebuild *r, k_id old)
{
    if (is_division(k_at(r->old, old)) &&
        rebuild_value(r, old)) /* the loop around it has given it a value */
        return true;
    return reduce_loop(r, old);
}

/* Whether a block, or one inside it, has divisions by anything but constants. */
static bool has_divisions(const k_program *p, k_block b)
{
    bool any = false;
    for (k_id id = k_block_at(p, b)->first; id && !any; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        any = is_division(n) && k_at(p, n->args[1])->op != K_CONST;
        for (int i = 0; i < 2; i++)
            any = any || (n->blocks[i] && has_divisions(p, n->blocks[i]));
    }
    return any;
}

bool k_reduce_strength(k_program *p)
{
    if (!k_dce(p)) /* dead divisions are not worth it */
        return false;
    return !has_divisions(p, p->host) || k_rebuild(p, &(rebuild){.statement = reduce_statement});
}
