/* Steps of the pass schedule as passes by themselves: over what the grid works on, after which no skeleton stands there.
 *
 * fuse: which elements are computed where they are asked for, which are written to memory, and which reductions, scans and
 * loops go through arrays together. */
#include "ir/check/check.h"
#include "ir/passes/passes.h"
#include "ir/passes/distribute/distribute.h"

/* Loops that carry arrays come before what is written, as their elements need no memory, and so do reductions of computed
 * rows, whose sums are elements then; reductions of short rows behind it, as they are no operations of the host then. */
void sched_fuse(scheduler *s, ir_region r)
{
    sched_merge(s, r);
    if (!s->failed)
        sched_carry(s, r);
    if (!s->failed)
        sched_computed_rows(s, r);
    if (!s->failed)
        sched_each(s, r, sched_keep_arrays);
    if (!s->failed)
        sched_write(s, r);
    if (!s->failed)
        sched_short_rows(s, r);
}

/* A function that threads go through too stays as it is: they gain nothing. */
static void go_through(scheduler *s, const job *j, sched_step *step)
{
    if (j->by == BY_GRID && !s->version[BY_THREAD].at[j->func])
        step(s, ir_func_at(s->m, j->func)->body);
}

bool sched_alone(ir_module *m, unsigned without, sched_step *step)
{
    scheduler s = {.m = m, .without = without};
    bool ok = ir_check(m) && sched_list_jobs(&s) && ir_check(m); /* as calls may have been inlined */
    if (ok && s.jobs.len) {
        ok = ir_editor_init(&s.e, m);
        for (uint32_t i = 0; ok && i < s.order.len; i++) {
            go_through(&s, &s.jobs.at[s.order.at[i]], step);
            ok = !s.failed;
        }
        ok = ir_editor_end(&s.e) && ok;
        m->checked = false;
    }
    sched_release(&s);
    return ok;
}

bool pass_fuse(ir_module *m, unsigned without)
{
    return sched_alone(m, without, sched_fuse);
}
