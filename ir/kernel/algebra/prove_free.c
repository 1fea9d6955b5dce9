/* Values that are made elsewhere and of which nothing speaks, as extents, arguments, what loops carry, and what lies in memory: where
 * a goal has one, alone in its term, it can be whatever it likes, so what is to be shown must hold where it is as bad as can be.  Most checks that stay are of that kind, an index into one array
 * that another array's extent bounds, and to look for a way is in vain. */
#include "ir/kernel/algebra/prove.h"

enum { MOST_REACHED = 256, SLOTS = 1024 };

/* What goals and facts may come to speak of. */
typedef struct reach {
    uint32_t n;
    k_id list[MOST_REACHED], slots[SLOTS];
    bool full;
} reach;

static bool has_reached(const reach *r, k_id v, uint32_t *slot)
{
    *slot = (uint32_t)(prove_mix(v) % SLOTS);
    while (r->slots[*slot] && r->slots[*slot] != v)
        *slot = (*slot + 1) % SLOTS;
    return r->slots[*slot] == v;
}

static void add(reach *r, k_id v)
{
    uint32_t slot;
    if (!v || has_reached(r, v, &slot))
        return;
    r->full |= r->n == MOST_REACHED;
    if (r->full)
        return;
    r->slots[slot] = v;
    r->list[r->n++] = v;
}

static void add_values(reach *r, const poly *x, k_id except)
{
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t j = 0; j < x->m[i].n; j++)
            if (x->m[i].v[j] != except)
                add(r, x->m[i].v[j]);
}

/* Whether it is no more than an interval of v, which the range of v has already. */
static bool is_interval_of(const poly *x, k_id v)
{
    return x->n == 1 && x->m[0].n == 1 && x->m[0].v[0] == v;
}

/* Whether anything but the term that v is itself comes to it, by what values are made of and bounded by. */
static bool is_spoken_of(const prover *q, const poly *goal, k_id v)
{
    reach r = {0};
    uint32_t slot;
    add_values(&r, goal, v);
    for (uint32_t i = 0; i < q->known.n; i++)
        if (!is_interval_of(&q->known.at[i], v))
            add_values(&r, &q->known.at[i], 0);
    for (uint32_t i = 0; i < r.n && !r.full; i++) {
        const k_node *n = k_at(q->b->p, r.list[i]);
        for (int k = 0; k < 3; k++)
            add(&r, n->args[k]);
        add(&r, k_bound(q->b->p, r.list[i]));
        add(&r, ka_limit(q->b, r.list[i]));
    }
    return r.full || has_reached(&r, v, &slot);
}

/* Whether how it is made says nothing of it.  Where a sum or product is a value of the goal, it may have wrapped. */
static bool is_given(const prover *q, k_id v)
{
    const k_node *n = k_at(q->b->p, v);
    bool bounded = k_bound(q->b->p, v) || ka_limit(q->b, v);
    switch ((k_op)n->op) {
    case K_DIM:
    case K_ARG:
    case K_LOAD: return true;
    case K_PARAM:
    case K_RESULT: return !bounded;
    case K_SCALAR: return !bounded && (n->opcode == SOP_ADD || n->opcode == SOP_SUB || n->opcode == SOP_MUL);
    default: return false;
    }
}

static uint32_t terms_with(const poly *goal, k_id v)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < goal->n; t++)
        count += ka_monomial_has(&goal->m[t], v);
    return count;
}

/* Whether it is, or with what has been shown not to be. */
static bool is_negative(const prover *q, const poly *x)
{
    poly more = *x;
    k_range r = prove_poly_range(q, x);
    if (r.known && r.hi < 0)
        return true;
    if (!q->natural || !ka_poly_add(&more, q->natural, 1))
        return false;
    r = prove_poly_range(q, &more);
    return r.known && r.hi < 0;
}

bool prove_is_vain(prover *q, const poly *goal)
{
    for (uint32_t t = 0; t < goal->n; t++) {
        const monomial *m = &goal->m[t];
        k_range r = prove_monomial_range(q, m);
        poly rest = *goal;
        bool free = m->n == 1 && is_given(q, m->v[0]) && terms_with(goal, m->v[0]) == 1 && !is_spoken_of(q, goal, m->v[0]);
        if (!free || !r.known || __builtin_add_overflow(rest.c, r.lo, &rest.c))
            continue;
        rest.m[t] = rest.m[--rest.n];
        if (is_negative(q, &rest))
            return true;
    }
    return false;
}
