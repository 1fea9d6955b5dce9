/* Elements that belong to one thread: see own.h.  It is a data sharing (thread escape) analysis by
 * evaluation instead of by proof.
 *
 * The indices of all accesses to a memory are evaluated for every thread.  It shows whether two
 * threads meet in an element, whatever the indices look like. */
#include "ir/kernel/analysis/own.h"

#include "ir/kernel/build/build.h"
#include "ir/scalar/scalar.h"

#include <string.h>

enum { MOST_THREADS = 1024, MOST_DEPTH = 12 };

/* A node's values for every thread; NULL: none is here. */
typedef struct node_values {
    k_id of;
    int64_t *at;
} node_values;

/* Values for every thread, each node's once: indices have much in common.  A table of those that were asked for, as questions are
 * many, and about few nodes of a program. */
typedef struct thread_values {
    const k_program *p;
    int64_t threads;
    node_values *table;
    uint32_t n, size; /* size: a power of two */
    arena a;
} thread_values;

/* A memory under test. */
typedef struct candidate {
    const k_program *p;
    uint32_t start;        /* of what is found of it */
    int64_t size, threads; /* size: a bound */
    VEC(int32_t *) places; /* the element at each, for each thread */
    uint16_t *owner;       /* of each element: 1 + thread; 0: nobody yet */
    thread_values values;
    own_places *found;
    bool own;
} candidate;

const own_place *k_find_place(const own_places *found, own_range in, k_id index, uint32_t lane)
{
    for (uint32_t i = in.end; i-- > in.start;) {
        const own_place *o = &found->at[i];
        if (o->index == index && o->lane == lane)
            return o;
    }
    return NULL;
}

/* ---- indices for every thread ---- */

static bool values_init(thread_values *w, const k_program *p, int64_t threads)
{
    enum { FEW = 64 };
    mem *m = &p->cx->mem;
    *w = (thread_values){.p = p, .threads = threads, .size = FEW};
    w->table = mem_zeroed(m, FEW * sizeof *w->table);
    arena_init(&w->a, m);
    return w->table != NULL;
}

static void values_free(thread_values *w)
{
    mem_free(&w->p->cx->mem, w->table, w->size * sizeof *w->table);
    arena_free(&w->a);
}

/* Where a node's values are, or belong. */
static node_values *slot_of(const thread_values *w, k_id v)
{
    uint32_t i = v * 0x9E3779B1u & (w->size - 1);
    while (w->table[i].at && w->table[i].of != v)
        i = (i + 1) & (w->size - 1);
    return &w->table[i];
}

/* Half of the table stays empty. */
static bool has_room(thread_values *w)
{
    mem *m = &w->p->cx->mem;
    thread_values larger = {.size = 2 * w->size};
    if (w->n < w->size / 2)
        return true;
    if (!(larger.table = mem_zeroed(m, larger.size * sizeof *larger.table)))
        return false;
    for (uint32_t i = 0; i < w->size; i++)
        if (w->table[i].at)
            *slot_of(&larger, w->table[i].of) = w->table[i];
    mem_free(m, w->table, w->size * sizeof *w->table);
    w->table = larger.table;
    w->size = larger.size;
    return true;
}

static bool is_integer(const k_node *n)
{
    return n->op == K_SCALAR && k_type_is_int((scalar)n->type);
}

/* Whether a value depends on the thread's number alone. */
static bool is_of_thread(const k_program *p, k_id v, uint32_t depth)
{
    const k_node *n = k_at(p, v);
    int64_t constant;
    if (k_is_const(p, v, &constant) || n->op == K_BUILTIN)
        return n->op != K_BUILTIN || n->coordinate == AT_THREAD;
    bool known = is_integer(n) && depth > 0;
    for (uint32_t i = 0; known && i < ir_op_info(n->opcode)->min_args; i++)
        known = is_of_thread(p, n->args[i], depth - 1);
    return known;
}

static const int64_t *values_of(thread_values *w, k_id v);

/* Applies the operator for every thread; x: its operands. */
static void evaluate(const thread_values *w, const k_node *n, const int64_t *const x[3],
                     int64_t *out)
{
    scalar t = (scalar)k_at(w->p, n->args[n->opcode == SOP_SELECT ? 1 : 0])->type;
    for (int64_t k = 0; k < w->threads; k++) {
        uint64_t y[3];
        for (uint32_t i = 0; i < 3; i++)
            y[i] = x[i] ? (uint64_t)x[i][k] : 0;
        out[k] = (int64_t)scalar_eval((opcode)n->opcode, t, y);
    }
}

/* The values of a node that depends on the thread alone, made at the first question; false when
 * memory is short. */
static bool make_values(thread_values *w, k_id v, int64_t *out)
{
    const k_node *n = k_at(w->p, v);
    const int64_t *x[3] = {0};
    int64_t constant;
    bool fixed = k_is_const(w->p, v, &constant);
    if (fixed || n->op == K_BUILTIN) {
        for (int64_t k = 0; k < w->threads; k++)
            out[k] = fixed ? constant : k;
        return true;
    }
    for (uint32_t i = 0; i < ir_op_info(n->opcode)->min_args; i++)
        if (!(x[i] = values_of(w, n->args[i])))
            return false;
    evaluate(w, n, x, out);
    return true;
}

static const int64_t *values_of(thread_values *w, k_id v)
{
    const int64_t *there = slot_of(w, v)->at;
    if (there)
        return there;
    int64_t *out = ARENA_ARRAY(&w->a, int64_t, (size_t)w->threads);
    if (!out || !make_values(w, v, out) || !has_room(w))
        return NULL;
    *slot_of(w, v) = (node_values){v, out};
    w->n++;
    return out;
}

/* The values of an index for every thread; NULL when it depends on anything else. */
static const int64_t *index_values(thread_values *w, k_id index)
{
    return is_of_thread(w->p, index, MOST_DEPTH) ? values_of(w, index) : NULL;
}

/* The element that each thread accesses, NULL when an index depends on anything but the thread.
 * Kept in the arena for the comparison with later accesses. */
static int32_t *indices(candidate *c, k_id index, uint32_t lane)
{
    const int64_t *values = index_values(&c->values, index);
    int32_t *at = values ? ARENA_ARRAY(&c->values.a, int32_t, (size_t)c->threads) : NULL;
    for (int64_t t = 0; at && t < c->threads; t++)
        at[t] = (int32_t)(values[t] + lane);
    return at;
}

/* ---- accesses ---- */

/* Every element gets one owner; threads that a guard keeps away have an index outside. */
static bool claim(candidate *c, const int32_t *at)
{
    for (int64_t t = 0; t < c->threads; t++) {
        if (at[t] < 0 || at[t] >= c->size) /* the thread does not get there */
            continue;
        if (c->owner[at[t]])
            return false;
        c->owner[at[t]] = (uint16_t)(t + 1);
    }
    return true;
}

/* The place of an access; MOST_PLACES when there is none. */
static uint32_t place_of(candidate *c, k_id index, uint32_t lane)
{
    int32_t *at = indices(c, index, lane);
    for (uint32_t i = 0; at && i < c->places.len; i++)
        if (memcmp(c->places.at[i], at, (size_t)c->threads * sizeof *at) == 0)
            return i;
    bool ok = at && c->places.len < MOST_PLACES && claim(c, at) &&
              vec_push(&c->p->cx->mem, &c->places, at);
    return ok ? c->places.len - 1 : MOST_PLACES;
}

/* An index that was met before, as of a load and a store of one element, needs no second look. */
static void note_access(candidate *c, k_id index, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes && c->own; i++) {
        if (k_find_place(c->found, (own_range){c->start, c->found->len}, index, i))
            continue;
        own_place o = {.index = index, .lane = i, .place = place_of(c, index, i)};
        c->own = o.place < MOST_PLACES && vec_push(&c->p->cx->mem, c->found, o);
    }
}

/* Atomic steps are there for elements that threads share. */
static void note_accesses(candidate *c, const k_accesses *all, k_id memory)
{
    for (k_id id = all->first[memory]; id && c->own; id = all->next[id]) {
        const k_node *n = k_at(c->p, id);
        bool plain = n->op == K_LOAD || n->op == K_STORE;
        if (n->op == K_ATOMIC)
            c->own = false;
        else if (plain || n->op == K_LOADWIDE || n->op == K_STOREWIDE)
            note_access(c, n->args[1], plain ? 1 : n->nresults + n->nlist);
    }
}

/* Time is that of evaluating each index for each thread; the limits above keep it small. */
bool k_own_places(const k_program *p, const k_accesses *all, k_id memory, k_id launch, own_places *found, uint32_t *places)
{
    mem *m = &p->cx->mem;
    candidate c = {.p = p, .start = found->len, .found = found, .own = true};
    bool known = k_is_const(p, k_at(p, launch)->args[1], &c.threads);
    c.size = k_hi(p, k_at(p, memory)->args[0]);
    if (!known || c.size < 1 || c.threads > MOST_THREADS || c.size > c.threads * MOST_PLACES)
        return false;
    size_t size = (size_t)c.size * sizeof *c.owner;
    c.owner = mem_zeroed(m, size);
    c.own = values_init(&c.values, p, c.threads) && c.owner;
    if (c.own)
        note_accesses(&c, all, memory);
    if (!c.own)
        found->len = c.start;
    *places = c.places.len;
    mem_free(m, c.owner, size);
    vec_free(m, &c.places);
    values_free(&c.values);
    return c.own;
}

/* ---- strides ---- */

/* Whether the index is the thread's number modulo the number of threads, as that of loops over a
 * thread's share is. */
static bool is_in_share(thread_values *w, k_id index)
{
    const k_node *n = k_at(w->p, index), *loop = k_at(w->p, n->owner);
    int64_t step;
    if (n->op == K_PARAM)
        return loop->op == K_FOR && n->number == 0 && k_is_const(w->p, loop->args[2], &step) &&
               step % w->threads == 0 && is_in_share(w, loop->args[0]);
    const int64_t *at = index_values(w, index);
    for (int64_t t = 0; at && t < w->threads; t++)
        if (at[t] % w->threads != t)
            return false;
    return at != NULL;
}

/* Wide accesses cross the share's borders, so none may be there. */
static bool stays_in_share(thread_values *w, const k_accesses *all, k_id memory)
{
    for (k_id id = all->first[memory]; id; id = all->next[id]) {
        const k_node *n = k_at(w->p, id);
        bool plain = n->op == K_LOAD || n->op == K_STORE,
             other = n->op == K_LOADWIDE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
        if (other || (plain && !is_in_share(w, n->args[1])))
            return false;
    }
    return true;
}

static bool is_shared_out(const k_program *p, const k_accesses *all, k_id memory, k_id launch)
{
    thread_values w;
    int64_t threads;
    if (!k_is_const(p, k_at(p, launch)->args[1], &threads) || threads <= 0)
        return false;
    bool own = values_init(&w, p, threads) && stays_in_share(&w, all, memory);
    values_free(&w);
    return own;
}

/* By evaluation, else by the form of the loops over a thread's share. */
bool k_is_own(const k_program *p, const k_accesses *all, k_id memory, k_id launch)
{
    own_places found = {0};
    uint32_t places;
    bool own = k_own_places(p, all, memory, launch, &found, &places);
    vec_free(&p->cx->mem, &found);
    return own || is_shared_out(p, all, memory, launch);
}
