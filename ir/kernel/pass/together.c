/* Launches that go through the same elements: one launch, whose threads do the work of all of them.
 *
 *   launch { par grid i < n { x = load xs, i; store ys, i, f x } }
 *   launch { par grid i < n { x = load xs, i; store zs, i, g x } }
 *
 * becomes `launch { par grid i < n { x = load xs, i; store ys, i, f x; store zs, i, g x } }`: what both load is loaded once, and
 * what both compute is computed once.  Horizontal fusion, as it is called.  A later one may load what an earlier one has stored of the
 * same element, which the thread has then, where that is a result: other memories are there because somebody decided so.  So are ifs of the host of the same condition with such launches in both branches, as of
 * positions of 32 and of 64 bits.
 *
 * Between them nothing is done but to make memories, and none stores what another loads or stores elsewhere.  Launches that only
 * copy stay alone, as memories may change places instead (places.c). */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum { MOST_TOGETHER = 8, MOST_MEMORIES = 24, MOST_STATEMENTS = 96 };

/* What a launch does, element by element. */
typedef struct element_work {
    k_id launch, par, index;
    k_id loads[MOST_MEMORIES], stores[MOST_MEMORIES], values[MOST_MEMORIES]; /* values[k] goes to element `index` of stores[k] */
    bool own[MOST_MEMORIES]; /* of loads: of nothing but element `index` */
    uint32_t nloads, nstores, statements;
    bool computes;
} element_work;

/* A statement of the host: a launch, or an if with one in each branch. */
typedef struct unit {
    k_id id, cond;
    element_work of[2];
    uint32_t n;
} unit;

typedef struct uniting {
    rebuild r;
    k_id *before; /* by statement: the one in front that is done with it; 0: none */
    bool *waits;  /* by statement: it is done with one further on */
    bool *given;  /* by memory: it is a result */
    const element_work *members; /* that are being written, and how many are */
    uint32_t nmembers;
    unit units[MOST_TOGETHER]; /* of the group that is looked at */
    uint32_t nunits;
    bool any;
} uniting;

/* ---- what launches do ---- */

static bool add_load(element_work *w, const k_node *n)
{
    uint32_t k = 0;
    while (k < w->nloads && w->loads[k] != n->args[0])
        k++;
    if (k == MOST_MEMORIES)
        return false;
    if (k == w->nloads) {
        w->loads[w->nloads++] = n->args[0];
        w->own[k] = true;
    }
    w->own[k] = w->own[k] && n->args[1] == w->index;
    return true;
}

/* Of each memory the element itself, once, and whatever is done about others. */
static bool add_store(const k_program *p, element_work *w, const k_node *n, bool outermost)
{
    for (uint32_t k = 0; k < w->nstores; k++)
        if (w->stores[k] == n->args[0])
            return false;
    if (!outermost || n->args[1] != w->index || w->nstores == MOST_MEMORIES)
        return false;
    w->stores[w->nstores] = n->args[0];
    w->values[w->nstores++] = n->args[2];
    w->computes = w->computes || k_at(p, n->args[2])->op != K_LOAD;
    return true;
}

static bool add_block(const k_program *p, element_work *w, k_block b, bool outermost)
{
    bool ok = true;
    for (k_id id = b ? k_block_at(p, b)->first : 0; id && ok; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        ok = ++w->statements <= MOST_STATEMENTS;
        if (n->op == K_LOAD)
            ok = ok && add_load(w, n);
        else if (n->op == K_STORE)
            ok = ok && add_store(p, w, n, outermost);
        else if (n->op == K_IF)
            ok = ok && add_block(p, w, n->blocks[0], false) && add_block(p, w, n->blocks[1], false);
        else
            ok = ok && (k_op_info(n->op)->class == KC_VALUE || n->op == K_CHECK || n->op == K_YIELD);
    }
    return ok;
}

static bool stores_to(const element_work *w, k_id memory)
{
    for (uint32_t k = 0; k < w->nstores; k++)
        if (w->stores[k] == memory)
            return true;
    return false;
}

/* The one statement of a block that does something; 0: there is none, or there are several. */
static k_id only_statement(const k_program *p, k_block b)
{
    k_id id = b ? k_past_host(p, k_block_at(p, b)->first) : 0, next = id ? k_past_host(p, k_at(p, id)->next) : 0;
    return id && k_at(p, id)->op != K_YIELD && (!next || k_at(p, next)->op == K_YIELD) ? id : 0;
}

/* One loop over the grid, and values. */
static bool is_element_work(const k_program *p, k_id launch, element_work *w)
{
    const k_node *n = k_at(p, launch);
    *w = (element_work){.launch = launch, .par = n->op == K_LAUNCH ? only_statement(p, n->blocks[0]) : 0};
    const k_node *par = k_at(p, w->par);
    if (!w->par || par->op != K_PAR || par->workers != OVER_GRID)
        return false;
    w->index = k_block_at(p, par->blocks[0])->params;
    bool ok = add_block(p, w, par->blocks[0], true) && w->nstores && w->computes;
    for (uint32_t k = 0; ok && k < w->nloads; k++)
        ok = !stores_to(w, w->loads[k]);
    return ok;
}

static bool is_unit(const k_program *p, k_id id, unit *u)
{
    const k_node *n = k_at(p, id);
    *u = (unit){.id = id, .n = n->op == K_IF ? 2 : 1, .cond = n->op == K_IF ? n->args[0] : 0};
    if (n->op == K_LAUNCH)
        return is_element_work(p, id, &u->of[0]);
    if (n->op != K_IF || n->nresults)
        return false;
    k_id first = only_statement(p, n->blocks[0]), second = only_statement(p, n->blocks[1]);
    return first && second && is_element_work(p, first, &u->of[0]) && is_element_work(p, second, &u->of[1]);
}

/* ---- which may be one ---- */

/* Whether the later one loads of what the earlier one loads or stores, element by element; *apart: in no other way of what that
 * stores. */
static bool shares(const uniting *s, const element_work *a, const element_work *b, bool *apart)
{
    bool some = false;
    for (uint32_t k = 0; k < b->nloads; k++) {
        bool stored = stores_to(a, b->loads[k]), taken = stored && b->own[k] && s->given[b->loads[k]];
        *apart = *apart && (!stored || taken);
        some = some || taken;
        for (uint32_t i = 0; i < a->nloads; i++)
            some = some || (a->loads[i] == b->loads[k] && a->own[i] && b->own[k]);
    }
    for (uint32_t k = 0; k < b->nstores; k++) {
        *apart = *apart && !stores_to(a, b->stores[k]);
        for (uint32_t i = 0; i < a->nloads; i++)
            *apart = *apart && a->loads[i] != b->stores[k];
    }
    return some;
}

static bool are_alike(const k_program *p, const element_work *a, const element_work *b)
{
    const k_node *x = k_at(p, a->launch), *y = k_at(p, b->launch);
    return x->level == y->level && x->args[1] == y->args[1] && x->joined == y->joined &&
           k_at(p, a->par)->args[0] == k_at(p, b->par)->args[0];
}

static bool may_join(const uniting *s, const unit *u)
{
    const k_program *p = s->r.old;
    bool some = false, apart = s->nunits > 0 && s->nunits < MOST_TOGETHER && s->units[0].n == u->n && s->units[0].cond == u->cond;
    uint32_t statements[2] = {u->of[0].statements, u->of[1].statements};
    for (uint32_t i = 0; i < s->nunits && apart; i++)
        for (uint32_t k = 0; k < u->n && apart; k++) {
            apart = are_alike(p, &s->units[i].of[k], &u->of[k]);
            some = shares(s, &s->units[i].of[k], &u->of[k], &apart) || some;
            statements[k] += s->units[i].of[k].statements;
        }
    return some && apart && statements[0] <= MOST_STATEMENTS && statements[1] <= MOST_STATEMENTS;
}

/* What may stand between them: it comes first then. */
static bool is_passed(const k_node *n)
{
    return k_may_pass(n) || n->op == K_CHECK;
}

static void find_results(uniting *s, k_block b)
{
    for (k_id id = k_block_at(s->r.old, b)->first; id; id = k_at(s->r.old, id)->next)
        if (k_at(s->r.old, id)->op == K_OUTPUT)
            s->given[k_at(s->r.old, id)->args[0]] = true;
}

static void find_in(uniting *s, k_block b)
{
    const k_program *p = s->r.old;
    unit u;
    s->nunits = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        if (is_passed(n))
            continue;
        bool is = is_unit(p, id, &u);
        if (is && may_join(s, &u)) {
            s->before[id] = s->units[s->nunits - 1].id;
            s->waits[s->before[id]] = s->any = true;
        } else {
            s->nunits = 0;
        }
        if (is)
            s->units[s->nunits++] = u;
    }
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        for (int i = 0; i < 2 && k_at(p, id)->op != K_LAUNCH; i++)
            if (k_at(p, id)->blocks[i])
                find_in(s, k_at(p, id)->blocks[i]);
}

/* ---- writing them ---- */

/* Of what an earlier one has stored the thread has its element. */
static bool take_stored(uniting *s, k_id old)
{
    const k_node *n = k_at(s->r.old, old);
    for (uint32_t m = 0; n->op == K_LOAD && m < s->nmembers; m++)
        for (uint32_t k = 0; k < s->members[m].nstores; k++)
            if (s->members[m].stores[k] == n->args[0]) {
                s->r.map[old] = rebuild_value(&s->r, s->members[m].values[k]);
                return true;
            }
    return false;
}

static void write_launch(uniting *s, const element_work *works, uint32_t n)
{
    rebuild *r = &s->r;
    k_builder *b = &r->b;
    const k_node first = *k_at(r->old, works[0].launch);
    int64_t threads = 1;
    k_is_const(r->old, first.args[1], &threads);
    k_id stmt = kb_open_launch(b, first.level, rebuild_value(r, first.args[0]), (uint32_t)threads);
    for (uint32_t i = 0; i < n; i++)
        for (k_id id = k_block_at(r->old, k_at(r->old, works[i].launch)->blocks[0])->first; id; id = k_at(r->old, id)->next)
            if (id != works[i].par && k_at(r->old, id)->op != K_YIELD)
                rebuild_statement(r, id);
    k_id par = kb_open_par(b, OVER_GRID, rebuild_value(r, k_at(r->old, works[0].par)->args[0]));
    s->members = works;
    for (s->nmembers = 0; s->nmembers < n; s->nmembers++) {
        rebuild_params(r, works[s->nmembers].par, par, 0);
        rebuild_block(r, k_at(r->old, works[s->nmembers].par)->blocks[0]);
    }
    s->nmembers = 0;
    kb_close(b, NULL, 0);
    kb_close(b, NULL, 0);
    k_at(b->p, stmt)->joined = first.joined;
}

/* All that are done with the last one of them, in their order. */
static void write_units(uniting *s, k_id last)
{
    rebuild *r = &s->r;
    element_work works[2][MOST_TOGETHER];
    unit u = {0};
    uint32_t n = 1;
    for (k_id id = last; s->before[id]; id = s->before[id])
        n++;
    uint32_t i = n;
    for (k_id id = last; i-- > 0; id = s->before[id]) {
        is_unit(r->old, id, &u);
        works[0][i] = u.of[0];
        works[1][i] = u.of[1];
    }
    if (u.cond)
        kb_open_if(&r->b, rebuild_value(r, u.cond));
    write_launch(s, works[0], n);
    if (!u.cond)
        return;
    kb_next_block(&r->b, NULL, 0);
    write_launch(s, works[1], n);
    kb_close(&r->b, NULL, 0);
}

static bool statement(rebuild *r, k_id old)
{
    uniting *s = (uniting *)r;
    if (s->waits[old])
        return true;
    if (!s->before[old])
        return take_stored(s, old);
    diag_remark(r->old->cx, DIAG_TELL_TOGETHER, k_loc_at(r->b.p, k_at(r->old, old)->loc),
                "done by the launch of an earlier one: both go through the same elements, and load the same");
    write_units(s, old);
    return true;
}

bool k_together(k_program *p)
{
    mem *m = &p->cx->mem;
    size_t n = p->nodes.len, size = n * sizeof(k_id);
    uniting s = {.r = {.old = p, .statement = statement}, .before = mem_zeroed(m, size), .waits = mem_zeroed(m, 2 * n)};
    bool ok = s.before && s.waits;
    if (ok) {
        s.given = s.waits + n;
        find_results(&s, p->host);
        find_in(&s, p->host);
    }
    ok = ok && (!s.any || k_rebuild(p, &s.r));
    mem_free(m, s.before, size);
    mem_free(m, s.waits, 2 * n);
    return ok;
}
