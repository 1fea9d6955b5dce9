/* Lowering of scatter, scatterlast, scatterany and permute: elements of a push array are stored at
 * positions that come with them, in memory that a level shares.
 *
 * The memory is written first with the elements that the array starts with, unless it is that of
 * an array that nobody reads afterwards: then they stay where they are.  Where several elements may
 * go to one position, each claims its cell with its number by an atomic maximum, and after a
 * barrier the owner alone stores; any one of them may be stored by single atomic stores, if it is
 * one word.  One thread that goes through them in order just stores. */
#include "ir/kernel/lower/cells/cells.h"

/* ---- who wins ---- */

/* How a level puts elements of which several may have one position. */
typedef enum { ONE_EACH, CLAIMED_FIRST, BY_ONE_STEP, IN_ORDER } manner;

/* A word of global memory can be stored in one step; one of 32 bits exchanged in any other. */
static k_atomic storing_step(const lowering *L, const sv *tree, uint32_t level)
{
    const k_node *n = k_at(L->b.p, tree->v);
    uint32_t bytes = tree->kind == SV_SCALAR ? ir_scalar_bytes((scalar)n->type) : 0;
    bool global = n->space == SPACE_GLOBAL;
    if (level == LEVEL_THREAD || bytes < 4 || (bytes == 8 && !L->target.facts.atomics64))
        return 0;
    return global ? ATOMIC_STORE : bytes == 4 ? ATOMIC_EXCHANGE : 0;
}

static manner manner_of(const lowering *L, opcode code, const writer *w, const sv *src,
                        cell_rule *put)
{
    if (code == OP_SCATTER || code == OP_PERMUTE)
        return ONE_EACH;
    put->step = code == OP_SCATTERANY ? storing_step(L, w->dest->tree, src->level) : 0;
    if (put->step || (code == OP_SCATTERANY && src->level == LEVEL_THREAD))
        return BY_ONE_STEP;
    return lower_goes_through(L, src) ? IN_ORDER : CLAIMED_FIRST;
}

/* ---- the operators ---- */

static void emit_with(lowering *L, const sv *src, writer *w, const cell_rule *c)
{
    w->cells = c;
    lower_emit_push(L, src, w);
    lower_sync_after(L, src->level);
}

/* Each cell's owner is known before it stores. */
static void put_claimed(lowering *L, const sv *src, writer *w, cell_rule put)
{
    cell_rule claim = put;
    claim.what = CELLS_CLAIM;
    claim.step = src->level == LEVEL_THREAD ? 0 : ATOMIC_MAX;
    w->in_order = !claim.step;
    emit_with(L, src, w, &claim);
    w->in_order = false;
    emit_with(L, src, w, &put);
}

/* The memory, with what init has in it, and the owners of its cells, if there are any: nobody. */
static void start(lowering *L, const sv *init, uint32_t level, const writer *w, const cell_rule *c,
                  bool taken)
{
    if (c->owner) {
        cell_rule first = {.what = CELLS_START, .owner = c->owner, .taken = taken};
        writer clear = *w;
        clear.cells = &first;
        lower_write_start(L, init, level, &clear);
    } else if (!taken) {
        writer copy = *w;
        copy.kind = WRITE_MEMORY;
        lower_write_start(L, init, level, &copy);
    }
}

static writer cells_writer(lowering *L, frame *f, ir_op o, destination *d, const k_id *shape,
                           uint32_t rank)
{
    return (writer){.kind = WRITE_CELLS,
                    .dest = d,
                    .offset = kb_int(&L->b, 0),
                    .shape = shape,
                    .rank = rank,
                    .region = ir_op_at(L->m, o)->regions,
                    .env = f};
}

/* Barriers between all phases: the first elements, claims, elements. */
static const sv *scatter(lowering *L, frame *f, ir_op o)
{
    const sv *init, *src;
    destination d;
    opcode code = (opcode)ir_op_at(L->m, o)->opcode;
    if (!lower_cells_operands(L, f, o, &init, &src))
        return sv_none();
    k_id size = lower_bounded_size(L, init->shape, init->rank, ir_op_info(code)->name);
    ir_type elem = lower_result_element(L, o);
    lower_destination_init(L, &d, src->level, size);
    writer w = cells_writer(L, f, o, &d, init->shape, init->rank);
    bool taken = lower_is_last_use(L, o, 0) && lower_take_memory(L, init, &d, &w.offset);
    if (!taken)
        d.tree = lower_memory_tree(L, &d, lower_frame_type(L, f, elem));
    cell_rule put = {.what = CELLS_PUT, .number = src->shape, .rank = src->rank};
    manner how = lower_failed(L) ? ONE_EACH : manner_of(L, code, &w, src, &put);
    if (how == CLAIMED_FIRST)
        put.owner = kb_alloc_at(&L->b, d.depth, (k_space)d.space, ST_I32, size);
    else
        put.rank = 0; /* nobody asks for numbers */
    w.in_order = how == IN_ORDER;
    marks m = {0};
    if (code == OP_SCATTER)
        lower_begin_cells(L, o, src, &w, &m);
    start(L, init, src->level, &w, &put, taken);
    if (how == CLAIMED_FIRST)
        put_claimed(L, src, &w, put);
    else
        emit_with(L, src, &w, &put);
    lower_end_marks(L, &m);
    return lower_marked(L, lower_memory_array(L, &d, w.offset, init->shape, init->rank, elem),
                        lower_is_updated(L, ir_op_at(L->m, o)->result));
}

const sv *lower_SCATTER(lowering *L, frame *f, ir_op o)
{
    return scatter(L, f, o);
}

const sv *lower_SCATTERLAST(lowering *L, frame *f, ir_op o)
{
    return scatter(L, f, o);
}

const sv *lower_SCATTERANY(lowering *L, frame *f, ir_op o)
{
    return scatter(L, f, o);
}

/* Every position is written, so nothing has to be there before. */
const sv *lower_PERMUTE(lowering *L, frame *f, ir_op o)
{
    const op_node n = *ir_op_at(L->m, o);
    uint32_t rank = n.nargs - 1u;
    const sv *src = lower_frame_value(L, f, ir_arg(L->m, o, rank));
    k_id shape[MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        shape[i] = lower_stated_extent(L, lower_frame_scalar(L, f, ir_arg(L->m, o, i)));
    lower_check_elements(L, shape, rank);
    if (src->kind != SV_PUSH || !lower_may_force(L, src->level, "permute"))
        return sv_none();
    destination d;
    const k_id *extents = sv_ids(L, shape, rank);
    ir_type elem = lower_result_element(L, o);
    bool has_room = lower_has_room(L, o, extents, rank);
    lower_destination_init(L, &d, src->level, lower_bounded_size(L, extents, rank, "permute"));
    if (has_room)
        d = *L->room->dest;
    else
        d.tree = lower_memory_tree(L, &d, lower_frame_type(L, f, elem));
    writer w = cells_writer(L, f, o, &d, extents, rank);
    if (has_room)
        w.offset = L->room->offset;
    marks m = {0};
    lower_begin_cells(L, o, src, &w, &m);
    emit_with(L, src, &w, &(cell_rule){.what = CELLS_PUT});
    lower_end_marks(L, &m);
    return lower_marked(L, lower_memory_array(L, &d, w.offset, extents, rank, elem),
                        lower_is_updated(L, n.result));
}
