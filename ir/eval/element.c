/* Elements of pull arrays, each found again for a while.
 *
 * Arrays are called by name, so an element that is wanted twice would be computed twice, and a
 * chain of n arrays of which each is used twice would take 2^n steps.  Programs are pure: an
 * element of one array is always the same.  Each array keeps the last of its elements that was
 * computed, where that is a scalar, and all when it is asked for more than there are (known.c); where
 * elements nest in one another, all are kept in a table that forgets what collides.  Arrays are told apart by their numbers, as one may lie where another
 * lay before.
 *
 * Elements may nest deeper than the C stack bears.  Then the innermost one is put off: the run is
 * broken off as if it had failed, that element is computed by itself, and what wanted it is run
 * again and finds it. */
#include "ir/eval/value.h"

#include <string.h>

enum { NESTED = 8, TABLE = 1 << 12, APART = 400 };

/* An element as it is kept: a scalar, or the nodes of a tuple in preorder. */
typedef struct kept_element {
    uint64_t array, index;
    value *nodes;
    uint32_t n, cap;
} kept_element;

struct kept {
    kept_element table[TABLE];
    VEC(kept_element) wanted; /* those that were put off */
};

/* ---- keeping ---- */

static bool add_node(machine *M, kept_element *e, const value *v)
{
    if (v->tag != VAL_SCALAR && v->tag != VAL_TUPLE)
        return false;
    if (e->n == e->cap) {
        uint32_t cap = e->cap ? e->cap * 2 : 1;
        value *nodes = mem_resize(M->mm, e->nodes, e->cap * sizeof *nodes, cap * sizeof *nodes);
        if (!nodes)
            return false;
        e->nodes = nodes;
        e->cap = cap;
    }
    e->nodes[e->n++] = *v;
    for (uint32_t i = 0; v->tag == VAL_TUPLE && i < v->n; i++)
        if (!add_node(M, e, &v->items[i]))
            return false;
    return true;
}

static void keep(machine *M, kept_element *e, uint64_t array, uint64_t index, const value *v)
{
    e->n = 0;
    e->array = 0;
    if (!add_node(M, e, v))
        return;
    e->array = array;
    e->index = index;
}

/* The value at *next, on the stack of the caller. */
static bool take(machine *M, const kept_element *e, uint32_t *next, value *out)
{
    *out = e->nodes[(*next)++];
    if (out->tag == VAL_SCALAR)
        return true;
    value *items = stack_alloc(M, out->n * sizeof *items);
    out->items = items;
    for (uint32_t i = 0; items && i < out->n; i++)
        if (!take(M, e, next, &items[i]))
            return false;
    return items != NULL;
}

static kept_element *place_of(struct kept *k, uint64_t array, uint64_t index)
{
    uint64_t h = (array * 0x9E3779B97F4A7C15u) ^ (index * 0xC2B2AE3D27D4EB4Fu);
    return &k->table[(h ^ h >> 29) % TABLE];
}

static kept_element *wanted_element(struct kept *k, uint64_t array, uint64_t index)
{
    for (uint32_t i = 0; i < k->wanted.len; i++)
        if (k->wanted.at[i].array == array && k->wanted.at[i].index == index)
            return &k->wanted.at[i];
    return NULL;
}

void eval_kept_free(machine *M)
{
    struct kept *k = M->kept;
    for (uint32_t i = 0; k && i < TABLE; i++)
        mem_free(M->mm, k->table[i].nodes, k->table[i].cap * sizeof(value));
    for (uint32_t i = 0; k && i < k->wanted.len; i++)
        mem_free(M->mm, k->wanted.at[i].nodes, k->wanted.at[i].cap * sizeof(value));
    if (k)
        vec_free(M->mm, &k->wanted);
    mem_free(M->mm, k, sizeof *k);
    M->kept = NULL;
}

/* ---- computing ---- */

/* The axis that varies fastest is the last. at is in range. */
static uint64_t row_major(const pull *p, const int64_t *at)
{
    uint64_t i = (uint64_t)at[0];
    for (uint32_t k = 1; k < p->rank; k++)
        i = i * p->dims[k] + (uint64_t)at[k];
    return i;
}

/* A frame for one element; what it leaves on the stack goes with the caller's mark. */
static bool generated(machine *M, const pull *p, const int64_t *at, value *out)
{
    mark k = stack_mark(M);
    eval_frame *f = eval_frame_new(M, p->code, p->env);
    if (!f)
        return false;
    for (uint32_t j = 0; j < p->rank; j++)
        f->slots[p->code->params[j]] = int_value(at[j]);
    return eval_region_run(M, p->code, f, k, out);
}

/* Depth counts one for each map on the way, since they nest on the C stack. */
static bool mapped(machine *M, const pull *p, const int64_t *at, value *out)
{
    value x;
    mark k = stack_mark(M);
    if (!eval_enter(M))
        return false;
    bool ok = eval_pull_element(M, p->source, at, &x);
    M->depth--;
    eval_frame *f = ok ? eval_frame_new(M, p->code, p->env) : NULL;
    if (!f)
        return false;
    f->slots[p->code->params[0]] = x;
    return eval_region_run(M, p->code, f, k, out);
}

static bool computed(machine *M, const pull *p, const int64_t *at, value *out)
{
    M->nested++;
    bool ok = p->kind == PULL_MAP ? mapped(M, p, at, out) : generated(M, p, at, out);
    M->nested--;
    return ok;
}

/* Breaks the run off; the driver of all elements computes that one next. */
static bool put_it_off(machine *M, const pull *p, const int64_t *at)
{
    M->putting_off = true;
    M->off.p = p;
    memcpy(M->off.at, at, p->rank * sizeof *at);
    return false;
}

/* Deep inside of one another.  An array made in this run will be another one when it is run again,
 * so that nothing is gained by putting its elements off. */
static bool nested(machine *M, const pull *p, const int64_t *at, uint64_t index, value *out)
{
    if (!M->kept && !(M->kept = mem_zeroed(M->mm, sizeof *M->kept)))
        return false;
    kept_element *e = place_of(M->kept, p->number, index), *w;
    uint32_t first = 0;
    if (e->array == p->number && e->index == index)
        return take(M, e, &first, out);
    if (M->kept->wanted.len && (w = wanted_element(M->kept, p->number, index)))
        return take(M, w, &first, out);
    bool deep = M->nested >= APART || M->depth >= M->m->cx->limits.call_depth / 2;
    if (deep && p->number <= M->before)
        return put_it_off(M, p, at);
    if (!computed(M, p, at, out))
        return false;
    keep(M, e, p->number, index, out);
    return true;
}

static bool noted(machine *M, const pull *p, uint64_t index, const value *v, uint64_t steps)
{
    return eval_known_asked(M, p, 1) && eval_known_put(M, p, index, v, steps);
}

bool eval_pull_element(machine *M, const pull *p, const int64_t *at, value *out)
{
    switch ((pull_kind)p->kind) {
    case PULL_PARTIAL:
        if (!partial_written(p->partial, (uint64_t)at[0]))
            return eval_partial_unwritten(M, p->partial, (uint64_t)at[0]);
        return eval_buffer_get(M, p->partial->data, (uint64_t)at[0], out);
    case PULL_LITERAL: *out = p->items[at[0]]; return true;
    case PULL_BYTES:
        *out = scalar_value(p->bytes->type, ir_data_element(M->m, p->bytes, row_major(p, at)));
        return true;
    case PULL_DATA: return eval_buffer_get(M, p->data, row_major(p, at), out);
    case PULL_GENERATE:
    case PULL_MAP: break;
    }
    uint64_t index = row_major(p, at);
    if (p->last->value.tag == VAL_SCALAR && p->last->index == index) {
        *out = p->last->value;
        return true;
    }
    if (known_there(p, index))
        return eval_known_get(M, p->last->known, index, out);
    const uint64_t before = M->steps;
    if (!(M->nested < NESTED ? computed(M, p, at, out) : nested(M, p, at, index, out)))
        return false;
    p->last->value = *out;
    p->last->index = index;
    return noted(M, p, index, out, before - M->steps);
}

/* ---- all elements ---- */

/* The element is computed on its own, and kept until the one that all is for is done. */
static bool compute_wanted(machine *M, const put_off *w)
{
    value v;
    mark k = stack_mark(M);
    kept_element e = {0};
    if (!eval_pull_element(M, w->p, w->at, &v))
        return false;
    keep(M, &e, w->p->number, row_major(w->p, w->at), &v);
    if (!e.array || !vec_push(M->mm, &M->kept->wanted, e)) {
        mem_free(M->mm, e.nodes, e.cap * sizeof *e.nodes);
        return eval_too_deep(M);
    }
    stack_release(M, k);
    return true;
}

/* Whatever was put off, innermost first; what is computed may put off more.  A failure leaves the
 * machine's level, depth and calls as they were. */
static bool compute_all_wanted(machine *M)
{
    VEC(put_off) list = {0};
    bool ok = vec_push(M->mm, &list, M->off);
    while (ok && list.len) {
        M->nested = 0;
        M->putting_off = false;
        if (compute_wanted(M, &list.at[list.len - 1]))
            list.len--;
        else
            ok = M->putting_off && vec_push(M->mm, &list, M->off);
    }
    M->nested = 0;
    M->putting_off = false;
    vec_free(M->mm, &list);
    return ok;
}

static void forget_wanted(machine *M, uint32_t most)
{
    while (M->kept->wanted.len > most) {
        kept_element *e = &M->kept->wanted.at[--M->kept->wanted.len];
        mem_free(M->mm, e->nodes, e->cap * sizeof *e->nodes);
    }
}

/* Again and again, until nothing is put off any more. */
static bool computed_at_last(machine *M, const pull *p, const int64_t *at, value *out)
{
    uint32_t wanted = M->kept->wanted.len;
    bool ok = false;
    while (!ok && M->putting_off)
        ok = compute_all_wanted(M) && computed(M, p, at, out);
    forget_wanted(M, wanted);
    return ok;
}

/* For those who visit all elements, whatever the rank: nobody else asks for them. */
bool eval_pull_nth(machine *M, const pull *p, uint64_t i, value *out)
{
    int64_t at[MAX_RANK] = {(int64_t)i};
    uint64_t rest = i;
    if (p->rank != 1)
        for (uint32_t k = p->rank; k-- > 0; rest /= p->dims[k])
            at[k] = (int64_t)(rest % p->dims[k]);
    if (p->kind != PULL_GENERATE && p->kind != PULL_MAP)
        return eval_pull_element(M, p, at, out);
    if (known_there(p, i))
        return eval_known_get(M, p->last->known, i, out);
    uint32_t nested = M->nested;
    uint64_t before = M->before, steps = M->steps;
    M->nested = 0;
    M->before = M->pulls;
    bool ok = computed(M, p, at, out) || (M->putting_off && computed_at_last(M, p, at, out));
    M->nested = nested;
    M->before = before;
    return ok && noted(M, p, i, out, steps - M->steps);
}
