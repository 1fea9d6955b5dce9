/* Loops that ask in each turn whether something is right: what can be asked in front of the loop is asked there, and of the
 * rest the turns only note that something was not.  Where something was not, the loop runs as it was, to say what.
 *
 *   for i < n { x = s + i < len ? a[s + i] : (report); y = inside ? b[j] : (report); ... }
 *
 *   if (8 <= n && 0 <= s && s + n <= len) for i < n carry (failed = 0) { x = a[s + i]; y = inside ? b[j] : 0; ... yield failed | !inside }
 *   else failed = 1
 *   if (failed) for i < n { ... as before ... }
 *
 * Where nothing is left for the turns to ask, few turns have a loop of their own, which is not made a vector of:
 *
 *   if (0 <= s && s + n <= len) { if (8 <= n) for i < n { ... } else for i < n { ... } }
 *   else for i < n { ... as before ... }
 *
 * The first is loop versioning, the second the sticky flag of floating-point exceptions.  A report is an atomic step, before
 * which compilers leave a loop as it is; of a flag, and of loads under a condition, they make vectors.  So only where groups are
 * loops (the fact `serial`), and of loops whose turns do not depend on one another: innermost ones, which may run twice, as
 * they read nothing that they write. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"

enum {
    MOST_STATEMENTS = 128, /* of a loop that is copied */
    LEAST_TURNS = 8,       /* fewer are not worth the way into vectors and out again */
    MOST_TESTS = 8,        /* that are asked in front of it */
    SUM_DEPTH = 4          /* sums within the sum that an index is */
};

typedef struct sticky {
    rebuild r;
    k_id failed;            /* in this turn, so far: 1, or 0 */
    k_id tests[MOST_TESTS]; /* comparisons that hold in all turns of the copy that is being made */
    uint32_t ntests;
} sticky;

/* ---- which loops ---- */

/* What there is in a body. */
typedef struct contents {
    uint32_t statements, checks, stores;
    bool other; /* what may not run twice, or is a loop itself */
} contents;

static void look_at(const k_program *p, k_block b, contents *c)
{
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool pure = (k_op_info(n->op)->class == KC_VALUE && n->op != K_FAILED) ||
                    n->op == K_LOAD || n->op == K_YIELD || n->op == K_RESULT;
        c->statements++;
        c->checks += n->op == K_CHECK;
        c->stores += n->op == K_STORE;
        c->other = c->other || !(pure || n->op == K_CHECK || n->op == K_STORE || n->op == K_IF);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                look_at(p, n->blocks[i], c);
    }
}

static bool has_check(const k_program *p, k_block b)
{
    contents c = {0};
    look_at(p, b, &c);
    return c.checks > 0;
}

static bool loads_from(const k_program *p, k_block b, k_id memory)
{
    bool found = false;
    for (k_id id = k_block_at(p, b)->first; id && !found; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        found = n->op == K_LOAD && n->args[0] == memory;
        for (int i = 0; i < 2 && !found; i++)
            found = n->blocks[i] && loads_from(p, n->blocks[i], memory);
    }
    return found;
}

/* Whether what is stored in block b is read in the body. */
static bool reads_own(const k_program *p, k_block b, k_block body)
{
    bool found = false;
    for (k_id id = k_block_at(p, b)->first; id && !found; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        found = n->op == K_STORE && loads_from(p, body, n->args[0]);
        for (int i = 0; i < 2 && !found; i++)
            found = n->blocks[i] && reads_own(p, n->blocks[i], body);
    }
    return found;
}

static bool is_worth(const k_program *p, const k_node *n)
{
    contents c = {0};
    int64_t step;
    if (n->op != K_FOR || !(n->independent || n->unordered) || !k_is_const(p, n->args[2], &step) ||
        step != 1)
        return false;
    look_at(p, n->blocks[0], &c);
    return c.checks && !c.other && c.statements <= MOST_STATEMENTS &&
           (!c.stores || !reads_own(p, n->blocks[0], n->blocks[0]));
}

/* ---- which comparisons are answered in front ---- */

/* An index as the loop's variable, `sign` times it, and what is the same in all turns. */
typedef struct run {
    const k_program *p;
    k_builder *b;
    const rebuild *r;
    const k_node *loop;
    k_id variable, base; /* base: of the new program, an i64 */
    int sign;            /* 0: the variable has not been met */
} run;

/* Adds what v is, or subtracts it; false: it is no such sum. */
static bool add_terms(run *u, k_id v, bool minus, int depth)
{
    const k_node *n = k_at(u->p, v);
    if (v == u->variable) {
        bool first = !u->sign;
        u->sign = minus ? -1 : 1;
        return first;
    }
    if (n->depth <= u->loop->depth || n->op == K_CONST) {
        k_id term = kb_convert(u->b, ST_I64, rebuild_value(u->r, v));
        u->base = kb_scalar(u->b, minus ? SOP_SUB : SOP_ADD, u->base, term, 0);
        return true;
    }
    bool sum = n->op == K_SCALAR && (n->opcode == SOP_ADD || n->opcode == SOP_SUB);
    k_id x = n->args[0], y = n->args[1];
    return sum && depth && n->type == ST_I32 && add_terms(u, x, minus, depth - 1) &&
           add_terms(u, y, minus != (n->opcode == SOP_SUB), depth - 1);
}

/* Whether a comparison, that of an index without its sign with a limit that is the same in all turns, holds in all of them:
 * a value in front of the loop, or 0.  Where the sums do not wrap and are inside, they are what those that wrap are. */
static k_id holds_in_all(const run *loop, k_id test)
{
    run u = *loop;
    k_builder *b = u.b;
    const k_node *n = k_at(u.p, test);
    if (n->op != K_SCALAR || n->opcode != SOP_LT || k_at(u.p, n->args[1])->depth > u.loop->depth)
        return 0;
    k_id index = k_signed_of(u.p, n->args[0]), limit = k_signed_of(u.p, n->args[1]);
    u.base = kb_const(b, ST_I64, 0);
    if (index == n->args[0] || limit == n->args[1] || !add_terms(&u, index, false, SUM_DEPTH) || !u.sign)
        return 0;
    k_id from = kb_convert(b, ST_I64, rebuild_value(u.r, u.loop->args[0])),
         end = kb_convert(b, ST_I64, rebuild_value(u.r, u.loop->args[1])),
         last = kb_sub(b, end, kb_const(b, ST_I64, 1)), zero = kb_const(b, ST_I64, 0);
    opcode op = u.sign < 0 ? SOP_SUB : SOP_ADD;
    k_id first_at = kb_scalar(b, op, u.base, u.sign < 0 ? last : from, 0),
         last_at = kb_scalar(b, op, u.base, u.sign < 0 ? from : last, 0),
         most = kb_convert(b, ST_I64, rebuild_value(u.r, limit));
    return kb_scalar(b, SOP_AND, kb_scalar(b, SOP_GE, first_at, zero, 0),
                     kb_scalar(b, SOP_LT, last_at, most, 0), 0);
}

/* Fills s->tests; whether all of them hold. */
static k_id ask_before(sticky *s, const run *u, k_block body, k_id all)
{
    for (k_id id = k_block_at(u->p, body)->first; id; id = k_at(u->p, id)->next) {
        k_id holds = s->ntests < MOST_TESTS ? holds_in_all(u, id) : 0;
        if (holds) {
            s->tests[s->ntests++] = id;
            all = kb_scalar(u->b, SOP_AND, all, holds, 0);
        }
        for (int i = 0; i < 2; i++)
            if (k_at(u->p, id)->blocks[i])
                all = ask_before(s, u, k_at(u->p, id)->blocks[i], all);
    }
    return all;
}

static bool is_answered(const sticky *s, k_id old)
{
    for (uint32_t i = 0; i < s->ntests; i++)
        if (s->tests[i] == old)
            return true;
    return false;
}

/* Whether a check is left that the turns ask. */
static bool is_left(const sticky *s, k_block body)
{
    const k_program *p = s->r.old;
    bool left = false;
    for (k_id id = k_block_at(p, body)->first; id && !left; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        bool holds = (n->op == K_CHECK || n->op == K_IF) && is_answered(s, n->args[0]);
        left = n->op == K_CHECK && !holds;
        for (int i = 0; i < (holds ? 1 : 2) && !left; i++)
            left = n->blocks[i] && is_left(s, n->blocks[i]);
    }
    return left;
}

/* ---- building ---- */

static bool changes(rebuild *r, k_id region, uint32_t i)
{
    const k_node *n = k_at(r->old, region);
    (void)i;
    return (n->blocks[0] && has_check(r->old, n->blocks[0])) ||
           (n->blocks[1] && has_check(r->old, n->blocks[1]));
}

static void note(sticky *s, k_id condition)
{
    k_builder *b = &s->r.b;
    k_id now = kb_select(b, rebuild_value(&s->r, condition), kb_int(b, 0), kb_int(b, 1));
    s->failed = kb_scalar(b, SOP_OR, s->failed, now, 0);
}

/* The loop, and the flag behind what it carries, if turns ask anything. */
static void copy_noting(sticky *s, k_id old, k_id *values, bool asks, bool many)
{
    rebuild *r = &s->r;
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    uint32_t own = n.nresults, all = own + asks;
    rebuild_carried(r, &n, values);
    values[own] = kb_int(b, 0);
    k_id stmt = rebuild_open_for(r, old, values, all);
    k_at(b->p, stmt)->unordered = many && (n.unordered || asks);
    k_at(b->p, stmt)->independent = many && n.independent && !asks;
    s->failed = kb_int(b, 0);
    r->nstate = 1;
    rebuild_block(r, n.blocks[0]);
    r->nstate = 0;
    rebuild_yield(r, n.blocks[0], values, own);
    if (asks)
        values[own] = kb_scalar(b, SOP_OR, kb_param(b, stmt, all), s->failed, 0);
    kb_close(b, values, all);
    for (uint32_t i = 0; i < all; i++)
        values[i] = kb_result(b, stmt, i);
}

/* The loop as it was, with its results in values. */
static void copy_asking(sticky *s, k_id old, k_id *values)
{
    const k_node *n = k_at(s->r.old, old);
    s->ntests = 0;
    rebuild_copy(&s->r, old);
    for (uint32_t i = 0; i < n->nresults; i++)
        values[i] = rebuild_value(&s->r, n->results + i);
}

/* Many turns note what they ask; where what was asked in front does not hold, or there are few, the flag is set. */
static void copy_flagged(sticky *s, k_id old, k_id *values, k_id fast)
{
    k_builder *b = &s->r.b;
    const k_node n = *k_at(s->r.old, old);
    uint32_t own = n.nresults, all = own + 1;
    k_id noted = kb_open_if(b, fast);
    copy_noting(s, old, values, true, true);
    kb_next_block(b, values, all);
    rebuild_carried(&s->r, &n, values);
    values[own] = kb_int(b, 1);
    kb_close(b, values, all);
    k_id failed = kb_result(b, noted, own);
    k_id stmt = kb_open_if(b, kb_scalar(b, SOP_NE, failed, kb_int(b, 0), 0));
    copy_asking(s, old, values);
    kb_next_block(b, values, own);
    for (uint32_t i = 0; i < own; i++)
        values[i] = kb_result(b, noted, i);
    kb_close(b, values, own);
    rebuild_results(&s->r, old, stmt);
}

/* Turns that ask nothing, many or few, where what was asked in front holds. */
static void copy_parted(sticky *s, k_id old, k_id *values, k_id holds, k_id many)
{
    k_builder *b = &s->r.b;
    uint32_t own = k_at(s->r.old, old)->nresults;
    k_id stmt = kb_open_if(b, holds), inner = kb_open_if(b, many);
    copy_noting(s, old, values, false, true);
    kb_next_block(b, values, own);
    copy_noting(s, old, values, false, false);
    kb_close(b, values, own);
    for (uint32_t i = 0; i < own; i++)
        values[i] = kb_result(b, inner, i);
    kb_next_block(b, values, own);
    copy_asking(s, old, values);
    kb_close(b, values, own);
    rebuild_results(&s->r, old, stmt);
}

/* In the place of a loop: what it becomes. */
static void replace(sticky *s, k_id old, k_id *values)
{
    rebuild *r = &s->r;
    k_builder *b = &r->b;
    const k_node n = *k_at(r->old, old);
    run u = {.p = r->old, .b = b, .r = r, .loop = &n};
    u.variable = k_block_at(r->old, n.blocks[0])->params;
    s->ntests = 0;
    k_id turns = kb_sub(b, rebuild_value(r, n.args[1]), rebuild_value(r, n.args[0])),
         many = kb_scalar(b, SOP_GE, turns, kb_const(b, (scalar)k_at(b->p, turns)->type, LEAST_TURNS), 0),
         holds = ask_before(s, &u, n.blocks[0], kb_const(b, ST_BOOL, 1));
    if (is_left(s, n.blocks[0]))
        copy_flagged(s, old, values, kb_scalar(b, SOP_AND, many, holds, 0));
    else
        copy_parted(s, old, values, holds, many);
}

static bool statement(rebuild *r, k_id old)
{
    sticky *s = (sticky *)r;
    const k_node n = *k_at(r->old, old);
    if (is_answered(s, old)) {
        r->map[old] = kb_const(&r->b, ST_BOOL, 1);
        return true;
    }
    if (r->nstate) {
        if (n.op == K_CHECK)
            note(s, n.args[0]);
        return n.op == K_CHECK;
    }
    if (!is_worth(r->old, &n))
        return false;
    k_id *values = rebuild_room(r, n.nresults + 1u);
    if (!values)
        return true;
    replace(s, old, values);
    return true;
}

bool k_sticky(k_program *p)
{
    sticky s = {.r = {.statement = statement, .changes = changes}};
    s.r.state = &s.failed;
    return !p->target.facts.serial || k_rebuild(p, &s.r);
}
