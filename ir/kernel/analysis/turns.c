/* Loops of a constant number of turns, see turns.h. */
#include "ir/kernel/analysis/turns.h"

enum { TOO_MANY = 1 << 20 }; /* statements */

/* Statements of a block that computes and reads, and does nothing else. */
static uint64_t statements_of(const k_program *p, k_block b)
{
    uint64_t count = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        bool reads = class == KC_VALUE || class == KC_READ || n->op == K_YIELD;
        count += reads ? 1 : TOO_MANY;
    }
    return count;
}

static uint64_t turns_of(const k_program *p, const k_node *loop)
{
    int64_t lo, hi, step;
    bool constant = k_is_const(p, loop->args[0], &lo) && k_is_const(p, loop->args[1], &hi) &&
                    k_is_const(p, loop->args[2], &step);
    return constant && step >= 1 && lo < hi ? (uint64_t)((hi - 1 - lo) / step + 1) : 0;
}

uint32_t k_left_turns(const k_program *p, k_id loop)
{
    const k_node *n = k_at(p, loop);
    const k_tuning *t = &p->target.tuning;
    if (n->op != K_FOR || n->nresults < t->unroll_carried)
        return 0;
    uint64_t turns = turns_of(p, n), most = (uint64_t)t->unroll * t->unroll_own;
    return turns <= t->unroll_turns && turns * statements_of(p, n->blocks[0]) <= most ? (uint32_t)turns : 0;
}
