/* Predication: workers with different work meet at the same points.  The usual names are
 * if-conversion and, for loops, masked execution, as SPMD compilers for vector units do it.
 *
 * Devices that can only synchronise a whole block need every warp at every barrier, and shuffles
 * need every lane of a warp.  Under a mask, values are computed by all (they are total), accesses
 * and statements without meeting points run in an `if` of their own, and statements with such are
 * opened: both branches of an if under their masks, and a loop as long as any warp of the block
 * has work.  Loops around shuffles take the same number of turns in all lanes (lanes.c).
 *
 * For drivers that lose barriers in branches, ifs that all threads of a block enter together are
 * opened likewise; their masks are the same in the whole block, which needs no votes. */
#include "ir/kernel/pass/virtualise/virtualise.h"

static k_id both(spreading *s, k_id x, k_id y)
{
    return kb_scalar(&s->r.b, SOP_AND, x, y, 0);
}

k_id virtualise_masked(spreading *s, k_id cond)
{
    return s->mask ? both(s, s->mask, cond) : cond;
}

/* Whether all must go through the statement together. */
static bool meets(const spreading *s, k_id old)
{
    const k_node *n = k_at(s->r.old, old);
    if (s->r.old->target.facts.warps_wait)
        return lane_fact(s, old, LANE_TOGETHER);
    return (n->blocks[0] && k_has_sync(s->r.old, n->blocks[0])) ||
           (n->blocks[1] && k_has_sync(s->r.old, n->blocks[1]));
}

static void unmasked(spreading *s, k_id old)
{
    k_id mask = s->mask;
    s->mask = 0;
    rebuild_statement(&s->r, old);
    s->mask = mask;
}

/* The same by all threads of the block, masked or not: what is claimed of positions does not hold
 * there. */
static void everywhere(spreading *s, k_id old)
{
    bool before = s->r.everywhere;
    s->r.everywhere = true;
    unmasked(s, old);
    s->r.everywhere = before;
}

/* The statement inside an if on the mask; its results are zero where the mask is not set, and
 * nobody looks at them. */
static void guarded(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node n = *k_at(s->r.old, old);
    int64_t everybody = 0;
    if (k_is_const(b->p, s->mask, &everybody) && everybody) {
        unmasked(s, old);
        return;
    }
    bool value = n.op == K_LOAD || n.op == K_ATOMIC || n.op == K_SHUFFLE || n.op == K_FAILED;
    uint32_t count = value ? 1 : n.nresults;
    k_id first = value ? old : n.results, *yield = rebuild_room(&s->r, count), mask = s->mask;
    if (!yield)
        return;
    k_id stmt = kb_open_if(b, mask);
    unmasked(s, old);
    for (uint32_t i = 0; i < count; i++)
        yield[i] = rebuild_value(&s->r, first + i);
    kb_next_block(b, yield, count);
    for (uint32_t i = 0; i < count; i++)
        yield[i] = kb_const(b, (scalar)k_at(s->r.old, first + i)->type, 0);
    kb_close(b, yield, count);
    for (uint32_t i = 0; i < count; i++)
        s->r.map[first + i] = kb_result(b, stmt, i);
}

static void opened_if(spreading *s, const k_node *n)
{
    k_builder *b = &s->r.b;
    k_id cond = rebuild_value(&s->r, n->args[0]), mask = s->mask;
    k_id *x = rebuild_room(&s->r, n->nresults), *y = rebuild_room(&s->r, n->nresults);
    if (!x || !y)
        return;
    s->mask = both(s, mask, cond);
    rebuild_block(&s->r, n->blocks[0]);
    uint32_t count = rebuild_yield(&s->r, n->blocks[0], x, n->nresults);
    s->mask = both(s, mask, kb_scalar(b, SOP_NOT, cond, 0, 0));
    rebuild_block(&s->r, n->blocks[1]);
    rebuild_yield(&s->r, n->blocks[1], y, n->nresults);
    s->mask = mask;
    for (uint32_t i = 0; i < n->nresults && i < count; i++)
        s->r.map[n->results + i] = kb_select(b, cond, x[i], y[i]);
}

/* Whether any warp of the block says yes: each writes its vote, all read them. */
static k_id any_warp(spreading *s, k_id votes, k_id mine)
{
    k_builder *b = &s->r.b;
    k_id zero = kb_int(b, 0);
    kb_sync(b, LEVEL_BLOCK);
    kb_open_if(b, kb_scalar(b, SOP_EQ, virtualise_lane_id(s), zero, 0));
    kb_store(b, votes, virtualise_warp_id(s), kb_convert(b, ST_I32, mine));
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_sync(b, LEVEL_BLOCK);
    k_id sum = zero;
    for (uint32_t w = 0; w < s->warps; w++)
        sum = kb_scalar(b, SOP_OR, sum, kb_load(b, votes, kb_int(b, (int32_t)w)), 0);
    return kb_scalar(b, SOP_NE, sum, zero, 0);
}

/* What holds of a loop's variables in its turns holds in the while that takes its place, but for
 * the number of the turn, which goes up to the limit there. */
static void opened_params(spreading *s, k_id old, k_id stmt)
{
    const k_node n = *k_at(s->r.old, old);
    if (n.op != K_FOR) {
        rebuild_params(&s->r, old, stmt, 0);
        return;
    }
    const k_program *p = s->r.old;
    k_id i = k_block_at(p, n.blocks[0])->params, fresh = kb_param(&s->r.b, stmt, 0);
    int64_t past;
    if (__builtin_add_overflow(k_hi(p, i), k_hi(p, n.args[2]), &past) || past > INT32_MAX)
        past = INT32_MAX;
    s->r.map[i] = fresh;
    k_state_range(s->r.b.p, fresh, k_lo(p, i), past);
    rebuild_params(&s->r, old, stmt, 1);
}

/* A loop that goes on as long as any warp of the block has work; where all have the same mask, none
 * need be asked.  A for carries its variable first, as a while does not. */
static void opened_loop(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node n = *k_at(s->r.old, old);
    bool counts = n.op == K_FOR;
    uint32_t first = counts, count = n.nlist, all = first + count;
    k_id *values = rebuild_room(&s->r, all + 1), mask = s->mask,
         limit = rebuild_value(&s->r, n.args[1]);
    if (!values)
        return;
    k_id votes = s->alike ? 0 : kb_alloc(b, SPACE_LOCAL, ST_I32, kb_int(b, (int32_t)s->warps));
    values[0] = rebuild_value(&s->r, n.args[0]);
    for (uint32_t i = 0; i < count; i++)
        values[first + i] = rebuild_value(&s->r, k_listed(s->r.old, &n, i));
    values[all] = mask;
    k_id stmt = kb_open_while(b, values, all + 1);
    opened_params(s, old, stmt);
    s->mask = kb_param(b, stmt, all);
    if (!counts)
        rebuild_block(&s->r, n.blocks[0]);
    if (counts)
        values[0] = kb_lt(b, kb_param(b, stmt, 0), limit);
    else
        rebuild_yield(&s->r, n.blocks[0], values, 1);
    s->mask = both(s, s->mask, values[0]);
    k_id any = s->alike ? s->mask : any_warp(s, votes, s->mask);
    kb_next_block(b, &any, 1);
    rebuild_block(&s->r, n.blocks[counts ? 0 : 1]);
    rebuild_yield(&s->r, n.blocks[counts ? 0 : 1], values + first, count);
    if (counts)
        values[0] = kb_add(b, kb_param(b, stmt, 0), rebuild_value(&s->r, n.args[2]));
    for (uint32_t i = 0; i < all; i++)
        values[i] = kb_select(b, s->mask, values[i], kb_param(b, stmt, i));
    values[all] = s->mask;
    kb_close(b, values, all + 1);
    s->mask = mask;
    for (uint32_t i = 0; i < n.nresults; i++)
        s->r.map[n.results + i] = kb_result(b, stmt, first + i);
}

static bool avoids_branches(const spreading *s)
{
    const k_target *t = &s->r.old->target;
    return !t->facts.warps_wait && (t->quirks & QUIRK_OPEN_BRANCHES);
}

bool virtualise_opens(const spreading *s, k_id old)
{
    return k_at(s->r.old, old)->op == K_IF && avoids_branches(s) && meets(s, old);
}

/* Whether all go the same way through a region, so that it need not be opened.  Where the mask of
 * the whole block is not set, a loop must not go by values that nobody has computed. */
static bool goes_alike(const spreading *s, const k_node *n)
{
    const k_target *t = &s->r.old->target;
    if (s->alike || (n->op == K_IF && avoids_branches(s)))
        return false;
    if (n->op == K_IF)
        return !lane_fact(s, n->args[0], LANE_VARIES);
    return t->facts.warps_wait || virtualise_turns_alike(s, n);
}

static void open_region(spreading *s, k_id old, const k_node *n)
{
    if (goes_alike(s, n))
        rebuild_copy(&s->r, old); /* the mask stays */
    else if (n->op == K_IF)
        opened_if(s, n);
    else
        opened_loop(s, old);
}

void virtualise_predicate(spreading *s, k_id old)
{
    const k_node n = *k_at(s->r.old, old);
    k_class class = k_op_info(n.op)->class;
    bool by_all =
        lane_fact(s, old, LANE_OWN | LANE_SHUFFLE) || virtualise_lanes_store_by_all(s, old);
    if (class == KC_REGION && meets(s, old))
        open_region(s, old, &n);
    else if (class == KC_VALUE || class == KC_PLACE || n.op == K_SYNC || by_all)
        everywhere(s, old);
    else
        guarded(s, old);
}
