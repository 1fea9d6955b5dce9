/* Checks: what is not seen to be right when it is lowered is asked at run time.
 *
 * An index that may be outside its array guards the code of the element by an `if`, whose other
 * branch reports the failure: nothing is read then, and the element is zero.  So code behind a
 * failed check computes with wrong values, but touches only memory that is there.  What cannot be
 * yielded by a branch, an array of arrays, is asked for at index 0 instead, and what that reads of
 * memory is guarded (lowering.guard).
 *
 * Everything that is asked or seen is noted with its place in the source, for the report. */
#include "ir/kernel/lower/value.h"

/* ---- verdicts ---- */

/* The same place is lowered again and again: the last ones of the open statement are looked at, as
 * what is found in it may be thrown away with it; the report joins the rest. */
void lower_verdict(lowering *L, k_checked what, k_finding finding, const char *reason)
{
    enum { LOOKED_AT = 16 };
    k_program *p = L->b.p;
    uint32_t n = p->verdicts.len, from = n > LOOKED_AT ? n - LOOKED_AT : 0,
             open = L->b.scopes.at[kb_depth(&L->b)].verdicts;
    if (L->trying)
        return;
    from = from > open ? from : open;
    for (uint32_t i = n; i-- > from;) {
        k_verdict *v = &p->verdicts.at[i];
        if (v->loc != L->b.loc || v->what != what)
            continue;
        if (finding > v->finding)
            *v = (k_verdict){L->b.loc, (uint8_t)what, (uint8_t)finding, reason};
        return;
    }
    k_verdict fresh = {L->b.loc, (uint8_t)what, (uint8_t)finding, reason};
    L->failed = !vec_push(&L->m->cx->mem, &p->verdicts, fresh) || L->failed;
}

/* by: what is found where it is asked and not proved. */
static bool is_asked(lowering *L, k_checked what, const char *proof, const char *otherwise,
                     k_finding by)
{
    k_checks which = L->target.request.checks;
    bool asked = which == CHECKS_ALL || (which == CHECKS_DEFAULT && !proof);
    lower_verdict(L, what,
                  proof   ? FOUND_PROVED
                  : asked ? by
                          : FOUND_UNCHECKED,
                  proof ? proof : otherwise);
    return asked;
}

static const char *not_seen_of(k_checked what)
{
    return what == CHECKED_ASSERT ? "it is not seen to hold" : "it is not seen to be in range";
}

bool lower_is_asked(lowering *L, k_checked what, const char *proof)
{
    return lower_is_asked_or(L, what, proof, not_seen_of(what));
}

bool lower_is_asked_or(lowering *L, k_checked what, const char *proof, const char *otherwise)
{
    bool each = what == CHECKED_TWICE || what == CHECKED_MISSED; /* bits, which kernels set */
    return is_asked(L, what, proof, otherwise,
                    lower_is_host(L) && !each ? FOUND_ASKED : FOUND_CHECKED);
}

/* ---- what the host may ask ---- */

bool lower_is_asked_early(lowering *L, k_checked what, const char *proof)
{
    return is_asked(L, what, proof, not_seen_of(what), FOUND_ASKED);
}

void lower_ask_early(lowering *L, k_checked what, k_id cond, k_id first, k_id second, str_id text)
{
    k_builder *b = &L->b;
    if (kb_check_ahead(b, what, cond, first, second, text))
        return;
    if (!lower_is_host(L) && L->target.request.checks == CHECKS_DEFAULT)
        lower_verdict(L, what, FOUND_CHECKED, not_seen_of(what));
    kb_check(b, what, cond, first, second, text);
}

/* ---- indices ---- */

const char *lower_proves_index(const lowering *L, k_id i, k_id n)
{
    return ka_proves_index(&L->b, i, n);
}

/* Whether 0 <= i < n, by one comparison: what is negative is large as an unsigned number.  Where
 * everything is to be asked nothing that is known may decide it. */
k_id lower_in_range(lowering *L, k_id i, k_id n)
{
    k_builder *b = &L->b;
    bool ints = k_at(b->p, i)->type == ST_I32 && k_at(b->p, n)->type == ST_I32;
    if (!ints)
        return kb_scalar(b, SOP_AND, kb_scalar(b, SOP_GE, i, kb_int(b, 0), 0), kb_lt(b, i, n), 0);
    if (L->target.request.checks != CHECKS_ALL && k_lo(b->p, i) >= 0)
        return kb_lt(b, i, n);
    return kb_lt(b, kb_bitcast(b, ST_U32, i), kb_bitcast(b, ST_U32, n));
}

/* Building the comparison may show what the proof has not. */
static const char *proves_axis(lowering *L, k_id i, k_id n)
{
    int64_t known = 0;
    const char *proof = lower_proves_index(L, i, n);
    if (proof || L->target.request.checks != CHECKS_DEFAULT)
        return proof;
    bool folds = k_is_const(L->b.p, lower_in_range(L, i, n), &known) && known;
    return folds ? "its comparison is always true" : NULL;
}

asked_axes lower_ask_axes(lowering *L, k_checked what, const k_id *ix, const k_id *shape,
                          uint32_t rank)
{
    asked_axes q = {.what = what, .loc = L->b.loc, .ix = ix, .shape = shape};
    for (uint32_t i = 0; i < rank && !L->supposing; i++) {
        if (!lower_is_asked(L, what, proves_axis(L, ix[i], shape[i])))
            continue;
        k_id cond = lower_in_range(L, ix[i], shape[i]);
        q.all = q.n ? kb_scalar(&L->b, SOP_AND, q.all, cond, 0) : cond;
        q.cond[q.n] = cond;
        q.axis[q.n++] = i;
    }
    return q;
}

/* known_false: of one axis, where the condition is known not to hold. */
static void report_axes(lowering *L, const asked_axes *q, bool known_false)
{
    uint32_t loc = L->b.loc;
    L->b.loc = q->loc;
    for (uint32_t k = 0; k < q->n; k++)
        kb_check(&L->b, q->what,
                 known_false && q->n == 1 ? kb_const(&L->b, ST_BOOL, 0) : q->cond[k],
                 q->ix[q->axis[k]], q->shape[q->axis[k]], 0);
    L->b.loc = loc;
}

void lower_open_guard(lowering *L, const asked_axes *q)
{
    if (q->n)
        kb_open_if(&L->b, q->all);
}

void lower_close_guard(lowering *L, const asked_axes *q)
{
    if (!q->n)
        return;
    kb_next_block(&L->b, NULL, 0);
    report_axes(L, q, true);
    kb_close(&L->b, NULL, 0);
}

/* Zeros of the types of those values. */
static void zeros_like(lowering *L, vec_u32 *leaves)
{
    for (uint32_t i = 0; i < leaves->len; i++)
        leaves->at[i] = kb_const(&L->b, (scalar)k_at(L->b.p, leaves->at[i])->type, 0);
}

/* Whether the branch that is being built has come to values that are computed outside of it: no
 * memory was read for them. */
static bool leaves_branch(const lowering *L, k_id branch, const vec_u32 *leaves)
{
    for (uint32_t i = 0; i < leaves->len; i++)
        if (k_at(L->b.p, leaves->at[i])->depth > k_at(L->b.p, branch)->depth)
            return false;
    return true;
}

/* Ends the branch with the values that it yields, if any, and reports in the other one. */
static void close_guard(lowering *L, const asked_axes *q, vec_u32 *x)
{
    kb_next_block(&L->b, x->at, x->len);
    report_axes(L, q, true);
    zeros_like(L, x);
    kb_close(&L->b, x->at, x->len);
}

/* The scalars of the element in a branch of their own.  Those that are computed outside of it,
 * since they cost nothing and read nothing, are as good without: it stays for the checks inside. */
static const sv *guarded_element(lowering *L, const sv *a, const k_id *ix, const asked_axes *q)
{
    vec_u32 x = {0};
    k_builder *b = &L->b;
    k_id s = kb_open_if(b, q->all);
    const sv *e = sv_index(L, a, ix), *r = e;
    sv_leaves(L, e, &x);
    bool free = !lower_failed(L) && leaves_branch(L, s, &x);
    if (free && !k_has_checks(b->p, k_at(b->p, s)->blocks[0])) {
        kb_discard(b);
        report_axes(L, q, false);
    } else if (free) {
        x.len = 0;
        close_guard(L, q, &x);
    } else {
        close_guard(L, q, &x);
        for (uint32_t i = 0; i < x.len; i++)
            x.at[i] = kb_result(b, s, i);
        const k_id *list = x.at;
        r = lower_failed(L) ? sv_none() : sv_with_leaves(L, e, &list);
    }
    vec_free(&L->m->cx->mem, &x);
    return r;
}

/* An element that is an array or a function. */
static const sv *element_in_range(lowering *L, const sv *a, const k_id *ix, const asked_axes *q)
{
    k_builder *b = &L->b;
    k_id at[MAX_RANK] = {0}, before = L->guard;
    report_axes(L, q, false);
    for (uint32_t i = 0; i < a->rank; i++)
        at[i] = kb_select(b, q->all, ix[i], kb_int(b, 0));
    L->guard = before ? kb_scalar(b, SOP_AND, before, q->all, 0) : q->all;
    const sv *e = sv_index(L, a, at);
    L->guard = before;
    return e;
}

/* The element of which the checks are asked for, once in a scope: a load by itself is not looked
 * for in front of branches. */
static const sv *guarded_once(lowering *L, const sv *a, const k_id *ix, const asked_axes *q)
{
    memo_key key;
    lower_element_key(L, &key, a, ix, true);
    const sv *v = lower_recall(L, &key);
    if (v)
        return v;
    bool computed = a->form != PULL_MEMORY && a->form != PULL_ITEMS;
    v = computed ? lower_foreseen(L, a, ix, true) : NULL;
    v = v ? v : guarded_element(L, a, ix, q);
    lower_remember(L, &key, v);
    return v;
}

const sv *lower_checked_element(lowering *L, const sv *a, const k_id *ix, bool scalars)
{
    int64_t known;
    if (lower_failed(L) || a->kind != SV_PULL)
        return sv_none();
    if (L->supposing)
        return sv_index(L, a, ix);
    asked_axes q = lower_ask_axes(L, CHECKED_INDEX, ix, a->shape, a->rank);
    if (q.n == 0 || (k_is_const(L->b.p, q.all, &known) && known))
        return sv_index(L, a, ix);
    return scalars ? guarded_once(L, a, ix, &q) : element_in_range(L, a, ix, &q);
}

/* ---- positions ---- */

/* Elements are written when somebody forces the array: the place is that of who computes the
 * positions. */
asked_axes lower_ask_positions(lowering *L, ir_region r, const frame *env, const k_id *at,
                               const k_id *shape, uint32_t rank)
{
    uint32_t loc = L->b.loc;
    L->b.loc = lower_place(L, env, ir_op_at(L->m, ir_region_at(L->m, r)->owner)->loc);
    asked_axes q = lower_ask_axes(L, CHECKED_POSITION, at, shape, rank);
    L->b.loc = loc;
    return q;
}

/* ---- assertions ---- */

/* The condition comes first: the region may count on it, where the host asks. */
const sv *lower_ASSERT(lowering *L, frame *f, ir_op o)
{
    k_builder *b = &L->b;
    int64_t known = 0;
    k_id c = lower_frame_scalar(L, f, ir_arg(L->m, o, 0)), none = kb_int(b, 0);
    bool holds = k_is_const(b->p, c, &known) && known;
    if (!L->supposing && !lower_failed(L) &&
        lower_is_asked_early(L, CHECKED_ASSERT, holds ? "it is true" : NULL))
        lower_ask_early(L, CHECKED_ASSERT, c, none, none, ir_assert_text(L->m, o));
    return lower_run_region(L, ir_op_at(L->m, o)->regions, f, f->bound, NULL, 0);
}
