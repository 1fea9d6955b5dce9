/* What neighbouring elements of a loop have in common: found out by building the body for them on
 * trial.  It is the packing step of vectorisation, with run-time alignment checks.
 *
 * An access is wide when its indices are consecutive and the lowest one is a multiple of their
 * number: as one can tell (neighbour.h), or when a test says so that all workers share.  Only
 * accesses to global memory are worth such a test. */
#include "ir/kernel/analysis/neighbour.h"
#include "ir/kernel/pass/widen/widen.h"

/* ---- what kind of body it is ---- */

enum { NOT_ONE_STEP = ATOMIC_LOAD }; /* atomic steps from here on order what stands around them */

/* A thread's or lane's own memory ties it to its elements. */
static bool is_simple(const k_program *p, const k_node *n)
{
    const k_node *memory = k_at(p, n->args[0]);
    bool shared =
        k_is_global(memory) || memory->space == SPACE_LOCAL || memory->space == SPACE_WARP;
    switch (n->op) {
    case K_LOAD:
    case K_STORE: return shared;
    case K_ATOMIC: return shared && n->atomic < NOT_ONE_STEP;
    case K_CHECK: return true;
    default: return k_op_info(n->op)->class == KC_VALUE || n->op == K_IF || n->op == K_YIELD;
    }
}

/* The statement belongs to the body, and so does what it yields. */
static void note(widening *w, k_id id)
{
    const k_node *n = k_at(w->r.old, id), *memory = k_at(w->r.old, n->args[0]);
    w->notes[id] = NOTE_BODY;
    for (uint32_t i = 0; i < n->nresults; i++)
        w->notes[n->results + i] = NOTE_BODY;
    if ((n->op == K_LOAD || n->op == K_STORE) && k_is_global(memory))
        w->sizes |= ir_scalar_bytes((scalar)n->type);
    w->statements++;
}

static bool note_block(widening *w, k_block body)
{
    const k_program *p = w->r.old;
    for (k_id id = k_block_at(p, body)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (!is_simple(p, n))
            return false;
        note(w, id);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !note_block(w, n->blocks[i]))
                return false;
    }
    return true;
}

bool widen_body_is_simple(widening *w, k_block body)
{
    w->statements = w->sizes = 0;
    w->notes[k_block_at(w->r.old, body)->params] = NOTE_BODY;
    return note_block(w, body);
}

/* ---- steps from lane to lane ---- */

static k_id in_lane(const widening *w, uint32_t j, k_id old)
{
    return w->lane[j][old];
}

/* The builder shares equal values, so equal numbers are enough. */
static bool same_in_lanes(const widening *w, k_id old)
{
    for (uint32_t j = 1; j < w->lanes; j++)
        if (in_lane(w, j, old) != in_lane(w, 0, old))
            return false;
    return true;
}

typedef linear (*form_fn)(const k_program *p, k_id v);

/* Whether a value grows by the same from each lane to the next (modulo what the type holds). */
static bool steps_as(const widening *w, k_id old, scalar t, form_fn form, int64_t *step)
{
    const k_program *p = w->r.b.p;
    linear first = form(p, in_lane(w, 0, old));
    for (uint32_t j = 1; j < w->lanes; j++) {
        linear d = form(p, in_lane(w, j, old));
        if (!ka_linear_add(&d, &first, -1, t) || d.n != 0)
            return false;
        if (j == 1)
            *step = d.c;
        if ((uint64_t)d.c != (uint64_t)*step * j)
            return false;
    }
    return true;
}

static bool step_of(const widening *w, k_id old, int64_t *step)
{
    return steps_as(w, old, (scalar)k_at(w->r.b.p, in_lane(w, 0, old))->type, k_index_form, step);
}

/* Whether every lane has converted it from a number of 32 bits. */
static bool is_short(const widening *w, k_id old)
{
    const k_program *p = w->r.b.p;
    bool is = true;
    for (uint32_t j = 0; j < w->lanes && is; j++) {
        const k_node *n = k_at(p, in_lane(w, j, old));
        is = n->op == K_CONVERT && n->type == ST_I64 && k_at(p, n->args[0])->type == ST_I32;
    }
    return is;
}

/* Of an index.  Nothing that is accessed has a negative one, so that numbers of 32 bits differ as
 * they do modulo 2^32. */
static bool index_step(const widening *w, k_id old, int64_t *step)
{
    return step_of(w, old, step) ||
           (is_short(w, old) && steps_as(w, old, ST_I32, k_index_residue, step));
}

/* ---- alignment ---- */

/* Its lower bits, which alignment goes by. */
static k_id low_bits(k_builder *b, k_id v)
{
    return v ? kb_convert(b, ST_I32, v) : 0;
}

/* k * v, or something with as many zeros at the end. */
static k_id scaled(k_builder *b, k_id v, uint64_t k)
{
    return k & 1 ? v : kb_mul(b, v, kb_int(b, (int32_t)k));
}

static k_id add_scaled(widening *w, k_id sum, k_id v, uint64_t k)
{
    k_builder *b = &w->r.b;
    uint64_t mask = w->lanes - 1;
    if (k == mask && sum)
        return kb_sub(b, sum, v);
    k_id x = k == mask ? kb_sub(b, kb_int(b, 0), v) : kb_mul(b, v, kb_int(b, (int32_t)k));
    return sum ? kb_add(b, sum, x) : x;
}

/* Whether a value is the same for all turns of the loop being widened. */
static bool is_outside(const widening *w, k_id v)
{
    return k_at(w->r.b.p, v)->depth <= w->outer;
}

/* A factor of v to test in its place: one that the host knows, or else, when v differs between
 * elements, one that does not. */
static k_id factor_of(const widening *w, k_id v)
{
    const k_builder *b = &w->r.b;
    const k_node *n = k_at(b->p, v);
    if (n->op != K_SCALAR || n->opcode != SOP_MUL || kb_is_host(b, v))
        return 0;
    for (int i = 0; i < 2; i++)
        if (kb_is_host(b, n->args[i]))
            return n->args[i];
    for (int i = 0; i < 2; i++)
        if (!is_outside(w, v) && is_outside(w, n->args[i]))
            return n->args[i];
    return 0;
}

static k_id either(k_builder *b, k_id x, k_id y)
{
    return !x ? y : !y ? x : kb_scalar(b, SOP_OR, x, y, 0);
}

/* Whether an index is a multiple of lanes, always or, if that may be tested, when w->bits is one.
 */
static bool is_aligned(widening *w, k_id index, bool may_test)
{
    k_builder *b = &w->r.b;
    linear l = k_index_residue(b->p, index);
    uint64_t mask = w->lanes - 1, c = (uint64_t)l.c & mask;
    k_id bits = w->bits, rest = 0, alone = 0;
    for (uint32_t i = 0; i < l.n; i++) {
        k_id factor = factor_of(w, l.v[i]);
        if ((uint64_t)1 << k_term_zeros(b->p, &l, i) > mask)
            continue;
        if (!may_test || (!factor && !is_outside(w, l.v[i])))
            return false;
        if (factor)
            bits = either(b, bits, scaled(b, low_bits(b, factor), (uint64_t)l.k[i] & mask));
        else {
            k_id v = low_bits(b, l.v[i]);
            alone = rest ? 0 : scaled(b, v, (uint64_t)l.k[i] & mask);
            rest = add_scaled(w, rest, v, (uint64_t)l.k[i] & mask);
        }
    }
    if (!rest && c != 0)
        return false;
    if (rest)
        bits = either(b, bits, alone && !c ? alone : kb_add(b, rest, kb_int(b, (int32_t)c)));
    w->bits = bits;
    return true;
}

/* Of a warp's slice of local memory, the beginning must be aligned too. */
static bool may_be_wide(const widening *w, const k_node *memory)
{
    if (k_is_global(memory) || memory->space == SPACE_LOCAL)
        return true;
    return memory->space == SPACE_WARP && is_multiple(w->r.old, memory->args[0], w->lanes);
}

/* Only elements in a row, upwards or downwards, are one wide access; other strides stay as they
 * are. */
static void study_access(widening *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old), *memory = k_at(w->r.old, n->args[0]);
    uint32_t size = ir_scalar_bytes((scalar)n->type);
    int64_t step = 0;
    bool global = k_is_global(memory), told = (w->notes[n->args[1]] & NOTE_READ) != 0;
    w->apart += global && !told && !same_in_lanes(w, n->args[1]);
    if (w->far || size * w->lanes > MEMORY_ALIGNMENT || !may_be_wide(w, memory) ||
        !index_step(w, n->args[1], &step) || (step != 1 && step != -1))
        return;
    k_id lowest = in_lane(w, step > 0 ? 0 : w->lanes - 1, n->args[1]);
    if (!is_aligned(w, lowest, global))
        return;
    w->notes[old] |= step > 0 ? NOTE_UP : NOTE_DOWN;
    w->found |= global ? size : 0;
    w->wide += global;
    w->apart -= global;
}

/* ---- conditions ---- */

/* x steps evenly and does not wrap between the first lane and the last. */
static bool is_even(const widening *w, k_id old)
{
    int64_t step = 0;
    if (!(w->notes[old] & NOTE_BODY))
        return true;
    if (k_at(w->r.old, old)->type != ST_I32 || !step_of(w, old, &step))
        return false;
    k_id x = in_lane(w, 0, old);
    int64_t whole = step * (int64_t)(w->lanes - 1);
    return k_lo(w->r.b.p, x) + whole >= INT32_MIN && k_hi(w->r.b.p, x) + whole <= INT32_MAX;
}

/* Whether a condition is the same for all lanes when the tests say so.  A comparison of two numbers
 * that step evenly turns at most once from the first lane to the last. */
static bool is_decided(widening *w, k_id old, int depth)
{
    const k_node *n = k_at(w->r.old, old);
    if (!(w->notes[old] & NOTE_BODY))
        return true;
    if ((w->notes[old] & NOTE_READ) || depth == 0)
        return false;
    if (same_in_lanes(w, old))
        return true;
    switch (n->op == K_SCALAR ? (opcode)n->opcode : 0) {
    case SOP_AND:
    case SOP_OR:
        return is_decided(w, n->args[0], depth - 1) && is_decided(w, n->args[1], depth - 1);
    case SOP_NOT: return is_decided(w, n->args[0], depth - 1);
    case SOP_LT:
    case SOP_LE:
    case SOP_GT:
    case SOP_GE:
        return is_even(w, n->args[0]) && is_even(w, n->args[1]) &&
               vec_push(&w->r.old->cx->mem, &w->tests, old);
    default: return false;
    }
}

/* Whether the second block of an if reports an error, which a right program never does, and the
 * condition can be asked for all elements before any of them is computed.  In loops of a block or
 * warp code would grow more than they gain. */
static bool is_guard(const widening *w, const k_node *n)
{
    const k_program *p = w->r.old;
    int64_t holds;
    if (!w->grid || w->nested || (w->notes[n->args[0]] & NOTE_READ))
        return false;
    for (k_id id = k_block_at(p, n->blocks[1])->first; id; id = k_at(p, id)->next)
        if (k_at(p, id)->op == K_CHECK && k_is_const(p, k_at(p, id)->args[0], &holds) && !holds)
            return true;
    return false;
}

/* Tests that were noted for a condition that is refused after all are taken back. */
static void study_if(widening *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    uint32_t before = w->tests.len;
    if (n->nresults * w->lanes > MOST_YIELDED)
        return;
    if (is_decided(w, n->args[0], (int)w->r.old->target.tuning.widen_depth)) {
        w->notes[old] |= NOTE_TOGETHER;
        return;
    }
    w->tests.len = before;
    if (is_guard(w, n) && ((w->column.on && widen_column_inside(w, n->args[0])) ||
                           vec_push(&w->r.old->cx->mem, &w->guards, n->args[0])))
        w->notes[old] |= NOTE_GUARD;
}

/* ---- a statement ---- */

/* A value that depends on memory differs between elements in ways that no test foretells. */
void widen_lanes_study(widening *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    bool reads = n->op == K_LOAD || n->op == K_ATOMIC || n->op == K_IF;
    for (int i = 0; i < 3; i++)
        reads = reads || (w->notes[n->args[i]] & NOTE_READ);
    if (reads)
        w->notes[old] |= NOTE_READ;
    for (uint32_t i = 0; i < n->nresults; i++)
        w->notes[n->results + i] |= NOTE_READ;
    if (n->op == K_IF)
        study_if(w, old);
    else if (n->op == K_LOAD || n->op == K_STORE)
        study_access(w, old);
}
