/* The rules in their order, over what the grid works on. */
#include "ir/passes/distribute/distribute.h"

#include "ir/check/check.h"
#include "ir/passes/passes.h"

static void look_at(scheduler *s, ir_op o)
{
    if (ir_op_at(s->m, o)->opcode == OP_REDUCE)
        sched_irwim(s, o);
    else
        sched_fission(s, o);
}

/* What a rule makes stands in front of what it was made of. */
void sched_distribute(scheduler *s, ir_region r)
{
    ir_module *m = s->m;
    for (ir_op o = ir_region_at(m, r)->first, next; o && !s->failed; o = next) {
        next = ir_op_at(m, o)->next;
        const op_node n = *ir_op_at(m, o);
        for (uint32_t i = 0; i < ir_op_info(n.opcode)->regions; i++)
            if (sched_region_worker(m, o, i, BY_GRID) == BY_GRID)
                sched_distribute(s, n.regions + i);
        look_at(s, o);
    }
}

/* A function that threads go through too stays as it is: they gain nothing. */
static void go_through(scheduler *s, const job *j)
{
    if (j->by == BY_GRID && !s->version[BY_THREAD].at[j->func])
        sched_distribute(s, ir_func_at(s->m, j->func)->body);
}

bool pass_distribute(ir_module *m, unsigned without)
{
    scheduler s = {.m = m, .without = without};
    bool ok = ir_check(m) && sched_list_jobs(&s) && ir_check(m); /* as calls may have been inlined */
    if (ok && s.jobs.len) {
        ok = ir_editor_init(&s.e, m);
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
