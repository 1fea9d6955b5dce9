/* Copies at the end of a program: the two memories change places instead.
 *
 * What a skeleton has written is often what the program gives, but for its extents, or for the
 * branch of the host that has written it:
 *
 *   launch { par grid i < n { store result, i, if i < m { if first { load x, i } else { load y, i }
 * } ... } }
 *
 * Where the host sees that all i lie inside, it lets the result change places with x or with y
 * (`swap`), which costs nothing; else the launch does what it did.  That needs a memory of the
 * program's own that nothing names afterwards, and a result that nothing has named before. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

#include <string.h>

enum { MOST_STORES = 8, MOST_PLACES = 32, MOST_GUARDS = 16 };

/* A launch that copies: element i of each result is element i of a memory that the host knows. */
typedef struct copying {
    uint16_t depth; /* of the launch's body: what is further out is the host's */
    k_id index, count;
    k_id stores[MOST_STORES];
    uint32_t nstores;
    k_id places[MOST_PLACES]; /* memories that are copied, */
    k_id of[MOST_PLACES];     /* each with the store that it is for */
    uint32_t nplaces;
    k_id guards[MOST_GUARDS]; /* ifs of which no element takes the second branch */
    uint32_t nguards;
} copying;

typedef struct placing {
    rebuild r;
    uint32_t *first,
        *last; /* by memory: when a statement names it, as numbers in the order of the text */
    uint32_t *number; /* by statement */
    k_block *parent;  /* by block: the one around its statement */
    k_block *home;    /* by memory: the block where it is made */
    uint32_t clock;
    uint32_t begin, end; /* of the statement of the host that is looked at; 0: none is */
    uint32_t loops;      /* of the host, around it */
} placing;

/* ---- when memories are named ---- */

static void name(placing *s, k_id memory)
{
    s->first[memory] = s->first[memory] ? s->first[memory] : s->clock;
    s->last[memory] = s->last[memory] < s->clock ? s->clock : s->last[memory];
}

/* Nobody knows how many elements such memories have. */
static void name_replaced(placing *s, k_id memory)
{
    s->first[memory] = 1;
    s->last[memory] = UINT32_MAX;
}

static void number_block(placing *s, k_block b, k_block parent)
{
    const k_program *p = s->r.old;
    s->parent[b] = parent;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        s->number[id] = ++s->clock;
        s->home[id] = b;
        for (int i = 0; i < 3; i++)
            name(s, n->args[i]);
        for (uint32_t i = 0; i < n->nlist; i++)
            name(s, k_listed(p, n, i));
        if (n->op == K_RESIZE || n->op == K_RECEIVE || n->op == K_SWAP)
            name_replaced(s, n->args[0]);
        if (n->op == K_SWAP)
            name_replaced(s, n->args[1]);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                number_block(s, n->blocks[i], b);
    }
}

/* Whether what is known where a memory is made is known in the block as well. */
static bool is_around(const placing *s, k_id memory, k_block b)
{
    while (b && b != s->home[memory])
        b = s->parent[b];
    return b != 0;
}

/* The last number in a statement. */
static uint32_t end_of(const placing *s, k_id id)
{
    const k_program *p = s->r.old;
    uint32_t end = s->number[id];
    for (int i = 0; i < 2; i++)
        for (k_id k = k_at(p, id)->blocks[i] ? k_block_at(p, k_at(p, id)->blocks[i])->first : 0; k;
             k = k_at(p, k)->next)
            if (!k_at(p, k)->next)
                end = end_of(s, k);
    return end;
}

/* ---- what copies ---- */

static bool is_own(const k_program *p, k_id memory)
{
    const k_node *m = k_at(p, memory);
    return m->op == K_ALLOC && m->space == SPACE_GLOBAL && !m->kept;
}

/* Whether nothing else is done in the block. */
static bool ends_behind(const k_program *p, k_id id)
{
    k_id next = k_past_host(p, k_at(p, id)->next);
    return !next || k_at(p, next)->op == K_YIELD;
}

static bool is_host(const k_program *p, const copying *c, k_id v)
{
    return k_at(p, v)->depth < c->depth;
}

/* A value that a condition chooses, in an if or a select. */
static bool is_choice(const k_program *p, k_id v, k_id *cond, k_id of[2])
{
    const k_node *n = k_at(p, v), *owner = k_at(p, n->owner);
    if (n->op == K_SCALAR && n->opcode == SOP_SELECT) {
        *cond = n->args[0];
        of[0] = n->args[1];
        of[1] = n->args[2];
        return true;
    }
    if (n->op != K_RESULT || owner->op != K_IF)
        return false;
    *cond = owner->args[0];
    for (int i = 0; i < 2; i++)
        of[i] = k_listed(p, k_yield_of(p, owner->blocks[i]), n->number);
    return true;
}

/* i < m, as it is or without a sign, or several of them. */
static bool is_guard(const k_program *p, const copying *c, k_id v)
{
    const k_node *n = k_at(p, v);
    if (n->op == K_SCALAR && n->opcode == SOP_AND)
        return is_guard(p, c, n->args[0]) && is_guard(p, c, n->args[1]);
    return n->op == K_SCALAR && n->opcode == SOP_LT && is_host(p, c, n->args[1]) &&
           (n->args[0] == c->index || k_signed_of(p, n->args[0]) == c->index);
}

static bool add_place(copying *c, k_id memory, k_id store)
{
    for (uint32_t i = 0; i < c->nplaces; i++)
        if (c->places[i] == memory)
            return c->of[i] == store;
    if (c->nplaces == MOST_PLACES)
        return false;
    c->places[c->nplaces] = memory;
    c->of[c->nplaces++] = store;
    return true;
}

static bool add_guard(const k_program *p, copying *c, k_id v)
{
    if (k_at(p, v)->op != K_RESULT)
        return true;
    if (c->nguards == MOST_GUARDS)
        return false;
    c->guards[c->nguards++] = k_at(p, v)->owner;
    return true;
}

static bool is_copied(const placing *s, copying *c, k_id v, k_id store)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, v);
    k_id cond, of[2];
    if (n->op == K_LOAD)
        return n->args[1] == c->index && is_own(p, n->args[0]) &&
               k_at(p, n->args[0])->type == k_at(p, k_at(p, store)->args[0])->type &&
               s->last[n->args[0]] <= s->end && add_place(c, n->args[0], store);
    return is_choice(p, v, &cond, of) &&
           (is_host(p, c, cond)    ? is_copied(s, c, of[0], store) && is_copied(s, c, of[1], store)
            : is_guard(p, c, cond) ? add_guard(p, c, v) && is_copied(s, c, of[0], store)
                                   : false);
}

/* Each result of its own. */
static bool find_stores(const placing *s, copying *c, k_block b)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (n->op != K_STORE)
            continue;
        if (c->nstores == MOST_STORES || n->args[1] != c->index || !is_own(p, n->args[0]) ||
            !is_around(s, n->args[0], b) || s->first[n->args[0]] < s->begin ||
            !is_copied(s, c, n->args[2], id))
            return false;
        c->stores[c->nstores++] = id;
    }
    return c->nstores > 0;
}

static bool is_guarded(const copying *c, k_id branches)
{
    for (uint32_t i = 0; i < c->nguards; i++)
        if (c->guards[i] == branches)
            return true;
    return false;
}

/* Whether elements that lie inside do nothing but the stores that were found. */
static bool only_copies(const k_program *p, const copying *c, k_block b, bool has_stores)
{
    for (k_id id = b ? k_block_at(p, b)->first : 0; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool quiet = k_may_pass(n) || n->op == K_LOAD || n->op == K_YIELD || n->op == K_RESULT ||
                     (n->op == K_STORE && has_stores) ||
                     (n->op == K_IF && only_copies(p, c, n->blocks[0], false) &&
                      (is_guarded(c, id) || only_copies(p, c, n->blocks[1], false)));
        if (!quiet)
            return false;
    }
    return true;
}

/* The results are as different from one another as from what is copied. */
static bool are_apart(const k_program *p, const copying *c)
{
    for (uint32_t i = 0; i < c->nstores; i++) {
        k_id result = k_at(p, c->stores[i])->args[0];
        for (uint32_t k = 0; k < c->nplaces; k++)
            if (c->places[k] == result)
                return false;
        for (uint32_t k = 0; k < i; k++)
            if (k_at(p, c->stores[k])->args[0] == result)
                return false;
    }
    return true;
}

static bool is_copy(const placing *s, k_id launch, copying *c)
{
    const k_program *p = s->r.old;
    const k_node *n = k_at(p, launch);
    k_id par = k_past_host(p, k_block_at(p, n->blocks[0])->first);
    const k_node *loop = k_at(p, par);
    *c = (copying){.depth = k_block_at(p, n->blocks[0])->depth};
    if (loop->op != K_PAR || loop->workers != OVER_GRID || !ends_behind(p, par) ||
        !is_host(p, c, loop->args[0]))
        return false;
    c->count = loop->args[0];
    c->index = k_block_at(p, loop->blocks[0])->params;
    return find_stores(s, c, loop->blocks[0]) && only_copies(p, c, loop->blocks[0], true) &&
           are_apart(p, c);
}

/* ---- building ---- */

/* Whether it holds for all i < n, where there is one. */
static k_id holds(placing *s, const copying *c, k_id v)
{
    k_builder *b = &s->r.b;
    const k_node *n = k_at(s->r.old, v);
    if (n->opcode == SOP_AND)
        return kb_scalar(b, SOP_AND, holds(s, c, n->args[0]), holds(s, c, n->args[1]), 0);
    k_id count = rebuild_value(&s->r, c->count);
    k_id last = kb_sub(b, count, kb_const(b, (scalar)k_at(b->p, count)->type, 1));
    if (n->args[0] != c->index)
        last = kb_bitcast(b, (scalar)k_at(s->r.old, n->args[0])->type, last);
    return kb_scalar(b, SOP_LT, last, rebuild_value(&s->r, n->args[1]), 0);
}

/* Whether all elements that v is for some i are those of memories. */
static k_id all_hold(placing *s, const copying *c, k_id v)
{
    k_builder *b = &s->r.b;
    k_id cond, of[2];
    if (!is_choice(s->r.old, v, &cond, of))
        return kb_const(b, ST_BOOL, 1);
    if (!is_host(s->r.old, c, cond))
        return kb_scalar(b, SOP_AND, holds(s, c, cond), all_hold(s, c, of[0]), 0);
    k_id x = all_hold(s, c, of[0]), y = all_hold(s, c, of[1]);
    return kb_select(b, rebuild_value(&s->r, cond), x, y);
}

/* The result has room for no more than what is copied, which the other memory has as well. */
static k_id is_filled(placing *s, const copying *c, k_id result)
{
    k_builder *b = &s->r.b;
    k_id room = rebuild_value(&s->r, k_at(s->r.old, result)->args[0]);
    return kb_scalar(b, SOP_LE, kb_convert(b, ST_I64, room),
                     kb_convert(b, ST_I64, rebuild_value(&s->r, c->count)), 0);
}

static void swap(placing *s, const copying *c, k_id v, k_id result)
{
    k_builder *b = &s->r.b;
    k_id cond, of[2];
    if (!is_choice(s->r.old, v, &cond, of)) {
        kb_swap(b, rebuild_value(&s->r, result), rebuild_value(&s->r, k_at(s->r.old, v)->args[0]));
    } else if (!is_host(s->r.old, c, cond)) {
        swap(s, c, of[0], result);
    } else {
        kb_open_if(b, rebuild_value(&s->r, cond));
        swap(s, c, of[0], result);
        kb_next_block(b, NULL, 0);
        swap(s, c, of[1], result);
        kb_close(b, NULL, 0);
    }
}

static void build(placing *s, const copying *c, k_id launch)
{
    k_builder *b = &s->r.b;
    k_id all = kb_const(b, ST_BOOL, 1);
    for (uint32_t i = 0; i < c->nstores; i++) {
        const k_node *store = k_at(s->r.old, c->stores[i]);
        all = kb_scalar(b, SOP_AND, all, all_hold(s, c, store->args[2]), 0);
        all = kb_scalar(b, SOP_AND, all, is_filled(s, c, store->args[0]), 0);
    }
    kb_open_if(b, all);
    for (uint32_t i = 0; i < c->nstores; i++)
        swap(s, c, k_at(s->r.old, c->stores[i])->args[2], k_at(s->r.old, c->stores[i])->args[0]);
    kb_next_block(b, NULL, 0);
    rebuild_copy(&s->r, launch);
    kb_close(b, NULL, 0);
}

/* ---- the pass ---- */

static bool is_one(const k_program *p, k_id id);

/* At most one launch on each way through the block, and nothing else that is done. */
static bool is_way(const k_program *p, k_block b)
{
    k_id id = k_past_host(p, k_block_at(p, b)->first);
    if (!id || k_at(p, id)->op == K_YIELD)
        return true;
    return is_one(p, id) && ends_behind(p, id);
}

static bool is_one(const k_program *p, k_id id)
{
    const k_node *n = k_at(p, id);
    return n->op == K_LAUNCH ||
           (n->op == K_IF && !n->nresults && is_way(p, n->blocks[0]) && is_way(p, n->blocks[1]));
}

static void copy_loop(placing *s, k_id old)
{
    s->loops++;
    rebuild_copy(&s->r, old);
    s->loops--;
}

static void place_launch(placing *s, k_id old)
{
    copying c;
    if (is_copy(s, old, &c))
        build(s, &c, old);
    else
        rebuild_copy(&s->r, old);
}

static bool place_statement(rebuild *r, k_id old)
{
    placing *s = (placing *)r;
    const k_node *n = k_at(r->old, old);
    if (r->b.launch_depth || s->loops)
        return false;
    if (k_is_loop(n)) {
        copy_loop(s, old);
        return true;
    }
    bool outermost = !s->end && is_one(r->old, old);
    if (outermost) {
        s->begin = s->number[old];
        s->end = end_of(s, old);
    }
    bool launch = n->op == K_LAUNCH;
    if (launch)
        place_launch(s, old);
    else if (outermost)
        rebuild_copy(r, old);
    if (outermost)
        s->end = 0;
    return launch || outermost;
}

/* Whether a launch could be a copy, when memories are named aside. */
static bool any_copy(placing *s)
{
    copying c;
    bool any = false;
    s->end = UINT32_MAX;
    for (k_id id = 1; id < s->r.old->nodes.len && !any; id++)
        any = k_at(s->r.old, id)->op == K_LAUNCH && is_copy(s, id, &c);
    s->end = 0;
    return any;
}

bool k_places(k_program *p)
{
    placing s = {.r = {.statement = place_statement}};
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len;
    if (p->target.request.in_place)
        return true; /* inplace looks for the launch that writes a result */
    size_t count = 4 * n + p->blocks.len;
    uint32_t *room = mem_resize(m, NULL, 0, count * sizeof *room);
    if (!room)
        return false;
    memset(room, 0, count * sizeof *room);
    s.first = room;
    s.last = room + n;
    s.number = room + 2 * n;
    s.home = room + 3 * n;
    s.parent = room + 4 * n;
    s.r.old = p;
    number_block(&s, p->host, 0);
    bool ok = !any_copy(&s) || k_rebuild(p, &s.r);
    mem_free(m, room, count * sizeof *room);
    return ok;
}
