/* Array literals of many constants: tables, which the device has as constant memory.
 *
 * Where an index is not known, an element of a literal is a choice among all of them, as code; of
 * constants it is a load.  A table is made once for each literal, when an element is first asked
 * for so; equal ones are one (kb_table). */
#include "ir/kernel/lower/value.h"
#include "ir/scalar/scalar.h"
#include <math.h>

/* The type that a table of constants of one type has: that of their bits, where halves may have
 * none on the device, and where C has no constant expression for what is not finite. */
static scalar stored_as(const lowering *L, const vec_u32 *list)
{
    scalar t = list->len ? (scalar)k_at(L->b.p, list->at[0])->type : ST_NONE;
    bool as_bits = t == ST_F16;
    for (uint32_t i = 0; i < list->len && ir_scalar_class(t) == 'F' && !as_bits; i++)
        as_bits = !isfinite(scalar_as_double(t, k_at(L->b.p, list->at[i])->bits));
    return as_bits ? (scalar)ir_scalar_info(t)->bits : t;
}

/* Leaf number `which` of every element; false unless all are constants. */
static bool constants_of(lowering *L, const sv *a, uint32_t which, vec_u32 *list)
{
    vec_u32 leaves = {0};
    bool ok = true;
    list->len = 0;
    for (uint32_t i = 0; i < a->n && ok; i++) {
        leaves.len = 0;
        sv_leaves(L, a->items[i], &leaves);
        const k_node *n = k_at(L->b.p, which < leaves.len ? leaves.at[which] : 0);
        ok = n->op == K_CONST && vec_push(&L->m->cx->mem, list, leaves.at[which]);
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
        scalar t = stored_as(L, list);
        for (uint32_t i = 0; i < list->len; i++)
            list->at[i] = kb_bitcast(&L->b, t, list->at[i]);
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
