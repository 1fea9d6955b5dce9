/* Merging: accesses of one block to neighbouring elements become one wide access, and loads of the
 * same element one load.  Vectorisers call it SLP (superword-level parallelism) for memory
 * accesses, with load forwarding for equal ones; GPU compilers load/store vectorisation.
 *
 * Loads move up to the first of them, stores down to the last, so nothing in between may write, or
 * read, the memory. Each access has an epoch, which changes where accesses of its kind may not
 * pass; those of one memory and epoch whose indices differ by constants are sorted, and cut into
 * aligned windows.  A wide load that is there already says how its index is aligned, and lends its
 * elements. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/neighbour.h"
#include "ir/kernel/build/rebuild.h"

#include <stdlib.h>
#include <string.h>

typedef struct access {
    k_id stmt, memory;
    uint32_t epoch, order; /* order: place in the block */
    uint32_t lanes;        /* elements that it reads */
    bool store;
    linear at;
} access;

/* What accesses are merged into. */
typedef struct group {
    k_id anchor; /* the statement in whose place it stands */
    k_id memory;
    uint32_t lanes, back;   /* back: elements before the anchor's */
    k_id lowest;            /* an index of the first element (old) */
    k_id values[MAX_LANES]; /* of a store (old) */
    k_id made;              /* of a load: the new statement, or value */
} group;

/* About an old node. */
typedef struct merge_note {
    uint32_t group, lane;   /* of an access: its place among the group's elements; group 0: none */
    uint32_t loads, stores; /* of a memory: epochs */
    uint32_t last; /* of a memory: number of the last store to it; numbers go through all blocks,
                      from 1 */
} merge_note;

typedef struct merging {
    rebuild r;
    merge_note *notes;
    VEC(group) groups;
    VEC(access) found; /* in the block at hand */
    uint32_t before;   /* number of accesses in blocks before */
    uint32_t load_fence, store_fence;
    uint8_t *touched; /* by block: 1 + touch, once known */
    bool ok;
} merging;

/* ---- what a block accesses, in order ---- */

static bool is_shared(const k_node *memory)
{
    return k_is_global(memory) || memory->space == SPACE_LOCAL;
}

/* Loads of a memory are cut off from one another by a store to it, and stores by a load. */
static void forget_loads(merging *s, k_id memory)
{
    s->notes[memory].loads++;
}

static void forget_stores(merging *s, k_id memory)
{
    s->notes[memory].stores++;
}

/* Whether a store may pass the last one to its memory: when that one's index differs by a constant.
 */
static bool passes_last(const merging *s, const merge_note *memory, const linear *at)
{
    return memory->last <= s->before ||
           k_compare_terms(&s->found.at[memory->last - s->before - 1].at, at) == 0;
}

/* No element is so far from the others that sums of such numbers would overflow. */
static bool is_far(const linear *at)
{
    return at->c > MAX_ELEMENTS || at->c < -MAX_ELEMENTS;
}

static void add_access(merging *s, k_id id, bool store)
{
    const k_node *n = k_at(s->r.old, id);
    merge_note *memory = &s->notes[n->args[0]];
    access a = {.stmt = id,
                .memory = n->args[0],
                .order = s->found.len,
                .store = store,
                .at = k_index_form(s->r.old, n->args[1])};
    a.lanes = n->op == K_LOADWIDE ? n->nresults : 1;
    if (store && (is_far(&a.at) || !passes_last(s, memory, &a.at)))
        forget_stores(s, n->args[0]);
    if (is_far(&a.at))
        return;
    a.epoch = store ? memory->stores + s->store_fence : memory->loads + s->load_fence;
    s->ok = vec_push(&s->r.old->cx->mem, &s->found, a) && s->ok;
    if (store)
        memory->last = s->before + s->found.len;
}

typedef enum { NOTHING, READS, WRITES } touch;

/* What a block and those inside it do to memory.  Checks report, which no program reads. */
static touch touches(merging *s, k_block b)
{
    const k_program *p = s->r.old;
    touch most = NOTHING;
    if (s->touched[b])
        return (touch)(s->touched[b] - 1);
    for (k_id id = k_block_at(p, b)->first; id && most != WRITES; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        touch here = n->op == K_CHECK     ? NOTHING
                     : class == KC_EFFECT ? WRITES
                     : class == KC_READ   ? READS
                                          : NOTHING;
        for (int i = 0; i < 2; i++) {
            touch inner = n->blocks[i] ? touches(s, n->blocks[i]) : NOTHING;
            here = inner > here ? inner : here;
        }
        most = here > most ? here : most;
    }
    s->touched[b] = (uint8_t)(1 + most);
    return most;
}

static void fence(merging *s, touch what)
{
    s->store_fence += what != NOTHING;
    s->load_fence += what == WRITES;
}

static void find_access(merging *s, k_id id)
{
    const k_node *n = k_at(s->r.old, id);
    bool shared = is_shared(k_at(s->r.old, n->args[0]));
    switch (n->op) {
    case K_LOAD:
    case K_LOADWIDE:
        forget_stores(s, n->args[0]);
        if (shared)
            add_access(s, id, false);
        break;
    case K_STORE:
    case K_STOREWIDE:
        forget_loads(s, n->args[0]);
        if (shared && n->op == K_STORE)
            add_access(s, id, true);
        else
            forget_stores(s, n->args[0]);
        break;
    case K_SHUFFLE:
    case K_CHECK: break;
    default:
        if (k_op_info(n->op)->class == KC_EFFECT)
            fence(s, WRITES);
    }
}

/* ---- groups ---- */

static int by_number(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

/* Accesses that may be merged come together. */
static int by_run(const access *x, const access *y)
{
    int d = by_number(x->store, y->store);
    d = d ? d : by_number(x->memory, y->memory);
    d = d ? d : by_number(x->epoch, y->epoch);
    return d ? d : k_compare_terms(&x->at, &y->at);
}

static int by_place(const void *a, const void *b)
{
    const access *x = a, *y = b;
    int d = by_run(x, y);
    if (!d && x->at.c != y->at.c)
        d = x->at.c < y->at.c ? -1 : 1;
    return d ? d : by_number(x->order, y->order);
}

/* A run: accesses that differ by constants, in order; the index of each is c modulo `window` after
 * adding `phase`. */
typedef struct stretch {
    access *at;
    uint32_t n;
    int64_t window, phase;
} stretch;

static int64_t offset_of(const stretch *r, uint32_t i)
{
    return r->at[i].at.c + r->phase;
}

static void align_run(const merging *s, stretch *r)
{
    const k_program *p = s->r.old;
    uint32_t zeros = 4, bytes = ir_scalar_bytes((scalar)k_at(p, r->at->memory)->type);
    for (uint32_t i = 0; i < r->at->at.n; i++) {
        uint32_t z = k_term_zeros(p, &r->at->at, i);
        zeros = z < zeros ? z : zeros;
    }
    r->window = (int64_t)1 << zeros;
    r->phase = 0;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i].lanes > r->window) {
            r->window = r->at[i].lanes;
            r->phase = -r->at[i].at.c & (r->window - 1);
        }
    while (r->window > 1 && r->window * bytes > k_widest_access(p))
        r->window /= 2;
}

/* The elements of accesses from..to-1 that lie in [base, base + lanes), as one access in the place
 * of the first, or the last. */
static void add_group(merging *s, const stretch *r, uint32_t from, uint32_t to, int64_t base,
                      uint32_t lanes)
{
    group g = {.memory = r->at->memory, .lanes = lanes};
    const access *anchor = NULL;
    uint32_t number = s->groups.len;
    for (uint32_t i = from; i < to; i++) {
        const access *a = &r->at[i];
        int64_t lane = offset_of(r, i) - base;
        if (lane < 0 || lane + a->lanes > lanes)
            continue;
        if (!anchor || (a->order < anchor->order) != a->store)
            anchor = a;
        s->notes[a->stmt].group = number;
        s->notes[a->stmt].lane = (uint32_t)lane;
        g.values[lane] =
            k_at(s->r.old, a->stmt)->args[2]; /* of two stores the later one comes last here */
        g.lowest = lane == 0 ? k_at(s->r.old, a->stmt)->args[1] : g.lowest;
    }
    g.anchor = anchor->stmt;
    g.back = s->notes[anchor->stmt].lane;
    s->ok = vec_push(&s->r.old->cx->mem, &s->groups, g) && s->ok;
}

/* Accesses from..to-1 lie in the window [base, base + size): one access if they fill it, else each
 * half for itself. */
static void cut_window(merging *s, const stretch *r, uint32_t from, uint32_t to, int64_t base,
                       int64_t size)
{
    uint32_t covered = 0, alone = to - from;
    for (uint32_t i = from; i < to; i++)
        if (offset_of(r, i) + r->at[i].lanes <= base + size)
            covered |= ((1u << r->at[i].lanes) - 1) << (offset_of(r, i) - base);
    if (alone < 2)
        return;
    if (covered == (uint32_t)((1ull << size) - 1)) {
        add_group(s, r, from, to, base, (uint32_t)size);
        return;
    }
    uint32_t middle = from;
    while (middle < to && offset_of(r, middle) < base + size / 2)
        middle++;
    cut_window(s, r, from, middle, base, size / 2);
    cut_window(s, r, middle, to, base + size / 2, size / 2);
}

static void merge_run(merging *s, stretch *r)
{
    align_run(s, r);
    for (uint32_t from = 0, to; from < r->n; from = to) {
        int64_t base = offset_of(r, from) & -r->window;
        for (to = from; to < r->n && offset_of(r, to) < base + r->window;)
            to++;
        cut_window(s, r, from, to, base, r->window);
    }
}

static void merge_found(merging *s)
{
    access *all = s->found.at;
    if (!s->ok || s->found.len < 2)
        return;
    qsort(all, s->found.len, sizeof *all, by_place);
    for (uint32_t from = 0, to; from < s->found.len; from = to) {
        for (to = from + 1; to < s->found.len && by_run(&all[from], &all[to]) == 0;)
            to++;
        merge_run(s, &(stretch){.at = all + from, .n = to - from});
    }
}

/* The blocks of kernels, each for itself. */
static void group_block(merging *s, k_block b, bool kernel)
{
    const k_program *p = s->r.old;
    s->before += s->found.len;
    s->found.len = 0;
    fence(s, WRITES);
    for (k_id id = k_block_at(p, b)->first; id && s->ok && kernel; id = k_at(p, id)->next) {
        find_access(s, id);
        for (int i = 0; i < 2; i++)
            if (k_at(p, id)->blocks[i])
                fence(s, touches(s, k_at(p, id)->blocks[i]));
    }
    merge_found(s);
    for (k_id id = k_block_at(p, b)->first; id && s->ok; id = k_at(p, id)->next)
        for (int i = 0; i < 2; i++)
            if (k_at(p, id)->blocks[i])
                group_block(s, k_at(p, id)->blocks[i], kernel || k_at(p, id)->op == K_LAUNCH);
}

/* ---- rebuilding ---- */

static k_id index_of(merging *s, const group *g)
{
    k_builder *b = &s->r.b;
    k_id lowest = rebuild_value(&s->r, g->lowest),
         here = rebuild_value(&s->r, k_at(s->r.old, g->anchor)->args[1]);
    return lowest ? lowest : kb_sub(b, here, kb_int(b, (int32_t)g->back)); /* computed only later */
}

static void make_access(merging *s, group *g)
{
    k_builder *b = &s->r.b;
    k_id memory = rebuild_value(&s->r, g->memory), at = index_of(s, g), values[MAX_LANES];
    bool store = k_at(s->r.old, g->anchor)->op == K_STORE;
    for (uint32_t i = 0; i < g->lanes; i++)
        values[i] = rebuild_value(&s->r, g->values[i]);
    if (store && g->lanes > 1)
        kb_store_wide(b, memory, at, values, g->lanes);
    else if (store)
        kb_store(b, memory, at, values[0]);
    else
        g->made = g->lanes > 1 ? kb_load_wide(b, memory, at, g->lanes) : kb_load(b, memory, at);
}

static void use_load(merging *s, k_id old, const group *g)
{
    const k_node *n = k_at(s->r.old, old);
    uint32_t lane = s->notes[old].lane;
    if (g->lanes == 1) {
        rebuild_facts(&s->r, old, g->made);
        return;
    }
    for (uint32_t i = 0; i < n->nresults; i++)
        rebuild_facts(&s->r, n->results + i, kb_result(&s->r.b, g->made, lane + i));
    if (n->op == K_LOAD)
        rebuild_facts(&s->r, old, kb_result(&s->r.b, g->made, lane));
}

static bool merge_statement(rebuild *r, k_id old)
{
    merging *s = (merging *)r;
    uint32_t number = s->notes[old].group;
    if (!number)
        return false;
    group *g = &s->groups.at[number];
    if (g->anchor == old)
        make_access(s, g);
    if (k_at(r->old, old)->op != K_STORE)
        use_load(s, old, g);
    return true;
}

bool k_merge(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(merge_note), blocks = p->blocks.len;
    merging s = {.r = {.old = p, .statement = merge_statement},
                 .notes = mem_resize(m, NULL, 0, size),
                 .touched = mem_zeroed(m, blocks)};
    s.ok = s.notes && s.touched && vec_push(m, &s.groups, (group){0});
    if (s.ok) {
        memset(s.notes, 0, size);
        group_block(&s, p->host, false);
    }
    bool any = s.groups.len > 1;
    bool ok = s.ok && (!any || k_rebuild(p, &s.r));
    mem_free(m, s.notes, size);
    mem_free(m, s.touched, blocks);
    vec_free(m, &s.groups);
    vec_free(m, &s.found);
    return ok;
}
