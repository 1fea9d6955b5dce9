/* Array literals of many constants: tables, which the device has as constant memory.
 *
 * Where an index is not known, an element of a literal is a choice among all of them, as code; of
 * constants it is a load.  A table is made once for each literal, when an element is first asked
 * for so; equal ones are one (kb_table). */
#include "ir/kernel/lower/value.h"

/* The type that a table has for elements of a type: halves may have none on the device. */
static scalar stored_as(scalar t)
{
    return t == ST_F16 ? ST_U16 : t;
}

/* Leaf number `which` of every element, as the table has it; false unless all are constants. */
static bool constants_of(lowering *L, const sv *a, uint32_t which, vec_u32 *list)
{
    vec_u32 leaves = {0};
    bool ok = true;
    list->len = 0;
    for (uint32_t i = 0; i < a->n && ok; i++) {
        leaves.len = 0;
        sv_leaves(L, a->items[i], &leaves);
        const k_node *n = k_at(L->b.p, which < leaves.len ? leaves.at[which] : 0);
        scalar t = (scalar)n->type;
        ok = n->op == K_CONST &&
             vec_push(&L->m->cx->mem, list,
                      stored_as(t) == t ? leaves.at[which]
                                        : kb_bitcast(&L->b, stored_as(t), leaves.at[which]));
    }
    vec_free(&L->m->cx->mem, &leaves);
    return ok;
}

/* A tree of tables like an element, whose leaves are numbered on. */
static const sv *table_tree(lowering *L, const sv *a, const sv *like, uint32_t *next, vec_u32 *list)
{
    if (like->kind == SV_SCALAR) {
        if (!constants_of(L, a, (*next)++, list))
            return NULL;
        scalar t = stored_as((scalar)k_at(L->b.p, like->v)->type);
        return sv_scalar(L, kb_table(&L->b, t, list->at, list->len));
    }
    const sv **items = ARENA_ARRAY(&L->a, const sv *, like->n + 1);
    for (uint32_t i = 0; items && i < like->n; i++)
        if (!(items[i] = table_tree(L, a, like->items[i], next, list)))
            return NULL;
    return items ? sv_tuple(L, items, like->n) : NULL;
}

const sv *lower_table_of(lowering *L, const sv *a)
{
    uint32_t next = 0;
    vec_u32 list = {0};
    if (a->form != PULL_ITEMS || !a->table || a->n <= L->target.tuning.table_length ||
        !sv_is_scalars(a->items[0]))
        return NULL;
    if (!*a->table) {
        const sv *tree = table_tree(L, a, a->items[0], &next, &list);
        *a->table = tree ? tree : sv_none();
    }
    vec_free(&L->m->cx->mem, &list);
    return (*a->table)->kind == SV_NONE ? NULL : *a->table;
}
