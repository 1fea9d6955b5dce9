/* Accumulators: see carried.h.
 *
 * Before threads are known, whose element it is shows in its index alone: every access to the array
 * is at the number of the turn around it.  Where all such loops are spread over the threads in the
 * same way, an element is a thread's own, and registers.c makes it one; so they are not widened,
 * and turns that only the launch knows are bounded by a constant (virtualise.c). */
#include "ir/kernel/analysis/carried.h"

#include "ir/kernel/facts.h"

enum {
    SHARED = 1,
    CARRIED = 2,
    LOOPS = 2 /* around the array, from that bit on */,
    MOST_LOOPS = 63
};

typedef struct carried_search {
    const k_program *p;
    uint8_t *found;
    int64_t threads; /* of the launch */
} carried_search;

/* Whether a thread's part of it fits into registers, whatever the launch knows. */
static bool is_small(const carried_search *s, const k_node *alloc)
{
    int64_t most = k_hi(s->p, alloc->args[0]), bytes = ir_scalar_bytes((scalar)alloc->type);
    return s->threads > 0 && most < MAX_EXTENT &&
           (most + s->threads - 1) / s->threads * bytes <= s->p->target.tuning.register_bytes;
}

static bool is_local(const k_node *n)
{
    return n->op == K_ALLOC && n->space == SPACE_LOCAL;
}

static void meet_access(const carried_search *s, const k_node *n, k_id turn, uint32_t loops)
{
    uint8_t *found = &s->found[n->args[0]];
    bool plain = n->op == K_LOAD || n->op == K_STORE;
    if (!plain || !turn || n->args[1] != turn)
        *found |= SHARED;
    else if (loops > (uint32_t)*found >> LOOPS)
        *found |= CARRIED;
}

/* turn: the number of the turn around; loops: of the whole block, around that. */
static void look(carried_search *s, k_block b, k_id turn, uint32_t loops)
{
    const k_program *p = s->p;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        bool again = !turn && k_is_loop(n);
        k_id inner = n->op == K_PAR && n->workers == OVER_THREADS
                         ? k_block_at(p, n->blocks[0])->params
                         : turn;
        if (n->op == K_LAUNCH && !k_is_const(p, n->args[1], &s->threads))
            s->threads = 0;
        if (is_local(n))
            s->found[id] = (uint8_t)(loops << LOOPS | (is_small(s, n) ? 0 : SHARED));
        if ((class == KC_READ || class == KC_EFFECT) && is_local(k_at(p, n->args[0])))
            meet_access(s, n, turn, loops);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                look(s, n->blocks[i], inner, loops + (again && loops < MOST_LOOPS));
    }
}

uint8_t *k_find_carried(const k_program *p)
{
    carried_search s = {.p = p, .found = mem_zeroed(&p->cx->mem, p->nodes.len)};
    if (s.found)
        look(&s, p->host, 0, 0);
    return s.found;
}

bool k_uses_carried(const k_program *p, const uint8_t *found, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        if ((class == KC_READ || class == KC_EFFECT) && is_local(k_at(p, n->args[0])) &&
            (found[n->args[0]] & (SHARED | CARRIED)) == CARRIED)
            return true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && k_uses_carried(p, found, n->blocks[i]))
                return true;
    }
    return false;
}
