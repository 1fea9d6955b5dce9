/* Predictive commoning: what a turn computes of the values that it hands on, the next turn computes of
 * the values that it got, and so it is handed on instead.
 *
 *   for (x = a) { y = x * x; ... n = ...; z = n * n; ... yield n }
 *   for (x = a, y = a * a) { ... n = ...; z = n * n; ... yield n, z }
 *
 * Compilers see what is the same within a turn, and most do not look across its end. What is carried
 * takes a register, so it is worth it for products of floats and what costs more; integers are mostly
 * indices, which the builder and compilers take apart in other ways. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum { MOST_CARRIED = 8, MOST_LOOKED_AT = 64, LEAST_COST = 4, OPERANDS = 3 };

/* Old nodes: what is computed of the values that a turn gets, and the same of those that it hands on. */
typedef struct common {
    k_id now[MOST_CARRIED], next[MOST_CARRIED];
    uint32_t n;
} common;

/* ---- finding ---- */

/* A value of the turn, as the turn hands it on; 0: it does not hand it on. What the loop does not change
 * is the same in all turns. */
static k_id handed_on(const k_program *p, const k_node *loop, k_id v)
{
    const k_blocks *body = k_block_at(p, loop->blocks[0]);
    const k_node *yield = k_yield_of(p, loop->blocks[0]);
    if (v > body->params && v < body->params + body->nparams)
        return k_listed(p, yield, v - body->params - 1);
    return !v || k_at(p, v)->op == K_CONST || k_at(p, v)->depth <= loop->depth ? v : 0;
}

static bool is_worth_it(const k_node *n)
{
    return n->op == K_SCALAR && ir_scalar_is_float((scalar)n->type) &&
           ir_op_info(n->opcode)->cost >= LEAST_COST;
}

/* Fills in the operands of the next turn's; false: not all of them are there in this one, or all are
 * the same. */
static bool next_operands(const k_program *p, const k_node *loop, const k_node *n, k_id *out)
{
    bool changes = false;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        out[i] = handed_on(p, loop, n->args[i]);
        if (n->args[i] && !out[i])
            return false;
        changes = changes || out[i] != n->args[i];
    }
    return changes;
}

static k_id find_same(const k_program *p, k_block b, const k_node *as, const k_id *operands)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_SCALAR && n->opcode == as->opcode && n->type == as->type &&
            n->args[0] == operands[0] && n->args[1] == operands[1] && n->args[2] == operands[2])
            return id;
    }
    return 0;
}

static void find_common(const k_program *p, const k_node *loop, common *f)
{
    uint32_t left = MOST_LOOKED_AT;
    for (k_id id = k_block_at(p, loop->blocks[0])->first; id && f->n < MOST_CARRIED && left;
         id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_id operands[OPERANDS];
        if (!is_worth_it(n) || !next_operands(p, loop, n, operands))
            continue;
        k_id same = find_same(p, loop->blocks[0], n, operands);
        left--;
        if (!same)
            continue;
        f->now[f->n] = id;
        f->next[f->n++] = same;
    }
}

/* ---- carrying ---- */

/* An operand in front of the loop: what the first turn gets. */
static k_id at_first(const rebuild *r, const k_node *loop, const k_id *init, k_id v)
{
    const k_blocks *body = k_block_at(r->old, loop->blocks[0]);
    bool carried = v > body->params && v < body->params + body->nparams;
    return !v ? 0 : carried ? init[v - body->params - 1] : rebuild_value(r, v);
}

static uint32_t start(rebuild *r, const k_node *loop, const common *f, k_id *init, uint32_t n)
{
    for (uint32_t i = 0; i < f->n; i++) {
        const k_node *now = k_at(r->old, f->now[i]);
        k_id x[OPERANDS];
        for (uint32_t k = 0; k < OPERANDS; k++)
            x[k] = at_first(r, loop, init, now->args[k]);
        init[n + i] = kb_scalar(&r->b, now->opcode, x[0], x[1], x[2]);
    }
    return n + f->n;
}

static bool carry(rebuild *r, k_id old)
{
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    common f = {.n = 0};
    if (n.op != K_FOR || !n.nlist)
        return false;
    find_common(r->old, &n, &f);
    if (!f.n)
        return false;
    k_id *init = rebuild_room(r, n.nlist + f.n);
    if (!init)
        return true;
    uint32_t count = rebuild_carried(r, &n, init), all = start(r, &n, &f, init, count);
    k_id stmt = rebuild_open_for(r, old, init, all);
    for (uint32_t i = 0; i < f.n; i++)
        rebuild_facts(r, f.now[i], kb_param(b, stmt, 1 + count + i));
    rebuild_block(r, n.blocks[0]);
    rebuild_yield(r, n.blocks[0], init, count);
    for (uint32_t i = 0; i < f.n; i++)
        init[count + i] = rebuild_value(r, f.next[i]);
    kb_close(b, init, all);
    rebuild_results(r, old, stmt);
    return true;
}

static bool statement(rebuild *r, k_id old)
{
    if (k_at(r->old, old)->op == K_SCALAR && rebuild_value(r, old))
        return true; /* the loop around it has given it a value */
    return carry(r, old);
}

/* Whether some loop has something to carry. */
static bool has_common(const k_program *p, k_block b)
{
    bool any = false;
    for (k_id id = k_block_at(p, b)->first; id && !any; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        common f = {.n = 0};
        if (n->op == K_FOR && n->nlist)
            find_common(p, n, &f);
        any = f.n > 0;
        for (int i = 0; i < 2; i++)
            any = any || (n->blocks[i] && has_common(p, n->blocks[i]));
    }
    return any;
}

bool k_commoning(k_program *p)
{
    return !has_common(p, p->host) || k_rebuild(p, &(rebuild){.statement = statement});
}
