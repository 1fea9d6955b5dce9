/* Lowering of accumulate and fetch: the threads of a level combine values into cells of memory that
 * they share; and of one element on its way into such cells, for cells/scatter.c too.
 *
 * The cells are written first, then each element of the pushed array goes into its cell in one
 * atomic step: by the device's own where it has one for the combining function, else by computing
 * the new value and storing it if the cell is still what it was computed from.  A thread alone
 * loads, combines and stores, and so do threads that have cells of their own (the hint `apart`). */
#include "ir/kernel/lower/cells/cells.h"
#include "ir/properties.h"

/* ---- one element ---- */

/* The program's function; `old` comes first. */
static const sv *combined(lowering *L, const writer *w, const sv *old, const sv *v)
{
    const sv *args[2] = {old, v};
    return lower_run_region(L, w->region + 1, w->env, w->env->bound, args, 2);
}

/* These return what the cell held before, which is element `at` of the memory. */
static const sv *combine_alone(lowering *L, const writer *w, k_id at, const sv *v)
{
    const sv *cells = lower_memory_array(L, w->dest, kb_int(&L->b, 0), w->shape, 1, 0);
    at = kb_position(&L->b, at);
    const sv *old = sv_index(L, cells, &at);
    lower_store_tree(L, w->dest->tree, at, combined(L, w, old, v));
    return old;
}

/* What the cell holds, as far as can be told without waiting. */
static k_id first_guess(lowering *L, k_id cells, k_id at, scalar bits)
{
    bool global = k_at(L->b.p, cells)->space == SPACE_GLOBAL;
    return global ? kb_atomic(&L->b, ATOMIC_LOAD, cells, at, 0, 0)
                  : kb_atomic(&L->b, ATOMIC_ADD, cells, at, kb_const(&L->b, bits, 0), 0);
}

/* Until the cell still holds what was combined with v when the result is stored. */
static const sv *combine_by_comparing(lowering *L, const writer *w, k_id at, const sv *v)
{
    k_builder *b = &L->b;
    k_id cells = w->dest->tree->v;
    scalar t = (scalar)k_at(b->p, cells)->type, bits = kb_atomic_type(t);
    k_id guess = first_guess(L, cells, at, bits), s = kb_open_while(b, &guess, 1),
         old = kb_param(b, s, 0);
    const sv *next = combined(L, w, sv_scalar(L, kb_bitcast(b, t, old)), v);
    if (lower_failed(L))
        return sv_none();
    k_id found = kb_atomic(b, ATOMIC_COMPARE, cells, at, old, kb_bitcast(b, bits, next->v));
    k_id changed = kb_scalar(b, SOP_NE, found, old, 0);
    kb_next_block(b, &changed, 1);
    kb_close(b, &found, 1);
    return sv_scalar(L, kb_bitcast(b, t, kb_result(b, s, 0)));
}

/* Any word can be exchanged as bits. */
static const sv *exchange(lowering *L, const writer *w, k_id at, const sv *v)
{
    k_builder *b = &L->b;
    k_id cells = w->dest->tree->v;
    scalar t = (scalar)k_at(b->p, cells)->type, bits = kb_atomic_type(t);
    k_id found = kb_atomic(b, ATOMIC_EXCHANGE, cells, at, kb_bitcast(b, bits, v->v), 0);
    return sv_scalar(L, kb_bitcast(b, t, found));
}

/* How was decided once, when the cells were made (choose_step). */
static const sv *combine(lowering *L, const writer *w, k_id at, const sv *v)
{
    k_atomic step = w->cells->step;
    at = lower_position_from(L, w->offset, at);
    if (!step)
        return combine_alone(L, w, at, v);
    if (step == ATOMIC_COMPARE)
        return combine_by_comparing(L, w, at, v);
    if (step == ATOMIC_EXCHANGE)
        return exchange(L, w, at, v);
    return sv_scalar(L, kb_atomic(&L->b, step, w->dest->tree->v, at, v->v, 0));
}

/* The number of an element of the array that goes into the cells; of rank 1 it may be at hand. */
static k_id number_of(lowering *L, const cell_rule *c, const k_id *ix, k_id flat)
{
    k_id n = flat && c->rank == 1
                 ? flat
                 : lower_shape_flatten(L, c->number, c->rank, ix, POSITION_EXISTING);
    return kb_narrow(&L->b, n);
}

/* The element with the greatest number owns the cell. */
static void claim(lowering *L, const cell_rule *c, k_id at, k_id number)
{
    k_builder *b = &L->b;
    if (c->step)
        kb_atomic(b, c->step, c->owner, at, number, 0);
    else
        kb_store(b, c->owner, at, kb_max(b, kb_load(b, c->owner, at), number));
}

/* By a plain store, or by one step where others may store there too. */
static void put(lowering *L, const writer *w, k_id at, const sv *v)
{
    k_builder *b = &L->b;
    const sv *tree = w->dest->tree;
    k_id to = lower_position_from(L, w->offset, at);
    if (!w->cells->step) {
        lower_store_tree(L, tree, to, v);
        return;
    }
    scalar bits = kb_atomic_type((scalar)k_at(b->p, tree->v)->type);
    kb_atomic(b, w->cells->step, tree->v, to, kb_bitcast(b, bits, v->v), 0);
}

static void put_if_owned(lowering *L, const writer *w, k_id at, k_id number, const sv *v)
{
    k_builder *b = &L->b;
    k_id owner = kb_load(b, w->cells->owner, at);
    kb_open_if(b, kb_scalar(b, SOP_EQ, owner, number, 0));
    put(L, w, at, v);
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* An element whose position is inside; returns what was found there, if that is wanted. */
static const sv *act(lowering *L, const writer *w, k_id at, k_id number, const sv *v)
{
    switch (w->cells->what) {
    case CELLS_COMBINE: return combine(L, w, at, v);
    case CELLS_CLAIM: claim(L, w->cells, at, number); break;
    case CELLS_PUT:
        if (w->cells->owner)
            put_if_owned(L, w, at, number, v);
        else
            put(L, w, at, v);
        break;
    case CELLS_START: break; /* has no positions of its own */
    }
    return sv_none();
}

static void keep_found(lowering *L, const writer *w, k_id number, const sv *old)
{
    const destination *found = w->cells->found;
    if (found && found->tree && !lower_failed(L))
        lower_store_tree(L, found->tree, number, old);
}

/* Where an element goes: an index for each axis, and the conditions that they are to meet. */
typedef struct cell_place {
    k_id at[MAX_RANK];
    k_id low, high; /* no index is negative; none is too large */
} cell_place;

static cell_place place_of(lowering *L, const writer *w, const sv *place)
{
    k_builder *b = &L->b;
    cell_place p = {.low = kb_const(b, ST_BOOL, 1), .high = kb_const(b, ST_BOOL, 1)};
    for (uint32_t i = 0; i < w->rank; i++) {
        p.at[i] = w->rank > 1 ? place->items[i]->v : place->v;
        p.low = kb_scalar(b, SOP_AND, p.low, kb_scalar(b, SOP_GE, p.at[i], kb_int(b, 0), 0), 0);
        p.high = kb_scalar(b, SOP_AND, p.high, kb_lt(b, p.at[i], w->shape[i]), 0);
    }
    return p;
}

/* The number of the cell, which exists; of rank 1 it is as the program computes it. */
static k_id cell_of(lowering *L, const writer *w, const cell_place *p)
{
    bool wide = w->rank > 1 && lower_is_wide(L, w->dest->size);
    return w->rank == 1 ? p->at[0]
                        : lower_shape_flatten(L, w->shape, w->rank, p->at,
                                              wide ? POSITION_WIDE : POSITION_EXISTING);
}

/* In the branch of what has no cell: it is reported, once for an element. */
static void report_place(lowering *L, const writer *w, const cell_place *p)
{
    k_builder *b = &L->b;
    if (w->cells->what == CELLS_CLAIM || L->supposing || !lower_is_asked(L, CHECKED_POSITION, NULL))
        return;
    for (uint32_t i = 0; i < w->rank; i++) {
        k_id in = w->rank == 1 ? kb_const(b, ST_BOOL, 0) : lower_in_range(L, p->at[i], w->shape[i]);
        kb_check(b, CHECKED_POSITION, in, p->at[i], w->shape[i], 0);
    }
}

/* An element that is there from the start, in a cell that nobody has claimed. */
static void write_first(lowering *L, const writer *w, const sv *v, const k_id *ix, k_id flat)
{
    bool wide = lower_is_wide(L, w->dest->size);
    k_id at = flat ? flat
                   : lower_shape_flatten(L, w->shape, w->rank, ix,
                                         wide ? POSITION_WIDE : POSITION_EXISTING);
    at = kb_convert(&L->b, wide ? ST_I64 : ST_I32, at);
    if (!w->cells->taken)
        lower_store_tree(L, w->dest->tree, at, v);
    kb_store(&L->b, w->cells->owner, at, kb_int(&L->b, -1));
}

/* Opens a branch unless it is evidently taken. */
static bool open_unless_known(lowering *L, k_id cond)
{
    int64_t known;
    if (k_is_const(L->b.p, cond, &known) && known)
        return false;
    kb_open_if(&L->b, cond);
    return true;
}

static void close_branch(lowering *L)
{
    kb_close(&L->b, NULL, 0);
}

/* Why there is the place of an element that has come here; or NULL. */
static const char *proves_place(const lowering *L, const writer *w, const cell_place *p)
{
    const char *proof = NULL;
    for (uint32_t i = 0; i < w->rank && (i == 0 || proof); i++)
        proof = lower_proves_index(L, p->at[i], w->shape[i]);
    return L->target.request.checks == CHECKS_ALL ? NULL : proof;
}

/* Nothing is written outside.  What is put somewhere goes nowhere by a negative index; elsewhere
 * that is as wrong as one that is too large. */
static void write_placed(lowering *L, const writer *w, const sv *r, k_id number)
{
    k_builder *b = &L->b;
    cell_place p = place_of(L, w, r->items[0]);
    bool combines = w->cells->what == CELLS_COMBINE;
    bool somewhere = !combines && open_unless_known(L, p.low);
    const char *proof = proves_place(L, w, &p);
    k_id inside = combines ? kb_scalar(b, SOP_AND, p.low, p.high, 0) : p.high;
    bool tested = !proof && open_unless_known(L, inside);
    lower_open_mark(L, w->marks, w->shape, p.at, w->rank);
    keep_found(L, w, number, act(L, w, cell_of(L, w, &p), number, r->items[1]));
    lower_close_mark(L, w->marks);
    if (tested) {
        kb_next_block(b, NULL, 0);
        report_place(L, w, &p);
        keep_found(L, w, number, sv_zero(L, w->cells->type));
        close_branch(L);
    } else {
        lower_verdict(L, CHECKED_POSITION, FOUND_PROVED, proof ? proof : "its interval is inside");
    }
    if (somewhere) {
        kb_next_block(b, NULL, 0);
        close_branch(L);
    }
}

static bool is_negative(const lowering *L, k_id v)
{
    int64_t x;
    return k_is_const(L->b.p, v, &x) && x < 0;
}

static bool has_negative(lowering *L, const sv *v)
{
    vec_u32 leaves = {0};
    bool found = false;
    sv_leaves(L, v, &leaves);
    for (uint32_t i = 0; i < leaves.len && !found; i++)
        found = is_negative(L, leaves.at[i]);
    vec_free(&L->m->cx->mem, &leaves);
    return found;
}

/* Whether an element, such as what a `pad` puts behind others, is evidently put nowhere: then nobody needs what
 * its region computes.  It is run to find out where there is a negative constant in the element itself. */
static bool goes_nowhere(lowering *L, const writer *w, const sv *v)
{
    if (w->cells->what != CELLS_PUT || w->rank != 1 || !has_negative(L, v))
        return false;
    bool supposing = L->supposing;
    L->supposing = true;
    kb_open_scratch(&L->b);
    const sv *r = lower_run_region1(L, w->region, w->env, v);
    bool nowhere = r->kind == SV_TUPLE && r->n == 2 && is_negative(L, r->items[0]->v);
    kb_discard(&L->b);
    L->supposing = supposing;
    return nowhere && !lower_failed(L);
}

void lower_write_cells(lowering *L, const writer *w, const sv *v, const k_id *ix, uint32_t n,
                       k_id flat)
{
    const cell_rule *c = w->cells;
    (void)n;
    if (c->what == CELLS_START) {
        write_first(L, w, v, ix, flat);
        return;
    }
    if (goes_nowhere(L, w, v))
        return;
    const sv *r = lower_run_region1(L, w->region, w->env, v);
    if (r->kind == SV_TUPLE && r->n == 2 && w->dest->tree)
        write_placed(L, w, r, c->rank ? number_of(L, c, ix, flat) : 0);
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
    k_atomic step = r->v == old + 1 ? ATOMIC_EXCHANGE : step_of(k_at(b->p, r->v), old, old + 1);
    kb_discard(b);
    return step;
}

bool lower_goes_through(const lowering *L, const sv *src)
{
    while (src->form == PUSH_MAP)
        src = src->src;
    return src->form == PUSH_PULL && lower_is_alone(L, src->level);
}

/* How the threads of a level combine into cells; false when they cannot.  apart: no two of them
 * meet.  One thread that goes through all elements needs no step; those that a device has stay, as
 * their turns may change places (backends/c/own.c). */
static bool choose_step(lowering *L, const writer *w, const sv *src, bool apart, cell_rule *c)
{
    const sv *tree = w->dest->tree;
    uint32_t level = src->level;
    scalar t = tree && tree->kind == SV_SCALAR ? (scalar)k_at(L->b.p, tree->v)->type : ST_NONE;
    if (level == LEVEL_THREAD || apart)
        return true;
    if (t != ST_NONE && ir_scalar_bytes(t) >= 4) {
        c->step = find_step(L, w, t);
        if (c->step == ATOMIC_COMPARE && lower_goes_through(L, src))
            c->step = 0;
        return !lower_failed(L);
    }
    lower_fail(L, DIAG_LOWER_ATOMIC, "the threads of level %s cannot combine %s in one step",
               lower_height_name(L, level), t == ST_NONE ? "tuples" : ir_scalar_name(t));
    diag_hint(L->m->cx, t == ST_NONE
                            ? "accumulate each component into an array of its own"
                            : "accumulate into integers of 32 bits, and convert them afterwards");
    return false;
}

bool lower_cells_operands(lowering *L, frame *f, ir_op o, const sv **init, const sv **src)
{
    *init = lower_frame_value(L, f, ir_arg(L->m, o, 0));
    *src = lower_frame_value(L, f, ir_arg(L->m, o, 1));
    const char *name = ir_op_info(ir_op_at(L->m, o)->opcode)->name;
    return (*src)->kind == SV_PUSH && (*src)->shape && (*init)->shape &&
           lower_may_force(L, (*src)->level, name);
}

void lower_write_start(lowering *L, const sv *init, uint32_t level, const writer *w)
{
    lower_emit_push(L, sv_pushed(L, init, level), w);
    lower_sync_after(L, level);
}

/* dest, and what it has before the first step; or kept cells beside it, which have zeros. */
static void begin_cells(lowering *L, const sv *init, uint32_t level, ir_type elem, bool stay,
                        destination *dest, destination *kept)
{
    if (stay) {
        dest->tree = lower_memory_tree(L, dest, elem);
        lower_cells_kept(L, kept, dest->size, elem);
        return;
    }
    lower_write_start(L, init, level,
                      &(writer){.kind = WRITE_MEMORY,
                                .dest = dest,
                                .offset = kb_int(&L->b, 0),
                                .rank = 1,
                                .shape = init->shape});
}

/* Barriers on both sides: the cells are there before the first step, and complete behind the
 * last.  Cells that nobody else reads are combined into where they are. */
static bool accumulate(lowering *L, frame *f, ir_op o, const sv *init, const sv *src, ir_type elem,
                       cell_rule *c, const sv **cells)
{
    bool apart = ir_property_number(L->m, (subject){ON_OP, o}, PROPERTY_APART, 0) > 0;
    destination kept, dest;
    k_id offset = kb_int(&L->b, 0);
    lower_destination_init(L, &dest, src->level,
                           lower_bounded_size(L, init->shape, 1, "accumulate"));
    bool taken = lower_is_last_use(L, o, 0) && lower_take_memory(L, init, &dest, &offset);
    bool stay = !taken && !apart && lower_cells_stay(L, init, src->level, elem);
    if (!taken)
        begin_cells(L, init, src->level, elem, stay, &dest, &kept);
    writer w = {.kind = WRITE_CELLS,
                .dest = stay ? &kept : &dest,
                .offset = offset,
                .env = f,
                .shape = init->shape,
                .rank = 1,
                .region = ir_op_at(L->m, o)->regions,
                .cells = c};
    if (lower_failed(L) || !choose_step(L, &w, src, apart, c))
        return false;
    w.in_order = !c->step;
    lower_emit_push(L, src, &w);
    lower_sync_after(L, src->level);
    if (stay)
        lower_take_cells(L, &kept, &dest, src->block);
    *cells = lower_marked(L, lower_memory_array(L, &dest, offset, init->shape, 1, elem),
                          lower_is_updated(L, ir_op_at(L->m, o)->result));
    return true;
}

/* The type of a cell, without variables. */
static ir_type type_of_cell(lowering *L, frame *f, ir_op o)
{
    ir_type t = ir_value_at(L->m, ir_arg(L->m, o, 0))->type;
    return lower_frame_type(L, f, ir_type_at(L->m, t)->a);
}

const sv *lower_ACCUMULATE(lowering *L, frame *f, ir_op o)
{
    const sv *init, *src, *cells;
    cell_rule c = {.what = CELLS_COMBINE};
    bool ok = lower_cells_operands(L, f, o, &init, &src) &&
              accumulate(L, f, o, init, src, type_of_cell(L, f, o), &c, &cells);
    return ok ? cells : sv_none();
}

/* What was found is shaped like the source, and has 0 for what went nowhere. */
const sv *lower_FETCH(lowering *L, frame *f, ir_op o)
{
    const sv *init, *src, *both[2];
    destination found;
    ir_type elem = type_of_cell(L, f, o);
    cell_rule c = {.what = CELLS_COMBINE, .found = &found, .type = elem};
    if (!lower_cells_operands(L, f, o, &init, &src) ||
        !lower_destination_for(L, &found, src, "fetch"))
        return sv_none();
    found.tree = lower_memory_tree(L, &found, elem);
    c.number = found.pitch ? found.pitch : src->shape;
    c.rank = src->rank;
    if (!accumulate(L, f, o, init, src, elem, &c, &both[0]))
        return sv_none();
    both[1] = lower_marked(
        L, lower_memory_array(L, &found, kb_int(&L->b, 0), src->shape, src->rank, elem),
        lower_is_updated(L, ir_op_at(L->m, o)->result));
    return sv_tuple(L, both, 2);
}
