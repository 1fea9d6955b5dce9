/* Conversions of what lies in local memory, done once: a local array whose elements are all
 * converted to one type wherever they are loaded holds them converted, if they are loaded more
 * often than stored.  It is the hoisting of a conversion from the uses of an array to its
 * definitions.
 *
 *   store a, i, x; ... for { y = convert load a, j : f32 }
 *   store a, i, convert x : f32; ... for { y = load a, j }
 *
 * So a product of matrices of f16 that is added up in f32 converts each element of a tile once, and
 * not once for each of the results that it is a part of.  What was loaded ahead into registers is
 * converted when it goes to the tile, so that nobody waits for it before.
 *
 * That is for conversions which are instructions, of floats or between floats and integers, to what
 * is no wider than a word of a bank.  How often code runs is the product of the turns of the loops
 * around it.  A block must not take so much memory that fewer of them go side by side
 * (k_local_budget), nor more than there is; arrays that are larger than that become private ones
 * later on, and do not count. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/analysis/banks.h"
#include "ir/kernel/analysis/local.h"
#include "ir/kernel/build/rebuild.h"

enum { TURNS = 8, GAIN = 2 }; /* of a loop whose turns nobody knows; loads for each store */

/* What is found of an old node: of a value what it is converted to, of a memory its accesses. */
typedef struct converted {
    scalar to;
    uint32_t uses; /* as a number that is converted, or by loads and stores */
    bool other;    /* to several types */
    uint64_t loads, stores;
} converted;

typedef struct conversions {
    rebuild r;
    uint32_t *uses; /* by old node, all */
    converted *of;  /* by old node */
    scalar *held;   /* by old memory: what it holds from now on; 0: as before */
    bool any;
} conversions;

/* ---- finding ---- */

static bool costs(scalar from, scalar to)
{
    return (ir_scalar_is_float(from) || ir_scalar_is_float(to)) && ir_scalar_bytes(to) <= BANK_WORD;
}

static void note_type(converted *c, scalar to)
{
    c->other = c->other || (c->uses && c->to != to);
    c->to = to;
    c->uses++;
}

/* What every value is converted to. */
static void find_conversions(conversions *c)
{
    const k_program *p = c->r.old;
    for (k_id id = 1; id < p->nodes.len; id++) {
        const k_node *n = k_at(p, id);
        if (n->op == K_CONVERT && costs((scalar)k_at(p, n->args[0])->type, (scalar)n->type))
            note_type(&c->of[n->args[0]], (scalar)n->type);
    }
}

static bool is_local(const k_program *p, k_id memory)
{
    const k_node *n = k_at(p, memory);
    return n->op == K_ALLOC && n->space == SPACE_LOCAL;
}

/* A load whose every use is the same conversion. */
static bool is_converted(const conversions *c, k_id load)
{
    const converted *v = &c->of[load];
    return v->uses && v->uses == c->uses[load] && !v->other;
}

static void note_access(conversions *c, k_id id, uint64_t times)
{
    const k_node *n = k_at(c->r.old, id);
    converted *m = &c->of[n->args[0]];
    if ((n->op != K_LOAD && n->op != K_STORE) || !is_local(c->r.old, n->args[0]))
        return;
    if (n->op == K_STORE) {
        m->uses++;
        m->stores += times;
    } else if (is_converted(c, id)) {
        m->other = m->other || (m->loads && m->to != c->of[id].to);
        m->to = c->of[id].to;
        m->uses++;
        m->loads += times;
    }
}

/* As far as constants tell. */
static uint64_t turns_of(const k_program *p, const k_node *n)
{
    int64_t from = 0, to = TURNS, step = 1;
    if (n->op == K_PAR)
        return k_is_const(p, n->args[0], &to) && to > 0 ? (uint64_t)to : TURNS;
    bool known = n->op == K_FOR && k_is_const(p, n->args[0], &from) &&
                 k_is_const(p, n->args[1], &to) && k_is_const(p, n->args[2], &step) && step > 0 &&
                 to > from;
    return known ? (uint64_t)(to - from + step - 1) / (uint64_t)step : TURNS;
}

/* Loops nest at most as deep as the builder allows, and what is counted stops where it is huge. */
static uint64_t inside(const k_program *p, const k_node *n, uint64_t times)
{
    enum { HUGE_COUNT = 1 << 30 };
    uint64_t turns = k_is_loop(n) || n->op == K_PAR ? turns_of(p, n) : 1;
    return times * turns < HUGE_COUNT ? times * turns : HUGE_COUNT;
}

static void find_accesses(conversions *c, k_block b, uint64_t times)
{
    const k_program *p = c->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        note_access(c, id, times);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_accesses(c, n->blocks[i], inside(p, n, times));
    }
}

/* ---- deciding ---- */

/* Bytes of local memory in a launch, with what is converted; those alone. */
typedef struct room {
    uint64_t all, held;
    bool unknown;
} room;

/* Whether everything that knows the array loads it converted, or stores, and stores less. */
static bool is_worth_it(const conversions *c, k_id memory)
{
    const converted *m = &c->of[memory];
    return is_local(c->r.old, memory) && m->loads && !m->other && m->uses == c->uses[memory] &&
           !k_at(c->r.old, memory)->args[1] && m->loads >= GAIN * m->stores;
}

static void count_array(const conversions *c, k_id memory, room *of)
{
    const k_program *p = c->r.old;
    const k_node *n = k_at(p, memory);
    bool worth = is_worth_it(c, memory);
    uint64_t each = ir_scalar_bytes(worth ? c->of[memory].to : (scalar)n->type), bytes;
    int64_t count;
    if (!k_local_bound(p, memory, &count)) {
        of->unknown = true;
        return;
    }
    bytes = (uint64_t)count * each;
    if (bytes <= k_local_most(p) || worth)
        of->all += bytes;
    of->held += worth ? bytes : 0;
}

static void count_arrays(const conversions *c, k_block b, room *of)
{
    const k_program *p = c->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_local(p, id))
            count_array(c, id, of);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                count_arrays(c, n->blocks[i], of);
    }
}

static void hold(conversions *c, k_block b)
{
    const k_program *p = c->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_worth_it(c, id)) {
            c->held[id] = c->of[id].to;
            c->any = true;
        }
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                hold(c, n->blocks[i]);
    }
}

static void decide(conversions *c, k_block b)
{
    const k_program *p = c->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        room of = {0};
        if (n->op == K_LAUNCH) {
            count_arrays(c, n->blocks[0], &of);
            if (!of.unknown && of.held <= k_local_budget(p, id) && of.all <= k_local_most(p))
                hold(c, n->blocks[0]);
        }
        for (int i = 0; i < 2; i++)
            if (n->op != K_LAUNCH && n->blocks[i])
                decide(c, n->blocks[i]);
    }
}

/* ---- rewriting ---- */

static bool rewrite(rebuild *r, k_id old)
{
    conversions *c = (conversions *)r;
    const k_node n = *k_at(r->old, old);
    k_builder *b = &r->b;
    if (c->held[old]) {
        r->map[old] = kb_alloc(b, SPACE_LOCAL, c->held[old], rebuild_value(r, n.args[0]));
        return true;
    }
    if (n.op == K_STORE && c->held[n.args[0]]) {
        k_id x = kb_convert(b, c->held[n.args[0]], rebuild_value(r, n.args[2]));
        kb_store(b, rebuild_value(r, n.args[0]), rebuild_value(r, n.args[1]), x);
        return true;
    }
    const k_node *load = k_at(r->old, n.args[0]);
    if (n.op != K_CONVERT || load->op != K_LOAD || !c->held[load->args[0]])
        return false;
    r->map[old] = rebuild_value(r, n.args[0]); /* what was loaded is converted already */
    return true;
}

static bool run(conversions *c, k_program *p)
{
    k_count_uses(p, c->uses);
    find_conversions(c);
    find_accesses(c, p->host, 1);
    decide(c, p->host);
    return !c->any || k_rebuild(p, &c->r);
}

bool k_conversions(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len;
    conversions c = {.r.old = p, .r.statement = rewrite};
    c.uses = mem_zeroed(m, n * sizeof *c.uses);
    c.of = mem_zeroed(m, n * sizeof *c.of);
    c.held = mem_zeroed(m, n * sizeof *c.held);
    bool ok = c.uses && c.of && c.held && run(&c, p);
    mem_free(m, c.uses, n * sizeof *c.uses);
    mem_free(m, c.of, n * sizeof *c.of);
    mem_free(m, c.held, n * sizeof *c.held);
    return ok;
}
