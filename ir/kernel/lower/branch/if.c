/* Lowering of if.
 *
 * Scalars: an IF statement with results, or selects when nothing but cheap values is in its
 * branches.  Arrays and functions exist only while lowering, so the branches are kept as thunks,
 * and the decision is made again wherever an element is asked for, unless they do what cannot be
 * done there (branch/keep.c); arrays that were forced inside the branches are a choice between
 * memories. */
#include "ir/kernel/lower/branch/branch.h"

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
    return lower_choice(L, low, L->made, &half[0], &half[1]);
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

/* An if in the making: its branches, what they give, and what each must hand out of its block. */
typedef struct choice {
    k_id cond, stmt;
    uint32_t from; /* what the branches made has higher numbers */
    thunk *code;   /* two of them */
    const sv *value[2];
    vec_u32 leaves[2];
    bool complete[2]; /* the leaves are all that is needed of the value */
    bool keep;        /* the branches must be run once only */
} choice;

static void add_leaf(lowering *L, vec_u32 *out, k_id v)
{
    L->failed = !vec_push(&L->m->cx->mem, out, v) || L->failed;
}

static void add_shape(lowering *L, const sv *v, vec_u32 *out)
{
    for (uint32_t i = 0; v->shape && i < v->rank; i++)
        add_leaf(L, out, v->shape[i]);
}

/* The offset of a memory as the other branch may have it. */
static k_id offset_leaf(lowering *L, const sv *v)
{
    bool wide = lower_is_wide(L, lower_memory_elements(L, v)) || lower_is_host(L) || L->wide;
    return kb_convert(&L->b, wide && L->target.request.index_bits != 32 ? ST_I64 : ST_I32, v->v);
}

/* The scalars, those of an array's items, or the offset of a memory; then extents.  True when that
 * is all of the value. */
static bool branch_leaves(lowering *L, const sv *v, vec_u32 *out)
{
    bool all = false;
    if (sv_is_scalars(v)) {
        sv_leaves(L, v, out);
        return true;
    }
    if (v->kind == SV_PULL && v->form == PULL_MEMORY) {
        add_leaf(L, out, offset_leaf(L, v));
        all = true;
    } else if (v->kind == SV_PULL && v->form == PULL_ITEMS) {
        all = !lower_table_of(L, v) && sv_items_leaves(L, v, out); /* a table stays one */
        out->len = all ? out->len : 0;
    }
    if (v->kind == SV_PULL || v->kind == SV_PUSH)
        add_shape(L, v, out);
    return all;
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
    return L->b.checked > s &&
           (k_has_checks(L->b.p, n->blocks[0]) || k_has_checks(L->b.p, n->blocks[1]));
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
    bool agree = x->kind == y->kind && x->form == y->form && x->rank == y->rank;
    bool listed = agree && x->kind == SV_PULL && x->form == PULL_ITEMS;
    for (uint32_t i = 0; listed && agree && i < x->rank; i++)
        agree = x->shape[i] == y->shape[i];
    return agree && (!listed || x->n == y->n);
}

/* What the if yields when its branches are as x and y, from the leaves of the taken one. */
static const sv *chosen(lowering *L, k_id cond, const sv *x, const sv *y, const k_id *leaves)
{
    if (x->kind != SV_PULL)
        return sv_with_leaves(L, x, &leaves);
    return x->form == PULL_ITEMS ? sv_items_with_leaves(L, x, leaves)
                                 : choice_of_memories(L, cond, x, y, leaves);
}

/* Where the branches are arrays that do not agree, the second hands out its extents alone, in the
 * place where the first has them. */
static void fit_leaves(lowering *L, choice *c)
{
    vec_u32 *x = &c->leaves[0], *y = &c->leaves[1];
    const sv *o = c->value[1];
    y->len = 0;
    for (uint32_t i = 0; i + o->rank < x->len; i++)
        add_leaf(L, y, kb_const(&L->b, (scalar)k_at(L->b.p, x->at[i])->type, 0));
    add_shape(L, o, y);
}

/* A branch whose value refers to nothing inside of it need not be run again, unless what it has
 * overwritten is dropped with it. */
static void settle(lowering *L, choice *c, int which, uint32_t from, k_id first)
{
    const sv *v = c->value[which];
    if (!lower_failed(L) && !c->complete[which] && !lower_has_effects(L, c->stmt) &&
        lower_is_outside(L, v, from, first))
        c->code[which] = (thunk){.kind = THUNK_VALUE, .array = v};
}

/* Runs both branches, in an if that stays open. */
static void run_branches(lowering *L, choice *c)
{
    uint32_t from = L->made;
    k_id first = L->b.p->nodes.len;
    c->stmt = kb_open_if(&L->b, c->cond);
    foreseen_if f = lower_foresee_open(L);
    for (int i = 0; i < 2 && !lower_failed(L); i++) {
        c->value[i] = lower_run_thunk(L, &c->code[i]);
        c->complete[i] = branch_leaves(L, c->value[i], &c->leaves[i]);
        settle(L, c, i, from, first);
        if (i == 0) {
            kb_next_block(&L->b, c->leaves[0].at, c->leaves[0].len);
            lower_foresee_next(L, &f);
        }
    }
    lower_foresee_close(L, &f);
}

static bool is_array(const sv *v)
{
    return v->kind == SV_PULL || v->kind == SV_PUSH;
}

/* Whether both are the same elements in the same place, which one branch may have updated. */
static bool same_memory(const sv *x, const sv *y)
{
    if (x->kind == SV_PUSH && y->kind == SV_PUSH && x->form == PUSH_PULL && y->form == PUSH_PULL &&
        x->level == y->level)
        return same_memory(x->src, y->src);
    bool same = x->kind == SV_PULL && y->kind == SV_PULL && x->form == PULL_MEMORY &&
                y->form == PULL_MEMORY && x->src && x->src == y->src && x->v == y->v &&
                x->pitch == y->pitch && x->rank == y->rank;
    for (uint32_t i = 0; i < x->rank && same; i++)
        same = x->shape[i] == y->shape[i];
    return same;
}

/* Ends the if where its results are all that is needed of the branches; NULL (and nothing emitted)
 * where arrays or functions remain.  Of arrays, *shape is then what the if says of their extents;
 * of the effects in there only checks are wanted before the array is used. */
static const sv *close_choice(lowering *L, choice *c, const k_id **shape)
{
    const sv *a = c->value[0], *o = c->value[1];
    vec_u32 *x = &c->leaves[0];
    if (same_memory(a, o)) {
        if (has_checks(L, c->stmt) || lower_has_effects(L, c->stmt))
            kb_close(&L->b, c->leaves[1].at, c->leaves[1].len);
        else
            kb_discard(&L->b);
        return a;
    }
    if (c->complete[0] && c->complete[1] && branches_agree(a, o)) {
        bool wanted =
            a->form == PULL_MEMORY || has_checks(L, c->stmt) || lower_has_effects(L, c->stmt);
        close_branches(L, c->stmt, c->cond, x, &c->leaves[1], wanted);
        return chosen(L, c->cond, a, o, x->at);
    }
    bool alike = o->kind == a->kind && o->rank == a->rank && o->level == a->level;
    if (is_array(a) && !alike)
        lower_fail(L, DIAG_LOWER_BRANCH,
                   "the branches of this if yield arrays of different ranks or levels");
    c->keep = lower_must_keep(L, c->stmt, a);
    if (lower_failed(L))
        return sv_none();
    if (c->keep || !is_array(a)) {
        kb_discard(&L->b);
        return NULL;
    }
    fit_leaves(L, c);
    close_branches(L, c->stmt, c->cond, x, &c->leaves[1], has_checks(L, c->stmt));
    *shape = sv_ids(L, x->at + x->len - a->rank, a->rank);
    return NULL;
}

/* Component by component, so that scalars are decided once and arrays stay thunks. */
static const sv *choice_of_tuples(lowering *L, const choice *c, uint32_t n)
{
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n);
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2 * (size_t)n);
    if (!items || !t)
        return sv_none();
    for (uint32_t i = 0; i < n; i++) {
        t[2 * i] = (thunk){.kind = THUNK_ITEM, .of = &c->code[0], .n = i};
        t[2 * i + 1] = (thunk){.kind = THUNK_ITEM, .of = &c->code[1], .n = i};
        items[i] = lower_choice(L, c->cond, c->from, &t[2 * i], &t[2 * i + 1]);
    }
    return sv_tuple(L, items, n);
}

/* The choice between branches that cannot be run again. */
static const sv *choice_of_kept(lowering *L, const choice *c)
{
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
    if (!t)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_VALUE, .array = lower_keep(L, c->cond, &c->code[0])};
    k_id no = kb_scalar(&L->b, SOP_NOT, c->cond, 0, 0);
    t[1] = (thunk){.kind = THUNK_VALUE, .array = lower_keep(L, no, &c->code[1])};
    return lower_failed(L) ? sv_none() : lower_choice(L, c->cond, c->from, &t[0], &t[1]);
}

/* An array or function that is decided where it is used. */
static const sv *deferred(lowering *L, const choice *c, const k_id *shape)
{
    const sv *a = c->value[0];
    sv *v = sv_new(L, (sv_kind)a->kind,
                   a->kind == SV_FN     ? FN_IF
                   : a->kind == SV_PULL ? PULL_IF
                                        : PUSH_IF);
    v->v = c->cond;
    v->then = &c->code[0];
    v->other = &c->code[1];
    v->rank = a->rank;
    v->level = a->level;
    v->shape = shape;
    v->from = c->from;
    return v;
}

/* A statement is tried; thunks, or kept branches, remain. */
static const sv *decide(lowering *L, choice *c)
{
    const k_id *shape = NULL;
    run_branches(L, c);
    if (lower_failed(L))
        return sv_none();
    const sv *done = close_choice(L, c, &shape);
    if (done || lower_failed(L))
        return done ? done : sv_none();
    if (c->keep)
        return choice_of_kept(L, c);
    if (c->value[0]->kind == SV_TUPLE)
        return choice_of_tuples(L, c, c->value[0]->n);
    return deferred(L, c, shape);
}

/* A known condition leaves no branch, as that of a branch around. */
const sv *lower_choice(lowering *L, k_id cond, uint32_t from, const thunk *then, const thunk *other)
{
    int64_t known;
    if (k_is_const(L->b.p, kb_known(&L->b, cond), &known))
        return lower_run_thunk(L, known ? then : other);
    bool clear = lower_foresee(L, cond, from, then, other), was = L->clear;
    uint32_t was_from = L->clear_from;
    choice c = {.cond = cond, .from = from, .code = ARENA_ARRAY(&L->a, thunk, 2)};
    if (!c.code || lower_failed(L))
        return sv_none();
    c.code[0] = *then;
    c.code[1] = *other;
    if (clear) {
        L->clear = true;
        L->clear_from = from;
    }
    const sv *v = decide(L, &c);
    L->clear = was;
    L->clear_from = was_from;
    vec_free(&L->m->cx->mem, &c.leaves[0]);
    vec_free(&L->m->cx->mem, &c.leaves[1]);
    return v;
}

const sv *lower_IF(lowering *L, frame *f, ir_op o)
{
    thunk *t = ARENA_ARRAY(&L->a, thunk, 2);
    ir_region r = ir_op_at(L->m, o)->regions;
    if (!t)
        return sv_none();
    t[0] = (thunk){.kind = THUNK_REGION, .region = r, .env = f};
    t[1] = (thunk){.kind = THUNK_REGION, .region = r + 1, .env = f};
    return lower_choice(L, lower_frame_scalar(L, f, ir_arg(L->m, o, 0)), L->made, &t[0], &t[1]);
}
