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

/* A memory under test. */
typedef struct candidate {
    const k_program *p;
    k_id memory;
    int64_t size, threads;
    VEC(int32_t *) places; /* the element at each, for each thread */
    uint16_t *owner;       /* of each element: 1 + thread; 0: nobody yet */
    arena a;
    own_places *found;
    bool own;
} candidate;

const own_place *k_find_place(const own_places *found, k_id memory, k_id index, uint32_t lane)
{
    for (uint32_t i = found->len; i-- > 0;) {
        const own_place *o = &found->at[i];
        if (o->memory == memory && o->index == index && o->lane == lane)
            return o;
    }
    return NULL;
}

/* ---- indices for every thread ---- */

/* The value for one thread; false when it depends on anything else. */
static bool evaluate(const k_program *p, k_id v, int64_t thread, uint32_t depth, int64_t *out)
{
    const k_node *n = k_at(p, v);
    uint64_t x[3] = {0};
    int64_t y;
    if (k_is_const(p, v, out))
        return true;
    *out = thread;
    if (n->op == K_BUILTIN)
        return n->coordinate == AT_THREAD;
    if (n->op != K_SCALAR || !k_type_is_int((scalar)n->type) || depth == 0)
        return false;
    for (uint32_t i = 0; i < ir_op_info(n->opcode)->min_args; i++) {
        if (!evaluate(p, n->args[i], thread, depth - 1, &y))
            return false;
        x[i] = (uint64_t)y;
    }
    scalar t = (scalar)k_at(p, n->args[n->opcode == SOP_SELECT ? 1 : 0])->type;
    *out = (int64_t)scalar_eval((opcode)n->opcode, t, x);
    return true;
}

/* The element that each thread accesses, NULL when an index depends on anything but the thread.
 * Kept in the arena for the comparison with later accesses. */
static int32_t *indices(candidate *c, k_id index, uint32_t lane)
{
    int32_t *at = ARENA_ARRAY(&c->a, int32_t, (size_t)c->threads);
    for (int64_t t = 0; at && t < c->threads; t++) {
        int64_t i;
        if (!evaluate(c->p, index, t, MOST_DEPTH, &i))
            return NULL;
        at[t] = (int32_t)(i + lane);
    }
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
        if (k_find_place(c->found, c->memory, index, i))
            continue;
        own_place o = {
            .memory = c->memory, .index = index, .lane = i, .place = place_of(c, index, i)};
        c->own = o.place < MOST_PLACES && vec_push(&c->p->cx->mem, c->found, o);
    }
}

/* Atomic steps are there for elements that threads share. */
static void note_accesses(candidate *c, k_block b)
{
    const k_program *p = c->p;
    for (k_id id = k_block_at(p, b)->first; id && c->own; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->args[0] == c->memory) {
            bool plain = n->op == K_LOAD || n->op == K_STORE;
            if (n->op == K_ATOMIC)
                c->own = false;
            else if (plain || n->op == K_LOADWIDE || n->op == K_STOREWIDE)
                note_access(c, n->args[1], plain ? 1 : n->nresults + n->nlist);
        }
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                note_accesses(c, n->blocks[i]);
    }
}

/* Time is that of evaluating each index for each thread; the limits above keep it small. */
bool k_own_places(const k_program *p, k_id memory, k_id launch, own_places *found, uint32_t *places)
{
    mem *m = &p->cx->mem;
    candidate c = {.p = p, .memory = memory, .found = found, .own = true};
    uint32_t kept = found->len;
    bool known = k_is_const(p, k_at(p, memory)->args[0], &c.size) &&
                 k_is_const(p, k_at(p, launch)->args[1], &c.threads);
    if (!known || c.size < 1 || c.threads > MOST_THREADS || c.size > c.threads * MOST_PLACES)
        return false;
    size_t size = (size_t)c.size * sizeof *c.owner;
    arena_init(&c.a, m);
    c.owner = mem_resize(m, NULL, 0, size);
    c.own = c.owner != NULL;
    if (c.own) {
        memset(c.owner, 0, size);
        note_accesses(&c, k_at(p, launch)->blocks[0]);
    }
    if (!c.own)
        found->len = kept;
    *places = c.places.len;
    mem_free(m, c.owner, size);
    vec_free(m, &c.places);
    arena_free(&c.a);
    return c.own;
}

/* ---- strides ---- */

/* Whether the index is the thread's number modulo the number of threads, as that of loops over a
 * thread's share is. */
static bool is_in_share(const k_program *p, k_id index, int64_t threads)
{
    const k_node *n = k_at(p, index), *loop = k_at(p, n->owner);
    int64_t step, at;
    if (n->op == K_PARAM)
        return loop->op == K_FOR && n->number == 0 && k_is_const(p, loop->args[2], &step) &&
               step % threads == 0 && is_in_share(p, loop->args[0], threads);
    for (int64_t t = 0; t < threads; t++)
        if (!evaluate(p, index, t, MOST_DEPTH, &at) || at % threads != t)
            return false;
    return true;
}

/* Wide accesses cross the share's borders, so none may be there. */
static bool stays_in_share(const k_program *p, k_block b, k_id memory, int64_t threads)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool plain = n->op == K_LOAD || n->op == K_STORE,
             other = n->op == K_LOADWIDE || n->op == K_STOREWIDE || n->op == K_ATOMIC;
        if (n->args[0] == memory && (other || (plain && !is_in_share(p, n->args[1], threads))))
            return false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !stays_in_share(p, n->blocks[i], memory, threads))
                return false;
    }
    return true;
}

/* By evaluation, else by the form of the loops over a thread's share. */
bool k_is_own(const k_program *p, k_id memory, k_id launch)
{
    own_places found = {0};
    uint32_t places;
    int64_t threads;
    bool own = k_own_places(p, memory, launch, &found, &places);
    vec_free(&p->cx->mem, &found);
    return own || (k_is_const(p, k_at(p, launch)->args[1], &threads) && threads > 0 &&
                   stays_in_share(p, k_at(p, launch)->blocks[0], memory, threads));
}
