/* Evaluating code for the lanes of a warp: see analysis/lanes.h.
 *
 * This is abstract interpretation with the product of 32 constants as its domain, on SSA form:
 * wanted values are sorted by their numbers, and each is computed once for each sample.
 * Constant in memory for each value; WANTED_MOST bounds them. */
#include "ir/kernel/analysis/lanes.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

#include <stdlib.h>
#include <string.h>

enum { WANTED_MOST = 1 << 14, LARGE = 4096 };

static void find_owners(lane_values *l, k_block b)
{
    for (k_id id = k_block_at(l->p, b)->first; id; id = k_at(l->p, id)->next) {
        const k_node *n = k_at(l->p, id);
        const k_blocks *first = k_block_at(l->p, n->blocks[0]);
        for (uint32_t i = 0; n->blocks[0] && i < first->nparams; i++)
            l->owner[first->params + i] = id;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_owners(l, n->blocks[i]);
    }
}

bool k_lanes_init(lane_values *l, const k_program *p)
{
    *l = (lane_values){.p = p, .m = &p->cx->mem};
    l->slot = mem_zeroed(l->m, p->nodes.len * sizeof *l->slot);
    l->owner = mem_zeroed(l->m, p->nodes.len * sizeof *l->owner);
    l->ok = l->slot && l->owner;
    if (l->ok)
        find_owners(l, p->host);
    return l->ok;
}

void k_lanes_free(lane_values *l)
{
    size_t n = l->wanted.len;
    mem_free(l->m, l->slot, l->p->nodes.len * sizeof *l->slot);
    mem_free(l->m, l->owner, l->p->nodes.len * sizeof *l->owner);
    mem_free(l->m, l->now, n * LANES * sizeof *l->now);
    mem_free(l->m, l->before, n * LANES * sizeof *l->before);
    mem_free(l->m, l->unknown, n * sizeof *l->unknown);
    mem_free(l->m, l->was_unknown, n * sizeof *l->was_unknown);
    vec_free(l->m, &l->wanted);
}

/* ---- what is needed ---- */

/* A while's body is its second block; the first is the condition. */
static const k_node *yield_of_loop(const lane_values *l, const k_node *loop)
{
    return k_yield_of(l->p, loop->blocks[loop->op == K_FOR ? 0 : 1]);
}

/* Which of its loop's carried values a parameter is; the index of a for is none. */
static bool is_carried(const lane_values *l, k_id param, uint32_t *which)
{
    const k_node *loop = k_at(l->p, l->owner[param]);
    uint32_t at = param - k_block_at(l->p, loop->blocks[0])->params, first = loop->op == K_FOR;
    *which = at - first;
    return at >= first;
}

/* Each value once; beyond WANTED_MOST nothing is computed at all (ok). */
static void add(lane_values *l, k_id v)
{
    if (!v || l->slot[v] || !l->ok)
        return;
    l->ok = l->wanted.len < WANTED_MOST && vec_push(l->m, &l->wanted, v);
    l->slot[v] = 1;
}

/* A carried value needs its start and what the loop's end gives; an index the loop's bounds. */
static void add_param(lane_values *l, k_id v)
{
    const k_node *loop = k_at(l->p, l->owner[v]);
    uint32_t which;
    if (is_carried(l, v, &which)) {
        add(l, k_listed(l->p, loop, which));
        add(l, k_listed(l->p, yield_of_loop(l, loop), which));
        return;
    }
    for (int i = 0; i < 3; i++)
        add(l, loop->args[i]);
}

/* What comes out of an if needs the condition and both values; out of a loop, what its end
 * gives. */
static void add_result(lane_values *l, const k_node *n)
{
    const k_node *s = k_at(l->p, n->owner);
    if (s->op == K_IF) {
        add(l, s->args[0]);
        for (int i = 0; i < 2; i++)
            add(l, k_listed(l->p, k_yield_of(l->p, s->blocks[i]), n->number));
    } else if (k_is_loop(s)) {
        add(l, k_listed(l->p, yield_of_loop(l, s), n->number));
    }
}

/* Computed from its operands alone. */
static bool is_pure(const k_node *n)
{
    return n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST;
}

/* Breadth first, with the list itself as queue, so that no recursion is needed. */
void k_lanes_want(lane_values *l, k_id v)
{
    uint32_t done = l->wanted.len;
    for (add(l, v); done < l->wanted.len && l->ok; done++) {
        const k_node *n = k_at(l->p, l->wanted.at[done]);
        if (n->op == K_PARAM && l->owner[l->wanted.at[done]])
            add_param(l, l->wanted.at[done]);
        else if (n->op == K_RESULT)
            add_result(l, n);
        for (int i = 0; i < 3 && is_pure(n); i++)
            add(l, n->args[i]);
    }
}

static int by_id(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Constants first, the others by their numbers. */
static void sort_wanted(lane_values *l)
{
    const uint32_t other = 0x80000000u; /* nodes are fewer */
    for (uint32_t i = 0; i < l->wanted.len; i++)
        l->wanted.at[i] |= k_at(l->p, l->wanted.at[i])->op == K_CONST ? 0 : other;
    qsort(l->wanted.at, l->wanted.len, sizeof *l->wanted.at, by_id);
    for (uint32_t i = 0; i < l->wanted.len; i++)
        l->wanted.at[i] &= ~other;
}

/* Nodes are numbered after their operands, except for what loops carry, which comes from the sample
 * before, and for constants, which the text of a program does not number. */
bool k_lanes_prepare(lane_values *l)
{
    size_t n = l->wanted.len;
    if (!l->ok)
        return false;
    if (n)
        sort_wanted(l);
    for (uint32_t i = 0; i < n; i++)
        l->slot[l->wanted.at[i]] = i + 1;
    l->now = mem_zeroed(l->m, n * LANES * sizeof *l->now);
    l->before = mem_zeroed(l->m, n * LANES * sizeof *l->before);
    l->unknown = mem_zeroed(l->m, n * sizeof *l->unknown);
    l->was_unknown = mem_zeroed(l->m, n * sizeof *l->was_unknown);
    l->ok = !n || (l->now && l->before && l->unknown && l->was_unknown);
    return l->ok;
}

/* ---- evaluating ---- */

/* Of this sample, or of the one before. */
static const uint64_t *values(const lane_values *l, k_id v, bool before)
{
    uint32_t slot = l->slot[v];
    if (!slot || (before ? l->was_unknown : l->unknown)[slot - 1])
        return NULL;
    return (before ? l->before : l->now) + (size_t)(slot - 1) * LANES;
}

const uint64_t *k_lanes_of(const lane_values *l, k_id v)
{
    return values(l, v, false);
}

/* The same in all lanes. */
static bool fill(uint64_t *to, int64_t x)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (uint64_t)x;
    return true;
}

/* false when there is nothing to copy: what the value needs is not known. */
static bool copy(uint64_t *to, const uint64_t *from)
{
    if (from)
        memcpy(to, from, LANES * sizeof *to);
    return from != NULL;
}

/* Threads of the first warp in the first sample, of the second in the second. */
static bool builtin(const k_node *n, int64_t most, uint32_t sample, uint64_t *to)
{
    if (n->coordinate != AT_THREAD)
        return fill(to, n->coordinate == AT_GROUPS ? LARGE : most < sample ? most : sample);
    int64_t warps = (most + 1) / LANES, first = warps > 1 ? sample % warps * LANES : 0;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (uint64_t)(first + i);
    return true;
}

/* As the evaluator would, lane by lane. */
static bool scalar_values(const lane_values *l, const k_node *n, uint64_t *to)
{
    const uint64_t *x[3];
    uint32_t count = n->op == K_SCALAR ? ir_op_info(n->opcode)->min_args : 1;
    scalar from = (scalar)k_at(l->p, n->args[n->op == K_SCALAR && n->opcode == SOP_SELECT])->type,
           t = (scalar)n->type;
    for (uint32_t i = 0; i < count; i++)
        if (!(x[i] = values(l, n->args[i], false)))
            return false;
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t at[3] = {x[0][i], count > 1 ? x[1][i] : 0, count > 2 ? x[2][i] : 0};
        to[i] = n->op == K_SCALAR    ? scalar_eval((opcode)n->opcode, from, at)
                : n->op == K_CONVERT ? scalar_convert(t, from, at[0])
                                     : scalar_wrap(t, at[0]);
    }
    return true;
}

/* Turn `sample` of the loop. */
static bool index_values(const lane_values *l, const k_node *loop, uint32_t sample, uint64_t *to)
{
    const uint64_t *first = values(l, loop->args[0], false),
                   *step = values(l, loop->args[2], false);
    for (uint32_t i = 0; first && step && i < LANES; i++)
        to[i] = first[i] + sample * step[i];
    return first && step;
}

/* In sample 0 the start; later what the turn before gave. */
static bool param_values(const lane_values *l, k_id v, uint32_t sample, uint64_t *to)
{
    const k_node *loop = k_at(l->p, l->owner[v]);
    uint32_t which;
    if (!l->owner[v])
        return false;
    if (!is_carried(l, v, &which))
        return index_values(l, loop, sample, to);
    if (sample == 0)
        return copy(to, values(l, k_listed(l->p, loop, which), false));
    return copy(to, values(l, k_listed(l->p, yield_of_loop(l, loop), which), true));
}

/* A loop is left after the turn of this sample, which is as good as any. */
static bool result_values(const lane_values *l, const k_node *n, uint64_t *to)
{
    const k_node *s = k_at(l->p, n->owner);
    if (k_is_loop(s))
        return copy(to, values(l, k_listed(l->p, yield_of_loop(l, s), n->number), false));
    if (s->op != K_IF)
        return false;
    const uint64_t *c = values(l, s->args[0], false);
    const uint64_t *x = values(l, k_listed(l->p, k_yield_of(l->p, s->blocks[0]), n->number), false);
    const uint64_t *y = values(l, k_listed(l->p, k_yield_of(l->p, s->blocks[1]), n->number), false);
    for (uint32_t i = 0; c && x && y && i < LANES; i++)
        to[i] = c[i] ? x[i] : y[i];
    return c && x && y;
}

/* Inputs are LARGE numbers: small ones would make guards cut off most lanes. */
static bool evaluate(const lane_values *l, k_id v, uint32_t sample, uint64_t *to)
{
    const k_node *n = k_at(l->p, v);
    switch (n->op) {
    case K_CONST: return fill(to, (int64_t)n->bits);
    case K_ARG:
    case K_DIM: return n->type == ST_I32 && fill(to, LARGE);
    case K_BUILTIN: return builtin(n, k_hi(l->p, v), sample, to);
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST: return scalar_values(l, n, to);
    case K_PARAM: return param_values(l, v, sample, to);
    case K_RESULT: return result_values(l, n, to);
    default: return false;
    }
}

/* The values of the sample before stay at hand for what loops carry. */
void k_lanes_compute(lane_values *l, uint32_t sample)
{
    uint64_t *swap = l->before;
    bool *swap_unknown = l->was_unknown;
    l->before = l->now;
    l->now = swap;
    l->was_unknown = l->unknown;
    l->unknown = swap_unknown;
    for (uint32_t i = 0; i < l->wanted.len; i++)
        l->unknown[i] = true;
    for (uint32_t i = 0; i < l->wanted.len; i++)
        l->unknown[i] = !evaluate(l, l->wanted.at[i], sample, l->now + (size_t)i * LANES);
}
