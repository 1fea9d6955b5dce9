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

static bool scan_block(sp_emitter *e, k_block b, uint32_t depth)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        if (n->op == K_PAR)
            return refuse(e, n, DIAG_EMIT_STAGE,
                          "it still holds a parallel loop; run the passes up to virtualise first");
        if (depth >= e->environment->nesting)
            return refuse(e, n, DIAG_EMIT_NESTING,
                          "loops and branches nest deeper than drivers take");
        if (writes(n))
            e->notes[n->args[0]] |= SP_STORED;
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
    for (uint32_t i = 0; i < k->nglobals; i++)
        e->notes[k_pooled(e->p, k->globals, i)] &= (uint8_t)~SP_STORED;
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

static void branch(sp_emitter *e, sp_id to)
{
    sp_put(e->s, e->where, SpvOpBranch, SP_WORDS(to));
}

static void branch_by(sp_emitter *e, sp_id test, sp_id yes, sp_id no)
{
    sp_put(e->s, e->where, SpvOpBranchConditional, SP_WORDS(test, yes, no));
}

static void merge_at(sp_emitter *e, sp_id end)
{
    sp_put(e->s, e->where, SpvOpSelectionMerge, SP_WORDS(end, SpvSelectionControlMaskNone));
}

static void put_block(sp_emitter *e, k_block b);

/* ---- loops ---- */

/* A loop while it is written: its header, where turns go on, and what follows it. */
typedef struct loop {
    const k_node *n;
    sp_id before, header, next, end;
    uint32_t phis; /* the first one's place in the section */
    uint32_t nphis;
} loop;

enum { PHI_WORDS = 7, PHI_NEXT = 5 };

/* A phi of what stands before the loop; the other value and its block follow with `close_phi`. */
static void put_phi(sp_emitter *e, loop *l, k_id param, sp_id first)
{
    sp_id id = sp_new_id(e->s);
    e->ids[param] = id;
    sp_put(
        e->s, e->where, SpvOpPhi,
        SP_WORDS(sp_scalar(e, (scalar)k_at(e->p, param)->type), id, first, l->before, 0, l->next));
    l->nphis++;
}

static void close_phi(sp_emitter *e, const loop *l, uint32_t i, sp_id next)
{
    vec_u32 *code = &e->s->sections[e->where];
    uint64_t at = l->phis + (uint64_t)i * PHI_WORDS + PHI_NEXT;
    if (i < l->nphis && at < code->len && !e->s->failed)
        code->at[at] = next;
}

static k_id param_of(const sp_emitter *e, const loop *l, uint32_t i)
{
    return k_block_at(e->p, l->n->blocks[0])->params + i;
}

/* Opens the header with its phis: a FOR has its variable before what is carried. */
static loop open_loop(sp_emitter *e, const k_node *n)
{
    loop l = {.n = n, .before = e->block};
    uint32_t own = n->op == K_FOR;
    l.header = sp_new_id(e->s);
    l.next = sp_new_id(e->s);
    l.end = sp_new_id(e->s);
    branch(e, l.header);
    sp_label(e, l.header);
    l.phis = e->s->sections[e->where].len;
    if (own)
        put_phi(e, &l, param_of(e, &l, 0), sp_value(e, n->args[0]));
    for (uint32_t i = 0; i < n->nresults; i++)
        put_phi(e, &l, param_of(e, &l, own + i), sp_value(e, k_listed(e->p, n, i)));
    return l;
}

static void put_merge(sp_emitter *e, const loop *l)
{
    sp_put(e->s, e->where, SpvOpLoopMerge, SP_WORDS(l->end, l->next, SpvLoopControlMaskNone));
}

/* Goes on to the block where turns end, hands on what the body yields, and leaves; what the loop
 * results in is what it carries when its header leaves. */
static void close_loop(sp_emitter *e, const loop *l, k_block body)
{
    const k_node *y = k_yield_of(e->p, body);
    uint32_t own = l->n->op == K_FOR;
    for (uint32_t i = 0; i < l->n->nresults; i++) {
        close_phi(e, l, own + i, sp_value(e, k_listed(e->p, y, i)));
        e->ids[l->n->results + i] = e->ids[param_of(e, l, own + i)];
    }
    branch(e, l->header);
    sp_label(e, l->end);
}

/* i + step, or the greatest value of its type: only for steps that may pass it. */
static sp_id put_step(sp_emitter *e, const k_node *n, sp_id i)
{
    scalar t = (scalar)k_at(e->p, n->args[0])->type;
    sp_id type = sp_scalar(e, t), step = sp_value(e, n->args[2]);
    sp_id sum = sp_2(e, SpvOpIAdd, type, i, step);
    if (n->form != FORM_SATURATING)
        return sum;
    uint64_t most = ~(uint64_t)0 >> (65 - 8 * ir_scalar_bytes(t));
    return sp_3(e, SpvOpSelect, type, sp_relate(e, SpvOpSLessThan, sum, i), sp_const(e, t, most),
                sum);
}

static void put_for(sp_emitter *e, const k_node *n)
{
    loop l = open_loop(e, n);
    sp_id i = e->ids[param_of(e, &l, 0)], body = sp_new_id(e->s);
    sp_id more = sp_relate(e, SpvOpSLessThan, i, sp_value(e, n->args[1]));
    put_merge(e, &l);
    branch_by(e, more, body, l.end);
    sp_label(e, body);
    put_block(e, n->blocks[0]);
    branch(e, l.next);
    sp_label(e, l.next);
    close_phi(e, &l, 0, put_step(e, n, i));
    close_loop(e, &l, n->blocks[0]);
}

/* The condition may need statements, so it has blocks of its own behind the header. */
static void put_while(sp_emitter *e, const k_node *n)
{
    loop l = open_loop(e, n);
    sp_id test = sp_new_id(e->s), body = sp_new_id(e->s);
    put_merge(e, &l);
    branch(e, test);
    sp_label(e, test);
    put_block(e, n->blocks[0]);
    branch_by(e, sp_value(e, k_listed(e->p, k_yield_of(e->p, n->blocks[0]), 0)), body, l.end);
    sp_label(e, body);
    put_block(e, n->blocks[1]);
    branch(e, l.next);
    sp_label(e, l.next);
    close_loop(e, &l, n->blocks[1]);
}

/* ---- branches ---- */

/* Both blocks only name values that are there. */
static bool is_choice(const sp_emitter *e, const k_node *n)
{
    return k_at(e->p, k_block_at(e->p, n->blocks[0])->first)->op == K_YIELD &&
           k_at(e->p, k_block_at(e->p, n->blocks[1])->first)->op == K_YIELD;
}

static void put_choice(sp_emitter *e, const k_node *n)
{
    const k_node *yes = k_yield_of(e->p, n->blocks[0]), *no = k_yield_of(e->p, n->blocks[1]);
    for (uint32_t i = 0; i < n->nresults; i++)
        e->ids[n->results + i] =
            sp_3(e, SpvOpSelect, sp_scalar(e, (scalar)k_at(e->p, n->results + i)->type),
                 sp_value(e, n->args[0]), sp_value(e, k_listed(e->p, yes, i)),
                 sp_value(e, k_listed(e->p, no, i)));
}

/* One side of a branch; the block in which it ends. */
static sp_id put_side(sp_emitter *e, k_block b, sp_id label, sp_id end)
{
    sp_label(e, label);
    put_block(e, b);
    sp_id last = e->block;
    branch(e, end);
    return last;
}

static void put_branches(sp_emitter *e, const k_node *n)
{
    const k_node *yes = k_yield_of(e->p, n->blocks[0]), *no = k_yield_of(e->p, n->blocks[1]);
    sp_id then = sp_new_id(e->s), other = sp_new_id(e->s), end = sp_new_id(e->s);
    sp_id test = sp_value(e, n->args[0]);
    merge_at(e, end);
    branch_by(e, test, then, other);
    sp_id last_then = put_side(e, n->blocks[0], then, end),
          last_other = put_side(e, n->blocks[1], other, end);
    sp_label(e, end);
    for (uint32_t i = 0; i < n->nresults; i++)
        e->ids[n->results + i] = sp_make(e->s, e->where, SpvOpPhi,
                                         sp_scalar(e, (scalar)k_at(e->p, n->results + i)->type),
                                         SP_WORDS(sp_value(e, k_listed(e->p, yes, i)), last_then,
                                                  sp_value(e, k_listed(e->p, no, i)), last_other));
}

/* An else that does nothing is no block. */
static void put_then(sp_emitter *e, const k_node *n)
{
    sp_id then = sp_new_id(e->s), end = sp_new_id(e->s), test = sp_value(e, n->args[0]);
    merge_at(e, end);
    branch_by(e, test, then, end);
    put_side(e, n->blocks[0], then, end);
    sp_label(e, end);
}

static void put_if(sp_emitter *e, const k_node *n)
{
    if (is_choice(e, n))
        put_choice(e, n);
    else if (!n->nresults && k_at(e->p, k_block_at(e->p, n->blocks[1])->first)->op == K_YIELD)
        put_then(e, n);
    else
        put_branches(e, n);
}

/* ---- memory ---- */

static void put_load(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    scalar t = (scalar)n->type;
    sp_id at = e->environment->element(e, n->args[0], sp_value(e, n->args[1]));
    sp_id v = sp_make(e->s, e->where, SpvOpLoad, sp_stored(e, t),
                      SP_WORDS(at, SpvMemoryAccessAlignedMask, ir_scalar_bytes(t)));
    e->ids[id] = sp_from_memory(e, t, v);
}

static void put_store(sp_emitter *e, const k_node *n)
{
    scalar t = (scalar)k_at(e->p, n->args[2])->type;
    sp_id at = e->environment->element(e, n->args[0], sp_value(e, n->args[1]));
    sp_id v = sp_to_memory(e, t, sp_value(e, n->args[2]));
    sp_put(e->s, e->where, SpvOpStore,
           SP_WORDS(at, v, SpvMemoryAccessAlignedMask, ir_scalar_bytes(t)));
}

static bool is_local(const sp_emitter *e, k_id memory)
{
    const k_node *n = k_at(e->p, memory);
    return n->op == K_ALLOC && n->space == SPACE_LOCAL;
}

static uint32_t order_of(const sp_emitter *e, const k_node *n)
{
    uint32_t memory = e->environment->buffers == SpvStorageClassCrossWorkgroup
                          ? SpvMemorySemanticsCrossWorkgroupMemoryMask
                          : SpvMemorySemanticsUniformMemoryMask;
    return n->atomic == ATOMIC_ACQUIRE   ? SpvMemorySemanticsAcquireMask | memory
           : n->atomic == ATOMIC_RELEASE ? SpvMemorySemanticsReleaseMask | memory
                                         : (uint32_t)SpvMemorySemanticsMaskNone;
}

static SpvOp atomic_op(const k_node *n)
{
    bool is_signed = ir_scalar_class((scalar)n->type) == 'I';
    switch ((k_atomic)n->atomic) {
    case ATOMIC_ADD: return SpvOpAtomicIAdd;
    case ATOMIC_MIN: return is_signed ? SpvOpAtomicSMin : SpvOpAtomicUMin;
    case ATOMIC_MAX: return is_signed ? SpvOpAtomicSMax : SpvOpAtomicUMax;
    case ATOMIC_AND: return SpvOpAtomicAnd;
    case ATOMIC_OR: return SpvOpAtomicOr;
    case ATOMIC_XOR: return SpvOpAtomicXor;
    case ATOMIC_EXCHANGE: return SpvOpAtomicExchange;
    case ATOMIC_COMPARE: return SpvOpAtomicCompareExchange;
    case ATOMIC_LOAD:
    case ATOMIC_ACQUIRE: return SpvOpAtomicLoad;
    case ATOMIC_STORE:
    case ATOMIC_RELEASE: break;
    }
    return SpvOpAtomicStore;
}

static void put_atomic(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    SpvOp op = atomic_op(n);
    sp_id type = sp_scalar(e, (scalar)n->type), at = e->environment->cell(e, n),
          scope = sp_u32(e, is_local(e, n->args[0]) ? SpvScopeWorkgroup : SpvScopeDevice),
          order = sp_u32(e, order_of(e, n)), v = n->args[2] ? sp_value(e, n->args[2]) : 0;
    if (ir_scalar_bytes((scalar)n->type) == 8)
        sp_require(e->s, SpvCapabilityInt64Atomics);
    if (op == SpvOpAtomicStore)
        sp_put(e->s, e->where, op, SP_WORDS(at, scope, order, v));
    else if (op == SpvOpAtomicLoad)
        e->ids[id] = sp_make(e->s, e->where, op, type, SP_WORDS(at, scope, order));
    else if (op == SpvOpAtomicCompareExchange)
        e->ids[id] =
            sp_make(e->s, e->where, op, type,
                    SP_WORDS(at, scope, order, order, sp_value(e, k_listed(e->p, n, 0)), v));
    else
        e->ids[id] = sp_make(e->s, e->where, op, type, SP_WORDS(at, scope, order, v));
}

/* What a barrier of the block orders costs time: legalise says whether global memory is in it. */
static void put_sync(sp_emitter *e)
{
    uint32_t global = e->environment->buffers == SpvStorageClassCrossWorkgroup
                          ? SpvMemorySemanticsCrossWorkgroupMemoryMask
                          : SpvMemorySemanticsUniformMemoryMask;
    sp_id scope = sp_u32(e, SpvScopeWorkgroup);
    uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask |
                     (e->kernel->shares_global ? global : 0);
    sp_put(e->s, e->where, SpvOpControlBarrier, SP_WORDS(scope, scope, sp_u32(e, order)));
}

/* ---- checks ---- */

static sp_id as_long(sp_emitter *e, k_id v)
{
    return sp_resize(e, ST_I64, (scalar)k_at(e->p, v)->type, sp_value(e, v));
}

/* Where the condition is known not to hold, only the report is left. */
static void put_check(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    bool known = k_at(e->p, n->args[0])->op == K_CONST;
    sp_id failed = sp_new_id(e->s), end = sp_new_id(e->s);
    if (!known) {
        sp_id test = sp_value(e, n->args[0]);
        merge_at(e, end);
        branch_by(e, test, end, failed);
        sp_label(e, failed);
    }
    sp_report(e, e->ids[id], as_long(e, n->args[1]), as_long(e, n->args[2]));
    if (!known) {
        branch(e, end);
        sp_label(e, end);
    }
}

/* Another thread may just have failed, so that the memory is read each time. */
static void put_failed(sp_emitter *e, k_id id)
{
    sp_id v = sp_make(e->s, e->where, SpvOpLoad, sp_scalar(e, ST_U32),
                      SP_WORDS(e->environment->word(e, K_REPORT_CHECK),
                               SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask, 4));
    e->ids[id] = sp_relate(e, SpvOpINotEqual, v, sp_u32(e, 0));
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

static void put_statement(sp_emitter *e, k_id id)
{
    const k_node *n = k_at(e->p, id);
    put_line(e, n);
    switch (n->op) {
    case K_SCALAR: e->ids[id] = sp_scalar_of(e, n); break;
    case K_CONVERT: e->ids[id] = sp_convert(e, n); break;
    case K_BITCAST: e->ids[id] = sp_bitcast(e, n); break;
    case K_BUILTIN: e->ids[id] = sp_coordinate(e, (k_coordinate)n->coordinate); break;
    case K_LOAD: put_load(e, id); break;
    case K_STORE: put_store(e, n); break;
    case K_LOADWIDE: e->environment->load_wide(e, n); break;
    case K_STOREWIDE: e->environment->store_wide(e, n); break;
    case K_ATOMIC: put_atomic(e, id); break;
    case K_SYNC: put_sync(e); break;
    case K_CHECK: put_check(e, id); break;
    case K_FAILED: put_failed(e, id); break;
    case K_IF: put_if(e, n); break;
    case K_FOR: put_for(e, n); break;
    case K_WHILE: put_while(e, n); break;
    default:
        break; /* constants are made where they are used, memories are there already, and what
                  a yield hands on is seen by the statement around it */
    }
}

static void put_block(sp_emitter *e, k_block b)
{
    for (k_id id = k_block_at(e->p, b)->first; id; id = k_at(e->p, id)->next)
        put_statement(e, id);
}

void sp_body(sp_emitter *e)
{
    put_block(e, k_at(e->p, e->kernel->launch)->blocks[0]);
}
