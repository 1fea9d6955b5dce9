/* Lowering of accumulate: the threads of a level combine values into cells of memory that they
 * share.
 *
 * The cells are written first, then each element of the pushed array goes into its cell in one
 * atomic step: by the device's own where it has one for the combining function, else by computing
 * the new value and storing it if the cell is still what it was computed from.  A thread alone
 * loads, combines and stores. */
#include "ir/kernel/lower/value.h"

/* ---- one element ---- */

/* The program's function; `old` comes first. */
static const sv *combined(lowering *L, const writer *w, const sv *old, const sv *v)
{
    const sv *args[2] = {old, v};
    return lower_run_region(L, w->region + 1, w->env, w->env->bound, args, 2);
}

static void combine_alone(lowering *L, const writer *w, k_id at, const sv *v)
{
    const sv *cells = lower_memory_array(L, w->dest, kb_int(&L->b, 0), w->shape, 1, 0);
    lower_store_tree(L, w->dest->tree, at, combined(L, w, sv_index(L, cells, &at), v));
}

/* What the cell holds, as far as can be told without waiting. */
static k_id first_guess(lowering *L, k_id cells, k_id at, scalar bits)
{
    bool global = k_at(L->b.p, cells)->space == SPACE_GLOBAL;
    return global ? kb_atomic(&L->b, ATOMIC_LOAD, cells, at, 0, 0)
                  : kb_atomic(&L->b, ATOMIC_ADD, cells, at, kb_const(&L->b, bits, 0), 0);
}

/* Until the cell still holds what was combined with v when the result is stored. */
static void combine_by_comparing(lowering *L, const writer *w, k_id at, const sv *v)
{
    k_builder *b = &L->b;
    k_id cells = w->dest->tree->v;
    scalar t = (scalar)k_at(b->p, cells)->type, bits = kb_atomic_type(t);
    k_id guess = first_guess(L, cells, at, bits), s = kb_open_while(b, &guess, 1),
         old = kb_param(b, s, 0);
    const sv *next = combined(L, w, sv_scalar(L, kb_bitcast(b, t, old)), v);
    if (lower_failed(L))
        return;
    k_id found = kb_atomic(b, ATOMIC_COMPARE, cells, at, old, kb_bitcast(b, bits, next->v));
    k_id changed = kb_scalar(b, SOP_NE, found, old, 0);
    kb_next_block(b, &changed, 1);
    kb_close(b, &found, 1);
}

/* How was decided once, when the cells were made (choose_step). */
static void combine(lowering *L, const writer *w, k_id at, const sv *v)
{
    if (!w->step)
        combine_alone(L, w, at, v);
    else if (w->step == ATOMIC_COMPARE)
        combine_by_comparing(L, w, at, v);
    else
        kb_atomic(&L->b, w->step, w->dest->tree->v, at, v->v, 0);
}

/* Positions outside are dropped: by a test, unless they are known to be inside. */
void lower_write_cells(lowering *L, const writer *w, const sv *v)
{
    k_builder *b = &L->b;
    const sv *r = lower_run_region1(L, w->region, w->env, v);
    if (r->kind != SV_TUPLE || r->n != 2 || !w->dest->tree)
        return;
    k_id at = r->items[0]->v, low = kb_scalar(b, SOP_GE, at, kb_int(b, 0), 0);
    k_id inside = kb_scalar(b, SOP_AND, low, kb_lt(b, at, w->limit), 0);
    int64_t known;
    bool guarded = !k_is_const(b->p, inside, &known) || !known;
    if (guarded)
        kb_open_if(b, inside);
    combine(L, w, at, r->items[1]);
    if (guarded) {
        kb_next_block(b, NULL, 0);
        kb_close(b, NULL, 0);
    }
}

/* ---- the array ---- */

/* Of floats OpenCL 1.2 has no such steps: they are compared as bits. */
static k_atomic step_of(const k_node *n, k_id old, k_id new)
{
    static const struct {
        uint8_t op, step;
    } steps[] = {{SOP_ADD, ATOMIC_ADD}, {SOP_MIN, ATOMIC_MIN}, {SOP_MAX, ATOMIC_MAX},
                 {SOP_AND, ATOMIC_AND}, {SOP_OR, ATOMIC_OR},   {SOP_XOR, ATOMIC_XOR}};
    bool both =
        (n->args[0] == old && n->args[1] == new) || (n->args[0] == new && n->args[1] == old);
    for (uint32_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (n->op == K_SCALAR && n->opcode == steps[i].op && both && k_type_is_int((scalar)n->type))
            return (k_atomic)steps[i].step;
    return ATOMIC_COMPARE;
}

/* The step that does what the function does: it is tried on two values of which nothing is known,
 * and forgotten. */
static k_atomic find_step(lowering *L, const writer *w, scalar t)
{
    k_builder *b = &L->b;
    k_id zero = kb_const(b, t, 0), init[2] = {zero, zero};
    k_id s = kb_open_for(b, kb_int(b, 0), kb_int(b, 1), kb_int(b, 1), init, 2),
         old = kb_param(b, s, 1);
    const sv *r = combined(L, w, sv_scalar(L, old), sv_scalar(L, old + 1));
    if (lower_failed(L))
        return 0;
    k_atomic step = step_of(k_at(b->p, r->v), old, old + 1);
    kb_discard(b);
    return step;
}

/* How the threads of a level combine into cells; false when they cannot. */
static bool choose_step(lowering *L, writer *w, uint32_t level)
{
    const sv *cells = w->dest->tree;
    scalar t = cells && cells->kind == SV_SCALAR ? (scalar)k_at(L->b.p, cells->v)->type : ST_NONE;
    if (level == LEVEL_THREAD)
        return true;
    if (t != ST_NONE && ir_scalar_bytes(t) >= 4) {
        w->step = find_step(L, w, t);
        return !lower_failed(L);
    }
    lower_fail(L, DIAG_LOWER_ATOMIC, "the threads of level %s cannot combine %s in one step",
               lower_height_name(L, level), t == ST_NONE ? "tuples" : ir_scalar_name(t));
    diag_hint(L->m->cx, t == ST_NONE
                            ? "accumulate each component into an array of its own"
                            : "accumulate into integers of 32 bits, and convert them afterwards");
    return false;
}

/* Writes the elements that the cells start with. */
static void write_start(lowering *L, const sv *init, uint32_t level, destination *cells)
{
    sv *p = sv_new(L, SV_PUSH, PUSH_PULL);
    p->level = (uint8_t)level;
    p->rank = 1;
    p->shape = init->shape;
    p->src = init;
    lower_emit_into(L, p, cells, kb_int(&L->b, 0), 0);
    lower_sync_after(L, level);
}

/* Barriers on both sides: the cells are there before the first step, and complete behind the
 * last. */
const sv *lower_ACCUMULATE(lowering *L, frame *f, ir_op o)
{
    const sv *init = lower_frame_value(L, f, ir_arg(L->m, o, 0)),
             *src = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    if (src->kind != SV_PUSH || !init->shape || !lower_may_force(L, src->level, "accumulate"))
        return sv_none();
    destination cells;
    lower_destination_init(L, &cells, src->level,
                           lower_bounded_size(L, init->shape, 1, "accumulate"));
    write_start(L, init, src->level, &cells);
    writer w = {.kind = WRITE_CELLS,
                .dest = &cells,
                .env = f,
                .shape = init->shape,
                .limit = init->shape[0]};
    w.region = ir_op_at(L->m, o)->regions;
    if (lower_failed(L) || !choose_step(L, &w, src->level))
        return sv_none();
    lower_emit_push(L, src, &w);
    lower_sync_after(L, src->level);
    return lower_memory_array(L, &cells, kb_int(&L->b, 0), init->shape, 1,
                              lower_result_element(L, o));
}
