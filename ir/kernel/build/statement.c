/* Structured statements as the builder makes them: open, fill, close. */
#include "ir/kernel/build/inside.h"

/* ---- parameters and results ---- */

/* Parameter number i of the open statement's block. */
static k_id add_param(k_builder *b, k_id owner, uint32_t i, scalar t)
{
    k_blocks *bl = k_block_at(b->p, k_at(b->p, owner)->blocks[0]);
    k_id id = kb_new_node(b, (k_node){.op = K_PARAM,
                                      .type = (uint8_t)t,
                                      .depth = bl->depth,
                                      .number = (uint16_t)i,
                                      .owner = owner});
    if (!bl->nparams++)
        bl->params = id;
    return id;
}

/* The index of a loop: from `from` on, below end. */
static void add_index(k_builder *b, k_id owner, int64_t from, k_id end)
{
    k_program *p = b->p;
    int64_t last = k_hi(p, end) > 0 ? k_hi(p, end) - 1 : 0;
    k_id i = add_param(b, owner, 0, (scalar)k_at(p, end)->type);
    k_state_range(p, i, from < last ? from : last, last);
    k_state_below(p, i, end);
}

/* A parameter of nothing. */
k_id kb_unknown(k_builder *b, scalar t)
{
    return kb_effect(b, (k_node){.op = K_PARAM, .type = (uint8_t)t});
}

/* Nothing is known at first of what a loop carries but its type: it may change with every turn. */
static void add_carried(k_builder *b, k_id owner, const k_id *init, uint32_t n)
{
    uint32_t first = k_block_at(b->p, k_at(b->p, owner)->blocks[0])->nparams;
    for (uint32_t i = 0; i < n; i++)
        add_param(b, owner, first + i, (scalar)k_at(b->p, init[i])->type);
}

/* Called at the end, since a branch's results have the types of what it yields. */
static void add_results(k_builder *b, k_id owner, const k_id *yield, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        kb_add_result(b, owner, i, (scalar)k_at(b->p, yield[i])->type);
}

/* 0 beyond the parameters, so that a failed opening is no case of its own. */
k_id kb_param(const k_builder *b, k_id stmt, uint32_t i)
{
    const k_blocks *bl = k_block_at(b->p, k_at(b->p, stmt)->blocks[0]);
    return i < bl->nparams ? bl->params + i : 0;
}

k_id kb_result(const k_builder *b, k_id stmt, uint32_t i)
{
    const k_node *n = k_at(b->p, stmt);
    return i < n->nresults ? n->results + i : 0;
}

/* ---- opening ---- */

/* The statement joins its block only when it is closed: what it needs from outside is placed
 * before. */
static k_id open_stmt(k_builder *b, k_node n, const k_id *init, uint32_t ninit)
{
    if (ninit)
        kb_add_list(b, &n, init, ninit);
    n.nresults = ninit;
    n.blocks[0] = kb_new_block(b);
    n.depth = kb_depth(b);
    k_id id = kb_new_node(b, n);
    kb_push_scope(b, n.blocks[0], id);
    if (b->failed)
        return 0;
    if (n.op != K_IF)
        b->entered = ++b->clock;
    return id;
}

static void note_given(k_builder *b, k_id x, k_id value)
{
    k_given given = {.x = x, .value = value, .depth = kb_depth(b)};
    b->failed = !vec_push(&b->p->cx->mem, &b->given[kb_given_kind(b, x)], given) || b->failed;
}

/* Whether x, of which nothing is known but its name, says less than y, which is computed: a
 * multiple of something, or a number that others are below. */
static bool says_less(const k_program *p, k_id x, k_id y)
{
    const k_node *n = k_at(p, x);
    return n->op == K_DIM && k_at(p, y)->op == K_SCALAR && k_at(p, y)->type == n->type;
}

/* Notes where a condition holds that it does, the integers that are constants, and the extents that are computed. */
static void learn(k_builder *b, k_id cond, int depth)
{
    const k_node n = *k_at(b->p, cond);
    int64_t value;
    if (n.op == K_CONST || b->failed)
        return;
    note_given(b, cond, kb_const(b, ST_BOOL, 1));
    if (n.op != K_SCALAR)
        return;
    bool both = n.opcode == SOP_AND ||
                (n.opcode == SOP_SELECT && k_is_const(b->p, n.args[2], &value) && !value);
    if (both && depth > 0) {
        learn(b, n.args[0], depth - 1);
        learn(b, n.args[1], depth - 1);
    }
    for (int i = 0; n.opcode == SOP_EQ && i < 2; i++) {
        k_id x = n.args[1 - i], y = n.args[i];
        if ((k_is_const(b->p, y, &value) && !k_is_const(b->p, x, &value)) || says_less(b->p, x, y))
            note_given(b, x, y);
    }
}

k_id kb_open_if(k_builder *b, k_id cond)
{
    enum { AND_DEPTH = 4 };
    k_id id = open_stmt(b, (k_node){.op = K_IF, .args = {cond}}, NULL, 0);
    if (!b->failed)
        learn(b, cond, AND_DEPTH);
    return id;
}

/* The loop's variable has the type of its end; start and step are converted to it. */
k_id kb_open_for(k_builder *b, k_id lo, k_id hi, k_id step, const k_id *init, uint32_t n)
{
    scalar t = (scalar)k_at(b->p, hi)->type;
    lo = kb_convert(b, t, lo);
    step = kb_convert(b, t, step);
    k_id id = open_stmt(b, (k_node){.op = K_FOR, .args = {lo, hi, step}}, init, n);
    if (id) {
        add_index(b, id, k_lo(b->p, lo), hi);
        add_carried(b, id, init, n);
    }
    return id;
}

k_id kb_open_while(k_builder *b, const k_id *init, uint32_t n)
{
    k_id id = open_stmt(b, (k_node){.op = K_WHILE}, init, n);
    if (id)
        add_carried(b, id, init, n);
    return id;
}

k_id kb_open_par(k_builder *b, k_workers over, k_id n)
{
    k_id id = open_stmt(b, (k_node){.op = K_PAR, .workers = (uint8_t)over, .args = {n}}, NULL, 0);
    if (id)
        add_index(b, id, 0, n);
    return id;
}

/* launch_depth tells from here on what is inside a kernel and what is the host's. */
k_id kb_open_launch(k_builder *b, uint32_t level, k_id groups, uint32_t threads)
{
    k_id t = kb_int(b, (int32_t)threads);
    k_id id = open_stmt(b, (k_node){.op = K_LAUNCH, .level = (uint8_t)level, .args = {groups, t}},
                        NULL, 0);
    b->launch_depth = kb_depth(b);
    return id;
}

void kb_open_scratch(k_builder *b)
{
    open_stmt(b, (k_node){.op = K_PAR}, NULL,
              0); /* which every value leaves that can; not so an if */
}

/* ---- closing ---- */

static void add_yield(k_builder *b, const k_id *list, uint32_t n)
{
    k_node y = {.op = K_YIELD};
    kb_add_list(b, &y, list, n);
    kb_effect(b, y);
}

void kb_next_block(k_builder *b, const k_id *yield, uint32_t n)
{
    if (b->failed)
        return;
    add_yield(b, yield, n);
    const k_scope first = b->scopes.at[b->scopes.len - 1];
    if (k_at(b->p, first.owner)->op !=
        K_WHILE) /* a while's body sees what its condition computed */
        kb_pop_scope(b);
    k_block block = kb_new_block(b);
    k_at(b->p, first.owner)->blocks[1] = block;
    kb_push_scope(b, block, first.owner);
    b->scopes.at[b->scopes.len - 1].verdicts = first.verdicts;
    const k_node owner = *k_at(b->p, first.owner);
    if (owner.op == K_IF && !b->failed && k_at(b->p, owner.args[0])->op != K_CONST)
        note_given(b, owner.args[0], kb_const(b, ST_BOOL, 0));
}

/* A while has two scopes open at its end. */
static void pop_statement(k_builder *b)
{
    k_id owner = b->scopes.at[b->scopes.len - 1].owner;
    do
        kb_pop_scope(b);
    while (b->scopes.len > 1 && b->scopes.at[b->scopes.len - 1].owner == owner && owner);
    if (b->launch_depth > kb_depth(b))
        b->launch_depth = 0;
}

void kb_close(k_builder *b, const k_id *yield, uint32_t n)
{
    if (b->failed)
        return;
    k_id owner = b->scopes.at[b->scopes.len - 1].owner;
    add_yield(b, yield, n);
    pop_statement(b);
    add_results(b, owner, yield, n);
    kb_append(b, kb_depth(b), owner);
}

/* Values of an open block's statements are one scope further out. */
static void raise(k_program *p, k_block block)
{
    k_blocks *bl = k_block_at(p, block);
    if (!block)
        return;
    bl->depth--;
    for (uint32_t i = 0; i < bl->nparams; i++)
        k_at(p, bl->params + i)->depth--;
    for (k_id n = bl->first; n; n = k_at(p, n)->next) {
        k_node *s = k_at(p, n);
        s->depth--;
        for (uint32_t i = 0; s->results && i < s->nresults; i++)
            k_at(p, s->results + i)->depth--;
        raise(p, s->blocks[0]);
        raise(p, s->blocks[1]);
    }
}

void kb_dissolve(k_builder *b)
{
    if (b->failed)
        return;
    uint32_t depth = kb_depth(b);
    k_block block = b->scopes.at[depth].block;
    raise(b->p, block);
    k_id n = k_block_at(b->p, block)->first, next;
    kb_pop_scope(b);
    for (; n; n = next) {
        next = k_at(b->p, n)->next;
        k_at(b->p, n)->next = 0;
        kb_append(b, depth - 1, n);
    }
}

/* Nobody runs the checks of the statement: of what was found in it remains what was proved. */
static void forget_checks(k_builder *b, uint32_t from)
{
    k_program *p = b->p;
    uint32_t n = from;
    for (uint32_t i = from; i < p->verdicts.len; i++)
        if (p->verdicts.at[i].finding == FOUND_PROVED)
            p->verdicts.at[n++] = p->verdicts.at[i];
    p->verdicts.len = n;
}

/* The nodes stay in the program, but no block holds them, so nobody sees them again. */
void kb_discard(k_builder *b)
{
    if (b->failed)
        return;
    forget_checks(b, b->scopes.at[b->scopes.len - 1].verdicts);
    pop_statement(b);
}

void kb_end(k_builder *b)
{
    if (!b->failed)
        add_yield(b, NULL, 0);
}
