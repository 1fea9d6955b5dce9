/* Launches whose checks the host can answer for all threads at once: a launch without them stands
 * beside the one that has them, and the host chooses.  It is loop versioning by a range check that
 * is moved in front, as compilers of Java do it.
 *
 * An index that is below an extent wherever it is computed needs no check; but where the index
 * comes from the extents of one array and the limit from those of another, nothing tells before a
 * run. The host then compares an upper bound of the index with the limit.  If the bound is below,
 * so is every index; if not, some may still be, and the launch with the checks finds out.  What is
 * without checks can be read by wide accesses, and several at once.
 *
 * Only checks in loops of a thread are worth it: one for an element costs nothing beside the
 * element. Conditions that hang on what is in memory stay, and launches whose elements are counted
 * in 64 bits, which wait for memory.  Launches of one group that follow go along into both
 * branches, where join finds them. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/algebra/algebra.h"
#include "ir/kernel/build/rebuild.h"
#include "ir/kernel/facts.h"

enum { CONDITION_PARTS = 16 }; /* conditions that one check is made of, at most */

typedef struct precheck {
    rebuild r;
    vec_u32 launches; /* of the old program: one, and those of a single group that follow */
    vec_u32 tests;    /* comparisons in them that the host answers */
    vec_u32 before;   /* what stood for these in the copy */
    bool in_loops;    /* whether some of these belong to checks in loops */
    uint64_t counted; /* statements of the launches */
    bool answered;    /* what is copied now are the launches without the tests */
    k_id last; /* of the launches that have been copied, while those before it are met; or 0 */
} precheck;

/* ---- which comparisons decide whether something is right ---- */

/* Whether the host knows v where a launch stands at that depth. */
static bool is_outside(const k_program *p, k_id v, uint16_t depth)
{
    return k_at(p, v)->depth <= depth;
}

/* Whether t compares an int with what the host knows, both as they are or as numbers without a
 * sign: to be below, that is not to be negative either. */
static bool is_test(const k_program *p, k_id t, uint16_t depth)
{
    const k_node *n = k_at(p, t);
    return n->op == K_SCALAR && n->opcode == SOP_LT && is_outside(p, n->args[1], depth) &&
           k_at(p, k_signed_of(p, n->args[0]))->type == ST_I32 &&
           k_at(p, k_signed_of(p, n->args[1]))->type == ST_I32;
}

/* The comparisons that cond is made of, in at[]; how many, 0 when some of it is nothing that the
 * host could answer. */
static uint32_t parts_of(const k_program *p, k_id cond, uint16_t depth, k_id *at, uint32_t room)
{
    const k_node *n = k_at(p, cond);
    if (n->op == K_SCALAR && n->opcode == SOP_AND) {
        uint32_t x = parts_of(p, n->args[0], depth, at, room);
        uint32_t y = x ? parts_of(p, n->args[1], depth, at + x, room - x) : 0;
        return y ? x + y : 0;
    }
    if (!room || !is_test(p, cond, depth))
        return 0;
    *at = cond;
    return 1;
}

/* Whether a list has what is looked for. */
static bool has(const vec_u32 *list, k_id id)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i] == id)
            return true;
    return false;
}

/* A place among the statements of a launch. */
typedef struct place {
    uint16_t depth; /* of the launch */
    k_id unless;    /* what does not hold where it is run; 0: nothing is known */
    bool looped;    /* whether it is in a loop of a thread */
} place;

static void note(precheck *s, k_id cond, place at)
{
    k_id parts[CONDITION_PARTS];
    uint32_t n = parts_of(s->r.old, cond, at.depth, parts, CONDITION_PARTS);
    s->in_loops = s->in_loops || (n && at.looped);
    for (uint32_t i = 0; i < n; i++)
        if (!has(&s->tests, parts[i]) && !vec_push(&s->r.old->cx->mem, &s->tests, parts[i]))
            s->r.b.failed = true;
}

static void find_tests(precheck *s, k_block b, place at)
{
    const k_program *p = s->r.old;
    for (k_id id = k_block_at(p, b)->first; id && !s->r.b.failed; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        int64_t holds;
        s->counted++;
        if (n->op == K_CHECK)
            note(s, k_is_const(p, n->args[0], &holds) ? at.unless : n->args[0], at);
        for (int i = 0; i < 2; i++)
            if (n->blocks[i])
                find_tests(s, n->blocks[i],
                           (place){.depth = at.depth,
                                   .unless = n->op == K_IF && i == 1 ? n->args[0] : 0,
                                   .looped = at.looped || k_is_loop(n)});
    }
}

/* ---- which launches ---- */

/* What the workers of a launch share is counted by it; 0: it has none. */
static const k_node *work_of(const k_program *p, const k_node *launch)
{
    k_id id = k_block_at(p, launch->blocks[0])->first;
    while (id && k_at(p, id)->op != K_PAR)
        id = k_at(p, id)->next;
    return k_at(p, id);
}

/* The launch behind n, when one group does it; or 0. */
static k_id next_single(const k_program *p, const k_node *n)
{
    k_id next = k_past_host(p, n->next);
    int64_t groups;
    const k_node *launch = k_at(p, next);
    bool single = launch->op == K_LAUNCH && k_is_const(p, work_of(p, launch)->args[0], &groups) &&
                  groups == 1;
    return single ? next : 0;
}

static bool counts_in_64(const k_program *p, const k_node *launch)
{
    return k_at(p, work_of(p, launch)->args[0])->type == ST_I64;
}

/* Fills s->launches and s->tests; false when it is not worth anything. */
static bool is_worth(precheck *s, k_id launch)
{
    const k_program *p = s->r.old;
    const k_node *first = k_at(p, launch);
    if (first->op != K_LAUNCH || counts_in_64(p, first))
        return false;
    s->launches.len = s->tests.len = 0;
    s->counted = 0;
    s->in_loops = false;
    for (k_id l = launch; l && !s->r.b.failed; l = next_single(p, k_at(p, l))) {
        find_tests(s, k_at(p, l)->blocks[0], (place){.depth = first->depth});
        if (!vec_push(&p->cx->mem, &s->launches, l))
            s->r.b.failed = true;
    }
    if (!s->in_loops || s->r.b.failed)
        return false;
    if (s->counted > p->target.tuning.precheck)
        k_decided(s->r.b.p, TUNE_precheck, first->loc, s->counted);
    return s->counted <= p->target.tuning.precheck;
}

/* ---- building ---- */

/* An upper bound of a sum of products of natural numbers, as an i64 that is at most 2^31; or 0.
 * Sums and products that wrap are the same modulo 2^32: where the bound is an int, they are what
 * they would be without.  Adds to *also what the host has to ask besides. */
static k_id sum_upper(k_builder *b, k_id v, k_id *also, int depth)
{
    const k_node n = *k_at(b->p, v);
    bool parts = n.op == K_SCALAR && (n.opcode == SOP_ADD || n.opcode == SOP_MUL);
    if (kb_is_host(b, v) || !parts || !depth) {
        k_id most = k_lo(b->p, v) >= 0 || kb_is_host(b, v) ? ka_upper(b, v) : 0;
        if (most && k_lo(b->p, v) < 0)
            *also = kb_scalar(b, SOP_AND, *also, kb_scalar(b, SOP_GE, v, kb_int(b, 0), 0), 0);
        return most ? kb_convert(b, ST_I64, most) : 0;
    }
    k_id x = sum_upper(b, n.args[0], also, depth - 1),
         y = x ? sum_upper(b, n.args[1], also, depth - 1) : 0;
    k_id most = y ? kb_scalar(b, (opcode)n.opcode, x, y, 0) : 0;
    return most ? kb_scalar(b, SOP_MIN, most, kb_const(b, ST_I64, (uint64_t)1 << 31), 0) : 0;
}

/* Whether an index is below a limit of the host, and natural, in all threads. */
static k_id is_inside(k_builder *b, k_id index, k_id limit)
{
    enum { SUM_DEPTH = 8 };
    k_id also = kb_scalar(b, SOP_GE, limit, kb_int(b, 0), 0);
    k_id most = sum_upper(b, index, &also, SUM_DEPTH);
    return most ? kb_scalar(b, SOP_AND, also, kb_scalar(b, SOP_LT, most, limit, 0), 0) : 0;
}

/* Whether a comparison in the launches that have just been copied holds in all of their threads: a
 * value of the host, or 0. */
static k_id held_by_all(precheck *s, k_id old)
{
    k_builder *b = &s->r.b;
    k_id test = rebuild_value(&s->r, old);
    const k_node n = *k_at(b->p, test);
    if (kb_is_host(b, test))
        return test;
    if (n.op != K_SCALAR || n.opcode != SOP_LT || !kb_is_host(b, n.args[1]))
        return 0;
    k_id index = k_signed_of(b->p, n.args[0]), limit = k_signed_of(b->p, n.args[1]);
    if (index != n.args[0] && k_lo(b->p, index) < 0)
        return is_inside(b, index, limit);
    k_id most = ka_upper(b, index);
    return most ? kb_scalar(b, SOP_LT, most, limit, 0) : 0;
}

/* Leaves in s->tests those that the host answers; its answer to all of them together, or 0. */
static k_id answer(precheck *s)
{
    k_builder *b = &s->r.b;
    k_id all = kb_const(b, ST_BOOL, 1);
    uint32_t kept = 0;
    int64_t known;
    for (uint32_t i = 0; i < s->tests.len; i++) {
        k_id one = held_by_all(s, s->tests.at[i]);
        if (!one || (k_is_const(b->p, one, &known) && !known))
            continue;
        all = kb_scalar(b, SOP_AND, all, one, 0);
        s->tests.at[kept++] = s->tests.at[i];
    }
    s->tests.len = kept;
    return k_is_const(b->p, all, &known) ? 0 : all;
}

/* From here on the tests hold; those that the host computes stand in front of the launches, and are not copied with them. */
static bool set_answers(precheck *s)
{
    bool ok = true;
    s->before.len = 0;
    for (uint32_t i = 0; ok && i < s->tests.len; i++) {
        ok = vec_push(&s->r.old->cx->mem, &s->before, s->r.map[s->tests.at[i]]);
        s->r.map[s->tests.at[i]] = kb_const(&s->r.b, ST_BOOL, 1);
    }
    return ok;
}

static void take_answers_back(precheck *s)
{
    for (uint32_t i = 0; i < s->before.len; i++)
        s->r.map[s->tests.at[i]] = s->before.at[i];
}

static void copy_launches(precheck *s)
{
    for (uint32_t i = 0; i < s->launches.len; i++)
        rebuild_copy(&s->r, s->launches.at[i]);
}

/* The bounds are read off a copy that is dropped, while what they are made of stays with the host.
 */
static k_id ask(precheck *s)
{
    k_builder *b = &s->r.b;
    kb_open_scratch(b);
    copy_launches(s);
    k_id all = b->failed ? 0 : answer(s);
    kb_discard(b);
    return all;
}

/* What stands between the launches goes before them. */
static void copy_between(precheck *s, k_id last)
{
    const k_program *p = s->r.old;
    for (k_id id = s->launches.at[0]; id != last; id = k_at(p, id)->next)
        if (k_at(p, id)->op != K_LAUNCH)
            rebuild_statement(&s->r, id);
}

static void copy_both(precheck *s)
{
    k_builder *b = &s->r.b;
    k_id last = s->launches.at[s->launches.len - 1];
    copy_between(s, last);
    k_id all = ask(s);
    if (!all) {
        copy_launches(s);
    } else {
        kb_open_if(b, all);
        s->answered = true;
        s->r.b.failed = !set_answers(s) || s->r.b.failed;
        copy_launches(s);
        take_answers_back(s);
        s->answered = false;
        kb_next_block(b, NULL, 0);
        copy_launches(s);
        kb_close(b, NULL, 0);
    }
    s->last = s->launches.len > 1 ? last : 0;
}

/* Whether a statement has been dealt with: one up to the last of the launches, or a test. */
static bool is_done(precheck *s, k_id old)
{
    if (!s->last)
        return s->answered && has(&s->tests, old);
    s->last = old == s->last ? 0 : s->last;
    return true;
}

static bool statement(rebuild *r, k_id old)
{
    precheck *s = (precheck *)r;
    if (is_done(s, old))
        return true;
    if (!is_worth(s, old))
        return false;
    copy_both(s);
    return true;
}

bool k_precheck(k_program *p)
{
    precheck s = {.r.statement = statement};
    bool ok = !p->target.tuning.precheck || k_rebuild(p, &s.r);
    vec_free(&p->cx->mem, &s.launches);
    vec_free(&p->cx->mem, &s.tests);
    vec_free(&p->cx->mem, &s.before);
    return ok;
}
