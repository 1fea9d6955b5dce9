/* The pass share: nothing of a program without levels is computed twice that need not be.
 *
 * 1. Work that is the same for all elements of an array, or for all turns of a loop, is bound at the lowest place that all
 *    of them see: in front of the outermost element or loop whose parameters it does not depend on.  `map xs { (x) x / sum
 *    xs }` has one sum, which the grid computes.  Work are collectives and what has some inside; what these need goes with them.
 *    Work of an element of a matrix that depends on some of its indices alone is an array over those (axes.c).
 * 2. Reads of an array stand in front of updates that overwrite it (early.c).
 * 3. One operation stands for several that are the same, also where these are in both branches of an `if` (cse.c).
 *
 * What an operation depends on is a set of depths: bit d for the parameters of the region of that depth around it.
 * Work leaves a branch together with the element around that, and only where what chooses the branch is the element's too:
 * a condition that is the same for all may be what keeps the work from failing.  And only work that cannot fail leaves elements
 * and turns (fails.c), since there may be none of them; an array over some indices, or of one element for all (alike.c), has no
 * elements then.
 *
 * One walk, and bounded work for what is moved: linear. */
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/passes/distribute/distribute.h"
#include "ir/scheduled.h"

#include <string.h>

/* Regions that are told apart.  What depends on deeper ones counts as their last, and is not moved; nor is what uses a
 * function that has something in it that stays. */
enum { DEPTHS = 63 };

typedef struct binder {
    scheduler s;
    vec_u32 bound;       /* by function: 1 where it has what stays in its place */
    vec_u32 failing;     /* by function: 1 where it has what may fail */
    vec_u8 fails;        /* by value: what computes it may */
    VEC(uint64_t) needs; /* by value: depths */
    ir_region path[DEPTHS + 1];
    bool updates; /* at levels, so that arrays have owners; other updates take a copy where they must */
} binder;

/* What is known of the operations of a region, or of one. */
typedef struct known {
    uint64_t needs;
    bool stays, works; /* something in it must stay where it is; is work */
    bool fails;        /* something that it needs, or that is in it, may fail */
} known;

static uint64_t bit_of(uint32_t depth)
{
    return (uint64_t)1 << (depth < DEPTHS ? depth : DEPTHS);
}

static uint64_t up_to(uint64_t needs, uint32_t depth)
{
    return depth < DEPTHS ? needs & ((((uint64_t)2 << depth) - 1) | bit_of(DEPTHS)) : needs;
}

/* The deepest one; 0, the function's body, for none. */
static uint32_t deepest(uint64_t needs)
{
    uint32_t d = 0;
    while (needs >>= 1)
        d++;
    return d;
}

/* ---- what stays ---- */

static bool loops_over_scalars(const ir_module *m, ir_op o)
{
    const op_node *n = ir_op_at((ir_module *)m, o);
    return (n->opcode == OP_WHILE || n->opcode == OP_REPEAT) && sched_is_base(m, ir_value_at((ir_module *)m, n->result)->type);
}

/* What hands out, asserts, overwrites, or works at a level. */
static bool is_bound(const ir_module *m, ir_op o)
{
    const op_node *n = ir_op_at((ir_module *)m, o);
    uint32_t effect = ir_op_info(n->opcode)->effect;
    bool levels = effect == EFFECT_WORK && !ir_is_collective(m, o) && !loops_over_scalars(m, o);
    return levels || effect == EFFECT_EMIT || n->opcode == OP_ASSERT || n->opcode == OP_UPDATE || n->opcode == OP_PUSH;
}

static bool stays(const binder *b, ir_op o)
{
    ir_module *m = b->s.m;
    const op_node n = *ir_op_at(m, o);
    if (ir_op_info(n.opcode)->attr == ATTR_CALL)
        return b->bound.at[n.attr];
    bool owned = b->updates && n.result && ir_is_collective(m, o) && ir_holds_pull(m, type_of(&b->s, n.result));
    return !n.result || owned || is_bound(m, o);
}

static bool is_work(const binder *b, ir_op o)
{
    const op_node n = *ir_op_at(b->s.m, o);
    bool calls = n.opcode == OP_CALL && b->s.reaches.at[n.attr];
    return calls || (ir_is_collective(b->s.m, o) && sched_work_of(&b->s, o) != WORK_SHORT);
}

/* ---- binding ---- */

static bool fails_itself(const binder *b, ir_op o)
{
    const op_node n = *ir_op_at(b->s.m, o);
    return ir_op_info(n.opcode)->attr == ATTR_CALL ? sched_call_may_fail(b->s.m, o, b->failing.at) : sched_may_fail(b->s.m, o);
}

static bool fails_of(const binder *b, ir_value v)
{
    return ir_value_at(b->s.m, v)->kind != V_CONST && b->fails.at[v];
}

static uint64_t needs_of(const binder *b, ir_value v)
{
    return ir_value_at(b->s.m, v)->kind == V_CONST ? 0 : b->needs.at[v];
}

/* Whether work of such needs may leave the region of a depth; *many: this runs for many elements, or turns. */
static bool may_leave(const binder *b, uint32_t depth, uint64_t needs, bool *many)
{
    ir_module *m = b->s.m;
    ir_op owner = ir_region_at(m, b->path[depth])->owner;
    *many = ir_region_at(m, b->path[depth])->nparams > 0;
    bool chosen = !*many && ir_op_at(m, owner)->opcode == OP_IF && deepest(needs_of(b, ir_arg(m, owner, 0))) > deepest(needs);
    return *many || chosen;
}

/* The depth of the region that it is best in. */
static uint32_t best_depth(const binder *b, uint32_t depth, uint64_t needs)
{
    uint32_t best = depth;
    bool many, may = true;
    for (uint32_t k = depth; may && k > deepest(needs); k--) {
        may = may_leave(b, k, needs, &many);
        if (may && many)
            best = k - 1;
    }
    return best;
}

/* Values that have come since: of operations that have been looked at, or will be. */
static void make_room(binder *b, uint64_t needs, bool fails)
{
    while (!b->s.failed && b->needs.len < b->s.m->values.len)
        b->s.failed = !vec_push(&b->s.m->cx->mem, &b->needs, needs) || !vec_push(&b->s.m->cx->mem, &b->fails, fails);
}

/* What stands for its result is of the element still.  Of what may fail there is nothing where there are no elements, so it may be
 * asked for no sooner. */
static void bind_axes(binder *b, ir_op o, uint64_t needs, bool fails)
{
    if (sched_axes(&b->s, o, fails))
        make_room(b, needs, fails);
}

/* Likewise of what all elements have alike. */
static void bind_alike(binder *b, ir_op o, uint64_t needs, uint32_t levels)
{
    if (sched_alike(&b->s, o, levels))
        make_room(b, needs, true);
}

static void bind(binder *b, ir_op o, uint32_t depth, uint64_t needs)
{
    scheduler *s = &b->s;
    uint32_t to = depth < DEPTHS ? best_depth(b, depth, needs) : depth;
    if (to == depth) {
        if (deepest(needs) == depth)
            bind_axes(b, o, needs, false);
        return;
    }
    ir_op around = ir_region_at(s->m, b->path[to + 1])->owner;
    place at = sched_before(s, around);
    /* what depends on what stays has not come here */
    if (!sched_move_needs(s, o, at, NULL) || !ir_move_op(&s->e, o, at.region, at.before))
        return;
    if (sched_tell(s, o, BOUND, "does not depend on what it stood in, and is computed once, in front of that"))
        diag_note_add(s->m->cx, ir_op_loc(s->m, around), "what it stood in");
}

/* Elements of a matrix that have a scan or a sort, maybe in a call: what goes through how much is to be seen. */
static void open_rows(binder *b, ir_region r)
{
    ir_module *m = b->s.m;
    const region_node n = *ir_region_at(m, r);
    bool rows = false;
    if (n.nparams < 2 || !n.owner || ir_op_at(m, n.owner)->opcode != OP_GENERATE)
        return;
    for (ir_op o = n.first; o && !rows; o = ir_op_at(m, o)->next) {
        ir_value v = ir_op_at(m, o)->result;
        rows = v && is_work(b, o) && !stays(b, o) && ir_holds_pull(m, type_of(&b->s, v));
    }
    if (rows)
        sched_open_calls(&b->s, r);
    make_room(b, 0, false);
}

/* ---- the walk ---- */

static known look_at_region(binder *b, ir_region r, uint32_t depth, uint64_t always);

static known look_at(binder *b, ir_op o, uint32_t depth, uint64_t always)
{
    ir_module *m = b->s.m;
    const op_node n = *ir_op_at(m, o);
    bool binds = n.opcode == OP_FN && n.inst; /* variables of types or levels, which all inside may name */
    known k = {.needs = always, .stays = stays(b, o), .works = is_work(b, o), .fails = fails_itself(b, o)};
    for (uint32_t i = 0; i < n.nargs; i++) {
        k.needs |= needs_of(b, ir_arg(m, o, i));
        k.fails = k.fails || fails_of(b, ir_arg(m, o, i));
    }
    for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions && !b->s.failed; i++) {
        known in = look_at_region(b, n.regions + i, depth + 1, always | (binds ? bit_of(depth + 1) : 0));
        k.needs |= up_to(in.needs, depth);
        k.stays = k.stays || in.stays;
        k.works = k.works || in.works;
        k.fails = k.fails || in.fails;
    }
    bool names = n.opcode == OP_FN || n.opcode == OP_FUNC;
    if (n.result) {
        b->needs.at[n.result] = k.needs | (k.stays ? bit_of(names ? DEPTHS : depth) : 0);
        b->fails.at[n.result] = k.fails;
    }
    if (k.works && !k.stays && n.opcode != OP_FN) {
        if (!k.fails)
            bind(b, o, depth, k.needs);
        else if (deepest(k.needs) == depth)
            bind_axes(b, o, k.needs, true);
        else if (depth < DEPTHS && deepest(k.needs) < depth)
            bind_alike(b, o, k.needs, depth - deepest(k.needs));
    }
    return k;
}

static known look_at_region(binder *b, ir_region r, uint32_t depth, uint64_t always)
{
    ir_module *m = b->s.m;
    open_rows(b, r);
    const region_node n = *ir_region_at(m, r);
    known all = {.needs = always};
    for (uint32_t i = 0; i < n.nparams; i++) { /* a function that is given may do anything */
        bool names = ir_type_at(m, type_of(&b->s, n.params + i))->kind == TY_FUN;
        b->needs.at[n.params + i] = bit_of(names ? DEPTHS : depth);
    }
    b->path[depth < DEPTHS ? depth : DEPTHS] = r;
    for (ir_op o = n.first, next; o && !b->s.failed; o = next) {
        next = ir_op_at(m, o)->next;
        known k = look_at(b, o, depth, always);
        bool ends = !ir_op_at(m, o)->result;
        all.needs |= k.needs;
        all.stays = all.stays || (k.stays && !ends);
        all.works = all.works || k.works;
        all.fails = all.fails || k.fails;
    }
    return all;
}

/* ---- the pass ---- */

static bool binder_init(binder *b)
{
    ir_module *m = b->s.m;
    for (ir_op o = 1; o < m->ops.len && !b->updates; o++)
        b->updates = ir_op_at(m, o)->opcode == OP_UPDATE && !ir_is_collective(m, o);
    bool ok = sched_find_reaching(&b->s, &b->bound, is_bound) &&
              sched_find_reaching(&b->s, &b->failing, sched_may_fail) &&
              vec_reserve(&m->cx->mem, &b->needs, m->values.len) && vec_reserve(&m->cx->mem, &b->fails, m->values.len);
    if (ok) {
        b->needs.len = b->fails.len = m->values.len;
        memset(b->needs.at, 0, b->needs.len * sizeof *b->needs.at);
        memset(b->fails.at, 0, b->fails.len * sizeof *b->fails.at);
    }
    return ok;
}

static bool bind_all(binder *b)
{
    ir_module *m = b->s.m;
    if (!sched_find_reaching(&b->s, &b->s.reaches, ir_is_collective) || !sched_open_seen(&b->s) || !ir_check(m) || !binder_init(b))
        return false;
    bool ok = ir_editor_init(&b->s.e, m);
    for (ir_func f = 1; ok && f < m->funcs.len; f++) {
        if (!ir_func_at(m, f)->import && b->s.reaches.at[f])
            look_at_region(b, ir_func_at(m, f)->body, 0, 0);
        ok = !b->s.failed;
    }
    return ir_editor_end(&b->s.e) && ok;
}

bool pass_share(ir_module *m)
{
    binder b = {.s.m = m};
    bool ok = ir_check(m) && pass_read_early(m) && bind_all(&b) && pass_number(m, &b.bound);
    vec_free(&m->cx->mem, &b.bound);
    vec_free(&m->cx->mem, &b.failing);
    vec_free(&m->cx->mem, &b.fails);
    vec_free(&m->cx->mem, &b.needs);
    sched_release(&b.s);
    return ok;
}
