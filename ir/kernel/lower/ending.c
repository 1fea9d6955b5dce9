/* Loops that end though a check has failed.
 *
 * What follows a failed check is run, and computes with values that no right run has: a while may
 * then never end.  Those that could stop as soon as the flag of a failed check is seen.  The plan
 * asks for it only where it reads, so this is also about what earlier launches have left in memory.
 *
 * Looked at are whiles behind a check: one in front of them or inside, in a loop around them, or in
 * an earlier launch.  Of these, such whose condition depends on doubtful values: what a guard
 * yields, the index or size that a check is about, and what was made of them, also by way of
 * memory.  So a loop that counts, or goes by lengths, has the code that it always had.  Behind an assertion
 * that a kernel asks for, any value is doubtful, as its condition may speak of any.
 *
 * A thread reads the flag by itself.  The threads of a warp or block, which must leave a loop
 * together, go by what one of them has read: it puts that into shared memory, from where all take
 * it behind a barrier.  Two words take turns, so that the one that is written is not the one that
 * slower threads still read.  Where no check stands in the loop and nothing is awaited in it, one
 * look in front of the loop is enough. */
#include "ir/kernel/lower/value.h"

#include <string.h>

#include "ir/kernel/build/rebuild.h"

/* UPPER: of 64 bits the upper 32, where a record has its status. */
enum { DOUBTFUL = 1, UPPER = 2, WHOLE = DOUBTFUL | UPPER };
enum { LOOKS_ONCE = 4, LOOKS_ALWAYS = 8, NESTED = 16, LEVEL_SHIFT = 5 };

typedef struct endings {
    rebuild r; /* first: a pass */
    const k_program *p;
    uint8_t *notes; /* of every node of the old program */
    bool left_out; /* elements may be missing: a check counts them */
    bool changed, any;
} endings;

/* ---- what is doubtful ---- */

static uint32_t doubts(const endings *e, k_id v)
{
    return e->notes[v] & WHOLE;
}

static uint32_t whole_if(uint32_t any)
{
    return any ? WHOLE : 0;
}

static uint32_t of_operands(const endings *e, const k_node *n)
{
    return doubts(e, n->args[0]) | doubts(e, n->args[1]) | doubts(e, n->args[2]);
}

static void doubt(endings *e, k_id v, uint32_t bits)
{
    if (!(bits & ~doubts(e, v)) || !v || k_at(e->p, v)->op == K_CONST)
        return;
    e->notes[v] |= (uint8_t)bits;
    e->changed = true;
}

static void doubt_results(endings *e, const k_node *n, uint32_t bits)
{
    for (uint32_t i = 0; i < n->nresults; i++)
        doubt(e, n->results + i, bits);
}

/* A record and its status share a word: what is put together of halves is looked at by halves. */
static uint32_t of_value(const endings *e, const k_node *n)
{
    uint32_t x = doubts(e, n->args[0]), all = of_operands(e, n);
    int64_t by = 0;
    bool half = n->op == K_SCALAR && k_is_const(e->p, n->args[1], &by) && by >= 32;
    if (n->op == K_CONVERT && k_at(e->p, n->args[0])->type == ST_U32)
        return x & DOUBTFUL;
    if (half && n->opcode == SOP_LSHR)
        return whole_if(x & UPPER);
    return n->op == K_SCALAR && n->opcode == SOP_OR ? all : whole_if(all);
}

/* What is read is as good as what was written; or as whether all of it was. */
static uint32_t of_read(const endings *e, const k_node *n)
{
    bool own = k_at(e->p, n->args[0])->op == K_ALLOC;
    return whole_if((own && e->left_out) || doubts(e, n->args[1])) | doubts(e, n->args[0]);
}

static bool has_check(const k_program *p, k_block b)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        if (k_at(p, id)->op == K_CHECK)
            return true;
    return false;
}

static void spread(endings *e, k_block b, bool doubtful);

/* doubtful: whether it is run at all. */
static void spread_if(endings *e, const k_node *n, bool doubtful)
{
    const k_node *x = k_yield_of(e->p, n->blocks[0]), *y = k_yield_of(e->p, n->blocks[1]);
    bool guard = doubts(e, n->args[0]) || has_check(e->p, n->blocks[0]) ||
                 has_check(e->p, n->blocks[1]);
    for (uint32_t i = 0; i < n->nresults; i++)
        doubt(e, n->results + i,
              whole_if(guard) | doubts(e, k_listed(e->p, x, i)) | doubts(e, k_listed(e->p, y, i)));
    spread(e, n->blocks[0], doubtful || guard);
    spread(e, n->blocks[1], doubtful || guard);
}

/* What a loop carries is what it starts with or what a round yields. */
static void spread_loop(endings *e, const k_node *n, bool doubtful)
{
    bool counts = n->op == K_FOR;
    const k_node *y = k_yield_of(e->p, n->blocks[counts ? 0 : 1]);
    k_id params = k_block_at(e->p, n->blocks[0])->params,
         go = k_listed(e->p, k_yield_of(e->p, n->blocks[0]), 0);
    uint32_t turns = whole_if(counts ? of_operands(e, n) : doubts(e, go));
    if (counts)
        doubt(e, params, turns);
    for (uint32_t i = 0; i < n->nlist; i++) {
        uint32_t is = doubts(e, k_listed(e->p, n, i)) | doubts(e, k_listed(e->p, y, i));
        doubt(e, params + counts + i, is);
        doubt(e, n->results + i, is | turns);
    }
    spread(e, n->blocks[0], doubtful || turns);
    spread(e, n->blocks[1], doubtful || turns);
}

/* A write makes the memory doubtful when its place, its value or whether it is run is. */
static void spread_access(endings *e, k_id id, bool doubtful)
{
    const k_node *n = k_at(e->p, id);
    bool read = n->op == K_LOAD || n->op == K_LOADWIDE;
    uint32_t value = whole_if(doubts(e, n->args[1]) || doubtful) | doubts(e, n->args[2]);
    for (uint32_t i = 0; i < n->nlist; i++)
        value |= doubts(e, k_listed(e->p, n, i));
    if (!read)
        doubt(e, n->args[0], value);
    if (n->op == K_LOAD || n->op == K_ATOMIC)
        doubt(e, id, of_read(e, n));
    doubt_results(e, n, of_read(e, n));
}

static void spread_statement(endings *e, k_id id, bool doubtful)
{
    const k_node *n = k_at(e->p, id);
    switch ((k_op)n->op) {
    case K_SCALAR:
    case K_CONVERT:
    case K_BITCAST:
    case K_SHUFFLE: doubt(e, id, of_value(e, n)); break;
    case K_LOAD:
    case K_LOADWIDE:
    case K_STORE:
    case K_STOREWIDE:
    case K_ATOMIC: spread_access(e, id, doubtful); break;
    case K_CHECK: doubt(e, n->args[1], WHOLE); break;
    case K_IF: spread_if(e, n, doubtful); break;
    case K_FOR:
    case K_WHILE: spread_loop(e, n, doubtful); break;
    default:
        spread(e, n->blocks[0], doubtful);
        spread(e, n->blocks[1], doubtful);
        break;
    }
}

static void spread(endings *e, k_block b, bool doubtful)
{
    for (k_id id = b ? k_block_at(e->p, b)->first : 0; id; id = k_at(e->p, id)->next)
        spread_statement(e, id, doubtful);
}

/* What the host knows is right: where it has read something, the plan has asked first. */
static void spread_in_launches(endings *e, k_block b)
{
    for (k_id id = b ? k_block_at(e->p, b)->first : 0; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        for (int i = 0; i < 2; i++)
            if (n->op == K_LAUNCH)
                spread(e, n->blocks[i], false);
            else
                spread_in_launches(e, n->blocks[i]);
    }
}

/* ---- which loops look at the flag ---- */

/* What has been come by on the way to a place. */
typedef struct passage {
    bool earlier;  /* a launch with checks */
    bool checked;  /* a check of this launch */
    bool asserted; /* that of an assertion */
    bool nested;   /* a loop of this launch is around */
    uint32_t level;
} passage;

/* Whether there is such a statement in a block or inside; of the host, in its launches. */
static bool holds(const k_program *p, k_block b, bool (*is)(const k_node *n))
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is(n) || holds(p, n->blocks[0], is) || holds(p, n->blocks[1], is))
            return true;
    }
    return false;
}

static bool is_check(const k_node *n)
{
    return n->op == K_CHECK;
}

static bool is_assertion(const k_node *n)
{
    return n->op == K_CHECK && n->checked == CHECKED_ASSERT;
}

/* Other threads may fail while it is waited for what they do. */
static bool is_awaited(const k_node *n)
{
    return n->op == K_CHECK || n->op == K_ATOMIC;
}

static bool is_count(const k_node *n)
{
    return n->op == K_CHECK && (n->checked == CHECKED_COUNT || n->checked == CHECKED_MISSED ||
                                n->checked == CHECKED_UNWRITTEN);
}

static bool is_while(const k_node *n)
{
    return n->op == K_WHILE;
}

static void come_by(const endings *e, passage *w, k_block b)
{
    w->checked = w->checked || holds(e->p, b, is_check);
    w->asserted = w->asserted || holds(e->p, b, is_assertion);
}

/* A compare and swap is tried until nobody was in between, whatever the values are. */
static bool is_swap(const k_program *p, const k_node *n)
{
    bool swaps = k_at(p, k_block_at(p, n->blocks[1])->first)->op == K_YIELD, any = false;
    for (k_id id = k_block_at(p, n->blocks[0])->first; swaps && id; id = k_at(p, id)->next)
        any |= k_at(p, id)->op == K_ATOMIC && k_at(p, id)->atomic == ATOMIC_COMPARE;
    return any;
}

static bool is_of_lanes(const k_node *n)
{
    return n->op == K_PAR && n->workers == OVER_LANES;
}

static bool is_of_threads(const k_node *n)
{
    return n->op == K_PAR && n->workers == OVER_THREADS;
}

/* Who goes through a loop together: the warps of a block each by themselves, where it is lanes that work in it. */
static uint32_t level_of_loop(const k_program *p, const k_node *n, uint32_t level)
{
    bool lanes = false, block = false;
    for (int i = 0; i < 2; i++) {
        lanes |= holds(p, n->blocks[i], is_of_lanes);
        block |= holds(p, n->blocks[i], is_of_threads) || k_highest_sync(p, n->blocks[i]) >= LEVEL_BLOCK;
    }
    return level == LEVEL_BLOCK && lanes && !block ? LEVEL_WARP : level;
}

static void judge(endings *e, k_id id, const passage *w)
{
    const k_node *n = k_at(e->p, id);
    k_id go = k_listed(e->p, k_yield_of(e->p, n->blocks[0]), 0);
    bool inside = w->checked && (w->asserted || doubts(e, go));
    if (is_swap(e->p, n) || (!inside && !(w->earlier && doubts(e, go))))
        return;
    bool awaits = inside && (holds(e->p, n->blocks[0], is_awaited) ||
                             holds(e->p, n->blocks[1], is_awaited));
    e->any = true;
    e->notes[id] |= (uint8_t)((awaits ? LOOKS_ALWAYS : LOOKS_ONCE) | (w->nested ? NESTED : 0) |
                              level_of_loop(e->p, n, w->level) << LEVEL_SHIFT);
}

static uint32_t level_of_work(const k_node *par)
{
    switch (par->workers) {
    case OVER_BLOCKS: return LEVEL_BLOCK;
    case OVER_WARPS: return LEVEL_WARP;
    default: return LEVEL_THREAD;
    }
}

/* A launch: everything in the order of the text; what a loop comes by may have been in the round
 * before. */
static void judge_block(endings *e, k_block b, passage *w)
{
    for (k_id id = b ? k_block_at(e->p, b)->first : 0; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        passage in = *w;
        bool loop = k_is_loop(n);
        in.nested |= loop;
        if (n->op == K_PAR)
            in.level = level_of_work(n);
        for (int i = 0; loop && i < 2; i++)
            come_by(e, &in, n->blocks[i]);
        if (n->op == K_WHILE) {
            bool nested = in.nested;
            in.nested = w->nested;
            judge(e, id, &in);
            in.nested = nested;
        }
        judge_block(e, n->blocks[0], &in);
        judge_block(e, n->blocks[1], &in);
        w->checked |= in.checked || n->op == K_CHECK;
        w->asserted |= in.asserted || is_assertion(n);
    }
}

static bool launches_check(const k_program *p, k_block b)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op == K_LAUNCH ? holds(p, n->blocks[0], is_check)
                              : launches_check(p, n->blocks[0]) || launches_check(p, n->blocks[1]))
            return true;
    }
    return false;
}

/* The host: the launches in order. */
static void judge_host(endings *e, k_block b, bool earlier)
{
    for (k_id id = b ? k_block_at(e->p, b)->first : 0; id; id = k_at(e->p, id)->next) {
        const k_node *n = k_at(e->p, id);
        bool loop = k_is_loop(n),
             checks = n->op == K_LAUNCH
                          ? holds(e->p, n->blocks[0], is_check)
                          : launches_check(e->p, n->blocks[0]) || launches_check(e->p, n->blocks[1]);
        passage w = {.earlier = earlier, .level = n->level};
        if (n->op == K_LAUNCH && (earlier || checks) && holds(e->p, n->blocks[0], is_while)) {
            judge_block(e, n->blocks[0], &w);
        } else if (n->op != K_LAUNCH) {
            judge_host(e, n->blocks[0], earlier || (loop && checks));
            judge_host(e, n->blocks[1], earlier || (loop && checks));
        }
        earlier = earlier || checks;
    }
}

/* ---- looking ---- */

/* A loop that is being copied. */
typedef struct ending {
    uint32_t level;
    k_id words; /* 0: it is a thread's */
} ending;

/* What one of them sees goes into a word. */
static void look_for_all(k_builder *b, const ending *g, k_id at)
{
    kb_open_par(b, g->level == LEVEL_WARP ? OVER_LANES : OVER_THREADS, kb_int(b, 1));
    kb_store(b, g->words, at, kb_convert(b, ST_U32, kb_failed(b)));
    kb_close(b, NULL, 0);
}

static ending begin_ending(endings *e, uint32_t notes)
{
    k_builder *b = &e->r.b;
    ending g = {.level = notes >> LEVEL_SHIFT};
    if (g.level == LEVEL_THREAD)
        return g;
    g.words = kb_alloc(b, g.level == LEVEL_WARP ? SPACE_WARP : SPACE_LOCAL, ST_U32, kb_int(b, 2));
    if (notes & NESTED) /* the last round of the last time may still be read */
        kb_sync(b, g.level);
    return g;
}

/* Whether all goes well, as seen in front of the loop. */
static k_id look_once(endings *e, const ending *g)
{
    k_builder *b = &e->r.b;
    if (!g->words)
        return kb_scalar(b, SOP_NOT, kb_failed(b), 0, 0);
    look_for_all(b, g, kb_int(b, 0));
    kb_sync(b, g->level);
    return kb_scalar(b, SOP_EQ, kb_load(b, g->words, kb_int(b, 0)), kb_const(b, ST_U32, 0), 0);
}

/* Two values more are carried: what was last seen, and which word is next. */
static void copy_in_turns(endings *e, k_id old, const ending *g)
{
    rebuild *r = &e->r;
    k_builder *b = &r->b;
    const k_node n = *k_at(e->p, old);
    k_id *values = rebuild_room(r, n.nlist + 2u), none = kb_const(b, ST_U32, 0);
    if (!values)
        return;
    uint32_t last = rebuild_carried(r, &n, values);
    values[last] = none;
    values[last + 1] = kb_int(b, 0);
    k_id stmt = kb_open_while(b, values, last + 2);
    rebuild_params(r, old, stmt, 0);
    k_id seen = kb_param(b, stmt, last), turn = kb_param(b, stmt, last + 1);
    k_state_range(b->p, turn, 0, 1);
    rebuild_condition(r, &n, kb_scalar(b, SOP_EQ, seen, none, 0), 0);
    look_for_all(b, g, turn);
    rebuild_block(r, n.blocks[1]);
    kb_sync(b, g->level);
    rebuild_yield(r, n.blocks[1], values, last);
    values[last] = kb_load(b, g->words, turn);
    values[last + 1] = kb_sub(b, kb_int(b, 1), turn);
    kb_close(b, values, last + 2);
    rebuild_results(r, old, stmt);
}

static bool statement(rebuild *r, k_id old)
{
    endings *e = (endings *)r;
    uint32_t notes = e->notes[old];
    if (!(notes & (LOOKS_ONCE | LOOKS_ALWAYS)))
        return false;
    ending g = begin_ending(e, notes);
    if (g.words && notes & LOOKS_ALWAYS)
        copy_in_turns(e, old, &g);
    else
        rebuild_while(r, old, notes & LOOKS_ONCE ? look_once(e, &g) : 0);
    return true;
}

bool lower_end_loops(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t size = p->nodes.len;
    if (!launches_check(p, p->host))
        return true;
    endings e = {.p = p, .notes = mem_resize(m, NULL, 0, size)};
    e.r.statement = statement;
    if (!e.notes)
        return false;
    memset(e.notes, 0, size);
    e.left_out = holds(p, p->host, is_count);
    do { /* doubt travels around each loop once; loops inside loops are few */
        e.changed = false;
        spread_in_launches(&e, p->host);
    } while (e.changed);
    judge_host(&e, p->host, false);
    bool ok = !e.any || k_rebuild(p, &e.r);
    mem_free(m, e.notes, size);
    return ok;
}
