/* Elements and results of functions that both branches of an if ask for: they are computed once, in
 * front of it.
 *
 * An element that is computed in a branch is not known outside of it, so arrays of which each is
 * an if over the one before would be computed in both branches of every one: twice as often with
 * each step.  What a branch asks for is found by running it and dropping the code.  Elements of
 * arrays that were there before are not computed then: values of which nothing is known stand for
 * them, so that the time is that of the branch's own code.
 *
 * Only what both branches ask for certainly is computed in front of them: what one asks for alone
 * may not exist where the other is taken. */
#include "ir/kernel/lower/branch/branch.h"

#include <stdlib.h>

enum { NOWHERE = INT32_MAX };

/* An element that was asked for, or what a function gives. */
typedef struct asked {
    const sv *array; /* NULL: a call */
    const k_id *ix;
    bool checked; /* and so are its indices */
    function_call call;
} asked;

struct foresight {
    uint32_t from;    /* arrays up to that number were there before */
    uint16_t outer;   /* depth around the if */
    uint32_t certain; /* depth of the block of which all is run when the branch is */
    VEC(asked) list;
    vec_u32 names; /* of each array and function that was asked, as often as it was */
    bool skipped;  /* what launches ask for is not among them */
};

/* ---- types of elements ---- */

static ir_type yielded(lowering *L, ir_region r, const frame *f)
{
    ir_op last = ir_region_at(L->m, r)->last;
    return lower_frame_type(L, f, ir_value_at(L->m, ir_arg(L->m, last, 0))->type);
}

static ir_type element_type(lowering *L, const sv *a);

/* Of what a thunk gives; 0: not known without running it. */
static ir_type thunk_type(lowering *L, const thunk *t)
{
    if (t->kind == THUNK_REGION)
        return yielded(L, t->region, t->env);
    if (t->kind == THUNK_INDEX && t->of->kind == THUNK_VALUE)
        return element_type(L, t->of->array);
    ir_type of = t->kind == THUNK_INDEX || t->kind == THUNK_ITEM ? thunk_type(L, t->of) : 0;
    const type_node n = *ir_type_at(L->m, of);
    if (of && t->kind == THUNK_INDEX)
        return n.a;
    return of && n.kind == TY_TUPLE && t->n < n.n ? type_item(L->m, of, t->n) : 0;
}

/* Recursion is bounded by the nesting of thunks. */
static ir_type element_type(lowering *L, const sv *a)
{
    if (a->form == PULL_GENERATE || a->form == PULL_MAP)
        return yielded(L, a->region, a->env);
    if (a->form != PULL_IF)
        return a->type;
    if (a->then->kind == THUNK_VALUE)
        return element_type(L, a->then->array);
    ir_type t = thunk_type(L, a->then);
    return t ? ir_type_at(L->m, t)->a : 0;
}

static bool is_scalars(const lowering *L, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    bool all = n.kind == TY_SCALAR || n.kind == TY_TUPLE;
    for (uint32_t i = 0; n.kind == TY_TUPLE && i < n.n && all; i++)
        all = is_scalars(L, type_item(L->m, t, i));
    return all;
}

static const sv *unknown(lowering *L, ir_type t)
{
    const type_node n = *ir_type_at(L->m, t);
    if (n.kind != TY_TUPLE)
        return sv_scalar(L, kb_unknown(&L->b, (scalar)n.a));
    const sv **items = ARENA_ARRAY(&L->a, const sv *, n.n ? n.n : 1u);
    for (uint32_t i = 0; items && i < n.n; i++)
        items[i] = unknown(L, type_item(L->m, t, i));
    return items ? sv_tuple(L, items, n.n) : sv_none();
}

/* ---- noting ---- */

/* Beside the numbers of arrays. */
#define FUNCTION 0x80000000u

static void ask(lowering *L, uint32_t name)
{
    L->failed = !vec_push(&L->m->cx->mem, &L->foresight->names, name) || L->failed;
}

/* Whether array and indices are there in front of the if. */
static bool is_there(const lowering *L, const foresight *f, const sv *a, const k_id *ix)
{
    bool there = a->number <= f->from && !L->guard;
    for (uint32_t i = 0; i < a->rank && there; i++)
        there = k_at(L->b.p, ix[i])->depth <= f->outer;
    return there;
}

/* What stands for something of type t that is asked for here. */
static const sv *noted(lowering *L, asked q, ir_type t)
{
    foresight *f = L->foresight;
    bool ok = t && (kb_depth(&L->b) != f->certain || vec_push(&L->m->cx->mem, &f->list, q));
    L->failed = L->failed || !ok;
    return ok ? unknown(L, t) : sv_none();
}

const sv *lower_foreseen(lowering *L, const sv *a, const k_id *ix, bool checked)
{
    foresight *f = L->foresight;
    if (!f || !is_there(L, f, a, ix))
        return NULL;
    ir_type t = element_type(L, a);
    if (t && !is_scalars(L, t))
        return NULL;
    asked q = {.array = a, .ix = sv_ids(L, ix, a->rank), .checked = checked};
    return noted(L, q, t);
}

static bool value_is_there(const lowering *L, const foresight *f, const sv *v)
{
    if (v->kind == SV_SCALAR)
        return k_at(L->b.p, v->v)->depth <= f->outer;
    bool there = v->kind == SV_TUPLE || (v->number && v->number <= f->from);
    for (uint32_t i = 0; v->kind == SV_TUPLE && i < v->n && there; i++)
        there = value_is_there(L, f, v->items[i]);
    return there;
}

/* What a launch asks for inside is certain nowhere outside of it, so its body is not looked at, which is the most
 * that there is of a branch of the host's. */
bool lower_skips_launch(lowering *L, const writer *w)
{
    while (w->outer)
        w = w->outer;
    bool skips = L->foresight && w->dest && w->dest->tree;
    if (skips)
        L->foresight->skipped = true;
    return skips;
}

const sv *lower_foreseen_call(lowering *L, const function_call *c)
{
    foresight *f = L->foresight;
    if (!f)
        return NULL;
    ask(L, FUNCTION | c->region);
    bool there = !L->guard && (!c->env || c->env->number <= f->from);
    for (uint32_t i = 0; i < c->n && there; i++)
        there = value_is_there(L, f, c->args[i]);
    ir_type t = there ? yielded(L, c->region, &(frame){.bound = c->bound}) : 0;
    if (!t || !is_scalars(L, t))
        return NULL;
    asked q = {.call = *c};
    const sv **args = ARENA_ARRAY(&L->a, const sv *, c->n + 1);
    for (uint32_t i = 0; args && i < c->n; i++)
        args[i] = c->args[i];
    q.call.args = args;
    return args ? noted(L, q, t) : sv_none();
}

static bool same_value(const sv *x, const sv *y)
{
    if (x->kind != y->kind || x->kind == SV_SCALAR)
        return x->kind == y->kind && x->v == y->v;
    bool same = x->kind == SV_TUPLE ? x->n == y->n : x == y;
    for (uint32_t i = 0; x->kind == SV_TUPLE && same && i < x->n; i++)
        same = same_value(x->items[i], y->items[i]);
    return same;
}

static bool same_call(const function_call *x, const function_call *y)
{
    bool same =
        x->region == y->region && x->env == y->env && x->n == y->n && x->block == y->block;
    const binding *a = x->bound, *b = y->bound;
    for (; same && a != b && a && b; a = a->next, b = b->next)
        same = a->var == b->var && a->value == b->value;
    same = same && a == b;
    for (uint32_t i = 0; i < x->n && same; i++)
        same = same_value(x->args[i], y->args[i]);
    return same;
}

static bool same(const asked *x, const asked *y)
{
    bool equal = x->array == y->array && x->checked == y->checked;
    if (!x->array)
        return equal && same_call(&x->call, &y->call);
    for (uint32_t i = 0; equal && i < x->array->rank; i++)
        equal = x->ix[i] == y->ix[i];
    return equal;
}

/* Of what was noted from `first` on, what was noted before `second` and behind it as well. */
static void keep_common(foresight *f, uint32_t first, uint32_t second)
{
    uint32_t n = first;
    for (uint32_t i = first; i < second; i++)
        for (uint32_t k = second; k < f->list.len; k++)
            if (same(&f->list.at[i], &f->list.at[k])) {
                f->list.at[n++] = f->list.at[i];
                break;
            }
    f->list.len = n;
}

foreseen_if lower_foresee_open(lowering *L)
{
    foresight *f = L->foresight;
    if (!f)
        return (foreseen_if){0};
    foreseen_if i = {.first = f->list.len, .certain = f->certain};
    f->certain = kb_depth(&L->b) == f->certain + 1 ? kb_depth(&L->b) : NOWHERE;
    return i;
}

void lower_foresee_next(lowering *L, foreseen_if *i)
{
    if (L->foresight)
        i->second = L->foresight->list.len;
}

void lower_foresee_close(lowering *L, const foreseen_if *i)
{
    if (!L->foresight)
        return;
    keep_common(L->foresight, i->first, i->second);
    L->foresight->certain = i->certain;
}

void lower_foresee_ask(lowering *L, const sv *a)
{
    if (L->foresight)
        ask(L, a->number);
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Whether some array or function was asked twice. */
static bool repeats(const foresight *f)
{
    if (f->names.len)
        qsort(f->names.at, f->names.len, sizeof *f->names.at, by_number);
    for (uint32_t i = 1; i < f->names.len; i++)
        if (f->names.at[i] == f->names.at[i - 1])
            return true;
    return false;
}

/* ---- looking ahead ---- */

static bool region_asks(lowering *L, ir_region r);

/* Whether an operation may ask for elements where it stands.  What makes arrays does not. */
static bool op_asks(lowering *L, const op_node *n)
{
    if (ir_op_info(n->opcode)->is_scalar)
        return false;
    switch ((opcode)n->opcode) {
    case OP_CONVERT:
    case OP_BITCAST:
    case OP_BLOCKSIZE:
    case OP_WARPSIZE:
    case OP_LOCALSIZE:
    case OP_TUPLE:
    case OP_PROJ:
    case OP_ARRAY:
    case OP_CONSTANT:
    case OP_FN:
    case OP_GENERATE:
    case OP_LENGTH:
    case OP_DIM:
    case OP_MAP:
    case OP_PUSH:
    case OP_TAKE:
    case OP_DROP:
    case OP_PAD:
    case OP_YIELD: return false;
    case OP_IF: break;
    default: return true;
    }
    return region_asks(L, n->regions) || region_asks(L, n->regions + 1);
}

/* Found once for each region, since branches nest. */
static bool region_asks(lowering *L, ir_region r)
{
    enum { UNKNOWN, NO, YES };
    uint32_t *known = lower_counter(L, &L->asking, r), found = NO;
    if (known && *known != UNKNOWN)
        return *known == YES;
    for (ir_op o = ir_region_at(L->m, r)->first; o && found == NO; o = ir_op_at(L->m, o)->next)
        if (op_asks(L, ir_op_at(L->m, o)))
            found = YES;
    if (known)
        L->asking.at[r] = found;
    return found == YES;
}

static bool asks(lowering *L, const thunk *t)
{
    return t->kind == THUNK_REGION ? region_asks(L, t->region) : t->kind != THUNK_VALUE;
}

/* Runs both branches; false when that fails, which is for the real run to report. */
static bool run_both(lowering *L, k_id cond, const thunk *then, const thunk *other)
{
    k_builder *b = &L->b;
    k_id s = kb_open_if(b, cond);
    foreseen_if i = {.certain = NOWHERE};
    L->foresight->certain = kb_depth(b);
    lower_run_thunk(L, then);
    lower_foresee_next(L, &i);
    kb_next_block(b, NULL, 0);
    lower_run_thunk(L, other);
    lower_foresee_close(L, &i);
    return s && !lower_failed(L);
}

/* What is known of the program's state is as it was in front of the if. */
static bool look_ahead(lowering *L, k_id cond, const thunk *then, const thunk *other)
{
    const lowering before = *L;
    diag_quiet(L->m->cx, true);
    bool ok = run_both(L, cond, then, other);
    diag_quiet(L->m->cx, false);
    L->failed = L->b.failed = L->m->cx->mem.oom;
    while (kb_depth(&L->b) > L->foresight->outer && !L->failed)
        kb_discard(&L->b);
    L->b.outside = before.b.outside;
    L->b.entered = before.b.entered;
    L->b.synced = before.b.synced;
    L->b.loc = before.b.loc;
    L->guard = before.guard;
    L->supposing = before.supposing;
    L->measuring = before.measuring;
    L->level = before.level;
    L->depth = before.depth;
    L->copies = before.copies;
    L->trying = before.trying;
    L->wide = before.wide;
    return ok;
}

bool lower_foresee(lowering *L, k_id cond, uint32_t from, const thunk *then, const thunk *other)
{
    if (L->foresight || L->clear || lower_failed(L) || !asks(L, then) || !asks(L, other))
        return false;
    foresight f = {.from = from, .outer = kb_depth(&L->b)};
    L->foresight = &f;
    bool ok = look_ahead(L, cond, then, other), clear = ok && !f.skipped && !repeats(&f);
    L->foresight = NULL;
    for (uint32_t i = 0; i < f.list.len && ok; i++) {
        const asked q = f.list.at[i];
        if (!q.array)
            lower_call(L, &q.call);
        else if (q.checked)
            lower_checked_element(L, q.array, q.ix, true);
        else
            sv_index(L, q.array, q.ix);
    }
    vec_free(&L->m->cx->mem, &f.list);
    vec_free(&L->m->cx->mem, &f.names);
    return clear;
}
