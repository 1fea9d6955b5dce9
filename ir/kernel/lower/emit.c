/* Lowering of emit: what is handed out has a place among the steps of the host.
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
    sv *p = sv_new(L, SV_PUSH, PUSH_PULL);
    p->level = LEVEL_GRID;
    p->rank = a->rank;
    p->shape = a->shape;
    p->src = a;
    return lower_force_array(L, p, elem, "emit", false);
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

static const sv *refuse(lowering *L, const char *why, const char *hint)
{
    lower_fail(L, DIAG_LOWER_EMIT, "%s", why);
    diag_hint(L->m->cx, "%s", hint);
    return sv_none();
}

const sv *lower_EMIT(lowering *L, frame *f, ir_op o)
{
    ir_value x = ir_arg(L->m, o, 0);
    if (!lower_is_host(L))
        return refuse(L, "a kernel below the level of the grid is one launch, which hands nothing out while it runs",
                      "give the kernel a result of the level grid, or run it with --device=interp");
    const sv *v = in_memory(L, lower_frame_value(L, f, x),
                            lower_frame_type(L, f, ir_value_at(L->m, x)->type));
    const intern *strings = &L->m->cx->strings;
    emitting e = {.left = lower_failed(L) ? 0 : count_leaves(v),
                  .show = ir_attr_text(&L->m->attrs, strings, (subject){ON_OP, o}, "show")};
    if (e.left > UINT16_MAX)
        return refuse(L, "more than 65535 scalars and arrays are handed out together",
                      "hand out several smaller tuples");
    if (!lower_failed(L))
        emit_leaves(L, v, &e);
    return v;
}
