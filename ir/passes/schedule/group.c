/* Which reductions, and which scans, go through as many elements and can so be one: in each region
 * that the grid works on, in order, those that do not need what an earlier one gives.
 *
 * What a later one is computed from is moved in front of the first: definitions of elements and
 * arithmetic, which cost nothing where they stand.  Linear: so many groups are open, and so much is
 * moved for one. */
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

/* Groups that are looked at for an operation; bytes that are combined at once, where they are exchanged through local
 * memory. */
enum { OPEN = 16, MOST_BYTES = 64 };

typedef struct open_groups {
    sched_group at[OPEN];
    uint32_t n;
} open_groups;

/* ---- what can be merged ---- */

static ir_value array_of(ir_module *m, ir_op o)
{
    return ir_arg(m, o, 1);
}

/* A component of an array of tuples is in no memory of its own. */
static bool is_overwritten(const scheduler *s, ir_value v)
{
    bool is = false;
    for (uint32_t u = ir_first_use(&s->e, v); u && !is; u = ir_next_use(&s->e, u)) {
        ir_op by = ir_user(&s->e, u);
        is = ir_op_at(s->m, by)->opcode == OP_UPDATE && ir_arg(s->m, by, 0) == v;
    }
    return is;
}

static bool is_mergeable(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    uint32_t code = ir_op_at(m, o)->opcode;
    return (code == OP_REDUCE || code == OP_SCAN || code == OP_SCANEX) &&
           !is_overwritten(s, ir_op_at(m, o)->result) &&
           sched_is_base(m, ir_type_at(m, ir_value_at(m, array_of(m, o))->type)->a);
}

static sched_group group_of(const scheduler *s, ir_op o)
{
    ir_module *m = s->m;
    const type_node t = *ir_type_at(m, ir_value_at(m, array_of(m, o))->type);
    sched_group g = {.at = {o}, .n = 1, .rank = t.n, .bytes = sched_bytes(m, t.a, MOST_BYTES)};
    for (uint32_t k = 0; k < g.rank; k++)
        g.extents[k] = ir_extent_of(m, array_of(m, o), k);
    int64_t told = sched_told(s, o, PROPERTY_MERGE, -1);
    if (told == 0)
        g.closed = "its hint `merge` says so";
    else if (told < 0 && sched_is_off(s, DECIDE_MERGE))
        g.closed = "merge is off";
    return g;
}

static bool has_room(const sched_group *g, const sched_group *o)
{
    return g->n < MOST_MERGED && g->bytes + o->bytes <= MOST_BYTES && !g->closed && !o->closed;
}

static bool is_of_as_many(const ir_module *m, const sched_group *g, const sched_group *o)
{
    const op_node *first = ir_op_at((ir_module *)m, g->at[0]), *now = ir_op_at((ir_module *)m, o->at[0]);
    bool same = first->opcode == now->opcode && g->rank == o->rank;
    for (uint32_t k = 0; same && k < g->rank; k++)
        same = ir_same_extent(m, g->extents[k], o->extents[k]);
    return same;
}

/* ---- what it needs in front of the first ---- */

/* What costs nothing where it stands. */
static bool is_light(const scheduler *s, ir_op o, place to)
{
    const op_node n = *ir_op_at(s->m, o);
    const op_info *info = ir_op_info(n.opcode);
    if (n.parent != to.region)
        return false;
    if (n.opcode == OP_CALL)
        return !s->reaches.at[n.attr] && ir_holds_pull(s->m, ir_value_at(s->m, n.result)->type);
    bool describes = n.opcode == OP_GENERATE || n.opcode == OP_MAP || n.opcode == OP_FN;
    return (describes || !info->regions) && info->has_result && info->effect != EFFECT_WORK &&
           info->effect != EFFECT_CALL && !ir_is_collective(s->m, o);
}

/* ---- groups ---- */

static void merge_first(scheduler *s, open_groups *all)
{
    if (all->at[0].n > 1)
        sched_merge_group(s, &all->at[0]);
    all->n--;
    for (uint32_t i = 0; i < all->n; i++)
        all->at[i] = all->at[i + 1];
}

static const char *why_apart(const sched_group *g, const sched_group *own)
{
    if (own->closed)
        return own->closed;
    if (g->closed)
        return "the earlier one stays by itself";
    if (g->n == MOST_MERGED)
        return "eight are one already";
    return g->bytes + own->bytes > MOST_BYTES
               ? "more than 64 bytes would be combined at once"
               : "it needs what that gives, or what cannot be moved in front of that";
}

/* Beside the last of as many elements. */
static void tell_apart(const scheduler *s, const open_groups *all, const sched_group *own)
{
    uint32_t i = all->n;
    while (i && !is_of_as_many(s->m, &all->at[i - 1], own))
        i--;
    const sched_group *g = i ? &all->at[i - 1] : NULL;
    if (g && sched_tell(s, own->at[0], NOT_MERGED, "goes through as many elements as an earlier one, and stays by itself: %s",
                        why_apart(g, own)))
        diag_note_add(s->m->cx, ir_op_loc(s->m, g->at[0]), "the earlier one");
}

/* To the last group that it fits, or one of its own. */
static void join(scheduler *s, open_groups *all, ir_op o)
{
    sched_group own = group_of(s, o);
    uint32_t i = all->n;
    while (i && !(has_room(&all->at[i - 1], &own) && is_of_as_many(s->m, &all->at[i - 1], &own)))
        i--;
    sched_group *g = i ? &all->at[i - 1] : NULL;
    if (g && sched_move_needs(s, o, sched_before(s, g->at[0]), is_light)) {
        g->at[g->n++] = o;
        g->bytes += own.bytes;
        return;
    }
    tell_apart(s, all, &own);
    if (all->n == OPEN)
        merge_first(s, all);
    all->at[all->n++] = own;
}

void sched_merge(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    open_groups all = {.n = 0};
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        const op_node n = *ir_op_at(m, o);
        next = n.next;
        if (is_mergeable(s, o))
            join(s, &all, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                sched_merge(s, n.regions + i);
    }
    while (all.n && !s->failed)
        merge_first(s, &all);
}
