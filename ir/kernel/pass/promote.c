/* Promotion: a private array whose indices are all constants becomes values.  Elsewhere it is
 * scalar replacement of aggregates followed by mem2reg; no phi nodes are placed, since structured
 * statements carry and yield what they change.
 *
 * Its elements are followed through the program as state of the rebuild: a load is the value that
 * was stored last, and ifs and loops hand on what they change.  No array is left, and folding sees
 * through what was memory. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

enum { MOST_ELEMENTS = 256 };

typedef struct stored_in {
    uint64_t elements[MOST_ELEMENTS / 64];
} stored_in;

typedef struct promoting {
    rebuild r;
    uint32_t *first; /* of an old memory: 1 + its first element in the state; 0: it stays */
    uint32_t *where; /* of an old region: what it stores, in changed */
    uint32_t used;   /* in the launch: elements */
    VEC(stored_in) changed;
    bool failed;
} promoting;

/* ---- which arrays ---- */

static bool constant_access(const k_program *p, const k_node *n, int64_t size)
{
    int64_t i;
    uint32_t lanes = n->op == K_LOADWIDE ? n->nresults : n->op == K_STOREWIDE ? n->nlist : 1;
    return n->op != K_ATOMIC && k_is_const(p, n->args[1], &i) && i >= 0 && i + lanes <= size;
}

/* Whether all accesses in a block are at constants, and those in conditions of whiles (which a
 * while does not hand on) do not store, unless the array is made there. */
static bool is_constant_in(const k_program *p, k_block b, k_id memory, int64_t size, bool condition)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        k_class class = k_op_info(n->op)->class;
        bool access =
            n->args[0] == memory && (class == KC_READ || class == KC_EFFECT) && n->op != K_SHUFFLE;
        if (id == memory)
            condition = false;
        if (access && (!constant_access(p, n, size) || (class == KC_EFFECT && condition)))
            return false;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i] && !is_constant_in(p, n->blocks[i], memory, size,
                                                condition || (n->op == K_WHILE && i == 0)))
                return false;
    }
    return true;
}

static uint32_t accesses(const k_program *p, k_block b, k_id memory)
{
    uint32_t count = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        count += n->args[0] == memory;
        for (int i = 0; i < 2; i++)
            count += n->blocks[i] ? accesses(p, n->blocks[i], memory) : 0;
    }
    return count;
}

/* An array made in a branch may be read behind it, in a branch with the same condition; values do
 * not come along. */
static bool stays_in(const k_program *p, k_block b, k_id memory, k_block launch)
{
    return accesses(p, b, memory) == accesses(p, launch, memory);
}

static bool has_room(const promoting *g, int64_t size)
{
    return size > 0 && g->used + size <= g->r.old->target.tuning.promote_elements;
}

static void test_block(promoting *g, k_block b, k_id launch)
{
    const k_program *p = g->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        int64_t size;
        k_block whole = launch ? k_at(p, launch)->blocks[0] : 0;
        bool array = n->op == K_ALLOC && n->space == SPACE_PRIVATE && launch &&
                     k_is_const(p, n->args[0], &size);
        if (array && has_room(g, size) && is_constant_in(p, whole, id, size, false) &&
            stays_in(p, b, id, whole)) {
            g->first[id] = 1 + g->used;
            g->used += (uint32_t)size;
            g->r.nstate = g->used > g->r.nstate ? g->used : g->r.nstate;
        }
        if (n->op == K_LAUNCH)
            g->used = 0;
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                test_block(g, n->blocks[i], n->op == K_LAUNCH ? id : launch);
    }
}

/* ---- what regions change ---- */

static void note_store(promoting *g, const k_node *n, stored_in *in)
{
    int64_t i = 0;
    uint32_t lanes = n->op == K_STOREWIDE ? n->nlist : 1;
    k_is_const(g->r.old, n->args[1], &i);
    for (uint32_t at = g->first[n->args[0]] - 1 + (uint32_t)i, k = 0; k < lanes; k++)
        in->elements[(at + k) / 64] |= (uint64_t)1 << (at + k) % 64;
}

/* Elements of arrays that are made in the region do not leave it. */
static void forget(const promoting *g, k_id memory, stored_in *in)
{
    int64_t size = 0;
    k_is_const(g->r.old, k_at(g->r.old, memory)->args[0], &size);
    for (uint32_t at = g->first[memory] - 1, k = 0; k < size; k++)
        in->elements[(at + k) / 64] &= ~((uint64_t)1 << (at + k) % 64);
}

/* What the blocks of a region store; kept for every region inside.  Adds to what the region around
 * it stores. */
static void note_region(promoting *g, k_id region, stored_in *around)
{
    const k_program *p = g->r.old;
    stored_in in = {0};
    for (int i = 0; i < 2; i++) {
        k_block b = k_at(p, region)->blocks[i];
        for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
            const k_node *n = k_at(p, id);
            if ((n->op == K_STORE || n->op == K_STOREWIDE) && g->first[n->args[0]])
                note_store(g, n, &in);
            if (n->blocks[0])
                note_region(g, id, &in);
        }
    }
    for (int i = 0; i < 2; i++) {
        k_block b = k_at(p, region)->blocks[i];
        for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next)
            if (k_at(p, id)->op == K_ALLOC && g->first[id])
                forget(g, id, &in);
    }
    g->where[region] = g->changed.len;
    g->failed = !vec_push(&p->cx->mem, &g->changed, in) || g->failed;
    for (uint32_t i = 0; i < MOST_ELEMENTS / 64; i++)
        around->elements[i] |= in.elements[i];
}

static bool changes(rebuild *r, k_id region, uint32_t i)
{
    promoting *g = (promoting *)r;
    return g->changed.at[g->where[region]].elements[i / 64] >> i % 64 & 1;
}

static bool note_regions(promoting *g)
{
    const k_program *p = g->r.old;
    stored_in all = {0};
    for (k_id id = k_block_at(p, p->host)->first; id; id = k_at(p, id)->next)
        if (k_at(p, id)->blocks[0])
            note_region(g, id, &all);
    return !g->failed;
}

/* ---- rewriting ---- */

static k_id *element(promoting *g, const k_node *n, uint32_t lane)
{
    int64_t i = 0;
    k_is_const(g->r.old, n->args[1], &i);
    return &g->r.state[g->first[n->args[0]] - 1 + (uint32_t)i + lane];
}

/* What is read before it is written is zero. */
static void begin(promoting *g, k_id memory, const k_node *n)
{
    int64_t size = 0;
    k_is_const(g->r.old, n->args[0], &size);
    for (uint32_t i = 0; i < size; i++)
        g->r.state[g->first[memory] - 1 + i] = kb_const(&g->r.b, (scalar)n->type, 0);
}

static bool promote_statement(rebuild *r, k_id old)
{
    promoting *g = (promoting *)r;
    const k_node n = *k_at(r->old, old);
    if (n.op == K_ALLOC && g->first[old]) {
        begin(g, old, &n);
        return true;
    }
    if (!n.args[0] || !g->first[n.args[0]])
        return false;
    switch ((k_op)n.op) {
    case K_LOAD: r->map[old] = *element(g, &n, 0); return true;
    case K_STORE: *element(g, &n, 0) = rebuild_value(r, n.args[2]); return true;
    case K_LOADWIDE:
        for (uint32_t i = 0; i < n.nresults; i++)
            r->map[n.results + i] = *element(g, &n, i);
        return true;
    case K_STOREWIDE:
        for (uint32_t i = 0; i < n.nlist; i++)
            *element(g, &n, i) = rebuild_value(r, k_listed(r->old, &n, i));
        return true;
    default: return false;
    }
}

bool k_promote(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(uint32_t);
    k_id state[MOST_ELEMENTS] = {0};
    promoting g = {
        .r = {.statement = promote_statement, .old = p, .state = state, .changes = changes}};
    g.first = mem_resize(m, NULL, 0, size);
    g.where = mem_resize(m, NULL, 0, size);
    bool ok = g.first && g.where;
    if (ok) {
        memset(g.first, 0, size);
        memset(g.where, 0, size);
        test_block(&g, p->host, 0);
        ok = g.r.nstate == 0 || (note_regions(&g) && k_rebuild(p, &g.r));
    }
    mem_free(m, g.first, size);
    mem_free(m, g.where, size);
    vec_free(m, &g.changed);
    return ok;
}
