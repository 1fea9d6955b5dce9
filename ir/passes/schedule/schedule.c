/* From unscheduled to scheduled: collectives give way to skeletons, functions of FCL that name
 * levels (libfcl/prelude/skeletons.fclir), which the module has imported; pull arrays that kernels
 * return are pushed by the grid.  What is scheduled already stays as it is.
 *
 * One walk over what the kernels without a schedule reach: linear. */
#include "ir/check/check.h"
#include "ir/passes/distribute/distribute.h"
#include "ir/passes/passes.h"
#include "ir/passes/schedule/schedule.h"
#include "ir/scheduled.h"

static void push_results(scheduler *s, ir_func f)
{
    ir_module *m = s->m;
    ir_op end = ir_region_at(m, ir_func_at(m, f)->body)->last;
    ir_value v = sched_pushed(s, sched_before(s, end), ir_arg(m, end, 0), BY_GRID);
    s->failed = s->failed || !v;
    if (s->failed)
        return;
    ir_set_operand(&s->e, end, 0, v);
    ir_func_at(m, f)->result = ir_value_at(m, v)->type;
}

static void go_through(scheduler *s, const job *j)
{
    const func_node f = *ir_func_at(s->m, j->copy);
    if (j->by == BY_GRID) {
        sched_fuse(s, f.body);
        sched_nests(s, f.body);
    }
    sched_region(s, f.body, j->by);
    if (f.kernel && !s->failed)
        push_results(s, j->copy);
}

void sched_release(scheduler *s)
{
    mem *mm = &s->m->cx->mem;
    vec_free(mm, &s->reaches);
    vec_free(mm, &s->by_type);
    vec_free(mm, &s->jobs);
    vec_free(mm, &s->masks);
    vec_free(mm, &s->known);
    vec_free(mm, &s->cost.steps);
    vec_free(mm, &s->cost.streams);
    vec_free(mm, &s->cost.asked);
    vec_free(mm, &s->cost.called);
    vec_free(mm, &s->cost.seen);
    for (int i = 0; i < WORKERS; i++)
        vec_free(mm, &s->version[i]);
}

bool pass_schedule(ir_module *m, unsigned without)
{
    scheduler s = {.m = m, .without = without};
    bool ok = ir_check(m) && sched_find_jobs(&s) && ir_check(m); /* as there are copies of functions */
    if (ok && s.jobs.len) {
        ok = ir_editor_init(&s.e, m);
        for (uint32_t i = 0; ok && i < s.jobs.len; i++) { /* all, while functions that threads call say what they do */
            if (s.jobs.at[i].by == BY_GRID)
                sched_distribute(&s, ir_func_at(m, s.jobs.at[i].copy)->body);
            ok = !s.failed;
        }
        for (uint32_t i = 0; ok && i < s.jobs.len; i++) {
            go_through(&s, &s.jobs.at[i]);
            ok = !s.failed;
        }
        ok = ir_editor_end(&s.e) && ok;
        m->checked = false;
    }
    sched_release(&s);
    return ok;
}
