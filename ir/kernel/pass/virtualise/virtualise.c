/* Virtualisation: PAR loops of any extent become loops over the threads, warps and groups that
 * there are.  CUDA programmers know the result as a grid-stride loop, and a fixed number of groups
 * as persistent blocks; vectorising compilers call the step strip mining.
 *
 * Requires a lowered program; leaves FOR, IF and BUILTIN in the place of PAR, and only global,
 * local and (constant, small) private memories.  Barriers stay in control flow that the whole
 * block shares: a loop over warps whose body synchronises is run by all warps together, those
 * without work masked (predicate.c).  No code is repeated for remainders.
 *
 * A grid is launched with as many groups as there is work, each doing one piece; when the number
 * of groups is fixed (k_request.groups) each loops over its share, and a barrier separates the
 * pieces. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/carried.h"
#include "ir/kernel/pass/virtualise/virtualise.h"

#include <string.h>

/* ---- parallel loops ---- */

static void set_index(spreading *s, k_id old, k_id value)
{
    s->r.map[k_block_at(s->r.old, k_at(s->r.old, old)->blocks[0])->params] = value;
}

/* The number of a worker that is below n: of one alone it is 0. */
static k_id number_below(k_builder *b, k_id number, k_id n)
{
    return k_hi(b->p, n) > 1 ? number : kb_convert(b, (scalar)k_at(b->p, n)->type, kb_int(b, 0));
}

/* The barrier comes last in the body, between one piece of work and the next. */
static void close_loop(spreading *s, uint32_t level)
{
    virtualise_barrier(s, level);
    kb_close(&s->r.b, NULL, 0);
}

/* Work first, first + step, ... for a worker that looks at each of a constant number of pieces
 * whether it is there: which of them is an accumulator's is known then (analysis/carried.h). */
static bool counted(spreading *s, k_id old, k_id first, k_id n, k_id step)
{
    k_builder *b = &s->r.b;
    k_block body = k_at(s->r.old, old)->blocks[0];
    int64_t by, most = k_hi(b->p, n), exact;
    if (!k_uses_carried(s->r.old, s->carried, body) || !k_is_const(b->p, step, &by) ||
        k_is_const(b->p, n, &exact) || most / by >= s->r.old->target.tuning.unroll_turns)
        return false;
    k_id loop = kb_open_for(b, kb_int(b, 0), kb_int(b, (int32_t)((most + by - 1) / by)),
                            kb_int(b, 1), NULL, 0);
    k_at(b->p, loop)->independent = true;
    k_id i = kb_add(b, kb_mul(b, kb_param(b, loop, 0), step), first);
    kb_open_if(b, kb_lt(b, i, n));
    set_index(s, old, i);
    rebuild_block(&s->r, body);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    return true;
}

/* Work i, i + step, ... below n for a worker that starts at `first` < step; level: of the barrier
 * between them, or 0. */
static void strided(spreading *s, k_id old, k_id first, k_id n, k_id step, uint32_t level)
{
    k_builder *b = &s->r.b;
    k_block body = k_at(s->r.old, old)->blocks[0];
    int64_t n_known, step_known;
    bool once = k_hi(b->p, n) <= k_lo(b->p, step);
    if (once && k_is_const(b->p, n, &n_known) && k_is_const(b->p, step, &step_known) &&
        n_known == step_known) {
        set_index(s, old, first);
        rebuild_block(&s->r, body);
    } else if (once) {
        kb_open_if(b, kb_lt(b, first, n));
        set_index(s, old, number_below(b, first, n));
        rebuild_block(&s->r, body);
        kb_next_block(b, NULL, 0);
        kb_close(b, NULL, 0);
    } else if (level || !counted(s, old, first, n, step)) {
        k_id loop = kb_open_for(b, first, n, step, NULL, 0);
        k_at(b->p, loop)->independent = !k_has_sync(s->r.old, body);
        set_index(s, old, kb_param(b, loop, 0));
        rebuild_block(&s->r, body);
        close_loop(s, level);
    }
}

/* Number of groups of `size` threads that n elements need: n / size, rounded up without overflow.
 */
static k_id groups_for(k_builder *b, k_id n, uint32_t size)
{
    k_id t = kb_int(b, (int32_t)size);
    k_id rest = kb_scalar(b, SOP_REM, n, t, 0);
    return kb_add(b, kb_scalar(b, SOP_QUOT, n, t, 0), kb_min(b, rest, kb_int(b, 1)));
}

/* Physical groups, and the threads of all of them together; 0: as many as there is work. */
static int32_t fixed_groups(const spreading *s)
{
    uint32_t fixed = s->r.old->target.request.groups;
    return fixed < INT32_MAX ? (int32_t)fixed : INT32_MAX;
}

static int32_t fixed_threads(const spreading *s)
{
    int64_t all = (int64_t)fixed_groups(s) * s->threads;
    return all < INT32_MAX ? (int32_t)all : INT32_MAX;
}

static void over_grid(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->r.b;
    int32_t fixed = fixed_groups(s);
    k_id t = kb_int(b, (int32_t)s->threads), needed = groups_for(b, n, s->threads);
    s->groups = fixed ? kb_min(b, needed, kb_int(b, fixed)) : needed;
    k_id thread = virtualise_thread_id(s),
         group = kb_convert(b, (scalar)k_at(b->p, n)->type, virtualise_group_id(s));
    k_id first = kb_add(b, kb_mul(b, group, t), thread);
    if (fixed) {
        strided(s, old, first, n, kb_int(b, fixed_threads(s)), 0);
        return;
    }
    kb_open_if(b, kb_lt(b, first, n));
    set_index(s, old, number_below(b, first, n));
    rebuild_block(&s->r, k_at(s->r.old, old)->blocks[0]);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* Without a fixed number, each group has exactly one piece and needs no loop. */
static void over_blocks(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->r.b;
    k_block body = k_at(s->r.old, old)->blocks[0];
    int32_t fixed = fixed_groups(s);
    s->groups = fixed ? kb_min(b, n, kb_int(b, fixed)) : n;
    k_id at = virtualise_group_id(s);
    if (!fixed) {
        set_index(s, old, at);
        rebuild_block(&s->r, body);
        return;
    }
    k_id loop = kb_open_for(b, at, n, kb_int(b, fixed), NULL, 0);
    set_index(s, old, kb_param(b, loop, 0));
    rebuild_block(&s->r, body);
    close_loop(s, virtualise_between_pieces(s, body));
}

/* All warps go through the loop together, so that they meet at its barriers; those beyond the end
 * are masked. */
static void over_warps_together(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->r.b;
    k_block body = k_at(s->r.old, old)->blocks[0];
    k_id loop = kb_open_for(b, kb_int(b, 0), n, kb_int(b, (int32_t)s->warps), NULL, 0);
    k_id i = kb_add(b, kb_param(b, loop, 0), virtualise_warp_id(s)), outer = s->mask;
    bool alike = s->alike;
    set_index(s, old, i);
    s->mask = virtualise_masked(s, kb_lt(b, i, n));
    s->alike = false;
    rebuild_block(&s->r, body);
    s->mask = outer;
    s->alike = alike;
    close_loop(s, virtualise_between_pieces(s, body));
}

/* A single warp needs no number, and warps that only wait among themselves each loop alone. */
static void over_warps(spreading *s, k_id old, k_id n)
{
    k_builder *b = &s->r.b;
    k_block body = k_at(s->r.old, old)->blocks[0];
    if (s->warps == 1 && !s->mask)
        strided(s, old, kb_int(b, 0), n, kb_int(b, 1), virtualise_between_pieces(s, body));
    else if (virtualise_highest_barrier(s, body) > LEVEL_WARP)
        over_warps_together(s, old, n);
    else
        strided(s, old, virtualise_warp_id(s), n, kb_int(b, (int32_t)s->warps),
                virtualise_between_pieces(s, body));
}

/* Like strided, but all lanes of a warp go through it together, so that they meet at shuffles;
 * those beyond the end are masked. */
static void together(spreading *s, k_id old, k_id first, k_id n, k_id step)
{
    k_builder *b = &s->r.b;
    k_id i = first, loop = 0, outer = s->mask;
    if (k_hi(b->p, n) > k_lo(b->p, step)) {
        loop = kb_open_for(b, kb_int(b, 0), n, step, NULL, 0);
        i = kb_add(b, kb_param(b, loop, 0), first);
    }
    set_index(s, old, i);
    s->mask = kb_lt(b, i, n);
    s->lanes.all = loop ? 0 : s->mask;
    s->lanes.depth = kb_depth(b);
    rebuild_block(&s->r, k_at(s->r.old, old)->blocks[0]);
    s->mask = outer;
    s->lanes.all = 0;
    if (loop)
        kb_close(b, NULL, 0);
}

/* The threads of a warp or block, each at work for itself. */
static void over_threads(spreading *s, k_id old, k_id first, k_id n, k_id step)
{
    if (lane_fact(s, old, LANE_TOGETHER))
        together(s, old, first, n, step);
    else
        strided(s, old, first, n, step, 0);
    virtualise_lanes_publish(s);
}

static void spread_par(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node par = *k_at(s->r.old, old);
    k_id n = rebuild_value(&s->r, par.args[0]);
    switch ((k_workers)par.workers) {
    case OVER_LANES:
        over_threads(s, old, virtualise_lane_id(s), n, virtualise_warp_width(s));
        break;
    case OVER_THREADS:
        over_threads(s, old, virtualise_thread_id(s), n, kb_int(b, (int32_t)s->threads));
        break;
    case OVER_WARPS: over_warps(s, old, n); break;
    case OVER_BLOCKS: over_blocks(s, old, n); break;
    case OVER_GRID: over_grid(s, old, n); break;
    }
}

/* The body decides on the number of groups (over_grid, over_blocks), so it is set when that is
 * done; a launch without either has one group. */
static void spread_launch(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node l = *k_at(s->r.old, old);
    int64_t threads = 1;
    k_is_const(s->r.old, l.args[1], &threads);
    s->level = l.level;
    s->threads = (uint32_t)threads;
    s->warp = s->r.old->target.facts.warp_size;
    s->warps = (s->threads + s->warp - 1) / s->warp;
    s->groups = kb_int(b, 1);
    k_id launch = kb_open_launch(b, l.level, s->groups, s->threads);
    rebuild_block(&s->r, l.blocks[0]);
    kb_close(b, NULL, 0);
    k_at(b->p, launch)->args[0] = s->groups;
}

/* ---- memories ---- */

/* Where the slice of one of many workers begins in the memory of all.  It is known in the whole
 * launch: what a branch forces may be read behind it.  Nothing wraps, as the memory is larger. */
static k_id slice_start(spreading *s, k_id (*number)(spreading *s), k_id size)
{
    k_builder *b = &s->r.b;
    k_outside before = kb_outside(b, b->launch_depth, true);
    k_id start = kb_claim(b, SOP_MUL, number(s), size);
    b->outside = before;
    return start;
}

/* The elements of all threads of the launch.  The memory is made in front of it. */
static k_id elements_of_all(spreading *s, k_id size)
{
    k_builder *b = &s->r.b;
    k_outside before = kb_outside(b, b->launch_depth - 1u, true);
    k_id block = kb_saturate(b, SOP_MUL, size, kb_int(b, (int32_t)s->threads));
    k_id all = kb_saturate(b, SOP_MUL, block, kb_narrow(b, s->groups));
    b->outside = before;
    return all;
}

/* Memory of warps becomes a slice of local memory, private memory that is large or of unknown size
 * a slice of global memory, both found by s->offset. */
static void spread_alloc(spreading *s, k_id old)
{
    k_builder *b = &s->r.b;
    const k_node a = *k_at(s->r.old, old);
    k_id size = rebuild_value(&s->r, a.args[0]);
    int64_t known;
    bool constant = k_is_const(b->p, size, &known),
         small = constant && known <= s->r.old->target.tuning.private_elements;
    if (a.space == SPACE_PRIVATE && constant && !small)
        k_decided(b->p, TUNE_private_elements, b->loc, (uint64_t)known);
    if (a.space == SPACE_LANES) {
        virtualise_lanes_alloc(s, old);
    } else if (a.space == SPACE_WARP) {
        k_id all = kb_saturate(b, SOP_MUL, size, kb_int(b, (int32_t)s->warps));
        s->offset[old] = s->warps > 1 ? slice_start(s, virtualise_warp_id, size) : 0;
        s->r.map[old] = kb_alloc(b, SPACE_LOCAL, (scalar)a.type, all);
    } else if (a.space == SPACE_PRIVATE && !small) {
        k_id all = elements_of_all(s, size);
        s->offset[old] = slice_start(s, virtualise_grid_thread, size);
        s->r.map[old] = kb_alloc_at(b, b->launch_depth - 1u, SPACE_GLOBAL, (scalar)a.type, all);
    } else {
        s->r.map[old] = kb_alloc(b, (k_space)a.space, (scalar)a.type, size);
        k_at(b->p, s->r.map[old])->kept = a.kept;
    }
}

/* The index in the memory of all; it is inside that memory where the access runs, hence a claim. */
static k_id element(spreading *s, const k_node *access)
{
    k_id at = rebuild_value(&s->r, access->args[1]), offset = s->offset[access->args[0]];
    return offset ? kb_claim(&s->r.b, SOP_ADD, offset, at) : at;
}

/* ---- the pass ---- */

static void spread_access(spreading *s, k_id old)
{
    const k_node n = *k_at(s->r.old, old);
    if (!virtualise_is_in_lanes(s, &n))
        rebuild_access(&s->r, old, element(s, &n));
    else if (n.op == K_LOAD)
        virtualise_lanes_load(s, old);
    else
        virtualise_lanes_store(s, old);
}

static bool spread_here(spreading *s, k_id old)
{
    const k_node n = *k_at(s->r.old, old);
    switch ((k_op)n.op) {
    case K_ALLOC: spread_alloc(s, old); return true;
    case K_LOAD:
    case K_STORE:
    case K_LOADWIDE:
    case K_STOREWIDE:
    case K_ATOMIC: spread_access(s, old); return true;
    case K_SYNC: virtualise_barrier(s, n.level); return true;
    case K_PAR: spread_par(s, old); return true;
    case K_LAUNCH: spread_launch(s, old); return true;
    default: return false;
    }
}

/* An if that the whole block enters together, as one under a mask that everybody has. */
static void open_for_all(spreading *s, k_id old)
{
    s->mask = kb_const(&s->r.b, ST_BOOL, 1);
    s->alike = true;
    virtualise_predicate(s, old);
    s->mask = 0;
    s->alike = false;
}

/* Warps with barriers in their work meet at them under any mask. */
static bool spread_statement(rebuild *r, k_id old)
{
    spreading *s = (spreading *)r;
    const k_node *n = k_at(s->r.old, old);
    bool meet = n->op == K_PAR && virtualise_highest_barrier(s, n->blocks[0]);
    if (!s->mask && virtualise_opens(s, old))
        open_for_all(s, old);
    else if (!s->mask || meet)
        return spread_here(s, old);
    else
        virtualise_predicate(s, old);
    return true;
}

bool k_virtualise(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(k_id);
    spreading s = {.r.statement = spread_statement, .offset = mem_resize(m, NULL, 0, size)};
    s.carried = k_find_carried(p);
    if (s.offset)
        memset(s.offset, 0, size);
    size_t nodes = p->nodes.len;
    bool ok = s.offset && s.carried && virtualise_lanes_analyse(&s.lanes, p) && k_rebuild(p, &s.r);
    virtualise_lanes_release(&s.lanes, m);
    mem_free(m, s.carried, nodes);
    mem_free(m, s.offset, size);
    if (ok)
        p->stage = K_VIRTUALISED;
    return ok;
}
