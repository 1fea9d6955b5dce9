/* Counting bank conflicts: see banks.h.  32 banks, each a word of four bytes wide; a warp's access
 * of more than 128 bytes is made in parts, by half warps or quarters.  A cost model by simulation
 * of one warp.
 *
 * Cost is linear in the accesses, times lanes and samples; BankAccesses bounds it.  An estimate
 * decides nothing about correctness: padding and layout are right either way. */
#include "ir/kernel/analysis/banks.h"

#include <string.h>

enum { BANKS = 32 };

/* Threads get through a guard where x holds (or not), or where x < y. */
typedef enum { HOLDS, FAILS, LESS } guard_kind;

typedef struct guard {
    guard_kind kind;
    k_id x, y;
    uint32_t parent;
    uint32_t active;
} guard;

typedef struct bank_search {
    banks *out;
    const k_program *p;
    mem *m;
    lane_values lanes;
    VEC(guard) guards; /* outer ones first; 0: none */
    uint32_t loops;
    bool kernel; /* inside a launch: what the host decides is the same for all lanes */
    bool ok;
} bank_search;

/* ---- which accesses there are ---- */

/* Atomic steps read and write their word in one access. */
static bool is_access(const k_node *n)
{
    return n->op == K_LOAD || n->op == K_STORE || n->op == K_LOADWIDE || n->op == K_STOREWIDE ||
           n->op == K_ATOMIC;
}

/* A loop makes its accesses count BankTurns times, up to BankLoops loops deep (tuning.def): the
 * ratio of inner to outer ones is what matters. */
static void note_access(bank_search *s, const k_node *n, uint32_t within)
{
    const k_tuning *t = &s->p->target.tuning;
    const k_node *memory = k_at(s->p, n->args[0]);
    if (memory->op != K_ALLOC || memory->space != SPACE_LOCAL)
        return;
    bank_access a = {
        .memory = n->args[0], .index = n->args[1], .elements = 1, .weight = 1, .guard = within};
    if (n->op == K_LOADWIDE || n->op == K_STOREWIDE)
        a.elements = n->op == K_LOADWIDE ? n->nresults : n->nlist;
    for (uint32_t i = 0; i < s->loops && i < t->bank_loops; i++)
        a.weight *= t->bank_turns;
    k_lanes_want(&s->lanes, a.index);
    s->ok = s->out->accesses.len < t->bank_accesses && vec_push(s->m, &s->out->accesses, a) &&
            s->lanes.ok;
}

/* Guards are made outer ones first, so one pass over them computes all. */
static uint32_t add_guard(bank_search *s, guard_kind how, k_id x, k_id y, uint32_t parent)
{
    guard g = {.kind = how, .x = x, .y = y, .parent = parent};
    k_lanes_want(&s->lanes, x);
    k_lanes_want(&s->lanes, y);
    s->ok = s->ok && vec_push(s->m, &s->guards, g);
    return s->guards.len - 1;
}

static void search_block(bank_search *s, k_block b, uint32_t within);

/* A loop guards its body: lanes beyond the limit do not take part in the access. */
static void search_region(bank_search *s, const k_node *n, uint32_t within)
{
    uint32_t first = within, second = within;
    bool loop = k_is_loop(n);
    if (n->op == K_IF && s->kernel) {
        first = add_guard(s, HOLDS, n->args[0], 0, within);
        second = add_guard(s, FAILS, n->args[0], 0, within);
    } else if (n->op == K_FOR) {
        first = add_guard(s, LESS, k_block_at(s->p, n->blocks[0])->params, n->args[1], within);
    } else if (n->op == K_WHILE) {
        second = add_guard(s, HOLDS, k_listed(s->p, k_yield_of(s->p, n->blocks[0]), 0), 0, within);
    }
    s->loops += loop;
    search_block(s, n->blocks[0], first);
    search_block(s, n->blocks[1], second);
    s->loops -= loop;
}

/* The host's own ifs are outside of every kernel and the same for all lanes. */
static void search_launch(bank_search *s, const k_node *n, uint32_t within)
{
    s->kernel = true;
    search_block(s, n->blocks[0], within);
    s->kernel = false;
}

/* Recursion follows blocks, whose nesting the builder bounds. */
static void search_block(bank_search *s, k_block b, uint32_t within)
{
    for (k_id id = k_block_at(s->p, b)->first; id && s->ok; id = k_at(s->p, id)->next) {
        const k_node *n = k_at(s->p, id);
        if (is_access(n))
            note_access(s, n, within);
        else if (n->op == K_LAUNCH)
            search_launch(s, n, within);
        else if (n->blocks[0])
            search_region(s, n, within);
    }
}

/* ---- where the lanes are ---- */

/* What is not known lets all lanes through, which can only make conflicts look worse. */
static void compute_guards(bank_search *s)
{
    for (uint32_t i = 1; i < s->guards.len; i++) {
        guard *g = &s->guards.at[i];
        const uint64_t *x = k_lanes_of(&s->lanes, g->x), *y = k_lanes_of(&s->lanes, g->y);
        g->active = s->guards.at[g->parent].active;
        for (uint32_t k = 0; k < LANES; k++) {
            bool in = g->kind == LESS ? !x || !y || (int64_t)x[k] < (int64_t)y[k]
                                      : !x || (x[k] != 0) == (g->kind == HOLDS);
            g->active &= ~((uint32_t)!in << k);
        }
    }
}

/* An access counts only if its index is known in every sample. */
static void sample_accesses(bank_search *s, uint32_t sample)
{
    for (uint32_t i = 0; i < s->out->accesses.len; i++) {
        bank_access *a = &s->out->accesses.at[i];
        const uint64_t *at = k_lanes_of(&s->lanes, a->index);
        a->known = at && (sample == 0 || a->known);
        a->active[sample] = s->guards.at[a->guard].active;
        for (uint32_t k = 0; at && k < LANES; k++)
            a->at[sample][k] = (int32_t)at[k];
    }
}

/* ---- what they cost ---- */

/* Different words asked of each bank. */
typedef struct demand {
    int64_t words[BANKS][LANES];
    uint32_t n[BANKS];
    uint32_t most;
} demand;

/* A word that two lanes ask for is delivered to both at once: a broadcast. */
static void ask(demand *d, int64_t word)
{
    uint32_t bank = (uint32_t)word % BANKS, i = 0;
    while (i < d->n[bank] && d->words[bank][i] != word)
        i++;
    if (i < d->n[bank] || i == LANES)
        return;
    d->words[bank][i] = word;
    d->n[bank]++;
    d->most = d->n[bank] > d->most ? d->n[bank] : d->most;
}

/* The words of elements of that many bytes, from one byte on. */
static void ask_all(demand *d, int64_t first, uint32_t length, uint32_t bytes)
{
    for (int64_t at = first; at < first + length; at += bytes < BANK_WORD ? bytes : BANK_WORD)
        ask(d, at >> 2);
}

/* How many lanes go together: as many as ask for 128 bytes at most. */
static uint32_t lanes_together(uint32_t each)
{
    return each <= BANK_WORD ? LANES : each >= BANKS * BANK_WORD ? 1 : BANKS * BANK_WORD / each;
}

/* Cycles of one sample. */
static uint64_t cycles(const bank_access *a, uint32_t sample, uint32_t bytes, k_padding f)
{
    uint32_t each = bytes * a->elements, together = lanes_together(each);
    uint64_t sum = 0;
    for (uint32_t from = 0; from < LANES; from += together) {
        demand d;
        memset(d.n, 0, sizeof d.n);
        d.most = 0;
        for (uint32_t k = from; k < from + together && k < LANES; k++) {
            bool again = k > from && a->at[sample][k] == a->at[sample][k - 1] &&
                         (a->active[sample] >> (k - 1) & 1);
            if ((a->active[sample] >> k & 1) && !again)
                ask_all(&d, k_padded(f, a->at[sample][k]) * bytes, each, bytes);
        }
        sum += d.most;
    }
    return sum;
}

/* Whether a sample costs what the one before does: all lanes have moved by whole rows, and so by
 * whole words, which turns the banks round. */
static bool costs_the_same(const bank_access *a, uint32_t sample, uint32_t bytes, k_padding f)
{
    int32_t by = a->moved[sample];
    return by == 0 || (by != NOT_MOVED && bytes >= BANK_WORD && by % (1 << f.row) == 0);
}

static uint32_t bytes_of(const banks *b, const bank_access *a)
{
    return ir_scalar_bytes((scalar)k_at(b->p, a->memory)->type);
}

/* 0 for an access whose index is not known.  Samples that cost the same are counted once. */
uint64_t k_banks_cost(const banks *b, const bank_access *a, k_padding f)
{
    uint32_t bytes = bytes_of(b, a);
    uint64_t sum = 0, last = 0;
    for (uint32_t i = 0; a->known && i < SAMPLES; i++) {
        if (i == 0 || !costs_the_same(a, i, bytes, f))
            last = cycles(a, i, bytes, f);
        sum += last;
    }
    return sum * a->weight;
}

/* A cycle for each part of a warp with active lanes. */
static uint64_t least_cost(const banks *b, const bank_access *a)
{
    uint32_t together = lanes_together(bytes_of(b, a) * a->elements);
    uint64_t sum = 0;
    for (uint32_t i = 0; a->known && i < SAMPLES; i++)
        for (uint32_t from = 0; from < LANES; from += together)
            sum += (a->active[i] >> from & (UINT32_MAX >> (LANES - together))) != 0;
    return sum * a->weight;
}

/* By how much all lanes have moved since the sample before, or NOT_MOVED. */
static int32_t movement(const bank_access *a, uint32_t sample)
{
    int64_t by = (int64_t)a->at[sample][0] - a->at[sample - 1][0];
    bool moved = a->active[sample] == a->active[sample - 1] && by == (int32_t)by;
    for (uint32_t k = 1; moved && k < LANES; k++)
        moved = a->at[sample][k] == a->at[sample - 1][k] + by;
    return moved ? (int32_t)by : NOT_MOVED;
}

/* What an access costs as it is, so that a padding can be compared with it without a new count. */
static void cost_accesses(banks *b)
{
    for (uint32_t i = 0; i < b->accesses.len; i++) {
        bank_access *a = &b->accesses.at[i];
        for (uint32_t k = 1; a->known && k < SAMPLES; k++)
            a->moved[k] = movement(a, k);
        a->least = least_cost(b, a);
        a->excess = k_banks_cost(b, a, (k_padding){0}) - a->least;
    }
}

/* ---- the whole ---- */

/* Evaluates everything that indices and guards need at once, sample by sample. */
bool k_banks_find(const k_program *p, banks *out)
{
    bank_search s = {.out = out, .p = p, .m = &p->cx->mem, .ok = true};
    *out = (banks){.p = p};
    s.ok = k_lanes_init(&s.lanes, p) && vec_push(s.m, &s.guards, (guard){.active = UINT32_MAX});
    if (s.ok)
        search_block(&s, p->host, 0);
    bool any = out->accesses.len != 0;
    s.ok = s.ok && (!any || k_lanes_prepare(&s.lanes));
    for (uint32_t i = 0; s.ok && any && i < SAMPLES; i++) {
        k_lanes_compute(&s.lanes, i);
        compute_guards(&s);
        sample_accesses(&s, i);
    }
    if (s.ok)
        cost_accesses(out);
    k_lanes_free(&s.lanes);
    vec_free(s.m, &s.guards);
    return s.ok;
}

void k_banks_free(banks *b)
{
    vec_free(&b->p->cx->mem, &b->accesses);
}
