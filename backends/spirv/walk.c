/* The statements of a kernel: blocks, loops and branches in structured control flow.
 *
 * What a loop carries is a phi in its header; what the next turn gets is known when the body has
 * been written, and put into the phi then.  Recursion goes into blocks, whose nesting sp_scan has
 * checked. */
#include "backends/spirv/emit.h"

#include "ir/kernel/facts.h"
#include "ir/scalar/scalar.h"

/* ---- before ---- */

static bool refuse(sp_emitter *e, const k_node *n, diag_code code, const char *text)
{
    e->failed = true;
    return diag_error(e->p->cx, code, k_loc_at(e->p, n->loc), "kernel %s: %s",
                      intern_str(&e->p->cx->strings, e->kernel->name), text);
}

static bool writes(const k_node *n)
{
    return n->op == K_STORE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
}

static bool reads(const k_node *n)
{
    return n->op == K_LOAD || n->op == K_LOADWIDE || n->op == K_ATOMIC;
}

static uint8_t note_of(const k_node *n)
{
    uint32_t lanes = n->op == K_LOADWIDE ? n->nresults : n->op == K_STOREWIDE ? n->nlist : 1;
    return (uint8_t)((writes(n) ? SP_STORED : 0) | (reads(n) ? SP_LOADED : 0) |
                     (lanes >= 4   ? SP_BY_4
                      : lanes == 2 ? SP_BY_2
                                   : 0));
}

/* Levels of loops and branches: that of the consumer, or what its driver gets right. */
static uint32_t levels_most(const sp_emitter *e)
{
    enum { FEW = 75 };
    return e->p->target.quirks & QUIRK_FEW_LEVELS ? FEW : e->environment->nesting;
}

static bool scan_block(sp_emitter *e, k_block b, uint32_t depth)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        if (n->op == K_PAR)
            return refuse(e, n, DIAG_EMIT_STAGE,
                          "it still holds a parallel loop; run the passes up to virtualise first");
        if (depth >= levels_most(e))
            return refuse(e, n, DIAG_EMIT_NESTING,
                          "loops and branches nest deeper than drivers take");
        if (k_is_ordering(n))
            e->orders = true;
        if (writes(n) || reads(n))
            e->notes[n->args[0]] |= note_of(n);
        if (n->op == K_SHUFFLE || (n->op == K_SYNC && n->level <= LEVEL_WARP))
            e->by_warps = true;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !scan_block(e, n->blocks[i], depth + 1))
                return false;
    }
    return true;
}

/* What another kernel writes says nothing about this one. */
bool sp_scan(sp_emitter *e)
{
    const k_kernel *k = e->kernel;
    e->by_warps = e->orders = false;
    for (uint32_t i = 0; i < k->nglobals; i++)
        e->notes[k_pooled(e->p, k->globals, i)] &= SP_GIVEN;
    return scan_block(e, k_at(e->p, k->launch)->blocks[0], 1);
}

/* ---- blocks of SPIR-V ---- */

/* What OpLine says ends with the block. */
void sp_label(sp_emitter *e, sp_id label)
{
    sp_put(e->s, e->where, SpvOpLabel, SP_WORDS(label));
    e->block = label;
    e->line = 0;
}

void sp_branch(sp_emitter *e, sp_id to)
{
    sp_put(e->s, e->where, SpvOpBranch, SP_WORDS(to));
}

void sp_branch_by(sp_emitter *e, sp_id test, sp_id yes, sp_id no)
{
    sp_put(e->s, e->where, SpvOpBranchConditional, SP_WORDS(test, yes, no));
}

void sp_merge(sp_emitter *e, sp_id end)
{
    sp_put(e->s, e->where, SpvOpSelectionMerge, SP_WORDS(end, SpvSelectionControlMaskNone));
}

static void put_block(sp_emitter *e, k_block b, k_id but);

/* ---- loops ---- */

/* A loop while it is written: its header, where turns go on, and what follows it. */
typedef struct loop {
    const k_node *n;
    k_id id;
    sp_id before, header, next, end;
    uint32_t phis;    /* the first one's place in the section */
    bool is_volatile; /* what it carries is in memory, and has no phis */
    parting parted;
} loop;

enum { PHI_WORDS = 7, PHI_NEXT = 5 };

static k_id param_of(const sp_emitter *e, const loop *l, uint32_t i)
{
    return k_block_at(e->p, l->n->blocks[0])->params + i;
}

/* The parameter that holds what is carried: a FOR has its variable before. */
static k_id carried_of(const sp_emitter *e, const loop *l, uint32_t i)
{
    return param_of(e, l, i + (l->n->op == K_FOR));
}

/* A phi of what stands before the loop; the other value follows with `close_phi`. */
static void put_phi(sp_emitter *e, const loop *l, k_id param, sp_id first)
{
    sp_id id = sp_new_id(e->s);
    e->ids[param] = id;
    sp_put(
        e->s, e->where, SpvOpPhi,
        SP_WORDS(sp_scalar(e, (scalar)k_at(e->p, param)->type), id, first, l->before, 0, l->next));
}

static void close_phi(sp_emitter *e, const loop *l, uint32_t i, sp_id next)
{
    vec_u32 *code = &e->s->sections[e->where];
    uint64_t at = l->phis + (uint64_t)i * PHI_WORDS + PHI_NEXT;
    if (!e->s->failed && at < code->len)
        code->at[at] = next;
}

/* Opens the header with its phis. */
static loop open_loop(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    loop l = {.n = n,
              .id = id,
              .is_volatile = barriers_volatile_loop(&e->barriers, id),
              .parted = barriers_parting(&e->barriers, id)};
    uint32_t values = sp_push_values(e, n);
    sp_id from = n->op == K_FOR ? sp_value(e, n->args[0]) : 0;
    for (uint32_t i = 0; l.is_volatile && i < n->nresults; i++)
        sp_keep(e, carried_of(e, &l, i), sp_pushed(e, values, i));
    l.before = e->block;
    l.header = sp_new_id(e->s);
    l.next = sp_new_id(e->s);
    l.end = sp_new_id(e->s);
    sp_branch(e, l.header);
    sp_label(e, l.header);
    l.phis = e->s->sections[e->where].len;
    if (n->op == K_FOR)
        put_phi(e, &l, param_of(e, &l, 0), from);
    for (uint32_t i = 0; !l.is_volatile && i < n->nresults; i++)
        put_phi(e, &l, carried_of(e, &l, i), sp_pushed(e, values, i));
    sp_pop_values(e, values);
    return l;
}

static void put_merge(sp_emitter *e, const loop *l)
{
    sp_put(e->s, e->where, SpvOpLoopMerge, SP_WORDS(l->end, l->next, SpvLoopControlMaskNone));
}

/* Hands on what the body yields, all of it at once, and begins the block where turns end. */
static void hand_on(sp_emitter *e, const loop *l, k_block body)
{
    uint32_t values = sp_push_values(e, k_yield_of(e->p, body));
    for (uint32_t i = 0; i < l->n->nresults; i++) {
        if (l->is_volatile)
            sp_keep(e, carried_of(e, l, i), sp_pushed(e, values, i));
        else
            close_phi(e, l, i + (l->n->op == K_FOR), sp_pushed(e, values, i));
    }
    sp_pop_values(e, values);
    if (l->parted == PARTING_BEHIND)
        sp_sync(e, LEVEL_BLOCK, e->kernel->shares_global);
    sp_branch(e, l->next);
    sp_label(e, l->next);
}

/* What the loop results in is what it carries when its header leaves. */
static void close_loop(sp_emitter *e, const loop *l)
{
    sp_branch(e, l->header);
    sp_label(e, l->end);
    for (uint32_t i = 0; i < l->n->nresults; i++)
        sp_share(e, l->n->results + i, carried_of(e, l, i));
}

/* i + step, or the greatest value of its type: only for steps that may pass it. */
static sp_id put_step(sp_emitter *e, const k_node *n, sp_id i)
{
    scalar t = (scalar)k_at(e->p, n->args[0])->type;
    sp_id type = sp_scalar(e, t), step = sp_value(e, n->args[2]);
    sp_id sum = sp_2(e, SpvOpIAdd, type, i, step);
    if (n->form != FORM_SATURATING && !barriers_saturate_steps(&e->barriers))
        return sum;
    uint64_t most = ~(uint64_t)0 >> (65 - 8 * ir_scalar_bytes(t));
    sp_id wraps = sp_relate(e, SpvOpSLessThan, sum, i);
    return sp_3(e, SpvOpSelect, type, wraps, sp_const(e, t, most), sum);
}

static void put_for(sp_emitter *e, k_id id)
{
    loop l = open_loop(e, id);
    sp_id i = e->ids[param_of(e, &l, 0)], body = sp_new_id(e->s);
    sp_id more = sp_relate(e, SpvOpSLessThan, i, sp_value(e, l.n->args[1]));
    put_merge(e, &l);
    sp_branch_by(e, more, body, l.end);
    sp_label(e, body);
    if (l.parted == PARTING_BEFORE)
        sp_sync(e, LEVEL_BLOCK, e->kernel->shares_global);
    put_block(e, l.n->blocks[0], barriers_replaced(&e->barriers, id));
    hand_on(e, &l, l.n->blocks[0]);
    close_phi(e, &l, 0, put_step(e, l.n, i));
    close_loop(e, &l);
    if (l.parted == PARTING_BEFORE)
        sp_sync(e, LEVEL_BLOCK, e->kernel->shares_global);
}

/* The condition may need statements, so it has blocks of its own behind the header. */
static void put_while(sp_emitter *e, k_id id)
{
    loop l = open_loop(e, id);
    sp_id test = sp_new_id(e->s), body = sp_new_id(e->s);
    if (l.parted == PARTING_BEFORE)
        sp_sync(e, LEVEL_BLOCK, e->kernel->shares_global);
    put_merge(e, &l);
    sp_branch(e, test);
    sp_label(e, test);
    put_block(e, l.n->blocks[0], 0);
    sp_id more = sp_value(e, k_listed(e->p, k_yield_of(e->p, l.n->blocks[0]), 0));
    sp_branch_by(e, more, body, l.end);
    sp_label(e, body);
    put_block(e, l.n->blocks[1], barriers_replaced(&e->barriers, id));
    hand_on(e, &l, l.n->blocks[1]);
    close_loop(e, &l);
}

/* ---- branches ---- */

/* The block only names values that are there. */
static bool is_silent(const sp_emitter *e, k_block b)
{
    return k_at(e->p, k_block_at(e->p, b)->first)->op == K_YIELD;
}

static void put_choice(sp_emitter *e, const k_node *n)
{
    const k_node *yes = k_yield_of(e->p, n->blocks[0]), *no = k_yield_of(e->p, n->blocks[1]);
    sp_id test = sp_value(e, n->args[0]);
    for (uint32_t i = 0; i < n->nresults; i++) {
        sp_id x = sp_value(e, k_listed(e->p, yes, i)), y = sp_value(e, k_listed(e->p, no, i));
        sp_id type = sp_scalar(e, (scalar)k_at(e->p, n->results + i)->type);
        e->ids[n->results + i] = sp_3(e, SpvOpSelect, type, test, x, y);
    }
}

/* One side of a branch: its label, the block in which it ends, and the values that it yields. */
typedef struct side {
    k_block of;
    sp_id label, last;
    uint32_t values; /* pushed */
} side;

/* Before the branch: a side that does nothing is no block, which drivers like better. */
static void open_side(sp_emitter *e, side *s, sp_id end)
{
    bool silent = is_silent(e, s->of);
    s->label = silent ? end : sp_new_id(e->s);
    s->last = silent ? e->block : 0;
    s->values = silent ? sp_push_values(e, k_yield_of(e->p, s->of)) : 0;
}

static void put_side(sp_emitter *e, side *s, sp_id end)
{
    if (s->last)
        return;
    sp_label(e, s->label);
    put_block(e, s->of, 0);
    s->values = sp_push_values(e, k_yield_of(e->p, s->of));
    s->last = e->block;
    sp_branch(e, end);
}

static void put_branches(sp_emitter *e, const k_node *n)
{
    side yes = {.of = n->blocks[0]}, no = {.of = n->blocks[1]};
    uint32_t bottom = e->stack.len;
    sp_id end = sp_new_id(e->s), test = sp_value(e, n->args[0]);
    open_side(e, &yes, end);
    open_side(e, &no, end);
    sp_merge(e, end);
    sp_branch_by(e, test, yes.label, no.label);
    put_side(e, &yes, end);
    put_side(e, &no, end);
    sp_label(e, end);
    for (uint32_t i = 0; i < n->nresults; i++) {
        sp_id type = sp_scalar(e, (scalar)k_at(e->p, n->results + i)->type);
        sp_id x = sp_pushed(e, yes.values, i), y = sp_pushed(e, no.values, i);
        e->ids[n->results + i] =
            sp_make(e->s, e->where, SpvOpPhi, type, SP_WORDS(x, yes.last, y, no.last));
    }
    sp_pop_values(e, bottom);
}

static void put_if(sp_emitter *e, const k_node *n)
{
    if (is_silent(e, n->blocks[0]) && is_silent(e, n->blocks[1]))
        put_choice(e, n);
    else
        put_branches(e, n);
    for (uint32_t i = 0; i < n->nresults; i++)
        if (barriers_volatile(&e->barriers, n->results + i))
            sp_keep(e, n->results + i, e->ids[n->results + i]);
}

/* ---- lines ---- */

static void put_line(sp_emitter *e, const k_node *n)
{
    if (e->p->target.request.lines == LINES_NEVER || n->op == K_YIELD || n->loc == e->line)
        return;
    location at = k_loc_at(e->p, n->loc);
    if (!k_wants_line(e->p, at))
        return;
    sp_put(e->s, e->where, SpvOpLine, SP_WORDS(sp_file(e, at.file), at.line, at.col));
    e->line = n->loc;
}

/* ---- statements ---- */

/* Regions keep their results themselves. */
static bool is_value(const k_node *n)
{
    return n->op == K_SCALAR || n->op == K_CONVERT || n->op == K_BITCAST || n->op == K_LOAD;
}

static void put_statement(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    put_line(e, n);
    switch (n->op) {
    case K_SCALAR: e->ids[id] = sp_scalar_of(e, n); break;
    case K_CONVERT: e->ids[id] = sp_convert(e, n); break;
    case K_BITCAST: e->ids[id] = sp_bitcast(e, n); break;
    case K_BUILTIN: e->ids[id] = sp_coordinate(e, (k_coordinate)n->coordinate); break;
    case K_LOAD: sp_load(e, id); break;
    case K_STORE: sp_store(e, n); break;
    case K_LOADWIDE: e->environment->load_wide(e, n); break;
    case K_STOREWIDE: e->environment->store_wide(e, n); break;
    case K_ATOMIC: sp_atomic(e, id); break;
    case K_SHUFFLE: sp_shuffle(e, id); break;
    case K_SYNC: sp_sync(e, n->level, n->fenced); break;
    case K_CHECK: sp_check(e, id); break;
    case K_FAILED: sp_failed(e, id); break;
    case K_IF: put_if(e, n); break;
    case K_FOR: put_for(e, id); break;
    case K_WHILE: put_while(e, id); break;
    default:
        break; /* constants are made where they are used, memories are there already, and what
                  a yield hands on is seen by the statement around it */
    }
    if (is_value(n) && barriers_volatile(&e->barriers, id))
        sp_keep(e, id, e->ids[id]);
}

/* All of it but for one statement; 0: none. */
static void put_block(sp_emitter *e, k_block b, k_id but)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next)
        if (id != but)
            put_statement(e, id);
}

void sp_body(sp_emitter *e)
{
    put_block(e, k_at(e->p, e->kernel->launch)->blocks[0], 0);
}
