/* Loops of the host of which a turn is little work, done by one thread of the device.
 *
 *   for i = 0, n { x = load xs, i; launch { par grid j < 1 { store h, x, ... } } }
 *   launch { for i = 0, n { x = load xs, i; store h, x, ... } }
 *
 * A fold over an array, a table that is changed turn by turn, a search for a place: what a turn
 * reads or writes are single elements, and the next one goes by them.  The host would wait for each
 * that it reads, and launch what it writes; a thread needs an access.  Memory that the host has for
 * a few elements in a turn is the thread's own.
 *
 * The usual names are persistent kernels, and device-side control flow.  Outermost loops are looked
 * at first.  What a loop gives is read where it is used. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

/* Elements of a loop over workers, or of an array that is made in a turn, counted through all that
 * are inside one another. */
enum { MOST_ELEMENTS = 64 };

typedef struct inward {
    rebuild r;
    uint32_t *uses;  /* by old node */
    bool inside;     /* of a loop that one thread takes */
    bool was_device; /* there, of what was a launch */
} inward;

/* ---- which loops ---- */

static bool is_little(const k_program *p, k_block b, uint64_t turns, bool *reaches);

static bool is_few(const k_program *p, k_id count, uint64_t turns)
{
    int64_t n = 0;
    return k_is_const(p, count, &n) && n >= 0 && (uint64_t)n * turns <= MOST_ELEMENTS;
}

/* A memory of which each turn has a new one. */
static bool is_small(const k_program *p, const k_node *n)
{
    return !n->kept && n->space != SPACE_LANES && is_few(p, n->args[0], 1);
}

static bool are_little(const k_program *p, const k_node *n, uint64_t turns, bool *reaches)
{
    return (!n->blocks[0] || is_little(p, n->blocks[0], turns, reaches)) &&
           (!n->blocks[1] || is_little(p, n->blocks[1], turns, reaches));
}

/* Whether a thread can do it; *reaches: it is one that the host would wait for, or launch. */
static bool is_done_by_thread(const k_program *p, const k_node *n, uint64_t turns, bool *reaches)
{
    int64_t count = 1;
    switch ((k_op)n->op) {
    case K_LAUNCH: *reaches = true; return are_little(p, n, turns, reaches);
    case K_LOAD: *reaches = *reaches || k_is_global(k_at(p, n->args[0])); return true;
    case K_PAR: return is_few(p, n->args[0], turns) && k_is_const(p, n->args[0], &count) &&
                       are_little(p, n, turns * (uint64_t)count, reaches);
    case K_ALLOC: return is_small(p, n);
    case K_ATOMIC: return !k_is_ordering(n);
    case K_IF:
    case K_FOR:
    case K_WHILE: return are_little(p, n, turns, reaches);
    case K_STORE:
    case K_SYNC:
    case K_CHECK:
    case K_TABLE:
    case K_BUFFER:
    case K_YIELD: return true;
    default: return k_op_info(n->op)->class == KC_VALUE;
    }
}

static bool is_little(const k_program *p, k_block b, uint64_t turns, bool *reaches)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        if (!is_done_by_thread(p, k_at(p, id), turns, reaches))
            return false;
    return true;
}

static bool goes_inward(const k_program *p, const k_node *loop)
{
    bool reaches = false;
    return k_is_loop(loop) && are_little(p, loop, 1, &reaches) && reaches;
}

/* ---- the launch ---- */

/* The loop, and what it gives in memory: element 0 of places[i]. */
static void build_loop(inward *w, k_id old, const k_id *places)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    kb_open_launch(b, LEVEL_THREAD, kb_int(b, 1), 1);
    w->inside = true;
    rebuild_statement(&w->r, old);
    w->inside = false;
    for (uint32_t i = 0; i < n.nresults; i++)
        if (places[i])
            kb_store(b, places[i], kb_int(b, 0), rebuild_value(&w->r, n.results + i));
    kb_close(b, NULL, 0);
}

static void tell(const k_program *p, const k_node *loop)
{
    diag_remark(p->cx, DIAG_TELL_INWARD, k_loc_at(p, loop->loc),
                "one thread of the device takes the turns of this loop, each of which reads or writes "
                "single elements that the next one goes by");
}

static void build_launch(inward *w, k_id old)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    k_id *places = rebuild_room(&w->r, n.nresults + 1);
    if (!places)
        return;
    tell(w->r.old, &n);
    for (uint32_t i = 0; i < n.nresults; i++)
        places[i] = w->uses[n.results + i] ? kb_alloc(b, SPACE_GLOBAL, (scalar)k_at(w->r.old, n.results + i)->type,
                                                      kb_int(b, 1))
                                           : 0;
    build_loop(w, old, places);
    for (uint32_t i = 0; i < n.nresults; i++)
        if (places[i])
            rebuild_facts(&w->r, n.results + i, kb_load(b, places[i], kb_int(b, 0)));
}

/* ---- what stands in it ---- */

/* One thread takes all elements, in any order. */
static void build_elements(inward *w, const k_node *par)
{
    k_builder *b = &w->r.b;
    k_id var = k_block_at(w->r.old, par->blocks[0])->params;
    int64_t n = 0;
    if (k_is_const(w->r.old, par->args[0], &n) && n == 1) {
        rebuild_facts(&w->r, var, kb_int(b, 0));
        rebuild_block(&w->r, par->blocks[0]);
        return;
    }
    k_id loop = kb_open_for(b, kb_int(b, 0), rebuild_value(&w->r, par->args[0]), kb_int(b, 1), NULL, 0);
    rebuild_facts(&w->r, var, kb_param(b, loop, 0));
    rebuild_block(&w->r, par->blocks[0]);
    kb_close(b, NULL, 0);
}

/* A check that fails ends a while of the host at once. */
static void build_while(inward *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    bool checks = k_has_checks(w->r.old, n->blocks[0]) || k_has_checks(w->r.old, n->blocks[1]);
    k_builder *b = &w->r.b;
    rebuild_while(&w->r, old, checks ? 0 : kb_scalar(b, SOP_NOT, kb_failed(b), 0, 0));
}

static void build_body(inward *w, k_block body)
{
    w->was_device = true;
    rebuild_block(&w->r, body);
    w->was_device = false;
}

/* Launches, workers and what they wait for are none any more. */
static bool build_inside(inward *w, k_id old)
{
    const k_node n = *k_at(w->r.old, old);
    switch ((k_op)n.op) {
    case K_LAUNCH: build_body(w, n.blocks[0]); return true;
    case K_PAR: build_elements(w, &n); return true;
    case K_SYNC: return true;
    case K_ALLOC:
        w->r.map[old] =
            kb_alloc(&w->r.b, SPACE_PRIVATE, (scalar)n.type, rebuild_value(&w->r, n.args[0]));
        return true;
    case K_WHILE:
        if (w->was_device)
            return false;
        build_while(w, old);
        return true;
    default: return false;
    }
}

static bool inward_statement(rebuild *r, k_id old)
{
    inward *w = (inward *)r;
    if (w->inside)
        return build_inside(w, old);
    if (r->b.launch_depth || !goes_inward(r->old, k_at(r->old, old)))
        return false;
    build_launch(w, old);
    return true;
}

static bool any_goes(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op != K_LAUNCH && (goes_inward(p, n) || any_goes(p, n->blocks[0]) || any_goes(p, n->blocks[1])))
            return true;
    }
    return false;
}

bool k_inward(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t count = p->nodes.len;
    if (p->target.request.in_place || !any_goes(p, p->host))
        return true; /* inplace looks at launches one by one */
    inward w = {.r.statement = inward_statement, .uses = mem_resize(m, NULL, 0, count * sizeof(uint32_t))};
    if (!w.uses)
        return false;
    memset(w.uses, 0, count * sizeof *w.uses);
    k_count_uses(p, w.uses);
    bool ok = k_rebuild(p, &w.r);
    mem_free(m, w.uses, count * sizeof *w.uses);
    return ok;
}
