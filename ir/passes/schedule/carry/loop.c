/* A loop of the host that carries arrays, each element of which is computed from the same elements
 * of the turn before, is an array of loops: each thread carries its elements, and memory is written
 * once.
 *
 *   repeat n, (x, y, i) { (k, (xs, ys, j)) ... }
 *   generate the extents of x { (ix) repeat n, (x[ix], y[ix], i) { (k, (ex, ey, j)) ... } }
 *
 * The arrays have the same extents, but for short axes of which a thread has all elements.  What is
 * a number is the same in all threads, and computed by each.  The turn may describe any arrays by
 * maps and generates; nothing in it is a collective or a loop of the host, nothing is handed out,
 * and extents stay.
 *
 * The loop is made in front of the one that it replaces, or unmade where something speaks against
 * it. */
#include "ir/passes/schedule/carry/carry.h"

#include "ir/scheduled.h"

static ir_value numbers(carrying *c)
{
    for (uint32_t i = 0; i < c->ncomponents; i++)
        if (!c->parts[i].rank && carry_is_used(c, i))
            return carry_turns(c, carry_host(c), false);
    return 0;
}

/* What stands between an operation and the loop, in vain. */
static void unmake(carrying *c, ir_op behind)
{
    for (ir_op o = c->s->e.before.at[c->loop], before; o && o != behind; o = before) {
        before = c->s->e.before.at[o];
        ir_erase_op(&c->s->e, o);
    }
}

static void begin_anew(carrying *c)
{
    for (uint32_t i = 0; i < c->set.len; i++)
        c->means.at[c->set.at[i]] = (meaning){.kind = MEANS_ITSELF};
    c->set.len = c->memos.len = c->knowns.len = c->products.len = 0;
    c->ncomponents = c->rank = c->ncarried = c->nopen = c->built = c->depth = 0;
    c->inside = 0;
    c->all = c->thread = 0;
    c->why = NULL;
    for (uint32_t i = 0; i < MAX_RANK; i++)
        c->dims[i] = 0;
    mem *mm = &c->s->m->cx->mem;
    bool ok = vec_push(mm, &c->memos, (memo){.next = 0}) &&
              vec_push(mm, &c->knowns, (fact){.kind = KNOWN_NOT}) &&
              vec_push(mm, &c->products, (extent){.number = 0}) &&
              (c->means.len || vec_push(mm, &c->means, (meaning){.kind = MEANS_ITSELF}));
    c->s->failed = c->s->failed || !ok;
}

static void carry(carrying *c, int axes)
{
    ir_value results[MOST_COMPONENTS], all = 0, ends = 0;
    ir_op behind = c->s->e.before.at[c->loop];
    begin_anew(c);
    if (carry_goes_on(c) && carry_take_state(c, axes))
        all = carry_array_of_loops(c);
    if (all && carry_goes_on(c))
        ends = numbers(c);
    if (c->s->failed)
        return;
    if (c->why) {
        unmake(c, behind);
        return;
    }
    sched_erase_unused(c->s, ir_op_at(c->s->m, ir_value_at(c->s->m, all)->def)->regions);
    if (carry_elements_of_arrays(c) > 1 && axes == WITH_SHORT)
        all = sched_forced(c->s, carry_host(c), all, BY_GRID);
    if (all && carry_results(c, all, ends, results))
        carry_replace(c, results);
}

/* ---- which loops ---- */

static const char *why_never(const carrying *c)
{
    ir_module *m = c->s->m;
    if (sched_is_off(c->s, DECIDE_CARRY))
        return "carry is off";
    for (uint32_t i = 0; i < ir_op_info(ir_op_at(m, c->loop)->opcode)->regions; i++)
        for (ir_op o = ir_region_at(m, ir_op_at(m, c->loop)->regions + i)->first; o;
             o = ir_op_at(m, o)->next)
            if (sched_has_collective(c->s, o))
                return "a turn has a collective";
    return NULL;
}

static void look_at(carrying *c)
{
    scheduler *s = c->s;
    ir_op o = c->loop;
    const char *why = why_never(c);
    if (!why) {
        carry(c, PLAIN);
        why = c->why;
        if (why && !s->failed && carry_has_short_axis(c))
            carry(c, WITH_SHORT);
        why = c->why ? why : NULL;
    }
    if (s->failed)
        return;
    if (why)
        sched_tell(s, o, NOT_CARRIED, "each turn of this loop is work of the grid: %s", why);
    else
        sched_tell(s, o, CARRIED,
                   "each thread goes through the turns of this loop with its own element");
}

/* Inner loops come first: an array of loops is a description like any other. */
static void find_loops(scheduler *s, ir_region r, vec_u32 *found)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first; o && !s->failed; o = ir_op_at(m, o)->next) {
        const op_node n = *ir_op_at(m, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                find_loops(s, n.regions + i, found);
        bool is = (n.opcode == OP_REPEAT || n.opcode == OP_WHILE) &&
                  carry_is_state(m, type_of(s, n.result));
        s->failed = s->failed || (is && !vec_push(&m->cx->mem, found, o));
    }
}

void sched_carry(scheduler *s, ir_region r)
{
    carrying c = {.s = s};
    vec_u32 found = {0};
    mem *mm = &s->m->cx->mem;
    find_loops(s, r, &found);
    for (uint32_t i = 0; i < found.len && !s->failed; i++) {
        c.loop = found.at[i];
        look_at(&c);
    }
    vec_free(mm, &found);
    vec_free(mm, &c.means);
    vec_free(mm, &c.set);
    vec_free(mm, &c.memos);
    vec_free(mm, &c.knowns);
    vec_free(mm, &c.products);
}
