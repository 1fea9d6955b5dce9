/* The walk of the verifier: structure, scopes and order; see verify.h.
 *
 * Blocks are walked in the order in which they run.  A node is noted with its block when it is met,
 * and a block is open as long as the walk is inside it, so that a value is visible when its block
 * is open: that is dominance in a structured program.  What asks more of the whole program begins
 * when nothing was found here. */
#include "ir/kernel/verify/impl.h"

/* Defines a node in a block. */
static bool define(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    verify_note *note = &v->notes[id];
    if (note->home)
        return verify_breaks(v, RULE_ORDER, id, "node %u stands in two places", id);
    note->home = at->block;
    note->type = n->type;
    note->is_memory = k_op_info(n->op)->class == KC_PLACE;
    note->is_value = verify_is_scalar(n);
    return n->depth == at->depth ||
           verify_breaks(v, RULE_DEPTH, id, "node %u says that it is %u deep, not %u", id, n->depth,
                         at->depth);
}

/* Whether n consecutive nodes exist; node 0 never counts, it stands for none. */
static bool in_range(const verifier *v, k_id first, uint32_t n)
{
    return n == 0 || (first > 0 && (uint64_t)first + n <= v->p->nodes.len);
}

/* ---- parameters and results ---- */

static bool has_variable(const k_node *owner)
{
    return owner->op == K_FOR || owner->op == K_PAR;
}

/* A loop's variable has the type of its end. */
static bool check_variable(verifier *v, k_id owner, k_id param)
{
    const k_node *n = k_at(v->p, owner);
    k_id end = n->args[n->op == K_FOR];
    return k_at(v->p, param)->type == k_at(v->p, end)->type ||
           verify_breaks(v, RULE_PARAM, owner, "its variable %%%u has not the type of the end",
                         param);
}

/* The variable comes first, then what is carried, of the type of its initial value. */
static bool check_param(verifier *v, k_id owner, uint32_t i, const standing *at)
{
    const k_node *n = k_at(v->p, owner);
    k_id id = k_block_at(v->p, at->block)->params + i;
    const k_node *param = k_at(v->p, id);
    uint32_t variable = has_variable(n);
    if (param->op != K_PARAM || param->owner != owner || param->number != i)
        return verify_breaks(v, RULE_PARAM, owner, "%%%u is not parameter %u of it", id, i);
    if (!define(v, id, at))
        return false;
    if (i < variable)
        return check_variable(v, owner, id);
    k_id initial = k_pooled(v->p, n->list, i - variable);
    return param->type == k_at(v->p, initial)->type ||
           verify_breaks(v, RULE_YIELDED, owner, "%%%u is carried with the type of another", id);
}

/* Block 0 of a loop has parameters. */
static bool check_params(verifier *v, k_id owner, bool first, const standing *at)
{
    const k_node *n = k_at(v->p, owner);
    const k_blocks *b = k_block_at(v->p, at->block);
    bool carries = k_is_loop(n);
    uint32_t want = !owner || !first ? 0 : has_variable(n) + (carries ? n->nlist : 0);
    if (b->nparams != want || !in_range(v, b->params, want))
        return verify_breaks(v, RULE_PARAM, owner, "its block has %u parameters, not %u",
                             b->nparams, want);
    for (uint32_t i = 0; i < want; i++)
        if (!check_param(v, owner, i, at))
            return false;
    return verify_param_facts(v, at->block);
}

/* Results stand in the block of their statement, after it. */
static bool define_results(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    if (!in_range(v, n->results, n->nresults))
        return verify_breaks(v, RULE_RESULT, id, "its results are no nodes");
    for (uint32_t i = 0; i < n->nresults; i++) {
        const k_node *r = k_at(v->p, n->results + i);
        if (r->op != K_RESULT || r->owner != id || r->number != i)
            return verify_breaks(v, RULE_RESULT, id, "%%%u is not its result %u", n->results + i,
                                 i);
        if (!define(v, n->results + i, at))
            return false;
    }
    return true;
}

/* ---- yields ---- */

/* Yields what the block's owner asks for: as many values as results, of their types; the condition
 * of a while one bool. */
static bool check_yield(verifier *v, k_id id, const standing *at, bool first)
{
    const k_node *y = k_at(v->p, id), *n = k_at(v->p, at->owner);
    bool condition = n->op == K_WHILE && first;
    uint32_t want = condition                                          ? 1
                    : at->owner && n->op != K_LAUNCH && n->op != K_PAR ? n->nresults
                                                                       : 0;
    if (y->nlist != want)
        return verify_breaks(v, RULE_YIELDED, id, "it yields %u values, not %u", y->nlist, want);
    for (uint32_t i = 0; i < want; i++) {
        uint32_t type = k_at(v->p, k_pooled(v->p, y->list, i))->type;
        uint32_t asked = condition ? (uint32_t)ST_BOOL : k_at(v->p, n->results + i)->type;
        if (type != asked)
            return verify_breaks(v, RULE_YIELDED, id, "value %u is a %s, not a %s", i,
                                 ir_scalar_name((scalar)type), ir_scalar_name((scalar)asked));
    }
    return true;
}

/* ---- statements and blocks ---- */

static bool check_block(verifier *v, k_block b, bool first, standing at);

/* As a bit of standing.workers. */
static uint32_t workers_of(const verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    return n->op == K_PAR ? 1u << n->workers : 0;
}

/* A while's second block sees what the first has computed. */
static bool check_blocks(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    standing inside = *at;
    inside.owner = id;
    inside.depth = at->depth + 1;
    inside.workers = n->op == K_LAUNCH ? 0 : at->workers | workers_of(v, id);
    if (n->op == K_LAUNCH)
        inside.launch = id;
    bool ok = !n->blocks[0] || check_block(v, n->blocks[0], true, inside);
    if (ok && n->blocks[1]) {
        bool nested = n->op == K_WHILE;
        v->open[n->blocks[0]] = nested;
        inside.depth += nested;
        ok = check_block(v, n->blocks[1], false, inside);
    }
    if (!ok)
        return false;
    v->open[n->blocks[0]] = 0;
    v->open[n->blocks[1]] = 0;
    v->launch = at->launch;
    return true;
}

/* The blocks come before the statement is defined: nothing inside may use its results. Types come
 * first, since everything later relies on operands that exist. */
static bool check_statement(verifier *v, k_id id, bool first, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    bool ok = verify_types(v, id) && verify_standing(v, id, at) && check_blocks(v, id, at) &&
              define(v, id, at) && define_results(v, id, at) && verify_facts(v, id) &&
              verify_claims(v, id);
    return ok && (n->op != K_YIELD || check_yield(v, id, at, first));
}

/* A block is entered once, which bounds the walk. */
static bool enter(verifier *v, k_block b, const standing *at)
{
    if (b >= v->p->blocks.len)
        return verify_breaks(v, RULE_BLOCK, at->owner, "block %u does not exist", b);
    if (v->owner[b])
        return verify_breaks(v, RULE_BLOCK, at->owner, "block %u has two owners", b);
    v->owner[b] = at->owner ? at->owner : UINT32_MAX;
    v->open[b] = 1;
    v->within[b] = v->launch = at->launch;
    if (at->depth >= VERIFY_NESTING)
        return verify_breaks(v, RULE_NESTING, at->owner, "it is %u blocks deep", at->depth);
    return k_block_at(v->p, b)->depth == at->depth ||
           verify_breaks(v, RULE_DEPTH, at->owner, "its block says that it is %u deep, not %u",
                         k_block_at(v->p, b)->depth, at->depth);
}

static bool check_block(verifier *v, k_block b, bool first, standing at)
{
    at.block = b;
    if (!enter(v, b, &at) || !check_params(v, at.owner, first, &at))
        return false;
    const k_blocks *bl = k_block_at(v->p, b);
    k_id last = 0;
    for (k_id id = bl->first; id; id = k_at(v->p, id)->next) {
        if (!verify_is_node(v, id))
            return verify_breaks(v, RULE_ORDER, last, "what follows, %u, is no node", id);
        if (v->notes[id].home)
            return verify_breaks(v, RULE_ORDER, id, "node %u stands in two places", id);
        if (last && k_at(v->p, last)->op == K_YIELD)
            return verify_breaks(v, RULE_YIELD, last, "statements follow it");
        if (!check_statement(v, id, first, &at))
            return false;
        last = id;
    }
    if (bl->last != last)
        return verify_breaks(v, RULE_ORDER, last, "its block ends with another statement, %u",
                             bl->last);
    return k_at(v->p, last)->op == K_YIELD ||
           verify_breaks(v, RULE_YIELD, at.owner, "a block of it has no yield");
}

/* ---- the whole program ---- */

static bool check_structure(verifier *v)
{
    return v->p->nodes.len && v->p->facts.len == v->p->nodes.len && v->p->blocks.len && v->p->host
               ? verify_inputs(v) && check_block(v, v->p->host, true, (standing){0})
               : verify_breaks(v, RULE_BLOCK, 0, "there is no host block");
}

static bool check_all(verifier *v)
{
    if (!check_structure(v))
        return false;
    bool ok = verify_outputs(v);
    ok = verify_uniform(v) && ok;
    return verify_kernels(v) && ok;
}

bool k_verify(const k_program *p, k_stage stage)
{
    mem *m = &p->cx->mem;
    size_t nodes = p->nodes.len, blocks = p->blocks.len;
    verifier v = {.p = p,
                  .stage = stage,
                  .m = m,
                  .notes = mem_zeroed(m, (nodes + 1) * sizeof *v.notes),
                  .owner = mem_zeroed(m, (blocks + 1) * sizeof *v.owner),
                  .within = mem_zeroed(m, (blocks + 1) * sizeof *v.within),
                  .open = mem_zeroed(m, blocks + 1),
                  .named = mem_zeroed(m, p->out.len + 1)};
    bool ok = v.notes && v.owner && v.within && v.open && v.named && check_all(&v) && !v.errors;
    mem_free(m, v.notes, (nodes + 1) * sizeof *v.notes);
    mem_free(m, v.owner, (blocks + 1) * sizeof *v.owner);
    mem_free(m, v.within, (blocks + 1) * sizeof *v.within);
    mem_free(m, v.open, blocks + 1);
    mem_free(m, v.named, p->out.len + 1);
    return ok;
}
