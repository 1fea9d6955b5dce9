/* Registers: an array of a block or warp of which every thread uses elements of its own becomes
 * private.  The usual name is array privatisation (register tiling where the array was a tile).
 *
 * Requires: virtualised; finds most after unrolling, when the elements of a thread are at its
 * number plus constants. Every place of own.h is an element of private memory: an array with
 * constant indices, which promote.c and C compilers turn into registers. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/own.h"
#include "ir/kernel/build/rebuild.h"

/* A memory that becomes private: its places, 0: it stays; and what was found of it. */
typedef struct becoming {
    uint32_t places;
    own_range found;
} becoming;

typedef struct registering {
    rebuild r;
    k_program *p;
    k_accesses accesses;
    own_places found;
    becoming *of; /* by old memory */
    uint32_t bytes;   /* in the launch */
} registering;

/* ---- which ---- */

/* Tests a memory of a launch; what is noted of one that stays is dropped. */
static void test_memory(registering *g, k_id memory, k_id launch)
{
    const k_program *p = g->r.old;
    const k_tuning *t = &p->target.tuning;
    uint32_t kept = g->found.len, places;
    if (!k_own_places(p, &g->accesses, memory, launch, &g->found, &places))
        return;
    uint32_t bytes = places * ir_scalar_bytes((scalar)k_at(p, memory)->type);
    if (bytes <= t->register_bytes && g->bytes + bytes <= t->register_all) {
        g->of[memory] = (becoming){places, {kept, g->found.len}};
        g->bytes += bytes;
    } else {
        k_tunable_number by = bytes > t->register_bytes ? TUNE_register_bytes : TUNE_register_all;
        k_decided(g->p, by, k_at(p, memory)->loc, bytes);
        g->found.len = kept;
    }
}

static void test_memories(registering *g, k_block b, k_id launch)
{
    const k_program *p = g->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_LAUNCH)
            g->bytes = 0;
        if (n->op == K_ALLOC && n->space == SPACE_LOCAL && launch)
            test_memory(g, id, launch);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                test_memories(g, n->blocks[i], n->op == K_LAUNCH ? id : launch);
    }
}

/* ---- rewriting ---- */

static k_id place_in(registering *g, const k_node *access, uint32_t lane)
{
    const own_place *o = k_find_place(&g->found, g->of[access->args[0]].found, access->args[1], lane);
    return kb_int(&g->r.b, o ? (int32_t)o->place : 0);
}

static void rewrite_wide(registering *g, const k_node *n)
{
    k_id memory = rebuild_value(&g->r, n->args[0]);
    for (uint32_t i = 0; i < n->nresults; i++)
        g->r.map[n->results + i] = kb_load(&g->r.b, memory, place_in(g, n, i));
    for (uint32_t i = 0; n->op == K_STOREWIDE && i < n->nlist; i++)
        kb_store(&g->r.b, memory, place_in(g, n, i),
                 rebuild_value(&g->r, k_listed(g->r.old, n, i)));
}

static bool register_statement(rebuild *r, k_id old)
{
    registering *g = (registering *)r;
    const k_node n = *k_at(r->old, old);
    if (n.op == K_ALLOC && g->of[old].places) {
        r->map[old] =
            kb_alloc(&r->b, SPACE_PRIVATE, (scalar)n.type, kb_int(&r->b, (int32_t)g->of[old].places));
        return true;
    }
    if (!n.args[0] || !g->of[n.args[0]].places)
        return false;
    k_id memory = rebuild_value(r, n.args[0]);
    switch ((k_op)n.op) {
    case K_LOAD: rebuild_facts(r, old, kb_load(&r->b, memory, place_in(g, &n, 0))); return true;
    case K_STORE:
        kb_store(&r->b, memory, place_in(g, &n, 0), rebuild_value(r, n.args[2]));
        return true;
    case K_LOADWIDE:
    case K_STOREWIDE: rewrite_wide(g, &n); return true;
    default: return false;
    }
}

bool k_registers(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(becoming);
    registering g = {.r = {.statement = register_statement, .old = p},
                     .p = p,
                     .of = mem_zeroed(m, size)};
    bool ok = k_accesses_find(p, &g.accesses) && g.of;
    if (ok) {
        test_memories(&g, p->host, 0);
        ok = !m->oom && (g.found.len == 0 || k_rebuild(p, &g.r));
    }
    mem_free(m, g.of, size);
    vec_free(m, &g.found);
    k_accesses_free(p, &g.accesses);
    return ok;
}
