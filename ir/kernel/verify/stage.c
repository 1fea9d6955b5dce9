/* What may stand where: in the host block, in kernels, before and after virtualise. */
#include "ir/kernel/verify/impl.h"

/* ---- inputs and outputs ---- */

/* Arguments, extents and buffers are those of inputs, and stand in the host block. */
static bool check_input(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    const vec_leaf *in = &v->p->in;
    if (n->leaf >= in->len)
        return verify_breaks(v, RULE_INPUT, id, "there is no input %u", n->leaf);
    const leaf *l = &in->at[n->leaf];
    bool fits = n->op == K_ARG   ? l->rank == 0 && l->type == n->type
                : n->op == K_DIM ? n->axis < l->rank
                                 : l->rank > 0 && l->type == n->type;
    if (!fits)
        return verify_breaks(v, RULE_INPUT, id, "input %u is of another form", n->leaf);
    return at->depth == 0 || verify_breaks(v, RULE_INPUT, id, "it stands inside a block");
}

/* The walk calls this once for each statement, which finds outputs that are named twice. */
static bool check_output(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    uint32_t which = n->leaf;
    if (which >= v->p->out.len)
        return verify_breaks(v, RULE_OUTPUT, id, "there is no output %u", which);
    if (v->named[which]++)
        return verify_breaks(v, RULE_OUTPUT, id, "output %u is named twice", which);
    const leaf *l = &v->p->out.at[which];
    if (l->type != n->type || l->rank != n->nlist)
        return verify_breaks(v, RULE_OUTPUT, id, "output %u is of another form", which);
    const k_node *memory = k_at(v->p, n->args[0]);
    if (memory->op == K_BUFFER && !memory->overwritten)
        return verify_breaks(v, RULE_OUTPUT, id, "its memory is an input that is not overwritten");
    return at->depth == 0 || verify_breaks(v, RULE_OUTPUT, id, "it stands inside a block");
}

static bool is_emitted(const k_node *n)
{
    return n->op == K_EMIT || n->op == K_EMITSCALAR || n->op == K_RECEIVE;
}

/* Each looks as far as the next. */
static bool check_emitted(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    k_id next = n->next;
    if (!n->number)
        return true;
    while (next && !is_emitted(k_at(v->p, next)) &&
           (!k_at(v->p, next)->blocks[0] || k_at(v->p, next)->op == K_LAUNCH))
        next = k_at(v->p, next)->next;
    const k_node *other = k_at(v->p, next);
    return (is_emitted(other) && other->number + 1u == n->number) ||
           verify_breaks(v, RULE_EMITTED, id, "leaf %u from the last is missing behind it",
                         n->number - 1u);
}

/* The leaves come from whoever made the program, and are looked at before anything refers to them.
 */
static bool is_leaf(const leaf *l)
{
    return ir_scalar_class(l->type) && l->rank <= MAX_RANK;
}

bool verify_inputs(verifier *v)
{
    for (uint32_t i = 0; i < v->p->in.len; i++)
        if (!is_leaf(&v->p->in.at[i]))
            return verify_breaks(v, RULE_INPUT, 0, "input %u has no form", i);
    for (uint32_t i = 0; i < v->p->out.len; i++)
        if (!is_leaf(&v->p->out.at[i]))
            return verify_breaks(v, RULE_OUTPUT, 0, "output %u has no form", i);
    return true;
}

bool verify_outputs(verifier *v)
{
    for (uint32_t i = 0; i < v->p->out.len; i++)
        if (!v->named[i])
            return verify_breaks(v, RULE_OUTPUT, 0, "output %u is not named", i);
    return true;
}

/* ---- memories ---- */

static bool check_space(verifier *v, k_id id, const standing *at)
{
    uint32_t space = k_at(v->p, id)->space;
    if (space < SPACE_GLOBAL || space > SPACE_LANES)
        return verify_breaks(v, RULE_OPERATOR, id, "there is no space %u", space);
    if (v->stage != K_LOWERED && (space == SPACE_WARP || space == SPACE_LANES))
        return verify_breaks(v, RULE_STAGE, id, "memory of warps and lanes is gone by now");
    if (!at->launch && space != SPACE_GLOBAL)
        return verify_breaks(v, RULE_HOST, id, "it is memory of a kernel");
    return !at->launch || space != SPACE_GLOBAL ||
           verify_breaks(v, RULE_KERNEL, id, "global memory is allocated outside of the launch");
}

/* Defined outside of the launch, or a constant. */
static bool is_known_before(const verifier *v, k_id size, const standing *at)
{
    return k_at(v->p, size)->op == K_CONST ||
           k_at(v->p, size)->depth <= k_at(v->p, at->launch)->depth;
}

/* A launch fixes its local memory before it starts, and private memory becomes registers or arrays
 * of the emitted function, which need constants. */
static bool check_alloc(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    bool private = n->space == SPACE_PRIVATE && v->stage != K_LOWERED;
    int64_t size = 0;
    if (!check_space(v, id, at))
        return false;
    if (n->kept && (at->launch || at->depth || !k_is_const(v->p, n->args[0], &size) || size < 1 ||
                    size > KEPT_MOST))
        return verify_breaks(v, RULE_KEPT, id, "there is a constant number of such elements");
    for (int i = 0; at->launch && i < 2; i++) {
        if (n->args[i] && !is_known_before(v, n->args[i], at))
            return verify_breaks(v, RULE_SIZE, id, "%%%u is computed in the launch", n->args[i]);
        if (n->args[i] && private && k_at(v->p, n->args[i])->op != K_CONST)
            return verify_breaks(v, RULE_SIZE, id, "%%%u is no constant", n->args[i]);
    }
    return true;
}

/* All of it is known when the kernels are compiled. */
static bool check_table(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    for (uint32_t i = 0; i < n->nlist; i++)
        if (k_at(v->p, k_listed(v->p, n, i))->op != K_CONST)
            return verify_breaks(v, RULE_TABLE, id, "element %u is no constant", i);
    return at->depth == 0 || verify_breaks(v, RULE_TABLE, id, "it stands inside a block");
}

/* Inputs belong to the caller, who lends them for reading unless a result takes their place. */
static bool check_written(verifier *v, k_id id)
{
    const k_node *memory = k_at(v->p, k_at(v->p, id)->args[0]);
    if (memory->op == K_TABLE)
        return verify_breaks(v, RULE_TABLE, id, "a table is only read");
    return memory->op != K_BUFFER || memory->overwritten ||
           verify_breaks(v, RULE_OVERWRITTEN, id, "input %u is only read", memory->leaf);
}

/* ---- parallel work ---- */

/* The number of threads is a constant, since emitted kernels fix their work-group size. */
static bool check_launch(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    int64_t threads = 0;
    if (at->launch)
        return verify_breaks(v, RULE_KERNEL, id, "a kernel launches nothing");
    if (!k_is_const(v->p, n->args[1], &threads) || threads < 1)
        return verify_breaks(v, RULE_LAUNCH, id, "its number of threads is no positive constant");
    return n->level <= LEVEL_GRID ||
           verify_breaks(v, RULE_OPERATOR, id, "there is no level %u", n->level);
}

/* The workers of the loops around may be of higher levels only. */
static bool may_nest(uint32_t workers, uint32_t over)
{
    switch (over) {
    case OVER_LANES: return !(workers & (1u << OVER_LANES | 1u << OVER_THREADS | 1u << OVER_GRID));
    case OVER_THREADS:
    case OVER_WARPS: return !(workers & ~(1u << OVER_BLOCKS));
    default: return !workers;
    }
}

/* The grid can be divided only once: a second loop over it would run with the first one's groups.
 */
static bool check_par(verifier *v, k_id id, const standing *at)
{
    uint32_t over = k_at(v->p, id)->workers;
    bool whole = over == OVER_BLOCKS || over == OVER_GRID;
    if (over < OVER_LANES || over > OVER_GRID)
        return verify_breaks(v, RULE_OPERATOR, id, "there are no workers %u", over);
    if (v->stage != K_LOWERED)
        return verify_breaks(v, RULE_STAGE, id, "it should have been spread over threads");
    if (!at->launch)
        return verify_breaks(v, RULE_HOST, id, "it stands outside of launches");
    if (whole && v->notes[at->launch].grid++)
        return verify_breaks(v, RULE_GRID, id, "the launch has another loop over the grid");
    return may_nest(at->workers, over) ||
           verify_breaks(v, whole ? RULE_GRID : RULE_WORKERS, id,
                         "the workers of a loop around it are of no higher level");
}

/* In a lowered program, a barrier of a level stands where one thread of the level's workers cannot
 * be alone. */
static bool check_sync(verifier *v, k_id id, const standing *at)
{
    uint32_t level = k_at(v->p, id)->level,
             alone = 1u << OVER_LANES | 1u << OVER_THREADS | 1u << OVER_GRID;
    if (level != LEVEL_WARP && level != LEVEL_BLOCK)
        return verify_breaks(v, RULE_OPERATOR, id, "there is no barrier of level %u", level);
    if (level == LEVEL_BLOCK)
        alone |= 1u << OVER_WARPS;
    return !(at->workers & alone) ||
           verify_breaks(v, RULE_BARRIER, id, "single workers of a parallel loop run it");
}

/* Before virtualise workers are numbered by the loops over them, not by coordinates. */
static bool check_builtin(verifier *v, k_id id, const standing *at)
{
    uint32_t which = k_at(v->p, id)->coordinate;
    if (which < AT_THREAD || which > AT_GROUPS)
        return verify_breaks(v, RULE_OPERATOR, id, "there is no coordinate %u", which);
    if (!at->launch)
        return verify_breaks(v, RULE_HOST, id, "no thread runs it");
    return v->stage != K_LOWERED ||
           verify_breaks(v, RULE_STAGE, id, "there are no coordinates before virtualise");
}

/* An argument's memory is the caller's, and what is kept has one size from run to run. */
static bool check_room(verifier *v, k_id id, k_id memory)
{
    const k_node *m = k_at(v->p, memory);
    return (m->op == K_ALLOC && m->space == SPACE_GLOBAL && !m->kept) ||
           verify_breaks(v, RULE_RESIZED, id, "%%%u cannot get new room", memory);
}

static bool check_swap(verifier *v, k_id id)
{
    const k_node *n = k_at(v->p, id);
    if (k_at(v->p, n->args[1])->type != n->type)
        return verify_breaks(v, RULE_OPERAND_TYPE, id, "%%%u and %%%u have different types",
                             n->args[0], n->args[1]);
    return check_room(v, id, n->args[0]) && check_room(v, id, n->args[1]);
}

static bool gives_room(const k_node *n)
{
    return n->op == K_RESIZE || n->op == K_SWAP;
}

/* ---- what the host and a kernel may do ---- */

/* What the plan runner (backends/run) can interpret; it has no case for other operators. */
static bool is_of_host(k_op op)
{
    switch (op) {
    case K_CONST:
    case K_ARG:
    case K_DIM:
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST:
    case K_BUFFER:
    case K_ALLOC:
    case K_TABLE:
    case K_LOAD:
    case K_CHECK:
    case K_OUTPUT:
    case K_EMIT:
    case K_EMITSCALAR:
    case K_RECEIVE:
    case K_RESIZE:
    case K_SWAP:
    case K_IF:
    case K_FOR:
    case K_WHILE:
    case K_LAUNCH:
    case K_YIELD: return true;
    default: return false;
    }
}

static bool check_place(verifier *v, k_id id, const standing *at)
{
    const k_node *n = k_at(v->p, id);
    if (!at->launch && n->op != K_BUILTIN && n->op != K_PAR && !is_of_host((k_op)n->op))
        return verify_breaks(v, RULE_HOST, id, "only kernels may do this");
    if (at->launch && gives_room(n))
        return verify_breaks(v, RULE_KERNEL, id, "kernels give no memory new room");
    return !at->launch || (n->op != K_OUTPUT && !is_emitted(n)) ||
           verify_breaks(v, RULE_KERNEL, id, "kernels name no outputs and hand nothing out");
}

bool verify_standing(verifier *v, k_id id, const standing *at)
{
    if (!check_place(v, id, at))
        return false;
    switch ((k_op)k_at(v->p, id)->op) {
    case K_ARG:
    case K_DIM:
    case K_BUFFER: return check_input(v, id, at);
    case K_OUTPUT: return check_output(v, id, at);
    case K_EMIT:
    case K_EMITSCALAR: return check_emitted(v, id);
    case K_RECEIVE:
    case K_RESIZE: return check_room(v, id, k_at(v->p, id)->args[0]);
    case K_SWAP: return check_swap(v, id);
    case K_ALLOC: return check_alloc(v, id, at);
    case K_TABLE: return check_table(v, id, at);
    case K_STORE:
    case K_STOREWIDE:
    case K_ATOMIC: return check_written(v, id);
    case K_LAUNCH: return check_launch(v, id, at);
    case K_PAR: return check_par(v, id, at);
    case K_SYNC: return check_sync(v, id, at);
    case K_BUILTIN: return check_builtin(v, id, at);
    default: return true;
    }
}
