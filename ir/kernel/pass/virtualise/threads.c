/* The running thread: its numbers, and where it waits for others. */
#include "ir/kernel/pass/virtualise/virtualise.h"

/* ---- numbers ---- */

/* Threads of a block are numbered from 0; the range lets quotient and remainder fold. */
k_id virtualise_thread_id(spreading *s)
{
    return kb_builtin(&s->r.b, AT_THREAD, (int64_t)s->threads - 1);
}

k_id virtualise_warp_id(spreading *s)
{
    return kb_scalar(&s->r.b, SOP_QUOT, virtualise_thread_id(s), kb_int(&s->r.b, (int32_t)s->warp),
                     0);
}

k_id virtualise_lane_id(spreading *s)
{
    return kb_scalar(&s->r.b, SOP_REM, virtualise_thread_id(s), kb_int(&s->r.b, (int32_t)s->warp),
                     0);
}

/* The last warp of a block may be shorter than the others. */
k_id virtualise_warp_width(spreading *s)
{
    k_builder *b = &s->r.b;
    k_id w = kb_int(b, (int32_t)s->warp), t = kb_int(b, (int32_t)s->threads);
    if (s->threads % s->warp == 0 || s->threads < s->warp)
        return kb_min(b, w, t);
    return kb_min(b, w, kb_sub(b, t, kb_mul(b, virtualise_warp_id(s), w)));
}

/* Below the number of groups, which the launch has from the same value. */
k_id virtualise_group_id(spreading *s)
{
    k_builder *b = &s->r.b;
    int64_t most = k_hi(b->p, s->groups) - 1;
    k_id at = kb_builtin(b, AT_GROUP,
                         most < MAX_EXTENT ? most : MAX_EXTENT); /* a launch takes no more groups */
    if (k_at(b->p, at)->op == K_BUILTIN)
        k_state_below(b->p, at, s->groups);
    return at;
}

k_id virtualise_grid_thread(spreading *s)
{
    k_builder *b = &s->r.b;
    return kb_add(b, kb_mul(b, virtualise_group_id(s), kb_int(b, (int32_t)s->threads)),
                  virtualise_thread_id(s));
}

/* ---- barriers ---- */

/* Where warps cannot wait by themselves, the whole block waits. */
static uint32_t barrier_level(const spreading *s, uint32_t level)
{
    return !s->r.old->target.facts.warps_wait && level ? LEVEL_BLOCK : level;
}

/* A block of one thread waits for nobody. */
void virtualise_barrier(spreading *s, uint32_t level)
{
    if (s->threads > 1 && level)
        kb_sync(&s->r.b, barrier_level(s, level));
}

/* The level of the barrier that a block ends with, or 0. */
static uint32_t last_barrier(const spreading *s, k_block b)
{
    const k_program *p = s->r.old;
    k_id before = 0, n = k_block_at(p, b)->first;
    for (; n && k_at(p, n)->op != K_YIELD; n = k_at(p, n)->next)
        before = n;
    return k_at(p, before)->op == K_SYNC ? barrier_level(s, k_at(p, before)->level) : 0;
}

uint32_t virtualise_highest_barrier(const spreading *s, k_block b)
{
    return barrier_level(s, k_highest_sync(s->r.old, b));
}

/* 0 where the body ends with a barrier that is as strong as any in it. */
uint32_t virtualise_between_pieces(const spreading *s, k_block body)
{
    uint32_t most = virtualise_highest_barrier(s, body);
    return last_barrier(s, body) < most ? most : 0;
}
