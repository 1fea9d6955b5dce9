/* What loops hand from round to round: while, power, mapAccum.
 *
 * A loop starts with a state s, its functions receive forced(s), and its steps give s again: push
 * arrays of the loop's level l become pull arrays, scalars and variables of kind BT stay what they
 * are, tuples go by components.  The relation is no type, so each use of such a loop is a question
 * that stays open until s or forced(s) is known in part, and is looked at again whenever more may
 * be known; either side tells the other.  What nobody says is an array for while and power, which
 * once took nothing else, and a scalar for mapAccum. */
#include "frontends/fcl/infer/infer.h"

/* A question while it is looked at. */
typedef struct asking {
    infer *x;
    const state_question *q;
    bool arrays, open; /* there is one; something is not known yet */
    bool last;         /* and never will be */
    uint32_t parts;    /* looked at so far */
} asking;

enum { STATE_PARTS = 1 << 14 };

static const char *loop_name(const asking *a)
{
    return program_text_of(a->x->p, a->q->name);
}

/* What the loop goes on with is not what its functions take. */
static void differ(asking *a, ty is, ty taken)
{
    infer_fail_at(a->x, DIAG_FCL_MISMATCH, a->q->loc,
                  "this '%s' hands on %s, and its functions take %s", loop_name(a),
                  infer_ty_words(a->x, is), infer_ty_words(a->x, taken));
}

static void same(asking *a, ty is, ty taken)
{
    mismatch why = {0};
    if (!ty_unify(a->x->t, is, taken, &why))
        differ(a, is, taken);
}

/* ---- one component ---- */

/* [e;r]<l> is received as [e;r]. */
static void push_array(asking *a, const ty_node *s, ty forced)
{
    types *t = a->x->t;
    a->arrays = true;
    infer_want_level(a->x, s->c, a->q->level, a->q->loc);
    same(a, ty_new(t, T_PULL, s->a, s->b, 0), forced);
}

static void pull_array(asking *a, const ty_node *f, ty state)
{
    types *t = a->x->t;
    a->arrays = true;
    same(a, state, ty_new(t, T_PUSH, f->a, f->b, a->q->level));
}

static void scalars(asking *a, ty state, ty forced)
{
    mismatch why = {0};
    same(a, state, forced);
    if (ty_demand(a->x->t, state, FCL_BT, &why))
        return;
    infer_fail_at(a->x, DIAG_FCL_KIND, a->q->loc,
                  "this '%s' hands on %s, and what a loop hands on is made of scalars and push "
                  "arrays",
                  loop_name(a), infer_ty_words(a->x, state));
}

/* A pull array would have to be computed again in every round. */
static void no_state(asking *a, ty state)
{
    infer_fail_at(a->x, DIAG_FCL_MISMATCH, a->q->loc,
                  "this '%s' hands on %s, and what a loop hands on is made of scalars and push "
                  "arrays",
                  loop_name(a), infer_ty_words(a->x, state));
    diag_hint(a->x->p->cx, "push the array: push <block> ...");
}

/* What is handed on when nobody says what. */
static void usual_array(asking *a, ty state, ty forced)
{
    types *t = a->x->t;
    ty pull = ty_new(t, T_PULL, ty_fresh(t), rank_fresh(t), 0);
    const ty_node f = *ty_at(t, pull);
    same(a, pull, forced);
    pull_array(a, &f, state);
}

static bool is_scalar(const ty_node *n)
{
    return n->kind == T_SCALAR || n->kind == T_UNIT ||
           (n->kind == T_VAR && (n->scalars || n->rigid || n->height == FCL_BT));
}

static void look(asking *a, ty state, ty forced, uint32_t depth);

/* Of an open type, a tuple of so many open ones. */
static ty open_tuple(asking *a, ty x, uint32_t n)
{
    VEC(ty) items = {0};
    for (uint32_t i = 0; i < n; i++) {
        ty item = ty_fresh(a->x->t);
        vec_push(&a->x->p->cx->mem, &items, item);
    }
    ty made = ty_tuple(a->x->t, items.at, items.len);
    vec_free(&a->x->p->cx->mem, &items);
    mismatch why = {0};
    return ty_unify(a->x->t, x, made, &why) ? made : x;
}

static void tuples(asking *a, ty state, ty forced, uint32_t depth)
{
    types *t = a->x->t;
    if (ty_at(t, state)->kind == T_VAR)
        state = open_tuple(a, state, ty_at(t, forced)->b);
    if (ty_at(t, forced)->kind == T_VAR)
        forced = open_tuple(a, forced, ty_at(t, state)->b);
    uint32_t n = ty_at(t, state)->b;
    if (ty_at(t, state)->kind != T_TUPLE || ty_at(t, forced)->kind != T_TUPLE ||
        ty_at(t, forced)->b != n) {
        differ(a, state, forced);
        return;
    }
    for (uint32_t i = 0; i < n && !a->x->failed; i++)
        look(a, ty_item(t, state, i), ty_item(t, forced, i), depth + 1);
}

/* A state that has itself as a component would never end. */
static bool few_parts(asking *a, uint32_t depth)
{
    if (depth > TYPE_DEPTH)
        infer_fail_at(a->x, DIAG_FCL_INFINITE, a->q->loc,
                      "what this '%s' hands on would have itself as a component", loop_name(a));
    else if (++a->parts > STATE_PARTS)
        infer_fail_at(a->x, DIAG_TOO_LARGE, a->q->loc,
                      "what this '%s' hands on has more than %d components", loop_name(a),
                      STATE_PARTS);
    return !a->x->failed;
}

/* Whichever side is known tells the other. */
static void look(asking *a, ty state, ty forced, uint32_t depth)
{
    types *t = a->x->t;
    state = ty_inside(t, state);
    forced = ty_inside(t, forced);
    const ty_node s = *ty_at(t, state), f = *ty_at(t, forced);
    if (s.kind == T_ERROR || f.kind == T_ERROR || !few_parts(a, depth))
        return;
    if (s.kind == T_PUSH)
        push_array(a, &s, forced);
    else if (s.kind == T_PULL)
        no_state(a, state);
    else if (f.kind == T_PULL)
        pull_array(a, &f, state);
    else if (s.kind == T_TUPLE || f.kind == T_TUPLE)
        tuples(a, state, forced, depth);
    else if (is_scalar(&s) || is_scalar(&f) || s.kind != T_VAR || f.kind != T_VAR)
        scalars(a, state, forced);
    else if (a->last && a->q->scalars)
        scalars(a, state, forced);
    else if (a->last)
        usual_array(a, state, forced);
    else
        a->open = true;
}

/* ---- all questions ---- */

void infer_ask_state(infer *x, expr *e, const builtin *b, const scheme *s)
{
    state_question q = {.loc = e->loc, .name = e->name, .scalars = b->form == BF_MAPACCUM};
    q.level = e->inst.nlevels ? e->inst.levels[0] : 0;
    for (uint32_t k = 0; k < e->inst.ntypes; k++) {
        q.state = s->vars[k] == b->state ? e->inst.types[k] : q.state;
        q.forced = s->vars[k] == b->forced ? e->inst.types[k] : q.forced;
    }
    if (q.state && q.forced)
        vec_push(&x->p->cx->mem, &x->states, q);
}

/* A loop without arrays works at no level: where none is written, thread stands for it. */
static void close_level(infer *x, lv l)
{
    level_form f = lv_find(x->t, l);
    mismatch why = {0};
    if (f.var && !lv_at(x->t, f.var)->rigid)
        lv_unify(x->t, l, lv_height(x->t, 0), &why);
}

void infer_solve_states(infer *x, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->states.len; i++) {
        const state_question q = x->states.at[i];
        asking a = {.x = x, .q = &q, .last = all};
        if (!x->failed)
            look(&a, q.state, q.forced, 0);
        if (a.open)
            x->states.at[kept++] = q;
        else if (!a.arrays && !x->failed)
            close_level(x, q.level);
    }
    x->states.len = kept;
}

/* A question that is open is asked of one type: its variables stay those of the declaration. */
void infer_hold_states(infer *x)
{
    types *t = x->t;
    for (uint32_t i = 0; i < x->states.len; i++) {
        const state_question *q = &x->states.at[i];
        ty_hold(t, q->state, t->depth);
        ty_hold(t, q->forced, t->depth);
        level_form f = lv_find(t, q->level);
        if (f.var && lv_at(t, f.var)->depth != GENERIC && lv_at(t, f.var)->depth > t->depth)
            lv_at(t, f.var)->depth = t->depth;
    }
}
