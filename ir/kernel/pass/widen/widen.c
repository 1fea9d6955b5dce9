/* Widening: a worker of a parallel loop takes several neighbouring elements, so that what they
 * access of neighbouring memory becomes one access of up to 16 bytes.  The usual names are thread
 * coarsening and vectorisation of memory accesses.
 *
 * On GPUs of today one word for each thread does not keep the memory busy; four do.  In a loop
 * over the grid a thread takes single elements at the end, and where accesses are not aligned
 * (then there are as many threads as elements).  A loop over the threads of a block or warp is
 * followed by a second one for single elements, which takes all of them where accesses are not
 * aligned, or where there are too few for all threads to take several.
 *
 * Where most accesses of a loop over the grid stay narrow, as those of a stencil, a thread takes as
 * many elements all the same, so that what they read is under way together, but such that are as
 * far apart as a block has threads; or, where the number of an element is taken apart and
 * neighbours along the outermost axis read the same, a column of these (column.c).  Columns are a
 * launch of their own, with larger blocks, whose threads share more through a cache; the host
 * chooses.
 *
 * Left alone are loops without wide accesses to global memory, with loops or barriers inside, with
 * bodies that compute so much that memory is not what they wait for, and those that access a
 * block's accumulators: every thread keeps its elements. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/pass/widen/widen.h"

#include "ir/host.h"
#include "ir/kernel/analysis/carried.h"
#include "ir/kernel/analysis/neighbour.h"

#include <string.h>

/* ---- how many ---- */

static uint32_t workers_of(const widening *w, const k_node *par)
{
    uint32_t warp = w->r.old->target.facts.warp_size;
    switch ((k_workers)par->workers) {
    case OVER_LANES: return warp < w->threads ? warp : w->threads;
    case OVER_THREADS:
    case OVER_GRID: return w->threads;
    default: return 0;
    }
}

/* Elements of that size in the widest access; fewer than fit, but no fewer than 4, for a long body.
 */
static uint32_t lanes_for(const widening *w, uint32_t size)
{
    uint32_t lanes = 1, most = w->r.old->target.tuning.widen_statements;
    while (lanes * 2 * size <= k_widest_access(w->r.old))
        lanes *= 2;
    while (lanes > 4 && lanes * w->statements > most)
        lanes /= 2;
    if (lanes * w->statements <= most)
        return lanes;
    k_decided(w->r.b.p, TUNE_widen_statements, w->r.b.loc, (uint64_t)lanes * w->statements);
    return 1;
}

/* ---- building ---- */

/* How many elements one lane is behind the one before. */
static int32_t lane_step(const widening *w)
{
    return w->far ? (int32_t)w->threads : 1;
}

/* The lanes of piece t are the elements from t * lanes on; or those of thread t of all, which are
 * as many apart as a block has threads. */
static void set_elements(widening *w, const k_node *par, k_id t)
{
    k_builder *b = &w->r.b;
    k_id i = k_block_at(w->r.old, par->blocks[0])->params, first = t, rest = 0;
    if (w->far) {
        k_id threads = kb_int(b, (int32_t)w->threads);
        first = kb_mul(b, kb_scalar(b, SOP_QUOT, t, threads, 0), threads);
        rest = kb_scalar(b, SOP_REM, t, threads, 0);
    }
    first = kb_mul(b, first, kb_int(b, (int32_t)w->lanes));
    first = rest ? kb_add(b, first, rest) : first;
    for (uint32_t j = 0; j < w->lanes; j++)
        w->lane[j][i] = kb_add(b, first, kb_int(b, (int32_t)j * lane_step(w)));
}

static k_id first_element(const widening *w, const k_node *par, uint32_t lane)
{
    return w->lane[lane][k_block_at(w->r.old, par->blocks[0])->params];
}

/* Element i of the loop as it was. */
static void one_element(widening *w, const k_node *par, k_id i)
{
    rebuild_facts(&w->r, k_block_at(w->r.old, par->blocks[0])->params, i);
    rebuild_block(&w->r, par->blocks[0]);
}

static k_id both(k_builder *b, k_id x, k_id y)
{
    return !x ? y : !y ? x : kb_scalar(b, SOP_AND, x, y, 0);
}

/* A piece at once if the condition holds (0: it does), else the elements from `from` up to `end`
 * one by one. */
static void build_piece(widening *w, const k_node *par, k_id cond, k_id from, k_id end)
{
    k_builder *b = &w->r.b;
    int64_t known;
    cond = both(b, cond, widen_lanes_agree(w, par->blocks[0]));
    if (!cond || (k_is_const(b->p, cond, &known) && known)) {
        widen_lanes_block(w, par->blocks[0]);
        return;
    }
    kb_open_if(b, cond);
    widen_lanes_block(w, par->blocks[0]);
    kb_next_block(b, NULL, 0);
    k_id loop = kb_open_for(b, from, end, kb_int(b, lane_step(w)), NULL, 0);
    one_element(w, par, kb_param(b, loop, 0));
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* Whether the accesses that must be tested are aligned; 0: none must. */
static k_id aligned(widening *w)
{
    k_builder *b = &w->r.b;
    k_id low = w->bits ? kb_scalar(b, SOP_AND, w->bits, kb_int(b, (int32_t)w->lanes - 1), 0) : 0;
    return low ? kb_scalar(b, SOP_EQ, low, kb_int(b, 0), 0) : 0;
}

/* What is chosen when accesses are aligned, or need not be; the builder is told that it does not
 * pass `most`. */
static k_id if_aligned(k_builder *b, k_id is_aligned, k_id yes, k_id no, int64_t most)
{
    k_id v = is_aligned ? kb_select(b, is_aligned, yes, no) : yes;
    if (v != yes && k_at(b->p, v)->op == K_SCALAR)
        k_state_range(b->p, v, INT64_MIN, most);
    return v;
}

/* n / lanes pieces, rounded up; or n elements, so that neighbouring threads still access neighbours
 * in memory. */
static void over_grid(widening *w, const k_node *par, k_id n)
{
    k_builder *b = &w->r.b;
    int64_t most = k_hi(b->p, n);
    k_id by = kb_int(b, (int32_t)w->lanes), go = aligned(w), one = kb_int(b, 1);
    bool whole = is_multiple(b->p, n, w->lanes);
    k_id up = whole ? n : kb_add(b, n, kb_int(b, (int32_t)w->lanes - 1));
    k_id pieces = kb_scalar(b, SOP_QUOT, up, by, 0);
    int64_t last = k_hi(b->p, pieces) - 1;
    k_id loop = kb_open_par(b, OVER_GRID, if_aligned(b, go, pieces, n, most)),
         t = kb_param(b, loop, 0);
    k_id none = kb_convert(b, (scalar)k_at(b->p, t)->type, kb_int(b, 0));
    set_elements(w, par, if_aligned(b, go, t, none, last));
    k_id first = first_element(w, par, 0), end = kb_add(b, first, by), cond = go;
    if (!whole) {
        cond = both(b, cond, kb_lt(b, first_element(w, par, w->lanes - 1), n));
        end = kb_min(b, end, n);
    }
    build_piece(w, par, cond, if_aligned(b, go, first, t, most),
                if_aligned(b, go, end, kb_add(b, t, one), most));
    kb_close(b, NULL, 0);
}

/* As many whole blocks as there is work for, in which a thread takes elements that are far apart.
 */
static void over_grid_apart(widening *w, const k_node *par, k_id n)
{
    k_builder *b = &w->r.b;
    int32_t threads = (int32_t)w->threads, block = threads * (int32_t)w->lanes;
    k_id blocks = kb_scalar(b, SOP_QUOT, kb_add(b, n, kb_int(b, block - 1)), kb_int(b, block), 0);
    k_id loop = kb_open_par(b, OVER_GRID, kb_mul(b, blocks, kb_int(b, threads)));
    set_elements(w, par, kb_param(b, loop, 0));
    k_id last = first_element(w, par, w->lanes - 1),
         end = kb_min(b, kb_add(b, last, kb_int(b, 1)), n);
    build_piece(w, par, is_multiple(b->p, n, (uint32_t)block) ? 0 : kb_lt(b, last, n),
                first_element(w, par, 0), end);
    kb_close(b, NULL, 0);
}

/* The elements of a column one by one, as many as there are. */
static void column_apart(widening *w, const k_node *par, k_id n)
{
    k_builder *b = &w->r.b;
    k_id left = kb_sub(b, widen_column_planes(w, n), w->column.row[0]);
    k_id loop = kb_open_for(b, kb_int(b, 0), kb_min(b, left, kb_int(b, (int32_t)w->lanes)),
                            kb_int(b, 1), NULL, 0);
    k_id up = kb_mul(b, kb_param(b, loop, 0), widen_planes(w, 1));
    k_id i = kb_add(b, first_element(w, par, 0), up);
    k_state_range(b->p, i, 0, MAX_EXTENT);
    kb_open_if(b, kb_lt(b, i, n));
    one_element(w, par, i);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* A thread for each column. */
static void in_columns(widening *w, const k_node *par, k_id n)
{
    k_builder *b = &w->r.b;
    k_id var = k_block_at(w->r.old, par->blocks[0])->params;
    k_id loop = kb_open_par(b, OVER_GRID, widen_column_count(w, n));
    widen_column_elements(w, var, kb_param(b, loop, 0));
    k_id cond = kb_lt(b, first_element(w, par, w->lanes - 1), n);
    kb_open_if(b, both(b, cond, widen_lanes_agree(w, par->blocks[0])));
    widen_lanes_block(w, par->blocks[0]);
    kb_next_block(b, NULL, 0);
    column_apart(w, par, n);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* Whole pieces, if that is worth it, then single elements. */
static void in_group(widening *w, const k_node *par, k_id n, uint32_t workers)
{
    k_builder *b = &w->r.b;
    k_id by = kb_int(b, (int32_t)w->lanes), zero = kb_int(b, 0);
    k_id enough = kb_scalar(b, SOP_GE, n, kb_int(b, (int32_t)(w->lanes * workers)), 0);
    k_id go = both(b, aligned(w), enough);
    k_id pieces = kb_select(b, go, kb_scalar(b, SOP_QUOT, n, by, 0), zero);
    k_id rest = kb_select(b, go, kb_scalar(b, SOP_REM, n, by, 0), n), start = kb_mul(b, pieces, by);
    k_id loop = kb_open_par(b, (k_workers)par->workers, pieces);
    int64_t none;
    set_elements(w, par, kb_param(b, loop, 0));
    k_id first = first_element(w, par, 0);
    build_piece(w, par, 0, first, kb_add(b, first, by));
    kb_close(b, NULL, 0);
    if (k_is_const(b->p, rest, &none) && none == 0)
        return;
    loop = kb_open_par(b, (k_workers)par->workers, rest);
    one_element(w, par, kb_add(b, start, kb_param(b, loop, 0)));
    kb_close(b, NULL, 0);
}

/* ---- deciding ---- */

/* Builds the body for the lanes and throws it away; false: memory is short. */
static bool try_body(widening *w, const k_node *par, k_id n)
{
    k_builder *b = &w->r.b;
    widen_body_is_simple(w, par->blocks[0]);
    if (!widen_lanes_begin(w, par->blocks[0])) {
        b->failed = true;
        return false;
    }
    w->found = w->wide = w->apart = w->bits = 0;
    w->tests.len = w->guards.len = w->column.limits.len = 0;
    w->grid = par->workers == OVER_GRID;
    w->outer = w->grid ? kb_host_depth(b) : kb_depth(b);
    k_id loop = kb_open_par(b, (k_workers)par->workers,
                            kb_scalar(b, SOP_QUOT, n, kb_int(b, (int32_t)w->lanes), 0));
    if (w->column.on)
        widen_column_elements(w, k_block_at(w->r.old, par->blocks[0])->params,
                              kb_param(b, loop, 0));
    else
        set_elements(w, par, kb_param(b, loop, 0));
    w->trial = true;
    widen_lanes_block(w, par->blocks[0]);
    w->trial = false;
    kb_discard(b);
    return true;
}

/* Whether elements of that size are accessed together; whatever they are, where they lie far apart.
 */
static bool try_lanes(widening *w, const k_node *par, k_id n, uint32_t size, bool far)
{
    w->far = far;
    return try_body(w, par, n) && (far || (w->found & size) != 0);
}

/* Many more accesses than become wide are at places that only arithmetic tells, as those of a
 * stencil: threads beside one another read what lies side by side where each takes elements that
 * are far apart. */
static bool is_better_apart(const widening *w, const k_node *par)
{
    enum { MOST_STEP = 2048 }; /* by which loop variables may step past the end */
    return par->workers == OVER_GRID && w->apart > w->wide * w->r.old->target.tuning.widen_apart &&
           w->threads * w->lanes <= MOST_STEP;
}

/* Whether indices that step past the end are still what they count. */
static bool has_room(const widening *w, const k_node *par, k_id n)
{
    bool large = par->workers == OVER_GRID && k_at(w->r.b.p, n)->type == ST_I64;
    return k_hi(w->r.b.p, n) <= (large ? INT64_MAX / 2 : MAX_EXTENT);
}

/* Whether the elements of a loop may be taken by several, as far as the loop tells. */
static bool may_widen(widening *w, const k_node *par, uint32_t workers, k_id n)
{
    return workers && has_room(w, par, n) &&
           !k_uses_carried(w->r.old, w->carried, par->blocks[0]) &&
           widen_body_is_simple(w, par->blocks[0]);
}

/* Tries neighbours; the widest elements come first: where their accesses are wide, those of the
 * others are at least wider.  The size of these; 0: none. */
static uint32_t try_neighbours(widening *w, const k_node *par, uint32_t workers, k_id n)
{
    int64_t most = k_hi(w->r.b.p, n);
    for (uint32_t size = 8; size > 0; size /= 2) {
        w->lanes = w->sizes & size ? lanes_for(w, size) : 1;
        if (w->lanes >= 2 && most >= (int64_t)w->lanes * workers &&
            try_lanes(w, par, n, size, false))
            return size;
    }
    return 0;
}

static bool widen_par(widening *w, k_id old)
{
    const k_node par = *k_at(w->r.old, old);
    uint32_t workers = workers_of(w, &par);
    k_id n = rebuild_value(&w->r, par.args[0]);
    if (w->column.on) {
        in_columns(w, &par, n);
        return true;
    }
    if (!may_widen(w, &par, workers, n))
        return false;
    uint32_t size = try_neighbours(w, &par, workers, n);
    if (!size)
        return false;
    if (is_better_apart(w, &par) && try_lanes(w, &par, n, size, true))
        over_grid_apart(w, &par, n);
    else if (par.workers == OVER_GRID)
        over_grid(w, &par, n);
    else
        in_group(w, &par, n, workers);
    return true;
}

/* ---- columns ---- */

/* Whether the elements of a column have enough loads in common. */
static bool try_column(widening *w, const k_node *par, k_id n)
{
    enum { SHARED = 8 }; /* one of so many */
    const widen_column *c = &w->column;
    w->lanes = w->r.old->target.tuning.widen_column;
    if (w->lanes < 2 || w->lanes * w->statements > w->r.old->target.tuning.widen_statements)
        return false;
    w->column.on = w->far = true;
    bool ok =
        try_body(w, par, n) && (c->asked - c->loads) * SHARED >= c->asked && c->loads < c->asked;
    w->column.on = ok;
    return ok;
}

/* Tries it in a launch that is thrown away.  Where it is so, the column is on, and the body
 * studied. */
static bool is_better_in_columns(widening *w, k_id par_id)
{
    const k_program *p = w->r.old;
    const k_node par = *k_at(p, par_id);
    k_id n = rebuild_value(&w->r, par.args[0]);
    if (k_widest_access(p) == 1 || !may_widen(w, &par, w->threads, n) ||
        !widen_digits_find(w, par.blocks[0]))
        return false;
    kb_open_launch(&w->r.b, 0, kb_int(&w->r.b, 1), w->threads);
    bool wide = try_neighbours(w, &par, w->threads, n) && w->wide >= w->apart;
    bool is = !wide && try_column(w, &par, n);
    kb_discard(&w->r.b);
    return is;
}

static uint32_t column_block(const widening *w)
{
    const k_tuning *t = &w->r.old->target.tuning;
    uint32_t most = t->most_own < t->widen_block ? t->most_own : t->widen_block;
    return most > w->threads ? most : w->threads;
}

static void tell_columns(const widening *w, k_id par)
{
    const k_program *p = w->r.old;
    diag_remark(p->cx, DIAG_TELL_COLUMNS, k_loc_at(w->r.b.p, k_at(p, par)->loc),
                "neighbours along the outermost axis read the same: a thread takes %u of them, "
                "which load %u elements in place of %u, where the host sees %u such columns",
                w->lanes, w->column.loads, w->column.asked, p->target.tuning.widen_columns);
}

/* The launch with a thread for each column, or as it would be otherwise. */
static bool widen_launch(widening *w, k_id old)
{
    k_builder *b = &w->r.b;
    const k_node launch = *k_at(w->r.old, old);
    k_id par = k_lone_loop(w->r.old, &launch);
    if (!par || !is_better_in_columns(w, par))
        return false;
    tell_columns(w, par);
    kb_open_if(b, widen_column_pays(w, rebuild_value(&w->r, k_at(w->r.old, par)->args[0])));
    kb_open_launch(b, launch.level, rebuild_value(&w->r, launch.args[0]), column_block(w));
    rebuild_block(&w->r, launch.blocks[0]);
    kb_close(b, NULL, 0);
    w->column.on = false;
    kb_next_block(b, NULL, 0);
    rebuild_copy(&w->r, old);
    kb_close(b, NULL, 0);
    return true;
}

static bool widen_statement(rebuild *r, k_id old)
{
    widening *w = (widening *)r;
    const k_node *n = k_at(r->old, old);
    int64_t threads;
    if (n->op == K_LAUNCH) {
        w->threads = k_is_const(r->old, n->args[1], &threads) ? (uint32_t)threads : 0;
        return widen_launch(w, old);
    }
    return n->op == K_PAR && widen_par(w, old);
}

static void release(mem *m, widening *w, size_t count)
{
    for (uint32_t j = 0; j < MAX_LANES; j++)
        mem_free(m, w->lane[j], count * sizeof(k_id));
    mem_free(m, w->notes, count);
    mem_free(m, w->carried, count);
    vec_free(m, &w->tests);
    vec_free(m, &w->guards);
    vec_free(m, &w->column.digits);
    vec_free(m, &w->column.limits);
    vec_free(m, &w->column.forms);
    vec_free(m, &w->column.sums);
    vec_free(m, &w->column.loaded);
}

bool k_widen(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t count = p->nodes.len;
    widening w = {.r.statement = widen_statement, .notes = mem_resize(m, NULL, 0, count)};
    w.carried = k_find_carried(p);
    if (w.notes)
        memset(w.notes, 0, count);
    bool ok = w.notes && w.carried && k_rebuild(p, &w.r);
    release(m, &w, count);
    return ok;
}
