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
 * at first.  A launch takes so many turns, so that a loop without end can be cancelled and a driver's
 * patience is not tried; what a launch hands on to the next is read back. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

/* Elements of a loop over workers, or of an array that is made in a turn, counted through all that
 * are inside one another. */
enum { MOST_ELEMENTS = 64 };

enum { MOST_TURNS = 1 << 15, MOST_LONG_TURNS = 1 << 8 }; /* of a launch; such as have loops */

typedef struct inward {
    rebuild r;
    uint32_t *uses;  /* by old node */
    int32_t turns;   /* of a launch of the loop that is being built */
    bool checks;     /* the program has some */
    bool inside;     /* of a loop that one thread takes */
    bool was_device; /* there, of what was a launch */
} inward;

/* ---- which loops ---- */

/* A program, and how often each node is used. */
typedef struct looking {
    const k_program *p;
    const uint32_t *uses;
} looking;

static bool is_little(const looking *l, k_block b, uint64_t turns, bool *reaches);

/* So many elements, for each of so many turns. */
static bool is_few(const k_program *p, k_id count, uint64_t turns, int64_t *n)
{
    return k_is_const(p, count, n) && *n >= 0 && (uint64_t)*n * turns <= MOST_ELEMENTS;
}

/* A memory of which each turn has a new one, or that nobody has a use for. */
static bool is_small(const looking *l, k_id id)
{
    const k_node *n = k_at(l->p, id);
    int64_t count;
    return !l->uses[id] || (!n->kept && n->space != SPACE_LANES && is_few(l->p, n->args[0], 1, &count));
}

static bool are_little(const looking *l, const k_node *n, uint64_t turns, bool *reaches)
{
    return (!n->blocks[0] || is_little(l, n->blocks[0], turns, reaches)) &&
           (!n->blocks[1] || is_little(l, n->blocks[1], turns, reaches));
}

/* Whether a thread can do it; *reaches: it is one that the host would wait for, or launch. */
static bool is_done_by_thread(const looking *l, k_id id, uint64_t turns, bool *reaches)
{
    const k_program *p = l->p;
    const k_node *n = k_at(p, id);
    int64_t count;
    switch ((k_op)n->op) {
    case K_LAUNCH: *reaches = true; return are_little(l, n, turns, reaches);
    case K_LOAD: *reaches = *reaches || k_is_global(k_at(p, n->args[0])); return true;
    case K_PAR: return is_few(p, n->args[0], turns, &count) && are_little(l, n, turns * (uint64_t)count, reaches);
    case K_ALLOC: return is_small(l, id);
    case K_ATOMIC: return !k_is_ordering(n) && k_at(p, n->args[0])->depth == 0; /* of the thread's own there are none */
    case K_IF:
    case K_FOR:
    case K_WHILE: return are_little(l, n, turns, reaches);
    case K_STORE:
    case K_SYNC:
    case K_CHECK:
    case K_TABLE:
    case K_BUFFER:
    case K_YIELD: return true;
    default: return k_op_info(n->op)->class == KC_VALUE;
    }
}

static bool is_little(const looking *l, k_block b, uint64_t turns, bool *reaches)
{
    for (k_id id = k_block_at(l->p, b)->first; id; id = k_at(l->p, id)->next)
        if (!is_done_by_thread(l, id, turns, reaches))
            return false;
    return true;
}

static bool goes_inward(const looking *l, const k_node *loop)
{
    bool reaches = false;
    int64_t step = 1;
    bool by_one = loop->op == K_WHILE || (loop->op == K_FOR && k_is_const(l->p, loop->args[2], &step) && step == 1);
    return by_one && are_little(l, loop, 1, &reaches) && reaches;
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

/* Whether all goes well, as seen in front of a while in which nothing is checked; 0: each turn is to look. */
static k_id looks_once(inward *w, const k_node *n)
{
    const k_program *p = w->r.old;
    k_builder *b = &w->r.b;
    if (!w->checks)
        return kb_const(b, ST_BOOL, 1);
    bool checks = k_has_checks(p, n->blocks[0]) || k_has_checks(p, n->blocks[1]);
    return checks ? 0 : kb_scalar(b, SOP_NOT, kb_failed(b), 0, 0);
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
        if (!w->uses[old])
            return true;
        w->r.map[old] =
            kb_alloc(&w->r.b, SPACE_PRIVATE, (scalar)n.type, rebuild_value(&w->r, n.args[0]));
        return true;
    case K_WHILE:
        if (w->was_device)
            return false;
        rebuild_while(&w->r, old, looks_once(w, &n)); /* a check that fails ends that of the host at once */
        return true;
    default: return false;
    }
}

/* ---- launches ---- */

/* Memory of one element for each value that a loop carries, where somebody reads it; of a while, one more: whether
 * it goes on. */
static k_id *make_places(inward *w, const k_node *n, bool all)
{
    k_builder *b = &w->r.b;
    k_id *places = rebuild_room(&w->r, n->nresults + 1), one = kb_int(b, 1);
    for (uint32_t i = 0; places && i < n->nresults; i++)
        places[i] = all || w->uses[n->results + i]
                        ? kb_alloc(b, SPACE_GLOBAL, (scalar)k_at(w->r.old, n->results + i)->type, one)
                        : 0;
    if (places)
        places[n->nresults] = all && n->op == K_WHILE ? kb_alloc(b, SPACE_GLOBAL, ST_I32, one) : 0;
    return places;
}

static void put(inward *w, k_id place, k_id value)
{
    if (place)
        kb_store(&w->r.b, place, kb_int(&w->r.b, 0), value);
}

static k_id get(inward *w, k_id place)
{
    return kb_load(&w->r.b, place, kb_int(&w->r.b, 0));
}

/* All turns, in one launch. */
static void build_whole(inward *w, k_id old)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    k_id *places = make_places(w, &n, false);
    if (!places)
        return;
    kb_open_launch(b, LEVEL_THREAD, kb_int(b, 1), 1);
    w->inside = true;
    rebuild_statement(&w->r, old);
    w->inside = false;
    for (uint32_t i = 0; i < n.nresults; i++)
        put(w, places[i], rebuild_value(&w->r, n.results + i));
    kb_close(b, NULL, 0);
    for (uint32_t i = 0; i < n.nresults; i++)
        if (places[i])
            rebuild_facts(&w->r, n.results + i, get(w, places[i]));
}

/* The turns of a for from `from` on, up to so many, with values that are carried. */
static k_id some_turns(inward *w, k_id old, k_id from, const k_id *values)
{
    rebuild *r = &w->r;
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    k_id hi = rebuild_value(r, n.args[1]), *next = rebuild_room(r, n.nresults);
    k_id end = kb_min(b, hi, kb_saturate(b, SOP_ADD, from, kb_int(b, w->turns)));
    k_id stmt = kb_open_for(b, from, end, kb_int(b, 1), values, n.nresults);
    rebuild_params(r, old, stmt, 0);
    rebuild_block(r, n.blocks[0]);
    if (next)
        kb_close(b, next, rebuild_yield(r, n.blocks[0], next, n.nresults));
    return stmt;
}

/* The same of a while; one value more is carried, how many there were. */
static k_id some_rounds(inward *w, k_id old, const k_id *values)
{
    rebuild *r = &w->r;
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    k_id *next = rebuild_room(r, n.nresults + 1), well = looks_once(w, &n);
    if (!next)
        return 0;
    for (uint32_t i = 0; i < n.nresults; i++)
        next[i] = values[i];
    next[n.nresults] = kb_int(b, 0);
    k_id stmt = kb_open_while(b, next, n.nresults + 1), count = kb_param(b, stmt, n.nresults);
    k_state_range(b->p, count, 0, w->turns);
    rebuild_params(r, old, stmt, 0);
    rebuild_condition(r, &n, well, kb_lt(b, count, kb_int(b, w->turns)));
    rebuild_block(r, n.blocks[1]);
    rebuild_yield(r, n.blocks[1], next, n.nresults);
    next[n.nresults] = kb_add(b, count, kb_int(b, 1));
    kb_close(b, next, n.nresults + 1);
    return stmt;
}

/* What a part begins with: the values that the loop does, then those that the part before has left. */
static void begin_part(inward *w, const k_node *n, k_id first, const k_id *places, k_id *values)
{
    k_builder *b = &w->r.b;
    k_id *left = rebuild_room(&w->r, n->nresults + 1);
    if (!left || !n->nresults)
        return;
    k_id stmt = kb_open_if(b, first);
    kb_next_block(b, values, n->nresults);
    for (uint32_t i = 0; i < n->nresults; i++)
        left[i] = get(w, places[i]);
    kb_close(b, left, n->nresults);
    for (uint32_t i = 0; i < n->nresults; i++)
        values[i] = kb_result(b, stmt, i);
}

/* A launch for so many turns. */
static void build_part(inward *w, k_id old, k_id from, k_id first, const k_id *places)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    k_id *values = rebuild_room(&w->r, n.nresults + 1);
    if (!values)
        return;
    rebuild_carried(&w->r, &n, values);
    kb_open_launch(b, LEVEL_THREAD, kb_int(b, 1), 1);
    begin_part(w, &n, first, places, values);
    w->inside = true;
    k_id stmt = n.op == K_FOR ? some_turns(w, old, from, values) : some_rounds(w, old, values);
    w->inside = false;
    for (uint32_t i = 0; i < n.nresults && stmt; i++)
        put(w, places[i], kb_result(b, stmt, i));
    if (places[n.nresults] && stmt) {
        k_id all = kb_scalar(b, SOP_EQ, kb_result(b, stmt, n.nresults), kb_int(b, w->turns), 0);
        put(w, places[n.nresults], kb_convert(b, ST_I32, all));
    }
    kb_close(b, NULL, 0);
}

/* A for of no turns has one part all the same, which leaves what the loop begins with. */
static void build_for(inward *w, k_id old, const k_id *places)
{
    k_builder *b = &w->r.b;
    const k_node n = *k_at(w->r.old, old);
    k_id lo = rebuild_value(&w->r, n.args[0]), hi = rebuild_value(&w->r, n.args[1]);
    k_id end = kb_max(b, hi, kb_saturate(b, SOP_ADD, lo, kb_int(b, 1)));
    k_id stmt = kb_open_for(b, lo, end, kb_int(b, w->turns), NULL, 0), from = kb_param(b, stmt, 0);
    build_part(w, old, from, kb_scalar(b, SOP_EQ, from, lo, 0), places);
    kb_close(b, NULL, 0);
}

/* The last part tells the host whether another one follows. */
static void build_while(inward *w, k_id old, const k_id *places)
{
    k_builder *b = &w->r.b;
    k_id more[2] = {kb_const(b, ST_BOOL, 1), kb_const(b, ST_BOOL, 1)}; /* one follows, the first */
    k_id stmt = kb_open_while(b, more, 2), go = kb_param(b, stmt, 0);
    kb_next_block(b, &go, 1);
    build_part(w, old, 0, kb_param(b, stmt, 1), places);
    more[0] = kb_scalar(b, SOP_NE, get(w, places[k_at(w->r.old, old)->nresults]), kb_int(b, 0), 0);
    more[1] = kb_const(b, ST_BOOL, 0);
    kb_close(b, more, 2);
}

/* In launches of so many turns, between which the host hears of a cancellation, and a driver draws breath. */
static void build_in_parts(inward *w, k_id old)
{
    const k_node n = *k_at(w->r.old, old);
    k_id *places = make_places(w, &n, true);
    if (!places)
        return;
    if (n.op == K_FOR)
        build_for(w, old, places);
    else
        build_while(w, old, places);
    for (uint32_t i = 0; i < n.nresults; i++)
        if (w->uses[n.results + i])
            rebuild_facts(&w->r, n.results + i, get(w, places[i]));
}

static bool has_loops(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (k_is_loop(n) || has_loops(p, n->blocks[0]) || has_loops(p, n->blocks[1]))
            return true;
    }
    return false;
}

static bool has_few_turns(const inward *w, const k_node *loop)
{
    return loop->op == K_FOR && k_hi(w->r.old, loop->args[1]) - k_lo(w->r.old, loop->args[0]) <= w->turns;
}

static void build_launches(inward *w, k_id old)
{
    const k_node *n = k_at(w->r.old, old);
    diag_remark(w->r.old->cx, DIAG_TELL_INWARD, k_loc_at(w->r.b.p, n->loc),
                "one thread of the device takes the turns of this loop, each of which reads or writes "
                "single elements that the next one goes by");
    w->turns = has_loops(w->r.old, n->blocks[0]) || has_loops(w->r.old, n->blocks[1]) ? MOST_LONG_TURNS : MOST_TURNS;
    if (has_few_turns(w, n))
        build_whole(w, old);
    else
        build_in_parts(w, old);
}

static bool inward_statement(rebuild *r, k_id old)
{
    inward *w = (inward *)r;
    if (w->inside)
        return build_inside(w, old);
    if (r->b.launch_depth || !goes_inward(&(looking){r->old, w->uses}, k_at(r->old, old)))
        return false;
    build_launches(w, old);
    return true;
}

static bool any_goes(const looking *l, k_block b)
{
    for (k_id id = b ? k_block_at(l->p, b)->first : 0; id; id = k_at(l->p, id)->next) {
        const k_node *n = k_at(l->p, id);
        if (n->op != K_LAUNCH && (goes_inward(l, n) || any_goes(l, n->blocks[0]) || any_goes(l, n->blocks[1])))
            return true;
    }
    return false;
}

bool k_inward(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len * sizeof(uint32_t);
    if (p->target.request.in_place)
        return true; /* inplace looks at launches one by one */
    inward w = {.r.statement = inward_statement,
                .uses = mem_resize(m, NULL, 0, size)};
    if (!w.uses)
        return false;
    memset(w.uses, 0, size);
    k_count_uses(p, w.uses);
    bool ok = true;
    if (any_goes(&(looking){p, w.uses}, p->host)) {
        w.checks = k_has_checks(p, p->host);
        ok = k_rebuild(p, &w.r);
    }
    mem_free(m, w.uses, size);
    return ok;
}
