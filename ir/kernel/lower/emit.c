/* Lowering of emit and receive: what is handed out, and what is taken in for it, has a place among the
 * steps of the host.
 *
 * Arrays are handed out from the memory where they lie; others are forced first.  Scalars are values
 * of the host, which needs no memory for them. */
#include "ir/kernel/lower/value.h"

/* From where on the host can take it. */
static bool lies_in_global(const lowering *L, const sv *tree)
{
    const k_node *n = k_at(L->b.p, tree->v);
    bool all = tree->kind == SV_TUPLE || k_is_global(n);
    for (uint32_t i = 0; all && tree->kind == SV_TUPLE && i < tree->n; i++)
        all = lies_in_global(L, tree->items[i]);
    return all;
}

static const sv *array_in_memory(lowering *L, const sv *a, ir_type elem)
{
    if (a->form == PULL_MEMORY && a->src && !a->pitch && lies_in_global(L, a->src))
        return a;
    return lower_force_array(L, sv_pushed(L, a, LEVEL_GRID), elem, "emit", false);
}

/* Recursion is as deep as tuples nest in the type. */
static const sv *in_memory(lowering *L, const sv *v, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    if (v->kind == SV_PULL)
        return array_in_memory(L, v, n.a);
    if (v->kind != SV_TUPLE)
        return v;
    const sv **items = ARENA_ARRAY(&L->a, const sv *, v->n ? v->n : 1u);
    for (uint32_t i = 0; items && i < v->n; i++)
        items[i] = in_memory(L, v->items[i], type_item(L->m, t, i));
    return items ? sv_tuple(L, items, v->n) : sv_none();
}

static uint32_t count_leaves(const sv *v)
{
    uint32_t count = v->kind == SV_TUPLE ? 0 : 1;
    if (v->kind == SV_PULL)
        return count_leaves(v->src);
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n; i++)
        count += count_leaves(v->items[i]);
    return count;
}

/* How many leaves are still to come, and how people are to see them. */
typedef struct emitting {
    uint32_t left;
    str_id show;
} emitting;

static void emit_memories(lowering *L, const sv *array, const sv *tree, emitting *e)
{
    if (tree->kind == SV_SCALAR)
        kb_emit(&L->b, tree->v, array->v, array->shape, array->rank, --e->left, e->show);
    for (uint32_t i = 0; tree->kind == SV_TUPLE && i < tree->n; i++)
        emit_memories(L, array, tree->items[i], e);
}

/* In the order of host_leaves_of. */
static void emit_leaves(lowering *L, const sv *v, emitting *e)
{
    if (v->kind == SV_SCALAR)
        kb_emit_scalar(&L->b, v->v, --e->left, e->show);
    else if (v->kind == SV_PULL)
        emit_memories(L, v, v->src, e);
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n; i++)
        emit_leaves(L, v->items[i], e);
}

static str_id shown_as(lowering *L, ir_op o)
{
    return ir_attr_text(&L->m->attrs, &L->m->cx->strings, (subject){ON_OP, o}, "show");
}

static const sv *refuse(lowering *L, const char *why, const char *hint)
{
    lower_fail(L, DIAG_LOWER_EMIT, "%s", why);
    diag_hint(L->m->cx, "%s", hint);
    return sv_none();
}

/* Statements for all leaves of an operand; so many leaves follow them.  NULL after a failure. */
static const sv *hand_out(lowering *L, frame *f, ir_op o, uint32_t follow)
{
    ir_value x = ir_arg(L->m, o, 0);
    if (!lower_is_host(L)) {
        refuse(L, "a kernel below the level of the grid is one launch, which hands nothing out while it runs",
               "give the kernel a result of the level grid, or run it with --device=interp");
        return NULL;
    }
    const sv *v = in_memory(L, lower_frame_value(L, f, x),
                            lower_frame_type(L, f, ir_value_at(L->m, x)->type));
    emitting e = {.left = lower_failed(L) ? 0 : count_leaves(v) + follow, .show = shown_as(L, o)};
    if (e.left > UINT16_MAX)
        refuse(L, "more than 65535 scalars and arrays are handed out together",
               "hand out several smaller tuples");
    if (lower_failed(L))
        return NULL;
    emit_leaves(L, v, &e);
    return v;
}

const sv *lower_EMIT(lowering *L, frame *f, ir_op o)
{
    const sv *v = hand_out(L, f, o, 0);
    return v ? v : sv_none();
}

/* A memory that has room when something is given; a scalar is read from it. */
const sv *lower_RECEIVE(lowering *L, frame *f, ir_op o)
{
    ir_type t = ir_op_at(L->m, o)->attr;
    const type_node n = *ir_type_at(L->m, t);
    uint32_t rank = n.kind == TY_PULL ? n.n : 0;
    k_id shape[MAX_RANK] = {0}, zero = kb_int(&L->b, 0);
    destination d;
    if (!hand_out(L, f, o, 1))
        return sv_none();
    lower_destination_init(L, &d, LEVEL_GRID, zero);
    d.tree = lower_memory_tree(L, &d, rank ? n.a : t);
    k_id s = kb_receive(&L->b, d.tree->v, rank, shown_as(L, o));
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = kb_result(&L->b, s, i);
    if (!rank)
        return sv_scalar(L, kb_load(&L->b, d.tree->v, zero));
    return lower_sized_array(
        L, lower_memory_array(L, &d, zero, sv_ids(L, shape, rank), rank, n.a));
}
