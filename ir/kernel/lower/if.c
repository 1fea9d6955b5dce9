/* Lowering of if.
 *
 * Scalars: an IF statement with results, or selects when nothing but cheap values is in its
 * branches.  Arrays and functions exist only while lowering, so the branches are kept as thunks,
 * and the decision is made again wherever an element is asked for, unless they do what cannot be
 * done there (lower/keep.c); arrays that were forced inside the branches are a choice between
 * memories. */
#include "ir/kernel/lower/value.h"

/* A choice between halves of an array literal, down to a single item. */
static const sv *run_items(lowering *L, const thunk *t)
{
    if (t->end - t->n <= 1)
        return t->array->items[t->n];
    thunk *half = ARENA_ARRAY(&L->a, thunk, 2);
    if (!half)
        return sv_none();
    uint32_t middle = t->n + (t->end - t->n) / 2;
    half[0] = half[1] = *t;
    half[0].end = half[1].n = middle;
    k_id low = kb_lt(&L->b, t->ix[0], kb_int(&L->b, (int32_t)middle));
    return lower_choice(L, low, &half[0], &half[1]);
}

const sv *lower_choose_item(lowering *L, const sv *a, k_id i)
{
    return run_items(
        L, &(thunk){.kind = THUNK_ITEMS, .array = a, .ix = sv_ids(L, &i, 1), .end = a->n});
}

/* Builds the code again: a thunk is a closure without arguments, and nothing is remembered. */
const sv *lower_run_thunk(lowering *L, const thunk *t)
{
    if (lower_failed(L))
        return sv_none();
    if (t->kind == THUNK_REGION)
        return lower_run_region(L, t->region, t->env, t->env->bound, NULL, 0);
    if (t->kind == THUNK_ITEMS)
        return run_items(L, t);
    if (t->kind == THUNK_VALUE)
        return t->array;
    L->depth++;
    const sv *v = lower_run_thunk(L, t->of);
    L->depth--;
    switch (t->kind) {
    case THUNK_INDEX: return sv_index(L, v, t->ix);
    case THUNK_ITEM: return v->kind == SV_TUPLE && t->n < v->n ? v->items[t->n] : sv_none();
    default: return lower_apply_function(L, v, t->args, t->n);
    }
}

/* What a branch must hand out of its block: the scalars, those of an array's items, or offset and
 * extents of a memory. False for anything else. */
static bool branch_leaves(lowering *L, const sv *v, vec_u32 *out)
{
    out->len = 0;
    if (sv_is_scalars(v)) {
        sv_leaves(L, v, out);
        return true;
    }
    if (v->kind != SV_PULL || v->form != PULL_MEMORY)
        return v->kind == SV_PULL && v->form == PULL_ITEMS && sv_items_leaves(L, v, out);
    bool wide = lower_is_wide(L, lower_memory_elements(L, v)) || lower_is_host(L) ||
                L->wide; /* as the other branch may be */
    scalar t = wide && L->target.request.index_bits != 32 ? ST_I64 : ST_I32;
    bool ok = vec_push(&L->m->cx->mem, out, kb_convert(&L->b, t, v->v));
    for (uint32_t i = 0; i < v->rank; i++)
        ok = ok && vec_push(&L->m->cx->mem, out, v->shape[i]);
    L->failed = L->failed || !ok;
    return ok;
}

/* The size of a memory that one branch alone knows, as it is taken behind the statement: there are
 * no positions beyond the elements of the array. */
static k_id size_behind(lowering *L, const sv *a, k_id size)
{
    if (k_at(L->b.p, size)->type != ST_I64)
        return lower_shape_count(L, a->shape, a->rank);
    k_id n = kb_convert(&L->b, ST_I64, lower_shape_elements(L, a->shape, a->rank));
    return kb_add(&L->b, kb_convert(&L->b, ST_I64, a->v), n);
}

/* The same memory with offset and extents that a branch has handed out. */
static sv *memory_at(lowering *L, const sv *like, const k_id *ids)
{
    sv *a = sv_like(L, like);
    a->v = ids[0];
    a->shape = sv_ids(L, ids + 1, like->rank);
    k_id size = lower_memory_elements(L, like);
    if (a->shape && k_at(L->b.p, size)->depth > kb_depth(&L->b))
        a->v2 = size_behind(L, a, size);
    return a;
}

/* A choice between two memories; every leaf of the statement is offset and extents as the taken
 * branch has them. */
static const sv *choice_of_memories(lowering *L, k_id cond, const sv *x, const sv *y,
                                    const k_id *ids)
{
    sv *c = sv_new(L, SV_PULL, PULL_CHOICE);
    c->v = cond;
    c->rank = x->rank;
    c->src = memory_at(L, x, ids);
    c->other_src = memory_at(L, y, ids);
    c->shape = c->src->shape;
    return c;
}

/* Whether the values exist outside the innermost open statement. */
static bool all_outside(const lowering *L, const vec_u32 *v, uint16_t depth)
{
    for (uint32_t i = 0; i < v->len; i++)
        if (k_at(L->b.p, v->at[i])->depth > depth)
            return false;
    return true;
}

/* Whether a branch of an if that is still open checks something. */
static bool has_checks(const lowering *L, k_id s)
{
    const k_node *n = k_at(L->b.p, s);
    return k_has_checks(L->b.p, n->blocks[0]) || k_has_checks(L->b.p, n->blocks[1]);
}

/* Ends the statement s with the second branch's leaves; x receives the results.  When both branches
 * only name values from outside, selects among them will do, and the branches go unless something
 * in them is wanted. */
static void close_branches(lowering *L, k_id s, k_id cond, vec_u32 *x, const vec_u32 *y,
                           bool wanted)
{
    k_builder *b = &L->b;
    uint16_t outer = k_at(b->p, s)->depth;
    bool selects = all_outside(L, x, outer) && all_outside(L, y, outer);
    if (selects && !wanted)
        kb_discard(b);
    else
        kb_close(b, y->at, y->len);
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        x->at[i] = selects ? kb_select(b, cond, x->at[i], y->at[i]) : kb_result(b, s, i);
}

/* Whether the branches hand out the same things: values, as many items, or memories. */
static bool branches_agree(const sv *x, const sv *y)
{
    return x->kind == y->kind && x->form == y->form && x->rank == y->rank &&
           (x->form != PULL_ITEMS || x->n == y->n);
}

/* What the if yields when its branches are as x and y, from the leaves of the taken one. */
static const sv *chosen(lowering *L, k_id cond, const sv *x, const sv *y, const k_id *leaves)
{
    if (x->kind != SV_PULL)
        return sv_with_leaves(L, x, &leaves);
    return x->form == PULL_ITEMS ? sv_items_with_leaves(L, x, leaves)
                                 : choice_of_memories(L, cond, x, y, leaves);
}

/* The if as a statement, when both branches are scalars, items or memories; NULL (and nothing
 * emitted) otherwise; then *keep says whether the branches must be kept. */
static const sv *as_statement(lowering *L, k_id cond, const thunk *then, const thunk *other,
                              const sv **first, bool *keep)
{
    vec_u32 x = {0}, y = {0};
    const sv *r = NULL;
    k_id s = kb_open_if(&L->b, cond);
    const sv *a = *first = lower_run_thunk(L, then), *o = NULL;
    bool ok = branch_leaves(L, a, &x);
    if (ok) {
        kb_next_block(&L->b, x.at, x.len);
        o = lower_run_thunk(L, other);
        ok = branch_leaves(L, o, &y) && branches_agree(a, o);
    }
    if (lower_failed(L)) {
        r = sv_none();
    } else if (!ok) {
        *keep = lower_must_keep(L, s, a);
        kb_discard(&L->b);
    } else {
        bool wanted = a->form == PULL_MEMORY || has_checks(L, s);
        close_branches(L, s, cond, &x, &y, wanted);
        r = chosen(L, cond, a, o, x.at);
    }
    vec_free(&L->m->cx->mem, &x);
    vec_free(&L->m->cx->mem, &y);
    return r;
}

/* Component by component, so that scalars are decided once and arrays stay thunks. */
static const sv *choice_of_tuples(lowering *L, k_id cond, const thunk *then, const thunk *other,
                                  uint32_t n)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n);
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2 * (size_t)n);
    if (!items || !t)
        return sv_none();
    for (uint32_t i = 0; i < n; i++) {
        t[2 * i] = (thunk){.kind = THUNK_ITEM, .of = then, .n = i};
        t[2 * i + 1] = (thunk){.kind = THUNK_ITEM, .of = other, .n = i};
        items[i] = lower_choice(L, cond, &t[2 * i], &t[2 * i + 1]);
    }
    return sv_tuple(L, items, n);
}

/* The extents of both branches, computed in their blocks; effects in there are wanted only when the
 * array is used.  Not when the branches must be kept, as *keep says. */
static const k_id *choice_shape(lowering *L, k_id cond, const thunk *then, const thunk *other,
                                uint32_t rank, bool *keep)
{
    vec_u32 x = {0}, y = {0};
    k_id s = kb_open_if(&L->b, cond);
    const sv *a = lower_run_thunk(L, then);
    for (uint32_t i = 0; i < rank && a->shape; i++)
        L->failed = !vec_push(&L->m->cx->mem, &x, a->shape[i]) || L->failed;
    kb_next_block(&L->b, x.at, x.len);
    const sv *o = lower_run_thunk(L, other);
    bool alike = o->kind == a->kind && o->rank == a->rank && o->level == a->level;
    for (uint32_t i = 0; i < rank && alike && o->shape; i++)
        L->failed = !vec_push(&L->m->cx->mem, &y, o->shape[i]) || L->failed;
    if (!alike)
        lower_fail(L, DIAG_LOWER_BRANCH,
                   "the branches of this if yield arrays of different ranks or levels");
    *keep = lower_must_keep(L, s, a);
    if (*keep)
        kb_discard(&L->b);
    else if (!lower_failed(L))
        close_branches(L, s, cond, &x, &y, false);
    const k_id *shape = lower_failed(L) ? NULL : sv_ids(L, x.at, rank);
    vec_free(&L->m->cx->mem, &x);
    vec_free(&L->m->cx->mem, &y);
    return shape;
}

/* The choice between branches that cannot be run again. */
static const sv *choice_of_kept(lowering *L, k_id cond, const thunk *then, const thunk *other)
{
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
    if (!t)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_VALUE, .array = lower_keep(L, cond, then)};
    k_id no = kb_scalar(&L->b, SOP_NOT, cond, 0, 0);
    t[1] = (thunk){.kind = THUNK_VALUE, .array = lower_keep(L, no, other)};
    return lower_failed(L) ? sv_none() : lower_choice(L, cond, &t[0], &t[1]);
}

/* A known condition leaves no branch; then a statement is tried; thunks, or kept branches, remain.
 */
const sv *lower_choice(lowering *L, k_id cond, const thunk *then, const thunk *other)
{
    int64_t known;
    bool keep = false;
    if (k_is_const(L->b.p, cond, &known))
        return lower_run_thunk(L, known ? then : other);
    const sv *a;
    const sv *done = as_statement(L, cond, then, other, &a, &keep);
    if (done || lower_failed(L))
        return done ? done : sv_none();
    if (keep)
        return choice_of_kept(L, cond, then, other);
    if (a->kind == SV_TUPLE)
        return choice_of_tuples(L, cond, then, other, a->n);
    sv *c = sv_new(L, (sv_kind)a->kind,
                   a->kind == SV_FN     ? FN_IF
                   : a->kind == SV_PULL ? PULL_IF
                                        : PUSH_IF);
    c->v = cond;
    c->then = then;
    c->other = other;
    c->rank = a->rank;
    c->level = a->level;
    if (a->kind != SV_FN)
        c->shape = choice_shape(L, cond, then, other, a->rank, &keep);
    if (keep)
        return choice_of_kept(L, cond, then, other);
    return lower_failed(L) ? sv_none() : c;
}

const sv *lower_IF(lowering *L, frame *f, ir_op o)
{
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
    ir_region r = ir_op_at(L->m, o)->regions;
    if (!t)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_REGION, .region = r, .env = f};
    t[1] = (thunk){.kind = THUNK_REGION, .region = r + 1, .env = f};
    return lower_choice(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)), &t[0], &t[1]);
}
