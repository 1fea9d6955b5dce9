/* What unrolling costs: how often a loop turns, and how many statements its body has. */
#include "ir/kernel/pass/unroll/unroll.h"

/* ---- turns ---- */

/* How often a loop from lo to hi runs, for a positive step; hi - 1 - lo cannot overflow for i32. */
static int64_t turns_from(int64_t lo, int64_t hi, int64_t step)
{
    return lo < hi ? (hi - 1 - lo) / step + 1 : 0;
}

/* A start that is not constant is fine when it changes the number of turns by one at most. */
bool unroll_turns(const k_program *p, k_id lo, k_id hi, k_id step, turns *out)
{
    int64_t h, s;
    if (!k_is_const(p, hi, &h) || !k_is_const(p, step, &s) || s < 1 || k_at(p, lo)->type != ST_I32)
        return false;
    *out = (turns){turns_from(k_hi(p, lo), h, s), turns_from(k_lo(p, lo), h, s)};
    return out->most - out->least <= 1;
}

/* Notes which tuning number was in the way, for the report. */
bool unroll_fits(const unrolling *u, uint64_t times, uint64_t cost, bool own)
{
    const k_tuning *t = &u->r.old->target.tuning;
    uint64_t most = (uint64_t)t->unroll * (own ? t->unroll_own : 1);
    uint64_t all = (uint64_t)u->copies * times * (cost ? cost : 1);
    if (times > t->unroll_turns)
        k_decided(u->r.b.p, TUNE_unroll_turns, u->r.b.loc, times);
    else if (all > most)
        k_decided(u->r.b.p, TUNE_unroll, u->r.b.loc, all);
    else
        return cost <= most;
    return false;
}

/* ---- index arithmetic ---- */

static bool all_indexes(const unrolling *u, const k_node *n)
{
    return u->indexes[n->args[0]] && u->indexes[n->args[1]] && u->indexes[n->args[2]];
}

/* Integers that come from constants, arguments, coordinates and loop variables alone. */
static bool is_index(const unrolling *u, const k_node *n)
{
    bool whole = n->type == ST_I32 || n->type == ST_BOOL;
    switch ((k_op)n->op) {
    case K_CONST:
    case K_ARG:
    case K_DIM:
    case K_BUILTIN: return whole;
    case K_SCALAR: return whole && all_indexes(u, n);
    default: return false;
    }
}

/* Operands come before users, so that one walk is enough. */
static void find_in_block(unrolling *u, k_block b)
{
    const k_program *p = u->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        u->indexes[id] = is_index(u, n);
        if (n->op == K_FOR)
            u->indexes[k_block_at(p, n->blocks[0])->params] = 1;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_in_block(u, n->blocks[i]);
    }
}

bool unroll_find_indexes(unrolling *u)
{
    size_t size = u->r.old->nodes.len;
    u->indexes = mem_resize(&u->r.old->cx->mem, NULL, 0, size);
    if (!u->indexes)
        return false;
    for (size_t i = 0; i < size; i++)
        u->indexes[i] = i == 0; /* an operand that is not there is no obstacle */
    find_in_block(u, u->r.old->host);
    return true;
}

/* ---- statements ---- */

/* Statements of real work, and index arithmetic, which mostly folds when a loop is unrolled. */
typedef struct tally {
    uint64_t work, indexes;
} tally;

/* A block with its inner loops unrolled, and as it is. */
typedef struct counts {
    tally opened, kept;
    bool loops, whiles, local;
} counts;

/* Saturates, so that nested loops cannot overflow the sum. */
static void add(tally *to, tally t, uint64_t times)
{
    enum { MANY = 1 << 24 }; /* more than any limit */
    to->work += t.work * times;
    to->indexes += t.indexes * times;
    to->work = to->work < MANY ? to->work : MANY;
    to->indexes = to->indexes < MANY ? to->indexes : MANY;
}

static counts count_block(const unrolling *u, k_block b);

/* Opened, an inner loop of a constant number of turns counts as often as it turns. */
static void count_region(const unrolling *u, const k_node *n, counts *sum)
{
    turns t = {1, 1};
    bool constant =
        n->op == K_FOR && unroll_turns(u->r.old, n->args[0], n->args[1], n->args[2], &t);
    sum->loops = sum->loops || (n->op == K_FOR && !constant);
    sum->whiles = sum->whiles || n->op == K_WHILE;
    add(&sum->opened, (tally){1, 0}, n->op == K_FOR ? 0 : 1);
    add(&sum->kept, (tally){1, 0}, 1);
    for (int i = 0; i < 2; i++) {
        if (!n->blocks[i])
            continue;
        counts c = count_block(u, n->blocks[i]);
        add(&sum->opened, c.opened, constant ? (uint64_t)t.most : 1);
        add(&sum->kept, c.kept, 1);
        sum->loops = sum->loops || c.loops;
        sum->whiles = sum->whiles || c.whiles;
        sum->local = sum->local || c.local;
    }
}

/* Quotients by another number than a power of two, and the like, are not what folds. */
static bool folds(const unrolling *u, const k_node *n)
{
    const k_program *p = u->r.old;
    int64_t by;
    bool power = n->args[1] && k_is_const(p, n->args[1], &by) && by > 0 && (by & (by - 1)) == 0;
    return power || ir_op_info(n->opcode)->cost <= p->target.tuning.cheap;
}

/* A wide access counts as its elements. */
static tally statement_cost(const unrolling *u, k_id id, const k_node *n)
{
    switch (k_op_info(n->op)->class) {
    case KC_VALUE:
        return u->indexes[id] && (n->op != K_SCALAR || folds(u, n)) ? (tally){0, n->op == K_SCALAR}
                              : (tally){n->op == K_SCALAR || n->op == K_CONVERT, 0};
    case KC_READ: return (tally){n->op == K_LOADWIDE ? n->nresults : 1, 0};
    case KC_EFFECT: return (tally){n->op == K_STOREWIDE ? n->nlist : 1, 0};
    default: return (tally){0};
    }
}

static bool is_local(const k_program *p, const k_node *access)
{
    k_class class = k_op_info(access->op)->class;
    const k_node *memory = k_at(p, access->args[0]);
    return (class == KC_READ || class == KC_EFFECT) && memory->op == K_ALLOC &&
           memory->space == SPACE_LOCAL;
}

static counts count_block(const unrolling *u, k_block b)
{
    const k_program *p = u->r.old;
    counts sum = {0};
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        tally t = statement_cost(u, id, n);
        add(&sum.opened, t, 1);
        add(&sum.kept, t, 1);
        sum.local = sum.local || is_local(p, n);
        if (k_op_info(n->op)->class == KC_REGION)
            count_region(u, n, &sum);
    }
    return sum;
}

/* Arithmetic on indices folds when loops are unrolled, most of it; what is left is worth a part of
 * a statement. */
static uint64_t weigh(const unrolling *u, tally t)
{
    uint64_t indexes = t.indexes / u->r.old->target.tuning.unroll_indices;
    return t.work > indexes ? t.work : indexes;
}

body_cost unroll_cost(const unrolling *u, k_block body)
{
    counts c = count_block(u, body);
    return (body_cost){weigh(u, c.opened), weigh(u, c.kept), c.loops, c.whiles, c.local};
}
