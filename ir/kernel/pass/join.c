/* Launches of a single group, done by the last group of the launch before.
 *
 * A reduction leaves a sum for each group, which one group adds up: a second launch, whose start
 * costs more than its work.  Here every group of the first counts itself, when all that it writes
 * can be seen, in a memory that is zero between runs; the last to arrive sees what all others have
 * written, does what the second launch was for, and sets the count back.  CUDA's programmers know
 * it as the reduction with a thread fence.
 *
 * Where the first launch may turn out to have no groups, one is started all the same, for what
 * follows.  Any number of launches of one group in a row joins in.  What is joined has the
 * registers and local memory of both, so that only what needs little memory is.  Where each branch
 * of an if ends with a launch that it can be joined to, it goes into both branches.
 *
 * To arrive takes a group about as long as memory takes to answer twice.  Groups that do little
 * otherwise lose by it when there are many: then the plan has both forms and chooses by their
 * number. */
#include "ir/kernel/pass/pass.h"

#include "ir/kernel/build/rebuild.h"
#include "ir/kernel/facts.h"

enum {
    LOCAL_MOST = 8192
}; /* bytes of local memory that every group may get for the last one's work */

typedef struct joining {
    rebuild r;
    vec_u32 held;   /* launches that were met and are not built yet: those behind the first have one
                       group.  The first may be an if whose branches end with such */
    bool following; /* what is built now is a later one of these: done by one group */
    k_id groups;    /* of the first, while that is built */
} joining;

/* ---- what can be joined ---- */

/* Groups of a launch, and threads of a group; 0: no constant. */
enum { GROUPS, THREADS };
static int64_t extent_of(const k_program *p, const k_node *launch, int which)
{
    int64_t n = 0;
    return k_is_const(p, launch->args[which], &n) ? n : 0;
}

/* Bytes of the local arrays in a block; more than enough where one has a size of the launch's. */
static uint64_t local_bytes(const k_program *p, k_block b)
{
    uint64_t bytes = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next) {
        const k_node *n = k_at(p, id);
        int64_t elements = LOCAL_MOST;
        if (n->op == K_ALLOC && n->space == SPACE_LOCAL) {
            k_is_const(p, n->args[0], &elements);
            bytes += (uint64_t)elements * ir_scalar_bytes((scalar)n->type);
        }
        for (int i = 0; i < 2; i++)
            bytes += n->blocks[i] ? local_bytes(p, n->blocks[i]) : 0;
    }
    return bytes;
}

/* The launch of one group that comes next; or 0. */
static k_id next_single(const k_program *p, const k_node *n)
{
    k_id next = k_past_host(p, n->next);
    const k_node *launch = k_at(p, next);
    return launch->op == K_LAUNCH && extent_of(p, launch, GROUPS) == 1 ? next : 0;
}

/* What a branch ends with, but for what may stand before that as well; or 0. */
static k_id last_of(const k_program *p, k_block b)
{
    k_id last = 0;
    for (k_id id = k_block_at(p, b)->first; id; id = k_at(p, id)->next)
        if (!k_may_pass(k_at(p, id)) && k_at(p, id)->op != K_YIELD)
            last = id;
    return last;
}

static bool is_plain_if(const k_node *n)
{
    return n->op == K_IF && !n->nresults;
}

/* Whether the last group of a launch, or of each that an if ends with, can do another one. */
static bool does(const k_program *p, k_id first, const k_node *launch)
{
    const k_node *n = k_at(p, first);
    if (is_plain_if(n))
        return does(p, last_of(p, n->blocks[0]), launch) &&
               does(p, last_of(p, n->blocks[1]), launch);
    uint64_t needs = local_bytes(p, launch->blocks[0]);
    return n->op == K_LAUNCH && extent_of(p, launch, THREADS) == extent_of(p, n, THREADS) &&
           (needs <= LOCAL_MOST || needs <= local_bytes(p, n->blocks[0]));
}

/* Whether a launch comes next that the last group of those that are held can do. */
static bool is_followed(const joining *s, const k_node *n)
{
    const k_program *p = s->r.old;
    k_id next = next_single(p, n);
    return next && does(p, s->held.at[0], k_at(p, next));
}

static uint64_t loaded_bytes(const k_program *p, k_block b);

/* How often a loop's body is run at most. */
static uint64_t turns_of(const k_program *p, const k_node *n)
{
    int64_t step = 1;
    if (n->op == K_IF)
        return 1;
    if (n->op != K_FOR || !k_is_const(p, n->args[2], &step) || step < 1)
        return UINT32_MAX;
    int64_t from = k_lo(p, n->args[0]), to = k_hi(p, n->args[1]);
    return to <= from ? 0
           : from < INT32_MIN || to - 1 > (int64_t)INT32_MAX
               ? UINT32_MAX
               : (uint64_t)((to - from + step - 1) / step);
}

/* Bytes of global memory that a thread loads at most. */
static uint64_t loaded_by(const k_program *p, const k_node *n)
{
    const k_node *memory = k_at(p, n->args[0]);
    uint64_t bytes = 0, turns = n->blocks[0] ? turns_of(p, n) : 1;
    if (n->op == K_LOAD || n->op == K_LOADWIDE)
        bytes = k_is_global(memory)
                    ? ir_scalar_bytes((scalar)memory->type) * (n->op == K_LOAD ? 1u : n->nresults)
                    : 0;
    for (int i = 0; i < 2; i++)
        bytes += n->blocks[i] ? loaded_bytes(p, n->blocks[i]) : 0;
    return bytes && turns > UINT32_MAX / bytes ? UINT32_MAX : bytes * turns;
}

static uint64_t loaded_bytes(const k_program *p, k_block b)
{
    uint64_t bytes = 0;
    for (k_id id = k_block_at(p, b)->first; id && bytes < UINT32_MAX; id = k_at(p, id)->next)
        bytes += loaded_by(p, k_at(p, id));
    return bytes;
}

/* The number of groups from which on the launches of this list stay apart; 0: from none. */
static uint32_t parts_from(const joining *s)
{
    const k_program *p = s->r.old;
    uint64_t bytes = loaded_bytes(p, k_at(p, s->held.at[0])->blocks[0]);
    return bytes >= p->target.tuning.join_bytes ? 0 : p->target.tuning.join_groups + 1;
}

/* ---- building ---- */

static void rebuild_body(joining *s, k_id launch, bool following)
{
    s->following = following;
    rebuild_block(&s->r, k_at(s->r.old, launch)->blocks[0]);
    s->following = false;
}

static void close_if(k_builder *b)
{
    kb_next_block(b, NULL, 0);
    kb_close(b, NULL, 0);
}

/* The first launch's own work, unless it is not to have any groups. */
static void rebuild_first(joining *s, k_id launch)
{
    k_builder *b = &s->r.b;
    if (k_lo(b->p, s->groups) >= 1) {
        rebuild_body(s, launch, false);
        return;
    }
    kb_open_if(b, kb_lt(b, kb_int(b, 0), s->groups));
    rebuild_body(s, launch, false);
    close_if(b);
}

static void open_thread(k_builder *b, int64_t threads)
{
    kb_open_if(b, kb_lt(b, kb_builtin(b, AT_THREAD, threads - 1), kb_int(b, 1)));
}

/* Counts the group, and tells whether it is the last.  What its threads have written is complete at
 * the first barrier and seen by the others with the count. */
static k_id arrive(k_builder *b, k_id counter, k_id groups, int64_t threads)
{
    k_id zero = kb_int(b, 0), place = kb_alloc(b, SPACE_LOCAL, ST_I32, kb_int(b, 1));
    kb_sync(b, LEVEL_BLOCK);
    open_thread(b, threads);
    kb_store(b, place, zero, kb_atomic(b, ATOMIC_ARRIVE, counter, zero, kb_int(b, 1), 0));
    close_if(b);
    kb_sync(b, LEVEL_BLOCK);
    return kb_scalar(b, SOP_EQ, kb_load(b, place, zero), kb_sub(b, groups, kb_int(b, 1)), 0);
}

static void rebuild_others(joining *s)
{
    for (uint32_t i = 1; i < s->held.len; i++) {
        kb_sync(&s->r.b, LEVEL_BLOCK);
        rebuild_body(s, s->held.at[i], true);
    }
}

static void build_joined(joining *s)
{
    k_builder *b = &s->r.b;
    const k_node first = *k_at(s->r.old, s->held.at[0]);
    int64_t threads = extent_of(s->r.old, &first, THREADS);
    k_id zero = kb_int(b, 0), one = kb_int(b, 1), counter = 0;
    s->groups = rebuild_value(&s->r, first.args[0]);
    k_id groups = kb_max(b, s->groups, one);
    bool alone = k_hi(b->p, groups) <= 1;
    if (!alone) {
        counter = kb_alloc_at(b, 0, SPACE_GLOBAL, ST_I32, one);
        k_at(b->p, counter)->kept = true;
    }
    k_id launch = kb_open_launch(b, first.level, groups, (uint32_t)threads);
    k_at(b->p, launch)->joined = true;
    rebuild_first(s, s->held.at[0]);
    if (!alone)
        kb_open_if(b, arrive(b, counter, groups, threads));
    rebuild_others(s);
    if (!alone) {
        open_thread(b, threads);
        kb_atomic(b, ATOMIC_EXCHANGE, counter, zero, zero, 0);
        close_if(b);
        close_if(b);
    }
    kb_close(b, NULL, 0);
}

static void copy_held(joining *s)
{
    for (uint32_t i = 0; i < s->held.len; i++)
        rebuild_copy(&s->r, s->held.at[i]);
}

static void build_both(joining *s, uint32_t from)
{
    k_builder *b = &s->r.b;
    k_id groups = rebuild_value(&s->r, k_at(s->r.old, s->held.at[0])->args[0]);
    if (k_hi(b->p, groups) < (int64_t)from) {
        build_joined(s);
        return;
    }
    kb_open_if(b, kb_lt(b, groups, kb_int(b, (int32_t)from)));
    build_joined(s);
    kb_next_block(b, NULL, 0);
    copy_held(s);
    kb_close(b, NULL, 0);
}

static void build_held(joining *s);

static void hold(joining *s, k_id old)
{
    s->r.b.failed = !vec_push(&s->r.b.p->cx->mem, &s->held, old) || s->r.b.failed;
}

/* A branch, and in it what comes behind the if. */
static void build_branch(joining *s, k_block branch, const k_id *behind, uint32_t n)
{
    const k_program *p = s->r.old;
    k_id last = last_of(p, branch);
    for (k_id id = k_block_at(p, branch)->first; id; id = k_at(p, id)->next)
        if (id != last && k_at(p, id)->op != K_YIELD)
            rebuild_statement(&s->r, id);
    hold(s, last);
    for (uint32_t i = 0; i < n; i++)
        hold(s, behind[i]);
    build_held(s);
}

static void build_branches(joining *s)
{
    k_builder *b = &s->r.b;
    const k_node first = *k_at(s->r.old, s->held.at[0]);
    uint32_t n = s->held.len - 1;
    k_id *behind = rebuild_room(&s->r, n);
    for (uint32_t i = 0; behind && i < n; i++)
        behind[i] = s->held.at[i + 1];
    s->held.len = 0;
    if (!behind)
        return;
    kb_open_if(b, rebuild_value(&s->r, first.args[0]));
    build_branch(s, first.blocks[0], behind, n);
    kb_next_block(b, NULL, 0);
    build_branch(s, first.blocks[1], behind, n);
    kb_close(b, NULL, 0);
}

static void build_launches(joining *s)
{
    uint32_t from = s->held.len > 1 ? parts_from(s) : 0;
    if (from)
        build_both(s, from);
    else if (s->held.len > 1)
        build_joined(s);
    else
        copy_held(s);
    s->held.len = 0;
}

static void build_held(joining *s)
{
    if (is_plain_if(k_at(s->r.old, s->held.at[0])))
        build_branches(s);
    else
        build_launches(s);
}

/* A group that does what a launch of one was for is that launch's only one. */
static bool replace_coordinate(joining *s, k_id old, const k_node *n)
{
    if (!s->following || n->op != K_BUILTIN || n->coordinate == AT_THREAD)
        return false;
    s->r.map[old] = kb_int(&s->r.b, n->coordinate == AT_GROUP ? 0 : 1);
    return true;
}

/* Whether an if is followed by what its branches can do. */
static bool takes_in(const k_program *p, k_id old)
{
    const k_node *n = k_at(p, old);
    k_id next = is_plain_if(n) ? next_single(p, n) : 0;
    return next && does(p, old, k_at(p, next));
}

static bool join_statement(rebuild *r, k_id old)
{
    joining *s = (joining *)r;
    const k_node *n = k_at(r->old, old);
    if (r->b.launch_depth)
        return replace_coordinate(s, old, n);
    if (n->op != K_LAUNCH && !takes_in(r->old, old))
        return false;
    hold(s, old);
    if (s->held.len && !is_followed(s, n))
        build_held(s);
    return true;
}

bool k_join(k_program *p)
{
    joining s = {.r = {.statement = join_statement}};
    if (!p->target.facts.launches_cost || p->target.request.in_place)
        return true; /* inplace looks at launches one by one */
    bool ok = k_rebuild(p, &s.r);
    vec_free(&p->cx->mem, &s.held);
    return ok;
}
