/* Elements that nest deeper than the stack bears.
 *
 * An element is computed by recursion over the arrays that it is made from.  Where they are too
 * many, the innermost one is put off: the run is broken off as if it had failed, that element is
 * computed by itself, and what wanted it is run again and finds it (once/memo.c).  What the broken
 * run has built is pure, and found again or dead.
 *
 * Only elements are put off that are wanted in the block in which all began, since they are certain
 * to be computed there, and of arrays that were there then, since others would not be found
 * again. */
#include "ir/kernel/lower/value.h"

enum { APART = 200 };

static k_block open_block(const lowering *L)
{
    return L->b.scopes.at[L->b.scopes.len - 1].block;
}

/* Whether an element is to be computed later; the run is broken off then. */
static bool put_off(lowering *L, const sv *a, const k_id *ix)
{
    deep_run *d = &L->deep;
    uint32_t most = L->m->cx->limits.call_depth / 2;
    if (L->depth - d->depth < (most < APART ? most : APART) || L->foresight || a->number > d->from)
        return false;
    d->array = a;
    d->ix = sv_ids(L, ix, a->rank);
    d->broken = L->b.failed = !lower_failed(L);
    diag_quiet(L->m->cx, d->broken);
    return d->broken;
}

/* Goes back to where the run began. */
static void resume(lowering *L, const lowering *before)
{
    L->deep.broken = false;
    diag_quiet(L->m->cx, false);
    L->failed = L->b.failed = L->m->cx->mem.oom;
    while (kb_depth(&L->b) > before->b.scopes.len - 1 && !L->failed)
        kb_discard(&L->b);
    L->level = before->level;
    L->depth = before->depth;
    L->copies = before->copies;
    L->trying = before->trying;
    L->guard = before->guard;
    L->supposing = before->supposing;
    L->measuring = before->measuring;
    L->clear = before->clear;
    L->clear_from = before->clear_from;
    L->b.loc = before->b.loc;
    L->b.outside = before->b.outside;
    L->keys.len = before->keys.len;
}

typedef struct wanted {
    const sv *array;
    const k_id *ix;
} wanted;

static const sv *compute(lowering *L, const sv *a, const k_id *ix)
{
    memo_key key;
    lower_element_key(L, &key, a, ix, false);
    const sv *v = lower_element(L, a, ix);
    lower_remember(L, &key, v);
    return v;
}

/* Until nothing is put off any more; the last of the list is needed first. */
static const sv *compute_all(lowering *L, const sv *a, const k_id *ix)
{
    const lowering before = *L;
    mem *m = &L->m->cx->mem;
    VEC(wanted) list = {0};
    const sv *v = sv_none();
    bool ok = vec_push(m, &list, ((wanted){a, ix}));
    while (ok && list.len && !lower_failed(L)) {
        const wanted w = list.at[list.len - 1];
        v = compute(L, w.array, w.ix);
        if (L->deep.broken) {
            resume(L, &before);
            ok = vec_push(m, &list, ((wanted){L->deep.array, L->deep.ix}));
        } else if (L->looks != before.looks && list.len > 1) {
            lower_fail(L, DIAG_TOO_DEEP, "elements that look at records nest too deep here");
        } else {
            list.len--;
        }
    }
    L->failed = L->failed || !ok;
    vec_free(m, &list);
    return v;
}

/* A block within has its own beginning. */
const sv *lower_deep_element(lowering *L, const sv *a, const k_id *ix)
{
    if (L->deep.block == open_block(L))
        return put_off(L, a, ix) ? sv_none() : lower_element(L, a, ix);
    const deep_run outer = L->deep;
    L->deep = (deep_run){.block = open_block(L), .depth = L->depth, .from = L->made};
    const sv *v = compute_all(L, a, ix);
    L->deep = outer;
    return v;
}
