/* Decides how each value of a kernel is written: in place in its only user, or as a named constant.
 *
 * A value is written in place when its only user is a statement of the same block that follows soon
 * (the order of unrolled code is not without reason), the expression stays small, and, if it reads
 * memory, no effect lies between.  Stretches of a block between effects have numbers (epochs).  Two
 * walks, each linear: the first counts uses, the second decides from operands to users. */
#include "backends/c/emit.h"

static bool is_region(const k_node *n)
{
    return k_op_info(n->op)->class == KC_REGION;
}

/* ---- first walk ---- */

/* A loop's variable that is yielded unchanged is not used by that. */
static bool stays(const c_emitter *e, const k_node *n, uint32_t i, c_place at)
{
    bool next = at.owner->op == K_FOR || (at.owner->op == K_WHILE && at.which == 1);
    return n->op == K_YIELD && next && k_listed(e->p, n, i) == c_carried(e->p, at.owner, i);
}

/* Uses, and what a memory is used for: const and alignment depend on it. */
static void count_node(c_emitter *e, const k_node *n, c_place at)
{
    for (int i = 0; i < 3; i++)
        c_note_of(e, n->args[i])->uses++;
    for (uint32_t i = 0; i < n->nlist; i++)
        if (!stays(e, n, i, at))
            c_note_of(e, k_listed(e->p, n, i))->uses++;
    c_note *memory = c_note_of(e, n->args[0]);
    if (n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC)
        memory->stored = true;
    if (n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC)
        memory->loaded = true;
    if (n->op == K_LOADWIDE || n->op == K_STOREWIDE)
        memory->wide = true;
    if (n->type == ST_F64)
        e->file->helpers.f64 = true;
    if (c_held(e, (scalar)n->type) == ST_F16)
        e->file->helpers.f16 = true;
}

/* A loop's results are its variables. */
static void alias_results(c_emitter *e, const k_node *n)
{
    if (n->op != K_FOR && n->op != K_WHILE)
        return;
    for (uint32_t i = 0; i < n->nresults; i++)
        c_note_of(e, n->results + i)->alias = c_carried(e->p, n, i);
}

static bool refuse(c_emitter *e, const k_node *n, diag_code code, const char *text)
{
    e->failed = true;
    location at = k_loc_at(e->p, n->loc);
    return diag_error(e->p->cx, code, at, "kernel %s: %s",
                      intern_str(&e->p->cx->strings, e->kernel->name), text);
}

static bool count_block(c_emitter *e, k_block b, c_place at, uint32_t depth);

/* The depth is bounded here, before anything recurses into blocks again. */
static bool count_region(c_emitter *e, k_id id, uint32_t depth)
{
    const k_node *n = k_at(e->p, id);
    if (n->op == K_PAR)
        return refuse(e, n, DIAG_EMIT_STAGE,
                      "it still holds a parallel loop; run the passes up to virtualise first");
    if (depth >= C_NESTING_MOST)
        return refuse(e, n, DIAG_EMIT_NESTING,
                      "loops and branches nest deeper than C compilers take");
    alias_results(e, n);
    if (!count_block(e, n->blocks[0], (c_place){.owner = n, .owner_id = id}, depth + 1) ||
        !count_block(e, n->blocks[1], (c_place){.owner = n, .owner_id = id, .which = 1}, depth + 1))
        return false;
    if (n->op == K_FOR || n->op == K_WHILE)
        c_note_ahead(e, id);
    return true;
}

static bool count_block(c_emitter *e, k_block b, c_place at, uint32_t depth)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        count_node(e, n, at);
        c_note_of(e, id)->block = b;
        if (n->op == K_SHUFFLE || (n->op == K_SYNC && n->level <= LEVEL_WARP))
            e->by_warps = true;
        if ((n->op == K_SYNC && n->fenced) || k_is_ordering(n))
            e->hands_on = true;
        if (is_region(n) && !count_region(e, id, depth))
            return false;
    }
    return true;
}

/* ---- second walk ---- */

/* A product and what it is added to may be rounded once: compilers see to that within an
 * expression. */
static bool may_fuse(const c_emitter *e, const k_node *product, const k_node *sum)
{
    return e->p->target.request.fast_math && product->op == K_SCALAR &&
           product->opcode == SOP_MUL && product->type == ST_F32 && sum->op == K_SCALAR &&
           (sum->opcode == SOP_ADD || sum->opcode == SOP_SUB);
}

/* What a choice may leave out: a load from far there would wait for the condition, behind a branch.
 */
static bool is_chosen(const k_node *user, k_id v)
{
    return user->op == K_SCALAR && user->opcode == SOP_SELECT &&
           (user->args[1] == v || user->args[2] == v);
}

/* text_distance keeps an expression near the place where its value was computed. */
static bool may_be_in_place(const c_emitter *e, k_id v, k_block b, const k_node *user)
{
    const k_node *n = k_at(e->p, v);
    const c_note *note = c_note_of(e, v);
    if (note->far && is_chosen(user, v))
        return false;
    bool written = n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST || n->op == K_LOAD;
    bool near = e->at - note->at <= e->p->target.tuning.text_distance || may_fuse(e, n, user);
    return written && near && note->uses == 1 && note->block == b &&
           (!note->epoch || note->epoch == e->epoch);
}

/* Meets a use of v by n, a statement of block b whose own note is user. */
static void decide_operand(c_emitter *e, k_id v, k_block b, const k_node *n, c_note *user)
{
    c_note *note = c_note_of(e, v);
    if (!may_be_in_place(e, v, b, n) || note->height >= e->p->target.tuning.text_height ||
        (uint32_t)user->size + note->size > e->p->target.tuning.text_size)
        return;
    note->in_place = true;
    user->size = (uint16_t)(user->size + note->size);
    user->height = (uint8_t)(user->height > note->height ? user->height : note->height + 1);
    user->chooses = user->chooses || note->chooses;
    user->far = user->far || note->far;
    if (note->epoch)
        user->epoch = note->epoch;
}

/* Which operands may be written in place: not a loop's bound and step, which are written where they
 * run every time; not a condition that several results repeat. */
static uint32_t operands_in_place(const k_node *n)
{
    return n->op == K_FOR ? 1 : n->op == K_IF && n->nresults > 1 ? 0 : 3;
}

/* Several values yielded by a loop are assigned one after another, so none may still be computed
 * then. */
static bool list_in_place(const k_node *n, const c_place *at)
{
    bool loop = at->owner && (at->owner->op == K_FOR || at->owner->op == K_WHILE);
    return n->op != K_YIELD || !loop || n->nlist <= 1;
}

static void decide_node(c_emitter *e, k_id id, k_block b, const c_place *at)
{
    const k_node *n = k_at(e->p, id);
    c_note *note = c_note_of(e, id);
    note->size = 1;
    note->at = ++e->at;
    note->chooses = n->op == K_SCALAR && n->opcode == SOP_SELECT;
    note->far = n->op == K_LOAD && k_is_global(k_at(e->p, n->args[0]));
    if (n->op == K_LOAD)
        note->epoch = e->epoch;
    uint32_t direct = operands_in_place(n);
    for (uint32_t i = barriers_name_test(e->p, e->kernel, n); i < direct; i++)
        decide_operand(e, n->args[i], b, n, note);
    for (uint32_t i = 0; i < n->nlist && list_in_place(n, at); i++) {
        c_note each = {.size = 1}; /* one assignment each */
        decide_operand(e, k_listed(e->p, n, i), b, n, &each);
    }
}

static void decide_block(c_emitter *e, k_block b, c_place at)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        decide_node(e, id, b, &at);
        if (is_region(n) || k_op_info(n->op)->class == KC_EFFECT)
            e->epoch++;
        if (!is_region(n))
            continue;
        decide_block(e, n->blocks[0], (c_place){.owner = n, .owner_id = id});
        e->epoch++;
        decide_block(e, n->blocks[1], (c_place){.owner = n, .owner_id = id, .which = 1});
        e->epoch++;
    }
}

bool c_scan(c_emitter *e)
{
    const k_node *launch = k_at(e->p, e->kernel->launch);
    for (uint32_t i = 0; i < e->kernel->nglobals;
         i++) { /* what another kernel does says nothing about this one */
        c_note *memory = c_note_of(e, e->p->pool.at[e->kernel->globals + i]);
        memory->stored = memory->loaded = memory->wide = false;
    }
    e->by_warps = e->ahead = e->hands_on = false;
    c_place at = {.owner = launch, .owner_id = e->kernel->launch};
    if (!count_block(e, launch->blocks[0], at, 1))
        return false;
    e->epoch++;
    decide_block(e, launch->blocks[0], at);
    return true;
}

bool c_is_silent(const c_emitter *e, k_block b)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        const c_note *note = c_note_of(e, id);
        bool unused = k_op_info(n->op)->class == KC_VALUE && note->uses == 0;
        if (!note->in_place && !unused && n->op != K_YIELD && n->op != K_CONST && n->op != K_ALLOC)
            return false;
    }
    return true;
}
