/* The body of an element loop for several elements at once: statement by statement, each for all
 * lanes.  Vectorisers call it unrolling and packing; no vector values arise, only wide accesses.
 *
 * The elements of a parallel loop do not see one another's writes, so their statements may be
 * interleaved; each lane keeps its own order. */
#include "ir/kernel/pass/widen/widen.h"

#include <string.h>

/* ---- lanes ---- */

static void enter_lane(widening *w, uint32_t j)
{
    w->r.map = w->lane[j];
    w->r.b.share_remainders = true;
}

static void leave_lanes(widening *w)
{
    w->r.map = w->common;
    w->r.b.share_remainders = false;
}

static bool make_lanes(widening *w)
{
    size_t size = w->r.old->nodes.len * sizeof(k_id);
    for (uint32_t j = 0; j < w->lanes; j++) {
        if (w->lane[j])
            continue;
        w->lane[j] = mem_resize(&w->r.old->cx->mem, NULL, 0, size);
        if (!w->lane[j])
            return false;
        memset(w->lane[j], 0, size);
    }
    return true;
}

static void share(widening *w, k_id old)
{
    for (uint32_t j = 0; j < w->lanes && !(w->notes[old] & NOTE_BODY); j++)
        w->lane[j][old] = w->common[old];
}

static void share_operands(widening *w, k_block body)
{
    const k_program *p = w->r.old;
    for (k_id id = k_block_at(p, body)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        for (int i = 0; i < 3; i++)
            share(w, n->args[i]);
        for (uint32_t i = 0; i < n->nlist; i++)
            share(w, k_listed(p, n, i));
        share(w, k_bound(p, id));
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                share_operands(w, n->blocks[i]);
    }
}

bool widen_lanes_begin(widening *w, k_block body)
{
    w->common = w->r.map;
    if (!make_lanes(w))
        return false;
    share_operands(w, body);
    return true;
}

/* ---- statements ---- */

static void in_lane(widening *w, uint32_t j, k_id old)
{
    if (w->column.on && widen_column_value(w, old, j))
        return;
    enter_lane(w, j);
    rebuild_statement(&w->r, old);
    leave_lanes(w);
    if (w->column.on)
        widen_column_step(w, old, j);
}

static void in_each_lane(widening *w, k_id old)
{
    for (uint32_t j = 0; j < w->lanes; j++)
        in_lane(w, j, old);
}

/* The place of a lane among the consecutive elements of an access. */
static uint32_t place(const widening *w, k_id access, uint32_t j)
{
    return w->notes[access] & NOTE_DOWN ? w->lanes - 1 - j : j;
}

static k_id lowest_index(const widening *w, k_id access)
{
    return w->lane[place(w, access, 0)][k_at(w->r.old, access)->args[1]];
}

static void load_wide(widening *w, k_id old)
{
    k_builder *b = &w->r.b;
    k_id stmt =
        kb_load_wide(b, w->lane[0][k_at(w->r.old, old)->args[0]], lowest_index(w, old), w->lanes);
    for (uint32_t j = 0; j < w->lanes; j++) {
        enter_lane(w, j);
        rebuild_facts(&w->r, old, kb_result(b, stmt, place(w, old, j)));
    }
    leave_lanes(w);
}

static void store_wide(widening *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    k_id values[MAX_LANES];
    for (uint32_t j = 0; j < w->lanes; j++)
        values[place(w, old, j)] = w->lane[j][n->args[2]];
    kb_store_wide(&w->r.b, w->lane[0][n->args[0]], lowest_index(w, old), values, w->lanes);
}

/* What a block yields, lane after lane. */
static uint32_t lanes_yield(widening *w, k_block old, k_id *out, uint32_t results)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < w->lanes; j++) {
        enter_lane(w, j);
        n += rebuild_yield(&w->r, old, out + n, results);
    }
    leave_lanes(w);
    return n;
}

static void lanes_results(widening *w, const k_node *n, const k_id *values)
{
    for (uint32_t j = 0; j < w->lanes; j++) {
        enter_lane(w, j);
        for (uint32_t i = 0; i < n->nresults; i++)
            rebuild_facts(&w->r, n->results + i, values[j * n->nresults + i]);
    }
    leave_lanes(w);
}

/* An if of which one block is taken in all lanes. */
static void taken_together(widening *w, const k_node *n, k_block taken)
{
    k_id *values = rebuild_room(&w->r, n->nresults * w->lanes);
    if (!values)
        return;
    widen_lanes_block(w, taken);
    lanes_yield(w, taken, values, n->nresults);
    lanes_results(w, n, values);
}

/* One if for all lanes: the condition is the same in each. */
static void if_together(widening *w, k_id old)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    k_id cond = w->lane[0][n.args[0]], *values = rebuild_room(&w->r, n.nresults * w->lanes);
    int64_t known;
    if (!values)
        return;
    if (k_is_const(b->p, cond, &known)) {
        taken_together(w, &n, n.blocks[known ? 0 : 1]);
        return;
    }
    w->nested++;
    k_id stmt = kb_open_if(b, cond);
    widen_lanes_block(w, n.blocks[0]);
    kb_next_block(b, values, lanes_yield(w, n.blocks[0], values, n.nresults));
    widen_lanes_block(w, n.blocks[1]);
    uint32_t count = lanes_yield(w, n.blocks[1], values, n.nresults);
    kb_close(b, values, count);
    w->nested--;
    for (uint32_t i = 0; i < count; i++)
        values[i] = kb_result(b, stmt, i);
    lanes_results(w, &n, values);
}

static bool writes(const k_program *p, k_id id)
{
    const k_node *n = k_at(p, id);
    bool does = n->op == K_STORE || n->op == K_ATOMIC;
    for (int i = 0; i < 2; i++)
        for (k_id x = k_block_at(p, n->blocks[i])->first; n->blocks[i] && !does && x;
             x = k_at(p, x)->next)
            does = writes(p, x);
    return does;
}

static void lanes_statement(widening *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    uint8_t op = n->op;
    w->r.b.loc = n->loc;
    if (w->trial)
        widen_lanes_study(w, old);
    w->column.writes += writes(w->r.old, old);
    if (w->notes[old] & NOTE_GUARD)
        taken_together(w, n, n->blocks[0]);
    else if (w->notes[old] & NOTE_TOGETHER)
        if_together(w, old);
    else if (w->column.on && op == K_LOAD)
        widen_column_load(w, old);
    else if (w->notes[old] & (NOTE_UP | NOTE_DOWN))
        (op == K_LOAD ? load_wide : store_wide)(w, old);
    else
        in_each_lane(w, old);
}

void widen_lanes_block(widening *w, k_block old)
{
    const k_program *p = w->r.old;
    uint32_t loaded = w->column.loaded.len, sums = w->column.sums.len;
    for (k_id n = k_block_at(p, old)->first; n && k_at(p, n)->op != K_YIELD; n = k_at(p, n)->next)
        if (!w->r.b.failed)
            lanes_statement(w, n);
    if (w->nested) {
        w->column.loaded.len = loaded;
        w->column.sums.len = sums;
    }
}

/* ---- tests ---- */

/* What the tests are computed from, in the body; each once. */
static bool needed_values(widening *w, vec_u32 *needed)
{
    mem *m = &w->r.old->cx->mem;
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->tests.len; i++)
        ok = vec_push(m, needed, w->tests.at[i]);
    for (uint32_t i = 0; ok && i < w->guards.len; i++)
        ok = vec_push(m, needed, w->guards.at[i]);
    for (uint32_t i = 0; ok && i < needed->len; i++)
        for (int a = 0; ok && a < 3; a++) {
            k_id v = k_at(w->r.old, needed->at[i])->args[a];
            bool known =
                !(w->notes[v] & NOTE_BODY) || k_op_info(k_at(w->r.old, v)->op)->class == KC_PART;
            for (uint32_t k = 0; !known && k < needed->len; k++)
                known = needed->at[k] == v;
            ok = known || vec_push(m, needed, v);
        }
    return ok;
}

static bool is_needed(const vec_u32 *needed, k_id v)
{
    for (uint32_t i = 0; i < needed->len; i++)
        if (needed->at[i] == v)
            return true;
    return false;
}

/* Guards are asked in all lanes, tests in the first and in the last. */
static void build_needed(widening *w, k_block body, const vec_u32 *needed)
{
    const k_program *p = w->r.old;
    uint32_t step = w->guards.len ? 1 : w->lanes - 1;
    for (k_id n = k_block_at(p, body)->first; n; n = k_at(p, n)->next) {
        for (int i = 0; i < 2; i++)
            if (k_at(p, n)->blocks[i])
                build_needed(w, k_at(p, n)->blocks[i], needed);
        if (!is_needed(needed, n))
            continue;
        for (uint32_t j = 0; j < w->lanes; j += step)
            in_lane(w, j, n);
    }
}

static k_id both(k_builder *b, k_id x, k_id y)
{
    return x ? kb_scalar(b, SOP_AND, x, y, 0) : y;
}

k_id widen_lanes_agree(widening *w, k_block body)
{
    k_builder *b = &w->r.b;
    vec_u32 needed = {0};
    k_id all = 0;
    if (!needed_values(w, &needed))
        b->failed = true;
    build_needed(w, body, &needed);
    for (uint32_t i = 0; i < w->tests.len; i++) {
        k_id first = w->lane[0][w->tests.at[i]], last = w->lane[w->lanes - 1][w->tests.at[i]];
        all = both(b, all, kb_scalar(b, SOP_EQ, first, last, 0));
    }
    for (uint32_t i = 0; i < w->guards.len; i++)
        for (uint32_t j = 0; j < w->lanes; j++)
            all = both(b, all, w->lane[j][w->guards.at[i]]);
    vec_free(&w->r.old->cx->mem, &needed);
    return all;
}
